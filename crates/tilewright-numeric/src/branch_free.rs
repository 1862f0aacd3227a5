//! Arithmetic and rounding without branches, for loops that compilers turn into vector code.
//!
//! Every function gives the bits of its counterpart in [`arith`](crate::arith), [`convert`](mod@crate::convert) or
//! [`float`](crate::float), but for the payload of a NaN, on all operands or on those that a function beside it, named `takes_...`, accepts.
//!
//! Two means serve most of them. The error of a rounded result, found exactly (Knuth, Dekker; Muller et al., Handbook of Floating-Point
//! Arithmetic, chapter 4), says to which neighbour a directed mode moves it. And a number that is *rounded to odd*, to the
//! neighbour whose last bit is set unless it fits, can be rounded once more, in any mode, to a format at least two bits
//! shorter, as if it had not been rounded before.

use crate::Rounding;

/// A direction of rounding: whether magnitudes grow, by their sign; else they are truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    positive_grow: bool,
    negative_grow: bool,
}

impl Direction {
    /// The direction of a mode that has one.
    pub const fn of(rounding: Rounding) -> Option<Direction> {
        match rounding {
            Rounding::Zero => Some(Direction::new(false, false)),
            Rounding::PositiveInf => Some(Direction::new(true, false)),
            Rounding::NegativeInf => Some(Direction::new(false, true)),
            Rounding::NearestEven | Rounding::NearestAway => None,
        }
    }

    const fn new(positive_grow: bool, negative_grow: bool) -> Direction {
        Direction { positive_grow, negative_grow }
    }

    /// Whether magnitudes of this sign grow.
    #[inline(always)]
    fn grows(self, negative: bool) -> bool {
        if negative { self.negative_grow } else { self.positive_grow }
    }

    /// Whether a sum that is exactly zero, of terms with different signs, is -0.
    #[inline(always)]
    fn cancels_to_negative(self) -> bool {
        self.negative_grow
    }
}

/// The `f32` that is nearest to a number, or, if that is not the number itself, the neighbour that is odd.
#[inline(always)]
pub fn f64_to_f32_odd(x: f64) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    let moved = if back.abs() > x.abs() { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
    f32::from_bits(if (back != x) & (bits & 1 == 0) { moved } else { bits })
}

/// `f64` to `f32` in a direction.
#[inline(always)]
pub fn f64_to_f32(x: f64, direction: Direction) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest).abs();
    let bits = nearest.to_bits();
    let outward = bits.wrapping_add(u32::from(back < x.abs()));
    let inward = bits.wrapping_sub(u32::from(back > x.abs()));
    f32::from_bits(if direction.grows(x.is_sign_negative()) { outward } else { inward })
}

/// Declares conversions of wide integers to `f32`, rounded to odd.
macro_rules! integers_to_odd {
    ($($name:ident $t:ty;)*) => {$(
        #[doc = concat!("`", stringify!($t), "` to `f32`, rounded to odd.")]
        #[inline(always)]
        pub fn $name(x: $t) -> f32 {
            // A number of more than 53 bits becomes a multiple of 2^11, odd if bits were lost: `f64` holds that exactly.
            const LOW: $t = 0x7ff;
            let short = (x & !LOW) | (((x & LOW) != 0) as $t) << 11;
            let fits = ((x >> 53) == 0) | ((x >> 53) == (0 as $t).wrapping_sub(1));
            f64_to_f32_odd((if fits { x } else { short }) as f64)
        }
    )*};
}
integers_to_odd! {
    i64_to_f32_odd i64;
    u64_to_f32_odd u64;
}

/// The error of a sum: what the exact one has more than `sum`. NaN if the sum is not finite.
#[inline(always)]
fn error_of_sum(a: f64, b: f64, sum: f64) -> f64 {
    let b_part = sum - a;
    (a - (sum - b_part)) + (b - b_part)
}

