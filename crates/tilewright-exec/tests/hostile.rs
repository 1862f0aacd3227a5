//! Kernels that try to touch what they may not: through each kind of access, with extents, strides, indices, offsets and addresses that lie, on
//! buffers between pages that nobody may touch. A launch that does ends the process. Whatever it is told, the engine ends with the same result on
//! every machine that it plans for, native code and portable executor alike.
//!
//! `PROGRAMS=20000 cargo test -p tilewright-exec --test hostile` tries more.
#![cfg(unix)]

#[path = "../../tilewright-vector/tests/guarded/mod.rs"]
mod guarded;
mod text;

use guarded::{Guarded, Side};
use std::fmt::Write as _;
use tilewright_exec::{Arg, GroupBlocks, LaunchOptions, Level, Memory, Plan, Program, Protection, TargetMachine, launch};
use tilewright_ir::Scalar;

/// Elements that kernels are written for.
const ROOM: usize = 2048;

/// Random numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What kernels have besides two pointers: five numbers of 64 bits, which are extents, strides, indices and offsets.
const NUMBERS: usize = 5;

/// An entry on two buffers of elements of a type, and on numbers.
fn entry(element: &str, body: &str) -> String {
    let numbers = (0..NUMBERS).fold(String::new(), |mut text, n| {
        let _ = write!(text, ", %n{n}: tile<i64>");
        text
    });
    let body = body.replace("ELEM", element);
    let splat = |name: &str, ty: &str, shape: &str| {
        let (ones, rank) = (if shape.contains('x') { "1x1" } else { "1" }, shape);
        format!(
            "%{name}1 = reshape %{name} : tile<{ty}> -> tile<{ones}x{ty}>\n  %{name}s = broadcast %{name}1 : tile<{ones}x{ty}> -> tile<{rank}x{ty}>\n"
        )
    };
    let splats = ["n0", "n1", "n2"].map(|n| splat(n, "i64", "128")).concat();
    let pointers = ["from", "to"].map(|p| splat(p, &format!("ptr<{element}>"), "128")).concat();
    format!(
        "entry @k(%from: tile<ptr<{element}>>, %to: tile<ptr<{element}>>{numbers}) {{
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %i32 = iota : tile<128xi32>
  %i = exti %i32 unsigned : tile<128xi32> -> tile<128xi64>
  {splats}{pointers}{body}
  return
}}"
    )
}

/// A number that begins a tensor's extent, stride or index as 64 bits.
fn views(shape: &str, strides: &str, numbers: &str, tile: &str, extra: &str) -> String {
    let (ty, rank) = (if numbers.is_empty() { "" } else { " tile<i64> ->" }, shape.matches(',').count());
    let dynamic = if rank == 0 { "tensor_view<?xELEM, strides=[?]>" } else { "tensor_view<?x?xELEM, strides=[?,?]>" };
    let view = format!("partition_view<tile=({tile}), {extra}{dynamic}>");
    format!(
        "%x = make_tensor_view %from, shape = [{shape}], strides = [{strides}] :{ty} {dynamic}
  %y = make_tensor_view %to, shape = [{shape}], strides = [{strides}] :{ty} {dynamic}
  %xs = make_partition_view %x : {view}
  %ys = make_partition_view %y : {view}
"
    )
    .replace("VIEW", &view)
}

