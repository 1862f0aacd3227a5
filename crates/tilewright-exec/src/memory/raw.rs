//! Raw memory that threads share.
//!
//! Weak accesses are plain copies. A program whose blocks race on them has undefined behaviour by the rules of Tile IR
//! (SEMANTICS d.4); here it gets bytes of either value, never memory outside of its buffers: lengths, addresses and control
//! flow of the machine come from checked registers only. Strong accesses are atomic, element by element ([`Strong`]).
#![allow(unsafe_code, reason = "buffers are shared by threads that the program synchronises, beyond what borrows can express")]

use crate::interrupt::{PART, in_parts};
use std::{
    alloc::{Layout, alloc_zeroed},
    ptr::NonNull,
};
pub(crate) use tilewright_kernels::atomic::{Strong, Word};

/// Words that the system gives as zeros, which takes no time before they are used; `None` if it has not enough memory.
fn zeroed_words(count: usize) -> Option<Vec<u64>> {
    let layout = Layout::array::<u64>(count).ok()?;
    if count == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout is not empty.
    let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
    // SAFETY: allocated by the allocator of vectors with the layout of so many words, which are initialised.
    Some(unsafe { Vec::from_raw_parts(start.as_ptr().cast(), count, count) })
}

/// Bytes on the host that blocks may share. Owns its bytes, or borrows them for the lifetime of the memory it is in.
#[derive(Debug)]
pub(super) struct HostSlice {
    start: NonNull<u8>,
    len: usize,
    /// Keeps owned bytes alive, 8-byte aligned so that atomics on device-aligned addresses are aligned on the host.
    #[expect(dead_code, reason = "keeps the bytes alive")]
    owned: Option<Vec<u64>>,
}

// SAFETY: a HostSlice is a slice that its owner has exclusively, or only reads; threads reach its bytes only through SharedMemory,
// whose accesses go through the functions below.
unsafe impl Send for HostSlice {}
// SAFETY: as above; `bytes` needs `&self` and `bytes_mut` needs `&mut self`, and SharedMemory borrows exclusively.
unsafe impl Sync for HostSlice {}

impl HostSlice {
    pub(super) fn owned(bytes: Vec<u8>) -> HostSlice {
        let len = bytes.len();
        let mut words = vec![0u64; len.div_ceil(8)];
        let start = NonNull::new(words.as_mut_ptr().cast::<u8>()).unwrap_or(NonNull::dangling());
        // SAFETY: `words` has room for `len` bytes and is distinct from `bytes`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.as_ptr(), len) };
        HostSlice { start, len, owned: Some(words) }
    }

    /// `len` zero bytes; `None` if the host has not enough memory.
    pub(super) fn zeroed(len: usize) -> Option<HostSlice> {
        let mut words = zeroed_words(len.div_ceil(8))?;
        let start = NonNull::new(words.as_mut_ptr().cast::<u8>()).unwrap_or(NonNull::dangling());
        Some(HostSlice { start, len, owned: Some(words) })
    }

    /// Makes all bytes zero.
    pub(super) fn clear(&mut self) {
        // SAFETY: it has that many bytes. Blocks that still access freed memory race with this, which is undefined behaviour
        // of the program; they stay inside the bytes.
        in_parts(self.len, 8 * PART, |part| unsafe { std::ptr::write_bytes(self.start.as_ptr().add(part.start), 0, part.len()) });
    }

    pub(super) fn borrowed(bytes: &mut [u8]) -> HostSlice {
        HostSlice { start: NonNull::from(&mut *bytes).cast(), len: bytes.len(), owned: None }
    }

    /// Bytes that must only be read.
    pub(super) fn shared(bytes: &[u8]) -> HostSlice {
        HostSlice { start: NonNull::from(bytes).cast(), len: bytes.len(), owned: None }
    }

    /// # Safety
    /// As for [`super::Memory::add_external`].
    pub(super) unsafe fn external(start: NonNull<u8>, len: usize) -> HostSlice {
        HostSlice { start, len, owned: None }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: start and len describe bytes that are owned or borrowed for longer than `self`; a launch, which writes them
        // through raw pointers, borrows the memory exclusively.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// The host address of `size` bytes at `offset`, if they lie inside.
    #[inline]
    pub(super) fn locate(&self, offset: u64, size: u64) -> Option<*mut u8> {
        let end = offset.checked_add(size)?;
        // The offset is inside the slice, so it fits usize.
        (end <= self.len as u64).then(|| self.pointer(offset as usize))
    }

    /// The host address of the byte at `offset`, which is at most `len`.
    #[inline]
    pub(super) fn pointer(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.len);
        // SAFETY: the offset is within the slice or one past its end.
        unsafe { self.start.as_ptr().add(offset) }
    }
}
