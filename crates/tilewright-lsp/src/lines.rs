//! Places in a text as editors count them.

use lsp_types::{Position, Range};

/// Where the lines of a text begin.
///
/// The protocol counts lines from 0 and, within a line, units of UTF-16; the library counts bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub fn new(text: &str) -> Lines {
        Lines { starts: [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect() }
    }

    /// The place of a byte, which is cut off at the end of the text.
    pub fn position(&self, text: &str, at: usize) -> Position {
        let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let line = self.starts.partition_point(|&start| start <= at) - 1;
        let units = text[self.starts[line]..at].encode_utf16().count();
        Position { line: number(line), character: number(units) }
    }

    /// The byte at a place. What is behind the end of a line, or of the text, is that end.
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return text.len() };
        let line = &text[start..self.starts.get(line + 1).copied().unwrap_or(text.len())];
        let line = line.trim_end_matches('\n').trim_end_matches('\r');
        let mut left = position.character as usize;
        for (at, c) in line.char_indices() {
            if left < c.len_utf16() {
                return start + at;
            }
            left -= c.len_utf16();
        }
        start + line.len()
    }

    /// The place of a range of bytes.
    pub fn range(&self, text: &str, span: &std::ops::Range<usize>) -> Range {
        Range { start: self.position(text, span.start), end: self.position(text, span.end) }
    }

    /// The byte of a line and a column that the library tells: both from 1, the column in characters.
    pub(crate) fn of_source(&self, text: &str, line: u32, column: u32) -> Option<usize> {
        /// The parser does not count a mark at the beginning as a character.
        const MARK: char = '\u{feff}';
        let start = *self.starts.get((line as usize).checked_sub(1)?)?;
        let start = if line == 1 && text.starts_with(MARK) { MARK.len_utf8() } else { start };
        let (before, _) = text[start..].char_indices().nth((column as usize).checked_sub(1)?)?;
        Some(start + before)
    }

    /// The bytes of a line, without its end.
    pub(crate) fn line(&self, text: &str, at: usize) -> std::ops::Range<usize> {
        let line = self.starts.partition_point(|&start| start <= at) - 1;
        let end = self.starts.get(line + 1).map_or(text.len(), |next| next - 1);
        self.starts[line]..end
    }
}

/// A number of the protocol. Texts have fewer lines and columns than it can tell.
fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_utf16() {
        let text = "a\u{e4}\u{1d11e}b\r\nc\n";
        let lines = Lines::new(text);
        let at = |line, character| Position { line, character };
        for (byte, position) in [(0, at(0, 0)), (1, at(0, 1)), (3, at(0, 2)), (7, at(0, 4)), (8, at(0, 5)), (10, at(1, 0)), (12, at(2, 0))]
        {
            assert_eq!(lines.position(text, byte), position);
            assert_eq!(lines.offset(text, position), byte, "{position:?}");
        }
        assert_eq!(lines.position(text, 5), at(0, 2), "inside of a character");
        assert_eq!(lines.offset(text, at(0, 3)), 3, "inside of a pair of units");
        assert_eq!((lines.offset(text, at(0, 99)), lines.offset(text, at(9, 0))), (8, 12), "behind an end");
        assert_eq!(lines.line(text, 3), 0..9);
    }

    #[test]
    fn places_of_the_library_are_found() {
        let text = "\u{feff}entry\n  \u{e4} b";
        let lines = Lines::new(text);
        assert_eq!(lines.of_source(text, 1, 1), Some(3));
        assert_eq!(lines.of_source(text, 2, 5).map(|at| &text[at..]), Some("b"));
        assert_eq!((lines.of_source(text, 0, 1), lines.of_source(text, 3, 1), lines.of_source(text, 2, 99)), (None, None, None));
    }
}
