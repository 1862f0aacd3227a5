//! The tile machine: runs the code of one block on a frame of its own.
//!
//! A frame holds everything a block has computed, so a block can stop at a loop's end and go on later, on any thread.

mod atomics;
mod bytes;
mod coarse;
mod compute;
mod copy;
mod count;
mod deferred;
mod edges;
mod fold;
mod frame;
mod gather;
mod in_place;
mod in_step;
mod lane_runs;
mod lanes;
mod nested;
mod nibbles;
mod pointers;
mod print;
mod product;
mod product_loop;
mod profile;
mod region;
mod row_boxes;
mod row_region;
mod row_sum;
mod rows;
mod sums;
mod sweep;
mod sweep_loop;
mod tiling;
mod updates;
mod view;
mod watch;
mod windows;

pub(crate) use bytes::AlignedBytes;
pub(crate) use coarse::Coarse;
pub(crate) use compute::run_prologue;
pub(crate) use edges::{Edges, unknown as unknown_edges};
pub(crate) use frame::FrameLayout;
pub(crate) use tiling::{Tiling, find_all as find_tilings, resolve_functions};
pub use watch::{OperandTile, Step};

use crate::{
    AccessFault, AccessKind, AccessObserver, Interrupt, LaunchError, LaunchErrorKind, Watcher,
    budget::{Budget, Reservation},
    interrupt::{PART, in_parts},
    kernels::{
        ahead::Ahead,
        boxes::Stores,
        mma::{Deferred, Packs},
    },
    launch::{Rectangles, Subgrid},
    memory::{
        SharedMemory,
        locals::{FIRST_WINDOW, LocalAccess, Locals, SharedLocals},
    },
    output::Output,
    plan::{Inst, LoopBody, Plan, ProductLoop, Tile},
    profile::{Profiled, WorkerProfile},
};
use count::Count;
use frame::Frame;
use in_place::{Forms, InPlace};
use region::Nests;
use rows::KnownFunction;
use std::{
    hash::Hasher,
    sync::{Arc, OnceLock},
};
use sums::Sums;
use sweep::Scratch;

/// How often the loops of a new block that may wait go round before the block is parked.
const FIRST_PATIENCE: u32 = 64;
/// The same for a block that was parked: it probably still waits.
const LATER_PATIENCE: u32 = 2;
/// The same for one whose memory others need.
const LONG_PATIENCE: u32 = 1 << 12;

/// What all blocks of a launch share.
pub(crate) struct Launch<'l> {
    pub(crate) plan: &'l Plan,
    pub(crate) grid: [u32; 3],
    /// The blocks that run.
    pub(crate) subgrid: Subgrid,
    /// Where registers are, and parameters and constants.
    pub(crate) layout: FrameLayout<'l>,
    pub(crate) memory: SharedMemory<'l>,
    /// Where the tiles of views lie, for those that the plan numbers.
    pub(crate) tilings: Vec<Option<Tiling>>,
    /// The access functions of those that have one, with all constants of the launch.
    pub(crate) functions: Vec<Option<KnownFunction>>,
    /// The same views' tensors, for tiles that hang over them.
    pub(crate) edges: Vec<OnceLock<Option<Edges>>>,
    /// What blocks do that may run as one.
    pub(crate) coarse: Option<Coarse<'l>>,
    /// How many neighbouring blocks a worker runs in step.
    pub(crate) in_step: usize,
    /// Which blocks are neighbours, if not those along x.
    pub(crate) rectangles: Option<Rectangles>,
    /// What blocks allocated for all to see.
    pub(crate) shared_locals: &'l SharedLocals,
    pub(crate) observer: Option<&'l dyn AccessObserver>,
    pub(crate) watcher: Option<&'l dyn Watcher>,
    /// What measures its blocks, if it is profiled.
    pub(crate) profiled: Option<Profiled<'l>>,
    pub(crate) output: &'l Output,
    /// The memory that it may take.
    pub(crate) budget: Arc<Budget>,
    /// Set when the launch is to end: by the caller, by a deadline, or because a block failed.
    pub(crate) interrupt: Interrupt,
    /// How many threads run blocks.
    pub(crate) threads: usize,
    /// Whether one thread runs all blocks, and nothing else can access the memory meanwhile: then atomic updates need not be.
    pub(crate) alone: bool,
    /// How many blocks run.
    pub(crate) blocks: u64,
    /// Bytes that the CPU's last cache holds.
    pub(crate) last_cache: usize,
}

