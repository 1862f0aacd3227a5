//! Elementwise operations: which there are, what they take, and what they give.
//!
//! This is the definition of their results. The engine's kernels, the folding of constants and the tests of both go by it: bits
//! of one element in, bits of one element out. The payload of a NaN is unspecified (SEMANTICS (b)), so a kernel may give another.

mod evaluate;

pub use evaluate::evaluate;

use crate::elem::{Elem, memory_bits};
use tilewright_ir::{
    AttrName, ComparisonOrdering, ComparisonPredicate, OpRef, Opcode, RoundingMode, Scalar, Signedness, TypeData, TypeTable,
};
use tilewright_numeric::Rounding;

/// Flush subnormals to zero?
pub type Ftz = bool;
/// Read integers as signed?
pub type Signed = bool;

/// An elementwise operation with everything that its attributes say.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "the variants are named like the operations of the dialect")]
pub enum ElemOp {
    /// Same bits, same width.
    Copy,
    Select,
    AbsF,
    NegF,
    Ceil,
    Floor,
    Sqrt(RoundingMode, Ftz),
    Rsqrt(Ftz),
    Exp,
    Exp2(Ftz),
    Log,
    Log2,
    Sin,
    Cos,
    Tan,
    Sinh,
    Cosh,
    Tanh,
    AddF(RoundingMode, Ftz),
    SubF(RoundingMode, Ftz),
    MulF(RoundingMode, Ftz),
    DivF(RoundingMode, Ftz),
    Fma(RoundingMode, Ftz),
    RemF,
    MaxF {
        propagate_nan: bool,
        ftz: Ftz,
    },
    MinF {
        propagate_nan: bool,
        ftz: Ftz,
    },
    PowF,
    PowI,
    Atan2,
    CmpF(ComparisonPredicate, ComparisonOrdering),
    CmpI(ComparisonPredicate, Signed),
    AbsI,
    NegI,
    AddI,
    SubI,
    MulI,
    MulHi,
    DivI(Signed, RoundingMode),
    RemI(Signed),
    MaxI(Signed),
    MinI(Signed),
    And,
    Or,
    Xor,
    Shl,
    Shr(Signed),
    ExtI(Signed),
    TruncI,
    FToF(RoundingMode),
    FToI(Signed),
    IToF(Signed),
    /// Pointer plus sign-extended index times the bytes of the pointee.
    Offset(u64),
    /// Pointer plus half of the sign-extended index, toward zero: two elements share a byte.
    OffsetPacked,
}

