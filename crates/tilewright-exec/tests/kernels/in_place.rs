//! Tiles that are read and written where they lie in memory give what copies would give.

use crate::text::{buffer, ints, launch_text, program};
use std::sync::Mutex;
use tilewright_exec::{Access, AccessKind, AccessObserver, Arg, LaunchOptions, Memory, launch};

/// Elements of a tile: several pieces of a sweep.
const N: usize = 4096;

/// `to[i] = (from[i] + from[i]) * 3`, with both tensors of `%extent` elements in one buffer.
const TRIPLE: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %y = make_tensor_view %to, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
  %ys = make_partition_view %y : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%bx] : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<4096xi32>, token
  %b = addi %a, %a : tile<4096xi32>
  %three = constant <i32: 3> : tile<4096xi32>
  %c = muli %b, %three : tile<4096xi32>
  %t1 = store_view_tko weak %c, %ys[%bx] token = %t0 : tile<4096xi32>, partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}";

/// Doubles the whole tile, and stores its sum as well: the load is read by a sweep, and by a fold of rows.
const SUM: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %y = make_tensor_view %to, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
  %ys = make_partition_view %y : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%zero] : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<4096xi32>, token
  %sum = reduce %a dim=0 identities=[0 : i32] : tile<4096xi32> -> tile<i32>
  (%l: tile<i32>, %r: tile<i32>) {
    %s = addi %l, %r : tile<i32>
    yield %s : tile<i32>
  }
  %row = reshape %sum : tile<i32> -> tile<1xi32>
  %all = broadcast %row : tile<1xi32> -> tile<4096xi32>
  %b = subi %all, %a : tile<4096xi32>
  %t1 = store_view_tko weak %b, %ys[%zero] token = %t0 : tile<4096xi32>, partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}";

/// Stores the double of a tile, and three times that behind it: a sweep computes both, one from the other.
const BOTH: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %x = make_tensor_view %from, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %y = make_tensor_view %to, shape = [8192], strides = [1] : tile<ptr<i32>> -> tensor_view<8192xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
  %ys = make_partition_view %y : partition_view<tile=(4096), tensor_view<8192xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%zero] : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<4096xi32>, token
  %b = addi %a, %a : tile<4096xi32>
  %three = constant <i32: 3> : tile<4096xi32>
  %c = muli %b, %three : tile<4096xi32>
  %t1 = store_view_tko weak %b, %ys[%zero] token = %t0 : tile<4096xi32>, partition_view<tile=(4096), tensor_view<8192xi32, strides=[1]>>, tile<i32> -> token
  %t2 = store_view_tko weak %c, %ys[%one] token = %t1 : tile<4096xi32>, partition_view<tile=(4096), tensor_view<8192xi32, strides=[1]>>, tile<i32> -> token
  return
}";

/// Stores the sum of a tile to all elements of another that are inside its tensor, and behind that the sum less each element: the loaded tile
/// is read behind a store.
const PAST: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %x = make_tensor_view %from, shape = [4096], strides = [1] : tensor_view<4096xi32, strides=[1]>
  %y = make_tensor_view %to, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %z = make_tensor_view %to, shape = [8192], strides = [1] : tensor_view<8192xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(4096), tensor_view<4096xi32, strides=[1]>>
  %ys = make_partition_view %y : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
  %zs = make_partition_view %z : partition_view<tile=(4096), tensor_view<8192xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%zero] : partition_view<tile=(4096), tensor_view<4096xi32, strides=[1]>>, tile<i32> -> tile<4096xi32>, token
  %sum = reduce %a dim=0 identities=[0 : i32] : tile<4096xi32> -> tile<i32>
  (%l: tile<i32>, %r: tile<i32>) {
    %s = addi %l, %r : tile<i32>
    yield %s : tile<i32>
  }
  %row = reshape %sum : tile<i32> -> tile<1xi32>
  %all = broadcast %row : tile<1xi32> -> tile<4096xi32>
  %t1 = store_view_tko weak %all, %ys[%zero] token = %t0 : tile<4096xi32>, partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %b = subi %all, %a : tile<4096xi32>
  %t2 = store_view_tko weak %b, %zs[%one] token = %t1 : tile<4096xi32>, partition_view<tile=(4096), tensor_view<8192xi32, strides=[1]>>, tile<i32> -> token
  return
}";

