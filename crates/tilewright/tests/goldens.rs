//! Every module of `tests/corpus` is valid, and prints as NVIDIA's `tileirdisasm` prints it.

use std::{
    fs,
    path::{Path, PathBuf},
};
use tilewright::{bytecode, ir, text};

/// The files with this extension below a folder.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

fn read(path: &Path) -> ir::Module {
    bytecode::read(&fs::read(path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text that belongs to a bytecode file; a case has one, for its newest version.
fn golden(bytecode: &Path) -> Option<PathBuf> {
    let own = bytecode.with_extension("mlir");
    if own.is_file() {
        return Some(own);
    }
    let newest = files(bytecode.parent()?, "tilebc").pop()?;
    let text = files(bytecode.parent()?, "mlir").pop()?;
    (newest == bytecode).then_some(text)
}

#[test]
fn modules_print_as_the_reference_prints_them() {
    let mut compared = 0;
    for path in files(&corpus(), "tilebc") {
        let Some(golden) = golden(&path) else { continue };
        let expected = fs::read_to_string(&golden).unwrap();
        let found = text::print(&read(&path), &text::PrintOptions::new());
        compared += 1;
        let line = expected.lines().zip(found.lines()).find(|(a, b)| a != b);
        assert!(expected == found, "{} differs from {}: {line:?}", path.display(), golden.display());
    }
    assert!(compared >= 90, "only {compared} modules were compared");
}

#[test]
fn modules_are_valid() {
    for path in files(&corpus(), "tilebc") {
        if let Err(findings) = ir::verify(read(&path)) {
            let findings: Vec<String> = findings.iter().map(ir::Diagnostic::to_string).collect();
            panic!("{} is invalid: {}", path.display(), findings.join("; "));
        }
    }
}
