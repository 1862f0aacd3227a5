//! Lines of a source with labels.

use super::{Groups, clean, line, line::Line, origin};
use annotate_snippets::{AnnotationKind, Level, Snippet};
use std::ops::Range;

/// A place in a source, and what is said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The bytes of the source. What lies in other lines than the first byte is not marked.
    pub span: Range<usize>,
    /// The line of the first byte, from 1.
    pub line: usize,
    /// The column of the first byte in characters, from 1.
    pub column: usize,
    /// What stands beside the mark; may be empty.
    pub message: String,
}

/// Lines of a source with labels; what lies between the lines is left out.
#[derive(Clone, Debug)]
pub struct Excerpt<'a> {
    name: String,
    source: &'a [u8],
    marks: Vec<LabelOfKind>,
}

#[derive(Clone, Debug)]
struct LabelOfKind {
    kind: AnnotationKind,
    label: Label,
}

/// How many lines may be left out between labels of one piece; more begin another one.
const MAX_GAP: usize = 100;

impl<'a> Excerpt<'a> {
    /// No lines yet of a source, which may be the bytes of a file that is not UTF-8.
    pub fn new(name: &str, source: &'a (impl AsRef<[u8]> + ?Sized)) -> Excerpt<'a> {
        Excerpt { name: clean(name), source: source.as_ref(), marks: Vec::new() }
    }

    /// Marks what the report is about.
    pub fn primary(self, label: Label) -> Excerpt<'a> {
        self.mark(AnnotationKind::Primary, label)
    }

    /// Marks what has to do with it.
    pub fn context(self, label: Label) -> Excerpt<'a> {
        self.mark(AnnotationKind::Context, label)
    }

    fn mark(mut self, kind: AnnotationKind, mut label: Label) -> Excerpt<'a> {
        label.message = clean(&label.message);
        self.marks.push(LabelOfKind { kind, label });
        self
    }

    /// Adds the lines to what is rendered: those around the first mark that the report is about, then others that are far from them.
    pub(super) fn add_to<'g>(&'g self, groups: &mut Groups<'g>) {
        let mut marks: Vec<&LabelOfKind> = self.marks.iter().collect();
        marks.sort_by_key(|mark| mark.label.line);
        let is_near = |a: &&LabelOfKind, b: &&LabelOfKind| b.label.line - a.label.line <= MAX_GAP;
        let mut pieces: Vec<&[&LabelOfKind]> = marks.chunk_by(is_near).collect();
        pieces.sort_by_key(|piece| !piece.iter().any(|mark| mark.kind == AnnotationKind::Primary));
        let mut notes = Vec::new();
        for piece in pieces {
            self.add_piece(piece, groups, &mut notes);
        }
        notes.into_iter().for_each(|note| groups.add(Level::NOTE.message(note)));
    }

    /// Adds lines that are near each other. Labels that cannot be shown become notes.
    fn add_piece<'g>(&'g self, marks: &[&'g LabelOfKind], groups: &mut Groups<'g>, notes: &mut Vec<String>) {
        let mut text = String::new();
        let mut annotations = Vec::new();
        let first = marks.first().map_or(1, |mark| mark.label.line);
        let mut end = first;
        let mut last: Option<Line> = None;
        for of_line in marks.chunk_by(|a, b| a.label.line == b.label.line) {
            let main = of_line.iter().find(|mark| mark.kind == AnnotationKind::Primary).unwrap_or(&of_line[0]);
            let Label { span, line: number, column, .. } = &main.label;
            let line = Line::around(self.source, span, *column);
            if line.is_cut {
                self.add_long(of_line, main, &line, groups, notes);
                continue;
            }
            match *number - end {
                2 => text += &format!("\n{}\n", last.and_then(|last| last.next(self.source)).map_or_else(String::new, line::plain_text)),
                gap => text.extend(std::iter::repeat_n('\n', gap)),
            }
            let (shown, spans) = line.text(self.source, &of_line.iter().map(|mark| &mark.label.span).collect::<Vec<_>>());
            for (mark, span) in of_line.iter().zip(spans) {
                annotations.push(annotation(mark, text.len() + span.start..text.len() + span.end));
            }
            text += &shown;
            (end, last) = (*number, Some(line));
        }
        if annotations.is_empty() {
            return;
        }
        if text.is_empty() || text.ends_with('\n') {
            // The renderer does not know an empty line at the end of a text.
            text.push(' ');
        }
        groups.add(Snippet::source(text).line_start(first).path(&self.name).annotations(annotations));
    }

    /// Adds a line that is too long to be shown from its beginning, from which the renderer would count columns.
    fn add_long<'g>(
        &'g self,
        marks: &[&'g LabelOfKind],
        main: &'g LabelOfKind,
        line: &Line,
        groups: &mut Groups<'g>,
        notes: &mut Vec<String>,
    ) {
        let note = |Label { line, column, message, .. }: &Label| format!("{message} ({}:{line}:{column})", self.name);
        if main.kind != AnnotationKind::Primary {
            return notes.extend(marks.iter().map(|mark| note(&mark.label)));
        }
        let Label { line: number, column, .. } = &main.label;
        let inside: Vec<&LabelOfKind> = marks.iter().copied().filter(|mark| line.holds(&mark.label.span)).collect();
        let (text, spans) = line.text(self.source, &inside.iter().map(|mark| &mark.label.span).collect::<Vec<_>>());
        let annotations = inside.iter().zip(spans).map(|(mark, span)| annotation(mark, span));
        groups.add(origin(&self.name, Some(*number), Some(*column)));
        groups.begin();
        groups.add(Snippet::source(text).line_start(*number).annotations(annotations));
        notes.extend(marks.iter().filter(|mark| !line.holds(&mark.label.span)).map(|mark| note(&mark.label)));
    }
}

fn annotation<'g>(mark: &'g LabelOfKind, span: Range<usize>) -> annotate_snippets::Annotation<'g> {
    let annotation = mark.kind.span(span);
    if mark.label.message.is_empty() { annotation } else { annotation.label(&mark.label.message) }
}
