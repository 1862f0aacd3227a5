//! The counts as tables.

use super::{Access, Amount, Count, FileStats, FunctionStats, Loop, Stats, Work};
use crate::ir::printable;
use std::fmt;

/// Rows of a table that are shown.
const MAX_ROWS: usize = 24;

impl fmt::Display for FileStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "file  {} bytes: {} of operations, {} of padding, {} unused",
            self.bytes, self.operation_bytes, self.padding, self.unused
        )?;
        self.sections.iter().try_for_each(|section| writeln!(f, "  {:>8}  {}", section.bytes, section.name))
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = &self.totals;
        writeln!(
            f,
            "module  version {}, {}, {}, {}, {}",
            self.version,
            count(totals.functions, "function"),
            count(totals.globals, "global"),
            count(totals.operations, "operation"),
            count(totals.values, "value")
        )?;
        writeln!(f, "  constants   {}, {} bytes", totals.constants, totals.constant_bytes)?;
        writeln!(f, "  strings     {}, {} bytes", totals.strings, totals.string_bytes)?;
        if self.functions.len() > 1 {
            counts(f, "operations", &totals.by_operation)?;
        }
        self.types(f)?;
        self.functions.iter().try_for_each(|function| write!(f, "{function}"))
    }
}

impl fmt::Display for FunctionStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = printable(&self.name);
        let (operations, values) = (count(self.operations, "operation"), count(self.values, "value"));
        writeln!(f, "\n@{name}  {operations}, {values}, regions nest {} deep", self.nesting)?;
        counts(f, "operations", &self.by_operation)?;
        for Loop { name, operation } in &self.loops {
            writeln!(f, "  {name:<10}  iterations of  {operation}")?;
        }
        let rows = self.work.iter().map(|w| (w, &w.total)).collect();
        table(f, "work, flops", rows, |w: &Work| {
            [w.index.to_string(), w.operation.to_owned(), w.ty.clone(), product(w.flops, &w.times, &w.total)]
        })?;
        let rows = self.accesses.iter().map(|a| (a, &a.total)).collect();
        table(f, "memory, bytes", rows, |a: &Access| {
            let what = a.base.as_ref().map_or_else(|| a.operation.to_owned(), |base| format!("{} {}", a.operation, printable(base)));
            [a.index.to_string(), what, a.ty.clone(), product(a.bytes, &a.times, &a.total)]
        })?;
        self.totals(f)
    }
}

impl Stats {
    /// A line each, for the text of types is long.
    fn types(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types = &self.totals.types;
        writeln!(f, "  types of values")?;
        types.iter().take(MAX_ROWS).try_for_each(|ty| writeln!(f, "    {:>6}  {}", ty.count, ty.name))?;
        match types.len().saturating_sub(MAX_ROWS) {
            0 => Ok(()),
            more => writeln!(f, "    and {more} more"),
        }
    }
}

impl FunctionStats {
    fn totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.work.is_empty() && self.accesses.is_empty() {
            return Ok(());
        }
        writeln!(f, "  in total, for each block")?;
        if let Some(executed) = &self.executed {
            writeln!(f, "    {:<25}  {executed}", "operations executed")?;
        }
        for (name, amount) in [
            ("flops of mma", &self.mma_flops),
            ("other flops", &self.other_flops),
            ("integer operations of mma", &self.mma_int_ops),
            ("bytes moved", &self.bytes),
        ] {
            if !amount.terms.is_empty() {
                writeln!(f, "    {name:<25}  {amount}")?;
            }
        }
        match &self.intensity {
            None => Ok(()),
            Some(intensity) => {
                let note = intensity.as_grows.as_ref().map_or_else(String::new, |n| format!(", as {n} grows"));
                writeln!(f, "    {:<25}  {:.2} flops for each byte{note}", "arithmetic intensity", intensity.flops_per_byte)
            }
        }
    }
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// `4096`, `4096 x n0`, `4096 x 16 = 65536`.
fn product(each: u128, times: &Amount, total: &Amount) -> String {
    match &times.terms[..] {
        [term] if term.count == 1 && term.loops.is_empty() => each.to_string(),
        [term] if term.count == 1 => total.to_string(),
        [_] => format!("{each} x {times} = {total}"),
        _ => "0".to_owned(),
    }
}

/// `  operations  12 addf, 3 mulf, ...`
fn counts(f: &mut fmt::Formatter<'_>, title: &str, counts: &[Count]) -> fmt::Result {
    for (index, row) in counts.chunks(8).enumerate().take(MAX_ROWS / 8) {
        let cells: Vec<String> = row.iter().map(|c| format!("{} {}", c.count, c.name)).collect();
        writeln!(f, "  {:<10}  {}", if index == 0 { title } else { "" }, cells.join(", "))?;
    }
    match counts.len().saturating_sub(MAX_ROWS) {
        0 => Ok(()),
        more => writeln!(f, "  {:<10}  and {more} more", ""),
    }
}

/// The rows with the largest totals, in their order, in columns.
fn table<T>(f: &mut fmt::Formatter<'_>, title: &str, mut rows: Vec<(&T, &Amount)>, cells: fn(&T) -> [String; 4]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let weight = |amount: &Amount| amount.terms.last().map(|term| (term.loops.len(), term.count));
    let hidden = rows.len().saturating_sub(MAX_ROWS);
    if hidden > 0 {
        let mut weights: Vec<_> = rows.iter().map(|(_, total)| weight(total)).collect();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        let least = weights[MAX_ROWS - 1];
        rows.retain(|(_, total)| weight(total) >= least);
        rows.truncate(MAX_ROWS);
    }
    let rows: Vec<[String; 4]> = rows.into_iter().map(|(row, _)| cells(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (index, what, ty) = (width(0), width(1), width(2));
    writeln!(f, "  {title}")?;
    for row in &rows {
        writeln!(f, "    {:>index$}  {:<what$}  {:<ty$}  {}", row[0], row[1], row[2], row[3])?;
    }
    if hidden > 0 { writeln!(f, "    and {hidden} smaller ones") } else { Ok(()) }
}
