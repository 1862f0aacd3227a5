//! Constants and operations that only change how elements are seen.

use super::{Lowerer, Val};
use crate::{PlanError, elem::Elem, plan::Inst};
use tilewright_ir::{AttrData, AttrName, AttrValue, OpRef};

/// Index tiles up to this many elements are constants; longer ones are written when needed.
const MAX_CONSTANT_IOTA: usize = 4096;

impl<'m> Lowerer<'m> {
    pub(super) fn constant(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (elem, shape) = self.result_tile(op, 0)?;
        let AttrValue::Const(constant) = op.attr(AttrName::Value) else {
            return Err(self.malformed("the value is missing".to_owned()));
        };
        let Elem::Num(scalar) = elem else {
            return Err(self.malformed("a constant cannot hold pointers".to_owned()));
        };
        let data = self.module.tables.constants.bytes(constant);
        let tile = self.constants.dense(constant, data, scalar, &shape).map_err(|what| self.malformed(what))?;
        self.define_result(op, 0, Val::Tile(tile))
    }

    pub(super) fn iota(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (elem, shape) = self.result_tile(op, 0)?;
        let [n] = shape[..] else {
            return Err(self.malformed("the result must have one dimension".to_owned()));
        };
        self.require(elem.is_int(), "the result must hold integers")?;
        if n <= MAX_CONSTANT_IOTA {
            let tile = self.constants.iota(elem, n);
            return self.define_result(op, 0, Val::Tile(tile));
        }
        let (dst, tile) = self.new_tile(elem, &shape);
        let tile = self.compute_one(Inst::Iota { dst, n, size: elem.size() }, tile);
        self.define_result(op, 0, Val::Tile(tile))
    }

    pub(super) fn reshape(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let src = self.tile_operand(op, 0)?;
        let (elem, shape) = self.result_tile(op, 0)?;
        self.require(elem == src.elem && shape.iter().product::<usize>() == src.numel(), "the result must have the same elements")?;
        let tile = match src.reshape(&shape) {
            Some(tile) => tile,
            None => {
                let copy = self.in_order(src);
                crate::plan::Tile::contiguous(elem, copy.base, &shape)
            }
        };
        self.define_result(op, 0, Val::Tile(tile))
    }

    pub(super) fn broadcast(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let src = self.tile_operand(op, 0)?;
        let (elem, shape) = self.result_tile(op, 0)?;
        let fits = src.shape.len() == shape.len() && src.shape.iter().zip(&shape).all(|(from, to)| from == to || *from == 1);
        self.require(elem == src.elem && fits, "only dimensions of extent 1 can grow")?;
        self.define_result(op, 0, Val::Tile(src.broadcast(&shape)))
    }

    pub(super) fn permute(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let src = self.tile_operand(op, 0)?;
        let (elem, shape) = self.result_tile(op, 0)?;
        let permutation = self.permutation(op, src.shape.len())?;
        let tile = src.permute(&permutation);
        self.require(elem == src.elem && tile.shape == shape, "the result must have the permuted shape")?;
        self.define_result(op, 0, Val::Tile(tile))
    }

    fn permutation(&self, op: OpRef<'m>, rank: usize) -> Result<Vec<usize>, PlanError> {
        let attr = op.compound(AttrName::Permutation).map(|attr| self.module.tables.attrs.get(attr));
        let Some(AttrData::I32Array(dims)) = attr else {
            return Err(self.malformed("the permutation is missing".to_owned()));
        };
        let mut seen = vec![false; rank];
        let permutation: Vec<usize> = dims.iter().filter_map(|&d| usize::try_from(d).ok()).filter(|&d| d < rank).collect();
        permutation.iter().for_each(|&d| seen[d] = true);
        self.require(
            dims.len() == rank && permutation.len() == rank && seen.iter().all(|s| *s),
            "the permutation must name every dimension once",
        )?;
        Ok(permutation)
    }
}
