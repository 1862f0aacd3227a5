//! The PTX machine: runs a kernel on the CPU, whole warps at a time.
//!
//! [`Program::new`] decodes a module, [`Program::launch`] runs an entry of it over a grid on buffers of a [`Memory`].

mod access;
mod alu;
mod convert;
pub(crate) mod decode;
mod lanes;
mod memory;
pub(crate) mod mma;
pub(crate) mod op;
mod printf;
mod report;
mod shared;
mod warp;

pub use memory::{Buffer, Memory};
pub use report::{Count, Finding, FindingKind, LaunchError, LaunchErrorKind, Report, Site};
pub use shared::SharedCounts;

use crate::{Module, PtxError};
use decode::{Code, Entry, Preset, Special};
use lanes::File;
use report::Journal;
use shared::Shared;
use std::collections::VecDeque;
use warp::{Stop, Warp};

/// A module, ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    code: Code,
}

/// How a launch runs.
#[derive(Clone, Debug)]
pub struct LaunchOptions {
    seed: u64,
    block: Option<[u32; 3]>,
    dynamic_shared: u32,
    limit: u64,
}

impl Default for LaunchOptions {
    fn default() -> LaunchOptions {
        LaunchOptions { seed: 0, block: None, dynamic_shared: 0, limit: u64::MAX }
    }
}

impl LaunchOptions {
    /// The defaults.
    pub fn new() -> LaunchOptions {
        LaunchOptions::default()
    }

    /// Decides the order of blocks and of warps, and what registers hold that nobody wrote. Of seed 0, blocks start in their order.
    pub fn seed(mut self, seed: u64) -> LaunchOptions {
        self.seed = seed;
        self
    }

    /// The threads of a block along x, y and z, for entries that do not say.
    pub fn block(mut self, block: [u32; 3]) -> LaunchOptions {
        self.block = Some(block);
        self
    }

    /// Bytes of shared memory behind the variables of the module.
    pub fn dynamic_shared(mut self, bytes: u32) -> LaunchOptions {
        self.dynamic_shared = bytes;
        self
    }

    /// How many instructions warps may carry out; no limit unless set.
    pub fn limit(mut self, instructions: u64) -> LaunchOptions {
        self.limit = instructions;
        self
    }
}

/// Instructions that a warp carries out before another one has its turn, at most.
const SLICE: u64 = 256;
/// Rounds of a block before another block has its turn.
const ROUNDS: u64 = 32;
/// How many blocks have begun and not ended, as long as they do not seem to wait for others.
const RESIDENT: usize = 16;
/// The most threads of a block.
const MOST_THREADS: u32 = 1024;

/// Why a warp cannot go on.
pub(super) struct Fault {
    pub(super) kind: LaunchErrorKind,
    pub(super) pc: u32,
    pub(super) lane: usize,
}

/// Numbers that look random.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }
}

impl Program {
    /// Makes a module ready to run.
    ///
    /// # Errors
    /// When it has instructions or declarations that the machine does not know, or that are wrong.
    pub fn new(module: &Module) -> Result<Program, PtxError> {
        decode::decode(module).map(|code| Program { code })
    }

    /// The names of the entries.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self.code.entries.keys().map(String::as_str).collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// The names of an entry's parameters and their bytes.
    pub fn params(&self, entry: &str) -> Option<Vec<(&str, u64)>> {
        let entry = self.code.entries.get(entry)?;
        Some(entry.params.iter().map(|param| (param.name.as_str(), param.size)).collect())
    }

    /// Runs an entry over a grid. Each argument is the bits of a scalar or an address, in the order of the parameters.
    ///
    /// Blocks take turns on one thread of the host, so any number of them may wait for each other.
    ///
    /// # Errors
    /// When the launch is not possible, or fails; buffers then hold what was written until then.
    pub fn launch(
        &self,
        entry: &str,
        grid: [u32; 3],
        args: &[u64],
        memory: &mut Memory,
        options: &LaunchOptions,
    ) -> Result<Report, LaunchError> {
        let buffers = memory.len();
        let mut journal = Journal::new(&self.code);
        let result = self.prepare(entry, grid, args, memory, options).and_then(|mut launch| launch.run(&mut journal));
        memory.truncate(buffers);
        match result {
            Ok(()) => Ok(journal.report()),
            Err(stopped) => {
                let site = stopped.at.map(|(pc, block, thread)| Box::new(journal.site(pc, block, thread)));
                Err(LaunchError { kind: stopped.kind, site, report: Box::new(journal.report()) })
            }
        }
    }

