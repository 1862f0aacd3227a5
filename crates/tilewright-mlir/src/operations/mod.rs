//! What is known of operations: the names of their properties, and which of them are isolated from above.
//!
//! `table.txt` holds a line for each operation of MLIR's dialects and of StableHLO's; `table.py` beside it makes it of what
//! `mlir-tblgen` generates. The rows of Tile IR's dialect come from its op table. A file of version 5 or later holds properties without their names, in the order of the table.

mod cuda_tile;

use crate::{
    cursor::Cursor,
    encoding::code,
    module::{Module, Version},
    tables::{AttrId, NameId, Tables},
};
use foldhash::HashMap;
use smallvec::{SmallVec, smallvec};

/// A line for each operation: its name, `!` if its regions are isolated from above, and its properties in the order of their encoding. `+`
/// behind the name marks a form that is newer than the others of the operation: of MLIR, one of LLVM 23 or later. `-21` marks one that LLVM had
/// up to this version, which only files of these versions have.
///
/// A property is an attribute unless a mark says otherwise: `?` for one that may be absent, `?:unit` for one that is absent or a unit, `<` for
/// sizes of groups of operands or results in versions before 6, `>` with their number for those since, `:bool`, `:int?`, `:int` with a
/// width, and `:overflow`.
const TABLE: &str = include_str!("table.txt");

/// The last version of LLVM whose forms have no mark.
pub(crate) const TABLE_LLVM_VERSION: u32 = 22;

/// What is known of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpInfo {
    /// Its name.
    pub name: &'static str,
    /// Whether its regions use no values from outside.
    pub is_isolated: bool,
    /// Whether this form is newer than the one that is written first.
    pub(crate) is_newer: bool,
    /// The last version of LLVM that had this form, where a later one has another.
    until: Option<u32>,
    properties: &'static str,
}

/// How a property stands in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Attr,
    OptionalAttr,
    /// One that is the unit attribute where it is there, by which its form is told from another of the same length.
    OptionalUnit,
    /// Sizes of groups as an attribute, in versions before 6.
    SegmentsAttr,
    /// So many sizes of groups, since version 6.
    Segments(usize),
    Bool,
    OptionalInt,
    /// Of so many bits.
    Int(u32),
    /// Flags of what does not overflow, for which LLVM has an attribute up to version 20.
    Overflow,
}

/// The value of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PropertyValue {
    Attr(AttrId),
    Segments(SmallVec<[u32; 4]>),
    Bool(bool),
    OptionalInt(Option<u64>),
    Int(u64, u32),
    Overflow(u64),
}

/// What does not overflow, by its bit.
const OVERFLOW_FLAGS: [&str; 2] = ["nsw", "nuw"];

impl OpInfo {
    /// The lines of the table about an operation: one, or one for each form that its properties had over time, the one that is written first.
    pub fn all(name: &str) -> impl Iterator<Item = OpInfo> {
        let own = cuda_tile::find(name).iter().map(|(_, line)| OpInfo::parse(line));
        let lines = TABLE[first_line(name)..].lines().map(OpInfo::parse);
        let name = name.to_owned();
        lines.take_while(move |info| info.name == name).chain(own)
    }

    /// The same for text, and for files of any version but the older ones: without forms that later ones took the place of.
    pub(crate) fn all_current(name: &str) -> impl Iterator<Item = OpInfo> {
        let mut has_current = false;
        OpInfo::all(name).filter(move |info| {
            has_current |= info.until.is_none();
            info.until.is_none() || !has_current
        })
    }

    /// What is known of an operation.
    pub fn of(name: &str) -> Option<OpInfo> {
        OpInfo::all(name).next()
    }

    /// What is known of an operation in a version of Tile IR; other dialects have one version.
    pub(crate) fn in_version(name: &str, version: tilewright_ir::Version) -> Option<OpInfo> {
        let own = cuda_tile::find(name).iter().find(|(since, _)| *since <= version);
        own.map(|(_, line)| OpInfo::parse(line)).or_else(|| OpInfo::of(name))
    }

    fn parse(line: &'static str) -> OpInfo {
        let (name, properties) = line.split_once(' ').unwrap_or((line, ""));
        let (name, is_newer) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        let older = name.rsplit_once('-').and_then(|(name, until)| Some((name, until.parse().ok()?)));
        let (name, until) = older.map_or((name, None), |(name, until)| (name, Some(until)));
        let (name, is_isolated) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
        OpInfo { name, is_isolated, is_newer, until, properties }
    }

