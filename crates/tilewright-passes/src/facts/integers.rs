//! Integer facts: a sparse analysis over the values of a function.
//!
//! Facts begin as unreached and only grow. What grows puts the operations that read it back into a queue, which is worked off in the
//! order of the text. Where control flow meets (arguments of loops, results of loops and branches) a range that keeps growing goes to
//! the end of its width, and the groups of dimensions can only be halved, so each value changes a bounded number of times: the analysis
//! takes `n log n` steps for `n` uses.
//!
//! What a condition says holds inside of its branch: [`IntegerFacts::at`] asks for a value at a place.

use super::{
    Range, TileFact,
    transfer::{Context, KnownFacts, decided},
};
use std::collections::{BTreeSet, HashMap};
use tilewright_ir::{
    AttrName, Block, Body, ComparisonPredicate, OpRef, Opcode, Signedness, Tables, Value, ops::Placement, terminator_target,
};

/// How often the range of a value may grow where control flow meets, before it goes to the end of its width.
const MAX_GROWTH: u8 = 3;
/// How many blocks around a place are looked at for conditions.
const MAX_CONDITIONS: usize = 16;

/// What is known of each tile of a function.
#[derive(Debug)]
pub struct IntegerFacts {
    facts: Vec<Option<TileFact>>,
    conditions: Conditions,
    steps: u64,
}

impl PartialEq for IntegerFacts {
    /// Whether they say the same, whatever it took to find it out.
    fn eq(&self, other: &IntegerFacts) -> bool {
        self.facts == other.facts && self.conditions == other.conditions
    }
}

/// A comparison that holds in a block: of a value that is on its left, with another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Comparison {
    predicate: ComparisonPredicate,
    signed: bool,
    other: Value,
}

/// The conditions that hold in the branches of `if`, by block and the value that they are about.
#[derive(Default, PartialEq, Eq, Debug)]
struct Conditions {
    by_place: HashMap<(Block, Value), Vec<Comparison>>,
    /// Whether there is a condition about a value.
    about: Vec<bool>,
    /// The extents of the values that conditions are about.
    extents: HashMap<Value, Box<[i64]>>,
    /// The values that conditions compare with this one, and where these hold.
    compared_with: HashMap<Value, Vec<(Block, Value)>>,
    /// By block: the one around it.
    around: Vec<Option<Block>>,
}

impl IntegerFacts {
    /// Analyses a function of a verified module, which has these tables.
    pub fn new(tables: &Tables, body: &Body) -> IntegerFacts {
        let context = Context { tables, body };
        let facts = IntegerFacts { facts: vec![None; body.num_values()], conditions: Conditions::of(context), steps: 0 };
        Solver::new(context, facts).solve()
    }

    /// What is known of a value wherever it is used; `None` if it is no tile.
    pub fn of(&self, value: Value) -> Option<&TileFact> {
        self.facts.get(value.index())?.as_ref()
    }

    /// What is known of a value in a block, with the conditions of the branches around it.
    pub fn at(&self, value: Value, block: Block) -> Option<TileFact> {
        let fact = self.of(value)?;
        if !self.conditions.about[value.index()] {
            return Some(fact.clone());
        }
        let mut fact = fact.clone();
        for condition in self.conditions.places(value, Some(block)).flat_map(|block| &self.conditions.by_place[&(block, value)]) {
            let other = self.of(condition.other).and_then(|other| other.range);
            fact.range = fact.range.zip(other).map(|(range, other)| condition.apply(range, other)).or(fact.range);
        }
        let extents = self.conditions.extents.get(&value).map_or(&[][..], |extents| extents);
        Some(fact.agree(extents))
    }

    /// Whether a comparison of two values always has the same answer in a block, and which.
    pub fn decides(&self, predicate: ComparisonPredicate, signed: bool, values: [Value; 2], block: Block) -> Option<bool> {
        let [a, b] = values.map(|value| self.at(value, block).and_then(|fact| fact.range));
        decided(predicate, signed, a?, b?)
    }

