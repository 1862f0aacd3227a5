//! Attributes that say themselves what they are.

use super::MAX_ATTRIBUTE_DEPTH;
use super::cursor::{Parsed, Parser};
use super::lexer::{Kind, Token};
use crate::literals::{float_format, float_value};
use std::collections::HashSet;
use tilewright_ir::{Attr, AttrData, EnumKind, MultimemReductionKind, Scalar, Str};

/// What attributes of the dialect are called.
const NAMES: [&str; 5] = ["optimization_hints", "div_by", "same_elements", "bounded", "multimem_reduction_kind"];

/// Named attributes, in the order of the text.
type Entries = Box<[(Str, Attr)]>;

impl<'s> Parser<'s> {
    /// Any attribute.
    pub(super) fn attribute(&mut self) -> Parsed<Attr> {
        self.attribute_at(0, false)
    }

    pub(super) fn add_attr(&mut self, data: AttrData) -> Attr {
        self.module.tables.attrs.intern(data)
    }

    /// An alias, or any other attribute. `in_list`: a truth value is a number of type `i1`, as the identities of `reduce` need it.
    fn attribute_at(&mut self, depth: usize, in_list: bool) -> Parsed<Attr> {
        if self.at(Kind::Hash) && !self.text(self.token).starts_with("#cuda_tile.") {
            let name = self.advance();
            return self.attr_alias(name);
        }
        let data = self.attribute_data(depth, in_list)?;
        Ok(self.add_attr(data))
    }

    fn attribute_data(&mut self, depth: usize, in_list: bool) -> Parsed<AttrData> {
        if depth > MAX_ATTRIBUTE_DEPTH {
            return Err(self.report("limit", self.token.span(), format!("attributes nest deeper than {MAX_ATTRIBUTE_DEPTH}")));
        }
        match self.token.kind() {
            Kind::Int | Kind::Hex | Kind::Float | Kind::Minus => self.typed_number(),
            Kind::Text => self.string().map(AttrData::String),
            Kind::LeftSquare => self.list(depth).map(AttrData::Array),
            Kind::LeftBrace => self.dictionary(depth).map(AttrData::Dictionary),
            Kind::Bang | Kind::LeftParen => self.ty().map(AttrData::Type),
            Kind::Word => match self.text(self.token) {
                word @ ("true" | "false") => {
                    let value = word == "true";
                    self.advance();
                    Ok(if in_list { AttrData::Integer { ty: Scalar::I1.ty(), bits: u64::from(value) } } else { AttrData::Bool(value) })
                }
                "inf" | "nan" => self.typed_number(),
                "array" => self.typed_array(),
                word if is_type(word) => self.ty().map(AttrData::Type),
                _ => Err(self.unexpected("an attribute")),
            },
            Kind::Hash => {
                let token = self.advance();
                let name = &self.text(token)["#cuda_tile.".len()..];
                self.dialect_attr(token, name, depth)
            }
            _ => Err(self.unexpected("an attribute")),
        }
    }

    /// `3 : i32`; without a type, integers are `i64` and floats `f64`.
    fn typed_number(&mut self) -> Parsed<AttrData> {
        let number = self.number()?;
        let scalar = if self.eat(Kind::Colon) {
            let token = self.token;
            let ty = self.ty()?;
            let scalar = self.module.tables.types.scalar(ty);
            scalar.ok_or_else(|| self.report("invalid-type", token.span(), "a number has a number type".to_owned()))?
        } else if matches!(number.token.kind(), Kind::Int | Kind::Hex) {
            Scalar::I64
        } else {
            Scalar::F64
        };
        let bits = self.bits_of(number, scalar)?;
        let ty = scalar.ty();
        Ok(if scalar.is_int() { AttrData::Integer { ty, bits } } else { AttrData::Float { ty, bits } })
    }

    /// `[1, 2]`
    pub(super) fn list(&mut self, depth: usize) -> Parsed<Box<[Attr]>> {
        self.expect(Kind::LeftSquare)?;
        let mut items = Vec::new();
        self.closed(Kind::RightSquare, |p| {
            items.push(p.attribute_at(depth + 1, true)?);
            Ok(())
        })?;
        Ok(items.into())
    }

    /// `array<i32: 1, 2>`, `array<i1: true>`
    pub(super) fn typed_array(&mut self) -> Parsed<AttrData> {
        self.expect_word("array")?;
        self.expect(Kind::Less)?;
        let token = self.expect(Kind::Word)?;
        let of_bools = match self.text(token) {
            "i32" => false,
            "i1" => true,
            word => return Err(self.unknown_word("unknown-type", "type of an array", token, word, ["i32", "i1"].into_iter())),
        };
        let (mut bools, mut integers) = (Vec::new(), Vec::new());
        if !self.eat(Kind::Greater) {
            self.expect(Kind::Colon)?;
            self.separated(|p| {
                if of_bools {
                    bools.push(p.truth()?)
                } else {
                    integers.push(p.small_integer()?)
                }
                Ok(())
            })?;
            self.expect(Kind::Greater)?;
        }
        Ok(if of_bools { AttrData::BoolArray(bools.into()) } else { AttrData::I32Array(integers.into()) })
    }

    /// `true` or `false`
    pub(super) fn truth(&mut self) -> Parsed<bool> {
        if self.eat_word("true") {
            return Ok(true);
        }
        if self.eat_word("false") { Ok(false) } else { Err(self.unexpected("'true' or 'false'")) }
    }

