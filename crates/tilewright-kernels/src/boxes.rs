//! Copying boxes of elements from one strided array to another: loads, stores, transpositions.
#![allow(unsafe_code, reason = "reads and writes through raw pointers, and calls versions for CPU features")]

use super::{stream, transpose::transpose};
use crate::{
    cpu::Level,
    interrupt::{Looks, PART, pending},
};

/// One dimension of a box, with the distances between neighbours in elements.
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// How many elements it has.
    pub count: usize,
    /// The distance between neighbours where they are read.
    pub from: usize,
    /// The distance between neighbours where they are written.
    pub to: usize,
}

/// Dimensions, without those of one element and what lies side by side, that are copied with care.
const MAX_DIMS: usize = 8;
/// Bytes of a cache line.
pub const LINE: usize = 64;
/// Bytes that are copied between two looks at the interrupt.
const PART_BYTES: usize = 8 * PART;

/// How a copy writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stores {
    /// Into the caches, from where it is probably read soon.
    Cached,
    /// Whole lines go past the caches, which need not read them first then. Other threads see them after a [`fence`](super::stream::fence).
    Streaming,
}

/// Copies a box whose dimensions are given from the outermost on, through the caches.
///
/// # Safety
/// As for [`BoxCopy::run`].
pub unsafe fn copy(level: Level, dims: &[Dim], size: usize, from: *const u8, to: *mut u8) {
    let mut long = dims.iter().filter(|dim| dim.count != 1);
    // SAFETY: by the contract.
    unsafe {
        match (long.next(), long.next()) {
            // A short row, as most are, which has no form to be found out.
            (Some(Dim { count, from: 1, to: 1 }), None) if count * size <= PART_BYTES => to.copy_from_nonoverlapping(from, count * size),
            _ => BoxCopy { level, size, stores: Stores::Cached, ahead: 0 }.run(&Form::new(dims), from, to),
        }
    }
}

/// How a box is copied.
#[derive(Clone, Copy, Debug)]
pub struct BoxCopy {
    /// The instruction set.
    pub level: Level,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub size: usize,
    /// How it writes.
    pub stores: Stores,
    /// How many bytes behind this box, wrapping around, the next one will probably be read, or 0 if nobody knows or it is in the caches.
    /// Transpositions fetch what they read next: the CPU does not see their many short rows coming.
    pub ahead: usize,
}

/// Copies an element of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// It can be read and written, aligned or not.
#[inline]
pub unsafe fn copy_element(size: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by the caller.
    unsafe {
        match size {
            1 => *to = *from,
            2 => to.cast::<u16>().write_unaligned(from.cast::<u16>().read_unaligned()),
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            _ => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
        }
    }
}

/// Copies `bytes` bytes that lie side by side, of elements of `size` bytes.
///
/// # Safety
/// They can be read and written, aligned or not, and do not overlap.
#[inline]
pub unsafe fn copy_run(bytes: usize, size: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by the caller.
    unsafe { if bytes == size { copy_element(size, from, to) } else { to.copy_from_nonoverlapping(from, bytes) } }
}

/// Copies one element after the other.
unsafe fn each(dims: &[Dim], size: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by the caller.
    unsafe {
        match dims.split_first() {
            None => copy_element(size, from, to),
            Some((dim, rest)) => (0..dim.count).for_each(|i| each(rest, size, from.add(i * dim.from * size), to.add(i * dim.to * size))),
        }
    }
}

/// How a box is gone through: found out once where many boxes of the same form are copied.
#[derive(Clone, Debug)]
pub struct Form {
    /// The dimensions around what is copied together.
    outer: Vec<Dim>,
    together: Together,
}

/// What is copied together.
#[derive(Clone, Copy, Debug)]
enum Together {
    /// Rows of so many elements that lie side by side in both.
    Rows(Dim, usize),
    /// A matrix that has the elements of a column side by side in the source, and those of a row in the target.
    Transposed { column: Dim, row: Dim },
    /// A row, each of whose elements is written so many times side by side.
    Repeated { row: Dim, times: usize },
    /// Runs of elements, of which at least one side has them apart: every second one, or one many times.
    Strided { runs: Dim, run: Dim },
    /// One element.
    Element,
}

