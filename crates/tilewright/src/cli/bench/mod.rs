//! `tilewright bench`: what the machine can do, and how close the engine comes to it.

mod arrays;
mod beside;
mod chart;
mod check;
mod gpu;
mod measure;
mod number;
mod operations;
mod problems;
mod report;
mod suites;

use super::{
    exit::Exit,
    input::shown,
    machine::MachineArgs,
    output::{complain_of, write_file, write_json},
    run::{Device, bind::check_place},
};
use anyhow::Context as _;
use beside::{Beside, beside};
use gpu::Gpu;
use measure::{Machine, Timing};
use problems::Problem;
use report::Report;
use std::{
    io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};
use tilewright::{
    device::Device as Compiled,
    ir::{nearest, printable},
};

/// Measure the machine's limits and the speed of kernels
///
/// Measures memory bandwidth (z = x + y on large arrays) and the peak rate of floating-point multiply-adds, then runs kernels that
/// were compiled by cuTile Python, at real sizes, and compares each with the limit that applies to it. Times are the best of
/// several launches, each with everything that a launch does. Launches take turns with the limit that applies, because what a machine
/// gives may change from second to second: 'share' is the rate as a part of the limit meanwhile; 'busy' is the same by processor time,
/// for machines that have other things to do.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright bench                             everything, on one thread and on all
  tilewright bench --filter matmul --threads 1
  tilewright bench --suite practitioners       kernels of many kinds, their results checked
  tilewright bench --suite my_kernels/         kernels of your own
  tilewright bench --device cuda               on the first GPU
  tilewright bench --device cuda --suite gpu --beside cubins/ --beside cublas --beside pytorch
  tilewright bench --json --svg chart.svg      numbers for a program, and a chart
  tilewright bench --operations --filter divi  every operation of a name, beside an addition")]
pub(super) struct Args {
    /// Measure every operation of the table instead, with every type and attribute, on one thread: the time for an element as a multiple of
    /// that of addf on f32, by turns. '!' marks what takes more than 20 times as long without a known reason
    #[arg(long, conflicts_with_all = ["threads", "svg", "no_jit"])]
    operations: bool,
    /// Which kernels: 'usual', those that every engine is measured by, at large sizes; 'practitioners', kernels as practitioners write them, of
    /// many kinds, at sizes that take milliseconds, whose results are compared with PyTorch's; 'gpu', large ones with aligned arrays, for GPUs; or a
    /// folder of bytecode with a suite.json, as crates/tilewright/benches/practitioners/export.py writes it
    #[arg(long, default_value = "usual", value_parser = suite, conflicts_with = "operations")]
    suite: Suite,
    /// Only kernels whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Thread counts [default: 1 and the number of processors]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = super::run::positive)]
    threads: Vec<NonZeroUsize>,
    /// Where to run: cpu; cuda or cuda:N, a GPU of this machine. Its limits are the bandwidth of copies within its memory, and the peaks of its CUDA
    /// cores, by their number and their highest clock rate: products on tensor cores may exceed these
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = super::run::device, conflicts_with = "operations")]
    device: Device,
    /// On a GPU, also measure something else beside each kernel, by turns: a folder of cubins of the kernels, such as softmax.sm_90.cubin, made by
    /// tileiras --lineinfo; cublas, for products of matrices; pytorch, for kernels whose suite says what they are in PyTorch, which runs as Python:
    /// ask for it only of suites that you trust. May be given several times
    #[arg(long, value_name = "FOLDER|cublas|pytorch", value_parser = beside)]
    beside: Vec<Beside>,
    /// Small sizes and few repetitions: shows that everything runs, measures nothing
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also write a bar chart of the shares
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// List the kernels and run nothing
    #[arg(long)]
    list: bool,
}

/// A set of kernels.
#[derive(Clone, PartialEq, Eq)]
enum Suite {
    Usual,
    Practitioners,
    Gpu,
    Folder(PathBuf),
}

