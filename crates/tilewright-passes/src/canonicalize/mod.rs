//! Canonicalisation: constants are folded, what changes nothing goes, and what can be written in several ways is written in one.
//!
//! - [`fold`]: operations on constants, with the arithmetic that the engine runs.
//! - [`rows`]: tables of identities, `x + 0` and the like, and of pairs of operations that are one.
//! - [`arith`]: order of operands, constants that meet, comparisons, selections, extensions, pointers.
//! - [`shape`]: moved elements and the extents of views.
//! - [`control`]: branches and loops of which it is known where they go.
//! - [`branches`]: branches beside and inside of each other.
//!
//! Each rule leaves the results of a defined program alone, bit for bit; only the payloads of NaNs, of which nothing is promised, may
//! differ. Rules are tried until none applies; each makes the program smaller, or brings it nearer to one form that is never left.

mod arith;
mod branches;
mod control;
mod fold;
mod rows;
mod shape;

use crate::{
    constant::{Constant, Elements, encode, number_tile},
    effects::only_computes,
    facts::Analyses,
    registry::Options,
    statistics::Statistics,
    structure::{Terminators, preorder},
};
use std::collections::HashMap;
use tilewright_ir::{AttrName, AttrValue, Body, NewOp, Op, OpRef, Opcode, Place, Rewriter, Tables, Type, Value};

/// The most elements of a constant that are folded one by one; of larger ones only those that are stored as one element are.
const MAX_ELEMENTS: usize = 64;

/// How often branches are looked at as a whole, and a branch or loop because of what it gives.
const MAX_ROUNDS: usize = 3;

pub(crate) fn run(rewriter: &mut Rewriter<'_>, _: &mut Analyses, _: Options<'_>, changes: &mut Statistics) {
    let ops = preorder(rewriter.body());
    let terminators = Terminators::new(rewriter.body(), &ops);
    let has_branches = ops.iter().any(|op| rewriter.op(*op).opcode() == Opcode::If);
    let (queued, work) = (vec![false; rewriter.body().num_ops()], Vec::with_capacity(ops.len()));
    let mut driver = Driver { rewriter, terminators, queued, work, later: Vec::new(), looked_again: HashMap::new(), changes };
    ops.into_iter().rev().for_each(|op| driver.enqueue(op));
    driver.drain();
    for _ in 0..MAX_ROUNDS {
        if !has_branches || !driver.tidy_branches() {
            break;
        }
        driver.drain();
    }
}

/// What became of an operation.
enum Change {
    /// Its only result is this value.
    Value(Value),
    /// Its only result is this constant.
    Constant(Elements),
    /// It was changed in its place; it may change further.
    InPlace,
    /// It is gone, or its results have been replaced.
    Done,
}

struct Driver<'r, 'a> {
    rewriter: &'r mut Rewriter<'a>,
    /// As they were at first: some may be gone, none is new.
    terminators: Terminators,
    /// By operation: whether it is in the list.
    queued: Vec<bool>,
    /// What is to be looked at, the next one last.
    work: Vec<Op>,
    /// Operations with regions of whose results or operands one was read less: looked at when nothing else is left, so that one with
    /// many values is not looked at for each of them.
    later: Vec<Op>,
    /// How often branches and loops were looked at because of what they give.
    looked_again: HashMap<Op, usize>,
    changes: &'r mut Statistics,
}

impl Driver<'_, '_> {
    /// Visits what is in the list, until nothing is.
    fn drain(&mut self) {
        while let Some(op) = self.work.pop().or_else(|| self.later.pop()) {
            self.queued[op.index()] = false;
            if !self.rewriter.is_erased(op) {
                self.visit(op);
            }
        }
    }

    fn enqueue(&mut self, op: Op) {
        if self.mark(op) {
            self.work.push(op);
        }
    }

    /// Marks an operation as being in a list; whether it was in none.
    fn mark(&mut self, op: Op) -> bool {
        if self.queued.len() <= op.index() {
            self.queued.resize(self.rewriter.body().num_ops(), false);
        }
        !std::mem::replace(&mut self.queued[op.index()], true)
    }

