//! Loops split where a condition on the induction variable changes.
//!
//! In `for i` from `a` to `b`, a branch on `i < x` is taken in all iterations before `x` and in none after it. So the loop becomes two,
//! from `a` to `min(x, b)` and from `max(x, a)` to `b`, in each of which the condition is a constant; then both are canonicalised. The
//! conditions are `<`, `<=`, `>` and `>=` between the induction variable of a loop with step 1 and what the loop does not change.

use crate::{
    canonicalize,
    clone::Cloner,
    compare,
    constant::Constant,
    registry::Options,
    statistics::Statistics,
    structure::{FOR_BOUNDS, preorder},
};
use tilewright_ir::{
    AttrName, AttrValue, ComparisonPredicate, IntegerOverflow, Op, OpRef, Opcode, Place, Rewriter, Scalar, Signedness, Type, Value,
};

/// Loops of more operations are not doubled.
pub(crate) const MAX_OPERATIONS: usize = 4096;

pub(crate) fn run(rewriter: &mut Rewriter<'_>, options: Options<'_>, changes: &mut Statistics) {
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
        canonicalize::run(rewriter, options, changes);
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
        let (tables, body) = rewriter.parts();
        let here = body.op(op);
        let step = Constant::of(tables, body, here.operands()[2], 1)?;
        if step.elements.splat() != Some(1) {
            return None;
        }
        let signedness = if here.flag(AttrName::UnsignedCmp) { Signedness::Unsigned } else { Signedness::Signed };
        let variable = body.args(here.region_block(0)?).next()?;
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
            let last = arith.binary(rewriter, Opcode::SubI, upper, step);
            let bound = arith.binary(rewriter, Opcode::MinI, self.bound, last);
            arith.binary(rewriter, Opcode::AddI, bound, step)
        } else {
            self.bound
        };
        let end = arith.binary(rewriter, Opcode::MinI, first, upper);
        let begin = arith.binary(rewriter, Opcode::MaxI, first, lower);
        let holds_later = matches!(self.predicate, GreaterThan | GreaterThanOrEqual);
        let condition = rewriter.op(self.comparison).result(0).expect("a comparison has a result");
        let values = [!holds_later, holds_later].map(|holds| truth(rewriter, op, holds));
        divide(rewriter, op, [end, begin], condition, values);
    }
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
}

/// A truth value, before an operation.
pub(crate) fn truth(rewriter: &mut Rewriter<'_>, near: Op, holds: bool) -> Value {
    rewriter.insert_before(near, |builder| builder.constant(Scalar::I1, &[], &[u8::from(holds)])).expect("a legal constant")
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
