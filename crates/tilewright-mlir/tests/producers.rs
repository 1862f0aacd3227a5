//! Files that tools of other producers wrote, beside what these tools print of them.
//!
//! `producers/` has a few. `TILEWRIGHT_MLIR_FILES` names a folder with more, such as `producers.py` makes of a tool and of modules.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};
use tilewright_mlir::{PrintOptions, Version, dump, parse, print, read, write};

/// What is printed for encodings and properties of which nothing is known here.
const UNKNOWN: [&str; 2] = [".opaque<\"0x", "opaque_properties = \"0x"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "mlirbc") {
            found.push(path);
        }
    }
}

/// The text with attributes and types where they are used, in place of their names. Those of dialects that are not known here have no
/// names in ours, nor have those within attributes that bytecode holds as text.
fn without_names(text: &str) -> String {
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (line, behind) = rest.split_at(definition_end(rest));
        let line = line.trim_end_matches('\n');
        rest = behind;
        match line.split_once(" = ").filter(|(name, _)| name.starts_with(['#', '!']) && !name.contains(' ')) {
            Some((name, value)) => {
                let value = with_values(value, &names);
                names.insert(name, value);
            }
            None => {
                out.push_str(&with_values(line, &names));
                out.push('\n');
            }
        }
    }
    out
}

/// Where the line ends, or the lines of a name whose value has several.
fn definition_end(text: &str) -> usize {
    let mut end = 0;
    loop {
        end += text[end..].find('\n').map_or(text.len() - end, |at| at + 1);
        let lines = &text[..end];
        let count = |bracket: char| lines.matches(bracket).count();
        if end == text.len() || !text.starts_with(['#', '!']) || count('[') == count(']') {
            return end;
        }
    }
}

/// A line with the values of names in place of these; strings stay.
fn with_values(line: &str, names: &HashMap<&str, String>) -> String {
    let mut out = String::with_capacity(line.len());
    let (mut rest, mut in_string) = (line, false);
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '\\' if in_string => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '#' | '!' if !in_string => {
                1 + rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$' | '.' | '-')).unwrap_or(rest.len() - 1)
            }
            other => other.len_utf8(),
        };
        in_string ^= first == '"';
        let word = &rest[..end];
        out.push_str(names.get(word).map_or(word, String::as_str));
        rest = &rest[end..];
    }
    out
}

fn has_unknown(line: &str) -> bool {
    UNKNOWN.iter().any(|mark| line.contains(mark))
}

/// The first line that differs though all in it is known.
fn difference(found: &str, expected: &str) -> Option<String> {
    if has_unknown(found) {
        // What is not known has neither names nor numbers of values, so that only whole lines without it can be looked for.
        let expected: HashSet<&str> = expected.lines().map(str::trim_start).collect();
        let is_plain = |line: &&str| line.trim_start().starts_with('"') && !line.contains(['#', '%']) && !has_unknown(line);
        return found.lines().filter(is_plain).find(|line| !expected.contains(line.trim_start())).map(|line| format!("ours:   {line}"));
    }
    let (found, expected) = (found.trim_end(), expected.trim_end());
    let pair = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
    pair.map(|(a, b)| format!("ours:   {a}\n  theirs: {b}"))
        .or_else(|| (found.lines().count() != expected.lines().count()).then(|| "number of lines".to_owned()))
}

/// The text without names of attributes before their parameters, where a tool leaves them out unless the attribute has a name of its own.
fn without_mnemonics(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split("= #").enumerate() {
        if index > 0 {
            out.push_str("= ");
        }
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.')).unwrap_or(part.len());
        out.push_str(if index > 0 && part[end..].starts_with('<') { &part[end..] } else { part });
    }
    out
}

/// The first difference that is not one of names.
fn differs(found: &str, expected: &str) -> Option<String> {
    let plain = |text: &str| without_mnemonics(&without_names(text));
    difference(found, expected).and_then(|_| difference(&plain(found), &plain(expected)))
}

