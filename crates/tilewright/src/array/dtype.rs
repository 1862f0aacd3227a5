//! Element types of arrays: the scalars of the IR, with the sign that files and people give to integers.

use crate::{
    ir::{Scalar, printable},
    numeric::FloatFormat,
    numeric::Rounding,
};
use serde::{Serialize, Serializer};
use std::fmt;

/// The type of an array's elements.
///
/// The IR's integers carry no sign; here `i32` and `u32` are two types, which differ in how values are read and written
/// and not in what a kernel sees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DType {
    scalar: Scalar,
    unsigned: bool,
}

/// A value of an element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// Of an integer type.
    Int(i128),
    /// Of a float type; every format but f64 is exact in an f64.
    Float(f64),
}

/// A text that is not a value of the type it should have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseValueError {
    text: String,
    dtype: DType,
}

impl fmt::Display for ParseValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseValueError { text, dtype } = self;
        let is_number = text.parse::<f64>().is_ok() || text.starts_with("0x") || text.starts_with("0X");
        match (is_number, dtype.range()) {
            (true, Some((least, most))) => write!(f, "'{}' is not a value of {dtype}, which goes from {least} to {most}", printable(text)),
            _ => write!(f, "'{}' is not a value of {dtype}", printable(text)),
        }?;
        if is_number && dtype.unsigned() != *dtype && dtype.unsigned().parse(text).is_ok() {
            write!(f, "; as unsigned it is {}:{}", dtype.unsigned(), printable(text))?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseValueError {}

/// Other names of element types, as cases, NumPy and people write them.
const ALIASES: [(&str, Scalar, bool); 14] = [
    ("bool", Scalar::I1, false),
    ("u8", Scalar::I8, true),
    ("u16", Scalar::I16, true),
    ("u32", Scalar::I32, true),
    ("u64", Scalar::I64, true),
    ("int8", Scalar::I8, false),
    ("int16", Scalar::I16, false),
    ("int32", Scalar::I32, false),
    ("int64", Scalar::I64, false),
    ("f8e4m3fn", Scalar::F8E4M3FN, false),
    ("f8e5m2", Scalar::F8E5M2, false),
    ("f8e8m0fnu", Scalar::F8E8M0FNU, false),
    ("f4e2m1fn", Scalar::F4E2M1FN, false),
    ("fnv8e5m3fnu", Scalar::Fnv8E5M3FNU, false),
];

impl DType {
    /// The type of elements that kernels see as `scalar`; integers are signed.
    pub const fn new(scalar: Scalar) -> DType {
        DType { scalar, unsigned: false }
    }

    /// The same type, with integers read as unsigned.
    pub const fn unsigned(self) -> DType {
        DType { unsigned: self.scalar.is_int(), ..self }
    }

    /// The type with this name: the IR's (`f32`, `f8E4M3FN`, `i1`) or another in use (`u32`, `f8e4m3fn`, `bool`).
    pub fn from_name(name: &str) -> Option<DType> {
        let alias = ALIASES.iter().find(|(alias, ..)| *alias == name);
        let alias = alias.map(|&(_, scalar, unsigned)| DType { scalar, unsigned });
        alias.or_else(|| Scalar::from_name(name).map(DType::new))
    }

    /// What kernels see.
    pub const fn scalar(self) -> Scalar {
        self.scalar
    }

    /// Bits of one element in memory: a whole number of bytes, but 4 for `f4E2M1FN` and `i4`.
    pub const fn storage_bits(self) -> u32 {
        match self.scalar {
            Scalar::I1 => 8,
            Scalar::Tf32 => 32,
            scalar => scalar.bits(),
        }
    }

    /// Bytes of an array of `elements`, or `None` beyond 2^64 or where the elements do not fill whole bytes.
    pub fn array_bytes(self, elements: u64) -> Option<u64> {
        match self.storage_bits() {
            4 => elements.is_multiple_of(2).then_some(elements / 2),
            bits => elements.checked_mul(u64::from(bits / 8)),
        }
    }

    /// The type's float format.
    pub fn float_format(self) -> Option<FloatFormat> {
        FloatFormat::ALL.into_iter().find(|format| format.name() == self.scalar.name())
    }

    /// The stored bits of a float, rounded to the nearest; `None` where it does not fit, and for types of integers.
    pub fn encode(self, value: f64) -> Option<u64> {
        encode_if_it_fits(self.float_format()?, value)
    }

    /// The stored bits of the element at `index` of an array's bytes, zero-extended.
    pub fn bits_at(self, bytes: &[u8], index: usize) -> u64 {
        if self.storage_bits() == 4 {
            return u64::from(bytes[index / 2] >> (index % 2 * 4) & 0xf);
        }
        let size = self.storage_bits() as usize / 8;
        let mut word = [0; 8];
        word[..size].copy_from_slice(&bytes[index * size..][..size]);
        u64::from_le_bytes(word)
    }

    /// The value of stored bits.
    pub fn decode(self, bits: u64) -> Number {
        match self.float_format() {
            Some(format) => Number::Float(format.decode(bits)),
            None if self.scalar == Scalar::I1 => Number::Int(i128::from(bits != 0)),
            None if self.unsigned => Number::Int(i128::from(bits)),
            None => {
                let unused = 64 - self.storage_bits();
                Number::Int(i128::from((bits << unused) as i64 >> unused))
            }
        }
    }

    /// The stored bits of a value written as text.
    ///
    /// Integers may be decimal or, with `0x`, their stored bits in hexadecimal. Floats may be decimal, `inf`, `nan`, or the stored bits in hexadecimal. `i1` takes `true`, `false`,
    /// 1 and 0.
    ///
    /// # Errors
    /// When the text is no such value, or the type cannot hold it.
    pub fn parse(self, text: &str) -> Result<u64, ParseValueError> {
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let bits = match (hex, self.float_format()) {
            (Some(digits), _) if !digits.starts_with(['+', '-']) => u64::from_str_radix(digits, 16).ok().filter(|&bits| self.holds(bits)),
            (_, Some(format)) => parse_float(format, text),
            (_, None) if self.scalar == Scalar::I1 => parse_bool(text),
            (_, None) => self.parse_int(text),
        };
        bits.ok_or_else(|| ParseValueError { text: text.to_owned(), dtype: self })
    }

    /// Whether `bits` fit an element.
    fn holds(self, bits: u64) -> bool {
        bits <= if self.scalar == Scalar::I1 { 1 } else { self.mask() }
    }

    const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.storage_bits())
    }

    fn parse_int(self, text: &str) -> Option<u64> {
        let value: i128 = text.parse().ok()?;
        let (least, most) = self.int_range();
        (least..=most).contains(&value).then_some(value as u64 & self.mask())
    }

    /// The least and the largest integer of an integer type.
    const fn int_range(self) -> (i128, i128) {
        let bits = self.scalar.bits();
        match self.unsigned || bits == 1 {
            true => (0, (1 << bits) - 1),
            false => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }

    /// The least and the largest finite value; `None` for `i1`, whose values have names.
    fn range(self) -> Option<(Number, Number)> {
        match self.float_format() {
            Some(format) => Some((Number::Float(format.min_finite()), Number::Float(format.max_finite()))),
            None if self.scalar == Scalar::I1 => None,
            None => {
                let (least, most) = self.int_range();
                Some((Number::Int(least), Number::Int(most)))
            }
        }
    }
}