    /// The properties in the order of their encoding.
    pub(crate) fn properties(self) -> impl Iterator<Item = (&'static str, Kind)> {
        self.properties.split(' ').filter(|word| !word.is_empty()).map(|word| {
            if let Some(name) = word.strip_prefix('<') {
                return (name, Kind::SegmentsAttr);
            }
            if let Some((name, kind)) = word.split_once(':') {
                let number = || kind.trim_start_matches("int").parse().unwrap_or_default();
                return match name.strip_prefix('>') {
                    Some(name) => (name, Kind::Segments(number())),
                    None if kind == "unit" => (name.trim_end_matches('?'), Kind::OptionalUnit),
                    None if kind == "bool" => (name, Kind::Bool),
                    None if kind == "int?" => (name, Kind::OptionalInt),
                    None if kind == "overflow" => (name, Kind::Overflow),
                    None => (name, Kind::Int(number() as u32)),
                };
            }
            word.strip_suffix('?').map_or((word, Kind::Attr), |name| (name, Kind::OptionalAttr))
        })
    }

    /// Whether an attribute of this name is one of its properties; the name of the property, which versions may spell differently.
    pub(crate) fn property_named(self, name: &[u8]) -> Option<&'static str> {
        let name = match name {
            b"operand_segment_sizes" => &b"operandSegmentSizes"[..],
            b"result_segment_sizes" => b"resultSegmentSizes",
            name => name,
        };
        self.properties().map(|(property, _)| property).find(|property| property.as_bytes() == name)
    }
}

/// The attribute that LLVM up to version 20 has for flags of overflow.
pub(crate) fn overflow_attribute(flags: u64) -> String {
    let names: Vec<&str> = (0..).zip(OVERFLOW_FLAGS).filter(|(bit, _)| flags >> bit & 1 == 1).map(|(_, name)| name).collect();
    format!("#llvm.overflow<{}>", if names.is_empty() { "none".to_owned() } else { names.join(", ") })
}

/// The flags that such an attribute says; none if it is another one.
pub(crate) fn overflow_flags(attribute: &[u8]) -> Option<u64> {
    let flags = std::str::from_utf8(attribute).ok()?.strip_prefix("#llvm.overflow<")?.strip_suffix('>')?;
    if flags == "none" {
        return Some(0);
    }
    let bit = |name: &str| OVERFLOW_FLAGS.iter().position(|flag| *flag == name.trim()).map(|bit| 1 << bit);
    flags.split(',').try_fold(0, |flags, name| Some(flags | bit(name)?))
}

/// Whether properties in a newer form could be of another one, which is tried before it where a file does not say which it has.
pub(crate) fn is_ambiguous(info: OpInfo, encoded: &[u8], version: Version, tables: &Tables<'_>) -> bool {
    let before = OpInfo::all_current(info.name).take_while(|other| info.is_newer && *other != info);
    before.map(Form::new).any(|form| form.each(encoded, version, tables, |_, _| {}).is_some())
}

/// Properties of operations in one of the forms that they had over time.
struct Form {
    info: OpInfo,
    /// What [`OpInfo::properties`] gives, found once.
    properties: Vec<(&'static str, Kind)>,
}

impl Form {
    fn new(info: OpInfo) -> Form {
        Form { info, properties: info.properties().collect() }
    }

    /// Decodes properties; none if they are not of this form.
    fn decode(&self, bytes: &[u8], module: &Module<'_>) -> Option<Named> {
        let mut values = Named::new();
        self.each(bytes, module.version, &module.tables, |name, value| values.push((name, value)))?;
        Some(values)
    }

    /// Decodes properties one after the other; none, behind some of them, if they are not of this form.
    #[inline]
    fn each(&self, bytes: &[u8], version: Version, tables: &Tables<'_>, mut take: impl FnMut(&'static str, PropertyValue)) -> Option<()> {
        let num_attrs = tables.attrs.len();
        let mut cursor = Cursor::trusted(bytes);
        let attr = |index: u64| (index < num_attrs as u64).then_some(PropertyValue::Attr(AttrId(index as u32)));
        for &(name, kind) in &self.properties {
            let value = match kind {
                Kind::Attr => attr(cursor.varint().ok()?)?,
                Kind::OptionalAttr => match cursor.flagged_varint().ok()? {
                    (index, true) => attr(index)?,
                    (0, false) => continue,
                    _ => return None,
                },
                Kind::OptionalUnit => match cursor.flagged_varint().ok()? {
                    (index, true) => attr(index).filter(|_| tables.builtin_attr(AttrId(index as u32)) == Some(code::UNIT))?,
                    (0, false) => continue,
                    _ => return None,
                },
                Kind::SegmentsAttr if version.has_short_segments() => continue,
                Kind::SegmentsAttr => attr(cursor.varint().ok()?)?,
                Kind::Segments(_) if !version.has_short_segments() => continue,
                Kind::Segments(count) => PropertyValue::Segments(segments(&mut cursor, count)?),
                Kind::Bool => PropertyValue::Bool(cursor.byte().ok()? != 0),
                Kind::OptionalInt => PropertyValue::OptionalInt(if cursor.byte().ok()? != 0 { Some(cursor.varint().ok()?) } else { None }),
                Kind::Int(width) => PropertyValue::Int(cursor.varint().ok()?, width),
                Kind::Overflow => PropertyValue::Overflow(cursor.varint().ok()?),
            };
            take(name, value);
        }
        cursor.is_empty().then_some(())
    }
}

