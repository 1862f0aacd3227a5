//! `tilewright litmus`: what the memory model allows.

mod kernel;

use super::{
    exit::{Exit, Finding},
    input::File,
    output::{Style, count, write_json},
    run::{Grid, positive},
};
use serde::Serialize;
use std::{
    io::{self, BufWriter, Write},
    num::NonZeroUsize,
    path::PathBuf,
};
use tilewright::memory_model::{
    DEFAULT_LIMIT, Executions, RaceSide,
    litmus::{Litmus, ShownOutcome},
};

/// Enumerate all executions that the memory model allows
///
/// FILE is a litmus test: a few blocks of loads, stores and atomics on named locations, with orderings, scopes and tokens, and what is
/// expected of them; or, with --grid, a module with a small kernel, and ARG... are the entry's parameters as in 'tilewright run'.
/// All outcomes that the axioms of the memory model allow are printed, whatever an engine or a GPU does, and whether
/// two accesses are in a data race, which makes the program undefined. docs/memory-model.md states the model and the format. Exit status 1
/// if something is not as the test expects.
#[derive(clap::Args)]
#[command(
    after_help = "\
Examples:
  tilewright litmus mp.litmus
  tilewright litmus mp.litmus --can '1:%flag == 1 && 1:%data == 0'
  tilewright litmus --quiet tests/litmus/*.litmus
  tilewright litmus --module mp.litmus > mp.mlir
  tilewright litmus mp.mlir --grid 2 'i32[32]' 'i32[128]'
  tilewright litmus lock.mlir --grid 2 'i32[1]' 'i32[1]' --can 'arg1[0] == 1'",
    override_usage = "tilewright litmus [OPTIONS] FILE...\n       tilewright litmus [OPTIONS] --grid X[,Y[,Z]] FILE [ARG]..."
)]
pub(super) struct Args {
    /// Litmus tests, or a module and its arguments; '-' reads stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Enumerate a kernel of a module: tile blocks along x, y and z
    #[arg(long, value_name = "X[,Y[,Z]]")]
    grid: Option<Grid>,
    /// Entry of the module; needed where it has several
    #[arg(long, value_name = "NAME", requires = "grid")]
    entry: Option<String>,
    /// Follow each 'loop' of a kernel for so many rounds; executions that go on are left out
    #[arg(long, value_name = "N", requires = "grid", value_parser = positive, default_value = "2")]
    rounds: NonZeroUsize,
    /// Ask whether an execution can end like this
    #[arg(long, value_name = "CONDITION")]
    can: Option<String>,
    /// Show tests that are not as expected only
    #[arg(long, short)]
    quiet: bool,
    /// Give up after so many candidate executions
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_LIMIT)]
    limit: u64,
    /// Print the test as a module of Tile IR instead: @litmus(%memory, %values), a block for each block
    #[arg(long, conflicts_with_all = ["can", "quiet", "json"])]
    module: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

/// What is known about a test.
#[derive(Serialize)]
struct Report {
    name: String,
    outcomes: Vec<ReportedOutcome>,
    executions: u64,
    races: Vec<[ReportedSide; 2]>,
    /// The answer to `--can`.
    #[serde(skip_serializing_if = "Option::is_none")]
    can: Option<ReportedAnswer>,
    /// What is not as the test expects.
    surprises: Vec<String>,
    /// Whether longer loops were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

#[derive(Serialize)]
struct ReportedOutcome {
    outcome: String,
    executions: u64,
}

#[derive(Serialize)]
struct ReportedSide {
    block: usize,
    /// The line of a litmus test; kernels name the place in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    text: String,
}

#[derive(Serialize)]
struct ReportedAnswer {
    condition: String,
    answer: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(io::stdout().lock());
    if let Some(grid) = args.grid {
        let report = kernel::report(args, grid)?;
        if args.json {
            write_json(&mut out, &report)?
        } else {
            write_report(&report, Style::stdout(), &mut out)?
        }
        out.flush()?;
        return Ok(Exit::Ok);
    }
    let mut reports = Vec::new();
    for path in &args.files {
        if args.module {
            write!(out, "{}", litmus_of(&File::read(path)?)?.0.to_tile_ir())?;
            continue;
        }
        let report = report(&File::read(path)?, args)?;
        if !args.json && (!args.quiet || !report.surprises.is_empty()) {
            write_report(&report, Style::stdout(), &mut out)?;
        }
        reports.push(report);
    }
    if args.module {
        out.flush()?;
        return Ok(Exit::Ok);
    }
    if args.json {
        write_json(&mut out, &reports)?;
    } else if reports.len() > 1 {
        let surprising = reports.iter().filter(|report| !report.surprises.is_empty()).count();
        let verdict = if surprising == 0 { "all as expected".to_owned() } else { format!("{surprising} not as expected") };
        writeln!(out, "{}, {verdict}", count(reports.len(), "test", "tests"))?;
    }
    out.flush()?;
    Ok(if reports.iter().all(|report| report.surprises.is_empty()) { Exit::Ok } else { Exit::Findings })
}

/// The test of a file, and its text.
fn litmus_of(file: &File) -> anyhow::Result<(Litmus, &str)> {
    let other = "not a litmus test; a module is enumerated with --grid and the arguments of its entry";
    let text = std::str::from_utf8(file.bytes()).map_err(|_| file.finding(other))?;
    if !text.lines().any(|line| line.trim_start().starts_with("litmus ")) {
        return Err(file.finding(other).into());
    }
    Ok((Litmus::parse(text).map_err(|error| file.finding(error))?, text))
}

fn report(file: &File, args: &Args) -> anyhow::Result<Report> {
    let (mut litmus, text) = litmus_of(file)?;
    let asked = args.can.as_deref().map(|condition| litmus.condition(condition)).transpose();
    let asked = asked.map_err(|error| Finding::new(format!("--can: {}", error.message)))?;
    let executions = litmus.executions(args.limit).map_err(|error| file.finding(error))?;
    let outcome = |(outcome, executions): (&_, &u64)| ReportedOutcome {
        outcome: ShownOutcome(&litmus, outcome).to_string(),
        executions: *executions,
    };
    Ok(Report {
        name: litmus.name.clone(),
        outcomes: executions.outcomes.iter().map(outcome).collect(),
        executions: executions.count,
        races: races(&executions, text),
        can: asked.map(|condition| ReportedAnswer {
            condition: condition.text(&litmus),
            answer: executions.outcomes.keys().any(|outcome| condition.holds(outcome)),
        }),
        surprises: litmus.surprises(&executions),
        cut: false,
    })
}

fn races(executions: &Executions, text: &str) -> Vec<[ReportedSide; 2]> {
    let line = |site: usize| text.lines().nth(site - 1).unwrap_or_default();
    let side = |side: &RaceSide| ReportedSide {
        block: side.block,
        line: Some(side.site),
        text: line(side.site).split("//").next().unwrap_or_default().trim().to_owned(),
    };
    executions.races.iter().map(|(a, b)| [side(a), side(b)]).collect()
}

fn write_report(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let race = if report.races.is_empty() { "no data race" } else { "a data race: the program is undefined" };
    let (outcomes, executions) =
        (count(report.outcomes.len(), "outcome", "outcomes"), count(report.executions as usize, "execution", "executions"));
    writeln!(out, "{}: {outcomes} of {executions}, {race}", style.strong(&report.name))?;
    for outcome in &report.outcomes {
        writeln!(out, "  {}", outcome.outcome)?;
    }
    for [first, second] in &report.races {
        for (begin, side) in [("  race between", first), ("           and", second)] {
            let line = side.line.map_or(String::new(), |line| format!("line {line}: "));
            writeln!(out, "{begin} block {}, {line}{}", side.block, style.faint(&side.text))?;
        }
    }
    if let Some(asked) = &report.can {
        writeln!(out, "  {}: {}", if asked.answer { "can happen" } else { "cannot happen" }, asked.condition)?;
    }
    if report.cut {
        writeln!(out, "  executions with longer loops are left out; --rounds follows them further")?;
    }
    for surprise in &report.surprises {
        for line in surprise.lines() {
            writeln!(out, "  {} {line}", style.bad("surprise:"))?;
        }
    }
    Ok(())
}
