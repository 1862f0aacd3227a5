//! Verifying whatever can be read.

use super::{MAGIC, valid};
use crate::{Source, generate, mutate};
use tilewright_bytecode::{WriteOptions, read, write};
use tilewright_ir::{MAX_FINDINGS, Module, verify};

/// Verifies what a changed file says: findings have their places, verified modules can be written, and what was written
/// is valid again.
///
/// Bytes that begin with the magic number are the file; from others a module is generated and written, and what is left of
/// them says how to change the file.
pub fn verifier(bytes: &[u8]) {
    if bytes.starts_with(&MAGIC) {
        return check(bytes);
    }
    let (changes, bytes) = bytes.split_at(bytes.len().min(32));
    let module = valid(generate(&mut Source::new(bytes)));
    let mut file = write(&module, &WriteOptions::new(module.version)).unwrap_or_else(|error| panic!("{error}"));
    let mut changes = Source::new(changes);
    while !changes.is_empty() {
        mutate::change_bytes(&mut changes, &mut file);
        check(&file);
    }
}

fn check(file: &[u8]) {
    let Ok(module) = read(file) else { return };
    match verify(module.clone()) {
        Err(findings) => {
            assert!((1..=MAX_FINDINGS).contains(&findings.len()), "{} findings", findings.len());
            for finding in &findings {
                assert!(!finding.message.is_empty(), "{finding}");
                assert!(!finding.to_string().contains("<<invalid>>"), "{finding}");
            }
        }
        Ok(module) => {
            let Ok(again) = write(&module, &WriteOptions::new(module.version)) else { return };
            let again: Module = read(&again).unwrap_or_else(|error| panic!("what was written does not read: {error}"));
            valid(again);
        }
    }
}
