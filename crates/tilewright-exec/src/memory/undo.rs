//! Taking back what blocks have written.
#![allow(unsafe_code, reason = "reads and writes buffers while a launch has them")]

use super::{Access, AccessKind, AccessObserver, SharedMemory};
use std::sync::{Mutex, PoisonError};

/// An observer of accesses that keeps what each overwrites, and puts it back.
pub(crate) struct Undo<'m> {
    memory: SharedMemory<'m>,
    /// Where something was written, and what was there before, in the order of the accesses.
    overwritten: Mutex<Vec<(*mut u8, Vec<u8>)>>,
}

// SAFETY: it names bytes of buffers, which all threads of a launch may access.
unsafe impl Sync for Undo<'_> {}

impl AccessObserver for Undo<'_> {
    fn access(&self, access: &Access) {
        if access.kind == AccessKind::Read {
            return;
        }
        let Ok(start) = self.memory.resolve(access.address, access.bytes, 1, access.kind, &mut 0) else { return };
        // The bytes lie in a buffer, so they fit the host.
        let mut before = vec![0; access.bytes as usize];
        // SAFETY: so many bytes at the address were found in a buffer, which outlives the launch; the vector is another one.
        unsafe { std::ptr::copy_nonoverlapping(start, before.as_mut_ptr(), before.len()) };
        self.overwritten.lock().unwrap_or_else(PoisonError::into_inner).push((start, before));
    }
}

impl<'m> Undo<'m> {
    pub(crate) fn new(memory: SharedMemory<'m>) -> Undo<'m> {
        Undo { memory, overwritten: Mutex::default() }
    }

    /// Puts back what was overwritten, the last access first.
    pub(crate) fn undo(self) {
        let overwritten = self.overwritten.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (start, before) in overwritten.into_iter().rev() {
            // SAFETY: as in `access`; no block runs any more.
            unsafe { std::ptr::copy_nonoverlapping(before.as_ptr(), start, before.len()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Globals, Memory};
    use tilewright_ir::MemoryOrderingSemantics;

    #[test]
    fn the_first_content_is_put_back() {
        let mut memory = Memory::new();
        let buffer = memory.add(vec![1, 2, 3, 4, 5, 6]);
        let address = memory.address(buffer);
        let globals = Globals::default();
        let shared = memory.share(&globals);
        let undo = Undo::new(shared);
        for (kind, at, bytes, number) in [
            (AccessKind::Write, 1, 3, 7),
            (AccessKind::Read, 0, 6, 0),
            (AccessKind::ReadModifyWrite, 2, 4, 8),
            (AccessKind::Write, 1, 2, 9),
        ] {
            let ordering = MemoryOrderingSemantics::Weak;
            undo.access(&Access { block: [0; 3], op: 0, kind, ordering, scope: None, address: address + at, bytes, element: 1 });
            if kind != AccessKind::Read {
                let start = shared.resolve(address + at, bytes, 1, kind, &mut 0).unwrap();
                // SAFETY: so many bytes are there.
                unsafe { start.write_bytes(number, bytes as usize) };
            }
        }
        undo.undo();
        assert_eq!(memory.bytes(buffer), [1, 2, 3, 4, 5, 6]);
    }
}
