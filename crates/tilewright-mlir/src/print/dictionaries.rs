//! The entries of dictionaries.
//!
//! Dictionaries have the names of others: what stands between values is made once for each list of names.

use super::{
    Printer,
    cache::{BLOCK, hash},
    strings::push_keyword_or_string,
};
use crate::{
    encoding::code,
    tables::{AttrId, Tables},
};
use std::{cell::RefCell, rc::Rc};
use tilewright_text::short::push_block;

/// What stands before each of some values with names: a comma if it is not the first, the name, and ` = `.
pub(super) struct Labels(Vec<([u8; BLOCK], usize)>);

impl Labels {
    /// None where a name is long.
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n [u8]>) -> Option<Labels> {
        let label = |(index, name): (usize, &[u8])| {
            let mut text = if index == 0 { Vec::new() } else { b", ".to_vec() };
            push_keyword_or_string(&mut text, name);
            text.extend_from_slice(EQUALS);
            let mut block = [0; BLOCK];
            block.get_mut(..text.len())?.copy_from_slice(&text);
            Some((block, text.len()))
        };
        names.enumerate().map(label).collect::<Option<_>>().map(Labels)
    }
}

impl Labels {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The labels of dictionaries with the same names.
struct Frame {
    names: Vec<u32>,
    labels: Labels,
}

/// Frames by their names, as far as they were made lately.
pub(super) struct Frames {
    slots: RefCell<Vec<Option<Rc<Frame>>>>,
    /// The one of the last dictionary.
    last: RefCell<Rc<Frame>>,
}

const SLOTS_LOG: u32 = 8;
/// More are printed one by one.
const MAX_ENTRIES: usize = 32;
const EQUALS: &[u8] = b" = ";

impl Frames {
    pub(super) fn new() -> Frames {
        let none = Rc::new(Frame { names: Vec::new(), labels: Labels(Vec::new()) });
        Frames { slots: RefCell::new(vec![None; 1 << SLOTS_LOG]), last: RefCell::new(none) }
    }

    /// The frame for names; none if they are not all strings in their order, or some are long.
    fn find(&self, names: &[u32], tables: &Tables<'_>) -> Option<Rc<Frame>> {
        let place = (hash(names) >> (64 - SLOTS_LOG)) as usize;
        let slot = &mut self.slots.borrow_mut()[place];
        let frame = match slot {
            Some(frame) if frame.names == names => Rc::clone(frame),
            _ => Rc::clone(slot.insert(Rc::new(Frame::of(names, tables)?))),
        };
        self.last.replace(Rc::clone(&frame));
        Some(frame)
    }
}

impl Frame {
    fn of(names: &[u32], tables: &Tables<'_>) -> Option<Frame> {
        let strings = names.iter().map(|&name| tables.string_attr(AttrId(name))).collect::<Option<Vec<_>>>()?;
        if !strings.is_sorted() {
            return None;
        }
        Some(Frame { names: names.to_vec(), labels: Labels::new(strings.into_iter())? })
    }
}

impl Printer<'_, '_> {
    /// The entries of a dictionary, without braces; false, and nothing is printed, where there are none or very many, where it is no
    /// dictionary, or where that takes sorting.
    pub(super) fn push_entries(&self, out: &mut Vec<u8>, dictionary: AttrId) -> bool {
        let tables = &self.module.tables;
        if tables.builtin_attr(dictionary) != Some(code::DICTIONARY) {
            return false;
        }
        let mut numbers = tables.attrs.cursor(dictionary.0).numbers();
        let (mut names, mut values) = ([0; MAX_ENTRIES], [0; MAX_ENTRIES]);
        let mut read = || {
            numbers.small()?;
            let count = numbers.small()? as usize;
            for (name, value) in names.get_mut(..count)?.iter_mut().zip(&mut values) {
                (*name, *value) = (numbers.small()? as u32, numbers.small()? as u32);
            }
            numbers.are_all().then_some(count)
        };
        let Some(count @ 1..) = read() else { return false };
        let (names, values) = (&names[..count], &values[..count]);
        let last = Rc::clone(&self.frames.last.borrow());
        let frame = if last.names[..] == *names { Some(last) } else { self.frames.find(names, tables) };
        let Some(frame) = frame else { return false };
        self.push_labelled(out, &frame.labels, values);
        true
    }

    /// Values with their labels.
    pub(super) fn push_labelled(&self, out: &mut Vec<u8>, labels: &Labels, values: &[u32]) {
        for ((text, len), &value) in labels.0.iter().zip(values) {
            push_block(out, text, *len);
            if self.recent.push(out, AttrId(value)) {
                continue;
            }
            if self.module.tables.builtin_attr(AttrId(value)) == Some(code::UNIT) {
                // It stands as its name alone.
                out.truncate(out.len() - EQUALS.len());
            } else {
                self.push_value(out, AttrId(value));
            }
        }
    }
}
