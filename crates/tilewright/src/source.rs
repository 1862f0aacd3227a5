//! Files with a module: bytecode or text, whichever they are.

use crate::{
    bytecode::{self, FileKind, FileLayout, ReadError},
    ir::{Diagnostic, Module, RejectedModule, Version, printable},
    text::{
        self, ParseError, ParseOptions,
        parse::{parse_mapped, place_findings},
        report::{Look, Report},
    },
};
use std::fmt;

/// The bytes of a file that should hold a module, as bytecode or as text.
///
/// ```
/// use tilewright::{ir, source::Source};
/// let source = Source::new("k.mlir", b"entry @k(%x: tile<f32>) {\n  %y = addi %x, %x : tile<f32>\n}");
/// let rejected = ir::try_verify(source.module(None).unwrap()).unwrap_err();
/// assert!(source.describe(*rejected)[0].contains("--> k.mlir:2:8"));
///
/// let error = Source::new("k.cubin", b"PK\x03\x04").module(None).unwrap_err();
/// assert_eq!(error.to_string(), "this is a zip archive, such as a wheel or an .npz file: extract what it holds");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    name: &'a str,
    bytes: &'a [u8],
    kind: FileKind,
    look: Look,
}

/// Why a file gives no module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceError {
    /// It is neither bytecode nor text of Tile IR.
    Foreign(FileKind),
    /// It is bytecode that is broken.
    Bytecode(ReadError),
    /// It is text with errors.
    Text {
        /// The errors, in the order of the text; at least one.
        errors: Vec<ParseError>,
        /// Each as a report, in the look of the source, without a line break at the end.
        shown: Vec<String>,
    },
}

impl SourceError {
    /// What is wrong, in a line.
    pub fn summary(&self) -> String {
        match self {
            SourceError::Foreign(kind) => kind.to_string(),
            SourceError::Bytecode(error) => error.to_string(),
            SourceError::Text { errors, .. } => match errors.len() {
                1 => "text with an error".to_owned(),
                n if n >= text::parse::MAX_ERRORS => format!("text with errors, of which the first {n} are"),
                n => format!("text with {n} errors"),
            },
        }
    }

    /// The errors of a text, each as a report in the look of the source, without a line break at the end.
    pub fn reports(&self) -> &[String] {
        if let SourceError::Text { shown, .. } = self { shown } else { &[] }
    }
}

/// The summary, and below it the reports.
impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())?;
        self.reports().iter().try_for_each(|report| write!(f, "\n{report}"))
    }
}

impl std::error::Error for SourceError {}

impl<'a> Source<'a> {
    /// The bytes of a file, and what the file is called in messages and source locations.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
        Source { name, bytes, kind: FileKind::of(bytes), look: Look::plain() }
    }

    /// How errors and findings are shown. Default: without colours.
    pub fn look(self, look: Look) -> Source<'a> {
        Source { look, ..self }
    }

    /// What the file is called.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// What the file is.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Whether it is text; where it is neither text nor Tile IR, it is not.
    pub fn is_text(&self) -> bool {
        self.kind == FileKind::Text
    }

    /// The version of a bytecode file, if it is known. Text says none.
    pub fn version(&self) -> Option<Version> {
        let [major, minor, ..] = *self.bytes.strip_prefix(&bytecode::MAGIC)? else { return None };
        Version::from_numbers(major, minor)
    }

    /// The module. Text, which says no version, is read for `version`, or the latest.
    ///
    /// # Errors
    /// When the file holds none.
    pub fn module(&self, version: Option<Version>) -> Result<Module, SourceError> {
        self.parse(&options(version))
    }

    /// The module like [`Source::module`]. Operations in text that have no source location get their place in the text as one, so that
    /// errors of a launch name it.
    ///
    /// # Errors
    /// When the file holds none.
    pub fn located_module(&self, version: Option<Version>) -> Result<Module, SourceError> {
        self.parse(&options(version).locate(self.name))
    }

    /// The module, and what a bytecode file fixes beyond its meaning: see [`bytecode::read_with_layout`].
    ///
    /// # Errors
    /// When the file holds none.
    pub fn module_with_layout(&self, version: Option<Version>) -> Result<(Module, Option<FileLayout>), SourceError> {
        if self.kind != FileKind::Bytecode {
            return Ok((self.module(version)?, None));
        }
        let (module, layout) = bytecode::read_with_layout(self.bytes).map_err(SourceError::Bytecode)?;
        Ok((module, Some(layout)))
    }

    fn text(&self) -> Result<&'a str, SourceError> {
        text::decode(self.bytes).map_err(|error| self.text_error(vec![error]))
    }

    fn parse(&self, options: &ParseOptions<'_>) -> Result<Module, SourceError> {
        match self.kind {
            FileKind::Bytecode => bytecode::read(self.bytes).map_err(SourceError::Bytecode),
            FileKind::Text => text::parse(self.text()?, options).map_err(|errors| self.text_error(errors)),
            kind => Err(SourceError::Foreign(kind)),
        }
    }

    fn text_error(&self, errors: Vec<ParseError>) -> SourceError {
        let shown = errors.iter().map(|error| self.show(error)).collect();
        SourceError::Text { errors, shown }
    }

    /// What to tell people about the findings on the module of this file: of text, the lines that they are about; of bytecode, the
    /// place in the source program, if the module tells. Where not all findings are listed, the last line says how many are not.
    pub fn describe(&self, rejected: RejectedModule) -> Vec<String> {
        let RejectedModule { module, findings, total } = rejected;
        let text = if self.is_text() { self.text().ok() } else { None };
        let placed = text.map_or_else(Vec::new, |text| {
            // What stands where is looked for only now that it is needed.
            let mapped = parse_mapped(text, &options(Some(module.version)));
            place_findings(text, &mapped.module, &mapped.map, &findings)
        });
        let mut placed = placed.into_iter();
        let shown = |finding: &Diagnostic| match placed.next().flatten() {
            Some(error) => {
                let report = error.report(self.bytes, self.name);
                self.render(match place(&module, finding) {
                    Some((file, line, column)) if file != self.name => {
                        report.note(&format!("in the source program: {file}:{line}:{column}"))
                    }
                    _ => report,
                })
            }
            None => self.render(report_without_text(&module, finding)),
        };
        let more = total.saturating_sub(findings.len());
        let more = (more > 0).then(|| format!("and {more} more, which are not shown"));
        findings.iter().map(shown).chain(more).collect()
    }

    /// An error of the text of this file as a report, without a line break at the end.
    pub fn show(&self, error: &ParseError) -> String {
        self.render(error.report(self.bytes, self.name))
    }

    fn render(&self, report: Report<'_>) -> String {
        let mut shown = report.render(self.look);
        shown.truncate(shown.trim_end().len());
        shown
    }
}

