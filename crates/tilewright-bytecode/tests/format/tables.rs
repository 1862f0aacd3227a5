//! Strings, constants and globals, and what their tables may look like.

use crate::{
    accepted, refused,
    support::{Assembler, Bytes, I32, NO_PARAMETERS, RETURN, TILE_I32, bytes, id, raw_table},
    valid,
};
use tilewright_bytecode::{ReadErrorKind as Kind, Section, limits::OVERLAP_SLACK};
use tilewright_ir::{SymbolVisibility, Version};

/// A file whose function has the name at `index` of this string table.
fn with_strings(table: Bytes, index: u64) -> Vec<u8> {
    let mut file = Assembler::new(Version::V13_4);
    file.functions.push(bytes().varints([index, NO_PARAMETERS]).raw([2, 0, 3]).raw(RETURN).0);
    file.payloads.push((id::STRING, table.0));
    file.build()
}

fn name_of(table: Bytes, index: u64) -> Vec<u8> {
    let module = accepted(&with_strings(table, index));
    module.tables.strings.bytes(module.functions[0].name).to_vec()
}

#[test]
fn string_slices_are_moved_into_the_blob() {
    assert_eq!(name_of(raw_table(&[0, 2, 4], 4).raw("abcdef"), 1), b"cd");
    assert_eq!(name_of(raw_table(&[0, 2, 4], 4).raw("abcdef"), 2), b"ef");
    assert_eq!(name_of(raw_table(&[1, 99], 4).raw("abcdef"), 0), b"bcdef");
    assert_eq!(name_of(raw_table(&[4, 1], 4).raw("abcdef"), 0), b"ef");
    assert_eq!(name_of(raw_table(&[0], 4).raw([0xff, 0xfe]), 0), [0xff, 0xfe]);
    refused(&with_strings(raw_table(&[9], 4).raw("abc"), 0), Kind::Malformed, "the name of a function must not be empty");
    refused(&with_strings(raw_table(&[0, 0], 4).raw("abc"), 0), Kind::Malformed, "must not be empty");
}

#[test]
fn table_counts_are_checked() {
    let error = refused(&with_strings(bytes().varint(4).raw([0; 15]), 0), Kind::Truncated, "4 items cannot fit into the 15 bytes");
    assert_eq!(error.section(), Section::String);
    refused(&with_strings(bytes().varint(u64::MAX).raw([0; 15]), 0), Kind::Truncated, "cannot fit");
    refused(&with_strings(bytes().varint(0), 0), Kind::Index, "string index 0 is out of range: 0 strings in the file");
    refused(&with_strings(bytes(), 0), Kind::Truncated, "expected a varint, found the end of the data");
}

#[test]
fn overlapping_strings_are_bounded() {
    // Each string begins at the start of the blob and takes all of it.
    let blob = OVERLAP_SLACK / 4;
    let offsets: Vec<u64> = (0..20).map(|i| if i % 2 == 0 { i } else { blob as u64 }).collect();
    let mut file = Assembler::new(Version::V13_4);
    for index in 0..10 {
        file.functions.push(bytes().varints([2 * index, NO_PARAMETERS]).raw([2, 0, 3]).raw(RETURN).0);
    }
    file.payloads.push((id::STRING, raw_table(&offsets, 4).raw(vec![b'x'; blob]).0));
    refused(&file.build(), Kind::Limit, "the strings of the file overlap");
    file.functions.truncate(4);
    accepted(&file.build());
}

/// A file with a `constant` operation of this type and these constants.
fn with_constant(ty: impl FnOnce(&mut Assembler) -> u64, data: &[u8]) -> Vec<u8> {
    let mut file = Assembler::new(Version::V13_4);
    let ty = ty(&mut file);
    file.constant(data);
    file.entry("k", NO_PARAMETERS, bytes().raw([0x10]).varints([ty, 0]).raw(RETURN));
    file.build()
}

#[test]
fn constants_hold_one_element_or_all() {
    let tile = |tag: u8, extent: i64| {
        move |file: &mut Assembler| {
            let element = file.ty(bytes().varint(tag.into()));
            file.tile(element, &[extent])
        }
    };
    // Type tag, extent, lengths that fit, lengths that do not.
    let cases: [(u8, i64, &[usize], &[usize]); 9] = [
        (0, 4, &[1], &[0, 2, 4]),
        (0, 16, &[1, 2], &[0, 3, 16]),
        (1, 4, &[1, 4], &[0, 2, 3, 5]),
        (3, 4, &[4, 16], &[1, 8, 12]),
        (4, 2, &[8, 16], &[4]),
        (5, 2, &[2, 4], &[3]),
        (8, 4, &[3, 12], &[4, 16]),
        (19, 4, &[1, 4], &[2]),
        (130, 4, &[1, 4], &[2]),
    ];
    for (tag, extent, good, bad) in cases {
        for &len in good {
            accepted(&with_constant(tile(tag, extent), &vec![1; len]));
        }
        for &len in bad {
            refused(&with_constant(tile(tag, extent), &vec![1; len]), Kind::Malformed, "the constant must hold one");
        }
    }
    refused(&with_constant(|_| I32, &[0; 4]), Kind::Malformed, "constant data needs a tile of numbers");
}

