//! How dialects encode their attributes and types: one table for reading, printing, rewriting and showing bytes.
//!
//! A custom encoding is a code and fields. [`of`] gives the encodings of a dialect; each is a row of [`builtin`], [`quant`] or one of
//! the dialects of StableHLO. Whatever has no row here is kept as it is.

mod affine;
mod builtin;
mod decode;
mod hlo;
mod quant;
mod sdy;
mod vhlo;

pub(crate) use builtin::code;
pub(crate) use decode::{List, Value, check, decode};
pub(crate) use vhlo::{ATTR as VHLO_ATTR, TYPE as VHLO_TYPE, scalar as vhlo_scalar};

/// What a field of an encoding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    /// An attribute.
    Attr,
    /// An attribute or none, told apart by the lowest bit.
    OptionalAttr,
    /// A flag as a number, and the attribute if it is set.
    FlaggedAttr,
    /// A flag as a byte, and the attribute if it is set.
    ByteFlaggedAttr,
    /// A type.
    Type,
    /// Attributes with their count before them.
    Attrs,
    /// Types with their count before them.
    Types,
    /// Pairs of names and values.
    NamedAttrs,
    /// A string.
    String,
    /// A number.
    Number,
    /// A number in a byte.
    Byte,
    /// A number or none, told apart by the lowest bit.
    OptionalNumber,
    /// A signed number.
    Signed,
    /// Numbers with their count before them.
    Numbers,
    /// Signed numbers with their count before them.
    SignedNumbers,
    /// Bytes that are 0 or 1, with their count before them.
    Bools,
    /// Bytes with their count before them.
    Blob,
    /// An integer of the width of the type before it.
    Integer,
    /// A float of the format of the type before it.
    Float,
    /// A float of 64 bits.
    Double,
    /// Floats of 64 bits with their count before them.
    Doubles,
    /// A resource of a dialect.
    Resource,
    /// An affine map.
    AffineMap,
    /// An integer set.
    IntegerSet,
    /// Strings: one if the number before them is not zero, else as many as the type before that has elements.
    Elements,
}

/// The dialects whose encodings are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    Builtin,
    Quant,
    Vhlo,
    StableHlo,
    Chlo,
    Sdy,
}

/// How one kind of attribute or type is encoded.
#[derive(Debug)]
pub(crate) struct Encoding {
    pub(crate) owner: Owner,
    /// The number that it begins with.
    pub(crate) code: u64,
    /// Its name, for people.
    pub(crate) name: &'static str,
    pub(crate) fields: Fields,
}

type Fields = &'static [(&'static str, Field)];

impl Owner {
    /// A row of the dialect's table.
    const fn row(self, code: u64, name: &'static str, fields: Fields) -> Encoding {
        Encoding { owner: self, code, name, fields }
    }
}

/// The encodings of a dialect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encodings {
    pub(crate) attributes: &'static [Encoding],
    pub(crate) types: &'static [Encoding],
}

/// The encodings of a dialect; none if it is not known to have any.
pub(crate) fn of(dialect: &[u8]) -> Option<&'static Encodings> {
    match dialect {
        b"builtin" => Some(&builtin::ENCODINGS),
        b"quant" => Some(&quant::ENCODINGS),
        b"vhlo" => Some(&vhlo::ENCODINGS),
        b"stablehlo" => Some(&hlo::STABLEHLO),
        b"sdy" => Some(&sdy::ENCODINGS),
        b"chlo" => Some(&hlo::CHLO),
        _ => None,
    }
}

pub(crate) fn find(encodings: &'static [Encoding], code: u64) -> Option<&'static Encoding> {
    // Most tables are in the order of the codes, from 0 on.
    let at_its_place = encodings.get(code as usize).filter(|encoding| encoding.code == code);
    at_its_place.or_else(|| encodings.iter().find(|encoding| encoding.code == code))
}
