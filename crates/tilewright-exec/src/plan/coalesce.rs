//! Coalescing: what goes straight into a carried register is computed there.
//!
//! `acc = mma(a, b, acc)` and `acc = acc + x` in a loop are lowered to an instruction with a register of its own and a move to the register
//! that carries `acc`. Where nothing needs the old value in between, the carrying register is written at once, and nothing is copied; what is
//! stored besides, as states are, is stored from there. Sweeps do so as vector code, which reads each element before it writes it. What scales
//! the sums before more products are added to them, as in attention, writes them in place, too; and a reduction of columns that is only combined
//! with such sums does so itself.

use super::{Inst, Src, Step, SweepInput, Tile, VReg, counts::Counts, tile::Base};

/// Lets products and sweeps write to where their results are moved. `registers`: the bytes of each.
pub(crate) fn coalesce(code: &mut Vec<(Inst, u32)>, registers: &[usize]) {
    let places = Places::new(code, registers.len());
    let uses = &places.uses;
    let mut gone = vec![false; code.len()];
    for at in 0..code.len() {
        for (result, moved) in places.moves_of_results(code, at, uses) {
            let Inst::Move { dst: carrier, .. } = code[moved].0 else { unreachable!("moves are noted as such") };
            let is_whole = registers[result.index()] == registers[carrier.index()];
            gone[moved] = is_whole && write_to(&mut code[at].0, result, carrier);
            if gone[moved] {
                code[at + 1..moved].iter_mut().filter_map(|(inst, _)| stored_mut(inst)).for_each(|tile| {
                    if tile.base == Base::Reg(result) {
                        tile.base = Base::Reg(carrier);
                    }
                });
            }
        }
    }
    for at in 0..code.len() {
        if let Some((writer, sums, carrier)) = places.sums_of_product(code, at, uses)
            && registers[sums.index()] == registers[carrier.index()]
            && write_to(&mut code[writer].0, sums, carrier)
            && let Inst::Matmul(product) = &mut code[at].0
        {
            product.acc.base = Base::Reg(carrier);
        }
    }
    for at in 0..code.len() {
        if let Some((sweep, sums)) = places.sums_of_columns(code, at, uses)
            && let Inst::FoldColumns(fold) = &mut code[at].0
        {
            fold.sums = Some(sums);
            gone[sweep] = true;
        }
    }
    let mut gone = gone.into_iter();
    code.retain(|_| !gone.next().unwrap_or(false));
}

/// Lets an instruction write a result to a register that it reads as it is written at most; `false`, and nothing was done, if it cannot.
fn write_to(inst: &mut Inst, result: VReg, carrier: VReg) -> bool {
    match inst {
        Inst::Matmul(product) => {
            // A splat is read by every element, so it must not be overwritten by the first.
            let mut factors = [&product.lhs, &product.rhs].into_iter().chain(product.scales.iter().flatten());
            let free = factors.all(|tile| tile.base != Base::Reg(carrier));
            let in_place = product.acc.base != Base::Reg(carrier) || product.acc.is_contiguous();
            if free && in_place {
                product.dst = carrier;
            }
            free && in_place
        }
        Inst::Sweep(sweep) => sweep.write_to(result, carrier),
        _ => false,
    }
}

/// The tile that an instruction stores.
fn stored_mut(inst: &mut Inst) -> Option<&mut Tile> {
    match inst {
        Inst::Store { src, .. } | Inst::StorePointers { src, .. } => Some(src),
        _ => None,
    }
}

/// Whether an instruction reads a register as the tile that it stores, and in no other way.
fn only_stores(inst: &Inst, reg: VReg) -> bool {
    let mut reads = 0;
    inst.for_each_read(|tile| reads += usize::from(tile.base == Base::Reg(reg)));
    reads == 1 && matches!(inst, Inst::Store { src, .. } | Inst::StorePointers { src, .. } if src.base == Base::Reg(reg))
}

