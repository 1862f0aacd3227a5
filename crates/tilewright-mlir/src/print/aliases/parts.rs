//! The symbols that the text of another one consists of.

use super::Symbol;
use crate::{
    encoding::{Encoding, Value, code},
    print::types::is_identity_layout,
    tables::{AttrId, Form, Tables},
};
use smallvec::SmallVec;

pub(in crate::print) type Symbols = SmallVec<[Symbol; 4]>;

/// What printing a symbol prints, in its order.
pub(in crate::print) fn parts(tables: &Tables<'_>, symbol: Symbol) -> Symbols {
    if has_no_parts(tables, symbol) {
        return Symbols::new();
    }
    if let Symbol::Attr(id) = symbol
        && let Some(parts) = parts_of_location(tables, id)
    {
        return parts;
    }
    if let Symbol::Attr(id) = symbol
        && let Form::Known(encoding) = tables.attrs.entry(id.0).form
        && !encoding.parameters.is_empty()
    {
        return parts_of_parameters(tables, id, encoding);
    }
    let (fields, builtin) = match symbol {
        Symbol::Attr(id) => (tables.attr_fields(id), tables.builtin_attr(id)),
        Symbol::Type(id) => (tables.type_fields(id), tables.builtin_type(id)),
        Symbol::UnknownLocation => return Symbols::new(),
    };
    let is_attr = matches!(symbol, Symbol::Attr(_));
    let mut parts = Symbols::new();
    for field in &fields {
        match field.clone() {
            Value::Attr(id) | Value::OptionalAttr(Some(id)) => parts.push(Symbol::Attr(id)),
            Value::Type(id) => parts.push(Symbol::Type(id)),
            Value::Attrs(list) => parts.extend(list.attrs().map(Symbol::Attr)),
            Value::NamedAttrs(list) => parts.extend(list.attrs().map(Symbol::Attr)),
            Value::Types(list) => parts.extend(list.types().map(Symbol::Type)),
            Value::OptionalAttrs(list) => parts.extend(list.optional_attrs().flatten().map(Symbol::Attr)),
            _ => {}
        }
    }
    match builtin {
        // The metadata comes first.
        Some(code::FUSED_LOC_WITH_METADATA) if is_attr => {
            parts.rotate_right(1);
            parts
        }
        // The element type, then the layout if it is not the usual one, then the memory space.
        Some(code::MEMREF_TYPE | code::MEMREF_WITH_SPACE_TYPE) if !is_attr => {
            let is_usual = |part: &Symbol| matches!(*part, Symbol::Attr(id) if is_identity_layout(tables, &fields, id));
            parts.retain(|part| !is_usual(part));
            let is_space = fields.len() == 4;
            if is_space {
                parts.rotate_left(1);
            }
            parts
        }
        _ => parts,
    }
}

/// The parts of a location that consists of others.
fn parts_of_location(tables: &Tables<'_>, id: AttrId) -> Option<Symbols> {
    let parts = tables.parts_of_location(id)?.into_iter();
    let is_name = tables.builtin_attr(id) == Some(code::NAME_LOC);
    // The name stands as it is, and an unknown child is not printed.
    let is_printed = |part: &AttrId| !is_name || !matches!(tables.builtin_attr(*part), Some(code::UNKNOWN_LOC | code::STRING));
    Some(parts.filter(is_printed).map(Symbol::Attr).collect())
}

/// The parts of an attribute whose text has another order than its encoding.
fn parts_of_parameters(tables: &Tables<'_>, id: AttrId, encoding: &Encoding) -> Symbols {
    let fields = tables.attr_fields(id);
    let mut parts = Symbols::new();
    for parameter in encoding.parameters {
        let place = encoding.fields.iter().position(|&(name, _)| name == parameter.name);
        match place.and_then(|place| fields.get(place)) {
            Some(Value::Attr(part) | Value::OptionalAttr(Some(part))) => parts.push(Symbol::Attr(*part)),
            Some(Value::OptionalAttrs(list)) => parts.extend(list.clone().optional_attrs().flatten().map(Symbol::Attr)),
            _ => {}
        }
    }
    parts
}

/// Whether printing a symbol prints no others, as is known without decoding it.
pub(in crate::print) fn has_no_parts(tables: &Tables<'_>, symbol: Symbol) -> bool {
    match symbol {
        // Their types and names are not looked at.
        Symbol::Attr(id) => matches!(
            tables.builtin_attr(id),
            Some(
                code::DENSE_ARRAY
                    | code::FLOAT
                    | code::INTEGER
                    | code::FLAT_SYMBOL_REF
                    | code::SYMBOL_REF
                    | code::FILE_LINE_COL_LOC
                    | code::FILE_LINE_COL_RANGE
                    | code::STRING
            )
        ),
        Symbol::Type(id) => matches!(tables.builtin_type(id), Some(code::INTEGER_TYPE)),
        Symbol::UnknownLocation => true,
    }
}
