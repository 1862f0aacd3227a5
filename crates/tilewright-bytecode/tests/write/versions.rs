//! Modules at other versions than their own.

use crate::{Sample, generated, samples, text, valid, written};
use std::collections::BTreeMap;
use tilewright_bytecode::{WriteErrorKind, WriteOptions, read, write};
use tilewright_ir::Version;

#[test]
fn every_version_that_can_say_it_says_the_same() {
    let (mut written, mut refused) = (0, 0);
    for sample in samples() {
        let module = sample.module();
        let expected = text(&module);
        for version in Version::ALL {
            match write(&module, &WriteOptions::new(version)) {
                Ok(bytes) => {
                    let again = valid(read(&bytes).unwrap_or_else(|e| panic!("{} at {version}: {e}", sample.name)));
                    assert_eq!(again.version, version);
                    assert_eq!(text(&again), expected, "{} at {version}", sample.name);
                    written += 1;
                }
                Err(error) => {
                    assert_eq!(error.kind(), WriteErrorKind::Newer, "{}: {error}", sample.name);
                    assert!(version < module.version, "{} at {version}: {error}", sample.name);
                    assert!(error.needs().is_some_and(|needs| needs > version && needs <= module.version), "{}: {error}", sample.name);
                    refused += 1;
                }
            }
        }
    }
    eprintln!("{written} files written at all versions, {refused} refused");
}

/// Writes each file as every other one of its family, whose layout it takes; tells how many pairs gave the same bytes, and how many
/// differ in content.
fn turn_into_each_other(samples: &[Sample]) -> (usize, usize) {
    let mut families: BTreeMap<&str, BTreeMap<Version, &Sample>> = BTreeMap::new();
    for sample in samples {
        let (name, version) = sample.family();
        families.entry(name).or_default().insert(version, sample);
    }
    let (mut pairs, mut different) = (0, 0);
    for family in families.values() {
        for (from, to) in family.values().flat_map(|from| family.values().map(move |to| (from, to))) {
            let (source, layout) = (from.module(), to.layout());
            if text(&source) != text(&to.module()) {
                different += 1;
                continue;
            }
            let bytes = write(&source, &WriteOptions::new(layout.version()).layout(&layout));
            let bytes = bytes.unwrap_or_else(|e| panic!("{} to {}: {e}", from.name, to.name));
            assert!(bytes == to.bytes, "{} to {}: not the same bytes", from.name, to.name);
            pairs += 1;
        }
    }
    (pairs, different)
}

#[test]
fn families_of_files_turn_into_each_other() {
    // Newer files of some kernels also show what is new.
    let (pairs, different) = turn_into_each_other(&samples());
    eprintln!("{pairs} files turn into that of another version byte for byte, {different} pairs differ in content");
    assert!(pairs > 300 && pairs > different);
    let (pairs, different) = turn_into_each_other(&generated());
    eprintln!("{pairs} generated files turn into that of another version byte for byte");
    assert!(pairs > 300 && different == 0, "{different} generated pairs differ in content");
}

#[test]
fn newer_versions_give_back_what_older_ones_left_out() {
    for sample in samples().iter().filter(|sample| sample.family().1 == Version::V13_1) {
        let module = sample.module();
        let newest = valid(read(&write(&module, &WriteOptions::new(Version::LATEST)).expect("it can be written")).expect("it reads"));
        assert_eq!(written(&newest, Version::V13_1), text(&module), "{}", sample.name);
    }
}
