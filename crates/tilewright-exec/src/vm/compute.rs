//! Instructions that only compute: in a block, or once for a launch.

use super::{
    bytes::AlignedBytes,
    copy,
    frame::Frame,
    sweep::{self, Scratch},
};
use crate::{
    LaunchErrorKind,
    budget::Budget,
    kernels::ahead::Ahead,
    plan::{Inst, Plan, VReg},
};
use std::sync::Arc;

/// Fills in the constants of a launch what its plan computes of the others.
///
/// # Errors
/// When there is no memory for its scratch.
pub(crate) fn run_prologue(plan: &Plan, grid: [u32; 3], constants: &mut AlignedBytes, budget: &Arc<Budget>) -> Result<(), LaunchErrorKind> {
    if plan.prologue.is_empty() {
        return Ok(());
    }
    let (mut scratch, mut ahead) = (Scratch::new(plan, budget)?, Ahead::default());
    let mut frame = Frame::of_prologue(&plan.registers, constants)?;
    frame.use_scratch(scratch.start());
    for inst in &plan.prologue {
        match inst {
            Inst::Sweep(sweep) => sweep::run(sweep, &frame, None, &mut scratch, &mut ahead),
            inst => run(inst, &frame, grid),
        }
    }
    Ok(())
}

/// Runs an instruction that reads and writes nothing but registers, and is no sweep.
pub(super) fn run(inst: &Inst, regs: &Frame, grid: [u32; 3]) {
    match inst {
        Inst::Move { src, dst } => copy::tile(src, regs, regs.write(*dst)),
        Inst::Reverse { src, dims, dst } => copy::reverse(src, dims, regs, regs.write(*dst)),
        Inst::Repack { src, dst, bits, pack } => copy::repack(regs.read(src), regs.write(*dst), src.numel(), *bits, *pack),
        Inst::Iota { dst, n, size } => copy::iota(regs.write(*dst), *n, *size),
        Inst::GridSize(dst) => set_three(regs, dst, grid),
        Inst::ViewExtent { extent, step, dst, size } => {
            let count = regs.extent(extent).div_ceil(*step);
            regs.set_scalar(*dst, *size, count);
        }
        _ => unreachable!("{inst:?} does not only compute"),
    }
}

/// Writes three scalars of 32 bits.
fn set_three(regs: &Frame, dst: &[VReg; 3], values: [u32; 3]) {
    for (reg, value) in dst.iter().zip(values) {
        regs.set_scalar(*reg, 4, value.into());
    }
}
