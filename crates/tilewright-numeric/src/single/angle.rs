//! `sin` and `cos` for [`SingleLanes`].
//!
//! The magnitude of an angle is a number of right angles and a rest of at most about `pi / 4`, in two floats:
//!
//! ```text
//! |x| = n pi / 2 + high + low          sin(high + low) = high + (high^3 S(high^2) + low cos(high))
//!                                      cos(high + low) = 1 - high^2 / 2 + (high^4 C(high^2) - high low)
//! ```
//!
//! The largest error that was found is 0.69 ulp for sines and 0.57 for cosines, wherever the angle is.

use super::ordered_sum;
use crate::{
    double::{angle::is_even, far::words_from},
    lanes::{Branchless as _, Lanes as _, SingleLanes, WordLanes},
};

/// The least angle that is far. More right angles than are in it would have to be known to more digits than `near` has.
const LEAST_FAR: f32 = 131_072.0;

/// Added to a number of less than 2^22, it rounds to the nearest integer, which is then in the low bits.
const ROUND: f32 = 12_582_912.0;

/// A right angle, the larger part first.
const RIGHT: [f32; 3] = [f32::from_bits(0x3FC9_0FDB), f32::from_bits(0xB33B_BD2E), f32::from_bits(0xA6F7_2CED)];

/// The exponent field of [`LEAST_FAR`].
const LEAST_FIELD: u64 = 127 + 17;

/// Whether an angle is so near to zero that [`sin_near`] and [`cos_near`] take it.
#[inline(always)]
pub(crate) fn is_near(x: f32) -> bool {
    x.abs() < LEAST_FAR
}

/// What an angle is less the nearest multiple of a right angle, and the number of right angles, or what is left of it if fours are taken away.
#[derive(Clone, Copy)]
struct Reduced<L> {
    high: L,
    low: L,
    quadrant: L,
}

/// Reduces an angle that is positive and near.
#[inline(always)]
fn near<L: SingleLanes>(x: L) -> Reduced<L> {
    let quadrant = x.fused(x.splat(std::f32::consts::FRAC_2_PI), x.splat(ROUND)) - x.splat(ROUND);
    // Exact, as the angle and the multiple have the same first bits.
    let first = quadrant.fused(x.splat(-RIGHT[0]), x);
    let second = quadrant * x.splat(-RIGHT[1]);
    let second_low = quadrant.fused(x.splat(-RIGHT[1]), -second);
    // Either of them may be the larger one.
    let high = first + second;
    let moved = high - first;
    let lost = (first - (high - moved)) + (second - moved);
    Reduced { high, low: quadrant.fused(x.splat(-RIGHT[2]), lost + second_low), quadrant }
}

/// For an angle of [`LEAST_FIELD`], digits of `2 / pi` from so many in front of the point on matter: those before make multiples of four right angles.
const ZEROS: usize = 8;

/// The digits, 32 to a word, and the same from the next three words on.
const WORDS: [[u64; 16]; 4] = [words_from(0, 32, ZEROS), words_from(1, 32, ZEROS), words_from(2, 32, ZEROS), words_from(3, 32, ZEROS)];

/// An integer of 23 bits as a float.
#[inline(always)]
fn integer<W: WordLanes<Floats: SingleLanes>>(n: W) -> W::Floats {
    let above = (n | 0x4B00_0000).floats();
    above - above.splat(8_388_608.0)
}

/// Reduces an angle that is positive and far, with as many digits of `2 / pi` as that takes (Payne and Hanek).
fn far<L: SingleLanes>(x: L) -> Reduced<L> {
    let bits = x.words();
    let mantissa = bits & 0x7F_FFFF | 0x80_0000;
    let position = bits.right(23) - LEAST_FIELD;
    let (word, bit) = (position.right(5), position & 31);
    let back = bit.splat(32) - bit;
    let words = WORDS.each_ref().map(|table| word.pick(table));
    let [a, b, c]: [L::Words; 3] = std::array::from_fn(|i| words[i].shl(bit) | words[i + 1].shr(back));
    // The product of the digits and the mantissa: right angles in the two highest bits, and 62 bits of what is behind the point.
    let (one, zero) = (bit.splat(1), bit.splat(0));
    let carried = c.mul_high(mantissa);
    let low = b * mantissa + carried;
    let carry = L::Words::select(low.is_below(carried), one, zero);
    let high = a * mantissa + b.mul_high(mantissa) + carry;
    // What is behind the point, as a number from -1/2 to 1/2.
    let half = high & 0x2000_0000;
    let negative = zero.is_below(half);
    let quadrant = high.right(30) + L::Words::select(negative, one, zero);
    let borrow = L::Words::select(low.is_equal(zero), one, zero);
    let high = L::Words::select(negative, !high + borrow, high) & 0x3FFF_FFFF;
    let low = L::Words::select(negative, zero - low, low);
    // As three integers that floats hold, of which the first two make one sum.
    let scaled = |n: L::Words, unit: f32| integer(n) * x.splat(unit);
    let (part, rest) = ordered_sum(scaled(high.right(7), 2f32.powi(-23)), scaled((high & 0x7F).left(16) | low.right(16), 2f32.powi(-46)));
    let rest = rest + scaled(low & 0xFFFF, 2f32.powi(-62));
    let sign = L::select(negative, x.splat(-1.0), x.splat(1.0));
    let (part, rest) = (part * sign, rest * sign);
    let product = part * x.splat(RIGHT[0]);
    let product_low = part.fused(x.splat(RIGHT[0]), -product);
    let low = rest.fused(x.splat(RIGHT[0]), part.fused(x.splat(RIGHT[1]), product_low));
    let (high, low) = ordered_sum(product, low);
    Reduced { high, low, quadrant: integer(quadrant) }
}

