//! The lanes of an access: the dimensions that functions of their indices name.

use super::{Dims, MAX_DIMS, Split};
use smallvec::SmallVec;

/// Dimensions of the lanes of an access.
#[derive(Clone)]
pub(super) struct Lanes {
    /// How many lanes each has, all more than one.
    pub(super) extents: SmallVec<[usize; MAX_DIMS]>,
    /// The indices along the dimensions of the access's tile.
    pub(super) dims: Dims,
    /// Which of them go backwards: their first lane has the last index.
    pub(super) reversed: SmallVec<[bool; MAX_DIMS]>,
    /// The extents of the tile, with as many dimensions of more than one element as lanes have.
    pub(super) tile: Vec<usize>,
}

impl Lanes {
    /// Those of a tile, one dimension for each of it that has several elements; `None` if there are none, or too many.
    pub(super) fn of(tile: &[usize]) -> Option<Lanes> {
        let (mut extents, mut dims) = (SmallVec::<[usize; MAX_DIMS]>::new(), Dims::new());
        for &extent in tile {
            let index = if extent > 1 { SmallVec::from_slice(&[(extents.len(), 1)]) } else { SmallVec::new() };
            dims.push(index);
            extents.extend((extent > 1).then_some(extent));
        }
        let reversed = SmallVec::from_elem(false, extents.len());
        (1..=MAX_DIMS).contains(&extents.len()).then(|| Lanes { extents, dims, reversed, tile: tile.to_vec() })
    }

    /// The dimensions of the tile that go backwards.
    pub(super) fn reversed_dims(&self) -> SmallVec<[usize; 2]> {
        let proper = (0..self.tile.len()).filter(|dim| self.tile[*dim] > 1);
        proper.zip(&self.reversed).filter(|(_, reversed)| **reversed).map(|(dim, _)| dim).collect()
    }

    /// The same with a dimension in two; `None` if these are too many.
    pub(super) fn split(&self, Split { dim, lanes }: Split) -> Option<Lanes> {
        let Lanes { mut extents, mut dims, mut reversed, mut tile } = self.clone();
        let groups = extents[dim] / lanes;
        extents[dim] = groups;
        extents.insert(dim + 1, lanes);
        reversed.insert(dim + 1, reversed[dim]);
        for index in &mut dims {
            let mut split = SmallVec::new();
            for &(other, times) in index.iter() {
                match other {
                    _ if other == dim => split.extend([(dim, times.checked_mul(lanes as i64)?), (dim + 1, times)]),
                    _ => split.push((other + usize::from(other > dim), times)),
                }
            }
            *index = split;
        }
        let at = (0..tile.len()).filter(|at| tile[*at] > 1).nth(dim)?;
        tile[at] = groups;
        tile.insert(at + 1, lanes);
        (extents.len() <= MAX_DIMS).then_some(Lanes { extents, dims, reversed, tile })
    }
}
