//! Loops that only multiply, which run without looking up tiles, give what their rounds give one by one.

use crate::text::{buffer, ints, launch_text, program};
use std::{sync::Mutex, thread};
use tilewright_exec::{Access, AccessKind, AccessObserver, Arg, Interrupt, LaunchErrorKind, LaunchOptions, launch};
use tilewright_ir::Scalar;

/// Bytes of the buffer that holds both matrices and, in its second half, the product.
const BYTES: usize = 4096;
/// Rows and columns of what blocks compute: two times two tiles of four by four.
const SIDE: usize = 8;

/// `c = 1 + a * b` in tiles of 4 x 4, two steps of `k` at a time: rounds `%from` to `%upto`, of matrices of 8 x `%k` and `%k` x 8.
const PRODUCT: &str = "
entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %c: tile<ptr<i32>>, %k: tile<i32>, %from: tile<i32>, %upto: tile<i32>, %by: tile<i32>) {
  %i, %j, %z = get_tile_block_id : tile<i32>
  %ones = constant <i32: 1> : tile<4x4xi32>
  %at = make_tensor_view %a, shape = [8, %k], strides = [64, 1] : tile<i32> -> tensor_view<8x?xi8, strides=[64,1]>
  %bt = make_tensor_view %b, shape = [%k, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xi8, strides=[8,1]>
  %ct = make_tensor_view %c, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xi32, strides=[8,1]>
  %av = make_partition_view %at : partition_view<tile=(4x2), padding_value = zero, tensor_view<8x?xi8, strides=[64,1]>>
  %bv = make_partition_view %bt : partition_view<tile=(2x4), padding_value = zero, tensor_view<?x8xi8, strides=[8,1]>>
  %cv = make_partition_view %ct : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[8,1]>>
  %sum = for %p in (%from to %upto, step %by) : tile<i32> iter_values(%acc = %ones) -> (tile<4x4xi32>) {
    %x, %t0 = load_view_tko weak %av[%i, %p] : partition_view<tile=(4x2), padding_value = zero, tensor_view<8x?xi8, strides=[64,1]>>, tile<i32> -> tile<4x2xi8>, token
    %y, %t1 = load_view_tko weak %bv[%p, %j] : partition_view<tile=(2x4), padding_value = zero, tensor_view<?x8xi8, strides=[8,1]>>, tile<i32> -> tile<2x4xi8>, token
    %next = mmai %x, %y, %acc signed signed : tile<4x2xi8>, tile<2x4xi8>, tile<4x4xi32>
    continue %next : tile<4x4xi32>
  }
  %t2 = store_view_tko weak %sum, %cv[%i, %j] : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[8,1]>>, tile<i32> -> token
  return
}";

/// Rounds of a loop: from this one, up to that one, by so many.
#[derive(Clone, Copy, Debug)]
struct Rounds([i32; 3]);

fn left(row: usize, p: usize) -> i32 {
    (row * 7 + p * 5) as i32 % 11 - 5
}

fn right(p: usize, column: usize) -> i32 {
    (p * 3 + column * 4) as i32 % 13 - 6
}

/// The matrices, of 64 steps of `k`, and room for the product.
fn memory() -> Vec<u8> {
    let a = (0..SIDE * 64).map(|at| left(at / 64, at % 64) as u8);
    let b = (0..64 * SIDE).map(|at| right(at / SIDE, at % SIDE) as u8);
    a.chain(b).chain(std::iter::repeat_n(0, BYTES - 1024)).collect()
}

fn expected(k: usize, Rounds([from, upto, by]): Rounds) -> Vec<i32> {
    let steps = || (from..upto).step_by(by as usize).flat_map(|p| [2 * p as usize, 2 * p as usize + 1]).filter(|p| *p < k);
    (0..SIDE * SIDE).map(|at| 1 + steps().map(|p| left(at / SIDE, p) * right(p, at % SIDE)).sum::<i32>()).collect()
}

fn args(base: u64, k: usize, Rounds(rounds): Rounds) -> Vec<Arg> {
    let number = |n: i32| Arg::Scalar(Scalar::I32, u64::from(n.cast_unsigned()));
    let places = [0, 512, BYTES as u64 / 2].map(|at| Arg::Pointer(base + at));
    places.into_iter().chain([number(k as i32)]).chain(rounds.map(number)).collect()
}

fn run(k: usize, rounds: Rounds, options: &LaunchOptions<'_>) -> Vec<i32> {
    run_text(PRODUCT, k, rounds, options)
}

fn run_text(text: &str, k: usize, rounds: Rounds, options: &LaunchOptions<'_>) -> Vec<i32> {
    let (mut memory, all) = buffer(memory());
    let args = args(memory.address(all), k, rounds);
    launch(&program(text).plan("k").unwrap(), &mut memory, [2, 2, 1], &args, options).unwrap_or_else(|error| panic!("{error}"));
    ints(&memory.bytes(all)[BYTES / 2..])[..SIDE * SIDE].to_vec()
}

/// Loops of no round, one and several, that skip some, that end in a tile that is not whole, and behind the matrices.
const LOOPS: [(usize, Rounds); 9] = [
    (64, Rounds([0, 32, 1])),
    (64, Rounds([0, 0, 1])),
    (64, Rounds([5, 6, 1])),
    (64, Rounds([3, 31, 4])),
    (63, Rounds([0, 32, 1])),
    (1, Rounds([0, 1, 1])),
    (9, Rounds([0, 7, 1])),
    (8, Rounds([1, 9, 2])),
    (0, Rounds([0, 3, 1])),
];

#[test]
fn every_round_is_summed() {
    for (k, rounds) in LOOPS {
        for threads in [1, 3] {
            assert_eq!(run(k, rounds, &LaunchOptions::new().threads(threads)), expected(k, rounds), "{k} steps, {rounds:?}");
        }
        let past_the_caches = LaunchOptions::new().threads(1).last_cache(0);
        assert_eq!(run(k, rounds, &past_the_caches), expected(k, rounds), "{k} steps, {rounds:?}, past the caches");
    }
}

/// The first text with more in its loop: these instead of its product, which carry `%acc` and `%more`, and the result of both.
fn with_more(products: &str, result: &str) -> String {
    let two = PRODUCT
        .replace("%sum = for", "%first, %second = for")
        .replace("iter_values(%acc = %ones)", "iter_values(%acc = %ones, %more = %ones)");
    let two = two.replace("-> (tile<4x4xi32>)", "-> (tile<4x4xi32>, tile<4x4xi32>)");
    let two = two.replace("%next = mmai %x, %y, %acc signed signed : tile<4x2xi8>, tile<2x4xi8>, tile<4x4xi32>", products);
    let two = two.replace("continue %next : tile<4x4xi32>", "continue %next, %other : tile<4x4xi32>, tile<4x4xi32>");
    two.replace("%t2 = store_view", &format!("{result}\n  %t2 = store_view"))
}

/// Each launch on one thread and on three.
fn check(text: &str, expected: impl Fn(usize, Rounds) -> Vec<i32>) {
    for (k, rounds) in LOOPS {
        for threads in [1, 3] {
            let found = run_text(text, k, rounds, &LaunchOptions::new().threads(threads));
            assert_eq!(found, expected(k, rounds), "{k} steps, {rounds:?}, {threads} threads");
        }
    }
}

#[test]
fn the_last_round_counts_where_products_are_added_to_the_same() {
    let last = |k, Rounds([from, upto, by])| {
        let mut rounds = (from..upto).step_by(by as usize);
        rounds.next_back().map_or_else(|| vec![1; SIDE * SIDE], |p| self::expected(k, Rounds([p, p + 1, 1])))
    };
    check(&PRODUCT.replace("%x, %y, %acc", "%x, %y, %ones"), last);
}

#[test]
fn several_products_of_a_round_are_summed() {
    // The right factor of the second is that of the blocks in the other column or row, so that products swap theirs.
    let products = "%next = mmai %x, %y, %acc signed signed : tile<4x2xi8>, tile<2x4xi8>, tile<4x4xi32>
    %z2, %t3 = load_view_tko weak %bv[%p, %i] : partition_view<tile=(2x4), padding_value = zero, tensor_view<?x8xi8, strides=[8,1]>>, tile<i32> -> tile<2x4xi8>, token
    %other = mmai %x, %z2, %more signed signed : tile<4x2xi8>, tile<2x4xi8>, tile<4x4xi32>";
    let result = "%three = constant <i32: 3> : tile<4x4xi32>
  %scaled = muli %second, %three : tile<4x4xi32>
  %sum = addi %first, %scaled : tile<4x4xi32>";
    let both = |k, rounds| {
        let one = expected(k, rounds);
        // The same row, in the columns of the tile with the number of the row of tiles.
        (0..SIDE * SIDE).map(|at| one[at] + 3 * one[at / SIDE * SIDE + at / SIDE / 4 * 4 + at % 4]).collect()
    };
    check(&with_more(products, result), both);
    // One sum for both, and another that nobody changes.
    let onto_one = products.replace("%other = mmai %x, %z2, %more", "%other = mmai %x, %z2, %next");
    let in_turn =
        with_more(&onto_one, "%sum = addi %first, %second : tile<4x4xi32>").replace("continue %next, %other", "continue %other, %more");
    let one_sum = |k, rounds| {
        let one = expected(k, rounds);
        (0..SIDE * SIDE).map(|at| one[at] + one[at / SIDE * SIDE + at / SIDE / 4 * 4 + at % 4]).collect()
    };
    check(&in_turn, one_sum);
}

/// The same with matrices of 32 x `%k` and `%k` x 32, in tiles of 16 x 16: where the CPU has AMX, several rounds are one product.
fn large() -> String {
    let tiles = PRODUCT.replace("4x4", "16x16").replace("4x2", "16x16").replace("2x4", "16x16");
    let matrices = tiles.replace("8x8", "32x32").replace("8x?", "32x?").replace("?x8", "?x32");
    let shapes = matrices.replace("[8, 8]", "[32, 32]").replace("[8, %k]", "[32, %k]").replace("[%k, 8]", "[%k, 32]");
    shapes.replace("[64, 1]", "[512, 1]").replace("[64,1]", "[512,1]").replace("[8, 1]", "[32, 1]").replace("[8,1]", "[32,1]")
}

#[test]
fn rounds_that_go_on_where_others_end_are_summed() {
    const SIDE: usize = 32;
    let a = (0..SIDE * 512).map(|at| left(at / 512, at % 512) as u8);
    let b = (0..512 * SIDE).map(|at| right(at / SIDE, at % SIDE) as u8);
    let matrices: Vec<u8> = a.chain(b).chain(std::iter::repeat_n(0, 4 * SIDE * SIDE)).collect();
    let plan = program(&large()).plan("k").unwrap();
    for (k, Rounds([from, upto, by])) in [
        (512, Rounds([0, 32, 1])),
        (512, Rounds([3, 30, 1])),
        (512, Rounds([0, 32, 3])),
        (500, Rounds([0, 32, 1])),
        (40, Rounds([0, 32, 1])),
        (512, Rounds([31, 32, 1])),
    ] {
        let (mut memory, all) = buffer(matrices.clone());
        let base = memory.address(all);
        let number = |n: i32| Arg::Scalar(Scalar::I32, u64::from(n.cast_unsigned()));
        let places = [0, 512 * SIDE, 1024 * SIDE].map(|at| Arg::Pointer(base + at as u64));
        let args: Vec<Arg> = places.into_iter().chain([k as i32, from, upto, by].map(number)).collect();
        launch(&plan, &mut memory, [2, 2, 1], &args, &LaunchOptions::new().threads(1)).unwrap();
        let steps = || (from..upto).step_by(by as usize).flat_map(|p| 16 * p as usize..16 * p as usize + 16).filter(|p| *p < k);
        let sum = |at: usize| 1 + steps().map(|p| left(at / SIDE, p) * right(p, at % SIDE)).sum::<i32>();
        let found = ints(&memory.bytes(all)[1024 * SIDE..]);
        let wrong = (0..SIDE * SIDE).find(|at| found[*at] != sum(*at));
        assert_eq!(wrong, None, "{k} steps, from {from} to {upto} by {by}");
    }
}

/// The reads that it saw.
#[derive(Default)]
struct Watcher(Mutex<usize>);

impl AccessObserver for Watcher {
    fn access(&self, access: &Access) {
        *self.0.lock().unwrap() += usize::from(access.kind == AccessKind::Read);
    }
}

#[test]
fn an_observer_sees_the_loads_of_every_round() {
    let watcher = Watcher::default();
    let rounds = Rounds([0, 4, 1]);
    assert_eq!(run(64, rounds, &LaunchOptions::new().observer(&watcher)), expected(64, rounds));
    let few = *watcher.0.lock().unwrap();
    run(64, Rounds([0, 8, 1]), &LaunchOptions::new().observer(&watcher));
    assert_eq!(*watcher.0.lock().unwrap(), 3 * few);
}

#[test]
fn what_lies_outside_of_the_buffer_is_found() {
    // The right matrix has more rows than the buffer.
    let (mut memory, all) = buffer(memory());
    let mut args = args(memory.address(all), 64, Rounds([0, 32, 1]));
    args[1] = Arg::Pointer(memory.address(all) + BYTES as u64 - 256);
    let error = launch_text(PRODUCT, &mut memory, 2, &args, 1).unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Access(_)) && error.site.is_some(), "{error}");
}