    fn enqueue_users(&mut self, value: Value) {
        let users: Vec<Op> = self.rewriter.uses(value).map(|user| user.op).collect();
        for user in users {
            match self.rewriter.op(user).opcode() {
                Opcode::Yield | Opcode::Continue | Opcode::Break => self.look_again_around(user),
                _ => self.enqueue(user),
            }
        }
    }

    /// Looks again at the branch or loop that a terminator gives something else to, or nothing any more.
    fn look_again_around(&mut self, terminator: Op) {
        let here = self.rewriter.op(terminator);
        let target = match here.opcode() {
            Opcode::Yield => here.parent().map(OpRef::id),
            _ => self.terminators.target(terminator),
        };
        target.into_iter().for_each(|target| self.look_again(target));
    }

    /// Looks at a branch or loop again because of what is in it, if that has not happened too often.
    fn look_again(&mut self, op: Op) {
        if self.looked_again.get(&op).is_none_or(|again| *again < MAX_ROUNDS) && self.mark(op) {
            *self.looked_again.entry(op).or_default() += 1;
            self.later.push(op);
        }
    }

    /// Looks at an operation when nothing else is left to be looked at.
    fn enqueue_later(&mut self, op: Op) {
        if self.mark(op) {
            self.later.push(op);
        }
    }

    fn visit(&mut self, op: Op) {
        let here = self.rewriter.op(op);
        if only_computes(here) && here.results().all(|result| self.rewriter.is_unused(result)) {
            return self.erase_dead(op);
        }
        let Some(change) = self.change(op) else { return };
        match change {
            Change::Value(value) => self.replace(op, value),
            Change::Constant(elements) => {
                let ty = self.rewriter.body().ty(self.rewriter.op(op).result(0).expect("it has a result"));
                if let Some(value) = self.constant(op, ty, &elements) {
                    self.changes.add("folded", 1);
                    self.replace(op, value);
                }
            }
            Change::InPlace => {
                self.changes.add("simplified", 1);
                let results: Vec<Value> = self.rewriter.op(op).results().collect();
                results.into_iter().for_each(|result| self.enqueue_users(result));
                self.enqueue(op);
            }
            Change::Done => self.changes.add("simplified", 1),
        }
    }

    /// What becomes of an operation, by the first rule that says so.
    fn change(&mut self, op: Op) -> Option<Change> {
        match self.rewriter.op(op).opcode() {
            Opcode::If => self.branch(op),
            Opcode::For | Opcode::Loop => self.repetition(op),
            Opcode::Assert => self.assertion(op),
            Opcode::GetTensorShape | Opcode::GetIndexSpaceShape => self.extents(op),
            Opcode::JoinTokens => self.tokens(op),
            Opcode::Assume => self.promise(op),
            Opcode::Iota => self.single_number(op),
            Opcode::Permute => self.fold(op).or_else(|| self.permutation(op)),
            Opcode::Constant | Opcode::MakeToken | Opcode::GetTileBlockId | Opcode::GetNumTileBlocks => None,
            Opcode::MakeTensorView | Opcode::MakePartitionView | Opcode::MakeStridedView | Opcode::MakeGatherScatterView => None,
            _ if only_computes(self.rewriter.op(op)) => {
                self.fold(op).or_else(|| self.identity(op)).or_else(|| self.composition(op)).or_else(|| self.arithmetic(op))
            }
            _ => None,
        }
    }

    fn erase_dead(&mut self, op: Op) {
        self.erase(op);
        self.changes.add("removed", 1);
    }

    /// Takes out an operation whose results nothing uses, with all that is in its regions, and looks again at what these read.
    fn erase(&mut self, op: Op) {
        let mut operands = self.rewriter.op(op).operands().to_vec();
        let (mut jumps, mut inside) = (Vec::new(), vec![self.rewriter.op(op)]);
        while let Some(op) = inside.pop() {
            for op in op.regions().flat_map(|region| self.body().blocks(region)).flat_map(|block| self.body().ops(block)) {
                operands.extend(op.operands());
                match op.opcode() {
                    Opcode::Continue | Opcode::Break => jumps.push(op.id()),
                    _ => inside.push(op),
                }
            }
        }
        jumps.into_iter().for_each(|jump| self.look_again_around(jump));
        let block = self.rewriter.op(op).block();
        self.rewriter.erase(op).expect("nothing uses its results");
        // A branch that does nothing any more may be left out, and one that only branches may be one with that.
        let first = block.and_then(|block| self.body().ops(block).next());
        let around = first.filter(|first| matches!(first.opcode(), Opcode::Yield | Opcode::If)).and_then(OpRef::parent);
        if let Some(around) = around.map(OpRef::id) {
            self.look_again(around);
        }
        self.enqueue_definitions(&operands);
    }

