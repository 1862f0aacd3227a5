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
