//! Arithmetic of `f64` in a direction, and remainders, of any operands, for [`DoubleLanes`]: the bits of [`arith`](crate::arith) and
//! [`float`](crate::float), but for the payload of a NaN.
//!
//! The rounded result is moved to a neighbour where its error, found exactly, has the sign that asks for it. Errors are lost where numbers are
//! very small or large, so they are found of operands that were multiplied with powers of two.

use crate::{
    Rounding,
    double::{Pair, ordered_sum},
    lanes::{Branchless as _, DoubleLanes, FusedLanes, WordLanes},
};

/// A direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Toward zero.
    Zero,
    /// Upwards.
    Up,
    /// Downwards.
    Down,
}

impl Direction {
    /// The direction of a mode, if it has one.
    pub const fn of(rounding: Rounding) -> Option<Direction> {
        match rounding {
            Rounding::Zero => Some(Direction::Zero),
            Rounding::PositiveInf => Some(Direction::Up),
            Rounding::NegativeInf => Some(Direction::Down),
            Rounding::NearestEven | Rounding::NearestAway => None,
        }
    }
}

const fn power(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// What is nearest to an exact number, moved in a direction; `error` has the sign of what the exact number has more than it. The largest numbers
/// and the infinities are neighbours: what rounded to an infinity has an error that leads back.
fn moved<D: DoubleLanes>(nearest: D, error: D, direction: Direction) -> D {
    let zero = error.splat(0.0);
    let negative = nearest.is_negative();
    let (above, below) = (zero.is_below(error), error.is_below(zero));
    let bits = nearest.words();
    let (more, less) = (bits + 1, bits - 1);
    // The neighbour above has the larger magnitude, or the smaller one of a negative number.
    let moved = match direction {
        Direction::Zero => {
            let inward = (negative & above) | (!negative & below);
            D::Words::select(inward, less, bits)
        }
        Direction::Up => D::Words::select(above, D::Words::select(negative, less, more), bits),
        Direction::Down => D::Words::select(below, D::Words::select(negative, more, less), bits),
    };
    moved.floats()
}

/// A sum, of which the rounded one and its error are known, in a direction. One that is exactly zero has the sign that the direction asks for, if
/// its terms have not the same.
fn moved_sum<D: DoubleLanes>(nearest: D, error: D, a: D, b: D, direction: Direction) -> D {
    let sum = moved(nearest, error, direction);
    if direction != Direction::Down {
        return sum;
    }
    let zero = sum.splat(0.0);
    let cancels = nearest.is_equal(zero) & error.is_equal(zero) & (a.is_negative() ^ b.is_negative());
    D::select(cancels, sum.splat(-0.0), sum)
}

/// `error`, or, where a result of finite operands is infinite, one that leads back.
fn or_back<D: DoubleLanes>(result: D, finite: D::Mask, error: D) -> D {
    let infinite = result.abs().is_equal(result.splat(f64::INFINITY));
    D::select(infinite & finite, -result, error)
}

fn is_finite<D: DoubleLanes>(x: D) -> D::Mask {
    x.abs().is_below(x.splat(f64::INFINITY))
}

/// The sum and its rounding error, of any numbers: nothing overflows but the sum itself.
fn sorted_sum<D: DoubleLanes>(a: D, b: D) -> Pair<D> {
    let swapped = a.abs().is_below(b.abs());
    ordered_sum(D::select(swapped, b, a), D::select(swapped, a, b))
}

/// `a + b`.
pub fn add<D: DoubleLanes>(a: D, b: D, direction: Direction) -> D {
    let Pair { high, low } = sorted_sum(a, b);
    let error = or_back(high, is_finite(a) & is_finite(b), low);
    moved_sum(high, error, a, b, direction)
}

/// `a * b`.
pub fn mul<D: FusedLanes>(a: D, b: D, direction: Direction) -> D {
    const SCALE: f64 = power(600);
    let product = a * b;
    // Of small products, that of the factors times 2^600: each factor is below 2^200 then.
    let small = product.abs().is_below(product.splat(power(-900)));
    let scale = D::select(small, a.splat(SCALE), a.splat(1.0));
    let (x, y) = (a * scale, b * scale);
    let scaled = x * y;
    let error = (scaled - product * scale * scale) + x.fused(y, -scaled);
    moved(product, or_back(product, is_finite(a) & is_finite(b), error), direction)
}

/// A power of two that brings a number, zeros and infinities aside, to 2^-500 up to 2^500; its root.
fn root_of_scale<D: DoubleLanes>(x: D) -> D {
    let magnitude = x.abs();
    let (small, large) = (magnitude.is_below(x.splat(power(-400))), x.splat(power(400)).is_below(magnitude));
    D::select(small, x.splat(power(300)), D::select(large, x.splat(power(-300)), x.splat(1.0)))
}

/// `a / b`.
pub fn div<D: FusedLanes>(a: D, b: D, direction: Direction) -> D {
    let quotient = a / b;
    let (above, below) = (root_of_scale(a), root_of_scale(b));
    let (x, y) = (a * above * above, b * below * below);
    // From 2^-600 to 2^600: its square brings the quotient to where that of the scaled numbers is.
    let scale = above * (below.splat(1.0) / below);
    let rest = (-(quotient * scale * scale)).fused(y, x);
    moved(quotient, D::select(b.is_negative(), -rest, rest), direction)
}

/// The square root of `a`.
pub fn sqrt<D: FusedLanes>(a: D, direction: Direction) -> D {
    let root = a.sqrt();
    let scale = root_of_scale(a);
    let scaled = root * scale;
    moved(root, (-scaled).fused(scaled, a * scale * scale), direction)
}

/// `a * b + c`, rounded once.
pub fn fma<D: FusedLanes>(a: D, b: D, c: D, direction: Direction) -> D {
    let nearest = a.fused(b, c);
    let zero = a.splat(0.0);
    let (above, below) = (root_of_scale(a), root_of_scale(b));
    let (x, y) = (a * above * above, b * below * below);
    let product = x.product(y);
    // From 2^-600 to 2^600: its square scales all sums.
    let scale = above * below;
    let term = c * scale * scale;
    // Beside the product, of which no bit is below 2^-950, a smaller term counts by its sign alone.
    let tiny = term.abs().is_below(term.splat(power(-1000))) & !c.is_equal(zero);
    let term = D::select(tiny, term.splat(power(-1000)).copysign(c), term);
    // The error as three numbers, by Boldo and Muller ("Exact and approximated error of the FMA").
    let low = sorted_sum(term, product.low);
    let high = sorted_sum(product.high, low.high);
    let error = ((high.high - nearest * scale * scale) + high.low) + low.low;
    // Beside a term that the scale makes infinite, the product counts by its sign alone; and without a product nothing is rounded.
    let finite = is_finite(a) & is_finite(b) & is_finite(c);
    let error = D::select(!is_finite(term) | product.high.is_equal(zero), product.high, error);
    let error = D::select(finite, or_back(nearest, finite, error), zero);
    moved_sum(nearest, error, product.high, c, direction)
}

/// The remainder of a division toward zero, as C's `fmod`.
pub fn rem<D: FusedLanes>(a: D, b: D) -> D {
    /// Bits that quotients of two numbers may have, by those that a step takes away.
    const STEPS: u32 = 2098 / 52 + 3;
    let divisor = b.abs();
    // Multiples of the divisor, for quotients that are not too large. The last one may be infinite, and is not reached then.
    let middle = divisor * power(540);
    let large = middle * power(540);
    let running = |rest: D| !rest.abs().is_below(divisor) & is_finite(a) & divisor.splat(0.0).is_below(divisor);
    let step = |[rest]: [D; 1]| {
        let by = |multiple: D| multiple.is_below(rest.abs());
        let multiple = D::select(by(large), large, D::select(by(middle), middle, divisor));
        // The rest of a rounded quotient is exact.
        let rest = (-(rest / multiple).trunc()).fused(multiple, rest);
        (running(rest), [rest])
    };
    let dividend = a.abs();
    let [rest] = D::repeat(running(dividend) & is_finite(b), [dividend], STEPS, step);
    // A quotient that was rounded up to an integer leaves less than nothing.
    let rest = D::select(rest.is_below(rest.splat(0.0)), rest + divisor, rest);
    let defined = is_finite(a) & divisor.splat(0.0).is_below(divisor);
    D::select(defined, rest.copysign(a), a.splat(f64::NAN))
}

#[cfg(test)]
mod tests;