/// Kernels, a kind of access each.
fn kernels() -> Vec<(&'static str, String)> {
    let row = "partition_view<tile=(128), tensor_view<?xELEM, strides=[?]>>";
    let padded = "partition_view<tile=(128), padding_value = zero, tensor_view<?xELEM, strides=[?]>>";
    let square = "partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xELEM, strides=[?,?]>>";
    let body_1d = |view: &str, index: &str| {
        format!(
            "%a, %t0 = load_view_tko weak %xs[{index}] : {view}, tile<i32> -> tile<128xELEM>, token
  %b = ADD %a, %a : tile<128xELEM>
  %c = ADD %b, %a : tile<128xELEM>
  %t1 = store_view_tko weak %c, %ys[{index}] token = %t0 : tile<128xELEM>, {view}, tile<i32> -> token"
        )
    };
    let index = "%j = trunci %n3 : tile<i64> -> tile<i32>\n  ";
    let offsets = "%k = muli %i, %n0s : tile<128xi64>
  %o = addi %k, %n1s : tile<128xi64>
  %p = offset %froms, %o : tile<128xptr<ELEM>>, tile<128xi64> -> tile<128xptr<ELEM>>
  %q = offset %tos, %o : tile<128xptr<ELEM>>, tile<128xi64> -> tile<128xptr<ELEM>>
  %m = cmpi less_than %i, %n2s, signed : tile<128xi64> -> tile<128xi1>\n  ";
    let masked = "%z = constant <ELEM: ZERO> : tile<128xELEM>
  %a, %t0 = load_ptr_tko weak %p, %m, %z : tile<128xptr<ELEM>>, tile<128xi1>, tile<128xELEM> -> tile<128xELEM>, token
  %b = ADD %a, %a : tile<128xELEM>
  %t1 = store_ptr_tko weak %q, %b, %m token=%t0 : tile<128xptr<ELEM>>, tile<128xELEM>, tile<128xi1> -> token";
    // Indices lie at the begin of the first buffer.
    let indices = |ty: &str, most: u32| {
        format!(
            "%ip = ptr_to_ptr %from : tile<ptr<ELEM>> -> tile<ptr<{ty}>>
  %ip1 = reshape %ip : tile<ptr<{ty}>> -> tile<1xptr<{ty}>>
  %ips = broadcast %ip1 : tile<1xptr<{ty}>> -> tile<128xptr<{ty}>>
  %iq = offset %ips, %i : tile<128xptr<{ty}>>, tile<128xi64> -> tile<128xptr<{ty}>>
  %w, %t0 = load_ptr_tko weak %iq : tile<128xptr<{ty}>> -> tile<128x{ty}>, token
  %most = constant <{ty}: {most}> : tile<128x{ty}>
  %w1 = andi %w, %most : tile<128x{ty}>
  "
        )
    };
    let gathered = indices("i64", 1023)
        + "%w2 = muli %w1, %n1s : tile<128xi64>
  %g = offset %froms, %w2 : tile<128xptr<ELEM>>, tile<128xi64> -> tile<128xptr<ELEM>>
  %a, %t1 = load_ptr_tko weak %g token=%t0 : tile<128xptr<ELEM>> -> tile<128xELEM>, token
  %h = offset %tos, %i : tile<128xptr<ELEM>>, tile<128xi64> -> tile<128xptr<ELEM>>
  %t2 = store_ptr_tko weak %h, %a token=%t1 : tile<128xptr<ELEM>>, tile<128xELEM> -> token";
    let scattered = indices("i32", 2047)
        + "%g = offset %tos, %w1 : tile<128xptr<ELEM>>, tile<128xi32> -> tile<128xptr<ELEM>>
  %a, %t1 = load_ptr_tko weak %p token=%t0 : tile<128xptr<ELEM>> -> tile<128xELEM>, token
  %t2 = store_ptr_tko weak %g, %a, %m token=%t1 : tile<128xptr<ELEM>>, tile<128xELEM>, tile<128xi1> -> token";
    let atomic = "%a, %t0 = load_ptr_tko weak %p : tile<128xptr<ELEM>> -> tile<128xELEM>, token
  %old, %t1 = atomic_rmw_tko relaxed device %q, MODE, %a, %m token=%t0 : tile<128xptr<ELEM>>, tile<128xELEM>, tile<128xi1> -> tile<128xELEM>, token";
    let strong = "%a, %t0 = load_ptr_tko relaxed device %p : tile<128xptr<ELEM>> -> tile<128xELEM>, token
  %t1 = store_ptr_tko release device %q, %a token=%t0 : tile<128xptr<ELEM>>, tile<128xELEM> -> token";
    let two_d = |transposes: bool| {
        let (middle, stored, tile) = if transposes {
            ("%c = permute %b [1, 0] : tile<16x32xELEM> -> tile<32x16xELEM>", "tile<32x16xELEM>", "32x16")
        } else {
            ("%c = ADD %b, %a : tile<16x32xELEM>", "tile<16x32xELEM>", "16x32")
        };
        let to = square.replace("16x32", tile);
        format!(
            "{index}%x = make_tensor_view %from, shape = [%n0, %n1], strides = [%n2, %n4] : tile<i64> -> tensor_view<?x?xELEM, strides=[?,?]>
  %y = make_tensor_view %to, shape = [%n1, %n0], strides = [%n4, %n2] : tile<i64> -> tensor_view<?x?xELEM, strides=[?,?]>
  %xs = make_partition_view %x : {square}
  %ys = make_partition_view %y : {to}
  %a, %t0 = load_view_tko weak %xs[%bx, %j] : {square}, tile<i32> -> tile<16x32xELEM>, token
  %b = ADD %a, %a : tile<16x32xELEM>
  {middle}
  %t1 = store_view_tko weak %c, %ys[%j, %bx] token = %t0 : {stored}, {to}, tile<i32> -> token"
        )
    };
    let reduced = format!(
        "{index}%x = make_tensor_view %from, shape = [%n0, %n1], strides = [%n2, %n4] : tile<i64> -> tensor_view<?x?xELEM, strides=[?,?]>
  %y = make_tensor_view %to, shape = [%n1], strides = [%n4] : tile<i64> -> tensor_view<?xELEM, strides=[?]>
  %xs = make_partition_view %x : {square}
  %ys = make_partition_view %y : {}
  %a, %t0 = load_view_tko weak %xs[%j, %bx] : {square}, tile<i32> -> tile<16x32xELEM>, token
  %r = reduce %a dim=0 identities=[ZERO : ELEM] : tile<16x32xELEM> -> tile<32xELEM>
  (%u: tile<ELEM>, %v: tile<ELEM>) {{
    %w = ADD %u, %v : tile<ELEM>
    yield %w : tile<ELEM>
  }}
  %s = scan %r dim=0 reverse=false identities=[ZERO : ELEM] : tile<32xELEM> -> tile<32xELEM>
  (%u1: tile<ELEM>, %v1: tile<ELEM>) {{
    %w1 = ADD %u1, %v1 : tile<ELEM>
    yield %w1 : tile<ELEM>
  }}
  %t1 = store_view_tko weak %s, %ys[%bx] token = %t0 : tile<32xELEM>, {}, tile<i32> -> token",
        padded.replace("128", "32"),
        padded.replace("128", "32"),
    );
    let product = format!(
        "%tof = ptr_to_ptr %to : tile<ptr<ELEM>> -> tile<ptr<f32>>
  %three = constant <i32: 3> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %x = make_tensor_view %from, shape = [%n0, %n1], strides = [%n2, %n4] : tile<i64> -> tensor_view<?x?xELEM, strides=[?,?]>
  %y = make_tensor_view %tof, shape = [%n0, %n1], strides = [%n2, 1] : tile<i64> -> tensor_view<?x?xf32, strides=[?,1]>
  %xs = make_partition_view %x : {square}
  %zs = make_partition_view %x : {}
  %ys = make_partition_view %y : {}
  %zeros = constant <f32: 0.0> : tile<16x16xf32>
  %sum = for %k in (%zero to %three, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<16x16xf32>) {{
    %l, %lt = load_view_tko weak %xs[%bx, %k] : {square}, tile<i32> -> tile<16x32xELEM>, token
    %r, %rt = load_view_tko weak %zs[%k, %bx] : {}, tile<i32> -> tile<32x16xELEM>, token
    %next = mmaf %l, %r, %acc : tile<16x32xELEM>, tile<32x16xELEM>, tile<16x16xf32>
    continue %next : tile<16x16xf32>
  }}
  %t1 = store_view_tko weak %sum, %ys[%bx, %zero] : tile<16x16xf32>, {}, tile<i32> -> token",
        square.replace("16x32", "32x16"),
        "partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>",
        square.replace("16x32", "32x16"),
        "partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>",
    );
    let sparse = "gather_scatter_view<tile=(16x32), tensor_view<?x?xELEM, strides=[?,?]>, sparse_dim=0>";
    let rows = format!(
        "%x = make_tensor_view %from, shape = [%n0, %n1], strides = [%n2, %n4] : tile<i64> -> tensor_view<?x?xELEM, strides=[?,?]>
  %y = make_tensor_view %to, shape = [%n0, %n1], strides = [%n2, %n4] : tile<i64> -> tensor_view<?x?xELEM, strides=[?,?]>
  %xs = make_gather_scatter_view %x : {sparse}
  %ys = make_gather_scatter_view %y : {sparse}
  %r0 = iota : tile<16xi32>
  %j = trunci %n3 : tile<i64> -> tile<i32>
  %j1 = reshape %j : tile<i32> -> tile<1xi32>
  %js = broadcast %j1 : tile<1xi32> -> tile<16xi32>
  %r1 = muli %r0, %js : tile<16xi32>
  %a, %t0 = load_view_tko weak %xs[%r1, %bx] : {sparse}, tile<16xi32>, tile<i32> -> tile<16x32xELEM>, token
  %t1 = store_view_tko weak %a, %ys[%r0, %bx] token = %t0 : tile<16x32xELEM>, {sparse}, tile<16xi32>, tile<i32> -> token"
    );
    let added = format!(
        "{}{index}%a, %t0 = load_view_tko weak %xs[%bx] : {row}, tile<i32> -> tile<128xELEM>, token
  %t1 = atomic_red_view_tko relaxed device %ys[%j], MODE, %a token = %t0 : tile<128xELEM>, {row}, tile<i32> -> token",
        views("%n0", "%n1", "n", "128", "")
    );
    // Blocks side by side, of a tensor whose extent is in the type.
    let joined = |extent: usize| {
        let view = format!("partition_view<tile=(128), tensor_view<{extent}xELEM, strides=[1]>>");
        format!(
            "%x = make_tensor_view %from, shape = [{extent}], strides = [1] : tensor_view<{extent}xELEM, strides=[1]>
  %y = make_tensor_view %to, shape = [{extent}], strides = [1] : tensor_view<{extent}xELEM, strides=[1]>
  %xs = make_partition_view %x : {view}
  %ys = make_partition_view %y : {view}
  {}",
            body_1d(&view, "%bx")
        )
    };
    vec![
        ("rows", format!("{}{}", views("%n0", "%n1", "n", "128", ""), body_1d(row, "%bx"))),
        ("indexed rows", format!("{}{index}{}", views("%n0", "%n1", "n", "128", ""), body_1d(row, "%j"))),
        ("padded rows", format!("{}{}", views("%n0", "%n1", "n", "128", "padding_value = zero, "), body_1d(padded, "%bx"))),
        ("joined blocks", joined(ROOM)),
        ("joined blocks of a tensor that is too large", joined(1 << 20)),
        ("squares", two_d(false)),
        ("turned squares", two_d(true)),
        ("masked lanes", format!("{offsets}{masked}")),
        ("gathered lanes", format!("{offsets}{gathered}")),
        ("scattered lanes", format!("{offsets}{scattered}")),
        ("atomic lanes", format!("{offsets}{atomic}")),
        ("strong lanes", format!("{offsets}{strong}")),
        ("gathered rows", rows),
        ("added rows", added),
        ("reductions and scans", reduced),
        ("products", product),
    ]
}

