//! Profiles of launches for people and tools: what each instruction, operation and line of source took, beside what this machine can do at most.
//!
//! ```
//! use tilewright::{arguments, exec, ir, profile, text};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = "entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) { %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token }";
//! let module = text::parse(source, &text::ParseOptions::new()).map_err(|errors| errors[0].render(source, "k"))?;
//! let program = exec::Program::new(ir::verify(module).map_err(|findings| findings[0].to_string())?);
//! let plan = program.plan("k")?;
//! let mut bound = arguments::bind(&plan, &["i32[1]", "i32:5"])?;
//! let mut memory = exec::Memory::new();
//! let args = arguments::place(&mut bound, &mut memory, &[]);
//!
//! let (_, measured) = exec::launch_profiled(&plan, &mut memory, [1, 1, 1], &args, &exec::LaunchOptions::new())?;
//! let limits = profile::MachineLimits { threads: 1, bandwidth: 1e10, peak_f32: 1e11, peak_f64: 5e10 };
//! let profile = profile::Profile::new(program.module(), "k", [1, 1, 1], measured, limits);
//! assert_eq!((profile.total.written, profile.total.read), (4, 0));
//! assert!(profile.operations.iter().any(|operation| operation.operation == "store_ptr_tko" && operation.count == 1));
//! # Ok(())
//! # }
//! ```
//!
//! # What is measured
//!
//! Time is measured for the instructions of the plan (`tilewright plan` prints it), as they run without a profile too. An instruction may carry
//! out several operations: a fused region, a product that reads its factors where they lie in memory, blocks that run as one. Groups of blocks
//! run by a plan of their own, with instructions of its own. The operations of an instruction share its time by a rule, not by measurement: one part for each element that is moved, and one for each primitive of vector code that computes an
//! element. Times of operations and lines are sums of such shares; counts, bytes and operations are exact.
//!
//! # What is counted
//!
//! What [`stats`](crate::stats) counts, for what really runs: passes may have removed operations, or let some be computed twice. Bytes are
//! those of whole tiles, masked and padded elements included.
//!
//! # The limits
//!
//! An instruction cannot take less time than its bytes at the bandwidth of memory, and than its floating-point operations at the rate of
//! multiply-adds; the longer of the two is its limit. What lies in the caches can be faster than the first, and products of short floats on matrix
//! units than the second.

#[cfg(feature = "command")]
mod flame;
mod html;
mod limits;
mod listing;
mod text;
mod trace;
mod units;

pub use limits::{Bound, MachineLimits};
pub use listing::{ListedLine, Listing};
pub use trace::Trace;

use crate::{
    exec::{self, InstructionProfile, Origin, Work},
    ir::{Module, Op, OpRef},
    passes::coarsen::Coarsening,
    text::OpPrinter,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// A profile of one launch or several of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// The entry.
    pub entry: String,
    /// Its grid.
    pub grid: [u32; 3],
    /// Launches that this is the sum of.
    pub launches: u64,
    /// Tile blocks that ran.
    pub blocks: u64,
    /// Those of them that ran in groups of neighbours, each group as one block of another plan.
    pub blocks_in_groups: u64,
    /// Worker threads.
    pub threads: usize,
    /// Time from the first block's start to the last one's end.
    pub seconds: f64,
    /// Time that reading the clock once takes, which is a part of what was measured for each execution of an instruction.
    pub clock_seconds: f64,
    /// What the machine can do at most.
    pub limits: MachineLimits,
    /// All instructions together.
    pub total: Measure,
    /// The instructions that ran: those of the plan in its order, then those of plans of groups.
    pub instructions: Vec<Instruction>,
    /// The operations that they carried out, in the order of the module.
    pub operations: Vec<Operation>,
    /// The lines of source that these come from, by file and number.
    pub lines: Vec<Line>,
    #[serde(skip)]
    listings: Vec<Listing>,
    #[serde(skip)]
    measured: exec::Profile,
}

