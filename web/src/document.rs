//! The module that the page shows: a text, what is known of it, and its bytes.

use crate::{suggest, utf16::Units};
use serde::Serialize;
use std::collections::HashMap;
use tilewright::{
    bytecode::{self, FileKind},
    check,
    exec::Program,
    ir::{self, Body, Function, Module, Value, VerifiedModule, Version},
    source::Source,
    text::{self, OpPrinter, PrintOptions},
};
use tilewright_lsp::{Analysis, Problem};

/// A module as it was opened.
pub(crate) struct Document {
    /// Of the text that is shown; what is not Tile IR has none.
    analysis: Option<Analysis>,
    /// The module, if it is valid. Of bytecode, operations know their place in the source program, of text that in the text.
    module: Option<VerifiedModule>,
    /// The bytecode, if there is any.
    bytes: Vec<u8>,
    is_text: bool,
}

/// What the page is told when it opens a module.
#[derive(Default, Serialize)]
pub(crate) struct Opened {
    /// Whether it was bytecode; then this is its text.
    is_bytecode: bool,
    text: String,
    /// The version of bytecode.
    version: String,
    problems: Vec<ShownProblem>,
    functions: Vec<ShownFunction>,
    operations: Vec<ShownOperation>,
    /// What is known of values, by the unit behind the line that defines them.
    facts: Vec<(usize, String)>,
    /// How many bytes there are.
    bytes: usize,
}

/// Something wrong.
#[derive(Serialize)]
struct ShownProblem {
    id: String,
    message: String,
    /// Where in the text.
    span: Option<[usize; 2]>,
    /// Where in the bytes.
    byte: Option<usize>,
    /// Other places in the text that have to do with it, and what they are.
    related: Vec<([usize; 2], String)>,
    /// Where the rule or error is explained.
    help: Option<String>,
}

#[derive(Serialize)]
struct ShownFunction {
    name: String,
    is_entry: bool,
    /// The parameters of an entry that can be run, and arguments to begin with.
    parameters: Vec<String>,
    suggested: Vec<String>,
    /// Why it cannot be run.
    refused: Option<String>,
}

/// An operation; its function and its number there, in the order of the text, are its name in all that the page is told.
#[derive(Serialize)]
struct ShownOperation {
    function: usize,
    number: usize,
    mnemonic: &'static str,
    /// Its name in the text, and all of it.
    name: Option<[usize; 2]>,
    whole: Option<[usize; 2]>,
    /// File, line and column of the source program.
    source: Option<(String, u32, u32)>,
}

impl Document {
    /// Opens a file.
    pub(crate) fn open(name: &str, bytes: &[u8]) -> (Document, Opened) {
        match FileKind::of(bytes) {
            FileKind::Bytecode | FileKind::CutOff => Document::bytecode(bytes),
            FileKind::Text => match text::decode(bytes) {
                Ok(text) => Document::text(name, text),
                Err(error) => {
                    let span = Some([error.span.start, error.span.end]);
                    Document::without_module(ShownProblem { span, ..problem(error.id, &error.message) })
                }
            },
            kind => Document::without_module(problem("not-tile-ir", &kind.to_string())),
        }
    }

    fn without_module(problem: ShownProblem) -> (Document, Opened) {
        let document = Document { analysis: None, module: None, bytes: Vec::new(), is_text: false };
        (document, Opened { problems: vec![problem], ..Opened::default() })
    }

    fn text(name: &str, text: &str) -> (Document, Opened) {
        let analysis = Analysis::of(text);
        let units = Units::of(text);
        let problems = analysis.problems().iter().map(|found| of_text(found, &units)).collect();
        let module = analysis.verified().cloned();
        // Bytecode has no places in the text.
        let plain = module.as_ref().and_then(|_| ir::verify(Source::new(name, text.as_bytes()).module(None).ok()?).ok());
        let options = bytecode::WriteOptions::new(Version::LATEST);
        let bytes = plain.and_then(|module| bytecode::write(&module, &options).ok()).unwrap_or_default();
        let document = Document { analysis: Some(analysis), module, bytes, is_text: true };
        let opened = Opened { version: Version::LATEST.to_string(), problems, text: text.to_owned(), ..Opened::default() };
        let opened = document.describe(opened, &units);
        (document, opened)
    }

