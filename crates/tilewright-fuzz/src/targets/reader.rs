//! Bytes that may be a file.

use super::MAGIC;
use crate::Source;
use std::fmt;
use tilewright_bytecode::{
    Section,
    dump::{Group, GroupKind, Leaf, LeafKind, TextOptions, Visitor, dump, write_text},
    read, read_with_layout,
};
use tilewright_ir::{Module, Version, verify};

/// Reads, dumps and verifies any bytes: as they are, and behind a header, of the version that the first byte chooses, so
/// that more of them get to the decoder.
pub fn reader(bytes: &[u8]) {
    look_at(bytes);
    if !bytes.starts_with(&MAGIC) {
        let mut source = Source::new(bytes);
        let version = source.pick(&Version::ALL);
        let header = [version.major(), version.minor(), 0, 0];
        look_at(&[&MAGIC[..], &header, source.rest()].concat());
    }
}

fn look_at(bytes: &[u8]) {
    let mut audit = Audit { file: bytes, next: 0, sections: Vec::new(), problem: None };
    dump(bytes, &mut audit);
    assert_eq!((audit.next, audit.sections.len()), (bytes.len(), 0), "the dump ends before the file, or in the middle of a group");
    dump(bytes, &mut write_text(TextOptions::new(), &mut Sink));
    let module = read(bytes);
    assert_eq!(module.is_ok(), read_with_layout(bytes).is_ok(), "a file is read with its layout if it is read without");
    if let Ok(module) = module {
        assert_eq!(audit.problem, None, "the reader finds nothing wrong with the functions, but the dump does");
        visit(&module, bytes.len());
        drop(verify(module));
    }
}

/// Looks at everything that handles of a module lead to. What a file makes is not more than it has bytes.
fn visit(module: &Module, len: usize) {
    let tables = &module.tables;
    let mut ops = 0;
    for function in &module.functions {
        tables.types.brief(function.signature);
        function.body.walk(|op| {
            ops += 1;
            for group in 0..op.def().operands.len() {
                assert!(op.operand_group(group).iter().all(|value| op.body().contains_value(*value)));
            }
            for value in op.operands().iter().copied().chain(op.results()) {
                tables.types.brief(op.body().ty(value));
            }
            tables.locations.source(op.loc());
            assert_eq!(op.attrs().len(), op.def().attrs.len());
        });
    }
    assert!(ops <= len, "{ops} operations in {len} bytes");
    assert!(module.functions.len() + module.globals.len() <= len);
}

/// The longest title or meaning of a part of a file.
const MAX_WORDS: usize = 2000;

/// Checks that each byte has one meaning.
struct Audit<'f> {
    file: &'f [u8],
    /// How many bytes were told.
    next: usize,
    /// The section that each open group lies in.
    sections: Vec<Option<Section>>,
    /// The first problem of the functions.
    problem: Option<String>,
}

impl Visitor for Audit<'_> {
    fn enter(&mut self, group: &Group<'_>) {
        assert_eq!(group.offset, self.next, "{}", group.title);
        assert!(group.title.to_string().len() < MAX_WORDS, "a long title");
        let outer = self.sections.last().copied().flatten();
        self.sections.push(if let GroupKind::Section(section) = group.kind { Some(section) } else { outer });
    }

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        assert_eq!(leaf.offset, self.next, "{}", leaf.name);
        assert!(!leaf.bytes.is_empty(), "{}", leaf.name);
        self.next += leaf.bytes.len();
        assert_eq!(leaf.bytes, &self.file[leaf.offset..self.next], "{}", leaf.name);
        assert!(leaf.meaning.to_string().len() < MAX_WORDS, "a long meaning");
        assert!(leaf.kind != LeafKind::Undecoded || leaf.problem.is_some(), "{} is not decoded for no reason", leaf.name);
        let is_function = self.sections.last() == Some(&Some(Section::Function)) && leaf.kind != LeafKind::Unused;
        if let Some(problem) = leaf.problem.filter(|_| is_function && self.problem.is_none()) {
            self.problem = Some(format!("{:#x} {}: {problem}", leaf.offset, leaf.name));
        }
    }

    fn leave(&mut self, end: usize) {
        assert_eq!(end, self.next);
        assert!(self.sections.pop().is_some(), "more groups end than begin");
    }
}

/// Takes text and forgets it.
struct Sink;

impl fmt::Write for Sink {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}
