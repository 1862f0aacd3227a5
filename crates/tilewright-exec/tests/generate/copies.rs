//! Tiles that are only moved: from the input to the output, within the output, turned around or not.

use super::{Generator, access::MEMORY, access::size};
use crate::regular::Element;
use tilewright_ir::{AttrData, AttrName, AttrValue, MemoryOrderingSemantics as Order, Opcode, Scalar, TypeData, TypeTable, Value};

/// Bytes of a tile: with gaps between its rows, it fits the input.
const BYTES: usize = 1024;

impl Generator<'_> {
    /// Copies a tile of input to the output, and maybe turns it around there.
    pub(super) fn copy(&mut self) {
        let scalar = *self.choices.pick(&MEMORY);
        let element = Element::Number(scalar);
        let mut shape = *self.choices.pick(&[[2, 4], [16, 16], [32, 8], [8, 32], [32, 32], [16, 8]]);
        while (shape[0] * shape[1]) as usize * size(scalar) > BYTES {
            shape[0] /= 2;
        }
        let value = self.loaded(element, &shape);
        let (value, shape) = if self.choices.below(3) > 0 { self.turned(value, element, shape) } else { (value, shape) };
        let gap = *self.choices.pick(&[0, 0, 64 / size(scalar) as i64, 1]);
        let pitch = shape[1] + gap;
        let start = self.take((shape[0] * pitch) as usize * size(scalar));
        let base = self.pointer(self.output, start, scalar);
        let view = self.whole(base, scalar, &shape, &[pitch, 1]);
        self.store_whole(value, view);
        if self.choices.below(3) == 2 {
            // What is read there is written there.
            let again = self.load_whole(view, element, &shape);
            let (turned, shape) = self.turned(again, element, shape);
            let fits = shape[1] <= pitch && shape[0] * pitch <= shape[1] * pitch;
            let view = if fits { self.whole(base, scalar, &shape, &[pitch, 1]) } else { self.whole(base, scalar, &shape, &[1, pitch]) };
            self.store_whole(turned, view);
        }
    }

    /// A matrix with rows and columns exchanged, and its shape.
    pub(super) fn turned(&mut self, value: Value, element: Element, [rows, columns]: [i64; 2]) -> (Value, [i64; 2]) {
        let ty = self.ty(element, &[columns, rows]);
        let permutation = self.module.tables.attrs.intern(AttrData::I32Array([1, 0].into()));
        let turned = self
            .value(Opcode::Permute, |op| op.operand("source", value).attr(AttrName::Permutation, AttrValue::Attr(permutation)).result(ty));
        (turned, [columns, rows])
    }

    /// A view with a single tile, which is the whole tensor of this shape at `base`.
    pub(super) fn whole(&mut self, base: Value, scalar: Scalar, shape: &[i64], strides: &[i64]) -> Value {
        let tensor = TypeData::TensorView { element: scalar.ty(), shape: shape.into(), strides: strides.into(), attr: None };
        let tensor = self.module.tables.types.intern(tensor).unwrap();
        let tensor_view = self.value(Opcode::MakeTensorView, |op| op.operand("base", base).result(tensor));
        let dim_map: Vec<i32> = (0..shape.len() as i32).collect();
        let tile: Vec<i32> = shape.iter().map(|extent| *extent as i32).collect();
        let view = TypeData::PartitionView { tile: tile.into(), tensor_view: tensor, dim_map: dim_map.into(), padding: None };
        let view = self.module.tables.types.intern(view).unwrap();
        self.value(Opcode::MakePartitionView, |op| op.operand("tensor_view", tensor_view).result(view))
    }

    /// The tile of a view that has a single one.
    pub(super) fn load_whole(&mut self, view: Value, element: Element, shape: &[i64]) -> Value {
        let (zero, ty) = (self.numbers(Scalar::I32, &[], &[0]), self.ty(element, shape));
        self.value(Opcode::LoadViewTko, |op| {
            let op = op.operand("view", view).operands("index", &vec![zero; shape.len()]);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).results(&[ty, TypeTable::token()])
        })
    }

    fn store_whole(&mut self, value: Value, view: Value) {
        let zero = self.numbers(Scalar::I32, &[], &[0]);
        self.op(Opcode::StoreViewTko, |op| {
            let op = op.operand("tile", value).operand("view", view).operands("index", &[zero; 2]);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
        });
    }
}
