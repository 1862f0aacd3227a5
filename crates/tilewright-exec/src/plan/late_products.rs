//! Products that a chain computes where it multiplies with them, instead of writing them to scratch and reading them back.

use super::{Src, Step};
use crate::kernels::chain::{self, Binary, Form, Op};

/// For each step of a chain, the step whose product only it reads, and that it can compute itself. `rest`: the steps behind the chain.
pub(super) fn find(steps: &[Step], rest: &[Step]) -> Vec<Option<usize>> {
    let mut factors = vec![None; steps.len()];
    for product in 0..steps.len() {
        if let Some(reader) = only_reader(steps, rest, product) {
            factors[reader] = Some(product);
        }
    }
    factors
}

/// The step that multiplies what is handed on with a product that nothing else reads, if the product's operands are the same there.
fn only_reader(steps: &[Step], rest: &[Step], product: usize) -> Option<usize> {
    let (Src::Slot(_), factors) = (steps[product].dst, &steps[product].srcs) else { return None };
    let slot = steps[product].dst;
    let handed_on = factors.contains(&Src::Passed) || steps.get(product + 1).is_some_and(|next| next.srcs.contains(&Src::Passed));
    let reader = (product + 1..steps.len()).find(|i| steps[*i].srcs.contains(&slot))?;
    let fits = steps[reader].srcs.contains(&Src::Passed) && [product, reader].iter().all(|i| is_product(&steps[*i]));
    // What is written to a register may take the place of one that the product reads.
    let keeps = |step: &Step| match step.dst {
        Src::Passed => true,
        Src::Slot(_) => step.dst != slot && !factors.contains(&step.dst),
        Src::Reg(..) | Src::Input(_) => false,
    };
    let kept = steps[product + 1..reader].iter().all(keeps);
    (fits && kept && !handed_on && !is_read(slot, &steps[reader..], rest)).then_some(reader)
}

/// Whether a slot that the first step reads is read again before it is written.
fn is_read(slot: Src, steps: &[Step], rest: &[Step]) -> bool {
    let written = steps.iter().chain(rest).position(|step| step.dst == slot).unwrap_or(usize::MAX);
    let readers = steps.iter().chain(rest).enumerate().skip(1).filter(|(_, step)| step.srcs.contains(&slot));
    readers.map(|(i, _)| i).next().is_some_and(|reader| reader <= written)
}

fn is_product(step: &Step) -> bool {
    matches!(chain::form(&step.kernel.imm), Some(Form { op: Op::Binary(Binary::Mul), from: None, to: None, .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::{ElemOp, select},
        plan::VReg,
    };
    use tilewright_ir::{RoundingMode, Scalar};

    const IN: Src = Src::Input(0);
    const PASSED: Src = Src::Passed;
    const SLOT: Src = Src::Slot(7);
    const RESULT: Src = Src::Reg(VReg(1), 4);

    fn step(op: ElemOp, srcs: [Src; 2], dst: Src) -> Step {
        const F32: Elem = Elem::Num(Scalar::F32);
        Step { kernel: select(op, &[F32; 2], F32).unwrap(), srcs: srcs.to_vec(), dst }
    }

    fn product(srcs: [Src; 2], dst: Src) -> Step {
        step(ElemOp::MulF(RoundingMode::NearestEven, false), srcs, dst)
    }

    fn sum(srcs: [Src; 2], dst: Src) -> Step {
        step(ElemOp::AddF(RoundingMode::NearestEven, false), srcs, dst)
    }

    #[test]
    fn a_product_is_computed_where_it_alone_is_multiplied_with() {
        let found = find(&[product([IN; 2], SLOT), sum([IN; 2], PASSED), product([SLOT, PASSED], RESULT)], &[]);
        assert_eq!(found, [None, None, Some(0)]);
        // Behind the chain, its slot has another value.
        let steps = [product([IN; 2], SLOT), sum([IN; 2], PASSED), product([PASSED, SLOT], SLOT)];
        assert_eq!(find(&steps, &[sum([SLOT; 2], RESULT)]), [None, None, Some(0)]);
    }

    #[test]
    fn what_others_need_or_change_is_computed_once() {
        let first = || product([IN; 2], SLOT);
        let last = || product([SLOT, PASSED], RESULT);
        let none = |steps: &[Step], rest: &[Step]| assert!(find(steps, rest).iter().all(Option::is_none));
        none(&[first(), sum([IN; 2], PASSED), last()], &[sum([SLOT, IN], RESULT)]);
        none(&[first(), sum([IN, SLOT], PASSED), last()], &[]);
        none(&[first(), sum([IN, PASSED], PASSED), last()], &[]);
        none(&[first(), sum([IN; 2], PASSED), sum([SLOT, PASSED], RESULT)], &[]);
        none(&[sum([IN; 2], SLOT), sum([IN; 2], PASSED), last()], &[]);
        none(&[first(), sum([IN; 2], PASSED), product([SLOT; 2], RESULT)], &[]);
        // A register may lie where an operand did.
        none(&[first(), sum([IN; 2], RESULT), last()], &[]);
        let other = Src::Slot(8);
        none(&[product([IN, other], SLOT), sum([IN; 2], other), last()], &[]);
    }
}