/// Where the first line begins whose name is not less.
fn first_line(name: &str) -> usize {
    let (mut low, mut high) = (0, TABLE.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = TABLE[..middle].rfind('\n').map_or(0, |at| at + 1).max(low);
        let end = TABLE[start..].find('\n').map_or(TABLE.len(), |at| start + at + 1);
        if OpInfo::parse(TABLE[start..end].trim_end()).name < name { low = end } else { high = start }
    }
    low
}

/// Sizes of groups: all of them, or those that are not zero with their places.
fn segments(cursor: &mut Cursor<'_>, count: usize) -> Option<SmallVec<[u32; 4]>> {
    const MAX_PLACE_BITS: u64 = 8;
    let mut sizes = smallvec![0; count];
    let (given, is_sparse) = cursor.flagged_varint().ok()?;
    if given == 0 {
        return Some(sizes);
    }
    // All of them, or at most so many.
    if given > count as u64 || !is_sparse && given != count as u64 {
        return None;
    }
    let place_bits = if is_sparse { cursor.varint().ok().filter(|&bits| bits <= MAX_PLACE_BITS)? } else { 0 };
    for index in 0..given {
        let value = cursor.varint().ok()?;
        let place = if is_sparse { value & !(u64::MAX << place_bits) } else { index };
        *sizes.get_mut(place as usize)? = u32::try_from(value >> place_bits).ok()?;
    }
    Some(sizes)
}

