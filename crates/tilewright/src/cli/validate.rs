//! `tilewright validate`: whether modules keep the rules.

use super::{
    exit::Exit,
    input::{self, Source},
    output::{Style, count},
};
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};
use tilewright::{
    bytecode,
    ir::{self, Module, Severity},
    text,
};

/// Check that modules are well formed and keep the rules of their version
///
/// Prints a line for each file with the verdict, and below it every finding: the rule in brackets, the operation, what was
/// expected and what was found, and the source location where the module has one. Exit status 0 if all are valid.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright validate kernel.tilebc
  tilewright validate build/*.tilebc
  tilewright validate - < kernel.tilebc")]
pub(super) struct Args {
    /// Bytecode files; '-' reads stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
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

fn validate(path: &Path, style: Style, out: &mut dyn Write) -> io::Result<Exit> {
    let name = input::name(path);
    let bytes = match input::read_bytes(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            writeln!(out, "{name}: {}: {}", style.bad("unreadable"), error.root_cause())?;
            return Ok(Exit::Failure);
        }
    };
    let source = Source::of(&bytes);
    let module = match source {
        Source::Bytecode => bytecode::read(&bytes).map_err(|error| format!(": {error}")),
        Source::Text(text) => text::parse(text, &text::ParseOptions::new()).map_err(|errors| {
            let file = name.to_string();
            errors.iter().map(|error| format!("\n{}", error.render(text, &file).trim_end())).collect()
        }),
    };
    let module = match module {
        Ok(module) => module,
        Err(error) => {
            writeln!(out, "{name}: {}{error}", style.bad("malformed"))?;
            return Ok(Exit::Findings);
        }
    };
    match ir::try_verify(module) {
        Ok(module) => {
            writeln!(out, "{name}: {}, {}", style.good("valid"), summary(&module))?;
            Ok(Exit::Ok)
        }
        Err(rejected) => {
            let errors = rejected.findings.iter().filter(|f| f.severity == Severity::Error).count();
            writeln!(out, "{name}: {}, {}", style.bad("invalid"), count(errors, "error", "errors"))?;
            for finding in input::told(path, source, *rejected) {
                writeln!(out, "{finding}")?;
            }
            Ok(Exit::Findings)
        }
    }
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
