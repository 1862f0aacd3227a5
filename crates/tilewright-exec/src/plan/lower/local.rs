//! Memory of `alloca`: made where the operation stands, freed when its region ends, however it ends.

use super::{Lowerer, Val};
use crate::{PlanError, elem::memory_bits, plan::Inst};
use tilewright_ir::{AttrName, OpRef, TypeData};

impl<'m> Lowerer<'m> {
    pub(super) fn alloca(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (elem, shape) = self.result_tile(op, 0)?;
        let types = &self.module.tables.types;
        let pointee =
            op.result(0).and_then(|result| types.as_tile(self.body.ty(result))).and_then(|(element, _)| match types.get(element) {
                TypeData::Pointer { pointee, .. } => types.scalar(*pointee),
                _ => None,
            });
        let Some(bits) = pointee.and_then(memory_bits) else {
            return Err(self.malformed("the result must be one pointer".to_owned()));
        };
        let (count, alignment) = (op.int(AttrName::NumElem).unwrap_or(0), op.int(AttrName::Alignment).unwrap_or(1));
        self.require(alignment.is_power_of_two(), "the alignment must be a power of two")?;
        let bytes = (u128::from(count) * u128::from(bits)).div_ceil(8);
        let slot = self.allocas.add(bytes, alignment, op.flag(AttrName::Global), self.site());
        self.open.push(slot);
        let (dst, tile) = self.new_tile(elem, &shape);
        self.emit(Inst::Alloca { slot, dst });
        self.define_result(op, 0, Val::Tile(tile))
    }

    /// Frees what was allocated since `depth` allocations were open, on the way out of their regions.
    pub(super) fn release_from(&mut self, depth: usize) {
        let slots = self.open[depth..].to_vec();
        if !slots.is_empty() {
            self.emit(Inst::Release(slots));
        }
    }
}
