//! The tables of a module: strings, attributes and types, by their numbers.

use crate::{
    cursor::{Cursor, three_numbers},
    encoding::{self, Encoding, EncodingId, Owner, Value, code, decode},
    error::Section,
    float::Format,
};
use smallvec::SmallVec;
use std::borrow::Cow;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The number.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

handles! {
    /// The number of a string.
    StrId
    /// The number of a dialect.
    DialectId
    /// The number of an attribute.
    AttrId
    /// The number of a type.
    TypeId
    /// The number of an operation's name.
    NameId
}

/// Strings, one after the other.
#[derive(Clone, Default, Debug)]
pub struct Strings<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where each ends; a null byte, which belongs to none, comes behind it.
    ends: Vec<usize>,
}

impl<'a> Strings<'a> {
    /// Strings that stand in `bytes`, each with a null byte behind it.
    pub(crate) fn new(bytes: &'a [u8], ends: Vec<usize>) -> Strings<'a> {
        Strings { bytes: Cow::Borrowed(bytes), ends }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A string; it need not be UTF-8.
    pub fn get(&self, id: StrId) -> &[u8] {
        let start = if id.0 == 0 { 0 } else { self.ends[id.index() - 1] + 1 };
        &self.bytes[start..self.ends[id.index()]]
    }

    /// All of them with their null bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn push(&mut self, string: &[u8]) -> StrId {
        let bytes = self.bytes.to_mut();
        bytes.extend(string);
        self.ends.push(bytes.len());
        bytes.push(0);
        StrId(self.ends.len() as u32 - 1)
    }
}

/// How an attribute or a type stands in its table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// As text with a null byte behind it.
    Text,
    /// In an encoding that is known.
    Known(&'static Encoding),
    /// In an encoding that is not known.
    Opaque,
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) len: usize,
    pub(crate) dialect: DialectId,
    pub(crate) form: Form,
}

/// A form in four bytes: the number of an encoding, or one that no encoding has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ShortForm(u32);

impl ShortForm {
    const TEXT: ShortForm = ShortForm(EncodingId::END);
    const OPAQUE: ShortForm = ShortForm(EncodingId::END + 1);
}

impl From<EncodingId> for ShortForm {
    #[inline]
    fn from(id: EncodingId) -> ShortForm {
        ShortForm(id.number())
    }
}

/// A row as it is kept, in two words: a long module has a million of them. It ends where the next one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    start: usize,
    dialect: DialectId,
    form: ShortForm,
}

const _: () = assert!(size_of::<Row>() == 16);

impl Row {
    /// Says that the entry begins at `start`, where the one before ends, and is text or in an encoding.
    #[inline]
    pub(crate) fn set(&mut self, start: usize, is_text: bool, encoding: Option<EncodingId>) {
        self.form = if is_text { ShortForm::TEXT } else { encoding.map_or(ShortForm::OPAQUE, ShortForm::from) };
        self.start = start;
    }
}

/// The attributes or the types of a module, each in its encoding.
#[derive(Clone, Default, Debug)]
pub struct Table<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where the bytes begin in the file that they were read from.
    base: usize,
    rows: Vec<Row>,
    present: Present,
}

/// Which kinds of entries a table has.
#[derive(Clone, Default, Debug)]
pub(crate) struct Present {
    /// A bit for each code of the builtin dialect.
    codes: u64,
    /// The entries that are not of the builtin dialect in its encoding, which are few in most files.
    others: Vec<u32>,
}

impl Present {
    /// Adds an entry in an encoding, or without one, behind those before.
    #[inline]
    pub(crate) fn add(&mut self, index: u32, encoding: Option<EncodingId>) {
        match encoding.filter(|id| id.is_of(Owner::Builtin)) {
            Some(id) => self.codes |= bit(id.code()),
            None => self.others.push(index),
        }
    }
}

#[inline]
fn bit(code: u64) -> u64 {
    1 << (code & 63)
}

impl<'a> Table<'a> {
    /// A table whose entries will be within `bytes`, which begin at `base` in a file.
    pub(crate) fn new(bytes: &'a [u8], base: usize) -> Table<'a> {
        Table { bytes: Cow::Borrowed(bytes), base, ..Table::default() }
    }

    /// Has room for so many entries.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.rows.reserve_exact(count);
    }

