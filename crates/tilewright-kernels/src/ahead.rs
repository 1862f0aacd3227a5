//! Reading ahead: rows of memory that will probably be needed soon are brought to the cache while the CPU computes.
//!
//! A prefetch changes nothing that a program can see, and may name any address; a wrong guess only costs time.
#![cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "prefetches are intrinsics"))]

/// Bytes of a cache line.
const LINE: usize = 64;
/// More lines than this would push out what is needed sooner.
const MAX_LINES: usize = 4096;

/// Bytes of a long row that are fetched together.
const RUN: usize = 4 * LINE;

/// The most lines that are fetched before a step.
const MAX_SHARE: usize = 64;

/// Rows of bytes that are still to be fetched.
#[derive(Clone, Copy, Debug)]
struct Rows {
    start: *const u8,
    pitch: usize,
    rows: usize,
    /// Lines of a row.
    lines: usize,
    /// How many rows are fetched together before a step of a product.
    part: usize,
}

impl Rows {
    /// Fetches so many rows of a tile of a matrix, which mostly have a power of two of lines.
    #[inline(always)]
    fn fetch(&mut self, count: usize) {
        match self.lines {
            2 => self.fetch_rows(2, count),
            4 => self.fetch_rows(4, count),
            8 => self.fetch_rows(8, count),
            other => self.fetch_rows(other, count),
        }
        self.rows -= count;
    }

    /// The same for rows of `each` lines. Where that is a constant, what counts them is left out, which would
    /// take as long as the fetching.
    #[inline(always)]
    fn fetch_rows(&mut self, each: usize, count: usize) {
        let (mut row, pitch) = (self.start, self.pitch);
        for _ in 0..count {
            (0..each).for_each(|line| prefetch(row.wrapping_add(line * LINE)));
            row = row.wrapping_add(pitch);
        }
        self.start = row;
    }
}

/// Lines side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lines {
    /// The first byte.
    pub start: *const u8,
    /// How many lines there are.
    pub count: usize,
}

/// What is to be fetched.
#[derive(Clone, Default, Debug)]
pub struct Ahead {
    rows: Vec<Rows>,
    lines: usize,
    /// Over how many steps of computing they are spread.
    steps: usize,
}

impl Ahead {
    /// Asks for `rows` rows of `bytes` bytes, whose beginnings are `pitch` bytes apart.
    pub fn add(&mut self, start: *const u8, rows: usize, pitch: usize, bytes: usize) {
        let lines = (start.addr() % LINE + bytes).div_ceil(LINE);
        if rows * lines > 0 && self.lines + rows * lines <= MAX_LINES {
            self.rows.push(Rows { start, pitch, rows, lines, part: rows });
            self.lines += rows * lines;
        }
    }

    /// Asks for `bytes` bytes side by side, from the line on that they begin in, without what is left behind whole runs.
    pub fn add_run(&mut self, start: *const u8, bytes: usize) {
        let before = start.addr() % LINE;
        self.add(start.wrapping_sub(before), (before + bytes) / RUN, RUN, RUN);
    }

    /// Asks for nothing any more; `steps` steps of computing follow.
    #[inline]
    pub fn begin(&mut self, steps: usize) {
        self.rows.clear();
        self.lines = 0;
        self.steps = steps;
    }

    /// Fetches the share of one step, small enough that computing need not wait.
    ///
    /// A share of what is left, line by line: the same for all steps, and whole runs at once, made sums of rows take half as long again.
    #[inline]
    pub fn fetch_share(&mut self) {
        let share = self.share();
        self.skip(1);
        self.fetch(share);
    }

    /// How many lines the next step shall fetch.
    #[inline]
    pub fn share(&self) -> usize {
        self.lines.div_ceil(self.steps.max(1)).min(MAX_SHARE)
    }

    /// So many steps fetch what they have taken.
    #[inline]
    pub fn skip(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Takes away up to `most` lines side by side, for whoever fetches them himself; none, if the next rows lie apart and have fewer than `fewest`. The
    /// fewer that are left of a run before another are fetched at once.
    pub fn take(&mut self, most: usize, fewest: usize) -> Option<Lines> {
        loop {
            let rows = self.rows.first_mut()?;
            let side_by_side = if rows.pitch == rows.lines * LINE { rows.rows } else { 1 };
            let count = most.div_ceil(rows.lines).min(side_by_side);
            let taken = Lines { start: rows.start, count: count * rows.lines };
            let is_last = rows.rows * rows.lines == self.lines;
            if count == 0 || side_by_side < rows.rows && taken.count < fewest {
                return None;
            }
            if side_by_side * rows.lines < fewest && !is_last {
                self.fetch(taken.count);
                continue;
            }
            rows.start = rows.start.wrapping_add(count * rows.pitch);
            rows.rows -= count;
            self.lines -= taken.count;
            if rows.rows == 0 {
                self.rows.remove(0);
            }
            return Some(taken);
        }
    }

    /// How many lines are still to be fetched.
    #[inline]
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Fetches whole rows, the oldest first, of at least this many lines together while there are some.
    #[inline]
    pub fn fetch(&mut self, lines: usize) {
        let goal = self.lines.saturating_sub(lines);
        while self.lines > goal {
            let Some(rows) = self.rows.first_mut() else { return };
            (0..rows.lines).for_each(|line| prefetch(rows.start.wrapping_add(line * LINE)));
            self.lines -= rows.lines;
            rows.start = rows.start.wrapping_add(rows.pitch);
            rows.rows -= 1;
            if rows.rows == 0 {
                self.rows.remove(0);
            }
        }
    }

    /// Shares out what is to be fetched over the steps of a product: whole rows for each, so that little has to be done before a step.
    pub fn cut(&mut self, steps: usize) {
        for rows in &mut self.rows {
            let parts = steps * rows.rows * rows.lines / self.lines;
            rows.part = rows.rows.div_ceil(parts.max(1));
        }
    }

    /// Fetches the share of a step of a product: apart from its loops, which need the registers.
    #[inline(never)]
    pub fn fetch_part(&mut self) {
        let Some(rows) = self.rows.first_mut() else { return };
        let count = rows.part.min(rows.rows);
        self.lines -= count * rows.lines;
        rows.fetch(count);
        if rows.rows == 0 {
            self.drop_first();
        }
    }

    #[cold]
    fn drop_first(&mut self) {
        self.rows.remove(0);
    }
}

/// Brings a row of bytes to the second cache: rows of a matrix often have a power of two of bytes, and then few fit the first one.
#[inline(always)]
pub fn prefetch_row(start: *const u8, bytes: usize) {
    for at in (0..bytes).step_by(LINE) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: needs no more than SSE, which every x86-64 CPU has; a prefetch may name any address.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(start.wrapping_add(at).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (start, at);
    }
}

/// Brings a line to the cache.
#[inline]
pub fn prefetch(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: needs no more than SSE, which every x86-64 CPU has; a prefetch may name any address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
