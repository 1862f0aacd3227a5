//! Whether two modules say the same.
//!
//! Handles differ between modules that say the same, and so do the orders of tables. Everything is followed to what it
//! stands for: types to their text, which is unambiguous, attributes and locations part by part, values to where they are
//! defined.

use std::collections::HashMap;
use tilewright_ir::{Attr, AttrData, AttrValue, Block, Body, Const, Function, Loc, LocData, Module, OpRef, Region, Str, Type, Value};

/// The first line in which two texts differ, if any does.
pub fn text_difference(found: &str, expected: &str) -> Option<String> {
    if found == expected {
        return None;
    }
    let (mut found, mut expected) = (found.split('\n'), expected.split('\n'));
    for line in 1usize.. {
        match (found.next(), expected.next()) {
            (None, None) => break,
            (a, b) if a != b => {
                return Some(format!("line {line}\n  found    {}\n  expected {}", a.unwrap_or("<end>"), b.unwrap_or("<end>")));
            }
            _ => {}
        }
    }
    Some("other line breaks".to_owned())
}

/// Whether two modules say the same, whatever their versions are.
///
/// # Errors
/// The first thing that differs.
pub fn modules(a: &Module, b: &Module) -> Result<(), String> {
    Comparison { a, b, values: HashMap::new() }.modules()
}

struct Comparison<'m> {
    a: &'m Module,
    b: &'m Module,
    /// The values of the current function in `b`, by those in `a`.
    values: HashMap<Value, Value>,
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, a: T, b: T) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{what}: {a:?} and {b:?}")) }
}

impl<'m> Comparison<'m> {
    fn modules(&mut self) -> Result<(), String> {
        let (a, b) = (self.a, self.b);
        same("producers", a.producer.map(|s| self.text(a, s)), b.producer.map(|s| self.text(b, s)))?;
        same("number of globals", a.globals.len(), b.globals.len())?;
        for (x, y) in a.globals.iter().zip(&b.globals) {
            self.strings("globals", x.name, y.name)?;
            self.types("globals", x.ty, y.ty)?;
            self.constants("globals", x.value, y.value)?;
            same("globals", (x.alignment, x.visibility, x.constant), (y.alignment, y.visibility, y.constant))?;
        }
        same("number of functions", a.functions.len(), b.functions.len())?;
        a.functions.iter().zip(&b.functions).try_for_each(|(x, y)| self.functions(x, y))
    }

