//! `exp`, `exp2` and `tanh` in `f32` arithmetic with fused multiply-adds: twice as many numbers to a vector as in `f64`.
//!
//! A fused multiply-add rounds once wherever it is computed, so the result is the same for every instruction set. Small parts are
//! summed before large ones, so that little but the last rounding counts: of all arguments, the largest errors are 0.90 ulp of `exp`,
//! 0.88 of `exp2` and 0.94 of `tanh`.

use super::fused::MultiplyAdd;
use std::f32::consts::{LN_2, LOG2_E};

/// Adding it rounds to the nearest integer, which is then in the low bits; the next nine bits are zero.
const ROUND: f32 = 12_582_912.0;

/// A polynomial; coefficients from the constant one on.
#[inline(always)]
fn polynomial<M: MultiplyAdd>(x: f32, [a, b, c, d, e]: [f32; 5]) -> f32 {
    M::fused(x, M::fused(x, M::fused(x, M::fused(x, e, d), c), b), a)
}

/// `x`, at least `low` and at most `high`; NaN stays.
#[inline(always)]
fn between(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// 2 to the power of the low bits of a number, from -126 to 127.
#[inline(always)]
fn power_of_two(n: u32) -> f32 {
    f32::from_bits((n << 23).wrapping_add(1.0f32.to_bits()))
}

/// `1 + x`, times 2 to the power of the low bits of `shifted`; in two steps, because the power may be behind the range.
#[inline(always)]
fn scaled<M: MultiplyAdd>(x: f32, shifted: f32) -> f32 {
    let n = shifted.to_bits();
    let half = n >> 1;
    let power = power_of_two(half);
    M::fused(x, power, power) * power_of_two(n.wrapping_sub(half))
}

/// `e^x / 2^n - 1`, between -0.3 and 0.42, and a float with `n` in the low bits.
#[inline(always)]
fn exp_reduced<M: MultiplyAdd>(x: f32) -> (f32, f32) {
    // (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
    const EXP: [f32; 5] = [0.499_999_94, 0.166_665_21, 0.041_668_39, 0.008_368_717, 0.001_381_459_9];
    // ln(2) in two parts; the first has 15 bits, so that its multiples are exact.
    const LN_2_HIGH: f32 = 0.693_145_75;
    const LN_2_LOW: f32 = 1.428_606_8e-6;
    let shifted = M::fused(x, LOG2_E, ROUND);
    let n = shifted - ROUND;
    let high = M::fused(n, -LN_2_HIGH, x);
    let r = M::fused(n, -LN_2_LOW, high);
    (high + M::fused(n, -LN_2_LOW, r * r * polynomial::<M>(r, EXP)), shifted)
}

#[inline(always)]
pub(crate) fn exp<M: MultiplyAdd>(x: f32) -> f32 {
    let (above_one, shifted) = exp_reduced::<M>(between(x, -104.0, 89.0));
    scaled::<M>(above_one, shifted)
}

#[inline(always)]
pub(crate) fn exp2<M: MultiplyAdd>(x: f32) -> f32 {
    // ((2^r - 1) / r - ln(2)) / r for |r| <= 1/2.
    const EXP2: [f32; 5] = [0.240_226_48, 0.055_503_62, 0.009_618_526, 0.001_339_018_5, 0.000_153_211_22];
    // ln(2) beyond the float nearest to it.
    const LN_2_REST: f32 = -1.904_654_3e-9;
    let x = between(x, -151.0, 129.0);
    let shifted = x + ROUND;
    let r = x - (shifted - ROUND);
    let above_one = M::fused(r, LN_2, M::fused(r, LN_2_REST, r * r * polynomial::<M>(r, EXP2)));
    scaled::<M>(above_one, shifted)
}

#[inline(always)]
pub(crate) fn tanh<M: MultiplyAdd>(x: f32) -> f32 {
    // (tanh(x) / x - 1) / x^2 in x^2, for |x| <= 1: two coefficients, and the others.
    const FIRST: [f32; 2] = [-0.333_332_96, 0.133_323_45];
    const TANH: [f32; 5] = [-0.053_879_8, 0.021_486_659, -0.007_946_108, 0.002_301_365_6, -0.000_358_452_3];
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    let tail = M::fused(square, M::fused(square, polynomial::<M>(square, TANH), FIRST[1]), FIRST[0]);
    let near = M::fused(magnitude * square, tail, magnitude);
    // 1 - 2 / (e^2x + 1), which is 1 from 10 on.
    let double = 2.0 * magnitude;
    let (above_one, shifted) = exp_reduced::<M>(if double > 20.0 { 20.0 } else { double });
    let power = power_of_two(shifted.to_bits());
    let far = 1.0 - 2.0 / M::fused(above_one, power, power + 1.0);
    (if magnitude <= 1.0 { near } else { far }).copysign(x)
}
