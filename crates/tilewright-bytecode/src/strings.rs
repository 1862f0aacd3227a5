//! The string section (FORMAT section 3.2).

use crate::{
    context::{Budget, Context},
    cursor::Cursor,
    error::{Place, ReadError, Section},
    limits::OVERLAP_SLACK,
    table::IndexedTable,
};
use tilewright_ir::{Str, StringTable};

/// Bytes of an offset.
pub(crate) const OFFSET_WIDTH: usize = 4;

/// The strings of a file, interned when they are used.
pub(crate) struct Strings<'a> {
    pub(crate) table: IndexedTable<'a>,
    pub(crate) known: Vec<Option<Str>>,
    budget: Budget,
}

impl<'a> Strings<'a> {
    pub(crate) fn parse(payload: Cursor<'a>) -> Result<Self, ReadError> {
        let table = IndexedTable::parse(payload, Section::String, payload.offset(), OFFSET_WIDTH)?;
        Ok(Strings { table, known: vec![None; table.len()], budget: Budget::new(table.blob_len(), OVERLAP_SLACK) })
    }

    /// Whether the file has none.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The string at `index`, which was read at `at`.
    pub(crate) fn get(&mut self, strings: &mut StringTable, at: Place, index: u64) -> Result<Str, ReadError> {
        let slot = usize::try_from(index).ok().filter(|&i| i < self.known.len());
        let Some(slot) = slot else {
            return Err(at.no_entry("string", index, self.table.len(), "strings in the file"));
        };
        if let Some(known) = self.known[slot] {
            return Ok(known);
        }
        let bytes = self.table.clamped(slot);
        if !self.budget.take(bytes.len()) {
            return Err(at.limit(format_args!("the strings of the file overlap: together they are too long")));
        }
        let string = strings.intern(bytes);
        self.known[slot] = Some(string);
        Ok(string)
    }
}

impl Context<'_> {
    /// A string index.
    pub(crate) fn string(&mut self, cursor: &mut Cursor<'_>) -> Result<Str, ReadError> {
        let at = cursor.place();
        let index = cursor.varint()?;
        self.strings.get(&mut self.tables.strings, at, index)
    }

    /// The string index of something that must have a name.
    pub(crate) fn name(&mut self, cursor: &mut Cursor<'_>, what: &str) -> Result<Str, ReadError> {
        let at = cursor.place();
        let name = self.string(cursor)?;
        if self.tables.strings.bytes(name).is_empty() {
            return Err(at.malformed(format_args!("{what} must not be empty")));
        }
        Ok(name)
    }
}
