//! The attributes and types of VHLO.

use super::{
    Printer,
    attributes::Elision,
    names,
    quant::{PerAxis, push_double, push_double_value},
    strings::{push_list, push_string},
    types::{DYNAMIC, push_shape, push_size},
};
use crate::{
    encoding::{self, Encoding, List, VHLO_ATTR as ATTR, VHLO_TYPE as TYPE, Value},
    tables::{Tables, TypeId},
};

/// The names of the values of enumerations, from 0 on; nothing where a number is not taken.
fn names_of(code: u64) -> Option<&'static [&'static str]> {
    Some(match code {
        ATTR::COMPARISON_DIRECTION => &["EQ", "NE", "GE", "GT", "LE", "LT"],
        ATTR::COMPARISON_TYPE => &["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"],
        ATTR::API_VERSION => &[
            "API_VERSION_UNSPECIFIED",
            "API_VERSION_ORIGINAL",
            "API_VERSION_STATUS_RETURNING",
            "API_VERSION_STATUS_RETURNING_UNIFIED",
            "API_VERSION_TYPED_FFI",
        ],
        ATTR::FFT_TYPE => &["FFT", "IFFT", "RFFT", "IRFFT"],
        ATTR::PRECISION => &["DEFAULT", "HIGH", "HIGHEST"],
        ATTR::RNG_ALGORITHM => &["DEFAULT", "THREE_FRY", "PHILOX"],
        ATTR::RNG_DISTRIBUTION => &["", "UNIFORM", "NORMAL"],
        ATTR::TRANSPOSE => &["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"],
        ATTR::RESULT_ACCURACY_MODE => &["DEFAULT", "HIGHEST", "TOLERANCE"],
        _ => return None,
    })
}

/// Appends what a value of an enumeration is called; a number that has no name as it is.
pub(super) fn push_name(out: &mut Vec<u8>, names: &[&str], value: u64) {
    match names.get(value as usize) {
        Some(name) if !name.is_empty() => out.extend(name.as_bytes()),
        _ => names::push_number(out, value),
    }
}

/// A value of an enumeration: `#vhlo<precision_v1 DEFAULT>`.
pub(super) fn push_enumeration(out: &mut Vec<u8>, dialect: &[u8], mnemonic: &str, names: &[&str], value: u64) {
    out.push(b'#');
    out.extend(dialect);
    out.push(b'<');
    out.extend(mnemonic.as_bytes());
    out.push(b' ');
    push_name(out, names, value);
    out.push(b'>');
}