    /// How many operations were looked at, each as often as it was: what the analysis costs.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

impl Comparison {
    /// What is left of a range where the comparison with a number of another range holds.
    fn apply(self, range: Range, other: Range) -> Range {
        use ComparisonPredicate as P;
        let bits = range.bits();
        let full = Range::full(bits);
        let between = |low: i64, high: i64| range.meet(Range::signed(bits, low, high));
        let between_unsigned = |low: u64, high: u64| range.meet(Range::unsigned(bits, low, high));
        match (self.predicate, self.signed) {
            (P::Equal, _) => range.meet(other),
            (P::NotEqual, _) => range,
            (P::LessThan, true) => between(full.smin(), other.smax().saturating_sub(1).max(full.smin())),
            (P::LessThanOrEqual, true) => between(full.smin(), other.smax()),
            (P::GreaterThan, true) => between(other.smin().saturating_add(1).min(full.smax()), full.smax()),
            (P::GreaterThanOrEqual, true) => between(other.smin(), full.smax()),
            (P::LessThan, false) => between_unsigned(0, other.umax().saturating_sub(1)),
            (P::LessThanOrEqual, false) => between_unsigned(0, other.umax()),
            (P::GreaterThan, false) => between_unsigned(other.umin().saturating_add(1).min(full.umax()), full.umax()),
            (P::GreaterThanOrEqual, false) => between_unsigned(other.umin(), full.umax()),
        }
    }
}

impl Conditions {
    fn of(context: Context<'_>) -> Conditions {
        let body = context.body;
        let (about, around) = (vec![false; body.num_values()], vec![None; body.num_blocks()]);
        let mut conditions = Conditions { about, around, ..Conditions::default() };
        for op in body.preorder().filter(|op| op.def().regions > 0) {
            for block in op.regions().flat_map(|region| body.blocks(region)) {
                conditions.around[block.index()] = op.block();
            }
            if op.opcode() != Opcode::If {
                continue;
            }
            let Some(condition) = op.operand(0) else { continue };
            for (branch, holds) in [(0, true), (1, false)] {
                if let Some(block) = op.region_block(branch) {
                    conditions.add(context, condition, holds, block);
                }
            }
        }
        conditions
    }

    /// The blocks around a place, from the inside, in which a condition about a value holds.
    fn places(&self, value: Value, from: Option<Block>) -> impl Iterator<Item = Block> {
        let from = from.filter(|_| self.about[value.index()]);
        let around = std::iter::successors(from, |block| self.around.get(block.index()).copied().flatten());
        around.take(MAX_CONDITIONS).filter(move |block| self.by_place.contains_key(&(*block, value)))
    }

    /// What follows from a condition that holds, or does not, in a block: conjunctions are taken apart.
    fn add(&mut self, context: Context<'_>, condition: Value, holds: bool, block: Block) {
        /// The most parts of a condition.
        const MAX_PARTS: usize = 16;
        let mut parts = vec![condition];
        for _ in 0..MAX_PARTS {
            let Some(op) = parts.pop().map(|part| context.body.defining_op(part)) else { return };
            let Some(op) = op else { continue };
            match (op.opcode(), holds) {
                (Opcode::AndI, true) | (Opcode::OrI, false) => parts.extend(op.operands()),
                (Opcode::CmpI, _) => self.add_comparison(context, op, holds, block),
                _ => {}
            }
        }
    }

