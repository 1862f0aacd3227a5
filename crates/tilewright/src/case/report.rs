//! What a run of a case found.

use crate::{array::Number, profile::Profile};
use serde::{Serialize, Serializer};

/// The verdict on a case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseReport {
    /// Name of the case.
    pub case: String,
    /// Version of the bytecode that ran.
    pub version: String,
    /// The entry that ran.
    pub entry: String,
    /// Tile blocks along x, y and z.
    pub grid: [u32; 3],
    /// Tile blocks together.
    pub blocks: u64,
    /// Worker threads; none if every launch failed and no number was asked for.
    pub threads: Option<usize>,
    /// The GPU that ran it, and what it was compiled for; none if the CPU did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Seconds it took to plan the entry, or to compile and load it.
    pub plan_seconds: f64,
    /// Whether every launch did what it must.
    pub ok: bool,
    /// The launches, in order; each had fresh buffers.
    pub launches: Vec<LaunchVerdict>,
    /// What the launches that succeeded took, together, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// The verdict on one launch.
#[derive(Clone, Debug, Serialize)]
pub struct LaunchVerdict {
    /// Seconds it took.
    pub seconds: f64,
    /// Whether it did what it must.
    pub ok: bool,
    /// The failure of the launch, if it failed.
    pub error: Option<String>,
    /// Buffers with expected content. Empty if the launch failed and should not have.
    pub outputs: Vec<OutputVerdict>,
    /// Buffers that a kernel may only read.
    pub inputs: Vec<InputVerdict>,
    /// What the kernel printed, where the case says what it must print.
    pub stdout: Option<StdoutVerdict>,
    /// How the launch failed, where the case says that it must fail.
    pub failure: Option<FailureVerdict>,
}

/// The verdict on a buffer's content.
#[derive(Clone, Debug, Serialize)]
pub struct OutputVerdict {
    /// The parameter.
    pub param: String,
    /// Element type.
    pub dtype: String,
    /// Extents of the buffer.
    pub shape: Vec<u64>,
    /// Whether every element is within the tolerance.
    pub ok: bool,
    /// How many elements are not.
    pub mismatches: u64,
    /// The largest absolute error.
    #[serde(serialize_with = "finite_or_text")]
    pub largest_error: f64,
    /// The largest error as a share of what the tolerance allows there.
    #[serde(serialize_with = "finite_or_text")]
    pub largest_of_tolerance: f64,
    /// The element with that share; none if all are equal.
    pub worst: Option<Worst>,
}

/// An element that differs from the expected one.
#[derive(Clone, Debug, Serialize)]
pub struct Worst {
    /// Its coordinates.
    pub index: Vec<u64>,
    /// What it should be.
    pub expected: Number,
    /// What it is.
    pub found: Number,
    /// The absolute error.
    #[serde(serialize_with = "finite_or_text")]
    pub error: f64,
}

/// The verdict on a buffer that must not change.
#[derive(Clone, Debug, Serialize)]
pub struct InputVerdict {
    /// The parameter.
    pub param: String,
    /// Whether its bytes are as before the launch.
    pub unchanged: bool,
}

/// The verdict on what a kernel printed.
#[derive(Clone, Debug, Serialize)]
pub struct StdoutVerdict {
    /// Whether these are the expected lines, in an order that is allowed.
    pub ok: bool,
    /// The lines it should print.
    pub expected: Vec<String>,
    /// The lines it printed.
    pub found: Vec<String>,
}

/// The verdict on how a launch failed.
#[derive(Clone, Debug, Serialize)]
pub struct FailureVerdict {
    /// Whether it failed as it must.
    pub ok: bool,
    /// How it must fail.
    pub expected: String,
    /// How it failed; none if it did not.
    pub found: Option<String>,
}

/// JSON has no infinities: they are written as text.
fn finite_or_text<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Number::Float(*value).serialize(serializer)
}
