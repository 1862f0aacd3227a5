//! Ranges of integers: bounds of a value read as signed and as unsigned, and what operations make of them.

use std::fmt;

/// Bounds on the elements of a tile of integers, read as signed and as unsigned numbers of their width.
///
/// Both readings are kept, because neither follows from the other where a value may have its highest bit set. A range is never empty.
/// Bounds are those of what the engine computes: arithmetic wraps, whatever `overflow` promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    bits: u32,
    signed: (i64, i64),
    unsigned: (u64, u64),
}

impl Range {
    /// Every number of this width, which is from 1 to 64 bits.
    pub fn full(bits: u32) -> Range {
        Range { bits, signed: (min_signed(bits), max_signed(bits)), unsigned: (0, max_unsigned(bits)) }
    }

    /// One number: the lower bits of `value`.
    pub fn constant(bits: u32, value: u64) -> Range {
        let value = value & max_unsigned(bits);
        let signed = sign_extend(bits, value);
        Range { bits, signed: (signed, signed), unsigned: (value, value) }
    }

    /// The numbers from `low` to `high`, read as signed, as far as the width has them; every number if it has none of them.
    pub fn signed(bits: u32, low: i64, high: i64) -> Range {
        Range::full(bits).meet_signed(i128::from(low), i128::from(high))
    }

    /// The numbers from `low` to `high`, read as unsigned, as far as the width has them; every number if it has none of them.
    pub fn unsigned(bits: u32, low: u64, high: u64) -> Range {
        Range::full(bits).meet_unsigned(u128::from(low), u128::from(high))
    }

    /// Width of the numbers.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Smallest number, read as signed.
    pub fn smin(self) -> i64 {
        self.signed.0
    }

    /// Largest number, read as signed.
    pub fn smax(self) -> i64 {
        self.signed.1
    }

    /// Smallest number, read as unsigned.
    pub fn umin(self) -> u64 {
        self.unsigned.0
    }

    /// Largest number, read as unsigned.
    pub fn umax(self) -> u64 {
        self.unsigned.1
    }

    /// The only number, read as unsigned, if there is only one.
    pub fn as_constant(self) -> Option<u64> {
        (self.umin() == self.umax()).then_some(self.umin())
    }

    /// Whether nothing is known but the width.
    pub fn is_full(self) -> bool {
        self == Range::full(self.bits)
    }

    /// Whether no number is negative, read as signed.
    pub fn is_non_negative(self) -> bool {
        self.smin() >= 0
    }

    /// Whether a number, given as unsigned, lies in the range.
    pub fn contains(self, value: u64) -> bool {
        let signed = sign_extend(self.bits, value);
        (self.umin()..=self.umax()).contains(&value) && (self.smin()..=self.smax()).contains(&signed)
    }

    /// The smallest range that holds both.
    pub fn join(self, other: Range) -> Range {
        Range {
            bits: self.bits,
            signed: (self.smin().min(other.smin()), self.smax().max(other.smax())),
            unsigned: (self.umin().min(other.umin()), self.umax().max(other.umax())),
        }
    }

    /// What lies in both; `self` if nothing does, which says that the program never gets here.
    pub fn meet(self, other: Range) -> Range {
        self.meet_signed(other.smin().into(), other.smax().into()).meet_unsigned(other.umin().into(), other.umax().into())
    }

    /// Moves each bound that is further out in `next` to the end of the width, so that a chain of growing ranges is short.
    pub(super) fn widen(self, next: Range) -> Range {
        let full = Range::full(self.bits);
        let low_signed = if next.smin() < self.smin() { full.smin() } else { self.smin() };
        let high_signed = if next.smax() > self.smax() { full.smax() } else { self.smax() };
        let low = if next.umin() < self.umin() { full.umin() } else { self.umin() };
        let high = if next.umax() > self.umax() { full.umax() } else { self.umax() };
        Range { bits: self.bits, signed: (low_signed, high_signed), unsigned: (low, high) }
    }

