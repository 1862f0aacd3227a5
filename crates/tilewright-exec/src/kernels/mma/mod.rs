//! Matrix multiplication of tiles.
//!
//! Factors are read where they are, or brought to the type and order in which products are summed ([`factors`]); [`product`] sums
//! blocks of rows and columns that fit the vector registers, with `k` ascending for every element, apart from what they are added to
//! (SEMANTICS c.8). Floats accumulate in f32 (f64 for f64), chunk by chunk, and are rounded to the result type once. Where the CPU can, a
//! product of floats is not rounded before it is added; products of formats of up to 11 bits are exact either way.
//! Bytes are multiplied four by four where the CPU can, else as pairs of 16-bit numbers; large products of bytes and `bf16` in tiles, where it
//! has AMX ([`amx`]).
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers")]

mod amx;
mod factors;
mod panel;
mod product;
mod widen;

pub(crate) use factors::Matrix;

use crate::{
    cpu::{self, Level},
    elem::float_format,
    kernels::ahead::Ahead,
};
use factors::{Cut, Room, Rooms, Rows};
use product::{Product, Start, WIDTH_QUADS, product_f32, product_f64, product_i16, product_quads, width_f32, width_f64, width_i16};
use tilewright_ir::Scalar;
use tilewright_numeric::FloatFormat;
use widen::{decode, narrow, scale, widen, write_f64_as_f32};

/// The element types of a multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MatmulKind {
    /// Factors of one format, accumulated in f32, with a result of f32 or f16. The left one may have been widened to f32 before.
    F32 {
        lhs: FloatFormat,
        rhs: FloatFormat,
        result: FloatFormat,
    },
    F64,
    /// Small factors of one format with scales, accumulated in f64, with a result of f32.
    Scaled {
        factor: FloatFormat,
    },
    /// i8 factors, accumulated in wrapping i32.
    I32 {
        lhs_signed: bool,
        rhs_signed: bool,
    },
}

impl MatmulKind {
    pub(crate) fn float(factor: Scalar, acc: Scalar) -> Option<MatmulKind> {
        match (factor, acc) {
            (Scalar::F64, Scalar::F64) => Some(MatmulKind::F64),
            (Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F16, Scalar::F16 | Scalar::F32)
            | (Scalar::Bf16 | Scalar::Tf32 | Scalar::F32, Scalar::F32) => {
                let factor = float_format(factor)?;
                Some(MatmulKind::F32 { lhs: factor, rhs: factor, result: float_format(acc)? })
            }
            _ => None,
        }
    }

    pub(crate) fn scaled(factor: Scalar) -> Option<MatmulKind> {
        let fits = matches!(factor, Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F4E2M1FN);
        fits.then_some(MatmulKind::Scaled { factor: float_format(factor)? })
    }

    pub(crate) fn int(lhs: Scalar, rhs: Scalar, acc: Scalar, lhs_signed: bool, rhs_signed: bool) -> Option<MatmulKind> {
        let fits = lhs == Scalar::I8 && rhs == Scalar::I8 && acc == Scalar::I32;
        fits.then_some(MatmulKind::I32 { lhs_signed, rhs_signed })
    }
}

/// Extents of a product: `m` x `k` times `k` x `n`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
}

/// Room for operands in the accumulation type; kept from call to call.
#[derive(Debug, Default)]
pub(crate) struct Packs {
    factors: Rooms,
    sums: Room,
}

impl Packs {
    /// Places that keep their bytes: for raw factors, left ones, right ones, sums, and decoded numbers, which are dropped.
    pub(crate) const ROOMS: usize = 5;

    /// So many products begin, of the same kind and shape, and none of which changes a factor of others: what is copied of a matrix serves all of them.
    pub(crate) fn begin(&mut self, products: usize) {
        self.factors.begin(products);
    }

    /// The most bytes that so many `products` at a time need in each of them. Where factors are read in place, they need none.
    pub(crate) fn most(kind: MatmulKind, shape: &Shape, products: usize) -> [usize; Packs::ROOMS] {
        let [raw, lhs, rhs, sums, decoded] = Packs::most_of_one(kind, shape);
        [raw, products * lhs, products * rhs, sums, decoded]
    }

