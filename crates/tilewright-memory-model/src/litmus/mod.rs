//! Litmus tests: small programs in a text format, with what is expected of them.

mod condition;
mod lexer;
mod module;
mod parse;
mod program;

pub use condition::{Condition, ShownOutcome};
pub use module::{LOCATION_STRIDE, VALUES_STRIDE};
pub use program::{Access, AccessKind, Arithmetic, Block, Expectation, Litmus, Operand, Statement, updated};

use crate::enumerate::{EnumerateError, Executions, Observe, enumerate};
use std::fmt;

/// Why a text is no litmus test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LitmusError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl LitmusError {
    fn new(line: usize, message: impl Into<String>) -> LitmusError {
        LitmusError { line, message: message.into() }
    }
}

impl fmt::Display for LitmusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for LitmusError {}

impl Litmus {
    /// Reads a test.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn parse(text: &str) -> Result<Litmus, LitmusError> {
        parse::parse(text)
    }

    /// Reads a condition on the outcomes of this test; locations that it names are observed from now on.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn condition(&mut self, text: &str) -> Result<Condition, LitmusError> {
        parse::parse_condition(self, text)
    }

    /// All executions that the model allows.
    ///
    /// # Errors
    /// When there are too many.
    pub fn executions(&self, limit: u64) -> Result<Executions, EnumerateError> {
        enumerate(self, Observe::Locations(&self.observed), limit)
    }

    /// What is expected of the test and is not so; nothing if all is as expected.
    pub fn surprises(&self, executions: &Executions) -> Vec<String> {
        self.expectations.iter().filter_map(|expectation| self.surprise(expectation, executions)).collect()
    }

    fn surprise(&self, expectation: &Expectation, executions: &Executions) -> Option<String> {
        let outcomes = || executions.outcomes.keys();
        match expectation {
            Expectation::Allowed(condition) => {
                let missing = !outcomes().any(|outcome| condition.holds(outcome));
                missing.then(|| format!("expected allowed, but forbidden: {}", condition.text(self)))
            }
            Expectation::Forbidden(condition) => {
                let found = outcomes().any(|outcome| condition.holds(outcome));
                found.then(|| format!("expected forbidden, but allowed: {}", condition.text(self)))
            }
            Expectation::Outcomes(listed) => {
                let extra = outcomes().filter(|outcome| !listed.iter().any(|condition| condition.holds(outcome)));
                let extra = extra.map(|outcome| format!("not listed, but allowed: {}", ShownOutcome(self, outcome)));
                let missing = listed.iter().filter(|condition| !outcomes().any(|outcome| condition.holds(outcome)));
                let missing = missing.map(|condition| format!("listed, but forbidden: {}", condition.text(self)));
                let all: Vec<String> = extra.chain(missing).collect();
                (!all.is_empty()).then(|| all.join("\n"))
            }
            Expectation::Race(expected) => match (*expected, executions.races.is_empty()) {
                (true, true) => Some("expected a data race, but there is none".to_owned()),
                (false, false) => Some("expected no data race, but there is one".to_owned()),
                _ => None,
            },
        }
    }
}
