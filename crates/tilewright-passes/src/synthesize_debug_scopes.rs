//! Debug scopes for modules that know lines only.
//!
//! Debuggers and profilers ask for the function that a place lies in. A function whose location has no scope gets a subprogram, named as
//! itself, in the file and at the line where it begins; all of its operations lie in it then, those without a place where the function
//! begins. The first place of the module names the compilation unit. Functions with a scope stay as they are.

use crate::{registry::Options, statistics::Statistics};
use std::collections::HashMap;
use tilewright_ir::{Function, Loc, LocData, LocationTable, Module, Op, OpRef, Str, Tables};

/// A place in a source file: its path, line and column.
type Source = (Str, u32, u32);

pub(crate) fn run(module: &mut Module, _: Options<'_>, changes: &mut Statistics) {
    let Module { tables, functions, .. } = module;
    if functions.iter().all(|function| has_scope(&tables.locations, function.loc)) {
        return;
    }
    let unknown = (tables.strings.intern("<unknown>"), 1, 1);
    let of_module = functions.iter().find_map(|function| beginning(&tables.locations, function)).unwrap_or(unknown);
    let file = file_of(tables, of_module.0);
    let unit = tables.locations.add(LocData::CompileUnit { file: Some(file) });
    for function in functions {
        if !has_scope(&tables.locations, function.loc) {
            synthesize(tables, function, unit, of_module.0);
            changes.add("functions given a scope", 1);
        }
    }
}

/// Whether a location has a scope, or is no place.
fn has_scope(locations: &LocationTable, loc: Option<Loc>) -> bool {
    loc.is_some_and(|loc| !matches!(locations.get(loc), LocData::Source { scope: None, .. } | LocData::CallSite { .. }))
}

/// The place of a location: of a call, where it is.
fn place_of(locations: &LocationTable, loc: Option<Loc>) -> Option<Source> {
    let mut next = loc;
    // A chain longer than the table is a cycle.
    for _ in 0..=locations.len() {
        match *locations.get(next?) {
            LocData::Source { file, line, column, .. } => return Some((file, line, column)),
            LocData::CallSite { caller, .. } => next = caller,
            _ => return None,
        }
    }
    None
}

/// Where a function begins: its own place, or that of its first operation with one.
fn beginning(locations: &LocationTable, function: &Function) -> Option<Source> {
    place_of(locations, function.loc).or_else(|| function.body.preorder().find_map(|op| place_of(locations, op.loc())))
}

/// The entry of a file, split into its name and its directory.
fn file_of(tables: &mut Tables, path: Str) -> Loc {
    let path = tables.strings.bytes(path).to_vec();
    let cut = path.iter().rposition(|byte| *byte == b'/');
    let (directory, name) = cut.map_or((&[][..], &path[..]), |cut| (&path[..cut], &path[cut + 1..]));
    let (name, directory) = (tables.strings.intern(name), tables.strings.intern(directory));
    tables.locations.add(LocData::File { name, directory })
}

fn synthesize(tables: &mut Tables, function: &mut Function, unit: Loc, file: Str) {
    let first = beginning(&tables.locations, function).unwrap_or((file, 1, 1));
    let file = file_of(tables, first.0);
    let subprogram = tables.locations.add(LocData::Subprogram {
        file: Some(file),
        line: first.1,
        name: function.name,
        linkage_name: function.name,
        unit: Some(unit),
        scope_line: first.1,
        flags: 0,
    });
    let mut known: HashMap<Source, Loc> = HashMap::new();
    let mut scoped = |tables: &mut Tables, loc: Option<Loc>| {
        let place = place_of(&tables.locations, loc).unwrap_or(first);
        let (file, line, column) = place;
        *known.entry(place).or_insert_with(|| tables.locations.add(LocData::Source { scope: Some(subprogram), file, line, column }))
    };
    function.loc = Some(scoped(tables, function.loc));
    let ops: Vec<Op> = function.body.preorder().map(OpRef::id).collect();
    for op in ops {
        let loc = scoped(tables, function.body.op(op).loc());
        function.body.set_loc(op, Some(loc));
    }
}
