//! Comparing modules by what they say.
//!
//! [`diff`] compares version, producer, globals and functions; globals and functions belong together by name, in whatever order
//! they stand, and if one is left over on each side, by that. Two functions are aligned operation by operation (`fingerprint.rs` says what makes operations alike, `align.rs`
//! how a sequence of them is matched), and each pair is compared exactly: attributes, types, operands, regions. An operand is the
//! same if the values belong together, so neither the numbers of values nor the order of any table shows.
//!
//! | not a difference | |
//! |---|---|
//! | the order of strings, types, constants, debug entries | also unused and repeated ones |
//! | the order of functions and globals, and of entries of dictionaries | they have names |
//! | a constant that repeats one element, and the element once | they are the same tile |
//! | `true` as a truth value, and as an integer of one bit | they print alike |
//! | source locations | unless [`DiffOptions::locations`] asks for them |
//!
//! Time is almost linear in the number of operations and memory linear, however different the modules are. Where that forbids the
//! smallest difference, a larger one is found, but never none.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tilewright::{bytecode, diff};
//! let old = bytecode::read(&std::fs::read("old.tilebc")?)?;
//! let new = bytecode::read(&std::fs::read("new.tilebc")?)?;
//! let difference = diff::diff(&old, &new, &diff::DiffOptions::new());
//! print!("{difference}");
//! # Ok(())
//! # }
//! ```

mod align;
mod canon;
mod fingerprint;
mod function;
#[cfg(feature = "mlir")]
mod mlir;
mod operation;
mod symbols;
mod text;

use crate::ir::Module;
use canon::Canon;
#[cfg(feature = "mlir")]
pub use mlir::{MlirDiff, diff_mlir};
use serde::Serialize;

/// What to compare. The default is everything but source locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiffOptions {
    locations: bool,
}

impl DiffOptions {
    /// Everything but source locations.
    pub fn new() -> DiffOptions {
        DiffOptions::default()
    }

    /// Compares source locations too. Default: no.
    pub fn locations(mut self, on: bool) -> Self {
        self.locations = on;
        self
    }
}

/// How two modules differ. Its [`Display`](std::fmt::Display) is the text of `tilewright diff`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Diff {
    /// Whether there is no difference.
    pub equal: bool,
    /// Version and producer.
    pub module: Vec<Detail>,
    /// The globals that differ.
    pub globals: Vec<GlobalDiff>,
    /// The functions that differ.
    pub functions: Vec<FunctionDiff>,
    /// How much is equal.
    pub unchanged: Unchanged,
}

/// Counts of what is equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Unchanged {
    /// Globals.
    pub globals: usize,
    /// Functions.
    pub functions: usize,
    /// Operations, those of functions that differ included.
    pub operations: usize,
}

/// One thing that differs between two sides that belong together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Detail {
    /// What it is: `rounding_mode`, `operand lhs`, `type of result 0`.
    pub what: String,
    /// What the old side has.
    pub old: String,
    /// What the new side has.
    pub new: String,
}

/// What happened from the old side to the new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Only the new side has it.
    Added,
    /// Only the old side has it.
    Removed,
    /// Both have it, with differences.
    Changed,
}

/// A global that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GlobalDiff {
    /// Its name.
    pub name: String,
    /// What happened to it.
    pub change: Change,
    /// What differs.
    pub details: Vec<Detail>,
}

/// A function that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FunctionDiff {
    /// Its name.
    pub name: String,
    /// What happened to it.
    pub change: Change,
    /// What differs besides operations: signature, hints.
    pub details: Vec<Detail>,
    /// The operations that differ, in order. Empty for functions that one side lacks.
    pub operations: Vec<OpDiff>,
    /// How many operations there are on the old side and on the new side.
    pub counts: (usize, usize),
}

/// An operation that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OpDiff {
    /// What happened to it.
    pub change: Change,
    /// It on the old side.
    pub old: Option<OpLine>,
    /// It on the new side.
    pub new: Option<OpLine>,
    /// What differs, where both sides have it.
    pub details: Vec<Detail>,
}

/// An operation on one side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OpLine {
    /// Its position in the function, in pre-order.
    pub index: usize,
    /// How deep it is nested: 0 at the top of the function.
    pub depth: usize,
    /// Its text, with the names of values that the printer gives them.
    pub text: String,
}

impl Detail {
    fn new(what: impl Into<String>, old: impl Into<String>, new: impl Into<String>) -> Detail {
        Detail { what: what.into(), old: old.into(), new: new.into() }
    }
}

/// Compares two modules, which need not be valid.
pub fn diff(old: &Module, new: &Module, options: &DiffOptions) -> Diff {
    let mut canon = Canon::default();
    let old = canon.side(old);
    let new = canon.side(new);
    let module = symbols::module(&old, &new);
    let (globals, equal_globals) = symbols::globals(&mut canon, &old, &new);
    let (functions, mut unchanged) = symbols::functions(&mut canon, &old, &new, options);
    unchanged.globals = equal_globals;
    Diff { equal: module.is_empty() && globals.is_empty() && functions.is_empty(), module, globals, functions, unchanged }
}
