//! Ranges and divisors put to use: what the facts about integers decide is not computed.
//!
//! - A result of which all elements are one known number is a constant: comparisons that always hold, quotients that are 0, what a loop
//!   or a branch always gives.
//! - `maxi` and `mini` of numbers in a known order are one of them.
//! - Remainders of numbers below the divisor are these numbers; those of multiples of a power of two are 0, and quotients of these, and
//!   of numbers that are not negative, are shifts.
//! - What an `assume` promises and the facts prove need not be promised, nor what an `assert` checks.
//! - Masks that hold everywhere go, with their padding.
//!
//! That a promise is dropped makes no fact weaker: what proved it is still there.

use crate::{
    constant::{Constant, Elements, encode, number_tile},
    effects::only_computes,
    facts::{Analyses, IntegerFacts, TileFact},
    registry::Options,
    statistics::Statistics,
};
use tilewright_ir::{
    AttrData, AttrName, AttrValue, Body, ComparisonPredicate, NewOp, Op, OpRef, Opcode, Place, Rewriter, RoundingMode, Signedness, Tables,
    Value, ops::TypeSet,
};

pub(crate) fn run(rewriter: &mut Rewriter<'_>, analyses: &mut Analyses, _: Options<'_>, changes: &mut Statistics) {
    let (tables, body) = rewriter.parts();
    let edits = Finder { tables, body, facts: analyses.integers(tables, body), edits: Vec::new() }.find();
    edits.into_iter().for_each(|edit| edit.apply(rewriter, changes));
}

/// A change that facts allow.
enum Edit {
    /// All elements of a result are this number.
    Constant { op: Op, result: usize, bits: u64 },
    /// The only result is this operand.
    Operand { op: Op, operand: usize, what: &'static str },
    /// A division by a power of two is a shift.
    Shift { op: Op, exponent: u32 },
    /// An assertion holds.
    Holds { op: Op },
    /// A mask holds everywhere.
    Unmasked { op: Op },
}

struct Finder<'m> {
    tables: &'m Tables,
    body: &'m Body,
    facts: &'m IntegerFacts,
    edits: Vec<Edit>,
}

impl<'m> Finder<'m> {
    fn find(mut self) -> Vec<Edit> {
        for op in self.body.preorder() {
            self.constants(op);
            let edit = match op.opcode() {
                Opcode::MaxI | Opcode::MinI => self.extremum(op),
                Opcode::RemI => self.remainder(op),
                Opcode::DivI => self.quotient(op),
                Opcode::Assume => self.promise(op),
                Opcode::Assert => self.holds_everywhere(op, op.operands()[0]).then_some(Edit::Holds { op: op.id() }),
                Opcode::LoadPtrTko | Opcode::StorePtrTko | Opcode::AtomicRMWTko | Opcode::AtomicCASTko => {
                    let mask = op.operand_named("mask").first();
                    mask.is_some_and(|mask| self.holds_everywhere(op, *mask)).then_some(Edit::Unmasked { op: op.id() })
                }
                _ => None,
            };
            self.edits.extend(edit);
        }
        self.edits
    }

    /// Results that are one number.
    fn constants(&mut self, op: OpRef<'m>) {
        let decides = only_computes(op) || matches!(op.opcode(), Opcode::If | Opcode::For | Opcode::Loop);
        if !decides || op.opcode() == Opcode::Constant {
            return;
        }
        for (result, value) in op.results().enumerate() {
            let is_constant = |value: Value| {
                number_tile(self.tables, self.body.ty(value))
                    .is_some_and(|(scalar, _)| TypeSet::NUMBER.scalars().any(|known| known == scalar))
            };
            if let Some(bits) = self.facts.of(value).and_then(TileFact::as_constant).filter(|_| is_constant(value)) {
                self.edits.push(Edit::Constant { op: op.id(), result, bits });
            }
        }
    }

    fn fact(&self, op: OpRef<'m>, value: Value) -> Option<TileFact> {
        self.facts.at(value, op.block()?)
    }

    fn holds_everywhere(&self, op: OpRef<'m>, condition: Value) -> bool {
        self.fact(op, condition).and_then(|fact| fact.as_constant()) == Some(1)
    }

    fn extremum(&self, op: OpRef<'m>) -> Option<Edit> {
        let &[a, b] = op.operands() else { return None };
        let is_max = op.opcode() == Opcode::MaxI;
        let predicate = if is_max { ComparisonPredicate::GreaterThanOrEqual } else { ComparisonPredicate::LessThanOrEqual };
        let signed = op.signedness()? == Signedness::Signed;
        let decided = |values| self.facts.decides(predicate, signed, values, op.block()?);
        let operand = [[a, b], [b, a]].into_iter().position(|values| decided(values) == Some(true))?;
        Some(Edit::Operand { op: op.id(), operand, what: "decided by ranges" })
    }

    /// The dividend, the divisor as a positive number, and whether a division is signed.
    fn division(&self, op: OpRef<'m>) -> Option<(TileFact, u64, bool)> {
        let signed = op.signedness()? == Signedness::Signed;
        let constant = Constant::of(self.tables, self.body, op.operands()[1], 1)?;
        let divisor = constant.elements.splat()?;
        let largest = if signed { tilewright_numeric::int::mask(constant.scalar.bits()) >> 1 } else { u64::MAX };
        let fact = self.fact(op, op.operands()[0])?;
        (divisor > 0 && divisor <= largest).then_some((fact, divisor, signed))
    }

