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
