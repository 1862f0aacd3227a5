//! A text that is open in an editor.

use crate::{Analysis, Lines};
use lsp_types::TextDocumentContentChangeEvent;
use std::sync::OnceLock;

/// A text and what is known of it, which is found out when something is asked.
#[derive(Debug)]
pub(crate) struct Document {
    text: String,
    pub(crate) version: i32,
    /// Whether the editor has not been told what is wrong with this state.
    pub(crate) is_news: bool,
    analysis: OnceLock<Analysis>,
}

impl Document {
    pub(crate) fn new(text: String, version: i32) -> Document {
        Document { text, version, is_news: true, analysis: OnceLock::new() }
    }

    pub(crate) fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| Analysis::of(&self.text))
    }

    /// The text after changes, each of which speaks of the state that the one before left.
    pub(crate) fn changed(&self, changes: Vec<TextDocumentContentChangeEvent>, version: i32) -> Document {
        let mut text = self.text.clone();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let lines = Lines::new(&text);
                    let start = lines.offset(&text, range.start);
                    let end = lines.offset(&text, range.end).max(start);
                    text.replace_range(start..end, &change.text);
                }
            }
        }
        Document::new(text, version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::{Position, Range};

    #[test]
    fn changes_follow_each_other() {
        let change = |start: (u32, u32), end: (u32, u32), text: &str| TextDocumentContentChangeEvent {
            range: Some(Range { start: Position::new(start.0, start.1), end: Position::new(end.0, end.1) }),
            range_length: None,
            text: text.to_owned(),
        };
        let document = Document::new("// \u{1d11e}a\nb\n".to_owned(), 1);
        let document = document.changed(vec![change((0, 5), (0, 6), "xy\n"), change((1, 0), (2, 1), ""), change((1, 0), (0, 0), "z")], 2);
        assert_eq!((document.text.as_str(), document.version), ("// \u{1d11e}xy\nz\n", 2));
        let whole = TextDocumentContentChangeEvent { range: None, range_length: None, text: "new".to_owned() };
        assert_eq!(document.changed(vec![whole], 3).text, "new");
    }
}
