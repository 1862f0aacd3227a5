//! Small kernels that use each part of the engine's core: plans, memory, the scheduler, and the portable executor of vector code. They are
//! here for Miri, which finds undefined behaviour of the engine itself, and are run by `.ci/miri`; run as other tests, they are quick.

mod text;

use std::sync::{Arc, Mutex};
use text::ints;
use tilewright_exec::{Arg, LaunchOptions, Memory, OutputSink, TargetMachine, launch};

/// Elements of the buffer.
const ELEMENTS: usize = 128;

/// Runs an entry on one buffer of the numbers from 0 on, which has 128 of 32 bits, and gives what becomes of it.
fn run(body: &str, grid: u32, threads: usize) -> Vec<i32> {
    run_on(TargetMachine::portable(), body, grid, threads)
}

/// The same, planned for a machine.
fn run_on(machine: TargetMachine, body: &str, grid: u32, threads: usize) -> Vec<i32> {
    let text = format!(
        "entry @k(%p: tile<ptr<i32>>) {{
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  {body}
  return
}}"
    );
    let program = text::program(&text).for_machine(machine);
    let plan = program.plan("k").unwrap_or_else(|error| panic!("{error}"));
    let mut memory = Memory::new();
    let buffer = memory.add((0..ELEMENTS as i32).flat_map(i32::to_le_bytes).collect());
    let args = [Arg::Pointer(memory.address(buffer))];
    let output = OutputSink::new(Arc::new(Mutex::new(std::io::sink())));
    launch(&plan, &mut memory, [grid, 1, 1], &args, &LaunchOptions::new().threads(threads).output(output))
        .unwrap_or_else(|error| panic!("{error}"));
    ints(memory.bytes(buffer))
}

const VIEWS: &str = "%x = make_tensor_view %p, shape = [128], strides = [1] : tensor_view<128xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(32), tensor_view<128xi32, strides=[1]>>
  ";

/// Loads the tile of a block, computes, and stores it there.
fn on_tiles(compute: &str) -> String {
    format!(
        "{VIEWS}%a, %t0 = load_view_tko weak %xs[%bx] : partition_view<tile=(32), tensor_view<128xi32, strides=[1]>>, tile<i32> -> tile<32xi32>, token
  {compute}
  %t1 = store_view_tko weak %r, %xs[%bx] token = %t0 : tile<32xi32>, partition_view<tile=(32), tensor_view<128xi32, strides=[1]>>, tile<i32> -> token"
    )
}

#[test]
fn fused_regions() {
    let body = on_tiles(
        "%s = shli %a, %a : tile<32xi32>
  %u = xori %s, %a : tile<32xi32>
  %r = addi %u, %a : tile<32xi32>",
    );
    let expected: Vec<i32> = (0..ELEMENTS as i32).map(|a| (a.checked_shl(a as u32).unwrap_or(0) ^ a).wrapping_add(a)).collect();
    for (blocks, threads) in [(1, 1), (1, 2)] {
        let found = run(&body, blocks, threads);
        assert_eq!(found[1..31], expected[1..31]);
        assert!(found[32..].iter().copied().eq(32..ELEMENTS as i32));
    }
}

#[test]
fn blocks_on_two_threads() {
    let body = on_tiles("%r = addi %a, %a : tile<32xi32>");
    assert!(run(&body, 4, 2).into_iter().eq((0..ELEMENTS as i32).map(|a| 2 * a)));
}

#[test]
fn reductions_and_scans() {
    let body = on_tiles(
        "%s = reduce %a dim=0 identities=[0 : i32] : tile<32xi32> -> tile<i32>
  (%l: tile<i32>, %k: tile<i32>) {
    %m = addi %l, %k : tile<i32>
    yield %m : tile<i32>
  }
  %w = scan %a dim=0 reverse=false identities=[0 : i32] : tile<32xi32> -> tile<32xi32>
  (%l1: tile<i32>, %k1: tile<i32>) {
    %m1 = addi %l1, %k1 : tile<i32>
    yield %m1 : tile<i32>
  }
  %s1 = reshape %s : tile<i32> -> tile<1xi32>
  %s2 = broadcast %s1 : tile<1xi32> -> tile<32xi32>
  %r = addi %w, %s2 : tile<32xi32>",
    );
    let found = run(&body, 2, 1);
    let expected = |i: i32| {
        let first = i / 32 * 32;
        if i < 64 { (first..first + 32).sum::<i32>() + (first..=i).sum::<i32>() } else { i }
    };
    assert!(found.into_iter().eq((0..ELEMENTS as i32).map(expected)));
}

