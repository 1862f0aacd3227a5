//! Reading files.

use super::{exit::Finding, output::Style};
use anyhow::Context as _;
use std::{
    fs,
    io::{self, Read},
    path::Path,
};
use tilewright::{
    ir::{self, RejectedModule, VerifiedModule, printable},
    source::{Source, SourceError},
};

/// A file to read, or stdin for `-`.
pub(super) struct File {
    name: String,
    bytes: Vec<u8>,
}

impl File {
    pub(super) fn read(path: &Path) -> anyhow::Result<File> {
        Ok(File { name: name(path), bytes: read_bytes(path)? })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What it holds; errors are shown on stderr.
    pub(super) fn source(&self) -> Source<'_> {
        Source::new(&self.name, &self.bytes).look(Style::stderr().look())
    }

    /// A finding about the file.
    pub(super) fn finding(&self, what: impl std::fmt::Display) -> Finding {
        Finding::new(format!("{}: {what}", self.name))
    }

    /// That the file holds no module, and why.
    pub(super) fn without_module(&self, error: &SourceError) -> Finding {
        self.finding(error.summary()).reports(error.reports().to_vec())
    }

    /// That the module of the file is not valid, and why.
    pub(super) fn invalid(&self, rejected: RejectedModule) -> Finding {
        Finding::new(format!("{} is not a valid module", self.name)).reports(self.source().describe(rejected))
    }

    /// The module, verified. Operations in text get their place there as their location.
    pub(super) fn verified(&self) -> anyhow::Result<VerifiedModule> {
        let module = self.source().located_module(None).map_err(|error| self.without_module(&error))?;
        Ok(ir::try_verify(module).map_err(|rejected| self.invalid(*rejected))?)
    }
}

/// The name of an input, for messages.
pub(super) fn name(path: &Path) -> String {
    if path == Path::new("-") { "stdin".to_owned() } else { shown(path) }
}

/// A path, for messages.
pub(super) fn shown(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes()).to_string()
}

/// The bytes of a file, or of stdin for `-`.
fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
        return Ok(bytes);
    }
    fs::read(path).with_context(|| format!("cannot read {}", shown(path)))
}
