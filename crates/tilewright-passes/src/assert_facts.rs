//! Facts as assertions, so that a run checks them.
//!
//! Behind each tile of integers whose range or divisor is known an `assert` checks it, in all elements: the bounds as signed and as
//! unsigned numbers, and the lowest bits. What runs then finds any fact that does not hold, and any promise of `assume` that the program
//! breaks. Groups of elements along dimensions are not checked, nor what lies in the regions of reductions and scans, which cannot stop.

use crate::{
    constant::{Elements, encode, number_tile},
    facts::{Analyses, Divisor, IntegerFacts, Range},
    registry::Options,
    statistics::Statistics,
};
use tilewright_ir::{
    AttrValue, Body, ComparisonPredicate, NewOp, Op, OpRef, Opcode, Place, Rewriter, Scalar, Signedness, Tables, Type, Value, ops::TypeSet,
};

pub(crate) fn run(rewriter: &mut Rewriter<'_>, analyses: &mut Analyses, _: Options<'_>, changes: &mut Statistics) {
    let (tables, body) = rewriter.parts();
    for known in find(tables, body, analyses.integers(tables, body)) {
        changes.add("assertions added", known.check(rewriter));
    }
}

/// What is known of a value, and the operation before which it is checked.
struct Known {
    value: Value,
    near: Op,
    range: Range,
    divisor: Divisor,
}

fn find(tables: &Tables, body: &Body, facts: &IntegerFacts) -> Vec<Known> {
    let is_integer = |value: Value| {
        let scalar = number_tile(tables, body.ty(value)).map(|(scalar, _)| scalar);
        scalar.is_some_and(|scalar| TypeSet::INT.scalars().any(|known| known == scalar))
    };
    let mut found = Vec::new();
    let mut add = |value: Value, near: Op| {
        let fact = facts.of(value).filter(|_| is_integer(value));
        if let Some((range, divisor)) = fact.and_then(|fact| Some((fact.range?, fact.divisor))) {
            found.push(Known { value, near, range, divisor });
        }
    };
    let folds = |op: OpRef<'_>| matches!(op.opcode(), Opcode::Reduce | Opcode::Scan);
    for op in body.preorder().filter(|op| !op.parent().is_some_and(folds)) {
        if let Some(next) = op.next().filter(|_| op.opcode() != Opcode::Constant) {
            op.results().for_each(|value| add(value, next.id()));
        }
        for block in op.regions().flat_map(|region| body.blocks(region)).filter(|_| !folds(op)) {
            if let Some(first) = body.ops(block).next() {
                body.args(block).for_each(|value| add(value, first.id()));
            }
        }
    }
    found
}

impl Known {
    /// Adds the assertions, and gives their number.
    fn check(&self, rewriter: &mut Rewriter<'_>) -> u64 {
        use ComparisonPredicate::{Equal, GreaterThanOrEqual, LessThanOrEqual};
        use Signedness::{Signed, Unsigned};
        let (range, full) = (self.range, Range::full(self.range.bits()));
        let bounds = [
            (range.smin() > full.smin(), GreaterThanOrEqual, Signed, range.smin().cast_unsigned()),
            (range.smax() < full.smax(), LessThanOrEqual, Signed, range.smax().cast_unsigned()),
            (range.umin() > full.umin(), GreaterThanOrEqual, Unsigned, range.umin()),
            (range.umax() < full.umax(), LessThanOrEqual, Unsigned, range.umax()),
        ];
        let mut added = 0;
        for (_, predicate, signedness, bound) in bounds.into_iter().filter(|(says, ..)| *says) {
            added += u64::from(self.assert(rewriter, self.value, predicate, signedness, bound).is_some());
        }
        if self.divisor > Divisor::ONE && range.bits() > 1 {
            let mask = self.constant(rewriter, (1u64 << self.divisor.exponent().min(63)).wrapping_sub(1));
            let ty = rewriter.body().ty(self.value);
            let low = mask.map(|mask| self.create(rewriter, Opcode::AndI, &[self.value, mask], &[], ty));
            added += u64::from(low.and_then(|low| self.assert(rewriter, low, Equal, Unsigned, 0)).is_some());
        }
        added
    }

    fn assert(
        &self,
        rewriter: &mut Rewriter<'_>,
        value: Value,
        predicate: ComparisonPredicate,
        signedness: Signedness,
        bound: u64,
    ) -> Option<()> {
        let bound = self.constant(rewriter, bound)?;
        let (_, shape) = rewriter.parts().0.types.as_tile(rewriter.body().ty(value))?;
        let shape = shape.to_vec();
        let truth = rewriter.tables().types.tile(Scalar::I1.ty(), &shape).ok()?;
        let attrs = [AttrValue::Enum(predicate as u8), AttrValue::Enum(signedness as u8)];
        let holds = self.create(rewriter, Opcode::CmpI, &[value, bound], &attrs, truth);
        let message = rewriter.tables().strings.intern("a fact does not hold");
        let loc = rewriter.op(self.near).loc();
        let attrs = [AttrValue::Str(message)];
        let new = NewOp { opcode: Opcode::Assert, operands: &[holds], present: 0, split: 0, attrs: &attrs, results: &[], loc };
        rewriter.create(Place::Before(self.near), new);
        Some(())
    }

    /// A tile like the value of which all elements are one number.
    fn constant(&self, rewriter: &mut Rewriter<'_>, bits: u64) -> Option<Value> {
        let ty = rewriter.body().ty(self.value);
        let (scalar, len) = number_tile(rewriter.parts().0, ty)?;
        let data = encode(&Elements::Splat(tilewright_numeric::int::truncate(bits, scalar.bits())), scalar, len)?;
        let data = rewriter.tables().constants.add(&data);
        Some(self.create(rewriter, Opcode::Constant, &[], &[AttrValue::Const(data)], ty))
    }

    fn create(&self, rewriter: &mut Rewriter<'_>, opcode: Opcode, operands: &[Value], attrs: &[AttrValue], ty: Type) -> Value {
        let loc = rewriter.op(self.near).loc();
        let new = NewOp { opcode, operands, present: 0, split: 0, attrs, results: &[ty], loc };
        let new = rewriter.create(Place::Before(self.near), new);
        rewriter.op(new).result(0).expect("it has a result")
    }
}