    /// Looks again at what defines values: it may be dead now, or read once only, which is why what reads it may be simpler.
    fn enqueue_definitions(&mut self, values: &[Value]) {
        for value in values {
            let only_user = {
                let mut uses = self.rewriter.uses(*value);
                uses.next().filter(|_| uses.next().is_none()).map(|only| only.op)
            };
            only_user.into_iter().for_each(|user| self.enqueue(user));
            let Some(op) = self.rewriter.body().defining_op(*value) else { continue };
            let (op, has_regions) = (op.id(), op.regions().len() > 0);
            if !has_regions {
                self.enqueue(op);
            } else {
                self.enqueue_later(op);
            }
        }
    }

    fn replace(&mut self, op: Op, value: Value) {
        let result = self.rewriter.op(op).result(0).expect("it has a result");
        self.enqueue_users(result);
        self.rewriter.replace_uses(result, value);
        self.erase(op);
        self.changes.add("simplified", 1);
    }

    /// Replaces one result of an operation that stays for now.
    fn replace_result(&mut self, op: Op, index: usize, value: Value) -> bool {
        let result = self.rewriter.op(op).result(index).expect("it has so many results");
        let used = !self.rewriter.is_unused(result);
        self.enqueue_users(result);
        self.rewriter.replace_uses(result, value);
        used
    }

    /// A constant of these elements before an operation; `None` if there is no such constant.
    fn constant(&mut self, near: Op, ty: Type, elements: &Elements) -> Option<Value> {
        let (scalar, len) = number_tile(self.tables(), ty)?;
        if !tilewright_ir::ops::TypeSet::NUMBER.scalars().any(|known| known == scalar) {
            return None;
        }
        let data = encode(elements, scalar, len)?;
        let data = self.rewriter.tables().constants.add(&data);
        let attrs = [AttrValue::Const(data)];
        Some(self.create(near, Opcode::Constant, &[], &attrs, ty))
    }

    /// An operation with fixed operands and one result, before another one.
    fn create(&mut self, near: Op, opcode: Opcode, operands: &[Value], attrs: &[AttrValue], ty: Type) -> Value {
        let loc = self.rewriter.op(near).loc();
        let new = NewOp { opcode, operands, present: 0, split: 0, attrs, results: &[ty], loc };
        let new = self.rewriter.create(Place::Before(near), new);
        self.enqueue(new);
        self.rewriter.op(new).result(0).expect("it has a result")
    }

    fn tables(&self) -> &Tables {
        self.rewriter.parts().0
    }

    fn body(&self) -> &Body {
        self.rewriter.body()
    }

    fn ty(&self, value: Value) -> Type {
        self.rewriter.body().ty(value)
    }

    /// The constant that a value is.
    fn constant_of(&self, value: Value) -> Option<Constant> {
        let (tables, body) = self.rewriter.parts();
        Constant::of(tables, body, value, MAX_ELEMENTS)
    }

    /// The bits that all elements of a constant have.
    fn splat(&self, value: Value) -> Option<u64> {
        self.constant_of(value)?.elements.splat()
    }

    /// The operation with this opcode that defines a value.
    fn defined_by(&self, value: Value, opcode: Opcode) -> Option<OpRef<'_>> {
        self.rewriter.body().defining_op(value).filter(|op| op.opcode() == opcode)
    }

    fn set_operand(&mut self, op: Op, index: usize, value: Value) {
        let old = self.rewriter.op(op).operands()[index];
        self.rewriter.set_operand(op, index, value).expect("it has so many operands");
        self.enqueue_definitions(&[old]);
    }

    fn set_attr(&mut self, op: Op, name: AttrName, value: AttrValue) {
        self.rewriter.set_attr(op, name, value).expect("it has the attribute");
    }
}
