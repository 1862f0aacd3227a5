//! From a module to bytes.
//!
//! Tables are written in their order, so that a file that was read comes out as it was. What another version expresses differently is
//! changed before, in `version.rs`.

mod emitter;
mod ir;
mod version;

pub(crate) use emitter::{push_signed_varint, push_varint};
pub(crate) use version::{PropertyTable, as_property, encode as encode_properties};

use crate::{
    error::Section,
    module::{Module, ResourceGroup, ResourceValue, Version},
    read::MAGIC,
    tables::{Entry, Form, StrId},
};
use emitter::Emitter;
use std::{borrow::Cow, fmt};

/// Why a module cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError(pub(crate) String);

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WriteError {}

/// Writes a module at a version.
///
/// A module that is written at the version that it was read from gives the bytes that it was read from.
///
/// # Errors
/// When the version cannot express the module, or parts of it were not read.
pub fn write(module: &Module<'_>, version: Version) -> Result<Vec<u8>, WriteError> {
    if !module.unread.is_empty() {
        return Err(WriteError("regions were not read".to_owned()));
    }
    let module = if module.version == version { Cow::Borrowed(module) } else { Cow::Owned(version::convert(module, version)?) };
    Ok(write_as_is(&module))
}

fn write_as_is(module: &Module<'_>) -> Vec<u8> {
    let mut out = Emitter::default();
    out.bytes(&MAGIC);
    out.varint(u64::from(module.version.number()));
    out.bytes(&module.producer);
    out.byte(0);
    for &section in &module.sections {
        let mut content = Emitter::default();
        match section {
            Section::String => strings(module, &mut content),
            Section::Dialect => dialects(module, &mut content),
            Section::AttrType => {
                for table in [&module.tables.attrs, &module.tables.types] {
                    (0..table.len() as u32).for_each(|index| content.bytes(table.encoded(index)));
                }
            }
            Section::AttrTypeOffset => lengths(module, &mut content),
            Section::Ir => ir::write(module, &mut content),
            Section::Resource => resources(module, &mut content, &mut Emitter::default()),
            Section::ResourceOffset => resources(module, &mut Emitter::default(), &mut content),
            Section::Properties => {
                content.varint(module.properties.len() as u64);
                for properties in &module.properties {
                    content.varint(properties.len() as u64);
                    content.bytes(properties);
                }
            }
            Section::Header | Section::DialectVersion => continue,
        }
        out.section(section, &content);
    }
    out.bytes
}

fn strings(module: &Module<'_>, out: &mut Emitter) {
    let strings = &module.tables.strings;
    out.varint(strings.len() as u64);
    for index in (0..strings.len()).rev() {
        out.varint(strings.get(StrId(index as u32)).len() as u64 + 1);
    }
    out.bytes(strings.bytes());
}

fn dialects(module: &Module<'_>, out: &mut Emitter) {
    let version = module.version;
    out.varint(module.tables.dialects.len() as u64);
    for dialect in &module.tables.dialects {
        let name = u64::from(dialect.name.0);
        if !version.has_dialect_versions() {
            out.varint(name);
            continue;
        }
        out.flagged_varint(name, dialect.version.is_some());
        if let Some(version) = &dialect.version {
            let mut content = Emitter::default();
            content.bytes(version);
            out.section(Section::DialectVersion, &content);
        }
    }
    if version.elides_locations() {
        out.varint(module.op_names.len() as u64);
    }
    for group in module.op_names.chunk_by(|a, b| a.dialect == b.dialect) {
        out.varint(u64::from(group[0].dialect.0));
        out.varint(group.len() as u64);
        for name in group {
            match name.is_registered {
                Some(is_registered) if version.has_properties() => out.flagged_varint(u64::from(name.name.0), is_registered),
                _ => out.varint(u64::from(name.name.0)),
            }
        }
    }
}

fn lengths(module: &Module<'_>, out: &mut Emitter) {
    let tables = [&module.tables.attrs, &module.tables.types];
    for table in tables {
        out.varint(table.len() as u64);
    }
    for table in tables {
        let entries: Vec<Entry> = table.entries().collect();
        for group in entries.chunk_by(|a, b| a.dialect == b.dialect) {
            out.varint(u64::from(group[0].dialect.0));
            out.varint(group.len() as u64);
            for entry in group {
                out.flagged_varint(entry.len as u64, !matches!(entry.form, Form::Text));
            }
        }
    }
}

fn resources(module: &Module<'_>, content: &mut Emitter, offsets: &mut Emitter) {
    offsets.varint(module.resources.external.len() as u64);
    for group in module.resources.external.iter().chain(&module.resources.dialects) {
        resource_group(group, content, offsets);
    }
}

fn resource_group(group: &ResourceGroup<'_>, content: &mut Emitter, offsets: &mut Emitter) {
    use crate::read::resource_kind as kind;
    offsets.varint(u64::from(group.provider));
    offsets.varint(group.resources.len() as u64);
    for resource in &group.resources {
        let start = content.bytes.len();
        let kind = match &resource.value {
            ResourceValue::Blob { alignment, data } => {
                content.varint(*alignment);
                content.varint(data.len() as u64);
                content.align(*alignment);
                content.bytes(data);
                kind::BLOB
            }
            ResourceValue::Bool(value) => {
                content.byte(*value);
                kind::BOOL
            }
            ResourceValue::String(string) => {
                content.varint(u64::from(string.0));
                kind::STRING
            }
            ResourceValue::Absent { kind } => *kind,
        };
        offsets.varint(u64::from(resource.key.0));
        offsets.varint((content.bytes.len() - start) as u64);
        offsets.byte(kind);
    }
}
