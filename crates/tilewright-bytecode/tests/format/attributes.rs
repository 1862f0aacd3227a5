//! Attributes with tags: in hints, and in the attributes of parameters.

use crate::{
    accepted, refused,
    support::{Assembler, Bytes, I32, NO_PARAMETERS, ONE_PARAMETER, RETURN, TILE_I32, bytes},
};
use tilewright_bytecode::{ReadErrorKind as Kind, limits::MAX_ATTRIBUTE_DEPTH};
use tilewright_ir::{AttrData, Module, MultimemReductionKind, Version};
use tilewright_oracle::Oracle;

/// A file of a function with these hints.
fn with_hints(version: Version, hints: impl FnOnce(&mut Assembler) -> Bytes) -> Vec<u8> {
    let mut file = Assembler::new(version);
    let hints = hints(&mut file);
    let name = file.string("k");
    let flags = if version < Version::V13_5 { 6 } else { 2 };
    let record = bytes().varints([name, NO_PARAMETERS]).raw([flags, 0]).raw(hints);
    let record = if version < Version::V13_5 { record } else { record.raw([6, 0]) };
    file.functions.push(record.raw([3]).raw(RETURN).0);
    file.build()
}

/// A file with hints that hold this attribute.
fn with_attribute(version: Version, attribute: impl FnOnce(&mut Assembler) -> Bytes) -> Vec<u8> {
    with_hints(version, |file| {
        let attribute = attribute(file);
        bytes().raw([11, 1]).varint(file.string("default")).raw([10, 1]).varint(file.string("x")).raw(attribute)
    })
}

fn value(module: &Module) -> AttrData {
    let attrs = &module.tables.attrs;
    let AttrData::OptimizationHints(hints) = attrs.get(module.functions[0].hints.expect("hints were written")) else {
        panic!("hints were written")
    };
    let AttrData::Dictionary(entries) = attrs.get(hints[0].1) else { panic!("a dictionary was written") };
    attrs.get(entries[0].1).clone()
}

#[track_caller]
fn decoded(attribute: Bytes) -> AttrData {
    value(&accepted(&with_attribute(Version::V13_5, |_| attribute)))
}

#[track_caller]
fn refused_attribute(attribute: Bytes, message: &str) {
    refused(&with_attribute(Version::V13_5, |_| attribute), Kind::Malformed, message);
}

#[test]
fn predicates_have_two_flags() {
    let (every, along) = (Some(-2), Some(1));
    assert_eq!(decoded(bytes().raw([8, 16, 0])), AttrData::DivBy { divisor: 16, every: None, along: None });
    assert_eq!(decoded(bytes().raw([8, 16, 1, 3])), AttrData::DivBy { divisor: 16, every, along: None });
    assert_eq!(decoded(bytes().raw([8, 16, 3, 3, 2])), AttrData::DivBy { divisor: 16, every, along });
    assert_eq!(decoded(bytes().raw([12, 2, 2])), AttrData::Bounded { lower: None, upper: along });
    assert_eq!(decoded(bytes().raw([12, 0x80, 0])), AttrData::Bounded { lower: None, upper: None });
    assert_eq!(decoded(bytes().raw([9]).list8(&[4, -1])), AttrData::SameElements([4, -1].into()));
    refused_attribute(bytes().raw([8, 16, 4]), "predicate flags of 0 to 3, found 0x4");
    refused_attribute(bytes().raw([12, 4]), "predicate flags of 0 to 3, found 0x4");
}

#[test]
fn numbers_fit_their_types() {
    let with_type = |tag: u8, rest: Bytes, kind: u8| {
        with_attribute(Version::V13_5, |f| {
            let ty = f.ty(bytes().varint(tag.into()));
            bytes().raw([kind]).varint(ty).raw(rest)
        })
    };
    let integer = |tag, rest| with_type(tag, rest, 1);
    let float = |tag, rest| with_type(tag, rest, 2);
    let bits = |file: &[u8]| match value(&accepted(file)) {
        AttrData::Integer { bits, .. } | AttrData::Float { bits, .. } => bits,
        other => panic!("{other:?}"),
    };
    assert_eq!(bits(&integer(1, bytes().raw([0x80, 1]))), 0x80);
    assert_eq!(bits(&integer(0, bytes().raw([0xff]))), 1);
    assert_eq!(bits(&integer(4, bytes().varint(u64::MAX))), u64::MAX);
    refused(&integer(3, bytes().varint(1 << 32)), Kind::Malformed, "0x100000000 does not fit into 32 bits");
    refused(&integer(22, bytes().raw([16])), Kind::Malformed, "0x10 does not fit into 4 bits");
    refused(&integer(7, bytes().raw([1])), Kind::Malformed, "must be an integer type");
    // f32 -inf, f16 1.0, f64 -inf.
    assert_eq!(bits(&float(7, bytes().raw([0x80, 0x80, 0x80, 0xf8, 0x1f]))), 0xff80_0000);
    assert_eq!(bits(&float(5, bytes().raw([0x80, 0xf0, 1]))), 0x3c00);
    assert_eq!(bits(&float(9, bytes().raw([0xff; 7]).raw([0x0f]))), f64::NEG_INFINITY.to_bits());
    assert_eq!(bits(&float(10, bytes().raw([0xff]))), 0xff);
    refused(&float(19, bytes().raw([0x1f])), Kind::Malformed, "0x1f does not fit into 4 bits");
    refused(&float(8, bytes().varint(1 << 20)), Kind::Malformed, "does not fit into 19 bits");
    refused(&float(7, bytes().raw([1])), Kind::Malformed, "does not fit into 32 bits");
    refused(&float(3, bytes().raw([1])), Kind::Malformed, "must be a float type");
}

