//! Source locations: the debug entries of a module.

use crate::{Loc, Str};

/// One debug entry. Entries refer to each other by handle; `None` is an unknown location or scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocData {
    /// A compilation unit.
    CompileUnit {
        /// Its file.
        file: Option<Loc>,
    },
    /// A source file.
    File {
        /// File name.
        name: Str,
        /// Directory.
        directory: Str,
    },
    /// A lexical block inside a subprogram.
    LexicalBlock {
        /// Enclosing block or subprogram.
        scope: Option<Loc>,
        /// Its file.
        file: Option<Loc>,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
    },
    /// A place in a source file.
    Source {
        /// Enclosing block or subprogram.
        scope: Option<Loc>,
        /// Path of the file.
        file: Str,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
    },
    /// A function of the source program.
    Subprogram {
        /// Its file.
        file: Option<Loc>,
        /// Line of the declaration.
        line: u32,
        /// Name in the source.
        name: Str,
        /// Name of the symbol.
        linkage_name: Str,
        /// Its compilation unit.
        unit: Option<Loc>,
        /// Line where its scope opens.
        scope_line: u32,
        /// Bit 0: a declaration (since 13.5).
        flags: u32,
    },
    /// A place inlined into another.
    CallSite {
        /// The place in the inlined function.
        callee: Option<Loc>,
        /// The place of the call.
        caller: Option<Loc>,
    },
}

/// The debug entries of a module, in the order in which something first named them.
#[derive(Clone, Debug, Default)]
pub struct LocationTable {
    entries: Vec<LocData>,
}

impl LocationTable {
    /// Makes room for so many more entries.
    pub fn reserve(&mut self, entries: usize) {
        self.entries.reserve(entries);
    }

    /// Adds an entry.
    pub fn add(&mut self, entry: LocData) -> Loc {
        self.entries.push(entry);
        Loc::new(self.entries.len() - 1)
    }

    /// The entry of a location.
    pub fn get(&self, loc: Loc) -> &LocData {
        &self.entries[loc.index()]
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The innermost source place of a location: its file, line and column. Follows call sites into the callee.
    pub fn source(&self, loc: Option<Loc>) -> Option<(Str, u32, u32)> {
        let mut next = loc;
        // A chain longer than the table is a cycle.
        for _ in 0..=self.entries.len() {
            match *self.get(next?) {
                LocData::Source { file, line, column, .. } => return Some((file, line, column)),
                LocData::CallSite { callee, .. } => next = callee,
                _ => return None,
            }
        }
        None
    }
}
