//! Modules as text, in MLIR's generic form.
//!
//! The text is that of `mlir-opt --mlir-print-op-generic`: values are numbered as there, and locations, affine maps and the like get
//! the same names.

mod aliases;
mod attributes;
mod dense;
mod hlo;
mod list;
pub(crate) mod names;
mod quant;
mod sdy;
mod types;
mod vhlo;

pub use list::{Line, list};
pub(crate) use types::identity_map;

use crate::{
    encoding::{Value as Field, code},
    ir::{Block, Op, OpData, Region, Span},
    module::{Module, ResourceGroup, ResourceValue},
    operations::{Decoder, Kind, OpInfo, Properties, PropertyValue},
    tables::{AttrId, NameId, StrId, TypeId},
};
use aliases::{Aliases, Symbol};
use foldhash::HashMap;
use names::Name;
use std::cell::{OnceCell, RefCell};

/// What to print.
#[derive(Clone, Copy, Default, Debug)]
pub struct PrintOptions {
    debug_info: bool,
}

impl PrintOptions {
    /// Without locations.
    pub fn new() -> PrintOptions {
        PrintOptions::default()
    }

    /// Whether to print locations.
    #[must_use]
    pub fn debug_info(mut self, debug_info: bool) -> PrintOptions {
        self.debug_info = debug_info;
        self
    }
}

/// A module as text.
///
/// Regions that were not read print as empty ones.
pub fn print(module: &Module<'_>, options: &PrintOptions) -> String {
    let mut out = Vec::new();
    let printed: Result<(), std::convert::Infallible> = print_in_pieces(module, options, &mut |piece| {
        out.extend(piece);
        Ok(())
    });
    match printed {
        Ok(()) => String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

/// Prints a module piece by piece, without ever holding all of the text.
///
/// # Errors
/// The first error of `write`, behind which nothing is printed.
pub fn print_in_pieces<E>(module: &Module<'_>, options: &PrintOptions, write: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let mut printer = Printer::new(module, options);
    printer.aliases = Aliases::of(&printer, options.debug_info);
    let mut out = Output { text: Vec::new(), write, error: None };
    printer.module(&mut out);
    out.flush();
    out.error.map_or(Ok(()), Err)
}

/// Text that is handed on in pieces.
struct Output<'w, E> {
    text: Vec<u8>,
    write: &'w mut dyn FnMut(&[u8]) -> Result<(), E>,
    error: Option<E>,
}

trait Sink {
    fn text(&mut self) -> &mut Vec<u8>;
    /// Hands on what is there, if it is much; false if there is no use in going on.
    fn step(&mut self) -> bool;
}

impl<E> Output<'_, E> {
    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = (self.write)(&self.text).err();
        }
        self.text.clear();
    }
}

impl<E> Sink for Output<'_, E> {
    fn text(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    fn step(&mut self) -> bool {
        const MUCH: usize = 1 << 16;
        if self.text.len() >= MUCH {
            self.flush();
        }
        self.error.is_none()
    }
}

/// An operation's name, attributes and properties.
type DictionaryKey = (NameId, Option<AttrId>, Option<u32>);

struct Printer<'m, 'a> {
    module: &'m Module<'a>,
    debug_info: bool,
    names: Vec<Name>,
    aliases: Aliases,
    /// Of each name of an operation.
    op_names: Vec<Vec<u8>>,
    decoders: Vec<OnceCell<Decoder>>,
    /// Types as text, as far as they were printed before.
    types: Vec<OnceCell<Box<[u8]>>>,
    /// Attributes and properties of operations as text, in the same way.
    dictionaries: RefCell<HashMap<DictionaryKey, Box<[u8]>>>,
    /// Distinct attributes in the order in which they were printed.
    distinct: RefCell<Vec<AttrId>>,
    /// Which resources of dialects were printed.
    used_resources: RefCell<Vec<bool>>,
}

