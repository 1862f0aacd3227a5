//! Angles of `f64` far from zero, reduced to a quadrant with as many digits of pi as that takes (Payne and Hanek).

use super::{Pair, angle::Reduced, arctangent::HALF_PI, integer_above, ordered_sum, power_of_two};
use crate::lanes::{Branchless as _, DoubleLanes, WordLanes};

/// The digits of `2 / pi` behind the point, from the highest on.
const TWO_OVER_PI: [u64; 21] = [
    0xA2F9_836E_4E44_1529,
    0xFC27_57D1_F534_DDC0,
    0xDB62_9599_3C43_9041,
    0xFE51_63AB_DEBB_C561,
    0xB724_6E3A_424D_D2E0,
    0x0649_2EEA_09D1_921C,
    0xFE1D_EB1C_B129_A73E,
    0xE882_35F5_2EBB_4484,
    0xE99C_7026_B45F_7E41,
    0x3991_D639_8353_39F4,
    0x9C84_5F8B_BDF9_283B,
    0x1FF8_97FF_DE05_980F,
    0xEF2F_118B_5A0A_6D1F,
    0x6D36_7ECF_27CB_09B7,
    0x4F46_3F66_9E5F_EA2D,
    0x7527_BAC7_EBE5_F17B,
    0x3D07_39F7_8A52_92EA,
    0x6BFB_5FB1_1F8D_5D08,
    0x5603_3046_FC7B_6BAB,
    0xF0CF_BC20_9AF4_361D,
    0xA9E3_9161_5EE6_1B08,
];

/// The exponent field of the smallest angle that is far.
const FIRST_FIELD: u64 = 1023 + 20;
/// For an angle of [`FIRST_FIELD`], digits from so many in front of the point on matter: those before make multiples of four quadrants.
const ZEROS: usize = 34;

/// The digits of `2 / pi` behind the point with so many zeros in front of them, in 16 words of so many bits, of which the first one is number `first`.
pub(crate) const fn words_from(first: usize, bits: usize, zeros: usize) -> [u64; 16] {
    let mut words = [0; 16];
    let mut at = 0;
    while at < 16 * bits {
        let place = first * bits + at;
        if place >= zeros {
            let digit = place - zeros;
            words[at / bits] |= (TWO_OVER_PI[digit / 64] >> (63 - digit % 64) & 1) << (bits - 1 - at % bits);
        }
        at += 1;
    }
    words
}

const WORDS: [[u64; 16]; 5] =
    [words_from(0, 64, ZEROS), words_from(1, 64, ZEROS), words_from(2, 64, ZEROS), words_from(3, 64, ZEROS), words_from(4, 64, ZEROS)];

/// A number of 256 bits; the highest word first.
type Digits<W> = [W; 4];

/// 256 digits from one on.
fn digits<W: WordLanes>(position: W) -> Digits<W> {
    let (word, bit) = (position.right(6), position & 63);
    let words = WORDS.each_ref().map(|table| word.pick(table));
    let back = bit.splat(64) - bit;
    std::array::from_fn(|i| words[i].shl(bit) | words[i + 1].shr(back))
}

/// The product with a number of 53 bits, but for what lies above 256 bits.
fn multiplied<W: WordLanes>(digits: Digits<W>, factor: W) -> Digits<W> {
    let mut carry = factor.splat(0);
    let mut product = digits;
    for (limb, digit) in product.iter_mut().zip(digits).rev() {
        let low = digit * factor;
        *limb = low + carry;
        let (one, zero) = (low.splat(1), low.splat(0));
        carry = digit.mul_high(factor) + W::select(limb.is_below(low), one, zero);
    }
    product
}

/// The negative number, modulo 2^256.
fn negated<W: WordLanes>(number: Digits<W>) -> Digits<W> {
    let mut carry = number[3].splat(1);
    let mut negated = number;
    for limb in negated.iter_mut().rev() {
        *limb = !*limb + carry;
        // It goes on as long as what it was added to were ones.
        carry = W::select((*limb).is_below(carry), carry, carry.splat(0));
    }
    negated
}

/// Moves a number to the left until its highest bit is set, if that is one of the first 128: how far, and what the first three words are then.
fn normalized<W: WordLanes>(number: Digits<W>) -> (W, [W; 3]) {
    let [a, b, c, d] = number;
    let zero = a.splat(0);
    let empty = a.is_equal(zero);
    let choose = |yes: W, no: W| W::select(empty, yes, no);
    let (mut distance, mut top) = (choose(a.splat(64), zero), choose(b, a));
    let words = [top, choose(c, b), choose(d, c)];
    let mut within = zero;
    for places in [32, 16, 8, 4, 2, 1] {
        let small = top.is_below(top.splat(1 << (64 - places)));
        top = W::select(small, top.left(places), top);
        within = W::select(small, within + u64::from(places), within);
    }
    distance = distance + within;
    let back = within.splat(64) - within;
    let moved = |high: W, low: W| high.shl(within) | low.shr(back);
    (distance, [moved(words[0], words[1]), moved(words[1], words[2]), words[2].shl(within)])
}

/// An integer of 53 bits as a float.
fn integer<W: WordLanes<Floats: DoubleLanes>>(n: W) -> W::Floats {
    integer_above(n.right(26), 0.0) * 67_108_864.0 + integer_above(n & 0x3ff_ffff, 0.0)
}

/// Reduces a finite angle beyond 2^20.
pub(super) fn reduce<D: DoubleLanes>(x: D) -> Reduced<D> {
    let bits = x.abs().words();
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    // Two digits in front of the point are quadrants, and 254 behind it are there.
    let turns = multiplied(digits(bits.right(52) - FIRST_FIELD), mantissa);
    // What is behind the point, as a number from -1/2 to 1/2.
    let half = turns[0] & (1 << 61);
    let negative = !half.is_equal(half.splat(0));
    let (one, zero) = (half.splat(1), half.splat(0));
    let quadrant = turns[0].right(62) + D::Words::select(negative, one, zero);
    let inverse = negated(turns);
    let mut part: Digits<D::Words> = std::array::from_fn(|i| D::Words::select(negative, inverse[i], turns[i]));
    part[0] = part[0].left(2) | part[1].right(62);
    part[1] = part[1].left(2) | part[2].right(62);
    part[2] = part[2].left(2) | part[3].right(62);
    part[3] = part[3].left(2);
    let (distance, [a, b, _]) = normalized(part);
    // The first 53 bits, and the next.
    let exponent = distance.splat((-53i64).cast_unsigned()) - distance;
    let high = integer(a.right(11)) * power_of_two(exponent);
    let low = integer((a & 0x7ff).left(42) | b.right(22)) * power_of_two(exponent - 53);
    let angle = ordered_sum(high, low).times(HALF_PI.splat(x));
    let angle = ordered_sum(angle.high, angle.low);
    // The quadrants of a negative angle count the other way.
    let backwards = x.is_negative();
    let quadrant = D::Words::select(backwards, quadrant.splat(0) - quadrant, quadrant);
    let sign = D::select(negative ^ backwards, x.splat(-1.0), x.splat(1.0));
    Reduced { rest: Pair { high: sign * angle.high, low: sign * angle.low }, quadrant }
}
