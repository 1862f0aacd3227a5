//! What is generated, against NVIDIA's disassembler: it accepts what is written, and prints what is printed here.
#![expect(clippy::print_stderr, reason = "a finished comparison says how much it compared")]

use tilewright_bytecode::{Style, WriteOptions, write};
use tilewright_fuzz::{compare, seeded};
use tilewright_ir::{Module, Opcode};
use tilewright_oracle::{Oracle, failures, is_exhaustive};
use tilewright_text::{PrintOptions, print};

/// How many modules are compared, in all versions together: the tool takes a while to start.
const MODULES: u64 = 300;
/// How many there are where everything is compared.
const ALL_MODULES: u64 = 20_000;
/// How many bytes the larger ones are made of: some hundreds of operations.
const MAX_LEN: usize = 3000;
/// Differences shown.
const SHOWN: usize = 8;

/// Whether a module asks for the shape of a tensor without dimensions: valid, but the disassembler ends with a signal.
fn asks_for_no_shape(module: &Module) -> bool {
    let mut found = false;
    for function in &module.functions {
        function.body.walk(|op| found |= op.opcode() == Opcode::GetTensorShape && op.results().len() == 0);
    }
    found
}

/// Compares one module, with or without debug information.
fn check(oracle: &Oracle, seed: u64) -> Result<(), String> {
    let module = seeded(seed, MAX_LEN);
    if asks_for_no_shape(&module) {
        return Ok(());
    }
    let style = if seed.is_multiple_of(2) { Style::Cutile } else { Style::Cpp };
    let bytes = write(&module, &WriteOptions::new(module.version).style(style)).map_err(|error| error.to_string())?;
    let has_debug_info = seed.is_multiple_of(3);
    let args: &[&str] = if has_debug_info { &["--print-debug-info"] } else { &[] };
    let answer = oracle.disassemble(&bytes, args);
    if !answer.accepted() {
        return Err(format!("refused ({:?}): {}", answer.status, answer.stderr));
    }
    let expected = String::from_utf8_lossy(&answer.stdout).into_owned();
    let found = print(&module, &PrintOptions::new().debug_info(has_debug_info));
    compare::text_difference(&found, &expected).map_or(Ok(()), Err)
}

#[test]
fn the_disassembler_reads_what_is_written_and_prints_the_same() {
    let count = if is_exhaustive() { ALL_MODULES } else { MODULES };
    let Some(oracle) = Oracle::or_skip(&format!("{count} comparisons with tileirdisasm")) else { return };
    let seeds: Vec<u64> = (0..count).collect();
    let failures = failures(&seeds, |&seed| check(&oracle, seed).err().map(|why| format!("seed {seed}: {why}")));
    eprintln!("{} of {count} generated modules are equal", count as usize - failures.len());
    let shown = &failures[..failures.len().min(SHOWN)];
    assert!(failures.is_empty(), "{} of {count} differ:\n{}", failures.len(), shown.join("\n"));
}

/// How many modules the compiler is asked about: it takes longer.
const COMPILED: u64 = 30;
/// The statuses of the compiler for valid modules: the second is for those that the GPU cannot run, such as with indices out of
/// range or types that it lacks.
const VALID: [i32; 2] = [0, 5];

#[test]
fn the_compiler_finds_nothing_invalid() {
    let Some(oracle) = Oracle::or_skip(&format!("{COMPILED} verdicts of tileiras")) else { return };
    let seeds: Vec<u64> = (0..COMPILED).collect();
    let failures = failures(&seeds, |&seed| {
        let module = seeded(seed, MAX_LEN / 2);
        let bytes = write(&module, &WriteOptions::new(module.version)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let answer = oracle.compile(&bytes, "sm_100");
        let is_valid = answer.status.is_some_and(|status| VALID.contains(&status));
        (!is_valid).then(|| format!("seed {seed}: {:?} {}", answer.status, answer.stderr))
    });
    assert!(failures.is_empty(), "{} of {COMPILED} are refused:\n{}", failures.len(), failures.join("\n"));
}
