//! `tilewright explain`: what a rule says.

use super::exit::Exit;
use anyhow::anyhow;
use std::io::{self, BufWriter, Write};
use tilewright::{
    check,
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
        Some(id) => match (explain(id), check::explain(id)) {
            (Some(rule), _) => show(rule, &mut out)?,
            (None, Some(rule)) => show_checked(rule, &mut out)?,
            (None, None) => return Err(anyhow!("there is no rule '{}'{}", printable(id), hint(id))),
        },
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// What was meant, where there is no such rule.
fn hint(id: &str) -> String {
    // Findings show rules in brackets, and they are easily copied with them.
    let id = id.trim_start_matches("error").trim_matches(['[', ']']);
    let ids = || rules().map(|rule| rule.id).chain(check::rules().map(|rule| rule.id));
    if let Some(rule) = ids().find(|rule| *rule == id).or_else(|| nearest(id, ids())) {
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
    let checked = check::rules().map(|rule| (format!("While it runs: {}", rule.chapter), rule.id, rule.title));
    let all: Vec<_> = rules().map(|rule| (rule.chapter.to_owned(), rule.id, rule.title)).chain(checked).collect();
    let width = all.iter().map(|(_, id, _)| id.len()).max().unwrap_or(0);
    let mut last = "";
    for (chapter, id, title) in &all {
        if chapter != last {
            last = chapter;
            writeln!(out, "{chapter}")?;
        }
        writeln!(out, "  {id:width$}  {title}")?;
    }
    Ok(())
}

/// A rule that holds while a kernel runs.
fn show_checked(rule: &check::Rule, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: {}\n\n{}\n\n{}", rule.id, rule.title, rule.text, rule.mend)?;
    for (what, kernel) in [("This is reported:", rule.buggy), ("This is not:", rule.mended)] {
        writeln!(out, "\n{what}")?;
        kernel.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
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
