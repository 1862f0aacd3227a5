//! Strong accesses and atomic updates.
//!
//! Every element is accessed atomically; ordering comes from fences around the operation, which order at least what the
//! memory model asks for (SEMANTICS d.5).
#![allow(unsafe_code, reason = "reads and writes registers and buffers through raw pointers")]

use super::{
    Block, Machine,
    frame::Frame,
    pointers::{Places, active_address, places},
    sums::Sums,
    tiling::Axis,
    updates::{Arguments, Change, Scattered, StridedCells, Updates},
};
use crate::{
    LaunchErrorKind,
    interrupt::Looks,
    kernels::{
        exact::{read, write},
        scattered::{self, Reach, Window},
    },
    memory::{
        AccessKind,
        raw::{Strong, Word},
    },
    plan::{Atomic, Order, PointerAccess, Tile, Update},
};
use std::sync::atomic::{Ordering, fence};
use tilewright_ir::{AtomicRMWMode, MemoryOrderingSemantics as Semantics, Scalar};

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

impl Machine<'_> {
    pub(super) fn atomic(&mut self, atomic: &Atomic, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let access = &atomic.access;
        fence_before(access.order.semantics);
        let places = places(access, &block.frame);
        match self.one_buffer(access, AccessKind::ReadModifyWrite, places) {
            Some((window, reach)) => {
                if !self.add_up(atomic, window, reach, places, block) {
                    let cells = Scattered { window, places, size: access.size };
                    if cells.mask().is_some() {
                        self.masked_results(atomic, block);
                    }
                    // SAFETY: the window holds the elements that the mask leaves, aligned; the registers hold one for each pointer.
                    unsafe { self.updates(atomic, block).run(cells) };
                }
            }
            None => self.update_each(atomic, block)?,
        }
        fence_after(access.order.semantics);
        Ok(())
    }

    /// What an operation does to elements.
    fn updates(&self, atomic: &Atomic, block: &Block) -> Updates {
        let regs = &block.frame;
        let change = match &atomic.update {
            Update::Rmw { mode, argument } => Change::Combine(*mode, arguments(argument, regs)),
            Update::CompareExchange { expected, new } => Change::Exchange { expected: regs.read(expected), new: regs.read(new) },
        };
        Updates { element: atomic.access.element, change, old: atomic.dst.map(|dst| regs.write(dst)), alone: self.launch.alone }
    }

    /// Updates elements that do not all lie in one buffer, or that somebody watches.
    fn update_each(&mut self, atomic: &Atomic, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let access = &atomic.access;
        if !self.check_each(access, AccessKind::ReadModifyWrite, block)? {
            return Ok(());
        }
        self.masked_results(atomic, block);
        let mut looks = Looks::new();
        for i in 0..access.pointers.numel() {
            if looks.end_after(8) {
                return Ok(());
            }
            if let Some((_, host)) = self.active_pointer(access, i, AccessKind::ReadModifyWrite, block)? {
                self.update_one(atomic, host, i, block);
            }
        }
        Ok(())
    }

    /// Updates element `i`, which was resolved, unless the host has not aligned it.
    pub(super) fn update_one(&self, atomic: &Atomic, host: *mut u8, i: usize, block: &Block) {
        let size = atomic.access.size;
        if host.addr().is_multiple_of(size) {
            // SAFETY: the address was resolved for an element of this size, and is aligned; the registers hold one for each pointer.
            unsafe { self.updates(atomic, block).run(StridedCells { host, size, position: i, axis: Axis::SINGLE }) };
        }
    }

    /// Adds up integers whose old values nobody wants before they are added to memory; `false` if this is something else, and nothing
    /// was done.
    ///
    /// Numbers for the same element are added up first where elements lie close together: nobody can tell, since the additions of one
    /// operation have no order, and an addition of zero changes nothing. Where they may be late, those of later blocks join them.
    /// That is worth it without other threads, too: sums in the first cache take less time than the elements.
    fn add_up(&mut self, atomic: &Atomic, window: Window, reach: Reach, places: Places<'_>, block: &Block) -> bool {
        let access = &atomic.access;
        let Update::Rmw { mode: AtomicRMWMode::Add, argument } = &atomic.update else { return false };
        if atomic.dst.is_some() || !matches!(access.element, Scalar::I32 | Scalar::I64) {
            return false;
        }
        let may_add_up = atomic.may_be_late || reach.elements(access.size) <= 2 * access.pointers.numel();
        let Some(origin) = Sums::origin(&window, reach, access.size, atomic.may_be_late).filter(|_| may_add_up) else { return false };
        // Without memory for sums, numbers are added one by one.
        if !self.sums.make_room(origin, reach, access.size, &self.launch.budget) {
            return false;
        }
        if !self.sums.are_at(origin, access.size) {
            self.sums.flush();
            self.sums.begin(origin, window.place(origin), access.size, self.launch.alone);
        }
        let numbers = arguments(argument, &block.frame);
        // SAFETY: the register holds a number for each place, or one for all, and places lie in the reach, for all of which there are sums.
        unsafe {
            match access.size {
                4 => add_arguments::<u32>(self.sums.of(reach), places, origin, numbers),
                _ => add_arguments::<u64>(self.sums.of(reach), places, origin, numbers),
            }
        }
        if !atomic.may_be_late {
            self.sums.flush();
        }
        true
    }

    /// What masked-off elements give: the expected value of an exchange; otherwise anything, here 0. All elements get it first.
    pub(super) fn masked_results(&self, atomic: &Atomic, block: &Block) {
        let Some(dst) = atomic.dst else { return };
        let (regs, bytes) = (&block.frame, atomic.access.pointers.numel() * atomic.access.size);
        // SAFETY: the registers hold an element for each pointer, and do not overlap.
        unsafe {
            match &atomic.update {
                Update::Rmw { .. } => std::ptr::write_bytes(regs.write(dst), 0, bytes),
                Update::CompareExchange { expected, .. } => std::ptr::copy_nonoverlapping(regs.read(expected), regs.write(dst), bytes),
            }
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
        let Some(address) = active_address(access, i, &block.frame) else { return Ok(None) };
        let host = self.observed(address, access.size as u64, access.order, kind, block)?;
        Ok(Some((address, host)))
    }

    /// The host address of an element, of whose access an observer is told.
    pub(super) fn observed(
        &mut self,
        address: u64,
        size: u64,
        order: Order,
        kind: AccessKind,
        block: &Block,
    ) -> Result<*mut u8, LaunchErrorKind> {
        let host = self.resolve(block, address, size, size, kind)?;
        if let Some(observer) = self.launch.observer {
            let (block, op) = (block.id, self.op_index(block));
            let (ordering, scope) = (order.semantics, order.scope);
            observer.access(&crate::Access { block, op, kind, ordering, scope, address, bytes: size, element: size });
        }
        Ok(host)
    }
}

