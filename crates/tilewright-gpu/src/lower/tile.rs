//! Tiles in registers, and how they get from one layout to another.

use super::{Lowerer, exchange::Reads};
use crate::{
    layout::Layout,
    thread::{Special, Value},
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

impl Lowerer<'_> {
    /// The layout that tiles of a shape have between operations.
    pub(super) fn layout_of(&self, shape: &[i64]) -> Layout {
        let bits = bits_of(shape);
        if self.is_alone { Layout::alone(bits, self.warp_bits) } else { Layout::blocked(bits, self.warp_bits, self.vector_bits) }
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
        self.of_thread_and(&columns, select(layout.of_register(register)))
    }

    /// What the bits of the thread's number and `bits` flip together: a value, and what is added to it.
    pub(super) fn of_thread_and(&mut self, columns: &[u32], bits: u32) -> (Value, u32) {
        let thread = self.of_thread(columns);
        let reach = columns.iter().fold(0, |all, column| all | column);
        let flipped = self.i32(bits & reach);
        (self.b.prim(Prim::Xor, &[thread, flipped]), bits & !reach)
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
            if !from.iter().copied().eq(0..tile.layout.registers()) {
                self.note("an operand in other registers of the same threads".to_owned());
            }
            return with(from.into_iter().map(|register| tile.registers[register as usize]).collect());
        }
        let registers = self.through_shared(&tile.layout, &tile.registers, to, Reads::Any);
        with(registers)
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
