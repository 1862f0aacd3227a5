//! How the operands of `mma.sync` lie in the registers of a warp, and how the warps of a block share a product.

use super::tile::dims_of;
use crate::{
    layout::{BitMap, Layout},
    thread::Product,
};

/// A dimension of a tile as bits of its indices: the lowest, and how many.
pub(crate) type Dim = (u32, u32);

/// The dimensions of a matrix of a product: of its batches, and two more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix {
    pub(crate) batch: Dim,
    pub(crate) rows: Dim,
    pub(crate) columns: Dim,
}

impl Matrix {
    /// The last two dimensions of a tile, and those of the batch in front of them.
    pub(crate) fn of(shape: &[i64]) -> Matrix {
        let dims = dims_of(shape);
        let (batch, matrix) = dims.split_at(dims.len() - 2);
        Matrix { batch: batch.first().copied().unwrap_or((0, 0)), rows: matrix[0], columns: matrix[1] }
    }
}

/// How warps share a product: bits of the warp's number that choose batches, rows and columns, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Sharing {
    product: Product,
    batch: u32,
    rows: u32,
    columns: u32,
    warp_bits: u32,
}

impl Sharing {
    /// How `1 << warp_bits` warps share sums of this many batches, rows and columns (bits), so that each has a part as square as can be, or whole rows as
    /// long as there are enough of them. None if the product is smaller than one instruction.
    pub(crate) fn of(product: Product, [batch, rows, columns]: [u32; 3], warp_bits: u32, whole_rows: bool) -> Option<Sharing> {
        let [m, n, _] = product.shape();
        let (mut free_rows, mut free_columns) = (rows.checked_sub(m)?, columns.checked_sub(n)?);
        let mut sharing = Sharing { product, batch: 0, rows: 0, columns: 0, warp_bits };
        for _ in 0..warp_bits {
            let rows_are_longer = whole_rows || rows - sharing.rows >= columns - sharing.columns;
            if sharing.batch < batch {
                sharing.batch += 1;
            } else if free_rows > 0 && (rows_are_longer || free_columns == 0) {
                (sharing.rows, free_rows) = (sharing.rows + 1, free_rows - 1);
            } else if free_columns > 0 {
                (sharing.columns, free_columns) = (sharing.columns + 1, free_columns - 1);
            }
        }
        Some(sharing)
    }

    /// The layout whose lowest registers and lanes are these bits of rows and columns; warps take the highest bits of what they share, and the
    /// rest are registers, in the order of the indices.
    fn layout(&self, matrix: &Matrix, bits: u32, registers: &[u32], lanes: &[u32], shared: [u32; 3]) -> Layout {
        let highest = |(low, bits): Dim, count: u32| low + bits - count..low + bits;
        let warps: Vec<u32> =
            highest(matrix.batch, shared[0]).chain(highest(matrix.rows, shared[1])).chain(highest(matrix.columns, shared[2])).collect();
        let used: Vec<u32> = registers.iter().chain(lanes).chain(&warps).copied().collect();
        let rest: Vec<u32> = (0..bits).filter(|bit| !used.contains(bit)).collect();
        let unit = |bit: &u32| 1u32 << bit;
        // Where a matrix has no part in what warps share, they hold the same.
        let taken = [(self.batch, shared[0]), (self.rows, shared[1]), (self.columns, shared[2])];
        let mut of_warps = Vec::new();
        let mut next = warps.iter();
        for (all, own) in taken {
            of_warps.extend((0..all).map(|_| if own > 0 { next.next().map_or(0, unit) } else { 0 }));
        }
        of_warps.resize(self.warp_bits as usize, 0);
        let columns = registers.iter().chain(&rest).chain(lanes).map(unit).chain(of_warps);
        Layout::new(BitMap::new(columns.collect(), bits), (registers.len() + rest.len()) as u32)
    }

    /// The sums: rows by `lane / 4`, two neighbouring columns by `lane % 4`, then the row 8 further.
    pub(crate) fn sums(&self, sums: &Matrix, bits: u32) -> Layout {
        let (m, n) = (sums.rows.0, sums.columns.0);
        let registers: &[u32] = if self.product == Product::F64 { &[n] } else { &[n, m + 3] };
        self.layout(sums, bits, registers, &[n + 1, n + 2, m, m + 1, m + 2], [self.batch, self.rows, self.columns])
    }

    /// The left factors, rows by terms.
    pub(crate) fn lhs(&self, lhs: &Matrix, bits: u32) -> Layout {
        let (m, k, packed) = (lhs.rows.0, lhs.columns.0, self.product.packed());
        let mut registers: Vec<u32> = (k..k + packed).collect();
        if self.product != Product::F64 {
            registers.extend([m + 3, k + packed + 2]);
        }
        self.layout(lhs, bits, &registers, &[k + packed, k + packed + 1, m, m + 1, m + 2], [self.batch, self.rows, 0])
    }

