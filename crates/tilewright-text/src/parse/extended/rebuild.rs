//! A body made anew, operation by operation, with changes.

use tilewright_ir::{Block, Body, NewOp, Op, OpRef, Region, Type, Value};

/// What is added to an operation that is copied, behind what it has.
#[derive(Clone, Copy, Default)]
pub(super) struct Extra {
    pub(super) operand: Option<Value>,
    /// Bit i: the added operand is the optional one `i` of the row.
    pub(super) present: u8,
    /// How many values the variadic operand takes more.
    pub(super) split: u32,
    pub(super) result: Option<Type>,
}

/// Copies operations of one body into another.
pub(super) struct Rebuild<'b> {
    pub(super) old: &'b Body,
    pub(super) new: Body,
    /// By old value: the new one.
    pub(super) values: Vec<Option<Value>>,
}

impl<'b> Rebuild<'b> {
    pub(super) fn new(old: &'b Body) -> Rebuild<'b> {
        let mut new = Body::new();
        new.reserve(old.num_ops());
        Rebuild { old, new, values: vec![None; old.num_values()] }
    }

    /// What takes the place of an old value. Each is defined before its uses.
    pub(super) fn value(&self, old: Value) -> Value {
        self.values[old.index()].unwrap_or(Value::new(self.old.num_values()))
    }

    /// A block like an old one, with an argument more if there is a type for it.
    pub(super) fn block(&mut self, old: Block, region: Region, extra: Option<Type>) -> Block {
        let types: Vec<Type> = self.old.args(old).map(|arg| self.old.ty(arg)).chain(extra).collect();
        let block = self.new.add_block(region, &types);
        for (old, new) in self.old.args(old).zip(self.new.args(block)) {
            self.values[old.index()] = Some(new);
        }
        block
    }

    /// The operation without its regions and results, at the end of a block.
    pub(super) fn open(&mut self, op: OpRef<'_>, block: Block, extra: Extra) -> Op {
        let operands: Vec<Value> = op.operands().iter().map(|&value| self.value(value)).chain(extra.operand).collect();
        let new = NewOp {
            opcode: op.opcode(),
            operands: &operands,
            present: op.present_operands() | extra.present,
            split: op.split() + extra.split,
            attrs: op.attrs(),
            results: &[],
            loc: op.loc(),
        };
        self.new.add_op_without_results(block, new)
    }

    /// The results, behind those of the regions.
    pub(super) fn close(&mut self, op: OpRef<'_>, new: Op, extra: Extra) {
        let types: Vec<Type> = op.results().map(|value| self.old.ty(value)).chain(extra.result).collect();
        self.new.define_results(new, &types);
        for (old, new) in op.results().zip(self.new.op(new).results()) {
            self.values[old.index()] = Some(new);
        }
    }
}
