//! Gathers in fused regions give what loads through pointers give, element by element: values and errors.
//!
//! Random kernels load indices, compute with them, gather with masks and padding, once or from what they gathered, and compute on; indices may lie
//! anywhere. `PROGRAMS` says how many.

use crate::text::program;
use std::sync::Mutex;
use tilewright_exec::{Access, AccessObserver, Arg, GroupBlocks, LaunchOptions, Level, Memory, TargetMachine, launch, launch_profiled};
use tilewright_ir::Scalar;

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Elements of the table.
const TABLE: usize = 300;
const BLOCKS: u32 = 3;

/// A kernel and what it is run on.
struct Case {
    text: String,
    n: usize,
    /// Bytes of an element, and of an index.
    size: usize,
    width: usize,
    indices: Vec<i64>,
    /// Where in its buffer the table begins.
    start: usize,
    numbers: [i32; 3],
}

/// Operations on tiles of `n` elements of a type.
struct Body {
    lines: Vec<String>,
    names: usize,
    n: usize,
}

impl Body {
    fn line(&mut self, line: &str) {
        self.lines.push(format!("  {line}"));
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    /// A number as a tile.
    fn splat(&mut self, value: &str, ty: &str) -> String {
        let (one, all, n) = (self.name(), self.name(), self.n);
        self.line(&format!("{one} = reshape {value} : tile<{ty}> -> tile<1x{ty}>"));
        self.line(&format!("{all} = broadcast {one} : tile<1x{ty}> -> tile<{n}x{ty}>"));
        all
    }

    fn constant(&mut self, value: &str, ty: &str) -> String {
        let (all, n) = (self.name(), self.n);
        self.line(&format!("{all} = constant <{ty}: {value}> : tile<{n}x{ty}>"));
        all
    }

    fn binary(&mut self, op: &str, a: &str, b: &str, ty: &str) -> String {
        let (all, n) = (self.name(), self.n);
        self.line(&format!("{all} = {op} {a}, {b} : tile<{n}x{ty}>"));
        all
    }

    fn extended(&mut self, value: &str, sign: &str) -> String {
        let (all, n) = (self.name(), self.n);
        self.line(&format!("{all} = exti {value} {sign} : tile<{n}xi32> -> tile<{n}xi64>"));
        all
    }

    fn compared(&mut self, how: &str, a: &str, b: &str, ty: &str) -> String {
        let (mask, n) = (self.name(), self.n);
        let (predicate, sign) = how.split_once(' ').unwrap();
        self.line(&format!("{mask} = cmpi {predicate} {a}, {b}, {sign} : tile<{n}x{ty}> -> tile<{n}xi1>"));
        mask
    }

    /// Loads from `base[index]`.
    fn gather(&mut self, base: &str, ty: &str, (index, width): (&str, &str), mask: Option<&str>, padding: Option<&str>) -> String {
        let (pointers, value, token, n) = (self.name(), self.name(), self.name(), self.n);
        let bases = self.splat(base, &format!("ptr<{ty}>"));
        self.line(&format!("{pointers} = offset {bases}, {index} : tile<{n}xptr<{ty}>>, tile<{n}x{width}> -> tile<{n}xptr<{ty}>>"));
        let (mut operands, mut types) = (pointers, format!("tile<{n}xptr<{ty}>>"));
        if let Some(mask) = mask {
            operands += &format!(", {mask}");
            types += &format!(", tile<{n}xi1>");
            if let Some(padding) = padding {
                operands += &format!(", {padding}");
                types += &format!(", tile<{n}x{ty}>");
            }
        }
        self.line(&format!("{value}, {token} = load_ptr_tko weak {operands} : {types} -> tile<{n}x{ty}>, token"));
        value
    }
}

const TYPES: [(&str, usize, &str, &str); 6] = [
    ("f32", 4, "addf", "1.5"),
    ("i8", 1, "addi", "3"),
    ("f16", 2, "addf", "2.0"),
    ("f64", 8, "addf", "0.5"),
    ("i64", 8, "addi", "9"),
    ("i32", 4, "addi", "7"),
];

fn case(seed: u64) -> Case {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (ty, size, add, number) = random.pick(&TYPES);
    let (index, width) = random.pick(&[("i32", 4), ("i32", 4), ("i64", 8)]);
    let n = random.pick(&[32usize, 128, 256, 1024, 2048]);
    let mut body = Body { lines: Vec::new(), names: 0, n };
    body.line("%bx, %by, %bz = get_tile_block_id : tile<i32>");
    let (iota, length) = (body.name(), body.name());
    body.line(&format!("{iota} = iota : tile<{n}xi32>"));
    body.line(&format!("{length} = constant <i32: {n}> : tile<i32>"));
    let first = body.name();
    body.line(&format!("{first} = muli %bx, {length} : tile<i32>"));
    let first = body.splat(&first, "i32");
    let places = body.binary("addi", &iota, &first, "i32");
    let a = body.gather("%ix", index, (&places, "i32"), None, None);
    let padding = body.constant(number, ty);
    let padding = (random.below(3) > 0).then_some(padding.as_str());
    let rows = body.splat("%rows", "i32");
    let bound = random.pick(&["less_than unsigned", "less_than unsigned", "less_than signed", "not_equal signed"]);
    let mut value = match (index, random.below(6)) {
        // As they are, all or some of them.
        ("i64", 0..2) => {
            let rows = body.extended(&rows, "signed");
            let mask = body.compared(bound, &a, &rows, "i64");
            body.gather("%t", ty, (&a, "i64"), (random.below(3) > 0).then_some(&mask), padding)
        }
        ("i64", _) => body.gather("%t", ty, (&a, "i64"), None, None),
        (_, 0) => {
            let mask = body.compared(bound, &a, &rows, "i32");
            body.gather("%t", ty, (&a, "i32"), (random.below(3) > 0).then_some(&mask), padding)
        }
        // Rows and columns.
        (_, 1 | 2) => {
            let (cols, shift) = (body.splat("%cols", "i32"), body.constant("5", "i32"));
            let b = body.binary("xori", &a, &shift, "i32");
            let (sign, other) = (random.pick(&["signed", "signed", "unsigned"]), random.pick(&["signed", "unsigned"]));
            let stride = body.splat("%cols", "i32");
            let (row, column, stride) = (body.extended(&a, sign), body.extended(&b, other), body.extended(&stride, "signed"));
            let product = body.binary("muli", &row, &stride, "i64");
            let sum = body.binary(random.pick(&["addi", "addi", "subi"]), &product, &column, "i64");
            let inside = [body.compared(bound, &a, &rows, "i32"), body.compared("less_than unsigned", &b, &cols, "i32")];
            let mask = body.binary("andi", &inside[0], &inside[1], "i1");
            let mask = random.pick(&[Some(&*mask), Some(&*mask), Some(&*inside[0]), None]);
            body.gather("%t", ty, (&sum, "i64"), mask, padding)
        }
        // Columns of a row that the whole block has.
        (_, 3) => {
            let row = random.pick(&["%bx", "%bx", "%bx", "%rows"]);
            let (wide, stride, begin) = (body.name(), body.name(), body.name());
            body.line(&format!("{wide} = exti {row} signed : tile<i32> -> tile<i64>"));
            body.line(&format!("{stride} = exti %cols signed : tile<i32> -> tile<i64>"));
            body.line(&format!("{begin} = muli {wide}, {stride} : tile<i64>"));
            let (begin, column, cols) = (body.splat(&begin, "i64"), body.extended(&a, "signed"), body.splat("%cols", "i32"));
            let index = body.binary("addi", &begin, &column, "i64");
            let mask = body.compared(bound, &a, &cols, "i32");
            body.gather("%t", ty, (&index, "i64"), (random.below(3) > 0).then_some(&mask), padding)
        }
        // Indices that were gathered, and a neighbour.
        (_, 4) => {
            let most = body.constant("63", "i32");
            let at = body.binary("andi", &a, &most, "i32");
            let c = body.gather("%ix", "i32", (&at, "i32"), None, None);
            let mask = body.compared(bound, &c, &rows, "i32");
            body.gather("%t", ty, (&c, "i32"), (random.below(3) > 0).then_some(&mask), padding)
        }
        _ => {
            let one = body.constant("1", "i32");
            let next = body.binary("addi", &a, &one, "i32");
            let mask = body.compared(bound, &next, &rows, "i32");
            let low = body.gather("%t", ty, (&a, "i32"), None, None);
            let high = body.gather("%t", ty, (&next, "i32"), Some(&mask), padding);
            body.binary(add, &low, &high, ty)
        }
    };
    for _ in 0..random.below(3) {
        value = body.binary(add, &value, &value, ty);
    }
    let to = random.pick(&["%out", "%out", "%out", "%t"]);
    let (bases, pointers) = (body.splat(to, &format!("ptr<{ty}>")), body.name());
    body.line(&format!("{pointers} = offset {bases}, {places} : tile<{n}xptr<{ty}>>, tile<{n}xi32> -> tile<{n}xptr<{ty}>>"));
    body.line(&format!("%end = store_ptr_tko weak {pointers}, {value} : tile<{n}xptr<{ty}>>, tile<{n}x{ty}> -> token"));
    let parameters = format!("%t: tile<ptr<{ty}>>, %ix: tile<ptr<{index}>>, %out: tile<ptr<{ty}>>, %rows: tile<i32>, %cols: tile<i32>");
    let text = format!("entry @k({parameters}) {{\n{}\n  return\n}}\n", body.lines.join("\n"));
    // One of a few is somewhere else.
    let far = [-1, -5, TABLE as i64, 1 << 29, 1 << 30, i32::MAX.into(), i32::MIN.into(), 1 << 61, (1 << 62) + 3, i64::MIN, -(1 << 61) + 2];
    let [many, some] = [random.below(4) == 0, random.below(2) == 0];
    let indices = (0..n * BLOCKS as usize)
        .map(|_| match random.below(if many { 4 } else { 5000 }) {
            0 if many || some => random.pick(&far),
            _ => random.below(17) as i64,
        })
        .collect();
    let numbers = [random.pick(&[17, 17, 5, 0, -3, 40_000, i32::MAX]), random.pick(&[17, 16, 3, 70_000, -2]), 0];
    Case { text, n, size, width, indices, start: random.pick(&[0, 0, 8, 2]) as usize * size, numbers }
}

/// What observers are told: addresses in order.
#[derive(Default)]
struct Recorder(Mutex<Vec<u64>>);

impl AccessObserver for Recorder {
    fn access(&self, access: &Access) {
        self.0.lock().unwrap().push(access.address);
    }
}

/// The bytes of all buffers, or the error.
fn run(case: &Case, machine: TargetMachine, threads: usize, observer: Option<&Recorder>) -> Result<Vec<u8>, String> {
    let mut memory = Memory::new();
    let elements = TABLE.max(case.n * BLOCKS as usize) + 8;
    let table = (0..elements * case.size).map(|i| (i * 37 % 61) as u8).collect();
    let indices = case.indices.iter().flat_map(|i| i.to_le_bytes()[..case.width].to_vec()).collect();
    let buffers = [memory.add(table), memory.add(indices), memory.add(vec![0; elements * case.size])];
    let [table, indices, out] = buffers.map(|buffer| memory.address(buffer));
    let number = |n: i32| Arg::Scalar(Scalar::I32, n.cast_unsigned().into());
    let args = [
        Arg::Pointer(table + case.start as u64),
        Arg::Pointer(indices),
        Arg::Pointer(out),
        number(case.numbers[0]),
        number(case.numbers[1]),
    ];
    let plan = program(&case.text).for_machine(machine).plan("k").unwrap_or_else(|error| panic!("{error}\n{}", case.text));
    let options = LaunchOptions::new().threads(threads);
    let options = if let Some(observer) = observer { options.observer(observer) } else { options };
    launch(&plan, &mut memory, [BLOCKS, 1, 1], &args, &options).map_err(|error| error.to_string())?;
    Ok(buffers.iter().flat_map(|buffer| memory.bytes(*buffer).to_vec()).collect())
}

fn programs(usual: u64) -> u64 {
    std::env::var("PROGRAMS").map_or(usual, |number| number.parse().expect("PROGRAMS is a number"))
}

#[test]
fn gathers_in_regions_give_what_loads_give() {
    let host = TargetMachine::host();
    let levels = [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter_map(TargetMachine::at);
    let machines: Vec<TargetMachine> = [host, host.without_native_code()].into_iter().chain(levels).collect();
    let (mut failed, mut gathered) = (0, 0);
    for seed in 0..programs(400) {
        let case = case(seed);
        let expected = run(&case, TargetMachine::portable(), 1, None);
        failed += u64::from(expected.is_err());
        for machine in &machines {
            let found = run(&case, *machine, 1, None);
            let same = match (&found, &expected) {
                (Ok(found), Ok(expected)) => found == expected,
                (Err(found), Err(expected)) => found == expected,
                _ => false,
            };
            let told = |result: &Result<Vec<u8>, String>| result.as_ref().map_or_else(Clone::clone, |_| "values".to_owned());
            assert!(same, "program {seed} on {machine:?}: {}, not {}\n{}", told(&found), told(&expected), case.text);
        }
        let observers = [Recorder::default(), Recorder::default()];
        let watched = run(&case, host, 1, Some(&observers[0]));
        assert!(watched == run(&case, TargetMachine::portable(), 1, Some(&observers[1])), "program {seed}, observed\n{}", case.text);
        let [found, expected] = observers.map(|observer| observer.0.into_inner().unwrap());
        assert!(found == expected, "program {seed}: other accesses\n{}", case.text);
        let plan = program(&case.text).for_machine(host).plan("k").unwrap();
        gathered += u64::from(plan.to_string().contains("gathered"));
    }
    assert!(failed * 20 > programs(400) && failed * 4 < 3 * programs(400), "{failed} programs fail");
    let has_regions = TargetMachine::host() != TargetMachine::portable();
    assert!(!has_regions || gathered * 4 > 3 * programs(400), "only {gathered} programs gather in regions");
}

/// `%i`, the number of each lane of all blocks of 64 lanes.
const INDEX: &str = "%bx, %by, %bz = get_tile_block_id : tile<i32>
  %c64 = constant <i32: 64> : tile<i32>
  %first = muli %bx, %c64 : tile<i32>
  %r0 = reshape %first : tile<i32> -> tile<1xi32>
  %r1 = broadcast %r0 : tile<1xi32> -> tile<64xi32>
  %lane = iota : tile<64xi32>
  %i = addi %r1, %lane : tile<64xi32>";

/// Numbers by the rest and by the quotient of an index, as Python divides, of a block of 64 for each of four blocks. What the divisor is, launches know.
const DIVIDED: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %d: tile<i32>, %n: tile<i32>) {
  INDEX
  %d0 = reshape %d : tile<i32> -> tile<1xi32>
  %ds = broadcast %d0 : tile<1xi32> -> tile<64xi32>
  %n0 = reshape %n : tile<i32> -> tile<1xi32>
  %ns = broadcast %n0 : tile<1xi32> -> tile<64xi32>
  %zeros = constant <i32: 0> : tile<64xi32>
  %quotient = divi %i, %ds signed rounding<negative_inf> : tile<64xi32>
  %rest = remi %i, %ds signed : tile<64xi32>
  %below = cmpi less_than %rest, %zeros, signed : tile<64xi32> -> tile<64xi1>
  %below_d = cmpi less_than %ds, %zeros, signed : tile<64xi32> -> tile<64xi1>
  %differ = xori %below, %below_d : tile<64xi1>
  %some = cmpi not_equal %rest, %zeros, signed : tile<64xi32> -> tile<64xi1>
  %moves = andi %differ, %some : tile<64xi1>
  %moved = addi %rest, %ds : tile<64xi32>
  %floor = select %moves, %moved, %rest : tile<64xi1>, tile<64xi32>
  %p0 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ps = broadcast %p0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %in_rest = cmpi less_than %floor, %ns, unsigned : tile<64xi32> -> tile<64xi1>
  %at_rest = offset %ps, %floor : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %a, %t0 = load_ptr_tko weak %at_rest, %in_rest, %zeros : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
  %in_quotient = cmpi less_than %quotient, %ns, unsigned : tile<64xi32> -> tile<64xi1>
  %at_quotient = offset %ps, %quotient : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %b, %t1 = load_ptr_tko weak %at_quotient, %in_quotient, %zeros : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
  %thousand = constant <i32: 1000> : tile<64xi32>
  %times = muli %b, %thousand : tile<64xi32>
  %sum = addi %a, %times : tile<64xi32>
  %q0 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
  %qs = broadcast %q0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %at = offset %qs, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %t2 = store_ptr_tko weak %at, %sum : tile<64xptr<i32>>, tile<64xi32> -> token
  return
}";

/// Runs it, with so many lanes in a tile, by a divisor, on so many numbers: whether lanes were divided one by one.
fn divide(lanes: i32, d: i32, n: i32) -> bool {
    const BLOCKS: i32 = 4;
    let text = DIVIDED.replace("INDEX", INDEX).replace("64x", &format!("{lanes}x")).replace("<i32: 64>", &format!("<i32: {lanes}>"));
    let plan = program(&text).plan("k").unwrap();
    assert!(plan.to_string().contains("1 * lane0) / c"), "{plan}");
    let number = |i: i32| i.wrapping_mul(i) % 997 + 1;
    let mut memory = Memory::new();
    let from = memory.add((0..n).flat_map(|i| number(i).to_le_bytes()).collect::<Vec<u8>>());
    let to = memory.add(vec![0; (4 * lanes * BLOCKS) as usize]);
    let scalar = |n: i32| Arg::Scalar(Scalar::I32, u64::from(n.cast_unsigned()));
    let args = [Arg::Pointer(memory.address(from)), Arg::Pointer(memory.address(to)), scalar(d), scalar(n)];
    let (_, profile) =
        launch_profiled(&plan, &mut memory, [BLOCKS.cast_unsigned(), 1, 1], &args, &LaunchOptions::new().threads(1)).unwrap();
    let at = |i: i32| if (0..n).contains(&i) { number(i) } else { 0 };
    let floor = |i: i32| i.div_euclid(d) - i32::from(d < 0 && i.rem_euclid(d) != 0);
    let expected: Vec<i32> = (0..lanes * BLOCKS).map(|i| at(i - d * floor(i)) + 1000 * at(floor(i))).collect();
    assert_eq!(crate::text::ints(memory.bytes(to)), expected, "by {d}, of {n}");
    profile.instructions.iter().flat_map(|instruction| &instruction.parts).any(|part| part.origin.mnemonic == "divi")
}

#[test]
fn indices_are_divided_by_what_a_launch_knows() {
    for (d, n) in [(2, 200), (3, 200), (15, 200), (16, 200), (40, 200), (64, 64), (1000, 256), (100, 50), (-7, 20), (1, 9)] {
        assert_eq!(divide(64, d, n), d < 1, "by {d}");
    }
}

/// A tile with thousands of quotients.
#[test]
fn long_tiles_are_cut_often() {
    assert!(!divide(1 << 17, 33, 5000));
}

/// Copies a row of numbers, each to where its row and column of a matrix of some columns are in another one of a pitch, both by a block of 64 for each of four
/// blocks, and adds those of a table that repeats.
const APART: &str = "
entry @k(%from: tile<ptr<i32>>, %table: tile<ptr<i32>>, %to: tile<ptr<i32>>, %columns: tile<i32>, %pitch: tile<i32>, %repeats: tile<i32>) {
  INDEX
  %c0 = reshape %columns : tile<i32> -> tile<1xi32>
  %cs = broadcast %c0 : tile<1xi32> -> tile<64xi32>
  %l0 = reshape %pitch : tile<i32> -> tile<1xi32>
  %ls = broadcast %l0 : tile<1xi32> -> tile<64xi32>
  %e0 = reshape %repeats : tile<i32> -> tile<1xi32>
  %es = broadcast %e0 : tile<1xi32> -> tile<64xi32>
  %row = divi %i, %cs unsigned : tile<64xi32>
  %column = remi %i, %cs unsigned : tile<64xi32>
  %place = remi %i, %es unsigned : tile<64xi32>
  %lines = muli %row, %ls : tile<64xi32>
  %goal = addi %lines, %column : tile<64xi32>
  %p0 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ps = broadcast %p0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %at = offset %ps, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %a, %t0 = load_ptr_tko weak %at : tile<64xptr<i32>> -> tile<64xi32>, token
  %s0 = reshape %table : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ss = broadcast %s0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %in = offset %ss, %place : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %b, %t1 = load_ptr_tko weak %in : tile<64xptr<i32>> -> tile<64xi32>, token
  %sum = addi %a, %b : tile<64xi32>
  %q0 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
  %qs = broadcast %q0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %there = offset %qs, %goal : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %t2 = store_ptr_tko weak %there, %sum : tile<64xptr<i32>>, tile<64xi32> -> token
  return
}";

/// Rows behind one another, apart from each other, and over one another, where the last lane that stores to a place is the one that stays; in plans for
/// blocks, for groups of them, and where each access is watched.
#[test]
fn rows_of_a_matrix_are_stored_in_the_order_of_lanes() {
    const ALL: i32 = 256;
    let plan = program(&APART.replace("INDEX", INDEX)).plan("k").unwrap();
    for (columns, pitch, repeats) in
        [(16, 16, 5), (40, 40, 7), (40, 50, 64), (40, 30, 3), (40, 0, 100), (1000, 7, 1), (64, 64, 32), (3, 5, 2)]
    {
        let mut expected = vec![0; 8192];
        for i in 0..ALL {
            expected[(i / columns * pitch + i % columns) as usize] = 3 * i + 1 + 1000 * (i % repeats);
        }
        for (options, watched) in
            [(LaunchOptions::new(), false), (LaunchOptions::new().group_blocks(GroupBlocks::Always), false), (LaunchOptions::new(), true)]
        {
            let mut memory = Memory::new();
            let bytes = |numbers: &mut dyn Iterator<Item = i32>| numbers.flat_map(i32::to_le_bytes).collect::<Vec<u8>>();
            let from = memory.add(bytes(&mut (0..ALL).map(|i| 3 * i + 1)));
            let table = memory.add(bytes(&mut (0..repeats).map(|i| 1000 * i)));
            let to = memory.add(vec![0; 4 * expected.len()]);
            let pointers = [from, table, to].map(|buffer| Arg::Pointer(memory.address(buffer)));
            let numbers = [columns, pitch, repeats].map(|n| Arg::Scalar(Scalar::I32, u64::from(n.cast_unsigned())));
            let (recorder, args) = (Recorder::default(), [&pointers[..], &numbers[..]].concat());
            let options = if watched { options.observer(&recorder) } else { options };
            launch(&plan, &mut memory, [4, 1, 1], &args, &options.threads(1)).unwrap();
            let found = crate::text::ints(memory.bytes(to));
            assert_eq!(found, expected, "{columns} columns, a pitch of {pitch}, {repeats} numbers, watched: {watched}");
        }
    }
}

/// The same the other way round: numbers of a matrix are loaded in one row. Lanes with the same quotient by a small number are runs of a box, cut where a block begins.
#[test]
fn rows_of_a_matrix_are_loaded_in_groups() {
    const ALL: i32 = 256;
    let text = APART
        .replace("INDEX", INDEX)
        .replace("%at = offset %ps, %i :", "%at = offset %ps, %goal :")
        .replace("%there = offset %qs, %goal :", "%there = offset %qs, %i :");
    let plan = program(&text).plan("k").unwrap();
    assert!(plan.to_string().contains(" / c"), "{plan}");
    for (columns, pitch) in [(2, 50), (2, 1), (3, 7), (4, 4), (5, 0), (7, 100), (15, 20), (16, 30), (50, 3), (1000, 9)] {
        let at = |i: i32| i / columns * pitch + i % columns;
        let number = |i: i32| 3 * i + 1;
        let expected: Vec<i32> = (0..ALL).map(|i| number(at(i)) + 1000 * (i % 9)).collect();
        for when in [GroupBlocks::Never, GroupBlocks::Always] {
            let mut memory = Memory::new();
            let bytes = |numbers: &mut dyn Iterator<Item = i32>| numbers.flat_map(i32::to_le_bytes).collect::<Vec<u8>>();
            // As many as there are, so that what is read behind them is found.
            let from = memory.add(bytes(&mut (0..=(0..ALL).map(at).max().unwrap()).map(number)));
            let table = memory.add(bytes(&mut (0..9).map(|i| 1000 * i)));
            let to = memory.add(vec![0; 4 * expected.len()]);
            let pointers = [from, table, to].map(|buffer| Arg::Pointer(memory.address(buffer)));
            let numbers = [columns, pitch, 9].map(|n| Arg::Scalar(Scalar::I32, u64::from(n.cast_unsigned())));
            let options = LaunchOptions::new().threads(1).group_blocks(when);
            launch(&plan, &mut memory, [4, 1, 1], &[&pointers[..], &numbers[..]].concat(), &options).unwrap();
            assert_eq!(crate::text::ints(memory.bytes(to)), expected, "{columns} columns, a pitch of {pitch}");
        }
    }
}

/// Takes the index of an element of a box apart, of so many columns and rows, and loads, or stores, where strides say of its column, row and plane that it is: if
/// that is among so many elements.
const DIGITS: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %columns: tile<i32>, %rows: tile<i32>, %s0: tile<i32>, %s1: tile<i32>, %s2: tile<i32>, %shift: tile<i32>, %room: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %n = constant <i32: 64> : tile<i32>
  %b0 = muli %bx, %n : tile<i32>
  %b1 = reshape %b0 : tile<i32> -> tile<1xi32>
  %b2 = broadcast %b1 : tile<1xi32> -> tile<64xi32>
  %lane = iota : tile<64xi32>
  %i = addi %b2, %lane : tile<64xi32>
  SPREAD
  %number = addi %i, %shift_ : tile<64xi32>
  %column = remi %number, %columns_ unsigned : tile<64xi32>
  %above = divi %number, %columns_ unsigned : tile<64xi32>
  %row = remi %above, %rows_ unsigned : tile<64xi32>
  %plane = divi %above, %rows_ unsigned : tile<64xi32>
  %x = muli %column, %s0_ : tile<64xi32>
  %y = muli %row, %s1_ : tile<64xi32>
  %z = muli %plane, %s2_ : tile<64xi32>
  %xy = addi %x, %y : tile<64xi32>
  %goal = addi %xy, %z : tile<64xi32>
  %inside = cmpi less_than %goal, %room_, unsigned : tile<64xi32> -> tile<64xi1>
  %all = constant <i1: true> : tile<64xi1>
  %p0 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %p = offset %p1, %READ : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %q0 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
  %q1 = broadcast %q0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %q = offset %q1, %WRITTEN : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %none = constant <i32: -1> : tile<64xi32>
  %a, %t0 = load_ptr_tko weak %p, %READABLE, %none : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
  %t1 = store_ptr_tko weak %q, %a, %WRITABLE : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> token
  return
}";

