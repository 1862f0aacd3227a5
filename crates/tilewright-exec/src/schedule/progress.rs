//! Whether blocks that wait still get anywhere.
//!
//! Blocks take their turns in a fixed order, so a state of all registers and all memory that was there before comes again for ever.

/// How many sweeps in which no block ended are waited for, before states are compared.
const PATIENCE: u64 = 8;

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
    /// Whether the state behind a sweep was there before. The hashes are asked for only where they are needed.
    pub(super) fn repeats(&mut self, registers: impl FnOnce() -> u64, memory: impl Fn() -> u64) -> bool {
        self.sweeps += 1;
        if self.sweeps < PATIENCE {
            return false;
        }
        let registers = registers();
        if self.kept.as_ref().is_some_and(|kept| kept.registers == registers && kept.memory == memory()) {
            return true;
        }
        if self.sweeps.is_power_of_two() {
            self.kept = Some(State { registers, memory: memory() });
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    /// How many sweeps it takes to find out that states repeat.
    fn sweeps(state: impl Fn(u64) -> (u64, u64)) -> Option<u64> {
        let mut progress = Progress::default();
        (0..1000).find(|sweep| progress.repeats(|| state(*sweep).0, || state(*sweep).1))
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
