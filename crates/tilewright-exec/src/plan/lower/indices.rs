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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Inst, lower::testing::plan};
    use tilewright_ir::ComparisonPredicate;

    /// What blocks compute on tiles to store positions, below an end, at positions that were extended as `signedness` says and then
    /// multiplied by a number.
    fn steps(signedness: &str, number: u64) -> Vec<ElemOp> {
        let text = format!(
            "entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {{
              %x, %y, %z = get_tile_block_id : tile<i32>
              %x0 = reshape %x : tile<i32> -> tile<1xi32>
              %x1 = broadcast %x0 : tile<1xi32> -> tile<64xi32>
              %i = iota : tile<64xi32>
              %s = addi %x1, %i : tile<64xi32>
              %e = exti %s {signedness} : tile<64xi32> -> tile<64xi64>
              %n0 = exti %n {signedness} : tile<i32> -> tile<i64>
              %n1 = reshape %n0 : tile<i64> -> tile<1xi64>
              %n2 = broadcast %n1 : tile<1xi64> -> tile<64xi64>
              %m = cmpi less_than %e, %n2, unsigned : tile<64xi64> -> tile<64xi1>
              %number = constant <i64: {number}> : tile<64xi64>
              %o = muli %e, %number : tile<64xi64>
              %p0 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
              %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
              %q = offset %p1, %o : tile<64xptr<i32>>, tile<64xi64> -> tile<64xptr<i32>>
              %t = store_ptr_tko weak %q, %s, %m : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> token
              return
            }}"
        );
        plan(&text).code.iter().filter_map(Inst::sweep).flat_map(|sweep| &sweep.steps).map(|step| step.kernel.imm.op).collect()
    }

    #[test]
    fn indices_are_not_extended_before_they_are_compared_and_added() {
        const COMPARED: ElemOp = ElemOp::CmpI(ComparisonPredicate::LessThan, false);
        const OFFSET: ElemOp = ElemOp::Offset(4);
        assert_eq!(steps("signed", 1), [ElemOp::AddI, COMPARED, OFFSET]);
        assert_eq!(steps("signed", 2), [ElemOp::AddI, ElemOp::ExtI(true), COMPARED, ElemOp::MulI, OFFSET]);
        assert_eq!(steps("unsigned", 1), [ElemOp::AddI, ElemOp::ExtI(false), COMPARED, OFFSET]);
    }
}
