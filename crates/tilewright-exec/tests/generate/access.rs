//! Loads, and the views and pointers that accesses go through, always inside of their buffers.

use super::{
    Generator, INPUT,
    statements::{I1, I32},
};
use crate::regular::Element;
use tilewright_ir::{
    AttrData, AttrName, AttrValue, DYNAMIC, MemoryOrderingSemantics as Order, MemoryScope, Opcode, PaddingValue, Scalar, SymbolVisibility,
    Type, TypeData, TypeTable, Value,
};

/// What lies in memory one by one.
pub(super) const MEMORY: [Scalar; 14] = [
    Scalar::I32,
    Scalar::I1,
    Scalar::I8,
    Scalar::I16,
    Scalar::I64,
    Scalar::F32,
    Scalar::F16,
    Scalar::Bf16,
    Scalar::F64,
    Scalar::Tf32,
    Scalar::F8E4M3FN,
    Scalar::F8E5M2,
    Scalar::F8E8M0FNU,
    Scalar::Fnv8E5M3FNU,
];
/// What counts elements: indices, extents and strides, all read as unsigned.
const COUNTS: [Scalar; 5] = [Scalar::I32, Scalar::I64, Scalar::I8, Scalar::I16, Scalar::I1];
/// More elements than the signed numbers of 8 bits.
const ROW: i64 = 200;

/// Bytes of an element.
pub(super) fn size(scalar: Scalar) -> usize {
    if scalar == Scalar::Tf32 { 4 } else { scalar.bits().div_ceil(8) as usize }
}

/// A view that was made: its value, the shape of its tiles, and the indices of one.
pub(super) struct MadeView {
    pub(super) view: Value,
    pub(super) tile: Vec<i64>,
    pub(super) indices: Vec<Value>,
    /// Whether every element has a value: the tensor is covered, or there is padding.
    complete: bool,
    /// For each dimension, whether the tile lies inside of the tensor.
    pub(super) inside: Vec<bool>,
}

