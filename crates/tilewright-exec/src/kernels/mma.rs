//! Matrix multiplication of tiles.
//!
//! Operands are brought to the accumulation type, row-major; the product is then summed for blocks of rows and columns that
//! fit registers, with `k` ascending for every element (SEMANTICS c.8). Floats accumulate in f32 (f64 for f64) and are
//! rounded to the result type once.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers, and calls versions for CPU features")]

use super::exact::{read, write};
use crate::elem::float_format;
use tilewright_ir::Scalar;
use tilewright_numeric::{FloatFormat, bulk, convert::tf32_mask};

/// The element types of a multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MatmulKind {
    /// Factors of one format, accumulated in f32, with a result of f32 or f16.
    F32 {
        factor: FloatFormat,
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
                Some(MatmulKind::F32 { factor: float_format(factor)?, result: float_format(acc)? })
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
    f32: [Vec<f32>; 3],
    f64: [Vec<f64>; 3],
    i32: [Vec<i32>; 2],
}

/// Where the matrices of a product lie, each row-major.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub(crate) lhs: *const u8,
    pub(crate) rhs: *const u8,
    pub(crate) acc: *const u8,
    pub(crate) dst: *mut u8,
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

/// `dst = acc + lhs * rhs`.
///
/// # Safety
/// The pointers are valid for the elements of their matrices, aligned; `dst` overlaps none of the others.
pub(crate) unsafe fn matmul(kind: MatmulKind, shape: Shape, operands: Operands, packs: &mut Packs) {
    let Operands { lhs, rhs, acc, dst, scales } = operands;
    let Shape { m, n, k } = shape;
    match kind {
        MatmulKind::F32 { factor, result } => {
            let [a, b, c] = &mut packs.f32;
            // SAFETY: the matrices have these many elements.
            unsafe {
                widen(factor, lhs, m * k, a);
                widen(factor, rhs, k * n, b);
                widen(result, acc, m * n, c);
            }
            product_f32(shape, a, b, c);
            // SAFETY: as above.
            unsafe { narrow(result, c, dst) };
        }
        MatmulKind::F64 => {
            // SAFETY: as above; f64 needs no conversion.
            let (a, b, c) = unsafe {
                (
                    std::slice::from_raw_parts(lhs.cast::<f64>(), m * k),
                    std::slice::from_raw_parts(rhs.cast::<f64>(), k * n),
                    std::slice::from_raw_parts(acc.cast::<f64>(), m * n),
                )
            };
            let sums = &mut packs.f64[2];
            sums.clear();
            sums.extend_from_slice(c);
            product_f64(shape, a, b, sums);
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(sums.as_ptr(), dst.cast::<f64>(), m * n) };
        }
        MatmulKind::Scaled { factor } => {
            let [a, b, c] = &mut packs.f64;
            // SAFETY: as above; there is one scale for each block of a row and of a column.
            unsafe {
                decode(factor, lhs, m * k, a);
                decode(factor, rhs, k * n, b);
                decode(FloatFormat::F32, acc, m * n, c);
                if let Some(scales) = scales {
                    scale(a, scales.lhs, scales.format, |i| i / k * scales.blocks + i % k * scales.blocks / k);
                    scale(b, scales.rhs, scales.format, |i| i / n * scales.blocks / k * n + i % n);
                }
            }
            product_f64(shape, a, b, c);
            // SAFETY: as above.
            c.iter().enumerate().for_each(|(i, sum)| unsafe { write(dst, i, 4, (*sum as f32).to_bits().into()) });
        }
        MatmulKind::I32 { lhs_signed, rhs_signed } => {
            let [a, b] = &mut packs.i32;
            // SAFETY: as above.
            let c = unsafe {
                widen_bytes(lhs_signed, lhs, m * k, a);
                widen_bytes(rhs_signed, rhs, k * n, b);
                std::ptr::copy_nonoverlapping(acc.cast::<i32>(), dst.cast::<i32>(), m * n);
                std::slice::from_raw_parts_mut(dst.cast::<i32>(), m * n)
            };
            product::<i32, WrappingI32>(shape, a, b, c);
        }
    }
}