    /// Adds entries of a dialect, which are still to be set.
    pub(crate) fn add_group(&mut self, dialect: DialectId, count: usize) -> &mut [Row] {
        let before = self.rows.len();
        self.rows.resize(before + count, Row { start: 0, dialect, form: ShortForm::OPAQUE });
        &mut self.rows[before..]
    }

    /// Says which kinds of entries the added groups have.
    pub(crate) fn set_present(&mut self, present: Present) {
        self.present = present;
    }

    /// The bytes from `len` on belong to no entry, and are given away.
    pub(crate) fn truncate(&mut self, len: usize) {
        if let Cow::Borrowed(bytes) = &mut self.bytes {
            *bytes = &bytes[..len];
        }
    }
}

impl Table<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn entry(&self, index: u32) -> Entry {
        let row = self.rows[index as usize];
        let form = match EncodingId::from_number(row.form.0) {
            Some(id) => Form::Known(id.encoding()),
            None if row.form == ShortForm::TEXT => Form::Text,
            None => Form::Opaque,
        };
        Entry { len: self.end(index) - row.start, dialect: row.dialect, form }
    }

    /// The entries that are not of the builtin dialect in its encoding, and those that are and have one of these codes. Most are neither, which is
    /// found faster here than by asking each what it is.
    pub(crate) fn others_and(&self, codes: &[u64]) -> impl Iterator<Item = u32> {
        let codes = codes.iter().fold(0u64, |bits, &code| bits | bit(code));
        let is_one = move |row: &Row| match EncodingId::from_number(row.form.0).filter(|id| id.is_of(Owner::Builtin)) {
            Some(id) => codes & bit(id.code()) != 0,
            None => true,
        };
        let (rows, others) = if self.present.codes & codes == 0 { (&[][..], &self.present.others[..]) } else { (&self.rows[..], &[][..]) };
        let among_all = (0..).zip(rows).filter(move |(_, row)| is_one(row)).map(|(index, _)| index);
        among_all.chain(others.iter().copied())
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..self.len() as u32).map(|index| self.entry(index))
    }

    /// The encodings of entries, none where they stand as text or in one that is not known.
    #[inline]
    pub(crate) fn encoding(&self, index: u32) -> Option<EncodingId> {
        EncodingId::from_number(self.rows[index as usize].form.0)
    }

    #[inline]
    fn end(&self, index: u32) -> usize {
        self.rows.get(index as usize + 1).map_or(self.bytes.len(), |next| next.start)
    }

    /// The encoding of an entry.
    #[inline]
    pub(crate) fn encoded(&self, index: u32) -> &[u8] {
        &self.bytes[self.rows[index as usize].start..self.end(index)]
    }

    /// The same, to be decoded.
    #[inline]
    pub(crate) fn cursor(&self, index: u32) -> Cursor<'_> {
        Cursor::within(&self.bytes, self.rows[index as usize].start..self.end(index), self.base, Section::AttrType)
    }

    /// Where in the file an entry begins.
    pub(crate) fn offset(&self, index: u32) -> usize {
        self.base + self.rows[index as usize].start
    }

    /// Says that the encoding of an entry, which is not of the builtin dialect, is not the one that it seems to be.
    pub(crate) fn set_opaque(&mut self, index: u32) {
        debug_assert!(self.encoding(index).is_none_or(|id| !id.is_of(Owner::Builtin)));
        self.rows[index as usize].form = ShortForm::OPAQUE;
    }

    /// Says that an entry is in another form of its encoding.
    pub(crate) fn set_form(&mut self, index: u32, form: EncodingId) {
        self.rows[index as usize].form = form.into();
    }

    /// Adds an entry in an encoding, or, without one, as text.
    pub(crate) fn push(&mut self, encoded: &[u8], dialect: DialectId, encoding: Option<EncodingId>) -> u32 {
        let bytes = self.bytes.to_mut();
        let form = encoding.map_or(ShortForm::TEXT, ShortForm::from);
        self.present.add(self.rows.len() as u32, encoding);
        self.rows.push(Row { start: bytes.len(), dialect, form });
        bytes.extend(encoded);
        self.rows.len() as u32 - 1
    }
}

