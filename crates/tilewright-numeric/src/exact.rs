//! Arithmetic on exact values: an unpacked sign, exponent and 128-bit significand with a sticky bit.
//!
//! Inputs are `f64` values, which hold every format exactly; the exact result is rounded once to the destination.
//! This is the reference for all formats, and the implementation for `f64` in the modes hardware does not offer.

use crate::format::FloatFormat;
use crate::round::{Exact, Rounding, round_pack};

/// An `f64` taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Class {
    Nan,
    /// `true` if negative.
    Infinite(bool),
    /// `true` if negative.
    Zero(bool),
    Finite(Exact),
}

/// Takes a value apart; a finite one gets a 53-bit or shorter significand.
pub(crate) fn classify(value: f64) -> Class {
    let bits = value.to_bits();
    let negative = bits >> 63 != 0;
    let mantissa = bits & ((1 << 52) - 1);
    match (bits >> 52) & 0x7FF {
        0x7FF if mantissa != 0 => Class::Nan,
        0x7FF => Class::Infinite(negative),
        0 if mantissa == 0 => Class::Zero(negative),
        0 => Class::Finite(whole(negative, mantissa, -1074)),
        field => Class::Finite(whole(negative, mantissa | 1 << 52, field as i32 - 1075)),
    }
}

fn whole(negative: bool, significand: u64, exponent: i32) -> Exact {
    Exact { negative, significand: u128::from(significand), exponent, sticky: false }
}

/// The same number with the leading significand bit at position `top`.
fn normalized(x: Exact, top: u32) -> Exact {
    let shift = top - x.significand.ilog2();
    Exact { significand: x.significand << shift, exponent: x.exponent - shift as i32, ..x }
}

/// An unrounded result.
enum Outcome {
    Nan,
    Infinite(bool),
    Zero(bool),
    /// A zero sum of non-zero or differently signed terms: its sign is the mode's choice.
    Cancelled,
    Finite(Exact),
}

impl Outcome {
    fn pack(self, format: FloatFormat, rounding: Rounding) -> u64 {
        match self {
            Outcome::Nan => format.encode(f64::NAN, rounding),
            Outcome::Infinite(negative) => format.encode(signed(negative, f64::INFINITY), rounding),
            Outcome::Zero(negative) => format.encode(signed(negative, 0.0), rounding),
            Outcome::Cancelled => format.encode(signed(rounding == Rounding::NegativeInf, 0.0), rounding),
            Outcome::Finite(exact) => round_pack(format, exact, rounding),
        }
    }
}

fn signed(negative: bool, magnitude: f64) -> f64 {
    if negative { -magnitude } else { magnitude }
}

/// `a + b` rounded once to `format`.
pub(crate) fn add(format: FloatFormat, a: f64, b: f64, rounding: Rounding) -> u64 {
    add_class(classify(a), classify(b)).pack(format, rounding)
}

/// `a * b` rounded once to `format`.
pub(crate) fn mul(format: FloatFormat, a: f64, b: f64, rounding: Rounding) -> u64 {
    match mul_class(classify(a), classify(b)) {
        Class::Nan => Outcome::Nan,
        Class::Infinite(negative) => Outcome::Infinite(negative),
        Class::Zero(negative) => Outcome::Zero(negative),
        Class::Finite(exact) => Outcome::Finite(exact),
    }
    .pack(format, rounding)
}

/// `a * b + c` rounded once to `format`.
pub(crate) fn fma(format: FloatFormat, a: f64, b: f64, c: f64, rounding: Rounding) -> u64 {
    add_class(mul_class(classify(a), classify(b)), classify(c)).pack(format, rounding)
}

/// `a / b` rounded once to `format`.
pub(crate) fn div(format: FloatFormat, a: f64, b: f64, rounding: Rounding) -> u64 {
    let negative = a.is_sign_negative() != b.is_sign_negative();
    match (classify(a), classify(b)) {
        (Class::Nan, _) | (_, Class::Nan) => Outcome::Nan,
        (Class::Infinite(_), Class::Infinite(_)) | (Class::Zero(_), Class::Zero(_)) => Outcome::Nan,
        (Class::Infinite(_), _) | (_, Class::Zero(_)) => Outcome::Infinite(negative),
        (Class::Zero(_), _) | (_, Class::Infinite(_)) => Outcome::Zero(negative),
        (Class::Finite(x), Class::Finite(y)) => Outcome::Finite(div_finite(x, y)),
    }
    .pack(format, rounding)
}

