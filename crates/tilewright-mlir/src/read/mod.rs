//! From bytes to a module.
//!
//! Tables are read whole and checked: every index in range, every encoding well formed, nothing that contains itself. Operations are
//! read with a stack of their own, and isolated regions wait in a list, so that recursion is bounded whatever a file says. Every count
//! is compared with the bytes that remain before anything is reserved.

mod ir;
mod plain;
mod resources;
mod tables;

pub(crate) use ir::{Counts, Unread, mask as op_mask, read_rest};
pub(crate) use resources::kind as resource_kind;
pub(crate) use tables::{check_nesting, each_part_of};

use crate::{
    cursor::Cursor,
    error::{Error, Section},
    limits::LATEST_VERSION,
    module::{Module, Resources, Version},
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
        if self.is_lazy { read_tables(bytes) } else { read_one_after_the_other(bytes) }
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

/// Reads operations while another thread reads attributes and types, of which the operations only need the numbers.
fn read_in_parallel(bytes: &[u8]) -> Result<Module<'_>, Error> {
    let envelope = Envelope::read(bytes)?;
    let mut module = read_names(&envelope)?;
    let Some(counts) = counts(&envelope, &module) else { return read_one_after_the_other(bytes) };
    let names = std::mem::take(&mut module.tables);
    let (tables, read) = std::thread::scope(|scope| {
        let tables = scope.spawn(|| checked_tables(&envelope, names, true));
        let read = read_rest(&mut module, counts);
        (tables.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), read)
    });
    // What is wrong with the tables comes first.
    (module.tables, module.resources, module.properties) = tables?;
    read.map(|()| module)
}

fn read_one_after_the_other(bytes: &[u8]) -> Result<Module<'_>, Error> {
    let mut module = read_tables(bytes)?;
    module.read_rest()?;
    Ok(module)
}

/// How many of what operations refer to there are, by what the sections begin with; none where something is wrong with that.
fn counts(envelope: &Envelope<'_>, module: &Module<'_>) -> Option<Counts> {
    let mut lengths = envelope.section(Section::AttrTypeOffset)?;
    let (attrs, types) = (lengths.count(1, "attributes").ok()?, lengths.count(1, "types").ok()?);
    let properties = envelope.section(Section::Properties).map_or(Some(0), |mut content| content.count(1, "properties").ok())?;
    Some(Counts { names: module.op_names.len(), attrs, types, properties })
}

/// Everything but the operations, which wait in the list of what was not read.
pub(crate) fn read_tables(bytes: &[u8]) -> Result<Module<'_>, Error> {
    let envelope = Envelope::read(bytes)?;
    let mut module = read_names(&envelope)?;
    let names = std::mem::take(&mut module.tables);
    (module.tables, module.resources, module.properties) = checked_tables(&envelope, names, false)?;
    Ok(module)
}

/// Strings, dialects and the names of operations.
fn read_names<'a>(envelope: &Envelope<'a>) -> Result<Module<'a>, Error> {
    let version = envelope.version;
    let mut tables = Tables { strings: tables::strings(envelope.required(Section::String)?)?, ..Tables::default() };
    let op_names = tables::dialects(envelope.required(Section::Dialect)?, version, &mut tables)?;
    // A file without operations has no use for anything else, but has to have it.
    let unread = envelope.section(Section::Ir).map(|content| (crate::ir::Op(u32::MAX), ir::top_level(content)));
    Ok(Module {
        version,
        producer: Cow::Borrowed(envelope.producer),
        tables,
        op_names,
        properties: Vec::new(),
        resources: Resources::default(),
        sections: envelope.sections.iter().map(|&(section, _)| section).collect(),
        ir: crate::ir::Ir::default(),
        unread: unread.into_iter().collect(),
    })
}

type Rest<'a> = (Tables<'a>, Resources<'a>, Vec<Cow<'a, [u8]>>);

/// Reads and checks attributes and types, and reads resources and properties. `names` are the tables with strings and dialects.
fn checked_tables<'a>(envelope: &Envelope<'a>, names: Tables<'a>, is_parallel: bool) -> Result<Rest<'a>, Error> {
    let (version, mut tables) = (envelope.version, names);
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
    envelope.required(Section::Ir)?;
    tables::check_entries(&tables, is_parallel)?.apply(&mut tables);
    Ok((tables, resources, properties))
}
