//! Tiles of rows, folded row by row and combined with a number for each row: what a softmax does.

use super::{
    Generator, INPUT, Slot,
    statements::{I1, is_elementwise},
};
use crate::regular::{Combination, Element};
use tilewright_ir::{Opcode, Scalar, Value};

/// Rows and their lengths, for vectors of all widths.
const TILES: [[i64; 2]; 6] = [[16, 16], [16, 32], [4, 64], [64, 4], [2, 128], [32, 8]];

impl Generator<'_> {
    /// Computes with a tile, with one number for each of its rows and with one for each of its columns.
    pub(super) fn rows(&mut self) {
        let (scalar, size) = *self.choices.pick(&[(Scalar::F32, 4), (Scalar::I32, 4), (Scalar::F64, 8), (Scalar::I8, 1)]);
        let fits: Vec<[i64; 2]> = TILES.into_iter().filter(|[rows, columns]| rows * columns * size <= INPUT as i64).collect();
        let [mut rows, columns] = *self.choices.pick(&fits);
        let element = Element::Number(scalar);
        let mut tile = self.loaded_numbers(scalar, rows * columns);
        if rows <= 32 && self.choices.once_in(3) {
            // More than are worked on at a time.
            let (each, times) = ([rows, 1, columns], [rows, 8, columns]);
            let apart = self.seen_as(Opcode::Reshape, tile, element, &each);
            tile = self.seen_as(Opcode::Broadcast, apart, element, &times);
            rows *= 8;
        }
        let shape = [rows, columns];
        let tile = self.seen_as(Opcode::Reshape, tile, element, &shape);
        let column = if self.choices.once_in(2) { self.loaded_numbers(scalar, rows) } else { self.reduced(tile, element, shape) };
        let row = self.loaded_numbers(scalar, columns);
        let mut spread = |value, extents: [i64; 2]| {
            let value = self.seen_as(Opcode::Reshape, value, element, &extents);
            self.seen_as(Opcode::Broadcast, value, element, &shape)
        };
        let operands = [tile, spread(column, [rows, 1]), spread(row, [1, columns])];
        let last = self.combine_some(operands.to_vec(), element, shape);
        let sums = self.reduced(last, element, shape);
        self.store_slot(&Slot { value: sums, element, shape: vec![rows], solid: false });
    }

    /// A chain of elementwise operations on values of one shape; gives its last value of their type.
    fn combine_some(&mut self, mut values: Vec<Value>, element: Element, shape: [i64; 2]) -> Value {
        let all = self.combinations;
        let on_these = |combination: &&Combination| {
            let (result, operands) = combination.types.split_last().expect("there is a result");
            is_elementwise(combination) && operands.iter().all(|ty| *ty == element) && (*result == element || *result == I1)
        };
        let fitting = all.iter().map(|group| group.iter().filter(on_these).collect::<Vec<&Combination>>());
        let fitting: Vec<Vec<&Combination>> = fitting.filter(|group| !group.is_empty()).collect();
        for _ in 0..1 + self.choices.below(3) {
            let group = self.choices.pick(&fitting);
            // The first one has the usual attributes.
            let combination = if self.choices.once_in(2) { group[0] } else { *self.choices.pick(group) };
            let (result, operands) = combination.types.split_last().expect("there is a result");
            let operands: Vec<Value> = operands.iter().map(|_| *self.choices.pick(&values)).collect();
            let value = self.combined_as(combination, &operands, *result, &shape);
            if *result == element {
                values.push(value);
            }
            if self.choices.once_in(3) {
                self.store_slot(&Slot { value, element: *result, shape: shape.to_vec(), solid: false });
            }
        }
        values.pop().expect("there were some")
    }

    /// The rows of a tile, each reduced to one number.
    fn reduced(&mut self, tile: Value, element: Element, shape: [i64; 2]) -> Value {
        let op = self.fold_op_along(&[tile], &[element], &shape, 1, false);
        self.usual_region(op, element);
        self.result(op, 0)
    }

    fn seen_as(&mut self, opcode: Opcode, value: Value, element: Element, shape: &[i64]) -> Value {
        let ty = self.ty(element, shape);
        self.value(opcode, |op| op.operand("source", value).result(ty))
    }
}
