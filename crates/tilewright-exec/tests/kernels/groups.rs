//! Blocks that run in groups, because each does little, do what they do alone, and fail as they do alone.

use crate::text::{buffer, ints, program};
use std::sync::{Arc, Mutex};
use tilewright_exec::{Access, AccessObserver, Arg, GroupBlocks, LaunchError, LaunchOptions, Limits, launch};

const COLUMNS: usize = 16;

/// `to[row] = from[row] - max(from[row]) + last`, of which a block has one row of 16 numbers; `last` is one row for all. Rows that have -1 in front fail.
const ROWS: &str = "
entry @k(%from: tile<ptr<i32>>, %last: tile<ptr<i32>>, %to: tile<ptr<i32>>, %rows: tile<i32>) {
  %IDS = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [%rows, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xi32, strides=[16,1]>
  %y = make_tensor_view %last, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
  %z = make_tensor_view %to, shape = [%rows, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xi32, strides=[16,1]>
  %xs = make_partition_view %x : partition_view<tile=(1x16), tensor_view<?x16xi32, strides=[16,1]>>
  %ys = make_partition_view %y : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>
  %zs = make_partition_view %z : partition_view<tile=(1x16), tensor_view<?x16xi32, strides=[16,1]>>
  %a, %t0 = load_view_tko weak %xs[%row, %zero] : partition_view<tile=(1x16), tensor_view<?x16xi32, strides=[16,1]>>, tile<i32> -> tile<1x16xi32>, token
  %b, %t1 = load_view_tko weak %ys[%zero] : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %none = constant <i32: -1> : tile<1x16xi32>
  %good = cmpi not_equal %a, %none, signed : tile<1x16xi32> -> tile<1x16xi1>
  assert %good, \"a number that is not -1\" : tile<1x16xi1>
  %most = reduce %a dim=1 identities=[-2147483648 : i32] : tile<1x16xi32> -> tile<1xi32> (%p: tile<i32>, %q: tile<i32>) {
    %m = maxi %p, %q signed : tile<i32>
    yield %m : tile<i32>
  }
  %most1 = reshape %most : tile<1xi32> -> tile<1x1xi32>
  %most2 = broadcast %most1 : tile<1x1xi32> -> tile<1x16xi32>
  %c = subi %a, %most2 : tile<1x16xi32>
  %b1 = reshape %b : tile<16xi32> -> tile<1x16xi32>
  %d = addi %c, %b1 : tile<1x16xi32>
  %t2 = store_view_tko weak %d, %zs[%row, %zero] : tile<1x16xi32>, partition_view<tile=(1x16), tensor_view<?x16xi32, strides=[16,1]>>, tile<i32> -> token
  return
}";

/// How a launch of so many blocks along an axis ended, what was told of its progress, and what memory holds then.
struct Ran {
    result: Result<u64, LaunchError>,
    ended: Vec<u64>,
    numbers: Vec<i32>,
}

/// Numbers of so many rows, behind them those that are the same for all, and room for results.
fn numbers(rows: usize) -> Vec<i32> {
    (0..(2 * rows + 1) * COLUMNS).map(|i| if i < (rows + 1) * COLUMNS { i as i32 * 7919 % 1000 + 1 } else { 0 }).collect()
}

fn run(axis: usize, rows: usize, blocks: u32, numbers: &[i32], options: LaunchOptions<'_>) -> Ran {
    let ids = ["row, %by, %bz", "bx, %row, %bz", "bx, %by, %row"][axis];
    let (mut memory, all) = buffer(numbers.iter().flat_map(|n| n.to_le_bytes()).collect());
    let place = |row: usize| Arg::Pointer(memory.address(all) + (4 * COLUMNS * row) as u64);
    let args = [place(0), place(rows), place(rows + 1), Arg::Scalar(tilewright_ir::Scalar::I32, rows as u64)];
    let (ended, mut grid) = (Arc::new(Mutex::new(Vec::new())), [1; 3]);
    grid[axis] = blocks;
    let told = Arc::clone(&ended);
    let options = options.progress(Arc::new(move |count| told.lock().unwrap().push(count)));
    let plan = program(&ROWS.replace("IDS", ids)).plan("k").unwrap();
    let result = launch(&plan, &mut memory, grid, &args, &options).map(|report| report.blocks);
    let mut ended = ended.lock().unwrap().clone();
    ended.sort_unstable();
    Ran { result, ended, numbers: ints(memory.bytes(all)) }
}

fn expected(rows: usize) -> Vec<i32> {
    let mut numbers = numbers(rows);
    for row in 0..rows {
        let most = *numbers[row * COLUMNS..][..COLUMNS].iter().max().unwrap();
        for column in 0..COLUMNS {
            numbers[(rows + 1 + row) * COLUMNS + column] = numbers[row * COLUMNS + column] - most + numbers[rows * COLUMNS + column];
        }
    }
    numbers
}

fn at_once() -> LaunchOptions<'static> {
    LaunchOptions::new().threads(1).group_blocks(GroupBlocks::Always)
}

#[test]
fn groups_do_what_their_blocks_do() {
    // All in groups, and some that are left.
    for rows in [1024, 1000, 1001] {
        for axis in 0..3 {
            for threads in [1, 3] {
                let ran = run(axis, rows, rows as u32, &numbers(rows), at_once().threads(threads));
                assert_eq!(ran.result.unwrap(), rows as u64);
                assert!(ran.numbers == expected(rows), "{rows} rows along axis {axis} on {threads} threads");
                assert!(ran.ended.len() < rows / 4 && ran.ended.last() == Some(&(rows as u64)), "{:?}", ran.ended);
            }
        }
    }
}

#[test]
fn a_failure_is_that_of_the_block() {
    let rows = 200;
    for failing in [0, 1, 3, 31, 32, 63, 100, 191, 192, 199] {
        let mut numbers = numbers(rows);
        numbers[failing * COLUMNS + 5] = -1;
        let [alone, grouped] =
            [GroupBlocks::Never, GroupBlocks::Always].map(|when| run(0, rows, rows as u32, &numbers, at_once().group_blocks(when)));
        let (alone, grouped) = (alone.result.unwrap_err(), grouped.result.unwrap_err());
        assert_eq!(alone.block, Some([failing as u32, 0, 0]));
        assert_eq!(grouped, alone);
    }
}

#[test]
fn what_lies_outside_of_buffers_is_found() {
    // The tensor says that there are more rows than its buffers hold.
    let (rows, blocks) = (100, 120);
    let numbers: Vec<i32> = numbers(rows);
    let claimed = |when| {
        let (mut memory, all) = buffer(numbers.iter().flat_map(|n| n.to_le_bytes()).collect());
        let place = |row: usize| Arg::Pointer(memory.address(all) + (4 * COLUMNS * row) as u64);
        let args = [place(0), place(rows), place(rows + 1), Arg::Scalar(tilewright_ir::Scalar::I32, blocks)];
        let plan = program(&ROWS.replace("IDS", "row, %by, %bz")).plan("k").unwrap();
        let options = at_once().group_blocks(when);
        launch(&plan, &mut memory, [blocks as u32, 1, 1], &args, &options).unwrap_err()
    };
    assert_eq!(claimed(GroupBlocks::Always), claimed(GroupBlocks::Never));
    assert_eq!(claimed(GroupBlocks::Always).block, Some([rows as u32, 0, 0]));
}

struct Watcher;

impl AccessObserver for Watcher {
    fn access(&self, _: &Access) {}
}

#[test]
fn blocks_run_alone_where_somebody_looks_or_memory_is_limited() {
    let each: Vec<u64> = (1..=256).collect();
    let limited = Limits::default().memory(1 << 30);
    for options in [at_once().observer(&Watcher), at_once().limits(limited), LaunchOptions::new().threads(1)] {
        assert_eq!(run(0, 256, 256, &numbers(256), options).ended, each);
    }
}

#[test]
fn blocks_that_are_launched_often_enough_run_in_groups() {
    let (mut memory, all) = buffer(numbers(1024).iter().flat_map(|n| n.to_le_bytes()).collect());
    let place = |row: usize| Arg::Pointer(memory.address(all) + (4 * COLUMNS * row) as u64);
    let args = [place(0), place(1024), place(1025), Arg::Scalar(tilewright_ir::Scalar::I32, 1024)];
    let plan = program(&ROWS.replace("IDS", "row, %by, %bz")).plan("k").unwrap();
    let told: Vec<bool> = (0..6)
        .map(|_| {
            let times = Arc::new(Mutex::new(0));
            let counted = Arc::clone(&times);
            let options = LaunchOptions::new().threads(1).progress(Arc::new(move |_| *counted.lock().unwrap() += 1));
            launch(&plan, &mut memory, [1024, 1, 1], &args, &options).unwrap();
            let times = *times.lock().unwrap();
            times < 1024
        })
        .collect();
    assert_eq!(told, [false, false, false, true, true, true]);
}

/// A product whose right factor all blocks along x convert.
const CONVERTS: &str = "
entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<i8>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %avt = make_tensor_view %a, shape = [1024, 256], strides = [256, 1] : tensor_view<1024x256xf16, strides=[256,1]>
  %av = make_partition_view %avt : partition_view<tile=(64x32), tensor_view<1024x256xf16, strides=[256,1]>>
  %bvt = make_tensor_view %b, shape = [256, 128], strides = [128, 1] : tensor_view<256x128xi8, strides=[128,1]>
  %bv = make_partition_view %bvt : partition_view<tile=(32x64), tensor_view<256x128xi8, strides=[128,1]>>
  %cvt = make_tensor_view %c, shape = [1024, 128], strides = [128, 1] : tensor_view<1024x128xf32, strides=[128,1]>
  %cv = make_partition_view %cvt : partition_view<tile=(64x64), tensor_view<1024x128xf32, strides=[128,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
    %l, %l_t = load_view_tko weak %av[%bx, %k] : partition_view<tile=(64x32), tensor_view<1024x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x32xf16>, token
    %q, %q_t = load_view_tko weak %bv[%k, %by] : partition_view<tile=(32x64), tensor_view<256x128xi8, strides=[128,1]>>, tile<i32> -> tile<32x64xi8>, token
    %r = itof %q signed : tile<32x64xi8> -> tile<32x64xf16>
    %next = mmaf %l, %r, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %t2 = store_view_tko weak %sum, %cv[%bx, %by] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<1024x128xf32, strides=[128,1]>>, tile<i32> -> token
  return
}";

#[test]
fn blocks_that_compute_the_same_run_in_groups_as_soon_as_that_pays() {
    let (left, right) = (1024 * 256, 256 * 128);
    // Whole numbers and halves, whose products and sums are exact.
    let halves = (0..left).flat_map(|i| tilewright_numeric::bulk::f32_to_f16((i * 7919 % 31) as f32 / 2.0 - 7.0).to_le_bytes());
    let bytes: Vec<u8> = halves.chain((0..right).map(|i| (i * 104_729 % 251) as u8)).chain(vec![0; 4 * 1024 * 128]).collect();
    let plan = program(CONVERTS).plan("k").unwrap();
    let run = |when| {
        let (mut memory, all) = buffer(bytes.clone());
        let places = [0, 2 * left, 2 * left + right].map(|at| Arg::Pointer(memory.address(all) + at as u64));
        let args: Vec<Arg> = places.into_iter().chain([Arg::Scalar(tilewright_ir::Scalar::I32, 8)]).collect();
        let times = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&times);
        let options = LaunchOptions::new().threads(1).group_blocks(when).progress(Arc::new(move |_| *counted.lock().unwrap() += 1));
        launch(&plan, &mut memory, [16, 2, 1], &args, &options).unwrap();
        let times = *times.lock().unwrap();
        (memory.bytes(all)[2 * left + right..].to_vec(), times)
    };
    let (alone, times) = run(GroupBlocks::Never);
    assert_eq!(times, 32);
    let launches: Vec<(Vec<u8>, usize)> = (0..12).map(|_| run(GroupBlocks::Auto)).collect();
    assert!(launches.iter().all(|(sums, _)| *sums == alone));
    // Groups of eight.
    assert_eq!((launches[0].1, launches[11].1), (32, 4));
}

