//! The container that begins with `06 03 80 "Tile" 00`.
//!
//! One description of tileiras takes it for the input; every release refuses it. The description says how the header and the sections
//! are laid out, and of numbers two things: that they are unsigned LEB128, and that the ones at the low end of the first byte count the
//! bytes that follow. Whichever makes a version of Tile IR of what stands behind the magic number is taken.

use std::fmt;

/// What it begins with.
const MAGIC: &[u8] = b"\x06\x03\x80Tile\0";

/// The sections by their numbers, from 1.
const SECTIONS: [&str; 6] = ["String", "Func", "Debug", "Constant", "Type", "Global"];

/// What can be said of a container.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Container {
    /// Major, minor and patch; none if neither way to read numbers gives a version of Tile IR.
    pub version: Option<[u64; 3]>,
    /// The sections in their order, as far as they are as described.
    pub sections: Vec<ContainerSection>,
    /// Where what is described ends.
    pub end: usize,
    /// Whether that is at the mark for the end.
    pub is_complete: bool,
}

/// A section of a container.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContainerSection {
    /// Its name.
    pub name: &'static str,
    /// Where its header begins.
    pub offset: usize,
    /// How many bytes follow its length.
    pub length: usize,
}

/// How numbers are written.
#[derive(Clone, Copy)]
enum Numbers {
    Leb128,
    CountedByOnes,
}

impl Container {
    /// What can be said of a file; none if it does not begin as a container does.
    pub fn of(bytes: &[u8]) -> Option<Container> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let read = |numbers| version(rest, numbers).map(|(version, len)| (version, MAGIC.len() + len, numbers));
        let Some((version, start, numbers)) = read(Numbers::Leb128).or_else(|| read(Numbers::CountedByOnes)) else {
            return Some(Container { version: None, sections: Vec::new(), end: MAGIC.len(), is_complete: false });
        };
        let mut container = Container { version: Some(version), sections: Vec::new(), end: start, is_complete: false };
        while let Some((section, end)) = section(bytes, container.end, numbers) {
            container.sections.push(section);
            container.end = end;
        }
        if bytes.get(container.end) == Some(&0) {
            container.is_complete = true;
            container.end += 1;
        }
        Some(container)
    }
}

fn version(bytes: &[u8], numbers: Numbers) -> Option<([u64; 3], usize)> {
    let mut at = 0;
    let mut next = || {
        let (number, len) = number(&bytes[at..], numbers)?;
        at += len;
        Some(number)
    };
    let version = [next()?, next()?, next()?];
    (version[0] == 13 && (1..=9).contains(&version[1])).then_some((version, at))
}

/// The section that begins at `offset`, and where it ends.
fn section(bytes: &[u8], offset: usize, numbers: Numbers) -> Option<(ContainerSection, usize)> {
    const IS_ALIGNED: u8 = 0x80;
    let id = bytes.get(offset)? & !IS_ALIGNED;
    let name = SECTIONS.get(usize::from(id).checked_sub(1)?)?;
    let (length, len) = number(&bytes[offset + 1..], numbers)?;
    let end = usize::try_from(length).ok()?.checked_add(offset + 1 + len).filter(|&end| end <= bytes.len())?;
    Some((ContainerSection { name, offset, length: length as usize }, end))
}

fn number(bytes: &[u8], numbers: Numbers) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    match numbers {
        Numbers::Leb128 => {
            let len = bytes.iter().take(9).position(|byte| byte & 0x80 == 0)? + 1;
            Some((bytes[..len].iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f)), len))
        }
        Numbers::CountedByOnes => {
            let following = first.trailing_ones() as usize;
            let rest = bytes.get(1..=following).filter(|_| following < 8)?;
            let high = rest.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
            let bits = 7 - following as u32;
            Some((high << bits | u64::from(first) >> (following + 1), following + 1))
        }
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some([major, minor, patch]) => writeln!(f, "0x0000  container, version {major}.{minor}.{patch}")?,
            None => writeln!(f, "0x0000  container, of a version that is not as described")?,
        }
        for section in &self.sections {
            writeln!(f, "{:#06x}  {} section, {} bytes", section.offset, section.name, section.length)?;
        }
        match self.is_complete {
            true => writeln!(f, "{:#06x}  end", self.end - 1),
            false => writeln!(f, "{:#06x}  from here on it is not as described", self.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_listed_as_far_as_they_are_as_described() {
        let file = [MAGIC, &[13, 1, 0, 1, 3, 9, 9, 9, 0x85, 2, 8, 0, 0]].concat();
        let container = Container::of(&file).unwrap();
        assert_eq!(container.version, Some([13, 1, 0]));
        let names: Vec<_> = container.sections.iter().map(|section| (section.name, section.offset, section.length)).collect();
        assert_eq!(names, [("String", 11, 3), ("Type", 16, 2)]);
        assert!(container.is_complete && container.end == file.len());
        // Numbers in the other way: a zero at the low end for each that takes one byte.
        let file = [MAGIC, &[13 << 1, 1 << 1, 0, 2, 3 << 1, 7, 7, 7]].concat();
        let container = Container::of(&file).unwrap();
        assert_eq!((container.version, container.sections.len(), container.is_complete), (Some([13, 1, 0]), 1, false));
        for len in 0..file.len() {
            assert_eq!(Container::of(&file[..len]).is_some(), len >= MAGIC.len());
        }
    }

    #[test]
    fn numbers_are_read_in_both_ways() {
        assert_eq!(number(&[0x85, 2], Numbers::Leb128), Some((0x105, 2)));
        assert_eq!(number(&[0b101, 0b1], Numbers::CountedByOnes), Some((0b1000001, 2)));
        assert_eq!(number(&[0xff; 9], Numbers::CountedByOnes), None);
        assert_eq!(number(&[0x80], Numbers::Leb128), None);
    }
}
