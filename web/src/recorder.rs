//! What a launch does, written down: the steps of one block with the tiles they see and make, and the accesses of all blocks.

use crate::numbers::number;
use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tilewright::{
    exec::{Access, AccessKind, AccessObserver, LaunchErrorKind, MemoryRange, OperandTile, Step, WatchedLaunch, Watcher},
    ir::{Op, Scalar},
};

/// The most steps of a block that are kept.
const MAX_STEPS: usize = 50_000;
/// The most elements of tiles that are kept.
const MAX_ELEMENTS: usize = 4 << 20;
/// The most runs of accessed elements that are kept.
const MAX_ACCESSES: usize = 200_000;

/// Watches a launch.
pub(crate) struct Recorder {
    /// The number of the block whose steps are kept.
    block: u64,
    grid: [u32; 3],
    state: Mutex<Recording>,
}

/// What was written down.
#[derive(Default)]
pub(crate) struct Recording {
    memory: Vec<MemoryRange>,
    elements: usize,
    /// The steps of the block.
    pub(crate) steps: Vec<RecordedStep>,
    /// Whether the block went on.
    pub(crate) has_more_steps: bool,
    /// Accesses of all blocks, in the order in which they were made.
    pub(crate) accesses: Vec<RecordedAccess>,
    /// Whether there were more.
    pub(crate) has_more_accesses: bool,
}

/// An operation that the block carried out.
pub(crate) struct RecordedStep {
    pub(crate) function: usize,
    pub(crate) op: Op,
    pub(crate) operands: Vec<Option<Tile>>,
    pub(crate) results: Vec<Option<Tile>>,
}

/// A run of bytes that a block has accessed.
pub(crate) struct RecordedAccess {
    /// The position of its buffer.
    pub(crate) buffer: usize,
    pub(crate) kind: AccessKind,
    /// In bytes, from the start of the buffer.
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) block: u64,
    /// The step, if it is one of the block whose steps are kept.
    pub(crate) step: Option<usize>,
}

/// The elements of a tile; along dimensions in which they repeat, only the first.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    scalar: Option<Scalar>,
    shape: Vec<usize>,
    kept: Vec<usize>,
    /// None where too many elements have been kept before.
    bits: Option<Vec<u64>>,
}

/// A tile as the page is told of it.
#[derive(Serialize)]
pub(crate) struct ShownTile {
    /// The type of its elements; none of pointers.
    scalar: Option<String>,
    shape: Vec<usize>,
    /// The extents of the values: 1 where elements repeat.
    extents: Vec<usize>,
    values: Option<Vec<serde_json::Value>>,
}

impl Tile {
    pub(crate) fn shown(&self) -> ShownTile {
        let values = self.bits.as_ref().map(|bits| bits.iter().map(|bits| number(self.scalar, *bits)).collect());
        ShownTile { scalar: self.scalar.map(|s| s.to_string()), shape: self.shape.clone(), extents: self.kept.clone(), values }
    }
}

impl Recorder {
    /// Keeps the steps of the block with this number.
    pub(crate) fn of_block(block: u64, grid: [u32; 3]) -> Recorder {
        Recorder { block, grid, state: Mutex::default() }
    }

    pub(crate) fn finish(self) -> Recording {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, Recording> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recording {
    fn tile(&mut self, tile: Option<OperandTile<'_>>) -> Option<Tile> {
        let tile = tile?;
        let kept: Vec<usize> =
            std::iter::zip(tile.shape(), tile.repeats()).map(|(extent, repeats)| if repeats { 1 } else { *extent }).collect();
        let elements = kept.iter().product::<usize>();
        let bits = (self.elements + elements <= MAX_ELEMENTS).then(|| tile.bits_of(&kept));
        self.elements += bits.as_ref().map_or(0, Vec::len);
        Some(Tile { scalar: tile.scalar(), shape: tile.shape().to_vec(), kept, bits })
    }

    fn tiles<'s>(&mut self, tile: impl Fn(usize) -> Option<OperandTile<'s>>, count: usize) -> Vec<Option<Tile>> {
        (0..count).map(|i| self.tile(tile(i))).collect()
    }
}

impl Watcher for Recorder {
    fn begins(&self, launch: &WatchedLaunch) {
        self.state().memory.clone_from(&launch.memory);
    }

    fn operation(&self, step: &Step<'_>) {
        if step.block_index() != self.block {
            return;
        }
        let mut state = self.state();
        if state.steps.len() == MAX_STEPS {
            state.has_more_steps = true;
            return;
        }
        let operands = state.tiles(|i| step.operand(i), step.operands());
        let results = state.tiles(|i| step.result(i), step.results());
        state.steps.push(RecordedStep { function: step.function(), op: step.op(), operands, results });
    }

    fn done(&self, step: &Step<'_>) {
        if step.block_index() != self.block {
            return;
        }
        let mut state = self.state();
        let results = state.tiles(|i| step.result(i), step.results());
        let is_same = |shown: &&mut RecordedStep| shown.function == step.function() && shown.op == step.op();
        if let Some(shown) = state.steps.iter_mut().rev().find(is_same) {
            shown.results = results;
        }
    }

    fn freed(&self, _block: u64, _address: u64) {}

    fn ended(&self, _block: u64) {}

    fn failed(&self, _block: u64, _why: &LaunchErrorKind) {}
}

impl AccessObserver for Recorder {
    fn access(&self, access: &Access) {
        let mut state = self.state();
        let holds = |range: &&MemoryRange| access.address.checked_sub(range.address).is_some_and(|offset| offset < range.bytes);
        let Some(range) = state.memory.iter().find(holds).copied() else { return };
        let Some(buffer) = range.buffer else { return };
        if state.accesses.len() == MAX_ACCESSES {
            state.has_more_accesses = true;
            return;
        }
        let [x, y, z] = access.block.map(u64::from);
        let block = x + u64::from(self.grid[0]) * (y + u64::from(self.grid[1]) * z);
        let step = if block == self.block && !state.has_more_steps { state.steps.len().checked_sub(1) } else { None };
        let (start, bytes) = (access.address - range.address, access.bytes);
        state.accesses.push(RecordedAccess { buffer, kind: access.kind, start, bytes, block, step });
    }
}
