//! Matrix multiplication of tiles.
//!
//! Factors are read where they are, or brought to the type and order in which products are summed (`factors.rs`); `product.rs` sums
//! blocks of rows and columns that fit the vector registers, with `k` ascending for every element, apart from what they are added to
//! (SEMANTICS c.8). Floats accumulate in f32 (f64 for f64), chunk by chunk, and are rounded to the result type once. Where the CPU can, a
//! product of floats is not rounded before it is added; products of formats of up to 11 bits are exact either way.
//! Bytes are multiplied four by four where the CPU can, else as pairs of 16-bit numbers; large products of bytes and `bf16` in tiles, where it
//! has AMX (`amx/`), several of a loop together (`deferred.rs`).
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers")]

mod amx;
mod deferred;
mod factors;
mod panel;
mod product;
mod widen;

pub use amx::stay_normal;
pub use deferred::{Batch, Deferred, deferred};
pub use factors::{Copies, Matrices, Matrix};

use crate::{
    ahead::Ahead,
    cpu::{self, Level},
    elem::float_format,
};
use factors::{Cut, Room, Rooms, Rows};
use product::{Product, Start, WIDTH_QUADS, product_f32, product_f64, product_i16, product_quads, width_f32, width_f64, width_i16};
use tilewright_ir::Scalar;
use tilewright_numeric::FloatFormat;
use widen::{decode, narrow, scale, widen, write_f64_as_f32};

/// The element types of a multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatmulKind {
    /// Factors of one format, accumulated in f32, with a result of f32 or f16. The left one may have been widened to f32 before.
    F32 {
        /// Of the left factor.
        lhs: FloatFormat,
        /// Of the right factor.
        rhs: FloatFormat,
        /// Of the result.
        result: FloatFormat,
    },
    /// All f64.
    F64,
    /// Small factors of one format with scales, accumulated in f64, with a result of f32.
    Scaled {
        /// Of both factors.
        factor: FloatFormat,
    },
    /// i8 factors, accumulated in wrapping i32.
    I32 {
        /// Whether the left factor has signed bytes.
        lhs_signed: bool,
        /// Whether the right factor has.
        rhs_signed: bool,
    },
}

impl MatmulKind {
    /// Products of floats; `None` if these types are not multiplied.
    pub fn float(factor: Scalar, acc: Scalar) -> Option<MatmulKind> {
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

    /// Products of floats with scales; `None` if the type has none.
    pub fn scaled(factor: Scalar) -> Option<MatmulKind> {
        let fits = matches!(factor, Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F4E2M1FN);
        fits.then_some(MatmulKind::Scaled { factor: float_format(factor)? })
    }

    /// Products of integers; `None` if these types are not multiplied.
    pub fn int(lhs: Scalar, rhs: Scalar, acc: Scalar, lhs_signed: bool, rhs_signed: bool) -> Option<MatmulKind> {
        let fits = lhs == Scalar::I8 && rhs == Scalar::I8 && acc == Scalar::I32;
        fits.then_some(MatmulKind::I32 { lhs_signed, rhs_signed })
    }
}

/// Extents of a product: `m` x `k` times `k` x `n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Rows of the left factor and of the result.
    pub m: usize,
    /// Columns of the right factor and of the result.
    pub n: usize,
    /// Columns of the left factor, rows of the right one.
    pub k: usize,
}

/// Room for operands in the accumulation type; kept from call to call.
#[derive(Debug, Default)]
pub struct Packs {
    factors: Rooms,
    sums: Room,
}

impl Packs {
    /// Places that keep their bytes: for raw factors, left ones, right ones, sums, and decoded numbers, which are dropped.
    pub const ROOMS: usize = 5;

    /// So many products begin, of the same kind and shape, and none of which changes a factor of others: what is copied of a matrix serves all of them.
    pub fn begin(&mut self, products: usize) {
        self.factors.begin(products);
    }

    /// The most bytes that so many `products` at a time need in each of them. Where factors are read in place, they need none.
    pub fn most(kind: MatmulKind, shape: &Shape, products: usize) -> [usize; Packs::ROOMS] {
        let [raw, lhs, rhs, sums, decoded] = Packs::most_of_one(kind, shape);
        [raw, products * lhs, products * rhs, sums, decoded]
    }

    fn most_of_one(kind: MatmulKind, shape: &Shape) -> [usize; Packs::ROOMS] {
        let Shape { m, n, k: one } = *shape;
        let k = one * most_together(kind, shape);
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
    pub fn bytes(&self) -> [usize; Packs::ROOMS] {
        let [raw, lhs, rhs] = self.factors.bytes();
        [raw, lhs, rhs, self.sums.bytes(), 0]
    }
}

/// Where the matrices of a product lie.
///
/// Factors and shapes are handed on by reference: a copy of what was just written in pieces waits until all before it has left the
/// CPU's store buffer, for hundreds of cycles behind another product.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'m> {
    /// The left factor.
    pub lhs: &'m Matrix,
    /// The right factor.
    pub rhs: &'m Matrix,
    /// What products are added to, row-major.
    pub acc: *const u8,
    /// One element stands for all of `acc`.
    pub acc_is_splat: bool,
    /// Where the result goes, row-major; may be `acc`.
    pub dst: *mut u8,
    /// If there are some, the factors lie in order.
    pub scales: Option<Scales>,
}

