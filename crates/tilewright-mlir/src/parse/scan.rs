//! The words and marks of a text.

use super::{MAX_DEPTH, Parsed, Parser};
use tilewright_text::ParseError;

/// An error; its line and column are found when it is handed on.
#[cold]
pub(super) fn error(id: &'static str, span: std::ops::Range<usize>, message: impl Into<String>) -> Box<ParseError> {
    Box::new(ParseError { id, span, line: 1, column: 1, message: message.into(), labels: Vec::new(), notes: Vec::new() })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

impl<'s> Parser<'s, '_> {
    /// The next byte; 0 at the end.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.pos).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'s [u8] {
        &self.text.as_bytes()[self.pos..]
    }

    /// Skips white space and comments.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        if self.pos != self.blank_end {
            self.token_end = self.pos;
        }
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.pos) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' => self.pos += 1,
                b'/' if bytes.get(self.pos + 1) == Some(&b'/') => {
                    self.pos = bytes[self.pos..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |len| self.pos + len);
                }
                _ => break,
            }
        }
        self.blank_end = self.pos;
    }

    /// Skips a mark and what is blank behind it, if it is there.
    #[inline]
    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let is_there = self.rest().starts_with(mark.as_bytes());
        if is_there {
            self.pos += mark.len();
            self.skip_blanks();
        }
        is_there
    }

    pub(super) fn expect(&mut self, mark: &str, what: &str) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.unexpected(&format!("'{mark}' {what}"))) }
    }

    /// That something else stands here than is expected.
    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Box<ParseError> {
        let len = self.found_len();
        if len == 0 {
            return error("unexpected-end", self.pos..self.pos, format!("expected {expected}, but the text ends"));
        }
        let found = &self.text[self.pos..self.pos + len];
        error("unexpected-token", self.pos..self.pos + len, format!("expected {expected}, found '{found}'"))
    }

    /// How long the word or mark is that stands here.
    fn found_len(&self) -> usize {
        let rest = &self.text[self.pos..];
        let Some(first) = rest.chars().next() else { return 0 };
        const SHOWN: usize = 40;
        let word = rest.bytes().skip(1).take(SHOWN).take_while(|&byte| is_name(byte)).count();
        let has_word = first.is_ascii_alphanumeric() || matches!(first, '%' | '#' | '!' | '@' | '^' | '_');
        first.len_utf8() + if has_word { word } else { 0 }
    }

    /// A word: a letter or an underscore, then letters, digits, `_`, `$` and `.`.
    pub(super) fn word(&mut self) -> Option<&'s str> {
        let word = self.peek_word();
        self.pos += word.len();
        self.skip_blanks();
        (!word.is_empty()).then_some(word)
    }

    pub(super) fn peek_word(&self) -> &'s str {
        let rest = &self.text[self.pos..];
        let begins = rest.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let len = if begins { rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len()) } else { 0 };
        &rest[..len]
    }

    /// Skips a word if it stands here.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.peek_word() == word && self.word().is_some()
    }

    /// The name behind `%`, `^`, `#` or `!`, which is not skipped yet: without blanks behind it.
    pub(super) fn sigil_name(&mut self, what: &str) -> Parsed<&'s str> {
        let rest = &self.text[self.pos + 1..];
        let digits = rest.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
        let is_part = |byte: u8| if digits { byte.is_ascii_digit() } else { is_name(byte) };
        let mut len = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        // An arrow begins behind it.
        if rest.as_bytes().get(len) == Some(&b'>') && rest[..len].ends_with('-') {
            len -= 1;
        }
        if len == 0 {
            return Err(self.unexpected(what));
        }
        self.pos += 1 + len;
        Ok(&rest[..len])
    }

    /// A string in quotes, with its escapes resolved; it need not be UTF-8.
    pub(super) fn string(&mut self) -> Parsed<Vec<u8>> {
        let start = self.pos;
        let raw = self.raw_string()?;
        let bytes = raw.as_bytes();
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            if byte != b'\\' {
                out.push(byte);
                continue;
            }
            let hex = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
            match (bytes.get(at), hex(bytes.get(at)), hex(bytes.get(at + 1))) {
                (_, Some(high), Some(low)) => {
                    out.push((high * 16 + low) as u8);
                    at += 2;
                    continue;
                }
                (Some(b'n'), ..) => out.push(b'\n'),
                (Some(b't'), ..) => out.push(b'\t'),
                (Some(&byte @ (b'"' | b'\\')), ..) => out.push(byte),
                _ => {
                    let place = start + at..start + at + 1;
                    return Err(error(
                        "wrong-literal",
                        place,
                        "a backslash in a string stands before n, t, \", \\ or two hexadecimal digits",
                    ));
                }
            }
            at += 1;
        }
        self.skip_blanks();
        Ok(out)
    }

    /// What stands between quotes; no blanks are skipped.
    pub(super) fn raw_string(&mut self) -> Parsed<&'s str> {
        if self.peek() != b'"' {
            return Err(self.unexpected("a string in quotes"));
        }
        let start = self.pos + 1;
        let bytes = self.text.as_bytes();
        let mut at = start;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                None | Some(b'\n') => {
                    return Err(error("unclosed-string", self.pos..self.pos + 1, "the string does not end in its line"));
                }
                Some(_) => at += 1,
            }
        }
        self.pos = at + 1;
        Ok(&self.text[start..at])
    }

    /// A word or a string.
    pub(super) fn key(&mut self, what: &str) -> Parsed<Vec<u8>> {
        if self.peek() == b'"' {
            return self.string();
        }
        match self.word() {
            Some(word) => Ok(word.as_bytes().to_vec()),
            None => Err(self.unexpected(what)),
        }
    }

    /// Items with commas between them up to a closing mark, which is skipped.
    pub(super) fn list(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.eat(",") {
                return self.expect(close, "or ','");
            }
        }
    }

    /// A number in base ten.
    pub(super) fn number(&mut self, what: &str) -> Parsed<u64> {
        let start = self.pos;
        let len = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if len == 0 {
            return Err(self.unexpected(what));
        }
        let digits = &self.text[start..start + len];
        let number = digits.parse().map_err(|_| error("out-of-range", start..start + len, format!("{what} is too large")))?;
        self.pos += len;
        self.skip_blanks();
        Ok(number)
    }

    /// Goes one level deeper.
    pub(super) fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(error("limit", self.pos..self.pos, format!("this nests deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Skips what stands between brackets, of which the first stands here: `<...>` and all brackets and strings in it.
    pub(super) fn skip_brackets(&mut self) -> Parsed<()> {
        let start = self.pos;
        let bytes = self.text.as_bytes();
        let mut open = Vec::new();
        while let Some(&byte) = bytes.get(self.pos) {
            let close = match byte {
                b'<' if bytes.get(self.pos + 1) != Some(&b'=') => b'>',
                b'[' => b']',
                b'(' => b')',
                b'{' => b'}',
                b'"' => {
                    self.raw_string()?;
                    continue;
                }
                b'-' if bytes.get(self.pos + 1) == Some(&b'>') => {
                    self.pos += 2;
                    continue;
                }
                // A comparison, as in the constraints of a set.
                b'>' if open.last() != Some(&b'>') => {
                    self.pos += 1;
                    continue;
                }
                b'>' | b']' | b')' | b'}' => {
                    if open.pop() != Some(byte) {
                        return Err(error("unexpected-token", self.pos..self.pos + 1, format!("'{}' closes nothing", char::from(byte))));
                    }
                    self.pos += 1;
                    if open.is_empty() {
                        return Ok(());
                    }
                    continue;
                }
                _ => {
                    self.pos += 1;
                    continue;
                }
            };
            open.push(close);
            self.pos += 1;
        }
        Err(error("unexpected-end", start..start + 1, "this bracket is never closed"))
    }
}
