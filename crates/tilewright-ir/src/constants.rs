//! The data of dense constants.

use crate::Const;

/// The raw bytes of a module's dense constants, in the layout of the bytecode's constant section.
///
/// Elements are little endian in row-major order; a single element stands for a tile full of it. `i1` is packed, eight to
/// a byte from the low bit; `tf32` takes 3 bytes; 4-bit types take a byte each (FORMAT section 6). The bytes lie in one
/// buffer and are never copied for a use.
#[derive(Clone, Debug, Default)]
pub struct ConstantTable {
    data: Vec<u8>,
    ranges: Vec<std::ops::Range<usize>>,
}

impl ConstantTable {
    /// Stores `bytes` and returns their handle.
    pub fn add(&mut self, bytes: &[u8]) -> Const {
        let start = self.data.len();
        self.data.extend_from_slice(bytes);
        self.ranges.push(start..self.data.len());
        Const::new(self.ranges.len() - 1)
    }

    /// The bytes of a constant.
    pub fn bytes(&self, constant: Const) -> &[u8] {
        &self.data[self.ranges[constant.index()].clone()]
    }

    /// How many constants there are.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}
