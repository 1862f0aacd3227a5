//! What the writer makes of modules.
#![allow(clippy::print_stderr, reason = "tests tell what they counted")]

mod fresh;
mod layouts;
mod oracle;
mod refusals;
#[path = "../support/mod.rs"]
mod support;
mod verify_and_write;
mod versions;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use tilewright_bytecode::{Style, WriteOptions, read, write};
use tilewright_fuzz::{corpus, seeded};
use tilewright_ir::{Module, VerifiedModule, Version, verify};
use tilewright_text::PrintOptions;

/// A file of the corpus.
struct Sample {
    name: String,
    bytes: Vec<u8>,
    /// Whether every checkout has it.
    is_bundled: bool,
}

/// Every file of the corpus.
fn samples() -> Vec<Sample> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bundled: BTreeSet<String> = corpus::paths_below(&corpus::selection(), "tilebc").iter().map(|path| name(path)).collect();
    let sample = |(path, bytes): (PathBuf, Vec<u8>)| {
        let name = name(&path);
        Sample { is_bundled: bundled.contains(&name), name, bytes }
    };
    corpus::files("tilebc").into_iter().map(sample).collect()
}

/// Modules that are generated from the op table, each at its own version and at all newer ones, in one of the styles.
fn generated() -> Vec<Sample> {
    let mut samples = Vec::new();
    for seed in 0..GENERATED {
        let module = seeded(seed, GENERATED_LEN);
        let style = if seed % 2 == 0 { Style::Cutile } else { Style::Cpp };
        for version in Version::ALL.into_iter().filter(|version| *version >= module.version) {
            let name = format!("generated_{seed}.{version}.tilebc");
            let bytes = write(&module, &WriteOptions::new(version).style(style)).unwrap_or_else(|error| panic!("{name}: {error}"));
            samples.push(Sample { name, bytes, is_bundled: false });
        }
    }
    samples
}

/// How many modules are generated, and from how many bytes at most: some dozens of operations each.
const GENERATED: u64 = 60;
const GENERATED_LEN: usize = 600;

/// About so many of the samples, or all if they are fewer.
fn spread(samples: &[Sample], count: usize) -> impl Iterator<Item = &Sample> {
    samples.iter().step_by(samples.len().div_ceil(count))
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
