//! From text in MLIR's generic form to a module.
//!
//! Nothing need be known of operations: the generic form says all. Attributes and types of the builtin dialect get their encodings,
//! those of other dialects stay text, which MLIR bytecode holds as such. What the operation table knows tells properties from other
//! attributes.

mod aliases;
mod attributes;
mod dense;
mod llvm;
mod locations;
mod numbers;
mod operations;
mod regions;
mod resources;
mod scan;
mod types;

use crate::{
    build::Builder,
    error::Section,
    ir::{Ir, More, OpData, RegionData},
    module::{Module, OpName, Version},
    read::check_nesting,
    tables::{AttrId, NameId, Tables},
    write::PropertyTable,
};
use foldhash::{HashMap, HashMapExt as _};
use regions::{Scope, Values};
use std::borrow::Cow;
use tilewright_text::ParseError;

/// How deep regions, attributes and types may nest within each other in a text.
const MAX_DEPTH: usize = 512;

type Parsed<T> = Result<T, Box<ParseError>>;

/// Parses text in MLIR's generic form, which `mlir-opt --mlir-print-op-generic` and [`print`](crate::print()) write.
///
/// Operations that have no location in the text have an unknown one.
///
/// ```
/// let module = tilewright_mlir::parse("%0 = \"t.op\"() {value = 1 : i32} : () -> i32\n").unwrap();
/// let text = tilewright_mlir::print(&module, &tilewright_mlir::PrintOptions::new());
/// assert!(text.contains("%0 = \"t.op\"() {value = 1 : i32} : () -> i32"));
///
/// let error = tilewright_mlir::parse("\"t.op\"(%0) : (i32) -> ()\n").unwrap_err();
/// assert_eq!(error.to_string(), "1:8: error[undefined-value]: %0 is not defined");
/// ```
///
/// # Errors
/// When the text is not in the generic form, or contradicts itself.
pub fn parse(text: &str) -> Result<Module<'static>, Box<ParseError>> {
    parse_with(text, tilewright_ir::Version::LATEST)
}

/// Parses text whose operations of the cuda_tile dialect are those of a version of Tile IR.
pub(crate) fn parse_with(text: &str, tile_ir: tilewright_ir::Version) -> Result<Module<'static>, Box<ParseError>> {
    let mut tables = Tables::default();
    let mut parser = Parser {
        text,
        pos: 0,
        token_end: 0,
        blank_end: usize::MAX,
        depth: 0,
        builder: Builder::new(&mut tables),
        ir: Ir::default(),
        names: HashMap::new(),
        op_names: Vec::new(),
        properties: PropertyTable::default(),
        aliases: HashMap::new(),
        expanded: 0,
        resources: resources::Builder::default(),
        scopes: Vec::new(),
        values: Values::default(),
        tile_ir,
        unknown_location: None,
    };
    let parsed = parser.file();
    let Parser { ir, op_names, properties, resources, .. } = parser;
    parsed.map_err(|error| placed(text, error))?;
    if let Err((_, message)) = check_nesting(&tables) {
        return Err(placed(text, scan::error("limit", 0..0, message)));
    }
    tables.may_hold_locations = true;
    let resources = resources.finish();
    let mut sections = vec![Section::Dialect, Section::AttrTypeOffset, Section::AttrType, Section::Ir];
    if !resources.external.is_empty() || !resources.dialects.is_empty() {
        sections.extend([Section::ResourceOffset, Section::Resource]);
    }
    sections.extend([Section::String, Section::Properties]);
    Ok(Module {
        version: Version::LATEST,
        producer: Cow::Borrowed(b"tilewright"),
        tables,
        op_names,
        properties: properties.finish(),
        resources,
        sections,
        ir,
        unread: Vec::new(),
    })
}

/// The error with its line and column.
fn placed(text: &str, mut error: Box<ParseError>) -> Box<ParseError> {
    let before = &text[..error.span.start];
    error.line = before.matches('\n').count() + 1;
    error.column = before[before.rfind('\n').map_or(0, |at| at + 1)..].chars().count() + 1;
    error
}

