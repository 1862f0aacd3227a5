//! Deferred products: what a loop adds to sums that nothing else in it reads is computed for several rounds together, where that gains.
//!
//! ```text
//! for %4 to c8 step c64 else ^3             for %4 to c8 step c64 else ^3
//! ^1:                                       ^1:
//!   ...                                       ...
//!   %5 = matmul %16, %17, %5          ─►      %5 = matmul %16, %17, %5 deferred 0
//! next %4 to c8 step c64 back ^1            next %4 to c8 step c64 back ^1
//! ^3:                                       ^3:
//!                                             finish_products 0 onto %5
//!   store ..., %5                             store ..., %5
//! ```
//!
//! The machine keeps copies of the factors, and multiplies when there are enough of them (`vm/deferred.rs`). Until then the register has sums of fewer
//! products, so all ways out of the loop lead to an instruction behind it that adds the rest.

use super::{Draft, Inst, Matmul, Readers, Tile, VReg, tile::Base};
use crate::{
    TargetMachine,
    hash::{HashMap, HashSet},
    kernels::mma,
};
use std::ops::Range;

/// Defers products in loops, and finishes them behind these.
pub(super) fn defer(draft: &mut Draft) {
    let loops = LoopRanges::of(&draft.code);
    let found: Vec<(usize, usize)> =
        (0..draft.code.len()).filter_map(|at| Some((at, loops.end_for(&draft.code, at, &draft.machine)?))).collect();
    for (slot, (at, _)) in found.iter().enumerate() {
        if let Inst::Matmul(matmul) = &mut draft.code[*at].0 {
            matmul.deferred = Some(slot);
        }
    }
    let mut ends: Vec<(usize, (Inst, u32))> = found.iter().enumerate().map(|(slot, (at, end))| (*end, finish(draft, *at, slot))).collect();
    // From the last one on, so that the others stay where they are.
    ends.sort_by_key(|(end, _)| *end);
    ends.into_iter().rev().for_each(|(end, inst)| draft.code.insert(end, inst));
}

/// What adds the rest of the products at a place to their sums.
fn finish(draft: &Draft, at: usize, slot: usize) -> (Inst, u32) {
    let (Inst::Matmul(matmul), site) = &draft.code[at] else { unreachable!("products were found there") };
    (Inst::FinishProducts { slot, sums: Box::new(matmul.acc.clone()) }, *site)
}

/// The loops of the code: from the instruction behind the label of each to the one that goes back.
struct LoopRanges(Vec<Range<usize>>);

impl LoopRanges {
    fn of(code: &[(Inst, u32)]) -> LoopRanges {
        let mut labels = HashMap::default();
        let mut loops = Vec::new();
        for (at, (inst, _)) in code.iter().enumerate() {
            match inst {
                Inst::Label(label) => drop(labels.insert(*label, at)),
                // Only what goes back finds its label among those that came before.
                inst => loops.extend(inst.target().and_then(|label| labels.get(&label)).map(|start: &usize| start + 1..at)),
            }
        }
        LoopRanges(loops)
    }

    /// Where the product at a place is to be finished, if it can be deferred.
    fn end_for(&self, code: &[(Inst, u32)], at: usize, machine: &TargetMachine) -> Option<usize> {
        let Inst::Matmul(matmul) = &code[at].0 else { return None };
        if !gains(matmul, machine) {
            return None;
        }
        let innermost = self.0.iter().filter(|range| range.contains(&at)).min_by_key(|range| range.len())?.clone();
        let body = &code[innermost.clone()];
        let is_free = body.iter().enumerate().all(|(i, (inst, _))| innermost.start + i == at || leaves_alone(inst, matmul.dst));
        // A loop that only multiplies joins its rounds itself.
        let does_more = !multiplies_loads(body);
        let behind = behind_labels(code, innermost.end + 1);
        (is_free && does_more && leads_to(code, &innermost, behind)).then_some(behind)
    }
}

/// Whether the CPU gains by computing several such products together, which are added to sums in place.
fn gains(matmul: &Matmul, machine: &TargetMachine) -> bool {
    let sums = Base::Reg(matmul.dst);
    let is_in_place =
        matmul.acc.base == sums && matmul.acc.is_contiguous() && ![&matmul.lhs, &matmul.rhs].iter().any(|tile| tile.base == sums);
    is_in_place && matmul.scales.is_none() && mma::deferred(machine.level(), matmul.kind, &matmul.shape) > 1
}

/// Whether an instruction of a loop neither reads nor writes the sums, nor lets others run meanwhile.
fn leaves_alone(inst: &Inst, sums: VReg) -> bool {
    let effects = inst.effects();
    let mut is_touched = effects.waits();
    inst.for_each_read(|tile| is_touched |= tile.base == Base::Reg(sums));
    inst.for_each_write(|reg| is_touched |= reg == sums);
    !is_touched
}

/// Whether a loop only loads factors of products, which stay where they lie, and multiplies them.
fn multiplies_loads(body: &[(Inst, u32)]) -> bool {
    let insts = || body.iter().map(|(inst, _)| inst);
    let is_loaded = |tile: &Tile| insts().any(|inst| matches!(inst, Inst::Load { dst, .. } if tile.base == Base::Reg(*dst)));
    let mut rest = insts().filter(|inst| !matches!(inst, Inst::Label(_) | Inst::Jump(_)));
    rest.all(|inst| match inst {
        Inst::Load { readers, .. } => *readers == Readers::Products,
        Inst::Matmul(matmul) => is_loaded(&matmul.lhs) && is_loaded(&matmul.rhs),
        _ => false,
    })
}

/// The place behind the labels that stand here.
fn behind_labels(code: &[(Inst, u32)], at: usize) -> usize {
    at + code[at..].iter().take_while(|(inst, _)| matches!(inst, Inst::Label(_))).count()
}

/// Whether all ways out of a loop, but for those that end the block, lead to the labels right behind it, or inside of it.
fn leads_to(code: &[(Inst, u32)], body: &Range<usize>, behind: usize) -> bool {
    let labels: HashSet<usize> = code[body.start.saturating_sub(1)..behind].iter().filter_map(|(inst, _)| label(inst)).collect();
    let mut targets = code[body.clone()].iter().filter_map(|(inst, _)| inst.target());
    targets.all(|target| labels.contains(&target))
}

fn label(inst: &Inst) -> Option<usize> {
    if let Inst::Label(label) = inst { Some(*label) } else { None }
}
