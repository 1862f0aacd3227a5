//! Profiles as text.

use super::{Instruction, ListedLine, Listing, Measure, Profile, units};
use crate::ir::printable;
use std::fmt::{self, Display, Formatter};

/// Instructions that take less than this part of the time, and neither move nor compute anything, stand in one line.
const SMALL: f64 = 0.01;

const HEAD: &str = "      time  share       read    written      flops  of limit        ";

impl Display for Profile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_head(f)?;
        writeln!(f, "\n{HEAD}    count  operation")?;
        let (small, large): (Vec<&Instruction>, Vec<&Instruction>) =
            self.by_time().into_iter().partition(|instruction| is_small(instruction));
        large.into_iter().try_for_each(|instruction| self.write_instruction(f, instruction))?;
        if !small.is_empty() {
            let (seconds, share) =
                small.iter().fold((0.0, 0.0), |(seconds, share), one| (seconds + one.measure.seconds, share + one.measure.share));
            let measure = Measure { seconds, share, ..Measure::default() };
            let others = if small.len() == 1 { "other instruction" } else { "other instructions" };
            writeln!(f, "{}           {} {others}", columns(&measure), small.len())?;
        }
        self.listings.iter().try_for_each(|listing| write_listing(f, listing))
    }
}

fn is_small(instruction: &Instruction) -> bool {
    let measure = &instruction.measure;
    measure.share < SMALL && measure.bound.is_none() && measure.int_ops == 0
}

impl Profile {
    fn write_head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let launches = if self.launches == 1 { String::new() } else { format!(" in {} launches", self.launches) };
        let groups = match self.blocks_in_groups {
            0 => String::new(),
            blocks if blocks == self.blocks => ", all of them in groups,".to_owned(),
            blocks => format!(", {blocks} of them in groups,"),
        };
        let total = &self.total;
        let executed: u64 = self.instructions.iter().map(|instruction| instruction.count).sum();
        writeln!(
            f,
            "profile of @{}: {}{groups}{launches} on {} in {}",
            printable(&self.entry),
            count(self.blocks, "block", "blocks"),
            count(self.threads as u64, "thread", "threads"),
            units::time(self.seconds)
        )?;
        writeln!(
            f,
            "  instructions  {} on all threads, of which reading the clock is about {}",
            units::time(total.seconds),
            units::time(self.clock_seconds * executed as f64)
        )?;
        let limits = &self.limits;
        writeln!(
            f,
            "  limits        {}B/s of memory, {}flop/s in f32, {}flop/s in f64",
            units::rate(limits.bandwidth),
            units::rate(limits.peak_f32),
            units::rate(limits.peak_f64)
        )?;
        let near = of_limit(total);
        let near = if near.is_empty() { near } else { format!(", {near}") };
        writeln!(
            f,
            "  all           {} read, {} written, {} flops{near}",
            units::bytes(total.read),
            units::bytes(total.written),
            units::count(total.flops)
        )
    }

    fn write_instruction(&self, f: &mut Formatter<'_>, instruction: &Instruction) -> fmt::Result {
        let columns = columns(&instruction.measure);
        let count = instruction.count;
        let group = instruction.group.as_ref().map_or_else(String::new, |group| format!(" of groups {group}"));
        if let [part] = &instruction.parts[..] {
            return writeln!(f, "{columns} {count:>8}  {}{group}", self.operations[part.operation].name());
        }
        writeln!(f, "{columns} {count:>8}  {} operations{group}, which share the time:", instruction.parts.len())?;
        for part in &instruction.parts {
            let in_place = if part.is_load_in_place { ", where it lies" } else { "" };
            let name = self.operations[part.operation].name();
            let seconds = part.share * instruction.measure.seconds;
            writeln!(
                f,
                "{:>10} {:>6} {:>63}{name}{in_place}",
                units::time(seconds),
                units::percent(part.share * instruction.measure.share),
                ""
            )?;
        }
        Ok(())
    }
}

fn write_listing(f: &mut Formatter<'_>, listing: &Listing) -> fmt::Result {
    writeln!(f, "\n{}", printable(&listing.title))?;
    if let Some(note) = &listing.note {
        writeln!(f, "  in place of the source: {note}")?;
    }
    writeln!(f, "{HEAD}")?;
    let width = listing.lines.last().map_or(0, |line| line.number.to_string().len());
    let mut before = None;
    for ListedLine { number, text, measure } in &listing.lines {
        if before.is_some_and(|before| before + 1 != *number) {
            writeln!(f, "{:>68} ...", "")?;
        }
        before = Some(*number);
        let columns = measure.as_ref().map_or_else(|| format!("{:>68}", ""), columns);
        writeln!(f, "{}", format!("{columns} {number:>width$} | {}", printable(text).lines()).trim_end())?;
    }
    Ok(())
}

/// Time, share, bytes, operations and how near the limit is.
fn columns(measure: &Measure) -> String {
    let amount = |amount: u64, text: fn(u64) -> String| if amount == 0 { String::new() } else { text(amount) };
    let flops = if measure.flops == 0 { measure.int_ops } else { measure.flops };
    format!(
        "{:>10} {:>6} {:>10} {:>10} {:>10}  {:<16}",
        units::time(measure.seconds),
        units::percent(measure.share),
        amount(measure.read, units::bytes),
        amount(measure.written, units::bytes),
        amount(flops, units::count),
        of_limit(measure)
    )
}

/// How near something came to its limit, and to which.
pub(super) fn of_limit(measure: &Measure) -> String {
    match (measure.of_limit, measure.bound) {
        (Some(of_limit), Some(bound)) => format!("{} {}", units::percent(of_limit), bound.name()),
        _ => String::new(),
    }
}
