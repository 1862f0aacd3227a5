//! Decimal digits of floats, rounded exactly as LLVM's `APFloat` rounds them.

use crate::buffer::TextBuffer;

/// Appends `value` in scientific notation with six decimals, of six significant digits. `value` is finite.
pub(crate) fn push_scientific(out: &mut TextBuffer, value: f64) {
    const DIGITS: usize = 6;
    push_sign(out, value);
    if value == 0.0 {
        return out.push_str("0.000000e+00");
    }
    let (digits, exponent) = significant_digits(value, DIGITS);
    let exponent = exponent + digits.len() as i32 - 1;
    out.push(char::from(digits[0]));
    out.push('.');
    out.extend(digits[1..].iter().map(|&d| char::from(d)));
    out.extend(std::iter::repeat_n('0', DIGITS + 1 - digits.len()));
    out.push_str(if exponent < 0 { "e-" } else { "e+" });
    if exponent.unsigned_abs() < 10 {
        out.push('0');
    }
    out.push_u64(u64::from(exponent.unsigned_abs()));
}

/// Appends `value` with as many digits as identify a float of `precision` significant bits, in plain notation if that
/// is not much longer. `value` is finite and not zero.
pub(crate) fn push_natural(out: &mut TextBuffer, value: f64, precision: u32) {
    const MAX_PADDING: usize = 3;
    let wanted = 2 + (precision * 59 / 196) as usize;
    push_sign(out, value);
    let (digits, exponent) = significant_digits(value, wanted);
    let text = |range: &[u8]| -> String { range.iter().map(|&d| char::from(d)).collect() };
    if exponent >= 0 {
        let zeros = exponent as usize;
        if zeros > MAX_PADDING || digits.len() + zeros > wanted {
            return push_short_scientific(out, &digits, exponent);
        }
        out.push_str(&text(&digits));
        return out.extend(std::iter::repeat_n('0', zeros));
    }
    let whole = exponent + digits.len() as i32;
    if whole > 0 {
        let (before, after) = digits.split_at(whole as usize);
        out.push_str(&text(before));
        out.push('.');
        out.push_str(&text(after));
    } else if (1 - whole) as usize > MAX_PADDING {
        push_short_scientific(out, &digits, exponent);
    } else {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', whole.unsigned_abs() as usize));
        out.push_str(&text(&digits));
    }
}

/// Scientific notation without padding: `1.5E-7`, `2.0E+9`.
fn push_short_scientific(out: &mut TextBuffer, digits: &[u8], exponent: i32) {
    let exponent = exponent + digits.len() as i32 - 1;
    out.push(char::from(digits[0]));
    out.push('.');
    if digits.len() == 1 {
        out.push('0');
    }
    out.extend(digits[1..].iter().map(|&d| char::from(d)));
    out.push_str(if exponent < 0 { "E-" } else { "E+" });
    out.push_u64(u64::from(exponent.unsigned_abs()));
}

fn push_sign(out: &mut TextBuffer, value: f64) {
    if value.is_sign_negative() {
        out.push('-');
    }
}