/// A type that numbers have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Scalar {
    Integer { width: u64, is_signed: bool, is_unsigned: bool },
    Index,
    Float(Format),
}

/// What the elements of a type are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Element {
    /// Numbers, or pairs of them.
    Number { scalar: Scalar, is_complex: bool },
    /// Something that stands as strings.
    Other,
}

impl Scalar {
    /// In bits.
    pub(crate) fn width(self) -> u64 {
        match self {
            Scalar::Integer { width, .. } => width,
            Scalar::Index => 64,
            Scalar::Float(format) => u64::from(format.width),
        }
    }
}

/// The fields of an attribute or a type; most have few.
pub(crate) type Fields<'t> = SmallVec<[Value<'t>; 4]>;

/// What attributes and types refer to.
#[derive(Clone, Default, Debug)]
pub struct Tables<'a> {
    /// The strings.
    pub strings: Strings<'a>,
    /// The dialects, by name and version.
    pub dialects: Vec<Dialect<'a>>,
    /// The attributes.
    pub attrs: Table<'a>,
    /// The types.
    pub types: Table<'a>,
    pub(crate) num_dialect_resources: usize,
    /// Whether an attribute that is no location may have one as a part.
    pub(crate) may_hold_locations: bool,
    /// Whether attributes of the llvm dialect are in forms that came with LLVM 23.
    pub(crate) has_later_forms: bool,
}

/// A dialect.
#[derive(Clone, Debug)]
pub struct Dialect<'a> {
    pub(crate) name: StrId,
    /// Its version, in the dialect's own encoding.
    pub(crate) version: Option<Cow<'a, [u8]>>,
}

impl<'a> Tables<'a> {
    /// The name of a dialect.
    pub fn dialect_name(&self, id: DialectId) -> &[u8] {
        self.strings.get(self.dialects[id.index()].name)
    }

