//! What is wrong with a text.

use crate::Lines;
use lsp_types::{CodeDescription, Diagnostic, DiagnosticSeverity, NumberOrString, Uri};
use std::{collections::HashMap, ops::Range};
use tilewright_ir::{self as ir, Module, RejectedModule};
use tilewright_text::{
    ParseError,
    parse::{Operation, TextMap},
};

/// An error of the parser, or a finding of the verifier, at its place in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The stable name of the error or rule.
    pub id: &'static str,
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// What was expected and found, and what helps to mend it.
    pub message: String,
}

impl Problem {
    pub(crate) fn of_parser(error: &ParseError) -> Problem {
        let lines: Vec<&str> = std::iter::once(&error.message).chain(&error.notes).map(String::as_str).collect();
        Problem { id: error.id, span: error.span.clone(), message: lines.join("\n") }
    }

    pub(crate) fn diagnostic(&self, text: &str, lines: &Lines) -> Diagnostic {
        let help = ir::explain(self.id).and_then(|rule| rule.help_uri().parse::<Uri>().ok());
        Diagnostic {
            range: lines.range(text, &self.span),
            severity: Some(DiagnosticSeverity::ERROR),
            code: Some(NumberOrString::String(self.id.to_owned())),
            code_description: help.map(|href| CodeDescription { href }),
            source: Some("tilewright".to_owned()),
            message: self.message.clone(),
            ..Diagnostic::default()
        }
    }
}

/// The findings about a module at the places of their operations: `located` is the same module, whose operations know their places.
pub(crate) fn of_verifier(rejected: &RejectedModule, located: &Module, map: &TextMap, text: &str, lines: &Lines) -> Vec<Problem> {
    let mut places: HashMap<String, Vec<Option<Range<usize>>>> = HashMap::new();
    let problem = |finding: &ir::Diagnostic| {
        let function = finding.function.as_deref();
        let of_operation = finding.op.zip(function).and_then(|((index, _), name)| {
            let name_of = |f: &&ir::Function| located.tables.strings.text(f.name) == name;
            let spans = places.entry(name.to_owned()).or_insert_with(|| {
                let function = located.functions.iter().find(name_of);
                function.map_or_else(Vec::new, |function| {
                    let placed = placed_operations(located, function, map, text, lines);
                    placed.map(|(_, operation)| operation.map(|operation| operation.span.clone())).collect()
                })
            });
            spans.get(index).cloned().flatten()
        });
        let of_function = || {
            let mut definitions = map.definitions.iter().map(|definition| definition.span.clone());
            definitions.find(|span| function.is_some_and(|name| &text[span.clone()] == name))
        };
        let span = of_operation.or_else(of_function).unwrap_or_else(|| lines.line(text, 0));
        Problem { id: finding.rule, span, message: finding.message.clone() }
    };
    rejected.findings.iter().map(problem).collect()
}

/// The operations of a function in pre-order, and where they stand in the text; terminators that go without saying do not.
pub(crate) fn placed_operations<'a>(
    module: &'a Module,
    function: &'a ir::Function,
    map: &'a TextMap,
    text: &'a str,
    lines: &'a Lines,
) -> impl Iterator<Item = (ir::Op, Option<&'a Operation>)> {
    let placed = move |op: ir::OpRef<'_>| {
        let (_, line, column) = module.tables.locations.source(op.loc())?;
        map.operation_name_at(lines.of_source(text, line, column)?)
    };
    function.body.preorder().map(move |op| (op.id(), placed(op)))
}
