//! How often counted loops run.

use super::{IntegerFacts, Range};
use std::fmt;
use tilewright_ir::{AttrName, OpRef, Opcode};

/// Bounds on how often the body of a `for` runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TripCount {
    /// The fewest iterations.
    pub min: u64,
    /// The most, if they are bounded.
    pub max: Option<u64>,
}

impl TripCount {
    /// What is known of a `for`; `None` for other operations.
    ///
    /// A `for` cannot be left early. A step that is not positive stops the launch where there is an iteration at all.
    pub fn of(op: OpRef<'_>, facts: &IntegerFacts) -> Option<TripCount> {
        if op.opcode() != Opcode::For {
            return None;
        }
        let signed = !op.flag(AttrName::UnsignedCmp);
        let range = |index: usize| facts.at(op.operand(index)?, op.block()?)?.range;
        let bounds = |range: Range| -> (i128, i128) {
            if signed { (range.smin().into(), range.smax().into()) } else { (range.umin().into(), range.umax().into()) }
        };
        let (lower, upper, step) = (bounds(range(0)?), bounds(range(1)?), bounds(range(2)?));
        let trips = |distance: i128, step: i128| u64::try_from((distance.max(0) + step - 1) / step).ok();
        let min = if step.1 > 0 { trips(upper.0 - lower.1, step.1).unwrap_or(u64::MAX) } else { 0 };
        let max = trips(upper.1 - lower.0, step.0.max(1));
        Some(TripCount { min, max })
    }

    /// The number of iterations, where it is known.
    pub fn exact(self) -> Option<u64> {
        self.max.filter(|max| *max == self.min)
    }
}

impl fmt::Display for TripCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.exact(), self.max) {
            (Some(1), _) => f.write_str("1 trip"),
            (Some(trips), _) => write!(f, "{trips} trips"),
            (None, Some(max)) => write!(f, "{} to {max} trips", self.min),
            (None, None) => write!(f, "{} or more trips", self.min),
        }
    }
}
