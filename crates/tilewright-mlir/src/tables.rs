//! The tables of a module: strings, attributes and types, by their numbers.

use crate::{
    cursor::Cursor,
    encoding::{self, Encoding, Owner, Value, code, decode},
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
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) dialect: DialectId,
    pub(crate) form: Form,
}

/// The attributes or the types of a module, each in its encoding.
#[derive(Clone, Default, Debug)]
pub struct Table<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    pub(crate) entries: Vec<Entry>,
}

impl Table<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn entry(&self, index: u32) -> Entry {
        self.entries[index as usize]
    }

    /// The encoding of an entry.
    pub(crate) fn encoded(&self, index: u32) -> &[u8] {
        let entry = &self.entries[index as usize];
        &self.bytes[entry.start..entry.start + entry.len]
    }

    pub(crate) fn push(&mut self, encoded: &[u8], dialect: DialectId, form: Form) -> u32 {
        let bytes = self.bytes.to_mut();
        self.entries.push(Entry { start: bytes.len(), len: encoded.len(), dialect, form });
        bytes.extend(encoded);
        self.entries.len() as u32 - 1
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
        let mut cursor = Cursor::trusted(table.encoded(index));
        let mut fields = Fields::new();
        let Form::Known(encoding) = table.entry(index).form else { return fields };
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
    pub(crate) fn text<'t>(&'t self, table: &'t Table<'a>, index: u32) -> Option<&'t [u8]> {
        match table.entry(index).form {
            Form::Text => Some(table.encoded(index).strip_suffix(b"\0").unwrap_or_default()),
            _ => None,
        }
    }

    /// The text of a string attribute.
    pub(crate) fn string_attr(&self, id: AttrId) -> Option<&[u8]> {
        let Some(code::STRING | code::STRING_WITH_TYPE) = self.builtin_attr(id) else { return None };
        // Behind the code; this is looked at too often to decode all fields.
        let mut cursor = Cursor::trusted(self.attrs.encoded(id.0));
        let string = cursor.varint().and_then(|_| cursor.varint()).ok()?;
        Some(self.strings.get(StrId(string as u32)))
    }

    /// The file, line and column of a location that is one of these.
    pub(crate) fn file_location(&self, id: AttrId) -> Option<(AttrId, u64, u64)> {
        let Some(code::FILE_LINE_COL_LOC) = self.builtin_attr(id) else { return None };
        let mut cursor = Cursor::trusted(self.attrs.encoded(id.0));
        let (_, file) = (cursor.varint().ok()?, cursor.varint().ok()?);
        Some((AttrId(file as u32), cursor.varint().ok()?, cursor.varint().ok()?))
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
                    let mut cursor = Cursor::trusted(self.types.encoded(id.0));
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
fn known(table: &Table<'_>, index: u32, owner: Owner) -> Option<u64> {
    match table.entries[index as usize].form {
        Form::Known(encoding) if encoding.owner == owner => Some(encoding.code),
        _ => None,
    }
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
