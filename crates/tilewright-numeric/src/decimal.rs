//! Decimal digits of floats, rounded exactly as LLVM's `APFloat` rounds them.

/// Text that grows.
pub trait Text {
    /// Appends a character of ASCII.
    fn push_ascii(&mut self, byte: u8);

    /// Appends characters of ASCII.
    fn extend_ascii(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push_ascii(byte));
    }
}

impl Text for Vec<u8> {
    fn push_ascii(&mut self, byte: u8) {
        self.push(byte);
    }

    fn extend_ascii(&mut self, bytes: &[u8]) {
        self.extend(bytes);
    }
}

/// The magnitude of a finite number in base two, whose digits in base ten are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    significand: u128,
    exponent: i32,
}

impl Decimal {
    /// `significand * 2^exponent`.
    pub fn new(significand: u128, exponent: i32) -> Decimal {
        if significand == 0 {
            return Decimal { significand, exponent: 0 };
        }
        let zeros = significand.trailing_zeros();
        Decimal { significand: significand >> zeros, exponent: exponent + zeros as i32 }
    }

    /// The magnitude of a finite `f64`.
    pub fn of_f64(value: f64) -> Decimal {
        let bits = value.abs().to_bits();
        let field = (bits >> 52) as i32;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        if field == 0 { Decimal::new(fraction, -1074) } else { Decimal::new(fraction | 1 << 52, field - 1075) }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.significand == 0
    }

    /// Whether its first six digits, as [`push_scientific`] gives them, are nearer to it than to any other number of `precision`
    /// significant bits.
    pub fn is_nearest_to_six_digits(&self, precision: u32) -> bool {
        if self.is_zero() {
            return true;
        }
        let (digits, power) = self.significant_digits(SCIENTIFIC_DIGITS);
        let decimal = digits.iter().fold(0u128, |number, &digit| number * 10 + u128::from(digit - b'0'));
        // Both as integers of a common unit: a quarter of the last place of the value, and a power of ten.
        let shift = precision - (128 - self.significand.leading_zeros()) + 2;
        let unit = self.exponent - shift as i32;
        let mut value = Natural::new(self.significand);
        value.shift_left(shift);
        let mut decimal = Natural::new(decimal);
        let (tens, twos) = (power, unit);
        // decimal * 10^tens against value * 2^twos
        if tens >= 0 {
            decimal.scale(10, tens.unsigned_abs())
        } else {
            value.scale(10, tens.unsigned_abs())
        }
        let mut half = Natural::new(2);
        if tens < 0 {
            half.scale(10, tens.unsigned_abs());
        }
        if twos >= 0 {
            value.shift_left(twos.unsigned_abs());
            half.shift_left(twos.unsigned_abs());
        } else {
            decimal.shift_left(twos.unsigned_abs());
        }
        value.distance(&decimal).is_less_than(&half)
    }

