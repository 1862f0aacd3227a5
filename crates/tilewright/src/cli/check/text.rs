//! Findings for people.

use super::{CheckedLaunch, sources::Sources};
use crate::cli::{
    called::Called,
    output::{Style, count},
};
use std::io::{self, Write};
use tilewright::{
    check::{Finding, MemoryPlace, Place},
    ir::printable,
    text::report::{Excerpt, Look, Report},
};

pub(super) fn write(out: &mut dyn Write, checked: &[CheckedLaunch], called: &Called) -> io::Result<()> {
    let (style, mut sources) = (Style::stdout(), Sources::new(&|_| None));
    let command = called.without(&["--schedules", "--seed", "--schedule"]);
    for CheckedLaunch { name, report } in checked {
        for finding in &report.findings {
            let again = |schedule: &str| format!("{command} --schedule {schedule}");
            writeln!(out, "{}", shown(finding, &again, &mut sources, style.look()))?;
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

/// A finding for people, without colours, as `tilewright check` writes it. `again` says how to check under a schedule, `text_of` gives the text
/// of a source file that is not on disk, such as a cell of a notebook.
pub fn finding_text(finding: &Finding, again: impl Fn(&str) -> String, text_of: &dyn Fn(&str) -> Option<String>) -> String {
    shown(finding, &again, &mut Sources::new(text_of), Look::plain())
}

fn shown(finding: &Finding, again: &dyn Fn(&str) -> String, sources: &mut Sources<'_>, look: Look) -> String {
    let mentions = mentions(finding);
    mentions.iter().filter_map(|mention| mention.place.source.as_ref()).for_each(|source| sources.load(&source.file));
    report(finding, &mentions, again, sources).render(look)
}

/// An operation that a finding is about, and what is said of it.
struct Mention<'f> {
    place: &'f Place,
    message: String,
}

/// The operation itself, then others.
fn mentions(finding: &Finding) -> Vec<Mention<'_>> {
    let place = &finding.place;
    let mut all = vec![Mention { place, message: part(place, &finding.kernel) }];
    let mut add = |what: &str, place| {
        all.push(Mention { place, message: format!("{what}: {} in {}", place.operation, part(place, &finding.kernel)) });
    };
    if let Some(other) = &finding.other {
        add(&other.what, &other.place);
    }
    let buffer = place.memory.as_ref().and_then(|memory| memory.buffer.as_ref());
    let is_named = |place: &&Place| finding.other.as_ref().is_some_and(|other| is_same_operation(place, &other.place));
    if let Some(allocation) = buffer.and_then(|buffer| buffer.allocation.as_deref()).filter(|place| !is_named(place)) {
        add("the memory was allocated here", allocation);
    }
    all
}

fn is_same_operation(a: &Place, b: &Place) -> bool {
    (&a.function, a.op) == (&b.function, b.op)
}

fn report<'s>(finding: &'s Finding, mentions: &[Mention<'_>], again: &dyn Fn(&str) -> String, sources: &'s Sources<'_>) -> Report<'s> {
    let Finding { rule, message, place, .. } = finding;
    let mut report = Report::new(rule.id, &format!("{}: {message}", place.operation));
    // The labels of one file stand in one excerpt, whose name is that of the first.
    let mut excerpts: Vec<(&str, Excerpt<'s>)> = Vec::new();
    let mut notes = Vec::new();
    for (at, Mention { place, message }) in mentions.iter().enumerate() {
        let source = place.source.as_ref();
        match source.and_then(|source| Some((source, sources.label(source, message.clone())?))) {
            Some((source, (text, label))) => {
                let position = excerpts.iter().position(|(file, _)| *file == source.file).unwrap_or(excerpts.len());
                if position == excerpts.len() {
                    excerpts.push((&source.file, Excerpt::new(&source.file, text)));
                }
                let (file, excerpt) = excerpts.remove(position);
                excerpts.insert(position, (file, if at == 0 { excerpt.primary(label) } else { excerpt.context(label) }));
            }
            None if at == 0 => {
                report = name_place(report, place);
                notes.push(message.clone());
            }
            None => notes.push(format!("{message} ({})", place_name(place))),
        }
    }
    report = excerpts.into_iter().fold(report, |report, (_, excerpt)| report.excerpt(excerpt));
    notes.extend(place.memory.as_ref().map(memory_text));
    if let Some(other) = &finding.other
        && let Some(memory) = other.place.memory.as_ref().filter(|memory| Some(*memory) != place.memory.as_ref())
    {
        notes.push(format!("{} in {}: {}", other.place.operation, block(&other.place), memory_text(memory)));
    }
    if finding.elements > 1 || finding.blocks > 1 {
        let elements = count(usize::try_from(finding.elements).unwrap_or(usize::MAX), "time", "times");
        let blocks = count(usize::try_from(finding.blocks).unwrap_or(usize::MAX), "block", "blocks");
        notes.push(format!("{elements} in {blocks}; this is the first"));
    }
    notes.extend(finding.schedule.as_ref().map(|schedule| format!("to see it again: {}", again(schedule))));
    notes.iter().fold(report, |report, note| report.note(note)).help(rule.mend)
}

/// The place of an operation whose source there is not to show.
fn name_place<'s>(report: Report<'s>, place: &Place) -> Report<'s> {
    match &place.source {
        Some(source) => report.place(&source.file, Some(source.line as usize), Some(source.column as usize).filter(|&column| column > 0)),
        None => report.place(&place_name(place), None, None),
    }
}

fn place_name(place: &Place) -> String {
    match &place.source {
        Some(source) if source.column > 0 => format!("{}:{}:{}", printable(&source.file), source.line, source.column),
        Some(source) => format!("{}:{}", printable(&source.file), source.line),
        None => format!("operation {} of @{}", place.op, printable(&place.function)),
    }
}

/// The part of an operation that is meant: its block and its element.
fn part(place: &Place, kernel: &str) -> String {
    let mut text = format!("{} of @{}", block(place), printable(kernel));
    if let Some(element) = place.element.as_ref().filter(|element| !element.is_empty()) {
        text += &format!(", element {} of the tile", coordinates(element));
    }
    if let Some(at) = &place.coordinates {
        text += &format!(", {} of the tensor", coordinates(at));
    }
    text
}

fn block(place: &Place) -> String {
    format!("block {}", coordinates(&place.block))
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
