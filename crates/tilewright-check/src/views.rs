//! What views promise and ask for.

use crate::{
    rules,
    state::{At, Spot, State, Violation},
};
use tilewright_exec::{Coordinates, Step, ViewPlace};
use tilewright_ir::{AttrData, AttrName, AttrValue, TypeData};

impl State<'_> {
    /// Checks what views promise and ask for.
    pub(crate) fn check_view(&mut self, at: At, view: &ViewPlace) {
        let op = self.op(at);
        let types = &self.module.tables.types;
        let ty = op.operand_named("view").first().map(|view| types.get(op.body().ty(*view)));
        let steps: Vec<u64> = match ty {
            Some(TypeData::PartitionView { tile, .. }) => tile.iter().map(|extent| extent.unsigned_abs().into()).collect(),
            Some(TypeData::StridedView { traversal_strides, .. }) => {
                traversal_strides.iter().map(|step| step.unsigned_abs().into()).collect()
            }
            _ => Vec::new(),
        };
        for (dim, (place, step)) in view.dims.iter().zip(&steps).enumerate() {
            let Coordinates::From(first) = place.coordinates else { continue };
            let (index, count) = (first / u128::from((*step).max(1)), place.shape.div_ceil((*step).max(1)));
            if index >= u128::from(count) {
                let message = format!("index {index} along dimension {dim} of the view, which has {count} tiles there");
                self.violation(at, Violation::new(&rules::VIEW_INDEX, message));
            }
        }
        self.check_packing(at, view);
        let AttrValue::Attr(promises) = op.attr(AttrName::Inbounds) else { return };
        let AttrData::BoolArray(promises) = self.module.tables.attrs.get(promises) else { return };
        for (dim, (place, _)) in
            view.dims.iter().zip(promises).enumerate().filter(|(_, (place, promised))| **promised && !place.is_inside())
        {
            let outside = (0..place.extent).filter(|i| place.coordinate(*i).is_none()).count();
            let message = format!(
                "{outside} of {} elements lie outside of the tensor along dimension {dim}, whose extent is {}",
                place.extent, place.shape
            );
            self.violation(at, Violation { elements: outside as u64, ..Violation::new(&rules::FALSE_INBOUNDS, message) });
        }
    }

    /// Elements of 4 bits share bytes along one dimension, and rows begin with whole bytes.
    fn check_packing(&mut self, at: At, view: &ViewPlace) {
        if view.bits >= 8 {
            return;
        }
        for (dim, place) in view.dims.iter().enumerate() {
            let (number, what) = if place.stride == 1 { (place.shape, "extent") } else { (place.stride, "stride") };
            if number % 2 == 1 {
                let message = format!("elements of {} bits have an odd {what} of {number} along dimension {dim}", view.bits);
                return self.violation(at, Violation::new(&rules::MISALIGNED, message));
            }
        }
    }

    /// Whether a tensor lies in the allocation in which it begins.
    pub(crate) fn check_tensor(&mut self, at: At, step: &Step<'_>) {
        let op = self.op(at);
        let types = &self.module.tables.types;
        let Some(TypeData::TensorView { element, shape, strides, .. }) = op.result(0).map(|result| types.get(op.body().ty(result))) else {
            return;
        };
        let Some(bits) = types.scalar(*element).and_then(tilewright_passes::elem::memory_bits) else { return };
        let Some(base) = step.operand(0).map(|base| base.first()) else { return };
        let mut dynamic = 1;
        let mut extents = |list: &[i64]| -> Vec<u128> {
            let extent = |extent: &i64| {
                if *extent != tilewright_ir::DYNAMIC {
                    return u128::from(extent.unsigned_abs());
                }
                dynamic += 1;
                step.operand(dynamic - 1).map_or(0, |extent| extent.first().into())
            };
            list.iter().map(extent).collect()
        };
        let (shape, strides) = (extents(shape), extents(strides));
        if let Some(tensor) = op.result(0) {
            self.set_extents(at, tensor, shape.clone());
        }
        if shape.contains(&0) {
            return;
        }
        let last = shape.iter().zip(&strides).fold(0u128, |sum, (extent, stride)| sum.saturating_add((extent - 1).saturating_mul(*stride)));
        let bytes = (last.saturating_add(1)).saturating_mul(bits.into()).div_ceil(8);
        // One that begins outside of memory is reported where it is accessed, if it is.
        let Ok(found) = self.memory.resolve(base, 1, false, at.index) else { return };
        let Some(allocation) = self.memory.get(found) else { return };
        let room = u128::from(allocation.address + allocation.bytes - base);
        if bytes > room {
            let message = format!("the tensor takes {bytes} bytes, and there are {room} from where it begins to the end of its buffer");
            let spot = Spot::memory(self.memory.place(base, u64::try_from(bytes).unwrap_or(u64::MAX)));
            self.violation(at, Violation { spot, ..Violation::new(&rules::VIEW_EXCEEDS_MEMORY, message) });
        }
    }
}
