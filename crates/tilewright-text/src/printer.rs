//! Modules and functions.

use crate::buffer::TextBuffer;
use crate::dense::dense;
use crate::literals::INVALID;
use crate::locations::Locations;
use crate::names::{Names, Words};
use crate::notes::Notes;
use crate::options::PrintOptions;
use crate::pattern::{Pattern, patterns};
use crate::types::TypeTexts;
use std::fmt;
use tilewright_ir::{AttrData, Body, Function, Global, Loc, Module, Op, SymbolVisibility, Type, TypeData, Value};

/// Text is handed on when this much has gathered.
const CHUNK: usize = 1 << 16;

/// Writes the text of a module into a buffer.
pub(crate) struct Writer<'m> {
    pub(crate) module: &'m Module,
    pub(crate) options: PrintOptions,
    pub(crate) out: TextBuffer,
    pub(crate) patterns: &'static [Pattern],
    types: TypeTexts<'m>,
    words: Words,
    pub(crate) notes: Option<&'m dyn Notes>,
    sink: Option<&'m mut dyn fmt::Write>,
    failed: bool,
}

/// A function on its way into a [`Writer`].
pub(crate) struct FunctionWriter<'w, 'm> {
    pub(crate) w: &'w mut Writer<'m>,
    pub(crate) body: &'m Body,
    pub(crate) names: &'w Names,
    pub(crate) locations: Option<&'w Locations>,
    /// Where the function is.
    pub(crate) loc: Option<Loc>,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(module: &'m Module, options: PrintOptions) -> Writer<'m> {
        Writer::with_types(module, options, TypeTexts::new(&module.tables.types))
    }

    fn with_types(module: &'m Module, options: PrintOptions, types: TypeTexts<'m>) -> Writer<'m> {
        let out = TextBuffer::new();
        Writer { module, options, out, patterns: patterns(), types, words: Words::default(), notes: None, sink: None, failed: false }
    }

    /// A writer of single operations, types or attributes, which takes no time for the rest of the module.
    pub(crate) fn of_a_part(module: &'m Module) -> Writer<'m> {
        let types = TypeTexts::few(&module.tables.types);
        Writer::with_types(module, PrintOptions::new(), types)
    }

    /// A writer that hands its text on as it gathers.
    pub(crate) fn with_sink(module: &'m Module, options: PrintOptions, sink: &'m mut dyn fmt::Write) -> Writer<'m> {
        Writer { sink: Some(sink), ..Writer::new(module, options) }
    }

    /// A writer that tells these notes beside operations.
    pub(crate) fn with_notes(self, notes: Option<&'m dyn Notes>) -> Writer<'m> {
        Writer { notes, ..self }
    }

    /// Hands the rest on and tells whether the sink took everything.
    pub(crate) fn finish(mut self) -> fmt::Result {
        self.hand_on(0);
        if self.failed { Err(fmt::Error) } else { Ok(()) }
    }

    /// Hands the text on, if there is a sink and more text than this.
    pub(crate) fn hand_on(&mut self, more_than: usize) {
        if self.out.len() > more_than
            && let Some(sink) = &mut self.sink
        {
            self.failed |= sink.write_str(self.out.as_str()).is_err();
            self.out.clear();
        }
    }

    /// Appends text that another writer gathered; a sink gets it as it is.
    pub(crate) fn append(&mut self, text: &str) {
        self.hand_on(0);
        match &mut self.sink {
            Some(sink) => self.failed |= sink.write_str(text).is_err(),
            None => self.out.push_str(text),
        }
    }

    pub(crate) fn push_type(&mut self, ty: Type) {
        self.out.push_snippet(self.types.short(ty));
    }

    pub(crate) fn push_full_type(&mut self, ty: Type) {
        self.out.push_snippet(self.types.full(ty));
    }

    /// The whole module.
    pub(crate) fn module(&mut self) {
        let module = self.module;
        let locations = self.options.has_debug_info().then(|| Locations::of_module(module, &self.options));
        let indent = if self.options.has_module() { 2 } else { 0 };
        if indent > 0 {
            self.open_module();
        } else if let Some(producer) = module.producer.filter(|&producer| !self.string(producer).is_empty()) {
            self.out.push_str("// Producer: ");
            self.push_raw(producer);
            self.out.push('\n');
        }
        for global in &module.globals {
            self.out.push_spaces(indent);
            if self.options.is_generic() {
                self.generic_global(global)
            } else {
                self.global(global)
            }
            if let Some(locations) = &locations {
                locations.push(&mut self.out, None);
            }
            self.out.push('\n');
        }
        for function in &module.functions {
            self.function(function, indent, locations.as_ref());
        }
        if indent > 0 {
            self.close_module(locations.as_ref());
        } else if module.globals.is_empty() && module.functions.is_empty() {
            // The disassembler prints what stands between the braces of a module: here an empty line.
            self.out.push('\n');
        }
        if let Some(locations) = &locations {
            locations.push_definitions(self);
        }
    }

    fn open_module(&mut self) {
        if self.options.is_generic() {
            return self.open_generic_module();
        }
        self.out.push_str("cuda_tile.module ");
        self.push_symbol_name(self.module.name);
        if let Some(producer) = self.module.producer {
            self.out.push_str(" attributes {producer = ");
            self.push_string(producer);
            self.out.push('}');
        }
        self.out.push_str(" {\n");
    }

    fn close_module(&mut self, locations: Option<&Locations>) {
        self.out.push_str(if self.options.is_generic() { "}) : () -> ()" } else { "}" });
        if let Some(locations) = locations {
            locations.push(&mut self.out, None);
        }
        self.out.push('\n');
    }

    /// `global @name <f32: 1.0> : tile<1xf32>`
    fn global(&mut self, global: &Global) {
        self.out.push_str("global ");
        if global.visibility == SymbolVisibility::Private {
            self.out.push_str("private ");
        }
        if global.constant {
            self.out.push_str(" constant");
        }
        self.out.push(' ');
        self.push_symbol_name(global.name);
        if global.alignment != 0 {
            self.out.push_str(" alignment = ");
            self.out.push_u64(global.alignment);
        }
        self.out.push_str(" <");
        self.push_constant(global.value, global.ty);
        self.out.push_str("> : ");
        self.push_type(global.ty);
    }

    /// `i32: 1`
    pub(crate) fn push_constant(&mut self, constant: tilewright_ir::Const, ty: Type) {
        match dense(self.module, constant, ty) {
            Some((dense, shape)) => {
                self.out.push_str(dense.scalar().name());
                self.out.push_str(": ");
                dense.push(&mut self.out, shape);
            }
            None => self.out.push_str(INVALID),
        }
    }

    /// One function with its body, and a line break.
    pub(crate) fn function(&mut self, function: &'m Function, indent: usize, locations: Option<&Locations>) {
        let names = Names::new(self.module, &function.body, self.options.is_generic(), std::mem::take(&mut self.words));
        let mut writer = FunctionWriter { w: self, body: &function.body, names: &names, locations, loc: function.loc };
        writer.w.out.push_spaces(indent);
        if writer.w.options.is_generic() {
            writer.generic_function(function, indent)
        } else {
            writer.entry(function, indent)
        }
        writer.push_loc(function.loc);
        writer.w.out.push('\n');
        writer.w.hand_on(CHUNK);
        self.words = names.words;
    }
}

impl<'m> FunctionWriter<'_, 'm> {
    /// `entry @name(%arg0: type) optimization_hints=<...> { ... }`
    fn entry(&mut self, function: &'m Function, indent: usize) {
        self.entry_header(function);
        self.region(self.body.root(), indent, true);
    }

