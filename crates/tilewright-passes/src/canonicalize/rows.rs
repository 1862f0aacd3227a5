//! Identities as rows of tables.

use super::{Change, Driver};
use crate::constant::{Elements, number_tile};
use tilewright_ir::{AttrName, Op, OpRef, Opcode, RoundingMode, Scalar, Signedness};
use tilewright_numeric::int;

/// An operation of two operands of which the second one decides what it gives.
struct Identity {
    opcode: Opcode,
    /// What the second operand is.
    rhs: Rhs,
    /// What the attributes of the operation must be.
    when: When,
    gives: Gives,
}

/// What an operand is, in all elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rhs {
    /// The first operand.
    Same,
    /// 0; of floats +0.
    Zero,
    /// 1.
    One,
    /// -0.
    MinusZero,
    /// All bits: -1, or the largest unsigned number.
    Ones,
    /// The smallest signed number.
    Min,
    /// The largest signed number.
    Max,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    /// It reads its integers as signed.
    Signed,
    /// It reads its integers as unsigned.
    Unsigned,
    /// It does not flush subnormal numbers to zero.
    KeepsSubnormals,
    /// Nor does it round to negative infinity, where a sum of opposite numbers is -0.
    KeepsSigns,
}

#[derive(Clone, Copy)]
enum Gives {
    Lhs,
    Rhs,
    Zero,
}

const fn row(opcode: Opcode, rhs: Rhs, when: When, gives: Gives) -> Identity {
    Identity { opcode, rhs, when, gives }
}

/// What operations give for some second operands. Commutative operations have their constants there.
const IDENTITIES: &[Identity] = {
    use Opcode::*;
    &[
        row(AddI, Rhs::Zero, When::Always, Gives::Lhs),
        row(SubI, Rhs::Zero, When::Always, Gives::Lhs),
        row(SubI, Rhs::Same, When::Always, Gives::Zero),
        row(MulI, Rhs::One, When::Always, Gives::Lhs),
        row(MulI, Rhs::Zero, When::Always, Gives::Rhs),
        row(MulhiI, Rhs::Zero, When::Always, Gives::Rhs),
        row(MulhiI, Rhs::One, When::Always, Gives::Zero),
        row(DivI, Rhs::One, When::Always, Gives::Lhs),
        row(RemI, Rhs::One, When::Always, Gives::Zero),
        row(AndI, Rhs::Zero, When::Always, Gives::Rhs),
        row(AndI, Rhs::Ones, When::Always, Gives::Lhs),
        row(AndI, Rhs::Same, When::Always, Gives::Lhs),
        row(OrI, Rhs::Zero, When::Always, Gives::Lhs),
        row(OrI, Rhs::Ones, When::Always, Gives::Rhs),
        row(OrI, Rhs::Same, When::Always, Gives::Lhs),
        row(XOrI, Rhs::Zero, When::Always, Gives::Lhs),
        row(XOrI, Rhs::Same, When::Always, Gives::Zero),
        row(ShLI, Rhs::Zero, When::Always, Gives::Lhs),
        row(ShRI, Rhs::Zero, When::Always, Gives::Lhs),
        row(MaxI, Rhs::Same, When::Always, Gives::Lhs),
        row(MinI, Rhs::Same, When::Always, Gives::Lhs),
        row(MaxI, Rhs::Min, When::Signed, Gives::Lhs),
        row(MaxI, Rhs::Max, When::Signed, Gives::Rhs),
        row(MinI, Rhs::Min, When::Signed, Gives::Rhs),
        row(MinI, Rhs::Max, When::Signed, Gives::Lhs),
        row(MaxI, Rhs::Zero, When::Unsigned, Gives::Lhs),
        row(MaxI, Rhs::Ones, When::Unsigned, Gives::Rhs),
        row(MinI, Rhs::Zero, When::Unsigned, Gives::Rhs),
        row(MinI, Rhs::Ones, When::Unsigned, Gives::Lhs),
        row(AddF, Rhs::MinusZero, When::KeepsSigns, Gives::Lhs),
        row(SubF, Rhs::Zero, When::KeepsSigns, Gives::Lhs),
        row(MulF, Rhs::One, When::KeepsSubnormals, Gives::Lhs),
        row(DivF, Rhs::One, When::KeepsSubnormals, Gives::Lhs),
        row(MaxF, Rhs::Same, When::KeepsSubnormals, Gives::Lhs),
        row(MinF, Rhs::Same, When::KeepsSubnormals, Gives::Lhs),
        row(Offset, Rhs::Zero, When::Always, Gives::Lhs),
    ]
};

