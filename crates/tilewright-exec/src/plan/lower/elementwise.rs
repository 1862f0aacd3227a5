//! Elementwise operations.

use super::{Lowerer, Val};
use crate::{
    PlanError,
    elem::Elem,
    kernels::{self, ElemOp},
    plan::{Inst, PerDim, Tile, inst::Elementwise},
};
use tilewright_ir::OpRef;

impl<'m> Lowerer<'m> {
    pub(super) fn elementwise(&mut self, op: OpRef<'m>, elementwise: ElemOp) -> Result<(), PlanError> {
        let srcs = op.operands().iter().map(|v| self.tile(*v)).collect::<Result<Vec<Tile>, _>>()?;
        let (elem, shape) = self.result_tile(op, 0)?;
        let same_shape = srcs.iter().all(|src| src.shape == shape);
        self.require(same_shape, "the operands must have the shape of the result")?;
        let kernel = self.kernel(elementwise, &srcs.iter().map(|s| s.elem).collect::<Vec<_>>(), elem)?;
        if elementwise == ElemOp::Copy && srcs[0].elem.size() == elem.size() {
            let tile = Tile { elem, ..srcs[0].clone() };
            return self.define_result(op, 0, Val::Tile(tile));
        }
        // Along dimensions where all operands repeat an element, the result is computed once.
        let distinct: PerDim =
            (0..shape.len()).map(|dim| if srcs.iter().all(|src| src.strides[dim] == 0) { 1 } else { shape[dim] }).collect();
        let srcs: Vec<Tile> = srcs.into_iter().map(|src| Tile { shape: distinct.clone(), ..src }).collect();
        let (dst, tile) = self.new_tile(elem, &distinct);
        let inst = Inst::Elementwise(Elementwise { kernel, srcs, dst, n: tile.numel(), size: elem.size() });
        let tile = self.compute_one(inst, tile);
        self.define_result(op, 0, Val::Tile(tile.broadcast(&shape)))
    }

    /// The kernel of an operation on these element types.
    pub(super) fn kernel(&self, op: ElemOp, srcs: &[Elem], dst: Elem) -> Result<kernels::Kernel, PlanError> {
        kernels::select_at(self.machine.level(), op, srcs, dst)
            .ok_or_else(|| self.malformed(format!("it does not take {srcs:?} to give {dst:?}")))
    }
}