    fn add_comparison(&mut self, context: Context<'_>, op: OpRef<'_>, holds: bool, block: Block) {
        let (Some(predicate), &[lhs, rhs]) = (op.predicate(), op.operands()) else { return };
        let predicate = if holds { predicate } else { negated(predicate) };
        let signed = op.signedness() != Some(Signedness::Unsigned);
        for (value, predicate, other) in [(lhs, predicate, rhs), (rhs, swapped(predicate), lhs)] {
            self.by_place.entry((block, value)).or_default().push(Comparison { predicate, signed, other });
            if !std::mem::replace(&mut self.about[value.index()], true) {
                self.extents.extend(context.shape(value).map(|shape| (value, shape.extents.into())));
            }
            self.compared_with.entry(other).or_default().push((block, value));
        }
    }
}

/// The comparison that holds where this one does not.
fn negated(predicate: ComparisonPredicate) -> ComparisonPredicate {
    use ComparisonPredicate as P;
    match predicate {
        P::Equal => P::NotEqual,
        P::NotEqual => P::Equal,
        P::LessThan => P::GreaterThanOrEqual,
        P::GreaterThanOrEqual => P::LessThan,
        P::GreaterThan => P::LessThanOrEqual,
        P::LessThanOrEqual => P::GreaterThan,
    }
}

/// The comparison with its operands exchanged.
fn swapped(predicate: ComparisonPredicate) -> ComparisonPredicate {
    use ComparisonPredicate as P;
    match predicate {
        P::Equal | P::NotEqual => predicate,
        P::LessThan => P::GreaterThan,
        P::GreaterThan => P::LessThan,
        P::LessThanOrEqual => P::GreaterThanOrEqual,
        P::GreaterThanOrEqual => P::LessThanOrEqual,
    }
}

/// Facts as an operation sees them: with the conditions around it.
struct Seen<'a> {
    facts: &'a IntegerFacts,
    block: Block,
}

impl KnownFacts for Seen<'_> {
    fn of(&self, value: Value) -> Option<TileFact> {
        self.facts.at(value, self.block)
    }
}

/// The analysis while it runs.
struct Solver<'m> {
    context: Context<'m>,
    facts: IntegerFacts,
    /// The operations, in the order of the text.
    ops: Vec<OpRef<'m>>,
    /// By value, the operations that read it, as positions.
    readers: Vec<Vec<u32>>,
    /// By condition, the operations inside of its block that ask for it when they read the value that it is about, as positions.
    guarded: HashMap<(Block, Value), Vec<u32>>,
    /// How often the range of a value grew where control flow meets.
    growth: Vec<u8>,
    queue: BTreeSet<u32>,
}

