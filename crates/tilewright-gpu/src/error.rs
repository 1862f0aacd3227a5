//! Why an entry cannot be compiled.

use crate::{Target, thread};
use std::{error::Error, fmt};
use tilewright_ir::printable;

/// Why an entry cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError {
    message: String,
}

impl CompileError {
    pub(crate) fn no_entry(entry: &str) -> CompileError {
        CompileError { message: format!("there is no entry {}", printable(entry)) }
    }

    /// An operation that is not covered, with what of it is not.
    pub(crate) fn unsupported(operation: &str, what: &str, target: Target, location: Option<&str>) -> CompileError {
        let place = location.map_or_else(String::new, |location| format!(" (at {location})"));
        CompileError { message: format!("{operation}: {what} is not compiled for {target} yet{place}") }
    }

    /// A pass broke a rule of the module.
    pub(crate) fn broken(what: &str) -> CompileError {
        CompileError { message: format!("an error of a pass: {what}") }
    }

    /// The compiler broke a rule of its own code.
    pub(crate) fn internal(entry: &str, finding: &thread::Finding) -> CompileError {
        CompileError { message: format!("an error of the compiler: the thread code of {entry} is invalid: {finding}") }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for CompileError {}
