//! Folding the columns of a tile with one of the usual operations: whole rows are combined, wherever they lie.
//!
//! The order is that of any reduction: a tree of halves, the upper half of the rows combined into the lower.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers, and calls versions for CPU features")]

use super::{
    ElemOp,
    ahead::prefetch_row,
    fast::loops::{Fn2, Lane},
    usual::{self, Usual, combine, combine_all},
};
use crate::{cpu::Level, elem::Elem};

/// Where rows lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// The first one.
    pub(crate) start: *const u8,
    /// How many elements each lies behind the one before.
    pub(crate) pitch: usize,
    /// The first one of the matrix that is probably reduced next, or null.
    pub(crate) next: *const u8,
}

/// Bytes that are fetched ahead of what is read: what memory delivers while the CPU waits for it.
const AHEAD: usize = 8192;

/// Reduces `extent` rows of `width` elements to one row.
///
/// # Safety
/// `rows` says where the rows lie; `extent` is a power of two; `dst` has room for a row, `spare` for half of the rows. All are initialised and
/// aligned to their elements, and `dst` and `spare` overlap nothing.
pub(crate) type ColumnsFn = unsafe fn(rows: Rows, dst: *mut u8, spare: *mut u8, extent: usize, width: usize);

impl Rows {
    /// How many pairs of rows are fetched ahead, at most all, if their rows have `bytes` bytes: none where nothing is known to come next.
    #[inline(always)]
    fn pairs_ahead(&self, half: usize, bytes: usize) -> Option<usize> {
        (!self.next.is_null()).then(|| (AHEAD / 2 / bytes).clamp(1, half))
    }

    /// Fetches a pair of rows, of this matrix or, behind its last one, of the next.
    #[inline(always)]
    fn fetch_pair<T>(&self, pair: usize, half: usize, width: usize) {
        let (start, pair) = if pair < half { (self.start, pair) } else { (self.next, pair - half) };
        for row in [pair, pair + half] {
            prefetch_row(start.wrapping_add(row * self.pitch * size_of::<T>()), width * size_of::<T>());
        }
    }
}

#[inline(always)]
unsafe fn reduce<T: Lane, F: Fn2<T::Wide>>(rows: Rows, dst: *mut u8, spare: *mut u8, extent: usize, width: usize) {
    // SAFETY: the contract of ColumnsFn.
    let (row, dst, spare) = unsafe {
        (
            |i: usize| std::slice::from_raw_parts(rows.start.cast::<T>().add(i * rows.pitch), width),
            std::slice::from_raw_parts_mut(dst.cast::<T>(), width),
            std::slice::from_raw_parts_mut(spare.cast::<T>(), extent / 2 * width),
        )
    };
    let mut half = extent / 2;
    match half {
        0 => return dst.copy_from_slice(row(0)),
        1 => return combine_all::<T, F>(dst, row(0), row(1)),
        _ => {
            let pairs = rows.pairs_ahead(half, width * size_of::<T>());
            for (i, to) in spare.chunks_exact_mut(width).enumerate() {
                if let Some(pairs) = pairs {
                    rows.fetch_pair::<T>(i + pairs, half, width);
                }
                combine_all::<T, F>(to, row(i), row(i + half));
            }
        }
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
unsafe fn avx512<T: Lane, F: Fn2<T::Wide>>(rows: Rows, dst: *mut u8, spare: *mut u8, extent: usize, width: usize) {
    // SAFETY: by the caller.
    unsafe { reduce::<T, F>(rows, dst, spare, extent, width) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<T: Lane, F: Fn2<T::Wide>>(rows: Rows, dst: *mut u8, spare: *mut u8, extent: usize, width: usize) {
    // SAFETY: by the caller.
    unsafe { reduce::<T, F>(rows, dst, spare, extent, width) }
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
                for next in [std::ptr::null(), values.as_ptr().cast()] {
                    let rows = Rows { start: values.as_ptr().cast(), pitch, next };
                    // SAFETY: the arrays hold the rows.
                    unsafe { kernel(rows, found.as_mut_ptr().cast(), spare.as_mut_ptr().cast(), extent, width) };
                    assert_eq!(found, expected, "{extent} rows of {width} at {level:?}");
                }
            }
        }
    }
}
