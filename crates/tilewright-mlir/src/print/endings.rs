//! What stands behind the operands of an operation without regions and successors: most operations have it in common with one shortly
//! before.

use super::cache::BLOCK;
use crate::{
    ir::{Ir, OpData, Span},
    tables::NameId,
};
use std::cell::RefCell;

/// What such a text depends on: the operation's name, attributes and properties, and the types of its operands and results.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct EndingKey([u32; EndingKey::SIZE]);

impl EndingKey {
    const SIZE: usize = 16;
    const HEAD: usize = 4;
    /// No operation has it.
    pub(super) const NONE: EndingKey = EndingKey([u32::MAX; EndingKey::SIZE]);

    /// Becomes that of an operation; false where it has many operands or results, or successors or regions.
    #[inline]
    pub(super) fn set(&mut self, ir: &Ir, data: &OpData) -> bool {
        let (operands, results) = (ir.operands(data), &ir.value_types[data.results.range()]);
        if !data.is_plain() || operands.len() + results.len() > Self::SIZE - Self::HEAD {
            return false;
        }
        let key = &mut self.0;
        // There are fewer operands and results than bits for either.
        let counts = data.operands.len << 16 | data.results.len;
        key[..Self::HEAD].copy_from_slice(&[
            data.name.0,
            data.attrs().map_or(u32::MAX, |id| id.0),
            data.properties().unwrap_or(u32::MAX),
            counts,
        ]);
        let types = &mut key[Self::HEAD..];
        types.fill(0);
        types.iter_mut().zip(operands).for_each(|(ty, &value)| *ty = ir.value_type(value).0);
        types[operands.len()..].iter_mut().zip(results).for_each(|(ty, id)| *ty = id.0);
        true
    }

    /// Its highest bits are the best.
    fn hash(&self) -> u64 {
        let pair = |pair: &[u32]| u64::from(pair[0]) << 32 | u64::from(pair[1]);
        self.0.chunks_exact(2).fold(0u64, |hash, part| (hash.rotate_left(5) ^ pair(part)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Texts that were made lately. One is kept when it is made for the second time: those of many operations come only once.
pub(super) struct Endings(RefCell<Content>);

struct Content {
    kept: Vec<Kept>,
    /// Texts, one behind the other, with zeros behind them, so that whole blocks can be copied.
    bytes: Vec<u8>,
    /// For each name of an operation, the last one that was found.
    last: Vec<u32>,
    slots: Vec<Slot>,
}

struct Kept {
    key: EndingKey,
    text: Span,
}

/// A place for keys with some hash.
#[derive(Clone, Copy, Default)]
struct Slot {
    kept: u32,
    /// Bits of the hash of the key whose text was made last.
    made: u32,
}

const SLOTS_LOG: u32 = 11;
/// Where there are more bytes than this, all of them are forgotten.
const MAX_TEXT: usize = 1 << 18;
/// Longer texts are not kept: they are rarely the same.
pub(super) const MAX_LENGTH: usize = 3 * BLOCK;

impl Endings {
    pub(super) fn new(num_names: usize) -> Endings {
        let mut content = Content { kept: Vec::new(), bytes: Vec::new(), last: vec![0; num_names], slots: Vec::new() };
        content.clear();
        Endings(RefCell::new(content))
    }

    /// Hands on the text of a key if it is known, in pieces, each with its length.
    #[inline]
    pub(super) fn pieces(&self, name: NameId, key: &EndingKey, mut take: impl FnMut(&[u8; BLOCK], usize)) -> Option<()> {
        let content = &mut *self.0.borrow_mut();
        let mut kept = &content.kept[content.last[name.index()] as usize];
        if kept.key != *key {
            let place = content.slots[(key.hash() >> (64 - SLOTS_LOG)) as usize].kept;
            kept = &content.kept[place as usize];
            if kept.key != *key {
                return None;
            }
            content.last[name.index()] = place;
        }
        let mut rest = &content.bytes[kept.text.start as usize..];
        let mut len = kept.text.len as usize;
        while len > BLOCK {
            let (block, behind) = rest.split_first_chunk()?;
            take(block, BLOCK);
            (rest, len) = (behind, len - BLOCK);
        }
        take(rest.first_chunk()?, len);
        Some(())
    }

    /// Keeps the text of a key if it was made before.
    pub(super) fn offer(&self, key: &EndingKey, text: &[u8]) {
        if text.len() > MAX_LENGTH {
            return;
        }
        let hash = key.hash();
        let content = &mut *self.0.borrow_mut();
        let place = (hash >> (64 - SLOTS_LOG)) as usize;
        let made = (hash >> 16) as u32;
        if std::mem::replace(&mut content.slots[place].made, made) == made {
            content.keep(*key, place, text);
        }
    }
}

impl Content {
    fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.resize(BLOCK, 0);
        self.kept.clear();
        self.kept.push(Kept { key: EndingKey::NONE, text: Span::default() });
        self.last.fill(0);
        self.slots.clear();
        self.slots.resize(1 << SLOTS_LOG, Slot::default());
    }

    fn keep(&mut self, key: EndingKey, place: usize, text: &[u8]) {
        if self.bytes.len() > MAX_TEXT {
            self.clear();
        }
        self.slots[place].kept = self.kept.len() as u32;
        let start = self.bytes.len() - BLOCK;
        self.bytes.truncate(start);
        self.bytes.extend_from_slice(text);
        self.bytes.extend_from_slice(&[0; BLOCK]);
        self.kept.push(Kept { key, text: Span { start: start as u32, len: text.len() as u32 } });
    }
}