    fn remainder(&self, op: OpRef<'m>) -> Option<Edit> {
        let (dividend, divisor, signed) = self.division(op)?;
        let range = dividend.range?;
        if (!signed || range.is_non_negative()) && range.umax() < divisor {
            return Some(Edit::Operand { op: op.id(), operand: 0, what: "decided by ranges" });
        }
        let is_multiple = divisor.is_power_of_two() && dividend.divisor.exponent() >= divisor.trailing_zeros();
        is_multiple.then_some(Edit::Constant { op: op.id(), result: 0, bits: 0 })
    }

    fn quotient(&self, op: OpRef<'m>) -> Option<Edit> {
        let (dividend, divisor, signed) = self.division(op)?;
        let exponent = divisor.trailing_zeros();
        if !divisor.is_power_of_two() || exponent == 0 {
            return None;
        }
        let rounds_down = match op.rounding()? {
            RoundingMode::Zero => !signed || dividend.range?.is_non_negative(),
            RoundingMode::NegativeInf => true,
            _ => false,
        };
        let leaves_no_rest = dividend.divisor.exponent() >= exponent;
        (rounds_down || leaves_no_rest).then_some(Edit::Shift { op: op.id(), exponent })
    }

    /// Promises that are proven.
    fn promise(&self, op: OpRef<'m>) -> Option<Edit> {
        let fact = self.fact(op, op.operands()[0])?;
        let is_proven = match self.tables.attrs.get(op.compound(AttrName::Predicate)?) {
            AttrData::Bounded { lower, upper } => {
                let range = fact.range?;
                lower.is_none_or(|lower| range.smin() >= lower) && upper.is_none_or(|upper| range.smax() <= upper)
            }
            AttrData::DivBy { divisor, every: None, .. } => fact.divisor.exponent() >= divisor.trailing_zeros(),
            _ => false,
        };
        is_proven.then_some(Edit::Operand { op: op.id(), operand: 0, what: "promises that are proven" })
    }
}

impl Edit {
    fn apply(self, rewriter: &mut Rewriter<'_>, changes: &mut Statistics) {
        let (op, what) = match self {
            Edit::Constant { op, .. } | Edit::Shift { op, .. } => (op, "decided by ranges"),
            Edit::Operand { op, what, .. } => (op, what),
            Edit::Holds { op } => (op, "assertions that are proven"),
            Edit::Unmasked { op } => (op, "masks that always hold"),
        };
        if rewriter.is_erased(op) {
            return;
        }
        match self {
            Edit::Constant { result, bits, .. } => {
                let result = rewriter.op(op).result(result).expect("it has so many results");
                if rewriter.is_unused(result) {
                    return;
                }
                let Some(constant) = constant(rewriter, op, result, bits) else { return };
                rewriter.replace_uses(result, constant);
                let here = rewriter.op(op);
                if only_computes(here) && here.results().all(|result| rewriter.is_unused(result)) {
                    rewriter.erase(op).expect("nothing reads it");
                }
            }
            Edit::Operand { operand, .. } => {
                let value = rewriter.op(op).operands()[operand];
                rewriter.replace(op, &[value]).expect("one result, and another value");
            }
            Edit::Shift { exponent, .. } => {
                let here = rewriter.op(op);
                let (dividend, result, loc) = (here.operands()[0], here.result(0).expect("a quotient"), here.loc());
                let signedness = here.signedness().expect("a division has signs or none");
                let ty = rewriter.body().ty(result);
                let Some(count) = constant(rewriter, op, result, exponent.into()) else { return };
                let attrs = [AttrValue::Enum(signedness as u8)];
                let new =
                    NewOp { opcode: Opcode::ShRI, operands: &[dividend, count], present: 0, split: 0, attrs: &attrs, results: &[ty], loc };
                let new = rewriter.create(Place::Before(op), new);
                let shifted = rewriter.op(new).result(0).expect("it has a result");
                rewriter.replace(op, &[shifted]).expect("one result for one");
            }
            Edit::Holds { .. } => rewriter.erase(op).expect("it has no results"),
            Edit::Unmasked { .. } => unmask(rewriter, op),
        }
        changes.add(what, 1);
    }
}

/// A tile like `value` of which all elements are one number, before an operation.
fn constant(rewriter: &mut Rewriter<'_>, op: Op, value: Value, bits: u64) -> Option<Value> {
    let ty = rewriter.body().ty(value);
    let (scalar, len) = number_tile(rewriter.parts().0, ty)?;
    let data = encode(&Elements::Splat(bits), scalar, len)?;
    let data = rewriter.tables().constants.add(&data);
    let (attrs, loc) = ([AttrValue::Const(data)], rewriter.op(op).loc());
    let new = NewOp { opcode: Opcode::Constant, operands: &[], present: 0, split: 0, attrs: &attrs, results: &[ty], loc };
    let new = rewriter.create(Place::Before(op), new);
    rewriter.op(new).result(0)
}

/// The same access without its mask and padding.
fn unmask(rewriter: &mut Rewriter<'_>, op: Op) {
    let here = rewriter.op(op);
    let (mut operands, mut present) = (Vec::new(), here.present_operands());
    for (group, def) in here.def().operands.iter().enumerate() {
        if matches!(def.name, "mask" | "paddingValue") {
            present &= !(1 << group);
        } else {
            operands.extend(here.operand_group(group));
        }
    }
    let (opcode, split, attrs, loc) = (here.opcode(), here.split(), here.attrs().to_vec(), here.loc());
    let old: Vec<Value> = here.results().collect();
    let types: Vec<_> = old.iter().map(|value| rewriter.body().ty(*value)).collect();
    let new =
        rewriter.create(Place::Before(op), NewOp { opcode, operands: &operands, present, split, attrs: &attrs, results: &types, loc });
    let results: Vec<Value> = rewriter.op(new).results().collect();
    rewriter.replace(op, &results).expect("it gives as much");
}
