//! Blocks in step: neighbouring blocks that run together, one instruction of all of them after the other.
//!
//! A reduction of columns reads short rows, far apart in memory; the CPU fetches them more slowly than what lies side by side. The
//! tiles of neighbouring blocks often lie beside each other, so a worker runs several of them in step (`plan/in_step.rs` says which
//! plans), and reads eight rows of all tiles before the next eight of any.

use super::{Block, Flow, Machine, fold};
use crate::{
    LaunchError,
    kernels::columns::{Rows, TOGETHER},
    plan::{FoldColumns, Inst},
};

/// Rounds of rows of the next tiles that are fetched while other instructions run, at most: half of the second cache holds them.
const ROUNDS_AHEAD: usize = 4;
/// Over how many instructions of each block that is spread: as many as a loop has around a reduction, at least.
const STEPS: usize = 4;

impl Machine<'_> {
    /// Runs blocks that begin as long as all go the same way. Leaves each where it goes on, by [`run`](Machine::run).
    ///
    /// # Errors
    /// When a block does what a kernel must not do.
    pub(crate) fn run_in_step(&mut self, blocks: &mut [Block]) -> Result<(), LaunchError> {
        let plan = self.launch.plan;
        if self.lanes.len() < blocks.len() {
            self.lanes.resize_with(blocks.len(), Default::default);
        }
        self.ahead.begin(0);
        let mut pc = 0;
        while let Some(inst) = plan.code.get(pc) {
            let same_way = match inst {
                Inst::Return => break,
                Inst::FoldColumns(fold) => self.fold_columns_in_step(fold, blocks),
                inst => self.step_each(inst, blocks)?,
            };
            pc = blocks[0].pc;
            if !same_way || blocks.iter().any(|block| block.pc != pc) {
                break;
            }
        }
        Ok(())
    }

    /// Runs an instruction of each block; whether the blocks may go on in step.
    fn step_each(&mut self, inst: &Inst, blocks: &mut [Block]) -> Result<bool, LaunchError> {
        let mut go_on = true;
        for (lane, block) in blocks.iter_mut().enumerate() {
            std::mem::swap(&mut self.in_place, &mut self.lanes[lane]);
            let flow = self.step(inst, block).map_err(|kind| self.error(block, kind))?;
            std::mem::swap(&mut self.in_place, &mut self.lanes[lane]);
            match flow {
                Flow::Next => block.pc += 1,
                Flow::Goto(target) => block.pc = target,
                // The launch has failed or was stopped.
                Flow::Again(target) => (block.pc, go_on) = (target, false),
                Flow::Finish => go_on = false,
            }
            self.ahead.fetch_share();
        }
        Ok(go_on)
    }

    fn fold_columns_in_step(&mut self, fold: &FoldColumns, blocks: &mut [Block]) -> bool {
        let launch = self.launch;
        let registers = |block| super::Registers::new(&launch.plan.registers, block, launch.constants);
        let all: Vec<_> = blocks.iter_mut().zip(&self.lanes).map(|(block, lane)| (registers(&mut block.frame), lane)).collect();
        match fold::run_columns_beside(fold, &all) {
            Some((next, rows)) => {
                let bytes = all.len() * rows.width * fold.src.elem.size();
                self.ahead.begin(all.len() * STEPS);
                self.read_ahead(next, rows, fold.src.elem.size(), bytes);
            }
            None => all.iter().for_each(|(regs, lane)| fold::run_columns(fold, regs, lane)),
        }
        blocks.iter_mut().for_each(|block| block.pc += 1);
        true
    }

    /// Asks for the first rounds of the tiles that are folded next; together, their rows have `bytes` bytes.
    fn read_ahead(&mut self, next: *const u8, rows: Rows, size: usize, bytes: usize) {
        if next.is_null() {
            return;
        }
        let rounds = (rows.extent / TOGETHER).max(1);
        for round in 0..rounds.min(ROUNDS_AHEAD) {
            for row in (round..rows.extent).step_by(rounds) {
                self.ahead.add_run(next.wrapping_add(row * rows.pitch * size), bytes);
            }
        }
    }
}
