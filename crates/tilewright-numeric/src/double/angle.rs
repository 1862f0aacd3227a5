//! `sin`, `cos` and `tan`.

use super::{Pair, Products, far, ordered_sum, pair, polynomial, round, sum};

/// The largest angle that [`near`] reduces.
const LARGEST_NEAR: f64 = 1_048_576.0;

/// Whether an angle is so near to zero that the functions with `near` in their name take it.
#[inline(always)]
pub(crate) fn is_near(x: f64) -> bool {
    x.abs() <= LARGEST_NEAR
}

/// An angle less the nearest multiple of a right angle, at most `pi / 4`, and the low bits of that multiple.
#[derive(Clone, Copy)]
pub(crate) struct Reduced {
    pub(super) rest: Pair,
    pub(super) quadrant: u64,
}

/// Reduces an angle that [`is_near`].
#[inline(always)]
fn near(x: f64) -> Reduced {
    // A right angle in four parts. All but the last have 33 bits, so that their multiples are exact.
    const RIGHT: [f64; 4] = [
        f64::from_bits(0x3FF9_21FB_5440_0000),
        f64::from_bits(0x3DD0_B461_1A60_0000),
        f64::from_bits(0x3BA3_198A_2E00_0000),
        f64::from_bits(0x397B_839A_2520_49C1),
    ];
    let (n, quadrant) = round(x * std::f64::consts::FRAC_2_PI);
    let first = sum(x - n * RIGHT[0], -n * RIGHT[1]);
    let second = sum(first.high, -n * RIGHT[2]);
    Reduced { rest: second.plus(first.low - n * RIGHT[3]), quadrant }
}

/// The sine of an angle of at most `pi / 4`.
#[inline(always)]
fn sine<P: Products>(x: Pair) -> Pair {
    // sin(x) = x - x^3 / 6 + x^5 REST(x^2).
    const SIXTH: Pair = pair(0xBFC5_5555_5555_5555, 0xBC65_5555_5555_5555);
    const REST: [f64; 6] = [
        0.008_333_333_333_333_333,
        -0.000_198_412_698_412_688_3,
        2.755_731_922_220_272_7e-6,
        -2.505_210_719_053_346_6e-8,
        1.605_867_689_644_300_2e-10,
        -7.594_865_674_562_406e-13,
    ];
    let square = P::product(x.high, x.high);
    let factor = ordered_sum(SIXTH.high, square.high * polynomial(square.high, REST)).plus(SIXTH.low);
    let cube = P::product(x.high, square.high);
    let cube = Pair { high: cube.high, low: cube.low + x.high * square.low };
    let higher = cube.times::<P>(factor);
    ordered_sum(x.high, higher.high).plus(higher.low + x.low * (1.0 - 0.5 * square.high))
}

/// The cosine of an angle of at most `pi / 4`.
#[inline(always)]
fn cosine<P: Products>(x: Pair) -> Pair {
    // cos(x) = 1 - x^2 / 2 + x^4 / 24 + x^6 REST(x^2).
    const TWENTY_FOURTH: Pair = pair(0x3FA5_5555_5555_5555, 0x3C45_5555_5555_5555);
    const REST: [f64; 6] = [
        -0.001_388_888_888_888_889,
        2.480_158_730_158_866_4e-5,
        -2.755_731_922_473_931e-7,
        2.087_675_696_953_019_3e-9,
        -1.147_064_626_606_161_6e-11,
        4.756_575_986_543_453e-14,
    ];
    let square = P::product(x.high, x.high);
    let factor = ordered_sum(TWENTY_FOURTH.high, square.high * polynomial(square.high, REST)).plus(TWENTY_FOURTH.low);
    let higher = P::product(square.high, square.high).times::<P>(factor);
    let first = ordered_sum(1.0, -0.5 * square.high);
    let second = ordered_sum(first.high, higher.high);
    second.plus(first.low + higher.low - 0.5 * square.low - x.high * x.low)
}

/// `-value` if the second lowest bit is set.
#[inline(always)]
fn signed(value: f64, bits: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ (bits & 2) << 62)
}

#[inline(always)]
fn sin_of<P: Products>(angle: Reduced) -> f64 {
    let [sine, cosine] = [sine::<P>(angle.rest), cosine::<P>(angle.rest)];
    signed(if angle.quadrant & 1 == 0 { sine.high } else { cosine.high }, angle.quadrant)
}

#[inline(always)]
fn cos_of<P: Products>(angle: Reduced) -> f64 {
    let [sine, cosine] = [sine::<P>(angle.rest), cosine::<P>(angle.rest)];
    signed(if angle.quadrant & 1 == 0 { cosine.high } else { sine.high }, angle.quadrant.wrapping_add(1))
}

#[inline(always)]
fn tan_of<P: Products>(angle: Reduced) -> f64 {
    let [sine, cosine] = [sine::<P>(angle.rest), cosine::<P>(angle.rest)];
    let (above, below) = if angle.quadrant & 1 == 0 { (sine, cosine) } else { (Pair { high: -cosine.high, low: -cosine.low }, sine) };
    above.over::<P>(below).high
}

/// `value`, but for zero, which keeps its sign.
#[inline(always)]
fn odd(x: f64, value: f64) -> f64 {
    if x == 0.0 { x } else { value }
}

/// Declares a function of angles that [`is_near`], and of all.
macro_rules! angles {
    ($($near:ident $any:ident |$x:ident, $angle:ident| $of:expr;)*) => {$(
        #[inline(always)]
        pub(crate) fn $near<P: Products>($x: f64) -> f64 {
            let $angle = near($x);
            $of
        }

        #[inline]
        pub(crate) fn $any<P: Products>($x: f64) -> f64 {
            if is_near($x) {
                $near::<P>($x)
            } else if $x.is_finite() {
                let $angle = far::reduce($x);
                $of
            } else {
                f64::NAN
            }
        }
    )*};
}
angles! {
    sin_near sin |x, angle| odd(x, sin_of::<P>(angle));
    cos_near cos |x, angle| cos_of::<P>(angle);
    tan_near tan |x, angle| odd(x, tan_of::<P>(angle));
}
