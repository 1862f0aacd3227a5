//! Records of functions (FORMAT section 3.6).

use super::{Style, context::Context, error::WriteError, error::WriteErrorKind, put::Put};
use crate::{
    attributes::tag,
    debug::ID_WIDTH,
    file_layout::{FileLayout, FunctionLayout},
    functions::flag,
};
use tilewright_ir::{Attr, AttrData, Function, Version};

/// Debug ids in their order. Most functions have none or all: those at the beginning that are 0, of unknown places, are
/// only counted.
#[derive(Default)]
pub(crate) struct DebugIds {
    unknown: usize,
    others: Vec<u64>,
}

impl DebugIds {
    #[inline]
    pub(super) fn push(&mut self, id: u64) {
        if id == 0 && self.others.is_empty() {
            self.unknown += 1;
        } else {
            self.others.push(id);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.unknown + self.others.len()
    }

    fn are_unknown(&self) -> bool {
        self.others.is_empty()
    }

    /// Appends the ids as numbers of 8 bytes.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.resize(out.len() + self.unknown * ID_WIDTH, 0);
        self.others.iter().for_each(|id| out.extend_from_slice(&id.to_le_bytes()));
    }
}

/// A function under construction: the parts of its record, and its debug ids.
#[derive(Default)]
pub(crate) struct FunctionRecord {
    /// Name, signature and flag byte, then hints and attributes of parameters. The debug row stands between them.
    pub(crate) head: [Vec<u8>; 2],
    /// The body, without its length.
    pub(crate) body: Vec<u8>,
    /// Its own debug id and those of its operations.
    pub(crate) ids: DebugIds,
    /// The number of its debug row, counted from 1; 0: it has none.
    pub(crate) row: u64,
}

impl FunctionRecord {
    /// The body as it stands in the file.
    pub(crate) fn body_with_length(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.body.len() + 10);
        bytes.count(self.body.len());
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

impl<'m> Context<'m> {
    /// Name, signature and location: what some writers give positions to before all else.
    fn announce(&mut self, function: &Function) -> Result<[u64; 3], WriteError> {
        let loc = self.place(function.loc)?;
        Ok([self.string(function.name), self.ty(function.signature)?, loc])
    }

    /// Announces all functions.
    pub(super) fn announce_all(&mut self) -> Result<(), WriteError> {
        let module = self.module;
        module.functions.iter().try_for_each(|function| {
            let announced = self.announce(function);
            announced.map(|_| ()).map_err(|error| error.in_function(&module.tables.strings.text(function.name)))
        })
    }

    /// The record of a function, except for the number of its debug row.
    pub(super) fn function(&mut self, function: &'m Function) -> Result<FunctionRecord, WriteError> {
        let name = &self.module.tables.strings;
        self.function_parts(function).map_err(|error| error.in_function(&name.text(function.name)))
    }

    fn function_parts(&mut self, function: &'m Function) -> Result<FunctionRecord, WriteError> {
        if !function.is_entry {
            return Err(self.error(WriteErrorKind::Preview, "a function that is no entry is preview content".to_owned()));
        }
        let [name, signature, loc] = self.announce(function)?;
        let hints = function.hints.filter(|&hints| !self.is_empty(hints));
        let mut prefix = Vec::with_capacity(8);
        prefix.varint(name);
        prefix.varint(signature);
        prefix.push(self.flags(function, hints.is_some()));
        let mut attrs = Vec::new();
        self.function_hints(&mut attrs, hints)?;
        self.parameter_attributes(&mut attrs, function)?;
        let (body, ids) = self.body(&function.body, loc)?;
        Ok(FunctionRecord { head: [prefix, attrs], body, ids, row: 0 })
    }

    fn flags(&self, function: &Function, has_hints: bool) -> u8 {
        let private = match function.visibility {
            tilewright_ir::SymbolVisibility::Private => flag::PRIVATE,
            tilewright_ir::SymbolVisibility::Public => 0,
        };
        let hints = if has_hints && self.version < Version::V13_5 { flag::HINTS } else { 0 };
        flag::ENTRY | private | hints
    }