#[test]
fn digits_of_an_index_are_dimensions_of_boxes() {
    const ALL: usize = 512;
    let spread = |name: &str| {
        format!("%{name}0 = reshape %{name} : tile<i32> -> tile<1xi32>\n  %{name}_ = broadcast %{name}0 : tile<1xi32> -> tile<64xi32>\n  ")
    };
    let spread: String = ["columns", "rows", "s0", "s1", "s2", "shift", "room"].map(spread).concat();
    let kernel = |read: &str, written: &str| {
        let text = DIGITS.replace("SPREAD", &spread).replace("READABLE", if read == "goal" { "inside" } else { "all" });
        let text = text.replace("WRITABLE", if written == "goal" { "inside" } else { "all" });
        program(&text.replace("READ", read).replace("WRITTEN", written)).plan("k").unwrap()
    };
    let (gather, scatter) = (kernel("goal", "i"), kernel("i", "goal"));

    // Columns, rows, and the strides of each digit: in order, turned around, with the same places for several, and in sizes that divide a block or not.
    let radices = [[2, 8], [3, 5], [4, 16], [16, 4], [8, 8], [2, 33], [7, 3], [33, 2], [1, 4], [100, 3], [5, 1]];
    for ([columns, rows], shift, room) in radices.iter().flat_map(|radix| [(*radix, 0, 4096), (*radix, 5, 4096), (*radix, 64, 300)]) {
        let planes = 600 / (columns * rows) + 1;
        for strides in
            [[1, columns, columns * rows], [rows, 1, columns * rows], [planes * rows, planes, 1], [0, 1, rows], [1, 1, 1], [3, 0, 7]]
        {
            let goal = |i: usize| {
                let (above, column) = ((i + shift) / columns, (i + shift) % columns);
                column * strides[0] + above % rows * strides[1] + above / rows * strides[2]
            };
            let numbers = [columns, rows, strides[0], strides[1], strides[2], shift, room].map(|n| Arg::Scalar(Scalar::I32, n as u64));
            for when in [GroupBlocks::Never, GroupBlocks::Always] {
                let run = |plan, from: &[i32], to: usize| {
                    let mut memory = Memory::new();
                    let from = memory.add(from.iter().flat_map(|n| n.to_le_bytes()).collect());
                    let to = memory.add(vec![0; 4 * to]);
                    let args = [[from, to].map(|buffer| Arg::Pointer(memory.address(buffer))).as_slice(), &numbers].concat();
                    let options = LaunchOptions::new().threads(1).group_blocks(when);
                    launch(plan, &mut memory, [ALL as u32 / 64, 1, 1], &args, &options).unwrap();
                    crate::text::ints(memory.bytes(to))
                };
                let what = format!("{columns} columns, {rows} rows, {strides:?}, from {shift} on, {room} elements, {when:?}");
                let table: Vec<i32> = (0..room).map(|i| 3 * i as i32 + 1).collect();
                let expected: Vec<i32> = (0..ALL).map(|i| table.get(goal(i)).copied().unwrap_or(-1)).collect();
                assert_eq!(run(&gather, &table, ALL), expected, "{what}");
                let mut expected = vec![0; room];
                let row: Vec<i32> = (0..ALL as i32).map(|i| 5 * i + 2).collect();
                row.iter().enumerate().for_each(|(i, n)| {
                    if goal(i) < room {
                        expected[goal(i)] = *n
                    }
                });
                assert_eq!(run(&scatter, &row, room), expected, "{what}");
            }
        }
    }
}

