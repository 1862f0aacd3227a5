//! How a command ends.

use std::{fmt, process::ExitCode};

/// The exit status of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Everything is as it should be.
    Ok,
    /// The input was found wrong: an invalid module, a failed launch, a result that differs from the expected one.
    Findings,
    /// The command could not do its work: wrong usage, or a file that cannot be read or written.
    Failure,
}

impl Exit {
    /// The number that a process ends with.
    pub const fn status(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Findings => 1,
            Exit::Failure => 2,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        exit.status().into()
    }
}

/// An error that is a finding about the input: it ends the command with [`Exit::Findings`].
#[derive(Debug)]
pub(crate) struct Finding(pub(crate) String);

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Finding {}
