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
pub type RowsFn = unsafe fn(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead);

/// How rows are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowFold {
    /// To one element.
    Reduce,
    /// Each element with all before it.
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
        Level::Avx2 | Level::Avx512 => avx2::<R>,
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
pub fn select(level: Level, fold: RowFold, op: ElemOp, elem: Elem) -> Option<RowsFn> {
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

        /// Scans of these are left to what folds with any region: loops of their own would be half of all that is compiled for rows.
        fn rare_kernel<T: Lane, F: Fn2<T::Wide>>(&self) -> Option<RowsFn> {
            (self.1 == RowFold::Reduce).then(|| at::<Reduce<T, F>>(self.0))
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