/// What something took, moved and computed.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Measure {
    /// Time of all threads together.
    pub seconds: f64,
    /// Which part that is of the time of all instructions.
    pub share: f64,
    /// Bytes read from memory.
    pub read: u64,
    /// Bytes written to memory.
    pub written: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Those of them on `f64`.
    pub flops_f64: u64,
    /// Operations of products of integers.
    pub int_ops: u64,
    /// The least time that it can take with the threads of the launch.
    pub limit_seconds: f64,
    /// How near it came to that: 1 is at the limit. None for what moves and computes nothing.
    pub of_limit: Option<f64>,
    /// What limits it.
    pub bound: Option<Bound>,
}

/// An instruction of a plan.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Instruction {
    /// The groups of blocks whose plan it is of, as `tilewright plan --group` takes them (`x:8`); none for the plan of a block.
    pub group: Option<String>,
    /// Its number in the plan.
    pub instruction: usize,
    /// How often it ran.
    pub count: u64,
    /// What it took.
    #[serde(flatten)]
    pub measure: Measure,
    /// The operations that it carries out, the one that it came from first.
    pub parts: Vec<Part>,
}

/// An operation that an instruction carries out.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Part {
    /// The position of the operation in [`Profile::operations`].
    pub operation: usize,
    /// The part of the instruction's time that it is taken to have.
    pub share: f64,
    /// A load whose tile the instruction reads where it lies in memory.
    pub is_load_in_place: bool,
}

/// An operation of the module.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Operation {
    /// Its function.
    pub function: String,
    /// Its position in the function, in pre-order; none for what passes made of nothing in particular.
    pub index: Option<u32>,
    /// Its name.
    pub operation: &'static str,
    /// Its text.
    pub text: Option<String>,
    /// Where it comes from, if the module says so.
    pub source: Option<Source>,
    /// How often blocks ran it: an execution for a group counts for each of its blocks.
    pub count: u64,
    /// What it took: its shares of the times of instructions.
    #[serde(flatten)]
    pub measure: Measure,
    /// The operations around it with their lines, from the outermost.
    pub around: Vec<String>,
    /// Position of its function in the module.
    #[serde(skip)]
    function_index: u32,
}

/// A place in source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Source {
    /// The file, as the module names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

/// A line of source.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Line {
    /// The file, as the module names it.
    pub file: String,
    /// Its number, from 1.
    pub line: u32,
    /// What its operations took.
    #[serde(flatten)]
    pub measure: Measure,
}

/// Runs a plan as [`exec::launch`] does, and adds what it measures to what launches of it before have measured.
///
/// # Errors
/// As [`exec::launch`]; then nothing is added.
pub fn launch(
    plan: &exec::Plan,
    memory: &mut exec::Memory<'_>,
    grid: [u32; 3],
    args: &[exec::Arg],
    options: &exec::LaunchOptions<'_>,
    measured: &mut Option<exec::Profile>,
) -> Result<exec::LaunchReport, exec::LaunchError> {
    let (report, profile) = exec::launch_profiled(plan, memory, grid, args, options)?;
    match measured {
        Some(before) => before.add(&profile),
        None => *measured = Some(profile),
    }
    Ok(report)
}

/// What is added up for an operation or a line.
#[derive(Clone, Copy, Default)]
struct Sum {
    nanos: f64,
    work: Work,
}

impl Sum {
    fn add(&mut self, nanos: f64, work: Work) {
        self.nanos += nanos;
        self.work += work;
    }
}

/// The same, with how often blocks ran an operation.
#[derive(Clone, Default)]
struct Counted {
    count: u64,
    /// The last plan whose executions are in the count.
    plan: Option<Option<Coarsening>>,
    sum: Sum,
}