/// Gathers a matrix by the quotients, or the remainders, of the places of a tile of 8 x 16 in a grid of such tiles, or backwards.
const SMALL_DIVISORS: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %height: tile<i32>, %width: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %sixteen = constant <i32: 16> : tile<i32>
  %y0 = muli %by, %eight : tile<i32>
  %x0 = muli %bx, %sixteen : tile<i32>
  %y1 = reshape %y0 : tile<i32> -> tile<1xi32>
  %y2 = broadcast %y1 : tile<1xi32> -> tile<8xi32>
  %x1 = reshape %x0 : tile<i32> -> tile<1xi32>
  %x2 = broadcast %x1 : tile<1xi32> -> tile<16xi32>
  %ys = iota : tile<8xi32>
  %xs = iota : tile<16xi32>
  %y3 = addi %y2, %ys : tile<8xi32>
  %x3 = addi %x2, %xs : tile<16xi32>
  %dy = constant <i32: SHIFT> : tile<8xi32>
  %y = addi %y3, %dy : tile<8xi32>
  %dx = constant <i32: SHIFT> : tile<16xi32>
  %x = addi %x3, %dx : tile<16xi32>
  %by_y = constant <i32: ROWS> : tile<8xi32>
  %by_x = constant <i32: COLUMNS> : tile<16xi32>
  %none_y = constant <i32: 0> : tile<8xi32>
  %minus_y = subi %none_y, %y : tile<8xi32>
  %row = divi %y, %by_y signed rounding<negative_inf> : tile<8xi32>
  %column = PART : tile<16xi32>
  %h0 = reshape %height : tile<i32> -> tile<1xi32>
  %h1 = broadcast %h0 : tile<1xi32> -> tile<8xi32>
  %w0 = reshape %width : tile<i32> -> tile<1xi32>
  %w1 = broadcast %w0 : tile<1xi32> -> tile<16xi32>
  %in_row = cmpi less_than %row, %h1, unsigned : tile<8xi32> -> tile<8xi1>
  %in_column = cmpi less_than %column, %w1, unsigned : tile<16xi32> -> tile<16xi1>
  %m0 = reshape %in_row : tile<8xi1> -> tile<8x1xi1>
  %m1 = broadcast %m0 : tile<8x1xi1> -> tile<8x16xi1>
  %m2 = reshape %in_column : tile<16xi1> -> tile<1x16xi1>
  %m3 = broadcast %m2 : tile<1x16xi1> -> tile<8x16xi1>
  %inside = andi %m1, %m3 : tile<8x16xi1>
  %w2 = broadcast %w0 : tile<1xi32> -> tile<8xi32>
  %pitches = muli %row, %w2 : tile<8xi32>
  %o0 = reshape %pitches : tile<8xi32> -> tile<8x1xi32>
  %o1 = broadcast %o0 : tile<8x1xi32> -> tile<8x16xi32>
  %o2 = reshape %column : tile<16xi32> -> tile<1x16xi32>
  %o3 = broadcast %o2 : tile<1x16xi32> -> tile<8x16xi32>
  %o = addi %o1, %o3 : tile<8x16xi32>
  %p0 = reshape %from : tile<ptr<i32>> -> tile<1x1xptr<i32>>
  %p1 = broadcast %p0 : tile<1x1xptr<i32>> -> tile<8x16xptr<i32>>
  %p = offset %p1, %o : tile<8x16xptr<i32>>, tile<8x16xi32> -> tile<8x16xptr<i32>>
  %none = constant <i32: -1> : tile<8x16xi32>
  %a, %t0 = load_ptr_tko weak %p, %inside, %none : tile<8x16xptr<i32>>, tile<8x16xi1>, tile<8x16xi32> -> tile<8x16xi32>, token
  %tensor = make_tensor_view %to, shape = [16, 48], strides = [48, 1] : tensor_view<16x48xi32, strides=[48,1]>
  %view = make_partition_view %tensor : partition_view<tile=(8x16), tensor_view<16x48xi32, strides=[48,1]>>
  %old, %t2 = load_view_tko weak %view[%by, %bx] : partition_view<tile=(8x16), tensor_view<16x48xi32, strides=[48,1]>>, tile<i32> -> tile<8x16xi32>, token
  COMPUTE
  %t1 = store_view_tko weak %goal, %view[%by, %bx] : tile<8x16xi32>, partition_view<tile=(8x16), tensor_view<16x48xi32, strides=[48,1]>>, tile<i32> -> token
  return
}";

