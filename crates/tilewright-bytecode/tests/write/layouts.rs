//! Files that are made after another one.

use crate::{Sample, generated, samples, spread, support, text, valid};
use support::{Assembler, NO_PARAMETERS, RETURN, RawSection, bytes};
use tilewright_bytecode::{FileLayout, Section, WriteOptions, read, read_with_layout, write};
use tilewright_fuzz::Random;
use tilewright_ir::{AttrData, Module, VerifiedModule, Version, verify};

impl Sample {
    pub(crate) fn layout(&self) -> FileLayout {
        read_with_layout(&self.bytes).unwrap_or_else(|e| panic!("{}: {e}", self.name)).1
    }
}

#[test]
fn every_file_is_written_again_byte_for_byte() {
    let samples = samples();
    for sample in &samples {
        let module = sample.module();
        let again = write(&module, &WriteOptions::new(module.version).layout(&sample.layout()));
        assert!(again.as_ref() == Ok(&sample.bytes), "{}", sample.name);
    }
    eprintln!("{} files written again byte for byte", samples.len());
}

/// What a module says after it was written with a layout.
fn rewritten(module: &VerifiedModule, version: Version, layout: &FileLayout) -> String {
    let bytes = write(module, &WriteOptions::new(version).layout(layout)).unwrap_or_else(|e| panic!("{e}"));
    text(&valid(read(&bytes).unwrap_or_else(|e| panic!("{e}"))))
}

#[test]
fn layouts_of_other_files_change_no_meaning() {
    let (samples, mut random) = (samples(), Random::new(3));
    for sample in spread(&samples, 700) {
        let module = sample.module();
        for _ in 0..3 {
            let other = &samples[random.below(samples.len())];
            assert_eq!(rewritten(&module, module.version, &other.layout()), text(&module), "{} like {}", sample.name, other.name);
        }
        let layout = sample.layout();
        for version in Version::ALL.into_iter().filter(|version| *version > module.version) {
            assert_eq!(rewritten(&module, version, &layout), text(&module), "{} at {version}", sample.name);
        }
    }
}

#[test]
fn layouts_of_changed_modules_change_no_meaning() {
    let mut changes = 0;
    for sample in spread(&samples(), 400).chain(&generated()) {
        let layout = sample.layout();
        let module = sample.module().into_inner();
        for change in [rename, without_locations, with_another_function, with_new_strings] {
            let mut changed = module.clone();
            change(&mut changed);
            // Debug entries may tie a function to its name and its place.
            let Ok(changed) = verify(changed) else { continue };
            assert_eq!(rewritten(&changed, changed.version, &layout), text(&changed), "{}", sample.name);
            changes += 1;
        }
    }
    eprintln!("{changes} changed modules written like the files they came from");
    assert!(changes > 400);
}

fn rename(module: &mut Module) {
    module.functions[0].name = module.tables.strings.intern("another_name");
}

fn without_locations(module: &mut Module) {
    for function in &mut module.functions {
        function.loc = None;
    }
}

fn with_another_function(module: &mut Module) {
    let mut function = module.functions[0].clone();
    function.name = module.tables.strings.intern("second");
    module.functions.insert(0, function);
}

fn with_new_strings(module: &mut Module) {
    module.producer = (module.version >= Version::V13_3).then(|| module.tables.strings.intern("the producer"));
    let key = module.tables.strings.intern("sm_120");
    let empty = module.tables.attrs.intern(AttrData::Dictionary([].into()));
    module.functions[0].hints = Some(module.tables.attrs.intern(AttrData::OptimizationHints([(key, empty)].into())));
}

/// A file in which nothing looks as a writer would make it.
fn unusual_file() -> Vec<u8> {
    let mut file = Assembler::new(Version::V13_4);
    let [name, unused, key] = ["k", "unused", "sm_100"].map(|text| file.string(text));
    file.strings.push(b"k".to_vec());
    file.ty([0xff, 0x01]);
    let again = file.ty([3]);
    let tile = file.tile(again, &[4]);
    let f64 = file.ty([0x89, 0]);
    file.constant(&[1, 0, 0, 0]);
    file.constants.push(bytes().raw([0x84, 0]).raw([2, 0, 0, 0, 0xee]).0);
    file.constant(&[2, 0, 0, 0]);
    // constant, with numbers in more bytes than needed; return.
    let body = bytes().raw([0x90, 0]).varint(tile).raw([0x81, 0]).raw(RETURN);
    let mut record = bytes().raw([0x80 | name as u8, 0]).varint(NO_PARAMETERS).raw([6, 0x80, 0]);
    // Hints with the negative infinity of cuTile, which readers take for a positive one.
    record = record.raw([11, 1, key as u8, 10, 1, unused as u8, 2, f64 as u8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xf0, 0xff, 3]);
    file.functions.push(record.raw([0x80 | body.0.len() as u8, 0]).raw(body).0);
    file.functions.push(bytes().varint(key).varint(NO_PARAMETERS).raw([6, 0, 11, 0, 3]).raw(RETURN).0);
    let debug = bytes().raw([0, 0xaa, 0xaa, 0xaa, 0, 1, 1, 1, 0x81, 0, 1, 1]).raw([0; 4]).raw([0, 9, 9]).0;
    file.debug = Some(debug);
    let mut sections = file.sections();
    sections.reverse();
    sections.insert(1, RawSection { id: support::id::GLOBAL, alignment: Some(64), payload: vec![0x80, 0, 7] });
    sections.insert(0, RawSection { id: support::id::STRING, alignment: Some(4), payload: b"nonsense".to_vec() });
    let functions = sections.iter_mut().find(|section| section.id == support::id::FUNCTION).expect("there are functions");
    functions.payload.extend(b"after the last function");
    file.envelope(&sections)
}

#[test]
fn unusual_files_are_written_again_byte_for_byte() {
    let bytes = unusual_file();
    let (module, layout) = read_with_layout(&bytes).expect("readers tolerate it");
    let mut module = valid(module);
    let options = WriteOptions::new(Version::V13_4).layout(&layout);
    assert_eq!(write(&module, &options).as_ref(), Ok(&bytes));
    assert_eq!(layout.sections().filter(|section| *section == Section::String).count(), 2);
    // A change of one function leaves the other as it is.
    let body = b"\x90\0\x06\x81\0\x5c\0\0";
    assert!(bytes.windows(body.len()).any(|window| window == body));
    for index in [0, 1] {
        let mut changed = module.into_inner();
        changed.functions[index].hints = None;
        module = valid(changed);
        let changed = write(&module, &options).expect("it can be written");
        assert_ne!(changed, bytes);
        assert!(changed.windows(body.len()).any(|window| window == body));
        assert_eq!(text(&read(&changed).expect("it reads")), text(&module));
    }
}

#[test]
fn a_changed_file_keeps_what_did_not_change() {
    let sample = samples().into_iter().find(|sample| sample.name == "matmul_persistent.13.4.tilebc").expect("every corpus has it");
    let layout = sample.layout();
    let mut module = sample.module().into_inner();
    with_new_strings(&mut module);
    let module = valid(module);
    let bytes = write(&module, &WriteOptions::new(module.version).layout(&layout)).expect("it can be written");
    let common = bytes.iter().zip(&sample.bytes).filter(|(a, b)| a == b).count();
    assert!(bytes.len() > sample.bytes.len() && common * 10 > sample.bytes.len() * 8, "{common} of {} bytes are as before", bytes.len());
    let sections: Vec<Section> = read_with_layout(&bytes).expect("it reads").1.sections().collect();
    assert!(sections.iter().copied().eq(layout.sections().chain([Section::Producer])), "{sections:?}");
}