impl Form {
    /// The form of a box whose dimensions are given from the outermost on.
    pub fn new(dims: &[Dim]) -> Form {
        let mut simple = [Dim { count: 1, from: 1, to: 1 }; MAX_DIMS];
        let mut rank = 0;
        for dim in dims.iter().filter(|dim| dim.count != 1) {
            match simple[..rank].last_mut() {
                Some(outer) if outer.from == dim.from * dim.count && outer.to == dim.to * dim.count => {
                    *outer = Dim { count: outer.count * dim.count, ..*dim };
                }
                // More dimensions than anybody uses: one element after the other.
                _ if rank == MAX_DIMS => return Form { outer: dims.to_vec(), together: Together::Element },
                _ => {
                    simple[rank] = *dim;
                    rank += 1;
                }
            }
        }
        Form::of_simple(&mut simple[..rank])
    }

    /// The form of a box with dimensions of more than one element, none of which goes on where another one ends.
    fn of_simple(dims: &mut [Dim]) -> Form {
        let (near_from, near_to) = (dims.iter().position(|d| d.from == 1), dims.iter().position(|d| d.to == 1));
        match (near_from, near_to) {
            // Rows that lie side by side in both: innermost, with the longest other dimension around them.
            (Some(a), Some(b)) if a == b => {
                dims[a..].rotate_left(1);
                match dims {
                    [outer @ .., rows, row] => Form { outer: outer.to_vec(), together: Together::Rows(*rows, row.count) },
                    _ => Form { outer: Vec::new(), together: Together::Rows(Dim { count: 1, from: 0, to: 0 }, dims[a].count) },
                }
            }
            // Side by side along different dimensions: a transposition, unless one of them repeats what the other one reads.
            (Some(a), Some(b)) => {
                let others = dims.iter().enumerate().filter(|(i, _)| *i != a && *i != b).map(|(_, dim)| *dim);
                let together = match (dims[a], dims[b]) {
                    (row, Dim { count: times, from: 0, .. }) if row.to == times => Together::Repeated { row, times },
                    (column, row) => Together::Transposed { column, row },
                };
                Form { outer: others.collect(), together }
            }
            _ => Form::strided(dims),
        }
    }

    /// The form of a box that has no elements side by side in both, nor is a transposition: runs go along its nearest elements.
    fn strided(dims: &mut [Dim]) -> Form {
        let Some(nearest) = (0..dims.len()).min_by_key(|d| dims[*d].from.saturating_add(dims[*d].to)) else {
            return Form { outer: Vec::new(), together: Together::Element };
        };
        dims[nearest..].rotate_left(1);
        match dims {
            [outer @ .., runs, run] => Form { outer: outer.to_vec(), together: Together::Strided { runs: *runs, run: *run } },
            _ => Form { outer: Vec::new(), together: Together::Strided { runs: Dim { count: 1, from: 0, to: 0 }, run: dims[nearest] } },
        }
    }
}

impl BoxCopy {
    /// Copies a box.
    ///
    /// # Safety
    /// Every element of the box can be read at `from` and written at `to`, and the two do not overlap. Elements need not be aligned. The
    /// CPU has the level.
    pub unsafe fn run(&self, form: &Form, from: *const u8, to: *mut u8) {
        // SAFETY: the inner functions stay in the box, whatever the order of its dimensions.
        unsafe {
            match form.together {
                Together::Rows(rows, count) => {
                    let copy = |from: *const u8, to: *mut u8| self.rows(rows, count * self.size, from, to);
                    self.outer(&form.outer, from, to, (&copy, rows.count * count), &mut Looks::new());
                }
                Together::Transposed { column, row } => {
                    let copy = |from: *const u8, to: *mut u8| self.transpose(column, row, from, to);
                    self.outer(&form.outer, from, to, (&copy, column.count * row.count), &mut Looks::new());
                }
                Together::Repeated { row, times } => {
                    let copy = |from: *const u8, to: *mut u8| self.repeat(row.count, times, from, to);
                    self.outer(&form.outer, from, to, (&copy, row.count * times), &mut Looks::new());
                }
                Together::Strided { runs, run } => {
                    let copy = |from: *const u8, to: *mut u8| self.strided(runs, run, from, to);
                    self.outer(&form.outer, from, to, (&copy, runs.count * run.count), &mut Looks::new());
                }
                Together::Element => self.elements(&form.outer, from, to),
            }
        }
    }

