//! The passes that make a plan, in their order.
//!
//! Lowering gives a [`Draft`]: code with labels over registers without places. Passes change it; then registers get their places and
//! labels become numbers of instructions, which makes a [`Plan`]; the last passes write into it what the machine would find out otherwise.

use super::{
    BlockOrder, BlockWork, Draft, Inst, Plan, coalesce, coarse, deferred_products, direct_store, earlier, fixed_views, fuse,
    fuse_reductions, fuse_rows, in_place, in_step, indexed, late, product_loops, read_ahead, recompute, region, spread, stores_behind,
    streaming, sweep_loops, widen, windows,
};
use tilewright_ir::nearest;

/// A pass over plans.
#[derive(Clone, Copy, Debug)]
pub struct PlanPass {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The instructions that it begins from: code without any stays as it is, and the pass does not run.
    seeks: fn(&Inst) -> bool,
    pub(super) run: Run,
}

/// What a pass works on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    /// Makes the draft.
    Lower,
    Draft(fn(&mut Draft)),
    /// Makes the plan of the draft.
    Finish,
    Plan(fn(&mut Plan)),
}

const fn row(name: &'static str, summary: &'static str, seeks: fn(&Inst) -> bool, run: Run) -> PlanPass {
    PlanPass { name, summary, seeks, run }
}

/// Of passes that run over any code.
const ANY: fn(&Inst) -> bool = |_| true;
const ELEMENTWISE: fn(&Inst) -> bool = |inst| inst.elementwise_length().is_some();
const SWEEPS: fn(&Inst) -> bool = |inst| matches!(inst, Inst::Sweep(_));

