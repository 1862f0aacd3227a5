//! `tilewright diff`: how two modules differ.

use super::{
    exit::{Exit, Finding},
    input::File,
    mlir,
    output::{TextSink, write_json},
};
use anyhow::bail;
use serde::Serialize;
use std::{
    fmt::Write as _,
    io::{self, BufWriter},
    path::PathBuf,
};
use tilewright::{
    diff::{DiffOptions, diff, diff_mlir},
    ir::{Module, Version},
};

/// Compare two modules, operation by operation
///
/// The order of tables, the numbers of values, and source locations make no difference. Lines with '-' are gone, lines with '+'
/// are new; an operation that stands in both is shown with what changed. Numbers are positions in the function, in the
/// order of the text. Two files of MLIR, bytecode or text in the generic form, are compared in the same way. Exit status 0 if the modules are equal, 1 if they differ, 2 if one cannot be read.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright diff old.tilebc new.tilebc
  tilewright diff --locations old.tilebc new.tilebc
  tilewright diff kernel.tilebc kernel.mlir         bytecode and text
  tilewright diff --json old.tilebc - < new.tilebc")]
pub(super) struct Args {
    /// Bytecode or text to start from; '-' reads stdin
    old: PathBuf,
    /// Bytecode or text to compare it with; '-' reads stdin
    new: PathBuf,
    /// Compare source locations too
    #[arg(long)]
    locations: bool,
    /// Ignore source locations (the default)
    #[arg(long, conflicts_with = "locations")]
    ignore_locations: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if [&args.old, &args.new].iter().all(|path| path.as_os_str() == "-") {
        bail!("only one of the two modules can come from stdin");
    }
    let (old, new) = (File::read(&args.old)?, File::read(&args.new)?);
    let options = DiffOptions::new().locations(args.locations);
    if mlir::is_mlir(&old) || mlir::is_mlir(&new) {
        if let Some(other) = [&old, &new].into_iter().find(|file| !mlir::is_mlir(file)) {
            let other = other.source().name();
            bail!("one file is MLIR, but {other} is not: 'tilewright convert --to mlir-bytecode' makes MLIR of Tile IR");
        }
        let read = |file| mlir::read(file).map_err(Finding::failure);
        return show(&diff_mlir(&read(&old)?, &read(&new)?, &options), |difference| difference.equal, args.json);
    }
    // Text says no version: it has that of the other side.
    let version = old.source().version().or_else(|| new.source().version());
    let (old, new) = (read(&old, version)?, read(&new, version)?);
    show(&diff(&old, &new, &options), |difference| difference.equal, args.json)
}

/// Prints a difference.
fn show<D: Serialize + std::fmt::Display>(difference: &D, is_equal: impl Fn(&D) -> bool, json: bool) -> anyhow::Result<Exit> {
    if json {
        write_json(&mut BufWriter::new(io::stdout().lock()), difference)?;
    } else {
        let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
        // A failure to write is kept in the sink, with its cause.
        let _ = write!(out, "{difference}");
        out.finish()?;
    }
    Ok(if is_equal(difference) { Exit::Ok } else { Exit::Findings })
}

/// A module that cannot be read is no finding here: exit status 1 means a difference.
fn read(file: &File, version: Option<Version>) -> anyhow::Result<Module> {
    Ok(file.source().module(version).map_err(|error| file.without_module(&error).failure())?)
}
