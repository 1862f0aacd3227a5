//! What can stand at a place.

use crate::{Analysis, hover, names::sign};
use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind, TextEdit};
use std::ops::Range;
use tilewright_ir::{
    Opcode, Scalar,
    ops::{AttrKind, Placement},
};
use tilewright_text::parse::{Definition, NameKind, OperationName, TYPE_NAMES, extended_ops};

/// What stands in modules, and around them.
const ITEMS: [&str; 3] = ["entry", "global", "cuda_tile.module"];
/// The signs of names.
pub(crate) const SIGNS: [&str; 5] = ["%", "@", "!", "#", "^"];

pub(crate) fn at(analysis: &Analysis, at: usize) -> Vec<CompletionItem> {
    let word = word_before(analysis.text(), at);
    let mut items = match analysis.text()[word.clone()].chars().next().filter(|c| SIGNS.contains(&c.to_string().as_str())) {
        Some(first) => known_names(analysis, at, first),
        None if !is_at_operation(analysis, word.start) => inside_operation(analysis, word.start),
        None if analysis.map().regions.iter().any(|region| region.start < at && at <= region.end) => operations(),
        None => ITEMS.iter().map(|word| item(word, CompletionItemKind::KEYWORD, "")).collect(),
    };
    let range = analysis.lines().range(analysis.text(), &word);
    for item in &mut items {
        item.text_edit = Some(CompletionTextEdit::Edit(TextEdit { range, new_text: item.label.clone() }));
    }
    items
}

/// The name or word that ends at a place, with its sign.
fn word_before(text: &str, at: usize) -> Range<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
    let bare = text[..at].trim_end_matches(is_part);
    let start = SIGNS.iter().find(|sign| bare.ends_with(*sign)).map_or(bare.len(), |sign| bare.len() - sign.len());
    start..at
}

/// Whether an operation begins at a place: it is the first of its line, or the names of results stand before it.
fn is_at_operation(analysis: &Analysis, at: usize) -> bool {
    let line = analysis.lines().line(analysis.text(), at);
    let before = analysis.text()[line.start..at].trim();
    let results = before.strip_suffix('=').is_some_and(|names| names.starts_with('%') && !names.contains(['(', '=']));
    before.is_empty() || results || before == "{"
}

fn known_names(analysis: &Analysis, at: usize, first: char) -> Vec<CompletionItem> {
    // What begins to be in sight here is what the operation in front of this place defines, which may not be complete.
    let in_sight = analysis.map().in_sight(at).filter(|definition| sign(definition.kind) == first && definition.scope.start < at);
    in_sight.map(|definition| name_item(analysis, definition)).collect()
}

fn name_item(analysis: &Analysis, definition: &Definition) -> CompletionItem {
    let name = &analysis.text()[definition.span.clone()];
    let (kind, detail) = match definition.kind {
        NameKind::Value => (CompletionItemKind::VARIABLE, hover::type_of(analysis, definition, 0).unwrap_or_default()),
        NameKind::Function => (CompletionItemKind::FUNCTION, hover::declaration(analysis, definition, 0)),
        NameKind::Global => (CompletionItemKind::CONSTANT, hover::declaration(analysis, definition, 0)),
        NameKind::TypeAlias => (CompletionItemKind::STRUCT, hover::declaration(analysis, definition, 0)),
        NameKind::AttrAlias => (CompletionItemKind::CONSTANT, hover::declaration(analysis, definition, 0)),
        NameKind::Label => (CompletionItemKind::REFERENCE, String::new()),
    };
    let is_symbol = matches!(definition.kind, NameKind::Function | NameKind::Global);
    item(&if is_symbol { format!("@{name}") } else { name.to_owned() }, kind, &detail)
}

fn operations() -> Vec<CompletionItem> {
    let in_functions = Opcode::ALL.iter().filter(|opcode| opcode.def().placement == Placement::Body);
    let documented = |item: CompletionItem, page: String| CompletionItem {
        documentation: Some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: page })),
        ..item
    };
    let dialect = in_functions
        .map(|opcode| documented(item(opcode.mnemonic(), CompletionItemKind::FUNCTION, &opcode.def().signature()), hover::page(*opcode)));
    let extended = extended_ops()
        .iter()
        .map(|op| documented(item(op.name, CompletionItemKind::FUNCTION, "extended assembly"), hover::extended_page(op)));
    dialect.chain(extended).collect()
}

/// Words of an operation: those of its syntax, the values of its attributes, and types.
fn inside_operation(analysis: &Analysis, at: usize) -> Vec<CompletionItem> {
    let operations = &analysis.map().operations;
    let before = operations.partition_point(|operation| operation.span.start < at);
    let mut items = Vec::new();
    if let Some(operation) = operations[..before].last() {
        match operation.name {
            OperationName::Dialect(opcode) => {
                items.extend(words(&opcode.def().syntax()).map(|word| item(word, CompletionItemKind::KEYWORD, opcode.mnemonic())));
                for attr in opcode.def().attrs {
                    let AttrKind::Enum(kind) = attr.kind else { continue };
                    items.extend(kind.values().iter().map(|value| item(value.keyword, CompletionItemKind::ENUM_MEMBER, attr.name.name())));
                }
            }
            OperationName::Extended(op) => {
                items.extend(words(&op.syntax()).map(|word| item(word, CompletionItemKind::KEYWORD, op.name)));
            }
        }
    }
    items.extend(TYPE_NAMES.iter().map(|name| item(name, CompletionItemKind::STRUCT, "type")));
    items.extend(Scalar::all().map(|scalar| item(scalar.name(), CompletionItemKind::STRUCT, "element type")));
    items
}

/// The words of a syntax behind the name of the operation that stand for themselves.
fn words(syntax: &str) -> impl Iterator<Item = &str> {
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c == '_') && *word != "type";
    let pieces = syntax.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && !"_%$".contains(c)).skip(1);
    pieces.map(|piece| piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_')).filter(is_word)
}

fn item(label: &str, kind: CompletionItemKind, detail: &str) -> CompletionItem {
    let detail = (!detail.is_empty()).then(|| detail.to_owned());
    CompletionItem { label: label.to_owned(), kind: Some(kind), detail, ..CompletionItem::default() }
}
