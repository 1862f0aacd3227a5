//! Functions of `f64` that `libm` does not give within their bounds: computed with pairs of `f64`.

pub(crate) mod angle;

/// `high + low`, not rounded: `low` is below half a unit of `high`.
#[derive(Clone, Copy)]
struct Pair {
    high: f64,
    low: f64,
}

/// The sum and its rounding error.
fn sum(a: f64, b: f64) -> Pair {
    let high = a + b;
    let part = high - a;
    Pair { high, low: (a - (high - part)) + (b - part) }
}

/// The product and its rounding error. No overflow below 2^990.
fn product(a: f64, b: f64) -> Pair {
    let halves = |x: f64| {
        let shifted = x * 134_217_729.0;
        let high = shifted - (shifted - x);
        (high, x - high)
    };
    let (high, (ah, al), (bh, bl)) = (a * b, halves(a), halves(b));
    Pair { high, low: ((ah * bh - high) + ah * bl + al * bh) + al * bl }
}

/// The quotient of two pairs.
fn quotient(a: Pair, b: Pair) -> f64 {
    let estimate = a.high / b.high;
    let back = product(estimate, b.high);
    let rest = (a.high - back.high) - back.low + a.low - estimate * b.low;
    estimate + rest / b.high
}

/// `e^r - 1` for `r` of at most `ln(2) / 2`.
fn exp_less_one(r: Pair) -> Pair {
    // r^3 / 3! + r^4 / 4! + ...: so small beside r that f64 will do.
    const INVERSE_FACTORIALS: [f64; 12] = [
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5040.0,
        1.0 / 40320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
        1.0 / 87_178_291_200.0,
    ];
    let x = r.high;
    let rest = INVERSE_FACTORIALS.into_iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient) * (x * x * x);
    let square = product(x, x);
    let first = sum(x, square.high / 2.0);
    let low = first.low + (r.low + square.low / 2.0 + x * r.low + rest);
    sum(first.high, low)
}

/// `tanh`, within 0.6 units in the last place.
pub(crate) fn tanh(x: f64) -> f64 {
    // The upper 42 bits of ln(2), so that multiples are exact, and the rest.
    const LN_2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEFA_3800);
    const LN_2_LOW: f64 = f64::from_bits(0x3D2E_F357_93C7_6730);
    let magnitude = x.abs();
    if magnitude.is_nan() || magnitude < 1.0 / 134_217_728.0 {
        return x;
    }
    if magnitude > 22.0 {
        return 1.0f64.copysign(x);
    }
    // (e^2x - 1) / (e^2x + 1), where e^2x is 2^n e^r.
    let n = (2.0 * magnitude * std::f64::consts::LOG2_E).round();
    let p = exp_less_one(sum(2.0 * magnitude - n * LN_2_HIGH, -n * LN_2_LOW));
    // At most 2^63.
    let scale = (1u64 << n as u32) as f64;
    let above = sum(scale - 1.0, scale * p.high);
    let numerator = sum(above.high, above.low + scale * p.low);
    let below = sum(numerator.high, 2.0);
    let denominator = sum(below.high, below.low + numerator.low);
    quotient(numerator, denominator).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The angle of all `f64` that lies nearest to a multiple of `pi / 2`; values from multiple precision.
    #[test]
    fn the_hardest_angle() {
        let x = 6_381_956_970_095_103.0 * 2f64.powi(797);
        assert_eq!(angle::cos(x), -4.687_165_924_254_628e-19);
        assert_eq!(angle::sin(x), 1.0);
        assert_eq!(angle::tan(-x), 2.133_485_385_753_704e18);
        assert_eq!([angle::sin(1e22), angle::sin(-1e22)], [-0.852_200_849_767_188_8, 0.852_200_849_767_188_8]);
    }

    #[test]
    fn tanh_is_odd_and_ends_at_one() {
        for x in [1e-300, 1e-9, 0.1, 0.5, 1.0, 3.0, 21.9, 22.1, 1e300] {
            assert_eq!(tanh(-x), -tanh(x));
            assert!((tanh(x) - x.tanh()).abs() <= 3e-16 * x.tanh(), "{x}");
        }
        assert_eq!([tanh(f64::INFINITY), tanh(-0.0).recip()], [1.0, f64::NEG_INFINITY]);
        assert!(tanh(f64::NAN).is_nan());
    }
}
