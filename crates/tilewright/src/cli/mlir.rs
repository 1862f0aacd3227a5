//! The commands on upstream MLIR bytecode: what `print`, `validate`, `stats` and `convert` do with a file that is some.

use super::{
    emit,
    exit::{Exit, Finding},
    input::File,
    output::{TextSink, count, printing_threads, write_json},
};
use serde::Serialize;
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};
use tilewright::{
    bytecode::FileKind,
    ir::{self, printable},
    mlir::{self, Module, PrintOptions, ReadOptions, Stats, Version},
    source::Source,
    text::{self, ParseError},
};

/// Whether a file is MLIR bytecode.
pub(super) fn is_bytecode(input: &File) -> bool {
    input.source().kind() == FileKind::MlirBytecode
}

/// Whether a file is MLIR bytecode, or text in MLIR's generic form of other dialects than Tile IR's.
pub(super) fn is_mlir(input: &File) -> bool {
    let is_text = |bytes| std::str::from_utf8(bytes).is_ok_and(mlir::is_text);
    is_bytecode(input) || (input.source().kind() == FileKind::Text && is_text(input.bytes()))
}

/// Whether a file is text in MLIR's generic form, of Tile IR or of other dialects.
pub(super) fn is_generic_form(input: &File) -> bool {
    input.source().kind() == FileKind::Text && std::str::from_utf8(input.bytes()).is_ok_and(mlir::is_generic_form)
}

pub(super) fn read(input: &File) -> Result<Module<'_>, Finding> {
    read_plain(input).map_err(|error| match error {
        Malformed::Bytecode(what) => input.finding(format_args!("malformed {}: {what}", noun(input))),
        Malformed::Text(error) => input.finding(format_args!("malformed {}", noun(input))).reports(vec![input.source().show(&error)]),
    })
}

/// What is wrong with a file of MLIR.
pub(super) enum Malformed {
    /// In a sentence.
    Bytecode(String),
    Text(Box<ParseError>),
}

impl Malformed {
    /// What stands behind a name and a verdict, in the look of the source.
    pub(super) fn shown(&self, source: &Source<'_>) -> String {
        match self {
            Malformed::Bytecode(what) => format!(": {what}"),
            Malformed::Text(error) => format!("\n{}", source.show(error)),
        }
    }
}

/// What MLIR is called in a file.
pub(super) fn noun(input: &File) -> &'static str {
    if is_bytecode(input) { "MLIR bytecode" } else { "MLIR text" }
}

/// The module, or what is wrong with the file.
fn read_plain(input: &File) -> Result<Module<'_>, Malformed> {
    if is_bytecode(input) {
        let read = ReadOptions::new().threads(printing_threads()).read(input.bytes());
        return read.map_err(|error| Malformed::Bytecode(error.to_string()));
    }
    let text = text::decode(input.bytes()).map_err(|error| Malformed::Text(Box::new(error)))?;
    mlir::parse(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(Malformed::Text)
}

/// Prints the generic form.
pub(super) fn print(input: &File, debug_info: bool) -> anyhow::Result<Exit> {
    let module = read(input)?;
    let mut out = BufWriter::new(io::stdout().lock());
    mlir::print_in_pieces(&module, &PrintOptions::new().debug_info(debug_info).threads(printing_threads()), &mut |piece| {
        out.write_all(piece)
    })?;
    out.flush()?;
    Ok(Exit::Ok)
}

/// What a module is, in a line; or why the file is none.
pub(super) fn summary(input: &File) -> Result<String, Malformed> {
    let module = read_plain(input)?;
    let operations = count(module.num_ops(), "operation", "operations");
    if !is_bytecode(input) {
        return Ok(format!("MLIR text, {operations}"));
    }
    let producer = printable(&module.producer).to_string();
    Ok(format!("MLIR bytecode version {}, {operations}, producer {producer}", module.version))
}

/// Writes an MLIR module at its own version, at another, or as text.
pub(super) fn convert(input: &File, module: &Module<'_>, version: Option<Version>, as_text: bool, output: &Path) -> anyhow::Result<Exit> {
    if as_text {
        let printed = mlir::print(module, &PrintOptions::new().debug_info(true));
        return emit::generated_text(printed.as_bytes(), output);
    }
    let written = mlir::write(module, version.unwrap_or(module.version)).map_err(|error| input.finding(error))?;
    emit::bytecode(&written, output)
}

/// The Tile IR module that an MLIR module of the cuda_tile dialect holds.
pub(super) fn tile_ir(input: &File, module: &Module<'_>, version: Option<ir::Version>) -> anyhow::Result<ir::Module> {
    let converted = mlir::tile_ir::from_mlir(module, version.unwrap_or(ir::Version::LATEST));
    Ok(converted.map_err(|error| input.finding(format_args!("its generic form is not that of a Tile IR module\n{error}")))?)
}

/// A Tile IR module as an MLIR module of the cuda_tile dialect.
pub(super) fn of_tile_ir(input: &File, module: &ir::Module) -> anyhow::Result<Module<'static>> {
    Ok(mlir::tile_ir::to_mlir(module).map_err(|error| input.finding(error))?)
}

