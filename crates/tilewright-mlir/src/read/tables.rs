//! Strings, dialects, names of operations, attributes and types.

use super::section;
use crate::{
    cursor::Cursor,
    encoding::{self, Encoding, Value, decode},
    error::{Error, Section},
    limits::{MAX_EXPANDED_PARTS, MAX_INTEGER_WIDTH, MAX_NESTING},
    module::{OpName, Version},
    tables::{AttrId, Dialect, DialectId, Entry, Fields, Form, Scalar, StrId, Strings, Table, Tables, TypeId},
};
use foldhash::HashSet;
use std::borrow::Cow;

pub(super) fn strings(mut cursor: Cursor<'_>) -> Result<Strings<'_>, Error> {
    let count = cursor.count(2, "strings")?;
    // The lengths stand in the opposite order.
    let mut lengths = Vec::with_capacity(count);
    for _ in 0..count {
        let offset = cursor.offset();
        lengths.push((offset, cursor.varint()?));
    }
    let bytes = cursor.rest();
    let mut ends = Vec::with_capacity(count);
    let mut position = 0;
    for &(offset, length) in lengths.iter().rev() {
        if length > (bytes.len() - position) as u64 {
            return Err(cursor.error_at(offset, format!("a string of {length} bytes ends behind the section")));
        }
        if length == 0 || bytes[position + length as usize - 1] != 0 {
            return Err(cursor.error_at(offset, "a string is not ended by a null byte"));
        }
        position += length as usize;
        ends.push(position - 1);
    }
    if position != bytes.len() {
        return Err(cursor.error(format!("{} bytes remain behind the strings", bytes.len() - position)));
    }
    Ok(Strings::new(bytes, ends))
}

/// The dialects, and the names of operations.
pub(super) fn dialects<'a>(mut cursor: Cursor<'a>, version: Version, tables: &mut Tables<'a>) -> Result<Vec<OpName>, Error> {
    let num_strings = tables.strings.len();
    let count = cursor.count(1, "dialects")?;
    for _ in 0..count {
        let offset = cursor.offset();
        let (name, has_version) = if version.has_dialect_versions() { cursor.flagged_varint()? } else { (cursor.varint()?, false) };
        if name >= num_strings as u64 {
            return Err(cursor.no_such(offset, name, num_strings, "string"));
        }
        let dialect_version = has_version.then(|| dialect_version(&mut cursor)).transpose()?;
        tables.dialects.push(Dialect { name: StrId(name as u32), version: dialect_version.map(Cow::Borrowed) });
    }
    // How many names follow, for those who want to know before.
    let expected = if version.elides_locations() { Some((cursor.offset(), cursor.varint()?)) } else { None };
    let mut names = Vec::new();
    while !cursor.is_empty() {
        let dialect = DialectId(cursor.index(tables.dialects.len(), "dialect")?);
        let count = cursor.count(1, "names")?;
        for _ in 0..count {
            let offset = cursor.offset();
            let (name, is_registered) = match version.has_properties() {
                true => cursor.flagged_varint().map(|(name, flag)| (name, Some(flag)))?,
                false => (cursor.varint()?, None),
            };
            if name >= num_strings as u64 {
                return Err(cursor.no_such(offset, name, num_strings, "string"));
            }
            names.push(OpName { dialect, name: StrId(name as u32), is_registered });
        }
    }
    match expected {
        Some((offset, count)) if count != names.len() as u64 => {
            Err(cursor.error_at(offset, format!("{count} names of operations are announced, but there are {}", names.len())))
        }
        _ => Ok(names),
    }
}

fn dialect_version<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], Error> {
    let offset = cursor.offset();
    match section(cursor)? {
        (Section::DialectVersion, content) => Ok(content.rest()),
        (other, _) => Err(cursor.error_at(offset, format!("the version of a dialect is expected, not the {other}"))),
    }
}

