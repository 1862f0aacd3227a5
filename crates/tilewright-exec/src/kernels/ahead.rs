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
pub(crate) struct Lines {
    pub(crate) start: *const u8,
    pub(crate) count: usize,
}

/// What is to be fetched.
#[derive(Default, Debug)]
pub(crate) struct Ahead {
    rows: Vec<Rows>,
    lines: usize,
    /// Over how many steps of computing they are spread.
    steps: usize,
}

impl Ahead {
    /// Asks for `rows` rows of `bytes` bytes, whose beginnings are `pitch` bytes apart.
    pub(crate) fn add(&mut self, start: *const u8, rows: usize, pitch: usize, bytes: usize) {
        let lines = (start.addr() % LINE + bytes).div_ceil(LINE);
        if rows * lines > 0 && self.lines + rows * lines <= MAX_LINES {
            self.rows.push(Rows { start, pitch, rows, lines, part: rows });
            self.lines += rows * lines;
        }
    }

    /// Asks for `bytes` bytes side by side, from the line on that they begin in, without what is left behind whole runs.
    pub(crate) fn add_run(&mut self, start: *const u8, bytes: usize) {
        let before = start.addr() % LINE;
        self.add(start.wrapping_sub(before), (before + bytes) / RUN, RUN, RUN);
    }

    /// Asks for nothing any more; `steps` steps of computing follow.
    pub(crate) fn begin(&mut self, steps: usize) {
        self.rows.clear();
        self.lines = 0;
        self.steps = steps;
    }

    /// Fetches the share of one step, small enough that computing need not wait.
    ///
    /// A share of what is left, line by line: the same for all steps, and whole runs at once, made sums of rows take half as long again.
    #[inline]
    pub(crate) fn fetch_share(&mut self) {
        let share = self.share();
        self.skip(1);
        self.fetch(share);
    }

    /// How many lines the next step shall fetch.
    pub(crate) fn share(&self) -> usize {
        self.lines.div_ceil(self.steps.max(1)).min(MAX_SHARE)
    }

    /// So many steps fetch what they have taken.
    pub(crate) fn skip(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Takes away up to `most` lines side by side, for whoever fetches them himself; none, if the next rows lie apart and have fewer than `fewest`. The
    /// fewer that are left of a run before another are fetched at once.
    pub(crate) fn take(&mut self, most: usize, fewest: usize) -> Option<Lines> {
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
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Fetches whole rows, the oldest first, of at least this many lines together while there are some.
    #[inline]
    pub(crate) fn fetch(&mut self, lines: usize) {
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
    pub(crate) fn cut(&mut self, steps: usize) {
        for rows in &mut self.rows {
            let parts = steps * rows.rows * rows.lines / self.lines;
            rows.part = rows.rows.div_ceil(parts.max(1));
        }
    }

    /// Fetches the share of a step of a product: apart from its loops, which need the registers.
    #[inline(never)]
    pub(crate) fn fetch_part(&mut self) {
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
pub(crate) fn prefetch_row(start: *const u8, bytes: usize) {
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
pub(crate) fn prefetch(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: needs no more than SSE, which every x86-64 CPU has; a prefetch may name any address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_fetched_once() {
        let mut ahead = Ahead::default();
        // Rows of 100 bytes that begin 32 bytes into a line lie in 3 lines.
        ahead.add(std::ptr::without_provenance(96), 4, 1 << 13, 100);
        ahead.add(std::ptr::without_provenance(1 << 30), 2, 64, 64);
        assert_eq!(ahead.lines(), 14);
        ahead.fetch(4);
        assert_eq!(ahead.lines(), 8);
        ahead.fetch(0);
        assert_eq!(ahead.lines(), 8);
        ahead.fetch(100);
        assert_eq!(ahead.lines(), 0);
        ahead.begin(3);
        ahead.add_run(std::ptr::null(), 4096);
        // A share is a third, and runs are fetched whole.
        let left = [(); 4].map(|()| {
            ahead.fetch_share();
            ahead.lines()
        });
        assert_eq!(left, [40, 20, 0, 0]);
        ahead.add_run(std::ptr::null(), LINE);
        ahead.fetch(1);
        ahead.add(std::ptr::null(), MAX_LINES + 1, 64, 64);
        assert_eq!(ahead.lines(), 0);
    }

    #[test]
    fn lines_side_by_side_are_taken_together() {
        let at = |address| std::ptr::without_provenance(address);
        let mut ahead = Ahead::default();
        ahead.begin(8);
        ahead.add_run(at(4096), 4 * RUN);
        ahead.add(at(1 << 20), 3, 1 << 12, 128);
        assert_eq!(ahead.share(), 3);
        // Whole runs; of rows that lie apart one after the other, if they are long enough.
        assert_eq!(ahead.take(5, 1), Some(Lines { start: at(4096), count: 8 }));
        assert_eq!(ahead.take(100, 8), Some(Lines { start: at(4096 + 512), count: 8 }));
        assert_eq!(ahead.take(0, 0), None);
        assert_eq!(ahead.take(2, 2), Some(Lines { start: at(1 << 20), count: 2 }));
        assert_eq!(ahead.take(4, 3), None);
        assert_eq!(ahead.take(4, 2), Some(Lines { start: at((1 << 20) + (1 << 12)), count: 2 }));
        ahead.skip(7);
        assert_eq!((ahead.lines(), ahead.share()), (2, 2));
        // What is left of the first run is too little to be fetched side by side.
        ahead.begin(1);
        ahead.add_run(at(4096), RUN);
        ahead.add_run(at(1 << 20), 2 * RUN);
        assert_eq!(ahead.take(8, 8), Some(Lines { start: at(1 << 20), count: 8 }));
        ahead.add_run(at(4096), RUN);
        assert_eq!(ahead.take(8, 8), Some(Lines { start: at(4096), count: 4 }));
        assert_eq!(ahead.lines(), 0);
    }

    #[test]
    fn a_product_fetches_whole_rows_before_each_step() {
        for lines in [1, 2, 3, 4, 5, 8] {
            let mut ahead = Ahead::default();
            // A third of the steps for the first tile, two thirds for the second: two rows before each.
            ahead.add(std::ptr::without_provenance(0), 6, 1 << 13, lines * LINE);
            ahead.add(std::ptr::without_provenance(1 << 30), 12, 1 << 13, lines * LINE);
            ahead.cut(9);
            for step in 1..=9 {
                ahead.fetch_part();
                assert_eq!(ahead.lines(), (18 - 2 * step) * lines, "{lines} lines, step {step}");
                let next = ahead.rows.first().map(|rows| rows.start.addr());
                let [tile, row] = if step < 3 { [0, 2 * step] } else { [1 << 30, 2 * (step - 3)] };
                let expected = (step < 9).then_some(tile + (row << 13));
                assert_eq!(next, expected, "{lines} lines, step {step}");
            }
            ahead.fetch_part();
            assert_eq!(ahead.lines(), 0);
        }
        // More steps than rows, and fewer.
        for (rows, steps) in [(3, 100), (100, 3), (7, 2)] {
            let mut ahead = Ahead::default();
            ahead.add(std::ptr::null(), rows, 64, 64);
            ahead.cut(steps);
            (0..steps).for_each(|_| ahead.fetch_part());
            assert_eq!(ahead.lines(), 0, "{rows} rows in {steps} steps");
        }
    }
}
