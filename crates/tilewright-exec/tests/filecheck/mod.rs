//! Expectations about a text, in comments: what LLVM's FileCheck does, as far as tests here need it.
//!
//! ```text
//! // CHECK: %[[SUM:[0-9]+]] = load       a line that has this, behind the last match
//! // CHECK-NEXT: store {{.*}}, %[[SUM]]  the line behind the last match
//! // CHECK-SAME: 16                      the rest of the line of the last match
//! // CHECK-NOT: load                     no line from the last match to the next, or to the end
//! ```
//!
//! Spaces and tabs are all the same, however many. `{{...}}` is a regular expression, `[[NAME:...]]` one whose match gets a name, and `[[NAME]]`
//! what got it in an earlier expectation.

use regex::{Regex, escape};
use std::collections::HashMap;

/// An expectation.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    kind: Kind,
    pattern: String,
    /// The line that it stands in, from 1.
    line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Somewhere,
    Next,
    Same,
    Not,
}

/// The expectations with a prefix in the comments of a text whose first line has this number.
pub(crate) fn checks(text: &str, prefix: &str, first_line: usize) -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for (line, text) in text.lines().enumerate().map(|(i, text)| (first_line + i, text)) {
        let Some((_, comment)) = text.split_once("//") else { continue };
        let Some(rest) = comment.trim_start().strip_prefix(prefix) else { continue };
        let Some((suffix, pattern)) = rest.split_once(':').filter(|(suffix, _)| suffix.is_empty() || suffix.starts_with('-')) else {
            continue;
        };
        let kind = match suffix {
            "" => Kind::Somewhere,
            "-NEXT" => Kind::Next,
            "-SAME" => Kind::Same,
            "-NOT" => Kind::Not,
            _ => return Err(format!("line {line}: there is no {prefix}{suffix}")),
        };
        if pattern.trim().is_empty() {
            return Err(format!("line {line}: nothing is expected"));
        }
        if checks.is_empty() && matches!(kind, Kind::Next | Kind::Same) {
            return Err(format!("line {line}: {prefix}{suffix} stands behind nothing"));
        }
        checks.push(Check { kind, pattern: spaced(pattern), line });
    }
    Ok(checks)
}

/// Whether a text is as it should be.
pub(crate) fn check(text: &str, checks: &[Check]) -> Result<(), String> {
    let lines: Vec<String> = text.lines().map(spaced).collect();
    let mut found = Found { lines: &lines, names: HashMap::new(), line: 0, column: 0 };
    let mut absent: Vec<(Regex, &Check)> = Vec::new();
    for check in checks {
        let pattern = found.pattern(check)?;
        if check.kind == Kind::Not {
            absent.push((pattern, check));
            continue;
        }
        let from = (found.line, found.column);
        found.find(&pattern, check)?;
        found.none_between(from, &mut absent)?;
    }
    let from = (found.line, found.column);
    (found.line, found.column) = (lines.len(), 0);
    found.none_between(from, &mut absent)
}

/// A line with one space between words.
fn spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How far a text was as expected: up to here, a line and a column in it.
struct Found<'t> {
    lines: &'t [String],
    names: HashMap<String, String>,
    line: usize,
    column: usize,
}

