//! What the writer makes of modules.
#![allow(clippy::print_stderr, reason = "tests say what they counted and skipped")]

mod fresh;
mod layouts;
mod oracle;
mod refusals;
#[path = "../support/mod.rs"]
mod support;
mod verify_and_write;
mod versions;

use std::{
    fs,
    path::{Path, PathBuf},
};
use tilewright_bytecode::{WriteOptions, read, write};
use tilewright_ir::{Module, VerifiedModule, Version, verify};
use tilewright_text::PrintOptions;

/// A file of the corpus.
struct Sample {
    name: String,
    bytes: Vec<u8>,
    /// Whether every checkout has it.
    is_bundled: bool,
}

/// Every file of the corpus; none where it is not here.
fn samples() -> Vec<Sample> {
    let files = support::corpus();
    if files.is_empty() {
        eprintln!("SKIPPED: 0 corpus files found");
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let sample = |path: &PathBuf| Sample {
        name: name(path),
        bytes: fs::read(path).expect("a corpus file opens"),
        is_bundled: !path.to_string_lossy().contains("shared"),
    };
    files.iter().map(sample).collect()
}

fn valid(module: Module) -> VerifiedModule {
    verify(module).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

impl Sample {
    fn module(&self) -> VerifiedModule {
        valid(read(&self.bytes).unwrap_or_else(|e| panic!("{}: {e}", self.name)))
    }

    /// The name without version, and the version.
    fn family(&self) -> (&str, Version) {
        let stem = self.name.strip_suffix(".tilebc").expect("a file of the corpus");
        let dot = stem.len() - "13.x".len();
        (&stem[..dot - 1], stem[dot..].parse().expect("a file names its version"))
    }
}

/// Everything that a module says.
fn text(module: &Module) -> String {
    tilewright_text::print(module, &PrintOptions::new().generic(true).debug_info(true))
}

/// A module written at a version, and what it says then.
fn written(module: &VerifiedModule, version: Version) -> String {
    let bytes = write(module, &WriteOptions::new(version)).unwrap_or_else(|e| panic!("{e}"));
    text(&read(&bytes).unwrap_or_else(|e| panic!("{e}")))
}
