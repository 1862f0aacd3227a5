//! Values of memory that are known without loading them.
//!
//! - A weak load of a place gives what a weak store put there, or what an earlier weak load found there, if nothing may have written to
//!   it in between. A store must come before the load by tokens; then the load waits for nothing, and its token is the one that it
//!   waits for.
//! - A weak store goes whose whole place the next store in its block writes again, if nothing may read it in between, nor stop the
//!   program, and tokens order the two.
//!
//! "In between" is program order: a defined program has no two overlapping accesses that tokens leave unordered, of which one writes.
//! Other blocks cannot write in between either: that would be a race, unless this block hands the place over by a release and takes it
//! back by an acquire. So functions that do both are left alone, and no value is known across an operation that is not weak.
//!
//! What is known is a list of at most [`MAX_KNOWN`] accesses, the latest ones; tokens are followed through at most [`MAX_TOKENS`]
//! operations. So the pass takes linear time.

mod apply;

use crate::{
    facts::{Analyses, Overlap, Places, TokenOrder},
    memory::{Effect, MAX_KNOWN, Written, effect},
    registry::Options,
    statistics::Statistics,
};
use tilewright_ir::{Block, Body, MemoryOrderingSemantics, Op, OpRef, Opcode, Rewriter, Tables, Value};

/// How many operations tokens are followed through from one access to another one.
const MAX_TOKENS: usize = 256;

pub(crate) fn run(rewriter: &mut Rewriter<'_>, analyses: &mut Analyses, _: Options<'_>, changes: &mut Statistics) {
    let (tables, body) = rewriter.parts();
    let edits = find(tables, body, analyses);
    apply::apply(rewriter, edits, changes);
}

/// A load whose value is known: from the value that a store puts there, or that another load gives.
#[derive(Debug)]
struct Forward {
    load: Op,
    from: Op,
    /// Elements that the load's mask leaves out are its padding.
    pads: bool,
}

/// What is to change in a function.
#[derive(Debug, Default)]
struct Edits {
    forwards: Vec<Forward>,
    /// Stores that are written over.
    overwritten: Vec<Op>,
}

fn find(tables: &Tables, body: &Body, analyses: &Analyses) -> Edits {
    let Some(entry) = body.entry_block() else { return Edits::default() };
    if hands_memory_over(body.preorder()) {
        return Edits::default();
    }
    let search = Search {
        tables,
        places: Places::new(tables, body, analyses.integers(tables, body)),
        order: analyses.tokens(body),
        written: analyses.written(body),
        edits: Edits::default(),
    };
    search.walk(entry)
}

/// Whether a function both releases and acquires memory: other blocks may write in between.
fn hands_memory_over<'m>(ops: impl Iterator<Item = OpRef<'m>>) -> bool {
    use MemoryOrderingSemantics::{AcqRel, Acquire, Release};
    let (mut releases, mut acquires) = (false, false);
    for op in ops {
        releases |= matches!(op.memory_ordering(), Some(Release | AcqRel));
        acquires |= matches!(op.memory_ordering(), Some(Acquire | AcqRel)) || op.opcode() == Opcode::GdcWaitTko;
    }
    releases && acquires
}

/// The accesses that are walked over.
struct Search<'m> {
    tables: &'m Tables,
    places: Places<'m>,
    order: &'m TokenOrder,
    written: &'m Written,
    edits: Edits,
}

/// Blocks that are walked over.
struct Frame<'m> {
    /// The blocks that are still to come, the next one last.
    blocks: Vec<Block>,
    next: Option<OpRef<'m>>,
    /// What is known at the beginning of each block.
    begin: Vec<Op>,
    /// What is known behind all of them.
    after: Vec<Op>,
    /// Stores of this block that nothing has read yet.
    unread: Vec<Op>,
}

impl<'m> Search<'m> {
    fn walk(mut self, entry: Block) -> Edits {
        let body = self.places.body();
        let frame = |blocks, begin, after| Frame { blocks, next: None, begin, after, unread: Vec::new() };
        let mut frames: Vec<Frame<'m>> = vec![frame(vec![entry], Vec::new(), Vec::new())];
        let mut known: Vec<Op> = Vec::new();
        while let Some(top) = frames.last_mut() {
            let Some(op) = top.next else {
                top.unread.clear();
                match top.blocks.pop() {
                    Some(block) => {
                        top.next = body.ops(block).next();
                        known.clone_from(&top.begin);
                    }
                    None => known = frames.pop().map(|frame| frame.after).unwrap_or_default(),
                }
                continue;
            };
            top.next = op.next();
            match effect(op) {
                Effect::None => {}
                Effect::Load => self.load(op, &mut known, &mut top.unread),
                Effect::Store => self.store(op, &mut known, &mut top.unread),
                Effect::Stop => top.unread.clear(),
                Effect::Barrier => {
                    top.unread.clear();
                    known.clear();
                }
                Effect::Regions => {
                    top.unread.clear();
                    let after = self.left_by(op, &known);
                    let begin = if op.opcode() == Opcode::If { std::mem::take(&mut known) } else { after.clone() };
                    let mut blocks: Vec<Block> = op.regions().flat_map(|region| body.blocks(region)).collect();
                    blocks.reverse();
                    frames.push(frame(blocks, begin, after));
                }
            }
        }
        self.edits
    }

