//! A place in a range of bytes, and the primitives of the format.

use crate::error::{Error, Section};
use std::ops::Range;

/// Reads from a range of bytes; knows where in the file it is.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    /// The range and what stands around it, so that a number at its end can be read as part of a word.
    bytes: &'a [u8],
    pos: usize,
    end: usize,
    /// Where in the file `bytes` begins.
    base: usize,
    section: Section,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: usize, section: Section) -> Cursor<'a> {
        Cursor { bytes, pos: 0, end: bytes.len(), base, section }
    }

    /// A cursor over a range of `bytes`, which begin at `base` in the file.
    #[inline]
    pub(crate) fn within(bytes: &'a [u8], range: Range<usize>, base: usize, section: Section) -> Cursor<'a> {
        Cursor { bytes, pos: range.start, end: range.end, base, section }
    }

    /// Bytes that were read before, whose place in a file does not matter any more.
    pub(crate) fn trusted(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor::new(bytes, 0, Section::AttrType)
    }

    /// The place in the file.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.pos
    }

    /// The numbers from here on.
    #[inline]
    pub(crate) fn numbers(&self) -> Numbers<'a> {
        Numbers { bytes: self.bytes, pos: self.pos, end: self.end }
    }

    /// Goes to where numbers were read to, which is within the range.
    #[inline]
    pub(crate) fn go_behind(&mut self, numbers: &Numbers<'a>) {
        self.pos = numbers.pos.min(self.end);
    }

    pub(crate) fn remaining(&self) -> usize {
        self.end - self.pos
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pos == self.end
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.pos..self.end]
    }

    #[cold]
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::new(self.offset(), self.section, message)
    }

    /// An error about what was read from `offset` on.
    #[cold]
    pub(crate) fn error_at(&self, offset: usize, message: impl Into<String>) -> Error {
        Error::new(offset, self.section, message)
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        match self.bytes.get(self.pos) {
            Some(&byte) if self.pos < self.end => {
                self.pos += 1;
                Ok(byte)
            }
            _ => Err(self.error("it ends where a byte is expected")),
        }
    }

    pub(crate) fn bytes(&mut self, count: u64) -> Result<&'a [u8], Error> {
        if count > self.remaining() as u64 {
            return Err(self.error(format!("{count} bytes are expected, but only {} remain", self.remaining())));
        }
        let start = self.pos;
        self.pos += count as usize;
        Ok(&self.bytes[start..self.pos])
    }

    /// An integer of 1 to 9 bytes: the zeros at the low end of the first byte say how many follow.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Error> {
        match self.bytes.get(self.pos) {
            Some(&byte) if byte & 1 == 1 && self.pos < self.end => {
                self.pos += 1;
                Ok(u64::from(byte >> 1))
            }
            _ => self.long_varint(),
        }
    }

    #[inline]
    fn long_varint(&mut self) -> Result<u64, Error> {
        // One that does not stand at the very end of everything is part of a word.
        if let Some(word) = self.bytes.get(self.pos..).and_then(|rest| rest.first_chunk()) {
            let word = u64::from_le_bytes(*word);
            let len = word.trailing_zeros() + 1;
            if len <= 8 && self.pos + len as usize <= self.end {
                self.pos += len as usize;
                return Ok(word << (64 - 8 * len) >> (64 - 7 * len));
            }
        }
        self.last_varint()
    }

    /// A number with fewer than eight bytes behind its first one, one of nine bytes, or none.
    #[cold]
    fn last_varint(&mut self) -> Result<u64, Error> {
        let Some((&first, behind)) = self.rest().split_first() else { return Err(self.error("it ends where a number is expected")) };
        let following = first.trailing_zeros() as usize;
        let Some(bytes) = behind.get(..following) else { return Err(self.error("it ends within a number")) };
        let rest = bytes.iter().rev().fold(0, |rest, &byte| rest << 8 | u64::from(byte));
        self.pos += following + 1;
        Ok(if following == 8 { rest } else { (rest << 8 | u64::from(first)) >> (following + 1) })
    }

    /// An integer whose lowest bit is its sign.
    #[inline]
    pub(crate) fn signed_varint(&mut self) -> Result<i64, Error> {
        self.varint().map(|value| (value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// An integer with a flag in its lowest bit.
    #[inline]
    pub(crate) fn flagged_varint(&mut self) -> Result<(u64, bool), Error> {
        self.varint().map(|value| (value >> 1, value & 1 == 1))
    }

    /// How many items follow, each at least `size` bytes long.
    #[inline]
    pub(crate) fn count(&mut self, size: usize, items: &str) -> Result<usize, Error> {
        let offset = self.offset();
        let count = self.varint()?;
        self.check_count(count, size, items, offset)
    }

    /// Checks a count that was read from `offset` on against the bytes that remain.
    #[inline]
    pub(crate) fn check_count(&self, count: u64, size: usize, items: &str, offset: usize) -> Result<usize, Error> {
        if count > (self.remaining() / size) as u64 {
            return Err(self.too_many(count, items, offset));
        }
        Ok(count as usize)
    }

    #[cold]
    fn too_many(&self, count: u64, items: &str, offset: usize) -> Error {
        self.error_at(offset, format!("{count} {items} cannot fit into the {} bytes that remain", self.remaining()))
    }

    /// An index of something of which there are `count`.
    #[inline]
    pub(crate) fn index(&mut self, count: usize, what: &str) -> Result<u32, Error> {
        let start = self.pos;
        let index = self.varint()?;
        if index >= count as u64 {
            return Err(self.no_such(self.base + start, index, count, what));
        }
        Ok(index as u32)
    }

    #[cold]
    pub(crate) fn no_such(&self, offset: usize, index: u64, count: usize, what: &str) -> Error {
        self.error_at(offset, format!("there is no {what} {index}: the file has {count}"))
    }

    /// Text up to a null byte, which is skipped.
    pub(crate) fn null_terminated(&mut self) -> Result<&'a [u8], Error> {
        let Some(len) = self.rest().iter().position(|&byte| byte == 0) else {
            return Err(self.error("a text is not ended by a null byte"));
        };
        let text = &self.rest()[..len];
        self.pos += len + 1;
        Ok(text)
    }

    /// Skips padding up to a place in the file that `alignment` divides.
    pub(crate) fn align(&mut self, alignment: u64) -> Result<(), Error> {
        /// What padding consists of.
        const PADDING: u8 = 0xcb;
        if !alignment.is_power_of_two() {
            return Err(self.error(format!("{alignment} is no alignment: it is not a power of two")));
        }
        while self.offset() as u64 & (alignment - 1) != 0 {
            let offset = self.offset();
            let byte = self.byte()?;
            if byte != PADDING {
                return Err(self.error_at(offset, format!("padding is {PADDING:#x}, but this is {byte:#x}")));
            }
        }
        Ok(())
    }

    /// A cursor over the next `count` bytes, which this one skips.
    pub(crate) fn part(&mut self, count: u64, section: Section) -> Result<Cursor<'a>, Error> {
        let start = self.pos;
        self.bytes(count)?;
        Ok(Cursor::within(self.bytes, start..self.pos, self.base, section))
    }

    /// Whatever must not remain.
    pub(crate) fn finish(&self, what: &str) -> Result<(), Error> {
        if self.is_empty() { Ok(()) } else { Err(self.error(format!("{} bytes remain behind {what}", self.remaining()))) }
    }
}