struct Parser<'s, 't> {
    text: &'s str,
    pos: usize,
    /// Where the last word or mark ends, and where what is blank behind it does.
    token_end: usize,
    blank_end: usize,
    depth: usize,
    builder: Builder<'t, 'static>,
    ir: Ir,
    names: HashMap<&'s str, operations::Name>,
    op_names: Vec<OpName>,
    properties: PropertyTable,
    aliases: HashMap<&'s str, aliases::Alias<'s>>,
    /// How much text aliases were expanded to.
    expanded: usize,
    resources: resources::Builder,
    scopes: Vec<Scope<'s>>,
    values: Values,
    /// Whose properties the operations of the cuda_tile dialect have.
    tile_ir: tilewright_ir::Version,
    unknown_location: Option<AttrId>,
}

impl<'s> Parser<'s, '_> {
    fn file(&mut self) -> Parsed<()> {
        self.find_aliases()?;
        self.pos = 0;
        self.resolve_aliases()?;
        self.pos = 0;
        self.scopes.push(Scope::new(true));
        self.skip_blanks();
        while self.pos < self.text.len() {
            match self.peek() {
                b'#' | b'!' => self.skip_alias_definition()?,
                b'{' => self.resource_sections()?,
                _ => self.operation()?,
            }
            self.skip_blanks();
        }
        self.finish()
    }

    /// Operations outside of all regions; a module is put around them if they have results, which bytecode does not hold there.
    fn finish(&mut self) -> Parsed<()> {
        let needs_module = self.scopes.last().is_some_and(|scope| scope.num_values() > 0);
        let region = self.close_region()?;
        self.values.settle(&mut self.ir);
        if needs_module {
            return self.wrap(region);
        }
        self.ir.top = match self.ir.blocks.get(region.blocks.start as usize) {
            Some(block) if region.blocks.len > 0 => block.ops,
            _ => crate::ir::Span::default(),
        };
        // The block was only there to hold them.
        if region.blocks.len > 0 {
            self.ir.blocks.pop();
        }
        Ok(())
    }

    fn wrap(&mut self, region: RegionData) -> Parsed<()> {
        let name = self.op_name("builtin.module");
        let location = self.unknown_location();
        let (attrs, properties) = self.dictionaries(name, Vec::new(), None)?;
        let start = self.ir.all_regions.len() as u32;
        self.ir.all_regions.push(region);
        let mut op = OpData::new(NameId(name.number), location);
        op.set_attrs(attrs);
        op.set_properties(properties);
        let regions = crate::ir::Span { start, len: 1 };
        self.ir.set_more(&mut op, More { regions, is_isolated: true, ..More::default() });
        self.ir.top = crate::ir::Span { start: self.ir.ops.len() as u32, len: 1 };
        self.ir.ops.push(op);
        Ok(())
    }
}

/// Whether a text is in MLIR's generic form: begins, behind comments and aliases, with an operation whose name is in quotes.
pub fn is_generic_form(text: &str) -> bool {
    let is_skipped = |line: &&str| line.is_empty() || ["//", "#", "!"].iter().any(|mark| line.starts_with(mark));
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().map(str::trim_start).find(|line| !is_skipped(line)).unwrap_or_default();
    first.starts_with('"') || (first.starts_with('%') && first.contains("= \""))
}

/// Whether a text is in MLIR's generic form and has operations of other dialects than Tile IR's only.
///
/// ```
/// use tilewright_mlir::is_text;
/// assert!(is_text("// from mlir-opt\n#map = affine_map<(d0) -> (d0)>\n\"builtin.module\"() ({\n}) : () -> ()"));
/// assert!(!is_text("\"cuda_tile.module\"() <{sym_name = \"m\"}> ({\n}) : () -> ()"));
/// assert!(!is_text("entry @k() { return }"));
/// ```
pub fn is_text(text: &str) -> bool {
    is_generic_form(text) && !text.contains("\"cuda_tile.")
}
