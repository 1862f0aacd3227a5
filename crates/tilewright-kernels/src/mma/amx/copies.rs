//! Copies of factors as tiles.

use super::{BLOCK, EDGE, Factors, Least, Matrix, PER_TILE, ROW, Room, Rooms, Shape, TILE, is_read_in_place, room};
use crate::{
    boxes::{self, Dim},
    cpu::Level,
};
use std::arch::x86_64::*;

/// Finds the least of the numbers that it is shown.
struct Minimum(__m512i);

impl Minimum {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    fn new() -> Minimum {
        Minimum(_mm512_set1_epi16(-1))
    }

    /// The lanes have a magnitude less one each: that of a zero is the greatest then.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    fn see(&mut self, numbers: __m512i) {
        let magnitudes = _mm512_and_si512(numbers, _mm512_set1_epi16(0x7fff));
        self.0 = _mm512_min_epu16(self.0, _mm512_sub_epi16(magnitudes, _mm512_set1_epi16(1)));
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    fn least(&self) -> Least {
        let mut lanes = [0u16; 32];
        // SAFETY: there are as many lanes.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) };
        Least(lanes.into_iter().fold(u16::MAX, u16::min).checked_add(1))
    }
}

/// Where the tiles of a left factor lie.
#[derive(Clone, Copy)]
pub(super) struct Left {
    pub(super) start: *const u8,
    /// Bytes from one row to the next.
    pub(super) pitch: usize,
    /// Bytes from one tile to the next along `k`.
    pub(super) step: usize,
    /// Bytes from 16 rows to the next 16.
    pub(super) band: usize,
}

impl Left {
    /// The tiles of a factor, and its least number.
    ///
    /// # Safety
    /// The matrix has the shape's `m` rows of `k` elements.
    pub(super) unsafe fn of(factors: Factors, matrix: &Matrix, shape: &Shape, rooms: &mut Rooms) -> (Left, Least) {
        let Rooms { raw, lhs: copies, .. } = rooms;
        let steps = factors.steps(shape.k);
        if is_read_in_place(factors, matrix, shape) {
            let pitch = matrix.down * factors.size();
            let left = Left { start: matrix.start, pitch, step: ROW, band: EDGE * pitch };
            // SAFETY: the matrix has whole tiles.
            let scan = |_| unsafe { left.scan(factors, shape.m, steps) };
            return (left, copies.tiles_of(matrix, 0, scan).1);
        }
        // SAFETY: by the contract; the room is as large as the copy.
        let copy = |to| unsafe { copy_rows(factors, matrix, shape, raw, (to, steps), || ()) };
        let (start, least) = copies.tiles_of(matrix, room(factors, shape)[0], copy);
        (Left { start, pitch: ROW, step: TILE, band: steps * TILE }, least)
    }

    /// The least number of so many rows, whose tiles lie side by side.
    ///
    /// # Safety
    /// There are as many rows and tiles.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn scan(&self, factors: Factors, rows: usize, steps: usize) -> Least {
        let mut minimum = Minimum::new();
        for row in 0..if factors == Factors::Bf16 { rows } else { 0 } {
            for step in 0..steps {
                // SAFETY: by the contract.
                minimum.see(unsafe { _mm512_loadu_si512(self.start.add(row * self.pitch + step * self.step).cast()) });
            }
        }
        minimum.least()
    }
}

/// Copies the left factor as tiles, those along `k` one behind the other where there is room for so many, and finds its least number. Does something else
/// [meanwhile](PER_TILE).
///
/// # Safety
/// The matrix has the shape's `m` rows of `k` elements; there is room for the copy.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) unsafe fn copy_rows(
    factors: Factors,
    matrix: &Matrix,
    shape: &Shape,
    raw: &mut Room,
    (to, room): (*mut u8, usize),
    mut meanwhile: impl FnMut(),
) -> Least {
    let Shape { m, k, .. } = *shape;
    let (steps, bytes) = (factors.steps(k), k * factors.size());
    let mut minimum = Minimum::new();
    // SAFETY: the copy holds all rows, up to whole tiles.
    unsafe {
        let (start, pitch) = in_rows(factors, matrix, (m, k), raw);
        for row in 0..m.next_multiple_of(EDGE) {
            let to = to.add(row / EDGE * room * TILE + row % EDGE * ROW);
            if row.is_multiple_of(EDGE / PER_TILE) {
                meanwhile();
            }
            for step in 0..steps {
                let has = if row < m { bytes - step * ROW } else { 0 };
                let from = start.wrapping_add(row * pitch + step * ROW);
                let words = _mm512_maskz_loadu_epi8(first(has), from.cast());
                if factors == Factors::Bf16 {
                    minimum.see(words);
                }
                _mm512_storeu_si512(to.add(step * TILE).cast(), words);
            }
        }
    }
    minimum.least()
}

