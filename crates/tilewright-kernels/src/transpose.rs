//! Transposing a matrix of elements between two places in memory.
//!
//! A block is as many rows of the source as make a line of 64 bytes in the target. It is read in whole vectors, turned around in
//! registers and written line by line: no line of the target is visited twice, and its old content need not be read.
//!
//! Within vectors, turning a square around is `log2` rounds of perfect shuffles: zipping the first half of its rows with the second
//! moves the highest bit of an element's place to the lowest, so after as many rounds as a row's number has bits, rows are columns.
#![allow(unsafe_code, reason = "loads and stores through raw pointers, and calls instructions of CPU features")]
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "blocks are made of vectors, of which other CPUs have none here")
)]

use super::{
    ahead::prefetch_row,
    boxes::{BoxCopy, Dim, LINE, Stores},
};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Level;
use crate::interrupt::{Looks, PART};
use std::ops::Range;

/// Bytes of a lane: the part of a vector within which elements are zipped.
const LANE: usize = 16;
/// The most lanes of a vector.
const MAX_LANES: usize = 4;
/// Rows and columns that are transposed together element by element: as many lines as fit the first cache with ease.
const SMALL: usize = 16;
/// The bytes of each row of the target that a group of blocks writes past the caches, and of each row of the source that it reads.
///
/// With one line of the target, memory gets two thirds as much; with four, what is read and what is fetched next has too few places in the
/// second cache where rows are a power of two of bytes apart. Of the source, many lines side by side come faster than as many apart.
const STREAMED_GROUP: [usize; 2] = [2 * LINE, 1024];
/// The same for stores into the caches, where what is written needs places, too.
const CACHED_GROUP: [usize; 2] = [4 * LINE, 256];
/// The bytes of each row of the source up to which a group's blocks go along these rows: of a few lines, all of which are fetched by the time the first
/// one is read. Longer rows come while blocks go along the target's.
const NARROW_GROUP: usize = 256;

/// Bytes of a vector: `LANES` lanes.
///
/// # Safety
/// Methods may only be called where the CPU has the features that the type is for.
unsafe trait Bytes: Copy {
    const LANES: usize;

    /// # Safety
    /// `from` holds a vector, which need not be aligned.
    unsafe fn load(from: *const u8) -> Self;

    /// # Safety
    /// `to` has room for a vector, which need not be aligned.
    unsafe fn store(self, to: *mut u8);

    /// Stores past the caches.
    ///
    /// # Safety
    /// `to` has room for a vector, aligned.
    unsafe fn stream(self, to: *mut u8);

    /// Lane `j` of result `i` is lane `i` of vector `j`, for the first `LANES` vectors.
    unsafe fn transpose_lanes(vectors: [Self; MAX_LANES]) -> [Self; MAX_LANES];

    /// In each lane, elements of `SIZE` bytes alternately from this vector and the other one: of the lower halves, and of the upper ones.
    unsafe fn zip<const SIZE: usize>(self, other: Self) -> (Self, Self);
}

