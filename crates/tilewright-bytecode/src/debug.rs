//! The debug section (FORMAT section 8).
//!
//! A function names a row of debug ids: its own, then one for each operation in pre-order. An id names an entry, and
//! entries name each other.

use crate::{
    context::{Context, Slot},
    cursor::Cursor,
    error::{Place, ReadError, Section},
    limits::MAX_LOCATION_DEPTH,
    table::IndexedTable,
};
use tilewright_ir::{Loc, LocData, Version};

/// Bytes of a row start and of an entry offset.
pub(crate) const OFFSET_WIDTH: usize = 4;
/// Bytes of a debug id.
pub(crate) const ID_WIDTH: usize = 8;

/// Tags of entries.
pub(crate) mod tag {
    pub(crate) const COMPILE_UNIT: u8 = 1;
    pub(crate) const FILE: u8 = 2;
    pub(crate) const LEXICAL_BLOCK: u8 = 3;
    pub(crate) const SOURCE: u8 = 4;
    pub(crate) const SUBPROGRAM: u8 = 5;
    pub(crate) const CALL_SITE: u8 = 6;
}

/// What an entry must be where another one refers to it.
pub(crate) struct Role {
    pub(crate) what: &'static str,
    pub(crate) fits: fn(&LocData) -> bool,
}

/// What entries refer to.
pub(crate) mod role {
    use super::{LocData, Role};

    pub(crate) const FILE: Role = Role { what: "a file", fits: |entry| matches!(entry, LocData::File { .. }) };
    pub(crate) const UNIT: Role = Role { what: "a compile unit", fits: |entry| matches!(entry, LocData::CompileUnit { .. }) };
    pub(crate) const SCOPE: Role = Role {
        what: "a subprogram or a lexical block",
        fits: |entry| matches!(entry, LocData::Subprogram { .. } | LocData::LexicalBlock { .. }),
    };
    pub(crate) const PLACE: Role =
        Role { what: "a place in the source", fits: |entry| matches!(entry, LocData::Source { .. } | LocData::CallSite { .. }) };
}

/// Flags of a subprogram: a declaration.
const DECLARATION: u64 = 1;

/// The debug entries of a file, decoded when they are used, and the rows of ids.
pub(crate) struct Debug<'a> {
    row_starts: &'a [[u8; OFFSET_WIDTH]],
    ids: &'a [[u8; ID_WIDTH]],
    ids_start: usize,
    pub(crate) entries: IndexedTable<'a>,
    pub(crate) known: Vec<Slot<Option<Loc>>>,
    depth: usize,
}

/// A position in the table of ids: the next one of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row(usize);

impl<'a> Debug<'a> {
    /// What a file without debug section has.
    fn none() -> Self {
        let entries = IndexedTable::empty(Section::Debug);
        Debug { row_starts: &[], ids: &[], ids_start: 0, entries, known: Vec::new(), depth: 0 }
    }

    pub(crate) fn parse(payload: Option<Cursor<'a>>) -> Result<Self, ReadError> {
        let Some(mut cursor) = payload else { return Ok(Debug::none()) };
        let origin = cursor.offset();
        let rows = cursor.count("rows", OFFSET_WIDTH)?;
        cursor.align(origin, OFFSET_WIDTH)?;
        let row_starts = cursor.take(rows * OFFSET_WIDTH)?.as_chunks().0;
        let total = cursor.count("debug ids", ID_WIDTH)?;
        cursor.align(origin, ID_WIDTH)?;
        let ids_start = cursor.offset();
        let ids = cursor.take(total * ID_WIDTH)?.as_chunks().0;
        let entries = entry_table(cursor, origin)?;
        Ok(Debug { row_starts, ids, ids_start, entries, known: vec![Slot::Todo; entries.len()], depth: 0 })
    }

    /// Whether the file has rows.
    pub(crate) fn has_rows(&self) -> bool {
        !self.row_starts.is_empty()
    }

    /// The row that a function names: its number and 1, or 0 for none.
    pub(crate) fn row(&self, at: Place, number: u64) -> Result<Option<Row>, ReadError> {
        let Some(index) = number.checked_sub(1) else { return Ok(None) };
        let start = usize::try_from(index).ok().and_then(|i| self.row_starts.get(i));
        let Some(start) = start else {
            return Err(at.no_entry("debug row", index, self.row_starts.len(), "rows in the file"));
        };
        let start = u32::from_le_bytes(*start) as usize;
        if start >= self.ids.len() {
            return Err(at.no_entry("start of debug row", start as u64, self.ids.len(), "debug ids in the file"));
        }
        Ok(Some(Row(start)))
    }
}

