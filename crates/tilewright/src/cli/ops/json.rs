//! The table of operations for programs.

use serde::Serialize;
use tilewright::ir::{
    EnumKind, Opcode,
    ops::{Arity, AsmNames, AttrDef, AttrDefault, AttrKind, FlagItem, Format, OpDef, OperandDef, OperandEncoding, Placement, Results},
};

/// Everything that the table knows.
#[derive(Serialize)]
pub(super) struct Table {
    enums: Vec<Enumeration>,
    operations: Vec<Operation>,
}

#[derive(Serialize)]
struct Enumeration {
    name: &'static str,
    since: String,
    values: Vec<EnumerationValue>,
}

#[derive(Serialize)]
struct EnumerationValue {
    name: &'static str,
    value: u8,
    keyword: &'static str,
    since: String,
}

/// A row of the table, and what follows from it.
#[derive(Serialize)]
pub(super) struct Operation {
    mnemonic: &'static str,
    opcode: u16,
    ods_name: &'static str,
    since: String,
    doc: &'static str,
    preview: bool,
    placement: &'static str,
    results: ResultList,
    attributes: Vec<Attribute>,
    operand_encoding: &'static str,
    operands: Vec<Operand>,
    regions: u8,
    flags: Option<Flags>,
    traits: Vec<&'static str>,
    format: Syntax,
    result_names: ResultNames,
}

#[derive(Serialize)]
struct ResultList {
    kind: &'static str,
    count_on_wire: bool,
    names: Vec<&'static str>,
    since: Vec<String>,
}

#[derive(Serialize)]
struct Attribute {
    name: &'static str,
    #[serde(flatten)]
    encoding: Encoding,
    optional: bool,
    flag_bit: Option<usize>,
    since: String,
    default: Option<Default>,
}

#[derive(Serialize)]
struct Encoding {
    encoding: &'static str,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    enumeration: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<u8>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Default {
    Keyword(&'static str),
    Int(u64),
}

#[derive(Serialize)]
struct Operand {
    name: &'static str,
    kind: &'static str,
    flag_bit: Option<usize>,
    since: String,
}

#[derive(Serialize)]
struct Flags {
    since: String,
    bits: Vec<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Syntax {
    Pattern(&'static str),
    Custom(String),
}

#[derive(Serialize)]
struct ResultNames {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    word: Option<&'static str>,
}

impl Table {
    pub(super) fn new() -> Table {
        Table {
            enums: EnumKind::ALL.iter().map(|&kind| enumeration(kind)).collect(),
            operations: Opcode::ALL.iter().map(|opcode| Operation::new(opcode.def())).collect(),
        }
    }
}

fn enumeration(kind: EnumKind) -> Enumeration {
    let values = kind.values().iter();
    let values = values.map(|v| EnumerationValue { name: v.name, value: v.value, keyword: v.keyword, since: v.since.to_string() });
    Enumeration { name: kind.name(), since: kind.since().to_string(), values: values.collect() }
}

impl Operation {
    pub(super) fn new(def: &'static OpDef) -> Operation {
        Operation {
            mnemonic: def.mnemonic,
            opcode: def.wire,
            ods_name: def.ods_name,
            since: def.since.to_string(),
            doc: def.doc,
            preview: def.preview,
            placement: placement(def.placement),
            results: results(def),
            attributes: def.attrs.iter().enumerate().map(|(i, attr)| attribute(def, i, attr)).collect(),
            operand_encoding: encoding_name(def.operand_encoding()),
            operands: def.operands.iter().enumerate().map(|(i, operand)| self::operand(def, i, operand)).collect(),
            regions: def.regions,
            flags: flags(def),
            traits: def.traits.names().collect(),
            format: syntax(def.format),
            result_names: result_names(def.asm_names),
        }
    }
}

fn placement(placement: Placement) -> &'static str {
    match placement {
        Placement::Body => "body",
        Placement::FunctionTable => "function_table",
        Placement::GlobalSection => "global_section",
        Placement::Implicit => "implicit",
    }
}

fn results(def: &OpDef) -> ResultList {
    let (kind, names, since) = match def.results {
        Results::Fixed(results) => {
            ("fixed", results.iter().map(|r| r.name).collect(), results.iter().map(|r| def.result_since(r).to_string()).collect())
        }
        Results::Variadic(name) => ("variadic", vec![name], vec![def.since.to_string()]),
    };
    ResultList { kind, count_on_wire: def.results_are_counted(), names, since }
}

fn attribute(def: &OpDef, index: usize, attr: &AttrDef) -> Attribute {
    Attribute {
        name: attr.name.name(),
        encoding: attr_encoding(attr.kind),
        optional: attr.optional,
        flag_bit: def.flag_bit(FlagItem::Attr(index)),
        since: def.attr_since(attr).to_string(),
        default: attr.default.map(|default| default_value(attr.kind, default)),
    }
}

fn attr_encoding(kind: AttrKind) -> Encoding {
    let enumeration = if let AttrKind::Enum(kind) = kind { Some(kind.name()) } else { None };
    let bits = if let AttrKind::UInt(bits) = kind { Some(bits) } else { None };
    Encoding { encoding: kind.encoding_name(), enumeration, bits }
}

fn default_value(kind: AttrKind, default: AttrDefault) -> Default {
    match (kind, default) {
        (AttrKind::Enum(kind), AttrDefault::Enum(value)) => {
            kind.value(value).map_or(Default::Int(value.into()), |v| Default::Keyword(v.keyword))
        }
        (_, AttrDefault::Enum(value)) => Default::Int(value.into()),
        (_, AttrDefault::Int(value)) => Default::Int(value),
        (_, AttrDefault::AllFalse) => Default::Keyword("all false"),
    }
}

fn operand(def: &OpDef, index: usize, operand: &OperandDef) -> Operand {
    Operand {
        name: operand.name,
        kind: arity_name(operand.arity),
        flag_bit: def.flag_bit(FlagItem::Operand(index)),
        since: def.operand_since(operand).to_string(),
    }
}

fn arity_name(arity: Arity) -> &'static str {
    match arity {
        Arity::One => "fixed",
        Arity::Optional => "optional",
        Arity::Variadic => "variadic",
    }
}

/// The name of an encoding of operands, as in `spec/ops.json`.
pub(super) fn encoding_name(encoding: OperandEncoding) -> &'static str {
    match encoding {
        OperandEncoding::None => "none",
        OperandEncoding::Fixed => "fixed",
        OperandEncoding::Counted => "counted",
        OperandEncoding::Segments => "segments",
    }
}

fn flags(def: &OpDef) -> Option<Flags> {
    let name = |item: &FlagItem| match *item {
        FlagItem::Attr(i) => def.attrs[i].name.name(),
        FlagItem::Operand(i) => def.operands[i].name,
    };
    Some(Flags { since: def.flags_since()?.to_string(), bits: def.flag_items().iter().map(name).collect() })
}

fn syntax(format: Format) -> Syntax {
    match format {
        Format::Pattern(pattern) => Syntax::Pattern(pattern),
        Format::Custom(custom) => Syntax::Custom(format!("{custom:?}")),
    }
}

fn result_names(names: AsmNames) -> ResultNames {
    let (kind, word) = match names {
        AsmNames::Default => ("default", None),
        AsmNames::Word(word) => ("word", Some(word)),
        AsmNames::Constant => ("constant", None),
        AsmNames::Assume => ("assume", None),
        AsmNames::For => ("for", None),
        AsmNames::Reduce => ("reduce", None),
    };
    ResultNames { kind, word }
}
