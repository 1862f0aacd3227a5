//! Completes a function: allocations go to its beginning, ends that are never reached get a terminator, and accesses to memory are
//! chained by tokens.
//!
//! The dialect leaves accesses without tokens unordered. Those of the extended assembly follow each other as they are executed: each
//! takes the token of the one before. Where a region has such accesses, its operation takes the token and gives one: `for` and `loop`
//! carry it from iteration to iteration, both branches of an `if` give one. Accesses in the syntax of the dialect stay as they are
//! written; a `barrier` makes what follows it wait for those before it in its block.

use super::super::cursor::{Parsed, Parser};
use super::rebuild::{Extra, Rebuild};
use super::{Mark, Pending};
use foldhash::{HashMap, HashSet};
use tilewright_ir::ops::{Arity, Traits};
use tilewright_ir::{Block, MemoryOrderingSemantics, NewOp, Op, OpRef, Opcode, Region, Type, TypeTable, Value, terminator_target};

impl Parser<'_> {
    /// Makes of the body at hand one that only has operations of the dialect.
    pub(in super::super) fn complete_function(&mut self, signature: Type) -> Parsed<()> {
        self.end_unreachable(signature)?;
        let mut pending = std::mem::take(&mut self.pending);
        if self.num_errors() > pending.errors_before {
            // What an error left out would be missed.
            return Ok(());
        }
        if !pending.branches.is_empty() {
            self.structure(&mut pending, signature)?;
            self.record_new_values(None);
            if pending.marks.is_empty() {
                self.body = self.body.in_order();
            }
        }
        if pending.marks.is_empty() {
            return Ok(());
        }
        let body = std::mem::take(&mut self.body);
        let chained = needs_chain(&body, &pending);
        let mut order = Order { build: Rebuild::new(&body), marks: &pending.marks, chained: &chained };
        order.region(body.root(), None);
        let Rebuild { values, new, .. } = order.build;
        self.record_new_values(Some(&values));
        self.body = new;
        Ok(())
    }
}

/// The operations that take part in the order: those with a mark and all around them. None if the order is of no consequence,
/// because all they do is load.
fn needs_chain(body: &tilewright_ir::Body, pending: &Pending) -> HashSet<Op> {
    let mut chained = HashSet::default();
    let marked = || pending.marks.iter().filter(|(_, mark)| **mark != Mark::Hoisted).map(|(&op, _)| body.op(op));
    let is_load = |op: OpRef<'_>| op.opcode() == Opcode::LoadPtrTko && op.memory_ordering() == Some(MemoryOrderingSemantics::Weak);
    if marked().all(is_load) {
        return chained;
    }
    for op in marked() {
        let around = std::iter::successors(Some(op), |op| op.parent());
        for op in around {
            if !chained.insert(op.id()) {
                break;
            }
        }
    }
    chained
}

struct Order<'b> {
    build: Rebuild<'b>,
    marks: &'b HashMap<Op, Mark>,
    chained: &'b HashSet<Op>,
}

/// How the chain goes through a block.
#[derive(Default)]
struct Chain {
    /// The token of the last access.
    last: Option<Value>,
    /// Tokens of other accesses in the block, which nothing waits for yet.
    open: Vec<Value>,
}

