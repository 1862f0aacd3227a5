//! Folding the columns of tiles with one of the usual operations: whole rows are combined, wherever they lie.
//!
//! The order is that of any reduction: a tree of halves, the upper half of the rows combined into the lower. Rows at equal distances
//! that the tree combines first, eight of them if there are so many, are combined in registers; what is left are as many fewer rows.
//!
//! Tiles that lie beside each other are folded as one wide tile, so that memory is read in longer runs than the rows of one tile are.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers, and calls versions for CPU features")]

use super::{
    ElemOp,
    ahead::prefetch_row,
    fast::loops::{Fn2, Lane},
    usual::{self, Usual, combine},
};
use crate::{cpu::Level, elem::Elem, interrupt::Looks};

/// A tile whose columns are folded.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The first row.
    pub start: *const u8,
    /// The first row of the tile that is probably folded next, which is fetched meanwhile, or null.
    pub next: *const u8,
    /// Gets the result.
    pub dst: *mut u8,
    /// Room for half of the rows.
    pub spare: *mut u8,
}

/// The extents of tiles.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// How many there are.
    pub extent: usize,
    /// Elements of a row.
    pub width: usize,
    /// How many elements each lies behind the one before.
    pub pitch: usize,
}

/// Rows that are combined in registers.
const TOGETHER: usize = 8;
/// How many rounds are fetched ahead of the one that reads.
const AHEAD: usize = 2;

/// Reduces the rows of a tile to one row.
///
/// # Safety
/// `rows` says how the rows lie; their number is a power of two; `dst` has room for a row, `spare` for half of the rows. All are initialised
/// and aligned to their elements, and neither `dst` nor `spare` overlaps anything.
pub type ReduceFn = unsafe fn(tile: Columns, rows: Rows);

/// Combines a row of as many elements into `sums`.
///
/// # Safety
/// Both are initialised, aligned to their elements, and do not overlap.
pub type CombineFn = unsafe fn(sums: *mut u8, row: *const u8, width: usize);

/// How columns are folded with an operation.
#[derive(Clone, Copy, Debug)]
pub struct ColumnsKernel {
    /// Reduces the rows of a tile.
    pub reduce: ReduceFn,
    /// Combines what comes out with sums that there are already.
    pub combine: CombineFn,
}

impl Rows {
    /// Fetches the rows of a tile, or of the next one, that are combined `AHEAD` rounds after this one; there are two rounds at least.
    #[inline(always)]
    fn fetch<T>(&self, tile: &Columns, round: usize, rounds: usize) {
        let round = round + AHEAD;
        let (start, round) = if round < rounds { (tile.start, round) } else { (tile.next, round - rounds) };
        for row in (round..self.extent).step_by(rounds) {
            prefetch_row(start.wrapping_add(row * self.pitch * size_of::<T>()), self.width * size_of::<T>());
        }
    }
}

#[inline(always)]
unsafe fn reduce<T: Lane, F: Fn2<T::Wide>>(tile: Columns, mut rows: Rows) {
    let (width, dst) = (rows.width, tile.dst.cast::<T>());
    let (mut start, mut spare, mut is_tile) = (tile.start.cast::<T>(), tile.spare.cast::<T>(), true);
    let mut looks = Looks::new();
    // SAFETY: the contract of ColumnsFn. What is left takes an eighth of the rows, and the room behind it is free.
    unsafe {
        while rows.extent > TOGETHER {
            let rounds = rows.extent / TOGETHER;
            for round in 0..rounds {
                if looks.end_after(TOGETHER * width) {
                    return;
                }
                if is_tile && !tile.next.is_null() {
                    rows.fetch::<T>(&tile, round, rounds);
                }
                combine_rows::<T, F, TOGETHER>(start.add(round * rows.pitch), rounds * rows.pitch, spare.add(round * width), width);
            }
            (start, rows, is_tile) = (spare, Rows { extent: rounds, width, pitch: width }, false);
            spare = spare.add(rounds * width);
        }
        match rows.extent {
            1 => combine_rows::<T, F, 1>(start, 0, dst, width),
            2 => combine_rows::<T, F, 2>(start, rows.pitch, dst, width),
            4 => combine_rows::<T, F, 4>(start, rows.pitch, dst, width),
            _ => combine_rows::<T, F, TOGETHER>(start, rows.pitch, dst, width),
        }
    }
}

/// Combines `N` rows of `width` elements that lie `step` elements apart, in the order of the tree.
#[inline(always)]
unsafe fn combine_rows<T: Lane, F: Fn2<T::Wide>, const N: usize>(start: *const T, step: usize, to: *mut T, width: usize) {
    for column in 0..width {
        // SAFETY: by the caller.
        let mut values: [T; N] = std::array::from_fn(|row| unsafe { *start.add(row * step + column) });
        let mut left = N;
        while left > 1 {
            left /= 2;
            (0..left).for_each(|i| values[i] = combine::<T, F>(values[i], values[i + left]));
        }
        // SAFETY: by the caller.
        unsafe { *to.add(column) = values[0] };
    }
}

#[inline(always)]
unsafe fn combine_row<T: Lane, F: Fn2<T::Wide>>(sums: *mut u8, row: *const u8, width: usize) {
    let (sums, row) = (sums.cast::<T>(), row.cast::<T>());
    for column in 0..width {
        // SAFETY: the contract of CombineFn.
        unsafe { *sums.add(column) = combine::<T, F>(*sums.add(column), *row.add(column)) };
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn combine_avx2<T: Lane, F: Fn2<T::Wide>>(sums: *mut u8, row: *const u8, width: usize) {
    // SAFETY: by the caller.
    unsafe { combine_row::<T, F>(sums, row, width) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512<T: Lane, F: Fn2<T::Wide>>(tile: Columns, rows: Rows) {
    // SAFETY: by the caller.
    unsafe { reduce::<T, F>(tile, rows) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<T: Lane, F: Fn2<T::Wide>>(tile: Columns, rows: Rows) {
    // SAFETY: by the caller.
    unsafe { reduce::<T, F>(tile, rows) }
}

/// The reduction of columns of these elements with an operation, if there is one.
pub fn select(level: Level, op: ElemOp, elem: Elem) -> Option<ColumnsKernel> {
    struct Reductions(Level);
    impl Usual for Reductions {
        type Kernel = ColumnsKernel;
        fn kernel<T: Lane, F: Fn2<T::Wide>>(&self) -> ColumnsKernel {
            match self.0 {
                // Rows are short: wider vectors gain nothing where one is combined.
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => ColumnsKernel { reduce: avx512::<T, F>, combine: combine_avx2::<T, F> },
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => ColumnsKernel { reduce: avx2::<T, F>, combine: combine_avx2::<T, F> },
                _ => ColumnsKernel { reduce: reduce::<T, F>, combine: combine_row::<T, F> },
            }
        }
    }
    usual::select(&Reductions(level), op, elem)
}
