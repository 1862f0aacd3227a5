//! Where products read their factors: in place, or brought to the type of the sums and into an order that is read fast.
#![allow(unsafe_code, reason = "reads factors through raw pointers")]

use super::{
    amx::Least,
    product::{ROWS, Source, SourceFormat, WIDTH_QUADS},
    widen::{HalfRows, flip, pair_rows, quad_panel, widen, widen_bytes, widen_rows},
};
use crate::{
    boxes::{self, Dim},
    cpu::Level,
};
use tilewright_numeric::FloatFormat;

/// A factor: its first element, and the distances between neighbours in a column and in a row, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// The first element.
    pub start: *const u8,
    /// From an element to the one below it.
    pub down: usize,
    /// From an element to the one on its right.
    pub right: usize,
}

/// The matrices of a factor, one for each product of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrices {
    /// That of the first product.
    pub first: Matrix,
    /// From one to the next, in bytes.
    pub across: usize,
}

impl Matrices {
    /// The matrix of a product.
    pub fn of(&self, product: usize) -> Matrix {
        Matrix { start: self.first.start.wrapping_add(product * self.across), ..self.first }
    }
}

/// A left factor, row by row.
#[derive(Clone, Copy)]
pub(super) struct Rows<T> {
    pub(super) start: *const T,
    /// Distance between rows, in elements.
    pub(super) pitch: usize,
}

/// A right factor, cut into panels of columns.
pub(super) struct Panels<T> {
    start: *const T,
    /// Distance between rows, in elements.
    pub(super) pitch: usize,
    /// Distance between panels, in elements.
    pub(super) step: usize,
    /// What the panels have yet to be filled from.
    pub(super) source: Option<Source>,
}

impl<T> Panels<T> {
    /// The first element of a panel.
    ///
    /// # Safety
    /// There is such a panel.
    pub(super) unsafe fn panel(&self, panel: usize) -> *const T {
        // SAFETY: the panel lies in the factor.
        unsafe { self.start.add(panel * self.step) }
    }
}

/// Bytes of a cache line, and of the widest vectors.
pub(super) const LINE: usize = 64;

/// Bytes of the nearest cache: of a matrix that spans no more, no line takes the place of another.
const NEAREST: usize = 32 << 10;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "reached through pointers")] [u8; LINE]);

/// Room for elements, aligned to lines; kept from call to call.
#[derive(Default, Debug)]
pub(super) struct Room(Vec<Line>);

impl Room {
    /// Room for `n` elements, which hold zeros or what was there before.
    pub(super) fn take<T>(&mut self, n: usize) -> *mut T {
        let lines = (n * size_of::<T>()).div_ceil(LINE);
        if self.0.len() < lines {
            self.0.resize(lines, Line([0; LINE]));
        }
        self.0.as_mut_ptr().cast()
    }

    /// The bytes that it keeps.
    pub(super) fn bytes(&self) -> usize {
        self.0.len() * LINE
    }
}

/// How a copy lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    /// As products with vectors read it, of which all are of one kind until others [begin](super::Packs::begin).
    Vectors,
    /// As tiles of AMX, with the factor's least number.
    Tiles(Least),
}

/// Rooms for copies of one factor of several products, of which some may have the same.
#[derive(Default, Debug)]
pub struct Copies {
    /// Each with the matrix that it holds a copy of, if others may use that, and how that lies.
    rooms: Vec<(Option<(Matrix, Layout)>, Room)>,
    /// How many of them are in use.
    used: usize,
    /// The room that was filled last.
    last: usize,
}

impl Copies {
    /// Room for copies of so many matrices; nothing is held yet.
    pub fn begin(&mut self, matrices: usize) {
        if self.rooms.len() < matrices {
            self.rooms.resize_with(matrices, Default::default);
        }
        self.rooms[..matrices].iter_mut().for_each(|(held, _)| *held = None);
        (self.used, self.last) = (matrices, 0);
    }

