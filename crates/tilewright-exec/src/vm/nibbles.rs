//! Views of 4-bit elements: two share a byte, the first in its low bits. In registers each has a byte of its own.
#![allow(unsafe_code, reason = "copies between registers and buffers")]

use super::{
    Block, Machine,
    frame::Frame,
    tiling::Axis,
    view::{Boxes, Direction, Region, boxes},
};
use crate::{
    AccessFault, LaunchErrorKind,
    interrupt::{Looks, PART, in_parts},
    memory::{
        Access,
        raw::{Strong, Word as _},
    },
    plan::{Placement, ViewAccess},
};
use std::sync::atomic::Ordering;
use tilewright_ir::MemoryOrderingSemantics;
use tilewright_numeric::bulk;

/// Rows must have whole bytes: the packed dimension an even extent, every other one an even stride.
pub(super) fn check(view: &ViewAccess, regs: &Frame) -> Result<(), LaunchErrorKind> {
    let Placement::Tensor(dims) = &view.places else { return Ok(()) };
    for dim in dims {
        let (shape, stride) = (regs.extent(&dim.shape), regs.extent(&dim.stride));
        let number = if stride == 1 { shape } else { stride };
        if !number.is_multiple_of(2) {
            return Err(AccessFault::OddPacking { number }.into());
        }
    }
    Ok(())
}

impl Machine<'_> {
    /// Copies a box, whose offsets are below 2^63, between a register and memory.
    pub(super) fn transfer_packed(
        &mut self,
        view: &ViewAccess,
        base: u64,
        region: &Region,
        span: u64,
        direction: Direction,
        block: &Block,
    ) -> Result<(), LaunchErrorKind> {
        let first = region.offset as u64;
        let (start, bytes) = (first / 2, (first + span) / 2 - first / 2 + 1);
        let address = base.wrapping_add(start);
        let host = match self.resolve(block, address, bytes, 1, direction.kind()) {
            Ok(host) => host,
            Err(fault) => return Err(self.first_fault(view, direction.kind(), block).unwrap_or(fault)),
        };
        if let Some(observer) = self.launch.observer {
            let (op, kind) = (self.op_index(block), direction.kind());
            let (ordering, scope) = (view.order.semantics, view.order.scope);
            region.for_each(1, |offset, _| {
                let address = base.wrapping_add((first + offset) / 2);
                observer.access(&Access { block: block.id, op, kind, ordering, scope, address, bytes: 1, element: 1 });
            });
        }
        let strong = view.order.semantics != MemoryOrderingSemantics::Weak;
        let (lines, axis) = region.lines();
        lines.for_each(axis.count, |offset, position| {
            let line = Line { bytes: host.wrapping_sub(start as usize), nibble: first + offset, position, axis, strong };
            // SAFETY: the box was resolved, so its bytes lie inside one buffer; the register holds the whole tile.
            unsafe { line.transfer(direction) }
        });
        Ok(())
    }
}

impl Machine<'_> {
    /// Copies those elements of a tile whose bytes lie in memory, one by one.
    #[cold]
    pub(super) fn transfer_packed_each(
        &mut self,
        view: &ViewAccess,
        direction: Direction,
        pitches: &[usize],
        block: &Block,
    ) -> Result<(), LaunchErrorKind> {
        let Boxes { base, list, .. } = boxes(view, direction.kind(), pitches, &block.frame, self.launch)?;
        let strong = view.order.semantics != MemoryOrderingSemantics::Weak;
        for region in list.iter().filter(|region| region.elements() > 0) {
            region.for_each(1, |offset, position| {
                let nibble = (region.offset as u64).wrapping_add(offset);
                if let Ok(host) = self.resolve(block, base.wrapping_add(nibble / 2), 1, 1, direction.kind()) {
                    let line = Line { bytes: host, nibble: nibble % 2, position, axis: Axis::SINGLE, strong };
                    // SAFETY: the byte was resolved; the register holds the whole tile.
                    unsafe { line.transfer(direction) }
                }
            });
        }
        Ok(())
    }
}

