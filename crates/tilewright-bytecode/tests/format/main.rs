//! Crafted files, right and wrong: what is accepted, and what each error says.

#[path = "../support/mod.rs"]
mod support;

mod attributes;
mod debug;
mod envelope;
mod functions;
mod operations;
mod tables;
mod types;

use tilewright_bytecode::{ReadError, ReadErrorKind, read};
use tilewright_ir::{Module, VerifiedModule, verify};

/// Reads a file that must be right.
#[track_caller]
fn accepted(file: &[u8]) -> Module {
    match read(file) {
        Ok(module) => module,
        Err(error) => panic!("refused: {error}"),
    }
}

/// Reads a file that must be right and hold a valid module.
#[track_caller]
fn valid(file: &[u8]) -> VerifiedModule {
    match verify(accepted(file)) {
        Ok(module) => module,
        Err(findings) => panic!("invalid: {}", findings[0]),
    }
}

/// Reads a file that must be wrong in this way.
#[track_caller]
fn refused(file: &[u8], kind: ReadErrorKind, message: &str) -> ReadError {
    let Err(error) = read(file) else { panic!("accepted, expected: {message}") };
    assert!(error.message().contains(message), "expected: {message}\n   found: {error}");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.offset() <= file.len(), "{error}");
    error
}
