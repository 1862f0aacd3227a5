//! Memory that is replicated on several devices. With one device, the operations do to it what those on other memory do.

use super::Generator;
use crate::regular::Element;
use tilewright_ir::{
    AttrName, MemoryOrderingSemantics as Order, MultimemReductionKind as Kind, Opcode, PaddingValue, PtrAttr, Scalar, TypeData, TypeTable,
    Value,
};

/// What such operations work on.
const SCALARS: [Scalar; 6] = [Scalar::I32, Scalar::I64, Scalar::F32, Scalar::F16, Scalar::Bf16, Scalar::F64];
const KINDS: [Kind; 8] = [Kind::Add, Kind::Min, Kind::Max, Kind::And, Kind::Or, Kind::Xor, Kind::Umin, Kind::Umax];

/// A tile of replicated memory.
struct Replicas {
    view: Value,
    tile: Vec<i64>,
    indices: Vec<Value>,
    /// For each dimension, whether the tile lies inside of the tensor.
    inside: Vec<bool>,
}

impl Generator<'_> {
    /// Stores to replicas, combines something into them, and loads them again.
    pub(super) fn multimem(&mut self) {
        let scalar = *self.choices.pick(&SCALARS);
        let element = Element::Number(scalar);
        let replicas = self.replicas(scalar);
        let [first, second] = [0; 2].map(|_| self.operand(element, &replicas.tile, false));
        let [order, scope] = self.order(&[Order::Weak, Order::Relaxed, Order::Release]);
        let (inbounds, after) = (self.inbounds(&replicas.inside), self.after());
        self.op(Opcode::MultimemStoreViewTko, |op| {
            let op = op.operand("view", replicas.view).operand("tile", first).operands("index", &replicas.indices);
            let op = op.operands("token", &after).attr(AttrName::Inbounds, inbounds);
            op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope).result(TypeTable::token())
        });
        let kind = self.kind(Opcode::MultimemReduceViewTko, scalar);
        let [order, scope] = self.order(&[Order::Relaxed, Order::Release]);
        let (inbounds, after) = (self.inbounds(&replicas.inside), self.after());
        self.op(Opcode::MultimemReduceViewTko, |op| {
            let op = op.operand("view", replicas.view).operand("tile", second).operands("index", &replicas.indices);
            let op = op.operands("token", &after);
            let op = op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope);
            op.attr(AttrName::Inbounds, inbounds).attr(AttrName::Reduction, Self::wire(kind as u8)).result(TypeTable::token())
        });
        let kind = self.kind(Opcode::MultimemLoadReduceViewTko, scalar);
        let [order, scope] = self.order(&[Order::Weak, Order::Relaxed, Order::Acquire]);
        let ty = self.ty(element, &replicas.tile);
        let (inbounds, after) = (self.inbounds(&replicas.inside), self.after());
        let value = self.value(Opcode::MultimemLoadReduceViewTko, |op| {
            let op = op.operand("view", replicas.view).operands("index", &replicas.indices).operands("token", &after);
            let op = op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope);
            op.attr(AttrName::Inbounds, inbounds).attr(AttrName::Reduction, Self::wire(kind as u8)).results(&[ty, TypeTable::token()])
        });
        self.keep(value, element, &replicas.tile, false);
    }

    /// A way to combine that an operation has for a type.
    fn kind(&mut self, opcode: Opcode, scalar: Scalar) -> Kind {
        let halves = matches!(scalar, Scalar::F16 | Scalar::Bf16) && opcode == Opcode::MultimemLoadReduceViewTko;
        let known = KINDS.into_iter().filter(|kind| match kind {
            Kind::Add => true,
            Kind::Min | Kind::Max => scalar.is_int() || halves,
            _ => scalar.is_int(),
        });
        *self.choices.pick(&known.collect::<Vec<_>>())
    }

    /// A view of output that nobody else has, as replicated memory.
    fn replicas(&mut self, scalar: Scalar) -> Replicas {
        let start = self.take(128);
        let plain = self.pointer(self.output, start, scalar);
        let address = self.ty(Element::Number(Scalar::I64), &[]);
        let address = self.value(Opcode::PtrToInt, |op| op.operand("source", plain).result(address));
        let types = &mut self.module.tables.types;
        let attr = Some(PtrAttr::Multicast);
        let pointer = types.intern(TypeData::Pointer { pointee: scalar.ty(), attr }).unwrap();
        let pointer = types.tile(pointer, &[]).unwrap();
        // Rows of 4, so that tiles that reach out of 3 rows meet the edge.
        let tensor = TypeData::TensorView { element: scalar.ty(), shape: [3, 4].into(), strides: [4, 1].into(), attr };
        let tensor = types.intern(tensor).unwrap();
        let mut paddings = vec![None, Some(PaddingValue::Zero)];
        if scalar.is_float() {
            paddings.extend([PaddingValue::Nan, PaddingValue::NegZero, PaddingValue::PosInf, PaddingValue::NegInf].map(Some));
        }
        let padding = *self.choices.pick(&paddings);
        let tile = *self.choices.pick(&[[2, 2], [1, 4], [2, 4], [4, 2]]);
        let view = TypeData::PartitionView { tile: tile.into(), tensor_view: tensor, dim_map: [0, 1].into(), padding };
        let view_ty = self.module.tables.types.intern(view).unwrap();
        let base = self.value(Opcode::IntToPtr, |op| op.operand("source", address).result(pointer));
        let tensor = self.value(Opcode::MakeTensorView, |op| op.operand("base", base).result(tensor));
        let view = self.value(Opcode::MakePartitionView, |op| op.operand("tensor_view", tensor).result(view_ty));
        let [rows, columns] = tile.map(i64::from);
        let places = [(3 + rows - 1) / rows, 4 / columns].map(|count| self.choices.below(count as usize) as i64);
        let index_type = self.count_type(places[0].max(places[1]));
        let indices = places.map(|index| self.numbers(index_type, &[], &[index as u64]));
        // Tiles reach out of the rows only.
        let inside = vec![(places[0] + 1) * rows <= 3, true];
        Replicas { view, tile: vec![rows, columns], indices: indices.into(), inside }
    }
}
