//! Floats as exact numbers: sign, whole number, power of two. Slow and plain.

use num_bigint::BigUint;
use num_traits::Zero;
use std::cmp::Ordering;
use tilewright_ir::{RoundingMode, Scalar};

/// How a float type stores its numbers (SEMANTICS (b)).
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) exponent: u32,
    pub(crate) mantissa: u32,
    pub(crate) bias: i64,
    sign: bool,
    infinity: bool,
    /// The largest finite number, without sign.
    max: u64,
    /// Numbers that are too large, and infinities, become the largest number.
    pub(crate) saturates: bool,
    /// A NaN, if there is one.
    pub(crate) nan: Option<u64>,
}

/// The format of a float type; tf32 is stored as an f32, and reads as one.
pub(crate) fn format(scalar: Scalar) -> Format {
    let row = |exponent, mantissa, bias, sign, infinity, max, saturates, nan| Format {
        exponent,
        mantissa,
        bias,
        sign,
        infinity,
        max,
        saturates,
        nan,
    };
    match scalar {
        Scalar::F16 => row(5, 10, 15, true, true, 0x7bff, false, Some(0x7e00)),
        Scalar::Bf16 => row(8, 7, 127, true, true, 0x7f7f, false, Some(0x7fc0)),
        Scalar::F32 | Scalar::Tf32 => row(8, 23, 127, true, true, 0x7f7f_ffff, false, Some(0x7fc0_0000)),
        Scalar::F64 => row(11, 52, 1023, true, true, 0x7fef_ffff_ffff_ffff, false, Some(0x7ff8_0000_0000_0000)),
        Scalar::F8E4M3FN => row(4, 3, 7, true, false, 0x7e, true, Some(0x7f)),
        Scalar::F8E5M2 => row(5, 2, 15, true, true, 0x7b, true, Some(0x7f)),
        Scalar::F8E8M0FNU => row(8, 0, 127, false, false, 0xfe, true, Some(0xff)),
        Scalar::F4E2M1FN => row(2, 1, 1, true, false, 0x7, true, None),
        Scalar::Fnv8E5M3FNU => row(5, 3, 15, false, false, 0xfe, true, Some(0xff)),
        other => panic!("{other} is no float type"),
    }
}

/// A number, or what is none.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Nan,
    /// Negative?
    Infinite(bool),
    Finite(Exact),
}

/// `whole * 2^power`, and a bit more if `more`. Zero has a sign.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    pub(crate) negative: bool,
    pub(crate) whole: BigUint,
    pub(crate) power: i64,
    more: bool,
}

/// Bits that a quotient or root is computed to: more than any type has.
const PRECISION: i64 = 200;

impl Exact {
    pub(crate) fn new(negative: bool, whole: impl Into<BigUint>, power: i64) -> Exact {
        Exact { negative, whole: whole.into(), power, more: false }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.whole.is_zero() && !self.more
    }

    /// The whole number in units of `2^power`, which is at most its own power.
    fn at(&self, power: i64) -> BigUint {
        &self.whole << (self.power - power)
    }

    fn compare_magnitude(&self, other: &Exact) -> Ordering {
        let power = self.power.min(other.power);
        self.at(power).cmp(&other.at(power))
    }
}

/// The number that bits stand for.
pub(crate) fn decode(scalar: Scalar, bits: u64) -> Number {
    let f = format(scalar);
    let width = f.exponent + f.mantissa;
    let magnitude = bits & ((1 << width) - 1);
    let negative = f.sign && bits >> width & 1 == 1;
    if magnitude > f.max {
        return if f.infinity && magnitude == f.max + 1 { Number::Infinite(negative) } else { Number::Nan };
    }
    if scalar == Scalar::F8E8M0FNU {
        return Number::Finite(Exact::new(false, 1u32, magnitude as i64 - 127));
    }
    let (field, fraction) = (magnitude >> f.mantissa, magnitude & ((1 << f.mantissa) - 1));
    let hidden = u64::from(field > 0) << f.mantissa;
    Number::Finite(Exact::new(negative, fraction | hidden, field.max(1) as i64 - f.bias - i64::from(f.mantissa)))
}

/// Rounds a number once.
pub(crate) fn encode(scalar: Scalar, number: &Number, mode: RoundingMode) -> u64 {
    let f = format(scalar);
    let place = |negative: bool, magnitude: u64| match (negative, f.sign) {
        (true, true) => magnitude | 1 << (f.exponent + f.mantissa),
        // A type without sign has no negative numbers; of a power of two the sign is dropped.
        (true, false) if scalar != Scalar::F8E8M0FNU => 0,
        _ => magnitude,
    };
    match number {
        Number::Nan => f.nan.unwrap_or(f.max),
        Number::Infinite(negative) => place(*negative, f.max + u64::from(!f.saturates)),
        Number::Finite(exact) if scalar == Scalar::Tf32 => encode_tf32(exact, mode),
        Number::Finite(exact) if exact.is_zero() => place(exact.negative, 0),
        Number::Finite(exact) => place(exact.negative, magnitude(scalar, &f, exact, mode)),
    }
}

