//! What a module holds, in numbers.

use crate::{
    error::{Error, Section},
    module::{Module, ResourceValue},
    read::Envelope,
    tables::{DialectId, NameId},
};

/// What a module holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Operations by name, the most frequent first.
    pub operations: Vec<(String, usize)>,
    /// Dialects, with how many of their attributes and of their types the module has.
    pub dialects: Vec<(String, usize, usize)>,
    /// How many blocks.
    pub blocks: usize,
    /// How many values.
    pub values: usize,
    /// Resources and how many bytes they hold.
    pub resources: Vec<(String, usize)>,
}

impl Stats {
    /// Counts what a module holds.
    pub fn of(module: &Module<'_>) -> Stats {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut counts = vec![0; module.op_names.len()];
        module.ir.ops.iter().for_each(|op| counts[op.name.index()] += 1);
        let named = counts.iter().enumerate().filter(|&(_, &count)| count > 0).map(|(id, &count)| {
            let mut name = Vec::new();
            module.push_op_name(NameId(id as u32), &mut name);
            (text(&name), count)
        });
        let mut operations: Vec<(String, usize)> = named.collect();
        operations.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let tables = &module.tables;
        let dialects = (0..tables.dialects.len() as u32).map(DialectId).map(|id| {
            let of = |table: &crate::tables::Table<'_>| table.entries().filter(|entry| entry.dialect == id).count();
            (text(tables.dialect_name(id)), of(&tables.attrs), of(&tables.types))
        });
        let groups = module.resources.dialects.iter().chain(&module.resources.external);
        let resources = groups.flat_map(|group| &group.resources).map(|resource| {
            let size = match &resource.value {
                ResourceValue::Blob { data, .. } => data.len(),
                ResourceValue::Bool(_) => 1,
                ResourceValue::String(id) => tables.strings.get(*id).len(),
                ResourceValue::Absent { .. } => 0,
            };
            (text(tables.strings.get(resource.key)), size)
        });
        Stats {
            operations,
            dialects: dialects.collect(),
            blocks: module.ir.blocks.len(),
            values: module.ir.value_types.len(),
            resources: resources.collect(),
        }
    }
}

/// The sections of a file with their lengths, in its order.
///
/// # Errors
/// When the file is not made of sections.
pub fn sections(bytes: &[u8]) -> Result<Vec<(Section, usize)>, Error> {
    let envelope = Envelope::read(bytes)?;
    Ok(envelope.sections.iter().map(|(section, content)| (*section, content.remaining())).collect())
}
