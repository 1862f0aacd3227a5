//! Neighbouring blocks that run as one, because each does nothing but to combine tiles element by element or to copy one, do what single
//! ones do.

use crate::text::{buffer, ints, program};
use std::sync::{Arc, Mutex};
use tilewright_exec::{Access, AccessObserver, Arg, LaunchErrorKind, LaunchOptions, TargetMachine, launch};

const BLOCKS: u32 = 320;
const TILE: usize = 16;
const ALL: usize = BLOCKS as usize * TILE;

/// `to[i] = from[i] + last[i]`, in tiles of 16 elements; `last` is one tile for all blocks.
const SUMS: &str = "
entry @k(%from: tile<ptr<i32>>, %last: tile<ptr<i32>>, %to: tile<ptr<i32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [5120], strides = [1] : tensor_view<5120xi32, strides=[1]>
  %y = make_tensor_view %last, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
  %z = make_tensor_view %to, shape = [5120], strides = [1] : tensor_view<5120xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(16), tensor_view<5120xi32, strides=[1]>>
  %ys = make_partition_view %y : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>
  %zs = make_partition_view %z : partition_view<tile=(16), tensor_view<5120xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%bx] : partition_view<tile=(16), tensor_view<5120xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %b, %t1 = load_view_tko weak %ys[INDEX] : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %c = addi %a, %b : tile<16xi32>
  %t2 = store_view_tko weak %c, %zs[%bx] : tile<16xi32>, partition_view<tile=(16), tensor_view<5120xi32, strides=[1]>>, tile<i32> -> token
  return
}";

/// The program, with a tile for all, or one that only the first block finds inside of its tensor.
fn sums(same_for_all: bool) -> String {
    SUMS.replace("INDEX", if same_for_all { "%zero" } else { "%bx" })
}

/// Numbers, a tile, and room for the results.
fn memory() -> Vec<u8> {
    (0..2 * ALL + TILE).map(|i| if i < ALL + TILE { i as i32 * 7 % 1000 - 300 } else { 0 }).flat_map(i32::to_le_bytes).collect()
}

/// Places in a buffer of integers.
fn args(base: u64, places: [usize; 3]) -> [Arg; 3] {
    places.map(|place| Arg::Pointer(base + 4 * place as u64))
}

/// How many blocks a launch says have ended, each time that it says so, in order, and what the buffer holds in the end.
fn run(text: &str, places: [usize; 3], options: LaunchOptions<'_>) -> (Vec<u64>, Vec<i32>) {
    let (mut memory, all) = buffer(memory());
    let args = args(memory.address(all), places);
    let ended = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&ended);
    let options = options.progress(Arc::new(move |count| told.lock().unwrap().push(count)));
    launch(&program(text).plan("k").unwrap(), &mut memory, [BLOCKS, 1, 1], &args, &options).unwrap();
    let mut ended = ended.lock().unwrap().clone();
    ended.sort_unstable();
    (ended, ints(memory.bytes(all)))
}

/// `to[j][i] = from[i][j]`, in tiles of 16 rows and 32 columns, with the first coordinate of blocks along rows, or along columns.
const TURNED: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>) {
  %IDS, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [ROWS, COLUMNS], strides = [COLUMNS, 1] : tensor_view<ROWSxCOLUMNSxi32, strides=[COLUMNS,1]>
  %z = make_tensor_view %to, shape = [COLUMNS, ROWS], strides = [ROWS, 1] : tensor_view<COLUMNSxROWSxi32, strides=[ROWS,1]>
  %xs = make_partition_view %x : partition_view<tile=(16x32), tensor_view<ROWSxCOLUMNSxi32, strides=[COLUMNS,1]>>
  %zs = make_partition_view %z : partition_view<tile=(32x16), tensor_view<COLUMNSxROWSxi32, strides=[ROWS,1]>>
  %a, %t0 = load_view_tko weak %xs[%i, %j] : partition_view<tile=(16x32), tensor_view<ROWSxCOLUMNSxi32, strides=[COLUMNS,1]>>, tile<i32> -> tile<16x32xi32>, token
  %b = permute %a [1, 0] : tile<16x32xi32> -> tile<32x16xi32>
  %t1 = store_view_tko weak %b, %zs[%j, %i] : tile<32x16xi32>, partition_view<tile=(32x16), tensor_view<COLUMNSxROWSxi32, strides=[ROWS,1]>>, tile<i32> -> token
  return
}";

