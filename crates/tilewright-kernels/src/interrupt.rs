//! Interrupts: how a launch is told to end before its blocks do.
//!
//! One flag tells a launch to end, whoever wants it: the caller, a deadline, a block that failed. Blocks look at it where a loop goes
//! back, and instructions after each part of their work ([`PART`]), so that it is obeyed within milliseconds, at the price of one
//! load from the cache for thousands of elements. An instruction that sees it leaves the rest of its result as it was, and no
//! instruction follows in its block.
//!
//! The interrupt of the launch that a thread works for belongs to the thread ([`Interrupt::enter`]), as a signal does, so that a kernel
//! asks for it wherever its loops are ([`pending`]), and kernels that never take long know nothing of it.

use std::{
    cell::RefCell,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
};

/// Elements that an instruction works on between two looks: some microseconds, or a millisecond where each takes long.
pub const PART: usize = 1 << 16;

/// Tells launches to end.
///
/// Clones are the same interrupt. Setting it takes no lock and no memory, so a handler of signals may do it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// One of the constants below.
    flag: AtomicU8,
    /// How often a counting interrupt was looked at, and at which time it becomes set.
    looks: AtomicU64,
    set_at: u64,
    /// This one is set if that one is.
    parent: Option<Interrupt>,
}

const CLEAR: u8 = 0;
const SET: u8 = 1;
const COUNTING: u8 = 2;

impl Interrupt {
    /// One that is not set.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// One that becomes set when a launch looks at it for the `looks`-th time, and counts all looks: so a test ends a launch, or an
    /// instruction, at a place that does not depend on time.
    pub fn after(looks: u64) -> Interrupt {
        Interrupt(Arc::new(State { flag: AtomicU8::new(COUNTING), set_at: looks, ..State::default() }))
    }

    /// One that is also set if another one is.
    pub fn below(parent: Option<&Interrupt>) -> Interrupt {
        Interrupt(Arc::new(State { parent: parent.cloned(), ..State::default() }))
    }

    /// Tells all launches that look at it to end, and those that will. It stays set.
    pub fn set(&self) {
        self.0.flag.store(SET, Ordering::Relaxed);
    }

    /// Whether it is set.
    #[inline]
    pub fn is_set(&self) -> bool {
        match self.0.flag.load(Ordering::Relaxed) {
            CLEAR => self.0.parent.as_ref().is_some_and(|parent| parent.is_set() && self.was_set()),
            SET => self.stays_set(),
            _ => self.count(),
        }
    }

    /// Whether it is set, or was seen to be since another one is: all that must be known after an instruction.
    #[inline]
    pub fn was_seen(&self) -> bool {
        self.0.flag.load(Ordering::Relaxed) == SET
    }

    /// How often an interrupt of [`after`](Self::after) was looked at.
    pub fn looks(&self) -> u64 {
        self.0.looks.load(Ordering::Relaxed)
    }

    #[cold]
    fn count(&self) -> bool {
        self.0.looks.fetch_add(1, Ordering::Relaxed) + 1 >= self.0.set_at
    }

    #[cold]
    fn was_set(&self) -> bool {
        self.set();
        true
    }

    /// Tells one above it that counts.
    #[cold]
    fn stays_set(&self) -> bool {
        if let Some(counting) = self.0.parent.as_ref().filter(|parent| parent.0.flag.load(Ordering::Relaxed) == COUNTING) {
            counting.count();
        }
        true
    }

    /// Makes it the one of this thread until what it gives is dropped.
    pub fn enter(&self) -> Entered {
        Entered { before: CURRENT.replace(Some(self.clone())) }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// While it lives, a thread works for a launch.
pub struct Entered {
    before: Option<Interrupt>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}

/// Whether the launch that this thread works for is to end.
#[inline(never)]
pub fn pending() -> bool {
    CURRENT.with_borrow(|current| current.as_ref().is_some_and(Interrupt::is_set))
}

/// Looks at the interrupt now and then, by the work that is done.
pub struct Looks {
    /// Work until the next look.
    left: usize,
}

impl Looks {
    /// Before any work.
    #[inline(always)]
    pub fn new() -> Looks {
        Looks { left: PART }
    }

    /// Counts work on so many elements, and looks at the interrupt if a part is done: whether the launch is to end.
    #[inline(always)]
    pub fn end_after(&mut self, work: usize) -> bool {
        match self.left.checked_sub(work) {
            Some(left) => {
                self.left = left;
                false
            }
            None => {
                self.left = PART;
                pending()
            }
        }
    }
}

impl Default for Looks {
    #[inline(always)]
    fn default() -> Looks {
        Looks::new()
    }
}

/// Does work on `0..n` in parts of `part`, and not on those that are left when the launch is to end. Gives whether all is done.
#[inline(always)]
pub fn in_parts(n: usize, part: usize, mut work: impl FnMut(Range<usize>)) -> bool {
    let mut start = 0usize;
    loop {
        let end = n.min(start.saturating_add(part));
        work(start..end);
        start = end;
        if start == n {
            return true;
        }
        if pending() {
            return false;
        }
    }
}
