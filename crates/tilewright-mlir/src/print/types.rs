//! Types.

use super::{Printer, attributes::Elision, names};
use crate::{
    encoding::{List, Owner, Value, code},
    tables::{AttrId, Form, Tables, TypeId},
};
use std::borrow::Cow;

/// The size of a dimension that is not known.
pub(super) const DYNAMIC: i64 = i64::MIN;

impl Printer<'_, '_> {
    pub(super) fn push_type_in_full(&self, out: &mut Vec<u8>, id: TypeId) {
        let tables = &self.module.tables;
        let entry = tables.types.entry(id.0);
        match entry.form {
            Form::Text | Form::Opaque => self.push_as_it_is(out, &tables.types, id.0, b'!'),
            Form::Known(encoding) => {
                let fields = tables.type_fields(id);
                match encoding.owner {
                    Owner::Builtin => self.push_builtin_type(out, encoding.code, encoding.name, &fields),
                    Owner::Vhlo => self.push_vhlo_type(out, encoding.code, &fields),
                    Owner::Quant => self.push_quant_type(out, encoding.code, &fields),
                    Owner::Template => self.push_template(out, &fields),
                    _ => self.push_hlo_type(out, tables.dialect_name(entry.dialect), encoding.name, &fields),
                }
            }
        }
    }