/// Sums of floats along columns of 8 numbers: the order in which these are added depends on how many columns a tile has, below 64 or not.
const COLUMN_SCANS: &str = "
entry @k(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %row, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [512, 4], strides = [4, 1] : tensor_view<512x4xf32, strides=[4,1]>
  %y = make_tensor_view %to, shape = [512, 4], strides = [4, 1] : tensor_view<512x4xf32, strides=[4,1]>
  %xs = make_partition_view %x : partition_view<tile=(8x4), tensor_view<512x4xf32, strides=[4,1]>>
  %ys = make_partition_view %y : partition_view<tile=(8x4), tensor_view<512x4xf32, strides=[4,1]>>
  %a, %t0 = load_view_tko weak %xs[%row, %zero] : partition_view<tile=(8x4), tensor_view<512x4xf32, strides=[4,1]>>, tile<i32> -> tile<8x4xf32>, token
  %sums = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<8x4xf32> -> tile<8x4xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %s = addf %l, %r : tile<f32>
    yield %s : tile<f32>
  }
  %t1 = store_view_tko weak %sums, %ys[%row, %zero] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<512x4xf32, strides=[4,1]>>, tile<i32> -> token
  return
}";

#[test]
fn groups_are_as_large_as_they_can_be() {
    let values = (0..512 * 4).map(|i| (i * 7919 % 1000) as f32 / 7.0);
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).chain(vec![0; 4 * 512 * 4]).collect();
    let run = |when| {
        let (mut memory, all) = buffer(bytes.clone());
        let args = [0, 4 * 512 * 4].map(|at| Arg::Pointer(memory.address(all) + at));
        let ended = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&ended);
        let options = at_once().group_blocks(when).progress(Arc::new(move |count| told.lock().unwrap().push(count)));
        launch(&program(COLUMN_SCANS).plan("k").unwrap(), &mut memory, [64, 1, 1], &args, &options).unwrap();
        let ended = ended.lock().unwrap().clone();
        (memory.bytes(all).to_vec(), ended)
    };
    let (alone, grouped) = (run(GroupBlocks::Never), run(GroupBlocks::Always));
    assert_eq!(grouped.0, alone.0);
    // 16 blocks of four columns would be 64 columns.
    assert_eq!(grouped.1, [8, 16, 24, 32, 40, 48, 56, 64]);
}

