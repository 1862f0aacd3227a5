//! Programs of blocks that normalise rows: each reduces its rows several times, and computes with what comes out. Tiles may be longer than the rows of their
//! tensors, and be stored where one was loaded.

use super::{Choices, Generator, INPUT, Program, access::size, make};
use crate::regular::{Combination, Element};
use tilewright_ir::{AttrName, MemoryOrderingSemantics as Order, Opcode, PaddingValue, Scalar, TypeData, TypeTable, Value};

/// Rows and columns of tiles, long enough for what the engine does with such rows.
const TILES: [[i64; 2]; 8] = [[1, 256], [1, 512], [2, 256], [4, 256], [1, 1024], [2, 512], [8, 256], [1, 2048]];

/// The numbers of a matrix, of which each block has some rows, as they lie in memory.
struct Matrix {
    scalar: Scalar,
    tile: [i64; 2],
    /// Rows and columns that are there, and from one row to the next.
    shape: [i64; 2],
    pitch: i64,
}

impl Matrix {
    fn bytes(&self) -> i64 {
        (self.shape[0] * self.pitch + 8) * size(self.scalar) as i64
    }
}

/// A program of blocks that normalise rows.
pub(crate) fn normalised_program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    let blocks = *choices.pick(&[1, 2, 3, 5]);
    make(choices, combinations, [blocks, 1, 1], |generator| generator.normalised(i64::from(blocks)))
}

impl Generator<'_> {
    fn normalised(&mut self, blocks: i64) {
        let (scalar, narrow) = *self.choices.pick(&[
            (Scalar::F32, None),
            (Scalar::F32, Some(Scalar::F16)),
            (Scalar::F32, Some(Scalar::Bf16)),
            (Scalar::F64, None),
            (Scalar::I32, None),
            (Scalar::F16, None),
        ]);
        self.room = 16 * INPUT;
        let stored = narrow.unwrap_or(scalar);
        let fits = |[rows, columns]: &[i64; 2]| blocks * rows * (columns + 64) * (size(scalar) as i64) < 12 * INPUT as i64;
        let fits: Vec<[i64; 2]> = TILES.into_iter().filter(fits).collect();
        let tile = *self.choices.pick(&fits);
        let columns = tile[1] - *self.choices.pick(&[0, 0, 1, 3, 56, tile[1] / 4, tile[1] / 2, tile[1] - 5]);
        let rows = blocks * tile[0] - i64::from(tile[0] > 1 && self.choices.once_in(4));
        let pitch = columns + *self.choices.pick(&[0, 0, 3, 64]);
        let matrix = Matrix { scalar: stored, tile, shape: [rows, columns], pitch };
        let (element, block) = (Element::Number(scalar), self.position()[0]);
        let mut values = vec![self.rows_of(&matrix, self.input, block, scalar)];
        // All blocks write one matrix, or two.
        self.take((2 * matrix.bytes() / blocks + 64) as usize);
        let output = self.all_output;
        if self.choices.once_in(4) {
            values.push(self.rows_of(&matrix, output, block, scalar));
        }
        if self.choices.once_in(2) {
            let weights = Matrix { tile: [1, tile[1]], shape: [1, columns], ..matrix };
            let zero = self.numbers(Scalar::I32, &[], &[0]);
            let weights = self.rows_of(&weights, self.input, zero, scalar);
            values.push(self.spread(weights, element, [1, tile[1]], tile));
        }
        let mut last = values[0];
        if self.choices.once_in(2) {
            last = self.combine_few(&mut values, element, tile);
        }
        for _ in 0..1 + self.choices.below(3) {
            let folded = self.reduced(last, element, tile);
            let number = self.seen_as(Opcode::Reshape, folded, element, &[tile[0], 1]);
            let mut numbers = vec![number];
            if self.choices.once_in(2) {
                self.combine(&mut numbers, element, [tile[0], 1]);
            }
            let number = *numbers.last().expect("there is one");
            let number = self.seen_as(Opcode::Broadcast, number, element, &tile);
            values.push(number);
            if !self.choices.once_in(4) {
                values.push(self.difference([last, number], scalar, &tile));
            }
            last = self.combine_few(&mut values, element, tile);
        }
        let mut stored = vec![last];
        if self.choices.once_in(3) {
            stored.push(*self.choices.pick(&values));
        }
        for (number, mut value) in stored.into_iter().enumerate() {
            if let Some(narrow) = narrow {
                value = self.converted(value, element, Element::Number(narrow), &tile);
            }
            let view = self.view_of(&matrix, number, output);
            let zero = self.numbers(Scalar::I32, &[], &[0]);
            self.op(Opcode::StoreViewTko, |op| {
                let op = op.operand("tile", value).operand("view", view).operands("index", &[block, zero]);
                op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
            });
        }
    }

    /// A chain of elementwise operations on values of one shape, to which it adds those of their type; gives the last of these.
    fn combine_few(&mut self, values: &mut Vec<Value>, element: Element, tile: [i64; 2]) -> Value {
        for _ in 0..1 + self.choices.below(3) {
            self.combine(values, element, tile);
        }
        // What is reduced then may have been computed in another type.
        if self.choices.once_in(6) {
            values.extend(self.on_bits(&values.clone(), element, &tile));
        }
        *values.last().expect("there were some")
    }

    /// The rows of a matrix that a block has, computed with in a type.
    fn rows_of(&mut self, matrix: &Matrix, base: Value, block: Value, scalar: Scalar) -> Value {
        let view = self.view_of(matrix, 0, base);
        let zero = self.numbers(Scalar::I32, &[], &[0]);
        let element = Element::Number(matrix.scalar);
        let tile = self.strip(view, element, matrix.tile, [block, zero]);
        if matrix.scalar == scalar { tile } else { self.converted(tile, element, Element::Number(scalar), &matrix.tile) }
    }

    /// A view of the matrix with this number among such ones, which lie behind each other.
    fn view_of(&mut self, matrix: &Matrix, number: usize, base: Value) -> Value {
        let base = self.pointer(base, number * matrix.bytes() as usize, matrix.scalar);
        let (shape, strides) = (matrix.shape.into(), [matrix.pitch, 1].into());
        let tensor = TypeData::TensorView { element: matrix.scalar.ty(), shape, strides, attr: None };
        let tensor_view = self.module.tables.types.intern(tensor).unwrap();
        let made = self.value(Opcode::MakeTensorView, |op| op.operand("base", base).result(tensor_view));
        let mut paddings = vec![PaddingValue::Zero];
        if matrix.scalar.is_float() {
            paddings.extend([PaddingValue::NegInf, PaddingValue::PosInf, PaddingValue::NegZero]);
        }
        let padding = Some(*self.choices.pick(&paddings));
        let view =
            TypeData::PartitionView { tile: matrix.tile.map(|extent| extent as i32).into(), tensor_view, dim_map: [0, 1].into(), padding };
        let view = self.module.tables.types.intern(view).unwrap();
        self.value(Opcode::MakePartitionView, |op| op.operand("tensor_view", made).result(view))
    }
}
