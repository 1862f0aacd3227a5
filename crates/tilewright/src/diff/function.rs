//! Comparing the bodies of two functions.

use super::{
    Change, DiffOptions, OpDiff, OpLine,
    align::{Pairs, align_by_levels},
    canon::{Canon, Side},
    fingerprint::Fingerprints,
    operation,
};
use crate::{
    ir::{Block, Body, Function, Loc, Op, OpRef, Region, Value},
    text::OpPrinter,
};
use std::cell::OnceCell;

/// How two bodies differ.
#[derive(Default)]
pub(super) struct BodyDiff {
    pub(super) operations: Vec<OpDiff>,
    /// How many operations do not differ.
    pub(super) equal: usize,
}

/// A function on one side.
pub(super) struct Code<'m> {
    pub(super) side: &'m Side<'m>,
    pub(super) function: &'m Function,
    pub(super) prints: Fingerprints,
    /// Naming the values takes time, and most functions do not differ.
    printer: OnceCell<OpPrinter<'m>>,
}

impl<'m> Code<'m> {
    fn new(canon: &mut Canon, side: &'m Side<'m>, function: &'m Function) -> Code<'m> {
        Code { side, function, prints: Fingerprints::new(canon, side, function), printer: OnceCell::new() }
    }

    pub(super) fn body(&self) -> &'m Body {
        &self.function.body
    }

    /// The operation at a position of the pre-order.
    pub(super) fn op(&self, position: usize) -> OpRef<'m> {
        self.body().op(self.prints.order[position])
    }

    pub(super) fn printer(&self) -> &OpPrinter<'m> {
        self.printer.get_or_init(|| OpPrinter::new(self.side.module, self.function))
    }

    fn line(&self, position: usize) -> OpLine {
        let op = self.prints.order[position];
        OpLine { index: position, depth: self.prints.depth(op), text: self.printer().op(op) }
    }
}

/// What of the new side belongs to what of the old side.
pub(super) struct Mapping {
    values: Vec<Option<Value>>,
    ops: Vec<Option<Op>>,
}

impl Mapping {
    /// The value of the new side that belongs to one of the old side.
    pub(super) fn value(&self, old: Value) -> Option<Value> {
        self.values.get(old.index()).copied().flatten()
    }

    /// The operation of the new side that belongs to one of the old side.
    pub(super) fn op(&self, old: Op) -> Option<Op> {
        self.ops.get(old.index()).copied().flatten()
    }

    fn new(old: &Code<'_>, new: &Code<'_>, pairs: &Pairs) -> Mapping {
        let mut mapping = Mapping { values: vec![None; old.body().num_values()], ops: vec![None; old.body().num_ops()] };
        mapping.regions(old.body(), old.body().root(), new.body(), new.body().root());
        for &(a, b) in pairs {
            let (a, b) = (old.op(a), new.op(b));
            mapping.ops[a.id().index()] = Some(b.id());
            mapping.pair(a.results().zip(b.results()));
            for (a, b) in a.regions().zip(b.regions()) {
                mapping.regions(old.body(), a, new.body(), b);
            }
        }
        mapping
    }

    fn pair(&mut self, values: impl Iterator<Item = (Value, Value)>) {
        for (old, new) in values {
            self.values[old.index()] = Some(new);
        }
    }

    fn regions(&mut self, old: &Body, a: Region, new: &Body, b: Region) {
        for (a, b) in old.blocks(a).zip(new.blocks(b)) {
            self.pair(old.args(a).zip(new.args(b)));
        }
    }
}

/// Compares the bodies of two functions.
pub(super) fn compare<'m>(
    canon: &mut Canon,
    old: (&'m Side<'m>, &'m Function),
    new: (&'m Side<'m>, &'m Function),
    options: &DiffOptions,
) -> BodyDiff {
    let old = Code::new(canon, old.0, old.1);
    let new = Code::new(canon, new.0, new.1);
    let mut pairs = align_by_levels(&old.prints.keys, &new.prints.keys);
    // Keys are hashes: only by a bad accident are they equal for different opcodes.
    pairs.retain(|&(a, b)| old.op(a).opcode() == new.op(b).opcode());
    let mapping = Mapping::new(&old, &new, &pairs);
    let mut diff = BodyDiff::default();
    let (mut from_old, mut from_new) = (0, 0);
    let ends = (old.prints.order.len(), new.prints.order.len());
    for &(to_old, to_new) in pairs.iter().chain([&ends]) {
        diff.operations.extend((from_old..to_old).map(|a| removed(&old, a)));
        diff.operations.extend((from_new..to_new).map(|b| added(&new, b)));
        (from_old, from_new) = (to_old + 1, to_new + 1);
        if (to_old, to_new) == ends {
            break;
        }
        let details = operation::compare(canon, (&old, to_old), (&new, to_new), &mapping, options);
        if details.is_empty() {
            diff.equal += 1;
        } else {
            let (old, new) = (Some(old.line(to_old)), Some(new.line(to_new)));
            diff.operations.push(OpDiff { change: Change::Changed, old, new, details });
        }
    }
    diff
}

fn removed(old: &Code<'_>, position: usize) -> OpDiff {
    OpDiff { change: Change::Removed, old: Some(old.line(position)), new: None, details: Vec::new() }
}

fn added(new: &Code<'_>, position: usize) -> OpDiff {
    OpDiff { change: Change::Added, old: None, new: Some(new.line(position)), details: Vec::new() }
}

/// A location for people: the source place.
pub(super) fn location_text(side: &Side<'_>, loc: Option<Loc>) -> String {
    let tables = &side.module.tables;
    match tables.locations.source(loc) {
        Some((file, line, column)) => format!("{}:{line}:{column}", tables.strings.text(file)),
        None => "unknown".to_owned(),
    }
}

/// The first operation that a block belongs to, and where in it the block lies.
pub(super) fn place_of_block(body: &Body, block: Block) -> (Option<Op>, Option<usize>, Option<usize>) {
    let region = body.region_of(block);
    let owner = body.owner(region);
    let number = owner.and_then(|op| body.op(op).regions().position(|r| r == region));
    (owner, number, body.blocks(region).position(|b| b == block))
}
