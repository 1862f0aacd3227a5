//! Watching the operations of a launch: what a checker sees.
//!
//! A program made by [`Program::watched`](crate::Program::watched) has plans in which each operation of the module is carried out as it
//! stands, with an instruction beside it that shows it to the [`Watcher`] of the launch. Plans of other programs have no such
//! instructions, so that nothing asks whether somebody watches.

use crate::LaunchErrorKind;
pub use crate::vm::{OperandTile, Step};

/// Sees what the blocks of a launch do, in the order in which they do it. Watched launches run on one thread.
pub trait Watcher: Sync {
    /// The launch is about to begin.
    fn begins(&self, launch: &WatchedLaunch);

    /// A block carries out an operation. Operations that access memory, hand values on or end a region are shown before they are carried
    /// out, all others, and `alloca`, after that: then their results are there.
    fn operation(&self, step: &Step<'_>);

    /// A block has carried out an operation that was shown before that: its results, if any is a tile, but not its operands.
    fn done(&self, _step: &Step<'_>) {}

    /// A block leaves the region of an `alloca`, whose memory was at this address.
    fn freed(&self, block: u64, address: u64);

    /// The blocks that have not ended, which are these, wait for each other for ever: registers and memory are as they were before, and blocks
    /// go on in a fixed order. The launch ends.
    fn stuck(&self, _blocks: &[u64]) {}

    /// A block has ended.
    fn ended(&self, block: u64);

    /// An operation of a block failed in another way than by an access outside of memory, and the block ends.
    fn failed(&self, block: u64, why: &LaunchErrorKind);
}

/// What is known of a launch before its first block begins.
#[derive(Clone, Debug)]
pub struct WatchedLaunch {
    /// How many blocks there are along x, y and z.
    pub grid: [u32; 3],
    /// The buffers of the launch and the globals of the module, by address.
    pub memory: Vec<MemoryRange>,
}

/// A buffer, or a global.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryRange {
    /// Device address of its first byte.
    pub address: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Whether kernels may write it.
    pub writable: bool,
    /// The position among the buffers of the launch; none of a global.
    pub buffer: Option<usize>,
}

/// Where a tile of a view lies: its tensor, and the coordinates of the tile's elements in it.
#[derive(Clone, Debug)]
pub struct ViewPlace {
    /// Device address of the tensor's first element.
    pub base: u64,
    /// Bits of an element in memory.
    pub bits: u32,
    /// One for each dimension of the tile.
    pub dims: Vec<ViewPlaceDim>,
}

/// A dimension of a [`ViewPlace`].
#[derive(Clone, Debug)]
pub struct ViewPlaceDim {
    /// Extent of the tile.
    pub extent: usize,
    /// Extent of the tensor.
    pub shape: u64,
    /// Stride of the tensor, in elements.
    pub stride: u64,
    /// The coordinates in the tensor.
    pub coordinates: Coordinates,
}

/// Coordinates of the elements of a tile along one dimension of a tensor.
#[derive(Clone, Debug)]
pub enum Coordinates {
    /// The first one; the others follow.
    From(u128),
    /// One by one.
    Each(Vec<u64>),
}

impl ViewPlaceDim {
    /// The coordinate of the tile's element `i`; none if it lies outside of the tensor.
    pub fn coordinate(&self, i: usize) -> Option<u64> {
        let coordinate = match &self.coordinates {
            Coordinates::From(first) => first + i as u128,
            Coordinates::Each(each) => u128::from(each[i]),
        };
        u64::try_from(coordinate).ok().filter(|coordinate| *coordinate < self.shape)
    }

    /// Whether all elements of the tile lie inside the tensor.
    pub fn is_inside(&self) -> bool {
        match &self.coordinates {
            Coordinates::From(first) => first + self.extent as u128 <= u128::from(self.shape),
            Coordinates::Each(each) => each.iter().all(|coordinate| *coordinate < self.shape),
        }
    }
}
