//! Fused regions of elementwise operations give what the definition gives, wherever their results begin and however they are written.

use crate::text::{buffer, ints, program};
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

/// Tiles of a matrix, which lie in memory with these strides.
struct Matrix {
    rows: usize,
    columns: usize,
    /// Elements from one row to the next, and from one column to the next, of what is read and of what is written.
    from: [usize; 2],
    to: [usize; 2],
}

impl Matrix {
    /// `to = (from << 1 ^ from) + row`, in tiles of 16 x 32; `row` has an element for each column. The first axis of the grid counts rows, or
    /// columns.
    fn kernel(&self, rows_first: bool) -> String {
        let Matrix { rows, columns, from: [a0, a1], to: [b0, b1] } = self;
        let view = |s0, s1| format!("tensor_view<{rows}x{columns}xi32, strides=[{s0},{s1}]>");
        let tiles = |s0, s1| format!("partition_view<tile=(16x32), padding_value = zero, {}>", view(s0, s1));
        let (x, xs, y, ys) = (view(a0, a1), tiles(a0, a1), view(b0, b1), tiles(b0, b1));
        let (r, rs) = (format!("tensor_view<{columns}xi32, strides=[1]>"), "partition_view<tile=(32), padding_value = zero,");
        let (row, column) = if rows_first { ("%bx", "%by") } else { ("%by", "%bx") };
        format!(
            "entry @k(%from: tile<ptr<i32>>, %row: tile<ptr<i32>>, %to: tile<ptr<i32>>) {{
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [{rows}, {columns}], strides = [{a0}, {a1}] : {x}
  %r = make_tensor_view %row, shape = [{columns}], strides = [1] : {r}
  %y = make_tensor_view %to, shape = [{rows}, {columns}], strides = [{b0}, {b1}] : {y}
  %xs = make_partition_view %x : {xs}
  %rs = make_partition_view %r : {rs} {r}>
  %ys = make_partition_view %y : {ys}
  %a, %t0 = load_view_tko weak %xs[{row}, {column}] : {xs}, tile<i32> -> tile<16x32xi32>, token
  %b, %t1 = load_view_tko weak %rs[{column}] : {rs} {r}>, tile<i32> -> tile<32xi32>, token
  %one = constant <i32: 1> : tile<16x32xi32>
  %c = shli %a, %one : tile<16x32xi32>
  %d = xori %c, %a : tile<16x32xi32>
  %e = reshape %b : tile<32xi32> -> tile<1x32xi32>
  %f = broadcast %e : tile<1x32xi32> -> tile<16x32xi32>
  %g = addi %d, %f : tile<16x32xi32>
  %t2 = store_view_tko weak %g, %ys[{row}, {column}] : tile<16x32xi32>, {ys}, tile<i32> -> token
  return
}}"
        )
    }

    /// Runs it on numbers that lie behind each other in one buffer, the result `place` elements from its begin on, and compares the whole buffer.
    fn check(&self, place: usize, rows_first: bool, last_cache: usize, threads: usize) {
        let Matrix { rows, columns, from, to } = *self;
        let number = |i: usize| (i as i32).wrapping_mul(0x2545_f491) >> 8;
        let reach = |strides: [usize; 2]| (rows - 1) * strides[0] + (columns - 1) * strides[1] + 1;
        let mut expected: Vec<i32> = (0..reach(from).max(place + reach(to)) + columns).map(number).collect();
        let row = expected.len() - columns;
        let numbers = expected.clone();
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            let a = numbers[i * from[0] + j * from[1]];
            expected[place + i * to[0] + j * to[1]] = ((a << 1) ^ a).wrapping_add(numbers[row + j]);
        }
        let (mut memory, all) = buffer(numbers.iter().flat_map(|number| number.to_le_bytes()).collect());
        let args = [0, row, place].map(|place| Arg::Pointer(memory.address(all) + 4 * place as u64));
        let (down, across) = (rows.div_ceil(16) as u32, columns.div_ceil(32) as u32);
        let grid = if rows_first { [down, across, 1] } else { [across, down, 1] };
        let options = LaunchOptions::new().threads(threads).last_cache(last_cache);
        launch(&program(&self.kernel(rows_first)).plan("k").unwrap(), &mut memory, grid, &args, &options).unwrap();
        let differ = ints(memory.bytes(all)).iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!(differ, None, "{rows} x {columns}, {from:?} to {to:?}, {place}, {rows_first}, {last_cache}, {threads}");
    }
}

