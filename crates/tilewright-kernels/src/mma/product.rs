//! Sums of products, block by block: as many rows and vectors of columns as the registers hold.
#![allow(unsafe_code, reason = "reads and writes matrices through raw pointers, and calls versions for CPU features")]

use super::{
    Shape,
    factors::{Panels, Rows},
    panel::{Bf16, F16, Filling, Format, Panel, Ready, Same},
};
#[cfg(target_arch = "x86_64")]
use crate::vector::Quads;
use crate::{
    ahead::Ahead,
    cpu::Level,
    interrupt::Looks,
    vector::{Pairs, Vector},
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m256i, __m512, __m512d, __m512i};
use std::ops::Range;

/// `c = acc + rows * panels`, all in the type of the sums.
pub(super) struct Product<'f, T> {
    pub(super) shape: Shape,
    /// So many of `k` are one product, which is summed apart and then added to the sum of those before it.
    pub(super) depth: usize,
    pub(super) rows: Rows<T>,
    pub(super) panels: &'f Panels<T>,
    /// So many products are summed before their sum is added to others: the rounding errors of a long sum are those of shorter ones.
    pub(super) chunk: usize,
    pub(super) acc: Start<T>,
    /// Row-major; may be `acc`.
    pub(super) c: *mut T,
}

/// A right factor of whole rows that panels are filled from.
pub(super) struct Source {
    pub(super) start: *const u8,
    /// Distance between rows, in elements.
    pub(super) down: usize,
    pub(super) format: SourceFormat,
}

/// The formats that panels are filled from.
#[derive(Clone, Copy, Debug)]
pub(super) enum SourceFormat {
    /// That of the sums.
    Same,
    F16,
    Bf16,
}

/// What sums begin with.
#[derive(Clone, Copy)]
pub(super) enum Start<T> {
    /// The elements of a matrix like `c`.
    At(*const T),
    /// One number for all.
    Splat(T),
}

/// Rows of a block, of what is left of larger ones too.
pub(super) const ROWS: usize = 4;
/// Rows of a block of two vectors of columns in 16 registers: 12 sums, where 8 would do if the CPU never waited for anything but sums.
#[cfg(target_arch = "x86_64")]
const ROWS_OF_AVX2: usize = 6;
/// Rows of a block of at most [`NARROW`] vectors of columns, where registers hold more: so that there are as many sums that wait for nothing.
#[cfg(target_arch = "x86_64")]
const ROWS_OF_NARROW: usize = 8;
/// See [`ROWS_OF_NARROW`].
#[cfg(target_arch = "x86_64")]
const NARROW: usize = 2;
/// Products of numbers that take as long as other work on one element, at least.
const PRODUCTS: usize = 16;
/// Rows of a panel that are multiplied between two looks at whether a chunk ends. Shorter vectors have more rounds to compute, and less to wait for at their
/// end: of these it is a row at a time.
const fn unrolled<V>() -> usize {
    if size_of::<V>() > 32 { 4 } else { 1 }
}

/// Declares a product with a version for each level, and the width of its panels.
macro_rules! leveled_product {
    ($name:ident, $width:ident, $t:ty, $avx512:ty, $avx2:ty, $baseline:ty) => {
        /// Multiplies; prefetches what will be needed next meanwhile.
        ///
        /// # Safety
        /// The matrices have the shape; `c` overlaps the factors nowhere, and `acc` nowhere or everywhere. Panels were made for the
        /// level, which the CPU has.
        pub(super) unsafe fn $name(level: Level, product: &Product<'_, $t>, ahead: &mut Ahead) {
            // SAFETY: by the contract.
            unsafe {
                match level {
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => product.avx512::<$avx512>(ahead),
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => product.avx2::<$avx2>(ahead),
                    _ => product.run::<$baseline, ROWS, 2, true>(ahead),
                }
            }
        }

        /// Columns of a panel.
        pub(super) const fn $width(level: Level) -> usize {
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => 4 * <$avx512>::LANES,
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => 2 * <$avx2>::LANES,
                _ => 2 * <$baseline>::LANES,
            }
        }
    };
}
leveled_product! { product_f32, width_f32, f32, __m512, __m256, [f32; 4] }
leveled_product! { product_f64, width_f64, f64, __m512d, __m256d, [f64; 2] }
leveled_product! { product_i16, width_i16, i32, Pairs<__m512i>, Pairs<__m256i>, Pairs<[i32; 4]> }