/// Factors for blocks of elements along `k`: `m` x `blocks` for the left matrix, `blocks` x `n` for the right one.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    /// Of the scales.
    pub format: FloatFormat,
    /// Blocks along `k`.
    pub blocks: usize,
    /// The left factor's.
    pub lhs: *const u8,
    /// The right factor's.
    pub rhs: *const u8,
}

/// Whether a product takes its factors as `bf16`, in tiles, unless they are very small.
pub fn takes_bf16_in_tiles(level: Level, kind: MatmulKind, shape: &Shape) -> bool {
    matches!(kind, MatmulKind::F32 { lhs: FloatFormat::Bf16, rhs: FloatFormat::Bf16, .. }) && amx::suits(level, shape)
}

/// Rows of the panels of products that are computed together, at most, where a factor is widened: a panel of the longest vectors takes half of the nearest
/// cache then.
const DEEPEST: usize = 64;
/// Bytes of all panels of products that are computed together, at most, where rows are read in place: half of the nearest cache.
const NEAR: usize = 16 << 10;

/// How many products are computed as one at most, each of which goes on along `k` where the one before ends: the sums are read and written once for all of
/// them. Only one where results are rounded to another type.
fn most_together(kind: MatmulKind, &Shape { n, k, .. }: &Shape) -> usize {
    let near = |size: usize| (NEAR / (n * size)).min(2 * DEEPEST);
    let deepest = match kind {
        MatmulKind::F32 { rhs, result: FloatFormat::F32, .. } if rhs.precision() <= 11 => DEEPEST,
        MatmulKind::F32 { result: FloatFormat::F32, .. } => near(size_of::<f32>()),
        MatmulKind::F64 => near(size_of::<f64>()),
        MatmulKind::I32 { .. } => 4 * DEEPEST,
        MatmulKind::F32 { .. } | MatmulKind::Scaled { .. } => 0,
    };
    (deepest / k).max(1)
}

/// The same for a CPU.
pub fn together(level: Level, kind: MatmulKind, shape: &Shape) -> usize {
    in_tiles(level, kind, shape).map_or_else(|| most_together(kind, shape), |factors| amx::together(factors, shape.k))
}

/// How many products with one left factor, whose right factors are beside each other, fill a panel if they are computed as one. Only 1 where
/// they might be summed in another order then.
pub fn beside(level: Level, kind: MatmulKind, shape: &Shape) -> usize {
    let width = match kind {
        MatmulKind::F32 { result: FloatFormat::F32, .. } => width_f32(level),
        MatmulKind::F64 => width_f64(level),
        _ => return 1,
    };
    // Of as many rounds as may be joined, too.
    let several = Shape { m: shape.m, n: width, k: usize::MAX };
    if in_tiles(level, kind, &several).is_some() { 1 } else { (width / shape.n).max(1) }
}

/// What the factors of a product are that the CPU multiplies in tiles.
fn in_tiles(level: Level, kind: MatmulKind, shape: &Shape) -> Option<amx::Factors> {
    match kind {
        MatmulKind::I32 { lhs_signed, rhs_signed } if amx::suits(level, shape) => Some(amx::Factors::Bytes { lhs_signed, rhs_signed }),
        _ => takes_bf16_in_tiles(level, kind, shape).then_some(amx::Factors::Bf16),
    }
}

/// `dst = acc + lhs * rhs` for so many `rounds`, of which each has factors that go on along `k` where those of the one before end, and adds its
/// product to what the ones before gave. Fetches what is wanted `ahead` on the way.
///
/// # Safety
/// The pointers are valid for the elements of their matrices, aligned; `dst` overlaps none of the others, but it may be `acc`. The
/// CPU has the level. Since [`Packs::begin`], products were of this kind and shape, and no factor has changed: copies are used again.
pub unsafe fn matmul(
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
                product_of_bytes(level, Together::best(level, &shape), [lhs_signed, rhs_signed], shape, operands, packs, ahead);
            }
        }
    }
}

/// How many products of bytes the CPU adds at a time.
#[derive(Clone, Copy, Debug)]
pub enum Together {
    /// Two, of bytes that became numbers of 16 bits.
    Pairs,
    /// Four, of signed bytes with unsigned ones.
    Quads,
    /// Those of whole tiles.
    Tiles,
}

impl Together {
    /// The most that this CPU adds at a level, in a product of this shape.
    pub fn best(level: Level, shape: &Shape) -> Together {
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
pub unsafe fn product_of_bytes(
    level: Level,
    together: Together,
    [lhs_signed, rhs_signed]: [bool; 2],
    Shape { m, n, k }: Shape,
    operands: &Operands<'_>,
    packs: &mut Packs,
    ahead: &mut Ahead,
) {
    let Operands { lhs, rhs, dst, .. } = operands;
    let factors = &mut packs.factors;
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
