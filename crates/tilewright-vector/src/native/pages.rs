//! Pages of machine code: first written, then run, and never both.

use memmap2::{Mmap, MmapMut};
use std::{
    io,
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Code begins with a line of the caches.
const LINE: usize = 64;

/// How often pages were made.
static MADE: AtomicUsize = AtomicUsize::new(0);

/// Pages with these codes, which can be run and not written any more, and where on them each is.
pub(super) fn executable(codes: &[&[u8]]) -> io::Result<(Mmap, Vec<Range<usize>>)> {
    let mut length = 0;
    let places: Vec<Range<usize>> = codes
        .iter()
        .map(|code| {
            let place = length..length + code.len();
            length = place.end.next_multiple_of(LINE);
            place
        })
        .collect();
    let mut pages = MmapMut::map_anon(length.max(1))?;
    for (code, place) in codes.iter().zip(&places) {
        pages[place.clone()].copy_from_slice(code);
    }
    let pages = pages.make_exec()?;
    make_visible(&pages);
    MADE.fetch_add(1, Ordering::Release);
    Ok((pages, places))
}

/// Makes instructions that were written as data visible to what runs them, on CPUs that keep them apart: AArch64.
#[cfg(all(target_arch = "aarch64", not(target_vendor = "apple"), not(miri)))]
#[expect(unsafe_code, reason = "instructions for caches")]
fn make_visible(code: &[u8]) {
    use std::arch::asm;
    let sizes: u64;
    // SAFETY: reads a register that programs may read.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) sizes, options(nomem, nostack, preserves_flags)) };
    // The shortest lines, in words of four bytes, as powers of two.
    let [data, instructions] = [16, 0].map(|bit| 4usize << (sizes >> bit & 15));
    let lines = |bytes: usize| {
        let Range { start, end } = code.as_ptr_range();
        (start.addr() & !(bytes - 1)..end.addr()).step_by(bytes)
    };
    for line in lines(data) {
        // SAFETY: the line is mapped; it is written back and stays as it is.
        unsafe { asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: waits.
    unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
    for line in lines(instructions) {
        // SAFETY: the line is mapped; instructions of it are read again.
        unsafe { asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: waits.
    unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
}

#[cfg(all(target_arch = "aarch64", target_vendor = "apple", not(miri)))]
#[expect(unsafe_code, reason = "calls the system")]
fn make_visible(code: &[u8]) {
    unsafe extern "C" {
        fn sys_icache_invalidate(start: *const u8, len: usize);
    }
    // SAFETY: the bytes are mapped.
    unsafe { sys_icache_invalidate(code.as_ptr(), code.len()) };
}

#[cfg(not(all(target_arch = "aarch64", not(miri))))]
fn make_visible(_code: &[u8]) {}

/// Has this thread forget what it fetched of instructions before pages were made of which it was not told yet: another thread may have made them, where
/// others had been that this one ran.
#[cfg(all(target_arch = "aarch64", not(miri)))]
#[expect(unsafe_code, reason = "an instruction that orders others")]
#[inline]
pub(super) fn see_all() {
    use std::{arch::asm, cell::Cell};
    thread_local! {
        static SEEN: Cell<usize> = const { Cell::new(0) };
    }
    let made = MADE.load(Ordering::Acquire);
    if SEEN.replace(made) != made {
        // SAFETY: waits.
        unsafe { asm!("isb", options(nostack, preserves_flags)) };
    }
}

#[cfg(not(all(target_arch = "aarch64", not(miri))))]
#[inline]
pub(super) fn see_all() {}