fn parse_bool(text: &str) -> Option<u64> {
    match text {
        "true" | "True" | "1" => Some(1),
        "false" | "False" | "0" => Some(0),
        _ => None,
    }
}

fn parse_float(format: FloatFormat, text: &str) -> Option<u64> {
    if format == FloatFormat::F32 {
        // Not by way of f64, which would round twice.
        let value: f32 = text.parse().ok()?;
        let overflows = value.is_infinite() && text.parse::<f64>().is_ok_and(f64::is_finite);
        return (!overflows).then_some(u64::from(value.to_bits()));
    }
    encode_if_it_fits(format, text.parse().ok()?)
}

/// The bits of a number that the format has or that lies between two that it has.
fn encode_if_it_fits(format: FloatFormat, value: f64) -> Option<u64> {
    let fits = match value {
        _ if value.is_nan() => format.canonical_nan().is_some(),
        _ if value.is_infinite() => format.has_infinity() && !format.saturates(),
        _ => value <= format.max_finite() && value >= format.min_finite(),
    };
    // The largest number of a format has shorter names, such as 3.4028235e38, that are a little larger and mean it.
    let rounds_to_it = || format == FloatFormat::F32 && value.is_finite() && (value as f32).is_finite();
    (fits || rounds_to_it()).then(|| format.encode(value, Rounding::NearestEven))
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.unsigned, self.scalar) {
            (true, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64) => write!(f, "u{}", self.scalar.bits()),
            _ => f.write_str(self.scalar.name()),
        }
    }
}

