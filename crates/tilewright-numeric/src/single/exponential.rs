//! `exp`, `exp2` and `tanh` for [`Lanes`].
//!
//! Small parts are summed before large ones, and polynomials are short, because their coefficients or what they are multiplied with are
//! looked up in tables. So little but the last rounding counts: of all arguments, the largest error of each function is 0.79 ulp.

use crate::lanes::{EIGHTHS, Lanes};
use std::f32::consts::{LN_2, SQRT_2};

/// 2 to the power of `k / 8`, twice: [`Lanes::pick`] looks at four bits, of which the last three are that many eighths.
const POWERS: [f32; 16] = twice([1.0, 1.090_507_7, 1.189_207_1, 1.296_839_6, SQRT_2, 1.542_210_8, 1.681_792_9, 1.834_008_1]);

/// What they lack of the exact powers, for each of their units.
#[rustfmt::skip]
const POWERS_REST: [f32; 16] = twice([
    0.0, -1.199_215_75e-8, 3.193_418e-8, -3.099_072e-8, 1.711_427_1e-8, 5.233_334e-9, -1.471_960_5e-8, -6.128_259_7e-9,
]);

/// A table of eight as one of sixteen, which vectors of eight lanes look up in one step.
const fn twice(table: [f32; 8]) -> [f32; 16] {
    let [a, b, c, d, e, f, g, h] = table;
    [a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h]
}

/// The binary logarithm of what is surely rounded to 0. Some CPUs take a hundred cycles for each product between 2^-160 and the smallest normal number;
/// what is smaller costs them nothing, and there is much of it, as masks of a softmax make all smaller.
const UNDERFLOW: f32 = -162.0;

/// `1 + x`, times 2 to the power of an eighth of the integer in the low bits of `shifted`.
#[inline(always)]
fn times_power<L: Lanes>(x: L, shifted: L) -> L {
    let power = shifted.pick(&POWERS);
    power.fused(x + shifted.pick(&POWERS_REST), power).scaled(shifted)
}

/// `x`, at least `low` and at most `high`; NaN stays.
#[inline(always)]
fn between<L: Lanes>(x: L, low: f32, high: f32) -> L {
    x.at_least(x.splat(low)).at_most(x.splat(high))
}

/// e to the power `x`; overflow to +inf, underflow to 0.
#[inline(always)]
pub fn exp<L: Lanes>(x: L) -> L {
    // ln(2) in two parts; the first has 12 bits, so that the multiples of its eighth are exact.
    const HIGH: f32 = 0.693_115_23;
    const LOW: f32 = 3.194_618_4e-5;
    // (e^r - 1 - r) / r^2 for |r| <= ln(2) / 16.
    const EXP: [f32; 3] = [0.5, 0.166_680_3, 0.041_660_407];
    let x = between(x, UNDERFLOW * LN_2, 89.0);
    let shifted = x.fused(x.splat(1.0 / LN_2), x.splat(EIGHTHS));
    let n = shifted - x.splat(EIGHTHS);
    let r = n.fused(x.splat(-LOW), n.fused(x.splat(-HIGH), x));
    let rest = r.fused(r.fused(x.splat(EXP[2]), x.splat(EXP[1])), x.splat(EXP[0]));
    times_power((r * r).fused(rest, r), shifted)
}

/// 2 to the power `x`; overflow to +inf, underflow to 0.
#[inline(always)]
pub fn exp2<L: Lanes>(x: L) -> L {
    // (2^r - 1) / r for |r| <= 1/16.
    const EXP2: [f32; 4] = [LN_2, 0.240_226_5, 0.055_510_6, 0.009_617_648];
    let x = between(x, UNDERFLOW, 129.0);
    let shifted = x + x.splat(EIGHTHS);
    let r = x - (shifted - x.splat(EIGHTHS));
    let upper = r.fused(r.fused(x.splat(EXP2[3]), x.splat(EXP2[2])), x.splat(EXP2[1]));
    times_power(r * r.fused(upper, x.splat(EXP2[0])), shifted)
}

