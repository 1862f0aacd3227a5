//! Kernels with loops of their own, for the common types. They give the values of [`exact`](super::exact); the payload of a NaN may differ.
//!
//! A loop is one generic function, compiled for each level of the CPU but AVX-512; the versions give the same bits. Nothing is fused but `fma`.

/// Picks the instance of a kernel for a float type.
macro_rules! by_float {
    ($level:ident, $scalar:expr, $kernel:ident $(, $arg:ty)*) => {
        match $scalar {
            Scalar::F16 => Some(at::<$kernel<F16 $(, $arg)*>>($level)),
            Scalar::Bf16 => Some(at::<$kernel<Bf16 $(, $arg)*>>($level)),
            Scalar::F32 => Some(at::<$kernel<f32 $(, $arg)*>>($level)),
            Scalar::F64 => Some(at::<$kernel<f64 $(, $arg)*>>($level)),
            _ => None,
        }
    };
}

/// Picks the instance of a kernel for an integer type of whole bytes.
macro_rules! by_int {
    ($level:ident, $scalar:expr, $signed:expr, $kernel:ident $(, $arg:ty)*) => {
        match ($scalar, $signed) {
            (Scalar::I8, true) => Some(at::<$kernel<i8 $(, $arg)*>>($level)),
            (Scalar::I16, true) => Some(at::<$kernel<i16 $(, $arg)*>>($level)),
            (Scalar::I32, true) => Some(at::<$kernel<i32 $(, $arg)*>>($level)),
            (Scalar::I64, true) => Some(at::<$kernel<i64 $(, $arg)*>>($level)),
            (Scalar::I8, false) => Some(at::<$kernel<u8 $(, $arg)*>>($level)),
            (Scalar::I16, false) => Some(at::<$kernel<u16 $(, $arg)*>>($level)),
            (Scalar::I32, false) => Some(at::<$kernel<u32 $(, $arg)*>>($level)),
            (Scalar::I64, false) => Some(at::<$kernel<u64 $(, $arg)*>>($level)),
            _ => None,
        }
    };
}

/// Picks the instance of a function of the bits of a float.
macro_rules! by_bits {
    ($level:ident, $scalar:expr, $function:ty) => {
        match $scalar {
            Scalar::F16 | Scalar::Bf16 => Some(at::<Map1<u16, $function>>($level)),
            Scalar::F32 => Some(at::<Map1<u32, $function>>($level)),
            Scalar::F64 => Some(at::<Map1<u64, $function>>($level)),
            _ => None,
        }
    };
}

mod blocks;
mod convert;
pub(super) mod functions;
#[cfg(target_arch = "x86_64")]
mod half;
mod integers;
pub(super) mod loops;
mod math;

use super::{ElemOp, KernelFn};
use crate::{cpu::Level, elem::Elem};
use blocks::{Directed, InBlocks, Whole};
use functions::*;
use integers::{AbsI, DivI, Down, MulHi, NegI, RemI, Shl, Shr, ToZero, Up, bits};
use loops::{Bf16, Bit, Compare, CopyBits, F16, Map1, Map2, Map3, Offset, Select, at};
use tilewright_ir::{ComparisonOrdering, ComparisonPredicate, RoundingMode, Scalar};

/// The fast kernel of an operation on accepted types, if there is one.
pub fn select(level: Level, op: ElemOp, srcs: &[Elem], dst: Elem) -> Option<KernelFn> {
    if let Some(kernel) = math::select(level, op, srcs) {
        return Some(kernel);
    }
    match (op, srcs) {
        (ElemOp::Copy, _) => Some(at::<CopyBits>(level)),
        (ElemOp::Select, _) => Some(match dst.size() {
            1 => at::<Select<u8>>(level),
            2 => at::<Select<u16>>(level),
            4 => at::<Select<u32>>(level),
            _ => at::<Select<u64>>(level),
        }),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I1)]) => Some(at::<Offset<Bit>>(level)),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I8)]) => Some(at::<Offset<i8>>(level)),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I16)]) => Some(at::<Offset<i16>>(level)),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I32)]) => Some(at::<Offset<i32>>(level)),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I64)]) => Some(at::<Offset<i64>>(level)),
        (_, [Elem::Num(src), ..]) => match dst {
            _ if matches!(op, ElemOp::CmpI(..) | ElemOp::CmpF(..)) => comparison(level, op, *src),
            Elem::Num(dst) if dst == *src => same_type(level, op, dst),
            Elem::Num(dst) => convert::select(level, op, *src, dst),
            Elem::Ptr => None,
        },
        _ => None,
    }
}

