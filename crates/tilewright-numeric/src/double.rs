//! Elementary functions of `f64`, computed with pairs of `f64`.
//!
//! The first terms of each function are pairs, whose rounding errors lie far behind the last place of the result; the rest is a polynomial
//! in `f64`. So little but the last rounding counts: measured errors are below 0.55 ulp. There are no tables and no branches, so that loops
//! over slices become vector code; only angles far from zero take a path of their own.
//!
//! All is done with sums, differences, products, quotients and square roots that are rounded to nearest, and with [`Products`]: the results
//! are the same for every instruction set.

pub(crate) mod angle;
pub(crate) mod arctangent;
pub(crate) mod exponential;
pub(crate) mod far;
pub(crate) mod logarithm;
pub(crate) mod power;
pub(crate) mod root;

/// `high + low`, not rounded: `low` is about as small as the last place of `high`.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

const fn pair(high: u64, low: u64) -> Pair {
    Pair { high: f64::from_bits(high), low: f64::from_bits(low) }
}

/// The upper 42 bits of ln(2), so that its multiples are exact, and the rest.
const LN_2: Pair = pair(0x3FE6_2E42_FEFA_3800, 0x3D2E_F357_93C7_6730);

/// How products are computed with their rounding errors: exactly, below 2^990 and unless the error is subnormal.
pub(crate) trait Products: Copy {
    fn product(a: f64, b: f64) -> Pair;
}

/// By fused multiply-adds, for CPUs that have them.
#[derive(Clone, Copy)]
pub(crate) struct Fused;

impl Products for Fused {
    #[inline(always)]
    fn product(a: f64, b: f64) -> Pair {
        let high = a * b;
        Pair { high, low: a.mul_add(b, -high) }
    }
}

/// By the products of the halves of both factors (Dekker).
#[derive(Clone, Copy)]
pub(crate) struct Halved;

impl Products for Halved {
    #[inline(always)]
    fn product(a: f64, b: f64) -> Pair {
        let halves = |x: f64| {
            let shifted = x * 134_217_729.0;
            let high = shifted - (shifted - x);
            (high, x - high)
        };
        let (high, (ah, al), (bh, bl)) = (a * b, halves(a), halves(b));
        Pair { high, low: ((ah * bh - high) + ah * bl + al * bh) + al * bl }
    }
}

/// The sum and its rounding error.
#[inline(always)]
fn sum(a: f64, b: f64) -> Pair {
    let high = a + b;
    let part = high - a;
    Pair { high, low: (a - (high - part)) + (b - part) }
}

/// The sum and its rounding error, where `a` is zero or at least as large as `b` in magnitude.
#[inline(always)]
fn ordered_sum(a: f64, b: f64) -> Pair {
    let high = a + b;
    Pair { high, low: b - (high - a) }
}

impl Pair {
    /// The value rounded to `f64`.
    #[inline(always)]
    fn rounded(self) -> f64 {
        self.high + self.low
    }

    /// `self + low`, where `low` is small beside `self`.
    #[inline(always)]
    fn plus(self, low: f64) -> Pair {
        ordered_sum(self.high, self.low + low)
    }

    /// `self + rest + low`, where `rest` is small beside `self`, and `low` beside `rest`.
    #[inline(always)]
    fn plus_both(self, rest: f64, low: f64) -> Pair {
        // The sum with the rest is rounded last, and once.
        ordered_sum(self.high, rest + (self.low + low))
    }

    /// The product of two pairs, within some 2^-103 of it.
    #[inline(always)]
    fn times<P: Products>(self, other: Pair) -> Pair {
        let product = P::product(self.high, other.high);
        Pair { high: product.high, low: product.low + (self.high * other.low + self.low * other.high) }
    }

    /// The quotient of two pairs.
    #[inline(always)]
    fn over<P: Products>(self, other: Pair) -> Pair {
        let inverse = 1.0 / other.high;
        let estimate = self.high * inverse;
        let back = P::product(estimate, other.high);
        let rest = ((self.high - back.high) - back.low) + (self.low - estimate * other.low);
        ordered_sum(estimate, rest * inverse)
    }

    /// The sum of a pair and a number that is zero or at least as large.
    #[inline(always)]
    fn above(self, larger: f64) -> Pair {
        let sum = ordered_sum(larger, self.high);
        Pair { high: sum.high, low: sum.low + self.low }
    }
}

/// Adding and subtracting it rounds to the nearest integer, which is then in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The nearest integer, as a float and in the low bits of the second value.
#[inline(always)]
pub(crate) fn round(x: f64) -> (f64, u64) {
    let shifted = x + ROUND;
    (shifted - ROUND, shifted.to_bits())
}

/// 2 to the power of the integer in the low bits, from -1022 to 1023.
#[inline(always)]
pub(crate) fn power_of_two(n: u64) -> f64 {
    f64::from_bits(n.wrapping_add(1023) << 52)
}

/// A polynomial; coefficients from the constant one on.
#[inline(always)]
pub(crate) fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for coefficient in coefficients.into_iter().rev().skip(1) {
        sum = sum * x + coefficient;
    }
    sum
}

/// `x`, at least `low` and at most `high`; NaN stays.
#[inline(always)]
pub(crate) fn between(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// Whether a number of at least zero is an integer; infinity is one.
#[inline(always)]
pub(crate) fn is_integer(magnitude: f64) -> bool {
    const ALL_ABOVE: f64 = 4_503_599_627_370_496.0;
    (magnitude >= ALL_ABOVE) | ((magnitude + ALL_ABOVE) - ALL_ABOVE == magnitude)
}

/// The exponent of a positive normal number, and the number divided by that power of two: from sqrt(1/2) to sqrt(2).
#[inline(always)]
pub(crate) fn exponent_and_rest(x: f64) -> (f64, f64) {
    const SQRT_HALF_BITS: u64 = 0x3FE6_A09E_667F_3BCD;
    // The bias keeps the difference positive, for a shift without sign.
    const BIAS: u64 = 2048;
    let shifted = x.to_bits().wrapping_sub(SQRT_HALF_BITS).wrapping_add(BIAS << 52);
    let exponent = shifted >> 52;
    let rest = f64::from_bits(x.to_bits().wrapping_sub(exponent.wrapping_sub(BIAS) << 52));
    // A small integer as a float: put it into the low bits of 2^52, and subtract that.
    let n = f64::from_bits(exponent | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + BIAS as f64);
    (n, rest)
}

#[cfg(test)]
mod tests;
