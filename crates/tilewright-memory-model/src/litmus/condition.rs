//! Conditions on outcomes.

use super::program::{Litmus, number};
use crate::enumerate::Outcome;
use std::fmt;

/// A condition on how an execution ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// `0:%r == 1`: what a value of a block is.
    Value {
        /// The block.
        block: usize,
        /// The position of the value in [`super::program::Block::observed`].
        value: usize,
        /// What it is compared with.
        is: i32,
    },
    /// `x == 1`: what a location holds in the end.
    Memory {
        /// The position of the location in [`Litmus::observed`].
        observed: usize,
        /// What it is compared with.
        is: i32,
    },
    /// `!a`
    Not(Box<Condition>),
    /// `a && b`
    All(Vec<Condition>),
    /// `a || b`
    Any(Vec<Condition>),
}

impl Condition {
    /// Whether an outcome fulfils the condition.
    pub fn holds(&self, outcome: &Outcome) -> bool {
        match self {
            Condition::Value { block, value, is } => number(outcome.values[*block][*value]) == *is,
            Condition::Memory { observed, is } => number(outcome.memory[*observed]) == *is,
            Condition::Not(inner) => !inner.holds(outcome),
            Condition::All(parts) => parts.iter().all(|part| part.holds(outcome)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(outcome)),
        }
    }

    /// The condition as text.
    pub fn text(&self, litmus: &Litmus) -> String {
        let list = |parts: &[Condition], between: &str| {
            let text = |part: &Condition| match part {
                Condition::Any(_) => format!("({})", part.text(litmus)),
                _ => part.text(litmus),
            };
            parts.iter().map(text).collect::<Vec<_>>().join(between)
        };
        match self {
            Condition::Value { block, value, is } => format!("{} == {is}", litmus.value_name(*block, *value)),
            Condition::Memory { observed, is } => format!("{} == {is}", litmus.locations[litmus.observed[*observed]]),
            Condition::Not(inner) => match &**inner {
                Condition::Value { block, value, is } => format!("{} != {is}", litmus.value_name(*block, *value)),
                Condition::Memory { observed, is } => format!("{} != {is}", litmus.locations[litmus.observed[*observed]]),
                other => format!("!({})", other.text(litmus)),
            },
            Condition::All(parts) => list(parts, " && "),
            Condition::Any(parts) => list(parts, " || "),
        }
    }
}

/// An outcome with the names of its values.
pub struct ShownOutcome<'a>(pub &'a Litmus, pub &'a Outcome);

impl fmt::Display for ShownOutcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShownOutcome(litmus, outcome) = self;
        let values = outcome.values.iter().enumerate().flat_map(|(block, values)| {
            values.iter().enumerate().map(move |(at, value)| format!("{}={}", litmus.value_name(block, at), number(*value)))
        });
        let memory = litmus.observed.iter().zip(&outcome.memory);
        let memory = memory.map(|(location, value)| format!("{}={}", litmus.locations[*location], number(*value)));
        let parts: Vec<String> = values.chain(memory).collect();
        if parts.is_empty() { f.write_str("(nothing is observed)") } else { f.write_str(&parts.join(" ")) }
    }
}

impl Litmus {
    /// A value that is observed, as conditions name it: `0:%r`.
    pub fn value_name(&self, block: usize, observed: usize) -> String {
        let of = &self.blocks[block];
        format!("{block}:%{}", of.values[of.observed[observed]])
    }
}
