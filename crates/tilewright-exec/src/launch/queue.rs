//! The blocks that are still to be run, and those that wait.

use crate::{
    LaunchError, LaunchErrorKind, ProgressFn,
    runs::Runs,
    vm::{Block, Launch},
};
use std::{
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};
use tilewright_passes::clock::Moment;

/// How blocks are counted for those who are told of progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// How many ended before.
    pub(super) before: u64,
    /// As how many each counts.
    pub(super) each: u64,
}

impl Default for Counted {
    fn default() -> Counted {
        Counted { before: 0, each: 1 }
    }
}

/// How the blocks of a queue ended.
pub(super) struct Ended {
    /// How many ended.
    pub(super) blocks: u64,
    /// How often one was parked.
    pub(super) parked: u64,
    /// The first failure, and when it happened.
    pub(super) failure: Option<(LaunchError, Moment)>,
}

/// The blocks that are still to be run.
pub(super) struct Queue {
    new: Runs,
    blocks: u64,
    /// How many blocks a worker runs in step.
    pub(super) in_step: usize,
    ended: AtomicU64,
    /// How many blocks are parked, for workers that only want to know whether there are any.
    waiting: AtomicU64,
    /// Blocks that there is memory for: those that have begun, and those that have ended and may be used again.
    made: AtomicU64,
    /// A block found no memory to begin: from now on, those that end are there for all workers, and counted.
    short: AtomicBool,
    ended_since: AtomicU64,
    state: Mutex<State>,
    progress: Option<ProgressFn>,
    counted: Counted,
}

#[expect(clippy::vec_box, reason = "a block goes from list to list, and its state stays where it is")]
#[derive(Default)]
struct State {
    /// Parked blocks of this round, the next one last.
    round: Vec<Box<Block>>,
    /// Blocks that were parked since the round began.
    parked: Vec<Box<Block>>,
    /// The next round goes from the first block to the last.
    upward: bool,
    parked_count: u64,
    /// Ended blocks, to be used again.
    ended: Vec<Box<Block>>,
    /// The first failure, and when it happened.
    failure: Option<(LaunchError, Moment)>,
}

impl State {
    fn next_parked(&mut self) -> Option<Box<Block>> {
        if self.round.is_empty() {
            std::mem::swap(&mut self.round, &mut self.parked);
            self.round.sort_unstable_by_key(|block| block.index);
            if self.upward {
                self.round.reverse();
            }
            self.upward = !self.upward;
        }
        self.round.pop()
    }
}

/// What a worker does next.
pub(super) enum Work {
    Begin(u64),
    Resume(Box<Block>),
    /// Every block that is left is being run by another worker, and may be parked again.
    Wait,
    Done,
}

/// What the queue knows of a worker.
#[expect(clippy::vec_box, reason = "a block goes from list to list, and its state stays where it is")]
pub(super) struct Worker {
    index: usize,
    /// Resume a parked block before the next one begins.
    resume: bool,
    /// Blocks that it will begin next.
    pub(super) taken: Range<u64>,
    /// Blocks that it has ended and that are not counted yet.
    ended: u64,
    /// Blocks that it has ended, to be used again: as many as it runs in step, at most.
    idle: Vec<Box<Block>>,
    /// How many blocks it has resumed for want of memory since one ended, and how many had ended then.
    resumed: u64,
    seen: u64,
}

impl Worker {
    pub(super) fn new(index: usize) -> Worker {
        Worker { index, resume: true, taken: 0..0, ended: 0, idle: Vec::new(), resumed: 0, seen: 0 }
    }
}

impl Queue {
    pub(super) fn new(new: Runs, blocks: u64, in_step: usize, progress: Option<ProgressFn>, counted: Counted) -> Queue {
        let zero = || AtomicU64::new(0);
        let (ended, waiting, made, ended_since) = (zero(), zero(), zero(), zero());
        Queue {
            new,
            blocks,
            in_step,
            ended,
            waiting,
            made,
            short: AtomicBool::new(false),
            ended_since,
            state: Mutex::default(),
            progress,
            counted,
        }
    }

