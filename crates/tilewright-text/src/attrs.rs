//! Attributes in text.

use crate::literals::{INVALID, float_format, is_identifier, push_float, push_i64, push_int, push_keyword, push_quoted, push_symbol};
use crate::printer::Writer;
use tilewright_ir::ops::{AttrDef, AttrKind};
use tilewright_ir::{Attr, AttrData, AttrValue, EnumKind, Scalar, Str, Type};

/// Deeper attributes are left out: readers do not make them.
const MAX_DEPTH: usize = 128;

impl<'m> Writer<'m> {
    /// The bytes of a string; nothing for a handle of another module.
    pub(crate) fn string(&self, string: Str) -> &'m [u8] {
        let strings = &self.module.tables.strings;
        if string.index() < strings.len() { strings.bytes(string) } else { b"" }
    }

    pub(crate) fn push_string(&mut self, string: Str) {
        let bytes = self.string(string);
        push_quoted(&mut self.out, bytes);
    }

    pub(crate) fn push_symbol_name(&mut self, string: Str) {
        let bytes = self.string(string);
        push_symbol(&mut self.out, bytes);
    }

    pub(crate) fn push_name(&mut self, string: Str) {
        let bytes = self.string(string);
        push_keyword(&mut self.out, bytes);
    }

    /// A compound attribute; `None` for a handle of another module.
    pub(crate) fn attr_data(&self, attr: Attr) -> Option<&'m AttrData> {
        let attrs = &self.module.tables.attrs;
        (attr.index() < attrs.len()).then(|| attrs.get(attr))
    }

    /// The value of an attribute as the text of an operation writes it.
    pub(crate) fn push_attr_value(&mut self, def: &AttrDef, value: AttrValue) {
        match value {
            AttrValue::Absent => self.out.push_str(INVALID),
            AttrValue::Unit => self.out.push_str(def.name.name()),
            AttrValue::Enum(wire) => self.push_enum(def.kind, wire),
            AttrValue::Int(value) => self.out.push_u64(value),
            AttrValue::Bool(value) => self.push_bool(value),
            AttrValue::Str(string) if def.kind == AttrKind::Symbol => self.push_symbol_name(string),
            AttrValue::Str(string) => self.push_string(string),
            AttrValue::Type(ty) => self.push_type(ty),
            AttrValue::Const(_) => self.out.push_str(INVALID),
            AttrValue::Attr(attr) => self.push_inline_attr(attr),
        }
    }

    /// The keyword of a value of an enumeration.
    pub(crate) fn push_enum(&mut self, kind: AttrKind, wire: u8) {
        let value = match kind {
            AttrKind::Enum(kind) => EnumKind::value(kind, wire),
            _ => None,
        };
        self.out.push_str(value.map_or(INVALID, |v| v.keyword));
    }

    /// A compound attribute where the operation says what it is: hints and predicates without their prefix.
    fn push_inline_attr(&mut self, attr: Attr) {
        match self.attr_data(attr) {
            Some(AttrData::OptimizationHints(entries)) => self.push_hints(entries),
            Some(AttrData::I32Array(items)) => self.push_bracketed(items, |w, &item| push_i64(&mut w.out, i64::from(item))),
            Some(AttrData::BoolArray(items)) => self.push_bracketed(items, |w, &item| w.push_bool(item)),
            Some(data @ (AttrData::DivBy { .. } | AttrData::SameElements(_) | AttrData::Bounded { .. })) => self.push_predicate(data),
            Some(_) => self.push_attr(attr, true),
            None => self.out.push_str(INVALID),
        }
    }

    pub(crate) fn push_bool(&mut self, value: bool) {
        self.out.push_str(if value { "true" } else { "false" });
    }

    fn push_bracketed<T>(&mut self, items: &[T], push: impl FnMut(&mut Self, &T)) {
        self.out.push('[');
        self.push_separated(items, push);
        self.out.push(']');
    }

    /// Items with commas between them.
    pub(crate) fn push_separated<T>(&mut self, items: &[T], mut push: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            push(self, item);
        }
    }

    /// `<default = {latency = 3}, sm_100 = {...}>`: NVIDIA's disassembler leaves out the types of numbers, which its compiler does
    /// not ask for. Generic text has them, so that it says everything.
    pub(crate) fn push_hints(&mut self, entries: &[(Str, Attr)]) {
        let elide = if self.options.is_generic() { Elide::Default } else { Elide::Always };
        self.out.push('<');
        self.push_separated(&self.sorted(entries), |w, &(architecture, hints)| {
            w.push_hint_name(architecture);
            w.out.push_str(" = {");
            match w.attr_data(hints) {
                Some(AttrData::Dictionary(hints)) => w.push_separated(&w.sorted(hints), |w, &(name, value)| {
                    w.push_hint_name(name);
                    w.out.push_str(" = ");
                    w.push_attr_at(value, elide, 0);
                }),
                _ => w.out.push_str(INVALID),
            }
            w.out.push('}');
        });
        self.out.push('>');
    }

    /// An architecture or the name of a hint. NVIDIA's disassembler prints it as it is; one that cannot be read so, which no compiler
    /// makes, stands in quotes here.
    fn push_hint_name(&mut self, name: Str) {
        let bytes = self.string(name);
        if bytes.split(|&byte| byte == b' ').all(is_identifier) {
            self.push_raw(name);
        } else {
            push_quoted(&mut self.out, bytes);
        }
    }

    pub(crate) fn push_raw(&mut self, string: Str) {
        let text = String::from_utf8_lossy(self.string(string));
        self.out.push_str(&text);
    }

    /// Dictionaries are kept sorted by key.
    pub(crate) fn sorted(&self, entries: &[(Str, Attr)]) -> Vec<(Str, Attr)> {
        let mut entries = entries.to_vec();
        entries.sort_by(|a, b| self.string(a.0).cmp(self.string(b.0)));
        entries
    }

    /// A predicate without its prefix.
    fn push_predicate(&mut self, data: &AttrData) {
        match data {
            AttrData::DivBy { divisor, every, along } => {
                self.out.push_str("div_by<");
                self.out.push_u64(*divisor);
                self.push_optional(", every ", *every);
                self.push_optional(" along ", *along);
            }
            AttrData::SameElements(extents) => {
                self.out.push_str("same_elements<[");
                self.push_separated(extents, |w, &extent| push_i64(&mut w.out, extent));
                self.out.push(']');
            }
            AttrData::Bounded { lower, upper } => {
                self.out.push_str("bounded<");
                self.push_bound(*lower);
                self.out.push_str(", ");
                self.push_bound(*upper);
            }
            _ => return self.out.push_str(INVALID),
        }
        self.out.push('>');
    }

    fn push_optional(&mut self, word: &str, number: Option<i64>) {
        if let Some(number) = number {
            self.out.push_str(word);
            push_i64(&mut self.out, number);
        }
    }

    fn push_bound(&mut self, bound: Option<i64>) {
        match bound {
            Some(bound) => push_i64(&mut self.out, bound),
            None => self.out.push('?'),
        }
    }

    /// An attribute that says itself what it is. `may_elide`: `i64` and `f64` need no type after the number.
    pub(crate) fn push_attr(&mut self, attr: Attr, may_elide: bool) {
        self.push_attr_at(attr, if may_elide { Elide::Default } else { Elide::Never }, 0);
    }

    fn push_attr_at(&mut self, attr: Attr, elide: Elide, depth: usize) {
        let Some(data) = self.attr_data(attr).filter(|_| depth <= MAX_DEPTH) else { return self.out.push_str(INVALID) };
        match data {
            AttrData::Integer { ty, bits } => self.push_number(*ty, *bits, elide),
            AttrData::Float { ty, bits } => self.push_number(*ty, *bits, elide),
            AttrData::Bool(value) => self.push_bool(*value),
            AttrData::Type(ty) => self.push_full_type(*ty),
            AttrData::String(string) => self.push_string(*string),
            AttrData::Array(items) => self.push_bracketed(items, |w, &item| w.push_attr_at(item, Elide::Default, depth + 1)),
            AttrData::Dictionary(entries) => self.push_dictionary(entries, depth),
            AttrData::OptimizationHints(entries) => {
                self.out.push_str("#cuda_tile.optimization_hints");
                self.push_hints(entries);
            }
            AttrData::DivBy { .. } | AttrData::SameElements(_) | AttrData::Bounded { .. } => {
                self.out.push_str("#cuda_tile.");
                self.push_predicate(data);
            }
            AttrData::MultimemReductionKind(kind) => {
                self.out.push_str("#cuda_tile.multimem_reduction_kind<");
                self.out.push_str(kind.keyword());
                self.out.push('>');
            }
            AttrData::I32Array(items) => {
                self.out.push_str(if items.is_empty() { "array<i32" } else { "array<i32: " });
                self.push_separated(items, |w, &item| push_i64(&mut w.out, i64::from(item)));
                self.out.push('>');
            }
            AttrData::BoolArray(items) => {
                self.out.push_str(if items.is_empty() { "array<i1" } else { "array<i1: " });
                self.push_separated(items, |w, &item| w.push_bool(item));
                self.out.push('>');
            }
        }
    }

    fn push_dictionary(&mut self, entries: &[(Str, Attr)], depth: usize) {
        self.out.push('{');
        self.push_separated(&self.sorted(entries), |w, &(name, value)| {
            w.push_name(name);
            w.out.push_str(" = ");
            w.push_attr_at(value, Elide::Never, depth + 1);
        });
        self.out.push('}');
    }

    fn push_number(&mut self, ty: Type, bits: u64, elide: Elide) {
        let types = &self.module.tables.types;
        let scalar = if ty.index() < types.len() { types.scalar(ty) } else { None };
        let Some(scalar) = scalar else { return self.out.push_str(INVALID) };
        let start = self.out.len();
        match float_format(scalar) {
            Some(format) => push_float(&mut self.out, format, bits),
            None => push_int(&mut self.out, scalar, bits),
        }
        // Bits alone would read as an integer.
        let is_default = scalar == Scalar::I64 || scalar == Scalar::F64 && !self.out.since(start).starts_with("0x");
        let hidden = match elide {
            Elide::Never => false,
            Elide::Default => is_default,
            Elide::Always => true,
        };
        if !hidden && scalar != Scalar::I1 {
            self.out.push_str(" : ");
            self.out.push_str(scalar.name());
        }
    }
}

/// Whether a number is written without its type.
#[derive(Clone, Copy)]
enum Elide {
    Never,
    /// If it is `i64` or `f64`.
    Default,
    Always,
}
