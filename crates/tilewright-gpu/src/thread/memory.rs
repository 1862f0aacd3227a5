//! How threads access memory: where, in which order, and what atomic accesses and those of replicas make of it.

use super::Value;

/// A memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Of the device; addresses are `i64`.
    Global,
    /// Of the block; addresses are `i32`, from [`Special::Shared`](super::Special::Shared).
    Shared,
}

/// How a strong access is ordered with those around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Not at all.
    Relaxed,
    /// What follows sees what the writer of the value had seen and done.
    Acquire,
    /// Who reads the value sees what came before.
    Release,
    /// Both.
    AcquireRelease,
}

/// Among whom a strong access is one: the memory model calls two of them morally strong if each is in the scope of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// The threads of the device.
    Device,
    /// All devices and the host.
    System,
}

/// What makes an access strong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Strong {
    /// What it orders.
    pub order: Order,
    /// For whom.
    pub scope: Scope,
}

/// What an atomic access makes of the old value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Update {
    /// The sum, of `i32`, `i64`, `f32` or `f64`; the other updates are for `i32` and `i64`.
    Add,
    /// The sum of two `f16`, as bits in `i16`.
    AddF16,
    /// The sum of two `bf16`, as bits in `i16`.
    AddBf16,
    /// The bits of both.
    And,
    /// The bits of either.
    Or,
    /// The bits of one.
    Xor,
    /// The least, signed.
    MinS,
    /// The greatest, signed.
    MaxS,
    /// The least, unsigned.
    MinU,
    /// The greatest, unsigned.
    MaxU,
    /// The new value.
    Exchange,
    /// The new value if the old one is this; `i16` too.
    CompareExchange(Value),
}

/// How numbers are combined with those of all replicas of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combined {
    /// The sum, of `i32`, `i64`, `f32` or `f64`; the others are for `i32` and `i64`.
    Add,
    /// The bits of both.
    And,
    /// The bits of either.
    Or,
    /// The bits of one.
    Xor,
    /// The least, signed.
    MinS,
    /// The greatest, signed.
    MaxS,
    /// The least, unsigned.
    MinU,
    /// The greatest, unsigned.
    MaxU,
    /// The sums of two pairs of `f16`, as bits in `i32`.
    AddF16s,
    /// The least of two pairs of `f16`.
    MinF16s,
    /// The greatest of two pairs of `f16`.
    MaxF16s,
    /// The sums of two pairs of `bf16`, as bits in `i32`.
    AddBf16s,
    /// The least of two pairs of `bf16`.
    MinBf16s,
    /// The greatest of two pairs of `bf16`.
    MaxBf16s,
}

impl Combined {
    /// Whether it takes pairs of 16-bit floats.
    pub const fn is_of_pairs(self) -> bool {
        use Combined::*;
        matches!(self, AddF16s | MinF16s | MaxF16s | AddBf16s | MinBf16s | MaxBf16s)
    }
}

/// What is done to all replicas of memory at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Replicas {
    /// All are read, and what they hold is combined.
    Load(Combined),
    /// All are written.
    Store(Value),
    /// A number is combined with what each holds.
    Reduce(Combined, Value),
}

impl Replicas {
    /// What it reads beside the address.
    pub fn value(self) -> Option<Value> {
        match self {
            Replicas::Load(_) => None,
            Replicas::Store(value) | Replicas::Reduce(_, value) => Some(value),
        }
    }
}
