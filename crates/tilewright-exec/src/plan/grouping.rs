//! Plans of groups: of which each block does the work of several neighbouring blocks of another plan (`launch/groups.rs` says when that is worth it).
//!
//! A group is one on Tile IR (`coarsen` of `tilewright-passes`): tiles that depend on the number of the block get a dimension for the blocks
//! of the group, and what is made of that is planned as any other entry. Such plans are made when a launch asks for them.

use super::{Inst, Plan, Way};
use crate::{hash::HashMap, program::Planner};
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tilewright_passes::coarsen::Coarsening;

/// The most elements of tiles that are tiny: to begin an instruction takes longer than to reduce them.
const TINY: u64 = 512;

/// What it takes to make plans of groups of a plan's blocks.
pub(crate) struct Grouping {
    planner: Planner,
    entry: String,
    /// How the plan goes about its work, which that of a group should not do worse.
    manner: Manner,
    largest_tile: u64,
    /// How many blocks launches of the plan have had, or how many that do little would have done the same.
    blocks: AtomicU64,
    /// Those that were made; none where blocks cannot be joined.
    plans: Mutex<HashMap<(usize, u32), Option<Group>>>,
}

/// The plan of a group.
#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) plan: Arc<Plan>,
    /// Whether it goes about its work no worse than the plan of a block does.
    pub(crate) is_no_worse: bool,
}

impl fmt::Debug for Grouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grouping").finish_non_exhaustive()
    }
}

impl Grouping {
    /// How blocks of a plan are grouped; none if they are not: they wait for others, or what they print would be seen in another order.
    pub(crate) fn new(planner: &Planner, plan: &Plan) -> Option<Grouping> {
        if plan.waits || plan.code.iter().any(|inst| matches!(inst, Inst::Print(_))) {
            return None;
        }
        let largest_tile = plan.code.iter().map(largest_tile).max().unwrap_or(1).max(1) as u64;
        let (manner, blocks) = (Manner::of(&plan.code, 0), AtomicU64::new(0));
        Some(Grouping { planner: planner.clone(), entry: plan.entry.clone(), manner, largest_tile, blocks, plans: Mutex::default() })
    }

    /// The most elements of a tile.
    pub(crate) fn largest_tile(&self) -> u64 {
        self.largest_tile
    }

    /// Whether all tiles are tiny: then a group that reduces them in another way is no worse.
    pub(crate) fn has_tiny_tiles(&self) -> bool {
        self.largest_tile <= TINY
    }

    /// Counts the blocks of a launch, as those that do little; gives how many all launches have had.
    pub(crate) fn count(&self, blocks: u64) -> u64 {
        self.blocks.fetch_add(blocks, Ordering::Relaxed).saturating_add(blocks)
    }

    /// The plan of groups of neighbours along an axis; none where blocks cannot be joined so.
    pub(crate) fn plan(&self, coarsening: Coarsening) -> Option<Group> {
        // A panic while planning leaves the map as it was.
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let made = plans.entry((coarsening.axis, coarsening.factor)).or_insert_with(|| {
            let plan = Arc::new(self.planner.plan_of_groups(&self.entry, coarsening).ok()?);
            let manner = Manner::of(&plan.code, self.largest_tile);
            let manner = if self.has_tiny_tiles() { Manner { folds: self.manner.folds, ..manner } } else { manner };
            let is_no_worse = manner.is_no_worse_than(self.manner);
            Some(Group { plan, is_no_worse })
        });
        made.clone()
    }
}

/// The most elements of a tile that an instruction reads.
fn largest_tile(inst: &Inst) -> usize {
    let mut most = 0;
    inst.for_each_read(|tile| most = most.max(tile.numel()));
    most
}

/// What instructions of a plan do that takes a pass over memory, or a step for each element.
#[derive(Clone, Copy)]
struct Manner {
    moves: usize,
    pointers: usize,
    folds: usize,
    pieces: usize,
    gathers: usize,
}

impl Manner {
    /// Of a group, sweeps over no more than `shared` elements are left out, a tile of one of its blocks: what they compute is computed once for all of them.
    fn of(code: &[Inst], shared: u64) -> Manner {
        let count = |has: fn(&Inst) -> bool| code.iter().filter(|inst| has(inst)).count();
        let sweeps = || code.iter().filter_map(Inst::sweep);
        let in_pieces = sweeps().filter(|sweep| matches!(sweep.way(), Way::Pieces) && sweep.n as u64 > shared);
        Manner {
            moves: count(|inst| matches!(inst, Inst::Move { .. })),
            pointers: count(|inst| matches!(inst, Inst::LoadPointers { .. } | Inst::StorePointers { .. })),
            folds: count(|inst| matches!(inst, Inst::Fold(_))),
            pieces: in_pieces.count(),
            gathers: sweeps().filter(|sweep| sweep.has_gathers).count(),
        }
    }

    fn is_no_worse_than(self, other: Manner) -> bool {
        let [own, others] =
            [self, other].map(|Manner { moves, pointers, folds, pieces, gathers }| [moves, pointers, folds, pieces, gathers]);
        own.iter().zip(others).all(|(own, other)| *own <= other)
    }
}
