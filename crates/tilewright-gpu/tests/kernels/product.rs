//! Products by tensor cores, and what carries their sums.

use crate::support::{kernel, module, run};
use tilewright_gpu::Target;

/// A term of the factors: element `i` of the left one is `i mod 7`, of the right one `i mod 5`.
const MODULI: [usize; 2] = [7, 5];
const ROWS: usize = 32;
const TERMS: usize = 64;
const COLUMNS: usize = 16;

/// Adds three times the product of numbers that an element type holds, and stores the sums as `i32` at `%p`.
fn text(elem: &str, sum: &str, factor: &str, product: &str, number: &str) -> String {
    let tile = |rows: usize, columns: usize, elem: &str| format!("tile<{rows}x{columns}x{elem}>");
    let (lhs, rhs, sums) = (tile(ROWS, TERMS, elem), tile(TERMS, COLUMNS, elem), tile(ROWS, COLUMNS, sum));
    let side = |name: &str, modulus: usize, rows: usize, columns: usize| {
        let (count, ints) = (rows * columns, tile(rows, columns, "i32"));
        let made = factor.replace("{from}", &format!("%{name}2")).replace("{ints}", &ints).replace("{to}", &tile(rows, columns, elem));
        format!(
            "%{name}0 = iota : tile<{count}xi32>
             %{name}m = constant <i32: {modulus}> : tile<{count}xi32>
             %{name}1 = remi %{name}0, %{name}m unsigned : tile<{count}xi32>
             %{name}2 = reshape %{name}1 : tile<{count}xi32> -> {ints}
             %{name} = {made}\n"
        )
    };
    let (lhs_code, rhs_code) = (side("a", MODULI[0], ROWS, TERMS), side("b", MODULI[1], TERMS, COLUMNS));
    let view = format!("tensor_view<{ROWS}x{COLUMNS}xi32, strides=[{COLUMNS},1]>");
    let ints = tile(ROWS, COLUMNS, "i32");
    let number = number.replace("{from}", "%r").replace("{sums}", &sums).replace("{ints}", &ints);
    format!(
        "entry @k(%p: tile<ptr<i32>>) {{
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %three = constant <i32: 3> : tile<i32>
            {lhs_code} {rhs_code}
            %z = constant <{sum}: {nothing}> : {sums}
            %r = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%acc = %z) -> ({sums}) {{
                %n = {product} %a, %b, %acc {signs}: {lhs}, {rhs}, {sums}
                continue %n : {sums}
            }}
            %s = {number}
            %v = make_tensor_view %p, shape = [{ROWS}, {COLUMNS}], strides = [{COLUMNS}, 1] : tile<ptr<i32>> -> {view}
            %w = make_partition_view %v : partition_view<tile=({ROWS}x{COLUMNS}), {view}>
            %t0 = make_token : token
            %t1 = store_view_tko weak %s, %w[%zero, %zero] token = %t0 : {ints}, partition_view<tile=({ROWS}x{COLUMNS}), {view}>, tile<i32> -> token
            return
        }}",
        nothing = if sum == "i32" { "0" } else { "0.0" },
        signs = if product == "mmai" { "signed unsigned " } else { "" },
    )
}

#[test]
fn products_are_by_tensor_cores_and_right() {
    let float = "itof {from} unsigned : {ints} -> {to}";
    let back = "ftoi {from} signed : {sums} -> {ints}";
    let cases = [
        ("f16", "f32", float, "mmaf", back),
        ("bf16", "f32", float, "mmaf", back),
        ("tf32", "f32", float, "mmaf", back),
        ("f64", "f64", float, "mmaf", back),
        // All numbers of f8 are numbers of f16.
        ("f8E4M3FN", "f32", float, "mmaf", back),
        ("f8E5M2", "f32", float, "mmaf", back),
        ("i8", "i32", "trunci {from} : {ints} -> {to}", "mmai", "addi {from}, {from} : {ints}"),
    ];
    for (elem, sum, factor, product, number) in cases {
        let text = text(elem, sum, factor, product, number);
        let ptx = kernel(&text, Target::Sm80).ptx();
        assert!(ptx.contains("mma.sync.aligned.m"), "{ptx}");
        let at = |row: usize, column: usize| -> usize {
            let term = |k: usize| (row * TERMS + k) % MODULI[0] * ((k * COLUMNS + column) % MODULI[1]);
            (0..TERMS).map(term).sum::<usize>() * if product == "mmai" { 6 } else { 3 }
        };
        let expected: Vec<u8> = (0..ROWS * COLUMNS).flat_map(|i| (at(i / COLUMNS, i % COLUMNS) as i32).to_le_bytes()).collect();
        for seed in 0..3 {
            let mut buffer = vec![0xff; 4 * ROWS * COLUMNS];
            run(&text, Target::Sm80, [1, 1, 1], &mut buffer, seed);
            assert!(buffer == expected, "products of {elem}:\n{ptx}");
        }
    }
}

