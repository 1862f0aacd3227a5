//! From a text to tokens.

use crate::{Position, PtxError};

/// A token; texts are slices of the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'t> {
    /// A name or an opcode with its modifiers: `%r1`, `%tid.x`, `$L__BB0_2`, `add.rn.f32`.
    Word(&'t str),
    /// A word that begins with a dot, without it: `reg`, `b32`.
    Dot(&'t str),
    /// An integer.
    Integer(u64),
    /// A float, as the bits of an `f32`.
    Single(u32),
    /// A float, as the bits of an `f64`.
    Double(u64),
    /// A string, without its quotes and with its escapes.
    Text(&'t str),
    /// Any other character.
    Mark(u8),
    End,
}

impl Token<'_> {
    /// As a message names it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("'{word}'"),
            Token::Dot(word) => format!("'.{word}'"),
            Token::Integer(value) => format!("the number {value}"),
            Token::Single(_) | Token::Double(_) => "a float".to_owned(),
            Token::Text(_) => "a string".to_owned(),
            Token::Mark(mark) => format!("'{}'", char::from(*mark).escape_default()),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

/// Reads tokens one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    line_start: usize,
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0, line: 1, line_start: 0 }
    }

    /// The position of what comes next.
    pub(crate) fn position(&mut self) -> Result<Position, PtxError> {
        self.skip_blanks()?;
        Ok(self.here())
    }

    fn here(&self) -> Position {
        Position { line: self.line, column: (self.at - self.line_start) as u32 + 1 }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn advance(&mut self, bytes: usize) {
        for _ in 0..bytes {
            if self.byte(0) == b'\n' {
                self.line += 1;
                self.line_start = self.at + 1;
            }
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) -> Result<(), PtxError> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | b'\r' | b'\n', _) => self.advance(1),
                (b'/', b'/') => {
                    let rest = &self.text[self.at..];
                    self.advance(rest.find('\n').unwrap_or(rest.len()));
                }
                (b'/', b'*') => {
                    let end = self.text[self.at + 2..].find("*/");
                    let end = end.ok_or_else(|| PtxError::new(self.here(), "this comment has no end"))?;
                    self.advance(end + 4);
                }
                _ => return Ok(()),
            }
        }
    }

    pub(crate) fn next(&mut self) -> Result<Token<'t>, PtxError> {
        self.skip_blanks()?;
        if self.at >= self.text.len() {
            return Ok(Token::End);
        }
        let first = self.byte(0);
        match first {
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'.' if in_word(self.byte(1)) => {
                self.advance(1);
                Ok(Token::Dot(self.take_while(|byte, _| in_word(byte))))
            }
            b'%' | b'_' | b'$' => Ok(Token::Word(self.word())),
            byte if byte.is_ascii_alphabetic() => Ok(Token::Word(self.word())),
            byte if byte.is_ascii_graphic() => {
                self.advance(1);
                Ok(Token::Mark(byte))
            }
            _ => Err(PtxError::new(self.here(), "this character has no place in PTX")),
        }
    }

    fn take_while(&mut self, keep: impl Fn(u8, u8) -> bool) -> &'t str {
        let start = self.at;
        while self.at < self.text.len() && keep(self.byte(0), self.byte(1)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn word(&mut self) -> &'t str {
        let start = self.at;
        self.at += 1;
        loop {
            self.take_while(|byte, next| in_word(byte) || (byte == b'.' && in_word(next)));
            if self.byte(0) == b':' && self.byte(1) == b':' && in_word(self.byte(2)) {
                self.at += 2;
            } else {
                return &self.text[start..self.at];
            }
        }
    }

    fn string(&mut self) -> Result<Token<'t>, PtxError> {
        let place = self.here();
        self.advance(1);
        let start = self.at;
        loop {
            match self.byte(0) {
                _ if self.at >= self.text.len() => return Err(PtxError::new(place, "this string has no end")),
                b'"' => break,
                b'\\' if self.byte(1).is_ascii() && self.at + 1 < self.text.len() => self.advance(2),
                _ => self.advance(1),
            }
        }
        let text = &self.text[start..self.at];
        self.advance(1);
        Ok(Token::Text(text))
    }

    fn number(&mut self) -> Result<Token<'t>, PtxError> {
        let place = self.here();
        let digits = self.take_while(|byte, next| byte.is_ascii_alphanumeric() || (byte == b'.' && next.is_ascii_digit()));
        let mut digits = digits.to_owned();
        // The sign of a decimal float's exponent.
        if digits.contains('.') && digits.ends_with(['e', 'E']) && matches!(self.byte(0), b'+' | b'-') {
            digits.push(char::from(self.byte(0)));
            self.at += 1;
            digits += self.take_while(|byte, _| byte.is_ascii_digit());
        }
        number(&digits).ok_or_else(|| PtxError::new(place, format!("'{digits}' is no number")))
    }

    /// Text up to the brace that closes the one before, which is taken as well. Between `.source_begin` and `.source_end`
    /// braces do not count, because that is another language.
    pub(crate) fn raw_block(&mut self) -> Result<&'t str, PtxError> {
        let (place, start) = (self.here(), self.at);
        let mut depth = 1;
        loop {
            let rest = &self.text[self.at..];
            match rest.bytes().next() {
                None => return Err(PtxError::new(place, "this section has no end")),
                Some(b'.') if rest.starts_with(".source_begin") => {
                    let end = rest.find(".source_end").ok_or_else(|| PtxError::new(self.here(), "'.source_end' is missing"))?;
                    self.advance(end);
                    self.advance(1);
                }
                Some(b'{') => {
                    depth += 1;
                    self.advance(1);
                }
                Some(b'}') => {
                    depth -= 1;
                    self.advance(1);
                    if depth == 0 {
                        return Ok(&self.text[start..self.at - 1]);
                    }
                }
                Some(_) => self.advance(1),
            }
        }
    }
}

