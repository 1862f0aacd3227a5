//! Control flow: loops, branches, and what their blocks end in.

use super::{Generator, plan::Plan};
use tilewright_ir::{
    Op, Opcode, Scalar, Type,
    ops::{Traits, TypeSet},
};

/// How deep regions nest.
const MAX_DEPTH: usize = 4;

/// Where a block lies: what may stand there, and what it may end in.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The operation that owns the region.
    parent: Option<Opcode>,
    /// What `yield` gives.
    results: Vec<Type>,
    /// The innermost loop around it.
    target: Option<Target>,
    /// Whether `return` cannot stand there.
    no_return: bool,
    /// Whether it lies in a fold, where nothing has effects.
    in_fold: bool,
    depth: usize,
}

/// A loop that terminators mean.
#[derive(Clone, Debug)]
struct Target {
    opcode: Opcode,
    /// What `continue` hands on.
    carried: Vec<Type>,
    /// What `break` hands on.
    results: Vec<Type>,
}

impl Place {
    /// Whether an operation with these traits may stand here.
    pub(super) fn takes(&self, opcode: Opcode) -> bool {
        let def = opcode.def();
        let is_deep = def.regions > 0 && self.depth == MAX_DEPTH;
        let harmless = def.traits.contains(Traits::PURE) || def.traits.contains(Traits::NO_MEMORY);
        // The official tools think that a promise has an effect; jumps cannot stand in a fold, so loops cannot either.
        let pure = opcode == Opcode::If || harmless && opcode != Opcode::Assume;
        !is_deep && (!self.in_fold || pure)
    }

    /// The body of a `reduce` or `scan` that lies here.
    pub(super) fn in_fold(&self, opcode: Opcode, results: Vec<Type>) -> Place {
        Place { parent: Some(opcode), results, target: None, no_return: true, in_fold: true, depth: self.depth + 1 }
    }

    fn in_branch(&self, results: Vec<Type>) -> Place {
        Place { parent: Some(Opcode::If), results, depth: self.depth + 1, ..self.clone() }
    }

    fn in_loop(&self, opcode: Opcode, carried: &[Type], results: &[Type]) -> Place {
        let target = Target { opcode, carried: carried.to_vec(), results: results.to_vec() };
        let no_return = self.no_return || opcode == Opcode::For;
        Place { parent: Some(opcode), target: Some(target), no_return, depth: self.depth + 1, ..self.clone() }
    }

    /// The terminators that a block here can end in, with the types of what they hand on.
    fn endings(&self) -> Vec<(Opcode, &[Type])> {
        let mut endings: Vec<(Opcode, &[Type])> = Vec::new();
        if matches!(self.parent, Some(Opcode::If | Opcode::Reduce | Opcode::Scan)) {
            endings.push((Opcode::Yield, &self.results));
        }
        if let Some(target) = &self.target {
            endings.push((Opcode::Continue, &target.carried));
            if target.opcode == Opcode::Loop {
                endings.push((Opcode::Break, &target.results));
            }
        }
        // The body of a for ends in nothing but continue.
        if !self.no_return {
            endings.push((Opcode::Return, &[]));
        }
        endings
    }
}

impl Generator<'_, '_> {
    pub(super) fn control(&mut self, opcode: Opcode, place: &Place) {
        match opcode {
            Opcode::For => self.counted_loop(place),
            Opcode::Loop => self.endless_loop(place),
            Opcode::If => self.branch(place),
            _ => unreachable!("{opcode} is no control flow"),
        }
    }

    fn counted_loop(&mut self, place: &Place) {
        let bound = self.any_scalar_tile(TypeSet::INT);
        let carried = self.carried_types();
        let plan = Plan::new(Opcode::For).operand("lowerBound", bound).operand("upperBound", bound).operand("step", bound);
        let op = self.emit(plan.operands("initValues", &carried).results(&carried));
        let arguments: Vec<Type> = std::iter::once(bound).chain(carried.iter().copied()).collect();
        self.region(op, 0, &arguments, &place.in_loop(Opcode::For, &carried, &carried));
        self.define(op);
    }

    fn endless_loop(&mut self, place: &Place) {
        let (carried, results) = (self.carried_types(), self.carried_types());
        let op = self.emit(Plan::new(Opcode::Loop).operands("initValues", &carried).results(&results));
        self.region(op, 0, &carried, &place.in_loop(Opcode::Loop, &carried, &results));
        self.define(op);
    }

    fn branch(&mut self, place: &Place) {
        let condition = self.tile(Scalar::I1, &[]);
        let results = self.carried_types();
        let op = self.emit(Plan::new(Opcode::If).operand("condition", condition).results(&results));
        let inside = place.in_branch(results.clone());
        self.region(op, 0, &[], &inside);
        // Only a branch without results may be missing.
        if !results.is_empty() || self.source.flag() {
            self.region(op, 1, &[], &inside);
        }
        self.define(op);
    }

    /// Fills a region of an operation with a block.
    pub(super) fn region(&mut self, op: Op, index: usize, arguments: &[Type], place: &Place) {
        let region = self.body.op(op).regions().nth(index).expect("the operation has the region");
        let inside = self.body.add_block(region, arguments);
        let outside = std::mem::replace(&mut self.block, inside);
        let scope = self.visible.len();
        self.visible.extend(self.body.args(inside));
        self.block_content(place);
        self.visible.truncate(scope);
        self.block = outside;
    }

    /// Fills the current block with operations, and ends it.
    pub(super) fn block_content(&mut self, place: &Place) {
        while self.goes_on(place) {
            self.operation(place);
        }
        let endings = place.endings();
        let (opcode, types) = self.source.pick(&endings);
        let operands = if types.is_empty() { Plan::new(opcode) } else { Plan::new(opcode).operands("operands", types) };
        self.emit(operands);
    }

    /// Whether one more operation follows in a block: the body of a function goes on for long, that of the last one as long as
    /// there are bytes.
    fn goes_on(&mut self, place: &Place) -> bool {
        let times = match place.depth {
            0 if self.is_last_function() => return !self.source.is_empty(),
            0 => 40,
            _ => 6,
        };
        !self.source.is_empty() && !self.source.byte().is_multiple_of(times)
    }
}
