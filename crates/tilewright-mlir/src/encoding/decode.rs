//! Decoding the fields of an encoding.

use super::{Field, affine};
use crate::{
    cursor::Cursor,
    error::Error,
    tables::{AttrId, Scalar, StrId, Tables, TypeId},
};
use smallvec::{SmallVec, smallvec};

/// The value of a field.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Attr(AttrId),
    OptionalAttr(Option<AttrId>),
    Type(TypeId),
    Attrs(List<'a>),
    Types(List<'a>),
    /// See [`List::optional_attrs`].
    OptionalAttrs(List<'a>),
    /// Names and values by turns.
    NamedAttrs(List<'a>),
    String(StrId),
    Number(u64),
    OptionalNumber(Option<u64>),
    Signed(i64),
    Numbers(List<'a>),
    SignedNumbers(List<'a>),
    Bytes(&'a [u8]),
    /// The words of an integer or a float, the lowest first.
    Bits(SmallVec<[u64; 1]>),
    Doubles(Vec<f64>),
    Resource(u32),
    Strings(List<'a>),
    /// What stands as text elsewhere.
    Text(String),
}

/// Numbers in their encoding, already known to be well formed.
#[derive(Clone, Debug)]
pub(crate) struct List<'a> {
    /// They begin here; other fields may follow.
    bytes: &'a [u8],
    remaining: usize,
}

impl<'a> List<'a> {
    pub(crate) fn len(&self) -> usize {
        self.remaining
    }

    pub(crate) fn attrs(self) -> impl Iterator<Item = AttrId> + 'a {
        self.map(|index| AttrId(index as u32))
    }

    /// Attributes, any of which may be absent.
    pub(crate) fn optional_attrs(self) -> impl Iterator<Item = Option<AttrId>> + 'a {
        self.map(|number| (number & 1 == 1).then_some(AttrId((number >> 1) as u32)))
    }

    pub(crate) fn types(self) -> impl Iterator<Item = TypeId> + 'a {
        self.map(|index| TypeId(index as u32))
    }

    pub(crate) fn signed(self) -> impl Iterator<Item = i64> + 'a {
        self.map(|value| (value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

impl Iterator for List<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        self.remaining = self.remaining.checked_sub(1)?;
        if let [byte, rest @ ..] = self.bytes
            && byte & 1 == 1
        {
            self.bytes = rest;
            return Some(u64::from(byte >> 1));
        }
        let mut cursor = Cursor::trusted(self.bytes);
        let number = cursor.varint().ok();
        self.bytes = cursor.rest();
        number
    }
}

/// Decodes a field. `before` are the fields that came before it.
pub(crate) fn decode<'a>(cursor: &mut Cursor<'a>, field: Field, before: &[Value<'a>], tables: &Tables<'_>) -> Result<Value<'a>, Error> {
    Ok(match field {
        Field::Attr => Value::Attr(attr(cursor, tables)?),
        Field::OptionalAttr => Value::OptionalAttr(optional_attr(cursor, tables)?),
        Field::FlaggedAttr => Value::OptionalAttr(if cursor.varint()? != 0 { Some(attr(cursor, tables)?) } else { None }),
        Field::ByteFlaggedAttr => Value::OptionalAttr(if cursor.byte()? != 0 { Some(attr(cursor, tables)?) } else { None }),
        Field::Type => Value::Type(TypeId(cursor.index(tables.types.len(), "type")?)),
        Field::Attrs => Value::Attrs(list(cursor, 1, |c| attr(c, tables).map(drop))?),
        Field::Types => Value::Types(list(cursor, 1, |c| c.index(tables.types.len(), "type").map(drop))?),
        Field::NamedAttrs => Value::NamedAttrs(list(cursor, 2, |c| attr(c, tables).map(drop))?),
        Field::String => Value::String(StrId(cursor.index(tables.strings.len(), "string")?)),
        Field::Number => Value::Number(cursor.varint()?),
        Field::Byte => Value::Number(u64::from(cursor.byte()?)),
        Field::OptionalNumber => {
            let (number, present) = cursor.flagged_varint()?;
            Value::OptionalNumber(present.then_some(number))
        }
        Field::Signed => Value::Signed(cursor.signed_varint()?),
        Field::Numbers => Value::Numbers(list(cursor, 1, |c| c.varint().map(drop))?),
        Field::FlaggedNumbers => Value::Numbers(flagged(cursor, |c| c.varint().map(drop))?),
        Field::FlaggedOptionalAttrs => Value::OptionalAttrs(flagged(cursor, |c| optional_attr(c, tables).map(drop))?),
        Field::SignedNumbers => Value::SignedNumbers(list(cursor, 1, |c| c.varint().map(drop))?),
        Field::Bools => {
            let count = cursor.count(1, "flags")?;
            Value::Bytes(cursor.bytes(count as u64)?)
        }
        Field::Blob => {
            let size = cursor.varint()?;
            Value::Bytes(cursor.bytes(size)?)
        }
        Field::Integer => {
            let width = match scalar_before(before, tables) {
                Some(Scalar::Integer { width, .. }) => width,
                Some(Scalar::Index) => 64,
                _ => return Err(cursor.error("an integer has a type that is not an integer type or index")),
            };
            bits(cursor, width)?
        }
        Field::Float => match scalar_before(before, tables) {
            Some(Scalar::Float(format)) => bits(cursor, u64::from(format.width))?,
            _ => return Err(cursor.error("a float has a type that is not a float type")),
        },
        Field::Double => bits(cursor, 64)?,
        Field::Doubles => {
            let count = cursor.count(1, "floats")?;
            let doubles: Result<Vec<f64>, Error> =
                (0..count).map(|_| cursor.signed_varint().map(|bits| f64::from_bits(bits as u64))).collect();
            Value::Doubles(doubles?)
        }
        Field::Resource => Value::Resource(cursor.index(tables.num_dialect_resources, "resource of a dialect")?),
        Field::AffineMap => Value::Text(affine::map(cursor)?),
        Field::IntegerSet => Value::Text(affine::set(cursor)?),
        Field::Elements => strings(cursor, before, tables)?,
    })
}

/// Checks a field without giving its value, and names what it refers to: attributes by their numbers, and types by theirs behind them. `ty` is the
/// type that the field before has, and `scalars` tell of each type what numbers it has. False where only decoding tells.
#[inline]
pub(crate) fn check(
    cursor: &mut Cursor<'_>,
    field: Field,
    ty: &mut Option<TypeId>,
    tables: &Tables<'_>,
    scalars: &[Option<Scalar>],
    part: &mut impl FnMut(usize),
) -> Result<bool, Error> {
    let num_attrs = tables.attrs.len();
    let type_before = ty.take();
    match field {
        Field::Attr => part(attr(cursor, tables)?.index()),
        Field::OptionalAttr => optional_attr(cursor, tables)?.into_iter().for_each(|id| part(id.index())),
        Field::Type => {
            let id = TypeId(cursor.index(tables.types.len(), "type")?);
            part(num_attrs + id.index());
            *ty = Some(id);
        }
        Field::Attrs | Field::NamedAttrs => {
            let size = if field == Field::Attrs { 1 } else { 2 };
            for _ in 0..cursor.count(size, "items")? * size {
                part(attr(cursor, tables)?.index());
            }
        }
        Field::FlaggedOptionalAttrs => {
            for _ in 0..if cursor.byte()? != 0 { cursor.count(1, "items")? } else { 0 } {
                optional_attr(cursor, tables)?.into_iter().for_each(|id| part(id.index()));
            }
        }
        Field::Types => {
            for _ in 0..cursor.count(1, "items")? {
                part(num_attrs + cursor.index(tables.types.len(), "type")? as usize);
            }
        }
        Field::String => drop(cursor.index(tables.strings.len(), "string")?),
        Field::Number | Field::Signed | Field::OptionalNumber => drop(cursor.varint()?),
        Field::Numbers | Field::SignedNumbers => {
            for _ in 0..cursor.count(1, "items")? {
                cursor.varint()?;
            }
        }
        Field::Blob => {
            let size = cursor.varint()?;
            cursor.bytes(size)?;
        }
        Field::Byte => drop(cursor.byte()?),
        Field::Integer | Field::Float => {
            let scalar = type_before.and_then(|id| scalars.get(id.index()).copied().flatten());
            let is_float = matches!(scalar, Some(Scalar::Float(_)));
            match scalar.map(Scalar::width) {
                Some(0..=8) if is_float == (field == Field::Float) => drop(cursor.byte()?),
                Some(9..=64) if is_float == (field == Field::Float) => drop(cursor.varint()?),
                _ => return Ok(false),
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

#[inline]
fn attr(cursor: &mut Cursor<'_>, tables: &Tables<'_>) -> Result<AttrId, Error> {
    cursor.index(tables.attrs.len(), "attribute").map(AttrId)
}

/// An attribute or none, told apart by the lowest bit.
#[inline]
fn optional_attr(cursor: &mut Cursor<'_>, tables: &Tables<'_>) -> Result<Option<AttrId>, Error> {
    let offset = cursor.offset();
    let (index, present) = cursor.flagged_varint()?;
    if present && index >= tables.attrs.len() as u64 {
        return Err(cursor.no_such(offset, index, tables.attrs.len(), "attribute"));
    }
    Ok(present.then_some(AttrId(index as u32)))
}

/// A list with its count, each item of which has `parts` parts.
fn list<'a>(cursor: &mut Cursor<'a>, parts: usize, mut check: impl FnMut(&mut Cursor<'a>) -> Result<(), Error>) -> Result<List<'a>, Error> {
    let count = cursor.count(parts, "items")? * parts;
    items(cursor, count, &mut check)
}

/// A list behind a flag; empty without it.
fn flagged<'a>(cursor: &mut Cursor<'a>, check: impl FnMut(&mut Cursor<'a>) -> Result<(), Error>) -> Result<List<'a>, Error> {
    if cursor.byte()? != 0 { list(cursor, 1, check) } else { Ok(List { bytes: &[], remaining: 0 }) }
}

fn items<'a>(
    cursor: &mut Cursor<'a>,
    count: usize,
    check: &mut dyn FnMut(&mut Cursor<'a>) -> Result<(), Error>,
) -> Result<List<'a>, Error> {
    let list = List { bytes: cursor.rest(), remaining: count };
    for _ in 0..count {
        check(cursor)?;
    }
    Ok(list)
}

/// The type that the field before has, if it is an integer, index or float type.
fn scalar_before(before: &[Value<'_>], tables: &Tables<'_>) -> Option<Scalar> {
    match before.last() {
        Some(&Value::Type(id)) => tables.scalar(id),
        _ => None,
    }
}

/// A number of a known width: a byte up to 8 bits, a signed number up to 64, else words with their count.
fn bits<'a>(cursor: &mut Cursor<'a>, width: u64) -> Result<Value<'a>, Error> {
    let words = match width {
        0..=8 => smallvec![u64::from(cursor.byte()?)],
        9..=64 => smallvec![cursor.signed_varint()? as u64],
        _ => {
            let offset = cursor.offset();
            let count = cursor.count(1, "words")?;
            if count as u64 > width.div_ceil(64) {
                return Err(cursor.error_at(offset, format!("{count} words are too many for a number of {width} bits")));
            }
            (0..count).map(|_| cursor.signed_varint().map(|word| word as u64)).collect::<Result<_, _>>()?
        }
    };
    Ok(Value::Bits(words))
}

fn strings<'a>(cursor: &mut Cursor<'a>, before: &[Value<'a>], tables: &Tables<'_>) -> Result<Value<'a>, Error> {
    let [Value::Type(ty), Value::Number(is_splat)] = before else {
        return Err(cursor.error("strings have no type before them"));
    };
    let offset = cursor.offset();
    let count = match is_splat {
        0 => tables.num_elements(*ty).ok_or_else(|| cursor.error("strings have a type that is not a shaped type of a known size"))?,
        _ => 1,
    };
    let count = cursor.check_count(count, 1, "strings", offset)?;
    let list = items(cursor, count, &mut |c| c.index(tables.strings.len(), "string").map(drop))?;
    Ok(Value::Strings(list))
}