/// So many of the lanes of a vector, from the first on.
pub(super) fn first(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// A matrix of so many rows and columns whose rows lie side by side, and the bytes from one row to the next.
unsafe fn in_rows(factors: Factors, matrix: &Matrix, (rows, columns): (usize, usize), raw: &mut Room) -> (*const u8, usize) {
    let size = factors.size();
    if matrix.right == 1 {
        return (matrix.start, matrix.down * size);
    }
    let to = raw.take::<u8>(rows * columns * size);
    let dims = [Dim { count: rows, from: matrix.down, to: columns }, Dim { count: columns, from: matrix.right, to: 1 }];
    // SAFETY: the caller's matrix, and room for as many elements.
    unsafe { boxes::copy(Level::Avx512, &dims, size, matrix.start, to) };
    (to, columns * size)
}

/// Copies the right factor as tiles: two side by side, with those along `k` behind them where there is room for so many. Finds its least number, and
/// does something else [meanwhile](PER_TILE).
///
/// # Safety
/// The matrix has the shape's `k` rows of `n` elements; there is room for the copy.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) unsafe fn copy_columns(
    factors: Factors,
    matrix: &Matrix,
    shape: &Shape,
    raw: &mut Room,
    (to, room): (*mut u8, usize),
    mut meanwhile: impl FnMut(),
) -> Least {
    let Shape { n, k, .. } = *shape;
    let (steps, mut minimum) = (factors.steps(k), Minimum::new());
    // SAFETY: the copy holds all columns, up to whole pairs of tiles.
    unsafe {
        let source = if matrix.down == 1 {
            Columns { start: matrix.start, pitch: matrix.right * factors.size(), along_k: true }
        } else {
            let (start, pitch) = in_rows(factors, matrix, (k, n), raw);
            Columns { start, pitch, along_k: false }
        };
        for column in (0..n).step_by(BLOCK) {
            for step in 0..steps {
                let to = to.add((column / BLOCK * room + step) * 2 * TILE);
                source.two_tiles(factors, (step * ROW / factors.size(), column), (k, n), (to, &mut minimum), &mut meanwhile);
            }
        }
    }
    minimum.least()
}

/// Where the columns of a right factor lie.
struct Columns {
    start: *const u8,
    /// Bytes from one column to the next, if elements lie side by side along `k`, else from one row to the next.
    pitch: usize,
    along_k: bool,
}

