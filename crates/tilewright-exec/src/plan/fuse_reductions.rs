//! Reductions that begin in the sweep which computes what they reduce.
//!
//! A reduction is a tree of halves. Vector code that computes elements an eighth of a row apart combines them in registers as the first three
//! halvings do, and writes an eighth of each row; the reduction goes on from there. So the rows are not read again, and not even written
//! where nothing else reads them. To a reduction of columns, all of the matrix is one row, of which more than one number is left: the halves are
//! the same. Behind the first pass of a block, only single rows and rows of one piece are: there, sweeps prefetch what
//! the next block reads, between one piece and the next, and parts of several rows have no end between.

use super::{
    Inst, Sweep, Tile, VReg,
    counts::{count_uses, count_writes},
    inst::{FoldColumns, FoldRows},
    sweep::SweepFold,
    tile::Base,
};
use crate::hash::HashMap;
use crate::kernels::{Kernel, long};

/// Lets sweeps begin the reductions of what they compute. `registers`: the bytes of each.
pub(crate) fn begin_early(code: &mut [(Inst, u32)], registers: &mut Vec<usize>) {
    let (mut uses, writes) = (count_uses(code), count_writes(code));
    let first = code.iter().position(|(inst, _)| inst.is_pass());
    let writers = sweeps_that_write(code);
    for at in 0..code.len() {
        let (before, after) = code.split_at_mut(at);
        let Some((inst, site)) = after.first_mut() else { continue };
        let Some(fold) = Reduction::of(inst) else { continue };
        let Some(reg) = whole_register(fold.src()).filter(|reg| writes.of(*reg) == 1) else { continue };
        let prefetches = |writer: &usize| fold.rows() > 1 && fold.row() > Sweep::PIECE && Some(*writer) != first;
        let Some(writer) = writers.get(&reg).copied().filter(|writer| !prefetches(writer)) else { continue };
        let Some((Inst::Sweep(sweep), _)) = before.get_mut(writer) else { continue };
        let dst = VReg(u32::try_from(registers.len()).expect("there are fewer than 2^32 values"));
        let bytes = fold.src().numel() * fold.src().elem.size();
        if let Some(parts) = begin(sweep, fold, (reg, dst), *site) {
            registers.push(bytes / parts);
            if uses.take(reg) == 0 {
                sweep.drop_result(reg);
            }
        }
    }
}

/// The register whose elements a tile has, all in order.
fn whole_register(tile: &Tile) -> Option<VReg> {
    match tile.base {
        Base::Reg(reg) if tile.is_contiguous() => Some(reg),
        _ => None,
    }
}

/// The sweep that writes each register.
fn sweeps_that_write(code: &[(Inst, u32)]) -> HashMap<VReg, usize> {
    let mut writers = HashMap::default();
    for (at, (inst, _)) in code.iter().enumerate() {
        if matches!(inst, Inst::Sweep(_)) {
            inst.for_each_write(|reg| {
                writers.insert(reg, at);
            });
        }
    }
    writers
}