/// Updates two tiles, as optimizers do: `p, q = p + q, q * 3 - p`, with `p` at `%from` and `q` at `%to`.
const UPDATE: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %y = make_tensor_view %to, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
  %ys = make_partition_view %y : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
  %p, %t0 = load_view_tko weak %xs[%zero] : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<4096xi32>, token
  %q, %t1 = load_view_tko weak %ys[%zero] : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<4096xi32>, token
  %three = constant <i32: 3> : tile<4096xi32>
  %a = addi %p, %q : tile<4096xi32>
  %m = muli %q, %three : tile<4096xi32>
  %b = subi %m, %p : tile<4096xi32>
  %t2 = join_tokens %t0, %t1 : token
  %t3 = store_view_tko weak %a, %xs[%zero] token = %t2 : tile<4096xi32>, partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %t4 = store_view_tko weak %b, %ys[%zero] token = %t3 : tile<4096xi32>, partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}";

/// Copies every second row of eight numbers from `%from` on to a tile of four rows.
const GATHER_ROWS: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [%extent, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xi32, strides=[8,1]>
  %y = make_tensor_view %to, shape = [4, 8], strides = [8, 1] : tensor_view<4x8xi32, strides=[8,1]>
  %xs = make_gather_scatter_view %x : gather_scatter_view<tile=(4x8), tensor_view<?x8xi32, strides=[8,1]>, sparse_dim=0>
  %ys = make_partition_view %y : partition_view<tile=(4x8), tensor_view<4x8xi32, strides=[8,1]>>
  %i = iota : tile<4xi32>
  %rows = addi %i, %i : tile<4xi32>
  %a, %t0 = load_view_tko weak %xs[%rows, %zero] : gather_scatter_view<tile=(4x8), tensor_view<?x8xi32, strides=[8,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xi32>, token
  %t1 = store_view_tko weak %a, %ys[%zero, %zero] token = %t0 : tile<4x8xi32>, partition_view<tile=(4x8), tensor_view<4x8xi32, strides=[8,1]>>, tile<i32> -> token
  return
}";

/// Copies a tile of four rows of eight numbers to every second row from `%to` on.
const SCATTER_ROWS: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [4, 8], strides = [8, 1] : tensor_view<4x8xi32, strides=[8,1]>
  %y = make_tensor_view %to, shape = [%extent, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xi32, strides=[8,1]>
  %xs = make_partition_view %x : partition_view<tile=(4x8), tensor_view<4x8xi32, strides=[8,1]>>
  %ys = make_gather_scatter_view %y : gather_scatter_view<tile=(4x8), tensor_view<?x8xi32, strides=[8,1]>, sparse_dim=0>
  %i = iota : tile<4xi32>
  %rows = addi %i, %i : tile<4xi32>
  %a, %t0 = load_view_tko weak %xs[%zero, %zero] : partition_view<tile=(4x8), tensor_view<4x8xi32, strides=[8,1]>>, tile<i32> -> tile<4x8xi32>, token
  %t1 = store_view_tko weak %a, %ys[%rows, %zero] token = %t0 : tile<4x8xi32>, gather_scatter_view<tile=(4x8), tensor_view<?x8xi32, strides=[8,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
  return
}";

/// Copies a tile of two elements that lie `%stride` apart.
const APART: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %stride: tile<i64>) {
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [2], strides = [%stride] : tile<i64> -> tensor_view<2xi32, strides=[?]>
  %y = make_tensor_view %to, shape = [2], strides = [1] : tensor_view<2xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(2), tensor_view<2xi32, strides=[?]>>
  %ys = make_partition_view %y : partition_view<tile=(2), tensor_view<2xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%zero] : partition_view<tile=(2), tensor_view<2xi32, strides=[?]>>, tile<i32> -> tile<2xi32>, token
  %t1 = store_view_tko weak %a, %ys[%zero] token = %t0 : tile<2xi32>, partition_view<tile=(2), tensor_view<2xi32, strides=[1]>>, tile<i32> -> token
  return
}";

#[derive(Default)]
struct Recorder(Mutex<Vec<Access>>);

impl AccessObserver for Recorder {
    fn access(&self, access: &Access) {
        self.0.lock().unwrap().push(*access);
    }
}

fn numbers(n: usize) -> Vec<i32> {
    (0..n as i32).map(|i| i * 7 % 1000 - 300).collect()
}

