//! Typed arrays, and the `.npy` files they are kept in.

mod dtype;
mod npy;

pub use dtype::{DType, Number, ParseValueError};
pub use npy::{NpyArray, NpyError, NpyKind};

use std::{fmt, io};

/// A dense array in row-major order: what a buffer of a launch holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    dtype: DType,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

/// The type and the shape of an array; its text is like `f32[1024x64]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayType {
    /// Element type.
    pub dtype: DType,
    /// Extents; none for a single element.
    pub shape: Vec<u64>,
}

/// An array that cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArrayError {
    /// It has more bytes than an address space, or half a byte.
    Size(ArrayType),
    /// The system does not give the memory.
    OutOfMemory {
        /// The array asked for.
        ty: ArrayType,
        /// Its bytes.
        bytes: u64,
    },
}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayError::Size(ty) => write!(f, "{ty} is not an array that fits into memory"),
            ArrayError::OutOfMemory { ty, bytes } => {
                write!(f, "{ty} needs {:.1} GiB of memory, more than the system gives", *bytes as f64 / (1u64 << 30) as f64)
            }
        }
    }
}

impl std::error::Error for ArrayError {}

impl fmt::Display for ArrayType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.dtype, shape_text(&self.shape))
    }
}

/// A shape as text, such as `1024x64`.
pub(crate) fn shape_text(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

impl ArrayType {
    /// How many elements the array has, or `None` beyond 2^64.
    pub fn elements(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |n, &extent| n.checked_mul(extent))
    }

    /// How many bytes the array has.
    ///
    /// # Errors
    /// When they are too many for an address space, or not whole.
    pub fn bytes(&self) -> Result<usize, ArrayError> {
        let bytes = self.elements().and_then(|n| self.dtype.array_bytes(n));
        let bytes = bytes.and_then(|b| isize::try_from(b).ok());
        bytes.map(isize::unsigned_abs).ok_or_else(|| ArrayError::Size(self.clone()))
    }

    /// The coordinates of an element.
    pub fn coordinates(&self, mut index: u64) -> Vec<u64> {
        let mut coordinates: Vec<u64> = self.shape.iter().rev().map(|&extent| take_digit(&mut index, extent)).collect();
        coordinates.reverse();
        coordinates
    }
}

fn take_digit(index: &mut u64, extent: u64) -> u64 {
    let extent = extent.max(1);
    let digit = *index % extent;
    *index /= extent;
    digit
}

impl Array {
    /// An array with the byte `fill` everywhere.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn filled_with_byte(ty: ArrayType, fill: u8) -> Result<Array, ArrayError> {
        let len = ty.bytes()?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| ArrayError::OutOfMemory { ty: ty.clone(), bytes: len as u64 })?;
        bytes.resize(len, fill);
        Ok(Array { dtype: ty.dtype, shape: ty.shape, bytes })
    }

    /// An array whose elements all have the stored `bits`.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn filled(ty: ArrayType, bits: u64) -> Result<Array, ArrayError> {
        let mut array = Array::filled_with_byte(ty, 0)?;
        match array.dtype.storage_bits() {
            4 => array.bytes.fill((bits & 0xf | bits << 4) as u8),
            width => {
                let pattern = &bits.to_le_bytes()[..width as usize / 8];
                array.bytes.chunks_exact_mut(pattern.len()).for_each(|element| element.copy_from_slice(pattern));
            }
        }
        Ok(array)
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Extents.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The same bytes, read as elements of another type.
    ///
    /// # Panics
    /// If the types have different sizes.
    pub fn with_dtype(self, dtype: DType) -> Array {
        assert_eq!(self.dtype.storage_bits(), dtype.storage_bits(), "{} and {dtype} differ in size", self.dtype);
        Array { dtype, ..self }
    }

    /// Type and shape.
    pub fn ty(&self) -> ArrayType {
        ArrayType { dtype: self.dtype, shape: self.shape.clone() }
    }

    /// The content, as in memory.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The content, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Stores the bits of the element at `index`.
    pub(crate) fn set_bits(&mut self, index: usize, bits: u64) {
        if self.dtype.storage_bits() == 4 {
            let (byte, shift) = (&mut self.bytes[index / 2], index % 2 * 4);
            *byte = *byte & !(0xf << shift) | (bits as u8 & 0xf) << shift;
            return;
        }
        let size = self.dtype.storage_bits() as usize / 8;
        self.bytes[index * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }

    /// A copy, for a launch that shall not change this one.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn try_clone(&self) -> Result<Array, ArrayError> {
        let mut bytes = Vec::new();
        let len = self.bytes.len();
        bytes.try_reserve_exact(len).map_err(|_| ArrayError::OutOfMemory { ty: self.ty(), bytes: len as u64 })?;
        bytes.extend_from_slice(&self.bytes);
        Ok(Array { dtype: self.dtype, shape: self.shape.clone(), bytes })
    }

    /// Writes the array as a `.npy` file.
    ///
    /// # Errors
    /// When `out` does not take it.
    pub fn write_npy(&self, out: &mut dyn io::Write) -> io::Result<()> {
        npy::write(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;

    fn ty(scalar: Scalar, shape: &[u64]) -> ArrayType {
        ArrayType { dtype: DType::new(scalar), shape: shape.to_vec() }
    }

    #[test]
    fn fills_are_by_element() {
        let array = Array::filled(ty(Scalar::I16, &[2]), 0x1234).unwrap();
        assert_eq!(array.bytes(), [0x34, 0x12, 0x34, 0x12]);
        let array = Array::filled(ty(Scalar::F4E2M1FN, &[2, 2]), 0x3).unwrap();
        assert_eq!(array.bytes(), [0x33, 0x33]);
        assert_eq!(Array::filled(ty(Scalar::F32, &[0, 5]), 1).unwrap().bytes().len(), 0);
        assert_eq!(Array::filled(ty(Scalar::F64, &[]), 1).unwrap().bytes().len(), 8);
    }

    #[test]
    fn impossible_arrays_are_refused() {
        let beyond = ty(Scalar::F32, &[u64::MAX, 2]);
        assert_eq!(beyond.bytes(), Err(ArrayError::Size(beyond.clone())));
        let half_a_byte = ty(Scalar::F4E2M1FN, &[3]);
        assert!(half_a_byte.bytes().is_err());
        let petabytes = ty(Scalar::F32, &[1 << 50]);
        let error = Array::filled(petabytes, 0).unwrap_err();
        assert_eq!(error.to_string(), "f32[1125899906842624] needs 4194304.0 GiB of memory, more than the system gives");
    }

    #[test]
    fn coordinates_are_row_major() {
        assert_eq!(ty(Scalar::F32, &[4, 5, 6]).coordinates(37), [1, 1, 1]);
        assert_eq!(ty(Scalar::F32, &[]).coordinates(0), [0; 0]);
    }
}