/// Elements as f32: exact for every factor type.
unsafe fn widen(format: FloatFormat, src: *const u8, n: usize, out: &mut Vec<f32>) {
    out.clear();
    out.resize(n, 0.0);
    // SAFETY: the caller passes `n` elements; each slice has the element type of its format.
    unsafe {
        match format {
            FloatFormat::F32 => std::ptr::copy_nonoverlapping(src.cast(), out.as_mut_ptr(), n),
            FloatFormat::F16 => bulk::f16_to_f32_slice(std::slice::from_raw_parts(src.cast(), n), out),
            FloatFormat::Bf16 => bulk::bf16_to_f32_slice(std::slice::from_raw_parts(src.cast(), n), out),
            FloatFormat::F8E4M3FN => bulk::e4m3_to_f32_slice(std::slice::from_raw_parts(src, n), out),
            FloatFormat::F8E5M2 => bulk::e5m2_to_f32_slice(std::slice::from_raw_parts(src, n), out),
            FloatFormat::Tf32 => {
                let bits: &[u32] = std::slice::from_raw_parts(src.cast(), n);
                out.iter_mut().zip(bits).for_each(|(x, b)| *x = f32::from_bits(tf32_mask(*b)));
            }
            other => {
                let size = other.storage_bits().div_ceil(8) as usize;
                out.iter_mut().enumerate().for_each(|(i, x)| *x = other.decode(read(src, i, size)) as f32);
            }
        }
    }
}

/// Elements as f64: exact for every format.
unsafe fn decode(format: FloatFormat, src: *const u8, n: usize, out: &mut Vec<f64>) {
    let size = format.storage_bits().div_ceil(8) as usize;
    out.clear();
    // SAFETY: the caller passes `n` elements.
    out.extend((0..n).map(|i| format.decode(unsafe { read(src, i, size) })));
}

/// Multiplies each element by its scale, which `position` finds.
unsafe fn scale(values: &mut [f64], scales: *const u8, format: FloatFormat, position: impl Fn(usize) -> usize) {
    let size = format.storage_bits().div_ceil(8) as usize;
    for (i, value) in values.iter_mut().enumerate() {
        // SAFETY: the caller passes a scale for each block.
        *value *= format.decode(unsafe { read(scales, position(i), size) });
    }
}

/// Rounds f32 to the result type.
unsafe fn narrow(format: FloatFormat, values: &[f32], dst: *mut u8) {
    for (i, value) in values.iter().enumerate() {
        // SAFETY: the caller passes room for all values.
        unsafe {
            match format {
                FloatFormat::F16 => write(dst, i, 2, bulk::f32_to_f16(*value).into()),
                _ => write(dst, i, 4, value.to_bits().into()),
            }
        }
    }
}

unsafe fn widen_bytes(signed: bool, src: *const u8, n: usize, out: &mut Vec<i32>) {
    // SAFETY: the caller passes `n` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(src, n) };
    out.clear();
    out.extend(bytes.iter().map(|b| if signed { i32::from(b.cast_signed()) } else { i32::from(*b) }));
}

/// How products are summed.
trait MultiplyAdd<T> {
    fn multiply_add(a: T, b: T, c: T) -> T;
}

struct WrappingI32;
impl MultiplyAdd<i32> for WrappingI32 {
    #[inline(always)]
    fn multiply_add(a: i32, b: i32, c: i32) -> i32 {
        c.wrapping_add(a.wrapping_mul(b))
    }
}

