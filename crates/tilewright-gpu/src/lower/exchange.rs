//! Changes of layout through shared memory: every thread stores what it holds at places without bank conflicts, and loads what it is to hold.

use super::{Lowerer, words::WIDEST};
use crate::{
    layout::{LANE_BITS, Layout, Span},
    swizzle::{Places, Reading, Wanted},
    thread::{Space, Value},
};
use std::collections::{HashMap, hash_map::Entry};
use tilewright_vector::{Lane, Prim};

/// Bytes of shared memory that changes of layout use at once.
pub(super) const PIECE_BYTES: u32 = 32 << 10;

/// The part of a tile that is in shared memory.
#[derive(Clone, Copy)]
pub(super) struct InShared {
    /// Which one: the upper bits of places.
    pub(super) number: u32,
    /// Bits of places within it.
    pub(super) bits: u32,
    /// Bytes of an element.
    pub(super) size: u32,
    /// Where the part begins, in bytes.
    pub(super) begin: u32,
    /// What is added to that while the code runs, in bytes.
    pub(super) further: Option<Value>,
}

/// How what was written is read.
#[derive(Clone, Copy)]
pub(super) enum Reads {
    /// By the fewest instructions.
    Any,
    /// Not as matrices: of a few words it is not worth working out which row is a lane's.
    Neighbours,
    /// At indices that this is added to.
    From(Value),
}

/// How a tile is read, in words.
pub(super) fn describe_reads(places: &Places, size: u32) -> String {
    match places.reading {
        Reading::Neighbours(count) => format!("loads of {} bytes", size << count),
        Reading::Matrices { transposed: false } => "ldmatrix".to_owned(),
        Reading::Matrices { transposed: true } => "ldmatrix.trans".to_owned(),
    }
}

/// A change of layout in words.
fn describe(from: &Layout, places: &Places, size: u32, pieces: u32) -> String {
    let reads = describe_reads(places, size);
    let pieces = if pieces > 0 { format!(", in {} pieces", 1 << pieces) } else { String::new() };
    format!("an operand through shared memory: stores of {} bytes, {reads}{pieces}, from {from}", size << places.stored)
}

