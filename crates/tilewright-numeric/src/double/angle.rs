//! `sin`, `cos` and `tan`.

use super::{Pair, far, ordered_sum, pair, polynomial, round, sum};
use crate::lanes::{DoubleLanes, WordLanes};

/// The largest angle that [`near`] reduces.
const LARGEST_NEAR: f64 = 1_048_576.0;

/// Whether an angle is so near to zero that the functions with `near` in their name take it.
#[inline(always)]
pub(crate) fn is_near(x: f64) -> bool {
    x.abs() <= LARGEST_NEAR
}

/// An angle less the nearest multiple of a right angle, at most `pi / 4`, and the low bits of that multiple.
#[derive(Clone, Copy)]
pub(crate) struct Reduced<D: DoubleLanes> {
    pub(super) rest: Pair<D>,
    pub(super) quadrant: D::Words,
}

/// Reduces an angle that [`is_near`].
#[inline(always)]
fn near<D: DoubleLanes>(x: D) -> Reduced<D> {
    // A right angle in four parts. All but the last have 33 bits, so that their multiples are exact.
    const RIGHT: [f64; 4] = [
        f64::from_bits(0x3FF9_21FB_5440_0000),
        f64::from_bits(0x3DD0_B461_1A60_0000),
        f64::from_bits(0x3BA3_198A_2E00_0000),
        f64::from_bits(0x397B_839A_2520_49C1),
    ];
    let (n, quadrant) = round(x * std::f64::consts::FRAC_2_PI);
    let first = sum(x - n * RIGHT[0], n * -RIGHT[1]);
    let second = sum(first.high, n * -RIGHT[2]);
    Reduced { rest: second.plus(first.low - n * RIGHT[3]), quadrant }
}

/// The sine of an angle of at most `pi / 4`.
#[inline(always)]
fn sine<D: DoubleLanes>(x: Pair<D>) -> Pair<D> {
    // sin(x) = x - x^3 / 6 + x^5 REST(x^2).
    const SIXTH: Pair<f64> = pair(0xBFC5_5555_5555_5555, 0xBC65_5555_5555_5555);
    const REST: [f64; 6] = [
        0.008_333_333_333_333_333,
        -0.000_198_412_698_412_688_3,
        2.755_731_922_220_272_7e-6,
        -2.505_210_719_053_346_6e-8,
        1.605_867_689_644_300_2e-10,
        -7.594_865_674_562_406e-13,
    ];
    let square = x.high.product(x.high);
    let factor = ordered_sum(x.high.splat(SIXTH.high), square.high * polynomial(square.high, REST)).plus(x.high.splat(SIXTH.low));
    let cube = x.high.product(square.high);
    let cube = Pair { high: cube.high, low: cube.low + x.high * square.low };
    let higher = cube.times(factor);
    ordered_sum(x.high, higher.high).plus(higher.low + x.low * (x.high.splat(1.0) - square.high * 0.5))
}

/// The cosine of an angle of at most `pi / 4`.
#[inline(always)]
fn cosine<D: DoubleLanes>(x: Pair<D>) -> Pair<D> {
    // cos(x) = 1 - x^2 / 2 + x^4 / 24 + x^6 REST(x^2).
    const TWENTY_FOURTH: Pair<f64> = pair(0x3FA5_5555_5555_5555, 0x3C45_5555_5555_5555);
    const REST: [f64; 6] = [
        -0.001_388_888_888_888_889,
        2.480_158_730_158_866_4e-5,
        -2.755_731_922_473_931e-7,
        2.087_675_696_953_019_3e-9,
        -1.147_064_626_606_161_6e-11,
        4.756_575_986_543_453e-14,
    ];
    let square = x.high.product(x.high);
    let factor =
        ordered_sum(x.high.splat(TWENTY_FOURTH.high), square.high * polynomial(square.high, REST)).plus(x.high.splat(TWENTY_FOURTH.low));
    let higher = square.high.product(square.high).times(factor);
    let first = ordered_sum(x.high.splat(1.0), square.high * -0.5);
    let second = ordered_sum(first.high, higher.high);
    second.plus(first.low + higher.low - square.low * 0.5 - x.high * x.low)
}

/// Whether the lowest bit is clear.
#[inline(always)]
pub(crate) fn is_even<W: WordLanes>(bits: W) -> W::Mask {
    (bits & 1).is_equal(bits.splat(0))
}

/// `-value` if the second lowest bit is set.
#[inline(always)]
pub(crate) fn signed<D: DoubleLanes>(value: D, bits: D::Words) -> D {
    (value.words() ^ (bits & 2).left(62)).floats()
}

#[inline(always)]
fn sin_of<D: DoubleLanes>(angle: Reduced<D>) -> D {
    let [sine, cosine] = [sine(angle.rest), cosine(angle.rest)];
    signed(D::select(is_even(angle.quadrant), sine.high, cosine.high), angle.quadrant)
}

#[inline(always)]
fn cos_of<D: DoubleLanes>(angle: Reduced<D>) -> D {
    let [sine, cosine] = [sine(angle.rest), cosine(angle.rest)];
    signed(D::select(is_even(angle.quadrant), cosine.high, sine.high), angle.quadrant + 1)
}

#[inline(always)]
fn tan_of<D: DoubleLanes>(angle: Reduced<D>) -> D {
    let [sine, cosine] = [sine(angle.rest), cosine(angle.rest)];
    let even = is_even(angle.quadrant);
    let above = Pair::select(even, sine, Pair { high: -cosine.high, low: -cosine.low });
    above.over(Pair::select(even, cosine, sine)).high
}

/// `value`, but for zero, which keeps its sign.
#[inline(always)]
fn odd<D: DoubleLanes>(x: D, value: D) -> D {
    D::select(x.is_equal(x.splat(0.0)), x, value)
}

/// Of an angle that [`is_near`], or is not finite, `near`, else what `far` makes of it.
#[inline(always)]
pub(crate) fn or_far<D: DoubleLanes>(x: D, near: D, far: impl Fn(D) -> D) -> D {
    let is_far = x.splat(LARGEST_NEAR).is_below(x.abs()) & x.abs().is_below(x.splat(f64::INFINITY));
    // Once, as nothing is below itself.
    let [value] = D::repeat(is_far, [near], 1, |_| (x.is_below(x), [far(x)]));
    value
}

/// Declares a function of angles that [`is_near`], of those that are not, and of all.
macro_rules! angles {
    ($($near:ident $far:ident $(#[$doc:meta])* $any:ident |$x:ident, $angle:ident| $of:expr;)*) => {$(
        #[inline(always)]
        pub(crate) fn $near<D: DoubleLanes>($x: D) -> D {
            let $angle = near($x);
            $of
        }

        pub(crate) fn $far<D: DoubleLanes>($x: D) -> D {
            let $angle = far::reduce($x);
            $of
        }

        $(#[$doc])*
        #[inline(always)]
        pub fn $any<D: DoubleLanes>(x: D) -> D {
            or_far(x, $near(x), $far)
        }
    )*};
}
angles! {
    sin_near sin_far
    /// The sine.
    sin |x, angle| odd(x, sin_of(angle));
    cos_near cos_far
    /// The cosine.
    cos |x, angle| cos_of(angle);
    tan_near tan_far
    /// The tangent.
    tan |x, angle| odd(x, tan_of(angle));
}
