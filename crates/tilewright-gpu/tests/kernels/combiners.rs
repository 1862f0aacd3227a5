//! Combiners that compute with tiles of several elements.

use crate::support::{kernel, module, run};
use tilewright_gpu::{Target, compile};

const COUNT: usize = 256;

/// Folds numbers at `%p`, in rows of 16, and stores what comes out in their place.
fn text(operation: &str, combiner: &str) -> String {
    let (dims, result) = if operation == "scan" { ("dim=1 reverse=false", "16x16") } else { ("dim=1", "16") };
    let (shape, strides, index) = if operation == "scan" { ("16, 16", "16, 1", "%zero, %zero") } else { ("16", "1", "%zero") };
    let out = format!("tensor_view<{result}xi64, strides=[{}]>", strides.replace(' ', ""));
    let to = format!("partition_view<tile=({result}), {out}>");
    format!(
        "entry @k(%p: tile<ptr<i64>>) {{
            %t0 = make_token : token
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %low = constant <i64: 1> : tile<i64>
            %v = make_tensor_view %p, shape = [16, 16], strides = [16, 1] : tile<ptr<i64>> -> tensor_view<16x16xi64, strides=[16,1]>
            %w = make_partition_view %v : partition_view<tile=(16x16), tensor_view<16x16xi64, strides=[16,1]>>
            %x, %t1 = load_view_tko weak %w[%zero, %zero] token = %t0 : partition_view<tile=(16x16), tensor_view<16x16xi64, strides=[16,1]>>, tile<i32> -> tile<16x16xi64>, token
            %first1 = make_partition_view %v : partition_view<tile=(1x8), tensor_view<16x16xi64, strides=[16,1]>>
            %first2, %t2 = load_view_tko weak %first1[%zero, %zero] token = %t0 : partition_view<tile=(1x8), tensor_view<16x16xi64, strides=[16,1]>>, tile<i32> -> tile<1x8xi64>, token
            %first = reshape %first2 : tile<1x8xi64> -> tile<8xi64>
            %both = join_tokens %t1, %t2 : token
            %r = {operation} %x {dims} identities=[0 : i64] : tile<16x16xi64> -> tile<{result}xi64>
            (%a: tile<i64>, %b: tile<i64>) {{ {combiner} }}
            %ov = make_tensor_view %p, shape = [{shape}], strides = [{strides}] : tile<ptr<i64>> -> {out}
            %ow = make_partition_view %ov : {to}
            %t3 = store_view_tko weak %r, %ow[{index}] token=%both : tile<{result}xi64>, {to}, tile<i32> -> token
            return
        }}"
    )
}

fn number(i: usize) -> i64 {
    (i as i64 + 3).wrapping_mul(0x2545_f491_4f6c_dd1d)
}

/// What comes out is what folding by `expected` gives.
fn check(combiner: &str, expected: impl Fn(i64, i64) -> i64) {
    for operation in ["reduce", "scan"] {
        let text = text(operation, combiner);
        let mut wanted = Vec::new();
        for row in 0..16 {
            let numbers = (0..16).map(|i| number(16 * row + i));
            let mut last = None;
            let scanned: Vec<i64> = numbers
                .map(|next| {
                    let folded = last.map_or(next, |last| expected(last, next));
                    last = Some(folded);
                    folded
                })
                .collect();
            wanted.extend(if operation == "scan" { scanned } else { vec![scanned[15]] });
        }
        let wanted: Vec<u8> = wanted.into_iter().flat_map(i64::to_le_bytes).collect();
        for seed in 0..2 {
            let mut buffer: Vec<u8> = (0..COUNT).flat_map(|i| number(i).to_le_bytes()).collect();
            run(&text, Target::Sm80, [1; 3], &mut buffer, seed);
            assert_eq!(buffer[..wanted.len()], wanted, "{operation}\n{combiner}");
        }
    }
}

/// Two matrices of 2 x 2 bytes each are a number: products wrap, so they may be grouped in any way.
#[test]
fn products_of_small_matrices_are_combined() {
    let combiner = "%a1 = reshape %a : tile<i64> -> tile<1xi64>
        %b1 = reshape %b : tile<i64> -> tile<1xi64>
        %ab = pack %a1 : tile<1xi64> -> tile<8xi8>
        %bb = pack %b1 : tile<1xi64> -> tile<8xi8>
        %am = reshape %ab : tile<8xi8> -> tile<2x2x2xi8>
        %bm = reshape %bb : tile<8xi8> -> tile<2x2x2xi8>
        %nothing = constant <i32: 0> : tile<2x2x2xi32>
        %m = mmai %am, %bm, %nothing signed signed : tile<2x2x2xi8>, tile<2x2x2xi8>, tile<2x2x2xi32>
        %low8 = trunci %m : tile<2x2x2xi32> -> tile<2x2x2xi8>
        %bytes = reshape %low8 : tile<2x2x2xi8> -> tile<8xi8>
        %c1 = unpack %bytes : tile<8xi8> -> tile<1xi64>
        %c = reshape %c1 : tile<1xi64> -> tile<i64>
        yield %c : tile<i64>";
    check(combiner, |a, b| {
        let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
        let product = |n: usize| {
            let (batch, row, column) = (n / 4 * 4, n / 2 % 2, n % 2);
            (0..2).fold(0u8, |sum, k| sum.wrapping_add(a[batch + 2 * row + k].wrapping_mul(b[batch + 2 * k + column])))
        };
        i64::from_le_bytes(std::array::from_fn(product))
    });
}

