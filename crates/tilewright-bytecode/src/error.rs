//! What is wrong with a file, and where.

use std::fmt;
use tilewright_ir::printable;

/// A part of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Section {
    /// Magic number, version and tag.
    Header,
    /// The section headers themselves, and the end mark.
    Envelope,
    /// The string section.
    String,
    /// The function section.
    Function,
    /// The debug section.
    Debug,
    /// The constant section.
    Constant,
    /// The type section.
    Type,
    /// The global section.
    Global,
    /// The producer section.
    Producer,
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Section::Header => "header",
            Section::Envelope => "section list",
            Section::String => "string section",
            Section::Function => "function section",
            Section::Debug => "debug section",
            Section::Constant => "constant section",
            Section::Type => "type section",
            Section::Global => "global section",
            Section::Producer => "producer section",
        })
    }
}

/// What kind of fault it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file does not begin like Tile IR bytecode.
    Magic,
    /// The version is not one of 13.1 to 13.5.
    Version,
    /// The data ends too early, or a count says more than the data can hold.
    Truncated,
    /// Something has a value that it cannot have.
    Malformed,
    /// An index names nothing.
    Index,
    /// The file uses what its version does not have.
    Newer,
    /// Preview content that the header does not announce, or that this library does not know.
    Preview,
    /// The file goes beyond one of the [`limits`](crate::limits).
    Limit,
}

impl ReadErrorKind {
    /// All kinds.
    pub const ALL: [ReadErrorKind; 8] = [
        ReadErrorKind::Magic,
        ReadErrorKind::Version,
        ReadErrorKind::Truncated,
        ReadErrorKind::Malformed,
        ReadErrorKind::Index,
        ReadErrorKind::Newer,
        ReadErrorKind::Preview,
        ReadErrorKind::Limit,
    ];

    /// The kind with this stable name.
    pub fn from_id(id: &str) -> Option<ReadErrorKind> {
        ReadErrorKind::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// What is wrong, in a few words.
    pub fn title(self) -> &'static str {
        self.words().0
    }

    /// What is expected, and what to do.
    pub fn text(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            ReadErrorKind::Magic => (
                "No Tile IR bytecode",
                "A file begins with the bytes 7f 'TileIR' 00. Another beginning is another kind of file, or a damaged one.",
            ),
            ReadErrorKind::Version => (
                "Unknown version",
                "The version behind the magic number is one of 13.1 to 13.5. A file of a newer version needs a newer Tilewright; 'tilewright \
                 convert --to' writes older ones.",
            ),
            ReadErrorKind::Truncated => (
                "The data ends too early",
                "A section, a table or an operation says that it is longer than what is there: the file was cut off, or a count is damaged. \
                 'tilewright objdump' shows all up to that place.",
            ),
            ReadErrorKind::Malformed => (
                "A value that cannot be",
                "A tag, a flag, an alignment or another field has a value that the format does not give a meaning. The producer is wrong, or the \
                 file is damaged.",
            ),
            ReadErrorKind::Index => (
                "An index that names nothing",
                "Types, strings, constants, locations and values are named by their position in a table; this one lies outside of it.",
            ),
            ReadErrorKind::Newer => (
                "Something newer than the version of the file",
                "The version in the header does not have this operation, attribute or type. The producer should write the version that has \
                 it; 'tilewright ops NAME' says which.",
            ),
            ReadErrorKind::Preview => (
                "Preview content",
                "Operations that are a preview are announced by a tag in the header, which names the tools that may read them.",
            ),
            ReadErrorKind::Limit => (
                "Beyond a limit",
                "Sizes and nesting have limits, so that no file takes more time or memory than a small multiple of its length.",
            ),
        }
    }

    /// Its stable name, as reports for programs say it.
    pub fn id(self) -> &'static str {
        match self {
            ReadErrorKind::Magic => "bytecode-magic",
            ReadErrorKind::Version => "bytecode-version",
            ReadErrorKind::Truncated => "bytecode-truncated",
            ReadErrorKind::Malformed => "bytecode-malformed",
            ReadErrorKind::Index => "bytecode-index",
            ReadErrorKind::Newer => "bytecode-newer",
            ReadErrorKind::Preview => "bytecode-preview",
            ReadErrorKind::Limit => "bytecode-limit",
        }
    }
}

