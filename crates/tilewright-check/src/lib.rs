//! Finds what is wrong with a CUDA Tile IR kernel while it runs on the CPU, although its results may be right: accesses outside of
//! memory, values that nobody wrote, promises that do not hold, arithmetic that is undefined.
//!
//! A [`Checker`] runs a launch on the engine, operation by operation, and keeps beside each value which of its elements are undefined, and
//! beside memory which bytes were written. It reports each violation once, with the operation, its place in the source, the block, the
//! element and the memory, and goes on after it. A kernel without violations gives an empty [`Report`].
//!
//! [`rules()`] lists what can be found.

mod access;
mod arithmetic;
mod bounds;
mod conditions;
mod control;
mod elements;
mod explore;
mod extents;
mod finding;
mod folds;
mod lanes;
mod memory;
mod order;
mod overlap;
mod results;
mod rules;
mod state;
mod undefined;
mod views;
mod watch;
mod written;

pub use finding::{BufferPlace, Finding, MemoryPlace, Place, Related, Report, Source};
pub use overlap::Array;
pub use rules::{RULES_PAGE, Rule, explain, rules};

use explore::Explorer;
use std::{collections::BTreeSet, fmt, sync::Arc};
use tilewright_exec::{
    Arg, LaunchError, LaunchErrorKind, LaunchOptions, Memory, Plan, PlanError, Program, Schedule, TargetMachine, launch,
};
use tilewright_ir::{MemoryOrderingSemantics, OpRef, VerifiedModule};

/// A module whose launches are checked.
#[derive(Debug)]
pub struct Checker {
    program: Program,
}

/// What a check is told of a launch, beside its arguments.
#[derive(Clone, Default, Debug)]
pub struct CheckOptions {
    names: Vec<String>,
    uninitialised: Vec<usize>,
    distinct: Vec<Array>,
    schedule: Option<Schedule>,
    schedules: u64,
    seed: u64,
}

impl CheckOptions {
    /// Buffers are called by their numbers, all of them are initialised, and arrays may overlap.
    pub fn new() -> CheckOptions {
        CheckOptions::default()
    }

    /// What the buffers are called in messages, in the order in which they were added to the memory of the launch.
    pub fn names(mut self, names: impl IntoIterator<Item = String>) -> CheckOptions {
        self.names = names.into_iter().collect();
        self
    }

    /// The buffers whose content is undefined when the launch begins, by their positions in its memory.
    pub fn uninitialised(mut self, buffers: impl IntoIterator<Item = usize>) -> CheckOptions {
        self.uninitialised = buffers.into_iter().collect();
        self
    }

    /// Arrays that the kernel was compiled to take as distinct: it may be wrong where they overlap.
    pub fn distinct(mut self, arrays: impl IntoIterator<Item = Array>) -> CheckOptions {
        self.distinct = arrays.into_iter().collect();
        self
    }

    /// Lets the blocks go on by a schedule, and compares the results with those of the order of the grid.
    pub fn schedule(mut self, schedule: Schedule) -> CheckOptions {
        self.schedule = Some(schedule);
        self
    }

    /// Repeats the launch under so many other schedules, which depend on a seed, and compares the results.
    pub fn schedules(mut self, launches: u64, seed: u64) -> CheckOptions {
        (self.schedules, self.seed) = (launches, seed);
        self
    }
}

/// Why a launch could not be checked.
#[derive(Clone, Debug)]
pub enum CheckError {
    /// The entry cannot be run.
    Plan(PlanError),
    /// The launch failed for another reason than what the kernel does.
    Launch(LaunchError),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Plan(error) => write!(f, "cannot run: {error}"),
            CheckError::Launch(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CheckError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CheckError::Plan(error) => Some(error),
            CheckError::Launch(error) => Some(error),
        }
    }
}

impl Checker {
    /// A checker of the entries of a module.
    pub fn new(module: VerifiedModule) -> Checker {
        Checker { program: Program::watched(module) }
    }

    /// The same checker, planning for a part of what this machine can do.
    #[must_use]
    pub fn for_machine(self, machine: TargetMachine) -> Checker {
        Checker { program: self.program.for_machine(machine) }
    }

    /// The module.
    pub fn module(&self) -> &VerifiedModule {
        self.program.module()
    }

    /// The plan by which an entry is checked, which knows its parameters.
    ///
    /// # Errors
    /// When there is no such entry, or the engine cannot run it.
    pub fn plan(&self, entry: &str) -> Result<Arc<Plan>, PlanError> {
        self.program.plan(entry)
    }

    /// Launches an entry, on one thread, and reports what it does wrong. A kernel that acquires is launched
    /// twice more, with the blocks in the reverse order and side by side: what is ordered by a lock in one order need not be in another. The buffers in `memory` hold the results afterwards, those of the order
    /// of the grid; what was to be written outside of them is left out.
    ///
    /// # Errors
    /// When the entry cannot be run, arguments or grid do not fit, or the launch is stopped or takes more than it may.
    pub fn check(
        &self,
        entry: &str,
        memory: &mut Memory<'_>,
        grid: [u32; 3],
        args: &[Arg],
        options: &CheckOptions,
        launch_options: &LaunchOptions<'_>,
    ) -> Result<Report, CheckError> {
        let plan = self.program.plan(entry).map_err(CheckError::Plan)?;
        let repeats = options.schedule.is_some() || options.schedules > 0;
        let synchronises = !repeats && grid != [1; 3] && self.acquires();
        let contents = |memory: &Memory<'_>| memory.writable().map(|buffer| (buffer, memory.bytes(buffer).to_vec())).collect();
        let initial = if repeats || synchronises { contents(memory) } else { Vec::new() };
        let watch = watch::Watch::new(self.program.module(), entry, options);
        let watched = launch_options.clone().watcher(&watch).schedule(options.schedule.clone().unwrap_or_default());
        launch(&plan, memory, grid, args, &watched).map_err(CheckError::Launch)?;
        let watch::Seen { mut report, accesses, .. } = watch.finish().map_err(|kind| unplaced(entry, kind))?;
        if repeats || synchronises {
            let results = if synchronises { contents(memory) } else { Vec::new() };
            let module = self.program.module();
            let mut explorer = Explorer { module, entry, plan, memory, grid, args, options, launch_options, initial };
            // What the checked launch has shown already is not reported again.
            let known: BTreeSet<explore::Key> = report.findings.iter().map(explore::key).collect();
            let found = match &options.schedule {
                Some(schedule) => explorer.compare(schedule)?,
                None if synchronises => explorer.usual_orders(known.clone(), &results, &accesses)?,
                None => explorer.search(options.schedules, options.seed, known.clone())?,
            };
            report.findings.extend(found.into_iter().filter(|finding| !known.contains(&explore::key(finding))));
        }
        Ok(report)
    }
}

impl Checker {
    /// Whether blocks may wait for others, or go by what these did before: what one does may then happen before what another does in one order of
    /// blocks only.
    fn acquires(&self) -> bool {
        let acquires =
            |op: OpRef<'_>| matches!(op.memory_ordering(), Some(MemoryOrderingSemantics::Acquire | MemoryOrderingSemantics::AcqRel));
        self.program.module().functions.iter().any(|function| function.body.preorder().any(acquires))
    }
}

/// An error that no block made.
fn unplaced(entry: &str, kind: LaunchErrorKind) -> CheckError {
    CheckError::Launch(LaunchError { entry: entry.to_owned(), block: None, site: None, kind })
}