    fn prepare<'l>(
        &'l self,
        name: &str,
        grid: [u32; 3],
        args: &[u64],
        memory: &'l mut Memory,
        options: &LaunchOptions,
    ) -> Result<Launch<'l>, Stopped> {
        let entry = self.code.entries.get(name).ok_or_else(|| invalid(format!("there is no entry '{name}'")))?;
        let block = match (entry.block, options.block) {
            (Some(declared), Some(asked)) if declared != asked => {
                return Err(invalid(format!("'{name}' has blocks of {declared:?} threads, not {asked:?}")));
            }
            (declared, asked) => {
                declared.or(asked).ok_or_else(|| invalid("the entry does not say how many threads a block has".to_owned()))?
            }
        };
        let threads = block.iter().try_fold(1u32, |all, extent| all.checked_mul(*extent)).filter(|all| (1..=MOST_THREADS).contains(all));
        let threads = threads.ok_or_else(|| invalid(format!("blocks have 1 to {MOST_THREADS} threads, not {block:?}")))?;
        let blocks = grid.iter().try_fold(1u64, |all, extent| all.checked_mul(u64::from(*extent)));
        let blocks = blocks.filter(|blocks| (1..=1 << 32).contains(blocks)).ok_or_else(|| invalid(format!("a grid of {grid:?} blocks")))?;
        if args.len() != entry.params.len() {
            return Err(invalid(format!("{} arguments, where '{name}' has {} parameters", args.len(), entry.params.len())));
        }
        let params = param_bytes(entry, args)?;
        let globals = self.load_globals(memory);
        let presets = self.code.presets.iter().map(|(slot, preset)| match preset {
            Preset::Global(index, offset) => (*slot, Preset::Bits(globals[*index].wrapping_add(*offset as u64))),
            other => (*slot, *other),
        });
        Ok(Launch {
            code: &self.code,
            presets: presets.collect(),
            memory,
            params,
            start: entry.start,
            grid,
            block,
            threads,
            blocks,
            shared: self.code.shared as usize + options.dynamic_shared as usize,
            seed: options.seed,
            limit: options.limit,
        })
    }

    /// Gives the variables of the module addresses and their initial content.
    fn load_globals(&self, memory: &mut Memory) -> Vec<u64> {
        let mut addresses = Vec::new();
        for global in &self.code.globals {
            let mut bytes = global.bytes.clone();
            bytes.resize(global.size as usize, 0);
            let buffer = memory.place(bytes, None, !global.constant, global.align.max(256));
            addresses.push((buffer, memory.address(buffer)));
        }
        for (global, (buffer, _)) in self.code.globals.iter().zip(&addresses) {
            for (at, index, offset) in &global.addresses {
                let address = addresses[*index].1.wrapping_add(*offset as u64);
                memory.bytes_mut(*buffer)[*at..*at + 8].copy_from_slice(&address.to_le_bytes());
            }
        }
        addresses.into_iter().map(|(_, address)| address).collect()
    }
}

