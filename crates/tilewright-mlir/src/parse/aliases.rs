//! Aliases: `#map = affine_map<...>`, `!tuple = tuple<...>`.
//!
//! They stand before or behind the operations, in any order, so that all are found before anything else is read.

use super::{Parsed, Parser, scan::error};
use crate::tables::{AttrId, TypeId};
use std::borrow::Cow;

/// More text than that is not made of aliases within attributes that stay text.
const MAX_EXPANDED: usize = 1 << 26;

/// What an alias stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alias<'s> {
    /// Where what it stands for begins.
    start: usize,
    /// And ends, once that is known.
    end: usize,
    pub(super) state: State,
    name: &'s str,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Unread,
    /// It is being read, so that one that needs itself is noticed.
    Busy,
    Attr(AttrId),
    Type(TypeId),
}

impl<'s> Parser<'s, '_> {
    /// Finds where aliases are defined: outside of all brackets.
    pub(super) fn find_aliases(&mut self) -> Parsed<()> {
        self.skip_blanks();
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.pos) {
            match byte {
                b'#' | b'!' if bytes.get(self.pos + 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')) => {
                    let at = self.pos;
                    let name = self.sigil_name("a name")?;
                    let end = self.pos;
                    self.skip_blanks();
                    if self.peek() != b'=' {
                        continue;
                    }
                    self.eat("=");
                    let key = &self.text[at..end];
                    if name.contains('.') {
                        return Err(error("wrong-alias", at..end, "the name of an alias has no '.', which belongs to names of dialects"));
                    }
                    if self.aliases.insert(key, Alias { start: self.pos, end: self.pos, state: State::Unread, name: key }).is_some() {
                        return Err(error("redefinition", at..end, format!("{key} is already defined")));
                    }
                }
                b'"' => drop(self.raw_string()?),
                b'(' | b'[' | b'{' => self.skip_brackets()?,
                // Brackets of a type or an attribute; an arrow is none.
                b'<' => self.skip_brackets()?,
                b'-' if bytes.get(self.pos + 1) == Some(&b'>') => self.pos += 2,
                _ => self.pos += 1,
            }
            self.skip_blanks();
        }
        Ok(())
    }

    /// Reads what each stands for, in the order of the text.
    pub(super) fn resolve_aliases(&mut self) -> Parsed<()> {
        let mut all: Vec<(usize, &'s str)> = self.aliases.values().map(|alias| (alias.start, alias.name)).collect();
        all.sort_unstable();
        all.into_iter().try_for_each(|(start, key)| self.alias(key, start..start).map(drop))
    }

    /// What an alias stands for. `place` is where it is used.
    fn alias(&mut self, key: &'s str, place: std::ops::Range<usize>) -> Parsed<State> {
        let Some(&alias) = self.aliases.get(key) else {
            let mut error = error("undefined-alias", place, format!("{key} is not defined"));
            error.notes.push(format!("'{key} = ...' may stand on a line of its own, anywhere in the text"));
            return Err(error);
        };
        match alias.state {
            State::Unread => {}
            State::Busy => return Err(error("alias-cycle", place, format!("{key} needs itself"))),
            known => return Ok(known),
        }
        let here = std::mem::replace(&mut self.pos, alias.start);
        self.set_alias(key, State::Busy);
        let state = self.nested(|p| match key.as_bytes()[0] {
            b'!' => p.ty().map(State::Type),
            _ => p.attribute().map(State::Attr),
        })?;
        self.set_alias(key, state);
        self.pos = here;
        Ok(state)
    }

    fn set_alias(&mut self, key: &'s str, state: State) {
        if let Some(alias) = self.aliases.get_mut(key) {
            (alias.state, alias.end) = (state, self.token_end.max(alias.start));
        }
    }

    pub(super) fn attr_alias(&mut self, start: usize) -> Parsed<AttrId> {
        let (key, place) = (&self.text[start..self.pos], start..self.pos);
        match self.alias(key, place.clone())? {
            State::Attr(id) => Ok(id),
            _ => Err(error("wrong-alias", place, format!("{key} is no attribute"))),
        }
    }

    pub(super) fn type_alias(&mut self, start: usize) -> Parsed<TypeId> {
        let (key, place) = (&self.text[start..self.pos], start..self.pos);
        match self.alias(key, place.clone())? {
            State::Type(id) => Ok(id),
            _ => Err(error("wrong-alias", place, format!("{key} is no type"))),
        }
    }

    /// Skips `#name = ...`, which was read before.
    pub(super) fn skip_alias_definition(&mut self) -> Parsed<()> {
        let start = self.pos;
        let sigil = self.peek();
        self.sigil_name("the name of an alias")?;
        self.skip_blanks();
        if !self.eat("=") {
            self.pos = start;
            return Err(self.unexpected("an operation, or an alias with its '='"));
        }
        if sigil == b'!' { self.ty().map(drop) } else { self.attribute().map(drop) }
    }

    /// A piece of the text with the aliases in it replaced by what they stand for.
    pub(super) fn expand(&mut self, piece: &'s str) -> Parsed<Cow<'s, str>> {
        if self.aliases.is_empty() || !piece.bytes().any(|byte| matches!(byte, b'#' | b'!')) {
            return Ok(Cow::Borrowed(piece));
        }
        let start = piece.as_ptr() as usize - self.text.as_ptr() as usize;
        let (mut out, mut copied) = (String::new(), start);
        let here = std::mem::replace(&mut self.pos, start);
        while self.pos < start + piece.len() {
            match self.peek() {
                b'"' => drop(self.raw_string()?),
                b'#' | b'!' => {
                    let at = self.pos;
                    let Ok(_) = self.sigil_name("a name") else {
                        self.pos += 1;
                        continue;
                    };
                    let key = &self.text[at..self.pos];
                    let Some(&alias) = self.aliases.get(key).filter(|_| self.peek() != b'<') else { continue };
                    // It is known to be well formed, and not to need itself, once it was read.
                    self.alias(key, at..self.pos)?;
                    out.push_str(&self.text[copied..at]);
                    copied = self.pos;
                    let definition = self.aliases.get(key).map_or(0, |alias| alias.end);
                    let definition = &self.text[alias.start..definition];
                    let text = self.nested(|p| p.expand(definition))?;
                    out.push_str(&text);
                    self.expanded += text.len();
                    if self.expanded > MAX_EXPANDED {
                        return Err(error("limit", at..copied, "the aliases of this text stand for too much text"));
                    }
                }
                _ => self.pos += 1,
            }
        }
        out.push_str(&self.text[copied..start + piece.len()]);
        self.pos = here;
        Ok(Cow::Owned(out))
    }
}
