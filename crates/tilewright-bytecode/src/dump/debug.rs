//! The debug section (FORMAT section 8).

use super::{GroupKind, tracer::Tracer};
use crate::{ReadError, debug::tag};
use tilewright_ir::Version;

/// A field of a debug entry, by its name.
#[derive(Clone, Copy)]
enum Field {
    /// A debug id.
    Id(&'static str),
    /// A string index.
    Str(&'static str),
    /// A number.
    Number(&'static str),
    /// A number that newer files have.
    Newer(Version, &'static str),
}

/// The fields of a kind of entry, and what it is called.
fn fields(tag: u8) -> (&'static str, &'static [Field]) {
    use Field::{Id, Newer, Number, Str};
    match tag {
        tag::COMPILE_UNIT => ("compile unit", &[Id("file")]),
        tag::FILE => ("file", &[Str("name"), Str("directory")]),
        tag::LEXICAL_BLOCK => ("lexical block", &[Id("scope"), Id("file"), Number("line"), Number("column")]),
        tag::SOURCE => ("source place", &[Id("scope"), Str("file name"), Number("line"), Number("column")]),
        tag::SUBPROGRAM => (
            "subprogram",
            &[
                Id("file"),
                Number("line"),
                Str("name"),
                Str("linkage name"),
                Id("unit"),
                Number("scope line"),
                Newer(Version::V13_5, "flags"),
            ],
        ),
        tag::CALL_SITE => ("call site", &[Id("callee"), Id("caller")]),
        _ => ("unknown location", &[]),
    }
}

impl Tracer<'_, '_> {
    /// The payload of the section: rows, ids, entries.
    pub(super) fn debug(&mut self) -> Result<(), ReadError> {
        let origin = self.cursor.offset();
        let rows = self.count("rows", 4)?;
        self.padding(origin, 4)?;
        self.group(GroupKind::Offsets, format_args!("rows of functions"), |tracer| {
            (0..rows).try_for_each(|row| {
                let start = u32::from_le_bytes(tracer.cursor.take(4)?.try_into().expect("as many bytes were taken"));
                tracer.field(format_args!("row {row}"), format_args!("starts at id {start}"));
                Ok(())
            })
        })?;
        let ids = self.count("debug ids", 8)?;
        self.padding(origin, 8)?;
        self.group(GroupKind::Offsets, format_args!("debug ids of functions and operations"), |tracer| {
            (0..ids).try_for_each(|index| {
                let id = u64::from_le_bytes(tracer.cursor.take(8)?.try_into().expect("as many bytes were taken"));
                tracer.debug_id(format_args!("id {index}"), id);
                Ok(())
            })
        })?;
        self.table(["debug entry", "debug entries"], 4, origin, |tracer, index| {
            tracer.group(GroupKind::Item, format_args!("debug entry {index}"), Self::debug_entry)
        })
    }

    fn debug_id(&mut self, name: std::fmt::Arguments<'_>, id: u64) {
        match id.checked_sub(1) {
            None => self.field(name, format_args!("unknown location")),
            Some(entry) => self.field(name, format_args!("debug entry {entry}")),
        }
    }

    fn debug_entry(&mut self) -> Result<(), ReadError> {
        // The tag is a byte that is written as a varint.
        let tag = self.cursor.varint()? as u8;
        let (name, fields) = fields(tag);
        self.field(format_args!("tag"), format_args!("{tag} = {name}"));
        for field in fields {
            match *field {
                Field::Id(name) => {
                    let id = self.cursor.varint()?;
                    self.debug_id(format_args!("{name}"), id);
                }
                Field::Str(name) => self.string(name)?,
                Field::Newer(since, _) if self.context.version < since => {}
                Field::Number(name) | Field::Newer(_, name) => drop(self.varint(name)?),
            }
        }
        Ok(())
    }
}
