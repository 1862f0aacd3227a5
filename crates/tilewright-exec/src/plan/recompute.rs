//! Values that are computed again where they are needed, and so are never written to a register.
//!
//! The rows of a normalisation are centred for the sum of squares, and after that for the result: a subtraction on what lies in the cache
//! anyway takes less time than to write a tile and to read it back. So a value that takes one cheap step from one tile is computed in each
//! sweep that reads it, if nothing else does and nothing between can change the tile.

use super::{
    Inst, Sweep, Tile, VReg,
    counts::{Counts, count_writes},
    inst::Elementwise,
    tile::Base,
};
use crate::{
    elem::Elem,
    hash::HashMap,
    kernels::{ElemOp, Imm},
};
use std::collections::hash_map::Entry;
use tilewright_ir::Scalar;

/// The most steps that are computed again for one value.
const MAX_STEPS: usize = 3;

/// A value that may be computed again.
struct Value {
    /// Where the code goes straight without changing memory, and the run of elementwise instructions there: both are numbered.
    straight: usize,
    run: usize,
    /// The register that it is computed from, if it is one.
    from: Option<VReg>,
    /// Steps from what lies in a register.
    steps: usize,
    /// Whether instructions of its run read it, and others.
    read_in_run: bool,
    read_later: bool,
}

/// Lets runs of elementwise instructions compute again what they would read from registers. `registers`: the bytes of each.
pub(crate) fn recompute(code: &mut Vec<(Inst, u32)>, registers: &mut Vec<usize>) {
    let values = find_values(code);
    if values.values().any(|value| value.read_later) {
        let mut again =
            Again { values, registers, made: HashMap::default(), copies: HashMap::default(), code: Vec::with_capacity(code.len()) };
        let mut place = Place::default();
        for (inst, site) in code.drain(..) {
            if place.enter(&inst) {
                again.copies.clear();
            }
            again.add(inst, site);
        }
        *code = again.code;
    }
}

/// Where one is in the code.
#[derive(Default)]
struct Place {
    straight: usize,
    run: usize,
    length: Option<usize>,
}

impl Place {
    /// Goes to an instruction; says whether it begins something new.
    fn enter(&mut self, inst: &Inst) -> bool {
        let length = inst.elementwise_length();
        let is_new = length.is_none() || length != self.length;
        self.run += usize::from(is_new);
        self.straight += usize::from(!inst.effects().leave_memory());
        self.length = length;
        is_new
    }
}

/// The values that may be computed again wherever they are read.
fn find_values(code: &[(Inst, u32)]) -> HashMap<VReg, Value> {
    let writes = count_writes(code);
    let mut values: HashMap<VReg, Value> = HashMap::default();
    let mut order = Vec::new();
    let mut place = Place::default();
    for (inst, _) in code {
        place.enter(inst);
        inst.for_each_read(|tile| note_reader(&mut values, inst, tile, &place));
        if let Inst::Elementwise(member) = inst
            && let Some(from) = one_cheap_step(member, &writes)
        {
            let from = if let Base::Reg(reg) = from.base { Some(reg) } else { None };
            let steps = 1 + from.and_then(|reg| values.get(&reg)).map_or(0, |value| value.steps);
            if steps <= MAX_STEPS {
                let (straight, run) = (place.straight, place.run);
                values.insert(member.dst, Value { straight, run, from, steps, read_in_run: false, read_later: false });
                order.push(member.dst);
            }
        }
    }
    // What computes a value again needs what that is computed from.
    for reg in order.iter().rev() {
        let from = values.get(reg).filter(|value| value.read_later).and_then(|value| value.from);
        if let Some(value) = from.and_then(|from| values.get_mut(&from)) {
            value.read_later = true;
        }
    }
    values
}

/// Notes who reads a value; it can not be computed again for one that does not read it element by element, or after memory may change.
fn note_reader(values: &mut HashMap<VReg, Value>, reader: &Inst, tile: &Tile, place: &Place) {
    if let Base::Reg(reg) = tile.base
        && let Entry::Occupied(mut entry) = values.entry(reg)
    {
        let value = entry.get_mut();
        let in_order = reader.elementwise_length() == Some(tile.numel()) && tile.is_contiguous();
        if !in_order || value.straight != place.straight {
            entry.remove();
        } else if value.run == place.run {
            value.read_in_run = true;
        } else {
            value.read_later = true;
        }
    }
}

