//! `tilewright explain`: what a rule says.

use super::exit::Exit;
use anyhow::anyhow;
use std::io::{self, BufWriter, Write};
use tilewright::{
    ir::{Opcode, Rule, explain, nearest, printable, rules},
    text,
};

/// Explain a rule that a finding names, or list all rules
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright explain dominance
  tilewright explain")]
pub(super) struct Args {
    /// The name in the brackets of a finding; left out: all rules
    rule: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(io::stdout().lock());
    match &args.rule {
        None => list(&mut out)?,
        Some(id) => match explain(id) {
            Some(rule) => show(rule, &mut out)?,
            None => return Err(anyhow!("there is no rule '{}'{}", printable(id), hint(id))),
        },
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// What was meant, where there is no such rule.
fn hint(id: &str) -> String {
    // Findings show rules in brackets, and they are easily copied with them.
    let id = id.trim_start_matches("error").trim_matches(['[', ']']);
    if let Some(rule) = explain(id).map(|rule| rule.id).or_else(|| nearest(id, rules().map(|rule| rule.id))) {
        return format!("; did you mean '{rule}'?");
    }
    let mnemonic = id.strip_prefix("cuda_tile.").unwrap_or(id);
    match Opcode::from_mnemonic(mnemonic) {
        Some(opcode) => format!(", but an operation: 'tilewright ops {}' explains it", opcode.mnemonic()),
        None if text::parse::ERROR_IDS.contains(&id) => ", but an error of the parser: its message says all there is".to_owned(),
        None => "; 'tilewright explain' lists all".to_owned(),
    }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    let width = rules().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut chapter = "";
    for rule in rules() {
        if rule.chapter != chapter {
            chapter = rule.chapter;
            writeln!(out, "{chapter}")?;
        }
        writeln!(out, "  {:width$}  {}", rule.id, rule.title)?;
    }
    Ok(())
}

fn show(rule: &Rule, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: {}\n\n{}\n\nThis breaks it:", rule.id, rule.title, rule.text)?;
    for line in rule.example.lines() {
        writeln!(out, "  {line}")?;
    }
    if !rule.tools.is_empty() {
        writeln!(out, "\nTools: {}", rule.tools)?;
    }
    Ok(())
}
