//! What values of a block have to do with its number.
//!
//! Classes begin as unreached and only grow, in the order of the text: from *uniform* or *affine* to *varying*. An affine class can lose
//! zeros once for each power of two, and otherwise change once, so the analysis takes `n log n` steps for `n` uses.

use super::Coarsening;
use crate::{
    facts::{IntegerFacts, Range},
    structure::{FOR_BOUNDS, Terminators, preorder},
};
use std::collections::BTreeSet;
use tilewright_ir::{AttrName, Body, Op, OpRef, Opcode, RoundingMode, Scalar, Signedness, Tables, TypeData, Value};

/// How a value differs between the members of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// It does not.
    Uniform,
    /// It is an integer that grows with the number of the member.
    Affine(Affine),
    /// In any way.
    Varying,
}

/// An integer of which member `m` of a group has `first + m * step`, in the arithmetic of its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Affine {
    /// Not 0.
    pub(super) step: i64,
    /// At least so many of the low bits of `first` are 0.
    pub(super) zeros: u32,
}

impl Class {
    /// What a value is that may be either.
    fn join(self, other: Class) -> Class {
        match (self, other) {
            (Class::Uniform, Class::Uniform) => Class::Uniform,
            (Class::Affine(a), Class::Affine(b)) if a.step == b.step => Class::Affine(Affine { step: a.step, zeros: a.zeros.min(b.zeros) }),
            _ => Class::Varying,
        }
    }

    /// The step from member to member, if it is one number.
    fn step(self) -> Option<i64> {
        match self {
            Class::Uniform => Some(0),
            Class::Affine(affine) => Some(affine.step),
            Class::Varying => None,
        }
    }
}

/// The class of each value of a function.
#[derive(Debug)]
pub(super) struct Classes {
    of: Vec<Option<Class>>,
    /// By operation: whether it lies in the region of a reduction or scan.
    in_fold: Vec<bool>,
    pub(super) terminators: Terminators,
    pub(super) coarsening: Coarsening,
}

impl Classes {
    pub(super) fn new(tables: &Tables, body: &Body, facts: &IntegerFacts, coarsening: Coarsening) -> Classes {
        let ops = preorder(body);
        let mut in_fold = vec![false; body.num_ops()];
        for op in ops.iter().map(|op| body.op(*op)) {
            let is_fold = |op: OpRef<'_>| matches!(op.opcode(), Opcode::Reduce | Opcode::Scan);
            in_fold[op.id().index()] = op.parent().is_some_and(|parent| is_fold(parent) || in_fold[parent.id().index()]);
        }
        let terminators = Terminators::new(body, &ops);
        let classes = Classes { of: vec![None; body.num_values()], in_fold, terminators, coarsening };
        Solver { tables, body, facts, classes, queue: BTreeSet::new(), users: Vec::new(), places: Vec::new() }.solve(&ops)
    }

    /// The class of a value. What never runs, and what is in the region of a reduction, is uniform.
    pub(super) fn of(&self, value: Value) -> Class {
        self.of[value.index()].unwrap_or(Class::Uniform)
    }

    /// Whether all of some values are uniform.
    pub(super) fn are_uniform(&self, values: &[Value]) -> bool {
        values.iter().all(|value| self.of(*value) == Class::Uniform)
    }

    /// Whether an operation lies in the region of a reduction or scan.
    pub(super) fn is_in_fold(&self, op: Op) -> bool {
        self.in_fold[op.index()]
    }

    /// The exponent of the factor.
    pub(super) fn factor_log2(&self) -> u32 {
        self.coarsening.factor.trailing_zeros()
    }

    /// Whether the numbers of all members of a group, read as signed or not, differ as their steps say: no sum goes past the end of the
    /// width between one member and the next. Numbers of which the range is known and smaller than such a jump cannot.
    pub(super) fn is_exact(&self, range: Option<Range>, step: i64, signed: bool) -> bool {
        let Some(range) = range else { return false };
        let extent = match signed {
            true => i128::from(range.smax()) - i128::from(range.smin()),
            false => i128::from(range.umax()) - i128::from(range.umin()),
        };
        extent < (1i128 << range.bits()) - i128::from(step.unsigned_abs())
    }
}

struct Solver<'m> {
    tables: &'m Tables,
    body: &'m Body,
    facts: &'m IntegerFacts,
    classes: Classes,
    /// Positions in the text of operations to look at.
    queue: BTreeSet<u32>,
    /// By value: the positions of its users.
    users: Vec<Vec<u32>>,
    /// By operation: its position.
    places: Vec<u32>,
}

