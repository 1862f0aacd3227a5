//! Products on AMX, whose registers are tiles: 16 rows of 64 bytes.
//!
//! The CPU adds to a tile of 16 x 16 sums the products of two tiles: 16 rows of the left factor, and 16 columns of the right one, whose
//! neighbours along `k` lie side by side as words of four bytes: pairs of `bf16` or quads of bytes. Factors are copied tile by tile, so that
//! each is read from one place; a left factor of whole tiles whose rows lie close together is read where it is.
//!
//! AMX takes numbers below the least normal `f32` for zeros. Products of `bf16` are whole multiples of the product of the last places of
//! their factors: where that is a normal number, no sum of them is anything between.
#![allow(unsafe_code, reason = "reads and writes matrices through raw pointers, and runs instructions that have no intrinsics yet")]
#![cfg_attr(
    not(all(target_arch = "x86_64", target_os = "linux")),
    allow(dead_code, unused_variables, reason = "what other systems do not have is only named there")
)]

use super::{
    Shape,
    factors::{LINE, Matrix, Rooms},
    product::Start,
};
use crate::{
    ahead::Ahead,
    cpu::{self, Level},
};

/// Rows of a tile, words of a row, and rows and columns of a tile of sums.
const EDGE: usize = 16;
/// Bytes of a word.
const WORD: usize = 4;
/// Bytes of a row of a tile.
const ROW: usize = EDGE * WORD;
/// Bytes of a tile.
const TILE: usize = EDGE * ROW;
/// Rows and columns of the sums that registers hold at once: four tiles of them, beside two of each factor.
const BLOCK: usize = 2 * EDGE;

/// Products that take as long as other work on one element, at least.
const PRODUCTS: usize = 128;

/// What the factors are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Factors {
    Bf16,
    Bytes { lhs_signed: bool, rhs_signed: bool },
}

impl Factors {
    /// Bytes of an element.
    pub(super) const fn size(self) -> usize {
        match self {
            Factors::Bf16 => 2,
            Factors::Bytes { .. } => 1,
        }
    }

    /// How many tiles lie along `k` elements.
    const fn steps(self, k: usize) -> usize {
        (k * self.size()).div_ceil(ROW)
    }
}

/// Bytes along `k` of the products that one round of a loop may compute together: what is done once for all of them takes little then.
const LONGEST: usize = 512;

/// How many products of `k` elements, of which each goes on along `k` where the one before ends, are computed as one at most.
pub(super) fn together(factors: Factors, k: usize) -> usize {
    (LONGEST / (k * factors.size())).max(1)
}

/// Bytes of the copies of the factors.
pub(super) fn room(factors: Factors, &Shape { m, n, k }: &Shape) -> [usize; 2] {
    let along_k = factors.steps(k) * TILE;
    [m.div_ceil(EDGE) * along_k, n.div_ceil(BLOCK) * 2 * along_k]
}

/// Whether a product is large enough for tiles, and the CPU has them at this level.
pub(super) fn suits(level: Level, &Shape { m, n, k }: &Shape) -> bool {
    level == Level::Avx512 && m >= EDGE && n >= EDGE && k >= EDGE && cpu::has_amx()
}

/// `c = acc + lhs * rhs`, of which `acc` and `c` have elements of type `T`: `f32` for `bf16`, `i32` for bytes. `false`, and nothing was done,
/// if products may be less than normal numbers.
///
/// # Safety
/// The matrices have the shape; `c` overlaps the factors nowhere, and `acc` nowhere or everywhere. The CPU has AMX and [`Level::Avx512`].
pub(super) unsafe fn product<T: Sum>(
    factors: Factors,
    shape: &Shape,
    [lhs, rhs]: [&Matrix; 2],
    (acc, c): (Start<T>, *mut T),
    rooms: &mut Rooms,
    ahead: &mut Ahead,
) -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    // SAFETY: by the contract.
    unsafe {
        native::product(factors, shape, [lhs, rhs], (acc, c), rooms, ahead)
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    unreachable!("{factors:?}, {shape:?}: AMX is used on Linux on x86-64 only")
}