    fn most_of_one(kind: MatmulKind, &Shape { m, n, k }: &Shape) -> [usize; Packs::ROOMS] {
        let (one, k) = (k, k * most_together(kind, k));
        // Panels are filled up to whole ones, of at most as many columns as those of quads; those of bytes have rows for whole quads.
        let (wide, deep) = (n.next_multiple_of(WIDTH_QUADS), k.next_multiple_of(4));
        let bytes = |format: FloatFormat| format.storage_bits().div_ceil(8) as usize;
        // As many products as may be computed as one.
        let tiles = |factors| {
            let k = one * amx::together(factors, one);
            let [lhs, rhs] = amx::room(factors, &Shape { m, n, k });
            [k * m.max(n) * factors.size(), lhs, rhs]
        };
        let rooms = match kind {
            MatmulKind::F32 { lhs, rhs, result } => {
                let raw = (m * k * bytes(lhs)).max(k * wide * bytes(rhs));
                let sums = if result == FloatFormat::F32 { 0 } else { 4 * m * n };
                let [apart, left, right] = if rhs == FloatFormat::Bf16 { tiles(amx::Factors::Bf16) } else { [0; 3] };
                [raw.max(apart), left.max(4 * m * k), right.max(4 * k * wide), sums, 0]
            }
            MatmulKind::F64 => [0, 8 * m * k, 8 * k * wide, 0, 0],
            MatmulKind::Scaled { .. } => [0, 0, 8 * k * wide, 0, 8 * (m * k + k * n + m * n)],
            MatmulKind::I32 { lhs_signed, rhs_signed } => {
                let [apart, left, right] = tiles(amx::Factors::Bytes { lhs_signed, rhs_signed });
                [(m * k).max(deep * wide).max(apart), left.max(2 * m * deep), right.max(2 * deep * wide + 4 * wide), 0, 0]
            }
        };
        rooms.map(|bytes| bytes.next_multiple_of(factors::LINE))
    }

    /// The bytes that are kept.
    #[cfg(test)]
    fn bytes(&self) -> [usize; Packs::ROOMS] {
        let [raw, lhs, rhs] = self.factors.bytes();
        [raw, lhs, rhs, self.sums.bytes(), 0]
    }
}

/// Where the matrices of a product lie.
///
/// Factors and shapes are handed on by reference: a copy of what was just written in pieces waits until all before it has left the
/// CPU's store buffer, for hundreds of cycles behind another product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands<'m> {
    pub(crate) lhs: &'m Matrix,
    pub(crate) rhs: &'m Matrix,
    /// Row-major.
    pub(crate) acc: *const u8,
    /// One element stands for all of `acc`.
    pub(crate) acc_is_splat: bool,
    /// Row-major; may be `acc`.
    pub(crate) dst: *mut u8,
    /// If there are some, the factors lie in order.
    pub(crate) scales: Option<Scales>,
}

/// Factors for blocks of elements along `k`: `m` x `blocks` for the left matrix, `blocks` x `n` for the right one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scales {
    pub(crate) format: FloatFormat,
    pub(crate) blocks: usize,
    pub(crate) lhs: *const u8,
    pub(crate) rhs: *const u8,
}

/// Whether a product takes its factors as `bf16`, in tiles, unless they are very small.
pub(crate) fn takes_bf16_in_tiles(level: Level, kind: MatmulKind, shape: &Shape) -> bool {
    matches!(kind, MatmulKind::F32 { lhs: FloatFormat::Bf16, rhs: FloatFormat::Bf16, .. }) && amx::suits(level, shape)
}

/// Rows of the panels of products that are computed together, at most: a panel of the longest vectors takes half of the nearest cache then. The sums are
/// read and written once for all of these products.
const DEEPEST: usize = 64;

/// How many products are computed as one at most, each of which goes on along `k` where the one before ends: only one where rows are read in place,
/// or results are rounded to another type.
fn most_together(kind: MatmulKind, k: usize) -> usize {
    let deepest = match kind {
        MatmulKind::F32 { rhs, result: FloatFormat::F32, .. } if rhs.precision() <= 11 => DEEPEST,
        MatmulKind::I32 { .. } => 4 * DEEPEST,
        MatmulKind::F32 { .. } | MatmulKind::F64 | MatmulKind::Scaled { .. } => 0,
    };
    (deepest / k).max(1)
}

