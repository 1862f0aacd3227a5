//! Verdicts on files for programs: JSON, and logs of SARIF.

use crate::cli::{
    input::{self, File},
    mlir::{self, Malformed},
    sarif,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use tilewright::{
    bytecode::ReadError,
    ir::{self, Diagnostic, Module},
    source::SourceError,
    text::ParseError,
};

/// What was found out about a file.
#[derive(Serialize)]
pub(super) struct Report {
    file: String,
    pub(super) verdict: Verdict,
    findings: Vec<Finding>,
    /// How many findings there are: more than are listed, where there are very many.
    total: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// It keeps all rules.
    Valid,
    /// MLIR, of which the form is checked only.
    WellFormed,
    /// It breaks rules.
    Invalid,
    /// It holds no module, since its bytes or its text are broken.
    Malformed,
    /// It is something else.
    NotTileIr,
    Unreadable,
}

#[derive(Serialize)]
struct Finding {
    rule: &'static str,
    message: String,
    function: Option<String>,
    operation: Option<Operation>,
    #[serde(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Operation {
    /// Its position in the function, in pre-order.
    index: usize,
    name: Option<&'static str>,
}

/// Where a finding is: in a text, which may be that of the source program, or at a byte of the file.
#[derive(Default, Serialize)]
struct Place {
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    byte: Option<usize>,
}

impl Place {
    fn line(file: String, line: u32, column: u32) -> Place {
        Place { file: Some(file), line: Some(line), column: Some(column), byte: None }
    }
}

/// Names of what is wrong with files that give no module, beside those of [`ReadError`] and [`ParseError`].
const UNREADABLE: &str = "unreadable";
const NOT_TILE_IR: &str = "not-tile-ir";
const MALFORMED_MLIR: &str = "malformed-mlir";

/// Reads and judges a file.
pub(super) fn of(path: &Path) -> Report {
    let name = input::name(path);
    let file = match File::read(path) {
        Ok(file) => file,
        Err(error) => return Report::new(name, Verdict::Unreadable, vec![whole(UNREADABLE, error.root_cause().to_string())]),
    };
    if mlir::is_mlir(&file) {
        return match mlir::summary(&file) {
            Ok(_) => Report::new(name, Verdict::WellFormed, Vec::new()),
            Err(error) => {
                let finding = malformed_mlir(&name, error);
                Report::new(name, Verdict::Malformed, vec![finding])
            }
        };
    }
    match file.source().located_module(None).map(ir::try_verify) {
        Ok(Ok(_)) => Report::new(name, Verdict::Valid, Vec::new()),
        Ok(Err(rejected)) => {
            let findings = rejected.findings.iter().map(|finding| diagnostic(&rejected.module, finding)).collect();
            Report { total: rejected.total, ..Report::new(name, Verdict::Invalid, findings) }
        }
        Err(SourceError::Foreign(kind)) => Report::new(name, Verdict::NotTileIr, vec![whole(NOT_TILE_IR, kind.to_string())]),
        Err(SourceError::Bytecode(error)) => Report::new(name, Verdict::Malformed, vec![read_error(&error)]),
        Err(SourceError::Text { errors, .. }) => {
            let findings = errors.iter().map(|error| parse_error(&name, error)).collect();
            Report::new(name, Verdict::Malformed, findings)
        }
    }
}

/// The log of reports, with the rules that their findings name.
pub(super) fn sarif(reports: &[Report]) -> Value {
    let mut rules: Vec<sarif::Rule> = Vec::new();
    let mut found = Vec::new();
    for report in reports {
        for finding in &report.findings {
            if !rules.iter().any(|rule| rule.id == finding.rule) {
                rules.push(rule(finding.rule));
            }
            found.push(sarif_of(report, finding));
        }
    }
    sarif::log("validate", &rules, &found)
}

fn rule(id: &'static str) -> sarif::Rule {
    match ir::explain(id) {
        Some(rule) => {
            let (page, text) = (Some(ir::RULES_PAGE), Some(rule.text));
            sarif::Rule { id, title: rule.title, text, mend: None, chapter: rule.chapter, page }
        }
        None => sarif::Rule { id, title: "The file gives no module", text: None, mend: None, chapter: "Files", page: None },
    }
}

fn sarif_of(report: &Report, finding: &Finding) -> sarif::Found {
    let place = &finding.place;
    let file = place.file.clone().unwrap_or_else(|| report.file.clone());
    let region = match (place.line, place.byte) {
        (Some(line), _) => sarif::Region::Line(line, place.column.unwrap_or(0)),
        (None, Some(byte)) => sarif::Region::Byte(byte),
        (None, None) => sarif::Region::Whole,
    };
    sarif::Found {
        rule: finding.rule,
        message: finding.message.clone(),
        place: sarif::Place { function: finding.function.clone(), file: Some((file, region)) },
        related: Vec::new(),
        occurrences: 1,
        properties: json!({ "module": report.file, "operation": finding.operation }),
    }
}

impl Report {
    fn new(file: String, verdict: Verdict, findings: Vec<Finding>) -> Report {
        let total = findings.len();
        Report { file, verdict, findings, total }
    }
}

/// A finding about a file as a whole.
fn whole(rule: &'static str, message: String) -> Finding {
    Finding { rule, message, function: None, operation: None, place: Place::default() }
}

fn diagnostic(module: &Module, finding: &Diagnostic) -> Finding {
    let place = module.tables.locations.source(finding.loc);
    let place = place.map(|(file, line, column)| Place::line(module.tables.strings.text(file).into(), line, column));
    Finding {
        rule: finding.rule,
        message: finding.message.clone(),
        function: finding.function.clone(),
        operation: finding.op.map(|(index, name)| Operation { index, name: Some(name) }),
        place: place.unwrap_or_default(),
    }
}

fn read_error(error: &ReadError) -> Finding {
    Finding {
        rule: error.kind().id(),
        message: error.message().to_owned(),
        function: error.function().map(|(_, name)| name.to_owned()),
        operation: error.operation().map(|(index, name)| Operation { index, name }),
        place: Place { byte: Some(error.offset()), ..Place::default() },
    }
}

fn malformed_mlir(file: &str, error: Malformed) -> Finding {
    match error {
        Malformed::Bytecode(message) => whole(MALFORMED_MLIR, message),
        Malformed::Text(error) => Finding { rule: MALFORMED_MLIR, ..parse_error(file, &error) },
    }
}

fn parse_error(file: &str, error: &ParseError) -> Finding {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let place = Place::line(file.to_owned(), number(error.line), number(error.column));
    let message = std::iter::once(&error.message).chain(&error.notes).cloned().collect::<Vec<_>>().join("; ");
    Finding { rule: error.id, message, function: None, operation: None, place }
}
