//! Products on AMX, whose registers are tiles: 16 rows of 64 bytes.
//!
//! The CPU adds to a tile of 16 x 16 sums the products of two tiles: 16 rows of the left factor, and 16 columns of the right one, whose
//! neighbours along `k` lie side by side as words of four bytes: pairs of `bf16` or quads of bytes. Factors are copied tile by tile, so that
//! each is read from one place; a left factor of whole tiles whose rows lie close together is read where it is.
//!
//! AMX takes numbers below the least normal `f32` for zeros. Products of `bf16` are whole multiples of the product of the last places of
//! their factors: where that is a normal number, no sum of them is anything between.
//!
//! Products that are added to the same sums one after the other may be [deferred](super::Deferred): their factors are copied behind each other along
//! `k`, and multiplied together. The CPU adds to what it finds in a tile of sums, so the bits are those of one product after the other, if what
//! it begins with is normal, too.
#![allow(unsafe_code, reason = "reads and writes matrices through raw pointers, and runs instructions that have no intrinsics yet")]
#![cfg_attr(
    not(all(target_arch = "x86_64", target_os = "linux")),
    allow(dead_code, unused_variables, reason = "what other systems do not have is only named there")
)]

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod copies;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod native;

use super::{
    Shape,
    factors::{LINE, Matrix, Room, Rooms},
    product::Start,
};
use crate::{
    ahead::Ahead,
    cpu::{self, Level},
};

/// Rows of a tile, words of a row, and rows and columns of a tile of sums.
const EDGE: usize = 16;
/// Bytes of a word, as of a sum.
pub(super) const WORD: usize = 4;
/// Bytes of a row of a tile.
const ROW: usize = EDGE * WORD;
/// Bytes of a tile.
const TILE: usize = EDGE * ROW;
/// Rows and columns of the sums that registers hold at once: four tiles of them, beside two of each factor.
const BLOCK: usize = 2 * EDGE;

/// How often something else may be done while a tile of a left factor, or two of a right one, are copied: a part of what is fetched ahead, so small that
/// the CPU waits for nothing.
const PER_TILE: usize = 4;

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

/// How many products of this shape are deferred and computed together at most: those of whole tiles, and of floats that the CPU adds to sums one
/// after the other, which it does tile by tile.
pub(super) fn deferred(factors: Factors, &Shape { k, .. }: &Shape) -> usize {
    let has_whole_tiles = (k * factors.size()).is_multiple_of(ROW);
    let is_added_at_once = factors != Factors::Bf16 || factors.steps(k) == 1;
    if has_whole_tiles && is_added_at_once { together(factors, k) } else { 1 }
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

/// In how many parts the copies of so many left and right factors of a product are made, while something else is done.
pub(super) fn parts_of_copies(factors: Factors, shape: &Shape, [left, right]: [usize; 2]) -> usize {
    PER_TILE * (left * shape.m.div_ceil(EDGE) + right * shape.n.div_ceil(BLOCK) * factors.steps(shape.k))
}

/// A factor of a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Left,
    Right,
}

/// Copies a factor of the product with this number among `most` that are deferred, behind those of the ones before, and gives its least number. If the
/// products may be less than normal numbers, they must be computed otherwise, and another one may get the number.
///
/// # Safety
/// The matrix has the shape; `copy` has [`room`] for the factors of as many products. The CPU has AMX and [`Level::Avx512`].
pub(super) unsafe fn defer(
    side: Side,
    factors: Factors,
    shape: &Shape,
    (number, most): (usize, usize),
    matrix: &Matrix,
    (raw, copy): (&mut Room, *mut u8),
    ahead: &mut Ahead,
) -> Least {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    // SAFETY: by the contract.
    unsafe {
        native::defer(side, factors, shape, (number, most), matrix, (raw, copy), ahead)
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    unreachable!("{factors:?}, {shape:?}: AMX is used on Linux on x86-64 only")
}

/// Adds so many products to `sums`, one after the other, whose factors were copied by [`defer`].
///
/// # Safety
/// As for [`product`] with `sums` as both matrices of sums; the copies are those of so many products of the shape, among `most`.
pub(super) unsafe fn add_deferred<T: Sum>(
    factors: Factors,
    shape: &Shape,
    (products, most): (usize, usize),
    copies: [*const u8; 2],
    sums: *mut T,
    ahead: &mut Ahead,
) {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    // SAFETY: by the contract.
    unsafe {
        native::add_deferred(factors, shape, (products, most), copies, sums, ahead)
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

impl Least {
    /// That of two factors.
    pub(super) fn with(self, other: Least) -> Least {
        Least(self.0.into_iter().chain(other.0).min())
    }
}

/// Whether AMX gives the products of factors with these least numbers.
pub(super) fn are_normal(factors: Factors, lhs: Least, rhs: Least) -> bool {
    factors != Factors::Bf16 || stay_normal(lhs.0, rhs.0)
}

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
