//! Type items: payloads of each version, gates, cycles, limits.

use crate::{
    accepted, refused,
    support::{Assembler, Bytes, I32, NO_PARAMETERS, RETURN, bytes, id, raw_table},
};
use tilewright_bytecode::{ReadErrorKind as Kind, Section};
use tilewright_ir::{AttrData, Version};

/// A file with hints that name the type that `item` makes.
fn with_type(version: Version, item: impl FnOnce(&mut Assembler) -> Bytes) -> Vec<u8> {
    let mut file = Assembler::new(version);
    let item = item(&mut file);
    let ty = file.ty(item);
    let (name, arch, key) = (file.string("k"), file.string("default"), file.string("x"));
    let flags = if version < Version::V13_5 { 6 } else { 2 };
    let head = bytes().varints([name, NO_PARAMETERS]).raw([flags, 0]);
    let hints = head.raw([11, 1]).varint(arch).raw([10, 1]).varint(key).raw([4]).varint(ty);
    let record = if version < Version::V13_5 { hints } else { hints.raw([6, 0]) };
    file.functions.push(record.raw([3]).raw(RETURN).0);
    file.build()
}

/// The text of the type that `item` makes.
#[track_caller]
fn text(version: Version, item: impl FnOnce(&mut Assembler) -> Bytes) -> String {
    let module = accepted(&with_type(version, item));
    let attrs = &module.tables.attrs;
    let AttrData::OptimizationHints(hints) = attrs.get(module.functions[0].hints.expect("hints were written")) else {
        panic!("hints were written")
    };
    let AttrData::Dictionary(entries) = attrs.get(hints[0].1) else { panic!("a dictionary was written") };
    let AttrData::Type(ty) = attrs.get(entries[0].1) else { panic!("a type was written") };
    module.tables.types.display(*ty).to_string()
}

fn tensor_view(file: &mut Assembler, version: Version) -> u64 {
    let head = if version < Version::V13_4 { bytes().varints([14, I32]) } else { bytes().varints([14, 0, I32]) };
    file.ty(head.list8(&[8, i64::MIN]).list8(&[i64::MIN, 1]))
}

#[test]
fn scalars_are_gated() {
    for (tag, since, name) in [
        (0, Version::V13_1, "i1"),
        (11, Version::V13_1, "f8E5M2"),
        (17, Version::V13_1, "token"),
        (18, Version::V13_2, "f8E8M0FNU"),
        (19, Version::V13_3, "f4E2M1FN"),
        (22, Version::V13_3, "i4"),
        (130, Version::V13_4, "fnv8E5M3FNU"),
    ] {
        for version in Version::ALL {
            let item = |_: &mut Assembler| bytes().varint(tag);
            if version >= since {
                assert_eq!(text(version, item), name);
            } else {
                let message = format!("type {name} needs version {since}, the file has {version}");
                refused(&with_type(version, item), Kind::Newer, &message);
            }
        }
    }
}

#[test]
fn tags_are_bytes() {
    assert_eq!(text(Version::V13_4, |_| bytes().varint(256 + 3)), "i32");
    assert_eq!(text(Version::V13_4, |_| bytes().raw([3, 99, 99])), "i32");
    refused(&with_type(Version::V13_4, |_| bytes().raw([99])), Kind::Malformed, "unknown type tag 99");
    refused(&with_type(Version::V13_4, |_| bytes().varint(210)), Kind::Preview, "preview content is not supported: type tag 210");
}

#[test]
fn pointers_have_flags_since_13_4() {
    assert_eq!(text(Version::V13_3, |_| bytes().varints([12, I32])), "ptr<i32>");
    assert_eq!(text(Version::V13_4, |_| bytes().varints([12, 0, I32])), "ptr<i32>");
    assert_eq!(text(Version::V13_4, |_| bytes().varints([12, 1, I32, 0])), "ptr<i32, <none>>");
    assert_eq!(text(Version::V13_5, |_| bytes().varints([12, 1, I32, 2])), "ptr<i32, <multicast>>");
    refused(&with_type(Version::V13_4, |_| bytes().varints([12, 1, I32, 2])), Kind::Newer, "'multicast' of PtrAttr needs version 13.5");
    refused(&with_type(Version::V13_5, |_| bytes().varints([12, 1, I32, 3])), Kind::Malformed, "3 is no value of PtrAttr");
    refused(&with_type(Version::V13_4, |_| bytes().varints([12, 2, I32])), Kind::Malformed, "type flags of 0 or 1, found 0x2");
}

#[test]
fn views_follow_their_version() {
    for version in Version::ALL {
        let view = move |f: &mut Assembler| {
            let tensor_view = tensor_view(f, version);
            let head = if version < Version::V13_3 { bytes().raw([15]) } else { bytes().raw([15, 1]) };
            let body = head.list4(&[4, 8]).varint(tensor_view).list4(&[1, 0]);
            if version < Version::V13_3 { body.raw([7, 0]) } else { body.raw([0]) }
        };
        let expected = "partition_view<tile=(4x8), padding_value = zero, tensor_view<8x?xi32, strides=[?,1]>, dim_map=[1, 0]>";
        assert_eq!(text(version, view), expected, "{version}");
        let strided = move |f: &mut Assembler| {
            let tensor_view = tensor_view(f, version);
            bytes().raw([21, 0]).list4(&[4, 8]).list4(&[3, 5]).varint(tensor_view).list4(&[0, 1])
        };
        let gather = move |f: &mut Assembler| {
            let tensor_view = tensor_view(f, version);
            bytes().raw([20, 0]).list4(&[4, 8]).varint(tensor_view).varint(1)
        };
        if version < Version::V13_3 {
            refused(&with_type(version, strided), Kind::Newer, "strided_view needs version 13.3");
            refused(&with_type(version, gather), Kind::Newer, "gather_scatter_view needs version 13.3");
        } else {
            let view = "tensor_view<8x?xi32, strides=[?,1]>";
            assert_eq!(text(version, strided), format!("strided_view<tile=(4x8), traversal_strides=[3,5], {view}>"));
            assert_eq!(text(version, gather), format!("gather_scatter_view<tile=(4x8), {view}, sparse_dim=1>"));
        }
    }
}

