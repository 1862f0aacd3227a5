//! Integer operations on `u64` bit patterns (SEMANTICS c.2).
//!
//! `width` is the element width in bits: 1, 4, 8, 16, 32 or 64 in Tile IR; any value from 1 to 64 works, and others
//! are clamped into that range. Operands are read from their low `width` bits and results are zero above them. An i1
//! holds 0 and 1 when unsigned, 0 and -1 when signed, as at every other width.

use crate::Predicate;

/// Rounding of `divi`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IntRounding {
    /// Truncate.
    #[default]
    Zero,
    /// Ceiling.
    PositiveInf,
    /// Floor; Tile IR allows it for signed division only.
    NegativeInf,
}

/// Ones in the low `width` bits.
#[inline]
pub const fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - clamp_width(width))
}

const fn clamp_width(width: u32) -> u32 {
    match width {
        0 => 1,
        1..=64 => width,
        _ => 64,
    }
}

/// The low `width` bits (`trunci`; also zero extension from `width`).
#[inline]
pub const fn truncate(value: u64, width: u32) -> u64 {
    value & mask(width)
}

/// The low `width` bits read as two's complement.
#[inline]
pub const fn sign_extend(value: u64, width: u32) -> i64 {
    let unused = 64 - clamp_width(width);
    ((value << unused) as i64) >> unused
}

/// `exti`: from `from` bits to `to` bits.
#[inline]
pub const fn extend(value: u64, from: u32, to: u32, signed: bool) -> u64 {
    let wide = if signed { sign_extend(value, from) as u64 } else { truncate(value, from) };
    truncate(wide, to)
}

/// The value as a mathematical integer.
#[inline]
const fn value_of(a: u64, width: u32, signed: bool) -> i128 {
    if signed { sign_extend(a, width) as i128 } else { truncate(a, width) as i128 }
}

/// The smallest signed value's bit pattern.
#[inline]
const fn signed_min(width: u32) -> u64 {
    1 << (clamp_width(width) - 1)
}

/// `addi`, wrapping.
#[inline]
pub const fn add(a: u64, b: u64, width: u32) -> u64 {
    truncate(a.wrapping_add(b), width)
}

/// `subi`, wrapping.
#[inline]
pub const fn sub(a: u64, b: u64, width: u32) -> u64 {
    truncate(a.wrapping_sub(b), width)
}

/// `muli`, wrapping.
#[inline]
pub const fn mul(a: u64, b: u64, width: u32) -> u64 {
    truncate(a.wrapping_mul(b), width)
}

/// `mulhii`: the high half of the unsigned product of twice the width.
#[inline]
pub const fn mul_high(a: u64, b: u64, width: u32) -> u64 {
    let product = truncate(a, width) as u128 * truncate(b, width) as u128;
    (product >> clamp_width(width)) as u64
}

/// `negi`; the smallest value is its own negation.
#[inline]
pub const fn neg(a: u64, width: u32) -> u64 {
    truncate(a.wrapping_neg(), width)
}

/// `absi`; the smallest value keeps its bit pattern.
#[inline]
pub const fn abs(a: u64, width: u32) -> u64 {
    truncate(sign_extend(a, width).unsigned_abs(), width)
}

/// `divi`. `None` where the result is undefined: division by zero, and the smallest signed value by -1.
pub const fn div(a: u64, b: u64, width: u32, signed: bool, rounding: IntRounding) -> Option<u64> {
    let (x, y) = (value_of(a, width, signed), value_of(b, width, signed));
    if y == 0 || (signed && y == -1 && truncate(a, width) == signed_min(width)) {
        return None;
    }
    let (quotient, inexact) = (x / y, x % y != 0);
    let positive = (x < 0) == (y < 0);
    let adjust = match rounding {
        IntRounding::PositiveInf if inexact && positive => 1,
        IntRounding::NegativeInf if inexact && !positive => -1,
        _ => 0,
    };
    Some(truncate((quotient + adjust) as u64, width))
}

/// `remi`: truncating, with the sign of the dividend; the smallest value by -1 is 0. `None` for a zero divisor.
pub const fn rem(a: u64, b: u64, width: u32, signed: bool) -> Option<u64> {
    let (x, y) = (value_of(a, width, signed), value_of(b, width, signed));
    if y == 0 { None } else { Some(truncate((x % y) as u64, width)) }
}

/// `shli`: the count is unsigned; a count of `width` or more gives 0 (undefined in Tile IR).
#[inline]
pub const fn shl(a: u64, count: u64, width: u32) -> u64 {
    let count = truncate(count, width);
    if count >= clamp_width(width) as u64 { 0 } else { truncate(a << count, width) }
}

/// `shri`: arithmetic if `signed`, else logical. The count is unsigned; a count of `width` or more (undefined in
/// Tile IR) leaves only copies of the sign, or 0.
#[inline]
pub const fn shr(a: u64, count: u64, width: u32, signed: bool) -> u64 {
    let count = truncate(count, width);
    let too_far = count >= clamp_width(width) as u64;
    if signed {
        let count = if too_far { 63 } else { count };
        truncate((sign_extend(a, width) >> count) as u64, width)
    } else if too_far {
        0
    } else {
        truncate(a, width) >> count
    }
}

/// `maxi`.
#[inline]
pub const fn max(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    truncate(if value_of(a, width, signed) >= value_of(b, width, signed) { a } else { b }, width)
}

/// `mini`.
#[inline]
pub const fn min(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    truncate(if value_of(a, width, signed) <= value_of(b, width, signed) { a } else { b }, width)
}

