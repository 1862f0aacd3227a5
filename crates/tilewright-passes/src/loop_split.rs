//! Loops split where a condition on the induction variable changes.
//!
//! In `for i` from `a` to `b`, a branch on `i < x` is taken in all iterations before `x` and in none after it. So the loop becomes two,
//! from `a` to `min(x, b)` and from `max(x, a)` to `b`, in each of which the condition is a constant; then both are canonicalised. The
//! conditions are `<`, `<=`, `>` and `>=` between the induction variable and what the loop does not change. Where the step is not 1, the
//! second loop begins at the first number from `x` on that the loop meets.

use crate::{
    canonicalize,
    clone::Cloner,
    compare,
    constant::{Constant, Elements, encode, number_tile},
    facts::Analyses,
    registry::Options,
    statistics::Statistics,
    structure::{FOR_BOUNDS, preorder},
};
use tilewright_ir::{
    AttrName, AttrValue, ComparisonPredicate, IntegerOverflow, Op, OpRef, Opcode, Place, Rewriter, RoundingMode, Scalar, Signedness, Type,
    Value,
};

/// Loops of more operations are not doubled.
pub(crate) const MAX_OPERATIONS: usize = 4096;

pub(crate) fn run(rewriter: &mut Rewriter<'_>, analyses: &mut Analyses, options: Options<'_>, changes: &mut Statistics) {
    let threshold = options.get("threshold");
    // Inner loops first: what an outer loop is made of is copied once they are split.
    let loops: Vec<Op> = preorder(rewriter.body()).into_iter().rev().filter(|op| rewriter.op(*op).opcode() == Opcode::For).collect();
    let mut split = 0;
    for op in loops {
        if let Some(condition) = Condition::find(rewriter, op, threshold) {
            condition.split(rewriter, op);
            split += 1;
        }
    }
    changes.add("loops split", split);
    if split > 0 {
        canonicalize::run(rewriter, analyses, options, changes);
    }
}

/// A comparison of the induction variable, as if that stood on the left.
struct Condition {
    comparison: Op,
    predicate: ComparisonPredicate,
    /// What the induction variable is compared with.
    bound: Value,
}

impl Condition {
    /// The first condition of a branch in a loop by which the loop can be split.
    fn find(rewriter: &Rewriter<'_>, op: Op, threshold: u64) -> Option<Condition> {
        let body = rewriter.body();
        let here = body.op(op);
        let signedness = if here.flag(AttrName::UnsignedCmp) { Signedness::Unsigned } else { Signedness::Signed };
        let variable = body.args(here.region_block(0)?).next()?;
        if !decides_a_branch(rewriter, variable) {
            return None;
        }
        let inside = operations_in(here, MAX_OPERATIONS)?;
        let mut defined = std::collections::HashSet::new();
        defined.extend(inside.iter().flat_map(|op| op.results().chain(arguments(*op))));
        defined.extend(arguments(here));
        inside.iter().filter(|op| op.opcode() == Opcode::If).find_map(|branch| {
            let comparison = body.defining_op(branch.operands()[0]).filter(|op| op.opcode() == Opcode::CmpI)?;
            let [lhs, rhs] = *comparison.operands() else { return None };
            let written = comparison.predicate()?;
            let (predicate, bound) = match (lhs == variable, rhs == variable) {
                (true, false) => (written, rhs),
                (false, true) => (compare::swapped(written), lhs),
                _ => return None,
            };
            let is_order = !matches!(predicate, ComparisonPredicate::Equal | ComparisonPredicate::NotEqual);
            let size = operations_in(*branch, MAX_OPERATIONS)?.len() as u64;
            let fits = is_order && comparison.signedness() == Some(signedness) && !defined.contains(&bound) && size >= threshold;
            fits.then_some(Condition { comparison: comparison.id(), predicate, bound })
        })
    }

