//! The float types of MLIR, and how their values are printed.

mod parse;

use tilewright_numeric::decimal::{self, Decimal};
use tilewright_text::short::push_u64;

/// How a format says what is not a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Special {
    /// The largest exponent: infinity, and NaN.
    Ieee,
    /// NaN has all bits set but the sign; there is no infinity.
    AllOnes,
    /// NaN is what would be -0; there is no infinity.
    NegativeZero,
    /// There is neither.
    Finite,
}

/// A float type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Format {
    /// In bits.
    pub(crate) width: u32,
    exponent_bits: u32,
    /// Bits of the significand that are stored.
    mantissa_bits: u32,
    bias: i32,
    special: Special,
    is_signed: bool,
    /// Whether the first bit of the significand is stored.
    has_integer_bit: bool,
}

const fn format(exponent_bits: u32, mantissa_bits: u32, bias: i32, special: Special) -> Format {
    let width = 1 + exponent_bits + mantissa_bits;
    Format { width, exponent_bits, mantissa_bits, bias, special, is_signed: true, has_integer_bit: false }
}

impl Format {
    /// The format of a builtin float type.
    pub(crate) fn of(name: &str) -> Option<Format> {
        Some(match name {
            "f16" => format(5, 10, 15, Special::Ieee),
            "bf16" => format(8, 7, 127, Special::Ieee),
            "f32" => format(8, 23, 127, Special::Ieee),
            "f64" => format(11, 52, 1023, Special::Ieee),
            "f80" => Format { has_integer_bit: true, ..format(15, 64, 16383, Special::Ieee) },
            "f128" => format(15, 112, 16383, Special::Ieee),
            "tf32" => format(8, 10, 127, Special::Ieee),
            "f8E5M2" => format(5, 2, 15, Special::Ieee),
            "f8E4M3" => format(4, 3, 7, Special::Ieee),
            "f8E3M4" => format(3, 4, 3, Special::Ieee),
            "f8E4M3FN" => format(4, 3, 7, Special::AllOnes),
            "f8E5M2FNUZ" => format(5, 2, 16, Special::NegativeZero),
            "f8E4M3FNUZ" => format(4, 3, 8, Special::NegativeZero),
            "f8E4M3B11FNUZ" => format(4, 3, 11, Special::NegativeZero),
            "f8E8M0FNU" => Format { width: 8, is_signed: false, ..format(8, 0, 127, Special::AllOnes) },
            // Of the cuda_tile dialect.
            "fnv8E5M3FNU" => Format { width: 8, is_signed: false, ..format(5, 3, 15, Special::AllOnes) },
            "f6E3M2FN" => format(3, 2, 3, Special::Finite),
            "f6E2M3FN" => format(2, 3, 1, Special::Finite),
            "f4E2M1FN" => format(2, 1, 1, Special::Finite),
            _ => return None,
        })
    }

    /// Significant bits.
    fn precision(self) -> u32 {
        self.mantissa_bits + u32::from(!self.has_integer_bit)
    }

    /// The sign and the magnitude of a value; none if it is not finite.
    fn decode(self, bits: u128) -> Option<(bool, Decimal)> {
        let mask = |bits: u32| (1u128 << bits) - 1;
        let mantissa = bits & mask(self.mantissa_bits);
        let exponent = (bits >> self.mantissa_bits) as u32 & mask(self.exponent_bits) as u32;
        let is_negative = self.is_signed && bits >> (self.width - 1) & 1 == 1;
        let is_largest = u128::from(exponent) == mask(self.exponent_bits);
        let is_finite = match self.special {
            Special::Ieee => !is_largest,
            Special::AllOnes => !is_largest || mantissa != mask(self.mantissa_bits),
            Special::NegativeZero => !(is_negative && exponent == 0 && mantissa == 0),
            Special::Finite => true,
        };
        // An exponent without bits of a significand has no subnormal numbers.
        let is_normal = exponent != 0 || self.mantissa_bits == 0;
        let significand = if is_normal && !self.has_integer_bit { mantissa | 1 << self.mantissa_bits } else { mantissa };
        let stored = self.mantissa_bits - u32::from(self.has_integer_bit);
        let exponent = exponent.max(u32::from(is_normal || self.mantissa_bits > 0)) as i32;
        let exponent = if self.mantissa_bits == 0 { (bits & mask(8)) as i32 } else { exponent };
        is_finite.then(|| (is_negative, Decimal::new(significand, exponent - self.bias - stored as i32)))
    }
}