    /// Room for a copy of `n` elements of a matrix, and whether it is there already.
    pub fn of<T>(&mut self, matrix: &Matrix, n: usize) -> (*mut T, bool) {
        let held = Some((*matrix, Layout::Vectors));
        if let Some((_, room)) = self.rooms[..self.used].iter_mut().find(|(other, _)| *other == held) {
            return (room.take(n), true);
        }
        let to = self.take(n);
        self.rooms[self.last].0 = held;
        (to, false)
    }

    /// A copy of a matrix as tiles of so many bytes, and its least number. If it is not there already, `copy` makes it and finds that number.
    #[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), allow(dead_code, reason = "AMX is used on Linux on x86-64 only"))]
    pub(super) fn tiles_of(&mut self, matrix: &Matrix, bytes: usize, copy: impl FnOnce(*mut u8) -> Least) -> (*mut u8, Least) {
        for (held, room) in &mut self.rooms[..self.used] {
            if let Some((other, Layout::Tiles(least))) = held
                && other == matrix
            {
                return (room.take(bytes), *least);
            }
        }
        let to = self.take(bytes);
        let least = copy(to);
        self.rooms[self.last].0 = Some((*matrix, Layout::Tiles(least)));
        (to, least)
    }

    /// Room for `n` elements of something else.
    pub fn take<T>(&mut self, n: usize) -> *mut T {
        if self.used == 0 {
            self.begin(1);
        }
        self.last = (self.last + 1) % self.used;
        let (held, room) = &mut self.rooms[self.last];
        *held = None;
        room.take(n)
    }
}

/// Room for the factors of products.
#[derive(Default, Debug)]
pub(super) struct Rooms {
    pub(super) raw: Room,
    pub(super) lhs: Copies,
    pub(super) rhs: Copies,
}

impl Rooms {
    /// So many products begin that may share factors.
    pub(super) fn begin(&mut self, products: usize) {
        self.lhs.begin(products);
        self.rhs.begin(products);
    }

    /// The bytes that each keeps.
    pub(super) fn bytes(&self) -> [usize; 3] {
        let all = |copies: &Copies| copies.rooms.iter().map(|(_, room)| room.bytes()).sum();
        [self.raw.bytes(), all(&self.lhs), all(&self.rhs)]
    }
}

/// How panels are laid out.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub(super) k: usize,
    pub(super) n: usize,
    /// Columns of a panel.
    pub(super) width: usize,
    /// Rows of the product: a factor that is read once only is not worth copying.
    pub(super) m: usize,
}

impl Matrix {
    /// The elements row by row: where they are, if they lie so.
    ///
    /// # Safety
    /// The matrix has `rows` rows of `columns` elements of `size` bytes. The CPU has the level.
    unsafe fn in_order(&self, level: Level, size: usize, (rows, columns): (usize, usize), room: &mut Room) -> *const u8 {
        if self.right == 1 && (self.down == columns || rows == 1) {
            return self.start;
        }
        let to = room.take::<u8>(rows * columns * size);
        // SAFETY: by the caller; the room is as large as the matrix.
        unsafe { self.put_in_order(level, size, (rows, columns), to) };
        to
    }

    /// Copies the elements row by row.
    ///
    /// # Safety
    /// As for [`Matrix::in_order`]; there is room for the matrix at `to`.
    unsafe fn put_in_order(&self, level: Level, size: usize, (rows, columns): (usize, usize), to: *mut u8) {
        let dims = [Dim { count: rows, from: self.down, to: columns }, Dim { count: columns, from: self.right, to: 1 }];
        // SAFETY: the caller's matrix, and room for as many elements.
        unsafe { boxes::copy(level, &dims, size, self.start, to) };
    }