/// Elements of `bf16` whose products with each other are whole multiples of a normal `f32`: the sum of the exponents of the least of each
/// factor, as they are encoded. The last place of a number with exponent `e` is `2^(e - 134)`.
const LEAST_EXPONENTS: u16 = 268 - 126;

/// Whether no sum of products of numbers of `bf16` is less than normal. These are the least of each factor apart from zeros, as they are encoded
/// without a sign, if there are some.
pub fn stay_normal(lhs: Option<u16>, rhs: Option<u16>) -> bool {
    let (Some(lhs), Some(rhs)) = (lhs, rhs) else { return lhs.or(rhs).is_none_or(|least| least >> 7 > 0) };
    let (lhs, rhs) = (lhs >> 7, rhs >> 7);
    lhs > 0 && rhs > 0 && lhs + rhs >= LEAST_EXPONENTS
}

/// The magnitude of the least `bf16` of a factor that is not zero, as it is encoded, if there is one. Of bytes, it says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Least(Option<u16>);

/// Bytes between rows of a left factor that is read in place, at most: 16 rows that lie further apart by a power of two share few sets of the
/// nearest cache.
const NEAR: usize = 4 * LINE;

/// Whether a left factor is read in place: its rows are whole lines, near each other, and fill whole tiles.
fn is_read_in_place(factors: Factors, matrix: &Matrix, &Shape { m, k, .. }: &Shape) -> bool {
    let pitch = matrix.down * factors.size();
    let has_lines = matrix.start.addr().is_multiple_of(LINE) && pitch.is_multiple_of(LINE) && pitch <= NEAR;
    matrix.right == 1 && has_lines && m.is_multiple_of(EDGE) && (k * factors.size()).is_multiple_of(ROW)
}

/// Types of sums.
pub(super) trait Sum: Copy {
    /// Whether it is a float; otherwise sums wrap.
    const IS_FLOAT: bool;
    fn bits(self) -> u32;
}

impl Sum for f32 {
    const IS_FLOAT: bool = true;
    fn bits(self) -> u32 {
        self.to_bits()
    }
}