    fn text(&self, module: &'m Module, string: Str) -> &'m [u8] {
        module.tables.strings.bytes(string)
    }

    fn strings(&self, what: &str, a: Str, b: Str) -> Result<(), String> {
        let (a, b) = (self.text(self.a, a), self.text(self.b, b));
        if a == b { Ok(()) } else { Err(format!("{what}: {:?} and {:?}", a.escape_ascii().to_string(), b.escape_ascii().to_string())) }
    }

    fn types(&self, what: &str, a: Type, b: Type) -> Result<(), String> {
        same(what, self.a.tables.types.display(a).to_string(), self.b.tables.types.display(b).to_string())
    }

    fn constants(&self, what: &str, a: Const, b: Const) -> Result<(), String> {
        same(what, self.a.tables.constants.bytes(a), self.b.tables.constants.bytes(b))
    }

    fn functions(&mut self, a: &'m Function, b: &'m Function) -> Result<(), String> {
        self.strings("functions", a.name, b.name)?;
        self.types("signatures", a.signature, b.signature)?;
        same("functions", (a.is_entry, a.visibility), (b.is_entry, b.visibility))?;
        self.optional_attributes(a.hints, b.hints)?;
        self.optional_attributes(a.arg_attrs, b.arg_attrs)?;
        self.locations(a.loc, b.loc)?;
        self.values.clear();
        self.regions(&a.body, a.body.root(), &b.body, b.body.root())
    }

    fn optional_attributes(&self, a: Option<Attr>, b: Option<Attr>) -> Result<(), String> {
        match (a, b) {
            (Some(a), Some(b)) => self.attributes(a, b),
            _ => same("optional attributes", a.is_some(), b.is_some()),
        }
    }

    fn attributes(&self, a: Attr, b: Attr) -> Result<(), String> {
        use AttrData as D;
        match (self.a.tables.attrs.get(a), self.b.tables.attrs.get(b)) {
            (D::Integer { ty: s, bits: x }, D::Integer { ty: t, bits: y }) | (D::Float { ty: s, bits: x }, D::Float { ty: t, bits: y }) => {
                self.types("numbers", *s, *t)?;
                same("numbers", x, y)
            }
            (D::Type(x), D::Type(y)) => self.types("types", *x, *y),
            (D::String(x), D::String(y)) => self.strings("strings", *x, *y),
            (D::Array(x), D::Array(y)) => {
                same("lengths of arrays", x.len(), y.len())?;
                x.iter().zip(y).try_for_each(|(x, y)| self.attributes(*x, *y))
            }
            (D::Dictionary(x), D::Dictionary(y)) | (D::OptimizationHints(x), D::OptimizationHints(y)) => {
                same("lengths of dictionaries", x.len(), y.len())?;
                x.iter().zip(y).try_for_each(|((k, x), (l, y))| {
                    self.strings("keys", *k, *l)?;
                    self.attributes(*x, *y)
                })
            }
            // What is left holds no handles.
            (x, y) => same("attributes", x, y),
        }
    }

    fn locations(&self, a: Option<Loc>, b: Option<Loc>) -> Result<(), String> {
        use LocData as D;
        let (Some(a), Some(b)) = (a, b) else { return same("locations", a.is_some(), b.is_some()) };
        match (*self.a.tables.locations.get(a), *self.b.tables.locations.get(b)) {
            (D::CompileUnit { file: f }, D::CompileUnit { file: g }) => self.locations(f, g),
            (D::File { name: n, directory: d }, D::File { name: m, directory: e }) => {
                self.strings("files", n, m)?;
                self.strings("folders", d, e)
            }
            (D::LexicalBlock { scope, file, line, column }, D::LexicalBlock { scope: s, file: f, line: l, column: c }) => {
                same("lexical blocks", (line, column), (l, c))?;
                self.locations(scope, s)?;
                self.locations(file, f)
            }
            (D::Source { scope, file, line, column }, D::Source { scope: s, file: f, line: l, column: c }) => {
                same("places", (line, column), (l, c))?;
                self.strings("files", file, f)?;
                self.locations(scope, s)
            }
            (
                D::Subprogram { file, line, name, linkage_name, unit, scope_line, flags },
                D::Subprogram { file: f, line: l, name: n, linkage_name: m, unit: u, scope_line: s, flags: g },
            ) => {
                same("subprograms", (line, scope_line, flags), (l, s, g))?;
                self.strings("subprograms", name, n)?;
                self.strings("linkage names", linkage_name, m)?;
                self.locations(file, f)?;
                self.locations(unit, u)
            }
            (D::CallSite { callee, caller }, D::CallSite { callee: c, caller: d }) => {
                self.locations(callee, c)?;
                self.locations(caller, d)
            }
            (a, b) => Err(format!("locations: {a:?} and {b:?}")),
        }
    }

    fn regions(&mut self, a: &Body, x: Region, b: &Body, y: Region) -> Result<(), String> {
        let (blocks, others): (Vec<Block>, Vec<Block>) = (a.blocks(x).collect(), b.blocks(y).collect());
        same("number of blocks", blocks.len(), others.len())?;
        for (x, y) in blocks.into_iter().zip(others) {
            self.definitions("arguments", (a, a.args(x)), (b, b.args(y)))?;
            same("number of operations", a.ops(x).count(), b.ops(y).count())?;
            for (index, (op, other)) in a.ops(x).zip(b.ops(y)).enumerate() {
                self.ops(op, other).map_err(|why| format!("operation {index}, {}: {why}", op.opcode()))?;
            }
        }
        Ok(())
    }

    fn definitions(
        &mut self,
        what: &str,
        (a, x): (&Body, impl ExactSizeIterator<Item = Value>),
        (b, y): (&Body, impl ExactSizeIterator<Item = Value>),
    ) -> Result<(), String> {
        same(what, x.len(), y.len())?;
        for (x, y) in x.zip(y) {
            self.types(what, a.ty(x), b.ty(y))?;
            self.values.insert(x, y);
        }
        Ok(())
    }

    fn ops(&mut self, a: OpRef<'_>, b: OpRef<'_>) -> Result<(), String> {
        same("operations", a.opcode(), b.opcode())?;
        for group in 0..a.def().operands.len() {
            let mapped: Vec<Option<Value>> = a.operand_group(group).iter().map(|value| self.values.get(value).copied()).collect();
            let others: Vec<Option<Value>> = b.operand_group(group).iter().copied().map(Some).collect();
            same(a.def().operands[group].name, mapped, others)?;
        }
        for (def, (x, y)) in a.def().attrs.iter().zip(a.attrs().iter().zip(b.attrs())) {
            self.attribute_values(*x, *y).map_err(|why| format!("{}: {why}", def.name.name()))?;
        }
        self.locations(a.loc(), b.loc())?;
        same("number of regions", a.regions().len(), b.regions().len())?;
        for (x, y) in a.regions().zip(b.regions()) {
            self.regions(a.body(), x, b.body(), y)?;
        }
        self.definitions("results", (a.body(), a.results()), (b.body(), b.results()))
    }

    fn attribute_values(&self, a: AttrValue, b: AttrValue) -> Result<(), String> {
        match (a, b) {
            (AttrValue::Str(a), AttrValue::Str(b)) => self.strings("strings", a, b),
            (AttrValue::Type(a), AttrValue::Type(b)) => self.types("types", a, b),
            (AttrValue::Const(a), AttrValue::Const(b)) => self.constants("data", a, b),
            (AttrValue::Attr(a), AttrValue::Attr(b)) => self.attributes(a, b),
            (a, b) => same("values", a, b),
        }
    }
}
