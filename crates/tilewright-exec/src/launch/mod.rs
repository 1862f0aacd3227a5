//! Launches: the blocks of a grid on worker threads.
//!
//! Each worker begins the blocks of a run of its own ([`Runs`]); where blocks may wait for others, all begin in the order of the
//! grid. A block that waits is parked; workers alternate between beginning new blocks and resuming parked ones, so every block gets
//! its turn however many wait for it, while only as many frames exist as blocks have begun and not ended. Parked blocks are resumed
//! in rounds, each of which visits all of them once, by turns from the last to the first and from the first to the last: a chain
//! of blocks that wait for their neighbours unwinds in one or two rounds.
//!
//! Small blocks that do not wait run in groups, by a plan that does the work of a group at once (`groups.rs`): such a launch is one of the
//! groups, and then one of the blocks that are left.

mod arguments;
mod deadline;
mod groups;
mod queue;
mod rectangles;
mod subgrid;
mod work;

pub use groups::GroupBlocks;
pub(crate) use rectangles::Rectangles;
pub(crate) use subgrid::{Subgrid, block_id};

use crate::{
    AccessObserver, Interrupt, LaunchError, LaunchErrorKind, Limits, OutputSink, Plan, Schedule, WatchedLaunch, Watcher,
    budget::Budget,
    memory::{Memory, SharedMemory, Undo, locals::SharedLocals},
    output::Output,
    pool,
    profile::Profiler,
    runs::Runs,
    schedule,
    vm::{AlignedBytes, Coarse, FrameLayout, Launch, bytes_of_worker, find_tilings, resolve_functions, run_prologue, unknown_edges},
};
use arguments::bind;
use deadline::Deadline;
use groups::Groups;
use queue::{Counted, Ended, Queue};
use std::{
    fmt,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};
use tilewright_ir::Scalar;
use tilewright_passes::clock::Moment;

/// The largest extent of a grid (SEMANTICS (a)).
pub const MAX_EXTENT: u32 = (1 << 24) - 1;

/// An argument of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A number of this type: its bits, zero-extended.
    Scalar(Scalar, u64),
    /// A device address.
    Pointer(u64),
}

/// Told how many blocks have ended so far.
pub type ProgressFn = Arc<dyn Fn(u64) + Send + Sync>;

/// How to run a launch.
#[derive(Clone, Default)]
pub struct LaunchOptions<'a> {
    threads: Option<usize>,
    output: Option<OutputSink>,
    progress: Option<ProgressFn>,
    observer: Option<&'a dyn AccessObserver>,
    watcher: Option<&'a dyn Watcher>,
    profiler: Option<&'a Profiler>,
    schedule: Schedule,
    interrupt: Option<Interrupt>,
    last_cache: Option<usize>,
    group_blocks: GroupBlocks,
    limits: Limits,
}

impl<'a> LaunchOptions<'a> {
    /// The defaults: a thread for each core, prints to the standard output.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits what the launch may take; nothing is limited by default.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Uses this many worker threads: at least 1, and at most [`max_threads`], however many are asked for.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Sends the text of `print_tko` here.
    pub fn output(mut self, output: OutputSink) -> Self {
        self.output = Some(output);
        self
    }

    /// Calls `progress` whenever a block ends, or several that ran as one, from the thread that ran them.
    pub fn progress(mut self, progress: ProgressFn) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Shows every access to `observer`.
    pub fn observer(mut self, observer: &'a dyn AccessObserver) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Shows every operation to `watcher`, and runs on one thread; the plan must be one of [`Program::watched`](crate::Program::watched).
    /// Elements of accesses that lie outside of memory are left out, and a block in which something else fails ends; neither fails the
    /// launch.
    pub fn watcher(mut self, watcher: &'a dyn Watcher) -> Self {
        self.watcher = Some(watcher);
        self
    }

    /// Has each instruction measured.
    pub(crate) fn profiler(mut self, profiler: &'a Profiler) -> Self {
        self.profiler = Some(profiler);
        self
    }

    /// The order in which blocks go on, of a launch that a [`watcher`](LaunchOptions::watcher) sees.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// Takes the CPU's last cache to have this many bytes; by default, the CPU is asked. What a launch writes once, and so much of that
    /// the cache would not hold it, goes past the cache. Results are the same.
    pub fn last_cache(mut self, bytes: usize) -> Self {
        self.last_cache = Some(bytes);
        self
    }

    /// When blocks run in groups of neighbours, by a plan of which each block does the work of a group. A launch with an observer, a watcher or a
    /// limit of memory has none.
    pub fn group_blocks(mut self, when: GroupBlocks) -> Self {
        self.group_blocks = when;
        self
    }

    /// Ends the launch when `interrupt` is set: no block begins any more, and those that run stop within milliseconds, wherever they
    /// are. One interrupt may serve several launches.
    pub fn interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.interrupt = Some(interrupt.clone());
        self
    }
}