impl Printer<'_, '_> {
    pub(super) fn push_vhlo_attr(&self, out: &mut Vec<u8>, encoding: &'static Encoding, fields: &[Value<'_>]) {
        let tables = &self.module.tables;
        if let ([Value::Number(value)], Some(names)) = (fields, names_of(encoding.code)) {
            return push_enumeration(out, b"vhlo", encoding.name, names, *value);
        }
        self.push_dialect_attr(out, b"vhlo", encoding.name, |out| match (encoding.code, fields) {
            (ATTR::ARRAY, [Value::Attrs(elements)]) => {
                out.push(b'[');
                self.push_attrs(out, elements.clone().attrs(), Elision::Never);
                out.push(b']');
            }
            (ATTR::BOOLEAN, [Value::Number(value)]) => out.extend(if *value != 0 { &b"true"[..] } else { b"false" }),
            (ATTR::DICTIONARY, [Value::NamedAttrs(entries)]) => {
                out.push(b'{');
                for (index, attr) in entries.clone().attrs().enumerate() {
                    out.extend(match index {
                        0 => &b""[..],
                        _ if index % 2 == 1 => b" = ",
                        _ => b", ",
                    });
                    self.push_attr(out, attr, Elision::Never);
                }
                out.push(b'}');
            }
            (ATTR::FLOAT, [Value::Type(ty), Value::Bits(words)]) => {
                self.push_float(out, *ty, words, Elision::Always);
                out.extend(b" : ");
                self.push_type(out, *ty);
            }
            (ATTR::INTEGER, [Value::Type(ty), Value::Bits(words)]) => {
                self.push_integer(out, *ty, words, Elision::Always);
                let name = self.vhlo_element(*ty);
                if name != "i1" {
                    out.extend(b" : ");
                    out.extend(name.as_bytes());
                }
            }
            (ATTR::STRING, [Value::String(value)]) => push_string(out, tables.strings.get(*value)),
            (ATTR::TENSOR, [Value::Type(ty), Value::Bytes(data)]) => {
                out.extend(b"dense<");
                self.push_dense(out, *ty, data, true);
                out.extend(b"> : ");
                self.push_builtin_of(out, *ty);
            }
            (ATTR::TYPE, [Value::Type(ty)]) => self.push_type(out, *ty),
            _ => self.push_parameters(out, encoding, fields),
        });
    }

    /// `name = value, ...`; what is absent is left out.
    pub(super) fn push_parameters(&self, out: &mut Vec<u8>, encoding: &Encoding, fields: &[Value<'_>]) {
        let mut is_first = true;
        for (&(name, _), value) in encoding.fields.iter().zip(fields) {
            if matches!(value, Value::OptionalAttr(None)) {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                out.extend(b", ");
            }
            out.extend(name.as_bytes());
            out.extend(b" = ");
            self.push_parameter(out, value);
        }
    }

    fn push_parameter(&self, out: &mut Vec<u8>, value: &Value<'_>) {
        match value {
            Value::Attr(attr) | Value::OptionalAttr(Some(attr)) => self.push_attr(out, *attr, Elision::Never),
            Value::Type(ty) => self.push_type(out, *ty),
            Value::Number(value) => names::push_number(out, *value),
            Value::Signed(value) => names::push_signed(out, *value),
            Value::SignedNumbers(list) => push_dimensions(out, list),
            Value::String(string) => push_string(out, self.module.tables.strings.get(*string)),
            Value::Bits(..) => push_double(out, value),
            Value::Attrs(list) => {
                out.push(b'[');
                self.push_attrs(out, list.clone().attrs(), Elision::Never);
                out.push(b']');
            }
            _ => {}
        }
    }

    pub(super) fn push_vhlo_type(&self, out: &mut Vec<u8>, code: u64, fields: &[Value<'_>]) {
        out.extend(b"!vhlo.");
        match (code, fields) {
            (TYPE::COMPLEX, [Value::Type(element)]) => {
                out.extend(b"complex_v1<");
                self.push_type(out, *element);
            }
            (TYPE::FUNCTION, [Value::Types(inputs), Value::Types(outputs)]) => {
                out.extend(b"func_v1<(");
                self.push_type_array(out, inputs);
                out.extend(b") -> ");
                self.push_type_array(out, outputs);
            }
            (TYPE::TENSOR, [Value::SignedNumbers(shape), Value::Type(element)]) => {
                out.extend(b"tensor_v1<");
                push_shape(out, shape);
                self.push_type(out, *element);
            }
            (TYPE::TENSOR_WITH_ENCODING, [Value::Attr(encoding), Value::SignedNumbers(shape), Value::Type(element)]) => {
                out.extend(b"tensor_v1<");
                push_shape(out, shape);
                self.push_type(out, *element);
                out.extend(b", ");
                self.push_attr(out, *encoding, Elision::Never);
            }
            (TYPE::BUFFER, [Value::SignedNumbers(shape), Value::Type(element)]) => {
                out.extend(b"buffer_v1<");
                push_shape(out, shape);
                self.push_type(out, *element);
            }
            (TYPE::TUPLE, [Value::Types(types)]) => {
                out.extend(b"tuple_v1<");
                self.push_types(out, types);
            }
            (TYPE::FUTURE, [Value::Types(types)]) => {
                out.extend(b"future_v1<");
                self.push_types(out, types);
            }
            (TYPE::UNRANKED_TENSOR, [Value::Type(element)]) => {
                out.extend(b"unranked_tensor_v1<");
                self.push_type(out, *element);
            }
            (TYPE::TOKEN, _) => return out.extend(b"token_v1"),
            (TYPE::WITNESS, _) => return out.extend(b"witness_v1"),
            (TYPE::QUANTIZED | TYPE::QUANTIZED_PER_AXIS, _) => self.push_vhlo_quantized(out, fields),
            _ => return out.extend(encoding::vhlo_scalar(code).map_or("", |(mnemonic, _)| mnemonic).as_bytes()),
        }
        out.push(b'>');
    }

    fn push_vhlo_quantized(&self, out: &mut Vec<u8>, fields: &[Value<'_>]) {
        match fields {
            [
                Value::Number(flags),
                Value::Type(storage),
                Value::Type(expressed),
                scale @ Value::Bits(..),
                Value::Signed(zero),
                Value::Signed(minimum),
                Value::Signed(maximum),
            ] => {
                out.extend(b"quant_v1<");
                self.push_type(out, *storage);
                out.push(b':');
                self.push_type(out, *expressed);
                out.extend(b", ");
                push_double(out, scale);
                out.push(b':');
                names::push_signed(out, *zero);
                push_bounds(out, *minimum, *maximum, *flags);
            }
            _ => {
                let Some(PerAxis { flags, storage, expressed, axis, minimum, maximum, scales, zeros }) = PerAxis::of(fields) else {
                    return;
                };
                out.extend(b"quant_per_axis_v1<");
                self.push_type(out, storage);
                out.push(b':');
                self.push_type(out, expressed);
                out.extend(b", ");
                names::push_number(out, axis);
                out.extend(b", [");
                push_list(out, scales, |out, &scale| push_double_value(out, scale));
                out.extend(b"], [");
                push_list(out, &zeros, |out, &zero| names::push_signed(out, zero));
                out.push(b']');
                push_bounds(out, minimum, maximum, flags);
            }
        }
    }

    /// Types, or `()` for none.
    fn push_type_array(&self, out: &mut Vec<u8>, types: &List<'_>) {
        if types.len() == 0 {
            out.extend(b"()");
        }
        self.push_types(out, types);
    }

    /// The builtin type that a type of VHLO stands for.
    fn push_builtin_of(&self, out: &mut Vec<u8>, ty: TypeId) {
        let tables = &self.module.tables;
        let fields = tables.type_fields(ty);
        match (tables.vhlo_type(ty), &fields[..]) {
            (Some(TYPE::COMPLEX), [Value::Type(element)]) => {
                out.extend(b"complex<");
                self.push_builtin_of(out, *element);
                out.push(b'>');
            }
            (Some(TYPE::TENSOR | TYPE::BUFFER), [Value::SignedNumbers(shape), Value::Type(element)]) => {
                out.extend(if tables.vhlo_type(ty) == Some(TYPE::BUFFER) { &b"memref<"[..] } else { b"tensor<" });
                push_shape(out, shape);
                self.push_builtin_of(out, *element);
                out.push(b'>');
            }
            (Some(TYPE::TENSOR_WITH_ENCODING), [Value::Attr(encoding), Value::SignedNumbers(shape), Value::Type(element)]) => {
                out.extend(b"tensor<");
                push_shape(out, shape);
                self.push_builtin_of(out, *element);
                out.extend(b", ");
                self.push_attr(out, *encoding, Elision::Never);
                out.push(b'>');
            }
            _ => match builtin_name(tables, ty) {
                "" => self.push_type(out, ty),
                name => out.extend(name.as_bytes()),
            },
        }
    }
}

fn push_bounds(out: &mut Vec<u8>, minimum: i64, maximum: i64, flags: u64) {
    out.extend(b", ");
    names::push_signed(out, minimum);
    out.push(b':');
    names::push_signed(out, maximum);
    out.extend(b", ");
    names::push_number(out, flags);
}

/// `[1, ?]`.
pub(super) fn push_dimensions(out: &mut Vec<u8>, list: &List<'_>) {
    out.push(b'[');
    for (index, size) in list.clone().signed().enumerate() {
        if index > 0 {
            out.extend(b", ");
        }
        if size == DYNAMIC { out.push(b'?') } else { push_size(out, size) }
    }
    out.push(b']');
}

/// The name of the builtin type that a type without parts stands for; empty if it is no such type.
pub(super) fn builtin_name(tables: &Tables<'_>, id: TypeId) -> &'static str {
    tables.vhlo_type(id).and_then(encoding::vhlo_scalar).map_or("", |(_, builtin)| builtin)
}
