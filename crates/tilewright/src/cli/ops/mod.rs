//! `tilewright ops`: the table of operations.

mod detail;
mod extended;
mod json;

use super::{
    exit::Exit,
    output::{Style, count, write_json},
};
use anyhow::bail;
use std::io::{self, BufWriter, Write};
use tilewright::ir::{Opcode, nearest, ops::OpDef, printable};

/// List the operations of Tile IR, or explain one
///
/// The list shows number, first version, name, operands and results of every operation. '?' marks an optional operand and
/// '...' any number of them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright ops                  all operations
  tilewright ops load_view_tko    one in detail: attributes, encoding, syntax
  tilewright ops --json           the whole table for programs
  tilewright ops --extended       the names of the extended assembly, and what becomes of them
  tilewright ops concatenate      one of them in detail")]
pub(super) struct Args {
    /// Operation to explain, such as addf
    name: Option<String>,
    /// Print JSON with everything that is known
    #[arg(long)]
    json: bool,
    /// List the operations of the extended assembly, which the parser makes operations of Tile IR of
    #[arg(long)]
    extended: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(io::stdout().lock());
    if args.extended || args.name.as_deref().is_some_and(extended::is_only_extended) {
        extended::write(&mut out, args.name.as_deref(), args.json)?;
        out.flush()?;
        return Ok(Exit::Ok);
    }
    match (&args.name, args.json) {
        (None, false) => list(&mut out)?,
        (None, true) => write_json(&mut out, &json::Table::new())?,
        (Some(name), false) => detail::write(&mut out, find(name)?)?,
        (Some(name), true) => write_json(&mut out, &json::Operation::new(find(name)?))?,
    }
    out.flush()?;
    Ok(Exit::Ok)
}

fn find(name: &str) -> anyhow::Result<&'static OpDef> {
    let mnemonic = name.strip_prefix("cuda_tile.").unwrap_or(name);
    if let Some(opcode) = Opcode::from_mnemonic(mnemonic) {
        return Ok(opcode.def());
    }
    let similar = similar(mnemonic);
    match similar[..] {
        [] => bail!("there is no operation '{}'; 'tilewright ops' lists all", printable(name)),
        _ => bail!("there is no operation '{}'; did you mean '{}'?", printable(name), similar.join("' or '")),
    }
}

/// The operations whose name holds what was asked for, or else the nearest one.
fn similar(asked: &str) -> Vec<&'static str> {
    let names = || Opcode::ALL.iter().map(|opcode| opcode.mnemonic()).chain(extended::names());
    let holding: Vec<&str> = names().filter(|name| !asked.is_empty() && name.contains(asked)).collect();
    if holding.is_empty() { nearest(asked, names()).into_iter().collect() } else { holding }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    let style = Style::stdout();
    let widest = |width: fn(&OpDef) -> usize| Opcode::ALL.iter().map(|o| width(o.def())).max().unwrap_or(0);
    let names = widest(|def| def.mnemonic.len());
    writeln!(out, "{}", style.strong(&format!("{:<6}  {:<5}  {:<names$}  operands -> results", "number", "since", "operation")))?;
    for opcode in Opcode::ALL {
        let def = opcode.def();
        writeln!(out, "{:<6}  {:<5}  {:<names$}  {}", format!("{:#04x}", def.wire), def.since.to_string(), def.mnemonic, def.signature())?;
    }
    writeln!(out, "{}", style.faint(&count(Opcode::ALL.len(), "operation", "operations")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_their_neighbours() {
        assert_eq!(similar("addd"), ["addf"]);
        assert_eq!(similar("load_view"), ["load_view_tko"]);
        assert_eq!(similar("addi_"), ["addi"]);
        assert!(similar("atomic").len() > 2);
        assert!(similar("frobnicate").is_empty() && similar("").is_empty());
    }
}
