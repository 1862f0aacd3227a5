//! `exp`, `exp2` and the hyperbolic functions.

use super::{LN_2, Pair, between, ordered_sum, pair, polynomial, power_of_two, round, sum};
use crate::lanes::{DoubleLanes, WordLanes};
use std::f64::consts::LOG2_E;

/// `e^r - 1` for `r` of at most `ln(2) / 2`.
#[inline(always)]
fn exp_less_one<D: DoubleLanes>(r: Pair<D>) -> Pair<D> {
    // (e^r - 1 - r - r^2 / 2) / r^3.
    const REST: [f64; 10] = [
        0.166_666_666_666_666_69,
        0.041_666_666_666_666_66,
        0.008_333_333_333_328_884,
        0.001_388_888_888_889_661,
        0.000_198_412_698_665_784_02,
        2.480_158_728_807_754_6e-5,
        2.755_726_455_247_118_6e-6,
        2.755_731_457_289_482_4e-7,
        2.510_182_986_063_059e-8,
        2.089_969_919_849_808_4e-9,
    ];
    let x = r.high;
    let square = x.product(x);
    let rest = x * square.high * polynomial(x, REST);
    let first = ordered_sum(x, square.high * 0.5);
    first.plus_both(rest, (r.low + x * r.low) + square.low * 0.5)
}

/// An integer from -1080 to 1030, and its bits as [`round`] gives them.
type Power<D> = (D, <D as DoubleLanes>::Words);

/// `value`, from 0.7 to 1.42, times 2 to the power of `n`, rounded once: also where that is subnormal.
#[inline(always)]
fn scaled<D: DoubleLanes>(value: Pair<D>, (n, bits): Power<D>) -> D {
    // Together with this number, the value has its last place where the subnormal product has it.
    let bound = D::select(n.is_below(n.splat(-1021.5)), n.splat(0.5), n.splat(0.0));
    let last = power_of_two(bits.splat((-1022i64).cast_unsigned()) - bits);
    let bound = D::select(n.is_below(n.splat(-1022.5)), last, bound);
    let sum = bound + value.high;
    let rest = (bound - sum) + value.high + value.low;
    let rounded = (sum + rest) - bound;
    // In two steps, because the power may be behind the range.
    let (_, half) = round(n * 0.5);
    rounded * power_of_two(half) * power_of_two(bits - half)
}

/// `x` less the nearest multiple of ln(2), and which one that is, where `x` may be as large as it likes.
#[inline(always)]
fn reduced<D: DoubleLanes>(x: D) -> (Pair<D>, Power<D>) {
    let x = between(x, -746.0, 710.0);
    let power = round(x * LOG2_E);
    (sum(x - power.0 * LN_2.high, power.0 * -LN_2.low), power)
}

/// e to the power `x + low`, where `low` is small.
#[inline(always)]
pub(super) fn exp_of_pair<D: DoubleLanes>(x: D, low: D) -> D {
    let (r, power) = reduced(x);
    scaled(exp_less_one(r.plus(low)).above(x.splat(1.0)), power)
}

/// e to the power `x`.
#[inline(always)]
pub fn exp<D: DoubleLanes>(x: D) -> D {
    let (r, power) = reduced(x);
    scaled(exp_less_one(r).above(x.splat(1.0)), power)
}

/// 2 to the power `x`.
#[inline(always)]
pub fn exp2<D: DoubleLanes>(x: D) -> D {
    const LN_2: Pair<f64> = pair(0x3FE6_2E42_FEFA_39EF, 0x3C7A_BC9E_3B39_803F);
    let x = between(x, -1076.0, 1025.0);
    let power = round(x);
    let r = Pair { high: x - power.0, low: x.splat(0.0) }.times(LN_2.splat(x));
    scaled(exp_less_one(r).above(x.splat(1.0)), power)
}

/// The parts of `e^x = 2^n (1 + p)`, for `x` from 0 on.
#[inline(always)]
fn parts<D: DoubleLanes>(x: D) -> (Power<D>, Pair<D>) {
    let power = round(x * LOG2_E);
    let r = sum(x - power.0 * LN_2.high, power.0 * -LN_2.low);
    (power, exp_less_one(r))
}

/// 2 to the power of `-factor * n`, where that matters beside 1.
#[inline(always)]
fn inverse_power<D: DoubleLanes>(n: D, factor: f64) -> D {
    power_of_two(round(n.at_most(64.0) * -factor).1)
}

/// `1 + x + p`, for `x` from -1 to 1; if it is -1, for any small `p`.
#[inline(always)]
fn beside_one<D: DoubleLanes>(p: Pair<D>, x: D) -> Pair<D> {
    let one = ordered_sum(x.splat(1.0), x);
    let sum = p.above(one.high);
    Pair { high: sum.high, low: sum.low + one.low }
}

/// `sinh`; with `e^x = 2^n (1 + p)`, the double of it is `2^n ((1 + p) - 4^-n / (1 + p))`.
#[inline(always)]
pub fn sinh<D: DoubleLanes>(x: D) -> D {
    let (power, p) = parts(between(x.abs(), 0.0, 712.0));
    let inverse = inverse_power(power.0, 2.0);
    // 1 - 4^-n / (1 + p); nothing cancels for n = 0.
    let second = beside_one(p, -inverse).over(p.above(x.splat(1.0)));
    let double = sum(p.high, second.high);
    let double = double.plus(p.low + second.low);
    // Too large a power comes with the sum, which is of about 1 then.
    let (_, half) = round(power.0 * 0.5);
    let value = double.high * 0.5 * power_of_two(half) * power_of_two(power.1 - half);
    value.copysign(x)
}

/// `cosh`; see [`sinh`].
#[inline(always)]
pub fn cosh<D: DoubleLanes>(x: D) -> D {
    let (power, p) = parts(between(x.abs(), 0.0, 712.0));
    let above = p.above(x.splat(1.0));
    let inverse = inverse_power(power.0, 2.0);
    let second = Pair { high: inverse, low: x.splat(0.0) }.over(above);
    let double = sum(above.high, second.high);
    let double = double.plus(above.low + second.low);
    let (_, half) = round(power.0 * 0.5);
    double.high * 0.5 * power_of_two(half) * power_of_two(power.1 - half)
}

/// `tanh`: with `e^2x = 2^n (1 + p)`, it is `(1 - 2^-n + p) / (1 + 2^-n + p)`.
#[inline(always)]
pub fn tanh<D: DoubleLanes>(x: D) -> D {
    // From 19.1 on, all is 1.
    let (power, p) = parts(between(x.abs(), 0.0, 22.0) * 2.0);
    let inverse = inverse_power(power.0, 1.0);
    let value = beside_one(p, -inverse).over(beside_one(p, inverse));
    value.high.copysign(x)
}
