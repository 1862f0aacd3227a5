//! What is wrong with a file, and where.

use std::fmt;

/// A part of a file, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Section {
    /// The magic number, the version and the producer.
    Header,
    /// The strings that other sections refer to.
    String,
    /// The dialects with their versions, and the names of operations.
    Dialect,
    /// The encodings of attributes and types.
    AttrType,
    /// How long each of these encodings is.
    AttrTypeOffset,
    /// Operations, blocks and regions.
    Ir,
    /// The contents of resources.
    Resource,
    /// The names, kinds and lengths of resources.
    ResourceOffset,
    /// The version of a dialect, a section within the dialect section.
    DialectVersion,
    /// The properties of operations.
    Properties,
}

impl Section {
    /// The sections by their number in a file.
    const BY_ID: [Section; 9] = [
        Section::String,
        Section::Dialect,
        Section::AttrType,
        Section::AttrTypeOffset,
        Section::Ir,
        Section::Resource,
        Section::ResourceOffset,
        Section::DialectVersion,
        Section::Properties,
    ];

    /// The section with a number, if there is one.
    pub fn from_id(id: u8) -> Option<Section> {
        Section::BY_ID.get(usize::from(id)).copied()
    }

    /// Its number in a file; none for the header.
    pub fn id(self) -> Option<u8> {
        Section::BY_ID.iter().position(|&section| section == self).map(|id| id as u8)
    }

    /// Its name in one word.
    pub fn name(self) -> &'static str {
        match self {
            Section::Header => "header",
            Section::String => "string",
            Section::Dialect => "dialect",
            Section::AttrType => "attr-type",
            Section::AttrTypeOffset => "attr-type-offset",
            Section::Ir => "ir",
            Section::Resource => "resource",
            Section::ResourceOffset => "resource-offset",
            Section::DialectVersion => "dialect-version",
            Section::Properties => "properties",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Section::Header => f.write_str("header"),
            section => write!(f, "{} section", section.name()),
        }
    }
}

/// Why a file cannot be read.
///
/// ```
/// let error = tilewright_mlir::read(b"ML\xefR\x0f").unwrap_err();
/// assert_eq!(error.to_string(), "at byte 0x4 in the header: MLIR bytecode of version 7, which is newer than 6, the latest that is known");
/// ```
// In a box, since each number that is read may be an error: a result of two words stays in registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(Box<Details>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Details {
    offset: usize,
    section: Section,
    message: String,
}

impl Error {
    #[cold]
    pub(crate) fn new(offset: usize, section: Section, message: impl Into<String>) -> Error {
        Error(Box::new(Details { offset, section, message: message.into() }))
    }

    /// Where, in bytes from the start of the file.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Which part of the file that is.
    pub fn section(&self) -> Section {
        self.0.section
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {:#x} in the {}: {}", self.0.offset, self.0.section, self.0.message)
    }
}

impl std::error::Error for Error {}
