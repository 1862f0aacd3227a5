//! Profiles: how often each instruction of a launch ran, for how long, and what it moved and computed.
//!
//! ```text
//! launch_profiled ──► Profiler ──► machine of each worker: a clock read behind each instruction ──► Profile
//!                                  (`vm`: the loops that run blocks exist twice, with and without)      ▲
//!                     Plan ──► `costs.rs`: what one execution of each instruction moves and computes ───┘
//! ```
//!
//! What runs is what runs without a profile: blocks run as one, in step or in groups, loops of products are joined, tiles are left where they lie. So
//! time is measured for instructions, of which one may carry out several operations of the program. Groups of blocks (`launch/groups.rs`) run by a
//! plan of their own, so each measurement says which plan it is of.

mod costs;
mod worker;

pub(crate) use worker::WorkerProfile;

use crate::{Arg, LaunchError, LaunchOptions, LaunchReport, Memory, Plan, launch};
use costs::costs;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tilewright_passes::{clock::Moment, coarsen::Coarsening};
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
    /// Those of them that ran in groups of neighbours, each group as one block of another plan.
    pub blocks_in_groups: u64,
    /// Worker threads.
    pub threads: usize,
    /// Nanoseconds of the launches, from the first block's start to the last one's end.
    pub nanos: u64,
    /// Nanoseconds that reading the clock once takes: it is part of what is measured for each execution of an instruction.
    pub clock_nanos: f64,
    /// The instructions that ran: those of the plan in its order, then those of plans of groups.
    pub instructions: Vec<InstructionProfile>,
    /// What the workers did when, in the first launch: for each worker in order, blocks and, inside of them, instructions.
    pub slices: Vec<Slice>,
    /// Slices beyond [`MAX_SLICES`], which are not there.
    pub slices_left_out: u64,
}

/// What an instruction did.
#[derive(Clone, PartialEq, Debug)]
pub struct InstructionProfile {
    /// The groups of blocks whose plan it is of; none for that of a block.
    pub group: Option<Coarsening>,
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
    /// The plan that it is of, and its number there: what tells it from all others.
    pub fn key(&self) -> (Option<Coarsening>, usize) {
        (self.group, self.instruction)
    }

    /// How often blocks ran it: an execution for a group counts for each of its blocks.
    pub fn count_of_blocks(&self) -> u64 {
        self.count.saturating_mul(self.group.map_or(1, |group| group.factor.into()))
    }

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
    /// Runs an instruction of a plan.
    Instruction {
        /// The groups of blocks whose plan it is of; none for that of a block.
        group: Option<Coarsening>,
        /// Its number in the plan.
        instruction: usize,
    },
}

impl Profile {
    /// Adds another launch of the same plan. Its slices are left out.
    ///
    /// # Panics
    /// When it has instructions that this plan has not.
    pub fn add(&mut self, other: &Profile) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.blocks_in_groups += other.blocks_in_groups;
        self.threads = self.threads.max(other.threads);
        self.nanos += other.nanos;
        for more in &other.instructions {
            match self.instructions.binary_search_by_key(&more.key(), InstructionProfile::key) {
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
pub(crate) struct Profiler {
    start: Moment,
    workers: Mutex<Vec<Worker>>,
    /// The plan that the launch runs by, if it is another one than it was asked for.
    instead: OnceLock<Arc<Plan>>,
    groups: Mutex<Option<ProfiledGroups>>,
}

/// The groups of a launch's blocks.
struct ProfiledGroups {
    group: Coarsening,
    plan: Arc<Plan>,
    /// How many blocks are in them.
    blocks: u64,
}

/// Blocks that are profiled: all of a launch, those in groups, or those that are left.
#[derive(Clone, Copy)]
pub(crate) struct Profiled<'p> {
    profiler: &'p Profiler,
    /// The groups that they are, if each stands for several.
    group: Option<Coarsening>,
    /// How many blocks ran before them.
    before: u64,
}

impl<'p> Profiled<'p> {
    /// The profile of a worker that begins, on a plan of so many instructions.
    pub(crate) fn worker(self, instructions: usize) -> WorkerProfile<'p> {
        WorkerProfile::new(self, instructions)
    }

    /// Those that run behind so many.
    pub(crate) fn behind(self, before: u64) -> Profiled<'p> {
        Profiled { before, ..self }
    }
}

