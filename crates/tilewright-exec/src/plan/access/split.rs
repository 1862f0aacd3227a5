//! Dimensions of lanes in two, where indices along them are divided by a number: groups of lanes with the same quotient, and the lanes of a group.
//!
//! ```text
//! (64 b + lane) / 2, of 64 lanes   ─►   32 b + group, of 32 groups of 2 lanes
//! (64 b + lane) % 2                ─►   lane of the group
//! ```
//!
//! Then no quotient is left, and the places of all lanes are one box.

use super::{AccessFunction, Affine, Index, MAX_DIMS};
use smallvec::SmallVec;

/// A dimension in two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Split {
    pub(crate) dim: usize,
    /// How many lanes a group has.
    pub(crate) lanes: usize,
}

impl<L> AccessFunction<L> {
    /// The first dimension that a division by a constant cuts into groups, all of whose lanes have the same quotient whatever leaves are.
    pub(crate) fn split(&self) -> Option<Split> {
        let mut sums: SmallVec<[Option<Affine>; 24]> = SmallVec::new();
        for node in &self.nodes {
            let of = |node: usize| sums[node].as_ref();
            let sum = match &node.index {
                Index::Constant(value) => Some(Affine::constant(*value)),
                Index::Leaf(leaf) => Some(Affine::leaf(*leaf)),
                Index::Lane(indices) => {
                    let mut sum = Affine::default();
                    indices.iter().for_each(|(dim, times)| sum.steps[*dim] += times);
                    Some(sum)
                }
                Index::Add(a, b) => of(*a).zip(of(*b)).and_then(|(a, b)| a.clone().plus(b, 1)),
                Index::Sub(a, b) => of(*a).zip(of(*b)).and_then(|(a, b)| a.clone().plus(b, -1)),
                Index::Mul(a, b) => of(*a).zip(of(*b)).and_then(|(a, b)| a.times(b)),
                Index::Resize { of: wide, .. } => of(*wide).cloned(),
                Index::Divide { of: divided, by, .. } => {
                    let by = of(*by).filter(|by| by.is_constant() && by.constant > 0).map(|by| by.constant);
                    if let Some(split) = of(*divided).zip(by).and_then(|(sum, by)| self.split_of(sum, by)) {
                        return Some(split);
                    }
                    None
                }
                Index::Extreme { .. } => None,
            };
            sums.push(sum);
        }
        None
    }

    /// The dimension that a division cuts into groups.
    fn split_of(&self, sum: &Affine, by: i64) -> Option<Split> {
        let (_, rest) = sum.divided(by, [false; MAX_DIMS]);
        let moving = (0..self.extents.len()).filter(|dim| rest.steps[*dim] != 0);
        let dim = moving.clone().max_by_key(|dim| rest.steps[*dim])?;
        let step = rest.steps[dim];
        // How far the others get within one step of it.
        let reach = moving.filter(|other| *other != dim).try_fold(rest.constant, |reach, other| {
            let more = rest.steps[other].checked_mul(self.extents[other] as i64 - 1)?;
            (more >= 0).then(|| reach.checked_add(more)).flatten()
        })?;
        let lanes = usize::try_from(by / step).ok()?;
        let has_groups = by % step == 0 && reach < step && lanes < self.extents[dim] && self.extents[dim].is_multiple_of(lanes);
        (step > 0 && rest.leaves.is_empty() && has_groups).then_some(Split { dim, lanes })
    }
}
