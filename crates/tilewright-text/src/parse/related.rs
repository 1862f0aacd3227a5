//! What has to do with an error: where the names are defined that it is about.

use super::error::{ParseError, locate};
use super::map::{DefinedValues, Definition, NameKind, TextMap};
use super::source::without_mark;
use crate::report::Label;
use std::collections::HashMap;
use std::ops::Range;
use tilewright_ir::{self as ir, Diagnostic, Loc, Module, Value};

/// Adds labels to the errors of a text.
pub(super) fn label_errors(errors: &mut [ParseError], text: &str, module: &Module, map: &TextMap) {
    for error in errors.iter_mut() {
        let label = match error.id {
            "redefinition" => map.defined_before(text, &error.span).map(|first| label(&first.span, "first defined here".to_owned())),
            // Where another token should stand, it does not matter what the name names.
            "unexpected-token" => None,
            _ => map.definition_of_use(&error.span).map(|(definition, position)| {
                let ty = definition.ty.filter(|_| position == 0).map(|ty| module.tables.types.brief(ty));
                label(&definition.span, defined_here(ty.as_deref()))
            }),
        };
        error.labels.extend(label.filter(|label| label.span != error.span));
    }
    let (source, skipped) = without_mark(text);
    locate(source, errors, skipped);
}

/// Findings about the module of a text, as errors of the text at the places of their operations, with the definitions of the values that they
/// are about; `None` where the place is not known.
///
/// `module` and `map` are what [`parse_mapped`](super::parse_mapped) makes of `text`; `findings` are about it, or about what
/// [`parse`](super::parse()) makes of the text.
///
/// ```
/// use tilewright_text::{ParseOptions, parse::{parse_mapped, place_findings}};
///
/// let source = "entry @k(%x: tile<f32>) {\n  %y = addi %x, %x : tile<f32>\n}";
/// let mapped = parse_mapped(source, &ParseOptions::new());
/// let rejected = tilewright_ir::try_verify(mapped.module).unwrap_err();
/// let placed = place_findings(source, &rejected.module, &mapped.map, &rejected.findings);
/// let shown = placed[0].as_ref().unwrap().render(source, "k.mlir");
/// assert!(shown.contains("--> k.mlir:2:8") && shown.contains("defined here: tile<f32>"), "{shown}");
/// ```
pub fn place_findings(text: &str, module: &Module, map: &TextMap, findings: &[Diagnostic]) -> Vec<Option<ParseError>> {
    let mut places = ModulePlaces::new(text, module, map);
    let placed = |finding: &Diagnostic| {
        let span = places.of(finding)?;
        let labels = finding.values.iter().filter_map(|&value| places.definition(finding.function_index?, value)).collect();
        let Diagnostic { rule: id, message, .. } = finding;
        Some(ParseError { id, span, line: 0, column: 0, message: message.clone(), labels, notes: Vec::new() })
    };
    let mut placed: Vec<Option<ParseError>> = findings.iter().map(placed).collect();
    let (source, skipped) = without_mark(text);
    locate(source, placed.iter_mut().flatten(), skipped);
    placed
}

fn label(span: &Range<usize>, message: String) -> Label {
    Label { span: span.clone(), line: 0, column: 0, message }
}

fn defined_here(ty: Option<&str>) -> String {
    ty.map_or_else(|| "defined here".to_owned(), |ty| format!("defined here: {ty}"))
}

impl TextMap {
    /// The definition before a place of the name that stands there.
    fn defined_before(&self, text: &str, span: &Range<usize>) -> Option<&Definition> {
        let is_first = |definition: &&Definition| {
            let same = text.get(definition.span.clone()) == text.get(span.clone());
            same && definition.span.start < span.start && (definition.scope.start..=definition.scope.end).contains(&span.start)
        };
        self.definitions.iter().rev().find(is_first)
    }

