//! `log` and `log2`.

use super::{LN_2, Pair, Products, exponent_and_rest, ordered_sum, pair, polynomial};

// log((1 + s) / (1 - s)) = 2 s + s^3 (2/3 + 2/5 s^2 + REST(s^2) s^4).
const THIRD: Pair = pair(0x3FE5_5555_5555_5555, 0x3C85_5555_5555_5555);
const FIFTH: Pair = pair(0x3FD9_9999_9999_999A, 0xBC79_9999_9999_999A);
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
fn parts<P: Products>(x: f64) -> (f64, Pair) {
    let small = x < f64::MIN_POSITIVE;
    let (n, rest) = exponent_and_rest(if small { x * 18_014_398_509_481_984.0 } else { x });
    let n = if small { n - 54.0 } else { n };
    let f = rest - 1.0;
    (n, Pair { high: f, low: 0.0 }.over::<P>(ordered_sum(2.0, f)))
}

/// The logarithm of `(1 + s) / (1 - s)`, within 2^-57 of it.
#[inline(always)]
fn log_of_rest(s: Pair) -> Pair {
    let square = s.high * s.high;
    let factor = (polynomial(square, REST) * square + FIFTH.high) * square + THIRD.high;
    ordered_sum(2.0 * s.high, s.high * square * factor).plus(2.0 * s.low)
}

/// The same, within 2^-68.
#[inline(always)]
fn precise_log_of_rest<P: Products>(s: Pair) -> Pair {
    let square = s.times::<P>(s);
    let fifth = ordered_sum(FIFTH.high, square.high * polynomial(square.high, REST));
    let fifth = Pair { high: fifth.high, low: fifth.low + FIFTH.low };
    let third = square.times::<P>(fifth).above(THIRD.high);
    let third = Pair { high: third.high, low: third.low + THIRD.low };
    let higher = s.times::<P>(square).times::<P>(third);
    ordered_sum(2.0 * s.high, higher.high).plus(2.0 * s.low + higher.low)
}

/// The sum of a multiple of ln(2) and another logarithm.
#[inline(always)]
fn with_exponent(n: f64, rest: Pair) -> Pair {
    rest.above(n * LN_2.high).plus(n * LN_2.low)
}

/// The logarithm of a positive finite number, within 2^-68 of it.
#[inline(always)]
pub(super) fn precise_log<P: Products>(x: f64) -> Pair {
    let (n, s) = parts::<P>(x);
    with_exponent(n, precise_log_of_rest::<P>(s))
}

/// The logarithm of what is no positive finite number, or else `log`.
#[inline(always)]
fn special(x: f64, log: f64) -> f64 {
    let log = if x == f64::INFINITY { f64::INFINITY } else { log };
    let log = if x == 0.0 { f64::NEG_INFINITY } else { log };
    if (x < 0.0) | x.is_nan() { f64::NAN } else { log }
}

#[inline(always)]
pub(crate) fn log<P: Products>(x: f64) -> f64 {
    let (n, s) = parts::<P>(x);
    special(x, with_exponent(n, log_of_rest(s)).high)
}

#[inline(always)]
pub(crate) fn log2<P: Products>(x: f64) -> f64 {
    const LOG2_E: Pair = pair(0x3FF7_1547_652B_82FE, 0x3C77_77D0_FFDA_0D24);
    let (n, s) = parts::<P>(x);
    special(x, log_of_rest(s).times::<P>(LOG2_E).above(n).rounded())
}
