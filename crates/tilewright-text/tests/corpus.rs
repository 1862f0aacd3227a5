//! The text of every module of the corpus, against what the official disassembler prints.

#![expect(clippy::print_stderr, reason = "a comparison says how much it compared")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tilewright_fuzz::corpus;
use tilewright_text::{PrintOptions, print, write};

/// Differences shown in full.
const SHOWN: usize = 12;

/// Bytecode files with the text beside them: `modules/X.tilebc` with `X.mlir`, and the newest version of each case.
fn pairs(corpus: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut pairs = Vec::new();
    for entry in std::fs::read_dir(corpus.join("modules")).into_iter().flatten().flatten() {
        let text = entry.path();
        if text.extension().is_some_and(|e| e == "mlir") {
            pairs.push((text.with_extension("tilebc"), text));
        }
    }
    for case in std::fs::read_dir(corpus.join("cases")).into_iter().flatten().flatten() {
        let files = std::fs::read_dir(case.path()).into_iter().flatten().flatten().map(|e| e.path());
        let newest = files.filter(|path| path.extension().is_some_and(|e| e == "tilebc")).max();
        let text = case.path().join(case.file_name()).with_extension("mlir");
        if let Some(newest) = newest.filter(|_| text.is_file()) {
            pairs.push((newest, text));
        }
    }
    pairs.sort();
    pairs
}

/// What differs first, or nothing.
fn difference(found: &str, expected: &str) -> Option<String> {
    if found == expected {
        return None;
    }
    let (mut found, mut expected) = (found.split('\n'), expected.split('\n'));
    for line in 1.. {
        match (found.next(), expected.next()) {
            (None, None) => break,
            (a, b) if a != b => {
                return Some(format!("  line {line}\n    found    {}\n    expected {}", a.unwrap_or("<end>"), b.unwrap_or("<end>")));
            }
            _ => {}
        }
    }
    Some("  the line breaks at the end".to_owned())
}

fn check(bytecode: &Path, text: &Path) -> Result<(), String> {
    let bytes = std::fs::read(bytecode).map_err(|e| format!("  cannot be read: {e}"))?;
    let expected = std::fs::read_to_string(text).map_err(|e| format!("  {}: {e}", text.display()))?;
    let module = tilewright_bytecode::read(&bytes).map_err(|e| format!("  does not decode: {e}"))?;
    let found = print(&module, &PrintOptions::new());
    if let Some(difference) = difference(&found, &expected) {
        return Err(difference);
    }
    let mut streamed = String::new();
    write(&module, &PrintOptions::new(), &mut streamed).map_err(|e| format!("  streaming: {e}"))?;
    if streamed != found || print(&module, &PrintOptions::new()) != found {
        return Err("  printing again gives another text".to_owned());
    }
    // The other forms have no text to compare with; they must at least not panic, and repeat themselves.
    for form in 1..8 {
        let options = PrintOptions::new().module(form & 1 != 0).generic(form & 2 != 0).debug_info(form & 4 != 0);
        let once = print(&module, &options);
        if once != print(&module, &options) || once.contains("<<invalid>>") {
            return Err(format!("  {options:?} is not stable or incomplete"));
        }
    }
    Ok(())
}

#[test]
fn every_module_prints_as_the_disassembler_prints_it() {
    let pairs = pairs(&corpus::folder());
    let mut failures = String::new();
    let mut failed = 0;
    for (bytecode, text) in &pairs {
        let Err(why) = check(bytecode, text) else { continue };
        failed += 1;
        if failed <= SHOWN {
            writeln!(failures, "{}:\n{why}", bytecode.display()).unwrap();
        }
    }
    eprintln!("{} of {} modules equal", pairs.len() - failed, pairs.len());
    assert!(pairs.len() >= 90, "only {} pairs of bytecode and text", pairs.len());
    assert_eq!(failed, 0, "{failed} of {} differ; the first:\n{failures}", pairs.len());
}