impl<'m, 'a> Printer<'m, 'a> {
    fn new(module: &'m Module<'a>, options: &PrintOptions) -> Printer<'m, 'a> {
        let op_names = (0..module.op_names.len() as u32).map(|id| {
            let mut name = Vec::new();
            module.push_op_name(NameId(id), &mut name);
            let mut quoted = Vec::new();
            push_string(&mut quoted, &name);
            quoted
        });
        Printer {
            module,
            debug_info: options.debug_info,
            names: names::names(&module.ir),
            aliases: Aliases::default(),
            op_names: op_names.collect(),
            decoders: (0..module.op_names.len()).map(|_| OnceCell::new()).collect(),
            types: (0..module.tables.types.len()).map(|_| OnceCell::new()).collect(),
            dictionaries: RefCell::default(),
            distinct: RefCell::default(),
            used_resources: RefCell::new(vec![false; module.tables.num_dialect_resources]),
        }
    }

    fn decoder(&self, name: NameId) -> &Decoder {
        self.decoders[name.index()].get_or_init(|| Decoder::new(self.module, name))
    }

    fn module(&self, sink: &mut dyn Sink) {
        for &symbol in &self.aliases.before {
            self.explain(symbol, sink.text());
        }
        for op in self.module.ir.top.iter() {
            self.line(Op(op), 0, sink);
        }
        for &symbol in &self.aliases.behind {
            self.explain(symbol, sink.text());
        }
        self.resources(sink.text());
    }

    /// What a name means.
    fn explain(&self, symbol: Symbol, out: &mut Vec<u8>) {
        self.aliases.push(symbol, out);
        out.extend(b" = ");
        match symbol {
            Symbol::Attr(id) => self.push_attr_in_full(out, id, attributes::Elision::Never),
            Symbol::Type(id) => self.push_type_in_full(out, id),
            Symbol::UnknownLocation => out.extend(b"loc(unknown)"),
        }
        out.push(b'\n');
    }

    /// An operation with its line break.
    fn line(&self, op: Op, indent: usize, sink: &mut dyn Sink) {
        if !sink.step() {
            return;
        }
        let data = self.module.ir.op(op);
        let out = sink.text();
        push_spaces(out, indent);
        self.head(data, out);
        if data.regions.len > 0 {
            out.extend(b" (");
            for (index, region) in data.regions.iter().enumerate() {
                if index > 0 {
                    sink.text().extend(b", ");
                }
                self.region(Region(region), indent, sink);
            }
            sink.text().push(b')');
        }
        let out = sink.text();
        self.tail(data, out);
        if self.debug_info {
            out.push(b' ');
            self.push_location(out, data.location);
        }
        out.push(b'\n');
    }

    /// Results, name, operands, successors and properties.
    fn head(&self, data: &OpData, out: &mut Vec<u8>) {
        let ir = &self.module.ir;
        if data.results.len > 0 {
            self.names[data.results.start as usize].push(out, false);
            if data.results.len > 1 {
                out.push(b':');
                names::push_number(out, u64::from(data.results.len));
            }
            out.extend(b" = ");
        }
        out.extend(&self.op_names[data.name.index()]);
        out.push(b'(');
        for (index, &value) in ir.operands(data).iter().enumerate() {
            if index > 0 {
                out.extend(b", ");
            }
            self.names[value.index()].push(out, true);
        }
        out.push(b')');
        if data.successors.len > 0 {
            out.push(b'[');
            push_list(out, ir.successors(data), |out, &block| push_block(out, block));
            out.push(b']');
        }
        // Properties may be among the attributes: in older files, and where they are not those of the table.
        if data.properties.is_some() || data.attrs.is_some() || !self.module.version.has_properties() {
            self.dictionary(data, out, true);
        }
    }

    /// Attributes and types.
    fn tail(&self, data: &OpData, out: &mut Vec<u8>) {
        let ir = &self.module.ir;
        if data.attrs.is_some() {
            self.dictionary(data, out, false);
        }
        out.extend(b" : (");
        push_list(out, ir.operands(data), |out, &value| self.push_type(out, ir.value_type(value)));
        out.extend(b") -> ");
        self.result_types(data.results, out);
    }

    fn result_types(&self, results: Span, out: &mut Vec<u8>) {
        let types = &self.module.ir.value_types[results.range()];
        match types {
            &[ty] if self.module.tables.builtin_type(ty) != Some(code::FUNCTION_TYPE) => self.push_type(out, ty),
            _ => {
                out.push(b'(');
                push_list(out, types, |out, &ty| self.push_type(out, ty));
                out.push(b')');
            }
        }
    }

