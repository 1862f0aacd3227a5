//! Printing and parsing again.

use super::{assert_same_text, forms, valid, valid_module_of};
use tilewright_bytecode::{WriteOptions, read, write};
use tilewright_ir::Module;
use tilewright_text::{ParseOptions, PrintOptions, parse, print};

/// Prints a module, parses the text and prints again, in every form; what was parsed is written, read and printed the same.
pub fn round_trip_text(bytes: &[u8]) {
    let Some(module) = valid_module_of(bytes) else { return };
    for form in forms() {
        let text = print(&module, &form);
        let parsed = parsed(&module, &text, &form);
        assert_same_text(&print(&parsed, &form), &text, format_args!("{form:?}, parsed"));
        let parsed = valid(parsed);
        let file = write(&parsed, &WriteOptions::new(module.version)).unwrap_or_else(|error| panic!("{form:?}: {error}"));
        let read = read(&file).unwrap_or_else(|error| panic!("{form:?}, written: {error}"));
        assert_same_text(&print(&read, &form), &text, format_args!("{form:?}, parsed, written and read"));
    }
}

fn parsed(module: &Module, text: &str, form: &PrintOptions) -> Module {
    let parsed = parse(text, &ParseOptions::new().version(module.version));
    parsed.unwrap_or_else(|errors| panic!("{form:?} does not parse: {}", errors[0].render(text, "text")))
}
