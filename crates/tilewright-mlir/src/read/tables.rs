//! Strings, dialects, names of operations, attributes and types.

use super::section;
use crate::{
    cursor::Cursor,
    encoding::{self, Encoding, EncodingId, Owner, Value, code, decode},
    error::{Error, Section},
    limits::{MAX_EXPANDED_PARTS, MAX_INTEGER_WIDTH, MAX_NESTING},
    module::{OpName, Version},
    tables::{AttrId, Dialect, DialectId, Fields, Form, Present, Scalar, StrId, Strings, Table, Tables, TypeId},
};
use foldhash::{HashMap, HashSet};
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
    let (all, base) = (content.rest(), content.offset());
    let mut attrs = Table::new(all, base);
    let len = entries(&mut attrs, all, &mut offsets, num_attrs, false, tables)?;
    attrs.truncate(len);
    let behind = &all[len..];
    let mut types = Table::new(behind, base + len);
    let types_len = entries(&mut types, behind, &mut offsets, num_types, true, tables)?;
    offsets.finish("the lengths of attributes and types")?;
    if types_len != behind.len() {
        return Err(content.error_at(base + len + types_len, "bytes remain behind the attributes and types"));
    }
    (tables.attrs, tables.types) = (attrs, types);
    Ok(())
}

/// Finds the entries of a table from the beginning of `bytes` on; gives how many bytes they have.
fn entries<'a>(
    table: &mut Table<'a>,
    bytes: &'a [u8],
    offsets: &mut Cursor<'a>,
    count: usize,
    is_type: bool,
    tables: &Tables<'a>,
) -> Result<usize, Error> {
    let what = if is_type { "types" } else { "attributes" };
    table.reserve(count);
    let (mut position, mut present) = (0, Present::default());
    while table.len() < count {
        let dialect = DialectId(offsets.index(tables.dialects.len(), "dialect")?);
        let owner = encoding::owner(tables.dialect_name(dialect));
        let offset = offsets.offset();
        let group = offsets.count(1, what)?;
        if group > count - table.len() {
            return Err(offsets.error_at(offset, format!("a group of {group} {what}, but only {} remain", count - table.len())));
        }
        // Neighbours mostly have the same encoding.
        let mut last = None;
        for (index, row) in (table.len() as u32..).zip(table.add_group(dialect, group)) {
            let start = position;
            let mut numbers = offsets.numbers();
            let length = numbers.small().filter(|&length| numbers.are_whole() && length >> 1 <= (bytes.len() - position) as u64);
            let (len, is_custom) = match length {
                Some(length) => {
                    offsets.go_behind(&numbers);
                    (length >> 1, length & 1 == 1)
                }
                None => length_of_entry(offsets, bytes.len() - position)?,
            };
            position += len as usize;
            let mut encoding = || {
                let code = match bytes[start..position] {
                    [byte, ..] if byte & 1 == 1 => u64::from(byte >> 1),
                    _ => Cursor::within(bytes, start..position, 0, Section::AttrType).varint().ok()?,
                };
                if last.is_none_or(|id: EncodingId| id.code() != code) {
                    last = EncodingId::find(owner?, is_type, code);
                }
                last
            };
            let encoding = if is_custom { encoding() } else { None };
            present.add(index, encoding);
            row.set(start, !is_custom, encoding);
        }
    }
    table.set_present(present);
    Ok(position)
}

/// How long an entry is, and whether it is in an encoding of its dialect.
#[cold]
fn length_of_entry(offsets: &mut Cursor<'_>, remaining: usize) -> Result<(u64, bool), Error> {
    let offset = offsets.offset();
    let (len, is_custom) = offsets.flagged_varint()?;
    if len > remaining as u64 {
        return Err(offsets.error_at(offset, format!("an encoding of {len} bytes ends behind the section")));
    }
    Ok((len, is_custom))
}

/// What a look at all attributes and types shows.
pub(super) struct Checked {
    /// The numbers of those whose encoding is not the known one, and whether it is a type.
    opaque: Vec<(bool, u32)>,
    /// The attributes that are in another form of their encoding than the first.
    forms: HashMap<u32, EncodingId>,
    may_hold_locations: bool,
}