impl fmt::Debug for LaunchOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchOptions").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// The most threads that a launch uses: four for each processor. More would only wait for each other, and take memory.
pub fn max_threads() -> usize {
    4 * cores()
}

/// What a launch did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchReport {
    /// Tile blocks that ran.
    pub blocks: u64,
    /// Worker threads.
    pub threads: usize,
    /// Time from the first block's start to the last one's end.
    pub time: Duration,
    /// How often a block was parked because it may have been waiting for another.
    pub parked: u64,
}

/// Runs a plan over a grid of blocks.
///
/// The buffers in `memory` hold the results afterwards. After a failure they hold what the blocks had written until then.
///
/// # Errors
/// When arguments or grid do not fit, the first failure of a block, or that the launch was stopped.
pub fn launch(
    plan: &Plan,
    memory: &mut Memory<'_>,
    grid: [u32; 3],
    args: &[Arg],
    options: &LaunchOptions<'_>,
) -> Result<LaunchReport, LaunchError> {
    let interrupt = Interrupt::below(options.interrupt.as_ref());
    let deadline = Deadline::new(options.limits.get_time());
    let started = deadline.watch(&interrupt, || run(plan, memory, grid, args, options, (&interrupt, &deadline)));
    started.unwrap_or_else(|kind| Err(unplaced(plan, kind)))
}

/// An error that no block made.
fn unplaced(plan: &Plan, kind: LaunchErrorKind) -> LaunchError {
    LaunchError { entry: plan.entry().to_owned(), block: None, site: None, kind }
}

fn run(
    plan: &Plan,
    memory: &mut Memory<'_>,
    grid: [u32; 3],
    args: &[Arg],
    options: &LaunchOptions<'_>,
    (interrupt, deadline): (&Interrupt, &Deadline),
) -> Result<LaunchReport, LaunchError> {
    let fail = |kind| unplaced(plan, kind);
    let budget = Arc::new(Budget::new(options.limits.get_memory()));
    let mut constants = bind(plan, args, &budget).map_err(fail)?;
    let fits = grid.iter().all(|extent| (1..=MAX_EXTENT).contains(extent));
    if !fits || Subgrid::whole(grid).blocks().is_none() {
        return Err(fail(LaunchErrorKind::Grid(grid)));
    }
    if let Some(watcher) = options.watcher {
        watcher.begins(&WatchedLaunch { grid, memory: memory.ranges(&plan.globals) });
    }
    let output = Output::new(options.output.clone().unwrap_or_else(OutputSink::stdout), options.limits.get_output());
    let shared_locals = SharedLocals::new(Arc::clone(&budget));
    let memory = memory.share(&plan.globals);
    let setting = Setting { args, options, budget, output, shared_locals, memory, interrupt, deadline };
    setting.run_prologue(plan, grid, &mut constants).map_err(fail)?;
    let plan = match setting.plan_of_short_divisions(plan, &constants) {
        Some(plan) => {
            constants = bind(plan, args, &setting.budget).map_err(fail)?;
            setting.run_prologue(plan, grid, &mut constants).map_err(fail)?;
            plan
        }
        None => plan,
    };
    let mut launch = setting.launch(plan, &constants, grid);
    if options.watcher.is_some() {
        return setting.run_watched(&launch);
    }
    let groups = if setting.may_group() { Groups::of(&launch, options.group_blocks) } else { None };
    match groups {
        Some(groups) => setting.run_groups(&mut launch, &constants, &groups),
        None => setting.run_blocks(&launch, Counted::default()),
    }
}

/// What the blocks of a grid have in common, whatever plan they run by.
struct Setting<'s> {
    args: &'s [Arg],
    options: &'s LaunchOptions<'s>,
    /// The memory that they may take.
    budget: Arc<Budget>,
    output: Output,
    shared_locals: SharedLocals,
    memory: SharedMemory<'s>,
    interrupt: &'s Interrupt,
    deadline: &'s Deadline,
}

