//! Conversions of one value (SEMANTICS c.5): `ftof`, `itof`, `ftoi`, and the two forms of `tf32`.

use crate::format::FloatFormat;
use crate::int;
use crate::round::{Exact, Rounding, round_pack};

/// Converts stored bits from one float format to another with a single rounding.
///
/// See [`FloatFormat::encode`] for NaN, infinity and overflow. A format to itself, `tf32` to `f32` and `bf16` to `f32`
/// copy bits, so NaN payloads stay; every other conversion makes NaN canonical.
pub fn convert(source: FloatFormat, bits: u64, target: FloatFormat, rounding: Rounding) -> u64 {
    match (source, target) {
        (FloatFormat::Tf32, FloatFormat::F32) => bits & 0xFFFF_FFFF,
        (FloatFormat::Bf16, FloatFormat::F32) => (bits & 0xFFFF) << 16,
        _ if source == target => int::truncate(bits, source.storage_bits()),
        _ => target.encode(source.decode(bits), rounding),
    }
}

/// The stored bits of an unsigned integer, rounded once.
///
/// Overflow follows [`FloatFormat::encode`]; zero is +0 (0x00 in `f8E8M0FNU`).
pub fn from_u64(format: FloatFormat, value: u64, rounding: Rounding) -> u64 {
    from_magnitude(format, false, value, rounding)
}

/// The stored bits of a signed integer, rounded once. Narrow integers are sign-extended first.
pub fn from_i64(format: FloatFormat, value: i64, rounding: Rounding) -> u64 {
    from_magnitude(format, value < 0, value.unsigned_abs(), rounding)
}

fn from_magnitude(format: FloatFormat, negative: bool, magnitude: u64, rounding: Rounding) -> u64 {
    if magnitude == 0 {
        return 0;
    }
    let exact = Exact { negative, significand: magnitude.into(), exponent: 0, sticky: false };
    round_pack(format, exact, rounding)
}

/// `ftoi`: truncates toward zero and clamps to the integer range; NaN gives 0.
///
/// `bits` is the integer width, 1 to 64. The result is the two's complement pattern in the low `bits` bits.
///
/// An i1 tells whether the number is not zero, so a NaN gives 1, as does a fraction: this is how NVIDIA's compiler
/// reads `ftoi`, signed or not, saturating or not, and what `astype(bool)` means in Python.
#[inline]
pub fn to_int(value: f64, bits: u32, signed: bool) -> u64 {
    if bits == 1 {
        return u64::from(value != 0.0);
    }
    if signed {
        let top = (int::mask(bits) >> 1) as i64;
        int::truncate((value as i64).clamp(-top - 1, top) as u64, bits)
    } else {
        (value as u64).min(int::mask(bits))
    }
}

/// Whether [`to_int`] is exact up to truncation: not NaN, and the truncated value in range. The checker reports an
/// `ftoi` without `saturating` for which this is false.
pub fn fits_int(value: f64, bits: u32, signed: bool) -> bool {
    let whole = value.trunc();
    let magnitude_bits = if signed { bits.clamp(1, 64) - 1 } else { bits.clamp(1, 64) };
    let limit = crate::format::power_of_two(magnitude_bits as i32);
    let lowest = if signed { -limit } else { 0.0 };
    whole >= lowest && whole < limit
}

/// The 19-bit form of a `tf32` (constants, text) to its 32-bit storage form.
#[inline]
pub const fn tf32_from_19(bits: u32) -> u32 {
    (bits & 0x7_FFFF) << 13
}

/// The 32-bit storage form of a `tf32` to the 19-bit form, dropping the low 13 bits. A NaN stays a NaN.
#[inline]
pub const fn tf32_to_19(bits: u32) -> u32 {
    let kept = bits >> 13;
    let lost_nan = f32::from_bits(bits).is_nan() && kept & 0x3FF == 0;
    if lost_nan { kept | 0x200 } else { kept }
}

/// A stored `tf32` without the 13 low bits, as MMA reads it.
#[inline]
pub const fn tf32_mask(bits: u32) -> u32 {
    bits & !0x1FFF
}