fn suite(text: &str) -> Result<Suite, String> {
    match text {
        "usual" => Ok(Suite::Usual),
        "practitioners" => Ok(Suite::Practitioners),
        "gpu" => Ok(Suite::Gpu),
        path if Path::new(path).is_dir() => Ok(Suite::Folder(path.into())),
        other => Err(format!("'{}' is neither 'usual' nor 'practitioners' nor 'gpu' nor a folder", printable(other))),
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(path) = &args.svg {
        check_place(path).with_context(|| format!("--svg {}", shown(path)))?;
    }
    if args.operations {
        return operations::run(&args.filter, args.quick, args.json, args.list);
    }
    let mut problems = match &args.suite {
        Suite::Usual => problems::all(args.quick),
        Suite::Practitioners => suites::practitioners(args.quick)?,
        Suite::Gpu => suites::gpu(args.quick)?,
        Suite::Folder(folder) => suites::of_folder(folder, args.quick)?,
    };
    if !problems.iter().any(|problem| problem.name.contains(&args.filter)) {
        let near = nearest(&args.filter, problems.iter().map(|problem| problem.name.as_str()));
        let meant = near.map_or_else(|| ";".to_owned(), |near| format!("; did you mean '{near}'?"));
        anyhow::bail!("no kernel's name contains '{}'{meant} --list shows them all", printable(&args.filter));
    }
    problems.retain(|problem| problem.name.contains(&args.filter));
    if args.list {
        report::write_list(&mut io::stdout().lock(), &problems)?;
        return Ok(Exit::Ok);
    }
    anyhow::ensure!(
        args.beside.is_empty() || matches!(args.device, Device::Compiled(Compiled::Cuda(_))),
        "--beside is for GPUs: --device cuda"
    );
    let report = match args.device {
        Device::Cpu => on_cpu(args, &problems)?,
        Device::Compiled(Compiled::Cuda(ordinal)) => on_gpu(args, ordinal, &problems)?,
        Device::Compiled(Compiled::Ptx(_)) => anyhow::bail!("the PTX machine measures nothing: expected cpu, cuda or cuda:N"),
    };
    if args.json {
        write_json(&mut io::stdout().lock(), &report)?;
    }
    if let Some(path) = &args.svg {
        write_file(path, |out| out.write_all(chart::svg(&report).as_bytes())).with_context(|| format!("cannot write {}", shown(path)))?;
    }
    Ok(if report.failed.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// Measures the engine.
fn on_cpu(args: &Args, problems: &[Problem]) -> anyhow::Result<Report> {
    let threads = thread_counts(&args.threads);
    let mut machine = Machine::new(args.quick, args.machine.machine()?);
    let mut report = Report::new(None, threads.iter().map(|&n| machine.limits(n)).collect(), problems);
    begin(args, &report)?;
    for problem in problems {
        for result in measure::measure(problem, &threads, &mut machine)? {
            add(args, &mut report, problem, &result)?;
        }
    }
    let overheads = if args.suite == Suite::Usual { measure::overheads(&machine)? } else { Vec::new() };
    for overhead in overheads {
        let row = report.add_overhead(overhead);
        if !args.json {
            report::write_overhead(&mut io::stdout().lock(), row)?;
        }
    }
    Ok(report)
}

/// Measures a GPU. A kernel that fails does not keep the others from their turn.
fn on_gpu(args: &Args, ordinal: u32, problems: &[Problem]) -> anyhow::Result<Report> {
    anyhow::ensure!(args.threads.is_empty() && !args.machine.is_given(), "--threads and --no-jit are for the CPU, not for a GPU");
    let mut gpu = Gpu::open(ordinal, args.quick)?.beside(&args.beside, problems);
    let mut report = Report::new(Some(gpu.name()), vec![gpu.limits()], problems);
    report.beside = gpu.others().versions();
    begin(args, &report)?;
    for problem in problems {
        match gpu.measure(problem) {
            Ok(timing) => add(args, &mut report, problem, &timing)?,
            Err(error) => {
                complain_of(&format!("{error:#}"));
                report.fail(problem, format!("{error:#}"));
            }
        }
        if gpu.is_broken() {
            gpu = gpu.reset()?;
        }
    }
    Ok(report)
}

fn begin(args: &Args, report: &Report) -> io::Result<()> {
    if args.json { Ok(()) } else { report.write_limits(&mut io::stdout().lock()) }
}

fn add(args: &Args, report: &mut Report, problem: &Problem, timing: &Timing) -> io::Result<()> {
    report.add(problem, timing);
    if args.json { Ok(()) } else { report.write_row(&mut io::stdout().lock()) }
}

/// The thread counts that were asked for, or one thread and all.
fn thread_counts(asked: &[NonZeroUsize]) -> Vec<usize> {
    if !asked.is_empty() {
        return asked.iter().map(|n| n.get()).collect();
    }
    let all = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    if all > 1 { vec![1, all] } else { vec![1] }
}