    /// Keeps what lies between two signed bounds.
    fn meet_signed(mut self, low: i128, high: i128) -> Range {
        let (low, high) = (low.max(self.smin().into()), high.min(self.smax().into()));
        if low <= high {
            self.signed = (low as i64, high as i64);
        }
        self.agree()
    }

    /// Keeps what lies between two unsigned bounds.
    fn meet_unsigned(mut self, low: u128, high: u128) -> Range {
        let (low, high) = (low.max(self.umin().into()), high.min(self.umax().into()));
        if low <= high {
            self.unsigned = (low as u64, high as u64);
        }
        self.agree()
    }

    /// Lets each reading learn from the other, where all numbers have the same sign.
    fn agree(mut self) -> Range {
        let max = max_signed(self.bits).cast_unsigned();
        if self.smin() >= 0 || self.umax() <= max {
            let low = (self.smin().max(0) as u64).max(self.umin());
            let high = (self.smax().max(0) as u64).min(self.umax());
            if low <= high {
                self.unsigned = (low, high);
                self.signed = (low as i64, high as i64);
            }
        } else if self.smax() < 0 || self.umin() > max {
            let as_unsigned = |n: i64| n.cast_unsigned() & max_unsigned(self.bits);
            let low = as_unsigned(self.smin().min(-1)).max(self.umin());
            let high = as_unsigned(self.smax().min(-1)).min(self.umax());
            if low <= high {
                self.unsigned = (low, high);
                self.signed = (sign_extend(self.bits, low), sign_extend(self.bits, high));
            }
        }
        self
    }

    /// The range of results whose bounds were computed without wrapping: a reading in which they do not fit knows nothing.
    fn of_exact(bits: u32, signed: Option<(i128, i128)>, unsigned: Option<(i128, i128)>) -> Range {
        let full = Range::full(bits);
        let mut range = full;
        if let Some((low, high)) = signed
            && low >= full.smin().into()
            && high <= full.smax().into()
        {
            range = range.meet_signed(low, high);
        }
        if let Some((low, high)) = unsigned
            && low >= 0
            && high <= full.umax().into()
        {
            range = range.meet_unsigned(low as u128, high as u128);
        }
        range
    }

    fn s(self) -> (i128, i128) {
        (self.smin().into(), self.smax().into())
    }

    fn u(self) -> (i128, i128) {
        (self.umin().into(), self.umax().into())
    }

    /// The sum.
    pub fn addi(self, other: Range) -> Range {
        let sum = |a: (i128, i128), b: (i128, i128)| Some((a.0 + b.0, a.1 + b.1));
        Range::of_exact(self.bits, sum(self.s(), other.s()), sum(self.u(), other.u()))
    }

    /// The difference.
    pub fn subi(self, other: Range) -> Range {
        let difference = |a: (i128, i128), b: (i128, i128)| Some((a.0 - b.1, a.1 - b.0));
        Range::of_exact(self.bits, difference(self.s(), other.s()), difference(self.u(), other.u()))
    }

    /// The product.
    pub fn muli(self, other: Range) -> Range {
        Range::of_exact(self.bits, corners(self.s(), other.s(), i128::checked_mul), corners(self.u(), other.u(), i128::checked_mul))
    }

    /// The number with its sign changed.
    pub fn negi(self) -> Range {
        Range::constant(self.bits, 0).subi(self)
    }

    /// The magnitude; of the smallest number, that number.
    pub fn absi(self) -> Range {
        let (low, high) = self.s();
        let smallest = if low <= 0 && high >= 0 { 0 } else { low.abs().min(high.abs()) };
        Range::of_exact(self.bits, None, Some((smallest, low.abs().max(high.abs()))))
    }

    /// The quotient: toward zero, or by `floor` or `ceil` downward or upward. A division by 0 sets all bits, and one that is too large gives
    /// the dividend, so where either may happen nothing is known.
    pub fn divi(self, other: Range, signed: bool, rounding: Quotient) -> Range {
        let (a, b) = if signed { (self.s(), other.s()) } else { (self.u(), other.u()) };
        let overflows = signed && a.0 == i128::from(min_signed(self.bits)) && (b.0..=b.1).contains(&-1);
        if (b.0..=b.1).contains(&0) || overflows {
            return Range::full(self.bits);
        }
        let divide = |x: i128, y: i128| Some(rounding.divide(x, y));
        let bounds = corners(a, b, divide);
        if signed { Range::of_exact(self.bits, bounds, None) } else { Range::of_exact(self.bits, None, bounds) }
    }

