//! Loads of loops go through shared memory in stages, where their tiles are factors and nothing in the loop orders them.

use crate::support::{assembles, kernel, run};
use tilewright_gpu::Target;

/// A product of `extents` (rows, terms, columns) in tiles of `tiles`, one block for each tile of the sums; factors are at `%p` and 65,536 bytes behind,
/// the sums, as `i32`, behind these. The right factor lies by columns, if it is `turned`.
#[derive(Clone)]
struct Product {
    elem: &'static str,
    extents: [usize; 3],
    tiles: [usize; 3],
    pointer: &'static str,
    turned: bool,
    /// What the loop's number is multiplied by: it counts in steps of as many.
    step: usize,
    /// What stands in front of the loads in the loop, and the token that they take.
    first: &'static str,
    token: &'static str,
}

const PLAIN: Product = Product {
    elem: "f16",
    extents: [64, 160, 64],
    tiles: [32, 32, 32],
    pointer: "div_by<16>",
    turned: false,
    step: 1,
    first: "",
    token: "t",
};

impl Product {
    fn text(&self) -> String {
        let Product { elem, extents: [m, k, n], tiles: [tm, tk, tn], pointer, turned, step, first, token } = self;
        let sum = if *elem == "i8" { "i32" } else { "f32" };
        let held = if *elem == "tf32" { "f32" } else { elem };
        let far = 65_536 / size(elem);
        let a = format!("tensor_view<{m}x{k}x{held}, strides=[{k},1]>");
        let (b_strides, b_shape) = if *turned { (format!("1,{k}"), format!("{k}x{n}")) } else { (format!("{n},1"), format!("{k}x{n}")) };
        let b = format!("tensor_view<{b_shape}x{held}, strides=[{b_strides}]>");
        let c = format!("tensor_view<{m}x{n}xi32, strides=[{n},1]>");
        let (pa, pb) = (
            format!("partition_view<tile=({tm}x{tk}), padding_value = zero, {a}>"),
            format!("partition_view<tile=({tk}x{tn}), padding_value = zero, {b}>"),
        );
        let pc = format!("partition_view<tile=({tm}x{tn}), {c}>");
        let sums = format!("tile<{tm}x{tn}x{sum}>");
        let (lhs, rhs) = (format!("tile<{tm}x{tk}x{elem}>"), format!("tile<{tk}x{tn}x{elem}>"));
        let (lhs_held, rhs_held) = (format!("tile<{tm}x{tk}x{held}>"), format!("tile<{tk}x{tn}x{held}>"));
        let converted = if *elem == "tf32" {
            format!("%l = ftof %l0 : {lhs_held} -> {lhs}\n%r = ftof %r0 : {rhs_held} -> {rhs}")
        } else {
            String::new()
        };
        let (l, r) = if *elem == "tf32" { ("l0", "r0") } else { ("l", "r") };
        let product = if sum == "i32" { "mmai %l, %r, %acc signed signed" } else { "mmaf %l, %r, %acc" };
        let number = if sum == "i32" {
            format!("%s = addi %sum, %nothing : {sums}")
        } else {
            format!("%s = ftoi %sum signed : {sums} -> tile<{tm}x{tn}xi32>")
        };
        let nothing = if sum == "i32" { "0" } else { "0.0" };
        format!(
            "entry @k(%p0: tile<ptr<{held}>>) {{
                %p = assume {pointer}, %p0 : tile<ptr<{held}>>
                %far = constant <i32: {far}> : tile<i32>
                %q = offset %p, %far : tile<ptr<{held}>>, tile<i32> -> tile<ptr<{held}>>
                %u0 = offset %q, %far : tile<ptr<{held}>>, tile<i32> -> tile<ptr<{held}>>
                %u = ptr_to_ptr %u0 : tile<ptr<{held}>> -> tile<ptr<i32>>
                %va = make_tensor_view %p, shape = [{m}, {k}], strides = [{k}, 1] : tile<ptr<{held}>> -> {a}
                %vb = make_tensor_view %q, shape = [{k}, {n}], strides = [{b_strides}] : tile<ptr<{held}>> -> {b}
                %vc = make_tensor_view %u, shape = [{m}, {n}], strides = [{n}, 1] : tile<ptr<i32>> -> {c}
                %wc = make_partition_view %vc : {pc}
                %t = make_token : token
                %x, %y, %z = get_tile_block_id : tile<i32>
                %zero = constant <i32: 0> : tile<i32>
                %step = constant <i32: {step}> : tile<i32>
                %count = constant <i32: {count}> : tile<i32>
                %nothing = constant <{sum}: {nothing}> : {sums}
                %sum, %last = for %i in (%zero to %count, step %step) : tile<i32> iter_values(%acc = %nothing, %carried = %t) -> ({sums}, token) {{
                    {first}
                    %round = divi %i, %step signed rounding<zero> : tile<i32>
                    %wa = make_partition_view %va : {pa}
                    %wb = make_partition_view %vb : {pb}
                    %{l}, %t1 = load_view_tko weak %wa[%x, %round] token = %{token} : {pa}, tile<i32> -> {lhs_held}, token
                    %{r}, %t2 = load_view_tko weak %wb[%round, %y] token = %{token} : {pb}, tile<i32> -> {rhs_held}, token
                    {converted}
                    %both = join_tokens %t1, %t2 : token
                    %more = {product} : {lhs}, {rhs}, {sums}
                    continue %more, %both : {sums}, token
                }}
                {number}
                %t3 = store_view_tko weak %s, %wc[%x, %y] token = %t : tile<{tm}x{tn}xi32>, {pc}, tile<i32> -> token
                return
            }}",
            count = k.div_ceil(*tk) * step,
        )
    }

    /// Factors of small whole numbers, and the sums of their product.
    fn numbers(&self) -> (Vec<u8>, Vec<u8>) {
        let [m, k, n] = self.extents;
        let number = |i: usize| (i * 7 + i / 5) % 4;
        let (lhs, rhs) = (|i: usize, j: usize| number(i * k + j), |i: usize, j: usize| number(3 + i * n + j));
        let mut bytes = vec![0; 131_072 + 4 * m * n];
        let mut put = |at: usize, value: usize| {
            let encoded: Vec<u8> = match self.elem {
                "i8" => vec![value as u8],
                "f8E4M3FN" => vec![[0, 0x38, 0x40, 0x44][value]],
                "f8E5M2" => vec![[0, 0x3c, 0x40, 0x42][value]],
                "f16" => [0u16, 0x3c00, 0x4000, 0x4200][value].to_le_bytes().to_vec(),
                "bf16" => [0u16, 0x3f80, 0x4000, 0x4040][value].to_le_bytes().to_vec(),
                _ => (value as f32).to_le_bytes().to_vec(),
            };
            bytes[at * size(self.elem)..][..size(self.elem)].copy_from_slice(&encoded);
        };
        (0..m * k).for_each(|i| put(i, lhs(i / k, i % k)));
        for (row, column) in (0..k * n).map(|i| (i / n, i % n)) {
            put(65_536 / size(self.elem) + if self.turned { column * k + row } else { row * n + column }, rhs(row, column));
        }
        let sum = |i: usize| (0..k).map(|term| lhs(i / n, term) * rhs(term, i % n)).sum::<usize>() as i32;
        let expected = (0..m * n).flat_map(|i| sum(i).to_le_bytes()).collect();
        (bytes, expected)
    }

    /// Runs it in a few orders of warps and blocks; gives the PTX.
    fn check(&self, target: Target) -> String {
        let (text, (bytes, expected)) = (self.text(), self.numbers());
        let ptx = kernel(&text, target).ptx();
        let [m, _, n] = self.extents;
        let grid = [m.div_ceil(self.tiles[0]) as u32, n.div_ceil(self.tiles[2]) as u32, 1];
        for seed in 0..3 {
            let mut buffer = bytes.clone();
            let report = run(&text, target, grid, &mut buffer, seed);
            assert!(buffer[131_072..] == expected, "{}: {:?} in {:?}\n{ptx}", self.elem, self.extents, self.tiles);
            assert_eq!(report.shared.conflicts, 0, "{}: {:?} in {:?}\n{ptx}", self.elem, self.extents, self.tiles);
        }
        ptx
    }
}

