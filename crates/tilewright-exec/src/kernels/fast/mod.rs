//! Kernels with loops of their own, for the common types. They give the values of [`exact`](super::exact); the payload of a NaN may differ.
//!
//! A loop is one generic function, compiled for each level of the CPU; the versions give the same bits. Nothing is fused but `fma`.

pub(super) mod functions;
#[cfg(target_arch = "x86_64")]
mod half;
pub(super) mod loops;

use super::{ElemOp, KernelFn};
use crate::{cpu::Level, elem::Elem};
use functions::*;
pub(super) use loops::MIN_ROW_ELEMENT;
use loops::{Bf16, Compare, Convert, CopyBits, E4m3, E5m2, F16, Fma, Map1, Map2, Offset, Select, at, portable};
use tilewright_ir::{ComparisonOrdering, ComparisonPredicate, RoundingMode, Scalar};
#[cfg(target_arch = "x86_64")]
use {
    super::lanes::{Eight, Sixteen, VectorLanes},
    loops::MapLanes,
};

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

/// The fast kernel of an operation on accepted types, if there is one.
pub(super) fn select(level: Level, op: ElemOp, srcs: &[Elem], dst: Elem) -> Option<KernelFn> {
    match (op, srcs) {
        (ElemOp::Copy, _) => Some(at::<CopyBits>(level)),
        (ElemOp::Select, _) => Some(match dst.size() {
            1 => at::<Select<u8>>(level),
            2 => at::<Select<u16>>(level),
            4 => at::<Select<u32>>(level),
            _ => at::<Select<u64>>(level),
        }),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I32)]) => Some(at::<Offset<i32>>(level)),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I64)]) => Some(at::<Offset<i64>>(level)),
        (_, [Elem::Num(src), ..]) => match dst {
            Elem::Num(dst) if dst == *src => same_type(level, op, dst),
            Elem::Num(Scalar::I1) => comparison(level, op, *src),
            Elem::Num(dst) => conversion(level, op, *src, dst),
            Elem::Ptr => None,
        },
        _ => None,
    }
}

fn same_type(level: Level, op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    if let Some(kernel) = of_lanes(level, op, scalar) {
        return Some(kernel);
    }
    if scalar == Scalar::F32
        && let Some(kernel) = flushing(level, op)
    {
        return Some(kernel);
    }
    match op {
        ElemOp::Ceil => by_float!(level, scalar, Map1, Ceil),
        ElemOp::Floor => by_float!(level, scalar, Map1, Floor),
        ElemOp::AbsF => by_bits!(level, scalar, AbsF),
        ElemOp::NegF => by_bits!(level, scalar, NegF),
        ElemOp::Sqrt(RN | RoundingMode::Approx, false) => by_float!(level, scalar, Map1, Sqrt),
        ElemOp::Rsqrt(false) => by_float!(level, scalar, Map1, Rsqrt),
        ElemOp::Exp => by_float!(level, scalar, Map1, Exp),
        ElemOp::Exp2(false) => by_float!(level, scalar, Map1, Exp2),
        ElemOp::Log => by_float!(level, scalar, Map1, Log),
        ElemOp::Log2 => by_float!(level, scalar, Map1, Log2),
        ElemOp::Sin => by_float!(level, scalar, Map1, Sin),
        ElemOp::Cos => by_float!(level, scalar, Map1, Cos),
        ElemOp::Tan => by_float!(level, scalar, Map1, Tan),
        ElemOp::Sinh => by_float!(level, scalar, Map1, Sinh),
        ElemOp::Cosh => by_float!(level, scalar, Map1, Cosh),
        ElemOp::Tanh => by_float!(level, scalar, Map1, Tanh),
        ElemOp::AddF(RN, false) => by_float!(level, scalar, Map2, AddF),
        ElemOp::SubF(RN, false) => by_float!(level, scalar, Map2, SubF),
        ElemOp::MulF(RN, false) => by_float!(level, scalar, Map2, MulF),
        ElemOp::DivF(RN | RoundingMode::Approx | RoundingMode::Full, false) => by_float!(level, scalar, Map2, DivF),
        ElemOp::MaxF { propagate_nan: false, ftz: false } => by_float!(level, scalar, Map2, MaxF),
        ElemOp::MinF { propagate_nan: false, ftz: false } => by_float!(level, scalar, Map2, MinF),
        ElemOp::MaxF { propagate_nan: true, ftz: false } => by_float!(level, scalar, Map2, MaxNan),
        ElemOp::MinF { propagate_nan: true, ftz: false } => by_float!(level, scalar, Map2, MinNan),
        // One rounding: the small floats go the exact way.
        ElemOp::Fma(RN, false) => match scalar {
            Scalar::F32 => Some(at::<Fma<f32>>(level)),
            Scalar::F64 => Some(at::<Fma<f64>>(level)),
            _ => None,
        },
        ElemOp::AddI => by_int!(level, scalar, false, Map2, AddI),
        ElemOp::SubI => by_int!(level, scalar, false, Map2, SubI),
        ElemOp::MulI => by_int!(level, scalar, false, Map2, MulI),
        ElemOp::MaxI(signed) => by_int!(level, scalar, signed, Map2, MaxI),
        ElemOp::MinI(signed) => by_int!(level, scalar, signed, Map2, MinI),
        ElemOp::And => by_int!(level, bytes(scalar), false, Map2, And),
        ElemOp::Or => by_int!(level, bytes(scalar), false, Map2, Or),
        ElemOp::Xor => by_int!(level, bytes(scalar), false, Map2, Xor),
        _ => None,
    }
}