impl Order<'_> {
    /// All blocks of the function.
    fn region(&mut self, root: Region, token: Option<Value>) {
        let old = self.build.old;
        let blocks: Vec<Block> = old.blocks(root).collect();
        for (index, &block) in blocks.iter().enumerate() {
            let new = self.build.block(block, self.build.new.root(), None);
            if index == 0 {
                self.hoist(new);
            }
            self.block(block, new, token);
        }
    }

    /// Copies what is executed when the function begins.
    fn hoist(&mut self, block: Block) {
        let mut hoisted: Vec<Op> = self.marks.iter().filter(|(_, mark)| **mark == Mark::Hoisted).map(|(&op, _)| op).collect();
        hoisted.sort_unstable();
        for op in hoisted {
            self.copy(self.build.old.op(op), block, Extra::default());
        }
    }

    fn copy(&mut self, op: OpRef<'_>, block: Block, extra: Extra) -> Op {
        let new = self.build.open(op, block, extra);
        self.build.close(op, new, extra);
        new
    }

    /// Copies the operations of a block; `token` is the last one before it.
    fn block(&mut self, old: Block, new: Block, token: Option<Value>) {
        let mut chain = Chain { last: token, open: Vec::new() };
        let body = self.build.old;
        for op in body.ops(old) {
            match self.marks.get(&op.id()) {
                Some(Mark::Hoisted) => {}
                Some(Mark::Barrier) => self.barrier(new, &mut chain),
                Some(Mark::Ordered) if self.chained.contains(&op.id()) => self.access(op, new, &mut chain),
                _ if op.regions().len() > 0 => self.nested(op, new, &mut chain),
                _ if op.def().traits.contains(Traits::TERMINATOR) => self.terminator(op, new, &chain),
                _ => {
                    let copy = self.copy(op, new, Extra::default());
                    if op.def().traits.contains(Traits::TOKEN_ORDERED) {
                        chain.open.extend(self.build.new.op(copy).results().next_back());
                    }
                }
            }
        }
    }

    /// An access that follows the last one.
    fn access(&mut self, op: OpRef<'_>, block: Block, chain: &mut Chain) {
        let index = op.def().operands.iter().position(|operand| operand.name == "token");
        let present = if chain.last.is_some() { index.map_or(0, |index| 1 << index) } else { 0 };
        let copy = self.copy(op, block, Extra { operand: chain.last, present, ..Extra::default() });
        chain.last = self.build.new.op(copy).results().next_back();
    }

    /// Joins the tokens of what came before.
    fn barrier(&mut self, block: Block, chain: &mut Chain) {
        let tokens: Vec<Value> = chain.last.into_iter().chain(chain.open.drain(..)).collect();
        if tokens.len() > 1 {
            chain.last = self.token(block, Opcode::JoinTokens, &tokens);
        } else {
            chain.last = tokens.first().copied();
        }
    }

    fn token(&mut self, block: Block, opcode: Opcode, operands: &[Value]) -> Option<Value> {
        let split = operands.len() as u32;
        let new = NewOp { opcode, operands, present: 0, split, attrs: &[], results: &[TypeTable::token()], loc: None };
        let op = self.build.new.add_op(block, new);
        self.build.new.op(op).result(0)
    }

    /// An operation with regions, through which the chain goes if they have accesses that take part.
    fn nested(&mut self, op: OpRef<'_>, block: Block, chain: &mut Chain) {
        let is_chained = self.chained.contains(&op.id());
        let mut extra = Extra::default();
        if is_chained {
            let token = chain.last.or_else(|| self.token(block, Opcode::MakeToken, &[]));
            chain.last = token;
            extra.result = Some(TypeTable::token());
            if op.opcode() != Opcode::If {
                (extra.operand, extra.split) = (token, u32::from(is_variadic(op)));
            }
        }
        let new = self.build.open(op, block, extra);
        let regions: Vec<Region> = self.build.new.op(new).regions().collect();
        for (old_region, region) in op.regions().zip(regions) {
            let blocks: Vec<Block> = self.build.old.blocks(old_region).collect();
            for &old in &blocks {
                let argument = extra.operand.map(|_| TypeTable::token());
                let copy = self.build.block(old, region, argument);
                // A branch may jump to a loop around it that takes the token, even if it has no accesses of its own.
                let inner = match argument {
                    Some(_) => self.build.new.args(copy).last(),
                    None if op.opcode() == Opcode::If => chain.last,
                    None => None,
                };
                self.block(old, copy, inner);
            }
            if blocks.is_empty() && is_chained && op.opcode() == Opcode::If {
                // The branch that is not there hands the token on.
                let empty = self.build.new.add_block(region, &[]);
                let operands: Vec<Value> = chain.last.into_iter().collect();
                let split = operands.len() as u32;
                let hand_on = NewOp { opcode: Opcode::Yield, operands: &operands, present: 0, split, attrs: &[], results: &[], loc: None };
                self.build.new.add_op(empty, hand_on);
            }
        }
        self.build.close(op, new, extra);
        if is_chained {
            chain.last = self.build.new.op(new).results().next_back();
        } else {
            let tokens = self.build.new.op(new).results().filter(|&value| self.build.new.ty(value) == TypeTable::token());
            chain.open.extend(tokens);
        }
    }

    /// A terminator hands the token on to what takes it.
    fn terminator(&mut self, op: OpRef<'_>, block: Block, chain: &Chain) {
        let takes = terminator_target(op).is_some_and(|target| self.chained.contains(&target.id()));
        let extra =
            if takes { Extra { operand: chain.last, split: u32::from(is_variadic(op)), ..Extra::default() } } else { Extra::default() };
        self.copy(op, block, extra);
    }
}

/// Whether values can be added to the last operand.
fn is_variadic(op: OpRef<'_>) -> bool {
    op.def().operands.last().is_some_and(|operand| operand.arity == Arity::Variadic)
}
