//! Attributes.

use super::{
    Printer, Symbol, names,
    strings::{push_hex_string, push_keyword_or_string, push_list, push_string},
    types::push_size,
    vhlo,
};
use crate::{
    encoding::{Owner, Value, code},
    float::push_float,
    tables::{AttrId, Form, Scalar, Table, TypeId},
};
use tilewright_text::short::push_block;

/// Whether to leave out the type of an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Elision {
    /// Print it.
    Never,
    /// Leave out `i64` and `f64`, which are understood.
    Usual,
    /// Leave it out.
    Always,
}

impl Printer<'_, '_> {
    /// An attribute, or its name.
    pub(super) fn push_attr(&self, out: &mut Vec<u8>, id: AttrId, elision: Elision) {
        if !self.push_alias(Symbol::Attr(id), out) {
            self.push_attr_in_full(out, id, elision);
        }
    }

    /// A name and a value; a unit attribute is a name alone.
    pub(super) fn push_named(&self, out: &mut Vec<u8>, name: &[u8], value: AttrId) {
        push_keyword_or_string(out, name);
        if self.module.tables.builtin_attr(value) != Some(code::UNIT) {
            out.extend_from_slice(b" = ");
            self.push_value(out, value);
        }
    }

    /// An attribute that has a name before it.
    pub(super) fn push_value(&self, out: &mut Vec<u8>, value: AttrId) {
        match self.module.tables.builtin_attr(value) {
            // These are printed as fast as a text is looked up, and mostly come once.
            Some(code::INTEGER | code::FLOAT) if self.push_short_number(out, value) => {}
            _ if self.recent.push(out, value) => {}
            Some(code::STRING | code::FLAT_SYMBOL_REF) => self.push_attr_in_full(out, value, Elision::Never),
            // Operations often have others in common.
            _ => {
                let start = out.len();
                self.values.push(out, &[value.0], |out| self.push_attr(out, value, Elision::Never));
                self.recent.keep(value, &out[start..]);
            }
        }
    }

    /// An integer or a float of up to 64 bits with its type; false, and nothing is printed, where it is none.
    fn push_short_number(&self, out: &mut Vec<u8>, id: AttrId) -> bool {
        let mut numbers = self.module.tables.attrs.cursor(id.0).numbers();
        let mut read = || {
            numbers.small()?;
            let ty = TypeId(numbers.small()? as u32);
            let scalar = self.shared.scalars[ty.index()].as_ref().filter(|scalar| scalar.width() <= 64)?;
            let bits = if scalar.width() <= 8 {
                u64::from(numbers.byte()?)
            } else {
                let number = numbers.any()?;
                // The lowest bit is the sign.
                number >> 1 ^ (number & 1).wrapping_neg()
            };
            numbers.are_all().then_some((ty, scalar, bits))
        };
        let Some((ty, scalar, bits)) = read() else { return false };
        match *scalar {
            Scalar::Float(_) => {
                self.push_float(out, ty, &[bits], Elision::Never);
                return true;
            }
            Scalar::Index => names::push_signed(out, bits as i64),
            Scalar::Integer { width: 1, is_signed: false, is_unsigned: false } => {
                out.extend_from_slice(if bits & 1 == 1 { b"true" } else { b"false" });
                return true;
            }
            Scalar::Integer { width, is_unsigned, .. } => super::dense::push_word(out, bits, width, is_unsigned),
        }
        self.push_colon_and_type(out, ty);
        true
    }

    pub(super) fn push_attrs(&self, out: &mut Vec<u8>, attrs: impl Iterator<Item = AttrId>, elision: Elision) {
        for (index, attr) in attrs.enumerate() {
            if index > 0 {
                out.extend(b", ");
            }
            self.push_attr(out, attr, elision);
        }
    }

    pub(super) fn push_attr_in_full(&self, out: &mut Vec<u8>, id: AttrId, elision: Elision) {
        let tables = &self.module.tables;
        let entry = tables.attrs.entry(id.0);
        match entry.form {
            Form::Text | Form::Opaque => self.push_as_it_is(out, &tables.attrs, id.0, b'#'),
            Form::Known(encoding) if encoding.owner == Owner::Builtin && code::is_location(encoding.code) => {
                out.extend(b"loc(");
                self.push_location_in_full(out, id);
                out.push(b')');
            }
            Form::Known(encoding) => {
                let fields = tables.attr_fields(id);
                match encoding.owner {
                    Owner::Builtin => self.push_builtin_attr(out, id, encoding.code, &fields, elision),
                    Owner::Vhlo => self.push_vhlo_attr(out, encoding, &fields),
                    Owner::Sdy => self.push_sdy_attr(out, encoding, &fields),
                    Owner::Llvm => self.push_llvm_attr(out, encoding, &fields),
                    Owner::Template => self.push_template(out, &fields),
                    _ => self.push_hlo_attr(out, tables.dialect_name(entry.dialect), encoding, &fields),
                }
            }
        }
    }

