//! Plans for launches in which indices are divided by small numbers.
//!
//! An access whose index is divided goes to a box for each quotient (`plan/access.rs`), which is slower than lane by lane where every few lanes have
//! another one, and neither repeat nor are groups. The divisor is mostly an extent of an array, which is known when a launch begins. Where it is too small, the
//! launch runs by a plan whose accesses of that kind are gathers and scatters, made when it is first needed.

use super::{AccessFunction, Base, Index, Inst, Placement, Plan, Tile};
use crate::program::Planner;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// What it takes to make a plan without boxes for quotients.
pub(crate) struct ShortDivisions {
    planner: Planner,
    entry: String,
    /// The places of accesses whose indices are divided, and whether they are stores.
    functions: Vec<(AccessFunction, bool)>,
    /// `None` if it cannot be made.
    plan: OnceLock<Option<Arc<Plan>>>,
}

impl fmt::Debug for ShortDivisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortDivisions").field("functions", &self.functions).finish_non_exhaustive()
    }
}

impl ShortDivisions {
    /// `None` for a plan whose accesses divide by constants only, or not at all.
    pub(crate) fn new(planner: &Planner, plan: &Plan) -> Option<ShortDivisions> {
        let found = plan.code.iter().filter_map(|inst| Some((divides(inst)?.clone(), !matches!(inst, Inst::Load { .. }))));
        let functions: Vec<(AccessFunction, bool)> = found.collect();
        if functions.is_empty() {
            return None;
        }
        Some(ShortDivisions { planner: planner.without_divisions(), entry: plan.entry.clone(), functions, plan: OnceLock::new() })
    }

    /// The plan to run by, if lanes with the same quotients are few or none; `bits` tells those of numbers of the launch.
    pub(crate) fn plan(&self, bits: impl Fn(&Tile) -> Option<u64>) -> Option<&Arc<Plan>> {
        let has_long_runs = |(function, written): &(AccessFunction, bool)| {
            let known = |leaf: usize| {
                let leaf = &function.leaves[leaf];
                let is_constant = matches!(leaf.tile.base, Base::Const(_)) && leaf.along.is_none();
                if is_constant { bits(&leaf.tile).map(|bits| leaf.number(bits)) } else { None }
            };
            function.resolve(known).is_some_and(|resolved| resolved.has_long_runs(&function.extents, *written))
        };
        if self.functions.iter().all(has_long_runs) {
            return None;
        }
        self.plan.get_or_init(|| self.planner.plan_alone(&self.entry).ok().map(Arc::new)).as_ref()
    }
}

/// The places of an access whose index is divided by a number that the module does not tell.
fn divides(inst: &Inst) -> Option<&AccessFunction> {
    let (Inst::Load { view, .. } | Inst::Store { view, .. } | Inst::SweepStore { view, .. } | Inst::RowsStore { view, .. }) = inst else {
        return None;
    };
    let Placement::Computed(function) = &view.places else { return None };
    let is_unknown = |by: usize| !matches!(function.nodes[by].index, Index::Constant(_));
    let divides = function.nodes.iter().any(|node| matches!(node.index, Index::Divide { by, .. } if is_unknown(by)));
    divides.then_some(function)
}
