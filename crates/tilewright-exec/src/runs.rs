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
pub(crate) struct Runs(Vec<Mutex<Range<u64>>>);

impl Runs {
    /// Equal runs of the blocks, one for each worker.
    pub(crate) fn divided(blocks: u64, workers: usize) -> Runs {
        let (count, all) = (workers.max(1) as u128, u128::from(blocks));
        // A part of the blocks is at most all of them.
        let border = |worker: u128| (all * worker / count) as u64;
        Runs((0..count).map(|worker| Mutex::new(border(worker)..border(worker + 1))).collect())
    }

    /// One run that all workers begin at the front of: blocks begin in the order of the grid.
    pub(crate) fn in_order(blocks: u64) -> Runs {
        Runs::divided(blocks, 1)
    }

    /// The next block for a worker.
    pub(crate) fn next(&self, worker: usize) -> Option<u64> {
        let own = worker % self.0.len();
        let next = self.run(own).next();
        next.or_else(|| self.steal(own))
    }

    /// Takes the upper half of the longest run for a worker that has none left; gives the first of these blocks.
    fn steal(&self, own: usize) -> Option<u64> {
        loop {
            let longest = (0..self.0.len()).max_by_key(|&i| remaining(&self.run(i)))?;
            let mut stolen = {
                let mut run = self.run(longest);
                let left = remaining(&run);
                let keep = run.start + left / 2;
                let stolen = keep..run.end;
                run.end = keep;
                stolen
            };
            match stolen.next() {
                Some(first) => {
                    *self.run(own) = stolen;
                    return Some(first);
                }
                // Between the two looks others took the rest of it, and there may be another run.
                None if (0..self.0.len()).any(|i| remaining(&self.run(i)) > 0) => {}
                None => return None,
            }
        }
    }

    fn run(&self, worker: usize) -> MutexGuard<'_, Range<u64>> {
        self.0[worker].lock().unwrap_or_else(PoisonError::into_inner)
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
            match runs.next(*worker) {
                Some(block) => taken[*worker].push(block),
                None => break,
            }
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
        assert_eq!(runs.next(1), Some(6));
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
        assert_eq!((largest.next(0), largest.next(2)), (Some(0), Some(u64::MAX / 3 * 2)));
    }
}
