//! The elements of tiles: their widths as numbers, in registers of the engine, and in memory.

use std::sync::LazyLock;
use tilewright_ir::{Scalar, Type, TypeData, TypeTable};
use tilewright_numeric::FloatFormat;

/// The element type of a tile.
///
/// A register of the engine holds every element in whole bytes: `i1` and 4-bit types take a byte, `tf32` the 4 bytes of an `f32`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Elem {
    /// A number.
    Num(Scalar),
    /// A 64-bit address.
    Ptr,
}

impl Elem {
    /// The element type of a tile's elements.
    pub fn of(types: &TypeTable, element: Type) -> Option<Elem> {
        match types.get(element) {
            TypeData::Scalar(scalar) => Some(Elem::Num(*scalar)),
            TypeData::Pointer { .. } => Some(Elem::Ptr),
            _ => None,
        }
    }

    /// Bytes of an element in a register.
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            Elem::Ptr => 8,
            Elem::Num(scalar) => scalar_size(scalar),
        }
    }

    /// Width of the element as an integer.
    pub const fn bits(self) -> u32 {
        match self {
            Elem::Ptr => 64,
            Elem::Num(scalar) => scalar.bits(),
        }
    }

    /// The format of the element, if it is a float.
    pub fn float(self) -> Option<FloatFormat> {
        match self {
            Elem::Num(scalar) => float_format(scalar),
            Elem::Ptr => None,
        }
    }

    /// Whether the element is an integer.
    pub const fn is_int(self) -> bool {
        matches!(self, Elem::Num(scalar) if scalar.is_int())
    }
}

/// Bytes of a number in a register.
const fn scalar_size(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Tf32 => 4,
        _ => scalar.bits().div_ceil(8) as usize,
    }
}

/// The format of a float type.
pub fn float_format(scalar: Scalar) -> Option<FloatFormat> {
    /// By scalar: both crates call their types by the names in text.
    static FORMATS: LazyLock<Vec<Option<FloatFormat>>> =
        LazyLock::new(|| Scalar::all().map(|scalar| FloatFormat::from_name(scalar.name())).collect());
    FORMATS[scalar as usize]
}

/// Bits of an element in memory (SEMANTICS (b)): whole bytes, but for floats of 4 bits, of which two share a byte; `None` for
/// types that have no form in memory.
pub const fn memory_bits(scalar: Scalar) -> Option<u32> {
    match scalar {
        Scalar::I4 => None,
        Scalar::F4E2M1FN => Some(4),
        _ => Some(8 * scalar_size(scalar) as u32),
    }
}
