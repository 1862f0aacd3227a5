//! Operations on constants.

use super::{Change, Driver};
use crate::{
    constant::{Constant, Elements},
    elem::Elem,
    elementwise::{ElemOp, accepts, elem_op, evaluate},
};
use tilewright_ir::{Op, Opcode, Value};
use tilewright_numeric::int;

impl Driver<'_, '_> {
    /// What an operation gives whose operands are constants.
    pub(super) fn fold(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let is_constant = |operand: &Value| self.defined_by(*operand, Opcode::Constant).is_some();
        if here.operands().is_empty() || !here.operands().iter().all(is_constant) {
            return None;
        }
        let constants = here.operands().iter().map(|operand| self.constant_of(*operand)).collect::<Option<Vec<Constant>>>()?;
        let result = here.result(0)?;
        match here.opcode() {
            Opcode::Reshape => Some(Change::Constant(constants[0].elements.clone())),
            Opcode::Broadcast | Opcode::Permute | Opcode::Extract => {
                constants[0].elements.splat().map(|bits| Change::Constant(Elements::Splat(bits)))
            }
            Opcode::Cat | Opcode::Insert => {
                let (a, b) = (constants[0].elements.splat()?, constants[1].elements.splat()?);
                (a == b).then_some(Change::Constant(Elements::Splat(a)))
            }
            _ => {
                let elementwise = elem_op(here, &self.tables().types)?;
                self.evaluated(elementwise, &constants, result)
            }
        }
    }

    /// The elements that an elementwise operation gives; `None` where it is undefined, or gives a NaN, whose bits nobody promises.
    fn evaluated(&self, op: ElemOp, constants: &[Constant], result: Value) -> Option<Change> {
        let (element, _) = self.tables().types.as_tile(self.ty(result))?;
        let dst = Elem::of(&self.tables().types, element)?;
        let srcs: Vec<Elem> = constants.iter().map(|constant| Elem::Num(constant.scalar)).collect();
        if !accepts(op, &srcs, dst) || matches!(dst, Elem::Ptr) {
            return None;
        }
        let mut padded = [dst; 3];
        padded[..srcs.len()].copy_from_slice(&srcs);
        let one = |i: usize| {
            let mut values = [0; 3];
            constants.iter().zip(&mut values).for_each(|(constant, value)| *value = constant.elements.get(i));
            let bits = evaluate(op, &padded, dst, values);
            (is_defined(op, &padded, values) && (keeps_bits(op) || !is_nan(dst, bits))).then_some(bits)
        };
        let splat = constants.iter().all(|constant| constant.elements.splat().is_some());
        let elements =
            if splat { Elements::Splat(one(0)?) } else { Elements::Dense((0..constants[0].len).map(one).collect::<Option<_>>()?) };
        Some(Change::Constant(elements))
    }
}

/// Whether the bits of a NaN go through an operation.
fn keeps_bits(op: ElemOp) -> bool {
    matches!(op, ElemOp::Copy | ElemOp::Select | ElemOp::AbsF | ElemOp::NegF)
}

fn is_nan(elem: Elem, bits: u64) -> bool {
    elem.float().is_some_and(|format| format.decode(bits).is_nan())
}

/// Whether the specification says what an operation gives for these elements (SEMANTICS c.2).
fn is_defined(op: ElemOp, srcs: &[Elem; 3], [a, b, _]: [u64; 3]) -> bool {
    let width = srcs[0].bits();
    let mask = int::mask(width);
    let is_overflow = |signed: bool| signed && a & mask == 1 << (width - 1) && b & mask == mask;
    match op {
        ElemOp::DivI(signed, _) => b & mask != 0 && !is_overflow(signed),
        ElemOp::RemI(_) => b & mask != 0,
        ElemOp::Shl | ElemOp::Shr(_) => b & mask < u64::from(width),
        _ => true,
    }
}
