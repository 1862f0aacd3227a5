//! `tilewright convert`: between text and bytecode, and from version to version.

use super::{emit, exit::Exit, input::File};
use std::path::PathBuf;
use tilewright::{
    bytecode::{self, Refusal, Style, WriteOptions},
    ir::{self, Version},
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
    let input = File::read(&args.file)?;
    let source = input.source();
    let (module, layout) =
        if args.fresh || args.text { source.module(args.to).map(|module| (module, None)) } else { source.module_with_layout(args.to) }
            .map_err(|error| input.finding(error))?;
    let version = args.to.unwrap_or(module.version);
    let module = with_version(module, version);
    if args.text {
        let module = ir::try_verify(module).map_err(|rejected| input.invalid(*rejected))?;
        return emit::text(&module, &args.output);
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
        Refusal::Invalid(rejected) => input.invalid(*rejected),
        Refusal::Unwritable(error) => input.finding(error),
    })?;
    emit::bytecode(&written, &args.output)
}

/// The module, to be checked by the rules of the newer of two versions: its own and the one to be written. The writer tells what
/// an older one lacks.
fn with_version(mut module: ir::Module, version: Version) -> ir::Module {
    module.version = module.version.max(version);
    module
}
