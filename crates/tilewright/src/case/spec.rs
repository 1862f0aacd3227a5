//! The format of `case.json`; `corpus/README.md` describes it.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A whole `case.json`. Fields that only inform a reader are not read.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CaseSpec {
    pub(super) name: String,
    #[serde(default)]
    pub(super) about: String,
    pub(super) entry: String,
    /// Version to file name.
    pub(super) bytecode: BTreeMap<String, String>,
    pub(super) grid: [u32; 3],
    pub(super) args: Vec<ArgSpec>,
    #[serde(default)]
    pub(super) nondeterministic: Vec<String>,
    pub(super) stdout: Option<StdoutSpec>,
    pub(super) failure: Option<FailureSpec>,
}

/// A launch argument, or a word of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum ArgSpec {
    Scalar(ScalarSpec),
    Pointer(PointerSpec),
    Table(TableSpec),
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct ScalarSpec {
    pub(super) param: String,
    pub(super) dtype: String,
    pub(super) value: ScalarValue,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ScalarValue {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(String),
}

impl ScalarValue {
    /// As text that [`DType::parse`](crate::array::DType::parse) reads.
    pub(super) fn text(&self) -> String {
        match self {
            ScalarValue::Bool(value) => value.to_string(),
            ScalarValue::Signed(value) => value.to_string(),
            ScalarValue::Unsigned(value) => value.to_string(),
            ScalarValue::Float(value) => value.to_string(),
            ScalarValue::Text(value) => value.clone(),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct PointerSpec {
    pub(super) param: String,
    pub(super) dtype: String,
    pub(super) role: Role,
    pub(super) shape: Vec<u64>,
    /// In elements.
    #[serde(default)]
    pub(super) offset: u64,
    pub(super) file: Option<String>,
    pub(super) fill: Option<u8>,
    pub(super) expected: Option<String>,
    pub(super) tolerance: Option<Tolerance>,
    /// The earlier parameter whose buffer this is.
    pub(super) share: Option<String>,
}

/// What a kernel does with a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    In,
    Out,
    Inout,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct TableSpec {
    pub(super) param: String,
    pub(super) rows: Vec<Vec<ArgSpec>>,
}

/// How far a result may be from the expected value: `atol + rtol * |expected|`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Tolerance {
    /// Relative to the expected value.
    pub rtol: f64,
    /// Absolute.
    pub atol: f64,
}

/// What a kernel must print.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct StdoutSpec {
    pub(super) lines: Vec<String>,
    pub(super) order: LineOrder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) enum LineOrder {
    #[serde(rename = "as listed")]
    AsListed,
    #[serde(rename = "any")]
    Any,
}

/// How a launch must fail.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct FailureSpec {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) block: Option<[u32; 3]>,
}
