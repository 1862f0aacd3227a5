//! Files changed byte by byte, with more types than they had, so that changed type indices find something.

use crate::support::{self, Bytes, bytes, id};
use tilewright_bytecode::read;
use tilewright_fuzz::Random;
use tilewright_ir::Version;

/// A section of a file: its id, and where its payload lies.
struct Section {
    id: u8,
    alignment: Option<u64>,
    payload: std::ops::Range<usize>,
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// The sections of a well-formed file.
fn sections(file: &[u8]) -> Option<Vec<Section>> {
    let mut at = 12;
    let mut sections = Vec::new();
    loop {
        let id = *file.get(at)?;
        at += 1;
        if id == 0 {
            return Some(sections);
        }
        let length = varint(file, &mut at)? as usize;
        let mut alignment = None;
        if id & 0x80 != 0 {
            let value = varint(file, &mut at)?;
            alignment = Some(value);
            at = at.next_multiple_of(value as usize);
        }
        sections.push(Section { id: id & 0x7f, alignment, payload: at..at + length });
        at += length;
    }
}

/// The items of an indexed table with offsets of four bytes.
fn items(payload: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut at = 0;
    let count = varint(payload, &mut at)? as usize;
    at = at.next_multiple_of(4);
    let offset = |i: usize| Some(u32::from_le_bytes(payload.get(at + 4 * i..at + 4 * i + 4)?.try_into().ok()?) as usize);
    let blob = payload.get(at + 4 * count..)?;
    let item = |i: usize| Some(blob.get(offset(i)?..if i + 1 < count { offset(i + 1)? } else { blob.len() })?.to_vec());
    (0..count).map(item).collect()
}

/// Types that files rarely have, as items behind the `first` that exist.
fn more_types(version: Version, first: u64) -> Vec<Bytes> {
    let mut scalars: Vec<u64> = (0..=11).collect();
    let later = [(18, Version::V13_2), (19, Version::V13_3), (22, Version::V13_3), (130, Version::V13_4)];
    scalars.extend(later.into_iter().filter(|(_, since)| *since <= version).map(|(tag, _)| tag));
    let flags = |item: Bytes, since: Version| if version >= since { item.varint(0) } else { item };
    let count = scalars.len() as u64;
    let mut types: Vec<Bytes> = scalars.iter().map(|tag| bytes().varint(*tag)).collect();
    types.push(bytes().varint(17));
    let pointer = first + types.len() as u64;
    types.push(flags(bytes().varint(12), Version::V13_4).varint(first + 3));
    types.push(flags(bytes().varint(12), Version::V13_4).varint(first + 7));
    let tiles = |types: &mut Vec<Bytes>, shape: &[i64]| {
        // A single f4E2M1FN would not fill a byte.
        let has_f4 = version >= Version::V13_3 && shape.is_empty();
        let elements = (first..first + count).filter(|element| !has_f4 || *element != first + 13).chain([pointer, pointer + 1]);
        types.extend(elements.map(|element| bytes().varints([13, element]).list8(shape)));
    };
    for shape in [&[][..], &[4], &[2, 4]] {
        tiles(&mut types, shape);
    }
    let tensor = first + types.len() as u64;
    types.push(flags(bytes().varint(14), Version::V13_4).varint(first + 7).list8(&[8, 8]).list8(&[8, 1]));
    types.push(flags(bytes().varint(14), Version::V13_4).varint(first + 3).list8(&[i64::MIN]).list8(&[1]));
    let padding = |item: Bytes| if version < Version::V13_3 { item.raw([0]) } else { item };
    types.push(padding(flags(bytes().varint(15), Version::V13_3).list4(&[2, 4]).varint(tensor).list4(&[0, 1])));
    types.push(padding(flags(bytes().varint(15), Version::V13_3).list4(&[4]).varint(tensor + 1).list4(&[0])));
    if version >= Version::V13_3 {
        types.push(bytes().varints([20, 0]).list4(&[2, 4]).varint(tensor).varint(0));
        types.push(bytes().varints([21, 0]).list4(&[4]).list4(&[2]).varint(tensor + 1).list4(&[0]));
    }
    if version >= Version::V13_5 {
        special_types(&mut types, first);
    }
    for shape in [&[2][..], &[1, 4], &[4, 4, 4]] {
        tiles(&mut types, shape);
    }
    types
}

/// Types of replicated memory, of f4E2M1FN, and views with padding, behind the `first` types.
fn special_types(types: &mut Vec<Bytes>, first: u64) {
    let next = |types: &[Bytes]| first + types.len() as u64;
    let (f16, f32, f4, i32) = (first + 5, first + 7, first + 13, first + 3);
    for (element, attr) in [(f32, 2), (f16, 2), (i32, 2), (f32, 1)] {
        types.push(bytes().varints([12, 1, element, attr]));
        types.push(bytes().varints([13, next(types) - 1]).list8(&[]));
        types.push(bytes().varints([14, 1, element]).list8(&[8, 8]).list8(&[8, 1]).varint(attr));
        let tensor = next(types) - 1;
        types.push(bytes().varints([15, 0]).list4(&[2, 4]).varint(tensor).list4(&[0, 1]));
        types.push(bytes().varints([21, 0]).list4(&[2, 4]).list4(&[2, 2]).varint(tensor).list4(&[0, 1]));
    }
    types.push(bytes().varints([15, 1]).list4(&[2, 4]).varint(next(types) - 3).list4(&[0, 1]).varint(0));
    types.push(bytes().varints([12, 0, f4]));
    types.push(bytes().varints([13, next(types) - 1]).list8(&[]));
    types.push(bytes().varints([13, next(types) - 2]).list8(&[4]));
    types.push(bytes().varints([14, 0, f4]).list8(&[8, 8]).list8(&[8, 1]));
    types.push(bytes().varints([14, 0, f4]).list8(&[8, 8]).list8(&[8, i64::MIN]));
    types.push(bytes().varints([15, 0]).list4(&[2, 4]).varint(next(types) - 1).list4(&[0, 1]));
    types.push(bytes().varints([15, 0]).list4(&[2, 4]).varint(next(types) - 3).list4(&[0, 1]));
}

/// A file in parts that can be changed one by one.
struct Parts {
    head: Vec<u8>,
    version: Version,
    sections: Vec<(u8, Option<u64>, Vec<u8>)>,
    /// How many types it had, and has.
    types: (u64, u64),
}

impl Parts {
    fn new(file: &[u8]) -> Option<Parts> {
        let version = Version::from_numbers(13, *file.get(9)?)?;
        let mut types = (0, 0);
        let mut parts = Vec::new();
        for section in sections(file)? {
            let mut payload = file[section.payload].to_vec();
            if section.id == id::TYPE {
                let mut all = items(&payload)?;
                let first = all.len() as u64;
                all.extend(more_types(version, first).into_iter().map(|item| item.0));
                types = (first, all.len() as u64);
                payload = support::table(&all, 4).0;
            }
            parts.push((section.id, section.alignment, payload));
        }
        Some(Parts { head: file[..12].to_vec(), version, sections: parts, types })
    }

