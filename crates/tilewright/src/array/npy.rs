//! NumPy's `.npy` files: header and raw elements.
//!
//! Elements are kept as raw bytes, because the types of Tile IR outnumber NumPy's: bfloat16 is stored as 16-bit integers and
//! the 8-bit floats as bytes, and only who reads the file knows. Little-endian files of formats 1 to 3 are read; Fortran
//! order is turned into C order.

use super::{Array, ArrayType, DType, shape_text};
use crate::ir::Scalar;
use std::{
    fmt,
    io::{self, Read, Write},
};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Headers of arrays of numbers have a hundred bytes; this allows for generous padding.
const MAX_HEADER: u32 = 1 << 16;

/// Why a file is not an array that can be used.
#[derive(Debug)]
pub enum NpyError {
    /// It cannot be read.
    Io(io::Error),
    /// It is not a `.npy` file, or is broken.
    Format(String),
    /// Its elements are of a kind that no buffer has.
    Unsupported(String),
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NpyError::Io(error) => write!(f, "{error}"),
            NpyError::Format(what) => write!(f, "not a valid .npy file: {what}"),
            NpyError::Unsupported(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for NpyError {}

impl From<io::Error> for NpyError {
    fn from(error: io::Error) -> Self {
        NpyError::Io(error)
    }
}

fn format_error<T>(what: impl Into<String>) -> Result<T, NpyError> {
    Err(NpyError::Format(what.into()))
}

/// What a file says about its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NpyKind {
    /// NumPy's letter: `f`, `i`, `u`, `b` or `V`.
    letter: char,
    /// Bytes of an element.
    size: usize,
}

impl fmt::Display for NpyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.size * 8;
        match self.letter {
            'f' => write!(f, "float{bits}"),
            'i' => write!(f, "int{bits}"),
            'u' => write!(f, "uint{bits}"),
            'b' => f.write_str("bool"),
            _ => write!(f, "void{bits}"),
        }
    }
}

impl NpyKind {
    fn parse(descr: &str) -> Result<NpyKind, NpyError> {
        let mut chars = descr.chars();
        let (order, letter) = (chars.next(), chars.next());
        let size = chars.as_str().parse().ok();
        let (Some(order @ ('<' | '|' | '>' | '=')), Some(letter), Some(size)) = (order, letter, size) else {
            return format_error(format!("'{descr}' is not an element type"));
        };
        if order == '>' && size > 1 {
            return Err(NpyError::Unsupported(format!("the array is big endian ('{descr}'); save it as little endian")));
        }
        match (letter, size) {
            ('f', 2 | 4 | 8) | ('i' | 'u', 1 | 2 | 4 | 8) | ('b', 1) | ('V', 1 | 2) => Ok(NpyKind { letter, size }),
            _ => Err(NpyError::Unsupported(format!("arrays of '{descr}' cannot be used: no type of Tile IR is like that"))),
        }
    }

    /// The element type as which kernels can read such a file where they expect `scalar`.
    ///
    /// bfloat16 and the 8-bit floats, which NumPy does not have, come as unsigned integers or as void of their size; packed
    /// 4-bit floats as bytes, two elements each; `i1` as bool or bytes.
    pub fn as_scalar(self, scalar: Scalar) -> Option<DType> {
        let (letters, size) = match scalar {
            Scalar::I4 => return None,
            Scalar::I1 => ("bu", 1),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => ("iu", scalar.bits() as usize / 8),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => ("f", scalar.bits() as usize / 8),
            Scalar::Tf32 => ("f", 4),
            Scalar::Bf16 => ("uV", 2),
            Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F8E8M0FNU | Scalar::F4E2M1FN | Scalar::Fnv8E5M3FNU => ("uV", 1),
        };
        let fits = letters.contains(self.letter) && size == self.size;
        let dtype = DType::new(scalar);
        let unsigned = self.letter == 'u' && scalar != Scalar::I1;
        fits.then(|| if unsigned { dtype.unsigned() } else { dtype })
    }

    /// What a file of these elements says.
    fn of(dtype: DType) -> NpyKind {
        let letter = match dtype.scalar() {
            Scalar::F16 | Scalar::F32 | Scalar::F64 | Scalar::Tf32 => 'f',
            Scalar::I1 => 'b',
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 if dtype != dtype.unsigned() => 'i',
            _ => 'u',
        };
        NpyKind { letter, size: dtype.storage_bits().div_ceil(8) as usize }
    }
}

/// The content of a `.npy` file, in C order, before its elements are given a type.
#[derive(Clone, Debug)]
pub struct NpyArray {
    kind: NpyKind,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

impl fmt::Display for NpyArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.kind, shape_text(&self.shape))
    }
}

