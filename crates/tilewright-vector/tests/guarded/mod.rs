//! Memory between pages that nobody may touch: whoever does ends the process.
#![allow(unsafe_code, reason = "asks the system for pages")]
#![allow(dead_code, reason = "not every test needs everything")]

use std::ptr::NonNull;

/// What stands beside the memory, up to the pages.
const MARGIN: u8 = 0xa5;

/// At which end of its pages memory lies: what is beyond the other end is noticed only where it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// It begins with a page.
    Begin,
    /// It ends with a page.
    End,
}

/// So many bytes, between two pages that can be neither read nor written.
#[derive(Debug)]
pub(crate) struct Guarded {
    map: NonNull<u8>,
    mapped: usize,
    page: usize,
    /// Where it begins, behind the first page.
    offset: usize,
    len: usize,
}

impl Guarded {
    /// Memory with this content.
    pub(crate) fn new(content: &[u8], side: Side) -> Guarded {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a size of pages");
        let inside = content.len().next_multiple_of(page).max(page);
        let mapped = inside + 2 * page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new pages, at no address in particular.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), mapped, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED, "the system gives {mapped} bytes");
        let map = NonNull::new(map.cast::<u8>()).expect("pages lie somewhere");
        let offset = if side == Side::Begin { 0 } else { inside - content.len() };
        let mut guarded = Guarded { map, mapped, page, offset, len: content.len() };
        // SAFETY: the pages between the first and the last.
        let done = unsafe { libc::mprotect(guarded.at(0).cast(), inside, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0, "pages can be made accessible");
        guarded.pages().fill(MARGIN);
        guarded.bytes().copy_from_slice(content);
        guarded
    }

    /// A byte of the pages that may be touched.
    fn at(&self, offset: usize) -> *mut u8 {
        self.map.as_ptr().wrapping_add(self.page + offset)
    }

    fn pages(&mut self) -> &mut [u8] {
        // SAFETY: these pages can be read and written, and are this value's own.
        unsafe { std::slice::from_raw_parts_mut(self.at(0), self.mapped - 2 * self.page) }
    }

    /// Where the memory begins.
    pub(crate) fn start(&self) -> NonNull<u8> {
        NonNull::new(self.at(self.offset)).expect("it lies somewhere")
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// What it holds.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        let range = self.offset..self.offset + self.len;
        &mut self.pages()[range]
    }

    /// Whether nothing beside it was written.
    pub(crate) fn is_alone(&mut self) -> bool {
        let range = self.offset..self.offset + self.len;
        let (before, rest) = self.pages().split_at(range.start);
        before.iter().chain(&rest[range.len()..]).all(|byte| *byte == MARGIN)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: its own pages, which nobody uses any more.
        unsafe { libc::munmap(self.map.as_ptr().cast(), self.mapped) };
    }
}