    fn build(&self) -> Vec<u8> {
        let head = bytes().raw(&self.head);
        let file = self.sections.iter().fold(head, |file, (id, alignment, payload)| {
            let head = file.raw([id | if alignment.is_some() { 0x80 } else { 0 }]).varint(payload.len() as u64);
            match alignment {
                None => head.raw(payload),
                Some(alignment) => head.varint(*alignment).pad(*alignment as usize).raw(payload),
            }
        });
        file.raw([0]).0
    }

    /// Changes something in a section, mostly the functions.
    fn mutate(&mut self, random: &mut Random) {
        let wanted = match random.below(20) {
            0..=1 => id::TYPE,
            2 => id::CONSTANT,
            3 => id::GLOBAL,
            4 => [id::DEBUG, id::STRING][random.below(2)],
            _ => id::FUNCTION,
        };
        let (old, all) = self.types;
        let Some((_, _, payload)) = self.sections.iter_mut().find(|(id, _, _)| *id == wanted) else { return };
        if payload.is_empty() {
            return;
        }
        let mut at = random.below(payload.len());
        if wanted == id::TYPE {
            // Behind the offsets, in the types that the file had.
            at = at.max((4 * all as usize + 8).min(payload.len() - 1));
        }
        match random.below(8) {
            // A small number: an enumeration, a flag, an operand, a common type.
            0..=2 => payload[at] = random.below(12) as u8,
            // A type of the file, or one that was added, if a byte can name it.
            3 => payload[at] = random.below(old.min(0x80) as usize) as u8,
            4..=5 => payload[at] = (old as usize + random.below((all - old) as usize)).min(0x7f) as u8,
            6 => payload[at] = payload[at].wrapping_add(if random.below(2) == 0 { 1 } else { 0xff }),
            _ => payload[at] ^= 1 << random.below(8),
        }
    }
}

/// A changed file of the corpus and its version: mostly one that reads, so that there is something to verify.
pub(crate) fn changed(random: &mut Random, corpus: &[Vec<u8>]) -> (Version, Vec<u8>) {
    let original = &corpus[random.below(corpus.len())];
    let mut tries = 1 + random.below(40);
    loop {
        let mut parts = Parts::new(original).expect("a corpus file has sections");
        for _ in 0..[1, 1, 1, 2][random.below(4)] {
            parts.mutate(random);
        }
        let file = parts.build();
        tries -= 1;
        if tries == 0 || read(&file).is_ok() {
            return (parts.version, file);
        }
    }
}
