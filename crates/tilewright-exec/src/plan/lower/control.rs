//! Structured control flow: loops, branches and the values they hand on.

use super::{Branch, Loop, Lowerer, Val};
use crate::hash::HashSet;
use crate::{
    PlanError,
    elem::Elem,
    plan::{Inst, LoopBody, Tile, VReg, tile::Base},
};
use smallvec::SmallVec;
use tilewright_ir::{AttrName, Block, Body, MemoryOrderingSemantics, Op, OpRef, Opcode, Scalar, TypeTable, Value};

impl<'m> Lowerer<'m> {
    /// A register for each value; none for tokens.
    pub(super) fn carriers(&mut self, values: impl Iterator<Item = Value>) -> Result<Vec<Option<VReg>>, PlanError> {
        values.map(|value| if self.is_token(value) { Ok(None) } else { self.carrier(value).map(Some) }).collect()
    }

    fn is_token(&self, value: Value) -> bool {
        self.body.ty(value) == TypeTable::token()
    }

    fn carrier(&mut self, value: Value) -> Result<VReg, PlanError> {
        let (elem, shape) = self.tile_type(value)?;
        Ok(self.new_tile(elem, &shape).0)
    }

    /// Defines values as the content of their registers.
    pub(super) fn define_carried(&mut self, values: impl Iterator<Item = Value>, carriers: &[Option<VReg>]) -> Result<(), PlanError> {
        for (value, carrier) in values.zip(carriers) {
            let val = match carrier {
                None => Val::Token,
                Some(reg) => {
                    let (elem, shape) = self.tile_type(value)?;
                    Val::Tile(Tile::contiguous(elem, Base::Reg(*reg), &shape))
                }
            };
            self.define(value, val);
        }
        Ok(())
    }

    /// Copies values to registers, all at once: a value that lies in one of the registers is read before it is overwritten.
    pub(super) fn hand_over(&mut self, values: &[Value], carriers: &[Option<VReg>]) -> Result<(), PlanError> {
        self.require(values.len() == carriers.len(), "the number of values must be that of the results")?;
        let mut moves: Vec<(Tile, VReg)> = Vec::new();
        for (value, carrier) in values.iter().zip(carriers) {
            let Some(reg) = carrier else { continue };
            let src = self.tile(*value)?;
            let bytes = src.numel() * src.elem.size();
            self.require(bytes == self.registers[reg.index()], "the type of a value must be that of the result")?;
            if src.base != Base::Reg(*reg) || !src.is_contiguous() {
                moves.push((src, *reg));
            }
        }
        // Sources in registers of the group are saved first.
        let mut written: SmallVec<[VReg; 8]> = moves.iter().map(|(_, reg)| *reg).collect();
        written.sort_unstable();
        for (src, _) in &mut moves {
            if matches!(src.base, Base::Reg(reg) if written.binary_search(&reg).is_ok()) {
                let (temp, copy) = self.new_tile(src.elem, &src.shape);
                self.emit(Inst::Move { src: std::mem::replace(src, copy), dst: temp });
            }
        }
        for (src, dst) in moves {
            self.emit(Inst::Move { src, dst });
        }
        Ok(())
    }

    /// The region of an operation that needs one.
    fn region(&self, op: OpRef<'m>, index: usize) -> Result<Block, PlanError> {
        op.region_block(index).ok_or_else(|| self.malformed(format!("region {index} is empty")))
    }

    pub(super) fn for_loop(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let block = self.region(op, 0)?;
        let bounds = [self.tile_operand(op, 0)?, self.tile_operand(op, 1)?, self.tile_operand(op, 2)?];
        let mut args = self.body.args(block);
        let index = args.next().ok_or_else(|| self.malformed("the region has no arguments".to_owned()))?;
        let (elem, _) = self.tile_type(index)?;
        let scalars = bounds.iter().all(|b| b.elem == elem && b.shape.is_empty()) && elem.is_int();
        self.require(scalars, "the bounds must be integer scalars of one type")?;
        let [lower, upper, step] = bounds;
        let signed = !op.flag(AttrName::UnsignedCmp);
        let counter = self.carrier(index)?;
        let carried = self.carriers(args.clone())?;
        self.emit(Inst::Move { src: lower, dst: counter });
        self.hand_over(&op.operands()[3..], &carried)?;
        self.define_carried([index].into_iter(), &[Some(counter)])?;
        self.define_carried(args, &carried)?;
        let (head, next, exit) = (self.new_label(), self.new_label(), self.new_label());
        let (upper, step) = (Box::new(upper), Box::new(step));
        self.emit(Inst::ForHead { counter, upper: upper.clone(), step: step.clone(), signed, exit, body: LoopBody::Any });
        self.place_label(head);
        self.loops.push(Loop { carried: carried.clone(), results: Vec::new(), next, exit, scope: self.open.len() });
        let at = self.site;
        self.block(block)?;
        self.site = at;
        self.loops.pop();
        self.place_label(next);
        self.emit(Inst::ForNext { counter, upper, step, signed, target: head, waits: self.waiting.contains(&op.id()) });
        self.place_label(exit);
        self.define_carried(op.results(), &carried)
    }