/// Functions of [`tilewright_numeric::lanes`], where the compiler would make worse loops of them: with the vectors of the CPU, or emulated.
fn of_lanes(level: Level, op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => with_vectors::<Sixteen>(level, op, scalar),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => with_vectors::<Eight>(level, op, scalar),
        _ if !level.fuses() => emulated(op, scalar),
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
fn with_vectors<V: VectorLanes>(level: Level, op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    macro_rules! by_small_float {
        ($function:ident) => {
            match scalar {
                Scalar::F16 => Some(at::<MapLanes<F16, $function, V>>(level)),
                Scalar::Bf16 => Some(at::<MapLanes<Bf16, $function, V>>(level)),
                Scalar::F32 => Some(at::<MapLanes<f32, $function, V>>(level)),
                _ => None,
            }
        };
    }
    match op {
        ElemOp::Exp => by_small_float!(Exp),
        ElemOp::Exp2(false) => by_small_float!(Exp2),
        ElemOp::Exp2(true) if scalar == Scalar::F32 => Some(at::<MapLanes<f32, Flushed<Exp2>, V>>(level)),
        ElemOp::Tanh => by_small_float!(Tanh),
        _ => None,
    }
}

/// Operations that use fused multiply-adds of f32, for CPUs that have none.
fn emulated(op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    macro_rules! by_small_float {
        ($function:ident) => {
            match scalar {
                Scalar::F16 => Some(portable::<Map1<F16, Emulated<$function>>>()),
                Scalar::Bf16 => Some(portable::<Map1<Bf16, Emulated<$function>>>()),
                Scalar::F32 => Some(portable::<Map1<f32, Emulated<$function>>>()),
                _ => None,
            }
        };
    }
    match op {
        ElemOp::Exp => by_small_float!(Exp),
        ElemOp::Exp2(false) => by_small_float!(Exp2),
        ElemOp::Exp2(true) if scalar == Scalar::F32 => Some(portable::<Map1<f32, Flushed<Emulated<Exp2>>>>()),
        ElemOp::Tanh => by_small_float!(Tanh),
        _ => None,
    }
}

/// Operations on f32 that flush subnormals to zero.
fn flushing(level: Level, op: ElemOp) -> Option<KernelFn> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    Some(match op {
        ElemOp::Sqrt(RN | RoundingMode::Approx, true) => at::<Map1<f32, Flushed<Sqrt>>>(level),
        ElemOp::Rsqrt(true) => at::<Map1<f32, Flushed<Rsqrt>>>(level),
        ElemOp::Exp2(true) => at::<Map1<f32, Flushed<Exp2>>>(level),
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

/// Bitwise operations treat the byte of an `i1` as any other.
fn bytes(scalar: Scalar) -> Scalar {
    if scalar == Scalar::I1 { Scalar::I8 } else { scalar }
}

fn comparison(level: Level, op: ElemOp, src: Scalar) -> Option<KernelFn> {
    use ComparisonPredicate as P;
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

fn conversion(level: Level, op: ElemOp, src: Scalar, dst: Scalar) -> Option<KernelFn> {
    match op {
        ElemOp::ExtI(signed) => extension(level, src, dst, signed),
        ElemOp::TruncI => truncation(level, src, dst),
        ElemOp::IToF(signed) => match dst {
            Scalar::F32 => by_int!(level, src, signed, Convert, f32, As),
            Scalar::F64 => by_int!(level, src, signed, Convert, f64, As),
            _ => None,
        },
        ElemOp::FToI(signed) => float_to_int(level, src, dst, signed),
        ElemOp::FToF(mode) => float_to_float(level, src, dst, mode),
        _ => None,
    }
}

fn extension(level: Level, src: Scalar, dst: Scalar, signed: bool) -> Option<KernelFn> {
    Some(match (src, dst, signed) {
        (Scalar::I8, Scalar::I16, true) => at::<Convert<i8, i16, As>>(level),
        (Scalar::I8, Scalar::I32, true) => at::<Convert<i8, i32, As>>(level),
        (Scalar::I8, Scalar::I64, true) => at::<Convert<i8, i64, As>>(level),
        (Scalar::I16, Scalar::I32, true) => at::<Convert<i16, i32, As>>(level),
        (Scalar::I16, Scalar::I64, true) => at::<Convert<i16, i64, As>>(level),
        (Scalar::I32, Scalar::I64, true) => at::<Convert<i32, i64, As>>(level),
        (Scalar::I1 | Scalar::I8, Scalar::I16, false) => at::<Convert<u8, u16, As>>(level),
        (Scalar::I1 | Scalar::I8, Scalar::I32, false) => at::<Convert<u8, u32, As>>(level),
        (Scalar::I1 | Scalar::I8, Scalar::I64, false) => at::<Convert<u8, u64, As>>(level),
        (Scalar::I16, Scalar::I32, false) => at::<Convert<u16, u32, As>>(level),
        (Scalar::I16, Scalar::I64, false) => at::<Convert<u16, u64, As>>(level),
        (Scalar::I32, Scalar::I64, false) => at::<Convert<u32, u64, As>>(level),
        _ => return None,
    })
}

fn truncation(level: Level, src: Scalar, dst: Scalar) -> Option<KernelFn> {
    Some(match (src, dst) {
        (Scalar::I64, Scalar::I32) => at::<Convert<i64, i32, As>>(level),
        (Scalar::I64, Scalar::I16) => at::<Convert<i64, i16, As>>(level),
        (Scalar::I64, Scalar::I8) => at::<Convert<i64, i8, As>>(level),
        (Scalar::I32, Scalar::I16) => at::<Convert<i32, i16, As>>(level),
        (Scalar::I32, Scalar::I8) => at::<Convert<i32, i8, As>>(level),
        (Scalar::I16, Scalar::I8) => at::<Convert<i16, i8, As>>(level),
        _ => return None,
    })
}

fn float_to_int(level: Level, src: Scalar, dst: Scalar, signed: bool) -> Option<KernelFn> {
    macro_rules! to {
        ($t:ty) => {
            match src {
                Scalar::F16 => Some(at::<Convert<F16, $t, As>>(level)),
                Scalar::Bf16 => Some(at::<Convert<Bf16, $t, As>>(level)),
                Scalar::F32 => Some(at::<Convert<f32, $t, As>>(level)),
                Scalar::F64 => Some(at::<Convert<f64, $t, As>>(level)),
                _ => None,
            }
        };
    }
    match (dst, signed) {
        (Scalar::I8, true) => to!(i8),
        (Scalar::I16, true) => to!(i16),
        (Scalar::I32, true) => to!(i32),
        (Scalar::I64, true) => to!(i64),
        (Scalar::I8, false) => to!(u8),
        (Scalar::I16, false) => to!(u16),
        (Scalar::I32, false) => to!(u32),
        (Scalar::I64, false) => to!(u64),
        _ => None,
    }
}

/// Widens `f16` to `f32`, exactly.
fn widen_f16(level: Level) -> KernelFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => half::widen_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => half::widen_avx2,
        _ => portable::<Convert<F16, f32, As>>(),
    }
}

/// Rounds `f32` to `f16`, to the nearest.
fn narrow_to_f16(level: Level) -> KernelFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => half::narrow_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => half::narrow_avx2,
        _ => portable::<Convert<f32, F16, As>>(),
    }
}

