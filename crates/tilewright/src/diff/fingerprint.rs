//! What makes operations alike.
//!
//! Each operation has four keys, from specific to general; equal keys mean alike operations. All hold the opcode and the place:
//! depth, opcode and region of the operation around it. The others add, in turn:
//!
//! 1. everything the operation computes: attributes, types, and the same of all operations its operands come from;
//! 2. attributes, types, and the opcodes that its operands come from;
//! 3. attributes and types;
//! 4. nothing.
//!
//! Keys find operations that belong together. What is equal is decided by comparing them.

use super::canon::{Canon, CommonAttr, Side};
use crate::ir::{Block, Function, Op, OpRef, Value, ValueDef};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Kinds of keys.
pub(super) const LEVELS: usize = 4;

/// The operations of a function in pre-order, with their keys.
pub(super) struct Fingerprints {
    pub(super) order: Vec<Op>,
    pub(super) keys: Vec<[u64; LEVELS]>,
    /// By operation: its position in the order.
    pub(super) positions: Vec<usize>,
    /// By operation: how many operations lie around it.
    pub(super) depths: Vec<usize>,
}

fn hash(value: impl Hash) -> u64 {
    // Keys must not change from run to run.
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Fingerprints {
    pub(super) fn new(canon: &mut Canon, side: &Side<'_>, function: &Function) -> Fingerprints {
        let body = &function.body;
        let mut order = Vec::with_capacity(body.num_ops());
        body.walk(|op| order.push(op.id()));
        let mut state = State {
            canon,
            side,
            values: vec![0; body.num_values()],
            positions: vec![usize::MAX; body.num_ops()],
            depths: vec![0; body.num_ops()],
            keys: Vec::with_capacity(order.len()),
        };
        for block in body.blocks(body.root()) {
            state.arguments(body.args(block), hash("root"));
        }
        for (position, &op) in order.iter().enumerate() {
            state.operation(position, body.op(op));
        }
        let State { positions, depths, keys, .. } = state;
        Fingerprints { order, keys, positions, depths }
    }

    /// How deep an operation is nested.
    pub(super) fn depth(&self, op: Op) -> usize {
        self.depths[op.index()]
    }
}

struct State<'c, 's, 'm> {
    canon: &'c mut Canon,
    side: &'s Side<'m>,
    /// By value: what it is computed by.
    values: Vec<u64>,
    positions: Vec<usize>,
    depths: Vec<usize>,
    keys: Vec<[u64; LEVELS]>,
}

impl State<'_, '_, '_> {
    fn operation(&mut self, position: usize, op: OpRef<'_>) {
        self.positions[op.id().index()] = position;
        let place = self.place(op);
        let general = hash((op.opcode(), place));
        let alike = hash((general, self.local(op)));
        let sources: Vec<u64> = op.operands().iter().map(|&value| source(op, value)).collect();
        let values: Vec<u64> = op.operands().iter().map(|value| self.values.get(value.index()).copied().unwrap_or(0)).collect();
        let computed = hash((alike, values));
        self.keys.push([computed, hash((alike, sources)), alike, general]);
        for (index, result) in op.results().enumerate() {
            self.values[result.index()] = hash((computed, index));
        }
        let body = op.body();
        for (number, region) in op.regions().enumerate() {
            for block in body.blocks(region) {
                self.arguments(body.args(block), hash((alike, number)));
            }
        }
    }

    /// Where an operation stands.
    fn place(&mut self, op: OpRef<'_>) -> u64 {
        let Some(parent) = op.parent() else { return 0 };
        let depth = self.depths[parent.id().index()] + 1;
        self.depths[op.id().index()] = depth;
        hash((depth, parent.opcode(), region_number(op, parent)))
    }

    /// What an operation says, without its operands.
    fn local(&mut self, op: OpRef<'_>) -> u64 {
        let body = op.body();
        let types: Vec<_> = op.results().map(|result| self.side.ty(body.ty(result))).collect();
        let first = op.result(0).map(|result| body.ty(result));
        let attrs: Vec<CommonAttr> = op.attrs().iter().map(|&value| self.canon.attr(self.side, value, first)).collect();
        let groups: Vec<usize> = (0..op.def().operands.len()).map(|i| op.operand_group(i).len()).collect();
        hash((types, attrs, groups))
    }

    fn arguments(&mut self, args: impl Iterator<Item = Value>, owner: u64) {
        for (index, arg) in args.enumerate() {
            self.values[arg.index()] = hash((owner, index, "argument"));
        }
    }
}

/// Which region of `parent` an operation lies in.
pub(super) fn region_number(op: OpRef<'_>, parent: OpRef<'_>) -> Option<usize> {
    let region = op.block().map(|block: Block| op.body().region_of(block))?;
    parent.regions().position(|r| r == region)
}

/// What a value comes from, without looking any further.
fn source(op: OpRef<'_>, value: Value) -> u64 {
    let body = op.body();
    if !body.contains_value(value) {
        return 0;
    }
    match body.value_def(value) {
        ValueDef::Result(op, index) => hash((body.op(op).opcode(), index)),
        ValueDef::Argument(_, index) => hash(("argument", index)),
    }
}