/// Appends a float as MLIR prints it: with six decimals if that says all, else with as many digits as it takes, else in hexadecimal.
pub(crate) fn push_float(out: &mut Vec<u8>, format: Format, bits: u128) {
    if !push_short(out, format, bits) && !push_fixed(out, format, bits) {
        push_exact(out, format, bits);
    }
}

/// The significand and the exponent of a positive normal number of a usual type, and how many significant decimal digits a number of the
/// type may have so that one of six is never the nearest of the type to it.
fn parts(format: Format, bits: u128) -> Option<(u64, i32, u32)> {
    let (fraction_bits, max_exponent, digits) = match (format.precision(), format.width) {
        (24, 32) => (23, 0xff, 7),
        (53, 64) => (52, 0x7ff, 15),
        _ => return None,
    };
    let stored = (bits as u64 >> fraction_bits) as i32 & max_exponent;
    let fraction = bits as u64 & ((1 << fraction_bits) - 1);
    let is_normal = stored != 0 && stored != max_exponent;
    is_normal.then_some((fraction | 1 << fraction_bits, stored - max_exponent / 2 - fraction_bits, digits))
}

/// Appends a value of a usual type that is not less than 1 in magnitude and has a fraction, and more than six decimal digits but few enough that
/// all of them are printed; else false.
fn push_fixed(out: &mut Vec<u8>, format: Format, bits: u128) -> bool {
    let Some((significand, exponent, max_digits)) = parts(format, bits) else { return false };
    let zeros = significand.trailing_zeros();
    let (significand, exponent) = (significand >> zeros, exponent + zeros as i32);
    let decimals @ 1..=15 = exponent.unsigned_abs() else { return false };
    let (power, max) = (10u64.pow(decimals), 10u64.pow(max_digits));
    // So many binary digits behind the point are as many decimal ones.
    let Some(number) = significand.checked_mul(5u64.pow(decimals)).filter(|number| (1_000_000..max).contains(number)) else { return false };
    if exponent > 0 || number < power {
        return false;
    }
    if bits >> (format.width - 1) & 1 == 1 {
        out.push(b'-');
    }
    push_u64(out, number / power);
    let mut digits = [b'0'; 16];
    digits[0] = b'.';
    let mut rest = number % power;
    for digit in digits[1..=decimals as usize].iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits[..=decimals as usize]);
    true
}

fn push_exact(out: &mut Vec<u8>, format: Format, bits: u128) {
    if let Some((is_negative, value)) = format.decode(bits) {
        let start = out.len();
        if is_negative {
            out.push(b'-');
        }
        decimal::push_scientific(out, &value);
        if identifies(&out[start..], format, bits, &value) {
            return;
        }
        out.truncate(start + usize::from(is_negative));
        decimal::push_natural(out, &value, format.precision());
        if out[start..].contains(&b'.') {
            return;
        }
        out.truncate(start);
    }
    let digits = (format.width as usize).div_ceil(4);
    out.extend(b"0x");
    // As many digits as it takes, not those of the width.
    let text = format!("{bits:X}");
    debug_assert!(text.len() <= digits);
    out.extend(text.as_bytes());
}

/// From 10^-4 on.
const POWERS: [f64; 15] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

