//! The verdict on changed modules is that of NVIDIA's disassembler, which verifies what it reads.
//!
//! The modules are those of the corpus, and generated ones. They are changed in two ways: byte by byte (`bytes.rs`), which mostly
//! breaks the format, and operation by operation (`semantic.rs`), which keeps the format and breaks rules. The official verdict is the exit status of
//! `tileirdisasm`: 0 for a valid module, 3 for one that does not parse or verify. `docs/verdicts.md` lists what differs.
//!
//! `VERIFY_ORACLE_ROUNDS` and `VERIFY_ORACLE_SEED` set how many modules are tried and which; `VERIFY_ORACLE_KEEP` names a folder
//! for files that differ.
#![allow(clippy::print_stderr, reason = "a long test tells its numbers")]

mod bytes;
mod semantic;
#[path = "../support/mod.rs"]
mod support;

use std::{collections::BTreeMap, env, fs, path::PathBuf};
use tilewright_bytecode::{WriteOptions, read, write};
use tilewright_fuzz::{Random, corpus, seeded};
use tilewright_ir::verify;
use tilewright_oracle::{Oracle, failures};

/// How many modules are changed in each of the ways.
const ROUNDS: usize = 1_000;

/// A changed module: what was done to it, and its file.
struct Changed {
    what: String,
    file: Vec<u8>,
}

/// What one side says about a file.
struct Verdict {
    valid: bool,
    /// The last line of what was said about an invalid file.
    reason: String,
}

/// `None` if the tool crashes, as it does on some files.
fn official(oracle: &Oracle, file: &[u8]) -> Option<Verdict> {
    let answer = oracle.disassemble(file, &[]);
    let reason = answer.stderr.lines().rfind(|line| line.contains("error")).unwrap_or("").to_owned();
    match answer.status {
        Some(0) => Some(Verdict { valid: true, reason }),
        Some(3) => Some(Verdict { valid: false, reason }),
        _ => None,
    }
}

fn ours(file: &[u8]) -> Verdict {
    match read(file).map(verify) {
        Ok(Ok(_)) => Verdict { valid: true, reason: String::new() },
        Ok(Err(findings)) => Verdict { valid: false, reason: findings[0].to_string() },
        Err(error) => Verdict { valid: false, reason: format!("read: {error}") },
    }
}

/// In which way the verdicts on a file agree or differ.
fn class(official: Option<&Verdict>, ours: &Verdict) -> &'static str {
    let Some(official) = official else { return "no verdict" };
    match (official.valid, ours.valid) {
        (true, true) => "both valid",
        (false, false) if ours.reason.starts_with("read: ") => "neither readable",
        (false, false) => "neither valid",
        _ => "different",
    }
}

fn number(name: &str, default: usize) -> usize {
    env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn corpus() -> Vec<Vec<u8>> {
    corpus::files("tilebc").into_iter().map(|(_, bytes)| bytes).collect()
}

/// Modules of all versions that are generated from the op table, as files.
fn generated() -> Vec<Vec<u8>> {
    let file = |seed| {
        let module = seeded(seed, GENERATED_LEN);
        write(&module, &WriteOptions::new(module.version)).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
    };
    (0..GENERATED).map(file).collect()
}

/// Compares the verdicts on modules changed by `change`.
fn compare(way: &str, corpus: &[Vec<u8>], mut change: impl FnMut(&mut Random, &[Vec<u8>]) -> Changed) {
    let (rounds, seed) = (number("VERIFY_ORACLE_ROUNDS", ROUNDS), number("VERIFY_ORACLE_SEED", 0));
    let Some(oracle) = Oracle::or_skip(&format!("{rounds} verdicts on {way}")) else { return };
    let keep = env::var_os("VERIFY_ORACLE_KEEP").map(PathBuf::from);
    let mut random = Random::new(seed as u64);
    let (mut counts, mut rules) = (BTreeMap::new(), BTreeMap::new());
    let mut differences = Vec::new();
    // In portions, for files take memory until they are judged.
    for portion in 0..rounds.div_ceil(PORTION) {
        let changed: Vec<Changed> = (portion * PORTION..rounds.min((portion + 1) * PORTION)).map(|_| change(&mut random, corpus)).collect();
        let tally = std::sync::Mutex::new((&mut counts, &mut rules));
        differences.extend(failures(&changed, |Changed { what, file }| {
            let (official, ours) = (official(&oracle, file), ours(file));
            let class = class(official.as_ref(), &ours);
            let mut tally = tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *tally.0.entry(class).or_insert(0usize) += 1;
            if let Some(rule) = ours.reason.strip_prefix("error[").and_then(|reason| reason.split(']').next()) {
                *tally.1.entry(rule.to_owned()).or_insert(0usize) += 1;
            }
            let official = official.filter(|_| class == "different")?;
            if let Some(keep) = &keep {
                fs::write(keep.join(format!("{way}_{seed}_{}.tilebc", tally.0["different"])), file).expect("a file is kept");
            }
            Some(format!("{what}:\n  official [{}] {}\n      ours [{}] {}", official.valid, official.reason, ours.valid, ours.reason))
        }));
    }
    eprintln!("{rounds} {way}: {counts:?}\nfirst findings: {rules:?}");
    assert!(differences.is_empty(), "{} verdicts differ:\n{}", differences.len(), differences.join("\n"));
}

/// How many modules are generated, and from how many bytes at most: some dozens of operations each.
const GENERATED: u64 = 1_000;
const GENERATED_LEN: usize = 600;

/// How many changed files are held at a time.
const PORTION: usize = 1_000;

#[test]
fn verdicts_on_changed_bytes_agree() {
    compare("changed files", &corpus(), |random, corpus| {
        let (version, file) = bytes::changed(random, corpus);
        Changed { what: format!("a {version} file"), file }
    });
}

#[test]
fn verdicts_on_changed_modules_agree() {
    compare("changed modules", &corpus(), semantic::changed);
}

#[test]
fn verdicts_on_changed_generated_modules_agree() {
    compare("changed generated modules", &generated(), semantic::changed);
}

/// The status of the compiler for a valid module that the GPU cannot run.
const NOT_ON_THIS_GPU: i32 = 5;

/// The compiler refuses what the disassembler refuses, with the same status, and takes the rest as far as the GPU has it.
#[test]
fn the_compiler_and_the_disassembler_agree() {
    let (rounds, seed) = (number("VERIFY_ORACLE_ROUNDS", ROUNDS).div_ceil(20), number("VERIFY_ORACLE_SEED", 0));
    let Some(oracle) = Oracle::or_skip(&format!("{rounds} verdicts of two tools")) else { return };
    let (corpus, mut random) = (corpus(), Random::new(seed as u64));
    let changed: Vec<Changed> = (0..rounds).map(|_| semantic::changed(&mut random, &corpus)).collect();
    let differences = failures(&changed, |Changed { what, file }| {
        let (verdict, compiled) = (official(&oracle, file)?, oracle.compile(file, "sm_100"));
        let expected: &[i32] = if verdict.valid { &[0, NOT_ON_THIS_GPU] } else { &[3] };
        let agrees = compiled.status.is_some_and(|status| expected.contains(&status));
        (!agrees).then(|| format!("{what}: valid: {}, the compiler: {:?} {}", verdict.valid, compiled.status, compiled.stderr))
    });
    assert!(differences.is_empty(), "{} verdicts differ:\n{}", differences.len(), differences.join("\n"));
}
