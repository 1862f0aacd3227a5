//! Which memory operations tokens order.

use std::collections::HashMap;
use tilewright_ir::{Body, Op, OpRef, Opcode, Region, TypeTable, Value, ValueDef, ops::Traits, terminator_target};

/// How deep joins, branches and loops of tokens are followed; what lies deeper counts as not ordered.
const MAX_DEPTH: usize = 256;

/// The order that tokens give to the operations of a function (SEMANTICS d.3).
///
/// Program order is none: an operation comes after another one only if a token leads from the result of that one to its operand,
/// through joins, other operations with tokens, branches and loops.
#[derive(PartialEq, Eq, Debug)]
pub struct TokenOrder {
    /// By loop, the `continue`s and `break`s that belong to it.
    jumps: HashMap<Op, Vec<Op>>,
}

/// Where a token is to come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Op(Op),
    Value(Value),
}

/// What is known while one question is answered. A token that is being looked at counts as ordered: a loop that hands its own token on
/// keeps the order that this had before.
struct Search<'a> {
    order: &'a TokenOrder,
    body: &'a Body,
    source: Source,
    known: HashMap<Value, bool>,
    /// The values in `known`, as they came.
    found: Vec<Value>,
    depth: usize,
    /// How many operations may still be looked at; without any left, nothing counts as ordered.
    steps: usize,
}

impl TokenOrder {
    /// Of a function of a verified module.
    pub fn new(body: &Body) -> TokenOrder {
        let mut jumps: HashMap<Op, Vec<Op>> = HashMap::new();
        for op in body.preorder().filter(|op| matches!(op.opcode(), Opcode::Continue | Opcode::Break)) {
            if let Some(target) = terminator_target(op) {
                jumps.entry(target.id()).or_default().push(op.id());
            }
        }
        TokenOrder { jumps }
    }

    /// Whether tokens order every execution of `before` before the next one of `after`: in the same iteration of all loops around both.
    ///
    /// `false` where that is not known. It takes time for the tokens between the two.
    pub fn is_ordered(&self, body: &Body, before: Op, after: Op) -> bool {
        self.is_ordered_within(body, before, after, usize::MAX)
    }

    /// As [`is_ordered`](TokenOrder::is_ordered), looking at no more than so many operations; `false` where these are not enough.
    pub fn is_ordered_within(&self, body: &Body, before: Op, after: Op, steps: usize) -> bool {
        let search = || Search::new(self, body, Source::Op(before), steps);
        let tokens = body.op(after).operands().iter().filter(|value| is_token(body, **value));
        tokens.into_iter().any(|token| search().is_after(*token))
    }
}

fn is_token(body: &Body, value: Value) -> bool {
    body.ty(value) == TypeTable::token()
}

