//! Branches and loops of which it is known where they go.

use super::{Change, Driver};
use crate::{
    loops::constant_range,
    structure::{FOR_BOUNDS, can_be_selected, replace_terminator},
};
use tilewright_ir::{Block, NewOp, Op, OpRef, Opcode, Place, Scalar, Type, Value, ValueDef};

impl Driver<'_, '_> {
    pub(super) fn branch(&mut self, op: Op) -> Option<Change> {
        let condition = self.rewriter.op(op).operands()[0];
        if let Some(bit) = self.splat(condition) {
            return Some(self.taken(op, usize::from(bit & 1 == 0)));
        }
        if let Some(positive) = self.negated(condition) {
            return Some(self.exchanged(op, positive));
        }
        if self.known_results(op) {
            self.enqueue(op);
            return Some(Change::Done);
        }
        if let Some(change) = self.jump_both_ways(op).or_else(|| self.nested(op)) {
            return Some(change);
        }
        self.does_nothing(op).then(|| {
            self.erase(op);
            Change::Done
        })
    }

    /// What the branch that is taken does is done in the place of the `if`.
    fn taken(&mut self, op: Op, region: usize) -> Change {
        let Some(block) = self.rewriter.op(op).region_block(region) else {
            self.erase(op);
            return Change::Done;
        };
        self.splice(op, block);
        Change::Done
    }

    /// Puts what a block does in the place of the operation that it belongs to. Where the block ends in a jump, what comes behind the
    /// operation is never reached.
    fn splice(&mut self, op: Op, block: Block) {
        let terminator = self.body().last_op(block).expect("a block ends in a terminator");
        let (end, opcode, operands) = (terminator.id(), terminator.opcode(), terminator.operands().to_vec());
        let around = self.rewriter.op(op).parent().map(OpRef::id);
        let moved: Vec<Op> = self.body().ops(block).map(OpRef::id).collect();
        self.rewriter.move_contents(block, Place::Before(op));
        // A loop that runs once ends as it would go on, or stop.
        let falls_through = match self.rewriter.op(op).opcode() {
            Opcode::If => opcode == Opcode::Yield,
            _ => opcode != Opcode::Return,
        };
        if falls_through {
            let results: Vec<Value> = self.rewriter.op(op).results().collect();
            for (result, value) in results.into_iter().zip(operands) {
                self.enqueue_users(result);
                self.rewriter.replace_uses(result, value);
            }
            self.erase(end);
            self.erase(op);
        } else {
            // Backwards, so that what uses something goes before it.
            while let Some(last) = self.body().last_op(self.rewriter.op(end).block().expect("it was moved")).map(OpRef::id)
                && last != end
            {
                self.erase(last);
            }
        }
        moved.into_iter().filter(|op| *op != end).for_each(|op| self.enqueue(op));
        if let Some(around) = around {
            self.enqueue(around);
        }
    }

    /// The same `if` on the opposite condition.
    fn exchanged(&mut self, op: Op, condition: Value) -> Change {
        let kept = vec![true; self.rewriter.op(op).results().len()];
        self.remake(op, condition, [1, 0], &kept);
        Change::Done
    }

