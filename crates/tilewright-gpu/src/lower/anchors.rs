//! Which layouts carried tiles have, decided before code is made.
//!
//! Sums of products on tensor cores have fixed layouts: they are the anchors. What is computed element by element from a tile and what
//! loops and branches carry had better have its layout, so such tiles form classes, and a class with an anchor has the anchor's layout where
//! it is carried. All other carried tiles are blocked. A change of layout lies where classes meet.

use super::tensor_core::with_whole_rows;
use crate::layout::Layout;
use std::collections::{HashMap, HashSet};
use tilewright_ir::{Body, Module, Op, OpRef, Opcode, Value};
use tilewright_passes::elementwise::elem_op;

/// The layouts of classes of tiles that have an anchor.
#[derive(Default)]
pub(super) struct Anchors {
    /// For each value of a class another one, but for one of them.
    next: HashMap<Value, Value>,
    layouts: HashMap<Value, Layout>,
    /// Products whose rows belong to one warp each, if there are enough.
    pub(super) whole_rows: HashSet<Op>,
}

impl Anchors {
    /// The classes of a function, none of which has an anchor yet.
    pub(super) fn new(module: &Module, body: &Body) -> Anchors {
        let mut anchors = Anchors { whole_rows: with_whole_rows(module, body), ..Anchors::default() };
        for op in body.preorder() {
            anchors.join_values_of(module, body, op);
        }
        anchors
    }

    /// Gives the class of a value a layout, unless it has one.
    pub(super) fn anchor(&mut self, value: Value, layout: Layout) {
        self.layouts.entry(self.class(value)).or_insert(layout);
    }

    /// The layout of a value's class.
    pub(super) fn layout(&self, value: Value) -> Option<&Layout> {
        self.layouts.get(&self.class(value))
    }

    fn class(&self, value: Value) -> Value {
        let mut at = value;
        while let Some(next) = self.next.get(&at) {
            at = *next;
        }
        at
    }

    /// Joins the classes of two tiles of one shape.
    fn join(&mut self, module: &Module, body: &Body, a: Value, b: Value) {
        let shape = |value| module.tables.types.as_tile(body.ty(value)).map(|(_, shape)| shape);
        let (first, second) = (self.class(a), self.class(b));
        if first != second && shape(a).is_some() && shape(a) == shape(b) {
            self.next.insert(first, second);
        }
    }

    /// Joins the values of an operation that had better have one layout.
    fn join_values_of(&mut self, module: &Module, body: &Body, op: OpRef<'_>) {
        let args = |op: OpRef<'_>| -> Vec<Value> {
            // The first argument of a counted loop is its index.
            let index = usize::from(op.opcode() == Opcode::For);
            op.region_block(0).map_or(Vec::new(), |block| body.args(block).skip(index).collect())
        };
        let results: Vec<Value> = op.results().collect();
        let joined: Vec<(Value, Value)> = match op.opcode() {
            _ if elem_op(op, &module.tables.types).is_some() => op.operands().iter().map(|value| (*value, results[0])).collect(),
            Opcode::Assume => vec![(op.operands()[0], results[0])],
            Opcode::MmaF | Opcode::MmaI => op.operand_named("acc").iter().map(|value| (*value, results[0])).collect(),
            Opcode::For => {
                let args = args(op);
                op.operand_named("initValues").iter().copied().zip(args.clone()).chain(args.iter().copied().zip(results)).collect()
            }
            Opcode::Loop => op.operands().iter().copied().zip(args(op)).collect(),
            Opcode::Continue | Opcode::Break | Opcode::Yield => {
                let Some(target) = jump_target(op) else { return };
                let to = if op.opcode() == Opcode::Continue { args(target) } else { target.results().collect() };
                op.operands().iter().copied().zip(to).collect()
            }
            _ => return,
        };
        joined.into_iter().for_each(|(a, b)| self.join(module, body, a, b));
    }
}

/// The operation whose region a jump leaves or begins again.
pub(super) fn jump_target(op: OpRef<'_>) -> Option<OpRef<'_>> {
    let is_target = |parent: &OpRef<'_>| match op.opcode() {
        // The end of a combiner gives no value of the code around it.
        Opcode::Yield => true,
        Opcode::Continue => matches!(parent.opcode(), Opcode::For | Opcode::Loop),
        _ => parent.opcode() == Opcode::Loop,
    };
    let target = std::iter::successors(op.parent(), |parent| parent.parent()).find(is_target)?;
    (op.opcode() != Opcode::Yield || target.opcode() == Opcode::If).then_some(target)
}