/// Reads numbers from a range of bytes without looking for its end, which is to be asked for before they are believed.
///
/// Numbers of nine bytes, and what stands close to the end of the file, are left to [`Cursor`].
#[derive(Clone)]
pub(crate) struct Numbers<'a> {
    bytes: &'a [u8],
    pos: usize,
    end: usize,
}

impl Numbers<'_> {
    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.pos)?;
        self.pos += 1;
        Some(byte)
    }

    /// A number that mostly is a byte.
    #[inline]
    pub(crate) fn small(&mut self) -> Option<u64> {
        match *self.bytes.get(self.pos)? {
            byte if byte & 1 == 1 => {
                self.pos += 1;
                Some(u64::from(byte >> 1))
            }
            _ => self.any(),
        }
    }

    /// A number of any length, by the same instructions.
    #[inline]
    pub(crate) fn any(&mut self) -> Option<u64> {
        let word = u64::from_le_bytes(*self.bytes.get(self.pos..)?.first_chunk()?);
        if word as u8 == 0 {
            return None;
        }
        let len = (word | 1 << 7).trailing_zeros() + 1;
        self.pos += len as usize;
        Some((word & MASKS[len as usize]) >> len)
    }

    /// How many items follow, each at least `size` bytes long.
    #[inline]
    pub(crate) fn count(&mut self, size: usize) -> Option<usize> {
        let count = self.small()?;
        (count <= (self.end.saturating_sub(self.pos) / size) as u64).then_some(count as usize)
    }

    /// Whether all that was read belongs to the range.
    #[inline]
    pub(crate) fn are_whole(&self) -> bool {
        self.pos <= self.end
    }

    /// Whether what was read is the range.
    #[inline]
    pub(crate) fn are_all(&self) -> bool {
        self.pos == self.end
    }
}

