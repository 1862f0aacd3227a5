//! Tiles of rows, folded row by row and combined with a number for each row: what a softmax does.

use super::{
    Generator, INPUT, Slot,
    statements::{I1, is_elementwise},
};
use crate::regular::{Combination, Element};
use tilewright_ir::{Opcode, Scalar, Value};

/// Rows and their lengths, for vectors of all widths.
const TILES: [[i64; 2]; 8] = [[16, 16], [16, 32], [4, 64], [64, 4], [2, 128], [32, 8], [1, 512], [2, 256]];

/// What normalisations are made of.
const USUAL: [Opcode; 7] = [Opcode::AddF, Opcode::SubF, Opcode::MulF, Opcode::DivF, Opcode::AddI, Opcode::SubI, Opcode::MulI];

impl Generator<'_> {
    /// Computes with a tile, with one number for each of its rows and with one for each of its columns, reduces the rows, and computes with
    /// what comes out.
    pub(super) fn rows(&mut self) {
        // Floats may lie in memory as shorter ones.
        let (scalar, narrow, size) = *self.choices.pick(&[
            (Scalar::F32, None, 4),
            (Scalar::F32, Some(Scalar::F16), 4),
            (Scalar::F32, Some(Scalar::Bf16), 4),
            (Scalar::I32, None, 4),
            (Scalar::F64, None, 8),
            (Scalar::I8, None, 1),
            (Scalar::F16, None, 2),
            (Scalar::Bf16, None, 2),
        ]);
        let fits: Vec<[i64; 2]> = TILES.into_iter().filter(|[rows, columns]| rows * columns * size <= INPUT as i64).collect();
        let [mut rows, columns] = *self.choices.pick(&fits);
        let element = Element::Number(scalar);
        let mut tile = self.loaded_as(narrow, scalar, rows * columns);
        if rows <= 32 && self.choices.once_in(2) {
            // More than are worked on at a time.
            let (each, times) = ([rows, 1, columns], [rows, 8, columns]);
            let apart = self.seen_as(Opcode::Reshape, tile, element, &each);
            tile = self.seen_as(Opcode::Broadcast, apart, element, &times);
            rows *= 8;
        }
        let shape = [rows, columns];
        let tile = self.seen_as(Opcode::Reshape, tile, element, &shape);
        let column = if self.choices.once_in(2) { self.loaded_as(narrow, scalar, rows) } else { self.reduced(tile, element, shape) };
        let row = self.loaded_as(narrow, scalar, columns);
        let column = self.spread(column, element, [rows, 1], shape);
        let row = self.spread(row, element, [1, columns], shape);
        let mut values = vec![tile, column, row];
        if self.choices.once_in(2) {
            values.push(self.difference([tile, column], scalar, &shape));
        }
        let mut last = self.combine_some(&mut values, element, shape);
        let mut results = Vec::new();
        if let Some(narrow) = narrow {
            last = self.rounded(&mut values, last, narrow, shape);
        }
        for _ in 0..1 + usize::from(self.choices.once_in(2)) {
            if let Some(narrow) = narrow.filter(|_| self.choices.once_in(3)) {
                // Stored from where it is folded.
                let short = Element::Number(narrow);
                let value = self.converted(last, element, short, &shape);
                self.store_slot(&Slot { value, element: short, shape: shape.to_vec(), solid: false });
            }
            let folded = self.reduced(last, element, shape);
            results.push(Slot { value: folded, element, shape: vec![rows], solid: false });
            values.push(self.spread(folded, element, [rows, 1], shape));
            last = self.combine_some(&mut values, element, shape);
        }
        let (last, element) = match narrow {
            Some(narrow) => (self.converted(last, element, Element::Number(narrow), &shape), Element::Number(narrow)),
            None => (last, element),
        };
        results.push(Slot { value: last, element, shape: shape.to_vec(), solid: false });
        results.iter().for_each(|result| self.store_slot(result));
    }

    /// Numbers from memory, which has them as they are or in a shorter type.
    fn loaded_as(&mut self, narrow: Option<Scalar>, scalar: Scalar, n: i64) -> Value {
        match narrow {
            Some(narrow) if !self.choices.once_in(6) => {
                let value = self.loaded_numbers(narrow, n);
                self.converted(value, Element::Number(narrow), Element::Number(scalar), &[n])
            }
            _ => self.loaded_numbers(scalar, n),
        }
    }

    /// Rounds a value to a shorter type, or does not; the rounded one, in the type that it had, may be what is computed with from here on.
    fn rounded(&mut self, values: &mut Vec<Value>, value: Value, narrow: Scalar, shape: [i64; 2]) -> Value {
        let (wide, short) = (Element::Number(Scalar::F32), Element::Number(narrow));
        if self.choices.once_in(2) {
            return value;
        }
        let rounded = self.converted(value, wide, short, &shape);
        if self.choices.once_in(2) {
            self.store_slot(&Slot { value: rounded, element: short, shape: shape.to_vec(), solid: false });
        }
        let again = self.converted(rounded, short, wide, &shape);
        values.push(again);
        if self.choices.once_in(3) { value } else { again }
    }

    /// The difference of two values.
    pub(super) fn difference(&mut self, values: [Value; 2], scalar: Scalar, shape: &[i64]) -> Value {
        let (opcode, element) = (if scalar.is_int() { Opcode::SubI } else { Opcode::SubF }, Element::Number(scalar));
        let group = self.combinations.iter().find(|group| group[0].opcode == opcode).expect("it is regular");
        let combination = group.iter().find(|combination| combination.types == [element; 3]).expect("it takes these types");
        self.combined_as(combination, &values, element, shape)
    }

    /// A value in another type of floats.
    pub(super) fn converted(&mut self, value: Value, from: Element, to: Element, shape: &[i64]) -> Value {
        let group = self.combinations.iter().find(|group| group[0].opcode == Opcode::FToF).expect("it is regular");
        let combination = group.iter().find(|combination| combination.types == [from, to]).expect("it takes these types");
        self.combined_as(combination, &[value], to, shape)
    }

    /// Repeats the numbers of a column or a row.
    pub(super) fn spread(&mut self, value: Value, element: Element, extents: [i64; 2], shape: [i64; 2]) -> Value {
        let value = self.seen_as(Opcode::Reshape, value, element, &extents);
        self.seen_as(Opcode::Broadcast, value, element, &shape)
    }

    /// A chain of elementwise operations on values of one shape, to which it adds those of their type; gives the last of these. Others of
    /// them may be stored.
    fn combine_some(&mut self, values: &mut Vec<Value>, element: Element, shape: [i64; 2]) -> Value {
        for _ in 0..1 + self.choices.below(3) {
            if self.choices.once_in(8) {
                values.extend(self.on_bits(&values.clone(), element, &shape));
            }
            let (value, result) = self.combine(values, element, shape);
            if self.choices.once_in(6) {
                self.store_slot(&Slot { value, element: result, shape: shape.to_vec(), solid: false });
            }
        }
        *values.last().expect("there were some")
    }

    /// An elementwise operation on values of one shape, to which it adds its result, if it has their type; gives the result.
    pub(super) fn combine(&mut self, values: &mut Vec<Value>, element: Element, shape: [i64; 2]) -> (Value, Element) {
        let all = self.combinations;
        let on_these = |combination: &&Combination| {
            let (result, operands) = combination.types.split_last().expect("there is a result");
            is_elementwise(combination) && operands.iter().all(|ty| *ty == element) && (*result == element || *result == I1)
        };
        let fitting = all.iter().map(|group| group.iter().filter(on_these).collect::<Vec<&Combination>>());
        let fitting: Vec<Vec<&Combination>> = fitting.filter(|group| !group.is_empty()).collect();
        let usual: Vec<Vec<&Combination>> = fitting.iter().filter(|group| USUAL.contains(&group[0].opcode)).cloned().collect();
        let group = if self.choices.once_in(5) { self.choices.pick(&fitting) } else { self.choices.pick(&usual) };
        // The first one has the usual attributes.
        let combination = if self.choices.once_in(2) { group[0] } else { *self.choices.pick(group) };
        let (result, operands) = combination.types.split_last().expect("there is a result");
        let latest = *values.last().expect("there are some");
        let operands: Vec<Value> =
            operands.iter().map(|_| if self.choices.once_in(2) { latest } else { *self.choices.pick(values) }).collect();
        let value = self.combined_as(combination, &operands, *result, &shape);
        if *result == element {
            values.push(value);
        }
        (value, *result)
    }

    /// The rows of a tile, each reduced to one number.
    pub(super) fn reduced(&mut self, tile: Value, element: Element, shape: [i64; 2]) -> Value {
        let op = self.fold_op_along(&[tile], &[element], &shape, 1, false);
        self.usual_region(op, element);
        self.result(op, 0)
    }

    pub(super) fn seen_as(&mut self, opcode: Opcode, value: Value, element: Element, shape: &[i64]) -> Value {
        let ty = self.ty(element, shape);
        self.value(opcode, |op| op.operand("source", value).result(ty))
    }
}
