//! The text of a file, from its bytes.

use super::error::{ParseError, locate};

/// What editors of some systems put in front of a text in UTF-8.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text that the bytes of a file hold.
///
/// A byte order mark may stand in front; [`parse`](super::parse()) skips it.
///
/// ```
/// let error = tilewright_text::decode(b"entry @k() {\n  // caf\xe9\n}").unwrap_err();
/// assert_eq!(error.to_string(), "2:9: error[not-utf8]: the byte 0xe9, at 21 of the file, is not UTF-8");
/// ```
///
/// # Errors
/// The first place that is not UTF-8, or holds a NUL: no editor makes such a text.
pub fn decode(bytes: &[u8]) -> Result<&str, ParseError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let length = error.error_len().unwrap_or(1);
        let message = format!("the byte {:#04x}, at {at} of the file, is not UTF-8", bytes[at]);
        let note = "texts of Tile IR are in UTF-8: save it as such, or write the byte in a string as \\ and two hexadecimal digits";
        wrong(&bytes[..at], length, "not-utf8", message, note)
    })?;
    match bytes.iter().position(|&byte| byte == 0) {
        None => Ok(text),
        Some(at) => {
            let message = format!("the byte at {at} of the file is NUL, which no text holds");
            Err(wrong(&bytes[..at], 1, "nul", message, "the file is damaged, or no text"))
        }
    }
}

/// An error about the `length` bytes behind `before`, which is UTF-8.
#[cold]
fn wrong(before: &[u8], length: usize, id: &'static str, message: String, note: &str) -> ParseError {
    let span = before.len()..before.len() + length;
    let mut error = ParseError { id, span, line: 0, column: 0, message, labels: Vec::new(), notes: vec![note.to_owned()] };
    let (before, skipped) = without_mark(std::str::from_utf8(before).unwrap_or_default());
    locate(before, [&mut error], skipped);
    error
}

/// The text behind a byte order mark, and the length of the mark.
pub(super) fn without_mark(source: &str) -> (&str, usize) {
    source.strip_prefix(BYTE_ORDER_MARK).map_or((source, 0), |rest| (rest, BYTE_ORDER_MARK.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let plain = "// Producer: me\nentry @k() {}";
        let options = ParseOptions::new().locate("k.mlir");
        let print = |source: &str| crate::print(&parse(source, &options).unwrap(), &crate::PrintOptions::new().debug_info(true));
        assert_eq!(print(&format!("{BYTE_ORDER_MARK}{plain}")), print(plain));
        assert!(parse(&format!("{plain}{BYTE_ORDER_MARK}"), &options).is_err(), "elsewhere it is no white space");
    }

    #[test]
    fn places_behind_a_mark_are_those_that_editors_show() {
        let source = format!("{BYTE_ORDER_MARK}entri @k() {{}}");
        let errors = parse(&source, &ParseOptions::new()).unwrap_err();
        assert_eq!((errors[0].line, errors[0].column, &source[errors[0].span.clone()]), (1, 1, "entri"));
        let shown = errors[0].render(&source, "k.mlir");
        assert!(shown.contains(" --> k.mlir:1:1\n  |\n1 | entri @k() {}\n  | ^^^^^\n"), "{shown}");
    }

    #[test]
    fn what_is_not_utf8_is_shown_in_its_line() {
        let source = b"// \xc3\xa4\n// caf\xe9!\n";
        let error = decode(source).unwrap_err();
        assert_eq!((error.span.clone(), error.line, error.column), (12..13, 2, 7));
        let shown = error.render(source, "k.mlir");
        assert!(shown.contains(" --> k.mlir:2:7\n  |\n2 | // caf\u{fffd}!\n  |       ^\n"), "{shown}");
        let cut = decode(b"\xe2\x80").unwrap_err();
        assert_eq!((cut.span, cut.line, cut.column), (0..1, 1, 1));
    }

    #[test]
    fn a_nul_is_an_error_with_its_place() {
        let source = b"\xef\xbb\xbfentry @k() {\n  re\0turn\n}";
        let error = decode(source).unwrap_err();
        assert_eq!(error.to_string(), "2:5: error[nul]: the byte at 20 of the file is NUL, which no text holds");
        assert!(error.render(source, "k").contains("2 |   re\u{fffd}turn\n  |     ^\n"), "{}", error.render(source, "k"));
    }
}
