//! Uses of values, keywords, strings and symbols.

use super::cursor::{Failed, Parsed, Parser, brief};
use super::lexer::{Kind, Token};
use super::scope::Binding;
use std::borrow::Cow;
use tilewright_ir::{EnumKind, Str, Value};

impl<'s> Parser<'s> {
    /// `%x` or `%x#1`: a value that is defined before.
    #[inline]
    pub(super) fn value(&mut self) -> Parsed<Value> {
        if !self.at(Kind::Value) {
            return Err(self.missing(Kind::Value));
        }
        let binding = self.scope.get(self.token);
        let (start, end) = (self.token.start(), self.token.end());
        let name = self.advance();
        let position = if self.at(Kind::Hash) && self.token.start() == end { Some(self.advance()) } else { None };
        if self.recorder.is_some() {
            let position = position.and_then(|position| self.text(position)[1..].parse().ok());
            self.record_value_use(name, position.unwrap_or(0));
        }
        match (binding, position) {
            (Some(binding), None) if !binding.is_broken() => binding.value(0).ok_or(Failed),
            _ => self.unusual_value(start, binding, position),
        }
    }

    /// A value by its position in a group, or none.
    #[cold]
    fn unusual_value(&mut self, start: usize, binding: Option<Binding>, position: Option<Token>) -> Parsed<Value> {
        let token = self.token_at(start);
        let Some(binding) = binding else {
            return Err(self.report("undefined-value", token.span(), format!("{} is not defined", brief(self.text(token)))));
        };
        if binding.is_broken() {
            return Err(Failed);
        }
        let Some(position) = position else { return binding.value(0).ok_or(Failed) };
        let value = self.text(position)[1..].parse().ok().and_then(|position| binding.value(position));
        value.ok_or_else(|| {
            let message = format!("{} has {} values, counted from #0", brief(self.text(token)), binding.count());
            self.report("undefined-value", token.start()..position.end(), message)
        })
    }

    /// The value that the token at hand names, perhaps with a position behind it. Nothing is read, and no error reported.
    pub(super) fn peek_value(&self) -> Option<Value> {
        let binding = self.scope.get(self.token)?;
        let Some(rest) = self.source[self.token.end()..].strip_prefix('#') else { return binding.value(0) };
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        binding.value(rest[..digits].parse().ok()?)
    }

    /// A keyword of an enumeration; its value on the wire.
    pub(super) fn keyword(&mut self, kind: EnumKind) -> Parsed<u8> {
        let token = self.token;
        if !token.is(Kind::Word) {
            return Err(self.unexpected(&format!("a keyword of {}", kind.name())));
        }
        self.advance();
        match kind.by_keyword(self.text(token)) {
            Some(value) => Ok(value.value),
            None => {
                let word = self.text(token);
                Err(self.unknown_word("unknown-keyword", kind.name(), token, word, kind.values().iter().map(|v| v.keyword)))
            }
        }
    }

    /// Whether the token at hand is a keyword of the enumeration.
    pub(super) fn at_keyword(&self, kind: EnumKind) -> bool {
        self.at(Kind::Word) && kind.by_keyword(self.text(self.token)).is_some()
    }

    /// `"..."`
    pub(super) fn string(&mut self) -> Parsed<Str> {
        let token = self.expect(Kind::Text)?;
        self.unquoted(token, self.text(token))
    }

    /// `@name`, `@"any name"`
    pub(super) fn symbol(&mut self) -> Parsed<Str> {
        let token = self.expect(Kind::Symbol)?;
        let name = &self.text(token)[1..];
        let name = if name.starts_with('"') { self.unquoted(token, name)? } else { self.intern_string(name.as_bytes()) };
        self.record_symbol_use(token, name);
        Ok(name)
    }

    pub(super) fn intern_string(&mut self, bytes: &[u8]) -> Str {
        self.module.tables.strings.intern(bytes)
    }

    /// The string that a literal, with its quotes, stands for.
    fn unquoted(&mut self, token: Token, literal: &'s str) -> Parsed<Str> {
        match unescape(&literal.as_bytes()[1..literal.len() - 1]) {
            Some(bytes) => Ok(self.intern_string(&bytes)),
            None => {
                let message = "a backslash is followed by another, a quote, n, t or two hexadecimal digits".to_owned();
                Err(self.report("wrong-literal", token.span(), message))
            }
        }
    }
}

/// Replaces `\\`, `\"`, `\n`, `\t` and `\1F`.
fn unescape(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !text.contains(&b'\\') {
        return Some(Cow::Borrowed(text));
    }
    let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next()? {
                byte @ (b'\\' | b'"') => byte,
                b'n' => b'\n',
                b't' => b'\t',
                high => (digit(Some(high))? << 4 | digit(bytes.next())?) as u8,
            },
            byte => byte,
        });
    }
    Some(Cow::Owned(out))
}