    /// Splits the loop.
    fn split(&self, rewriter: &mut Rewriter<'_>, op: Op) {
        use ComparisonPredicate::{GreaterThan, GreaterThanOrEqual, LessThanOrEqual};
        let here = rewriter.op(op);
        let (lower, upper, step) = (here.operands()[0], here.operands()[1], here.operands()[2]);
        let signedness = if here.flag(AttrName::UnsignedCmp) { Signedness::Unsigned } else { Signedness::Signed };
        let ty = rewriter.body().ty(lower);
        let arith = Arithmetic { near: op, ty, signedness };
        // The first iteration in which the comparison gives something else.
        let first = if matches!(self.predicate, LessThanOrEqual | GreaterThan) {
            // One behind the bound. Where that would overflow the loop ends before.
            let one = if is_one(rewriter, step) { step } else { arith.one(rewriter) };
            let last = arith.binary(rewriter, Opcode::SubI, upper, one);
            let bound = arith.binary(rewriter, Opcode::MinI, self.bound, last);
            arith.binary(rewriter, Opcode::AddI, bound, one)
        } else {
            self.bound
        };
        let end = arith.binary(rewriter, Opcode::MinI, first, upper);
        let begin = match is_one(rewriter, step) {
            true => arith.binary(rewriter, Opcode::MaxI, first, lower),
            false => arith.first_met(rewriter, [lower, upper, step], end),
        };
        let holds_later = matches!(self.predicate, GreaterThan | GreaterThanOrEqual);
        let condition = rewriter.op(self.comparison).result(0).expect("a comparison has a result");
        let values = [!holds_later, holds_later].map(|holds| truth(rewriter, op, holds));
        divide(rewriter, op, [end, begin], condition, values);
    }
}

/// Whether a value is the constant 1.
fn is_one(rewriter: &Rewriter<'_>, value: Value) -> bool {
    let (tables, body) = rewriter.parts();
    Constant::of(tables, body, value, 1).is_some_and(|constant| constant.elements.splat() == Some(1))
}

/// Makes two loops of one: the first ends, and the second begins, where `bounds` say. In each of them the condition, which is
/// computed in the loop, is a constant.
pub(crate) fn divide(rewriter: &mut Rewriter<'_>, op: Op, bounds: [Value; 2], condition: Value, values: [Value; 2]) {
    let [end, begin] = bounds;
    let after = rewriter.op(op).next().expect("a loop is not the last operation of its block").id();
    let results: Vec<Value> = rewriter.op(op).results().collect();
    let second = Cloner::default().clone_with(rewriter, op, Place::Before(after), (condition, values[1]));
    let second_results: Vec<Value> = rewriter.op(second).results().collect();
    for (first, second) in results.iter().zip(second_results) {
        rewriter.replace_uses(*first, second);
    }
    let mut set = |op: Op, operand: usize, value: Value| rewriter.set_operand(op, operand, value).expect("a loop has bounds");
    set(second, 0, begin);
    results.into_iter().enumerate().for_each(|(i, result)| set(second, FOR_BOUNDS + i, result));
    set(op, 1, end);
    rewriter.replace_uses(condition, values[0]);
}

impl Cloner {
    /// Copies a loop; what uses a value in it uses another one in the copy.
    fn clone_with(mut self, rewriter: &mut Rewriter<'_>, op: Op, place: Place, (condition, value): (Value, Value)) -> Op {
        let copy = self.clone_op(rewriter, op, place);
        let copied = self.mapped(condition);
        rewriter.replace_uses(copied, value);
        copy
    }
}

/// Integer arithmetic before a loop.
pub(crate) struct Arithmetic {
    pub(crate) near: Op,
    pub(crate) ty: Type,
    pub(crate) signedness: Signedness,
}

impl Arithmetic {
    /// The result of an operation of two operands; overflow wraps.
    pub(crate) fn binary(&self, rewriter: &mut Rewriter<'_>, opcode: Opcode, lhs: Value, rhs: Value) -> Value {
        let attr = match opcode {
            Opcode::MinI | Opcode::MaxI => AttrValue::Enum(self.signedness as u8),
            _ => AttrValue::Enum(IntegerOverflow::None as u8),
        };
        let new = tilewright_ir::NewOp {
            opcode,
            operands: &[lhs, rhs],
            present: 0,
            split: 0,
            attrs: &[attr],
            results: &[self.ty],
            loc: rewriter.op(self.near).loc(),
        };
        let new = rewriter.create(Place::Before(self.near), new);
        rewriter.op(new).result(0).expect("it has a result")
    }

