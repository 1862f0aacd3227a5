//! Arithmetic that compilers write around indices and that need not be done.
//!
//! Indices of 32 bits are extended to 64, compared with an extent that was extended too, multiplied by a stride of 1 and added to a
//! pointer. The comparison and the addition give the same of the numbers that were extended, whose tiles take half the room.

use super::Lowerer;
use crate::{
    elem::Elem,
    kernels::ElemOp,
    plan::{Base, Tile},
};
use tilewright_ir::Scalar;

impl Lowerer<'_> {
    /// The source that an operation gives unchanged, because the others are neutral.
    pub(super) fn unchanged<'t>(&self, op: ElemOp, srcs: &'t [Tile]) -> Option<&'t Tile> {
        let [a, b] = srcs else { return None };
        let is = |tile: &Tile, number: u64| self.constants.splat_of(tile) == Some(number);
        match op {
            ElemOp::MulI if is(b, 1) => Some(a),
            ElemOp::MulI if is(a, 1) => Some(b),
            ElemOp::AddI | ElemOp::SubI | ElemOp::Or | ElemOp::Xor if is(b, 0) => Some(a),
            ElemOp::AddI | ElemOp::Or | ElemOp::Xor if is(a, 0) => Some(b),
            _ => None,
        }
    }

    /// The sources of an operation, before they were extended where the operation gives the same of these.
    pub(super) fn before_extension(&self, op: ElemOp, srcs: Vec<Tile>) -> Vec<Tile> {
        match (op, &srcs[..]) {
            // Both orders of numbers are those of the extended ones.
            (ElemOp::CmpI(..), [a, b]) => match (self.extended_from(a), self.extended_from(b)) {
                (Some(x), Some(y)) => vec![x, y],
                _ => srcs,
            },
            // An offset is extended anyway.
            (ElemOp::Offset(_), [pointer, index]) => match self.extended_from(index) {
                Some(narrow) => vec![pointer.clone(), narrow],
                None => srcs,
            },
            _ => srcs,
        }
    }

    /// The same view of what a tile was extended from.
    fn extended_from(&self, tile: &Tile) -> Option<Tile> {
        let base = *self.extended.get(&tile.base).filter(|_| tile.elem == Elem::Num(Scalar::I64))?;
        Some(Tile { elem: Elem::Num(Scalar::I32), base, ..tile.clone() })
    }
}

/// Where the source of an operation lies if it extends numbers of 32 bits, side by side, with their sign.
pub(super) fn extends(op: ElemOp, srcs: &[Tile]) -> Option<Base> {
    match (op, srcs) {
        (ElemOp::ExtI(true), [src]) if src.elem == Elem::Num(Scalar::I32) && src.is_contiguous() => Some(src.base),
        _ => None,
    }
}