fn size(elem: &str) -> usize {
    match elem {
        "i8" | "f8E4M3FN" | "f8E5M2" => 1,
        "tf32" => 4,
        _ => 2,
    }
}

/// The forms of asynchronous copies, with their bytes.
fn copies(ptx: &str) -> Vec<String> {
    let copies = ptx.lines().filter(|line| line.contains("cp.async.c") && line.contains("global"));
    let form = |line: &str| line.split("], ").nth(2).and_then(|rest| rest.split([',', ';']).next()).unwrap_or_default().to_owned();
    let mut forms: Vec<String> = copies.map(form).collect();
    forms.sort();
    forms.dedup();
    forms
}

#[test]
fn factors_of_every_type_come_through_stages_and_are_right() {
    for (elem, turned) in ["f16", "bf16", "tf32", "i8"].into_iter().flat_map(|elem| [(elem, false), (elem, true)]) {
        let ptx = Product { elem, turned, ..PLAIN }.check(Target::Sm80);
        assert!(ptx.contains("cp.async.wait_group 2;"), "{elem}: {ptx}");
        assert!(!ptx.contains("ld.global"), "{elem}: {ptx}");
        assert!(copies(&ptx).iter().all(|bytes| ["8", "16"].contains(&bytes.as_str())), "{elem}: {:?}", copies(&ptx));
    }
}

