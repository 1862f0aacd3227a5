//! Reductions through shuffles and shared memory.

use crate::support::{kernel, run};
use tilewright_gpu::Target;

/// Reduces 128 numbers at `%p` with a combiner of `%a` and `%b`, and stores the result in the place of the first.
fn text(combiner: &str) -> String {
    format!(
        "entry @k(%p: tile<ptr<i32>>) {{
            %t0 = make_token : token
            %zero = constant <i32: 0> : tile<i32>
            %v = make_tensor_view %p, shape = [128], strides = [1] : tile<ptr<i32>> -> tensor_view<128xi32, strides=[1]>
            %w = make_partition_view %v : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>
            %x, %t1 = load_view_tko weak %w[%zero] token = %t0 : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
            %r = reduce %x dim=0 identities=[0 : i32] : tile<128xi32> -> tile<i32>
            (%a: tile<i32>, %b: tile<i32>) {{ {combiner} }}
            %t2 = store_ptr_tko weak %p, %r token=%t1 : tile<ptr<i32>>, tile<i32> -> token
            return
        }}"
    )
}

#[test]
fn sums_need_no_order() {
    let sum = text("%c = addi %a, %b : tile<i32>\nyield %c : tile<i32>");
    let ptx = kernel(&sum, Target::Sm80).ptx();
    assert_eq!(ptx.matches("shfl.sync.bfly").count(), 5, "{ptx}");
    assert_eq!(ptx.matches("bar.sync").count(), 1, "four warps meet once: {ptx}");
    assert!(!ptx.contains("selp"), "both threads of a pair get the same in either order: {ptx}");
    // What depends on the order is combined by both threads in one order.
    let difference = text("%c = subi %a, %b : tile<i32>\nyield %c : tile<i32>");
    assert!(kernel(&difference, Target::Sm80).ptx().contains("selp"));
    let mut buffer: Vec<u8> = (0..128i32).flat_map(i32::to_le_bytes).collect();
    run(&sum, Target::Sm80, [1, 1, 1], &mut buffer, 0);
    assert_eq!(i32::from_le_bytes([buffer[0], buffer[1], buffer[2], buffer[3]]), 127 * 64);
}

/// Threads of a block combine in their own ways.
#[test]
fn combiners_may_branch() {
    let text = "entry @k(%p: tile<ptr<i32>>) {
        %t = make_token : token
        %zero = constant <i32: 0> : tile<i32>
        %v = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tile<ptr<i32>> -> tensor_view<64x64xi32, strides=[64,1]>
        %w = make_partition_view %v : partition_view<tile=(64x64), tensor_view<64x64xi32, strides=[64,1]>>
        %l, %t1 = load_view_tko weak %w[%zero, %zero] token = %t : partition_view<tile=(64x64), tensor_view<64x64xi32, strides=[64,1]>>, tile<i32> -> tile<64x64xi32>, token
        %r = reduce %l dim=1 identities=[-2147483648 : i32] : tile<64x64xi32> -> tile<64xi32> (%a: tile<i32>, %b: tile<i32>) {
            %less = cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>
            %m = if %less -> (tile<i32>) {
                yield %b : tile<i32>
            } else {
                yield %a : tile<i32>
            }
            yield %m : tile<i32>
        }
        %vr = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<i32>> -> tensor_view<64xi32, strides=[1]>
        %wr = make_partition_view %vr : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>
        %t2 = store_view_tko weak %r, %wr[%zero] token = %t1 : tile<64xi32>, partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
        return
    }";
    let number = |i: u32| i.wrapping_mul(2_654_435_761).cast_signed();
    let expected: Vec<u8> = (0..64).flat_map(|row| (0..64).map(|i| number(64 * row + i)).max().expect("a row").to_le_bytes()).collect();
    for seed in 0..3 {
        let mut buffer: Vec<u8> = (0..4096).flat_map(|i| number(i).to_le_bytes()).collect();
        run(text, Target::Sm80, [1, 1, 1], &mut buffer, seed);
        assert_eq!(buffer[..256], expected);
    }
}

