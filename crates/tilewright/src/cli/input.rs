//! Reading files.

use super::exit::Finding;
use anyhow::Context as _;
use std::{
    fs,
    io::{self, Read},
    path::Path,
};
use tilewright::{
    ir::{self, RejectedModule, VerifiedModule, printable},
    source::Source,
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

    /// What it holds.
    pub(super) fn source(&self) -> Source<'_> {
        Source::new(&self.name, &self.bytes)
    }

    /// A finding about the file.
    pub(super) fn finding(&self, what: impl std::fmt::Display) -> Finding {
        Finding(format!("{}: {what}", self.name))
    }

    /// That the module of the file is not valid, and why.
    pub(super) fn invalid(&self, rejected: RejectedModule) -> Finding {
        let findings: String = self.source().describe(rejected).iter().map(|finding| format!("\n{finding}")).collect();
        Finding(format!("{} is not a valid module{findings}", self.name))
    }

    /// The module, verified. Operations in text get their place there as their location.
    pub(super) fn verified(&self) -> anyhow::Result<VerifiedModule> {
        let module = self.source().located_module(None).map_err(|error| self.finding(error))?;
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