/// The same for a CPU.
pub(crate) fn together(level: Level, kind: MatmulKind, shape: &Shape) -> usize {
    match kind {
        MatmulKind::I32 { lhs_signed, rhs_signed } if amx::suits(level, shape) => {
            amx::together(amx::Factors::Bytes { lhs_signed, rhs_signed }, shape.k)
        }
        _ if takes_bf16_in_tiles(level, kind, shape) => amx::together(amx::Factors::Bf16, shape.k),
        _ => most_together(kind, shape.k),
    }
}

/// `dst = acc + lhs * rhs` for so many `rounds`, of which each has factors that go on along `k` where those of the one before end, and adds its
/// product to what the ones before gave. Fetches what is wanted `ahead` on the way.
///
/// # Safety
/// The pointers are valid for the elements of their matrices, aligned; `dst` overlaps none of the others, but it may be `acc`. The
/// CPU has the level. Since [`Packs::begin`], products were of this kind and shape, and no factor has changed: copies are used again.
pub(crate) unsafe fn matmul(
    level: Level,
    kind: MatmulKind,
    shape: &Shape,
    rounds: usize,
    operands: &Operands<'_>,
    packs: &mut Packs,
    ahead: &mut Ahead,
) {
    let Operands { lhs, rhs, acc, acc_is_splat, dst, .. } = *operands;
    let (depth, shape) = (shape.k, Shape { k: rounds * shape.k, ..*shape });
    let Shape { m, n, k } = shape;
    let cut = |width| Cut { k, n, width, m };
    let Packs { factors, sums } = packs;
    // SAFETY: the matrices have the shape; the sums in another type have room of their own.
    unsafe {
        if takes_bf16_in_tiles(level, kind, &shape)
            && amx::product(amx::Factors::Bf16, &shape, [lhs, rhs], (operands.start::<f32>(), dst.cast()), factors, ahead)
        {
            return;
        }
        match kind {
            MatmulKind::F32 { lhs: left, rhs: right, result } => {
                let rows = lhs.f32_rows(level, left, (m, k), factors);
                let panels = rhs.f32_panels(level, right, cut(width_f32(level)), factors);
                let chunk = chunk_of(right);
                if result == FloatFormat::F32 {
                    product_f32(
                        level,
                        &Product { shape, depth, rows, panels: &panels, chunk, acc: operands.start(), c: dst.cast() },
                        ahead,
                    );
                } else {
                    let sums = std::slice::from_raw_parts_mut(sums.take::<f32>(m * n), m * n);
                    widen(level, result, acc, &mut sums[..if acc_is_splat { 1 } else { m * n }]);
                    let acc = if acc_is_splat { Start::Splat(sums[0]) } else { Start::At(sums.as_ptr()) };
                    product_f32(level, &Product { shape, depth, rows, panels: &panels, chunk, acc, c: sums.as_mut_ptr() }, ahead);
                    narrow(level, result, sums, dst);
                }
            }
            MatmulKind::F64 => {
                let rows = lhs.rows(level, (m, k), factors);
                let panels = rhs.panels(level, cut(width_f64(level)), factors);
                let acc = operands.start();
                product_f64(level, &Product { shape, depth, rows, panels: &panels, chunk: CHUNK, acc, c: dst.cast() }, ahead);
            }
            MatmulKind::Scaled { factor } => {
                let (mut a, mut b) = (decode(factor, lhs.start, m * k), decode(factor, rhs.start, k * n));
                if let Some(scales) = operands.scales {
                    scale(&mut a, scales.lhs, scales.format, |i| i / k * scales.blocks + i % k * scales.blocks / k);
                    scale(&mut b, scales.rhs, scales.format, |i| i / n * scales.blocks / k * n + i % n);
                }
                let mut c = decode(FloatFormat::F32, acc, if acc_is_splat { 1 } else { m * n });
                c.resize(m * n, 0.0);
                let acc = if acc_is_splat { Start::Splat(c[0]) } else { Start::At(c.as_ptr()) };
                let decoded = Matrix { start: b.as_ptr().cast(), down: n, right: 1 };
                // The next product has other numbers there.
                factors.begin(1);
                let panels = decoded.panels(level, cut(width_f64(level)), factors);
                let rows = Rows::of(&a, k);
                product_f64(level, &Product { shape, depth, rows, panels: &panels, chunk: CHUNK, acc, c: c.as_mut_ptr() }, ahead);
                write_f64_as_f32(&c, dst);
            }
            MatmulKind::I32 { lhs_signed, rhs_signed } => {
                product_of_bytes(level, Together::best(level, &shape), [lhs_signed, rhs_signed], shape, operands, factors, ahead);
            }
        }
    }
}

