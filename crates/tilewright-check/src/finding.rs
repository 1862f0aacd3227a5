//! What a check finds.

use crate::rules::Rule;
use serde::{Serialize, Serializer};

/// What the check of a launch found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The violations, each once, in the order in which they were first seen.
    pub findings: Vec<Finding>,
    /// How many tile blocks ran.
    pub blocks: u64,
}

/// A violation of a rule: everything that one operation (or two, where they are in each other's way) did against it.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The rule that is broken.
    #[serde(serialize_with = "rule_id")]
    pub rule: &'static Rule,
    /// What happened, in a sentence.
    pub message: String,
    /// The entry that was launched.
    pub kernel: String,
    /// The first time that it happened.
    pub place: Place,
    /// The other access of a race or of a missing order, or where an undefined value comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Related>,
    /// How many elements were concerned, in all blocks.
    pub elements: u64,
    /// In how many blocks it happened.
    pub blocks: u64,
    /// The schedule that shows it, if the order of the grid does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
}

fn rule_id<S: Serializer>(rule: &&'static Rule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule.id)
}

/// Another operation that a finding names.
#[derive(Clone, Debug, Serialize)]
pub struct Related {
    /// What it has to do with the finding.
    pub what: String,
    /// The operation.
    pub place: Place,
}

/// Where something happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// Its function.
    pub function: String,
    /// The operation.
    pub operation: &'static str,
    /// Its position in the function, as [`tilewright_ir::Op::index`] counts.
    pub op: usize,
    /// The source file, its line and column, where the module has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The tile block.
    pub block: [u32; 3],
    /// The element of the tile, by its coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<Vec<usize>>,
    /// Its coordinates in the tensor, if it was accessed through a view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<Vec<u64>>,
    /// The memory that was accessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryPlace>,
}

/// A line of a source file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Source {
    /// The file, as the module names it.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1; 0 if it is not known.
    pub column: u32,
}

/// Bytes of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MemoryPlace {
    /// Device address of the first byte.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What they lie in, or next to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<BufferPlace>,
}

/// Where bytes lie in a buffer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BufferPlace {
    /// What the buffer is called.
    pub name: String,
    /// The position among the buffers of the launch; none for globals and `alloca`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// Bytes from the start of the buffer, negative in front of it.
    pub offset: i128,
    /// How many bytes the buffer has.
    pub size: u64,
    /// The `alloca` that made it, in the block that ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Box<Place>>,
}

impl Report {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}
