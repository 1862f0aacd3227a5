//! Writing past the caches: for results that are longer than the last cache, of which nothing would be left there when it is read.
//!
//! A store into the caches reads its line first, though all of it is overwritten; a streaming store of a whole line does not.
#![allow(unsafe_code, reason = "writes through raw pointers, and calls instructions of CPU features")]

use super::boxes::LINE;
use crate::cpu::Level;

/// Copies bytes; whole lines of the target are streamed.
///
/// # Safety
/// The bytes can be read at `from` and written at `to`, and the two do not overlap. The CPU has the level.
pub(crate) unsafe fn copy(level: Level, from: *const u8, to: *mut u8, bytes: usize) {
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    // SAFETY: by the contract; the lines are aligned in the target.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        let (from, to) = (from.add(head), to.add(head));
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => x86::lines_avx512(from, to, lines),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => x86::lines_avx2(from, to, lines),
            _ => std::ptr::copy_nonoverlapping(from, to, lines * LINE),
        }
        let (done, rest) = (lines * LINE, (bytes - head) % LINE);
        std::ptr::copy_nonoverlapping(from.add(done), to.add(done), rest);
    }
}

/// Orders all that this thread has streamed before whatever it stores next.
pub(crate) fn fence() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives_wherever_it_lies() {
        let source: Vec<u8> = (0..1000).map(|i| (i * 37 % 251) as u8).collect();
        for level in Level::available() {
            for (start, bytes) in [(0, 1000), (1, 130), (5, 40), (63, 200), (64, 64), (3, 0)] {
                let mut found = vec![0u8; 1100];
                // SAFETY: the arrays hold the bytes.
                unsafe { copy(level, source.as_ptr(), found.as_mut_ptr().add(start), bytes) };
                fence();
                assert_eq!(found[start..][..bytes], source[..bytes]);
                assert!(found[..start].iter().chain(&found[start + bytes..]).all(|&byte| byte == 0), "{start}, {bytes} at {level:?}");
            }
        }
    }
}
