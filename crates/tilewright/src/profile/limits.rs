//! What the machine can do at most.

use crate::exec::{TargetMachine, Work, limits};
use serde::Serialize;
use std::time::Duration;

/// What the machine can do at most with some threads, as `tilewright bench` measures it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MachineLimits {
    /// How many.
    pub threads: usize,
    /// Bytes per second that are read from memory and written to it.
    pub bandwidth: f64,
    /// Floating-point operations per second in `f32`.
    pub peak_f32: f64,
    /// The same in `f64`.
    pub peak_f64: f64,
}

/// What limits an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// The bandwidth of memory.
    Memory,
    /// The rate of multiply-adds.
    Arithmetic,
}

impl Bound {
    pub(super) fn name(self) -> &'static str {
        match self {
            Bound::Memory => "memory",
            Bound::Arithmetic => "arithmetic",
        }
    }
}

/// How long each limit is measured.
const PATIENCE: Duration = Duration::from_millis(80);
/// Bytes of the arrays that bandwidth is measured with, for each byte of the last cache; and the most.
const OF_CACHE: usize = 4;
const MOST_BYTES: usize = 512 << 20;

impl MachineLimits {
    /// Measures this machine, for about a quarter of a second.
    pub fn measure(threads: usize) -> MachineLimits {
        let bytes = (OF_CACHE * TargetMachine::host().last_cache()).min(MOST_BYTES);
        let mut arrays = limits::Bandwidth::new(bytes / (3 * size_of::<f32>()));
        MachineLimits {
            threads,
            bandwidth: arrays.measure(threads, PATIENCE),
            peak_f32: limits::peak_f32(threads, PATIENCE),
            peak_f64: limits::peak_f64(threads, PATIENCE),
        }
    }

    /// The least time that work can take, and what limits it, if it moves or computes anything.
    pub(super) fn least_time(&self, work: &Work) -> (f64, Option<Bound>) {
        let over = |amount: u64, rate: f64| if amount == 0 { 0.0 } else { amount as f64 / rate };
        let memory = over(work.bytes(), self.bandwidth);
        let arithmetic = over(work.flops, self.peak_f32) + over(work.flops_f64, self.peak_f64);
        match (memory, arithmetic) {
            (0.0, 0.0) => (0.0, None),
            _ if memory >= arithmetic => (memory, Some(Bound::Memory)),
            _ => (arithmetic, Some(Bound::Arithmetic)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_time_is_the_limit() {
        let limits = MachineLimits { threads: 1, bandwidth: 10.0, peak_f32: 100.0, peak_f64: 50.0 };
        let least = |read, flops, flops_f64| limits.least_time(&Work { read, flops, flops_f64, ..Work::default() });
        assert_eq!(least(0, 0, 0), (0.0, None));
        assert_eq!(least(20, 100, 0), (2.0, Some(Bound::Memory)));
        assert_eq!(least(20, 100, 150), (4.0, Some(Bound::Arithmetic)));
        assert_eq!(least(10, 100, 0), (1.0, Some(Bound::Memory)));
    }
}
