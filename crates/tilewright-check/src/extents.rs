//! Extents that a kernel asks for, in a type that may not hold them.

use crate::{
    rules,
    state::{At, State, Violation},
};
use tilewright_exec::Step;
use tilewright_ir::{OpRef, Opcode, TypeData, Value};

impl<'m> State<'m> {
    /// Keeps the extents of a tensor.
    pub(crate) fn set_extents(&mut self, at: At, tensor: Value, extents: Vec<u128>) {
        let number = self.number(at.function, tensor);
        self.block(at.index).extents.insert(number, extents);
    }

    /// Checks `get_tensor_shape` and `get_index_space_shape`.
    pub(crate) fn check_extents(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let Some(exact) = op.operand(0).and_then(|view| self.exact(at, op, view)) else { return };
        for (dim, extent) in exact.into_iter().enumerate() {
            let Some(width) = step.result(dim).and_then(|result| result.scalar()).map(|scalar| scalar.bits()) else { continue };
            if extent >> width != 0 {
                let message = format!("{extent}, along dimension {dim}, is no unsigned number of {width} bits");
                self.violation(at, Violation::new(&rules::EXTENT_RANGE, message));
            }
        }
    }

    /// What an operation asks for.
    fn exact(&mut self, at: At, op: OpRef<'m>, view: Value) -> Option<Vec<u128>> {
        if op.opcode() == Opcode::GetTensorShape {
            return self.extents(at, view);
        }
        let types = &self.module.tables.types;
        let tensor = op.body().defining_op(view)?.operand(0)?;
        let (steps, dim_map) = match types.get(op.body().ty(view)) {
            TypeData::PartitionView { tile, dim_map, .. } => (tile, dim_map),
            TypeData::StridedView { traversal_strides, dim_map, .. } => (traversal_strides, dim_map),
            _ => return None,
        };
        let extents = self.extents(at, tensor)?;
        let tiles = |(step, dim): (&i32, &i32)| Some(extents.get(dim.unsigned_abs() as usize)?.div_ceil(step.unsigned_abs().max(1).into()));
        steps.iter().zip(dim_map).map(tiles).collect()
    }

    fn extents(&mut self, at: At, tensor: Value) -> Option<Vec<u128>> {
        let number = self.number(at.function, tensor);
        self.block(at.index).extents.get(&number).cloned()
    }
}
