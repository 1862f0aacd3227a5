//! What is wrong with a text, and how to show it.

use crate::report::{Excerpt, Label, Look, Report};
use std::fmt;
use std::ops::Range;

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
    /// Other places that have to do with it, such as where a name is defined.
    pub labels: Vec<Label>,
    /// What helps to mend it.
    pub notes: Vec<String>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: error[{}]: {}", self.line, self.column, self.id, self.message)
    }
}

impl std::error::Error for ParseError {}

impl ParseError {
    /// The error with the line of `source` that it is about, the place marked by carets, and the lines of its labels. `name` is that of
    /// the file.
    ///
    /// ```text
    /// error[undefined-value]: %b is not defined
    ///  --> kernel.mlir:3:17
    ///   |
    /// 3 |   %0 = addi %a, %b : tile<i32>
    ///   |                 ^^
    /// ```
    ///
    /// `source` may be the bytes of a file that is not UTF-8. What acts on a terminal, or cannot be shown, stands as one replacement
    /// character.
    pub fn render(&self, source: &(impl AsRef<[u8]> + ?Sized), name: &str) -> String {
        self.report(source, name).render(Look::plain())
    }

    /// The same, to be rendered otherwise or to be added to.
    pub fn report<'a>(&'a self, source: &'a (impl AsRef<[u8]> + ?Sized), name: &str) -> Report<'a> {
        let place = Label { span: self.span.clone(), line: self.line, column: self.column, message: String::new() };
        let excerpt = Excerpt::new(name, source).primary(place);
        let excerpt = self.labels.iter().cloned().fold(excerpt, Excerpt::context);
        let report = Report::new(self.id, &self.message).excerpt(excerpt);
        self.notes.iter().fold(report, |report, note| report.note(note))
    }
}

/// Gives errors, and their labels, their lines and columns: in one pass. `skipped` bytes stand in front of `source`, which the places count
/// and the columns do not.
pub(super) fn locate<'e>(source: &str, errors: impl IntoIterator<Item = &'e mut ParseError>, skipped: usize) {
    let mut places: Vec<(usize, &mut usize, &mut usize)> = Vec::new();
    for ParseError { span, line, column, labels, .. } in errors {
        places.push((span.start - skipped, line, column));
        places.extend(labels.iter_mut().map(|label| (label.span.start - skipped, &mut label.line, &mut label.column)));
    }
    places.sort_by_key(|(at, ..)| *at);
    let (mut at, mut line, mut line_start) = (0, 1, 0);
    for (start, of_line, of_column) in places {
        for (offset, _) in source[at..start].match_indices('\n') {
            line += 1;
            line_start = at + offset + 1;
        }
        at = start;
        (*of_line, *of_column) = (line, source[line_start..at].chars().count() + 1);
    }
}
