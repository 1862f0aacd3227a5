//! Places in a text as a browser counts them: in units of UTF-16.

use std::ops::Range;

/// From bytes of a text to units of UTF-16.
pub(crate) struct Units {
    /// For each character that has another number of units than bytes: the byte behind it, and how many fewer units than bytes there are
    /// up to there.
    fewer: Vec<(usize, usize)>,
}

impl Units {
    pub(crate) fn of(text: &str) -> Units {
        let mut fewer = Vec::new();
        let mut total = 0;
        for (at, c) in text.char_indices().filter(|(_, c)| !c.is_ascii()) {
            total += c.len_utf8() - c.len_utf16();
            fewer.push((at + c.len_utf8(), total));
        }
        Units { fewer }
    }

    pub(crate) fn at(&self, byte: usize) -> usize {
        let before = self.fewer.partition_point(|(end, _)| *end <= byte);
        byte - before.checked_sub(1).map_or(0, |last| self.fewer[last].1)
    }

    pub(crate) fn span(&self, bytes: &Range<usize>) -> [usize; 2] {
        [self.at(bytes.start), self.at(bytes.end)]
    }

    /// The byte at a unit of a text.
    pub(crate) fn byte(text: &str, unit: usize) -> usize {
        let mut units = 0;
        for (at, c) in text.char_indices() {
            if units >= unit {
                return at;
            }
            units += c.len_utf16();
        }
        text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_browsers_do() {
        let text = "aä€😀b";
        let units = Units::of(text);
        let expected: Vec<usize> = text.char_indices().map(|(at, _)| text[..at].encode_utf16().count()).collect();
        let found: Vec<usize> = text.char_indices().map(|(at, _)| units.at(at)).collect();
        assert_eq!(found, expected);
        assert_eq!(units.at(text.len()), text.encode_utf16().count());
        for (at, _) in text.char_indices() {
            assert_eq!(Units::byte(text, units.at(at)), at);
        }
    }
}
