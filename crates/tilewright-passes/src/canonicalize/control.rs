//! Branches and loops of which it is known where they go.

use super::{Change, Driver};
use crate::{loops::constant_range, structure::FOR_BOUNDS};
use tilewright_ir::{Block, NewOp, Op, OpRef, Opcode, Place, Scalar, Type, Value, ValueDef};

impl Driver<'_, '_> {
    pub(super) fn branch(&mut self, op: Op) -> Option<Change> {
        let condition = self.rewriter.op(op).operands()[0];
        if let Some(bit) = self.splat(condition) {
            let change = self.taken(op, usize::from(bit & 1 == 0));
            self.enqueue_definitions(&[condition]);
            return Some(change);
        }
        if let Some(positive) = self.negated(condition) {
            return Some(self.exchanged(op, positive));
        }
        if self.known_results(op) {
            self.enqueue(op);
            return Some(Change::Done);
        }
        self.does_nothing(op).then(|| {
            self.rewriter.erase(op).expect("nothing uses it");
            self.enqueue_definitions(&[condition]);
            Change::Done
        })
    }

    /// What the branch that is taken does is done in the place of the `if`.
    fn taken(&mut self, op: Op, region: usize) -> Change {
        let Some(block) = self.rewriter.op(op).region_block(region) else {
            self.rewriter.erase(op).expect("an if without an else has no results");
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
            self.rewriter.erase(end).expect("a terminator has no results");
            self.rewriter.erase(op).expect("its results are replaced");
        } else {
            // Backwards, so that what uses something goes before it.
            while let Some(last) = self.body().last_op(self.rewriter.op(end).block().expect("it was moved")).map(OpRef::id)
                && last != end
            {
                self.rewriter.erase(last).expect("what uses it was behind it");
            }
        }
        moved.into_iter().filter(|op| *op != end).for_each(|op| self.enqueue(op));
        if let Some(around) = around {
            self.enqueue(around);
        }
    }

    /// The same `if` on the opposite condition.
    fn exchanged(&mut self, op: Op, condition: Value) -> Change {
        let here = self.rewriter.op(op);
        let results: Vec<Value> = here.results().collect();
        let types: Vec<Type> = results.iter().map(|result| self.ty(*result)).collect();
        let blocks = [1, 0].map(|region| here.region_block(region));
        let loc = here.loc();
        let new = NewOp { opcode: Opcode::If, operands: &[condition], present: 0, split: 0, attrs: &[], results: &types, loc };
        let new = self.rewriter.create(Place::Before(op), new);
        let regions: Vec<_> = self.rewriter.op(new).regions().collect();
        for (i, (block, region)) in blocks.into_iter().zip(regions).enumerate() {
            match block {
                Some(block) => {
                    let to = self.rewriter.add_block(region, &[]);
                    self.rewriter.move_contents(block, Place::End(to));
                }
                None if i == 0 => {
                    let to = self.rewriter.add_block(region, &[]);
                    let new = NewOp { opcode: Opcode::Yield, operands: &[], present: 0, split: 0, attrs: &[], results: &[], loc };
                    self.rewriter.create(Place::End(to), new);
                }
                None => {}
            }
        }
        let new_results: Vec<Value> = self.rewriter.op(new).results().collect();
        let old_condition = self.rewriter.op(op).operands()[0];
        self.rewriter.replace(op, &new_results).expect("it gives as much");
        self.enqueue_definitions(&[old_condition]);
        self.enqueue(new);
        Change::Done
    }

    /// Results that are known before the `if`: values from outside that both branches give, or the only one that goes on. Two numbers
    /// from outside are selected from.
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
            let value = |side: usize| gives[side].as_ref().map(|values| values[i]).filter(|value| self.is_outside(*value, [yes, no]));
            let known = match (value(0), value(1)) {
                (Some(a), Some(b)) if a == b => Some(a),
                (Some(a), None) if gives[1].is_none() => Some(a),
                (None, Some(b)) if gives[0].is_none() => Some(b),
                (Some(a), Some(b)) if self.can_be_selected(result) => {
                    let ty = self.ty(result);
                    Some(self.create(op, Opcode::Select, &[condition, a, b], &[], ty))
                }
                _ => None,
            };
            if let Some(known) = known {
                changed |= self.replace_result(op, i, known);
            }
        }
        changed
    }

    /// Whether `select` takes values of this type, on the condition of an `if`.
    fn can_be_selected(&self, value: Value) -> bool {
        let types = &self.tables().types;
        let tile = types.as_tile(self.ty(value)).filter(|(_, shape)| shape.is_empty());
        tile.is_some_and(|(element, _)| types.scalar(element) != Some(Scalar::F4E2M1FN))
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
            self.rewriter.erase(op).expect("it has no results");
            self.enqueue_definitions(&[condition]);
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
                self.rewriter.erase(op).expect("its results are replaced");
                self.enqueue_definitions(&inits);
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
