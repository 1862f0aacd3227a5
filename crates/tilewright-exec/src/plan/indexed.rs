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
//! An atomic update goes through its indices if they lie in order as `i32`: half of the bytes, and bounds that are found eight at a time. Those that
//! were shorter numbers are extended to `i32` instead of `i64` for it.

use super::{
    Base, Draft, IndexedLoad, Inst, PointerAccess, Tile, VReg,
    counts::{count_uses, count_writes},
    inst::Elementwise,
    region,
};
use crate::{
    TargetMachine,
    elem::Elem,
    hash::{HashMap, HashSet},
    kernels::{ElemOp, select_at},
};
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

/// How many instructions may stand between what makes pointers and the load.
const LOOK_BACK: usize = 64;

/// Finds them.
pub(super) fn find(draft: &mut Draft) {
    let machine = draft.machine;
    let (code, registers) = (&mut draft.code, &mut draft.registers);
    let (mut uses, writes) = (count_uses(code), count_writes(code));
    let copies: HashMap<VReg, Tile> = draft.prologue.iter().filter_map(copy).collect();
    let copies: HashMap<Base, Tile> =
        draft.prologue_places.iter().filter_map(|(reg, offset)| Some((Base::Const(*offset), copies.get(reg)?.clone()))).collect();
    let (mut makers, mut extensions): (HashMap<VReg, usize>, HashMap<VReg, usize>) = Default::default();
    let mut needless = HashSet::default();
    for at in 0..code.len() {
        if code[at].0.effects().end_straight_code() {
            makers.clear();
            extensions.clear();
            continue;
        }
        if let Some(pointers) = pointers_of_one_address(&code[at].0).filter(|reg| writes.of(*reg) == 1) {
            makers.insert(pointers, at);
        }
        if let Some(extended) = extended_to_64_bits(&code[at].0).filter(|reg| writes.of(*reg) == 1) {
            extensions.insert(extended, at);
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
        // The pointers are needless then, and what extends their indices has room in their place.
        let short = if uses.of(reg) == 1 { short_indices(&offset, &extensions, &code[..at]) } else { None };
        let (found, extension) = match &mut code[at].0 {
            Inst::Atomic(atomic) => {
                let extension = short.and_then(|short| in_32_bits(short, offset.n, registers, &machine));
                let index = extension.as_ref().map_or_else(|| offset.srcs[1].clone(), |extension| indices_of(extension, &atomic.access));
                (update_by_index(&mut atomic.access, &offset, index), extension)
            }
            inst => (machine.has_regions() && load_by_index(inst, offset, source), None),
        };
        if found && uses.take(reg) == 0 {
            match extension {
                Some(extension) => code[maker].0 = Inst::Elementwise(extension),
                None => _ = needless.insert(maker),
            }
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
    if access.size != element_size(&offset) || offset.n < region::FEWEST || !is_index(offset.srcs[1].elem) {
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

/// Lets an atomic update go through indices instead of the pointers that are made of them; `false` if it cannot.
fn update_by_index(access: &mut PointerAccess, offset: &Elementwise, index: Tile) -> bool {
    let is_in_order = index.elem == Elem::Num(Scalar::I32) && index.numel() == offset.n && index.is_contiguous();
    if access.size != element_size(offset) || !is_in_order {
        return false;
    }
    (access.pointers, access.base) = (index, Some(offset.srcs[0].clone()));
    true
}

/// What an extension gives, in the shape of the pointers of an access.
fn indices_of(extension: &Elementwise, access: &PointerAccess) -> Tile {
    Tile::contiguous(Elem::Num(Scalar::I32), Base::Reg(extension.dst), &access.pointers.shape)
}

/// The register of indices of 64 bits that an instruction makes of numbers of 8 or 16 bits.
fn extended_to_64_bits(inst: &Inst) -> Option<VReg> {
    let Inst::Elementwise(Elementwise { kernel, srcs, dst, size: 8, .. }) = inst else { return None };
    (is_short(srcs[0].elem) && matches!(kernel.imm.op, ElemOp::ExtI(_))).then_some(*dst)
}

/// The numbers of 8 or 16 bits that indices of pointers are, and whether these have signs, if they are still there.
fn short_indices(offset: &Elementwise, extensions: &HashMap<VReg, usize>, before: &[(Inst, u32)]) -> Option<(Tile, bool)> {
    let index = &offset.srcs[1];
    if !index.is_contiguous() || index.numel() != offset.n {
        return None;
    }
    if is_short(index.elem) {
        return Some((index.clone(), true));
    }
    let Base::Reg(reg) = index.base else { return None };
    let at = *extensions.get(&reg)?;
    let Inst::Elementwise(Elementwise { kernel, srcs, n, .. }) = &before[at].0 else { return None };
    let ElemOp::ExtI(signed) = kernel.imm.op else { return None };
    let stays = *n == offset.n && before.len() - at <= LOOK_BACK && !is_written(&before[at..], &srcs[0]);
    stays.then(|| (srcs[0].clone(), signed))
}

/// What extends short numbers to 32 bits, in a register of its own.
fn in_32_bits((short, signed): (Tile, bool), n: usize, registers: &mut Vec<usize>, machine: &TargetMachine) -> Option<Elementwise> {
    let kernel = select_at(machine.level(), ElemOp::ExtI(signed), &[short.elem], Elem::Num(Scalar::I32))?;
    let dst = VReg(u32::try_from(registers.len()).expect("there are fewer than 2^32 values"));
    registers.push(4 * n);
    Some(Elementwise { kernel, srcs: vec![short], dst, n, size: 4 })
}

fn is_short(elem: Elem) -> bool {
    matches!(elem, Elem::Num(Scalar::I8 | Scalar::I16))
}

/// The register that an instruction copies a tile to.
fn copy(inst: &Inst) -> Option<(VReg, Tile)> {
    if let Inst::Move { src, dst } = inst { Some((*dst, src.clone())) } else { None }
}

/// The pointers that an instruction makes, if it makes them of one address and an index for each.
fn pointers_of_one_address(inst: &Inst) -> Option<VReg> {
    let Inst::Elementwise(Elementwise { kernel, srcs, dst, .. }) = inst else { return None };
    (matches!(kernel.imm.op, ElemOp::Offset(_)) && srcs[0].is_splat()).then_some(*dst)
}

/// Whether vector code gathers with indices of this type.
fn is_index(elem: Elem) -> bool {
    matches!(elem, Elem::Num(Scalar::I32 | Scalar::I64))
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
