//! Findings about a module.

use crate::{Loc, Value, printable};
use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The module breaks a rule.
    Error,
    /// The module is valid, but its author should look.
    Warning,
}

/// One finding of a verifier: which rule, where, and what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable name of the rule, such as `operand-count`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Name of the function it lies in.
    pub function: Option<String>,
    /// The position of that function in the module: a broken module may have several of one name.
    pub function_index: Option<usize>,
    /// Position of the operation in its function, counted in pre-order from 0, and its mnemonic.
    pub op: Option<(usize, &'static str)>,
    /// Source location of the operation.
    pub loc: Option<Loc>,
    /// The operands that it names, in this order.
    pub values: Vec<Value>,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}[{}]", self.rule)?;
        if let Some(function) = &self.function {
            write!(f, " in @{}", printable(function))?;
        }
        if let Some((index, mnemonic)) = self.op {
            write!(f, ", operation {index} ({mnemonic})")?;
        }
        write!(f, ": {}", self.message)
    }
}