#[test]
fn tiles_of_matrices_are_read_and_written_where_they_lie() {
    let shapes = [(64, 128, 128), (64, 128, 144), (16, 32, 32), (48, 64, 67), (50, 70, 80), (16, 96, 96), (80, 32, 32)];
    for (rows, columns, pitch) in shapes {
        let all = rows * pitch;
        // By rows, by columns, and each into the other.
        let (by_rows, by_columns) = ([pitch, 1], [1, rows]);
        for (from, to) in [(by_rows, by_rows), (by_columns, by_rows), (by_rows, by_columns), (by_columns, by_columns)] {
            let matrix = Matrix { rows, columns, from, to };
            for (place, last_cache) in [(all, 0), (all, usize::MAX), (all + 5, 0), (all + 16, usize::MAX)] {
                for rows_first in [false, true] {
                    matrix.check(place, rows_first, last_cache, 1);
                }
                matrix.check(place, true, last_cache, 3);
            }
        }
    }
}

#[test]
fn every_second_row_is_read_and_written_through_strides() {
    let matrix = Matrix { rows: 32, columns: 64, from: [256, 1], to: [256, 1] };
    // The rows between those that are read.
    matrix.check(128, false, usize::MAX, 1);
    matrix.check(128, true, 0, 1);
    let apart = Matrix { rows: 32, columns: 64, from: [256, 2], to: [64, 1] };
    apart.check(32 * 256, false, 0, 1);
}

#[test]
fn a_matrix_that_is_written_over_itself_is_read_first() {
    // Each element where it was read; one block, so that none waits for what another one writes.
    Matrix { rows: 16, columns: 32, from: [40, 1], to: [40, 1] }.check(0, false, usize::MAX, 1);
    // A row further down.
    Matrix { rows: 16, columns: 32, from: [40, 1], to: [40, 1] }.check(40, false, 0, 1);
    Matrix { rows: 16, columns: 32, from: [32, 1], to: [1, 16] }.check(0, false, 0, 1);
}

/// `to[block, column]` is the sum of a column of a tile of `from`, each number of it times three, `xor` one for its column: what the sum begins with is computed
/// in the region that goes through the strides of the matrix.
fn column_sums([rows, columns]: [usize; 2], [across, down]: [usize; 2]) -> String {
    let (width, height) = (across * columns, down * rows);
    let (x, y) = (
        format!("tensor_view<{height}x{width}xi32, strides=[{width},1]>"),
        format!("tensor_view<{down}x{width}xi32, strides=[{width},1]>"),
    );
    let (xs, ys) = (format!("partition_view<tile=({rows}x{columns}), {x}>"), format!("partition_view<tile=(1x{columns}), {y}>"));
    let (r, rs) = (
        format!("tensor_view<{width}xi32, strides=[1]>"),
        format!("partition_view<tile=({columns}), tensor_view<{width}xi32, strides=[1]>>"),
    );
    let tile = format!("tile<{rows}x{columns}xi32>");
    format!(
        "entry @k(%from: tile<ptr<i32>>, %row: tile<ptr<i32>>, %to: tile<ptr<i32>>) {{
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x = make_tensor_view %from, shape = [{height}, {width}], strides = [{width}, 1] : {x}
  %r = make_tensor_view %row, shape = [{width}], strides = [1] : {r}
  %y = make_tensor_view %to, shape = [{down}, {width}], strides = [{width}, 1] : {y}
  %xs = make_partition_view %x : {xs}
  %rs = make_partition_view %r : {rs}
  %ys = make_partition_view %y : {ys}
  %a, %t0 = load_view_tko weak %xs[%by, %bx] : {xs}, tile<i32> -> {tile}, token
  %b, %t1 = load_view_tko weak %rs[%bx] : {rs}, tile<i32> -> tile<{columns}xi32>, token
  %b1 = reshape %b : tile<{columns}xi32> -> tile<1x{columns}xi32>
  %b2 = broadcast %b1 : tile<1x{columns}xi32> -> {tile}
  %three = constant <i32: 3> : {tile}
  %c = muli %a, %three : {tile}
  %d = xori %c, %b2 : {tile}
  %s = reduce %d dim=0 identities=[0 : i32] : {tile} -> tile<{columns}xi32> (%l: tile<i32>, %u: tile<i32>) {{
    %p = addi %l, %u : tile<i32>
    yield %p : tile<i32>
  }}
  %s1 = reshape %s : tile<{columns}xi32> -> tile<1x{columns}xi32>
  %t2 = store_view_tko weak %s1, %ys[%by, %bx] : tile<1x{columns}xi32>, {ys}, tile<i32> -> token
  return
}}"
    )
}

