//! Branches beside and inside of each other.

use super::{Change, Driver};
use std::collections::HashMap;
use tilewright_ir::{Block, NewOp, Op, OpRef, Opcode, Place, Type, Value};

impl Driver<'_, '_> {
    /// `if a { if b { .. } }` is `if a and b { .. }`.
    pub(super) fn nested(&mut self, op: Op) -> Option<Change> {
        let outer = self.rewriter.op(op);
        let inner = self.body().ops(outer.region_block(0)?).next()?;
        let is_last = |op: OpRef<'_>| op.next().is_some_and(|end| end.opcode() == Opcode::Yield && end.operands().is_empty());
        let is_plain = |op: OpRef<'_>| op.opcode() == Opcode::If && op.results().len() == 0 && op.region_block(1).is_none();
        if !is_plain(outer) || !is_plain(inner) || !is_last(inner) {
            return None;
        }
        let (conditions, inner) = ([outer.operands()[0], inner.operands()[0]], inner.id());
        let ty = self.ty(conditions[0]);
        let both = self.create(op, Opcode::AndI, &conditions, &[], ty);
        self.rewriter.move_before(inner, op).expect("the outer one is there");
        self.set_operand(inner, 0, both);
        self.erase(op);
        self.enqueue(inner);
        Some(Change::Done)
    }

    /// Where both branches jump, nothing behind the `if` is reached: the second branch stands there instead.
    pub(super) fn jump_both_ways(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let blocks = [here.region_block(0)?, here.region_block(1)?];
        let ends = blocks.map(|block| self.body().last_op(block).expect("a block ends in a terminator"));
        let block = here.block()?;
        let end = self.body().last_op(block)?;
        // The body of a loop, or of a function, ends as it did.
        let fits = here.parent().is_some_and(|parent| parent.opcode() == Opcode::If) || ends[1].opcode() == end.opcode();
        if ends.iter().any(|end| end.opcode() == Opcode::Yield) || !fits {
            return None;
        }
        let (condition, loc) = (here.operands()[0], here.loc());
        // Backwards, so that what uses something goes before it.
        while let Some(last) = self.body().last_op(block).map(OpRef::id).filter(|last| *last != op) {
            self.erase(last);
        }
        let moved: Vec<Op> = self.body().ops(blocks[1]).map(OpRef::id).collect();
        self.rewriter.move_contents(blocks[1], Place::End(block));
        // The branch that is empty now ends somehow, until it is left out.
        let new = NewOp { opcode: Opcode::Yield, operands: &[], present: 0, split: 0, attrs: &[], results: &[], loc };
        self.rewriter.create(Place::End(blocks[1]), new);
        let dropped = vec![false; self.rewriter.op(op).results().len()];
        self.remake(op, condition, [0, 1], &dropped);
        moved.into_iter().for_each(|op| self.enqueue(op));
        Some(Change::Done)
    }

    /// Merges neighbouring branches on one condition, and drops results that nothing reads. Gives whether anything changed.
    pub(super) fn tidy_branches(&mut self) -> bool {
        let mut changed = false;
        for op in self.rewriter.ops_of(Opcode::If) {
            if self.rewriter.is_erased(op) {
                continue;
            }
            let run = self.neighbours(op);
            let op = if run.len() > 1 { self.merged(&run) } else { op };
            let here = self.rewriter.op(op);
            let kept: Vec<bool> = here.results().map(|result| !self.rewriter.is_unused(result)).collect();
            let only_yields = |block: Block| self.body().ops(block).next().is_some_and(|op| op.opcode() == Opcode::Yield);
            let has_empty_else = here.region_block(1).is_some_and(only_yields) && !kept.contains(&true);
            changed |= run.len() > 1;
            if kept.contains(&false) || has_empty_else {
                let condition = here.operands()[0];
                self.remake(op, condition, [0, 1], &kept);
                self.changes.add("simplified", 1);
                changed = true;
            }
        }
        changed
    }

    /// The branches on one condition that follow each other directly, from this one on.
    fn neighbours(&self, op: Op) -> Vec<Op> {
        let condition = self.rewriter.op(op).operands()[0];
        let next = |op: &OpRef<'_>| op.next().filter(|next| next.opcode() == Opcode::If && next.operands()[0] == condition).map(OpRef::id);
        std::iter::successors(Some(op), |op| next(&self.rewriter.op(*op))).collect()
    }

    /// One `if` that does what several do.
    fn merged(&mut self, run: &[Op]) -> Op {
        let first = self.rewriter.op(run[0]);
        let (condition, loc) = (first.operands()[0], first.loc());
        let results: Vec<Value> = run.iter().flat_map(|op| self.rewriter.op(*op).results()).collect();
        let types: Vec<Type> = results.iter().map(|result| self.ty(*result)).collect();
        let new = NewOp { opcode: Opcode::If, operands: &[condition], present: 0, split: 0, attrs: &[], results: &types, loc };
        let new = self.rewriter.create(Place::Before(run[0]), new);
        for side in 0..2 {
            if side == 0 || run.iter().any(|op| self.rewriter.op(*op).region_block(side).is_some()) {
                self.merge_side(run, new, side);
            }
        }
        let new_results: Vec<Value> = self.rewriter.op(new).results().collect();
        for (old, new) in results.into_iter().zip(new_results) {
            self.enqueue_users(old);
            self.rewriter.replace_uses(old, new);
        }
        for op in run.iter().rev() {
            self.erase(*op);
        }
        self.enqueue(new);
        self.changes.add("branches merged", run.len() as u64 - 1);
        new
    }

    /// Puts what several branches do on one side into one block, as far as it is reached.
    fn merge_side(&mut self, run: &[Op], new: Op, side: usize) {
        let region = self.rewriter.op(new).regions().nth(side).expect("an if has two regions");
        let to = self.rewriter.add_block(region, &[]);
        let loc = self.rewriter.op(new).loc();
        let mut given: Vec<Value> = Vec::new();
        // What an if before gave is, on this side, what its branch gave.
        let mut known: HashMap<Value, Value> = HashMap::new();
        for op in run {
            let Some(block) = self.rewriter.op(*op).region_block(side) else { continue };
            self.replace_inside(block, &known);
            let end = self.body().last_op(block).expect("a block ends in a terminator");
            let (end, opcode, values) = (end.id(), end.opcode(), end.operands().to_vec());
            self.rewriter.move_contents(block, Place::End(to));
            if opcode != Opcode::Yield {
                return;
            }
            self.erase(end);
            known.extend(self.rewriter.op(*op).results().zip(values.iter().copied()));
            given.extend(values);
        }
        let new = NewOp { opcode: Opcode::Yield, operands: &given, present: 0, split: given.len() as u32, attrs: &[], results: &[], loc };
        self.rewriter.create(Place::End(to), new);
    }

    fn replace_inside(&mut self, block: Block, known: &HashMap<Value, Value>) {
        if known.is_empty() {
            return;
        }
        let mut blocks = vec![block];
        let mut uses: Vec<(Op, usize, Value)> = Vec::new();
        while let Some(block) = blocks.pop() {
            for op in self.body().ops(block) {
                blocks.extend(op.regions().flat_map(|region| self.body().blocks(region)));
                let found = op.operands().iter().enumerate().filter_map(|(i, value)| Some((op.id(), i, *known.get(value)?)));
                uses.extend(found);
            }
        }
        for (op, operand, value) in uses {
            self.rewriter.set_operand(op, operand, value).expect("it has the operand");
            self.enqueue(op);
        }
    }
}