/// What the elements of an update are combined with.
fn arguments(tile: &Tile, regs: &Frame) -> Arguments {
    Arguments { first: regs.read(tile), for_all: tile.is_splat() }
}

/// Adds numbers to sums, of which the first is for the element at the origin. What is one number for all stays in a register.
///
/// # Safety
/// Each place has a sum; `numbers` holds one for each, aligned, or one for all.
unsafe fn add_arguments<T: Word>(sums: &mut [T], places: Places<'_>, origin: u64, numbers: Arguments) {
    // SAFETY: by the contract.
    unsafe {
        let first = numbers.first.cast::<T>();
        if numbers.for_all {
            let number = *first;
            add_up(sums, places, origin, move |_| number);
        } else {
            add_up(sums, places, origin, move |i| *first.add(i));
        }
    }
}

/// Adds a number for each place to sums, of which the first is for the element at the origin.
///
/// # Safety
/// Each place has a sum.
unsafe fn add_up<T: Word>(sums: &mut [T], places: Places<'_>, origin: u64, number: impl Fn(usize) -> T) {
    // SAFETY: by the contract.
    unsafe {
        match places {
            Places::Pointers(at) => {
                let place = |address: u64| (address.wrapping_sub(origin) as usize / size_of::<T>()) as isize;
                scattered::add_up(sums.as_mut_ptr(), (at.addresses, at.mask), place, number);
            }
            Places::Indices(at) => {
                // Elements are aligned, and so is the origin.
                let first = (at.base.wrapping_sub(origin) as i64 / size_of::<T>() as i64) as isize;
                scattered::add_up(sums.as_mut_ptr().wrapping_offset(first), (at.indices, at.mask), |index| index as isize, number);
            }
        }
    }
}
