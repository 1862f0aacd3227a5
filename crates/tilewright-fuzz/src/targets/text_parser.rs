//! Bytes that may be a text.

use super::{assert_same_text, forms};
use tilewright_ir::verify;
use tilewright_text::{ParseOptions, parse, parse::MAX_ERRORS, print};

/// Parses any bytes: errors point into the text and are in order, what parses prints in every form, and a valid module
/// reads back from the generic one.
pub fn text_parser(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match parse(&text, &ParseOptions::new()) {
        Err(errors) => {
            assert!((1..=MAX_ERRORS).contains(&errors.len()), "{} errors", errors.len());
            assert!(errors.is_sorted_by_key(|error| error.span.start), "errors in another order than the text");
            for error in &errors {
                assert!(text.get(error.span.clone()).is_some(), "{error} has the span {:?}", error.span);
                assert!(error.line > 0 && error.column > 0, "{error}");
                assert!(!error.render(text.as_ref(), "text").is_empty(), "{error}");
            }
        }
        Ok(module) => {
            let texts: Vec<String> = forms().map(|form| print(&module, &form)).collect();
            if verify(module).is_err() {
                return;
            }
            for (form, text) in forms().zip(&texts) {
                let again = parse(text, &ParseOptions::new());
                let again = again.unwrap_or_else(|errors| panic!("{form:?} does not parse: {}", errors[0].render(text, "text")));
                assert_same_text(&print(&again, &form), text, format_args!("{form:?}"));
                assert!(verify(again).is_ok(), "{form:?} is not valid again");
            }
        }
    }
}
