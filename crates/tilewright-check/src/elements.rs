//! Where the elements of an access lie: in its tile, in a tensor, in memory.

use crate::{
    finding::MemoryPlace,
    lanes::{Lanes, coordinates, row_major},
    memory::Found,
    state::{At, Spot, State},
    undefined::Cause,
};
use std::sync::Arc;
use tilewright_exec::{Coordinates, OperandTile, Step, ViewPlace};
use tilewright_ir::{Opcode, TypeData};

/// Elements that lie side by side in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) address: u64,
    /// Bits of its first byte that are in front of it: those of another element of 4 bits.
    pub(crate) skip: u32,
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
    pub(crate) view: Option<Arc<ViewPlace>>,
}

impl Run {
    /// The bytes that so many of its elements take.
    pub(crate) fn bytes(&self, bits: u32) -> u64 {
        (u64::from(self.skip) + self.count as u64 * u64::from(bits)).div_ceil(8)
    }

    pub(crate) fn part(&self, from: usize, count: usize, bits: u32) -> Run {
        let before = u64::from(self.skip) + from as u64 * u64::from(bits);
        Run {
            address: self.address.wrapping_add(before / 8),
            skip: (before % 8) as u32,
            count,
            first: self.first + from * self.step,
            ..*self
        }
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
                _ => runs.push(Run { address: *address, skip: 0, count: 1, first: i, step: 1, found: None }),
            }
        }
        let left_out = mask.map(|mask| (Lanes::of(mask.len(), |i| mask[i] & 1 == 0), Cause::MaskedOff));
        let left_out = left_out.filter(|(lanes, _)| !lanes.is_none());
        Elements { runs, shape: pointers.shape().to_vec(), bits, left_out, view: None }
    }

    /// Those of a tile of a view that lie in its tensor.
    pub(crate) fn of_view(view: Arc<ViewPlace>) -> Elements {
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
                let place = &view.dims[dim];
                // Coordinates follow the first one, so those inside are the first of them.
                let first = place.coordinate(0);
                let count = first.map_or(0, |first| (place.shape - first).min(place.extent as u64) as usize);
                (count, first.unwrap_or(0), pitches[dim])
            }
        };
        let run = |(offset, at): (u64, usize)| {
            let before = u128::from(offset.wrapping_add(first)) * u128::from(bits);
            let (address, skip) = (view.base.wrapping_add((before / 8) as u64), (before % 8) as u32);
            Run { address, skip, count, first: at, step, found: None }
        };
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

    /// What reports say of an element, by its position in the tile.
    pub(crate) fn spot(&self, position: usize, memory: MemoryPlace) -> Spot {
        let element = coordinates(position, &self.shape);
        let in_tensor = |view: &Arc<ViewPlace>| element.iter().zip(&view.dims).map(|(i, dim)| dim.coordinate(*i)).collect();
        Spot { coordinates: self.view.as_ref().and_then(in_tensor), element: Some(element), memory: Some(memory) }
    }

    /// The positions of the elements that a byte of memory is of.
    pub(crate) fn at_byte(&self, byte: u64) -> Vec<usize> {
        let position = |run: &Run| {
            let offset = byte.checked_sub(run.address).filter(|offset| *offset < run.bytes(self.bits))?;
            Some(run.first + ((offset * 8).saturating_sub(run.skip.into()) / u64::from(self.bits)) as usize * run.step)
        };
        self.runs.iter().filter_map(position).collect()
    }

    /// What is kept of the access, so that a race can tell its elements later.
    pub(crate) fn geometry(&self) -> Geometry {
        match &self.view {
            Some(view) => Geometry::View(Arc::clone(view)),
            None => {
                let run = |run: &Run| (run.address, run.first, run.count);
                Geometry::Pointers(Arc::new(Pointers {
                    runs: self.runs.iter().map(run).collect(),
                    shape: self.shape.as_slice().into(),
                    bits: self.bits,
                }))
            }
        }
    }
}

/// Where the elements of an access lie, as memory remembers it.
#[derive(Clone, Debug)]
pub(crate) enum Geometry {
    /// In a tensor.
    View(Arc<ViewPlace>),
    Pointers(Arc<Pointers>),
}

/// Elements that pointers name.
#[derive(Debug)]
pub(crate) struct Pointers {
    /// Of each [`Run`]: its address, its first element and how many they are.
    runs: Box<[(u64, usize, usize)]>,
    shape: Box<[usize]>,
    bits: u32,
}

impl Geometry {
    pub(crate) fn elements(&self) -> Elements {
        match self {
            Geometry::View(view) => Elements::of_view(Arc::clone(view)),
            Geometry::Pointers(pointers) => {
                let run = |(address, first, count): &(u64, usize, usize)| Run {
                    address: *address,
                    skip: 0,
                    count: *count,
                    first: *first,
                    step: 1,
                    found: None,
                };
                let Pointers { runs, shape, bits } = &**pointers;
                Elements { runs: runs.iter().map(run).collect(), shape: shape.to_vec(), bits: *bits, left_out: None, view: None }
            }
        }
    }
}

impl State<'_> {
    /// The access of an operation: through a view, or through the pointers in an operand.
    pub(crate) fn elements(&mut self, at: At, step: &Step<'_>) -> Option<Elements> {
        if let Some(view) = step.view() {
            self.check_view(at, &view);
            return Some(Elements::of_view(Arc::new(view)));
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