impl Columns {
    /// Two tiles side by side whose first element is in this row and column, of a matrix of so many rows and columns.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn two_tiles(
        &self,
        factors: Factors,
        (row, column): (usize, usize),
        (k, n): (usize, usize),
        (to, minimum): (*mut u8, &mut Minimum),
        mut meanwhile: impl FnMut(),
    ) {
        let left = k - row;
        // SAFETY: by the caller; columns behind the last one are not read.
        unsafe {
            if !self.along_k && factors == Factors::Bf16 {
                return self.pairs((row, column), (left, n - column), (to, minimum), meanwhile);
            }
            for (column, to) in [(column, to), (column + EDGE, to.add(TILE))] {
                (0..PER_TILE / 2).for_each(|_| meanwhile());
                let left = (left, n.saturating_sub(column));
                if self.along_k {
                    self.transposed(factors, (row, column), left, (to, minimum));
                } else {
                    self.quads((row, column), left, to);
                }
            }
        }
    }

    /// A tile of columns whose elements lie side by side, of which so many rows and columns are `left` from the first on.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn transposed(
        &self,
        factors: Factors,
        (row, column): (usize, usize),
        left: (usize, usize),
        (to, minimum): (*mut u8, &mut Minimum),
    ) {
        let has = first(left.0 * factors.size());
        let words: [__m512i; EDGE] = std::array::from_fn(|i| {
            let from = self.start.wrapping_add((column + i) * self.pitch + row * factors.size());
            // SAFETY: what is not left is not read.
            unsafe { _mm512_maskz_loadu_epi8(if i < left.1 { has } else { 0 }, from.cast()) }
        });
        if factors == Factors::Bf16 {
            let mut own = Minimum(minimum.0);
            words.iter().for_each(|words| own.see(*words));
            *minimum = own;
        }
        // SAFETY: the tile has as many rows.
        transpose(words).into_iter().enumerate().for_each(|(i, row)| unsafe { _mm512_storeu_si512(to.add(i * ROW).cast(), row) });
    }

    /// Two such tiles of `bf16` whose rows lie side by side: two rows become one of pairs. Both are filled row by row, so that each line is read once, as
    /// few lines of a matrix whose rows lie a power of two apart stay in the nearest cache.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn pairs(
        &self,
        (row, column): (usize, usize),
        left: (usize, usize),
        (to, minimum): (*mut u8, &mut Minimum),
        mut meanwhile: impl FnMut(),
    ) {
        let (has, [of_first, of_second], mut own) = (first(left.1) as u32, pairs_of_lanes(), Minimum(minimum.0));
        for i in 0..EDGE {
            if i.is_multiple_of(EDGE / PER_TILE) {
                meanwhile();
            }
            let [upper, lower] = [2 * i, 2 * i + 1].map(|i| {
                let from = self.start.wrapping_add((row + i) * self.pitch + 2 * column);
                // SAFETY: what is not left is not read.
                unsafe { _mm512_maskz_loadu_epi16(if i < left.0 { has } else { 0 }, from.cast()) }
            });
            own.see(upper);
            own.see(lower);
            // SAFETY: the tiles have as many rows.
            unsafe {
                _mm512_storeu_si512(to.add(i * ROW).cast(), _mm512_permutex2var_epi16(upper, of_first, lower));
                _mm512_storeu_si512(to.add(TILE + i * ROW).cast(), _mm512_permutex2var_epi16(upper, of_second, lower));
            }
        }
        *minimum = own;
    }

    /// One such tile of bytes: four rows become one of quads.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn quads(&self, (row, column): (usize, usize), left: (usize, usize), to: *mut u8) {
        let has = first(left.1) as u16;
        for i in 0..EDGE {
            let [a, b, c, d] = [0, 1, 2, 3].map(|byte| {
                let from = self.start.wrapping_add((row + 4 * i + byte) * self.pitch + column);
                // SAFETY: what is not left is not read.
                _mm512_cvtepu8_epi32(unsafe { _mm_maskz_loadu_epi8(if 4 * i + byte < left.0 { has } else { 0 }, from.cast()) })
            });
            let low = _mm512_or_si512(a, _mm512_slli_epi32::<8>(b));
            let high = _mm512_or_si512(_mm512_slli_epi32::<16>(c), _mm512_slli_epi32::<24>(d));
            // SAFETY: the tile has as many rows.
            unsafe { _mm512_storeu_si512(to.add(i * ROW).cast(), _mm512_or_si512(low, high)) };
        }
    }
}

/// Which lanes of two vectors are the pairs of the first half of both, and of the second.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn pairs_of_lanes() -> [__m512i; 2] {
    [0, EDGE].map(|half| {
        // A lane of the second vector has a number that is greater by 32.
        let lanes: [u16; 32] = std::array::from_fn(|i| (half + i / 2 + 32 * (i % 2)) as u16);
        // SAFETY: there are as many lanes.
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    })
}

/// Rows of 16 words as columns.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn transpose(rows: [__m512i; EDGE]) -> [__m512i; EDGE] {
    let [mut pairs, mut quads, mut eights, mut all] = [rows; 4];
    for i in (0..EDGE).step_by(2) {
        pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    for i in (0..EDGE).step_by(4) {
        for (j, half) in [i, i + 1].into_iter().enumerate() {
            quads[i + 2 * j] = _mm512_unpacklo_epi64(pairs[half], pairs[half + 2]);
            quads[i + 2 * j + 1] = _mm512_unpackhi_epi64(pairs[half], pairs[half + 2]);
        }
    }
    // Of each four rows, there are the columns 0, 4, 8 and 12; 1, 5, 9 and 13; and so on.
    for i in [0, 8] {
        for j in 0..4 {
            eights[i + j] = _mm512_shuffle_i32x4::<0x88>(quads[i + j], quads[i + j + 4]);
            eights[i + j + 4] = _mm512_shuffle_i32x4::<0xdd>(quads[i + j], quads[i + j + 4]);
        }
    }
    for j in 0..8 {
        all[j] = _mm512_shuffle_i32x4::<0x88>(eights[j], eights[j + 8]);
        all[j + 8] = _mm512_shuffle_i32x4::<0xdd>(eights[j], eights[j + 8]);
    }
    all
}
