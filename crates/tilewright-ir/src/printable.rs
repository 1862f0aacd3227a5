//! Text of unknown origin, shown to people.

use std::fmt::{self, Write as _};

/// Text that came from a file or a caller, for messages: what could move the cursor of a terminal, colour it, hide or reorder text
/// is written as an escape sequence that can be read.
///
/// Control characters (C0, DEL and C1) come out as `\n`, `\u{1b}` and the like, and so do the characters of Unicode that cannot be
/// seen: bidirectional overrides and isolates, zero-width characters, tags, separators of lines and paragraphs. Bytes that are not
/// UTF-8 come out as `\xff`. All else stays as it is, quotes and backslashes too: what is printable already comes out the same. So
/// the text is safe to show, not meant to be read back; `{:?}` puts it into quotes and escapes quotes and backslashes as well, which
/// tells any two texts apart.
///
/// Every message of these libraries for people shows names, strings and paths in this way.
///
/// ```
/// use tilewright_ir::printable;
/// assert_eq!(printable("soft\u{202e}max\x1b[31m").to_string(), r"soft\u{202e}max\u{1b}[31m");
/// assert_eq!(printable(b"caf\xc3\xa9 \xff").to_string(), r"café \xff");
/// assert_eq!(printable("one\ntwo\t\x07").lines().to_string(), "one\ntwo\t\\u{7}");
/// assert_eq!(format!("{:?}", printable("a \"b\"")), r#""a \"b\"""#);
/// ```
pub fn printable<T: AsRef<[u8]> + ?Sized>(text: &T) -> Printable<'_> {
    Printable { bytes: text.as_ref(), keeps_lines: false }
}

/// What [`printable`] gives.
#[derive(Clone, Copy)]
pub struct Printable<'a> {
    bytes: &'a [u8],
    keeps_lines: bool,
}

impl Printable<'_> {
    /// Leaves line breaks and tabs as they are: for texts of several lines.
    pub fn lines(self) -> Self {
        Printable { keeps_lines: true, ..self }
    }

    fn write(self, f: &mut fmt::Formatter<'_>, is_special: impl Fn(char) -> bool) -> fmt::Result {
        for chunk in self.bytes.utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some(at) = rest.find(&is_special) {
                f.write_str(&rest[..at])?;
                let mut behind = rest[at..].chars();
                behind.next().map_or(Ok(()), |c| escape(f, c))?;
                rest = behind.as_str();
            }
            f.write_str(rest)?;
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        Ok(())
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |c| !(is_printable(c) || self.keeps_lines && matches!(c, '\n' | '\t')))
    }
}

impl fmt::Debug for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        self.write(f, |c| !is_printable(c) || matches!(c, '"' | '\\'))?;
        f.write_char('"')
    }
}

fn escape(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '"' | '\\' => write!(f, "\\{c}"),
        _ => write!(f, "{}", c.escape_unicode()),
    }
}

/// Whether a character acts on its surroundings, or cannot be seen.
/// Whether [`printable`] leaves a character as it is: it can be seen, or is a space, and does not act on its surroundings.
pub fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            // Zero-width spaces and joiners, marks of direction.
            | '\u{200b}'..='\u{200f}'
            // Separators of lines and paragraphs, embeddings and overrides of direction.
            | '\u{2028}'..='\u{202e}'
            // Word joiner, invisible operators, isolates of direction.
            | '\u{2060}'..='\u{206f}'
            // Byte order mark, interlinear annotations.
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            // Tags, and selectors of variations.
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_is_left() {
        for c in (0..=0x0010_ffff).filter_map(char::from_u32) {
            let shown = printable(&format!("a{c}b")).to_string();
            let is_left = shown.chars().any(char::is_control) || shown.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{2028}']);
            assert!(!is_left, "{c:?}");
            assert_eq!(printable(&shown).to_string(), shown, "what is printable stays");
        }
    }

    #[test]
    fn what_can_be_seen_stays() {
        for text in ["kernel_1", r#"C:\a "b" 'c'"#, "größe", "核", "e\u{301}"] {
            assert_eq!(printable(text).to_string(), text);
        }
    }

    #[test]
    fn every_byte_is_shown() {
        assert_eq!(printable(b"a\xff\xe2\x80b\x00").to_string(), r"a\xff\xe2\x80b\u{0}");
        assert_eq!(printable("\r\n\t").to_string(), r"\r\n\t");
        assert_eq!(printable("\r\n\t").lines().to_string(), "\\r\n\t");
    }

    #[test]
    fn quoted_texts_differ_if_the_texts_do() {
        assert_eq!(format!("{:?}", printable("\x1b")), r#""\u{1b}""#);
        assert_eq!(format!("{:?}", printable(r"\u{1b}")), r#""\\u{1b}""#);
    }
}
