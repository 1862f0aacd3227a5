//! Source locations.

use super::{Parsed, Parser, attributes::push_attrs};
use crate::{encoding::code, tables::AttrId, write::push_varint};

impl Parser<'_, '_> {
    /// The unknown location.
    pub(super) fn unknown_location(&mut self) -> AttrId {
        match self.unknown_location {
            Some(location) => location,
            None => *self.unknown_location.insert(self.builder.attr(code::UNKNOWN_LOC, |_| ())),
        }
    }

    /// `loc(...)`, if it is there.
    pub(super) fn optional_location(&mut self) -> Parsed<Option<AttrId>> {
        if self.peek_word() == "loc" { self.location_attribute().map(Some) } else { Ok(None) }
    }

    /// `loc(...)`
    pub(super) fn location_attribute(&mut self) -> Parsed<AttrId> {
        self.word();
        self.expect("(", "and a location")?;
        let location = self.nested(Self::location)?;
        self.expect(")", "")?;
        Ok(location)
    }

    fn location(&mut self) -> Parsed<AttrId> {
        match self.peek() {
            b'"' => return self.place_or_name(),
            b'#' => return self.attribute(),
            _ => {}
        }
        match self.peek_word() {
            "unknown" => {
                self.word();
                Ok(self.unknown_location())
            }
            "callsite" => self.call_site(),
            "fused" => self.fused(),
            // An alias of a location may be given in full.
            "loc" => self.location_attribute(),
            _ => Err(self.unexpected("a location: unknown, callsite(...), fused[...], \"file\":line:column or \"name\"(...)")),
        }
    }

    fn call_site(&mut self) -> Parsed<AttrId> {
        self.word();
        self.expect("(", "and a location")?;
        let callee = self.nested(Self::location)?;
        if !self.eat_word("at") {
            return Err(self.unexpected("'at'"));
        }
        let caller = self.nested(Self::location)?;
        self.expect(")", "")?;
        Ok(self.builder.attr(code::CALL_SITE_LOC, |out| {
            push_varint(out, u64::from(callee.0));
            push_varint(out, u64::from(caller.0));
        }))
    }

    fn fused(&mut self) -> Parsed<AttrId> {
        self.word();
        let mut metadata = None;
        if self.eat("<") {
            metadata = Some(self.nested(Self::attribute)?);
            self.expect(">", "")?;
        }
        let mut locations = Vec::new();
        self.expect("[", "and locations")?;
        self.list("]", |p| {
            locations.push(p.nested(Self::location)?);
            Ok(())
        })?;
        let code = if metadata.is_some() { code::FUSED_LOC_WITH_METADATA } else { code::FUSED_LOC };
        Ok(self.builder.attr(code, |out| {
            push_attrs(out, &locations);
            metadata.into_iter().for_each(|attr| push_varint(out, u64::from(attr.0)));
        }))
    }

    /// `"file":1:2`, `"file":1:2 to 3:4`, `"name"` or `"name"(location)`.
    fn place_or_name(&mut self) -> Parsed<AttrId> {
        let string = self.string()?;
        let string = self.builder.string_attr(&string);
        if !self.eat(":") {
            let child = match self.eat("(") {
                true => {
                    let child = self.nested(Self::location)?;
                    self.expect(")", "")?;
                    child
                }
                false => self.unknown_location(),
            };
            return Ok(self.builder.attr(code::NAME_LOC, |out| {
                push_varint(out, u64::from(string.0));
                push_varint(out, u64::from(child.0));
            }));
        }
        let line = self.number("a line")?;
        self.expect(":", "and a column")?;
        let column = self.number("a column")?;
        if !self.eat_word("to") {
            return Ok(self.builder.attr(code::FILE_LINE_COL_LOC, |out| {
                push_varint(out, u64::from(string.0));
                push_varint(out, line);
                push_varint(out, column);
            }));
        }
        let mut range = vec![line, column];
        if self.peek() != b':' {
            range.push(self.number("a line")?);
        }
        self.expect(":", "and a column")?;
        range.push(self.number("a column")?);
        Ok(self.builder.attr(code::FILE_LINE_COL_RANGE, |out| {
            push_varint(out, u64::from(string.0));
            push_varint(out, range.len() as u64);
            range.iter().for_each(|&number| push_varint(out, number));
        }))
    }
}