    /// The fields of an entry that was found well formed when it was read.
    pub(crate) fn fields<'t>(&'t self, table: &'t Table<'a>, index: u32) -> Fields<'t> {
        let mut cursor = table.cursor(index);
        let mut fields = Fields::new();
        let Some(encoding) = table.encoding(index).map(EncodingId::encoding) else { return fields };
        // The code, which the entry's form knows.
        let mut is_whole = cursor.varint().is_ok();
        for &(_, field) in encoding.fields {
            match decode(&mut cursor, field, &fields, self) {
                Ok(value) if is_whole => fields.push(value),
                _ => is_whole = false,
            }
        }
        fields
    }

    pub(crate) fn attr_fields(&self, id: AttrId) -> Fields<'_> {
        self.fields(&self.attrs, id.0)
    }

    pub(crate) fn type_fields(&self, id: TypeId) -> Fields<'_> {
        self.fields(&self.types, id.0)
    }

    /// The code of an attribute of the builtin dialect in its encoding.
    pub(crate) fn builtin_attr(&self, id: AttrId) -> Option<u64> {
        known(&self.attrs, id.0, Owner::Builtin)
    }

    /// The code of a type of the builtin dialect in its encoding.
    pub(crate) fn builtin_type(&self, id: TypeId) -> Option<u64> {
        known(&self.types, id.0, Owner::Builtin)
    }

    /// The code of a type of VHLO in its encoding.
    pub(crate) fn vhlo_type(&self, id: TypeId) -> Option<u64> {
        known(&self.types, id.0, Owner::Vhlo)
    }

    /// The text of an entry that stands as text.
    #[inline]
    pub(crate) fn text<'t>(&'t self, table: &'t Table<'a>, index: u32) -> Option<&'t [u8]> {
        let is_text = table.rows[index as usize].form == ShortForm::TEXT;
        is_text.then(|| table.encoded(index).strip_suffix(b"\0").unwrap_or_default())
    }

    /// The text of a string attribute.
    pub(crate) fn string_attr(&self, id: AttrId) -> Option<&[u8]> {
        let Some(code::STRING | code::STRING_WITH_TYPE) = self.builtin_attr(id) else { return None };
        // Behind the code; this is looked at too often to decode all fields.
        let mut cursor = self.attrs.cursor(id.0);
        let string = cursor.varint().and_then(|_| cursor.varint()).ok()?;
        Some(self.strings.get(StrId(string as u32)))
    }

    /// The file, line and column of a location that is one of these.
    #[inline]
    pub(crate) fn file_location(&self, id: AttrId) -> Option<(AttrId, u64, u64)> {
        /// The code in a byte.
        const SHORT_FILE_LINE_COL_LOC: u8 = (code::FILE_LINE_COL_LOC as u8) << 1 | 1;
        let Some(code::FILE_LINE_COL_LOC) = self.builtin_attr(id) else { return None };
        let range = self.attrs.rows[id.index()].start..self.attrs.end(id.0);
        // Most consist of the code in a byte and three numbers that fit into a word together.
        let numbers = match self.attrs.bytes.get(range.start..).and_then(|bytes| bytes.first_chunk::<9>()) {
            Some([SHORT_FILE_LINE_COL_LOC, word @ ..]) => three_numbers(*word, range.len() - 1),
            _ => None,
        };
        let (file, line, column) = match numbers {
            Some(numbers) => numbers,
            None => {
                let mut cursor = self.attrs.cursor(id.0);
                cursor.varint().ok()?;
                let numbers = (cursor.varint().ok()?, cursor.varint().ok()?, cursor.varint().ok()?);
                cursor.is_empty().then_some(numbers)?
            }
        };
        (file < self.attrs.len() as u64).then_some((AttrId(file as u32), line, column))
    }

    /// The attributes that a location of a call, of several places or of a name consists of.
    pub(crate) fn parts_of_location(&self, id: AttrId) -> Option<SmallVec<[AttrId; 4]>> {
        let code @ (code::CALL_SITE_LOC | code::FUSED_LOC | code::NAME_LOC) = self.builtin_attr(id)? else { return None };
        let mut cursor = self.attrs.cursor(id.0);
        cursor.varint().ok()?;
        let count = if code == code::FUSED_LOC { cursor.varint().ok()? } else { 2 };
        (0..count).map(|_| cursor.index(self.attrs.len(), "attribute").ok().map(AttrId)).collect()
    }

    /// The type as one that numbers have.
    pub(crate) fn scalar(&self, id: TypeId) -> Option<Scalar> {
        let entry = self.types.entry(id.0);
        let Form::Known(encoding) = entry.form else {
            let is_builtin = self.dialect_name(entry.dialect) == b"builtin";
            let text = self.text(&self.types, id.0).filter(|_| is_builtin)?;
            return std::str::from_utf8(text).ok().and_then(scalar_of_name);
        };
        match encoding.owner {
            Owner::Builtin => match encoding.code {
                code::INTEGER_TYPE => {
                    let mut cursor = self.types.cursor(id.0);
                    let number = cursor.varint().and_then(|_| cursor.varint()).ok()?;
                    Some(Scalar::Integer { width: number >> 2, is_signed: number & 3 == 1, is_unsigned: number & 3 == 2 })
                }
                _ => scalar_of_name(encoding.name),
            },
            Owner::Vhlo => encoding::vhlo_scalar(encoding.code).and_then(|(_, builtin)| scalar_of_name(builtin)),
            _ => None,
        }
    }

    /// The shape and the type of elements of a shaped type.
    pub(crate) fn shape(&self, id: TypeId) -> Option<(Vec<i64>, TypeId)> {
        let is_shaped = match self.builtin_type(id) {
            Some(code) => matches!(
                code,
                code::TENSOR_TYPE
                    | code::TENSOR_WITH_ENCODING_TYPE
                    | code::VECTOR_TYPE
                    | code::SCALABLE_VECTOR_TYPE
                    | code::MEMREF_TYPE
                    | code::MEMREF_WITH_SPACE_TYPE
            ),
            None => matches!(
                self.vhlo_type(id),
                Some(encoding::VHLO_TYPE::TENSOR | encoding::VHLO_TYPE::TENSOR_WITH_ENCODING | encoding::VHLO_TYPE::BUFFER)
            ),
        };
        if !is_shaped {
            return None;
        }
        let (mut shape, mut element) = (None, None);
        for field in self.type_fields(id) {
            match field {
                Value::SignedNumbers(list) => shape = Some(list.signed().collect()),
                Value::Type(ty) => element = Some(ty),
                _ => {}
            }
        }
        shape.zip(element)
    }

    /// The shape of a type with elements, and what these are. Tiles of Tile IR, which stand as text, are such types too.
    pub(crate) fn elements(&self, id: TypeId) -> Option<(Vec<i64>, Element)> {
        let Some((shape, element)) = self.shape(id) else { return self.tile(id) };
        let is_complex = match self.builtin_type(element) {
            Some(code) => code == code::COMPLEX_TYPE,
            None => self.vhlo_type(element) == Some(encoding::VHLO_TYPE::COMPLEX),
        };
        let number = match self.type_fields(element).first() {
            Some(&Value::Type(inner)) if is_complex => inner,
            _ => element,
        };
        let element = self.scalar(number).map_or(Element::Other, |scalar| Element::Number { scalar, is_complex });
        Some((shape, element))
    }

    /// `!cuda_tile.tile<4x8xf32>`
    fn tile(&self, id: TypeId) -> Option<(Vec<i64>, Element)> {
        let text = std::str::from_utf8(self.text(&self.types, id.0)?).ok()?;
        let mut rest = text.strip_prefix("!cuda_tile.tile<")?.strip_suffix('>')?;
        let mut shape = Vec::new();
        while let Some((size, element)) = rest.split_once('x').filter(|(size, _)| size.bytes().all(|byte| byte.is_ascii_digit())) {
            shape.push(size.parse().ok()?);
            rest = element;
        }
        Some((shape, Element::Number { scalar: scalar_of_name(rest)?, is_complex: false }))
    }

    /// How many elements a type has, if that is known.
    pub(crate) fn num_elements(&self, id: TypeId) -> Option<u64> {
        let (shape, _) = self.elements(id)?;
        shape.iter().try_fold(1u64, |product, &size| product.checked_mul(u64::try_from(size).ok()?))
    }
}

