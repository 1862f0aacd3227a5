//! The source files that findings are about.

use std::{collections::HashMap, fs};
use tilewright::{check::Source, text::report::Label};

/// The texts of source files, as far as these can be read.
pub(super) struct Sources<'a> {
    texts: HashMap<String, Option<Text>>,
    /// Gives the text of a file that is not on disk.
    text_of: &'a dyn Fn(&str) -> Option<String>,
}

/// A text, and where its lines begin.
struct Text {
    text: String,
    starts: Vec<usize>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(text_of: &'a dyn Fn(&str) -> Option<String>) -> Sources<'a> {
        Sources { texts: HashMap::new(), text_of }
    }

    /// Reads a file, unless that was done before.
    pub(super) fn load(&mut self, file: &str) {
        if !self.texts.contains_key(file) {
            let read = fs::read(file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            self.texts.insert(file.to_owned(), read.or_else(|| (self.text_of)(file)).map(Text::new));
        }
    }

    /// The text of a file that was read, and a label of what begins at a place there: a name, or the line where the column is not known. `None`
    /// if there is no such place.
    pub(super) fn label(&self, source: &Source, message: String) -> Option<(&str, Label)> {
        let text = self.texts.get(&source.file)?.as_ref()?;
        Some((&text.text, text.label(source, message)?))
    }
}

impl Text {
    fn new(text: String) -> Text {
        let starts = [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Text { text, starts }
    }

    fn label(&self, source: &Source, message: String) -> Option<Label> {
        let number = source.line as usize;
        let start = *self.starts.get(number.checked_sub(1)?)?;
        let line = self.text[start..].lines().next()?;
        let column = match source.column {
            0 => 1 + line.chars().take_while(|c| c.is_whitespace()).count(),
            column => column as usize,
        };
        let (before, first) = line.char_indices().nth(column - 1)?;
        let rest = &line[before..];
        let length = match source.column {
            0 => rest.trim_end().len(),
            _ => rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()).max(first.len_utf8()),
        };
        let at = start + before;
        Some(Label { span: at..at + length, line: number, column, message })
    }
}

/// Whether a character belongs to a name, such as `ct.load` or `store_view_tko`.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}
