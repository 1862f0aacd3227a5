//! Where the bytes of a file go.

use crate::bytecode::{
    Section,
    dump::{Group, GroupKind, Leaf, LeafKind, Visitor, dump},
};
use serde::Serialize;

/// The bytes of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FileStats {
    /// All of them.
    pub bytes: usize,
    /// By section, in the order of the file; heads and padding of sections included.
    pub sections: Vec<SectionBytes>,
    /// Those of operations.
    pub operation_bytes: usize,
    /// Those that only fill space.
    pub padding: usize,
    /// Those that nothing refers to.
    pub unused: usize,
}

/// The bytes of a section.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SectionBytes {
    /// Its name.
    pub name: String,
    /// How many.
    pub bytes: usize,
}

impl FileStats {
    /// Counts the bytes of a bytecode file, good or broken.
    pub fn of_file(bytes: &[u8]) -> FileStats {
        let mut counter = Counter { stats: FileStats { bytes: bytes.len(), ..FileStats::default() }, depth: 0, body: None };
        dump(bytes, &mut counter);
        counter.stats
    }
}

struct Counter {
    stats: FileStats,
    depth: usize,
    /// The depth at which the body of a function began that is open.
    body: Option<usize>,
}

impl Counter {
    fn begin(&mut self, section: Section) {
        self.stats.sections.push(SectionBytes { name: section.to_string(), bytes: 0 });
    }
}

impl Visitor for Counter {
    fn enter(&mut self, group: &Group<'_>) {
        match group.kind {
            GroupKind::Section(section) => self.begin(section),
            GroupKind::Header => self.begin(Section::Header),
            GroupKind::Body => self.body = Some(self.depth),
            _ => {}
        }
        self.depth += 1;
    }

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        let len = leaf.bytes.len();
        if self.depth > 0
            && let Some(section) = self.stats.sections.last_mut()
        {
            section.bytes += len;
        }
        self.stats.operation_bytes += if self.body.is_some() { len } else { 0 };
        match leaf.kind {
            LeafKind::Padding => self.stats.padding += len,
            LeafKind::Unused => self.stats.unused += len,
            LeafKind::Field | LeafKind::Head | LeafKind::Undecoded => {}
        }
    }

    fn leave(&mut self, _: usize) {
        self.depth -= 1;
        if self.body == Some(self.depth) {
            self.body = None;
        }
    }
}
