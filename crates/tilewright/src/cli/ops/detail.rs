//! One operation, explained.

use super::{arity_mark, json, signature};
use crate::cli::output::Style;
use std::io::{self, Write};
use tilewright::ir::{
    EnumKind,
    ops::{AttrDef, AttrKind, FlagItem, OpDef, OperandEncoding},
};

/// Writes everything about an operation that a reader of modules may ask.
pub(super) fn write(out: &mut dyn Write, def: &OpDef) -> io::Result<()> {
    let style = Style::stdout();
    let preview = if def.preview { ", preview" } else { "" };
    writeln!(
        out,
        "{}  {}",
        style.strong(def.mnemonic),
        style.faint(&format!("{:#04x}, {}, since {}{preview}", def.wire, def.ods_name, def.since))
    )?;
    writeln!(out, "{}\n", def.doc)?;
    row(out, "signature", &signature(def))?;
    row(out, "syntax", &def.syntax())?;
    operands(out, def)?;
    for (i, attr) in def.attrs.iter().enumerate() {
        row(out, if i == 0 { "attributes" } else { "" }, &attribute(def, i, attr))?;
    }
    if def.regions > 0 {
        row(out, "regions", &def.regions.to_string())?;
    }
    if let Some(since) = def.flags_since() {
        row(out, "flags word", &format!("since {since}, {} used", crate::cli::output::count(def.flag_items().len(), "bit", "bits")))?;
    }
    let traits: Vec<&str> = def.traits.names().collect();
    if !traits.is_empty() {
        row(out, "traits", &traits.join(", "))?;
    }
    enumerations(out, def)
}

fn row(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "  {label:<10}  {text}")
}

fn operands(out: &mut dyn Write, def: &OpDef) -> io::Result<()> {
    let encoding = match def.operand_encoding() {
        OperandEncoding::None => return Ok(()),
        OperandEncoding::Fixed => "an index each",
        OperandEncoding::Counted => "their count, then an index each",
        OperandEncoding::Segments => "any number of them: their count, then indices; optional ones: if their flag is set",
    };
    for (i, operand) in def.operands.iter().enumerate() {
        let mut text = format!("{}{}", operand.name, arity_mark(operand.arity));
        if let Some(bit) = json::flag_bit(def, FlagItem::Operand(i)) {
            text += &format!(", flag bit {bit}");
        }
        if let Some(since) = operand.since {
            text += &format!(", since {since}");
        }
        row(out, if i == 0 { "operands" } else { "" }, &text)?;
    }
    row(out, "encoding", encoding)
}

fn attribute(def: &OpDef, index: usize, attr: &AttrDef) -> String {
    let kind = match attr.kind {
        AttrKind::Enum(kind) => format!("enum {}", kind.name()),
        AttrKind::UInt(bits) => format!("unsigned integer of {bits} bits"),
        AttrKind::Unit => "a flag".to_owned(),
        kind => json::attr_encoding_name(kind).replace('_', " "),
    };
    let mut text = format!("{}: {kind}", attr.name.name());
    if let Some(bit) = json::flag_bit(def, FlagItem::Attr(index)) {
        text += &format!(", optional, flag bit {bit}");
    }
    if let Some(default) = attr.default {
        text += &format!(", default {}", json::default_text(attr.kind, default));
    }
    if let Some(since) = attr.since {
        text += &format!(", since {since}");
    }
    text
}

/// The values that the attributes can have.
fn enumerations(out: &mut dyn Write, def: &OpDef) -> io::Result<()> {
    let mut kinds: Vec<EnumKind> = Vec::new();
    for attr in def.attrs {
        if let AttrKind::Enum(kind) = attr.kind
            && !kinds.contains(&kind)
        {
            kinds.push(kind);
        }
    }
    for kind in kinds {
        writeln!(out, "\n{}", kind.name())?;
        for value in kind.values() {
            let since = if value.since > kind.since() { format!(", since {}", value.since) } else { String::new() };
            writeln!(out, "  {:<2} {}{since}", value.value, value.keyword)?;
        }
    }
    Ok(())
}
