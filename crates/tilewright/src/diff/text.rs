//! A difference as text.

use super::{Change, Detail, Diff, FunctionDiff, OpDiff, OpLine};
use crate::ir::printable;
use std::fmt;

impl Change {
    /// The mark in front of a line.
    fn mark(self) -> char {
        match self {
            Change::Added => '+',
            Change::Removed => '-',
            Change::Changed => '~',
        }
    }
}

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        details(f, 0, &self.module)?;
        for global in &self.globals {
            writeln!(f, "{} global @{}", global.change.mark(), printable(&global.name))?;
            details(f, 4, &global.details)?;
        }
        self.functions.iter().try_for_each(|function| write!(f, "{function}"))?;
        let equal = if self.equal { "equal: " } else { "unchanged: " };
        let globals = match self.unchanged.globals {
            0 => String::new(),
            n => format!("{}, ", count(n, "global")),
        };
        writeln!(f, "{equal}{globals}{}, {}", count(self.unchanged.functions, "function"), count(self.unchanged.operations, "operation"))
    }
}

impl fmt::Display for FunctionDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} function @{}", self.change.mark(), printable(&self.name))?;
        match (self.change, self.counts) {
            (Change::Added, (_, ops)) | (Change::Removed, (ops, _)) => writeln!(f, ", {}", count(ops, "operation"))?,
            (Change::Changed, (old, new)) if old == new => writeln!(f, ", {}", count(old, "operation"))?,
            (Change::Changed, (old, new)) => writeln!(f, ", {old} -> {}", count(new, "operation"))?,
        }
        details(f, 4, &self.details)?;
        self.operations.iter().try_for_each(|op| operation(f, op))
    }
}

pub(super) fn operation(f: &mut fmt::Formatter<'_>, op: &OpDiff) -> fmt::Result {
    let depth = op.old.as_ref().or(op.new.as_ref()).map_or(0, |line| line.depth);
    if let Some(line) = &op.old {
        self::line(f, '-', line)?;
    }
    if let Some(line) = &op.new {
        self::line(f, '+', line)?;
    }
    details(f, 16 + 2 * depth, &op.details)
}

/// `  - 12      %3 = addf ...`: the position, then the operation where its nesting puts it.
fn line(f: &mut fmt::Formatter<'_>, mark: char, line: &OpLine) -> fmt::Result {
    writeln!(f, "  {mark} {:<7} {:indent$}{}", line.index, "", line.text, indent = 2 * line.depth)
}

fn details(f: &mut fmt::Formatter<'_>, indent: usize, details: &[Detail]) -> fmt::Result {
    details.iter().try_for_each(|Detail { what, old, new }| writeln!(f, "{:indent$}{what}: {} -> {}", "", printable(old), printable(new)))
}

pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
