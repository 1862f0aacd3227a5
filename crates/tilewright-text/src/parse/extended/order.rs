//! Orders the accesses of a module: they are chained by tokens, and allocations go to the beginning of their function.
//!
//! The dialect leaves accesses without tokens unordered. Those of the extended assembly follow each other as they are executed: each
//! takes the token of the one before. Where a region has such accesses, its operation takes the token and gives one: `for` and `loop`
//! carry it from iteration to iteration, both branches of an `if` give one. A function that is called takes the token of its caller and
//! returns one ([`Calls`]). Accesses in the syntax of the dialect stay as they are written; a `barrier` makes what follows it wait for
//! those before it in its block.

use super::super::cursor::{Parsed, Parser};
use super::calls::Calls;
use super::rebuild::{Extra, Rebuild};
use super::{Mark, Marks};
use foldhash::{HashMap, HashSet};
use tilewright_ir::ops::{Arity, Traits};
use tilewright_ir::{
    Attr, AttrData, AttrName, AttrValue, Block, Function, MemoryOrderingSemantics, NewOp, Op, OpRef, Opcode, Region, Tables, Type,
    TypeData, TypeError, TypeTable, Value, terminator_target,
};

impl Parser<'_> {
    /// Makes of the body at hand one that only has operations of the dialect, but for barriers, and gives what remains to be done with it.
    pub(in super::super) fn complete_function(&mut self, signature: Type) -> Parsed<Marks> {
        self.end_unreachable(signature)?;
        let mut pending = std::mem::take(&mut self.pending);
        if self.num_errors() > pending.errors_before {
            // What an error left out would be missed.
            return Ok(Marks::default());
        }
        if !pending.branches.is_empty() {
            self.structure(&mut pending, signature)?;
            self.record_values_lost();
            if pending.marks.is_empty() {
                self.body = self.body.in_order();
            }
        }
        Ok(pending.marks)
    }

    /// Orders the accesses of all functions, behind the last of them: a function may call one that stands behind it.
    pub(in super::super) fn order_accesses(&mut self) {
        let marks = std::mem::take(&mut self.marks);
        if marks.is_empty() {
            return;
        }
        let calls = Calls::new(&self.module, &marks);
        let none = Marks::default();
        let mut new_values = HashMap::default();
        for index in 0..self.module.functions.len() {
            let marks = marks.get(&index).unwrap_or(&none);
            if marks.is_empty() && !calls.chained[index] {
                continue;
            }
            let function = &mut self.module.functions[index];
            let chained = if calls.chained[index] { calls.chain(function, marks) } else { HashSet::default() };
            let is_threaded = calls.threaded[index];
            let old = std::mem::take(&mut function.body);
            let tables = &mut self.module.tables;
            let mut order = Order { build: Rebuild::new(&old), tables, marks, chained: &chained, is_threaded };
            order.region(old.root());
            let Rebuild { values, new, .. } = order.build;
            function.body = new;
            let signed = if is_threaded { thread_signature(function, tables) } else { Ok(()) };
            new_values.insert(index, values);
            if let Err(error) = signed {
                self.report("invalid-type", self.token.span(), error.to_string());
            }
        }
        self.record_reordered(&new_values);
    }
}

/// The operations of a function that take part in the order.
pub(super) fn ordered(marks: &Marks) -> impl Iterator<Item = Op> + '_ {
    marks.iter().filter(|(_, mark)| **mark != Mark::Hoisted).map(|(&op, _)| op)
}

pub(super) fn is_weak_load(op: OpRef<'_>) -> bool {
    op.opcode() == Opcode::LoadPtrTko && op.memory_ordering() == Some(MemoryOrderingSemantics::Weak)
}

/// Adds a token to the parameters and to the results.
fn thread_signature(function: &mut Function, tables: &mut Tables) -> Result<(), TypeError> {
    let TypeData::Function { inputs, results } = tables.types.get(function.signature) else { return Ok(()) };
    let with_token = |types: &[Type]| types.iter().copied().chain([TypeTable::token()]).collect();
    let data = TypeData::Function { inputs: with_token(inputs), results: with_token(results) };
    function.signature = tables.types.intern(data)?;
    if let Some(attrs) = function.arg_attrs {
        function.arg_attrs = Some(with_empty_dictionary(attrs, tables));
    }
    Ok(())
}

/// A list of dictionaries, one for each parameter or result, with one for a token behind it.
fn with_empty_dictionary(list: Attr, tables: &mut Tables) -> Attr {
    let AttrData::Array(items) = tables.attrs.get(list) else { return list };
    let mut items = items.to_vec();
    items.push(tables.attrs.intern(AttrData::Dictionary(Box::default())));
    tables.attrs.intern(AttrData::Array(items.into()))
}

struct Order<'b> {
    build: Rebuild<'b>,
    tables: &'b mut Tables,
    marks: &'b Marks,
    chained: &'b HashSet<Op>,
    /// Whether the function takes a token and returns one.
    is_threaded: bool,
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
    fn region(&mut self, root: Region) {
        let old = self.build.old;
        let mut token = None;
        let blocks: Vec<Block> = old.blocks(root).collect();
        for (index, &block) in blocks.iter().enumerate() {
            let parameter = (index == 0 && self.is_threaded).then(TypeTable::token);
            let new = self.build.block(block, self.build.new.root(), parameter);
            if index == 0 {
                token = parameter.and_then(|_| self.build.new.args(new).last());
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
                _ if self.chained.contains(&op.id()) => self.call(op, new, &mut chain),
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

    /// A call of a function that takes the token of the last access and gives that of its own last one.
    fn call(&mut self, op: OpRef<'_>, block: Block, chain: &mut Chain) {
        let token = chain.last.or_else(|| self.token(block, Opcode::MakeToken, &[]));
        let copy = self.copy(op, block, Extra { operand: token, split: 1, result: Some(TypeTable::token()), ..Extra::default() });
        let mut attrs = op.attrs().to_vec();
        for name in [AttrName::ArgAttrs, AttrName::ResAttrs] {
            if let (Some(index), AttrValue::Attr(list)) = (op.def().attr_index(name), op.attr(name)) {
                attrs[index] = AttrValue::Attr(with_empty_dictionary(list, self.tables));
            }
        }
        self.build.new.set_attrs(copy, &attrs);
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
                // What is inside may jump to a loop around it, or return to a caller, that takes the token, even if it has no accesses of
                // its own.
                let inner = match argument {
                    Some(_) => self.build.new.args(copy).last(),
                    None => chain.last,
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
        let takes = match op.opcode() {
            Opcode::Return => self.is_threaded,
            _ => terminator_target(op).is_some_and(|target| self.chained.contains(&target.id())),
        };
        let extra =
            if takes { Extra { operand: chain.last, split: u32::from(is_variadic(op)), ..Extra::default() } } else { Extra::default() };
        self.copy(op, block, extra);
    }
}

/// Whether values can be added to the last operand.
fn is_variadic(op: OpRef<'_>) -> bool {
    op.def().operands.last().is_some_and(|operand| operand.arity == Arity::Variadic)
}
