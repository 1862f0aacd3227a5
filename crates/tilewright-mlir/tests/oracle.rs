//! Comparisons with `mlir-opt` and with MLIR inside jaxlib.

use std::{fs, path::PathBuf};
use tilewright_mlir::{PrintOptions, Version, print, read, write};
use tilewright_oracle::mlir::{MlirOpt, jax_exports};

fn tests() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

#[track_caller]
fn assert_same(found: &str, expected: &str, what: &str) {
    let difference = expected.trim_end().lines().zip(found.trim_end().lines()).find(|(a, b)| a != b);
    assert_eq!(difference, None, "{what}");
    assert_eq!(found.trim_end().lines().count(), expected.trim_end().lines().count(), "{what}");
}

#[test]
fn modules_of_every_version_are_as_mlir_opt_sees_them() {
    let Some(tool) = MlirOpt::or_skip("392 comparisons with mlir-opt") else { return };
    const GENERIC: &str = "--mlir-print-op-generic";
    const LOCATED: [&str; 2] = [GENERIC, "--mlir-print-debuginfo"];
    let mut modules: Vec<PathBuf> = fs::read_dir(tests().join("modules")).unwrap().map(|entry| entry.unwrap().path()).collect();
    modules.sort();
    for path in modules {
        let source = fs::read(&path).unwrap();
        for number in 0..=6 {
            let name = format!("{} at version {number}", path.file_name().unwrap().to_string_lossy());
            let bytes = tool.run(&source, &["--emit-bytecode", &format!("--emit-bytecode-version={number}")]).unwrap();
            let module = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(write(&module, module.version).unwrap(), bytes, "{name}");
            let (plain, located) = (text(&tool.run(&bytes, &[GENERIC]).unwrap()), text(&tool.run(&bytes, &LOCATED).unwrap()));
            assert_same(&print(&module, &PrintOptions::new()), &plain, &name);
            assert_same(&print(&module, &PrintOptions::new().debug_info(true)), &located, &name);
            // What was printed is read as the same.
            let again = tool.run(plain.as_bytes(), &[GENERIC]).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_same(&text(&again), &plain, &name);
            if number == 6 {
                // What we read of the text is seen as the same.
                for (text, options) in [(&plain, &[GENERIC][..]), (&located, &LOCATED)] {
                    let parsed = tilewright_mlir::parse(text).unwrap_or_else(|error| panic!("{}", error.render(text, &name)));
                    let written = write(&parsed, Version::LATEST).unwrap();
                    let seen = tool.run(&written, options).unwrap_or_else(|error| panic!("{name} as text: {error}"));
                    assert_same(&self::text(&seen), text, &format!("{name} as text"));
                }
            }
            for version in [0, 4, 5, 6].map(|number| Version::new(number).unwrap()) {
                let Ok(written) = write(&module, version) else {
                    assert!(name.starts_with("dialects") && number >= 5 && version.number() < 5, "{name} to {version}");
                    continue;
                };
                let seen = tool.run(&written, &LOCATED).unwrap_or_else(|error| panic!("{name} to {version}: {error}"));
                assert_same(&text(&seen), &located, &format!("{name} to {version}"));
            }
        }
    }
}

#[test]
fn exports_of_jax_are_as_jaxlib_sees_them() {
    let Some(folder) = jax_exports(&tests().join("jax_models.py"), "34 comparisons with jaxlib") else { return };
    let mut compared = 0;
    for path in fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_none_or(|extension| extension != "mlirbc") {
            continue;
        }
        let name = path.display().to_string();
        let bytes = fs::read(&path).unwrap();
        let module = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(write(&module, module.version).unwrap(), bytes, "{name}");
        for (debug_info, ending) in [(false, "mlir"), (true, "located.mlir")] {
            let expected = fs::read_to_string(path.with_extension(ending)).unwrap();
            assert_same(&print(&module, &PrintOptions::new().debug_info(debug_info)), &expected, &name);
            let parsed = tilewright_mlir::parse(&expected).unwrap_or_else(|error| panic!("{}", error.render(&expected, &name)));
            assert_same(&print(&parsed, &PrintOptions::new().debug_info(debug_info)), &expected, &name);
            compared += 1;
        }
    }
    assert!(compared >= 34, "{compared} comparisons");
}
