//! Walks over bytes, and reads the primitives (FORMAT section 1).

use crate::error::{Place, ReadError, Section};
use std::ops::Range;

/// What remains of a range of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    /// Where the range ends in the file.
    end: usize,
    section: Section,
}

impl<'a> Cursor<'a> {
    /// A cursor over the bytes that begin at `start` in the file.
    pub(crate) fn new(bytes: &'a [u8], start: usize, section: Section) -> Self {
        Cursor { rest: bytes, end: start + bytes.len(), section }
    }

    /// Position in the file.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.end - self.rest.len()
    }

    /// The next byte, as a place to name in errors.
    #[inline]
    pub(crate) fn place(&self) -> Place {
        Place { offset: self.offset(), section: self.section }
    }

    /// How many bytes remain.
    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether nothing remains.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything that remains.
    pub(crate) fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// The next `len` bytes.
    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], ReadError> {
        let Some((head, rest)) = self.rest.split_at_checked(len) else { return Err(self.too_short(len)) };
        self.rest = rest;
        Ok(head)
    }

    /// The next `len` bytes, as a cursor of their own.
    pub(crate) fn split(&mut self, len: usize) -> Result<Cursor<'a>, ReadError> {
        let start = self.offset();
        Ok(Cursor::new(self.take(len)?, start, self.section))
    }

    #[cold]
    fn too_short(&self, wanted: usize) -> ReadError {
        self.place().truncated(format_args!(
            "expected {wanted} more {}, found {}",
            if wanted == 1 { "byte" } else { "bytes" },
            self.rest.len()
        ))
    }

    /// One byte.
    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, ReadError> {
        let Some((&byte, rest)) = self.rest.split_first() else { return Err(self.too_short(1)) };
        self.rest = rest;
        Ok(byte)
    }

    /// What `meaning` makes of the next byte, which is taken if that is something.
    #[inline]
    pub(crate) fn next_if<T>(&mut self, meaning: impl FnOnce(u8) -> Option<T>) -> Option<T> {
        let (&byte, rest) = self.rest.split_first()?;
        let found = meaning(byte)?;
        self.rest = rest;
        Some(found)
    }

    /// The next byte, if its bit is in `mask`.
    #[inline]
    pub(crate) fn byte_of(&mut self, mask: u32) -> Option<u8> {
        self.next_if(|byte| (u32::from(byte) < u32::BITS && mask >> byte & 1 != 0).then_some(byte))
    }

    /// A truth value: any byte but 0 is true.
    pub(crate) fn bool(&mut self) -> Result<bool, ReadError> {
        Ok(self.byte()? != 0)
    }

    /// An unsigned LEB128 number of up to 10 bytes; bits beyond the 64th are lost.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, ReadError> {
        match *self.rest {
            [byte, ref rest @ ..] if byte < 0x80 => {
                self.rest = rest;
                Ok(u64::from(byte))
            }
            [low, high, ref rest @ ..] if high < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            [low, middle, high, ref rest @ ..] if high < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(middle & 0x7f) << 7 | u64::from(high) << 14)
            }
            _ => self.long_varint(),
        }
    }

    #[cold]
    fn long_varint(&mut self) -> Result<u64, ReadError> {
        let mut value = 0;
        for (i, &byte) in self.rest.iter().take(MAX_VARINT).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                self.rest = &self.rest[i + 1..];
                return Ok(value);
            }
        }
        Err(self.endless_varint())
    }

    #[cold]
    fn endless_varint(&self) -> ReadError {
        if self.rest.len() >= MAX_VARINT {
            self.place().malformed(format_args!("a varint has at most {MAX_VARINT} bytes, found one that goes on"))
        } else {
            self.place().truncated(format_args!("expected a varint, found the end of the data after {} bytes", self.rest.len()))
        }
    }

    /// A signed number: a varint whose low bit is the sign.
    pub(crate) fn svarint(&mut self) -> Result<i64, ReadError> {
        let bits = self.varint()?;
        Ok((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed())
    }

    /// A number of things of at least `each` bytes, which must fit into what remains.
    pub(crate) fn count(&mut self, what: &str, each: usize) -> Result<usize, ReadError> {
        let at = self.place();
        let count = self.varint()?;
        match usize::try_from(count) {
            Ok(n) if n <= self.rest.len() / each => Ok(n),
            _ => Err(at.truncated(format_args!("{count} {what} cannot fit into the {} bytes that remain", self.rest.len()))),
        }
    }

    /// A counted list of little-endian 64-bit numbers.
    pub(crate) fn list_i64(&mut self, what: &str) -> Result<Box<[i64]>, ReadError> {
        let count = self.count(what, 8)?;
        Ok(self.take(8 * count)?.as_chunks().0.iter().map(|&b| i64::from_le_bytes(b)).collect())
    }

    /// A counted list of little-endian 32-bit numbers.
    pub(crate) fn list_i32(&mut self, what: &str) -> Result<Box<[i32]>, ReadError> {
        let count = self.count(what, 4)?;
        Ok(self.take(4 * count)?.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)).collect())
    }

    /// Skips padding of any content, up to a multiple of `alignment` counted from `origin`.
    pub(crate) fn align(&mut self, origin: usize, alignment: usize) -> Result<(), ReadError> {
        let past = (self.offset() - origin) % alignment;
        if past != 0 {
            self.take(alignment - past)?;
        }
        Ok(())
    }

    /// The range of the file that remains.
    pub(crate) fn range(&self) -> Range<usize> {
        self.offset()..self.end
    }
}

