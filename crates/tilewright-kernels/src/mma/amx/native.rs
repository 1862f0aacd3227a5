//! Products of factors that lie as tiles.

use super::{
    BLOCK, EDGE, Factors, Least, Matrix, PRODUCTS, ROW, Room, Rooms, Shape, Side, Start, Sum, TILE, WORD, are_normal,
    copies::{Left, copy_columns, copy_rows, first},
    room,
};
use crate::{ahead::Ahead, interrupt::Looks};
use std::{
    arch::{asm, x86_64::*},
    ops::Range,
};

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
        let steps = factors.steps(shape.k);
        let copy = |to| copy_columns(factors, rhs, shape, raw, (to, steps), || ());
        let (right, least_of_right) = copies.tiles_of(rhs, room(factors, shape)[1], copy);
        if !are_normal(factors, least_of_left, least_of_right) {
            return false;
        }
        let tiles = Tiles { shape: *shape, factors, steps, together: steps, left, right, room: steps };
        tiles.multiply(acc, c, ahead);
    }
    true
}

pub(super) unsafe fn defer(
    side: Side,
    factors: Factors,
    shape: &Shape,
    (number, most): (usize, usize),
    matrix: &Matrix,
    (raw, copy): (&mut Room, *mut u8),
    ahead: &mut Ahead,
) -> Least {
    let steps = factors.steps(shape.k);
    let (before, room) = (number * steps, most * steps);
    // SAFETY: by the contract; the copy has room for the tiles of all products, those along `k` behind each other.
    unsafe {
        match side {
            Side::Left => copy_rows(factors, matrix, shape, raw, (copy.add(before * TILE), room), || ahead.fetch_part()),
            Side::Right => copy_columns(factors, matrix, shape, raw, (copy.add(2 * before * TILE), room), || ahead.fetch_part()),
        }
    }
}

pub(super) unsafe fn add_deferred<T: Sum>(
    factors: Factors,
    shape: &Shape,
    (products, most): (usize, usize),
    [left, right]: [*const u8; 2],
    sums: *mut T,
    ahead: &mut Ahead,
) {
    let together = factors.steps(shape.k);
    let (steps, room, shape) = (products * together, most * together, Shape { k: products * shape.k, ..*shape });
    let left = Left { start: left, pitch: ROW, step: TILE, band: room * TILE };
    // SAFETY: by the contract.
    unsafe { Tiles { shape, factors, steps, together, left, right, room }.multiply(Start::At(sums.cast_const()), sums, ahead) };
}

/// A product of factors that lie as tiles.
struct Tiles {
    shape: Shape,
    factors: Factors,
    /// Tiles along `k`.
    steps: usize,
    /// As many of them are summed before their sum is added to others.
    together: usize,
    left: Left,
    /// Pairs of tiles of columns.
    right: *const u8,
    /// How many such pairs there is room for along `k`.
    room: usize,
}

impl Tiles {
    /// `c = acc + a * b`.
    ///
    /// # Safety
    /// As for [`product`].
    unsafe fn multiply<T: Sum>(&self, acc: Start<T>, c: *mut T, ahead: &mut Ahead) {
        let Shape { m, n, k } = self.shape;
        let (mut looks, mut sums) = (Looks::new(), Sums([0; BLOCK * BLOCK]));
        // Taken apart: what was just written in pieces and is then read as a whole waits for all that was stored before, as blocks of sums.
        let (acc, splat) = match acc {
            Start::At(acc) => (acc, None),
            Start::Splat(number) => (c.cast_const(), Some(number.bits())),
        };
        ahead.cut(m.div_ceil(BLOCK) * n.div_ceil(BLOCK));
        let _registers = Registers::configure();
        for column in (0..n).step_by(BLOCK) {
            for row in (0..m).step_by(BLOCK) {
                ahead.fetch_part();
                if looks.end_after(BLOCK * BLOCK * k / PRODUCTS) {
                    return;
                }
                let (rows, columns, first) = (BLOCK.min(m - row), BLOCK.min(n - column), row * n + column);
                // SAFETY: there are whole tiles of all rows and columns; the block lies in the matrices.
                unsafe {
                    let left = self.left.start.add(row / EDGE * self.left.band);
                    let block = Block { rows, columns, left, right: self.right.add(column / EDGE * self.room * TILE), pitch: n };
                    self.multiply_block(&block, (acc.add(first), splat), c.add(first), &mut sums);
                }
            }
        }
    }