/// The element types that a kernel is made of, with their addition.
fn types(name: &str) -> &'static [(&'static str, &'static str, &'static str, usize)] {
    const F32: (&str, &str, &str, usize) = ("f32", "addf", "0.0", 4);
    const F16: (&str, &str, &str, usize) = ("f16", "addf", "0.0", 2);
    const I32: (&str, &str, &str, usize) = ("i32", "addi", "0", 4);
    const I64: (&str, &str, &str, usize) = ("i64", "addi", "0", 8);
    const I8: (&str, &str, &str, usize) = ("i8", "addi", "0", 1);
    match name {
        "products" => &[F32, F16],
        "atomic lanes" | "added rows" => &[F32, I32, I64],
        "gathered lanes" | "scattered lanes" => &[F32, I64],
        "strong lanes" => &[F32, I64],
        _ => &[F32, F16, I32, I64, I8],
    }
}

/// The machines to plan for: this one, with and without native code, each level of its CPU, and any machine.
fn machines() -> Vec<TargetMachine> {
    let host = TargetMachine::host();
    let levels = [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter_map(TargetMachine::at);
    [host, host.without_native_code(), TargetMachine::portable()].into_iter().chain(levels.filter(|machine| *machine != host)).collect()
}

struct Kernel {
    name: String,
    is_float: bool,
    size: usize,
    plans: Vec<std::sync::Arc<Plan>>,
}

impl Kernel {
    /// What the buffers hold, with one NaN for all: which one comes out is not defined.
    fn without_nans(&self, outcome: &Outcome) -> [Vec<u8>; 2] {
        let is_nan = |element: &[u8]| match *element {
            [a, b] => u16::from_le_bytes([a, b]) & 0x7fff > 0x7c00,
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).is_nan(),
            _ => false,
        };
        // What products write is f32.
        let sizes = [self.size, if self.name.starts_with("products") { 4 } else { self.size }];
        let [from, to] = outcome.written.clone();
        [(from, sizes[0]), (to, sizes[1])].map(|(mut bytes, size)| {
            if self.is_float {
                bytes.chunks_mut(size).filter(|element| is_nan(element)).for_each(|element| element.fill(0xff));
            }
            bytes
        })
    }
}

