//! Bytes that may be a text.

use super::{assert_same_text, forms};
use tilewright_ir::verify;
use tilewright_text::parse::{MAX_ERRORS, ParseError, parse_mapped};
use tilewright_text::{ParseOptions, parse, print};

/// Parses any bytes: errors point into the text and are in order, what parses prints in every form, and a valid module
/// reads back from the generic one.
pub fn text_parser(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let parsed = parse(&text, &ParseOptions::new());
    map(&text, parsed.as_ref().err());
    match parsed {
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

/// What editors are told has the same errors, and its places hold what they say.
fn map(text: &str, errors: Option<&Vec<ParseError>>) {
    let mapped = parse_mapped(text, &ParseOptions::new());
    assert_eq!(mapped.errors, errors.cloned().unwrap_or_default());
    let map = &mapped.map;
    for definition in &map.definitions {
        assert!(text.get(definition.span.clone()).is_some() && text.get(definition.scope.clone()).is_some(), "{definition:?}");
        assert!(definition.operation.is_none_or(|index| index < map.operations.len()), "{definition:?}");
        if let Some(values) = definition.values {
            let body = &mapped.module.functions[values.function].body;
            assert_eq!(Some(body.ty(values.first)), definition.ty);
        }
    }
    for used in &map.uses {
        let name = |span: &std::ops::Range<usize>| text[span.clone()].trim_start_matches('@');
        let (found, defined) = (name(&used.span), name(&map.definitions[used.definition].span));
        assert!(found == defined || found.contains('\\') || defined.contains('\\'), "{found} stands for {defined}");
    }
    for operation in &map.operations {
        assert!(text.get(operation.span.clone()).is_some() && text.get(operation.whole.clone()).is_some(), "{operation:?}");
    }
}
