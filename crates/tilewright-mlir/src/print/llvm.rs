//! The attributes of the llvm dialect: debug information and annotations of loops.

use super::{
    Printer, Symbol,
    attributes::Elision,
    names,
    strings::{push_list, push_string},
};
use crate::{
    encoding::{Encoding, Owner, Parameter, Style, Value, dwarf},
    operations::TABLE_LLVM_VERSION,
    tables::{AttrId, Form},
};

impl Printer<'_, '_> {
    pub(super) fn push_llvm_attr(&self, out: &mut Vec<u8>, encoding: &'static Encoding, fields: &[Value<'_>]) {
        out.extend_from_slice(b"#llvm.");
        out.extend_from_slice(encoding.name.as_bytes());
        self.push_llvm_body(out, encoding, fields);
    }

    /// What stands behind the name of the attribute.
    fn push_llvm_body(&self, out: &mut Vec<u8>, encoding: &'static Encoding, fields: &[Value<'_>]) {
        let strings = &self.module.tables.strings;
        match (encoding.name, fields) {
            ("di_file", [Value::String(name), Value::String(directory)]) => {
                out.push(b'<');
                push_string(out, strings.get(*name));
                out.extend_from_slice(b" in ");
                push_string(out, strings.get(*directory));
                out.push(b'>');
            }
            ("di_expression", [Value::OptionalAttrs(operations)]) => {
                out.push(b'<');
                if operations.len() > 0 {
                    out.push(b'[');
                    self.push_llvm_list(out, fields.first(), true);
                    out.push(b']');
                }
                out.push(b'>');
            }
            ("di_expression_elem", [Value::Number(opcode), Value::Numbers(arguments)]) => {
                push_word(out, "DW_OP_", *opcode);
                let arguments: Vec<(usize, u64)> = arguments.clone().enumerate().collect();
                if !arguments.is_empty() {
                    out.push(b'(');
                    let is_conversion = dwarf::name("DW_OP_", *opcode) == Some("LLVM_convert");
                    push_list(out, &arguments, |out, &(index, argument)| match index {
                        1.. if is_conversion => push_word(out, "DW_ATE_", argument),
                        _ => names::push_number(out, argument),
                    });
                    out.push(b')');
                }
            }
            _ => self.push_llvm_parameters(out, encoding, fields),
        }
    }

    /// `<name = value, ...>`
    fn push_llvm_parameters(&self, out: &mut Vec<u8>, encoding: &'static Encoding, fields: &[Value<'_>]) {
        out.push(b'<');
        let mut is_first = true;
        for parameter in encoding.parameters {
            let value = encoding.fields.iter().position(|&(name, _)| name == parameter.name).and_then(|place| fields.get(place));
            if parameter.is_optional && value.is_none_or(is_default) {
                continue;
            }
            if !is_first {
                out.extend_from_slice(b", ");
            }
            is_first = false;
            out.extend_from_slice(parameter.name.as_bytes());
            out.extend_from_slice(b" = ");
            self.push_llvm_parameter(out, parameter, value);
        }
        out.push(b'>');
    }

    fn push_llvm_parameter(&self, out: &mut Vec<u8>, parameter: &Parameter, value: Option<&Value<'_>>) {
        let number = match value {
            Some(Value::Number(number) | Value::OptionalNumber(Some(number))) => *number,
            _ => 0,
        };
        match (parameter.style, value) {
            (Style::Bool, _) => out.extend_from_slice(if number != 0 { b"true" } else { b"false" }),
            (Style::Word(prefix), _) => push_word(out, prefix, number),
            (Style::Cases(cases), _) => out.extend_from_slice(cases.get(number as usize).unwrap_or(&"").as_bytes()),
            (Style::Flags(flags), _) => push_flags(out, flags, number),
            (Style::Value | Style::Stripped(_), Some(Value::Number(_) | Value::OptionalNumber(_))) => names::push_number(out, number),
            (Style::Value | Style::Stripped(_), Some(Value::String(id))) => push_string(out, self.module.tables.strings.get(*id)),
            (Style::Bracketed, value) if self.is_later_llvm() => {
                out.push(b'[');
                self.push_llvm_list(out, value, false);
                out.push(b']');
            }
            (Style::Language, Some(Value::OptionalAttr(Some(id)))) => self.push_language(out, *id),
            (style, value) => self.push_llvm_list(out, value, matches!(style, Style::Stripped(_))),
        }
    }

    /// Whether the file is one of LLVM 23 or later.
    pub(super) fn is_later_llvm(&self) -> bool {
        self.module.tables.has_later_forms || self.module.llvm_version().is_some_and(|version| version > TABLE_LLVM_VERSION)
    }

    /// The name of a language, which stands alone where the attribute says nothing else.
    fn push_language(&self, out: &mut Vec<u8>, id: AttrId) {
        let text = self.module.tables.text(&self.module.tables.attrs, id.0);
        let name = text.and_then(|text| text.strip_prefix(b"#llvm.di_source_language_name<language = ")?.strip_suffix(b">"));
        match name.filter(|name| !name.contains(&b',')) {
            Some(name) => out.extend_from_slice(name),
            None => self.push_attr(out, id, Elision::Never),
        }
    }

    /// One or several attributes; stripped ones stand without their names where they have no alias.
    fn push_llvm_list(&self, out: &mut Vec<u8>, value: Option<&Value<'_>>, is_stripped: bool) {
        let attrs: Vec<Option<AttrId>> = match value {
            Some(Value::Attr(id)) => vec![Some(*id)],
            Some(Value::OptionalAttr(id)) => vec![*id],
            Some(Value::OptionalAttrs(list)) => list.clone().optional_attrs().collect(),
            _ => Vec::new(),
        };
        push_list(out, &attrs, |out, attr| match attr {
            Some(id) if is_stripped => self.push_stripped_llvm(out, *id),
            Some(id) => self.push_attr(out, *id, Elision::Never),
            None => out.extend_from_slice(b"<<NULL ATTRIBUTE>>"),
        });
    }

    fn push_stripped_llvm(&self, out: &mut Vec<u8>, id: AttrId) {
        let tables = &self.module.tables;
        match tables.attrs.entry(id.0).form {
            Form::Known(encoding) if encoding.owner == Owner::Llvm => {
                if !self.push_alias(Symbol::Attr(id), out) {
                    self.push_llvm_body(out, encoding, &tables.attr_fields(id));
                }
            }
            _ => self.push_without_name(out, id),
        }
    }
}

