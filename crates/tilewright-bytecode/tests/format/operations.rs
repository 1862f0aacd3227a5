//! Operations: fields, flags, numbering of values, regions, gates.

use crate::{
    accepted, refused,
    support::{Assembler, Bytes, NO_PARAMETERS, ONE_PARAMETER, RETURN, TILE_I32, bytes, chain_of_additions, with_body},
    valid,
};
use std::thread;
use tilewright_bytecode::{ReadErrorKind as Kind, Section, limits::MAX_REGION_DEPTH, read};
use tilewright_ir::{AttrData, AttrName, AttrValue, Body, Module, Opcode, RoundingMode, TypeTable, Version, ops::Placement, verify};

const NEW: Version = Version::V13_5;

/// `iota : tile<i32>`, which defines a value.
const IOTA: [u8; 2] = [0x3a, TILE_I32 as u8];
/// `break`
const BREAK: [u8; 3] = [0x0a, 0, 0];
/// `yield`
const YIELD: [u8; 3] = [0x6d, 0, 0];
const T: u8 = TILE_I32 as u8;

/// A body of these parts and `return`.
fn body(parts: &[&[u8]]) -> Vec<u8> {
    [&parts.concat()[..], &RETURN].concat()
}

fn file(version: Version, parts: &[&[u8]]) -> Vec<u8> {
    with_body(version, body(parts))
}

/// The operands of the `index`-th operation of the first function.
fn operands(module: &Module, index: usize) -> Vec<usize> {
    let body = &module.functions[0].body;
    let mut ops = Vec::new();
    body.walk(|op| ops.push(op.id()));
    body.op(ops[index]).operands().iter().map(|v| v.index()).collect()
}

fn first_attr(module: &Module, name: AttrName) -> AttrValue {
    let mut found = None;
    module.functions[0].body.walk(|op| {
        if found.is_none() && op.def().attr_index(name).is_some() {
            found = Some(op.attr(name));
        }
    });
    found.expect("an operation has the attribute")
}

#[test]
fn operands_name_live_values() {
    let addi = |lhs, rhs| [3, T, 0, lhs, rhs];
    let module = accepted(&file(NEW, &[&IOTA, &IOTA, &addi(1, 0)]));
    assert_eq!(operands(&module, 2), [1, 0]);
    let error = refused(&file(NEW, &[&IOTA, &IOTA, &addi(1, 2)]), Kind::Index, "value index 2 is out of range: 2 values are live");
    assert_eq!((error.section(), error.operation()), (Section::Function, Some((2, Some("addi")))));
    let text = error.to_string();
    assert!(text.ends_with("(function section, @k, operation 2 'addi'): value index 2 is out of range: 2 values are live"), "{text}");
    refused(&file(NEW, &[&[3, T, 0, 0, 0]]), Kind::Index, "value index 0 is out of range: 0 values are live");
    let mut parameter = Assembler::new(NEW);
    parameter.entry("k", ONE_PARAMETER, body(&[&addi(0, 0)]));
    assert_eq!(operands(&valid(&parameter.build()), 0), [0, 0]);
}

#[test]
fn opcodes_are_known_and_old_enough() {
    for hole in [0x19, 0x24, 0x34, 0x39, 0x7e, 0x4001] {
        refused(&with_body(NEW, bytes().varint(hole)), Kind::Malformed, &format!("unknown opcode {hole:#x}"));
    }
    for preview in [0x4003, 0x4004] {
        refused(&with_body(NEW, bytes().varint(preview)), Kind::Preview, "preview content is not supported: opcode");
    }
    accepted(&with_body(NEW, bytes().varint((1 << 32) + 0x5c).raw([0, 0])));
    for opcode in Opcode::ALL.iter().filter(|o| !o.def().preview) {
        let def = opcode.def();
        for version in Version::ALL {
            let Err(error) = read(&with_body(version, bytes().varint(def.wire.into()))) else { panic!("{opcode} needs more bytes") };
            let expected = match def.placement {
                Placement::Body if def.since > version => Kind::Newer,
                Placement::Body => Kind::Truncated,
                _ => Kind::Malformed,
            };
            assert_eq!(error.kind(), expected, "{error}");
            assert_eq!(error.operation(), Some((0, Some(def.mnemonic))));
        }
    }
}

#[test]
fn calls_need_the_preview_bit() {
    let mut file = Assembler::new(NEW);
    let callee = file.string("f");
    // No results, no flags, callee, no constant arguments, one operand.
    let call = bytes().varints([0x4002, 0, 0, callee, 0, 1, 0]);
    file.entry("k", ONE_PARAMETER, call.raw(RETURN));
    refused(&file.build(), Kind::Preview, "preview$call is preview content, which the header does not announce");
    file.tag = 1;
    let module = accepted(&file.build());
    assert_eq!(operands(&module, 0), [0]);
    let AttrValue::Str(name) = first_attr(&module, AttrName::Callee) else { panic!("a symbol was written") };
    assert_eq!(module.tables.strings.text(name), "f");
}