    /// The same for a block, whose first element of each is at `acc` and at `c`, unless a splat is in the place of `acc`; there is room for `sums` that are
    /// computed apart.
    #[inline]
    unsafe fn multiply_block<T: Sum>(&self, block: &Block, (acc, splat): (*const T, Option<u32>), c: *mut T, sums: &mut Sums) {
        // SAFETY: by the contract of `multiply`.
        unsafe {
            if splat.is_none() && acc == c.cast_const() && self.adds_in_place(block, c) {
                let to = To { start: c.cast(), pitch: block.pitch * WORD, has_sums: true };
                return self.sum(block, 0..self.steps, &to);
            }
            for first in (0..self.steps).step_by(self.together) {
                let to = To { start: (&raw mut *sums).cast(), pitch: BLOCK * WORD, has_sums: false };
                self.sum(block, first..first + self.together, &to);
                match splat {
                    Some(splat) if first == 0 => add::<T, true>(sums, block, acc, splat, c),
                    None if first == 0 => add::<T, false>(sums, block, acc, 0, c),
                    _ => add::<T, false>(sums, block, c, 0, c),
                }
            }
        }
    }

    /// Whether the CPU may add the products of a block to what is at `c`: tile by tile, and as if there were no numbers that are less than normal.
    unsafe fn adds_in_place<T: Sum>(&self, block: &Block, c: *const T) -> bool {
        let is_whole = block.columns == BLOCK && block.rows.is_multiple_of(EDGE);
        // SAFETY: by the contract of `multiply`.
        is_whole && (!T::IS_FLOAT || self.together == 1 && unsafe { are_multiples_of_normal(block, c.cast()) })
    }

    /// The sums of the products of a block, of these tiles along `k`.
    ///
    /// # Safety
    /// The registers are configured; the block's tiles are there, and its sums have a place.
    #[inline]
    unsafe fn sum(&self, block: &Block, steps: Range<usize>, to: &To) {
        // SAFETY: by the contract.
        unsafe {
            match self.factors {
                Factors::Bf16 => tdpbf16ps(block, &self.left, steps, to),
                Factors::Bytes { lhs_signed: true, rhs_signed: true } => tdpbssd(block, &self.left, steps, to),
                Factors::Bytes { lhs_signed: true, rhs_signed: false } => tdpbsud(block, &self.left, steps, to),
                Factors::Bytes { lhs_signed: false, rhs_signed: true } => tdpbusd(block, &self.left, steps, to),
                Factors::Bytes { lhs_signed: false, rhs_signed: false } => tdpbuud(block, &self.left, steps, to),
            }
        }
    }
}

/// A block of sums, of at most two tiles by two.
struct Block {
    rows: usize,
    columns: usize,
    /// The first of its tiles of the left factor.
    left: *const u8,
    /// The first of those of the right one.
    right: *const u8,
    /// Sums from one row to the next.
    pitch: usize,
}

/// Where the sums of a block go.
struct To {
    start: *mut u8,
    /// Bytes from one row to the next.
    pitch: usize,
    /// There are sums to which others are added.
    has_sums: bool,
}

/// The exponent of the least `f32` whose last place is a normal number, as it is encoded.
const LEAST_EXPONENT: i32 = 24;

/// Whether all sums of a block are whole multiples of the least normal `f32`, as the products that AMX adds to them are: no sum of both is less than
/// normal then.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn are_multiples_of_normal(block: &Block, sums: *const u8) -> bool {
    let mut least = _mm512_set1_epi32(-1);
    for row in 0..block.rows {
        for column in (0..block.columns).step_by(EDGE) {
            // SAFETY: the block has whole tiles.
            let words = unsafe { _mm512_loadu_si512(sums.add((row * block.pitch + column) * WORD).cast()) };
            let magnitudes = _mm512_and_si512(words, _mm512_set1_epi32(i32::MAX));
            // That of a zero is the greatest.
            least = _mm512_min_epu32(least, _mm512_sub_epi32(magnitudes, _mm512_set1_epi32(1)));
        }
    }
    _mm512_cmplt_epu32_mask(least, _mm512_set1_epi32((LEAST_EXPONENT << 23) - 1)) == 0
}

/// The sums of a block, row by row.
#[repr(align(64))]
struct Sums([u32; BLOCK * BLOCK]);

