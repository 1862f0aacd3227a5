//! Blocks in step: neighbouring blocks that run together, one instruction of all of them after the other.
//!
//! A reduction of columns reads short rows, far apart in memory; the CPU fetches them more slowly than what lies side by side. The
//! tiles of neighbouring blocks often lie beside each other, so a worker runs several of them in step (`plan/in_step.rs` says which
//! plans), and folds their tiles as one wide tile. Loops that only multiply have factors in common (`product_loop.rs`).

use super::{AlignedBytes, Block, Flow, Machine, count::Count, fold, frame::Frame};
use crate::{
    LaunchError,
    plan::{FoldColumns, Inst},
};
use smallvec::SmallVec;

impl Machine<'_> {
    /// Runs blocks that begin as long as all go the same way. Leaves each where it goes on, by [`run`](Machine::run).
    ///
    /// # Errors
    /// When a block does what a kernel must not do.
    pub(crate) fn run_in_step(&mut self, blocks: &mut [Box<Block>]) -> Result<(), LaunchError> {
        if self.profile.is_some() { self.run_in_step_profiled(blocks) } else { self.run_all::<false>(blocks) }
    }

    /// The same with a clock that is read behind each instruction, if it is `PROFILED`.
    pub(super) fn run_all<const PROFILED: bool>(&mut self, blocks: &mut [Box<Block>]) -> Result<(), LaunchError> {
        let plan = self.launch.plan;
        if self.lanes.len() < blocks.len() {
            self.lanes.resize_with(blocks.len(), Default::default);
        }
        self.ahead.begin(0);
        blocks.iter_mut().for_each(|block| block.frame.use_scratch(self.scratch.start()));
        let mut pc = 0;
        while let Some(inst) = plan.code.get(pc) {
            let same_way = match inst {
                Inst::Return => break,
                Inst::FoldColumns(fold) => {
                    let same_way = self.fold_columns_in_step(fold, blocks)?;
                    if PROFILED {
                        self.measure(pc, blocks.len() as u64);
                    }
                    same_way
                }
                inst if inst.is_product_loop() => match self.multiply_in_step(inst, blocks) {
                    Some(same_way) => {
                        if PROFILED {
                            self.measure(pc, blocks.len() as u64);
                        }
                        same_way
                    }
                    None => self.step_each::<PROFILED>(inst, blocks)?,
                },
                inst => self.step_each::<PROFILED>(inst, blocks)?,
            };
            pc = blocks[0].pc;
            if !same_way || blocks.iter().any(|block| block.pc != pc) {
                break;
            }
        }
        Ok(())
    }

    /// Runs an instruction of each block; whether the blocks may go on in step.
    fn step_each<const PROFILED: bool>(&mut self, inst: &Inst, blocks: &mut [Box<Block>]) -> Result<bool, LaunchError> {
        let mut go_on = true;
        for (lane, block) in blocks.iter_mut().enumerate() {
            std::mem::swap(&mut self.in_place, &mut self.lanes[lane]);
            let flow = self.step(inst, block);
            if PROFILED {
                self.measure(block.pc, 1);
            }
            std::mem::swap(&mut self.in_place, &mut self.lanes[lane]);
            match flow {
                Flow::Next => block.pc += 1,
                Flow::Goto(target) => block.pc = target,
                Flow::Again(target) => (block.pc, go_on) = (target, false),
                Flow::Finish | Flow::Interrupted | Flow::Preempted => go_on = false,
                Flow::Fail => return Err(self.failed(block)),
            }
        }
        Ok(go_on)
    }

    /// Runs a loop that only multiplies from its head on, in all blocks together; whether they may go on in step. `None`, and nothing has run, if not all
    /// begin it with whole factors and go round equally often.
    fn multiply_in_step(&mut self, head: &Inst, blocks: &mut [Box<Block>]) -> Option<bool> {
        let Inst::ForHead { counter, upper, step, signed, exit, .. } = head else { return None };
        let count = Count { counter: *counter, upper, step, signed: *signed };
        let frames: SmallVec<[&Frame; 16]> = blocks.iter().map(|block| &block.frame).collect();
        let values = count.values(frames[0]);
        let alike = frames.iter().all(|regs| count.values(regs) == values && count.begin(regs).is_ok_and(|begins| begins));
        let flow = if alike { self.multiply_in_loop(&count, *exit, blocks[0].pc, &frames) } else { Flow::Next };
        drop(frames);
        match flow {
            Flow::Next => None,
            Flow::Goto(target) => {
                blocks.iter_mut().for_each(|block| block.pc = target);
                Some(true)
            }
            _ => Some(false),
        }
    }

    fn fold_columns_in_step(&mut self, fold: &FoldColumns, blocks: &mut [Box<Block>]) -> Result<bool, LaunchError> {
        let needed = fold::columns_room(fold, blocks.len());
        if self.room.as_ref().is_none_or(|room| room.len() < needed) {
            self.room = Some(AlignedBytes::zeroed(needed, &self.launch.budget).map_err(|kind| self.error(&blocks[0], kind))?);
        }
        let all: Vec<_> = blocks.iter().zip(&self.lanes).map(|(block, lane)| (&block.frame, &**lane)).collect();
        if !self.room.as_mut().is_some_and(|room| fold::run_columns_beside(fold, &all, room)) {
            all.iter().for_each(|(regs, lane)| fold::run_columns(fold, regs, lane));
        }
        blocks.iter_mut().for_each(|block| block.pc += 1);
        Ok(!self.launch.interrupt.was_seen())
    }
}
