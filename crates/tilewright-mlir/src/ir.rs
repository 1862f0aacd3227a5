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

    /// Takes so many from the front, or all.
    #[inline]
    pub(crate) fn take(&mut self, count: u32) -> Span {
        let taken = Span { start: self.start, len: count.min(self.len) };
        (self.start, self.len) = (self.start + taken.len, self.len - taken.len);
        taken
    }
}

/// A number, or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct OptionalNumber(u32);

impl OptionalNumber {
    const NONE: OptionalNumber = OptionalNumber(u32::MAX);

    #[inline]
    fn get(self) -> Option<u32> {
        Some(self.0).filter(|&number| number != u32::MAX)
    }
}

impl From<Option<u32>> for OptionalNumber {
    #[inline]
    fn from(number: Option<u32>) -> OptionalNumber {
        number.map_or(OptionalNumber::NONE, OptionalNumber)
    }
}

/// What an operation is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpData {
    pub(crate) name: NameId,
    pub(crate) location: AttrId,
    attrs: OptionalNumber,
    properties: OptionalNumber,
    pub(crate) results: Span,
    /// In the pool of operands.
    pub(crate) operands: Span,
    /// In the list of what few operations have.
    more: OptionalNumber,
}

const _: () = assert!(size_of::<OpData>() == 36);

impl OpData {
    /// An operation with a name and a location only.
    #[inline]
    pub(crate) const fn new(name: NameId, location: AttrId) -> OpData {
        let (none, span) = (OptionalNumber::NONE, Span { start: 0, len: 0 });
        OpData { name, location, attrs: none, properties: none, results: span, operands: span, more: none }
    }

    /// The dictionary of its attributes.
    #[inline]
    pub(crate) fn attrs(&self) -> Option<AttrId> {
        self.attrs.get().map(AttrId)
    }

    #[inline]
    pub(crate) fn set_attrs(&mut self, attrs: Option<AttrId>) {
        self.attrs = attrs.map(|id| id.0).into();
    }

    /// The number of its properties in the table of these.
    #[inline]
    pub(crate) fn properties(&self) -> Option<u32> {
        self.properties.get()
    }

    /// Whether it has neither successors nor regions.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.more == OptionalNumber::NONE
    }

    #[inline]
    pub(crate) fn set_properties(&mut self, properties: Option<u32>) {
        self.properties = properties.into();
    }
}

/// What few operations have.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct More {
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
    pub(crate) all_regions: Vec<RegionData>,
    more: Vec<More>,
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

    /// What an operation has besides what all have.
    #[inline]
    pub(crate) fn more(&self, op: &OpData) -> More {
        op.more.get().map_or(More::default(), |more| self.more[more as usize])
    }

    /// Says what an operation has besides what all have.
    pub(crate) fn set_more(&mut self, op: &mut OpData, more: More) {
        if more.successors.len > 0 || more.regions.len > 0 || more.is_isolated {
            op.more = OptionalNumber(self.more.len() as u32);
            self.more.push(more);
        }
    }

    #[inline]
    pub(crate) fn regions(&self, op: &OpData) -> Span {
        self.more(op).regions
    }

    pub(crate) fn successors(&self, op: &OpData) -> &[u32] {
        &self.successors[self.more(op).successors.range()]
    }

    pub(crate) fn blocks(&self, region: Region) -> impl Iterator<Item = Block> + use<> {
        self.all_regions[region.index()].blocks.iter().map(Block)
    }

    pub(crate) fn value_type(&self, value: Value) -> TypeId {
        self.value_types[value.index()]
    }
}
