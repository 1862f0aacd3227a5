//! Rows that are named along two dimensions of a tile, as those of several blocks that run as one: they lie in one list.

use crate::text::{ints, program};
use tilewright_exec::{Arg, GroupBlocks, LaunchOptions, Memory, launch};
use tilewright_ir::Scalar;

/// Blocks of 2 x 4 rows of 16 elements: gathered where `named` says, if it names one of the rows, and scattered where `goals` says; what was gathered is
/// added to sums of floats, too. `%extra` lies between rows of the first and of the second half, or nothing does.
const ROWS: &str = "
entry @k(%from: tile<ptr<i32>>, %named: tile<ptr<i32>>, %goals: tile<ptr<i32>>, %to: tile<ptr<i32>>, %sums: tile<ptr<f32>>, %rows: tile<i32>, %pitch: tile<i32>, %extra: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %nt = make_tensor_view %named, shape = [16, 4], strides = [4, 1] : tensor_view<16x4xi32, strides=[4,1]>
  %n = make_partition_view %nt : partition_view<tile=(2x4), tensor_view<16x4xi32, strides=[4,1]>>
  %gt = make_tensor_view %goals, shape = [16, 4], strides = [4, 1] : tensor_view<16x4xi32, strides=[4,1]>
  %g = make_partition_view %gt : partition_view<tile=(2x4), tensor_view<16x4xi32, strides=[4,1]>>
  %a, %t0 = load_view_tko weak %n[%bx, %zero] : partition_view<tile=(2x4), tensor_view<16x4xi32, strides=[4,1]>>, tile<i32> -> tile<2x4xi32>, token
  %b, %t1 = load_view_tko weak %g[%bx, %zero] : partition_view<tile=(2x4), tensor_view<16x4xi32, strides=[4,1]>>, tile<i32> -> tile<2x4xi32>, token
  %a1 = reshape %a : tile<2x4xi32> -> tile<2x4x1xi32>
  %row = broadcast %a1 : tile<2x4x1xi32> -> tile<2x4x16xi32>
  %b1 = reshape %b : tile<2x4xi32> -> tile<2x4x1xi32>
  %goal = broadcast %b1 : tile<2x4x1xi32> -> tile<2x4x16xi32>
  %lane0 = iota : tile<16xi32>
  %lane1 = reshape %lane0 : tile<16xi32> -> tile<1x1x16xi32>
  %lane = broadcast %lane1 : tile<1x1x16xi32> -> tile<2x4x16xi32>
  %half0 = iota : tile<2xi32>
  %half1 = reshape %half0 : tile<2xi32> -> tile<2x1x1xi32>
  %half = broadcast %half1 : tile<2x1x1xi32> -> tile<2x4x16xi32>
  %rows0 = reshape %rows : tile<i32> -> tile<1x1x1xi32>
  %rows1 = broadcast %rows0 : tile<1x1x1xi32> -> tile<2x4x16xi32>
  %pitch0 = reshape %pitch : tile<i32> -> tile<1x1x1xi32>
  %pitch1 = broadcast %pitch0 : tile<1x1x1xi32> -> tile<2x4x16xi32>
  %extra0 = reshape %extra : tile<i32> -> tile<1x1x1xi32>
  %extra1 = broadcast %extra0 : tile<1x1x1xi32> -> tile<2x4x16xi32>
  %inside = cmpi less_than %row, %rows1, unsigned : tile<2x4x16xi32> -> tile<2x4x16xi1>
  %first = muli %row, %pitch1 : tile<2x4x16xi32>
  %there = addi %first, %lane : tile<2x4x16xi32>
  %moved = muli %half, %extra1 : tile<2x4x16xi32>
  %beside = addi %there, %moved : tile<2x4x16xi32>
  %sixteen = constant <i32: 16> : tile<2x4x16xi32>
  %first_goal = muli %goal, %sixteen : tile<2x4x16xi32>
  %last = addi %first_goal, %lane : tile<2x4x16xi32>
  %p0 = reshape %from : tile<ptr<i32>> -> tile<1x1x1xptr<i32>>
  %p1 = broadcast %p0 : tile<1x1x1xptr<i32>> -> tile<2x4x16xptr<i32>>
  %p = offset %p1, %WHERE : tile<2x4x16xptr<i32>>, tile<2x4x16xi32> -> tile<2x4x16xptr<i32>>
  %q0 = reshape %to : tile<ptr<i32>> -> tile<1x1x1xptr<i32>>
  %q1 = broadcast %q0 : tile<1x1x1xptr<i32>> -> tile<2x4x16xptr<i32>>
  %q = offset %q1, %last : tile<2x4x16xptr<i32>>, tile<2x4x16xi32> -> tile<2x4x16xptr<i32>>
  %s0 = reshape %sums : tile<ptr<f32>> -> tile<1x1x1xptr<f32>>
  %s1 = broadcast %s0 : tile<1x1x1xptr<f32>> -> tile<2x4x16xptr<f32>>
  %s = offset %s1, %there : tile<2x4x16xptr<f32>>, tile<2x4x16xi32> -> tile<2x4x16xptr<f32>>
  %none = constant <i32: -1> : tile<2x4x16xi32>
  %x, %t2 = load_ptr_tko weak %p, %inside, %none : tile<2x4x16xptr<i32>>, tile<2x4x16xi1>, tile<2x4x16xi32> -> tile<2x4x16xi32>, token
  %t3 = store_ptr_tko weak %q, %x : tile<2x4x16xptr<i32>>, tile<2x4x16xi32> -> token
  %f = itof %x signed : tile<2x4x16xi32> -> tile<2x4x16xf32>
  %old, %t4 = atomic_rmw_tko relaxed device %s, addf, %f, %inside : tile<2x4x16xptr<f32>>, tile<2x4x16xf32>, tile<2x4x16xi1> -> tile<2x4x16xf32>, token
  return
}";