/// How many bytes a worker needs, with the registers of so many blocks.
pub(crate) fn bytes_of_worker(plan: &Plan, blocks: usize) -> u64 {
    (Scratch::bytes(plan) + most_packed(plan)) as u64 + blocks as u64 * plan.frame_bytes as u64
}

/// The most bytes that products of a plan copy factors to.
fn most_packed(plan: &Plan) -> usize {
    let products = plan.code.iter().filter_map(|inst| if let Inst::Matmul(matmul) = inst { Some(matmul) } else { None });
    let of_a_round = ProductLoop::all(&plan.code).map(|product_loop| product_loop.products.len()).max().unwrap_or(1);
    let rooms = products.map(|matmul| Packs::most(matmul.kind, &matmul.shape, plan.in_step * of_a_round));
    let at_once = rooms.fold([0; Packs::ROOMS], |most, rooms| std::array::from_fn(|room| most[room].max(rooms[room])));
    at_once.iter().sum::<usize>() + deferred::most_bytes(plan)
}

impl Launch<'_> {
    /// Runs these blocks of the grid only, one by one.
    pub(crate) fn restrict(&mut self, subgrid: Subgrid) {
        (self.blocks, self.subgrid) = (subgrid.blocks().unwrap_or(u64::MAX), subgrid);
        (self.coarse, self.rectangles, self.in_step) = (None, None, 1);
    }

    /// The position in the grid of the block that begins as the `index`-th.
    #[inline]
    pub(crate) fn position(&self, index: u64) -> [u32; 3] {
        match (&self.coarse, &self.rectangles) {
            (Some(coarse), _) => coarse.position(index, self.grid),
            (None, Some(rectangles)) => rectangles.position(index),
            (None, None) => self.subgrid.position(index),
        }
    }

    /// The host address of `size` bytes of elements of `align` bytes at `address`. `hint` is the buffer to look at first.
    #[inline]
    fn resolve(
        &self,
        hint: &mut usize,
        block: &Block,
        address: u64,
        size: u64,
        align: u64,
        kind: AccessKind,
    ) -> Result<*mut u8, LaunchErrorKind> {
        if address >= FIRST_WINDOW && address.is_multiple_of(align) && !self.plan.allocas.is_empty() {
            let access = LocalAccess { address, size, block: block.index };
            if let Some(found) = block.locals.resolve(&self.plan.allocas, access, self.shared_locals) {
                return found;
            }
        }
        Ok(self.memory.resolve(address, size, align, kind, hint)?)
    }
}

/// A block that has begun, or room for one.
pub(crate) struct Block {
    id: [u32; 3],
    /// Position in the order of the grid.
    pub(crate) index: u64,
    pc: usize,
    /// How often its waiting loops may go round before it is parked.
    patience: u32,
    /// How many accesses to memory it carries out before it is preempted.
    accesses: u64,
    /// The first and the last instruction at which it showed an operation.
    visited: Option<(usize, usize)>,
    frame: Frame,
    /// What it has allocated.
    locals: Locals,
}

impl Block {
    /// Room for the blocks of a launch, one after the other.
    ///
    /// # Errors
    /// When the host has not enough memory, or the launch may take no more.
    pub(crate) fn new(launch: &Launch<'_>) -> Result<Block, LaunchErrorKind> {
        let frame = Frame::new(&launch.layout, &launch.budget)?;
        Ok(Block { id: [0; 3], index: 0, pc: 0, patience: 0, accesses: u64::MAX, visited: None, frame, locals: Locals::default() })
    }

    /// Lets it carry out so many accesses to memory, if somebody watches them, before it is preempted.
    pub(crate) fn preempt_after(&mut self, accesses: Option<u64>) {
        self.accesses = accesses.unwrap_or(u64::MAX);
    }

    /// Hashes where it is, and some tiles in its registers.
    pub(crate) fn hash_state(&self, tiles: &[Tile], hasher: &mut impl Hasher) {
        hasher.write_u64(self.index);
        hasher.write_usize(self.pc);
        hasher.write_u32(self.patience);
        tiles.iter().for_each(|tile| self.frame.hash(tile, hasher));
        self.locals.hash_bytes(hasher);
    }

    /// The first and the last instruction at which it showed an operation to a watcher since it began, or was asked to forget.
    pub(crate) fn visited(&self) -> Option<(usize, usize)> {
        self.visited
    }

    /// The same, and forgets it.
    pub(crate) fn take_visited(&mut self) -> Option<(usize, usize)> {
        self.visited.take()
    }

    /// Lets it run for long before it is parked again.
    pub(crate) fn be_patient(&mut self) {
        self.patience = LONG_PATIENCE;
    }