impl Solver<'_> {
    fn solve(mut self, ops: &[Op]) -> Classes {
        self.users = vec![Vec::new(); self.body.num_values()];
        self.places = vec![0; self.body.num_ops()];
        for (position, op) in ops.iter().enumerate() {
            self.places[op.index()] = position as u32;
            for operand in self.body.op(*op).operands() {
                self.users[operand.index()].push(position as u32);
            }
        }
        let entry = self.body.entry_block();
        for argument in entry.into_iter().flat_map(|block| self.body.args(block)) {
            self.grow(argument, Class::Uniform);
        }
        self.queue = (0..ops.len() as u32).collect();
        while let Some(position) = self.queue.pop_first() {
            let op = self.body.op(ops[position as usize]);
            if !self.classes.is_in_fold(op.id()) {
                self.look_at(op);
            }
        }
        self.classes
    }

    /// The class of a value; `None` if it is not reached yet.
    fn of(&self, value: Value) -> Option<Class> {
        self.classes.of[value.index()]
    }

    fn grow(&mut self, value: Value, class: Class) {
        let known = self.of(value);
        let grown = known.map_or(class, |known| known.join(class));
        if known != Some(grown) {
            self.classes.of[value.index()] = Some(grown);
            self.queue.extend(&self.users[value.index()]);
        }
    }

    /// Lets values flow into those that they become.
    fn flow(&mut self, from: &[Value], to: impl Iterator<Item = Value>) {
        for (from, to) in from.iter().zip(to) {
            if let Some(class) = self.of(*from) {
                self.grow(to, class);
            }
        }
    }

    fn look_at(&mut self, op: OpRef<'_>) {
        match op.opcode() {
            Opcode::For => {
                let bounds = &op.operands()[..FOR_BOUNDS];
                let inits = &op.operands()[FOR_BOUNDS..];
                self.flow(inits, op.results());
                let Some(block) = op.region_block(0) else { return };
                let variable = self.loop_variable(op, bounds);
                let mut arguments = self.body.args(block);
                if let (Some(argument), Some(class)) = (arguments.next(), variable) {
                    self.grow(argument, class);
                }
                self.flow(inits, arguments);
            }
            Opcode::Loop => {
                if let Some(block) = op.region_block(0) {
                    self.flow(op.operands(), self.body.args(block));
                }
            }
            Opcode::If => {}
            Opcode::Continue | Opcode::Break | Opcode::Yield => self.hand_on(op),
            _ => {
                let results: Vec<Value> = op.results().collect();
                for (i, result) in results.into_iter().enumerate() {
                    if let Some(class) = self.result(op, i, result) {
                        self.grow(result, class);
                    }
                }
            }
        }
    }

    /// What a terminator hands to the loop or branch that it belongs to.
    fn hand_on(&mut self, op: OpRef<'_>) {
        let Some(target) = self.classes.terminators.target(op.id()).map(|target| self.body.op(target)) else { return };
        if op.opcode() == Opcode::Continue {
            let skipped = usize::from(target.opcode() == Opcode::For);
            if let Some(block) = target.region_block(0) {
                self.flow(op.operands(), self.body.args(block).skip(skipped));
            }
            if target.opcode() == Opcode::For {
                self.flow(op.operands(), target.results());
            }
            return;
        }
        self.flow(op.operands(), target.results());
    }

    /// What a loop counts: the numbers of the first member and, if both bounds are as far from it in another one, the same distance.
    fn loop_variable(&self, op: OpRef<'_>, bounds: &[Value]) -> Option<Class> {
        let [lower, upper, step] = *bounds else { return None };
        let (lower_class, upper_class, by) = (self.of(lower)?, self.of(upper)?, self.of(step)?);
        let signed = !op.flag(AttrName::UnsignedCmp);
        Some(match (lower_class, upper_class) {
            _ if by != Class::Uniform => Class::Varying,
            (Class::Uniform, Class::Uniform) => Class::Uniform,
            (Class::Affine(a), Class::Affine(b))
                if a.step == b.step && [lower, upper].iter().all(|v| self.is_exact(*v, a.step, signed)) =>
            {
                Class::Affine(Affine { step: a.step, zeros: a.zeros.min(self.divisor(step)) })
            }
            _ => Class::Varying,
        })
    }

    fn range(&self, value: Value) -> Option<Range> {
        self.facts.of(value).and_then(|fact| fact.range)
    }

    fn is_exact(&self, value: Value, step: i64, signed: bool) -> bool {
        self.classes.is_exact(self.range(value), step, signed)
    }

    /// The exponent of the power of two that divides a value.
    fn divisor(&self, value: Value) -> u32 {
        self.facts.of(value).map_or(0, |fact| fact.divisor.exponent())
    }

    /// The number that a value always is, read as signed.
    fn constant(&self, value: Value) -> Option<i64> {
        let range = self.range(value)?;
        range.as_constant().map(|bits| tilewright_numeric::int::sign_extend(bits, range.bits()))
    }

    fn result(&self, op: OpRef<'_>, index: usize, result: Value) -> Option<Class> {
        if op.opcode() == Opcode::GetTileBlockId {
            let affine = Affine { step: 1, zeros: self.classes.factor_log2() };
            return Some(if index == self.classes.coarsening.axis { Class::Affine(affine) } else { Class::Uniform });
        }
        let operands: Vec<Class> = op.operands().iter().map(|operand| self.of(*operand)).collect::<Option<_>>()?;
        let ty = self.body.ty(result);
        if operands.iter().all(|class| *class == Class::Uniform) || matches!(self.tables.types.get(ty), TypeData::Token) {
            return Some(Class::Uniform);
        }
        if operands.contains(&Class::Varying) {
            return Some(Class::Varying);
        }
        Some(self.affine(op, &operands, result).unwrap_or(Class::Varying))
    }

    /// What an operation makes of uniform and affine operands; `None` if that is neither.
    fn affine(&self, op: OpRef<'_>, operands: &[Class], result: Value) -> Option<Class> {
        let values = op.operands();
        let zeros = |i: usize| match operands[i] {
            Class::Affine(affine) => affine.zeros,
            _ => self.divisor(values[i]),
        };
        let step = |i: usize| operands[i].step();
        let signed = op.signedness() != Some(Signedness::Unsigned);
        match op.opcode() {
            Opcode::Assume => Some(operands[0]),
            Opcode::AddI => self.stepping(result, step(0)?.wrapping_add(step(1)?), zeros(0).min(zeros(1))),
            Opcode::SubI => self.stepping(result, step(0)?.wrapping_sub(step(1)?), zeros(0).min(zeros(1))),
            Opcode::MulI => {
                let (affine, factor) = if operands[0] == Class::Uniform { (1, 0) } else { (0, 1) };
                let number = self.constant(values[factor])?;
                self.stepping(result, step(affine)?.wrapping_mul(number), zeros(0).saturating_add(zeros(1)))
            }
            Opcode::ShLI => {
                let count = u32::try_from(self.constant(values[1])?).ok()?;
                self.stepping(result, step(0)?.checked_shl(count)?, zeros(0).saturating_add(count))
            }
            Opcode::ExtI => self.is_exact(values[0], step(0)?, signed).then(|| self.stepping(result, step(0)?, zeros(0)))?,
            Opcode::TruncI => self.stepping(result, step(0)?, zeros(0)),
            Opcode::CmpI => {
                let (a, b) = (step(0)?, step(1)?);
                let exact = (0..2).all(|i| self.is_exact(values[i], a, signed));
                (a == b && exact).then_some(Class::Uniform)
            }
            Opcode::DivI if matches!(op.rounding(), None | Some(RoundingMode::Zero)) => {
                self.is_whole(op, operands, signed)?;
                Some(Class::Uniform)
            }
            Opcode::RemI => {
                let zeros = self.is_whole(op, operands, signed)?;
                self.stepping(result, step(0)?, zeros)
            }
            _ => None,
        }
    }

    /// Whether all members of a group have one quotient: a power of two, whose exponent this gives, divides the divisor and the number of
    /// the first member, and the others are less than it away.
    fn is_whole(&self, op: OpRef<'_>, operands: &[Class], signed: bool) -> Option<u32> {
        let (Class::Affine(affine), Class::Uniform, [number, divisor]) = (operands[0], operands[1], op.operands()) else { return None };
        let exponent = affine.zeros.min(self.divisor(*divisor)).min(62);
        let range = self.range(*number)?;
        let is_sound = affine.step > 0 && (!signed || range.is_non_negative()) && self.is_exact(*number, affine.step, signed);
        let last = affine.step.checked_mul(i64::from(self.classes.coarsening.factor) - 1)?;
        (is_sound && last < 1 << exponent).then_some(exponent)
    }

    /// The class of an integer with this step, in the arithmetic of its width.
    fn stepping(&self, result: Value, step: i64, zeros: u32) -> Option<Class> {
        let (element, shape) = self.tables.types.as_tile(self.body.ty(result))?;
        let bits = self.tables.types.scalar(element).filter(|scalar| matches!(scalar, Scalar::I32 | Scalar::I64))?.bits();
        let step = tilewright_numeric::int::sign_extend(step.cast_unsigned(), bits);
        let class = if step == 0 { Class::Uniform } else { Class::Affine(Affine { step, zeros: zeros.min(bits) }) };
        shape.is_empty().then_some(class)
    }
}