/// Bytes that are packed or unpacked together.
const TOGETHER: usize = 64;

/// Elements of a box along one dimension.
struct Line {
    /// The byte of the first two elements of the tensor.
    bytes: *mut u8,
    /// The first element.
    nibble: u64,
    /// Its position in the register.
    position: usize,
    axis: Axis,
    /// Whether bytes are accessed atomically.
    strong: bool,
}

impl Line {
    /// Copies the elements: pairs that fill bytes many at a time, others one by one.
    ///
    /// # Safety
    /// The bytes of the elements lie inside one buffer; the register holds them all.
    unsafe fn transfer(&self, direction: Direction) {
        let count = self.axis.count;
        let (before, pairs) = if self.axis.stride == 1 {
            let before = count.min((self.nibble % 2) as usize);
            (before, (count - before) / 2)
        } else {
            (count, 0)
        };
        // SAFETY: by the contract.
        unsafe {
            in_parts(before, PART / 8, |part| part.for_each(|i| self.one(i, direction)));
            in_parts(pairs, PART, |part| {
                for first in part.clone().step_by(TOGETHER) {
                    match (part.end - first).min(TOGETHER) {
                        TOGETHER => self.pairs(before + 2 * first, TOGETHER, direction),
                        rest => self.pairs(before + 2 * first, rest, direction),
                    }
                }
            });
            (before + 2 * pairs..count).for_each(|i| self.one(i, direction));
        }
    }

    fn byte(&self, i: usize) -> *mut u8 {
        self.bytes.wrapping_add(((self.nibble + i as u64 * self.axis.stride) / 2) as usize)
    }

    /// Copies element `i`.
    #[inline]
    unsafe fn one(&self, i: usize, direction: Direction) {
        let (shift, position) = ((self.nibble + i as u64 * self.axis.stride) % 2 * 4, self.position + i * self.axis.pitch);
        // SAFETY: by the contract of `transfer`; bytes are always aligned.
        unsafe {
            let Some(cell) = Strong::new(self.byte(i), 1) else { return };
            match direction {
                Direction::Load(target) => *target.add(position) = (cell.load(Ordering::Relaxed) >> shift & 15) as u8,
                Direction::Store(source) => replace(cell, shift, *source.add(position)),
                Direction::Combine(..) => unreachable!("atomic updates do not take 4-bit elements"),
            }
        }
    }

    /// Copies the elements of up to [`TOGETHER`] whole bytes from element `i` on.
    #[inline(always)]
    unsafe fn pairs(&self, i: usize, count: usize, direction: Direction) {
        let (mut packed, mut codes) = ([0u8; TOGETHER], [0u8; 2 * TOGETHER]);
        let (memory, first, pitch) = (self.byte(i), self.position + i * self.axis.pitch, self.axis.pitch);
        // SAFETY: by the contract of `transfer`.
        unsafe {
            match direction {
                Direction::Load(target) => {
                    if self.strong {
                        (0..count).for_each(|k| packed[k] = u8::load(memory.add(k)));
                    } else {
                        std::ptr::copy_nonoverlapping(memory, packed.as_mut_ptr(), count);
                    }
                    bulk::split_nibbles(&packed, &mut codes);
                    if pitch == 1 {
                        std::ptr::copy_nonoverlapping(codes.as_ptr(), target.add(first), 2 * count);
                    } else {
                        (0..2 * count).for_each(|k| *target.add(first + k * pitch) = codes[k]);
                    }
                }
                Direction::Store(source) => {
                    if pitch == 1 {
                        std::ptr::copy_nonoverlapping(source.add(first), codes.as_mut_ptr(), 2 * count);
                    } else {
                        (0..2 * count).for_each(|k| codes[k] = *source.add(first + k * pitch));
                    }
                    bulk::join_nibbles(&codes, &mut packed);
                    if self.strong {
                        (0..count).for_each(|k| u8::store(memory.add(k), packed[k]));
                    } else {
                        std::ptr::copy_nonoverlapping(packed.as_ptr(), memory, count);
                    }
                }
                Direction::Combine(..) => unreachable!("atomic updates do not take 4-bit elements"),
            }
        }
    }
}

