//! Header and section list.

use crate::{
    accepted, refused,
    support::{Assembler, NO_PARAMETERS, RETURN, RawSection, bytes, id, with_body},
    valid,
};
use tilewright_bytecode::{ReadErrorKind as Kind, Section};
use tilewright_ir::Version;

fn assembler() -> Assembler {
    let mut file = Assembler::new(Version::V13_4);
    file.entry("k", NO_PARAMETERS, RETURN);
    file
}

/// A file with one section changed.
fn with_section(section: u8, change: impl FnOnce(&mut RawSection)) -> Vec<u8> {
    let file = assembler();
    let mut sections = file.sections();
    change(sections.iter_mut().find(|s| s.id == section).expect("the file has the section"));
    file.envelope(&sections)
}

#[test]
fn the_smallest_file_reads() {
    let bytes = [
        &b"\x7fTileIR\0\x0d\x04\0\0"[..],
        b"\x82\x09\x08\xcb\x01\0\0\x02\0\x03\x5c\0\0",
        b"\x85\x0b\x04\x01\xcb\xcb\xcb\0\0\0\0\x10\0\0",
        b"\x81\x09\x04\xcb\xcb\x01\xcb\xcb\xcb\0\0\0\0k\0",
    ]
    .concat();
    assert_eq!(bytes.len(), 54);
    let module = valid(&bytes);
    assert_eq!(module.version, Version::V13_4);
    assert_eq!(module.tables.strings.text(module.name), "kernels");
    let function = module.function("k").expect("the file has a function k");
    assert!(function.is_entry);
    assert_eq!(function.body.num_ops(), 1);
}

#[test]
fn every_version_reads() {
    for version in Version::ALL {
        assert_eq!(valid(&with_body(version, RETURN)).version, version);
    }
}

#[test]
fn the_header_is_checked() {
    let file = with_body(Version::V13_5, RETURN);
    let patched = |at: usize, byte: u8| {
        let mut file = file.clone();
        file[at] = byte;
        file
    };
    refused(b"", Kind::Magic, "expected Tile IR bytecode, but the file is empty");
    refused(&file[..5], Kind::Magic, "the file ends within its first 8 bytes");
    refused(&patched(0, 0x7e), Kind::Magic, "this does not begin with 7f 'TileIR' 00");
    refused(b"ML\xefR\x0d", Kind::Magic, "this is MLIR bytecode");
    refused(&file[..8], Kind::Truncated, "expected 1 more byte,");
    refused(&patched(8, 12), Kind::Version, "version 12.5 is not supported");
    refused(&patched(9, 0), Kind::Version, "version 13.0 is not supported: expected 13.1 to 13.5");
    assert_eq!(refused(&patched(9, 6), Kind::Version, "version 13.6").offset(), 8);
    assert_eq!(refused(&patched(10, 2), Kind::Malformed, "tag of 0 or 1, found 0x0002").section(), Section::Header);
    refused(&patched(11, 1), Kind::Malformed, "found 0x0100");
    accepted(&patched(10, 1));
    let mut old = with_body(Version::V13_4, RETURN);
    old[10] = 1;
    refused(&old, Kind::Preview, "only 13.5 files hold preview content");
}

#[test]
fn alignment_is_checked() {
    for (section, alignment) in [(id::STRING, 4), (id::TYPE, 4), (id::FUNCTION, 8)] {
        refused(&with_section(section, |s| s.alignment = None), Kind::Malformed, "found 1");
        refused(&with_section(section, |s| s.alignment = Some(alignment / 2)), Kind::Malformed, "needs an alignment");
        for more in [1, 2, 8] {
            accepted(&with_section(section, |s| s.alignment = Some(alignment * more)));
        }
    }
    let mut file = with_body(Version::V13_4, RETURN);
    file[14] = 24;
    refused(&file, Kind::Malformed, "power of two, found 24");
    file[14] = 0;
    refused(&file, Kind::Malformed, "power of two, found 0");
}

#[test]
fn padding_is_not_looked_at() {
    let mut file = with_body(Version::V13_4, RETURN);
    assert_eq!(file[15], 0xcb);
    file[15] = 0;
    accepted(&file);
}

#[test]
fn sections_are_found_in_any_order_and_the_last_one_counts() {
    let file = assembler();
    let mut sections = file.sections();
    sections.reverse();
    accepted(&file.envelope(&sections));
    let broken = RawSection { id: id::TYPE, alignment: Some(4), payload: vec![0xff; 20] };
    sections.insert(0, broken.clone());
    accepted(&file.envelope(&sections));
    sections.push(broken);
    refused(&file.envelope(&sections), Kind::Malformed, "a varint has at most 10 bytes");
}

#[test]
fn required_sections_are_required() {
    let file = assembler();
    for (missing, message) in [(id::STRING, "no string section"), (id::FUNCTION, "no function section")] {
        let sections: Vec<_> = file.sections().into_iter().filter(|s| s.id != missing).collect();
        refused(&file.envelope(&sections), Kind::Malformed, message);
    }
    let sections: Vec<_> = file.sections().into_iter().filter(|s| s.id != id::TYPE).collect();
    refused(&file.envelope(&sections), Kind::Index, "type index 2 is out of range: 0 types in the file");
    let mut empty = Assembler::new(Version::V13_4);
    empty.types.clear();
    assert_eq!(valid(&empty.build()).functions.len(), 0);
}

#[test]
fn unknown_sections_and_bad_ends_are_refused() {
    let file = with_body(Version::V13_4, RETURN);
    for id in [8, 0x7f, 0x80, 0xff] {
        let mut file = file.clone();
        file[12] = id;
        refused(&file, Kind::Malformed, "section id of 1 to 7");
    }
    let mut trailing = file.clone();
    trailing.push(0);
    assert_eq!(refused(&trailing, Kind::Malformed, "nothing after the end mark, found 1 bytes").section(), Section::Envelope);
    refused(&file[..file.len() - 1], Kind::Truncated, "expected 1 more byte, found 0");
}

#[test]
fn lengths_stay_inside_the_file() {
    let head = bytes().raw(tilewright_bytecode::MAGIC).raw([13, 4, 0, 0]);
    let error = refused(&head.clone().raw([6]).varint(100).raw([0; 10]).0, Kind::Truncated, "the global section needs 100 bytes, found 10");
    assert_eq!(error.offset(), 13);
    refused(&head.clone().raw([6]).varint(u64::MAX).0, Kind::Truncated, "needs 18446744073709551615 bytes");
    refused(&head.raw([0x86]).varint(0).varint(1 << 63).0, Kind::Truncated, "found 0 to the end");
}

#[test]
fn the_producer_is_read_in_every_version() {
    for version in Version::ALL {
        let mut file = Assembler::new(version);
        file.entry("k", NO_PARAMETERS, RETURN);
        let index = file.string("maker 1.0");
        file.producer = Some(bytes().varint(index).raw([9, 9]).0);
        let module = accepted(&file.build());
        assert_eq!(module.producer.map(|p| module.tables.strings.text(p).into_owned()).as_deref(), Some("maker 1.0"));
        file.producer = Some(vec![77]);
        let error = refused(&file.build(), Kind::Index, "string index 77 is out of range: 2 strings");
        assert_eq!(error.section(), Section::Producer);
    }
}

#[test]
fn every_prefix_is_refused() {
    let bytes = with_body(Version::V13_4, RETURN);
    for len in 0..bytes.len() {
        assert!(tilewright_bytecode::read(&bytes[..len]).is_err(), "{len} bytes");
    }
}