/// A finding by its operation, and by its place in the source program, if the module tells.
fn report_without_text<'f>(module: &Module, finding: &'f Diagnostic) -> Report<'f> {
    let report = Report::new(finding.rule, &finding.message);
    let function = finding.function.as_ref().map(|name| format!("@{}", printable(name)));
    let site = match (&finding.op, function) {
        (Some((index, mnemonic)), Some(function)) => Some(format!("operation {index} ({mnemonic}) of {function}")),
        (Some((index, mnemonic)), None) => Some(format!("operation {index} ({mnemonic})")),
        (None, function) => function,
    };
    match (place(module, finding), site) {
        (Some((file, line, column)), Some(site)) => report.place(&file, Some(line), Some(column)).note(&site),
        (Some((file, line, column)), None) => report.place(&file, Some(line), Some(column)),
        (None, Some(site)) => report.place(&site, None, None),
        (None, None) => report,
    }
}

fn options(version: Option<Version>) -> ParseOptions<'static> {
    ParseOptions::new().version(version.unwrap_or(Version::LATEST))
}

/// The place of a finding in the source program.
fn place(module: &Module, finding: &Diagnostic) -> Option<(String, usize, usize)> {
    let (file, line, column) = module.tables.locations.source(finding.loc)?;
    Some((module.tables.strings.text(file).into_owned(), line as usize, column as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir;

    const TEXT: &str = "entry @k(%n: tile<i32>) {\n  %m = addi %n, %n : tile<i32>\n}\n";

    #[test]
    fn bytecode_and_text_give_the_same_module() {
        let text = Source::new("k.mlir", TEXT.as_bytes());
        assert!(text.is_text() && text.version().is_none());
        let module = ir::verify(text.module(Some(Version::V13_2)).unwrap()).unwrap();
        let bytes = bytecode::write(&module, &bytecode::WriteOptions::new(Version::V13_2)).unwrap();
        let bytecode = Source::new("k.tilebc", &bytes);
        assert_eq!((bytecode.kind(), bytecode.version()), (FileKind::Bytecode, Some(Version::V13_2)));
        let (again, layout) = bytecode.module_with_layout(None).unwrap();
        assert!(layout.is_some() && again.version == Version::V13_2);
        let print = |module: &Module| text::print(module, &text::PrintOptions::new());
        assert_eq!(print(&again), print(&module));
    }

    #[test]
    fn operations_of_text_know_their_line() {
        let module = Source::new("k.mlir", TEXT.as_bytes()).located_module(None).unwrap();
        let printed = text::print(&module, &text::PrintOptions::new().debug_info(true));
        assert!(printed.contains("loc(\"k.mlir\":2:8)"), "{printed}");
    }

    #[test]
    fn findings_that_are_not_listed_are_counted() {
        let lines: String = (0..ir::MAX_FINDINGS + 5).map(|i| format!("  %{i} = addi %n, %n : tile<f32>\n")).collect();
        let text = format!("entry @k(%n: tile<f32>) {{\n{lines}}}\n");
        let source = Source::new("k.mlir", text.as_bytes());
        let rejected = *ir::try_verify(source.module(None).unwrap()).unwrap_err();
        let (listed, total) = (rejected.findings.len(), rejected.total);
        assert!(listed == ir::MAX_FINDINGS && total >= listed + 5, "{listed} of {total}");
        let described = source.describe(rejected);
        assert_eq!(described.len(), listed + 1);
        assert_eq!(described[listed], format!("and {} more, which are not shown", total - listed));
    }

    #[test]
    fn errors_say_what_a_file_is_or_what_is_wrong_with_it() {
        let error = |bytes: &[u8]| Source::new("k\x1b", bytes).module(None).unwrap_err().to_string();
        assert_eq!(error(b""), "the file is empty");
        assert!(error(b"\x7fTileIR\0\x0e\x01").starts_with("at byte 0x8"), "{}", error(b"\x7fTileIR\0\x0e\x01"));
        let text = error(b"entry @k() {\n // \xff\n}");
        assert!(text.starts_with("text with an error\nerror[not-utf8]") && text.contains("--> k\\u{1b}:2:5"), "{text}");
        assert!(error(&b"entry x\n".repeat(1000)).starts_with("text with errors, of which the first 50 are\n"));
    }
}