impl<'a> Search<'a> {
    fn new(order: &'a TokenOrder, body: &'a Body, source: Source, steps: usize) -> Search<'a> {
        Search { order, body, source, known: HashMap::new(), found: Vec::new(), depth: 0, steps }
    }

    /// Whether an operation lies in a region, or in one inside of it.
    fn lies_in(&self, op: Op, region: Region) -> bool {
        let regions = std::iter::successors(self.region_of(op), |region| self.region_of(self.body.owner(*region)?));
        regions.into_iter().any(|found| found == region)
    }

    fn region_of(&self, op: Op) -> Option<Region> {
        self.body.op(op).block().map(|block| self.body.region_of(block))
    }

    fn jumps_of(&self, target: Op, opcode: Opcode) -> Vec<OpRef<'a>> {
        let jumps = self.order.jumps.get(&target).into_iter().flatten();
        jumps.map(|op| self.body.op(*op)).filter(|op| op.opcode() == opcode).collect()
    }

    /// Whether a token comes after the source.
    fn is_after(&mut self, token: Value) -> bool {
        let mut token = token;
        // Operations with one token each are followed without going deeper.
        loop {
            if self.source == Source::Value(token) {
                return true;
            }
            if let Some(known) = self.known.get(&token) {
                return *known;
            }
            let Some(left) = self.steps.checked_sub(1) else { return false };
            self.steps = left;
            let ValueDef::Result(op, index) = self.body.value_def(token) else { break };
            let op = self.body.op(op);
            if self.source == Source::Op(op.id()) {
                return true;
            }
            if op.opcode() == Opcode::JoinTokens || op.regions().len() > 0 {
                return self.deeper(token, |this| this.of_result(op, index as usize));
            }
            if !op.def().traits.contains(Traits::TOKEN_ORDERED) {
                return false;
            }
            let operand = op.operands().iter().copied().find(|value| is_token(self.body, *value));
            let Some(operand) = operand else { return false };
            token = operand;
        }
        self.deeper(token, |this| this.of_argument(token))
    }

    /// Answers a question about a token that leads to others, once.
    fn deeper(&mut self, token: Value, answer: impl FnOnce(&mut Self) -> bool) -> bool {
        if self.depth == MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        self.known.insert(token, true);
        let since = self.found.len();
        self.found.push(token);
        let is_after = answer(self);
        if !is_after {
            // What was found since may rest on this one.
            for value in self.found.drain(since..) {
                self.known.remove(&value);
            }
            self.known.insert(token, false);
        }
        self.depth -= 1;
        is_after
    }

    fn of_result(&mut self, op: OpRef<'_>, index: usize) -> bool {
        match op.opcode() {
            Opcode::JoinTokens => op.operands().iter().any(|token| self.is_after(*token)),
            Opcode::If => self.of_branches(op, index),
            Opcode::For => {
                let continues = self.jumps_of(op.id(), Opcode::Continue);
                match self.lies_inside(op) {
                    // Zero iterations execute nothing that is to come before. Else each iteration keeps the order of those before.
                    true => self.accumulates(op, &continues, &continues, index, index),
                    false => self.is_after(op.operands()[3 + index]) && continues.iter().all(|end| self.is_after(end.operands()[index])),
                }
            }
            Opcode::Loop => {
                let breaks = self.jumps_of(op.id(), Opcode::Break);
                if !self.lies_inside(op) {
                    return breaks.iter().all(|end| self.is_after(end.operands()[index]));
                }
                let continues = self.jumps_of(op.id(), Opcode::Continue);
                let carried = 0..op.operands().len();
                carried.into_iter().any(|carried| self.accumulates(op, &continues, &breaks, carried, index))
            }
            _ => false,
        }
    }

    /// The token of the branch that the source lies in, or of either.
    fn of_branches(&mut self, op: OpRef<'_>, index: usize) -> bool {
        let body = self.body;
        let mut all = true;
        for region in op.regions() {
            let Some(end) = body.blocks(region).next().and_then(|block| body.last_op(block)) else { return false };
            // A branch that ends otherwise gives no result.
            if end.opcode() != Opcode::Yield {
                continue;
            }
            let is_after = self.is_after(end.operands()[index]);
            if let Source::Op(source) = self.source
                && self.lies_in(source, region)
            {
                return is_after;
            }
            all &= is_after;
        }
        all
    }

    /// Whether what a loop gives comes after all executions of the source inside of it: each iteration ends after the source, and after
    /// the token that it began with.
    fn accumulates(&mut self, op: OpRef<'_>, continues: &[OpRef<'_>], ends: &[OpRef<'_>], carried: usize, result: usize) -> bool {
        let counters = usize::from(op.opcode() == Opcode::For);
        let body = self.body;
        let Some(begin) = op.region_block(0).and_then(|block| body.args(block).nth(counters + carried)) else { return false };
        if !is_token(self.body, begin) {
            return false;
        }
        let continues = continues.iter().map(|end| end.operands()[carried]);
        let tokens: Vec<Value> = continues.chain(ends.iter().map(|end| end.operands()[result])).collect();
        tokens
            .into_iter()
            .all(|token| self.is_after(token) && Search::new(self.order, self.body, Source::Value(begin), self.steps).is_after(token))
    }

    /// An iteration begins after what came before the loop, if each one before ended so; after nothing of its own.
    fn of_argument(&mut self, token: Value) -> bool {
        let body = self.body;
        let ValueDef::Argument(block, index) = body.value_def(token) else { return false };
        let Some(owner) = body.owner(body.region_of(block)).map(|op| body.op(op)) else { return false };
        if self.lies_inside(owner) {
            return false;
        }
        let (first, index) = match owner.opcode() {
            Opcode::For if index > 0 => (3, index as usize - 1),
            Opcode::Loop => (0, index as usize),
            _ => return false,
        };
        let continues = self.jumps_of(owner.id(), Opcode::Continue);
        self.is_after(owner.operands()[first + index]) && continues.iter().all(|end| self.is_after(end.operands()[index]))
    }

    /// Whether the source lies in a loop.
    fn lies_inside(&self, op: OpRef<'_>) -> bool {
        let source = match self.source {
            Source::Op(source) => Some(source),
            Source::Value(value) => match self.body.value_def(value) {
                ValueDef::Result(op, _) => Some(op),
                // The arguments of the loop itself lie in it.
                ValueDef::Argument(block, _) => {
                    let region = self.body.region_of(block);
                    return op.regions().any(|found| found == region)
                        || self.body.owner(region).is_some_and(|owner| op.regions().any(|found| self.lies_in(owner, found)));
                }
            },
        };
        source.is_some_and(|source| op.regions().any(|region| self.lies_in(source, region)))
    }
}