    /// How its blocks ended.
    pub(super) fn into_ended(self) -> Ended {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ended { blocks: self.ended.into_inner(), parked: state.parked_count, failure: state.failure }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn next(&self, worker: &mut Worker) -> Work {
        worker.resume = !worker.resume;
        if worker.resume
            && let Some(block) = self.next_parked()
        {
            return Work::Resume(block);
        }
        if let Some(index) = worker.taken.next() {
            return Work::Begin(index);
        }
        self.count_ended(worker);
        worker.taken = self.new.next(worker.index);
        if let Some(index) = worker.taken.next() {
            return Work::Begin(index);
        }
        match self.next_parked() {
            Some(block) => Work::Resume(block),
            None if self.ended.load(Ordering::Relaxed) == self.blocks => Work::Done,
            None => Work::Wait,
        }
    }

    fn next_parked(&self) -> Option<Box<Block>> {
        if self.waiting.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let block = self.lock().next_parked()?;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(block)
    }

    pub(super) fn park(&self, block: Box<Block>) {
        let mut state = self.lock();
        state.parked_count += 1;
        state.parked.push(block);
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// A block that begins.
    pub(super) fn begin(&self, worker: &mut Worker, index: u64, launch: &Launch<'_>) -> Result<Box<Block>, LaunchErrorKind> {
        let ended = worker.idle.pop().or_else(|| self.lock().ended.pop());
        let mut block = match ended {
            Some(block) => block,
            None => {
                let block = Block::new(launch)?;
                self.made.fetch_add(1, Ordering::Relaxed);
                Box::new(block)
            }
        };
        block.begin(index, launch.position(index));
        Ok(block)
    }

    /// Looks for a parked block to resume where one cannot begin for want of memory, so that one ends and leaves its memory. Gives none if
    /// others run all that have begun.
    ///
    /// # Errors
    /// When there is nothing to wait for: no block has begun, or all were resumed twice, for long, and none has ended.
    pub(super) fn make_room(
        &self,
        worker: &mut Worker,
        launch: &Launch<'_>,
        wanted: LaunchErrorKind,
    ) -> Result<Option<Box<Block>>, LaunchErrorKind> {
        let LaunchErrorKind::Memory { limit, .. } = wanted else { return Err(wanted) };
        self.short.store(true, Ordering::Relaxed);
        let (begun, ended) = (self.made.load(Ordering::Relaxed), self.ended_since.load(Ordering::Relaxed));
        if begun == 0 {
            return Err(wanted);
        }
        if ended != worker.seen {
            (worker.seen, worker.resumed) = (ended, 0);
        }
        if worker.resumed >= 2 * begun {
            return Err(LaunchErrorKind::MemoryOfWaiting { limit, begun, each: launch.plan.frame_bytes as u64 });
        }
        let mut block = self.next_parked();
        if let Some(block) = &mut block {
            worker.resumed += 1;
            block.be_patient();
        }
        Ok(block)
    }

    /// Counts `blocks` that a worker has ended in the place of this one.
    pub(super) fn end(&self, worker: &mut Worker, block: Box<Block>, blocks: u64) {
        let short = self.short.load(Ordering::Relaxed);
        if worker.idle.len() < self.in_step && !short {
            worker.idle.push(block);
        } else {
            self.lock().ended.push(block);
        }
        if short {
            self.ended_since.fetch_add(1, Ordering::Relaxed);
        }
        worker.ended += blocks;
        if let Some(progress) = &self.progress {
            let ended = self.count_ended(worker);
            progress(self.counted.before + self.counted.each * ended);
        }
    }

    /// Gives blocks that a worker has ended to all workers, if there is no memory for others.
    pub(super) fn share_idle(&self, worker: &mut Worker) {
        if self.short.load(Ordering::Relaxed) {
            self.lock().ended.append(&mut worker.idle);
        }
    }

    /// Counts the blocks that a worker has ended; gives how many ended altogether.
    pub(super) fn count_ended(&self, worker: &mut Worker) -> u64 {
        let ended = std::mem::take(&mut worker.ended);
        self.ended.fetch_add(ended, Ordering::Relaxed) + ended
    }

    pub(super) fn fail(&self, error: LaunchError) {
        self.lock().failure.get_or_insert_with(|| (error, Moment::now()));
    }
}
