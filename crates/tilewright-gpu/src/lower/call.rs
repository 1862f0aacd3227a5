//! Calls of functions of the preview dialect. Passes put most of them in the place of their calls; what is left are functions that return in the
//! middle, which are lowered where they are called: a return goes on behind the call.

use super::{Lowered, Lowerer, Stop, Tile, anchors::Anchors, control::Scope, stages::StagedLoad};
use crate::thread::{Label, Value};
use std::collections::HashMap;
use tilewright_ir::{AttrData, AttrName, AttrValue, Body, Function, Op, OpRef, Str};
use tilewright_passes::facts::IntegerFacts;
use tilewright_vector::Lane;

/// The most operations of functions that calls are replaced by: calls of calls may double at each step.
const MOST_OPERATIONS: usize = 1 << 20;

/// The function that is lowered: what is known of its values and operations, and where it returns to.
pub(super) struct Frame<'m> {
    pub(super) body: &'m Body,
    pub(super) facts: IntegerFacts,
    pub(super) values: HashMap<tilewright_ir::Value, Lowered>,
    /// The layouts that carried tiles have because of products.
    pub(super) anchors: Anchors,
    /// The operations that read a value.
    pub(super) uses: HashMap<tilewright_ir::Value, Vec<Op>>,
    /// The loads of the loops around the current place that go through shared memory in stages.
    pub(super) staged: HashMap<Op, StagedLoad>,
    /// Where a return goes on; the entry ends there.
    returns: Option<Label>,
}

/// The functions that are called around the current place, and what calls have added so far.
#[derive(Default)]
pub(super) struct Calls {
    around: Vec<Str>,
    operations: usize,
}

impl<'m> Frame<'m> {
    /// The function with a body.
    pub(super) fn new(body: &'m Body, facts: IntegerFacts, anchors: Anchors, returns: Option<Label>) -> Frame<'m> {
        Frame { body, facts, values: HashMap::new(), anchors, uses: super::uses(body), staged: HashMap::new(), returns }
    }
}

impl<'m> Lowerer<'m> {
    /// The function that an operation calls.
    fn callee(&self, op: OpRef<'_>) -> Result<&'m Function, Stop> {
        let AttrValue::Str(name) = op.attr(AttrName::Callee) else { return Err(self.unsupported(op, "a call of nothing")) };
        let args = op.compound(AttrName::ConstArgs).map(|args| self.module.tables.attrs.get(args));
        if !args.is_none_or(|args| matches!(args, AttrData::Array(args) if args.is_empty())) {
            return Err(self.unsupported(op, "a call with constant arguments"));
        }
        if self.calls.around.contains(&name) {
            return Err(self.unsupported(op, "a function that leads back to itself"));
        }
        let mut functions = self.module.functions.iter();
        functions.find(|function| function.name == name).ok_or_else(|| self.unsupported(op, "a function of another module"))
    }

    /// Does what a function does.
    pub(super) fn call(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let function = self.callee(op)?;
        let body = &function.body;
        let block = body.entry_block().ok_or_else(|| self.unsupported(op, "a function without a body"))?;
        self.calls.operations += body.num_ops();
        if self.calls.operations > MOST_OPERATIONS {
            return Err(self.unsupported(op, "so many operations of functions"));
        }
        let given: Option<Vec<Lowered>> = op.operands().iter().map(|value| self.frame.values.get(value).cloned()).collect();
        let given = given.ok_or_else(|| self.unsupported(op, "this operand"))?;
        let results: Vec<_> = op.results().collect();
        let (behind, params) = {
            let lanes = self.lanes_of_given(op, &results)?;
            self.b.block(&lanes)
        };
        let passed = self.barriers.passed();
        let facts = IntegerFacts::new(&self.module.tables, body);
        let anchors = super::anchors(self.module, body, self.target, self.warp_bits);
        let outer = std::mem::replace(&mut self.frame, Frame::new(body, facts, anchors, Some(behind)));
        self.frame.values.extend(body.args(block).zip(given));
        self.calls.around.push(function.name);
        self.begin_region(None);
        let lowered = self.block(block, Scope::ENTRY);
        self.end_region();
        self.calls.around.pop();
        self.frame = outer;
        lowered?;
        self.enter(behind, passed);
        self.take_given(op, &results, &params)
    }

    /// Ends the function, or goes on behind its call with what it gives.
    pub(super) fn lower_return(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let mut given = Vec::new();
        for value in op.operands() {
            if self.is_token(*value) {
                continue;
            }
            let tile = self.tile(op, *value)?;
            given.extend(self.convert(&tile, &self.layout_of(&tile.shape)).registers);
        }
        self.free_left(op.opcode());
        match self.frame.returns {
            Some(label) => self.b.jump(label, given),
            None => self.b.end(crate::thread::End::Return),
        }
        Ok(())
    }

    /// The types of the registers that a function gives values in.
    fn lanes_of_given(&self, op: OpRef<'_>, values: &[tilewright_ir::Value]) -> Result<Vec<Lane>, Stop> {
        let mut all = Vec::new();
        for value in values.iter().filter(|value| !self.is_token(**value)) {
            let (elem, shape) = self.tile_type(op, *value)?;
            all.extend(vec![self.lane_of(op, elem)?; self.layout_of(&shape).registers() as usize]);
        }
        Ok(all)
    }

    /// Defines values as what a function gave.
    fn take_given(&mut self, op: OpRef<'_>, values: &[tilewright_ir::Value], registers: &[Value]) -> Result<(), Stop> {
        let mut rest = registers;
        for value in values {
            if self.is_token(*value) {
                let token = Lowered::Token(self.barriers.unknown_token());
                self.frame.values.insert(*value, token);
                continue;
            }
            let (elem, shape) = self.tile_type(op, *value)?;
            let layout = self.layout_of(&shape);
            let (own, others) = rest.split_at(layout.registers() as usize);
            rest = others;
            self.define(*value, Tile { elem, is_splat: shape.is_empty(), shape, layout, registers: own.to_vec() });
        }
        Ok(())
    }
}