    /// The text of a function before its body. Functions that are no entries belong to the preview; `func` is a guess.
    fn entry_header(&mut self, function: &Function) {
        self.w.out.push_str(if function.is_entry { "entry " } else { "func " });
        self.w.push_symbol_name(function.name);
        match self.body.entry_block() {
            Some(block) => {
                let attrs = match function.arg_attrs.and_then(|attrs| self.w.attr_data(attrs)) {
                    Some(AttrData::Array(attrs)) => &attrs[..],
                    _ => &[],
                };
                self.argument_list(block, attrs);
            }
            None => self.parameter_types(function),
        }
        self.result_types(function);
        self.w.out.push(' ');
        if let Some(hints) = function.hints
            && let Some(AttrData::OptimizationHints(entries)) = self.w.attr_data(hints)
            && !entries.is_empty()
        {
            self.w.out.push_str("optimization_hints=");
            self.w.push_hints(entries);
            self.w.out.push(' ');
        }
    }

    /// ` -> type` or ` -> (type, type)`: entries have none.
    fn result_types(&mut self, function: &Function) {
        let tables = &self.w.module.tables;
        let known = (function.signature.index() < tables.types.len()).then(|| tables.types.get(function.signature));
        match known {
            Some(TypeData::Function { results, .. }) if results.len() == 1 => {
                self.w.out.push_str(" -> ");
                self.w.push_type(results[0]);
            }
            Some(TypeData::Function { results, .. }) if !results.is_empty() => {
                self.w.out.push_str(" -> (");
                self.w.push_separated(results, |w, &ty| w.push_type(ty));
                self.w.out.push(')');
            }
            _ => {}
        }
    }

    fn parameter_types(&mut self, function: &Function) {
        let module = self.w.module;
        let types: &[Type] = if function.signature.index() < module.tables.types.len() { function.params(&module.tables) } else { &[] };
        self.w.out.push('(');
        self.w.push_separated(types, |w, &ty| w.push_type(ty));
        self.w.out.push(')');
    }

    /// `loc(#loc3)`, if locations are printed.
    pub(crate) fn push_loc(&mut self, loc: Option<Loc>) {
        if let Some(locations) = self.locations {
            locations.push(&mut self.w.out, loc);
        }
    }

    #[inline]
    pub(crate) fn push_value(&mut self, value: Value) {
        if !self.names.push_value(&mut self.w.out, value) {
            self.w.out.push_str(INVALID);
        }
    }

    pub(crate) fn push_values(&mut self, values: &[Value]) {
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                self.w.out.push_str(", ");
            }
            self.push_value(value);
        }
    }

    /// The type of a value; `None` for a value of another body.
    pub(crate) fn type_of(&self, value: Value) -> Option<Type> {
        self.body.contains_value(value).then(|| self.body.ty(value))
    }

    pub(crate) fn push_type_of(&mut self, value: Value) {
        match self.type_of(value) {
            Some(ty) => self.w.push_type(ty),
            None => self.w.out.push_str(INVALID),
        }
    }

    pub(crate) fn push_types_of(&mut self, values: impl Iterator<Item = Value>) {
        for (i, value) in values.enumerate() {
            if i > 0 {
                self.w.out.push_str(", ");
            }
            self.push_type_of(value);
        }
    }

    /// One operation on one line, its regions abbreviated.
    pub(crate) fn single(&mut self, op: Op) {
        let op = self.body.op(op);
        if self.w.options.is_generic() {
            self.generic_op(op, None);
        } else {
            self.op(op, None);
        }
    }

    /// Hands finished text on.
    pub(crate) fn flush(&mut self) {
        self.w.hand_on(CHUNK);
    }
}