/// `to[j][i] = 2 * from[i][j] + from[0][i]`, in the same tiles: those of `from` are brought to where the sums are written.
const TURNED_SUMS: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>) {
  %IDS, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [COLUMNS, ROWS], strides = [1, COLUMNS] : tensor_view<COLUMNSxROWSxi32, strides=[1,COLUMNS]>
  %y = make_tensor_view %from, shape = [ROWS], strides = [1] : tensor_view<ROWSxi32, strides=[1]>
  %z = make_tensor_view %to, shape = [COLUMNS, ROWS], strides = [ROWS, 1] : tensor_view<COLUMNSxROWSxi32, strides=[ROWS,1]>
  %xs = make_partition_view %x : partition_view<tile=(32x16), tensor_view<COLUMNSxROWSxi32, strides=[1,COLUMNS]>>
  %ys = make_partition_view %y : partition_view<tile=(16), tensor_view<ROWSxi32, strides=[1]>>
  %zs = make_partition_view %z : partition_view<tile=(32x16), tensor_view<COLUMNSxROWSxi32, strides=[ROWS,1]>>
  %a, %t0 = load_view_tko weak %xs[%j, %i] : partition_view<tile=(32x16), tensor_view<COLUMNSxROWSxi32, strides=[1,COLUMNS]>>, tile<i32> -> tile<32x16xi32>, token
  %r, %t1 = load_view_tko weak %ys[%i] : partition_view<tile=(16), tensor_view<ROWSxi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %r1 = reshape %r : tile<16xi32> -> tile<1x16xi32>
  %r2 = broadcast %r1 : tile<1x16xi32> -> tile<32x16xi32>
  %s = addi %a, %a : tile<32x16xi32>
  %b = addi %s, %r2 : tile<32x16xi32>
  %t2 = store_view_tko weak %b, %zs[%j, %i] : tile<32x16xi32>, partition_view<tile=(32x16), tensor_view<COLUMNSxROWSxi32, strides=[ROWS,1]>>, tile<i32> -> token
  return
}";

struct Watcher;

impl AccessObserver for Watcher {
    fn access(&self, _: &Access) {}
}

#[test]
fn blocks_run_as_one_and_do_what_each_does() {
    let before = ints(&memory());
    let expected: Vec<i32> = (0..ALL).map(|i| before[i] + before[ALL + i % TILE]).collect();
    for threads in [1, 3] {
        let (ended, found) = run(&sums(true), [0, ALL, ALL + TILE], LaunchOptions::new().threads(threads));
        assert_eq!(found[ALL + TILE..], expected);
        assert!(ended.len() < BLOCKS as usize && ended.last() == Some(&u64::from(BLOCKS)), "{ended:?}");
    }
}

/// A step alone, in pieces that are longer than scratch has room for unless it reads a constant that is brought there.
#[test]
fn a_constant_is_added_to_the_tiles_of_all_blocks() {
    let text = SUMS
        .replace("%c = addi %a, %b", "%d = constant <i32: 1000> : tile<16xi32>\n  %c = addi %a, %d")
        .replace("%b, %t1 = load_view_tko weak %ys[INDEX] : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token\n", "");
    let host = TargetMachine::host();
    for machine in [host, host.without_native_code(), TargetMachine::portable()] {
        let (mut memory, all) = buffer(memory());
        let before = ints(memory.bytes(all));
        let args = args(memory.address(all), [0, ALL, ALL + TILE]);
        let plan = program(&text).for_machine(machine).plan("k").unwrap();
        launch(&plan, &mut memory, [BLOCKS, 1, 1], &args, &LaunchOptions::default()).unwrap();
        let found = ints(memory.bytes(all));
        assert!((0..ALL).all(|i| found[ALL + TILE + i] == before[i] + 1000), "{machine:?}");
    }
}

