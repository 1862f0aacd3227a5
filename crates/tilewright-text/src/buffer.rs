//! Text that grows at its end, short pieces at a time.
//!
//! A line of a module is a dozen pieces of a few bytes: see [`crate::short`].

use crate::short::{self, ShortText, push_block};
use std::fmt;

/// Text in the making.
#[derive(Default)]
pub(crate) struct TextBuffer {
    /// Always UTF-8: only whole pieces of text are appended, and cut off again.
    bytes: Vec<u8>,
}

/// How much of a snippet is copied at once. Nearly all words and types are shorter.
const BLOCK: usize = 32;

/// A piece of text that is appended often.
#[derive(Clone, Debug)]
pub(crate) struct Snippet {
    /// The text, if it fits; else nothing.
    block: [u8; BLOCK],
    len: usize,
    long: Box<str>,
}

impl From<&str> for Snippet {
    fn from(text: &str) -> Snippet {
        let mut block = [0; BLOCK];
        match block.get_mut(..text.len()) {
            Some(start) => {
                start.copy_from_slice(text.as_bytes());
                Snippet { block, len: text.len(), long: "".into() }
            }
            None => Snippet { block, len: 0, long: text.into() },
        }
    }
}

impl From<String> for Snippet {
    fn from(text: String) -> Snippet {
        Snippet::from(&text[..])
    }
}

impl Snippet {
    /// The text in a word, if it is short enough.
    pub(crate) fn short(&self) -> Option<ShortText> {
        let (bytes, _) = self.block.split_first_chunk().expect("a block is longer than a word");
        ShortText::new(u64::from_le_bytes(*bytes), self.len)
    }
}

impl TextBuffer {
    pub(crate) fn new() -> TextBuffer {
        TextBuffer::default()
    }

    /// An empty buffer in the memory of a text.
    pub(crate) fn reuse(text: String) -> TextBuffer {
        let mut bytes = text.into_bytes();
        bytes.clear();
        TextBuffer { bytes }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Cuts off what was appended since the length was `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    pub(crate) fn as_str(&self) -> &str {
        self.since(0)
    }

    /// What was appended since the length was `start`.
    pub(crate) fn since(&self, start: usize) -> &str {
        std::str::from_utf8(&self.bytes[start..]).expect("only text is appended")
    }

    pub(crate) fn into_string(self) -> String {
        String::from_utf8(self.bytes).expect("only text is appended")
    }

    #[inline]
    pub(crate) fn push_str(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    #[inline]
    pub(crate) fn push(&mut self, c: char) {
        match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() => self.bytes.push(byte),
            _ => self.push_str(c.encode_utf8(&mut [0; 4])),
        }
    }

    #[inline]
    pub(crate) fn push_snippet(&mut self, snippet: &Snippet) {
        self.push_block(&snippet.block, snippet.len);
        if !snippet.long.is_empty() {
            self.push_str(&snippet.long);
        }
    }

    #[inline]
    pub(crate) fn push_short(&mut self, text: ShortText) {
        text.push_to(&mut self.bytes);
    }

    pub(crate) fn push_spaces(&mut self, count: usize) {
        const SPACES: [u8; BLOCK] = [b' '; BLOCK];
        let mut left = count;
        while left > BLOCK {
            self.push_block(&SPACES, BLOCK);
            left -= BLOCK;
        }
        self.push_block(&SPACES, left);
    }

    /// Appends a decimal number.
    #[inline]
    pub(crate) fn push_u64(&mut self, number: u64) {
        short::push_u64(&mut self.bytes, number);
    }

    /// Appends the first `len` bytes of a block, which are text.
    #[inline]
    fn push_block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        push_block(&mut self.bytes, block, len);
    }
}

impl Extend<char> for TextBuffer {
    fn extend<I: IntoIterator<Item = char>>(&mut self, chars: I) {
        chars.into_iter().for_each(|c| self.push(c));
    }
}

impl fmt::Write for TextBuffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

impl tilewright_numeric::decimal::Text for TextBuffer {
    fn push_ascii(&mut self, byte: u8) {
        self.push(char::from(byte));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut TextBuffer)) -> String {
        let mut buffer = TextBuffer::new();
        write(&mut buffer);
        buffer.into_string()
    }

    #[test]
    fn numbers_have_the_digits_that_the_standard_library_gives() {
        let lanes = (0..10_000).flat_map(|n| [n, n * 10_000, n * 10_001]);
        let lengths = (0..20).flat_map(|n| [10u64.pow(n) - 1, 10u64.pow(n), 10u64.pow(n) + 7]);
        for number in lanes.chain(lengths).chain([u64::from(u32::MAX), u64::MAX]) {
            assert_eq!(text(|buffer| buffer.push_u64(number)), number.to_string());
        }
    }

    #[test]
    fn snippets_of_any_length_are_whole() {
        for len in 0..3 * BLOCK {
            let expected: String = "0123456789é".chars().cycle().take(len).collect();
            let snippet = Snippet::from(&expected[..]);
            assert_eq!(text(|buffer| [&snippet; 2].map(|s| buffer.push_snippet(s)).into_iter().collect()), expected.repeat(2));
            assert_eq!(text(|buffer| buffer.push_spaces(len)), " ".repeat(len));
        }
    }

    #[test]
    fn characters_of_any_length_are_whole() {
        let chars = "aé€𝄞";
        assert_eq!(text(|buffer| buffer.extend(chars.chars())), chars);
    }
}