fn same_type(level: Level, op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    if scalar == Scalar::F32
        && let Some(kernel) = flushing(level, op)
    {
        return Some(kernel);
    }
    match op {
        ElemOp::FToF(_) => Some(at::<CopyBits>(level)),
        ElemOp::Ceil => by_float!(level, scalar, Map1, Ceil),
        ElemOp::Floor => by_float!(level, scalar, Map1, Floor),
        ElemOp::AbsF => by_bits!(level, scalar, AbsF),
        ElemOp::NegF => by_bits!(level, scalar, NegF),
        ElemOp::Sqrt(RN | RoundingMode::Approx, false) => by_float!(level, scalar, Map1, Sqrt),
        ElemOp::AddF(RN, false) => by_float!(level, scalar, Map2, AddF),
        ElemOp::SubF(RN, false) => by_float!(level, scalar, Map2, SubF),
        ElemOp::MulF(RN, false) => by_float!(level, scalar, Map2, MulF),
        ElemOp::DivF(RN | RoundingMode::Approx | RoundingMode::Full, false) => by_float!(level, scalar, Map2, DivF),
        ElemOp::MaxF { propagate_nan: false, ftz: false } => by_float!(level, scalar, Map2, MaxF),
        ElemOp::MinF { propagate_nan: false, ftz: false } => by_float!(level, scalar, Map2, MinF),
        ElemOp::MaxF { propagate_nan: true, ftz: false } => by_float!(level, scalar, Map2, MaxNan),
        ElemOp::MinF { propagate_nan: true, ftz: false } => by_float!(level, scalar, Map2, MinNan),
        ElemOp::Fma(RN, false) => match scalar {
            Scalar::F16 => Some(at::<InBlocks<F16, Whole<MultiplyF16>>>(level)),
            Scalar::Bf16 => Some(at::<InBlocks<Bf16, Whole<MultiplyBf16>>>(level)),
            Scalar::F32 => Some(at::<Map3<f32, Multiply>>(level)),
            Scalar::F64 => Some(at::<Map3<f64, Multiply>>(level)),
            _ => None,
        },
        _ if scalar.is_int() => integers(level, op, scalar),
        _ => directed(level, op, scalar),
    }
}

/// Operations on floats that round in a direction, and remainders.
fn directed(level: Level, op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    let (ElemOp::AddF(mode, ftz)
    | ElemOp::SubF(mode, ftz)
    | ElemOp::MulF(mode, ftz)
    | ElemOp::DivF(mode, ftz)
    | ElemOp::Sqrt(mode, ftz)
    | ElemOp::Fma(mode, ftz)) = op
    else {
        return remainder(level, op, scalar);
    };
    let fits = matches!(mode, RoundingMode::Zero | RoundingMode::NegativeInf | RoundingMode::PositiveInf);
    if !fits || ftz && scalar != Scalar::F32 {
        return None;
    }
    match op {
        ElemOp::AddF(..) => by_float!(level, scalar, InBlocks, Directed<blocks::Add>),
        ElemOp::SubF(..) => by_float!(level, scalar, InBlocks, Directed<blocks::Sub>),
        ElemOp::MulF(..) => by_float!(level, scalar, InBlocks, Directed<blocks::Mul>),
        ElemOp::DivF(..) => by_float!(level, scalar, InBlocks, Directed<blocks::Div>),
        ElemOp::Sqrt(..) => by_float!(level, scalar, InBlocks, Directed<blocks::Sqrt>),
        _ => by_float!(level, scalar, InBlocks, Directed<blocks::MultiplyAdd>),
    }
}

