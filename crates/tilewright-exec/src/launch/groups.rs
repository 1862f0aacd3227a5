//! Groups of neighbouring blocks that run as one block of another plan, because each of them does little.
//!
//! What a block takes besides its work, to begin and for each instruction, is as long as the work on a thousand elements. So where the
//! tiles of blocks are small, and no block can tell what others do, most of a grid is run by a plan of which each block does the work of
//! several neighbours along one axis. The blocks that are left at the end of the axis run by the plan itself.
//!
//! Blocks that do much run in groups where that saves a part of it: neighbours that compute the same factor of a product do so once (`plan/block_work.rs`).

use super::Subgrid;
use crate::{
    Plan,
    plan::{Grouping, ProductLoop},
    vm::Launch,
};
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
/// The most blocks of a group that saves work: more of them save little more.
const MOST_SAVING: u32 = 8;
/// Bytes of registers that a block of such a group may have: what its loops read again should stay in the second cache.
const FRAME_SAVING: u64 = 1 << 20;
/// How many of a hundred parts of the work of its blocks a group may have left, if it is to be worth it.
const MOST_LEFT: u64 = 80;
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
        let mut tries = match when {
            GroupBlocks::Never => return None,
            GroupBlocks::Always => coarsenings(launch, FEWEST, MOST.into()),
            GroupBlocks::Auto => {
                let blocks = launch.blocks.saturating_mul((plan.work.all / LITTLE).max(1));
                if launch.coarse.is_some() || grouping.count(blocks) < PAYS {
                    return None;
                }
                let share = launch.blocks / (SHARE * launch.threads as u64);
                if let Some(saving) = Groups::saving(launch, grouping, share) {
                    return Some(saving);
                }
                // Products have factors in common in step, and columns are folded best so, unless there are few of them.
                let is_best_in_step = plan.in_step > 1 && (ProductLoop::first(&plan.code).is_some() || !grouping.has_tiny_tiles());
                if is_best_in_step || grouping.largest_tile() > LITTLE {
                    return None;
                }
                let frames = FRAME / plan.frame_bytes.max(1) as u64;
                coarsenings(launch, FEWEST, share.min(ENOUGH / grouping.largest_tile()).min(frames))
            }
        };
        // As many blocks as can be joined; along the first axis, if there are several.
        tries.sort_by_key(|coarsening| std::cmp::Reverse(coarsening.factor));
        tries.into_iter().find_map(|coarsening| {
            let group = grouping.plan(coarsening)?;
            let is_better = group.is_no_worse && group.plan.frame_bytes as u64 <= FRAME;
            (is_better || when == GroupBlocks::Always).then_some(Groups { plan: group.plan, coarsening, grid: launch.grid })
        })
    }

    /// Groups that do once what their blocks have in common, if that is much of what they do.
    fn saving(launch: &Launch<'_>, grouping: &Grouping, share: u64) -> Option<Groups> {
        let (work, frame) = (launch.plan.work, launch.plan.frame_bytes.max(1) as u64);
        let most = share.min(FRAME_SAVING / frame).min(MOST_SAVING.into());
        let is_saved = |group: u64, factor: u32| group.saturating_mul(100) <= work.all.saturating_mul(MOST_LEFT * u64::from(factor));
        let mut tries = coarsenings(launch, FEWEST, most);
        tries.retain(|coarsening| is_saved(work.of_group(coarsening.axis, coarsening.factor), coarsening.factor));
        // Least work for each block first.
        tries.sort_by_key(|coarsening| {
            work.of_group(coarsening.axis, coarsening.factor).saturating_mul(u64::from(MOST / coarsening.factor))
        });
        tries.into_iter().find_map(|coarsening| {
            let plan = grouping.plan(coarsening)?.plan;
            let is_better = is_saved(plan.work.all, coarsening.factor) && plan.frame_bytes as u64 <= FRAME_SAVING;
            is_better.then_some(Groups { plan, coarsening, grid: launch.grid })
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

/// How blocks of a launch may be joined: along each axis, by powers of two from `fewest` to `most`.
fn coarsenings(launch: &Launch<'_>, fewest: u32, most: u64) -> Vec<Coarsening> {
    let along = |axis: usize| {
        let most = most.min(MOST.min(launch.grid[axis]).into());
        let factors = (1..=MOST.ilog2()).map(|exponent| 1u32 << exponent);
        factors.filter(move |factor| (fewest.into()..=most).contains(&u64::from(*factor))).map(move |factor| Coarsening { axis, factor })
    };
    (0..3).flat_map(along).collect()
}