pub(super) fn properties(mut cursor: Cursor<'_>) -> Result<Vec<Cow<'_, [u8]>>, Error> {
    let count = cursor.count(1, "properties")?;
    let mut properties = Vec::with_capacity(count);
    for _ in 0..count {
        let size = cursor.varint()?;
        properties.push(Cow::Borrowed(cursor.bytes(size)?));
    }
    cursor.finish("the properties")?;
    Ok(properties)
}

/// Finds where each attribute and type is; see [`check_entries`] for what they are.
pub(super) fn attributes_and_types<'a>(mut offsets: Cursor<'a>, content: &Cursor<'a>, tables: &mut Tables<'a>) -> Result<(), Error> {
    let num_attrs = offsets.count(1, "attributes")?;
    let num_types = offsets.count(1, "types")?;
    let mut reader = Reader { content, position: 0, tables };
    reader.tables.attrs = reader.table(&mut offsets, num_attrs, "attributes", |encodings| encodings.attributes)?;
    reader.tables.types = reader.table(&mut offsets, num_types, "types", |encodings| encodings.types)?;
    offsets.finish("the lengths of attributes and types")?;
    if reader.position != content.rest().len() {
        return Err(content.error_at(content.offset() + reader.position, "bytes remain behind the attributes and types"));
    }
    Ok(())
}

struct Reader<'r, 'a> {
    content: &'r Cursor<'a>,
    /// In the content.
    position: usize,
    tables: &'r mut Tables<'a>,
}

impl<'a> Reader<'_, 'a> {
    fn table(
        &mut self,
        offsets: &mut Cursor<'a>,
        count: usize,
        what: &str,
        encodings: impl Fn(&encoding::Encodings) -> &'static [Encoding],
    ) -> Result<Table<'a>, Error> {
        let bytes = self.content.rest();
        let mut entries = Vec::with_capacity(count);
        while entries.len() < count {
            let dialect = DialectId(offsets.index(self.tables.dialects.len(), "dialect")?);
            let known = encoding::of(self.tables.dialect_name(dialect)).map_or(&[][..], &encodings);
            let offset = offsets.offset();
            let group = offsets.count(1, what)?;
            if group > count - entries.len() {
                return Err(offsets.error_at(offset, format!("a group of {group} {what}, but only {} remain", count - entries.len())));
            }
            for _ in 0..group {
                let offset = offsets.offset();
                let (len, is_custom) = offsets.flagged_varint()?;
                if len > (bytes.len() - self.position) as u64 {
                    return Err(offsets.error_at(offset, format!("an encoding of {len} bytes ends behind the section")));
                }
                let start = self.position;
                self.position += len as usize;
                let form = match is_custom {
                    false => Form::Text,
                    true => Cursor::trusted(&bytes[start..self.position])
                        .varint()
                        .ok()
                        .and_then(|code| encoding::find(known, code))
                        .map_or(Form::Opaque, Form::Known),
                };
                entries.push(Entry { start, len: len as usize, dialect, form });
            }
        }
        Ok(Table { bytes: Cow::Borrowed(bytes), entries })
    }
}

/// What a look at all attributes and types shows.
pub(super) struct Checked {
    /// The numbers of those whose encoding is not the known one, and whether it is a type.
    opaque: Vec<(bool, usize)>,
    may_hold_locations: bool,
}

impl Checked {
    pub(super) fn apply(self, tables: &mut Tables<'_>) {
        tables.may_hold_locations = self.may_hold_locations;
        for (is_type, index) in self.opaque {
            let table = if is_type { &mut tables.types } else { &mut tables.attrs };
            table.entries[index].form = Form::Opaque;
        }
    }
}

