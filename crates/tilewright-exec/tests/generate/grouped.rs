//! Programs whose blocks do alike: each loads rows that lie where its number says, or rows that all load, combines and folds them, and stores
//! what comes out where its number says. Blocks that are neighbours can be put together.

use super::{
    Choices, Generator, INPUT, Program,
    access::size,
    make,
    statements::{I1, I32},
};
use crate::regular::{Combination, Element};
use tilewright_ir::{
    AttrName, AttrValue, ComparisonPredicate, DYNAMIC, IntegerOverflow, MemoryOrderingSemantics as Order, Opcode, PaddingValue,
    RoundingMode, Scalar, Signedness, Type, TypeData, TypeTable, Value,
};

/// The most blocks along an axis.
const MOST: i64 = 16;
/// How much more input these programs have than others.
const ROOM: usize = 8 * INPUT;

/// A program of blocks that could be put together along one of two axes.
pub(crate) fn grouped_program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    let mut grid = [1 + choices.below(2) as u32, 1 + choices.below(2) as u32, 1];
    grid[usize::from(choices.once_in(3))] *= *choices.pick(&[2, 4, 8]);
    make(choices, combinations, grid, |generator| {
        generator.grouped = true;
        generator.room = ROOM;
        generator.numbers_of_blocks();
        for _ in 0..1 + generator.choices.below(2) {
            generator.row_for_the_pool();
        }
        generator.statements();
        if generator.choices.once_in(2) {
            generator.range_of_block();
        }
        generator.store_all();
        if generator.choices.once_in(3) {
            generator.rows();
        }
    })
}