/// All passes, in the order in which they run.
pub const PLAN_PASSES: &[PlanPass] = &[
    row("lower", "Makes linear code of operations; what is the same for all blocks goes into the prologue.", ANY, Run::Lower),
    row(
        "widen",
        "Widens left factors of products where they are made.",
        |inst| matches!(inst, Inst::Matmul(_)),
        Run::Draft(|draft| {
            widen::widen_early(&mut draft.code, &mut draft.registers, &draft.machine);
        }),
    ),
    row(
        "index-accesses",
        "Finds loads and atomic updates through pointers that are one address and an index for each lane.",
        |inst| matches!(inst, Inst::LoadPointers { .. } | Inst::Atomic(_)),
        Run::Draft(indexed::find),
    ),
    row(
        "hoist-loads",
        "Moves loads before the elementwise instructions that they would part.",
        ELEMENTWISE,
        Run::Draft(|draft| earlier::bring_forward(&mut draft.code)),
    ),
    row(
        "sink-stores",
        "Computes before stores what begins with what the stored tiles are computed of.",
        |inst| matches!(inst, Inst::Store { .. }),
        Run::Draft(|draft| earlier::compute_before_stores(&mut draft.code)),
    ),
    row(
        "sink-broadcasts",
        "Computes what takes a few steps from a row or a column where it is spread over a tile.",
        ELEMENTWISE,
        Run::Draft(|draft| spread::compute_where_spread(&mut draft.code, &mut draft.registers)),
    ),
    row(
        "rematerialize",
        "Computes cheap values again where they are read.",
        ELEMENTWISE,
        Run::Draft(|draft| {
            recompute::recompute(&mut draft.code, &mut draft.registers);
        }),
    ),
    row(
        "join-runs",
        "Moves elementwise instructions behind those that compute what they read, and single numbers in front of longer tiles.",
        ELEMENTWISE,
        Run::Draft(|draft| earlier::join_runs(&mut draft.code)),
    ),
    row(
        "fuse",
        "Makes sweeps of runs of elementwise instructions.",
        ANY,
        Run::Draft(|draft| {
            let fused = fuse::fuse(std::mem::take(&mut draft.code), draft.machine);
            (draft.code, draft.scratch_slots) = (fused.code, fused.scratch_slots);
            let (prologue, slots) = fuse::one_by_one(std::mem::take(&mut draft.prologue), draft.machine);
            (draft.prologue, draft.scratch_slots) = (prologue, draft.scratch_slots.max(slots));
        }),
    ),
    row(
        "coalesce",
        "Lets products and sweeps write to the loop-carried registers that their results are moved to.",
        |inst| matches!(inst, Inst::Move { .. } | Inst::Matmul(_) | Inst::FoldColumns(_)),
        Run::Draft(|draft| coalesce::coalesce(&mut draft.code, &draft.registers)),
    ),
    row(
        "fuse-loops",
        "Makes one sweep of the body of a loop that only computes, whose carried tiles stay in registers of the CPU.",
        SWEEPS,
        Run::Draft(sweep_loops::fuse),
    ),
    row("fuse-stores", "Joins sweeps with the stores of their results.", SWEEPS, Run::Draft(|draft| direct_store::join(&mut draft.code))),
    row(
        "fuse-rows",
        "Makes one region of sweeps over rows and the reductions of these rows between them, which takes row after row.",
        |inst| matches!(inst, Inst::FoldRows(_)),
        Run::Draft(fuse_rows::fuse),
    ),
    row(
        "fuse-reductions",
        "Begins reductions of rows in the sweeps that compute the rows.",
        |inst| matches!(inst, Inst::FoldRows(_) | Inst::FoldColumns(_)),
        Run::Draft(|draft| {
            fuse_reductions::begin_early(&mut draft.code, &mut draft.registers);
        }),
    ),
    row(
        "copy-elision",
        "Marks loads whose tiles can be read where they lie in memory.",
        |inst| matches!(inst, Inst::Load { .. } | Inst::SweepStore { .. }),
        Run::Draft(|draft| in_place::mark(&mut draft.code, &draft.machine)),
    ),
    row(
        "join-windows",
        "Loads tiles that overlap as windows of a larger one.",
        |inst| matches!(inst, Inst::Load { .. }),
        Run::Draft(windows::join),
    ),
    row(
        "defer-products",
        "Lets products that a loop adds to sums nothing else in it reads be computed several rounds together.",
        |inst| matches!(inst, Inst::Matmul(_)),
        Run::Draft(deferred_products::defer),
    ),
    row("allocate-registers", "Gives registers their places in a block's frame, and labels their instructions.", ANY, Run::Finish),
    row(
        "defer-atomics",
        "Marks atomic additions that may happen at the end of the launch.",
        |inst| matches!(inst, Inst::Atomic(_) | Inst::AtomicView { .. }),
        Run::Plan(|plan| late::mark(&mut plan.code)),
    ),
    row(
        "prefetch",
        "Says which instructions prefetch what a block will read next.",
        ANY,
        Run::Plan(|plan| {
            plan.prefetches = read_ahead::share_out(&mut plan.code);
            plan.times_to_read_ahead = plan.code.iter().map(super::Inst::times_to_read_ahead).sum();
        }),
    ),
    row(
        "known-constants",
        "Tells regions and combiners the constants of the module that they read.",
        ANY,
        Run::Plan(|plan| region::tell_constants(&mut plan.code, &plan.constants)),
    ),
    row(
        "non-temporal",
        "Marks stores that may go past the caches.",
        ANY,
        Run::Plan(|plan| plan.may_stream = streaming::allowed(&plan.code)),
    ),
    row(
        "fixed-views",
        "Numbers the views whose tensors are constants of a launch.",
        ANY,
        Run::Plan(|plan| {
            plan.fixed_views = fixed_views::number(&mut plan.code);
        }),
    ),
    row(
        "copy-once",
        "Finds loaded tiles that several instructions read, which are copied where caches could not hold them as they lie.",
        |inst| matches!(inst, Inst::Load { .. }),
        Run::Plan(|plan| plan.read_again = in_place::read_again(&plan.code)),
    ),
    row(
        "join-stores",
        "Counts the stores of other results that stand right behind a sweep's own store, and that it carries out.",
        |inst| matches!(inst, Inst::SweepStore { .. } | Inst::RowsStore { .. }),
        Run::Plan(|plan| plan.stores_behind = stores_behind::count(&plan.code)),
    ),
    row(
        "product-loops",
        "Marks loops that only load and multiply.",
        |inst| matches!(inst, Inst::Matmul(_)),
        Run::Plan(|plan| product_loops::mark(&mut plan.code)),
    ),
    row(
        "measure-work",
        "Says how much of a block's work its neighbours do as well, so that a group of them may do it once.",
        ANY,
        Run::Plan(|plan| plan.work = BlockWork::of(&plan.code)),
    ),
    row(
        "order-blocks",
        "Says along which axis of the grid blocks begin first.",
        ANY,
        Run::Plan(|plan| plan.block_order = BlockOrder::best(&plan.code)),
    ),
    row(
        "interleave-blocks",
        "Says how many neighbouring blocks may run in step.",
        ANY,
        Run::Plan(|plan| {
            plan.in_step = in_step::blocks(&plan.code, plan.frame_bytes);
        }),
    ),
    row(
        "coarsen",
        "Finds the only store of blocks that may run as one.",
        ANY,
        Run::Plan(|plan| {
            plan.only_store = coarse::only_store(&plan.code);
            plan.past_stores = in_place::past_stores(&plan.code);
        }),
    ),
];

impl PlanPass {
    /// Whether there are instructions among these that it begins from.
    pub(super) fn finds_work<'a>(&self, mut code: impl Iterator<Item = &'a Inst>) -> bool {
        code.any(self.seeks)
    }

    /// The pass of this name.
    ///
    /// # Errors
    /// That there is none, and what it may have been meant to be.
    pub fn find_or_suggest(name: &str) -> Result<&'static PlanPass, String> {
        let names = || PLAN_PASSES.iter().map(|pass| pass.name);
        PLAN_PASSES.iter().find(|pass| pass.name == name).ok_or_else(|| match nearest(name, names()) {
            Some(near) => format!("there is no pass '{name}' of plans; did you mean '{near}'?"),
            None => format!("there is no pass '{name}' of plans; there are {}", names().collect::<Vec<_>>().join(", ")),
        })
    }
}