impl Counted {
    /// Adds a part of an instruction. The first one that an operation has in a plan says how often it ran by that plan.
    fn add(&mut self, ran: &InstructionProfile, nanos: f64, work: Work) {
        if self.plan != Some(ran.group) {
            self.plan = Some(ran.group);
            self.count += ran.count_of_blocks();
        }
        self.sum.add(nanos, work);
    }
}

/// What measures are made with.
struct Scale {
    limits: MachineLimits,
    threads: usize,
    /// Nanoseconds of all instructions.
    all_nanos: f64,
}

impl Scale {
    fn measure(&self, sum: &Sum) -> Measure {
        let (limit_seconds, bound) = self.limits.least_time(&sum.work);
        let seconds = sum.nanos * 1e-9;
        let of_limit = bound.filter(|_| seconds > 0.0).map(|_| limit_seconds * self.threads as f64 / seconds);
        Measure {
            seconds,
            share: if self.all_nanos > 0.0 { sum.nanos / self.all_nanos } else { 0.0 },
            read: sum.work.read,
            written: sum.work.written,
            flops: sum.work.all_flops(),
            flops_f64: sum.work.flops_f64,
            int_ops: sum.work.int_ops,
            limit_seconds,
            of_limit,
            bound,
        }
    }
}

impl Profile {
    /// The profile of launches of an entry of a module, of what they measured.
    ///
    /// Files that the module names as its source are read, if they are text, to show their lines; where that is not possible, the text of
    /// operations is shown in their place.
    pub fn new(module: &Module, entry: &str, grid: [u32; 3], measured: exec::Profile, limits: MachineLimits) -> Profile {
        let scale = Scale { limits, threads: measured.threads, all_nanos: measured.instruction_nanos() as f64 };
        let numbers = number_operations(&measured);
        let mut sums = vec![Counted::default(); numbers.len()];
        let mut lines: BTreeMap<(String, u32), Sum> = BTreeMap::new();
        let mut instructions = Vec::with_capacity(measured.instructions.len());
        let mut total = Sum::default();
        for ran in &measured.instructions {
            let mut parts = Vec::with_capacity(ran.parts.len());
            for (part, share) in ran.parts.iter().zip(ran.shares()) {
                let operation = numbers[&part.origin];
                let (nanos, work) = (ran.nanos as f64 * share, part.work.times(ran.count));
                sums[operation].add(ran, nanos, work);
                if let Some((file, line, _)) = &part.origin.place {
                    lines.entry((file.clone(), *line)).or_default().add(nanos, work);
                }
                parts.push(Part { operation, share, is_load_in_place: part.is_load_in_place });
            }
            let sum = Sum { nanos: ran.nanos as f64, work: ran.work() };
            total.add(sum.nanos, sum.work);
            let measure = scale.measure(&sum);
            let group = ran.group.map(|Coarsening { axis, factor }| format!("{}:{factor}", ["x", "y", "z"][axis]));
            instructions.push(Instruction { group, instruction: ran.instruction, count: ran.count, measure, parts });
        }
        let operations = numbers.keys().zip(&sums);
        let operations: Vec<Operation> =
            operations.map(|(origin, counted)| operation(module, origin, counted.count, scale.measure(&counted.sum))).collect();
        let lines: Vec<Line> = lines.into_iter().map(|((file, line), sum)| Line { file, line, measure: scale.measure(&sum) }).collect();
        let seconds = measured.nanos as f64 * 1e-9;
        let mut total = scale.measure(&total);
        // What lies between instructions keeps the launch from its limit too.
        total.of_limit = total.of_limit.filter(|_| seconds > 0.0).map(|_| total.limit_seconds / seconds);
        Profile {
            entry: entry.to_owned(),
            grid,
            launches: measured.launches,
            blocks: measured.blocks,
            blocks_in_groups: measured.blocks_in_groups,
            threads: measured.threads,
            seconds,
            clock_seconds: measured.clock_nanos * 1e-9,
            limits,
            total,
            listings: listing::listings(module, &operations, &lines, &|_| None),
            instructions,
            operations,
            lines,
            measured,
        }
    }