/// Where things are in the code, so that nothing is looked for from place to place.
struct Places {
    /// By register: the last move of it as a whole.
    moves: Vec<Option<usize>>,
    /// How often each register is read.
    uses: Counts,
    /// The instructions that read or write registers, register by register, in order.
    touched: Vec<usize>,
    /// Where those of each register end in `touched`, which is where those of the next begin.
    ends_of_touched: Vec<usize>,
    /// For each instruction: how many before it end straight code.
    ends: Vec<usize>,
}

impl Places {
    fn new(code: &[(Inst, u32)], registers: usize) -> Places {
        let (mut moves, mut uses) = (vec![None; registers], Counts::default());
        let (mut straight, mut ends) = (Vec::with_capacity(code.len()), 0);
        let mut touches: Vec<(VReg, usize)> = Vec::with_capacity(4 * code.len());
        for (at, (inst, _)) in code.iter().enumerate() {
            straight.push(ends);
            ends += usize::from(inst.effects().end_straight_code());
            if let Inst::Move { src, .. } = inst
                && let Base::Reg(reg) = src.base
                && src.is_contiguous()
            {
                moves[reg.index()] = Some(at);
            }
            inst.for_each_read(|tile| {
                if let Base::Reg(reg) = tile.base {
                    touches.push((reg, at));
                    uses.add(reg);
                }
            });
            inst.for_each_write(|reg| touches.push((reg, at)));
        }
        let (touched, ends_of_touched) = by_register(&touches, registers);
        Places { moves, uses, touched, ends_of_touched, ends: straight }
    }

    /// The instructions that read or write a register, in order.
    fn touched(&self, reg: VReg) -> &[usize] {
        let start = reg.index().checked_sub(1).map_or(0, |before| self.ends_of_touched[before]);
        &self.touched[start..self.ends_of_touched[reg.index()]]
    }

    /// The only two instructions that read or write a register, if there are two.
    fn both_touched(&self, reg: VReg) -> Option<[usize; 2]> {
        self.touched(reg).try_into().ok()
    }

    /// The results of an instruction that a move is the only use of, but for stores before it, and that may as well be written to where that goes, with these
    /// moves.
    fn moves_of_results(&self, code: &[(Inst, u32)], at: usize, uses: &Counts) -> Vec<(VReg, usize)> {
        let mut found = Vec::new();
        if matches!(code[at].0, Inst::Matmul(_) | Inst::Sweep(_)) {
            code[at].0.for_each_write(|result| found.extend(self.find_move(code, at, result, uses).map(|moved| (result, moved))));
        }
        found
    }

    fn find_move(&self, code: &[(Inst, u32)], at: usize, result: VReg, uses: &Counts) -> Option<usize> {
        let moved = self.moves[result.index()]?;
        let Inst::Move { dst: carrier, .. } = code[moved].0 else { return None };
        let straight = moved > at && self.ends[moved] == self.ends[at];
        let is_free = straight && !self.is_touched(carrier, at + 1, moved);
        (is_free && (uses.of(result) == 1 || self.is_only_stored(code, result, at, moved))).then_some(moved)
    }

    /// Whether nothing but stores reads a register between the instruction that writes it and the move that reads it, and nothing behind that.
    fn is_only_stored(&self, code: &[(Inst, u32)], reg: VReg, at: usize, moved: usize) -> bool {
        let is_one = |place: usize| [at, moved].contains(&place) || at < place && place < moved && only_stores(&code[place].0, reg);
        self.touched(reg).iter().copied().all(is_one)
    }

    /// For a product that writes a register: the sweep that computes what it adds to of what was in that register, the register that the
    /// sweep writes, and the other one. Nothing else needs either in between.
    fn sums_of_product(&self, code: &[(Inst, u32)], at: usize, uses: &Counts) -> Option<(usize, VReg, VReg)> {
        let Inst::Matmul(product) = &code[at].0 else { return None };
        let (Base::Reg(sums), carrier) = (product.acc.base, product.dst) else { return None };
        let [writer, _] = self.both_touched(sums)?;
        let Inst::Sweep(sweep) = &code[writer].0 else { return None };
        let reads_carrier = sweep.inputs.iter().any(|input| input.tile().base == Base::Reg(carrier));
        let straight = writer < at && self.ends[writer] == self.ends[at] && !self.is_touched(carrier, writer + 1, at);
        (reads_carrier && straight && product.acc.is_contiguous() && uses.of(sums) == 1).then_some((writer, sums, carrier))
    }

