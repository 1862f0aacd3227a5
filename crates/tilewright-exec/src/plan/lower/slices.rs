//! Slices of tiles, joined tiles, and tiles as bytes.

use super::{Lowerer, Val};
use crate::{
    PlanError,
    elem::Elem,
    plan::{Inst, Slice, Tile},
};
use tilewright_ir::{AttrName, OpRef, Scalar};

impl<'m> Lowerer<'m> {
    pub(super) fn extract(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let src = self.needed(op, "source")?;
        let (elem, shape) = self.result_tile(op, 0)?;
        self.require(elem == src.elem, "the result must have the element type of the source")?;
        let slice = self.slice(op, &src, &shape)?;
        let (dst, tile) = self.new_tile(elem, &shape);
        self.emit(Inst::Extract { src, slice, dst });
        self.define_result(op, 0, Val::Tile(tile))
    }

    pub(super) fn insert(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (src, into) = (self.needed(op, "source")?, self.needed(op, "destination")?);
        let (elem, shape) = self.result_tile(op, 0)?;
        self.require(elem == src.elem && elem == into.elem && *shape == *into.shape, "the result must be like the destination")?;
        let (dst, tile) = self.new_tile(elem, &shape);
        self.emit(Inst::Move { src: into, dst });
        let slice = self.slice(op, &tile, &src.shape)?;
        let src = self.in_order(src);
        self.emit(Inst::Insert { src, slice, dst });
        self.define_result(op, 0, Val::Tile(tile))
    }

    /// The slices of `whole` that have this shape, and the indices of one.
    fn slice(&self, op: OpRef<'m>, whole: &Tile, shape: &[usize]) -> Result<Box<Slice>, PlanError> {
        let indices = self.tiles_named(op, "indices")?;
        let scalars = indices.iter().all(|i| i.shape.is_empty() && i.elem.is_int());
        let fits = whole.shape.len() == shape.len() && whole.shape.iter().zip(shape).all(|(whole, slice)| whole.is_multiple_of(*slice));
        self.require(fits, "the extents of the slice must divide those of the tile")?;
        self.require(scalars && indices.len() == shape.len(), "one integer scalar for each dimension is needed")?;
        let counts = whole.shape.iter().zip(shape).map(|(whole, slice)| whole / slice).collect();
        Ok(Box::new(Slice { indices, counts, first: Tile { shape: shape.into(), ..whole.clone() } }))
    }

    pub(super) fn cat(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (lhs, rhs) = (self.needed(op, "lhs")?, self.needed(op, "rhs")?);
        let (elem, shape) = self.result_tile(op, 0)?;
        let dim = op.int(AttrName::Dim).and_then(|d| usize::try_from(d).ok()).filter(|d| *d < shape.len());
        let Some(dim) = dim else { return Err(self.malformed("the dimension is out of range".to_owned())) };
        // Extents are powers of two, so the joined tiles are equal halves.
        let halves = lhs.shape == rhs.shape && lhs.shape.len() == shape.len();
        let fits =
            halves && lhs.shape.iter().zip(&shape).enumerate().all(|(d, (part, whole))| *whole == if d == dim { 2 * part } else { *part });
        self.require(fits && lhs.elem == elem && rhs.elem == elem, "the result must be the two tiles side by side")?;
        let (dst, tile) = self.new_tile(elem, &shape);
        for (i, part) in [lhs, rhs].into_iter().enumerate() {
            let indices = (0..shape.len()).map(|d| self.constants.index(if d == dim { i } else { 0 })).collect();
            let counts = shape.iter().zip(&part.shape).map(|(whole, part)| whole / part).collect();
            let first = Tile { shape: part.shape.clone(), ..tile.clone() };
            let src = self.in_order(part);
            self.emit(Inst::Insert { src, slice: Box::new(Slice { indices, counts, first }), dst });
        }
        self.define_result(op, 0, Val::Tile(tile))
    }

    /// `pack` and `unpack`: the bits of elements as bytes, and back. Only elements of 1 or 4 bits look different in registers.
    pub(super) fn repack(&mut self, op: OpRef<'m>, pack: bool) -> Result<(), PlanError> {
        let src = self.needed(op, "source")?;
        let (elem, shape) = self.result_tile(op, 0)?;
        let (number, bytes) = if pack { (src.elem, elem) } else { (elem, src.elem) };
        let Elem::Num(scalar) = number else { return Err(self.malformed("it takes numbers".to_owned())) };
        let bits = if scalar == Scalar::Tf32 { 32 } else { number.bits() };
        let (from, to) = if pack { (bits as usize, 8) } else { (8, bits as usize) };
        let fits = bytes == Elem::Num(Scalar::I8) && src.shape.len() == 1 && shape.len() == 1 && src.numel() * from == shape[0] * to;
        self.require(fits, "one side must be i8, and both must have one dimension and as many bits")?;
        let src = self.in_order(src);
        if bits >= 8 {
            return self.define_result(op, 0, Val::Tile(Tile::contiguous(elem, src.base, &shape)));
        }
        let (dst, tile) = self.new_tile(elem, &shape);
        let tile = self.compute_one(Inst::Repack { src, dst, bits, pack }, tile);
        self.define_result(op, 0, Val::Tile(tile))
    }
}
