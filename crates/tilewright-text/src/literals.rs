//! Numbers, strings and symbol names in the notation of MLIR.

use crate::buffer::TextBuffer;
use std::sync::LazyLock;
use tilewright_ir::Scalar;
use tilewright_numeric::{
    FloatFormat,
    decimal::{self, Decimal},
};

/// Stands where a module refers to something it does not have.
pub(crate) const INVALID: &str = "<<invalid>>";

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Appends a decimal number with its sign.
pub(crate) fn push_i64(out: &mut TextBuffer, number: i64) {
    if number < 0 {
        out.push('-');
    }
    out.push_u64(number.unsigned_abs());
}

/// Appends the low bits of `bits` as `scalar` shows an integer: signed, and `i1` as a word.
pub(crate) fn push_int(out: &mut TextBuffer, scalar: Scalar, bits: u64) {
    match scalar {
        Scalar::I1 => out.push_str(if bits & 1 == 1 { "true" } else { "false" }),
        _ => push_i64(out, sign_extend(bits, scalar.bits())),
    }
}

fn sign_extend(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    bits.wrapping_shl(unused).cast_signed() >> unused
}

/// The float format of a scalar type.
pub(crate) fn float_format(scalar: Scalar) -> Option<FloatFormat> {
    /// By scalar: both crates call their types by the names in text.
    static FORMATS: LazyLock<Vec<Option<FloatFormat>>> =
        LazyLock::new(|| Scalar::all().map(|scalar| FloatFormat::from_name(scalar.name())).collect());
    FORMATS[scalar as usize]
}

/// The value of a float of the dialect: `bits` in the width of the type, 19 for `tf32`.
pub(crate) fn float_value(format: FloatFormat, bits: u64) -> f64 {
    format.decode(bits << (format.storage_bits() - format.type_bits()))
}

/// Appends a float literal.
///
/// Six decimals in scientific notation if that reads back as the same value, else the digits that identify the value
/// (with a point, or the literal would read as an integer), else the bits in hexadecimal; NaN and infinity are always bits.
pub(crate) fn push_float(out: &mut TextBuffer, format: FloatFormat, bits: u64) {
    let value = float_value(format, bits);
    if !value.is_finite() {
        return push_hex(out, bits);
    }
    let start = out.len();
    let magnitude = Decimal::of_f64(value);
    if value.is_sign_negative() {
        out.push('-');
    }
    let digits = out.len();
    decimal::push_scientific(out, &magnitude);
    if reads_back(format, out.since(start), value) {
        return;
    }
    out.truncate(digits);
    decimal::push_natural(out, &magnitude, format.precision());
    if !out.since(start).contains('.') {
        out.truncate(start);
        push_hex(out, bits);
    }
}

/// Whether `text` is read as `value`. Six digits always identify a value of 11 significant bits or fewer.
fn reads_back(format: FloatFormat, text: &str, value: f64) -> bool {
    match format {
        FloatFormat::F32 => text.parse::<f32>().is_ok_and(|read| f64::from(read) == value),
        FloatFormat::F64 => text.parse::<f64>().is_ok_and(|read| read == value),
        _ => true,
    }
}

/// Appends `0x` and hexadecimal digits, without leading zeros.
pub(crate) fn push_hex(out: &mut TextBuffer, bits: u64) {
    use std::fmt::Write;
    write!(out, "0x{bits:X}").expect("writing to a string cannot fail");
}

/// Appends two hexadecimal digits for each byte.
pub(crate) fn push_hex_bytes(out: &mut TextBuffer, bytes: &[u8]) {
    for byte in bytes {
        out.push(char::from(HEX[usize::from(byte >> 4)]));
        out.push(char::from(HEX[usize::from(byte & 15)]));
    }
}

/// Appends a string literal: quotes, with a backslash doubled and anything unprintable as its two-digit code.
pub(crate) fn push_quoted(out: &mut TextBuffer, bytes: &[u8]) {
    out.push('"');
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'"' => out.push_str("\\22"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                out.push('\\');
                push_hex_bytes(out, &[byte]);
            }
        }
    }
    out.push('"');
}

