//! A dump tells every byte of a file exactly once and in order, whatever the file.
#![allow(clippy::print_stderr, reason = "a test tells what it counted")]

mod support;

use std::time::Duration;
use support::{Assembler, NO_PARAMETERS, RETURN};
use tilewright_bytecode::{
    Section,
    dump::{Group, GroupKind, Leaf, LeafKind, Select, TextOptions, Visitor, dump, write_text},
};
use tilewright_fuzz::{Watchdog, corpus};
use tilewright_ir::Version;

/// Far more than any file here needs: a report, and no failure, for the machine may be slow.
const PATIENCE: Duration = Duration::from_secs(2);

/// Checks what a visitor is promised, and notes what looks wrong.
#[derive(Default)]
struct Auditor<'a> {
    file: &'a [u8],
    told: usize,
    sections: Vec<Option<Section>>,
    leaves: usize,
    /// Complaints, with the section they are about.
    complaints: Vec<(Option<Section>, String)>,
}

impl Visitor for Auditor<'_> {
    fn enter(&mut self, group: &Group<'_>) {
        assert_eq!(group.offset, self.told, "a group begins elsewhere: {}", group.title);
        assert!(group.title.to_string().len() < 2000, "a long title");
        let outer = self.sections.last().copied().flatten();
        self.sections.push(if let GroupKind::Section(section) = group.kind { Some(section) } else { outer });
    }

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        assert_eq!(leaf.offset, self.told, "bytes are told twice or never before {}", leaf.name);
        assert!(!leaf.bytes.is_empty(), "{} has no bytes", leaf.name);
        assert_eq!(leaf.bytes, &self.file[self.told..self.told + leaf.bytes.len()]);
        assert!(leaf.meaning.to_string().len() < 2000, "a long meaning");
        self.told += leaf.bytes.len();
        self.leaves += 1;
        assert!(leaf.kind != LeafKind::Undecoded || leaf.problem.is_some(), "undecoded without a reason");
        if leaf.problem.is_some() || matches!(leaf.kind, LeafKind::Undecoded | LeafKind::Unused) {
            let problem = leaf.problem.map(ToString::to_string).unwrap_or_default();
            let section = self.sections.last().copied().flatten();
            self.complaints.push((section, format!("{:#x} {} {}: {problem}", leaf.offset, leaf.name, leaf.meaning)));
        }
    }

    fn leave(&mut self, end: usize) {
        assert_eq!(end, self.told);
        assert!(self.sections.pop().is_some(), "more groups end than begin");
    }
}

fn audit(file: &[u8]) -> Auditor<'_> {
    let mut auditor = Auditor { file, ..Auditor::default() };
    dump(file, &mut auditor);
    assert_eq!(auditor.told, file.len(), "the end of the file is missing");
    assert!(auditor.sections.is_empty(), "{} groups have no end", auditor.sections.len());
    auditor
}

fn text(file: &[u8]) -> String {
    let mut out = String::new();
    dump(file, &mut write_text(TextOptions::new(), &mut out));
    out
}

#[test]
fn every_byte_of_the_corpus_has_a_meaning() {
    let files = corpus::files("tilebc");
    let (mut bytes, mut leaves) = (0, 0);
    for (path, file) in &files {
        let auditor = audit(file);
        bytes += file.len();
        leaves += auditor.leaves;
        assert!(auditor.complaints.is_empty(), "{}: {:?}", path.display(), auditor.complaints);
    }
    eprintln!("{bytes} bytes of {} files have a meaning, in {leaves} leaves", files.len());
}

/// The line of a dump that contains this text.
#[track_caller]
fn line<'t>(dump: &'t str, part: &str) -> &'t str {
    dump.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("no line with '{part}' in\n{dump}"))
}

#[test]
fn errors_stand_where_they_are_and_the_next_function_is_decoded() {
    let mut file = Assembler::new(Version::V13_4);
    file.entry("broken", NO_PARAMETERS, [&[0x5c, 0][..], &[0, 0x7f, 1, 2, 3]].concat());
    file.entry("good", NO_PARAMETERS, RETURN);
    let dump = text(&file.build());
    let undecoded = line(&dump, "undecoded");
    assert!(undecoded.contains("7f 01 02 03 ") && undecoded.ends_with("undecoded  <-- error: unknown opcode 0x7f"), "{dump}");
    assert!(line(&dump, "function 1: @good").contains("function 1"), "{dump}");
    assert_eq!(dump.matches("return").count(), 2, "{dump}");
}

