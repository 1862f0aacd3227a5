//! Attributes that say what they are, and lists of them (FORMAT section 5).

use crate::{
    context::Context,
    cursor::Cursor,
    error::{Place, ReadError},
    limits::MAX_ATTRIBUTE_DEPTH,
};
use tilewright_ir::{Attr, AttrData, EnumKind, MultimemReductionKind, Scalar, Str, Type};

/// Tags of attributes.
pub(crate) mod tag {
    pub(crate) const INTEGER: u8 = 1;
    pub(crate) const FLOAT: u8 = 2;
    pub(crate) const BOOL: u8 = 3;
    pub(crate) const TYPE: u8 = 4;
    pub(crate) const STRING: u8 = 5;
    pub(crate) const ARRAY: u8 = 6;
    pub(crate) const DENSE_ELEMENTS: u8 = 7;
    pub(crate) const DIV_BY: u8 = 8;
    pub(crate) const SAME_ELEMENTS: u8 = 9;
    pub(crate) const DICTIONARY: u8 = 10;
    pub(crate) const OPTIMIZATION_HINTS: u8 = 11;
    pub(crate) const BOUNDED: u8 = 12;
    pub(crate) const MULTIMEM_REDUCTION_KIND: u8 = 13;

    /// Whether a tag was seen in preview content.
    pub(crate) const fn is_preview(tag: u8) -> bool {
        matches!(tag, 209..=224 | 226..=228)
    }
}

type Entries = Box<[(Str, Attr)]>;

