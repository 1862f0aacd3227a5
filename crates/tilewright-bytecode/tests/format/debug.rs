//! The debug section.

use crate::{
    accepted, refused,
    support::{Assembler, Bytes, NO_PARAMETERS, RETURN, bytes},
};
use tilewright_bytecode::{ReadErrorKind as Kind, Section, limits::MAX_LOCATION_DEPTH};
use tilewright_ir::{LocData, Module, Version};

/// Entries 1 to 4: file, compile unit, subprogram, place. Strings: 0 `k`, 1 `dir`, 2 `a.py`.
fn entries() -> Vec<Vec<u8>> {
    vec![vec![2, 2, 1], vec![1, 1], vec![5, 1, 5, 0, 0, 2, 6], vec![4, 3, 2, 7, 3]]
}

struct Debug {
    version: Version,
    rows: Vec<u32>,
    ids: Vec<u64>,
    entries: Vec<Vec<u8>>,
    row: u64,
}

impl Debug {
    /// One function with one operation, both at entry 4.
    fn new() -> Debug {
        Debug { version: Version::V13_4, rows: vec![0], ids: vec![4, 4], entries: entries(), row: 1 }
    }

    /// The operation has this further entry, which gets id 5, for its location.
    fn with(entry: impl AsRef<[u8]>) -> Debug {
        let mut debug = Debug::new();
        debug.entries.push(entry.as_ref().to_vec());
        debug.ids[1] = 5;
        debug
    }

    fn payload(&self) -> Bytes {
        let head = bytes().varint(self.rows.len() as u64).pad(4);
        let rows = self.rows.iter().fold(head, |b, row| b.raw(row.to_le_bytes()));
        let ids = self.ids.iter().fold(rows.varint(self.ids.len() as u64).pad(8), |b, id| b.raw(id.to_le_bytes()));
        let mut offset = 0u32;
        let table = self.entries.iter().fold(ids.varint(self.entries.len() as u64).pad(4), |b, entry| {
            let b = b.raw(offset.to_le_bytes());
            offset += entry.len() as u32;
            b
        });
        self.entries.iter().fold(table, |b, entry| b.raw(entry))
    }

    fn build(&self) -> Vec<u8> {
        self.build_with(self.payload())
    }

    fn build_with(&self, payload: Bytes) -> Vec<u8> {
        let mut file = Assembler::new(self.version);
        file.located_entry("k", NO_PARAMETERS, self.row, RETURN);
        file.string("dir");
        file.string("a.py");
        file.debug = Some(payload.0);
        file.build()
    }
}

/// The place of the function and of its operation.
fn places(module: &Module) -> [Option<(String, u32, u32)>; 2] {
    let function = &module.functions[0];
    let op = function.body.entry_block().and_then(|b| function.body.last_op(b)).expect("the body holds an operation");
    let place = |loc| module.tables.locations.source(loc);
    [function.loc, op.loc()].map(|loc| place(loc).map(|(file, l, c)| (module.tables.strings.text(file).into_owned(), l, c)))
}

#[test]
fn operations_have_locations() {
    let module = accepted(&Debug::new().build());
    let place = Some(("a.py".to_owned(), 7, 3));
    assert_eq!(places(&module), [place.clone(), place.clone()]);
    let op = module.functions[0].loc.expect("the function has a location");
    let LocData::Source { scope: Some(scope), .. } = *module.tables.locations.get(op) else { panic!("a place with a scope") };
    let LocData::Subprogram { line, scope_line, unit, flags, .. } = *module.tables.locations.get(scope) else { panic!("a subprogram") };
    assert_eq!((line, scope_line, flags), (5, 6, 0));
    let LocData::CompileUnit { file: Some(file) } = *module.tables.locations.get(unit.expect("a unit")) else { panic!("a compile unit") };
    assert!(matches!(module.tables.locations.get(file), LocData::File { .. }));
    let unknown = Debug { ids: vec![4, 0], ..Debug::new() };
    assert_eq!(places(&accepted(&unknown.build())), [place, None]);
    let none = Debug { row: 0, ids: vec![], ..Debug::new() };
    assert_eq!(places(&accepted(&none.build())), [None, None]);
}

#[test]
fn scopes_and_call_sites_nest() {
    let mut debug = Debug::with([3, 3, 1, 9, 9]);
    debug.entries.push(vec![4, 5, 2, 20, 1]);
    debug.entries.push(vec![6, 6, 4]);
    debug.ids[1] = 7;
    assert_eq!(places(&accepted(&debug.build()))[1], Some(("a.py".to_owned(), 20, 1)));
    // Unknown callee and caller.
    assert_eq!(places(&accepted(&Debug::with([6, 0, 0]).build()))[1], None);
}

#[test]
fn unknown_kinds_are_unknown_locations() {
    assert_eq!(places(&accepted(&Debug::with([0]).build()))[1], None);
    assert_eq!(places(&accepted(&Debug::with([99, 1, 2]).build()))[1], None);
    assert_eq!(places(&accepted(&Debug::with(bytes().varint(256 + 4).raw([3, 2, 8, 1])).build()))[1], Some(("a.py".to_owned(), 8, 1)));
}

