//! The lines of a text, as notes beside the operations that were made for them: `tilewright print --expanded`.

use tilewright::{
    ir::{Body, Loc, LocData, Module, OpRef, Value, printable},
    text::{Notes, extended_op},
};

/// Tells of operations that were made for one of the extended assembly which it is.
pub(super) struct SourceNotes<'m> {
    module: &'m Module,
    lines: Vec<&'m str>,
}

impl<'m> SourceNotes<'m> {
    /// Of a module whose operations have their place in the text as their location.
    pub(super) fn new(module: &'m Module, text: &'m [u8]) -> SourceNotes<'m> {
        let text = std::str::from_utf8(text).unwrap_or_default();
        SourceNotes { module, lines: text.trim_start_matches('\u{feff}').lines().collect() }
    }

    /// The number and text of the line of an extended operation.
    fn line(&self, loc: Loc) -> Option<(usize, &'m str)> {
        let LocData::Source { line, column, .. } = *self.module.tables.locations.get(loc) else { return None };
        let text = *self.lines.get(line.checked_sub(1)? as usize)?;
        let rest = &text[text.char_indices().nth(column.checked_sub(1)? as usize)?.0..];
        let name = rest.split([' ', '\t', '(']).next()?;
        let is_own = name.trim_start_matches("cuda_tile.") == "alloca" && !rest[name.len()..].trim_start().starts_with("size");
        extended_op(name).filter(|_| !is_own).map(|_| (line as usize, text.trim()))
    }
}

impl Notes for SourceNotes<'_> {
    fn value(&self, _: &Body, _: Value) -> String {
        String::new()
    }

    fn op(&self, op: OpRef<'_>) -> String {
        // The first of those that were made together tells for all.
        let loc = op.loc().filter(|_| op.prev().is_none_or(|before| before.loc() != op.loc()));
        loc.and_then(|loc| self.line(loc)).map_or_else(String::new, |(number, text)| format!("line {number}: {}", printable(text)))
    }
}