    /// The properties or the attributes of an operation, as they stand behind its operands or before its types.
    fn dictionary(&self, data: &OpData, out: &mut Vec<u8>, is_properties: bool) {
        // Attributes that are no properties do not depend on these, so that more operations have them in common.
        let attributes = Some(if data.properties.is_some() { u32::MAX } else { u32::MAX - 1 });
        let key = (data.name, data.attrs, if is_properties { data.properties } else { attributes });
        if let Some(text) = self.dictionaries.borrow().get(&key) {
            return out.extend(text);
        }
        let start = out.len();
        if is_properties {
            self.push_properties(data, out)
        } else {
            self.push_attributes(data, out)
        }
        /// Longer ones are rarely the same.
        const MAX_KEPT: usize = 1024;
        if out.len() - start <= MAX_KEPT {
            self.dictionaries.borrow_mut().insert(key, out[start..].into());
        }
    }

    fn push_properties(&self, data: &OpData, out: &mut Vec<u8>) {
        let decoder = self.decoder(data.name);
        let Some(properties) = data.properties else {
            if let Some(info) = decoder.info() {
                self.push_properties_of_attributes(data, info, out);
            }
            return;
        };
        match decoder.decode(self.module, properties) {
            Properties::Named(values) => self.push_named_properties(&values, out),
            Properties::Dictionary(attr) => {
                out.extend(b" <");
                self.push_attr(out, attr, attributes::Elision::Never);
                out.push(b'>');
            }
            Properties::Unknown => {
                out.extend(b" <{opaque_properties = ");
                push_hex_string(out, &self.module.properties[properties as usize]);
                out.extend(b"}>");
            }
        }
    }

    /// The properties of an operation in an older file, which holds them among the attributes, and leaves out numbers and flags.
    fn push_properties_of_attributes(&self, data: &OpData, info: OpInfo, out: &mut Vec<u8>) {
        let all = data.attrs.map_or(Vec::new(), |attrs| sorted_attributes(self.module, attrs));
        let mut named: Vec<(&str, PropertyValue)> =
            all.iter().filter_map(|&(name, value)| Some((info.property_named(name)?, PropertyValue::Attr(value)))).collect();
        let is_old = !self.module.version.has_properties();
        for (name, kind) in info.properties().filter(|_| is_old) {
            let absent = match kind {
                Kind::Bool => PropertyValue::Bool(false),
                Kind::OptionalInt => PropertyValue::OptionalInt(None),
                Kind::Int(width) => PropertyValue::Int(0, width),
                _ => continue,
            };
            if named.iter().all(|&(other, _)| other != name) {
                named.push((name, absent));
            }
        }
        named.sort_by_key(|&(name, _)| name);
        self.push_named_properties(&named, out);
    }

    fn push_named_properties(&self, values: &[(&str, PropertyValue)], out: &mut Vec<u8>) {
        if values.is_empty() {
            return;
        }
        out.extend(b" <{");
        push_list(out, values, |out, (name, value)| match value {
            PropertyValue::Attr(attr) => self.push_named(out, name.as_bytes(), *attr),
            value => push_property(out, name, value),
        });
        out.extend(b"}>");
    }

    fn push_attributes(&self, data: &OpData, out: &mut Vec<u8>) {
        let Some(attrs) = data.attrs else { return };
        let mut all = sorted_attributes(self.module, attrs);
        if data.properties.is_none()
            && let Some(info) = self.decoder(data.name).info()
        {
            all.retain(|&(name, _)| info.property_named(name).is_none());
        }
        if !all.is_empty() {
            out.extend(b" {");
            push_list(out, &all, |out, &(name, value)| self.push_named(out, name, value));
            out.push(b'}');
        }
    }

    fn region(&self, region: Region, indent: usize, sink: &mut dyn Sink) {
        sink.text().extend(b"{\n");
        let predecessors = self.predecessors(region);
        let first = self.module.ir.regions[region.index()].blocks.start;
        for block in self.module.ir.blocks(region) {
            let data = self.module.ir.blocks[block.index()];
            let is_entry = block.0 == first;
            if !is_entry || data.args.len > 0 || data.ops.len == 0 {
                self.label(block, block.0 - first, &predecessors, indent, sink.text());
            }
            data.ops.iter().for_each(|op| self.line(Op(op), indent + 2, sink));
        }
        push_spaces(sink.text(), indent);
        sink.text().push(b'}');
    }

