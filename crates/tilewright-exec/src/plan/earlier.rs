//! Instructions that go earlier, so that elementwise ones of one length stand together and become one sweep: loads before those that they
//! do not need, elementwise ones behind those that compute what they read or before stores, and single numbers in front of longer tiles.

use super::{Inst, Sweep, Tile, VReg, ViewAccess, counts::Counts, fuse::MAX_STEPS, inst::Elementwise, tile::Base};
use crate::kernels::ElemOp;
use smallvec::SmallVec;
use tilewright_ir::MemoryOrderingSemantics;

/// How many instructions an elementwise one goes past at most.
const LOOK_BACK: usize = 64;

/// Moves what only brings values into registers before the elementwise instructions that it would part.
pub(crate) fn bring_forward(code: &mut [(Inst, u32)]) {
    for at in 0..code.len() {
        if may_go_first(&code[at].0) {
            let place = earlier_place(&code[..at], &code[at].0);
            code[place..=at].rotate_right(1);
        }
    }
}

/// Whether an instruction gives the same before elementwise ones that it shares no register with. These can not fail.
fn may_go_first(inst: &Inst) -> bool {
    match inst {
        Inst::Load { view, .. } => view.order.semantics == MemoryOrderingSemantics::Weak,
        Inst::Iota { .. } | Inst::BlockId(_) | Inst::GridSize(_) | Inst::ViewExtent { .. } => true,
        _ => false,
    }
}

/// The earliest place for an instruction behind which a run of elementwise instructions of one length begins that may follow it; the end
/// if there is none.
fn earlier_place(code: &[(Inst, u32)], inst: &Inst) -> usize {
    let mut place = code.len();
    for at in (code.len().saturating_sub(MAX_STEPS)..code.len()).rev() {
        let length = code[at].0.elementwise_length();
        if length.is_none() || !independent(&code[at].0, inst) {
            break;
        }
        if at.checked_sub(1).is_none_or(|before| code[before].0.elementwise_length() != length) {
            place = at;
        }
    }
    place
}

/// How many stores elementwise instructions go past at most.
const MOST_STORES: usize = 4;

/// Moves elementwise instructions before weak stores, to the run in front of these that reads or computes what they read, as where a second result is made of what a
/// first one was made of: one sweep computes both, and what they have in common once.
///
/// A sweep writes one result straight to a tile of several rows: for these, only what takes long is computed together.
pub(crate) fn compute_before_stores(code: &mut [(Inst, u32)]) {
    // What was moved past the stores that stand last.
    let mut moved: Vec<VReg> = Vec::new();
    for at in 0..code.len() {
        match place_before_stores(code, at, &moved) {
            Some((place, dst)) => {
                moved.push(dst);
                code[place..=at].rotate_right(1);
            }
            None if is_plain_store(&code[at].0) => {}
            None => moved.clear(),
        }
    }
}

/// Where an instruction goes that computes before stores, and what it computes.
fn place_before_stores(code: &[(Inst, u32)], at: usize, moved: &[VReg]) -> Option<(usize, VReg)> {
    let inst = &code[at].0;
    let Inst::Elementwise(member) = inst else { return None };
    let stores = code[..at].iter().rev().take(MOST_STORES + 1).take_while(|(inst, _)| is_plain_store(inst)).count();
    let (before, stores) = code[..at].split_at(at - stores);
    if stores.is_empty() || stores.len() > MOST_STORES || !stores.iter().all(|(store, _)| independent(store, inst)) {
        return None;
    }
    let run = before.iter().rev().map_while(|(inst, _)| match inst {
        Inst::Elementwise(other) if other.n == member.n || other.n == 1 || member.n == 1 => Some(other),
        _ => None,
    });
    let run: SmallVec<[&Elementwise; 16]> = run.take(MAX_STEPS).collect();
    let have_rows = stores.iter().all(|(store, _)| matches!(store, Inst::Store { view, .. } if is_row(view)));
    let goes_on = member.srcs.iter().any(|tile| matches!(tile.base, Base::Reg(reg) if moved.contains(&reg)));
    let is_alike = |other: &&Elementwise| if have_rows { share(other, member) } else { take_long_alike(other, member) };
    let joins = run.len() < MAX_STEPS && (member.n == 1 || goes_on || run.iter().any(is_alike));
    joins.then_some((before.len(), member.dst))
}

fn is_plain_store(inst: &Inst) -> bool {
    matches!(inst, Inst::Store { .. }) && inst.effects().is_weak_store()
}

fn is_row(view: &ViewAccess) -> bool {
    view.tile.iter().filter(|extent| **extent > 1).count() <= 1
}

/// Whether an instruction reads a register that another one reads or writes.
fn share(other: &Elementwise, member: &Elementwise) -> bool {
    let is_there = |reg: VReg| other.dst == reg || other.srcs.iter().any(|tile| tile.base == Base::Reg(reg));
    member.n > 1 && member.srcs.iter().any(|tile| matches!(tile.base, Base::Reg(reg) if is_there(reg)))
}