#[test]
fn wrong_values_do_not_stop_the_dump() {
    // addi of values that are not there, with an overflow that is none, of a type that is none.
    let dump = text(&support::with_body(Version::V13_4, [&[3, 99, 9, 7, 8][..], &RETURN].concat()));
    assert!(line(&dump, "type 99").contains("error: type index 99 is out of range: 4 types in the file"), "{dump}");
    assert!(line(&dump, "9 = unknown").contains("9 is no value of IntegerOverflow"), "{dump}");
    assert!(line(&dump, "lhs: value 7").contains("value index 7 is out of range: 0 values are live"), "{dump}");
    assert!(!dump.contains("undecoded"), "{dump}");
}

#[test]
fn bytes_that_nobody_names_are_unused() {
    let mut file = Assembler::new(Version::V13_4);
    file.entry("k", NO_PARAMETERS, RETURN);
    // The second string begins two bytes after the end of the first one, which is cut off; the third lies in the first.
    let table = support::raw_table(&[2, 6, 3], 4).raw("??long!!tail");
    file.payloads.push((support::id::STRING, table.0));
    file.payloads.push((support::id::FUNCTION, [1, 0, 2, 2, 0, 3, 0x5c, 0, 0, 1, 2, 3].to_vec()));
    let built = file.build();
    let auditor = audit(&built);
    assert!(auditor.complaints.len() >= 2, "{:?}", auditor.complaints);
    let dump = text(&built);
    assert!(line(&dump, "01 02 03").contains("unused"), "{dump}");
    assert!(line(&dump, "3f 3f").contains("unused"), "{dump}");
    assert!(dump.contains("string 1: has no bytes, 0x6 to 0x3 of the blob"), "{dump}");
}

#[test]
fn earlier_sections_of_a_kind_are_unused() {
    let mut file = Assembler::new(Version::V13_4);
    file.entry("k", NO_PARAMETERS, RETURN);
    let mut sections = file.sections();
    sections.insert(0, sections[0].clone());
    let dump = text(&file.envelope(&sections));
    assert_eq!(dump.matches("function section").count(), 2, "{dump}");
    assert_eq!(dump.matches("@k").count(), 1, "{dump}");
    assert_eq!(dump.matches("unused").count(), 1, "{dump}");
}

#[test]
fn parts_can_be_selected() {
    let mut file = Assembler::new(Version::V13_4);
    file.entry("first", NO_PARAMETERS, RETURN);
    file.entry("second", NO_PARAMETERS, RETURN);
    let file = file.build();
    let select = |section, function| {
        let mut out = String::new();
        let mut text = write_text(TextOptions::new(), &mut out);
        let mut select = Select::new(&mut text).section(section).function(function);
        dump(&file, &mut select);
        let found = select.has_found();
        drop(text);
        (out, found)
    };
    let (out, found) = select(None, Some("second"));
    assert!(found && out.contains("@second") && out.contains("return") && !out.contains("first"), "{out}");
    let (out, found) = select(Some(Section::String), None);
    assert!(found && out.starts_with("0x") && out.contains("\"first\"") && !out.contains("return"), "{out}");
    assert_eq!(select(Some(Section::Global), None), (String::new(), false));
    assert_eq!(select(None, Some("third")), (String::new(), false));
}

/// Types that are long, broken and many: looking at them for each use would take minutes.
#[test]
fn broken_types_that_are_used_often_are_told_in_full() {
    let mut file = Assembler::new(Version::V13_4);
    // Tiles of an extent that none may have: 64 of them in one blob, each as long as all that follow.
    let head = support::bytes().varints([13, 0]).varint(20_000).0;
    let blob = [head.repeat(64), vec![3; 160_000]].concat();
    let offsets: Vec<u64> = (0..64).map(|i| i * head.len() as u64).collect();
    file.payloads.push((support::id::TYPE, support::raw_table(&offsets, 4).raw(blob).0));
    let body: Vec<u8> = (0..200_000).flat_map(|i| [0x3a, (i % 64) as u8]).collect();
    file.entry("k", NO_PARAMETERS, body);
    let watchdog = Watchdog::new(PATIENCE, |report| eprintln!("{report}"));
    watchdog.watch("the dump of broken types");
    audit(&file.build());
}

#[test]
fn deep_regions_end_at_the_limit() {
    let level = [0x41, 0, 0, 1, 1, 0, 1];
    let file = support::with_body(Version::V13_4, level.repeat(100_000));
    assert!(text(&file).contains("regions nest deeper than 256"));
}
