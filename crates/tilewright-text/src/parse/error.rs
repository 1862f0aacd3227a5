//! What is wrong with a text, and how to show it.

use super::source::without_mark;
use std::fmt::{self, Write};
use std::ops::Range;
use tilewright_ir::{Diagnostic, Module, is_printable, printable};

/// One error of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Stable name of the kind of error, such as `undefined-value`.
    pub id: &'static str,
    /// The bytes of the source that it is about; they begin and end between characters.
    pub span: Range<usize>,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// Column of the first byte in characters, from 1.
    pub column: usize,
    /// What was expected and what was found.
    pub message: String,
    /// What helps to mend it.
    pub notes: Vec<String>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: error[{}]: {}", self.line, self.column, self.id, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The most characters of a line that [`ParseError::render`] shows.
const MAX_SHOWN: usize = 160;
/// How many of them stand before the error, where the line is longer.
const BEFORE: usize = 60;
/// The most bytes of a character.
const MAX_CHAR_LEN: usize = 4;

impl ParseError {
    /// The error with the line of `source` that it is about, the place marked by carets. `name` is that of the file.
    ///
    /// ```text
    /// error[undefined-value]: %b is not defined
    ///   --> kernel.mlir:3:17
    ///   |
    /// 3 |   %0 = addi %a, %b : tile<i32>
    ///   |                 ^^
    /// ```
    ///
    /// `source` may be the bytes of a file that is not UTF-8. What acts on a terminal, or cannot be shown, stands as one replacement
    /// character, and a tab as one space, so that the carets stay below what they mark.
    pub fn render(&self, source: &(impl AsRef<[u8]> + ?Sized), name: &str) -> String {
        self.shown(source.as_ref(), name)
    }

    fn shown(&self, source: &[u8], name: &str) -> String {
        let mut out = format!("error[{}]: {}\n", self.id, self.message);
        let margin = " ".repeat(self.line.to_string().len());
        let _ = writeln!(out, "{margin}--> {}:{}:{}", printable(name), self.line, self.column);
        let _ = writeln!(out, "{margin} |");
        let start = self.span.start.min(source.len());
        let skipped = if self.column > MAX_SHOWN - BEFORE { self.column - BEFORE } else { 0 };
        // Only what is shown is looked at: the line may be long. What stands before an error is UTF-8.
        let before = self.column - 1 - skipped;
        let head = String::from_utf8_lossy(&source[start.saturating_sub(MAX_CHAR_LEN * before)..start]);
        let head: Vec<char> = head.chars().rev().take(before).collect();
        let tail = in_line(&source[start..]);
        let shown = head.into_iter().rev().chain(tail.chars().take(MAX_SHOWN.saturating_sub(before))).map(in_one_column);
        let dots = if skipped > 0 { "..." } else { "" };
        let _ = writeln!(out, "{} | {dots}{}", self.line, shown.collect::<String>().trim_end());
        let marked = in_line(&source[start..self.span.end.clamp(start, source.len())]).chars().count();
        let carets = marked.clamp(1, (MAX_SHOWN + skipped).saturating_sub(self.column - 1).max(1));
        let _ = writeln!(out, "{margin} | {}{}", " ".repeat(self.column - 1 - skipped + dots.len()), "^".repeat(carets));
        for note in &self.notes {
            let _ = writeln!(out, "{margin} = note: {note}");
        }
        out
    }
}

/// The beginning of a text, up to the end of its line, as far as it is shown.
fn in_line(text: &[u8]) -> String {
    let text = &text[..text.len().min(MAX_CHAR_LEN * MAX_SHOWN)];
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line).chars().take(MAX_SHOWN).collect()
}

/// A character as it can be shown without moving what stands behind it.
fn in_one_column(c: char) -> char {
    match c {
        '\t' => ' ',
        _ if is_printable(c) => c,
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// A finding about a module that was parsed with [`ParseOptions::locate`](super::ParseOptions::locate), shown as [`ParseError::render`]
/// shows an error; `None` if it is not about an operation in this file. `source` and `file` are what was parsed.
///
/// ```
/// use tilewright_text::{ParseOptions, parse, render_finding};
///
/// let source = "entry @k(%x: tile<f32>) {\n  %y = addi %x, %x : tile<f32>\n}";
/// let module = parse(source, &ParseOptions::new().locate("k.mlir")).unwrap();
/// let rejected = tilewright_ir::try_verify(module).unwrap_err();
/// let shown = render_finding(&rejected.module, &rejected.findings[0], source, "k.mlir").unwrap();
/// assert!(shown.contains("--> k.mlir:2:8"), "{shown}");
/// ```
pub fn render_finding(module: &Module, finding: &Diagnostic, source: &str, file: &str) -> Option<String> {
    render_findings(module, std::slice::from_ref(finding), source, file).pop().flatten()
}

/// The same for many findings, which takes one pass over the text if they are in its order.
pub fn render_findings(module: &Module, findings: &[Diagnostic], source: &str, file: &str) -> Vec<Option<String>> {
    let (source, _) = without_mark(source);
    let mut walk = Walk { source, line: 1, column: 1, at: 0 };
    let shown = |finding: &Diagnostic| {
        let (found, line, column) = module.tables.locations.source(finding.loc)?;
        if module.tables.strings.text(found) != file {
            return None;
        }
        let (line, column) = (line as usize, column as usize);
        let start = walk.to(line, column)?;
        let end = source[start..].find(char::is_whitespace).map_or(source.len(), |length| start + length);
        let error = ParseError { id: finding.rule, span: start..end, line, column, message: finding.message.clone(), notes: Vec::new() };
        Some(error.render(source, file))
    };
    findings.iter().map(shown).collect()
}

/// A place in a text, which goes from one to the next.
struct Walk<'s> {
    source: &'s str,
    line: usize,
    column: usize,
    at: usize,
}

impl Walk<'_> {
    /// Goes to a character, which may be the end of the text; gives where it is.
    fn to(&mut self, line: usize, column: usize) -> Option<usize> {
        if line == 0 || column == 0 {
            return None;
        }
        if (line, column) < (self.line, self.column) {
            (self.line, self.column, self.at) = (1, 1, 0);
        }
        while self.line < line {
            self.at += self.source[self.at..].find('\n')? + 1;
            (self.line, self.column) = (self.line + 1, 1);
        }
        let (skipped, _) = self.source[self.at..].char_indices().nth(column - self.column)?;
        (self.column, self.at) = (column, self.at + skipped);
        Some(self.at)
    }
}

/// Gives errors their lines and columns: in one pass, as they come sorted by place. `skipped` bytes stand in front of `source`, which
/// the places count and the columns do not.
pub(super) fn locate(source: &str, errors: &mut [ParseError], skipped: usize) {
    let (mut at, mut line, mut line_start) = (0, 1, 0);
    for error in errors {
        let start = error.span.start - skipped;
        for (offset, _) in source[at..start].match_indices('\n') {
            line += 1;
            line_start = at + offset + 1;
        }
        at = start;
        error.line = line;
        error.column = source[line_start..at].chars().count() + 1;
    }
}