#[test]
fn simple_attributes_decode() {
    assert_eq!(decoded(bytes().raw([3, 7])), AttrData::Bool(true));
    assert_eq!(decoded(bytes().varint(256 + 3).raw([0])), AttrData::Bool(false));
    let module = accepted(&with_attribute(Version::V13_5, |f| bytes().raw([5]).varint(f.string("hi"))));
    let AttrData::String(text) = value(&module) else { panic!("a string was written") };
    assert_eq!(module.tables.strings.text(text), "hi");
    let AttrData::Type(ty) = value(&accepted(&with_attribute(Version::V13_5, |_| bytes().raw([4]).varint(TILE_I32)))) else {
        panic!("a type was written")
    };
    assert!(ty.index() > 0);
    let AttrData::Array(elements) = decoded(bytes().raw([6, 2, 3, 1, 6, 0])) else { panic!("an array was written") };
    assert_eq!(elements.len(), 2);
}

#[test]
fn kinds_are_gated() {
    let kind = MultimemReductionKind::Min;
    assert_eq!(decoded(bytes().raw([13, 1])), AttrData::MultimemReductionKind(kind));
    refused_attribute(bytes().raw([13, 8]), "8 is no value of MultimemReductionKind");
    let old = with_attribute(Version::V13_4, |_| bytes().raw([13, 1]));
    refused(&old, Kind::Newer, "MultimemReductionKind needs version 13.5");
    refused_attribute(bytes().raw([0]), "unknown attribute tag 0");
    refused_attribute(bytes().raw([14]), "unknown attribute tag 14");
    refused_attribute(bytes().raw([7]).varints([I32, 0]), "dense elements are not accepted");
    refused(&with_attribute(Version::V13_5, |_| bytes().varint(210)), Kind::Preview, "attribute tag 210");
}

#[test]
fn attributes_nest_to_a_limit() {
    let nested = |depth: usize| with_attribute(Version::V13_5, |_| (0..depth).fold(bytes(), |b, _| b.raw([6, 1])).raw([3, 1]));
    accepted(&nested(MAX_ATTRIBUTE_DEPTH - 3));
    refused(&nested(MAX_ATTRIBUTE_DEPTH - 2), Kind::Limit, "attributes nest deeper than 64");
    refused(&nested(1_000_000), Kind::Limit, "attributes nest deeper than 64");
}

#[test]
fn dictionaries_have_names_and_no_doubles() {
    let with_keys = |keys: &'static [&'static str]| {
        with_attribute(Version::V13_5, move |f| {
            let head = bytes().raw([10]).varint(keys.len() as u64);
            keys.iter().fold(head, |b, key| b.varint(f.string(key)).raw([3, 1]))
        })
    };
    accepted(&with_keys(&["b", "a"]));
    refused(&with_keys(&["b", "a", "b"]), Kind::Malformed, "key 'b' stands twice in a dictionary");
    refused(&with_keys(&["b", ""]), Kind::Malformed, "the key of an entry must not be empty");
    let long = with_attribute(Version::V13_5, |_| bytes().raw([10]).varint(u64::MAX));
    refused(&long, Kind::Truncated, "entries cannot fit");
}

#[test]
fn hints_are_dictionaries_of_dictionaries() {
    let not_hints = with_hints(Version::V13_5, |_| bytes().raw([10, 0]));
    refused(&not_hints, Kind::Malformed, "the hints of a function must be optimization hints");
    let flat = with_hints(Version::V13_5, |f| bytes().raw([11, 1]).varint(f.string("sm_100")).raw([3, 1]));
    refused(&flat, Kind::Malformed, "the hints for 'sm_100' must be a dictionary");
    for version in Version::ALL {
        let module = accepted(&with_hints(version, |_| bytes().raw([11, 0])));
        assert_eq!(module.functions[0].hints, None);
    }
}