impl Setting<'_> {
    fn run_prologue(&self, plan: &Plan, grid: [u32; 3], constants: &mut AlignedBytes) -> Result<(), LaunchErrorKind> {
        let _entered = self.interrupt.enter();
        run_prologue(plan, grid, constants, &self.budget)
    }

    /// The plan to run by instead, where indices are divided by small numbers.
    fn plan_of_short_divisions<'p>(&self, plan: &'p Plan, constants: &AlignedBytes) -> Option<&'p Plan> {
        let layout = FrameLayout::new(&plan.registers, plan.frame_bytes, constants);
        let plan = plan.short_divisions.as_ref()?.plan(|tile| layout.constant(tile))?;
        self.options.profiler.inspect(|profiler| profiler.run_by(plan));
        Some(plan)
    }

    /// All blocks of a grid, by a plan.
    fn launch<'l>(&'l self, plan: &'l Plan, constants: &'l AlignedBytes, grid: [u32; 3]) -> Launch<'l> {
        let Setting { options, memory, .. } = self;
        let subgrid = Subgrid::whole(grid);
        // A grid of groups is smaller than one that was counted.
        let blocks = subgrid.blocks().unwrap_or(u64::MAX);
        let layout = FrameLayout::new(&plan.registers, plan.frame_bytes, constants);
        let tilings = find_tilings(plan, &layout, memory);
        let functions = resolve_functions(plan, &layout);
        let threads = count_threads(plan, blocks, &self.budget, options);
        let in_step = if self.is_seen() { 1 } else { blocks_in_step(plan, blocks, threads) };
        let rectangles = if self.is_seen() { None } else { Rectangles::of(&plan.block_order, grid, in_step) };
        Launch {
            in_step: rectangles.map_or(in_step, |rectangles| rectangles.blocks()),
            rectangles,
            plan,
            grid,
            subgrid,
            coarse: if self.is_seen() { None } else { Coarse::find(plan, grid, &tilings) },
            threads,
            alone: threads == 1 && memory.is_private(),
            edges: unknown_edges(tilings.len()),
            tilings,
            functions,
            layout,
            memory: *memory,
            shared_locals: &self.shared_locals,
            observer: options.observer,
            watcher: options.watcher,
            profiled: options.profiler.map(Profiler::blocks),
            output: &self.output,
            budget: Arc::clone(&self.budget),
            interrupt: self.interrupt.clone(),
            blocks,
            last_cache: options.last_cache.unwrap_or(plan.machine().last_cache()),
        }
    }

    /// Whether somebody looks at accesses or operations, which are those of one block after the other's.
    fn is_seen(&self) -> bool {
        self.options.observer.is_some() || self.options.watcher.is_some()
    }

    /// Whether blocks may run as those of another plan: nobody looks, or counts the memory that they take.
    fn may_group(&self) -> bool {
        !self.is_seen() && self.options.limits.get_memory().is_none()
    }

    /// Runs the blocks of a launch by a schedule.
    fn run_watched(&self, launch: &Launch<'_>) -> Result<LaunchReport, LaunchError> {
        let fail = |kind| Err(unplaced(launch.plan, kind));
        let begin = Moment::now();
        let ran = schedule::run(launch, &self.options.schedule, self.options.progress.as_ref());
        let end = Moment::now();
        if let Some(limit) = self.deadline.passed(end) {
            return fail(LaunchErrorKind::TimedOut(limit));
        }
        let ran = ran?;
        if ran.stopped {
            return fail(LaunchErrorKind::Stopped);
        }
        Ok(LaunchReport { blocks: ran.ended, threads: 1, time: end.since(begin), parked: ran.parked })
    }

    /// Runs the blocks of a launch on its threads.
    fn run_blocks(&self, launch: &Launch<'_>, counted: Counted) -> Result<LaunchReport, LaunchError> {
        let &Launch { plan, blocks, threads, in_step, .. } = launch;
        let (together, row) =
            launch.coarse.as_ref().map_or((in_step as u64, in_step as u64), |coarse| (coarse.fewest(), coarse.row_together()));
        let new = if plan.waits { Runs::in_order(blocks) } else { Runs::divided(blocks, threads).of_at_least(together).in_rows_of(row) };
        let queue = Queue::new(new, blocks, in_step, self.options.progress.clone(), counted);
        let begin = Moment::now();
        // Fewer threads than wished for still do all the work.
        pool::run(threads - 1, &|index| work::work(launch, &queue, index));
        let end = Moment::now();
        let Ended { blocks: ended, parked, failure } = queue.into_ended();
        if let Some(limit) = self.deadline.passed(failure.as_ref().map_or(end, |(_, at)| *at)) {
            return Err(unplaced(plan, LaunchErrorKind::TimedOut(limit)));
        }
        match failure {
            Some((error, _)) => Err(error),
            None if ended < blocks => Err(unplaced(plan, LaunchErrorKind::Stopped)),
            None => Ok(LaunchReport { blocks, threads, time: end.since(begin), parked }),
        }
    }

    /// Runs the groups of a launch's blocks, and then the blocks that are in no group.
    fn run_groups(&self, launch: &mut Launch<'_>, constants: &AlignedBytes, groups: &Groups) -> Result<LaunchReport, LaunchError> {
        let (plan, grid, each) = (&*groups.plan, groups.grid(), u64::from(groups.coarsening.factor));
        let fail = |kind| unplaced(plan, kind);
        let mut constants_of_groups = bind(plan, self.args, &self.budget).map_err(fail)?;
        self.run_prologue(plan, grid, &mut constants_of_groups).map_err(fail)?;
        let mut grouped = self.launch(plan, &constants_of_groups, grid);
        grouped.profiled = self.options.profiler.map(|profiler| profiler.groups(groups.coarsening, &groups.plan, grouped.blocks * each));
        let done = self.run_blocks(&grouped, Counted { before: 0, each });
        let done = done.map_err(|error| self.of_one_block(launch.plan, constants, groups, error))?;
        let before = done.blocks * each;
        let Some(rest) = groups.rest() else { return Ok(LaunchReport { blocks: before, ..done }) };
        launch.restrict(rest);
        launch.profiled = launch.profiled.map(|profiled| profiled.behind(before));
        let last = self.run_blocks(launch, Counted { before, each: 1 })?;
        Ok(LaunchReport { blocks: before + last.blocks, time: done.time + last.time, ..done })
    }

    /// What a failure of a group is as one of a block: that of the first of its blocks that fails when they run one after the other, by their own
    /// plan. The group may have written before it failed, so what they write is taken back. They read what it wrote where they should read
    /// what was there before; that makes a difference only where they find out from it what to access. If they fail elsewhere then, or not at
    /// all, it is not known which block failed.
    fn of_one_block(&self, plan: &Plan, constants: &AlignedBytes, groups: &Groups, error: LaunchError) -> LaunchError {
        let Some(group) = error.block else { return error };
        let undo = Undo::new(self.memory);
        let mut launch = self.launch(plan, constants, groups.grid_of_blocks());
        launch.restrict(groups.blocks_of(group));
        launch.observer = Some(&undo);
        // That of the launch was set by the failure.
        launch.interrupt = Interrupt::below(self.options.interrupt.as_ref());
        let interrupt = launch.interrupt.clone();
        let ran = self.deadline.watch(&interrupt, || work::run_in_order(&launch));
        undo.undo();
        match ran {
            Ok(Err(found)) if found.block.is_some() && found.site == error.site => found,
            _ => LaunchError { block: None, ..error },
        }
    }
}

/// How many threads run a launch: no more than there are blocks, and no more than its memory suffices for.
fn count_threads(plan: &Plan, blocks: u64, budget: &Budget, options: &LaunchOptions<'_>) -> usize {
    let wished = match options.watcher {
        Some(_) => 1,
        None => options.threads.map_or_else(cores, |threads| threads.min(max_threads())),
    };
    let most = blocks.min(budget.holds(bytes_of_worker(plan, plan.in_step)));
    usize::try_from(most).map_or(wished, |most| wished.min(most)).max(1)
}

/// How many blocks a worker runs in step: each worker should have some to take more than once.
fn blocks_in_step(plan: &Plan, blocks: u64, workers: usize) -> usize {
    let shares = blocks / (2 * workers as u64);
    usize::try_from(shares).map_or(plan.in_step, |shares| plan.in_step.min(shares)).max(1)
}

/// How many threads the system lets this process run at once. Found out once: it takes several files to be read.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}