    /// The number 1.
    fn one(&self, rewriter: &mut Rewriter<'_>) -> Value {
        let (scalar, _) = number_tile(rewriter.parts().0, self.ty).expect("a loop counts numbers");
        let bytes = encode(&Elements::Splat(1), scalar, 1).expect("a number");
        rewriter.insert_before(self.near, |builder| builder.constant(scalar, &[], &bytes)).expect("a legal constant")
    }

    /// The first number that a loop meets which is not below `from`, which is no more than its upper bound; this bound if there is none.
    /// Nothing overflows: distances of ordered numbers are numbers without a sign.
    fn first_met(&self, rewriter: &mut Rewriter<'_>, [lower, upper, step]: [Value; 3], from: Value) -> Value {
        let one = self.one(rewriter);
        // A loop without iterations may have any step.
        let step = self.binary(rewriter, Opcode::MaxI, step, one);
        let distance = self.binary(rewriter, Opcode::SubI, from, lower);
        let distance = self.binary(rewriter, Opcode::SubI, distance, one);
        let attrs = [AttrValue::Enum(Signedness::Unsigned as u8), AttrValue::Enum(RoundingMode::Zero as u8)];
        let trips = self.create(rewriter, Opcode::DivI, &[distance, step], &attrs, self.ty);
        let passed = self.binary(rewriter, Opcode::MulI, trips, step);
        let before = self.binary(rewriter, Opcode::AddI, lower, passed);
        let left = self.binary(rewriter, Opcode::SubI, upper, before);
        let goes_on = self.compare(rewriter, step, left, Signedness::Unsigned);
        let next = self.binary(rewriter, Opcode::AddI, before, step);
        let found = self.select(rewriter, goes_on, next, upper);
        let is_above = self.compare(rewriter, lower, from, self.signedness);
        self.select(rewriter, is_above, found, lower)
    }
}

/// A truth value, before an operation.
pub(crate) fn truth(rewriter: &mut Rewriter<'_>, near: Op, holds: bool) -> Value {
    rewriter.insert_before(near, |builder| builder.constant(Scalar::I1, &[], &[u8::from(holds)])).expect("a legal constant")
}

/// Whether a branch asks for a comparison of a value. Only loops of which this is true are looked through: in a nest, all of them would
/// be looked through once for each loop around them.
pub(crate) fn decides_a_branch(rewriter: &Rewriter<'_>, value: Value) -> bool {
    let users =
        |value: Value, opcode: Opcode| rewriter.uses(value).map(|user| rewriter.op(user.op)).filter(move |op| op.opcode() == opcode);
    users(value, Opcode::CmpI).any(|comparison| comparison.results().any(|result| users(result, Opcode::If).next().is_some()))
}

/// The operations in the regions of one, unless there are more than so many.
pub(crate) fn operations_in(op: OpRef<'_>, limit: usize) -> Option<Vec<OpRef<'_>>> {
    let mut found: Vec<OpRef<'_>> = Vec::new();
    let mut next = vec![op];
    while let Some(op) = next.pop() {
        let blocks = op.regions().flat_map(|region| op.body().blocks(region));
        let start = next.len();
        for inner in blocks.flat_map(|block| op.body().ops(block)) {
            found.push(inner);
            if found.len() > limit {
                return None;
            }
            if inner.def().regions > 0 {
                next.push(inner);
            }
        }
        next[start..].reverse();
    }
    Some(found)
}

/// The arguments of the blocks of an operation.
fn arguments(op: OpRef<'_>) -> impl Iterator<Item = Value> {
    op.regions().flat_map(move |region| op.body().blocks(region)).flat_map(move |block| op.body().args(block))
}
