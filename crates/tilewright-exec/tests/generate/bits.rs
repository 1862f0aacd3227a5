//! Operations on the bits of numbers, as kernels take signs and exponents apart.

use super::{Generator, statements::is_elementwise};
use crate::regular::{Combination, Element};
use tilewright_ir::{Opcode, Scalar, Value};

impl Generator<'_> {
    /// What an elementwise operation of another type makes of the bits of some values, in their own type again; nothing if no other type is
    /// as wide.
    pub(super) fn on_bits(&mut self, values: &[Value], element: Element, shape: &[i64]) -> Option<Value> {
        let other = match element {
            Element::Number(Scalar::F32) => Scalar::I32,
            Element::Number(Scalar::F64) => Scalar::I64,
            Element::Number(Scalar::F16 | Scalar::Bf16) => Scalar::I16,
            Element::Number(Scalar::I32) => Scalar::F32,
            Element::Number(Scalar::I64) => Scalar::F64,
            Element::Number(Scalar::I16) => *self.choices.pick(&[Scalar::F16, Scalar::Bf16]),
            _ => return None,
        };
        let other = Element::Number(other);
        let fits = |combination: &&Combination| is_elementwise(combination) && combination.types.iter().all(|ty| *ty == other);
        let groups = self.combinations.iter().map(|group| group.iter().filter(fits).collect::<Vec<&Combination>>());
        let groups: Vec<Vec<&Combination>> = groups.filter(|group| !group.is_empty()).collect();
        let group = self.choices.pick(&groups);
        let combination = if self.choices.once_in(2) { group[0] } else { *self.choices.pick(group) };
        let (_, operands) = combination.types.split_last().expect("there is a result");
        let operands: Vec<Value> = operands
            .iter()
            .map(|_| {
                if self.choices.once_in(4) {
                    return self.operand(other, shape, false);
                }
                let value = *self.choices.pick(values);
                self.read_as(other, value, shape)
            })
            .collect();
        let value = self.combined_as(combination, &operands, other, shape);
        Some(self.read_as(element, value, shape))
    }

    fn read_as(&mut self, element: Element, value: Value, shape: &[i64]) -> Value {
        let ty = self.ty(element, shape);
        self.value(Opcode::Bitcast, |op| op.operand("source", value).result(ty))
    }
}
