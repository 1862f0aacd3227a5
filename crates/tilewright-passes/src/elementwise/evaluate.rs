//! The result of an elementwise operation on one element, through `tilewright-numeric`.

use super::{ElemOp, direction, predicate};
use crate::elem::Elem;
use tilewright_ir::{ComparisonOrdering, RoundingMode};
use tilewright_numeric::{
    FloatFormat, FloatOrdering, IntRounding, Rounding, arith, bulk, convert, float, from_i64, from_u64, int, math, to_int,
};

/// The result of an operation on one element: bits in, bits out. The types are those that it
/// [accepts](super::accepts); sources that it has not got are not looked at.
#[inline]
pub fn evaluate(op: ElemOp, srcs: &[Elem; 3], dst: Elem, [a, b, c]: [u64; 3]) -> u64 {
    use ElemOp::*;
    let width = srcs[0].bits();
    match op {
        Copy => a,
        Select if a & 1 == 1 => b,
        Select => c,
        AbsI => int::abs(a, width),
        NegI => int::neg(a, width),
        AddI => int::add(a, b, width),
        SubI => int::sub(a, b, width),
        MulI => int::mul(a, b, width),
        MulHi => int::mul_high(a, b, width),
        DivI(signed, rounding) => divide(a, b, width, signed, rounding),
        RemI(signed) => int::rem(a, b, width, signed).unwrap_or(a),
        MaxI(signed) => int::max(a, b, width, signed),
        MinI(signed) => int::min(a, b, width, signed),
        CmpI(p, signed) => int::compare(predicate(p), a, b, width, signed).into(),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => int::shl(a, b, width),
        Shr(signed) => int::shr(a, b, width, signed),
        ExtI(signed) => int::extend(a, width, dst.bits(), signed),
        TruncI => int::truncate(a, dst.bits()),
        Offset(size) => a.wrapping_add(int::sign_extend(b, srcs[1].bits()).cast_unsigned().wrapping_mul(size)),
        // As the vendor's compiler scales (SASS of 13.5).
        OffsetPacked => a.wrapping_add((int::sign_extend(b, srcs[1].bits()) / 2).cast_unsigned()),
        IToF(signed) => int_to_float(a, width, signed, dst),
        FToI(signed) => srcs[0].float().map_or(0, |format| to_int(format.decode(a), dst.bits(), signed)),
        FToF(mode) => float_to_float(a, srcs[0], dst, mode),
        _ => srcs[0].float().map_or(0, |format| float_op(op, format, [a, b, c], srcs[1])),
    }
}

/// Integer division; undefined cases give what the hardware's software routines give: all ones for a zero divisor, the
/// dividend for the one signed quotient that does not fit.
fn divide(a: u64, b: u64, width: u32, signed: bool, rounding: RoundingMode) -> u64 {
    let rounding = match rounding {
        RoundingMode::PositiveInf => IntRounding::PositiveInf,
        RoundingMode::NegativeInf => IntRounding::NegativeInf,
        _ => IntRounding::Zero,
    };
    let undefined = || if int::truncate(b, width) == 0 { int::mask(width) } else { a };
    int::div(a, b, width, signed, rounding).unwrap_or_else(undefined)
}

fn int_to_float(a: u64, width: u32, signed: bool, dst: Elem) -> u64 {
    let Some(format) = dst.float() else { return 0 };
    if signed { from_i64(format, int::sign_extend(a, width), Rounding::NearestEven) } else { from_u64(format, a, Rounding::NearestEven) }
}

fn float_to_float(a: u64, src: Elem, dst: Elem, mode: RoundingMode) -> u64 {
    match (src.float(), dst.float(), direction(mode)) {
        (Some(from), Some(to), Some(rounding)) => convert(from, a, to, rounding),
        _ => 0,
    }
}