fn planned() -> Vec<Kernel> {
    let mut planned = Vec::new();
    for (name, body) in kernels() {
        for (element, add, zero, size) in types(name) {
            let body = body.replace("ADD", add).replace("ZERO", zero).replace("MODE", if *add == "addf" { "addf" } else { "add" });
            let program: Program = text::program(&entry(element, &body));
            let plan = |machine: &TargetMachine| {
                program.copy_for(*machine).plan("k").unwrap_or_else(|error| panic!("{name} of {element}: {error}"))
            };
            let is_float = element.starts_with('f');
            planned.push(Kernel {
                name: format!("{name} of {element}"),
                is_float,
                size: *size,
                plans: machines().iter().map(plan).collect(),
            });
        }
    }
    planned
}

/// What a launch is told.
#[derive(Debug)]
struct Lies {
    /// Bytes of both buffers, at which end of their pages they lie, and whether the second may be written.
    bytes: [usize; 2],
    sides: [Side; 2],
    protection: Protection,
    /// How many bytes further than they begin they are said to begin; whether the second is said to be the first.
    further: [u64; 2],
    overlap: bool,
    numbers: [i64; NUMBERS],
    grid: [u32; 3],
    streams: bool,
    /// Whether blocks run in groups.
    groups: bool,
}

impl Lies {
    fn new(random: &mut Random, size: usize) -> Lies {
        const LIES: [i64; 18] = [
            -1,
            i64::MIN,
            i64::MAX,
            1 << 62,
            -(1 << 62),
            1 << 32,
            (1 << 32) + 1,
            (1 << 31) - 1,
            1 << 31,
            -(1 << 31),
            1 << 24,
            4096,
            2049,
            0,
            -64,
            1 << 61,
            i64::MAX / 8 + 1,
            127,
        ];
        let all = ROOM * size;
        let bytes = [(); 2].map(|()| match random.below(8) {
            0 => random.below(all),
            1 => random.below(64),
            2 => all - size,
            _ => all,
        });
        let mut number = |usual: &[i64]| match random.below(7) {
            0 => random.one_of(&LIES),
            1 => random.next() as i64 >> random.below(64),
            _ => random.one_of(usual),
        };
        let numbers = [
            number(&[2048, 1, 32, 64, 128, 16]),
            number(&[1, 32, 64, 2, 4, 0]),
            number(&[64, 1, 32, 128, 33]),
            number(&[0, 1, 2, 15]),
            number(&[1, 1, 2, 32, 64]),
        ];
        let side = |random: &mut Random| random.one_of(&[Side::Begin, Side::End, Side::End]);
        let further = |random: &mut Random| match random.below(8) {
            0 => random.one_of(&[size as u64, 1, 0u64.wrapping_sub(size as u64), 64, 1 << 40, u64::MAX, 1 << 63]),
            _ => 0,
        };
        Lies {
            bytes,
            sides: [side(random), side(random)],
            protection: if random.below(8) == 0 { Protection::ReadOnly } else { Protection::ReadWrite },
            further: [further(random), further(random)],
            overlap: random.below(8) == 0,
            numbers,
            grid: [random.one_of(&[1, 1, 2, 5, 16, 17, 40]), random.one_of(&[1, 1, 1, 3]), 1],
            streams: random.below(3) == 0,
            groups: random.below(2) == 0,
        }
    }

