//! Numbers, and attributes that are one.

use super::{Parsed, Parser, scan::error};
use crate::{
    encoding::code,
    tables::{AttrId, Scalar, TypeId},
    write::{push_signed_varint, push_varint},
};
use std::ops::Range;

/// The most digits of a number.
const MAX_DIGITS: usize = 100_000;

/// A number as it stands in the text.
#[derive(Clone)]
pub(super) struct Literal<'s> {
    place: Range<usize>,
    is_negative: bool,
    /// Without the sign and `0x`.
    digits: &'s str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Hexadecimal,
    Float,
    Bool,
}

impl<'s> Parser<'s, '_> {
    /// A number, or `true` or `false`.
    pub(super) fn literal(&mut self) -> Parsed<Literal<'s>> {
        let start = self.pos;
        if let word @ ("true" | "false") = self.peek_word() {
            self.word();
            return Ok(Literal { place: start..start + word.len(), is_negative: false, digits: word, kind: Kind::Bool });
        }
        let is_negative = self.eat("-");
        let text = &self.text[self.pos..];
        let bytes = text.as_bytes();
        let count = |from: usize, is_part: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| is_part(byte)).count();
        let (kind, from, len) = match bytes {
            [b'0', b'x', digit, ..] if digit.is_ascii_hexdigit() => (Kind::Hexadecimal, 2, 2 + count(2, u8::is_ascii_hexdigit)),
            [b'0'..=b'9', ..] => {
                let mut len = count(0, u8::is_ascii_digit);
                let mut kind = Kind::Integer;
                if bytes.get(len) == Some(&b'.') {
                    kind = Kind::Float;
                    len += 1;
                    len += count(len, u8::is_ascii_digit);
                    if matches!(bytes.get(len), Some(b'e' | b'E')) {
                        let sign = usize::from(matches!(bytes.get(len + 1), Some(b'+' | b'-')));
                        let digits = bytes.get(len + 1 + sign..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
                        len += if digits > 0 { 1 + sign + digits } else { 0 };
                    }
                }
                (kind, 0, len)
            }
            _ => return Err(self.unexpected("a number")),
        };
        if len > MAX_DIGITS {
            return Err(error("limit", start..self.pos + len, format!("a number has at most {MAX_DIGITS} digits")));
        }
        self.pos += len;
        let literal = Literal { place: start..self.pos, is_negative, digits: &text[from..len], kind };
        self.skip_blanks();
        Ok(literal)
    }

    /// `5 : i32`, `5` for an i64, `2.5 : f32` or `2.5` for an f64.
    pub(super) fn number_attribute(&mut self) -> Parsed<AttrId> {
        let literal = self.literal()?;
        let ty = if self.eat(":") {
            self.ty()?
        } else if literal.kind == Kind::Float {
            self.builder.ty(code::F64_TYPE, |_| ())
        } else {
            self.builder.integer_type(64)
        };
        let scalar = self.scalar(ty, &literal.place)?;
        let words = literal.words(scalar)?;
        let code = if matches!(scalar, Scalar::Float(_)) { code::FLOAT } else { code::INTEGER };
        Ok(self.builder.attr(code, |out| {
            push_varint(out, u64::from(ty.0));
            push_words(out, &words, scalar.width());
        }))
    }

    /// The type of a number.
    pub(super) fn scalar(&self, ty: TypeId, place: &Range<usize>) -> Parsed<Scalar> {
        self.builder
            .tables
            .scalar(ty)
            .ok_or_else(|| error("type-mismatch", place.clone(), "a number has the type of an integer, an index or a float"))
    }
}

/// A number as encodings hold it: a byte up to 8 bits, a signed number up to 64, else the words that are not zero with their count.
fn push_words(out: &mut Vec<u8>, words: &[u64], width: u64) {
    let first = words.first().copied().unwrap_or_default();
    match width {
        0..=8 => out.push(first as u8),
        9..=64 => push_signed_varint(out, first as i64),
        _ => {
            let active = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
            // Zero has a word too.
            let active = active.max(1);
            push_varint(out, active as u64);
            words[..active].iter().for_each(|&word| push_signed_varint(out, word as i64));
        }
    }
}