/// What the buffer, `numbers` at first, holds when one block has run with these places in it, in bytes.
fn run(kernel: &str, [from, to]: [usize; 2], extent: usize, observer: Option<&Recorder>) -> Vec<i32> {
    let bytes: Vec<u8> = numbers(4 * N).iter().flat_map(|n| n.to_le_bytes()).collect();
    let (mut memory, out) = buffer(bytes);
    let base = memory.address(out);
    let args = [Arg::Pointer(base + from as u64), Arg::Pointer(base + to as u64), Arg::Scalar(tilewright_ir::Scalar::I32, extent as u64)];
    let options = LaunchOptions::new().threads(1);
    let options = if let Some(observer) = observer { options.observer(observer) } else { options };
    let plan = program(kernel).plan("k").unwrap_or_else(|error| panic!("{error}"));
    launch(&plan, &mut memory, [1, 1, 1], &args, &options).unwrap_or_else(|error| panic!("{error}"));
    ints(memory.bytes(out))
}

fn with_result(to: usize, values: impl Iterator<Item = i32>) -> Vec<i32> {
    let mut all = numbers(4 * N);
    all[to / 4..].iter_mut().zip(values).for_each(|(to, value)| *to = value);
    all
}

/// Places of what is read and what is written: apart, side by side, the same, and overlapping in both directions.
const PLACES: [[usize; 2]; 7] = [[0, 8 * N], [0, 4 * N], [4 * N, 0], [16, 16], [0, 4], [400, 0], [0, 4 * 1024]];

#[test]
fn a_sweep_that_writes_to_memory_reads_what_was_there_before() {
    for [from, to] in PLACES {
        let expected = with_result(to, numbers(4 * N)[from / 4..][..N].iter().map(|x| (x + x) * 3));
        assert_eq!(run(TRIPLE, [from, to], N, None), expected, "from {from} to {to}");
        let sum: i32 = numbers(4 * N)[from / 4..][..N].iter().sum();
        let expected = with_result(to, numbers(4 * N)[from / 4..][..N].iter().map(|x| sum - x));
        assert_eq!(run(SUM, [from, to], N, None), expected, "sum, from {from} to {to}");
    }
}

#[test]
fn what_is_read_behind_a_store_is_what_was_there_before() {
    for [from, to] in PLACES {
        for extent in [N, 1000] {
            let read = &numbers(4 * N)[from / 4..][..N];
            let sum: i32 = read.iter().sum();
            let beside = numbers(4 * N)[to / 4..][extent..N].to_vec();
            let expected = with_result(to, std::iter::repeat_n(sum, extent).chain(beside).chain(read.iter().map(|x| sum - x)));
            assert_eq!(run(PAST, [from, to], extent, None), expected, "from {from} to {to}, {extent} elements");
        }
    }
}

#[test]
fn tiles_are_updated_where_they_lie() {
    for [from, to] in PLACES {
        let all = numbers(4 * N);
        let (p, q) = (&all[from / 4..][..N], &all[to / 4..][..N]);
        let mut expected = all.clone();
        expected[from / 4..][..N].iter_mut().zip(p.iter().zip(q)).for_each(|(to, (p, q))| *to = p + q);
        expected[to / 4..][..N].iter_mut().zip(p.iter().zip(q)).for_each(|(to, (p, q))| *to = q * 3 - p);
        assert_eq!(run(UPDATE, [from, to], N, None), expected, "{from} and {to}");
    }
}

#[test]
fn rows_are_copied_as_they_were_before() {
    // Apart, and such that what is written is read: the same rows, some of them, parts of them.
    for [from, to] in [[0, 4096], [4096, 0], [0, 0], [0, 32], [32, 0], [0, 16], [64, 0], [0, 224]] {
        let all = numbers(4 * N);
        let gathered = (0..4).flat_map(|row| all[from / 4 + 16 * row..][..8].to_vec());
        assert_eq!(run(GATHER_ROWS, [from, to], 7, None), with_result(to, gathered), "gathered from {from} to {to}");
        let mut scattered = all.clone();
        for row in 0..4 {
            scattered[to / 4 + 16 * row..][..8].copy_from_slice(&all[from / 4 + 8 * row..][..8]);
        }
        assert_eq!(run(SCATTER_ROWS, [from, to], 7, None), scattered, "scattered from {from} to {to}");
    }
    // The last rows are outside of the tensor.
    let all = numbers(4 * N);
    let gathered = (0..3).flat_map(|row| all[16 * row..][..8].to_vec());
    assert_eq!(run(GATHER_ROWS, [0, 4096], 5, None)[1024..][..24], gathered.collect::<Vec<_>>());
    assert_eq!(run(SCATTER_ROWS, [0, 4096], 5, None)[1024 + 40..], all[1024 + 40..]);
}

