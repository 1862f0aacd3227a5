//! Arithmetic: the order of operands, constants that meet, comparisons, selections, extensions, offsets.

use super::{Change, Driver};
use crate::{
    compare,
    constant::{Constant, Elements, number_tile},
    elem::Elem,
    elementwise::{elem_op, evaluate},
};
use tilewright_ir::{AttrName, AttrValue, ComparisonPredicate, IntegerOverflow, Op, Opcode, Scalar, Signedness, Value, ops::Traits};
use tilewright_numeric::int;

/// `negi x` and the like promise this of their overflow unless they say otherwise.
const WRAPS: AttrValue = AttrValue::Enum(IntegerOverflow::None as u8);

impl Driver<'_, '_> {
    pub(super) fn arithmetic(&mut self, op: Op) -> Option<Change> {
        self.operand_order(op).or_else(|| self.constants_that_meet(op)).or_else(|| match self.rewriter.op(op).opcode() {
            Opcode::CmpI => self.comparison(op),
            Opcode::XOrI => self.negation(op),
            Opcode::Select => self.selection(op),
            Opcode::ExtI => self.extension(op),
            Opcode::TruncI => self.truncation(op),
            Opcode::Offset => self.offset(op),
            _ => None,
        })
    }

    /// Constants stand on the right of what commutes; on the left of a sum stands a product, as it does in a fused multiply-add.
    fn operand_order(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let compares = matches!(here.opcode(), Opcode::CmpI | Opcode::CmpF);
        if !(compares || here.def().traits.contains(Traits::COMMUTATIVE)) {
            return None;
        }
        let (lhs, rhs) = (here.operand(0)?, here.operand(1)?);
        let is = |value, opcode| self.defined_by(value, opcode).is_some();
        let constant_first = is(lhs, Opcode::Constant) && !is(rhs, Opcode::Constant);
        let product_last = here.opcode() == Opcode::AddF && is(rhs, Opcode::MulF) && !is(lhs, Opcode::MulF);
        if !constant_first && !product_last {
            return None;
        }
        if compares {
            let predicate = compare::swapped(here.predicate()?);
            self.set_attr(op, AttrName::ComparisonPredicate, AttrValue::Enum(predicate as u8));
        }
        self.set_operand(op, 0, rhs);
        self.set_operand(op, 1, lhs);
        Some(Change::InPlace)
    }

    /// `(x op a) op b` is `x op (a op b)` where the operation is associative.
    fn constants_that_meet(&mut self, op: Op) -> Option<Change> {
        use Opcode::{AddI, AndI, MaxI, MinI, MulI, OrI, XOrI};
        let here = self.rewriter.op(op);
        let is_associative = matches!(here.opcode(), AddI | AndI | MaxI | MinI | MulI | OrI | XOrI);
        if !is_associative {
            return None;
        }
        let inner = self.defined_by(here.operands()[0], here.opcode()).filter(|inner| inner.signedness() == here.signedness())?;
        let (x, ty) = (inner.operands()[0], self.ty(here.result(0)?));
        let (a, b) = (self.constant_of(inner.operands()[1])?, self.constant_of(here.operands()[1])?);
        let elementwise = elem_op(here, &self.tables().types)?;
        let elem = Elem::Num(a.scalar);
        let both = |i: usize| evaluate(elementwise, &[elem; 3], elem, [a.elements.get(i), b.elements.get(i), 0]);
        let elements = match (&a.elements, &b.elements) {
            (Elements::Splat(_), Elements::Splat(_)) => Elements::Splat(both(0)),
            _ => Elements::Dense((0..a.len).map(both).collect()),
        };
        let constant = self.constant(op, ty, &elements)?;
        self.set_operand(op, 0, x);
        self.set_operand(op, 1, constant);
        // The sum of the constants may overflow where no step did.
        if self.rewriter.op(op).overflow().is_some() {
            self.set_attr(op, AttrName::Overflow, WRAPS);
        }
        Some(Change::InPlace)
    }

