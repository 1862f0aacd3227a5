//! The layout of a text: indentation, and nothing behind the last word of a line.
//!
//! Names, comments and line breaks stay as they are written, which printing a module anew would not keep. What the printer prints is
//! laid out already, but for blanks at the ends of lines, which it has from NVIDIA's disassembler.

use crate::Lines;
use lsp_types::TextEdit;

/// Each level of braces.
const INDENT: usize = 2;
/// Lines that go on with what stands in parentheses.
const CONTINUED: usize = 4;

/// A text in its layout.
///
/// ```
/// assert_eq!(tilewright_lsp::laid_out("entry @k() {\nreturn  \n  }"), "entry @k() {\n  return\n}\n");
/// ```
pub fn laid_out(text: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out: String = lines_of(text).flat_map(|line| [line, end.to_owned()]).collect();
    // One line break ends the text.
    while out.ends_with(&[end, end].concat()) {
        out.truncate(out.len() - end.len());
    }
    if out == end { String::new() } else { out }
}

/// The changes that lay a text out.
pub(crate) fn edits(text: &str, lines: &Lines) -> Vec<TextEdit> {
    let new = laid_out(text);
    if new == text {
        return Vec::new();
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) = (text.split('\n').collect(), new.split('\n').collect());
    if old_lines.len() != new_lines.len() {
        return vec![TextEdit { range: lines.range(text, &(0..text.len())), new_text: new }];
    }
    let mut at = 0;
    let mut edits = Vec::new();
    for (old, new) in old_lines.iter().zip(new_lines) {
        if *old != new {
            edits.push(TextEdit { range: lines.range(text, &(at..at + old.len())), new_text: new.to_owned() });
        }
        at += old.len() + 1;
    }
    edits
}

/// A bracket that is open, and how far the line is indented that it stands in.
struct Open {
    bracket: char,
    indent: usize,
}

fn lines_of(text: &str) -> impl Iterator<Item = String> {
    let mut open: Vec<Open> = Vec::new();
    text.lines().map(move |line| {
        let line = line.trim();
        let indent = indentation(&open, line);
        follow(&mut open, line, indent);
        if line.is_empty() { String::new() } else { " ".repeat(indent) + line }
    })
}

/// How far a line is indented, before which these are open.
fn indentation(open: &[Open], line: &str) -> usize {
    let closed = line.chars().take_while(|c| "})]".contains(*c)).count();
    if closed > 0 {
        return open.len().checked_sub(closed).map_or(0, |opening| open[opening].indent);
    }
    match open.last() {
        None => 0,
        // Labels stand where the brace before them does.
        Some(Open { bracket: '{', indent }) if line.starts_with('^') => *indent,
        Some(Open { bracket: '{', indent }) => indent + INDENT,
        Some(Open { indent, .. }) => indent + CONTINUED,
    }
}

/// Opens and closes what a line does, outside of strings and comments.
fn follow(open: &mut Vec<Open>, line: &str, indent: usize) {
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                while let Some(c) = rest.next().filter(|c| *c != '"') {
                    if c == '\\' {
                        rest.next();
                    }
                }
            }
            '/' if rest.as_str().starts_with('/') => return,
            bracket @ ('{' | '(' | '[') => open.push(Open { bracket, indent }),
            '}' | ')' | ']' => {
                open.pop();
            }
            _ => {}
        }
    }
}
