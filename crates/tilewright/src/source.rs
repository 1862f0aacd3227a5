//! Files with a module: bytecode or text, whichever they are.

use crate::{
    bytecode::{self, FileKind, FileLayout, ReadError},
    ir::{self, Diagnostic, Module, RejectedModule, Version, printable},
    text::{self, ParseError, ParseOptions},
};
use std::{borrow::Cow, fmt};

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
        /// Each with its line and carets, without a line break at the end.
        shown: Vec<String>,
    },
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Foreign(kind) => write!(f, "{kind}"),
            SourceError::Bytecode(error) => write!(f, "{error}"),
            SourceError::Text { errors, shown } => {
                match errors.len() {
                    1 => f.write_str("text with an error")?,
                    n if n >= text::parse::MAX_ERRORS => write!(f, "text with errors, of which the first {n} are")?,
                    n => write!(f, "text with {n} errors")?,
                }
                shown.iter().try_for_each(|error| write!(f, "\n{error}"))
            }
        }
    }
}

impl std::error::Error for SourceError {}

impl<'a> Source<'a> {
    /// The bytes of a file, and what the file is called in messages and source locations.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
        Source { name, bytes, kind: FileKind::of(bytes) }
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
        let shown = errors.iter().map(|error| error.render(self.bytes, self.name).trim_end().to_owned()).collect();
        SourceError::Text { errors, shown }
    }

    /// What to tell people about the findings on the module of this file: of text, the lines that they are about; of bytecode, the
    /// place in the source program, if the module tells. Where not all findings are listed, the last line says how many are not.
    pub fn describe(&self, rejected: RejectedModule) -> Vec<String> {
        // Places are looked for only now that they are needed.
        let located = if self.is_text() { self.located_module(Some(rejected.module.version)).ok() } else { None };
        let located = located.and_then(|module| ir::try_verify(module).err());
        let RejectedModule { module, findings, total } = located.map_or(rejected, |again| *again);
        let text = if self.is_text() { self.text().ok() } else { None };
        let lines = text.map_or_else(Vec::new, |text| text::render_findings(&module, &findings, text, self.name));
        let mut lines = lines.into_iter().map(|shown| shown.map(|shown| shown.trim_end().to_owned()));
        let shown = |finding: &Diagnostic| {
            let line = lines.next().flatten();
            line.unwrap_or_else(|| format!("  {finding}{}", place(&module, finding)))
        };
        let more = total.saturating_sub(findings.len());
        let more = (more > 0).then(|| format!("  and {more} more, which are not shown"));
        findings.iter().map(shown).chain(more).collect()
    }
}

fn options(version: Option<Version>) -> ParseOptions<'static> {
    ParseOptions::new().version(version.unwrap_or(Version::LATEST))
}

/// The place of a finding in the source program, on a line of its own.
fn place(module: &Module, finding: &Diagnostic) -> Cow<'static, str> {
    let place = module.tables.locations.source(finding.loc);
    let text = place.map(|(file, line, column)| format!("\n    at {}:{line}:{column}", printable(module.tables.strings.bytes(file))));
    text.map_or(Cow::Borrowed(""), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(described[listed], format!("  and {} more, which are not shown", total - listed));
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