    /// Calls `inner` for every position of the outer dimensions, with so many elements each; `false` if the launch is to end.
    unsafe fn outer(
        &self,
        dims: &[Dim],
        from: *const u8,
        to: *mut u8,
        inner: (&dyn Fn(*const u8, *mut u8), usize),
        looks: &mut Looks,
    ) -> bool {
        match dims.split_first() {
            None => {
                inner.0(from, to);
                !looks.end_after(inner.1)
            }
            Some((dim, rest)) => (0..dim.count).all(|i| {
                // SAFETY: the positions lie in the box.
                unsafe { self.outer(rest, from.add(i * dim.from * self.size), to.add(i * dim.to * self.size), inner, looks) }
            }),
        }
    }

    /// Copies element by element.
    unsafe fn elements(&self, dims: &[Dim], from: *const u8, to: *mut u8) {
        // The inner dimensions that have no more elements together than a part of the work.
        let (mut inner, mut elements) = (dims.len(), 1);
        while inner > 0 && elements * dims[inner - 1].count <= PART {
            inner -= 1;
            elements *= dims[inner].count;
        }
        let (outer, inner) = dims.split_at(inner);
        // SAFETY: by the caller.
        let copy = |from: *const u8, to: *mut u8| unsafe { each(inner, self.size, from, to) };
        // SAFETY: by the caller.
        unsafe { self.outer(outer, from, to, (&copy, elements), &mut Looks::new()) };
    }

    /// Copies rows of `bytes` bytes.
    unsafe fn rows(&self, rows: Dim, bytes: usize, from: *const u8, to: *mut u8) {
        let rows = Dim { count: rows.count, from: rows.from * self.size, to: rows.to * self.size };
        if rows.count * bytes <= PART_BYTES {
            // SAFETY: by the caller.
            return unsafe { self.some_rows(rows, bytes, from, to) };
        }
        // Some whole rows, or parts of one.
        let (together, length) = ((PART_BYTES / bytes).max(1), bytes.min(PART_BYTES));
        for first in (0..rows.count).step_by(together) {
            let some = Dim { count: together.min(rows.count - first), ..rows };
            for at in (0..bytes).step_by(length) {
                // SAFETY: some of the caller's rows.
                unsafe { self.some_rows(some, length.min(bytes - at), from.add(first * rows.from + at), to.add(first * rows.to + at)) };
                if pending() {
                    return;
                }
            }
        }
    }

    /// Copies rows of `bytes` bytes; distances in bytes.
    unsafe fn some_rows(&self, rows: Dim, bytes: usize, from: *const u8, to: *mut u8) {
        if self.stores == Stores::Streaming {
            // SAFETY: by the caller.
            return unsafe { (0..rows.count).for_each(|r| stream::copy(self.level, from.add(r * rows.from), to.add(r * rows.to), bytes)) };
        }
        // SAFETY: by the caller, and the CPU has the level.
        unsafe {
            match (bytes, self.level) {
                // A few elements, of which each row is one move.
                (2, _) => short_rows::<2>(rows, from, to),
                (4, _) => short_rows::<4>(rows, from, to),
                (8, _) => short_rows::<8>(rows, from, to),
                (16, _) => short_rows::<16>(rows, from, to),
                (32, _) => short_rows::<32>(rows, from, to),
                #[cfg(target_arch = "x86_64")]
                (_, Level::Avx512) => rows_avx512(rows, bytes, from, to),
                #[cfg(target_arch = "x86_64")]
                (_, Level::Avx2) => rows_avx2(rows, bytes, from, to),
                _ => copy_rows(rows, bytes, from, to),
            }
        }
    }

    /// Copies a row, each element so many times.
    unsafe fn repeat(&self, count: usize, times: usize, from: *const u8, to: *mut u8) {
        // SAFETY: by the caller.
        unsafe {
            match self.size {
                1 => repeat::<u8>(count, times, from.cast(), to.cast()),
                2 => repeat::<u16>(count, times, from.cast(), to.cast()),
                4 => repeat::<u32>(count, times, from.cast(), to.cast()),
                _ => repeat::<u64>(count, times, from.cast(), to.cast()),
            }
        }
    }

    /// Copies runs of elements that do not lie side by side.
    unsafe fn strided(&self, runs: Dim, run: Dim, from: *const u8, to: *mut u8) {
        // SAFETY: by the caller.
        unsafe {
            match self.size {
                1 => copy_strided::<u8>(runs, run, from.cast(), to.cast()),
                2 => copy_strided::<u16>(runs, run, from.cast(), to.cast()),
                4 => copy_strided::<u32>(runs, run, from.cast(), to.cast()),
                _ => copy_strided::<u64>(runs, run, from.cast(), to.cast()),
            }
        }
    }

