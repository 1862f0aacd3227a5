//! Sums of products, block by block: as many rows and vectors of columns as the registers hold.
#![allow(unsafe_code, reason = "reads and writes matrices through raw pointers, and calls versions for CPU features")]

use super::Shape;
use crate::{
    cpu::Level,
    kernels::vector::{Pairs, Vector},
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m256i, __m512, __m512d, __m512i};

/// The matrices of a product in the type of its sums, each row-major: `c = acc + a * b`.
pub(super) struct Matrices<T> {
    pub(super) a: *const T,
    pub(super) b: *const T,
    pub(super) acc: Start<T>,
    /// May be `acc`.
    pub(super) c: *mut T,
}

/// What sums begin with.
#[derive(Clone, Copy)]
pub(super) enum Start<T> {
    /// The elements of a matrix.
    At(*const T),
    /// One number for all.
    Splat(T),
}

/// Declares a product with a version for each level.
macro_rules! leveled_product {
    ($name:ident, $t:ty, $avx512:ty, $avx2:ty, $baseline:ty) => {
        /// `c = acc + a * b`.
        ///
        /// # Safety
        /// The matrices have the shape; `c` overlaps `a` and `b` nowhere, and `acc` nowhere or everywhere. The CPU has the level.
        pub(super) unsafe fn $name(level: Level, shape: Shape, matrices: &Matrices<$t>) {
            // SAFETY: by the contract.
            unsafe {
                match level {
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => avx512::<$avx512>(shape, matrices),
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => avx2::<$avx2>(shape, matrices),
                    _ => product::<$baseline, 4, 2>(shape, matrices),
                }
            }
        }
    };
}
leveled_product! { product_f32, f32, __m512, __m256, [f32; 4] }
leveled_product! { product_f64, f64, __m512d, __m256d, [f64; 2] }
leveled_product! { product_i16, i32, Pairs<__m512i>, Pairs<__m256i>, Pairs<[i32; 4]> }

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
unsafe fn avx512<V: Vector>(shape: Shape, matrices: &Matrices<V::Lane>)
where
    V::Lane: Default,
{
    // 16 sums in 32 registers, and the vectors of a row of b.
    // SAFETY: by the caller.
    unsafe { product::<V, 8, 2>(shape, matrices) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<V: Vector>(shape: Shape, matrices: &Matrices<V::Lane>)
where
    V::Lane: Default,
{
    // 8 sums in 16 registers.
    // SAFETY: by the caller.
    unsafe { product::<V, 4, 2>(shape, matrices) }
}

/// The product in blocks of `R` rows and `C` vectors.
#[inline(always)]
unsafe fn product<V: Vector, const R: usize, const C: usize>(shape: Shape, matrices: &Matrices<V::Lane>)
where
    V::Lane: Default,
{
    // SAFETY: by the caller.
    unsafe { if shape.n.is_multiple_of(V::LANES) { whole_vectors::<V, R, C>(shape, matrices) } else { padded::<V, R, C>(shape, matrices) } }
}

/// The product where rows are whole vectors.
#[inline(always)]
unsafe fn whole_vectors<V: Vector, const R: usize, const C: usize>(Shape { m, n, k }: Shape, matrices: &Matrices<V::Lane>) {
    let width = C * V::LANES;
    let mut j = 0;
    while j < n {
        let wide = j + width <= n;
        let mut i = 0;
        while i < m {
            let tall = i + R <= m;
            let at = Place { row: i, column: j, n, k };
            // SAFETY: the block lies inside the matrices.
            unsafe {
                match (tall, wide) {
                    (true, true) => block::<V, R, C>(at, matrices),
                    (true, false) => block::<V, R, 1>(at, matrices),
                    (false, true) => block::<V, 1, C>(at, matrices),
                    (false, false) => block::<V, 1, 1>(at, matrices),
                }
            }
            i += if tall { R } else { 1 };
        }
        j += if wide { width } else { V::LANES };
    }
}

/// The product of matrices whose rows are no whole vectors: on copies whose rows are.
#[inline(always)]
unsafe fn padded<V: Vector, const R: usize, const C: usize>(shape: Shape, matrices: &Matrices<V::Lane>)
where
    V::Lane: Default,
{
    let Shape { m, n, k } = shape;
    let wide = n.next_multiple_of(V::LANES);
    let (mut b, mut c) = (vec![V::Lane::default(); k * wide], vec![V::Lane::default(); m * wide]);
    // SAFETY: the matrices have the shape, and the copies rows that are longer.
    unsafe {
        for p in 0..k {
            std::ptr::copy_nonoverlapping(matrices.b.add(p * n), b[p * wide..].as_mut_ptr(), n);
        }
        let mut acc = matrices.acc;
        if let Start::At(from) = acc {
            (0..m).for_each(|i| std::ptr::copy_nonoverlapping(from.add(i * n), c[i * wide..].as_mut_ptr(), n));
            acc = Start::At(c.as_ptr());
        }
        let copies = Matrices { b: b.as_ptr(), acc, c: c.as_mut_ptr(), ..*matrices };
        whole_vectors::<V, R, C>(Shape { n: wide, ..shape }, &copies);
        for i in 0..m {
            std::ptr::copy_nonoverlapping(c[i * wide..].as_ptr(), matrices.c.add(i * n), n);
        }
    }
}

/// Where a block begins, and the row lengths of the matrices.
#[derive(Clone, Copy)]
struct Place {
    row: usize,
    column: usize,
    n: usize,
    k: usize,
}

/// `R` rows of `C` vectors, kept in registers for all of `k`.
#[inline(always)]
unsafe fn block<V: Vector, const R: usize, const C: usize>(Place { row, column, n, k }: Place, matrices: &Matrices<V::Lane>) {
    // SAFETY: the caller's block lies inside the matrices, and it has the features of the vectors.
    unsafe {
        let first = row * n + column;
        let (a, b, c) = (matrices.a.add(row * k), matrices.b.add(column), matrices.c.add(first));
        let mut sums = [[V::splat(*a); C]; R];
        for (r, sums) in sums.iter_mut().enumerate() {
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = match matrices.acc {
                    Start::At(acc) => V::load(acc.add(first + r * n + v * V::LANES)),
                    Start::Splat(value) => V::splat(value),
                };
            }
        }
        for p in 0..k {
            let mut factors = [V::splat(*a); C];
            for (v, factor) in factors.iter_mut().enumerate() {
                *factor = V::load(b.add(p * n + v * V::LANES));
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = V::splat(*a.add(r * k + p));
                for (sum, factor) in sums.iter_mut().zip(&factors) {
                    *sum = sum.add_product(x, *factor);
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for (v, sum) in sums.iter().enumerate() {
                sum.store(c.add(r * n + v * V::LANES));
            }
        }
    }
}
