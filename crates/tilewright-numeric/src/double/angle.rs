//! Angles of `f64` far from zero, reduced to a quadrant with as many digits of pi as that takes (Payne and Hanek).

use super::{Pair, product, quotient, sum};

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
/// `pi / 2` as a pair.
const HALF_PI: (f64, f64) = (f64::from_bits(0x3FF921FB54442D18), f64::from_bits(0x3C91A62633145C07));

/// Angles below this are left to `libm`, whose own reduction is good there.
const FAR: f64 = 134_217_728.0;

/// Limbs of the product of an angle with the digits that matter, the lowest first.
type Product = [u64; 5];

/// An angle in a quadrant: `quadrant * pi / 2 + high + low`.
struct Reduced {
    quadrant: u64,
    high: f64,
    low: f64,
}

/// 256 digits of `2 / pi` from a position on, the lowest limb first.
fn digits(position: usize) -> [u64; 4] {
    let (word, bit) = (position / 64, position % 64);
    std::array::from_fn(|i| {
        let i = word + 3 - i;
        if bit == 0 { TWO_OVER_PI[i] } else { TWO_OVER_PI[i] << bit | TWO_OVER_PI[i + 1] >> (64 - bit) }
    })
}

fn multiply(digits: [u64; 4], factor: u64) -> Product {
    let (mut product, mut carry) = ([0; 5], 0);
    for (limb, digit) in product.iter_mut().zip(digits) {
        let sum = u128::from(digit) * u128::from(factor) + carry;
        *limb = sum as u64;
        carry = sum >> 64;
    }
    product[4] = carry as u64;
    product
}

/// The bits of a product from `bit` on, up to 64 of them; `bit` may be below the lowest one, where there are zeros.
fn window(product: &Product, bit: i32) -> u64 {
    let limb = |i: i32| usize::try_from(i).ok().and_then(|i| product.get(i)).copied().unwrap_or(0);
    let (word, shift) = (bit.div_euclid(64), bit.rem_euclid(64));
    if shift == 0 { limb(word) } else { limb(word) >> shift | limb(word + 1) << (64 - shift) }
}

/// Reduces a finite angle of at least [`FAR`].
fn reduce(x: f64) -> Reduced {
    let bits = x.to_bits();
    let (mantissa, exponent) = (bits & ((1 << 52) - 1) | 1 << 52, ((bits >> 52) & 0x7FF) as i32 - 1075);
    // Digits in front of these make multiples of four quadrants.
    let first = (exponent - 2).max(0);
    let mut turns = multiply(digits(first as usize), mantissa);
    // The point lies here.
    let point = 256 - (exponent - first);
    let mut quadrant = window(&turns, point);
    // What is behind the point, as a number from -1/2 to 1/2.
    let negative = window(&turns, point - 1) & 1 == 1;
    if negative {
        quadrant += 1;
        let mut carry = true;
        for limb in &mut turns {
            (*limb, carry) = (!*limb).overflowing_add(carry.into());
        }
    }
    clear_from(&mut turns, point);
    let top = highest(&turns);
    let part = |bit: i32| (window(&turns, bit) & ((1 << 53) - 1)) as f64 * power_of_two(bit - point);
    let (high, low) = (part(top - 52), part(top - 105));
    // The product of two pairs.
    let angle = product(high, HALF_PI.0);
    let sum = sum(angle.high, angle.low + (high * HALF_PI.1 + low * HALF_PI.0));
    let sign = if negative { -1.0 } else { 1.0 };
    Reduced { quadrant: quadrant & 3, high: sign * sum.high, low: sign * sum.low }
}

/// Clears the bits from `bit` on.
fn clear_from(product: &mut Product, bit: i32) {
    for (i, limb) in product.iter_mut().enumerate() {
        let kept = bit - 64 * i as i32;
        *limb &= if kept >= 64 {
            u64::MAX
        } else if kept <= 0 {
            0
        } else {
            u64::MAX >> (64 - kept)
        };
    }
}

/// The position of the highest bit that is set.
fn highest(product: &Product) -> i32 {
    let limb = product.iter().rposition(|limb| *limb != 0);
    limb.map_or(0, |i| 64 * i as i32 + 63 - product[i].leading_zeros() as i32)
}

/// 2 to a power from -1022 to 1023.
fn power_of_two(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

/// A polynomial; coefficients from the constant one on.
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients.into_iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Sine and cosine of what is left of an angle, at most `pi / 4`, as pairs.
fn both(angle: &Reduced) -> [Pair; 2] {
    const SINE: [f64; 8] = [
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 355_687_428_096_000.0,
    ];
    const COSINE: [f64; 8] = [
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 20_922_789_888_000.0,
        -1.0 / 6_402_373_705_728_000.0,
    ];
    let (x, low) = (angle.high, angle.low);
    let square = product(x, x);
    let cubic = x * square.high * polynomial(square.high, SINE);
    let sine = sum(x, cubic + low * (1.0 - square.high / 2.0));
    let first = sum(1.0, -square.high / 2.0);
    let rest = square.high * square.high * polynomial(square.high, COSINE);
    let cosine = sum(first.high, first.low - square.low / 2.0 - x * low + rest);
    [sine, cosine]
}

/// `sin`.
pub(crate) fn sin(x: f64) -> f64 {
    if x.abs() < FAR || !x.is_finite() {
        return libm::sin(x);
    }
    let angle = reduce(x.abs());
    let [sine, cosine] = both(&angle).map(|pair| pair.high);
    let value = [sine, cosine, -sine, -cosine][angle.quadrant as usize];
    if x < 0.0 { -value } else { value }
}

/// `cos`.
pub(crate) fn cos(x: f64) -> f64 {
    if x.abs() < FAR || !x.is_finite() {
        return libm::cos(x);
    }
    let angle = reduce(x.abs());
    let [sine, cosine] = both(&angle).map(|pair| pair.high);
    [cosine, -sine, -cosine, sine][angle.quadrant as usize]
}

/// `tan`.
pub(crate) fn tan(x: f64) -> f64 {
    if x.abs() < FAR || !x.is_finite() {
        return libm::tan(x);
    }
    let angle = reduce(x.abs());
    let [sine, cosine] = both(&angle);
    let value = if angle.quadrant.is_multiple_of(2) { quotient(sine, cosine) } else { -quotient(cosine, sine) };
    if x < 0.0 { -value } else { value }
}
