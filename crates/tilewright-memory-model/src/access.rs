//! Orderings and scopes: which accesses are strong, and whom their scopes include.

use std::fmt;
use tilewright_ir::{MemoryOrderingSemantics as Ordering, MemoryScope as Scope};

/// How an access orders others, and for whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Strength {
    /// The memory ordering.
    pub ordering: Ordering,
    /// The scope; weak accesses have none.
    pub scope: Option<Scope>,
}

impl Strength {
    /// A weak access.
    pub const WEAK: Strength = Strength { ordering: Ordering::Weak, scope: None };

    /// A strong access.
    pub const fn new(ordering: Ordering, scope: Scope) -> Strength {
        Strength { ordering, scope: Some(scope) }
    }

    /// Whether others may access the same memory meanwhile.
    pub fn is_strong(self) -> bool {
        self.ordering != Ordering::Weak
    }

    /// Whether what it writes may be acquired.
    pub fn releases(self) -> bool {
        matches!(self.ordering, Ordering::Release | Ordering::AcqRel)
    }

    /// Whether what it reads is acquired.
    pub fn acquires(self) -> bool {
        matches!(self.ordering, Ordering::Acquire | Ordering::AcqRel)
    }

    /// How far the scope reaches: 0 none, 1 the block, 2 the device, 3 the system.
    pub fn reach(self) -> u8 {
        match self.scope.filter(|_| self.is_strong()) {
            None => 0,
            Some(Scope::TlBlk) => 1,
            Some(Scope::Device) => 2,
            Some(Scope::Sys) => 3,
        }
    }

    /// Whether the access is strong and its scope includes a block that is this far away.
    pub fn includes(self, distance: Distance) -> bool {
        self.reach() > distance as u8
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scope {
            None => write!(f, "{}", self.ordering.keyword()),
            Some(scope) => write!(f, "{} {}", self.ordering.keyword(), scope.keyword()),
        }
    }
}

/// How far apart the blocks of two accesses are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Distance {
    /// One block.
    SameBlock = 0,
    /// Two blocks of a device.
    SameDevice = 1,
    /// Blocks of two devices.
    Apart = 2,
}

/// Whether two accesses are strong and the scope of each includes the block of the other: the second half of *morally strong*.
pub fn scopes_include_each_other(a: Strength, b: Strength, distance: Distance) -> bool {
    a.includes(distance) && b.includes(distance)
}
