//! `print_tko`: tiles in the manner of C `printf` (SEMANTICS c.13).

use super::frame::Frame;
use crate::{
    LaunchErrorKind,
    budget::{Budget, Reservation},
    elem::Elem,
    interrupt::Looks,
    output::Output,
    plan::{Conversion, Piece, Print, Tile},
};
use std::{ops::ControlFlow, sync::Arc};
use tilewright_numeric::int;

/// Bytes of text that are taken of the launch's memory at a time.
const ROOM: usize = 1 << 20;
/// How many elements that are computed one that is written takes as long as.
const WORK: usize = 64;

/// Writes the text of one operation, in one piece: as much of it as the launch may print.
pub(super) fn run(print: &Print, regs: &Frame, output: &Output, budget: &Arc<Budget>) -> Result<(), LaunchErrorKind> {
    let mut text = Text { bytes: Vec::new(), room: 0, reservation: budget.reserve(0)?, output, looks: Looks::new() };
    match text.add_pieces(print, regs) {
        ControlFlow::Continue(()) | ControlFlow::Break(Stop::Full) => output.write(&text.bytes),
        // Nobody wants the rest of it.
        ControlFlow::Break(Stop::Interrupted) => Ok(()),
        ControlFlow::Break(Stop::Failed(kind)) => Err(kind),
    }
}

/// The text of an operation so far.
struct Text<'a> {
    bytes: Vec<u8>,
    /// How many bytes of memory are reserved for it.
    room: usize,
    reservation: Reservation,
    output: &'a Output,
    looks: Looks,
}

/// Why text is not all there.
enum Stop {
    /// It has more bytes than may be written.
    Full,
    Interrupted,
    Failed(LaunchErrorKind),
}

