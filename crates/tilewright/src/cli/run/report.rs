//! What a run reports.

use super::blocks;
use crate::cli::output::{Style, complain_of, count, duration, write_json};
use serde::Serialize;
use std::io::{self, Write};
use tilewright::{
    case::{CaseReport, LaunchVerdict, OutputVerdict},
    exec,
    gpu::Target,
    ir::printable,
    profile::Profile,
    ptx::machine::Report,
};

/// The report on a run with arguments of the command line.
#[derive(Serialize)]
pub(super) struct KernelReport {
    entry: String,
    grid: [u32; 3],
    blocks: u64,
    /// None if no launch succeeded, or on a GPU.
    threads: Option<usize>,
    /// The GPU that ran it, and what it was compiled for; none if the CPU did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) device: Option<String>,
    plan_seconds: f64,
    launches: Vec<LaunchTime>,
    pub(super) files: Vec<WrittenFile>,
    /// What the kernel printed; only captured for JSON.
    pub(super) printed: Option<String>,
    pub(super) error: Option<String>,
    /// What the PTX machine counted and found, for each launch on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    machine: Vec<MachineReport>,
    /// What the launches took, together, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) profile: Option<Profile>,
    /// What the launches so far have measured.
    #[serde(skip)]
    pub(super) measured: Option<exec::Profile>,
}

/// What the PTX machine counted and found in a launch.
#[derive(Serialize)]
pub(super) struct MachineReport {
    target: &'static str,
    /// By warps.
    instructions: u64,
    barriers: u64,
    shared_accesses: u64,
    bank_conflicts: u64,
    findings: Vec<String>,
}

impl MachineReport {
    pub(super) fn new(target: Target, report: &Report) -> MachineReport {
        let barriers = report.counts.iter().filter(|count| count.form.starts_with("bar"));
        MachineReport {
            target: target.name(),
            instructions: report.instructions,
            barriers: barriers.map(|count| count.warps).sum(),
            shared_accesses: report.shared.accesses,
            bank_conflicts: report.shared.conflicts,
            findings: report.findings.iter().map(ToString::to_string).collect(),
        }
    }
}

#[derive(Serialize)]
struct LaunchTime {
    seconds: f64,
}

/// A buffer that was written to a file.
#[derive(Serialize)]
pub(super) struct WrittenFile {
    pub(super) parameter: usize,
    pub(super) file: String,
    #[serde(rename = "type")]
    pub(super) ty: String,
}

impl KernelReport {
    pub(super) fn new(entry: &str, grid: [u32; 3], plan_seconds: f64) -> KernelReport {
        KernelReport {
            entry: entry.to_owned(),
            grid,
            blocks: blocks(grid),
            threads: None,
            device: None,
            plan_seconds,
            launches: Vec::new(),
            files: Vec::new(),
            printed: None,
            error: None,
            machine: Vec::new(),
            profile: None,
            measured: None,
        }
    }

    pub(super) fn add_machine(&mut self, report: MachineReport) {
        self.machine.push(report);
    }

    /// Whether the PTX machine found something in a launch.
    pub(super) fn has_findings(&self) -> bool {
        self.machine.iter().any(|launch| !launch.findings.is_empty())
    }

    pub(super) fn add_launch(&mut self, seconds: f64, threads: Option<usize>) {
        self.launches.push(LaunchTime { seconds });
        self.threads = threads;
    }

    /// Writes the report to stdout, and a failure to stderr.
    pub(super) fn write(&self, json: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if json {
            return write_json(&mut out, self);
        }
        if let Some(error) = &self.error {
            out.flush()?;
            complain_of(error);
            return Ok(());
        }
        let times: Vec<f64> = self.launches.iter().map(|l| l.seconds).collect();
        let style = Style::stdout();
        writeln!(out, "{}  {}", style.strong(&printable(&self.entry).to_string()), summary(self.grid, self.threads))?;
        write_device(&mut out, self.device.as_deref())?;
        writeln!(out, "  plan    {}", duration(self.plan_seconds))?;
        writeln!(out, "  launch  {}", time_text(&times))?;
        // Launches differ in the order of their warps only.
        if let Some(machine) = self.machine.first() {
            let MachineReport { target, instructions, barriers, shared_accesses, bank_conflicts, .. } = machine;
            writeln!(out, "  PTX     for {target}: warps carried out {instructions} instructions, {barriers} of them barriers")?;
            writeln!(out, "  shared  {shared_accesses} accesses to shared memory, {bank_conflicts} bank conflicts")?;
        }
        for file in &self.files {
            writeln!(out, "  wrote   {}: parameter {}, {}", printable(&file.file), file.parameter, file.ty)?;
        }
        out.flush()
    }
}