/// What becomes of the tile that is gathered: how it is written, and as a function of a gathered number, one that was there, and the sum of the row that was gathered.
type Use = (&'static str, fn(i32, i32, i32) -> i32);

const USES: [Use; 3] = [
    ("%zero = constant <i32: 0> : tile<8x16xi32>\n  %goal = addi %a, %zero : tile<8x16xi32>", |a, _, _| a),
    ("%goal = addi %a, %old : tile<8x16xi32>", |a, old, _| a + old),
    (
        "%sums = reduce %a dim=1 identities=[0 : i32] : tile<8x16xi32> -> tile<8xi32>
  (%left: tile<i32>, %right: tile<i32>) {
    %both = addi %left, %right : tile<i32>
    yield %both : tile<i32>
  }
  %sums1 = reshape %sums : tile<8xi32> -> tile<8x1xi32>
  %sums2 = broadcast %sums1 : tile<8x1xi32> -> tile<8x16xi32>
  %goal = subi %sums2, %a : tile<8x16xi32>",
        |a, _, sum| sum - a,
    ),
];

#[test]
fn tiles_are_gathered_in_groups_and_backwards() {
    let parts = ["divi %x, %by_x signed rounding<negative_inf>", "divi %x, %by_x unsigned", "remi %x, %by_x signed", "subi %by_x, %x"];
    // Rows and columns of a group, and how far groups begin in front of tiles. Rows from a number backwards have it with a sign; so are columns that are not divided.
    let groups: [(i32, i32, i32); 10] =
        [(2, 2, 0), (1, 4, 0), (4, 1, 0), (8, 16, 0), (3, 2, 0), (2, 3, 0), (2, 2, 1), (2, 8, 16), (-9, 47, 0), (-15, 30, 1)];
    for (part, (rows, columns, shift)) in parts.iter().flat_map(|part| groups.map(|group| (*part, group))) {
        for (number, (uses, computed)) in USES.iter().enumerate() {
            let text = SMALL_DIVISORS.replace("PART", part).replace("ROWS", &rows.abs().to_string()).replace("COMPUTE", uses);
            let text = text.replace("COLUMNS", &columns.to_string()).replace("SHIFT", &shift.to_string());
            let text = if rows > 0 { text } else { text.replace("divi %y, %by_y signed rounding<negative_inf>", "addi %by_y, %minus_y") };
            let plan = program(&text).plan("k").unwrap();
            for (height, width) in [(16, 48), (8, 24), (5, 7), (1, 1)] {
                let table: Vec<i32> = (0..height * width).map(|i| 3 * i + 1).collect();
                let gathered = |y: i32, x: i32| {
                    let (y, x) = (y + shift, x + shift);
                    let row = if rows > 0 { y / rows } else { -rows - y };
                    let column = match &part[..4] {
                        "remi" => x % columns,
                        "subi" => columns - x,
                        _ => x / columns,
                    };
                    if (0..height).contains(&row) && (0..width).contains(&column) { table[(row * width + column) as usize] } else { -1 }
                };
                let sum = |y: i32, x: i32| (x / 16 * 16..x / 16 * 16 + 16).map(|x| gathered(y, x)).sum::<i32>();
                let places = (0..16).flat_map(|y| (0..48).map(move |x| (y, x)));
                let expected: Vec<i32> = places.map(|(y, x)| computed(gathered(y, x), 48 * y + x, sum(y, x))).collect();
                for when in [GroupBlocks::Never, GroupBlocks::Always] {
                    let mut memory = Memory::new();
                    let from = memory.add(table.iter().flat_map(|n| n.to_le_bytes()).collect());
                    let to = memory.add((0..16 * 48).flat_map(i32::to_le_bytes).collect());
                    let pointers = [from, to].map(|buffer| Arg::Pointer(memory.address(buffer)));
                    let args = [&pointers[..], &[height, width].map(|n| Arg::Scalar(Scalar::I32, n as u64))].concat();
                    launch(&plan, &mut memory, [3, 2, 1], &args, &LaunchOptions::new().threads(1).group_blocks(when)).unwrap();
                    let what = format!("{part} by {rows} and {columns}, from {shift} on, of {height} x {width}, use {number}, {when:?}");
                    assert_eq!(crate::text::ints(memory.bytes(to)), expected, "{what}");
                }
            }
        }
    }
}

/// A row of each block, of which so many numbers are there, so far behind the row before: a number less each, and all of the tile where they are not there.
const ROWS_IN_TILES: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %whole: tile<ptr<i32>>, %columns: tile<i32>, %pitch: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %lane = iota : tile<512xi32>
  %row = muli %bx, %pitch : tile<i32>
  %row0 = reshape %row : tile<i32> -> tile<1xi32>
  %row1 = broadcast %row0 : tile<1xi32> -> tile<512xi32>
  %i = addi %row1, %lane : tile<512xi32>
  %columns0 = reshape %columns : tile<i32> -> tile<1xi32>
  %columns1 = broadcast %columns0 : tile<1xi32> -> tile<512xi32>
  %inside = cmpi less_than %lane, %columns1, signed : tile<512xi32> -> tile<512xi1>
  %p0 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<512xptr<i32>>
  %p = offset %p1, %i : tile<512xptr<i32>>, tile<512xi32> -> tile<512xptr<i32>>
  %none = constant <i32: -7> : tile<512xi32>
  %a, %t0 = load_ptr_tko weak %p, %inside, %none : tile<512xptr<i32>>, tile<512xi1>, tile<512xi32> -> tile<512xi32>, token
  %one = constant <i32: 1> : tile<512xi32>
  %b = subi %a, %one : tile<512xi32>
  %q0 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
  %q1 = broadcast %q0 : tile<1xptr<i32>> -> tile<512xptr<i32>>
  %q = offset %q1, %i : tile<512xptr<i32>>, tile<512xi32> -> tile<512xptr<i32>>
  %t1 = store_ptr_tko weak %q, %b, %inside : tile<512xptr<i32>>, tile<512xi32>, tile<512xi1> -> token
  %length = constant <i32: 512> : tile<i32>
  %first = muli %bx, %length : tile<i32>
  %first0 = reshape %first : tile<i32> -> tile<1xi32>
  %first1 = broadcast %first0 : tile<1xi32> -> tile<512xi32>
  %j = addi %first1, %lane : tile<512xi32>
  %w0 = reshape %whole : tile<ptr<i32>> -> tile<1xptr<i32>>
  %w1 = broadcast %w0 : tile<1xptr<i32>> -> tile<512xptr<i32>>
  %w = offset %w1, %j : tile<512xptr<i32>>, tile<512xi32> -> tile<512xptr<i32>>
  %t2 = store_ptr_tko weak %w, %b : tile<512xptr<i32>>, tile<512xi32> -> token
  return
}";