impl NpyArray {
    /// Reads a file to its end.
    ///
    /// # Errors
    /// When it cannot be read, is broken, or has elements of no use here.
    pub fn read(input: &mut dyn Read) -> Result<NpyArray, NpyError> {
        let header = Header::parse(&read_header(input)?)?;
        let kind = NpyKind::parse(&header.descr)?;
        let elements = header.shape.iter().try_fold(1u64, |n, &extent| n.checked_mul(extent));
        let Some(expected) = elements.and_then(|n| n.checked_mul(kind.size as u64)) else {
            return format_error(format!("the shape {} has too many elements", shape_text(&header.shape)));
        };
        let mut bytes = Vec::new();
        input.take(expected.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != expected {
            let found = if bytes.len() as u64 > expected { "more".to_owned() } else { bytes.len().to_string() };
            return format_error(format!("{kind}[{}] has {expected} bytes of data, found {found}", shape_text(&header.shape)));
        }
        if header.fortran_order && expected > 0 {
            bytes = c_order(&bytes, &header.shape, kind.size);
        }
        Ok(NpyArray { kind, shape: header.shape, bytes })
    }

    /// What the file says about its elements.
    pub fn kind(&self) -> NpyKind {
        self.kind
    }

    /// Extents.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The array of elements that kernels see as `scalar`; see [`NpyKind::as_scalar`].
    ///
    /// # Errors
    /// The array itself, when its elements are of another kind.
    pub fn into_array(mut self, scalar: Scalar) -> Result<Array, NpyArray> {
        let Some(dtype) = self.kind.as_scalar(scalar) else { return Err(self) };
        if dtype.storage_bits() == 4 {
            match self.shape.last_mut() {
                Some(last) => *last = last.saturating_mul(2),
                None => return Err(self),
            }
        }
        Ok(Array { dtype, shape: self.shape, bytes: self.bytes })
    }
}

/// The text of the header.
fn read_header(input: &mut dyn Read) -> Result<String, NpyError> {
    let mut start = [0; 8];
    if input.read_exact(&mut start).is_err() || start[..6] != *MAGIC {
        return format_error("it does not begin with \\x93NUMPY");
    }
    let len = match start[6] {
        1 => {
            let mut len = [0; 2];
            input.read_exact(&mut len)?;
            u32::from(u16::from_le_bytes(len))
        }
        2 | 3 => {
            let mut len = [0; 4];
            input.read_exact(&mut len)?;
            u32::from_le_bytes(len)
        }
        version => return format_error(format!("its format version is {version}")),
    };
    if len > MAX_HEADER {
        return format_error(format!("its header claims {len} bytes"));
    }
    let mut text = vec![0; len as usize];
    input.read_exact(&mut text).or_else(|_| format_error("it ends within the header"))?;
    String::from_utf8(text).or_else(|_| format_error("its header is not text"))
}

/// The header: a Python dictionary with three known keys.
#[derive(Debug, PartialEq)]
struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<u64>,
}

impl Header {
    fn parse(text: &str) -> Result<Header, NpyError> {
        let Some(mut rest) = text.trim().strip_prefix('{').and_then(|t| t.strip_suffix('}')).map(str::trim) else {
            return format_error("its header is not a dictionary");
        };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        while !rest.is_empty() {
            let (key, value) = take_string(rest)?;
            let Some(value) = value.trim_start().strip_prefix(':').map(str::trim_start) else {
                return format_error(format!("':' is missing after '{key}' in its header"));
            };
            rest = match key {
                "descr" if value.starts_with('[') => {
                    return Err(NpyError::Unsupported("arrays of records cannot be used".to_owned()));
                }
                "descr" => store(&mut descr, take_string(value).map(|(s, rest)| (s.to_owned(), rest))?),
                "fortran_order" => store(&mut fortran_order, take_bool(value)?),
                "shape" => store(&mut shape, take_shape(value)?),
                _ => return format_error(format!("unknown key '{key}' in its header")),
            };
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) => Ok(Header { descr, fortran_order, shape }),
            _ => format_error("its header lacks 'descr', 'fortran_order' or 'shape'"),
        }
    }
}

fn store<'t, T>(place: &mut Option<T>, (value, rest): (T, &'t str)) -> &'t str {
    *place = Some(value);
    rest
}

fn take_string(text: &str) -> Result<(&str, &str), NpyError> {
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c));
    let parts = quote.and_then(|quote| text[1..].split_once(quote));
    parts.map_or_else(|| format_error("a quoted text is missing in its header"), Ok)
}

fn take_bool(text: &str) -> Result<(bool, &str), NpyError> {
    match (text.strip_prefix("True"), text.strip_prefix("False")) {
        (Some(rest), _) => Ok((true, rest)),
        (_, Some(rest)) => Ok((false, rest)),
        _ => format_error("'fortran_order' is neither True nor False"),
    }
}

fn take_shape(text: &str) -> Result<(Vec<u64>, &str), NpyError> {
    let Some((inside, rest)) = text.strip_prefix('(').and_then(|t| t.split_once(')')) else {
        return format_error("'shape' is not a tuple");
    };
    let extents = inside.split(',').map(str::trim).filter(|extent| !extent.is_empty());
    let shape: Result<Vec<u64>, _> = extents.map(|extent| extent.trim_end_matches('L').parse()).collect();
    match shape {
        Ok(shape) if shape.len() <= 64 => Ok((shape, rest)),
        _ => format_error(format!("({inside}) is not a shape")),
    }
}

