//! Correctly rounded `addf`, `subf`, `mulf`, `divf`, `fma` and `sqrt` (SEMANTICS c.3).
//!
//! Every function rounds the exact result once, in the element type, in the given mode. IEEE rules hold for
//! subnormals, infinities, NaN and signed zeros; an exact zero sum of unlike signs is -0 in
//! [`Rounding::NegativeInf`] and +0 otherwise. NaN results are canonical. No function flushes subnormals; for
//! `flush_to_zero` wrap operands and result in [`crate::float::flush_f32`].
//!
//! `f32` and `f64` to nearest use the hardware. The other modes, and all modes of narrower formats, compute in `f64`
//! such that the second rounding is harmless; `f64` itself uses 128-bit integers.

use crate::exact;
use crate::float::{canonical_f32, canonical_f64};
use crate::format::FloatFormat;
use crate::round::Rounding;

/// `a + b` on stored bits of `format`, any format.
pub fn add(format: FloatFormat, a: u64, b: u64, rounding: Rounding) -> u64 {
    let (x, y) = (format.decode(a), format.decode(b));
    match format {
        FloatFormat::F64 => add_f64(x, y, rounding).to_bits(),
        _ => format.encode(add_odd(x, y, rounding), rounding),
    }
}

/// `a - b` on stored bits of `format`, any format.
pub fn sub(format: FloatFormat, a: u64, b: u64, rounding: Rounding) -> u64 {
    let (x, y) = (format.decode(a), format.decode(b));
    match format {
        FloatFormat::F64 => sub_f64(x, y, rounding).to_bits(),
        _ => format.encode(add_odd(x, -y, rounding), rounding),
    }
}

/// `a * b` on stored bits of `format`, any format.
pub fn mul(format: FloatFormat, a: u64, b: u64, rounding: Rounding) -> u64 {
    let (x, y) = (format.decode(a), format.decode(b));
    match format {
        FloatFormat::F64 => mul_f64(x, y, rounding).to_bits(),
        _ => format.encode(x * y, rounding),
    }
}

/// `a / b` on stored bits of `format`, any format.
pub fn div(format: FloatFormat, a: u64, b: u64, rounding: Rounding) -> u64 {
    let (x, y) = (format.decode(a), format.decode(b));
    match format {
        FloatFormat::F64 => div_f64(x, y, rounding).to_bits(),
        _ => format.encode(x / y, rounding),
    }
}

/// `a * b + c` with one rounding, on stored bits of `format`, any format.
pub fn fma(format: FloatFormat, a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let (x, y, z) = (format.decode(a), format.decode(b), format.decode(c));
    match format {
        FloatFormat::F64 => fma_f64(x, y, z, rounding).to_bits(),
        _ => format.encode(add_odd(x * y, z, rounding), rounding),
    }
}

/// The square root on stored bits of `format`, any format; NaN below zero, -0 for -0.
pub fn sqrt(format: FloatFormat, a: u64, rounding: Rounding) -> u64 {
    let x = format.decode(a);
    match format {
        FloatFormat::F64 => sqrt_f64(x, rounding).to_bits(),
        _ => format.encode(x.sqrt(), rounding),
    }
}

macro_rules! half_ops {
    ($format:expr, $what:literal, $add:ident $sub:ident $mul:ident $div:ident $fma:ident $sqrt:ident) => {
        half_ops!(@two $format, concat!("`a + b` on ", $what, " bits."), add, $add);
        half_ops!(@two $format, concat!("`a - b` on ", $what, " bits."), sub, $sub);
        half_ops!(@two $format, concat!("`a * b` on ", $what, " bits."), mul, $mul);
        half_ops!(@two $format, concat!("`a / b` on ", $what, " bits."), div, $div);

        #[doc = concat!("`a * b + c` with one rounding on ", $what, " bits.")]
        pub fn $fma(a: u16, b: u16, c: u16, rounding: Rounding) -> u16 {
            fma($format, a.into(), b.into(), c.into(), rounding) as u16
        }

        #[doc = concat!("Square root on ", $what, " bits.")]
        pub fn $sqrt(a: u16, rounding: Rounding) -> u16 {
            sqrt($format, a.into(), rounding) as u16
        }
    };
    (@two $format:expr, $doc:expr, $op:ident, $name:ident) => {
        #[doc = $doc]
        pub fn $name(a: u16, b: u16, rounding: Rounding) -> u16 {
            $op($format, a.into(), b.into(), rounding) as u16
        }
    };
}