    /// The remainder, with the sign of the dividend; by 0, the dividend.
    pub fn remi(self, other: Range, signed: bool) -> Range {
        let (a, b) = if signed { (self.s(), other.s()) } else { (self.u(), other.u()) };
        let largest_divisor = b.0.abs().max(b.1.abs());
        let by_zero = (b.0..=b.1).contains(&0);
        let limit = |magnitude: i128| if by_zero { magnitude } else { magnitude.min(largest_divisor - 1) };
        let bounds = Some((-limit((-a.0).max(0)), limit(a.1.max(0))));
        if signed { Range::of_exact(self.bits, bounds, None) } else { Range::of_exact(self.bits, None, bounds) }
    }

    /// The larger of two numbers.
    pub fn maxi(self, other: Range, signed: bool) -> Range {
        let joined = self.join(other);
        if signed {
            joined.meet_signed(self.smin().max(other.smin()).into(), joined.smax().into())
        } else {
            joined.meet_unsigned(self.umin().max(other.umin()).into(), joined.umax().into())
        }
    }

    /// The smaller of two numbers.
    pub fn mini(self, other: Range, signed: bool) -> Range {
        let joined = self.join(other);
        if signed {
            joined.meet_signed(joined.smin().into(), self.smax().min(other.smax()).into())
        } else {
            joined.meet_unsigned(joined.umin().into(), self.umax().min(other.umax()).into())
        }
    }

    /// The bits that both have.
    pub fn andi(self, other: Range) -> Range {
        self.bitwise(other, |a, b| a & b).meet_unsigned(0, self.umax().min(other.umax()).into())
    }

    /// The bits that either has.
    pub fn ori(self, other: Range) -> Range {
        self.bitwise(other, |a, b| a | b).meet_unsigned(self.umin().max(other.umin()).into(), u128::from(u64::MAX))
    }

    /// The bits that one of both has.
    pub fn xori(self, other: Range) -> Range {
        self.bitwise(other, |a, b| a ^ b)
    }

    /// An operation on bits that sets none where neither number may have one.
    fn bitwise(self, other: Range, apply: impl Fn(u64, u64) -> u64) -> Range {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return Range::constant(self.bits, apply(a, b));
        }
        let highest = (self.umax() | other.umax()).checked_ilog2().map_or(0, |bit| u64::MAX >> (63 - bit));
        Range::full(self.bits).meet_unsigned(0, highest.into())
    }

    /// Shifted left; by the width or more, 0.
    pub fn shli(self, count: Range) -> Range {
        if count.umax() >= u64::from(self.bits) {
            return if count.umin() >= u64::from(self.bits) { Range::constant(self.bits, 0) } else { Range::full(self.bits) };
        }
        let powers = (1i128 << count.umin(), 1i128 << count.umax());
        Range::of_exact(self.bits, corners(self.s(), powers, i128::checked_mul), corners(self.u(), powers, i128::checked_mul))
    }

    /// Shifted right, filled with the sign or with zeros; by the width or more, the sign or 0.
    pub fn shri(self, count: Range, signed: bool) -> Range {
        let most = u64::from(self.bits);
        let counts = (i128::from(count.umin().min(most)), i128::from(count.umax().min(most)));
        let shift = |x: i128, n: i128| Some(x >> n);
        if signed {
            Range::of_exact(self.bits, corners(self.s(), counts, shift), None)
        } else {
            Range::of_exact(self.bits, None, corners(self.u(), counts, shift))
        }
    }

    /// Widened to `bits`, read as signed or unsigned.
    pub fn exti(self, bits: u32, signed: bool) -> Range {
        if signed { Range::full(bits).meet_signed(self.smin().into(), self.smax().into()) } else { self.extend_unsigned(bits) }
    }

    fn extend_unsigned(self, bits: u32) -> Range {
        Range::full(bits).meet_unsigned(self.umin().into(), self.umax().into())
    }

    /// The lower `bits`.
    pub fn trunci(self, bits: u32) -> Range {
        Range::of_exact(bits, Some(self.s()), Some(self.u()))
    }

    /// The answers of a comparison of which it is known that it holds, or that it does not.
    pub fn truth(known: Option<bool>) -> Range {
        known.map_or(Range::full(1), |holds| Range::constant(1, holds.into()))
    }
}

