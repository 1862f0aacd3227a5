//! The op table agrees, field by field, with the verified facts of the bytecode in `spec/ops.json`.

use serde_json::{Value, json};
use tilewright_ir::{
    EnumKind, Opcode, Scalar, Version,
    ops::{Arity, AttrDef, AttrDefault, AttrKind, FlagItem, OpDef, OperandEncoding, Placement, Results, Traits},
};

fn facts() -> Value {
    serde_json::from_str(include_str!("../../../spec/ops.json")).expect("spec/ops.json is JSON")
}

fn default_text(attr: &AttrDef) -> Option<String> {
    Some(match (attr.default?, attr.kind) {
        (AttrDefault::Enum(wire), AttrKind::Enum(kind)) => kind.value(wire).expect("a known value").keyword.to_owned(),
        (AttrDefault::Int(value), _) => value.to_string(),
        (AttrDefault::AllFalse, _) => "all false".to_owned(),
        (default, kind) => panic!("{default:?} is no default of {kind:?}"),
    })
}

fn attribute(def: &OpDef, attr: &AttrDef) -> Value {
    let since = def.attr_since(attr);
    let mut out = json!({ "name": attr.name.name(), "optional": attr.optional, "since": since.to_string() });
    let encoding = match attr.kind {
        AttrKind::Enum(kind) => {
            out["enum"] = json!(kind.name());
            "enum"
        }
        AttrKind::UInt(bits) => {
            out["bits"] = json!(bits);
            "uint"
        }
        AttrKind::Bool => "bool",
        AttrKind::String => "string",
        AttrKind::Symbol => "symbol",
        AttrKind::Type => "type",
        AttrKind::Constant => "constant",
        AttrKind::Array => "array",
        AttrKind::Hints => "hints",
        AttrKind::Predicate => "self_contained",
        AttrKind::I32Array => "i32_array",
        AttrKind::BoolArray => "bool_array",
        AttrKind::Unit => unreachable!("unit attributes are flag bits"),
    };
    out["encoding"] = json!(encoding);
    if let Some(text) = default_text(attr) {
        out["text_default"] = json!(text);
        // An attribute that came later has, in older files, the value that text leaves out.
        if since > def.since {
            out["default_before_since"] = json!(text);
        }
    }
    out
}

fn operands(def: &OpDef) -> Vec<Value> {
    let items = def.flag_items();
    let segments = def.operand_encoding() == OperandEncoding::Segments;
    let operand = |(i, operand): (usize, &tilewright_ir::ops::OperandDef)| {
        let kind = match operand.arity {
            Arity::One => "fixed",
            Arity::Optional => "optional",
            Arity::Variadic => "variadic",
        };
        let bit = items.iter().position(|item| *item == FlagItem::Operand(i));
        json!({
            "name": operand.name, "kind": kind, "own_count": segments && operand.arity == Arity::Variadic,
            "flag_bit": bit, "since": def.operand_since(operand).to_string(),
        })
    };
    def.operands.iter().enumerate().map(operand).collect()
}

fn flags(def: &OpDef) -> Value {
    let Some(since) = def.flags_since() else { return Value::Null };
    let bit = |(bit, item): (usize, FlagItem)| match item {
        FlagItem::Attr(i) => {
            let attr = &def.attrs[i];
            let kind = if attr.kind == AttrKind::Unit { "unit_attr" } else { "optional_attr" };
            json!({ "bit": bit, "name": attr.name.name(), "kind": kind, "since": def.attr_since(attr).to_string() })
        }
        FlagItem::Operand(i) => {
            let operand = &def.operands[i];
            json!({ "bit": bit, "name": operand.name, "kind": "optional_operand", "since": def.operand_since(operand).to_string() })
        }
    };
    json!({ "since": since.to_string(), "bits": def.flag_items().into_iter().enumerate().map(bit).collect::<Vec<_>>() })
}

fn results(def: &OpDef) -> Value {
    match def.results {
        Results::Fixed(results) => json!({
            "kind": "fixed", "count": results.len(), "count_on_wire": def.results_are_counted(),
            "names": results.iter().map(|r| r.name).collect::<Vec<_>>(),
            "since": results.iter().map(|r| def.result_since(r).to_string()).collect::<Vec<_>>(),
        }),
        Results::Variadic(name) => json!({
            "kind": "variadic", "count": null, "count_on_wire": def.results_are_counted(), "names": [name], "since": [def.since.to_string()],
        }),
    }
}

