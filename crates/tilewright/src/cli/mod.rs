//! The command `tilewright`: what it accepts, and how every subcommand ends.
//!
//! The binary is no more than [`main`], and so is `python -m tilewright`.
//!
//! Results go to stdout, complaints to stderr. [`Exit`] lists the exit statuses. A reader of stdout that goes away ends the
//! command quietly.

mod bench;
mod called;
mod check;
mod compile;
mod convert;
mod diff;
mod emit;
mod exit;
mod expanded;
mod explain;
mod input;
mod litmus;
mod lsp;
mod machine;
mod mlir;
mod objdump;
mod ops;
mod opt;
mod output;
mod plan;
mod print;
mod progress;
mod run;
mod sarif;
mod shell;
mod stats;
mod validate;

pub use check::finding_text;
pub use exit::Exit;

use called::Called;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, error::ErrorKind};
use exit::Finding;
use output::{complain_of, is_closed_pipe, show_report};
use std::{
    ffi::OsString,
    io::{self, Write as _},
};
use tilewright::ir::printable;

/// Reads, checks, explains and runs CUDA Tile IR on any machine, without a GPU.
#[derive(Parser)]
#[command(version, max_term_width = 110, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  tilewright print kernel.tilebc                  show a module as text
  tilewright convert kernel.mlir -o kernel.tilebc text to bytecode, or one version to another
  tilewright validate build/*.tilebc              check many modules
  tilewright objdump kernel.tilebc                show what every byte means
  tilewright opt -O kernel.tilebc -o out.tilebc   improve a module with passes
  tilewright diff old.tilebc new.tilebc           compare modules, operation by operation
  tilewright stats kernel.tilebc                  count operations, flops and bytes
  tilewright plan kernel.tilebc                   show what the engine makes of a kernel
  tilewright litmus mp.litmus                     what the memory model allows
  tilewright compile kernel.tilebc -o kernel.ptx  compile a kernel to PTX
  tilewright ops addf                             explain an operation
  tilewright run kernel.tilebc --grid 8 @x.npy i32:1024 f32[1024] -o 2=y.npy
  tilewright run --case tests/corpus/cases/softmax_rows
                                                  run a kernel on known data and judge the result
  tilewright check kernel.tilebc --grid 8 f32[1024] find undefined behaviour: races, bounds, promises
  tilewright bench                                measure kernels against the machine's limits

'tilewright COMMAND --help' says more about each.

Exit status: 0 success; 1 the input was found wrong: an invalid module, a failed launch, a wrong result, undefined behaviour, modules \
that differ; \
2 wrong usage, or a file that cannot be read or written.";

#[derive(Subcommand)]
enum Command {
    Print(print::Args),
    Convert(convert::Args),
    Validate(validate::Args),
    Explain(explain::Args),
    Objdump(objdump::Args),
    Opt(opt::Args),
    Diff(diff::Args),
    Stats(stats::Args),
    Plan(plan::Args),
    Litmus(litmus::Args),
    Compile(compile::Args),
    Ops(ops::Args),
    Run(run::Args),
    Check(check::Args),
    Bench(bench::Args),
    Lsp(lsp::Args),
    Completions(shell::CompletionArgs),
    Man(shell::ManArgs),
}

/// Runs a command: the name that it is called by, then its arguments. The name may be several words, such as `python -m tilewright`.
///
/// What it prints is flushed, and its exit status is for the caller to end the process with.
pub fn main(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let called = Called::new(&args);
    let exit = match parse(&called, &args) {
        Ok(cli) => run_command(cli.command, &called),
        Err(error) => {
            // The error quotes arguments: the same error about arguments that are printable.
            let shown: Vec<_> = args.iter().map(|argument| printable(argument.as_encoded_bytes()).to_string().into()).collect();
            let error = parse(&called, &shown).err().unwrap_or_else(|| not_unicode(&called, &args).unwrap_or(error));
            // Where that fails there is nobody left to tell.
            let _ = error.print();
            if error.use_stderr() { Exit::Failure } else { Exit::Ok }
        }
    };
    // As a binary does when it ends; a program that carries the command may end otherwise.
    match io::stdout().flush() {
        Err(error) if exit == Exit::Ok && error.kind() != io::ErrorKind::BrokenPipe => {
            complain_of(&told(&error.into()));
            Exit::Failure
        }
        _ => exit,
    }
}

/// The command line. A value may begin with a minus sign: what is wrong with a negative number is told then, not that it is no option.
fn command() -> clap::Command {
    let with_negative = |arg: clap::Arg| if arg.get_action().takes_values() { arg.allow_negative_numbers(true) } else { arg };
    Cli::command().mut_subcommands(|command| command.mut_args(with_negative))
}

/// The error that names the first argument that is no Unicode, if there is one: the parser's own names none.
fn not_unicode(called: &Called, args: &[OsString]) -> Option<clap::Error> {
    let argument = args.iter().skip(1).find(|argument| argument.to_str().is_none())?;
    let message = format!("'{}' is not UTF-8, as this argument has to be", printable(argument.as_encoded_bytes()));
    Some(called.rename(command()).error(ErrorKind::InvalidUtf8, message))
}

fn parse(called: &Called, args: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = called.rename(command());
    let mut matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

fn run_command(command: Command, called: &Called) -> Exit {
    let result = match command {
        Command::Print(args) => print::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Objdump(args) => objdump::run(&args),
        Command::Opt(args) => opt::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Litmus(args) => litmus::run(&args),
        Command::Compile(args) => compile::run(&args),
        Command::Ops(args) => ops::run(&args),
        Command::Run(args) => run::run(args),
        Command::Check(args) => check::run(args, called),
        Command::Bench(args) => bench::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    };
    match result {
        Ok(exit) => exit,
        Err(error) if is_closed_pipe(&error) => Exit::Ok,
        Err(error) => {
            complain_of(&told(&error));
            let finding = error.downcast_ref::<Finding>();
            finding.into_iter().flat_map(Finding::shown).for_each(|report| show_report(report));
            finding.map_or(Exit::Failure, Finding::exit)
        }
    }
}

/// What is told of an error. One of the system that nothing says more of is stdout's, since all other files are named.
fn told(error: &anyhow::Error) -> String {
    let is_stdout = error.chain().len() == 1 && error.is::<io::Error>();
    if is_stdout { format!("cannot write stdout: {error}") } else { format!("{error:#}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