impl Sum for i32 {
    const IS_FLOAT: bool = false;
    fn bits(self) -> u32 {
        self.cast_unsigned()
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod native {
    use super::*;
    use crate::{
        boxes::{self, Dim},
        interrupt::Looks,
        mma::factors::Room,
    };
    use std::arch::{asm, x86_64::*};

    pub(super) unsafe fn product<T: Sum>(
        factors: Factors,
        shape: &Shape,
        [lhs, rhs]: [&Matrix; 2],
        (acc, c): (Start<T>, *mut T),
        rooms: &mut Rooms,
        ahead: &mut Ahead,
    ) -> bool {
        // SAFETY: by the contract; the rooms are as large as the copies.
        unsafe {
            let (left, least_of_left) = Left::of(factors, lhs, shape, rooms);
            let Rooms { raw, rhs: copies, .. } = rooms;
            let (right, least_of_right) = copies.tiles_of(rhs, room(factors, shape)[1], |to| copy_columns(factors, rhs, shape, raw, to));
            if factors == Factors::Bf16 && !stay_normal(least_of_left.0, least_of_right.0) {
                return false;
            }
            let tiles = Tiles { shape: *shape, factors, steps: factors.steps(shape.k), left, right };
            tiles.multiply(acc, c, ahead);
        }
        true
    }

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
    struct Left {
        start: *const u8,
        /// Bytes from one row to the next.
        pitch: usize,
        /// Bytes from one tile to the next along `k`.
        step: usize,
        /// Bytes from 16 rows to the next 16.
        band: usize,
    }

    impl Left {
        /// The tiles of a factor, and its least number.
        ///
        /// # Safety
        /// The matrix has the shape's `m` rows of `k` elements.
        unsafe fn of(factors: Factors, matrix: &Matrix, shape: &Shape, rooms: &mut Rooms) -> (Left, Least) {
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
            let copy = |to| unsafe { copy_rows(factors, matrix, shape, raw, to) };
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

    /// Copies the left factor as tiles, those along `k` one behind the other, and finds its least number.
    ///
    /// # Safety
    /// The matrix has the shape's `m` rows of `k` elements; there is room for the copy.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn copy_rows(factors: Factors, matrix: &Matrix, shape: &Shape, raw: &mut Room, to: *mut u8) -> Least {
        let Shape { m, k, .. } = *shape;
        let (steps, bytes) = (factors.steps(k), k * factors.size());
        let mut minimum = Minimum::new();
        // SAFETY: the copy holds all rows, up to whole tiles.
        unsafe {
            let (start, pitch) = in_rows(factors, matrix, (m, k), raw);
            for row in 0..m.next_multiple_of(EDGE) {
                let to = to.add(row / EDGE * steps * TILE + row % EDGE * ROW);
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
    fn first(count: usize) -> u64 {
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

    /// Copies the right factor as tiles: two side by side, with those along `k` behind them. Finds its least number.
    ///
    /// # Safety
    /// The matrix has the shape's `k` rows of `n` elements; there is room for the copy.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn copy_columns(factors: Factors, matrix: &Matrix, shape: &Shape, raw: &mut Room, to: *mut u8) -> Least {
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
            for column in (0..n.next_multiple_of(BLOCK)).step_by(EDGE) {
                let to = to.add(column / BLOCK * 2 * steps * TILE + column % BLOCK * ROW);
                for step in 0..steps {
                    let (to, row) = (to.add(2 * step * TILE), step * ROW / factors.size());
                    let left = (k - row, n.saturating_sub(column));
                    match (source.along_k, factors) {
                        (true, _) => source.transposed(factors, (row, column), left, (to, &mut minimum)),
                        (false, Factors::Bf16) => source.pairs((row, column), left, (to, &mut minimum)),
                        (false, Factors::Bytes { .. }) => source.quads((row, column), left, to),
                    }
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
                words.iter().for_each(|words| minimum.see(*words));
            }
            // SAFETY: the tile has as many rows.
            transpose(words).into_iter().enumerate().for_each(|(i, row)| unsafe { _mm512_storeu_si512(to.add(i * ROW).cast(), row) });
        }

        /// The same of `bf16` whose rows lie side by side: two rows become one of pairs.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
        unsafe fn pairs(&self, (row, column): (usize, usize), left: (usize, usize), (to, minimum): (*mut u8, &mut Minimum)) {
            let has = first(left.1) as u16;
            for i in 0..EDGE {
                let [low, high] = [2 * i, 2 * i + 1].map(|i| {
                    let from = self.start.wrapping_add((row + i) * self.pitch + 2 * column);
                    // SAFETY: what is not left is not read.
                    _mm512_cvtepu16_epi32(unsafe { _mm256_maskz_loadu_epi16(if i < left.0 { has } else { 0 }, from.cast()) })
                });
                let words = _mm512_or_si512(low, _mm512_slli_epi32::<16>(high));
                minimum.see(words);
                // SAFETY: the tile has as many rows.
                unsafe { _mm512_storeu_si512(to.add(i * ROW).cast(), words) };
            }
        }

        /// The same of bytes: four rows become one of quads.
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

    /// A product of factors that lie as tiles.
    struct Tiles {
        shape: Shape,
        factors: Factors,
        /// Tiles along `k`.
        steps: usize,
        left: Left,
        /// Pairs of tiles of columns.
        right: *const u8,
    }

    impl Tiles {
        /// `c = acc + a * b`.
        ///
        /// # Safety
        /// As for [`product`].
        unsafe fn multiply<T: Sum>(&self, acc: Start<T>, c: *mut T, ahead: &mut Ahead) {
            let Shape { m, n, k } = self.shape;
            let (mut looks, mut sums) = (Looks::new(), Sums([0; BLOCK * BLOCK]));
            ahead.cut(m.div_ceil(BLOCK) * n.div_ceil(BLOCK));
            let _registers = Registers::configure();
            for column in (0..n).step_by(BLOCK) {
                for row in (0..m).step_by(BLOCK) {
                    ahead.fetch_part();
                    if looks.end_after(BLOCK * BLOCK * k / PRODUCTS) {
                        return;
                    }
                    let (rows, columns) = (BLOCK.min(m - row), BLOCK.min(n - column));
                    // SAFETY: there are whole tiles of all rows and columns; the block lies in the matrices.
                    unsafe {
                        let left = Left { start: self.left.start.add(row / EDGE * self.left.band), ..self.left };
                        self.block(rows > EDGE, left, self.right.add(column / EDGE * self.steps * TILE), &mut sums);
                        let acc = match acc {
                            Start::At(acc) => Start::At(acc.add(row * n + column)),
                            splat @ Start::Splat(_) => splat,
                        };
                        add(&sums, (rows, columns), n, acc, c.add(row * n + column));
                    }
                }
            }
        }

        /// The sums of the products of 16 rows, or 32 if it is `tall`, and 32 columns.
        ///
        /// # Safety
        /// The registers are configured; the block's tiles begin at `a` and `b`.
        unsafe fn block(&self, tall: bool, a: Left, b: *const u8, sums: &mut Sums) {
            let Tiles { steps, factors, .. } = *self;
            // SAFETY: by the contract.
            unsafe {
                match factors {
                    Factors::Bf16 => tdpbf16ps(tall, steps, a, b, sums),
                    Factors::Bytes { lhs_signed: true, rhs_signed: true } => tdpbssd(tall, steps, a, b, sums),
                    Factors::Bytes { lhs_signed: true, rhs_signed: false } => tdpbsud(tall, steps, a, b, sums),
                    Factors::Bytes { lhs_signed: false, rhs_signed: true } => tdpbusd(tall, steps, a, b, sums),
                    Factors::Bytes { lhs_signed: false, rhs_signed: false } => tdpbuud(tall, steps, a, b, sums),
                }
            }
        }
    }

    /// The sums of a block, row by row.
    #[repr(align(64))]
    struct Sums([u32; BLOCK * BLOCK]);

    /// `c = acc + sums`, of so many rows and columns; `pitch` elements lie between rows.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn add<T: Sum>(sums: &Sums, (rows, columns): (usize, usize), pitch: usize, acc: Start<T>, c: *mut T) {
        for row in 0..rows {
            for column in (0..columns).step_by(EDGE) {
                let (mask, at) = (first(columns - column) as u16, row * pitch + column);
                // SAFETY: the block lies in the matrices; columns behind it are not touched.
                unsafe {
                    let sum = _mm512_load_si512(sums.0.as_ptr().add(row * BLOCK + column).cast());
                    let acc = match acc {
                        Start::At(acc) => _mm512_maskz_loadu_epi32(mask, acc.add(at).cast()),
                        Start::Splat(number) => _mm512_set1_epi32(number.bits().cast_signed()),
                    };
                    let sum = if T::IS_FLOAT {
                        _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(acc), _mm512_castsi512_ps(sum)))
                    } else {
                        _mm512_add_epi32(acc, sum)
                    };
                    _mm512_mask_storeu_epi32(c.add(at).cast(), mask, sum);
                }
            }
        }
    }

    /// What the registers are while products are computed: eight whole tiles.
    #[repr(C, align(64))]
    struct Configuration {
        palette: u8,
        start_row: u8,
        reserved: [u8; 14],
        row_bytes: [u16; 16],
        rows: [u8; 16],
    }

    /// Registers that are configured, until it is dropped.
    struct Registers;

    impl Registers {
        fn configure() -> Registers {
            let of_eight = |i: usize, value: usize| if i < 8 { value as u8 } else { 0 };
            let configuration = Configuration {
                palette: 1,
                start_row: 0,
                reserved: [0; 14],
                row_bytes: std::array::from_fn(|i| of_eight(i, ROW).into()),
                rows: std::array::from_fn(|i| of_eight(i, EDGE)),
            };
            // SAFETY: the CPU has the registers, and the system lets the process use them (`cpu::has_amx`).
            unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const configuration, options(nostack, preserves_flags, readonly)) };
            Registers
        }
    }

    impl Drop for Registers {
        fn drop(&mut self) {
            // SAFETY: nothing is in the registers that is still needed.
            unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) };
        }
    }

