//! Resources: data with names, outside of the operations.

use crate::{
    cursor::Cursor,
    error::{Error, Section},
    module::{Resource, ResourceGroup, ResourceValue, Resources},
    tables::{StrId, Tables},
};
use std::borrow::Cow;

/// The kinds of resources by their numbers.
pub(crate) mod kind {
    pub(crate) const BLOB: u8 = 0;
    pub(crate) const BOOL: u8 = 1;
    pub(crate) const STRING: u8 = 2;
}

pub(super) fn read<'a>(offsets: Option<Cursor<'a>>, content: Option<Cursor<'a>>, tables: &Tables<'_>) -> Result<Resources<'a>, Error> {
    let Some(mut offsets) = offsets else {
        return match content {
            Some(content) => Err(content.error("resources have no section with their offsets")),
            None => Ok(Resources::default()),
        };
    };
    let mut content = content.unwrap_or(Cursor::new(&[], offsets.offset(), Section::Resource));
    let mut resources = Resources::default();
    let external = offsets.count(2, "groups of resources")?;
    for _ in 0..external {
        resources.external.push(group(&mut offsets, &mut content, tables, tables.strings.len(), "string")?);
    }
    while !offsets.is_empty() {
        resources.dialects.push(group(&mut offsets, &mut content, tables, tables.dialects.len(), "dialect")?);
    }
    content.finish("the resources")?;
    Ok(resources)
}

fn group<'a>(
    offsets: &mut Cursor<'a>,
    content: &mut Cursor<'a>,
    tables: &Tables<'_>,
    providers: usize,
    what: &str,
) -> Result<ResourceGroup<'a>, Error> {
    let provider = offsets.index(providers, what)?;
    let count = offsets.count(3, "resources")?;
    let resources: Result<Vec<_>, Error> = (0..count).map(|_| resource(offsets, content, tables)).collect();
    Ok(ResourceGroup { provider, resources: resources? })
}

fn resource<'a>(offsets: &mut Cursor<'a>, content: &mut Cursor<'a>, tables: &Tables<'_>) -> Result<Resource<'a>, Error> {
    let key = StrId(offsets.index(tables.strings.len(), "string")?);
    let size = offsets.varint()?;
    let offset = offsets.offset();
    let kind = offsets.byte()?;
    let mut bytes = content.part(size, Section::Resource)?;
    let value = match kind {
        _ if bytes.is_empty() => ResourceValue::Absent { kind },
        kind::BLOB => {
            let alignment = bytes.varint()?;
            let size = bytes.varint()?;
            bytes.align(alignment)?;
            ResourceValue::Blob { alignment, data: Cow::Borrowed(bytes.bytes(size)?) }
        }
        kind::BOOL => ResourceValue::Bool(bytes.byte()?),
        kind::STRING => ResourceValue::String(StrId(bytes.index(tables.strings.len(), "string")?)),
        _ => return Err(offsets.error_at(offset, format!("there is no kind of resource {kind}"))),
    };
    bytes.finish("a resource")?;
    Ok(Resource { key, value })
}
