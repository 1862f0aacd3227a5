//! Floats of 16 bits that a chain widens wherever it reads them, instead of writing them to scratch as `f32`.

use super::{Src, Step, SweepInput, tile::Base};
use crate::kernels::chain::{self, Form, Op};

/// The steps of a chain that read what others only widen, as they read it themselves; and the others, which are left out, by their numbers.
///
/// `rest`: the steps behind the chain.
pub(super) fn move_to_readers(inputs: &[SweepInput], steps: &[Step], rest: &[Step]) -> Option<(Vec<Step>, Vec<usize>)> {
    let widened: Vec<Option<usize>> = (0..steps.len()).map(|at| widened_input(inputs, steps, rest, at)).collect();
    let left_out: Vec<usize> = (0..steps.len()).filter(|at| widened[*at].is_some()).collect();
    let source = |reader: usize, src: &Src| {
        let input = writer(steps, reader, *src).and_then(|writer| widened[writer]);
        input.map_or(*src, Src::Input)
    };
    let moved = |(at, step): (usize, &Step)| Step {
        kernel: step.kernel,
        srcs: step.srcs.iter().map(|src| source(at, src)).collect(),
        dst: step.dst,
    };
    (!left_out.is_empty()).then(|| (steps.iter().enumerate().map(moved).collect(), left_out))
}

/// The step of a chain that made what another one reads.
fn writer(steps: &[Step], reader: usize, src: Src) -> Option<usize> {
    match src {
        Src::Passed => reader.checked_sub(1),
        Src::Slot(_) => steps[..reader].iter().rposition(|step| step.dst == src),
        Src::Input(_) | Src::Reg(..) => None,
    }
}

/// The input that a step widens, if only steps of the chain read what comes out, and the input is the same there.
fn widened_input(inputs: &[SweepInput], steps: &[Step], rest: &[Step], at: usize) -> Option<usize> {
    let step = &steps[at];
    let (Form { op: Op::Same, from: Some(_), to: None, .. }, [Src::Input(input)], Src::Slot(_)) =
        (chain::form(&step.kernel.imm)?, &step.srcs[..], step.dst)
    else {
        return None;
    };
    let later = || steps[at + 1..].iter().chain(rest);
    let end = later().position(|other| other.dst == step.dst).unwrap_or(usize::MAX);
    let last = later().enumerate().take_while(|(i, _)| *i <= end).filter(|(_, other)| other.srcs.contains(&step.dst)).last();
    let readers = steps[at + 1..].get(..=last.map_or(0, |(i, _)| i))?;
    // A register that is written may be the one that is read.
    let changes = |other: &Step| matches!(other.dst, Src::Reg(written, _) if inputs[*input].tile().base == Base::Reg(written));
    (!readers.iter().any(changes)).then_some(*input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::{ElemOp, select},
        plan::{Tile, VReg},
    };
    use tilewright_ir::{RoundingMode, Scalar};

    const RN: RoundingMode = RoundingMode::NearestEven;
    const F16: Elem = Elem::Num(Scalar::F16);
    const F32: Elem = Elem::Num(Scalar::F32);
    const SLOT: Src = Src::Slot(7);
    const RESULT: Src = Src::Reg(VReg(1), 4);

    fn widen(dst: Src) -> Step {
        Step { kernel: select(ElemOp::FToF(RN), &[F16], F32).unwrap(), srcs: vec![Src::Input(0)], dst }
    }

    fn sum(srcs: [Src; 2], dst: Src) -> Step {
        Step { kernel: select(ElemOp::AddF(RN, false), &[F32; 2], F32).unwrap(), srcs: srcs.to_vec(), dst }
    }

    fn moved(steps: &[Step], rest: &[Step]) -> Option<(Vec<Vec<Src>>, Vec<usize>)> {
        let inputs = [SweepInput::Direct { tile: Tile::contiguous(F16, Base::Reg(VReg(0)), &[128]) }];
        let (steps, left_out) = move_to_readers(&inputs, steps, rest)?;
        Some((steps.into_iter().map(|step| step.srcs).collect(), left_out))
    }

    #[test]
    fn what_steps_of_the_chain_read_is_widened_there() {
        const INPUT: Src = Src::Input(0);
        let steps = [widen(SLOT), sum([Src::Passed, SLOT], Src::Passed), sum([Src::Passed, SLOT], RESULT)];
        let expected = Some((vec![vec![INPUT], vec![INPUT; 2], vec![Src::Passed, INPUT]], vec![0]));
        assert_eq!(moved(&steps, &[]), expected);
        // Behind the chain, the slot has another value.
        assert_eq!(moved(&steps, &[sum([RESULT; 2], SLOT), sum([SLOT; 2], RESULT)]), expected);
    }

    #[test]
    fn what_others_read_or_change_is_widened_once() {
        let steps = [widen(SLOT), sum([Src::Passed, SLOT], RESULT)];
        assert_eq!(moved(&steps, &[sum([SLOT; 2], RESULT)]), None);
        assert_eq!(moved(&[widen(RESULT), sum([Src::Passed; 2], RESULT)], &[]), None);
        assert_eq!(moved(&[widen(Src::Passed), sum([Src::Passed; 2], RESULT)], &[]), None);
        let input = Src::Reg(VReg(0), 4);
        assert_eq!(moved(&[widen(SLOT), sum([SLOT; 2], input), sum([SLOT; 2], RESULT)], &[]), None);
        assert!(moved(&[widen(SLOT), sum([SLOT; 2], RESULT), sum([Src::Passed; 2], input)], &[]).is_some());
    }
}
