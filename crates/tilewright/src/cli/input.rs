//! Reading modules, from bytecode or text.

use super::exit::Finding;
use anyhow::Context as _;
use std::{
    fs,
    io::{self, Read},
    path::{Display, Path},
};
use tilewright::{
    bytecode,
    ir::{self, Diagnostic, Version},
    text::{self, ParseOptions},
};

/// The name of an input, for messages.
pub(super) fn name(path: &Path) -> Display<'_> {
    if path == Path::new("-") { Path::new("stdin") } else { path }.display()
}

/// The bytes of a file, or of stdin for `-`.
pub(super) fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
        return Ok(bytes);
    }
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// What bytes seem to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source<'a> {
    /// Bytecode, or nothing known: the reader of bytecode says what is wrong with it.
    Bytecode,
    /// Text.
    Text(&'a str),
}

impl Source<'_> {
    /// Text is UTF-8 without control characters other than white space, and not empty.
    pub(super) fn of(bytes: &[u8]) -> Source<'_> {
        if bytes.is_empty() || bytes.starts_with(&bytecode::MAGIC) || has_control(bytes) {
            return Source::Bytecode;
        }
        std::str::from_utf8(bytes).map_or(Source::Bytecode, Source::Text)
    }
}

/// Whether there are ASCII control characters other than white space.
fn has_control(bytes: &[u8]) -> bool {
    /// Within so many bytes the loop does not stop, so that it takes many bytes at once.
    const BLOCK: usize = 4096;
    let is_control = |byte: u8| byte.is_ascii_control() && !(b'\t'..=b'\r').contains(&byte);
    bytes.chunks(BLOCK).any(|block| block.iter().fold(false, |found, &byte| found | is_control(byte)))
}

/// The module that bytes hold. Text is parsed for `version`, or the latest.
pub(super) fn decode(path: &Path, bytes: &[u8], version: Option<Version>) -> Result<ir::Module, Finding> {
    decode_source(path, bytes, Source::of(bytes), version)
}

/// The module that bytes hold, of which it is known what they seem to be.
pub(super) fn decode_source(path: &Path, bytes: &[u8], source: Source<'_>, version: Option<Version>) -> Result<ir::Module, Finding> {
    match source {
        Source::Bytecode => bytecode::read(bytes).map_err(|error| Finding(format!("{}: {error}", name(path)))),
        Source::Text(text) => parsed(path, text, &ParseOptions::new().version(version.unwrap_or(Version::LATEST))),
    }
}

fn parsed(path: &Path, text: &str, options: &ParseOptions<'_>) -> Result<ir::Module, Finding> {
    text::parse(text, options).map_err(|errors| Finding(parse_errors(path, text, &errors)))
}

fn parse_errors(path: &Path, source: &str, errors: &[text::ParseError]) -> String {
    let file = name(path).to_string();
    let rendered: String = errors.iter().map(|error| format!("\n{}", error.render(source, &file))).collect();
    let plural = if errors.len() == 1 { "an error" } else { "errors" };
    format!("{file} is text with {plural}{}", rendered.trim_end())
}

/// The module in a file.
pub(super) fn read_module(path: &Path) -> anyhow::Result<ir::Module> {
    Ok(decode(path, &read_bytes(path)?, None)?)
}

/// The module in a file, verified. Operations in text get their place there as their location.
pub(super) fn read_verified(path: &Path) -> anyhow::Result<ir::VerifiedModule> {
    let bytes = read_bytes(path)?;
    let source = Source::of(&bytes);
    let module = match source {
        Source::Bytecode => decode_source(path, &bytes, source, None)?,
        Source::Text(text) => parsed(path, text, &ParseOptions::new().locate(&name(path).to_string()))?,
    };
    verified(path, source, module)
}

/// A module that came from a file, verified.
pub(super) fn verified(path: &Path, source: Source<'_>, module: ir::Module) -> anyhow::Result<ir::VerifiedModule> {
    Ok(ir::try_verify(module).map_err(|rejected| invalid(path, source, *rejected))?)
}

/// That the module in a file is not valid, and why.
pub(super) fn invalid(path: &Path, source: Source<'_>, rejected: ir::RejectedModule) -> Finding {
    let findings: String = told(path, source, rejected).iter().map(|finding| format!("\n{finding}")).collect();
    Finding(format!("{} is not a valid module{findings}", name(path)))
}

/// What to tell of the findings about a module that came from a file: of text, the lines that they are about.
pub(super) fn told(path: &Path, source: Source<'_>, rejected: ir::RejectedModule) -> Vec<String> {
    let file = name(path).to_string();
    let Source::Text(text) = source else { return rejected.findings.iter().map(|finding| listed(&rejected.module, finding)).collect() };
    // Places are looked for only now that they are needed.
    let options = ParseOptions::new().version(rejected.module.version).locate(&file);
    let located = text::parse(text, &options).ok().and_then(|module| ir::try_verify(module).err().map(|again| *again));
    let ir::RejectedModule { module, findings } = located.unwrap_or(rejected);
    let shown = text::render_findings(&module, &findings, text, &file);
    let told = |(shown, finding): (Option<String>, &Diagnostic)| {
        shown.map_or_else(|| listed(&module, finding), |shown| shown.trim_end().to_owned())
    };
    shown.into_iter().zip(&findings).map(told).collect()
}

/// A finding in a list, with its place in the source program, if the module tells.
fn listed(module: &ir::Module, finding: &Diagnostic) -> String {
    let source = module.tables.locations.source(finding.loc);
    let place = source.map(|(file, line, column)| format!("\n    at {}:{line}:{column}", module.tables.strings.text(file)));
    format!("  {finding}{}", place.unwrap_or_default())
}