/// Prints where bytes go and what the module holds.
pub(super) fn stats(input: &File, json: bool) -> anyhow::Result<Exit> {
    let module = read(input)?;
    let sections = match is_bytecode(input) {
        true => mlir::sections(input.bytes()).map_err(|error| input.finding(error))?,
        false => Vec::new(),
    };
    let stats = Stats::of(&module);
    if json {
        let report = Report::of(input, &module, &sections, &stats);
        write_json(&mut BufWriter::new(io::stdout().lock()), &report)?;
        return Ok(Exit::Ok);
    }
    let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
    // A failure to write is kept in the sink, with its cause.
    let _ = write_stats(&mut out, &module, input.bytes().len(), &sections, &stats);
    out.finish()?;
    Ok(Exit::Ok)
}

/// The counts as JSON.
#[derive(Serialize)]
struct Report {
    /// None for text.
    version: Option<u8>,
    producer: String,
    bytes: usize,
    sections: Vec<SizeReport>,
    blocks: usize,
    values: usize,
    attributes: usize,
    types: usize,
    operations: Vec<CountReport>,
    dialects: Vec<DialectReport>,
    resources: Vec<SizeReport>,
}

#[derive(Serialize)]
struct SizeReport {
    name: String,
    bytes: usize,
}

#[derive(Serialize)]
struct CountReport {
    name: String,
    count: usize,
}

#[derive(Serialize)]
struct DialectReport {
    name: String,
    attributes: usize,
    types: usize,
}

impl Report {
    fn of(input: &File, module: &Module<'_>, sections: &[(mlir::Section, usize)], stats: &Stats) -> Report {
        Report {
            version: is_bytecode(input).then(|| module.version.number()),
            producer: String::from_utf8_lossy(&module.producer).into_owned(),
            bytes: input.bytes().len(),
            sections: sections.iter().map(|&(section, bytes)| SizeReport { name: section.name().to_owned(), bytes }).collect(),
            blocks: stats.blocks,
            values: stats.values,
            attributes: module.tables.attrs.len(),
            types: module.tables.types.len(),
            operations: stats.operations.iter().map(|(name, count)| CountReport { name: name.clone(), count: *count }).collect(),
            dialects: stats
                .dialects
                .iter()
                .map(|(name, attributes, types)| DialectReport { name: name.clone(), attributes: *attributes, types: *types })
                .collect(),
            resources: stats.resources.iter().map(|(name, bytes)| SizeReport { name: name.clone(), bytes: *bytes }).collect(),
        }
    }
}

fn write_stats(
    out: &mut dyn std::fmt::Write,
    module: &Module<'_>,
    len: usize,
    sections: &[(mlir::Section, usize)],
    stats: &Stats,
) -> std::fmt::Result {
    if sections.is_empty() {
        writeln!(out, "MLIR text, {len} bytes")?;
    } else {
        let producer = printable(&module.producer).to_string();
        writeln!(out, "MLIR bytecode version {}, {len} bytes, producer {producer}", module.version)?;
    }
    for (section, len) in sections {
        writeln!(out, "{len:>10}  {section}")?;
    }
    let operations: usize = stats.operations.iter().map(|(_, count)| count).sum();
    writeln!(
        out,
        "\n{}, {}, {}, {}, {}",
        count(operations, "operation", "operations"),
        count(stats.blocks, "block", "blocks"),
        count(stats.values, "value", "values"),
        count(module.tables.attrs.len(), "attribute", "attributes"),
        count(module.tables.types.len(), "type", "types"),
    )?;
    for (name, count) in &stats.operations {
        writeln!(out, "{count:>10}  {}", printable(name))?;
    }
    writeln!(out, "\nattributes  types  dialect")?;
    for (name, attrs, types) in &stats.dialects {
        writeln!(out, "{attrs:>10}  {types:>5}  {}", printable(name))?;
    }
    if !stats.resources.is_empty() {
        writeln!(out, "\n     bytes  resource")?;
    }
    for (name, size) in &stats.resources {
        writeln!(out, "{size:>10}  {}", printable(name))?;
    }
    Ok(())
}

/// Shows what every byte means; long runs are cut unless `full`.
pub(super) fn objdump(input: &File, full: bool) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut written = Ok(());
    let verdict = mlir::dump(input.bytes(), &mut |item| {
        if written.is_ok() {
            written = write_item(&mut out, &item, full);
        }
    });
    written?;
    out.flush()?;
    // The exit status comes after the output, so that a broken file is shown first.
    verdict.map_err(|error| input.finding(format_args!("malformed MLIR bytecode: {error}")))?;
    Ok(Exit::Ok)
}

fn write_item(out: &mut dyn Write, item: &mlir::Item<'_>, full: bool) -> io::Result<()> {
    const PER_LINE: usize = 8;
    const SHOWN: usize = 64;
    let shown = if full { item.bytes } else { &item.bytes[..item.bytes.len().min(SHOWN)] };
    for (line, bytes) in shown.chunks(PER_LINE).enumerate() {
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        write!(out, "{:#06x}  ", item.offset + line * PER_LINE)?;
        if line == 0 {
            writeln!(out, "{:<23}  {:indent$}{}", hex.join(" "), "", printable(&item.meaning), indent = 2 * item.depth)?;
        } else {
            writeln!(out, "{}", hex.join(" "))?;
        }
    }
    if shown.len() < item.bytes.len() {
        writeln!(out, "        ... {} more", count(item.bytes.len() - shown.len(), "byte", "bytes"))?;
    }
    Ok(())
}
