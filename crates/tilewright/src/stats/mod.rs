//! Counting what a module holds, and what its kernels do.
//!
//! [`Stats::of_module`] counts operations, values, types and constants, and estimates the work of each function from what is
//! known without running it. [`FileStats::of_file`] tells where the bytes of a file go.
//!
//! # What is counted
//!
//! All amounts are for one run of one tile block.
//!
//! | | counts |
//! |---|---|
//! | `mmaf`, `mmaf_scaled` | 2 M N K flops for each matrix of a batch; scaling is not counted |
//! | `mmai` | 2 M N K integer operations, kept apart |
//! | `fma` | 2 flops for each element |
//! | other arithmetic on floats, `exp` and its like, `maxf`, `minf`, rounding | 1 flop for each element |
//! | `absf`, `negf`, conversions, comparisons, `select` | nothing |
//! | loads and stores | the bytes of the whole tile as memory holds it, masked and padded elements included |
//! | atomic operations | the bytes twice: read and written; no flops |
//!
//! # How often
//!
//! - The body of a `for` whose bounds and step are constants counts as often as it runs. Any other `for` and every `loop` runs an
//!   unknown number of times, which gets a name: `n0`, `n1`, ... in the order of the text.
//! - Both branches of an `if` count as if they were taken: amounts are upper bounds.
//! - Among the operations that are executed, a `reduce` or `scan` counts once. For work, its region counts:
//! - The region of a `reduce` runs for each element but one of each result, that of a `scan` for each element but the first of each row.
//!
//! The arithmetic intensity is flops over bytes moved. Where unknown numbers matter, it is given if it tends to a value as
//! the innermost of them grows.

mod amount;
mod cost;
mod file;
mod function;
mod loops;
mod text;

pub use amount::{Amount, Term};
pub use file::{FileStats, SectionBytes};
pub use function::{Access, FunctionStats, Intensity, Loop, Work};

use crate::ir::{Module, Opcode, Type};
use serde::Serialize;
use std::collections::HashMap;

/// The counts of a module.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// Its version.
    pub version: String,
    /// What all functions hold together.
    pub totals: Totals,
    /// Each function.
    pub functions: Vec<FunctionStats>,
}

/// The counts of all functions together, and of the tables.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Totals {
    /// Functions.
    pub functions: usize,
    /// Globals.
    pub globals: usize,
    /// Operations.
    pub operations: usize,
    /// Values.
    pub values: usize,
    /// Operations by name, the most frequent first.
    pub by_operation: Vec<Count>,
    /// Types of values by text, the most frequent first.
    pub types: Vec<Count>,
    /// Dense constants in use.
    pub constants: usize,
    /// The bytes of their data.
    pub constant_bytes: usize,
    /// Strings in use.
    pub strings: usize,
    /// Their bytes.
    pub string_bytes: usize,
}

/// How often something occurs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Count {
    /// What.
    pub name: String,
    /// How often.
    pub count: usize,
}

impl Stats {
    /// Counts a module, which need not be valid.
    pub fn of_module(module: &Module) -> Stats {
        let tables = &module.tables;
        let functions: Vec<FunctionStats> = module.functions.iter().map(|f| FunctionStats::new(module, f)).collect();
        let mut types: HashMap<Type, usize> = HashMap::new();
        for body in module.functions.iter().map(|f| &f.body) {
            for index in 0..body.num_values() {
                *types.entry(body.ty(crate::ir::Value::new(index))).or_default() += 1;
            }
        }
        let by_operation = by_operation(module.functions.iter().map(|f| &f.body));
        let totals = Totals {
            functions: functions.len(),
            globals: module.globals.len(),
            operations: functions.iter().map(|f| f.operations).sum(),
            values: functions.iter().map(|f| f.values).sum(),
            by_operation,
            types: most_frequent(types.into_iter().map(|(ty, count)| (tables.types.brief(ty), count))),
            constants: tables.constants.len(),
            constant_bytes: (0..tables.constants.len()).map(|i| tables.constants.bytes(crate::ir::Const::new(i)).len()).sum(),
            strings: tables.strings.len(),
            string_bytes: (0..tables.strings.len()).map(|i| tables.strings.bytes(crate::ir::Str::new(i)).len()).sum(),
        };
        Stats { version: module.version.to_string(), totals, functions }
    }
}

/// The operations of bodies by name, the most frequent first.
fn by_operation<'b>(bodies: impl Iterator<Item = &'b crate::ir::Body>) -> Vec<Count> {
    let mut counts = vec![0; Opcode::ALL.len()];
    bodies.for_each(|body| body.walk(|op| counts[op.opcode() as usize] += 1));
    most_frequent(Opcode::ALL.iter().zip(counts).filter(|(_, count)| *count > 0).map(|(op, count)| (op.mnemonic().to_owned(), count)))
}

fn most_frequent(counts: impl Iterator<Item = (String, usize)>) -> Vec<Count> {
    let mut counts: Vec<Count> = counts.map(|(name, count)| Count { name, count }).collect();
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    counts
}
