//! Attributes: the compile-time facts that an operation carries.

use crate::{Attr, Const, MultimemReductionKind, Str, Type, tables::InternedSet};

/// The value of one attribute slot of an operation.
///
/// Slots stand in the order of the operation's row in the op table. A slot whose attribute is newer than the module's
/// version holds the attribute's default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AttrValue {
    /// An optional attribute that is not there, or a unit attribute that is not set.
    Absent,
    /// A unit attribute that is set.
    Unit,
    /// A value of the enumeration that the op table names.
    Enum(u8),
    /// An unsigned integer.
    Int(u64),
    /// A truth value.
    Bool(bool),
    /// A string or a symbol.
    Str(Str),
    /// A type.
    Type(Type),
    /// The data of a dense constant.
    Const(Const),
    /// Anything compound: arrays, hints, predicates.
    Attr(Attr),
}

/// A compound or self-describing attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AttrData {
    /// An integer of the given type; the bits are zero-extended.
    Integer {
        /// Its type.
        ty: Type,
        /// Its bits.
        bits: u64,
    },
    /// A float of the given type; the bit pattern is zero-extended.
    Float {
        /// Its type.
        ty: Type,
        /// Its bits, in the width of the type: 19 for tf32.
        bits: u64,
    },
    /// A truth value.
    Bool(bool),
    /// A type.
    Type(Type),
    /// A string.
    String(Str),
    /// A list.
    Array(Box<[Attr]>),
    /// Named attributes, in the order they were written.
    Dictionary(Box<[(Str, Attr)]>),
    /// Optimization hints: a dictionary for each architecture.
    OptimizationHints(Box<[(Str, Attr)]>),
    /// Predicate: elements are divisible.
    DivBy {
        /// A power of two.
        divisor: u64,
        /// Length of the groups whose first element is divisible.
        every: Option<i64>,
        /// Dimension of the groups.
        along: Option<i64>,
    },
    /// Predicate: elements are equal within groups of these extents.
    SameElements(Box<[i64]>),
    /// Predicate: elements lie between the bounds, both included, read as signed.
    Bounded {
        /// Smallest value.
        lower: Option<i64>,
        /// Largest value.
        upper: Option<i64>,
    },
    /// How a multimem operation reduces (13.5).
    MultimemReductionKind(MultimemReductionKind),
    /// A list of 32-bit integers.
    I32Array(Box<[i32]>),
    /// A list of truth values.
    BoolArray(Box<[bool]>),
}

/// The interned compound attributes of a module.
#[derive(Clone, Debug, Default)]
pub struct AttrTable {
    attrs: InternedSet<AttrData>,
}

impl AttrTable {
    /// The handle of `data`, which is stored once.
    pub fn intern(&mut self, data: AttrData) -> Attr {
        Attr::new(self.attrs.add(data))
    }

    /// What an attribute is.
    pub fn get(&self, attr: Attr) -> &AttrData {
        self.attrs.item(attr.index())
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.attrs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
