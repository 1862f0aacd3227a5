//! Builds bytecode files piece by piece, right or wrong.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(unreachable_pub, reason = "tests and examples include this file")]

use tilewright_ir::Version;

/// Bytes under construction.
#[derive(Clone, Default, Debug)]
pub struct Bytes(pub Vec<u8>);

pub fn bytes() -> Bytes {
    Bytes::default()
}

impl Bytes {
    pub fn raw(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.0.extend_from_slice(bytes.as_ref());
        self
    }

    pub fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    pub fn varints(self, values: impl IntoIterator<Item = u64>) -> Self {
        values.into_iter().fold(self, Bytes::varint)
    }

    /// A counted list of 64-bit numbers.
    pub fn list8(self, values: &[i64]) -> Self {
        values.iter().fold(self.varint(values.len() as u64), |b, v| b.raw(v.to_le_bytes()))
    }

    /// A counted list of 32-bit numbers.
    pub fn list4(self, values: &[i32]) -> Self {
        values.iter().fold(self.varint(values.len() as u64), |b, v| b.raw(v.to_le_bytes()))
    }

    pub fn pad(mut self, alignment: usize) -> Self {
        self.0.resize(self.0.len().next_multiple_of(alignment), 0xcb);
        self
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// An indexed table with offsets of `width` bytes.
pub fn table<T: AsRef<[u8]>>(items: &[T], width: usize) -> Bytes {
    let mut offset = 0u64;
    let offsets = items.iter().map(|item| {
        let this = offset;
        offset += item.as_ref().len() as u64;
        this
    });
    let offsets: Vec<u64> = offsets.collect();
    items.iter().fold(raw_table(&offsets, width), |b, item| b.raw(item))
}

/// The beginning of an indexed table with any offsets; the blob follows.
pub fn raw_table(offsets: &[u64], width: usize) -> Bytes {
    let head = bytes().varint(offsets.len() as u64).pad(width);
    offsets.iter().fold(head, |b, offset| b.raw(&offset.to_le_bytes()[..width]))
}

/// Ids of sections.
pub mod id {
    pub const STRING: u8 = 1;
    pub const FUNCTION: u8 = 2;
    pub const DEBUG: u8 = 3;
    pub const CONSTANT: u8 = 4;
    pub const TYPE: u8 = 5;
    pub const GLOBAL: u8 = 6;
    pub const PRODUCER: u8 = 7;
}

/// A section to be written.
#[derive(Clone, Debug)]
pub struct RawSection {
    pub id: u8,
    pub alignment: Option<u64>,
    pub payload: Vec<u8>,
}

/// A file under construction.
#[derive(Clone, Debug)]
pub struct Assembler {
    pub version: Version,
    pub tag: u16,
    pub strings: Vec<Vec<u8>>,
    pub types: Vec<Vec<u8>>,
    pub constants: Vec<Vec<u8>>,
    pub globals: Vec<Vec<u8>>,
    pub functions: Vec<Vec<u8>>,
    pub debug: Option<Vec<u8>>,
    pub producer: Option<Vec<u8>>,
    /// Payloads that replace the ones made of the fields above.
    pub payloads: Vec<(u8, Vec<u8>)>,
}

/// Indices of the types that every file made here has.
pub const I32: u64 = 0;
pub const TILE_I32: u64 = 1;
/// The function type without parameters.
pub const NO_PARAMETERS: u64 = 2;
/// The function type with a parameter of [`TILE_I32`].
pub const ONE_PARAMETER: u64 = 3;

/// `return`
pub const RETURN: [u8; 3] = [0x5c, 0, 0];

impl Assembler {
    pub fn new(version: Version) -> Self {
        let types = vec![vec![3], vec![13, 0, 0], vec![16, 0, 0], vec![16, 1, 1, 0]];
        Assembler {
            version,
            tag: 0,
            strings: Vec::new(),
            types,
            constants: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            debug: None,
            producer: None,
            payloads: Vec::new(),
        }
    }

    pub fn string(&mut self, text: impl AsRef<[u8]>) -> u64 {
        let known = self.strings.iter().position(|s| s == text.as_ref());
        known.unwrap_or_else(|| {
            self.strings.push(text.as_ref().to_vec());
            self.strings.len() - 1
        }) as u64
    }

    pub fn ty(&mut self, item: impl AsRef<[u8]>) -> u64 {
        self.types.push(item.as_ref().to_vec());
        self.types.len() as u64 - 1
    }

    pub fn tile(&mut self, element: u64, shape: &[i64]) -> u64 {
        self.ty(bytes().varints([13, element]).list8(shape))
    }

    pub fn constant(&mut self, data: &[u8]) -> u64 {
        self.constants.push(bytes().varint(data.len() as u64).raw(data).0);
        self.constants.len() as u64 - 1
    }

    /// An entry `name` with hints, attributes and location as the version wants them to be: none.
    pub fn entry(&mut self, name: &str, signature: u64, body: impl AsRef<[u8]>) {
        self.located_entry(name, signature, 0, body);
    }

    pub fn located_entry(&mut self, name: &str, signature: u64, row: u64, body: impl AsRef<[u8]>) {
        let head = bytes().varint(self.string(name)).varint(signature).raw([2]).varint(row);
        let head = if self.version >= Version::V13_5 { head.raw([0x0b, 0, 6, 0]) } else { head };
        let body = body.as_ref();
        self.functions.push(head.varint(body.len() as u64).raw(body).0);
    }

    pub fn sections(&self) -> Vec<RawSection> {
        let counted = |records: &[Vec<u8>]| records.iter().fold(bytes().varint(records.len() as u64), |b, r| b.raw(r)).0;
        let mut sections = Vec::new();
        let mut add = |id, alignment, payload: Option<Vec<u8>>| {
            let replaced = self.payloads.iter().find(|(replaced, _)| *replaced == id).map(|(_, payload)| payload.clone());
            if let Some(payload) = replaced.or(payload) {
                sections.push(RawSection { id, alignment, payload });
            }
        };
        add(id::GLOBAL, None, (!self.globals.is_empty()).then(|| counted(&self.globals)));
        add(id::FUNCTION, Some(8), Some(counted(&self.functions)));
        add(id::CONSTANT, Some(8), (!self.constants.is_empty()).then(|| table(&self.constants, 8).0));
        add(id::DEBUG, Some(8), self.debug.clone());
        add(id::TYPE, Some(4), Some(table(&self.types, 4).0));
        add(id::PRODUCER, None, self.producer.clone());
        add(id::STRING, Some(4), Some(table(&self.strings, 4).0));
        sections
    }

    pub fn build(&self) -> Vec<u8> {
        self.envelope(&self.sections())
    }

    /// The file with these sections.
    pub fn envelope(&self, sections: &[RawSection]) -> Vec<u8> {
        let head = bytes().raw(tilewright_bytecode::MAGIC).raw([13, self.version.minor()]).raw(self.tag.to_le_bytes());
        let file = sections.iter().fold(head, |file, section| {
            let head = file.raw([section.id | if section.alignment.is_some() { 0x80 } else { 0 }]).varint(section.payload.len() as u64);
            match section.alignment {
                None => head.raw(&section.payload),
                Some(alignment) => head.varint(alignment).pad(alignment as usize).raw(&section.payload),
            }
        });
        file.raw([0]).0
    }
}

/// A file with one entry `k` that runs `body` and takes no parameters.
pub fn with_body(version: Version, body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut file = Assembler::new(version);
    file.entry("k", NO_PARAMETERS, body);
    file.build()
}

/// A file with one entry of `count` operations: each adds the result of the one before to the parameter.
pub fn chain_of_additions(count: usize) -> Vec<u8> {
    let mut body = Bytes(Vec::with_capacity(8 * count));
    for index in 0..count as u64 {
        body = body.raw([3]).varints([TILE_I32, 0, index, 0]);
    }
    let mut file = Assembler::new(Version::V13_4);
    file.entry("chain", ONE_PARAMETER, body.raw(RETURN));
    file.build()
}
