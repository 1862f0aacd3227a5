//! `tilewright print`: a module as text.

use super::{
    exit::Exit,
    expanded::SourceNotes,
    input::{File, shown},
    mlir,
    output::{TextSink, printing_threads},
};
use anyhow::bail;
use std::{
    io::{self, BufWriter},
    path::PathBuf,
};
use tilewright::{
    facts::FactNotes,
    text::{self, PrintOptions},
};

/// Show a module as text
///
/// The text is what NVIDIA's tileirdisasm prints. The module need only be readable, not valid: see 'validate'. MLIR bytecode of any
/// dialect, and text in MLIR's generic form, print in that form, as 'mlir-opt --mlir-print-op-generic' does. Text in the extended assembly prints
/// as the operations of Tile IR that it stands for; with --expanded, it is told which.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright print kernel.tilebc
  tilewright print --debug-info kernel.tilebc     with source locations
  tilewright print --expanded kernel.mlir         what becomes of which line
  cat kernel.tilebc | tilewright print -")]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    file: PathBuf,
    /// Wrap the text in 'cuda_tile.module', as other tools of the dialect read it
    #[arg(long)]
    module: bool,
    /// Print MLIR's generic form, which shows every attribute
    #[arg(long)]
    generic: bool,
    /// Print source locations
    #[arg(long)]
    debug_info: bool,
    /// Show what is known of each value, in comments: ranges, divisibility, groups of equal and of consecutive elements, and how often
    /// loops run. Needs a valid module
    #[arg(long)]
    facts: bool,
    /// Show in comments which line of a text in the extended assembly each operation was made for; see 'ops --extended'
    #[arg(long, conflicts_with_all = ["facts", "debug_info"])]
    expanded: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let input = File::read(&args.file)?;
    if args.expanded && !input.source().is_text() {
        bail!("--expanded is for text, but {} is none: only text has an extended assembly", shown(&args.file));
    }
    if mlir::is_mlir(&input) {
        if args.module || args.facts || args.expanded {
            bail!("--module, --facts and --expanded are for Tile IR, but {} is MLIR of other dialects", shown(&args.file));
        }
        return mlir::print(&input, args.debug_info);
    }
    let options = PrintOptions::new().module(args.module).generic(args.generic).debug_info(args.debug_info).threads(printing_threads());
    let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
    // A failure to write is kept in the sink, with its cause.
    if args.facts {
        let module = input.verified()?;
        let _ = text::write_with_notes(&module, &options, &FactNotes::new(&module), &mut out);
    } else if args.expanded {
        let module = input.source().located_module(None).map_err(|error| input.without_module(&error))?;
        let _ = text::write_with_notes(&module, &options, &SourceNotes::new(&module, input.bytes()), &mut out);
    } else {
        let module = input.source().module(None).map_err(|error| input.without_module(&error))?;
        let _ = text::write(&module, &options, &mut out);
    }
    out.finish()?;
    Ok(Exit::Ok)
}