/// Columns of a panel of quads of bytes.
pub(super) const WIDTH_QUADS: usize = 64;

/// Multiplies quads of bytes, of which those of one factor are signed: of the right one or of the left one.
///
/// # Safety
/// As for [`product_i16`]. The CPU multiplies quads.
pub(super) unsafe fn product_quads(right_signed: bool, product: &Product<'_, i32>, ahead: &mut Ahead) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma")]
    unsafe fn avx512_vnni<V: Fills<Lane = i32>>(product: &Product<'_, i32>, ahead: &mut Ahead) {
        const { assert!(4 * V::LANES == WIDTH_QUADS) };
        // SAFETY: by the caller.
        unsafe { product.run::<V, ROWS, 4, true>(ahead) }
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: by the contract.
    unsafe {
        if right_signed {
            avx512_vnni::<Quads<__m512i, true>>(product, ahead);
        } else {
            avx512_vnni::<Quads<__m512i, false>>(product, ahead);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("{right_signed}, {:?}: no CPU but x86-64 multiplies quads, {ahead:?}", product.shape);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
unsafe fn avx512<V: Fills, const R: usize, const JOINS: bool>(product: &Product<'_, V::Lane>, ahead: &mut Ahead) {
    // At least 16 sums in 32 registers, and the vectors of a row of b.
    // SAFETY: by the caller.
    unsafe { product.run::<V, R, 4, JOINS>(ahead) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2<V: Fills, const R: usize, const JOINS: bool>(product: &Product<'_, V::Lane>, ahead: &mut Ahead) {
    // SAFETY: by the caller.
    unsafe { product.run::<V, R, 2, JOINS>(ahead) }
}

/// Vectors that panels are filled with while the first rows are multiplied.
trait Fills: Vector {
    /// The first `R` rows of a product in a panel, which is filled from `source`.
    ///
    /// # Safety
    /// The product has as many rows, and the panel is whole; the CPU has the features of the vector.
    unsafe fn first_rows<const R: usize, const C: usize, const JOINS: bool>(
        product: &Product<'_, Self::Lane>,
        source: &Source,
        panel: usize,
    );
}

/// Declares which formats of factors vectors are filled from.
macro_rules! fills {
    ($($vector:ty: $($format:ident)*;)*) => {$(
        impl Fills for $vector {
            #[inline(always)]
            unsafe fn first_rows<const R: usize, const C: usize, const JOINS: bool>(
                product: &Product<'_, Self::Lane>,
                source: &Source,
                panel: usize,
            ) {
                match source.format {
                    // SAFETY: by the contract.
                    $(SourceFormat::$format => unsafe { product.first_block::<Self, $format, R, C, JOINS>(source, panel) },)*
                    #[allow(unreachable_patterns, reason = "some vectors are filled from all formats")]
                    other => unreachable!("no product of these sums has factors of {other:?}"),
                }
            }
        }
    )*};
}
fills! {
    [f32; 4]: Same F16 Bf16;
    [f64; 2]: Same;
    Pairs<[i32; 4]>: Same;
}
#[cfg(target_arch = "x86_64")]
fills! {
    __m256: Same F16 Bf16;
    __m512: Same F16 Bf16;
    __m256d: Same;
    __m512d: Same;
    Pairs<__m256i>: Same;
    Pairs<__m512i>: Same;
    Quads<__m512i, true>: Same;
    Quads<__m512i, false>: Same;
}

impl<T: Copy> Product<'_, T> {
    /// Whether it is several products.
    #[cfg(target_arch = "x86_64")]
    fn joins(&self) -> bool {
        self.depth < self.shape.k
    }

    /// Multiplies with AVX-512: each way is a function of its own, so that none keeps what only another needs in registers.
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx512<V: Fills<Lane = T>>(&self, ahead: &mut Ahead) {
        let is_narrow = self.shape.n <= NARROW * V::LANES && self.shape.m.is_multiple_of(ROWS_OF_NARROW);
        // SAFETY: by the contract.
        unsafe {
            if is_narrow && self.panels.source.is_none() {
                avx512::<V, ROWS_OF_NARROW, true>(self, ahead);
            } else if self.joins() {
                avx512::<V, ROWS, true>(self, ahead);
            } else {
                avx512::<V, ROWS, false>(self, ahead);
            }
        }
    }

    /// Multiplies with AVX2, each way in a function of its own. Where products are of several chunks, the registers hold sums of two chunks.
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx2<V: Fills<Lane = T>>(&self, ahead: &mut Ahead) {
        // SAFETY: by the contract.
        unsafe {
            match (self.depth <= self.chunk, self.joins()) {
                (true, true) => avx2::<V, ROWS_OF_AVX2, true>(self, ahead),
                (true, false) => avx2::<V, ROWS_OF_AVX2, false>(self, ahead),
                (false, true) => avx2::<V, ROWS, true>(self, ahead),
                (false, false) => avx2::<V, ROWS, false>(self, ahead),
            }
        }
    }

    /// Multiplies in blocks of `R` rows and `C` vectors, and in smaller ones what is left, line by line.
    ///
    /// Where rows lie close together, all take their turn with a panel before the next one, which stays in the nearest cache then. Rows that are
    /// read where they are often lie a power of two apart, and share few sets of the caches: each is read once, by all panels.
    #[inline(always)]
    unsafe fn run<V: Fills<Lane = T>, const R: usize, const C: usize, const JOINS: bool>(&self, ahead: &mut Ahead) {
        let (Shape { m, n, k }, width) = (self.shape, C * V::LANES);
        let (bands, panels) = (Bands::of::<R>(m), n.div_ceil(width));
        let few = bands.whole * R;
        let ones = few + bands.few * ROWS;
        ahead.cut(bands.count() * panels);
        let mut pace = Pace { looks: Looks::new(), work: (R * width * k / PRODUCTS).max(1), ahead, ended: false };
        let by_panels = self.rows.pitch == k && bands.count() > 1;
        for panel in 0..if by_panels { panels } else { 1 } {
            let part = |bands| if by_panels { Part::Panel(panel, bands) } else { Part::Rows(bands) };
            // SAFETY: the blocks lie inside the matrices.
            unsafe {
                self.part::<V, R, C, JOINS>(0, part(bands.whole), &mut pace);
                self.part::<V, ROWS, C, JOINS>(few, part(bands.few), &mut pace);
                self.part::<V, 1, C, JOINS>(ones, part(bands.ones), &mut pace);
            }
        }
    }

    /// Multiplies so many bands of `R` rows, from a row on, in one panel or in all.
    #[inline(always)]
    unsafe fn part<V: Fills<Lane = T>, const R: usize, const C: usize, const JOINS: bool>(
        &self,
        row: usize,
        part: Part,
        pace: &mut Pace<'_>,
    ) {
        let panels = self.shape.n.div_ceil(C * V::LANES);
        let (lines, panel, blocks, is_down) = match part {
            Part::Panel(panel, bands) => (bands.min(1), panel, bands, true),
            Part::Rows(bands) => (bands, 0, panels, false),
        };
        for line in 0..lines {
            // SAFETY: by the caller.
            unsafe { self.line::<V, R, C, JOINS>((row + line * R, panel), blocks, is_down, pace) };
        }
    }

    /// So many blocks of `R` rows from the one on that begins with this row of this panel: below each other, or side by side.
    #[inline(always)]
    unsafe fn line<V: Fills<Lane = T>, const R: usize, const C: usize, const JOINS: bool>(
        &self,
        (row, panel): (usize, usize),
        count: usize,
        is_down: bool,
        pace: &mut Pace<'_>,
    ) {
        let (n, width) = (self.shape.n, C * V::LANES);
        let Panels { pitch, step, .. } = *self.panels;
        let (down, right) = if is_down { (R, 0) } else { (0, 1) };
        // The first rows fill panels, and the last panel may be narrow.
        let first = if is_down { count.min(1) } else { count };
        let filled = if R > 1 && row == 0 && self.panels.source.is_some() { first } else { 0 };
        let whole = if is_down && (panel + 1) * width <= n { count } else { n / width - panel };
        // SAFETY: the blocks lie inside the matrices.
        unsafe {
            for at in 0..filled {
                if pace.ends() {
                    return;
                }
                if let Some(source) = &self.panels.source {
                    V::first_rows::<R, C, JOINS>(self, source, panel + at);
                }
            }
            let (row, panel) = (row + filled * down, panel + filled * right);
            let mut factors = self.factors(row, Ready { start: self.panels.panel(panel), pitch });
            let mut sums = self.sums(row, panel * width);
            for at in filled..count {
                if pace.ends() {
                    return;
                }
                if at < whole {
                    block::<V, _, R, C, JOINS>(factors, sums);
                } else {
                    rest::<V, R, JOINS>(factors, sums, n % width);
                }
                factors.a = factors.a.wrapping_add(down * factors.a_pitch);
                factors.b.start = factors.b.start.wrapping_add(right * step);
                sums.advance(down * n + right * width);
            }
        }
    }

    /// The first `R` rows of a panel, which fill it.
    #[inline(always)]
    unsafe fn first_block<V: Vector<Lane = T>, F: Format<V>, const R: usize, const C: usize, const JOINS: bool>(
        &self,
        source: &Source,
        panel: usize,
    ) {
        let (width, column) = (C * V::LANES, panel * C * V::LANES);
        // SAFETY: the factor has whole panels, which lie inside the room for them.
        unsafe {
            let to = self.panels.panel(panel).cast_mut();
            let b = Filling::<T, F>::new(source.start.add(column * F::SIZE), source.down * F::SIZE, to, width);
            block::<V, _, R, C, JOINS>(self.factors(0, b), self.sums(0, column));
        }
    }

    /// The factors of a block whose first row is `row`.
    #[inline(always)]
    unsafe fn factors<P>(&self, row: usize, b: P) -> Factors<T, P> {
        // SAFETY: the row is one of the product's.
        let a = unsafe { self.rows.start.add(row * self.rows.pitch) };
        Factors { a, a_pitch: self.rows.pitch, b, k: self.shape.k, depth: self.depth, chunk: self.chunk }
    }

    /// The sums of a block whose first element is in this row and column.
    #[inline(always)]
    unsafe fn sums(&self, row: usize, column: usize) -> Sums<T> {
        let (n, first) = (self.shape.n, row * self.shape.n + column);
        // SAFETY: the element is one of the product's.
        unsafe {
            let acc = match self.acc {
                Start::At(acc) => Start::At(acc.add(first)),
                splat => splat,
            };
            Sums { acc, c: self.c.add(first), pitch: n }
        }
    }
}

/// How the rows of a product are cut: first blocks of as many as registers hold, then of [`ROWS`], then single ones.
#[derive(Clone, Copy)]
struct Bands {
    whole: usize,
    few: usize,
    ones: usize,
}

impl Bands {
    /// `m` rows, in blocks of `R`: one block fewer than there could be, if that leaves fewer single rows, which wait for their sums.
    fn of<const R: usize>(m: usize) -> Bands {
        let ones = |whole: usize| (m - whole * R) % ROWS;
        let (most, fewer) = (m / R, (m / R).saturating_sub(1));
        let whole = if ones(fewer) < ones(most) { fewer } else { most };
        Bands { whole, few: (m - whole * R) / ROWS, ones: ones(whole) }
    }

    fn count(self) -> usize {
        self.whole + self.few + self.ones
    }
}

/// Bands of as many rows.
#[derive(Clone, Copy)]
enum Part {
    /// So many, in this panel.
    Panel(usize, usize),
    /// So many, in all panels.
    Rows(usize),
}

/// What is done before each block: a look at the interrupt now and then, and fetching what is wanted later.
struct Pace<'a> {
    looks: Looks,
    /// Of a block.
    work: usize,
    ahead: &'a mut Ahead,
    ended: bool,
}

impl Pace<'_> {
    /// Whether the launch is to end, before a block.
    #[inline(always)]
    fn ends(&mut self) -> bool {
        self.ended |= self.looks.end_after(self.work);
        if !self.ended && self.ahead.lines() > 0 {
            self.ahead.fetch_part();
        }
        self.ended
    }
}

/// The factors of a block: the first element of its rows, the distance between rows, and its panel.
#[derive(Clone, Copy)]
struct Factors<T, P> {
    a: *const T,
    a_pitch: usize,
    b: P,
    k: usize,
    depth: usize,
    chunk: usize,
}

/// The sums of a block: where they begin and where they go, with the distance between rows.
#[derive(Clone, Copy)]
struct Sums<T> {
    acc: Start<T>,
    c: *mut T,
    pitch: usize,
}

impl<T> Sums<T> {
    /// Goes on to the block that begins this many columns to the right.
    #[inline(always)]
    fn advance(&mut self, columns: usize) {
        self.c = self.c.wrapping_add(columns);
        if let Start::At(acc) = &mut self.acc {
            *acc = acc.wrapping_add(columns);
        }
    }
}

/// `R` rows of fewer columns than a panel has.
#[inline(always)]
unsafe fn rest<V: Vector, const R: usize, const JOINS: bool>(
    mut factors: Factors<V::Lane, Ready<V::Lane>>,
    mut sums: Sums<V::Lane>,
    mut columns: usize,
) {
    // SAFETY: the vectors lie inside the caller's matrices; panels are filled up to whole vectors.
    unsafe {
        while columns >= V::LANES {
            let vectors = if columns >= 2 * V::LANES { 2 } else { 1 };
            if vectors == 2 {
                block::<V, _, R, 2, JOINS>(factors, sums)
            } else {
                block::<V, _, R, 1, JOINS>(factors, sums)
            }
            let done = vectors * V::LANES;
            factors.b.start = factors.b.start.add(done);
            sums.advance(done);
            columns -= done;
        }
        if columns > 0 {
            // Whole vectors elsewhere, of which the first columns count.
            let mut whole = [V::splat(*factors.a); R];
            let c = whole.as_mut_ptr().cast::<V::Lane>();
            let copy = |from: *const V::Lane, from_pitch: usize, to: *mut V::Lane, to_pitch: usize| {
                (0..R).for_each(|r| std::ptr::copy_nonoverlapping(from.add(r * from_pitch), to.add(r * to_pitch), columns));
            };
            let mut acc = sums.acc;
            if let Start::At(from) = acc {
                copy(from, sums.pitch, c, V::LANES);
                acc = Start::At(c);
            }
            block::<V, _, R, 1, JOINS>(factors, Sums { acc, c, pitch: V::LANES });
            copy(c, V::LANES, sums.c, sums.pitch);
        }
    }
}

/// `R` rows of `C` vectors, product by product if it `JOINS` several.
#[inline(always)]
unsafe fn block<V: Vector, P: Panel<V>, const R: usize, const C: usize, const JOINS: bool>(
    factors: Factors<V::Lane, P>,
    mut sums: Sums<V::Lane>,
) {
    if !JOINS {
        // SAFETY: the caller's block lies inside the matrices, and it has the features of the vectors.
        return unsafe { one_product::<V, P, R, C>(factors, 0..factors.k, sums) };
    }
    // Not as a range with steps, which divides to know how many there are: that takes as long as a tenth of a block.
    let mut first = 0;
    while first < factors.k {
        let end = factors.k.min(first + factors.depth);
        // SAFETY: as above.
        unsafe { one_product::<V, P, R, C>(factors, first..end, sums) };
        (first, sums.acc) = (end, Start::At(sums.c));
    }
}

/// `R` rows of `C` vectors of a product, which are kept in registers for all of a chunk.
///
/// The products are summed apart from `acc`.
#[inline(always)]
unsafe fn one_product<V: Vector, P: Panel<V>, const R: usize, const C: usize>(
    factors: Factors<V::Lane, P>,
    product: Range<usize>,
    sums: Sums<V::Lane>,
) {
    let Factors { chunk: length, .. } = factors;
    let Range { start, end } = product;
    // SAFETY: the caller's block lies inside the matrices, and it has the features of the vectors.
    unsafe {
        // One chunk goes straight from the registers: those of several chunks do not have room in them together.
        if end - start <= length {
            let total = chunk::<V, P, R, C>(factors, start..end);
            return add_to::<V, R, C>(&total, sums);
        }
        let mut totals = chunk::<V, P, R, C>(factors, start..start + length);
        let mut next = start + length;
        while next < end {
            let first = next;
            next = end.min(next + length);
            let sums = chunk::<V, P, R, C>(factors, first..next);
            for (total, sum) in totals.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
                *total = total.add(*sum);
            }
        }
        add_to::<V, R, C>(&totals, sums);
    }
}

/// Adds what was summed to what the block's sums begin with.
#[inline(always)]
unsafe fn add_to<V: Vector, const R: usize, const C: usize>(totals: &[[V; C]; R], Sums { acc, c, pitch }: Sums<V::Lane>) {
    for (r, totals) in totals.iter().enumerate() {
        for (v, total) in totals.iter().enumerate() {
            let at = r * pitch + v * V::LANES;
            // SAFETY: by the caller.
            unsafe {
                let acc = match acc {
                    Start::At(acc) => V::load(acc.add(at)),
                    Start::Splat(value) => V::splat(value),
                };
                acc.add(*total).store(c.add(at));
            }
        }
    }
}

/// The sums of the products of a chunk.
#[inline(always)]
unsafe fn chunk<V: Vector, P: Panel<V>, const R: usize, const C: usize>(factors: Factors<V::Lane, P>, chunk: Range<usize>) -> [[V; C]; R] {
    let Factors { a, a_pitch, b, .. } = factors;
    let rows: [*const V::Lane; R] = std::array::from_fn(|r| a.wrapping_add(r * a_pitch));
    // SAFETY: by the caller.
    unsafe {
        let mut first = [V::splat(V::Lane::default()); C];
        if V::LEADS {
            // Sums of these are of one chunk.
            for (v, first) in first.iter_mut().enumerate() {
                *first = b.vector(0, v);
            }
        }
        let mut sums = [first; R];
        let Range { start: mut p, end } = chunk;
        // Few rounds, whose end the CPU foresees: otherwise it begins the next block for nothing, and waits.
        while end - p >= unrolled::<V>() {
            for next in 0..unrolled::<V>() {
                add_row(&rows, b, p + next, &mut sums);
            }
            p += unrolled::<V>();
        }
        while p < end {
            add_row(&rows, b, p, &mut sums);
            p += 1;
        }
        sums
    }
}

/// Adds the products of a column of `rows` and a row of a panel.
#[inline(always)]
unsafe fn add_row<V: Vector, P: Panel<V>, const R: usize, const C: usize>(
    rows: &[*const V::Lane; R],
    b: P,
    p: usize,
    sums: &mut [[V; C]; R],
) {
    // SAFETY: by the caller.
    unsafe {
        let mut factors = [V::splat(V::Lane::default()); C];
        for (v, factor) in factors.iter_mut().enumerate() {
            *factor = b.vector(p + usize::from(V::LEADS), v);
        }
        for (row, sums) in rows.iter().zip(sums) {
            let x = V::splat(*row.add(p));
            for (sum, factor) in sums.iter_mut().zip(&factors) {
                *sum = sum.add_product(x, *factor);
            }
        }
    }
}
