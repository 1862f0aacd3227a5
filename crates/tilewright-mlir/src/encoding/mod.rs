//! How dialects encode their attributes and types: one table for reading, printing, rewriting and showing bytes.
//!
//! A custom encoding is a code and fields. [`of`] gives the encodings of a dialect; each is a row of [`builtin`], [`quant`], [`llvm`] or one of
//! the dialects of StableHLO. Whatever has no row here is kept as it is.

mod affine;
mod builtin;
mod decode;
pub(crate) mod dwarf;
mod hlo;
mod llvm;
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
    /// A flag as a byte, and numbers with their count before them if it is set.
    FlaggedNumbers,
    /// A flag as a byte, and attributes, any of which may be absent, with their count before them if it is set.
    FlaggedOptionalAttrs,
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
    Llvm,
    Mhlo,
    /// Of no dialect: texts in pieces, which no file has.
    Template,
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
    /// What the text of an attribute `name<field = value, ...>` has, in its order; empty for one that has another form.
    pub(crate) parameters: &'static [Parameter],
}

/// A field in the text of an attribute.
#[derive(Debug)]
pub(crate) struct Parameter {
    /// That of the field.
    pub(crate) name: &'static str,
    pub(crate) style: Style,
    /// Whether it is left out where it is zero, false, empty or absent.
    pub(crate) is_optional: bool,
}

/// How a field is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// A number, a string, an attribute, or several of these.
    Value,
    /// Attributes with this mnemonic, which need not stand before them.
    Stripped(&'static str),
    /// Attributes, in brackets since LLVM 23.
    Bracketed,
    /// A name of a language, which stands in an attribute of its own.
    Language,
    Bool,
    /// A name of DWARF with this prefix.
    Word(&'static str),
    /// A name for each number from 0 on.
    Cases(&'static [&'static str]),
    /// Names for bits, in the order in which they are printed.
    Flags(&'static [(u64, &'static str)]),
}

type Fields = &'static [(&'static str, Field)];

impl Owner {
    /// A row of the dialect's table.
    const fn row(self, code: u64, name: &'static str, fields: Fields) -> Encoding {
        Encoding { owner: self, code, name, fields, parameters: &[] }
    }
}

/// The encodings of a dialect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encodings {
    pub(crate) attributes: &'static [Encoding],
    pub(crate) types: &'static [Encoding],
}

/// The tables, by the number of their owner, attributes before types.
static ROWS: [&[Encoding]; 18] = [
    builtin::ENCODINGS.attributes,
    builtin::ENCODINGS.types,
    quant::ENCODINGS.attributes,
    quant::ENCODINGS.types,
    vhlo::ENCODINGS.attributes,
    vhlo::ENCODINGS.types,
    hlo::STABLEHLO.attributes,
    hlo::STABLEHLO.types,
    hlo::CHLO.attributes,
    hlo::CHLO.types,
    sdy::ENCODINGS.attributes,
    sdy::ENCODINGS.types,
    llvm::ENCODINGS.attributes,
    llvm::ENCODINGS.types,
    hlo::MHLO.attributes,
    hlo::MHLO.types,
    TEMPLATES,
    TEMPLATES,
];

/// The pieces of a text, the attributes that stand between them, and for each whether it stands without its name.
const TEMPLATES: &[Encoding] =
    &[Owner::Template.row(0, "template", &[("pieces", Field::Numbers), ("parts", Field::Attrs), ("stripped", Field::Numbers)])];

/// Which encoding it is, in four bytes: the place of its table, the form, and its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EncodingId(u32);

impl EncodingId {
    /// No encoding has this number or a greater one.
    pub(crate) const END: u32 = (ROWS.len() as u32) << 16;

    const MAX_CODE: u32 = 0xfff;
    const ONE_FORM: u32 = 0x1000;

    /// The next form that a dialect gave to attributes with the same code.
    pub(crate) fn next_form(self) -> Option<EncodingId> {
        let next = EncodingId(self.0 + Self::ONE_FORM);
        (self.is_of(Owner::Llvm) && next.row().is_some()).then_some(next)
    }

    /// Whether a version of the dialect behind that of the first form has it.
    pub(crate) fn is_later_form(self) -> bool {
        self.0 & 0xffff >= Self::ONE_FORM
    }

    /// That of an encoding of attributes.
    pub(crate) fn of_attribute(encoding: &'static Encoding) -> Option<EncodingId> {
        let mut id = EncodingId::find(encoding.owner, false, encoding.code)?;
        while id.encoding().fields != encoding.fields {
            id = id.next_form()?;
        }
        Some(id)
    }

    /// The encoding with a code in a dialect; none if it is not known to have one.
    #[inline]
    pub(crate) fn find(owner: Owner, is_type: bool, code: u64) -> Option<EncodingId> {
        let code = u32::try_from(code).ok().filter(|&code| code <= Self::MAX_CODE)?;
        let id = EncodingId((owner as u32 * 2 + u32::from(is_type)) << 16 | code);
        id.row().map(|_| id)
    }

    /// The one with a number less than [`EncodingId::END`] that [`EncodingId::number`] gave.
    #[inline]
    pub(crate) fn from_number(number: u32) -> Option<EncodingId> {
        (number < Self::END).then_some(EncodingId(number))
    }

    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    #[inline]
    fn row(self) -> Option<&'static Encoding> {
        let (rows, code) = (ROWS[(self.0 >> 16) as usize], self.code());
        if let Some(form) = ((self.0 & 0xffff) / Self::ONE_FORM).checked_sub(1) {
            return llvm::LATER.iter().filter(|encoding| encoding.code == code).nth(form as usize);
        }
        // Most tables are in the order of the codes, from 0 on.
        let at_its_place = rows.get(code as usize).filter(|encoding| encoding.code == code);
        at_its_place.or_else(|| elsewhere(rows, code))
    }

    /// Whether it is one of this dialect.
    #[inline]
    pub(crate) fn is_of(self, owner: Owner) -> bool {
        self.0 >> 17 == owner as u32
    }

    /// The number that it begins with.
    #[inline]
    pub(crate) fn code(self) -> u64 {
        u64::from(self.0 & Self::MAX_CODE)
    }

    #[inline]
    pub(crate) fn encoding(self) -> &'static Encoding {
        // There is no other way to an id than `find`.
        self.row().unwrap_or(&builtin::ENCODINGS.attributes[0])
    }
}

#[cold]
fn elsewhere(rows: &'static [Encoding], code: u64) -> Option<&'static Encoding> {
    rows.iter().find(|encoding| encoding.code == code)
}

/// The dialect whose encodings are known by this name.
pub(crate) fn owner(dialect: &[u8]) -> Option<Owner> {
    Some(match dialect {
        b"builtin" => Owner::Builtin,
        b"quant" => Owner::Quant,
        b"vhlo" => Owner::Vhlo,
        b"stablehlo" => Owner::StableHlo,
        b"sdy" => Owner::Sdy,
        b"chlo" => Owner::Chlo,
        b"llvm" => Owner::Llvm,
        b"mhlo" => Owner::Mhlo,
        _ => return None,
    })
}

/// How the types of the builtin dialect are encoded.
pub(crate) fn builtin_types() -> &'static [Encoding] {
    builtin::ENCODINGS.types
}

/// How an attribute of the llvm dialect is encoded, by its mnemonic: as LLVM 22 does, then as later ones do.
pub(crate) fn llvm_attribute(mnemonic: &str) -> impl Iterator<Item = &'static Encoding> + Clone {
    llvm::ENCODINGS.attributes.iter().chain(llvm::LATER).filter(move |encoding| encoding.name == mnemonic)
}
