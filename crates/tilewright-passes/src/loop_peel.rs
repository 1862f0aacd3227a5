//! The first iteration of a loop, peeled off where a condition asks for it.
//!
//! A branch on `i == a`, in a `for i` from `a`, is taken in the first iteration only. So that iteration becomes a loop of its own, which
//! runs at most once, and the others another one; in each of them the condition is a constant, and both are canonicalised.

use crate::{
    canonicalize,
    constant::Constant,
    facts::Analyses,
    loop_split::{Arithmetic, MAX_OPERATIONS, decides_a_branch, divide, operations_in, truth},
    registry::Options,
    statistics::Statistics,
    structure::preorder,
};
use tilewright_ir::{AttrName, AttrValue, ComparisonPredicate, NewOp, Op, Opcode, Place, Rewriter, Scalar, Signedness, Value};

pub(crate) fn run(rewriter: &mut Rewriter<'_>, analyses: &mut Analyses, options: Options<'_>, changes: &mut Statistics) {
    let threshold = options.get("threshold");
    // Inner loops first: what an outer loop is made of is copied once they are peeled.
    let loops: Vec<Op> = preorder(rewriter.body()).into_iter().rev().filter(|op| rewriter.op(*op).opcode() == Opcode::For).collect();
    let mut peeled = 0;
    for op in loops {
        if let Some((comparison, holds_first)) = find(rewriter, op, threshold) {
            peel(rewriter, op, comparison, holds_first);
            peeled += 1;
        }
    }
    changes.add("loops peeled", peeled);
    if peeled > 0 {
        canonicalize::run(rewriter, analyses, options, changes);
    }
}

/// The first comparison that a branch in a loop asks for and that gives something else in the first iteration, and whether it holds
/// there.
fn find(rewriter: &Rewriter<'_>, op: Op, threshold: u64) -> Option<(Op, bool)> {
    let (tables, body) = rewriter.parts();
    let here = body.op(op);
    let lower = here.operands()[0];
    let variable = body.args(here.region_block(0)?).next()?;
    if !decides_a_branch(rewriter, variable) {
        return None;
    }
    let constant = |value: Value| Constant::of(tables, body, value, 1);
    let is_lower = |value: Value| value == lower || constant(value).is_some_and(|found| constant(lower) == Some(found));
    let inside = operations_in(here, MAX_OPERATIONS)?;
    inside.iter().filter(|op| op.opcode() == Opcode::If).find_map(|branch| {
        let comparison = body.defining_op(branch.operands()[0]).filter(|op| op.opcode() == Opcode::CmpI)?;
        let [lhs, rhs] = *comparison.operands() else { return None };
        let holds_first = match comparison.predicate()? {
            ComparisonPredicate::Equal => true,
            ComparisonPredicate::NotEqual => false,
            _ => return None,
        };
        let asks = lhs == variable && is_lower(rhs) || rhs == variable && is_lower(lhs);
        let size = operations_in(*branch, MAX_OPERATIONS)?.len() as u64;
        (asks && size >= threshold).then_some((comparison.id(), holds_first))
    })
}

fn peel(rewriter: &mut Rewriter<'_>, op: Op, comparison: Op, holds_first: bool) {
    let here = rewriter.op(op);
    let (lower, upper, step) = (here.operands()[0], here.operands()[1], here.operands()[2]);
    let signedness = if here.flag(AttrName::UnsignedCmp) { Signedness::Unsigned } else { Signedness::Signed };
    let arith = Arithmetic { near: op, ty: rewriter.body().ty(lower), signedness };
    // Whether there is a second iteration: nothing overflows then. The distance between ordered numbers is one without a sign.
    let runs = arith.compare(rewriter, lower, upper, signedness);
    let distance = arith.binary(rewriter, Opcode::SubI, upper, lower);
    let is_far = arith.compare(rewriter, step, distance, Signedness::Unsigned);
    let again = arith.both(rewriter, runs, is_far);
    let second = arith.binary(rewriter, Opcode::AddI, lower, step);
    let boundary = arith.select(rewriter, again, second, upper);
    let condition = rewriter.op(comparison).result(0).expect("a comparison has a result");
    let values = [holds_first, !holds_first].map(|holds| truth(rewriter, op, holds));
    divide(rewriter, op, [boundary, boundary], condition, values);
}

impl Arithmetic {
    /// Whether a number is less than another one.
    pub(crate) fn compare(&self, rewriter: &mut Rewriter<'_>, lhs: Value, rhs: Value, signedness: Signedness) -> Value {
        let attrs = [AttrValue::Enum(ComparisonPredicate::LessThan as u8), AttrValue::Enum(signedness as u8)];
        let truth = rewriter.tables().types.tile(Scalar::I1.ty(), &[]).expect("a legal type");
        self.create(rewriter, Opcode::CmpI, &[lhs, rhs], &attrs, truth)
    }

    fn both(&self, rewriter: &mut Rewriter<'_>, a: Value, b: Value) -> Value {
        let ty = rewriter.body().ty(a);
        self.create(rewriter, Opcode::AndI, &[a, b], &[], ty)
    }

    pub(crate) fn select(&self, rewriter: &mut Rewriter<'_>, condition: Value, yes: Value, no: Value) -> Value {
        self.create(rewriter, Opcode::Select, &[condition, yes, no], &[], self.ty)
    }

    /// An operation with fixed operands and one result.
    pub(crate) fn create(
        &self,
        rewriter: &mut Rewriter<'_>,
        opcode: Opcode,
        operands: &[Value],
        attrs: &[AttrValue],
        ty: tilewright_ir::Type,
    ) -> Value {
        let loc = rewriter.op(self.near).loc();
        let new = NewOp { opcode, operands, present: 0, split: 0, attrs, results: &[ty], loc };
        let new = rewriter.create(Place::Before(self.near), new);
        rewriter.op(new).result(0).expect("it has a result")
    }
}
