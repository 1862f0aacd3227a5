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
        for i in 0..n {
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