#[test]
fn bodies_end_with_an_operation() {
    let addi = [3, T, 0, 0, 0];
    for len in 1..addi.len() {
        let parts = [&IOTA[..], &addi[..len]].concat();
        refused(&with_body(NEW, parts), Kind::Truncated, "expected a varint, found the end of the data");
    }
    let unterminated = read(&with_body(NEW, IOTA)).expect("the terminator is a rule of the verifier");
    assert!(verify(unterminated).is_err());
}

#[test]
fn result_counts_are_checked() {
    // `extract` has one result, which is counted.
    accepted(&file(NEW, &[&IOTA, &[0x26, 1, T, 2, 0, 0]]));
    refused(&file(NEW, &[&IOTA, &[0x26, 2, T, T, 2, 0, 0]]), Kind::Malformed, "expected 1 results, found 2");
    refused(&with_body(NEW, bytes().raw([0x41]).varint(u64::MAX)), Kind::Truncated, "results cannot fit");
    refused(&file(NEW, &[&[0x3a, 99]]), Kind::Index, "type index 99 is out of range: 4 types");
}

#[test]
fn counted_operands_fit_the_row() {
    refused(&file(NEW, &[&IOTA, &[0x26, 1, T, 0]]), Kind::Malformed, "expected 1 or more operands, found 0");
    let mut wait = Assembler::new(NEW);
    let token = wait.ty([17]) as u8;
    let body_with = |count: u8, operands: &[u8]| body(&[&[0x44, token], &[0x78, token, count], operands]);
    let with = |body: Vec<u8>| {
        let mut file = wait.clone();
        file.entry("k", NO_PARAMETERS, body);
        file.build()
    };
    let present = |module: &Module| {
        let body = &module.functions[0].body;
        let op = body.entry_block().and_then(|b| body.ops(b).nth(1)).expect("two operations were written");
        (op.present_operands(), op.operand_named("token").len())
    };
    assert_eq!(present(&valid(&with(body_with(0, &[])))), (0, 0));
    assert_eq!(present(&valid(&with(body_with(1, &[0])))), (1, 1));
    refused(&with(body_with(2, &[0, 0])), Kind::Malformed, "expected 0 or one more operands, found 2");
    refused(&with_body(NEW, bytes().raw([0x5c, 0]).varint(1 << 40)), Kind::Truncated, "operands cannot fit");
}

#[test]
fn enumerations_are_checked_and_gated() {
    // `ftof` has a rounding mode.
    let ftof = |mode: u64| bytes().raw([0x2a, T]).varint(mode).raw([0]).0;
    let module = accepted(&file(NEW, &[&IOTA, &ftof(7)]));
    assert_eq!(first_attr(&module, AttrName::RoundingMode), AttrValue::Enum(RoundingMode::NearestAway as u8));
    refused(&file(Version::V13_3, &[&IOTA, &ftof(7)]), Kind::Newer, "value 'nearest_away' of RoundingMode needs version 13.4");
    let error = refused(&file(NEW, &[&IOTA, &ftof(8)]), Kind::Malformed, "8 is no value of RoundingMode");
    assert_eq!(error.operation(), Some((1, Some("ftof"))));
    refused(&file(NEW, &[&IOTA, &ftof(300)]), Kind::Malformed, "300 is no value of RoundingMode");
    accepted(&file(NEW, &[&IOTA, &ftof(1 << 32)]));
}

#[test]
fn attributes_that_came_later_have_their_default() {
    let exp_old = [0x17, T, 0];
    let module = accepted(&file(Version::V13_2, &[&IOTA, &exp_old]));
    assert_eq!(first_attr(&module, AttrName::RoundingMode), AttrValue::Enum(RoundingMode::Full as u8));
    let exp_new = [0x17, T, RoundingMode::Approx as u8, 0];
    let module = accepted(&file(Version::V13_3, &[&IOTA, &exp_new]));
    assert_eq!(first_attr(&module, AttrName::RoundingMode), AttrValue::Enum(RoundingMode::Approx as u8));
}