    /// What stands as text, or in an encoding that is not known.
    pub(super) fn push_as_it_is(&self, out: &mut Vec<u8>, table: &Table<'_>, index: u32, sigil: u8) {
        let entry = table.entry(index);
        if matches!(entry.form, Form::Text) {
            return out.extend(table.encoded(index).strip_suffix(b"\0").unwrap_or_default());
        }
        out.push(sigil);
        out.extend(self.module.tables.dialect_name(entry.dialect));
        out.extend(b".opaque<");
        push_hex_string(out, table.encoded(index));
        out.push(b'>');
    }

    fn push_builtin_attr(&self, out: &mut Vec<u8>, id: AttrId, code: u64, fields: &[Value<'_>], elision: Elision) {
        let tables = &self.module.tables;
        match (code, fields) {
            (code::ARRAY, [Value::Attrs(elements)]) => {
                out.push(b'[');
                self.push_attrs(out, elements.clone().attrs(), Elision::Usual);
                out.push(b']');
            }
            (code::DICTIONARY, _) => {
                out.push(b'{');
                if !self.push_entries(out, id) {
                    let entries = super::sorted_attributes(self.module, id);
                    push_list(out, &entries, |out, &(name, value)| self.push_named(out, name, value));
                }
                out.push(b'}');
            }
            (code::STRING, [Value::String(value)]) => push_string(out, tables.strings.get(*value)),
            (code::STRING_WITH_TYPE, [Value::String(value), Value::Type(ty)]) => {
                push_string(out, tables.strings.get(*value));
                self.push_type_behind(out, *ty, elision);
            }
            (code::FLAT_SYMBOL_REF, [Value::Attr(name)]) => push_symbol(out, tables.string_attr(*name).unwrap_or_default()),
            (code::SYMBOL_REF, [Value::Attr(root), Value::Attrs(nested)]) => {
                push_symbol(out, tables.string_attr(*root).unwrap_or_default());
                for attr in nested.clone().attrs() {
                    out.extend(b"::");
                    self.push_attr_in_full(out, attr, Elision::Never);
                }
            }
            (code::TYPE, [Value::Type(ty)]) => self.push_type(out, *ty),
            (code::AFFINE_MAP | code::INTEGER_SET, [Value::Text(text)]) => out.extend(text.as_bytes()),
            (code::STRIDED_LAYOUT, [Value::Signed(offset), Value::SignedNumbers(strides)]) => {
                out.extend(b"strided<");
                vhlo::push_dimensions(out, strides);
                if *offset != 0 {
                    out.extend(b", offset: ");
                    push_size(out, *offset);
                }
                out.push(b'>');
            }
            (code::UNIT, _) => out.extend(b"unit"),
            (code::INTEGER, [Value::Type(ty), Value::Bits(words)]) => self.push_integer(out, *ty, words, elision),
            (code::FLOAT, [Value::Type(ty), Value::Bits(words)]) => self.push_float(out, *ty, words, elision),
            (code::DENSE_RESOURCE, [Value::Type(ty), Value::Resource(number)]) => {
                out.extend(b"dense_resource<");
                self.push_resource_name(out, *number);
                out.push(b'>');
                self.push_type_behind(out, *ty, elision);
            }
            (code::DENSE_ARRAY, [Value::Type(element), Value::Number(size), Value::Bytes(data)]) => {
                out.extend(b"array<");
                self.push_type(out, *element);
                if *size > 0 {
                    out.extend(b": ");
                    self.push_array_elements(out, *element, *size, data);
                }
                out.push(b'>');
            }
            (code::DENSE, [Value::Type(ty), Value::Bytes(data)]) => {
                out.extend(b"dense<");
                self.push_dense(out, *ty, data, true);
                out.push(b'>');
                self.push_type_behind(out, *ty, elision);
            }
            (code::DENSE_STRING, [Value::Type(ty), Value::Number(_), Value::Strings(strings)]) => {
                out.extend(b"dense<");
                self.push_dense_strings(out, *ty, strings);
                out.push(b'>');
                self.push_type_behind(out, *ty, elision);
            }
            (code::SPARSE, [Value::Type(ty), Value::Attr(indices), Value::Attr(values)]) => {
                out.extend(b"sparse<");
                self.push_sparse(out, *indices, *values);
                out.push(b'>');
                self.push_type_behind(out, *ty, elision);
            }
            (code::DISTINCT, [Value::Attr(of)]) => {
                out.extend(b"distinct[");
                names::push_number(out, self.distinct_number(id));
                out.extend(b"]<");
                if tables.builtin_attr(*of) != Some(code::UNIT) {
                    self.push_attr(out, *of, Elision::Never);
                }
                out.push(b'>');
            }
            // No other combination is read or built.
            _ => {}
        }
    }

    pub(super) fn push_integer(&self, out: &mut Vec<u8>, ty: TypeId, words: &[u64], elision: Elision) {
        let scalar = self.shared.scalars[ty.index()];
        let (width, is_unsigned, is_signed) = match scalar {
            Some(Scalar::Integer { width, is_signed, is_unsigned }) => (width, is_unsigned, is_signed),
            _ => (64, false, true),
        };
        if width == 1 && !is_unsigned && !is_signed {
            return out.extend(if words.first().is_some_and(|word| word & 1 == 1) { &b"true"[..] } else { b"false" });
        }
        super::dense::push_wide_integer(out, words, width, is_unsigned);
        let is_i64 = width == 64 && !is_unsigned && !is_signed;
        if elision == Elision::Never || !is_i64 {
            self.push_type_behind(out, ty, elision);
        }
    }

    pub(super) fn push_float(&self, out: &mut Vec<u8>, ty: TypeId, words: &[u64], elision: Elision) {
        let tables = &self.module.tables;
        let Some(Scalar::Float(format)) = self.shared.scalars[ty.index()] else { return };
        let start = out.len();
        push_float(out, format, super::dense::truncate(words, u64::from(format.width)));
        // Hexadecimal digits without a type are an integer.
        let is_plain = !out[start..].starts_with(b"0x");
        if elision == Elision::Never || !is_plain || tables.builtin_type(ty) != Some(code::F64_TYPE) {
            self.push_type_behind(out, ty, elision);
        }
    }

    pub(super) fn push_type_behind(&self, out: &mut Vec<u8>, ty: TypeId, elision: Elision) {
        if elision != Elision::Always && self.module.tables.builtin_type(ty) != Some(code::NONE_TYPE) {
            self.push_colon_and_type(out, ty);
        }
    }

    #[inline]
    fn push_colon_and_type(&self, out: &mut Vec<u8>, ty: TypeId) {
        push_block(out, b" : ", 3);
        self.push_type(out, ty);
    }

    pub(super) fn push_resource_name(&self, out: &mut Vec<u8>, number: u32) {
        let mut resources = self.module.resources.dialects.iter().flat_map(|group| &group.resources);
        if let Some(resource) = resources.nth(number as usize) {
            push_keyword_or_string(out, self.module.tables.strings.get(resource.key));
            self.used_resources.borrow_mut()[number as usize] = true;
        }
    }

    /// `loc(...)`, with a name inside if it has one.
    pub(super) fn push_location(&self, out: &mut Vec<u8>, id: AttrId) {
        out.extend(b"loc(");
        if !self.push_alias(Symbol::Attr(id), out) {
            self.push_location_in_full(out, id);
        }
        out.push(b')');
    }

    fn push_inner_location(&self, out: &mut Vec<u8>, id: AttrId) {
        if !self.push_alias(Symbol::Attr(id), out) {
            self.push_location_in_full(out, id);
        }
    }

    pub(super) fn push_location_in_full(&self, out: &mut Vec<u8>, id: AttrId) {
        let tables = &self.module.tables;
        // Most are these, which are not worth a list of their fields.
        if let Some((file, line, column)) = tables.file_location(id) {
            return self.push_file_location(out, file, line, column);
        }
        if let Some(parts) = tables.parts_of_location(id) {
            return self.push_location_of_parts(out, tables.builtin_attr(id), &parts);
        }
        let fields = tables.attr_fields(id);
        match (tables.builtin_attr(id), &fields[..]) {
            (Some(code::UNKNOWN_LOC), _) => out.extend(b"unknown"),
            (Some(code::FILE_LINE_COL_RANGE), [Value::Attr(file), Value::Numbers(range)]) => {
                push_string(out, tables.string_attr(*file).unwrap_or_default());
                push_range(out, &range.clone().collect::<Vec<_>>());
            }
            (Some(code::FUSED_LOC_WITH_METADATA), [Value::Attrs(locations), Value::Attr(metadata)]) => {
                self.push_fused(out, Some(*metadata), locations.clone().attrs());
            }
            // One as text may have its own `loc(...)`; that of another dialect stands as the attribute that it is.
            _ => match tables.text(&tables.attrs, id.0) {
                Some(text) => out.extend(text.strip_prefix(b"loc(").and_then(|text| text.strip_suffix(b")")).unwrap_or(text)),
                None => out.extend(b"unknown"),
            },
        }
    }

    fn push_location_of_parts(&self, out: &mut Vec<u8>, code: Option<u64>, parts: &[AttrId]) {
        let tables = &self.module.tables;
        match (code, parts) {
            (Some(code::CALL_SITE_LOC), &[callee, caller]) => {
                out.extend_from_slice(b"callsite(");
                self.push_inner_location(out, callee);
                out.extend_from_slice(b" at ");
                self.push_inner_location(out, caller);
                out.push(b')');
            }
            (Some(code::NAME_LOC), &[name, child]) => {
                push_string(out, tables.string_attr(name).unwrap_or_default());
                if tables.builtin_attr(child) != Some(code::UNKNOWN_LOC) {
                    out.push(b'(');
                    self.push_inner_location(out, child);
                    out.push(b')');
                }
            }
            _ => self.push_fused(out, None, parts.iter().copied()),
        }
    }

    pub(super) fn push_file_location(&self, out: &mut Vec<u8>, file: AttrId, line: u64, column: u64) {
        self.values.push(out, &[file.0], |out| push_string(out, self.module.tables.string_attr(file).unwrap_or_default()));
        push_place(out, line, column);
    }

    fn push_fused(&self, out: &mut Vec<u8>, metadata: Option<AttrId>, locations: impl Iterator<Item = AttrId>) {
        out.extend_from_slice(b"fused");
        if let Some(metadata) = metadata {
            out.push(b'<');
            self.push_attr(out, metadata, Elision::Never);
            out.push(b'>');
        }
        out.push(b'[');
        for (index, location) in locations.enumerate() {
            if index > 0 {
                out.extend(b", ");
            }
            self.push_inner_location(out, location);
        }
        out.push(b']');
    }

    /// `mnemonic` or `mnemonic<...>` of a dialect, with what `inside` appends.
    pub(super) fn push_dialect_attr(&self, out: &mut Vec<u8>, dialect: &[u8], mnemonic: &str, inside: impl FnOnce(&mut Vec<u8>)) {
        out.push(b'#');
        out.extend(dialect);
        out.push(b'.');
        out.extend(mnemonic.as_bytes());
        out.push(b'<');
        inside(out);
        out.push(b'>');
    }

    pub(super) fn vhlo_element(&self, id: TypeId) -> &'static str {
        vhlo::builtin_name(&self.module.tables, id)
    }
}

fn push_place(out: &mut Vec<u8>, line: u64, column: u64) {
    out.push(b':');
    names::push_number(out, line);
    out.push(b':');
    names::push_number(out, column);
}

/// A range of a file: a line, a column, and the column and line where it ends, as far as they are given.
fn push_range(out: &mut Vec<u8>, range: &[u64]) {
    let (line, column, end_line, end_column) = match *range {
        [line] => (line, 0, line, 0),
        [line, column] => (line, column, line, column),
        [line, column, end_column] => (line, column, line, end_column),
        [line, column, end_line, end_column, ..] => (line, column, end_line, end_column),
        [] => (0, 0, 0, 0),
    };
    push_place(out, line, column);
    if (line, column) == (end_line, end_column) {
        return;
    }
    out.extend(b" to ");
    if line != end_line {
        names::push_number(out, end_line);
    }
    out.push(b':');
    names::push_number(out, end_column);
}

pub(super) fn push_symbol(out: &mut Vec<u8>, name: &[u8]) {
    if name.is_empty() {
        return out.extend(b"@<<INVALID EMPTY SYMBOL>>");
    }
    out.push(b'@');
    push_keyword_or_string(out, name);
}