/// A reduction that a sweep may begin.
enum Reduction<'a> {
    Rows(&'a mut FoldRows),
    Columns(&'a mut FoldColumns),
}

impl<'a> Reduction<'a> {
    fn of(inst: &'a mut Inst) -> Option<Reduction<'a>> {
        match inst {
            Inst::FoldRows(fold) if fold.is_reduction => Some(Reduction::Rows(fold)),
            Inst::FoldColumns(fold) => Some(Reduction::Columns(fold)),
            _ => None,
        }
    }

    /// What is reduced.
    fn src(&self) -> &Tile {
        match self {
            Reduction::Rows(fold) => &fold.src,
            Reduction::Columns(fold) => &fold.src,
        }
    }

    /// How many elements are halved until what is left of them is their result.
    fn row(&self) -> usize {
        match self {
            Reduction::Rows(fold) => fold.extent,
            Reduction::Columns(fold) => fold.src.numel(),
        }
    }

    fn rows(&self) -> usize {
        self.src().numel() / self.row()
    }

    /// Into how many parts a row can be halved: a power of two.
    fn most_parts(&self) -> usize {
        match self {
            Reduction::Rows(fold) => fold.extent,
            Reduction::Columns(fold) => fold.src.shape[0],
        }
    }

    /// How elements are combined.
    fn combine(&self) -> Kernel {
        match self {
            Reduction::Rows(fold) => fold.operation,
            Reduction::Columns(fold) => fold.combine,
        }
    }

    /// Goes on from a register that has one of so many parts of each row.
    fn go_on(self, from: VReg, parts: usize) {
        match self {
            Reduction::Rows(fold) => {
                fold.extent /= parts;
                fold.src = Tile::contiguous(fold.src.elem, Base::Reg(from), &[fold.rows, fold.extent]);
                fold.steps = fold.rows * long::steps(fold.extent);
            }
            Reduction::Columns(fold) => {
                fold.src = Tile::contiguous(fold.src.elem, Base::Reg(from), &[fold.src.shape[0] / parts, fold.src.shape[1]]);
            }
        }
    }
}

/// Lets a sweep fold what it writes to `reg` to a part in `dst`, from where a reduction of that goes on: one of how many. `None`, and nothing
/// was done, if it cannot. `site`: the operation of the reduction.
fn begin(sweep: &mut Sweep, fold: Reduction<'_>, (reg, dst): (VReg, VReg), site: u32) -> Option<usize> {
    let step = sweep.result(reg).filter(|_| fold.src().numel() == sweep.n)?;
    let begun = SweepFold { step, combine: fold.combine(), row: fold.row(), most_parts: fold.most_parts(), dst, site };
    let parts = sweep.fold(begun)?;
    fold.go_on(dst, parts);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        TargetMachine,
        cpu::Level,
        elem::Elem,
        kernels::{
            ElemOp, columns,
            rows::{self, RowFold},
            select,
        },
        plan::{Src, Step, SweepInput},
    };
    use tilewright_ir::{RoundingMode, Scalar};

    const F32: Elem = Elem::Num(Scalar::F32);
    const N: usize = 1024;

    fn tile(reg: u32, shape: &[usize]) -> Tile {
        Tile::contiguous(F32, Base::Reg(VReg(reg)), shape)
    }

    /// Squares, and then as many negations as there are other registers; each writes its own.
    fn sweep(src: u32, dsts: &[u32]) -> (Inst, u32) {
        let square = ElemOp::MulF(RoundingMode::NearestEven, false);
        let mut steps: Vec<Step> = Vec::new();
        for dst in dsts {
            let srcs = steps.last().map_or_else(|| vec![Src::Input(0); 2], |before| vec![before.dst]);
            let op = if srcs.len() == 2 { square } else { ElemOp::NegF };
            let kernel = select(op, &[F32; 2][..srcs.len()], F32).unwrap();
            steps.push(Step { kernel, srcs, dst: Src::Reg(VReg(*dst), 4) });
        }
        (Inst::Sweep(Box::new(Sweep::new(N, vec![SweepInput::Direct { tile: tile(src, &[N]) }], steps, TargetMachine::host()))), 0)
    }

    fn sum(src: u32, row: usize, dst: u32) -> (Inst, u32) {
        let op = ElemOp::AddF(RoundingMode::NearestEven, false);
        let kernel = rows::select(Level::best(), RowFold::Reduce, op, F32).unwrap();
        let operation = select(op, &[F32; 2], F32).unwrap();
        let (dst, spare) = (VReg(dst), VReg(99));
        let src = tile(src, &[N / row, row]);
        (
            Inst::FoldRows(Box::new(FoldRows {
                kernel,
                operation,
                is_reduction: true,
                rows: N / row,
                extent: row,
                result: 1,
                src,
                dst,
                spare,
                steps: 0,
            })),
            0,
        )
    }

    /// What becomes of code: the registers that each instruction reads and those that it writes, but for the room of folds; 100 is the first
    /// new one.
    fn begun<const COUNT: usize>(code: [(Inst, u32); COUNT]) -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut code = Vec::from(code);
        let mut registers = vec![4 * N; 100];
        begin_early(&mut code, &mut registers);
        assert!(registers[100..].iter().all(|bytes| *bytes == 4 * N / 8), "an eighth is left");
        let of = |inst: &Inst| {
            let (mut read, mut written) = (Vec::new(), Vec::new());
            inst.for_each_read(|tile| read.extend(whole_register(tile).map(|reg| reg.0)));
            inst.for_each_write(|reg| written.push(reg.0));
            (read, written.into_iter().filter(|reg| *reg != 99).collect())
        };
        code.iter().map(|(inst, _)| of(inst)).collect()
    }

    fn has_vector_code() -> bool {
        TargetMachine::host().has_regions()
    }

    #[test]
    fn what_only_a_reduction_reads_is_not_written() {
        let found = begun([sweep(0, &[1]), sum(1, 128, 2)]);
        let expected =
            if has_vector_code() { [(vec![0], vec![100]), (vec![100], vec![2])] } else { [(vec![0], vec![1]), (vec![1], vec![2])] };
        assert_eq!(found, expected);
    }

    #[test]
    fn what_others_read_is_written_too() {
        let found = begun([sweep(0, &[1]), sum(1, N, 2), sweep(1, &[3])]);
        let (first, second) = if has_vector_code() { (vec![1, 100], 100) } else { (vec![1], 1) };
        assert_eq!(found, [(vec![0], first), (vec![second], vec![2]), (vec![1], vec![3])]);
        // Of two reductions of one result, one begins early.
        let found = begun([sweep(0, &[1]), sum(1, N, 2), sum(1, N, 3)]);
        let (first, second) = if has_vector_code() { (vec![1, 100], 100) } else { (vec![1], 1) };
        assert_eq!(found, [(vec![0], first), (vec![second], vec![2]), (vec![1], vec![3])]);
    }

    #[test]
    fn each_result_of_a_sweep_can_be_reduced() {
        let found = begun([sweep(0, &[1, 2]), sum(1, 256, 3), sum(2, 256, 4)]);
        if has_vector_code() {
            assert_eq!(found, [(vec![0], vec![100, 101]), (vec![100], vec![3]), (vec![101], vec![4])]);
        }
        // Rows of one length only.
        let found = begun([sweep(0, &[1, 2]), sum(1, 256, 3), sum(2, 128, 4)]);
        if has_vector_code() {
            assert_eq!(found, [(vec![0], vec![2, 100]), (vec![100], vec![3]), (vec![2], vec![4])]);
        }
    }

    /// Sums of the columns of so many rows.
    fn column_sums(src: u32, rows: usize, dst: u32) -> (Inst, u32) {
        let op = ElemOp::AddF(RoundingMode::NearestEven, false);
        let kernel = columns::select(Level::best(), op, F32).unwrap();
        let (combine, src) = (select(op, &[F32; 2], F32).unwrap(), tile(src, &[rows, N / rows]));
        (Inst::FoldColumns(Box::new(FoldColumns { kernel, combine, sums: None, src, dst: VReg(dst), spare: VReg(99) })), 0)
    }

    #[test]
    fn reductions_of_columns_begin_too() {
        let found = begun([sweep(0, &[1]), column_sums(1, 16, 2)]);
        let expected =
            if has_vector_code() { [(vec![0], vec![100]), (vec![100], vec![2])] } else { [(vec![0], vec![1]), (vec![1], vec![2])] };
        assert_eq!(found, expected);
        if has_vector_code() {
            let mut code = vec![sweep(0, &[1]), column_sums(1, 4, 2)];
            let mut registers = vec![4 * N; 100];
            begin_early(&mut code, &mut registers);
            // All four rows are combined there.
            let Inst::FoldColumns(fold) = &code[1].0 else { panic!("a reduction of columns") };
            assert_eq!((&fold.src.shape[..], registers[100]), (&[1, N / 4][..], 4 * N / 4));
        }
    }

    #[test]
    fn rows_that_are_too_short_stay() {
        // Two parts would be less than a vector each.
        assert_eq!(begun([sweep(0, &[1]), sum(1, 8, 2)]), [(vec![0], vec![1]), (vec![1], vec![2])]);
    }

    #[test]
    fn what_is_written_twice_stays() {
        let found = begun([sweep(0, &[1]), sweep(2, &[1]), sum(1, N, 3)]);
        assert_eq!(found, [(vec![0], vec![1]), (vec![2], vec![1]), (vec![1], vec![3])]);
    }
}