#[test]
fn a_launch_can_be_stopped() {
    // Rounds that go on behind the matrices, and rounds of the same tiles again and again.
    let same = PRODUCT.replace("%av[%i, %p]", "%av[%i, %i]").replace("%bv[%p, %j]", "%bv[%j, %j]");
    for (text, threads) in [(PRODUCT, 1), (&same, 1), (&same, 2)] {
        let plan = program(text).plan("k").unwrap();
        let (mut memory, all) = buffer(memory());
        let args = args(memory.address(all), 64, Rounds([0, i32::MAX, 1]));
        let stop = Interrupt::new();
        let options = LaunchOptions::new().threads(threads).interrupt(&stop);
        let error = thread::scope(|scope| {
            scope.spawn(|| stop.set());
            launch(&plan, &mut memory, [2, 2, 1], &args, &options).unwrap_err()
        });
        assert_eq!(error.kind, LaunchErrorKind::Stopped);
    }
}

/// `c = c + a * b` of floats in tiles of 16 x 16, 8 steps of `k` at a time: matrices of 40 x `%k` and `%k` x 88, which are no whole tiles.
const FLOATS: &str = "
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %k: tile<i32>, %upto: tile<i32>) {
  %i, %j, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %at = make_tensor_view %a, shape = [40, %k], strides = [64, 1] : tile<i32> -> tensor_view<40x?xf32, strides=[64,1]>
  %bt = make_tensor_view %b, shape = [%k, 88], strides = [88, 1] : tile<i32> -> tensor_view<?x88xf32, strides=[88,1]>
  %ct = make_tensor_view %c, shape = [40, 88], strides = [88, 1] : tensor_view<40x88xf32, strides=[88,1]>
  %av = make_partition_view %at : partition_view<tile=(16x8), padding_value = zero, tensor_view<40x?xf32, strides=[64,1]>>
  %bv = make_partition_view %bt : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x88xf32, strides=[88,1]>>
  %cv = make_partition_view %ct : partition_view<tile=(16x16), padding_value = zero, tensor_view<40x88xf32, strides=[88,1]>>
  %before, %t = load_view_tko weak %cv[%i, %j] : partition_view<tile=(16x16), padding_value = zero, tensor_view<40x88xf32, strides=[88,1]>>, tile<i32> -> tile<16x16xf32>, token
  %sum = for %p in (%zero to %upto, step %one) : tile<i32> iter_values(%acc = %before) -> (tile<16x16xf32>) {
    %x, %t0 = load_view_tko weak %av[%i, %p] : partition_view<tile=(16x8), padding_value = zero, tensor_view<40x?xf32, strides=[64,1]>>, tile<i32> -> tile<16x8xf32>, token
    %y, %t1 = load_view_tko weak %bv[%p, %j] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x88xf32, strides=[88,1]>>, tile<i32> -> tile<8x16xf32>, token
    %next = mmaf %x, %y, %acc : tile<16x8xf32>, tile<8x16xf32>, tile<16x16xf32>
    continue %next : tile<16x16xf32>
  }
  %t2 = store_view_tko weak %sum, %cv[%i, %j] : tile<16x16xf32>, partition_view<tile=(16x16), padding_value = zero, tensor_view<40x88xf32, strides=[88,1]>>, tile<i32> -> token
  return
}";

