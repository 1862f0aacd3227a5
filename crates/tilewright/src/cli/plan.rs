//! `tilewright plan`: what the engine makes of an entry.

mod assembly;

use super::{
    exit::{Exit, Finding},
    input::File,
    output::TextSink,
    run::choose_entry_of,
};
use anyhow::Context as _;
use std::{
    fmt::Write as _,
    io::{self, BufWriter},
    path::PathBuf,
};
use tilewright::{
    environment,
    exec::{self, PLAN_PASSES, PlanError, PlanPass, Program, TargetMachine},
    passes::coarsen::Coarsening,
};

/// Show the plan of a kernel
///
/// A plan is what the engine runs: code for a machine whose instructions work on whole tiles. With --after, it is shown as it is after a
/// pass that makes it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright plan kernel.tilebc
  tilewright plan kernel.tilebc --after lower     before any pass changed it
  tilewright plan kernel.tilebc --emit vector     the vector code of its fused regions
  tilewright plan kernel.tilebc --emit asm        their machine code, beside the vector code that it does
  tilewright plan kernel.tilebc --emit asm --level neon
                                                  the same for AArch64
  tilewright plan kernel.tilebc --group x:8       the plan by which eight neighbours run as one block
  tilewright plan --passes                        the passes, in their order")]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    #[arg(required_unless_present = "passes")]
    file: Option<PathBuf>,
    /// The entry, if the module has several
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Show the plan after this pass
    #[arg(long, value_name = "PASS")]
    after: Option<String>,
    /// What to show
    #[arg(long, value_enum, default_value = "plan", conflicts_with = "after")]
    emit: Emit,
    /// Plan for a CPU of this level, which this machine has to have, but for neon [default: its best]
    #[arg(long, value_enum)]
    level: Option<Level>,
    /// Plan for groups of so many neighbouring blocks along an axis, a power of two, as x:8
    #[arg(long, value_name = "AXIS:BLOCKS", value_parser = group)]
    group: Option<Coarsening>,
    /// List the passes
    #[arg(long, conflicts_with_all = ["file", "entry", "after", "emit", "level", "group"])]
    passes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// The plan
    Plan,
    /// The vector code of its fused regions, as far as this CPU has them
    Vector,
    /// The machine code of its fused regions
    Asm,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Level {
    /// What every CPU of the architecture has
    Baseline,
    /// AVX2, FMA and F16C
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL besides, and FP16 where this CPU has it
    Avx512,
    /// AArch64 with NEON, on any machine
    Neon,
}

/// What to plan for.
fn machine(level: Option<Level>) -> anyhow::Result<TargetMachine> {
    let Some(level) = level else { return Ok(environment::machine()?) };
    let level = match level {
        Level::Baseline => exec::Level::Baseline,
        Level::Avx2 => exec::Level::Avx2,
        Level::Avx512 => exec::Level::Avx512,
        Level::Neon => return Ok(TargetMachine::neon()),
    };
    TargetMachine::at(level).with_context(|| format!("this CPU does not have {}: leave --level out, or take a lower one", level.name()))
}

/// How blocks are grouped, of `AXIS:BLOCKS`.
fn group(text: &str) -> Result<Coarsening, String> {
    let wrong = || format!("expected an axis and a power of two such as 'x:8', found '{text}'");
    let (axis, blocks) = text.split_once(':').ok_or_else(wrong)?;
    let axis = ["x", "y", "z"].iter().position(|name| *name == axis).ok_or_else(wrong)?;
    let factor = blocks.parse().ok().filter(|blocks: &u32| blocks.is_power_of_two() && *blocks > 1).ok_or_else(wrong)?;
    Ok(Coarsening { axis, factor })
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let text = match &args.file {
        Some(file) if !args.passes => listing(&File::read(file)?, args)?,
        _ => passes(),
    };
    let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
    // A failure to write is kept in the sink, with its cause.
    let _ = out.write_str(&text);
    out.finish()?;
    Ok(Exit::Ok)
}

fn listing(input: &File, args: &Args) -> anyhow::Result<String> {
    let after = args.after.as_deref().map(PlanPass::find_or_suggest).transpose().map_err(anyhow::Error::msg)?;
    let program = Program::new(input.verified()?).for_machine(machine(args.level)?);
    let program = if let Some(coarsening) = args.group { program.in_groups(coarsening) } else { program };
    let entry = choose_entry_of(program.module(), args.entry.as_deref())?;
    let refused = |error: PlanError| Finding::new(error.to_string());
    if let Some(pass) = after {
        return Ok(program.plan_after(&entry, pass).map_err(refused)?);
    }
    let plan = program.plan(&entry).map_err(refused)?;
    Ok(match args.emit {
        Emit::Plan => plan.to_string(),
        Emit::Vector => plan.regions().map(|region| format!("// instruction {}\n{}\n", region.instruction, region.vector)).collect(),
        Emit::Asm => plan.regions().map(|region| assembly::listing(&region)).collect(),
    })
}

/// The passes, a line for each.
fn passes() -> String {
    let width = PLAN_PASSES.iter().map(|pass| pass.name.len()).max().unwrap_or(0);
    PLAN_PASSES.iter().map(|pass| format!("{:width$}  {}\n", pass.name, pass.summary)).collect()
}