    /// Copies with `column` side by side in the source and `row` side by side in the target.
    unsafe fn transpose(&self, column: Dim, row: Dim, from: *const u8, to: *mut u8) {
        // SAFETY: by the caller.
        unsafe {
            match self.size {
                1 => transpose::<1>(self, column, row, from, to),
                2 => transpose::<2>(self, column, row, from, to),
                4 => transpose::<4>(self, column, row, from, to),
                _ => transpose::<8>(self, column, row, from, to),
            }
        }
    }
}

/// Copies a row, each element so many times; places need not be aligned.
unsafe fn repeat<T: Copy>(count: usize, times: usize, from: *const T, to: *mut T) {
    let mut looks = Looks::new();
    for first in (0..count).step_by(PART) {
        let part = PART.min(count - first);
        // SAFETY: a part of the caller's row.
        unsafe {
            let (from, to) = (from.add(first), to.add(first * times));
            match times {
                2 => repeat_by::<T, 2>(part, from, to),
                3 => repeat_by::<T, 3>(part, from, to),
                4 => repeat_by::<T, 4>(part, from, to),
                8 => repeat_by::<T, 8>(part, from, to),
                _ => {
                    for i in 0..part {
                        let element = from.add(i).read_unaligned();
                        (0..times).for_each(|j| to.add(i * times + j).write_unaligned(element));
                    }
                }
            }
        }
        if looks.end_after(part * times) {
            return;
        }
    }
}

/// The same by a number that the compiler knows.
unsafe fn repeat_by<T: Copy, const TIMES: usize>(count: usize, from: *const T, to: *mut T) {
    for i in 0..count {
        // SAFETY: the row and its copies lie in the box.
        unsafe { to.add(i * TIMES).cast::<[T; TIMES]>().write_unaligned([from.add(i).read_unaligned(); TIMES]) };
    }
}

/// Copies runs of elements one by one; places need not be aligned.
unsafe fn copy_strided<T: Copy>(runs: Dim, run: Dim, from: *const T, to: *mut T) {
    let mut looks = Looks::new();
    for r in 0..runs.count {
        if looks.end_after(run.count) {
            return;
        }
        // SAFETY: the run lies in the box.
        let (from, to) = unsafe { (from.add(r * runs.from), to.add(r * runs.to)) };
        // SAFETY: as above.
        let one = |i: usize, j: usize| unsafe { to.add(j).write_unaligned(from.add(i).read_unaligned()) };
        // Known distances become other code than those that are not.
        match (run.from, run.to) {
            (2, 1) => (0..run.count).for_each(|i| one(2 * i, i)),
            (1, 2) => (0..run.count).for_each(|i| one(i, 2 * i)),
            (from, to) => (0..run.count).for_each(|i| one(i * from, i * to)),
        }
    }
}

/// Copies rows of `BYTES` bytes; distances in bytes.
unsafe fn short_rows<const BYTES: usize>(rows: Dim, from: *const u8, to: *mut u8) {
    for r in 0..rows.count {
        // SAFETY: the rows lie in the box.
        unsafe {
            let row = from.add(r * rows.from).cast::<[u8; BYTES]>().read_unaligned();
            to.add(r * rows.to).cast::<[u8; BYTES]>().write_unaligned(row);
        }
    }
}

/// Copies rows; distances in bytes.
#[inline(always)]
unsafe fn copy_rows(rows: Dim, bytes: usize, from: *const u8, to: *mut u8) {
    for r in 0..rows.count {
        // SAFETY: the rows lie in the box.
        unsafe {
            let (from, to) = (from.add(r * rows.from), to.add(r * rows.to));
            let mut at = 0;
            while at + LINE <= bytes {
                let line = from.add(at).cast::<[u8; LINE]>().read_unaligned();
                to.add(at).cast::<[u8; LINE]>().write_unaligned(line);
                at += LINE;
            }
            if at < bytes {
                std::ptr::copy_nonoverlapping(from.add(at), to.add(at), bytes - at);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn rows_avx2(rows: Dim, bytes: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by the caller.
    unsafe { copy_rows(rows, bytes, from, to) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn rows_avx512(rows: Dim, bytes: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by the caller.
    unsafe { copy_rows(rows, bytes, from, to) }
}