/// Each block has 16 numbers of `from`, the places, and does something with pointers to 16 elements of `to`: `%own`, one after the other, and `%there`, at
/// these places.
fn sixteen(element: &str, one: &str, update: &str) -> String {
    format!(
        "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<{element}>>, %out: tile<ptr<i32>>) {{
  %row, %by, %bz = get_tile_block_id : tile<i32>
  %lanes = iota : tile<16xi32>
  %sixteen = constant <i32: 16> : tile<i32>
  %first = muli %row, %sixteen : tile<i32>
  %first1 = reshape %first : tile<i32> -> tile<1xi32>
  %firsts = broadcast %first1 : tile<1xi32> -> tile<16xi32>
  %i = addi %firsts, %lanes : tile<16xi32>
  %from1 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
  %froms = broadcast %from1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
  %p = offset %froms, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
  %places, %t0 = load_ptr_tko weak %p : tile<16xptr<i32>> -> tile<16xi32>, token
  %to1 = reshape %to : tile<ptr<{element}>> -> tile<1xptr<{element}>>
  %tos = broadcast %to1 : tile<1xptr<{element}>> -> tile<16xptr<{element}>>
  %own = offset %tos, %i : tile<16xptr<{element}>>, tile<16xi32> -> tile<16xptr<{element}>>
  %there = offset %tos, %places : tile<16xptr<{element}>>, tile<16xi32> -> tile<16xptr<{element}>>
  %one = constant <{element}: {one}> : tile<16x{element}>
  {update}
  return
}}"
    )
}