#[test]
fn inbounds_are_false_before_they_came() {
    // Two results, flags, weak, view, two indices.
    let load = [0x3e, 2, T, T, 0, 0, 0, 2, 0, 0];
    let module = accepted(&file(Version::V13_3, &[&IOTA, &load]));
    let AttrValue::Attr(attr) = first_attr(&module, AttrName::Inbounds) else { panic!("inbounds have a default") };
    assert_eq!(module.tables.attrs.get(attr), &AttrData::BoolArray([false, false].into()));
    let load = [0x3e, 2, T, T, 0, 0, 2, 0, 9, 0, 2, 0, 0];
    let module = accepted(&file(Version::V13_4, &[&IOTA, &load]));
    let AttrValue::Attr(attr) = first_attr(&module, AttrName::Inbounds) else { panic!("inbounds were written") };
    assert_eq!(module.tables.attrs.get(attr), &AttrData::BoolArray([false, true].into()));
}

#[test]
fn flags_announce_attributes_and_operands() {
    // `load_ptr_tko`: scope is bit 0, hints bit 1, then mask, padding value, token.
    let load = |flags: u8, rest: &[u8]| file(NEW, &[&IOTA, &IOTA, &[0x3d, T, T, flags, 0], rest]);
    let module = accepted(&load(0b01001, &[2, 1, 0]));
    assert_eq!(first_attr(&module, AttrName::MemoryScope), AttrValue::Enum(2));
    assert_eq!(first_attr(&module, AttrName::OptimizationHints), AttrValue::Absent);
    let body: &Body = &module.functions[0].body;
    let op = body.entry_block().and_then(|b| body.ops(b).nth(2)).expect("three operations were written");
    assert_eq!(op.present_operands(), 0b0100);
    assert_eq!(op.operand_named("paddingValue").len(), 1);
    assert_eq!(op.operand_named("mask").len(), 0);
    // Bits that mean nothing are ignored.
    assert_eq!(operands(&accepted(&load(0x60, &[1])), 2), [1]);
    let unit = |flags: u8| first_attr(&accepted(&file(NEW, &[&IOTA, &[2, T, flags, 0, 0, 0]])), AttrName::FlushToZero);
    assert_eq!((unit(0), unit(1)), (AttrValue::Absent, AttrValue::Unit));
}

#[test]
fn prints_of_13_1_have_a_token_without_a_number() {
    let mut file = Assembler::new(Version::V13_1);
    let text = file.string("hello %i");
    let print = bytes().raw([0x55, 0]).varint(text).raw([1, 0]).0;
    file.entry("k", ONE_PARAMETER, body(&[&print, &IOTA, &[3, T, 0, 1, 0]]));
    let module = accepted(&file.build());
    let body = &module.functions[0].body;
    let ops: Vec<_> = body.ops(body.entry_block().expect("a block")).collect();
    let token = ops[0].result(0).expect("a token in memory");
    assert_eq!(body.ty(token), TypeTable::token());
    assert_eq!(ops[2].operands()[0], ops[1].result(0).expect("iota has a result"), "value 1 is that of iota");
    let mut counted = Assembler::new(Version::V13_1);
    counted.entry("k", NO_PARAMETERS, [0x55, 1, T, 0, 0]);
    refused(&counted.build(), Kind::Malformed, "expected 0 results, found 1");
}

#[test]
fn immediate_values_fit() {
    // `reduce` has a dimension of 32 bits.
    let reduce = bytes().raw([0x58, 1, T]).varint(1 << 32).0;
    refused(&file(NEW, &[&IOTA, &reduce]), Kind::Malformed, "4294967296 does not fit into 32 bits");
    let permute = |n: i32| bytes().raw([0x53, T]).list4(&[n]).raw([0]).0;
    accepted(&file(NEW, &[&IOTA, &permute(7)]));
    refused(&file(NEW, &[&IOTA, &permute(i32::MIN)]), Kind::Malformed, "not accepted in a list of 32-bit numbers");
    refused(&file(NEW, &[&IOTA, &permute(i32::MAX)]), Kind::Malformed, "not accepted in a list of 32-bit numbers");
    accepted(&file(NEW, &[&IOTA, &[6, T, 8, 16, 0, 0]]));
    refused(&file(NEW, &[&IOTA, &[6, T, 3, 1, 0]]), Kind::Malformed, "expected a predicate, found attribute tag 3");
    let mut symbol = Assembler::new(NEW);
    let empty = symbol.string("");
    symbol.entry("k", NO_PARAMETERS, bytes().raw([0x2c, T]).varint(empty));
    refused(&symbol.build(), Kind::Malformed, "the name of a symbol must not be empty");
}

/// `loop` without values around these operations.
fn looped(count: u64, ops: &[u8]) -> Bytes {
    bytes().raw([0x41, 0, 0, 1, 1, 0]).varint(count).raw(ops)
}

