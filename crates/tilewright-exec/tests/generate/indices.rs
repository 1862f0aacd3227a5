//! Indices of 64 bits, as compilers make them of those of 32.

use super::{
    Generator,
    statements::{I1, I32},
};
use crate::regular::Element;
use tilewright_ir::{AttrName, AttrValue, ComparisonPredicate as Predicate, Opcode, Scalar, Signedness, Value};

const I64: Element = Element::Number(Scalar::I64);

impl Generator<'_> {
    /// Positions, which are not negative, as they are or extended, and then perhaps multiplied by 1 or added to 0; how they compare with
    /// other numbers is kept.
    pub(super) fn indices(&mut self, positions: Value, shape: &[i64]) -> Value {
        if self.choices.below(2) == 0 {
            return positions;
        }
        let signed = self.choices.below(4) < 3;
        let wide = self.extended(positions, signed, shape);
        let (end, signed) = (self.operand(I32, shape, true), self.choices.below(4) < 3);
        let end = self.extended(end, signed, shape);
        self.compared(wide, end, shape);
        self.unchanged(wide, shape)
    }

    fn extended(&mut self, value: Value, signed: bool, shape: &[i64]) -> Value {
        let ty = self.ty(I64, shape);
        let signedness = AttrValue::Enum(if signed { Signedness::Signed } else { Signedness::Unsigned } as u8);
        self.value(Opcode::ExtI, |op| op.operand("from", value).attr(AttrName::Signedness, signedness).result(ty))
    }

    fn compared(&mut self, lhs: Value, rhs: Value, shape: &[i64]) {
        use Predicate::*;
        let ty = self.ty(I1, shape);
        let predicate = *self.choices.pick(&[LessThan, LessThanOrEqual, GreaterThan, GreaterThanOrEqual, Equal, NotEqual]);
        let signedness = *self.choices.pick(&[Signedness::Signed, Signedness::Unsigned]);
        let less = self.value(Opcode::CmpI, |op| {
            let op = op.operand("lhs", lhs).operand("rhs", rhs).result(ty);
            let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(predicate as u8));
            op.attr(AttrName::Signedness, AttrValue::Enum(signedness as u8))
        });
        self.keep(less, I1, shape, true);
    }

    /// The same numbers, by an operation with a neutral one.
    fn unchanged(&mut self, value: Value, shape: &[i64]) -> Value {
        let ty = self.ty(I64, shape);
        let (opcode, number) = *self.choices.pick(&[(Opcode::MulI, 1), (Opcode::AddI, 0), (Opcode::SubI, 0), (Opcode::OrI, 0)]);
        let number = self.numbers(Scalar::I64, shape, &[number]);
        let swapped = opcode != Opcode::SubI && self.choices.below(2) == 1;
        let [lhs, rhs] = if swapped { [number, value] } else { [value, number] };
        self.value(opcode, |op| op.operand("lhs", lhs).operand("rhs", rhs).result(ty))
    }
}
