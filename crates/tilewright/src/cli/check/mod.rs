//! `tilewright check`: launches a kernel under observation, and reports what it does wrong.

mod sarif;
mod text;

use super::{
    exit::{Exit, Finding},
    input::File,
    machine::MachineArgs,
    output::write_json,
    run::{
        LIMIT_NAMES,
        argument::{self, Grid},
        bind::{self, Bound},
        choose_entry_of,
    },
};
pub use text::finding_text;

use anyhow::{Context as _, bail};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};
use tilewright::{
    case::{Case, CaseError},
    check::{Array, CheckError, CheckOptions, Checker, Report},
    exec::{Arg, LaunchOptions, Limits, Memory, OutputSink, Param, Plan, Schedule},
    ir::Version,
};

/// Find undefined behaviour of a kernel while it runs on the CPU
#[derive(clap::Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = AFTER_HELP,
    override_usage = "tilewright check [OPTIONS] --grid X[,Y[,Z]] FILE [ARG]...\n       tilewright check [OPTIONS] --case PATH..."
)]
pub(super) struct Args {
    /// A module, as bytecode or text; - for stdin
    #[arg(required_unless_present = "case", conflicts_with = "case")]
    file: Option<PathBuf>,
    /// The entry's parameters, in order, as for `run`; `f32[1024]=?` is a buffer that nobody has written, `&0+64` the buffer of parameter 0
    /// from byte 64 on
    #[arg(value_name = "ARG")]
    args: Vec<String>,
    /// How many tile blocks to launch
    #[arg(long, value_name = "X[,Y[,Z]]", required_unless_present = "case", conflicts_with = "case")]
    grid: Option<Grid>,
    /// The entry to launch, where there are several
    #[arg(long, value_name = "NAME", conflicts_with = "case")]
    entry: Option<String>,
    /// Buffers, by their parameters, that the kernel may only read
    #[arg(long, value_name = "N", value_delimiter = ',', conflicts_with = "case")]
    read_only: Vec<usize>,
    /// The kernel was compiled for arrays that do not overlap
    #[arg(long, conflicts_with = "case")]
    distinct: bool,
    /// Let blocks go on in this order: '1,0:2' is block 1 to its end, then two accesses to memory of block 0, then the rest in the order of
    /// the grid; and report where results differ from those of the order of the grid
    #[arg(long, value_name = "TURNS", conflicts_with = "schedules")]
    schedule: Option<Schedule>,
    /// Launch again under so many other schedules, and report the shortest one that gives other results, or that never ends
    #[arg(long, value_name = "N", default_value_t = 0)]
    schedules: u64,
    /// What the choice of schedules depends on
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "schedules")]
    seed: u64,
    /// Check cases: folders with a case.json, or such files
    #[arg(long, value_name = "PATH", num_args = 1..)]
    case: Vec<PathBuf>,
    /// The version of bytecode of the case
    #[arg(long, value_name = "VERSION", requires = "case", conflicts_with = "file")]
    bytecode: Option<Version>,
    /// End the launch after this time
    #[arg(long, value_name = "SECONDS", value_parser = argument::seconds)]
    timeout: Option<Duration>,
    /// The most memory that the launch takes beside the buffers
    #[arg(long, value_name = "BYTES", value_parser = argument::bytes)]
    max_memory: Option<u64>,
    #[command(flatten)]
    machine: MachineArgs,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How findings are written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people, with lines of the source
    Text,
    /// For programs
    Json,
    /// For code review tools: SARIF 2.1.0
    Sarif,
}

const LONG_ABOUT: &str = "\
Find undefined behaviour of a kernel while it runs on the CPU

The launch runs operation by operation, on one thread. Each violation of a rule is reported once, with the operation, its place in the \
source, the block, the element and the memory, and the launch goes on. 'tilewright explain RULE' says more about a rule.

Arguments are those of 'tilewright run', and two more: f32[1024]=? is a buffer with undefined content, &0+64 is that of parameter 0 from \
its byte 64 on. What the kernel prints is not shown.

Exit status 0 if nothing was found, 1 if something was, 2 if the launch could not be checked.";

