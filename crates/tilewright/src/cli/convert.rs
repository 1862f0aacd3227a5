//! `tilewright convert`: between text and bytecode, and from version to version.

use super::{
    emit,
    exit::Exit,
    input::{File, shown},
    mlir,
};
use anyhow::bail;
use std::path::PathBuf;
use tilewright::{
    bytecode::{self, FileLayout, Refusal, Style, WriteOptions},
    ir::{self, Version},
};

/// Convert a module between text and bytecode, and between versions
///
/// The input is bytecode or text, whichever it is. The output is bytecode, or text with --text. A bytecode file that is written
/// at its own version comes out the same, byte for byte; --fresh lays it out anew. What a version cannot express is refused, with
/// the operation and the feature named. MLIR bytecode is written as MLIR bytecode, at its own version byte for byte, or at another with
/// --to mlir-bytecode=N; text in MLIR's generic form becomes such bytecode. A module of the cuda_tile dialect in MLIR bytecode becomes
/// Tile IR, and Tile IR one of the other with --to mlir-bytecode.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright convert kernel.mlir -o kernel.tilebc          text to bytecode of the latest version
  tilewright convert kernel.tilebc --to 13.1 -o old.tilebc bytecode for an older driver
  tilewright convert kernel.tilebc --text -o kernel.mlir   bytecode to text, like 'print'
  tilewright convert m.mlirbc --to mlir-bytecode=4 -o o.bc MLIR bytecode for an older MLIR
  tilewright convert model.mlir -o model.mlirbc            MLIR's generic form of any dialect to MLIR bytecode
  tilewright convert kernel.mlirbc -o kernel.tilebc        the cuda_tile dialect in MLIR bytecode to Tile IR
  tilewright convert k.tilebc --to mlir-bytecode -o k.bc   and back")]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    file: PathBuf,
    /// Where to write; '-' writes stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Version to write, such as 13.1; left out: that of the input, or the latest for text. For MLIR bytecode: mlir-bytecode=N, with N from
    /// 0 to 6, or mlir-bytecode for that of the input, or the latest
    #[arg(long, value_name = "VERSION")]
    to: Option<Target>,
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

/// What to write.
#[derive(Clone, Copy)]
enum Target {
    TileIr(Version),
    /// At its own version if none is given.
    Mlir(Option<tilewright::mlir::Version>),
}

impl std::str::FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        match text.strip_prefix("mlir-bytecode") {
            Some("") => Ok(Target::Mlir(None)),
            Some(version) if version.starts_with('=') => version[1..].parse().map(|version| Target::Mlir(Some(version))),
            _ => text.parse().map(Target::TileIr).map_err(|error: <Version as std::str::FromStr>::Err| error.to_string()),
        }
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let input = File::read(&args.file)?;
    let to = match args.to {
        _ if mlir::is_mlir(&input) => return from_mlir(args, &input),
        Some(Target::Mlir(_)) if mlir::is_generic_form(&input) => return from_mlir(args, &input),
        Some(Target::Mlir(version)) => {
            let module = input.source().module(None).map_err(|error| input.without_module(&error))?;
            let module = ir::try_verify(module).map_err(|rejected| input.invalid(*rejected))?;
            return mlir::convert(&input, &mlir::of_tile_ir(&input, &module)?, version, false, &args.output);
        }
        Some(Target::TileIr(version)) => Some(version),
        None => None,
    };
    let source = input.source();
    let (module, layout) =
        if args.fresh || args.text { source.module(to).map(|module| (module, None)) } else { source.module_with_layout(to) }
            .map_err(|error| input.without_module(&error))?;
    write_tile_ir(args, &input, module, layout.as_ref(), to)
}

/// MLIR becomes MLIR bytecode or text, or, if it is of the cuda_tile dialect and nothing else is asked for, Tile IR.
fn from_mlir(args: &Args, input: &File) -> anyhow::Result<Exit> {
    let module = mlir::read(input)?;
    let is_tile_ir = tilewright::mlir::tile_ir::is_tile_ir(&module);
    match args.to {
        Some(Target::Mlir(version)) => mlir::convert(input, &module, version, args.text, &args.output),
        None if !is_tile_ir => mlir::convert(input, &module, None, args.text, &args.output),
        Some(Target::TileIr(version)) if !is_tile_ir => {
            bail!("{} is MLIR of other dialects than cuda_tile, which cannot be written as Tile IR {version}", shown(&args.file))
        }
        Some(Target::TileIr(version)) => write_tile_ir(args, input, mlir::tile_ir(input, &module, Some(version))?, None, Some(version)),
        None => write_tile_ir(args, input, mlir::tile_ir(input, &module, None)?, None, None),
    }
}

fn write_tile_ir(args: &Args, input: &File, module: ir::Module, layout: Option<&FileLayout>, to: Option<Version>) -> anyhow::Result<Exit> {
    let version = to.unwrap_or(module.version);
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
    if let Some(layout) = layout {
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
