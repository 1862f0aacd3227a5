//! Findings for people.

use super::CheckedLaunch;
use crate::cli::output::{Style, count};
use std::{
    collections::HashMap,
    env, fs,
    io::{self, Write},
};
use tilewright::{
    check::{Finding, MemoryPlace, Place, Source},
    ir::printable,
};

/// The lines of source files, as far as these can be read.
struct Sources<'a> {
    lines: HashMap<String, Option<Vec<String>>>,
    /// Gives the text of a file that is not on disk.
    text_of: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Sources<'a> {
    fn new(text_of: &'a dyn Fn(&str) -> Option<String>) -> Sources<'a> {
        Sources { lines: HashMap::new(), text_of }
    }

    fn line(&mut self, source: &Source) -> Option<&str> {
        let text_of = self.text_of;
        let read = |file: &String| {
            let text = fs::read(file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).or_else(|| text_of(file))?;
            Some(text.lines().map(str::to_owned).collect())
        };
        let lines = self.lines.entry(source.file.clone()).or_insert_with_key(read).as_ref()?;
        lines.get(usize::try_from(source.line).ok()?.checked_sub(1)?).map(String::as_str)
    }
}

pub(super) fn write(out: &mut dyn Write, checked: &[CheckedLaunch]) -> io::Result<()> {
    let (style, mut sources, command) = (Style::stdout(), Sources::new(&|_| None), command());
    for CheckedLaunch { name, report } in checked {
        for finding in &report.findings {
            let again = |schedule: &str| format!("{command} --schedule {schedule}");
            write_finding(out, style, &mut sources, finding, &again)?;
        }
        let blocks = count(usize::try_from(report.blocks).unwrap_or(usize::MAX), "block", "blocks");
        let verdict = match report.findings.len() {
            0 => style.good("clean"),
            n => style.bad(&count(n, "finding", "findings")),
        };
        writeln!(out, "{}: {verdict} in {blocks}", printable(name))?;
    }
    Ok(())
}

/// The command that runs, without the schedules to try, as a shell takes it.
fn command() -> String {
    let mut words = vec!["tilewright".to_owned()];
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let (name, value) = argument.split_once('=').map_or((argument.as_str(), None), |(name, value)| (name, Some(value)));
        if ["--schedules", "--seed", "--schedule"].contains(&name) {
            if value.is_none() {
                arguments.next();
            }
            continue;
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c);
        let quoted = format!("'{}'", argument.replace('\'', "'\\''"));
        words.push(if argument.chars().all(is_plain) && !argument.is_empty() { argument } else { quoted });
    }
    words.join(" ")
}

/// A finding for people, without colours, as `tilewright check` writes it. `again` says how to check under a schedule, `text_of` gives the text
/// of a source file that is not on disk, such as a cell of a notebook.
pub fn finding_text(finding: &Finding, again: impl Fn(&str) -> String, text_of: &dyn Fn(&str) -> Option<String>) -> String {
    let mut text = Vec::new();
    let written = write_finding(&mut text, Style::plain(), &mut Sources::new(text_of), finding, &again);
    // Nothing fails that writes to memory, and all of it is text.
    debug_assert!(written.is_ok());
    String::from_utf8_lossy(&text).into_owned()
}

fn write_finding(
    out: &mut dyn Write,
    style: Style,
    sources: &mut Sources<'_>,
    finding: &Finding,
    again: &dyn Fn(&str) -> String,
) -> io::Result<()> {
    let Finding { rule, message, place, .. } = finding;
    writeln!(out, "{}: {}: {}", style.bad(&format!("error[{}]", rule.id)), place.operation, printable(message))?;
    write_place(out, style, sources, place, &finding.kernel)?;
    if finding.elements > 1 || finding.blocks > 1 {
        let elements = count(usize::try_from(finding.elements).unwrap_or(usize::MAX), "time", "times");
        let blocks = count(usize::try_from(finding.blocks).unwrap_or(usize::MAX), "block", "blocks");
        writeln!(out, "   {} {elements} in {blocks}; this is the first", style.faint("="))?;
    }
    if let Some(other) = &finding.other {
        writeln!(out, "{}: {}: {}", style.strong("note"), other.place.operation, printable(&other.what))?;
        write_place(out, style, sources, &other.place, &finding.kernel)?;
    }
    if let Some(schedule) = &finding.schedule {
        writeln!(out, "   {} to see it again: {}", style.faint("="), again(schedule))?;
    }
    writeln!(out, "{}: {}", style.strong("help"), rule.mend)?;
    writeln!(out)
}

fn write_place(out: &mut dyn Write, style: Style, sources: &mut Sources<'_>, place: &Place, kernel: &str) -> io::Result<()> {
    match &place.source {
        Some(source) => {
            let column = if source.column > 0 { format!(":{}", source.column) } else { String::new() };
            writeln!(out, "  {} {}:{}{column}", style.faint("-->"), printable(&source.file), source.line)?;
            let number = source.line.to_string();
            let margin = " ".repeat(number.len());
            if let Some(line) = sources.line(source) {
                let line = line.trim_end();
                writeln!(out, "{margin} {}", style.faint("|"))?;
                writeln!(out, "{} {} {}", style.faint(&number), style.faint("|"), printable(line))?;
                let before: String =
                    line.chars().take(source.column.saturating_sub(1) as usize).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
                if source.column > 0 && before.len() < line.len() {
                    writeln!(out, "{margin} {} {before}{}", style.faint("|"), style.bad("^"))?;
                }
            }
        }
        None => writeln!(out, "  {} operation {} of @{}", style.faint("-->"), place.op, printable(&place.function))?,
    }
    let [x, y, z] = place.block;
    let mut line = format!("block ({x}, {y}, {z}) of @{}", printable(kernel));
    if let Some(element) = place.element.as_ref().filter(|element| !element.is_empty()) {
        line += &format!(", element {} of the tile", coordinates(element));
    }
    if let Some(at) = &place.coordinates {
        line += &format!(", {} of the tensor", coordinates(at));
    }
    writeln!(out, "   {} {line}", style.faint("="))?;
    match &place.memory {
        Some(memory) => writeln!(out, "   {} {}", style.faint("="), memory_text(memory)),
        None => Ok(()),
    }
}

fn coordinates(all: &[impl ToString]) -> String {
    format!("({})", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

fn memory_text(memory: &MemoryPlace) -> String {
    let MemoryPlace { address, bytes, buffer } = memory;
    let range = format!("address {address:#x}, {}", count(usize::try_from(*bytes).unwrap_or(usize::MAX), "byte", "bytes"));
    match buffer {
        Some(buffer) => {
            let (name, size) = (printable(&buffer.name), buffer.size);
            format!("{range}: from byte {} of {name}, which has {size}", buffer.offset)
        }
        None => range,
    }
}
