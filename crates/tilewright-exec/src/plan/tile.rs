//! Tiles as the plan sees them: where the elements lie, and in which order they are read.

use crate::elem::Elem;
use smallvec::SmallVec;

/// A number for each dimension of a tile; most have two at most.
pub(crate) type PerDim = SmallVec<[usize; 2]>;
/// Loops in each other, the innermost last: the extent and the stride of each.
pub(crate) type Loops = SmallVec<[(usize, usize); 4]>;

/// A virtual register: holds a tile, contiguous and in row-major order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct VReg(pub(crate) u32);

impl VReg {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the elements of a tile lie.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Base {
    /// In a register of the block's frame.
    Reg(VReg),
    /// In the constants of the launch, at this byte.
    Const(usize),
}

/// What an instruction reads or writes, as it is found when it runs: an entry of the table that says where everything is, and how many
/// bytes behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operand {
    pub(crate) place: usize,
    pub(crate) offset: usize,
}

impl Operand {
    /// The entry of the launch's constants.
    const CONSTANTS: usize = 0;
    /// The entry of the worker's scratch.
    pub(crate) const SCRATCH: usize = 1;

    /// The entry of a register: they come last.
    pub(crate) const fn number(reg: VReg) -> usize {
        reg.index() + 2
    }

    /// What a tile is based on.
    #[inline]
    pub(crate) const fn of(base: Base) -> Operand {
        match base {
            Base::Reg(reg) => Operand { place: Operand::number(reg), offset: 0 },
            Base::Const(offset) => Operand { place: Operand::CONSTANTS, offset },
        }
    }

    /// A place in the scratch.
    pub(crate) const fn scratch(offset: usize) -> Operand {
        Operand { place: Operand::SCRATCH, offset }
    }
}

/// A tile: elements in a register or constant, seen through strides.
///
/// `broadcast`, `reshape`, `permute` and splats only change how the same elements are seen; nothing is copied.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Tile {
    pub(crate) elem: Elem,
    pub(crate) base: Base,
    pub(crate) shape: PerDim,
    /// Distance between neighbours along each dimension, in elements; 0 where a dimension repeats one element.
    pub(crate) strides: PerDim,
}

impl Clone for Tile {
    // What is derived clones number by number.
    fn clone(&self) -> Tile {
        Tile { elem: self.elem, base: self.base, shape: PerDim::from_slice(&self.shape), strides: PerDim::from_slice(&self.strides) }
    }
}

impl Tile {
    /// All elements of `base`, in row-major order.
    pub(crate) fn contiguous(elem: Elem, base: Base, shape: &[usize]) -> Tile {
        Tile { elem, base, shape: PerDim::from_slice(shape), strides: row_major(shape) }
    }

    /// The first element of `base`, repeated.
    pub(crate) fn splat(elem: Elem, base: Base, shape: &[usize]) -> Tile {
        Tile { elem, base, shape: PerDim::from_slice(shape), strides: SmallVec::from_elem(0, shape.len()) }
    }

    pub(crate) fn numel(&self) -> usize {
        self.shape.iter().product()
    }

    /// The dimensions that tell elements apart: extent above 1.
    fn proper_dims(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        self.shape.iter().copied().zip(self.strides.iter().copied()).filter(|(extent, _)| *extent > 1)
    }

    /// Whether all elements are the first of the base.
    pub(crate) fn is_splat(&self) -> bool {
        self.proper_dims().all(|(_, stride)| stride == 0)
    }

