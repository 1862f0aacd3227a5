//! Profiles: how often each instruction of a launch ran, for how long, and what it moved and computed.
//!
//! ```text
//! launch_profiled ──► Profiler ──► machine of each worker: a clock read behind each instruction ──► Profile
//!                                  (`vm`: the loops that run blocks exist twice, with and without)      ▲
//!                     Plan ──► `costs.rs`: what one execution of each instruction moves and computes ───┘
//! ```
//!
//! What runs is what runs without a profile: blocks run as one or in step, loops of products are joined, tiles are left where they lie. So
//! time is measured for instructions, of which one may carry out several operations of the program. Only groups of blocks (`launch/groups.rs`) are not
//! made: they run by another plan, whose instructions are others.

mod costs;
mod worker;

pub(crate) use worker::WorkerProfile;

use crate::{Arg, LaunchError, LaunchOptions, LaunchReport, Memory, Plan, launch};
use costs::costs;
use std::sync::{Mutex, PoisonError};
use tilewright_passes::clock::Moment;
use worker::Worker;

/// How many slices of time each worker keeps for the trace of a launch.
pub const MAX_SLICES: usize = 20_000;

/// What a launch did, instruction by instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// Launches that this is the sum of.
    pub launches: u64,
    /// Tile blocks that ran.
    pub blocks: u64,
    /// Worker threads.
    pub threads: usize,
    /// Nanoseconds of the launches, from the first block's start to the last one's end.
    pub nanos: u64,
    /// Nanoseconds that reading the clock once takes: it is part of what is measured for each execution of an instruction.
    pub clock_nanos: f64,
    /// The instructions of the plan that ran, in its order.
    pub instructions: Vec<InstructionProfile>,
    /// What the workers did when, in the first launch: for each worker in order, blocks and, inside of them, instructions.
    pub slices: Vec<Slice>,
    /// Slices beyond [`MAX_SLICES`], which are not there.
    pub slices_left_out: u64,
}

/// What an instruction did.
#[derive(Clone, PartialEq, Debug)]
pub struct InstructionProfile {
    /// Its number in the plan.
    pub instruction: usize,
    /// How often it ran.
    pub count: u64,
    /// Nanoseconds, all workers together.
    pub nanos: u64,
    /// The operations that it carries out, the one that it came from first.
    pub parts: Vec<Part>,
}

/// An operation that an instruction carries out.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// The operation.
    pub origin: Origin,
    /// What one execution moves and computes.
    pub work: Work,
    /// How large its part of the instruction's time is taken to be, beside those of the other parts: one for each element that it moves, and one
    /// for each primitive of vector code that computes an element.
    pub weight: u64,
    /// A load whose tile the instruction reads where it lies in memory.
    pub is_load_in_place: bool,
}

/// An operation of the program.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Origin {
    /// Position of its function in the module.
    pub function: u32,
    /// Its position in the function, as [`tilewright_ir::Op::index`] counts; none for what passes made of nothing in particular, and what blocks
    /// begin and end with.
    pub op: Option<u32>,
    /// Its name.
    pub mnemonic: &'static str,
    /// File, line and column, where the module knows them.
    pub place: Option<(String, u32, u32)>,
}

/// What is moved and computed. Tiles count whole, masked and padded elements included.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Bytes read from memory.
    pub read: u64,
    /// Bytes written to memory.
    pub written: u64,
    /// Floating-point operations on elements of up to 32 bits.
    pub flops: u64,
    /// The same on `f64`.
    pub flops_f64: u64,
    /// Operations of products of integers.
    pub int_ops: u64,
}

impl Work {
    /// Bytes moved.
    pub fn bytes(&self) -> u64 {
        self.read.saturating_add(self.written)
    }

    /// Floating-point operations.
    pub fn all_flops(&self) -> u64 {
        self.flops.saturating_add(self.flops_f64)
    }

    /// The work of so many executions.
    #[must_use]
    pub fn times(&self, count: u64) -> Work {
        let times = |amount: u64| amount.saturating_mul(count);
        Work {
            read: times(self.read),
            written: times(self.written),
            flops: times(self.flops),
            flops_f64: times(self.flops_f64),
            int_ops: times(self.int_ops),
        }
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        add(&mut self.read, other.read);
        add(&mut self.written, other.written);
        add(&mut self.flops, other.flops);
        add(&mut self.flops_f64, other.flops_f64);
        add(&mut self.int_ops, other.int_ops);
    }
}

