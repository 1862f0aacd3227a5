//! Single lines of a source, as far as they are shown.

use std::ops::Range;
use tilewright_ir::is_printable;

/// The most characters before a label in its line, and the most bytes behind it, that are looked at: a line may be the whole text.
pub(super) const MAX_SHOWN: usize = 500;
/// How many characters stand before a label, where there are more than that.
const BEFORE: usize = 60;
/// What stands for what is left out.
const DOTS: &str = "...";

/// A line with labels.
#[derive(Debug)]
pub(super) struct Line {
    /// The part of the source that is shown.
    shown: Range<usize>,
    /// Whether there is more of the line in front of that.
    pub(super) is_cut: bool,
}

impl Line {
    /// The line of a place: the first of a span, with the number of its character in the line.
    pub(super) fn around(source: &[u8], span: &Range<usize>, column: usize) -> Line {
        let at = span.start.min(source.len());
        let before = column.saturating_sub(1);
        let is_cut = before > MAX_SHOWN;
        let start = back(source, at, if is_cut { BEFORE } else { before });
        // A span that goes on in the next line is shown up to the end of this one.
        let last = span.end.clamp(at, source.len()).min(at + MAX_SHOWN);
        Line { shown: start..end_of_line(source, at, last + MAX_SHOWN), is_cut }
    }

    /// Whether what is shown holds the beginning of a span.
    pub(super) fn holds(&self, span: &Range<usize>) -> bool {
        (self.shown.start..=self.shown.end).contains(&span.start)
    }

    /// The line behind this one.
    pub(super) fn next<'s>(&self, source: &'s [u8]) -> Option<&'s [u8]> {
        let start = self.shown.end;
        (source.get(start) == Some(&b'\n')).then(|| &source[start + 1..end_of_line(source, start + 1, start + 1 + MAX_SHOWN)])
    }

    /// What is shown, and where the spans are in it.
    pub(super) fn text(&self, source: &[u8], spans: &[&Range<usize>]) -> (String, Vec<Range<usize>>) {
        let Range { start, end } = self.shown;
        let inside = |at: usize| at.clamp(start, end);
        let mut cuts: Vec<usize> = spans.iter().flat_map(|span| [inside(span.start), inside(span.end)]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut text = if self.is_cut { DOTS.to_owned() } else { String::new() };
        let mut at = start;
        let mut places = Vec::with_capacity(cuts.len());
        for &cut in &cuts {
            text.extend(String::from_utf8_lossy(&source[at..cut]).chars().map(visible));
            places.push(text.len());
            at = cut;
        }
        text.extend(String::from_utf8_lossy(&source[at..end]).trim_end().chars().map(visible));
        let place = |at: usize| cuts.binary_search(&inside(at)).map_or(text.len(), |index| places[index]);
        let spans = spans.iter().map(|span| place(span.start)..place(span.end).max(place(span.start))).collect();
        (text, spans)
    }
}

/// A line without labels.
pub(super) fn plain_text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end().chars().map(visible).collect()
}

/// The end of the line at a place, or a later place that is no further than `limit`.
fn end_of_line(source: &[u8], at: usize, limit: usize) -> usize {
    let mut limit = limit.min(source.len());
    while limit < source.len() && source[limit] & 0xc0 == 0x80 {
        limit += 1;
    }
    source[at..limit.max(at)].iter().position(|&byte| byte == b'\n').map_or(limit.max(at), |length| at + length)
}

/// The place so many characters before another.
fn back(source: &[u8], at: usize, characters: usize) -> usize {
    let mut starts = (0..at).rev().filter(|&at| source[at] & 0xc0 != 0x80);
    match characters.checked_sub(1) {
        None => at,
        Some(more) => starts.nth(more).unwrap_or(0),
    }
}

/// A character as it can be shown. The renderer gives a tab its width.
fn visible(c: char) -> char {
    if c == '\t' || is_printable(c) { c } else { char::REPLACEMENT_CHARACTER }
}
