//! The entries of dictionaries.
//!
//! Dictionaries have the names of others: what stands between values is made once for each list of names.

use super::{
    Printer,
    cache::{Texts, hash},
    strings::push_keyword_or_string,
};
use crate::{
    encoding::code,
    tables::{AttrId, Tables},
};
use smallvec::SmallVec;
use std::{cell::RefCell, rc::Rc};

/// What stands before the values of dictionaries with the same names.
struct Frame {
    names: SmallVec<[u32; 8]>,
    /// For each name: a comma if it is not the first, the name, and ` = `.
    texts: Texts,
}

/// Frames by their names, as far as they were made lately.
pub(super) struct Frames(RefCell<Vec<Option<Rc<Frame>>>>);

const SLOTS_LOG: u32 = 8;
const EQUALS: &[u8] = b" = ";

impl Frames {
    pub(super) fn new() -> Frames {
        Frames(RefCell::new(vec![None; 1 << SLOTS_LOG]))
    }

    /// The frame for names; none if they are not all strings in their order.
    fn find(&self, names: &[u32], tables: &Tables<'_>) -> Option<Rc<Frame>> {
        let place = (hash(names) >> (64 - SLOTS_LOG)) as usize;
        if let Some(frame) = &self.0.borrow()[place]
            && frame.names[..] == *names
        {
            return Some(Rc::clone(frame));
        }
        let frame = Rc::new(Frame::of(names, tables)?);
        self.0.borrow_mut()[place] = Some(Rc::clone(&frame));
        Some(frame)
    }
}

impl Frame {
    fn of(names: &[u32], tables: &Tables<'_>) -> Option<Frame> {
        let strings = names.iter().map(|&name| tables.string_attr(AttrId(name))).collect::<Option<Vec<_>>>()?;
        if !strings.is_sorted() {
            return None;
        }
        let mut texts = Texts::default();
        for (index, name) in strings.into_iter().enumerate() {
            let mut text = if index == 0 { Vec::new() } else { b", ".to_vec() };
            push_keyword_or_string(&mut text, name);
            text.extend_from_slice(EQUALS);
            texts.add(&text);
        }
        Some(Frame { names: names.into(), texts })
    }
}

impl Printer<'_, '_> {
    /// The entries of a dictionary, without braces; false, and nothing is printed, where there are none, where it is no dictionary, or where that
    /// takes sorting.
    pub(super) fn push_entries(&self, out: &mut Vec<u8>, dictionary: AttrId) -> bool {
        let tables = &self.module.tables;
        if tables.builtin_attr(dictionary) != Some(code::DICTIONARY) {
            return false;
        }
        let mut cursor = tables.attrs.cursor(dictionary.0);
        let (mut names, mut values) = (SmallVec::<[u32; 16]>::new(), SmallVec::<[u32; 16]>::new());
        let mut read = || {
            let count = cursor.varint().and_then(|_| cursor.varint()).ok()?;
            for _ in 0..count {
                names.push(cursor.varint().ok()? as u32);
                values.push(cursor.varint().ok()? as u32);
            }
            Some(())
        };
        if read().is_none() || names.is_empty() {
            return false;
        }
        let Some(frame) = self.frames.find(&names, tables) else { return false };
        for (index, &value) in values.iter().enumerate() {
            let value = AttrId(value);
            frame.texts.push(out, index);
            if tables.builtin_attr(value) == Some(code::UNIT) {
                // It stands as its name alone.
                out.truncate(out.len() - EQUALS.len());
            } else {
                self.push_value(out, value);
            }
        }
        true
    }
}
