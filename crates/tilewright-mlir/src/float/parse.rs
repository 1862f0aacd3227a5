//! From decimal digits to the bits of a float.

use super::{Format, Special};

/// A number: `significand * 2^exponent`, and whether it is a little more than that.
#[derive(Clone, Copy)]
struct Number {
    significand: u128,
    exponent: i32,
    is_more: bool,
}

impl Format {
    /// The bits of the nearest number of the format. `text` is decimal with a point, such as `1.5e-3`. None if the format has no such
    /// number: a zero or a sign that it lacks, or a number that is too large where there is no infinity.
    ///
    /// Formats that an f64 can express are rounded from the nearest f64, as MLIR does; wider ones from the digits.
    pub(crate) fn parse(self, is_negative: bool, text: &str) -> Option<u128> {
        const DOUBLE_PRECISION: u32 = 53;
        let number = if self.precision() <= DOUBLE_PRECISION {
            let double: f64 = text.parse().ok()?;
            if double.is_infinite() { Number { significand: 1, exponent: i32::MAX / 2, is_more: false } } else { Number::of_double(double) }
        } else {
            Number::of_digits(text)
        };
        let sign = match (is_negative, self.is_signed) {
            (true, false) => return None,
            (true, true) => 1 << (self.width - 1),
            (false, _) => 0,
        };
        let magnitude = self.encode(number)?;
        // What would be -0 is NaN in some formats.
        let is_nan = magnitude == 0 && self.special == Special::NegativeZero;
        Some(if is_nan { 0 } else { sign | magnitude })
    }

    /// The bits of the nearest number, without a sign.
    fn encode(self, number: Number) -> Option<u128> {
        let precision = self.precision() as i32;
        let lowest_exponent = if self.mantissa_bits == 0 { -self.bias } else { 1 - self.bias };
        if number.significand == 0 && !number.is_more {
            return (self.mantissa_bits > 0).then_some(0);
        }
        let highest = number.exponent.saturating_add(127 - number.significand.leading_zeros() as i32);
        // The exponent of the last place.
        let mut unit = highest.max(lowest_exponent).saturating_sub(precision - 1);
        let mut rounded = number.rounded_to(unit);
        if rounded >> precision != 0 {
            rounded >>= 1;
            unit += 1;
        }
        let hidden = u128::from(!self.has_integer_bit) << (precision - 1);
        let is_normal = rounded >> (precision - 1) != 0;
        if !is_normal && self.mantissa_bits == 0 {
            return None;
        }
        let field = if is_normal { i64::from(unit) + i64::from(precision) - 1 + i64::from(self.bias) } else { 0 };
        let largest = (1i64 << self.exponent_bits) - 1;
        let mantissa = if is_normal { rounded - hidden } else { rounded };
        let all_ones = (1u128 << self.mantissa_bits) - 1;
        let is_too_large = match self.special {
            Special::Ieee => field >= largest,
            Special::AllOnes => field > largest || (field == largest && mantissa == all_ones),
            Special::NegativeZero | Special::Finite => field > largest,
        };
        match (is_too_large, self.special) {
            (false, _) => Some((field as u128) << self.mantissa_bits | mantissa),
            (true, Special::Ieee) => {
                let integer_bit = u128::from(self.has_integer_bit) << (self.mantissa_bits - 1);
                Some((largest as u128) << self.mantissa_bits | integer_bit)
            }
            (true, _) => None,
        }
    }
}

impl Number {
    fn of_double(value: f64) -> Number {
        let bits = value.to_bits();
        let field = (bits >> 52) as i32 & 0x7ff;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let (significand, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        Number { significand, exponent, is_more: false }
    }

    /// The number as a multiple of `2^unit`, rounded to the nearest, and to an even one of two.
    fn rounded_to(self, unit: i32) -> u128 {
        let shift = unit.saturating_sub(self.exponent);
        if shift <= 0 {
            return self.significand << shift.unsigned_abs().min(127);
        }
        if shift > 127 {
            return u128::from(shift == 128 && self.significand >> 127 == 1 && (self.significand << 1 != 0 || self.is_more));
        }
        let (kept, cut) = (self.significand >> shift, self.significand & ((1 << shift) - 1));
        let half = 1u128 << (shift - 1);
        let is_up = cut > half || (cut == half && (self.is_more || kept & 1 == 1));
        kept + u128::from(is_up)
    }

    /// The first bits of a decimal number.
    fn of_digits(text: &str) -> Number {
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        /// No format has numbers as large or as small.
        const FARTHEST: i64 = 6_000;
        let exponent = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { -FARTHEST } else { FARTHEST });
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let tens = exponent.saturating_sub(fraction.len() as i64).clamp(-FARTHEST - text.len() as i64, FARTHEST);
        let mut natural = Natural::default();
        for digits in [whole, fraction].iter().flat_map(|digits| digits.as_bytes().chunks(MOST_DIGITS)) {
            let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
            natural.multiply_and_add(power_of_ten(digits.len()), number);
        }
        let mut shift = 0;
        let mut is_more = false;
        if tens >= 0 {
            powers_of_ten(tens).for_each(|power| natural.multiply_and_add(power, 0));
        } else {
            // 2^10 is more than 10^3, so that enough bits remain.
            shift = (tens.unsigned_abs() as usize * 10 / 3 + 192) / 64;
            natural.shift_by_words(shift);
            powers_of_ten(-tens).for_each(|power| is_more |= natural.divide(power) != 0);
        }
        let (significand, dropped, rest) = natural.first_bits();
        Number { significand, exponent: dropped as i32 - 64 * shift as i32, is_more: is_more || rest }
    }
}

