//! `log` and `log2` for [`SingleLanes`].
//!
//! A number is `2^n a (1 + r)`, where `a` is a number of sixteenths from 3/4 to 3/2 and `r` is within 0.042 of zero:
//!
//! ```text
//! log(x) = n ln(2) + log(a) + r - r^2 / 2 + r^3 Q(r)
//! ```
//!
//! The first two terms are floats without error, with what they lack of the logarithm behind them; `r` is exact, and so is `r^2 / 2`, in two
//! floats each. Next to one, where logarithms vanish, the first two terms are zero. So little but the last rounding counts: of all arguments,
//! the largest error of `log` is 0.5008 ulp; of every seventh, that of `log2` is 0.50094.

use super::ordered_sum;
use crate::lanes::{ROUND, SingleLanes};

/// Floats near `1 / a`, for each number of sixteenths modulo 16; these floats are what is exact, so `a` is not quite a number of sixteenths.
#[rustfmt::skip]
const INVERSES: [f32; 16] = [
    1.0, 0.941_176_5, 0.888_888_9, 0.842_105_27, 0.8, 0.761_904_8, 0.727_272_75, 0.695_652_2, 0.666_666_7, 1.0, 1.0, 1.0, 1.333_333_4,
    1.230_769_3, 1.142_857_2, 1.066_666_7,
];

/// `log(a)`: multiples of 2^-16, and what these lack.
#[rustfmt::skip]
const LOGS: [[f32; 16]; 2] = [
    [
        0.0, 0.060_623_17, 0.117_782_59, 0.171_844_48, 0.223_144_53, 0.271_926_88, 0.318_450_93, 0.362_899_78,
        0.405_471_8, 0.0, 0.0, 0.0, -0.287_689_2, -0.207_641_6, -0.133_529_66, -0.064_544_68,
    ],
    [
        0.0, 1.449_145_9e-6, 4.354_323_6e-7, 5.767_054e-6, -9.948_369e-7, 6.816_974_3e-6, 2.773_581_9e-6, 5.694_79e-6,
        -6.723_451e-6, 0.0, 0.0, 0.0, 7.106_73e-6, 2.199_531_3e-6, -1.774_242e-6, 6.104_443e-6,
    ],
];

/// `log2(a)`, as `LOGS`.
#[rustfmt::skip]
const LOGS_2: [[f32; 16]; 2] = [
    [
        0.0, 0.087_463_38, 0.169_921_88, 0.247_924_8, 0.321_929_93, 0.392_318_73, 0.459_426_88, 0.523_559_6,
        0.584_960_94, 0.0, 0.0, 0.0, -0.415_039_06, -0.299_560_55, -0.192_642_21, -0.093_109_13,
    ],
    [
        0.0, -5.430_303_5e-7, 3.115_693_3e-6, 2.698_007_2e-6, -1.858_251e-6, -1.329_679_4e-6, 4.695_759e-6,
        2.358_872_3e-6, 1.520_225_5e-6, 0.0, 0.0, 0.0, 1.520_225_5e-6, 2.112_715_1e-7, -2.930_521_8e-6, -3.487_745e-7,
    ],
];

/// What a positive finite number is made of.
struct Parts<L> {
    /// `n`.
    exponent: L,
    /// The number of sixteenths, in its low bits.
    interval: L,
    /// `log(1 + r)`, rounded, and what that lacks.
    high: L,
    low: L,
}

#[inline(always)]
fn parts<L: SingleLanes>(x: L) -> Parts<L> {
    // (log(1 + r) - r + r^2 / 2) / r^3 for |r| <= 0.0335; a little beyond it matters less, because the logarithm of `a` is larger there.
    const CUBE: [f32; 4] = [0.333_333_25, -0.249_999_9, 0.200_214_13, -0.166_906_39];
    let small = x.is_below(x.splat(f32::MIN_POSITIVE));
    let (n, rest) = L::select(small, x * x.splat(33_554_432.0), x).exponent_and_rest();
    let exponent = L::select(small, n - x.splat(25.0), n);
    let interval = rest + x.splat(ROUND);
    let inverse = interval.pick(&INVERSES);
    // The product is near one, so what it is above that is exact.
    let product = rest * inverse;
    let (r, r_low) = (product - x.splat(1.0), rest.fused(inverse, -product));
    let square = r * r;
    let square_low = r.fused(r, -square);
    let half = x.splat(-0.5);
    let high = square.fused(half, r);
    let high_low = square.fused(half, r - high);
    let cube = r.fused(r.fused(r.fused(x.splat(CUBE[3]), x.splat(CUBE[2])), x.splat(CUBE[1])), x.splat(CUBE[0]));
    let low = (square * r).fused(cube, square_low.fused(half, high_low)) + r_low.fused(square - r, r_low);
    Parts { exponent, interval, high, low }
}

/// The logarithm of what is no positive finite number, or else `log`.
#[inline(always)]
fn special<L: SingleLanes>(x: L, log: L) -> L {
    let (zero, infinity) = (x.splat(0.0), x.splat(f32::INFINITY));
    let log = L::select(x.is_below(infinity), log, infinity);
    // Of NaN, the sum is one.
    let others = L::select(x.is_below(zero), x.splat(f32::NAN), x - infinity);
    L::select(zero.is_below(x), log, others)
}

/// The natural logarithm; -inf at zero, NaN below.
#[inline(always)]
pub fn log<L: SingleLanes>(x: L) -> L {
    // A multiple of 2^-16, and what it lacks.
    const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
    let Parts { exponent, interval, high, low } = parts(x);
    let larger = exponent.fused(x.splat(LN_2[0]), interval.pick(&LOGS[0]));
    let larger_low = exponent.fused(x.splat(LN_2[1]), interval.pick(&LOGS[1]));
    let (sum, rest) = ordered_sum(larger, high);
    special(x, sum + ((rest + low) + larger_low))
}

/// The logarithm to base 2; -inf at zero, NaN below.
#[inline(always)]
pub fn log2<L: SingleLanes>(x: L) -> L {
    const LOG2_E: [f32; 2] = [std::f32::consts::LOG2_E, 1.925_963e-8];
    let Parts { exponent, interval, high, low } = parts(x);
    let product = high * x.splat(LOG2_E[0]);
    let product_low = high.fused(x.splat(LOG2_E[0]), -product);
    let product_low = low.fused(x.splat(LOG2_E[0]), high.fused(x.splat(LOG2_E[1]), product_low));
    let (sum, rest) = ordered_sum(exponent + interval.pick(&LOGS_2[0]), product);
    special(x, sum + ((rest + product_low) + interval.pick(&LOGS_2[1])))
}