#[test]
fn loops_carry_sums_as_fragments() {
    let text = text("f16", "f32", "itof {from} unsigned : {ints} -> {to}", "mmaf", "ftoi {from} signed : {sums} -> {ints}");
    let ptx = kernel(&text, Target::Sm80).ptx();
    let products: Vec<&str> = ptx.lines().filter(|line| line.contains("mma.sync")).collect();
    // 32 x 16 sums are one fragment of each of four warps; 64 terms are four products.
    assert_eq!(products.len(), 4, "{ptx}");
    let (first, last) = (ptx.find("mma.sync").expect("there is one"), ptx.rfind("mma.sync").expect("there is one"));
    assert!(!ptx[first..last].contains("shared"), "sums stay in registers: {ptx}");
}

#[test]
fn products_without_tensor_cores_have_no_bank_conflicts() {
    for (elem, sum) in [("f32", "f32"), ("f16", "f16")] {
        let float = "itof {from} unsigned : {ints} -> {to}";
        let text = text(elem, sum, float, "mmaf", "ftoi {from} signed : {sums} -> {ints}");
        // Sixteen rows of eight columns are a product of tensor cores, if those take its type; eight of eight are not.
        let text = if elem == "f16" { text.replace("32x16", "8x16").replace("32x64", "8x64") } else { text };
        let text =
            if elem == "f16" { text.replace("<2048x", "<512x").replace("[32, 16]", "[8, 16]").replace("(32x16)", "(8x16)") } else { text };
        let mut buffer = vec![0; 4 * ROWS * COLUMNS];
        let ptx = kernel(&text, Target::Sm80).ptx();
        assert!(!ptx.contains("mma.sync"), "{ptx}");
        let report = run(&text, Target::Sm80, [1, 1, 1], &mut buffer, 1);
        assert_eq!(report.shared.conflicts, 0, "products of {elem}");
        // Four terms of a row at once.
        assert!(ptx.contains("ld.shared.v4.f32"), "{ptx}");
    }
}

/// More rows than a step of the inner dimension has room for in what changes of layout use at once.
#[test]
fn a_product_of_many_rows_is_right() {
    let text = "entry @k(%p: tile<ptr<f32>>) {
        %n = iota : tile<16384xi32>
        %l0 = itof %n unsigned : tile<16384xi32> -> tile<16384xf32>
        %l = reshape %l0 : tile<16384xf32> -> tile<16384x1xf32>
        %m = iota : tile<4xi32>
        %r0 = itof %m unsigned : tile<4xi32> -> tile<4xf32>
        %r = reshape %r0 : tile<4xf32> -> tile<1x4xf32>
        %z = constant <f32: 1.0> : tile<16384x4xf32>
        %s = mmaf %l, %r, %z : tile<16384x1xf32>, tile<1x4xf32>, tile<16384x4xf32>
        %zero = constant <i32: 0> : tile<i32>
        %v = make_tensor_view %p, shape = [16384, 4], strides = [4, 1] : tile<ptr<f32>> -> tensor_view<16384x4xf32, strides=[4,1]>
        %w = make_partition_view %v : partition_view<tile=(16384x4), tensor_view<16384x4xf32, strides=[4,1]>>
        %t0 = make_token : token
        %t1 = store_view_tko weak %s, %w[%zero, %zero] token = %t0 : tile<16384x4xf32>, partition_view<tile=(16384x4), tensor_view<16384x4xf32, strides=[4,1]>>, tile<i32> -> token
        return
    }";
    let mut buffer = vec![0; 4 << 16];
    run(text, Target::Sm80, [1; 3], &mut buffer, 1);
    let expected: Vec<u8> = (0..1 << 16).flat_map(|i| ((i / 4 * (i % 4) + 1) as f32).to_le_bytes()).collect();
    assert!(buffer == expected);
    let refused = tilewright_gpu::compile(&module(&text.replace("16384", "65536")), "k", Target::Sm80).expect_err("it is refused");
    assert!(refused.to_string().contains("a product of so many rows and columns"), "{refused}");
}