#[test]
fn products_of_f8_are_by_tensor_cores() {
    for (elem, format) in [("f8E4M3FN", "e4m3"), ("f8E5M2", "e5m2")] {
        let product = Product { elem, tiles: [32, 64, 32], ..PLAIN };
        let ptx = product.check(Target::Sm89);
        assert!(ptx.contains(&format!("mma.sync.aligned.m16n8k32.row.col.f32.{format}.{format}.f32")) && ptx.contains("cp.async"), "{ptx}");
        // Where these have none, numbers of f8 are multiplied as numbers of f16.
        let ptx = product.check(Target::Sm86);
        assert!(ptx.contains("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") && ptx.contains("cp.async"), "{ptx}");
    }
}

#[test]
fn tiles_of_many_shapes_at_the_edges_of_tensors_are_right() {
    for tiles in [[16, 16, 8], [16, 64, 16], [64, 16, 128], [128, 32, 64], [32, 64, 32]] {
        for extents in [[64, 160, 64], [72, 88, 56], [8, 8, 8], [40, 96, 24], [16, 400, 16]] {
            Product { tiles, extents, ..PLAIN }.check(Target::Sm80);
        }
    }
}

#[test]
fn copies_are_as_wide_as_alignment_allows() {
    let of = |pointer, extents| copies(&Product { pointer, extents, ..PLAIN }.check(Target::Sm80));
    assert_eq!(of("div_by<16>", [64, 160, 64]), ["16"]);
    assert_eq!(of("div_by<8>", [64, 160, 64]), ["8"]);
    assert_eq!(of("div_by<4>", [64, 160, 64]), ["4"]);
    assert_eq!(of("div_by<16>", [64, 162, 64]), ["16", "4"], "rows of the left factor begin at multiples of 4 bytes");
    // Not even 4 bytes: these are loaded when they are needed.
    assert!(of("div_by<2>", [64, 160, 64]).is_empty());
    let odd = Product { extents: [64, 161, 63], ..PLAIN }.check(Target::Sm80);
    assert!(!odd.contains("cp.async") && odd.contains("ld.global.u16"), "{odd}");
}

#[test]
fn numbers_of_loops_that_step_are_right() {
    for step in [2, 3, 1 << 20] {
        let ptx = Product { step, ..PLAIN }.check(Target::Sm80);
        assert!(ptx.contains("cp.async"), "{ptx}");
    }
}

#[test]
fn there_are_as_many_stages_as_fit() {
    // 64 KiB of each, of which two blocks fit a multiprocessor.
    let big = Product { elem: "tf32", extents: [64, 160, 64], tiles: [128, 32, 128], ..PLAIN };
    for (target, stages, bytes) in [(Target::Sm80, 2, 65_536), (Target::Sm86, 2, 65_536), (Target::Sm90, 3, 98_304)] {
        let kernel = kernel(&big.text(), target);
        assert_eq!(kernel.dynamic_shared(), bytes, "{target}");
        let ptx = big.check(target);
        assert!(ptx.contains(&format!("cp.async.wait_group {};", stages - 2)), "{target}: {ptx}");
        assert!(ptx.contains(".extern .shared .align 16 .b8 tilewright_shared[];"), "{ptx}");
    }
    assert_eq!(kernel(&PLAIN.text(), Target::Sm80).dynamic_shared(), 0);
}

#[test]
fn what_the_loop_may_write_before_is_loaded_when_it_is_needed() {
    let carried = Product { token: "carried", ..PLAIN };
    assert!(carried.check(Target::Sm80).contains("cp.async"), "only reads are behind the token that the loop carries");
    let store = "%one = constant <i32: 9> : tile<i32>
        %t9 = store_ptr_tko weak %u, %one token = %carried : tile<ptr<i32>>, tile<i32> -> token";
    for (token, is_staged) in [("t9", false), ("t", true)] {
        let text = Product { first: store, token, ..PLAIN }.text();
        assert_eq!(kernel(&text, Target::Sm80).ptx().contains("cp.async"), is_staged, "behind {token}");
    }
}

