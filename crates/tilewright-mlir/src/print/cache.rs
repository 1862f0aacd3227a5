//! Texts that were made before.

use crate::ir::Span;
use std::cell::RefCell;
use tilewright_text::short::push_block;

/// Texts that are not longer are copied as blocks.
pub(super) const BLOCK: usize = 64;

/// Texts, one behind the other.
#[derive(Default)]
pub(super) struct Texts {
    /// With a block of zeros behind them, so that a block can be copied of each.
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

impl Texts {
    /// Adds a text; its number is that of the texts before it.
    pub(super) fn add(&mut self, text: &[u8]) {
        let start = self.bytes.len().saturating_sub(BLOCK);
        self.bytes.truncate(start);
        self.bytes.extend_from_slice(text);
        self.bytes.extend_from_slice(&[0; BLOCK]);
        self.spans.push(Span { start: start as u32, len: text.len() as u32 });
    }

    /// Appends a text.
    #[inline]
    pub(super) fn push(&self, out: &mut Vec<u8>, number: usize) {
        let span = self.spans[number];
        let len = span.len as usize;
        let text = &self.bytes[span.start as usize..];
        match text.first_chunk::<BLOCK>() {
            Some(block) if len <= BLOCK => push_block(out, block, len),
            _ => out.extend_from_slice(&text[..len]),
        }
    }

    /// A text that is no longer than a block, with its length.
    #[inline]
    pub(super) fn block(&self, number: usize) -> Option<(&[u8; BLOCK], usize)> {
        let span = self.spans[number];
        let block = self.bytes[span.start as usize..].first_chunk()?;
        (span.len as usize <= BLOCK).then_some((block, span.len as usize))
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
    }
}

/// Texts by keys of a few numbers, as far as they were made lately.
///
/// A module repeats itself: most operations have the types, and many the attributes, of one shortly before. Each key has one place. A text
/// is kept when it is made for the second time, so that texts that come once cost little more than being made.
pub(super) struct TextCache(RefCell<Content>);

struct Content {
    slots: Vec<Slot>,
    keys: Vec<u32>,
    texts: Texts,
}

/// Where the key of a place is, and the number of its text; no key is empty.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: Span,
    text: u32,
    /// Bits of the hash of the key whose text was made last.
    made: u32,
}

const SLOTS: usize = 1 << 11;
/// Where there is more text than this, all of it is forgotten.
const MAX_TEXT: usize = 1 << 18;
/// Longer texts are not kept: they are rarely the same.
const MAX_LENGTH: usize = 1024;
impl TextCache {
    pub(super) fn new() -> TextCache {
        TextCache(RefCell::new(Content { slots: vec![Slot::default(); SLOTS], keys: Vec::new(), texts: Texts::default() }))
    }

    /// Hands on the text of a key if it is known and no longer than a block.
    #[inline]
    pub(super) fn with_block<T>(&self, key: &[u32], take: impl FnOnce(&[u8; BLOCK], usize) -> T) -> Option<T> {
        let content = self.0.borrow();
        let (block, len) = content.texts.block(content.find(key, place(hash(key)))?)?;
        Some(take(block, len))
    }

    /// Appends the text of a key, which `make` appends if it is not known. What is made must depend on the key alone.
    pub(super) fn push(&self, out: &mut Vec<u8>, key: &[u32], make: impl FnOnce(&mut Vec<u8>)) {
        let hash = hash(key);
        if self.0.borrow().push(out, key, place(hash)) {
            return;
        }
        let start = out.len();
        make(out);
        if out.len() - start <= MAX_LENGTH {
            self.0.borrow_mut().offer(key, hash, &out[start..]);
        }
    }
}

/// Its highest bits are the best.
#[inline]
pub(super) fn hash(key: &[u32]) -> u64 {
    key.iter().fold(0u64, |hash, &part| (hash.rotate_left(5) ^ u64::from(part)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[inline]
fn place(hash: u64) -> usize {
    (hash >> (64 - SLOTS.trailing_zeros())) as usize
}

impl Content {
    fn push(&self, out: &mut Vec<u8>, key: &[u32], place: usize) -> bool {
        let number = self.find(key, place);
        if let Some(number) = number {
            self.texts.push(out, number);
        }
        number.is_some()
    }

    /// The number of the text of a key.
    #[inline]
    fn find(&self, key: &[u32], place: usize) -> Option<usize> {
        let slot = self.slots[place];
        let known = &self.keys[slot.key.range()];
        // Keys are short: a loop compares them faster than a call.
        (known.len() == key.len() && known.iter().zip(key).all(|(a, b)| a == b)).then_some(slot.text as usize)
    }

    /// Keeps a text if it was made before.
    fn offer(&mut self, key: &[u32], hash: u64, text: &[u8]) {
        let slot = &mut self.slots[place(hash)];
        if std::mem::replace(&mut slot.made, (hash >> 16) as u32) == (hash >> 16) as u32 {
            self.insert(key, place(hash), text);
        }
    }

    fn insert(&mut self, key: &[u32], place: usize, text: &[u8]) {
        if self.texts.bytes.len() + self.keys.len() > MAX_TEXT {
            self.slots.fill(Slot::default());
            self.keys.clear();
            self.texts.clear();
        }
        let key_span = Span { start: self.keys.len() as u32, len: key.len() as u32 };
        let slot = &mut self.slots[place];
        (slot.key, slot.text) = (key_span, self.texts.spans.len() as u32);
        self.keys.extend_from_slice(key);
        self.texts.add(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_those_of_their_keys() {
        let cache = TextCache::new();
        let text_of = |key: &[u32]| format!("{key:?}").repeat(key[0] as usize % 40);
        let mut made = 0;
        for round in 0..20_000u32 {
            // Some keys come again at once, some later, some never.
            let number = if round % 3 == 0 { round } else { round % 7 };
            let key = [number, round % 2, 1, 2][..1 + number as usize % 4].to_vec();
            let mut out = b"before".to_vec();
            cache.push(&mut out, &key, |out| {
                made += 1;
                out.extend(text_of(&key).as_bytes());
            });
            assert_eq!(out, [b"before", text_of(&key).as_bytes()].concat());
        }
        assert!(made < 14_000, "{made} texts were made");
    }
}