/// `sqrt(a)` rounded once to `format`.
pub(crate) fn sqrt(format: FloatFormat, a: f64, rounding: Rounding) -> u64 {
    match classify(a) {
        Class::Nan | Class::Infinite(true) => Outcome::Nan,
        Class::Infinite(false) => Outcome::Infinite(false),
        Class::Zero(negative) => Outcome::Zero(negative),
        Class::Finite(x) if x.negative => Outcome::Nan,
        Class::Finite(x) => Outcome::Finite(sqrt_finite(x)),
    }
    .pack(format, rounding)
}

fn mul_class(a: Class, b: Class) -> Class {
    let negative = is_negative(a) != is_negative(b);
    match (a, b) {
        (Class::Nan, _) | (_, Class::Nan) => Class::Nan,
        (Class::Infinite(_), Class::Zero(_)) | (Class::Zero(_), Class::Infinite(_)) => Class::Nan,
        (Class::Infinite(_), _) | (_, Class::Infinite(_)) => Class::Infinite(negative),
        (Class::Zero(_), _) | (_, Class::Zero(_)) => Class::Zero(negative),
        (Class::Finite(x), Class::Finite(y)) => {
            Class::Finite(Exact { negative, significand: x.significand * y.significand, exponent: x.exponent + y.exponent, sticky: false })
        }
    }
}

fn is_negative(c: Class) -> bool {
    match c {
        Class::Nan => false,
        Class::Infinite(negative) | Class::Zero(negative) => negative,
        Class::Finite(x) => x.negative,
    }
}

fn add_class(a: Class, b: Class) -> Outcome {
    match (a, b) {
        (Class::Nan, _) | (_, Class::Nan) => Outcome::Nan,
        (Class::Infinite(x), Class::Infinite(y)) if x != y => Outcome::Nan,
        (Class::Infinite(x), _) | (_, Class::Infinite(x)) => Outcome::Infinite(x),
        (Class::Zero(x), Class::Zero(y)) if x == y => Outcome::Zero(x),
        (Class::Zero(_), Class::Zero(_)) => Outcome::Cancelled,
        (Class::Finite(x), Class::Zero(_)) | (Class::Zero(_), Class::Finite(x)) => Outcome::Finite(x),
        (Class::Finite(x), Class::Finite(y)) => add_finite(x, y),
    }
}

/// Adds numbers of at most 106 significant bits.
///
/// With leading bits at 125 both have 20 zero bits below, so an alignment of up to 20 loses nothing; beyond that at
/// most one leading bit cancels and the sticky bit lies far below any format's precision.
fn add_finite(a: Exact, b: Exact) -> Outcome {
    let (a, b) = (normalized(a, 125), normalized(b, 125));
    let (big, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    let shift = (big.exponent - small.exponent) as u32;
    let (aligned, sticky) = shift_right_sticky(small.significand, shift);
    let significand =
        if big.negative == small.negative { big.significand + aligned } else { big.significand - aligned - u128::from(sticky) };
    if significand == 0 {
        return Outcome::Cancelled;
    }
    Outcome::Finite(Exact { negative: big.negative, significand, exponent: big.exponent, sticky })
}

/// `x >> shift`, and whether a set bit was dropped.
fn shift_right_sticky(x: u128, shift: u32) -> (u128, bool) {
    if shift >= 128 {
        return (0, x != 0);
    }
    let kept = x >> shift;
    (kept, kept << shift != x)
}

/// The quotient of two 53-bit numbers to at least 71 bits.
fn div_finite(a: Exact, b: Exact) -> Exact {
    let (a, b) = (normalized(a, 124), normalized(b, 52));
    Exact {
        negative: a.negative != b.negative,
        significand: a.significand / b.significand,
        exponent: a.exponent - b.exponent,
        sticky: a.significand % b.significand != 0,
    }
}

/// The root of a positive 53-bit number to at least 62 bits.
fn sqrt_finite(x: Exact) -> Exact {
    let x = normalized(x, 124);
    let odd = x.exponent.rem_euclid(2);
    let radicand = x.significand << odd;
    let root = radicand.isqrt();
    Exact { negative: false, significand: root, exponent: (x.exponent - odd) / 2, sticky: root * root != radicand }
}