    /// Whether the elements lie side by side in row-major order.
    pub(crate) fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        self.proper_dims().rev().all(|(extent, stride)| {
            let fits = stride == expected;
            expected *= extent;
            fits
        })
    }

    /// Whether the elements lie side by side, in the order of some permutation of the dimensions.
    pub(crate) fn is_permuted(&self) -> bool {
        let mut dims: Vec<_> = self.proper_dims().collect();
        dims.sort_unstable_by_key(|(_, stride)| *stride);
        let mut expected = 1;
        dims.into_iter().all(|(extent, stride)| {
            let fits = stride == expected;
            expected *= extent;
            fits
        })
    }

    /// Whether as many neighbours share each element and the elements lie side by side otherwise, as those of a column that is broadcast along
    /// rows do; all of a splat do.
    pub(crate) fn is_column(&self) -> bool {
        matches!(self.loops()[..], [(_, 1), (_, 0)] | [(_, 0)])
    }

    /// The fewest loops that visit the elements in order: extents and strides, the innermost last.
    pub(crate) fn loops(&self) -> Loops {
        let mut loops = Loops::new();
        for (extent, stride) in self.proper_dims() {
            match loops.last_mut() {
                Some((outer, outer_stride)) if *outer_stride == stride * extent => {
                    *outer *= extent;
                    *outer_stride = stride;
                }
                _ => loops.push((extent, stride)),
            }
        }
        loops
    }

    /// A loop for each dimension that tells elements apart, the innermost last.
    pub(crate) fn dim_loops(shape: &[usize], strides: &[usize]) -> Loops {
        shape.iter().copied().zip(strides.iter().copied()).filter(|(extent, _)| *extent > 1).collect()
    }

    /// The same elements with every dimension of extent 1 repeated up to `shape`, which has the same rank.
    pub(crate) fn broadcast(&self, shape: &[usize]) -> Tile {
        let strides = self.shape.iter().zip(shape).zip(&self.strides);
        let strides = strides.map(|((from, to), stride)| if from == to { *stride } else { 0 }).collect();
        Tile { shape: PerDim::from_slice(shape), strides, ..*self }
    }

    /// The same elements with dimension `i` taken from dimension `permutation[i]`.
    pub(crate) fn permute(&self, permutation: &[usize]) -> Tile {
        let pick = |from: &[usize]| permutation.iter().map(|&p| from[p]).collect();
        Tile { elem: self.elem, base: self.base, shape: pick(&self.shape), strides: pick(&self.strides) }
    }

    /// The same elements, in the same order, under another shape with as many elements; `None` if strides cannot say it.
    pub(crate) fn reshape(&self, shape: &[usize]) -> Option<Tile> {
        let mut loops = self.loops();
        let mut strides = PerDim::from_elem(0, shape.len());
        // Every new dimension takes its extent from the innermost loop that is left.
        for (dim, &extent) in shape.iter().enumerate().rev().filter(|(_, extent)| **extent > 1) {
            let (inner, stride) = loops.last_mut()?;
            if !inner.is_multiple_of(extent) {
                return None;
            }
            strides[dim] = *stride;
            *inner /= extent;
            *stride *= extent;
            if *inner == 1 {
                loops.pop();
            }
        }
        loops.is_empty().then(|| Tile { shape: PerDim::from_slice(shape), strides, ..*self })
    }
}

/// The strides of a contiguous tile.
pub(crate) fn row_major(shape: &[usize]) -> PerDim {
    let mut strides = PerDim::from_elem(1, shape.len());
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim];
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_ir::Scalar;

    fn tile(shape: &[usize]) -> Tile {
        Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(0)), shape)
    }

    /// The positions that a tile reads, in order.
    fn positions(tile: &Tile) -> Vec<usize> {
        let mut all = vec![0];
        for (extent, stride) in tile.shape.iter().zip(&tile.strides) {
            all = all.iter().flat_map(|p| (0..*extent).map(move |i| p + i * stride)).collect();
        }
        all
    }

    #[test]
    fn loops_merge_what_is_contiguous() {
        assert_eq!(tile(&[4, 1, 8]).loops()[..], [(32, 1)]);
        assert_eq!(tile(&[4, 8]).permute(&[1, 0]).loops()[..], [(8, 1), (4, 8)]);
        assert_eq!(tile(&[4, 1]).broadcast(&[4, 8]).loops()[..], [(4, 1), (8, 0)]);
        assert!(tile(&[1, 1]).loops().is_empty());
    }

    #[test]
    fn columns_share_their_elements_along_rows() {
        assert!(tile(&[4, 1]).broadcast(&[4, 8]).is_column());
        assert!(tile(&[2, 4, 1]).broadcast(&[2, 4, 8]).is_column());
        assert!(!tile(&[1, 8]).broadcast(&[4, 8]).is_column());
        assert!(tile(&[2, 1, 1]).broadcast(&[2, 4, 8]).is_column());
        assert!(!tile(&[2, 1, 4]).broadcast(&[2, 8, 4]).is_column());
        assert!(!tile(&[8, 4]).permute(&[1, 0]).is_column());
        assert!(tile(&[1, 1]).broadcast(&[4, 8]).is_column());
        assert!(!tile(&[]).is_column());
    }

    #[test]
    fn reshaping_keeps_the_order() {
        let cases = [
            (tile(&[4, 8]), vec![2, 2, 1, 8]),
            (tile(&[4, 1]).broadcast(&[4, 8]), vec![2, 2, 8]),
            (tile(&[4, 8]).permute(&[1, 0]), vec![8, 1, 2, 2]),
            (tile(&[1, 1]).broadcast(&[4, 8]), vec![32]),
        ];
        for (tile, shape) in cases {
            let reshaped = tile.reshape(&shape).unwrap_or_else(|| panic!("{tile:?} as {shape:?}"));
            assert_eq!(positions(&reshaped), positions(&tile));
            assert_eq!(reshaped.shape[..], shape);
        }
        assert_eq!(tile(&[4, 8]).permute(&[1, 0]).reshape(&[32]), None);
    }

    #[test]
    fn contiguity_ignores_unit_dimensions() {
        assert!(tile(&[4, 1, 8]).permute(&[1, 0, 2]).is_contiguous());
        assert!(!tile(&[4, 8]).permute(&[1, 0]).is_contiguous());
        assert!(tile(&[1]).broadcast(&[8]).is_splat());
        assert!(tile(&[]).is_splat() && tile(&[]).is_contiguous());
    }
}