    pub(super) fn endless_loop(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let block = self.region(op, 0)?;
        let carried = self.carriers(self.body.args(block))?;
        let results = self.carriers(op.results())?;
        self.hand_over(op.operands(), &carried)?;
        self.define_carried(self.body.args(block), &carried)?;
        let (head, next, exit) = (self.new_label(), self.new_label(), self.new_label());
        self.place_label(head);
        self.loops.push(Loop { carried, results: results.clone(), next, exit, scope: self.open.len() });
        let at = self.site;
        self.block(block)?;
        self.site = at;
        self.loops.pop();
        self.place_label(next);
        self.emit(Inst::JumpBack { target: head, waits: self.waiting.contains(&op.id()) });
        self.place_label(exit);
        self.define_carried(op.results(), &results)
    }

    pub(super) fn if_else(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let condition = self.tile_operand(op, 0)?;
        self.require(condition.elem == Elem::Num(Scalar::I1) && condition.shape.is_empty(), "the condition must be one i1")?;
        let results = self.carriers(op.results())?;
        let (otherwise, exit) = (self.new_label(), self.new_label());
        self.emit(Inst::BranchUnless { condition, target: otherwise });
        self.ifs.push(Branch { results: results.clone(), exit, scope: self.open.len() });
        self.block(self.region(op, 0)?)?;
        self.place_label(otherwise);
        match op.region_block(1) {
            Some(block) => self.block(block)?,
            None => self.require(results.is_empty(), "results need both regions")?,
        }
        self.ifs.pop();
        self.place_label(exit);
        self.define_carried(op.results(), &results)
    }

    pub(super) fn yield_values(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let Branch { results, exit, scope } =
            self.ifs.last().cloned().ok_or_else(|| self.malformed("it must end a region of an if or a fold".to_owned()))?;
        self.hand_over(op.operands(), &results)?;
        self.release_from(scope);
        self.emit(Inst::Jump(exit));
        Ok(())
    }

    fn innermost(&self) -> Result<&Loop, PlanError> {
        self.loops.last().ok_or_else(|| self.malformed("it must be inside a loop".to_owned()))
    }

    pub(super) fn continue_loop(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let innermost = self.innermost()?;
        let (carried, next, scope) = (innermost.carried.clone(), innermost.next, innermost.scope);
        self.hand_over(op.operands(), &carried)?;
        self.release_from(scope);
        self.emit(Inst::Jump(next));
        Ok(())
    }

    pub(super) fn break_loop(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let innermost = self.innermost()?;
        let (results, exit, scope) = (innermost.results.clone(), innermost.exit, innermost.scope);
        self.hand_over(op.operands(), &results)?;
        self.release_from(scope);
        self.emit(Inst::Jump(exit));
        Ok(())
    }

    /// Ends the block, or goes back to where the function was called.
    pub(super) fn return_from(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let Some(call) = self.returns.last() else {
            self.require(op.operands().is_empty(), "an entry returns no values")?;
            self.emit(Inst::Return);
            return Ok(());
        };
        let (results, exit, scope) = (call.results.clone(), call.exit, call.scope);
        self.hand_over(op.operands(), &results)?;
        self.release_from(scope);
        self.emit(Inst::Jump(exit));
        Ok(())
    }
}

/// The operations that may wait for another block: those with something in them that sees what other blocks write while they run.
pub(super) fn waiting(body: &Body) -> HashSet<Op> {
    let mut waiting = HashSet::default();
    body.walk(|inner| {
        let strong = inner.memory_ordering().is_some_and(|order| order != MemoryOrderingSemantics::Weak);
        let stores = matches!(inner.opcode(), Opcode::StorePtrTko | Opcode::StoreViewTko | Opcode::MultimemStoreViewTko);
        // What a function does is not looked into.
        if strong && !stores || inner.opcode() == Opcode::PreviewCall {
            let mut outer = inner.parent();
            while let Some(op) = outer.filter(|op| waiting.insert(op.id())) {
                outer = op.parent();
            }
        }
    });
    waiting
}
