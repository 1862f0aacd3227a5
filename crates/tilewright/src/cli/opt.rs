//! `tilewright opt`: passes on modules.

use super::{
    emit,
    exit::Exit,
    input::File,
    output::{complain, duration},
};
use std::{fmt::Write as _, path::PathBuf};
use tilewright::{
    bytecode::{self, WriteOptions},
    ir::{self, Module, Version},
    passes::{PASSES, Pipeline, Report, RunOptions, Step},
    text::{self, PrintOptions},
};

/// Improve a module with passes
///
/// The passes run in the order in which -p names them; -O stands for the usual ones. What they make is verified, and means what the
/// module meant. The output is bytecode, or text with --text.
#[derive(clap::Args)]
#[command(after_help = after_help(), group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    file: PathBuf,
    /// Where to write; '-' writes stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Passes to run, in this order: 'name,name(option=number),...'
    #[arg(short, long, value_name = "PIPELINE", group = "what")]
    passes: Option<String>,
    /// Run the usual passes
    #[arg(short = 'O', group = "what")]
    optimize: bool,
    /// Version to write; left out: that of the input, or the latest for text
    #[arg(long, value_name = "VERSION")]
    to: Option<Version>,
    /// Write text
    #[arg(long)]
    text: bool,
    /// Print the module to stderr after each pass, or after the passes of this name
    #[arg(long, value_name = "PASS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    print_after: Option<String>,
    /// Print to stderr what each pass changed
    #[arg(long)]
    statistics: bool,
    /// Print to stderr how long each pass took
    #[arg(long)]
    timing: bool,
    /// Verify the module after each pass, not only at the end
    #[arg(long)]
    verify_each: bool,
}

/// The passes, and examples.
fn after_help() -> String {
    let mut help = "Passes:\n".to_owned();
    let width = PASSES.iter().map(|pass| pass.name.len()).max().unwrap_or(0);
    for pass in PASSES {
        let _ = writeln!(help, "  {:width$}  {}", pass.name, pass.summary);
        for option in pass.options {
            let _ = writeln!(help, "  {:width$}    {}: {} (default {})", "", option.name, option.summary, option.default);
        }
    }
    let usual = Pipeline::DEFAULT;
    let _ = write!(
        help,
        "\n-O stands for: {usual}\n\n\
Examples:
  tilewright opt -O kernel.tilebc -o better.tilebc
  tilewright opt -p cse,dce kernel.mlir --text -o -       two passes, and the text that they make
  tilewright opt -O --statistics kernel.tilebc -o -       what each pass changed"
    );
    help
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let pipeline = match &args.passes {
        Some(passes) => Pipeline::parse(passes)?,
        None => Pipeline::default_passes(),
    };
    if let Some(name) = args.print_after.as_deref().filter(|name| !name.is_empty()) {
        tilewright::passes::find_or_suggest(name).map_err(anyhow::Error::msg)?;
    }
    let input = File::read(&args.file)?;
    let mut module = input.source().module(args.to).map_err(|error| input.without_module(&error))?;
    module.version = module.version.max(args.to.unwrap_or(module.version));
    let module = ir::try_verify(module).map_err(|rejected| input.invalid(*rejected))?;
    let mut print = |step: &Step, module: &Module| {
        if args.print_after.as_deref().is_some_and(|name| name.is_empty() || name == step.info().name) {
            complain(&format!("// after {step}\n{}", text::print(module, &PrintOptions::new())));
        }
    };
    let mut options = RunOptions::new().after(&mut print);
    if args.verify_each {
        options = options.verify_each(true);
    }
    let (module, report) = pipeline.run(module, options)?;
    if args.statistics || args.timing {
        complain(&told(&report, args));
    }
    if args.text {
        return emit::text(&module, &args.output);
    }
    let options = WriteOptions::new(args.to.unwrap_or(module.version));
    let written = bytecode::write(&module, &options).map_err(|error| input.finding(error))?;
    emit::bytecode(&written, &args.output)
}

/// What the passes did, a line for each.
fn told(report: &Report, args: &Args) -> String {
    let width = report.steps.iter().map(|step| step.pass.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for step in &report.steps {
        let mut line = format!("{:width$}", step.pass);
        if args.timing {
            let _ = write!(line, "  {:>9}", duration(step.time.as_secs_f64()));
        }
        if args.statistics {
            let changes = if step.changes.is_empty() { "nothing to do".to_owned() } else { step.changes.to_string() };
            let _ = write!(line, "  {} -> {} operations: {changes}", step.ops_before, step.ops_after);
        }
        lines.push(line);
    }
    lines.join("\n")
}
