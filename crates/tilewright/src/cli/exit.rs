//! How a command ends.

use std::{fmt, process::ExitCode};

/// The exit status of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Everything is as it should be.
    Ok,
    /// The input was found wrong: an invalid module, a failed launch, a result that differs from the expected one.
    Findings,
    /// The command could not do its work: wrong usage, or a file that cannot be read or written.
    Failure,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Ok => 0,
            Exit::Findings => 1,
            Exit::Failure => 2,
        })
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