#[test]
fn reductions_of_columns_begin_in_regions_that_go_through_strides() {
    let number = |i: usize| (i as i32).wrapping_mul(0x2545_f491) >> 8;
    let shapes = [[16, 32], [8, 128], [32, 16], [4, 64], [16, 8], [2, 256], [64, 16], [128, 128], [16, 4]];
    for (shape, grid) in shapes.into_iter().flat_map(|shape| [[1, 3], [2, 2], [3, 1]].map(|grid| (shape, grid))) {
        let ([rows, columns], [across, down]) = (shape, grid);
        let (width, height) = (across * columns, down * rows);
        let sum = |i: usize| {
            let (block, column) = (i / width, i % width);
            let term = |row: usize| number((block * rows + row) * width + column).wrapping_mul(3) ^ number(height * width + column);
            (0..rows).map(term).fold(0i32, i32::wrapping_add)
        };
        let expected: Vec<i32> = (0..down * width).map(sum).collect();
        let numbers = (0..height * width + width).map(number).chain(vec![-1; down * width]);
        let (mut memory, all) = buffer(numbers.flat_map(i32::to_le_bytes).collect());
        let places = [0, height * width, (height + 1) * width];
        let args = places.map(|place| Arg::Pointer(memory.address(all) + 4 * place as u64));
        let plan = program(&column_sums(shape, grid)).plan("k").unwrap();
        launch(&plan, &mut memory, [across as u32, down as u32, 1], &args, &LaunchOptions::new().threads(1)).unwrap();
        assert_eq!(ints(memory.bytes(all))[places[2]..], expected, "tiles of {shape:?}, a grid of {grid:?}");
    }
}

/// `to[i] = bits(from[at[i]] * 2) + bits(from[at[i]]) + i`, and the sum of the bits of `from[at[i]] * 2`.
const BITS: &str = "
entry @k(%from: tile<ptr<f32>>, %at: tile<ptr<i32>>, %to: tile<ptr<i32>>, %sum: tile<ptr<i32>>) {
  %i = iota : tile<64xi32>
  %a1 = reshape %at : tile<ptr<i32>> -> tile<1xptr<i32>>
  %a2 = broadcast %a1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %as = offset %a2, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %index, %t0 = load_ptr_tko weak %as : tile<64xptr<i32>> -> tile<64xi32>, token
  %f1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %f2 = broadcast %f1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %fs = offset %f2, %index : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x, %t1 = load_ptr_tko weak %fs : tile<64xptr<f32>> -> tile<64xf32>, token
  %twice = addf %x, %x : tile<64xf32>
  %b0 = bitcast %twice : tile<64xf32> -> tile<64xi32>
  %b1 = bitcast %x : tile<64xf32> -> tile<64xi32>
  %b2 = addi %b0, %b1 : tile<64xi32>
  %b3 = addi %b2, %i : tile<64xi32>
  %o1 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
  %o2 = broadcast %o1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %os = offset %o2, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %t2 = store_ptr_tko weak %os, %b3 : tile<64xptr<i32>>, tile<64xi32> -> token
  %all = reduce %b0 dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> (%l: tile<i32>, %r: tile<i32>) {
    %s = addi %l, %r : tile<i32>
    yield %s : tile<i32>
  }
  %t3 = store_ptr_tko weak %sum, %all : tile<ptr<i32>>, tile<i32> -> token
  return
}";

