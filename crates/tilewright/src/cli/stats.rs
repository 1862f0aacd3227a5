//! `tilewright stats`: what a module holds, and what its kernels do.

use super::{
    exit::Exit,
    input::File,
    mlir,
    output::{TextSink, write_json},
};
use serde::Serialize;
use std::{
    fmt::Write as _,
    io::{self, BufWriter},
    path::PathBuf,
};
use tilewright::stats::{FileStats, Stats};

/// Count operations, flops and bytes
///
/// Shows where the bytes of a bytecode file go, which operations and types the module uses, and for each function the work of one
/// block: floating-point operations and bytes moved from and to memory. Loops with constant bounds are multiplied out; for others
/// the number of iterations is n0, n1, ... Both branches of an 'if' are counted, and whole tiles where an access is masked or
/// padded, so that numbers are upper bounds. Of MLIR of other dialects, operations, dialects and resources are counted.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright stats kernel.tilebc
  tilewright stats --json kernel.tilebc     with every operation and type")]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    /// None for text.
    file: Option<FileStats>,
    #[serde(flatten)]
    module: Stats,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let input = File::read(&args.file)?;
    if mlir::is_mlir(&input) {
        return mlir::stats(&input, args.json);
    }
    let source = input.source();
    let module = source.module(None).map_err(|error| input.without_module(&error))?;
    let file = (!source.is_text()).then(|| FileStats::of_file(input.bytes()));
    let report = Report { file, module: Stats::of_module(&module) };
    if args.json {
        write_json(&mut BufWriter::new(io::stdout().lock()), &report)?;
        return Ok(Exit::Ok);
    }
    let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
    // A failure to write is kept in the sink, with its cause.
    let _ = report.file.map_or(Ok(()), |file| write!(out, "{file}")).and_then(|()| write!(out, "{}", report.module));
    out.finish()?;
    Ok(Exit::Ok)
}
