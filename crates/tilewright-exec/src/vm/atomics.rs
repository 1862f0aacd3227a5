//! Strong accesses and atomic updates.
//!
//! Every element is accessed atomically; ordering comes from fences around the operation, which order at least what the
//! memory model asks for (SEMANTICS d.5).
#![allow(unsafe_code, reason = "reads and writes registers and buffers through raw pointers")]

use super::{
    Block, Machine,
    pointers::{addresses, partial_mask},
    sums::{Sums, add_atomically},
};
use crate::{
    AccessFault, LaunchErrorKind,
    elem::float_format,
    interrupt::{Looks, PART, in_parts},
    kernels::{
        exact::{read, write},
        scattered::for_each_active,
    },
    memory::{AccessKind, raw::Strong},
    plan::{Atomic, PointerAccess, Update},
};
use std::sync::atomic::{Ordering, fence};
use tilewright_ir::{AtomicRMWMode, MemoryOrderingSemantics as Semantics, Scalar};
use tilewright_numeric::{Rounding, arith, int};

/// The fence after an access that acquires.
pub(super) fn fence_after(semantics: Semantics) {
    if matches!(semantics, Semantics::Acquire | Semantics::AcqRel) {
        fence(Ordering::Acquire);
    }
}

/// The fence before an access that releases.
pub(super) fn fence_before(semantics: Semantics) {
    if matches!(semantics, Semantics::Release | Semantics::AcqRel) {
        fence(Ordering::Release);
    }
}

/// Loads one element; `None` if the host's address is not aligned.
///
/// # Safety
/// `memory` lies inside a buffer; `register` has room.
pub(super) unsafe fn load(memory: *mut u8, register: *mut u8, size: usize) -> Option<()> {
    // SAFETY: by the contract.
    unsafe { write(register, 0, size, Strong::new(memory, size)?.load(Ordering::Relaxed)) };
    Some(())
}

/// Stores one element; `None` if the host's address is not aligned.
///
/// # Safety
/// `memory` lies inside a buffer; `register` holds an element.
pub(super) unsafe fn store(memory: *mut u8, register: *const u8, size: usize) -> Option<()> {
    // SAFETY: by the contract.
    unsafe { Strong::new(memory, size)?.store(read(register, 0, size), Ordering::Relaxed) };
    Some(())
}

/// Turns the bytes of a loaded `i1` tile into 0 and 1: any other byte counts as 1.
pub(super) fn normalise_bits(register: *mut u8, n: usize) {
    // SAFETY: the register holds `n` bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(register, n) };
    bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
}

/// Combines an element with an argument and gives its old value.
pub(super) fn update(cell: Strong, mode: AtomicRMWMode, element: Scalar, argument: u64) -> u64 {
    if mode == AtomicRMWMode::Add && matches!(element, Scalar::I32 | Scalar::I64) {
        return cell.fetch_add(argument, Ordering::Relaxed);
    }
    let mut old = cell.load(Ordering::Relaxed);
    loop {
        match cell.compare_exchange(old, combine(mode, element, old, argument), Ordering::Relaxed) {
            Ok(old) => return old,
            Err(found) => old = found,
        }
    }
}