/// Appends a name as it is, in quotes where it is no identifier.
pub(crate) fn push_keyword(out: &mut TextBuffer, name: &[u8]) {
    if is_identifier(name) {
        out.extend(name.iter().map(|&b| char::from(b)));
    } else {
        push_quoted(out, name);
    }
}

/// Appends a reference to a symbol.
pub(crate) fn push_symbol(out: &mut TextBuffer, name: &[u8]) {
    if name.is_empty() {
        return out.push_str("@<<INVALID EMPTY SYMBOL>>");
    }
    out.push('@');
    push_keyword(out, name);
}

/// Whether a name can stand without quotes.
pub(crate) fn is_identifier(name: &[u8]) -> bool {
    let starts = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let continues = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
    name.split_first().is_some_and(|(&first, rest)| starts(first) && rest.iter().all(|&b| continues(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_a_format() {
        for scalar in Scalar::all() {
            assert_eq!(float_format(scalar).is_some(), scalar.is_float(), "{scalar}");
        }
    }

    fn float(format: FloatFormat, bits: u64) -> String {
        let mut out = TextBuffer::new();
        push_float(&mut out, format, bits);
        out.into_string()
    }

    fn f32_text(value: f32) -> String {
        float(FloatFormat::F32, u64::from(value.to_bits()))
    }

    #[test]
    fn floats_take_the_first_form_that_reads_back() {
        assert_eq!(f32_text(0.0), "0.000000e+00");
        assert_eq!(f32_text(-0.0), "-0.000000e+00");
        assert_eq!(f32_text(1.0), "1.000000e+00");
        assert_eq!(f32_text(-1234.5), "-1.234500e+03");
        assert_eq!(f32_text(1e30), "1.000000e+30");
        assert_eq!(f32_text(0.1), "1.000000e-01");
        assert_eq!(f32_text(std::f32::consts::PI), "3.14159274");
        assert_eq!(f32_text(1.0 / 3.0), "0.333333343");
        assert_eq!(f32_text(16_777_215.0), "0x4B7FFFFF");
        assert_eq!(f32_text(f32::INFINITY), "0x7F800000");
        assert_eq!(f32_text(f32::NEG_INFINITY), "0xFF800000");
        assert_eq!(float(FloatFormat::F64, std::f64::consts::PI.to_bits()), "3.1415926535897931");
        assert_eq!(float(FloatFormat::F64, f64::NAN.to_bits()), "0x7FF8000000000000");
    }

    #[test]
    fn small_floats_keep_their_bits() {
        assert_eq!(float(FloatFormat::Tf32, 0x1FC00), "1.000000e+00");
        assert_eq!(float(FloatFormat::F16, 0x7C00), "0x7C00");
        assert_eq!(float(FloatFormat::F8E8M0FNU, 0), "5.877470e-39");
        assert_eq!(float(FloatFormat::F4E2M1FN, 0xF), "-6.000000e+00");
    }

    #[test]
    fn integers_are_signed() {
        let int = |scalar, bits| {
            let mut out = TextBuffer::new();
            push_int(&mut out, scalar, bits);
            out.into_string()
        };
        assert_eq!(int(Scalar::I8, 0x80), "-128");
        assert_eq!(int(Scalar::I64, u64::MAX), "-1");
        assert_eq!(int(Scalar::I64, 1 << 63), "-9223372036854775808");
        assert_eq!(int(Scalar::I32, 1234567), "1234567");
        assert_eq!(int(Scalar::I1, 1), "true");
    }

    #[test]
    fn names_are_quoted_where_they_must() {
        let symbol = |name: &[u8]| {
            let mut out = TextBuffer::new();
            push_symbol(&mut out, name);
            out.into_string()
        };
        assert_eq!(symbol(b"a.b$c_1"), "@a.b$c_1");
        assert_eq!(symbol(b"1a"), "@\"1a\"");
        assert_eq!(symbol(b"a\\\"\n\xff"), "@\"a\\\\\\22\\0A\\FF\"");
    }
}
