//! `tilewright compile`: a kernel as PTX, and what is before and behind it.

mod explain;

use super::{
    emit,
    exit::{Exit, Finding},
    input::File,
    run::choose_entry_of,
};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};
use tilewright::{
    gpu::{Kernel, Target, compile, draw},
    ir::printable,
    ptxas::{Ptxas, PtxasError},
};

/// Compile a kernel to PTX
///
/// The PTX is for ptxas or the driver. No CUDA toolkit and no GPU are needed; only a cubin needs ptxas, which is looked for where
/// TILEWRIGHT_PTXAS says, on PATH, in a CUDA toolkit, and in Python environments ('pip install nvidia-cuda-nvcc'). An operation that is not covered is an error that names it;
/// docs/gpu.md lists them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright compile kernel.tilebc --target sm_90 -o kernel.ptx
  tilewright compile kernel.tilebc --emit cubin -o kernel.cubin
  tilewright compile kernel.tilebc --emit llvm -o k.ll     for llc
  tilewright compile kernel.tilebc --emit nvvm -o k.ll     for libNVVM
  tilewright compile kernel.tilebc --emit thread -o -      what one thread does, before it is PTX
  tilewright compile kernel.tilebc --emit layouts -o -     which register of which lane of which warp holds what
  tilewright compile kernel.tilebc --emit svg -o k.svg     the same, drawn
  tilewright compile kernel.tilebc --explain               what became of each operation, and why")]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    file: PathBuf,
    /// The GPU: sm_80, sm_86, sm_89, sm_90, sm_100 or sm_120
    #[arg(long, value_name = "GPU", default_value_t)]
    target: Target,
    /// The entry, if the module has several
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// What to write
    #[arg(long, value_enum, default_value = "ptx")]
    emit: Emit,
    /// Where to write; '-' writes stdout
    #[arg(short, long, value_name = "FILE", required_unless_present = "explain")]
    output: Option<PathBuf>,
    /// Say on stdout what became of each operation: layouts, accesses and their widths, changes of layout, barriers
    #[arg(long)]
    explain: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// PTX
    Ptx,
    /// Machine code, by ptxas
    Cubin,
    /// A module of LLVM, for llc
    Llvm,
    /// A module of LLVM, for libNVVM: before sm_100 that of LLVM 7, whose pointers have types
    Nvvm,
    /// Thread code
    Thread,
    /// The layouts of tiles
    Layouts,
    /// The layouts of tiles, drawn
    Svg,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let module = File::read(&args.file)?.verified()?;
    let entry = choose_entry_of(&module, args.entry.as_deref())?;
    let kernel = compile(&module, &entry, args.target).map_err(|error| Finding::new(format!("cannot compile: {error}")))?;
    let explained = if args.explain { explain::text(&kernel) } else { String::new() };
    let Some(output) = &args.output else { return emit::generated_text(explained.as_bytes(), Path::new("-")) };
    if args.explain {
        // What is asked for on stdout too comes behind it.
        emit::generated_text(explained.as_bytes(), Path::new("-"))?;
    }
    let text = match args.emit {
        Emit::Ptx => kernel.ptx(),
        Emit::Cubin => return emit::binary("a cubin", &assemble(&kernel.ptx(), args.target)?, output),
        Emit::Llvm => kernel.llvm(),
        Emit::Nvvm => kernel.nvvm(),
        Emit::Thread => kernel.code().to_string(),
        Emit::Layouts => layouts(&kernel),
        Emit::Svg => draw(kernel.layouts()),
    };
    emit::generated_text(text.as_bytes(), output)
}

fn assemble(ptx: &str, target: Target) -> anyhow::Result<Vec<u8>> {
    match Ptxas::find()?.assemble(ptx, target) {
        Err(error @ PtxasError::Refused(_)) => Err(Finding::new(error.to_string()).into()),
        done => Ok(done?),
    }
}

/// A line for each tile.
fn layouts(kernel: &Kernel) -> String {
    let mut text = String::new();
    for tile in kernel.layouts() {
        let _ = writeln!(text, "{} : {}  {}", tile.operation, printable(&tile.ty), tile.layout);
    }
    text
}
