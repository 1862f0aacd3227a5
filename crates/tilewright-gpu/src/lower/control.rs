//! Control flow: regions become basic blocks, and what they carry becomes parameters of blocks.
//!
//! Conditions are scalars, which all threads hold alike, so all threads of a block go the same way.

use super::{Lowered, Lowerer, Stop, Tile, order::Passed, stages::Range};
use crate::{
    layout::Layout,
    thread::{End, Label, Target, Value},
};
use tilewright_ir::{AttrName, Block, ComparisonPredicate, OpRef, Opcode, Scalar};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::Lane;

/// Where jumps of a region go.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// `continue`
    next: Option<Label>,
    /// `break`
    exit: Option<Label>,
    /// `yield`
    merge: Option<Label>,
}

impl Scope {
    /// The body of an entry.
    pub(super) const ENTRY: Scope = Scope { next: None, exit: None, merge: None };
}

impl Lowerer<'_> {
    /// The operations of a block.
    pub(super) fn block(&mut self, block: Block, scope: Scope) -> Result<(), Stop> {
        for op in self.frame.body.ops(block) {
            let outer = self.begin_op(op);
            match op.opcode() {
                Opcode::Return => self.lower_return(op)?,
                Opcode::PreviewCall => self.call(op)?,
                Opcode::Continue => self.leave(op, scope.next, op.operands())?,
                Opcode::Break => self.leave(op, scope.exit, op.operands())?,
                Opcode::Yield => self.leave(op, scope.merge, op.operands())?,
                Opcode::If => self.lower_if(op, scope)?,
                Opcode::For => self.lower_for(op)?,
                Opcode::Loop => self.lower_loop(op)?,
                _ => self.op(op)?,
            }
            self.end_op(op, outer);
        }
        Ok(())
    }

    fn leave(&mut self, op: OpRef<'_>, label: Option<Label>, operands: &[tilewright_ir::Value]) -> Result<(), Stop> {
        let label = label.ok_or_else(|| self.unsupported(op, "a jump from here"))?;
        let args = self.flatten(op, operands)?;
        self.free_left(op.opcode());
        if op.opcode() == Opcode::Continue {
            self.next_round();
        }
        self.b.jump(label, args);
        Ok(())
    }

    /// The layout that a value had better have: that of its class, where it has an anchor. Values that are carried from one block to another have
    /// it there.
    pub(super) fn carried_layout(&self, value: tilewright_ir::Value, shape: &[i64]) -> Layout {
        let anchored = if self.is_alone { None } else { self.frame.anchors.layout(value).cloned() };
        anchored.unwrap_or_else(|| self.layout_of(shape))
    }

    /// The registers of values, in the layouts that they have where they are carried.
    fn flatten(&mut self, op: OpRef<'_>, values: &[tilewright_ir::Value]) -> Result<Vec<Value>, Stop> {
        let mut all = Vec::new();
        for value in values {
            if !self.is_token(*value) {
                let tile = self.tile(op, *value)?;
                let layout = self.carried_layout(*value, &tile.shape);
                all.extend(self.convert(&tile, &layout).registers);
            }
        }
        Ok(all)
    }

    /// The types of the registers of values.
    fn lanes(&self, op: OpRef<'_>, values: &[tilewright_ir::Value]) -> Result<Vec<Lane>, Stop> {
        let mut all = Vec::new();
        for value in values {
            if !self.is_token(*value) {
                let (elem, shape) = self.tile_type(op, *value)?;
                let lane = self.lane_of(op, elem)?;
                all.extend(vec![lane; self.carried_layout(*value, &shape).registers() as usize]);
            }
        }
        Ok(all)
    }

    /// Defines values as registers that were handed over.
    fn unflatten(&mut self, op: OpRef<'_>, values: &[tilewright_ir::Value], registers: &[Value]) -> Result<(), Stop> {
        let mut rest = registers;
        for value in values {
            if self.is_token(*value) {
                self.frame.values.insert(*value, Lowered::Token(self.barriers.unknown_token()));
                continue;
            }
            let (elem, shape) = self.tile_type(op, *value)?;
            let layout = self.carried_layout(*value, &shape);
            let (own, others) = rest.split_at(layout.registers() as usize);
            rest = others;
            self.define(*value, Tile { elem, is_splat: shape.is_empty(), shape, layout, registers: own.to_vec() });
        }
        Ok(())
    }

    /// A region of an operation; where it ends without a jump, it goes on at a label.
    fn region(&mut self, op: OpRef<'_>, block: Block, scope: Scope, end: Label) -> Result<(), Stop> {
        self.begin_region(Some(op.opcode()));
        self.block(block, scope)?;
        if self.frame.body.last_op(block).is_none_or(|last| !is_terminator(last)) {
            self.free_left(Opcode::Yield);
            if matches!(op.opcode(), Opcode::For | Opcode::Loop) {
                self.next_round();
            }
            self.b.jump(end, Vec::new());
        }
        self.end_region();
        Ok(())
    }

    /// Goes on at one of two places; at the first one, if it is known that the condition holds.
    fn branch(&mut self, condition: Value, then: Target, otherwise: Target) {
        match self.b.constant_bits(condition) {
            Some(1) => self.b.jump(then.label, then.args),
            _ => self.b.end(End::Branch { condition, then, otherwise }),
        }
    }

    /// Goes on in a block, on every way to which these barriers were passed.
    pub(super) fn enter(&mut self, label: Label, passed: Passed) {
        self.b.continue_in(label);
        self.barriers.go_on(passed);
    }

    pub(super) fn lower_if(&mut self, op: OpRef<'_>, scope: Scope) -> Result<(), Stop> {
        let results: Vec<_> = op.results().collect();
        let passed = self.barriers.passed();
        let condition = self.scalar(op, op.operands()[0])?;
        let (then, _) = self.b.block(&[]);
        let (otherwise, _) = self.b.block(&[]);
        let lanes = self.lanes(op, &results)?;
        let (merge, params) = self.b.block(&lanes);
        let [to_then, to_otherwise] = [then, otherwise].map(|label| Target { label, args: Vec::new() });
        self.branch(condition, to_then, to_otherwise);
        for (region, label) in [(0, then), (1, otherwise)] {
            self.enter(label, passed);
            match op.region_block(region) {
                Some(block) => self.region(op, block, Scope { merge: Some(merge), ..scope }, merge)?,
                None => self.b.jump(merge, Vec::new()),
            }
        }
        self.enter(merge, passed);
        self.unflatten(op, &results, &params)
    }

    pub(super) fn lower_loop(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let results: Vec<_> = op.results().collect();
        let passed = self.barriers.passed();
        let block = op.region_block(0).ok_or_else(|| self.unsupported(op, "a loop without a body"))?;
        let args: Vec<_> = self.frame.body.args(block).collect();
        let carried = self.lanes(op, &args)?;
        let (header, params) = self.b.block(&carried);
        let lanes = self.lanes(op, &results)?;
        let (exit, after) = self.b.block(&lanes);
        let inits = self.flatten(op, op.operands())?;
        self.b.jump(header, inits);
        self.enter(header, passed);
        self.begin_round();
        self.unflatten(op, &args, &params)?;
        self.region(op, block, Scope { next: Some(header), exit: Some(exit), merge: None }, header)?;
        self.end_round(header);
        self.enter(exit, passed);
        self.unflatten(op, &results, &after)
    }

    pub(super) fn lower_for(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let results: Vec<_> = op.results().collect();
        let passed = self.barriers.passed();
        let [from, to, step] = ["lowerBound", "upperBound", "step"].map(|name| op.operand_named(name)[0]);
        let [from, to, step] = [self.scalar(op, from)?, self.scalar(op, to)?, self.scalar(op, step)?];
        let less = ElemOp::CmpI(ComparisonPredicate::LessThan, !op.flag(AttrName::UnsignedCmp));
        let (elem, _) = self.tile_type(op, op.operand_named("lowerBound")[0])?;
        let range = Range { elem, from, to, step, less };
        let i1 = Elem::Num(Scalar::I1);
        let refused = self.unsupported(op, "an index of this type");
        let block = op.region_block(0).ok_or_else(|| self.unsupported(op, "a loop without a body"))?;
        let args: Vec<_> = self.frame.body.args(block).collect();
        let index_lane = self.b.lane(from);
        let lanes = self.lanes(op, &results)?;
        // Without stages nothing reads what is carried for them, and it is removed.
        let counted: Vec<Lane> = [index_lane, Lane::I32].into_iter().chain(lanes.iter().copied()).collect();
        let (before, _) = self.b.block(&[]);
        let (body, params) = self.b.block(&counted);
        let (latch, nexts) = self.b.block(&lanes);
        let (exit, after) = self.b.block(&lanes);
        let inits = self.flatten(op, op.operand_named("initValues"))?;
        let runs = self.element(less, &[elem; 2], i1, &[from, to]).ok_or_else(|| refused.clone())?;
        // What the loop does not change is computed in front of its body.
        self.branch(runs, Target { label: before, args: Vec::new() }, Target { label: exit, args: inits.clone() });
        self.enter(before, passed);
        let stages = self.begin_stages(op, block, range)?;
        let inside = self.barriers.passed();
        let first = self.first_stage();
        let ahead = stages.as_ref().map_or_else(Vec::new, |stages| stages.carried().to_vec());
        let ahead_lanes: Vec<Lane> = ahead.iter().map(|value| self.b.lane(*value)).collect();
        let ahead_params = self.b.more_params(body, &ahead_lanes);
        self.b.jump(body, [from, first].into_iter().chain(inits).chain(ahead).collect());
        self.enter(body, inside);
        self.begin_round();
        let (index, stage, carried) = (params[0], params[1], &params[2..]);
        let of_body: Vec<Value> = [index].into_iter().chain(carried.iter().copied()).collect();
        self.unflatten(op, &args, &of_body)?;
        let next_ahead = match &stages {
            Some(stages) => self.begin_stage(stages, range, (index, stage), &ahead_params)?,
            None => Vec::new(),
        };
        self.region(op, block, Scope { next: Some(latch), exit: None, merge: None }, latch)?;
        self.end_round(body);
        self.enter(latch, inside);
        let next = self.element(ElemOp::AddI, &[elem; 2], elem, &[index, step]).ok_or_else(|| refused.clone())?;
        let more = self.goes_on(range, index, next).ok_or(refused)?;
        let stage = stages.as_ref().map_or(stage, |stages| self.next_stage(stages, stage));
        let again = Target { label: body, args: [next, stage].into_iter().chain(nexts.iter().copied()).chain(next_ahead).collect() };
        self.branch(more, again, Target { label: exit, args: nexts });
        self.enter(exit, passed);
        if let Some(stages) = &stages {
            self.end_stages(stages);
        }
        self.unflatten(op, &results, &after)
    }
}

fn is_terminator(op: OpRef<'_>) -> bool {
    matches!(op.opcode(), Opcode::Return | Opcode::Continue | Opcode::Break | Opcode::Yield)
}
