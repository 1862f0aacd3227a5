//! `tilewright convert`: between text and bytecode, and from version to version.

use super::{
    exit::{Exit, Finding},
    input::{self, Source},
    output::{TextSink, printing_threads, write_file},
};
use anyhow::{Context as _, bail};
use std::{
    io::{self, BufWriter, IsTerminal, Write},
    path::{Path, PathBuf},
};
use tilewright::{
    bytecode::{self, Refusal, Style, WriteOptions},
    ir::{self, VerifiedModule, Version},
    text::{self, PrintOptions},
};

/// Convert a module between text and bytecode, and between versions
///
/// The input is bytecode or text, whichever it is. The output is bytecode, or text with --text. A bytecode file that is written
/// at its own version comes out the same, byte for byte; --fresh lays it out anew. What a version cannot express is refused, with
/// the operation and the feature named.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright convert kernel.mlir -o kernel.tilebc          text to bytecode of the latest version
  tilewright convert kernel.tilebc --to 13.1 -o old.tilebc bytecode for an older driver
  tilewright convert kernel.tilebc --text -o kernel.mlir   bytecode to text, like 'print'")]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    file: PathBuf,
    /// Where to write; '-' writes stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Version to write; left out: that of the input, or the latest for text
    #[arg(long, value_name = "VERSION")]
    to: Option<Version>,
    /// Write text
    #[arg(long)]
    text: bool,
    /// Do not keep the layout of a bytecode file
    #[arg(long)]
    fresh: bool,
    /// Order of sections and tables in a fresh file
    #[arg(long, value_enum, default_value = "cutile")]
    style: StyleName,
}

/// The known orders.
#[derive(Clone, Copy, clap::ValueEnum)]
enum StyleName {
    /// That of cuTile Python
    Cutile,
    /// That of NVIDIA's C++ writer
    Cpp,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let bytes = input::read_bytes(&args.file)?;
    let source = input::Source::of(&bytes);
    let (module, layout) = match source {
        Source::Bytecode if !args.fresh && !args.text => {
            let (module, layout) = bytecode::read_with_layout(&bytes).map_err(|e| Finding(format!("{}: {e}", input::name(&args.file))))?;
            (module, Some(layout))
        }
        _ => (input::decode_source(&args.file, &bytes, source, args.to)?, None),
    };
    let version = args.to.unwrap_or(module.version);
    let module = with_version(module, version);
    if args.text {
        return write_text(&input::verified(&args.file, source, module)?, &args.output);
    }
    let style = match args.style {
        StyleName::Cutile => Style::Cutile,
        StyleName::Cpp => Style::Cpp,
    };
    let mut options = WriteOptions::new(version).style(style);
    if let Some(layout) = &layout {
        options = options.layout(layout);
    }
    let written = bytecode::verify_and_write(module, &options).map_err(|refusal| match refusal {
        Refusal::Invalid(rejected) => input::invalid(&args.file, source, *rejected),
        Refusal::Unwritable(error) => Finding(format!("{}: {error}", input::name(&args.file))),
    })?;
    if args.output == Path::new("-") {
        if io::stdout().is_terminal() {
            bail!("bytecode is not for a terminal: name a file with -o, or send the output elsewhere");
        }
        io::stdout().lock().write_all(&written)?;
        return Ok(Exit::Ok);
    }
    write_file(&args.output, |out| out.write_all(&written)).with_context(|| format!("cannot write {}", args.output.display()))?;
    Ok(Exit::Ok)
}

/// The module, to be checked by the rules of the newer of two versions: its own and the one to be written. The writer tells what
/// an older one lacks.
fn with_version(mut module: ir::Module, version: Version) -> ir::Module {
    module.version = module.version.max(version);
    module
}

fn write_text(module: &VerifiedModule, path: &Path) -> anyhow::Result<Exit> {
    let options = PrintOptions::new().threads(printing_threads());
    if path == Path::new("-") {
        let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
        // A failure to write is kept in the sink, with its cause.
        let _ = text::write(module, &options, &mut out);
        out.finish()?;
        return Ok(Exit::Ok);
    }
    let printed = text::print(module, &options);
    write_file(path, |out| out.write_all(printed.as_bytes())).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Exit::Ok)
}
