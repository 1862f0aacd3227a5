//! A launch that is told to end does so soon, wherever it is: long instructions look at the interrupt while they work.
//!
//! Nothing here depends on time: an interrupt counts how often it is looked at, and becomes set at one of these looks.

use crate::text::program_as_it_is;
use std::sync::{Arc, Mutex};
use tilewright_exec::{
    Access, AccessObserver, Arg, Interrupt, LaunchError, LaunchErrorKind, LaunchOptions, Memory, OutputSink, Plan, launch,
};

/// Rows and columns of a large tile.
const SIDE: usize = 1024;
const ELEMENTS: usize = SIDE * SIDE;
/// The most elements that an instruction works on between two looks.
const PART: usize = 1 << 16;
/// How often a block may look at the interrupt after it is set: where one piece of work ends and another one begins.
const MORE_LOOKS: u64 = 16;

/// Loads a large tile `%a`, and stores another one.
fn on_tiles(element: &str, result: &str, body: &str) -> String {
    let view = |name: &str, element: &str| {
        format!(
            "%{name}t = make_tensor_view %{name}, shape = [{SIDE}, {SIDE}], strides = [{SIDE}, 1] : tensor_view<{SIDE}x{SIDE}x{element}, strides=[{SIDE},1]>
            %{name}v = make_partition_view %{name}t : partition_view<tile=({SIDE}x{SIDE}), tensor_view<{SIDE}x{SIDE}x{element}, strides=[{SIDE},1]>>\n"
        )
    };
    let partition = |element: &str| {
        format!("partition_view<tile=({SIDE}x{SIDE}), tensor_view<{SIDE}x{SIDE}x{element}, strides=[{SIDE},1]>>, tile<i32>")
    };
    let (from, to) = (view("from", element), view("to", result));
    format!(
        "entry @k(%from: tile<ptr<{element}>>, %to: tile<ptr<{result}>>) {{
            %zero = constant <i32: 0> : tile<i32>
            {from} {to}
            %a, %t0 = load_view_tko weak %fromv[%zero, %zero] : {} -> tile<{SIDE}x{SIDE}x{element}>, token
            {}
            %t1 = store_view_tko weak %r, %tov[%zero, %zero] : tile<{SIDE}x{SIDE}x{result}>, {} -> token
            return
        }}",
        partition(element),
        body.replace("TILE", &format!("tile<{SIDE}x{SIDE}x{element}>")).replace("NUM", &format!("tile<{element}>")),
        partition(result),
    )
}

/// A number of each row, or column, repeated so that there is something to store.
fn spread(dim: usize, element: &str, fold: &str) -> String {
    let row = if dim == 0 { format!("1x{SIDE}") } else { format!("{SIDE}x1") };
    format!(
        "{fold}\n%row = reshape %s : tile<{SIDE}x{element}> -> tile<{row}x{element}>\n%r = broadcast %row : tile<{row}x{element}> -> TILE"
    )
}

fn fold(op: &str, dim: usize, zero: &str, element: &str, combine: &str, result: &str) -> String {
    format!("%s = {op} %a dim={dim} identities=[{zero} : {element}] : TILE -> {result} (%x: NUM, %y: NUM) {{ {combine} yield %z : NUM }}")
}

/// Runs one block on zeros.
fn run(plan: &Plan, interrupt: &Interrupt, options: LaunchOptions<'_>) -> Result<(), LaunchError> {
    let mut memory = Memory::new();
    let args: Vec<Arg> = plan.params().iter().map(|_| Arg::Pointer(place(&mut memory))).collect();
    launch(plan, &mut memory, [1, 1, 1], &args, &options.threads(1).interrupt(interrupt)).map(drop)
}

fn place(memory: &mut Memory<'_>) -> u64 {
    let buffer = memory.add(vec![0; 8 * ELEMENTS]);
    memory.address(buffer)
}

