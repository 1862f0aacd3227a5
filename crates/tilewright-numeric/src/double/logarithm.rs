//! `log` and `log2`.

use super::{LN_2, Pair, exponent_and_rest, ordered_sum, pair, polynomial};
use crate::lanes::DoubleLanes;

// log((1 + s) / (1 - s)) = 2 s + s^3 (2/3 + 2/5 s^2 + REST(s^2) s^4).
const THIRD: Pair<f64> = pair(0x3FE5_5555_5555_5555, 0x3C85_5555_5555_5555);
const FIFTH: Pair<f64> = pair(0x3FD9_9999_9999_999A, 0xBC79_9999_9999_999A);
const REST: [f64; 8] = [
    0.285_714_285_714_285_7,
    0.222_222_222_222_247_55,
    0.181_818_181_806_358_25,
    0.153_846_156_327_747_04,
    0.133_333_056_987_713_08,
    0.117_664_501_417_451_86,
    0.104_638_237_924_814_08,
    0.106_994_553_010_066_12,
];

/// For a positive finite number `n` and `s`, with which it is 2 to the power of `n` times `(1 + s) / (1 - s)`; that is from sqrt(1/2) to
/// sqrt(2).
#[inline(always)]
fn parts<D: DoubleLanes>(x: D) -> (D, Pair<D>) {
    let small = x.is_below(x.splat(f64::MIN_POSITIVE));
    let (n, rest) = exponent_and_rest(D::select(small, x * 18_014_398_509_481_984.0, x));
    let n = D::select(small, n - 54.0, n);
    let f = rest - 1.0;
    (n, Pair { high: f, low: x.splat(0.0) }.over(ordered_sum(x.splat(2.0), f)))
}

/// The logarithm of `(1 + s) / (1 - s)`, within 2^-57 of it.
#[inline(always)]
fn log_of_rest<D: DoubleLanes>(s: Pair<D>) -> Pair<D> {
    let square = s.high * s.high;
    let factor = (polynomial(square, REST) * square + FIFTH.high) * square + THIRD.high;
    ordered_sum(s.high * 2.0, s.high * square * factor).plus(s.low * 2.0)
}

/// The same, within 2^-68.
#[inline(always)]
fn precise_log_of_rest<D: DoubleLanes>(s: Pair<D>) -> Pair<D> {
    let square = s.times(s);
    let fifth = ordered_sum(s.high.splat(FIFTH.high), square.high * polynomial(square.high, REST));
    let fifth = Pair { high: fifth.high, low: fifth.low + FIFTH.low };
    let third = square.times(fifth).above(s.high.splat(THIRD.high));
    let third = Pair { high: third.high, low: third.low + THIRD.low };
    let higher = s.times(square).times(third);
    ordered_sum(s.high * 2.0, higher.high).plus(s.low * 2.0 + higher.low)
}

/// The sum of a multiple of ln(2) and another logarithm.
#[inline(always)]
fn with_exponent<D: DoubleLanes>(n: D, rest: Pair<D>) -> Pair<D> {
    rest.above(n * LN_2.high).plus(n * LN_2.low)
}

/// The logarithm of a positive finite number, within 2^-68 of it.
#[inline(always)]
pub(super) fn precise_log<D: DoubleLanes>(x: D) -> Pair<D> {
    let (n, s) = parts(x);
    with_exponent(n, precise_log_of_rest(s))
}

/// The logarithm of what is no positive finite number, or else `log`.
#[inline(always)]
pub(crate) fn special<D: DoubleLanes>(x: D, log: D) -> D {
    let log = D::select(x.is_equal(x.splat(f64::INFINITY)), x.splat(f64::INFINITY), log);
    let log = D::select(x.is_equal(x.splat(0.0)), x.splat(f64::NEG_INFINITY), log);
    D::select(x.splat(0.0).is_at_most(x), log, x.splat(f64::NAN))
}

/// The natural logarithm.
#[inline(always)]
pub fn log<D: DoubleLanes>(x: D) -> D {
    let (n, s) = parts(x);
    special(x, with_exponent(n, log_of_rest(s)).high)
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2<D: DoubleLanes>(x: D) -> D {
    const LOG2_E: Pair<f64> = pair(0x3FF7_1547_652B_82FE, 0x3C77_77D0_FFDA_0D24);
    let (n, s) = parts(x);
    special(x, log_of_rest(s).times(LOG2_E.splat(x)).above(n).rounded())
}