/// Turns Fortran order into C order.
fn c_order(bytes: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = size;
    for &extent in shape {
        strides.push(stride);
        stride *= extent as usize;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = vec![0u64; shape.len()];
    let mut at = 0;
    while out.len() < bytes.len() {
        out.extend_from_slice(&bytes[at..at + size]);
        // Counts up, the last dimension fastest.
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis] as usize;
            index[axis] = 0;
        }
    }
    out
}

/// Writes an array in C order, format 1.
pub(super) fn write(array: &Array, out: &mut dyn Write) -> io::Result<()> {
    let ArrayType { dtype, mut shape } = array.ty();
    if dtype.storage_bits() == 4
        && let Some(last) = shape.last_mut()
    {
        *last /= 2;
    }
    let kind = NpyKind::of(dtype);
    let order = if kind.size == 1 { '|' } else { '<' };
    let extents: Vec<String> = shape.iter().map(|extent| format!("{extent},")).collect();
    let extents = if shape.len() == 1 { extents.concat() } else { extents.join(" ").trim_end_matches(',').to_owned() };
    let dict = format!("{{'descr': '{order}{}{}', 'fortran_order': False, 'shape': ({extents}), }}", kind.letter, kind.size);
    // Magic, version, length, dictionary and newline fill a multiple of 64 bytes.
    let len = (10 + dict.len() + 1).next_multiple_of(64) - 10;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&u16::try_from(len).map_err(io::Error::other)?.to_le_bytes())?;
    writeln!(out, "{dict:width$}", width = len - 1)?;
    out.write_all(array.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<NpyArray, String> {
        NpyArray::read(&mut &bytes[..]).map_err(|e| e.to_string())
    }

    #[test]
    fn arrays_round_trip() {
        for (name, shape) in
            [("f32", &[2, 3][..]), ("bool", &[4]), ("u16", &[]), ("bf16", &[1, 2, 2]), ("f4E2M1FN", &[3, 4]), ("i64", &[0, 7])]
        {
            let dtype = DType::from_name(name).unwrap();
            let mut array = Array::filled_with_byte(ArrayType { dtype, shape: shape.to_vec() }, 0).unwrap();
            array.bytes_mut().iter_mut().zip(1..).for_each(|(byte, i)| *byte = i);
            let mut bytes = Vec::new();
            array.write_npy(&mut bytes).unwrap();
            assert_eq!(bytes.len() - array.bytes().len(), 128, "{name}");
            let back = read(&bytes).unwrap().into_array(dtype.scalar()).unwrap();
            assert_eq!((back.shape(), back.bytes()), (array.shape(), array.bytes()), "{name}");
        }
    }

    #[test]
    fn fortran_order_is_turned() {
        let bytes = file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", &[1, 4, 2, 5, 3, 6]);
        assert_eq!(read(&bytes).unwrap().bytes, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn kinds_fit_types_of_their_size_only() {
        let kind = |descr| NpyKind::parse(descr).unwrap();
        assert_eq!(kind("<u4").as_scalar(Scalar::I32).map(|d| d.to_string()).as_deref(), Some("u32"));
        assert_eq!(kind("<u2").as_scalar(Scalar::Bf16), Some(DType::new(Scalar::Bf16)));
        assert_eq!(kind("|b1").as_scalar(Scalar::I1), Some(DType::new(Scalar::I1)));
        assert_eq!(kind("<i2").as_scalar(Scalar::Bf16), None);
        assert_eq!(kind("<f8").as_scalar(Scalar::F32), None);
        assert_eq!(kind("<f4").as_scalar(Scalar::I32), None);
    }

    #[test]
    fn broken_files_are_refused() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
        let cases = [
            (b"PK\x03\x04".to_vec(), "does not begin"),
            (file(header, &[0; 7]), "has 8 bytes of data, found 7"),
            (file(header, &[0; 9]), "has 8 bytes of data, found more"),
            (file(header, &[])[..40].to_vec(), "ends within the header"),
            (file("{'descr': '>f4', 'fortran_order': False, 'shape': ()}", &[0; 4]), "big endian"),
            (file("{'descr': '<c8', 'fortran_order': False, 'shape': ()}", &[0; 8]), "cannot be used"),
            (file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", &[0; 8]), "records"),
            (file("{'descr': '<f4', 'shape': ()}", &[0; 4]), "lacks"),
            (file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", &[]), "not a shape"),
            (file("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 9)}", &[]), "too many elements"),
            (file("[]", &[]), "not a dictionary"),
        ];
        for (bytes, expected) in cases {
            let error = read(&bytes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn no_changed_byte_makes_reading_panic() {
        let good = file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", &[7; 24]);
        assert!(read(&good).is_ok());
        for at in 0..good.len() - 24 {
            for value in 0..=u8::MAX {
                let mut changed = good.clone();
                changed[at] = value;
                // Whether it is read or refused depends on the byte; either is right.
                let _ = read(&changed);
            }
            let _ = read(&good[..at]);
        }
    }
}