const BLOCKS: usize = 8;
const TABLE: i32 = 20;

#[test]
fn rows_named_along_two_dimensions_are_one_list() {
    for (place, is_list) in [("there", true), ("beside", false)] {
        let plan = program(&ROWS.replace("WHERE", place)).plan("k").unwrap();
        let loads = plan.to_string().lines().filter(|line| line.contains("load i32[1, 8, 16] at lanes")).count();
        assert_eq!(loads, usize::from(is_list), "{plan}");
        for (pitch, extra) in [(16, 0), (16, 5), (24, 1), (3, 16)] {
            let named: Vec<i32> = (0..BLOCKS as i32 * 8).map(|i| if i % 11 == 7 { TABLE + i } else { i * 7 % TABLE }).collect();
            let goals: Vec<i32> = (0..BLOCKS as i32 * 8).map(|i| i ^ 5).collect();
            let numbers: Vec<i32> = (0..TABLE * 24 + 64).map(|i| 3 * i + 1).collect();
            let (mut expected, mut sums) = (vec![0; BLOCKS * 128], vec![0f32; numbers.len()]);
            for (i, (row, goal)) in named.iter().zip(&goals).enumerate() {
                for lane in 0..16 {
                    let half = if is_list { 0 } else { (i as i32 / 4) % 2 };
                    let inside = *row < TABLE;
                    let x = if inside { numbers[(row * pitch + lane + half * extra) as usize] } else { -1 };
                    expected[(goal * 16 + lane) as usize] = x;
                    if inside {
                        sums[(row * pitch + lane) as usize] += x as f32;
                    }
                }
            }
            for when in [GroupBlocks::Never, GroupBlocks::Always] {
                let mut memory = Memory::new();
                let mut add = |numbers: &[i32]| memory.add(numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>());
                let (from, list, goal) = (add(&numbers), add(&named), add(&goals));
                let (to, sum) = (add(&vec![0; expected.len()]), add(&vec![0; sums.len()]));
                let pointers = [from, list, goal, to, sum].map(|buffer| Arg::Pointer(memory.address(buffer)));
                let scalars = [TABLE, pitch, extra].map(|n| Arg::Scalar(Scalar::I32, u64::from(n.cast_unsigned())));
                let options = LaunchOptions::new().threads(1).group_blocks(when);
                launch(&plan, &mut memory, [BLOCKS as u32, 1, 1], &[&pointers[..], &scalars[..]].concat(), &options).unwrap();
                assert_eq!(ints(memory.bytes(to)), expected, "{place}, a pitch of {pitch}, {extra} between halves, {when:?}");
                let found: Vec<f32> = ints(memory.bytes(sum)).iter().map(|bits| f32::from_bits(bits.cast_unsigned())).collect();
                assert_eq!(found, sums, "sums: {place}, a pitch of {pitch}, {extra} between halves, {when:?}");
            }
        }
    }
}