half_ops!(FloatFormat::F16, "f16", add_f16 sub_f16 mul_f16 div_f16 fma_f16 sqrt_f16);
half_ops!(FloatFormat::Bf16, "bf16", add_bf16 sub_bf16 mul_bf16 div_bf16 fma_bf16 sqrt_bf16);

/// `a + b` in `f32`.
#[inline]
pub fn add_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    match rounding {
        Rounding::NearestEven => canonical_f32(a + b),
        _ => to_f32(add_odd(a.into(), b.into(), rounding), rounding),
    }
}

/// `a - b` in `f32`.
#[inline]
pub fn sub_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    add_f32(a, -b, rounding)
}

/// `a * b` in `f32`.
#[inline]
pub fn mul_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    match rounding {
        Rounding::NearestEven => canonical_f32(a * b),
        _ => to_f32(f64::from(a) * f64::from(b), rounding),
    }
}

/// `a / b` in `f32`.
#[inline]
pub fn div_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    match rounding {
        Rounding::NearestEven => canonical_f32(a / b),
        _ => to_f32(f64::from(a) / f64::from(b), rounding),
    }
}

/// `a * b + c` in `f32` with one rounding.
#[inline]
pub fn fma_f32(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    // Not `f32::mul_add`: without an FMA unit it is a slow library call, and this gives the same bits.
    to_f32(add_odd(f64::from(a) * f64::from(b), c.into(), rounding), rounding)
}

/// The square root in `f32`.
#[inline]
pub fn sqrt_f32(a: f32, rounding: Rounding) -> f32 {
    match rounding {
        Rounding::NearestEven => canonical_f32(a.sqrt()),
        _ => to_f32(f64::from(a).sqrt(), rounding),
    }
}

/// `a + b` in `f64`.
pub fn add_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => canonical_f64(a + b),
        _ => f64::from_bits(exact::add(FloatFormat::F64, a, b, rounding)),
    }
}

/// `a - b` in `f64`.
pub fn sub_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    add_f64(a, -b, rounding)
}

/// `a * b` in `f64`.
pub fn mul_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => canonical_f64(a * b),
        _ => f64::from_bits(exact::mul(FloatFormat::F64, a, b, rounding)),
    }
}

/// `a / b` in `f64`.
pub fn div_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => canonical_f64(a / b),
        _ => f64::from_bits(exact::div(FloatFormat::F64, a, b, rounding)),
    }
}

/// `a * b + c` in `f64` with one rounding.
pub fn fma_f64(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => canonical_f64(a.mul_add(b, c)),
        _ => f64::from_bits(exact::fma(FloatFormat::F64, a, b, c, rounding)),
    }
}

/// The square root in `f64`.
pub fn sqrt_f64(a: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => canonical_f64(a.sqrt()),
        _ => f64::from_bits(exact::sqrt(FloatFormat::F64, a, rounding)),
    }
}

#[inline]
fn to_f32(x: f64, rounding: Rounding) -> f32 {
    f32::from_bits(FloatFormat::F32.encode(x, rounding) as u32)
}

// Narrow formats go through `f64`, then round again. Their values have at most 24 significant bits and the exponent
// range of `f32`, so no intermediate `f64` overflows or underflows. The second rounding is harmless because:
//
// - a product is exact in `f64`;
// - a quotient or root that is not itself a boundary of the second rounding (a number of at most 25 bits) is at least
//   2^-51 of its size away from every boundary, so the `f64` nearest to it is on the same side;
// - a sum is rounded to odd: unchanged if it fits `f64`, otherwise the neighbour whose last bit is set. Rounding that
//   once more, in any mode, to a format at least two bits shorter equals rounding the exact sum.

/// `a + b` to odd; also right for `a` an exact product of two such values.
#[inline]
fn add_odd(a: f64, b: f64, rounding: Rounding) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    if sum == 0.0 {
        let like_signs = a.is_sign_negative() == b.is_sign_negative();
        return if rounding == Rounding::NegativeInf && !like_signs { -0.0 } else { sum };
    }
    // Knuth's two-sum: the rounding error of `sum`, exactly.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    to_odd(sum, error)
}

/// `nearest`, the rounded exact value, moved to the odd neighbour if `error` (exact minus nearest; only its sign is
/// used) is not zero.
#[inline]
fn to_odd(nearest: f64, error: f64) -> f64 {
    let bits = nearest.to_bits();
    if error == 0.0 || bits & 1 == 1 {
        return nearest;
    }
    let away_from_zero = (error > 0.0) == (nearest > 0.0);
    f64::from_bits(if away_from_zero { bits + 1 } else { bits - 1 })
}

#[cfg(test)]
mod tests;