fn number(text: &str) -> Option<Token<'static>> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0f").filter(|hex| hex.len() == 8) {
        return u32::from_str_radix(hex, 16).ok().map(Token::Single);
    }
    if let Some(hex) = lower.strip_prefix("0d").filter(|hex| hex.len() == 16) {
        return u64::from_str_radix(hex, 16).ok().map(Token::Double);
    }
    if lower.contains('.') {
        return lower.parse::<f64>().ok().map(|value| Token::Double(value.to_bits()));
    }
    let digits = lower.strip_suffix('u').unwrap_or(&lower);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x', ..] => (&digits[2..], 16),
        [b'0', b'b', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(Token::Integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, PtxError> {
        let mut lexer = Lexer::new(text);
        let mut all = Vec::new();
        loop {
            match lexer.next()? {
                Token::End => return Ok(all),
                token => all.push(token),
            }
        }
    }

    #[test]
    fn words_hold_their_modifiers() {
        let found = tokens("@%p1 ld.shared::cta.b32 %r1, [%tid.x+4]; L: // c\n/* d */ .reg").unwrap();
        let word = Token::Word;
        let mark = Token::Mark;
        let expected = [
            mark(b'@'),
            word("%p1"),
            word("ld.shared::cta.b32"),
            word("%r1"),
            mark(b','),
            mark(b'['),
            word("%tid.x"),
            mark(b'+'),
            Token::Integer(4),
            mark(b']'),
            mark(b';'),
            word("L"),
            mark(b':'),
            Token::Dot("reg"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_have_all_forms() {
        let expected = [Token::Integer(31), Token::Integer(5), Token::Integer(8), Token::Single(0x3F80_0000), Token::Integer(9)];
        assert_eq!(tokens("0x1F 0b101 010 0f3F800000 9U").unwrap(), expected);
        assert_eq!(tokens("0d3FF0000000000000 1.5e+3").unwrap(), [Token::Double(1f64.to_bits()), Token::Double(1500f64.to_bits())]);
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for (text, line, column) in [("\n  \u{e9}", 2, 3), ("a 12q", 1, 3), ("\"x", 1, 1), ("/* x", 1, 1)] {
            let error = tokens(text).unwrap_err();
            assert_eq!((error.position.line, error.position.column), (line, column), "{text}: {error}");
        }
    }
}