fn param_bytes(entry: &Entry, args: &[u64]) -> Result<Vec<u8>, Stopped> {
    let mut bytes = vec![0; entry.param_bytes as usize];
    for (param, value) in entry.params.iter().zip(args) {
        let size = param.size as usize;
        if size > 8 {
            return Err(invalid(format!("parameter '{}' has {size} bytes: the machine passes up to 8", param.name)));
        }
        bytes[param.offset as usize..][..size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
    Ok(bytes)
}

/// Why and where a launch stopped.
pub(super) struct Stopped {
    kind: LaunchErrorKind,
    /// Instruction, block and thread.
    at: Option<(u32, [u32; 3], u32)>,
}

fn invalid(what: String) -> Stopped {
    Stopped { kind: LaunchErrorKind::Invalid(what), at: None }
}

/// What all blocks of a launch share.
pub(super) struct Launch<'l> {
    pub(super) code: &'l Code,
    presets: Vec<(u32, Preset)>,
    pub(super) memory: &'l mut Memory,
    pub(super) params: Vec<u8>,
    start: u32,
    grid: [u32; 3],
    block: [u32; 3],
    threads: u32,
    blocks: u64,
    shared: usize,
    seed: u64,
    limit: u64,
}

/// A barrier of a block.
#[derive(Clone, Debug, Default)]
struct Barrier {
    /// Warps that wait.
    waiting: Vec<usize>,
    /// Warps that arrived without waiting, and what they knew.
    arrived: Vec<shared::Clocks>,
    threads: u32,
    /// How many threads it takes; 0 is all.
    expected: u32,
    pc: u32,
}

/// A block that runs.
struct Block {
    id: [u32; 3],
    warps: Vec<Warp>,
    shared: Shared,
    barriers: Vec<Barrier>,
    random: Random,
}

impl Launch<'_> {
    fn run(&mut self, journal: &mut Journal<'_>) -> Result<(), Stopped> {
        let mut random = Random(self.seed);
        // Blocks that have begun wait here for their turn. They are few, because each takes memory; but when for long none of them ends,
        // more begin, and always more, because they may wait for those.
        let mut parked: VecDeque<Block> = VecDeque::new();
        let (mut resident, mut patience, mut idle, mut next) = (RESIDENT, 1, 0, 0);
        while next < self.blocks || !parked.is_empty() {
            let begins = next < self.blocks && parked.len() < resident;
            let begun = if begins { None } else { parked.pop_front() };
            let mut block = begun.unwrap_or_else(|| {
                next += 1;
                self.begin(self.block_id(next - 1), random.next())
            });
            if self.run_block(&mut block, journal)? {
                idle = 0;
                continue;
            }
            parked.push_back(block);
            idle += 1;
            if idle >= resident * patience {
                (resident, patience, idle) = (resident * 2, patience * 2, 0);
            }
        }
        Ok(())
    }

    /// The n-th block to begin: a permutation of the grid by the seed.
    fn block_id(&self, n: u64) -> [u32; 3] {
        let linear = if self.seed == 0 {
            n
        } else {
            // A Feistel network on as many bits as the grid has, walked until it gives a block.
            let half = (64 - self.blocks.leading_zeros()).div_ceil(2);
            let mask = (1u64 << half) - 1;
            let mut value = n;
            loop {
                let (mut left, mut right) = (value >> half & mask, value & mask);
                for round in 0..4 {
                    let mixed = Random(right ^ self.seed.rotate_left(round * 16)).next() & mask;
                    (left, right) = (right, left ^ mixed);
                }
                value = left << half | right;
                if value < self.blocks {
                    break value;
                }
            }
        };
        let [x, y, _] = self.grid.map(u64::from);
        [(linear % x) as u32, (linear / x % y) as u32, (linear / (x * y)) as u32]
    }

    fn begin(&self, id: [u32; 3], seed: u64) -> Block {
        let mut random = Random(seed);
        let count = self.threads.div_ceil(32) as usize;
        // Registers that nobody wrote hold the same in all warps of a launch.
        let mut garbage = Random(self.seed ^ 0x0BAD_5EED);
        let registers: Vec<lanes::Register> = (0..self.code.registers).map(|_| [garbage.next(); 32]).collect();
        let warps = (0..count).map(|index| {
            let live = self.threads - index as u32 * 32;
            let mask = if live >= 32 { u32::MAX } else { (1 << live) - 1 };
            let mut file = File { registers: registers.clone(), predicates: vec![0; self.code.predicates as usize], carry: 0 };
            file.predicates[decode::TRUE as usize] = u32::MAX;
            for (slot, preset) in &self.presets {
                file.registers[*slot as usize] =
                    std::array::from_fn(|lane| self.preset(*preset, id, index as u32, lane as u32, count as u32));
            }
            Warp::new(index, count, self.start, mask, file, self.code.local as usize)
        });
        Block {
            id,
            warps: warps.collect(),
            shared: Shared::new(self.shared),
            barriers: vec![Barrier::default(); 16],
            random: Random(random.next()),
        }
    }

    fn preset(&self, preset: Preset, id: [u32; 3], warp: u32, lane: u32, warps: u32) -> u64 {
        let special = match preset {
            Preset::Bits(bits) => return bits,
            Preset::Global(..) => return 0,
            Preset::Special(special) => special,
        };
        let thread = warp * 32 + lane;
        let [x, y, _] = self.block;
        let tid = [thread % x, thread / x % y, thread / (x * y)];
        let of = |axes: [u32; 3], axis: u8| axes.get(usize::from(axis)).copied().unwrap_or(0);
        let value = match special {
            Special::Tid(axis) => of(tid, axis),
            Special::Ntid(axis) => of(self.block, axis),
            Special::Ctaid(axis) => of(id, axis),
            Special::Nctaid(axis) => of(self.grid, axis),
            Special::LaneId => lane,
            Special::WarpId => warp,
            Special::NWarpId => warps,
            Special::LanemaskEq => 1 << lane,
            Special::LanemaskLe => u32::MAX >> (31 - lane),
            Special::LanemaskLt => (1 << lane) - 1,
            Special::LanemaskGe => u32::MAX << lane,
            Special::LanemaskGt => (u32::MAX << lane) << 1,
        };
        value.into()
    }

    /// Runs a block until it ends, or until it had its turn. Says whether it ended.
    fn run_block(&mut self, block: &mut Block, journal: &mut Journal<'_>) -> Result<bool, Stopped> {
        for _ in 0..ROUNDS {
            let first = block.random.below(block.warps.len() as u64) as usize;
            let mut progress = false;
            for turn in 0..block.warps.len() {
                let index = (first + turn) % block.warps.len();
                if block.warps[index].is_waiting || block.warps[index].is_done() {
                    continue;
                }
                progress = true;
                let slice = 1 + block.random.below(SLICE);
                let stop =
                    warp::Run { launch: self, journal, block: block.id, shared: &mut block.shared }.run(&mut block.warps[index], slice);
                let stop =
                    stop.map_err(|fault| Stopped { kind: fault.kind, at: Some((fault.pc, block.id, (index * 32 + fault.lane) as u32)) })?;
                if let Stop::Barrier { id, expected, pc, waits } = stop {
                    self.arrive(block, index, id, expected, pc, waits)?;
                }
                if journal.steps > self.limit {
                    return Err(Stopped { kind: LaunchErrorKind::Limit(self.limit), at: None });
                }
            }
            if block.warps.iter().all(Warp::is_done) {
                return Ok(true);
            }
            if !progress {
                self.release_missed(block, journal)?;
            }
        }
        Ok(false)
    }

    fn arrive(&self, block: &mut Block, warp: usize, id: u32, expected: u32, pc: u32, waits: bool) -> Result<(), Stopped> {
        let deadlock = |what: String| Stopped { kind: LaunchErrorKind::Deadlock(what), at: Some((pc, block.id, (warp * 32) as u32)) };
        let expected = if expected == 0 { self.threads } else { expected };
        let barrier =
            block.barriers.get_mut(id as usize).ok_or_else(|| deadlock(format!("there are 16 barriers, not one of number {id}")))?;
        if barrier.threads > 0 && barrier.expected != expected {
            return Err(deadlock(format!("barrier {id} is for {} threads and for {expected}", barrier.expected)));
        }
        barrier.expected = expected;
        barrier.pc = pc;
        // Warps count as a whole; the last one may have fewer threads.
        barrier.threads += (self.threads - warp as u32 * 32).min(32);
        if waits {
            barrier.waiting.push(warp);
            block.warps[warp].is_waiting = true;
        } else {
            barrier.arrived.push(block.warps[warp].clocks.clone());
            block.warps[warp].advance_clock();
        }
        if barrier.threads >= expected {
            let barrier = std::mem::take(barrier);
            release(block, barrier);
        }
        Ok(())
    }

    /// No warp can go on: barriers wait for threads that have ended, or for each other.
    fn release_missed(&self, block: &mut Block, journal: &mut Journal<'_>) -> Result<(), Stopped> {
        let ended: u32 = block
            .warps
            .iter()
            .enumerate()
            .filter(|(_, warp)| warp.is_done())
            .map(|(index, _)| (self.threads - index as u32 * 32).min(32))
            .sum();
        let waiting = block.barriers.iter().position(|barrier| !barrier.waiting.is_empty());
        let index = waiting.expect("a warp that does not run waits at a barrier");
        let barrier = std::mem::take(&mut block.barriers[index]);
        let thread = barrier.waiting[0] as u32 * 32;
        if barrier.threads + ended < barrier.expected {
            let what = format!("{} of {} threads are at barrier {index}, and no other thread can go on", barrier.threads, barrier.expected);
            return Err(Stopped { kind: LaunchErrorKind::Deadlock(what), at: Some((barrier.pc, block.id, thread)) });
        }
        let message = format!("{} of {} threads reach it, the others have ended", barrier.threads, barrier.expected);
        journal.found(FindingKind::BarrierMissed, barrier.pc, block.id, thread, |_| message);
        release(block, barrier);
        Ok(())
    }
}

/// All who wait go on, and know what all who came have done.
fn release(block: &mut Block, barrier: Barrier) {
    let mut joined = vec![0; block.warps.len()];
    let clocks = barrier.waiting.iter().map(|warp| &block.warps[*warp].clocks).chain(&barrier.arrived);
    for clocks in clocks {
        joined.iter_mut().zip(clocks).for_each(|(joined, clock)| *joined = (*joined).max(*clock));
    }
    for warp in barrier.waiting {
        let warp = &mut block.warps[warp];
        warp.clocks.copy_from_slice(&joined);
        warp.advance_clock();
        warp.is_waiting = false;
    }
}
