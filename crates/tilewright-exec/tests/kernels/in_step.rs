//! Neighbouring blocks that run in step, because they reduce columns of tiles that lie beside each other, do what single ones do.

use crate::text::{SUMS_OF_COLUMNS, buffer, ints, launch_text, program};
use std::thread;
use tilewright_exec::{Access, AccessObserver, Arg, Interrupt, LaunchErrorKind, LaunchOptions, launch};
use tilewright_ir::Scalar;

/// Blocks, and columns of the matrix: two for each.
const BLOCKS: u32 = 40;
const COLUMNS: usize = 2 * BLOCKS as usize;
/// Tiles of 16 rows below each other.
const TILES: usize = 4;

fn numbers() -> Vec<i32> {
    (0..(16 * TILES * COLUMNS) as i32).map(|i| i * 7 % 1000 - 300).collect()
}

/// Room for the sums, and the matrix behind it.
fn memory() -> Vec<u8> {
    std::iter::repeat_n(0, COLUMNS).chain(numbers()).flat_map(|n| n.to_le_bytes()).collect()
}

fn args(base: u64, from: usize, times: i32) -> [Arg; 3] {
    [Arg::Pointer(base + 4 * from as u64), Arg::Pointer(base), Arg::Scalar(Scalar::I32, u64::from(times.cast_unsigned()))]
}

struct Watcher;

impl AccessObserver for Watcher {
    fn access(&self, _: &Access) {}
}

#[test]
fn each_block_sums_its_own_columns() {
    let column = |c: usize| -> i32 { numbers().iter().skip(c).step_by(COLUMNS).sum() };
    let expected: Vec<i32> = (0..COLUMNS).map(column).collect();
    // As many blocks as run in step, some, and one after the other, as an observer sees them.
    for options in
        [1, 2, 5].map(|threads| LaunchOptions::new().threads(threads)).into_iter().chain([LaunchOptions::new().observer(&Watcher)])
    {
        let (mut memory, all) = buffer(memory());
        let args = args(memory.address(all), COLUMNS, TILES as i32);
        launch(&program(SUMS_OF_COLUMNS).plan("k").unwrap(), &mut memory, [BLOCKS, 1, 1], &args, &options).unwrap();
        assert_eq!(ints(memory.bytes(all))[..COLUMNS], expected);
    }
}

#[test]
fn what_lies_outside_is_found() {
    let (mut memory, all) = buffer(memory());
    // The last tiles of the last blocks end behind the buffer.
    let args = args(memory.address(all), COLUMNS + 10, TILES as i32);
    let error = launch_text(SUMS_OF_COLUMNS, &mut memory, BLOCKS, &args, 1).unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Access(_)), "{error}");
    assert!(error.block.is_some_and(|[x, _, _]| x >= 35) && error.site.is_some(), "{error}");
}

#[test]
fn a_launch_can_be_stopped() {
    let plan = program(SUMS_OF_COLUMNS).plan("k").unwrap();
    for threads in [1, 2] {
        let (mut memory, all) = buffer(memory());
        let args = args(memory.address(all), COLUMNS, i32::MAX);
        let stop = Interrupt::new();
        let options = LaunchOptions::new().threads(threads).interrupt(&stop);
        let error = thread::scope(|scope| {
            scope.spawn(|| stop.set());
            launch(&plan, &mut memory, [BLOCKS, 1, 1], &args, &options).unwrap_err()
        });
        assert_eq!(error.kind, LaunchErrorKind::Stopped);
    }
}
