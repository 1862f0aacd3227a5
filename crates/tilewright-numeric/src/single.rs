//! Elementary functions of `f32`, as polynomials in `f64`; those that kernels use most, in `f32` ([`angle`],
//! [`exponential`], [`logarithm`], [`root`]).
//!
//! Every function has one path, with selections instead of branches, so that loops over slices become vector code; only angles far from
//! zero take a path of their own. Those in `f64` use no fused operations: the result is the same for every instruction set. They take
//! numbers of `f32`, and what they give is to be rounded to `f32`. Polynomials in `f64` are within 10^-10 of the function, relative, on the
//! reduced range, so that results are correctly rounded but for few arguments that lie next to the middle of two floats.

pub(crate) mod angle;
pub(crate) mod exponential;
pub(crate) mod logarithm;
pub(crate) mod root;

use crate::{
    double::{
        angle as wide_angle,
        arctangent::{Folded, fold, nearest},
        between, exponent_and_rest, polynomial,
        power::special,
        power_of_two, round,
    },
    lanes::{DoubleLanes, Lanes},
};
use std::f64::consts::{LN_2, LOG2_E};

/// The sum and its rounding error, where `a` is zero or at least as large as `b` in magnitude.
#[inline(always)]
fn ordered_sum<L: Lanes>(a: L, b: L) -> (L, L) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// e to the power `x`, in the range of `f32` with room to spare.
#[inline(always)]
fn exp_wide<D: DoubleLanes>(x: D) -> D {
    // e^r for |r| <= ln(2) / 2.
    const EXP: [f64; 8] = [
        0.999_999_999_961_681_9,
        1.000_000_000_243_106_4,
        0.500_000_010_453_587_2,
        0.166_666_651_260_879_93,
        0.041_666_225_426_327_87,
        0.008_333_561_098_986_437,
        0.001_394_818_327_304_398,
        0.000_197_751_669_347_376_16,
    ];
    let x = between(x, -200.0, 200.0);
    let (n, bits) = round(x * LOG2_E);
    polynomial(x - n * LN_2, EXP) * power_of_two(bits)
}

/// Sine and cosine of the angle minus the nearest multiple of a right angle, and the low bits of that multiple.
#[inline(always)]
fn quadrant<D: DoubleLanes>(x: D) -> (D, D, D::Words) {
    // A right angle in two parts; the first has 33 bits, so that its multiples are exact.
    const RIGHT_HIGH: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
    const RIGHT_LOW: f64 = f64::from_bits(0x3DD0_B461_1A62_6331);
    // sin(r) / r and cos(r) in r^2, for |r| <= pi / 4.
    const SIN: [f64; 5] = [
        0.999_999_999_995_446_1,
        -0.166_666_666_304_170_54,
        0.008_333_328_687_351_78,
        -0.000_198_391_775_151_782_33,
        2.717_145_068_397_174e-6,
    ];
    const COS: [f64; 6] = [
        0.999_999_999_999_934_3,
        -0.499_999_999_992_693_4,
        0.041_666_666_533_477_33,
        -0.001_388_887_992_613_943_6,
        2.479_884_297_564_709_3e-5,
        -2.716_791_135_663_638_4e-7,
    ];
    let (n, bits) = round(x * std::f64::consts::FRAC_2_PI);
    let r = (x - n * RIGHT_HIGH) - n * RIGHT_LOW;
    let square = r * r;
    (r * polynomial(square, SIN), polynomial(square, COS), bits)
}

/// The tangent of an angle that is near ([`is_near`](crate::double::angle::is_near)).
#[inline(always)]
pub(crate) fn tan_near<D: DoubleLanes>(x: D) -> D {
    let (sin, cos, n) = quadrant(x);
    let even = wide_angle::is_even(n);
    D::select(even, sin, -cos) / D::select(even, cos, sin)
}

/// The tangent.
#[inline(always)]
pub fn tan<D: DoubleLanes>(x: D) -> D {
    wide_angle::or_far(x, tan_near(x), wide_angle::tan_far)
}

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh<D: DoubleLanes>(x: D) -> D {
    // sinh(x) / x in x^2, for |x| <= 1.
    const SINH: [f64; 5] = [
        1.000_000_000_045_978,
        0.166_666_664_302_469_24,
        0.008_333_352_592_906_2,
        0.000_198_358_124_469_252_22,
        2.818_523_949_062_656_5e-6,
    ];
    let power = exp_wide(x);
    let far = (power - x.splat(1.0) / power) * 0.5;
    D::select(x.splat(1.0).is_below(x.abs()), far, x * polynomial(x * x, SINH))
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<D: DoubleLanes>(x: D) -> D {
    let power = exp_wide(x);
    (power + x.splat(1.0) / power) * 0.5
}

/// C's `pow`; the exponent is one of `f32` or an integer of 32 bits.
#[inline(always)]
pub fn pow<D: DoubleLanes>(x: D, y: D) -> D {
    // (2 atanh(s) - 2 s) / s^3 in s^2: the result is as often off as the logarithm is large.
    const LOG: [f64; 6] = [
        0.666_666_666_666_620_3,
        0.400_000_000_112_985_53,
        0.285_714_241_108_242_56,
        0.222_228_651_383_576_1,
        0.181_400_733_521_712_1,
        0.166_235_830_402_286_46,
    ];
    // Larger exponents give 0, 1 and infinity, too.
    let exponent = between(y, -1e20, 1e20);
    let (n, rest) = exponent_and_rest(x.abs());
    let s = (rest - 1.0) / (rest + 1.0);
    let log = n * LN_2 + (s * 2.0 + s * (s * s) * polynomial(s * s, LOG));
    special(x, y, exp_wide(exponent * log))
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub fn atan2<D: DoubleLanes>(y: D, x: D) -> D {
    // atan(u) / u in u^2.
    const ATAN: [f64; 6] = [
        0.999_999_999_999_037_3,
        -0.333_333_332_083_313_34,
        0.199_999_736_597_796_76,
        -0.142_836_785_525_317_26,
        0.110_395_673_559_620_63,
        -0.079_144_272_079_563_88,
    ];
    let Folded { a, b, start, sign } = fold(y, x);
    let (tangent, base) = nearest(a, b);
    let u = (a - tangent * b) / (b + tangent * a);
    let angle = start.high + sign * (base.high + u * polynomial(u * u, ATAN));
    D::select(x.is_nan() | y.is_nan(), x.splat(f64::NAN), angle.copysign(y))
}
