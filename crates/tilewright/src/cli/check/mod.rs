//! `tilewright check`: launches a kernel under observation, and reports what it does wrong.

mod sarif;
mod sources;
mod text;

use super::{
    called::Called,
    exit::{Exit, Finding},
    input::File,
    machine::MachineArgs,
    output::write_json,
    run::{
        LIMIT_NAMES,
        argument::{self, Grid},
        choose_entry_of,
    },
};
pub use text::finding_text;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};
use tilewright::{
    arguments::Checked,
    case::{Case, CaseError},
    check::{CheckError, CheckOptions, Checker, Report},
    exec::{LaunchOptions, Limits, Memory, OutputSink, Schedule},
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
    /// Launch again under so many other schedules, and report what is found there only, where results differ and where blocks wait for ever, each with
    /// the shortest schedule that shows it
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
source, the block, the element and the memory, and the launch goes on. A kernel that acquires is launched in two more orders of its blocks. \
'tilewright explain RULE' says more about a rule.

Arguments are those of 'tilewright run', and two more: f32[1024]=? is a buffer with undefined content, &0+64 is that of parameter 0 from \
its byte 64 on. What the kernel prints is not shown.

Exit status 0 if nothing was found, 1 if something was, 2 if the launch could not be checked.";

const AFTER_HELP: &str = "\
Examples:
  tilewright check kernel.tilebc --grid 8 @x.npy i32:1024 'f32[1024]=?'
  tilewright check --case tests/corpus/cases/*
  tilewright check kernel.mlir --grid 4 --schedules 100 'f32[64]'
  tilewright check kernel.mlir --grid 4 'f32[64]' --format sarif > findings.sarif";

/// What was checked.
struct CheckedLaunch {
    name: String,
    report: Report,
}

pub(super) fn run(args: Args, called: &Called) -> anyhow::Result<Exit> {
    let checked = match (&args.file, args.grid) {
        (Some(file), Some(grid)) => vec![check_file(&args, file, grid.0)?],
        _ => args.case.iter().map(|path| check_case(&args, path)).collect::<anyhow::Result<Vec<_>>>()?,
    };
    let mut out = io::stdout().lock();
    match args.format {
        Format::Text => text::write(&mut out, &checked, called)?,
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

fn check_case(args: &Args, path: &Path) -> anyhow::Result<CheckedLaunch> {
    let case = Case::load(path)?;
    let (options, machine) = (args.orders(CheckOptions::new()), args.machine.machine()?);
    let report = case.check_with(args.bytecode, options, &launch_options(args), machine).map_err(|error| match error {
        CaseError::Check(error) => failed(error),
        error => error.into(),
    })?;
    Ok(CheckedLaunch { name: case.name().to_owned(), report })
}

/// Why a launch could not be checked, which is not what was looked for.
fn failed(error: CheckError) -> anyhow::Error {
    match error {
        CheckError::Launch(error) => anyhow::anyhow!("{}", error.naming(&LIMIT_NAMES)),
        error => error.into(),
    }
}

fn check_file(args: &Args, file: &Path, grid: [u32; 3]) -> anyhow::Result<CheckedLaunch> {
    let module = File::read(file)?.verified().map_err(|error| match error.downcast::<Finding>() {
        Ok(finding) => finding.failure().into(),
        Err(error) => error,
    })?;
    let checker = Checker::new(module).for_machine(args.machine.machine()?);
    let entry = choose_entry_of(checker.module(), args.entry.as_deref())?;
    let plan = checker.plan(&entry)?;
    let mut checked = Checked::bind(&plan, &args.args)?;
    let mut options = checked.options();
    let mut memory = Memory::new();
    let (launch_args, arrays) = checked.place(&mut memory, &args.read_only)?;
    if args.distinct {
        options = options.distinct(arrays);
    }
    let options = args.orders(options);
    let report = checker.check(&entry, &mut memory, grid, &launch_args, &options, &launch_options(args)).map_err(failed)?;
    Ok(CheckedLaunch { name: entry, report })
}
