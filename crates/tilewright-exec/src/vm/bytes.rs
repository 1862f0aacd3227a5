//! The memory behind registers and constants.
#![allow(unsafe_code, reason = "allocates memory, which is written through raw pointers")]

use crate::{
    LaunchErrorKind,
    budget::{Budget, Reservation},
};
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ptr::NonNull,
    sync::Arc,
};

/// Registers are aligned for the widest vectors.
const ALIGNMENT: usize = 64;

/// Bytes aligned for vectors.
#[derive(Debug)]
pub(crate) struct AlignedBytes {
    start: NonNull<u8>,
    layout: Layout,
    #[expect(dead_code, reason = "gives back to the budget what they take of it")]
    reservation: Reservation,
}

// SAFETY: it owns its bytes.
unsafe impl Send for AlignedBytes {}
// SAFETY: it owns its bytes; writing them needs `&mut self`.
unsafe impl Sync for AlignedBytes {}

impl AlignedBytes {
    /// `len` zero bytes of a launch's memory.
    ///
    /// # Errors
    /// When the host has not enough memory, or the budget.
    pub(crate) fn zeroed(len: usize, budget: &Arc<Budget>) -> Result<AlignedBytes, LaunchErrorKind> {
        let reservation = budget.reserve(len)?;
        let out_of_memory = || LaunchErrorKind::Resource(format!("no memory for {len} bytes of registers"));
        let layout = Layout::from_size_align(len.max(1), ALIGNMENT).map_err(|_| out_of_memory())?;
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(out_of_memory)?;
        Ok(AlignedBytes { start, layout, reservation })
    }

    pub(crate) fn len(&self) -> usize {
        self.layout.size()
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: it owns that many initialised bytes.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }

    /// The first byte. Writing needs what its owner says about that.
    pub(super) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for AlignedBytes {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