/// Whether two instructions begin with the same long computation: parts of a division, or functions of the same number.
fn take_long_alike(other: &Elementwise, member: &Elementwise) -> bool {
    use ElemOp::{DivI, RemI};
    let is_division = |inst: &Elementwise| matches!(inst.kernel.imm.op, DivI(..) | RemI(_));
    let takes_long = |inst: &Elementwise| is_division(inst) || tilewright_vector::lower::is_function(inst.kernel.imm.op);
    member.n > 1 && takes_long(other) && takes_long(member) && other.srcs == member.srcs
}

/// Moves elementwise instructions behind the run that computes what they read, where that saves writing it to a register and reading it back.
pub(crate) fn join_runs(code: &mut [(Inst, u32)]) {
    let (reads, mut barriers) = survey(code);
    for at in 0..code.len() {
        let (before, inst) = (&code[..at], &code[at].0);
        if inst.elementwise_length().is_none() {
            continue;
        }
        let stop = last_in_the_way(before, &barriers, inst);
        let place = place_of_number(before, inst, stop)
            .or_else(|| place_before_longer(code, at, stop))
            .or_else(|| place_behind_operands(before, inst, stop?, &reads));
        if let Some(place) = place {
            code[place..=at].rotate_right(1);
            barriers[place..=at].rotate_right(1);
        }
    }
}

/// What of an instruction keeps others from going past it.
#[derive(Clone, Copy)]
struct Barrier {
    ends_straight_code: bool,
    /// Registers that it reads, and that it writes: a bit for all whose numbers have the same remainder. Sets that share no bit share no register.
    reads: u64,
    writes: u64,
}

impl Barrier {
    const fn bit(reg: VReg) -> u64 {
        1 << (reg.0 % u64::BITS)
    }

    /// Whether two instructions share no register that one of them writes, as far as the bits say.
    const fn is_apart_from(self, other: Barrier) -> bool {
        self.writes & (other.reads | other.writes) == 0 && other.writes & self.reads == 0
    }
}

/// Goes over code once: how often what is read, and, for each instruction, what keeps others from going past it.
fn survey(code: &[(Inst, u32)]) -> (Reads, Vec<Barrier>) {
    let (mut reads, mut barriers) = (Reads::default(), Vec::with_capacity(code.len()));
    for (inst, _) in code {
        let mut barrier = Barrier { ends_straight_code: inst.effects().end_straight_code(), reads: 0, writes: 0 };
        inst.for_each_read(|tile| {
            if let Base::Reg(reg) = tile.base {
                barrier.reads |= Barrier::bit(reg);
                reads.add(inst, reg);
            }
        });
        inst.for_each_write(|reg| barrier.writes |= Barrier::bit(reg));
        barriers.push(barrier);
    }
    (reads, barriers)
}

/// The last instruction that another one, which would follow them all, cannot go past, if it is near enough to look for.
fn last_in_the_way(code: &[(Inst, u32)], barriers: &[Barrier], inst: &Inst) -> Option<usize> {
    let own = barriers[code.len()];
    let stops = |at: &usize| {
        let barrier = barriers[*at];
        barrier.ends_straight_code || !barrier.is_apart_from(own) && !independent(&code[*at].0, inst)
    };
    (0..code.len()).rev().take(LOOK_BACK).find(stops)
}

/// Where an instruction that computes a single number parts no run of longer ones: behind the first numbers that it may follow, or else in front of
/// all that it does not need; none if nothing longer stands in between. `stop`: the last instruction that it cannot go past.
fn place_of_number(code: &[(Inst, u32)], inst: &Inst, stop: Option<usize>) -> Option<usize> {
    let length = |at: usize| code.get(at).and_then(|(inst, _)| inst.elementwise_length());
    let is_longer = |at: &usize| length(*at).is_some_and(|n| n > 1);
    if inst.elementwise_length() != Some(1) {
        return None;
    }
    let free = stop.map_or(0, |at| at + 1).max(code.len().saturating_sub(LOOK_BACK));
    let place = (free.max(1)..code.len()).find(|at| length(at - 1) == Some(1) && length(*at) != Some(1)).unwrap_or(free);
    let parts_a_run = place > 0 && is_longer(&(place - 1)) && length(place - 1) == length(place);
    (!parts_a_run && (place..code.len()).any(|at| is_longer(&at))).then_some(place)
}

