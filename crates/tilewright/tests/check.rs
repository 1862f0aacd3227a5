//! The rules of the checker: the buggy kernel of each is reported, the mended one is not. The first line of a kernel says how it is checked.

use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path, process::Command};
use tilewright::{bytecode, case::Case, check::rules, exec::LaunchOptions, ir, text};
use tilewright_fuzz::corpus;

/// Checks a kernel by the command in its first line; gives the exit status and the findings.
fn findings(name: &str, text: &str) -> (Option<i32>, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let first = text.lines().next().unwrap();
    let arguments = first.strip_prefix(&format!("// tilewright check {name} ")).unwrap_or_else(|| panic!("{name} begins with {first}"));
    let arguments: Vec<&str> = arguments.split(' ').map(|argument| argument.trim_matches('\'')).collect();
    fs::write(folder.path().join(name), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    let output = command.current_dir(folder.path()).arg("check").arg(name).args(arguments).args(["--format", "json"]).output().unwrap();
    assert!(output.stderr.is_empty(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code(), report["findings"].as_array().unwrap().clone())
}

/// The same, with the rules of the findings only.
fn check(name: &str, text: &str) -> (Option<i32>, Vec<String>) {
    let (status, findings) = findings(name, text);
    (status, findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect())
}

#[test]
fn every_rule_tells_buggy_kernels_from_mended_ones() {
    for rule in rules() {
        let (status, mut found) = check(&format!("{}.buggy.mlir", rule.id), rule.buggy);
        found.dedup();
        assert_eq!((status, found), (Some(1), vec![rule.id.to_owned()]), "the buggy kernel of {}", rule.id);
        let found = check(&format!("{}.mended.mlir", rule.id), rule.mended);
        assert_eq!(found, (Some(0), vec![]), "the mended kernel of {}", rule.id);
    }
}

/// The text of `docs/check-rules.md`.
fn document() -> String {
    let mut text = "# Rules of the checker\n\nWritten by a test from the registry in `crates/tilewright-check/src/rules.rs`; `BLESS=1 cargo test -p tilewright --test check` writes it \
                    anew.\n\n`tilewright check` prints the id of the rule that a kernel breaks in brackets. The first line of each kernel here is the command that checks it; the test runs \
                    it. [The guide](check.md) says how the checker works and what it does not see.\n"
        .to_owned();
    let mut chapter = "";
    for rule in rules() {
        if rule.chapter != chapter {
            chapter = rule.chapter;
            text += &format!("\n## {chapter}\n");
        }
        text += &format!("\n### {}\n\n**{}.** {}\n\n*To mend it:* {}\n", rule.id, rule.title, rule.text, rule.mend);
        text += &format!("\nReported:\n\n```text\n{}```\n\nClean:\n\n```text\n{}```\n", rule.buggy, rule.mended);
    }
    text
}

#[test]
fn the_rules_are_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/check-rules.md");
    let expected = document();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "docs/check-rules.md is stale: run with BLESS=1");
}

/// Cases with undefined behaviour that is meant, and the rules that they break.
const BROKEN: [(&str, &str); 1] = [("assert_fail", "assertion")];

#[test]
fn cases_of_the_corpus_are_clean() {
    let mut count = 0;
    for folder in corpus::folder().join("cases").read_dir().unwrap().flatten() {
        let Ok(case) = Case::load(folder.path()) else { continue };
        let report = case.check(None, &LaunchOptions::new()).unwrap_or_else(|error| panic!("{}: {error}", case.name()));
        let found: Vec<&str> = report.findings.iter().map(|finding| finding.rule.id).collect();
        let expected: Vec<&str> = BROKEN.iter().filter(|(name, _)| *name == case.name()).map(|(_, rule)| *rule).collect();
        assert_eq!(found, expected, "{}: {:#?}", case.name(), report.findings);
        count += 1;
    }
    assert!(count >= 35, "the corpus has cases");
}

/// The kernels of `tests/check`: the second line of each names the rules that it breaks.
#[test]
fn kernels_from_practice_are_told_apart() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap().flatten().filter(|file| file.path().is_file()) {
        let (name, text) = (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap());
        let expected = text.lines().nth(1).and_then(|line| line.strip_prefix("// ")).unwrap();
        let expected: BTreeSet<String> = expected.split(' ').filter(|rule| *rule != "clean").map(str::to_owned).collect();
        let (status, found) = check(&name, &text);
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{name}");
        assert_eq!(status, Some(i32::from(!expected.is_empty())), "{name}");
        count += 1;
    }
    assert!(count >= 8);
}

