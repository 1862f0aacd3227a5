//! `tilewright ops --extended`: the operations of the extended assembly.

use super::super::output::{Style, count, write_json};
use anyhow::bail;
use serde::Serialize;
use std::io::{self, Write};
use tilewright::{
    ir::{Opcode, nearest, printable},
    text::{ExtendedOp, extended_op, extended_ops},
};

#[derive(Serialize)]
struct Row {
    name: &'static str,
    doc: &'static str,
    syntax: String,
    expansion: &'static str,
    limits: &'static str,
}

impl Row {
    fn new(op: &ExtendedOp) -> Row {
        Row { name: op.name, doc: op.summary, syntax: op.syntax(), expansion: op.expansion, limits: op.limits }
    }
}

/// All names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    extended_ops().iter().map(|op| op.name)
}

/// Whether a name is one of the extended assembly, and none of the dialect.
pub(super) fn is_only_extended(name: &str) -> bool {
    extended_op(name).is_some_and(|op| Opcode::from_mnemonic(op.name).is_none())
}

pub(super) fn write(out: &mut dyn Write, name: Option<&str>, json: bool) -> anyhow::Result<()> {
    match name.map(find).transpose()? {
        None if json => write_json(out, &extended_ops().iter().map(Row::new).collect::<Vec<_>>())?,
        Some(op) if json => write_json(out, &Row::new(op))?,
        None => list(out)?,
        Some(op) => detail(out, op)?,
    }
    Ok(())
}

fn find(name: &str) -> anyhow::Result<&'static ExtendedOp> {
    if let Some(op) = extended_op(name) {
        return Ok(op);
    }
    if Opcode::from_mnemonic(name).is_some() {
        bail!("'{name}' is an operation of Tile IR itself: 'tilewright ops {name}' explains it");
    }
    match nearest(name, names()) {
        Some(near) => bail!("there is no extended operation '{}'; did you mean '{near}'?", printable(name)),
        None => bail!("there is no extended operation '{}'; 'tilewright ops --extended' lists all", printable(name)),
    }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    let style = Style::stdout();
    let width = names().map(str::len).max().unwrap_or(0);
    writeln!(out, "{}", style.strong(&format!("{:<width$}  becomes", "operation")))?;
    for op in extended_ops() {
        writeln!(out, "{:<width$}  {}", op.name, op.expansion)?;
    }
    writeln!(out, "{}", style.faint(&count(extended_ops().len(), "operation", "operations")))
}

fn detail(out: &mut dyn Write, op: &ExtendedOp) -> io::Result<()> {
    writeln!(out, "{}, an operation of the extended assembly\n{}\n", Style::stdout().strong(op.name), op.summary)?;
    writeln!(out, "  syntax   {}", op.syntax())?;
    writeln!(out, "  becomes  {}", op.expansion)?;
    if !op.limits.is_empty() {
        writeln!(out, "  limits   {}", op.limits)?;
    }
    Ok(())
}