    fn comparison(&mut self, op: Op) -> Option<Change> {
        use tilewright_ir::ComparisonPredicate::*;
        let here = self.rewriter.op(op);
        let (lhs, rhs, predicate) = (here.operands()[0], here.operands()[1], here.predicate()?);
        let signed = here.signedness() == Some(Signedness::Signed);
        let decided = |holds: bool| Some(Change::Constant(Elements::Splat(holds.into())));
        if lhs == rhs {
            return decided(matches!(predicate, Equal | LessThanOrEqual | GreaterThanOrEqual));
        }
        if !signed && self.splat(rhs) == Some(0) && matches!(predicate, LessThan | GreaterThanOrEqual) {
            return decided(predicate == GreaterThanOrEqual);
        }
        self.narrower_comparison(op)
    }

    /// Numbers that were both extended are compared before: extending changes no order. Of different types, they are compared in the larger one. One of them may
    /// be a constant, and both may have been moved since.
    fn narrower_comparison(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let (lhs, rhs) = (here.operands()[0], here.operands()[1]);
        let (mut x, narrow, mut from) = self.extended(lhs)?;
        let y = match self.extended(rhs) {
            Some((y, scalar, signedness)) if (scalar, signedness) == (narrow, from) => Narrow::Value(y),
            Some((mut y, scalar, signedness)) => {
                let x_is_larger = narrow.bits() > scalar.bits();
                let [smaller, larger] = if x_is_larger { [signedness, from] } else { [from, signedness] };
                // A number that was extended as unsigned is any number of bits for a larger signed one.
                if narrow.bits() == scalar.bits() || smaller == Signedness::Signed && larger == Signedness::Unsigned {
                    return None;
                }
                if x_is_larger {
                    y.source = self.extended_to(op, y.source, narrow, signedness)?;
                } else {
                    x.source = self.extended_to(op, x.source, scalar, from)?;
                    from = signedness;
                }
                Narrow::Value(y)
            }
            None => {
                let Constant { scalar: wide, elements, .. } = self.constant_of(rhs)?;
                let bits = elements.splat()?;
                let kept = int::truncate(bits, narrow.bits());
                if int::extend(kept, narrow.bits(), wide.bits(), from == Signedness::Signed) != bits {
                    return None;
                }
                Narrow::Constant(kept)
            }
        };
        let x = self.moved_alike(op, &x);
        let y = match y {
            Narrow::Value(y) => self.moved_alike(op, &y),
            Narrow::Constant(bits) => {
                let ty = self.ty(x);
                self.constant(op, ty, &Elements::Splat(bits))?
            }
        };
        self.set_operand(op, 0, x);
        self.set_operand(op, 1, y);
        // Numbers without a sign are ordered the same way whichever way their extensions were read.
        if from == Signedness::Unsigned {
            self.set_attr(op, AttrName::Signedness, AttrValue::Enum(Signedness::Unsigned as u8));
        }
        Some(Change::InPlace)
    }

    /// What a value was extended from, through operations that move elements, the last one first; its element type, and how it was read.
    fn extended(&self, value: Value) -> Option<(Moved, Scalar, Signedness)> {
        const MAX_MOVES: usize = 8;
        let mut moved = Moved { source: value, moves: Vec::new() };
        loop {
            let op = self.body().defining_op(moved.source)?;
            moved.source = op.operand(0)?;
            match op.opcode() {
                Opcode::ExtI => {
                    let (narrow, _) = number_tile(self.tables(), self.ty(moved.source))?;
                    // There is no arithmetic of packed numbers.
                    return (narrow != Scalar::I4).then_some((moved, narrow, op.signedness()?));
                }
                Opcode::Reshape | Opcode::Broadcast | Opcode::Permute if moved.moves.len() < MAX_MOVES => moved.moves.push(op.id()),
                _ => return None,
            }
        }
    }

    /// The numbers of a tile, extended to a larger type.
    fn extended_to(&mut self, near: Op, value: Value, scalar: Scalar, signedness: Signedness) -> Option<Value> {
        let narrow = self.ty(value);
        let types = &mut self.rewriter.tables().types;
        let shape = types.as_tile(narrow)?.1.to_vec();
        let ty = types.tile(scalar.ty(), &shape).ok()?;
        Some(self.create(near, Opcode::ExtI, &[value], &[AttrValue::Enum(signedness as u8)], ty))
    }