#[test]
fn narrow_tiles_beside_each_other_are_summed_as_if_alone() {
    let number = |n: usize| ((n * 2_654_435_761 % 1_000_003) as f64 / 1e5 - 5.0) * if n.is_multiple_of(7) { 1e4 } else { 1.0 };
    for (text, size) in [(FLOATS.to_owned(), 4), (FLOATS.replace("f32", "f64"), 8)] {
        let plan = program(&text).plan("k").unwrap();
        let bytes = |n: usize| if size == 4 { (number(n) as f32).to_le_bytes().to_vec() } else { number(n).to_le_bytes().to_vec() };
        let matrices: Vec<u8> = (0..40 * 64 + 64 * 88 + 40 * 88).flat_map(bytes).collect();
        for (k, rounds) in [(64, 8), (64, 1), (64, 0), (61, 8), (64, 5), (40, 8)] {
            let sums = |options: &LaunchOptions<'_>| {
                let (mut memory, all) = buffer(matrices.clone());
                let places = [0, 40 * 64, 40 * 64 + 64 * 88].map(|at| Arg::Pointer(memory.address(all) + at as u64 * size as u64));
                let numbers = [k, rounds].map(|n: i32| Arg::Scalar(Scalar::I32, u64::from(n.cast_unsigned())));
                let args: Vec<Arg> = places.into_iter().chain(numbers).collect();
                launch(&plan, &mut memory, [3, 6, 1], &args, options).unwrap_or_else(|error| panic!("{error}"));
                memory.bytes(all).to_vec()
            };
            let alone = sums(&LaunchOptions::new().threads(1).observer(&Watcher::default()));
            for threads in [1, 3] {
                assert!(
                    sums(&LaunchOptions::new().threads(threads)) == alone,
                    "{k} steps, {rounds} rounds of {size} bytes, {threads} threads"
                );
            }
        }
    }
}