/// The row as `ops.json` would write it.
fn row(def: &OpDef) -> Value {
    json!({
        "mnemonic": def.mnemonic,
        "opcode": def.wire,
        "ods_name": def.ods_name,
        "since": def.since.to_string(),
        "preview": def.preview,
        "placement": match def.placement {
            Placement::Body => "body",
            Placement::FunctionTable => "function_table",
            Placement::GlobalSection => "global_section",
            Placement::Implicit => "implicit",
        },
        "results": results(def),
        "flags": flags(def),
        "attributes": def.attrs.iter().filter(|a| a.kind != AttrKind::Unit).map(|a| attribute(def, a)).collect::<Vec<_>>(),
        "operand_encoding": match def.operand_encoding() {
            OperandEncoding::None => "none",
            OperandEncoding::Fixed => "fixed",
            OperandEncoding::Counted => "counted",
            OperandEncoding::Segments => "segments",
        },
        "operands": operands(def),
        "regions": def.regions,
    })
}

#[test]
fn every_row_agrees_with_the_facts() {
    let facts = facts();
    let rows = facts["ops"].as_array().expect("ops is a list");
    assert_eq!(rows.len(), Opcode::ALL.len());
    for (fact, opcode) in rows.iter().zip(Opcode::ALL) {
        let ours = row(opcode.def());
        for (field, value) in ours.as_object().expect("a row is an object") {
            let mut expected = fact[field].clone();
            // Remarks that are no facts of the format.
            if let Some(attributes) = expected.as_array_mut().filter(|_| field == "attributes") {
                attributes.iter_mut().for_each(|a| drop(a.as_object_mut().expect("an attribute is an object").remove("type")));
            }
            assert_eq!(*value, expected, "{}: {field}", opcode.mnemonic());
        }
    }
}

#[test]
fn every_enumeration_agrees_with_the_facts() {
    let facts = facts();
    let enums = facts["enums"].as_object().expect("enums is an object");
    assert_eq!(enums.len(), EnumKind::ALL.len());
    for kind in EnumKind::ALL {
        let fact = &enums[kind.name()];
        assert_eq!(fact["since"], kind.since().to_string(), "{kind:?}");
        let value =
            |v: &tilewright_ir::EnumValue| json!({ "name": v.name, "value": v.value, "keyword": v.keyword, "since": v.since.to_string() });
        let values: Vec<Value> = kind.values().iter().map(value).collect();
        assert_eq!(fact["values"], json!(values), "{kind:?}");
    }
}

#[test]
fn every_scalar_type_agrees_with_the_facts() {
    let facts = facts();
    for fact in facts["types"].as_array().expect("types is a list").iter().filter(|t| t["fields"] == json!([]) && t["name"] != "token") {
        let name = fact["name"].as_str().expect("a name");
        let scalar = Scalar::from_name(name).unwrap_or_else(|| panic!("no scalar type {name}"));
        assert_eq!(fact["tag"], scalar.tag(), "{name}");
        assert_eq!(fact["since"], scalar.since().to_string(), "{name}");
    }
}

#[test]
fn the_highest_number_of_each_version_agrees_with_the_facts() {
    let facts = facts();
    for version in Version::ALL {
        assert_eq!(facts["max_opcode"][version.to_string()], Opcode::max_wire(version), "{version}");
    }
}

/// What an operation does beyond giving results stands in its row: none is taken for harmless because nobody thought of it.
#[test]
fn every_operation_says_what_effects_it_has() {
    for def in Opcode::ALL.iter().map(|opcode| opcode.def()).filter(|def| def.placement == Placement::Body) {
        assert!(def.traits.intersects(Traits::EFFECTS), "{}", def.mnemonic);
        let pure = def.traits.contains(Traits::PURE) || def.traits.contains(Traits::NO_MEMORY);
        let others = Traits::EFFECTS.without(Traits::PURE).without(Traits::NO_MEMORY);
        assert!(!(pure && def.traits.intersects(others)), "{} is pure and is not", def.mnemonic);
    }
}
