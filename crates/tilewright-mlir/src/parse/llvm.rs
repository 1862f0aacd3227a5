//! Attributes of the llvm dialect that bytecode encodes: debug information and annotations of loops.
//!
//! Each is read by the row of its encoding. Text that does not fit it, such as that of another version of the dialect, stays text.

use super::{Parsed, Parser};
use crate::{
    encoding::{self, Encoding, Field, Parameter, Style, dwarf},
    tables::AttrId,
    write::push_varint,
};

/// The value of a field.
enum Value {
    Number(u64),
    Attrs(Vec<AttrId>),
    String(Vec<u8>),
    Numbers(Vec<u64>),
}

/// Values by the names of the fields.
type Values = Vec<(&'static str, Value)>;

impl<'s> Parser<'s, '_> {
    /// The attribute whose `#llvm.mnemonic` stands before this place, in the first form that it fits; none, and nothing was read, if it is not one that is encoded.
    pub(super) fn llvm_attribute(&mut self, mnemonic: &str) -> Option<AttrId> {
        let (start, token_end, blank_end) = (self.pos, self.token_end, self.blank_end);
        for encoding in encoding::llvm_attribute(mnemonic) {
            if let Some(attr) = self.nested(|p| p.llvm_body(encoding)).ok().flatten() {
                return Some(attr);
            }
            (self.pos, self.token_end, self.blank_end) = (start, token_end, blank_end);
        }
        None
    }

    /// What stands behind the mnemonic; none if the encoding has no form for it.
    fn llvm_body(&mut self, encoding: &'static Encoding) -> Parsed<Option<AttrId>> {
        let mut values = Values::new();
        match encoding.name {
            "di_file" => {
                self.expect("<", "")?;
                values.push(("name", Value::String(self.string()?)));
                if !self.eat_word("in") {
                    return Ok(None);
                }
                values.push(("directory", Value::String(self.string()?)));
                self.expect(">", "")?;
            }
            "di_expression" => {
                let Some(element) = encoding::llvm_attribute("di_expression_elem").next() else { return Ok(None) };
                let mut operations = Vec::new();
                self.expect("<", "")?;
                if self.eat("[") {
                    self.list("]", |p| {
                        operations.extend(p.llvm_body(element)?);
                        Ok(())
                    })?;
                }
                self.expect(">", "")?;
                values.push(("operations", Value::Attrs(operations)));
            }
            "di_expression_elem" => {
                let mut arguments = Vec::new();
                let Some(opcode) = self.dwarf_word("DW_OP_") else { return Ok(None) };
                if self.eat("(") {
                    self.list(")", |p| {
                        let word = p.dwarf_word("DW_ATE_");
                        arguments.push(word.map_or_else(|| p.number("a number"), Ok)?);
                        Ok(())
                    })?;
                }
                values.extend([("opcode", Value::Number(opcode)), ("arguments", Value::Numbers(arguments))]);
            }
            _ => {
                self.expect("<", "")?;
                while !self.eat(">") {
                    let name = self.word().unwrap_or_default();
                    let Some(parameter) = encoding.parameters.iter().find(|parameter| parameter.name == name) else { return Ok(None) };
                    self.expect("=", "")?;
                    let Some(value) = self.llvm_value(encoding, parameter)? else { return Ok(None) };
                    values.push((parameter.name, value));
                    if self.peek() != b'>' {
                        self.expect(",", "or '>'")?;
                    }
                }
                // Other versions leave out what this one always prints.
                let is_given = |parameter: &Parameter| values.iter().any(|(name, _)| *name == parameter.name);
                if !encoding.parameters.iter().all(|parameter| parameter.is_optional || is_given(parameter)) {
                    return Ok(None);
                }
            }
        }
        Ok(self.encode_llvm(encoding, &values))
    }

    fn llvm_value(&mut self, encoding: &'static Encoding, parameter: &Parameter) -> Parsed<Option<Value>> {
        let field = encoding.fields.iter().find(|(name, _)| *name == parameter.name).map(|&(_, field)| field);
        let number = match parameter.style {
            Style::Value | Style::Stripped(_) | Style::Bracketed | Style::Language => None,
            Style::Bool => Some(["false", "true"].iter().position(|&word| self.eat_word(word)).map(|place| place as u64)),
            Style::Word(prefix) => Some(self.dwarf_word(prefix)),
            Style::Cases(cases) => Some(cases.iter().position(|&word| self.eat_word(word)).map(|place| place as u64)),
            Style::Flags(flags) => Some(self.flags(flags)?),
        };
        if let Some(number) = number {
            return Ok(number.map(Value::Number));
        }
        Ok(Some(match field {
            Some(Field::String) => Value::String(self.string()?),
            Some(Field::Number | Field::OptionalNumber) => Value::Number(self.number("a number")?),
            Some(Field::FlaggedOptionalAttrs) if parameter.style == Style::Bracketed && self.eat("[") => {
                let mut attrs = Vec::new();
                self.list("]", |p| {
                    attrs.push(p.llvm_part(parameter.style)?);
                    Ok(())
                })?;
                Value::Attrs(attrs)
            }
            _ if parameter.style == Style::Language => {
                let Some(language) = self.dwarf_word("DW_LANG_").and_then(|number| dwarf::name("DW_LANG_", number)) else {
                    return Ok(None);
                };
                let text = format!("#llvm.di_source_language_name<language = DW_LANG_{language}>");
                Value::Attrs(vec![self.builder.text_attr(b"llvm", &text)])
            }
            Some(Field::FlaggedOptionalAttrs) => {
                let mut attrs = vec![self.llvm_part(parameter.style)?];
                // A comma is also what stands before the next parameter, whose name is a word.
                while self.peek() == b',' && self.next_is_attribute() {
                    self.eat(",");
                    attrs.push(self.llvm_part(parameter.style)?);
                }
                Value::Attrs(attrs)
            }
            _ => Value::Attrs(vec![self.llvm_part(parameter.style)?]),
        }))
    }

    /// Whether an attribute of a dialect stands behind the mark here.
    fn next_is_attribute(&self) -> bool {
        let next = self.rest()[1..].iter().find(|byte| !byte.is_ascii_whitespace());
        matches!(next, Some(b'#' | b'<'))
    }

    /// An attribute, which may stand without its name.
    fn llvm_part(&mut self, style: Style) -> Parsed<AttrId> {
        let Style::Stripped(mnemonic) = style else { return self.nested(Self::attribute) };
        if self.peek() != b'<' {
            return self.nested(Self::attribute);
        }
        if let Some(attr) = self.llvm_attribute(mnemonic) {
            return Ok(attr);
        }
        let start = self.pos;
        self.skip_brackets()?;
        let body = &self.text[start..self.pos];
        self.skip_blanks();
        let body = self.expand(body)?;
        Ok(self.builder.text_attr(b"llvm", &format!("#llvm.{mnemonic}{body}")))
    }

    /// A name of DWARF; none, and nothing was read, if it is not known.
    fn dwarf_word(&mut self, prefix: &'static str) -> Option<u64> {
        let number = dwarf::number(prefix, self.peek_word().strip_prefix(prefix)?)?;
        self.word();
        Some(number)
    }

    /// A flag, or several in quotes.
    fn flags(&mut self, flags: &[(u64, &str)]) -> Parsed<Option<u64>> {
        let start = self.pos;
        let text = if self.peek() == b'"' { self.raw_string()? } else { self.peek_word() };
        if self.pos == start {
            // Names of one bit may be several with bars between them.
            self.pos += self.rest().iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'|').count();
        }
        let text = if self.text[start..].starts_with('"') { text } else { &self.text[start..self.pos] };
        self.skip_blanks();
        let bits = text.split('|').map(|word| match word {
            "Zero" => Some(0),
            _ => flags.iter().find(|(_, name)| name.split('|').any(|name| name == word)).map(|&(bits, _)| bits),
        });
        Ok(bits.into_iter().try_fold(0, |all, bits| Some(all | bits?)))
    }

    /// The attribute with these values; none if one is missing that must be there.
    fn encode_llvm(&mut self, encoding: &'static Encoding, values: &Values) -> Option<AttrId> {
        let mut out = Vec::new();
        push_varint(&mut out, encoding.code);
        for &(name, field) in encoding.fields {
            let value = values.iter().find(|(other, _)| *other == name).map(|(_, value)| value);
            match (field, value) {
                (Field::Number, Some(Value::Number(number))) => push_varint(&mut out, *number),
                (Field::Byte, Some(Value::Number(number))) => out.push(*number as u8),
                (Field::OptionalNumber, Some(Value::Number(number))) => push_varint(&mut out, number << 1 | 1),
                (Field::String, Some(Value::String(string))) => push_varint(&mut out, u64::from(self.builder.string(string).0)),
                (Field::Attr, Some(Value::Attrs(attrs))) => push_varint(&mut out, u64::from(attrs.first()?.0)),
                (Field::OptionalAttr, Some(Value::Attrs(attrs))) => push_varint(&mut out, u64::from(attrs.first()?.0) << 1 | 1),
                (Field::FlaggedOptionalAttrs, Some(Value::Attrs(attrs))) if !attrs.is_empty() => {
                    out.push(1);
                    push_varint(&mut out, attrs.len() as u64);
                    attrs.iter().for_each(|attr| push_varint(&mut out, u64::from(attr.0) << 1 | 1));
                }
                (Field::FlaggedNumbers, Some(Value::Numbers(numbers))) if !numbers.is_empty() => {
                    out.push(1);
                    push_varint(&mut out, numbers.len() as u64);
                    numbers.iter().for_each(|&number| push_varint(&mut out, number));
                }
                (Field::Byte | Field::FlaggedOptionalAttrs | Field::FlaggedNumbers, _) => out.push(0),
                (Field::Number | Field::OptionalNumber | Field::OptionalAttr, None) => push_varint(&mut out, 0),
                _ => return None,
            }
        }
        Some(self.builder.encoded_attr(b"llvm", encoding, out))
    }
}
