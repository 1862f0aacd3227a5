//! Printing whatever can be read.

use super::{assert_same_text, forms, module_of};
use tilewright_text::{OpPrinter, print, write};

/// How many threads print long functions.
const THREADS: usize = 3;

/// Prints any module that reads, valid or not, in every form: at once, piece by piece and on several threads, and each
/// operation alone.
pub fn printer_is_total(bytes: &[u8]) {
    let Some(module) = module_of(bytes) else { return };
    for form in forms() {
        let text = print(&module, &form);
        let mut pieces = String::new();
        write(&module, &form, &mut pieces).expect("a string takes everything");
        assert_same_text(&pieces, &text, format_args!("{form:?}, piece by piece"));
        assert_same_text(&print(&module, &form.threads(THREADS)), &text, format_args!("{form:?}, on several threads"));
    }
    for function in &module.functions {
        let printer = OpPrinter::new(&module, function);
        function.body.walk(|op| {
            let line = printer.op(op.id());
            assert!(!line.is_empty() && !line.ends_with('\n'), "{line:?}");
        });
    }
}
