//! `tilewright validate`: whether modules keep the rules.

mod report;

use super::{
    exit::Exit,
    input::{self, File},
    mlir,
    output::{Style, count, write_json},
};
use report::Verdict;
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};
use tilewright::{
    ir::{self, Module},
    source::SourceError,
};

/// Check that modules are well formed and keep the rules of their version
///
/// Prints a line for each file with the verdict, and below it the findings, up to the first 1000: the rule in brackets, the operation,
/// what was expected and what was found, and the source location where the module has one. 'tilewright explain RULE' tells more about
/// a rule. Text says no version, and is checked by the rules of the latest. Of MLIR bytecode, and of text of
/// other dialects in MLIR's generic form, the form is checked, not the rules of the dialects. Exit status 0 if all are valid, 1 if one is
/// not, 2 if one cannot be read.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright validate kernel.tilebc
  tilewright validate build/*.tilebc
  tilewright validate build/*.mlir --sarif > findings.sarif
  tilewright validate - < kernel.tilebc")]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Report for programs: a list of the files, each with its verdict and its findings
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Report for code review tools: SARIF 2.1.0
    #[arg(long)]
    sarif: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.json || args.sarif {
        return report_to_programs(args);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let style = Style::stdout();
    let mut worst = Exit::Ok;
    for path in &args.files {
        let exit = validate(path, style, &mut out)?;
        // An unreadable file outweighs an invalid one.
        if exit != Exit::Ok && worst != Exit::Failure {
            worst = exit;
        }
    }
    out.flush()?;
    Ok(worst)
}

fn report_to_programs(args: &Args) -> anyhow::Result<Exit> {
    let reports: Vec<report::Report> = args.files.iter().map(|path| report::of(path)).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    if args.sarif {
        write_json(&mut out, &report::sarif(&reports))?;
    } else {
        write_json(&mut out, &reports)?;
    }
    out.flush()?;
    let is = |wanted: &[Verdict]| reports.iter().any(|report| wanted.contains(&report.verdict));
    Ok(match () {
        () if is(&[Verdict::Unreadable]) => Exit::Failure,
        () if is(&[Verdict::Invalid, Verdict::Malformed, Verdict::NotTileIr]) => Exit::Findings,
        () => Exit::Ok,
    })
}

fn validate(path: &Path, style: Style, out: &mut dyn Write) -> io::Result<Exit> {
    let file = match File::read(path) {
        Ok(file) => file,
        Err(error) => {
            writeln!(out, "{}: {}: {}", input::name(path), style.bad("unreadable"), error.root_cause())?;
            return Ok(Exit::Failure);
        }
    };
    let source = file.source().look(style.look());
    let name = source.name();
    if mlir::is_mlir(&file) {
        return match mlir::summary(&file) {
            Ok(summary) => writeln!(out, "{name}: {}, {summary}", style.good("well formed")).map(|()| Exit::Ok),
            Err(error) => {
                writeln!(out, "{name}: {}{}", style.bad(&format!("malformed {}", mlir::noun(&file))), error.shown(&source))?;
                Ok(Exit::Findings)
            }
        };
    }
    let verdict = source.module(None).map(ir::try_verify);
    match verdict {
        Ok(Ok(module)) => {
            writeln!(out, "{name}: {}, {}", style.good("valid"), summary(&module))?;
            return Ok(Exit::Ok);
        }
        Ok(Err(rejected)) => {
            writeln!(out, "{name}: {}, {}", style.bad("invalid"), count(rejected.total, "error", "errors"))?;
            for finding in source.describe(*rejected) {
                writeln!(out, "{finding}")?;
            }
        }
        Err(SourceError::Foreign(kind)) => writeln!(out, "{name}: {}: {kind}", style.bad("not Tile IR"))?,
        Err(error) => writeln!(out, "{name}: {}: {error}", style.bad("malformed"))?,
    }
    Ok(Exit::Findings)
}

fn summary(module: &Module) -> String {
    let entries = module.functions.iter().filter(|f| f.is_entry).count();
    let globals = module.globals.len();
    let ops: usize = module.functions.iter().map(|f| f.body.num_ops()).sum();
    let mut parts = vec![format!("version {}", module.version), count(entries, "entry", "entries")];
    if globals > 0 {
        parts.push(count(globals, "global", "globals"));
    }
    parts.push(count(ops, "operation", "operations"));
    parts.join(", ")
}
