//! Loads and stores through tiles of pointers: at once if all lie in one buffer, else element by element.
#![allow(unsafe_code, reason = "reads and writes registers and buffers through raw pointers")]

use super::{Block, Machine, atomics, frame::Frame};
use crate::{
    AccessFault, LaunchErrorKind,
    cpu::Level,
    interrupt::Looks,
    kernels::{
        exact,
        scattered::{self, Indices, Pointers, Reach, Window},
    },
    memory::AccessKind,
    plan::{PointerAccess, Tile, VReg},
};
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

impl Machine<'_> {
    pub(super) fn load_pointers(
        &mut self,
        access: &PointerAccess,
        padding: Option<&Tile>,
        dst: VReg,
        block: &mut Block,
    ) -> Result<(), LaunchErrorKind> {
        let pointers = pointers(access, &block.frame);
        if let Some(part) = self.one_buffer(access, AccessKind::Read, Places::Pointers(pointers)) {
            load_all(access, pointers, padding, part, &block.frame, dst);
            if access.element == Scalar::I1 {
                atomics::normalise_bits(block.frame.write(dst), access.pointers.numel());
            }
            atomics::fence_after(access.order.semantics);
            return Ok(());
        }
        let (n, size) = (access.pointers.numel(), access.size);
        let mut looks = Looks::new();
        for i in 0..n {
            if looks.end_after(8) {
                return Ok(());
            }
            let active = self.active_pointer(access, i, AccessKind::Read, block)?;
            let regs = &block.frame;
            let Some((address, host)) = active else {
                let value = padding.map_or(0, |padding| regs.element(padding, i));
                regs.set_element(dst, i, size, value);
                continue;
            };
            // SAFETY: the address was resolved for an element; the register holds an element for each pointer.
            unsafe {
                let register = regs.write(dst).add(i * size);
                if is_weak(access) {
                    std::ptr::copy_nonoverlapping(host, register, size);
                } else {
                    atomics::load(host, register, size).ok_or(AccessFault::Misaligned { address, size: size as u64 })?;
                }
            }
        }
        if access.element == Scalar::I1 {
            atomics::normalise_bits(block.frame.write(dst), n);
        }
        atomics::fence_after(access.order.semantics);
        Ok(())
    }

    /// The buffer in which all elements of an access lie that are not masked off, aligned, on the host too if they are accessed
    /// atomically, and the part that they take, if there are some and nobody watches.
    pub(super) fn one_buffer(&mut self, access: &PointerAccess, kind: AccessKind, places: Places<'_>) -> Option<(Window, Reach)> {
        if self.launch.observer.is_some() {
            return None;
        }
        let size = access.size as u64;
        let reach = match places {
            Places::Pointers(pointers) => scattered::reach(Level::best(), pointers, size)?,
            Places::Indices(indices) => scattered::reach_of_indices(Level::best(), indices, size)?,
        };
        let window = self.launch.memory.window(reach.first, size, kind, &mut self.hint)?;
        let is_aligned = || is_weak(access) || window.place(reach.first).addr().is_multiple_of(access.size);
        (window.holds(reach) && is_aligned()).then_some((window, reach))
    }

    pub(super) fn store_pointers(&mut self, access: &PointerAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let size = access.size;
        atomics::fence_before(access.order.semantics);
        let pointers = pointers(access, &block.frame);
        if let Some(part) = self.one_buffer(access, AccessKind::Write, Places::Pointers(pointers)) {
            store_all(access, pointers, src, part, &block.frame);
            return Ok(());
        }
        if !self.check_each(access, AccessKind::Write, block)? {
            return Ok(());
        }
        let mut looks = Looks::new();
        for i in 0..access.pointers.numel() {
            if looks.end_after(8) {
                return Ok(());
            }
            let Some((address, host)) = self.active_pointer(access, i, AccessKind::Write, block)? else { continue };
            let regs = &block.frame;
            // SAFETY: as in `load_pointers`.
            unsafe {
                let register = regs.read(src).add(i * size);
                if is_weak(access) {
                    std::ptr::copy_nonoverlapping(register, host, size);
                } else {
                    atomics::store(host, register, size).ok_or(AccessFault::Misaligned { address, size: size as u64 })?;
                }
            }
        }
        Ok(())
    }

    /// Finds every element that is not masked off, before any of them is written: an access that fails has written nothing, and what it should have
    /// written may be written by others: by the blocks of a group one after the other, or where a watcher lets the launch go on. `false` if
    /// the launch is to end.
    pub(super) fn check_each(&mut self, access: &PointerAccess, kind: AccessKind, block: &Block) -> Result<bool, LaunchErrorKind> {
        let mut looks = Looks::new();
        let size = access.size as u64;
        for i in 0..access.pointers.numel() {
            if looks.end_after(8) {
                return Ok(false);
            }
            let Some(address) = active_address(access, i, &block.frame) else { continue };
            let host = self.resolve(block, address, size, size, kind)?;
            if !is_weak(access) && !host.addr().is_multiple_of(access.size) {
                return Err(AccessFault::Misaligned { address, size }.into());
            }
        }
        Ok(true)
    }
}