impl Found<'_> {
    /// The regular expression of an expectation.
    fn pattern(&self, check: &Check) -> Result<Regex, String> {
        let (mut pattern, mut rest) = (String::new(), check.pattern.as_str());
        let end = |rest: &str, end: &str| rest.find(end).ok_or_else(|| format!("line {}: '{end}' is missing", check.line));
        while let Some(at) = rest.find("{{").into_iter().chain(rest.find("[[")).min() {
            pattern.push_str(&escape(&rest[..at]));
            let is_regex = rest[at..].starts_with("{{");
            rest = &rest[at + 2..];
            let close = end(rest, if is_regex { "}}" } else { "]]" })?;
            let inner = &rest[..close];
            // A class of characters may end in front of the brackets.
            let close = if !is_regex && rest[close..].starts_with("]]]") { close + 1 } else { close };
            let inner = if is_regex { inner } else { &rest[..close] };
            match inner.split_once(':') {
                _ if is_regex => pattern.push_str(&format!("(?:{inner})")),
                Some((name, regex)) => pattern.push_str(&format!("(?P<{name}>{regex})")),
                None => {
                    let value = self.names.get(inner).ok_or_else(|| format!("line {}: nothing is named {inner} yet", check.line))?;
                    pattern.push_str(&escape(value));
                }
            }
            rest = &rest[close + 2..];
        }
        pattern.push_str(&escape(rest));
        Regex::new(&pattern).map_err(|error| format!("line {}: {error}", check.line))
    }

    /// Goes behind what an expectation finds.
    fn find(&mut self, pattern: &Regex, check: &Check) -> Result<(), String> {
        let text_of = |line: usize| self.lines.get(line).map_or("the end", String::as_str);
        let begin = match check.kind {
            Kind::Next => (self.line + 1, 0),
            _ => (self.line, self.column),
        };
        let last = if check.kind == Kind::Somewhere { self.lines.len() } else { (begin.0 + 1).min(self.lines.len()) };
        for line in begin.0..last {
            let start = if line == begin.0 { begin.1 } else { 0 };
            if let Some(captures) = pattern.captures(&self.lines[line][start..]) {
                for name in pattern.capture_names().flatten() {
                    self.names.insert(name.to_owned(), captures[name].to_owned());
                }
                (self.line, self.column) = (line, start + captures.get(0).map_or(0, |found| found.end()));
                return Ok(());
            }
        }
        Err(format!(
            "line {}: '{}' is not found behind '{}'; there is '{}'",
            check.line,
            check.pattern,
            text_of(self.line),
            text_of(begin.0)
        ))
    }

    /// Whether nothing that must not be stands between a place and here.
    fn none_between(&self, from: (usize, usize), absent: &mut Vec<(Regex, &Check)>) -> Result<(), String> {
        for (pattern, check) in absent.drain(..) {
            for line in from.0..self.lines.len().min(self.line + usize::from(self.column > 0)) {
                let start = if line == from.0 { from.1 } else { 0 };
                // What was found ends the last line, and is not looked at.
                if line != self.line && pattern.is_match(&self.lines[line][start..]) {
                    return Err(format!("line {}: '{}' must not be there, but is: '{}'", check.line, check.pattern, self.lines[line]));
                }
            }
        }
        Ok(())
    }
}

#[test]
fn texts_are_as_expected_or_not() {
    let text = "entry {\n  %1 =   load 4\n  %2 = add %1\n  store %2\n}\n";
    let check = |expected: &str| check(text, &checks(expected, "CHECK", 1)?);
    for right in [
        "// CHECK: %[[A:[0-9]+]] = load\n// CHECK-SAME: 4\n// CHECK-NEXT: %[[B:[0-9]+]] = add %[[A]]\n// CHECK: store %[[B]]",
        "// CHECK: load\n// CHECK-NOT: load\n// CHECK: store",
        "// CHECK: store {{%\\d}}\n// CHECK-NOT: add",
        "// CHECK-NOT: mul",
        "// CHECKED: nothing",
        "// CHECK: [[WORD:[a-z]]]ntry",
    ] {
        assert_eq!(check(right), Ok(()), "{right}");
    }
    for (wrong, why) in [
        ("// CHECK: store\n// CHECK: load", "line 2: 'load' is not found"),
        ("// CHECK: load\n// CHECK-NEXT: store", "line 2: 'store' is not found behind '%1 = load 4'; there is '%2 = add %1'"),
        ("// CHECK: load\n// CHECK-SAME: add", "line 2: 'add' is not found"),
        ("// CHECK: entry\n// CHECK-NOT: add\n// CHECK: store", "line 2: 'add' must not be there"),
        ("// CHECK: load\n// CHECK-NOT: store", "line 2: 'store' must not be there"),
        ("// CHECK-NOT: load", "line 1: 'load' must not be there"),
        ("// CHECK: %[[A]]", "line 1: nothing is named A yet"),
        ("// CHECK: {{a", "line 1: '}}' is missing"),
        ("// CHECK-NXT: load", "line 1: there is no CHECK-NXT"),
        ("// CHECK-NEXT: entry", "line 1: CHECK-NEXT stands behind nothing"),
        ("// CHECK:", "line 1: nothing is expected"),
    ] {
        let found = check(wrong).expect_err(wrong);
        assert!(found.starts_with(why), "{wrong}\n{found}");
    }
}