#[test]
fn tiles_of_blocks_are_copied_as_one_matrix() {
    turned(TURNED, |value, _| value);
}

#[test]
fn tiles_of_blocks_are_brought_together_where_their_results_are_written() {
    turned(TURNED_SUMS, |value, row| value.wrapping_mul(2).wrapping_add(row));
}

/// Runs a kernel on a matrix that it turns around: of each element and that of the first row, it makes what is expected.
fn turned(kernel: &str, expected: impl Fn(i32, i32) -> i32) {
    // Whole tiles only, and some at the end of a row of blocks, or of the last rows, or of both that are not whole.
    for (rows, columns) in [(208, 320), (200, 320), (208, 300), (200, 300)] {
        let values: Vec<i32> = (0..rows * columns).map(|i| (i * 7919) as i32).collect();
        let of = |i: usize| expected(values[i % rows * columns + i / rows], values[i % rows]);
        let expected: Vec<i32> = (0..rows * columns).map(of).collect();
        let grid = [rows.div_ceil(16) as u32, columns.div_ceil(32) as u32, 1];
        for (ids, grid) in [("i, %j", grid), ("j, %i", [grid[1], grid[0], 1])] {
            let text = kernel.replace("ROWS", &rows.to_string()).replace("COLUMNS", &columns.to_string()).replace("IDS", ids);
            for threads in [1, 3] {
                let bytes = values.iter().chain(&vec![0; values.len()]).flat_map(|n| n.to_le_bytes()).collect();
                let (mut memory, all) = buffer(bytes);
                let args = [0, 4 * values.len() as u64].map(|place| Arg::Pointer(memory.address(all) + place));
                let (times, blocks) = (Arc::new(Mutex::new(0)), grid[0] * grid[1]);
                let told = Arc::clone(&times);
                let options = LaunchOptions::new().threads(threads).progress(Arc::new(move |_| *told.lock().unwrap() += 1));
                launch(&program(&text).plan("k").unwrap(), &mut memory, grid, &args, &options).unwrap();
                let wrong = ints(memory.bytes(all))[values.len()..].iter().zip(&expected).position(|(is, want)| is != want);
                assert_eq!(wrong, None, "{rows} x {columns}, {ids}, {threads} threads");
                assert!(*times.lock().unwrap() < blocks / 2, "{rows} x {columns}, {ids}, {threads} threads");
            }
        }
    }
}

#[test]
fn an_observer_sees_each_block() {
    let (ended, _) = run(&sums(true), [0, ALL, ALL + TILE], LaunchOptions::new().threads(1).observer(&Watcher));
    assert_eq!(ended, (1..=u64::from(BLOCKS)).collect::<Vec<_>>());
}

#[test]
fn blocks_with_tiles_outside_of_the_tensor_run_on_their_own() {
    let before = ints(&memory());
    let (ended, found) = run(&sums(false), [0, ALL, ALL + TILE], LaunchOptions::new().threads(1));
    assert_eq!(ended.len(), BLOCKS as usize);
    // What a tile has outside is padded with anything.
    let first: Vec<i32> = (0..TILE).map(|i| before[i] + before[ALL + i]).collect();
    assert_eq!(found[ALL + TILE..][..TILE], first);
}

#[test]
fn what_is_written_where_it_is_read_is_read_before() {
    let before = ints(&memory());
    let expected: Vec<i32> = (0..ALL).map(|i| before[i] + before[ALL + i % TILE]).collect();
    // Each block writes over its own tile.
    for threads in [1, 3] {
        let (_, found) = run(&sums(true), [0, ALL, 0], LaunchOptions::new().threads(threads));
        assert_eq!(found[..ALL], expected);
    }
}