impl InstructionProfile {
    /// What all executions moved and computed.
    pub fn work(&self) -> Work {
        let mut work = Work::default();
        self.parts.iter().for_each(|part| work += part.work.times(self.count));
        work
    }

    /// The part of the time that each of its parts is taken to have; together, 1.
    pub fn shares(&self) -> impl Iterator<Item = f64> {
        let all: u64 = self.parts.iter().map(|part| part.weight).sum();
        self.parts.iter().map(move |part| part.weight as f64 / all as f64)
    }
}

/// A time in which a worker did something. Those of a worker nest: instructions lie inside of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// The worker.
    pub worker: usize,
    /// Nanoseconds from the start of the launch.
    pub begin: u64,
    /// The same.
    pub end: u64,
    /// What it did.
    pub what: Activity,
}

/// What a worker does in a slice of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// Runs blocks, until they end or wait for others.
    Blocks {
        /// The number of the first, in the order in which they begin, which for most plans is that of the grid.
        first: u64,
        /// Its position in the grid.
        position: [u32; 3],
        /// How many run as one or in step.
        count: u64,
    },
    /// Runs an instruction of the plan.
    Instruction(usize),
}

impl Profile {
    /// Adds another launch of the same plan. Its slices are left out.
    ///
    /// # Panics
    /// When it has instructions that this plan has not.
    pub fn add(&mut self, other: &Profile) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.threads = self.threads.max(other.threads);
        self.nanos += other.nanos;
        for more in &other.instructions {
            match self.instructions.binary_search_by_key(&more.instruction, |own| own.instruction) {
                Ok(at) => {
                    let own = &mut self.instructions[at];
                    assert_eq!(own.parts, more.parts, "launches of one plan");
                    own.count += more.count;
                    own.nanos += more.nanos;
                }
                Err(at) => self.instructions.insert(at, more.clone()),
            }
        }
    }

    /// Nanoseconds that workers spent in instructions, all workers together.
    pub fn instruction_nanos(&self) -> u64 {
        self.instructions.iter().map(|instruction| instruction.nanos).sum()
    }
}

/// Collects the profiles of the workers of a launch.
#[derive(Debug)]
pub(crate) struct Profiler {
    start: Moment,
    workers: Mutex<Vec<Worker>>,
}

impl Profiler {
    fn new() -> Profiler {
        Profiler { start: Moment::now(), workers: Mutex::default() }
    }

    /// The profile of a worker that begins, on a plan of so many instructions.
    pub(crate) fn worker(&self, instructions: usize) -> WorkerProfile<'_> {
        WorkerProfile::new(self, instructions)
    }

    fn add(&self, worker: Worker) {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    }

    fn finish(self, plan: &Plan, report: &LaunchReport) -> Profile {
        let workers = self.workers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut instructions = Vec::new();
        for (instruction, parts) in costs(plan).into_iter().enumerate() {
            let ran = workers.iter().map(|worker| worker.ran[instruction]);
            let (count, nanos) = ran.fold((0, 0), |(count, nanos), ran| (count + ran.count, nanos + ran.nanos));
            if count > 0 {
                instructions.push(InstructionProfile { instruction, count, nanos, parts });
            }
        }
        let slices = workers.iter().enumerate();
        let slices = slices.flat_map(|(worker, profile)| profile.slices.iter().map(move |slice| Slice { worker, ..*slice }));
        Profile {
            launches: 1,
            blocks: report.blocks,
            threads: report.threads,
            nanos: nanos(report.time),
            clock_nanos: clock_nanos(),
            instructions,
            slices: slices.collect(),
            slices_left_out: workers.iter().map(|worker| worker.slices_left_out).sum(),
        }
    }
}

fn nanos(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// How long it takes to read the clock.
fn clock_nanos() -> f64 {
    const TIMES: u32 = 1000;
    let begin = Moment::now();
    let end = (0..TIMES).fold(begin, |_, _| std::hint::black_box(Moment::now()));
    nanos(end.since(begin)) as f64 / f64::from(TIMES)
}

/// Runs a plan over a grid of blocks, as [`launch()`] does, and measures each instruction.
///
/// # Errors
/// As [`launch()`].
pub fn launch_profiled(
    plan: &Plan,
    memory: &mut Memory<'_>,
    grid: [u32; 3],
    args: &[Arg],
    options: &LaunchOptions<'_>,
) -> Result<(LaunchReport, Profile), LaunchError> {
    let profiler = Profiler::new();
    let report = launch(plan, memory, grid, args, &options.clone().profiler(&profiler))?;
    Ok((report, profiler.finish(plan, &report)))
}