/// Copies a matrix with `column` side by side in the source and `row` side by side in the target.
///
/// # Safety
/// Every element can be read at `from` and written at `to`, and the two do not overlap. The CPU has the level.
pub(super) unsafe fn transpose<const SIZE: usize>(copy: &BoxCopy, column: Dim, row: Dim, from: *const u8, to: *mut u8) {
    match (column, row) {
        // SAFETY: by the caller; two rows of the source are one of pairs.
        (Dim { count, to: 2, .. }, Dim { count: 2, .. }) => return unsafe { zip_rows::<SIZE>(count, row.from, from, to) },
        // SAFETY: the same the other way round.
        (Dim { count: 2, .. }, Dim { count, from: 2, .. }) => return unsafe { unzip_rows::<SIZE>(count, column.to, from, to) },
        _ => {}
    }
    // The part of whole blocks, and their extent.
    let (rows, columns) = match copy.level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if row.count >= 64 / SIZE && column.count >= 64 / SIZE => {
            // SAFETY: by the caller.
            unsafe { x86::transpose_avx512::<SIZE>(copy, column, row, from, to) }
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 if row.count >= 32 / SIZE && column.count >= 32 / SIZE => {
            // SAFETY: by the caller.
            unsafe { x86::transpose_avx2::<SIZE>(copy, column, row, from, to) }
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: by the caller; every such CPU has these vectors.
        _ if row.count >= 16 / SIZE && column.count >= 16 / SIZE => unsafe {
            blocks::<core::arch::aarch64::uint8x16_t, SIZE>(copy, column, row, from, to)
        },
        _ => (0, 0),
    };
    // SAFETY: the rest of the columns, and the rest of the rows of the other columns.
    unsafe {
        let rest = Dim { count: column.count - columns, ..column };
        small::<SIZE>(rest, row, from.add(columns * SIZE), to.add(columns * column.to * SIZE));
        let (part, rest) = (Dim { count: columns, ..column }, Dim { count: row.count - rows, ..row });
        small::<SIZE>(part, rest, from.add(rows * row.from * SIZE), to.add(rows * SIZE));
    }
}

/// Transposes as much as whole blocks cover, group by group; gives how many rows and columns these are.
#[inline(always)]
unsafe fn blocks<V: Bytes, const SIZE: usize>(copy: &BoxCopy, column: Dim, row: Dim, from: *const u8, to: *mut u8) -> (usize, usize) {
    let side = V::LANES * LANE / SIZE;
    // Squares of a block: all that make a line, or else one.
    let squares = if row.count >= LINE / SIZE { LINE / (V::LANES * LANE) } else { 1 };
    let height = side * squares;
    let (rows, columns) = (row.count / height * height, column.count / side * side);
    let (down, pitch) = (row.from * SIZE, column.to * SIZE);
    let whole_lines = squares * V::LANES * LANE == LINE && to.addr().is_multiple_of(LINE) && pitch.is_multiple_of(LINE);
    let streams = copy.stores == Stores::Streaming && whole_lines;
    let group = if streams { STREAMED_GROUP } else { CACHED_GROUP };
    let groups = Groups { rows, columns, height: group[0] / SIZE, width: group[1] / SIZE };
    let mut looks = Looks::new();
    for number in 0..groups.count() {
        let (group, mut next) = (groups.get(number), groups.fetched_with(number, copy, from, down, SIZE));
        if looks.end_after(group.rows.len() * group.columns.len()) {
            break;
        }
        let (high, wide) = (group.rows.len() / height, group.columns.len() / side);
        next.divide(high * wide);
        let by_rows = group.columns.len() * SIZE <= NARROW_GROUP;
        for outer in 0..if by_rows { high } else { wide } {
            for inner in 0..if by_rows { wide } else { high } {
                let (r, c) = if by_rows { (outer, inner) } else { (inner, outer) };
                next.fetch_part();
                // SAFETY: the block lies in the matrix; lines are aligned where they are streamed.
                unsafe {
                    let (r, c) = (group.rows.start + r * height, group.columns.start + c * side);
                    let (source, target) = (from.add(r * down + c * SIZE), to.add(c * pitch + r * SIZE));
                    block::<V, SIZE>(source, down, target, pitch, squares, streams);
                }
            }
        }
    }
    (rows, columns)
}

/// A matrix that is gone through in groups of blocks, one below the other in the source: what memory gives depends on how long the parts
/// of rows are that are read and written together.
struct Groups {
    rows: usize,
    columns: usize,
    /// The extents of a group that does not end with the matrix.
    height: usize,
    width: usize,
}

/// The rows and columns of the source that a group has.
struct Group {
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Groups {
    /// How many groups lie below each other.
    fn in_a_column(&self) -> usize {
        self.rows.div_ceil(self.height)
    }

    fn count(&self) -> usize {
        self.in_a_column() * self.columns.div_ceil(self.width)
    }

    fn get(&self, number: usize) -> Group {
        let (row, column) = (number % self.in_a_column() * self.height, number / self.in_a_column() * self.width);
        Group { rows: row..self.rows.min(row + self.height), columns: column..self.columns.min(column + self.width) }
    }

    /// What is fetched while a group is transposed: the next one, or the first one of the next matrix.
    fn fetched_with(&self, number: usize, copy: &BoxCopy, from: *const u8, down: usize, size: usize) -> Next {
        let is_last = number + 1 == self.count();
        let group = self.get(if is_last { 0 } else { number + 1 });
        let start = from.wrapping_add(group.rows.start * down + group.columns.start * size);
        Next {
            start: if is_last { start.wrapping_add(copy.ahead) } else { start },
            pitch: down,
            rows: if copy.ahead == 0 { 0 } else { group.rows.len() },
            bytes: group.columns.len() * size,
            part: 0,
        }
    }
}

/// Rows that are read next.
struct Next {
    /// The first one that was not fetched.
    start: *const u8,
    pitch: usize,
    /// How many were not fetched, and their bytes.
    rows: usize,
    bytes: usize,
    /// How many are fetched at a time.
    part: usize,
}

impl Next {
    /// Fetches them in so many parts.
    #[inline(always)]
    fn divide(&mut self, parts: usize) {
        self.part = self.rows.div_ceil(parts.max(1));
    }

    /// Fetches a part.
    #[inline(always)]
    fn fetch_part(&mut self) {
        let part = self.part.min(self.rows);
        for _ in 0..part {
            prefetch_row(self.start, self.bytes);
            self.start = self.start.wrapping_add(self.pitch);
        }
        self.rows -= part;
    }
}

/// Transposes squares that lie below each other in the source; distances between rows in bytes.
#[inline(always)]
unsafe fn block<V: Bytes, const SIZE: usize>(from: *const u8, down: usize, to: *mut u8, pitch: usize, squares: usize, streams: bool) {
    let (width, side) = (V::LANES * LANE, V::LANES * LANE / SIZE);
    // SAFETY: by the caller.
    unsafe {
        let square = |s: usize| turn::<V, SIZE>(from.add(s * side * down), down);
        match squares {
            1 => store::<V, 1>([square(0)], to, pitch, side, streams),
            2 => store::<V, 2>([square(0), square(1)], to, pitch, side, streams),
            _ => store::<V, 4>([0, 1, 2, 3].map(square), to, pitch, side, streams),
        }
    }
    debug_assert!(squares * width <= LINE);
}

/// Stores the columns of squares as rows.
#[inline(always)]
unsafe fn store<V: Bytes, const N: usize>(squares: [[[V; LANE]; MAX_LANES]; N], to: *mut u8, pitch: usize, side: usize, streams: bool) {
    let in_lane = side / V::LANES;
    for lane in 0..V::LANES {
        for c in 0..in_lane {
            for (s, square) in squares.iter().enumerate() {
                // SAFETY: by the caller.
                unsafe {
                    let place = to.add((lane * in_lane + c) * pitch + s * V::LANES * LANE);
                    if streams { square[lane][c].stream(place) } else { square[lane][c].store(place) }
                }
            }
        }
    }
}

/// Reads a square and turns it around: column `l * in_lane + c` is vector `c` of part `l`.
#[inline(always)]
unsafe fn turn<V: Bytes, const SIZE: usize>(from: *const u8, down: usize) -> [[V; LANE]; MAX_LANES] {
    let in_lane = LANE / SIZE;
    // SAFETY: by the caller.
    unsafe {
        let mut parts = [[V::load(from); LANE]; MAX_LANES];
        for r in 0..in_lane {
            let mut rows = [parts[0][0]; MAX_LANES];
            for (lane, vector) in rows.iter_mut().enumerate().take(V::LANES) {
                *vector = V::load(from.add((lane * in_lane + r) * down));
            }
            let rows = V::transpose_lanes(rows);
            (0..V::LANES).for_each(|lane| parts[lane][r] = rows[lane]);
        }
        for part in parts.iter_mut().take(V::LANES) {
            for _ in 0..in_lane.ilog2() {
                let before = *part;
                for i in 0..in_lane / 2 {
                    (part[2 * i], part[2 * i + 1]) = before[i].zip::<SIZE>(before[i + in_lane / 2]);
                }
            }
        }
        parts
    }
}

/// Copies two rows to one in which their elements take turns. The compiler makes vectors of that.
unsafe fn zip_rows<const SIZE: usize>(count: usize, pitch: usize, from: *const u8, to: *mut u8) {
    let (from, to) = (from.cast::<[u8; SIZE]>(), to.cast::<[[u8; SIZE]; 2]>());
    in_parts(count, |part| {
        for i in part {
            // SAFETY: the positions lie in the matrix.
            unsafe { *to.add(i) = [*from.add(i), *from.add(pitch + i)] };
        }
    });
}

/// Copies one row to two, to which its elements go by turns.
unsafe fn unzip_rows<const SIZE: usize>(count: usize, pitch: usize, from: *const u8, to: *mut u8) {
    let (from, to) = (from.cast::<[[u8; SIZE]; 2]>(), to.cast::<[u8; SIZE]>());
    in_parts(count, |part| {
        for i in part {
            // SAFETY: the positions lie in the matrix.
            unsafe { [*to.add(i), *to.add(pitch + i)] = *from.add(i) };
        }
    });
}

/// Does something with so many pairs, a part after the other, until the launch is to end.
fn in_parts(count: usize, each: impl Fn(Range<usize>)) {
    let mut looks = Looks::new();
    for first in (0..count).step_by(PART) {
        let part = first..count.min(first + PART);
        if looks.end_after(2 * part.len()) {
            return;
        }
        each(part);
    }
}

/// Copies element by element, in small blocks, so that a line that was read for one row is still there for the next.
unsafe fn small<const SIZE: usize>(column: Dim, row: Dim, from: *const u8, to: *mut u8) {
    let mut looks = Looks::new();
    for j in (0..row.count).step_by(SMALL) {
        let width = SMALL.min(row.count - j);
        for i in (0..column.count).step_by(SMALL) {
            if looks.end_after(SMALL * SMALL) {
                return;
            }
            let height = SMALL.min(column.count - i);
            for c in j..j + width {
                // SAFETY: the positions lie in the matrix.
                unsafe {
                    let source = from.cast::<[u8; SIZE]>().add(c * row.from + i);
                    let target = to.cast::<[u8; SIZE]>().add(i * column.to + c);
                    (0..height).for_each(|r| *target.add(r * column.to) = *source.add(r));
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BoxCopy, Bytes, Dim, MAX_LANES, blocks};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) unsafe fn transpose_avx512<const SIZE: usize>(
        copy: &BoxCopy,
        column: Dim,
        row: Dim,
        from: *const u8,
        to: *mut u8,
    ) -> (usize, usize) {
        // SAFETY: by the caller.
        unsafe { blocks::<__m512i, SIZE>(copy, column, row, from, to) }
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn transpose_avx2<const SIZE: usize>(
        copy: &BoxCopy,
        column: Dim,
        row: Dim,
        from: *const u8,
        to: *mut u8,
    ) -> (usize, usize) {
        // SAFETY: by the caller.
        unsafe { blocks::<__m256i, SIZE>(copy, column, row, from, to) }
    }

    // SAFETY: needs AVX-512 with its byte part, which is the caller's contract.
    unsafe impl Bytes for __m512i {
        const LANES: usize = 4;

        #[inline(always)]
        unsafe fn load(from: *const u8) -> Self {
            // SAFETY: by the contract.
            unsafe { _mm512_loadu_si512(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            // SAFETY: by the contract.
            unsafe { _mm512_storeu_si512(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn stream(self, to: *mut u8) {
            // SAFETY: by the contract.
            unsafe { _mm512_stream_si512(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn transpose_lanes([a, b, c, d]: [Self; MAX_LANES]) -> [Self; MAX_LANES] {
            // SAFETY: by the contract.
            unsafe {
                let (even, odd) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
                let (even_2, odd_2) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
                [
                    _mm512_shuffle_i32x4::<0x88>(even, even_2),
                    _mm512_shuffle_i32x4::<0x88>(odd, odd_2),
                    _mm512_shuffle_i32x4::<0xdd>(even, even_2),
                    _mm512_shuffle_i32x4::<0xdd>(odd, odd_2),
                ]
            }
        }

        #[inline(always)]
        unsafe fn zip<const SIZE: usize>(self, other: Self) -> (Self, Self) {
            // SAFETY: by the contract.
            unsafe {
                match SIZE {
                    1 => (_mm512_unpacklo_epi8(self, other), _mm512_unpackhi_epi8(self, other)),
                    2 => (_mm512_unpacklo_epi16(self, other), _mm512_unpackhi_epi16(self, other)),
                    4 => (_mm512_unpacklo_epi32(self, other), _mm512_unpackhi_epi32(self, other)),
                    _ => (_mm512_unpacklo_epi64(self, other), _mm512_unpackhi_epi64(self, other)),
                }
            }
        }
    }

    // SAFETY: needs AVX2, which is the caller's contract.
    unsafe impl Bytes for __m256i {
        const LANES: usize = 2;

        #[inline(always)]
        unsafe fn load(from: *const u8) -> Self {
            // SAFETY: by the contract.
            unsafe { _mm256_loadu_si256(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            // SAFETY: by the contract.
            unsafe { _mm256_storeu_si256(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn stream(self, to: *mut u8) {
            // SAFETY: by the contract.
            unsafe { _mm256_stream_si256(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn transpose_lanes([a, b, c, d]: [Self; MAX_LANES]) -> [Self; MAX_LANES] {
            // SAFETY: by the contract.
            unsafe { [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b), c, d] }
        }

        #[inline(always)]
        unsafe fn zip<const SIZE: usize>(self, other: Self) -> (Self, Self) {
            // SAFETY: by the contract.
            unsafe {
                match SIZE {
                    1 => (_mm256_unpacklo_epi8(self, other), _mm256_unpackhi_epi8(self, other)),
                    2 => (_mm256_unpacklo_epi16(self, other), _mm256_unpackhi_epi16(self, other)),
                    4 => (_mm256_unpacklo_epi32(self, other), _mm256_unpackhi_epi32(self, other)),
                    _ => (_mm256_unpacklo_epi64(self, other), _mm256_unpackhi_epi64(self, other)),
                }
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use super::{Bytes, MAX_LANES};
    use std::arch::aarch64::*;

    // SAFETY: every AArch64 CPU has these vectors.
    unsafe impl Bytes for uint8x16_t {
        const LANES: usize = 1;

        #[inline(always)]
        unsafe fn load(from: *const u8) -> Self {
            // SAFETY: by the contract.
            unsafe { vld1q_u8(from) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            // SAFETY: by the contract.
            unsafe { vst1q_u8(to, self) }
        }

        #[inline(always)]
        unsafe fn stream(self, to: *mut u8) {
            // SAFETY: by the contract.
            unsafe { vst1q_u8(to, self) }
        }

        #[inline(always)]
        unsafe fn transpose_lanes(vectors: [Self; MAX_LANES]) -> [Self; MAX_LANES] {
            vectors
        }

        #[inline(always)]
        unsafe fn zip<const SIZE: usize>(self, other: Self) -> (Self, Self) {
            macro_rules! zip {
                ($low:ident, $high:ident, $to:ident, $from:ident) => {{
                    let (a, b) = ($to(self), $to(other));
                    ($from($low(a, b)), $from($high(a, b)))
                }};
            }
            // SAFETY: every AArch64 CPU has these instructions.
            unsafe {
                match SIZE {
                    1 => (vzip1q_u8(self, other), vzip2q_u8(self, other)),
                    2 => zip!(vzip1q_u16, vzip2q_u16, vreinterpretq_u16_u8, vreinterpretq_u8_u16),
                    4 => zip!(vzip1q_u32, vzip2q_u32, vreinterpretq_u32_u8, vreinterpretq_u8_u32),
                    _ => zip!(vzip1q_u64, vzip2q_u64, vreinterpretq_u64_u8, vreinterpretq_u8_u64),
                }
            }
        }
    }
}
