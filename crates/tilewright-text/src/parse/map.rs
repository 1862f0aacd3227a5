//! What stands where in a text: names, their uses and operations, for editors.
//!
//! [`parse_mapped`] reads a text as [`parse`](super::parse()) does, and writes down each name that it defines or uses on the way, also in
//! functions with errors. Where the parser is not asked to, it does not even look at what it could write down.

mod record;
mod skipped;

pub(super) use record::Recorder;

use super::cursor::Parser;
use super::extended::ExtendedOp;
use super::{MAX_SOURCE_LEN, ParseError, ParseOptions, related, source};
use std::ops::Range;
use tilewright_ir::{Module, Opcode, Type, Value};

/// What a name names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameKind {
    /// `%x`
    Value,
    /// `@x`, a function.
    Function,
    /// `@x`, a global.
    Global,
    /// `!t`
    TypeAlias,
    /// `#a`: an attribute, or a source location.
    AttrAlias,
    /// `^bb1`
    Label,
}

/// The place where a name is defined. Places count bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// What it names.
    pub kind: NameKind,
    /// The name with its sign, but without the quotes that a symbol may have.
    pub span: Range<usize>,
    /// Where it is in sight.
    pub scope: Range<usize>,
    /// The type of a value, of the first one if the name has several, or what the alias of a type stands for.
    pub ty: Option<Type>,
    /// The operation that gives a value, among [`TextMap::operations`]; parameters of functions have none.
    pub operation: Option<usize>,
    /// Whether it is the argument of a block.
    pub is_argument: bool,
    /// The values in a function of the module, unless that has an error or is made of blocks that branch to each other.
    pub values: Option<DefinedValues>,
}

/// Values that have a common name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DefinedValues {
    /// The position of their function in the module.
    pub function: usize,
    /// The first one; the others follow it.
    pub first: Value,
    /// How many there are.
    pub count: u32,
}

/// A name where it is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// The name with its sign, but without quotes and without a position such as `#1`.
    pub span: Range<usize>,
    /// Where it is defined, among [`TextMap::definitions`].
    pub definition: usize,
    /// Which of the values of the name is meant.
    pub position: u32,
}

/// The name of an operation.
#[derive(Clone, Copy, Debug)]
pub enum OperationName {
    /// One of the dialect.
    Dialect(Opcode),
    /// One of the extended assembly, which stands for others.
    Extended(&'static ExtendedOp),
}

/// An operation in the text, which may have an error.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Which one.
    pub name: OperationName,
    /// Its name.
    pub span: Range<usize>,
    /// All of it, from the names of its results on, with its regions.
    pub whole: Range<usize>,
}

/// The names and operations of a text, each list in its order.
#[derive(Clone, Default, Debug)]
pub struct TextMap {
    /// Names where they are defined.
    pub definitions: Vec<Definition>,
    /// Names where they are used. Names without a definition are not among them.
    pub uses: Vec<Use>,
    /// Operations.
    pub operations: Vec<Operation>,
    /// The bodies of functions, regions of operations included.
    pub regions: Vec<Range<usize>>,
}

/// A text that was read for an editor.
#[derive(Clone, Debug)]
pub struct MappedText {
    /// The module; of a text with errors, what is without them. Operations are located in the text, whatever that says of where they are.
    pub module: Module,
    /// What is wrong with the text, in its order.
    pub errors: Vec<ParseError>,
    /// What stands where.
    pub map: TextMap,
    /// Whether the text says where operations are in another one.
    pub has_locations: bool,
}

/// Reads a text, with errors or without, and tells what stands where in it.
///
/// ```
/// use tilewright_text::{ParseOptions, parse::parse_mapped};
///
/// let source = "entry @k(%n: tile<i32>) {\n  %m = addi %n, %oops : tile<i32>\n}";
/// let mapped = parse_mapped(source, &ParseOptions::new());
/// assert_eq!(mapped.errors[0].id, "undefined-value");
/// let n = &mapped.map.definitions[1];
/// assert_eq!(&source[n.span.clone()], "%n");
/// assert_eq!(mapped.map.uses.len(), 1);
/// ```
pub fn parse_mapped(text: &str, options: &ParseOptions<'_>) -> MappedText {
    let (source, skipped) = source::without_mark(text);
    let mut parser = Parser::new(source, options.version);
    if source.len() > MAX_SOURCE_LEN {
        parser.report("limit", 0..0, format!("a text has at most {MAX_SOURCE_LEN} bytes, this one has {}", source.len()));
    } else {
        parser.locate(options.file.unwrap_or_default());
        parser.recorder = Some(Box::default());
        parser.file();
    }
    let (mut map, has_locations) = parser.recorder.take().unwrap_or_default().finish(source);
    map.shift(skipped);
    let (module, mut errors) = parser.into_parts(skipped);
    related::label_errors(&mut errors, text, &module, &map);
    MappedText { module, errors, map, has_locations }
}

impl TextMap {
    /// The name at a place: its definition, and the span of the name there.
    pub fn name_at(&self, at: usize) -> Option<(usize, Range<usize>)> {
        let touches = |span: &Range<usize>| (span.start..=span.end).contains(&at);
        let behind = self.uses.partition_point(|used| used.span.start <= at);
        let used = self.uses[..behind].last().filter(|used| touches(&used.span)).map(|used| (used.definition, used.span.clone()));
        used.or_else(|| {
            let behind = self.definitions.partition_point(|definition| definition.span.start <= at);
            let index = behind.checked_sub(1)?;
            let span = &self.definitions[index].span;
            touches(span).then(|| (index, span.clone()))
        })
    }

    /// The operation whose name is at a place.
    pub fn operation_name_at(&self, at: usize) -> Option<&Operation> {
        let behind = self.operations.partition_point(|operation| operation.span.start <= at);
        self.operations[..behind].last().filter(|operation| at <= operation.span.end)
    }

    /// The innermost operation around a place.
    pub fn operation_around(&self, at: usize) -> Option<&Operation> {
        let behind = self.operations.partition_point(|operation| operation.whole.start <= at);
        self.operations[..behind].iter().rev().find(|operation| at <= operation.whole.end)
    }

    /// All places of a name: where it is defined, then its uses.
    pub fn places_of(&self, definition: usize) -> impl Iterator<Item = Range<usize>> {
        let uses = self.uses.iter().filter(move |used| used.definition == definition).map(|used| used.span.clone());
        self.definitions.get(definition).map(|definition| definition.span.clone()).into_iter().chain(uses)
    }

    /// The definitions that are in sight at a place.
    pub fn in_sight(&self, at: usize) -> impl Iterator<Item = &Definition> {
        let is_seen = move |scope: &Range<usize>| !scope.is_empty() && (scope.start..=scope.end).contains(&at);
        self.definitions.iter().filter(move |definition| is_seen(&definition.scope))
    }

    fn shift(&mut self, by: usize) {
        let shift = |span: &mut Range<usize>| *span = span.start + by..span.end + by;
        for definition in &mut self.definitions {
            shift(&mut definition.span);
            shift(&mut definition.scope);
        }
        self.uses.iter_mut().for_each(|used| shift(&mut used.span));
        self.regions.iter_mut().for_each(shift);
        for operation in &mut self.operations {
            shift(&mut operation.span);
            shift(&mut operation.whole);
        }
    }
}

#[cfg(test)]
mod tests;
