//! How two MLIR modules differ.

use super::{
    Change, DiffOptions, OpDiff, OpLine,
    align::{Pairs, align_by_levels},
    text::operation,
};
use crate::mlir::{Line, Module, PrintOptions, list};
use serde::Serialize;
use std::{
    collections::HashMap,
    fmt,
    hash::{BuildHasher, Hash, RandomState},
};

/// How two MLIR modules differ. Its [`Display`](std::fmt::Display) is the text of `tilewright diff`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MlirDiff {
    /// Whether there is no difference.
    pub equal: bool,
    /// The operations that differ, in order, and the heads of blocks.
    pub operations: Vec<OpDiff>,
    /// How many operations are equal; heads of blocks do not count.
    pub unchanged: usize,
}

/// Compares two MLIR modules operation by operation: the order of tables and the numbers of values make no difference.
pub fn diff_mlir(old: &Module<'_>, new: &Module<'_>, options: &DiffOptions) -> MlirDiff {
    let options = PrintOptions::new().debug_info(options.locations);
    let (old, new) = (list(old, &options), list(new, &options));
    let state = RandomState::new();
    let keys = |lines: &[Line]| -> Vec<[u64; 2]> {
        let hash = |value: &dyn Fn(&mut std::hash::DefaultHasher)| {
            let mut hasher = state.build_hasher();
            value(&mut hasher);
            std::hash::Hasher::finish(&hasher)
        };
        lines
            .iter()
            .map(|line| [hash(&|hasher| (&line.shape, line.depth).hash(hasher)), hash(&|hasher| (&line.name, line.depth).hash(hasher))])
            .collect()
    };
    let pairs = align_by_levels(&keys(&old), &keys(&new));
    Comparison { old: &old, new: &new, values: values(&old, &new, &pairs) }.of(&pairs)
}

/// Which value of the new side each of the old side is.
fn values(old: &[Line], new: &[Line], pairs: &Pairs) -> HashMap<u32, u32> {
    pairs.iter().flat_map(|&(a, b)| old[a].values.clone().zip(new[b].values.clone())).collect()
}

struct Comparison<'l> {
    old: &'l [Line],
    new: &'l [Line],
    values: HashMap<u32, u32>,
}

impl Comparison<'_> {
    fn of(&self, pairs: &Pairs) -> MlirDiff {
        let (mut operations, mut unchanged) = (Vec::new(), 0);
        let (mut next_old, mut next_new) = (0, 0);
        for &(old, new) in pairs.iter().chain([&(self.old.len(), self.new.len())]) {
            operations.extend((next_old..old).map(|index| OpDiff {
                change: Change::Removed,
                old: Some(line(self.old, index)),
                new: None,
                details: Vec::new(),
            }));
            operations.extend((next_new..new).map(|index| OpDiff {
                change: Change::Added,
                old: None,
                new: Some(line(self.new, index)),
                details: Vec::new(),
            }));
            (next_old, next_new) = (old + 1, new + 1);
            if old == self.old.len() {
                break;
            }
            if self.is_equal(&self.old[old], &self.new[new]) {
                unchanged += usize::from(!self.old[old].is_block());
            } else {
                let (old, new) = (Some(line(self.old, old)), Some(line(self.new, new)));
                operations.push(OpDiff { change: Change::Changed, old, new, details: Vec::new() });
            }
        }
        MlirDiff { equal: operations.is_empty(), operations, unchanged }
    }

    fn is_equal(&self, old: &Line, new: &Line) -> bool {
        let same_operands = || old.operands.iter().zip(&new.operands).all(|(old, new)| self.values.get(old) == Some(new));
        old.shape == new.shape && old.operands.len() == new.operands.len() && same_operands()
    }
}

fn line(lines: &[Line], index: usize) -> OpLine {
    OpLine { index, depth: lines[index].depth, text: lines[index].text.clone() }
}

impl fmt::Display for MlirDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.operations.iter().try_for_each(|op| operation(f, op))?;
        writeln!(f, "{}: {}", if self.equal { "equal" } else { "unchanged" }, super::text::count(self.unchanged, "operation"))
    }
}
