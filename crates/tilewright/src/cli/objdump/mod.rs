//! `tilewright objdump`: what every byte of a file means.

use super::{exit::Exit, input::File, mlir, output::TextSink};
use crate::dump_json::Document;
use anyhow::bail;
use clap::ValueEnum;
use std::{
    fmt,
    io::{self, BufWriter},
    path::PathBuf,
};
use tilewright::{
    bytecode::{
        self, FileKind, Section,
        dump::{Select, TextOptions, dump, write_text},
    },
    ir::{self, nearest, printable},
};

/// Show what every byte of a bytecode file means
///
/// Each line gives an offset, the bytes there and their meaning: headers, tables, function records, and every field of every
/// operation. No byte is left out: padding and bytes that nothing refers to are shown as such. A broken file is shown as far as
/// it can be decoded, and further: after an error in a body, say, the next function is decoded again. Exit status 0 if the
/// file can be read. MLIR bytecode is shown in the same way.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright objdump kernel.tilebc
  tilewright objdump kernel.tilebc --section type
  tilewright objdump kernel.tilebc --function softmax --json")]
pub(super) struct Args {
    /// Bytecode file; '-' reads stdin
    file: PathBuf,
    /// Show only this section
    #[arg(long, value_name = "NAME")]
    section: Option<SectionName>,
    /// Show only the record and the body of this function
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Show all bytes of long runs, which are cut after 64
    #[arg(long)]
    full: bool,
    /// Print JSON: groups with their items, in the order of the file
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SectionName {
    Header,
    String,
    Function,
    Debug,
    Constant,
    Type,
    Global,
    Producer,
}

impl From<SectionName> for Section {
    fn from(name: SectionName) -> Section {
        match name {
            SectionName::Header => Section::Header,
            SectionName::String => Section::String,
            SectionName::Function => Section::Function,
            SectionName::Debug => Section::Debug,
            SectionName::Constant => Section::Constant,
            SectionName::Type => Section::Type,
            SectionName::Global => Section::Global,
            SectionName::Producer => Section::Producer,
        }
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let input = File::read(&args.file)?;
    if mlir::is_bytecode(&input) {
        if args.json || args.section.is_some() || args.function.is_some() {
            bail!("--json, --section and --function are for Tile IR, but this is MLIR bytecode");
        }
        return mlir::objdump(&input, args.full);
    }
    let (bytes, kind) = (input.bytes(), input.source().kind());
    if let Some(container) = bytecode::Container::of(bytes) {
        io::Write::write_all(&mut io::stdout().lock(), container.to_string().as_bytes())?;
        return Err(input.finding(kind).into());
    }
    if !matches!(kind, FileKind::Bytecode | FileKind::CutOff | FileKind::Unknown) {
        return Err(input.finding(format_args!("expected Tile IR bytecode, but {kind}")).into());
    }
    let verdict = bytecode::read(bytes).map(drop);
    let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
    let found = if args.json {
        let mut document = Document::new(&mut out, bytes.len(), verdict.as_ref().err());
        let found = select(args, bytes, &mut document);
        document.finish();
        found
    } else {
        let mut text = write_text(TextOptions::new().full(args.full), &mut out as &mut dyn fmt::Write);
        select(args, bytes, &mut text)
    };
    out.finish()?;
    // Exit statuses come after the output, so that a broken file is shown first.
    match verdict {
        Err(error) => Err(input.finding(error).into()),
        Ok(()) if found => Ok(Exit::Ok),
        Ok(()) => missing(args, bytes),
    }
}

/// Hands the wanted part to `visitor`; false if there is none.
fn select(args: &Args, bytes: &[u8], visitor: &mut dyn bytecode::dump::Visitor) -> bool {
    let mut select = Select::new(visitor).section(args.section.map(Section::from)).function(args.function.as_deref());
    dump(bytes, &mut select);
    select.has_found()
}

fn missing(args: &Args, bytes: &[u8]) -> anyhow::Result<Exit> {
    match (&args.function, args.section) {
        (Some(function), Some(section)) if has_function(bytes, function) => {
            bail!("the {} holds nothing of function '{}'", Section::from(section), printable(function))
        }
        (Some(function), _) => bail!("there is no function '{}'{}", printable(function), hint(bytes, function)),
        (None, Some(section)) => bail!("the file has no {}", Section::from(section)),
        (None, None) => Ok(Exit::Ok),
    }
}

fn names(bytes: &[u8]) -> Vec<String> {
    let module = bytecode::read(bytes).ok();
    let names = |module: ir::Module| module.functions.iter().map(|f| module.tables.strings.text(f.name).into_owned()).collect();
    module.map(names).unwrap_or_default()
}

fn has_function(bytes: &[u8], function: &str) -> bool {
    names(bytes).iter().any(|name| name == function)
}

/// The function that was meant, or those that there are.
fn hint(bytes: &[u8], function: &str) -> String {
    /// Longer lists help nobody.
    const MAX_LISTED: usize = 8;
    let names = names(bytes);
    let near = nearest(function, names.iter().map(String::as_str));
    match near {
        Some(near) => format!("; did you mean '{}'?", printable(near)),
        None if names.is_empty() => ": the file has none".to_owned(),
        None if names.len() > MAX_LISTED => format!(" among the {} of the file", names.len()),
        None => format!("; the file has {}", names.iter().map(|name| printable(name).to_string()).collect::<Vec<_>>().join(", ")),
    }
}