/// The only tile that an instruction reads in full, if it computes so little of it that this may as well be done twice: what it reads is
/// written once, and so is still there later.
fn one_cheap_step<'a>(member: &'a Elementwise, writes: &Counts) -> Option<&'a Tile> {
    let is_cheap = is_cheap(&member.kernel.imm);
    let once = |reg: VReg| writes.of(reg) <= 1;
    let lasts = |tile: &Tile| if let Base::Reg(reg) = tile.base { once(reg) } else { true };
    let is_small = |tile: &Tile| tile.is_splat() || tile.is_column();
    if !is_cheap || member.n < Sweep::PIECE || !once(member.dst) || !member.srcs.iter().all(lasts) {
        return None;
    }
    let mut large = member.srcs.iter().filter(|tile| !is_small(tile));
    let first = large.next().filter(|tile| tile.is_contiguous() && tile.numel() == member.n)?;
    large.all(|tile| tile == first).then_some(first)
}

/// Whether an operation takes no longer than to write its result.
pub(super) fn is_cheap(imm: &Imm) -> bool {
    let is_narrow = imm.dst == Elem::Num(Scalar::F32) && imm.sources()[0].size() <= imm.dst.size();
    let one_instruction = matches!(
        imm.op,
        ElemOp::FToF(_) | ElemOp::AddF(..) | ElemOp::SubF(..) | ElemOp::MulF(..) | ElemOp::Fma(..) | ElemOp::NegF | ElemOp::AbsF
    );
    is_narrow && one_instruction
}

struct Again<'a> {
    values: HashMap<VReg, Value>,
    registers: &'a mut Vec<usize>,
    /// The instructions that made values which are read later.
    made: HashMap<VReg, Elementwise>,
    /// The values of this run that were computed again, with the registers that they have here.
    copies: HashMap<VReg, VReg>,
    code: Vec<(Inst, u32)>,
}

