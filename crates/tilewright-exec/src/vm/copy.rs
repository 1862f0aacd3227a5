//! Copying tiles from register to register.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers")]

use super::frame::Frame;
use crate::{
    LaunchErrorKind,
    cpu::Level,
    interrupt::{Looks, PART, in_parts},
    kernels::boxes::{self, Dim},
    plan::{Slice, Tile},
};
use smallvec::SmallVec;
use std::ops::Range;

/// Copies a tile, in order, to `dst`.
pub(super) fn tile(src: &Tile, regs: &Frame, dst: *mut u8) {
    let from = regs.read(src);
    let (n, size) = (src.numel(), src.elem.size());
    if src.is_contiguous() {
        // SAFETY: source and destination hold `n` elements, in registers that do not overlap.
        let copy = |part: Range<usize>| unsafe {
            std::ptr::copy_nonoverlapping(from.add(part.start * size), dst.add(part.start * size), part.len() * size);
        };
        if n <= PART {
            copy(0..n);
        } else {
            in_parts(n, 8 * PART, copy);
        }
        return;
    }
    if src.is_splat() {
        // SAFETY: the source holds an element and the destination `n`, in registers that do not overlap.
        return unsafe { spread(from, size, n, dst) };
    }
    let mut pitch = n;
    let dims = src.shape.iter().zip(&src.strides).map(|(&count, &from)| {
        pitch /= count;
        Dim { count, from, to: pitch }
    });
    // SAFETY: as above, and the dimensions stay inside the source.
    unsafe { boxes::copy(Level::best(), &dims.collect::<Vec<_>>(), size, from, dst) };
}

/// Copies a tile, whose elements lie in order, to `dst`, backwards along some of its dimensions.
pub(super) fn reverse(src: &Tile, dims: &[usize], regs: &Frame, dst: *mut u8) {
    let (from, size) = (regs.read(src), src.elem.size());
    // What lies behind the last of these dimensions is copied as it is.
    let last = dims.iter().max().copied().unwrap_or(0);
    let (outer, count, bytes) = (&src.shape[..last], src.shape[last], src.shape[last + 1..].iter().product::<usize>() * size);
    let mut looks = Looks::new();
    for row in 0..outer.iter().product() {
        // The number of the row that is copied there.
        let (mut rest, mut place, mut pitch) = (row, 0, 1);
        for (dim, extent) in outer.iter().enumerate().rev() {
            let index = rest % extent;
            place += pitch * if dims.contains(&dim) { extent - 1 - index } else { index };
            (rest, pitch) = (rest / extent, pitch * extent);
        }
        // SAFETY: source and destination hold the tile, in registers that do not overlap.
        unsafe { reverse_row(from.add(place * count * bytes), dst.add(row * count * bytes), count, (bytes, size)) };
        if looks.end_after(count * bytes / size) {
            return;
        }
    }
}

/// Copies so many parts of a row, the last one first, each of so many bytes, of elements of a size.
///
/// # Safety
/// The row can be read and written, aligned to its elements, and does not overlap.
unsafe fn reverse_row(from: *const u8, to: *mut u8, count: usize, (bytes, size): (usize, usize)) {
    // SAFETY: by the contract.
    unsafe {
        match size {
            _ if bytes > size => {
                (0..count).for_each(|part| std::ptr::copy_nonoverlapping(from.add((count - 1 - part) * bytes), to.add(part * bytes), bytes))
            }
            1 => reverse_elements::<u8>(from, to, count),
            2 => reverse_elements::<u16>(from.cast(), to.cast(), count),
            4 => reverse_elements::<u32>(from.cast(), to.cast(), count),
            _ => reverse_elements::<u64>(from.cast(), to.cast(), count),
        }
    }
}

/// The same, element by element.
///
/// # Safety
/// As above.
unsafe fn reverse_elements<T: Copy>(from: *const T, to: *mut T, count: usize) {
    for i in 0..count {
        // SAFETY: by the contract.
        unsafe { to.add(i).write(from.add(count - 1 - i).read()) };
    }
}