    fn bytecode(bytes: &[u8]) -> (Document, Opened) {
        let module = match bytecode::read(bytes) {
            Ok(module) => module,
            Err(error) => {
                let (byte, message) = (Some(error.offset()), error.to_string());
                let (document, opened) = Document::without_module(ShownProblem { byte, ..problem(error.kind().id(), &message) });
                return (Document { bytes: bytes.to_vec(), ..document }, Opened { is_bytecode: true, bytes: bytes.len(), ..opened });
            }
        };
        let text = text::print(&module, &PrintOptions::new());
        let (analysis, units) = (Analysis::of(&text), Units::of(&text));
        let version = module.version.to_string();
        let (module, problems) = match ir::try_verify(module) {
            Ok(module) => (Some(module), Vec::new()),
            Err(rejected) => (None, rejected.findings.iter().map(|finding| of_bytecode(finding, &analysis, &units)).collect()),
        };
        let document = Document { analysis: Some(analysis), module, bytes: bytes.to_vec(), is_text: false };
        let opened = Opened { is_bytecode: true, version, problems, text, ..Opened::default() };
        let opened = document.describe(opened, &units);
        (document, opened)
    }

    /// Tells of the functions and operations of a module.
    fn describe(&self, opened: Opened, units: &Units) -> Opened {
        let Some(analysis) = &self.analysis else { return opened };
        let facts = analysis.line_facts().map(|(at, facts)| (units.at(at), facts)).collect();
        let functions = match &self.module {
            Some(module) => functions(module),
            None => Vec::new(),
        };
        let module = self.module.as_deref().unwrap_or(analysis.module());
        let count = module.functions.len().min(analysis.module().functions.len());
        let operations = (0..count).flat_map(|function| self.operations(function, module, analysis, units)).collect();
        Opened { facts, functions, operations, bytes: self.bytes.len(), ..opened }
    }

    fn operations(&self, function: usize, module: &Module, analysis: &Analysis, units: &Units) -> Vec<ShownOperation> {
        let placed = analysis.operations(function);
        let shown = |(number, op): (usize, ir::OpRef<'_>)| {
            let place = placed.get(number).and_then(|(_, operation)| *operation);
            let source = module.tables.locations.source(op.loc()).filter(|_| !self.is_text);
            ShownOperation {
                function,
                number,
                mnemonic: op.opcode().mnemonic(),
                name: place.map(|place| units.span(&place.span)),
                whole: place.map(|place| units.span(&place.whole)),
                source: source.map(|(file, line, column)| (module.tables.strings.text(file).into_owned(), line, column)),
            }
        };
        module.functions[function].body.preorder().enumerate().map(shown).collect()
    }

    /// What every byte means: see [`tilewright::dump_json`].
    pub(crate) fn dump(&self) -> String {
        if self.bytes.is_empty() { "null".to_owned() } else { tilewright::dump_json(&self.bytes) }
    }

    /// What is known of the name or operation at a unit of the text, as Markdown, and where that stands.
    pub(crate) fn hover(&self, unit: usize) -> Option<(String, [usize; 2])> {
        let analysis = self.analysis.as_ref()?;
        let (markdown, span) = analysis.hover(Units::byte(analysis.text(), unit))?;
        Some((markdown, Units::of(analysis.text()).span(&span)))
    }

    /// The module.
    ///
    /// # Errors
    /// When it is not valid, or there is none.
    pub(crate) fn module(&self) -> Result<&VerifiedModule, String> {
        self.module.as_ref().ok_or_else(|| "there is no valid module: mend what is wrong with it first".to_owned())
    }

