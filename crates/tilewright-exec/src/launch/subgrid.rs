//! Boxes of the blocks of a grid.

/// A box of the blocks of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Subgrid {
    /// The position of its first block in the grid.
    pub(crate) first: [u32; 3],
    /// How many blocks it has along each axis.
    pub(crate) extents: [u32; 3],
}

impl Subgrid {
    /// All blocks of a grid.
    pub(crate) fn whole(grid: [u32; 3]) -> Subgrid {
        Subgrid { first: [0; 3], extents: grid }
    }

    /// How many blocks it has; `None` if that fits no number.
    pub(crate) fn blocks(&self) -> Option<u64> {
        self.extents.iter().try_fold(1u64, |product, extent| product.checked_mul(u64::from(*extent)))
    }

    /// The position in the grid of its `index`-th block: x changes fastest.
    #[inline]
    pub(crate) fn position(&self, index: u64) -> [u32; 3] {
        let ([x, y, z], [first_x, first_y, first_z]) = (block_id(index, self.extents), self.first);
        [first_x + x, first_y + y, first_z + z]
    }
}

/// The position in a grid of its `index`-th block: x changes fastest.
#[inline]
pub(crate) fn block_id(index: u64, grid: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = grid.map(u64::from);
    // Divisions take as long as a short block's instructions.
    if index < x {
        return [index as u32, 0, 0];
    }
    let row = index / x;
    // Each part is below its extent, which fits 32 bits.
    [(index % x) as u32, (row % y) as u32, (row / y) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_in_the_order_of_the_grid() {
        let subgrid = Subgrid { first: [8, 0, 1], extents: [2, 3, 2] };
        let positions: Vec<_> = (0..subgrid.blocks().unwrap()).map(|index| subgrid.position(index)).collect();
        assert_eq!(positions[..3], [[8, 0, 1], [9, 0, 1], [8, 1, 1]]);
        assert_eq!((positions.len(), positions[11]), (12, [9, 2, 2]));
        assert_eq!(Subgrid::whole([1 << 24; 3]).blocks(), None);
    }
}
