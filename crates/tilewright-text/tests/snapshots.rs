//! The text of hand-made modules in all forms; see `data/README.md` for where the expected texts come from.

use std::path::{Path, PathBuf};
use tilewright_ir::Module;
use tilewright_text::{PrintOptions, print};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn read(name: &str) -> Module {
    let bytes = std::fs::read(data().join(name).with_extension("tilebc")).unwrap();
    tilewright_bytecode::read(&bytes).unwrap()
}

/// The options that the suffix of an expected text stands for.
fn options(suffix: &str) -> PrintOptions {
    let has = |word| suffix.split('.').any(|part| part == word);
    PrintOptions::new().module(has("module")).generic(has("generic")).debug_info(has("debug"))
}

/// Compares a form of a module with the file of the form.
fn check(name: &str, suffix: &str) {
    let path = data().join(format!("{name}{suffix}.mlir"));
    let found = print(&read(name), &options(suffix));
    let is_ours = suffix.contains("module") || suffix.contains("generic");
    if is_ours && std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    for (i, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{} line {}", path.display(), i + 1);
    }
    assert_eq!(found, expected, "{}", path.display());
}

#[test]
fn the_default_form_is_that_of_the_disassembler() {
    let names = ["constants", "floats", "hints", "globals", "names", "nested", "nested_loops", "tensor_views"];
    let with_locations = ["locations", "declaration", "unnamed", "zero_columns", "debug_case"];
    for name in names.into_iter().chain(with_locations) {
        check(name, "");
    }
}

#[test]
fn locations_are_those_of_the_disassembler() {
    for name in ["globals", "locations", "declaration", "unnamed", "zero_columns", "debug_case"] {
        check(name, ".debug");
    }
}

#[test]
fn the_module_form_is_indented() {
    for name in ["globals", "locations", "names"] {
        check(name, ".module");
    }
    check("locations", ".module.debug");
}

#[test]
fn the_generic_form_shows_everything() {
    for name in ["names", "hints", "tensor_views", "nested_loops"] {
        check(name, ".generic");
    }
    check("globals", ".module.generic");
    check("debug_case", ".module.generic.debug");
}
