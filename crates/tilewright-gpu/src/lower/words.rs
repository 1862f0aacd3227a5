//! Neighbouring elements as words: how wide accesses take and give them.

use super::Lowerer;
use crate::thread::{Space, Value};
use tilewright_ir::{Body, Module, OpRef, Opcode, TypeData};
use tilewright_passes::{
    elem::{Elem, memory_bits},
    facts::{Divisor, IntegerFacts},
};
use tilewright_vector::{Lane, Prim};

/// Bytes of the widest access.
pub(super) const WIDEST: u32 = 16;

/// How many neighbours a thread had better hold, as bits: as many as the widest access takes that facts about pointers and views allow. Where
/// none may be wide it is one, so that lanes access neighbours.
pub(super) fn vector_bits(module: &Module, body: &Body, facts: &IntegerFacts) -> u32 {
    body.preorder().filter_map(|op| neighbours(module, body, facts, op)).max().unwrap_or(0)
}

/// Neighbours that accesses of an operation's view, or its own, may take at once, as bits.
fn neighbours(module: &Module, body: &Body, facts: &IntegerFacts, op: OpRef<'_>) -> Option<u32> {
    let types = &module.tables.types;
    let divisor = |value: &tilewright_ir::Value| facts.of(*value).map_or(1, |fact| fact.divisor.get());
    let bytes_of = |scalar| memory_bits(scalar).map(|bits| u64::from(bits.div_ceil(8)));
    let (bytes, size) = match op.opcode() {
        Opcode::MakeTensorView => {
            let TypeData::TensorView { element, strides, .. } = types.get(body.ty(op.result(0)?)) else { return None };
            let size = bytes_of(types.scalar(*element)?)?;
            let statics = strides.iter().filter(|stride| !matches!(**stride, 1 | tilewright_ir::DYNAMIC));
            let statics = statics.map(|stride| Divisor::of(stride.cast_unsigned()).get());
            let rows = op.operand_named("dynamicStrides").iter().map(divisor).chain(statics).min().unwrap_or(u64::MAX);
            (divisor(op.operand_named("base").first()?).min(rows.saturating_mul(size)), size)
        }
        Opcode::LoadPtrTko | Opcode::StorePtrTko => {
            let name = if op.opcode() == Opcode::LoadPtrTko { "source" } else { "destination" };
            let pointers = *op.operand_named(name).first()?;
            let axis = *facts.of(pointers)?.axes.last()?;
            let tile = if op.opcode() == Opcode::LoadPtrTko { op.result(0)? } else { *op.operand_named("value").first()? };
            let Elem::Num(scalar) = types.as_tile(body.ty(tile)).and_then(|(element, _)| Elem::of(types, element))? else { return None };
            let size = bytes_of(scalar)?;
            (axis.divisor.get().min(axis.contiguity.saturating_mul(size)), size)
        }
        _ => return None,
    };
    Some((bytes.min(WIDEST.into()) / size).max(1).ilog2())
}

impl Lowerer<'_> {
    /// Neighbouring elements in words of 32 bits, or as they are if they have as many or more; masks are no elements.
    pub(super) fn words_of(&mut self, elements: &[Value]) -> Vec<Value> {
        match self.b.lane(elements[0]) {
            Lane::I8 if elements.len().is_multiple_of(4) && elements.chunks(4).all(|bytes| self.words_of_bytes.contains_key(bytes)) => {
                elements.chunks(4).map(|bytes| self.words_of_bytes[bytes]).collect()
            }
            Lane::I8 if elements.len() > 1 => {
                let pairs = elements.chunks_exact(2).map(|pair| {
                    let [low, high] = [pair[0], pair[1]].map(|byte| self.b.prim(Prim::U8To16, &[byte]));
                    let places = self.b.constant(Lane::I16, 8);
                    let upper = self.b.prim(Prim::Shl, &[high, places]);
                    self.b.prim(Prim::Or, &[low, upper])
                });
                let pairs: Vec<Value> = pairs.collect();
                self.words_of(&pairs)
            }
            Lane::I16 if elements.len() > 1 => elements.chunks_exact(2).map(|pair| self.b.pack([pair[0], pair[1]])).collect(),
            _ => elements.to_vec(),
        }
    }

    /// The elements of a type that words hold.
    pub(super) fn elements_of(&mut self, words: &[Value], lane: Lane) -> Vec<Value> {
        let mut elements = Vec::new();
        for word in words {
            match (self.b.lane(*word), lane) {
                (Lane::I32, Lane::I8 | Lane::I16) => {
                    let halves = self.b.unpack(*word);
                    let parts = self.elements_of(&halves, lane);
                    if lane == Lane::I8 {
                        self.words_of_bytes.insert(parts.clone(), *word);
                    }
                    elements.extend(parts);
                }
                (Lane::I16, Lane::I8) => {
                    let places = self.b.constant(Lane::I16, 8);
                    let upper = self.b.prim(Prim::ShrU, &[*word, places]);
                    elements.extend([*word, upper].map(|half| self.b.prim(Prim::Low8Of16, &[half])));
                }
                _ => elements.push(*word),
            }
        }
        elements
    }

    /// The type and number of the words of so many elements.
    fn words(lane: Lane, count: usize) -> (Lane, usize) {
        let bytes = lane.size() * count;
        match lane {
            Lane::I8 | Lane::I16 if bytes == 2 => (Lane::I16, 1),
            Lane::I8 | Lane::I16 if bytes > 2 => (Lane::I32, bytes / 4),
            _ => (lane, count),
        }
    }

    /// Loads neighbouring elements at once; where the mask does not hold, others are given.
    pub(super) fn load_neighbours(
        &mut self,
        (lane, count): (Lane, usize),
        space: Space,
        place: (Value, i32),
        mask: Option<(Value, &[Value])>,
    ) -> Vec<Value> {
        let (word, words) = Self::words(lane, count);
        let mask = mask.map(|(mask, others)| (mask, self.words_of(others)));
        let loaded = if words == 1 {
            let mask = mask.map(|(mask, others)| (mask, others[0]));
            vec![self.b.load(word, space, place.0, place.1, mask)]
        } else {
            self.b.load_wide((word, words), space, place, mask)
        };
        self.elements_of(&loaded, lane)
    }

    /// Stores neighbouring elements at once.
    pub(super) fn store_neighbours(&mut self, elements: &[Value], space: Space, place: (Value, i32), mask: Option<Value>) {
        let mut words = self.words_of(elements);
        if words.len() == 1 {
            self.b.store(words.remove(0), space, place.0, place.1, mask);
        } else {
            self.b.store_wide(words, space, place, mask);
        }
    }
}
