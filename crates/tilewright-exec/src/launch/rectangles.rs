//! The order of the blocks of a grid, if that is not the grid's own: along the axes that the plan names first (`plan/block_order.rs`), and, of blocks
//! that multiply, in rectangles that run in step.
//!
//! Blocks along one axis of a product's result have the left factor in common, those along the other the right one. So the fewer bytes
//! the tiles of both factors have for a rectangle of blocks, the less is read for each.

use crate::plan::BlockOrder;

/// Blocks in rectangles: those of one follow each other, then comes the next one along the first axis, along the second and along the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rectangles {
    /// The axes of the grid, the one along which positions change fastest first.
    axes: [usize; 3],
    /// How many blocks a rectangle has along the first two of them.
    sides: [u64; 2],
    /// The extents of the grid along its axes, in this order.
    extents: [u64; 3],
}

impl Rectangles {
    /// The order of the blocks of a grid of which so many run in step; `None` if it is the grid's own.
    pub(crate) fn of(order: &BlockOrder, grid: [u32; 3], in_step: usize) -> Option<Rectangles> {
        let BlockOrder { axes, common } = *order;
        let extents = axes.map(|axis| u64::from(grid[axis]));
        let sides = common.map_or([1; 2], |bytes| sides(bytes, [extents[0], extents[1]], in_step as u64));
        let moving = || (0..3).filter(|at| extents[*at] > 1).map(|at| axes[at]);
        let is_grids = sides[1] == 1 && moving().is_sorted();
        (!is_grids).then_some(Rectangles { axes, sides, extents })
    }

    /// How many blocks a whole rectangle has.
    pub(crate) fn blocks(&self) -> usize {
        (self.sides[0] * self.sides[1]) as usize
    }

    /// The position in the grid of the block that begins as the `index`-th.
    pub(crate) fn position(&self, index: u64) -> [u32; 3] {
        let ([width, height], [columns, rows, _]) = (self.sides, self.extents);
        let (layer, index) = (index / (columns * rows), index % (columns * rows));
        // At the end of an axis, rectangles are smaller.
        let (strip, index) = (index / (columns * height), index % (columns * height));
        let high = height.min(rows - strip * height);
        let (rectangle, index) = (index / (width * high), index % (width * high));
        let wide = width.min(columns - rectangle * width);
        let mut position = [0; 3];
        let found = [rectangle * width + index % wide, strip * height + index / wide, layer];
        // Each is below its extent, which fits 32 bits.
        self.axes.iter().zip(found).for_each(|(axis, number)| position[*axis] = number as u32);
        position
    }
}

/// The sides of the rectangle of at most so many blocks that reads least for each of them, and of several the one whose first side is longest: powers of two,
/// as extents of grids mostly are. Those along the first side have so many bytes in common, and those along the second.
fn sides([first, second]: [usize; 2], extents: [u64; 2], blocks: u64) -> [u64; 2] {
    if second == 0 {
        return [blocks.min(extents[0]), 1];
    }
    let most = |extent: u64| 1 << blocks.min(extent).max(1).ilog2();
    let widths = (0..u64::BITS).map(|exponent| 1 << exponent).take_while(|width| *width <= most(extents[0]));
    let tries = widths.map(|width| [width, most(extents[1]).min(most(blocks / width))]);
    let read = |[width, height]: &[u64; 2]| first as f64 / *width as f64 + second as f64 / *height as f64;
    tries.min_by(|one, other| read(one).total_cmp(&read(other)).then(other[0].cmp(&one[0]))).unwrap_or([1; 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rectangles_read_little() {
        assert_eq!(sides([256, 256], [8, 8], 16), [4, 4]);
        assert_eq!(sides([256, 256], [8, 8], 8), [4, 2]);
        assert_eq!(sides([512, 128], [8, 8], 16), [8, 2]);
        assert_eq!(sides([256, 256], [7, 7], 5), [2, 2]);
        assert_eq!(sides([256, 256], [2, 8], 16), [2, 8]);
        assert_eq!(sides([256, 0], [8, 8], 6), [6, 1]);
        assert_eq!(sides([256, 256], [8, 8], 1), [1, 1]);
        assert_eq!(Rectangles::of(&BlockOrder::GRID, [4, 4, 1], 4), None);
    }

    #[test]
    fn each_block_comes_once_and_rectangles_follow_each_other() {
        for (axes, sides, extents) in [([0, 1, 2], [2, 2], [4, 4, 2]), ([2, 0, 1], [3, 2], [7, 5, 2]), ([1, 2, 0], [4, 1], [6, 3, 1])] {
            let order = Rectangles { axes, sides, extents };
            let all: Vec<_> = (0..extents.iter().product()).map(|index| order.position(index)).collect();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{order:?}");
            assert!(all.iter().all(|position| axes.iter().zip(extents).all(|(axis, extent)| u64::from(position[*axis]) < extent)));
            // The first rectangle is whole.
            let first = &all[..order.blocks()];
            assert!(first.iter().all(|at| u64::from(at[axes[0]]) < sides[0] && u64::from(at[axes[1]]) < sides[1]), "{order:?}");
        }
    }
}
