//! Short texts: they lie in a block of fixed size, which is copied whole.
//!
//! To copy a piece of unknown length takes a call and some branches. A block of fixed size takes a few instructions, and what is too much
//! is cut off again.

/// Appends the first `len` bytes of a block.
#[inline]
pub fn push_block<const N: usize>(out: &mut Vec<u8>, block: &[u8; N], len: usize) {
    let end = out.len() + len;
    out.extend_from_slice(block);
    out.truncate(end);
}

/// Appends a decimal number.
#[inline]
pub fn push_u64(out: &mut Vec<u8>, number: u64) {
    match u32::try_from(number) {
        Ok(number) if number < EIGHT_DIGITS => {
            let (digits, len) = decimal(number);
            push_block(out, &digits.to_le_bytes(), len);
        }
        _ => push_long_number(out, number),
    }
}

#[cold]
fn push_long_number(out: &mut Vec<u8>, number: u64) {
    let limit = u64::from(EIGHT_DIGITS);
    push_u64(out, number / limit);
    let last = eight_digits((number % limit) as u32) | ASCII_ZEROS;
    push_block(out, &last.to_le_bytes(), 8);
}

/// Up to seven bytes of text in a word. The highest byte is their number, the lowest one the first of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShortText(u64);

impl ShortText {
    const MAX: u64 = 7;

    pub(crate) fn new(bytes: u64, len: usize) -> Option<ShortText> {
        Self::from_bits(bytes & !(u64::MAX << 56) | (len as u64) << 56)
    }

    /// `%` and a number, if it is short enough.
    pub fn value_number(number: u32) -> Option<ShortText> {
        let (digits, len) = if number < EIGHT_DIGITS { decimal(number) } else { return None };
        ShortText::new(digits << 8 | u64::from(b'%'), len + 1)
    }

    /// A number, if it is short enough.
    #[inline]
    pub fn number(number: u64) -> Option<ShortText> {
        let number = u32::try_from(number).ok().filter(|&number| number < EIGHT_DIGITS / 10)?;
        let (digits, len) = decimal(number);
        ShortText::new(digits, len)
    }

    /// The bits of a text are greater than 0 and less than [`ShortText::END`].
    #[inline]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The text with these bits; `None` where they are not those of a text.
    #[inline]
    pub fn from_bits(bits: u64) -> Option<ShortText> {
        matches!(bits >> 56, 1..=ShortText::MAX).then_some(ShortText(bits))
    }

    /// No text has these bits or greater ones.
    pub const END: u64 = (ShortText::MAX + 1) << 56;

    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "none is empty")]
    /// How many bytes it has: one at least.
    pub fn len(self) -> usize {
        (self.0 >> 56) as usize
    }

    /// Appends the text.
    #[inline]
    pub fn push_to(self, out: &mut Vec<u8>) {
        push_block(out, &self.0.to_le_bytes(), self.len());
    }

    /// The text of the next number, where only the last digit changes.
    #[inline]
    pub fn with_next_digit(self) -> ShortText {
        ShortText(self.0 + (1 << (8 * (self.len() - 1))))
    }
}

/// The first number of nine digits.
pub(crate) const EIGHT_DIGITS: u32 = 100_000_000;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: ShortText) -> String {
        let mut out = Vec::new();
        name.push_to(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn short_numbers_count_up() {
        let mut previous = None;
        for number in 0..1_000_000 {
            let name = ShortText::value_number(number).unwrap();
            if number % 997 < 11 {
                assert_eq!(text(name), format!("%{number}"));
                assert_eq!(ShortText::from_bits(name.bits()), Some(name));
            }
            if number % 10 != 0 {
                assert_eq!(previous.map(ShortText::with_next_digit), Some(name));
            }
            previous = Some(name);
        }
        for number in [0, 7, 10, 999_999, 9_999_999] {
            assert_eq!(ShortText::number(number).map(text), Some(number.to_string()));
        }
        assert_eq!(ShortText::number(10_000_000), None);
        for number in [1_000_000, EIGHT_DIGITS - 1, EIGHT_DIGITS, u32::MAX] {
            assert_eq!(ShortText::value_number(number), None);
        }
        assert_eq!(ShortText::from_bits(0), None);
        assert_eq!(ShortText::from_bits(ShortText::END), None);
    }
}
