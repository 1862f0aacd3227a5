//! Broken files are refused or read, but never cause a panic or a hang.
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod support;

use std::{
    fs,
    time::{Duration, Instant},
};
use support::{Random, mutate};
use tilewright_ir::{Module, verify};

const MUTATIONS: usize = 400_000;
/// Far more than any mutated file of the corpus needs.
const PATIENCE: Duration = Duration::from_secs(2);

/// Looks at everything that handles of a module lead to.
fn visit(module: &Module) -> usize {
    let mut seen = 0;
    for function in &module.functions {
        seen += function.params(&module.tables).len();
        function.body.walk(|op| {
            seen += (0..op.def().operands.len()).map(|i| op.operand_group(i).len()).sum::<usize>();
            seen += op.results().map(|result| module.tables.types.brief(op.body().ty(result)).len()).sum::<usize>();
            seen += usize::from(module.tables.locations.source(op.loc()).is_some());
            seen += op.attrs().len();
        });
    }
    seen
}

#[test]
fn mutated_files_never_cause_a_panic_or_a_hang() {
    let paths = support::corpus();
    let files: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).expect("a corpus file opens")).collect();
    if files.is_empty() {
        eprintln!("SKIPPED: 0 corpus files found");
        return;
    }
    let mut random = Random::new(20_241_121);
    let (mut read, mut valid, mut seen) = (0, 0, 0);
    for round in 0..MUTATIONS {
        let index = round % files.len();
        let other = &files[random.below(files.len())];
        let bytes = mutate(&mut random, &files[index], other);
        let start = Instant::now();
        if let Ok(module) = tilewright_bytecode::read(&bytes) {
            read += 1;
            seen += visit(&module);
            valid += usize::from(verify(module).is_ok());
        }
        assert!(start.elapsed() < PATIENCE, "round {round} of {} takes {:?}", paths[index].display(), start.elapsed());
    }
    eprintln!("{MUTATIONS} mutations of {} files: {read} read, {valid} valid; {seen} things visited", files.len());
    assert!(read > MUTATIONS / 20, "nearly everything is refused: the mutations are too wild to test much");
    assert!(read < MUTATIONS, "nothing is refused");
}

#[test]
fn random_bytes_behind_a_header_never_cause_a_panic() {
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let mut bytes = b"\x7fTileIR\0\x0d\x05\0\0".to_vec();
        bytes[9] = 1 + random.below(5) as u8;
        let len = random.below(200);
        bytes.extend((0..len).map(|_| random.next() as u8 & 0x8f));
        drop(tilewright_bytecode::read(&bytes));
    }
}

#[test]
fn every_prefix_is_refused() {
    let Some(path) = support::corpus().into_iter().find(|p| p.to_string_lossy().ends_with("activations.13.4.tilebc")) else {
        eprintln!("SKIPPED: 0 corpus files found");
        return;
    };
    let bytes = fs::read(path).expect("a corpus file opens");
    for len in 0..bytes.len() {
        assert!(tilewright_bytecode::read(&bytes[..len]).is_err(), "{len} bytes");
    }
}