/// Why a file could not be read.
#[derive(Clone, PartialEq, Eq)]
pub struct ReadError(Box<Details>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Details {
    kind: ReadErrorKind,
    place: Place,
    function: Option<(usize, String)>,
    operation: Option<(usize, Option<&'static str>)>,
    message: String,
}

impl ReadError {
    /// What kind of fault it is.
    pub fn kind(&self) -> ReadErrorKind {
        self.0.kind
    }

    /// Where it is: bytes from the start of the file.
    pub fn offset(&self) -> usize {
        self.0.place.offset
    }

    /// The part of the file it is in.
    pub fn section(&self) -> Section {
        self.0.place.section
    }

    /// The function whose reading came upon it: its position in the file, and its name if that was known.
    pub fn function(&self) -> Option<(usize, &str)> {
        self.0.function.as_ref().map(|(index, name)| (*index, name.as_str()))
    }

    /// The operation whose reading came upon it: its position in the function in pre-order, and its mnemonic if known.
    pub fn operation(&self) -> Option<(usize, Option<&'static str>)> {
        self.0.operation
    }

    /// What was expected and what was found.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    #[cold]
    pub(crate) fn in_function(mut self, index: usize, name: &str) -> ReadError {
        self.0.function.get_or_insert_with(|| (index, name.chars().take(MAX_NAME).collect()));
        self
    }

    #[cold]
    pub(crate) fn in_operation(mut self, index: usize, mnemonic: Option<&'static str>) -> ReadError {
        self.0.operation.get_or_insert((index, mnemonic));
        self
    }
}

/// Longest function name that an error keeps.
const MAX_NAME: usize = 200;

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { kind, place, function, operation, message } = &*self.0;
        if *kind == ReadErrorKind::Magic {
            // What the whole file is has no place in it.
            return f.write_str(message);
        }
        write!(f, "at byte {:#x} ({}", place.offset, place.section)?;
        match function {
            Some((index, name)) if name.is_empty() => write!(f, ", function {index}")?,
            Some((_, name)) => write!(f, ", @{}", printable(name))?,
            None => {}
        }
        if let Some((index, mnemonic)) = operation {
            write!(f, ", operation {index}")?;
            if let Some(mnemonic) = mnemonic {
                write!(f, " '{mnemonic}'")?;
            }
        }
        write!(f, "): {message}")
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadError({:?}, {self})", self.0.kind)
    }
}

impl std::error::Error for ReadError {}

/// A byte of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) offset: usize,
    pub(crate) section: Section,
}

impl Place {
    #[cold]
    pub(crate) fn error(self, kind: ReadErrorKind, message: fmt::Arguments<'_>) -> ReadError {
        ReadError(Box::new(Details { kind, place: self, function: None, operation: None, message: message.to_string() }))
    }

    #[cold]
    pub(crate) fn malformed(self, message: fmt::Arguments<'_>) -> ReadError {
        self.error(ReadErrorKind::Malformed, message)
    }

    #[cold]
    pub(crate) fn truncated(self, message: fmt::Arguments<'_>) -> ReadError {
        self.error(ReadErrorKind::Truncated, message)
    }

    /// `index` names none of the `count` entries of a table.
    #[cold]
    pub(crate) fn no_entry(self, what: &str, index: u64, count: usize, table: &str) -> ReadError {
        self.error(ReadErrorKind::Index, format_args!("{what} index {index} is out of range: {count} {table}"))
    }

    #[cold]
    pub(crate) fn newer(self, message: fmt::Arguments<'_>) -> ReadError {
        self.error(ReadErrorKind::Newer, message)
    }

    #[cold]
    pub(crate) fn preview(self, what: fmt::Arguments<'_>) -> ReadError {
        self.error(ReadErrorKind::Preview, format_args!("preview content is not supported: {what}"))
    }

    #[cold]
    pub(crate) fn limit(self, message: fmt::Arguments<'_>) -> ReadError {
        self.error(ReadErrorKind::Limit, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_word_and_say_where() {
        assert_eq!(size_of::<Result<(), ReadError>>(), 8);
        let place = Place { offset: 0x1a3, section: Section::Function };
        let error = place.no_entry("value", 40, 17, "values are live").in_operation(12, Some("addi")).in_function(0, "kernel");
        let text = "at byte 0x1a3 (function section, @kernel, operation 12 'addi'): value index 40 is out of range: 17 values are live";
        assert_eq!(error.to_string(), text);
        assert_eq!(error.kind(), ReadErrorKind::Index);
    }
}
