//! Writing past the caches: for results that are longer than the last cache, of which nothing would be left there when it is read.
//!
//! A store into the caches reads its line first, though all of it is overwritten; a streaming store of a whole line does not.
#![allow(unsafe_code, reason = "writes through raw pointers, and calls instructions of CPU features")]

use super::boxes::LINE;
use crate::cpu::Level;

/// Copies bytes; whole lines of the target are streamed, and words before and behind them: where one copy ends in a line and the next one
/// goes on there, that is written as a whole, too. Stored as usual, it would be read first, and bring lines behind it to the cache.
///
/// # Safety
/// The bytes can be read at `from` and written at `to`, and the two do not overlap. The CPU has the level.
pub unsafe fn copy(level: Level, from: *const u8, to: *mut u8, bytes: usize) {
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    // SAFETY: by the contract; the lines are aligned in the target.
    unsafe {
        part_of_line(from, to, head);
        let (from, to) = (from.add(head), to.add(head));
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => x86::lines_avx512(from, to, lines),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => x86::lines_avx2(from, to, lines),
            _ => std::ptr::copy_nonoverlapping(from, to, lines * LINE),
        }
        let (done, rest) = (lines * LINE, (bytes - head) % LINE);
        part_of_line(from.add(done), to.add(done), rest);
    }
}

/// Copies fewer bytes than a line has.
///
/// # Safety
/// As for [`copy`].
unsafe fn part_of_line(from: *const u8, to: *mut u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    if to.cast::<i32>().is_aligned() && bytes.is_multiple_of(size_of::<i32>()) {
        // SAFETY: by the contract.
        return unsafe { x86::words(from.cast(), to.cast(), bytes / size_of::<i32>()) };
    }
    // SAFETY: by the contract.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
}

/// Orders all that this thread has streamed before whatever it stores next.
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: needs no more than SSE, which every x86-64 CPU has.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::LINE;
    use std::arch::x86_64::*;

    /// Every x86-64 CPU can do this.
    pub(super) unsafe fn words(from: *const i32, to: *mut i32, words: usize) {
        // SAFETY: by the caller.
        (0..words).for_each(|i| unsafe { _mm_stream_si32(to.add(i), from.add(i).read_unaligned()) });
    }

    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn lines_avx512(from: *const u8, to: *mut u8, lines: usize) {
        for at in (0..lines * LINE).step_by(LINE) {
            // SAFETY: by the caller.
            unsafe { _mm512_stream_si512(to.add(at).cast(), _mm512_loadu_si512(from.add(at).cast())) };
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn lines_avx2(from: *const u8, to: *mut u8, lines: usize) {
        for at in (0..lines * LINE).step_by(LINE / 2) {
            // SAFETY: by the caller.
            unsafe { _mm256_stream_si256(to.add(at).cast(), _mm256_loadu_si256(from.add(at).cast())) };
        }
    }
}
