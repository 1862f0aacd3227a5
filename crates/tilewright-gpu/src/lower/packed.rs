//! Elements of 4 bits in memory: two share a byte, the first in its low bits.
//!
//! A view of them is accessed as one of bytes. Where tiles begin with whole bytes, a thread holds the two elements of each byte of its own. Else
//! elements are accessed one by one, and stores exchange the half of a byte atomically, because other threads may write the other half.

use super::{
    Lowerer, Stop, Tile,
    memory::{Place, TileView, padding_bits},
    order::Access,
    tile::{bits_of, dims_of},
};
use crate::{
    layout::{BitMap, Layout},
    thread::{End, Order, Scope, Space, Strong, Target, Update, Value},
};
use tilewright_ir::{OpRef, Scalar};
use tilewright_passes::elem::Elem;
use tilewright_vector::{Lane, Prim};

const BYTE: Elem = Elem::Num(Scalar::I8);

/// How the bytes of a view hold elements of 4 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    /// The view's dimension along which two share a byte.
    pub(super) dim: usize,
    /// Whether tiles may begin in the middle of a byte, or have one element along the dimension.
    pub(super) are_split: bool,
}

/// Whether two elements of a type share a byte in memory.
pub(super) fn is_packed(elem: Elem) -> bool {
    elem == Elem::Num(Scalar::F4E2M1FN)
}

/// The layout of elements whose pairs have another one: both elements of a pair in neighbouring registers. The dimension along which they are
/// pairs has these bits in the indices of elements.
pub(super) fn elements_of_pairs(pairs: &Layout, (low, _): (u32, u32)) -> Layout {
    let spread = |index: u32| index & ((1 << low) - 1) | index >> low << (low + 1);
    let columns = [1 << low].into_iter().chain(pairs.map().columns().iter().map(|column| spread(*column)));
    Layout::new(BitMap::new(columns.collect(), pairs.map().rows() + 1), pairs.registers().ilog2() + 1)
}