fn remainder(level: Level, op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    match (op, scalar) {
        (ElemOp::RemF, Scalar::F64) => Some(at::<InBlocks<f64, blocks::LongRem>>(level)),
        (ElemOp::RemF, _) => match scalar {
            Scalar::F16 => Some(at::<InBlocks<F16, blocks::Rem>>(level)),
            Scalar::Bf16 => Some(at::<InBlocks<Bf16, blocks::Rem>>(level)),
            Scalar::F32 => Some(at::<InBlocks<f32, blocks::Rem>>(level)),
            _ => None,
        },
        _ => None,
    }
}

/// Operations that give integers of the type that they take.
fn integers(level: Level, op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    if scalar == Scalar::I1 {
        return of_bits(level, op);
    }
    match op {
        ElemOp::NegI => by_int!(level, scalar, true, Map1, NegI),
        ElemOp::AbsI => by_int!(level, scalar, true, Map1, AbsI),
        ElemOp::AddI => by_int!(level, scalar, false, Map2, AddI),
        ElemOp::SubI => by_int!(level, scalar, false, Map2, SubI),
        ElemOp::MulI => by_int!(level, scalar, false, Map2, MulI),
        ElemOp::MaxI(signed) => by_int!(level, scalar, signed, Map2, MaxI),
        ElemOp::MinI(signed) => by_int!(level, scalar, signed, Map2, MinI),
        ElemOp::And => by_int!(level, scalar, false, Map2, And),
        ElemOp::Or => by_int!(level, scalar, false, Map2, Or),
        ElemOp::Xor => by_int!(level, scalar, false, Map2, Xor),
        ElemOp::MulHi => match scalar {
            Scalar::I8 => Some(at::<Map2<u8, MulHi>>(level)),
            Scalar::I16 => Some(at::<Map2<u16, MulHi>>(level)),
            Scalar::I32 => Some(at::<Map2<u32, MulHi>>(level)),
            Scalar::I64 => Some(at::<Map2<u64, MulHi>>(level)),
            _ => None,
        },
        ElemOp::Shl => by_int!(level, scalar, false, Map2, Shl),
        ElemOp::Shr(signed) => by_int!(level, scalar, signed, Map2, Shr),
        ElemOp::RemI(signed) => by_int!(level, scalar, signed, Map2, RemI),
        ElemOp::DivI(signed, RoundingMode::PositiveInf) => by_int!(level, scalar, signed, Map2, DivI<Up>),
        ElemOp::DivI(true, RoundingMode::NegativeInf) => by_int!(level, scalar, true, Map2, DivI<Down>),
        // Numbers without sign are rounded down as toward zero.
        ElemOp::DivI(signed, _) => by_int!(level, scalar, signed, Map2, DivI<ToZero>),
        _ => None,
    }
}

/// Operations on `i1`: a byte of 0 or 1, which is -1 where it has a sign.
fn of_bits(level: Level, op: ElemOp) -> Option<KernelFn> {
    Some(match op {
        ElemOp::AddI | ElemOp::SubI | ElemOp::Xor => at::<Map2<u8, Xor>>(level),
        ElemOp::And | ElemOp::MulI | ElemOp::MinI(false) | ElemOp::MaxI(true) => at::<Map2<u8, And>>(level),
        ElemOp::Or | ElemOp::MaxI(false) | ElemOp::MinI(true) => at::<Map2<u8, Or>>(level),
        ElemOp::NegI | ElemOp::AbsI => at::<CopyBits>(level),
        ElemOp::MulHi => at::<Map2<u8, bits::Zero>>(level),
        ElemOp::Shr(true) => at::<Map2<u8, bits::First>>(level),
        ElemOp::Shl | ElemOp::Shr(false) | ElemOp::RemI(_) => at::<Map2<u8, bits::AndNot>>(level),
        ElemOp::DivI(..) => at::<Map2<u8, bits::OrNot>>(level),
        _ => return None,
    })
}