/// The hyperbolic tangent.
///
/// The magnitude plus one lies in one of 16 intervals, four from each power of two to the next. In each, the tangent is a polynomial in
/// the distance `t` to a number near its middle, chosen so that its tangent is nearly a float. In the first it is 0, and the tangent
/// nearly `t`.
#[inline(always)]
pub fn tanh<L: Lanes>(x: L) -> L {
    // The tables begin with the interval from 1 to 1.5; the last four intervals are those below 1. From 9 on, all is 1.
    #[rustfmt::skip]
    const MIDDLE: [f32; 16] = [
        1.249_711_9, 1.749_765, 2.249_577_3, 2.749_523, 3.500_586_5, 4.500_294, 5.498_580_5, 6.498_972, 8.122_139, 10.0, 12.0,
        14.0, 0.0, 0.375_086_07, 0.625_106_63, 0.875_142,
    ];
    // The tangent of the middle.
    #[rustfmt::skip]
    const TANH: [f32; 16] = [
        0.848_202_8, 0.941_348_8, 0.978_007_73, 0.991_852, 0.998_180_03, 0.999_753_36, 0.999_966_5, 0.999_995_47, 0.999_999_8, 1.0,
        1.0, 1.0, 0.0, 0.358_432_4, 0.554_673_55, 0.703_977_2,
    ];
    // (tanh(middle + t) - tanh(middle)) / t; in the first interval (tanh(t) - t) / t.
    #[rustfmt::skip]
    const SLOPE: [[f32; 16]; 6] = [
        [0.280_551_85, 0.113_862_4, 0.043_500_87, 0.016_229_64, 0.003_636_692, 0.000_493_237_34, 6.699_592_6e-5, 9.060_08e-6,
         3.525_814_2e-7, 0.0, 0.0, 0.0, 0.0, 0.871_526_2, 0.692_337_3, 0.504_416_05],
        [-0.237_964_99, -0.107_184_22, -0.042_544_18, -0.016_097_398, -0.003_630_053, -0.000_493_112_84, -6.699_315_4e-5,
         -9.059_975e-6, -3.188_581_3e-7, 0.0, 0.0, 0.0, -1.097_321_6e-6, -0.312_383_3, -0.384_021_13, -0.355_097_44],
        [0.108_340_5, 0.062_950_25, 0.027_108_582, 0.010_556_051, 0.002_408_960_8, 0.000_328_237_8, 4.461_176_6e-5, 6.033_500_5e-6,
         2.344_212_1e-7, 0.0, 0.0, 0.0, -0.333_270_2, -0.178_536, -0.017_782_643, 0.081_844_13],
        [-0.012_557_24, -0.023_528_986, -0.012_331_592, -0.005_104_576, -0.001_195_901_2, -0.000_163_978_68, -2.230_832_3e-5,
         -3.017_325_3e-6, -1.837_979_1e-7, 0.0, 0.0, 0.0, -0.001_183_753_7, 0.168_134, 0.137_857_87, 0.060_757_61],
        [-0.019_715_607, 0.003_480_388_8, 0.003_979_099, 0.001_915_781_8, 0.000_489_700_6, 6.824_21e-5, 9.303_909e-6,
         1.258_843_8e-6, 5.043_841_6e-8, 0.0, 0.0, 0.0, 0.143_084_44, 0.018_610_753, -0.054_145_37, -0.058_767_814],
        [0.015_101_735, 0.002_102_316_8, -0.000_715_997_6, -0.000_545_379_07, -0.000_157_677_5, -2.260_611_8e-5, -3.084_381e-6,
         -4.178_622e-7, 1.391_161_3e-8, 0.0, 0.0, 0.0, -0.036_977_313, -0.069_878_47, -0.023_597_777, 0.012_773_282],
    ];
    // Tangents of larger numbers are 1.
    let magnitude = x.abs().at_most(x.splat(9.5));
    let interval = (magnitude + x.splat(1.0)).upper_bits();
    let t = magnitude - interval.pick(&MIDDLE);
    let [a, b, c, d, e, f] = &SLOPE;
    let upper = t.fused(t.fused(interval.pick(f), interval.pick(e)), interval.pick(d));
    let slope = t.fused(t.fused(t.fused(upper, interval.pick(c)), interval.pick(b)), interval.pick(a));
    // `t` is the larger one in the first interval, and only there.
    t.fused(slope, t.at_least(interval.pick(&TANH))).copysign(x)
}