fn float_op(op: ElemOp, format: FloatFormat, [a, b, c]: [u64; 3], second: Elem) -> u64 {
    use ElemOp::*;
    let flushed = |ftz: bool, x: u64| if ftz { u64::from(float::flush_f32(f32::from_bits(x as u32)).to_bits()) } else { x };
    let arith2 = |ftz: bool, mode: RoundingMode, f: fn(FloatFormat, u64, u64, Rounding) -> u64| {
        let rounding = direction(mode).unwrap_or(Rounding::NearestEven);
        flushed(ftz, f(format, flushed(ftz, a), flushed(ftz, b), rounding))
    };
    match op {
        AbsF => float::abs(format, a),
        NegF => float::neg(format, a),
        Ceil => float::ceil(format, a),
        Floor => float::floor(format, a),
        AddF(mode, ftz) => arith2(ftz, mode, arith::add),
        SubF(mode, ftz) => arith2(ftz, mode, arith::sub),
        MulF(mode, ftz) => arith2(ftz, mode, arith::mul),
        DivF(mode, ftz) => arith2(ftz, mode, arith::div),
        Fma(mode, ftz) => {
            let rounding = direction(mode).unwrap_or(Rounding::NearestEven);
            flushed(ftz, arith::fma(format, flushed(ftz, a), flushed(ftz, b), flushed(ftz, c), rounding))
        }
        Sqrt(mode, ftz) => flushed(ftz, arith::sqrt(format, flushed(ftz, a), direction(mode).unwrap_or(Rounding::NearestEven))),
        RemF => float::rem(format, a, b),
        MaxF { propagate_nan, ftz } => flushed(ftz, float::maximum(format, flushed(ftz, a), flushed(ftz, b), propagate_nan)),
        MinF { propagate_nan, ftz } => flushed(ftz, float::minimum(format, flushed(ftz, a), flushed(ftz, b), propagate_nan)),
        CmpF(p, ordering) => {
            let ordering = match ordering {
                ComparisonOrdering::Ordered => FloatOrdering::Ordered,
                ComparisonOrdering::Unordered => FloatOrdering::Unordered,
            };
            float::compare(predicate(p), ordering, format.decode(a), format.decode(b)).into()
        }
        _ => math_op(op, format, a, b, second),
    }
}

/// Math functions: in f64 for f64, in f32 for the rest, rounded to nearest.
fn math_op(op: ElemOp, format: FloatFormat, a: u64, b: u64, second: Elem) -> u64 {
    use ElemOp::*;
    let exponent = || int::sign_extend(b, second.bits()) as i32;
    if format == FloatFormat::F64 {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let result = match op {
            PowF => math::pow_f64(x, y),
            PowI => math::powi_f64(x, exponent()),
            Atan2 => math::atan2_f64(x, y),
            _ => unary_f64(op)(x),
        };
        return result.to_bits();
    }
    let wide = |bits: u64| match format {
        FloatFormat::F16 => bulk::f16_to_f32(bits as u16),
        FloatFormat::Bf16 => bulk::bf16_to_f32(bits as u16),
        _ => f32::from_bits(bits as u32),
    };
    let ftz = matches!(op, Exp2(true) | Rsqrt(true));
    let flush = |x: f32| if ftz { float::flush_f32(x) } else { x };
    let x = flush(wide(a));
    let result = flush(match op {
        PowF => math::pow_f32(x, wide(b)),
        PowI => math::powi_f32(x, exponent()),
        Atan2 => math::atan2_f32(x, wide(b)),
        _ => unary_f32(op)(x),
    });
    match format {
        FloatFormat::F16 => bulk::f32_to_f16(result).into(),
        FloatFormat::Bf16 => bulk::f32_to_bf16(result).into(),
        _ => result.to_bits().into(),
    }
}

/// One list of the math functions of one argument, for both precisions.
macro_rules! unary_functions {
    ($($op:pat => $f32:ident $f64:ident,)*) => {
        fn unary_f32(op: ElemOp) -> fn(f32) -> f32 {
            use ElemOp::*;
            match op {
                $($op => math::$f32,)*
                other => unreachable!("{other:?} is no function of one argument"),
            }
        }

        fn unary_f64(op: ElemOp) -> fn(f64) -> f64 {
            use ElemOp::*;
            match op {
                $($op => math::$f64,)*
                other => unreachable!("{other:?} is no function of one argument"),
            }
        }
    };
}

unary_functions! {
    Rsqrt(_) => rsqrt_f32 rsqrt_f64,
    Exp => exp_f32 exp_f64,
    Exp2(_) => exp2_f32 exp2_f64,
    Log => log_f32 log_f64,
    Log2 => log2_f32 log2_f64,
    Sin => sin_f32 sin_f64,
    Cos => cos_f32 cos_f64,
    Tan => tan_f32 tan_f64,
    Sinh => sinh_f32 sinh_f64,
    Cosh => cosh_f32 cosh_f64,
    Tanh => tanh_f32 tanh_f64,
}