/// What a thread does in a round, as text.
#[test]
fn a_round_waits_copies_and_multiplies() {
    let code = kernel(&Product { tiles: [64, 16, 64], extents: [64, 256, 64], ..PLAIN }.text(), Target::Sm80).code().to_string();
    let begin = code.find("wait for copies").expect("a round begins");
    let round: Vec<&str> = code[begin..].lines().take_while(|line| !line.contains("product")).map(str::trim).collect();
    let what = |line: &str| {
        let kinds =
            ["wait for copies but 2 groups", "barrier", "copy 16 bytes", "commit copies", "load matrices transposed", "load matrices"];
        kinds.into_iter().find(|kind| line.contains(kind)).map(str::to_owned)
    };
    let found: Vec<String> = round.iter().filter_map(|line| what(line)).collect();
    let expected = [
        "wait for copies but 2 groups",
        "barrier",
        "copy 16 bytes",
        "copy 16 bytes",
        "commit copies",
        // What the first product needs; others follow when they are needed.
        "load matrices",
        "load matrices transposed",
    ];
    assert_eq!(found, expected, "{code}");
}

#[test]
fn what_is_not_aligned_is_loaded_one_round_ahead() {
    for (elem, turned) in ["f16", "bf16", "tf32", "i8"].into_iter().flat_map(|elem| [(elem, false), (elem, true)]) {
        let pointer = if elem == "tf32" { "div_by<4>" } else { "div_by<1>" };
        // Rows of odd length, too, and tiles that reach out of the tensors.
        for extents in [[64, 160, 64], [63, 161, 57], [8, 40, 8]] {
            let product = Product { elem, turned, pointer, extents, ..PLAIN };
            let kernel = kernel(&product.text(), Target::Sm80);
            let ptx = product.check(Target::Sm80);
            if elem != "tf32" {
                assert!(copies(&ptx).is_empty(), "{ptx}");
            }
            let notes: Vec<&String> = kernel.explained().iter().flat_map(|op| &op.notes).collect();
            assert!(notes.iter().any(|note| note.contains("2 stages of") || elem == "tf32"), "{notes:?}");
        }
    }
}

#[test]
fn a_factor_may_be_copied_and_the_other_one_loaded_ahead() {
    // Rows of 162 halves begin at multiples of 4 bytes, those of 63 do not.
    let product = Product { extents: [64, 162, 63], ..PLAIN };
    let ptx = product.check(Target::Sm80);
    assert!(ptx.contains("cp.async.wait_group") && ptx.contains("ld.global.u16"), "{ptx}");
    assert_eq!(copies(&ptx), ["4"]);
    for step in [2, 3, 1 << 20] {
        Product { step, ..product.clone() }.check(Target::Sm80);
        Product { step, pointer: "div_by<2>", ..PLAIN }.check(Target::Sm80);
    }
}

#[test]
fn threads_meet_once_in_a_round_whose_tiles_are_loaded_ahead() {
    let product = Product { pointer: "div_by<2>", tiles: [64, 16, 64], extents: [64, 256, 64], ..PLAIN };
    let code = kernel(&product.text(), Target::Sm80).code().to_string();
    let begin = code.find("store wide").or_else(|| code.find("store ")).expect("a round begins");
    let end = begin + code[begin..].find("product").expect("it multiplies");
    let round: Vec<&str> = code[begin..end].lines().map(str::trim).collect();
    let at = |what: &str| round.iter().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {round:#?}"));
    assert_eq!(round.iter().filter(|line| **line == "barrier").count(), 1, "{round:#?}");
    assert!(at("barrier") < at("load global") && at("load global") < at("load matrices"), "{round:#?}");
}

#[test]
fn other_paddings_than_zeros_are_loaded_ahead() {
    // Infinite numbers outside of the right factor meet zeros of the left one: NaN is 0 as an integer.
    let product = Product { extents: [64, 150, 64], ..PLAIN };
    let text = product.text().replace("padding_value = zero, tensor_view<150x64", "padding_value = pos_inf, tensor_view<150x64");
    let (mut buffer, _) = product.numbers();
    run(&text, Target::Sm80, [2, 2, 1], &mut buffer, 0);
    assert!(buffer[131_072..].chunks_exact(4).all(|sum| sum == [0; 4]));
}

#[test]
fn the_assembler_takes_tiles_that_are_loaded_ahead() {
    let products = ["f16", "i8", "tf32"].map(|elem| Product { elem, pointer: "div_by<1>", extents: [63, 161, 57], ..PLAIN });
    assembles(&products.map(|product| product.text()), &[Target::Sm80, Target::Sm89]);
}