/// Two operations of one operand, one on the result of the other.
struct Composition {
    outer: Opcode,
    inner: Opcode,
    becomes: Becomes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Becomes {
    /// What the inner one reads, if that has the type of what the outer one gives.
    Source,
    /// What the inner one gives.
    Inner,
    /// The outer one, on what the inner one reads.
    Outer,
}

const COMPOSITIONS: &[Composition] = {
    use Opcode::*;
    const fn pair(outer: Opcode, inner: Opcode, becomes: Becomes) -> Composition {
        Composition { outer, inner, becomes }
    }
    &[
        pair(NegI, NegI, Becomes::Source),
        pair(NegF, NegF, Becomes::Source),
        pair(AbsI, AbsI, Becomes::Inner),
        pair(AbsF, AbsF, Becomes::Inner),
        pair(AbsF, NegF, Becomes::Outer),
        pair(Ceil, Ceil, Becomes::Inner),
        pair(Ceil, Floor, Becomes::Inner),
        pair(Floor, Ceil, Becomes::Inner),
        pair(Floor, Floor, Becomes::Inner),
        pair(PtrToInt, IntToPtr, Becomes::Source),
        pair(IntToPtr, PtrToInt, Becomes::Source),
        pair(PtrToPtr, PtrToPtr, Becomes::Outer),
        pair(PtrToInt, PtrToPtr, Becomes::Outer),
        pair(Bitcast, Bitcast, Becomes::Outer),
        pair(Reshape, Reshape, Becomes::Outer),
        pair(Broadcast, Broadcast, Becomes::Outer),
        pair(Unpack, Pack, Becomes::Source),
        pair(Pack, Unpack, Becomes::Source),
    ]
};

/// Operations that give what they read where its type is that of the result.
const KEEPS_TYPE: [Opcode; 5] = [Opcode::Bitcast, Opcode::Broadcast, Opcode::Extract, Opcode::PtrToPtr, Opcode::Reshape];

impl Driver<'_, '_> {
    pub(super) fn identity(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let [lhs, rhs] = *here.operands() else { return None };
        let constant = self.splat(rhs);
        if lhs != rhs && constant.is_none() {
            return None;
        }
        let scalar = number_tile(self.tables(), self.ty(rhs)).map(|(scalar, _)| scalar);
        let is = |row: Rhs| match row {
            Rhs::Same => lhs == rhs,
            row => constant.is_some() && scalar.and_then(|scalar| pattern(row, scalar)) == constant,
        };
        let row = IDENTITIES.iter().find(|row| row.opcode == here.opcode() && is(row.rhs) && holds(row.when, here))?;
        Some(match row.gives {
            Gives::Lhs => Change::Value(lhs),
            Gives::Rhs => Change::Value(rhs),
            Gives::Zero => Change::Constant(Elements::Splat(0)),
        })
    }

    pub(super) fn composition(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let source = here.operand(0)?;
        let ty = self.ty(here.result(0)?);
        if KEEPS_TYPE.contains(&here.opcode()) && self.ty(source) == ty {
            return Some(Change::Value(source));
        }
        let inner = self.body().defining_op(source).filter(|inner| inner.operands().len() == 1)?;
        let row = COMPOSITIONS.iter().find(|row| row.outer == here.opcode() && row.inner == inner.opcode())?;
        let innermost = inner.operands()[0];
        match row.becomes {
            Becomes::Inner => Some(Change::Value(source)),
            Becomes::Source => (self.ty(innermost) == ty).then_some(Change::Value(innermost)),
            Becomes::Outer => {
                self.set_operand(op, 0, innermost);
                Some(Change::InPlace)
            }
        }
    }
}

fn holds(when: When, op: OpRef<'_>) -> bool {
    let keeps_subnormals = !op.flag(AttrName::FlushToZero);
    match when {
        When::Always => true,
        When::Signed => op.signedness() == Some(Signedness::Signed),
        When::Unsigned => op.signedness() == Some(Signedness::Unsigned),
        When::KeepsSubnormals => keeps_subnormals,
        When::KeepsSigns => keeps_subnormals && op.rounding() != Some(RoundingMode::NegativeInf),
    }
}

/// The bits of a number of a type.
fn pattern(rhs: Rhs, scalar: Scalar) -> Option<u64> {
    let sign = 1 << (scalar.bits() - 1);
    match rhs {
        Rhs::Same => None,
        Rhs::Zero => Some(0),
        Rhs::One => match crate::elem::float_format(scalar) {
            Some(format) => Some(format.encode(1.0, tilewright_numeric::Rounding::NearestEven)),
            None => Some(1),
        },
        Rhs::MinusZero => scalar.is_float().then_some(sign),
        Rhs::Ones => Some(int::mask(scalar.bits())),
        Rhs::Min => Some(sign),
        Rhs::Max => Some(sign - 1),
    }
}
