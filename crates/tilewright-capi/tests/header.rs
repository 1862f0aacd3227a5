//! `include/tilewright.h` is what cbindgen makes of the sources.

use std::{fs, path::Path};

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("a configuration");
    let builder = cbindgen::Builder::new().with_config(config).with_src(root.join("src/lib.rs"));
    let mut expected = Vec::new();
    builder.generate().expect("the sources are understood").write(&mut expected);
    let expected = without_safety(&String::from_utf8(expected).expect("a header is text"));
    let path = root.join("include/tilewright.h");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).expect("the header is written");
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == expected, "include/tilewright.h is stale: run with BLESS=1");
}

/// The header without the `# Safety` chapters, which speak to Rust: what C must keep to stands at its top.
fn without_safety(header: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut skips = false;
    for line in header.lines() {
        if line.trim() == "* # Safety" {
            skips = true;
            // The empty line before the chapter goes, too.
            lines.pop_if(|last| last.trim() == "*");
        }
        skips &= line.trim() != "*/";
        if !skips {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}
