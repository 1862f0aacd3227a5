//! What goes to registries: every crate has what its page there needs, and its `README.md` is made of its documentation;
//! `BLESS=1` writes the latter anew.
#![cfg(unix)]

use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The categories of crates.io that are used: a registry refuses others only when a crate is published.
const CATEGORIES: [&str; 15] = [
    "algorithms",
    "command-line-utilities",
    "compilers",
    "concurrency",
    "data-structures",
    "development-tools",
    "development-tools::debugging",
    "development-tools::ffi",
    "development-tools::testing",
    "emulators",
    "encoding",
    "hardware-support",
    "mathematics",
    "parser-implementations",
    "simulation",
];

const REPOSITORY: &str = "https://github.com/tilewright/tilewright";

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// The manifests of the crates that are published, as `cargo metadata` gives them.
fn published() -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(root());
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let Value::Array(packages) = metadata["packages"].take() else { panic!("packages are a list") };
    // A crate that may go nowhere has an empty list of registries, one that may go anywhere has none.
    packages.into_iter().filter(|package| package["publish"].is_null()).collect()
}

fn folder(package: &Value) -> &Path {
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn the_command_and_its_libraries_are_published() {
    let packages = published();
    let names: Vec<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"tilewright") && names.contains(&"tilewright-capi"), "{names:?}");
    for only_for_tests in ["tilewright-fuzz", "tilewright-oracle", "tilewright-python"] {
        assert!(!names.contains(&only_for_tests), "{only_for_tests} is no crate for others");
    }
}

#[test]
fn every_crate_has_what_its_page_needs() {
    for package in published() {
        let name = package["name"].as_str().unwrap();
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        assert_eq!(package["repository"], REPOSITORY, "{name}");
        assert_eq!(package["documentation"], format!("https://docs.rs/{name}"), "{name}");
        assert!(!package["description"].as_str().unwrap().ends_with('.'), "{name}: descriptions are no sentences");
        // What crates.io takes: at most five of each.
        let keywords = texts(&package["keywords"]);
        assert!((3..=5).contains(&keywords.len()), "{name}: {keywords:?}");
        for keyword in keywords {
            let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(keyword.len() <= 20 && keyword.chars().all(is_valid), "{name}: keyword {keyword}");
        }
        let categories = texts(&package["categories"]);
        assert!((1..=5).contains(&categories.len()), "{name}: {categories:?}");
        for category in categories {
            assert!(CATEGORIES.contains(&category), "{name}: category {category}");
        }
    }
}

#[test]
fn licences_lie_in_every_package() {
    let packages = published();
    for folder in packages.iter().map(folder).chain([&*root().join("python")]) {
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let here = fs::read(folder.join(licence)).unwrap_or_else(|error| panic!("{}/{licence}: {error}", folder.display()));
            assert!(here == fs::read(root().join(licence)).unwrap(), "{}/{licence} is not that of the project", folder.display());
        }
    }
}

#[test]
fn readmes_are_made_of_documentation() {
    let bless = env::var_os("BLESS").is_some();
    for package in published() {
        let (name, folder) = (package["name"].as_str().unwrap(), folder(&package));
        let path = folder.join(package["readme"].as_str().unwrap());
        if name == "tilewright" {
            assert_eq!(fs::canonicalize(path).unwrap(), root().join("README.md"), "the command has the README of the project");
            continue;
        }
        let expected = readme(name, &fs::read_to_string(folder.join("src/lib.rs")).unwrap());
        if bless {
            fs::write(path, expected).unwrap();
        } else {
            let found = fs::read_to_string(&path).unwrap_or_default();
            assert!(found == expected, "{} is not what BLESS=1 writes:\n{expected}", path.display());
        }
    }
}

/// The README of a library: the documentation at the top of its source, and where the rest is.
fn readme(name: &str, source: &str) -> String {
    let mut text = format!("# {name}\n\n");
    let mut in_code = false;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.starts_with("```") {
            // Code without a language is Rust for rustdoc, and nothing for others.
            text += if !in_code && line == "```" { "```rust" } else { line };
            in_code = !in_code;
        } else if in_code {
            // Lines that rustdoc hides.
            if line == "#" || line.starts_with("# ") {
                continue;
            }
            text += line;
        } else {
            if line.starts_with('#') {
                text.push('#');
            }
            text += &without_links_to_items(line);
        }
        text.push('\n');
    }
    text + &format!(
        "\n## More\n\n\
        [Documentation](https://docs.rs/{name}). This crate is a part of [Tilewright]({REPOSITORY}), the open implementation of CUDA Tile IR\n\
        in Rust; the crate [tilewright](https://crates.io/crates/tilewright) has all parts and the command.\n\n\
        Licence: MIT or Apache-2.0, at your choice.\n"
    )
}

/// `[text]` and `[text](item)` as `text`: only rustdoc knows where items are.
fn without_links_to_items(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        let (text, behind) = after.split_once(']').unwrap_or_else(|| panic!("a link goes on in the next line: {line}"));
        let target = behind.strip_prefix('(').and_then(|behind| behind.split_once(')'));
        out += before;
        out += &match target {
            Some((url, _)) if url.starts_with("https://") => format!("[{text}]({url})"),
            _ => text.to_owned(),
        };
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    out + rest
}