#[test]
fn rows_may_be_shorter_than_their_tiles_and_lie_closer_together() {
    const ROWS: usize = 16;
    let plan = program(ROWS_IN_TILES).plan("k").unwrap();
    for (columns, pitch) in [(500, 500), (512, 512), (300, 300), (300, 400), (257, 260), (40, 40), (1, 1), (1, 600), (0, 0), (500, 300)] {
        let mut expected = vec![0; ROWS * 600];
        let mut whole = vec![-8; ROWS * 512];
        for (row, column) in (0..ROWS).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            expected[row * pitch + column] = (row * pitch + column) as i32 - 1;
            whole[row * 512 + column] = (row * pitch + column) as i32 - 1;
        }
        for when in [GroupBlocks::Never, GroupBlocks::Always] {
            let mut memory = Memory::new();
            let numbers = (0..expected.len() as i32).flat_map(i32::to_le_bytes).collect();
            let [from, to, all] = [numbers, vec![0; 4 * expected.len()], vec![0; 4 * whole.len()]].map(|bytes| memory.add(bytes));
            let pointers = [from, to, all].map(|buffer| Arg::Pointer(memory.address(buffer)));
            let args = [&pointers[..], &[columns, pitch].map(|n| Arg::Scalar(Scalar::I32, n as u64))].concat();
            launch(&plan, &mut memory, [ROWS as u32, 1, 1], &args, &LaunchOptions::new().threads(1).group_blocks(when)).unwrap();
            let what = format!("{columns} columns, {pitch} apart, {when:?}");
            assert_eq!(crate::text::ints(memory.bytes(to)), expected, "{what}");
            assert_eq!(crate::text::ints(memory.bytes(all)), whole, "{what}");
        }
    }
}