/// The elementwise operation that `op` is, with what its attributes say; `None` if it is none.
pub fn elem_op(op: OpRef<'_>, types: &TypeTable) -> Option<ElemOp> {
    let rounding = || op.rounding().unwrap_or(RoundingMode::NearestEven);
    let ftz = || op.flag(AttrName::FlushToZero);
    let signed = || op.signedness() != Some(Signedness::Unsigned);
    let propagate_nan = || op.flag(AttrName::PropagateNan);
    Some(match op.opcode() {
        Opcode::AbsF => ElemOp::AbsF,
        Opcode::NegF => ElemOp::NegF,
        Opcode::Ceil => ElemOp::Ceil,
        Opcode::Floor => ElemOp::Floor,
        Opcode::Sqrt => ElemOp::Sqrt(rounding(), ftz()),
        Opcode::Rsqrt => ElemOp::Rsqrt(ftz()),
        Opcode::Exp => ElemOp::Exp,
        Opcode::Exp2 => ElemOp::Exp2(ftz()),
        Opcode::Log => ElemOp::Log,
        Opcode::Log2 => ElemOp::Log2,
        Opcode::Sin => ElemOp::Sin,
        Opcode::Cos => ElemOp::Cos,
        Opcode::Tan => ElemOp::Tan,
        Opcode::SinH => ElemOp::Sinh,
        Opcode::CosH => ElemOp::Cosh,
        Opcode::TanH => ElemOp::Tanh,
        Opcode::AddF => ElemOp::AddF(rounding(), ftz()),
        Opcode::SubF => ElemOp::SubF(rounding(), ftz()),
        Opcode::MulF => ElemOp::MulF(rounding(), ftz()),
        Opcode::DivF => ElemOp::DivF(rounding(), ftz()),
        Opcode::Fma => ElemOp::Fma(rounding(), ftz()),
        Opcode::RemF => ElemOp::RemF,
        Opcode::MaxF => ElemOp::MaxF { propagate_nan: propagate_nan(), ftz: ftz() },
        Opcode::MinF => ElemOp::MinF { propagate_nan: propagate_nan(), ftz: ftz() },
        Opcode::FPowF => ElemOp::PowF,
        Opcode::FPowI => ElemOp::PowI,
        Opcode::Atan2 => ElemOp::Atan2,
        Opcode::CmpF => ElemOp::CmpF(op.predicate()?, op.comparison_ordering()?),
        Opcode::CmpI => ElemOp::CmpI(op.predicate()?, signed()),
        Opcode::AbsI => ElemOp::AbsI,
        Opcode::NegI => ElemOp::NegI,
        Opcode::AddI => ElemOp::AddI,
        Opcode::SubI => ElemOp::SubI,
        Opcode::MulI => ElemOp::MulI,
        Opcode::MulhiI => ElemOp::MulHi,
        Opcode::DivI => ElemOp::DivI(signed(), rounding()),
        Opcode::RemI => ElemOp::RemI(signed()),
        Opcode::MaxI => ElemOp::MaxI(signed()),
        Opcode::MinI => ElemOp::MinI(signed()),
        Opcode::AndI => ElemOp::And,
        Opcode::OrI => ElemOp::Or,
        Opcode::XOrI => ElemOp::Xor,
        Opcode::ShLI => ElemOp::Shl,
        Opcode::ShRI => ElemOp::Shr(signed()),
        Opcode::ExtI => ElemOp::ExtI(signed()),
        Opcode::TruncI => ElemOp::TruncI,
        Opcode::FToF => ElemOp::FToF(rounding()),
        Opcode::FToI => ElemOp::FToI(signed()),
        Opcode::IToF => ElemOp::IToF(signed()),
        Opcode::Select => ElemOp::Select,
        Opcode::Bitcast | Opcode::IntToPtr | Opcode::PtrToInt | Opcode::PtrToPtr => ElemOp::Copy,
        Opcode::Offset => match pointee_bits(op, types)? {
            bits @ 8.. => ElemOp::Offset(u64::from(bits / 8)),
            _ => ElemOp::OffsetPacked,
        },
        _ => return None,
    })
}

/// Bits from one element to the next where the first operand points.
fn pointee_bits(op: OpRef<'_>, types: &TypeTable) -> Option<u32> {
    let (element, _) = types.as_tile(op.body().ty(op.operand(0)?))?;
    let TypeData::Pointer { pointee, .. } = types.get(element) else { return None };
    memory_bits(types.scalar(*pointee)?)
}

/// Whether the operation takes these types (SEMANTICS c.2 to c.5).
pub fn accepts(op: ElemOp, srcs: &[Elem], dst: Elem) -> bool {
    use ElemOp::*;
    let all = |ok: fn(Elem) -> bool| srcs.iter().all(|s| *s == dst) && ok(dst);
    let int = |e: Elem| e.is_int();
    match (op, srcs) {
        (Copy, [a]) => a.bits() == dst.bits() && a.size() == dst.size(),
        (Select, [c, a, b]) => *c == Elem::Num(Scalar::I1) && *a == dst && *b == dst,
        (AbsF | NegF | Ceil | Floor | Sqrt(..) | Rsqrt(_) | Exp | Exp2(_) | Log | Log2, [_]) => all(is_arith_float),
        (Sin | Cos | Tan | Sinh | Cosh | Tanh, [_]) => all(is_arith_float),
        (AddF(..) | SubF(..) | MulF(..) | RemF | MaxF { .. } | MinF { .. } | PowF | Atan2, [_, _]) => all(is_arith_float),
        (DivF(mode, _), [_, _]) => all(is_arith_float) && (direction(mode).is_some() || dst == Elem::Num(Scalar::F32)),
        (Fma(..), [_, _, _]) => all(is_arith_float),
        (PowI, [a, n]) => is_arith_float(*a) && *a == dst && n.is_int(),
        (CmpF(..), [a, b]) => is_arith_float(*a) && a == b && dst == Elem::Num(Scalar::I1),
        (CmpI(..), [a, b]) => a.is_int() && a == b && dst == Elem::Num(Scalar::I1),
        (AbsI | NegI, [_]) => all(int),
        (AddI | SubI | MulI | MulHi | DivI(..) | RemI(_) | MaxI(_) | MinI(_), [_, _]) => all(int),
        (And | Or | Xor | Shl | Shr(_), [_, _]) => all(int),
        (ExtI(_), [a]) => a.is_int() && dst.is_int() && a.bits() < dst.bits(),
        (TruncI, [a]) => a.is_int() && dst.is_int() && a.bits() > dst.bits(),
        (FToF(mode), [a]) => a.float().is_some() && dst.float().is_some() && direction(mode).is_some(),
        (FToI(_), [a]) => a.float().is_some() && dst.is_int(),
        (IToF(_), [a]) => a.is_int() && dst.float().is_some(),
        (Offset(_) | OffsetPacked, [p, i]) => *p == Elem::Ptr && dst == Elem::Ptr && i.is_int(),
        _ => false,
    }
}

