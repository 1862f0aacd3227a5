//! Debug scopes: the locations of operations lie in their function.

use super::{At, Verifier, rules};
use crate::{Function, Loc, LocData, LocationTable};

/// What is known of the scope of a location.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Unseen,
    /// It is on the way that is being followed.
    Busy,
    /// The subprogram it lies in.
    In(Option<Loc>),
}

/// The subprograms of locations, found once for each.
pub(super) struct Scopes {
    known: Vec<Known>,
    path: Vec<usize>,
}

impl Scopes {
    pub(super) fn new(table: &LocationTable) -> Self {
        Scopes { known: vec![Known::Unseen; table.len()], path: Vec::new() }
    }

    /// The subprogram that a location or a scope lies in: call sites count where they are called from.
    fn subprogram(&mut self, table: &LocationTable, loc: Option<Loc>) -> Option<Loc> {
        let mut next = loc;
        let found = loop {
            let Some(loc) = next.filter(|loc| loc.index() < self.known.len()) else { break None };
            match self.known[loc.index()] {
                Known::In(subprogram) => break subprogram,
                // A cycle, which only modules built by hand can have.
                Known::Busy => break None,
                Known::Unseen => {}
            }
            self.known[loc.index()] = Known::Busy;
            self.path.push(loc.index());
            next = match *table.get(loc) {
                LocData::Subprogram { .. } => break Some(loc),
                LocData::Source { scope, .. } | LocData::LexicalBlock { scope, .. } => scope,
                LocData::CallSite { caller, .. } => caller,
                LocData::CompileUnit { .. } | LocData::File { .. } => None,
            };
        };
        for index in self.path.drain(..) {
            self.known[index] = Known::In(found);
        }
        found
    }
}

impl<'m> Verifier<'m> {
    /// The subprogram of a function.
    pub(super) fn function_scope(&mut self, function: &'m Function) -> Option<Loc> {
        self.scopes.subprogram(&self.module.tables.locations, function.loc)
    }

    /// A function lies directly in a subprogram of its name.
    pub(super) fn function_location(&mut self, function: &'m Function) {
        let locations = &self.module.tables.locations;
        let entry = |loc: Option<Loc>| loc.filter(|loc| loc.index() < locations.len()).map(|loc| *locations.get(loc));
        let scope = match entry(function.loc) {
            Some(LocData::CallSite { .. }) => {
                return self.report(&rules::DEBUG_FUNCTION, None, "the location of a function cannot be a call site".to_owned());
            }
            Some(LocData::Source { scope: Some(scope), .. }) => scope,
            _ => return,
        };
        match entry(Some(scope)) {
            Some(LocData::Subprogram { linkage_name, .. }) if linkage_name == function.name => {}
            Some(LocData::Subprogram { linkage_name, .. }) => {
                let (expected, found) = (self.name(function.name), self.name(linkage_name));
                let message = format!("the subprogram of @{expected} must have its name as linkage name, found '{found}'");
                self.report(&rules::DEBUG_LINKAGE, None, message);
            }
            _ => self.report(&rules::DEBUG_FUNCTION, None, "the location of a function must lie directly in a subprogram".to_owned()),
        }
    }

    /// An operation lies in the subprogram of its function.
    #[inline]
    pub(super) fn debug_scope(&mut self, at: At<'m>, function: Option<Loc>) {
        let Some(loc) = at.op.loc() else { return };
        let locations = &self.module.tables.locations;
        let Some(found) = self.scopes.subprogram(locations, Some(loc)) else { return };
        match function {
            Some(expected) if are_equal(locations, Some(expected), Some(found)) => {}
            Some(_) => self.report(
                &rules::DEBUG_SCOPE,
                Some(at),
                "the operation must lie in the subprogram of its function, found another".to_owned(),
            ),
            None => self.report(&rules::DEBUG_SCOPE, Some(at), "the operation has a subprogram, but its function has none".to_owned()),
        }
    }
}

/// Whether two subprograms, or the files and units they name, say the same: entries may be repeated.
fn are_equal(table: &LocationTable, a: Option<Loc>, b: Option<Loc>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a == b };
    if a == b {
        return true;
    }
    match (*table.get(a), *table.get(b)) {
        (LocData::Subprogram { file: f1, unit: u1, .. }, LocData::Subprogram { file: f2, unit: u2, .. }) => {
            let same = |data: LocData| match data {
                LocData::Subprogram { line, name, linkage_name, scope_line, flags, .. } => {
                    Some((line, name, linkage_name, scope_line, flags))
                }
                _ => None,
            };
            same(*table.get(a)) == same(*table.get(b)) && files_are_equal(table, f1, f2) && units_are_equal(table, u1, u2)
        }
        _ => false,
    }
}

fn units_are_equal(table: &LocationTable, a: Option<Loc>, b: Option<Loc>) -> bool {
    match (a.map(|loc| *table.get(loc)), b.map(|loc| *table.get(loc))) {
        (Some(LocData::CompileUnit { file: a }), Some(LocData::CompileUnit { file: b })) => files_are_equal(table, a, b),
        (a, b) => a == b,
    }
}

fn files_are_equal(table: &LocationTable, a: Option<Loc>, b: Option<Loc>) -> bool {
    a.map(|loc| *table.get(loc)) == b.map(|loc| *table.get(loc))
}
