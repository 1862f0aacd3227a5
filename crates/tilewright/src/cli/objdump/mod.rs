//! `tilewright objdump`: what every byte of a file means.

mod json;

use super::{
    exit::{Exit, Finding},
    input,
    output::TextSink,
};
use anyhow::bail;
use clap::ValueEnum;
use std::{
    fmt,
    io::{self, BufWriter},
    path::PathBuf,
};
use tilewright::bytecode::{
    self, Section,
    dump::{Select, TextOptions, dump, write_text},
};

/// Show what every byte of a bytecode file means
///
/// Each line gives an offset, the bytes there and their meaning: headers, tables, function records, and every field of every
/// operation. No byte is left out: padding and bytes that nothing refers to are shown as such. A broken file is shown as far as
/// it can be decoded, and further: after an error in a body, say, the next function is decoded again. Exit status 0 if the
/// file can be read.
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
    let bytes = input::read_bytes(&args.file)?;
    let verdict = bytecode::read(&bytes).map(drop);
    let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
    let found = if args.json {
        let mut document = json::Document::new(&mut out, bytes.len(), verdict.as_ref().err());
        let found = select(args, &bytes, &mut document);
        document.finish();
        found
    } else {
        let mut text = write_text(TextOptions::new().full(args.full), &mut out as &mut dyn fmt::Write);
        select(args, &bytes, &mut text)
    };
    out.finish()?;
    // Exit statuses come after the output, so that a broken file is shown first.
    match verdict {
        Err(error) => Err(Finding(format!("{}: {error}", input::name(&args.file))).into()),
        Ok(()) if found => Ok(Exit::Ok),
        Ok(()) => missing(args),
    }
}

/// Hands the wanted part to `visitor`; false if there is none.
fn select(args: &Args, bytes: &[u8], visitor: &mut dyn bytecode::dump::Visitor) -> bool {
    let mut select = Select::new(visitor).section(args.section.map(Section::from)).function(args.function.as_deref());
    dump(bytes, &mut select);
    select.has_found()
}

fn missing(args: &Args) -> anyhow::Result<Exit> {
    match (&args.function, args.section) {
        (Some(function), _) => bail!("there is no function '{function}' in what was asked for"),
        (None, Some(section)) => bail!("the file has no {}", Section::from(section)),
        (None, None) => Ok(Exit::Ok),
    }
}
