//! What a file fixes beyond the meaning of its module.
//!
//! Why a layout cannot make a file say something else than the module does: The tables of the new file begin with the items
//! of the old one, at their old positions. Where the writer's encoding of a part of the file (a record of a function, a
//! body, a section) is the same, byte for byte, as its encoding of what was read, the bytes that were read stand for it:
//! they name the same positions, and were read as the same thing. Where it differs, the layout has no say.

mod capture;

use crate::{Section, Style, envelope::RawSection};
use std::ops::Range;
use tilewright_ir::Version;

/// What a file fixes beyond the meaning of its module: a writer that is given it writes the same bytes again.
///
/// That is: the order, alignment and padding of sections; the order of all tables, with the items that nothing uses and
/// those that stand twice; whether empty tables and hints are there; the form of numbers, flags, debug rows and bytes that
/// readers skip.
///
/// A layout is a preference. With another module, or one that was changed, the file still says what the module says: what
/// is the same looks as before, new items are appended to the tables. With another version, the layout only gives the order
/// and alignment of sections.
///
/// Get one from [`read_with_layout`](crate::read_with_layout) or
/// [`File::into_module_with_layout`](crate::File::into_module_with_layout).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileLayout {
    bytes: Box<[u8]>,
    version: Version,
    preview: bool,
    style: Style,
    sections: Vec<RawSection>,
    tables: TableSeeds,
    functions: Vec<FunctionLayout>,
    payloads: Vec<(Section, Kept)>,
}

/// What the tables of a file begin with.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct TableSeeds {
    pub(crate) strings: Seed,
    pub(crate) types: Seed,
    pub(crate) constants: Seed,
    pub(crate) locations: Seed,
}

/// The items of a table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Seed {
    /// Which bytes of the file each item takes.
    pub(crate) items: Vec<Range<usize>>,
    /// Bytes of the file that a writer looks items up by, and their positions.
    pub(crate) keys: Vec<(Range<usize>, u32)>,
    /// The same for items in a form that writers do not give them.
    pub(crate) aliases: Vec<(Box<[u8]>, u32)>,
}

/// A part of a file that was kept.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kept {
    /// How a writer encodes it; `None`: just like the file.
    encoded: Option<Box<[u8]>>,
    raw: Range<usize>,
}

impl Kept {
    fn new(file: &[u8], raw: Range<usize>, encoded: &[u8]) -> Kept {
        let same = file[raw.clone()] == *encoded;
        Kept { encoded: (!same).then(|| encoded.into()), raw }
    }

    /// Whether the part is this.
    fn is(&self, file: &[u8], encoded: &[u8]) -> bool {
        encoded == self.encoded.as_deref().unwrap_or(&file[self.raw.clone()])
    }

    /// The bytes of the file if the part is this.
    fn like<'a>(&self, file: &'a [u8], encoded: &'a [u8]) -> &'a [u8] {
        if self.is(file, encoded) { &file[self.raw.clone()] } else { encoded }
    }
}

/// The parts of a record of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FunctionLayout {
    /// Before and after the number of the debug row: the flags before it say what is after it.
    head: [Kept; 2],
    body: Kept,
    /// The number of the debug row that a writer gives it.
    row: u64,
    raw_row: Range<usize>,
}

impl FunctionLayout {
    /// What the parts of the head look like.
    pub(crate) fn head<'a>(&self, file: &'a [u8], prefix: &'a [u8], attrs: &'a [u8]) -> [&'a [u8]; 2] {
        let [kept_prefix, kept_attrs] = &self.head;
        match kept_prefix.is(file, prefix) && kept_attrs.is(file, attrs) {
            true => [&file[kept_prefix.raw.clone()], &file[kept_attrs.raw.clone()]],
            false => [prefix, attrs],
        }
    }

    /// What the body looks like, with its length.
    pub(crate) fn body<'a>(&self, file: &'a [u8], body: &'a [u8]) -> &'a [u8] {
        self.body.like(file, body)
    }

    /// What the number of its debug row looks like, in a file with the same debug section.
    pub(crate) fn row<'a>(&self, file: &'a [u8], row: u64) -> Option<&'a [u8]> {
        (self.row == row).then(|| &file[self.raw_row.clone()])
    }
}

impl FileLayout {
    /// The version of the file.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Which writer's style the file comes nearest to; what is new in a file is written in it.
    pub fn style(&self) -> Style {
        self.style
    }

    /// The sections, in the order of the file.
    pub fn sections(&self) -> impl Iterator<Item = Section> + '_ {
        self.sections.iter().map(|section| section.section)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn has_preview_content(&self) -> bool {
        self.preview
    }

    pub(crate) fn raw_sections(&self) -> &[RawSection] {
        &self.sections
    }

    pub(crate) fn tables(&self) -> &TableSeeds {
        &self.tables
    }

    pub(crate) fn function(&self, index: usize) -> Option<&FunctionLayout> {
        self.functions.get(index)
    }

    pub(crate) fn has(&self, section: Section) -> bool {
        self.raw_payload(section).is_some()
    }

    /// The payload of a section as it was read: of several, the one that counts.
    pub(crate) fn raw_payload(&self, section: Section) -> Option<Range<usize>> {
        self.sections.iter().rfind(|raw| raw.section == section).map(|raw| raw.payload.clone())
    }

    fn kept_payload(&self, section: Section) -> Option<&Kept> {
        self.payloads.iter().find(|(kept, _)| *kept == section).map(|(_, kept)| kept)
    }

    /// Whether a payload says the same as that of the file.
    pub(crate) fn is_payload(&self, section: Section, encoded: &[u8]) -> bool {
        self.kept_payload(section).is_some_and(|kept| kept.is(&self.bytes, encoded))
    }

    /// The payload of the file if it says the same as this one.
    pub(crate) fn payload(&self, section: Section, encoded: Vec<u8>) -> Vec<u8> {
        match self.kept_payload(section) {
            Some(kept) if kept.encoded.is_some() && kept.is(&self.bytes, &encoded) => self.bytes[kept.raw.clone()].to_vec(),
            _ => encoded,
        }
    }
}
