//! What a benchmark reports.

use super::{
    beside::Other,
    measure::{Limits, Overhead, Timing},
    problems::{Limit, Problem},
};
use crate::cli::output::{Style, count, duration};
use serde::Serialize;
use std::io::{self, Write};
use tilewright::{exec::Level, ir::printable};

/// The machine, its limits, and how every kernel compares with them.
#[derive(Serialize)]
pub(super) struct Report {
    cpu: String,
    level: &'static str,
    /// The GPU that the kernels run on, if they do, and what they are compiled for.
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<String>,
    limits: Vec<Limits>,
    /// What else is measured, with its version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) beside: Vec<String>,
    pub(super) results: Vec<Row>,
    /// Kernels that could not be measured on a GPU.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) failed: Vec<Failed>,
    overheads: Vec<OverheadRow>,
    /// How wide the column of names is.
    #[serde(skip)]
    names: usize,
}

/// A kernel with some threads, or on a GPU.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    size: String,
    pub(super) threads: Option<usize>,
    seconds: f64,
    /// Bytes or operations per second.
    rate: f64,
    unit: &'static str,
    /// Which limit applies.
    limit: &'static str,
    /// What the machine could do meanwhile with as many threads, in the same unit.
    limit_rate: f64,
    /// The rate as a part of that.
    pub(super) share: f64,
    /// Processor time, all threads together.
    cpu_seconds: Option<f64>,
    /// The share if the threads had not waited for a processor: what counts where other programs run too.
    cpu_share: Option<f64>,
    /// What something else takes for the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    beside: Vec<Other>,
}

/// A kernel that could not be measured.
#[derive(Serialize)]
pub(super) struct Failed {
    name: String,
    error: String,
}

#[derive(Serialize)]
pub(super) struct OverheadRow {
    name: &'static str,
    seconds: f64,
}

impl Report {
    pub(super) fn new(gpu: Option<String>, limits: Vec<Limits>, problems: &[Problem]) -> Report {
        let names = name_width(problems);
        let level = Level::best().name();
        let (beside, results, failed, overheads) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Report { cpu: cpu_name(), level, gpu, limits, beside, results, failed, overheads, names }
    }

    pub(super) fn fail(&mut self, problem: &Problem, error: String) {
        self.failed.push(Failed { name: problem.name.clone(), error });
    }

    pub(super) fn add(&mut self, problem: &Problem, timing: &Timing) {
        let rate = problem.work as f64 / timing.seconds;
        let (limit, unit) = match problem.limit {
            Limit::Bandwidth => ("bandwidth", "B/s"),
            Limit::PeakF32 => ("f32 peak", "FLOP/s"),
            Limit::PeakF64 => ("f64 peak", "FLOP/s"),
        };
        self.results.push(Row {
            name: problem.name.clone(),
            size: problem.size.clone(),
            threads: timing.threads,
            seconds: timing.seconds,
            rate,
            unit,
            limit,
            limit_rate: timing.limit,
            share: rate / timing.limit,
            cpu_seconds: timing.cpu_seconds,
            cpu_share: timing
                .cpu_seconds
                .zip(timing.threads)
                .map(|(cpu, threads)| problem.work as f64 / cpu * threads as f64 / timing.limit),
            beside: timing.beside.clone(),
        });
    }

    pub(super) fn add_overhead(&mut self, overhead: Overhead) -> &OverheadRow {
        self.overheads.push(OverheadRow { name: overhead.name, seconds: overhead.seconds });
        &self.overheads[self.overheads.len() - 1]
    }

    /// The machine, and the heads of the columns.
    pub(super) fn write_limits(&self, out: &mut dyn Write) -> io::Result<()> {
        let style = Style::stdout();
        match &self.gpu {
            Some(gpu) => writeln!(out, "{}", printable(gpu))?,
            None => writeln!(out, "{}, {}", self.cpu, self.level)?,
        }
        for limits in &self.limits {
            writeln!(
                out,
                "  {:>10}  bandwidth {:6.1} GB/s  f32 peak {:7.1} GFLOP/s  f64 peak {:7.1} GFLOP/s",
                limits.threads.map_or_else(String::new, |threads| count(threads, "thread", "threads")),
                limits.bandwidth / 1e9,
                limits.peak_f32 / 1e9,
                limits.peak_f64 / 1e9
            )?;
        }
        let names = self.names;
        let head = format!("{:<names$}{:<20}{:>7} {:>10} {:>16}  share  busy    of its limit", "kernel", "size", "threads", "time", "rate");
        writeln!(out, "\n{}", style.strong(&head))
    }

    /// The newest row.
    pub(super) fn write_row(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(row) = self.results.last() else { return Ok(()) };
        let unit = format!("G{}", row.unit);
        let (name, size, time) = (&row.name, &row.size, duration(row.seconds));
        let threads = row.threads.map_or_else(|| "GPU".to_owned(), |threads| threads.to_string());
        let share = row.share * 100.0;
        let busy = row.cpu_share.map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", share * 100.0));
        let (rate, limit) = (row.rate / 1e9, row.limit_rate / 1e9);
        let (what, names) = (row.limit, self.names);
        writeln!(
            out,
            "{name:<names$}{size:<20}{threads:>7} {time:>10} {rate:>8.1} {unit:<7} {share:>5.0}% {busy:>5} {limit:>8.1} {unit:<7} {what}"
        )?;
        row.beside.iter().try_for_each(|other| {
            let Other { name, seconds, error } = other;
            match (seconds, error) {
                (Some(seconds), _) => {
                    let (time, speed) = (duration(*seconds), seconds / row.seconds);
                    writeln!(out, "  {name:<width$}{:>7} {time:>10}  the kernel has {speed:.2} of its speed", "", width = names + 18)
                }
                (None, error) => writeln!(out, "  {name}: {}", printable(error.as_deref().unwrap_or("not measured"))),
            }
        })
    }

    /// What the kernels ran on.
    pub(super) fn machine(&self) -> &str {
        self.gpu.as_deref().unwrap_or(&self.cpu)
    }
}

pub(super) fn write_overhead(out: &mut dyn Write, row: &OverheadRow) -> io::Result<()> {
    writeln!(out, "{:<49} {:>10}", row.name, format!("{:.1} us", row.seconds * 1e6))
}

pub(super) fn write_list(out: &mut dyn Write, problems: &[Problem]) -> io::Result<()> {
    let names = name_width(problems);
    problems.iter().try_for_each(|p| writeln!(out, "{:<names$}{}", p.name, p.size))
}

/// Wide enough for every name and a space.
fn name_width(problems: &[Problem]) -> usize {
    problems.iter().map(|problem| problem.name.len() + 1).max().unwrap_or(0).max(22)
}

/// What the system calls the CPU.
fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}