impl Number {
    /// The value, rounded where it is an integer beyond 2^53.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

/// As a number, and as text where JSON has no such number.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Number::Int(value) => serializer.serialize_i128(value),
            Number::Float(value) if value.is_finite() => serializer.serialize_f64(value),
            Number::Float(_) => serializer.collect_str(self),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(value) => write!(f, "{value}"),
            // The shortest text that names an f32 is enough for one, and for all smaller formats.
            Number::Float(value) if f64::from(*value as f32) == *value => write!(f, "{:?}", *value as f32),
            Number::Float(value) => write!(f, "{value:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dtype(name: &str) -> DType {
        DType::from_name(name).unwrap_or_else(|| panic!("no type {name}"))
    }

    #[test]
    fn names_round_trip() {
        for scalar in Scalar::all() {
            assert_eq!(dtype(scalar.name()).to_string(), scalar.name());
            assert_eq!(DType::new(scalar).float_format().is_some(), scalar.is_float(), "{scalar}");
        }
        assert_eq!(dtype("u16").to_string(), "u16");
        assert_eq!(dtype("u16").scalar(), Scalar::I16);
        assert_eq!(dtype("bool").to_string(), "i1");
        assert_eq!(DType::from_name("f31"), None);
    }

    #[test]
    fn values_are_parsed_by_type() {
        let good = [
            ("i32", "-1", 0xffff_ffff),
            ("i32", "0xffffffff", 0xffff_ffff),
            ("i32", "2147483647", 0x7fff_ffff),
            ("u32", "4294967295", 0xffff_ffff),
            ("u8", "255", 255),
            ("i64", "-9223372036854775808", 1 << 63),
            ("bool", "true", 1),
            ("f32", "1.5", 0x3fc0_0000),
            ("f32", "0x3fc00000", 0x3fc0_0000),
            ("f32", "-inf", 0xff80_0000),
            ("f32", "nan", 0x7fc0_0000),
            ("f16", "0.5", 0x3800),
            ("bf16", "1", 0x3f80),
            ("f8e4m3fn", "448", 0x7e),
            ("f4E2M1FN", "-6", 0xf),
        ];
        for (name, text, bits) in good {
            assert_eq!(dtype(name).parse(text), Ok(bits), "{name}:{text}");
        }
        let bad = [
            ("i32", "2147483648"),
            ("u32", "4294967296"),
            ("i8", "128"),
            ("i32", "-2147483649"),
            ("i32", "1.5"),
            ("i32", "0x100000000"),
            ("i32", "0x-1"),
            ("u8", "-1"),
            ("i1", "2"),
            ("i1", "0x2"),
            ("f32", "1e39"),
            ("f16", "65536"),
            ("f8e4m3fn", "inf"),
            ("f4E2M1FN", "nan"),
            ("f32", ""),
        ];
        for (name, text) in bad {
            assert!(dtype(name).parse(text).is_err(), "{name}:{text}");
        }
    }

    #[test]
    fn wrong_values_say_what_would_be_right() {
        let cases = [
            ("i32", "1.5.2", "'1.5.2' is not a value of i32"),
            ("i32", "99999999999", "'99999999999' is not a value of i32, which goes from -2147483648 to 2147483647"),
            (
                "i32",
                "2147483648",
                "'2147483648' is not a value of i32, which goes from -2147483648 to 2147483647; as unsigned it is u32:2147483648",
            ),
            ("u8", "-1", "'-1' is not a value of u8, which goes from 0 to 255"),
            ("f32", "1e300", "'1e300' is not a value of f32, which goes from -3.4028235e38 to 3.4028235e38"),
            ("f16", "1e6", "'1e6' is not a value of f16, which goes from -65504.0 to 65504.0"),
            ("i1", "2", "'2' is not a value of i1"),
        ];
        for (name, text, expected) in cases {
            assert_eq!(dtype(name).parse(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn elements_are_decoded() {
        assert_eq!(dtype("i8").decode(0xff), Number::Int(-1));
        assert_eq!(dtype("u8").decode(0xff), Number::Int(255));
        assert_eq!(dtype("u64").decode(u64::MAX), Number::Int(i128::from(u64::MAX)));
        assert_eq!(dtype("i64").decode(u64::MAX), Number::Int(-1));
        assert_eq!(dtype("bf16").decode(0x3f80), Number::Float(1.0));
        assert_eq!(dtype("f4E2M1FN").bits_at(&[0x21], 1), 2);
        assert_eq!(dtype("f4E2M1FN").array_bytes(3), None);
        assert_eq!(dtype("i16").bits_at(&[0, 0, 0x34, 0x12], 1), 0x1234);
    }
}