    /// The elements of a source, moved as those that were made of it.
    fn moved_alike(&mut self, near: Op, moved: &Moved) -> Value {
        let mut value = moved.source;
        for op in moved.moves.iter().rev() {
            let op = self.rewriter.op(*op);
            let (opcode, attrs, wide) = (op.opcode(), op.attrs().to_vec(), self.ty(op.result(0).expect("it gives a tile")));
            let narrow = self.ty(value);
            let types = &mut self.rewriter.tables().types;
            let (element, shape) = (types.as_tile(narrow).expect("a tile").0, types.as_tile(wide).expect("a tile").1.to_vec());
            let ty = types.tile(element, &shape).expect("tiles of this shape are there");
            value = self.create(near, opcode, &[value], &attrs, ty);
        }
        value
    }

    /// The opposite of a comparison is the comparison with the opposite predicate.
    fn negation(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let (lhs, rhs, ty) = (here.operands()[0], here.operands()[1], self.ty(here.result(0)?));
        if !self.is_true(rhs) {
            return None;
        }
        let comparison = self.defined_by(lhs, Opcode::CmpI).filter(|_| self.rewriter.uses(lhs).count() == 1)?;
        let predicate = compare::inverse(comparison.predicate()?) as u8;
        let (operands, mut attrs) = (comparison.operands().to_vec(), comparison.attrs().to_vec());
        attrs[comparison.def().attr_index(AttrName::ComparisonPredicate)?] = AttrValue::Enum(predicate);
        Some(Change::Value(self.create(op, Opcode::CmpI, &operands, &attrs, ty)))
    }

    fn selection(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let [condition, yes, no] = *here.operands() else { return None };
        if yes == no {
            return Some(Change::Value(yes));
        }
        if let Some(bit) = self.splat(condition) {
            return Some(Change::Value(if bit & 1 == 1 { yes } else { no }));
        }
        if self.is_true(yes) && self.is_false(no) {
            return Some(Change::Value(condition));
        }
        if self.is_false(yes) && self.is_true(no) {
            let ty = self.ty(condition);
            return Some(Change::Value(self.create(op, Opcode::XOrI, &[condition, no], &[], ty)));
        }
        if self.constant_of(yes).is_some_and(|yes| self.constant_of(no) == Some(yes)) {
            return Some(Change::Value(yes));
        }
        if let Some(change) = self.selection_again(op).or_else(|| self.selection_of_compared(op)).or_else(|| self.selection_of_bits(op)) {
            return Some(change);
        }
        let positive = self.negated(condition)?;
        self.set_operand(op, 0, positive);
        self.set_operand(op, 1, no);
        self.set_operand(op, 2, yes);
        Some(Change::InPlace)
    }

    /// What a selection on the same condition has left out already.
    fn selection_again(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let condition = here.operands()[0];
        let (side, value) = [1, 2].into_iter().find_map(|side| {
            let inner = self.defined_by(here.operands()[side], Opcode::Select)?;
            (inner.operands()[0] == condition).then(|| (side, inner.operands()[side]))
        })?;
        self.set_operand(op, side, value);
        Some(Change::InPlace)
    }

    /// `a == b ? a : b` is `b`, and `a != b ? a : b` is `a`.
    fn selection_of_compared(&mut self, op: Op) -> Option<Change> {
        let [condition, yes, no] = *self.rewriter.op(op).operands() else { return None };
        let comparison = self.defined_by(condition, Opcode::CmpI)?;
        let compared = comparison.operands();
        if compared != [yes, no] && compared != [no, yes] {
            return None;
        }
        match comparison.predicate()? {
            ComparisonPredicate::Equal => Some(Change::Value(no)),
            ComparisonPredicate::NotEqual => Some(Change::Value(yes)),
            _ => None,
        }
    }

