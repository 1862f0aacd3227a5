//! Folding the rows of a tile with one of the usual operations.
//!
//! A reduction is a tree of halves, as any is: the upper half is combined into the lower. [`scan`] says the order of scans. Here rows lie
//! side by side in memory, so nothing is moved to bring the folded dimension to the front.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers, and calls versions for CPU features")]

use super::{
    ElemOp,
    ahead::Ahead,
    fast::loops::{Fn2, Lane},
    long,
    scan::{self, Blocks, InRounds},
    usual::{self, Usual, combine},
};
use crate::{cpu::Level, elem::Elem};
use std::marker::PhantomData;

/// Folds `rows` rows of `extent` elements, a power of two.
///
/// # Safety
/// `src` holds the rows; `dst` has room for one element for each row of a reduction, for all elements of a scan; `spare` has room for
/// one row. All are initialised and aligned to their elements, and none overlaps another.
pub(crate) type RowsFn = unsafe fn(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead);

/// How rows are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowFold {
    Reduce,
    Scan,
    /// From the last element to the first.
    ScanBack,
}

/// Rows up to this many elements are folded without a loop for each half.
pub(super) const SHORT: usize = 16;

pub(super) trait Rows {
    /// # Safety
    /// As [`RowsFn`] demands.
    unsafe fn run(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead);
}

