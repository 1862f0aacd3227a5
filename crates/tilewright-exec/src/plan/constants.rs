//! The constants of a launch: parameters, the data of dense constants, and what a launch computes of them.

use super::{Base, PARAM_BYTES, Tile};
use crate::elem::Elem;
use crate::hash::HashMap;
use std::ops::Range;
use tilewright_ir::{Const, Scalar};
use tilewright_passes::constant::elements;

/// Alignment of each constant, for vector loads.
const ALIGNMENT: usize = 64;
/// The most bytes of a tile that a launch computes for all blocks: larger ones are not worth their places in the caches.
const MAX_COMPUTED_TILE: usize = 1 << 16;
/// The most bytes of all these tiles.
const MAX_COMPUTED: usize = 1 << 18;

/// Bytes that every block reads and none writes.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    bytes: Vec<u8>,
    decoded: HashMap<(Const, Scalar, usize), Tile>,
    /// Bytes of the parameters, which are first.
    params: usize,
    /// Where the tiles are that a launch computes.
    rooms: Vec<Range<usize>>,
    /// Bytes of these.
    computed: usize,
}

impl Constants {
    /// Room for the parameters, which a launch fills in.
    pub(crate) fn with_params(count: usize) -> Constants {
        Constants { bytes: vec![0; count * PARAM_BYTES], params: count * PARAM_BYTES, ..Constants::default() }
    }

    /// The bits of `size` bytes, if they are the same in all launches.
    pub(crate) fn known(&self, offset: usize, size: usize) -> Option<u64> {
        if offset < self.params || self.rooms.iter().any(|room| room.contains(&offset)) {
            return None;
        }
        let bytes = self.bytes.get(offset..offset + size)?;
        let mut bits = [0; 8];
        bits.get_mut(..size)?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(bits))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The tile of the parameter at `index`.
    pub(crate) fn param(index: usize, elem: Elem) -> Tile {
        Tile::contiguous(elem, Base::Const(index * PARAM_BYTES), &[])
    }

    fn add(&mut self, bytes: &[u8]) -> Base {
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(bytes);
        Base::Const(start)
    }

    /// The offset of room for a tile that a launch computes; `None` if it is too large.
    pub(crate) fn room(&mut self, bytes: usize) -> Option<usize> {
        if bytes > MAX_COMPUTED_TILE || self.computed + bytes > MAX_COMPUTED {
            return None;
        }
        self.computed += bytes;
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(start + bytes, 0);
        self.rooms.push(start..start + bytes);
        Some(start)
    }

    /// One address.
    pub(crate) fn address(&mut self, address: u64) -> Tile {
        let base = self.add(&address.to_le_bytes());
        Tile::contiguous(Elem::Ptr, base, &[])
    }

    /// One index.
    pub(crate) fn index(&mut self, index: usize) -> Tile {
        let base = self.add(&(index as u64).to_le_bytes());
        Tile::contiguous(Elem::Num(Scalar::I64), base, &[])
    }

    /// The numbers 0, 1, 2, ... of an integer type.
    pub(crate) fn iota(&mut self, elem: Elem, n: usize) -> Tile {
        let mut bytes = vec![0; n * elem.size()];
        for (number, bytes) in (0u64..).zip(bytes.chunks_exact_mut(elem.size())) {
            bytes.copy_from_slice(&number.to_le_bytes()[..elem.size()]);
        }
        let base = self.add(&bytes);
        Tile::contiguous(elem, base, &[n])
    }

    /// The tile of a dense constant, from its bytes in the module (FORMAT section 6).
    ///
    /// # Errors
    /// When the number of bytes fits neither one element nor all.
    pub(crate) fn dense(&mut self, constant: Const, data: &[u8], scalar: Scalar, shape: &[usize]) -> Result<Tile, String> {
        let n: usize = shape.iter().product();
        if let Some(tile) = self.decoded.get(&(constant, scalar, n)) {
            return Ok(under_shape(tile, shape));
        }
        let elem = Elem::Num(scalar);
        let elements = elements(data, scalar, n)?;
        let base = self.add(&elements);
        let tile = if elements.len() == elem.size() { Tile::splat(elem, base, shape) } else { Tile::contiguous(elem, base, shape) };
        self.decoded.insert((constant, scalar, n), tile.clone());
        Ok(tile)
    }
}

/// A cached constant under the shape of another use.
fn under_shape(tile: &Tile, shape: &[usize]) -> Tile {
    let splat = tile.numel() > 1 && tile.is_splat();
    if splat { Tile::splat(tile.elem, tile.base, shape) } else { Tile::contiguous(tile.elem, tile.base, shape) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_is_stored_once() {
        let mut constants = Constants::with_params(1);
        let a = constants.dense(Const::new(0), &[1, 0, 2, 0], Scalar::I16, &[2]).unwrap();
        let b = constants.dense(Const::new(0), &[1, 0, 2, 0], Scalar::I16, &[1, 2]).unwrap();
        assert_eq!(a.base, b.base);
        assert_eq!(b.shape[..], [1, 2]);
        assert!(b.is_contiguous());
    }
}