impl Generator<'_> {
    /// Numbers made of those of the block, for the pool.
    fn numbers_of_blocks(&mut self) {
        let ty = self.ty(I32, &[]);
        for _ in 0..self.choices.below(3) {
            let id = self.id();
            let by = *self.choices.pick(&[4, 2, 8, 3, 16]);
            let by = self.numbers(Scalar::I32, &[], &[by]);
            let value = match self.choices.below(4) {
                0 => self.with_signedness(Opcode::DivI, [id, by], ty),
                1 => self.with_signedness(Opcode::RemI, [id, by], ty),
                2 => self.wrapping(Opcode::AddI, [id, by], ty),
                _ => self.wrapping(Opcode::MulI, [id, by], ty),
            };
            self.keep(value, I32, &[], true);
        }
    }

    /// A coordinate of the block.
    fn id(&mut self) -> Value {
        let position = self.position();
        position[usize::from(self.choices.once_in(3))]
    }

    fn with_signedness(&mut self, opcode: Opcode, [lhs, rhs]: [Value; 2], ty: Type) -> Value {
        let signed = AttrValue::Enum(*self.choices.pick(&[Signedness::Signed, Signedness::Unsigned]) as u8);
        let rounds = opcode.def().attr_index(AttrName::Rounding).is_some();
        self.value(opcode, |op| {
            let op = op.operand("lhs", lhs).operand("rhs", rhs).attr(AttrName::Signedness, signed).result(ty);
            if rounds { op.attr(AttrName::Rounding, AttrValue::Enum(RoundingMode::Zero as u8)) } else { op }
        })
    }

    fn wrapping(&mut self, opcode: Opcode, [lhs, rhs]: [Value; 2], ty: Type) -> Value {
        let wraps = AttrValue::Enum(IntegerOverflow::None as u8);
        self.value(opcode, |op| op.operand("lhs", lhs).operand("rhs", rhs).attr(AttrName::Overflow, wraps).result(ty))
    }

    /// A few numbers of the block's own.
    fn row_for_the_pool(&mut self) {
        let scalar = *self.choices.pick(&[Scalar::F32, Scalar::I32, Scalar::F16, Scalar::I8, Scalar::I64, Scalar::F64, Scalar::Bf16]);
        let (element, n) = (Element::Number(scalar), *self.choices.pick(&[8, 4, 2]));
        let value = self.row_of_block(scalar, n);
        self.keep(value, element, &[n], scalar.is_int());
    }

    /// A row of input that depends on the number of the block.
    pub(super) fn row_of_block(&mut self, scalar: Scalar, n: i64) -> Value {
        let fits = (n * (MOST + 4)) as usize * size(scalar) <= ROOM;
        match self.choices.below(4) {
            0 if fits => self.part_of_row(scalar, n),
            1 if fits => self.line_of_matrix(scalar, n, 0),
            2 if fits => self.line_of_matrix(scalar, n, 1),
            _ => self.gathered_row(scalar, n),
        }
    }

    /// One of the tiles that a row is cut into, or of those that begin a few further on.
    fn part_of_row(&mut self, scalar: Scalar, n: i64) -> Value {
        let mut index = self.id();
        let (further, tiles) = (self.choices.below(4) as i64, MOST + 4);
        // The last tile lies outside in part.
        let extent = (n * tiles - self.choices.below(3) as i64).max(1);
        let base = self.pointer(self.input, 0, scalar);
        if self.choices.once_in(3) {
            let ty = self.ty(I32, &[]);
            let further = self.numbers(Scalar::I32, &[], &[further as u64]);
            index = self.wrapping(Opcode::AddI, [index, further], ty);
        }
        let tensor = TypeData::TensorView { element: scalar.ty(), shape: [extent].into(), strides: [1].into(), attr: None };
        let view = self.cut_into(base, tensor, &[], &[n as i32]);
        self.tile_of_view(view, Element::Number(scalar), &[n], &[index])
    }

    /// A row or a column of a matrix.
    fn line_of_matrix(&mut self, scalar: Scalar, n: i64, along: usize) -> Value {
        let (id, zero) = (self.id(), self.numbers(Scalar::I32, &[], &[0]));
        let base = self.pointer(self.input, 0, scalar);
        let (shape, strides, tile, indices) = match along {
            0 => ([MOST, n], [n, 1], [1, n], [id, zero]),
            _ => ([n, MOST], [MOST, 1], [n, 1], [zero, id]),
        };
        let tensor = TypeData::TensorView { element: scalar.ty(), shape: shape.into(), strides: strides.into(), attr: None };
        let view = self.cut_into(base, tensor, &[], &tile.map(|extent| extent as i32));
        let element = Element::Number(scalar);
        let line = self.tile_of_view(view, element, &tile, &indices);
        let ty = self.ty(element, &[n]);
        self.value(Opcode::Reshape, |op| op.operand("source", line).result(ty))
    }

    /// Elements behind a pointer that the number of the block moves, some of which are left out.
    fn gathered_row(&mut self, scalar: Scalar, n: i64) -> Value {
        let (element, id, numbers) = (Element::Number(scalar), self.id(), self.ty(I32, &[n]));
        let room = ((ROOM / size(scalar)) as i64 - n) / MOST;
        let distance = *self.choices.pick(&[1, n, 0, 3]);
        let distance = self.numbers(Scalar::I32, &[], &[distance.min(room) as u64]);
        let ty = self.ty(I32, &[]);
        let start = self.wrapping(Opcode::MulI, [id, distance], ty);
        let all = self.spread_to(start, I32, n);
        let lanes = self.row_major(Scalar::I32, &[n]);
        let positions = self.wrapping(Opcode::AddI, [all, lanes], numbers);
        let base = self.pointer(self.input, 0, scalar);
        let pointers = self.pointers(base, scalar, positions, &[n]);
        let mut mask = Vec::new();
        if self.choices.once_in(3) {
            let limit = self.choices.below(40) as u64;
            let (limit, bits) = (self.numbers(Scalar::I32, &[n], &[limit]), self.ty(I1, &[n]));
            mask.push(self.value(Opcode::CmpI, |op| {
                let op = op.operand("lhs", positions).operand("rhs", limit).result(bits);
                let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(ComparisonPredicate::LessThan as u8));
                op.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8))
            }));
        }
        let padding: Vec<Value> = mask.iter().map(|_| self.constant(element, &[n])).collect();
        let ty = self.ty(element, &[n]);
        self.value(Opcode::LoadPtrTko, |op| {
            let op = op.operand("source", pointers).operands("mask", &mask).operands("paddingValue", &padding);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).results(&[ty, TypeTable::token()])
        })
    }

    /// A number for all elements of a row.
    fn spread_to(&mut self, value: Value, element: Element, n: i64) -> Value {
        let (one, all) = (self.ty(element, &[1]), self.ty(element, &[n]));
        let one = self.value(Opcode::Reshape, |op| op.operand("source", value).result(one));
        self.value(Opcode::Broadcast, |op| op.operand("source", one).result(all))
    }

    /// A view of a tensor as tiles, with zeros around it.
    fn cut_into(&mut self, base: Value, tensor: TypeData, strides: &[Value], tile: &[i32]) -> Value {
        let tensor_view = self.module.tables.types.intern(tensor).unwrap();
        let made =
            self.value(Opcode::MakeTensorView, |op| op.operand("base", base).operands("dynamicStrides", strides).result(tensor_view));
        let dim_map = (0..tile.len() as i32).collect();
        let view = TypeData::PartitionView { tile: tile.into(), tensor_view, dim_map, padding: Some(PaddingValue::Zero) };
        let view = self.module.tables.types.intern(view).unwrap();
        self.value(Opcode::MakePartitionView, |op| op.operand("tensor_view", made).result(view))
    }

    fn tile_of_view(&mut self, view: Value, element: Element, tile: &[i64], indices: &[Value]) -> Value {
        let ty = self.ty(element, tile);
        self.value(Opcode::LoadViewTko, |op| {
            let op = op.operand("view", view).operands("index", indices);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).results(&[ty, TypeTable::token()])
        })
    }

    /// A loop over numbers that belong to the block, of which it adds some up.
    fn range_of_block(&mut self) {
        let (id, ty) = (self.id(), self.ty(I32, &[]));
        let count = *self.choices.pick(&[4, 2, 3]);
        let many = self.numbers(Scalar::I32, &[], &[count]);
        let lower = self.wrapping(Opcode::MulI, [id, many], ty);
        let upper = self.wrapping(Opcode::AddI, [lower, many], ty);
        let (one, zero) = (self.numbers(Scalar::I32, &[], &[1]), self.numbers(Scalar::I32, &[], &[0]));
        let op = self.op(Opcode::For, |op| {
            let op = op.operand("lowerBound", lower).operand("upperBound", upper).operand("step", one).operand("initValues", zero);
            op.attr(AttrName::UnsignedCmp, AttrValue::Absent).result(ty)
        });
        self.region(op, 0, &[ty; 2], |this, args| {
            let factor = this.operand(I32, &[], false);
            let product = this.wrapping(Opcode::MulI, [args[0], factor], ty);
            let sum = this.wrapping(Opcode::AddI, [args[1], product], ty);
            this.op(Opcode::Continue, |op| op.operand("operands", sum));
        });
        let sum = self.result(op, 0);
        self.keep(sum, I32, &[], true);
    }

    /// Stores a row into a view of the output of all blocks: it begins where that of the first one does.
    pub(super) fn store_in_common_view(&mut self, row: Value, scalar: Scalar, n: i64, start: usize) {
        let [x, y] = self.position();
        let (width, bytes) = self.blocks.expect("the output has a place for each block");
        let (element, ty, each) = (Element::Number(scalar), self.ty(I32, &[]), self.numbers(Scalar::I32, &[], &[size(scalar) as u64]));
        let pitch = self.value(Opcode::DivI, |op| {
            let op = op.operand("lhs", bytes).operand("rhs", each).result(ty);
            op.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Unsigned as u8))
        });
        let across = self.numbers(Scalar::I32, &[], &[width]);
        let down = self.wrapping(Opcode::MulI, [pitch, across], ty);
        let (shape, strides) = ([MOST, width as i64, n], [DYNAMIC, DYNAMIC, 1]);
        let tensor = TypeData::TensorView { element: scalar.ty(), shape: shape.into(), strides: strides.into(), attr: None };
        let base = self.pointer(self.all_output, start, scalar);
        let view = self.cut_into(base, tensor, &[down, pitch], &[1, 1, n as i32]);
        let (tile, zero) = (self.ty(element, &[1, 1, n]), self.numbers(Scalar::I32, &[], &[0]));
        let tile = self.value(Opcode::Reshape, |op| op.operand("source", row).result(tile));
        self.op(Opcode::StoreViewTko, |op| {
            let op = op.operand("tile", tile).operand("view", view).operands("index", &[y, x, zero]);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
        });
    }
}
