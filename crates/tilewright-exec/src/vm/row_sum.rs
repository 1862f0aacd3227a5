//! Sums that each row of an access has, of which what all rows of a block have in common is added up once.

use super::frame::Frame;
use crate::plan::{AccessFunction, Affine};
use smallvec::SmallVec;
use std::ops::Range;

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

/// How many rows are looked at together.
pub(super) const TOGETHER: usize = 64;

/// That of the first rows.
pub(super) fn reaches(function: &AccessFunction, row_leaves: &[usize], rows: usize, regs: &Frame) -> Reaches {
    let reach = |leaf: &usize| {
        let (mut least, mut most, mut numbers) = (i64::MAX, i64::MIN, [0; TOGETHER]);
        for first in (0..rows).step_by(TOGETHER) {
            let numbers = &mut numbers[..TOGETHER.min(rows - first)];
            regs.numbers(&function.leaves[*leaf].tile, first, numbers);
            (least, most) = numbers.iter().fold((least, most), |(least, most), number| (least.min(*number), most.max(*number)));
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

    /// Between what the sums of so many rows lie, whatever numbers these have of what they reach; `None` if a sum of these is too large.
    pub(super) fn reach(&self, of_block: i64, rows: usize, reaches: &Reaches) -> Option<(i64, i64)> {
        let last = self.step.checked_mul(rows as i64 - 1)?;
        let (mut low, mut high) = (of_block.checked_add(last.min(0))?, of_block.checked_add(last.max(0))?);
        for (leaf, times) in &self.leaves {
            let (_, least, most) = reaches.iter().find(|(other, ..)| other == leaf)?;
            let (a, b) = (least.checked_mul(*times)?, most.checked_mul(*times)?);
            (low, high) = (low.checked_add(a.min(b))?, high.checked_add(a.max(b))?);
        }
        Some((low, high))
    }

    /// The sum of a row whose numbers `number` gives, where the block's part of it is known; `None` if it is too large.
    #[inline]
    pub(super) fn of_row(&self, of_block: i64, row: usize, number: impl Fn(usize) -> i64) -> Option<i64> {
        let own = of_block.checked_add(self.step.checked_mul(row as i64)?)?;
        self.leaves.iter().try_fold(own, |sum, (leaf, times)| sum.checked_add(number(*leaf).checked_mul(*times)?))
    }

    /// The sums of some rows, of which none is too large: `numbers` gives what they have of a leaf.
    pub(super) fn of_rows<'a>(&self, of_block: i64, rows: Range<usize>, numbers: impl Fn(usize) -> &'a [i64], sums: &mut [Option<i64>]) {
        for (row, sum) in rows.zip(&mut *sums) {
            *sum = Some(of_block.wrapping_add(self.step.wrapping_mul(row as i64)));
        }
        for (leaf, times) in &self.leaves {
            for (sum, number) in sums.iter_mut().flatten().zip(numbers(*leaf)) {
                *sum = sum.wrapping_add(number.wrapping_mul(*times));
            }
        }
    }
}

impl RowLimits {
    #[inline]
    pub(super) fn hold(&self, sum: i64) -> bool {
        self.least <= sum && sum <= self.most
    }

    /// Whether they hold for so many rows whatever numbers these have of what they reach; `None` if a sum of these is too large.
    pub(super) fn hold_for_all(&self, of_block: i64, rows: usize, reaches: &Reaches) -> Option<bool> {
        let (least, most) = self.sum.reach(of_block, rows, reaches)?;
        Some(self.hold(least) && self.hold(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_rows_have_the_sums_that_each_has() {
        let numbers = [(3, [5i64, -7, 0, 1 << 40]), (8, [2, 2, -9, 4])];
        let of = |leaf: usize| &numbers.iter().find(|(other, _)| *other == leaf).unwrap().1;
        for leaves in [&[][..], &[(3, 12)], &[(8, -1), (3, 1 << 20)]] {
            for (step, first) in [(0, 0), (64, 2), (-3, 1)] {
                let sum = RowSum { of_block: Affine::default(), leaves: leaves.into(), step };
                let mut found = [None; 4];
                sum.of_rows(1000, first..first + 4, |leaf| of(leaf), &mut found);
                // The numbers are those of the rows from the first on.
                let expected: [_; 4] = std::array::from_fn(|i| sum.of_row(1000, first + i, |leaf| of(leaf)[i]));
                assert_eq!(found, expected, "{sum:?} from row {first} on");
                let reaches: Reaches =
                    numbers.iter().map(|(leaf, of)| (*leaf, *of.iter().min().unwrap(), *of.iter().max().unwrap())).collect();
                let (least, most) = sum.reach(1000, first + 4, &reaches).unwrap();
                assert!(found.iter().flatten().all(|sum| (least..=most).contains(sum)), "{sum:?}");
            }
        }
        let large = RowSum { of_block: Affine::default(), leaves: [(3, i64::MAX)].as_slice().into(), step: 0 };
        assert_eq!(large.reach(0, 4, &[(3, 0, 2)].as_slice().into()), None);
    }
}