#[test]
fn numbers_are_given_again_after_a_region() {
    // In the loop, number 1 is the inner iota; after it, number 1 is the outer one.
    let inner = looped(3, &[&IOTA[..], &[3, T, 0, 1, 0], &BREAK].concat()).0;
    let module = accepted(&file(NEW, &[&IOTA, &inner, &IOTA, &[3, T, 0, 1, 0]]));
    let body = &module.functions[0].body;
    let ops: Vec<_> = body.ops(body.entry_block().expect("a block")).collect();
    assert_eq!(ops[3].operands()[0], ops[2].result(0).expect("iota has a result"));
    let error = refused(&file(NEW, &[&IOTA, &inner, &[3, T, 0, 1, 0]]), Kind::Index, "value index 1 is out of range: 1 values are live");
    assert_eq!(error.operation(), Some((5, Some("addi"))));
}

#[test]
fn results_of_an_owner_come_after_its_regions() {
    // if %0 -> tile { yield %1 } else { yield %1 }; the result gets number 1 too.
    let block = [1, 0, 2, IOTA[0], IOTA[1], 0x6d, 0, 1, 1];
    let branch = [&[0x32, 1, T, 0, 2][..], &block, &block].concat();
    let module = accepted(&file(NEW, &[&IOTA, &branch, &[3, T, 0, 1, 1]]));
    let body = &module.functions[0].body;
    let ops: Vec<_> = body.ops(body.entry_block().expect("a block")).collect();
    let result = ops[1].result(0).expect("the if has a result");
    assert_eq!(ops[2].operands(), [result, result]);
    let inner: Vec<_> = ops[1].regions().flat_map(|r| body.blocks(r)).filter_map(|b| body.ops(b).next()?.result(0)).collect();
    assert!(inner.iter().all(|value| value.index() < result.index()));
}

#[test]
fn region_counts_and_blocks_are_checked() {
    // An else that is missing has no blocks.
    let then = [1, 0, 1, YIELD[0], 0, 0];
    accepted(&file(NEW, &[&IOTA, &[0x32, 0, 0, 2], &then, &[0]]));
    let error = refused(&file(NEW, &[&IOTA, &[0x32, 0, 0, 1], &then]), Kind::Malformed, "expected 2 regions, found 1");
    assert_eq!(error.operation(), Some((1, Some("if"))));
    refused(&file(NEW, &[&[0x41, 0, 0, 0]]), Kind::Malformed, "expected 1 regions, found 0");
    refused(&file(NEW, &[&[0x41, 0, 0, 1, 1, 0, 0]]), Kind::Malformed, "a block must hold an operation, found none");
    refused(&with_body(NEW, bytes().raw([0x41, 0, 0, 1]).varint(1 << 40)), Kind::Truncated, "blocks cannot fit");
    refused(&with_body(NEW, bytes().raw([0x41, 0, 0, 1, 1]).varint(1 << 40).raw([0; 3])), Kind::Truncated, "block arguments cannot fit");
    refused(&with_body(NEW, bytes().raw([0x41, 0, 0, 1, 1, 0]).varint(1 << 40)), Kind::Truncated, "operations cannot fit");
    // The error names the owner, not the last operation of its region.
    let error = refused(&file(NEW, &[&IOTA, &[0x32, 0, 0, 2], &then, &[9]]), Kind::Truncated, "9 blocks cannot fit");
    assert_eq!(error.operation(), Some((1, Some("if"))));
}

#[test]
fn regions_nest_to_a_limit_on_a_small_stack() {
    let nested = |depth: usize| {
        let outer = (1..depth).fold(bytes(), |b, _| b.raw(looped(2, &[])));
        let inner = outer.raw(looped(1, &BREAK));
        with_body(NEW, (1..depth).fold(inner, |b, _| b.raw(BREAK)).raw(RETURN))
    };
    let run = move || {
        let module = valid(&nested(MAX_REGION_DEPTH));
        assert_eq!(module.functions[0].body.num_ops(), 2 * MAX_REGION_DEPTH + 1);
        let error = refused(&nested(MAX_REGION_DEPTH + 1), Kind::Limit, "regions nest deeper than 256");
        assert_eq!(error.operation(), Some((MAX_REGION_DEPTH, Some("loop"))));
        refused(&nested(1_000_000), Kind::Limit, "regions nest deeper than 256");
    };
    let thread = thread::Builder::new().stack_size(512 << 10).spawn(run).expect("a thread starts");
    assert!(thread.join().is_ok(), "the stack is too small");
}

#[test]
fn long_bodies_read() {
    let module = valid(&chain_of_additions(20_000));
    assert_eq!(module.functions[0].body.num_ops(), 20_001);
    assert_eq!(operands(&module, 19_999), [19_999, 0]);
}