    /// 1 where a condition holds and 0 where it does not is the condition extended; the other way round its opposite.
    fn selection_of_bits(&mut self, op: Op) -> Option<Change> {
        let [condition, yes, no] = *self.rewriter.op(op).operands() else { return None };
        let (ty, bits) = (self.ty(yes), [self.splat(yes)?, self.splat(no)?]);
        let (scalar, _) = number_tile(self.tables(), ty)?;
        if !scalar.is_int() || matches!(scalar, Scalar::I1 | Scalar::I4) {
            return None;
        }
        let truth = match bits {
            [1, 0] => condition,
            [0, 1] => {
                let of = self.ty(condition);
                let all = self.constant(op, of, &Elements::Splat(1))?;
                self.create(op, Opcode::XOrI, &[condition, all], &[], of)
            }
            _ => return None,
        };
        Some(Change::Value(self.create(op, Opcode::ExtI, &[truth], &[AttrValue::Enum(Signedness::Unsigned as u8)], ty)))
    }

    /// What was promised before need not be promised again.
    pub(super) fn promise(&mut self, op: Op) -> Option<Change> {
        /// How many promises are looked at.
        const MAX_PROMISES: usize = 16;
        let here = self.rewriter.op(op);
        let predicate = here.compound(AttrName::Predicate)?;
        let value = here.operands()[0];
        let before = std::iter::successors(self.defined_by(value, Opcode::Assume), |op| self.defined_by(op.operands()[0], Opcode::Assume));
        let is_known = before.take(MAX_PROMISES).any(|op| op.compound(AttrName::Predicate) == Some(predicate));
        is_known.then_some(Change::Value(value))
    }

    /// The condition of which this one is the opposite.
    pub(super) fn negated(&self, condition: Value) -> Option<Value> {
        let opposite = self.defined_by(condition, Opcode::XOrI)?;
        self.is_true(opposite.operands()[1]).then_some(opposite.operands()[0])
    }

    fn is_true(&self, value: Value) -> bool {
        self.constant_of(value).is_some_and(|constant| constant.scalar == Scalar::I1 && constant.elements.splat() == Some(1))
    }

    fn is_false(&self, value: Value) -> bool {
        self.constant_of(value).is_some_and(|constant| constant.scalar == Scalar::I1 && constant.elements.splat() == Some(0))
    }

    /// What was extended twice is extended once. A number without a sign stays without.
    fn extension(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let inner = self.defined_by(here.operands()[0], Opcode::ExtI)?;
        let (first, second) = (inner.signedness()?, here.signedness()?);
        if first == Signedness::Signed && second == Signedness::Unsigned {
            return None;
        }
        let source = inner.operands()[0];
        self.set_attr(op, AttrName::Signedness, AttrValue::Enum(first as u8));
        self.set_operand(op, 0, source);
        Some(Change::InPlace)
    }

    /// What was extended and is narrowed is one conversion at most, and so is what was narrowed twice.
    fn truncation(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let source = here.operands()[0];
        let result = self.ty(here.result(0)?);
        if let Some(inner) = self.defined_by(source, Opcode::TruncI) {
            let innermost = inner.operands()[0];
            self.set_operand(op, 0, innermost);
            self.set_attr(op, AttrName::Overflow, WRAPS);
            return Some(Change::InPlace);
        }
        let inner = self.defined_by(source, Opcode::ExtI)?;
        let (innermost, attrs) = (inner.operands()[0], inner.attrs().to_vec());
        let bits = |ty| number_tile(self.tables(), ty).map(|(scalar, _)| scalar.bits());
        Some(match bits(self.ty(innermost))?.cmp(&bits(result)?) {
            std::cmp::Ordering::Equal => Change::Value(innermost),
            std::cmp::Ordering::Less => Change::Value(self.create(op, Opcode::ExtI, &[innermost], &attrs, result)),
            std::cmp::Ordering::Greater => {
                self.set_operand(op, 0, innermost);
                self.set_attr(op, AttrName::Overflow, WRAPS);
                Change::InPlace
            }
        })
    }

    /// Offsets are extended with their sign anyway.
    fn offset(&mut self, op: Op) -> Option<Change> {
        let (source, _, signedness) = self.extended(self.rewriter.op(op).operands()[1])?;
        if signedness != Signedness::Signed {
            return None;
        }
        let source = self.moved_alike(op, &source);
        self.set_operand(op, 1, source);
        Some(Change::InPlace)
    }
}

/// A value, and operations that move elements, the last one first.
struct Moved {
    source: Value,
    moves: Vec<Op>,
}

/// A number that was not extended yet.
enum Narrow {
    Value(Moved),
    Constant(u64),
}
