//! Rounding modes, and the one place where an exact value is rounded to a format.

use crate::format::FloatFormat;

/// A rounding mode of Tile IR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to the even encoding (`nearest_even`, RN).
    #[default]
    NearestEven,
    /// Toward zero (`zero`, RZ).
    Zero,
    /// Toward negative infinity (`negative_inf`, RM).
    NegativeInf,
    /// Toward positive infinity (`positive_inf`, RP).
    PositiveInf,
    /// To nearest, ties away from zero (`nearest_away`, RNA).
    NearestAway,
}

impl Rounding {
    /// Every mode.
    pub const ALL: [Rounding; 5] =
        [Rounding::NearestEven, Rounding::Zero, Rounding::NegativeInf, Rounding::PositiveInf, Rounding::NearestAway];

    /// Whether a magnitude whose truncation left `rest` is rounded up; `odd` is the truncated encoding's last bit.
    fn increments(self, negative: bool, odd: bool, rest: Rest) -> bool {
        match self {
            Rounding::NearestEven => rest == Rest::AboveHalf || (rest == Rest::Half && odd),
            Rounding::NearestAway => rest >= Rest::Half,
            Rounding::Zero => false,
            Rounding::NegativeInf => negative && rest != Rest::Zero,
            Rounding::PositiveInf => !negative && rest != Rest::Zero,
        }
    }

    /// Whether a finite value beyond the largest finite one becomes infinite in a format that has infinities.
    fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::Zero => false,
            Rounding::NegativeInf => negative,
            Rounding::PositiveInf => !negative,
        }
    }
}

/// What truncation dropped, in units of the last kept bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    Zero,
    BelowHalf,
    Half,
    AboveHalf,
}

/// A finite non-zero number: magnitude `(significand + fraction) * 2^exponent`, where `fraction` is 0, or somewhere in
/// (0, 1) when `sticky`.
///
/// Invariants: `0 < significand < 2^127`; when `sticky`, the significand has at least 56 bits, two more than any
/// format's precision, so that the fraction can only break ties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    pub(crate) negative: bool,
    pub(crate) significand: u128,
    pub(crate) exponent: i32,
    pub(crate) sticky: bool,
}

impl Exact {
    /// Exponent of the leading bit: the magnitude is in `[2^e, 2^(e+1))`.
    fn leading_exponent(&self) -> i32 {
        self.exponent + self.significand.ilog2() as i32
    }

    /// The magnitude in units of `2^quantum`: whole part and what is left.
    fn split(&self, quantum: i32) -> (u64, Rest) {
        let shift = quantum - self.exponent;
        if shift <= 0 {
            let rest = if self.sticky { Rest::BelowHalf } else { Rest::Zero };
            return ((self.significand << -shift) as u64, rest);
        }
        if shift >= 128 {
            return (0, Rest::BelowHalf);
        }
        let whole = (self.significand >> shift) as u64;
        let dropped = self.significand & ((1u128 << shift) - 1);
        (whole, rest_of(dropped, 1u128 << (shift - 1), self.sticky))
    }
}

fn rest_of(dropped: u128, half: u128, sticky: bool) -> Rest {
    match dropped.cmp(&half) {
        std::cmp::Ordering::Greater => Rest::AboveHalf,
        std::cmp::Ordering::Equal if sticky => Rest::AboveHalf,
        std::cmp::Ordering::Equal => Rest::Half,
        std::cmp::Ordering::Less if dropped == 0 && !sticky => Rest::Zero,
        std::cmp::Ordering::Less => Rest::BelowHalf,
    }
}

/// Rounds `value` once to `format` and returns the bits, with the format's overflow and sign rules.
pub(crate) fn round_pack(format: FloatFormat, value: Exact, rounding: Rounding) -> u64 {
    if format == FloatFormat::F8E8M0FNU {
        return round_pack_e8m0(value, rounding);
    }
    if value.negative && !format.has_sign() {
        return 0;
    }
    let mantissa_bits = format.mantissa_bits();
    let exponent = value.leading_exponent().max(format.min_exponent());
    if exponent > format.max_exponent() {
        return overflow(format, value.negative, rounding);
    }
    let (whole, rest) = value.split(exponent - mantissa_bits as i32);
    let up = rounding.increments(value.negative, whole & 1 == 1, rest);
    // A normal `whole` carries the hidden bit, which adds one to the exponent field below; a subnormal one does not.
    let field = (exponent - format.min_exponent()) as u64;
    let magnitude = (field << mantissa_bits) + whole + u64::from(up);
    if magnitude > format.max_finite_magnitude() {
        return overflow(format, value.negative, rounding);
    }
    format.place(value.negative, magnitude)
}

/// `f8E8M0FNU`: powers of two only, sign ignored, no zero; modes act on the magnitude (SEMANTICS c.5).
fn round_pack_e8m0(value: Exact, rounding: Rounding) -> u64 {
    let exponent = value.leading_exponent();
    if exponent < -127 {
        return 0;
    }
    if exponent > 127 {
        return 0xFE;
    }
    let (_, rest) = value.split(exponent);
    let code = (exponent + 127) as u64;
    let up = rounding.increments(false, code & 1 == 1, rest);
    (code + u64::from(up)).min(0xFE)
}

fn overflow(format: FloatFormat, negative: bool, rounding: Rounding) -> u64 {
    let to_infinity = !format.saturates() && rounding.overflows_to_infinity(negative);
    let magnitude = format.max_finite_magnitude() + u64::from(to_infinity);
    format.place(negative, magnitude)
}
