//! What is wrong with a text.

use crate::Lines;
use lsp_types::{CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri};
use std::ops::Range;
use tilewright_ir::{self as ir, Module, RejectedModule};
use tilewright_text::{
    ParseError,
    parse::{Operation, TextMap, place_findings},
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
    /// Other places that have to do with it, and what they are, such as the definitions of the names that it is about.
    pub related: Vec<(Range<usize>, String)>,
}

impl Problem {
    pub(crate) fn of_parser(error: &ParseError) -> Problem {
        let lines: Vec<&str> = std::iter::once(&error.message).chain(&error.notes).map(String::as_str).collect();
        let related = error.labels.iter().map(|label| (label.span.clone(), label.message.clone())).collect();
        Problem { id: error.id, span: error.span.clone(), message: lines.join("\n"), related }
    }

    /// The problem of the document `uri` for its editor.
    pub(crate) fn diagnostic(&self, uri: &Uri, text: &str, lines: &Lines) -> Diagnostic {
        let related = self.related.iter().map(|(span, message)| DiagnosticRelatedInformation {
            location: Location { uri: uri.clone(), range: lines.range(text, span) },
            message: message.clone(),
        });
        let help = ir::explain(self.id).and_then(|rule| rule.help_uri().parse::<Uri>().ok());
        Diagnostic {
            range: lines.range(text, &self.span),
            severity: Some(DiagnosticSeverity::ERROR),
            code: Some(NumberOrString::String(self.id.to_owned())),
            code_description: help.map(|href| CodeDescription { href }),
            source: Some("tilewright".to_owned()),
            message: self.message.clone(),
            related_information: Some(related.collect()).filter(|related: &Vec<_>| !related.is_empty()),
            ..Diagnostic::default()
        }
    }
}

/// The findings about a module at the places of their operations: `located` is the same module, whose operations know their places.
pub(crate) fn of_verifier(rejected: &RejectedModule, located: &Module, map: &TextMap, text: &str, lines: &Lines) -> Vec<Problem> {
    let placed = place_findings(text, located, map, &rejected.findings);
    let problem = |(finding, placed): (&ir::Diagnostic, Option<ParseError>)| match placed {
        Some(error) => Problem::of_parser(&error),
        None => Problem { id: finding.rule, span: lines.line(text, 0), message: finding.message.clone(), related: Vec::new() },
    };
    rejected.findings.iter().zip(placed).map(problem).collect()
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
