//! Function records.

use crate::{
    accepted, refused,
    support::{Assembler, I32, NO_PARAMETERS, ONE_PARAMETER, RETURN, TILE_I32, bytes, id, with_body},
};
use tilewright_bytecode::{File, ReadErrorKind as Kind, limits::PARAMETER_SLACK, read};
use tilewright_ir::{SymbolVisibility, Version, verify};
use tilewright_oracle::Oracle;

fn with_record(version: Version, record: impl AsRef<[u8]>) -> Vec<u8> {
    let mut file = Assembler::new(version);
    file.string("k");
    file.string("");
    file.functions.push(record.as_ref().to_vec());
    file.build()
}

/// A record of 13.4 with these flags.
fn flags(version: Version, flags: u8) -> Vec<u8> {
    let rest: &[u8] = if version < Version::V13_5 { &[] } else { &[11, 0, 6, 0] };
    with_record(version, bytes().varints([0, NO_PARAMETERS]).raw([flags, 0]).raw(rest).raw([3]).raw(RETURN))
}

#[test]
fn names_and_signatures_are_checked() {
    let error = refused(&with_record(Version::V13_4, [1, 2, 2, 0, 3, 0x5c, 0, 0]), Kind::Malformed, "name of a function must not be empty");
    assert_eq!(error.function(), Some((0, "")));
    let error = refused(&with_record(Version::V13_4, [0, I32 as u8, 2, 0, 3, 0x5c, 0, 0]), Kind::Malformed, "must be a function type");
    assert_eq!(error.function(), Some((0, "k")));
    assert!(error.to_string().starts_with("at byte 0x12 (function section, @k): "), "{error}");
}

#[test]
fn flags_mean_what_their_version_says() {
    for version in [Version::V13_1, Version::V13_2, Version::V13_3] {
        accepted(&flags(version, 0xfa));
    }
    for bit in 3..8 {
        refused(&flags(Version::V13_4, 2 | 1 << bit), Kind::Malformed, "mean nothing");
    }
    for bit in 4..8 {
        refused(&flags(Version::V13_5, 2 | 1 << bit), Kind::Malformed, "mean nothing");
    }
    refused(&flags(Version::V13_5, 2 | 4), Kind::Preview, "implemented elsewhere");
    refused(&flags(Version::V13_5, 2 | 8), Kind::Malformed, "the form of a function is 2");
    refused(&flags(Version::V13_5, 2 | 12), Kind::Malformed, "the form of a function is 3");
    for version in Version::ALL {
        refused(&flags(version, 0), Kind::Preview, "a function that is no entry");
        let module = accepted(&flags(version, 3));
        assert_eq!(module.functions[0].visibility, SymbolVisibility::Private);
        assert!(verify(module).is_err(), "entries must be public");
    }
}

#[test]
fn bodies_stay_inside_the_section() {
    refused(&with_record(Version::V13_4, [0, 2, 2, 0, 4, 0x5c, 0, 0]), Kind::Truncated, "4 bytes of the body cannot fit into the 3 bytes");
    refused(&with_record(Version::V13_4, [0, 2, 2, 0, 2, 0x5c, 0, 0]), Kind::Truncated, "expected a varint");
    refused(&with_body(Version::V13_4, []), Kind::Malformed, "must hold an operation, found none");
    let mut file = Assembler::new(Version::V13_4);
    file.entry("k", NO_PARAMETERS, RETURN);
    file.payloads.push((id::FUNCTION, bytes().varint(1 << 32).raw([0; 100]).0));
    refused(&file.build(), Kind::Truncated, "4294967296 functions cannot fit");
}

#[test]
fn bytes_after_the_last_function_are_ignored() {
    let mut file = Assembler::new(Version::V13_4);
    file.entry("k", NO_PARAMETERS, RETURN);
    file.functions[0].extend([0xcb; 5]);
    accepted(&file.build());
}

