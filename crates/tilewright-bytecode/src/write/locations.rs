//! The debug section (FORMAT section 8).

use super::{
    Style,
    context::{Context, Positions},
    error::WriteError,
    functions::DebugIds,
    pool::Pool,
    put::Put,
};
use crate::debug::{ID_WIDTH, OFFSET_WIDTH, Role, role, tag};
use tilewright_ir::{Loc, LocData, Str, Version};

/// The debug entries of a file under construction.
pub(super) struct Locations {
    /// The entries; in the C++ style only their keys, because their strings come last.
    entries: Pool,
    ids: Positions,
    /// The entries of the C++ style.
    deferred: Vec<Loc>,
}

/// An entry that says nothing: readers refuse a table without entries.
const DUMMY_ENTRY: [u8; 1] = [0];

impl Locations {
    pub(super) fn new(locations: usize, entries: Pool) -> Locations {
        Locations { entries, ids: Positions::new(locations), deferred: Vec::new() }
    }

    /// Whether there are no entries beyond those that the file began with.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }
}

impl Context<'_> {
    /// Makes a location stand at a position, where it is not known to stand elsewhere.
    pub(crate) fn place_location(&mut self, loc: Loc, position: u32) {
        if self.locations.ids.get(loc.index()).is_none() {
            self.locations.ids.set(loc.index(), position + 1);
        }
    }

    /// The item of a location, and strings for it.
    pub(crate) fn interned_location_item(&mut self, loc: Loc) -> Result<Vec<u8>, WriteError> {
        self.location_item(loc, Context::string)
    }

    /// The debug id of a function, an operation or a part of a call site: 0 for an unknown place.
    ///
    /// A place outside of any subprogram is unknown too: no file can name one. Text without debug entries has such places.
    #[inline]
    pub(super) fn place(&mut self, loc: Option<Loc>) -> Result<u64, WriteError> {
        match loc.map(|loc| (loc, self.module.tables.locations.get(loc))) {
            None => Ok(0),
            Some((_, data)) if is_unscoped(data) => Ok(0),
            Some((loc, data)) if (role::PLACE.fits)(data) => self.location(loc),
            Some(_) => Err(self.no_entry(&role::PLACE)),
        }
    }

    /// The debug id of an entry that must be there.
    fn reference(&mut self, loc: Option<Loc>, role: &Role) -> Result<u64, WriteError> {
        match loc {
            Some(loc) if (role.fits)(self.module.tables.locations.get(loc)) => self.location(loc),
            _ => Err(self.no_entry(role)),
        }
    }

    fn no_entry(&self, role: &Role) -> WriteError {
        self.invalid(format!("a debug entry refers to what must be {}, and is not", role.what))
    }

    #[inline]
    fn location(&mut self, loc: Loc) -> Result<u64, WriteError> {
        match self.locations.ids.get(loc.index()) {
            Some(known) => Ok(known.into()),
            None => self.new_location(loc),
        }
    }

    /// Gives ids to a location and before it to those that it refers to: however deep they nest.
    fn new_location(&mut self, loc: Loc) -> Result<u64, WriteError> {
        let mut stack = vec![loc];
        while let Some(&top) = stack.last() {
            let table = &self.module.tables.locations;
            let is_new = |part: &Loc| self.locations.ids.get(part.index()).is_none() && !is_unscoped(table.get(*part));
            match parts(table.get(top)).into_iter().flatten().find(is_new) {
                Some(part) => stack.push(part),
                None => {
                    self.add_location(top)?;
                    stack.pop();
                }
            }
            if stack.len() > self.module.tables.locations.len() {
                return Err(self.invalid("a debug entry is part of itself".to_owned()));
            }
        }
        self.location(loc)
    }

    fn add_location(&mut self, loc: Loc) -> Result<(), WriteError> {
        let position = if self.is_fresh(Style::Cpp) {
            let key = self.location_item(loc, |_, string| string.index() as u64)?;
            let known = self.locations.entries.len();
            let position = self.locations.entries.position(&key, &[]);
            if self.locations.entries.len() > known {
                self.locations.deferred.push(loc);
            }
            position
        } else {
            let item = self.interned_location_item(loc)?;
            self.locations.entries.position(&item, &item)
        };
        self.locations.ids.set(loc.index(), position + 1);
        Ok(())
    }

    /// The item of an entry whose parts have ids.
    fn location_item(&mut self, loc: Loc, mut string: impl FnMut(&mut Self, Str) -> u64) -> Result<Vec<u8>, WriteError> {
        let module = self.module;
        let mut item = Vec::with_capacity(16);
        match *module.tables.locations.get(loc) {
            LocData::CompileUnit { file } => put(&mut item, tag::COMPILE_UNIT, [self.reference(file, &role::FILE)?]),
            LocData::File { name, directory } => put(&mut item, tag::FILE, [string(self, name), string(self, directory)]),
            LocData::LexicalBlock { scope, file, line, column } => {
                let parts = [self.reference(scope, &role::SCOPE)?, self.reference(file, &role::FILE)?, line.into(), column.into()];
                put(&mut item, tag::LEXICAL_BLOCK, parts);
            }
            LocData::Source { scope, file, line, column } => {
                let scope = self.reference(scope, &role::SCOPE)?;
                put(&mut item, tag::SOURCE, [scope, string(self, file), line.into(), column.into()]);
            }
            LocData::Subprogram { file, line, name, linkage_name, unit, scope_line, flags } => {
                let (file, unit) = (self.reference(file, &role::FILE)?, self.reference(unit, &role::UNIT)?);
                let (name, linkage_name) = (string(self, name), string(self, linkage_name));
                put(&mut item, tag::SUBPROGRAM, [file, line.into(), name, linkage_name, unit, scope_line.into()]);
                self.put_subprogram_flags(&mut item, flags)?;
            }
            LocData::CallSite { callee, caller } => put(&mut item, tag::CALL_SITE, [self.place(callee)?, self.place(caller)?]),
        }
        Ok(item)
    }

    fn put_subprogram_flags(&self, item: &mut Vec<u8>, flags: u32) -> Result<(), WriteError> {
        if self.version >= Version::V13_5 {
            item.varint(flags.into());
        } else if flags != 0 {
            return Err(self.newer(Version::V13_5, format!("a debug entry of a subprogram with flags {flags:#x}")));
        }
        Ok(())
    }

    /// Interns the strings of entries that were left to the end.
    pub(super) fn finish_locations(&mut self) -> Result<(), WriteError> {
        if !self.is_fresh(Style::Cpp) {
            return Ok(());
        }
        let mut entries = Pool::default();
        for loc in std::mem::take(&mut self.locations.deferred) {
            let item = self.interned_location_item(loc)?;
            entries.position(&item, &item);
        }
        self.locations.entries = entries;
        Ok(())
    }

    /// The payload of the section. A row holds the id of a function and those of its operations.
    pub(super) fn debug_payload(&mut self, rows: &[&DebugIds]) -> Vec<u8> {
        if self.locations.is_empty() {
            self.locations.entries.position(&DUMMY_ENTRY, &DUMMY_ENTRY);
        }
        let total: usize = rows.iter().map(|row| row.len()).sum();
        let mut out = Vec::with_capacity(32 + rows.len() * OFFSET_WIDTH + total * ID_WIDTH);
        out.count(rows.len());
        out.pad(OFFSET_WIDTH);
        let mut start = 0u64;
        for row in rows {
            out.extend_from_slice(&start.to_le_bytes()[..OFFSET_WIDTH]);
            start += row.len() as u64;
        }
        out.count(total);
        out.pad(ID_WIDTH);
        rows.iter().for_each(|row| row.put(&mut out));
        self.locations.entries.write(OFFSET_WIDTH, &mut out);
        out
    }
}

fn is_unscoped(data: &LocData) -> bool {
    matches!(data, LocData::Source { scope: None, .. })
}

/// The locations that an entry refers to, in the order in which they get ids.
fn parts(data: &LocData) -> [Option<Loc>; 2] {
    match *data {
        LocData::CompileUnit { file } => [file, None],
        LocData::File { .. } => [None, None],
        LocData::LexicalBlock { scope, file, .. } => [scope, file],
        LocData::Source { scope, .. } => [scope, None],
        LocData::Subprogram { file, unit, .. } => [file, unit],
        LocData::CallSite { callee, caller } => [callee, caller],
    }
}

fn put<const N: usize>(item: &mut Vec<u8>, tag: u8, numbers: [u64; N]) {
    item.push(tag);
    numbers.into_iter().for_each(|n| item.varint(n));
}