#[test]
fn a_sweep_reads_its_own_results() {
    let doubles = numbers(N).into_iter().map(|x| x + x);
    let expected = with_result(8 * N, doubles.clone().chain(doubles.map(|x| x * 3)));
    assert_eq!(run(BOTH, [0, 8 * N], N, None), expected);
}

#[test]
fn only_what_lies_in_the_tensor_is_written() {
    for extent in [1, 1000, N - 1] {
        let expected = with_result(8 * N, numbers(extent).iter().map(|x| (x + x) * 3));
        assert_eq!(run(TRIPLE, [0, 8 * N], extent, None), expected, "{extent} elements");
    }
}

#[test]
fn a_tile_that_ends_where_no_address_is_cannot_be_read() {
    let read = |stride: u64| {
        let (mut memory, numbers) = buffer((0..16).collect());
        let base = memory.address(numbers);
        let args = [Arg::Pointer(base), Arg::Pointer(base + 8), Arg::Scalar(tilewright_ir::Scalar::I64, stride)];
        launch_text(APART, &mut memory, 1, &args, 1).map(|_| ints(memory.bytes(numbers))[2..].to_vec())
    };
    assert_eq!(read(1).unwrap(), [0x0302_0100, 0x0706_0504]);
    for stride in [4, 1 << 61, 1 << 62, i64::MAX as u64, u64::MAX] {
        assert!(read(stride).is_err(), "{stride}");
    }
}

#[test]
fn accesses_in_place_are_observed() {
    let recorder = Recorder::default();
    let observed = run(TRIPLE, [0, 8 * N], N, Some(&recorder));
    assert_eq!(observed, run(TRIPLE, [0, 8 * N], N, None));
    let seen: Vec<_> = recorder.0.into_inner().unwrap().iter().map(|a| (a.kind, a.bytes)).collect();
    assert_eq!(seen, [(AccessKind::Read, 4 * N as u64), (AccessKind::Write, 4 * N as u64)]);
}

/// `c = a * b`, for the tiles at column and row `%bx` of two tensors of 7 x 14 floats; `b` is seen transposed.
const PRODUCT: &str = "
entry @k(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %a = make_tensor_view %from, shape = [7, %extent], strides = [14, 1] : tile<i32> -> tensor_view<7x?xf32, strides=[14,1]>
  %c = make_tensor_view %to, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xf32, strides=[4,1]>
  %as = make_partition_view %a : partition_view<tile=(4x8), padding_value = zero, tensor_view<7x?xf32, strides=[14,1]>>
  %bs = make_partition_view %a : partition_view<tile=(8x4), padding_value = zero, tensor_view<7x?xf32, strides=[14,1]>, dim_map=[1, 0]>
  %cs = make_partition_view %c : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>>
  %l, %t0 = load_view_tko weak %as[%zero, %bx] : partition_view<tile=(4x8), padding_value = zero, tensor_view<7x?xf32, strides=[14,1]>>, tile<i32> -> tile<4x8xf32>, token
  %r, %t1 = load_view_tko weak %bs[%bx, %zero] : partition_view<tile=(8x4), padding_value = zero, tensor_view<7x?xf32, strides=[14,1]>, dim_map=[1, 0]>, tile<i32> -> tile<8x4xf32>, token
  %none = constant <f32: 0.0> : tile<4x4xf32>
  %p = mmaf %l, %r, %none : tile<4x8xf32>, tile<8x4xf32>, tile<4x4xf32>
  %t2 = store_view_tko weak %p, %cs[%zero, %zero] : tile<4x4xf32>, partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> token
  return
}";