/// A file with one parameter that has these attributes.
fn with_parameter_attributes(attributes: impl FnOnce(&mut Assembler) -> Bytes) -> Vec<u8> {
    let mut file = Assembler::new(Version::V13_5);
    let attributes = attributes(&mut file);
    let head = bytes().varints([file.string("k"), ONE_PARAMETER]).raw([2, 0, 11, 0]).raw(attributes);
    file.functions.push(head.raw([3]).raw(RETURN).0);
    file.build()
}

#[test]
fn parameter_attributes_are_a_dictionary_for_each() {
    let one = |name: &'static str| with_parameter_attributes(move |f| bytes().raw([6, 1, 10, 1]).varint(f.string(name)).raw([3, 1]));
    assert!(accepted(&one("cuda_tile.x")).functions[0].arg_attrs.is_some());
    refused(&one("x"), Kind::Malformed, "the attribute 'x' of a parameter must name its dialect");
    for nothing in [&[6, 0][..], &[10, 0], &[6, 1, 10, 0], &[6, 2, 10, 0, 10, 0]] {
        let module = accepted(&with_parameter_attributes(|_| bytes().raw(nothing)));
        assert_eq!(module.functions[0].arg_attrs, None);
    }
    let two = with_parameter_attributes(|f| bytes().raw([6, 2, 10, 0, 10, 1]).varint(f.string("cuda_tile.x")).raw([3, 1]));
    refused(&two, Kind::Malformed, "1 parameters need as many dictionaries, found 2");
    refused(&with_parameter_attributes(|_| bytes().raw([6, 1, 3, 1])), Kind::Malformed, "must be dictionaries");
    refused(&with_parameter_attributes(|_| bytes().raw([3, 1])), Kind::Malformed, "must be an array of dictionaries");
}

/// An attribute and what it is.
type Named = (&'static str, fn(&mut Assembler) -> Bytes);

/// What is no array and still passes, and what does not: NVIDIA's tools crash on it.
#[test]
fn some_attributes_pass_for_no_parameter_attributes() {
    let i64 = |f: &mut Assembler| f.ty([4]);
    let f32 = |f: &mut Assembler| f.ty([7]);
    let good: [Named; 9] = [
        ("an empty dictionary", |_| bytes().raw([10, 0])),
        ("0", |_| bytes().raw([1, I32 as u8, 0])),
        ("false", |_| bytes().raw([3, 0])),
        ("an empty string", |f| bytes().raw([5]).varint(f.string(""))),
        ("div_by<16>", |_| bytes().raw([8, 16, 0])),
        ("div_by<16, every 0>", |_| bytes().raw([8, 16, 1, 0])),
        ("div_by<16, along 1>", |_| bytes().raw([8, 16, 2, 2])),
        ("bounded<?, ?>", |_| bytes().raw([12, 0])),
        ("bounded<?, -5>", |_| bytes().raw([12, 2, 9])),
    ];
    let bad: [Named; 9] = [
        ("a dictionary", |f| bytes().raw([10, 1]).varint(f.string("cuda_tile.x")).raw([3, 1])),
        ("7", |_| bytes().raw([1, I32 as u8, 7])),
        ("true", |_| bytes().raw([3, 1])),
        ("a string", |f| bytes().raw([5]).varint(f.string("k"))),
        ("a type", |_| bytes().raw([4, TILE_I32 as u8])),
        ("div_by<16, every 1 along 1>", |_| bytes().raw([8, 16, 3, 2, 2])),
        ("same_elements<[]>", |_| bytes().raw([9, 0])),
        ("bounded<0, ?>", |_| bytes().raw([12, 1, 0])),
        ("hints", |_| bytes().raw([11, 0])),
    ];
    let more_bad = with_parameter_attributes(|f| bytes().raw([2]).varint(f32(f)).raw([0]));
    let more_good = with_parameter_attributes(|f| bytes().raw([1]).varint(i64(f)).raw([0]));
    let mut files = vec![("0.0", more_bad, false), ("0 of 64 bits", more_good, true)];
    files.extend(good.map(|(name, attribute)| (name, with_parameter_attributes(attribute), true)));
    files.extend(bad.map(|(name, attribute)| (name, with_parameter_attributes(attribute), false)));
    for (name, file, passes) in &files {
        if *passes {
            assert_eq!(accepted(file).functions[0].arg_attrs, None, "{name}");
        } else {
            refused(file, Kind::Malformed, "must be an array of dictionaries");
        }
    }
    let Some(oracle) = Oracle::or_skip(&format!("{} verdicts on parameter attributes", files.len())) else { return };
    for (name, file, passes) in &files {
        let answer = oracle.disassemble(file, &[]);
        assert_eq!(answer.accepted(), *passes, "{name}: {:?} {}", answer.status, answer.stderr);
    }
}