    /// At most `wanted` significant digits (ASCII, no zeros at the end), and the power of ten of the last one. The number is not zero.
    fn significant_digits(&self, wanted: usize) -> (Vec<u8>, i32) {
        let (mut number, mut power) = Natural::scaled(self.significand, self.exponent);

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
}

const SCIENTIFIC_DIGITS: usize = 6;

/// Appends a magnitude in scientific notation with six decimals, of six significant digits.
pub fn push_scientific(out: &mut impl Text, value: &Decimal) {
    if value.is_zero() {
        return out.extend_ascii(b"0.000000e+00");
    }
    let (digits, exponent) = value.significant_digits(SCIENTIFIC_DIGITS);
    let exponent = exponent + digits.len() as i32 - 1;
    out.push_ascii(digits[0]);
    out.push_ascii(b'.');
    out.extend_ascii(&digits[1..]);
    push_zeros(out, SCIENTIFIC_DIGITS + 1 - digits.len());
    out.extend_ascii(if exponent < 0 { b"e-" } else { b"e+" });
    if exponent.unsigned_abs() < 10 {
        out.push_ascii(b'0');
    }
    push_number(out, exponent.unsigned_abs());
}

/// Appends a magnitude that is not zero with as many digits as identify a float of `precision` significant bits, in plain notation if
/// that is not much longer.
pub fn push_natural(out: &mut impl Text, value: &Decimal, precision: u32) {
    const MAX_PADDING: usize = 3;
    let wanted = 2 + (precision * 59 / 196) as usize;
    let (digits, exponent) = value.significant_digits(wanted);
    if exponent >= 0 {
        let zeros = exponent as usize;
        if zeros > MAX_PADDING || digits.len() + zeros > wanted {
            return push_short_scientific(out, &digits, exponent);
        }
        out.extend_ascii(&digits);
        return push_zeros(out, zeros);
    }
    let whole = exponent + digits.len() as i32;
    if whole > 0 {
        let (before, after) = digits.split_at(whole as usize);
        out.extend_ascii(before);
        out.push_ascii(b'.');
        out.extend_ascii(after);
    } else if (1 - whole) as usize > MAX_PADDING {
        push_short_scientific(out, &digits, exponent);
    } else {
        out.extend_ascii(b"0.");
        push_zeros(out, whole.unsigned_abs() as usize);
        out.extend_ascii(&digits);
    }
}

/// Scientific notation without padding: `1.5E-7`, `2.0E+9`.
fn push_short_scientific(out: &mut impl Text, digits: &[u8], exponent: i32) {
    let exponent = exponent + digits.len() as i32 - 1;
    out.push_ascii(digits[0]);
    out.push_ascii(b'.');
    if digits.len() == 1 {
        out.push_ascii(b'0');
    }
    out.extend_ascii(&digits[1..]);
    out.extend_ascii(if exponent < 0 { b"E-" } else { b"E+" });
    push_number(out, exponent.unsigned_abs());
}

fn push_zeros(out: &mut impl Text, count: usize) {
    (0..count).for_each(|_| out.push_ascii(b'0'));
}

fn push_number(out: &mut impl Text, number: u32) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    out.push_ascii(b'0' + (number % 10) as u8);
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
    fn new(number: u128) -> Natural {
        let mut natural = Natural((0..4).map(|limb| (number >> (32 * limb)) as u32).collect());
        natural.normalize();
        natural
    }

    /// `significand * 2^exponent` as an integer times a power of ten.
    fn scaled(significand: u128, exponent: i32) -> (Natural, i32) {
        let mut number = Natural::new(significand);
        if exponent >= 0 {
            number.shift_left(exponent.unsigned_abs());
            return (number, 0);
        }
        // n * 2^-e = n * 5^e * 10^-e
        number.scale(5, exponent.unsigned_abs());
        (number, exponent)
    }

    /// Multiplies by a power of a base up to ten.
    fn scale(&mut self, base: u32, exponent: u32) {
        const STEP: u32 = 9;
        for _ in 0..exponent / STEP {
            self.multiply(base.pow(STEP));
        }
        self.multiply(base.pow(exponent % STEP));
    }

    fn shift_left(&mut self, bits: u32) {
        for _ in 0..bits / 31 {
            self.multiply(1 << 31);
        }
        self.multiply(1 << (bits % 31));
    }

    fn is_less_than(&self, other: &Natural) -> bool {
        let (a, b) = (&self.0, &other.0);
        a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev())).is_lt()
    }

    /// The difference, whichever is larger.
    fn distance(&self, other: &Natural) -> Natural {
        let (large, small) = if self.is_less_than(other) { (other, self) } else { (self, other) };
        let mut borrow = 0i64;
        let limbs = large.0.iter().enumerate().map(|(i, &limb)| {
            let difference = i64::from(limb) - i64::from(small.0.get(i).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(difference < 0);
            difference as u32
        });
        let mut distance = Natural(limbs.collect());
        distance.normalize();
        distance
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
        let mut out = Vec::new();
        push_natural(&mut out, &Decimal::of_f64(value), precision);
        String::from_utf8(out).unwrap()
    }

    fn scientific(value: f64) -> String {
        let mut out = Vec::new();
        push_scientific(&mut out, &Decimal::of_f64(value));
        String::from_utf8(out).unwrap()
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
        assert_eq!(scientific(9.99999e5), "9.999990e+05");
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