    /// Makes an `if` anew on a condition, with its branches in an order, and with some of its results; nothing reads the others. An `else`
    /// that gives nothing and does nothing is left out.
    pub(super) fn remake(&mut self, op: Op, condition: Value, order: [usize; 2], kept: &[bool]) {
        let here = self.rewriter.op(op);
        let filtered = |values: &[Value]| values.iter().zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| *value).collect::<Vec<_>>();
        let old_results: Vec<Value> = here.results().collect();
        let results = filtered(&old_results);
        let types: Vec<Type> = results.iter().map(|result| self.ty(*result)).collect();
        let blocks = order.map(|region| here.region_block(region));
        let loc = here.loc();
        let new = NewOp { opcode: Opcode::If, operands: &[condition], present: 0, split: 0, attrs: &[], results: &types, loc };
        let new = self.rewriter.create(Place::Before(op), new);
        let regions: Vec<_> = self.rewriter.op(new).regions().collect();
        for (i, (block, region)) in blocks.into_iter().zip(regions).enumerate() {
            let end = block.map(|block| self.body().last_op(block).expect("a block ends in a terminator"));
            let gives = end.filter(|end| end.opcode() == Opcode::Yield).map(|end| (end.id(), filtered(end.operands())));
            let does_nothing = block.is_none_or(|block| gives.is_some() && self.body().ops(block).count() == 1);
            if i == 1 && does_nothing && results.is_empty() {
                continue;
            }
            let to = self.rewriter.add_block(region, &[]);
            if let Some(block) = block {
                self.rewriter.move_contents(block, Place::End(to));
            }
            if let Some((end, values)) = gives {
                let given = self.rewriter.op(end).operands().to_vec();
                replace_terminator(self.rewriter, end, Opcode::Yield, &values);
                self.enqueue_definitions(&given);
            } else if block.is_none() {
                let new = NewOp { opcode: Opcode::Yield, operands: &[], present: 0, split: 0, attrs: &[], results: &[], loc };
                self.rewriter.create(Place::End(to), new);
            }
        }
        let new_results: Vec<Value> = self.rewriter.op(new).results().collect();
        results.into_iter().zip(new_results).for_each(|(old, new)| self.rewriter.replace_uses(old, new));
        self.erase(op);
        self.enqueue(new);
    }

    /// Results that are known before the `if`: constants and values from outside that both branches give, or the only one that goes on.
    /// Two that differ are selected from.
    fn known_results(&mut self, op: Op) -> bool {
        let here = self.rewriter.op(op);
        let [Some(yes), Some(no)] = [0, 1].map(|region| here.region_block(region)) else { return false };
        let ends = [yes, no].map(|block| self.body().last_op(block).expect("a block ends in a terminator"));
        let gives = ends.map(|end| (end.opcode() == Opcode::Yield).then(|| end.operands().to_vec()));
        let results: Vec<Value> = here.results().collect();
        let condition = here.operands()[0];
        let mut changed = false;
        for (i, result) in results.into_iter().enumerate() {
            if self.rewriter.is_unused(result) {
                continue;
            }
            let is_known = |value: &Value| self.is_outside(*value, [yes, no]) || self.defined_by(*value, Opcode::Constant).is_some();
            let value = |side: usize| gives[side].as_ref().map(|values| values[i]).filter(is_known);
            let known = match (value(0), value(1)) {
                (Some(a), Some(b)) if a == b => a,
                (Some(a), None) if gives[1].is_none() => a,
                (None, Some(b)) if gives[0].is_none() => b,
                (Some(a), Some(b)) if can_be_selected(self.tables(), self.ty(result)) => {
                    let ty = self.ty(result);
                    let condition = self.spread(op, condition, ty);
                    let [a, b] = [a, b].map(|value| self.before(op, value, [yes, no]));
                    self.create(op, Opcode::Select, &[condition, a, b], &[], ty)
                }
                _ => continue,
            };
            let known = self.before(op, known, [yes, no]);
            changed |= self.replace_result(op, i, known);
        }
        changed
    }

    /// A value that can be seen before an operation: itself, or another constant like it.
    fn before(&mut self, op: Op, value: Value, blocks: [Block; 2]) -> Value {
        if self.is_outside(value, blocks) {
            return value;
        }
        let constant = self.body().defining_op(value).expect("it is outside or a constant");
        let attrs = constant.attrs().to_vec();
        let ty = self.ty(value);
        self.create(op, Opcode::Constant, &[], &attrs, ty)
    }

    /// A scalar truth value as one for each element of a tile of this type.
    fn spread(&mut self, op: Op, condition: Value, ty: Type) -> Value {
        let (_, shape) = self.tables().types.as_tile(ty).expect("a tile");
        let shape = shape.to_vec();
        if shape.is_empty() {
            return condition;
        }
        let types = &mut self.rewriter.tables().types;
        let [one, all] = [vec![1; shape.len()], shape].map(|shape| types.tile(Scalar::I1.ty(), &shape).expect("a legal shape"));
        let reshaped = self.create(op, Opcode::Reshape, &[condition], &[], one);
        self.create(op, Opcode::Broadcast, &[reshaped], &[], all)
    }

    /// Whether a value that a block can see is defined outside of it.
    fn is_outside(&self, value: Value, blocks: [Block; 2]) -> bool {
        let block = match self.body().value_def(value) {
            ValueDef::Result(op, _) => self.rewriter.op(op).block(),
            ValueDef::Argument(block, _) => Some(block),
        };
        block.is_some_and(|block| !blocks.contains(&block))
    }

    /// Whether an `if` has no effect, and nothing reads what it gives.
    fn does_nothing(&self, op: Op) -> bool {
        let here = self.rewriter.op(op);
        let mut blocks = here.regions().flat_map(|region| self.body().blocks(region));
        let only_yields = blocks.all(|block| self.body().ops(block).next().is_some_and(|op| op.opcode() == Opcode::Yield));
        only_yields && here.results().all(|result| self.rewriter.is_unused(result))
    }

    /// What holds in every element need not be asserted.
    pub(super) fn assertion(&mut self, op: Op) -> Option<Change> {
        let condition = self.rewriter.op(op).operands()[0];
        (self.splat(condition)? & 1 == 1).then(|| {
            self.erase(op);
            Change::Done
        })
    }

    pub(super) fn repetition(&mut self, op: Op) -> Option<Change> {
        self.runs_once_or_never(op).or_else(|| self.unchanged_values(op))
    }

    /// A loop that runs never gives its first values; what one does that runs once is done in its place.
    fn runs_once_or_never(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let block = here.region_block(0)?;
        let mut args: Vec<Value> = here.operands().to_vec();
        if here.opcode() == Opcode::For {
            let (tables, _) = self.rewriter.parts();
            let range = constant_range(here, tables)?;
            if range.trips() == Some(0) {
                let inits = here.operands()[FOR_BOUNDS..].to_vec();
                for (i, init) in inits.iter().enumerate() {
                    self.replace_result(op, i, *init);
                }
                self.erase(op);
                return Some(Change::Done);
            }
            if range.trips() != Some(1) {
                return None;
            }
            args.drain(1..FOR_BOUNDS);
        } else if self.body().last_op(block)?.opcode() != Opcode::Break {
            return None;
        }
        // It goes on, or ends, in one place only: at its end.
        let end = self.body().last_op(block)?.id();
        if self.terminators_of(op) != [end] {
            return None;
        }
        let old: Vec<Value> = self.body().args(block).collect();
        for (old, new) in old.into_iter().zip(args) {
            self.enqueue_users(old);
            self.rewriter.replace_uses(old, new);
        }
        self.splice(op, block);
        Some(Change::Done)
    }

    /// The terminators that are left of those of a loop.
    fn terminators_of(&self, op: Op) -> Vec<Op> {
        self.terminators.of(op).filter(|terminator| !self.rewriter.is_erased(*terminator)).collect()
    }

    /// A carried value that no iteration changes is its first value.
    fn unchanged_values(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let block = here.region_block(0)?;
        let (bounds, counters) = if here.opcode() == Opcode::For { (FOR_BOUNDS, 1) } else { (0, 0) };
        let args: Vec<Value> = self.body().args(block).skip(counters).collect();
        let inits = here.operands()[bounds..].to_vec();
        let is_for = here.opcode() == Opcode::For;
        let ends = self.terminators_of(op);
        let mut changed = false;
        for (i, (arg, init)) in args.into_iter().zip(inits).enumerate() {
            let keeps = |end: &Op| {
                let end = self.rewriter.op(*end);
                end.opcode() != Opcode::Continue || end.operands()[i] == arg || end.operands()[i] == init
            };
            if !ends.iter().all(keeps) {
                continue;
            }
            changed |= !self.rewriter.is_unused(arg) && {
                // What hands the argument on hands the first value on from now on.
                self.enqueue_users(arg);
                self.rewriter.replace_uses(arg, init);
                true
            };
            changed |= is_for && self.replace_result(op, i, init);
        }
        changed.then_some(Change::Done)
    }
}
