//! Places in the text, as locations of operations that have none.

use super::cursor::{Parsed, Parser};
use super::lexer::Token;
use tilewright_ir::{Loc, LocData, Str};

/// What is needed to tell line and column of a place.
#[derive(Debug)]
pub(super) struct Places {
    file: Str,
    /// Where each line begins.
    lines: Vec<usize>,
    /// The last place that was told, and the characters before it in its line: the next one mostly stands behind it.
    last: (usize, usize),
}

impl Parser<'_> {
    /// From here on, operations without a location get their place in the text, which is called `file`.
    pub(super) fn locate(&mut self, file: &str) {
        let lines = [0].into_iter().chain(self.source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.places = Some(Places { file: self.module.tables.strings.intern(file), lines, last: (0, 0) });
    }

    /// The location behind an operation whose name is `token`.
    pub(super) fn location_of(&mut self, token: Token) -> Parsed<Option<Loc>> {
        let given = self.optional_location()?;
        if self.recorder.is_some() {
            return Ok(self.own_place(token));
        }
        Ok(given.or_else(|| self.own_place(token)))
    }

    fn own_place(&mut self, token: Token) -> Option<Loc> {
        let Places { file, lines, last } = self.places.as_mut()?;
        let (file, at) = (*file, token.start());
        let line = lines.partition_point(|start| *start <= at);
        let start = lines[line - 1];
        let (from, before) = if (start..=at).contains(&last.0) { *last } else { (start, 0) };
        let characters = before + self.source[from..at].chars().count();
        *last = (at, characters);
        let column = characters + 1;
        Some(self.add_location(LocData::Source { scope: None, file, line: line as u32, column: column as u32 }))
    }
}
