//! Loads and stores, through pointers and through views.

use super::{
    Lowered, Lowerer, Stop, Tile,
    order::Access,
    packed::{Pairs, is_packed},
    tile::{coordinate, dims_of},
    words::WIDEST,
};
use crate::{
    Layout,
    thread::{Space, Value},
};
use tilewright_ir::{AttrData, AttrName, OpRef, Opcode, PaddingValue, Scalar, Type, TypeData};
use tilewright_numeric::Rounding;
use tilewright_passes::{
    elem::{Elem, memory_bits},
    facts::Divisor,
};
use tilewright_vector::{Lane, Prim, lower::memory_lane_of};

/// As many comparisons of 64 bits cost less than to bring what they compare to 32 bits.
const FEW: usize = 8;

/// A strided array in memory.
#[derive(Clone, Debug)]
pub(super) struct TensorView {
    pub(super) elem: Elem,
    base: Value,
    /// `i64`.
    pub(super) shape: Vec<Value>,
    /// In elements: `i64`.
    pub(super) strides: Vec<Value>,
    /// Powers of two that divide the base, in bytes, and each extent and stride.
    base_divisor: u64,
    pub(super) shape_divisors: Vec<u64>,
    pub(super) stride_divisors: Vec<u64>,
    /// The dimension whose stride is 1 by its type, if there is only one.
    pub(super) unit: Option<usize>,
    /// Whether extents are known to be below 2^32, so that differences with them are signed numbers of 64 bits.
    is_short: Vec<bool>,
}

/// A tensor that is read and written in tiles.
#[derive(Clone, Debug)]
pub(super) struct TileView {
    pub(super) tensor: TensorView,
    /// For each dimension of the view how far tiles are apart; the sparse dimension has none.
    pub(super) steps: Vec<Option<i64>>,
    /// The tensor's dimension that a dimension of the view is.
    pub(super) dim_map: Vec<usize>,
    pub(super) padding: Option<PaddingValue>,
    /// How the tensor's bytes hold elements of 4 bits, which indices count; none if its elements are whole bytes.
    pub(super) pairs: Option<Pairs>,
}

/// Where the element of a register is in memory.
pub(super) struct Place {
    pub(super) address: Value,
    pub(super) offset: i32,
    /// Whether it is there; always, if none.
    pub(super) inside: Option<Value>,
}

/// A dimension of a view, and where the elements of a tile are along it.
struct Along {
    /// Its bits in the indices of the tile.
    at: (u32, u32),
    /// Bytes between neighbours, and how many elements of so many bytes that is.
    stride: Value,
    elements: Value,
    size: i64,
    /// The coordinate where the tile begins.
    origin: Value,
    /// What is left of the tensor behind the thread's first element, unless the program promises to stay inside: a signed `i32` or `i64`.
    left: Option<Value>,
    /// The tensor's extent, unless the program promises to stay inside.
    extent: Option<Value>,
    /// The coordinates that are given by element.
    sparse: Option<Vec<Value>>,
}

impl TileView {
    /// Whether a load gives zeros outside of the tensor, or may.
    pub(super) fn is_padded_with_zeros(&self) -> bool {
        padding_bits(self.tensor.elem, self.padding) == 0
    }
}

