//! `docs/errors.md` is what the kinds of errors of texts and of bytecode say.

use std::{env, fmt::Write as _, fs, path::Path};
use tilewright::{bytecode::ReadErrorKind, text::parse::ERRORS};

fn document() -> String {
    let mut text = "# Errors of texts and of bytecode\n\nWritten by a test from the tables in `crates/tilewright-text/src/parse/pages.rs` and \
                    `crates/tilewright-bytecode/src/error.rs`; `BLESS=1 cargo test -p tilewright --test errors_page` writes it anew.\n\nA text with an error, or \
                    bytecode that cannot be read, gives no module. What modules break are [rules](rules.md).\n\n## Texts\n"
        .to_owned();
    for kind in &ERRORS {
        write!(text, "\n### {}\n\n**{}.** {}\n\n```text\n{}\n```\n", kind.id, kind.title, kind.text, kind.example).unwrap();
    }
    text += "\n## Bytecode\n";
    for kind in ReadErrorKind::ALL {
        write!(text, "\n### {}\n\n**{}.** {}\n", kind.id(), kind.title(), kind.text()).unwrap();
    }
    text
}

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let expected = document();
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == expected, "docs/errors.md is stale: run with BLESS=1");
}

#[test]
fn kinds_of_bytecode_have_names_and_words() {
    for kind in ReadErrorKind::ALL {
        assert_eq!(ReadErrorKind::from_id(kind.id()), Some(kind));
        assert!(!kind.title().ends_with('.') && kind.text().ends_with('.'), "{kind:?}");
    }
}
