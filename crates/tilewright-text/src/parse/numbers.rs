//! Numbers.

use super::cursor::{Parsed, Parser, brief};
use super::lexer::{Kind, Token};
use crate::literals::float_format;
use tilewright_ir::Scalar;
use tilewright_numeric::{FloatFormat, Rounding};

/// A number in the text, before anything says what type it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) negative: bool,
    /// `Int`, `Hex`, `Float`, or `Word` for `true`, `false`, `inf` and `nan`.
    pub(super) token: Token,
}

impl<'s> Parser<'s> {
    /// A literal of any number type.
    pub(super) fn number(&mut self) -> Parsed<Number> {
        let negative = self.eat(Kind::Minus);
        match self.token.kind() {
            Kind::Int | Kind::Hex | Kind::Float => Ok(Number { negative, token: self.advance() }),
            Kind::Word if matches!(self.text(self.token), "true" | "false" | "inf" | "nan") => {
                Ok(Number { negative, token: self.advance() })
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// The bits of a literal as a value of `scalar`.
    pub(super) fn bits_of(&mut self, number: Number, scalar: Scalar) -> Parsed<u64> {
        match float_format(scalar) {
            Some(format) => self.float_bits(number, scalar, format),
            None => self.integer_bits(number, scalar),
        }
    }

    /// The magnitude of an integer literal; `None` if it has more than 64 bits.
    fn magnitude(&self, token: Token) -> Option<u64> {
        let text = self.text(token);
        match token.kind() {
            Kind::Hex => u64::from_str_radix(&text[2..], 16).ok(),
            _ => text.parse().ok(),
        }
    }

    /// Integers carry no sign: a literal may be from the smallest signed to the largest unsigned number.
    fn integer_bits(&mut self, number: Number, scalar: Scalar) -> Parsed<u64> {
        let token = number.token;
        let width = scalar.bits();
        match (token.kind(), self.text(token)) {
            (Kind::Word, "true") if scalar == Scalar::I1 && !number.negative => return Ok(1),
            (Kind::Word, "false") if scalar == Scalar::I1 && !number.negative => return Ok(0),
            (Kind::Int | Kind::Hex, _) => {}
            (_, text) => {
                let message = format!("expected an integer of type {scalar}, found '{}'", brief(text));
                return Err(self.report("wrong-literal", token.span(), message));
            }
        }
        let mask = u64::MAX >> (64 - width);
        let bits = match self.magnitude(token) {
            Some(magnitude) if !number.negative && magnitude <= mask => Some(magnitude),
            Some(magnitude) if number.negative && magnitude <= 1 << (width - 1) => Some(magnitude.wrapping_neg() & mask),
            _ => None,
        };
        bits.ok_or_else(|| {
            let sign = if number.negative { "-" } else { "" };
            let message = format!("{sign}{} does not fit into {scalar}", brief(self.text(token)));
            self.report("out-of-range", token.span(), message)
        })
    }

    /// Floats are read as `f64` and rounded to their type. What overflows becomes infinity where the type has one.
    fn float_bits(&mut self, number: Number, scalar: Scalar, format: FloatFormat) -> Parsed<u64> {
        let token = number.token;
        let text = self.text(token);
        let value = match (token.kind(), text) {
            (Kind::Hex, _) => return self.float_pattern(number, scalar),
            (Kind::Float, _) => text.parse().unwrap_or(f64::NAN),
            (Kind::Word, "inf") => f64::INFINITY,
            (Kind::Word, "nan") => f64::NAN,
            _ => {
                let failed =
                    self.report("wrong-literal", token.span(), format!("expected a float of type {scalar}, found '{}'", brief(text)));
                self.note("a float has a point, as in 1.0; bits are hexadecimal, as in 0x3F800000".to_owned());
                return Err(failed);
            }
        };
        let value = if number.negative { -value } else { value };
        if !can_hold(format, value) {
            let sign = if number.negative { "-" } else { "" };
            return Err(self.report("out-of-range", token.span(), format!("{scalar} has no value near {sign}{}", brief(text))));
        }
        let bits = match (value.is_infinite(), format.infinity_bits()) {
            (true, Some(infinity)) => infinity | if number.negative { format.sign_mask() } else { 0 },
            _ => format.encode(value, Rounding::NearestEven),
        };
        Ok(bits >> (format.storage_bits() - format.type_bits()))
    }

    /// The bits of a float in hexadecimal.
    fn float_pattern(&mut self, number: Number, scalar: Scalar) -> Parsed<u64> {
        let token = number.token;
        if number.negative {
            let message = "the bits of a float have no sign before them".to_owned();
            return Err(self.report("wrong-literal", token.span(), message));
        }
        match self.magnitude(token) {
            Some(bits) if bits <= u64::MAX >> (64 - scalar.bits()) => Ok(bits),
            _ => {
                let message = format!("{} has more bits than {scalar}, which has {}", brief(self.text(token)), scalar.bits());
                Err(self.report("out-of-range", token.span(), message))
            }
        }
    }

    /// A number without a sign, of at most this many bits.
    pub(super) fn unsigned(&mut self, width: u32) -> Parsed<u64> {
        let token = self.token;
        if !matches!(token.kind(), Kind::Int | Kind::Hex) {
            return Err(self.unexpected("a number that is not negative"));
        }
        self.advance();
        match self.magnitude(token) {
            Some(value) if value <= u64::MAX >> (64 - width) => Ok(value),
            _ => Err(self.report("out-of-range", token.span(), format!("the number does not fit into {width} bits"))),
        }
    }

    /// A number with or without a minus, of at most this many bits.
    pub(super) fn signed(&mut self, width: u32) -> Parsed<i64> {
        let negative = self.eat(Kind::Minus);
        let token = self.token;
        if !matches!(token.kind(), Kind::Int | Kind::Hex) {
            return Err(self.unexpected("an integer"));
        }
        self.advance();
        let limit = 1u64 << (width - 1);
        match self.magnitude(token) {
            Some(value) if negative && value <= limit => Ok(value.wrapping_neg().cast_signed()),
            Some(value) if !negative && value < limit => Ok(value.cast_signed()),
            _ => Err(self.report("out-of-range", token.span(), format!("the number does not fit into {width} bits with a sign"))),
        }
    }
}

/// Whether a value, rounded to the nearest, is one of the format.
fn can_hold(format: FloatFormat, value: f64) -> bool {
    if value.is_nan() {
        return format.canonical_nan().is_some();
    }
    if !format.has_sign() && value.is_sign_negative() {
        return false;
    }
    if format == FloatFormat::F8E8M0FNU && value < format.min_positive() / 2.0 {
        return false;
    }
    // The 8- and 4-bit formats would saturate; the others overflow to infinity.
    !format.saturates() || value.abs() <= format.max_finite() + half_last_place(format) || value.is_infinite() && format.has_infinity()
}

/// Half the distance between the two largest numbers of a format.
fn half_last_place(format: FloatFormat) -> f64 {
    let top = f64::from_bits(format.max_finite().to_bits() & 0x7FF0_0000_0000_0000);
    top / f64::from(1u32 << format.precision())
}