    /// The elements in panels of `pitch` rows, of which the last may have columns that mean nothing.
    ///
    /// # Safety
    /// The matrix has the extents of the cut, in elements of `size` bytes; the room is zero or was filled so before. The CPU has the level.
    unsafe fn in_panels(&self, level: Level, size: usize, Cut { k, n, width, .. }: Cut, pitch: usize, to: *mut u8) {
        let (whole, rest) = (n / width, n % width);
        let dims = |panels, columns| {
            [
                Dim { count: panels, from: width * self.right, to: pitch * width },
                Dim { count: k, from: self.down, to: width },
                Dim { count: columns, from: self.right, to: 1 },
            ]
        };
        // SAFETY: the caller's matrix; panels have room for `pitch` rows of `width` elements.
        unsafe {
            if whole > 0 {
                boxes::copy(level, &dims(whole, width), size, self.start, to);
            }
            if rest > 0 {
                let from = self.start.add(whole * width * self.right * size);
                boxes::copy(level, &dims(1, rest), size, from, to.add(whole * pitch * width * size));
            }
        }
    }

    /// Rows of elements that need no change.
    ///
    /// # Safety
    /// As for [`Matrix::in_order`], with elements of type `T`.
    pub(super) unsafe fn rows<T>(&self, level: Level, (m, k): (usize, usize), rooms: &mut Rooms) -> Rows<T> {
        if self.right == 1 {
            return Rows { start: self.start.cast(), pitch: self.down };
        }
        let (to, is_there) = rooms.lhs.of::<T>(self, m * k);
        if !is_there {
            // SAFETY: by the caller; the room is as large as the matrix.
            unsafe { self.put_in_order(level, size_of::<T>(), (m, k), to.cast()) };
        }
        Rows { start: to, pitch: k }
    }

    /// Whether `k` rows of `n` elements are whole lines of the cache, of which no more share a set than it has room for.
    fn has_lines<T>(&self, k: usize, n: usize) -> bool {
        let (row, pitch) = (n * size_of::<T>(), self.down * size_of::<T>());
        self.start.addr().is_multiple_of(LINE) && row.is_multiple_of(LINE) && pitch.is_multiple_of(LINE) && k * pitch <= NEAREST
    }

    /// Room for panels that are filled while the first rows are multiplied: for whole rows in whole panels.
    fn unfilled<T>(&self, format: SourceFormat, Cut { k, n, width, m }: Cut, rooms: &mut Rooms) -> Option<Panels<T>> {
        (self.right == 1 && n.is_multiple_of(width) && m >= ROWS).then(|| {
            let (start, is_there) = rooms.rhs.of::<T>(self, k * n);
            let source = (!is_there).then_some(Source { start: self.start, down: self.down, format });
            Panels { start, pitch: width, step: k * width, source }
        })
    }

    /// Panels of elements that need no change.
    ///
    /// # Safety
    /// As for [`Matrix::in_panels`], with elements of type `T`.
    pub(super) unsafe fn panels<T>(&self, level: Level, cut: Cut, rooms: &mut Rooms) -> Panels<T> {
        let Cut { k, n, width, m } = cut;
        // Rows that lie close together, or that are read few times, are read where they are; far ones share few sets of the cache.
        let is_near = self.down == n || m <= 8;
        let is_read_in_place = if n.is_multiple_of(width) { is_near } else { self.has_lines::<T>(k, n) };
        if self.right == 1 && is_read_in_place {
            return Panels { start: self.start.cast(), pitch: self.down, step: width, source: None };
        }
        if let Some(panels) = self.unfilled(SourceFormat::Same, cut, rooms) {
            return panels;
        }
        let (to, is_there) = rooms.rhs.of::<T>(self, k * n.next_multiple_of(width));
        if !is_there {
            // SAFETY: by the caller.
            unsafe { self.in_panels(level, size_of::<T>(), cut, k, to.cast()) };
        }
        Panels { start: to, pitch: width, step: k * width, source: None }
    }