fn float_to_float(level: Level, src: Scalar, dst: Scalar, mode: RoundingMode) -> Option<KernelFn> {
    // Widening is exact in every mode.
    match (src, dst) {
        (Scalar::F16, Scalar::F32) => return Some(widen_f16(level)),
        (Scalar::Bf16, Scalar::F32) => return Some(at::<Convert<Bf16, f32, As>>(level)),
        (Scalar::F8E4M3FN, Scalar::F32) => return Some(at::<Convert<E4m3, f32, As>>(level)),
        (Scalar::F8E5M2, Scalar::F32) => return Some(at::<Convert<E5m2, f32, As>>(level)),
        (Scalar::F32, Scalar::F64) => return Some(at::<Convert<f32, f64, As>>(level)),
        _ => {}
    }
    Some(match (src, dst, mode) {
        (Scalar::F32, Scalar::F16, RoundingMode::NearestEven) => narrow_to_f16(level),
        (Scalar::F32, Scalar::Bf16, RoundingMode::NearestEven) => at::<Convert<f32, Bf16, As>>(level),
        (Scalar::F32, Scalar::F8E4M3FN, RoundingMode::NearestEven) => at::<Convert<f32, E4m3, As>>(level),
        (Scalar::F32, Scalar::F8E5M2, RoundingMode::NearestEven) => at::<Convert<f32, E5m2, As>>(level),
        (Scalar::F64, Scalar::F32, RoundingMode::NearestEven) => at::<Convert<f64, f32, As>>(level),
        _ => return None,
    })
}
