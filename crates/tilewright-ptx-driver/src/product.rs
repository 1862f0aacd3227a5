//! Products of matrices, as cuBLAS takes them: columns lie one after the other.

use tilewright_numeric::{FloatFormat, Rounding};

/// What matrices hold, as `cudaDataType` numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    F32,
    F64,
    F16,
    I8,
    I32,
    Bf16,
}

impl Element {
    pub(crate) fn of(code: i32) -> Option<Element> {
        Some(match code {
            0 => Element::F32,
            1 => Element::F64,
            2 => Element::F16,
            3 => Element::I8,
            10 => Element::I32,
            14 => Element::Bf16,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Element::I8 => 1,
            Element::F16 | Element::Bf16 => 2,
            Element::F32 | Element::I32 => 4,
            Element::F64 => 8,
        }
    }

    fn format(self) -> Option<FloatFormat> {
        match self {
            Element::F16 => Some(FloatFormat::F16),
            Element::Bf16 => Some(FloatFormat::Bf16),
            Element::F32 => Some(FloatFormat::F32),
            Element::F64 => Some(FloatFormat::F64),
            Element::I8 | Element::I32 => None,
        }
    }

    fn read(self, bytes: &[u8]) -> f64 {
        let bits = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        match self.format() {
            Some(format) => format.decode(bits),
            None if self == Element::I8 => f64::from(bits as i8),
            None => f64::from(bits as i32),
        }
    }

    fn write(self, value: f64) -> [u8; 8] {
        match self.format() {
            Some(format) => format.encode(value, Rounding::NearestEven).to_le_bytes(),
            None => (value as i64).to_le_bytes(),
        }
    }
}

/// A matrix, or several: its address, what it holds, how far its columns lie apart, and how far the next matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix {
    pub(crate) address: u64,
    pub(crate) element: Element,
    pub(crate) leading: usize,
    pub(crate) step: usize,
}

/// c = a · b, so many times: a has m rows and k columns, b has k rows and n columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) extents: [usize; 3],
    pub(crate) batch: usize,
    pub(crate) matrices: [Matrix; 3],
}

impl Product {
    /// Where the matrices lie, and how many bytes each has.
    pub(crate) fn places(&self) -> [(u64, usize); 3] {
        let [m, n, k] = self.extents;
        let [a, b, c] = self.matrices;
        [(a, m, k), (b, k, n), (c, m, n)].map(|(matrix, rows, columns)| {
            let elements = (self.batch - 1) * matrix.step + (columns - 1) * matrix.leading + rows;
            (matrix.address, elements * matrix.element.bytes())
        })
    }

    /// The bytes of the result. Sums are f64, which holds those of bytes exactly; elements between columns become zeros.
    pub(crate) fn multiply(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        let [m, n, k] = self.extents;
        let [of_a, of_b, of_c] = self.matrices;
        let read = |matrix: Matrix, bytes: &[u8]| -> Vec<f64> {
            bytes.chunks_exact(matrix.element.bytes()).map(|element| matrix.element.read(element)).collect()
        };
        let (a, b) = (read(of_a, a), read(of_b, b));
        let size = of_c.element.bytes();
        let mut result = vec![0; self.places()[2].1];
        for (batch, column, row) in (0..self.batch).flat_map(|i| (0..n).flat_map(move |j| (0..m).map(move |l| (i, j, l)))) {
            let (first_a, first_b) = (batch * of_a.step + row, batch * of_b.step + column * of_b.leading);
            let sum: f64 = (0..k).map(|inner| a[first_a + inner * of_a.leading] * b[first_b + inner]).sum();
            let at = (batch * of_c.step + column * of_c.leading + row) * size;
            result[at..at + size].copy_from_slice(&of_c.element.write(sum)[..size]);
        }
        result
    }
}
