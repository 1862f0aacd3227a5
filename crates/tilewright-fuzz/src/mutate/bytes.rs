//! Changing files.

use crate::{Random, Source};

/// Bytes that mean something in many places: small numbers, opcodes, ends of ranges.
const INTERESTING: [u8; 16] = [0, 1, 2, 3, 4, 5, 8, 11, 12, 16, 0x0f, 0x5c, 0x7f, 0x80, 0x81, 0xff];
/// How long the header of a file is.
const HEADER: usize = 12;
/// The most bytes that are replaced at once.
const SPLICED: usize = 64;

/// A file that differs from `file` in one to four places; `other` gives parts to splice in.
pub fn bytes(random: &mut Random, file: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..[1, 1, 1, 2, 4][random.below(5)] {
        // The header is short: leave it alone most of the time.
        let first = if random.below(20) == 0 { 0 } else { HEADER.min(bytes.len()) };
        let at = first + random.below(bytes.len() - first);
        if at >= bytes.len() {
            break;
        }
        match random.below(10) {
            0..=1 => bytes[at] ^= 1 << random.below(8),
            2..=3 => bytes[at] = INTERESTING[random.below(INTERESTING.len())],
            4 => bytes[at] = random.next() as u8,
            5 => bytes[at] = bytes[at].wrapping_add(1),
            6 => bytes.truncate(at),
            7 => bytes.insert(at, INTERESTING[random.below(INTERESTING.len())]),
            8 => drop(bytes.splice(at..at + 1, varint(random.next() >> random.below(64)))),
            _ => {
                let start = random.below(other.len());
                let end = start + random.below((other.len() - start).min(SPLICED));
                let replaced = at..(at + random.below(SPLICED)).min(bytes.len());
                bytes.splice(replaced, other[start..end].iter().copied());
            }
        }
    }
    bytes
}

/// One change of one byte of a file behind its header: those that leave most files readable.
pub fn change_bytes(source: &mut Source<'_>, file: &mut [u8]) {
    let at = HEADER + source.below(1 << 16) % file.len().saturating_sub(HEADER).max(1);
    let Some(byte) = file.get_mut(at) else { return };
    *byte = match source.below(4) {
        0 => source.below(32) as u8,
        1 => byte.wrapping_add(1),
        2 => byte.wrapping_sub(1),
        _ => *byte ^ 1 << source.below(8),
    };
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