    /// The definition of a name that is used at a place, and which of its values is meant there.
    fn definition_of_use(&self, span: &Range<usize>) -> Option<(&Definition, u32)> {
        let at = self.uses.binary_search_by_key(&span.start, |used| used.span.start).ok()?;
        let used = self.uses.get(at).filter(|used| used.span == *span)?;
        Some((self.definitions.get(used.definition)?, used.position))
    }
}

/// Where the operations and values of a module stand in its text.
struct ModulePlaces<'t> {
    walk: Walk<'t>,
    module: &'t Module,
    map: &'t TextMap,
    /// The names of the functions.
    functions: Vec<&'t Range<usize>>,
    /// The locations of the operations of each function that was asked about, in pre-order.
    operations: HashMap<usize, Vec<Option<Loc>>>,
    /// Definitions of values, by the function and the first of the values.
    values: Vec<(DefinedValues, &'t Range<usize>)>,
}

impl<'t> ModulePlaces<'t> {
    fn new(text: &'t str, module: &'t Module, map: &'t TextMap) -> ModulePlaces<'t> {
        let functions = map.definitions.iter().filter(|definition| definition.kind == NameKind::Function);
        let values = map.definitions.iter().filter_map(|definition| Some((definition.values?, &definition.span)));
        let mut values: Vec<_> = values.collect();
        values.sort_by_key(|(values, _)| (values.function, values.first.index()));
        let functions = functions.map(|definition| &definition.span).collect();
        ModulePlaces { walk: Walk::new(text), module, map, functions, operations: HashMap::new(), values }
    }

    /// The name of the operation that a finding is about, or that of its function.
    fn of(&mut self, finding: &Diagnostic) -> Option<Range<usize>> {
        let index = finding.function_index?;
        let function = self.module.functions.get(index)?;
        self.of_operation(finding, index, function).or_else(|| self.functions.get(index).map(|&span| span.clone()))
    }

    /// The definition of a value, if it has a name.
    fn definition(&self, function: usize, value: Value) -> Option<Label> {
        let before = self.values.partition_point(|(values, _)| (values.function, values.first.index()) <= (function, value.index()));
        let (values, span) = self.values.get(before.checked_sub(1)?)?;
        let is_here = values.function == function && value.index() < values.first.index() + values.count as usize;
        let ty = self.module.functions.get(function).filter(|_| is_here)?.body.ty(value);
        Some(label(span, defined_here(Some(&self.module.tables.types.brief(ty)))))
    }

    fn of_operation(&mut self, finding: &Diagnostic, index: usize, function: &ir::Function) -> Option<Range<usize>> {
        let (operation, _) = finding.op?;
        let all = self.operations.entry(index).or_insert_with(|| function.body.preorder().map(|op| op.loc()).collect());
        let (_, line, column) = self.module.tables.locations.source(*all.get(operation)?)?;
        let at = self.walk.to(line as usize, column as usize)?;
        self.map.operation_name_at(at).map(|operation| operation.span.clone())
    }
}

/// A place in a text, which goes from one to the next.
struct Walk<'s> {
    source: &'s str,
    line: usize,
    column: usize,
    at: usize,
    /// How many bytes stand in front of `source`.
    skipped: usize,
}

impl<'s> Walk<'s> {
    fn new(text: &'s str) -> Walk<'s> {
        let (source, skipped) = without_mark(text);
        Walk { source, line: 1, column: 1, at: 0, skipped }
    }

    /// Goes to a character, which may be the end of the text; gives where it is.
    fn to(&mut self, line: usize, column: usize) -> Option<usize> {
        if line == 0 || column == 0 {
            return None;
        }
        if (line, column) < (self.line, self.column) {
            (self.line, self.column, self.at) = (1, 1, 0);
        }
        while self.line < line {
            self.at += self.source[self.at..].find('\n')? + 1;
            (self.line, self.column) = (self.line + 1, 1);
        }
        let (skipped, _) = self.source[self.at..].char_indices().nth(column - self.column)?;
        (self.column, self.at) = (column, self.at + skipped);
        Some(self.skipped + self.at)
    }
}