impl Again<'_> {
    fn add(&mut self, inst: Inst, site: u32) {
        let mut member = match inst {
            Inst::Elementwise(member) => member,
            Inst::IndexedLoad(mut load) => {
                load.for_each_operand(|tile| self.find_operand(tile, site));
                return self.code.push((Inst::IndexedLoad(load), site));
            }
            inst => return self.code.push((inst, site)),
        };
        if let Some(value) = self.values.get(&member.dst).filter(|value| value.read_later) {
            self.made.insert(member.dst, member.clone());
            if !value.read_in_run {
                return;
            }
            self.copies.insert(member.dst, member.dst);
        }
        self.find_operands(&mut member, site);
        self.code.push((Inst::Elementwise(member), site));
    }

    /// Lets an instruction read what its run computes, now if it has not yet.
    fn find_operands(&mut self, member: &mut Elementwise, site: u32) {
        member.srcs.iter_mut().for_each(|tile| self.find_operand(tile, site));
    }

    fn find_operand(&mut self, tile: &mut Tile, site: u32) {
        if let Base::Reg(reg) = tile.base {
            tile.base = Base::Reg(self.find(reg, site));
        }
    }

    /// The register in which this run has a value.
    fn find(&mut self, reg: VReg, site: u32) -> VReg {
        if let Some(copy) = self.copies.get(&reg) {
            return *copy;
        }
        let Some(mut member) = self.made.get(&reg).cloned() else { return reg };
        // As often as steps are computed again.
        self.find_operands(&mut member, site);
        member.dst = VReg(u32::try_from(self.registers.len()).expect("there are fewer than 2^32 values"));
        self.registers.push(self.registers[reg.index()]);
        self.copies.insert(reg, member.dst);
        let copy = member.dst;
        self.code.push((Inst::Elementwise(member), site));
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kernels::select, plan::ViewAccess};
    use tilewright_ir::RoundingMode;

    const F32: Elem = Elem::Num(Scalar::F32);
    const N: usize = Sweep::PIECE;

    fn tile(reg: u32) -> Tile {
        Tile::contiguous(F32, Base::Reg(VReg(reg)), &[N])
    }

    fn step_of(op: ElemOp, srcs: Vec<Tile>, dst: u32) -> Inst {
        let kernel = select(op, &vec![F32; srcs.len()], F32).unwrap();
        Inst::Elementwise(Elementwise { kernel, srcs, dst: VReg(dst), n: N, size: 4 })
    }

    /// A difference from the number in register 0.
    fn centre(src: u32, dst: u32) -> Inst {
        let number = Tile::splat(F32, Base::Reg(VReg(0)), &[N]);
        step_of(ElemOp::SubF(RoundingMode::NearestEven, false), vec![tile(src), number], dst)
    }

    fn multiply(lhs: u32, rhs: u32, dst: u32) -> Inst {
        step_of(ElemOp::MulF(RoundingMode::NearestEven, false), vec![tile(lhs), tile(rhs)], dst)
    }

    /// Something that ends a run and leaves memory alone.
    fn apart() -> Inst {
        Inst::Iota { dst: VReg(50), n: 1, size: 4 }
    }

    fn store(src: u32) -> Inst {
        let view = ViewAccess::of_f32(tile(51));
        Inst::Store { view: Box::new(view), src: tile(src) }
    }

    /// What the elementwise instructions read and write, in the new order; 100 is the first new register.
    fn recomputed<const COUNT: usize>(code: [Inst; COUNT]) -> Vec<Vec<u32>> {
        let mut code: Vec<(Inst, u32)> = code.into_iter().map(|inst| (inst, 0)).collect();
        recompute(&mut code, &mut vec![4 * N; 100]);
        let regs = |inst: &Inst| {
            let mut regs = Vec::new();
            inst.for_each_read(|tile| regs.extend(if let Base::Reg(reg) = tile.base { Some(reg.0) } else { None }));
            inst.for_each_write(|reg| regs.push(reg.0));
            regs
        };
        code.iter().filter(|(inst, _)| inst.elementwise_length().is_some()).map(|(inst, _)| regs(inst)).collect()
    }

    #[test]
    fn each_run_computes_what_it_reads() {
        let found = recomputed([centre(1, 2), multiply(2, 2, 3), apart(), multiply(2, 4, 5), multiply(2, 5, 6)]);
        assert_eq!(found, [vec![1, 0, 2], vec![2, 2, 3], vec![1, 0, 100], vec![100, 4, 5], vec![100, 5, 6]]);
        // Nothing is left where only a later run reads it.
        assert_eq!(recomputed([centre(1, 2), apart(), multiply(2, 4, 5)]), [vec![1, 0, 100], vec![100, 4, 5]]);
    }

    #[test]
    fn values_are_computed_from_where_they_begin() {
        let found = recomputed([centre(1, 2), centre(2, 3), multiply(3, 3, 4), apart(), multiply(3, 3, 5)]);
        assert_eq!(found, [vec![1, 0, 2], vec![2, 0, 3], vec![3, 3, 4], vec![1, 0, 100], vec![100, 0, 101], vec![101, 101, 5]]);
        let found = recomputed([centre(1, 2), apart(), centre(2, 3), multiply(3, 3, 4), apart(), multiply(3, 3, 5)]);
        let again = [vec![1, 0, 100], vec![100, 0, 3], vec![3, 3, 4], vec![1, 0, 101], vec![101, 0, 102], vec![102, 102, 5]];
        assert_eq!(found, again);
    }

    #[test]
    fn what_others_read_stays() {
        for between in [store(2), store(9), Inst::Label(1)] {
            let found = recomputed([centre(1, 2), multiply(2, 2, 3), between, multiply(2, 4, 5)]);
            assert_eq!(found, [vec![1, 0, 2], vec![2, 2, 3], vec![2, 4, 5]]);
        }
        // Two tiles are read, or what is read is written twice.
        assert_eq!(recomputed([multiply(1, 2, 3), apart(), multiply(3, 4, 5)]), [vec![1, 2, 3], vec![3, 4, 5]]);
        let found = recomputed([centre(1, 2), apart(), centre(3, 1), centre(4, 1), multiply(2, 4, 5)]);
        assert_eq!(found, [vec![1, 0, 2], vec![3, 0, 1], vec![4, 0, 1], vec![2, 4, 5]]);
    }
}
