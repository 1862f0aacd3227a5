//! Tiles in registers, and how they get from one layout to another.

use super::{Lowerer, words::WIDEST};
use crate::{
    layout::Layout,
    thread::{Space, Special, Value},
};
use tilewright_passes::elem::Elem;
use tilewright_vector::{Lane, Prim};

/// A tile in the registers of the threads.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) elem: Elem,
    pub(super) shape: Vec<i64>,
    pub(super) layout: Layout,
    /// One value for each register of the layout.
    pub(super) registers: Vec<Value>,
    /// Whether all elements are the same, which every thread then holds.
    pub(super) is_splat: bool,
}

/// Bits of the indices of a tile.
pub(super) fn bits_of(shape: &[i64]) -> u32 {
    shape.iter().map(|extent| extent.ilog2()).sum()
}

/// For each dimension the lowest bit that it has in row-major indices, and how many it has.
pub(super) fn dims_of(shape: &[i64]) -> Vec<(u32, u32)> {
    let mut low = bits_of(shape);
    let place = |extent: &i64| {
        low -= extent.ilog2();
        (low, extent.ilog2())
    };
    shape.iter().map(place).collect()
}

/// The part of an index that is the coordinate along a dimension.
pub(super) fn coordinate(index: u32, (low, bits): (u32, u32)) -> u32 {
    index >> low & ((1 << bits) - 1)
}

/// Bytes of shared memory that changes of layout use at once.
pub(super) const PIECE_BYTES: u32 = 32 << 10;

