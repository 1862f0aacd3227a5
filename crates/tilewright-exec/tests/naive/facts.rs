//! Whether what is known of values, before a program runs, holds of them when it does.

use super::value::{Element, Item, Tile, Trust};
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};
use tilewright_ir::{Body, Module, OpRef, Value};
use tilewright_passes::{
    elem::memory_bits,
    facts::{Axis, IntegerFacts, Range, TileFact, TripCount},
};

/// The facts about each function of a module, and the first one that did not hold.
pub(crate) struct FactsCheck {
    functions: HashMap<*const Body, IntegerFacts>,
    /// Facts that said something, and held.
    pub(crate) held: Cell<usize>,
    pub(crate) failed: RefCell<Option<String>>,
}

impl FactsCheck {
    pub(crate) fn new(module: &Module) -> FactsCheck {
        let facts = |function: &tilewright_ir::Function| (&raw const function.body, IntegerFacts::new(&module.tables, &function.body));
        FactsCheck { functions: module.functions.iter().map(facts).collect(), held: Cell::new(0), failed: RefCell::new(None) }
    }

    /// Checks what is known of an operand where it is used.
    pub(super) fn used(&self, body: &Body, op: OpRef<'_>, value: Value, tile: &Tile) {
        let facts = &self.functions[&(&raw const *body)];
        let fact = facts.at(value, op.block().expect("it lies in a block")).expect("every tile that is reached has a fact");
        match violation(&fact, tile) {
            Some(what) => self.fail(format!("operand {value:?} of {}, {what}, but {fact}", op.opcode())),
            None => self.held.set(self.held.get() + usize::from(!fact.to_string().is_empty())),
        }
    }

    /// Checks how often a loop ran.
    pub(super) fn looped(&self, body: &Body, op: OpRef<'_>, found: u64) {
        let trips = TripCount::of(op, &self.functions[&(&raw const *body)]).expect("it is a counted loop");
        if found < trips.min || trips.max.is_some_and(|max| found > max) {
            self.fail(format!("a loop runs {found} times, but was said to make {trips}"));
        }
        self.held.set(self.held.get() + 1);
    }

    fn fail(&self, what: String) {
        self.failed.borrow_mut().get_or_insert(what);
    }
}

fn violation(fact: &TileFact, tile: &Tile) -> Option<String> {
    let exact = || tile.items.iter().filter(|item| item.trust == Trust::Exact);
    let in_range = |range: Range| exact().find(|item| !range.contains(item.bits));
    if let Some(item) = fact.range.and_then(in_range) {
        return Some(format!("an element is {}", item.bits));
    }
    let is_multiple = |item: &&Item| item.bits.trailing_zeros() >= fact.divisor.exponent().min(tile.element.bits());
    if let Some(item) = exact().find(|item| !is_multiple(item)) {
        return Some(format!("an element is {}", item.bits));
    }
    for (d, axis) in fact.axes.iter().enumerate() {
        if (axis.constancy, axis.contiguity, axis.divisor.exponent()) == (1, 1, 0) {
            continue;
        }
        let inner: usize = tile.shape[d + 1..].iter().product();
        let extent = tile.shape[d];
        for line in 0..tile.items.len() / extent {
            let first = line / inner * inner * extent + line % inner;
            let line: Vec<Item> = (0..extent).map(|i| tile.items[first + i * inner]).collect();
            if let Some(what) = axis_violation(*axis, &line, tile.element) {
                return Some(format!("{what} along dimension {d}"));
            }
        }
    }
    None
}

/// The first group of a line that is not as its axis says.
fn axis_violation(axis: Axis, line: &[Item], element: Element) -> Option<String> {
    if line.iter().any(|item| item.trust != Trust::Exact) {
        return None;
    }
    let bits: Vec<u64> = line.iter().map(|item| item.bits).collect();
    if let Some(group) = bits.chunks(axis.constancy as usize).find(|group| group.iter().any(|bits| *bits != group[0])) {
        return Some(format!("{group:?} are said to be equal"));
    }
    let mask = u64::MAX >> (64 - element.bits());
    let unit = match element {
        Element::Pointer(pointee) => u64::from(memory_bits(pointee).expect("it lies in memory") / 8),
        Element::Number(_) => 1,
    };
    let contiguous = |group: &[u64]| group.windows(2).all(|pair| pair[0].wrapping_add(unit) & mask == pair[1]);
    let begins = |group: &[u64]| group[0].trailing_zeros() >= axis.divisor.exponent().min(element.bits());
    let wrong = bits.chunks(axis.contiguity as usize).find(|group| !contiguous(group) || !begins(group));
    wrong.map(|group| format!("{group:?} are no groups of {} that begin at multiples of {}", axis.contiguity, axis.divisor.get()))
}
