//! `tilewright diff`: how two modules differ.

use super::{
    exit::Exit,
    input,
    output::{TextSink, write_json},
};
use anyhow::anyhow;
use std::{
    fmt::Write as _,
    io::{self, BufWriter},
    path::{Path, PathBuf},
};
use tilewright::{
    bytecode,
    diff::{DiffOptions, diff},
    ir::{Module, Version},
};

/// Compare two modules, operation by operation
///
/// The order of tables, the numbers of values, and source locations make no difference. Lines with '-' are gone, lines with '+'
/// are new; an operation that stands in both is shown with what changed. Numbers are positions in the function, in the
/// order of the text. Exit status 0 if the modules are equal, 1 if they differ, 2 if one cannot be read.
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
    let (old, new) = (input::read_bytes(&args.old)?, input::read_bytes(&args.new)?);
    // Text says no version: it has that of the other side.
    let version = version_of(&old).or_else(|| version_of(&new));
    let (old, new) = (read(&args.old, &old, version)?, read(&args.new, &new, version)?);
    let difference = diff(&old, &new, &DiffOptions::new().locations(args.locations));
    if args.json {
        write_json(&mut BufWriter::new(io::stdout().lock()), &difference)?;
    } else {
        let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
        // A failure to write is kept in the sink, with its cause.
        let _ = write!(out, "{difference}");
        out.finish()?;
    }
    Ok(if difference.equal { Exit::Ok } else { Exit::Findings })
}

/// The version of a bytecode file.
fn version_of(bytes: &[u8]) -> Option<Version> {
    let [major, minor, ..] = *bytes.strip_prefix(&bytecode::MAGIC)? else { return None };
    Version::from_numbers(major, minor)
}

/// A module that cannot be read is no finding here: exit status 1 means a difference.
fn read(path: &Path, bytes: &[u8], version: Option<Version>) -> anyhow::Result<Module> {
    input::decode(path, bytes, version).map_err(|error| anyhow!("{error:#}"))
}