impl Lowerer<'_> {
    /// Bytes of an element in memory, and its type there.
    pub(super) fn memory_of(&self, op: OpRef<'_>, elem: Elem) -> Result<(i64, Lane), Stop> {
        let whole = match elem {
            Elem::Ptr => true,
            Elem::Num(scalar) => memory_bits(scalar).is_some_and(|bits| bits >= 8),
        };
        match memory_lane_of(elem).filter(|_| whole) {
            Some(Lane::Mask) => Ok((1, Lane::I8)),
            Some(lane) => Ok((lane.size() as i64, lane)),
            None => Err(self.unsupported(op, &format!("memory of elements of {elem:?}"))),
        }
    }

    fn element_type(&self, ty: Type) -> Option<Elem> {
        self.module.tables.types.scalar(ty).map(Elem::Num)
    }

    pub(super) fn make_tensor_view(&mut self, op: OpRef<'_>) -> Result<Lowered, Stop> {
        let module = self.module;
        let ty = self.frame.body.ty(op.result(0).expect("a view"));
        let TypeData::TensorView { element, shape, strides, .. } = module.tables.types.get(ty) else {
            return Err(self.unsupported(op, "this type of view"));
        };
        let elem = self.element_type(*element).ok_or_else(|| self.unsupported(op, "a tensor of such elements"))?;
        let base_value = op.operand_named("base")[0];
        let base = self.scalar(op, base_value)?;
        let dynamic = |this: &mut Self, statics: &[i64], name: &str| -> Result<(Vec<Value>, Vec<u64>), Stop> {
            let mut values = op.operand_named(name).iter();
            let (mut all, mut divisors) = (Vec::new(), Vec::new());
            for known in statics {
                let (value, divisor) = match known {
                    &tilewright_ir::DYNAMIC => {
                        let value = *values.next().ok_or_else(|| this.unsupported(op, "an extent that is missing"))?;
                        (this.unsigned(op, value)?, this.divisor(value))
                    }
                    known => (this.i64(*known), Divisor::of(known.cast_unsigned()).get()),
                };
                all.push(value);
                divisors.push(divisor);
            }
            Ok((all, divisors))
        };
        let (statics, unit_strides) = (shape, strides);
        let (shape, shape_divisors) = dynamic(self, shape, "dynamicShape")?;
        let (strides, stride_divisors) = dynamic(self, strides, "dynamicStrides")?;
        let base_divisor = self.divisor(base_value);
        let is_short = self.short_extents(op, statics);
        let units: Vec<usize> = (0..unit_strides.len()).filter(|dim| unit_strides[*dim] == 1).collect();
        let unit = if let [dim] = units[..] { Some(dim) } else { None };
        Ok(Lowered::Tensor(TensorView { elem, base, shape, strides, base_divisor, shape_divisors, stride_divisors, unit, is_short }))
    }

    /// Whether an integer has at most 32 bits.
    fn is_short(&self, value: tilewright_ir::Value) -> bool {
        matches!(self.frame.values.get(&value), Some(Lowered::Tile(tile)) if self.b.lane(tile.registers[0]) != Lane::I64)
    }

    /// For each dimension of a tensor, whether its extent is known to be below 2^32.
    fn short_extents(&self, op: OpRef<'_>, statics: &[i64]) -> Vec<bool> {
        let mut values = op.operand_named("dynamicShape").iter();
        let is_short = |known: &i64| match *known {
            tilewright_ir::DYNAMIC => values.next().is_some_and(|value| self.is_short(*value)),
            known => u32::try_from(known).is_ok(),
        };
        statics.iter().map(is_short).collect()
    }

    /// A power of two that a number is divisible by.
    pub(super) fn divisor(&self, value: tilewright_ir::Value) -> u64 {
        self.frame.facts.of(value).map_or(1, |fact| fact.divisor.get())
    }

    /// A scalar integer, read as unsigned, in 64 bits.
    fn unsigned(&mut self, op: OpRef<'_>, value: tilewright_ir::Value) -> Result<Value, Stop> {
        let value = self.scalar(op, value)?;
        Ok(self.wide(value))
    }

    /// An integer, read as unsigned, in 64 bits.
    pub(super) fn wide(&mut self, value: Value) -> Value {
        let mut value = value;
        loop {
            let prim = match self.b.lane(value) {
                Lane::Mask => {
                    let (one, zero) = (self.i64(1), self.i64(0));
                    return self.b.prim(Prim::Select, &[value, one, zero]);
                }
                Lane::I8 => Prim::U8To32,
                Lane::I16 => Prim::U16To32,
                Lane::I32 => Prim::U32To64,
                _ => return value,
            };
            value = self.b.prim(prim, &[value]);
        }
    }

    pub(super) fn make_tile_view(&mut self, op: OpRef<'_>) -> Result<Lowered, Stop> {
        let Some(Lowered::Tensor(tensor)) = self.frame.values.get(&op.operand_named("tensor_view")[0]).cloned() else {
            return Err(self.unsupported(op, "this tensor"));
        };
        let identity = |rank: usize| (0..rank).collect();
        let mapped = |dims: &[i32]| dims.iter().map(|dim| dim.cast_unsigned() as usize).collect();
        let wide = |extents: &[i32]| extents.iter().map(|extent| Some(i64::from(*extent))).collect();
        let ty = self.frame.body.ty(op.result(0).expect("a view"));
        let (steps, dim_map, padding): (Vec<Option<i64>>, Vec<usize>, _) = match self.module.tables.types.get(ty) {
            TypeData::PartitionView { tile, dim_map, padding, .. } => (wide(tile), mapped(dim_map), padding),
            TypeData::StridedView { traversal_strides, dim_map, padding, .. } => (wide(traversal_strides), mapped(dim_map), padding),
            TypeData::GatherScatterView { tile, sparse_dim, padding, .. } => {
                // Other dimensions are given by element.
                let steps = (0..tile.len()).map(|dim| (dim != *sparse_dim as usize).then_some(1)).collect();
                (steps, identity(tile.len()), padding)
            }
            _ => return Err(self.unsupported(op, "this type of view")),
        };
        let dim_map = if dim_map.is_empty() { identity(steps.len()) } else { dim_map };
        Ok(Lowered::View(TileView { tensor, steps, dim_map, padding: *padding, pairs: None }))
    }

    /// Where the elements of a tile of a view are.
    ///
    /// What the thread decides, what is added for a register, and what the indices of the tile add are summed apart: in a loop only the last
    /// changes. Outside of loops, the coordinate of the thread's first element is one number, which views of other tensors share.
    pub(super) fn places(&mut self, op: OpRef<'_>, view: &TileView, tile: &Tile) -> Result<Vec<Place>, Stop> {
        let (size, _) = self.memory_of(op, view.tensor.elem)?;
        let layout = tile.layout.clone();
        let along = self.along_dims(op, view, tile, size)?;
        let (mut base, mut origin) = (view.tensor.base, self.i64(0));
        for dim in &along {
            let mut begin = dim.origin;
            if dim.sparse.is_none() {
                let thread = self.of_thread_in(&layout, dim.at);
                let mut place = self.wide(thread);
                if !is_in_loop(op) {
                    place = self.b.prim(Prim::Add, &[begin, place]);
                    begin = self.i64(0);
                }
                let distance = self.b.prim(Prim::Mul, &[place, dim.stride]);
                base = self.b.prim(Prim::Add, &[base, distance]);
            }
            let distance = self.b.prim(Prim::Mul, &[begin, dim.stride]);
            origin = self.b.prim(Prim::Add, &[origin, distance]);
        }
        let first = self.b.prim(Prim::Add, &[base, origin]);
        let distances = self.distances(op, &layout, &along, first);
        let mut places = Vec::new();
        for (register, (mut address, offset)) in (0..layout.registers()).zip(distances) {
            let mut inside = None;
            for dim in &along {
                if let Some(coordinates) = &dim.sparse {
                    let coordinate = self.wide(coordinates[register as usize]);
                    let distance = self.b.prim(Prim::Mul, &[coordinate, dim.stride]);
                    address = self.b.prim(Prim::Add, &[address, distance]);
                    if let Some(extent) = dim.extent {
                        let in_dim = self.b.prim(Prim::LtU, &[coordinate, extent]);
                        inside = self.both(inside, Some(in_dim));
                    }
                } else if let Some(left) = dim.left {
                    let more = coordinate(layout.of_register(register), dim.at);
                    let more = self.b.constant(self.b.lane(left), more.into());
                    let in_dim = self.b.prim(Prim::LtS, &[more, left]);
                    inside = self.both(inside, Some(in_dim));
                }
            }
            places.push(match i32::try_from(offset) {
                Ok(offset) => Place { address, offset, inside },
                Err(_) => {
                    let far = self.i64(offset);
                    Place { address: self.b.prim(Prim::Add, &[address, far]), offset: 0, inside }
                }
            });
        }
        Ok(places)
    }

    /// The addresses of all registers, with what is added to each, from that of the first one.
    ///
    /// Each is the one before it in a tree, that of the register without its lowest bit, and one distance further: a loop then keeps a distance for
    /// each bit of the registers' numbers and not one for each register. Outside of loops, where all are rows of one stride, each is a multiply-add.
    fn distances(&mut self, op: OpRef<'_>, layout: &Layout, along: &[Along], first: Value) -> Vec<(Value, i64)> {
        let mut all: Vec<(Value, i64)> = vec![(first, 0)];
        let reach = layout.register_columns().iter().fold(0, |all, column| all | column);
        let is_open = |dim: &&Along| dim.sparse.is_none() && coordinate(reach, dim.at) != 0 && self.b.constant_bits(dim.stride).is_none();
        let from_first = !is_in_loop(op) && along.iter().filter(is_open).count() == 1;
        for register in 1..layout.registers() {
            let before = if from_first { 0 } else { register & (register - 1) };
            let (mut address, mut offset) = all[before as usize];
            let [from, to] = [before, register].map(|register| layout.of_register(register));
            for dim in along.iter().filter(|dim| dim.sparse.is_none()) {
                let [from, to] = [from, to].map(|index| i64::from(coordinate(index, dim.at)));
                let (further, bytes) = (self.i64(to - from), self.i64((to - from) * dim.size));
                let distance = if from_first { [dim.elements, bytes] } else { [further, dim.stride] };
                let distance = self.b.prim(Prim::Mul, &distance);
                match self.b.constant_bits(distance) {
                    Some(bits) => offset += bits.cast_signed(),
                    None => address = self.b.prim(Prim::Add, &[address, distance]),
                }
            }
            all.push((address, offset));
        }
        all
    }

    /// What the thread decides of the coordinate along a dimension, of a layout in which registers decide other bits.
    fn of_thread_in(&mut self, layout: &Layout, at: (u32, u32)) -> Value {
        let columns: Vec<u32> = layout.thread_columns().iter().map(|column| coordinate(*column, at)).collect();
        self.of_thread(&columns)
    }

    /// The coordinate where a tile with an index begins.
    pub(super) fn origin(&mut self, op: OpRef<'_>, index: tilewright_ir::Value, step: i64) -> Result<Value, Stop> {
        let (index, step) = (self.unsigned(op, index)?, self.i64(step));
        Ok(self.b.prim(Prim::Mul, &[index, step]))
    }

    /// The coordinates along a dimension of the elements in all registers, of a tile that begins at one.
    pub(super) fn coordinates(&mut self, layout: &Layout, at: (u32, u32), origin: Value) -> Vec<Value> {
        let place = |register| self.index(layout, register, |index| coordinate(index, at));
        let places: Vec<Value> = (0..layout.registers()).map(place).collect();
        let add = |place| {
            let place = self.wide(place);
            self.b.prim(Prim::Add, &[origin, place])
        };
        places.into_iter().map(add).collect()
    }

    /// What the dimensions of a view have to do with the places of a tile of it.
    fn along_dims(&mut self, op: OpRef<'_>, view: &TileView, tile: &Tile, size: i64) -> Result<Vec<Along>, Stop> {
        let dims = dims_of(&tile.shape);
        let layout = tile.layout.clone();
        let indices = op.operand_named("index");
        let promised = self.promises(op, view.steps.len());
        let mut all = Vec::new();
        for (dim, step) in view.steps.iter().enumerate() {
            let index = *indices.get(dim).ok_or_else(|| self.unsupported(op, "an index that is missing"))?;
            let at = dims[dim];
            let tensor_dim = view.dim_map[dim];
            let (extent, elements, bytes) = (view.tensor.shape[tensor_dim], view.tensor.strides[tensor_dim], self.i64(size));
            let stride = self.b.prim(Prim::Mul, &[elements, bytes]);
            let extent = (!promised[dim]).then_some(extent);
            let zero = self.i64(0);
            let Some(step) = step else {
                let coordinates = self.tile(op, index)?;
                let columns = layout.map().columns().iter().map(|column| coordinate(*column, at)).collect();
                let map = crate::BitMap::new(columns, at.1);
                let coordinates = self.convert(&coordinates, &Layout::new(map, layout.registers().ilog2()));
                all.push(Along { at, stride, elements, size, origin: zero, left: None, extent, sparse: Some(coordinates.registers) });
                continue;
            };
            let is_short = view.tensor.is_short[tensor_dim] && self.is_short(index);
            let mut origin = self.origin(op, index, *step)?;
            match view.pairs {
                Some(pairs) if pairs.dim == dim && pairs.are_split => {
                    let coordinates = self.coordinates(&layout, at, origin);
                    let bytes = coordinates.into_iter().map(|element| self.byte_of(element)).collect();
                    all.push(Along { at, stride, elements, size, origin: zero, left: None, extent, sparse: Some(bytes) });
                    continue;
                }
                Some(pairs) if pairs.dim == dim => origin = self.byte_of(origin),
                _ => {}
            }
            let left = extent.map(|extent| {
                let thread = self.of_thread_in(&layout, at);
                let mut places: Vec<u32> = (0..layout.registers()).map(|register| coordinate(layout.of_register(register), at)).collect();
                places.sort_unstable();
                places.dedup();
                if is_short && places.len() <= FEW {
                    let thread = self.wide(thread);
                    if is_in_loop(op) {
                        let rest = self.b.prim(Prim::Sub, &[extent, thread]);
                        return self.b.prim(Prim::Sub, &[rest, origin]);
                    }
                    let place = self.b.prim(Prim::Add, &[origin, thread]);
                    return self.b.prim(Prim::Sub, &[extent, place]);
                }
                // How much of the tensor is behind the thread's first element, as far as a tile could reach.
                let end = self.b.prim(Prim::MaxU, &[extent, origin]);
                let rest = self.b.prim(Prim::Sub, &[end, origin]);
                let most = self.i64(i64::from(i32::MAX));
                let rest = self.b.prim(Prim::MinU, &[rest, most]);
                let rest = self.narrow(rest, Lane::I32);
                self.b.prim(Prim::Sub, &[rest, thread])
            });
            all.push(Along { at, stride, elements, size, origin, left, extent, sparse: None });
        }
        Ok(all)
    }

    /// How many neighbouring elements of a tile of a view one access takes: alignment, contiguity and the view's edge allow it.
    fn width_in_view(&self, op: OpRef<'_>, view: &TileView, tile: &Tile, size: u32) -> usize {
        let last = view.steps.len().wrapping_sub(1);
        1 << self.width_along(op, view, last, self.widest(tile, size), size)
    }

    /// How many neighbouring elements along a dimension of a view one access takes, as bits, of `1 << most` neighbours.
    pub(super) fn width_along(&self, op: OpRef<'_>, view: &TileView, dim: usize, most: u32, size: u32) -> u32 {
        let tensor = &view.tensor;
        let Some(Some(step)) = view.steps.get(dim) else { return 0 };
        let own = view.dim_map[dim];
        if self.b.constant_bits(tensor.strides[own]) != Some(1) {
            return 0;
        }
        let promised = self.promises(op, view.steps.len());
        let index = op.operand_named("index")[dim];
        let fits = |count: u64| {
            let bytes = count * u64::from(size);
            let aligned = |divisor: u64, unit: u64| divisor.saturating_mul(unit) >= bytes;
            let rows = tensor.stride_divisors.iter().enumerate().filter(|(dim, _)| *dim != own);
            let elements = Divisor::of(step.cast_unsigned()).get().saturating_mul(self.divisor(index));
            let origin = if view.pairs.is_some_and(|pairs| pairs.dim == dim) { elements / 2 } else { elements };
            aligned(tensor.base_divisor, 1)
                && rows.into_iter().all(|(_, divisor)| aligned(*divisor, size.into()))
                && origin >= count
                && (promised[dim] || tensor.shape_divisors[own] >= count)
        };
        (1..=most).rev().find(|bits| fits(1 << bits)).unwrap_or(0)
    }

    /// The dimension of a view along which elements are neighbours in memory.
    pub(super) fn contiguous_dim(&self, view: &TileView) -> Option<usize> {
        let is_contiguous = |dim: &usize| self.b.constant_bits(view.tensor.strides[view.dim_map[*dim]]) == Some(1);
        (0..view.steps.len()).rev().find(is_contiguous)
    }

    /// Bits of the number of neighbours along the last dimension that a thread holds, as far as one access may take them.
    fn widest(&self, tile: &Tile, size: u32) -> u32 {
        let columns = tile.layout.map().columns();
        let registers = tile.layout.registers().ilog2() as usize;
        let run = columns[..registers].iter().enumerate().take_while(|(bit, column)| **column == 1 << bit).count() as u32;
        let inner = tile.shape.last().map_or(0, |extent| extent.ilog2());
        run.min(inner).min((WIDEST / size).ilog2())
    }

    /// How many neighbouring elements of a tile of pointers one access takes.
    fn width_of_pointers(&self, op: OpRef<'_>, pointers: tilewright_ir::Value, tile: &Tile, size: u32) -> usize {
        let along = |value: tilewright_ir::Value| self.frame.facts.of(value).and_then(|fact| fact.axes.last().copied());
        let Some(axis) = along(pointers) else { return 1 };
        let constancy = op.operand_named("mask").first().map_or(u64::MAX, |mask| along(*mask).map_or(1, |axis| axis.constancy));
        let fits = |count: u64| axis.contiguity >= count && axis.divisor.get() >= count * u64::from(size) && constancy >= count;
        let widest = self.widest(tile, size);
        (0..=widest).rev().map(|bits| 1u64 << bits).find(|count| *count == 1 || fits(*count)).unwrap_or(1) as usize
    }

    /// The dimensions of a view in which the program promises to stay inside.
    fn promises(&self, op: OpRef<'_>, rank: usize) -> Vec<bool> {
        match op.compound(AttrName::Inbounds).map(|attr| self.module.tables.attrs.get(attr)) {
            Some(AttrData::BoolArray(all)) if all.len() == rank => all.to_vec(),
            _ => vec![false; rank],
        }
    }

    pub(super) fn view(&self, op: OpRef<'_>) -> Result<TileView, Stop> {
        match self.frame.values.get(&op.operand_named("view")[0]) {
            Some(Lowered::View(view)) => Ok(view.clone()),
            _ => Err(self.unsupported(op, "this view")),
        }
    }

    pub(super) fn load_view(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let view = self.view(op)?;
        let result = op.result(0).expect("a tile");
        let (elem, shape) = self.tile_type(op, result)?;
        let tile = if is_packed(elem) {
            self.load_packed(op, &view, &shape)?
        } else {
            let layout = self.layout_of(&shape);
            let padding = padding_bits(elem, view.padding);
            Tile { is_splat: shape.is_empty(), ..self.load_tile(op, &view, (&shape, layout), padding)? }
        };
        self.define(result, tile);
        Ok(())
    }

    /// Loads a tile of a view of whole bytes in a layout; these bits are outside of the tensor.
    pub(super) fn load_tile(
        &mut self,
        op: OpRef<'_>,
        view: &TileView,
        (shape, layout): (&[i64], Layout),
        padding: u64,
    ) -> Result<Tile, Stop> {
        let elem = view.tensor.elem;
        let (_, lane) = self.memory_of(op, elem)?;
        let padding = self.b.constant(lane, padding);
        let others = vec![padding; layout.registers() as usize];
        // Only its shape and layout count.
        let tile = Tile { elem, shape: shape.to_vec(), layout, registers: others.clone(), is_splat: false };
        let places = self.places(op, view, &tile)?;
        let width = self.width_in_view(op, view, &tile, lane.size() as u32);
        let registers = self.load_all(op, (lane, width), &tile, &places, &others)?;
        Ok(Tile { registers, ..tile })
    }

    /// Loads the elements of a tile of this element type and layout, so many neighbours at once.
    fn load_all(
        &mut self,
        op: OpRef<'_>,
        (lane, width): (Lane, usize),
        tile: &Tile,
        places: &[Place],
        others: &[Value],
    ) -> Result<Vec<Value>, Stop> {
        let strong = self.strong(op)?;
        self.order(op, Access::load(strong));
        // Threads that hold the same must not read it at different times, if others may write it meanwhile.
        let first = strong.and_then(|_| self.first_holders(&tile.layout));
        let mut registers = Vec::new();
        let width = if strong.is_some() { 1 } else { width };
        self.note_accesses("load", places.len() / width, lane.size() * width, places.iter().any(|place| place.inside.is_some()), strong);
        for (places, others) in places.chunks(width).zip(others.chunks(width)) {
            let place = &places[0];
            let at = (place.address, place.offset);
            let mask = self.both(first, place.inside);
            if width == 1 {
                registers.push(self.b.load_ordered(lane, Space::Global, at, mask.map(|mask| (mask, others[0])), strong));
            } else {
                registers.extend(self.load_neighbours((lane, width), Space::Global, at, mask.map(|mask| (mask, others))));
            }
        }
        if first.is_some() {
            registers = self.handed_out(&tile.layout, &registers);
        }
        let is_mask = tile.elem == Elem::Num(Scalar::I1);
        Ok(if is_mask { registers.into_iter().map(|value| self.loaded_form(value, Lane::Mask)).collect() } else { registers })
    }

    pub(super) fn store_view(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let view = self.view(op)?;
        let tile = self.tile(op, op.operand_named("tile")[0])?;
        if is_packed(tile.elem) { self.store_packed(op, &view, &tile) } else { self.store_tile(op, &view, &tile) }
    }

    /// Stores a tile to a view of whole bytes. If threads hold fewer neighbours than an access may take, others get them first.
    pub(super) fn store_tile(&mut self, op: OpRef<'_>, view: &TileView, tile: &Tile) -> Result<(), Stop> {
        let (size, _) = self.memory_of(op, tile.elem)?;
        let mut tile = tile.clone();
        let width = self.width_in_view(op, view, &tile, size as u32);
        let blocked = Tile { layout: self.layout_of(&tile.shape), ..tile.clone() };
        if !self.is_alone && self.width_in_view(op, view, &blocked, size as u32) > width {
            tile = self.convert(&tile, &blocked.layout);
        }
        let tile = &tile;
        let places = self.places(op, view, tile)?;
        let width = self.width_in_view(op, view, tile, size as u32);
        self.store_all(op, tile, &places, width)
    }

    fn store_all(&mut self, op: OpRef<'_>, tile: &Tile, places: &[Place], width: usize) -> Result<(), Stop> {
        let strong = self.strong(op)?;
        self.order(op, Access::STORE);
        let first = self.first_holders(&tile.layout);
        let width = if strong.is_some() { 1 } else { width };
        let bytes = self.b.lane(tile.registers[0]).size() * width;
        self.note_accesses("store", places.len() / width, bytes, places.iter().any(|place| place.inside.is_some()), strong);
        for (places, values) in places.chunks(width).zip(tile.registers.chunks(width)) {
            let place = &places[0];
            let values: Vec<Value> = values.iter().map(|value| self.stored_form(*value)).collect();
            let at = (place.address, place.offset);
            let mask = self.both(first, place.inside);
            if width == 1 {
                self.b.store_ordered(values[0], Space::Global, at, mask, strong);
            } else {
                self.store_neighbours(&values, Space::Global, at, mask);
            }
        }
        Ok(())
    }

    /// A tile of pointers as places, with its mask.
    pub(super) fn pointer_places(&mut self, op: OpRef<'_>, pointers: &Tile) -> Result<Vec<Place>, Stop> {
        let mask = match op.operand_named("mask").first() {
            Some(mask) => {
                let mask = self.tile(op, *mask)?;
                Some(self.convert(&mask, &pointers.layout))
            }
            None => None,
        };
        let inside = |register: usize| mask.as_ref().map(|mask| mask.registers[register]);
        let place = |(register, address): (usize, &Value)| Place { address: *address, offset: 0, inside: inside(register) };
        Ok(pointers.registers.iter().enumerate().map(place).collect())
    }

    pub(super) fn load_ptr(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let pointers = self.tile(op, op.operand_named("source")[0])?;
        let result = op.result(0).expect("a tile");
        let (elem, shape) = self.tile_type(op, result)?;
        let (_, lane) = self.memory_of(op, elem)?;
        let places = self.pointer_places(op, &pointers)?;
        let others = match op.operand_named("paddingValue").first() {
            Some(padding) => {
                let padding = self.tile(op, *padding)?;
                let padding = self.convert(&padding, &pointers.layout);
                padding.registers.iter().map(|value| self.stored_form(*value)).collect()
            }
            None => vec![self.b.constant(lane, 0); places.len()],
        };
        let tile = Tile { elem, is_splat: shape.is_empty(), shape, layout: pointers.layout, registers: Vec::new() };
        let width = self.width_of_pointers(op, op.operand_named("source")[0], &tile, lane.size() as u32);
        let registers = self.load_all(op, (lane, width), &tile, &places, &others)?;
        self.define(result, Tile { registers, ..tile });
        Ok(())
    }

    pub(super) fn store_ptr(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let pointers = self.tile(op, op.operand_named("destination")[0])?;
        let value = self.tile(op, op.operand_named("value")[0])?;
        let (size, _) = self.memory_of(op, value.elem)?;
        let value = self.convert(&value, &pointers.layout);
        let places = self.pointer_places(op, &pointers)?;
        let width = self.width_of_pointers(op, op.operand_named("destination")[0], &value, size as u32);
        self.store_all(op, &value, &places, width)
    }

    /// Extents of tensors, and of the index spaces of views.
    pub(super) fn shape_of(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let extents: Vec<Value> = match self.frame.values.get(&op.operand_named("src")[0]).cloned() {
            Some(Lowered::Tensor(tensor)) => tensor.shape,
            Some(Lowered::View(view)) => {
                let mut extents = Vec::new();
                for (dim, step) in view.steps.iter().enumerate() {
                    let extent = view.tensor.shape[view.dim_map[dim]];
                    // Rounded up.
                    let step = self.i64(step.unwrap_or(1));
                    let (one, zero) = (self.i64(1), self.i64(0));
                    let less = self.b.prim(Prim::Sub, &[extent, one]);
                    let whole = self.b.prim(Prim::DivU, &[less, step]);
                    let count = self.b.prim(Prim::Add, &[whole, one]);
                    let empty = self.b.prim(Prim::Eq, &[extent, zero]);
                    extents.push(self.b.prim(Prim::Select, &[empty, zero, count]));
                }
                extents
            }
            _ => return Err(self.unsupported(op, "this view")),
        };
        for (result, extent) in op.results().zip(extents) {
            let (elem, _) = self.tile_type(op, result)?;
            let lane = memory_lane_of(elem).ok_or_else(|| self.unsupported(op, "this type"))?;
            let value = self.narrow(extent, lane);
            let tile = self.splat(elem, &[], value);
            self.define(result, tile);
        }
        Ok(())
    }

    /// The lower bits of an `i32` or `i64`; above those of an `i32`, zeros.
    pub(super) fn narrow(&mut self, value: Value, to: Lane) -> Value {
        match (self.b.lane(value), to) {
            (Lane::I32, Lane::I64) => self.b.prim(Prim::U32To64, &[value]),
            (Lane::I64, Lane::I32) => self.b.prim(Prim::Low32Of64, &[value]),
            (Lane::I64, _) if to != Lane::I64 => {
                let low = self.b.prim(Prim::Low32Of64, &[value]);
                self.narrow(low, to)
            }
            (Lane::I32, Lane::I16) => self.b.prim(Prim::Low16Of32, &[value]),
            (Lane::I32, Lane::I8) => self.b.prim(Prim::Low8Of32, &[value]),
            (Lane::I32, Lane::Mask) => {
                let (one, zero) = (self.i32(1), self.i32(0));
                let bit = self.b.prim(Prim::And, &[value, one]);
                let clear = self.b.prim(Prim::Eq, &[bit, zero]);
                self.b.prim(Prim::MNot, &[clear])
            }
            _ => value,
        }
    }
}

/// Whether an operation is done again and again.
fn is_in_loop(op: OpRef<'_>) -> bool {
    std::iter::successors(op.parent(), |parent| parent.parent()).any(|parent| matches!(parent.opcode(), Opcode::For | Opcode::Loop))
}

/// The bits of what a load gives outside of its tensor; zero where the program does not care.
pub(super) fn padding_bits(elem: Elem, padding: Option<PaddingValue>) -> u64 {
    let (Some(padding), Some(format)) = (padding, elem.float()) else { return 0 };
    let value = match padding {
        PaddingValue::Zero => 0.0,
        PaddingValue::NegZero => -0.0,
        // The bits that the vendor's compiler uses.
        PaddingValue::Nan if elem == Elem::Num(Scalar::F32) => return 0x7fc0_0000,
        PaddingValue::Nan => f64::NAN,
        PaddingValue::PosInf => f64::INFINITY,
        PaddingValue::NegInf => f64::NEG_INFINITY,
    };
    format.encode(value, Rounding::NearestEven)
}
