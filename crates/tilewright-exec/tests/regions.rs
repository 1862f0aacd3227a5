//! Fused regions of elementwise operations give what the definition gives, wherever their results begin and however they are written.

mod text;

use text::{buffer, ints, program};
use tilewright_exec::{Arg, LaunchOptions, launch};

/// Elements of a tile, blocks, and elements of all: more than is done without a look at the interrupt, in pieces of no round number.
const TILE: usize = 1024;
const BLOCKS: usize = 200;
const ALL: usize = TILE * BLOCKS;

/// `to[i] = max(from[i] << 3 ^ from[i], from[i] / 7) - from[i]`.
const KERNEL: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [204800], strides = [1] : tensor_view<204800xi32, strides=[1]>
  %y = make_tensor_view %to, shape = [204800], strides = [1] : tensor_view<204800xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(1024), tensor_view<204800xi32, strides=[1]>>
  %ys = make_partition_view %y : partition_view<tile=(1024), tensor_view<204800xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%bx] : partition_view<tile=(1024), tensor_view<204800xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token
  %three = constant <i32: 3> : tile<1024xi32>
  %seven = constant <i32: 7> : tile<1024xi32>
  %b = shli %a, %three : tile<1024xi32>
  %c = xori %b, %a : tile<1024xi32>
  %d = divi %a, %seven signed : tile<1024xi32>
  %e = maxi %c, %d signed : tile<1024xi32>
  %f = subi %e, %a : tile<1024xi32>
  %t1 = store_view_tko weak %f, %ys[%bx] : tile<1024xi32>, partition_view<tile=(1024), tensor_view<204800xi32, strides=[1]>>, tile<i32> -> token
  return
}";

#[test]
fn results_are_the_same_within_the_caches_and_past_them() {
    let number = |i: usize| (i as i32).wrapping_mul(0x2545_f491) >> 8;
    let expected: Vec<i32> = (0..ALL)
        .map(|i| {
            let a = number(i);
            ((a << 3) ^ a).max(a / 7).wrapping_sub(a)
        })
        .collect();
    for first in [0, 1, 7, 15, 16, 33] {
        for last_cache in [0, usize::MAX] {
            let numbers = (0..2 * ALL + 64).map(|i| if i < ALL { number(i) } else { -1 });
            let (mut memory, all) = buffer(numbers.flat_map(i32::to_le_bytes).collect());
            let args = [0, ALL + first].map(|place| Arg::Pointer(memory.address(all) + 4 * place as u64));
            let options = LaunchOptions::new().threads(1).last_cache(last_cache);
            launch(&program(KERNEL).plan("k").unwrap(), &mut memory, [BLOCKS as u32, 1, 1], &args, &options).unwrap();
            let found = ints(memory.bytes(all));
            assert_eq!(found[ALL + first..][..ALL], expected, "from place {first} on");
            assert!(found[ALL..ALL + first].iter().chain(&found[2 * ALL + first..]).all(|&i| i == -1), "what lies beside is left alone");
        }
    }
}