/// `c = acc + sums`, of a block; all of `acc` is the splat if it `IS_SPLAT`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn add<T: Sum, const IS_SPLAT: bool>(sums: &Sums, block: &Block, acc: *const T, splat: u32, c: *mut T) {
    let Block { rows, columns, pitch, .. } = *block;
    // Columns of the second half that are not there are not touched.
    let masks = [columns, columns.saturating_sub(EDGE)].map(|columns| first(columns) as u16);
    for row in 0..rows {
        for (half, mask) in masks.into_iter().enumerate() {
            let at = row * pitch + half * EDGE;
            // SAFETY: the block lies in the matrices.
            unsafe {
                let sum = _mm512_load_si512(sums.0.as_ptr().add(row * BLOCK + half * EDGE).cast());
                let acc = if IS_SPLAT {
                    _mm512_set1_epi32(splat.cast_signed())
                } else {
                    _mm512_maskz_loadu_epi32(mask, acc.wrapping_add(at).cast())
                };
                let sum = if T::IS_FLOAT {
                    _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(acc), _mm512_castsi512_ps(sum)))
                } else {
                    _mm512_add_epi32(acc, sum)
                };
                _mm512_mask_storeu_epi32(c.wrapping_add(at).cast(), mask, sum);
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
        /// The sums of the products of 16 rows, or 32 if the block has more than 16, and 32 columns, with tiles one behind the other.
        ///
        /// # Safety
        /// The registers are configured; these tiles lie along `k`, for as many rows, and twice as many of the right factor. There is a place for the sums.
        unsafe fn $instruction(block: &Block, left: &Left, steps: Range<usize>, to: &To) {
            let (has_sums, count) = (usize::from(to.has_sums), steps.len());
            let (a, b) = (block.left.wrapping_add(steps.start * left.step), block.right.wrapping_add(steps.start * 2 * TILE));
            // SAFETY: by the contract.
            unsafe {
                if block.rows > EDGE {
                    asm!(
                        "test {has_sums}, {has_sums}", "jz 3f",
                        "tileloadd tmm0, [{sums} + {pitch_of_sums}]",
                        "tileloadd tmm1, [{sums} + {pitch_of_sums} + 64]",
                        "tileloadd tmm2, [{lower_sums} + {pitch_of_sums}]",
                        "tileloadd tmm3, [{lower_sums} + {pitch_of_sums} + 64]",
                        "jmp 2f",
                        "3:",
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
                        "tilestored [{sums} + {pitch_of_sums}], tmm0",
                        "tilestored [{sums} + {pitch_of_sums} + 64], tmm1",
                        "tilestored [{lower_sums} + {pitch_of_sums}], tmm2",
                        "tilestored [{lower_sums} + {pitch_of_sums} + 64], tmm3",
                        a = inout(reg) a => _,
                        lower = inout(reg) a.wrapping_add(left.band) => _,
                        b = inout(reg) b => _,
                        steps = inout(reg) count => _,
                        pitch = in(reg) left.pitch,
                        step = in(reg) left.step,
                        row = in(reg) ROW,
                        sums = in(reg) to.start,
                        lower_sums = in(reg) to.start.wrapping_add(EDGE * to.pitch),
                        pitch_of_sums = in(reg) to.pitch,
                        has_sums = in(reg) has_sums,
                        options(nostack),
                    );
                } else {
                    asm!(
                        "test {has_sums}, {has_sums}", "jz 3f",
                        "tileloadd tmm0, [{sums} + {pitch_of_sums}]",
                        "tileloadd tmm1, [{sums} + {pitch_of_sums} + 64]",
                        "jmp 2f",
                        "3:",
                        "tilezero tmm0", "tilezero tmm1",
                        "2:",
                        "tileloadd tmm4, [{a} + {pitch}]",
                        "tileloadd tmm6, [{b} + {row}]",
                        "tileloadd tmm7, [{b} + {row} + 1024]",
                        concat!(stringify!($instruction), " tmm0, tmm4, tmm6"),
                        concat!(stringify!($instruction), " tmm1, tmm4, tmm7"),
                        "add {a}, {step}", "add {b}, 2048",
                        "dec {steps}", "jnz 2b",
                        "tilestored [{sums} + {pitch_of_sums}], tmm0",
                        "tilestored [{sums} + {pitch_of_sums} + 64], tmm1",
                        a = inout(reg) a => _,
                        b = inout(reg) b => _,
                        steps = inout(reg) count => _,
                        pitch = in(reg) left.pitch,
                        step = in(reg) left.step,
                        row = in(reg) ROW,
                        sums = in(reg) to.start,
                        pitch_of_sums = in(reg) to.pitch,
                        has_sums = in(reg) has_sums,
                        options(nostack),
                    );
                }
            }
        }
    )*};
}
multiplies_with! { tdpbf16ps tdpbssd tdpbsud tdpbusd tdpbuud }