impl Context<'_> {
    /// An attribute with its tag.
    pub(crate) fn attribute(&mut self, cursor: &mut Cursor<'_>) -> Result<Attr, ReadError> {
        self.attribute_at(cursor, 0)
    }

    fn attribute_at(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Result<Attr, ReadError> {
        let at = cursor.place();
        if depth >= MAX_ATTRIBUTE_DEPTH {
            return Err(at.limit(format_args!("attributes nest deeper than {MAX_ATTRIBUTE_DEPTH}")));
        }
        // The tag is a byte that is written as a varint.
        let tag = cursor.varint()? as u8;
        let data = match tag {
            tag::INTEGER => self.integer(cursor)?,
            tag::FLOAT => self.float(cursor)?,
            tag::BOOL => AttrData::Bool(cursor.bool()?),
            tag::TYPE => AttrData::Type(self.ty(cursor)?),
            tag::STRING => AttrData::String(self.string(cursor)?),
            tag::ARRAY => AttrData::Array(self.elements(cursor, depth + 1)?),
            tag::DIV_BY => div_by(cursor)?,
            tag::SAME_ELEMENTS => AttrData::SameElements(cursor.list_i64("extents")?),
            tag::DICTIONARY => AttrData::Dictionary(self.entries(cursor, depth + 1)?),
            tag::OPTIMIZATION_HINTS => AttrData::OptimizationHints(self.hint_entries(cursor, depth + 1)?),
            tag::BOUNDED => bounded(cursor)?,
            tag::MULTIMEM_REDUCTION_KIND => self.multimem_reduction_kind(at, cursor)?,
            tag::DENSE_ELEMENTS => return Err(at.malformed(format_args!("dense elements are not accepted as an attribute"))),
            _ if tag::is_preview(tag) => return Err(at.preview(format_args!("attribute tag {tag}"))),
            _ => return Err(at.malformed(format_args!("unknown attribute tag {tag}"))),
        };
        Ok(self.tables.attrs.intern(data))
    }

    /// The payload of an array.
    pub(crate) fn array(&mut self, cursor: &mut Cursor<'_>) -> Result<Attr, ReadError> {
        let elements = self.elements(cursor, 0)?;
        Ok(self.tables.attrs.intern(AttrData::Array(elements)))
    }

    /// The payload of optimization hints.
    pub(crate) fn hints(&mut self, cursor: &mut Cursor<'_>) -> Result<Attr, ReadError> {
        let entries = self.hint_entries(cursor, 0)?;
        Ok(self.tables.attrs.intern(AttrData::OptimizationHints(entries)))
    }

    fn elements(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Result<Box<[Attr]>, ReadError> {
        let count = cursor.count("attributes", 2)?;
        (0..count).map(|_| self.attribute_at(cursor, depth)).collect()
    }

    fn entries(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Result<Entries, ReadError> {
        let at = cursor.place();
        let count = cursor.count("entries", 3)?;
        let entry = |_| Ok((self.name(cursor, "the key of an entry")?, self.attribute_at(cursor, depth)?));
        let entries: Entries = (0..count).map(entry).collect::<Result<_, ReadError>>()?;
        self.keys_are_unique(at, &entries)?;
        Ok(entries)
    }

    fn keys_are_unique(&self, at: Place, entries: &[(Str, Attr)]) -> Result<(), ReadError> {
        let mut keys: Vec<Str> = entries.iter().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        match keys.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let key = self.tables.strings.shown(pair[0]);
                Err(at.malformed(format_args!("key '{key}' stands twice in a dictionary")))
            }
            None => Ok(()),
        }
    }

    fn hint_entries(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Result<Entries, ReadError> {
        let at = cursor.place();
        let entries = self.entries(cursor, depth)?;
        let is_dictionary = |attr: Attr| matches!(self.tables.attrs.get(attr), AttrData::Dictionary(_));
        match entries.iter().find(|(_, value)| !is_dictionary(*value)) {
            Some((key, _)) => {
                let key = self.tables.strings.shown(*key);
                Err(at.malformed(format_args!("the hints for '{key}' must be a dictionary")))
            }
            None => Ok(entries),
        }
    }

    fn scalar(&mut self, cursor: &mut Cursor<'_>, what: &str, fits: fn(Scalar) -> bool) -> Result<(Type, Scalar), ReadError> {
        let at = cursor.place();
        let ty = self.ty(cursor)?;
        match self.tables.types.scalar(ty) {
            Some(scalar) if fits(scalar) => Ok((ty, scalar)),
            _ => Err(at.malformed(format_args!("the type of {what} attribute must be {what} type"))),
        }
    }

    fn integer(&mut self, cursor: &mut Cursor<'_>) -> Result<AttrData, ReadError> {
        let (ty, scalar) = self.scalar(cursor, "an integer", Scalar::is_int)?;
        if scalar == Scalar::I1 {
            return Ok(AttrData::Integer { ty, bits: u64::from(cursor.bool()?) });
        }
        let at = cursor.place();
        let bits = cursor.varint()?;
        check_width(at, bits, scalar.bits())?;
        Ok(AttrData::Integer { ty, bits })
    }

    fn float(&mut self, cursor: &mut Cursor<'_>) -> Result<AttrData, ReadError> {
        let (ty, scalar) = self.scalar(cursor, "a float", Scalar::is_float)?;
        let at = cursor.place();
        let bits = if scalar.bits() <= 8 { u64::from(cursor.byte()?) } else { cursor.svarint()?.cast_unsigned() };
        check_width(at, bits, scalar.bits())?;
        Ok(AttrData::Float { ty, bits })
    }

    fn multimem_reduction_kind(&mut self, at: Place, cursor: &mut Cursor<'_>) -> Result<AttrData, ReadError> {
        let kind = EnumKind::MultimemReductionKind;
        if kind.since() > self.version {
            return Err(at.newer(format_args!("{} needs version {}, the file has {}", kind.name(), kind.since(), self.version)));
        }
        let wire = self.enum_value(kind, cursor)?;
        Ok(AttrData::MultimemReductionKind(MultimemReductionKind::from_wire(wire).expect("the value was checked")))
    }

    /// The attribute of a function record that must be hints.
    pub(crate) fn tagged_hints(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Attr>, ReadError> {
        let at = cursor.place();
        let attr = self.attribute(cursor)?;
        match self.tables.attrs.get(attr) {
            AttrData::OptimizationHints(entries) => Ok(if entries.is_empty() { None } else { Some(attr) }),
            _ => Err(at.malformed(format_args!("the hints of a function must be optimization hints"))),
        }
    }

    /// Whether NVIDIA's tools take an attribute that is no array for one without elements. They read any attribute as an array, and what
    /// lies where its length would is 0 in these; with the others they crash.
    fn passes_for_nothing(&self, data: &AttrData) -> bool {
        match data {
            AttrData::Dictionary(entries) => entries.is_empty(),
            AttrData::Integer { bits, .. } => *bits == 0,
            AttrData::Bool(value) => !value,
            AttrData::String(string) => self.tables.strings.bytes(*string).is_empty(),
            AttrData::DivBy { every, .. } => every.is_none_or(|every| every == 0),
            AttrData::Bounded { lower, .. } => lower.is_none(),
            _ => false,
        }
    }

    /// The attributes of the parameters: a dictionary for each, or nothing. `None` where all are empty.
    pub(crate) fn parameter_attributes(&mut self, cursor: &mut Cursor<'_>, signature: Type) -> Result<Option<Attr>, ReadError> {
        let at = cursor.place();
        let attr = self.attribute(cursor)?;
        let attrs = &self.tables.attrs;
        let dictionary = |attr: &Attr| match attrs.get(*attr) {
            AttrData::Dictionary(entries) => Some(entries),
            _ => None,
        };
        let elements = match attrs.get(attr) {
            AttrData::Array(elements) => elements,
            data if self.passes_for_nothing(data) => return Ok(None),
            _ => return Err(at.malformed(format_args!("the attributes of parameters must be an array of dictionaries"))),
        };
        let Some(dictionaries) = elements.iter().map(dictionary).collect::<Option<Vec<_>>>() else {
            return Err(at.malformed(format_args!("the attributes of parameters must be dictionaries")));
        };
        if dictionaries.iter().all(|entries| entries.is_empty()) {
            return Ok(None);
        }
        let parameters = self.parameters(signature);
        if dictionaries.len() != parameters {
            return Err(at.malformed(format_args!("{parameters} parameters need as many dictionaries, found {}", dictionaries.len())));
        }
        let strings = &self.tables.strings;
        let mut keys = dictionaries.into_iter().flatten().map(|(key, _)| *key);
        match keys.find(|key| !strings.bytes(*key).contains(&b'.')) {
            Some(key) => Err(at.malformed(format_args!(
                "the attribute '{}' of a parameter must name its dialect, as in 'cuda_tile.name'",
                strings.shown(key)
            ))),
            None => Ok(Some(attr)),
        }
    }
}

fn check_width(at: Place, bits: u64, width: u32) -> Result<(), ReadError> {
    if width < 64 && bits >> width != 0 {
        return Err(at.malformed(format_args!("{bits:#x} does not fit into {width} bits")));
    }
    Ok(())
}

/// The flags of a predicate with two optional parts.
fn two_flags(cursor: &mut Cursor<'_>) -> Result<(bool, bool), ReadError> {
    let at = cursor.place();
    match cursor.varint()? {
        flags @ 0..=3 => Ok((flags & 1 != 0, flags & 2 != 0)),
        flags => Err(at.malformed(format_args!("expected predicate flags of 0 to 3, found {flags:#x}"))),
    }
}

fn optional_svarint(cursor: &mut Cursor<'_>, present: bool) -> Result<Option<i64>, ReadError> {
    if present { cursor.svarint().map(Some) } else { Ok(None) }
}

fn div_by(cursor: &mut Cursor<'_>) -> Result<AttrData, ReadError> {
    let divisor = cursor.varint()?;
    let (every, along) = two_flags(cursor)?;
    Ok(AttrData::DivBy { divisor, every: optional_svarint(cursor, every)?, along: optional_svarint(cursor, along)? })
}

fn bounded(cursor: &mut Cursor<'_>) -> Result<AttrData, ReadError> {
    let (lower, upper) = two_flags(cursor)?;
    Ok(AttrData::Bounded { lower: optional_svarint(cursor, lower)?, upper: optional_svarint(cursor, upper)? })
}