/// Checks that a launch looks at least so often while it runs, and ends soon wherever it is told to.
fn check(name: &str, text: &str, fewest: usize, options: impl Fn() -> LaunchOptions<'static>) {
    let plan = program_as_it_is(text).plan("k").unwrap_or_else(|error| panic!("{name}: {error}"));
    let never = Interrupt::after(u64::MAX);
    run(&plan, &never, options()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let looks = never.looks();
    assert!(looks >= fewest as u64, "{name}: {looks} looks, at least {fewest} are expected");
    for at in [2, 3, looks / 3, looks / 2, looks * 3 / 4, looks - 1] {
        let at = at.max(2);
        let interrupt = Interrupt::after(at);
        match run(&plan, &interrupt, options()) {
            Err(error) => assert_eq!(error.kind, LaunchErrorKind::Stopped, "{name}: {error}"),
            // The last look may come behind the last instruction.
            Ok(()) => assert!(at + 2 >= looks, "{name}: set at look {at} of {looks}, but the launch ended"),
        }
        let more = interrupt.looks() - at;
        assert!(more <= MORE_LOOKS, "{name}: {more} looks after the one at {at} of {looks}");
    }
}

fn check_on_tiles(name: &str, element: &str, body: &str, fewest: usize) {
    check(name, &on_tiles(element, element, body), fewest, LaunchOptions::new);
}

#[test]
fn copies_and_elementwise_operations_end() {
    let parts = ELEMENTS / PART;
    check_on_tiles("copy", "f32", "%r = permute %a [0, 1] : TILE -> TILE", parts / 2);
    check_on_tiles("transposition", "f32", "%r = permute %a [1, 0] : TILE -> TILE", parts / 2);
    check_on_tiles("one operation", "f32", "%r = addf %a, %a : TILE", parts / 2);
    check_on_tiles("several operations", "f32", "%b = mulf %a, %a : TILE\n%c = exp %b : TILE\n%r = addf %c, %a : TILE", parts / 2);
    let rounds = "%one = constant <i32: 1> : tile<i32>\n%many = constant <i32: 16> : tile<i32>
        %r = for %k in (%zero to %many, step %one) : tile<i32> iter_values(%c = %a) -> (TILE) {
            %b = mulf %c, %c : TILE\n%d = addf %b, %a : TILE\ncontinue %d : TILE
        }";
    check_on_tiles("rounds of operations", "f32", rounds, 16 * parts);
    check_on_tiles("definitions", "i64", "%b = divi %a, %a signed rounding<zero> : TILE\n%r = absi %b : TILE", parts);
    let cut = format!(
        "%h = extract %a[%zero, %zero] : TILE -> tile<{}x{SIDE}xf32>\n%r = cat %h, %h dim = 0 : tile<{0}x{SIDE}xf32>, tile<{0}x{SIDE}xf32> -> TILE",
        SIDE / 2
    );
    check_on_tiles("parts of a tile", "f32", &cut, parts / 2);
    let repacked = format!("%n = unpack %a : tile<{ELEMENTS}xi8> -> tile<{}xi4>", 2 * ELEMENTS);
    let repacked = format!("%f = reshape %a : TILE -> tile<{ELEMENTS}xi8>\n{}", repacked.replace("%a", "%f"));
    let packed = format!(
        "{repacked}\n%p = pack %n : tile<{}xi4> -> tile<{ELEMENTS}xi8>\n%r = reshape %p : tile<{ELEMENTS}xi8> -> TILE",
        2 * ELEMENTS
    );
    check_on_tiles("bits", "i8", &packed, 2 * parts);
    let asserted = format!(
        "%c = cmpi equal %a, %a, signed : TILE -> tile<{SIDE}x{SIDE}xi1>\nassert %c, \"equal\" : tile<{SIDE}x{SIDE}xi1>\n%r = addi %a, %a : TILE"
    );
    check_on_tiles("assertions", "i32", &asserted, parts);
}

#[test]
fn reductions_and_scans_end() {
    let parts = ELEMENTS / PART;
    let vector = format!("tile<{SIDE}xf32>");
    let sum = "%z = addf %x, %y : NUM";
    // No usual operation.
    let other = "%n = negf %y : NUM\n%m = negf %n : NUM\n%z = addf %x, %m : NUM";
    for (dim, combine) in [(0, sum), (1, sum), (0, other), (1, other)] {
        let name = format!("reduction along {dim} with {combine}");
        check_on_tiles(&name, "f32", &spread(dim, "f32", &fold("reduce", dim, "0.0", "f32", combine, &vector)), parts / 2);
        for reverse in [false, true] {
            let scan = fold("scan", dim, "0.0", "f32", combine, "TILE")
                .replace("identities", &format!("reverse={reverse} identities"))
                .replace("%s =", "%r =");
            check_on_tiles(&format!("scan, {reverse}, {name}"), "f32", &scan, parts / 2);
        }
    }
    // One long row.
    for (element, zero, combine) in [("f32", "0.0", sum), ("i64", "0", "%z = addi %x, %y : NUM"), ("f32", "0.0", "%z = minf %x, %y : NUM")]
    {
        let flat = format!("tile<{ELEMENTS}x{element}>");
        let row = format!("%f = reshape %a : TILE -> {flat}\n");
        let reduce = fold("reduce", 0, zero, element, combine, "NUM").replace("%a", "%f").replace("TILE", &flat);
        let body =
            format!("{row}{reduce}\n%one = reshape %s : NUM -> tile<1x1x{element}>\n%r = broadcast %one : tile<1x1x{element}> -> TILE");
        check_on_tiles(&format!("{element}, one row with {combine}"), element, &body, parts / 2);
        let scan = fold("scan", 0, zero, element, combine, "TILE")
            .replace("identities", "reverse=false identities")
            .replace("%a", "%f")
            .replace("TILE", &flat);
        check_on_tiles(
            &format!("{element}, scan of one row with {combine}"),
            element,
            &format!("{row}{scan}\n%r = reshape %s : {flat} -> TILE"),
            parts / 2,
        );
    }
    // A region that makes tiles: a loop.
    let tiles = "%x1 = reshape %x : NUM -> tile<1xf32>\n%y1 = reshape %y : NUM -> tile<1xf32>
        %both = cat %x1, %y1 dim = 0 : tile<1xf32>, tile<1xf32> -> tile<2xf32>
        %z = reduce %both dim=0 identities=[0.0 : f32] : tile<2xf32> -> NUM (%u: NUM, %v: NUM) { %w = addf %u, %v : NUM\n yield %w : NUM }";
    check_on_tiles("a fold that is a loop", "f32", &spread(0, "f32", &fold("reduce", 0, "0.0", "f32", tiles, &vector)), ELEMENTS / PART);
}

#[test]
fn products_end() {
    // So many products take as long as other work on one element.
    let parts = SIDE * SIDE * SIDE / 16 / PART / 4;
    let zeros = |element: &str, zero: &str| format!("%c = constant <{element}: {zero}> : tile<{SIDE}x{SIDE}x{element}>\n");
    let tile = |element: &str| format!("tile<{SIDE}x{SIDE}x{element}>");
    for (factor, sum) in
        [("f32", "f32"), ("f64", "f64"), ("tf32", "f32"), ("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("f8E4M3FN", "f32")]
    {
        let product = format!("{}%r = mmaf %a, %a, %c : {}, {}, {}", zeros(sum, "0.0"), tile(factor), tile(factor), tile(sum));
        // With AMX, eight times as many.
        let parts = if factor == "bf16" { parts / 8 } else { parts };
        check(&format!("product of {factor}"), &on_tiles(factor, sum, &product), parts, LaunchOptions::new);
        let turned = format!("%t = permute %a [1, 0] : TILE -> TILE\n{}", product.replace("%a, %a", "%t, %t"));
        check(&format!("product of {factor}, turned around"), &on_tiles(factor, sum, &turned), parts, LaunchOptions::new);
    }
    let bytes = format!("{}%r = mmai %a, %a, %c signed unsigned : {}, {}, {}", zeros("i32", "0"), tile("i8"), tile("i8"), tile("i32"));
    // Four at a time, or more with AMX.
    check("product of bytes", &on_tiles("i8", "i32", &bytes), parts / 8, LaunchOptions::new);
    let (left, right) = (format!("tile<{SIDE}x{}xf8E8M0FNU>", SIDE / 32), format!("tile<{}x{SIDE}xf8E8M0FNU>", SIDE / 32));
    let scaled = format!(
        "{}%ls = constant <f8E8M0FNU: 1.0> : {left}\n%rs = constant <f8E8M0FNU: 1.0> : {right}
        %r = mmaf_scaled %a, %a, %c, %ls, %rs : {}, {}, {}, {left}, {right}",
        zeros("f32", "0.0"),
        tile("f8E4M3FN"),
        tile("f8E4M3FN"),
        tile("f32")
    );
    check("scaled product", &on_tiles("f8E4M3FN", "f32", &scaled), parts, LaunchOptions::new);
    // Many small ones.
    let many = format!("tile<{}x4x4xf32>", ELEMENTS / 16);
    let batch = format!(
        "%b = reshape %a : TILE -> {many}\n%c = constant <f32: 0.0> : {many}\n%p = mmaf %b, %b, %c : {many}, {many}, {many}\n%r = reshape %p : {many} -> TILE"
    );
    check_on_tiles("many products", "f32", &batch, ELEMENTS / PART);
}

/// Body for the elements at `%p`, one for each place of a large tile; `scattered`: not side by side.
fn on_pointers(scattered: bool, body: &str) -> String {
    let n = ELEMENTS;
    let order = if scattered {
        format!("%seven = constant <i32: 7> : tile<{n}xi32>\n%o = xori %i, %seven : tile<{n}xi32>")
    } else {
        format!("%o = addi %i, %zeros : tile<{n}xi32>")
    };
    let body = body
        .replace("PTRS", &format!("tile<{n}xptr<i32>>"))
        .replace("MASK", &format!("tile<{n}xi1>"))
        .replace("INTS", &format!("tile<{n}xi32>"));
    format!(
        "entry @k(%from: tile<ptr<i32>>) {{
            %zeros = constant <i32: 0> : tile<{n}xi32>
            %i = iota : tile<{n}xi32>
            {order}
            %p0 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
            %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<{n}xptr<i32>>
            %p = offset %p1, %o : tile<{n}xptr<i32>>, tile<{n}xi32> -> tile<{n}xptr<i32>>
            %m = cmpi less_than_or_equal %i, %o, signed : tile<{n}xi32> -> tile<{n}xi1>
            {body}
            return
        }}"
    )
}

struct Nobody;

impl AccessObserver for Nobody {
    fn access(&self, _: &Access) {}
}

#[test]
fn accesses_end() {
    let parts = ELEMENTS / PART;
    let load = "%v, %t0 = load_ptr_tko weak %p : PTRS -> INTS, token\n%t1 = store_ptr_tko weak %p, %v : PTRS, INTS -> token";
    let masked = "%v, %t0 = load_ptr_tko weak %p, %m, %zeros : PTRS, MASK, INTS -> INTS, token\n%t1 = store_ptr_tko weak %p, %v, %m : PTRS, INTS, MASK -> token";
    let strong =
        "%v, %t0 = load_ptr_tko relaxed device %p : PTRS -> INTS, token\n%t1 = store_ptr_tko relaxed device %p, %v : PTRS, INTS -> token";
    let add = "%v, %t = atomic_rmw_tko relaxed device %p, add, %i : PTRS, INTS -> INTS, token";
    let exchange = "%v, %t = atomic_rmw_tko relaxed device %p, xchg, %i : PTRS, INTS -> INTS, token\n%t1 = store_ptr_tko weak %p, %v : PTRS, INTS -> token";
    for scattered in [false, true] {
        for body in [load, masked, strong, add, exchange] {
            let text = on_pointers(scattered, body);
            check(&format!("{scattered}: {body}"), &text, parts, LaunchOptions::new);
            // Weak accesses in rows are copied in parts, others are shown one by one.
            let in_rows = !scattered && body.contains(" weak ") && !body.contains("xchg");
            let parts = if in_rows { parts } else { 8 * parts };
            check(&format!("observed, {scattered}: {body}"), &text, parts, || LaunchOptions::new().observer(&Nobody));
        }
    }
    let add = "%t2 = atomic_red_view_tko relaxed device %tov[%zero, %zero], addf, %a : TILE, partition_view<tile=(1024x1024), tensor_view<1024x1024xf32, strides=[1024,1]>>, tile<i32> -> token\n%r = permute %a [0, 1] : TILE -> TILE";
    check_on_tiles("an atomic view", "f32", add, parts);
    let strong = on_tiles("f32", "f32", "%r = permute %a [0, 1] : TILE -> TILE").replace(" weak ", " relaxed device ");
    check("strong views", &strong, 2 * parts - 2, LaunchOptions::new);
    // Behind the edge of the tensor there is padding.
    let cut = on_tiles("f32", "f32", "%r = permute %a [1, 0] : TILE -> TILE")
        .replace("shape = [1024, 1024]", "shape = [1023, 1021]")
        .replace("tensor_view<1024x1024", "tensor_view<1023x1021");
    check(
        "tiles that are cut off",
        &cut.replace("tile=(1024x1024), tensor", "tile=(1024x1024), padding_value = zero, tensor"),
        parts,
        LaunchOptions::new,
    );
}

#[test]
fn printing_ends() {
    let text = on_pointers(false, "print_tko \"%d\", %i : INTS -> token");
    let sink = || LaunchOptions::new().output(OutputSink::new(Arc::new(Mutex::new(std::io::sink()))));
    check("a tile that is printed", &text, ELEMENTS / PART, sink);
}

#[test]
fn loops_end() {
    let text = on_pointers(
        false,
        "%one = constant <i32: 1> : tile<i32>\n%lots = constant <i32: 3000> : tile<i32>\n%none = constant <i32: 0> : tile<i32>
        for %n in (%none to %lots, step %one) : tile<i32> { %s = addi %n, %one : tile<i32>\nassert_later }",
    )
    .replace("assert_later", "%c = cmpi less_than %n, %s, signed : tile<i32> -> tile<i1>\nassert %c, \"more\" : tile<i1>\ncontinue");
    check("a loop", &text, 3000, LaunchOptions::new);
}

/// Windows of a tile that hangs over an edge, whose load is told to end: nothing is made of what it left undone.
#[test]
fn windows_that_were_not_loaded_are_not_read() {
    const N: usize = 1 << 18;
    let text = format!(
        "entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>) {{
            %i = iota : tile<{N}xi32>
            %minus = constant <i32: -1> : tile<{N}xi32>
            %plus = constant <i32: 1> : tile<{N}xi32>
            %n = constant <i32: {N}> : tile<{N}xi32>
            %none = constant <i32: 0> : tile<{N}xi32>
            %left = addi %i, %minus : tile<{N}xi32>
            %right = addi %i, %plus : tile<{N}xi32>
            %in0 = cmpi less_than %left, %n, unsigned : tile<{N}xi32> -> tile<{N}xi1>
            %in1 = cmpi less_than %right, %n, unsigned : tile<{N}xi32> -> tile<{N}xi1>
            %p0 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
            %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<{N}xptr<i32>>
            %pl = offset %p1, %left : tile<{N}xptr<i32>>, tile<{N}xi32> -> tile<{N}xptr<i32>>
            %pr = offset %p1, %right : tile<{N}xptr<i32>>, tile<{N}xi32> -> tile<{N}xptr<i32>>
            %a, %t0 = load_ptr_tko weak %pl, %in0, %none : tile<{N}xptr<i32>>, tile<{N}xi1>, tile<{N}xi32> -> tile<{N}xi32>, token
            %b, %t1 = load_ptr_tko weak %pr, %in1, %none : tile<{N}xptr<i32>>, tile<{N}xi1>, tile<{N}xi32> -> tile<{N}xi32>, token
            %c = addi %a, %b : tile<{N}xi32>
            %q0 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
            %q1 = broadcast %q0 : tile<1xptr<i32>> -> tile<{N}xptr<i32>>
            %q = offset %q1, %i : tile<{N}xptr<i32>>, tile<{N}xi32> -> tile<{N}xptr<i32>>
            %t2 = store_ptr_tko weak %q, %c : tile<{N}xptr<i32>>, tile<{N}xi32> -> token
            return
        }}"
    );
    let plan = program_as_it_is(&text).plan("k").unwrap();
    let number = |i: usize| if i < N { i as i32 + 1 } else { 0 };
    let run = |interrupt: &Interrupt| {
        let mut memory = Memory::new();
        let from = memory.add((0..N).flat_map(|i| number(i).to_le_bytes()).collect());
        let to = memory.add(vec![0; 4 * N]);
        let args = [from, to].map(|buffer| Arg::Pointer(memory.address(buffer)));
        let ended = launch(&plan, &mut memory, [1, 1, 1], &args, &LaunchOptions::new().threads(1).interrupt(interrupt)).is_ok();
        (ended, crate::text::ints(memory.bytes(to)))
    };
    let never = Interrupt::after(u64::MAX);
    assert!(run(&never).0);
    for at in 1..=never.looks() {
        let (ended, found) = run(&Interrupt::after(at));
        let all = found.iter().enumerate();
        let right = |(i, found): (usize, &i32)| *found == number(i.wrapping_sub(1)) + number(i + 1) || !ended && *found == 0;
        assert!(all.clone().all(right), "set at look {at} of {}", never.looks());
    }
}