#[test]
fn numbers_are_cut_to_32_bits() {
    let entry = bytes().raw([4, 3, 2]).varints([(1 << 32) + 7, 1]);
    assert_eq!(places(&accepted(&Debug::with(entry).build()))[1], Some(("a.py".to_owned(), 7, 1)));
}

#[test]
fn references_have_the_right_kind() {
    for (entry, message) in [
        (&[4, 1, 2, 7, 3][..], "expected a subprogram or a lexical block, found debug id 1"),
        (&[4, 0, 2, 7, 3], "expected a subprogram or a lexical block, found debug id 0"),
        (&[3, 3, 0, 7, 3], "expected a file, found debug id 0"),
        (&[6, 3, 4], "expected a place in the source, found debug id 3"),
        (&[4, 5, 2, 7, 3], "debug entry 4 is part of itself"),
        (&[6, 4, 5], "debug entry 4 is part of itself"),
        (&[2, 1, 1], "expected a place in the source, found debug id 5"),
    ] {
        let error = refused(&Debug::with(entry).build(), Kind::Malformed, message);
        assert_eq!((error.section(), error.operation()), (Section::Debug, Some((0, None))));
    }
    refused(&Debug::with([4, 77, 2, 7, 3]).build(), Kind::Index, "debug entry index 76 is out of range: 5 debug entries");
    refused(&Debug::with([4, 3, 77, 7, 3]).build(), Kind::Index, "string index 77 is out of range");
    refused(&Debug::with([4, 3]).build(), Kind::Truncated, "expected a varint");
}

#[test]
fn subprograms_have_flags_since_13_5() {
    let with_flags = |flags: u64| {
        let mut debug = Debug { version: Version::V13_5, ..Debug::new() };
        debug.entries[2] = bytes().raw([5, 1, 5, 0, 0, 2, 6]).varint(flags).0;
        debug.build()
    };
    accepted(&with_flags(1));
    refused(&with_flags(2), Kind::Malformed, "subprogram flags of 0 or 1, found 0x2");
    refused(&with_flags(1 << 32), Kind::Malformed, "subprogram flags");
}

#[test]
fn rows_and_ids_are_checked() {
    let row = |row| Debug { row, ..Debug::new() };
    refused(&row(2).build(), Kind::Index, "debug row index 1 is out of range: 1 rows");
    refused(&row(u64::MAX).build(), Kind::Index, "out of range: 1 rows");
    refused(&Debug { rows: vec![2], ..Debug::new() }.build(), Kind::Index, "start of debug row index 2 is out of range: 2 debug ids");
    refused(&Debug { ids: vec![4], ..Debug::new() }.build(), Kind::Truncated, "expected a debug id for each operation");
    refused(&Debug { ids: vec![4, 9], ..Debug::new() }.build(), Kind::Index, "debug entry index 8 is out of range: 4 debug entries");
    let no_section = {
        let mut file = Assembler::new(Version::V13_4);
        file.located_entry("k", NO_PARAMETERS, 1, RETURN);
        file.build()
    };
    refused(&no_section, Kind::Index, "debug row index 0 is out of range: 0 rows");
    let debug = Debug::new();
    refused(&debug.build_with(bytes().varint(9).raw([0; 20])), Kind::Truncated, "9 rows cannot fit");
    refused(&debug.build_with(bytes().varint(0).raw([0; 3]).varint(9).raw([0; 20])), Kind::Truncated, "9 debug ids cannot fit");
}

#[test]
fn an_empty_table_of_entries_has_its_padding() {
    let none = Debug { row: 0, ids: vec![], entries: vec![], ..Debug::new() };
    let payload = none.payload().0;
    accepted(&none.build_with(Bytes(payload.clone())));
    let cut = payload.len() - 3;
    refused(&none.build_with(Bytes(payload[..cut].to_vec())), Kind::Truncated, "expected 3 more bytes, found 0");
    accepted(&Debug { row: 1, ids: vec![0, 0], entries: vec![vec![0]], ..Debug::new() }.build());
}

#[test]
fn entries_that_nothing_uses_are_not_looked_at() {
    let mut debug = Debug::new();
    debug.entries.extend([vec![4, 5, 2, 7, 3], vec![], vec![6, 99, 99]]);
    assert_eq!(accepted(&debug.build()).tables.locations.len(), 4);
}

#[test]
fn call_sites_nest_to_a_limit() {
    let chain = |sites: u64| {
        let mut debug = Debug::new();
        debug.entries.extend((0..sites).map(|i| bytes().raw([6]).varints([4 + i, 4]).0));
        debug.ids[1] = 4 + sites;
        debug.build()
    };
    let depth_of_entries = 4;
    accepted(&chain((MAX_LOCATION_DEPTH - depth_of_entries) as u64));
    refused(&chain(1_000_000), Kind::Limit, "debug entries nest deeper than 256");
}