/// Whether a file says that it is of a version of LLVM before 22.
fn is_of_older_llvm(bytes: &[u8]) -> bool {
    let version = bytes.get(5..).and_then(|rest| rest.strip_prefix(b"MLIR")?.get(..2));
    version.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u32>().ok()).is_some_and(|version| version < 22)
}

/// What is wrong with a file, and whether all in it is known.
fn check(path: &Path) -> Result<bool, String> {
    let bytes = fs::read(path).unwrap();
    let module = read(&bytes).map_err(|error| format!("read: {error}"))?;
    let written = write(&module, module.version).map_err(|error| format!("write: {error}"))?;
    if written != bytes {
        return Err("write: other bytes".to_owned());
    }
    let mut is_known = true;
    for (debug_info, ending) in [(false, "mlir"), (true, "located.mlir")] {
        let Ok(expected) = fs::read_to_string(path.with_extension(ending)) else { continue };
        let options = PrintOptions::new().debug_info(debug_info);
        let found = print(&module, &options);
        is_known &= !has_unknown(&found);
        if let Some(difference) = differs(&found, &expected) {
            return Err(format!("print {ending}: {difference}"));
        }
        let parsed = parse(&expected).map_err(|error| format!("parse {ending}: {}", error.render(&expected, "text")))?;
        let printed = print(&parsed, &options);
        // Text does not say whose it is: properties that only older versions have become attributes, or those that took their place.
        let expected = if is_of_older_llvm(&bytes) { print(&parse(&printed).unwrap(), &options) } else { expected };
        if let Some(difference) = differs(&printed, &expected) {
            return Err(format!("parse {ending}: {difference}"));
        }
    }
    Ok(is_known)
}

#[test]
fn files_of_other_producers() {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/producers"), &mut found);
    if let Some(folder) = std::env::var_os("TILEWRIGHT_MLIR_FILES") {
        files(Path::new(&folder), &mut found);
    }
    assert!(found.len() >= 4, "{} files", found.len());
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for path in &found {
        match check(path) {
            Ok(is_known) => counts.entry(path.parent().unwrap().display().to_string()).or_default()[usize::from(is_known)] += 1,
            Err(why) => wrong.push(format!("{}: {why}", path.display())),
        }
    }
    for (folder, [partly, wholly]) in counts {
        let _ = writeln!(std::io::stderr(), "{folder}: {wholly} wholly known, {partly} with parts that are kept as they are");
    }
    assert!(wrong.is_empty(), "{} of {} files:\n{}", wrong.len(), found.len(), wrong.join("\n"));
}

/// How long the properties of each kind are in a file.
fn lengths_of_properties(bytes: &[u8]) -> Vec<String> {
    let (mut lengths, mut is_there) = (Vec::new(), false);
    let visit = &mut |item: tilewright_mlir::Item<'_>| {
        is_there |= item.meaning.starts_with("properties section");
        if is_there && item.meaning.starts_with("length: ") {
            lengths.push(item.meaning);
        }
    };
    dump(bytes, visit).unwrap_or_else(|error| panic!("{error}"));
    lengths.sort();
    lengths
}

/// LLVM 24 as IREE has it gives `builtin.module` the properties that it has in LLVM 22, and `arith.mulf` others: what is written again is in
/// the forms that were read, which the tool expects, by way of every version.
#[test]
fn properties_keep_the_form_that_they_had() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/producers/iree.mlirbc");
    let bytes = fs::read(path).unwrap();
    let module = read(&bytes).unwrap();
    let found = lengths_of_properties(&bytes);
    assert!(!found.is_empty());
    let segments_are_attributes = write(&module, Version::new(5).unwrap()).unwrap();
    let again = read(&segments_are_attributes).unwrap();
    assert_eq!(print(&again, &PrintOptions::new()), print(&module, &PrintOptions::new()));
    assert_eq!(lengths_of_properties(&write(&again, module.version).unwrap()), found);
}
