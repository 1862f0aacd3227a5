//! Launches: the blocks of a grid on worker threads.
//!
//! Each worker begins the blocks of a run of its own ([`Runs`]); where blocks may wait for others, all begin in the order of the
//! grid. A block that waits is parked; workers alternate between beginning new blocks and resuming parked ones, so every block gets
//! its turn however many wait for it, while only as many frames exist as blocks have begun and not ended. Parked blocks are resumed
//! in rounds, each of which visits all of them once, by turns from the last to the first and from the first to the last: a chain
//! of blocks that wait for their neighbours unwinds in one or two rounds.

use crate::{
    AccessObserver, Interrupt, LaunchError, LaunchErrorKind, Limits, OutputSink, Param, Plan, Schedule, WatchedLaunch, Watcher,
    budget::Budget,
    kernels::stream,
    memory::{Memory, locals::SharedLocals},
    output::Output,
    plan::PARAM_BYTES,
    pool,
    runs::Runs,
    schedule,
    vm::{
        AlignedBytes, Block, Coarse, FrameLayout, Launch, Machine, Outcome, bytes_of_worker, find_tilings, resolve_functions, run_prologue,
        unknown_edges,
    },
};
use std::{
    fmt,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
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
    schedule: Schedule,
    interrupt: Option<Interrupt>,
    last_cache: Option<usize>,
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
    let blocks = count_blocks(grid).ok_or_else(|| fail(LaunchErrorKind::Grid(grid)))?;
    {
        let _entered = interrupt.enter();
        run_prologue(plan, grid, &mut constants, &budget).map_err(fail)?;
    }
    let threads = count_threads(plan, blocks, &budget, options);
    let output = Output::new(options.output.clone().unwrap_or_else(OutputSink::stdout), options.limits.get_output());
    let shared_locals = SharedLocals::new(Arc::clone(&budget));
    if let Some(watcher) = options.watcher {
        watcher.begins(&WatchedLaunch { grid, memory: memory.ranges(&plan.globals) });
    }
    let (layout, memory) = (FrameLayout::new(&plan.registers, plan.frame_bytes, &constants), memory.share(&plan.globals));
    let tilings = find_tilings(plan, &layout, &memory);
    let functions = resolve_functions(plan, &layout);
    // An observer sees the accesses of one block after the other's.
    let is_seen = options.observer.is_some() || options.watcher.is_some();
    let launch = Launch {
        plan,
        grid,
        coarse: if is_seen { None } else { Coarse::find(plan, grid, &tilings) },
        alone: threads == 1 && memory.is_private(),
        edges: unknown_edges(tilings.len()),
        tilings,
        functions,
        layout,
        memory,
        shared_locals: &shared_locals,
        observer: options.observer,
        watcher: options.watcher,
        output: &output,
        budget,
        interrupt: interrupt.clone(),
        blocks,
        last_cache: options.last_cache.unwrap_or(plan.machine().last_cache()),
    };
    if options.watcher.is_some() {
        let begin = Moment::now();
        let ran = schedule::run(&launch, &options.schedule, options.progress.as_ref());
        let end = Moment::now();
        if let Some(limit) = deadline.passed(end) {
            return Err(fail(LaunchErrorKind::TimedOut(limit)));
        }
        let ran = ran?;
        if ran.stopped {
            return Err(fail(LaunchErrorKind::Stopped));
        }
        return Ok(LaunchReport { blocks: ran.ended, threads: 1, time: end.since(begin), parked: ran.parked });
    }
    let in_step = if is_seen { 1 } else { blocks_in_step(plan, blocks, threads) };
    let (together, row) = launch.coarse.as_ref().map_or((in_step as u64, 1), |coarse| (coarse.fewest(), coarse.row_together()));
    let new = if plan.waits { Runs::in_order(blocks) } else { Runs::divided(blocks, threads).of_at_least(together).in_rows_of(row) };
    let queue = Queue::new(new, blocks, in_step, options.progress.clone());
    let begin = Moment::now();
    // Fewer threads than wished for still do all the work.
    pool::run(threads - 1, &|index| work(&launch, &queue, index));
    let end = Moment::now();
    let state = queue.lock();
    let failed = state.failure.as_ref();
    if let Some(limit) = deadline.passed(failed.map_or(end, |(_, at)| *at)) {
        return Err(fail(LaunchErrorKind::TimedOut(limit)));
    }
    match failed {
        Some((error, _)) => Err(error.clone()),
        None if queue.ended.load(Ordering::Relaxed) < blocks => Err(fail(LaunchErrorKind::Stopped)),
        None => Ok(LaunchReport { blocks, threads, time: end.since(begin), parked: state.parked_count }),
    }
}

/// When a launch must have ended.
struct Deadline(Option<(Duration, Moment)>);

impl Deadline {
    /// So long from now on; no deadline if that is further away than time goes.
    fn new(limit: Option<Duration>) -> Deadline {
        Deadline(limit.and_then(|limit| Some((limit, Moment::now().checked_add(limit)?))))
    }

