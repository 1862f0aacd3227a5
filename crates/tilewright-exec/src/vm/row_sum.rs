//! Sums that each row of an access has, of which what all rows of a block have in common is added up once.

use super::frame::Frame;
use crate::plan::{AccessFunction, Affine};
use smallvec::SmallVec;

/// Numbers that a block has computed, of an access.
pub(super) type Numbers = SmallVec<[i64; 8]>;

/// A sum of numbers that a block has computed, of multiples of numbers that each row has, and of a multiple of the row's index.
#[derive(Debug)]
pub(super) struct RowSum {
    pub(super) of_block: Affine,
    /// Numbers that differ from row to row, each so many times.
    pub(super) leaves: SmallVec<[(usize, i64); 2]>,
    pub(super) step: i64,
}

/// Such a sum, which lies between two numbers, both included.
#[derive(Debug)]
pub(super) struct RowLimits {
    pub(super) sum: RowSum,
    pub(super) least: i64,
    pub(super) most: i64,
}

/// The least and the greatest of what some rows have of each number that differs between them.
pub(super) type Reaches = SmallVec<[(usize, i64, i64); 2]>;

/// That of the first rows.
pub(super) fn reaches(function: &AccessFunction, row_leaves: &[usize], rows: usize, regs: &Frame) -> Reaches {
    let reach = |leaf: &usize| {
        let of = &function.leaves[*leaf];
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for row in 0..rows {
            let number = of.number(regs.element(&of.tile, row));
            (least, most) = (least.min(number), most.max(number));
        }
        (*leaf, least, most)
    };
    row_leaves.iter().map(reach).collect()
}

impl RowSum {
    /// A sum whose rows follow each other along a dimension, if there are rows, and have numbers of their own.
    pub(super) fn new(sum: &Affine, dim: Option<usize>, row_leaves: &[usize]) -> RowSum {
        let (leaves, others) = sum.leaves.iter().copied().partition(|(leaf, _)| row_leaves.contains(leaf));
        let of_block = Affine { constant: sum.constant, leaves: others, ..Affine::default() };
        RowSum { of_block, leaves, step: dim.map_or(0, |dim| sum.steps[dim]) }
    }

    /// Whether it is another one for each row.
    pub(super) fn differs(&self) -> bool {
        !self.leaves.is_empty() || self.step != 0
    }

    /// The sum of a row whose numbers `number` gives, where the block's part of it is known; `None` if it is too large.
    #[inline]
    pub(super) fn of_row(&self, of_block: i64, row: usize, number: impl Fn(usize) -> i64) -> Option<i64> {
        let own = of_block.checked_add(self.step.checked_mul(row as i64)?)?;
        self.leaves.iter().try_fold(own, |sum, (leaf, times)| sum.checked_add(number(*leaf).checked_mul(*times)?))
    }
}

impl RowLimits {
    #[inline]
    pub(super) fn hold(&self, sum: i64) -> bool {
        self.least <= sum && sum <= self.most
    }

    /// Whether they hold for so many rows whatever numbers these have of what they reach; `None` if a sum of these is too large.
    pub(super) fn hold_for_all(&self, of_block: i64, rows: usize, reaches: &Reaches) -> Option<bool> {
        let last = self.sum.step.checked_mul(rows as i64 - 1)?;
        let (mut low, mut high) = (of_block.checked_add(last.min(0))?, of_block.checked_add(last.max(0))?);
        for (leaf, times) in &self.sum.leaves {
            let (_, least, most) = reaches.iter().find(|(other, ..)| other == leaf)?;
            let (a, b) = (least.checked_mul(*times)?, most.checked_mul(*times)?);
            (low, high) = (low.checked_add(a.min(b))?, high.checked_add(a.max(b))?);
        }
        Some(self.hold(low) && self.hold(high))
    }
}