#[test]
fn shared_signatures_are_bounded() {
    let functions = 40;
    let parameters = PARAMETER_SLACK / 20;
    let mut file = Assembler::new(Version::V13_4);
    let signature = file.ty(bytes().varints([16, parameters as u64]).raw(vec![1; parameters]).raw([0]));
    for index in 0..functions {
        file.entry(&format!("k{index}"), signature, RETURN);
    }
    refused(&file.build(), Kind::Limit, "the functions of the file have too many parameters");
    file.functions.truncate(20);
    accepted(&file.build());
}

#[test]
fn bodies_are_read_on_demand() {
    let mut file = Assembler::new(Version::V13_5);
    file.entry("good", ONE_PARAMETER, RETURN);
    file.entry("bad", NO_PARAMETERS, [0xff, 0xff, 0x7f]);
    let bytes = file.build();
    let mut file = File::parse(&bytes).expect("bodies are not looked at");
    assert_eq!((file.version(), file.has_preview_content(), file.producer()), (Version::V13_5, false, None));
    assert!(file.globals().is_empty());
    let names: Vec<_> = file.functions().iter().map(|f| file.tables().strings.text(f.name).into_owned()).collect();
    assert_eq!(names, ["good", "bad"]);
    assert_eq!(&bytes[file.functions()[0].body.clone()], RETURN);
    for _ in 0..2 {
        assert_eq!(file.read_function(0).expect("the first function is right").body.num_ops(), 1);
        let error = file.read_function(1).expect_err("the second function is wrong");
        assert_eq!(error.function(), Some((1, "bad")));
        assert_eq!(error.operation(), Some((0, None)));
        assert_eq!(error.message(), "unknown opcode 0x1fffff");
    }
    let error = file.into_module().expect_err("the second function is wrong");
    assert_eq!(error.function(), Some((1, "bad")));
}

/// An entry takes tiles of rank 0 of numbers and pointers, and nothing else.
#[test]
fn parameters_of_entries_are_tiles_of_rank_0() {
    let entry = |parameter: fn(&mut Assembler) -> u64| {
        let mut file = Assembler::new(Version::V13_5);
        let parameter = parameter(&mut file);
        let signature = file.ty(bytes().varints([16, 1, parameter, 0]));
        file.entry("k", signature, RETURN);
        file.build()
    };
    let cases: [(&str, Vec<u8>, bool); 8] = [
        ("tile<i32>", entry(|_| TILE_I32), true),
        ("tile<ptr<i32>>", entry(|f| pointer(f, &[])), true),
        ("tile<4xi32>", entry(|f| f.tile(I32, &[4])), false),
        ("tile<1xptr<i32>>", entry(|f| pointer(f, &[1])), false),
        ("i32", entry(|_| I32), false),
        ("token", entry(|f| f.ty([17])), false),
        ("tensor_view<i32>", entry(|f| tensor_view(f, &[])), false),
        ("tensor_view<4xi32, strides=[4]>", entry(|f| tensor_view(f, &[4])), false),
    ];
    for (name, file, is_valid) in &cases {
        assert_eq!(read(file).is_ok_and(|module| verify(module).is_ok()), *is_valid, "{name}");
    }
    let Some(oracle) = Oracle::or_skip(&format!("{} verdicts on parameters of entries", cases.len())) else { return };
    for (name, file, is_valid) in &cases {
        let answer = oracle.disassemble(file, &[]);
        assert_eq!(answer.status, Some(if *is_valid { 0 } else { 3 }), "{name}: {}", answer.stderr);
    }
}

fn tensor_view(file: &mut Assembler, shape: &[i64]) -> u64 {
    file.ty(bytes().varints([14, 0, I32]).list8(shape).list8(shape))
}

/// A tile of pointers.
fn pointer(file: &mut Assembler, shape: &[i64]) -> u64 {
    let pointer = file.ty(bytes().varints([12, 0, I32]));
    file.tile(pointer, shape)
}
