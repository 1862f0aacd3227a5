//! Sums of products, block by block: as many rows and vectors of columns as the registers hold.
#![allow(unsafe_code, reason = "reads and writes matrices through raw pointers, and calls versions for CPU features")]

use super::{
    Shape,
    factors::{Panels, Rows},
};
use crate::{
    cpu::Level,
    kernels::{
        ahead::Ahead,
        vector::{Pairs, Vector},
    },
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m256i, __m512, __m512d, __m512i};

/// `c = acc + rows * panels`, all in the type of the sums.
pub(super) struct Product<T> {
    pub(super) shape: Shape,
    pub(super) rows: Rows<T>,
    pub(super) panels: Panels<T>,
    /// So many products are summed before their sum is added to others: the rounding errors of a long sum are those of shorter ones.
    pub(super) chunk: usize,
    pub(super) acc: Start<T>,
    /// Row-major; may be `acc`.
    pub(super) c: *mut T,
}

/// What sums begin with.
#[derive(Clone, Copy)]
pub(super) enum Start<T> {
    /// The elements of a matrix like `c`.
    At(*const T),
    /// One number for all.
    Splat(T),
}

/// Rows of a block.
const ROWS: usize = 4;

/// Declares a product with a version for each level, and the width of its panels.
macro_rules! leveled_product {
    ($name:ident, $width:ident, $t:ty, $avx512:ty, $avx2:ty, $baseline:ty) => {
        /// Multiplies; prefetches what will be needed next meanwhile.
        ///
        /// # Safety
        /// The matrices have the shape; `c` overlaps the factors nowhere, and `acc` nowhere or everywhere. Panels were made for the
        /// level, which the CPU has.
        pub(super) unsafe fn $name(level: Level, product: &Product<$t>, ahead: &mut Ahead) {
            // SAFETY: by the contract.
            unsafe {
                match level {
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => avx512::<$avx512>(product, ahead),
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => avx2::<$avx2>(product, ahead),
                    _ => product.run::<$baseline, 2>(ahead),
                }
            }
        }

        /// Columns of a panel.
        pub(super) const fn $width(level: Level) -> usize {
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => 4 * <$avx512>::LANES,
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => 2 * <$avx2>::LANES,
                _ => 2 * <$baseline>::LANES,
            }
        }
    };
}
leveled_product! { product_f32, width_f32, f32, __m512, __m256, [f32; 4] }
leveled_product! { product_f64, width_f64, f64, __m512d, __m256d, [f64; 2] }
leveled_product! { product_i16, width_i16, i32, Pairs<__m512i>, Pairs<__m256i>, Pairs<[i32; 4]> }

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
unsafe fn avx512<V: Vector>(product: &Product<V::Lane>, ahead: &mut Ahead) {
    // 16 sums in 32 registers, and the vectors of a row of b.
    // SAFETY: by the caller.
    unsafe { product.run::<V, 4>(ahead) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<V: Vector>(product: &Product<V::Lane>, ahead: &mut Ahead) {
    // 8 sums in 16 registers.
    // SAFETY: by the caller.
    unsafe { product.run::<V, 2>(ahead) }
}

impl<T: Copy> Product<T> {
    /// Multiplies in blocks of [`ROWS`] rows and `C` vectors, and row by row what is left.
    #[inline(always)]
    unsafe fn run<V: Vector<Lane = T>, const C: usize>(&self, ahead: &mut Ahead) {
        let Shape { m, n, .. } = self.shape;
        let share = ahead.lines().div_ceil(m.div_ceil(ROWS) * n.div_ceil(C * V::LANES));
        let mut row = 0;
        // SAFETY: the bands lie inside the matrices.
        unsafe {
            while row + ROWS <= m {
                self.band::<V, ROWS, C>(row, ahead, share);
                row += ROWS;
            }
            while row < m {
                self.band::<V, 1, C>(row, ahead, share);
                row += 1;
            }
        }
    }

    /// `R` rows of the product.
    #[inline(always)]
    unsafe fn band<V: Vector<Lane = T>, const R: usize, const C: usize>(&self, row: usize, ahead: &mut Ahead, share: usize) {
        let Shape { n, k, .. } = self.shape;
        let width = C * V::LANES;
        // SAFETY: the blocks lie inside the matrices.
        unsafe {
            let a = self.rows.start.add(row * self.rows.pitch);
            for (panel, column) in (0..n).step_by(width).enumerate() {
                ahead.fetch(share);
                let factors =
                    Factors { a, a_pitch: self.rows.pitch, b: self.panels.panel(panel), b_pitch: self.panels.pitch, k, chunk: self.chunk };
                let first = row * n + column;
                let acc = match self.acc {
                    Start::At(acc) => Start::At(acc.add(first)),
                    splat => splat,
                };
                let sums = Sums { acc, c: self.c.add(first), pitch: n };
                if column + width <= n {
                    block::<V, R, C>(factors, sums);
                } else {
                    rest::<V, R>(factors, sums, n - column);
                }
            }
        }
    }
}

/// The factors of a block: the first elements of its rows and of its panel, and the distances between rows.
#[derive(Clone, Copy)]
struct Factors<T> {
    a: *const T,
    a_pitch: usize,
    b: *const T,
    b_pitch: usize,
    k: usize,
    chunk: usize,
}

/// The sums of a block: where they begin and where they go, with the distance between rows.
#[derive(Clone, Copy)]
struct Sums<T> {
    acc: Start<T>,
    c: *mut T,
    pitch: usize,
}

/// `R` rows of fewer columns than a panel has.
#[inline(always)]
unsafe fn rest<V: Vector, const R: usize>(mut factors: Factors<V::Lane>, mut sums: Sums<V::Lane>, mut columns: usize) {
    // SAFETY: the vectors lie inside the caller's matrices; panels are filled up to whole vectors.
    unsafe {
        while columns >= V::LANES {
            let vectors = if columns >= 2 * V::LANES { 2 } else { 1 };
            if vectors == 2 {
                block::<V, R, 2>(factors, sums)
            } else {
                block::<V, R, 1>(factors, sums)
            }
            let done = vectors * V::LANES;
            factors.b = factors.b.add(done);
            sums.c = sums.c.add(done);
            if let Start::At(acc) = &mut sums.acc {
                *acc = acc.add(done);
            }
            columns -= done;
        }
        if columns > 0 {
            // Whole vectors elsewhere, of which the first columns count.
            let mut whole = [V::splat(*factors.a); R];
            let c = whole.as_mut_ptr().cast::<V::Lane>();
            let copy = |from: *const V::Lane, from_pitch: usize, to: *mut V::Lane, to_pitch: usize| {
                (0..R).for_each(|r| std::ptr::copy_nonoverlapping(from.add(r * from_pitch), to.add(r * to_pitch), columns));
            };
            let mut acc = sums.acc;
            if let Start::At(from) = acc {
                copy(from, sums.pitch, c, V::LANES);
                acc = Start::At(c);
            }
            block::<V, R, 1>(factors, Sums { acc, c, pitch: V::LANES });
            copy(c, V::LANES, sums.c, sums.pitch);
        }
    }
}

/// `R` rows of `C` vectors, which are kept in registers for all of a chunk.
///
/// The products are summed apart from `acc`.
#[inline(always)]
unsafe fn block<V: Vector, const R: usize, const C: usize>(factors: Factors<V::Lane>, sums: Sums<V::Lane>) {
    let (Factors { k, chunk: length, .. }, Sums { acc, c, pitch }) = (factors, sums);
    // SAFETY: the caller's block lies inside the matrices, and it has the features of the vectors.
    unsafe {
        let mut totals = chunk::<V, R, C>(factors, 0, k.min(length));
        for first in (length..k).step_by(length) {
            let sums = chunk::<V, R, C>(factors, first, length.min(k - first));
            for (total, sum) in totals.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
                *total = total.add(*sum);
            }
        }
        for (r, sums) in totals.iter().enumerate() {
            for (v, sum) in sums.iter().enumerate() {
                let at = r * pitch + v * V::LANES;
                let acc = match acc {
                    Start::At(acc) => V::load(acc.add(at)),
                    Start::Splat(value) => V::splat(value),
                };
                acc.add(*sum).store(c.add(at));
            }
        }
    }
}

/// The sums of `k` products from the `first` on.
#[inline(always)]
unsafe fn chunk<V: Vector, const R: usize, const C: usize>(factors: Factors<V::Lane>, first: usize, k: usize) -> [[V; C]; R] {
    let Factors { a, a_pitch, b, b_pitch, .. } = factors;
    // SAFETY: by the caller.
    unsafe {
        let mut sums = [[V::splat(V::Lane::default()); C]; R];
        let rows: [*const V::Lane; R] = std::array::from_fn(|r| a.wrapping_add(r * a_pitch + first));
        let b = b.add(first * b_pitch);
        for p in 0..k {
            let mut factors = [V::splat(*b); C];
            for (v, factor) in factors.iter_mut().enumerate() {
                *factor = V::load(b.add(p * b_pitch + v * V::LANES));
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = V::splat(*rows[r].add(p));
                for (sum, factor) in sums.iter_mut().zip(&factors) {
                    *sum = sum.add_product(x, *factor);
                }
            }
        }
        sums
    }
}
