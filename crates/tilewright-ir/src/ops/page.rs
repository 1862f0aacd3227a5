//! A row of the table as a page for people.

use super::{Arity, AttrDef, AttrDefault, AttrKind, FlagItem, OpDef, OperandEncoding, Results};
use crate::EnumKind;
use std::fmt::Write as _;

impl OpDef {
    /// Operands and results by name: `view, index..., token? -> tile, result_token`.
    pub fn signature(&self) -> String {
        let operands: Vec<String> = self.operands.iter().map(|o| format!("{}{}", o.name, o.arity.mark())).collect();
        let results = match self.results {
            Results::Fixed(results) => results.iter().map(|r| r.name.to_owned()).collect(),
            Results::Variadic(name) => vec![format!("{name}...")],
        };
        let operands = if operands.is_empty() { "()".to_owned() } else { operands.join(", ") };
        if results.is_empty() { operands } else { format!("{operands} -> {}", results.join(", ")) }
    }

    /// Which bit of the flags word announces an item.
    pub fn flag_bit(&self, item: FlagItem) -> Option<usize> {
        self.flag_items().iter().position(|&flag| flag == item)
    }

    /// Everything about the operation that a reader of modules may ask, but its name and what it does: a line for each property, then
    /// the values that its attributes can have.
    ///
    /// ```
    /// use tilewright_ir::Opcode;
    /// assert!(Opcode::ExtI.def().details().starts_with("  signature   from -> to\n  syntax      exti %from $signedness"));
    /// ```
    pub fn details(&self) -> String {
        let mut out = Rows(String::new());
        out.row("signature", &self.signature());
        out.row("syntax", &self.syntax());
        self.operand_rows(&mut out);
        for (i, attr) in self.attrs.iter().enumerate() {
            out.row(if i == 0 { "attributes" } else { "" }, &self.attribute_text(i, attr));
        }
        if self.regions > 0 {
            out.row("regions", &self.regions.to_string());
        }
        if let Some(since) = self.flags_since() {
            let used = self.flag_items().len();
            out.row("flags word", &format!("since {since}, {used} {} used", if used == 1 { "bit" } else { "bits" }));
        }
        let traits: Vec<&str> = self.traits.names().collect();
        if !traits.is_empty() {
            out.row("traits", &traits.join(", "));
        }
        out.0 + &self.enumerations()
    }

    fn operand_rows(&self, out: &mut Rows) {
        let encoding = match self.operand_encoding() {
            OperandEncoding::None => return,
            OperandEncoding::Fixed => "an index each",
            OperandEncoding::Counted => "their count, then an index each",
            OperandEncoding::Segments => "any number of them: their count, then indices; optional ones: if their flag is set",
        };
        for (i, operand) in self.operands.iter().enumerate() {
            let mut text = format!("{}{}", operand.name, operand.arity.mark());
            if let Some(bit) = self.flag_bit(FlagItem::Operand(i)) {
                text += &format!(", flag bit {bit}");
            }
            if let Some(since) = operand.since {
                text += &format!(", since {since}");
            }
            out.row(if i == 0 { "operands" } else { "" }, &text);
        }
        out.row("encoding", encoding);
    }

    fn attribute_text(&self, index: usize, attr: &AttrDef) -> String {
        let kind = match attr.kind {
            AttrKind::Enum(kind) => format!("enum {}", kind.name()),
            AttrKind::UInt(bits) => format!("unsigned integer of {bits} bits"),
            AttrKind::Unit => "a flag".to_owned(),
            kind => kind.encoding_name().replace('_', " "),
        };
        let mut text = format!("{}: {kind}", attr.name.name());
        if let Some(bit) = self.flag_bit(FlagItem::Attr(index)) {
            text += &format!(", optional, flag bit {bit}");
        }
        if let Some(default) = attr.default {
            text += &format!(", default {}", default.text(attr.kind));
        }
        if let Some(since) = attr.since {
            text += &format!(", since {since}");
        }
        text
    }

    /// The values that the attributes can have.
    fn enumerations(&self) -> String {
        let mut kinds: Vec<EnumKind> = Vec::new();
        for attr in self.attrs {
            if let AttrKind::Enum(kind) = attr.kind
                && !kinds.contains(&kind)
            {
                kinds.push(kind);
            }
        }
        let mut out = String::new();
        for kind in kinds {
            let _ = writeln!(out, "\n{}", kind.name());
            for value in kind.values() {
                let since = if value.since > kind.since() { format!(", since {}", value.since) } else { String::new() };
                let _ = writeln!(out, "  {:<2} {}{since}", value.value, value.keyword);
            }
        }
        out
    }
}

impl Arity {
    /// What stands behind the name of such an operand: `?` if it is optional, `...` if there may be several.
    pub fn mark(self) -> &'static str {
        match self {
            Arity::One => "",
            Arity::Optional => "?",
            Arity::Variadic => "...",
        }
    }
}

impl AttrKind {
    /// What the encoding of such an attribute is called.
    pub fn encoding_name(self) -> &'static str {
        match self {
            AttrKind::Enum(_) => "enum",
            AttrKind::UInt(_) => "uint",
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
            AttrKind::Unit => "unit",
        }
    }
}

impl AttrDefault {
    /// The default of such an attribute, as text.
    pub fn text(self, kind: AttrKind) -> String {
        match (kind, self) {
            (AttrKind::Enum(kind), AttrDefault::Enum(value)) => {
                kind.value(value).map_or_else(|| value.to_string(), |value| value.keyword.to_owned())
            }
            (_, AttrDefault::Enum(value)) => value.to_string(),
            (_, AttrDefault::Int(value)) => value.to_string(),
            (_, AttrDefault::AllFalse) => "all false".to_owned(),
        }
    }
}

struct Rows(String);

impl Rows {
    fn row(&mut self, label: &str, text: &str) {
        let _ = writeln!(self.0, "  {label:<10}  {text}");
    }
}