/// Where an instruction that computes a row or a column parts no run of longer ones that go on behind it, and that it does not need: in front of these.
fn place_before_longer(code: &[(Inst, u32)], at: usize, stop: Option<usize>) -> Option<usize> {
    let length = |(inst, _): &(Inst, u32)| inst.elementwise_length();
    let own = length(&code[at])?;
    // Other short ones may stand between.
    let behind = code[at + 1..].iter().take(LOOK_BACK).map_while(length).find(|length| *length > own)?;
    let run = code[..at].iter().rev().take(LOOK_BACK).take_while(|before| length(before) == Some(behind)).count();
    let place = at - run;
    (run > 0 && stop.is_none_or(|stop| stop < place)).then_some(place)
}

/// How often each register is read, in all and by what.
#[derive(Default)]
struct Reads {
    all: Counts,
    elementwise: Counts,
    /// By reductions of rows: sweeps that compute the rows begin these, and so need not write them.
    reductions: Counts,
    stores: Counts,
}

impl Reads {
    /// Counts that an instruction reads a register.
    fn add(&mut self, reader: &Inst, reg: VReg) {
        self.all.add(reg);
        match reader {
            Inst::Elementwise(_) => self.elementwise.add(reg),
            Inst::FoldRows(_) => self.reductions.add(reg),
            Inst::Store { .. } => self.stores.add(reg),
            _ => {}
        }
    }
}

/// The end of the last run that computes what an elementwise instruction reads, if nothing behind that stands in its way and it is better
/// off there. `last`: the last instruction that it cannot go past.
fn place_behind_operands(code: &[(Inst, u32)], inst: &Inst, last: usize, reads: &Reads) -> Option<usize> {
    let Inst::Elementwise(member) = inst else { return None };
    let in_run = |at: usize| code[at].0.elementwise_length() == Some(member.n);
    if !in_run(last) {
        return None;
    }
    let end = (last..code.len()).find(|at| !in_run(*at))?;
    let start = (0..last).rev().find(|at| !in_run(*at)).map_or(0, |before| before + 1);
    (end - start < MAX_STEPS && gains(&code[start..end], member, reads)).then_some(end)
}

/// Whether less is written and read if an instruction joins a run that computes what it reads.
fn gains(run: &[(Inst, u32)], member: &Elementwise, reads: &Reads) -> bool {
    let computed = |tile: &&Tile| matches!(tile.base, Base::Reg(reg) if run.iter().any(|(inst, _)| writes(inst, reg)));
    let (operands, others): (Vec<&Tile>, Vec<&Tile>) = member.srcs.iter().partition(computed);
    if !operands.iter().all(|tile| tile.is_contiguous() && tile.numel() == member.n) {
        return false;
    }
    // Short tiles lie in the nearest cache: a sweep less is a gain.
    if member.n < Sweep::PIECE {
        return true;
    }
    let is_small = |tile: &&Tile| tile.is_splat() || tile.is_column();
    let in_run = Counts::of_reads(run.iter().map(|(inst, _)| inst));
    let own = |reg| member.srcs.iter().filter(|tile| tile.base == Base::Reg(reg)).count();
    let is_last_reader =
        |tile: &&Tile| matches!(tile.base, Base::Reg(reg) if reads.all.of(reg) == in_run.of(reg) + own(reg) + reads.reductions.of(reg));
    // What is read by further sweeps shall not become wider; what is stored is so by the sweep before the store.
    let is_narrow = operands.iter().any(|tile| member.size <= tile.elem.size()) || reads.elementwise.of(member.dst) == 0;
    others.iter().all(is_small) && operands.iter().all(is_last_reader) && is_narrow && reads.stores.of(member.dst) == 0
}

fn writes(inst: &Inst, reg: VReg) -> bool {
    let mut found = false;
    inst.for_each_write(|written| found |= written == reg);
    found
}

