//! Indexed tables: a count, offsets, and a blob that the offsets cut into items (FORMAT section 3.1).

use crate::{
    cursor::Cursor,
    error::{ReadError, Section},
};
use std::ops::Range;

/// The offsets and the blob of a table, undecoded.
#[derive(Clone, Copy)]
pub(crate) struct IndexedTable<'a> {
    offsets: &'a [u8],
    width: usize,
    blob: &'a [u8],
    blob_start: usize,
    section: Section,
}

impl<'a> IndexedTable<'a> {
    /// A table without items.
    pub(crate) fn empty(section: Section) -> Self {
        IndexedTable { offsets: &[], width: 4, blob: &[], blob_start: 0, section }
    }

    /// Reads a table that fills the rest of `cursor`; padding is counted from `origin`, offsets have `width` bytes.
    pub(crate) fn parse(mut cursor: Cursor<'a>, section: Section, origin: usize, width: usize) -> Result<Self, ReadError> {
        let count = cursor.count("items", width)?;
        if count == 0 {
            return Ok(Self::empty(section));
        }
        cursor.align(origin, width)?;
        let offsets = cursor.take(count * width)?;
        let blob_start = cursor.offset();
        Ok(IndexedTable { offsets, width, blob: cursor.take_rest(), blob_start, section })
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() / self.width
    }

    /// How long the blob is.
    pub(crate) fn blob_len(&self) -> usize {
        self.blob.len()
    }

    /// Where an item begins and ends in the blob, unchecked: the last one ends with the blob.
    fn bounds(&self, index: usize) -> (u64, u64) {
        let offset = |index: usize| {
            let bytes = self.offsets.chunks_exact(self.width).nth(index)?;
            Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
        };
        let end = self.blob.len() as u64;
        (offset(index).unwrap_or(end), offset(index + 1).unwrap_or(end))
    }

    /// An item; `None` where its bounds are out of order or outside the blob.
    pub(crate) fn item(&self, index: usize) -> Option<Cursor<'a>> {
        let (start, end) = self.bounds(index);
        let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
        Some(Cursor::new(self.blob.get(start..end)?, self.blob_start.checked_add(start)?, self.section))
    }

    /// Which bytes of the file [`IndexedTable::item`] gives.
    pub(crate) fn item_range(&self, index: usize) -> Option<Range<usize>> {
        self.item(index).map(|item| item.range())
    }

    /// Which bytes of the file [`IndexedTable::clamped`] gives.
    pub(crate) fn clamped_range(&self, index: usize) -> Range<usize> {
        let range = self.clamped_bounds(index);
        self.blob_start + range.start..self.blob_start + range.end
    }

    /// The bytes of an item, whatever its bounds: they are moved into the blob, and an item that ends before it begins
    /// goes on to the end of the blob.
    pub(crate) fn clamped(&self, index: usize) -> &'a [u8] {
        &self.blob[self.clamped_bounds(index)]
    }

    fn clamped_bounds(&self, index: usize) -> Range<usize> {
        let (start, end) = self.bounds(index);
        let clamp = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(self.blob.len());
        clamp(start)..if start <= end { clamp(end) } else { self.blob.len() }
    }
}
