//! Lines of source, or of Tile IR, with what each took.
//!
//! Which files the source is in says the module, which may be anybody's. So a file is only read if it is an ordinary one, of text and of moderate
//! length; only lines near those that the module names are shown; and what cannot be shown is replaced by Tile IR, with the reason.

use super::{CELL, Line, Measure, Operation, is_cell};
use crate::{
    ir::{Module, printable},
    text::OpPrinter,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::Read,
};

/// The most bytes of a file of source.
const MAX_BYTES: u64 = 4 << 20;
/// How many lines are shown around one that took time.
const AROUND: usize = 3;

/// Source with what each line took.
#[derive(Clone, PartialEq, Debug)]
pub struct Listing {
    /// The file, or what else it is.
    pub title: String,
    /// Why it is not the source.
    pub note: Option<String>,
    /// Its lines, in order; between lines whose numbers do not follow each other, some are left out.
    pub lines: Vec<ListedLine>,
}

/// A line of source.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedLine {
    /// Its number, from 1.
    pub number: usize,
    /// Its text.
    pub text: String,
    /// What its operations took, if they ran.
    pub measure: Option<Measure>,
}

/// Why operations without a place in a file are shown.
const NO_PLACE: &str = "the module does not say where it comes from";

/// Gives the text of a file that is not on disk.
pub(super) type TextOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The listings of a profile: of each file that can be read, then of each function with operations whose lines are not in one of these.
pub(super) fn listings(module: &Module, operations: &[Operation], lines: &[Line], text_of: TextOf<'_>) -> Vec<Listing> {
    let mut by_file: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    lines.iter().for_each(|line| by_file.entry(&line.file).or_default().push(line));
    let (mut listings, mut refused) = (Vec::new(), BTreeMap::new());
    for (file, lines) in by_file {
        match source(file, lines.last().map_or(0, |line| line.line), text_of) {
            Ok(text) => listings.push(of_file(file, &text, &lines)),
            Err(why) => drop(refused.insert(file, why)),
        }
    }
    let is_listed = |operation: &&Operation| operation.source.as_ref().is_some_and(|source| !refused.contains_key(source.file.as_str()));
    let in_lines: BTreeSet<u32> = operations.iter().filter(is_listed).map(|operation| operation.function_index).collect();
    let mut functions: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for operation in operations.iter().filter(|operation| operation.index.is_some()) {
        let why = match &operation.source {
            // Of a function whose lines are listed, few operations have no place, such as its end.
            None if in_lines.contains(&operation.function_index) => continue,
            None => NO_PLACE.to_owned(),
            Some(source) => match refused.get(source.file.as_str()) {
                Some(why) => format!("{}: {why}", printable(&source.file)),
                None => continue,
            },
        };
        functions.entry(operation.function_index).or_default().insert(why);
    }
    let functions = functions.into_iter().filter_map(|(function, why)| of_function(module, function, operations, why));
    listings.extend(functions);
    listings
}

/// The lines of a file that has at least so many.
fn source(path: &str, least: u32, text_of: TextOf<'_>) -> Result<Vec<String>, String> {
    let text = read(path).or_else(|why| text_of(path).ok_or(why))?;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if (lines.len() as u64) < u64::from(least) {
        return Err(format!("it has {} lines, and the module names line {least}: it has changed", lines.len()));
    }
    Ok(lines)
}

fn read(path: &str) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("it cannot be read: {error}");
    // Nothing is opened that might wait, or give bytes for ever.
    let found = std::fs::metadata(path).map_err(cannot)?;
    if !found.is_file() {
        return Err("it is not a file".to_owned());
    }
    if found.len() > MAX_BYTES {
        return Err(format!("it is longer than {} MiB", MAX_BYTES >> 20));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)).map_err(cannot)?;
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).ok_or_else(|| "it is not text".to_owned())
}

fn of_file(file: &str, text: &[String], lines: &[&Line]) -> Listing {
    let measured: BTreeMap<usize, Measure> = lines.iter().map(|line| (line.line as usize, line.measure)).collect();
    let is_near = |number: &usize| measured.range(number.saturating_sub(AROUND)..=number + AROUND).next().is_some();
    let listed = (1..=text.len()).filter(is_near);
    let listed = listed.map(|number| ListedLine { number, text: text[number - 1].clone(), measure: measured.get(&number).copied() });
    let title = if is_cell(file) { CELL } else { file };
    Listing { title: title.to_owned(), note: None, lines: listed.collect() }
}

/// A function as Tile IR, one operation a line.
fn of_function(module: &Module, function: u32, operations: &[Operation], mut why: BTreeSet<String>) -> Option<Listing> {
    // Few operations have no place where others have one.
    if why.len() > 1 {
        why.remove(NO_PLACE);
    }
    let body = module.functions.get(function as usize)?;
    let own = operations.iter().filter(|operation| operation.function_index == function);
    let measured: BTreeMap<usize, Measure> = own.filter_map(|own| Some((own.index? as usize, own.measure))).collect();
    let printer = OpPrinter::new(module, body);
    let mut lines = Vec::new();
    body.body.walk(|op| {
        let depth = std::iter::successors(op.parent(), |outer| outer.parent()).count();
        let text = format!("{}{}", "  ".repeat(depth), printer.op(op.id()));
        lines.push(ListedLine { number: lines.len() + 1, text, measure: measured.get(&op.id().index()).copied() });
    });
    let title = format!("Tile IR of @{}", module.tables.strings.text(body.name));
    Some(Listing { title, note: Some(why.into_iter().collect::<Vec<_>>().join("; ")), lines })
}