    /// The right factors, terms by columns.
    pub(crate) fn rhs(&self, rhs: &Matrix, bits: u32) -> Layout {
        let (k, n, packed) = (rhs.rows.0, rhs.columns.0, self.product.packed());
        let mut registers: Vec<u32> = (k..k + packed).collect();
        if self.product != Product::F64 {
            registers.push(k + packed + 2);
        }
        self.layout(rhs, bits, &registers, &[k + packed, k + packed + 1, n, n + 1, n + 2], [self.batch, 0, self.columns])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Product; 6] =
        [Product::F16, Product::Bf16, Product::Tf32, Product::F64, Product::I8 { signed: [true; 2] }, Product::F8 { e5m2: [false; 2] }];

    /// The index of the element that a register of a lane holds.
    fn element(layout: &Layout, register: u32, lane: u32) -> u32 {
        layout.map().apply(register | lane << layout.registers().ilog2())
    }

    #[test]
    fn fragments_are_those_of_the_manual() {
        for product in ALL {
            let [m, n, k] = product.shape();
            let sharing = Sharing::of(product, [0, m, n], 0, false).unwrap();
            let tile = |rows: u32, columns: u32| (Matrix::of(&[1 << rows, 1 << columns]), rows + columns);
            let ((a, a_bits), (b, b_bits), (c, c_bits)) = (tile(m, k), tile(k, n), tile(m, n));
            let p = 1 << product.packed();
            let registers = |elements: u32| 0..elements / 32;
            for lane in 0..32 {
                let (group, within) = (lane / 4, lane % 4);
                for i in registers(1 << a_bits) {
                    let (half, block) = if m == 4 { (i / p % 2, i / (2 * p)) } else { (0, i / p) };
                    let (row, column) = (group + 8 * half, within * p + i % p + block * 4 * p);
                    assert_eq!(element(&sharing.lhs(&a, a_bits), i, lane), row << k | column, "{product:?}: {i} of {lane}");
                }
                for i in registers(1 << b_bits) {
                    let row = within * p + i % p + i / p * 4 * p;
                    assert_eq!(element(&sharing.rhs(&b, b_bits), i, lane), row << n | group, "{product:?}: {i} of {lane}");
                }
                for i in registers(1 << c_bits) {
                    let (row, column) = (group + 8 * (i / 2), within * 2 + i % 2);
                    assert_eq!(element(&sharing.sums(&c, c_bits), i, lane), row << n | column, "{product:?}: {i} of {lane}");
                }
            }
        }
    }

    #[test]
    fn warps_have_the_rows_and_columns_of_their_sums() {
        for (product, rows, columns, batch) in ALL.into_iter().flat_map(|p| [(p, 4, 3, 0), (p, 5, 6, 0), (p, 7, 3, 1), (p, 4, 7, 3)]) {
            let sharing = Sharing::of(product, [batch, rows, columns], 2, false).unwrap();
            let terms = product.shape()[2] + 1;
            let of = |rows: u32, columns: u32| (Matrix::of(&[1 << batch, 1 << rows, 1 << columns]), batch + rows + columns);
            let (sums, lhs, rhs) = (of(rows, columns), of(rows, terms), of(terms, columns));
            let layouts = [sharing.sums(&sums.0, sums.1), sharing.lhs(&lhs.0, lhs.1), sharing.rhs(&rhs.0, rhs.1)];
            for warp in 0..4 {
                let [at_sums, at_lhs, at_rhs] =
                    [0, 1, 2].map(|n: usize| layouts[n].map().apply(warp << (layouts[n].registers().ilog2() + 5)));
                assert_eq!(at_sums >> columns, at_lhs >> terms, "rows and batches of {product:?}");
                let (columns_mask, upper) = ((1 << columns) - 1, columns + rows);
                assert_eq!(at_sums & columns_mask, at_rhs & columns_mask, "columns of {product:?}");
                assert_eq!(at_sums >> upper, at_rhs >> (columns + terms), "batches of {product:?}");
            }
        }
        assert_eq!(Sharing::of(Product::F16, [0, 3, 3], 2, false), None, "a product of 8 rows is smaller than the instruction");
    }

    #[test]
    fn warps_share_whole_rows_as_long_as_there_are_enough() {
        let of = |rows, columns| Sharing::of(Product::F16, [0, rows, columns], 2, true).map(|sharing| (sharing.rows, sharing.columns));
        assert_eq!([of(4, 6), of(5, 6), of(6, 6), of(8, 3)], [Some((0, 2)), Some((1, 1)), Some((2, 0)), Some((2, 0))]);
    }
}
