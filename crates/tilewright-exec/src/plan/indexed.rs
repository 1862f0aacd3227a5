//! Loads and atomic updates whose pointers are one address and an index for each lane, as those of most gathers and histograms are.
//!
//! ```text
//! %8 = Offset(4) -> ptr (c0 splat, %7)
//! %9 = load f32 at %8 mask %6            ─►  %9 = load f32 at c0 [%7] mask %6
//! ```
//!
//! Such a load stands in runs of elementwise instructions, and fusing makes it an input of their sweep: vector code compares the indices with the
//! length of the buffer and loads the elements in the pass that computes the indices and goes on with what was loaded. No tile of pointers is made.
//!
//! An atomic update goes through its indices if they lie in order as `i32`: half of the bytes, and bounds that are found eight at a time.

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

/// Finds them.
pub(super) fn find(draft: &mut Draft) {
    let has_regions = draft.machine.has_regions();
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
        let Some((reg, maker)) = pointers_gone_through(&code[at].0).and_then(|reg| Some((reg, *makers.get(&reg)?))) else { continue };
        let Inst::Elementwise(offset) = &code[maker].0 else { continue };
        let stays = |tile: &Tile| at - maker <= LOOK_BACK && !is_written(&code[maker..at], tile);
        if !offset.srcs.iter().all(stays) {
            continue;
        }
        // A number for all lanes was copied to a tile in front of all blocks.
        let source = |tile: &Tile| copies.get(&tile.base).filter(|source| source.shape == tile.shape).cloned();
        let offset = offset.clone();
        let found = match &mut code[at].0 {
            Inst::Atomic(atomic) => update_by_index(&mut atomic.access, offset),
            inst => has_regions && load_by_index(inst, offset, source),
        };
        if found && uses.take(reg) == 0 {
            needless.insert(maker);
        }
    }
    let mut at = 0;
    code.retain(|_| {
        at += 1;
        !needless.contains(&(at - 1))
    });
}

/// Lets a load go through indices instead of the pointers that are made of them; `false` if it cannot.
fn load_by_index(inst: &mut Inst, offset: Elementwise, source: impl Fn(&Tile) -> Option<Tile>) -> bool {
    let Inst::LoadPointers { access, padding, dst } = inst else { return false };
    // Vector code is fast for so many.
    if access.size != element_size(&offset) || offset.n < region::FEWEST {
        return false;
    }
    let load = IndexedLoad {
        offset,
        access: (**access).clone(),
        padding: padding.clone(),
        source_of_padding: padding.as_ref().map(|tile| source(tile).unwrap_or_else(|| tile.clone())),
        dst: *dst,
    };
    *inst = Inst::IndexedLoad(Box::new(load));
    true
}

/// Lets an atomic update go through indices; `false` if it cannot.
fn update_by_index(access: &mut PointerAccess, offset: Elementwise) -> bool {
    let [base, index] = &offset.srcs[..] else { return false };
    let is_in_order = index.elem == Elem::Num(Scalar::I32) && index.numel() == offset.n && index.is_contiguous();
    if access.size != element_size(&offset) || !is_in_order {
        return false;
    }
    (access.pointers, access.base) = (index.clone(), Some(base.clone()));
    true
}

/// The register that an instruction copies a tile to.
fn copy(inst: &Inst) -> Option<(VReg, Tile)> {
    if let Inst::Move { src, dst } = inst { Some((*dst, src.clone())) } else { None }
}

/// The pointers that an instruction makes, if it makes them of one address and an index for each.
fn pointers_of_one_address(inst: &Inst) -> Option<VReg> {
    let Inst::Elementwise(Elementwise { kernel, srcs, dst, .. }) = inst else { return None };
    let is_index = |elem: Elem| matches!(elem, Elem::Num(Scalar::I32 | Scalar::I64));
    let fits = matches!(kernel.imm.op, ElemOp::Offset(_)) && srcs[0].is_splat() && is_index(srcs[1].elem);
    fits.then_some(*dst)
}

/// Bytes from one element to the next of pointers that an instruction makes.
fn element_size(offset: &Elementwise) -> usize {
    if let ElemOp::Offset(size) = offset.kernel.imm.op { size as usize } else { 0 }
}

/// The pointers that an instruction goes through: an atomic update, or a load that orders nothing and copies bytes.
fn pointers_gone_through(inst: &Inst) -> Option<VReg> {
    let access = match inst {
        Inst::LoadPointers { access, .. } if access.order.semantics == MemoryOrderingSemantics::Weak && access.element != Scalar::I1 => {
            access
        }
        Inst::Atomic(atomic) => &atomic.access,
        _ => return None,
    };
    if let Base::Reg(reg) = access.pointers.base { Some(reg) } else { None }
}

/// Whether some of the instructions write what a tile is on.
fn is_written(code: &[(Inst, u32)], tile: &Tile) -> bool {
    let Base::Reg(reg) = tile.base else { return false };
    let mut found = false;
    code.iter().for_each(|(inst, _)| inst.for_each_write(|written| found |= written == reg));
    found
}
