//! `atan2`.

use super::{Pair, ZERO, ordered_sum, pair, polynomial, sum};
use crate::lanes::DoubleLanes;

pub(super) const HALF_PI: Pair<f64> = pair(0x3FF9_21FB_5444_2D18, 0x3C91_A626_3314_5C07);
const QUARTER_PI: Pair<f64> = pair(0x3FE9_21FB_5444_2D18, 0x3C81_A626_3314_5C07);
const ATAN_HALF: Pair<f64> = pair(0x3FDD_AC67_0561_BB4F, 0x3C7A_2B7F_222F_65E2);

/// A point, reflected to an angle from 0 to `pi / 4`.
pub(crate) struct Folded<D> {
    /// The coordinates; the tangent of the angle is `a / b`.
    pub(crate) a: D,
    pub(crate) b: D,
    /// The angle of the point, upwards, is this one and the reflected one times `sign`.
    pub(crate) start: Pair<D>,
    pub(crate) sign: D,
}

/// Folds a point of any coordinates but NaN.
#[inline(always)]
pub(crate) fn fold<D: DoubleLanes>(y: D, x: D) -> Folded<D> {
    let (zero, one, infinity) = (x.splat(0.0), x.splat(1.0), x.splat(f64::INFINITY));
    let (y, left, x) = (y.abs(), x.is_negative(), x.abs());
    let steep = x.is_below(y);
    let (a, b) = (D::select(steep, x, y), D::select(steep, y, x));
    // Of infinities, those of numbers with the same angle; and none is divided by zero.
    let infinite = b.is_equal(infinity);
    let a = D::select(infinite, D::select(a.is_equal(b), one, zero), a);
    let b = D::select(infinite | b.is_equal(zero), one, b);
    let double = Pair { high: 2.0 * HALF_PI.high, low: 2.0 * HALF_PI.low };
    let start = Pair::select(left, double.splat(x), ZERO.splat(x));
    let start = Pair::select(steep, HALF_PI.splat(x), start);
    Folded { a, b, start, sign: D::select(steep ^ left, -one, one) }
}

/// Of 0, 1/2 and 1 the tangent that is nearest to `a / b`, and its angle: the tangent of the difference is at most 0.2361.
#[inline(always)]
pub(crate) fn nearest<D: DoubleLanes>(a: D, b: D) -> (D, Pair<D>) {
    let (half, one) = ((b * 0.236_06).is_below(a), (b * 0.7208).is_below(a));
    let tangent = D::select(one, a.splat(1.0), D::select(half, a.splat(0.5), a.splat(0.0)));
    let angle = Pair::select(half, ATAN_HALF.splat(a), ZERO.splat(a));
    (tangent, Pair::select(one, QUARTER_PI.splat(a), angle))
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub fn atan2<D: DoubleLanes>(y: D, x: D) -> D {
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
    let small = quotient.is_below(x.splat(1e-9)) & start.high.is_equal(x.splat(0.0));
    let (a, b) = scaled(a, b);
    let (tangent, base) = nearest(a, b);
    let u = sum(a, -tangent * b).over(ordered_sum(b, tangent * a));
    let square = u.high * u.high;
    let rest = u.high * square * polynomial(square, REST);
    let angle = ordered_sum(base.high, u.high).plus_both(rest, base.low + u.low);
    let value = ordered_sum(start.high, sign * angle.high).plus(start.low + sign * angle.low).high;
    let value = D::select(small, quotient, value);
    D::select(x.is_nan() | y.is_nan(), x.splat(f64::NAN), value.copysign(y))
}

/// Numbers with the same quotient, of which the larger one is in the range where products are exact.
#[inline(always)]
fn scaled<D: DoubleLanes>(a: D, b: D) -> (D, D) {
    const FACTOR: f64 = f64::from_bits((1023 + 600) << 52);
    const LARGE: f64 = f64::from_bits((1023 + 500) << 52);
    const SMALL: f64 = f64::from_bits((1023 - 400) << 52);
    let factor = D::select(b.splat(LARGE).is_below(b), b.splat(1.0 / FACTOR), b.splat(1.0));
    let factor = D::select(b.is_below(b.splat(SMALL)), b.splat(FACTOR), factor);
    (a * factor, b * factor)
}
