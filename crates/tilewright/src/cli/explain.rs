//! `tilewright explain`: what a rule says.

use super::exit::{Exit, Finding};
use std::io::{self, BufWriter, Write};
use tilewright::ir::{Rule, explain, rules};

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
            None => return Err(Finding(format!("there is no rule '{id}': 'tilewright explain' lists them")).into()),
        },
    }
    out.flush()?;
    Ok(Exit::Ok)
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
