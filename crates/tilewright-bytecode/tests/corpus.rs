//! Every file of the corpus reads, and what was read is a valid module with sensible locations.
#![allow(clippy::print_stderr, reason = "a test tells what it counted")]

use std::{collections::BTreeMap, path::Path};
use tilewright_bytecode::{File, read};
use tilewright_fuzz::corpus;
use tilewright_ir::{LocData, Module, Tables, Version, verify};

/// The names of the files, and their content.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    corpus::files("tilebc").into_iter().map(|(path, bytes)| (name(&path), bytes)).collect()
}

#[test]
fn every_file_is_a_valid_module() {
    let files = corpus();
    let mut failures = Vec::new();
    let mut versions: BTreeMap<Version, usize> = BTreeMap::new();
    for (name, bytes) in &files {
        match read(bytes) {
            Err(error) => failures.push(format!("{name}: {error}")),
            Ok(module) => {
                *versions.entry(module.version).or_default() += 1;
                if let Err(findings) = verify(module) {
                    failures.push(format!("{name}: {}", findings[0]));
                }
            }
        }
    }
    eprintln!("{} corpus files read: {versions:?}", files.len());
    assert!(failures.is_empty(), "{} of {} files fail:\n{}", failures.len(), files.len(), failures.join("\n"));
    assert!(versions.len() == Version::ALL.len(), "some versions are missing: {versions:?}");
}

/// The operations of a module, one line each, with everything that a file says about them.
fn summary(module: &Module) -> String {
    let mut text = String::new();
    for function in &module.functions {
        function.body.walk(|op| {
            let operands: Vec<_> = op.operands().iter().map(|v| v.index()).collect();
            let types: Vec<_> = op.results().map(|r| module.tables.types.display(op.body().ty(r)).to_string()).collect();
            text += &format!("{} {operands:?} {types:?} {:?}\n", op.def().mnemonic, source(&module.tables, op.loc()));
        });
    }
    text
}

fn source(tables: &Tables, loc: Option<tilewright_ir::Loc>) -> Option<(String, u32, u32)> {
    tables.locations.source(loc).map(|(file, line, column)| (tables.strings.text(file).into_owned(), line, column))
}

#[test]
fn functions_read_alone_are_the_same() {
    for (name, bytes) in corpus().iter().filter(|(name, _)| !name.contains(".0.")) {
        let whole = read(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut file = File::parse(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(file.functions().len(), whole.functions.len());
        // Backwards, so that tables fill in another order.
        let mut functions: Vec<_> =
            (0..whole.functions.len()).rev().map(|i| file.read_function(i).unwrap_or_else(|e| panic!("{name}: {e}"))).collect();
        functions.reverse();
        let mut again = Module::new("kernels", file.version());
        again.tables = file.tables().clone();
        again.functions = functions;
        assert_eq!(summary(&again), summary(&whole), "{name}");
    }
}

/// Files number operations and values in the order of the text, which is what putting in order gives.
#[test]
fn bodies_are_in_order() {
    for (name, bytes) in corpus() {
        let mut module = read(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let before = summary(&module);
        for function in &mut module.functions {
            function.body = function.body.in_order();
        }
        assert_eq!(summary(&module), before, "{name}");
    }
}

#[test]
fn locations_are_lines_of_the_source() {
    let mut located = 0;
    let mut files = 0;
    for (name, bytes) in corpus() {
        let module = read(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        for function in &module.functions {
            let Some((path, line, _)) = source(&module.tables, function.loc) else { continue };
            files += 1;
            assert!(path.ends_with(".py"), "{name}: {path}");
            let Some(LocData::Source { scope: Some(scope), .. }) = function.loc.map(|l| *module.tables.locations.get(l)) else {
                panic!("{name}: the location of a function has no scope");
            };
            let LocData::Subprogram { linkage_name, .. } = *module.tables.locations.get(scope) else {
                panic!("{name}: the scope of a function is no subprogram");
            };
            assert_eq!(linkage_name, function.name, "{name}");
            function.body.walk(|op| {
                let Some((op_path, op_line, _)) = source(&module.tables, op.loc()) else { return };
                located += 1;
                assert!(op_path.ends_with(".py"), "{name}: {op_path}:{op_line}");
                assert!(op_line > 0 && line > 0, "{name}: line {op_line} in a function at line {line}");
            });
        }
    }
    eprintln!("{located} operations of {files} functions have locations");
    assert!(located > 1000, "only {located} operations have locations");
}