/// At most `wanted` significant digits of the magnitude of `value` (ASCII, no zeros at the end), and the power of ten
/// of the last one. `value` is finite and not zero.
fn significant_digits(value: f64, wanted: usize) -> (Vec<u8>, i32) {
    let bits = value.abs().to_bits();
    let field = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (significand, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let zeros = significand.trailing_zeros();
    let (mut number, mut power) = Natural::scaled(significand >> zeros, exponent + zeros as i32);

    // LLVM first drops, without rounding, decimal digits that are certainly superfluous.
    let needed = (wanted as u32 * 196).div_ceil(59);
    let removable = number.bits().saturating_sub(needed) * 59 / 196;
    number.divide_by_power_of_ten(removable);
    power += removable as i32;

    let mut digits = number.into_digits();
    power += drop_zeros(&mut digits);
    power += round(&mut digits, wanted);
    (digits, power)
}

fn drop_zeros(digits: &mut Vec<u8>) -> i32 {
    let kept = digits.iter().rposition(|&d| d != b'0').map_or(0, |last| last + 1);
    let dropped = digits.len() - kept;
    digits.truncate(kept);
    dropped as i32
}

/// Rounds to `wanted` digits, half up; gives how many digits went away at the end.
fn round(digits: &mut Vec<u8>, wanted: usize) -> i32 {
    if digits.len() <= wanted {
        return 0;
    }
    let before = digits.len();
    let up = digits[wanted] >= b'5';
    digits.truncate(wanted);
    if up {
        while digits.last() == Some(&b'9') {
            digits.pop();
        }
        match digits.last_mut() {
            Some(digit) => *digit += 1,
            None => {
                // All nines: 1 followed by one more zero than there were digits.
                digits.push(b'1');
                return before as i32;
            }
        }
    } else {
        drop_zeros(digits);
    }
    (before - digits.len()) as i32
}

/// A natural number of any size, in 32-bit limbs, the lowest first, without zeros at the top.
struct Natural(Vec<u32>);

impl Natural {
    /// `significand * 2^exponent` as an integer times a power of ten.
    fn scaled(significand: u64, exponent: i32) -> (Natural, i32) {
        let mut number = Natural(vec![significand as u32, (significand >> 32) as u32]);
        number.normalize();
        if exponent >= 0 {
            for _ in 0..exponent / 31 {
                number.multiply(1 << 31);
            }
            number.multiply(1 << (exponent % 31));
            return (number, 0);
        }
        // n * 2^-e = n * 5^e * 10^-e
        const FIVE_TO_13: u32 = 1_220_703_125;
        let fives = exponent.unsigned_abs();
        for _ in 0..fives / 13 {
            number.multiply(FIVE_TO_13);
        }
        number.multiply(5u32.pow(fives % 13));
        (number, exponent)
    }

    fn normalize(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn bits(&self) -> u32 {
        self.0.last().map_or(0, |top| (self.0.len() as u32) * 32 - top.leading_zeros())
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0u64;
        for limb in &mut self.0 {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Divides and gives the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut remainder = 0u64;
        for limb in self.0.iter_mut().rev() {
            let part = remainder << 32 | u64::from(*limb);
            *limb = (part / u64::from(divisor)) as u32;
            remainder = part % u64::from(divisor);
        }
        self.normalize();
        remainder as u32
    }

    fn divide_by_power_of_ten(&mut self, power: u32) {
        for _ in 0..power / 9 {
            self.divide(1_000_000_000);
        }
        if !power.is_multiple_of(9) {
            self.divide(10u32.pow(power % 9));
        }
    }

    /// Its decimal digits, the highest first.
    fn into_digits(mut self) -> Vec<u8> {
        let mut digits = Vec::with_capacity(24);
        while !self.0.is_empty() {
            let mut chunk = self.divide(1_000_000_000);
            for _ in 0..9 {
                digits.push(b'0' + (chunk % 10) as u8);
                chunk /= 10;
            }
        }
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        digits.reverse();
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn natural(value: f64, precision: u32) -> String {
        let mut out = TextBuffer::new();
        push_natural(&mut out, value, precision);
        out.into_string()
    }

    fn scientific(value: f64) -> String {
        let mut out = TextBuffer::new();
        push_scientific(&mut out, value);
        out.into_string()
    }

    #[test]
    fn extremes() {
        assert_eq!(scientific(f64::MAX), "1.797690e+308");
        assert_eq!(scientific(5e-324), "4.940660e-324");
        assert_eq!(natural(f64::MAX, 53), "1.7976931348623157E+308");
        assert_eq!(natural(f64::MIN_POSITIVE, 53), "2.2250738585072014E-308");
    }

    #[test]
    fn carries_run_through() {
        assert_eq!(scientific(1_999_999.0), "2.000000e+06");
        assert_eq!(scientific(-9.99999e5), "-9.999990e+05");
        assert_eq!(scientific(123_456.5), "1.234570e+05");
        // Superfluous digits are dropped first, without rounding.
        assert_eq!(scientific(999_999.75), "9.999990e+05");
    }

    #[test]
    fn padding_is_short() {
        assert_eq!(natural(0.001_234_567_8, 24), "0.0012345678");
        assert_eq!(natural(0.000_123_456_7, 24), "1.234567E-4");
        assert_eq!(natural(1e9, 24), "1.0E+9");
        assert_eq!(natural(123_456_792.0, 24), "123456792");
    }
}
