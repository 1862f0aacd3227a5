//! `pow`.

use super::{Products, exponential::exp_of_pair, is_integer, logarithm::precise_log};

/// What C's `pow` gives for powers of `x`, if `power` is that of its magnitude: where that is no positive finite number, any number.
#[inline(always)]
pub(crate) fn special(x: f64, y: f64, power: f64) -> f64 {
    let magnitude = x.abs();
    let ends = (magnitude == 0.0) | (magnitude == f64::INFINITY);
    // Zero to a negative power is infinite, and infinity to a positive one.
    let end = if (magnitude == 0.0) == (y < 0.0) { f64::INFINITY } else { 0.0 };
    let power = if ends { end } else { power };
    let whole = is_integer(y.abs());
    let odd = whole & !is_integer(0.5 * y.abs());
    let power = if odd & x.is_sign_negative() { -power } else { power };
    let undefined = (x < 0.0) & !whole & !ends | x.is_nan() | y.is_nan();
    let power = if undefined { f64::NAN } else { power };
    if (x == 1.0) | (y == 0.0) { 1.0 } else { power }
}

#[inline(always)]
pub(crate) fn pow<P: Products>(x: f64, y: f64) -> f64 {
    // Larger exponents give 0, 1 and infinity, too.
    const LARGEST: f64 = 18_446_744_073_709_551_616.0;
    let log = precise_log::<P>(x.abs());
    let exponent = super::between(y, -LARGEST, LARGEST);
    let product = P::product(exponent, log.high);
    let low = product.low + exponent * log.low;
    // Beside a product that is far out of range, it is not small.
    let low = if product.high.abs() > 1000.0 { 0.0 } else { low };
    special(x, y, exp_of_pair::<P>(product.high, low))
}
