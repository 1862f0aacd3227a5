//! Takes the layout of a file that was read.

use super::{FileLayout, FunctionLayout, Kept, Seed, TableSeeds};
use crate::{
    FunctionHeader, Section, Style,
    context::{Budget, Context, Slot},
    cursor::Cursor,
    envelope::Envelope,
    write,
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};
use tilewright_ir::{Module, Scalar};

impl FileLayout {
    /// The layout of `bytes`, which were read as `module`: what the writer makes of the module tells what to keep.
    pub(crate) fn capture(bytes: &[u8], context: &Context<'_>, functions: &[FunctionHeader], module: &Module) -> FileLayout {
        let tables = TableSeeds {
            strings: strings(context),
            types: items(context.types.table.len(), context.types.table.blob_len(), |index| {
                (context.types.table.item_range(index), context.types.known[index] != Slot::Todo)
            }),
            constants: constants(context),
            locations: items(context.debug.entries.len(), context.debug.entries.blob_len(), |index| {
                (context.debug.entries.item_range(index), context.debug.known[index] != Slot::Todo)
            }),
        };
        let mut layout = FileLayout {
            bytes: bytes.into(),
            version: context.version,
            preview: context.preview,
            style: style(bytes, context, &tables.types, functions),
            sections: Envelope::sections(bytes),
            tables,
            functions: Vec::new(),
            payloads: Vec::new(),
        };
        layout.find_aliases(context, module);
        layout.keep_parts(functions, module);
        layout
    }

    /// How the writer encodes the types and debug entries that were decoded, where that is not what the file has.
    fn find_aliases(&mut self, context: &Context<'_>, module: &Module) {
        let mut writer = write::Context::new(module, self.version, self.style, Some(self));
        let types = done(&context.types.known, |slot| Some(*slot));
        types.iter().for_each(|&(ty, position)| writer.place_type(ty, position));
        let locations = done(&context.debug.known, |slot| *slot);
        locations.iter().for_each(|&(loc, position)| writer.place_location(loc, position));
        let types: Vec<_> = types.iter().filter_map(|&(ty, position)| Some((writer.type_item(ty).ok()?.into(), position))).collect();
        let locations: Vec<_> =
            locations.iter().filter_map(|&(loc, position)| Some((writer.interned_location_item(loc).ok()?.into(), position))).collect();
        self.tables.types.add_aliases(&self.bytes, types);
        self.tables.locations.add_aliases(&self.bytes, locations);
    }

    /// Encodes the module, and keeps the parts of the file that it makes something else of.
    fn keep_parts(&mut self, functions: &[FunctionHeader], module: &Module) {
        // What cannot be written at all needs no layout.
        let Ok(encoded) = write::encode(module, self.version, self.style, Some(self)) else { return };
        for (record, function) in encoded.records.iter().zip(functions) {
            let (marks, row_end) = (&function.marks, function.marks.attrs);
            let keep = |range: Range<usize>, encoded: &[u8]| Kept::new(&self.bytes, range, encoded);
            let [prefix, attrs] = &record.head;
            self.functions.push(FunctionLayout {
                head: [keep(marks.start..marks.row, prefix), keep(row_end..marks.body, attrs)],
                body: keep(marks.body..function.body.end, &record.body_with_length()),
                row: record.row,
                raw_row: marks.row..row_end,
            });
        }
        self.keep_payloads(&encoded, [Section::Debug, Section::Global, Section::Producer]);
        // The records of functions depend on the debug section: they are told whether it is the same.
        let functions = write::function_payload(self.style, &encoded.records, Some(self), true);
        if let Some(raw) = self.raw_payload(Section::Function) {
            self.payloads.push((Section::Function, Kept::new(&self.bytes, raw, &functions)));
        }
    }

    fn keep_payloads<const N: usize>(&mut self, encoded: &write::Encoded, sections: [Section; N]) {
        for section in sections {
            if let (Some(raw), Some(payload)) = (self.raw_payload(section), encoded.payload(section)) {
                self.payloads.push((section, Kept::new(&self.bytes, raw, payload)));
            }
        }
    }
}

impl Seed {
    /// Adds the forms of decoded items, in the order of the file, that would not lead a writer to the first item that has
    /// the form.
    fn add_aliases(&mut self, file: &[u8], forms: Vec<(Box<[u8]>, u32)>) {
        let mut found: HashMap<&[u8], u32> = HashMap::new();
        for (key, position) in &self.keys {
            found.entry(&file[key.clone()]).or_insert(*position);
        }
        let mut seen = HashSet::new();
        let is_alias = |(form, position): &(Box<[u8]>, u32)| seen.insert(form.clone()) && found.get(&form[..]) != Some(position);
        self.aliases = forms.into_iter().filter(is_alias).collect();
    }
}

/// The decoded items of a table and their positions.
fn done<T: Copy, U>(known: &[Slot<T>], value: impl Fn(&T) -> Option<U>) -> Vec<(U, u32)> {
    let item = |(slot, position): (&Slot<T>, u32)| match slot {
        Slot::Done(done) => value(done).map(|done| (done, position)),
        Slot::Todo | Slot::Busy => None,
    };
    known.iter().zip(0..).filter_map(item).collect()
}

/// The items of a table. `item` gives the bytes of one, and whether it was decoded.
///
/// Items that nothing uses may overlap: only as many of them are kept as the blob has bytes; the others become empty.
fn items(count: usize, blob: usize, item: impl Fn(usize) -> (Option<Range<usize>>, bool)) -> Seed {
    let mut budget = Budget::new(blob, 0);
    let mut seed = Seed::default();
    for index in 0..count {
        let (range, is_used) = item(index);
        let range = range.filter(|range| budget.take(range.len()) || is_used);
        seed.keys.extend(range.clone().map(|range| (range, index as u32)));
        seed.items.push(range.unwrap_or_default());
    }
    seed
}

fn strings(context: &Context<'_>) -> Seed {
    let strings = &context.strings;
    items(strings.table.len(), strings.table.blob_len(), |index| (Some(strings.table.clamped_range(index)), strings.known[index].is_some()))
}

/// Constants are looked up by their data, which stand behind their size.
fn constants(context: &Context<'_>) -> Seed {
    let table = &context.constants.table;
    let mut seed = items(table.len(), table.blob_len(), |index| (table.item_range(index), true));
    let data = |mut item: Cursor<'_>| {
        let len = item.count("bytes", 1).ok()?;
        item.split(len).ok().map(|data| data.range())
    };
    seed.keys = (0..table.len()).filter_map(|index| Some((data(table.item(index)?)?, index as u32))).collect();
    seed
}

/// Which writer made the file: cuTile gives every function a debug row, and every file these two types.
fn style(bytes: &[u8], context: &Context<'_>, types: &Seed, functions: &[FunctionHeader]) -> Style {
    let has_type = |index: usize, scalar: Scalar| types.items.get(index).is_some_and(|item| bytes[item.clone()] == [scalar.tag()]);
    let has_rows = functions.iter().all(|function| function.row.is_some()) && context.debug.entries.len() > 0;
    match has_rows && has_type(0, Scalar::I1) && has_type(1, Scalar::I32) {
        true => Style::Cutile,
        false => Style::Cpp,
    }
}
