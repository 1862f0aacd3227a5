//! Which worker begins which blocks.
//!
//! Neighbouring blocks mostly access neighbouring memory, so each worker has a run of them: its accesses go on where those of its
//! last block ended, which is what the CPU fetches ahead, and no other worker writes beside them. A worker without blocks takes half
//! of what another one has left.

use std::{
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The blocks that have not begun: a run for each worker, or one for all.
pub(crate) struct Runs {
    runs: Vec<Mutex<Range<u64>>>,
    /// The fewest and the most blocks that a worker takes from the front of a run at a time.
    at_once: [u64; 2],
    /// So many blocks are taken together, or several times as many, while a worker takes more than that.
    row: u64,
}

/// Blocks that a worker takes together: taking some is an atomic operation, and the CPU waits there for all that was stored before.
const AT_ONCE: u64 = 64;
/// A worker takes a small part of a run, so that others find some blocks to the end.
const PARTS: u64 = 8;
/// The most rows of blocks that a worker takes together.
const ROWS: u64 = 4;

impl Runs {
    /// Equal runs of the blocks, one for each worker.
    pub(crate) fn divided(blocks: u64, workers: usize) -> Runs {
        let (count, all) = (workers.max(1) as u128, u128::from(blocks));
        // A part of the blocks is at most all of them.
        let border = |worker: u128| (all * worker / count) as u64;
        let runs = (0..count).map(|worker| Mutex::new(border(worker)..border(worker + 1))).collect();
        Runs { runs, at_once: [1, AT_ONCE], row: 1 }
    }

    /// The same, of which workers take `blocks` neighbouring blocks at least while there are so many.
    pub(crate) fn of_at_least(self, blocks: u64) -> Runs {
        Runs { at_once: [blocks, AT_ONCE.max(blocks)], ..self }
    }

    /// The same, of which workers take whole rows of so many blocks, while that is a small part of their run.
    pub(crate) fn in_rows_of(self, blocks: u64) -> Runs {
        let [fewest, most] = self.at_once;
        Runs { at_once: [fewest, most.max(ROWS * blocks)], row: blocks, ..self }
    }

    /// One run that all workers take single blocks from: blocks begin in the order of the grid.
    pub(crate) fn in_order(blocks: u64) -> Runs {
        Runs { at_once: [1, 1], ..Runs::divided(blocks, 1) }
    }

    /// The next blocks for a worker; none if there are none left.
    pub(crate) fn next(&self, worker: usize) -> Range<u64> {
        let own = worker % self.runs.len();
        let next = self.take(&mut self.run(own));
        if next.is_empty() { self.steal(own) } else { next }
    }

    /// Takes some blocks from the front of a run.
    fn take(&self, run: &mut Range<u64>) -> Range<u64> {
        let left = remaining(run);
        let first = run.start;
        let [fewest, most] = self.at_once;
        let part = left / PARTS;
        let part = if part < self.row { part } else { part - part % self.row };
        run.start += part.clamp(fewest, most).min(left);
        first..run.start
    }

    /// Takes the upper half of the longest run for a worker that has none left; gives the first of these blocks.
    fn steal(&self, own: usize) -> Range<u64> {
        loop {
            let Some(longest) = (0..self.runs.len()).max_by_key(|&i| remaining(&self.run(i))) else { return 0..0 };
            let mut stolen = {
                let mut run = self.run(longest);
                let left = remaining(&run);
                let keep = run.start + left / 2;
                let stolen = keep..run.end;
                run.end = keep;
                stolen
            };
            let first = self.take(&mut stolen);
            if !first.is_empty() {
                *self.run(own) = stolen;
                return first;
            }
            // Between the two looks others may have taken the rest of it, and there may be another run.
            if (0..self.runs.len()).all(|i| remaining(&self.run(i)) == 0) {
                return 0..0;
            }
        }
    }

    fn run(&self, worker: usize) -> MutexGuard<'_, Range<u64>> {
        self.runs[worker].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remaining(run: &Range<u64>) -> u64 {
    run.end - run.start
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks that workers get who take turns as `turns` says, until there are none.
    fn taken(runs: &Runs, turns: &[usize]) -> Vec<Vec<u64>> {
        let mut taken = vec![Vec::new(); turns.iter().max().unwrap() + 1];
        for worker in turns.iter().cycle() {
            let next = runs.next(*worker);
            if next.is_empty() {
                break;
            }
            taken[*worker].extend(next);
        }
        taken
    }

    #[test]
    fn each_worker_has_a_run_of_its_own() {
        assert_eq!(taken(&Runs::divided(8, 2), &[0, 1]), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(taken(&Runs::in_order(5), &[0, 1]), [vec![0, 2, 4], vec![1, 3]]);
    }

    #[test]
    fn a_worker_without_blocks_takes_half_of_anothers() {
        let runs = Runs::divided(12, 2);
        assert_eq!(runs.next(1), 6..7);
        assert_eq!(taken(&runs, &[0]), [[0, 1, 2, 3, 4, 5, 9, 10, 11, 8, 7]]);
    }

    #[test]
    fn every_block_is_taken_once() {
        for (blocks, workers) in [(1, 3), (5, 5), (100, 7), (64, 2), (3, 8)] {
            let turns: Vec<usize> = (0..workers).flat_map(|w| vec![w; w * w + 1]).collect();
            let mut all = taken(&Runs::divided(blocks, workers), &turns).concat();
            all.sort_unstable();
            assert_eq!(all, (0..blocks).collect::<Vec<_>>());
        }
        let largest = Runs::divided(u64::MAX, 3);
        assert_eq!((largest.next(0), largest.next(2).start), (0..AT_ONCE, u64::MAX / 3 * 2));
    }

    #[test]
    fn single_blocks_are_taken_in_the_end() {
        let runs = Runs::divided(100, 1);
        let lengths: Vec<u64> = std::iter::from_fn(|| Some(remaining(&runs.next(0))).filter(|n| *n > 0)).collect();
        assert!(lengths.is_sorted_by(|a, b| a >= b) && lengths.iter().sum::<u64>() == 100);
        assert_eq!((lengths[0], lengths[lengths.len() - 15]), (12, 1));
        assert_eq!(Runs::in_order(100).next(0), 0..1);
        let runs = Runs::divided(40, 1).of_at_least(16);
        assert_eq!([(); 4].map(|()| runs.next(0)), [0..16, 16..32, 32..40, 0..0]);
        let runs = Runs::divided(400, 1).in_rows_of(20);
        assert_eq!([(); 6].map(|()| remaining(&runs.next(0))), [40, 40, 40, 20, 20, 20]);
    }
}
