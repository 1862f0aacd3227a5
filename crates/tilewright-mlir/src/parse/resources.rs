//! `{-# dialect_resources: {...}, external_resources: {...} #-}`

use super::{Parsed, Parser, dense::decode_hexadecimal, scan::error};
use crate::{
    module::{Resource, ResourceGroup, ResourceValue, Resources},
    tables::{DialectId, StrId},
};
use std::borrow::Cow;

/// What kind a resource has that is only named.
const UNAVAILABLE: u8 = 3;

/// Resources as they turn up.
#[derive(Default)]
pub(super) struct Builder {
    /// Those of the dialect whose resources attributes name, in the order of their numbers.
    used: Vec<Resource<'static>>,
    used_dialect: Option<DialectId>,
    others: Vec<ResourceGroup<'static>>,
    external: Vec<ResourceGroup<'static>>,
}

impl Builder {
    /// The number of a resource that an attribute names.
    pub(super) fn used(&mut self, dialect: DialectId, key: StrId) -> u32 {
        self.used_dialect = Some(dialect);
        let known = self.used.iter().position(|resource| resource.key == key);
        let number = known.unwrap_or_else(|| {
            self.used.push(Resource { key, value: ResourceValue::Absent { kind: UNAVAILABLE } });
            self.used.len() - 1
        });
        number as u32
    }

    pub(super) fn num_used(&self) -> usize {
        self.used.len()
    }

    fn set(&mut self, dialect: DialectId, resource: Resource<'static>) {
        if self.used_dialect == Some(dialect) {
            match self.used.iter_mut().find(|known| known.key == resource.key) {
                Some(known) => *known = resource,
                None => self.used.push(resource),
            }
            return;
        }
        push(&mut self.others, dialect.0, resource);
    }

    pub(super) fn finish(self) -> Resources<'static> {
        let used = self.used_dialect.map(|dialect| ResourceGroup { provider: dialect.0, resources: self.used });
        Resources { external: self.external, dialects: used.into_iter().chain(self.others).collect() }
    }
}

fn push(groups: &mut Vec<ResourceGroup<'static>>, provider: u32, resource: Resource<'static>) {
    match groups.iter_mut().find(|group| group.provider == provider) {
        Some(group) => group.resources.push(resource),
        None => groups.push(ResourceGroup { provider, resources: vec![resource] }),
    }
}

impl Parser<'_, '_> {
    pub(super) fn resource_sections(&mut self) -> Parsed<()> {
        self.expect("{-#", "or an operation")?;
        self.list("#-}", |p| {
            let start = p.pos;
            let title = p.word().unwrap_or_default();
            let is_dialect = match title {
                "dialect_resources" => true,
                "external_resources" => false,
                _ => {
                    return Err(error(
                        "unknown-keyword",
                        start..start + title.len().max(1),
                        "expected dialect_resources or external_resources",
                    ));
                }
            };
            p.expect(":", "")?;
            p.expect("{", "")?;
            p.list("}", |p| p.resource_group(is_dialect))
        })
    }

    fn resource_group(&mut self, is_dialect: bool) -> Parsed<()> {
        let name = self.key("the name of a dialect or a provider")?;
        self.expect(":", "")?;
        self.expect("{", "")?;
        let (dialect, provider) = match is_dialect {
            true => (Some(self.builder.dialect(&name)), 0),
            false => (None, self.builder.string(&name).0),
        };
        self.list("}", |p| {
            let key = p.key("the name of a resource")?;
            let key = p.builder.string(&key);
            p.expect(":", "and its value")?;
            let value = p.resource()?;
            let resource = Resource { key, value };
            match dialect {
                Some(dialect) => p.resources.set(dialect, resource),
                None => push(&mut p.resources.external, provider, resource),
            }
            Ok(())
        })
    }

    /// A boolean, data in hexadecimal behind their alignment, or a string.
    fn resource(&mut self) -> Parsed<ResourceValue<'static>> {
        if let word @ ("true" | "false") = self.peek_word() {
            self.word();
            return Ok(ResourceValue::Bool(u8::from(word == "true")));
        }
        let start = self.pos;
        let raw = self.raw_string()?;
        if let Some(bytes) = decode_hexadecimal(raw)
            && let Some((alignment, data)) = bytes.split_first_chunk::<4>()
        {
            let alignment = u64::from(u32::from_le_bytes(*alignment));
            if alignment.is_power_of_two() {
                self.skip_blanks();
                return Ok(ResourceValue::Blob { alignment, data: Cow::Owned(data.to_vec()) });
            }
        }
        self.pos = start;
        let string = self.string()?;
        Ok(if string.is_empty() {
            ResourceValue::Absent { kind: UNAVAILABLE }
        } else {
            ResourceValue::String(self.builder.string(&string))
        })
    }
}
