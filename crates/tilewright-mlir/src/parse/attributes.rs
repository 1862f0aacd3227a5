//! Attributes.

use super::{Parsed, Parser, scan::error};
use crate::{
    encoding::code,
    tables::{AttrId, StrId},
    write::push_varint,
};
use std::borrow::Cow;

/// Names and values of a dictionary, by the names.
pub(super) type Entries = Vec<(Vec<u8>, AttrId)>;

/// Attributes of the builtin dialect that bytecode holds as text.
const TEXTS: [&str; 3] = ["affine_map", "affine_set", "strided"];

impl<'s> Parser<'s, '_> {
    pub(super) fn attribute(&mut self) -> Parsed<AttrId> {
        match self.peek() {
            b'#' => self.dialect_attribute(),
            b'@' => self.symbol(),
            b'"' => self.string_attribute(),
            b'[' => self.nested(Self::array),
            b'{' => {
                let entries = self.nested(Self::dictionary)?;
                Ok(self.builder.dictionary(&entries))
            }
            b'-' | b'0'..=b'9' => self.number_attribute(),
            b'(' | b'!' => self.type_attribute(),
            _ => self.word_attribute(),
        }
    }

    fn type_attribute(&mut self) -> Parsed<AttrId> {
        let ty = self.ty()?;
        Ok(self.builder.attr(code::TYPE, |out| push_varint(out, u64::from(ty.0))))
    }

    fn word_attribute(&mut self) -> Parsed<AttrId> {
        let (start, word) = (self.pos, self.peek_word());
        match word {
            "unit" => self.pos += word.len(),
            "true" | "false" => {
                self.pos += word.len();
                self.skip_blanks();
                let ty = self.builder.integer_type(1);
                return Ok(self.builder.attr(code::INTEGER, |out| {
                    push_varint(out, u64::from(ty.0));
                    out.push(u8::from(word == "true"));
                }));
            }
            "loc" => return self.location_attribute(),
            "array" => return self.array_of_numbers(),
            "dense" => return self.dense(),
            "sparse" => return self.sparse(),
            "dense_resource" => return self.dense_resource(),
            "distinct" => return self.distinct(),
            _ if TEXTS.contains(&word) => {
                self.pos += word.len();
                self.skip_blanks();
                if self.peek() != b'<' {
                    return Err(self.unexpected("'<'"));
                }
                self.skip_brackets()?;
                let text = &self.text[start..self.pos];
                self.skip_blanks();
                return Ok(self.builder.text_attr(b"builtin", text));
            }
            "" => return Err(self.unexpected("an attribute")),
            _ => return self.type_attribute(),
        }
        self.skip_blanks();
        Ok(self.builder.attr(code::UNIT, |_| ()))
    }

    fn dialect_attribute(&mut self) -> Parsed<AttrId> {
        let start = self.pos;
        let name = self.sigil_name("the name of an attribute")?;
        if !name.contains('.') && self.peek() != b'<' {
            let attr = self.attr_alias(start)?;
            self.skip_blanks();
            return Ok(attr);
        }
        if let Some(mnemonic) = name.strip_prefix("llvm.")
            && let Some(attr) = self.llvm_attribute(mnemonic)
        {
            return Ok(attr);
        }
        if self.peek() == b'<' {
            self.skip_brackets()?;
        }
        let mut text = &self.text[start..self.pos];
        self.skip_blanks();
        self.refuse_opaque(name, start)?;
        // The type of one that has a type.
        if self.eat(":") {
            self.ty()?;
            text = &self.text[start..self.token_end];
        }
        let text: Cow<'_, str> = self.expand(text)?;
        let dialect = name.split('.').next().unwrap_or_default();
        Ok(self.builder.text_attr(dialect.as_bytes(), &text))
    }

    /// `@name`, or `@root::@nested`.
    fn symbol(&mut self) -> Parsed<AttrId> {
        let root = self.symbol_name()?;
        let root = self.builder.string_attr(&root);
        let mut nested = Vec::new();
        while self.eat("::") {
            if self.peek() != b'@' {
                return Err(self.unexpected("the name of a symbol, such as @name"));
            }
            let name = self.symbol_name()?;
            let name = self.builder.string_attr(&name);
            nested.push(self.builder.attr(code::FLAT_SYMBOL_REF, |out| push_varint(out, u64::from(name.0))));
        }
        if nested.is_empty() {
            return Ok(self.builder.attr(code::FLAT_SYMBOL_REF, |out| push_varint(out, u64::from(root.0))));
        }
        Ok(self.builder.attr(code::SYMBOL_REF, |out| {
            push_varint(out, u64::from(root.0));
            push_attrs(out, &nested);
        }))
    }

    fn symbol_name(&mut self) -> Parsed<Vec<u8>> {
        self.pos += 1;
        self.key("the name of a symbol")
    }

    fn string_attribute(&mut self) -> Parsed<AttrId> {
        let string = self.string()?;
        if !self.eat(":") {
            return Ok(self.builder.string_attr(&string));
        }
        let ty = self.ty()?;
        let StrId(string) = self.builder.string(&string);
        Ok(self.builder.attr(code::STRING_WITH_TYPE, |out| {
            push_varint(out, u64::from(string));
            push_varint(out, u64::from(ty.0));
        }))
    }

    fn array(&mut self) -> Parsed<AttrId> {
        let mut elements = Vec::new();
        self.expect("[", "")?;
        self.list("]", |p| {
            elements.push(p.attribute()?);
            Ok(())
        })?;
        Ok(self.builder.attr(code::ARRAY, |out| push_attrs(out, &elements)))
    }

    /// `{name = value, unit}`, by the names.
    pub(super) fn dictionary(&mut self) -> Parsed<Entries> {
        let mut entries: Vec<(Vec<u8>, AttrId, usize)> = Vec::new();
        self.expect("{", "")?;
        self.list("}", |p| {
            let at = p.pos;
            let name = p.key("the name of an attribute")?;
            let value = if p.eat("=") { p.attribute()? } else { p.builder.attr(code::UNIT, |_| ()) };
            entries.push((name, value, at));
            Ok(())
        })?;
        entries.sort();
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let at = pair[1].2;
            let name = String::from_utf8_lossy(&pair[1].0);
            return Err(error("redefinition", at..at + 1, format!("the attribute '{name}' is given twice")));
        }
        Ok(entries.into_iter().map(|(name, value, _)| (name, value)).collect())
    }

    /// `distinct[0]<attribute>`: all with the same number are one.
    fn distinct(&mut self) -> Parsed<AttrId> {
        self.word();
        self.expect("[", "and a number")?;
        let number = self.number("a number")?;
        self.expect("]", "")?;
        self.expect("<", "")?;
        let inner = if self.peek() == b'>' { self.builder.attr(code::UNIT, |_| ()) } else { self.nested(Self::attribute)? };
        self.expect(">", "")?;
        Ok(self.builder.distinct(number, inner))
    }

    /// `dense_resource<name> : type`
    fn dense_resource(&mut self) -> Parsed<AttrId> {
        self.word();
        self.expect("<", "and the name of a resource")?;
        let key = self.key("the name of a resource")?;
        self.expect(">", "")?;
        self.expect(":", "and a type")?;
        let ty = self.ty()?;
        let key = self.builder.string(&key);
        let dialect = self.builder.dialect(b"builtin");
        let number = self.resources.used(dialect, key);
        self.builder.tables.num_dialect_resources = self.resources.num_used();
        Ok(self.builder.attr(code::DENSE_RESOURCE, |out| {
            push_varint(out, u64::from(ty.0));
            push_varint(out, u64::from(number));
        }))
    }
}

pub(super) fn push_attrs(out: &mut Vec<u8>, attrs: &[AttrId]) {
    push_varint(out, attrs.len() as u64);
    attrs.iter().for_each(|attr| push_varint(out, u64::from(attr.0)));
}