const AFTER_HELP: &str = "\
Examples:
  tilewright check kernel.tilebc --grid 8 @x.npy i32:1024 'f32[1024]=?'
  tilewright check --case corpus/cases/*
  tilewright check kernel.mlir --grid 4 --schedules 100 'f32[64]'
  tilewright check kernel.mlir --grid 4 'f32[64]' --format sarif > findings.sarif";

/// What was checked.
struct Checked {
    name: String,
    report: Report,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let checked = match (&args.file, args.grid) {
        (Some(file), Some(grid)) => vec![check_file(&args, file, grid.0)?],
        _ => args.case.iter().map(|path| check_case(&args, path)).collect::<anyhow::Result<Vec<_>>>()?,
    };
    let mut out = io::stdout().lock();
    match args.format {
        Format::Text => text::write(&mut out, &checked)?,
        Format::Json => match &checked[..] {
            [only] if args.case.is_empty() => write_json(&mut out, &only.report)?,
            _ => {
                let all: Vec<_> = checked.iter().map(|c| serde_json::json!({ "case": c.name, "report": c.report })).collect();
                write_json(&mut out, &all)?;
            }
        },
        Format::Sarif => write_json(&mut out, &sarif::log(checked.iter().map(|checked| &checked.report)))?,
    }
    out.flush()?;
    Ok(if checked.iter().all(|checked| checked.report.is_clean()) { Exit::Ok } else { Exit::Findings })
}

impl Args {
    /// The orders of blocks under which launches are checked.
    fn orders(&self, options: CheckOptions) -> CheckOptions {
        match &self.schedule {
            Some(schedule) => options.schedule(schedule.clone()),
            None => options.schedules(self.schedules, self.seed),
        }
    }
}

fn launch_options(args: &Args) -> LaunchOptions<'static> {
    let limits = args.timeout.map_or(Limits::new(), |time| Limits::new().time(time));
    let limits = args.max_memory.map_or(limits, |bytes| limits.memory(bytes));
    LaunchOptions::new().limits(limits).output(OutputSink::new(Arc::new(Mutex::new(io::sink()))))
}

fn check_case(args: &Args, path: &Path) -> anyhow::Result<Checked> {
    let case = Case::load(path)?;
    let (options, machine) = (args.orders(CheckOptions::new()), args.machine.machine()?);
    let report = case.check_with(args.bytecode, options, &launch_options(args), machine).map_err(|error| match error {
        CaseError::Check(error) => failed(error),
        error => error.into(),
    })?;
    Ok(Checked { name: case.name().to_owned(), report })
}

/// Why a launch could not be checked, which is not what was looked for.
fn failed(error: CheckError) -> anyhow::Error {
    match error {
        CheckError::Launch(error) => anyhow::anyhow!("{}", error.naming(&LIMIT_NAMES)),
        error => error.into(),
    }
}

fn check_file(args: &Args, file: &Path, grid: [u32; 3]) -> anyhow::Result<Checked> {
    let module = File::read(file)?.verified().map_err(|error| match error.downcast::<Finding>() {
        Ok(Finding(what)) => anyhow::anyhow!(what),
        Err(error) => error,
    })?;
    let checker = Checker::new(module).for_machine(args.machine.machine()?);
    let entry = choose_entry_of(checker.module(), args.entry.as_deref())?;
    let plan = checker.plan(&entry)?;
    let shared: Vec<Option<Shared>> = args.args.iter().map(|text| Shared::parse(text)).collect::<anyhow::Result<_>>()?;
    let texts: Vec<String> =
        std::iter::zip(&args.args, &shared).enumerate().map(|(i, (text, shared))| bound_text(&plan, i, text, shared.is_some())).collect();
    let mut bound = bind::bind(&plan, &texts)?;
    // Parameters that are buffers, in the order of the buffers of the launch.
    let buffers: Vec<usize> = (0..bound.len()).filter(|i| matches!(bound[*i], Bound::Buffer(_))).collect();
    let sizes: Vec<u64> = bound.iter().map(|bound| if let Bound::Buffer(array) = bound { array.bytes().len() as u64 } else { 0 }).collect();
    if let Some(number) = args.read_only.iter().find(|number| !buffers.contains(number)) {
        bail!("parameter {number} is no buffer, which --read-only asks for");
    }
    let mut memory = Memory::new();
    let mut launch_args = bind::place_some(&mut bound, &mut memory, &args.read_only);
    let mut arrays: Vec<Array> = Vec::new();
    for i in buffers.iter().copied() {
        let (owner, offset) = shared[i].as_ref().map_or((i, 0), |shared| (shared.parameter, shared.offset));
        let (Some(Arg::Pointer(start)), Some(bytes)) =
            (launch_args.get(owner).copied(), sizes.get(owner).and_then(|size| size.checked_sub(offset)))
        else {
            bail!("parameter {i} shares the buffer of parameter {owner}, which has none, or not so many bytes");
        };
        launch_args[i] = Arg::Pointer(start + offset);
        arrays.push(Array::new(format!("parameter {i}"), start + offset, bytes));
    }
    let is_uninitialised = |i: &usize| args.args[*i].ends_with(UNWRITTEN);
    let uninitialised: Vec<usize> = buffers.iter().enumerate().filter(|(_, i)| is_uninitialised(i)).map(|(number, _)| number).collect();
    let mut options = CheckOptions::new().names(buffers.iter().map(|i| format!("parameter {i}"))).uninitialised(uninitialised);
    if args.distinct {
        options = options.distinct(arrays);
    }
    let options = args.orders(options);
    let report = checker.check(&entry, &mut memory, grid, &launch_args, &options, &launch_options(args)).map_err(failed)?;
    Ok(Checked { name: entry, report })
}

/// Marks a buffer whose content is undefined.
const UNWRITTEN: &str = "=?";

/// An argument that is memory of another one.
struct Shared {
    parameter: usize,
    /// In bytes.
    offset: u64,
}

impl Shared {
    /// Reads `&0+64`; gives none for other arguments.
    fn parse(text: &str) -> anyhow::Result<Option<Shared>> {
        let Some(rest) = text.strip_prefix('&') else { return Ok(None) };
        let (parameter, offset) = rest.split_once('+').unwrap_or((rest, "0"));
        let parts = parameter.parse().ok().zip(offset.parse().ok());
        let (parameter, offset) = parts.with_context(|| format!("expected &PARAMETER or &PARAMETER+BYTES, found '{text}'"))?;
        Ok(Some(Shared { parameter, offset }))
    }
}

/// An argument as `run` takes it: one that shares memory is an empty buffer there.
fn bound_text(plan: &Plan, i: usize, text: &str, shares: bool) -> String {
    match plan.params().get(i) {
        Some(Param::Pointer(pointee)) if shares => format!("{pointee}[0]"),
        _ => text.strip_suffix(UNWRITTEN).unwrap_or(text).to_owned(),
    }
}