    /// What stays known whatever is written inside of an operation.
    fn left_by(&self, op: OpRef<'m>, known: &[Op]) -> Vec<Op> {
        let Some(stores) = self.written.by(op.id()) else { return Vec::new() };
        known.iter().copied().filter(|access| stores.iter().all(|store| self.lie_apart(*access, *store))).collect()
    }

    fn load(&mut self, load: OpRef<'m>, known: &mut Vec<Op>, unread: &mut Vec<Op>) {
        let found = known.iter().rev().find_map(|from| self.forwards(self.op(*from), load).map(|pads| (*from, pads)));
        if let Some((from, pads)) = found {
            return self.edits.forwards.push(Forward { load: load.id(), from, pads });
        }
        unread.retain(|store| self.lie_apart(*store, load.id()));
        remember(known, load.id());
    }

    fn store(&mut self, store: OpRef<'m>, known: &mut Vec<Op>, unread: &mut Vec<Op>) {
        let (overwritten, left) = unread.iter().partition(|before| self.overwrites(store, self.op(**before)));
        *unread = left;
        self.edits.overwritten.extend::<Vec<Op>>(overwritten);
        known.retain(|access| self.lie_apart(*access, store.id()));
        remember(unread, store.id());
        remember(known, store.id());
    }

    /// Whether a load finds what an access before it put there or found, and if so, whether its padding must be put where its mask
    /// leaves elements out.
    fn forwards(&self, from: OpRef<'m>, load: OpRef<'m>) -> Option<bool> {
        let value = value_of(from)?;
        let body = self.places.body();
        if body.ty(value) != body.ty(load.result(0)?) || !self.have_one_place(from, load) {
            return None;
        }
        let stores = effect(from) == Effect::Store;
        // Elements outside of the tensor are not stored, and are loaded as padding, or as 0.
        let is_view = !load.operand_named("view").is_empty();
        if stores && is_view && !self.places.is_in_bounds(from) && !self.places.is_in_bounds(load) {
            return None;
        }
        if stores && !self.order.is_ordered_within(self.places.body(), from.id(), load.id(), MAX_TOKENS) {
            return None;
        }
        let [known, asked] = [from, load].map(|op| op.operand_named("mask"));
        let [found, padding] = [from, load].map(|op| op.operand_named("paddingValue"));
        if known == asked && (asked.is_empty() || !stores && found == padding) {
            return Some(false);
        }
        // Without a padding the engine gives 0, which no value stands for here.
        let covers = known.is_empty() || known == asked;
        (covers && !asked.is_empty() && !padding.is_empty() && self.can_be_selected(value)).then_some(true)
    }

    /// Whether a store writes all that another one before it wrote.
    fn overwrites(&self, store: OpRef<'m>, before: OpRef<'m>) -> bool {
        let mask = store.operand_named("mask");
        self.have_one_place(before, store)
            && (mask.is_empty() || mask == before.operand_named("mask"))
            && self.order.is_ordered_within(self.places.body(), before.id(), store.id(), MAX_TOKENS)
    }

    /// Whether two accesses reach the same elements, but for their masks.
    fn have_one_place(&self, a: OpRef<'m>, b: OpRef<'m>) -> bool {
        match a.operand_named("index").is_empty() {
            true => b.operand_named("index").is_empty() && Places::target(a) == Places::target(b),
            false => self.places.overlap(a, b) == Overlap::Same,
        }
    }

    fn can_be_selected(&self, value: Value) -> bool {
        crate::structure::can_be_selected(self.tables, self.places.body().ty(value))
    }

    fn lie_apart(&self, a: Op, b: Op) -> bool {
        self.places.overlap(self.op(a), self.op(b)) == Overlap::Never
    }

    fn op(&self, op: Op) -> OpRef<'m> {
        self.places.body().op(op)
    }
}

/// What an access put into its place, or found there.
fn value_of(access: OpRef<'_>) -> Option<Value> {
    match access.opcode() {
        Opcode::StoreViewTko => access.operand_named("tile").first().copied(),
        Opcode::StorePtrTko => access.operand_named("value").first().copied(),
        _ => access.result(0),
    }
}

/// Remembers an access, and forgets the oldest one if there are too many.
fn remember(list: &mut Vec<Op>, access: Op) {
    if list.len() == MAX_KNOWN {
        list.remove(0);
    }
    list.push(access);
}