impl Text<'_> {
    fn add_pieces(&mut self, print: &Print, regs: &Frame) -> ControlFlow<Stop> {
        let mut args = print.args.iter();
        for piece in &print.pieces {
            match piece {
                Piece::Text(piece) => self.bytes.extend_from_slice(piece),
                Piece::Value(conversion) => {
                    if let Some(tile) = args.next() {
                        self.add_tile(conversion, tile, &tile.shape, &mut 0, regs)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Nested brackets around the elements, in row-major order.
    fn add_tile(&mut self, conversion: &Conversion, tile: &Tile, shape: &[usize], element: &mut usize, regs: &Frame) -> ControlFlow<Stop> {
        let Some((extent, rest)) = shape.split_first() else {
            write_value(&mut self.bytes, conversion, tile.elem, regs.element(tile, *element));
            *element += 1;
            return self.check();
        };
        self.bytes.push(b'[');
        for i in 0..*extent {
            if i > 0 {
                self.bytes.extend_from_slice(b", ");
            }
            self.add_tile(conversion, tile, rest, element, regs)?;
        }
        self.bytes.push(b']');
        ControlFlow::Continue(())
    }

    /// Whether there may be more of it, after an element.
    fn check(&mut self) -> ControlFlow<Stop> {
        let length = self.bytes.len();
        if length as u64 > self.output.left() {
            return ControlFlow::Break(Stop::Full);
        }
        if length > self.room {
            self.room += ROOM;
            self.reservation.grow(ROOM as u64).map_or_else(|kind| ControlFlow::Break(Stop::Failed(kind)), ControlFlow::Continue)?;
        }
        if self.looks.end_after(WORK) { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
    }
}

/// Writes one element. An element whose type does not suit the letter is converted to one that does.
fn write_value(text: &mut Vec<u8>, conversion: &Conversion, elem: Elem, bits: u64) {
    let width = elem.bits();
    let as_float = || match elem.float() {
        Some(format) => format.decode(bits),
        None => int::sign_extend(bits, width) as f64,
    };
    let as_int = || match elem.float() {
        Some(format) => format.decode(bits) as i64,
        // An i1 prints as 0 or 1.
        None if width == 1 => (bits & 1) as i64,
        None => int::sign_extend(bits, width),
    };
    let as_unsigned = || if elem.float().is_some() { as_int().cast_unsigned() } else { int::truncate(bits, width) };
    if conversion.letter == b'c' {
        // One byte, which need not be a character of any encoding.
        return pad(text, conversion, "", &[as_int() as u8], false);
    }
    let (sign, body, finite) = match conversion.letter {
        b'd' | b'i' => {
            let value = as_int();
            (sign_of(conversion, value < 0), digits(conversion, &value.unsigned_abs().to_string()), true)
        }
        b'u' => ("", digits(conversion, &as_unsigned().to_string()), true),
        b'o' => ("", octal(conversion, as_unsigned()), true),
        b'x' | b'X' => hexadecimal(conversion, as_unsigned()),
        b'p' => ("", format!("{:#x}", as_unsigned()), false),
        _ => {
            let value = as_float();
            let (body, finite) = float(conversion, value.abs());
            (sign_of(conversion, value.is_sign_negative() && !value.is_nan()), body, finite)
        }
    };
    pad(text, conversion, sign, body.as_bytes(), finite);
}

fn sign_of(conversion: &Conversion, negative: bool) -> &'static str {
    match (negative, conversion.plus, conversion.space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

/// At least as many digits as the precision says; none for zero with precision zero.
fn digits(conversion: &Conversion, digits: &str) -> String {
    match conversion.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits.to_owned(),
    }
}

fn octal(conversion: &Conversion, value: u64) -> String {
    let body = digits(conversion, &format!("{value:o}"));
    if conversion.alternative && !body.starts_with('0') { format!("0{body}") } else { body }
}

fn hexadecimal(conversion: &Conversion, value: u64) -> (&'static str, String, bool) {
    let upper = conversion.letter == b'X';
    let text = if upper { format!("{value:X}") } else { format!("{value:x}") };
    let prefix = match (conversion.alternative && value != 0, upper) {
        (false, _) => "",
        (true, false) => "0x",
        (true, true) => "0X",
    };
    (prefix, digits(conversion, &text), true)
}

/// A magnitude, and whether zeros may fill it up.
fn float(conversion: &Conversion, value: f64) -> (String, bool) {
    let precision = conversion.precision.unwrap_or(6);
    let upper = conversion.letter.is_ascii_uppercase();
    let body = if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else {
        match conversion.letter.to_ascii_lowercase() {
            b'f' => with_point(conversion, format!("{value:.precision$}")),
            b'e' => exponential(conversion, value, precision),
            b'g' => general(conversion, value, precision.max(1)),
            _ => hex_float(conversion, value),
        }
    };
    (if upper { body.to_uppercase() } else { body }, value.is_finite())
}

fn with_point(conversion: &Conversion, body: String) -> String {
    if conversion.alternative && !body.contains('.') { body + "." } else { body }
}

fn exponential(conversion: &Conversion, value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", with_point(conversion, mantissa.to_owned()), exponent.abs())
}

fn general(conversion: &Conversion, value: f64, precision: usize) -> String {
    // The exponent after rounding decides the style.
    let rounded = format!("{value:.*e}", precision - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let fixed = exponent >= -4 && exponent < precision as i32;
    let decimals = if fixed { (precision as i32 - 1 - exponent).max(0) as usize } else { precision - 1 };
    let body = if fixed { format!("{value:.decimals$}") } else { exponential(conversion, value, decimals) };
    if conversion.alternative { with_point(conversion, body) } else { without_trailing_zeros(&body) }
}

fn without_trailing_zeros(body: &str) -> String {
    let (mantissa, exponent) = body.split_once('e').map_or((body, None), |(m, e)| (m, Some(e)));
    let short = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    exponent.map_or_else(|| short.to_owned(), |e| format!("{short}e{e}"))
}

/// `%a`: the bits of the significand as hexadecimal digits.
fn hex_float(conversion: &Conversion, value: f64) -> String {
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    let (mut lead, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, biased - 1023),
    };
    let mut digits = format!("{fraction:013x}");
    match conversion.precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) if precision < 13 => {
            let shift = 4 * (13 - precision) as u32;
            let all = (u64::from(lead == 1) << 52) | fraction;
            let (kept, rest, half) = (all >> shift, all & ((1 << shift) - 1), 1u64 << (shift - 1));
            let kept = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
            lead = kept >> (4 * precision);
            digits = if precision == 0 { String::new() } else { format!("{:0precision$x}", kept & ((1u64 << (4 * precision)) - 1)) };
        }
        Some(precision) => digits = format!("{digits:0<precision$}"),
    }
    let point = if digits.is_empty() && !conversion.alternative { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

/// Fills the field: on the left, on the right, or with zeros between sign and digits.
fn pad(text: &mut Vec<u8>, conversion: &Conversion, sign: &str, body: &[u8], zeros_allowed: bool) {
    let missing = conversion.width.saturating_sub(sign.len() + body.len());
    let integer_precision = conversion.precision.is_some() && b"diuoxX".contains(&conversion.letter);
    let zeros = conversion.zeros && !conversion.left && zeros_allowed && !integer_precision;
    let (before, between, after) = match (conversion.left, zeros) {
        (true, _) => (0, 0, missing),
        (false, true) => (0, missing, 0),
        (false, false) => (missing, 0, 0),
    };
    // Zeros come behind the prefix of a hexadecimal float.
    let has_prefix = between > 0 && (body.starts_with(b"0x") || body.starts_with(b"0X"));
    let (prefix, digits) = body.split_at(if has_prefix { 2 } else { 0 });
    text.resize(text.len() + before, b' ');
    text.extend_from_slice(sign.as_bytes());
    text.extend_from_slice(prefix);
    text.resize(text.len() + between, b'0');
    text.extend_from_slice(digits);
    text.resize(text.len() + after, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Piece;
    use tilewright_ir::Scalar;

    fn printed(format: &str, elem: Elem, bits: u64) -> String {
        String::from_utf8(printed_bytes(format, elem, bits)).unwrap()
    }

    fn printed_bytes(format: &str, elem: Elem, bits: u64) -> Vec<u8> {
        let pieces = crate::plan::parse_printf(format.as_bytes()).unwrap();
        let [Piece::Value(conversion)] = &pieces[..] else { panic!("one conversion is needed") };
        let mut text = Vec::new();
        write_value(&mut text, conversion, elem, bits);
        text
    }

    #[test]
    fn a_character_is_one_byte() {
        let printed = |format, value: i32| printed_bytes(format, Elem::Num(Scalar::I32), u64::from(value.cast_unsigned()));
        assert_eq!(printed("%c", 65), b"A");
        assert_eq!(printed("%c", 0xe9), b"\xe9");
        assert_eq!(printed("%3c", -1), b"  \xff");
        assert_eq!(printed("%-3c", 0x180), b"\x80  ");
        assert_eq!(printed("%c", 0), b"\0");
    }

    /// What the C library prints for the same formats.
    #[test]
    fn numbers_print_like_c() {
        let int = |format, value: i32| printed(format, Elem::Num(Scalar::I32), u64::from(value.cast_unsigned()));
        let float = |format, value: f64| printed(format, Elem::Num(Scalar::F64), value.to_bits());
        let cases = [
            (int("%d", -5), "-5"),
            (int("%+d", 5), "+5"),
            (int("%05d", -42), "-0042"),
            (int("%-5d", 42), "42   "),
            (int("%5.3d", 42), "  042"),
            (int("%u", -1), "4294967295"),
            (int("%#x", 255), "0xff"),
            (int("%#08X", 255), "0X0000FF"),
            (int("%#o", 8), "010"),
            (int("%lld", 7), "7"),
            (float("%f", 1.5), "1.500000"),
            (float("%8.3f", -3.25), "  -3.250"),
            (float("%08.2f", -3.25), "-0003.25"),
            (float("%e", 12345.678), "1.234568e+04"),
            (float("%.0e", 5.0), "5e+00"),
            (float("%g", 0.0001), "0.0001"),
            (float("%g", 0.00001), "1e-05"),
            (float("%g", 1_000_000.0), "1e+06"),
            (float("%g", 100_000.0), "100000"),
            (float("%#g", 1.0), "1.00000"),
            (float("%G", 1e-10), "1E-10"),
            (float("%f", f64::NEG_INFINITY), "-inf"),
            (float("%05f", f64::INFINITY), "  inf"),
            (float("%F", f64::NAN), "NAN"),
            (float("%a", 1.0), "0x1p+0"),
            (float("%a", 0.1), "0x1.999999999999ap-4"),
            (float("%.2a", 1.999), "0x2.00p+0"),
            (float("%A", 10.0), "0X1.4P+3"),
            (float("%09a", 10.0), "0x01.4p+3"),
            (float("%07A", 0.0), "0X00P+0"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn small_types_widen() {
        assert_eq!(printed("%d", Elem::Num(Scalar::I1), 1), "1");
        assert_eq!(printed("%.2f", Elem::Num(Scalar::F16), 0x3e00), "1.50");
        assert_eq!(printed("%d", Elem::Num(Scalar::I8), 0xff), "-1");
        assert_eq!(printed("%u", Elem::Num(Scalar::I8), 0xff), "255");
    }
}
