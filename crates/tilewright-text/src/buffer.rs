//! Text that grows at its end, short pieces at a time.
//!
//! A line of a module is a dozen pieces of a few bytes. To copy a piece of unknown length takes a call and some branches; here a short
//! piece lies in a block of fixed size, which is copied whole, and what is too much is cut off again.

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

/// Up to seven bytes of text in a word. The highest byte is their number, the lowest one the first of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ShortText(u64);

impl ShortText {
    const MAX: u64 = 7;

    fn new(bytes: u64, len: usize) -> Option<ShortText> {
        Self::from_bits(bytes & !(u64::MAX << 56) | (len as u64) << 56)
    }

    /// `%` and a number, if it is short enough.
    pub(crate) fn value_number(number: u32) -> Option<ShortText> {
        let (digits, len) = if number < EIGHT_DIGITS { decimal(number) } else { return None };
        ShortText::new(digits << 8 | u64::from(b'%'), len + 1)
    }

    /// The bits of a text are greater than 0 and less than [`ShortText::END`].
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// The text with these bits; `None` where they are not those of a text.
    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Option<ShortText> {
        matches!(bits >> 56, 1..=ShortText::MAX).then_some(ShortText(bits))
    }

    /// No text has these bits or greater ones.
    pub(crate) const END: u64 = (ShortText::MAX + 1) << 56;

    #[inline]
    fn len(self) -> usize {
        (self.0 >> 56) as usize
    }

    /// The text of the next number, where only the last digit changes.
    #[inline]
    pub(crate) fn with_next_digit(self) -> ShortText {
        ShortText(self.0 + (1 << (8 * (self.len() - 1))))
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
        self.push_block(&text.0.to_le_bytes(), text.len());
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
        match u32::try_from(number) {
            Ok(number) if number < EIGHT_DIGITS => {
                let (digits, len) = decimal(number);
                self.push_block(&digits.to_le_bytes(), len);
            }
            _ => self.push_long_number(number),
        }
    }

    #[cold]
    fn push_long_number(&mut self, number: u64) {
        let limit = u64::from(EIGHT_DIGITS);
        self.push_u64(number / limit);
        let last = eight_digits((number % limit) as u32) | ASCII_ZEROS;
        self.push_block(&last.to_le_bytes(), 8);
    }

    /// Appends the first `len` bytes of a block, which are text.
    #[inline]
    fn push_block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        let end = self.bytes.len() + len;
        self.bytes.extend_from_slice(block);
        self.bytes.truncate(end);
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

/// The first number of nine digits.
const EIGHT_DIGITS: u32 = 100_000_000;
const ASCII_ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// The text of a number of up to eight digits, its first character in the lowest byte, and its length.
#[inline]
fn decimal(number: u32) -> (u64, usize) {
    let digits = eight_digits(number);
    // The last digit is there even if it is zero.
    let leading_zeros = (digits | 1 << 56).trailing_zeros() / 8;
    ((digits | ASCII_ZEROS) >> (8 * leading_zeros), 8 - leading_zeros as usize)
}

/// The digits of a number of up to eight digits, the first one in the lowest byte, leading zeros included.
///
/// Halves, then quarters, then digits are split off in lanes of one word, each by a multiplication in place of a division.
#[inline]
fn eight_digits(number: u32) -> u64 {
    let (high, low) = (u64::from(number / 10_000), u64::from(number % 10_000));
    let fours = high | low << 32;
    // n / 100 for n < 10,000
    let hundreds = ((fours * 5243) >> 19) & 0x7f_0000_007f;
    let pairs = hundreds | (fours - 100 * hundreds) << 16;
    // n / 10 for n < 100
    let tens = ((pairs * 103) >> 10) & 0xf_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
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
    fn short_numbers_count_up() {
        let mut previous = None;
        for number in 0..1_000_000 {
            let name = ShortText::value_number(number).unwrap();
            if number % 997 < 11 {
                assert_eq!(text(|buffer| buffer.push_short(name)), format!("%{number}"));
                assert_eq!(ShortText::from_bits(name.bits()), Some(name));
            }
            if number % 10 != 0 {
                assert_eq!(previous.map(ShortText::with_next_digit), Some(name));
            }
            previous = Some(name);
        }
        for number in [1_000_000, EIGHT_DIGITS - 1, EIGHT_DIGITS, u32::MAX] {
            assert_eq!(ShortText::value_number(number), None);
        }
        assert_eq!(ShortText::from_bits(0), None);
        assert_eq!(ShortText::from_bits(ShortText::END), None);
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