    /// Begins a block where another one has ended, if any has begun.
    pub(crate) fn begin(&mut self, index: u64, id: [u32; 3]) {
        (self.id, self.index, self.pc, self.patience) = (id, index, 0, FIRST_PATIENCE);
        self.visited = None;
    }
}

/// How a run of a block ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Finished,
    /// It may be waiting for another block.
    Parked,
    /// It has carried out as many accesses as it may for now.
    Preempted,
    /// The launch is to end, and it stopped where it was.
    Interrupted,
}

/// What a worker keeps from block to block.
pub(crate) struct Machine<'l> {
    launch: &'l Launch<'l>,
    scratch: Scratch,
    packs: Packs,
    /// Products that wait, by their slots.
    deferred: Vec<Deferred>,
    #[expect(dead_code, reason = "gives back to the budget what packs take of it")]
    reservation: Reservation,
    /// The buffer that was accessed last.
    hint: usize,
    /// Tiles of the running block that were not copied.
    in_place: Box<InPlace>,
    /// The same for each of the blocks that run in step.
    #[expect(clippy::vec_box, reason = "each takes its turn as `in_place`, which is a swap of pointers")]
    lanes: Vec<Box<InPlace>>,
    /// Where blocks in step fold columns, and tiles of several blocks are brought together.
    room: Option<AlignedBytes>,
    /// Room for sums of blocks in step that are multiplied as one.
    beside: Option<AlignedBytes>,
    /// How tiles are copied to memory.
    forms: Forms,
    /// The nests of the regions that ran last.
    nests: Nests,
    /// For each instruction that gathers, whether its indices fit 32 bits, if that is known.
    narrow: Vec<Option<bool>>,
    /// Where tiles will probably be read next.
    ahead: Ahead,
    /// Room for where rows lie.
    places: rows::Places,
    /// Sums of numbers that are to be added to memory.
    sums: Sums,
    /// What is measured, if the launch is profiled.
    profile: Option<Box<WorkerProfile<'l>>>,
    /// Rounds of loops that their heads ran as one instruction, until a profile takes them.
    rounds: u64,
    /// Why an instruction failed.
    failure: Option<LaunchErrorKind>,
    /// The operation of which it carries out a part, if that is not the one that the instruction came from.
    site: Option<u32>,
}

/// Where an instruction leads.
#[derive(Clone, Copy)]
enum Flow {
    Next,
    Goto(usize),
    /// Back in a loop that may wait.
    Again(usize),
    Finish,
    /// Nowhere: the launch is to end. What the instruction leaves behind need not be its result.
    Interrupted,
    /// Nowhere for now: the block is preempted in front of the instruction.
    Preempted,
    /// Nowhere: the machine has noted why.
    Fail,
}