/// Where a slice begins, in elements of the whole tile.
fn slice_offset(slice: &Slice, regs: &Frame) -> Result<usize, LaunchErrorKind> {
    let mut offset = 0;
    for (d, (index, count)) in slice.indices.iter().zip(&slice.counts).enumerate() {
        let index = regs.scalar(index);
        if index >= *count as u64 {
            return Err(LaunchErrorKind::SliceIndex { index, count: *count as u64, dim: d });
        }
        offset += index as usize * slice.first.shape[d] * slice.first.strides[d];
    }
    Ok(offset)
}

/// Copies a slice of a tile, in order, to `dst`.
pub(super) fn extract(src: &Tile, slice: &Slice, regs: &Frame, dst: *mut u8) -> Result<(), LaunchErrorKind> {
    let size = src.elem.size();
    let from = regs.read(src).wrapping_add(slice_offset(slice, regs)? * size);
    let dims = slice_dims(slice).map(|(stride, pitch, count)| Dim { count, from: stride, to: pitch });
    // SAFETY: the indices are in range, so the slice lies inside the tile; the register holds a slice, and is another one.
    unsafe { boxes::copy(Level::best(), &dims.collect::<SmallVec<[Dim; 8]>>(), size, from, dst) };
    Ok(())
}

/// Copies a tile, whose elements lie in order, to a slice of the register at `dst`.
pub(super) fn insert(src: &Tile, slice: &Slice, regs: &Frame, dst: *mut u8) -> Result<(), LaunchErrorKind> {
    let size = src.elem.size();
    let to = dst.wrapping_add(slice_offset(slice, regs)? * size);
    let dims = slice_dims(slice).map(|(stride, pitch, count)| Dim { count, from: pitch, to: stride });
    // SAFETY: the indices are in range, so the slice lies inside the register; the source holds as many elements, in another one.
    unsafe { boxes::copy(Level::best(), &dims.collect::<SmallVec<[Dim; 8]>>(), size, regs.read(src), to) };
    Ok(())
}

/// For each dimension of a slice, how far its elements are apart in the whole tile and in order, and how many there are.
fn slice_dims(slice: &Slice) -> impl Iterator<Item = (usize, usize, usize)> {
    let mut pitch = slice.first.numel();
    slice.first.shape.iter().zip(&slice.first.strides).map(move |(&count, &stride)| {
        pitch /= count;
        (stride, pitch, count)
    })
}

/// Gives `n` elements of `bits` bits as bytes, the first in the lowest bits; or `n` bytes as such elements.
pub(super) fn repack(src: *const u8, dst: *mut u8, n: usize, bits: u32, pack: bool) {
    let (each, mask) = ((8 / bits) as usize, (1u8 << bits) - 1);
    let (sources, results) = if pack { (n, n / each) } else { (n, n * each) };
    // SAFETY: both registers hold a byte for each of their elements, and do not overlap.
    let (from, to) = unsafe { (std::slice::from_raw_parts(src, sources), std::slice::from_raw_parts_mut(dst, results)) };
    let shift = |i: usize| (i % each) as u32 * bits;
    let pack_one = |at: usize| from[at * each..].iter().take(each).rev().fold(0, |byte, e| byte << bits | (e & mask));
    in_parts(results, PART, |part| {
        let to = part.clone().zip(&mut to[part]);
        if pack {
            to.for_each(|(at, byte)| *byte = pack_one(at));
        } else {
            to.for_each(|(at, element)| *element = from[at / each] >> shift(at) & mask);
        }
    });
}

/// Writes 0, 1, 2, ... as `n` integers of `size` bytes.
pub(super) fn iota(dst: *mut u8, n: usize, size: usize) {
    // SAFETY: the register has room for `n` elements.
    let one = |i: usize| unsafe { crate::kernels::exact::write(dst, i, size, i as u64) };
    in_parts(n, PART, |part| part.for_each(one));
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
    in_parts(n, 8 * PART, |part| unsafe {
        let (element, to) = (std::slice::from_raw_parts(src, size), dst.add(part.start * size));
        // Zeros, mostly, which are bytes.
        if element.iter().all(|byte| *byte == element[0]) {
            to.write_bytes(element[0], part.len() * size);
        } else {
            gather(src, &[], size, 0, part.len(), to);
        }
    });
}