/// How many operands an operation takes.
pub const fn sources_of(op: ElemOp) -> usize {
    use ElemOp::*;
    match op {
        Copy | AbsF | NegF | Ceil | Floor | Sqrt(..) | Rsqrt(_) | Exp | Exp2(_) | Log | Log2 | Sin | Cos | Tan | Sinh | Cosh | Tanh => 1,
        AbsI | NegI | ExtI(_) | TruncI | FToF(_) | FToI(_) | IToF(_) => 1,
        Select | Fma(..) => 3,
        _ => 2,
    }
}

/// How many floating-point operations an operation counts as for each element: two for a fused multiply-add, one for other arithmetic on
/// floats, for elementary functions, and for rounding to whole numbers; none for what only looks at floats or moves them, and for integers.
pub const fn flops(op: ElemOp) -> u32 {
    use ElemOp::*;
    match op {
        Fma(..) => 2,
        AddF(..) | SubF(..) | MulF(..) | DivF(..) | RemF | MaxF { .. } | MinF { .. } | Sqrt(..) | Rsqrt(_) | PowF | PowI | Atan2 => 1,
        Exp | Exp2(_) | Log | Log2 | Sin | Cos | Tan | Sinh | Cosh | Tanh | Ceil | Floor => 1,
        Copy | Select | AbsF | NegF | CmpF(..) | CmpI(..) | FToF(_) | FToI(_) | IToF(_) => 0,
        AbsI | NegI | AddI | SubI | MulI | MulHi | DivI(..) | RemI(_) | MaxI(_) | MinI(_) | And | Or | Xor | Shl | Shr(_) => 0,
        ExtI(_) | TruncI | Offset(_) | OffsetPacked => 0,
    }
}

/// The numeric crate's rounding for a rounding mode that names a direction.
pub fn direction(mode: RoundingMode) -> Option<Rounding> {
    Some(match mode {
        RoundingMode::NearestEven => Rounding::NearestEven,
        RoundingMode::Zero => Rounding::Zero,
        RoundingMode::NegativeInf => Rounding::NegativeInf,
        RoundingMode::PositiveInf => Rounding::PositiveInf,
        RoundingMode::NearestAway => Rounding::NearestAway,
        RoundingMode::Approx | RoundingMode::Full | RoundingMode::NearestIntToZero => return None,
    })
}

/// The numeric crate's predicate.
pub fn predicate(predicate: ComparisonPredicate) -> tilewright_numeric::Predicate {
    use tilewright_numeric::Predicate as P;
    match predicate {
        ComparisonPredicate::Equal => P::Equal,
        ComparisonPredicate::NotEqual => P::NotEqual,
        ComparisonPredicate::LessThan => P::LessThan,
        ComparisonPredicate::LessThanOrEqual => P::LessThanOrEqual,
        ComparisonPredicate::GreaterThan => P::GreaterThan,
        ComparisonPredicate::GreaterThanOrEqual => P::GreaterThanOrEqual,
    }
}

/// Whether arithmetic and math operations take this type (SEMANTICS (b)).
pub(crate) fn is_arith_float(elem: Elem) -> bool {
    matches!(elem, Elem::Num(Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64))
}