/// Properties by their names.
pub(crate) type Named = SmallVec<[(&'static str, PropertyValue); 2]>;

/// The properties of an operation.
pub(crate) enum Properties {
    /// In the order of their names.
    Named(Named),
    /// A dictionary, of an operation that nobody knew when it was written.
    Dictionary(AttrId),
    /// Of an operation that is not known here.
    Unknown,
}

/// Decodes properties of operations of some name.
pub(crate) struct Decoder {
    forms: Vec<Form>,
    /// Whether the module says which of the forms it has.
    pub(crate) knows_version: bool,
    is_registered: bool,
    /// Decoders with the same number give the same for the same properties.
    kind: u32,
}

impl Decoder {
    pub(crate) fn new(module: &Module<'_>, name: NameId) -> Decoder {
        let mut text = Vec::new();
        module.push_op_name(name, &mut text);
        let llvm_version = module.llvm_version();
        let mut forms: Vec<OpInfo> = match std::str::from_utf8(&text) {
            Ok(name) if llvm_version.is_some_and(|version| version < TABLE_LLVM_VERSION) => OpInfo::all(name).collect(),
            Ok(name) => OpInfo::all_current(name).collect(),
            Err(_) => Vec::new(),
        };
        if let Some(version) = llvm_version {
            // Of two forms that a file could have, it has the one of its version.
            forms.sort_by_key(|info| match info.until {
                Some(until) if version <= until => (0, until),
                Some(_) => (3, 0),
                None => (if info.is_newer && version > TABLE_LLVM_VERSION { 1 } else { 2 }, 0),
            });
        }
        let forms: Vec<Form> = forms.into_iter().map(Form::new).collect();
        let is_registered = module.op_names[name.index()].is_registered.unwrap_or(true);
        Decoder { forms, knows_version: llvm_version.is_some(), is_registered, kind: name.0 }
    }

    /// The decoders of all names in a module.
    pub(crate) fn all(module: &Module<'_>) -> Vec<Decoder> {
        let mut kinds: HashMap<Vec<&'static str>, u32> = HashMap::default();
        let mut decoders: Vec<Decoder> = (0..module.op_names.len() as u32).map(|id| Decoder::new(module, NameId(id))).collect();
        for decoder in decoders.iter_mut().filter(|decoder| decoder.is_registered) {
            let forms = decoder.forms.iter().map(|form| form.info.properties).collect();
            decoder.kind = *kinds.entry(forms).or_insert(decoder.kind);
        }
        decoders
    }

    #[inline]
    pub(crate) fn kind(&self) -> u32 {
        self.kind
    }

    /// What is known of the operation, if whoever wrote the file knew it too.
    pub(crate) fn info(&self) -> Option<OpInfo> {
        self.forms.first().map(|form| form.info).filter(|_| self.is_registered)
    }

    /// The form that these properties of a file have.
    pub(crate) fn form_of(&self, module: &Module<'_>, properties: u32) -> Option<OpInfo> {
        let bytes = &module.properties[properties as usize];
        self.forms
            .iter()
            .filter(|_| self.is_registered)
            .find(|form| form.each(bytes, module.version, &module.tables, |_, _| {}).is_some())
            .map(|form| form.info)
    }

    /// The first form that has these properties, so that none is lost.
    pub(crate) fn form_with<'n>(&self, names: impl Iterator<Item = &'n [u8]> + Clone) -> Option<OpInfo> {
        let has_all = |info: &OpInfo| names.clone().all(|name| info.property_named(name).is_some());
        self.forms.iter().map(|form| form.info).find(has_all).or_else(|| self.info()).filter(|_| self.is_registered)
    }

    /// The names of the properties if these are attributes in the order of their names, in every file.
    pub(crate) fn plain_names(&self) -> Option<impl Iterator<Item = &'static [u8]>> {
        let [form] = &self.forms[..] else { return None };
        let is_plain = form.properties.iter().all(|&(_, kind)| kind == Kind::Attr) && form.properties.is_sorted_by_key(|&(name, _)| name);
        (self.is_registered && is_plain).then(|| form.properties.iter().map(|(name, _)| name.as_bytes()))
    }

    /// Decodes so many properties with [`Decoder::plain_names`]; none if they are not of this form.
    pub(crate) fn decode_plain(module: &Module<'_>, properties: u32, count: usize) -> Option<SmallVec<[u32; 4]>> {
        let num_attrs = module.tables.attrs.len();
        let mut cursor = Cursor::trusted(&module.properties[properties as usize]);
        let values: SmallVec<[u32; 4]> = (0..count).map_while(|_| cursor.index(num_attrs, "attribute").ok()).collect();
        (values.len() == count && cursor.is_empty()).then_some(values)
    }

    pub(crate) fn decode(&self, module: &Module<'_>, properties: u32) -> Properties {
        let bytes = &module.properties[properties as usize];
        let num_attrs = module.tables.attrs.len();
        if self.is_registered {
            let forms = self.forms.iter();
            let decoded = forms.filter_map(|form| form.decode(bytes, module)).next();
            return decoded.map_or(Properties::Unknown, |mut values| {
                values.sort_by_key(|&(name, _)| name);
                Properties::Named(values)
            });
        }
        self.dictionary(bytes, num_attrs).map_or(Properties::Unknown, Properties::Dictionary)
    }

    /// The dictionary that is the properties of an operation that nobody knew.
    fn dictionary(&self, bytes: &[u8], num_attrs: usize) -> Option<AttrId> {
        let mut cursor = Cursor::trusted(bytes);
        let index = cursor.varint().ok()?;
        (cursor.is_empty() && index < num_attrs as u64).then_some(AttrId(index as u32))
    }

    /// Names attributes that are among properties; more than there are, if the properties are of several forms. None are those of an operation
    /// that nobody knew: what MLIR names in a text is not looked for there, though it has its name there, too.
    pub(crate) fn each_attr(&self, module: &Module<'_>, properties: u32, mut take: impl FnMut(AttrId)) {
        let bytes = &module.properties[properties as usize];
        if !self.is_registered {
            return;
        }
        for form in &self.forms {
            let each = form.each(bytes, module.version, &module.tables, |_, value| {
                if let PropertyValue::Attr(attr) = value {
                    take(attr);
                }
            });
            if each.is_some() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found() {
        for line in TABLE.lines() {
            let info = OpInfo::parse(line);
            assert!(OpInfo::all(info.name).any(|found| found == info), "{line}");
        }
        assert_eq!(OpInfo::of("func.fun"), None);
        assert_eq!(OpInfo::of(""), None);
        assert_eq!(OpInfo::of("zzz.zzz"), None);
        assert!(OpInfo::of("func.func").unwrap().is_isolated);
    }

    #[test]
    fn sizes_of_groups_may_be_sparse() {
        // As MLIR writes [0, 3, 0, 0] and [1, 1].
        assert_eq!(segments(&mut Cursor::trusted(&[0b111, 0b11, 0b1111]), 4), Some(smallvec![0, 3, 0, 0]));
        assert_eq!(segments(&mut Cursor::trusted(&[0b1001, 0b11, 0b11]), 2), Some(smallvec![1, 1]));
        assert_eq!(segments(&mut Cursor::trusted(&[0b111, 0b11, 0b1111]), 1), None);
        assert_eq!(segments(&mut Cursor::trusted(&[0b1001, 0b11, 0b11]), 3), None);
    }
}