impl fmt::Display for Range {
    /// `5`, `0..=7` or, where the readings differ, `-1..=7 (signed)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let full = Range::full(self.bits);
        if self.smin() == self.smax() {
            write!(f, "{}", self.smin())
        } else if self.smin() as i128 == self.umin() as i128 && self.smax() as i128 == self.umax() as i128 {
            write!(f, "{}..={}", self.umin(), self.umax())
        } else if self.signed != full.signed {
            write!(f, "{}..={} (signed)", self.smin(), self.smax())
        } else {
            write!(f, "{}..={} (unsigned)", self.umin(), self.umax())
        }
    }
}

/// How a quotient is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quotient {
    /// Toward zero.
    Zero,
    /// Downward.
    Floor,
    /// Upward.
    Ceil,
}

impl Quotient {
    fn divide(self, x: i128, y: i128) -> i128 {
        let (quotient, rest) = (x / y, x % y);
        let negative = (rest < 0) != (y < 0);
        match self {
            Quotient::Floor if rest != 0 && negative => quotient - 1,
            Quotient::Ceil if rest != 0 && !negative => quotient + 1,
            _ => quotient,
        }
    }
}

/// The bounds of an operation that is monotonic in each operand: its results at the ends of both.
fn corners(a: (i128, i128), b: (i128, i128), apply: impl Fn(i128, i128) -> Option<i128>) -> Option<(i128, i128)> {
    let results = [apply(a.0, b.0)?, apply(a.0, b.1)?, apply(a.1, b.0)?, apply(a.1, b.1)?];
    Some((results.into_iter().min()?, results.into_iter().max()?))
}

fn min_signed(bits: u32) -> i64 {
    i64::MIN >> (64 - bits)
}

fn max_signed(bits: u32) -> i64 {
    i64::MAX >> (64 - bits)
}