/// A key of `%x` as `%keyx`: threads choose elements of a tile from around the combiner, each its own, in a branch that only some of them take.
const KEY: &str = "%oddX = andi %X, %low : tile<i64>
    %is_oddX = cmpi equal %oddX, %low, signed : tile<i64> -> tile<i1>
    %keyX = if %is_oddX -> (tile<i64>) {
        %seven = constant <i64: 7> : tile<i64>
        %three = constant <i64: 3> : tile<i64>
        %shifted = shri %X, %three unsigned : tile<i64>
        %which64 = andi %shifted, %seven : tile<i64>
        %which = trunci %which64 : tile<i64> -> tile<i32>
        %turned = iota : tile<8xi64>
        %sum = addi %first, %turned : tile<8xi64>
        %chosen = extract %sum[%which] : tile<8xi64> -> tile<1xi64>
        %k = reshape %chosen : tile<1xi64> -> tile<i64>
        yield %k : tile<i64>
    } else {
        %x1 = reshape %X : tile<i64> -> tile<1xi64>
        %all = broadcast %x1 : tile<1xi64> -> tile<8xi64>
        %scaled = muli %all, %first : tile<8xi64>
        %totals = scan %scaled dim=0 reverse=true identities=[0 : i64] : tile<8xi64> -> tile<8xi64> (%g: tile<i64>, %h: tile<i64>) {
            %gh = addi %g, %h : tile<i64>
            yield %gh : tile<i64>
        }
        %k = reduce %totals dim=0 identities=[0 : i64] : tile<8xi64> -> tile<i64> (%g: tile<i64>, %h: tile<i64>) {
            %gh = xori %g, %h : tile<i64>
            yield %gh : tile<i64>
        }
        yield %k : tile<i64>
    }
    ";

#[test]
fn tiles_around_a_combiner_are_read_by_each_thread() {
    let [of_a, of_b] = ["a", "b"].map(|name| KEY.replace('X', name));
    let combiner = format!(
        "{of_a}{of_b}
        %less = cmpi less_than %keya, %keyb, signed : tile<i64> -> tile<i1>
        %c = select %less, %b, %a : tile<i1>, tile<i64>
        yield %c : tile<i64>"
    );
    let first: Vec<i64> = (0..8).map(number).collect();
    let key = |x: i64| {
        if x & 1 == 1 {
            let which = (x >> 3 & 7) as usize;
            return first[which].wrapping_add(which as i64);
        }
        let scaled = first.iter().map(|number| x.wrapping_mul(*number));
        let totals = scaled.rev().scan(0i64, |total, next| {
            *total = total.wrapping_add(next);
            Some(*total)
        });
        totals.fold(0, |all, total| all ^ total)
    };
    check(&combiner, |a, b| if key(a) < key(b) { b } else { a });
}

#[test]
fn what_is_too_large_for_a_thread_is_refused() {
    let refused = |combiner: &str| compile(&module(&text("reduce", combiner)), "k", Target::Sm80).expect_err("it is refused").to_string();
    let large = "%a1 = reshape %a : tile<i64> -> tile<1xi64>
        %all = broadcast %a1 : tile<1xi64> -> tile<1024xi64>
        %c = reduce %all dim=0 identities=[0 : i64] : tile<1024xi64> -> tile<i64> (%g: tile<i64>, %h: tile<i64>) {
            %gh = addi %g, %h : tile<i64>
            yield %gh : tile<i64>
        }
        yield %c : tile<i64>";
    assert!(refused(large).contains("tile<1024xi64>, of so many elements in a combiner, is not compiled"), "{}", refused(large));
    let tile = "yield %first : tile<8xi64>";
    assert!(refused(tile).contains("a combiner that gives a tile of several elements"), "{}", refused(tile));
    assert!(kernel(&text("reduce", "yield %a : tile<i64>"), Target::Sm80).ptx().contains(".entry k"));
}