impl<'l> Machine<'l> {
    /// A machine for the blocks of a launch.
    ///
    /// # Errors
    /// When there is no memory for its scratch, or for copies of factors of products.
    pub(crate) fn new(launch: &'l Launch<'l>) -> Result<Machine<'l>, LaunchErrorKind> {
        let scratch = Scratch::new(launch.plan, &launch.budget)?;
        let reservation = launch.budget.reserve(most_packed(launch.plan))?;
        Ok(Machine {
            launch,
            scratch,
            packs: Packs::default(),
            deferred: deferred::slots(launch),
            reservation,
            hint: 0,
            in_place: Box::default(),
            lanes: Vec::new(),
            room: None,
            beside: None,
            forms: Forms::default(),
            nests: Nests::default(),
            narrow: Vec::new(),
            ahead: Ahead::default(),
            places: rows::Places::new(),
            sums: Sums::default(),
            profile: launch.profiled.map(|profiled| Box::new(profiled.worker(launch.plan.code.len()))),
            rounds: 0,
            failure: None,
            site: None,
        })
    }

    /// Runs a block until it ends or waits.
    ///
    /// # Errors
    /// When the block does what a kernel must not do.
    #[inline]
    pub(crate) fn run(&mut self, block: &mut Block) -> Result<Outcome, LaunchError> {
        if self.profile.is_some() { self.run_profiled(block) } else { self.run_on::<false>(block) }
    }

    /// The same with a clock that is read behind each instruction, if it is `PROFILED`.
    #[inline]
    fn run_on<const PROFILED: bool>(&mut self, block: &mut Block) -> Result<Outcome, LaunchError> {
        let plan = self.launch.plan;
        if block.pc == 0 {
            self.guess_stores();
            self.drop_deferred();
        }
        block.frame.use_scratch(self.scratch.start());
        while let Some(inst) = plan.code.get(block.pc) {
            let flow = self.step(inst, block);
            if PROFILED {
                self.measure(block.pc, 1);
            }
            match flow {
                Flow::Next => block.pc += 1,
                Flow::Goto(target) => block.pc = target,
                Flow::Again(target) => {
                    block.pc = target;
                    block.patience -= 1;
                    if block.patience == 0 {
                        block.patience = LATER_PATIENCE;
                        return Ok(Outcome::Parked);
                    }
                }
                Flow::Finish => break,
                Flow::Interrupted => return Ok(Outcome::Interrupted),
                Flow::Preempted => return Ok(Outcome::Preempted),
                Flow::Fail => match self.go_on(inst, block) {
                    Flow::Next => block.pc += 1,
                    Flow::Finish => break,
                    _ => return Err(self.failed(block)),
                },
            }
        }
        self.watch_end(block);
        block.locals.release_all(&plan.allocas, block.index, self.launch.shared_locals);
        Ok(Outcome::Finished)
    }

    /// The failure of a block's instruction.
    #[cold]
    fn failed(&mut self, block: &Block) -> LaunchError {
        let kind = self.failure.take().unwrap_or_else(|| unreachable!("an instruction that fails says why"));
        let error = self.error(block, kind);
        self.site = None;
        error
    }

    #[cold]
    fn error(&self, block: &Block, kind: LaunchErrorKind) -> LaunchError {
        let plan = self.launch.plan;
        let site = self.site.map(|number| plan.site_of(number)).or_else(|| plan.site(block.pc));
        LaunchError { entry: plan.entry().to_owned(), block: Some(block.id), site: site.map(Box::new), kind }
    }

    /// Position in its function of the operation that a block runs.
    fn op_index(&self, block: &Block) -> u32 {
        self.site.map_or_else(|| self.launch.plan.op_index(block.pc), |number| self.launch.plan.op_of(number))
    }

    /// The host address of `size` bytes of elements of `align` bytes at `address`.
    #[inline]
    fn resolve(&mut self, block: &Block, address: u64, size: u64, align: u64, kind: AccessKind) -> Result<*mut u8, LaunchErrorKind> {
        self.launch.resolve(&mut self.hint, block, address, size, align, kind)
    }

    /// How the store at `pc` writes `bytes` bytes: past the caches, if they would not hold what all blocks store there, and as much again for
    /// what they read.
    fn stores(&self, bytes: usize, pc: usize) -> Stores {
        let all = self.launch.blocks.saturating_mul(2 * bytes as u64);
        if self.launch.plan.may_stream[pc] && all >= self.launch.last_cache as u64 { Stores::Streaming } else { Stores::Cached }
    }

    /// Runs the instruction that a block is at.
    ///
    /// Those that blocks run most are here, each a call and nothing else, because this is all that lies between them.
    #[inline(always)]
    fn step(&mut self, inst: &Inst, block: &mut Block) -> Flow {
        let regs = &block.frame;
        let ran = match inst {
            Inst::Sweep(sweep) if sweep.has_gathers => self.sweep_gathering(sweep, block),
            Inst::Sweep(sweep) => {
                self.sweep(sweep, block);
                return self.next();
            }
            Inst::FoldRows(fold) => {
                fold::run_rows(fold, regs, &mut self.scratch, &mut self.ahead);
                return self.next();
            }
            Inst::Matmul(matmul) => {
                self.multiply(matmul, regs);
                return self.next();
            }
            Inst::FinishProducts { slot, sums } => {
                self.finish_products(*slot, sums, regs);
                return self.next();
            }
            Inst::BlockId(dst) => {
                // One by one, as they were written: to read two at once, the CPU would wait until all that was stored before is in memory.
                dst.iter().zip(&block.id).for_each(|(reg, number)| regs.set_scalar(*reg, 4, (*number).into()));
                return Flow::Next;
            }
            Inst::Move { src, dst } => {
                copy::tile(src, regs, regs.write(*dst));
                return self.next();
            }
            Inst::Watch(watch) => return self.watch(watch, block),
            Inst::Load { view, dst, readers, .. } => self.load_view(view, *dst, *readers, block),
            Inst::LoadWindows(load) => {
                let are_open = self.load_windows(load, block);
                return match self.next() {
                    Flow::Next if are_open => Flow::Goto(block.pc + 1 + load.windows.len()),
                    flow => flow,
                };
            }
            Inst::Store { view, src } => self.store_view(view, src, block),
            Inst::SweepStore { sweep, view, src } => self.sweep_store(sweep, view, src, block),
            Inst::Rows(rows) => {
                self.rows(rows, block);
                return self.next();
            }
            Inst::RowsStore { rows, view, src } => self.rows_store(rows, view, src, block),
            Inst::Jump(target) => return Flow::Goto(*target),
            Inst::BranchUnless { condition, target } => {
                return if regs.scalar(condition) & 1 == 0 { Flow::Goto(*target) } else { Flow::Next };
            }
            Inst::JumpBack { target, waits } => return self.back(*target, *waits),
            Inst::ForNext { counter, upper, step, signed, target, waits } => {
                let count = Count { counter: *counter, upper, step, signed: *signed };
                return if count.advance(regs) { self.back(*target, *waits) } else { Flow::Next };
            }
            Inst::ForHead { counter, upper, step, signed, exit, body } => {
                let count = Count { counter: *counter, upper, step, signed: *signed };
                match count.begin(regs) {
                    Ok(true) => {
                        return match body {
                            LoopBody::Any => Flow::Next,
                            LoopBody::Product => self.multiply_in_loop(&count, *exit, block.pc, &[&block.frame]),
                            LoopBody::Sweep => self.sweep_in_loop(&count, *exit, block),
                        };
                    }
                    Ok(false) => return Flow::Goto(*exit),
                    Err(kind) => Err(kind),
                }
            }
            Inst::Return => return Flow::Finish,
            inst => self.step_seldom(inst, block),
        };
        match ran {
            Ok(()) => self.next(),
            Err(kind) => {
                self.failure = Some(kind);
                Flow::Fail
            }
        }
    }

    /// Runs an instruction that takes long itself, or is rare.
    #[inline(never)]
    fn step_seldom(&mut self, inst: &Inst, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let regs = &block.frame;
        match inst {
            Inst::Extract { src, slice, dst } => copy::extract(src, slice, regs, regs.write(*dst)),
            Inst::Insert { src, slice, dst } => copy::insert(src, slice, regs, regs.write(*dst)),
            Inst::LoadPointers { access, padding, dst } => self.load_pointers(access, padding.as_ref(), *dst, block),
            Inst::StorePointers { access, src } => self.store_pointers(access, src, block),
            Inst::AtomicView { view, mode, src } => self.atomic_view(view, *mode, src, block),
            Inst::Atomic(atomic) => self.atomic(atomic, block),
            Inst::Fold(fold) => {
                fold::run(fold, regs, &mut self.scratch);
                Ok(())
            }
            Inst::FoldColumns(fold) => {
                fold::run_columns(fold, regs, &self.in_place);
                Ok(())
            }
            Inst::Alloca { slot, dst } => {
                let address = block.locals.allocate(&self.launch.plan.allocas, *slot, block.index, self.launch.shared_locals)?;
                regs.set_scalar(*dst, 8, address);
                Ok(())
            }
            Inst::Release(slots) => {
                self.watch_release(slots, block);
                for slot in slots {
                    block.locals.release(&self.launch.plan.allocas, *slot, block.index, self.launch.shared_locals);
                }
                Ok(())
            }
            Inst::Print(print) => print::run(print, regs, self.launch.output, &self.launch.budget),
            Inst::Assert { condition, message } => assert_all(condition, message, regs),
            inst => {
                compute::run(inst, regs, self.launch.grid);
                Ok(())
            }
        }
    }

    /// Goes on behind an instruction that looks at the interrupt: unless it saw that the launch is to end, and stopped.
    #[inline(always)]
    fn next(&self) -> Flow {
        if self.launch.interrupt.was_seen() { Flow::Interrupted } else { Flow::Next }
    }

    /// Goes back in a loop.
    fn back(&self, target: usize, waits: bool) -> Flow {
        match waits {
            _ if self.launch.interrupt.is_set() => Flow::Interrupted,
            true => Flow::Again(target),
            false => Flow::Goto(target),
        }
    }
}

fn assert_all(condition: &Tile, message: &str, regs: &Frame) -> Result<(), LaunchErrorKind> {
    let mut first = None;
    in_parts(condition.numel(), PART, |mut part| first = first.or(part.find(|i| regs.element(condition, *i) & 1 == 0)));
    match first {
        Some(element) => Err(LaunchErrorKind::Assert { message: message.to_owned(), element }),
        None => Ok(()),
    }
}

impl From<AccessFault> for LaunchErrorKind {
    fn from(fault: AccessFault) -> Self {
        LaunchErrorKind::Access(fault)
    }
}