impl Machine<'_> {
    pub(super) fn atomic(&mut self, atomic: &Atomic, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let access = &atomic.access;
        fence_before(access.order.semantics);
        if !self.add_at_once(atomic, block) {
            let mut looks = Looks::new();
            for i in 0..access.pointers.numel() {
                if looks.end_after(8) {
                    return Ok(());
                }
                let old = match self.active_pointer(access, i, AccessKind::ReadModifyWrite, block)? {
                    Some((address, host)) => {
                        // SAFETY: the address was resolved for an element of this size.
                        let cell = unsafe { Strong::new(host, access.size) };
                        let cell = cell.ok_or(AccessFault::Misaligned { address, size: access.size as u64 })?;
                        self.update(cell, atomic, i, block)
                    }
                    None => self.masked_result(atomic, i, block),
                };
                if let Some(dst) = atomic.dst {
                    block.frame.set_element(dst, i, access.size, old);
                }
            }
        }
        fence_after(access.order.semantics);
        Ok(())
    }

    /// Adds integers whose old values nobody wants, if all lie in one buffer; `false` if this is something else, and nothing was done.
    ///
    /// Numbers for the same element are added up first where elements lie close together: nobody can tell, since the additions of one
    /// operation have no order, and an addition of zero changes nothing. Where they may be late, those of later blocks join them.
    fn add_at_once(&mut self, atomic: &Atomic, block: &mut Block) -> bool {
        let access = &atomic.access;
        let Update::Rmw { mode: AtomicRMWMode::Add, argument } = &atomic.update else { return false };
        if atomic.dst.is_some() || !matches!(access.element, Scalar::I32 | Scalar::I64) {
            return false;
        }
        let Some((window, reach)) = self.one_buffer(access, AccessKind::ReadModifyWrite, block) else { return false };
        if !window.place(reach.first).addr().is_multiple_of(access.size) {
            return false;
        }
        if let Some(origin) = Sums::origin(&window, reach, access.size)
            && (atomic.may_be_late || reach.elements(access.size) <= 2 * access.pointers.numel())
        {
            if !self.sums.are_at(origin, access.size) {
                self.sums.flush();
                self.sums.begin(origin, window.place(origin), access.size);
            }
            let regs = &block.frame;
            let (addresses, mask, numbers) = (addresses(access, regs), partial_mask(access, regs), regs.read(argument));
            let sums = &mut self.sums;
            in_parts(addresses.len(), PART, |part| {
                let numbers = numbers.wrapping_add(part.start * access.size);
                // SAFETY: the register holds a number for each address, and the table a sum for each place.
                unsafe { sums.add(&addresses[part.clone()], mask.map(|mask| &mask[part]), reach, numbers) };
            });
            if !atomic.may_be_late {
                self.sums.flush();
            }
            return true;
        }
        let regs = &block.frame;
        let (addresses, mask, numbers) = (addresses(access, regs), partial_mask(access, regs), regs.read(argument));
        in_parts(addresses.len(), PART / 8, |part| {
            let numbers = numbers.wrapping_add(part.start * access.size);
            for_each_active(&addresses[part.clone()], mask.map(|mask| &mask[part]), |i, address| {
                // SAFETY: the window holds the element, and the register a number for each address.
                unsafe { add_atomically(window.place(address), access.size, read(numbers, i, access.size)) };
            });
        });
        true
    }

    /// What a masked-off element gives: the expected value of an exchange; otherwise anything, here 0.
    fn masked_result(&self, atomic: &Atomic, i: usize, block: &mut Block) -> u64 {
        match &atomic.update {
            Update::Rmw { .. } => 0,
            Update::CompareExchange { expected, .. } => block.frame.element(expected, i),
        }
    }

    /// Updates one element and gives its old value.
    fn update(&self, cell: Strong, atomic: &Atomic, i: usize, block: &mut Block) -> u64 {
        let regs = &block.frame;
        match &atomic.update {
            Update::CompareExchange { expected, new } => {
                let exchanged = cell.compare_exchange(regs.element(expected, i), regs.element(new, i), Ordering::Relaxed);
                exchanged.unwrap_or_else(|found| found)
            }
            Update::Rmw { mode, argument } => update(cell, *mode, atomic.access.element, regs.element(argument, i)),
        }
    }

    /// The device and host address of element `i`, or `None` if it is masked off.
    pub(super) fn active_pointer(
        &mut self,
        access: &PointerAccess,
        i: usize,
        kind: AccessKind,
        block: &mut Block,
    ) -> Result<Option<(u64, *mut u8)>, LaunchErrorKind> {
        let regs = &block.frame;
        if access.mask.as_ref().is_some_and(|mask| regs.element(mask, i) & 1 == 0) {
            return Ok(None);
        }
        let address = regs.element(&access.pointers, i);
        let size = access.size as u64;
        let host = self.resolve(block, address, size, size, kind)?;
        if let Some(observer) = self.launch.observer {
            let (block, op) = (block.id, self.op_index(block));
            let (ordering, scope) = (access.order.semantics, access.order.scope);
            observer.access(&crate::Access { block, op, kind, ordering, scope, address, bytes: size, element: size });
        }
        Ok(Some((address, host)))
    }
}

/// The new value of an element.
fn combine(mode: AtomicRMWMode, element: Scalar, old: u64, argument: u64) -> u64 {
    let bits = element.bits();
    match mode {
        AtomicRMWMode::And => old & argument,
        AtomicRMWMode::Or => old | argument,
        AtomicRMWMode::Xor => old ^ argument,
        AtomicRMWMode::Add => int::add(old, argument, bits),
        AtomicRMWMode::Addf => float_format(element).map_or(old, |format| arith::add(format, old, argument, Rounding::NearestEven)),
        AtomicRMWMode::Max => int::max(old, argument, bits, true),
        AtomicRMWMode::Min => int::min(old, argument, bits, true),
        AtomicRMWMode::Umax => int::max(old, argument, bits, false),
        AtomicRMWMode::Umin => int::min(old, argument, bits, false),
        AtomicRMWMode::Xchg => argument,
    }
}