impl Literal<'_> {
    /// The words of the number as one of a type, the lowest first.
    pub(super) fn words(&self, scalar: Scalar) -> Parsed<Vec<u64>> {
        let wrong = |message: &str| Err(error("wrong-literal", self.place.clone(), message));
        match (scalar, self.kind) {
            (Scalar::Integer { width: 1, is_signed: false, is_unsigned: false }, Kind::Bool) => Ok(vec![u64::from(self.digits == "true")]),
            (_, Kind::Bool) => wrong("true and false are of type i1"),
            (Scalar::Integer { .. } | Scalar::Index, Kind::Float) => wrong("a number with a point is a float, but its type is none"),
            (Scalar::Float(_), Kind::Integer) => wrong("a float has a point, as in 1.0, or is hexadecimal"),
            (Scalar::Float(format), Kind::Float) => match format.parse(self.is_negative, self.digits) {
                Some(bits) => Ok(vec![bits as u64, (bits >> 64) as u64]),
                None => wrong("the type has no such number"),
            },
            (Scalar::Float(format), Kind::Hexadecimal) => {
                let is_short = self.digits.trim_start_matches('0').len() <= (format.width as usize).div_ceil(4);
                match u128::from_str_radix(self.digits, 16) {
                    Ok(bits) if is_short && !self.is_negative && (format.width == 128 || bits >> format.width == 0) => {
                        Ok(vec![bits as u64, (bits >> 64) as u64])
                    }
                    _ => wrong("the bits of the float do not fit its type"),
                }
            }
            (Scalar::Integer { width, is_signed, is_unsigned }, _) => self.integer(width, is_signed, is_unsigned),
            (Scalar::Index, _) => self.integer(64, true, false),
        }
    }

    fn integer(&self, width: u64, is_signed: bool, is_unsigned: bool) -> Parsed<Vec<u64>> {
        let words = width.div_ceil(64).max(1) as usize;
        let magnitude = self.magnitude();
        let bits =
            magnitude.iter().rposition(|&word| word != 0).map_or(0, |at| at as u64 * 64 + 64 - u64::from(magnitude[at].leading_zeros()));
        let is_power = bits > 0 && magnitude.iter().map(|word| word.count_ones()).sum::<u32>() == 1;
        let fits = match (self.is_negative, self.kind) {
            (true, _) if is_unsigned => bits == 0,
            (true, _) => bits < width || (bits == width && is_power),
            // Hexadecimal digits are the bits.
            (false, Kind::Hexadecimal) => bits <= width,
            // Zero fits into no bits, too.
            (false, _) => bits == 0 || bits < width + u64::from(!is_signed),
        };
        if !fits {
            return Err(error("out-of-range", self.place.clone(), format!("the number does not fit into {width} bits")));
        }
        let mut value = magnitude;
        value.resize(words, 0);
        if self.is_negative {
            let mut carry = true;
            for word in &mut value {
                let (sum, overflow) = (!*word).overflowing_add(u64::from(carry));
                (*word, carry) = (sum, overflow);
            }
        }
        let unused = (words as u64 * 64 - width) as u32;
        if unused < 64 {
            value[words - 1] &= u64::MAX >> unused;
        }
        Ok(value)
    }

    /// The words of the number without its sign.
    fn magnitude(&self) -> Vec<u64> {
        let (radix, chunk) = if self.kind == Kind::Hexadecimal { (16, 15) } else { (10, 19) };
        let mut value: Vec<u64> = Vec::new();
        for digits in self.digits.as_bytes().chunks(chunk) {
            let number = digits
                .iter()
                .fold(0, |number, &digit| number * u64::from(radix) + u64::from(char::from(digit).to_digit(radix).unwrap_or(0)));
            let scale = u64::from(radix).pow(digits.len() as u32);
            let mut carry = u128::from(number);
            for word in &mut value {
                let sum = u128::from(*word) * u128::from(scale) + carry;
                (*word, carry) = (sum as u64, sum >> 64);
            }
            if carry > 0 {
                value.push(carry as u64);
            }
        }
        if value.is_empty() { vec![0] } else { value }
    }
}
