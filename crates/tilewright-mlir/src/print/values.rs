//! The values of attributes that were printed lately.

use crate::tables::AttrId;
use std::cell::RefCell;
use tilewright_text::short::push_block;

/// Texts of attributes. Each attribute has one place, in a cache line of its own.
pub(super) struct Values(RefCell<Vec<Slot>>);

const SLOTS: usize = 1 << 10;
const MAX_LENGTH: usize = 56;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Slot {
    attr: u32,
    len: u32,
    text: [u8; MAX_LENGTH],
}

impl Values {
    pub(super) fn new() -> Values {
        Values(RefCell::new(vec![Slot { attr: u32::MAX, len: 0, text: [0; MAX_LENGTH] }; SLOTS]))
    }

    /// Appends the text of an attribute if it is known.
    #[inline]
    pub(super) fn push(&self, out: &mut Vec<u8>, attr: AttrId) -> bool {
        let slot = &self.0.borrow()[attr.index() % SLOTS];
        if slot.attr == attr.0 {
            push_block(out, &slot.text, slot.len as usize);
        }
        slot.attr == attr.0
    }

    /// Keeps the text of an attribute, unless it is long.
    pub(super) fn keep(&self, attr: AttrId, text: &[u8]) {
        let slot = &mut self.0.borrow_mut()[attr.index() % SLOTS];
        if let Some(start) = slot.text.get_mut(..text.len()) {
            start.copy_from_slice(text);
            (slot.attr, slot.len) = (attr.0, text.len() as u32);
        }
    }
}
