//! `docs/operations.md` is what the table of operations says.

use std::{env, fmt::Write as _, fs, path::Path};
use tilewright_ir::Opcode;

fn document() -> String {
    let mut text = "# Operations\n\nWritten by a test from the table in `crates/tilewright-ir/src/ops/table.rs`; `BLESS=1 cargo test -p tilewright-ir` writes it anew.\n\n\
                    `tilewright ops NAME` shows the same of one operation, `tilewright ops --json` all of it for programs. Names that only texts may use are\n\
                    those of the [extended assembly](extended.md).\n\n| operation | encoded as | since | what it does |\n| --- | --- | --- | --- |\n"
        .to_owned();
    let mut defs: Vec<_> = Opcode::ALL.iter().map(|opcode| opcode.def()).collect();
    defs.sort_by_key(|def| def.mnemonic);
    for def in &defs {
        let preview = if def.preview { ", preview" } else { "" };
        let (name, wire, since, doc) = (def.mnemonic, def.wire, def.since, def.doc);
        // Anchors of headings have no signs.
        let anchor = name.replace('$', "");
        writeln!(text, "| [{name}](#{anchor}) | {wire:#04x} | {since}{preview} | {doc} |").expect("strings can be written");
    }
    for def in &defs {
        write!(text, "\n## {}\n\n{}\n\n```text\n{}```\n", def.mnemonic, def.doc, def.details()).expect("strings can be written");
    }
    text
}

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let expected = document();
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).expect("the page is written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "docs/operations.md is stale: run with BLESS=1");
}