/// How many products of bytes the CPU adds at a time.
#[derive(Clone, Copy, Debug)]
enum Together {
    /// Two, of bytes that became numbers of 16 bits.
    Pairs,
    /// Four, of signed bytes with unsigned ones.
    Quads,
    /// Those of whole tiles.
    Tiles,
}

impl Together {
    /// The most that this CPU adds at a level, in a product of this shape.
    fn best(level: Level, shape: &Shape) -> Together {
        match level {
            _ if amx::suits(level, shape) => Together::Tiles,
            Level::Avx512 if cpu::multiplies_quads() => Together::Quads,
            _ => Together::Pairs,
        }
    }
}

/// A product of bytes, signed ones or not. For quads, the left factor is flipped where both factors are signed, or none.
///
/// # Safety
/// As for [`matmul`]. The CPU adds so many products at a time.
unsafe fn product_of_bytes(
    level: Level,
    together: Together,
    [lhs_signed, rhs_signed]: [bool; 2],
    Shape { m, n, k }: Shape,
    operands: &Operands<'_>,
    factors: &mut Rooms,
    ahead: &mut Ahead,
) {
    let Operands { lhs, rhs, dst, .. } = operands;
    // SAFETY: by the contract.
    unsafe {
        let (acc, c) = (operands.start(), dst.cast());
        match together {
            Together::Pairs => {
                let rows = lhs.pair_rows(level, lhs_signed, (m, k), factors);
                let panels = rhs.pair_panels(level, rhs_signed, Cut { k, n, width: width_i16(level), m }, factors);
                let shape = Shape { m, n, k: k.div_ceil(2) };
                product_i16(level, &Product { shape, depth: shape.k, rows, panels: &panels, chunk: shape.k, acc, c }, ahead);
            }
            Together::Quads => {
                let flipped = lhs_signed == rhs_signed;
                let rows = lhs.quad_rows(level, flipped, (m, k), factors);
                let panels = rhs.quad_panels(level, flipped.then_some(rhs_signed), Cut { k, n, width: WIDTH_QUADS, m }, factors);
                let shape = Shape { m, n, k: k.div_ceil(4) };
                product_quads(rhs_signed, &Product { shape, depth: shape.k, rows, panels: &panels, chunk: shape.k, acc, c }, ahead);
            }
            Together::Tiles => {
                let bytes = amx::Factors::Bytes { lhs_signed, rhs_signed };
                let done = amx::product::<i32>(bytes, &Shape { m, n, k }, [lhs, rhs], (acc, c), factors, ahead);
                assert!(done, "products of bytes are whole numbers");
            }
        }
    }
}

/// How many products of floats are summed before their sum is added to others.
const CHUNK: usize = 32;

/// The same for a format whose products are summed in f32. Where they are exact, sums are all that errs, and chunks of half the length
/// make their errors a sixth smaller.
fn chunk_of(factor: FloatFormat) -> usize {
    if factor.precision() <= 11 { CHUNK / 2 } else { CHUNK }
}

