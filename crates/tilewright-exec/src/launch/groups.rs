//! Groups of neighbouring blocks that run as one block of another plan, because each of them does little.
//!
//! What a block takes besides its work, to begin and for each instruction, is as long as the work on a thousand elements. So where the
//! tiles of blocks are small, and no block can tell what others do, most of a grid is run by a plan of which each block does the work of
//! several neighbours along one axis. The blocks that are left at the end of the axis run by the plan itself.

use super::Subgrid;
use crate::{Plan, plan::ProductLoop, vm::Launch};
use std::sync::Arc;
use tilewright_passes::coarsen::Coarsening;

/// The most elements of a tile of which a block takes about as long to begin with its instructions as for its work. Rows that are longer stay
/// in the first cache where they are alone.
const LITTLE: u64 = 2048;
/// The most elements of a tile of a group, which take much longer than that.
const ENOUGH: u64 = 16384;
/// The most blocks of a group.
const MOST: u32 = 64;
/// The fewest that are worth it.
const FEWEST: u32 = 2;
/// Bytes of registers that a block of a group may have: they should stay in the first cache, or the second.
const FRAME: u64 = 192 << 10;
/// How many blocks of all launches of a plan pay for the plan of a group, which takes about a millisecond to make.
const PAYS: u64 = 4096;
/// How many groups each worker should have at least, so that all have about the same to do.
const SHARE: u64 = 4;

/// When blocks run in groups. Results are the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum GroupBlocks {
    /// Where that is faster, once launches of a plan have had so many blocks that they pay for the plan of a group.
    #[default]
    Auto,
    /// Not at all.
    Never,
    /// Wherever it is possible, at once, for tests.
    Always,
}

/// How the blocks of a grid are grouped.
pub(super) struct Groups {
    /// The plan of which each block does the work of a group.
    pub(super) plan: Arc<Plan>,
    /// Along which axis, and how many blocks a group has.
    pub(super) coarsening: Coarsening,
    grid: [u32; 3],
}

impl Groups {
    /// The groups of a launch, if its blocks are to run in groups.
    pub(super) fn of(launch: &Launch<'_>, when: GroupBlocks) -> Option<Groups> {
        let plan = launch.plan;
        let grouping = plan.grouping.as_ref()?;
        let (fewest, most) = match when {
            GroupBlocks::Never => return None,
            GroupBlocks::Always => (2, MOST.into()),
            GroupBlocks::Auto => {
                // Columns are folded best in step; small tiles are multiplied best in groups.
                let folds_in_step = plan.in_step > 1 && ProductLoop::first(&plan.code).is_none();
                let has_enough = grouping.largest_tile() > LITTLE;
                if launch.coarse.is_some() || folds_in_step || has_enough || grouping.count(launch.blocks) < PAYS {
                    return None;
                }
                let (share, frames) = (launch.blocks / (SHARE * launch.threads as u64), FRAME / plan.frame_bytes.max(1) as u64);
                (FEWEST, share.min(ENOUGH / grouping.largest_tile()).min(frames))
            }
        };
        let mut tries: Vec<Coarsening> = (0..3).flat_map(|axis| factors(axis, launch.grid[axis], fewest, most)).collect();
        // As many blocks as can be joined; along the first axis, if there are several.
        tries.sort_by_key(|coarsening| std::cmp::Reverse(coarsening.factor));
        tries.into_iter().find_map(|coarsening| {
            let group = grouping.plan(coarsening)?;
            let is_better = group.is_no_worse && group.plan.frame_bytes as u64 <= FRAME;
            (is_better || when == GroupBlocks::Always).then_some(Groups { plan: group.plan, coarsening, grid: launch.grid })
        })
    }

    /// The grid of groups.
    pub(super) fn grid(&self) -> [u32; 3] {
        let Coarsening { axis, factor } = self.coarsening;
        let mut grid = self.grid;
        grid[axis] /= factor;
        grid
    }

    /// The grid of blocks.
    pub(super) fn grid_of_blocks(&self) -> [u32; 3] {
        self.grid
    }

    /// The blocks of the group at a position in the grid of groups.
    pub(super) fn blocks_of(&self, group: [u32; 3]) -> Subgrid {
        let Coarsening { axis, factor } = self.coarsening;
        let (mut first, mut extents) = (group, [1; 3]);
        first[axis] *= factor;
        extents[axis] = factor;
        Subgrid { first, extents }
    }

    /// The blocks that are in no group, if there are any.
    pub(super) fn rest(&self) -> Option<Subgrid> {
        let Coarsening { axis, factor } = self.coarsening;
        let (mut first, mut extents) = ([0; 3], self.grid);
        extents[axis] %= factor;
        first[axis] = self.grid[axis] - extents[axis];
        (extents[axis] > 0).then_some(Subgrid { first, extents })
    }
}

/// How blocks may be joined along an axis of so many: by powers of two from `fewest` to `most`.
fn factors(axis: usize, extent: u32, fewest: u32, most: u64) -> impl Iterator<Item = Coarsening> {
    let most = most.min(MOST.min(extent).into());
    (1..=MOST.ilog2())
        .map(|exponent| 1 << exponent)
        .filter(move |factor| (fewest.into()..=most).contains(&u64::from(*factor)))
        .map(move |factor| Coarsening { axis, factor })
}
