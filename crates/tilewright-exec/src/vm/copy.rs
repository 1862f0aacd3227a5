//! Copying tiles from register to register.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers")]

use super::registers::Registers;
use crate::plan::Tile;

/// Copies a tile, in order, to `dst`.
pub(super) fn tile(src: &Tile, regs: &Registers<'_>, dst: *mut u8) {
    let from = regs.read(src);
    let (n, size) = (src.numel(), src.elem.size());
    if src.is_contiguous() {
        // SAFETY: source and destination hold `n` elements, in registers that do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from, dst, n * size) };
    } else {
        // SAFETY: as above, and the loops stay inside the source.
        unsafe { gather(from, &src.loops(), size, 0, n, dst) };
    }
}

/// Writes 0, 1, 2, ... as `n` integers of `size` bytes.
pub(super) fn iota(dst: *mut u8, n: usize, size: usize) {
    for i in 0..n {
        // SAFETY: the register has room for `n` elements.
        unsafe { crate::kernels::exact::write(dst, i, size, i as u64) };
    }
}

/// Copies elements `start..start + n` of a strided tile to `dst`, side by side.
///
/// # Safety
/// `src` holds every element that the loops reach; `dst` has room for `n` elements of `size` bytes and does not overlap.
pub(super) unsafe fn gather(src: *const u8, loops: &[(usize, usize)], size: usize, start: usize, n: usize, dst: *mut u8) {
    // SAFETY: by the contract; elements have the alignment of their size.
    unsafe {
        match size {
            1 => gather_as::<u8>(src, loops, start, n, dst),
            2 => gather_as::<u16>(src.cast(), loops, start, n, dst.cast()),
            4 => gather_as::<u32>(src.cast(), loops, start, n, dst.cast()),
            _ => gather_as::<u64>(src.cast(), loops, start, n, dst.cast()),
        }
    }
}

unsafe fn gather_as<T: Copy>(src: *const T, loops: &[(usize, usize)], start: usize, n: usize, dst: *mut T) {
    let Some((&(inner, stride), outer)) = loops.split_last() else {
        // SAFETY: one element, repeated.
        return unsafe { fill(dst, *src, n) };
    };
    let mut done = 0;
    while done < n {
        let at = start + done;
        let (mut rest, first) = (at / inner, at % inner);
        let mut offset = first * stride;
        for (extent, stride) in outer.iter().rev() {
            offset += rest % extent * stride;
            rest /= extent;
        }
        let run = (inner - first).min(n - done);
        // SAFETY: the run lies inside the innermost loop, and the destination has room.
        unsafe { copy_run(src.add(offset), stride, run, dst.add(done)) };
        done += run;
    }
}

unsafe fn copy_run<T: Copy>(src: *const T, stride: usize, n: usize, dst: *mut T) {
    // SAFETY: by the caller.
    unsafe {
        match stride {
            0 => fill(dst, *src, n),
            1 => std::ptr::copy_nonoverlapping(src, dst, n),
            _ => (0..n).for_each(|i| *dst.add(i) = *src.add(i * stride)),
        }
    }
}

unsafe fn fill<T: Copy>(dst: *mut T, value: T, n: usize) {
    // SAFETY: by the caller; registers hold initialised bytes.
    unsafe { std::slice::from_raw_parts_mut(dst, n) }.fill(value);
}

/// Writes one element of `size` bytes `n` times.
///
/// # Safety
/// `src` holds an element; `dst` has room for `n`, aligned, and does not overlap.
pub(super) unsafe fn spread(src: *const u8, size: usize, n: usize, dst: *mut u8) {
    // SAFETY: by the contract.
    unsafe { gather(src, &[], size, 0, n, dst) }
}
