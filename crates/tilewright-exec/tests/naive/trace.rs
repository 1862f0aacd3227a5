//! What the evaluator saw: which operations ran, what they accessed, which integers came out.

use super::value::{Element, Tile, Trust};
use std::collections::HashMap;
use tilewright_ir::{Op, Value};

/// An operation that ran.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The number of the tile block in the grid.
    pub(crate) block: usize,
    pub(crate) op: Op,
    /// Addresses, bytes, and whether they were written.
    pub(crate) accesses: Vec<(u64, u64, bool)>,
}

/// The integers of a value, whenever it was computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    /// Whether all elements of a tile were equal, each time.
    pub(crate) uniform: bool,
}

/// What happened, in the order of the evaluator. Operations of functions that are called do not count.
#[derive(Clone, Default, Debug)]
pub(crate) struct Trace {
    pub(crate) events: Vec<Event>,
    pub(crate) integers: HashMap<Value, Seen>,
}

impl Trace {
    pub(super) fn begin(&mut self, block: usize, op: Op) {
        self.events.push(Event { block, op, accesses: Vec::new() });
    }

    pub(super) fn accessed(&mut self, address: u64, bytes: u64, is_write: bool) {
        if let Some(event) = self.events.last_mut() {
            event.accesses.push((address, bytes, is_write));
        }
    }

    pub(super) fn computed(&mut self, value: Value, tile: &Tile) {
        let Element::Number(scalar) = tile.element else { return };
        if !scalar.is_int() || tile.items.iter().any(|item| item.trust != Trust::Exact) {
            return;
        }
        let signed = |bits: u64| (bits << (64 - scalar.bits())).cast_signed() >> (64 - scalar.bits());
        for item in &tile.items {
            let number = signed(item.bits);
            let uniform = tile.items.iter().all(|other| signed(other.bits) == number);
            let seen = self.integers.entry(value).or_insert(Seen { least: number, greatest: number, uniform });
            *seen = Seen { least: seen.least.min(number), greatest: seen.greatest.max(number), uniform: seen.uniform && uniform };
        }
    }
}
