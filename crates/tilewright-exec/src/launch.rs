//! Launches: the blocks of a grid on worker threads.
//!
//! Each worker begins the blocks of a run of its own ([`Runs`]); where blocks may wait for others, all begin in the order of the
//! grid. A block that waits is parked; workers alternate between beginning new blocks and resuming parked ones, so every block gets
//! its turn however many wait for it, while only as many frames exist as blocks have begun and not ended. Parked blocks are resumed
//! in rounds, each of which visits all of them once, by turns from the last to the first and from the first to the last: a chain
//! of blocks that wait for their neighbours unwinds in one or two rounds.

use crate::{
    AccessObserver, Interrupt, LaunchError, LaunchErrorKind, Param, Plan, cpu,
    kernels::stream,
    memory::{Memory, locals::SharedLocals},
    plan::PARAM_BYTES,
    pool,
    runs::Runs,
    vm::{AlignedBytes, Block, Coarse, FrameLayout, Launch, Machine, Outcome, find_tilings, run_prologue},
};
use std::{
    fmt, io,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tilewright_ir::Scalar;

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

/// Where `print_tko` writes.
#[derive(Clone)]
pub struct OutputSink(Arc<Mutex<dyn io::Write + Send>>);

impl OutputSink {
    /// Writes to `target`, which can be looked at after the launch.
    pub fn new(target: Arc<Mutex<dyn io::Write + Send>>) -> OutputSink {
        OutputSink(target)
    }

    /// Writes to the standard output.
    pub fn stdout() -> OutputSink {
        OutputSink(Arc::new(Mutex::new(io::stdout())))
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes)
    }
}

impl fmt::Debug for OutputSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OutputSink")
    }
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
    interrupt: Option<Interrupt>,
    last_cache: Option<usize>,
}

impl<'a> LaunchOptions<'a> {
    /// The defaults: a thread for each core, prints to the standard output.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses this many worker threads, at least 1.
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
    let fail = |kind| LaunchError { entry: plan.entry().to_owned(), block: None, site: None, kind };
    let mut constants = bind(plan, args).map_err(fail)?;
    let blocks = count_blocks(grid).ok_or_else(|| fail(LaunchErrorKind::Grid(grid)))?;
    run_prologue(plan, grid, &mut constants).map_err(fail)?;
    let threads = options.threads.unwrap_or_else(cores).min(usize::try_from(blocks).unwrap_or(usize::MAX)).max(1);
    let output = options.output.clone().unwrap_or_else(OutputSink::stdout);
    let (interrupt, shared_locals) = (Interrupt::below(options.interrupt.as_ref()), SharedLocals::default());
    let (layout, memory) = (FrameLayout::new(&plan.registers, plan.frame_bytes, &constants), memory.share(&plan.globals));
    let tilings = find_tilings(plan, &layout, &memory);
    // An observer sees the accesses of one block after the other's.
    let is_seen = options.observer.is_some();
    let launch = Launch {
        plan,
        grid,
        coarse: if is_seen { None } else { Coarse::find(plan, grid, &tilings) },
        tilings,
        layout,
        memory,
        shared_locals: &shared_locals,
        observer: options.observer,
        output: &output,
        interrupt,
        blocks,
        last_cache: options.last_cache.unwrap_or_else(cpu::last_cache),
    };
    let in_step = if is_seen { 1 } else { blocks_in_step(plan, blocks, threads) };
    let (together, row) = launch.coarse.as_ref().map_or((in_step as u64, 1), |coarse| (coarse.fewest(), coarse.row_together()));
    let new = if plan.waits { Runs::in_order(blocks) } else { Runs::divided(blocks, threads).of_at_least(together).in_rows_of(row) };
    let queue = Queue::new(new, blocks, in_step, options.progress.clone());
    let begin = Instant::now();
    // Fewer threads than wished for still do all the work.
    pool::run(threads - 1, &|index| work(&launch, &queue, index));
    let time = begin.elapsed();
    let state = queue.lock();
    match &state.failure {
        Some(error) => Err(error.clone()),
        None if queue.ended.load(Ordering::Relaxed) < blocks => Err(fail(LaunchErrorKind::Stopped)),
        None => Ok(LaunchReport { blocks, threads, time, parked: state.parked_count }),
    }
}