/// The code of an entry in an encoding of a dialect.
#[inline]
fn known(table: &Table<'_>, index: u32, owner: Owner) -> Option<u64> {
    table.encoding(index).filter(|id| id.is_of(owner)).map(EncodingId::code)
}

fn scalar_of_name(name: &str) -> Option<Scalar> {
    if name == "index" {
        return Some(Scalar::Index);
    }
    if let Some(format) = Format::of(name) {
        return Some(Scalar::Float(format));
    }
    let (is_signed, is_unsigned) = (name.starts_with("si"), name.starts_with("ui"));
    let width = name[usize::from(is_signed || is_unsigned)..].strip_prefix('i')?.parse().ok()?;
    Some(Scalar::Integer { width, is_signed, is_unsigned })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_found_among_usual_attributes() {
        let encoding = |code| EncodingId::find(Owner::Builtin, false, code);
        let mut table = Table::default();
        for code in [code::STRING, code::ARRAY, code::AFFINE_MAP, code::STRING] {
            table.push(&[code as u8 * 2 + 1], DialectId(0), encoding(code));
        }
        let others = |table: &Table<'_>, codes: &[u64]| Vec::from_iter(table.others_and(codes));
        assert_eq!(others(&table, &[]), []);
        assert_eq!(others(&table, &[code::DISTINCT]), []);
        assert_eq!(others(&table, &[code::AFFINE_MAP, code::DISTINCT]), [2]);
        table.push(b"#other\0", DialectId(0), None);
        table.push(&[1], DialectId(0), EncodingId::find(Owner::Vhlo, false, 0));
        table.set_opaque(5);
        assert_eq!(others(&table, &[]), [4, 5]);
        assert_eq!(others(&table, &[code::AFFINE_MAP]), [2, 4, 5]);
    }
}