impl<'m> Solver<'m> {
    fn new(context: Context<'m>, facts: IntegerFacts) -> Solver<'m> {
        let body = context.body;
        let ops: Vec<OpRef<'m>> = body.preorder().collect();
        let mut readers = vec![Vec::new(); body.num_values()];
        let mut guarded: HashMap<(Block, Value), Vec<u32>> = HashMap::new();
        for (op, index) in ops.iter().zip(0..) {
            for operand in op.operands() {
                readers[operand.index()].push(index);
                for block in facts.conditions.places(*operand, op.block()) {
                    guarded.entry((block, *operand)).or_default().push(index);
                }
            }
        }
        let queue = (0..ops.len() as u32).collect();
        Solver { context, facts, ops, readers, guarded, growth: vec![0; body.num_values()], queue }
    }

    fn solve(mut self) -> IntegerFacts {
        let body = self.context.body;
        if let Some(entry) = body.entry_block() {
            self.know_nothing(body.args(entry));
        }
        while let Some(index) = self.queue.pop_first() {
            self.facts.steps += 1;
            self.visit(self.ops[index as usize]);
        }
        self.facts
    }

    fn visit(&mut self, op: OpRef<'m>) {
        let Some(block) = op.block() else { return };
        match op.opcode() {
            Opcode::For => {
                let Some(body) = op.region_block(0) else { return };
                self.count(op, body, block);
                let args = self.context.body.args(body).skip(1);
                self.hand_on(&op.operands()[3..], args, block);
                self.hand_on(&op.operands()[3..], op.results(), block);
            }
            Opcode::Loop => {
                let Some(body) = op.region_block(0) else { return };
                self.hand_on(op.operands(), self.context.body.args(body), block);
            }
            Opcode::Continue | Opcode::Break | Opcode::Yield => {
                let Some(target) = terminator_target(op) else { return };
                let is_continue = op.opcode() == Opcode::Continue;
                if let (true, Some(body)) = (is_continue, target.region_block(0)) {
                    let counters = usize::from(target.opcode() == Opcode::For);
                    self.hand_on(op.operands(), self.context.body.args(body).skip(counters), block);
                }
                let gives_results = match target.opcode() {
                    Opcode::For => is_continue,
                    Opcode::Loop => !is_continue,
                    opcode => opcode == Opcode::If,
                };
                if gives_results {
                    self.hand_on(op.operands(), target.results(), block);
                }
            }
            Opcode::If => {}
            _ => {
                // What a fold hands to its region, and gives, is not followed.
                for region in op.regions() {
                    let body = self.context.body;
                    body.blocks(region).for_each(|block| self.know_nothing(body.args(block)));
                }
                debug_assert!(op.def().placement != Placement::Implicit);
                for (index, value) in op.results().enumerate() {
                    let fact = self.context.result(op, index, &Seen { facts: &self.facts, block });
                    if let Some(fact) = fact {
                        self.grow(value, fact, false);
                    }
                }
            }
        }
    }

    /// The counter of a loop lies between its bounds, and is the first one plus a multiple of the step.
    fn count(&mut self, op: OpRef<'m>, body: Block, block: Block) {
        let known = |index: usize| op.operand(index).and_then(|value| self.facts.at(value, block));
        let (Some(lower), Some(upper), Some(step)) = (known(0), known(1), known(2)) else { return };
        let (Some(first), Some(end), Some(by)) = (lower.range, upper.range, step.range) else { return };
        let bits = first.bits();
        // A step that is not positive stops the launch before the second iteration.
        let range = if op.flag(AttrName::UnsignedCmp) {
            Range::unsigned(bits, first.umin(), end.umax().saturating_sub(1))
        } else {
            Range::signed(bits, first.smin(), end.smax().saturating_sub(1))
        };
        let divisor = if by.as_constant() == Some(0) { lower.divisor } else { lower.divisor.min(step.divisor) };
        let counter = self.context.body.args(body).next();
        if let Some(counter) = counter {
            self.grow(counter, TileFact { range: Some(range), divisor, axes: Box::default() }, true);
        }
    }

    fn know_nothing(&mut self, values: impl Iterator<Item = Value>) {
        for value in values {
            if let Some(shape) = self.context.shape(value) {
                self.grow(value, shape.unknown(), false);
            }
        }
    }

    /// Hands values to others where control flow meets.
    fn hand_on(&mut self, from: &[Value], to: impl Iterator<Item = Value>, block: Block) {
        for (source, target) in from.iter().zip(to) {
            if let Some(fact) = self.facts.at(*source, block) {
                self.grow(target, fact, true);
            }
        }
    }

    /// Adds what may hold to a value's fact, and looks again at what reads it if that changed.
    fn grow(&mut self, value: Value, fact: TileFact, meets: bool) {
        let Some(shape) = self.context.shape(value) else { return };
        let old = self.facts.facts[value.index()].take();
        let mut new = match &old {
            Some(old) => old.join(&fact, shape.unit()),
            None => fact,
        };
        if let (Some(old), true) = (old.as_ref().and_then(|old| old.range), meets)
            && new.range != Some(old)
        {
            let growth = &mut self.growth[value.index()];
            *growth = growth.saturating_add(1);
            if *growth > MAX_GROWTH {
                new.range = new.range.map(|range| old.widen(range));
            }
        }
        let changed = old.as_ref() != Some(&new);
        self.facts.facts[value.index()] = Some(new);
        if changed {
            self.queue.extend(&self.readers[value.index()]);
            for place in self.facts.conditions.compared_with.get(&value).into_iter().flatten() {
                self.queue.extend(self.guarded.get(place).into_iter().flatten());
            }
        }
    }
}