    /// The names of the values of a function, as they stand in the text.
    pub(crate) fn names(&self, function: usize) -> Names<'_> {
        let module = self.module.as_deref().filter(|_| !self.is_text);
        let printer = module.and_then(|module| Some(OpPrinter::new(module, module.functions.get(function)?)));
        Names { printer, written: self.written_names(function) }
    }

    fn written_names(&self, function: usize) -> HashMap<Value, String> {
        let Some(analysis) = self.analysis.as_ref().filter(|_| self.is_text) else { return HashMap::new() };
        let mut names = HashMap::new();
        for definition in &analysis.map().definitions {
            let Some(values) = definition.values.filter(|values| values.function == function) else { continue };
            let name = &analysis.text()[definition.span.clone()];
            for position in 0..values.count {
                let numbered = if values.count > 1 { format!("{name}#{position}") } else { name.to_owned() };
                names.insert(Value::new(values.first.index() + position as usize), numbered);
            }
        }
        names
    }
}

/// The names of values in the text of a function.
pub(crate) struct Names<'d> {
    /// Of a text that was printed.
    printer: Option<OpPrinter<'d>>,
    /// Of a text that somebody has written.
    written: HashMap<Value, String>,
}

impl Names<'_> {
    pub(crate) fn of(&self, value: Value) -> String {
        let written = self.written.get(&value).cloned();
        written.or_else(|| Some(self.printer.as_ref()?.value(value))).unwrap_or_default()
    }
}

fn problem(id: &str, message: &str) -> ShownProblem {
    ShownProblem { id: id.to_owned(), message: message.to_owned(), span: None, byte: None, related: Vec::new(), help: help(id) }
}

/// Where a rule is explained.
pub(crate) fn help(id: &str) -> Option<String> {
    let rule = ir::explain(id).map(ir::Rule::help_uri).or_else(|| check::explain(id).map(check::Rule::help_uri));
    let is_error = text::parse::explain_error(id).is_some() || bytecode::ReadErrorKind::from_id(id).is_some();
    rule.or_else(|| is_error.then(|| format!("{}/blob/main/docs/errors.md#{id}", env!("CARGO_PKG_REPOSITORY"))))
}

fn of_text(found: &Problem, units: &Units) -> ShownProblem {
    let related = found.related.iter().map(|(span, message)| (units.span(span), message.clone())).collect();
    ShownProblem { span: Some(units.span(&found.span)), related, ..problem(found.id, &found.message) }
}

/// A finding about a module that was bytecode, at the place of its operation in the text that was made of it.
fn of_bytecode(finding: &ir::Diagnostic, analysis: &Analysis, units: &Units) -> ShownProblem {
    let operation =
        finding.function_index.zip(finding.op).and_then(|(function, (number, _))| analysis.operations(function).get(number)?.1.cloned());
    let span = operation.map(|operation| units.span(&operation.span));
    ShownProblem { span, ..problem(finding.rule, &finding.message) }
}

fn functions(module: &VerifiedModule) -> Vec<ShownFunction> {
    // The parameters of an entry are those of its plan.
    let program = Program::without_passes(module.clone());
    let shown = |function: &Function| {
        let name = module.tables.strings.text(function.name).into_owned();
        let nothing =
            ShownFunction { is_entry: function.is_entry, parameters: vec![], suggested: vec![], refused: None, name: name.clone() };
        if !function.is_entry {
            return nothing;
        }
        match program.plan(&name) {
            Ok(plan) => ShownFunction {
                parameters: plan.params().iter().map(ToString::to_string).collect(),
                suggested: suggest::arguments(plan.params()),
                ..nothing
            },
            Err(error) => ShownFunction { refused: Some(error.to_string()), ..nothing },
        }
    };
    module.functions.iter().map(shown).collect()
}

/// For each operation of a body, by its index, its number in the order of the text.
pub(crate) fn numbers(body: &Body) -> Vec<usize> {
    let mut numbers = Vec::new();
    for (number, op) in body.preorder().enumerate() {
        let index = op.id().index();
        numbers.resize(numbers.len().max(index + 1), 0);
        numbers[index] = number;
    }
    numbers
}
