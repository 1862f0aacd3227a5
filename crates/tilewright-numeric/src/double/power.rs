//! `pow`.

use super::{exponential::exp_of_pair, is_integer, logarithm::precise_log};
use crate::lanes::DoubleLanes;

/// What C's `pow` gives for powers of `x`, if `power` is that of its magnitude: where that is no positive finite number, any number.
#[inline(always)]
pub(crate) fn special<D: DoubleLanes>(x: D, y: D, power: D) -> D {
    let (zero, one, infinity) = (x.splat(0.0), x.splat(1.0), x.splat(f64::INFINITY));
    let magnitude = x.abs();
    let of_zero = magnitude.is_equal(zero);
    let ends = of_zero | magnitude.is_equal(infinity);
    // Zero to a negative power is infinite, and infinity to a positive one.
    let end = D::select(of_zero ^ y.is_below(zero), zero, infinity);
    let power = D::select(ends, end, power);
    let whole = is_integer(y.abs());
    let odd = whole & !is_integer(y.abs() * 0.5);
    let power = D::select(odd & x.is_negative(), -power, power);
    let undefined = x.is_below(zero) & !whole & !ends | x.is_nan() | y.is_nan();
    let power = D::select(undefined, x.splat(f64::NAN), power);
    D::select(x.is_equal(one) | y.is_equal(zero), one, power)
}

/// C's `pow`.
#[inline(always)]
pub fn pow<D: DoubleLanes>(x: D, y: D) -> D {
    // Larger exponents give 0, 1 and infinity, too.
    const LARGEST: f64 = 18_446_744_073_709_551_616.0;
    let log = precise_log(x.abs());
    let exponent = super::between(y, -LARGEST, LARGEST);
    let product = exponent.product(log.high);
    let low = product.low + exponent * log.low;
    // Beside a product that is far out of range, it is not small.
    let low = D::select(x.splat(1000.0).is_below(product.high.abs()), x.splat(0.0), low);
    special(x, y, exp_of_pair(product.high, low))
}