/// Multiplies the last tile of `PRODUCT`, with `extent` columns of the tensor; gives the product.
fn multiply(extent: usize, to: usize, observer: Option<&Recorder>) -> Vec<f32> {
    let matrix: Vec<u8> = (0..200i16).flat_map(|i| f32::from(i % 13 - 6).to_le_bytes()).collect();
    let (mut memory, out) = buffer(matrix);
    let base = memory.address(out);
    let args = [Arg::Pointer(base), Arg::Pointer(base + to as u64), Arg::Scalar(tilewright_ir::Scalar::I32, extent as u64)];
    let options = LaunchOptions::new().threads(1);
    let options = if let Some(observer) = observer { options.observer(observer) } else { options };
    let plan = program(PRODUCT).plan("k").unwrap_or_else(|error| panic!("{error}"));
    launch(&plan, &mut memory, [1, 1, 1], &args, &options).unwrap_or_else(|error| panic!("{error}"));
    memory.bytes(out)[to..][..64].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn products_read_factors_where_they_lie() {
    let at = |row: usize, column: usize, extent| if column < extent { ((row * 14 + column) % 13) as f32 - 6.0 } else { 0.0 };
    for extent in [8, 7, 1, 12] {
        let element = |i: usize| (0..8).map(|p| at(i / 4, p, extent) * at(i % 4, p, extent)).sum::<f32>();
        let expected: Vec<f32> = (0..16).map(element).collect();
        // The product goes elsewhere, or over its factors.
        for to in [512, 0, 32] {
            let recorder = Recorder::default();
            assert_eq!(multiply(extent, to, None), expected, "{extent} columns, to {to}");
            assert_eq!(multiply(extent, to, Some(&recorder)), expected, "{extent} columns, to {to}, watched");
            let read: u64 = recorder.0.into_inner().unwrap().iter().filter(|a| a.kind == AccessKind::Read).map(|a| a.bytes).sum();
            assert_eq!(read, 2 * 4 * 4 * extent.min(8) as u64);
        }
    }
}

/// Sums of the columns of a tile of 4 rows of a tensor with 8 rows, and of its rows as they are seen transposed.
const COLUMNS: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x = make_tensor_view %from, shape = [8, %extent], strides = [13, 1] : tile<i32> -> tensor_view<8x?xi32, strides=[13,1]>
  %y = make_tensor_view %to, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(4x8), padding_value = zero, tensor_view<8x?xi32, strides=[13,1]>>
  %ts = make_partition_view %x : partition_view<tile=(8x4), padding_value = zero, tensor_view<8x?xi32, strides=[13,1]>, dim_map=[1, 0]>
  %ys = make_partition_view %y : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xs[%zero, %zero] : partition_view<tile=(4x8), padding_value = zero, tensor_view<8x?xi32, strides=[13,1]>>, tile<i32> -> tile<4x8xi32>, token
  %b, %t1 = load_view_tko weak %ts[%zero, %zero] : partition_view<tile=(8x4), padding_value = zero, tensor_view<8x?xi32, strides=[13,1]>, dim_map=[1, 0]>, tile<i32> -> tile<8x4xi32>, token
  %s = reduce %a dim=0 identities=[0 : i32] : tile<4x8xi32> -> tile<8xi32>
  (%l: tile<i32>, %r: tile<i32>) {
    %p = addi %l, %r : tile<i32>
    yield %p : tile<i32>
  }
  %m = reduce %b dim=0 identities=[0 : i32] : tile<8x4xi32> -> tile<4xi32>
  (%l2: tile<i32>, %r2: tile<i32>) {
    %p2 = maxi %l2, %r2 signed : tile<i32>
    yield %p2 : tile<i32>
  }
  %m2 = cat %m, %m dim = 0 : tile<4xi32>, tile<4xi32> -> tile<8xi32>
  %z = subi %s, %m2 : tile<8xi32>
  %t2 = store_view_tko weak %z, %ys[%zero] : tile<8xi32>, partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> token
  return
}";

#[test]
fn columns_are_folded_where_they_lie() {
    for extent in [8, 13, 5, 1] {
        for [from, to] in [[0, 8 * N], [0, 0], [52, 60]] {
            let at = |row: usize, column: usize| if column < extent { numbers(4 * N)[from / 4 + row * 13 + column] } else { 0 };
            let largest: Vec<i32> = (0..4).map(|row| (0..8).map(|c| at(row, c)).max().unwrap()).collect();
            let expected = with_result(to, (0..8).map(|c| (0..4).map(|row| at(row, c)).sum::<i32>() - largest[c % 4]));
            assert_eq!(run(COLUMNS, [from, to], extent, None), expected, "{extent} columns, from {from} to {to}");
            assert_eq!(run(COLUMNS, [from, to], extent, Some(&Recorder::default())), expected, "{extent} columns, watched");
        }
    }
}

