//! Angles of `f64` far from zero, reduced to a quadrant with as many digits of pi as that takes (Payne and Hanek).

use super::{Halved, Pair, angle::Reduced, arctangent::HALF_PI, ordered_sum, power_of_two};

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

/// Limbs of the product of an angle with the digits that matter, the lowest first.
type Product = [u64; 5];

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

/// Reduces a finite angle of at least 2^20.
pub(super) fn reduce(x: f64) -> Reduced {
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
    let part = |bit: i32| (window(&turns, bit) & ((1 << 53) - 1)) as f64 * power_of_two(i64::from(bit - point).cast_unsigned());
    let turn = ordered_sum(part(top - 52), part(top - 105));
    let angle = turn.times::<Halved>(HALF_PI);
    let angle = ordered_sum(angle.high, angle.low);
    // The quadrants of a negative angle count the other way.
    let quadrant = if x < 0.0 { quadrant.wrapping_neg() } else { quadrant };
    let sign = if negative == (x < 0.0) { 1.0 } else { -1.0 };
    Reduced { rest: Pair { high: sign * angle.high, low: sign * angle.low }, quadrant }
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