    /// The limit, if the deadline has passed at a time.
    fn passed(&self, at: Moment) -> Option<Duration> {
        self.0.filter(|(_, deadline)| at >= *deadline).map(|(limit, _)| limit)
    }

    /// Does work, and sets the interrupt when the deadline passes before it is done: another thread sleeps until then.
    ///
    /// # Errors
    /// When there is no other thread to be had.
    fn watch<T>(&self, interrupt: &Interrupt, work: impl FnOnce() -> T) -> Result<T, LaunchErrorKind> {
        let Some((_, deadline)) = self.0 else { return Ok(work()) };
        thread::scope(|scope| {
            let (end, ended) = mpsc::channel::<()>();
            let wait = move || {
                let left = deadline.since(Moment::now());
                if ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                    interrupt.set();
                }
            };
            let watcher = thread::Builder::new().name("tilewright deadline".to_owned()).spawn_scoped(scope, wait);
            watcher.map_err(|error| LaunchErrorKind::Resource(format!("no thread that watches the time: {error}")))?;
            let done = work();
            drop(end);
            Ok(done)
        })
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

fn count_blocks(grid: [u32; 3]) -> Option<u64> {
    let fits = grid.iter().all(|n| (1..=MAX_EXTENT).contains(n));
    let blocks = grid.iter().try_fold(1u64, |product, n| product.checked_mul(u64::from(*n)));
    blocks.filter(|_| fits)
}

/// The constants of a launch: the plan's, with the arguments in front, and room for what the prologue computes.
fn bind(plan: &Plan, args: &[Arg], budget: &Arc<Budget>) -> Result<AlignedBytes, LaunchErrorKind> {
    if args.len() != plan.params().len() {
        return Err(LaunchErrorKind::ArgumentCount { expected: plan.params().len(), found: args.len() });
    }
    let source = plan.constants.bytes();
    let mut constants = AlignedBytes::zeroed(source.len(), budget)?;
    let bytes = constants.as_mut_slice();
    bytes[..source.len()].copy_from_slice(source);
    for (index, (param, arg)) in plan.params().iter().zip(args).enumerate() {
        let bits = argument_bits(index, *param, *arg)?;
        bytes[index * PARAM_BYTES..][..PARAM_BYTES].copy_from_slice(&bits.to_le_bytes());
    }
    Ok(constants)
}

fn argument_bits(index: usize, param: Param, arg: Arg) -> Result<u64, LaunchErrorKind> {
    match (param, arg) {
        (Param::Pointer(_), Arg::Pointer(address)) => Ok(address),
        // Of an i1 argument only the lowest bit counts (SEMANTICS (f)).
        (Param::Scalar(Scalar::I1), Arg::Scalar(Scalar::I1, bits)) => Ok(bits & 1),
        (Param::Scalar(expected), Arg::Scalar(found, bits)) if expected == found => Ok(bits),
        (param, arg) => {
            let found = match arg {
                Arg::Scalar(scalar, _) => scalar.to_string(),
                Arg::Pointer(_) => "a buffer".to_owned(),
            };
            Err(LaunchErrorKind::ArgumentType { index, expected: param.to_string(), found })
        }
    }
}

/// The blocks that are still to be run.
struct Queue {
    new: Runs,
    blocks: u64,
    /// How many blocks a worker runs in step.
    in_step: usize,
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
enum Work {
    Begin(u64),
    Resume(Box<Block>),
    /// Every block that is left is being run by another worker, and may be parked again.
    Wait,
    Done,
}

/// What the queue knows of a worker.
#[expect(clippy::vec_box, reason = "a block goes from list to list, and its state stays where it is")]
struct Worker {
    index: usize,
    /// Resume a parked block before the next one begins.
    resume: bool,
    /// Blocks that it will begin next.
    taken: Range<u64>,
    /// Blocks that it has ended and that are not counted yet.
    ended: u64,
    /// Blocks that it has ended, to be used again: as many as it runs in step, at most.
    idle: Vec<Box<Block>>,
    /// How many blocks it has resumed for want of memory since one ended, and how many had ended then.
    resumed: u64,
    seen: u64,
}

impl Queue {
    fn new(new: Runs, blocks: u64, in_step: usize, progress: Option<ProgressFn>) -> Queue {
        let zero = || AtomicU64::new(0);
        let (ended, waiting, made, ended_since) = (zero(), zero(), zero(), zero());
        Queue { new, blocks, in_step, ended, waiting, made, short: AtomicBool::new(false), ended_since, state: Mutex::default(), progress }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, worker: &mut Worker) -> Work {
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

    fn park(&self, block: Box<Block>) {
        let mut state = self.lock();
        state.parked_count += 1;
        state.parked.push(block);
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// A block that begins.
    fn begin(&self, worker: &mut Worker, index: u64, launch: &Launch<'_>) -> Result<Box<Block>, LaunchErrorKind> {
        let ended = worker.idle.pop().or_else(|| self.lock().ended.pop());
        let mut block = match ended {
            Some(block) => block,
            None => {
                let block = Block::new(launch)?;
                self.made.fetch_add(1, Ordering::Relaxed);
                Box::new(block)
            }
        };
        block.begin(index, launch.coarse.as_ref().map_or(block_id(index, launch.grid), |coarse| coarse.position(index, launch.grid)));
        Ok(block)
    }

    /// Looks for a parked block to resume where one cannot begin for want of memory, so that one ends and leaves its memory. Gives none if
    /// others run all that have begun.
    ///
    /// # Errors
    /// When there is nothing to wait for: no block has begun, or all were resumed twice, for long, and none has ended.
    fn make_room(&self, worker: &mut Worker, launch: &Launch<'_>, wanted: LaunchErrorKind) -> Result<Option<Box<Block>>, LaunchErrorKind> {
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
    fn end(&self, worker: &mut Worker, block: Box<Block>, blocks: u64) {
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
            progress(self.count_ended(worker));
        }
    }

    /// Counts the blocks that a worker has ended; gives how many ended altogether.
    fn count_ended(&self, worker: &mut Worker) -> u64 {
        let ended = std::mem::take(&mut worker.ended);
        self.ended.fetch_add(ended, Ordering::Relaxed) + ended
    }

    fn fail(&self, error: LaunchError) {
        self.lock().failure.get_or_insert_with(|| (error, Moment::now()));
    }
}

/// Ends the launch when a worker panics: the others would wait for its block for ever.
struct PanicGuard<'q>(&'q Queue, &'q Interrupt);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.1.set();
            let kind = LaunchErrorKind::Resource("a worker thread panicked".to_owned());
            self.0.fail(LaunchError { entry: String::new(), block: None, site: None, kind });
        }
    }
}

/// Runs blocks until there are none left.
fn work(launch: &Launch<'_>, queue: &Queue, index: usize) {
    let _guard = PanicGuard(queue, &launch.interrupt);
    let _entered = launch.interrupt.enter();
    let mut worker = Worker { index, resume: true, taken: 0..0, ended: 0, idle: Vec::new(), resumed: 0, seen: 0 };
    if let Err(error) = run_blocks(launch, queue, &mut worker) {
        launch.interrupt.set();
        queue.fail(error);
    }
    queue.count_ended(&mut worker);
    stream::fence();
}

fn run_blocks(launch: &Launch<'_>, queue: &Queue, worker: &mut Worker) -> Result<(), LaunchError> {
    let plan = launch.plan;
    let resource = |kind| unplaced(plan, kind);
    let mut machine = Machine::new(launch).map_err(resource)?;
    while !launch.interrupt.is_set() {
        let block = match queue.next(worker) {
            Work::Begin(index) => {
                let mut block = match queue.begin(worker, index, launch) {
                    Ok(block) => block,
                    Err(wanted) => {
                        // It is still the next one.
                        worker.taken.start = index;
                        match queue.make_room(worker, launch, wanted).map_err(resource)? {
                            Some(block) => run_on(&mut machine, queue, worker, block)?,
                            None => thread::yield_now(),
                        }
                        continue;
                    }
                };
                let ran = machine.run_as_one(&mut block, 1 + worker.taken.end - worker.taken.start);
                if ran > 0 {
                    if launch.interrupt.was_seen() {
                        break;
                    }
                    worker.taken.start += ran - 1;
                    queue.end(worker, block, ran);
                    continue;
                }
                if queue.in_step > 1 {
                    let mut blocks = vec![block];
                    while blocks.len() < queue.in_step
                        && let Some(index) = worker.taken.next()
                    {
                        let Ok(block) = queue.begin(worker, index, launch) else {
                            worker.taken.start = index;
                            break;
                        };
                        blocks.push(block);
                    }
                    if blocks.len() > 1 {
                        machine.run_in_step(&mut blocks)?;
                    }
                    if launch.interrupt.was_seen() {
                        break;
                    }
                    blocks.into_iter().try_for_each(|block| run_on(&mut machine, queue, worker, block))?;
                    continue;
                }
                block
            }
            Work::Resume(block) => block,
            Work::Wait => {
                if queue.short.load(Ordering::Relaxed) {
                    queue.lock().ended.append(&mut worker.idle);
                }
                thread::yield_now();
                continue;
            }
            Work::Done => return Ok(()),
        };
        run_on(&mut machine, queue, worker, block)?;
    }
    Ok(())
}

/// Runs a block until it ends or waits.
#[inline]
fn run_on(machine: &mut Machine<'_>, queue: &Queue, worker: &mut Worker, mut block: Box<Block>) -> Result<(), LaunchError> {
    match machine.run(&mut block)? {
        Outcome::Finished => queue.end(worker, block, 1),
        Outcome::Parked => queue.park(block),
        Outcome::Preempted | Outcome::Interrupted => {}
    }
    Ok(())
}

/// The position in the grid of the `index`-th block: x changes fastest.
#[inline]
pub(crate) fn block_id(index: u64, grid: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = grid.map(u64::from);
    // Divisions take as long as a short block's instructions.
    if index < x {
        return [index as u32, 0, 0];
    }
    let row = index / x;
    // Each part is below its extent, which fits 32 bits.
    [(index % x) as u32, (row % y) as u32, (row / y) as u32]
}
