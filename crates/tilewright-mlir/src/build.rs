//! Adding to tables: each string, attribute and type once.

use crate::{
    encoding::{self, EncodingId, Owner, code},
    tables::{AttrId, Dialect, DialectId, StrId, Tables, TypeId},
    write::push_varint,
};
use foldhash::{HashMap, HashMapExt as _};

/// Tables, and where everything stands in them.
pub(crate) struct Builder<'t, 'a> {
    pub(crate) tables: &'t mut Tables<'a>,
    strings: HashMap<Vec<u8>, StrId>,
    dialects: HashMap<Vec<u8>, DialectId>,
    attrs: HashMap<(DialectId, Vec<u8>), AttrId>,
    types: HashMap<(DialectId, Vec<u8>), TypeId>,
    distinct: HashMap<(u64, AttrId), AttrId>,
}

/// An encoding of the builtin dialect.
fn builtin(is_type: bool, code: u64) -> Option<EncodingId> {
    EncodingId::find(Owner::Builtin, is_type, code)
}

fn with_null(text: &str) -> Vec<u8> {
    [text.as_bytes(), b"\0"].concat()
}

impl<'t, 'a> Builder<'t, 'a> {
    pub(crate) fn new(tables: &'t mut Tables<'a>) -> Builder<'t, 'a> {
        let mut builder = Builder {
            strings: HashMap::new(),
            dialects: HashMap::new(),
            attrs: HashMap::new(),
            types: HashMap::new(),
            distinct: HashMap::new(),
            tables,
        };
        let tables = &*builder.tables;
        for id in (0..tables.strings.len() as u32).map(StrId) {
            builder.strings.entry(tables.strings.get(id).to_vec()).or_insert(id);
        }
        for id in (0..tables.dialects.len() as u32).map(DialectId) {
            builder.dialects.entry(tables.dialect_name(id).to_vec()).or_insert(id);
        }
        for (index, entry) in tables.attrs.entries().enumerate() {
            let encoded = tables.attrs.encoded(index as u32).to_vec();
            builder.attrs.entry((entry.dialect, encoded)).or_insert(AttrId(index as u32));
        }
        for (index, entry) in tables.types.entries().enumerate() {
            let encoded = tables.types.encoded(index as u32).to_vec();
            builder.types.entry((entry.dialect, encoded)).or_insert(TypeId(index as u32));
        }
        builder
    }

    pub(crate) fn string(&mut self, string: &[u8]) -> StrId {
        if let Some(&id) = self.strings.get(string) {
            return id;
        }
        let id = self.tables.strings.push(string);
        self.strings.insert(string.to_vec(), id);
        id
    }

    pub(crate) fn dialect(&mut self, name: &[u8]) -> DialectId {
        if let Some(&id) = self.dialects.get(name) {
            return id;
        }
        let string = self.string(name);
        let id = DialectId(self.tables.dialects.len() as u32);
        self.tables.dialects.push(Dialect { name: string, version: None });
        self.dialects.insert(name.to_vec(), id);
        id
    }

    /// An attribute of the builtin dialect in its encoding.
    pub(crate) fn attr(&mut self, code: u64, fields: impl FnOnce(&mut Vec<u8>)) -> AttrId {
        let mut encoded = Vec::new();
        push_varint(&mut encoded, code);
        fields(&mut encoded);
        let dialect = self.dialect(b"builtin");
        let encoding = builtin(false, code);
        let tables = &mut *self.tables;
        *self.attrs.entry((dialect, encoded)).or_insert_with_key(|(_, encoded)| AttrId(tables.attrs.push(encoded, dialect, encoding)))
    }

    /// An attribute of any dialect in its encoding, with the code before the fields.
    pub(crate) fn encoded_attr(&mut self, dialect: &[u8], encoding: &'static encoding::Encoding, encoded: Vec<u8>) -> AttrId {
        let (dialect, form) = (self.dialect(dialect), EncodingId::of_attribute(encoding));
        let tables = &mut *self.tables;
        tables.has_later_forms |= form.is_some_and(EncodingId::is_later_form);
        let add = |(_, encoded): &(DialectId, Vec<u8>)| AttrId(tables.attrs.push(encoded, dialect, form));
        *self.attrs.entry((dialect, encoded)).or_insert_with_key(add)
    }

    /// A type of the builtin dialect in its encoding.
    pub(crate) fn ty(&mut self, code: u64, fields: impl FnOnce(&mut Vec<u8>)) -> TypeId {
        let mut encoded = Vec::new();
        push_varint(&mut encoded, code);
        fields(&mut encoded);
        let dialect = self.dialect(b"builtin");
        let encoding = builtin(true, code);
        let tables = &mut *self.tables;
        *self.types.entry((dialect, encoded)).or_insert_with_key(|(_, encoded)| TypeId(tables.types.push(encoded, dialect, encoding)))
    }

    /// An attribute that stands as text.
    pub(crate) fn text_attr(&mut self, dialect: &[u8], text: &str) -> AttrId {
        let dialect = self.dialect(dialect);
        let tables = &mut *self.tables;
        let key = (dialect, with_null(text));
        *self.attrs.entry(key).or_insert_with_key(|(_, encoded)| AttrId(tables.attrs.push(encoded, dialect, None)))
    }

    /// A type that stands as text.
    pub(crate) fn text_type(&mut self, dialect: &[u8], text: &str) -> TypeId {
        let dialect = self.dialect(dialect);
        let tables = &mut *self.tables;
        let key = (dialect, with_null(text));
        *self.types.entry(key).or_insert_with_key(|(_, encoded)| TypeId(tables.types.push(encoded, dialect, None)))
    }

    /// A distinct attribute: one for each number, however many look the same.
    pub(crate) fn distinct(&mut self, number: u64, inner: AttrId) -> AttrId {
        if let Some(&id) = self.distinct.get(&(number, inner)) {
            return id;
        }
        let mut encoded = Vec::new();
        push_varint(&mut encoded, code::DISTINCT);
        push_varint(&mut encoded, u64::from(inner.0));
        let dialect = self.dialect(b"builtin");
        let encoding = builtin(false, code::DISTINCT);
        let id = AttrId(self.tables.attrs.push(&encoded, dialect, encoding));
        self.distinct.insert((number, inner), id);
        id
    }

    pub(crate) fn string_attr(&mut self, string: &[u8]) -> AttrId {
        let string = self.string(string);
        self.attr(code::STRING, |out| push_varint(out, u64::from(string.0)))
    }

    pub(crate) fn dictionary(&mut self, entries: &[(Vec<u8>, AttrId)]) -> AttrId {
        let entries: Vec<(AttrId, AttrId)> = entries.iter().map(|(name, value)| (self.string_attr(name), *value)).collect();
        self.attr(code::DICTIONARY, |out| {
            push_varint(out, entries.len() as u64);
            entries.iter().for_each(|(name, value)| {
                push_varint(out, u64::from(name.0));
                push_varint(out, u64::from(value.0));
            });
        })
    }

    /// A signless integer type.
    pub(crate) fn integer_type(&mut self, width: u32) -> TypeId {
        self.ty(code::INTEGER_TYPE, |out| push_varint(out, u64::from(width) << 2))
    }

    /// `array<i32: ...>`.
    pub(crate) fn i32_array(&mut self, values: &[u32]) -> AttrId {
        let ty = self.integer_type(32);
        self.attr(code::DENSE_ARRAY, |out| {
            push_varint(out, u64::from(ty.0));
            push_varint(out, values.len() as u64);
            push_varint(out, 4 * values.len() as u64);
            values.iter().for_each(|value| out.extend(value.to_le_bytes()));
        })
    }
}