/// Rounds to the 10 bits of fraction of a tf32, in the storage of an f32.
fn encode_tf32(exact: &Exact, mode: RoundingMode) -> u64 {
    let narrow = Format { mantissa: 10, max: 0x3_fbff, ..format(Scalar::Tf32) };
    let magnitude = if exact.is_zero() { 0 } else { magnitude(Scalar::Tf32, &narrow, exact, mode) };
    (magnitude | u64::from(exact.negative) << 18) << 13
}

fn magnitude(scalar: Scalar, f: &Format, exact: &Exact, mode: RoundingMode) -> u64 {
    let least = if scalar == Scalar::F8E8M0FNU { -127 } else { 1 - f.bias };
    let leading = exact.whole.bits() as i64 - 1 + exact.power;
    let exponent = leading.max(least);
    let quantum = exponent - i64::from(f.mantissa);
    let shift = quantum - exact.power;
    let kept = if shift <= 0 { &exact.whole << -shift } else { &exact.whole >> shift };
    let kept = u64::try_from(&kept).expect("it was shifted to the width of the type");
    // Which of the places that are cut off are set: the first, and any behind a place.
    let is_half = shift > 0 && exact.whole.bit(shift as u64 - 1);
    let is_below = |place: i64| exact.more || exact.whole.trailing_zeros().is_some_and(|zeros| (zeros as i64) < place);
    let inexact = is_below(shift);
    let against_half = match (is_half, is_below(shift - 1)) {
        (false, _) => Ordering::Less,
        (true, false) => Ordering::Equal,
        (true, true) => Ordering::Greater,
    };
    // The sign of a power of two is ignored, so its directions are those of its magnitude.
    let negative = exact.negative && scalar != Scalar::F8E8M0FNU;
    let up = match mode {
        RoundingMode::NearestEven => against_half.is_gt() || against_half.is_eq() && inexact && kept & 1 == 1,
        RoundingMode::NearestAway => against_half.is_ge() && inexact,
        RoundingMode::PositiveInf => inexact && !negative,
        RoundingMode::NegativeInf => inexact && negative,
        _ => false,
    };
    if scalar == Scalar::F8E8M0FNU {
        return if leading < -127 { 0 } else { ((leading + 127) as u64 + u64::from(up)).min(0xfe) };
    }
    // Numbers of the lowest exponent without a leading bit are subnormal; the carry of rounding moves on to the next exponent.
    let code = (((exponent - least) as u64) << f.mantissa) + kept + u64::from(up);
    if exponent <= least + (f.max >> f.mantissa) as i64 && code <= f.max {
        return code;
    }
    let to_infinity = match mode {
        RoundingMode::NearestEven | RoundingMode::NearestAway => true,
        RoundingMode::PositiveInf => !exact.negative,
        RoundingMode::NegativeInf => exact.negative,
        _ => false,
    };
    f.max + u64::from(to_infinity && !f.saturates)
}

/// `a + b`; `mode` says the sign of a zero that is not the sum of equal zeros.
pub(crate) fn add(a: &Number, b: &Number, mode: RoundingMode) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite(x), Number::Infinite(y)) if x != y => Number::Nan,
        (Number::Infinite(x), _) | (_, Number::Infinite(x)) => Number::Infinite(*x),
        (Number::Finite(x), Number::Finite(y)) => {
            let power = x.power.min(y.power);
            let (p, q) = (x.at(power), y.at(power));
            let cancelled = p == q && x.negative != y.negative;
            let (negative, whole) = match (x.negative == y.negative, p.cmp(&q)) {
                _ if cancelled => (mode == RoundingMode::NegativeInf, BigUint::zero()),
                (true, _) => (x.negative, p + q),
                (false, Ordering::Less) => (y.negative, q - p),
                (false, _) => (x.negative, p - q),
            };
            Number::Finite(Exact::new(negative, whole, power))
        }
    }
}

pub(crate) fn negate(a: &Number) -> Number {
    match a {
        Number::Nan => Number::Nan,
        Number::Infinite(negative) => Number::Infinite(!negative),
        Number::Finite(x) => Number::Finite(Exact { negative: !x.negative, ..x.clone() }),
    }
}

fn negative(a: &Number) -> bool {
    match a {
        Number::Nan => false,
        Number::Infinite(negative) => *negative,
        Number::Finite(x) => x.negative,
    }
}

fn is_zero(a: &Number) -> bool {
    matches!(a, Number::Finite(x) if x.is_zero())
}

pub(crate) fn multiply(a: &Number, b: &Number) -> Number {
    let sign = negative(a) != negative(b);
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite(_), other) | (other, Number::Infinite(_)) if is_zero(other) => Number::Nan,
        (Number::Infinite(_), _) | (_, Number::Infinite(_)) => Number::Infinite(sign),
        (Number::Finite(x), Number::Finite(y)) => Number::Finite(Exact::new(sign, &x.whole * &y.whole, x.power + y.power)),
    }
}