    /// Rows of floats of any format as f32.
    ///
    /// # Safety
    /// As for [`Matrix::in_order`], with elements of the format.
    pub(super) unsafe fn f32_rows(&self, level: Level, format: FloatFormat, (m, k): (usize, usize), rooms: &mut Rooms) -> Rows<f32> {
        // SAFETY: by the caller; the room is as large as the matrix.
        unsafe {
            if format == FloatFormat::F32 {
                return self.rows(level, (m, k), rooms);
            }
            let size = format.storage_bits().div_ceil(8) as usize;
            let (to, is_there) = rooms.lhs.of::<f32>(self, m * k);
            if is_there {
                return Rows { start: to, pitch: k };
            }
            let out = std::slice::from_raw_parts_mut(to, m * k);
            if self.right == 1 && matches!(format, FloatFormat::F16 | FloatFormat::Bf16) {
                widen_rows(level, format, HalfRows { start: self.start.cast(), pitch: self.down, rows: m, columns: k }, out);
            } else {
                widen(level, format, self.in_order(level, size, (m, k), &mut rooms.raw), out);
            }
            Rows { start: to, pitch: k }
        }
    }

    /// Panels of floats of any format as f32.
    ///
    /// # Safety
    /// As for [`Matrix::in_panels`], with elements of the format.
    pub(super) unsafe fn f32_panels(&self, level: Level, format: FloatFormat, cut: Cut, rooms: &mut Rooms) -> Panels<f32> {
        // SAFETY: by the caller; both rooms hold all panels.
        unsafe {
            if format == FloatFormat::F32 {
                return self.panels(level, cut, rooms);
            }
            let size = format.storage_bits().div_ceil(8) as usize;
            let Cut { k, n, width, .. } = cut;
            let elements = k * n.next_multiple_of(width);
            let format_of_source = match format {
                FloatFormat::F16 => Some(SourceFormat::F16),
                FloatFormat::Bf16 => Some(SourceFormat::Bf16),
                _ => None,
            };
            if let Some(panels) = format_of_source.and_then(|format| self.unfilled(format, cut, rooms)) {
                return panels;
            }
            let (to, is_there) = rooms.rhs.of::<f32>(self, elements);
            if !is_there {
                let raw = rooms.raw.take::<u8>(elements * size);
                self.in_panels(level, size, cut, k, raw);
                widen(level, format, raw, std::slice::from_raw_parts_mut(to, elements));
            }
            Panels { start: to, pitch: width, step: k * width, source: None }
        }
    }

    /// Rows of bytes as pairs of 16-bit numbers; behind a row of odd length follows a zero.
    ///
    /// # Safety
    /// As for [`Matrix::in_order`], with elements of a byte.
    pub(super) unsafe fn pair_rows(&self, level: Level, signed: bool, (m, k): (usize, usize), rooms: &mut Rooms) -> Rows<i32> {
        let pairs = k.div_ceil(2);
        // SAFETY: by the caller; the room is as large as the pairs.
        unsafe {
            let (to, is_there) = rooms.lhs.of::<i32>(self, m * pairs);
            if is_there {
                return Rows { start: to, pitch: pairs };
            }
            let from = self.in_order(level, 1, (m, k), &mut rooms.raw);
            widen_bytes(level, signed, from, (m, k), std::slice::from_raw_parts_mut(to.cast(), 2 * m * pairs));
            Rows { start: to, pitch: pairs }
        }
    }

