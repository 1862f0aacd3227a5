//! Loops of a sweep that carries tiles in registers of the CPU (`plan/sweep_loops.rs` says which do): the head runs all rounds.

use super::{
    Block, Flow, Machine,
    count::Count,
    region::{RoundsLeft, Run},
};
use crate::plan::{Inst, Target, counter_mask};

impl Machine<'_> {
    /// Runs a loop whose body is a sweep from its head on.
    #[inline(never)]
    pub(super) fn sweep_in_loop(&mut self, count: &Count<'_>, exit: Target, block: &Block) -> Flow {
        let (launch, regs) = (self.launch, &block.frame);
        let Some(Inst::Sweep(sweep)) = launch.plan.code.get(block.pc + 1) else { unreachable!("the body is a sweep") };
        let Some(region) = sweep.region() else { unreachable!("the sweep is vector code") };
        let [counter, upper, step] = count.values(regs);
        let rounds = count.rounds([counter, upper, step]);
        let ahead = if sweep.reads_ahead { &mut self.ahead } else { &mut self.scratch.nothing };
        Run::new(sweep, region, regs, None)
            .in_rounds(RoundsLeft { left: rounds, counter, step, mask: counter_mask(count.upper.elem) }, ahead);
        let last = counter.wrapping_add((rounds - 1).wrapping_mul(step));
        regs.set_scalar(count.counter, count.upper.elem.size(), last);
        self.rounds += rounds;
        if launch.interrupt.is_set() { Flow::Interrupted } else { Flow::Goto(exit) }
    }
}
