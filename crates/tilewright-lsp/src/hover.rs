//! What is known of the name or operation at a place.

use crate::Analysis;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use std::ops::Range;
use tilewright_ir::{Opcode, Type, Value};
use tilewright_text::parse::{Definition, ExtendedOp, NameKind, OperationName};
use tilewright_text::print_type;

pub(crate) fn at(analysis: &Analysis, at: usize) -> Option<Hover> {
    let (value, span) = markdown(analysis, at)?;
    let range = analysis.lines().range(analysis.text(), &span);
    Some(Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range: Some(range) })
}

/// What is known, and the place of what it is about.
pub(crate) fn markdown(analysis: &Analysis, at: usize) -> Option<(String, Range<usize>)> {
    name(analysis, at).or_else(|| operation(analysis, at))
}

fn name(analysis: &Analysis, at: usize) -> Option<(String, Range<usize>)> {
    let (definition, span) = analysis.map().name_at(at)?;
    let position = analysis.map().uses.iter().find(|used| used.span == span).map_or(0, |used| used.position);
    let definition = &analysis.map().definitions[definition];
    let mut text = format!("```tileir\n{}\n```", declaration(analysis, definition, position));
    if let Some(values) = definition.values {
        let fact = analysis.fact(values, position);
        let trips = analysis.trips(values).filter(|_| definition.is_argument);
        for known in [fact, trips].into_iter().flatten() {
            text += &format!("\n\n{known}");
        }
    }
    Some((text, span))
}

/// How a name could be declared.
pub(crate) fn declaration(analysis: &Analysis, definition: &Definition, position: u32) -> String {
    let name = &analysis.text()[definition.span.clone()];
    match definition.kind {
        NameKind::Value => {
            let position = if definition.values.is_some_and(|values| values.count > 1) { format!("#{position}") } else { String::new() };
            let ty = type_of(analysis, definition, position.trim_start_matches('#').parse().unwrap_or(0));
            ty.map_or_else(|| format!("{name}{position}"), |ty| format!("{name}{position} : {ty}"))
        }
        NameKind::Function => function(analysis, name).unwrap_or_else(|| format!("@{name}")),
        NameKind::Global => global(analysis, name).unwrap_or_else(|| format!("global @{name}")),
        NameKind::TypeAlias => definition.ty.map_or_else(|| name.to_owned(), |ty| format!("{name} = {}", shown(analysis, ty))),
        NameKind::AttrAlias => {
            let line = analysis.lines().line(analysis.text(), definition.span.start);
            analysis.text()[definition.span.start..line.end].trim_end().to_owned()
        }
        NameKind::Label => name.to_owned(),
    }
}

/// The type of a value, if it is known.
pub(crate) fn type_of(analysis: &Analysis, definition: &Definition, position: u32) -> Option<String> {
    let of_value = definition.values.filter(|values| position < values.count).and_then(|values| {
        let body = &analysis.module().functions.get(values.function)?.body;
        Some(body.ty(Value::new(values.first.index() + position as usize)))
    });
    of_value.or(definition.ty).map(|ty| shown(analysis, ty))
}

fn shown(analysis: &Analysis, ty: Type) -> String {
    print_type(analysis.module(), ty)
}

fn function(analysis: &Analysis, name: &str) -> Option<String> {
    let module = analysis.module();
    let function = module.functions.iter().find(|function| module.tables.strings.text(function.name) == name)?;
    let kind = if function.is_entry { "entry" } else { "func" };
    Some(format!("{kind} @{name} : {}", shown(analysis, function.signature)))
}

fn global(analysis: &Analysis, name: &str) -> Option<String> {
    let module = analysis.module();
    let global = module.globals.iter().find(|global| module.tables.strings.text(global.name) == name)?;
    let constant = if global.constant { "constant " } else { "" };
    Some(format!("global {constant}@{name} : {}", shown(analysis, global.ty)))
}

fn operation(analysis: &Analysis, at: usize) -> Option<(String, Range<usize>)> {
    let operation = analysis.map().operation_name_at(at)?;
    let text = match operation.name {
        OperationName::Dialect(opcode) => page(opcode),
        OperationName::Extended(op) => extended_page(op),
    };
    Some((text, operation.span.clone()))
}

/// The row of an operation.
pub(crate) fn page(opcode: Opcode) -> String {
    let def = opcode.def();
    let preview = if def.preview { ", preview" } else { "" };
    format!("**{}** {:#04x}, since {}{preview}\n\n{}\n\n```text\n{}```", def.mnemonic, def.wire, def.since, def.doc, def.details())
}

/// The row of an operation of the extended assembly.
pub(crate) fn extended_page(op: &ExtendedOp) -> String {
    let limits = if op.limits.is_empty() { String::new() } else { format!("\n\nLimits: {}", op.limits) };
    format!("**{}** (extended assembly)\n\n{}\n\n```text\n{}\n```\n\nBecomes: {}{limits}", op.name, op.summary, op.syntax(), op.expansion)
}
