//! Memory that is read and written in turns, in an order that tokens give: what was read stays what it was.

use super::{Generator, Slot, statements::I32};
use tilewright_ir::{AttrName, MemoryOrderingSemantics as Order, Opcode, Scalar, Type, TypeTable, Value};

/// Numbers of a tile: few, or so many that the engine does not compute them at once.
const TILES: [i64; 4] = [8, 4, 16, 2048];
/// By how many numbers tiles may lie apart.
const SPREAD: usize = 12;

impl Generator<'_> {
    /// Loads, computes and stores in one piece of memory, in tiles that may overlap.
    pub(super) fn update(&mut self) {
        let n = *self.choices.pick(&TILES);
        let start = self.take(4 * (n as usize + SPREAD));
        let (ty, number) = (self.ty(I32, &[n]), self.number(Scalar::I32));
        let mut values = vec![self.value(Opcode::Iota, |op| op.result(ty)), self.numbers(Scalar::I32, &[n], &[number])];
        let mut token = self.value(Opcode::MakeToken, |op| op.result(TypeTable::token()));
        for _ in 0..3 + self.choices.below(5) {
            let place = start + 4 * self.choices.below(SPREAD + 1);
            match self.choices.below(4) {
                0 => {
                    let value;
                    (value, token) = self.load_row(place, n, token);
                    values.push(value);
                }
                1 => {
                    let value = *self.choices.pick(&values);
                    token = self.store_row(place, n, value, token);
                }
                // Nothing else needs this result.
                2 => {
                    let value = self.combined_numbers(&values, ty);
                    token = self.store_row(place, n, value, token);
                }
                _ => values.push(self.combined_numbers(&values, ty)),
            }
        }
        for value in values.split_off(2) {
            if self.choices.below(2) == 1 {
                self.store_slot(&Slot { value, element: I32, shape: vec![n], solid: false });
            }
        }
    }

    fn combined_numbers(&mut self, values: &[Value], ty: Type) -> Value {
        let [lhs, rhs] = [0; 2].map(|_| *self.choices.pick(values));
        let opcode = *self.choices.pick(&[Opcode::AddI, Opcode::SubI, Opcode::XOrI]);
        self.value(opcode, |op| op.operand("lhs", lhs).operand("rhs", rhs).result(ty))
    }

    fn load_row(&mut self, place: usize, n: i64, token: Value) -> (Value, Value) {
        let view = self.row(self.output, place, Scalar::I32, n);
        let (zero, ty) = (self.numbers(Scalar::I32, &[], &[0]), self.ty(I32, &[n]));
        let op = self.op(Opcode::LoadViewTko, |op| {
            let op = op.operand("view", view).operand("index", zero).operand("token", token);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).results(&[ty, TypeTable::token()])
        });
        (self.result(op, 0), self.result(op, 1))
    }

    fn store_row(&mut self, place: usize, n: i64, value: Value, token: Value) -> Value {
        let view = self.row(self.output, place, Scalar::I32, n);
        let zero = self.numbers(Scalar::I32, &[], &[0]);
        self.value(Opcode::StoreViewTko, |op| {
            let op = op.operand("tile", value).operand("view", view).operand("index", zero).operand("token", token);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
        })
    }
}