    /// For a reduction of columns: the sweep that does nothing but combine what comes out with sums, as the reduction combines elements, and where
    /// these are. Nothing else needs either in between.
    fn sums_of_columns(&self, code: &[(Inst, u32)], at: usize, uses: &Counts) -> Option<(usize, VReg)> {
        let Inst::FoldColumns(fold) = &code[at].0 else { return None };
        let [writer, reader] = self.both_touched(fold.dst)?;
        let Inst::Sweep(sweep) = &code[reader].0 else { return None };
        let ([Step { kernel, srcs, dst: Src::Reg(sums, _) }], []) = (&sweep.steps[..], &sweep.folds[..]) else { return None };
        let reads = |reg: VReg| {
            let is_there = |tile: &Tile| tile.base == Base::Reg(reg) && tile.numel() == sweep.n;
            sweep.inputs.iter().any(|input| matches!(input, SweepInput::Direct { tile } if is_there(tile)))
        };
        let same = kernel.imm.op == fold.combine.imm.op && kernel.imm.dst == fold.src.elem && sweep.n == fold.src.shape[1];
        let combines = srcs.len() == 2 && srcs[0] != srcs[1] && sweep.inputs.len() == 2 && reads(*sums) && reads(fold.dst);
        let straight = writer == at && reader > at && self.ends[reader] == self.ends[at] && !self.is_touched(*sums, at + 1, reader);
        (same && combines && straight && uses.of(fold.dst) == 1).then_some((reader, *sums))
    }

    /// Whether an instruction from `start` to before `end` reads or writes a register.
    fn is_touched(&self, reg: VReg, start: usize, end: usize) -> bool {
        let touched = self.touched(reg);
        let next = touched.partition_point(|at| *at < start);
        touched.get(next).is_some_and(|at| *at < end)
    }
}

