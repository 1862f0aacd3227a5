//! Elementary functions of `f64`, computed with pairs of `f64`.
//!
//! The first terms of each function are pairs, whose rounding errors lie far behind the last place of the result; the rest is a polynomial
//! in `f64`. So little but the last rounding counts: measured errors are below 0.55 ulp. There are no tables and no branches, so that loops
//! over slices become vector code; only angles far from zero take a path of their own.
//!
//! All is done with sums, differences, products, quotients and square roots that are rounded to nearest, and with the exact errors of
//! products: the results are the same for every instruction set.

pub(crate) mod angle;
pub(crate) mod arctangent;
pub(crate) mod exponential;
pub(crate) mod far;
pub(crate) mod logarithm;
pub(crate) mod power;
pub(crate) mod root;

use crate::lanes::{DoubleLanes, WordLanes};

/// `high + low`, not rounded: `low` is about as small as the last place of `high`.
#[derive(Clone, Copy, Debug)]
pub struct Pair<D> {
    /// The number, rounded.
    pub high: D,
    /// What is left.
    pub low: D,
}

const fn pair(high: u64, low: u64) -> Pair<f64> {
    Pair { high: f64::from_bits(high), low: f64::from_bits(low) }
}

const ZERO: Pair<f64> = pair(0, 0);

/// The upper 42 bits of ln(2), so that its multiples are exact, and the rest.
const LN_2: Pair<f64> = pair(0x3FE6_2E42_FEFA_3800, 0x3D2E_F357_93C7_6730);

/// The sum and its rounding error.
#[inline(always)]
pub(crate) fn sum<D: DoubleLanes>(a: D, b: D) -> Pair<D> {
    let high = a + b;
    let part = high - a;
    Pair { high, low: (a - (high - part)) + (b - part) }
}

/// The sum and its rounding error, where `a` is zero or at least as large as `b` in magnitude.
#[inline(always)]
pub(crate) fn ordered_sum<D: DoubleLanes>(a: D, b: D) -> Pair<D> {
    let high = a + b;
    Pair { high, low: b - (high - a) }
}

impl Pair<f64> {
    /// The pair, as many times as there are numbers in `like`.
    #[inline(always)]
    fn splat<D: DoubleLanes>(self, like: D) -> Pair<D> {
        Pair { high: like.splat(self.high), low: like.splat(self.low) }
    }
}

impl<D: DoubleLanes> Pair<D> {
    /// `yes` where the mask holds, else `no`.
    #[inline(always)]
    fn select(mask: D::Mask, yes: Self, no: Self) -> Self {
        Pair { high: D::select(mask, yes.high, no.high), low: D::select(mask, yes.low, no.low) }
    }

    /// The value rounded to `f64`.
    #[inline(always)]
    fn rounded(self) -> D {
        self.high + self.low
    }

    /// `self + low`, where `low` is small beside `self`.
    #[inline(always)]
    fn plus(self, low: D) -> Self {
        ordered_sum(self.high, self.low + low)
    }

    /// `self + rest + low`, where `rest` is small beside `self`, and `low` beside `rest`.
    #[inline(always)]
    fn plus_both(self, rest: D, low: D) -> Self {
        // The sum with the rest is rounded last, and once.
        ordered_sum(self.high, rest + (self.low + low))
    }

    /// The product of two pairs, within some 2^-103 of it.
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        let product = self.high.product(other.high);
        Pair { high: product.high, low: product.low + (self.high * other.low + self.low * other.high) }
    }

    /// The quotient of two pairs.
    #[inline(always)]
    fn over(self, other: Self) -> Self {
        let inverse = other.high.splat(1.0) / other.high;
        let estimate = self.high * inverse;
        let back = estimate.product(other.high);
        let rest = ((self.high - back.high) - back.low) + (self.low - estimate * other.low);
        ordered_sum(estimate, rest * inverse)
    }

    /// The sum of a pair and a number that is zero or at least as large.
    #[inline(always)]
    fn above(self, larger: D) -> Self {
        let sum = ordered_sum(larger, self.high);
        Pair { high: sum.high, low: sum.low + self.low }
    }
}

/// Adding and subtracting it rounds to the nearest integer, which is then in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The nearest integer, as a float and in the low bits of the second value.
#[inline(always)]
pub(crate) fn round<D: DoubleLanes>(x: D) -> (D, D::Words) {
    let shifted = x + ROUND;
    (shifted - ROUND, shifted.words())
}

/// 2 to the power of the integer in the low bits, from -1022 to 1023.
#[inline(always)]
pub(crate) fn power_of_two<W: WordLanes>(n: W) -> W::Floats {
    (n + 1023).left(52).floats()
}

/// A polynomial; coefficients from the constant one on.
#[inline(always)]
pub(crate) fn polynomial<D: DoubleLanes, const N: usize>(x: D, coefficients: [f64; N]) -> D {
    let mut sum = x.splat(coefficients[N - 1]);
    for coefficient in coefficients.into_iter().rev().skip(1) {
        sum = sum * x + coefficient;
    }
    sum
}

/// `x`, at least `low` and at most `high`; NaN stays.
#[inline(always)]
pub(crate) fn between<D: DoubleLanes>(x: D, low: f64, high: f64) -> D {
    x.at_least(low).at_most(high)
}

/// Whether a number of at least zero is an integer; infinity is one.
#[inline(always)]
pub(crate) fn is_integer<D: DoubleLanes>(magnitude: D) -> D::Mask {
    const ALL_ABOVE: f64 = 4_503_599_627_370_496.0;
    let large = magnitude.splat(ALL_ABOVE).is_at_most(magnitude);
    large | ((magnitude + ALL_ABOVE) - ALL_ABOVE).is_equal(magnitude)
}

/// How much a small integer is above another, as a float.
#[inline(always)]
pub(crate) fn integer_above<W: WordLanes<Floats: DoubleLanes>>(n: W, base: f64) -> W::Floats {
    // Put into the low bits of 2^52, from which that is subtracted.
    (n | 0x4330_0000_0000_0000).floats() - (4_503_599_627_370_496.0 + base)
}

/// The exponent of a positive normal number, and the number divided by that power of two: from sqrt(1/2) to sqrt(2).
#[inline(always)]
pub(crate) fn exponent_and_rest<D: DoubleLanes>(x: D) -> (D, D) {
    const SQRT_HALF_BITS: u64 = 0x3FE6_A09E_667F_3BCD;
    // The bias keeps the difference positive, for a shift without sign.
    const BIAS: u64 = 2048;
    let shifted = x.words() + (BIAS << 52).wrapping_sub(SQRT_HALF_BITS);
    let exponent = shifted.right(52);
    let rest = (x.words() - (exponent - BIAS).left(52)).floats();
    (integer_above(exponent, BIAS as f64), rest)
}

#[cfg(test)]
mod tests;
