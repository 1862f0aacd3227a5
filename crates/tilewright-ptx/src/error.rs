//! Where in a text something is, and what is wrong there.

use std::fmt;

/// A place in a PTX text; both numbers count from 1. Line 0 is no place: something made rather than read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in bytes.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a PTX text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxError {
    /// Where.
    pub position: Position,
    /// What was found and what was expected.
    pub message: String,
}

impl PtxError {
    pub(crate) fn new(position: Position, message: impl Into<String>) -> PtxError {
        PtxError { position, message: message.into() }
    }
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX, {}: {}", self.position, self.message)
    }
}

impl std::error::Error for PtxError {}