/// `at[i][j] += at[i][j] * row[j]`, in tiles of 16 rows and 32 columns; `row` is 32 numbers.
const UPDATED: &str = "
entry @k(%at: tile<ptr<i32>>, %row: tile<ptr<i32>>) {
  %i, %j, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %at, shape = [ROWS, COLUMNS], strides = [COLUMNS, 1] : tensor_view<ROWSxCOLUMNSxi32, strides=[COLUMNS,1]>
  %y = make_tensor_view %row, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(16x32), tensor_view<ROWSxCOLUMNSxi32, strides=[COLUMNS,1]>>
  %ys = make_partition_view %y : partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%i, %j] : partition_view<tile=(16x32), tensor_view<ROWSxCOLUMNSxi32, strides=[COLUMNS,1]>>, tile<i32> -> tile<16x32xi32>, token
  %r, %t1 = load_view_tko weak %ys[%zero] : partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>, tile<i32> -> tile<32xi32>, token
  %r1 = reshape %r : tile<32xi32> -> tile<1x32xi32>
  %r2 = broadcast %r1 : tile<1x32xi32> -> tile<16x32xi32>
  %m = muli %a, %r2 : tile<16x32xi32>
  %b = addi %a, %m : tile<16x32xi32>
  %t2 = store_view_tko weak %b, %xs[%i, %j] : tile<16x32xi32>, partition_view<tile=(16x32), tensor_view<ROWSxCOLUMNSxi32, strides=[COLUMNS,1]>>, tile<i32> -> token
  return
}";

/// Runs a kernel in place on a matrix of so many rows and columns, behind which the row lies, or within which. Gives how often it was told
/// that blocks ended, and the matrix and row afterwards.
fn update(text: &str, [rows, columns]: [usize; 2], row: usize, machine: TargetMachine, threads: usize) -> (usize, Vec<i32>) {
    let (mut memory, all) = buffer((0..rows * columns + 32).flat_map(|i| (i as i32 * 7919).to_le_bytes()).collect());
    let args = [0, row].map(|place| Arg::Pointer(memory.address(all) + 4 * place as u64));
    let told = Arc::new(Mutex::new(0));
    let times = Arc::clone(&told);
    let options = LaunchOptions::new().threads(threads).progress(Arc::new(move |_| *times.lock().unwrap() += 1));
    let text = text.replace("ROWS", &rows.to_string()).replace("COLUMNS", &columns.to_string());
    let grid = [rows.div_ceil(16) as u32, columns.div_ceil(32) as u32, 1];
    launch(&program(&text).for_machine(machine).plan("k").unwrap(), &mut memory, grid, &args, &options).unwrap();
    let times = *told.lock().unwrap();
    (times, ints(memory.bytes(all)))
}

#[test]
fn blocks_that_write_over_what_only_they_read_run_as_one() {
    let host = TargetMachine::host();
    // Whole tiles only, and some at the ends that are not.
    for [rows, columns] in [[208, 320], [200, 320], [208, 300]] {
        let row = rows * columns;
        let value = |i: usize| i as i32 * 7919;
        let of = |i: usize| value(i).wrapping_add(value(i).wrapping_mul(value(row + i % columns % 32)));
        let expected: Vec<i32> = (0..row).map(of).collect();
        for (machine, threads) in [(host, 1), (host, 3), (host.without_native_code(), 1), (TargetMachine::portable(), 2)] {
            let (times, found) = update(UPDATED, [rows, columns], row, machine, threads);
            assert_eq!(found[..row], expected, "{rows} x {columns}, {machine:?}");
            let blocks = rows.div_ceil(16) * columns.div_ceil(32);
            assert!(machine != host || times < blocks / 2, "{rows} x {columns}, {threads} threads: {times}");
        }
    }
}