/// The most decimal digits that surely fit into a word.
const MOST_DIGITS: usize = 19;

fn power_of_ten(digits: usize) -> u64 {
    10u64.pow(digits as u32)
}

/// Powers of ten whose product is that of so many tens.
fn powers_of_ten(tens: i64) -> impl Iterator<Item = u64> {
    let tens = tens as usize;
    std::iter::repeat_n(power_of_ten(MOST_DIGITS), tens / MOST_DIGITS).chain([power_of_ten(tens % MOST_DIGITS)])
}

/// A natural number in words, the lowest first.
#[derive(Default)]
struct Natural(Vec<u64>);

impl Natural {
    fn multiply_and_add(&mut self, factor: u64, mut carry: u64) {
        for word in &mut self.0 {
            let sum = u128::from(*word) * u128::from(factor) + u128::from(carry);
            (*word, carry) = (sum as u64, (sum >> 64) as u64);
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    fn shift_by_words(&mut self, count: usize) {
        self.0.splice(0..0, std::iter::repeat_n(0, count));
    }

    /// Divides; gives the remainder.
    fn divide(&mut self, divisor: u64) -> u64 {
        let mut remainder = 0;
        for word in self.0.iter_mut().rev() {
            let part = u128::from(remainder) << 64 | u128::from(*word);
            (*word, remainder) = ((part / u128::from(divisor)) as u64, (part % u128::from(divisor)) as u64);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        remainder
    }

    /// The first bits, how many were left out behind them, and whether one of those is not zero.
    fn first_bits(&self) -> (u128, usize, bool) {
        let len = self.0.len();
        let first = len.saturating_sub(2);
        let significand = self.0[first..].iter().rev().fold(0, |number: u128, &word| number << 64 | u128::from(word));
        // With less than a whole word in front, bits of the next one are needed.
        let zeros = if first > 0 { significand.leading_zeros() } else { 0 };
        if zeros == 0 {
            return (significand, first * 64, self.0[..first].iter().any(|&word| word != 0));
        }
        let next = self.0[first - 1];
        let significand = significand << zeros | u128::from(next >> (64 - zeros));
        (significand, first * 64 - zeros as usize, next << zeros != 0 || self.0[..first - 1].iter().any(|&word| word != 0))
    }
}

#[cfg(test)]
mod tests {
    use crate::float::{Format, push_float};

    /// What is printed of a value gives the value back, for every value of the small formats and some of the others.
    #[test]
    fn printed_numbers_come_back() {
        const NAMES: [&str; 19] = [
            "f16",
            "bf16",
            "f32",
            "f64",
            "f80",
            "f128",
            "tf32",
            "f8E5M2",
            "f8E4M3",
            "f8E3M4",
            "f8E4M3FN",
            "f8E5M2FNUZ",
            "f8E4M3FNUZ",
            "f8E4M3B11FNUZ",
            "f8E8M0FNU",
            "f6E3M2FN",
            "f6E2M3FN",
            "f4E2M1FN",
            "fnv8E5M3FNU",
        ];
        for name in NAMES {
            let format = Format::of(name).unwrap();
            let mask = if format.width == 128 { u128::MAX } else { (1 << format.width) - 1 };
            let mut state = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
            // Wide formats take longer.
            for number in 0..if format.width <= 64 { 65536 } else { 1500 } {
                state = state.wrapping_mul(0xda94_2042_e4dd_58b5).rotate_left(41).wrapping_add(number);
                let mut bits = if format.width <= 16 { number & mask } else { state & mask };
                if name == "f80" {
                    // The first bit of the significand says whether the number is normal.
                    bits = bits & !(1 << 63) | u128::from(bits >> 64 & 0x7fff != 0) << 63;
                }
                let mut text = Vec::new();
                push_float(&mut text, format, bits);
                let text = std::str::from_utf8(&text).unwrap();
                if text.starts_with("0x") {
                    continue;
                }
                let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
                assert_eq!(format.parse(is_negative, digits), Some(bits), "{name} {bits:#x} {text}");
            }
        }
    }

    #[test]
    fn numbers_that_a_format_lacks() {
        let parse = |name: &str, is_negative: bool, text: &str| Format::of(name).unwrap().parse(is_negative, text);
        assert_eq!(parse("f32", false, "1.0e40"), Some(0x7f80_0000));
        assert_eq!(parse("f80", true, "1.0e5000"), Some(0xffff_8000_0000_0000_0000));
        assert_eq!(parse("f128", false, "0.1e99999999999999999999"), Some(0x7fff << 112));
        assert_eq!(parse("f128", false, "0.1e-99999999999999999999"), Some(0));
        assert_eq!(parse("f32", false, "1.0e-60"), Some(0));
        assert_eq!(parse("f8E4M3FN", false, "500.0"), None);
        assert_eq!(parse("f8E8M0FNU", true, "1.0"), None);
        assert_eq!(parse("f8E8M0FNU", false, "0.0"), None);
        assert_eq!(parse("f8E5M2FNUZ", true, "0.0"), Some(0));
    }
}