    /// Where jumps to blocks of a region come from: blocks and where they jump to.
    fn predecessors(&self, region: Region) -> Vec<(u32, u32)> {
        let ir = &self.module.ir;
        let mut jumps = Vec::new();
        if ir.successors.is_empty() {
            return jumps;
        }
        for (index, block) in ir.blocks(region).enumerate() {
            let ops = ir.blocks[block.index()].ops;
            // Only the last operation of a block jumps in what MLIR accepts.
            for op in ops.range() {
                jumps.extend(ir.successors(&ir.ops[op]).iter().map(|&to| (to, index as u32)));
            }
        }
        jumps.sort_unstable();
        jumps
    }

    fn label(&self, block: Block, index: u32, predecessors: &[(u32, u32)], indent: usize, out: &mut Vec<u8>) {
        let ir = &self.module.ir;
        let data = ir.blocks[block.index()];
        push_spaces(out, indent);
        push_block(out, index);
        if data.args.len > 0 {
            out.push(b'(');
            for (nth, value) in data.args.range().enumerate() {
                if nth > 0 {
                    out.extend(b", ");
                }
                self.names[value].push(out, true);
                out.extend(b": ");
                self.push_type(out, ir.value_types[value]);
                if self.debug_info {
                    out.push(b' ');
                    match ir.arg_locations[data.first_location as usize + nth] {
                        Some(location) => {
                            out.extend(b"loc(");
                            self.push_location_in_full(out, location);
                            out.push(b')');
                        }
                        None => out.extend(b"loc(unknown)"),
                    }
                }
            }
            out.push(b')');
        }
        out.push(b':');
        let from = predecessors.partition_point(|&(to, _)| to < index)..predecessors.partition_point(|&(to, _)| to <= index);
        match &predecessors[from] {
            [] if index == 0 => {}
            [] => out.extend(b"  // no predecessors"),
            &[(_, only)] => {
                out.extend(b"  // pred: ");
                push_block(out, only);
            }
            several => {
                out.extend(b"  // ");
                names::push_number(out, several.len() as u64);
                out.extend(b" preds: ");
                push_list(out, several, |out, &(_, from)| push_block(out, from));
            }
        }
        out.push(b'\n');
    }

    /// The data of the resources that were printed.
    fn resources(&self, out: &mut Vec<u8>) {
        let used = self.used_resources.borrow();
        let mut number = 0;
        let mut dialects = Vec::new();
        for group in &self.module.resources.dialects {
            let mut printed = Vec::new();
            for resource in &group.resources {
                if used.get(number) == Some(&true) && !matches!(resource.value, ResourceValue::Absent { .. }) {
                    printed.push(resource);
                }
                number += 1;
            }
            let name = self.module.tables.dialect_name(crate::tables::DialectId(group.provider));
            if !printed.is_empty() {
                dialects.push((name, printed));
            }
        }
        let external = |group: &'m ResourceGroup<'a>| {
            (self.module.tables.strings.get(StrId(group.provider)), group.resources.iter().collect::<Vec<_>>())
        };
        let external: Vec<_> = self.module.resources.external.iter().map(external).filter(|(_, resources)| !resources.is_empty()).collect();
        let sections = [("dialect_resources", dialects), ("external_resources", external)];
        let mut is_first = true;
        for (title, groups) in sections.iter().filter(|(_, groups)| !groups.is_empty()) {
            out.extend(if is_first { &b"\n{-#\n  "[..] } else { b",\n  " });
            is_first = false;
            out.extend(title.as_bytes());
            out.extend(b": {\n");
            for (index, (provider, resources)) in groups.iter().enumerate() {
                out.extend(if index > 0 { &b",\n    "[..] } else { b"    " });
                out.extend(*provider);
                out.extend(b": {\n");
                for (index, resource) in resources.iter().enumerate() {
                    out.extend(if index > 0 { &b",\n      "[..] } else { b"      " });
                    push_keyword_or_string(out, self.module.tables.strings.get(resource.key));
                    out.extend(b": ");
                    self.push_resource(out, &resource.value);
                }
                out.extend(b"\n    }");
            }
            out.extend(b"\n  }");
        }
        if !is_first {
            out.extend(b"\n#-}\n");
        }
    }