/// `cmpi`.
#[inline]
pub fn compare(predicate: Predicate, a: u64, b: u64, width: u32, signed: bool) -> bool {
    predicate.holds(value_of(a, width, signed).cmp(&value_of(b, width, signed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of operands at widths 1 and 4 and 8 against plain integers.
    fn for_all_pairs(mut check: impl FnMut(u32, bool, u64, u64)) {
        for width in [1, 4, 8] {
            for a in 0..1u64 << width {
                for b in 0..1u64 << width {
                    check(width, false, a, b);
                    check(width, true, a, b);
                }
            }
        }
    }

    fn number(bits: u64, width: u32, signed: bool) -> i64 {
        let top = 1i64 << width;
        let n = bits as i64;
        if signed && n >= top / 2 { n - top } else { n }
    }

    fn bits(n: i64, width: u32) -> u64 {
        n.rem_euclid(1 << width) as u64
    }

    #[test]
    fn wrapping_operations() {
        for_all_pairs(|w, s, a, b| {
            let (x, y) = (number(a, w, s), number(b, w, s));
            assert_eq!(add(a, b, w), bits(x + y, w));
            assert_eq!(sub(a, b, w), bits(x - y, w));
            assert_eq!(mul(a, b, w), bits(x * y, w));
            assert_eq!(neg(a, w), bits(-x, w));
            assert_eq!(mul_high(a, b, w), (a * b) >> w);
            assert_eq!(abs(a, w), bits(number(a, w, true).abs(), w));
            assert_eq!(max(a, b, w, s), bits(x.max(y), w));
            assert_eq!(min(a, b, w, s), bits(x.min(y), w));
            for p in Predicate::ALL {
                assert_eq!(compare(p, a, b, w, s), p.holds(x.cmp(&y)));
            }
        });
    }

    #[test]
    fn division() {
        for_all_pairs(|w, s, a, b| {
            let (x, y) = (number(a, w, s), number(b, w, s));
            let undefined = y == 0 || (s && y == -1 && x == -(1 << (w - 1)));
            for r in [IntRounding::Zero, IntRounding::PositiveInf, IntRounding::NegativeInf] {
                let got = div(a, b, w, s, r);
                if undefined {
                    assert_eq!(got, None);
                    continue;
                }
                let real = x as f64 / y as f64;
                let want = match r {
                    IntRounding::Zero => real.trunc(),
                    IntRounding::PositiveInf => real.ceil(),
                    IntRounding::NegativeInf => real.floor(),
                };
                assert_eq!(got, Some(bits(want as i64, w)), "{x}/{y} {r:?} i{w}");
            }
            let want = (y != 0).then(|| bits(x % y, w));
            assert_eq!(rem(a, b, w, s), want);
        });
    }

    #[test]
    fn shifts() {
        for_all_pairs(|w, s, a, count| {
            let x = number(a, w, s);
            let step = count.min(20) as u32;
            let in_range = count < u64::from(w);
            assert_eq!(shl(a, count, w), if in_range { bits(x << step, w) } else { 0 });
            assert_eq!(shr(a, count, w, s), bits(x >> step, w));
        });
    }

    #[test]
    fn widths_and_extension() {
        assert_eq!([mask(1), mask(4), mask(64)], [1, 15, u64::MAX]);
        assert_eq!(extend(1, 1, 32, true), 0xFFFF_FFFF);
        assert_eq!(extend(1, 1, 32, false), 1);
        assert_eq!(extend(0x8, 4, 8, true), 0xF8);
        assert_eq!(sign_extend(0x80, 8), -128);
        assert_eq!(sign_extend(u64::MAX, 64), -1);
    }

    #[test]
    fn wide_edges() {
        let min = 1u64 << 63;
        assert_eq!(div(min, u64::MAX, 64, true, IntRounding::Zero), None);
        assert_eq!(rem(min, u64::MAX, 64, true), Some(0));
        assert_eq!(div(u64::MAX, 2, 64, false, IntRounding::PositiveInf), Some(min));
        assert_eq!(mul_high(u64::MAX, u64::MAX, 64), u64::MAX - 1);
        assert_eq!(abs(min, 64), min);
        assert_eq!(shr(min, 64, 64, true), u64::MAX);
        assert_eq!(shr(min, 1 << 40, 64, false), 0);
        assert!(compare(Predicate::LessThan, u64::MAX, 0, 64, true));
        assert!(!compare(Predicate::LessThan, u64::MAX, 0, 64, false));
    }

    /// SEMANTICS (h) and the i1 rules of (b).
    #[test]
    fn specification_vectors() {
        let minus7 = 0xFFFF_FFF9;
        let by_two = |r| div(minus7, 2, 32, true, r).map(|q| sign_extend(q, 32));
        assert_eq!(by_two(IntRounding::Zero), Some(-3));
        assert_eq!(by_two(IntRounding::PositiveInf), Some(-3));
        assert_eq!(by_two(IntRounding::NegativeInf), Some(-4));
        assert_eq!(rem(0x8000_0000, 0xFFFF_FFFF, 32, true), Some(0));
        assert_eq!(abs(0x8000_0000, 32), 0x8000_0000);
        assert_eq!(mul_high(0xFFFF_FFFF, 0xFFFF_FFFF, 32), 0xFFFF_FFFE);
        assert_eq!([add(1, 1, 1), mul(1, 1, 1), neg(1, 1), abs(1, 1)], [0, 1, 1, 1]);
        assert!(compare(Predicate::LessThan, 1, 0, 1, true));
    }
}