/// Whether neither of two instructions writes what the other one reads or writes.
fn independent(a: &Inst, b: &Inst) -> bool {
    let mut free = true;
    for (writer, other) in [(a, b), (b, a)] {
        writer.for_each_write(|reg| {
            other.for_each_read(|tile| free &= tile.base != Base::Reg(reg));
            other.for_each_write(|written| free &= written != reg);
        });
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::{ElemOp, select},
        plan::{Extent, Order, Readers, Tile, VReg, ViewAccess, inst::Elementwise},
    };
    use tilewright_ir::Scalar;

    const F32: Elem = Elem::Num(Scalar::F32);

    fn step(src: u32, dst: u32, n: usize) -> Inst {
        let src = Tile::contiguous(F32, Base::Reg(VReg(src)), &[n]);
        Inst::Elementwise(Elementwise { kernel: select(ElemOp::NegF, &[F32], F32).unwrap(), srcs: vec![src], dst: VReg(dst), n, size: 4 })
    }

    /// A load to a register from a place that another one says.
    fn load(place: u32, dst: u32, semantics: MemoryOrderingSemantics) -> Inst {
        let base = Tile::contiguous(F32, Base::Reg(VReg(place)), &[]);
        let order = Order { semantics, scope: None };
        let view = ViewAccess { order, ..ViewAccess::of_f32(base) };
        Inst::Load { view: Box::new(view), dst: VReg(dst), readers: Readers::Any, past_stores: false }
    }

    /// The first register that each instruction writes, in the new order.
    fn ordered<const N: usize>(code: [Inst; N]) -> Vec<u32> {
        let first = |(inst, _): &(Inst, u32)| {
            let mut written = Vec::new();
            inst.for_each_write(|reg| written.push(reg.0));
            written[0]
        };
        let mut code = code.map(|inst| (inst, 0));
        bring_forward(&mut code);
        code.iter().map(first).collect()
    }

    const WEAK: MemoryOrderingSemantics = MemoryOrderingSemantics::Weak;

    #[test]
    fn loads_go_before_a_run() {
        assert_eq!(ordered([step(0, 1, 8), load(9, 2, WEAK), step(1, 3, 8)]), [2, 1, 3]);
        assert_eq!(ordered([step(0, 1, 1), step(0, 2, 8), load(1, 3, WEAK), step(2, 4, 8)]), [1, 3, 2, 4]);
        let extent = Inst::ViewExtent { extent: Extent::Static(4), step: 1, dst: VReg(5), size: 4 };
        assert_eq!(ordered([load(9, 2, WEAK), step(0, 1, 8), extent]), [2, 5, 1]);
    }

    #[test]
    fn what_they_need_stays_before_them() {
        assert_eq!(ordered([step(0, 1, 1), load(1, 2, WEAK)]), [1, 2]);
        // A run is not parted.
        assert_eq!(ordered([step(0, 1, 1), step(0, 3, 1), load(1, 2, WEAK)]), [1, 3, 2]);
        assert_eq!(ordered([step(2, 1, 8), load(9, 2, WEAK)]), [1, 2]);
        assert_eq!(ordered([step(0, 2, 8), load(9, 2, WEAK)]), [2, 2]);
        assert_eq!(ordered([step(0, 1, 8), load(9, 2, MemoryOrderingSemantics::Acquire)]), [1, 2]);
    }

    /// An elementwise instruction on so many elements of a register, and of another one.
    fn sum(srcs: [u32; 2], dst: u32, n: usize) -> Inst {
        let kernel = select(ElemOp::AddF(tilewright_ir::RoundingMode::NearestEven, false), &[F32; 2], F32).unwrap();
        let srcs = srcs.map(|src| Tile::contiguous(F32, Base::Reg(VReg(src)), &[n])).to_vec();
        Inst::Elementwise(Elementwise { kernel, srcs, dst: VReg(dst), n, size: 4 })
    }

    /// The registers that the instructions write, in the order of joined runs.
    fn joined<const N: usize>(code: [Inst; N]) -> [u32; N] {
        let mut code = code.map(|inst| (inst, 0));
        join_runs(&mut code);
        code.map(|(inst, _)| {
            let mut written = VReg(0);
            inst.for_each_write(|reg| written = reg);
            written.0
        })
    }

    #[test]
    fn what_reads_a_run_joins_it() {
        let iota = |dst| Inst::Iota { dst: VReg(dst), n: 1, size: 4 };
        assert_eq!(joined([step(0, 1, 8), iota(9), step(1, 3, 8)]), [1, 3, 9]);
        assert_eq!(joined([step(0, 1, 8), iota(9), sum([1, 9], 3, 8)]), [1, 9, 3]);
        // Registers whose numbers have the same remainder are different ones.
        assert_eq!(joined([step(0, 1, 8), iota(1 + 64), step(1, 3, 8)]), [1, 3, 65]);
        assert_eq!(joined([step(0, 1, 8), iota(3 + 64), step(1, 3, 8)]), [1, 3, 67]);
    }

    #[test]
    fn rows_part_no_runs_of_longer_tiles() {
        assert_eq!(joined([step(0, 1, 64), step(9, 2, 8), step(8, 3, 64)]), [2, 1, 3]);
        // Two of them, and one that needs a number of the run.
        assert_eq!(joined([step(0, 1, 64), step(9, 2, 8), step(2, 4, 8), step(8, 3, 64)]), [2, 4, 1, 3]);
        assert_eq!(joined([step(0, 1, 64), step(1, 2, 8), step(8, 3, 64)]), [1, 2, 3]);
        // Nothing goes on behind it.
        assert_eq!(joined([step(0, 1, 64), step(9, 2, 8), step(2, 3, 8)]), [1, 2, 3]);
    }

    #[test]
    fn numbers_part_no_runs() {
        assert_eq!(joined([step(0, 1, 8), step(9, 2, 1), step(1, 3, 8)]), [2, 1, 3]);
        assert_eq!(joined([step(0, 1, 8), step(1, 2, 1), step(9, 3, 8)]), [1, 2, 3]);
    }
}