    /// The same profile of the same module, with the lines of texts in place of files that cannot be read, such as cells of a notebook.
    pub fn with_texts(mut self, module: &Module, text_of: &dyn Fn(&str) -> Option<String>) -> Profile {
        self.listings = listing::listings(module, &self.operations, &self.lines, text_of);
        self
    }

    /// The source of the kernel, or its operations as text, with what each line took.
    pub fn listings(&self) -> &[Listing] {
        &self.listings
    }

    /// Times of several instructions, from the longest.
    fn by_time(&self) -> Vec<&Instruction> {
        let mut sorted: Vec<&Instruction> = self.instructions.iter().collect();
        // Of those that took as long, the first one of the plans.
        sorted.sort_by(|a, b| b.measure.seconds.total_cmp(&a.measure.seconds));
        sorted
    }
}

/// Numbers the operations that instructions carried out, in the order of the module.
fn number_operations(measured: &exec::Profile) -> BTreeMap<Origin, usize> {
    let origins = measured.instructions.iter().flat_map(|ran| ran.parts.iter().map(|part| &part.origin));
    let mut numbers: BTreeMap<Origin, usize> = origins.map(|origin| (origin.clone(), 0)).collect();
    numbers.values_mut().enumerate().for_each(|(number, value)| *value = number);
    numbers
}

fn operation(module: &Module, origin: &Origin, count: u64, measure: Measure) -> Operation {
    let function = module.functions.get(origin.function as usize);
    let place = function.zip(origin.op).map(|(function, op)| (function, function.body.op(Op::new(op as usize))));
    let around = place.map_or_else(Vec::new, |(_, op)| {
        let outer = std::iter::successors(op.parent(), |outer| outer.parent());
        let mut names: Vec<String> = outer.map(|outer| name(outer.def().mnemonic, source_of(module, outer).as_ref())).collect();
        names.reverse();
        names
    });
    Operation {
        function: function.map_or_else(String::new, |function| module.tables.strings.text(function.name).into_owned()),
        index: origin.op,
        operation: origin.mnemonic,
        text: place.map(|(function, op)| OpPrinter::new(module, function).op(op.id())),
        source: origin.place.as_ref().map(|(file, line, column)| Source { file: file.clone(), line: *line, column: *column }),
        count,
        measure,
        around,
        function_index: origin.function,
    }
}

fn source_of(module: &Module, op: OpRef<'_>) -> Option<Source> {
    let (file, line, column) = module.tables.locations.source(op.loc())?;
    Some(Source { file: module.tables.strings.text(file).into_owned(), line, column })
}

/// The name of an operation with its line, for people.
fn name(operation: &str, source: Option<&Source>) -> String {
    match source {
        Some(source) => format!("{operation} {}", source.brief()),
        None => operation.to_owned(),
    }
}

impl Instruction {
    /// Its number in its plan, with the groups that this is of.
    fn number(&self) -> String {
        match &self.group {
            Some(group) => format!("{} of groups {group}", self.instruction),
            None => self.instruction.to_string(),
        }
    }
}

impl Source {
    /// The last part of the file's name, and the line.
    fn brief(&self) -> String {
        let file = if is_cell(&self.file) { CELL } else { self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file) };
        format!("{}:{}", crate::ir::printable(file), self.line)
    }
}

/// What a cell of a notebook is called: the file that IPython says that it is in does not exist, and its name is a number.
const CELL: &str = "cell";

/// Whether a file is a cell of a notebook: `/tmp/ipykernel_7/42.py`.
fn is_cell(file: &str) -> bool {
    file.rsplit(['/', '\\']).nth(1).is_some_and(|folder| folder.starts_with("ipykernel_"))
}

impl Operation {
    /// Its name with its line, for people.
    fn name(&self) -> String {
        name(self.operation, self.source.as_ref())
    }
}
