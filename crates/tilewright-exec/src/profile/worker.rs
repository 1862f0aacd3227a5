//! What one worker measures.

use super::{Activity, MAX_SLICES, Profiled, Slice, nanos};
use tilewright_passes::{clock::Moment, coarsen::Coarsening};

/// How often an instruction ran, and for how long.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Ran {
    pub(super) count: u64,
    pub(super) nanos: u64,
}

/// What a worker has measured.
#[derive(Debug)]
pub(super) struct Worker {
    /// The groups of blocks whose plan it ran, if that is not the plan of a block.
    pub(super) group: Option<Coarsening>,
    /// For each instruction of the plan.
    pub(super) ran: Vec<Ran>,
    pub(super) slices: Vec<Slice>,
    pub(super) slices_left_out: u64,
}

/// The measurements of a worker, which the profiler gets when it ends.
pub(crate) struct WorkerProfile<'p> {
    profiled: Profiled<'p>,
    worker: Worker,
    /// When the last instruction ended, or the block began.
    last: Moment,
    /// The slice of the blocks that run now, if it is kept.
    blocks: Option<usize>,
}

impl<'p> WorkerProfile<'p> {
    pub(super) fn new(profiled: Profiled<'p>, instructions: usize) -> WorkerProfile<'p> {
        let worker = Worker { group: profiled.group, ran: vec![Ran::default(); instructions], slices: Vec::new(), slices_left_out: 0 };
        WorkerProfile { profiled, worker, last: Moment::now(), blocks: None }
    }

    /// Blocks or groups begin to run, or go on: so many as one, from this one on.
    pub(crate) fn begin(&mut self, first: u64, mut position: [u32; 3], count: u64) {
        self.last = Moment::now();
        if let Some(Coarsening { axis, factor }) = self.profiled.group {
            position[axis] *= factor;
        }
        let (first, count) = (self.profiled.before + first * self.blocks_of_each(), count * self.blocks_of_each());
        self.blocks = self.slice(self.last, self.last, Activity::Blocks { first, position, count });
    }

    /// What began ends.
    pub(crate) fn end(&mut self) {
        if let Some(blocks) = self.blocks.take() {
            self.worker.slices[blocks].end = self.since_start(self.last);
        }
    }

    /// What began ends, and it was so many blocks or groups.
    pub(crate) fn end_of(&mut self, blocks: u64) {
        let blocks = blocks * self.blocks_of_each();
        if let Some(Slice { what: Activity::Blocks { count, .. }, .. }) = self.blocks.map(|at| &mut self.worker.slices[at]) {
            *count = blocks;
        }
        self.end();
    }

    /// Nothing began after all.
    pub(crate) fn take_back(&mut self) {
        match self.blocks.take() {
            Some(blocks) => self.worker.slices.truncate(blocks),
            None => self.worker.slices_left_out -= 1,
        }
    }

    /// An instruction has run: so often as one.
    pub(crate) fn ran(&mut self, instruction: usize, count: u64) {
        let now = Moment::now();
        let ran = &mut self.worker.ran[instruction];
        ran.count += count;
        ran.nanos += nanos(now.since(self.last));
        self.slice(self.last, now, Activity::Instruction { group: self.profiled.group, instruction });
        self.last = now;
    }

    /// An instruction ran so often as a part of another one, whose time includes it.
    pub(crate) fn ran_inside(&mut self, instruction: usize, count: u64) {
        self.worker.ran[instruction].count += count;
    }

    /// How many blocks each of those that run stands for.
    fn blocks_of_each(&self) -> u64 {
        self.profiled.group.map_or(1, |group| group.factor.into())
    }

    fn since_start(&self, moment: Moment) -> u64 {
        nanos(moment.since(self.profiled.profiler.start))
    }

    /// Keeps a slice, if there is room for it; gives its number.
    fn slice(&mut self, begin: Moment, end: Moment, what: Activity) -> Option<usize> {
        if self.worker.slices.len() >= MAX_SLICES {
            self.worker.slices_left_out += 1;
            return None;
        }
        // The profiler knows the workers apart.
        let slice = Slice { worker: 0, begin: self.since_start(begin), end: self.since_start(end), what };
        self.worker.slices.push(slice);
        Some(self.worker.slices.len() - 1)
    }
}

impl Drop for WorkerProfile<'_> {
    fn drop(&mut self) {
        let worker = Worker { ran: std::mem::take(&mut self.worker.ran), slices: std::mem::take(&mut self.worker.slices), ..self.worker };
        self.profiled.profiler.add(worker);
    }
}
