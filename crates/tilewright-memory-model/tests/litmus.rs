//! Every litmus test of the repository is as it says.

use std::{collections::BTreeSet, fs, path::PathBuf};
use tilewright_memory_model::{
    DEFAULT_LIMIT,
    litmus::{Expectation, Litmus},
};

fn files() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/litmus");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).expect("tests/litmus").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn all_litmus_tests_are_as_expected() {
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for path in files() {
        let text = fs::read_to_string(&path).expect("a litmus test");
        let litmus = Litmus::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let executions = litmus.executions(DEFAULT_LIMIT).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(executions.count > 0, "{}: no execution at all", path.display());
        assert!(names.insert(litmus.name.clone()), "{}: there are two tests {}", path.display(), litmus.name);
        let says_race = litmus.expectations.iter().any(|expectation| matches!(expectation, Expectation::Race(_)));
        assert!(says_race, "{}: a test says whether there is a race", path.display());
        wrong.extend(litmus.surprises(&executions).into_iter().map(|surprise| format!("{}: {surprise}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(names.len() >= 150, "only {} tests", names.len());
}

/// What a test expects can be wrong: each expectation of each test, turned around, is a surprise.
#[test]
fn expectations_that_are_turned_around_are_surprises() {
    for path in files() {
        let litmus = Litmus::parse(&fs::read_to_string(&path).expect("a litmus test")).expect("a valid test");
        let executions = litmus.executions(DEFAULT_LIMIT).expect("few executions");
        for expectation in &litmus.expectations {
            let turned = match expectation {
                Expectation::Allowed(condition) => Expectation::Forbidden(condition.clone()),
                Expectation::Forbidden(condition) => Expectation::Allowed(condition.clone()),
                Expectation::Race(race) => Expectation::Race(!race),
                Expectation::Outcomes(listed) => Expectation::Outcomes(listed[1..].to_vec()),
            };
            let turned = Litmus { expectations: vec![turned], ..litmus.clone() };
            assert_eq!(turned.surprises(&executions).len(), 1, "{}", path.display());
        }
    }
}

/// Texts with bytes and lines that are changed, left out or doubled: an error or a test, and an end in either case.
#[test]
fn texts_of_any_kind_end_in_errors_or_tests() {
    let mut seed = 7u64;
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n.max(1)
    };
    let texts: Vec<String> = files().iter().map(|path| fs::read_to_string(path).expect("a litmus test")).collect();
    let (mut tests, mut errors) = (0, 0);
    for _ in 0..6000 {
        let mut lines: Vec<String> = texts[below(texts.len())].lines().map(str::to_owned).collect();
        for _ in 0..=below(3) {
            let (at, other) = (below(lines.len()), below(lines.len()));
            match below(4) {
                0 => lines.swap(at, other),
                1 => lines.insert(at, lines[other].clone()),
                2 => drop(lines.remove(at)),
                _ => {
                    let mut bytes = lines[at].clone().into_bytes();
                    let place = below(bytes.len() + 1).min(bytes.len());
                    bytes.insert(place, b"%{}()!=&|,:0129axwr -"[below(21)]);
                    lines[at] = String::from_utf8_lossy(&bytes).into_owned();
                }
            }
        }
        match Litmus::parse(&lines.join("\n")) {
            Ok(litmus) => {
                tests += 1;
                // Few steps, so that the test ends soon; too many are an error.
                if let Ok(executions) = litmus.executions(3_000) {
                    litmus.surprises(&executions);
                }
            }
            Err(_) => errors += 1,
        }
    }
    assert!(tests > 500 && errors > 500, "{tests} tests, {errors} errors");
    let deep = "!".repeat(100_000);
    let open = "(".repeat(100_000);
    for condition in [deep, open, "if 0 == 0 {\n".repeat(100_000)] {
        assert!(Litmus::parse(&format!("litmus deep\nmemory x\nblock 0 {{\n}}\nallowed {condition}x == 1")).is_err());
        assert!(Litmus::parse(&format!("litmus deep\nmemory x\nblock 0 {{\n{condition}")).is_err());
    }
}

/// Many writes to one location are enumerated if order leaves few ways, and are an error if it leaves too many.
#[test]
fn many_writes_of_one_location_end() {
    let blocks = |count: usize, line: &str| -> String { (0..count).map(|block| format!("block {block} {{\n{line}\n}}\n")).collect() };
    let counter = format!("litmus counter\nmemory x\nobserve x\n{}", blocks(8, "store_ptr_tko weak x, 1"));
    let counted = Litmus::parse(&counter).expect("a test").executions(100_000);
    assert!(counted.is_err(), "8! orders are more than 100,000 steps: {counted:?}");
    let line: String = (0..14).map(|at| format!("%t{} = store_ptr_tko weak x, {at} token=%t{at}\n", at + 1)).collect();
    let chain = format!("litmus chain\nmemory x\nobserve x\nblock 0 {{\n%t0 = make_token\n{line}}}\n");
    let executions = Litmus::parse(&chain).expect("a test").executions(100_000).expect("one order");
    assert_eq!(executions.count, 1);
}
