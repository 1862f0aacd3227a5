//! Whether blocks that wait still get anywhere.
//!
//! Blocks take their turns in a fixed order, so a state of all memory, and of all registers that they go by, that was there before comes again
//! for ever.

/// How many sweeps in which no block ended are waited for, before states are compared.
const PATIENCE: u64 = 8;

/// The state of blocks that wait.
pub(super) trait Waiting {
    /// From here on, states are compared with this one.
    fn keep(&mut self);

    /// A number for what the blocks go by, registers above all; none if they went by something else than when a state was kept.
    fn registers(&self) -> Option<u64>;

    /// A number for the contents of memory.
    fn memory(&self) -> u64;
}

/// Looks for a state that comes again, by comparing each with one that is kept, and keeping a later one after every power of two (Brent).
#[derive(Default)]
pub(super) struct Progress {
    sweeps: u64,
    kept: Option<State>,
}

#[derive(PartialEq, Eq)]
struct State {
    registers: u64,
    memory: u64,
}

impl Progress {
    /// Whether the state behind a sweep was there before.
    pub(super) fn repeats(&mut self, waiting: &mut impl Waiting) -> bool {
        self.sweeps += 1;
        if self.sweeps < PATIENCE {
            return false;
        }
        let repeats = |kept: &State| waiting.registers() == Some(kept.registers) && waiting.memory() == kept.memory;
        if self.kept.as_ref().is_some_and(repeats) {
            return true;
        }
        if self.sweeps.is_power_of_two() {
            waiting.keep();
            self.kept = waiting.registers().map(|registers| State { registers, memory: waiting.memory() });
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Waiting};

    struct Numbers(u64, u64);

    impl Waiting for Numbers {
        fn keep(&mut self) {}

        fn registers(&self) -> Option<u64> {
            Some(self.0)
        }

        fn memory(&self) -> u64 {
            self.1
        }
    }

    /// How many sweeps it takes to find out that states repeat.
    fn sweeps(state: impl Fn(u64) -> (u64, u64)) -> Option<u64> {
        let mut progress = Progress::default();
        (0..1000).find(|sweep| progress.repeats(&mut Numbers(state(*sweep).0, state(*sweep).1)))
    }

    #[test]
    fn cycles_are_found_and_nothing_else() {
        assert_eq!(sweeps(|_| (1, 1)), Some(8));
        assert!(sweeps(|sweep| (sweep % 7, 0)).is_some());
        assert!(sweeps(|sweep| (0, sweep.saturating_sub(100) % 3)).is_some());
        assert_eq!(sweeps(|sweep| (sweep, 0)), None);
        assert_eq!(sweeps(|sweep| (0, sweep)), None);
    }
}