impl Profiler {
    fn new() -> Profiler {
        Profiler { start: Moment::now(), workers: Mutex::default(), instead: OnceLock::new(), groups: Mutex::default() }
    }

    /// The launch runs by this plan instead of the one that it was asked for.
    pub(crate) fn run_by(&self, plan: &Arc<Plan>) {
        self.instead.get_or_init(|| Arc::clone(plan));
    }

    /// The blocks of a launch.
    pub(crate) fn blocks(&self) -> Profiled<'_> {
        Profiled { profiler: self, group: None, before: 0 }
    }

    /// So many blocks of a launch, which run in groups by this plan.
    pub(crate) fn groups(&self, group: Coarsening, plan: &Arc<Plan>, blocks: u64) -> Profiled<'_> {
        let groups = ProfiledGroups { group, plan: Arc::clone(plan), blocks };
        *self.groups.lock().unwrap_or_else(PoisonError::into_inner) = Some(groups);
        Profiled { group: Some(group), ..self.blocks() }
    }

    fn add(&self, worker: Worker) {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    }

    fn finish(self, plan: &Plan, report: &LaunchReport) -> Profile {
        let mut workers = self.workers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let groups = self.groups.into_inner().unwrap_or_else(PoisonError::into_inner);
        let plan = self.instead.get().map_or(plan, |plan| plan);
        let mut instructions = measured(plan, None, &workers);
        if let Some(ProfiledGroups { group, plan, .. }) = &groups {
            instructions.extend(measured(plan, Some(*group), &workers));
        }
        let (slices, slices_left_out) = slices_of(&mut workers);
        Profile {
            launches: 1,
            blocks: report.blocks,
            blocks_in_groups: groups.map_or(0, |groups| groups.blocks),
            threads: report.threads,
            nanos: nanos(report.time),
            clock_nanos: clock_nanos(),
            instructions,
            slices,
            slices_left_out,
        }
    }
}

/// What workers measured on a plan: that of a block, or of groups.
fn measured(plan: &Plan, group: Option<Coarsening>, workers: &[Worker]) -> Vec<InstructionProfile> {
    let of_plan = || workers.iter().filter(|worker| worker.group == group);
    let mut instructions = Vec::new();
    for (instruction, parts) in costs(plan).into_iter().enumerate() {
        let ran = of_plan().map(|worker| worker.ran[instruction]);
        let (count, nanos) = ran.fold((0, 0), |(count, nanos), ran| (count + ran.count, nanos + ran.nanos));
        if count > 0 {
            instructions.push(InstructionProfile { group, instruction, count, nanos, parts });
        }
    }
    instructions
}

/// The slices of workers, in their order, and how many are left out. Groups run first, and the blocks that are left behind them: those who run them go on
/// as the same workers.
fn slices_of(workers: &mut [Worker]) -> (Vec<Slice>, u64) {
    let mut numbered = Vec::with_capacity(workers.len());
    workers.sort_by_key(|worker| worker.group.is_none());
    let groups = workers.iter().take_while(|worker| worker.group.is_some()).count();
    numbered.extend(workers.iter().enumerate().map(|(i, worker)| (if i < groups { i } else { i - groups }, worker)));
    numbered.sort_by_key(|(number, _)| *number);
    let (mut slices, mut left_out) = (Vec::new(), 0);
    for of_one in numbered.chunk_by(|(one, _), (other, _)| one == other) {
        let all = of_one.iter().flat_map(|(number, worker)| worker.slices.iter().map(|slice| Slice { worker: *number, ..*slice }));
        let before = slices.len();
        slices.extend(all.take(MAX_SLICES));
        let made: u64 = of_one.iter().map(|(_, worker)| worker.slices.len() as u64 + worker.slices_left_out).sum();
        left_out += made - (slices.len() - before) as u64;
    }
    (slices, left_out)
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
