//! Files of real tools: they are read, printed as their tools print them, and written again byte for byte.

use std::{fs, path::PathBuf};
use tilewright_mlir::{PrintOptions, ReadOptions, Version, print, read, write};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// The bytecode files by their names.
fn files() -> Vec<(String, Vec<u8>)> {
    let paths = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<(String, Vec<u8>)> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "mlirbc"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    assert!(files.len() > 20, "{} files", files.len());
    files
}

#[test]
fn files_come_out_as_they_were() {
    for (name, bytes) in files() {
        let module = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(write(&module, module.version).unwrap(), bytes, "{name}");
    }
}

#[test]
fn files_print_as_their_tools_print_them() {
    for (name, bytes) in files() {
        let module = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let base = name.split(".v").next().unwrap();
        for (debug_info, ending) in [(false, "mlir"), (true, "located.mlir")] {
            let expected = fs::read_to_string(folder().join(format!("{base}.{ending}"))).unwrap();
            let found = print(&module, &PrintOptions::new().debug_info(debug_info));
            let expected =
                if name == "dialects.v6" || module.version >= Version::new(5).unwrap() { expected } else { without_numbers(&expected) };
            let difference = expected.trim_end().lines().zip(found.trim_end().lines()).find(|(a, b)| a != b);
            assert_eq!(difference, None, "{name}");
            assert_eq!(expected.trim_end().lines().count(), found.trim_end().lines().count(), "{name}");
        }
    }
}

/// What versions before 5 lose: properties that are numbers.
fn without_numbers(text: &str) -> String {
    text.replace("noWrapFlags = 3 : i32", "noWrapFlags = 0 : i32")
        .replace("overflowFlags = 1 : i32", "overflowFlags = 0 : i32")
        .replace("<{disjoint, ", "<{disjoint = false, ")
}

#[test]
fn regions_may_be_read_later() {
    for (name, bytes) in files() {
        let whole = read(&bytes).unwrap();
        let mut lazy = ReadOptions::new().lazy(true).read(&bytes).unwrap();
        assert!(lazy.num_unread() > 0 && lazy.num_ops() == 0, "{name}");
        assert!(write(&lazy, lazy.version).is_err(), "{name}");
        lazy.read_rest().unwrap();
        assert_eq!(lazy.num_ops(), whole.num_ops(), "{name}");
        assert_eq!(write(&lazy, lazy.version).unwrap(), bytes, "{name}");
    }
}

/// Operations are read beside attributes and types; what is wrong with a file is said as without a second thread.
#[test]
fn long_files_may_be_read_by_two_threads() {
    let operations: String = (0..30_000).map(|id| format!("\"t.a\"() {{id = {id} : i64}} : () -> () loc(\"a\":{id}:1)\n")).collect();
    let bytes = write(&tilewright_mlir::parse(&operations).unwrap(), Version::LATEST).unwrap();
    let (one, two) = (ReadOptions::new(), ReadOptions::new().threads(2));
    let options = PrintOptions::new().debug_info(true);
    assert_eq!(print(&two.read(&bytes).unwrap(), &options.threads(2)), print(&one.read(&bytes).unwrap(), &options));
    for at in (5..bytes.len()).step_by(bytes.len() / 40) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x5a;
        let verdict = |options: ReadOptions| options.read(&changed).map(|module| module.num_ops());
        assert_eq!(verdict(two), verdict(one), "{at}");
    }
}

#[test]
fn every_version_means_the_same() {
    let options = PrintOptions::new().debug_info(true);
    for (name, bytes) in files() {
        let module = read(&bytes).unwrap();
        for version in (0..=6).map(|number| Version::new(number).unwrap()) {
            let written = match write(&module, version) {
                Ok(written) => written,
                // Numbers as properties have no form before version 5.
                Err(error) if name == "dialects.v6" => {
                    assert!(error.to_string().contains("needs version 5"), "{error}");
                    continue;
                }
                Err(error) => panic!("{name} at version {version}: {error}"),
            };
            let again = read(&written).unwrap_or_else(|error| panic!("{name} at version {version}: {error}"));
            assert_eq!(again.version, version);
            assert_eq!(print(&again, &options), print(&module, &options), "{name} at version {version}");
        }
    }
}

/// `TILEWRIGHT_MUTATIONS` says how often each file is changed.
///
/// Whatever a file says, reading it gives a module or an error, and a module that is read can be printed and written.
#[test]
fn broken_files_are_no_danger() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit as u64) as usize
    };
    let mutations = std::env::var("TILEWRIGHT_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(150);
    let mut read_anyway = 0;
    for (_, bytes) in files() {
        for _ in 0..mutations {
            let mut changed = bytes.clone();
            for _ in 0..=random(3) {
                let at = random(changed.len().max(1)).min(changed.len().saturating_sub(1));
                if changed.is_empty() {
                    continue;
                }
                match random(4) {
                    0 => changed[at] = random(256) as u8,
                    1 => changed[at] ^= 1 << random(8),
                    2 => drop(changed.remove(at)),
                    _ => changed.truncate(at.max(1)),
                }
            }
            let Ok(module) = read(&changed) else { continue };
            read_anyway += 1;
            print(&module, &PrintOptions::new().debug_info(true));
            let written = write(&module, module.version).unwrap();
            let again = read(&written).unwrap();
            assert_eq!(write(&again, again.version).unwrap(), written);
            for number in [0, 4, 5, 6] {
                let _ = write(&module, Version::new(number).unwrap());
            }
        }
    }
    assert!(read_anyway > 100, "only {read_anyway} of the changed files were read");
}

/// Each byte takes each value, so that whatever refers to something refers to everything once: the attributes of an operation to elements,
/// names to numbers, types to themselves.
#[test]
fn every_byte_of_a_small_file_may_be_wrong() {
    let text = "\"t.a\"() <{p = [1, @s::@t]}> {d = dense<[-1, -2, -3]> : tensor<3xi64>, e = dense<[-1, -2]> : tensor<2xi64>, f = 1.5 : f32} \
                : () -> (tuple<i1, i2>)";
    let bytes = write(&tilewright_mlir::parse(text).unwrap(), Version::LATEST).unwrap();
    for at in 0..bytes.len() {
        for byte in 0..=u8::MAX {
            let mut changed = bytes.clone();
            changed[at] = byte;
            let Ok(module) = read(&changed) else { continue };
            print(&module, &PrintOptions::new().debug_info(true));
            assert!(read(&write(&module, module.version).unwrap()).is_ok());
        }
    }
}

#[test]
fn every_byte_is_shown_once() {
    for (name, bytes) in files() {
        for (len, is_whole) in [(bytes.len(), true), (bytes.len() / 2, false), (7, false)] {
            let mut next = 0;
            let mut undecoded = 0;
            let verdict = tilewright_mlir::dump(&bytes[..len], &mut |item| {
                assert_eq!(item.offset, next, "{name}");
                next += item.bytes.len();
                undecoded += usize::from(item.meaning == "undecoded");
            });
            assert_eq!((next, verdict.is_ok()), (len, is_whole), "{name}");
            // The contents of resources are shown as a whole.
            assert!(!is_whole || undecoded <= usize::from(name.starts_with("attributes")), "{name}: {undecoded}");
        }
    }
}
