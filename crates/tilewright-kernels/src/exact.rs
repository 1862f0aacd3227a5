//! The defining kernel: any elementwise operation, one element at a time, through `tilewright-numeric`.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers")]

use super::Imm;
use tilewright_passes::elementwise::{evaluate, sources_of};

/// The kernel.
///
/// # Safety
/// As [`KernelFn`](super::KernelFn) demands.
pub unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
    let sources = sources_of(imm.op);
    for i in 0..n {
        let mut values = [0; 3];
        for k in 0..sources {
            // SAFETY: the caller passes `n` elements of each source.
            values[k] = unsafe { read(src[k], i, imm.srcs[k].size()) };
        }
        let result = evaluate(imm.op, &imm.srcs, imm.dst, values);
        // SAFETY: the caller passes room for `n` elements.
        unsafe { write(dst, i, imm.dst.size(), result) };
    }
}

/// Reads element `i` of `size` bytes, zero-extended.
///
/// # Safety
/// The element is valid and aligned.
#[inline]
pub unsafe fn read(base: *const u8, i: usize, size: usize) -> u64 {
    // SAFETY: by the contract.
    unsafe {
        match size {
            1 => u64::from(*base.add(i)),
            2 => u64::from(*base.cast::<u16>().add(i)),
            4 => u64::from(*base.cast::<u32>().add(i)),
            _ => *base.cast::<u64>().add(i),
        }
    }
}

/// Writes element `i` of `size` bytes: the low bits of `value`.
///
/// # Safety
/// There is room for the element, aligned.
#[inline]
pub unsafe fn write(base: *mut u8, i: usize, size: usize, value: u64) {
    // SAFETY: by the contract.
    unsafe {
        match size {
            1 => *base.add(i) = value as u8,
            2 => *base.cast::<u16>().add(i) = value as u16,
            4 => *base.cast::<u32>().add(i) = value as u32,
            _ => *base.cast::<u64>().add(i) = value,
        }
    }
}
