//! `atan2`.

use super::{Pair, Products, ordered_sum, pair, polynomial, sum};

pub(super) const HALF_PI: Pair = pair(0x3FF9_21FB_5444_2D18, 0x3C91_A626_3314_5C07);
const QUARTER_PI: Pair = pair(0x3FE9_21FB_5444_2D18, 0x3C81_A626_3314_5C07);
const ATAN_HALF: Pair = pair(0x3FDD_AC67_0561_BB4F, 0x3C7A_2B7F_222F_65E2);

const ZERO: Pair = Pair { high: 0.0, low: 0.0 };

/// A point, reflected to an angle from 0 to `pi / 4`.
pub(crate) struct Folded {
    /// The coordinates; the tangent of the angle is `a / b`.
    pub(crate) a: f64,
    pub(crate) b: f64,
    /// The angle of the point, upwards, is this one and the reflected one times `sign`.
    pub(crate) start: Pair,
    pub(crate) sign: f64,
}

/// Folds a point of any coordinates but NaN.
#[inline(always)]
pub(crate) fn fold(y: f64, x: f64) -> Folded {
    let [y, left, x] = [y.abs(), x, x.abs()];
    let steep = y > x;
    let (a, b) = if steep { (x, y) } else { (y, x) };
    // Of infinities, those of numbers with the same angle; and none is divided by zero.
    let of_infinity = if a == b { 1.0 } else { 0.0 };
    let a = if b == f64::INFINITY { of_infinity } else { a };
    let b = if (b == f64::INFINITY) | (b == 0.0) { 1.0 } else { b };
    let left = left.is_sign_negative();
    let double = Pair { high: 2.0 * HALF_PI.high, low: 2.0 * HALF_PI.low };
    let start = if left { double } else { ZERO };
    let start = if steep { HALF_PI } else { start };
    Folded { a, b, start, sign: if steep != left { -1.0 } else { 1.0 } }
}

/// Of 0, 1/2 and 1 the tangent that is nearest to `a / b`, and its angle: the tangent of the difference is at most 0.2361.
#[inline(always)]
pub(crate) fn nearest(a: f64, b: f64) -> (f64, Pair) {
    let (tangent, angle) = if a > 0.236_06 * b { (0.5, ATAN_HALF) } else { (0.0, ZERO) };
    if a > 0.7208 * b { (1.0, QUARTER_PI) } else { (tangent, angle) }
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub(crate) fn atan2<P: Products>(y: f64, x: f64) -> f64 {
    // (atan(u) - u) / u^3 in u^2.
    const REST: [f64; 9] = [
        -0.333_333_333_333_333_3,
        0.199_999_999_999_981_05,
        -0.142_857_142_851_398_8,
        0.111_111_110_313_445_1,
        -0.090_909_030_496_561_8,
        0.076_920_370_704_581_37,
        -0.066_592_794_600_378_74,
        0.057_610_165_955_792_984,
        -0.041_443_682_780_246_044,
    ];
    let Folded { a, b, start, sign } = fold(y, x);
    // A small angle is its tangent.
    let quotient = a / b;
    let small = (quotient < 1e-9) & (start.high == 0.0);
    let (a, b) = scaled(a, b);
    let (tangent, base) = nearest(a, b);
    let u = sum(a, -tangent * b).over::<P>(ordered_sum(b, tangent * a));
    let square = u.high * u.high;
    let rest = u.high * square * polynomial(square, REST);
    let angle = ordered_sum(base.high, u.high).plus_both(rest, base.low + u.low);
    let value = ordered_sum(start.high, sign * angle.high).plus(start.low + sign * angle.low).high;
    let value = if small { quotient } else { value };
    if x.is_nan() | y.is_nan() { f64::NAN } else { value.copysign(y) }
}

/// Numbers with the same quotient, of which the larger one is in the range where products are exact.
#[inline(always)]
fn scaled(a: f64, b: f64) -> (f64, f64) {
    const FACTOR: f64 = f64::from_bits((1023 + 600) << 52);
    const LARGE: f64 = f64::from_bits((1023 + 500) << 52);
    const SMALL: f64 = f64::from_bits((1023 - 400) << 52);
    let factor = if b > LARGE { 1.0 / FACTOR } else { 1.0 };
    let factor = if b < SMALL { FACTOR } else { factor };
    (a * factor, b * factor)
}