/// Sums of three tiles of numbers that are some apart, each so many times further than the one before: of one number, of its neighbours, or of every third one.
#[test]
fn windows_of_a_row_are_loaded_in_order() {
    let text = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %step: tile<i32>, %n: tile<i32>) {
  %lane = iota : tile<64xi32>
  %s0 = reshape %step : tile<i32> -> tile<1xi32>
  %s1 = broadcast %s0 : tile<1xi32> -> tile<64xi32>
  %n0 = reshape %n : tile<i32> -> tile<1xi32>
  %n1 = broadcast %n0 : tile<1xi32> -> tile<64xi32>
  %i = muli %lane, %s1 : tile<64xi32>
  %p0 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %none = constant <i32: -7> : tile<64xi32>
  %b0 = constant <i32: -3> : tile<64xi32>
  %b1 = constant <i32: 0> : tile<64xi32>
  %b2 = constant <i32: 6> : tile<64xi32>
LOADS
  %d = addi %a0, %a1 : tile<64xi32>
  %e = addi %d, %a2 : tile<64xi32>
  %q0 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
  %q1 = broadcast %q0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %q = offset %q1, %lane : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %t = store_ptr_tko weak %q, %e : tile<64xptr<i32>>, tile<64xi32> -> token
  return
}";
    let load = |number: usize| {
        "  %iN = addi %i, %bN : tile<64xi32>
  %mN = cmpi less_than %iN, %n1, unsigned : tile<64xi32> -> tile<64xi1>
  %pN_ = offset %p1, %iN : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %aN, %tN = load_ptr_tko weak %pN_, %mN, %none : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
"
        .replace('N', &number.to_string())
    };
    let plan = program(&text.replace("LOADS\n", &[0, 1, 2].map(load).concat())).plan("k").unwrap();
    for (step, n) in [(0, 1), (0, 100), (1, 100), (1, 64), (1, 3), (3, 250), (3, 180), (3, 0)] {
        let expected: Vec<i32> = (0..64)
            .map(|lane| [-3, 0, 6].map(|first| lane * step + first).map(|i| if (0..n).contains(&i) { 5 * i } else { -7 }).iter().sum())
            .collect();
        let mut memory = Memory::new();
        let from = memory.add((0..n).flat_map(|i| (5 * i).to_le_bytes()).collect());
        let to = memory.add(vec![0; 256]);
        let pointers = [from, to].map(|buffer| Arg::Pointer(memory.address(buffer)));
        let args = [&pointers[..], &[step, n].map(|n| Arg::Scalar(Scalar::I32, n as u64))].concat();
        launch(&plan, &mut memory, [1, 1, 1], &args, &LaunchOptions::new().threads(1)).unwrap();
        assert_eq!(crate::text::ints(memory.bytes(to)), expected, "every {step}th of {n}");
    }
}