/// A thread has several rows, of which lanes take over each other's: what is combined in an order is, and the first of several that are the same is found.
#[test]
fn lanes_share_rows() {
    let text = "entry @k(%p: tile<ptr<i32>>) {
        %t = make_token : token
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %v = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tile<ptr<i32>> -> tensor_view<64x64xi32, strides=[64,1]>
        %w = make_partition_view %v : partition_view<tile=(64x64), tensor_view<64x64xi32, strides=[64,1]>>
        %l, %t1 = load_view_tko weak %w[%zero, %zero] token = %t : partition_view<tile=(64x64), tensor_view<64x64xi32, strides=[64,1]>>, tile<i32> -> tile<64x64xi32>, token
        %n = iota : tile<64xi32>
        %n1 = reshape %n : tile<64xi32> -> tile<1x64xi32>
        %n2 = broadcast %n1 : tile<1x64xi32> -> tile<64x64xi32>
        %r, %at = reduce %l, %n2 dim=1 identities=[-2147483648 : i32, 0 : i32] : tile<64x64xi32>, tile<64x64xi32> -> tile<64xi32>, tile<64xi32>
        (%a: tile<i32>, %b: tile<i32>, %i: tile<i32>, %j: tile<i32>) {
            %less = cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>
            %m = select %less, %b, %a : tile<i1>, tile<i32>
            %k = select %less, %j, %i : tile<i1>, tile<i32>
            yield %m, %k : tile<i32>, tile<i32>
        }
        %vr1 = make_tensor_view %p, shape = [128], strides = [1] : tile<ptr<i32>> -> tensor_view<128xi32, strides=[1]>
        %wr = make_partition_view %vr1 : partition_view<tile=(64), tensor_view<128xi32, strides=[1]>>
        %t2 = store_view_tko weak %r, %wr[%zero] token = %t1 : tile<64xi32>, partition_view<tile=(64), tensor_view<128xi32, strides=[1]>>, tile<i32> -> token
        %t3 = store_view_tko weak %at, %wr[%one] token = %t2 : tile<64xi32>, partition_view<tile=(64), tensor_view<128xi32, strides=[1]>>, tile<i32> -> token
        return
    }";
    let number = |i: i32| i.wrapping_mul(40_503).rem_euclid(97) % 23;
    let best = |row: i32| (0..64).map(|i| (number(64 * row + i), i)).max_by_key(|(n, i)| (*n, -i)).expect("a row");
    let expected: Vec<u8> = (0..64).map(|row| best(row).0).chain((0..64).map(|row| best(row).1)).flat_map(i32::to_le_bytes).collect();
    let mut buffer: Vec<u8> = (0..4096).flat_map(|i| number(i).to_le_bytes()).collect();
    run(text, Target::Sm80, [1, 1, 1], &mut buffer, 0);
    assert_eq!(buffer[..512], expected);
    let ptx = kernel(text, Target::Sm80).ptx();
    let shuffles = ptx.matches("shfl.sync").count();
    assert!(shuffles <= 2 * 32, "one row after the other takes 320, not {shuffles}: {ptx}");
}

/// What is done with the results of rows is done by the lanes that have the rows.
#[test]
fn lanes_that_shared_rows_get_all_results() {
    let text = "entry @k(%p: tile<ptr<i32>>) {
        %t = make_token : token
        %zero = constant <i32: 0> : tile<i32>
        %v = make_tensor_view %p, shape = [8, 512], strides = [512, 1] : tile<ptr<i32>> -> tensor_view<8x512xi32, strides=[512,1]>
        %w = make_partition_view %v : partition_view<tile=(8x512), tensor_view<8x512xi32, strides=[512,1]>>
        %l, %t1 = load_view_tko weak %w[%zero, %zero] token = %t : partition_view<tile=(8x512), tensor_view<8x512xi32, strides=[512,1]>>, tile<i32> -> tile<8x512xi32>, token
        %r = reduce %l dim=1 identities=[0 : i32] : tile<8x512xi32> -> tile<8xi32> (%a: tile<i32>, %b: tile<i32>) {
            %c = addi %a, %b : tile<i32>
            yield %c : tile<i32>
        }
        %r1 = reshape %r : tile<8xi32> -> tile<8x1xi32>
        %r2 = broadcast %r1 : tile<8x1xi32> -> tile<8x512xi32>
        %d = subi %l, %r2 : tile<8x512xi32>
        %t2 = store_view_tko weak %d, %w[%zero, %zero] token = %t1 : tile<8x512xi32>, partition_view<tile=(8x512), tensor_view<8x512xi32, strides=[512,1]>>, tile<i32> -> token
        return
    }";
    let number = |i: i32| i.wrapping_mul(40_503) % 97;
    let sum = |row: i32| (0..512).map(|i| number(512 * row + i)).sum::<i32>();
    let expected: Vec<u8> = (0..4096).flat_map(|i| (number(i) - sum(i / 512)).to_le_bytes()).collect();
    let mut buffer: Vec<u8> = (0..4096).flat_map(|i| number(i).to_le_bytes()).collect();
    run(text, Target::Sm80, [1, 1, 1], &mut buffer, 0);
    assert_eq!(buffer, expected);
    let ptx = kernel(text, Target::Sm80).ptx();
    let shuffles = ptx.matches("shfl.sync").count();
    assert!(shuffles < 40, "one row after the other takes 40, not {shuffles}: {ptx}");
}
