//! Programs of blocks that do nothing but to combine tiles element by element, or to copy one: neighbours could run as one.

use super::{Choices, Generator, INPUT, Program, access::size, make};
use crate::regular::{Combination, Element};
use tilewright_ir::{AttrName, MemoryOrderingSemantics as Order, Opcode, Scalar, TypeTable, Value};

/// Rows and columns of tiles: some as long as several vectors, others shorter than one.
const TILES: [[i64; 2]; 8] = [[1, 128], [1, 128], [1, 256], [1, 16], [1, 128], [1, 1], [2, 64], [4, 2]];

/// The same for tiles that are only copied.
const COPIED: [[i64; 2]; 6] = [[16, 16], [32, 16], [4, 8], [1, 64], [64, 1], [16, 64]];

/// A program of blocks that could run as one.
pub(crate) fn elementwise_program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    let grid = [*choices.pick(&[4, 2, 16, 40, 7, 3]), *choices.pick(&[1, 1, 2, 3]), 1];
    make(choices, combinations, grid, |generator| generator.tiles_apart(grid.map(i64::from)))
}

impl Generator<'_> {
    /// Stores what comes out of some tiles, which lie where the position of the block says.
    fn tiles_apart(&mut self, [across, down, _]: [i64; 3]) {
        let copies = self.choices.once_in(4);
        let scalar =
            *self.choices.pick(&[Scalar::F32, Scalar::F32, Scalar::F32, Scalar::I32, Scalar::I8, Scalar::F64, Scalar::F16, Scalar::Bf16]);
        self.room = 4 * INPUT;
        let (element, room) = (Element::Number(scalar), (self.room / size(scalar)) as i64 - 8);
        let fits = |[rows, columns]: &[i64; 2]| rows * columns * across * down <= room;
        let fits: Vec<[i64; 2]> = if copies { COPIED.into_iter().filter(fits).collect() } else { TILES.into_iter().filter(fits).collect() };
        let Some(&tile) = (!fits.is_empty()).then(|| self.choices.pick(&fits)) else { return };
        let position = self.position();
        let mut values = Vec::new();
        for _ in 0..if copies { 1 } else { 1 + self.choices.below(3) } {
            let (extents, mut indices) = self.placed(position, [across, down]);
            let view = self.strips(self.input, scalar, tile, extents);
            if self.choices.once_in(4) {
                let constant = self.choices.below(2);
                let index = self.choices.below(extents[constant] as usize) as u64;
                indices[constant] = self.numbers(Scalar::I32, &[], &[index]);
            }
            values.push(self.strip(view, element, tile, indices));
        }
        let (result, shape) = if !copies {
            (self.result_of(values, element, tile), tile)
        } else if self.choices.once_in(3) {
            (values[0], tile)
        } else {
            self.turned(values[0], element, tile)
        };
        let (extents, indices) = self.placed(position, [across, down]);
        // All blocks write one tensor, from the beginning of the output or shortly behind it.
        let view = self.strips(self.all_output, scalar, shape, extents);
        self.take(size(scalar) * (8 + tile[0] * tile[1]) as usize);
        self.op(Opcode::StoreViewTko, |op| {
            let op = op.operand("tile", result).operand("view", view).operands("index", &indices);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
        });
    }

    /// What some operations make of tiles, and of a constant.
    fn result_of(&mut self, mut values: Vec<Value>, element: Element, tile: [i64; 2]) -> Value {
        match (self.choices.below(4), element) {
            (0, _) => values.push(self.constant(element, &tile)),
            (1, Element::Number(scalar)) => {
                let number = self.number(scalar);
                values.push(self.numbers(scalar, &tile, &[number]));
            }
            _ => {}
        }
        for _ in 0..1 + self.choices.below(4) {
            if self.choices.once_in(6) {
                values.extend(self.on_bits(&values.clone(), element, &tile));
            }
            self.combine(&mut values, element, tile);
        }
        *values.last().expect("there are some")
    }

    /// The coordinates of the block.
    pub(super) fn position(&mut self) -> [Value; 2] {
        let ty = self.ty(Element::Number(Scalar::I32), &[]);
        let ids = self.op(Opcode::GetTileBlockId, |op| op.results(&[ty; 3]));
        [self.result(ids, 0), self.result(ids, 1)]
    }

    /// How many tiles there are below and beside each other, and which is the block's: with the first coordinate along rows, or columns.
    fn placed(&mut self, [x, y]: [Value; 2], [across, down]: [i64; 2]) -> ([i64; 2], [Value; 2]) {
        if self.choices.once_in(3) { ([across, down], [x, y]) } else { ([down, across], [y, x]) }
    }
}
