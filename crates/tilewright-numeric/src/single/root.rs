//! `rsqrt` for [`SingleLanes`].

use crate::lanes::SingleLanes;

/// `1 / sqrt(x)`, within 0.5001 ulp; infinity of the same sign for zeros, NaN below zero, 0 for infinity.
#[inline(always)]
pub fn rsqrt<L: SingleLanes>(x: L) -> L {
    // Powers of four that bring a small number where what its root lacks is no subnormal: these are 2^64 and 2^32.
    let small = x.is_below(x.splat(f32::from_bits((127 - 96) << 23)));
    let one = x.splat(1.0);
    let scaled = x * L::select(small, x.splat(18_446_744_073_709_551_616.0), one);
    let root = scaled.sqrt();
    let y = one / root;
    // What the root and the quotient lack, exactly: 1 / sqrt(x) is y (1 + d - e y^2 / 2) but for their squares.
    let d = root.fused(-y, one);
    let e = root.fused(-root, scaled);
    let correction = (e * x.splat(-0.5)).fused(y * y, d);
    let better = y.fused(correction, y);
    // Of zeros, infinities and NaNs, the first estimate is right.
    let is_regular = x.splat(0.0).is_below(x) & x.is_below(x.splat(f32::INFINITY));
    L::select(is_regular, better, y) * L::select(small, x.splat(4_294_967_296.0), one)
}
