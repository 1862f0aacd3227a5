//! Plans for launches in which indices are divided by small numbers.
//!
//! A load whose index is divided reads a box for each quotient (`plan/access.rs`), which is slower than lane by lane where every few lanes have
//! another one. The divisor is mostly an extent of an array, which is known when a launch begins. Where it is small, the launch runs by a plan
//! whose loads of that kind are gathers, made when it is first needed.

use super::{Base, Index, Inst, Leaf, Node, Placement, Plan, Tile, access::SMALLEST_DIVISOR};
use crate::program::Planner;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// What it takes to make a plan without boxes for quotients.
pub(crate) struct ShortDivisions {
    planner: Planner,
    entry: String,
    /// By what indices are divided.
    divisors: Vec<Leaf>,
    /// `None` if it cannot be made.
    plan: OnceLock<Option<Arc<Plan>>>,
}

impl fmt::Debug for ShortDivisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortDivisions").field("divisors", &self.divisors).finish_non_exhaustive()
    }
}

impl ShortDivisions {
    /// `None` for a plan whose loads divide by constants only, or not at all.
    pub(crate) fn new(planner: &Planner, plan: &Plan) -> Option<ShortDivisions> {
        let divisors: Vec<Leaf> = plan.code.iter().flat_map(divisors).collect();
        if divisors.is_empty() {
            return None;
        }
        Some(ShortDivisions { planner: planner.without_divisions(), entry: plan.entry.clone(), divisors, plan: OnceLock::new() })
    }

    /// The plan to run by, if a divisor is small or none; `bits` tells those of numbers of the launch.
    pub(crate) fn plan(&self, bits: impl Fn(&Tile) -> Option<u64>) -> Option<&Arc<Plan>> {
        // What each block computes may be any number.
        let is_large = |leaf: &Leaf| {
            matches!(leaf.tile.base, Base::Const(_)) && bits(&leaf.tile).is_some_and(|bits| leaf.number(bits) >= SMALLEST_DIVISOR)
        };
        if self.divisors.iter().all(is_large) {
            return None;
        }
        self.plan.get_or_init(|| self.planner.plan_alone(&self.entry).ok().map(Arc::new)).as_ref()
    }
}

/// By what the index of a load is divided that the module does not tell.
fn divisors(inst: &Inst) -> Vec<Leaf> {
    let Inst::Load { view, .. } = inst else { return Vec::new() };
    let Placement::Computed(function) = &view.places else { return Vec::new() };
    let leaf = |node: &Node| {
        let Index::Divide { by, .. } = node.index else { return None };
        if let Index::Leaf(leaf) = function.nodes[by].index { Some(function.leaves[leaf].clone()) } else { None }
    };
    function.nodes.iter().filter_map(leaf).collect()
}
