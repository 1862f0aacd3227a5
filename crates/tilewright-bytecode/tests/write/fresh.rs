//! Files that are not made after another one.

use crate::{samples, support, text, valid};
use tilewright_bytecode::{Style, WriteOptions, read, write, write_into};
use tilewright_ir::Version;

/// Kernels of the corpus whose files hold more, or in another order, than the module tells: entries for subprograms that
/// nothing refers to, and types that the compiler interned before their first use.
const UNUSED_ENTRIES: [&str; 5] = ["bitcasts", "casts_from_i16", "casts_from_u32", "casts_from_u64", "dropout_hash"];
const EARLY_TYPES: [&str; 1] = ["list_of_arrays"];

#[test]
fn files_of_cutile_are_made_from_scratch() {
    let samples = samples();
    let cases: Vec<_> = samples.iter().filter(|sample| sample.name.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    let mut others = Vec::new();
    for sample in &cases {
        let module = sample.module();
        if write(&module, &WriteOptions::new(module.version).style(Style::Cutile)).as_ref() != Ok(&sample.bytes) {
            others.push(sample.family().0);
        }
    }
    eprintln!("{} of {} files of cuTile are identical when made from scratch", cases.len() - others.len(), cases.len());
    others.retain(|name| !UNUSED_ENTRIES.contains(name) && !EARLY_TYPES.contains(name));
    assert_eq!(others, Vec::<&str>::new());
}

#[test]
fn both_styles_say_the_same_and_always_the_same() {
    for sample in samples() {
        let module = sample.module();
        for style in [Style::Cutile, Style::Cpp] {
            let options = WriteOptions::new(module.version).style(style);
            let bytes = write(&module, &options).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
            assert_eq!(write(&module.clone(), &options).as_ref(), Ok(&bytes), "{}", sample.name);
            let again = valid(read(&bytes).unwrap_or_else(|e| panic!("{} {style:?}: {e}", sample.name)));
            assert_eq!(text(&again), text(&module), "{} {style:?}", sample.name);
            assert_eq!(write(&again, &options).as_ref(), Ok(&bytes), "{} {style:?}: a file that was made is made again", sample.name);
        }
    }
}

/// The ids of the sections of a file.
fn sections(bytes: &[u8]) -> Vec<tilewright_bytecode::Section> {
    tilewright_bytecode::read_with_layout(bytes).expect("a file").1.sections().collect()
}

#[test]
fn styles_order_sections_and_leave_out_empty_ones() {
    use tilewright_bytecode::Section::{Constant, Debug, Function, Global, Producer, String, Type};
    let module = |file: &support::Assembler| valid(read(&file.build()).expect("a file"));
    let mut file = support::Assembler::new(Version::V13_3);
    file.entry("k", support::NO_PARAMETERS, support::RETURN);
    let write_as = |module, style| write(module, &WriteOptions::new(Version::V13_3).style(style)).expect("it can be written");
    let small = module(&file);
    assert_eq!(sections(&write_as(&small, Style::Cpp)), [Function, Type, String]);
    assert_eq!(sections(&write_as(&small, Style::Cutile)), [Function, Constant, Debug, Type, String]);
    let global_type = file.tile(support::I32, &[1]);
    let (name, value) = (file.string("g"), file.constant(&[1, 0, 0, 0]));
    file.globals.push(support::bytes().varints([name, global_type, value, 0, 0, 0]).0);
    let producer = file.string("me");
    file.producer = Some(vec![producer as u8]);
    let large = module(&file);
    assert_eq!(sections(&write_as(&large, Style::Cpp)), [Global, Function, Constant, Type, Producer, String]);
    assert_eq!(sections(&write_as(&large, Style::Cutile)), [Function, Global, Constant, Debug, Type, Producer, String]);
}

#[test]
fn the_smallest_file_of_the_specification() {
    let mut file = support::Assembler::new(Version::V13_4);
    file.entry("k", support::NO_PARAMETERS, support::RETURN);
    let module = valid(read(&file.build()).expect("a file"));
    let bytes = write(&module, &WriteOptions::new(Version::V13_4).style(Style::Cpp)).expect("it can be written");
    // FORMAT section 2, with the function section padded to 16 bytes as the C++ writer does.
    let expected = b"\x7fTileIR\0\x0d\x04\0\0\x82\x10\x08\xcb\x01\0\0\x02\0\x03\x5c\0\0\xcb\xcb\xcb\xcb\xcb\xcb\xcb\
        \x85\x0b\x04\xcb\x01\xcb\xcb\xcb\0\0\0\0\x10\0\0\x81\x09\x04\xcb\xcb\x01\xcb\xcb\xcb\0\0\0\0k\0";
    assert_eq!(bytes, expected);
}

#[test]
fn files_are_appended_and_errors_append_nothing() {
    let bytes = support::with_body(Version::V13_5, support::RETURN);
    let module = valid(read(&bytes).expect("a file"));
    let mut out = b"abc".to_vec();
    write_into(&module, &WriteOptions::new(Version::V13_5), &mut out).expect("it can be written");
    assert_eq!(&out[..3], b"abc");
    assert_eq!(out[3..], write(&module, &WriteOptions::new(Version::V13_5)).expect("it can be written"));
}
