//! Loads and stores through tiles of pointers: at once if all lie in one buffer, else element by element.
#![allow(unsafe_code, reason = "reads and writes registers and buffers through raw pointers")]

use super::{Block, Machine, atomics, frame::Frame};
use crate::{
    AccessFault, LaunchErrorKind,
    cpu::Level,
    interrupt::Looks,
    kernels::scattered::{self, Pointers, Reach, Window},
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
        if access.order.semantics == MemoryOrderingSemantics::Weak
            && let Some(part) = self.one_buffer(access, AccessKind::Read, block)
        {
            load_all(access, padding, part, &block.frame, dst);
            if access.element == Scalar::I1 {
                atomics::normalise_bits(block.frame.write(dst), access.pointers.numel());
            }
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
                if access.order.semantics == MemoryOrderingSemantics::Weak {
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

    /// The buffer in which all elements of an access lie that are not masked off, aligned, and the part that they take, if there are
    /// some and nobody watches.
    pub(super) fn one_buffer(&mut self, access: &PointerAccess, kind: AccessKind, block: &mut Block) -> Option<(Window, Reach)> {
        let regs = &block.frame;
        if self.launch.observer.is_some() {
            return None;
        }
        let size = access.size as u64;
        let reach = scattered::reach(Level::best(), pointers(access, regs), size)?;
        let window = self.launch.memory.window(reach.first, size, kind, &mut self.hint)?;
        window.holds(reach).then_some((window, reach))
    }

    pub(super) fn store_pointers(&mut self, access: &PointerAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let size = access.size;
        atomics::fence_before(access.order.semantics);
        if access.order.semantics == MemoryOrderingSemantics::Weak
            && let Some(part) = self.one_buffer(access, AccessKind::Write, block)
        {
            store_all(access, src, part, &block.frame);
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
                if access.order.semantics == MemoryOrderingSemantics::Weak {
                    std::ptr::copy_nonoverlapping(register, host, size);
                } else {
                    atomics::store(host, register, size).ok_or(AccessFault::Misaligned { address, size: size as u64 })?;
                }
            }
        }
        Ok(())
    }
}

/// Loads all elements from a window that holds those that are not masked off; the others get the padding, or 0: what the register held
/// before depends on which blocks ran on this thread.
fn load_all(access: &PointerAccess, padding: Option<&Tile>, (window, reach): (Window, Reach), regs: &Frame, dst: VReg) {
    let (pointers, to) = (pointers(access, regs), regs.write(dst));
    if pointers.mask.is_none() && scattered::is_run(Level::best(), pointers.addresses, reach, access.size as u64) {
        // SAFETY: the window holds all elements of the reach, and the register has room for them.
        return unsafe { std::ptr::copy_nonoverlapping(window.place(reach.first), to, pointers.addresses.len() * access.size) };
    }
    let padding = padding.map(|padding| regs.read(padding));
    // SAFETY: the window holds the elements that the mask leaves, as it does the first of the reach; the register has room for all, and
    // that of the padding holds as many.
    unsafe {
        match access.size {
            1 => load_as::<u8>(pointers, padding, (window, reach), to),
            2 => load_as::<u16>(pointers, padding, (window, reach), to),
            4 => load_as::<u32>(pointers, padding, (window, reach), to),
            _ => load_as::<u64>(pointers, padding, (window, reach), to),
        }
    }
}

unsafe fn load_as<T: Copy + Default>(pointers: Pointers<'_>, padding: Option<*const u8>, (window, reach): (Window, Reach), to: *mut u8) {
    // SAFETY: by the caller.
    unsafe {
        match padding {
            Some(padding) => window.load::<T>(pointers, |i| *padding.cast::<T>().add(i), reach.first, to.cast()),
            None => window.load::<T>(pointers, |_| T::default(), reach.first, to.cast()),
        }
    }
}

/// Stores the elements that are not masked off to a window that holds them.
fn store_all(access: &PointerAccess, src: &Tile, (window, reach): (Window, Reach), regs: &Frame) {
    let (pointers, from) = (pointers(access, regs), regs.read(src));
    if pointers.mask.is_none() && scattered::is_run(Level::best(), pointers.addresses, reach, access.size as u64) {
        // SAFETY: the window holds all elements of the reach, which may be written; the register holds all.
        return unsafe { std::ptr::copy_nonoverlapping(from, window.place(reach.first), pointers.addresses.len() * access.size) };
    }
    // SAFETY: the window holds the elements that the mask leaves and may be written; the register holds all.
    unsafe {
        match access.size {
            1 => window.store::<u8>(pointers, from),
            2 => window.store::<u16>(pointers, from.cast()),
            4 => window.store::<u32>(pointers, from.cast()),
            _ => window.store::<u64>(pointers, from.cast()),
        }
    }
}

/// The addresses of an access, and its mask, if that masks anything off.
pub(super) fn pointers<'b>(access: &PointerAccess, regs: &'b Frame) -> Pointers<'b> {
    Pointers { addresses: addresses(access, regs), mask: partial_mask(access, regs) }
}

/// The addresses of an access.
fn addresses<'b>(access: &PointerAccess, regs: &'b Frame) -> &'b [u64] {
    // SAFETY: the register holds that many addresses, aligned, and nothing writes it before the access is over.
    unsafe { std::slice::from_raw_parts(regs.read(&access.pointers).cast(), access.pointers.numel()) }
}

/// The mask of an access, if it masks anything off.
fn partial_mask<'b>(access: &PointerAccess, regs: &'b Frame) -> Option<&'b [u8]> {
    // SAFETY: the register holds a byte for each pointer, and nothing writes it before the access is over.
    let mask = access.mask.as_ref().map(|mask| unsafe { std::slice::from_raw_parts(regs.read(mask), access.pointers.numel()) });
    mask.filter(|mask| !scattered::all_set(mask))
}
