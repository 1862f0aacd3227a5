//! Why a case cannot be run at all; a case that runs and goes wrong gives a report instead.

use crate::{
    array::{ArrayError, NpyError},
    bytecode::ReadError,
    check::CheckError,
    exec::PlanError,
    ir::{Diagnostic, Printable, Version, printable},
    passes::BrokenModule,
};
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// Why a case cannot be run.
#[derive(Debug)]
pub enum CaseError {
    /// A file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The description is not JSON of the right shape.
    Json {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// The description contradicts itself, or says what this library does not know.
    Description {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The case has no bytecode of the version asked for.
    NoVersion {
        /// Name of the case.
        case: String,
        /// The version asked for.
        asked: Option<Version>,
        /// The versions there are.
        there: Vec<Version>,
    },
    /// The bytecode cannot be read.
    Bytecode {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: ReadError,
    },
    /// The module breaks rules.
    Invalid {
        /// The file.
        path: PathBuf,
        /// The rules, in the order of the module.
        findings: Vec<Diagnostic>,
    },
    /// An array cannot be read.
    Npy {
        /// The file.
        path: PathBuf,
        /// Why.
        source: NpyError,
    },
    /// There is not enough memory for a buffer.
    Array {
        /// The parameter.
        param: String,
        /// What was asked for.
        source: ArrayError,
    },
    /// A pass broke the module.
    Passes(BrokenModule),
    /// The engine cannot run the entry.
    Plan(PlanError),
    /// The launch could not be checked.
    Check(CheckError),
    /// The entry cannot be compiled for a GPU.
    Compile(String),
    /// The device is not there, or cannot run the entry.
    #[cfg(feature = "gpu")]
    Device(crate::device::DeviceError),
}

/// A path, for messages.
fn shown(path: &Path) -> Printable<'_> {
    printable(path.as_os_str().as_encoded_bytes())
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaseError::Io { path, source } => write!(f, "cannot read {}: {source}", shown(path)),
            CaseError::Json { path, source } => write!(f, "{} is not a case: {source}", shown(path)),
            CaseError::Description { path, what } => write!(f, "{} is not a case that can be run: {what}", shown(path)),
            CaseError::NoVersion { case, asked, there } => {
                let there: Vec<String> = there.iter().map(Version::to_string).collect();
                match asked {
                    Some(asked) => write!(f, "case {} has no bytecode of version {asked}, only of {}", printable(case), there.join(", ")),
                    None => write!(f, "case {} has no bytecode", printable(case)),
                }
            }
            CaseError::Bytecode { path, source } => write!(f, "{}: {source}", shown(path)),
            CaseError::Invalid { path, findings } => {
                write!(f, "{} is not a valid module", shown(path))?;
                findings.iter().try_for_each(|finding| write!(f, "\n  {finding}"))
            }
            CaseError::Npy { path, source } => write!(f, "{}: {source}", shown(path)),
            CaseError::Array { param, source } => write!(f, "parameter {}: {source}", printable(param)),
            CaseError::Passes(error) => write!(f, "{error}"),
            CaseError::Plan(error) => write!(f, "{error}"),
            CaseError::Check(error) => write!(f, "{error}"),
            CaseError::Compile(error) => write!(f, "cannot compile: {error}"),
            #[cfg(feature = "gpu")]
            CaseError::Device(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CaseError {}