impl Checked {
    pub(super) fn apply(self, tables: &mut Tables<'_>) {
        tables.may_hold_locations = self.may_hold_locations;
        tables.has_later_forms = !self.forms.is_empty();
        // Each for itself: in whatever order that happens.
        #[expect(clippy::iter_over_hash_type, reason = "rows are set one by one")]
        for (&index, &form) in &self.forms {
            tables.attrs.set_form(index, form);
        }
        for (is_type, index) in self.opaque {
            let table = if is_type { &mut tables.types } else { &mut tables.attrs };
            table.set_opaque(index);
        }
    }
}

/// Checks that each encoding is well formed. One of another dialect than builtin that is not counts as unknown: the dialect may have
/// changed it. Then checks that nothing contains itself, nests too deep, or describes too long a text. With `is_parallel`, two threads share
/// long tables.
pub(super) fn check_entries(tables: &Tables<'_>, is_parallel: bool) -> Result<Checked, Error> {
    let num_attrs = tables.attrs.len();
    let mut check = Check {
        tables,
        sizes: vec![UNKNOWN; num_attrs + tables.types.len()],
        scalars: Vec::new(),
        unknown: Vec::new(),
        checked: Checked { opaque: Vec::new(), forms: HashMap::default(), may_hold_locations: false },
    };
    // What others refer to comes first, so that the sizes of most parts are known: types, and attributes that have few parts.
    for index in 0..tables.types.len() as u32 {
        check.entry(index, true)?;
    }
    check.scalars = (0..tables.types.len() as u32).map(|index| tables.scalar(TypeId(index))).collect();
    let mut waiting = Vec::new();
    for index in 0..num_attrs as u32 {
        let is_done = match tables.builtin_attr(AttrId(index)) {
            Some(code::FILE_LINE_COL_LOC) => check.file_location(index).is_some(),
            Some(code::INTEGER | code::FLOAT) => check.number(index).is_some(),
            _ => false,
        };
        if !is_done && (has_parts(tables.attrs.encoding(index)) || !check.entry(index, false)?) {
            waiting.push(index);
        }
    }
    if is_parallel && waiting.len() >= MANY {
        // The parts that many have in common mostly stand before others, or are parts of the first.
        let (first, others) = waiting.split_at(waiting.len() / 8);
        check.all_with_parts(first)?;
        check.lists_in_parallel(others);
    }
    check.all_with_parts(&waiting)?;
    let Check { sizes, checked, .. } = check;
    let is_opaque: HashSet<usize> =
        checked.opaque.iter().map(|&(is_type, index)| index as usize + if is_type { num_attrs } else { 0 }).collect();
    Nesting { forms: Some(&checked.forms), ..Nesting::new(tables, is_opaque, sizes) }.visit_all().map_err(|(node, message)| {
        let offset = match node.checked_sub(num_attrs) {
            None => tables.attrs.offset(node as u32),
            Some(index) => tables.types.offset(index as u32),
        };
        Error::new(offset, Section::AttrType, message)
    })?;
    Ok(checked)
}

/// Whether attributes in an encoding mostly refer to others that refer to others.
#[inline]
fn has_parts(encoding: Option<EncodingId>) -> bool {
    encoding.is_some_and(|id| {
        id.is_of(Owner::Builtin)
            && matches!(
                id.code(),
                code::ARRAY
                    | code::DICTIONARY
                    | code::SYMBOL_REF
                    | code::CALL_SITE_LOC
                    | code::FUSED_LOC
                    | code::FUSED_LOC_WITH_METADATA
                    | code::NAME_LOC
            )
    })
}

/// Checks that no attribute or type contains itself, nests too deep, or describes too long a text; else gives its number, types behind
/// attributes, and what is wrong.
pub(crate) fn check_nesting(tables: &Tables<'_>) -> Result<(), (usize, String)> {
    Nesting::new(tables, HashSet::default(), vec![UNKNOWN; tables.attrs.len() + tables.types.len()]).visit_all()
}

/// How deep an entry is, how many parts it has when each is counted as often as it would be printed, and whether it is a location.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Size {
    depth: u16,
    is_location: bool,
    /// Whether it was looked for while parts of it were not known.
    is_tried: bool,
    parts: u32,
}

const _: () = assert!(size_of::<Size>() == 8 && MAX_NESTING < Size::BUSY as u32 && MAX_EXPANDED_PARTS < u32::MAX as u64);

/// No entry has this size.
const UNKNOWN: Size = Size { depth: 0, is_location: false, is_tried: false, parts: 0 };

impl Size {
    /// Stands for a depth while it is worked out.
    const BUSY: u16 = u16::MAX;
}

