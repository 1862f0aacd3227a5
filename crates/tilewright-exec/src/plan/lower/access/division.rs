//! Divisions of indices, and Python's remainder, which has the sign of the divisor and is several operations.

use super::{Dims, IndexTracer, splat};
use crate::{
    elem::memory_bits,
    plan::{DivisionPart, Index, access::wrap},
};
use tilewright_ir::{ComparisonPredicate, OpRef, Opcode, Value};
use tilewright_passes::elementwise::{ElemOp, elem_op};

impl<'m> IndexTracer<'m> {
    /// The node of a part of a division, where boxes are found faster than lanes are computed.
    pub(super) fn part(&mut self, division: OpRef<'m>, part: DivisionPart, dims: &Dims) -> Option<Index> {
        if !self.divides || division.result(0).is_none_or(|value| self.has_one_element(value)) {
            return None;
        }
        let (of, by) = (self.number(division.operand(0)?, dims)?.1, self.number(division.operand(1)?, dims)?.1);
        // It is mostly an extent of an array, or a product of such.
        let is_for_all = match &self.nodes[by].index {
            Index::Constant(by) => *by > 0,
            _ => !self.moves(by) && !self.has_rows(by),
        };
        (is_for_all && !self.has_rows(of)).then_some(Index::Divide { of, by, part })
    }

    /// The remainder that an operation gives the sign of the divisor, as Python's operator does: a selection of it, or of its sum with the divisor
    /// where it is not zero and has another sign.
    pub(super) fn floor_remainder(&self, select: OpRef<'m>) -> Option<OpRef<'m>> {
        let [mask, sum, remainder] = [0, 1, 2].map(|n| select.operand(n));
        let (mask, remainder) = (mask?, remainder?);
        let division = self.defined_by(remainder, |op| op == ElemOp::RemI(true))?;
        let divisor = division.operand(1)?;
        let sum = self.defined_by(sum?, |op| op == ElemOp::AddI)?;
        let is_sum = self.either(sum, |a, b| self.is_same(a, remainder) && self.is_same(b, divisor));
        let both = self.defined_by(mask, |op| op == ElemOp::And)?;
        let is_fixed = self.either(both, |sign, nonzero| {
            self.compares_with_zero(nonzero, ComparisonPredicate::NotEqual, remainder) && self.differs_in_sign(sign, remainder, divisor)
        });
        (is_sum && is_fixed).then_some(division)
    }

    /// Whether a mask tells that two numbers, of which the second one is the same for all lanes, differ in their signs.
    fn differs_in_sign(&self, mask: Value, a: Value, b: Value) -> bool {
        let is_negative = |mask: Value, number: Value| self.compares_with_zero(mask, ComparisonPredicate::LessThan, number);
        if let Some(signs) = self.defined_by(mask, |op| op == ElemOp::Xor) {
            let is_never = |mask: Value| splat(self.module, self.body, mask) == Some(0);
            let is_positive = |number: Value| self.constant(number).is_some_and(|number| number > 0);
            // What is asked of a number that is the same for all lanes may be seen in any shape.
            let is_for_all = self.has_one_element(self.source(b)) || self.constant(b).is_some();
            let of_b = |mask: Value| is_for_all && is_negative(self.root(mask), b) || is_never(mask) && is_positive(b);
            return self.either(signs, |p, q| is_negative(p, a) && of_b(q));
        }
        is_negative(mask, a) && self.constant(b).is_some_and(|number| number > 0)
    }

    /// Whether a mask compares signed numbers with zero.
    fn compares_with_zero(&self, mask: Value, predicate: ComparisonPredicate, number: Value) -> bool {
        let is_comparison =
            |op| matches!(op, ElemOp::CmpI(found, signed) if found == predicate && (signed || predicate == ComparisonPredicate::NotEqual));
        let Some(comparison) = self.defined_by(mask, is_comparison) else { return false };
        let (Some(lhs), Some(rhs)) = (comparison.operand(0), comparison.operand(1)) else { return false };
        self.is_same(lhs, number) && self.constant(rhs) == Some(0)
    }

    /// Whether something holds of the operands of an operation, in this order or the other one.
    fn either(&self, op: OpRef<'m>, holds: impl Fn(Value, Value) -> bool) -> bool {
        let (Some(a), Some(b)) = (op.operand(0), op.operand(1)) else { return false };
        holds(a, b) || holds(b, a)
    }

    /// The operation that computes a value, if it is such a one.
    fn defined_by(&self, value: Value, is: impl Fn(ElemOp) -> bool) -> Option<OpRef<'m>> {
        let op = self.body.defining_op(self.source(value))?;
        elem_op(op, &self.module.tables.types).is_some_and(is).then_some(op)
    }

    /// What a value is another view of.
    fn root(&self, mut value: Value) -> Value {
        while let Some(op) = self.body.defining_op(value)
            && matches!(op.opcode(), Opcode::Broadcast | Opcode::Reshape | Opcode::Assume)
            && let Some(seen) = op.operand(0)
        {
            value = seen;
        }
        value
    }

    /// The number that all lanes of a value are copies of, or the value.
    fn source(&self, value: Value) -> Value {
        let root = self.root(value);
        if self.has_one_element(root) { root } else { value }
    }

    /// Whether two values are the same, or the same number for all lanes.
    fn is_same(&self, a: Value, b: Value) -> bool {
        let constants = self.constant(a).zip(self.constant(b));
        self.source(a) == self.source(b) || constants.is_some_and(|(a, b)| a == b)
    }

    /// The number that all elements of an integer constant are.
    fn constant(&self, value: Value) -> Option<i64> {
        let bits = splat(self.module, self.body, self.source(value))?;
        let (element, _) = self.module.tables.types.as_tile(self.body.ty(value))?;
        Some(wrap(bits.cast_signed(), memory_bits(self.module.tables.types.scalar(element)?)?))
    }
}