fn at<R: Rows>(level: Level) -> RowsFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<R>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<R>,
        _ => R::run,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn avx512<R: Rows>(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead) {
    // SAFETY: by the caller.
    unsafe { R::run(src, dst, spare, rows, extent, ahead) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn avx2<R: Rows>(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead) {
    // SAFETY: by the caller.
    unsafe { R::run(src, dst, spare, rows, extent, ahead) }
}

pub(super) struct Reduce<T, F>(PhantomData<(T, F)>);
impl<T: Lane, F: Fn2<T::Wide>> Rows for Reduce<T, F> {
    #[inline(always)]
    unsafe fn run(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead) {
        // SAFETY: the contract of RowsFn.
        let (src, dst, spare) = unsafe {
            (
                std::slice::from_raw_parts(src.cast::<T>(), rows * extent),
                std::slice::from_raw_parts_mut(dst.cast::<T>(), rows),
                std::slice::from_raw_parts_mut(spare.cast::<T>(), extent),
            )
        };
        // No division, as chunks of a length would take: it takes as long as a short row.
        for (r, result) in dst.iter_mut().enumerate() {
            let row = &src[r * extent..][..extent];
            *result = if extent <= SHORT { short::<T, F>(row) } else { long::reduce::<T, F>(row, spare, ahead) };
        }
    }
}

/// Reduces a row of up to [`SHORT`] elements.
#[inline(always)]
pub(super) fn short<T: Lane, F: Fn2<T::Wide>>(row: &[T]) -> T {
    let Ok(&row) = <&[T; SHORT]>::try_from(row) else {
        let mut few = [row[0]; SHORT];
        few[..row.len()].copy_from_slice(row);
        let mut half = row.len() / 2;
        while half > 0 {
            (0..half).for_each(|i| few[i] = combine::<T, F>(few[i], few[i + half]));
            half /= 2;
        }
        return few[0];
    };
    // Written out: each half is a vector of its own.
    let a: [T; 8] = std::array::from_fn(|i| combine::<T, F>(row[i], row[i + 8]));
    let b: [T; 4] = std::array::from_fn(|i| combine::<T, F>(a[i], a[i + 4]));
    combine::<T, F>(combine::<T, F>(b[0], b[2]), combine::<T, F>(b[1], b[3]))
}

pub(super) struct Scan<T, F, B, const BACK: bool>(PhantomData<(T, F, B)>);
impl<T: Lane, F: Fn2<T::Wide>, B: Blocks<T>, const BACK: bool> Rows for Scan<T, F, B, BACK> {
    #[inline(always)]
    unsafe fn run(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead) {
        // SAFETY: the contract of RowsFn.
        let (src, dst, spare) = unsafe {
            (
                std::slice::from_raw_parts(src.cast::<T>(), rows * extent),
                std::slice::from_raw_parts_mut(dst.cast::<T>(), rows * extent),
                std::slice::from_raw_parts_mut(spare.cast::<T>(), extent),
            )
        };
        for (row, result) in src.chunks_exact(extent).zip(dst.chunks_exact_mut(extent)) {
            // SAFETY: the CPU has the features that this was selected for.
            unsafe { scan::scan::<T, F, B, BACK>(row, result, spare, ahead) };
        }
    }
}

/// The fold of rows of these elements with an operation, if there is one.
pub(crate) fn select(level: Level, fold: RowFold, op: ElemOp, elem: Elem) -> Option<RowsFn> {
    /// Folds of rows, at a level.
    struct Folds(Level, RowFold);
    impl Usual for Folds {
        type Kernel = RowsFn;
        fn kernel<T: Lane, F: Fn2<T::Wide>>(&self) -> RowsFn {
            match self.1 {
                RowFold::Reduce => at::<Reduce<T, F>>(self.0),
                RowFold::Scan => at::<Scan<T, F, InRounds<F>, false>>(self.0),
                RowFold::ScanBack => at::<Scan<T, F, InRounds<F>, true>>(self.0),
            }
        }

        /// Where the CPU has vectors, these are scanned in registers: see `special` below.
        fn float_kernel<T: Lane, F: Fn2<T::Wide>>(&self) -> RowsFn {
            match self.1 {
                RowFold::Reduce => at::<Reduce<T, F>>(self.0),
                RowFold::Scan => Scan::<T, F, InRounds<F>, false>::run,
                RowFold::ScanBack => Scan::<T, F, InRounds<F>, true>::run,
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    {
        let special = match fold {
            RowFold::Reduce => super::narrow::select(level, op, elem),
            RowFold::Scan => scan::registers::select(level, false, op, elem),
            RowFold::ScanBack => scan::registers::select(level, true, op, elem),
        };
        if special.is_some() {
            return special;
        }
    }
    usual::select(&Folds(level, fold), op, elem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::scan::tests::in_blocks;
    use tilewright_ir::{RoundingMode, Scalar};
    use tilewright_numeric::bulk;

    /// Some for vectors of them, and some that are left over.
    const ROWS: usize = 37;

    const SUM: ElemOp = ElemOp::AddF(RoundingMode::NearestEven, false);

    fn run(fold: RowFold, op: ElemOp, level: Level, values: &[f32], extent: usize) -> Vec<f32> {
        run_of(Scalar::F32, fold, op, level, values, extent)
    }

    fn run_of<T: Clone + Default>(of: Scalar, fold: RowFold, op: ElemOp, level: Level, values: &[T], extent: usize) -> Vec<T> {
        let kernel = select(level, fold, op, Elem::Num(of)).unwrap();
        let mut out = vec![T::default(); if fold == RowFold::Reduce { ROWS } else { ROWS * extent }];
        let mut spare = vec![T::default(); extent];
        // SAFETY: the arrays hold the rows.
        unsafe { kernel(values.as_ptr().cast(), out.as_mut_ptr().cast(), spare.as_mut_ptr().cast(), ROWS, extent, &mut Ahead::default()) };
        out
    }

    /// The documented order, one element at a time.
    fn tree(row: &[f32]) -> f32 {
        let mut row = row.to_vec();
        while row.len() > 1 {
            let half = row.len() / 2;
            row = (0..half).map(|i| row[i] + row[i + half]).collect();
        }
        row[0]
    }

    #[test]
    fn rows_are_folded_in_the_documented_order_at_every_level() {
        for extent in [1, 2, 4, 8, 16, 32, 64, 512, 2048] {
            // Numbers of very different size: every order gives another sum.
            let values: Vec<f32> = (0..ROWS * extent).map(|i| (i as f32 * 0.7).sin() * 10f32.powi((i * 5 % 9) as i32)).collect();
            let rows = || values.chunks(extent);
            let back = |row: &[f32]| row.iter().rev().copied().collect::<Vec<f32>>();
            for level in Level::available() {
                assert_eq!(run(RowFold::Reduce, SUM, level, &values, extent), rows().map(tree).collect::<Vec<_>>());
                assert_eq!(run(RowFold::Scan, SUM, level, &values, extent), rows().flat_map(in_blocks).collect::<Vec<_>>());
                let expected: Vec<f32> = rows().flat_map(|row| back(&in_blocks(&back(row)))).collect();
                assert_eq!(run(RowFold::ScanBack, SUM, level, &values, extent), expected);
            }
        }
    }

    #[test]
    fn every_level_folds_special_values_alike() {
        let special = [0.0, -0.0, 1.5, -2.0, f32::INFINITY, f32::NEG_INFINITY, 1e-42, f32::NAN, f32::from_bits(0xff80_0001), f32::MAX];
        let ops = [false, true].map(|propagate_nan| {
            [
                ElemOp::MaxF { propagate_nan, ftz: false },
                ElemOp::MinF { propagate_nan, ftz: false },
                ElemOp::MulF(RoundingMode::NearestEven, false),
            ]
        });
        // Of NaNs only the bits differ.
        let bits = |values: Vec<f32>| values.iter().map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() }).collect::<Vec<_>>();
        for extent in [2, 8, 16, 32, 64, 128, 256] {
            // Later rows have less of each kind, down to zeros only.
            let value = |i: usize| special[(i * 7 + i / 3) % (2 + (special.len() - 1) * (ROWS - 1 - i / extent) / ROWS)];
            let values: Vec<f32> = (0..ROWS * extent).map(value).collect();
            for (op, fold) in
                ops.as_flattened().iter().flat_map(|op| [RowFold::Reduce, RowFold::Scan, RowFold::ScanBack].map(|fold| (*op, fold)))
            {
                let expected = bits(run(fold, op, Level::Baseline, &values, extent));
                for level in Level::available() {
                    assert_eq!(bits(run(fold, op, level, &values, extent)), expected, "{fold:?} {op:?} of {extent} at {level:?}");
                }
            }
        }
    }

    /// Numbers of 16 bits of all kinds, with the same bits at every level but for those of NaNs.
    #[test]
    fn every_level_folds_short_floats_alike() {
        let ops = [
            SUM,
            ElemOp::MulF(RoundingMode::NearestEven, false),
            ElemOp::MaxF { propagate_nan: false, ftz: false },
            ElemOp::MinF { propagate_nan: true, ftz: false },
        ];
        let is_nan = |of: Scalar, x: u16| if of == Scalar::F16 { bulk::f16_to_f32(x).is_nan() } else { bulk::bf16_to_f32(x).is_nan() };
        for (of, extent) in [Scalar::F16, Scalar::Bf16].into_iter().flat_map(|of| [8, 16, 32, 64, 512].map(|extent| (of, extent))) {
            // Later rows have smaller exponents only, so that not all results are infinite or NaN.
            let value = |i: usize| {
                let bits = (i as u32).wrapping_mul(0x9e37_79b9) >> 16;
                bits as u16 & if i / extent < ROWS / 2 { 0xffff } else { 0xbfff }
            };
            let values: Vec<u16> = (0..ROWS * extent).map(value).collect();
            let bits = |x: Vec<u16>| x.into_iter().map(|x| if is_nan(of, x) { 0xffff } else { x }).collect::<Vec<_>>();
            for (op, fold) in ops.iter().flat_map(|op| [RowFold::Reduce, RowFold::Scan, RowFold::ScanBack].map(|fold| (*op, fold))) {
                let expected = bits(run_of(of, fold, op, Level::Baseline, &values, extent));
                assert!(expected.iter().any(|x| *x != 0xffff));
                for level in Level::available() {
                    let found = bits(run_of(of, fold, op, level, &values, extent));
                    assert_eq!(found, expected, "{fold:?} {op:?} of {extent} {of} at {level:?}");
                }
            }
        }
    }
}