#[test]
fn constant_offsets_are_checked_when_the_file_is_opened() {
    let with_table = |offsets: &[u64], blob: &[u8]| {
        let mut file = Assembler::new(Version::V13_4);
        file.payloads.push((id::CONSTANT, raw_table(offsets, 8).raw(blob).0));
        file.constants.push(Vec::new());
        file.entry("k", NO_PARAMETERS, bytes().raw([0x10]).varints([TILE_I32, 0]).raw(RETURN));
        file.build()
    };
    let blob = b"\x04\x01\0\0\0\x04\x02\0\0\0";
    accepted(&with_table(&[0, 5], blob));
    accepted(&with_table(&[5, 10], blob));
    accepted(&with_table(&[0, 10], blob));
    let error = refused(&with_table(&[5, 0], blob), Kind::Malformed, "the offset of constant 0 is out of order");
    assert_eq!((error.section(), error.function()), (Section::Constant, None));
    refused(&with_table(&[0, 11], blob), Kind::Malformed, "the offset of constant 0");
    refused(&with_table(&[0, u64::MAX], blob), Kind::Malformed, "the offset of constant 0");
    refused(&with_table(&[0, 0], blob), Kind::Truncated, "expected a varint");
    // The size of an item is only looked at when it is used.
    accepted(&with_table(&[0, 5], b"\x04\x01\0\0\0\x30\0"));
    refused(&with_table(&[0], b"\x30\0"), Kind::Truncated, "48 bytes of data cannot fit into the 1 bytes");
}

#[test]
fn constants_are_stored_once() {
    let mut file = Assembler::new(Version::V13_4);
    file.constant(&[1, 0, 0, 0]);
    let constant = bytes().raw([0x10]).varints([TILE_I32, 0]);
    file.entry("k", NO_PARAMETERS, (0..50).fold(bytes(), |b, _| b.raw(&constant)).raw(RETURN));
    assert_eq!(valid(&file.build()).tables.constants.len(), 1);
}

fn with_global(version: Version, record: impl FnOnce(&mut Assembler) -> Bytes) -> Vec<u8> {
    let mut file = Assembler::new(version);
    file.constant(&[1, 0, 0, 0]);
    let record = record(&mut file);
    file.globals.push(record.0);
    file.entry("k", NO_PARAMETERS, RETURN);
    file.build()
}

/// Name, type and constant of a global.
fn head(file: &mut Assembler) -> Bytes {
    let ty = file.tile(I32, &[4]);
    bytes().varints([file.string("g"), ty, 0])
}

#[test]
fn globals_have_the_fields_of_their_version() {
    let module = valid(&with_global(Version::V13_2, |f| head(f).varint(16)));
    let global = &module.globals[0];
    assert_eq!((global.alignment, global.visibility, global.constant), (16, SymbolVisibility::Public, false));
    let module = valid(&with_global(Version::V13_3, |f| head(f).varints([0, 1, 7])));
    let global = &module.globals[0];
    assert_eq!((global.alignment, global.visibility, global.constant), (0, SymbolVisibility::Private, true));
    refused(&with_global(Version::V13_3, |f| head(f).varints([0])), Kind::Truncated, "1 globals cannot fit into the 4 bytes");
    refused(&with_global(Version::V13_3, |f| head(f).varints([0, 2, 0])), Kind::Malformed, "2 is no value of SymbolVisibility");
}

#[test]
fn globals_are_tiles_of_numbers_of_rank_1() {
    for ty in [I32, TILE_I32] {
        let file = with_global(Version::V13_4, |f| bytes().varints([f.string("g"), ty, 0, 0, 0, 0]));
        refused(&file, Kind::Malformed, "must be a tile of numbers of rank 1");
    }
    let file = with_global(Version::V13_4, |f| head(f).varints([0, 0, 0]).raw([1, 2, 3]));
    accepted(&file);
    let unnamed = with_global(Version::V13_4, |f| {
        let ty = f.tile(I32, &[4]);
        bytes().varints([f.string(""), ty, 0, 0, 0, 0])
    });
    refused(&unnamed, Kind::Malformed, "the name of a global must not be empty");
}
