//! An allocator for long arrays: on Linux they lie in large pages.
//!
//! A command reads one file, makes arrays of many megabytes of it, and ends. The first touch of each page enters the kernel: with
//! pages of 4 KiB that was a fifth of the time of printing a long module, with pages of 2 MiB it is hardly measurable. Whatever is
//! shorter is left to the allocator of the system.
#![expect(unsafe_code, reason = "an allocator hands out memory")]

use std::alloc::{GlobalAlloc, Layout, System};

/// The size of a large page.
const PAGE: usize = 2 << 20;
/// Allocations of this size and more get pages of their own.
const LARGE: usize = 1 << 20;

/// The allocator of the system, but for long arrays.
pub(crate) struct LargePages;

fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= 4096
}

/// The length of the mapping for an allocation. Layouts are shorter than half of all addresses, so nothing overflows.
fn mapped(size: usize) -> usize {
    size.next_multiple_of(PAGE)
}

/// Asks for large pages. Where there are none, small ones do.
///
/// # Safety
/// The range is a mapping.
unsafe fn advise(start: *mut u8, len: usize) {
    // SAFETY: advice changes nothing about the content of the mapping.
    unsafe { libc::madvise(start.cast(), len, libc::MADV_HUGEPAGE) };
}

// SAFETY: whether a block is a mapping or comes from the system depends on its layout alone, which the caller gives again to free
// it. Mappings are disjoint from everything, zeroed, aligned to pages, and at least as long as asked for.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_large(layout) {
            // SAFETY: the caller keeps the contract.
            return unsafe { System.alloc(layout) };
        }
        let len = mapped(layout.size());
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping wherever there is room.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return std::ptr::null_mut();
        }
        // SAFETY: it has just been mapped.
        unsafe { advise(start.cast(), len) };
        start.cast()
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout) {
            // SAFETY: the caller keeps the contract; new mappings are zero.
            unsafe { self.alloc(layout) }
        } else {
            // SAFETY: the caller keeps the contract.
            unsafe { System.alloc_zeroed(layout) }
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if is_large(layout) {
            // SAFETY: `alloc` or `realloc` mapped this range for this layout.
            unsafe { libc::munmap(start.cast(), mapped(layout.size())) };
        } else {
            // SAFETY: it comes from the system.
            unsafe { System.dealloc(start, layout) }
        }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size fits a layout.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(layout), is_large(new)) {
            // SAFETY: it comes from the system, and so will the new one.
            (false, false) => unsafe { System.realloc(start, layout, size) },
            // SAFETY: `alloc` or `realloc` mapped this range for this layout.
            (true, true) => unsafe { remap(start, mapped(layout.size()), mapped(size)) },
            _ => {
                // SAFETY: both blocks are at least as long as what is copied, and they are not the same.
                unsafe {
                    let moved = self.alloc(new);
                    if !moved.is_null() {
                        moved.copy_from_nonoverlapping(start, layout.size().min(size));
                        self.dealloc(start, layout);
                    }
                    moved
                }
            }
        }
    }
}

/// Changes the length of a mapping, which may move; null, and nothing has changed, if there is no room.
///
/// # Safety
/// The range is a mapping.
unsafe fn remap(start: *mut u8, old: usize, new: usize) -> *mut u8 {
    if old == new {
        return start;
    }
    // SAFETY: the range is a mapping, and the caller only uses the new one.
    let moved = unsafe { libc::mremap(start.cast(), old, new, libc::MREMAP_MAYMOVE) };
    if moved == libc::MAP_FAILED { std::ptr::null_mut() } else { moved.cast() }
}

#[cfg(test)]
mod tests {
    use super::{LARGE, LargePages, PAGE};
    use std::alloc::{GlobalAlloc, Layout};

    fn bytes(len: usize) -> impl Iterator<Item = u8> {
        (0..len).map(|i| (i / 7) as u8)
    }

    #[test]
    fn content_stays_while_blocks_grow_and_shrink() {
        for sizes in [[LARGE / 2, LARGE], [LARGE, PAGE], [PAGE, 5 * PAGE + 1], [5 * PAGE + 1, LARGE + 1], [LARGE, LARGE - 1], [7, 9]] {
            let [old, new] = sizes;
            let layout = Layout::from_size_align(old, 16).unwrap();
            let kept = old.min(new);
            // SAFETY: the block is freed with the layout that it has after its size changed, and only used as far as it is written.
            let content = unsafe {
                let start = LargePages.alloc(layout);
                assert!(!start.is_null());
                bytes(old).enumerate().for_each(|(i, byte)| start.add(i).write(byte));
                let start = LargePages.realloc(start, layout, new);
                assert!(!start.is_null());
                let content = std::slice::from_raw_parts(start, kept).to_vec();
                LargePages.dealloc(start, Layout::from_size_align(new, 16).unwrap());
                content
            };
            assert!(content.into_iter().eq(bytes(kept)), "{old} to {new}");
        }
    }

    #[test]
    fn memory_that_was_used_is_zero_again() {
        for len in [1000, LARGE, 3 * PAGE - 1] {
            drop(vec![1u8; len]);
            assert!(vec![0u8; len].iter().all(|&byte| byte == 0), "{len}");
        }
    }
}
