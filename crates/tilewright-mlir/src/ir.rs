//! Operations, blocks, regions and values.

use crate::tables::{AttrId, NameId, TypeId};
use std::ops::Range;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            /// The number.
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

handles! {
    /// An operation of a module.
    Op
    /// A block of a module.
    Block
    /// A region of a module.
    Region
    /// A value of a module.
    Value
}

/// Numbers that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }

    pub(crate) fn iter(self) -> Range<u32> {
        self.start..self.start + self.len
    }
}

/// What an operation is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpData {
    pub(crate) name: NameId,
    pub(crate) location: AttrId,
    /// The dictionary of its attributes.
    pub(crate) attrs: Option<AttrId>,
    /// The number of its properties in the table of these.
    pub(crate) properties: Option<u32>,
    pub(crate) results: Span,
    /// In the pool of operands.
    pub(crate) operands: Span,
    /// In the pool of successors.
    pub(crate) successors: Span,
    pub(crate) regions: Span,
    pub(crate) is_isolated: bool,
}

/// What a block is.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct BlockData {
    pub(crate) args: Span,
    /// Where the locations of its arguments begin.
    pub(crate) first_location: u32,
    pub(crate) ops: Span,
}

/// What a region is.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RegionData {
    pub(crate) blocks: Span,
    /// The values that its blocks and their operations define, without those of nested regions.
    pub(crate) values: Span,
}

/// The order in which a value lists its uses, where it is not the usual one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UseListOrder {
    /// Which result or argument.
    pub(crate) value: u32,
    /// Whether `indices` are pairs of what moves where.
    pub(crate) is_pairs: bool,
    pub(crate) indices: Vec<u32>,
}

/// All operations of a module.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ir {
    pub(crate) ops: Vec<OpData>,
    pub(crate) blocks: Vec<BlockData>,
    pub(crate) regions: Vec<RegionData>,
    pub(crate) operands: Vec<Value>,
    /// Numbers of blocks within their regions.
    pub(crate) successors: Vec<u32>,
    /// The type of each value.
    pub(crate) value_types: Vec<TypeId>,
    /// The locations of block arguments; none where a file leaves out an unknown one.
    pub(crate) arg_locations: Vec<Option<AttrId>>,
    /// The operations that no region holds.
    pub(crate) top: Span,
    /// In the order of the operations.
    pub(crate) result_use_orders: Vec<(Op, Vec<UseListOrder>)>,
    pub(crate) arg_use_orders: Vec<(Block, Vec<UseListOrder>)>,
}

impl Ir {
    pub(crate) fn op(&self, op: Op) -> &OpData {
        &self.ops[op.index()]
    }

    pub(crate) fn operands(&self, op: &OpData) -> &[Value] {
        &self.operands[op.operands.range()]
    }

    pub(crate) fn successors(&self, op: &OpData) -> &[u32] {
        &self.successors[op.successors.range()]
    }

    pub(crate) fn blocks(&self, region: Region) -> impl Iterator<Item = Block> + use<> {
        self.regions[region.index()].blocks.iter().map(Block)
    }

    pub(crate) fn value_type(&self, value: Value) -> TypeId {
        self.value_types[value.index()]
    }
}