/// A sum of sizes, and what is around them.
struct Sum {
    depth: u32,
    parts: u64,
    /// Whether the sizes of all parts are known.
    is_known: bool,
    has_location: bool,
}

impl Default for Sum {
    fn default() -> Sum {
        Sum { depth: 1, parts: 1, is_known: true, has_location: false }
    }
}

impl Sum {
    #[inline]
    fn add(&mut self, part: Size) {
        self.is_known &= part.depth != 0;
        self.has_location |= part.is_location;
        self.depth = self.depth.max(u32::from(part.depth) + 1);
        // There are fewer parts than bytes in a file, and none has more parts than fit into 32 bits.
        self.parts = self.parts.wrapping_add(u64::from(part.parts));
    }

    /// The size, if it is known and not too much.
    #[inline]
    fn size(&self, is_location: bool) -> Option<Size> {
        let is_small = self.is_known && self.depth <= MAX_NESTING && self.parts <= MAX_EXPANDED_PARTS;
        is_small.then_some(Size { depth: self.depth as u16, is_location, is_tried: false, parts: self.parts as u32 })
    }
}

/// A list of attributes that was found well formed.
struct List {
    size: Size,
    has_location: bool,
}

/// Fewer attributes are checked before another thread has begun.
const MANY: usize = 1 << 14;

struct Check<'t, 'a> {
    tables: &'t Tables<'a>,
    /// Those of the attributes, then those of the types.
    sizes: Vec<Size>,
    /// Those of the types, once they are checked.
    scalars: Vec<Option<Scalar>>,
    /// The parts of the last entry whose sizes were not known.
    unknown: Vec<usize>,
    checked: Checked,
}

impl Check<'_, '_> {
    /// Checks an attribute that is a place in a file whose name was checked; none, and nothing was done, if it is something else.
    #[inline]
    fn file_location(&mut self, index: u32) -> Option<()> {
        let (file, ..) = self.tables.file_location(AttrId(index))?;
        let mut sum = Sum::default();
        sum.add(self.sizes[file.index()]);
        self.sizes[index as usize] = sum.size(true)?;
        Some(())
    }

    /// Checks a number of up to 64 bits; none, and nothing was done, if it is something else.
    #[inline]
    fn number(&mut self, index: u32) -> Option<()> {
        let mut numbers = self.tables.attrs.cursor(index).numbers();
        let is_float = numbers.small()? == code::FLOAT;
        let ty = usize::try_from(numbers.small()?).ok()?;
        let scalar = self.scalars.get(ty)?.as_ref()?;
        if is_float != matches!(scalar, Scalar::Float(_)) {
            return None;
        }
        match scalar.width() {
            0..=8 => drop(numbers.byte()?),
            9..=64 => drop(numbers.any()?),
            _ => return None,
        }
        let mut sum = Sum::default();
        sum.add(self.sizes[self.tables.attrs.len() + ty]);
        let size = sum.size(false).filter(|_| numbers.are_all())?;
        self.sizes[index as usize] = size;
        Some(())
    }