/// Bits of one type are read as those of another within a region: of what was gathered, of what a step gave, and by a reduction.
#[test]
fn bits_are_read_as_another_type() {
    let x = |i: i32| (i as f32 - 20.25) * 0.75;
    let (mut memory, from) = buffer((0..64).flat_map(|i| x(i).to_le_bytes()).collect());
    let at = memory.add((0..64).flat_map(|i: i32| (i * 37 % 64).to_le_bytes()).collect());
    let to = memory.add(vec![0; 65 * 4]);
    let args = [(from, 0), (at, 0), (to, 0), (to, 256)].map(|(buffer, place)| Arg::Pointer(memory.address(buffer) + place));
    launch(&program(BITS).plan("k").unwrap(), &mut memory, [1, 1, 1], &args, &LaunchOptions::new()).unwrap();
    let bits = |x: f32| x.to_bits() as i32;
    let gathered = (0..64).map(|i: i32| x(i * 37 % 64));
    let mut expected: Vec<i32> = gathered.clone().zip(0..).map(|(x, i)| bits(x * 2.0).wrapping_add(bits(x)).wrapping_add(i)).collect();
    expected.push(gathered.map(|x| bits(x * 2.0)).fold(0, i32::wrapping_add));
    assert_eq!(ints(memory.bytes(to)), expected);
}

/// In nine rounds `k`, `x[i] = float(bits(x[i] + float(k)) + i)`, where bits stay as they are; the result goes behind `x`.
const ROUNDS: &str = "
entry @k(%x: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x2 = broadcast %x1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %xs = offset %x2, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %v, %t0 = load_ptr_tko weak %xs : tile<64xptr<f32>> -> tile<64xf32>, token
  %zero = constant <i32: 0> : tile<i32>
  %nine = constant <i32: 9> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %all = for %k in (%zero to %nine, step %one) : tile<i32> iter_values(%a = %v) -> (tile<64xf32>) {
    %k0 = bitcast %k : tile<i32> -> tile<f32>
    %k1 = reshape %k0 : tile<f32> -> tile<1xf32>
    %ks = broadcast %k1 : tile<1xf32> -> tile<64xf32>
    %sum = addf %a, %ks : tile<64xf32>
    %bits = bitcast %sum : tile<64xf32> -> tile<64xi32>
    %more = addi %bits, %i : tile<64xi32>
    %next = bitcast %more : tile<64xi32> -> tile<64xf32>
    continue %next : tile<64xf32>
  }
  %n = constant <i32: 64> : tile<64xi32>
  %behind = addi %i, %n : tile<64xi32>
  %ys = offset %x2, %behind : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %t1 = store_ptr_tko weak %ys, %all : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}";

/// The same in loops that go round within a region, whose counter and tiles are read as another type than they are handed on as.
#[test]
fn bits_are_handed_on_as_another_type() {
    let (mut memory, x) = buffer((0..128).flat_map(|i| (i as f32).to_le_bytes()).collect());
    let args = [Arg::Pointer(memory.address(x))];
    launch(&program(ROUNDS).plan("k").unwrap(), &mut memory, [1, 1, 1], &args, &LaunchOptions::new()).unwrap();
    let round = |x: f32, k: u32, i: u32| f32::from_bits((x + f32::from_bits(k)).to_bits() + i);
    let expected: Vec<i32> = (0..64).map(|i| (0..9).fold(i as f32, |x, k| round(x, k, i)).to_bits() as i32).collect();
    assert_eq!(ints(&memory.bytes(x)[256..]), expected);
}