/// Whether a parameter with this value is left out if it may be.
fn is_default(value: &Value<'_>) -> bool {
    match value {
        Value::Number(0) | Value::OptionalNumber(None) | Value::OptionalAttr(None) => true,
        Value::OptionalAttrs(list) | Value::Numbers(list) => list.len() == 0,
        _ => false,
    }
}

/// Appends a name of DWARF; nothing for a number that has none, as MLIR does.
fn push_word(out: &mut Vec<u8>, prefix: &'static str, number: u64) {
    if let Some(name) = dwarf::name(prefix, number) {
        out.extend_from_slice(prefix.as_bytes());
        out.extend_from_slice(name.as_bytes());
    }
}

/// Appends the names of flags, in quotes if there are several.
fn push_flags(out: &mut Vec<u8>, flags: &[(u64, &str)], mut number: u64) {
    if number == 0 {
        return out.extend_from_slice(b"Zero");
    }
    let is_one = number.is_power_of_two() || flags.first().is_some_and(|&(bits, _)| bits == number);
    let mut found = Vec::new();
    for &(bits, name) in flags {
        if number & bits == bits {
            number &= !bits;
            found.push(name);
        }
    }
    let text = found.join("|");
    out.extend_from_slice(if is_one { text } else { format!("\"{text}\"") }.as_bytes());
}
