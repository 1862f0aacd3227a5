//! Stores that stand right behind a sweep or a row region that stores one of its results, and store others: optimizers update several arrays at once.
//!
//! It writes these results where they belong, too, if their tiles lie whole and in order in memory; that is known when it runs. The stores
//! find them there then.

use super::{Inst, VReg, counts::Counts, direct_store::stored_once};

/// For each instruction of finished code, how many such stores stand behind it.
pub(crate) fn count(code: &[Inst]) -> Vec<usize> {
    let mut behind = vec![0; code.len()];
    let stores = |inst: &Inst| matches!(inst, Inst::SweepStore { .. } | Inst::RowsStore { .. });
    if !code.windows(2).any(|pair| stores(&pair[0]) && matches!(pair[1], Inst::Store { .. })) {
        return behind;
    }
    let (reads, writes) = (Counts::of_reads(code.iter()), Counts::of_writes(code.iter()));
    for (at, inst) in code.iter().enumerate() {
        let gives = |reg: VReg| match inst {
            Inst::SweepStore { sweep, .. } if !sweep.has_gathers && sweep.rounds.is_none() => sweep.result(reg).is_some(),
            Inst::RowsStore { rows, .. } => rows.rows_in(reg).is_some(),
            _ => false,
        };
        if !inst.effects().is_weak_store() {
            continue;
        }
        let is_result = |inst: &Inst| match inst {
            Inst::Store { view, src } => stored_once(view, src).is_some_and(|reg| gives(reg) && reads.of(reg) == 1 && writes.of(reg) == 1),
            _ => false,
        };
        behind[at] = code[at + 1..].iter().take_while(|inst| is_result(inst)).count();
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        TargetMachine,
        elem::Elem,
        kernels::{ElemOp, select},
        plan::{Base, Src, Step, Sweep, SweepInput, Tile, VReg, ViewAccess},
    };
    use tilewright_ir::Scalar;

    fn tile(reg: u32) -> Tile {
        Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(reg)), &[4])
    }

    fn view() -> Box<ViewAccess> {
        Box::new(ViewAccess::of_f32(tile(100)))
    }

    /// A sweep with these results, of which the first is stored.
    fn sweep_store(results: &[u32]) -> Inst {
        let f32 = Elem::Num(Scalar::F32);
        let step = |reg: &u32| Step {
            kernel: select(ElemOp::NegF, &[f32], f32).unwrap(),
            srcs: vec![Src::Input(0)],
            dst: Src::Reg(VReg(*reg), 4),
        };
        let inputs = vec![SweepInput::Direct { tile: tile(0) }];
        let sweep = Box::new(Sweep::new(4, inputs, results.iter().map(step).collect(), TargetMachine::host()));
        Inst::SweepStore { sweep, view: view(), src: tile(results[0]) }
    }

    fn store(reg: u32) -> Inst {
        Inst::Store { view: view(), src: tile(reg) }
    }

    #[test]
    fn stores_of_other_results_are_counted() {
        assert_eq!(count(&[sweep_store(&[1, 2, 3]), store(2), store(3)]), [2, 0, 0]);
        assert_eq!(count(&[sweep_store(&[1, 2]), store(2), store(7)]), [1, 0, 0]);
        assert_eq!(count(&[sweep_store(&[1]), store(7)]), [0, 0]);
        // Somebody else reads it, or writes it.
        assert_eq!(count(&[sweep_store(&[1, 2]), store(2), store(2)]), [0, 0, 0]);
        assert_eq!(count(&[Inst::Move { src: tile(9), dst: VReg(2) }, sweep_store(&[1, 2]), store(2)]), [0, 0, 0]);
    }
}