fn max_unsigned(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// The number that these bits are, read as signed.
fn sign_extend(bits: u32, value: u64) -> i64 {
    (value << (64 - bits)).cast_signed() >> (64 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        elementwise::{ElemOp, evaluate},
    };
    use tilewright_ir::{RoundingMode, Scalar};

    /// All ranges of 4-bit signed bounds within i8 are too many: bounds at the places where readings and signs change.
    fn ranges() -> Vec<Range> {
        const EDGES: [i64; 9] = [-128, -127, -9, -1, 0, 1, 6, 126, 127];
        let mut all = vec![Range::full(8), Range::unsigned(8, 100, 200), Range::unsigned(8, 3, 255)];
        for (i, low) in EDGES.iter().enumerate() {
            all.extend(EDGES[i..].iter().map(|high| Range::signed(8, *low, *high)));
        }
        all
    }

    fn members(range: Range) -> Vec<u64> {
        (0..256).filter(|value| range.contains(*value)).collect()
    }

    /// Every result of members of two ranges, as the engine computes it, lies in the range of the results.
    #[test]
    fn results_lie_in_the_range_of_results() {
        type Of = fn(Range, Range) -> Range;
        let cases: [(ElemOp, Of); 21] = [
            (ElemOp::AddI, Range::addi),
            (ElemOp::SubI, Range::subi),
            (ElemOp::MulI, Range::muli),
            (ElemOp::And, Range::andi),
            (ElemOp::Or, Range::ori),
            (ElemOp::Xor, Range::xori),
            (ElemOp::Shl, Range::shli),
            (ElemOp::Shr(true), |a, b| a.shri(b, true)),
            (ElemOp::Shr(false), |a, b| a.shri(b, false)),
            (ElemOp::MaxI(true), |a, b| a.maxi(b, true)),
            (ElemOp::MaxI(false), |a, b| a.maxi(b, false)),
            (ElemOp::MinI(true), |a, b| a.mini(b, true)),
            (ElemOp::MinI(false), |a, b| a.mini(b, false)),
            (ElemOp::RemI(true), |a, b| a.remi(b, true)),
            (ElemOp::RemI(false), |a, b| a.remi(b, false)),
            (ElemOp::DivI(true, RoundingMode::Zero), |a, b| a.divi(b, true, Quotient::Zero)),
            (ElemOp::DivI(false, RoundingMode::Zero), |a, b| a.divi(b, false, Quotient::Zero)),
            (ElemOp::DivI(true, RoundingMode::NegativeInf), |a, b| a.divi(b, true, Quotient::Floor)),
            (ElemOp::DivI(true, RoundingMode::PositiveInf), |a, b| a.divi(b, true, Quotient::Ceil)),
            (ElemOp::DivI(false, RoundingMode::NegativeInf), |a, b| a.divi(b, false, Quotient::Floor)),
            (ElemOp::DivI(false, RoundingMode::PositiveInf), |a, b| a.divi(b, false, Quotient::Ceil)),
        ];
        let i8s = [Elem::Num(Scalar::I8); 3];
        let ranges = ranges();
        for (op, of) in cases {
            // What the operation gives of each pair, once.
            let table: Vec<u64> = (0..1u64 << 16).map(|pair| evaluate(op, &i8s, i8s[0], [pair >> 8, pair & 0xff, 0]) & 0xff).collect();
            for &a in &ranges {
                for &b in ranges.iter().step_by(3) {
                    let result = of(a, b);
                    for x in members(a) {
                        for y in members(b) {
                            let found = table[(x << 8 | y) as usize];
                            assert!(result.contains(found), "{op:?} of {x} in {a:?} and {y} in {b:?}: {found}, not in {result:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn conversions_keep_every_number() {
        for range in ranges() {
            for value in members(range) {
                let signed = sign_extend(8, value).cast_unsigned();
                assert!(range.exti(16, true).contains(signed & 0xffff), "{range:?} {value}");
                assert!(range.exti(64, false).contains(value), "{range:?} {value}");
                assert!(range.trunci(4).contains(value & 15), "{range:?} {value}");
                assert!(range.negi().contains(value.wrapping_neg() & 0xff), "{range:?} {value}");
                assert!(range.absi().contains(signed.cast_signed().unsigned_abs() & 0xff), "{range:?} {value}");
            }
        }
    }

    #[test]
    fn readings_learn_from_each_other() {
        let positive = Range::signed(32, 0, 100);
        assert_eq!((positive.umin(), positive.umax()), (0, 100));
        let negative = Range::signed(8, -3, -1);
        assert_eq!((negative.umin(), negative.umax()), (253, 255));
        assert_eq!(Range::unsigned(8, 200, 255).smin(), -56);
        assert_eq!(Range::unsigned(8, 100, 200).smin(), -128);
    }

    #[test]
    fn sums_that_may_wrap_are_not_bounded() {
        assert_eq!(Range::signed(8, 0, 100).addi(Range::constant(8, 27)), Range::signed(8, 27, 127));
        let wrapped = Range::signed(8, 0, 100).addi(Range::constant(8, 28));
        assert_eq!((wrapped.smin(), wrapped.smax(), wrapped.umin(), wrapped.umax()), (-128, 127, 28, 128));
    }

    #[test]
    fn ranges_print_shortly() {
        assert_eq!(Range::signed(32, 0, 7).to_string(), "0..=7");
        assert_eq!(Range::constant(8, 255).to_string(), "-1");
        assert_eq!(Range::signed(32, -1, 7).to_string(), "-1..=7 (signed)");
        assert_eq!(Range::unsigned(8, 100, 200).to_string(), "100..=200 (unsigned)");
    }
}