const ROOM: usize = 2048;

/// How 128 blocks of [`sixteen`] fail of which the 71st has a place far outside: the error, what is in `to` and `out`, and the progress.
fn failing(kernel: &str, when: GroupBlocks) -> (LaunchError, Vec<i32>, Vec<u64>) {
    let plan = program(kernel).plan("k").unwrap();
    let places: Vec<i32> = (0..ROOM as i32).map(|i| if i == 70 * 16 + 5 { 1 << 20 } else { i }).collect();
    let bytes = places.iter().flat_map(|n| n.to_le_bytes()).chain(vec![0; 8 * ROOM]).collect();
    let (mut memory, all) = buffer(bytes);
    let args = [0, 4, 8].map(|at| Arg::Pointer(memory.address(all) + at * ROOM as u64));
    let ended = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&ended);
    let options = at_once().group_blocks(when).progress(Arc::new(move |count| told.lock().unwrap().push(count)));
    let error = launch(&plan, &mut memory, [128, 1, 1], &args, &options).unwrap_err();
    let ended = ended.lock().unwrap().clone();
    (error, ints(memory.bytes(all))[ROOM..].to_vec(), ended)
}

const ADD: &str = "%old, %t1 = atomic_rmw_tko relaxed device %there, add, %one : tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token";
const ADDF: &str = "%old, %t1 = atomic_rmw_tko relaxed device %there, addf, %one : tile<16xptr<f32>>, tile<16xf32> -> tile<16xf32>, token";
/// Adds one without atomics: no block has places of another. Nothing is read where it lies outside, but something is written.
const IN_PLACE: &str = "%room = constant <i32: 2048> : tile<16xi32>
  %inside = cmpi less_than %places, %room, signed : tile<16xi32> -> tile<16xi1>
  %zero = constant <i32: 0> : tile<16xi32>
  %x, %t1 = load_ptr_tko weak %there, %inside, %zero token = %t0 : tile<16xptr<i32>>, tile<16xi1>, tile<16xi32> -> tile<16xi32>, token
  %y = addi %x, %one : tile<16xi32>
  %t2 = store_ptr_tko weak %there, %y token = %t1 : tile<16xptr<i32>>, tile<16xi32> -> token";

