//! Loads that need not copy: sweeps read their tile where it lies in memory.
//!
//! A load must give what memory held when it ran. So all sweeps and folds that read the tile must follow in straight code, with nothing
//! between that writes memory, frees it, waits or orders accesses. Whether the tile lies in order, whole and aligned, is known
//! when the load runs; if it does not, the load copies.

use super::{
    Inst, Sweep, SweepInput, Tile, VReg, ViewAccess,
    fuse::{count_uses, count_writes},
    tile::Base,
};
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

/// Marks the loads that need not copy.
pub(crate) fn mark(code: &mut [(Inst, u32)]) {
    let (uses, writes) = (count_uses(code), count_writes(code));
    for at in 0..code.len() {
        let (before, after) = code.split_at_mut(at + 1);
        if let Some((Inst::Load { view, dst, in_place }, _)) = before.last_mut() {
            let uses = uses.get(dst).copied().unwrap_or(0);
            *in_place = copies_bytes(view) && writes.get(dst) == Some(&1) && reads_before_changes(after, *dst, uses) == uses;
        }
    }
}

/// Whether an access copies bytes and does nothing else. Bits are normalised, and packed elements are unpacked.
pub(crate) fn copies_bytes(view: &ViewAccess) -> bool {
    view.order.semantics == MemoryOrderingSemantics::Weak && !view.packed && view.element != Scalar::I1
}

/// How many of the `uses` of a register are by sweeps and folds of rows that read it in order, before anything can change memory.
fn reads_before_changes(code: &[(Inst, u32)], reg: VReg, uses: usize) -> usize {
    let is_it = |tile: &Tile| usize::from(tile.base == Base::Reg(reg));
    let reads = |sweep: &Sweep| -> usize {
        sweep.inputs.iter().map(|input| if let SweepInput::Direct { tile } = input { is_it(tile) } else { 0 }).sum()
    };
    let mut found = 0;
    for (inst, _) in code {
        if found == uses {
            break;
        }
        match inst {
            Inst::Sweep(sweep) => found += reads(sweep),
            Inst::FoldRows(fold) => found += is_it(&fold.src),
            // It computes before it stores.
            Inst::SweepStore { sweep, .. } => {
                found += reads(sweep);
                break;
            }
            Inst::Load { view, .. } if view.order.semantics == MemoryOrderingSemantics::Weak => {}
            Inst::Move { .. }
            | Inst::Extract { .. }
            | Inst::Iota { .. }
            | Inst::BlockId(_)
            | Inst::GridSize(_)
            | Inst::ViewExtent { .. }
            | Inst::Fold(_)
            | Inst::Matmul(_) => {}
            _ => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{elem::Elem, plan::Order};

    fn tile(reg: u32) -> Tile {
        Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(reg)), &[4])
    }

    fn view(semantics: MemoryOrderingSemantics, element: Scalar) -> Box<ViewAccess> {
        let order = Order { semantics, scope: None };
        Box::new(ViewAccess { base: tile(100), element, size: 4, packed: false, dims: Vec::new(), padding: 0, order })
    }

    fn load_of(semantics: MemoryOrderingSemantics, element: Scalar, dst: u32) -> (Inst, u32) {
        (Inst::Load { view: view(semantics, element), dst: VReg(dst), in_place: false }, 0)
    }

    fn load(dst: u32) -> (Inst, u32) {
        load_of(MemoryOrderingSemantics::Weak, Scalar::F32, dst)
    }

    fn store(src: u32) -> (Inst, u32) {
        (Inst::Store { view: view(MemoryOrderingSemantics::Weak, Scalar::F32), src: tile(src) }, 0)
    }

    fn sweep(srcs: &[u32]) -> (Inst, u32) {
        let inputs = srcs.iter().map(|reg| SweepInput::Direct { tile: tile(*reg) }).collect();
        (Inst::Sweep(Box::new(Sweep { n: 4, inputs, steps: Vec::new() })), 0)
    }

    fn marked<const N: usize>(mut code: [(Inst, u32); N]) -> Vec<bool> {
        mark(&mut code);
        code.iter().filter_map(|(inst, _)| if let Inst::Load { in_place, .. } = inst { Some(*in_place) } else { None }).collect()
    }

    #[test]
    fn what_is_read_at_once_is_read_in_place() {
        assert_eq!(marked([load(0), load(1), sweep(&[0, 1]), store(2)]), [true, true]);
        assert_eq!(marked([load(0), sweep(&[0]), sweep(&[0]), store(2)]), [true]);
    }

    #[test]
    fn what_may_change_before_it_is_read_is_copied() {
        assert_eq!(marked([load(0), store(2), sweep(&[0])]), [false]);
        assert_eq!(marked([load(0), sweep(&[0]), store(2), sweep(&[0])]), [false]);
        assert_eq!(marked([load(0), (Inst::Label(1), 0), sweep(&[0])]), [false]);
        assert_eq!(marked([load(0), load_of(MemoryOrderingSemantics::Acquire, Scalar::F32, 1), sweep(&[0])]), [false, false]);
    }

    #[test]
    fn what_others_read_or_write_is_copied() {
        assert_eq!(marked([load(0), sweep(&[0]), store(0)]), [false]);
        assert_eq!(marked([load(0), load(0), sweep(&[0])]), [false, false]);
        assert_eq!(marked([load_of(MemoryOrderingSemantics::Weak, Scalar::I1, 0), sweep(&[0])]), [false]);
    }
}