pub(crate) fn divide(a: &Number, b: &Number) -> Number {
    let sign = negative(a) != negative(b);
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) | (Number::Infinite(_), Number::Infinite(_)) => Number::Nan,
        _ if is_zero(a) && is_zero(b) => Number::Nan,
        (Number::Infinite(_), _) => Number::Infinite(sign),
        (_, Number::Infinite(_)) => Number::Finite(Exact::new(sign, 0u32, 0)),
        _ if is_zero(b) => Number::Infinite(sign),
        (Number::Finite(x), Number::Finite(y)) => {
            let whole = (&x.whole << PRECISION) / &y.whole;
            let more = &whole * &y.whole != &x.whole << PRECISION;
            Number::Finite(Exact { negative: sign, whole, power: x.power - y.power - PRECISION, more })
        }
    }
}

pub(crate) fn square_root(a: &Number) -> Number {
    match a {
        Number::Nan | Number::Infinite(true) => Number::Nan,
        Number::Infinite(false) => Number::Infinite(false),
        Number::Finite(x) if x.is_zero() => a.clone(),
        Number::Finite(x) if x.negative => Number::Nan,
        Number::Finite(x) => {
            let power = (x.power - 2 * PRECISION).div_euclid(2) * 2;
            let square = x.at(power);
            let whole = square.sqrt();
            let more = &whole * &whole != square;
            Number::Finite(Exact { negative: false, whole, power: power / 2, more })
        }
    }
}

/// The remainder of the truncated quotient, with the sign of `a`.
pub(crate) fn remainder(a: &Number, b: &Number) -> Number {
    match (a, b) {
        (Number::Nan | Number::Infinite(_), _) | (_, Number::Nan) => Number::Nan,
        (Number::Finite(_), Number::Infinite(_)) => a.clone(),
        (_, Number::Finite(y)) if y.is_zero() => Number::Nan,
        (Number::Finite(x), Number::Finite(y)) => {
            let power = x.power.min(y.power);
            Number::Finite(Exact::new(x.negative, x.at(power) % y.at(power), power))
        }
    }
}

/// The whole number below (`up`: above) a number.
pub(crate) fn to_integral(a: &Number, up: bool) -> Number {
    let Number::Finite(x) = a else { return a.clone() };
    if x.power >= 0 {
        return a.clone();
    }
    let kept = &x.whole >> -x.power;
    let inexact = (&kept << -x.power) != x.whole;
    let away = inexact && x.negative != up;
    Number::Finite(Exact::new(x.negative, kept + u32::from(away), 0))
}

/// How two numbers compare; zeros are equal.
pub(crate) fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    let turned = |negative: bool, order: Ordering| if negative { order.reverse() } else { order };
    Some(match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => return None,
        _ if is_zero(a) && is_zero(b) => Ordering::Equal,
        _ if is_zero(a) => turned(negative(b), Ordering::Less),
        _ if is_zero(b) || negative(a) != negative(b) => turned(negative(a), Ordering::Greater),
        (Number::Infinite(_), Number::Infinite(_)) => Ordering::Equal,
        (Number::Infinite(sign), _) => turned(*sign, Ordering::Greater),
        (_, Number::Infinite(sign)) => turned(*sign, Ordering::Less),
        (Number::Finite(x), Number::Finite(y)) => turned(x.negative, x.compare_magnitude(y)),
    })
}

/// Toward zero, and into the range of an integer type; 0 for what is no number.
pub(crate) fn to_int(a: &Number, bits: u32, signed: bool) -> i128 {
    if bits == 1 {
        return i128::from(!is_zero(a));
    }
    let (low, high) = if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    match a {
        Number::Nan => 0,
        Number::Infinite(negative) => {
            if *negative {
                low
            } else {
                high
            }
        }
        Number::Finite(x) => {
            let whole = if x.power >= 0 { &x.whole << x.power } else { &x.whole >> -x.power };
            let magnitude = i128::try_from(&whole).unwrap_or(i128::MAX);
            (if x.negative { -magnitude } else { magnitude }).clamp(low, high)
        }
    }
}

/// An integer as a number.
pub(crate) fn from_int(value: i128) -> Number {
    Number::Finite(Exact::new(value < 0, value.unsigned_abs(), 0))
}

/// The number that bits stand for, as the nearest host number.
pub(crate) fn decode_to_f64(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F64 => f64::from_bits(bits),
        Scalar::F32 => f32::from_bits(bits as u32).into(),
        _ => to_f64(&decode(scalar, bits)),
    }
}

/// The nearest f64, as a host number.
pub(crate) fn to_f64(a: &Number) -> f64 {
    // Most are numbers of a type: few digits, and no exponent that is out of reach.
    if let Number::Finite(Exact { negative, whole, power: power @ -1000..=900, more: false }) = a
        && whole.bits() <= 53
    {
        let magnitude = whole.iter_u64_digits().next().unwrap_or(0) as f64 * f64::from_bits(((power + 1023) as u64) << 52);
        return if *negative { -magnitude } else { magnitude };
    }
    f64::from_bits(encode(Scalar::F64, a, RoundingMode::NearestEven))
}