/// `to[b * i] = 3 * from[a * i]` for `n` elements, of a tensor whose elements lie `a` apart and one whose elements lie `b` apart.
fn triple_apart(ty: &str, [a, b]: [usize; 2], n: usize) -> String {
    format!(
        "
entry @k(%from: tile<ptr<{ty}>>, %to: tile<ptr<{ty}>>) {{
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [{n}], strides = [{a}] : tile<ptr<{ty}>> -> tensor_view<{n}x{ty}, strides=[{a}]>
  %y = make_tensor_view %to, shape = [{n}], strides = [{b}] : tile<ptr<{ty}>> -> tensor_view<{n}x{ty}, strides=[{b}]>
  %xs = make_partition_view %x : partition_view<tile=(256), tensor_view<{n}x{ty}, strides=[{a}]>>
  %ys = make_partition_view %y : partition_view<tile=(256), tensor_view<{n}x{ty}, strides=[{b}]>>
  %v, %t0 = load_view_tko weak %xs[%bx] : partition_view<tile=(256), tensor_view<{n}x{ty}, strides=[{a}]>>, tile<i32> -> tile<256x{ty}>, token
  %three = constant <{ty}: 3> : tile<256x{ty}>
  %w = muli %v, %three : tile<256x{ty}>
  %t1 = store_view_tko weak %w, %ys[%bx] token = %t0 : tile<256x{ty}>, partition_view<tile=(256), tensor_view<{n}x{ty}, strides=[{b}]>>, tile<i32> -> token
  return
}}"
    )
}

#[test]
fn elements_apart_are_computed_where_they_lie() {
    let n = 1000;
    for (ty, size) in [("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8)] {
        for steps in (1..=6).flat_map(|a| (1..=6).map(move |b| [a, b])) {
            let program = program(&triple_apart(ty, steps, n));
            let plan = program.plan("k").unwrap();
            let bytes = |step: usize| ((n - 1) * step + 1) * size;
            let from: Vec<u8> = (0..bytes(steps[0])).map(|i| (i * 37 + 11) as u8).collect();
            let mut expected = vec![0xa5; bytes(steps[1])];
            for i in 0..n {
                let mut word = [0; 8];
                word[..size].copy_from_slice(&from[i * steps[0] * size..][..size]);
                let tripled = u64::from_le_bytes(word).wrapping_mul(3).to_le_bytes();
                expected[i * steps[1] * size..][..size].copy_from_slice(&tripled[..size]);
            }
            let mut memory = Memory::new();
            let (from, to) = (memory.add(from), memory.add(vec![0xa5; bytes(steps[1])]));
            let [from, target] = [from, to].map(|buffer| Arg::Pointer(memory.address(buffer)));
            launch(&plan, &mut memory, [4, 1, 1], &[from, target], &LaunchOptions::new()).unwrap();
            assert!(memory.bytes(to) == expected, "{ty}, {steps:?}");
        }
    }
}

/// For each column of a matrix whose rows lie 13 elements apart: `s = 3 * s + column; s = column - sum(s) + s`, which is row `j` of a result. Columns
/// behind the extent are zeros.
const RECURRENCE: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %extent: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %n = constant <i32: 13> : tile<i32>
  %zeros = constant <i32: 0> : tile<32xi32>
  %three = constant <i32: 3> : tile<32xi32>
  %x = make_tensor_view %from, shape = [32, %extent], strides = [13, 1] : tile<i32> -> tensor_view<32x?xi32, strides=[13,1]>
  %y = make_tensor_view %to, shape = [13, 32], strides = [32, 1] : tensor_view<13x32xi32, strides=[32,1]>
  %xs = make_partition_view %x : partition_view<tile=(32x1), padding_value = zero, tensor_view<32x?xi32, strides=[13,1]>>
  %ys = make_partition_view %y : partition_view<tile=(1x32), tensor_view<13x32xi32, strides=[32,1]>>
  %last = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zeros) -> (tile<32xi32>) {
    %a, %t0 = load_view_tko weak %xs[%zero, %j] : partition_view<tile=(32x1), padding_value = zero, tensor_view<32x?xi32, strides=[13,1]>>, tile<i32> -> tile<32x1xi32>, token
    %c = reshape %a : tile<32x1xi32> -> tile<32xi32>
    %s3 = muli %s, %three : tile<32xi32>
    %u = addi %s3, %c : tile<32xi32>
    %m = reduce %u dim=0 identities=[0 : i32] : tile<32xi32> -> tile<i32>
    (%l: tile<i32>, %r: tile<i32>) {
      %p = addi %l, %r : tile<i32>
      yield %p : tile<i32>
    }
    %m1 = reshape %m : tile<i32> -> tile<1xi32>
    %mb = broadcast %m1 : tile<1xi32> -> tile<32xi32>
    %d = subi %c, %mb : tile<32xi32>
    %next = addi %d, %u : tile<32xi32>
    %row = reshape %next : tile<32xi32> -> tile<1x32xi32>
    %t1 = store_view_tko weak %row, %ys[%j, %zero] token = %t0 : tile<1x32xi32>, partition_view<tile=(1x32), tensor_view<13x32xi32, strides=[32,1]>>, tile<i32> -> token
    continue %next : tile<32xi32>
  }
  return
}";

