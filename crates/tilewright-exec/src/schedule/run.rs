//! Runs the blocks of a watched launch by a schedule, on one thread.

use super::{
    Schedule,
    progress::Progress,
    waiting::{Kept, State},
};
use crate::{
    LaunchError, LaunchErrorKind, ProgressFn,
    kernels::stream,
    launch::block_id,
    vm::{Block, Launch, Machine, Outcome},
};
use std::collections::{BTreeMap, BTreeSet};

/// What a scheduled launch did.
pub(crate) struct Ran {
    /// How many blocks ended.
    pub(crate) ended: u64,
    /// How often a block was parked because it may have been waiting for another.
    pub(crate) parked: u64,
    /// Whether the launch was told to end before all blocks had.
    pub(crate) stopped: bool,
}

/// Runs the blocks by a schedule. Where those that are left wait for each other for ever, the watcher is told, and the launch ends.
///
/// # Errors
/// The first failure of a block.
pub(crate) fn run(launch: &Launch<'_>, schedule: &Schedule, progress: Option<&ProgressFn>) -> Result<Ran, LaunchError> {
    let _entered = launch.interrupt.enter();
    let machine = Machine::new(launch).map_err(|kind| unplaced(launch, kind))?;
    let ran = Ran { ended: 0, parked: 0, stopped: false };
    let mut runner = Runner { launch, machine, begun: BTreeMap::new(), first: BTreeSet::new(), idle: None, progress, ran };
    let done = runner.run(schedule);
    stream::fence();
    done?;
    runner.ran.stopped = launch.interrupt.is_set();
    Ok(runner.ran)
}

/// An error that no block made.
fn unplaced(launch: &Launch<'_>, kind: LaunchErrorKind) -> LaunchError {
    LaunchError { entry: launch.plan.entry().to_owned(), block: None, site: None, kind }
}

struct Runner<'r, 'l> {
    launch: &'l Launch<'l>,
    machine: Machine<'l>,
    /// Blocks that have begun and not ended, by number.
    begun: BTreeMap<u64, Box<Block>>,
    /// Blocks that began in the turns of the schedule.
    first: BTreeSet<u64>,
    /// Room for the next block that begins.
    idle: Option<Box<Block>>,
    progress: Option<&'r ProgressFn>,
    ran: Ran,
}

impl Runner<'_, '_> {
    fn run(&mut self, schedule: &Schedule) -> Result<(), LaunchError> {
        for turn in schedule.turns() {
            let index = turn.block;
            match self.begun.remove(&index) {
                Some(block) => self.go_on(block, turn.accesses)?,
                None if index < self.launch.blocks && self.first.insert(index) => self.begin(index, turn.accesses)?,
                None => {}
            }
        }
        let mut waiting = 0;
        for index in 0..self.launch.blocks {
            if self.launch.interrupt.is_set() {
                return Ok(());
            }
            match self.begun.remove(&index) {
                Some(block) => self.go_on(block, None)?,
                None if self.first.contains(&index) => {}
                None => self.begin(index, None)?,
            }
            // By turns with blocks that begin, so that the frames of those that wait do not pile up.
            let next = self.begun.range(waiting..=index).chain(self.begun.range(..=index)).next().map(|(next, _)| *next);
            if let Some(next) = next {
                waiting = next + 1;
                self.resume(next)?;
            }
        }
        self.finish()
    }

    /// Lets blocks that have begun go on until all have ended, or wait for ever.
    fn finish(&mut self) -> Result<(), LaunchError> {
        let (mut progress, mut kept) = (Progress::default(), Kept::new());
        while !self.begun.is_empty() && !self.launch.interrupt.is_set() {
            let before = self.ran.ended;
            self.sweep()?;
            if self.ran.ended != before {
                progress = Progress::default();
                continue;
            }
            if progress.repeats(&mut State { launch: self.launch, blocks: &mut self.begun, kept: &mut kept }) {
                let waiting: Vec<u64> = self.begun.keys().copied().collect();
                if let Some(watcher) = self.launch.watcher {
                    watcher.stuck(&waiting);
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// Lets each block go on twice, from the first to the last and back, so that chains of blocks that wait for their neighbours unwind.
    fn sweep(&mut self) -> Result<(), LaunchError> {
        let waiting: Vec<u64> = self.begun.keys().copied().collect();
        waiting.iter().chain(waiting.iter().rev()).try_for_each(|index| self.resume(*index))
    }

    fn resume(&mut self, index: u64) -> Result<(), LaunchError> {
        match self.begun.remove(&index) {
            Some(block) if !self.launch.interrupt.is_set() => self.go_on(block, None),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, index: u64, accesses: Option<u64>) -> Result<(), LaunchError> {
        let mut block = loop {
            if let Some(idle) = self.idle.take() {
                break idle;
            }
            match Block::new(self.launch) {
                Ok(block) => break Box::new(block),
                Err(kind) => self.make_room(kind)?,
            }
        };
        block.begin(index, block_id(index, self.launch.grid));
        self.go_on(block, accesses)
    }

    /// Lets blocks that have begun go on, so that one ends and leaves its memory.
    fn make_room(&mut self, wanted: LaunchErrorKind) -> Result<(), LaunchError> {
        let LaunchErrorKind::Memory { limit, .. } = wanted else { return Err(unplaced(self.launch, wanted)) };
        let begun = self.begun.len() as u64;
        if begun == 0 {
            return Err(unplaced(self.launch, wanted));
        }
        let before = self.ran.ended;
        self.begun.values_mut().for_each(|block| block.be_patient());
        self.sweep()?;
        if self.ran.ended == before {
            let each = self.launch.plan.frame_bytes as u64;
            return Err(unplaced(self.launch, LaunchErrorKind::MemoryOfWaiting { limit, begun, each }));
        }
        Ok(())
    }

    fn go_on(&mut self, mut block: Box<Block>, accesses: Option<u64>) -> Result<(), LaunchError> {
        block.preempt_after(accesses);
        match self.machine.run(&mut block)? {
            Outcome::Finished => {
                self.ran.ended += 1;
                self.idle = Some(block);
                if let Some(progress) = self.progress {
                    progress(self.ran.ended);
                }
            }
            Outcome::Parked => {
                self.ran.parked += 1;
                self.begun.insert(block.index, block);
            }
            Outcome::Preempted | Outcome::Interrupted => {
                self.begun.insert(block.index, block);
            }
        }
        Ok(())
    }
}