#[test]
fn construction_rules_hold() {
    let tile = |shape: &'static [i64]| with_type(Version::V13_4, move |_| bytes().varints([13, I32]).list8(shape));
    accepted(&tile(&[1 << 24]));
    refused(&tile(&[1 << 25]), Kind::Malformed, "a tile has at most 16777216 elements");
    refused(&tile(&[3]), Kind::Malformed, "positive powers of two, found 3");
    let error = refused(&tile(&[0]), Kind::Malformed, "type 4 is illegal");
    assert_eq!(error.section(), Section::Type);
    assert_eq!(error.function(), Some((0, "k")));
    refused(
        &with_type(Version::V13_4, |_| bytes().varints([13, I32]).list8(&[4]).raw([0])),
        Kind::Preview,
        "a tile type with 1 more bytes",
    );
}

#[test]
fn lists_cannot_be_longer_than_the_item() {
    refused(&with_type(Version::V13_4, |_| bytes().varints([13, I32, 2]).raw([0; 15])), Kind::Truncated, "2 dimensions cannot fit");
    refused(&with_type(Version::V13_4, |_| bytes().varints([13, I32, u64::MAX])), Kind::Truncated, "dimensions cannot fit");
    refused(&with_type(Version::V13_4, |_| bytes().varints([16, 1 << 40])), Kind::Truncated, "types cannot fit");
}

#[test]
fn types_are_not_part_of_themselves() {
    let own = |f: &mut Assembler| f.types.len() as u64;
    refused(&with_type(Version::V13_4, |f| bytes().varints([13, own(f), 0])), Kind::Malformed, "type 4 is part of itself");
    let two = with_type(Version::V13_4, |f| {
        let first = f.ty(bytes().varints([16, 1, 5, 0]));
        bytes().varints([16, 1, first, 0])
    });
    refused(&two, Kind::Malformed, "is part of itself");
    refused(&with_type(Version::V13_4, |_| bytes().varints([13, 99, 0])), Kind::Index, "type index 99 is out of range: 5 types");
}

#[test]
fn types_refer_forward_but_not_far_down() {
    assert_eq!(text(Version::V13_4, |f| bytes().varints([13, f.types.len() as u64 - 4, 0])), "tile<i32>");
    let mut file = Assembler::new(Version::V13_4);
    let first = file.types.len() as u64;
    for next in first + 1..first + 100_000 {
        file.ty(bytes().varints([16, 1, next, 0]));
    }
    file.ty([3]);
    file.entry("k", first, RETURN);
    refused(&file.build(), Kind::Limit, "types nest deeper than 8");
    let nested = |f: &mut Assembler| {
        let inner = f.ty([16, 0, 0]);
        bytes().varints([16, 1, inner, 0])
    };
    refused(&with_type(Version::V13_4, nested), Kind::Malformed, "a function cannot take or give functions");
}

#[test]
fn broken_types_that_nothing_uses_are_not_noticed() {
    let mut file = Assembler::new(Version::V13_4);
    file.ty([99]);
    file.ty([]);
    file.entry("k", NO_PARAMETERS, RETURN);
    accepted(&file.build());
    file.payloads.push((id::TYPE, raw_table(&[3, 1, 0], 4).raw([0xff, 16, 0, 0]).0));
    file.functions[0][1] = 2;
    refused(&file.build(), Kind::Malformed, "unknown type tag 127");
    file.functions[0][1] = 0;
    refused(&file.build(), Kind::Malformed, "type 0 has no bytes");
}

#[test]
fn overlapping_types_are_bounded() {
    // Even items up to 126 are `i32`. Beyond, each is a function type that begins two bytes after the one before it, and
    // takes the heads of the next ones for its parameters.
    const FUNCTIONS: u64 = 700;
    const FIRST: u64 = 128;
    let heads = (0..FUNCTIONS).fold(bytes().raw([3]), |b, _| b.raw([16, 126]));
    let blob = heads.raw([0; 300]);
    let end = blob.0.len() as u64;
    let offset = |i: u64| match (i % 2, i) {
        (0, 0..FIRST) => 0,
        (1, 0..FIRST) => 1,
        (0, _) => 1 + (i - FIRST),
        _ => end,
    };
    let offsets: Vec<u64> = (0..FIRST + 2 * FUNCTIONS).map(offset).collect();
    let mut file = Assembler::new(Version::V13_4);
    file.payloads.push((id::TYPE, raw_table(&offsets, 4).raw(&blob).0));
    for index in 0..FUNCTIONS {
        let name = file.string(format!("k{index}"));
        file.functions.push(bytes().varints([name, FIRST + 2 * index]).raw([2, 0, 3]).raw(RETURN).0);
    }
    refused(&file.build(), Kind::Limit, "the types of the file overlap");
    file.functions.truncate(100);
    accepted(&file.build());
}
