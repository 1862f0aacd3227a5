//! What holds of drafts between passes; debug builds check it.

use super::{Draft, Inst, VReg, tile::Base};
use crate::hash::HashSet;

/// Finds what is broken: registers that do not exist, that are smaller than what is read of them, or that nothing writes before they are first
/// read in the order of the code; constants that do not exist; labels that are missing or stand twice.
pub(super) fn draft(draft: &Draft) -> Result<(), String> {
    let labels = labels(draft)?;
    let mut written = HashSet::default();
    let targets: HashSet<usize> = draft.code.iter().filter_map(|(inst, _)| inst.target()).collect();
    // What stands behind a loop that nothing leaves is never run, and reads results that nothing writes.
    let mut is_reached = true;
    for (at, (inst, _)) in draft.code.iter().enumerate() {
        is_reached |= matches!(inst, Inst::Label(label) if targets.contains(label));
        let mut broken = Ok(());
        let exists = |reg: VReg| reg.index() < draft.registers.len();
        // A sweep may read what its own steps wrote. Insertions name the register that they fill slice by slice.
        let own = |reg: VReg| {
            inst.sweep().is_some_and(|sweep| sweep.result(reg).is_some())
                || inst.rows().is_some_and(|rows| rows.results.iter().any(|result| result.reg == reg))
                || matches!(inst, Inst::Insert { dst, .. } if *dst == reg)
        };
        inst.for_each_read(|tile| match tile.base {
            Base::Reg(reg) if !exists(reg) => broken = Err(format!("{reg} does not exist")),
            Base::Reg(reg) if is_reached && !written.contains(&reg) && !own(reg) => {
                broken = Err(format!("{reg} is read before anything is written to it"))
            }
            Base::Reg(reg) => {
                let last: usize = tile.shape.iter().zip(&tile.strides).map(|(extent, stride)| (extent - 1) * stride).sum();
                if (last + 1) * tile.elem.size() > draft.registers[reg.index()] {
                    broken = Err(format!("{tile} is larger than its register"));
                }
            }
            Base::Const(offset) if offset >= draft.constants.bytes().len() => broken = Err(format!("there is no constant c{offset}")),
            Base::Const(_) => {}
        });
        inst.for_each_write(|reg| {
            if !exists(reg) {
                broken = Err(format!("{reg} does not exist"));
            }
            written.insert(reg);
        });
        if let Some(target) = inst.target().filter(|target| !labels.contains(target)) {
            broken = Err(format!("there is no label ^{target}"));
        }
        is_reached &= !matches!(inst, Inst::Jump(_) | Inst::JumpBack { .. } | Inst::Return);
        broken.map_err(|what| format!("instruction {at}: {what}"))?;
    }
    Ok(())
}

/// The labels of the code.
fn labels(draft: &Draft) -> Result<HashSet<usize>, String> {
    let mut labels = HashSet::default();
    for (inst, _) in &draft.code {
        if let Inst::Label(label) = inst
            && !labels.insert(*label)
        {
            return Err(format!("label ^{label} stands twice"));
        }
    }
    Ok(labels)
}
