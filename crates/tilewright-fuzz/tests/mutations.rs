//! Changed files and texts of the corpus: refused or read, but never a panic, and nothing that hangs.
//!
//! `FUZZ_MUTATIONS` says how many of each are made, `FUZZ_SEED` which.
#![expect(clippy::print_stderr, reason = "a slow input and a finished run are reported")]

use std::{
    env, fs,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    time::Duration,
};
use tilewright_fuzz::{Random, Watchdog, corpus, mutate, seeded, targets};
use tilewright_ir::verify;
use tilewright_text::{ParseOptions, PrintOptions, parse, print};

const MUTATIONS: usize = 50_000;
/// Changed texts take longer; those of longer texts are left to libFuzzer.
const MAX_TEXT: usize = 4000;
/// How many generated modules are changed as texts.
const GENERATED: usize = 400;
/// Far more than any changed file needs.
const PATIENCE: Duration = Duration::from_secs(5);

fn number(name: &str, default: usize) -> usize {
    env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} must be a number, found '{value}'")))
}

/// Every module of the corpus as a text in one of the eight forms, generated modules in all of them, and texts as people
/// write them.
fn texts() -> Vec<(PathBuf, String)> {
    let form = |form: usize| PrintOptions::new().module(form & 1 != 0).generic(form & 2 != 0).debug_info(form & 4 != 0);
    let mut texts = Vec::new();
    for (index, (path, file)) in corpus::files("tilebc").into_iter().enumerate() {
        let module = tilewright_bytecode::read(&file).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        texts.push((path, print(&module, &form(index % 8))));
    }
    for seed in 0..GENERATED {
        let module = seeded(seed as u64, MAX_TEXT / 10);
        texts.push((PathBuf::from(format!("generated {seed}")), print(&module, &form(seed % 8))));
    }
    let by_hand = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tilewright-text/tests/parse/good");
    for entry in fs::read_dir(by_hand).expect("the tests of the parser are there").flatten() {
        let text = fs::read_to_string(entry.path()).unwrap_or_else(|error| panic!("{}: {error}", entry.path().display()));
        texts.push((entry.path(), text));
    }
    texts.retain(|(_, text)| text.len() <= MAX_TEXT && !text.is_empty());
    texts.sort();
    texts
}

/// Makes an input in every round and works on it. A round has its own seed, which a failure names.
fn run<T>(rounds: usize, files: &[(PathBuf, T)], make: impl Fn(&mut Random, usize) -> Vec<u8>, work: impl Fn(&[u8])) {
    let first = number("FUZZ_SEED", 0) as u64;
    let watchdog = Watchdog::new(PATIENCE, |report| eprintln!("{report}"));
    for round in 0..rounds as u64 {
        let seed = first + round;
        let index = round as usize % files.len();
        let name = format!("seed {seed}, {}", files[index].0.display());
        let input = make(&mut Random::new(seed), index);
        watchdog.watch(name.as_str());
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| work(&input)));
        assert!(outcome.is_ok(), "{name}: panics on {input:?}");
    }
}

#[test]
fn changed_files_never_cause_a_panic() {
    let files = corpus::files("tilebc");
    let rounds = number("FUZZ_MUTATIONS", MUTATIONS);
    let (read, valid) = (std::cell::Cell::new(0usize), std::cell::Cell::new(0usize));
    let make = |random: &mut Random, index: usize| {
        let other = random.below(files.len());
        mutate::bytes(random, &files[index].1, &files[other].1)
    };
    run(rounds, &files, make, |bytes| {
        targets::reader(bytes);
        let Ok(module) = tilewright_bytecode::read(bytes) else { return };
        read.set(read.get() + 1);
        valid.set(valid.get() + usize::from(verify(module).is_ok()));
        targets::verifier(bytes);
        targets::printer_is_total(bytes);
        targets::round_trip_bytecode(bytes);
    });
    let (read, valid) = (read.get(), valid.get());
    eprintln!("{rounds} changed files: {read} read, {valid} valid");
    assert!(rounds < 1000 || read > rounds / 20, "nearly everything is refused: the changes are too wild to test much");
    assert!(read < rounds, "nothing is refused");
}

#[test]
fn changed_texts_never_cause_a_panic() {
    let files = texts();
    let rounds = number("FUZZ_MUTATIONS", MUTATIONS);
    let parsed = std::cell::Cell::new(0usize);
    let make = |random: &mut Random, index: usize| {
        let other = random.below(files.len());
        mutate::text(random, &files[index].1, &files[other].1).into_bytes()
    };
    run(rounds, &files, make, |bytes| {
        targets::text_parser(bytes);
        let text = String::from_utf8_lossy(bytes);
        parsed.set(parsed.get() + usize::from(parse(&text, &ParseOptions::new()).is_ok()));
    });
    eprintln!("{rounds} changed texts: {} parse", parsed.get());
    assert!(rounds < 1000 || parsed.get() > rounds / 50, "nearly everything is refused: the changes are too wild to test much");
}
