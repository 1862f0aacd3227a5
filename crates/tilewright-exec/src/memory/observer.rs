//! Watching the accesses of a launch.

use tilewright_ir::{MemoryOrderingSemantics, MemoryScope};

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes as one.
    ReadModifyWrite,
}

/// One access: a run of elements that lie side by side in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The tile block.
    pub block: [u32; 3],
    /// Position of the operation in its function, as [`tilewright_ir::Op::index`] counts.
    pub op: u32,
    /// What it does.
    pub kind: AccessKind,
    /// How it orders others.
    pub ordering: MemoryOrderingSemantics,
    /// Who takes part in its ordering.
    pub scope: Option<MemoryScope>,
    /// Device address of the first byte.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Bytes of one element.
    pub element: u64,
}

/// Sees every access of a launch, before it happens, from the thread that runs the block.
pub trait AccessObserver: Sync {
    /// Called before an access whose bytes are known to lie inside a buffer.
    fn access(&self, access: &Access);
}