/// Two roundings, for CPUs without a fused operation.
struct Unfused;
impl MultiplyAdd<f32> for Unfused {
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
}
impl MultiplyAdd<f64> for Unfused {
    #[inline(always)]
    fn multiply_add(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}

/// One rounding.
#[cfg(target_arch = "x86_64")]
struct Fused;
#[cfg(target_arch = "x86_64")]
impl MultiplyAdd<f32> for Fused {
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}
#[cfg(target_arch = "x86_64")]
impl MultiplyAdd<f64> for Fused {
    #[inline(always)]
    fn multiply_add(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

/// Rows and columns of a block of the result that is summed in registers.
const ROWS: usize = 4;
const COLUMNS: usize = 32;

/// `c += a * b`, block by block.
#[inline(always)]
fn product<T: Copy + Default, M: MultiplyAdd<T>>(Shape { m, n, k }: Shape, a: &[T], b: &[T], c: &mut [T]) {
    for i in (0..m).step_by(ROWS) {
        for j in (0..n).step_by(COLUMNS) {
            if i + ROWS <= m && j + COLUMNS <= n {
                full_block::<T, M>(n, k, &a[i * k..], &b[j..], &mut c[i * n + j..]);
            } else {
                edge_block::<T, M>(n, k, (ROWS.min(m - i), COLUMNS.min(n - j)), &a[i * k..], &b[j..], &mut c[i * n + j..]);
            }
        }
    }
}

#[inline(always)]
fn full_block<T: Copy + Default, M: MultiplyAdd<T>>(n: usize, k: usize, a: &[T], b: &[T], c: &mut [T]) {
    let mut sums = [[T::default(); COLUMNS]; ROWS];
    for (i, sums) in sums.iter_mut().enumerate() {
        sums.copy_from_slice(&c[i * n..][..COLUMNS]);
    }
    for p in 0..k {
        let row = &b[p * n..][..COLUMNS];
        for (i, sums) in sums.iter_mut().enumerate() {
            let x = a[i * k + p];
            for (sum, y) in sums.iter_mut().zip(row) {
                *sum = M::multiply_add(x, *y, *sum);
            }
        }
    }
    for (i, sums) in sums.iter().enumerate() {
        c[i * n..][..COLUMNS].copy_from_slice(sums);
    }
}

#[inline(always)]
fn edge_block<T: Copy + Default, M: MultiplyAdd<T>>(n: usize, k: usize, (rows, columns): (usize, usize), a: &[T], b: &[T], c: &mut [T]) {
    for i in 0..rows {
        for p in 0..k {
            let x = a[i * k + p];
            for (sum, y) in c[i * n..][..columns].iter_mut().zip(&b[p * n..][..columns]) {
                *sum = M::multiply_add(x, *y, *sum);
            }
        }
    }
}

/// Declares a product with versions for CPU features, chosen when it runs.
macro_rules! dispatched_product {
    ($name:ident, $avx2:ident, $avx512:ident, $t:ty) => {
        fn $name(shape: Shape, a: &[$t], b: &[$t], c: &mut [$t]) {
            #[cfg(target_arch = "x86_64")]
            {
                if is_x86_feature_detected!("avx512f") {
                    // SAFETY: the CPU has the features.
                    return unsafe { $avx512(shape, a, b, c) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the CPU has the features.
                    return unsafe { $avx2(shape, a, b, c) };
                }
            }
            product::<$t, Unfused>(shape, a, b, c);
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $avx2(shape: Shape, a: &[$t], b: &[$t], c: &mut [$t]) {
            product::<$t, Fused>(shape, a, b, c);
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx2,fma")]
        fn $avx512(shape: Shape, a: &[$t], b: &[$t], c: &mut [$t]) {
            product::<$t, Fused>(shape, a, b, c);
        }
    };
}
dispatched_product! { product_f32, product_f32_avx2, product_f32_avx512, f32 }
dispatched_product! { product_f64, product_f64_avx2, product_f64_avx512, f64 }

#[cfg(test)]
mod tests {
    use super::*;

    /// Every shape around the block sizes, against the definition.
    #[test]
    fn blocks_and_edges_agree_with_the_definition() {
        for (m, n, k) in [(1, 1, 1), (4, 32, 8), (5, 33, 3), (8, 64, 16), (2, 16, 1), (16, 4, 7), (3, 31, 2)] {
            let a: Vec<f64> = (0..m * k).map(|i| ((i * 7) % 11) as f64 - 5.0).collect();
            let b: Vec<f64> = (0..k * n).map(|i| ((i * 5) % 13) as f64 - 6.0).collect();
            let mut c: Vec<f64> = (0..m * n).map(|i| (i % 3) as f64).collect();
            let expected: Vec<f64> =
                (0..m * n).map(|at| c[at] + (0..k).map(|p| a[at / n * k + p] * b[p * n + at % n]).sum::<f64>()).collect();
            product_f64(Shape { m, n, k }, &a, &b, &mut c);
            assert_eq!(c, expected, "{m}x{k} times {k}x{n}");
        }
    }

    #[test]
    fn integers_wrap() {
        let mut packs = Packs::default();
        let (lhs, rhs, acc, mut dst) = ([200u8, 1], [255u8, 2], [i32::MAX], [0i32]);
        let kind = MatmulKind::I32 { lhs_signed: false, rhs_signed: true };
        let operands =
            Operands { lhs: lhs.as_ptr(), rhs: rhs.as_ptr(), acc: acc.as_ptr().cast(), dst: dst.as_mut_ptr().cast(), scales: None };
        // SAFETY: the arrays have the extents given.
        unsafe { matmul(kind, Shape { m: 1, n: 1, k: 2 }, operands, &mut packs) };
        assert_eq!(dst, [i32::MAX.wrapping_add(-200 + 2)]);
    }
}
