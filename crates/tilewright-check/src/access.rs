//! Accesses to memory: where their elements lie, and what is wrong with that.

use crate::{
    Array, Place,
    lanes::{Lanes, coordinates, row_major},
    memory::{Fault, Found},
    rules::{self, Rule},
    state::{At, Seen, State, Violation},
    undefined::{Cause, Origin, Shadow, shadow},
};
use std::sync::Arc;
use tilewright_exec::{Coordinates, OperandTile, Step, ViewPlace};
use tilewright_ir::{AttrData, AttrName, AttrValue, Opcode, TypeData};

/// Elements that lie side by side in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) address: u64,
    /// How many elements.
    pub(crate) count: usize,
    /// The first one's position in the tile, and how far the next one's is behind it.
    pub(crate) first: usize,
    pub(crate) step: usize,
    /// The allocation that holds them, once it is known.
    pub(crate) found: Option<Found>,
}

/// The elements of a tile that are accessed.
pub(crate) struct Elements {
    pub(crate) runs: Vec<Run>,
    pub(crate) shape: Vec<usize>,
    /// Bits of an element.
    pub(crate) bits: u32,
    /// Elements that are not accessed: masked off, or outside of the tensor.
    pub(crate) left_out: Option<(Lanes, Cause)>,
    /// Where the tile lies in a tensor.
    pub(crate) view: Option<ViewPlace>,
}

impl Run {
    /// The bytes that so many of its elements take.
    pub(crate) fn bytes(&self, bits: u32) -> u64 {
        (self.count as u64 * u64::from(bits)).div_ceil(8)
    }

    fn part(&self, from: usize, count: usize, bits: u32) -> Run {
        let address = self.address.wrapping_add(from as u64 * u64::from(bits) / 8);
        Run { address, count, first: self.first + from * self.step, ..*self }
    }
}

impl Elements {
    /// Those of a tile of pointers whose mask is true.
    pub(crate) fn of_pointers(pointers: OperandTile<'_>, mask: Option<OperandTile<'_>>, bits: u32) -> Elements {
        let addresses = pointers.bits();
        let mask = mask.map(|mask| mask.bits());
        let size = u64::from(bits.div_ceil(8));
        let mut runs: Vec<Run> = Vec::new();
        for (i, address) in addresses.iter().enumerate() {
            if mask.as_ref().is_some_and(|mask| mask[i] & 1 == 0) {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.first + run.count == i && run.address.wrapping_add(run.count as u64 * size) == *address => run.count += 1,
                _ => runs.push(Run { address: *address, count: 1, first: i, step: 1, found: None }),
            }
        }
        let left_out = mask.map(|mask| (Lanes::of(mask.len(), |i| mask[i] & 1 == 0), Cause::MaskedOff));
        let left_out = left_out.filter(|(lanes, _)| !lanes.is_none());
        Elements { runs, shape: pointers.shape().to_vec(), bits, left_out, view: None }
    }

    /// Those of a tile of a view that lie in its tensor.
    pub(crate) fn of_view(view: ViewPlace) -> Elements {
        let shape: Vec<usize> = view.dims.iter().map(|dim| dim.extent).collect();
        let pitches = row_major(&shape);
        let bits = view.bits;
        // Elements along this dimension lie side by side.
        let is_run = |dim: &usize| view.dims[*dim].stride == 1 && matches!(view.dims[*dim].coordinates, Coordinates::From(_));
        let along = (0..shape.len()).rev().find(is_run);
        let inside =
            |dim: usize| -> Vec<(usize, u64)> { (0..shape[dim]).filter_map(|i| Some((i, view.dims[dim].coordinate(i)?))).collect() };
        // Offsets and positions of the first elements of runs, along one dimension after the other.
        let mut starts: Vec<(u64, usize)> = vec![(0, 0)];
        for dim in (0..shape.len()).filter(|dim| Some(*dim) != along) {
            let places = inside(dim);
            let (stride, pitch) = (view.dims[dim].stride, pitches[dim]);
            starts = starts
                .iter()
                .flat_map(|(offset, at)| {
                    places.iter().map(move |(i, coordinate)| (offset.wrapping_add(coordinate.wrapping_mul(stride)), at + i * pitch))
                })
                .collect();
        }
        let (count, first, step) = match along {
            None => (1, 0, 1),
            Some(dim) => {
                let places = inside(dim);
                (places.len(), places.first().map_or(0, |(_, coordinate)| *coordinate), pitches[dim])
            }
        };
        let address = |offset: u64| {
            let elements = u128::from(offset.wrapping_add(first)) * u128::from(bits) / 8;
            view.base.wrapping_add(elements as u64)
        };
        let run = |(offset, at)| Run { address: address(offset), count, first: at, step, found: None };
        let runs = if count == 0 { Vec::new() } else { starts.into_iter().map(run).collect() };
        let left_out = if view.dims.iter().all(tilewright_exec::ViewPlaceDim::is_inside) {
            None
        } else {
            let outside = |i: usize| coordinates(i, &shape).iter().zip(&view.dims).any(|(i, dim)| dim.coordinate(*i).is_none());
            Some((Lanes::of(shape.iter().product(), outside), Cause::OutsideOfTensor))
        };
        Elements { runs, shape, bits, left_out, view: Some(view) }
    }

    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The coordinates in the tensor of an element.
    fn in_tensor(&self, element: &[usize]) -> Option<Vec<u64>> {
        let view = self.view.as_ref()?;
        element.iter().zip(&view.dims).map(|(i, dim)| dim.coordinate(*i)).collect()
    }
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Read,
    Write,
    Update,
}