#[test]
fn a_block_that_fails_has_updated_nothing_twice() {
    for (update, element, one) in [(ADD, "i32", "1"), (ADDF, "f32", "1.0"), (IN_PLACE, "i32", "1")] {
        let kernel = sixteen(element, one, update);
        let one_bits = if element == "f32" { 1f32.to_bits() as i32 } else { 1 };
        let expected = |blocks: usize| -> Vec<i32> { (0..ROOM).map(|i| if i < blocks * 16 { one_bits } else { 0 }).collect() };
        let (error, alone, many) = failing(&kernel, GroupBlocks::Never);
        assert!(error.block == Some([70, 0, 0]) && many.len() == 70 && alone[..ROOM] == expected(70), "{update}");
        let (error, grouped, few) = failing(&kernel, GroupBlocks::Always);
        // Of two groups of 64, the second one fails, and has written nothing.
        assert_eq!((error.block, few), (Some([70, 0, 0]), vec![64]), "{update}");
        assert_eq!(grouped[..ROOM], expected(64), "{update}");
    }
}

/// Adds one in place, then writes ones in `out`, at the places.
const STORE_TWICE: &str = "%x, %t1 = load_ptr_tko weak %own token = %t0 : tile<16xptr<i32>> -> tile<16xi32>, token
  %y = addi %x, %one : tile<16xi32>
  %t2 = store_ptr_tko weak %own, %y token = %t1 : tile<16xptr<i32>>, tile<16xi32> -> token
  %out1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
  %outs = broadcast %out1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
  %o = offset %outs, %places : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
  %t3 = store_ptr_tko weak %o, %one token = %t2 : tile<16xptr<i32>>, tile<16xi32> -> token";
/// Adds one, then finds a place that is outside.
const ADD_AND_ASSERT: &str =
    "%old, %t1 = atomic_rmw_tko relaxed device %own, add, %one : tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token
  %room = constant <i32: 2048> : tile<16xi32>
  %good = cmpi less_than %places, %room, signed : tile<16xi32> -> tile<16xi1>
  assert %good, \"a place inside\" : tile<16xi1>";

#[test]
fn a_block_that_fails_behind_a_store_has_stored_once() {
    for update in [STORE_TWICE, ADD_AND_ASSERT] {
        let kernel = sixteen("i32", "1", update);
        let (alone, added, many) = failing(&kernel, GroupBlocks::Never);
        let expected: Vec<i32> = (0..ROOM).map(|i| (i < 71 * 16).into()).collect();
        assert!(alone.block == Some([70, 0, 0]) && many.len() == 70 && added[..ROOM] == expected, "{alone}");
        let (grouped, added, few) = failing(&kernel, GroupBlocks::Always);
        assert_eq!(grouped, alone);
        // The first of two groups has ended; all blocks of the second one have added before one of them failed.
        assert!(added[..ROOM].iter().all(|n| *n == 1), "{update}: {added:?}");
        assert_eq!(few, [64], "{update}");
    }
}
