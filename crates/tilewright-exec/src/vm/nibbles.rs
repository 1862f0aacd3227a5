//! Views of 4-bit elements: two share a byte, the first in its low bits. In registers each has a byte of its own.
#![allow(unsafe_code, reason = "copies between registers and buffers")]

use super::{
    Block, Machine,
    frame::Frame,
    tiling::Axis,
    view::{Direction, Region},
};
use crate::{
    AccessFault, LaunchErrorKind,
    interrupt::Looks,
    memory::{Access, raw::Strong},
    plan::ViewAccess,
};
use std::sync::atomic::Ordering;

/// Rows must have whole bytes: the packed dimension an even extent, every other one an even stride.
pub(super) fn check(view: &ViewAccess, regs: &Frame) -> Result<(), LaunchErrorKind> {
    for dim in &view.dims {
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
            Err(fault) => return Err(self.first_fault(view, base, direction.kind(), block).unwrap_or(fault)),
        };
        if let Some(observer) = self.launch.observer {
            let (op, kind) = (self.op_index(block), direction.kind());
            let (ordering, scope) = (view.order.semantics, view.order.scope);
            region.for_each(|offset, _| {
                let address = base.wrapping_add((first + offset) / 2);
                observer.access(&Access { block: block.id, op, kind, ordering, scope, address, bytes: 1, element: 1 });
            });
        }
        region.for_each(|offset, position| {
            let nibble = first + offset;
            // SAFETY: the box was resolved, so its bytes lie inside one buffer; bytes are always aligned.
            let cell = unsafe { Strong::new(host.add((nibble / 2 - start) as usize), 1) };
            let Some(cell) = cell else { return };
            let shift = nibble % 2 * 4;
            match direction {
                // SAFETY: the register holds the whole tile.
                Direction::Load(target) => unsafe { *target.add(position) = (cell.load(Ordering::Relaxed) >> shift & 15) as u8 },
                // SAFETY: as above.
                Direction::Store(source) => replace(cell, shift, unsafe { *source.add(position) }),
                Direction::Combine(..) => unreachable!("atomic updates do not take 4-bit elements"),
            }
        });
        Ok(())
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
    /// Visits every element: its offset from the first in memory, and its position in the tile.
    pub(super) fn for_each(&self, mut visit: impl FnMut(u64, usize)) {
        let elements = self.elements();
        let mut looks = Looks::new();
        for mut i in 0..elements {
            if looks.end_after(1) {
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
