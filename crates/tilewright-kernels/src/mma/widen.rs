//! Bringing factors to the type that products are summed in, and results back.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers, and calls versions for CPU features")]

use super::{
    panel::{Bf16, F16, Format},
    product::WIDTH_QUADS,
};
use crate::{
    cpu::Level,
    exact::{read, write},
    interrupt::{PART, in_parts},
    vector::Floats,
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};
use tilewright_numeric::{FloatFormat, bulk, convert::tf32_mask};

/// Declares a loop over slices with a version for each level.
macro_rules! leveled_loop {
    ($name:ident($($arg:ident: $ty:ty),*) $body:block) => {
        fn $name(level: Level, $($arg: $ty),*) {
            #[inline(always)]
            fn portable($($arg: $ty),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi2")]
            fn avx2($($arg: $ty),*) {
                portable($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c,bmi2")]
            fn avx512($($arg: $ty),*) {
                portable($($arg),*)
            }

            match level {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: a level is one of this CPU's.
                Level::Avx512 => unsafe { avx512($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                Level::Avx2 => unsafe { avx2($($arg),*) },
                _ => portable($($arg),*),
            }
        }
    };
}

leveled_loop! { to_f16(src: &[f32], out: &mut [u16]) { bulk::f32_to_f16_slice(src, out) } }
leveled_loop! { from_tf32(src: &[u32], out: &mut [f32]) {
    out.iter_mut().zip(src).for_each(|(x, b)| *x = f32::from_bits(tf32_mask(*b)));
} }
leveled_loop! { from_i8(src: &[i8], out: &mut [i16]) {
    out.iter_mut().zip(src).for_each(|(x, b)| *x = (*b).into());
} }
leveled_loop! { from_u8(src: &[u8], out: &mut [i16]) {
    out.iter_mut().zip(src).for_each(|(x, b)| *x = (*b).into());
} }
/// Two 16-bit numbers in the halves of one of 32 bits, the first in the low one.
#[inline(always)]
fn pair(first: i16, second: i16) -> i32 {
    i32::from(first) & 0xffff | i32::from(second) << 16
}

/// Elements as f32, exact for every factor type.
///
/// # Safety
/// `src` holds as many elements as `out`.
pub(super) unsafe fn widen(level: Level, format: FloatFormat, src: *const u8, out: &mut [f32]) {
    let size = format.storage_bits().div_ceil(8) as usize;
    // SAFETY: by the contract.
    in_parts(out.len(), PART, |part| unsafe { widen_part(level, format, src.add(part.start * size), &mut out[part]) });
}

/// # Safety
/// As for [`widen`].
unsafe fn widen_part(level: Level, format: FloatFormat, src: *const u8, out: &mut [f32]) {
    let n = out.len();
    // SAFETY: the caller passes `n` elements; each slice has the element type of its format.
    unsafe {
        match format {
            FloatFormat::F32 => std::ptr::copy_nonoverlapping(src.cast(), out.as_mut_ptr(), n),
            FloatFormat::F16 | FloatFormat::Bf16 => {
                widen_rows(level, format, HalfRows { start: src.cast(), pitch: n, rows: 1, columns: n }, out)
            }
            FloatFormat::F8E4M3FN => bulk::e4m3_to_f32_slice(std::slice::from_raw_parts(src, n), out),
            FloatFormat::F8E5M2 => bulk::e5m2_to_f32_slice(std::slice::from_raw_parts(src, n), out),
            FloatFormat::Tf32 => from_tf32(level, std::slice::from_raw_parts(src.cast(), n), out),
            other => {
                let size = other.storage_bits().div_ceil(8) as usize;
                out.iter_mut().enumerate().for_each(|(i, x)| *x = other.decode(read(src, i, size)) as f32);
            }
        }
    }
}

/// Elements as f64: exact for every format.
///
/// # Safety
/// `src` holds `n` elements.
pub(super) unsafe fn decode(format: FloatFormat, src: *const u8, n: usize) -> Vec<f64> {
    let size = format.storage_bits().div_ceil(8) as usize;
    let mut decoded = vec![0.0; n];
    in_parts(n, PART, |part| {
        let first = part.start;
        // SAFETY: the caller passes `n` elements.
        decoded[part].iter_mut().enumerate().for_each(|(i, x)| *x = format.decode(unsafe { read(src, first + i, size) }));
    });
    decoded
}

/// Rows of `f16` or `bf16`.
#[derive(Clone, Copy)]
pub(super) struct HalfRows {
    pub(super) start: *const u16,
    /// Distance between rows, in elements.
    pub(super) pitch: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// The rows as f32, one behind the other.
///
/// # Safety
/// The rows are there, of numbers of the format, which is `f16` or `bf16`, and `out` has room for them. The CPU has the level.
pub(super) unsafe fn widen_rows(level: Level, format: FloatFormat, rows: HalfRows, out: &mut [f32]) {
    let HalfRows { start, pitch, columns, .. } = rows;
    in_parts(rows.rows, (PART / columns.max(1)).max(1), |part| {
        let rows = HalfRows { start: start.wrapping_add(part.start * pitch), rows: part.len(), ..rows };
        // SAFETY: some of the caller's rows.
        unsafe { widen_some_rows(level, format, rows, &mut out[part.start * columns..part.end * columns]) }
    });
}

/// # Safety
/// As for [`widen_rows`].
unsafe fn widen_some_rows(level: Level, format: FloatFormat, rows: HalfRows, out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn avx2(format: FloatFormat, rows: HalfRows, out: &mut [f32]) {
        // SAFETY: by the caller.
        unsafe { rows.widen::<__m256>(format, out) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
    unsafe fn avx512(format: FloatFormat, rows: HalfRows, out: &mut [f32]) {
        // SAFETY: by the caller.
        unsafe { rows.widen::<__m512>(format, out) }
    }

    // SAFETY: by the contract.
    unsafe {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => avx512(format, rows, out),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2(format, rows, out),
            _ => rows.widen::<[f32; 4]>(format, out),
        }
    }
}

impl HalfRows {
    #[inline(always)]
    unsafe fn widen<V: Floats>(self, format: FloatFormat, out: &mut [f32]) {
        // SAFETY: by the caller.
        unsafe {
            match format {
                FloatFormat::F16 => self.widen_from::<V, F16>(out),
                FloatFormat::Bf16 => self.widen_from::<V, Bf16>(out),
                other => unreachable!("{other:?} has no 16 bits"),
            }
        }
    }

    #[inline(always)]
    unsafe fn widen_from<V: Floats, F: Format<V>>(self, out: &mut [f32]) {
        // Rows without gaps are one.
        let columns = if self.pitch == self.columns { self.rows * self.columns } else { self.columns };
        for (row, out) in out[..self.rows * self.columns].chunks_exact_mut(columns).enumerate() {
            let from = self.start.wrapping_add(row * self.pitch);
            let mut vectors = out.chunks_exact_mut(V::LANES);
            // SAFETY: the row has as many numbers as `out`; what does not fill a vector is copied to where a whole one can be read.
            unsafe {
                for (i, out) in vectors.by_ref().enumerate() {
                    F::load(from.add(i * V::LANES).cast()).store(out.as_mut_ptr());
                }
                let rest = vectors.into_remainder();
                if rest.is_empty() {
                    continue;
                }
                let (mut halves, mut floats) = ([0u16; MAX_LANES], [0f32; MAX_LANES]);
                std::ptr::copy_nonoverlapping(from.add(columns - rest.len()), halves.as_mut_ptr(), rest.len());
                F::load(halves.as_ptr().cast()).store(floats.as_mut_ptr());
                rest.copy_from_slice(&floats[..rest.len()]);
            }
        }
    }
}

/// Numbers of the widest vectors.
const MAX_LANES: usize = 16;

/// Multiplies each element by its scale, which `position` finds.
///
/// # Safety
/// `scales` holds an element at each of the positions.
pub(super) unsafe fn scale(values: &mut [f64], scales: *const u8, format: FloatFormat, position: impl Fn(usize) -> usize) {
    let size = format.storage_bits().div_ceil(8) as usize;
    in_parts(values.len(), PART, |part| {
        let first = part.start;
        for (i, value) in values[part].iter_mut().enumerate() {
            // SAFETY: the caller passes a scale for each block.
            *value *= format.decode(unsafe { read(scales, position(first + i), size) });
        }
    });
}

/// Rounds f32 to the result type.
///
/// # Safety
/// `dst` has room for all values.
pub(super) unsafe fn narrow(level: Level, format: FloatFormat, values: &[f32], dst: *mut u8) {
    // SAFETY: by the contract; registers hold initialised bytes.
    unsafe {
        match format {
            FloatFormat::F16 => to_f16(level, values, std::slice::from_raw_parts_mut(dst.cast(), values.len())),
            _ => std::ptr::copy_nonoverlapping(values.as_ptr(), dst.cast(), values.len()),
        }
    }
}

/// Rounds f64 to f32.
///
/// # Safety
/// `dst` has room for all values.
pub(super) unsafe fn write_f64_as_f32(values: &[f64], dst: *mut u8) {
    // SAFETY: by the contract.
    let one = |i: usize| unsafe { write(dst, i, 4, (values[i] as f32).to_bits().into()) };
    in_parts(values.len(), PART, |part| part.for_each(one));
}

/// The rows of an `m` x `k` matrix of bytes as 16-bit numbers, each row with a zero behind it if `k` is odd.
///
/// # Safety
/// `src` holds the matrix, `out` has room for its rows.
pub(super) unsafe fn widen_bytes(level: Level, signed: bool, src: *const u8, (m, k): (usize, usize), out: &mut [i16]) {
    let pitch = k.next_multiple_of(2);
    let (rows, length) = if pitch == k { (1, m * k) } else { (m, k) };
    for i in 0..rows {
        let row = &mut out[i * pitch..];
        if let Some(behind) = row.get_mut(length) {
            *behind = 0;
        }
        // SAFETY: the caller passes `m * k` bytes.
        unsafe {
            if signed {
                from_i8(level, std::slice::from_raw_parts(src.cast::<i8>().add(i * k), length), &mut row[..length]);
            } else {
                from_u8(level, std::slice::from_raw_parts(src.add(i * k), length), &mut row[..length]);
            }
        }
    }
}

leveled_loop! { pair_rows_i8(rows: &[i8], width: usize, out: &mut [i32]) {
    for (rows, out) in rows.chunks_exact(2 * width).zip(out.chunks_exact_mut(width)) {
        let (upper, lower) = rows.split_at(width);
        out.iter_mut().zip(upper).zip(lower).for_each(|((x, u), l)| *x = pair((*u).into(), (*l).into()));
    }
} }
leveled_loop! { pair_rows_u8(rows: &[u8], width: usize, out: &mut [i32]) {
    for (rows, out) in rows.chunks_exact(2 * width).zip(out.chunks_exact_mut(width)) {
        let (upper, lower) = rows.split_at(width);
        out.iter_mut().zip(upper).zip(lower).for_each(|((x, u), l)| *x = pair((*u).into(), (*l).into()));
    }
} }

/// Pairs of rows of `width` bytes, as 16-bit numbers.
pub(super) fn pair_rows(level: Level, signed: bool, width: usize, rows: &[u8], out: &mut [i32]) {
    if signed {
        // SAFETY: every byte is a number of 8 bits, signed or not.
        let rows = unsafe { std::slice::from_raw_parts(rows.as_ptr().cast(), rows.len()) };
        pair_rows_i8(level, rows, width, out);
    } else {
        pair_rows_u8(level, rows, width, out);
    }
}

leveled_loop! { flip_all(src: &[u8], out: &mut [u8]) {
    out.iter_mut().zip(src).for_each(|(x, b)| *x = *b ^ 0x80);
} }

/// Copies bytes, with their highest bit flipped if `flipped`: signed ones become unsigned ones that are 128 larger, unsigned ones signed
/// ones that are 128 smaller.
pub(super) fn flip(level: Level, flipped: bool, src: &[u8], out: &mut [u8]) {
    if flipped { flip_all(level, src, out) } else { out.copy_from_slice(src) }
}

leveled_loop! { quads_of(rows: &[[u8; WIDTH_QUADS]], out: &mut [[[u8; 4]; WIDTH_QUADS]]) {
    for ([a, b, c, d], out) in rows.as_chunks().0.iter().zip(out) {
        for (x, (((a, b), c), d)) in out.iter_mut().zip(a.iter().zip(b).zip(c).zip(d)) {
            *x = [*a, *b, *c, *d];
        }
    }
} }
leveled_loop! { column_sums_i8(rows: &[[u8; WIDTH_QUADS]], out: &mut [i32; WIDTH_QUADS]) {
    add_columns(rows, out, |byte| (byte as i8).into());
} }
leveled_loop! { column_sums_u8(rows: &[[u8; WIDTH_QUADS]], out: &mut [i32; WIDTH_QUADS]) {
    add_columns(rows, out, i16::from);
} }

/// Adds the bytes of each column.
#[inline(always)]
fn add_columns(rows: &[[u8; WIDTH_QUADS]], out: &mut [i32; WIDTH_QUADS], number: impl Fn(u8) -> i16) {
    // As many bytes as have a sum of 16 bits.
    for rows in rows.chunks(128) {
        let mut sums = [0i16; WIDTH_QUADS];
        for row in rows {
            sums.iter_mut().zip(row).for_each(|(sum, byte)| *sum += number(*byte));
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = out.wrapping_add(sum.into()));
    }
}

/// Four rows of a panel as one of quads each, behind a row of what sums of products begin with. If the left factor was `flipped`, that
/// makes up for it: a signed byte that is 128 too large gives 128 times the other factor too much, an unsigned one too little.
pub(super) fn quad_panel(level: Level, flipped: Option<bool>, rows: &[u8], out: &mut [i32]) {
    let (rows, out) = (rows.as_chunks().0, out.as_chunks_mut().0);
    let Some((first, quads)) = out.split_first_mut() else { return };
    first.fill(0);
    match flipped {
        Some(true) => {
            column_sums_i8(level, rows, first);
            first.iter_mut().for_each(|sum| *sum = sum.wrapping_mul(-128));
        }
        Some(false) => {
            column_sums_u8(level, rows, first);
            first.iter_mut().for_each(|sum| *sum = sum.wrapping_mul(128));
        }
        None => {}
    }
    // SAFETY: numbers are bytes in this order on every CPU that multiplies quads.
    let quads = unsafe { std::slice::from_raw_parts_mut(quads.as_mut_ptr().cast(), quads.len()) };
    quads_of(level, rows, quads);
}