impl Lowerer<'_> {
    /// The layout that tiles of a shape have between operations.
    pub(super) fn layout_of(&self, shape: &[i64]) -> Layout {
        Layout::blocked(bits_of(shape), self.warp_bits, self.vector_bits)
    }

    /// A tile whose elements are all the same.
    pub(super) fn splat(&self, elem: Elem, shape: &[i64], value: Value) -> Tile {
        let layout = self.layout_of(shape);
        let registers = vec![value; layout.registers() as usize];
        Tile { elem, shape: shape.to_vec(), layout, registers, is_splat: true }
    }

    pub(super) fn i32(&mut self, value: u32) -> Value {
        self.b.constant(Lane::I32, value.into())
    }

    pub(super) fn i64(&mut self, value: i64) -> Value {
        self.b.constant(Lane::I64, value.cast_unsigned())
    }

    /// What the bits of the thread's number flip.
    pub(super) fn of_thread(&mut self, columns: &[u32]) -> Value {
        let thread = self.b.special(Special::Thread);
        let mut sum = self.i32(0);
        let mut at = 0;
        while at < columns.len() {
            let first = columns[at];
            // As many bits as move together.
            let run = (1..).take_while(|i| columns.get(at + i) == Some(&(first << i)) && first.is_power_of_two()).count() + 1;
            if first != 0 {
                let places = self.i32(at as u32);
                let shifted = self.b.prim(Prim::ShrU, &[thread, places]);
                // Nothing is above the highest bits of the thread's number.
                let bits = if at + run == columns.len() {
                    shifted
                } else {
                    let mask = self.i32((1u32 << run) - 1);
                    self.b.prim(Prim::And, &[shifted, mask])
                };
                let part = if first.is_power_of_two() {
                    let places = self.i32(first.ilog2());
                    self.b.prim(Prim::Shl, &[bits, places])
                } else {
                    let column = self.i32(first);
                    self.b.prim(Prim::Mul, &[bits, column])
                };
                sum = self.b.prim(Prim::Xor, &[sum, part]);
            }
            at += run;
        }
        sum
    }

    /// The index of the element in a register, of which `select` takes a part: what the thread decides, and what is added for the register.
    pub(super) fn index_parts(&mut self, layout: &Layout, register: u32, select: impl Fn(u32) -> u32) -> (Value, u32) {
        let columns: Vec<u32> = layout.thread_columns().iter().map(|column| select(*column)).collect();
        let of_register = select(layout.of_register(register));
        let thread = self.of_thread(&columns);
        if columns.iter().fold(0, |all, column| all | column) & of_register == 0 {
            return (thread, of_register);
        }
        let flipped = self.i32(of_register);
        (self.b.prim(Prim::Xor, &[thread, flipped]), 0)
    }

    /// The index of the element in a register.
    pub(super) fn index(&mut self, layout: &Layout, register: u32, select: impl Fn(u32) -> u32) -> Value {
        let (thread, added) = self.index_parts(layout, register, select);
        let added = self.i32(added);
        self.b.prim(Prim::Add, &[thread, added])
    }

    /// A mask of the threads that hold elements which no thread before them holds; `None` if these are all.
    pub(super) fn first_holders(&mut self, layout: &Layout) -> Option<Value> {
        let free = layout.free_thread_bits();
        if free == 0 {
            return None;
        }
        let thread = self.b.special(Special::Thread);
        let (free, zero) = (self.i32(free), self.i32(0));
        let bits = self.b.prim(Prim::And, &[thread, free]);
        Some(self.b.prim(Prim::Eq, &[bits, zero]))
    }

    /// Both masks.
    pub(super) fn both(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.b.prim(Prim::MAnd, &[a, b])),
            (a, b) => a.or(b),
        }
    }

    /// The same tile in another layout.
    pub(super) fn convert(&mut self, tile: &Tile, to: &Layout) -> Tile {
        let with = |registers| Tile { registers, layout: to.clone(), ..tile.clone() };
        if tile.layout == *to {
            return tile.clone();
        }
        if tile.is_splat {
            return with(vec![tile.registers[0]; to.registers() as usize]);
        }
        if let Some(from) = to.registers_of(&tile.layout) {
            return with(from.into_iter().map(|register| tile.registers[register as usize]).collect());
        }
        let registers = self.through_shared(&tile.layout, &tile.registers, to, None);
        with(registers)
    }

    /// Writes values to shared memory in one layout and reads them in another, at indices that `start` is added to.
    pub(super) fn through_shared(&mut self, from: &Layout, values: &[Value], to: &Layout, start: Option<Value>) -> Vec<Value> {
        let lane = self.b.lane(values[0]);
        let size = lane.size() as u32;
        let bits = from.map().rows();
        let piece_bits = bits.min((PIECE_BYTES / size).ilog2());
        self.b.need_shared(size << piece_bits);
        let first = self.first_holders(from);
        let memory = if lane == Lane::Mask { Lane::I8 } else { lane };
        // As many neighbours at once as a thread holds in order and one access takes.
        let widest = (WIDEST / size).ilog2().min(piece_bits);
        let stored = 1 << from.neighbours().min(widest);
        let loaded = if start.is_some() { 1 } else { 1 << to.neighbours().min(widest) };
        let values: Vec<Value> = values.iter().map(|value| self.stored_form(*value)).collect();
        let mut read: Vec<Option<Value>> = vec![None; to.registers() as usize];
        for piece in 0..1 << (bits - piece_bits) {
            self.barrier();
            for (n, values) in values.chunks(stored).enumerate() {
                let Some((address, offset, inside)) = self.place_in_piece(from, (n * stored) as u32, None, (piece, piece_bits, size))
                else {
                    continue;
                };
                let mask = self.both(first, inside);
                self.store_neighbours(values, Space::Shared, (address, offset), mask);
            }
            self.barrier();
            for (n, slots) in read.chunks_mut(loaded).enumerate() {
                let Some((address, offset, inside)) = self.place_in_piece(to, (n * loaded) as u32, start, (piece, piece_bits, size)) else {
                    continue;
                };
                let zero = self.b.constant(memory, 0);
                let others: Vec<Value> = slots.iter().map(|slot| slot.unwrap_or(zero)).collect();
                let mask = inside.map(|inside| (inside, others.as_slice()));
                let values = self.load_neighbours((memory, loaded), Space::Shared, (address, offset), mask);
                slots.iter_mut().zip(values).for_each(|(slot, value)| *slot = Some(value));
            }
        }
        read.into_iter().map(|value| self.loaded_form(value.expect("every element is in a piece"), lane)).collect()
    }

    /// Where the element of a register is in shared memory while a piece of the tile is there, and whether it belongs to the piece; `None` if it
    /// never does.
    pub(super) fn place_in_piece(
        &mut self,
        layout: &Layout,
        register: u32,
        start: Option<Value>,
        (piece, piece_bits, size): (u32, u32, u32),
    ) -> Option<(Value, i32, Option<Value>)> {
        let low = (1u32 << piece_bits) - 1;
        let size_value = self.i32(size);
        if let Some(start) = start {
            let (index, low, places) = (self.index(layout, register, |index| index), self.i32(low), self.i32(piece_bits));
            let index = self.b.prim(Prim::Add, &[index, start]);
            let (upper, piece) = (self.b.prim(Prim::ShrU, &[index, places]), self.i32(piece));
            let inside = self.b.prim(Prim::Eq, &[upper, piece]);
            let place = self.b.prim(Prim::And, &[index, low]);
            return Some((self.b.prim(Prim::Mul, &[place, size_value]), 0, Some(inside)));
        }
        let threads_decide = layout.thread_columns().iter().any(|column| column >> piece_bits != 0);
        let inside = if threads_decide {
            let upper = self.index(layout, register, |index| index >> piece_bits);
            let piece = self.i32(piece);
            Some(self.b.prim(Prim::Eq, &[upper, piece]))
        } else if layout.of_register(register) >> piece_bits == piece {
            None
        } else {
            return None;
        };
        let (thread, added) = self.index_parts(layout, register, |index| index & low);
        let address = self.b.prim(Prim::Mul, &[thread, size_value]);
        Some((address, (added * size) as i32, inside))
    }

    /// A value as memory holds it: masks as bytes.
    pub(super) fn stored_form(&mut self, value: Value) -> Value {
        if self.b.lane(value) != Lane::Mask {
            return value;
        }
        let (one, zero) = (self.b.constant(Lane::I8, 1), self.b.constant(Lane::I8, 0));
        self.b.prim(Prim::Select, &[value, one, zero])
    }

    /// What memory holds, as a value: a byte that is not zero is a true mask.
    pub(super) fn loaded_form(&mut self, value: Value, lane: Lane) -> Value {
        if lane != Lane::Mask {
            return value;
        }
        let zero = self.b.constant(Lane::I8, 0);
        let clear = self.b.prim(Prim::Eq, &[value, zero]);
        self.b.prim(Prim::MNot, &[clear])
    }
}