#[test]
fn transpositions_and_products() {
    let view = "partition_view<tile=(4x8), tensor_view<4x8xi32, strides=[8,1]>>";
    let body = format!(
        "%x = make_tensor_view %p, shape = [4, 8], strides = [8, 1] : tensor_view<4x8xi32, strides=[8,1]>
  %xs = make_partition_view %x : {view}
  %a, %t0 = load_view_tko weak %xs[%zero, %zero] : {view}, tile<i32> -> tile<4x8xi32>, token
  %f = itof %a signed : tile<4x8xi32> -> tile<4x8xf32>
  %b = permute %f [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
  %z = constant <f32: 0.0> : tile<4x4xf32>
  %s = mmaf %f, %b, %z : tile<4x8xf32>, tile<8x4xf32>, tile<4x4xf32>
  %g = ftoi %s signed : tile<4x4xf32> -> tile<4x4xi32>
  %y = make_tensor_view %p, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xi32, strides=[4,1]>
  %ys = make_partition_view %y : partition_view<tile=(4x4), tensor_view<4x4xi32, strides=[4,1]>>
  %t1 = store_view_tko weak %g, %ys[%zero, %zero] token = %t0 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<4x4xi32, strides=[4,1]>>, tile<i32> -> token"
    );
    let found = run(&body, 1, 1);
    let product = |i: i32| (0..8).map(|k| (8 * (i / 4) + k) * (8 * (i % 4) + k)).sum::<i32>();
    assert!(found[..16].iter().copied().eq((0..16).map(product)));
}

/// Pointers to 32 elements from `start` on.
const POINTERS: &str = "%i = iota : tile<32xi32>
  %p0 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  ";

#[test]
fn gathers_and_scatters() {
    let body = format!(
        "{POINTERS}%c = constant <i32: 31> : tile<32xi32>
  %j = subi %c, %i : tile<32xi32>
  %q = offset %p1, %j : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
  %v, %t0 = load_ptr_tko weak %q : tile<32xptr<i32>> -> tile<32xi32>, token
  %g = offset %p1, %v : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
  %w, %t1 = load_ptr_tko weak %g token=%t0 : tile<32xptr<i32>> -> tile<32xi32>, token
  %d = constant <i32: 64> : tile<32xi32>
  %e = addi %i, %d : tile<32xi32>
  %h = offset %p1, %e : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
  %t2 = store_ptr_tko weak %h, %w token=%t1 : tile<32xptr<i32>>, tile<32xi32> -> token"
    );
    let found = run(&body, 1, 1);
    assert!(found[64..96].iter().copied().eq((0..32).rev()));
}

/// A tile of 4 x 8 of the first 32 numbers, each of which is repeated in groups of 2 x 2, plus the same tile backwards.
#[test]
fn groups_and_backwards() {
    let body = "%y = iota : tile<4xi32>
  %x = iota : tile<8xi32>
  %two_y = constant <i32: 2> : tile<4xi32>
  %two_x = constant <i32: 2> : tile<8xi32>
  %eight = constant <i32: 8> : tile<4xi32>
  %half_y = divi %y, %two_y signed rounding<negative_inf> : tile<4xi32>
  %half_x = divi %x, %two_x signed rounding<negative_inf> : tile<8xi32>
  %last_x = constant <i32: 31> : tile<8xi32>
  %back_x = subi %last_x, %x : tile<8xi32>
  %none_y = constant <i32: 0> : tile<4xi32>
  %row = muli %half_y, %eight : tile<4xi32>
  %whole = muli %y, %eight : tile<4xi32>
  %back = subi %none_y, %whole : tile<4xi32>
  %r0 = reshape %row : tile<4xi32> -> tile<4x1xi32>
  %r1 = broadcast %r0 : tile<4x1xi32> -> tile<4x8xi32>
  %c0 = reshape %half_x : tile<8xi32> -> tile<1x8xi32>
  %c1 = broadcast %c0 : tile<1x8xi32> -> tile<4x8xi32>
  %b0 = reshape %back : tile<4xi32> -> tile<4x1xi32>
  %b1 = broadcast %b0 : tile<4x1xi32> -> tile<4x8xi32>
  %d0 = reshape %back_x : tile<8xi32> -> tile<1x8xi32>
  %d1 = broadcast %d0 : tile<1x8xi32> -> tile<4x8xi32>
  %i = addi %r1, %c1 : tile<4x8xi32>
  %j = addi %b1, %d1 : tile<4x8xi32>
  %p0 = reshape %p : tile<ptr<i32>> -> tile<1x1xptr<i32>>
  %p1 = broadcast %p0 : tile<1x1xptr<i32>> -> tile<4x8xptr<i32>>
  %q = offset %p1, %i : tile<4x8xptr<i32>>, tile<4x8xi32> -> tile<4x8xptr<i32>>
  %o = offset %p1, %j : tile<4x8xptr<i32>>, tile<4x8xi32> -> tile<4x8xptr<i32>>
  %a, %t0 = load_ptr_tko weak %q : tile<4x8xptr<i32>> -> tile<4x8xi32>, token
  %b, %t1 = load_ptr_tko weak %o : tile<4x8xptr<i32>> -> tile<4x8xi32>, token
  %r = addi %a, %b : tile<4x8xi32>
  %v = make_tensor_view %p, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xi32, strides=[8,1]>
  %vs = make_partition_view %v : partition_view<tile=(4x8), tensor_view<16x8xi32, strides=[8,1]>>
  %t2 = store_view_tko weak %r, %vs[%one, %zero] : tile<4x8xi32>, partition_view<tile=(4x8), tensor_view<16x8xi32, strides=[8,1]>>, tile<i32> -> token";
    let found = run(body, 1, 1);
    let expected = (0..4).flat_map(|y| (0..8).map(move |x| y / 2 * 8 + x / 2 + 31 - 8 * y - x));
    assert!(found[32..64].iter().copied().eq(expected), "{:?}", &found[32..64]);
}

#[test]
fn atomic_additions_of_two_threads() {
    let body = format!(
        "{POINTERS}%q = offset %p1, %i : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
  %o = constant <i32: 1> : tile<32xi32>
  %old, %t = atomic_rmw_tko relaxed device %q, add, %o : tile<32xptr<i32>>, tile<32xi32> -> tile<32xi32>, token"
    );
    let found = run(&body, 6, 2);
    assert!(found[..32].iter().copied().eq((0..32).map(|i| i + 6)));
}

/// A block waits until the one behind it has written: one of them is parked, on one thread and on two.
#[test]
fn blocks_that_wait_for_others() {
    let body = "%n = constant <i32: 3> : tile<i32>
  %next = addi %bx, %one : tile<i32>
  %own = offset %p, %bx : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %its = offset %p, %next : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %c = constant <i32: -1> : tile<i32>
  %is_last = cmpi equal %bx, %n, signed : tile<i32> -> tile<i1>
  loop {
    %v, %t = load_ptr_tko acquire device %its : tile<ptr<i32>> -> tile<i32>, token
    %is_set = cmpi equal %v, %c, signed : tile<i32> -> tile<i1>
    %ends = ori %is_set, %is_last : tile<i1>
    if %ends {
      break
    }
    continue
  }
  %t1 = store_ptr_tko release device %own, %c : tile<ptr<i32>>, tile<i32> -> token";
    for threads in [1, 2] {
        let found = run(body, 4, threads);
        assert!(found[..4].iter().all(|v| *v == -1) && found[4..].iter().copied().eq(4..ELEMENTS as i32));
    }
}

/// All blocks store to one tile, and each loads it before and behind: a race by the rules of Tile IR, and none by those of Rust on a machine
/// without races.
#[test]
fn blocks_that_race() {
    let tile = "partition_view<tile=(32), tensor_view<128xi32, strides=[1]>>";
    let body = format!(
        "{VIEWS}%a, %t0 = load_view_tko weak %xs[%zero] : {tile}, tile<i32> -> tile<32xi32>, token
  %b0 = reshape %bx : tile<i32> -> tile<1xi32>
  %b1 = broadcast %b0 : tile<1xi32> -> tile<32xi32>
  %c = constant <i32: 1000> : tile<32xi32>
  %r = addi %b1, %c : tile<32xi32>
  %t1 = store_view_tko weak %r, %xs[%zero] token = %t0 : tile<32xi32>, {tile}, tile<i32> -> token
  %d, %t2 = load_view_tko weak %xs[%zero] token = %t1 : {tile}, tile<i32> -> tile<32xi32>, token
  %e = maxi %d, %a signed : tile<32xi32>
  %t3 = store_view_tko weak %e, %xs[%one] token = %t2 : tile<32xi32>, {tile}, tile<i32> -> token"
    );
    let found = run_on(TargetMachine::portable().without_races(), &body, 6, 2);
    assert!(found[..64].iter().all(|v| (1000..1006).contains(v)), "{found:?}");
    assert!(found[64..].iter().copied().eq(64..ELEMENTS as i32));
}

/// The same through pointers, of which several are the same.
#[test]
fn lanes_that_race() {
    let body = format!(
        "{POINTERS}%seven = constant <i32: 7> : tile<32xi32>
  %j = andi %i, %seven : tile<32xi32>
  %q = offset %p1, %j : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
  %v, %t0 = load_ptr_tko weak %q : tile<32xptr<i32>> -> tile<32xi32>, token
  %w = addi %v, %i : tile<32xi32>
  %t1 = store_ptr_tko weak %q, %w token=%t0 : tile<32xptr<i32>>, tile<32xi32> -> token"
    );
    let found = run_on(TargetMachine::portable().without_races(), &body, 6, 2);
    assert!(found[8..].iter().copied().eq(8..ELEMENTS as i32));
    assert!((0..8).all(|i| found[i as usize] >= i));
}