/// So many bytes of a word.
const MASKS: [u64; 9] = [0, 0xff, 0xffff, 0xff_ffff, 0xffff_ffff, 0xff_ffff_ffff, 0xffff_ffff_ffff, 0xff_ffff_ffff_ffff, u64::MAX];

/// The three integers that the first `len` bytes of a word consist of; none if they are more or fewer, or are longer.
#[inline]
pub(crate) fn three_numbers(bytes: [u8; 8], len: usize) -> Option<(u64, u64, u64)> {
    let mut word = u64::from_le_bytes(bytes);
    let mut total = 0;
    let mut next = || {
        // One of more than six bytes leaves too few for two others.
        let len = (word | 1 << 6).trailing_zeros() + 1;
        total += len as usize;
        let number = (word & MASKS[len as usize]) >> len;
        word >>= 8 * len;
        number
    };
    let numbers = (next(), next(), next());
    (total == len && total <= bytes.len()).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length() {
        let cases: [(&[u8], u64); 6] = [
            (&[0x01], 0),
            (&[0xff], 127),
            (&[0x02, 0x02], 128),
            (&[0xfe, 0xff], (1 << 14) - 1),
            (&[0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], (1 << 56) - 1),
            (&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], u64::MAX),
        ];
        for (bytes, value) in cases {
            let mut cursor = Cursor::trusted(bytes);
            assert_eq!(cursor.varint(), Ok(value));
            assert!(cursor.is_empty());
            assert!(Cursor::trusted(&bytes[..bytes.len() - 1]).varint().is_err());
            // The same where more follows.
            let followed = [bytes, &[0x5a; 9]].concat();
            let mut cursor = Cursor::trusted(&followed);
            assert_eq!((cursor.varint(), cursor.remaining()), (Ok(value), 9));
            // And where what follows does not belong to it.
            let part = |end| Cursor::within(&followed, 0..end, 0, Section::AttrType);
            let mut cursor = part(bytes.len());
            assert_eq!((cursor.varint(), cursor.remaining()), (Ok(value), 0));
            assert!(cursor.varint().is_err() && cursor.byte().is_err());
            assert!(part(bytes.len() - 1).varint().is_err());
        }
        assert_eq!(three_numbers([0x03, 0x05, 0x02, 0x02, 9, 9, 9, 9], 4), Some((1, 2, 128)));
        assert_eq!(three_numbers([0x03, 0x05, 0x02, 0x02, 9, 9, 9, 9], 5), None);
        // Six bytes of one number, and one with more.
        assert_eq!(three_numbers([0x03, 0x20, 0, 0, 0, 0, 1, 0xff], 8), Some((1, 1 << 34, 127)));
        assert_eq!(three_numbers([0x40, 1, 1, 1, 1, 1, 1, 1], 8), None);
        assert_eq!(Cursor::trusted(&[0x01 << 1 | 1]).signed_varint(), Ok(-1));
        assert_eq!(Cursor::trusted(&[0x02 << 1 | 1]).signed_varint(), Ok(1));
    }
}