/// The sine and the cosine of what is left of an angle.
#[inline(always)]
fn sine_and_cosine<L: SingleLanes>(Reduced { high, low, .. }: Reduced<L>) -> (L, L) {
    const SINE: [f32; 4] = [-0.166_666_67, 0.008_333_379, -0.000_198_530_38, 2.831_983_2e-6];
    const COSINE: [f32; 3] = [0.041_666_646, -0.001_388_730_6, 2.443_165_2e-5];
    let (one, half) = (high.splat(1.0), high.splat(-0.5));
    let square = high * high;
    let polynomial = |coefficients: &[f32]| {
        let (last, others) = coefficients.split_last().expect("there are coefficients");
        others.iter().rev().fold(high.splat(*last), |sum, coefficient| sum.fused(square, high.splat(*coefficient)))
    };
    // 1 - square / 2, and what it lacks.
    let first = square.fused(half, one);
    let first_low = square.fused(half, one - first);
    let sine = high + (high * square).fused(polynomial(&SINE), low * first);
    let square_low = high.fused(high, -square);
    let cosine_low = square_low.fused(half, high.fused(-low, first_low));
    (sine, first + (square * square).fused(polynomial(&COSINE), cosine_low))
}

/// The low bits of a number of right angles.
#[inline(always)]
fn low_bits<L: SingleLanes>(quadrant: L) -> L::Words {
    (quadrant + quadrant.splat(ROUND)).words()
}

/// The sine of `x`, whose magnitude was reduced.
#[inline(always)]
fn sin_of<L: SingleLanes>(x: L, angle: Reduced<L>) -> L {
    let (sine, cosine) = sine_and_cosine(angle);
    let quadrant = low_bits(angle.quadrant);
    let value = L::select(is_even(quadrant), sine, cosine);
    (value.words() ^ (quadrant & 2).left(30) ^ (x.words() & 0x8000_0000)).floats()
}

/// The cosine of an angle that was reduced.
#[inline(always)]
fn cos_of<L: SingleLanes>(angle: Reduced<L>) -> L {
    let (sine, cosine) = sine_and_cosine(angle);
    let quadrant = low_bits(angle.quadrant);
    let value = L::select(is_even(quadrant), cosine, sine);
    (value.words() ^ ((quadrant + 1) & 2).left(30)).floats()
}

/// The sine of an angle that [`is_near`], without branches.
#[inline(always)]
pub(crate) fn sin_near<L: SingleLanes>(x: L) -> L {
    sin_of(x, near(x.abs()))
}

/// The cosine of such an angle.
#[inline(always)]
pub(crate) fn cos_near<L: SingleLanes>(x: L) -> L {
    cos_of(near(x.abs()))
}

/// Of an angle that [`is_near`], or is not finite, `near`, else what `of_far` makes of its magnitude, reduced.
#[inline(always)]
fn or_far<L: SingleLanes>(x: L, near: L, of_far: impl Fn(Reduced<L>) -> L) -> L {
    let magnitude = x.abs();
    let is_far = !magnitude.is_below(x.splat(LEAST_FAR)) & magnitude.is_below(x.splat(f32::INFINITY));
    // Once, as nothing is below itself.
    let [value] = L::repeat(is_far, [near], 1, |_| (x.is_below(x), [of_far(far(magnitude))]));
    value
}

/// The sine; NaN for what is not finite.
#[inline(always)]
pub fn sin<L: SingleLanes>(x: L) -> L {
    or_far(x, sin_near(x), |angle| sin_of(x, angle))
}

/// The cosine; NaN for what is not finite.
#[inline(always)]
pub fn cos<L: SingleLanes>(x: L) -> L {
    or_far(x, cos_near(x), cos_of)
}
