//! Printing, parsing and printing again: every form of every module.

#![expect(clippy::print_stderr, reason = "a comparison says how much it compared")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tilewright_fuzz::corpus;
use tilewright_ir::{AttrValue, Module, Opcode};
use tilewright_text::{ParseOptions, PrintOptions, parse, print};

/// Differences shown in full.
const SHOWN: usize = 8;

/// Modules whose text does not hold what it takes to read them back, and why.
const LOSSY: [(&str, &str); 1] = [("globals", "the disassembler prints the line break in the producer as it is, outside the comment")];

/// The folders that hold modules.
fn folders() -> [PathBuf; 2] {
    [corpus::folder(), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")]
}

fn options(form: u8) -> PrintOptions {
    PrintOptions::new().module(form & 1 != 0).generic(form & 2 != 0).debug_info(form & 4 != 0)
}

/// The first line that differs.
fn difference(found: &str, expected: &str) -> String {
    let lines = found.lines().map(Some).chain(std::iter::repeat(None)).zip(expected.lines().map(Some).chain([None]));
    let differing = lines.enumerate().find(|(_, (a, b))| a != b);
    differing.map_or("the line breaks at the end".to_owned(), |(i, (a, b))| {
        format!("line {}\n    found    {}\n    expected {}", i + 1, a.unwrap_or("<end>"), b.unwrap_or("<end>"))
    })
}

/// Reads one form of a module back and compares its print in that form and, for generic text, in all forms.
fn check(module: &Module, form: u8) -> Result<(), String> {
    let text = print(module, &options(form));
    let parsed = parse(&text, &ParseOptions::new().version(module.version)).map_err(|errors| {
        let shown = errors.iter().take(3).map(|e| e.render(&text, "text"));
        shown.fold(format!("form {form} does not parse\n"), |all, error| all + &error)
    })?;
    if let Some((found, expected)) = structure(&parsed).into_iter().zip(structure(module)).find(|(a, b)| a != b) {
        return Err(format!("read from form {form}, an operation is made of {found:?}, not of {expected:?}"));
    }
    if tilewright_ir::verify(parsed.clone()).is_ok() != tilewright_ir::verify(module.clone()).is_ok() {
        return Err(format!("read from form {form}, only one of the two is valid"));
    }
    // Generic text with locations holds everything.
    let forms = if form & 6 == 6 { 0..8 } else { form..form + 1 };
    for other in forms.filter(|&other| form & 1 != 0 || other & 1 == 0 || module.producer.is_none()) {
        let expected = print(module, &options(other));
        let found = print(&parsed, &options(other));
        if found != expected {
            return Err(format!("read from form {form}, printed in form {other}: {}", difference(&found, &expected)));
        }
    }
    Ok(())
}

/// What text does not show directly of an operation.
#[derive(PartialEq, Eq, Debug)]
struct Structure {
    opcode: Opcode,
    present: u8,
    /// How many values each operand of the row takes.
    groups: Vec<usize>,
    /// Whether each attribute is absent.
    absent: Vec<bool>,
    results: usize,
}

/// The structure of each operation of a module.
fn structure(module: &Module) -> Vec<Structure> {
    let mut ops = Vec::new();
    for function in &module.functions {
        function.body.walk(|op| {
            let groups = (0..op.def().operands.len()).map(|i| op.operand_group(i).len()).collect();
            let absent = op.attrs().iter().map(|&attr| attr == AttrValue::Absent).collect();
            let (opcode, present, results) = (op.opcode(), op.present_operands(), op.results().len());
            ops.push(Structure { opcode, present, groups, absent, results });
        });
    }
    ops
}

#[test]
fn what_is_printed_is_read_back() {
    for folder in folders() {
        let files = corpus::paths_below(&folder, "tilebc");
        let (mut failures, mut failed, mut lossy) = (String::new(), 0, 0);
        for path in &files {
            let module = tilewright_bytecode::read(&std::fs::read(path).unwrap()).unwrap();
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
            for form in 0..8 {
                if form & 1 == 0 && LOSSY.iter().any(|(name, _)| *name == stem) {
                    lossy += 1;
                    continue;
                }
                let Err(why) = check(&module, form) else { continue };
                failed += 1;
                if failed <= SHOWN {
                    writeln!(failures, "{}: {why}", path.display()).unwrap();
                }
            }
        }
        eprintln!("{}: {} modules in 8 forms, {failed} texts not read back, {lossy} left out", folder.display(), files.len());
        assert_eq!(failed, 0, "{failed} texts differ; the first:\n{failures}");
    }
}

#[test]
fn hints_of_any_name_are_read_back() {
    for (name, shown) in [
        ("sm_100", "sm_100"),
        ("two words", "two words"),
        ("allow[tma", "\"allow[tma\""),
        ("sm = {}> 1", "\"sm = {}> 1\""),
        ("two  spaces", "\"two  spaces\""),
        ("a //", "\"a //\""),
        ("1st", "\"1st\""),
        ("\\22\\FF", "\"\\22\\FF\""),
    ] {
        let source = format!("entry @k() optimization_hints=<\"{name}\" = {{\"{name}\" = 1}}> {{\n  return\n}}\n");
        let module = parse(&source, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source, "source")));
        let text = print(&module, &PrintOptions::new());
        assert!(text.contains(&format!("<{shown} = {{{shown} = 1}}>")), "{text}");
        for form in 0..8 {
            check(&module, form).unwrap_or_else(|difference| panic!("{name}: {difference}"));
        }
    }
}