/// Checks that each encoding is well formed. One of another dialect than builtin that is not counts as unknown: the dialect may have
/// changed it. Then checks that nothing contains itself, nests too deep, or describes too long a text.
pub(super) fn check_entries(content: &Cursor<'_>, tables: &Tables<'_>) -> Result<Checked, Error> {
    let num_attrs = tables.attrs.len();
    let mut done = vec![(0, 0); num_attrs + tables.types.len()];
    let mut opaque = Vec::new();
    let mut may_hold_locations = false;
    let is_location = |node: usize| node < num_attrs && tables.builtin_attr(AttrId(node as u32)).is_some_and(encoding::code::is_location);
    // Types first: attributes refer to them more than the other way round.
    for (table, first, is_type) in [(&tables.types, num_attrs, true), (&tables.attrs, 0, false)] {
        for index in 0..table.len() {
            let mut size = Size::default();
            let mut location = false;
            let mut add = |part: usize| {
                size.add(done[part]);
                location |= is_location(part);
            };
            let checked = check_entry(content, tables, table, index as u32, is_type, &mut add);
            may_hold_locations |= location && !is_location(first + index);
            match checked {
                Ok(()) => done[first + index] = size.known().unwrap_or((0, 0)),
                Err(error) => {
                    let entry = table.entry(index as u32);
                    if matches!(entry.form, Form::Text) || tables.dialect_name(entry.dialect) == b"builtin" {
                        return Err(error);
                    }
                    opaque.push((is_type, index));
                }
            }
        }
    }
    // What an entry of an unknown form refers to is not known either.
    let is_opaque: HashSet<usize> = opaque.iter().map(|&(is_type, index)| if is_type { num_attrs + index } else { index }).collect();
    Nesting::new(tables, is_opaque, done).visit_all().map_err(|(node, message)| {
        let entry = if node < num_attrs { tables.attrs.entries[node] } else { tables.types.entries[node - num_attrs] };
        content.error_at(content.offset() + entry.start, message)
    })?;
    Ok(Checked { opaque, may_hold_locations })
}

/// Checks that no attribute or type contains itself, nests too deep, or describes too long a text; else gives its number, types behind
/// attributes, and what is wrong.
pub(crate) fn check_nesting(tables: &Tables<'_>) -> Result<(), (usize, String)> {
    Nesting::new(tables, HashSet::default(), vec![(0, 0); tables.attrs.len() + tables.types.len()]).visit_all()
}

/// How deep an entry is and how many parts it has, from what is known of its parts.
struct Size {
    depth: u32,
    parts: u64,
    is_known: bool,
}

impl Default for Size {
    fn default() -> Size {
        Size { depth: 1, parts: 1, is_known: true }
    }
}

impl Size {
    fn add(&mut self, (depth, parts): (u32, u64)) {
        self.is_known &= depth != 0;
        self.depth = self.depth.max(depth + 1);
        self.parts = self.parts.saturating_add(parts);
    }

    /// Both, if they are known and not too much.
    fn known(&self) -> Option<(u32, u64)> {
        (self.is_known && self.depth <= MAX_NESTING && self.parts <= MAX_EXPANDED_PARTS).then_some((self.depth, self.parts))
    }
}