    /// Checks the dictionaries and arrays among some attributes whose parts were checked, on two threads.
    fn lists_in_parallel(&mut self, indices: &[u32]) {
        let (first, second) = indices.split_at(indices.len() / 2);
        let lists = |indices: &[u32]| Vec::from_iter(indices.iter().map(|&index| self.list(index)));
        let (of_first, of_second) = std::thread::scope(|scope| {
            let of_second = scope.spawn(|| lists(second));
            (lists(first), of_second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        for (&index, list) in indices.iter().zip(of_first.into_iter().chain(of_second)) {
            if let Some(list) = list {
                self.set_list(index, list);
            }
        }
    }

    fn set_list(&mut self, index: u32, list: List) {
        self.checked.may_hold_locations |= list.has_location;
        self.sizes[index as usize] = list.size;
    }

    /// What a dictionary or an array is whose parts were checked; none if it is something else.
    #[inline]
    fn list(&self, index: u32) -> Option<List> {
        let mut numbers = self.tables.attrs.cursor(index).numbers();
        let parts = match self.tables.builtin_attr(AttrId(index))? {
            code::ARRAY => 1,
            code::DICTIONARY => 2,
            _ => return None,
        };
        numbers.small()?;
        let attrs = &self.sizes[..self.tables.attrs.len()];
        let mut sum = Sum::default();
        for _ in 0..parts * numbers.count(parts)? {
            sum.add(*attrs.get(usize::try_from(numbers.any()?).ok()?)?);
        }
        let size = sum.size(false).filter(|_| numbers.are_all())?;
        Some(List { size, has_location: sum.has_location })
    }

    /// Checks an entry; false if the sizes of its parts are not known yet.
    fn entry(&mut self, index: u32, is_type: bool) -> Result<bool, Error> {
        let tables = self.tables;
        let num_attrs = tables.attrs.len();
        let table = if is_type { &tables.types } else { &tables.attrs };
        let node = index as usize + if is_type { num_attrs } else { 0 };
        let is_own_location = !is_type && is_location(tables, node);
        let mut form = table.encoding(index);
        loop {
            let error = match self.form(index, is_type, form) {
                Ok(sum) => {
                    if let Some(form) = form.filter(|_| form != table.encoding(index)) {
                        self.checked.forms.insert(index, form);
                    }
                    self.checked.may_hold_locations |= sum.has_location && !is_own_location;
                    if let Some(size) = sum.size(is_own_location) {
                        self.sizes[node] = size;
                    }
                    return Ok(sum.is_known);
                }
                Err(error) => error,
            };
            match form.and_then(EncodingId::next_form) {
                Some(next) => form = Some(next),
                None => return self.not_well_formed(index, is_type, error).map(|()| true),
            }
        }
    }

    /// Checks an entry in a form of its encoding.
    fn form(&mut self, index: u32, is_type: bool, form: Option<EncodingId>) -> Result<Sum, Error> {
        let tables = self.tables;
        let num_attrs = tables.attrs.len();
        let mut sum = Sum::default();
        let (sizes, unknown) = (&self.sizes, &mut self.unknown);
        unknown.clear();
        check_entry(tables, &self.scalars, form, index, is_type, &mut |part| {
            let size = sizes[part];
            sum.add(size);
            if size.depth == 0 {
                unknown.push(part);
            }
        })?;
        sum.has_location |= self.unknown.iter().any(|&part| part < num_attrs && is_location(tables, part));
        Ok(sum)
    }

    /// Whether an entry in no form of its encoding is an error, or counts as one of which nothing is known.
    fn not_well_formed(&mut self, index: u32, is_type: bool, error: Error) -> Result<(), Error> {
        let tables = self.tables;
        let table = if is_type { &tables.types } else { &tables.attrs };
        let entry = table.entry(index);
        if matches!(entry.form, Form::Text) || tables.dialect_name(entry.dialect) == b"builtin" {
            return Err(error);
        }
        self.checked.opaque.push((is_type, index));
        // What it refers to is not known either.
        self.sizes[index as usize + if is_type { tables.attrs.len() } else { 0 }] = Size { depth: 1, parts: 1, ..UNKNOWN };
        Ok(())
    }

    fn all_with_parts(&mut self, indices: &[u32]) -> Result<(), Error> {
        let mut stack = Vec::new();
        indices.iter().try_for_each(|&index| self.with_parts(index, &mut stack))
    }

    /// Checks an attribute after its parts, which takes a stack. What is part of itself is left for [`Nesting`] to find.
    fn with_parts(&mut self, index: u32, stack: &mut Vec<u32>) -> Result<(), Error> {
        stack.push(index);
        while let Some(&index) = stack.last() {
            let node = index as usize;
            if self.sizes[node].depth == 0
                && let Some(list) = self.list(index)
            {
                self.set_list(index, list);
            }
            if self.sizes[node].depth != 0 || self.entry(index, false)? || std::mem::replace(&mut self.sizes[node].is_tried, true) {
                stack.pop();
                continue;
            }
            let is_new = |part: &usize| self.sizes.get(*part).is_some_and(|size| !size.is_tried) && *part < self.tables.attrs.len();
            stack.extend(self.unknown.iter().copied().filter(is_new).map(|part| part as u32));
        }
        Ok(())
    }
}

#[inline]
fn is_location(tables: &Tables<'_>, attr: usize) -> bool {
    tables.builtin_attr(AttrId(attr as u32)).is_some_and(code::is_location)
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

/// Checks an entry in a form of its encoding, and names what it refers to by its numbers, types behind attributes. `scalars` are those of the types, if they are known.
#[inline]
fn check_entry(
    tables: &Tables<'_>,
    scalars: &[Option<Scalar>],
    form: Option<EncodingId>,
    index: u32,
    is_type: bool,
    part: &mut impl FnMut(usize),
) -> Result<(), Error> {
    let table = if is_type { &tables.types } else { &tables.attrs };
    let mut cursor = table.cursor(index);
    match form.map(EncodingId::encoding) {
        None if tables.text(table, index).is_some() => {
            cursor.null_terminated()?;
            cursor.finish("a text")
        }
        None => Ok(()),
        Some(encoding) => {
            cursor.varint()?;
            check_fields(&mut cursor, encoding, tables, scalars, part)?;
            cursor.finish(encoding.name)?;
            let scalar = if is_type { tables.scalar(TypeId(index)) } else { None };
            match scalar {
                Some(Scalar::Integer { width, .. }) if width > MAX_INTEGER_WIDTH => {
                    Err(cursor.error_at(table.offset(index), format!("an integer type of {width} bits is too wide")))
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
    scalars: &[Option<Scalar>],
    part: &mut impl FnMut(usize),
) -> Result<(), Error> {
    let start = cursor.clone();
    let mut ty = None;
    for (index, &(_, field)) in encoding.fields.iter().enumerate() {
        if !encoding::check(cursor, field, &mut ty, tables, scalars, part)? {
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
    /// The attributes that are in another form of their encoding than the first.
    forms: Option<&'t HashMap<u32, EncodingId>>,
    /// Those of the attributes, then those of the types.
    done: Vec<Size>,
    /// The parts of what is being worked out.
    parts: Vec<usize>,
    /// What is being worked out, where its parts begin in the list, and which of them comes next.
    stack: Vec<(usize, usize, usize)>,
}

impl<'t, 'a> Nesting<'t, 'a> {
    fn new(tables: &'t Tables<'a>, opaque: HashSet<usize>, done: Vec<Size>) -> Nesting<'t, 'a> {
        Nesting { tables, opaque, forms: None, done, parts: Vec::new(), stack: Vec::new() }
    }

    fn visit_all(&mut self) -> Result<(), (usize, String)> {
        (0..self.done.len()).try_for_each(|node| self.visit(node))
    }

    fn visit(&mut self, root: usize) -> Result<(), (usize, String)> {
        if self.done[root].depth != 0 {
            return Ok(());
        }
        self.begin(root);
        while let Some((node, first, next)) = self.stack.last_mut() {
            if let Some(&part) = self.parts.get(*next) {
                *next += 1;
                match self.done[part].depth {
                    0 => self.begin(part),
                    Size::BUSY => return Err((part, "an attribute or a type contains itself".to_owned())),
                    _ => {}
                }
                continue;
            }
            let mut sum = Sum::default();
            self.parts.drain(*first..).for_each(|part| sum.add(self.done[part]));
            if sum.depth > MAX_NESTING {
                return Err((*node, format!("attributes and types nest deeper than {MAX_NESTING} levels")));
            }
            let Some(size) = sum.size(false) else {
                return Err((*node, format!("an attribute or a type has more than {MAX_EXPANDED_PARTS} parts")));
            };
            self.done[*node] = size;
            self.stack.pop();
        }
        Ok(())
    }

    fn begin(&mut self, node: usize) {
        self.done[node].depth = Size::BUSY;
        self.stack.push((node, self.parts.len(), self.parts.len()));
        if !self.opaque.contains(&node) {
            let form = self.forms.and_then(|forms| forms.get(&u32::try_from(node).ok()?)).copied();
            each_part_in_form(self.tables, node, form, &mut |part| self.parts.push(part));
        }
    }
}

/// Names the parts of an attribute or a type that was found well formed, types behind attributes.
pub(crate) fn each_part_of(tables: &Tables<'_>, node: usize, part: &mut impl FnMut(usize)) {
    each_part_in_form(tables, node, None, part);
}

/// The same, where the encoding may be in another form than the table says.
fn each_part_in_form(tables: &Tables<'_>, node: usize, form: Option<EncodingId>, part: &mut impl FnMut(usize)) {
    let (table, index) = match node.checked_sub(tables.attrs.len()) {
        None => (&tables.attrs, node as u32),
        Some(index) => (&tables.types, index as u32),
    };
    if let Some(encoding) = form.or_else(|| table.encoding(index)).map(EncodingId::encoding) {
        let mut cursor = table.cursor(index);
        // One that is not well formed is known as such, and does not come here.
        let _ = cursor.varint().and_then(|_| check_fields(&mut cursor, encoding, tables, &[], part));
    }
}