    /// Whether elements of a matrix that a kernel writes may share places: which of them is there in the end depends on the order in which a store goes
    /// through its tile.
    fn has_shared_places(&self, kernel: &str) -> bool {
        let [rows, columns, row, _, column] = self.numbers.map(i128::from);
        let is_matrix = ["squares", "turned squares", "gathered rows"].iter().any(|name| kernel.starts_with(name));
        // The other way round, as they are written turned, is the same.
        let apart = |inner: [i128; 2], outer: [i128; 2]| outer[1].abs() >= inner[0].max(1) * inner[1].abs();
        is_matrix && !apart([rows, row], [columns, column]) && !apart([columns, column], [rows, row])
    }
}

/// What became of a launch: what it said, and what the buffers hold.
#[derive(PartialEq, Debug)]
struct Outcome {
    verdict: Result<(), String>,
    written: [Vec<u8>; 2],
}

#[allow(unsafe_code, reason = "memory between guarding pages")]
fn run(plan: &Plan, lies: &Lies, seed: u64) -> Outcome {
    let mut random = Random(seed);
    let content = |random: &mut Random, bytes: usize| -> Vec<u8> {
        // Mostly small numbers, as indices are.
        (0..bytes.div_ceil(8)).flat_map(|_| (random.next() >> random.one_of(&[0, 32, 54, 54])).to_le_bytes()).take(bytes).collect()
    };
    let mut buffers = [0, 1].map(|i| Guarded::new(&content(&mut random, lies.bytes[i]), lies.sides[i]));
    let protections = [Protection::ReadOnly, lies.protection];
    let mut memory = Memory::new();
    let handles = [0, 1].map(|i| {
        // SAFETY: the bytes are there for longer than the memory, and nobody else uses them meanwhile.
        unsafe { memory.add_external(buffers[i].start(), buffers[i].len(), if lies.overlap { lies.protection } else { protections[i] }) }
    });
    let address = |i: usize| memory.address(handles[if lies.overlap { 0 } else { i }]).wrapping_add(lies.further[i]);
    let args: Vec<Arg> = [0, 1]
        .map(|i| Arg::Pointer(address(i)))
        .into_iter()
        .chain(lies.numbers.map(|number| Arg::Scalar(Scalar::I64, number.cast_unsigned())))
        .collect();
    let options = LaunchOptions::new().threads(1);
    let options = if lies.streams { options.last_cache(0) } else { options };
    // Blocks of a group read before any of them writes: where one writes what others read, that can be told.
    let when = if lies.groups && !lies.overlap { GroupBlocks::Always } else { GroupBlocks::Never };
    let options = options.group_blocks(when);
    let verdict = launch(plan, &mut memory, lies.grid, &args, &options).map(drop).map_err(|error| error.to_string());
    drop(memory);
    assert!(buffers.iter_mut().all(Guarded::is_alone), "memory beside a buffer was written");
    let written = buffers.each_mut().map(|buffer| buffer.bytes().to_vec());
    Outcome { verdict, written }
}

