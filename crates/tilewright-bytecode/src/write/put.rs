//! Writes the primitives (FORMAT section 1).

/// What writers put into the bytes before aligned data.
pub(crate) const PADDING: u8 = 0xcb;

/// Appends the primitives of the format.
pub(crate) trait Put {
    /// An unsigned LEB128 number, in its shortest form.
    fn varint(&mut self, value: u64);
    /// A signed number: a varint whose low bit is the sign.
    fn svarint(&mut self, value: i64);
    /// A number of things.
    fn count(&mut self, count: usize);
    /// A counted list of little-endian 64-bit numbers.
    fn list_i64(&mut self, list: &[i64]);
    /// A counted list of little-endian 32-bit numbers.
    fn list_i32(&mut self, list: &[i32]);
    /// Padding up to a multiple of `alignment`, counted from the start of the bytes.
    fn pad(&mut self, alignment: usize);
}

impl Put for Vec<u8> {
    #[inline]
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
    }

    fn svarint(&mut self, value: i64) {
        self.varint(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    fn count(&mut self, count: usize) {
        self.varint(count as u64);
    }

    fn list_i64(&mut self, list: &[i64]) {
        self.count(list.len());
        self.extend(list.iter().flat_map(|n| n.to_le_bytes()));
    }

    fn list_i32(&mut self, list: &[i32]) {
        self.count(list.len());
        self.extend(list.iter().flat_map(|n| n.to_le_bytes()));
    }

    fn pad(&mut self, alignment: usize) {
        self.resize(self.len().next_multiple_of(alignment), PADDING);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Section, cursor::Cursor};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_read_back(unsigned: u64, signed: i64) {
            let mut bytes = Vec::new();
            bytes.varint(unsigned);
            bytes.svarint(signed);
            let mut cursor = Cursor::new(&bytes, 0, Section::Function);
            prop_assert_eq!(cursor.varint(), Ok(unsigned));
            prop_assert_eq!(cursor.svarint(), Ok(signed));
            prop_assert!(cursor.is_empty());
        }
    }

    #[test]
    fn numbers_of_the_specification() {
        let varint = |value| {
            let mut bytes = Vec::new();
            bytes.varint(value);
            bytes
        };
        assert_eq!(varint(0), [0]);
        assert_eq!(varint(138), [0x8a, 1]);
        assert_eq!(varint(1 << 32), [0x80, 0x80, 0x80, 0x80, 0x10]);
        let mut bytes = Vec::new();
        [-1, -5, 63, -65].iter().for_each(|&n| bytes.svarint(n));
        assert_eq!(bytes, [1, 9, 0x7e, 0x81, 1]);
    }
}
