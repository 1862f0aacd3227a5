//! Programs of products and sums of floats: what `fuse-fma` makes one operation of, and what it must leave alone.

use super::{Choices, Generator, Program, make};
use crate::regular::{Combination, Element};
use tilewright_ir::{Opcode, Scalar, Value};

/// How many numbers each value has: enough for some to round differently, few enough for exact arithmetic to be fast.
const NUMBERS: i64 = 32;

/// A program that multiplies and adds, and stores every value.
pub(crate) fn sum_program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    make(choices, combinations, [1; 3], |generator| {
        generator.sums();
        generator.store_all();
    })
}

impl Generator<'_> {
    fn sums(&mut self) {
        let scalar = *self.choices.pick(&[Scalar::F32, Scalar::F32, Scalar::F16, Scalar::F64, Scalar::Bf16]);
        let element = Element::Number(scalar);
        let mut values = vec![self.loaded_row(scalar, NUMBERS), self.constant(element, &[NUMBERS]), self.constant(element, &[NUMBERS])];
        for _ in 0..1 + self.choices.below(5) {
            let sum = if self.choices.once_in(6) { self.in_a_branch(element, &values) } else { self.sum(element, &mut values) };
            values.push(sum);
        }
        values.into_iter().for_each(|value| self.keep(value, element, &[NUMBERS], false));
    }

    /// A sum of a product and something else, as often as not with the same rounding.
    fn sum(&mut self, element: Element, values: &mut Vec<Value>) -> Value {
        let factors = [0; 2].map(|_| *self.choices.pick(values));
        let rounding = self.row_of(Opcode::MulF, element);
        let product = self.combined_as(&rounding, &factors, element, &[NUMBERS]);
        // The same product once more nearly cancels: what is left is what rounding made of it.
        let other = match self.choices.below(4) {
            0 => self.combined_as(&rounding, &factors, element, &[NUMBERS]),
            _ => *self.choices.pick(values),
        };
        if self.choices.once_in(5) {
            values.push(product);
        }
        let opcode = *self.choices.pick(&[Opcode::AddF, Opcode::SubF]);
        let attrs = if self.choices.once_in(4) { self.row_of(opcode, element).attrs } else { rounding.attrs.clone() };
        let sides = if self.choices.below(2) == 0 { [product, other] } else { [other, product] };
        self.combined_as(&Combination { opcode, attrs, ..rounding }, &sides, element, &[NUMBERS])
    }

    /// A branch that gives a sum of its own, or of a product from outside.
    fn in_a_branch(&mut self, element: Element, values: &[Value]) -> Value {
        let bit = self.choices.below(2) as u64;
        let (condition, ty) = (self.numbers(Scalar::I1, &[], &[bit]), self.ty(element, &[NUMBERS]));
        let row = self.row_of(Opcode::MulF, element);
        let factors = [0; 2].map(|_| *self.choices.pick(values));
        let outside = self.combined_as(&row, &factors, element, &[NUMBERS]);
        let op = self.op(Opcode::If, |op| op.operand("condition", condition).results(&[ty]));
        for side in 0..2 {
            self.region(op, side, &[], |this, _| {
                let sum = match this.choices.below(2) {
                    0 => this.sum(element, &mut values.to_vec()),
                    _ => {
                        let row = Combination { opcode: Opcode::AddF, ..row.clone() };
                        let other = *this.choices.pick(values);
                        this.combined_as(&row, &[outside, other], element, &[NUMBERS])
                    }
                };
                this.op(Opcode::Yield, |op| op.operands("operands", &[sum]));
            });
        }
        self.result(op, 0)
    }

    /// An operation on floats of this type, with any attributes.
    fn row_of(&mut self, opcode: Opcode, element: Element) -> Combination {
        let all = self.combinations.iter().flatten();
        let rows: Vec<&Combination> = all.filter(|row| row.opcode == opcode && row.types[0] == element).collect();
        (*self.choices.pick(&rows)).clone()
    }
}