/// Writes one half of a byte; the other half stays what it is, whoever writes it meanwhile.
fn replace(cell: Strong, shift: u64, value: u8) {
    let mut old = cell.load(Ordering::Relaxed);
    loop {
        let new = old & !(15 << shift) | u64::from(value & 15) << shift;
        match cell.compare_exchange(old, new, Ordering::Relaxed) {
            Ok(_) => return,
            Err(found) => old = found,
        }
    }
}

impl Region {
    /// The box as lines along the dimension whose elements lie side by side in memory, or the last one: where they begin, and a line's axis.
    fn lines(&self) -> (Region, Axis) {
        let mut axes = self.axes.clone();
        let along = axes.iter().rposition(|axis| axis.stride == 1 && axis.count > 1);
        let axis = along.or(axes.len().checked_sub(1)).map_or(Axis::SINGLE, |along| axes.remove(along));
        (Region { axes, offset: self.offset, position: self.position }, axis)
    }

    /// Visits every element, with so much work each: its offset from the first in memory, and its position in the tile.
    pub(super) fn for_each(&self, work: usize, mut visit: impl FnMut(u64, usize)) {
        let elements = self.elements();
        let mut looks = Looks::new();
        for mut i in 0..elements {
            if looks.end_after(work) {
                return;
            }
            let (mut offset, mut position) = (0, self.position);
            for Axis { count, stride, pitch } in self.axes.iter().rev() {
                offset += (i % count) as u64 * stride;
                position += i % count * pitch;
                i /= count;
            }
            visit(offset, position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELEMENTS: usize = 400;

    /// Lines of all kinds, against one element after the other.
    #[test]
    fn lines_are_copied_as_elements_are() {
        let memory: Vec<u8> = (0..ELEMENTS / 2).map(|i| (i * 37 % 251) as u8).collect();
        let register: Vec<u8> = (0..2 * ELEMENTS).map(|i| (i * 11 % 16) as u8).collect();
        for (first, count) in [(0usize, 2usize), (1, 1), (1, 2), (1, 300), (0, 128), (2, 130), (3, 255), (0, 256), (5, 0)] {
            for (stride, pitch, strong) in [(1, 1, false), (1, 1, true), (1, 2, false), (1, 2, true), (3, 1, false), (6, 1, true)] {
                let count = count.min((ELEMENTS - first).div_ceil(stride));
                let axis = Axis { count, stride: stride as u64, pitch };
                let (mut stored, mut loaded) = (memory.clone(), register.clone());
                let (mut expected, mut expected_register) = (memory.clone(), register.clone());
                for i in 0..count {
                    let (nibble, position) = (first + i * stride, 3 + i * pitch);
                    let shift = nibble % 2 * 4;
                    let byte = &mut expected[nibble / 2];
                    expected_register[position] = memory[nibble / 2] >> shift & 15;
                    *byte = *byte & !(15 << shift) | register[position] << shift;
                }
                let line = |bytes: *mut u8| Line { bytes, nibble: first as u64, position: 3, axis, strong };
                // SAFETY: the arrays hold the elements.
                unsafe {
                    line(stored.as_mut_ptr()).transfer(Direction::Store(register.as_ptr()));
                    line(memory.clone().as_mut_ptr()).transfer(Direction::Load(loaded.as_mut_ptr()));
                }
                assert!(stored == expected && loaded == expected_register, "{count} from {first} on, {stride}, {pitch}, {strong}");
            }
        }
    }
}
