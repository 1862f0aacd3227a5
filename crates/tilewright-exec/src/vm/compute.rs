//! Instructions that only compute: in a block, or once for a launch.

use super::{
    copy,
    in_place::InPlace,
    registers::{AlignedBytes, FrameLayout, Registers},
    sweep::{self, Scratch},
};
use crate::{
    LaunchErrorKind,
    kernels::ahead::Ahead,
    plan::{Inst, Plan, VReg},
};

/// Fills in the constants of a launch what its plan computes of the others.
///
/// # Errors
/// When there is no memory for its scratch.
pub(crate) fn run_prologue(plan: &Plan, grid: [u32; 3], constants: &mut AlignedBytes) -> Result<(), LaunchErrorKind> {
    if plan.prologue.is_empty() {
        return Ok(());
    }
    let (mut scratch, mut ahead) = (Scratch::new(plan.scratch_slots)?, Ahead::default());
    let layout = FrameLayout::of_prologue(&plan.registers, constants);
    let regs = Registers::of_prologue(&layout);
    for inst in &plan.prologue {
        match inst {
            Inst::Sweep(sweep) => sweep::run(sweep, regs, &InPlace::default(), None, &mut scratch, &mut ahead),
            inst => run(inst, regs, grid),
        }
    }
    Ok(())
}

/// Runs an instruction that reads and writes nothing but registers, and is no sweep.
pub(super) fn run(inst: &Inst, regs: Registers<'_>, grid: [u32; 3]) {
    match inst {
        Inst::Move { src, dst } => copy::tile(src, regs, regs.write(*dst)),
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
fn set_three(regs: Registers<'_>, dst: &[VReg; 3], values: [u32; 3]) {
    for (reg, value) in dst.iter().zip(values) {
        regs.set_scalar(*reg, 4, value.into());
    }
}