/// The address of element `i`, unless it is masked off.
pub(super) fn active_address(access: &PointerAccess, i: usize, regs: &Frame) -> Option<u64> {
    let is_masked_off = access.mask.as_ref().is_some_and(|mask| regs.element(mask, i) & 1 == 0);
    (!is_masked_off).then(|| {
        let element = regs.element(&access.pointers, i);
        access.base.as_ref().map_or(element, |base| {
            let distance = i64::from(element as i32) * access.size as i64;
            address(base, regs).wrapping_add_signed(distance)
        })
    })
}

/// The address that indices count from.
fn address(base: &Tile, regs: &Frame) -> u64 {
    // SAFETY: registers and constants hold the tiles on them, and all elements of this one are the first.
    unsafe { exact::read(regs.read(base), 0, size_of::<u64>()) }
}

/// Whether an access is not atomic.
fn is_weak(access: &PointerAccess) -> bool {
    access.order.semantics == MemoryOrderingSemantics::Weak
}

/// Whether the elements lie side by side and may be copied at once.
fn is_copy(access: &PointerAccess, pointers: Pointers<'_>, reach: Reach) -> bool {
    is_weak(access) && pointers.mask.is_none() && scattered::is_run(Level::best(), pointers.addresses, reach, access.size as u64)
}

/// Calls a generic function of the window for the size of the elements, atomic or not.
macro_rules! by_size {
    ($access:expr, $window:ident.$function:ident($pointers:expr, $($argument:expr),*)) => {
        match ($access.size, is_weak($access)) {
            (1, true) => $window.$function::<u8, false>($pointers, $($argument),*),
            (2, true) => $window.$function::<u16, false>($pointers, $($argument),*),
            (4, true) => $window.$function::<u32, false>($pointers, $($argument),*),
            (_, true) => $window.$function::<u64, false>($pointers, $($argument),*),
            (1, _) => $window.$function::<u8, true>($pointers, $($argument),*),
            (2, _) => $window.$function::<u16, true>($pointers, $($argument),*),
            (4, _) => $window.$function::<u32, true>($pointers, $($argument),*),
            _ => $window.$function::<u64, true>($pointers, $($argument),*),
        }
    };
}

/// Loads all elements from a window that holds those that are not masked off; the others get the padding, or 0: what the register held
/// before depends on which blocks ran on this thread.
fn load_all(
    access: &PointerAccess,
    pointers: Pointers<'_>,
    padding: Option<&Tile>,
    (window, reach): (Window, Reach),
    regs: &Frame,
    dst: VReg,
) {
    let to = regs.write(dst);
    let padding = padding.map(|padding| regs.read(padding));
    // SAFETY: the window holds the elements that the mask leaves, aligned if they are accessed atomically; the register has room for all,
    // and that of the padding holds as many.
    unsafe {
        if is_copy(access, pointers, reach) {
            return std::ptr::copy_nonoverlapping(window.place(reach.first), to, pointers.addresses.len() * access.size);
        }
        by_size!(access, window.load(pointers, padding.map(|padding| padding.cast()), to.cast()))
    }
}

/// Stores the elements that are not masked off to a window that holds them.
fn store_all(access: &PointerAccess, pointers: Pointers<'_>, src: &Tile, (window, reach): (Window, Reach), regs: &Frame) {
    let from = regs.read(src);
    // SAFETY: the window holds the elements that the mask leaves, aligned if they are accessed atomically, and may be written; the
    // register holds all.
    unsafe {
        if is_copy(access, pointers, reach) {
            return std::ptr::copy_nonoverlapping(from, window.place(reach.first), pointers.addresses.len() * access.size);
        }
        by_size!(access, window.store(pointers, from.cast()))
    }
}

/// Where the elements of an access lie.
#[derive(Clone, Copy)]
pub(super) enum Places<'b> {
    Pointers(Pointers<'b>),
    Indices(Indices<'b>),
}

/// Where the elements of an access lie, and its mask, if that masks anything off.
pub(super) fn places<'b>(access: &PointerAccess, regs: &'b Frame) -> Places<'b> {
    let Some(base) = &access.base else { return Places::Pointers(pointers(access, regs)) };
    // SAFETY: the register holds that many indices, aligned, and nothing writes it before the access is over.
    let indices = unsafe { std::slice::from_raw_parts(regs.read(&access.pointers).cast(), access.pointers.numel()) };
    Places::Indices(Indices { base: address(base, regs), indices, mask: partial_mask(access, regs) })
}

/// The addresses of an access through pointers, and its mask, if that masks anything off.
fn pointers<'b>(access: &PointerAccess, regs: &'b Frame) -> Pointers<'b> {
    assert!(access.base.is_none(), "loads and stores go through pointers");
    // SAFETY: the register holds that many addresses, aligned, and nothing writes it before the access is over.
    let addresses = unsafe { std::slice::from_raw_parts(regs.read(&access.pointers).cast(), access.pointers.numel()) };
    Pointers { addresses, mask: partial_mask(access, regs) }
}

/// The mask of an access, if it masks anything off.
fn partial_mask<'b>(access: &PointerAccess, regs: &'b Frame) -> Option<&'b [u8]> {
    // SAFETY: the register holds a byte for each pointer, and nothing writes it before the access is over.
    let mask = access.mask.as_ref().map(|mask| unsafe { std::slice::from_raw_parts(regs.read(mask), access.pointers.numel()) });
    mask.filter(|mask| !scattered::all_set(mask))
}