fn summary(grid: [u32; 3], threads: Option<usize>) -> String {
    let [x, y, z] = grid;
    let threads = threads.map_or_else(String::new, |n| format!(", {}", count(n, "thread", "threads")));
    let n = blocks(grid);
    format!("grid {x},{y},{z} ({n} {}){threads}", if n == 1 { "block" } else { "blocks" })
}

fn write_device(out: &mut dyn Write, device: Option<&str>) -> io::Result<()> {
    device.map_or(Ok(()), |device| writeln!(out, "  GPU     {}", printable(device)))
}

/// One time, or the spread of several.
fn time_text(seconds: &[f64]) -> String {
    match seconds {
        [] => "none".to_owned(),
        [only] => duration(*only),
        _ => {
            let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
            let most = seconds.iter().copied().fold(0.0, f64::max);
            let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
            format!("{} times: best {}, mean {}, worst {}", seconds.len(), duration(least), duration(mean), duration(most))
        }
    }
}

/// Writes the report on a case to stdout.
pub(super) fn write_case(report: &CaseReport, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        return write_json(&mut out, report);
    }
    let style = Style::stdout();
    let times: Vec<f64> = report.launches.iter().map(|l| l.seconds).collect();
    writeln!(out, "{} {}  {}", style.strong(&printable(&report.case).to_string()), report.version, summary(report.grid, report.threads))?;
    write_device(&mut out, report.device.as_deref())?;
    writeln!(out, "  plan    {}", duration(report.plan_seconds))?;
    writeln!(out, "  launch  {}", time_text(&times))?;
    // Launches that went well are alike: the first speaks for them.
    for (i, launch) in report.launches.iter().enumerate().filter(|(i, launch)| *i == 0 || !launch.ok) {
        if report.launches.len() > 1 && !report.ok {
            writeln!(out, "  launch {} of {}:", i + 1, report.launches.len())?;
        }
        write_launch(&mut out, style, launch)?;
    }
    writeln!(out, "{}", if report.ok { style.good("pass") } else { style.bad("FAIL") })?;
    out.flush()
}

fn write_launch(out: &mut dyn Write, style: Style, launch: &LaunchVerdict) -> io::Result<()> {
    let mut line = |ok: bool, text: &str| {
        let mark = if ok { style.good("ok  ") } else { style.bad("FAIL") };
        writeln!(out, "  {mark}    {}", printable(text).lines())
    };
    if let Some(failure) = &launch.failure {
        match &failure.found {
            _ if failure.ok => line(true, &format!("failed as it must: {}", failure.expected))?,
            Some(found) => line(false, &format!("must fail with {}, but failed with: {found}", failure.expected))?,
            None => line(false, &format!("must fail with {}, but did not fail", failure.expected))?,
        }
    } else if let Some(error) = &launch.error {
        line(false, error)?;
    }
    for output in &launch.outputs {
        line(output.ok, &output_text(output))?;
    }
    for input in launch.inputs.iter().filter(|input| !input.unchanged) {
        line(false, &format!("{}: the kernel may only read it, but it changed", input.param))?;
    }
    let unchanged: Vec<&str> = launch.inputs.iter().filter(|i| i.unchanged).map(|i| i.param.as_str()).collect();
    if !unchanged.is_empty() {
        line(true, &format!("{}: unchanged", unchanged.join(", ")))?;
    }
    if let Some(stdout) = &launch.stdout {
        if stdout.ok {
            line(true, &format!("printed {} as expected", count(stdout.found.len(), "line", "lines")))?;
        } else {
            line(false, &format!("printed\n{}          expected\n{}", indented(&stdout.found), indented(&stdout.expected).trim_end()))?;
        }
    }
    Ok(())
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("            {line}\n")).collect()
}

fn output_text(output: &OutputVerdict) -> String {
    let shape: Vec<String> = output.shape.iter().map(u64::to_string).collect();
    let name = format!("{}: {}[{}]", output.param, output.dtype, shape.join("x"));
    let Some(worst) = &output.worst else { return format!("{name} equal") };
    if output.ok {
        let share = output.largest_of_tolerance * 100.0;
        return format!("{name} largest error {:.3e}, {share:.1}% of tolerance at {:?}", output.largest_error, worst.index);
    }
    let elements: u64 = output.shape.iter().product();
    let share = if output.largest_of_tolerance.is_finite() {
        format!(", {:.1} times the tolerance", output.largest_of_tolerance)
    } else {
        String::new()
    };
    format!(
        "{name} {} of {elements} elements out of tolerance; worst at {:?}: expected {}, found {}{share}",
        output.mismatches, worst.index, worst.expected, worst.found
    )
}
