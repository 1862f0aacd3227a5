//! Programs of neighbouring blocks whose tiles lie beside each other, in short rows: each reduces the columns of its own.

use super::{
    Choices, Generator, INPUT, Program, Slot,
    access::size,
    make,
    statements::{I1, I32},
};
use crate::regular::{Combination, Element};
use tilewright_ir::{
    AttrName, AttrValue, ComparisonPredicate, MemoryOrderingSemantics as Order, Opcode, PaddingValue, Scalar, Signedness, Type, TypeData,
    TypeTable, Value,
};

/// A program of blocks that could run in step.
pub(crate) fn beside_program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    let grid = [*choices.pick(&[16, 8, 3, 20]), *choices.pick(&[1, 1, 2]), 1];
    make(choices, combinations, grid, |generator| generator.columns_beside(i64::from(grid[0])))
}

/// A tensor that is as wide as all tiles beside each other, and the extents of a tile.
struct Strips {
    view: Value,
    scalar: Scalar,
    tile: [i64; 2],
}

impl Generator<'_> {
    /// Sums of the columns of each block's tiles, one below the other, some of which are left out.
    fn columns_beside(&mut self, blocks: i64) {
        let scalar = *self.choices.pick(&[Scalar::I32, Scalar::F32, Scalar::I8, Scalar::F16, Scalar::I64]);
        let element = Element::Number(scalar);
        let mut tile = [*self.choices.pick(&[16, 32, 64, 8, 4, 1]), *self.choices.pick(&[1, 2, 4])];
        let room = (INPUT / size(scalar)) as i64 - 8;
        while tile[0] * tile[1] * blocks > room {
            let longer = usize::from(tile[1] > 1);
            tile[longer] /= 2;
        }
        let times = (room / (tile[0] * tile[1] * blocks)).min(1 + self.choices.below(4) as i64);
        let view = self.strips(self.input, scalar, tile, [times, blocks]);
        let strips = Strips { view, scalar, tile };
        let column = self.first_coordinate();
        let zero = self.numbers(Scalar::I32, &[], &[0]);
        let first = self.sum_of_strip(&strips, [zero, column]);
        let types = [self.ty(element, &tile[1..])];
        let bounds = [0, times as u64, 1].map(|n| self.numbers(Scalar::I32, &[], &[n]));
        let op = self.op(Opcode::For, |op| {
            let [lower, upper, step] = bounds;
            let op = op.operand("lowerBound", lower).operand("upperBound", upper).operand("step", step).operand("initValues", first);
            op.attr(AttrName::UnsignedCmp, AttrValue::Absent).results(&types)
        });
        let args: Vec<Type> = [self.ty(I32, &[])].into_iter().chain(types).collect();
        self.region(op, 0, &args, |this, args| this.add_strip(&strips, column, [args[0], args[1]]));
        let value = self.result(op, 0);
        self.store_slot(&Slot { value, element, shape: tile[1..].to_vec(), solid: false });
    }

    /// The body of the loop: some blocks go another way.
    fn add_strip(&mut self, strips: &Strips, column: Value, [row, total]: [Value; 2]) {
        let (element, shape) = (Element::Number(strips.scalar), strips.tile[1..].to_vec());
        if self.choices.once_in(3) {
            let some = self.choices.below(20) as u64;
            let (limit, bit) = (self.numbers(Scalar::I32, &[], &[some]), self.ty(I1, &[]));
            let condition = self.value(Opcode::CmpI, |op| {
                let op = op.operand("lhs", column).operand("rhs", limit).result(bit);
                let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(ComparisonPredicate::Equal as u8));
                op.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8))
            });
            let leave = self.op(Opcode::If, |op| op.operand("condition", condition));
            self.region(leave, 0, &[], |this, _| {
                this.op(Opcode::Continue, |op| op.operand("operands", total));
            });
        }
        let sum = self.sum_of_strip(strips, [row, column]);
        let ty = self.ty(element, &shape);
        let opcode = if strips.scalar.is_int() { Opcode::AddI } else { Opcode::MaxF };
        let next = self.binary(opcode, ty, [total, sum]);
        self.op(Opcode::Continue, |op| op.operand("operands", next));
    }

    /// A view of tiles one below the other and one beside the other; the last of a row may lie outside in part.
    pub(super) fn strips(&mut self, base: Value, scalar: Scalar, [height, width]: [i64; 2], [down, across]: [i64; 2]) -> Value {
        let pitch = width * across;
        let inside = pitch - i64::from(pitch > 1 && self.choices.once_in(4));
        let start = size(scalar) * self.choices.below(8);
        let base = self.pointer(base, start, scalar);
        let (shape, strides) = ([height * down, inside], [pitch, 1]);
        let tensor = TypeData::TensorView { element: scalar.ty(), shape: shape.into(), strides: strides.into(), attr: None };
        let tensor_view = self.module.tables.types.intern(tensor).unwrap();
        let made = self.value(Opcode::MakeTensorView, |op| op.operand("base", base).result(tensor_view));
        let (tile, padding) = ([height as i32, width as i32].into(), Some(PaddingValue::Zero));
        let view = TypeData::PartitionView { tile, tensor_view, dim_map: [0, 1].into(), padding };
        let view = self.module.tables.types.intern(view).unwrap();
        self.value(Opcode::MakePartitionView, |op| op.operand("tensor_view", made).result(view))
    }

    fn sum_of_strip(&mut self, strips: &Strips, indices: [Value; 2]) -> Value {
        let element = Element::Number(strips.scalar);
        let tile = self.strip(strips.view, element, strips.tile, indices);
        let op = self.fold_op_along(&[tile], &[element], &strips.tile, 0, false);
        self.usual_region(op, element);
        self.result(op, 0)
    }

    /// The tile of a view.
    pub(super) fn strip(&mut self, view: Value, element: Element, tile: [i64; 2], indices: [Value; 2]) -> Value {
        let ty = self.ty(element, &tile);
        self.value(Opcode::LoadViewTko, |op| {
            let op = op.operand("view", view).operands("index", &indices);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).results(&[ty, TypeTable::token()])
        })
    }

    fn first_coordinate(&mut self) -> Value {
        let ty = self.ty(I32, &[]);
        let ids = self.op(Opcode::GetTileBlockId, |op| op.results(&[ty; 3]));
        self.result(ids, 0)
    }
}
