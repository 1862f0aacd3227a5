//! The machine of a launch that is profiled: the same loops, and a clock that is read behind each instruction.

use super::{Block, Machine, Outcome};
use crate::{
    LaunchError,
    plan::{Inst, LoopBody, ProductLoop},
};

impl Machine<'_> {
    /// Notes that the instruction at `pc` has run, so often as one.
    pub(super) fn measure(&mut self, pc: usize, count: u64) {
        let rounds = std::mem::take(&mut self.rounds);
        let Some(profile) = &mut self.profile else { return };
        match self.launch.plan.code.get(pc) {
            // The head of a loop that only multiplies ran so many rounds of it. Products read what the loads would have brought; the time of all is that of
            // the last.
            Some(Inst::ForHead { body: LoopBody::Product, .. }) if rounds > 0 => {
                let body = pc + 1;
                let Some(product_loop) = ProductLoop::of(&self.launch.plan.code[body..]) else { return profile.ran(pc, count) };
                let last = product_loop.products.last().map_or(0, |product| product.at);
                profile.ran(body + last, rounds);
                profile.ran_inside(pc, count);
                (0..=product_loop.length).filter(|at| *at != last).for_each(|at| profile.ran_inside(body + at, rounds));
            }
            // A loop of a sweep: that, and the end of the loop.
            Some(Inst::ForHead { body: LoopBody::Sweep, .. }) if rounds > 0 => {
                profile.ran(pc + 1, rounds);
                profile.ran_inside(pc, count);
                profile.ran_inside(pc + 2, rounds);
            }
            _ => profile.ran(pc, count),
        }
    }

    #[inline(never)]
    pub(super) fn run_profiled(&mut self, block: &mut Block) -> Result<Outcome, LaunchError> {
        self.begin(block, 1);
        let outcome = self.run_on::<true>(block);
        self.end();
        outcome
    }

    #[inline(never)]
    pub(super) fn run_in_step_profiled(&mut self, blocks: &mut [Box<Block>]) -> Result<(), LaunchError> {
        if let Some(first) = blocks.first() {
            self.begin(first, blocks.len() as u64);
        }
        let done = self.run_all::<true>(blocks);
        self.end();
        done
    }

    /// Runs blocks as one. The time is that of the instruction that stores, which does what all before it are for.
    #[inline(never)]
    pub(super) fn run_as_one_profiled(&mut self, block: &mut Block, most: u64) -> u64 {
        let Some(pc) = self.launch.plan.only_store.filter(|_| self.launch.coarse.is_some()) else { return 0 };
        let (first, position) = (block.index, block.id);
        if let Some(profile) = &mut self.profile {
            profile.begin(first, position, 0);
        }
        let ran = self.run_joined(block, most);
        let Some(profile) = &mut self.profile else { return ran };
        if ran == 0 {
            profile.take_back();
            return 0;
        }
        profile.ran(pc, ran);
        (0..self.launch.plan.code.len()).filter(|other| *other != pc).for_each(|other| profile.ran_inside(other, ran));
        profile.end_of(ran);
        ran
    }

    fn begin(&mut self, block: &Block, count: u64) {
        let (first, position) = (block.index, block.id);
        if let Some(profile) = &mut self.profile {
            profile.begin(first, position, count);
        }
    }

    fn end(&mut self) {
        if let Some(profile) = &mut self.profile {
            profile.end();
        }
    }
}
