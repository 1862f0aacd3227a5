//! Limits: what a launch of a kernel that nobody trusts may take.

use crate::LaunchErrorKind;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// What a launch may take: time, memory and output.
///
/// Nothing is limited unless it is set: how much is sensible depends on what else a process does, which only its author knows. Where
/// kernels come from strangers, set all three.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    time: Option<Duration>,
    memory: Option<u64>,
    output: Option<u64>,
}

impl Limits {
    /// No limits.
    pub fn new() -> Limits {
        Limits::default()
    }

    /// The launch must have ended so long after it began. It is stopped within milliseconds of that, wherever it is, and fails with
    /// [`TimedOut`](LaunchErrorKind::TimedOut), also if its last block ended a moment too late.
    pub fn time(mut self, time: Duration) -> Limits {
        self.time = Some(time);
        self
    }

    /// The launch may allocate this many bytes: for its constants, the registers of blocks that have begun, which those that wait for
    /// others keep, the memory of `alloca`, the copies of factors of products, sums that are added to memory together, the boxes of
    /// gathered tiles, and the text of a `print_tko`. Buffers, and what the plan itself
    /// takes, do not count. A launch runs on fewer threads where that is too little for all; one that needs more fails with
    /// [`Memory`](LaunchErrorKind::Memory).
    pub fn memory(mut self, bytes: u64) -> Limits {
        self.memory = Some(bytes);
        self
    }

    /// The blocks of the launch may print this many bytes together. One that prints more fails with [`Output`](LaunchErrorKind::PrintedTooMuch)
    /// when these bytes have been written.
    pub fn output(mut self, bytes: u64) -> Limits {
        self.output = Some(bytes);
        self
    }

    /// The limit of time, if there is one.
    pub fn get_time(&self) -> Option<Duration> {
        self.time
    }

    /// The limit of memory in bytes, if there is one.
    pub fn get_memory(&self) -> Option<u64> {
        self.memory
    }

    /// The limit of output in bytes, if there is one.
    pub fn get_output(&self) -> Option<u64> {
        self.output
    }
}

/// What each limit is called where it is set, for errors to name what a user may raise: an option of a command, an argument of a
/// function.
///
/// ```
/// use tilewright_exec::{LaunchError, LaunchErrorKind, LimitNames};
/// let error = LaunchError { entry: "k".to_owned(), block: None, site: None, kind: LaunchErrorKind::PrintedTooMuch(80) };
/// assert_eq!(error.to_string(), "kernel k: printed more than 80 bytes, its limit of output (Limits::output)");
/// let names = LimitNames { time: "--timeout", memory: "--max-memory", output: "--max-output" };
/// assert_eq!(error.naming(&names).to_string(), "kernel k: printed more than 80 bytes, its limit of output (--max-output)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitNames {
    /// The limit of time.
    pub time: &'static str,
    /// The limit of memory.
    pub memory: &'static str,
    /// The limit of output.
    pub output: &'static str,
}

impl LimitNames {
    /// The functions that set them.
    pub const FUNCTIONS: LimitNames = LimitNames { time: "Limits::time", memory: "Limits::memory", output: "Limits::output" };
}

impl Default for LimitNames {
    fn default() -> LimitNames {
        LimitNames::FUNCTIONS
    }
}

/// What a launch has allocated of what it may.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    used: AtomicU64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(None)
    }
}

impl Budget {
    pub(crate) fn new(limit: Option<u64>) -> Budget {
        Budget { limit: limit.unwrap_or(u64::MAX), used: AtomicU64::new(0) }
    }

    /// Takes so many bytes of it until what it gives is dropped.
    ///
    /// # Errors
    /// When they are not left.
    pub(crate) fn reserve(self: &Arc<Budget>, bytes: usize) -> Result<Reservation, LaunchErrorKind> {
        let mut reservation = Reservation { budget: Arc::clone(self), bytes: 0 };
        reservation.grow(bytes as u64)?;
        Ok(reservation)
    }

    /// How many times so many bytes are left.
    pub(crate) fn holds(&self, bytes: u64) -> u64 {
        (self.limit - self.used.load(Ordering::Relaxed)) / bytes.max(1)
    }
}

/// A part of a budget that is in use.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Reservation {
    /// Takes so many bytes more.
    ///
    /// # Errors
    /// When they are not left.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), LaunchErrorKind> {
        let Budget { limit, used } = &*self.budget;
        let more = |used: u64| used.checked_add(bytes).filter(|all| all <= limit);
        match used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => {
                self.bytes += bytes;
                Ok(())
            }
            Err(used) => Err(LaunchErrorKind::Memory { limit: *limit, used, wanted: bytes }),
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_can_be_taken_again() {
        let budget = Arc::new(Budget::new(Some(100)));
        let mut first = budget.reserve(60).unwrap();
        let refused = LaunchErrorKind::Memory { limit: 100, used: 60, wanted: 41 };
        assert_eq!(budget.reserve(41).unwrap_err(), refused);
        assert_eq!(first.grow(41).unwrap_err(), refused);
        first.grow(40).unwrap();
        assert_eq!((budget.holds(1), budget.reserve(0).is_ok()), (0, true));
        drop(first);
        assert_eq!(budget.holds(33), 3);
        let all = budget.reserve(100).unwrap();
        assert!(budget.reserve(usize::MAX).is_err());
        drop(all);
        assert!(Arc::new(Budget::default()).reserve(usize::MAX).is_ok());
    }
}