/// Appends a value of a usual type and size that is exactly a number of six significant digits; else false. One that is only near to
/// such a number is printed as MLIR's approximate arithmetic has it.
fn push_short(out: &mut Vec<u8>, format: Format, bits: u128) -> bool {
    let value = match (format.precision(), format.width) {
        (24, 32) => f64::from(f32::from_bits(bits as u32)),
        (53, 64) => f64::from_bits(bits as u64),
        _ => return false,
    };
    let magnitude = value.abs();
    if !(1e-4..1e10).contains(&magnitude) {
        return false;
    }
    let exponent = POWERS.iter().take_while(|&&power| power <= magnitude).count() as i32 - 5;
    let power = |exponent: i32| POWERS[(exponent + 4) as usize];
    // The digits as a number, and what it differs from the value by, which is zero for no other reason than that it is.
    let (number, difference) = if exponent <= 5 {
        let number = (magnitude * power(5 - exponent)).round();
        (number, magnitude.mul_add(power(5 - exponent), -number))
    } else {
        let number = (magnitude / power(exponent - 5)).round();
        (number, number.mul_add(power(exponent - 5), -magnitude))
    };
    if difference != 0.0 || !(1e5..1e6).contains(&number) {
        return false;
    }
    if value < 0.0 {
        out.push(b'-');
    }
    let mut text = *b"0.000000e+00";
    let mut rest = number as u32;
    for place in [6, 5, 4, 3, 2, 0] {
        text[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    text[9] = if exponent < 0 { b'-' } else { b'+' };
    text[11] = b'0' + exponent.unsigned_abs() as u8;
    out.extend_from_slice(&text);
    true
}

/// Whether a text of six significant digits, rounded to a format, gives the value that it was made of.
fn identifies(text: &[u8], format: Format, bits: u128, value: &Decimal) -> bool {
    /// Six digits are nearer to any number of so many bits than half a unit in its last place.
    const ALWAYS: u32 = 16;
    let text = || std::str::from_utf8(text).unwrap_or_default();
    match (format.precision(), format.width) {
        (0..=ALWAYS, _) => true,
        (24, 32) => text().parse::<f32>().is_ok_and(|parsed| u128::from(parsed.to_bits()) == bits),
        (53, 64) => text().parse::<f64>().is_ok_and(|parsed| u128::from(parsed.to_bits()) == bits),
        (precision, _) => value.is_nearest_to_six_digits(precision),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(name: &str, bits: u128) -> String {
        let mut out = Vec::new();
        push_float(&mut out, Format::of(name).unwrap(), bits);
        String::from_utf8(out).unwrap()
    }

    /// Every value that has a short form has it in exact arithmetic.
    #[test]
    fn short_forms_are_exact() {
        let (mut state, mut short, mut fixed) = (1u64, 0, 0);
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..40_000 {
            let (digits, exponent) = (random() % 1_000_000, 10f64.powi((random() % 16) as i32 - 10));
            let decimal = digits as f64 * exponent;
            // Binary fractions of every length.
            let (binary, places) = (random() >> 11 >> (random() % 50), 2f64.powi(-((random() % 20) as i32)));
            let binary = binary as f64 * places;
            for (name, bits) in [
                ("f32", u64::from((decimal as f32).to_bits())),
                ("f32", u64::from((decimal as f32).to_bits()).wrapping_add(random() % 5).wrapping_sub(2) & 0xffff_ffff),
                ("f32", random() >> 32),
                ("f64", decimal.to_bits()),
                ("f64", (-decimal).to_bits()),
                ("f64", decimal.to_bits().wrapping_add(random() % 5).wrapping_sub(2)),
                ("f64", random()),
                ("f32", u64::from((binary as f32).to_bits())),
                ("f64", binary.to_bits()),
                ("f64", (-binary).to_bits()),
            ] {
                let format = Format::of(name).unwrap();
                let (mut fast, mut exact) = (Vec::new(), Vec::new());
                if push_short(&mut fast, format, bits.into()) || push_fixed(&mut fast, format, bits.into()) {
                    short += 1;
                    fixed += u32::from(!fast.contains(&b'e'));
                    push_exact(&mut exact, format, bits.into());
                    assert_eq!(String::from_utf8_lossy(&fast), String::from_utf8_lossy(&exact), "{name} {bits:#x}");
                }
            }
        }
        assert!(short > 20_000 && fixed > 10_000, "{short} {fixed}");
    }

    /// As `mlir-opt` 22 prints them.
    #[test]
    fn floats_print_as_in_mlir() {
        assert_eq!(print("f32", 0x3f80_0000), "1.000000e+00");
        assert_eq!(print("f32", 0x8000_0000), "-0.000000e+00");
        assert_eq!(print("f32", 0x3f9e_0652), "1.23456788");
        assert_eq!(print("f32", 0x7f80_0000), "0x7F800000");
        assert_eq!(print("f64", 0x3ff0_0000_0000_0001), "1.0000000000000002");
        assert_eq!(print("f16", 0x3555), "3.332520e-01");
        assert_eq!(print("f16", 0x0001), "5.960460e-08");
        assert_eq!(print("f8E4M3FN", 0x7e), "4.480000e+02");
        assert_eq!(print("f8E4M3FN", 0x7f), "0x7F");
        assert_eq!(print("f8E5M2FNUZ", 0x80), "0x80");
        assert_eq!(print("f8E8M0FNU", 0), "5.877470e-39");
        assert_eq!(print("f8E8M0FNU", 127), "1.000000e+00");
        assert_eq!(print("f4E2M1FN", 0b1111), "-6.000000e+00");
        assert_eq!(print("f80", 0x3fff_8000_0000_0000_0000), "1.000000e+00");
        assert_eq!(print("f80", 0x3ffb_cccc_cccc_cccc_cccd), "1.000000e-01");
        assert_eq!(print("f128", 0x3ffb_9999_9999_9999_9999_9999_9999_999a), "1.000000e-01");
    }
}
