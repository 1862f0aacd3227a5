//! `rsqrt`.

use crate::lanes::DoubleLanes;

/// `1 / sqrt(x)`.
#[inline(always)]
pub fn rsqrt<D: DoubleLanes>(x: D) -> D {
    // Powers of four bring the number where its square root has an exact square: these are 2^600 and 2^300.
    const FACTOR: f64 = f64::from_bits((1023 + 600) << 52);
    const ROOT: f64 = f64::from_bits((1023 + 300) << 52);
    let (small, large) = (x.is_below(x.splat(1.0 / ROOT)), x.splat(ROOT).is_below(x));
    let choose = |number: f64| D::select(large, x.splat(1.0 / number), D::select(small, x.splat(number), x.splat(1.0)));
    let (factor, root) = (choose(FACTOR), choose(ROOT));
    let scaled = x * factor;
    let y = x.splat(1.0) / scaled.sqrt();
    // One step of Newton's method with the exact difference of x y^2 and 1.
    let product = scaled.product(y);
    let one = product.high.product(y);
    let difference = (x.splat(1.0) - one.high) - one.low - product.low * y;
    let better = y + y * 0.5 * difference;
    // Of zeros, infinities and NaNs, the estimate is right.
    let regular = x.splat(0.0).is_below(x) & x.is_below(x.splat(f64::INFINITY));
    D::select(regular, better, y) * root
}