impl Context<'_> {
    /// The location that comes next in a row: a place in the source, or unknown.
    #[inline]
    pub(crate) fn next_location(&mut self, row: &mut Row) -> Result<Option<Loc>, ReadError> {
        let at = Place { offset: self.debug.ids_start + row.0 * ID_WIDTH, section: Section::Debug };
        let Some(id) = self.debug.ids.get(row.0) else {
            return Err(at.truncated(format_args!("expected a debug id for each operation, found the end of the ids")));
        };
        row.0 += 1;
        let id = u64::from_le_bytes(*id);
        if id == 0 { Ok(None) } else { self.place_in_source(at, id) }
    }

    /// The location of a debug id: `None` where it is unknown.
    fn location(&mut self, at: Place, id: u64) -> Result<Option<Loc>, ReadError> {
        let Some(index) = id.checked_sub(1) else { return Ok(None) };
        let slot = usize::try_from(index).unwrap_or(usize::MAX);
        match self.debug.known.get(slot) {
            Some(Slot::Done(loc)) => return Ok(*loc),
            Some(Slot::Todo) => {}
            Some(Slot::Busy) => return Err(at.malformed(format_args!("debug entry {index} is part of itself"))),
            None => return Err(at.no_entry("debug entry", index, self.debug.known.len(), "debug entries in the file")),
        }
        if self.debug.depth >= MAX_LOCATION_DEPTH {
            return Err(at.limit(format_args!("debug entries nest deeper than {MAX_LOCATION_DEPTH}")));
        }
        self.debug.known[slot] = Slot::Busy;
        self.debug.depth += 1;
        let decoded = self.decode_entry(at, slot);
        self.debug.depth -= 1;
        self.debug.known[slot] = decoded.as_ref().map_or(Slot::Todo, |&loc| Slot::Done(loc));
        decoded
    }

    fn decode_entry(&mut self, at: Place, index: usize) -> Result<Option<Loc>, ReadError> {
        let Some(mut cursor) = self.debug.entries.item(index) else {
            return Err(at.malformed(format_args!("debug entry {index} has no bytes: its offsets are out of order or outside the table")));
        };
        let entry = self.entry(&mut cursor)?;
        Ok(entry.map(|entry| self.tables.locations.add(entry)))
    }

    /// An entry; `None` for one of an unknown kind, which stands for an unknown location.
    fn entry(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<LocData>, ReadError> {
        // The tag is a byte that is written as a varint.
        Ok(Some(match cursor.varint()? as u8 {
            tag::COMPILE_UNIT => LocData::CompileUnit { file: self.file(cursor)? },
            tag::FILE => LocData::File { name: self.string(cursor)?, directory: self.string(cursor)? },
            tag::LEXICAL_BLOCK => LocData::LexicalBlock {
                scope: self.scope(cursor)?,
                file: self.file(cursor)?,
                line: number(cursor)?,
                column: number(cursor)?,
            },
            tag::SOURCE => {
                LocData::Source { scope: self.scope(cursor)?, file: self.string(cursor)?, line: number(cursor)?, column: number(cursor)? }
            }
            tag::SUBPROGRAM => self.subprogram(cursor)?,
            tag::CALL_SITE => LocData::CallSite { callee: self.call_place(cursor)?, caller: self.call_place(cursor)? },
            _ => return Ok(None),
        }))
    }

    fn subprogram(&mut self, cursor: &mut Cursor<'_>) -> Result<LocData, ReadError> {
        let file = self.file(cursor)?;
        let line = number(cursor)?;
        let name = self.string(cursor)?;
        let linkage_name = self.string(cursor)?;
        let unit = self.reference(cursor, &role::UNIT)?;
        let scope_line = number(cursor)?;
        let flags = if self.version >= Version::V13_5 { subprogram_flags(cursor)? } else { 0 };
        Ok(LocData::Subprogram { file, line, name, linkage_name, unit, scope_line, flags })
    }

    fn file(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Loc>, ReadError> {
        self.reference(cursor, &role::FILE)
    }

    fn scope(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Loc>, ReadError> {
        self.reference(cursor, &role::SCOPE)
    }

    /// The debug id of an entry of some kind, which must be there.
    fn reference(&mut self, cursor: &mut Cursor<'_>, role: &Role) -> Result<Option<Loc>, ReadError> {
        let at = cursor.place();
        let id = cursor.varint()?;
        match self.location(at, id)? {
            Some(loc) if (role.fits)(self.tables.locations.get(loc)) => Ok(Some(loc)),
            _ => Err(at.malformed(format_args!("expected {}, found debug id {id}, which is none", role.what))),
        }
    }

    fn call_place(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Loc>, ReadError> {
        let at = cursor.place();
        let id = cursor.varint()?;
        self.place_in_source(at, id)
    }

    /// The location of a debug id that must be a place in the source, or unknown.
    fn place_in_source(&mut self, at: Place, id: u64) -> Result<Option<Loc>, ReadError> {
        match self.location(at, id)? {
            Some(loc) if !(role::PLACE.fits)(self.tables.locations.get(loc)) => {
                Err(at.malformed(format_args!("expected {}, found debug id {id}, which is none", role::PLACE.what)))
            }
            loc => Ok(loc),
        }
    }
}

/// The table of entries, which ends the section.
///
/// Unlike other tables its padding is there even without entries, so that a table cannot end with its count.
fn entry_table(cursor: Cursor<'_>, origin: usize) -> Result<IndexedTable<'_>, ReadError> {
    let mut padding = cursor;
    padding.count("debug entries", OFFSET_WIDTH)?;
    padding.align(origin, OFFSET_WIDTH)?;
    IndexedTable::parse(cursor, Section::Debug, origin, OFFSET_WIDTH)
}

/// A number that is cut to 32 bits.
fn number(cursor: &mut Cursor<'_>) -> Result<u32, ReadError> {
    Ok(cursor.varint()? as u32)
}

fn subprogram_flags(cursor: &mut Cursor<'_>) -> Result<u32, ReadError> {
    let at = cursor.place();
    match cursor.varint()? {
        flags @ (0 | DECLARATION) => Ok(flags as u32),
        flags => Err(at.malformed(format_args!("expected subprogram flags of 0 or 1, found {flags:#x}"))),
    }
}