/// Most bytes of a varint.
const MAX_VARINT: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadErrorKind;
    use proptest::prelude::*;

    fn cursor(bytes: &[u8]) -> Cursor<'_> {
        Cursor::new(bytes, 0, Section::Function)
    }

    fn encode(mut value: u64, padding: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        for _ in 0..padding.min(MAX_VARINT - bytes.len()) {
            *bytes.last_mut().unwrap() |= 0x80;
            bytes.push(0);
        }
        bytes
    }

    #[test]
    fn varints_of_the_specification() {
        let cases: [(&[u8], u64); 9] = [
            (b"\x00", 0),
            (b"\x7f", 127),
            (b"\x80\x01", 128),
            (b"\xac\x02", 300),
            (b"\x80\x80\x80\x80\x10", 1 << 32),
            (b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1 << 63),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", u64::MAX),
            (b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 0),
            (b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7e", 0),
        ];
        for (bytes, value) in cases {
            let mut cursor = cursor(bytes);
            assert_eq!(cursor.varint(), Ok(value), "{bytes:x?}");
            assert!(cursor.is_empty());
        }
    }

    #[test]
    fn the_eleventh_byte_is_an_error() {
        let error = cursor(b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00").varint().unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::Malformed);
        let error = cursor(b"\x80\x80").varint().unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::Truncated);
    }

    #[test]
    fn svarints_of_the_specification() {
        let cases: [(&[u8], i64); 9] = [
            (b"\x00", 0),
            (b"\x01", -1),
            (b"\x02", 1),
            (b"\x03", -2),
            (b"\x09", -5),
            (b"\x7e", 63),
            (b"\x7f", -64),
            (b"\x80\x01", 64),
            (b"\x81\x01", -65),
        ];
        for (bytes, value) in cases {
            assert_eq!(cursor(bytes).svarint(), Ok(value), "{bytes:x?}");
        }
    }

    #[test]
    fn counts_are_checked_against_what_remains() {
        assert_eq!(cursor(b"\x02abcdefgh").count("things", 4), Ok(2));
        let error = cursor(b"\x03abcdefgh").count("things", 4).unwrap_err();
        assert_eq!(error.message(), "3 things cannot fit into the 8 bytes that remain");
        assert!(cursor(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").list_i64("things").is_err());
    }

    proptest! {
        #[test]
        fn varints_decode(value: u64, padding in 0usize..10) {
            let mut bytes = encode(value, padding);
            bytes.push(0xab);
            let mut cursor = cursor(&bytes);
            prop_assert_eq!(cursor.varint(), Ok(value));
            prop_assert_eq!(cursor.byte(), Ok(0xab));
        }

        #[test]
        fn small_varints_decode(value in 0u64..1 << 20) {
            prop_assert_eq!(cursor(&encode(value, 0)).varint(), Ok(value));
        }

        #[test]
        fn svarints_decode(value: i64) {
            let zigzag = (value << 1) ^ (value >> 63);
            prop_assert_eq!(cursor(&encode(zigzag.cast_unsigned(), 0)).svarint(), Ok(value));
        }

        #[test]
        fn any_bytes_decode_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..16)) {
            let mut cursor = cursor(&bytes);
            let before = cursor.remaining();
            match cursor.varint() {
                Ok(_) => prop_assert!(cursor.remaining() < before),
                Err(_) => prop_assert_eq!(cursor.remaining(), before),
            }
        }
    }
}