impl Operands<'_> {
    /// What sums begin with, where `acc` has their type.
    unsafe fn start<T: Copy>(&self) -> Start<T> {
        let acc: *const T = self.acc.cast();
        // SAFETY: the caller passes at least one element.
        if self.acc_is_splat { Start::Splat(unsafe { *acc }) } else { Start::At(acc) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [(usize, usize, usize); 15] = [
        (1, 1, 1),
        (4, 32, 8),
        (5, 33, 3),
        (8, 64, 16),
        (2, 16, 1),
        (16, 4, 7),
        (3, 31, 2),
        (13, 48, 5),
        (9, 72, 4),
        (64, 128, 32),
        (4, 64, 70),
        (11, 192, 33),
        (16, 16, 16),
        (40, 72, 50),
        (33, 97, 131),
    ];

    /// Small whole numbers: every order and rounding of their products gives the same.
    fn numbers(n: usize, factor: usize, modulus: usize) -> impl Iterator<Item = i32> {
        (0..n).map(move |i| (i * factor % modulus) as i32 - modulus as i32 / 2)
    }

    fn expected((m, n, k): (usize, usize, usize), a: &[i32], b: &[i32], c: impl Fn(usize) -> i32) -> Vec<i32> {
        (0..m * n).map(|at| c(at) + (0..k).map(|p| a[at / n * k + p] * b[p * n + at % n]).sum::<i32>()).collect()
    }

    /// The elements of a matrix, row by row, in an array where neighbours lie `down` and `right` apart.
    fn place<T: Copy>(elements: &[T], columns: usize, (down, right): (usize, usize)) -> Vec<T> {
        let at = |i: usize| i / columns * down + i % columns * right;
        let mut placed = vec![elements[0]; at(elements.len() - 1) + 1];
        elements.iter().enumerate().for_each(|(i, x)| placed[at(i)] = *x);
        placed
    }

    /// Multiplies small whole numbers in one type, with and without a splat as the third operand, in place and not, with factors whose
    /// rows lie side by side, apart, and that are transposed.
    fn check<T: Copy, R: Copy + Default + PartialEq + std::fmt::Debug>(
        kind: MatmulKind,
        factor: impl Fn(i32) -> T,
        result: impl Fn(i32) -> R,
    ) {
        let scaled = matches!(kind, MatmulKind::Scaled { .. });
        for level in Level::available() {
            // What earlier products left in it must not matter.
            let (mut packs, mut ahead) = (Packs::default(), Ahead::default());
            let mut most = [0; Packs::ROOMS];
            for (m, n, k) in SHAPES {
                let needed = Packs::most(kind, &Shape { m, n, k }, 1);
                most = std::array::from_fn(|room| most[room].max(needed[room]));
                let (a, b) = (numbers(m * k, 7, 11).collect::<Vec<_>>(), numbers(k * n, 5, 13).collect::<Vec<_>>());
                let (lhs, rhs): (Vec<T>, Vec<T>) = (a.iter().map(|x| factor(*x)).collect(), b.iter().map(|x| factor(*x)).collect());
                let layouts = [((k, 1), (n, 1)), ((k + 3, 1), (n + 5, 1)), ((1, m), (1, k)), ((2, 2 * m + 1), (3, 3 * k))];
                for (i, (left, right)) in layouts.into_iter().enumerate().take(if scaled { 1 } else { 4 }) {
                    let (lhs, rhs) = (place(&lhs, k, left), place(&rhs, n, right));
                    let (splat, in_place) = [(false, false), (false, true), (true, false), (true, false)][i];
                    let value = |i: usize| if splat { 3 } else { (i % 3) as i32 };
                    let mut acc: Vec<R> = (0..if splat { 1 } else { m * n }).map(|i| result(value(i))).collect();
                    let mut out = vec![R::default(); m * n];
                    let operands = Operands {
                        lhs: &Matrix { start: lhs.as_ptr().cast(), down: left.0, right: left.1 },
                        rhs: &Matrix { start: rhs.as_ptr().cast(), down: right.0, right: right.1 },
                        acc: acc.as_mut_ptr().cast(),
                        acc_is_splat: splat,
                        dst: if in_place { acc.as_mut_ptr().cast() } else { out.as_mut_ptr().cast() },
                        scales: None,
                    };
                    // SAFETY: the arrays have the extents given, and the level is available.
                    unsafe { matmul(level, kind, &Shape { m, n, k }, 1, &operands, &mut packs, &mut ahead) };
                    assert!(packs.bytes().iter().zip(&most).all(|(bytes, most)| bytes <= most), "{kind:?}: {:?} {most:?}", packs.bytes());
                    let found = if in_place { acc } else { out };
                    let expected: Vec<R> = expected((m, n, k), &a, &b, value).into_iter().map(&result).collect();
                    assert_eq!(found, expected, "{kind:?} {m}x{k} times {k}x{n} at {level:?}, layout {left:?} {right:?}");
                }
            }
        }
    }

    #[test]
    fn every_type_and_shape_agrees_with_the_definition() {
        let half = |x: i32| tilewright_numeric::bulk::f32_to_f16(x as f32);
        check(MatmulKind::F64, f64::from, f64::from);
        check(MatmulKind::float(Scalar::F32, Scalar::F32).unwrap(), |x| x as f32, |x| x as f32);
        check(MatmulKind::float(Scalar::Tf32, Scalar::F32).unwrap(), |x| x as f32, |x| x as f32);
        check(MatmulKind::float(Scalar::F16, Scalar::F32).unwrap(), half, |x| x as f32);
        check(MatmulKind::float(Scalar::F16, Scalar::F16).unwrap(), half, half);
        check(MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap(), |x| tilewright_numeric::bulk::f32_to_bf16(x as f32), |x| x as f32);
        check(MatmulKind::float(Scalar::F8E4M3FN, Scalar::F32).unwrap(), |x| tilewright_numeric::bulk::f32_to_e4m3(x as f32), |x| x as f32);
        check(MatmulKind::I32 { lhs_signed: true, rhs_signed: true }, |x| x as i8, |x| x);
        check(MatmulKind::scaled(Scalar::F8E5M2).unwrap(), |x| tilewright_numeric::bulk::f32_to_e5m2(x as f32), |x| x as f32);
    }

    /// The bits of the sums of products of these tiles along `k`, so many of which are computed as one.
    fn summed<T: Copy, R: Copy + Default>(level: Level, kind: MatmulKind, shape: Shape, together: usize, [lhs, rhs]: [&[T]; 2]) -> Vec<R> {
        const PRODUCTS: usize = 6;
        let Shape { m, n, k } = shape;
        let mut sums = vec![R::default(); m * n];
        for first in (0..PRODUCTS).step_by(together) {
            let operands = Operands {
                lhs: &Matrix { start: lhs[first * k..].as_ptr().cast(), down: PRODUCTS * k, right: 1 },
                rhs: &Matrix { start: rhs[first * k * n..].as_ptr().cast(), down: n, right: 1 },
                acc: sums.as_ptr().cast(),
                acc_is_splat: false,
                dst: sums.as_mut_ptr().cast(),
                scales: None,
            };
            // SAFETY: the factors lie in the arrays, and the level is available.
            unsafe { matmul(level, kind, &shape, together, &operands, &mut Packs::default(), &mut Ahead::default()) };
        }
        sums
    }

    #[test]
    fn products_that_are_computed_together_give_the_bits_of_one_after_the_other() {
        for level in Level::available() {
            for (m, n, k) in [(1, 1, 4), (9, 72, 8), (8, 64, 40), (33, 97, 3), (16, 128, 32)] {
                let shape = Shape { m, n, k };
                let (a, b) = (normal_numbers(6 * m * k, 1), normal_numbers(6 * k * n, 2));
                let wide = [&a, &b].map(|x| x.iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
                let half = [&a, &b].map(|x| x.iter().map(|x| tilewright_numeric::bulk::f32_to_f16(*x)).collect::<Vec<_>>());
                let (f32s, f16s) =
                    (MatmulKind::float(Scalar::F32, Scalar::F32).unwrap(), MatmulKind::float(Scalar::F16, Scalar::F32).unwrap());
                let bits = |together| {
                    let of_f32: Vec<f32> = summed(level, f32s, shape, together, [&a, &b]);
                    let of_f16: Vec<f32> = summed(level, f16s, shape, together, [&half[0], &half[1]]);
                    let of_f64: Vec<f64> = summed(level, MatmulKind::F64, shape, together, [&wide[0], &wide[1]]);
                    let of_f64 = of_f64.into_iter().map(f64::to_bits);
                    of_f32.into_iter().chain(of_f16).map(|x| x.to_bits().into()).chain(of_f64).collect::<Vec<u64>>()
                };
                let apart = bits(1);
                assert!([2, 3, 6].into_iter().all(|together| bits(together) == apart), "{shape:?} at {level:?}");
            }
        }
    }

    #[test]
    fn products_are_summed_apart_from_what_they_are_added_to() {
        // Next to this number, one is nothing.
        const LARGE: f32 = (1 << 24) as f32;
        for level in Level::available() {
            let (lhs, rhs, acc, mut dst) = ([1f32; 16], [1f32; 16], [LARGE], [0f32]);
            let operands = Operands {
                lhs: &Matrix { start: lhs.as_ptr().cast(), down: 16, right: 1 },
                rhs: &Matrix { start: rhs.as_ptr().cast(), down: 1, right: 1 },
                acc: acc.as_ptr().cast(),
                acc_is_splat: false,
                dst: dst.as_mut_ptr().cast(),
                scales: None,
            };
            let kind = MatmulKind::float(Scalar::F32, Scalar::F32).unwrap();
            // SAFETY: the arrays have the extents given, and the level is available.
            unsafe { matmul(level, kind, &Shape { m: 1, n: 1, k: 16 }, 1, &operands, &mut Packs::default(), &mut Ahead::default()) };
            assert_eq!(dst, [LARGE + 16.0]);
        }
    }

    #[test]
    fn products_of_small_numbers_are_as_exact_as_others() {
        let bf16 = tilewright_numeric::bulk::f32_to_bf16;
        let kind = MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap();
        const N: usize = 32;
        // Of each, the first factor, the second, and what is added.
        for [a, b, c] in [[1e-30f32, 1e-10, 0.0], [1e-39, 1.0, 0.0], [0.0, 0.0, 1e-40], [1.0, 0.0, 1e-40], [1e-30, 1e-8, 1e-39]] {
            let (lhs, rhs, acc, mut dst) = (vec![bf16(a); N * N], vec![bf16(b); N * N], vec![c; N * N], vec![0f32; N * N]);
            let [a, b] = [lhs[0], rhs[0]].map(|x| FloatFormat::Bf16.decode(u64::from(x)));
            let matrix = |factor: &[u16]| Matrix { start: factor.as_ptr().cast(), down: N, right: 1 };
            let operands = Operands {
                lhs: &matrix(&lhs),
                rhs: &matrix(&rhs),
                acc: acc.as_ptr().cast(),
                acc_is_splat: false,
                dst: dst.as_mut_ptr().cast(),
                scales: None,
            };
            for level in Level::available().filter(|level| level.fuses()) {
                // SAFETY: the arrays have the extents given, and the level is available.
                unsafe { matmul(level, kind, &Shape { m: N, n: N, k: N }, 1, &operands, &mut Packs::default(), &mut Ahead::default()) };
                let expected = f64::from(c) + N as f64 * a * b;
                // As far as the last place of the least numbers.
                let unit = f64::from(f32::from_bits(1));
                assert!(dst.iter().all(|x| (f64::from(*x) - expected).abs() <= N as f64 * (unit + 6e-8 * expected)), "{a:e} {b:e} {c:e}");
            }
        }
    }

    /// Numbers of about the standard normal distribution.
    fn normal_numbers(n: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 24) as f32
        };
        (0..n).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect()
    }

    /// The root mean square of the errors of a product of square matrices of f16, which is summed by products of tiles of `step` columns.
    fn error_of_f16(level: Level, step: usize) -> f64 {
        const N: usize = 256;
        let halves = |seed| normal_numbers(N * N, seed).into_iter().map(tilewright_numeric::bulk::f32_to_f16).collect::<Vec<u16>>();
        let (lhs, rhs, mut sums) = (halves(1), halves(2), vec![0f32; N * N]);
        let (mut packs, mut ahead) = (Packs::default(), Ahead::default());
        for k in (0..N).step_by(step) {
            let operands = Operands {
                lhs: &Matrix { start: lhs[k..].as_ptr().cast(), down: N, right: 1 },
                rhs: &Matrix { start: rhs[k * N..].as_ptr().cast(), down: N, right: 1 },
                acc: sums.as_ptr().cast(),
                acc_is_splat: false,
                dst: sums.as_mut_ptr().cast(),
                scales: None,
            };
            let kind = MatmulKind::float(Scalar::F16, Scalar::F32).unwrap();
            // SAFETY: the factors lie in the arrays, and the level is available.
            unsafe { matmul(level, kind, &Shape { m: N, n: N, k: step }, 1, &operands, &mut packs, &mut ahead) };
        }
        let exact = |x: &u16| FloatFormat::F16.decode(u64::from(*x));
        let (lhs, rhs): (Vec<f64>, Vec<f64>) = (lhs.iter().map(exact).collect(), rhs.iter().map(exact).collect());
        let sum = |at: usize| (0..N).map(|k| lhs[at / N * N + k] * rhs[k * N + at % N]).sum::<f64>();
        let squares: f64 = sums.iter().enumerate().map(|(at, found)| (f64::from(*found) - sum(at)).powi(2)).sum();
        (squares / (N * N) as f64).sqrt()
    }

    #[test]
    fn errors_of_long_sums_are_those_of_short_ones() {
        for level in Level::available() {
            for step in [16, 32, 64, 128, 256] {
                let error = error_of_f16(level, step);
                // In one sum after the other it would be 4.4e-6.
                assert!(error < 1.7e-6, "{error:.2e} in steps of {step} at {level:?}");
            }
        }
    }

    /// Bytes, the same ones for each `seed`, and their value as signed or unsigned ones.
    fn bytes(n: usize, seed: u32) -> Vec<u8> {
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 13) as u8).collect()
    }

    #[test]
    fn bytes_of_any_sign_agree_with_the_definition() {
        let value = |signed: bool, x: u8| if signed { i32::from(x as i8) } else { i32::from(x) };
        // Pairs at every level, quads where there are some, and tiles for large products.
        let few = Shape { m: 1, n: 1, k: 1 };
        let ways = |level, shape| [Together::Pairs, Together::best(level, &few), Together::best(level, &shape)].map(|way| (level, way));
        let mut factors = Rooms::default();
        for (m, n, k) in SHAPES {
            for (level, together) in Level::available().flat_map(|level| ways(level, Shape { m, n, k })) {
                let (lhs, rhs, acc) = (bytes(m * k, 1), bytes(k * n, 2), vec![i32::MAX; m * n]);
                for signs in [[false, false], [false, true], [true, false], [true, true]] {
                    let mut found = vec![0i32; m * n];
                    let operands = Operands {
                        lhs: &Matrix { start: lhs.as_ptr(), down: k, right: 1 },
                        rhs: &Matrix { start: rhs.as_ptr(), down: n, right: 1 },
                        acc: acc.as_ptr().cast(),
                        acc_is_splat: false,
                        dst: found.as_mut_ptr().cast(),
                        scales: None,
                    };
                    factors.begin(1);
                    // SAFETY: the arrays have the extents given, and the level is available.
                    unsafe { product_of_bytes(level, together, signs, Shape { m, n, k }, &operands, &mut factors, &mut Ahead::default()) };
                    let term = |at: usize, p: usize| value(signs[0], lhs[at / n * k + p]) * value(signs[1], rhs[p * n + at % n]);
                    let expected = |at: usize| (0..k).fold(i32::MAX, |sum, p| sum.wrapping_add(term(at, p)));
                    let expected: Vec<i32> = (0..m * n).map(expected).collect();
                    assert_eq!(found, expected, "{m} x {n} x {k}, signed: {signs:?}, {together:?} at {level:?}");
                }
            }
        }
    }

    #[test]
    fn integers_wrap() {
        for level in Level::available() {
            let (lhs, rhs, acc, mut dst) = ([200u8, 1, 255], [255u8, 2, 255], [i32::MAX], [0i32]);
            let operands = Operands {
                lhs: &Matrix { start: lhs.as_ptr(), down: 3, right: 1 },
                rhs: &Matrix { start: rhs.as_ptr(), down: 1, right: 1 },
                acc: acc.as_ptr().cast(),
                acc_is_splat: false,
                dst: dst.as_mut_ptr().cast(),
                scales: None,
            };
            let kind = MatmulKind::I32 { lhs_signed: false, rhs_signed: true };
            // SAFETY: the arrays have the extents given, and the level is available.
            unsafe { matmul(level, kind, &Shape { m: 1, n: 1, k: 3 }, 1, &operands, &mut Packs::default(), &mut Ahead::default()) };
            assert_eq!(dst, [i32::MAX.wrapping_add(-200 + 2 - 255)]);
        }
    }
}