/// The numbers of the attributes that fields refer to, and those of types, which come behind them.
fn each_part(fields: &[Value<'_>], num_attrs: usize, part: &mut dyn FnMut(usize)) {
    for field in fields {
        match field {
            Value::Attr(id) | Value::OptionalAttr(Some(id)) => part(id.index()),
            Value::Type(id) => part(num_attrs + id.index()),
            Value::Attrs(list) | Value::NamedAttrs(list) => list.clone().for_each(|index| part(index as usize)),
            Value::OptionalAttrs(list) => list.clone().optional_attrs().flatten().for_each(|id| part(id.index())),
            Value::Types(list) => list.clone().for_each(|index| part(num_attrs + index as usize)),
            _ => {}
        }
    }
}

/// Checks an entry, and names what it refers to by its numbers, types behind attributes.
#[inline]
fn check_entry(
    content: &Cursor<'_>,
    tables: &Tables<'_>,
    table: &Table<'_>,
    index: u32,
    is_type: bool,
    part: &mut impl FnMut(usize),
) -> Result<(), Error> {
    let entry = table.entry(index);
    let mut cursor = Cursor::new(table.encoded(index), content.offset() + entry.start, Section::AttrType);
    match entry.form {
        Form::Text => {
            cursor.null_terminated()?;
            cursor.finish("a text")
        }
        Form::Opaque => Ok(()),
        Form::Known(encoding) => {
            cursor.varint()?;
            check_fields(&mut cursor, encoding, tables, part)?;
            cursor.finish(encoding.name)?;
            let scalar = if is_type { tables.scalar(TypeId(index)) } else { None };
            match scalar {
                Some(Scalar::Integer { width, .. }) if width > MAX_INTEGER_WIDTH => {
                    Err(cursor.error_at(content.offset() + entry.start, format!("an integer type of {width} bits is too wide")))
                }
                _ => Ok(()),
            }
        }
    }
}

#[inline]
fn check_fields(
    cursor: &mut Cursor<'_>,
    encoding: &'static Encoding,
    tables: &Tables<'_>,
    part: &mut impl FnMut(usize),
) -> Result<(), Error> {
    let start = cursor.clone();
    let mut ty = None;
    for (index, &(_, field)) in encoding.fields.iter().enumerate() {
        if !encoding::check(cursor, field, &mut ty, tables, part)? {
            *cursor = start;
            return decode_fields(cursor, encoding, index, tables, part);
        }
    }
    Ok(())
}

/// Checks fields by decoding them; the parts of those from `first` on are not named yet.
fn decode_fields(
    cursor: &mut Cursor<'_>,
    encoding: &'static Encoding,
    first: usize,
    tables: &Tables<'_>,
    part: &mut dyn FnMut(usize),
) -> Result<(), Error> {
    let mut fields = Fields::new();
    for &(_, field) in encoding.fields {
        let value = decode(cursor, field, &fields, tables)?;
        fields.push(value);
    }
    each_part(&fields[first..], tables.attrs.len(), part);
    Ok(())
}

struct Nesting<'t, 'a> {
    tables: &'t Tables<'a>,
    /// The entries whose encoding is not the known one.
    opaque: HashSet<usize>,
    /// For each attribute, then for each type: how deep it is, 0 where that is not known yet, and how many parts it has.
    done: Vec<(u32, u64)>,
    /// The parts of what is being worked out.
    parts: Vec<usize>,
    /// What is being worked out, where its parts begin in the list, and which of them comes next.
    stack: Vec<(usize, usize, usize)>,
}

impl<'t, 'a> Nesting<'t, 'a> {
    fn new(tables: &'t Tables<'a>, opaque: HashSet<usize>, done: Vec<(u32, u64)>) -> Nesting<'t, 'a> {
        Nesting { tables, opaque, done, parts: Vec::new(), stack: Vec::new() }
    }

    /// Stands for a depth while it is worked out.
    const BUSY: u32 = u32::MAX;

    fn visit_all(&mut self) -> Result<(), (usize, String)> {
        (0..self.done.len()).try_for_each(|node| self.visit(node))
    }

    fn visit(&mut self, root: usize) -> Result<(), (usize, String)> {
        if self.done[root].0 != 0 {
            return Ok(());
        }
        self.begin(root);
        while let Some((node, first, next)) = self.stack.last_mut() {
            if let Some(&part) = self.parts.get(*next) {
                *next += 1;
                match self.done[part].0 {
                    0 => self.begin(part),
                    Self::BUSY => return Err((part, "an attribute or a type contains itself".to_owned())),
                    _ => {}
                }
                continue;
            }
            let mut size = Size::default();
            self.parts.drain(*first..).for_each(|part| size.add(self.done[part]));
            if size.depth > MAX_NESTING {
                return Err((*node, format!("attributes and types nest deeper than {MAX_NESTING} levels")));
            }
            if size.parts > MAX_EXPANDED_PARTS {
                return Err((*node, format!("an attribute or a type has more than {MAX_EXPANDED_PARTS} parts")));
            }
            self.done[*node] = (size.depth, size.parts);
            self.stack.pop();
        }
        Ok(())
    }

    fn begin(&mut self, node: usize) {
        self.done[node].0 = Self::BUSY;
        self.stack.push((node, self.parts.len(), self.parts.len()));
        if !self.opaque.contains(&node) {
            each_part_of(self.tables, node, &mut |part| self.parts.push(part));
        }
    }
}

/// Names the parts of an attribute or a type that was found well formed, types behind attributes.
pub(crate) fn each_part_of(tables: &Tables<'_>, node: usize, part: &mut impl FnMut(usize)) {
    let (table, index) = match node.checked_sub(tables.attrs.len()) {
        None => (&tables.attrs, node as u32),
        Some(index) => (&tables.types, index as u32),
    };
    if let Form::Known(encoding) = table.entry(index).form {
        let mut cursor = Cursor::trusted(table.encoded(index));
        // One that is not well formed is known as such, and does not come here.
        let _ = cursor.varint().and_then(|_| check_fields(&mut cursor, encoding, tables, part));
    }
}