    /// `{name = value, "any name" = value}`
    pub(super) fn dictionary(&mut self, depth: usize) -> Parsed<Entries> {
        self.expect(Kind::LeftBrace)?;
        self.entries(Kind::RightBrace, |p| p.attribute_at(depth + 1, false))
    }

    fn entries(&mut self, close: Kind, mut value: impl FnMut(&mut Self) -> Parsed<Attr>) -> Parsed<Entries> {
        let (mut entries, mut seen) = (Vec::new(), HashSet::new());
        self.closed(close, |p| {
            let (token, name) = p.entry_name()?;
            p.expect(Kind::Equal)?;
            if !seen.insert(name) {
                return Err(p.report("redefinition", token.span(), "the name stands twice in the list".to_owned()));
            }
            entries.push((name, value(p)?));
            Ok(())
        })?;
        Ok(entries.into())
    }

    /// A name before `=`. Names of hints are printed as they are and may be several words.
    fn entry_name(&mut self) -> Parsed<(Token, Str)> {
        let token = self.token;
        if token.is(Kind::Text) {
            return Ok((token, self.string()?));
        }
        let mut end = self.expect(Kind::Word)?.end();
        while self.at(Kind::Word) {
            end = self.advance().end();
        }
        let name = &self.source[token.start()..end];
        Ok((token, self.intern_string(name.as_bytes())))
    }

    /// An attribute of the dialect, after its name.
    fn dialect_attr(&mut self, token: Token, name: &str, depth: usize) -> Parsed<AttrData> {
        match name {
            "optimization_hints" => self.hints(depth).map(AttrData::OptimizationHints),
            "div_by" | "same_elements" | "bounded" => self.predicate_body(name),
            "multimem_reduction_kind" => {
                self.expect(Kind::Less)?;
                let wire = self.keyword(EnumKind::MultimemReductionKind)?;
                self.expect(Kind::Greater)?;
                let kind = MultimemReductionKind::from_wire(wire).expect("the keyword is one of the enumeration");
                Ok(AttrData::MultimemReductionKind(kind))
            }
            _ => Err(self.unknown_word("unknown-attribute", "attribute", token, name, NAMES.into_iter())),
        }
    }

    /// `<default = {latency = 3}, sm_100 = {}>`
    pub(super) fn hints(&mut self, depth: usize) -> Parsed<Entries> {
        self.expect(Kind::Less)?;
        self.entries(Kind::Greater, |p| {
            let token = p.token;
            let entries = p.dictionary(depth + 1)?;
            if entries.iter().any(|&(_, value)| p.is_bits_only(value)) {
                let message = "numbers in hints are finite: others are printed as their bits, which read as an integer".to_owned();
                return Err(p.report("out-of-range", token.span(), message));
            }
            Ok(p.add_attr(AttrData::Dictionary(entries)))
        })
    }

    /// Whether an attribute is a float that has no form but its bits. Among hints, where no type is printed, text cannot say it.
    fn is_bits_only(&self, attr: Attr) -> bool {
        let AttrData::Float { ty, bits } = *self.module.tables.attrs.get(attr) else { return false };
        let format = self.module.tables.types.scalar(ty).and_then(float_format);
        format.is_some_and(|format| !float_value(format, bits).is_finite())
    }

    /// `div_by<16>`, `same_elements<[1, 4]>` or `bounded<0, ?>`, with or without `#cuda_tile.`; or an alias.
    pub(super) fn predicate(&mut self) -> Parsed<Attr> {
        let token = self.token;
        let text = self.text(token);
        let name = match token.kind() {
            Kind::Word => text.strip_prefix("cuda_tile.").unwrap_or(text),
            Kind::Hash => match text.strip_prefix("#cuda_tile.") {
                Some(name) => name,
                None => {
                    self.advance();
                    return self.attr_alias(token);
                }
            },
            _ => return Err(self.unexpected("a predicate such as div_by<16>")),
        };
        self.advance();
        let data = self.predicate_body(name)?;
        Ok(self.add_attr(data))
    }

    fn predicate_body(&mut self, name: &str) -> Parsed<AttrData> {
        let token = self.token;
        self.expect(Kind::Less)?;
        let data = match name {
            "div_by" => {
                let divisor = self.unsigned(64)?;
                let (mut every, mut along) = (None, None);
                let has_comma = self.eat(Kind::Comma);
                if self.eat_word("every") {
                    every = Some(self.signed(64)?);
                } else if has_comma && !self.at_word("along") {
                    return Err(self.unexpected("'every'"));
                }
                if self.eat_word("along") {
                    along = Some(self.signed(64)?);
                }
                AttrData::DivBy { divisor, every, along }
            }
            "same_elements" => AttrData::SameElements(self.integer_list(|p| p.signed(64))?.into()),
            "bounded" => {
                let lower = self.bound()?;
                self.expect(Kind::Comma)?;
                AttrData::Bounded { lower, upper: self.bound()? }
            }
            _ => {
                let known = ["div_by", "same_elements", "bounded"];
                return Err(self.unknown_word("unknown-attribute", "predicate", token, name, known.into_iter()));
            }
        };
        self.expect(Kind::Greater)?;
        Ok(data)
    }

    fn bound(&mut self) -> Parsed<Option<i64>> {
        if self.eat(Kind::Question) { Ok(None) } else { self.signed(64).map(Some) }
    }
}

/// Whether a word begins a type.
fn is_type(word: &str) -> bool {
    let word = word.strip_prefix(super::types::DIALECT).unwrap_or(word);
    Scalar::from_name(word).is_some() || super::types::TYPE_NAMES.contains(&word)
}
