//! `tilewright explain`: what a rule says.

use super::exit::Exit;
use anyhow::anyhow;
use std::io::{self, BufWriter, Write};
use tilewright::{
    bytecode::ReadErrorKind,
    check,
    ir::{Opcode, Rule, explain, nearest, printable, rules},
    text::parse::{ERRORS, ErrorKind, explain_error},
};

/// Explain a rule or an error that a finding names, or list all
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright explain dominance
  tilewright explain")]
pub(super) struct Args {
    /// The name in the brackets of a finding; left out: all
    rule: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(io::stdout().lock());
    match &args.rule {
        None => list(&mut out)?,
        Some(id) => match (explain(id), check::explain(id)) {
            (Some(rule), _) => show(rule, &mut out)?,
            (None, Some(rule)) => show_checked(rule, &mut out)?,
            (None, None) => match (explain_error(id), ReadErrorKind::from_id(id)) {
                (Some(kind), _) => show_text_error(kind, &mut out)?,
                (None, Some(kind)) => writeln!(out, "{id}: {}\n\n{}", kind.title(), kind.text())?,
                (None, None) => return Err(anyhow!("there is no rule '{}'{}", printable(id), hint(id))),
            },
        },
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// What was meant, where there is no such rule.
fn hint(id: &str) -> String {
    // Findings show rules in brackets, and they are easily copied with them.
    let id = id.trim_start_matches("error").trim_matches(['[', ']']);
    let rules = rules().map(|rule| rule.id).chain(check::rules().map(|rule| rule.id));
    let errors = ERRORS.iter().map(|kind| kind.id).chain(ReadErrorKind::ALL.into_iter().map(ReadErrorKind::id));
    let ids: Vec<&str> = rules.chain(errors).collect();
    if let Some(rule) = ids.iter().copied().find(|rule| *rule == id).or_else(|| nearest(id, ids.iter().copied())) {
        return format!("; did you mean '{rule}'?");
    }
    let mnemonic = id.strip_prefix("cuda_tile.").unwrap_or(id);
    match Opcode::from_mnemonic(mnemonic) {
        Some(opcode) => format!(", but an operation: 'tilewright ops {}' explains it", opcode.mnemonic()),
        None => "; 'tilewright explain' lists all".to_owned(),
    }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    let checked = check::rules().map(|rule| (format!("While it runs: {}", rule.chapter), rule.id, rule.title));
    let text = ERRORS.iter().map(|kind| ("Errors of texts".to_owned(), kind.id, kind.title));
    let bytes = ReadErrorKind::ALL.into_iter().map(|kind| ("Errors of bytecode".to_owned(), kind.id(), kind.title()));
    let rules = rules().map(|rule| (rule.chapter.to_owned(), rule.id, rule.title));
    let all: Vec<_> = rules.chain(checked).chain(text).chain(bytes).collect();
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

/// An error of a text.
fn show_text_error(kind: &ErrorKind, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: {}\n\n{}\n\nThis has it:", kind.id, kind.title, kind.text)?;
    kind.example.lines().try_for_each(|line| writeln!(out, "  {line}"))
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