#[test]
fn kernels_touch_nothing_but_their_buffers() {
    let programs: u64 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    for kernel in planned() {
        let mut ended_well = 0;
        for seed in 0..programs {
            let mut random = Random(seed ^ kernel.name.bytes().fold(0, |hash, byte| hash << 5 ^ hash >> 59 ^ u64::from(byte)));
            let lies = Lies::new(&mut random, kernel.size);
            let expected = run(&kernel.plans[0], &lies, seed);
            ended_well += u64::from(expected.verdict.is_ok());
            for plan in &kernel.plans[1..] {
                let found = run(plan, &lies, seed);
                assert_eq!(found.verdict, expected.verdict, "{}, {:?}, seed {seed}: {lies:?}", kernel.name, plan.machine());
                // What a launch wrote before it failed depends on how many blocks ran as one.
                // Products are rounded twice where nothing fuses them with the sum.
                let is_rounded = kernel.name.starts_with("products") && plan.machine().level() == Level::Baseline;
                // Which blocks multiply together depends on their frames: where one writes what others read, that can be told.
                let races = kernel.name.starts_with("products") && lies.overlap || lies.has_shared_places(&kernel.name);
                let same =
                    expected.verdict.is_err() || is_rounded || races || kernel.without_nans(&found) == kernel.without_nans(&expected);
                assert!(same, "{}, {:?}, seed {seed}: other results\n{lies:?}", kernel.name, plan.machine());
            }
        }
        let range = programs / 20..programs - programs / 20;
        assert!(range.contains(&ended_well), "{}: {ended_well} of {programs} launches end well, which shows little", kernel.name);
    }
}