    /// Whether an attribute is a dictionary without entries.
    fn is_empty(&self, attr: Attr) -> bool {
        match self.module.tables.attrs.get(attr) {
            AttrData::OptimizationHints(entries) | AttrData::Dictionary(entries) => entries.is_empty(),
            _ => false,
        }
    }

    /// Whether an attribute is a list of dictionaries without entries.
    fn is_empty_list(&self, attr: Attr) -> bool {
        match self.module.tables.attrs.get(attr) {
            AttrData::Array(elements) => elements.iter().all(|&element| self.is_empty(element)),
            _ => self.is_empty(attr),
        }
    }

    fn function_hints(&mut self, out: &mut Vec<u8>, hints: Option<Attr>) -> Result<(), WriteError> {
        match hints {
            Some(hints) if matches!(self.module.tables.attrs.get(hints), AttrData::OptimizationHints(_)) => self.attribute(out, hints),
            Some(_) => Err(self.invalid("the hints of a function must be optimization hints".to_owned())),
            None if self.version >= Version::V13_5 => {
                out.extend([tag::OPTIMIZATION_HINTS, 0]);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn parameter_attributes(&mut self, out: &mut Vec<u8>, function: &Function) -> Result<(), WriteError> {
        let attrs = function.arg_attrs.filter(|&attrs| !self.is_empty_list(attrs));
        match attrs {
            _ if self.version < Version::V13_5 => match attrs {
                Some(_) => Err(self.newer(Version::V13_5, "the list of parameter attributes".to_owned())),
                None => Ok(()),
            },
            Some(attrs) if matches!(self.module.tables.attrs.get(attrs), AttrData::Array(_)) => self.attribute(out, attrs),
            Some(_) => Err(self.invalid("the attributes of parameters must be an array of dictionaries".to_owned())),
            None => {
                out.extend([tag::ARRAY, 0]);
                Ok(())
            }
        }
    }

    /// Numbers the debug rows: functions of which no location is known go without one in the C++ style.
    pub(super) fn number_rows(&self, records: &mut [FunctionRecord]) {
        let mut rows = 0;
        for record in records {
            if self.style == Style::Cutile || !record.ids.are_unknown() {
                rows += 1;
                record.row = rows;
            }
        }
    }
}

/// The payload of the section. `same_debug`: the debug section says what that of the layout's file says.
pub(crate) fn function_payload(style: Style, records: &[FunctionRecord], layout: Option<&FileLayout>, same_debug: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(records.iter().map(|record| record.body.len() + 32).sum());
    out.count(records.len());
    for (index, record) in records.iter().enumerate() {
        let kept = layout.and_then(|layout| layout.function(index).map(|kept| (layout, kept)));
        put_record(&mut out, record, kept, same_debug);
    }
    if style == Style::Cpp {
        out.pad(8);
    }
    out
}

/// Appends a record: parts that mean the same as those of the layout's file look like them.
fn put_record(out: &mut Vec<u8>, record: &FunctionRecord, kept: Option<(&FileLayout, &FunctionLayout)>, same_debug: bool) {
    let [prefix, attrs] = &record.head;
    let (mut prefix, mut attrs, mut body) = (&prefix[..], &attrs[..], None);
    let with_length;
    let mut row = None;
    if let Some((layout, kept)) = kept {
        [prefix, attrs] = kept.head(layout.bytes(), prefix, attrs);
        with_length = record.body_with_length();
        body = Some(kept.body(layout.bytes(), &with_length));
        row = kept.row(layout.bytes(), record.row).filter(|_| same_debug);
    }
    out.extend_from_slice(prefix);
    match row {
        Some(row) => out.extend_from_slice(row),
        None => out.varint(record.row),
    }
    out.extend_from_slice(attrs);
    match body {
        Some(body) => out.extend_from_slice(body),
        None => {
            out.count(record.body.len());
            out.extend_from_slice(&record.body);
        }
    }
}
