//! Indexed tables: the offsets, and the items in the order of their bytes.

use super::{
    GroupKind,
    tracer::{Tracer, excerpt},
};
use crate::{ReadError, cursor::Cursor};

/// Tells what is inside of the item with this number.
type OnItem<'a, 'v> = fn(&mut Tracer<'a, 'v>, usize) -> Result<(), ReadError>;

/// Where an item lies in the blob.
struct Item {
    index: usize,
    start: usize,
    end: usize,
}

impl<'a, 'v> Tracer<'a, 'v> {
    /// The payload of the string section.
    pub(super) fn strings(&mut self) -> Result<(), ReadError> {
        self.table(["string", "strings"], 4, self.cursor.offset(), |tracer, index| {
            let text = excerpt(tracer.cursor.take_rest());
            tracer.field(format_args!("string {index}"), format_args!("{text}"));
            Ok(())
        })
    }

    /// The payload of the constant section.
    pub(super) fn constants(&mut self) -> Result<(), ReadError> {
        self.table(["constant", "constants"], 8, self.cursor.offset(), |tracer, index| {
            tracer.group(GroupKind::Item, format_args!("constant {index}"), |tracer| {
                let len = tracer.count("bytes of data", 1)?;
                tracer.cursor.take(len)?;
                tracer.field(format_args!("data"), format_args!(""));
                Ok(())
            })
        })
    }

    /// A table of such things, by name of one and of many, that fills the rest of the range; its padding is counted from `origin`.
    pub(super) fn table(&mut self, names: [&str; 2], width: usize, origin: usize, on_item: OnItem<'a, 'v>) -> Result<(), ReadError> {
        let [what, many] = names;
        let count = self.count(many, width)?;
        if count == 0 {
            // Some writers pad all the same.
            let _ = self.padding(origin, width);
            return Ok(());
        }
        self.padding(origin, width)?;
        let items = self.offsets(names, width, count)?;
        let blob_start = self.cursor.offset();
        let blob = self.cursor.take_rest();
        for item in items {
            self.item(what, &item, blob, blob_start, on_item);
        }
        Ok(())
    }

    /// The offsets; gives the items in the order of their bytes.
    fn offsets(&mut self, [what, many]: [&str; 2], width: usize, count: usize) -> Result<Vec<Item>, ReadError> {
        let mut blob = self.cursor;
        blob.take(count * width)?;
        let blob_len = blob.remaining();
        let mut items: Vec<Item> = Vec::with_capacity(count);
        self.enter(GroupKind::Offsets, format_args!("offsets of {many}"));
        for index in 0..count {
            let bytes = self.cursor.take(width)?;
            let offset = bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
            self.field(format_args!("{what} {index}"), format_args!("{offset:#x}"));
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            if let Some(last) = items.last_mut() {
                last.end = start;
            }
            items.push(Item { index, start, end: blob_len });
        }
        self.leave();
        items.sort_by_key(|item| item.start);
        Ok(items)
    }

    /// An item, and before it what no item covers. Items that begin before the place where the last one ended, or that the
    /// blob does not hold, are mentioned only.
    fn item(&mut self, what: &str, item: &Item, blob: &'a [u8], blob_start: usize, on_item: OnItem<'a, 'v>) {
        let Item { index, start, end } = *item;
        let Some(bytes) = blob.get(start..end).filter(|_| blob_start + start >= self.told()) else {
            let range = format_args!("{start:#x} to {end:#x}");
            let why = if start > end || end > blob.len() { "has no bytes" } else { "lies in others" };
            self.enter(GroupKind::Item, format_args!("{what} {index}: {why}, {range} of the blob"));
            return self.leave();
        };
        if bytes.is_empty() {
            self.enter(GroupKind::Item, format_args!("{what} {index}: empty"));
            return self.leave();
        }
        let section = self.cursor.place().section;
        let gap_start = self.told() - blob_start;
        let range = |start: usize, end: usize| Cursor::new(&blob[start..end], blob_start + start, section);
        self.within(range(gap_start, start), |_| Ok(()));
        self.within(range(start, end), |tracer| on_item(tracer, index));
    }
}