    /// Declares a function that multiplies tiles with an instruction.
    macro_rules! multiplies_with {
        ($($instruction:ident)*) => {$(
            /// The sums of the products of 16 rows, or 32 if it is `tall`, and 32 columns, with tiles one behind the other.
            ///
            /// # Safety
            /// The registers are configured; so many tiles lie along `k` at `a`, for as many rows, and twice as many at `b`.
            unsafe fn $instruction(tall: bool, steps: usize, a: Left, b: *const u8, sums: &mut Sums) {
                // SAFETY: by the contract.
                unsafe {
                    if tall {
                        asm!(
                            "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3",
                            "2:",
                            "tileloadd tmm4, [{a} + {pitch}]",
                            "tileloadd tmm6, [{b} + {row}]",
                            "tileloadd tmm7, [{b} + {row} + 1024]",
                            "tileloadd tmm5, [{lower} + {pitch}]",
                            concat!(stringify!($instruction), " tmm0, tmm4, tmm6"),
                            concat!(stringify!($instruction), " tmm1, tmm4, tmm7"),
                            concat!(stringify!($instruction), " tmm2, tmm5, tmm6"),
                            concat!(stringify!($instruction), " tmm3, tmm5, tmm7"),
                            "add {a}, {step}", "add {lower}, {step}", "add {b}, 2048",
                            "dec {steps}", "jnz 2b",
                            "tilestored [{sums} + 2 * {row}], tmm0",
                            "tilestored [{sums} + 2 * {row} + 64], tmm1",
                            "tilestored [{sums} + 2 * {row} + 2048], tmm2",
                            "tilestored [{sums} + 2 * {row} + 2112], tmm3",
                            a = inout(reg) a.start => _,
                            lower = inout(reg) a.start.wrapping_add(a.band) => _,
                            b = inout(reg) b => _,
                            steps = inout(reg) steps => _,
                            pitch = in(reg) a.pitch,
                            step = in(reg) a.step,
                            row = in(reg) ROW,
                            sums = in(reg) sums,
                            options(nostack),
                        );
                    } else {
                        asm!(
                            "tilezero tmm0", "tilezero tmm1",
                            "2:",
                            "tileloadd tmm4, [{a} + {pitch}]",
                            "tileloadd tmm6, [{b} + {row}]",
                            "tileloadd tmm7, [{b} + {row} + 1024]",
                            concat!(stringify!($instruction), " tmm0, tmm4, tmm6"),
                            concat!(stringify!($instruction), " tmm1, tmm4, tmm7"),
                            "add {a}, {step}", "add {b}, 2048",
                            "dec {steps}", "jnz 2b",
                            "tilestored [{sums} + 2 * {row}], tmm0",
                            "tilestored [{sums} + 2 * {row} + 64], tmm1",
                            a = inout(reg) a.start => _,
                            b = inout(reg) b => _,
                            steps = inout(reg) steps => _,
                            pitch = in(reg) a.pitch,
                            step = in(reg) a.step,
                            row = in(reg) ROW,
                            sums = in(reg) sums,
                            options(nostack),
                        );
                    }
                }
            }
        )*};
    }
    multiplies_with! { tdpbf16ps tdpbssd tdpbsud tdpbusd tdpbuud }
}