impl Generator<'_> {
    pub(super) fn wire(value: u8) -> AttrValue {
        AttrValue::Enum(value)
    }

    /// An ordering among these, and the scope that goes with it.
    pub(super) fn order(&mut self, orders: &[Order]) -> [AttrValue; 2] {
        let order = if self.grouped { Order::Weak } else { *self.choices.pick(orders) };
        let scope = *self.choices.pick(&[MemoryScope::TlBlk, MemoryScope::Device, MemoryScope::Sys]);
        [Self::wire(order as u8), if order == Order::Weak { AttrValue::Absent } else { Self::wire(scope as u8) }]
    }

    /// A token for an operation that can take one, or none: what was before it is over either way.
    pub(super) fn after(&mut self) -> Vec<Value> {
        if self.choices.once_in(4) { vec![self.value(Opcode::MakeToken, |op| op.result(TypeTable::token()))] } else { Vec::new() }
    }

    /// A type that holds all counts up to the largest.
    pub(super) fn count_type(&mut self, largest: i64) -> Scalar {
        let fitting: Vec<Scalar> = COUNTS.into_iter().filter(|scalar| u128::from(largest.cast_unsigned()) < 1 << scalar.bits()).collect();
        *self.choices.pick(&fitting)
    }

    /// A pointer to numbers, some bytes behind another pointer.
    pub(super) fn pointer(&mut self, base: Value, bytes: usize, scalar: Scalar) -> Value {
        let offset = self.numbers(Scalar::I64, &[], &[bytes as u64]);
        let moved = self.moved(base, offset);
        let ty = self.ty(Element::PointerTo(scalar), &[]);
        self.value(Opcode::PtrToPtr, |op| op.operand("source", moved).result(ty))
    }

    /// Bytes of the output that nobody has: where they begin.
    pub(super) fn take(&mut self, bytes: usize) -> usize {
        let start = self.written;
        self.written += bytes.next_multiple_of(16);
        start
    }

    pub(super) fn load(&mut self) {
        match self.choices.below(4) {
            0 => self.load_pointers(),
            1 => self.load_global(),
            _ => self.load_view(),
        }
    }

    /// Pointers to elements at these positions behind a base.
    pub(super) fn pointers(&mut self, base: Value, scalar: Scalar, positions: Value, shape: &[i64]) -> Value {
        let element = Element::PointerTo(scalar);
        let (ones, all) = (self.ty(element, &vec![1; shape.len()]), self.ty(element, shape));
        let mut pointers = base;
        if !shape.is_empty() {
            let one = self.value(Opcode::Reshape, |op| op.operand("source", base).result(ones));
            pointers = self.value(Opcode::Broadcast, |op| op.operand("source", one).result(all));
        }
        self.value(Opcode::Offset, |op| op.operand("ptr", pointers).operand("offset", positions).result(all))
    }

    fn load_pointers(&mut self) {
        let scalar = *self.choices.pick(&MEMORY);
        let element = Element::Number(scalar);
        let shape = self.shape(element);
        let half = INPUT / 2;
        let base = self.pointer(self.input, half, scalar);
        // Any numbers, cut to the range of positions.
        let numbers = self.operand(I32, &shape, true);
        let mask = self.numbers(Scalar::I32, &shape, &[(half / size(scalar) - 1) as u64]);
        let ty = self.ty(I32, &shape);
        let positions = if self.choices.once_in(3) {
            self.row_major(Scalar::I32, &shape)
        } else {
            self.value(Opcode::AndI, |op| op.operand("lhs", numbers).operand("rhs", mask).result(ty))
        };
        let positions = self.indices(positions, &shape);
        let pointers = self.pointers(base, scalar, positions, &shape);
        let hidden = if self.choices.below(3) == 2 { vec![self.operand(I1, &shape, true)] } else { Vec::new() };
        let padding =
            if !hidden.is_empty() && self.choices.below(2) == 1 { vec![self.operand(element, &shape, false)] } else { Vec::new() };
        let [order, scope] = self.order(&[Order::Weak, Order::Relaxed, Order::Acquire]);
        let ty = self.ty(element, &shape);
        let after = self.after();
        let value = self.value(Opcode::LoadPtrTko, |op| {
            let op = op.operand("source", pointers).operands("mask", &hidden).operands("paddingValue", &padding).operands("token", &after);
            let op = op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope);
            op.results(&[ty, TypeTable::token()])
        });
        let solid = scalar.is_int() && hidden.is_empty();
        self.keep(value, element, &shape, solid);
    }

    fn load_global(&mut self) {
        let scalar = if self.choices.once_in(10) { Scalar::F4E2M1FN } else { *self.choices.pick(&MEMORY) };
        let n = *self.choices.pick(&[4i64, 8, 2]);
        let (element, count) = (Element::Number(scalar), self.choices.below(2) * (n as usize - 1) + 1);
        let bits: Vec<u64> = (0..count).map(|_| self.number(scalar)).collect();
        let data: Vec<u8> = match scalar {
            Scalar::I1 => vec![bits.iter().enumerate().map(|(i, bit)| ((bit & 1) as u8) << i).sum()],
            _ => bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(scalar.bits().div_ceil(8) as usize)).collect(),
        };
        let name = self.module.tables.strings.intern(format!("g{}", self.globals));
        self.globals += 1;
        let (ty, value) = (self.ty(element, &[n]), self.module.tables.constants.add(&data));
        let visibility = *self.choices.pick(&[SymbolVisibility::Public, SymbolVisibility::Private]);
        let alignment = *self.choices.pick(&[0, 16, 4096]);
        let constant = self.choices.below(2) == 1;
        self.module.globals.push(tilewright_ir::Global { name, ty, value, alignment, visibility, constant });
        let pointer = self.ty(Element::PointerTo(scalar), &[]);
        let base = self.value(Opcode::GetGlobal, |op| op.attr(AttrName::Name, AttrValue::Str(name)).result(pointer));
        let made = self.view(base, scalar, &[n], n as usize, false);
        self.load_made(&made, scalar, true);
    }

    fn load_view(&mut self) {
        let scalar = if self.choices.once_in(10) { Scalar::F4E2M1FN } else { *self.choices.pick(&MEMORY) };
        let rank = 1 + self.choices.below(3);
        let packed = scalar == Scalar::F4E2M1FN;
        let mut shape: Vec<i64> = (0..rank).map(|_| 1 + self.choices.below(4) as i64).collect();
        if rank == 1 && self.choices.below(4) == 3 {
            shape[0] = ROW;
        } else if packed {
            shape[rank - 1] *= 2;
        }
        let start = 16 * self.choices.below(8);
        let room = if packed { 2 * (INPUT - start) } else { (INPUT - start) / size(scalar) };
        let base = self.pointer(self.input, start, scalar);
        let made = self.view(base, scalar, &shape, room, false);
        self.load_made(&made, scalar, true);
    }

    /// A tile of input: rows one after the other or with gaps, or columns one after the other.
    pub(super) fn loaded(&mut self, element: Element, shape: &[i64]) -> Value {
        let Element::Number(scalar) = element else { panic!("numbers lie in memory") };
        let rank = shape.len();
        let mut strides = vec![1; rank];
        let gap = *self.choices.pick(&[0, 0, 1, 3]);
        if self.choices.below(3) == 2 {
            strides[rank - 2..].copy_from_slice(&[1, shape[rank - 2] + gap]);
        } else {
            strides[rank - 2] = shape[rank - 1] + gap;
        }
        (0..rank - 2).for_each(|d| strides[d] = (shape[rank - 2] + gap) * (shape[rank - 1] + gap));
        // Not every tensor is aligned to more than an element.
        let start = size(scalar) * self.choices.below(8);
        let base = self.pointer(self.input, start, scalar);
        let view = self.whole(base, scalar, shape, &strides);
        self.load_whole(view, element, shape)
    }

    /// A row of `n` numbers of input.
    pub(super) fn loaded_row(&mut self, scalar: Scalar, n: i64) -> Value {
        if self.grouped && self.choices.below(3) > 0 {
            return self.row_of_block(scalar, n);
        }
        let room = (INPUT - n as usize * size(scalar)) / size(scalar);
        let start = self.choices.below(room.min(8) + 1) * size(scalar);
        let view = self.row(self.input, start, scalar, n);
        let (zero, ty) = (self.numbers(Scalar::I32, &[], &[0]), self.ty(Element::Number(scalar), &[n]));
        self.value(Opcode::LoadViewTko, |op| {
            let op = op.operand("view", view).operand("index", zero);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).results(&[ty, TypeTable::token()])
        })
    }

    /// Loads the tile of a view. `known`: what lies there is known exactly.
    pub(super) fn load_made(&mut self, made: &MadeView, scalar: Scalar, known: bool) {
        let element = Element::Number(scalar);
        let ty = self.ty(element, &made.tile);
        let [order, scope] = self.order(&[Order::Weak, Order::Relaxed, Order::Acquire]);
        let (inbounds, after) = (self.inbounds(&made.inside), self.after());
        let value = self.value(Opcode::LoadViewTko, |op| {
            let op =
                op.operand("view", made.view).operands("index", &made.indices).operands("token", &after).attr(AttrName::Inbounds, inbounds);
            let op = op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope);
            op.results(&[ty, TypeTable::token()])
        });
        // Tiles grow fast; large ones would only make everything slow.
        if made.tile.iter().product::<i64>() <= 32 {
            self.keep(value, element, &made.tile, scalar.is_int() && made.complete && known);
        }
    }

    /// What is promised of a tile: that it does not reach out of dimensions that it lies in.
    pub(super) fn inbounds(&mut self, inside: &[bool]) -> AttrValue {
        let promised = inside.iter().map(|inside| self.choices.below(2) == 1 && *inside).collect();
        AttrValue::Attr(self.module.tables.attrs.intern(AttrData::BoolArray(promised)))
    }

    /// A view of a tensor of this shape at `base`, in `room` elements, and a tile of it. `distinct`: no place is named twice.
    pub(super) fn view(&mut self, base: Value, scalar: Scalar, shape: &[i64], room: usize, distinct: bool) -> MadeView {
        let rank = shape.len();
        let packed = scalar == Scalar::F4E2M1FN;
        let mut strides = vec![1i64; rank];
        for d in (0..rank - 1).rev() {
            let gap = self.choices.below(2) as i64 * 2;
            strides[d] = strides[d + 1] * shape[d + 1] + gap;
        }
        if !packed && rank > 1 && self.choices.below(3) == 2 {
            strides.reverse();
            // The last dimension is the outermost: rows lie side by side.
            strides[0] = 1;
            (1..rank).for_each(|d| strides[d] = strides[d - 1] * shape[d - 1]);
        }
        let reach = |strides: &[i64]| -> i64 { shape.iter().zip(strides).map(|(extent, stride)| (extent - 1) * stride).sum() };
        // Now and then nothing lies side by side.
        let apart: Vec<i64> = strides.iter().map(|stride| 2 * stride).collect();
        if !packed && (reach(&apart) as usize) < room && self.choices.once_in(4) {
            strides = apart;
        }
        let reach = reach(&strides);
        assert!((reach as usize) < room, "the tensor lies inside of its buffer");
        let mut dynamic = (Vec::new(), Vec::new());
        let mut types = (shape.to_vec(), strides.clone());
        let count = self.count_type(shape.iter().chain(&strides).copied().max().unwrap_or(1));
        for d in 0..rank {
            if self.choices.below(3) == 2 {
                types.0[d] = DYNAMIC;
                dynamic.0.push(self.numbers(count, &[], &[shape[d] as u64]));
            }
            if self.choices.below(3) == 2 && !(packed && strides[d] == 1) {
                types.1[d] = DYNAMIC;
                dynamic.1.push(self.numbers(count, &[], &[strides[d] as u64]));
            }
        }
        // Of packed elements only one stride is 1.
        let tensor = TypeData::TensorView { element: scalar.ty(), shape: types.0.into(), strides: types.1.into(), attr: None };
        let ones = strides.iter().filter(|stride| **stride == 1).count();
        assert!(!packed || ones == 1, "one dimension is packed");
        let tensor = self.module.tables.types.intern(tensor).unwrap();
        let tv = self.value(Opcode::MakeTensorView, |op| {
            let op = op.operand("base", base).operands("dynamicShape", &dynamic.0).operands("dynamicStrides", &dynamic.1);
            op.result(tensor)
        });
        self.shape_of(Opcode::GetTensorShape, tv, rank);
        self.cut(tv, tensor, scalar, shape, distinct)
    }

    /// Asks for the extents of a tensor or of an index space.
    fn shape_of(&mut self, opcode: Opcode, view: Value, rank: usize) {
        if self.choices.below(4) != 3 {
            return;
        }
        let scalar = *self.choices.pick(&[Scalar::I32, Scalar::I64, Scalar::I8]);
        let ty = self.ty(Element::Number(scalar), &[]);
        let op = self.op(opcode, |op| op.operand("src", view).results(&vec![ty; rank]));
        for i in 0..rank {
            let value = self.result(op, i);
            self.keep(value, Element::Number(scalar), &[], true);
        }
    }

    /// Cuts a tensor into tiles, and chooses one.
    fn cut(&mut self, tv: Value, tensor: Type, scalar: Scalar, shape: &[i64], distinct: bool) -> MadeView {
        let rank = shape.len();
        let packed = scalar == Scalar::F4E2M1FN;
        let mut tile: Vec<i32> = (0..rank).map(|_| *self.choices.pick(&[2, 1, 4])).collect();
        if packed {
            tile[rank - 1] = 2;
        }
        let mut paddings = vec![None, Some(PaddingValue::Zero)];
        if scalar.is_float() {
            paddings.extend([PaddingValue::Nan, PaddingValue::NegZero, PaddingValue::PosInf, PaddingValue::NegInf].map(Some));
        }
        let padding = *self.choices.pick(&paddings);
        let mut dim_map: Vec<i32> = (0..rank as i32).collect();
        if !packed && self.choices.below(3) == 2 {
            dim_map.reverse();
        }
        let tile: Box<[i32]> = tile.into();
        let kind = self.choices.below(3);
        let sparse = self.choices.below(rank);
        let gathers = kind == 2 && !(packed && sparse == rank - 1);
        let steps: Vec<i32> = tile.iter().map(|extent| if kind == 1 { 1 + self.choices.below(3) as i32 } else { *extent }).collect();
        let (opcode, data) = if gathers {
            let data = TypeData::GatherScatterView { tile: tile.clone(), tensor_view: tensor, sparse_dim: sparse as u32, padding };
            (Opcode::MakeGatherScatterView, data)
        } else if kind == 1 {
            let data = TypeData::StridedView {
                tile: tile.clone(),
                traversal_strides: steps.clone().into(),
                tensor_view: tensor,
                dim_map: dim_map.clone().into(),
                padding,
            };
            (Opcode::MakeStridedView, data)
        } else {
            let data = TypeData::PartitionView { tile: tile.clone(), tensor_view: tensor, dim_map: dim_map.clone().into(), padding };
            (Opcode::MakePartitionView, data)
        };
        let ty = self.module.tables.types.intern(data).unwrap();
        let view = self.value(opcode, |op| op.operand("tensor_view", tv).result(ty));
        self.shape_of(Opcode::GetIndexSpaceShape, view, rank);
        // Indices lie in the index space; those of a gathering view are elements.
        let steps: Vec<i64> = steps.iter().map(|step| if gathers { 1 } else { i64::from(*step) }).collect();
        let extents: Vec<i64> = (0..rank).map(|i| shape[if gathers { i } else { dim_map[i] as usize }]).collect();
        let places: Vec<i64> = (0..rank).map(|i| self.choices.below(((extents[i] + steps[i] - 1) / steps[i]) as usize) as i64).collect();
        let gathered = |i: usize| gathers && i == sparse;
        let reach: Vec<i64> = tile.iter().map(|n| i64::from(*n)).collect();
        let largest = (0..rank).map(|i| if gathered(i) { reach[i] - 1 } else { places[i] }).max().unwrap_or(0);
        let count = self.count_type(largest);
        let (mut indices, mut inside) = (Vec::new(), Vec::new());
        for i in 0..rank {
            if !gathered(i) {
                indices.push(self.numbers(count, &[], &[places[i] as u64]));
                inside.push(places[i] * steps[i] + reach[i] <= extents[i]);
            } else if distinct {
                indices.push(self.row_major(count, &[reach[i]]));
                inside.push(reach[i] <= extents[i]);
            } else {
                indices.push(self.operand(Element::Number(count), &[reach[i]], true));
                inside.push(false);
            }
        }
        MadeView { view, tile: reach, indices, complete: padding.is_some(), inside }
    }

    /// Positions 0, 1, 2, ... in a shape, of which two may be exchanged.
    pub(super) fn row_major(&mut self, scalar: Scalar, shape: &[i64]) -> Value {
        let n = shape.iter().product::<i64>() as usize;
        let mut numbers: Vec<u64> = (0..n as u64).collect();
        if self.choices.once_in(3) {
            numbers.swap(self.choices.below(n), self.choices.below(n));
        }
        self.numbers(scalar, shape, &numbers)
    }

    /// A view of a row of `n` numbers, some bytes behind a pointer, with a single tile.
    pub(super) fn row(&mut self, base: Value, bytes: usize, scalar: Scalar, n: i64) -> Value {
        let base = self.pointer(base, bytes, scalar);
        let tensor = TypeData::TensorView { element: scalar.ty(), shape: [n].into(), strides: [1].into(), attr: None };
        let tensor = self.module.tables.types.intern(tensor).unwrap();
        let tv = self.value(Opcode::MakeTensorView, |op| op.operand("base", base).result(tensor));
        let view = TypeData::PartitionView { tile: [n as i32].into(), tensor_view: tensor, dim_map: [0].into(), padding: None };
        let view = self.module.tables.types.intern(view).unwrap();
        self.value(Opcode::MakePartitionView, |op| op.operand("tensor_view", tv).result(view))
    }
}