/// How many blocks a worker runs in step: each worker should have some to take more than once.
fn blocks_in_step(plan: &Plan, blocks: u64, workers: usize) -> usize {
    let shares = blocks / (2 * workers as u64);
    usize::try_from(shares).map_or(plan.in_step, |shares| plan.in_step.min(shares)).max(1)
}

/// How many threads the system lets this process run at once. Found out once: it takes several files to be read.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

fn count_blocks(grid: [u32; 3]) -> Option<u64> {
    let fits = grid.iter().all(|n| (1..=MAX_EXTENT).contains(n));
    let blocks = grid.iter().try_fold(1u64, |product, n| product.checked_mul(u64::from(*n)));
    blocks.filter(|_| fits)
}

/// The constants of a launch: the plan's, with the arguments in front, and room for what the prologue computes.
fn bind(plan: &Plan, args: &[Arg]) -> Result<AlignedBytes, LaunchErrorKind> {
    if args.len() != plan.params().len() {
        return Err(LaunchErrorKind::ArgumentCount { expected: plan.params().len(), found: args.len() });
    }
    let source = plan.constants.bytes();
    let mut constants = AlignedBytes::zeroed(source.len())?;
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
    failure: Option<LaunchError>,
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
}

impl Queue {
    fn new(new: Runs, blocks: u64, in_step: usize, progress: Option<ProgressFn>) -> Queue {
        Queue { new, blocks, in_step, ended: AtomicU64::new(0), waiting: AtomicU64::new(0), state: Mutex::default(), progress }
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
        let mut block = ended.map_or_else(|| Block::new(launch).map(Box::new), Ok)?;
        block.begin(index, block_id(index, launch.grid));
        Ok(block)
    }

    /// Counts `blocks` that a worker has ended in the place of this one.
    fn end(&self, worker: &mut Worker, block: Box<Block>, blocks: u64) {
        if worker.idle.len() < self.in_step {
            worker.idle.push(block);
        } else {
            self.lock().ended.push(block);
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
        self.lock().failure.get_or_insert(error);
    }
}

/// Ends the launch when a worker panics: the others would wait for its block for ever.
struct PanicGuard<'q>(&'q Queue, &'q Interrupt);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
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
    let mut worker = Worker { index, resume: true, taken: 0..0, ended: 0, idle: Vec::new() };
    if let Err(error) = run_blocks(launch, queue, &mut worker) {
        launch.interrupt.set();
        queue.fail(error);
    }
    queue.count_ended(&mut worker);
    stream::fence();
}

fn run_blocks(launch: &Launch<'_>, queue: &Queue, worker: &mut Worker) -> Result<(), LaunchError> {
    let plan = launch.plan;
    let resource = |kind| LaunchError { entry: plan.entry().to_owned(), block: None, site: None, kind };
    let mut machine = Machine::new(launch).map_err(resource)?;
    let begin = |worker: &mut Worker, index| queue.begin(worker, index, launch).map_err(resource);
    while !launch.interrupt.is_set() {
        let block = match queue.next(worker) {
            Work::Begin(index) => {
                let mut block = begin(worker, index)?;
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
                        blocks.push(begin(worker, index)?);
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
                std::thread::yield_now();
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
        Outcome::Interrupted => {}
    }
    Ok(())
}

/// The position in the grid of the `index`-th block: x changes fastest.
fn block_id(index: u64, grid: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = grid.map(u64::from);
    let row = index / x;
    // Each part is below its extent, which fits 32 bits.
    [(index % x) as u32, (row % y) as u32, (row / y) as u32]
}
