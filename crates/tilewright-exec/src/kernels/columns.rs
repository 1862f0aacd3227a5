//! Folding the columns of a tile with one of the usual operations: whole rows are combined, wherever they lie.
//!
//! The order is that of any reduction: a tree of halves, the upper half of the rows combined into the lower.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers, and calls versions for CPU features")]

use super::{
    ElemOp,
    fast::loops::{Fn2, Lane},
    usual::{self, Usual, combine, combine_all},
};
use crate::{cpu::Level, elem::Elem};

/// Reduces `extent` rows of `width` elements, which lie `pitch` elements apart, to one row.
///
/// # Safety
/// `src` holds the rows; `extent` is a power of two; `dst` has room for a row, `spare` for half of the rows. All are initialised and
/// aligned to their elements, and `dst` and `spare` overlap nothing.
pub(crate) type ColumnsFn = unsafe fn(src: *const u8, pitch: usize, dst: *mut u8, spare: *mut u8, extent: usize, width: usize);

#[inline(always)]
unsafe fn reduce<T: Lane, F: Fn2<T::Wide>>(src: *const u8, pitch: usize, dst: *mut u8, spare: *mut u8, extent: usize, width: usize) {
    // SAFETY: the contract of ColumnsFn.
    let (row, dst, spare) = unsafe {
        (
            |i: usize| std::slice::from_raw_parts(src.cast::<T>().add(i * pitch), width),
            std::slice::from_raw_parts_mut(dst.cast::<T>(), width),
            std::slice::from_raw_parts_mut(spare.cast::<T>(), extent / 2 * width),
        )
    };
    let mut half = extent / 2;
    match half {
        0 => return dst.copy_from_slice(row(0)),
        1 => return combine_all::<T, F>(dst, row(0), row(1)),
        _ => spare.chunks_exact_mut(width).enumerate().for_each(|(i, to)| combine_all::<T, F>(to, row(i), row(i + half))),
    }
    while half > 2 {
        half /= 2;
        let (lower, upper) = spare.split_at_mut(half * width);
        lower.iter_mut().zip(upper).for_each(|(lower, upper)| *lower = combine::<T, F>(*lower, *upper));
    }
    let (lower, upper) = spare.split_at(width);
    combine_all::<T, F>(dst, lower, upper);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512<T: Lane, F: Fn2<T::Wide>>(src: *const u8, pitch: usize, dst: *mut u8, spare: *mut u8, extent: usize, width: usize) {
    // SAFETY: by the caller.
    unsafe { reduce::<T, F>(src, pitch, dst, spare, extent, width) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<T: Lane, F: Fn2<T::Wide>>(src: *const u8, pitch: usize, dst: *mut u8, spare: *mut u8, extent: usize, width: usize) {
    // SAFETY: by the caller.
    unsafe { reduce::<T, F>(src, pitch, dst, spare, extent, width) }
}

/// The reduction of columns of these elements with an operation, if there is one.
pub(crate) fn select(level: Level, op: ElemOp, elem: Elem) -> Option<ColumnsFn> {
    struct Reductions(Level);
    impl Usual for Reductions {
        type Kernel = ColumnsFn;
        fn kernel<T: Lane, F: Fn2<T::Wide>>(&self) -> ColumnsFn {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => avx512::<T, F>,
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => avx2::<T, F>,
                _ => reduce::<T, F>,
            }
        }
    }
    usual::select(&Reductions(level), op, elem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_ir::{RoundingMode, Scalar};

    /// The documented order, one element at a time.
    fn tree(mut column: Vec<f32>) -> f32 {
        while column.len() > 1 {
            let half = column.len() / 2;
            column = (0..half).map(|i| column[i] + column[i + half]).collect();
        }
        column[0]
    }

    #[test]
    fn columns_are_folded_in_the_documented_order_at_every_level() {
        for (extent, width, pitch) in [(1, 3, 3), (2, 16, 20), (4, 1, 5), (8, 33, 33), (64, 40, 100)] {
            // Numbers of very different size: every order gives another sum.
            let values: Vec<f32> = (0..extent * pitch).map(|i| (i as f32 * 0.7).sin() * 10f32.powi((i * 5 % 9) as i32)).collect();
            let column = |c: usize| tree((0..extent).map(|r| values[r * pitch + c]).collect());
            let expected: Vec<f32> = (0..width).map(column).collect();
            for level in Level::available() {
                let kernel = select(level, ElemOp::AddF(RoundingMode::NearestEven, false), Elem::Num(Scalar::F32)).unwrap();
                let (mut found, mut spare) = (vec![0f32; width], vec![0f32; extent / 2 * width]);
                // SAFETY: the arrays hold the rows.
                unsafe { kernel(values.as_ptr().cast(), pitch, found.as_mut_ptr().cast(), spare.as_mut_ptr().cast(), extent, width) };
                assert_eq!(found, expected, "{extent} rows of {width} at {level:?}");
            }
        }
    }
}