    /// Panels of bytes, two rows as one row of pairs of 16-bit numbers; an odd row is paired with zeros.
    ///
    /// # Safety
    /// As for [`Matrix::in_panels`], with elements of a byte.
    pub(super) unsafe fn pair_panels(&self, level: Level, signed: bool, cut: Cut, rooms: &mut Rooms) -> Panels<i32> {
        let Cut { k, n, width, .. } = cut;
        let (pairs, panels) = (k.div_ceil(2), n.div_ceil(width));
        let bytes = panels * 2 * pairs * width;
        // SAFETY: by the caller; the rooms hold all panels, with an even number of rows.
        unsafe {
            let (to, is_there) = rooms.rhs.of::<i32>(self, bytes / 2);
            if !is_there {
                let raw = rooms.raw.take::<u8>(bytes);
                if !k.is_multiple_of(2) {
                    std::ptr::write_bytes(raw, 0, bytes);
                }
                self.in_panels(level, 1, cut, 2 * pairs, raw);
                pair_rows(level, signed, width, std::slice::from_raw_parts(raw, bytes), std::slice::from_raw_parts_mut(to, bytes / 2));
            }
            Panels { start: to, pitch: width, step: pairs * width, source: None }
        }
    }

    /// Rows of bytes as quads, each byte with its highest bit flipped if `flipped`; behind a row follow zeros up to whole quads.
    ///
    /// # Safety
    /// As for [`Matrix::in_order`], with elements of a byte.
    pub(super) unsafe fn quad_rows(&self, level: Level, flipped: bool, (m, k): (usize, usize), rooms: &mut Rooms) -> Rows<i32> {
        let quads = k.div_ceil(4);
        let (to, is_there) = rooms.lhs.of::<i32>(self, m * quads);
        if is_there {
            return Rows { start: to, pitch: quads };
        }
        // SAFETY: by the caller; the room is as large as the quads.
        unsafe {
            let (from, pitch) =
                if self.right == 1 { (self.start, self.down) } else { (self.in_order(level, 1, (m, k), &mut rooms.raw), k) };
            for (row, out) in std::slice::from_raw_parts_mut(to.cast::<u8>(), 4 * m * quads).chunks_exact_mut(4 * quads).enumerate() {
                let (out, behind) = out.split_at_mut(k);
                flip(level, flipped, std::slice::from_raw_parts(from.add(row * pitch), k), out);
                behind.fill(0);
            }
        }
        Rows { start: to, pitch: quads }
    }

    /// Panels of bytes, four rows as one row of quads, filled up with zeros. In front of each panel lies a row of what sums begin with, to
    /// make up for a left factor that was flipped: `flipped` says whether it was, and all bytes are signed, or none.
    ///
    /// # Safety
    /// As for [`Matrix::in_panels`], with elements of a byte.
    pub(super) unsafe fn quad_panels(&self, level: Level, flipped: Option<bool>, cut: Cut, rooms: &mut Rooms) -> Panels<i32> {
        let Cut { k, n, width, .. } = cut;
        assert_eq!(width, WIDTH_QUADS, "quads have panels of one width");
        let (quads, panels) = (k.div_ceil(4), n.div_ceil(width));
        let (bytes, step) = (4 * quads * width, (1 + quads) * width);
        // SAFETY: by the caller; the rooms hold all panels.
        unsafe {
            let (to, is_there) = rooms.rhs.of::<i32>(self, panels * step);
            if is_there {
                return Panels { start: to, pitch: width, step, source: None };
            }
            let raw = rooms.raw.take::<u8>(panels * bytes);
            if !k.is_multiple_of(4) {
                std::ptr::write_bytes(raw, 0, panels * bytes);
            }
            self.in_panels(level, 1, cut, 4 * quads, raw);
            let (raw, out) = (std::slice::from_raw_parts(raw, panels * bytes), std::slice::from_raw_parts_mut(to, panels * step));
            for (rows, out) in raw.chunks_exact(bytes).zip(out.chunks_exact_mut(step)) {
                quad_panel(level, flipped, rows, out);
            }
            Panels { start: to, pitch: width, step, source: None }
        }
    }
}

impl<T> Rows<T> {
    /// Whole rows, one behind the other.
    pub(super) fn of(elements: &[T], pitch: usize) -> Rows<T> {
        Rows { start: elements.as_ptr(), pitch }
    }
}