    fn push_builtin_type(&self, out: &mut Vec<u8>, code: u64, name: &str, fields: &[Value<'_>]) {
        match (code, fields) {
            (code::INTEGER_TYPE, [Value::Number(number)]) => {
                out.extend(match number & 3 {
                    1 => &b"si"[..],
                    2 => b"ui",
                    _ => b"i",
                });
                names::push_number(out, number >> 2);
            }
            (code::FUNCTION_TYPE, [Value::Types(inputs), Value::Types(results)]) => {
                out.push(b'(');
                self.push_types(out, inputs);
                out.extend(b") -> ");
                let only = if results.len() == 1 { results.clone().types().next() } else { None };
                match only {
                    Some(only) if self.module.tables.builtin_type(only) != Some(code::FUNCTION_TYPE) => self.push_type(out, only),
                    _ => {
                        out.push(b'(');
                        self.push_types(out, results);
                        out.push(b')');
                    }
                }
            }
            (code::COMPLEX_TYPE, [Value::Type(element)]) => self.push_with_element(out, b"complex<", *element),
            (code::UNRANKED_TENSOR_TYPE, [Value::Type(element)]) => self.push_with_element(out, b"tensor<*x", *element),
            (code::UNRANKED_MEMREF_TYPE, [Value::Type(element)]) => self.push_with_element(out, b"memref<*x", *element),
            (code::UNRANKED_MEMREF_WITH_SPACE_TYPE, [Value::Attr(space), Value::Type(element)]) => {
                out.extend(b"memref<*x");
                self.push_type(out, *element);
                out.extend(b", ");
                self.push_attr(out, *space, Elision::Usual);
                out.push(b'>');
            }
            (code::TENSOR_TYPE, [Value::SignedNumbers(shape), Value::Type(element)]) => {
                out.extend(b"tensor<");
                push_shape(out, shape);
                self.push_type(out, *element);
                out.push(b'>');
            }
            (code::TENSOR_WITH_ENCODING_TYPE, [Value::Attr(encoding), Value::SignedNumbers(shape), Value::Type(element)]) => {
                out.extend(b"tensor<");
                push_shape(out, shape);
                self.push_type(out, *element);
                out.extend(b", ");
                self.push_attr(out, *encoding, Elision::Never);
                out.push(b'>');
            }
            (code::VECTOR_TYPE, [Value::SignedNumbers(shape), Value::Type(element)]) => self.push_vector(out, shape, &[], *element),
            (code::SCALABLE_VECTOR_TYPE, [Value::Bytes(scalable), Value::SignedNumbers(shape), Value::Type(element)]) => {
                self.push_vector(out, shape, scalable, *element);
            }
            (code::MEMREF_TYPE, [Value::SignedNumbers(shape), Value::Type(element), Value::Attr(layout)]) => {
                self.push_memref(out, fields, shape, *element, *layout, None);
            }
            (
                code::MEMREF_WITH_SPACE_TYPE,
                [Value::Attr(space), Value::SignedNumbers(shape), Value::Type(element), Value::Attr(layout)],
            ) => self.push_memref(out, fields, shape, *element, *layout, Some(*space)),
            (code::TUPLE_TYPE, [Value::Types(types)]) => {
                out.extend(b"tuple<");
                self.push_types(out, types);
                out.push(b'>');
            }
            // Without parts: the name says all.
            _ => out.extend(name.as_bytes()),
        }
    }

    pub(super) fn push_types(&self, out: &mut Vec<u8>, types: &List<'_>) {
        for (index, ty) in types.clone().types().enumerate() {
            if index > 0 {
                out.extend(b", ");
            }
            self.push_type(out, ty);
        }
    }

    fn push_with_element(&self, out: &mut Vec<u8>, begin: &[u8], element: TypeId) {
        out.extend(begin);
        self.push_type(out, element);
        out.push(b'>');
    }

    fn push_vector(&self, out: &mut Vec<u8>, shape: &List<'_>, scalable: &[u8], element: TypeId) {
        out.extend(b"vector<");
        for (index, size) in shape.clone().signed().enumerate() {
            let is_scalable = scalable.get(index).is_some_and(|&flag| flag != 0);
            if is_scalable {
                out.push(b'[');
            }
            names::push_signed(out, size);
            out.extend(if is_scalable { &b"]x"[..] } else { b"x" });
        }
        self.push_type(out, element);
        out.push(b'>');
    }

    fn push_memref(
        &self,
        out: &mut Vec<u8>,
        fields: &[Value<'_>],
        shape: &List<'_>,
        element: TypeId,
        layout: AttrId,
        space: Option<AttrId>,
    ) {
        out.extend(b"memref<");
        push_shape(out, shape);
        self.push_type(out, element);
        if !is_identity_layout(&self.module.tables, fields, layout) {
            out.extend(b", ");
            self.push_attr(out, layout, Elision::Usual);
        }
        if let Some(space) = space {
            out.extend(b", ");
            self.push_attr(out, space, Elision::Usual);
        }
        out.push(b'>');
    }
}

/// `2x?x4x`.
pub(super) fn push_shape(out: &mut Vec<u8>, shape: &List<'_>) {
    for size in shape.clone().signed() {
        push_size(out, size);
        out.push(b'x');
    }
}

pub(super) fn push_size(out: &mut Vec<u8>, size: i64) {
    if size == DYNAMIC { out.push(b'?') } else { names::push_signed(out, size) }
}

/// Whether the layout of a memref with these fields is the usual one, which is not printed: an affine map that changes nothing.
pub(super) fn is_identity_layout(tables: &Tables<'_>, memref: &[Value<'_>], layout: AttrId) -> bool {
    let rank = memref.iter().find_map(|field| match field {
        Value::SignedNumbers(shape) => Some(shape.len()),
        _ => None,
    });
    let identity = identity_map(rank.unwrap_or_default());
    match tables.builtin_attr(layout) {
        Some(code::AFFINE_MAP) => {
            matches!(&tables.attr_fields(layout)[..], [Value::Text(text)] if without_symbols(text.as_bytes()) == identity.as_bytes())
        }
        _ => tables.text(&tables.attrs, layout.0).is_some_and(|text| without_symbols(text) == identity.as_bytes()),
    }
}

/// A map without the list of its symbols, `(d0)[s0] -> ...`: one that uses none changes nothing whatever it is given.
fn without_symbols(map: &[u8]) -> Cow<'_, [u8]> {
    let list = map.windows(2).position(|pair| pair == b")[").zip(map.windows(3).position(|end| end == b"] -"));
    match list {
        Some((start, end)) if start < end => [&map[..=start], &map[end + 1..]].concat().into(),
        _ => map.into(),
    }
}

/// The affine map of so many dimensions that changes nothing.
pub(crate) fn identity_map(rank: usize) -> String {
    let dimensions: Vec<String> = (0..rank).map(|index| format!("d{index}")).collect();
    let dimensions = dimensions.join(", ");
    format!("affine_map<({dimensions}) -> ({dimensions})>")
}