/// `a + b` of numbers of `f32`, or of products of two of them, rounded to odd. `direction`: that of the rounding to come, which decides
/// the sign of a zero.
#[inline(always)]
pub fn add_odd(a: f64, b: f64, direction: Option<Direction>) -> f64 {
    let sum = a + b;
    let error = error_of_sum(a, b, sum);
    let bits = sum.to_bits();
    let moved = if (error > 0.0) == (sum > 0.0) { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let odd = f64::from_bits(if ((error > 0.0) | (error < 0.0)) & (bits & 1 == 0) { moved } else { bits });
    match direction {
        Some(direction) => signed_zero(odd, a, b, direction),
        None => odd,
    }
}

/// A sum of two terms whose zero has the sign that the direction asks for.
#[inline(always)]
fn signed_zero(sum: f64, a: f64, b: f64, direction: Direction) -> f64 {
    let cancels = (sum == 0.0) & ((a.to_bits() ^ b.to_bits()) >> 63 == 1);
    if cancels & direction.cancels_to_negative() { -0.0 } else { sum }
}

/// `a * b + c` of numbers of `f16`, as an `f32` rounded to odd: nearest to it in `f16` is what is nearest to the exact result.
#[inline(always)]
pub fn fma_f16_odd(a: f32, b: f32, c: f32) -> f32 {
    // Products of numbers of 11 bits fit, and none is below 2^-48, so nothing underflows.
    let product = a * b;
    let sum = product + c;
    let c_part = sum - product;
    let error = (product - (sum - c_part)) + (c - c_part);
    let bits = sum.to_bits();
    let moved = if (error > 0.0) == (sum > 0.0) { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f32::from_bits(if ((error > 0.0) | (error < 0.0)) & (bits & 1 == 0) { moved } else { bits })
}

/// `a * b + c` of numbers of `f32`, rounded to odd.
#[inline(always)]
pub fn fma_f32_odd(a: f32, b: f32, c: f32) -> f32 {
    f64_to_f32_odd(add_odd(f64::from(a) * f64::from(b), c.into(), None))
}

/// What is nearest to an exact number, moved in a direction; of `error`, the exact number less the nearest one, the sign counts.
#[inline(always)]
fn directed(nearest: f64, error: f64, direction: Direction) -> f64 {
    let bits = nearest.to_bits();
    let negative = nearest.is_sign_negative();
    let (above, below) = (error > 0.0, error < 0.0);
    let outward = bits.wrapping_add(u64::from(if negative { below } else { above }));
    let inward = bits.wrapping_sub(u64::from(if negative { above } else { below }));
    f64::from_bits(if direction.grows(negative) { outward } else { inward })
}

/// Below this, errors of products may be too small for an `f64`.
const SMALL: f64 = f64::from_bits((1023 - 900) << 52);
/// Above this, results may be too large.
const LARGE: f64 = f64::from_bits((1023 + 1000) << 52);

#[inline(always)]
fn is_moderate(x: f64) -> bool {
    (x.abs() >= SMALL) & (x.abs() <= LARGE)
}

#[inline(always)]
fn is_zero_or_not_finite(x: f64) -> bool {
    // NaN is not less than anything.
    (x == 0.0) | !x.is_finite()
}

/// `a + b` in `f64` in a direction.
#[inline(always)]
pub fn add_f64(a: f64, b: f64, direction: Direction) -> f64 {
    let sum = a + b;
    signed_zero(directed(sum, error_of_sum(a, b, sum), direction), a, b, direction)
}

/// Whether [`add_f64`] takes operands: no step overflows, unless an operand is infinite.
#[inline(always)]
pub fn takes_add_f64(a: f64, b: f64) -> bool {
    (a.abs() <= LARGE) & (b.abs() <= LARGE) | !a.is_finite() | !b.is_finite()
}

/// `a * b` in `f64` in a direction.
#[inline(always)]
pub fn mul_f64(a: f64, b: f64, direction: Direction) -> f64 {
    let product = a * b;
    directed(product, a.mul_add(b, -product), direction)
}

/// Whether [`mul_f64`] takes operands: the product neither overflows nor is so small that its error is lost.
#[inline(always)]
pub fn takes_mul_f64(a: f64, b: f64) -> bool {
    is_moderate(a * b) | is_zero_or_not_finite(a) | is_zero_or_not_finite(b)
}

/// `a / b` in `f64` in a direction.
#[inline(always)]
pub fn div_f64(a: f64, b: f64, direction: Direction) -> f64 {
    let quotient = a / b;
    let rest = (-quotient).mul_add(b, a);
    directed(quotient, if b.is_sign_negative() { -rest } else { rest }, direction)
}

/// Whether [`div_f64`] takes operands; see [`takes_mul_f64`].
#[inline(always)]
pub fn takes_div_f64(a: f64, b: f64) -> bool {
    is_moderate(a / b) & (a.abs() >= SMALL) | is_zero_or_not_finite(a) | is_zero_or_not_finite(b)
}

/// The square root in `f64` in a direction.
#[inline(always)]
pub fn sqrt_f64(a: f64, direction: Direction) -> f64 {
    let root = a.sqrt();
    directed(root, (-root).mul_add(root, a), direction)
}

/// Whether [`sqrt_f64`] takes an operand; see [`takes_mul_f64`].
#[inline(always)]
pub fn takes_sqrt_f64(a: f64) -> bool {
    (a.abs() >= SMALL) | a.is_nan() | (a == 0.0)
}

/// `a * b + c` in `f64` in a direction.
#[inline(always)]
pub fn fma_f64(a: f64, b: f64, c: f64, direction: Direction) -> f64 {
    let nearest = a.mul_add(b, c);
    // The error as three numbers, by Boldo and Muller ("Exact and approximated error of the FMA"); the sign is that of the larger two's sum.
    let product = a * b;
    let product_error = a.mul_add(b, -product);
    let low = c + product_error;
    let low_error = error_of_sum(c, product_error, low);
    let high = product + low;
    let high_error = error_of_sum(product, low, high);
    let error = ((high - nearest) + high_error) + low_error;
    signed_zero(directed(nearest, error, direction), product, c, direction)
}

/// Whether [`fma_f64`] takes operands; see [`takes_mul_f64`].
#[inline(always)]
pub fn takes_fma_f64(a: f64, b: f64, c: f64) -> bool {
    let product = a * b;
    let exact = (a == 0.0) | (b == 0.0);
    (is_moderate(product) | exact & (product == 0.0)) & (c.abs() <= LARGE)
}

/// `remf` of `f64`.
#[inline(always)]
pub fn rem_f64(a: f64, b: f64) -> f64 {
    // The quotient is off by one at most, so the rest is a multiple of the divisor's last bit, not above the divisor, and exact.
    let rest = (-(a / b).trunc()).mul_add(b, a);
    let too_far = (rest != 0.0) & (rest.is_sign_negative() != a.is_sign_negative());
    let rest = if too_far { rest + b.abs().copysign(a) } else { rest };
    let within = a.abs() < b.abs();
    if within { a } else { rest.copysign(a) }
}

/// Whether [`rem_f64`] takes operands: the quotient is short enough, and the divisor's last bit is no subnormal.
#[inline(always)]
pub fn takes_rem_f64(a: f64, b: f64) -> bool {
    const QUOTIENTS: f64 = (1u64 << 51) as f64;
    (a.abs() < b.abs()) | (b.abs() >= SMALL) & (a.abs() <= LARGE) & ((a / b).abs() < QUOTIENTS)
}

/// `remf` of numbers of `f32`.
#[inline(always)]
pub fn rem_f32(a: f32, b: f32) -> f32 {
    let (x, y) = (f64::from(a), f64::from(b));
    // Products of 29 bits and 24 are exact in `f64`.
    let rest = x - (x / y).trunc() * y;
    let too_far = (rest != 0.0) & (rest.is_sign_negative() != x.is_sign_negative());
    let rest = if too_far { rest + y.abs().copysign(x) } else { rest };
    let within = x.abs() < y.abs();
    if within { a } else { rest.copysign(x) as f32 }
}

/// Whether [`rem_f32`] takes operands: the quotient is short enough.
#[inline(always)]
pub fn takes_rem_f32(a: f32, b: f32) -> bool {
    const QUOTIENTS: f64 = (1u64 << 28) as f64;
    (f64::from(a) / f64::from(b)).abs() < QUOTIENTS
}

/// The magnitude of a number in a format with `MANTISSA` stored bits, bias `BIAS` and infinities, in a direction. For a NaN, anything.
#[inline(always)]
fn narrow<const MANTISSA: u32, const BIAS: u32>(value: f32, direction: Direction) -> u32 {
    let magnitude = value.to_bits() & 0x7fff_ffff;
    let grows = direction.grows(value.is_sign_negative());
    let field = magnitude >> 23;
    // The exponent of a subnormal is that of the smallest normal number, without the hidden bit.
    let (first, least) = (field.max(1), 128 - BIAS);
    let significand = magnitude & 0x7f_ffff | u32::from(field > 0) << 23;
    let shift = 23 - MANTISSA + least.saturating_sub(first);
    let shift = shift.min(31);
    let added = if grows { (1 << shift) - 1 } else { 0 };
    // The hidden bit adds one to the exponent field.
    let code = ((significand + added) >> shift) + (first.saturating_sub(least) << MANTISSA);
    let infinity = (2 * BIAS + 1) << MANTISSA;
    let limit = if grows { infinity } else { infinity - 1 };
    if field == 0xff { infinity } else { code.min(limit) }
}

/// `f32` to `f16` bits in a direction; NaN to 0x7FFF.
#[inline(always)]
pub fn f32_to_f16(value: f32, direction: Direction) -> u16 {
    let code = (value.to_bits() >> 16 & 0x8000) | narrow::<10, 15>(value, direction);
    (if value.is_nan() { 0x7fff } else { code }) as u16
}

/// `f32` to `bf16` bits in a direction; NaN to 0x7FFF.
#[inline(always)]
pub fn f32_to_bf16(value: f32, direction: Direction) -> u16 {
    let added = if direction.grows(value.is_sign_negative()) { 0xffff } else { 0 };
    let code = value.to_bits().wrapping_add(added) >> 16;
    (if value.is_nan() { 0x7fff } else { code }) as u16
}

/// `f32` to `tf32` with 13 zeros at the end, after `added` was added to its magnitude's bits.
#[inline(always)]
fn tf32(value: f32, added: u32) -> u32 {
    let code = value.to_bits().wrapping_add(added) & !0x1fff;
    if value.is_nan() { 0x7fc0_0000 } else { code }
}

/// `f32` to `tf32` bits, nearest even.
#[inline(always)]
pub fn f32_to_tf32(value: f32) -> u32 {
    tf32(value, 0xfff + (value.to_bits() >> 13 & 1))
}

/// `f32` to `tf32` bits, to nearest, ties away from zero.
#[inline(always)]
pub fn f32_to_tf32_away(value: f32) -> u32 {
    tf32(value, 0x1000)
}

/// `f32` to `tf32` bits, toward zero.
#[inline(always)]
pub fn f32_to_tf32_zero(value: f32) -> u32 {
    tf32(value, 0)
}

/// `f32` to an `f8E8M0FNU` code: of a magnitude's bits to which `added` was added, and of a magnitude below the normal ones, whether it
/// becomes 2^-126.
#[inline(always)]
fn e8m0(value: f32, added: u32, subnormal: bool) -> u8 {
    let magnitude = value.to_bits() & 0x7fff_ffff;
    let code = (magnitude + added) >> 23;
    let code = if magnitude < 1 << 23 { u32::from(subnormal) } else { code.min(0xfe) };
    (if value.is_nan() { 0xff } else { code }) as u8
}

/// `f32` to `f8E8M0FNU` bits, nearest even.
#[inline(always)]
pub fn f32_to_e8m0(value: f32) -> u8 {
    let magnitude = value.to_bits() & 0x7fff_ffff;
    e8m0(value, 0x3f_ffff + (magnitude >> 23 & 1), magnitude > 0x60_0000)
}

/// `f32` to `f8E8M0FNU` bits, toward zero.
#[inline(always)]
pub fn f32_to_e8m0_zero(value: f32) -> u8 {
    e8m0(value, 0, false)
}

/// `f32` to `f8E8M0FNU` bits, away from zero: toward positive infinity, as the format has no sign.
#[inline(always)]
pub fn f32_to_e8m0_up(value: f32) -> u8 {
    e8m0(value, 0x7f_ffff, value.to_bits() & 0x7fff_ffff > 0x40_0000)
}

#[cfg(test)]
mod tests;