impl Lowerer<'_> {
    /// The view of bytes that a view of elements of 4 bits is. Other rows than those of the dimension that is packed have even strides, and
    /// that one an even extent: anything else is undefined.
    fn view_of_bytes(&mut self, op: OpRef<'_>, view: &TileView, shape: &[i64]) -> Result<(TileView, Pairs), Stop> {
        let refused = || self.unsupported(op, "packed elements without one stride of 1");
        let unit = view.tensor.unit.ok_or_else(refused)?;
        let dim = view.dim_map.iter().position(|of| *of == unit).ok_or_else(refused)?;
        let step = view.steps[dim].ok_or_else(refused)?;
        let index = op.operand_named("index")[dim];
        let are_split = shape[dim] == 1 || step % 2 != 0 && self.divisor(index) < 2;
        let pairs = Pairs { dim, are_split };
        let mut bytes = TileView { pairs: Some(pairs), ..view.clone() };
        let tensor = &mut bytes.tensor;
        tensor.elem = BYTE;
        tensor.shape[unit] = self.byte_of(tensor.shape[unit]);
        tensor.shape_divisors[unit] = (tensor.shape_divisors[unit] / 2).max(1);
        for other in (0..tensor.strides.len()).filter(|other| *other != unit) {
            tensor.strides[other] = self.byte_of(tensor.strides[other]);
            tensor.stride_divisors[other] = (tensor.stride_divisors[other] / 2).max(1);
        }
        Ok((bytes, pairs))
    }

    /// The byte in which an element of a row is.
    pub(super) fn byte_of(&mut self, element: Value) -> Value {
        let one = self.i64(1);
        self.b.prim(Prim::ShrU, &[element, one])
    }

    pub(super) fn load_packed(&mut self, op: OpRef<'_>, view: &TileView, shape: &[i64]) -> Result<Tile, Stop> {
        let elem = view.tensor.elem;
        let (bytes, pairs) = self.view_of_bytes(op, view, shape)?;
        let padding = padding_bits(elem, view.padding);
        let padding = padding | padding << 4;
        let tile = |layout, registers| Tile { elem, shape: shape.to_vec(), layout, registers, is_splat: false };
        if pairs.are_split {
            let layout = self.layout_of(shape);
            let loaded = self.load_tile(op, &bytes, (shape, layout.clone()), padding)?;
            let places = self.places_in_bytes(op, view, pairs, &loaded)?;
            let low = self.b.constant(Lane::I8, 15);
            let element = |(byte, places): (&Value, Value)| {
                let shifted = self.b.prim(Prim::ShrU, &[*byte, places]);
                self.b.prim(Prim::And, &[shifted, low])
            };
            let registers = loaded.registers.iter().zip(places).map(element).collect();
            return Ok(tile(layout, registers));
        }
        let halved = halved(shape, pairs.dim);
        let layout = self.layout_of(&halved);
        let loaded = self.load_tile(op, &bytes, (&halved, layout), padding)?;
        let (low, places) = (self.b.constant(Lane::I8, 15), self.b.constant(Lane::I8, 4));
        let elements = |byte: &Value| [self.b.prim(Prim::And, &[*byte, low]), self.b.prim(Prim::ShrU, &[*byte, places])];
        let registers = loaded.registers.iter().flat_map(elements).collect();
        Ok(tile(elements_of_pairs(&loaded.layout, dims_of(shape)[pairs.dim]), registers))
    }

    /// How far each element of a tile is from the lowest bit of its byte.
    fn places_in_bytes(&mut self, op: OpRef<'_>, view: &TileView, pairs: Pairs, tile: &Tile) -> Result<Vec<Value>, Stop> {
        let step = view.steps[pairs.dim].expect("the dimension that is packed is not sparse");
        let origin = self.origin(op, op.operand_named("index")[pairs.dim], step)?;
        let coordinates = self.coordinates(&tile.layout, dims_of(&tile.shape)[pairs.dim], origin);
        let (one, four) = (self.i32(1), self.b.constant(Lane::I8, 4));
        let place = |element| {
            let low = self.narrow(element, Lane::I32);
            let odd = self.b.prim(Prim::And, &[low, one]);
            let odd = self.narrow(odd, Lane::I8);
            self.b.prim(Prim::Mul, &[odd, four])
        };
        Ok(coordinates.into_iter().map(place).collect())
    }

    pub(super) fn store_packed(&mut self, op: OpRef<'_>, view: &TileView, tile: &Tile) -> Result<(), Stop> {
        let (bytes, pairs) = self.view_of_bytes(op, view, &tile.shape)?;
        if pairs.are_split {
            return self.store_halves(op, &bytes, pairs, tile);
        }
        let shape = halved(&tile.shape, pairs.dim);
        let layout = self.layout_of(&shape);
        let elements = self.convert(tile, &elements_of_pairs(&layout, dims_of(&tile.shape)[pairs.dim]));
        let places = self.b.constant(Lane::I8, 4);
        let byte = |pair: &[Value]| {
            let upper = self.b.prim(Prim::Shl, &[pair[1], places]);
            self.b.prim(Prim::Or, &[pair[0], upper])
        };
        let registers = elements.registers.chunks(2).map(byte).collect();
        let is_splat = bits_of(&shape) == 0;
        self.store_tile(op, &bytes, &Tile { elem: BYTE, shape, layout, registers, is_splat })
    }

    /// Stores elements one by one, each by the first thread that holds it.
    fn store_halves(&mut self, op: OpRef<'_>, bytes: &TileView, pairs: Pairs, tile: &Tile) -> Result<(), Stop> {
        let strong = self.strong(op)?;
        self.order(op, Access::STORE);
        let places = self.places(op, bytes, tile)?;
        let shifts = self.places_in_bytes(op, bytes, pairs, tile)?;
        let first = self.first_holders(&tile.layout);
        self.note_accesses("atomic exchange of half a byte", places.len(), 2, places.iter().any(|place| place.inside.is_some()), strong);
        // Others may change the other half meanwhile, in this block or in another one.
        let strong = strong.unwrap_or(Strong { order: Order::Relaxed, scope: Scope::System });
        for ((place, shift), value) in places.iter().zip(shifts).zip(&tile.registers) {
            let mask = self.both(first, place.inside);
            self.exchange_half(strong, place, (shift, *value), mask);
        }
        Ok(())
    }

    /// Puts 4 bits in their place in a byte, again and again until nobody else has changed the 16 bits around it meanwhile.
    fn exchange_half(&mut self, strong: Strong, place: &Place, (shift, value): (Value, Value), mask: Option<Value>) {
        let far = self.i64(place.offset.into());
        let address = self.b.prim(Prim::Add, &[place.address, far]);
        let (one, even) = (self.i64(1), self.i64(!1));
        // Words of 16 bits are the smallest that are exchanged; they begin at even addresses.
        let odd = self.b.prim(Prim::And, &[address, one]);
        let address = self.b.prim(Prim::And, &[address, even]);
        let odd = self.narrow(odd, Lane::I16);
        let eight = self.b.constant(Lane::I16, 8);
        let byte = self.b.prim(Prim::Mul, &[odd, eight]);
        let (shift, value) = (self.b.prim(Prim::U8To16, &[shift]), self.b.prim(Prim::U8To16, &[value]));
        let shift = self.b.prim(Prim::Add, &[shift, byte]);
        let (low, all) = (self.b.constant(Lane::I16, 15), self.b.constant(Lane::I16, 0xffff));
        let own = self.b.prim(Prim::Shl, &[low, shift]);
        let kept = self.b.prim(Prim::Xor, &[own, all]);
        let placed = self.b.prim(Prim::Shl, &[value, shift]);
        let zero = self.b.constant(Lane::I16, 0);
        let relaxed = Strong { order: Order::Relaxed, ..strong };
        let seen = self.b.load_ordered(Lane::I16, Space::Global, (address, 0), mask.map(|mask| (mask, zero)), Some(relaxed));
        let (again, params) = self.b.block(&[Lane::I16]);
        let (done, _) = self.b.block(&[]);
        self.b.jump(again, vec![seen]);
        self.b.continue_in(again);
        let rest = self.b.prim(Prim::And, &[params[0], kept]);
        let new = self.b.prim(Prim::Or, &[rest, placed]);
        let found = self.b.atomic(Update::CompareExchange(params[0]), strong, (address, new), mask, Some(params[0]));
        let found = found.expect("the old value is asked for");
        let is_done = self.b.prim(Prim::Eq, &[found, params[0]]);
        self.b.end(End::Branch {
            condition: is_done,
            then: Target { label: done, args: Vec::new() },
            otherwise: Target { label: again, args: vec![found] },
        });
        self.b.continue_in(done);
    }
}

/// The shape of the pairs along a dimension of a tile.
pub(super) fn halved(shape: &[i64], dim: usize) -> Vec<i64> {
    let mut shape = shape.to_vec();
    shape[dim] /= 2;
    shape
}
