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

/// An error about the input, with what shows where that is wrong. It ends the command with [`Exit::Findings`], unless that means
/// something else.
#[derive(Debug)]
pub(crate) struct Finding {
    what: String,
    reports: Vec<String>,
    exit: Exit,
}

impl Finding {
    /// What is wrong, in a line.
    pub(crate) fn new(what: impl Into<String>) -> Finding {
        Finding { what: what.into(), reports: Vec::new(), exit: Exit::Findings }
    }

    /// Adds texts that were rendered for stderr, to be shown below.
    pub(crate) fn reports(self, reports: Vec<String>) -> Finding {
        Finding { reports, ..self }
    }

    /// The same for a command whose status tells something else of its input: it fails.
    pub(crate) fn failure(self) -> Finding {
        Finding { exit: Exit::Failure, ..self }
    }

    /// What is to be shown below.
    pub(crate) fn shown(&self) -> &[String] {
        &self.reports
    }

    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Finding {}
