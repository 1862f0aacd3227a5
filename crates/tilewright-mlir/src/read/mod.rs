//! From bytes to a module.
//!
//! Tables are read whole and checked: every index in range, every encoding well formed, nothing that contains itself. Operations are
//! read with a stack of their own, and isolated regions wait in a list, so that recursion is bounded whatever a file says. Every count
//! is compared with the bytes that remain before anything is reserved.

mod ir;
mod resources;
mod tables;

pub(crate) use ir::{Counts, Unread, mask as op_mask, read_rest};
pub(crate) use resources::kind as resource_kind;
pub(crate) use tables::{check_nesting, each_part_of};

use crate::{
    cursor::Cursor,
    error::{Error, Section},
    limits::LATEST_VERSION,
    module::{Module, Version},
    tables::Tables,
};
use std::borrow::Cow;

/// What MLIR bytecode begins with.
pub const MAGIC: [u8; 4] = *b"ML\xefR";

/// How to read a file.
#[derive(Clone, Copy, Default, Debug)]
pub struct ReadOptions {
    is_lazy: bool,
    is_parallel: bool,
}

/// Shorter files are read before another thread has begun.
const LONG: usize = 1 << 17;

impl ReadOptions {
    /// Reads everything.
    pub fn new() -> ReadOptions {
        ReadOptions::default()
    }

    /// Whether isolated regions, such as the bodies of functions, wait until [`Module::read_rest`] is called.
    #[must_use]
    pub fn lazy(mut self, is_lazy: bool) -> ReadOptions {
        self.is_lazy = is_lazy;
        self
    }

    /// How many threads may share the reading of a long file; one unless said otherwise. Two is as many as there is work for.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> ReadOptions {
        self.is_parallel = threads > 1;
        self
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is no MLIR bytecode, is of a version that is not known, or is malformed.
    pub fn read(self, bytes: &[u8]) -> Result<Module<'_>, Error> {
        if self.is_parallel && !self.is_lazy && bytes.len() >= LONG {
            return read_in_parallel(bytes);
        }
        let mut module = read_tables(bytes)?;
        if !self.is_lazy {
            module.read_rest()?;
        }
        Ok(module)
    }
}

/// Reads a file.
///
/// # Errors
/// When it is no MLIR bytecode, is of a version that is not known, or is malformed.
pub fn read(bytes: &[u8]) -> Result<Module<'_>, Error> {
    ReadOptions::new().read(bytes)
}

/// The version and the producer, and the sections as they stand in a file.
pub(crate) struct Envelope<'a> {
    pub(crate) version: Version,
    pub(crate) producer: &'a [u8],
    /// In the order of the file.
    pub(crate) sections: Vec<(Section, Cursor<'a>)>,
}

impl<'a> Envelope<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Envelope<'a>, Error> {
        let mut cursor = Cursor::new(bytes, 0, Section::Header);
        if cursor.bytes(4).ok() != Some(&MAGIC[..]) {
            return Err(Error::new(0, Section::Header, "this is no MLIR bytecode, which begins with 4d 4c ef 52"));
        }
        let offset = cursor.offset();
        let number = cursor.varint()?;
        let version = Version::new(number).ok_or_else(|| {
            let message = format!("MLIR bytecode of version {number}, which is newer than {LATEST_VERSION}, the latest that is known");
            cursor.error_at(offset, message)
        })?;
        let producer = cursor.null_terminated()?;
        let mut sections: Vec<(Section, Cursor<'a>)> = Vec::new();
        while !cursor.is_empty() {
            let offset = cursor.offset();
            let (section, content) = section(&mut cursor)?;
            if section == Section::DialectVersion || sections.iter().any(|(other, _)| *other == section) {
                return Err(cursor.error_at(offset, format!("a second {section}, or one that does not belong here")));
            }
            sections.push((section, content));
        }
        Ok(Envelope { version, producer, sections })
    }

    /// The content of a section.
    pub(crate) fn section(&self, section: Section) -> Option<Cursor<'a>> {
        self.sections.iter().find(|(other, _)| *other == section).map(|(_, content)| content.clone())
    }

    fn required(&self, section: Section) -> Result<Cursor<'a>, Error> {
        self.section(section).ok_or_else(|| {
            let end = self.sections.last().map_or(0, |(_, content)| content.offset() + content.remaining());
            Error::new(end, Section::Header, format!("the file has no {section}"))
        })
    }
}

/// Reads the header of a section, and skips its content.
pub(crate) fn section<'a>(cursor: &mut Cursor<'a>) -> Result<(Section, Cursor<'a>), Error> {
    const IS_ALIGNED: u8 = 0x80;
    let offset = cursor.offset();
    let id = cursor.byte()?;
    let Some(section) = Section::from_id(id & !IS_ALIGNED) else {
        return Err(cursor.error_at(offset, format!("there is no section with the number {}", id & !IS_ALIGNED)));
    };
    let length = cursor.varint()?;
    if id & IS_ALIGNED != 0 {
        let alignment = cursor.varint()?;
        cursor.align(alignment)?;
    }
    let content = cursor.part(length, section)?;
    Ok((section, content))
}

/// Reads operations while another thread checks attributes and types, of which they only need the numbers.
fn read_in_parallel(bytes: &[u8]) -> Result<Module<'_>, Error> {
    let mut module = read_unchecked(bytes)?;
    let counts = Counts::of(&module);
    let mut tables = std::mem::take(&mut module.tables);
    let (checked, read) = std::thread::scope(|scope| {
        let checked = scope.spawn(|| tables::check_entries(&tables));
        let read = read_rest(&mut module, counts);
        (checked.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), read)
    });
    checked?.apply(&mut tables);
    module.tables = tables;
    read.map(|()| module)
}

/// Everything but the operations, which wait in the list of what was not read.
pub(crate) fn read_tables(bytes: &[u8]) -> Result<Module<'_>, Error> {
    let mut module = read_unchecked(bytes)?;
    tables::check_entries(&module.tables)?.apply(&mut module.tables);
    Ok(module)
}

/// The same, but attributes and types are only found, and not checked.
fn read_unchecked(bytes: &[u8]) -> Result<Module<'_>, Error> {
    let envelope = Envelope::read(bytes)?;
    let version = envelope.version;
    let mut tables = Tables { strings: tables::strings(envelope.required(Section::String)?)?, ..Tables::default() };
    let dialects = envelope.required(Section::Dialect)?;
    let op_names = tables::dialects(dialects, version, &mut tables)?;
    let resources = resources::read(envelope.section(Section::ResourceOffset), envelope.section(Section::Resource), &tables)?;
    tables.num_dialect_resources = resources.dialects.iter().map(|group| group.resources.len()).sum();
    let (lengths, encodings) = (envelope.required(Section::AttrTypeOffset)?, envelope.required(Section::AttrType)?);
    tables::attributes_and_types(lengths, &encodings, &mut tables)?;
    let properties = match envelope.section(Section::Properties) {
        Some(content) if version.has_properties() => tables::properties(content)?,
        Some(content) => return Err(content.error("properties came with version 5")),
        None if version.has_properties() => envelope.required(Section::Properties).map(|_| Vec::new())?,
        None => Vec::new(),
    };
    let unread = ir::top_level(envelope.required(Section::Ir)?);
    Ok(Module {
        version,
        producer: Cow::Borrowed(envelope.producer),
        tables,
        op_names,
        properties,
        resources,
        sections: envelope.sections.iter().map(|&(section, _)| section).collect(),
        ir: crate::ir::Ir::default(),
        unread: vec![(crate::ir::Op(u32::MAX), unread)],
    })
}
