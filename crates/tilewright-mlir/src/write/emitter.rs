//! Bytes that are being written.

use crate::error::Section;

/// Bytes, and the alignment that their start must have.
#[derive(Default)]
pub(crate) struct Emitter {
    pub(crate) bytes: Vec<u8>,
    alignment: u64,
}

impl Emitter {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    #[inline]
    pub(crate) fn varint(&mut self, value: u64) {
        push_varint(&mut self.bytes, value);
    }

    pub(crate) fn flagged_varint(&mut self, value: u64, flag: bool) {
        self.varint(value << 1 | u64::from(flag));
    }

    pub(crate) fn align(&mut self, alignment: u64) {
        const PADDING: u8 = 0xcb;
        if alignment > 1 {
            while !(self.bytes.len() as u64).is_multiple_of(alignment) {
                self.byte(PADDING);
            }
            self.alignment = self.alignment.max(alignment);
        }
    }

    /// Appends a section. One that needs an alignment says so where it would not have it anyway.
    pub(crate) fn section(&mut self, section: Section, content: &Emitter) {
        const IS_ALIGNED: u8 = 0x80;
        let head = self.bytes.len();
        self.byte(section.id().unwrap_or_default());
        self.varint(content.bytes.len() as u64);
        if content.alignment > 1 {
            if (self.bytes.len() as u64).is_multiple_of(content.alignment) {
                self.alignment = self.alignment.max(content.alignment);
            } else {
                self.varint(content.alignment);
                self.align(content.alignment);
                self.bytes[head] |= IS_ALIGNED;
            }
        }
        self.bytes(&content.bytes);
    }
}

/// Appends a number in as few bytes as it takes.
#[inline]
pub(crate) fn push_varint(out: &mut Vec<u8>, value: u64) {
    if value < 1 << 7 {
        out.push((value << 1) as u8 | 1);
    } else {
        push_long_varint(out, value);
    }
}

/// Appends a number whose lowest bit is its sign.
pub(crate) fn push_signed_varint(out: &mut Vec<u8>, value: i64) {
    push_varint(out, (value << 1 ^ value >> 63) as u64);
}

fn push_long_varint(out: &mut Vec<u8>, value: u64) {
    // 7 bits to a byte; what takes more than 56 stands as it is behind a byte of zeros.
    let len = (64 - value.leading_zeros()).div_ceil(7) as usize;
    if len > 8 {
        out.push(0);
        out.extend(value.to_le_bytes());
    } else {
        let word = (value << 1 | 1) << (len - 1);
        out.extend(&word.to_le_bytes()[..len]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;

    #[test]
    fn numbers_come_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut out = Vec::new();
                push_varint(&mut out, value);
                let mut cursor = Cursor::trusted(&out);
                assert_eq!(cursor.varint(), Ok(value));
                assert!(cursor.is_empty());
            }
        }
    }
}
