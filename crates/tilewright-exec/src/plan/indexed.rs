//! Loads whose pointers are one address and an index for each lane, as most gathers are.
//!
//! ```text
//! %8 = Offset(4) -> ptr (c0 splat, %7)
//! %9 = load f32 at %8 mask %6            ─►  %9 = load f32 at c0 [%7] mask %6
//! ```
//!
//! Such a load stands in runs of elementwise instructions, and fusing makes it an input of their sweep: vector code compares the indices with the
//! length of the buffer and loads the elements in the pass that computes the indices and goes on with what was loaded. No tile of pointers is made.

use super::{
    Base, Draft, IndexedLoad, Inst, PointerAccess, Tile, VReg,
    counts::{count_uses, count_writes},
    inst::Elementwise,
    region,
};
use crate::{
    elem::Elem,
    hash::{HashMap, HashSet},
    kernels::ElemOp,
};
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

/// How many instructions may stand between what makes pointers and the load.
const LOOK_BACK: usize = 64;

/// Finds the loads.
pub(super) fn find(draft: &mut Draft) {
    if !draft.machine.has_regions() {
        return;
    }
    let code = &mut draft.code;
    let (mut uses, writes) = (count_uses(code), count_writes(code));
    let copies: HashMap<VReg, Tile> = draft.prologue.iter().filter_map(copy).collect();
    let copies: HashMap<Base, Tile> =
        draft.prologue_places.iter().filter_map(|(reg, offset)| Some((Base::Const(*offset), copies.get(reg)?.clone()))).collect();
    let mut makers: HashMap<VReg, usize> = HashMap::default();
    let mut needless = HashSet::default();
    for at in 0..code.len() {
        if code[at].0.effects().end_straight_code() {
            makers.clear();
            continue;
        }
        if let Some(pointers) = pointers_of_one_address(&code[at].0).filter(|reg| writes.of(*reg) == 1) {
            makers.insert(pointers, at);
        }
        let Some((reg, maker)) = pointers_loaded_from(&code[at].0).and_then(|reg| Some((reg, *makers.get(&reg)?))) else { continue };
        let Inst::Elementwise(offset) = &code[maker].0 else { continue };
        let stays = |tile: &Tile| at - maker <= LOOK_BACK && !is_written(&code[maker..at], tile);
        let Inst::LoadPointers { access, padding, dst } = &code[at].0 else { continue };
        if access.size != element_size(offset) || !offset.srcs.iter().all(stays) {
            continue;
        }
        // A number for all lanes was copied to a tile in front of all blocks.
        let source = |tile: &Tile| copies.get(&tile.base).filter(|source| source.shape == tile.shape).cloned();
        let load = IndexedLoad {
            offset: offset.clone(),
            access: (**access).clone(),
            padding: padding.clone(),
            source_of_padding: padding.as_ref().map(|tile| source(tile).unwrap_or_else(|| tile.clone())),
            dst: *dst,
        };
        if uses.take(reg) == 0 {
            needless.insert(maker);
        }
        code[at].0 = Inst::IndexedLoad(Box::new(load));
    }
    let mut at = 0;
    code.retain(|_| {
        at += 1;
        !needless.contains(&(at - 1))
    });
}

/// The register that an instruction copies a tile to.
fn copy(inst: &Inst) -> Option<(VReg, Tile)> {
    if let Inst::Move { src, dst } = inst { Some((*dst, src.clone())) } else { None }
}

/// The pointers that an instruction makes, if it makes them of one address and an index for each, and vector code is fast for so many.
fn pointers_of_one_address(inst: &Inst) -> Option<VReg> {
    let Inst::Elementwise(Elementwise { kernel, srcs, dst, n, .. }) = inst else { return None };
    let is_index = |elem: Elem| matches!(elem, Elem::Num(Scalar::I32 | Scalar::I64));
    let fits = matches!(kernel.imm.op, ElemOp::Offset(_)) && srcs[0].is_splat() && is_index(srcs[1].elem) && *n >= region::FEWEST;
    fits.then_some(*dst)
}

/// Bytes from one element to the next of pointers that an instruction makes.
fn element_size(offset: &Elementwise) -> usize {
    if let ElemOp::Offset(size) = offset.kernel.imm.op { size as usize } else { 0 }
}

/// The pointers that a load goes through, if it orders nothing and copies bytes.
fn pointers_loaded_from(inst: &Inst) -> Option<VReg> {
    let Inst::LoadPointers { access, .. } = inst else { return None };
    let PointerAccess { pointers, element, order, .. } = &**access;
    match pointers.base {
        Base::Reg(reg) if order.semantics == MemoryOrderingSemantics::Weak && *element != Scalar::I1 => Some(reg),
        _ => None,
    }
}

/// Whether some of the instructions write what a tile is on.
fn is_written(code: &[(Inst, u32)], tile: &Tile) -> bool {
    let Base::Reg(reg) = tile.base else { return false };
    let mut found = false;
    code.iter().for_each(|(inst, _)| inst.for_each_write(|written| found |= written == reg));
    found
}