/// A block that writes what others read waits for nobody, and so must not run together with them: it does what a single one would.
#[test]
fn blocks_that_write_what_others_read_run_on_their_own() {
    let before = ints(&memory());
    // The row of factors lies in the matrix: what comes later is multiplied by what was written.
    let [rows, columns] = [208, 320];
    let (times, found) = update(UPDATED, [rows, columns], 0, TargetMachine::host(), 1);
    assert_eq!(times, rows / 16 * (columns / 32));
    let value = |i: usize| i as i32 * 7919;
    let first: Vec<i32> = (0..32).map(|i| value(i).wrapping_add(value(i).wrapping_mul(value(i)))).collect();
    assert_eq!(found[..32], first);
    assert_eq!(found[32], value(32).wrapping_add(value(32).wrapping_mul(first[0])));
    // Results lie half a tile behind what is read.
    let (ended, found) = run(&sums(true), [0, ALL, TILE / 2], LaunchOptions::new().threads(1));
    assert_eq!(ended.len(), BLOCKS as usize);
    let mut expected = before.clone();
    for block in 0..BLOCKS as usize {
        let read = expected[block * TILE..][..TILE].to_vec();
        let last = expected[ALL..][..TILE].to_vec();
        (0..TILE).for_each(|i| expected[block * TILE + TILE / 2 + i] = read[i] + last[i]);
    }
    assert_eq!(found, expected);
}

/// `to[b][i][j] = from[b][i][j] + seconds[b][j]`, of which a block has 4 rows of 16 numbers: each is 64 numbers further in `from`, and 16 in `seconds`.
const SPREAD: &str = "
entry @k(%from: tile<ptr<i32>>, %second: tile<ptr<i32>>, %to: tile<ptr<i32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [2560], strides = [1] : tensor_view<2560xi32, strides=[1]>
  %y = make_tensor_view %second, shape = [640], strides = [1] : tensor_view<640xi32, strides=[1]>
  %z = make_tensor_view %to, shape = [2560], strides = [1] : tensor_view<2560xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(64), tensor_view<2560xi32, strides=[1]>>
  %ys = make_partition_view %y : partition_view<tile=(16), tensor_view<640xi32, strides=[1]>>
  %zs = make_partition_view %z : partition_view<tile=(64), tensor_view<2560xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%bx] : partition_view<tile=(64), tensor_view<2560xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %b, %t1 = load_view_tko weak %ys[%bx] : partition_view<tile=(16), tensor_view<640xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %rows = reshape %a : tile<64xi32> -> tile<4x16xi32>
  %one = reshape %b : tile<16xi32> -> tile<1x16xi32>
  %four = broadcast %one : tile<1x16xi32> -> tile<4x16xi32>
  %c = addi %rows, %four : tile<4x16xi32>
  %flat = reshape %c : tile<4x16xi32> -> tile<64xi32>
  %t2 = store_view_tko weak %flat, %zs[%bx] : tile<64xi32>, partition_view<tile=(64), tensor_view<2560xi32, strides=[1]>>, tile<i32> -> token
  return
}";

/// A tile that a block repeats is not what follows in its neighbour's, though that lies right behind it.
#[test]
fn tiles_that_are_repeated_begin_anew_in_each_block() {
    let (blocks, numbers) = (40, |i: usize| i as i32 * 7 % 1000 - 300);
    let expected: Vec<i32> = (0..64 * blocks).map(|i| numbers(i) + numbers(64 * blocks + i / 64 * 16 + i % 16)).collect();
    for machine in [TargetMachine::host(), TargetMachine::host().without_native_code(), TargetMachine::portable()] {
        let (mut memory, all) = buffer((0..80 * blocks + 64 * blocks).flat_map(|i| numbers(i).to_le_bytes()).collect());
        let args = args(memory.address(all), [0, 64 * blocks, 80 * blocks]);
        let plan = program(SPREAD).for_machine(machine).plan("k").unwrap();
        launch(&plan, &mut memory, [blocks as u32, 1, 1], &args, &LaunchOptions::new().threads(1)).unwrap();
        assert_eq!(ints(memory.bytes(all))[80 * blocks..], expected, "{machine:?}");
    }
}

#[test]
fn what_lies_outside_of_buffers_is_found() {
    let (mut memory, all) = buffer(memory());
    // The last blocks would write behind the buffer.
    let args = args(memory.address(all), [0, ALL, ALL + 5 * TILE]);
    let plan = program(&sums(true)).plan("k").unwrap();
    let error = launch(&plan, &mut memory, [BLOCKS, 1, 1], &args, &LaunchOptions::new().threads(1)).unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Access(_)), "{error}");
    assert!(error.block == Some([BLOCKS - 4, 0, 0]) && error.site.is_some(), "{error}");
}
