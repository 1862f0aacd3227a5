//! Loads and stores through tiles of pointers, element by element.
#![allow(unsafe_code, reason = "reads and writes registers and buffers through raw pointers")]

use super::{Block, Machine, atomics};
use crate::{
    AccessFault, LaunchErrorKind,
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
        let (n, size) = (access.pointers.numel(), access.size);
        let mut next = 0;
        while next < n {
            next = self.load_from_one_buffer(access, dst, next, block);
            if next == n {
                break;
            }
            let i = next;
            next += 1;
            let active = self.active_pointer(access, i, AccessKind::Read, block)?;
            let regs = self.registers(block);
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
            atomics::normalise_bits(self.registers(block).write(dst), n);
        }
        atomics::fence_after(access.order.semantics);
        Ok(())
    }

    /// Loads weak elements from `first` on, while they lie in the buffer that was accessed last and nobody watches; gives the first
    /// element that is left.
    fn load_from_one_buffer(&self, access: &PointerAccess, dst: VReg, first: usize, block: &mut Block) -> usize {
        let plain = access.order.semantics == MemoryOrderingSemantics::Weak && self.launch.observer.is_none();
        let Some((address, bytes, host)) = self.launch.memory.window(self.hint).filter(|_| plain) else { return first };
        let regs = self.registers(block);
        let window = Window { address, bytes, host };
        let pointers = regs.read(&access.pointers).cast::<u64>();
        let mask = access.mask.as_ref().map(|mask| regs.read(mask));
        let n = access.pointers.numel();
        // SAFETY: the registers hold an element for each pointer, of the size of the type.
        unsafe {
            match access.size {
                1 => window.load::<u8>(pointers, mask, regs.write(dst), first..n),
                2 => window.load::<u16>(pointers, mask, regs.write(dst).cast(), first..n),
                4 => window.load::<u32>(pointers, mask, regs.write(dst).cast(), first..n),
                _ => window.load::<u64>(pointers, mask, regs.write(dst).cast(), first..n),
            }
        }
    }

    pub(super) fn store_pointers(&mut self, access: &PointerAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let size = access.size;
        atomics::fence_before(access.order.semantics);
        for i in 0..access.pointers.numel() {
            let Some((address, host)) = self.active_pointer(access, i, AccessKind::Write, block)? else { continue };
            let regs = self.registers(block);
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

/// A buffer: its first address, its bytes and its place on the host.
struct Window {
    address: u64,
    bytes: u64,
    host: *const u8,
}

impl Window {
    /// Loads elements up to the first that is masked off, unaligned or outside of the buffer; gives its number.
    ///
    /// # Safety
    /// The pointers, the mask and the target hold an element for each number of the range.
    unsafe fn load<T: Copy>(&self, pointers: *const u64, mask: Option<*const u8>, to: *mut T, range: std::ops::Range<usize>) -> usize {
        let size = size_of::<T>() as u64;
        let Some(last) = self.bytes.checked_sub(size) else { return range.start };
        for i in range.clone() {
            // SAFETY: the registers hold element `i`, and the offset was checked.
            unsafe {
                let address = *pointers.add(i);
                let offset = address.wrapping_sub(self.address);
                if offset > last || !address.is_multiple_of(size) || mask.is_some_and(|mask| *mask.add(i) & 1 == 0) {
                    return i;
                }
                *to.add(i) = self.host.add(offset as usize).cast::<T>().read_unaligned();
            }
        }
        range.end
    }
}