    fn push_resource(&self, out: &mut Vec<u8>, value: &ResourceValue<'_>) {
        match value {
            ResourceValue::Blob { alignment, data } => {
                out.extend(b"\"0x");
                push_hex(out, &(*alignment as u32).to_le_bytes());
                push_hex(out, data);
                out.push(b'"');
            }
            ResourceValue::Bool(value) => out.extend(if *value != 0 { &b"true"[..] } else { b"false" }),
            ResourceValue::String(string) => push_string(out, self.module.tables.strings.get(*string)),
            ResourceValue::Absent { .. } => out.extend(b"\"\""),
        }
    }
}

/// The entries of a dictionary by their names; nothing if it is none.
fn sorted_attributes<'m>(module: &'m Module<'_>, dictionary: AttrId) -> Vec<(&'m [u8], AttrId)> {
    let tables = &module.tables;
    let mut entries = Vec::new();
    if tables.builtin_attr(dictionary) == Some(code::DICTIONARY)
        && let Some(Field::NamedAttrs(list)) = tables.attr_fields(dictionary).pop()
    {
        let attrs: Vec<AttrId> = list.attrs().collect();
        entries.extend(attrs.chunks_exact(2).filter_map(|pair| Some((tables.string_attr(pair[0])?, pair[1]))));
    }
    entries.sort_by_key(|&(name, _)| name);
    entries
}

/// A property that is no attribute, as the attribute that stands for it.
fn push_property(out: &mut Vec<u8>, name: &str, value: &PropertyValue) {
    out.extend(name.as_bytes());
    let text = match value {
        PropertyValue::Segments(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(|size| (*size as i32).to_string()).collect();
            format!(" = array<i32{}{}>", if sizes.is_empty() { "" } else { ": " }, sizes.join(", "))
        }
        // The unit attribute stands as its name alone.
        PropertyValue::Bool(true) => String::new(),
        PropertyValue::Bool(false) => " = false".to_owned(),
        PropertyValue::OptionalInt(None) => " = []".to_owned(),
        PropertyValue::OptionalInt(Some(value)) => format!(" = [{value}]"),
        PropertyValue::Int(value, width) => format!(" = {value} : i{width}"),
        PropertyValue::Attr(_) => String::new(),
    };
    out.extend(text.as_bytes());
}

fn push_block(out: &mut Vec<u8>, index: u32) {
    out.extend(b"^bb");
    names::push_number(out, u64::from(index));
}

fn push_spaces(out: &mut Vec<u8>, count: usize) {
    out.resize(out.len() + count, b' ');
}

fn push_list<T>(out: &mut Vec<u8>, items: &[T], mut item: impl FnMut(&mut Vec<u8>, &T)) {
    for (index, each) in items.iter().enumerate() {
        if index > 0 {
            out.extend(b", ");
        }
        item(out, each);
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(2 * bytes.len());
    out.extend(bytes.iter().flat_map(|&byte| [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]));
}

fn push_hex_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(b"\"0x");
    push_hex(out, bytes);
    out.push(b'"');
}

/// Appends a string in quotes; what is not printable in ASCII stands as `\0A`.
fn push_string(out: &mut Vec<u8>, string: &[u8]) {
    out.push(b'"');
    for &byte in string {
        match byte {
            b'\\' => out.extend(b"\\\\"),
            b' '..=b'~' if byte != b'"' => out.push(byte),
            _ => out.extend([b'\\', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]),
        }
    }
    out.push(b'"');
}

/// Appends a name, in quotes if it is no identifier.
fn push_keyword_or_string(out: &mut Vec<u8>, name: &[u8]) {
    let begins = name.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_');
    if begins && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')) {
        out.extend(name);
    } else {
        push_string(out, name);
    }
}

impl Printer<'_, '_> {
    fn push_type(&self, out: &mut Vec<u8>, id: TypeId) {
        let text = self.types[id.index()].get_or_init(|| {
            let mut text = Vec::new();
            if !self.aliases.push(Symbol::Type(id), &mut text) {
                self.push_type_in_full(&mut text, id);
            }
            text.into()
        });
        out.extend(text);
    }
}
