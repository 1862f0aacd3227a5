//! `rsqrt`.

use super::Products;

/// `1 / sqrt(x)`.
#[inline(always)]
pub(crate) fn rsqrt<P: Products>(x: f64) -> f64 {
    // Powers of four bring the number where its square root has an exact square: these are 2^600 and 2^300.
    const FACTOR: f64 = f64::from_bits((1023 + 600) << 52);
    const ROOT: f64 = f64::from_bits((1023 + 300) << 52);
    let (factor, root) = if x < 1.0 / ROOT { (FACTOR, ROOT) } else { (1.0, 1.0) };
    let (factor, root) = if x > ROOT { (1.0 / FACTOR, 1.0 / ROOT) } else { (factor, root) };
    let scaled = x * factor;
    let y = 1.0 / scaled.sqrt();
    // One step of Newton's method with the exact difference of x y^2 and 1.
    let product = P::product(scaled, y);
    let one = P::product(product.high, y);
    let difference = (1.0 - one.high) - one.low - product.low * y;
    let better = y + 0.5 * y * difference;
    // Of zeros, infinities and NaNs, the estimate is right.
    let regular = (x > 0.0) & (x < f64::INFINITY);
    (if regular { better } else { y }) * root
}