/// Operations on f32 that flush subnormals to zero.
fn flushing(level: Level, op: ElemOp) -> Option<KernelFn> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    Some(match op {
        ElemOp::Sqrt(RN | RoundingMode::Approx, true) => at::<Map1<f32, Flushed<Sqrt>>>(level),
        ElemOp::Fma(RN, true) => at::<Map3<f32, Flushed<Multiply>>>(level),
        ElemOp::AddF(RN, true) => at::<Map2<f32, Flushed<AddF>>>(level),
        ElemOp::SubF(RN, true) => at::<Map2<f32, Flushed<SubF>>>(level),
        ElemOp::MulF(RN, true) => at::<Map2<f32, Flushed<MulF>>>(level),
        ElemOp::DivF(RN | RoundingMode::Approx | RoundingMode::Full, true) => at::<Map2<f32, Flushed<DivF>>>(level),
        ElemOp::MaxF { propagate_nan: false, ftz: true } => at::<Map2<f32, Flushed<MaxF>>>(level),
        ElemOp::MinF { propagate_nan: false, ftz: true } => at::<Map2<f32, Flushed<MinF>>>(level),
        ElemOp::MaxF { propagate_nan: true, ftz: true } => at::<Map2<f32, Flushed<MaxNan>>>(level),
        ElemOp::MinF { propagate_nan: true, ftz: true } => at::<Map2<f32, Flushed<MinNan>>>(level),
        _ => return None,
    })
}

fn comparison(level: Level, op: ElemOp, src: Scalar) -> Option<KernelFn> {
    use ComparisonPredicate as P;
    if let (Scalar::I1, ElemOp::CmpI(predicate, signed)) = (src, op) {
        // -1 is below 0.
        return comparison(level, ElemOp::CmpI(if signed { reversed(predicate) } else { predicate }, false), Scalar::I8);
    }
    match op {
        ElemOp::CmpI(P::Equal, signed) => by_int!(level, src, signed, Compare, Equal),
        ElemOp::CmpI(P::NotEqual, signed) => by_int!(level, src, signed, Compare, NotEqual),
        ElemOp::CmpI(P::LessThan, signed) => by_int!(level, src, signed, Compare, Less),
        ElemOp::CmpI(P::LessThanOrEqual, signed) => by_int!(level, src, signed, Compare, LessEqual),
        ElemOp::CmpI(P::GreaterThan, signed) => by_int!(level, src, signed, Compare, Greater),
        ElemOp::CmpI(P::GreaterThanOrEqual, signed) => by_int!(level, src, signed, Compare, GreaterEqual),
        ElemOp::CmpF(predicate, ComparisonOrdering::Ordered) => match predicate {
            P::Equal => by_float!(level, src, Compare, Equal),
            P::NotEqual => by_float!(level, src, Compare, NotEqual),
            P::LessThan => by_float!(level, src, Compare, Less),
            P::LessThanOrEqual => by_float!(level, src, Compare, LessEqual),
            P::GreaterThan => by_float!(level, src, Compare, Greater),
            P::GreaterThanOrEqual => by_float!(level, src, Compare, GreaterEqual),
        },
        ElemOp::CmpF(predicate, ComparisonOrdering::Unordered) => match predicate {
            P::Equal => by_float!(level, src, Compare, EqualU),
            P::NotEqual => by_float!(level, src, Compare, NotEqualU),
            P::LessThan => by_float!(level, src, Compare, LessU),
            P::LessThanOrEqual => by_float!(level, src, Compare, LessEqualU),
            P::GreaterThan => by_float!(level, src, Compare, GreaterU),
            P::GreaterThanOrEqual => by_float!(level, src, Compare, GreaterEqualU),
        },
        _ => None,
    }
}

/// The predicate that says the same of numbers in the opposite order.
fn reversed(predicate: ComparisonPredicate) -> ComparisonPredicate {
    use ComparisonPredicate as P;
    match predicate {
        P::Equal | P::NotEqual => predicate,
        P::LessThan => P::GreaterThan,
        P::LessThanOrEqual => P::GreaterThanOrEqual,
        P::GreaterThan => P::LessThan,
        P::GreaterThanOrEqual => P::LessThanOrEqual,
    }
}
