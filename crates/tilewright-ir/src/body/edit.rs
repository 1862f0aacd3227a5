//! Changing bodies: where operations are put, taken out and moved, and how a body is put in order again.

use super::{Body, NewOp, OpRow};
use crate::{Block, Op, Region, Type, Value};

/// Where the next operation is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At the end of a block.
    End(Block),
    /// Before an operation.
    Before(Op),
}

impl From<Block> for Place {
    fn from(block: Block) -> Place {
        Place::End(block)
    }
}

impl Body {
    /// Adds an operation at a place, as [`Body::add_op`] does at the end of a block.
    ///
    /// # Panics
    /// When the place is before an operation that is in no block.
    pub fn insert_op(&mut self, place: Place, new: NewOp<'_>) -> Op {
        let op = self.create_op(new);
        self.define_results(op, new.results);
        self.link(place, op);
        op
    }

    /// Puts an operation that is in no block at a place.
    pub(crate) fn link(&mut self, place: Place, op: Op) {
        match place {
            Place::End(block) => self.append(block, op),
            Place::Before(next) => {
                let block = self.op_row(next).block.expect("the operation at the place is in a block");
                let prev = self.ops[next.index()].prev.replace(op);
                match prev {
                    Some(prev) => self.ops[prev.index()].next = Some(op),
                    None => self.blocks[block.index()].first = Some(op),
                }
                let row = &mut self.ops[op.index()];
                (row.prev, row.next, row.block) = (prev, Some(next), Some(block));
            }
        }
    }

    /// Takes an operation out of its block; it keeps its operands, results and regions.
    pub(crate) fn unlink(&mut self, op: Op) {
        let OpRow { block, prev, next, .. } = *self.op_row(op);
        let Some(block) = block else { return };
        match prev {
            Some(prev) => self.ops[prev.index()].next = next,
            None => self.blocks[block.index()].first = next,
        }
        match next {
            Some(next) => self.ops[next.index()].prev = prev,
            None => self.blocks[block.index()].last = prev,
        }
        let row = &mut self.ops[op.index()];
        (row.prev, row.next, row.block) = (None, None, None);
    }

    /// How many operands all operations have together.
    pub(crate) fn num_operands(&self) -> usize {
        self.taken.operands
    }

    /// Where the operands of an operation lie among those of all.
    pub(crate) fn operand_slots(&self, op: Op) -> std::ops::Range<usize> {
        self.op_row(op).operands.range()
    }

    pub(crate) fn operand_at(&self, slot: usize) -> Value {
        self.operands[slot]
    }

    pub(crate) fn set_operand_at(&mut self, slot: usize, value: Value) {
        self.operands[slot] = value;
    }

    pub(crate) fn set_type(&mut self, value: Value, ty: Type) {
        self.values[value.index()].ty = ty;
    }

    /// The same body with everything numbered in the order of the text, and without what is in no block.
    ///
    /// Handles of this body mean nothing in the other. Operands that nothing defines stay so.
    pub fn in_order(&self) -> Body {
        let mut copy = Copy { old: self, new: Body::new(), values: vec![None; self.values.len()], steps: Vec::new() };
        copy.new.reserve(self.ops.len());
        copy.steps.push(Step::Region(self.root(), copy.new.root()));
        copy.run();
        let undefined = Value::new(copy.new.values.len());
        let Copy { mut new, values, .. } = copy;
        for operand in &mut new.operands {
            *operand = values.get(operand.index()).copied().flatten().unwrap_or(undefined);
        }
        new
    }
}

/// What remains to be copied, the next step last: nothing recurses, however deep regions nest.
enum Step {
    Region(Region, Region),
    Block(Block, Region),
    Op(Op, Block),
    Results(Op, Op),
}

struct Copy<'a> {
    old: &'a Body,
    new: Body,
    /// By old value: the new one.
    values: Vec<Option<Value>>,
    steps: Vec<Step>,
}

impl Copy<'_> {
    fn run(&mut self) {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Region(old, new) => self.push(self.old.blocks(old).map(|block| Step::Block(block, new))),
                Step::Block(old, region) => self.block(old, region),
                Step::Op(old, block) => self.op(old, block),
                Step::Results(old, new) => self.results(old, new),
            }
        }
    }

    /// Pushes steps so that the first is popped first.
    fn push(&mut self, steps: impl Iterator<Item = Step>) {
        let start = self.steps.len();
        self.steps.extend(steps);
        self.steps[start..].reverse();
    }

    fn block(&mut self, old: Block, region: Region) {
        let types: Vec<Type> = self.old.args(old).map(|arg| self.old.ty(arg)).collect();
        let block = self.new.add_block(region, &types);
        for (old, new) in self.old.args(old).zip(self.new.args(block)) {
            self.values[old.index()] = Some(new);
        }
        self.push(self.old.ops(old).map(|op| Step::Op(op.id(), block)));
    }

    fn op(&mut self, old: Op, block: Block) {
        let op = self.old.op(old);
        // Operands are those of the old body until all values are known.
        let new = self.new.add_op_without_results(
            block,
            NewOp {
                opcode: op.opcode(),
                operands: op.operands(),
                present: op.present_operands(),
                split: op.split(),
                attrs: op.attrs(),
                results: &[],
                loc: op.loc(),
            },
        );
        let regions: Vec<Region> = self.new.op(new).regions().collect();
        self.steps.push(Step::Results(old, new));
        self.push(op.regions().zip(regions).map(|(old, new)| Step::Region(old, new)));
    }

    fn results(&mut self, old: Op, new: Op) {
        let types: Vec<Type> = self.old.op(old).results().map(|result| self.old.ty(result)).collect();
        self.new.define_results(new, &types);
        for (old, new) in self.old.op(old).results().zip(self.new.op(new).results()) {
            self.values[old.index()] = Some(new);
        }
    }
}