/// The instructions that touch registers, in order for each register, and where those of each end.
fn by_register(touches: &[(VReg, usize)], registers: usize) -> (Vec<usize>, Vec<usize>) {
    // For each register first how many there are, then where they begin, and in the end, when all have their places, where they end.
    let mut places = vec![0; registers];
    touches.iter().for_each(|(reg, _)| places[reg.index()] += 1);
    let mut start = 0;
    for place in &mut places {
        start += std::mem::replace(place, start);
    }
    let mut ordered = vec![0; touches.len()];
    for (reg, at) in touches {
        ordered[places[reg.index()]] = *at;
        places[reg.index()] += 1;
    }
    (ordered, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        TargetMachine,
        elem::Elem,
        kernels::{
            ElemOp,
            mma::{MatmulKind, Shape},
            select,
        },
        plan::{Matmul, Sweep, ViewAccess},
    };
    use tilewright_ir::{RoundingMode, Scalar};

    fn tile(reg: u32) -> Tile {
        Tile::contiguous(Elem::Num(Scalar::F64), Base::Reg(VReg(reg)), &[4, 4])
    }

    fn product(lhs: u32, acc: u32, dst: u32) -> (Inst, u32) {
        let (lhs, rhs, acc, dst) = (tile(lhs), tile(9), tile(acc), VReg(dst));
        (
            Inst::Matmul(Box::new(Matmul {
                kind: MatmulKind::F64,
                batch: 1,
                shape: Shape { m: 4, n: 4, k: 4 },
                lhs,
                rhs,
                acc,
                scales: None,
                deferred: None,
                dst,
            })),
            0,
        )
    }

    fn moved(src: u32, dst: u32) -> (Inst, u32) {
        (Inst::Move { src: tile(src), dst: VReg(dst) }, 0)
    }

    /// How many instructions are left.
    fn left(mut code: Vec<(Inst, u32)>) -> usize {
        coalesce(&mut code, &[128; 10]);
        code.len()
    }

    #[test]
    fn products_are_summed_in_the_carrying_register() {
        assert_eq!(left(vec![product(1, 0, 2), moved(2, 0)]), 1);
        assert_eq!(left(vec![product(1, 5, 2), moved(7, 6), moved(2, 0)]), 2);
    }

    fn stored(src: u32) -> (Inst, u32) {
        let base = Tile::contiguous(Elem::Ptr, Base::Const(0), &[]);
        (Inst::Store { view: Box::new(ViewAccess::of_f32(base)), src: tile(src) }, 0)
    }

    #[test]
    fn what_is_stored_besides_is_stored_from_the_carrying_register() {
        let mut code = vec![product(1, 0, 2), stored(2), moved(2, 0)];
        coalesce(&mut code, &[128; 10]);
        assert!(matches!(&code[..], [_, (Inst::Store { src, .. }, _)] if src.base == Base::Reg(VReg(0))), "{code:?}");
        // The old value is stored, or the result is stored where it may not have been moved.
        assert_eq!(left(vec![product(1, 0, 2), stored(0), moved(2, 0)]), 3);
        assert_eq!(left(vec![product(1, 0, 2), moved(2, 0), stored(2)]), 3);
        assert_eq!(left(vec![product(1, 0, 2), stored(2), (Inst::Label(1), 0), moved(2, 0)]), 4);
    }

    #[test]
    fn what_is_still_needed_is_not_overwritten() {
        // The carrier is a factor.
        assert_eq!(left(vec![product(0, 5, 2), moved(2, 0)]), 2);
        // The old value is read or replaced in between.
        assert_eq!(left(vec![product(1, 0, 2), moved(0, 3), moved(2, 0)]), 3);
        assert_eq!(left(vec![product(1, 0, 2), moved(3, 0), moved(2, 0)]), 3);
        // The product has another use.
        assert_eq!(left(vec![product(1, 0, 2), moved(2, 3), moved(2, 0)]), 3);
        // The move may not be reached.
        assert_eq!(left(vec![product(1, 0, 2), (Inst::Label(1), 0), moved(2, 0)]), 3);
    }

    /// Sums of two registers, each of which goes to a register of its own.
    fn sweep(sums: &[(u32, u32, u32)]) -> (Inst, u32) {
        let f32 = Elem::Num(Scalar::F32);
        let row = |reg: u32| Tile::contiguous(f32, Base::Reg(VReg(reg)), &[2048]);
        let kernel = select(ElemOp::AddF(RoundingMode::NearestEven, false), &[f32; 2], f32).unwrap();
        let inputs = sums.iter().flat_map(|(a, b, _)| [*a, *b]).map(|reg| SweepInput::Direct { tile: row(reg) }).collect();
        let step = |(i, (_, _, dst)): (usize, &(u32, u32, u32))| Step {
            kernel,
            srcs: vec![Src::Input(2 * i), Src::Input(2 * i + 1)],
            dst: Src::Reg(VReg(*dst), 4),
        };
        (Inst::Sweep(Box::new(Sweep::new(2048, inputs, sums.iter().enumerate().map(step).collect(), TargetMachine::host()))), 0)
    }

    #[test]
    fn sweeps_write_where_they_have_read() {
        if !TargetMachine::host().has_regions() {
            return;
        }
        assert_eq!(left(vec![sweep(&[(0, 1, 2)]), moved(2, 0)]), 1);
        assert_eq!(left(vec![sweep(&[(0, 1, 2), (3, 1, 4)]), moved(2, 0), moved(4, 3)]), 1);
        // A later step reads the old value.
        assert_eq!(left(vec![sweep(&[(0, 1, 2), (0, 1, 4)]), moved(2, 0)]), 2);
        assert_eq!(left(vec![sweep(&[(0, 1, 2), (3, 1, 4)]), moved(2, 3), moved(4, 0)]), 2);
    }
}