impl Lowerer<'_> {
    /// Writes values to shared memory in one layout and reads them in another.
    pub(super) fn through_shared(&mut self, from: &Layout, values: &[Value], to: &Layout, reads: Reads) -> Vec<Value> {
        let start = if let Reads::From(start) = reads { Some(start) } else { None };
        let lane = self.b.lane(values[0]);
        let size = lane.size() as u32;
        let bits = from.map().rows();
        let piece_bits = bits.min((PIECE_BYTES / size).ilog2());
        let values: Vec<Value> = values.iter().map(|value| self.stored_form(*value)).collect();
        let first = self.first_holders(from);
        let memory = if lane == Lane::Mask { Lane::I8 } else { lane };
        // Bytes are put together for a wide access only if they were words before: that costs more than it saves.
        let whole = memory != Lane::I8 || values.chunks(4).all(|bytes| self.words_of_bytes.contains_key(bytes));
        let widest = (WIDEST / size).ilog2().min(piece_bits);
        let matrices = matches!(reads, Reads::Any);
        let wanted = Wanted { size: size.ilog2(), stored: if whole { widest } else { 0 }, piece: piece_bits, matrices };
        let places = if start.is_some() { Places::in_order(from, wanted) } else { Places::between(from, to, wanted) };
        let stores = from.then(&places.map);
        let loads = if start.is_some() { to.clone() } else { to.then(&places.map) };
        self.note(describe(from, &places, size, bits - piece_bits));
        let mut read: Vec<Option<Value>> = vec![None; to.registers() as usize];
        for number in 0..1 << (bits - piece_bits) {
            let begin = self.claim_shared(size << piece_bits);
            let piece = InShared { number, bits: piece_bits, size, begin, further: None };
            self.store_piece(&stores, &values, places.stored, first, piece);
            self.barrier();
            match places.reading {
                Reading::Neighbours(count) => self.load_piece(&loads, (memory, count), start, piece, &mut read),
                Reading::Matrices { transposed } => self.load_matrices(&loads, memory, transposed, piece, &mut read),
            }
            self.read_shared(begin, size << piece_bits);
        }
        read.into_iter().map(|value| self.loaded_form(value.expect("every element is in a piece"), lane)).collect()
    }

    /// Stores the elements of a piece, `1 << count` neighbours at once.
    pub(super) fn store_piece(&mut self, layout: &Layout, values: &[Value], count: u32, first: Option<Value>, piece: InShared) {
        let mut registers: HashMap<u32, u32> = HashMap::new();
        (0..layout.registers()).rev().for_each(|register| {
            registers.insert(layout.of_register(register), register);
        });
        for register in 0..layout.registers() {
            let place = layout.of_register(register);
            if place.trailing_zeros() < count || registers[&place] != register {
                continue;
            }
            let Some((at, inside)) = self.place_in_piece(layout, place, None, piece) else { continue };
            let neighbours: Vec<Value> = (0..1 << count).map(|n| values[registers[&(place | n)] as usize]).collect();
            let mask = self.both(first, inside);
            self.store_neighbours(&neighbours, Space::Shared, at, mask);
        }
    }

    /// Loads the elements of a piece, `1 << count` neighbours at once.
    pub(super) fn load_piece(
        &mut self,
        layout: &Layout,
        (lane, count): (Lane, u32),
        start: Option<Value>,
        piece: InShared,
        read: &mut [Option<Value>],
    ) {
        let zero = self.b.constant(lane, 0);
        let mut loaded: HashMap<u32, Vec<Value>> = HashMap::new();
        for register in 0..layout.registers() as usize {
            let place = layout.of_register(register as u32);
            let begin = place >> count << count;
            if let Entry::Vacant(entry) = loaded.entry(begin) {
                let Some((at, inside)) = self.place_in_piece(layout, begin, start, piece) else { continue };
                let mut others = vec![zero; 1 << count];
                for (other, slot) in (0..layout.registers()).zip(read.iter()) {
                    let place = layout.of_register(other);
                    if let Some(value) = slot.filter(|_| place >> count << count == begin) {
                        others[(place - begin) as usize] = value;
                    }
                }
                let mask = inside.map(|inside| (inside, others.as_slice()));
                entry.insert(self.load_neighbours((lane, 1 << count), Space::Shared, at, mask));
            }
            read[register] = Some(loaded[&begin][(place - begin) as usize]);
        }
    }

    /// Loads the words of a piece as matrices, as many at once as there are.
    pub(super) fn load_matrices(&mut self, layout: &Layout, lane: Lane, transposed: bool, piece: InShared, read: &mut [Option<Value>]) {
        let per_word = 4 / piece.size as usize;
        let in_word = per_word.ilog2() as usize;
        let (columns, threads) = (layout.register_columns(), layout.thread_columns());
        let (word, registers) = columns.split_at(in_word);
        let rows = if transposed { [word[0], threads[0], threads[1]] } else { [threads[2], threads[3], threads[4]] };
        // Words that are multiplied at once are the first ones of a thread: with others, registers would wait for what comes later.
        let mut several: Vec<u32> = registers.iter().copied().filter(|column| column >> piece.bits == 0).collect();
        let mut seen = Span::default();
        several.retain(|column| seen.add(*column));
        several.truncate(2);
        let lanes = rows.into_iter().chain(several.iter().copied()).chain(std::iter::repeat(0)).take(LANE_BITS as usize);
        let addresses: Vec<u32> = lanes.chain(threads[LANE_BITS as usize..].iter().copied()).map(|place| place * piece.size).collect();
        let whole = if lane == Lane::F32 { Lane::F32 } else { Lane::I32 };
        let mut loaded: HashMap<u32, Value> = HashMap::new();
        for (n, slots) in read.chunks_mut(per_word).enumerate() {
            let place = layout.of_register((n * per_word) as u32);
            if place >> piece.bits != piece.number {
                continue;
            }
            if !loaded.contains_key(&place) {
                let (address, offset) = self.of_thread_and(&addresses, (place & ((1 << piece.bits) - 1)) * piece.size);
                let address = piece.further.map_or(address, |further| self.b.further(address, further));
                let words = self.b.load_matrices((whole, 1 << several.len()), address, (offset + piece.begin) as i32, transposed);
                for (matrix, word) in words.into_iter().enumerate() {
                    let other =
                        several.iter().enumerate().filter(|(bit, _)| matrix >> bit & 1 == 1).fold(place, |at, (_, column)| at ^ column);
                    loaded.insert(other, word);
                }
            }
            let elements = self.elements_of(&[loaded[&place]], lane);
            slots.iter_mut().zip(elements).for_each(|(slot, value)| *slot = Some(value));
        }
    }

    /// The address, in bytes, of what a thread has at a place of a register while a piece of the tile is in shared memory, and whether it belongs to
    /// the piece; `None` if it never does.
    pub(super) fn place_in_piece(
        &mut self,
        layout: &Layout,
        place: u32,
        start: Option<Value>,
        piece: InShared,
    ) -> Option<((Value, i32), Option<Value>)> {
        let low = (1u32 << piece.bits) - 1;
        let columns = |select: &dyn Fn(u32) -> u32| -> Vec<u32> { layout.thread_columns().iter().map(|column| select(*column)).collect() };
        if let Some(start) = start {
            let (index, added) = self.of_thread_and(layout.thread_columns(), place);
            let (added, low, places) = (self.i32(added), self.i32(low), self.i32(piece.bits));
            let index = self.b.prim(Prim::Add, &[index, added]);
            let index = self.b.prim(Prim::Add, &[index, start]);
            let (upper, number) = (self.b.prim(Prim::ShrU, &[index, places]), self.i32(piece.number));
            let inside = self.b.prim(Prim::Eq, &[upper, number]);
            let (at, size) = (self.b.prim(Prim::And, &[index, low]), self.i32(piece.size));
            return Some(((self.b.prim(Prim::Mul, &[at, size]), piece.begin as i32), Some(inside)));
        }
        let of_threads = columns(&|column| column >> piece.bits);
        let inside = if of_threads.iter().any(|column| *column != 0) {
            let (upper, added) = self.of_thread_and(&of_threads, place >> piece.bits);
            let number = self.i32(piece.number.wrapping_sub(added));
            Some(self.b.prim(Prim::Eq, &[upper, number]))
        } else if place >> piece.bits == piece.number {
            None
        } else {
            return None;
        };
        let bytes = columns(&|column| (column & low) * piece.size);
        let (address, added) = self.of_thread_and(&bytes, (place & low) * piece.size);
        let address = piece.further.map_or(address, |further| self.b.further(address, further));
        Some(((address, (added + piece.begin) as i32), inside))
    }
}