#[test]
fn columns_that_go_to_registers_do_so_in_each_round() {
    for extent in [13, 9, 1] {
        let all = numbers(4 * N);
        let column = |row: usize, j: usize| if j < extent { all[row * 13 + j] } else { 0 };
        let (mut state, mut expected) = ([0i32; 32], Vec::new());
        for j in 0..13 {
            let scaled: [i32; 32] = std::array::from_fn(|row| state[row].wrapping_mul(3).wrapping_add(column(row, j)));
            let sum = scaled.iter().fold(0i32, |sum, x| sum.wrapping_add(*x));
            state = std::array::from_fn(|row| column(row, j).wrapping_sub(sum).wrapping_add(scaled[row]));
            expected.extend(state);
        }
        let expected = with_result(8 * N, expected.into_iter());
        assert_eq!(run(RECURRENCE, [0, 8 * N], extent, None), expected, "{extent} columns");
        assert_eq!(run(RECURRENCE, [0, 8 * N], extent, Some(&Recorder::default())), expected, "{extent} columns, watched");
    }
}

/// Sums columns of a tile of many rows that lie a power of two apart, and stores what each element is less than its column's sum.
const CROWDED: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [256, 1024], strides = [1024, 1] : tensor_view<256x1024xi32, strides=[1024,1]>
  %y = make_tensor_view %to, shape = [256, 1024], strides = [1024, 1] : tensor_view<256x1024xi32, strides=[1024,1]>
  %xs = make_partition_view %x : partition_view<tile=(256x16), tensor_view<256x1024xi32, strides=[1024,1]>>
  %ys = make_partition_view %y : partition_view<tile=(256x16), tensor_view<256x1024xi32, strides=[1024,1]>>
  %a, %t0 = load_view_tko weak %xs[%zero, %bx] : partition_view<tile=(256x16), tensor_view<256x1024xi32, strides=[1024,1]>>, tile<i32> -> tile<256x16xi32>, token
  %sum = reduce %a dim=0 identities=[0 : i32] : tile<256x16xi32> -> tile<16xi32>
  (%l: tile<i32>, %r: tile<i32>) {
    %s = addi %l, %r : tile<i32>
    yield %s : tile<i32>
  }
  %row = reshape %sum : tile<16xi32> -> tile<1x16xi32>
  %all = broadcast %row : tile<1x16xi32> -> tile<256x16xi32>
  %b = subi %all, %a : tile<256x16xi32>
  %t1 = store_view_tko weak %b, %ys[%zero, %bx] token = %t0 : tile<256x16xi32>, partition_view<tile=(256x16), tensor_view<256x1024xi32, strides=[1024,1]>>, tile<i32> -> token
  return
}";

#[test]
fn rows_that_no_cache_holds_where_they_lie_are_read_twice() {
    let all = numbers(256 * 1024);
    let (mut memory, from) = buffer(all.iter().flat_map(|n| n.to_le_bytes()).collect());
    let base = memory.address(from);
    // It is overwritten.
    launch_text(CROWDED, &mut memory, 64, &[Arg::Pointer(base), Arg::Pointer(base)], 1).unwrap_or_else(|error| panic!("{error}"));
    let sum = |column: usize| (0..256).map(|row| all[row * 1024 + column]).sum::<i32>();
    let sums: Vec<i32> = (0..1024).map(sum).collect();
    let expected: Vec<i32> = all.iter().enumerate().map(|(i, x)| sums[i % 1024] - x).collect();
    assert_eq!(ints(memory.bytes(from)), expected);
}