/// The kernels of `tests/check/variants` are clean. The lines behind the first one each say what one change breaks: `RULES: FROM => TO`.
#[test]
fn variants_of_kernels_are_told_apart() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/variants");
    let (mut clean, mut reported) = (0, 0);
    for file in fs::read_dir(folder).unwrap().flatten() {
        let (name, text) = (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap());
        let (comments, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("//"));
        let kernel = |body: &str| format!("{}\n{body}\n", comments[0]);
        let body = lines.join("\n");
        assert_eq!(check(&name, &kernel(&body)), (Some(0), vec![]), "{name}");
        for (rules, from, to) in comments[1..].iter().filter_map(|line| {
            let (rules, change) = line.strip_prefix("// ")?.split_once(": ")?;
            let (from, to) = change.split_once(" => ")?;
            Some((rules, from, to))
        }) {
            assert_eq!(body.matches(from).count(), 1, "{name}: '{from}' stands once");
            let (_, found) = check(&name, &kernel(&body.replace(from, to)));
            let expected: BTreeSet<String> = rules.split(' ').filter(|rule| *rule != "clean").map(str::to_owned).collect();
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{name}: '{from}' became '{to}'");
            *(if expected.is_empty() { &mut clean } else { &mut reported }) += 1;
        }
    }
    assert!(clean >= 15 && reported >= 80, "{clean} clean, {reported} reported");
}

/// Of the first finding of a kernel of `tests/check` by this rule: block, element, coordinates in the tensor, and first byte in the
/// buffer, of the access that is reported and of the other one.
fn both_sides(file: &str, rule: &str) -> [Value; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check").join(file);
    let (_, findings) = findings(file, &fs::read_to_string(path).unwrap());
    let finding = findings.iter().find(|finding| finding["rule"] == rule).unwrap();
    let side = |place: &Value| json!([place["block"], place["element"], place["coordinates"], place["memory"]["buffer"]["offset"]]);
    [side(&finding["place"]), side(&finding["other"]["place"])]
}

#[test]
fn races_name_the_element_of_each_side() {
    // Element 7 of a tile that begins one place behind the buffer, and the first one of the next block.
    let [store, load] = both_sides("shift_in_place.mlir", "data-race");
    assert_eq!((store, load), (json!([[1, 0, 0], [0], [8], 32]), json!([[0, 0, 0], [7], [7], 32])));
    // A matrix and its transpose in one array.
    let [store, load] = both_sides("permute_in_one_array.mlir", "data-race");
    assert_eq!((store, load), (json!([[0, 1, 0], [0, 0], [8, 0], 512]), json!([[0, 0, 0], [4, 0], [4, 0], 512])));
    // Blocks of two heads of the source store to one head.
    let [one, other] = both_sides("permute_heads_swapped.mlir", "data-race");
    assert_eq!((one, other), (json!([[1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], 0]), json!([[0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], 0])));
    // All numbers are equal: all elements of all blocks lie in one place.
    let [one, other] = both_sides("histogram_without_atomics.mlir", "same-element");
    assert_eq!((one, other), (json!([[0, 0, 0], [0], null, 12]), json!([[0, 0, 0], [1], null, 12])));
    let [one, other] = both_sides("histogram_without_atomics.mlir", "data-race");
    assert_eq!((one, other), (json!([[1, 0, 0], [0], null, 12]), json!([[0, 0, 0], [0], null, 12])));
}

/// Mistakes in the synchronisation of cases of the corpus: what stands in the text, and what stands there instead.
const WEAKENED: [(&str, &str, &str); 8] = [
    ("matmul_splitk_lock", "acquire device", "relaxed device"),
    ("matmul_splitk_lock", "release device", "relaxed device"),
    ("matmul_splitk_lock", "acquire device", "acquire tl_blk"),
    ("matmul_splitk_lock", " token = %13 ", " "),
    ("matmul_splitk_lock", " token = %10 ", " "),
    ("matmul_splitk_lock", " token=%20 ", " "),
    ("matmul_splitk_atomic", "relaxed device", "relaxed tl_blk"),
    ("histogram", "relaxed device", "relaxed tl_blk"),
];

#[test]
fn weakened_synchronisation_of_cases_is_found() {
    let mut missing = 0;
    for (name, from, to) in WEAKENED {
        let folder = corpus::folder().join("cases").join(name);
        if !folder.is_dir() {
            missing += 1;
            continue;
        }
        let copy = tempfile::tempdir().unwrap();
        for file in fs::read_dir(&folder).unwrap().flatten() {
            fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
        }
        let case = Case::load(copy.path()).unwrap();
        let module = case.module(None).unwrap();
        let text = text::print(&module, &text::PrintOptions::new().module(true));
        assert!(text.contains(from), "{name}: {text}");
        let weakened = text::parse(&text.replace(from, to), &text::ParseOptions::new().version(module.version)).unwrap();
        let weakened = ir::verify(weakened).unwrap();
        let (_, path) = case.bytecode(None).unwrap();
        fs::write(path, bytecode::write(&weakened, &bytecode::WriteOptions::new(module.version)).unwrap()).unwrap();
        let report = Case::load(copy.path()).unwrap().check(None, &LaunchOptions::new()).unwrap();
        let found: BTreeSet<&str> = report.findings.iter().map(|finding| finding.rule.id).collect();
        let races = ["data-race", "narrow-scope", "token-order"];
        assert!(races.iter().any(|rule| found.contains(rule)), "{name}, '{from}' became '{to}': {found:?}");
    }
    assert!(missing < WEAKENED.len(), "the corpus has none of the cases");
}
