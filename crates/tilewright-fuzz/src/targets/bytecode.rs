//! Writing and reading again.

use super::{MAGIC, reader, valid};
use crate::{Source, compare, generate};
use tilewright_bytecode::{Style, WriteErrorKind, WriteOptions, read, read_with_layout, write};
use tilewright_ir::{VerifiedModule, Version, verify};

/// Writes modules and reads them again: a generated one must survive in its own version and be refused or survive in every
/// other; a file that reads and verifies must come out byte for byte with its layout.
pub fn round_trip_bytecode(bytes: &[u8]) {
    if bytes.starts_with(&MAGIC) {
        file(bytes);
    } else {
        module(&valid(generate(&mut Source::new(bytes))));
    }
}

fn file(bytes: &[u8]) {
    let Ok((module, layout)) = read_with_layout(bytes) else { return };
    let Ok(module) = verify(module) else { return };
    let options = WriteOptions::new(module.version).layout(&layout);
    let again = write(&module, &options).unwrap_or_else(|error| panic!("not written like it was read: {error}"));
    assert!(again == bytes, "written in other bytes than it was read from");
    for style in [Style::Cutile, Style::Cpp] {
        let options = WriteOptions::new(module.version).style(style);
        match write(&module, &options) {
            // Readers take the name of a producer in files that writers leave it out of.
            Err(error) if error.kind() == WriteErrorKind::Newer && module.producer.is_some() => {}
            _ => drop(survives(&module, &options)),
        }
    }
}

fn module(module: &VerifiedModule) {
    for style in [Style::Cutile, Style::Cpp] {
        let options = WriteOptions::new(module.version).style(style);
        let bytes = survives(module, &options);
        reader(&bytes);
        assert!(write(module, &options).as_ref() == Ok(&bytes), "written twice in other bytes");
        let (again, layout) = read_with_layout(&bytes).unwrap_or_else(|error| panic!("{error}"));
        let again = write(&valid(again), &WriteOptions::new(module.version).layout(&layout));
        assert!(again.as_ref() == Ok(&bytes), "a written file is not written the same again");
    }
    for version in Version::ALL.into_iter().filter(|version| *version != module.version) {
        match write(module, &WriteOptions::new(version)) {
            Ok(_) => drop(survives(module, &WriteOptions::new(version))),
            Err(error) => {
                assert_eq!(error.kind(), WriteErrorKind::Newer, "{error}");
                assert!(version < module.version, "a newer version can say what an older one says: {error}");
            }
        }
    }
}

/// The file that a module is written to, if it says the same as the module.
fn survives(module: &VerifiedModule, options: &WriteOptions<'_>) -> Vec<u8> {
    let bytes = write(module, options).unwrap_or_else(|error| panic!("{error}"));
    let again = valid(read(&bytes).unwrap_or_else(|error| panic!("what was written does not read: {error}")));
    assert_eq!(again.version, options.version());
    if let Err(difference) = compare::modules(&again, module) {
        panic!("written at {} and read again: {difference}", options.version());
    }
    bytes
}