impl Way {
    fn verb(self) -> &'static str {
        match self {
            Way::Read => "reads",
            Way::Write => "writes",
            Way::Update => "updates",
        }
    }
}

impl State<'_> {
    /// Looks for elements that cannot be accessed, reports them, and leaves those that can.
    pub(crate) fn check_bounds(&mut self, at: At, elements: &mut Elements, way: Way) {
        let (bits, size) = (elements.bits, u64::from(elements.bits.div_ceil(8)));
        let mut faults: Vec<(Fault, Run)> = Vec::new();
        let mut good = Vec::with_capacity(elements.runs.len());
        let mut misaligned: Vec<Run> = Vec::new();
        for run in std::mem::take(&mut elements.runs) {
            if !run.address.is_multiple_of(size) {
                misaligned.push(run);
                continue;
            }
            let resolve = |run: &Run| self.memory.resolve(run.address, run.bytes(bits), way != Way::Read, at.index);
            match resolve(&run) {
                Ok(found) => good.push(Run { found: Some(found), ..run }),
                Err(fault) if run.count == 1 => faults.push((fault, run)),
                Err(_) => {
                    // Some of its elements may be there.
                    for part in (0..run.count).map(|i| run.part(i, 1, bits)) {
                        match resolve(&part) {
                            Ok(found) => match good.last_mut() {
                                Some(last) if last.found == Some(found) && last.first + last.count * last.step == part.first => {
                                    last.count += 1
                                }
                                _ => good.push(Run { found: Some(found), ..part }),
                            },
                            Err(fault) => faults.push((fault, part)),
                        }
                    }
                }
            }
        }
        elements.runs = good;
        if let Some(first) = misaligned.first() {
            let count = misaligned.iter().map(|run| run.count).sum::<usize>();
            let message = format!("it {} {size} bytes at an address that is no multiple of {size}", way.verb());
            self.access_violation(at, &rules::MISALIGNED, message, elements, first, count);
        }
        self.report_faults(at, elements, way, &faults);
    }

    fn report_faults(&mut self, at: At, elements: &Elements, way: Way, faults: &[(Fault, Run)]) {
        type IsIt = fn(&Fault) -> bool;
        let kinds: [(&'static Rule, IsIt, &str); 4] = [
            (&rules::OUT_OF_BOUNDS, |fault| *fault == Fault::Outside, "outside of all memory"),
            (&rules::READ_ONLY, |fault| *fault == Fault::ReadOnly, "memory that it may only read"),
            (&rules::ALLOCA_LIFETIME, |fault| matches!(fault, Fault::Freed(_)), "memory of an alloca whose region has ended"),
            (&rules::ALLOCA_LIFETIME, |fault| matches!(fault, Fault::Foreign(_)), "memory that another block allocated for itself"),
        ];
        for (rule, is_it, what) in kinds {
            let mut those = faults.iter().filter(|(fault, _)| is_it(fault));
            let Some((fault, run)) = those.next() else { continue };
            let count = 1 + those.count();
            let message = match fault {
                Fault::Outside => format!("it {} {what}{}", way.verb(), self.how_far(run.address, run.bytes(elements.bits))),
                _ => format!("it {} {what}", way.verb()),
            };
            let mut violation = self.violation_of(rule, message, elements, run, count);
            if let Fault::Freed(local) | Fault::Foreign(local) = fault {
                let alloca = At { function: local.function, op: local.op, ..at };
                violation.other = Some(("the memory was allocated here".to_owned(), alloca, None));
            }
            self.violation(at, violation);
        }
    }

    /// How far bytes lie from the nearest allocation.
    fn how_far(&self, address: u64, bytes: u64) -> String {
        let Some(buffer) = self.memory.place(address, bytes).buffer else { return String::new() };
        let (name, size) = (&buffer.name, buffer.size);
        if buffer.offset < 0 {
            format!(", {} bytes in front of {name}", -buffer.offset)
        } else {
            let behind = buffer.offset - i128::from(size);
            match behind {
                ..0 => format!(", across the end of {name}"),
                0 => format!(", right behind the end of {name}, which has {size} bytes"),
                _ => format!(", {behind} bytes behind the end of {name}, which has {size} bytes"),
            }
        }
    }

    fn violation_of(&self, rule: &'static Rule, message: String, elements: &Elements, run: &Run, count: usize) -> Violation {
        let element = coordinates(run.first, &elements.shape);
        Violation {
            elements: count as u64,
            coordinates: elements.in_tensor(&element),
            element: Some(element),
            memory: Some(self.memory.place(run.address, run.bytes(elements.bits))),
            ..Violation::new(rule, message)
        }
    }

    fn access_violation(&mut self, at: At, rule: &'static Rule, message: String, elements: &Elements, run: &Run, count: usize) {
        let violation = self.violation_of(rule, message, elements, run, count);
        self.violation(at, violation);
    }

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
            let memory = Some(self.memory.place(base, u64::try_from(bytes).unwrap_or(u64::MAX)));
            self.violation(at, Violation { memory, ..Violation::new(&rules::VIEW_EXCEEDS_MEMORY, message) });
        }
    }

    /// What is undefined of a tile that is loaded: elements that nobody wrote, or that are left out. Those that are outside of
    /// memory are reported already.
    pub(crate) fn loaded(&self, at: At, elements: &Elements, padding: Option<Shadow>) -> Shadow {
        let origin = |cause| Arc::new(Origin { function: at.function, op: at.op, block: at.block, cause });
        let mut lanes: Option<(Lanes, Cause)> = None;
        let mut add = |more: &Lanes, cause| match &mut lanes {
            Some((lanes, _)) => lanes.unite(more),
            none => *none = Some((more.clone(), cause)),
        };
        if let Some((unwritten, address)) = self.unwritten(elements) {
            add(&unwritten, Cause::NeverWritten(address));
        }
        match (&elements.left_out, padding) {
            (Some((left_out, cause)), None) => add(left_out, *cause),
            (Some((left_out, _)), Some(Some(padding))) => {
                let mut undefined = padding.lanes.clone();
                undefined.intersect(left_out);
                if lanes.is_none() {
                    return shadow(undefined, &padding.origin);
                }
                if let Some((lanes, _)) = &mut lanes {
                    lanes.unite(&undefined);
                }
            }
            _ => {}
        }
        lanes.and_then(|(lanes, cause)| shadow(lanes, &origin(cause)))
    }

    /// The elements that nobody wrote, and the address of one.
    fn unwritten(&self, elements: &Elements) -> Option<(Lanes, u64)> {
        let mut lanes: Option<(Lanes, u64)> = None;
        for run in &elements.runs {
            let Some(found) = run.found.filter(|found| self.memory.tracks(*found)) else { continue };
            if !self.memory.is_unwritten(found, run.address, run.bytes(elements.bits)) {
                continue;
            }
            for part in (0..run.count).map(|i| run.part(i, 1, elements.bits)) {
                if self.memory.is_unwritten(found, part.address, part.bytes(elements.bits)) {
                    lanes.get_or_insert_with(|| (Lanes::none(elements.len()), part.address)).0.insert(part.first);
                }
            }
        }
        lanes
    }

    /// Notes what a store writes, and reports undefined elements that it writes to memory that others see.
    pub(crate) fn stored(&mut self, at: At, elements: &Elements, value: &Shadow) {
        let mut worst: Option<(Run, usize)> = None;
        for run in &elements.runs {
            let Some(found) = run.found else { continue };
            let private = matches!(found, Found::Local(_));
            if self.memory.tracks(found) {
                self.memory.write(found, run.address, run.bytes(elements.bits), false);
            }
            let Some(value) = value else { continue };
            for part in (0..run.count).map(|i| run.part(i, 1, elements.bits)).filter(|part| value.lanes.contains(part.first)) {
                if private {
                    // A copy to memory of the block is harmless.
                    self.memory.write(found, part.address, part.bytes(elements.bits), true);
                } else {
                    worst = Some(worst.map_or((part, 1), |(first, count)| (first, count + 1)));
                }
            }
        }
        if let (Some((run, count)), Some(value)) = (worst, value) {
            let mut violation =
                self.violation_of(&rules::UNDEFINED_STORED, "it stores undefined elements".to_owned(), elements, &run, count);
            violation.other = Some(self.origin(&value.origin));
            self.violation(at, violation);
        }
    }

    /// Finds the memory that arrays share.
    pub(crate) fn set_overlaps(&mut self, arrays: &[Array]) {
        for (i, a) in arrays.iter().enumerate() {
            for b in &arrays[i + 1..] {
                let (first, end) = (a.address.max(b.address), a.address.saturating_add(a.bytes).min(b.address.saturating_add(b.bytes)));
                if first < end {
                    self.overlaps.push((first, end - 1, format!("{} and {}", a.name, b.name)));
                }
            }
        }
    }

    /// Reports writes to memory that arrays share which the kernel takes as distinct.
    pub(crate) fn check_overlaps(&mut self, at: At, elements: &Elements) {
        for (first, last, names) in self.overlaps.clone() {
            let touches = |run: &&Run| run.address <= last && run.address + run.bytes(elements.bits) > first;
            if let Some(run) = elements.runs.iter().find(touches) {
                let message = format!("it writes memory that {names} share, which the kernel was compiled to take as distinct");
                self.access_violation(at, &rules::OVERLAPPING_ARRAYS, message, elements, run, 1);
            }
        }
    }

    /// Keeps what a block reads, in case that it waits for another value.
    pub(crate) fn note_read(&mut self, at: At, step: &Step<'_>, elements: &Elements) {
        let bytes = elements.bits.div_ceil(8);
        if let Some(run) = elements.runs.first() {
            let seen = Seen { at, address: run.address, bytes: bytes.into(), value: step.memory(run.address, bytes) };
            self.block(at.index).last_read = Some(seen);
        }
    }

    /// Keeps a write of the byte that is looked at.
    pub(crate) fn note_write(&mut self, at: At, elements: &Elements) {
        let Some(byte) = self.byte else { return };
        let covers = |run: &&Run| (run.address..run.address + run.bytes(elements.bits)).contains(&byte);
        let Some(run) = elements.runs.iter().find(covers) else { return };
        let part = run.part(((byte - run.address) * 8 / u64::from(elements.bits)) as usize, 1, elements.bits);
        let element = coordinates(part.first, &elements.shape);
        let memory = Some(self.memory.place(part.address, part.bytes(elements.bits)));
        let coordinates = elements.in_tensor(&element);
        self.last_write = Some(Place { element: Some(element), coordinates, memory, ..self.place(at) });
    }

    /// The access of an operation: through a view, or through the pointers in an operand.
    pub(crate) fn elements(&mut self, at: At, step: &Step<'_>) -> Option<Elements> {
        if let Some(view) = step.view() {
            self.check_view(at, &view);
            return Some(Elements::of_view(view));
        }
        let op = self.op(at);
        let pointers = match op.opcode() {
            Opcode::LoadPtrTko => "source",
            Opcode::StorePtrTko => "destination",
            _ => "pointers",
        };
        let position = |name: &str| {
            let value = op.operand_named(name).first()?;
            op.operands().iter().position(|operand| std::ptr::eq(operand, value))
        };
        let types = &self.module.tables.types;
        let at_pointers = position(pointers)?;
        let (element, _) = types.as_tile(op.body().ty(op.operands()[at_pointers]))?;
        let TypeData::Pointer { pointee, .. } = types.get(element) else { return None };
        let bits = types.scalar(*pointee).and_then(tilewright_passes::elem::memory_bits)?;
        let mask = position("mask").and_then(|mask| step.operand(mask));
        Some(Elements::of_pointers(step.operand(at_pointers)?, mask, bits))
    }
}
