//! Source locations.

use super::Generator;
use tilewright_ir::{Loc, LocData, Str, Version};

impl Generator<'_, '_> {
    /// Makes places for the operations of a function, and gives its own; none for a function without debug entries.
    pub(super) fn function_places(&mut self, name: Str) -> Option<Loc> {
        self.places.clear();
        if !self.source.flag() {
            return None;
        }
        let own = self.subprogram(name);
        let function = self.source_place(own);
        let mut scopes = vec![own];
        for _ in 0..self.source.below(3) {
            let scope = self.source.pick(&scopes);
            scopes.push(self.lexical_block(scope));
        }
        self.places.push(function);
        for _ in 0..1 + self.source.below(6) {
            let scope = self.source.pick(&scopes);
            let place = self.source_place(scope);
            self.places.push(place);
        }
        for _ in 0..self.source.below(4) {
            let call = self.call_site();
            self.places.push(call);
        }
        Some(function)
    }

    /// The location of an operation, if it has one.
    pub(super) fn place(&mut self) -> Option<Loc> {
        let choice = self.source.below(self.places.len() + 1);
        // The last choice is no place.
        self.places.get(choice).copied()
    }

    fn add_location(&mut self, data: LocData) -> Loc {
        self.module.tables.locations.add(data)
    }

    fn file(&mut self) -> Option<Loc> {
        let (name, directory) = (self.path(), self.path());
        Some(self.add_location(LocData::File { name, directory }))
    }

    /// A number of a line or column: of every width.
    fn line(&mut self) -> u32 {
        let bytes = self.source.pick(&[1, 1, 1, 2, 4]);
        self.source.number(bytes) as u32
    }

    fn subprogram(&mut self, linkage_name: Str) -> Loc {
        let unit_file = self.file();
        let unit = Some(self.add_location(LocData::CompileUnit { file: unit_file }));
        let file = self.file();
        let (name, line, scope_line) = (self.string(), self.line(), self.line());
        let flags = u32::from(self.version() >= Version::V13_5 && self.source.flag());
        self.add_location(LocData::Subprogram { file, line, name, linkage_name, unit, scope_line, flags })
    }

    fn lexical_block(&mut self, scope: Loc) -> Loc {
        let file = self.file();
        let (line, column) = (self.line(), self.line());
        self.add_location(LocData::LexicalBlock { scope: Some(scope), file, line, column })
    }

    fn source_place(&mut self, scope: Loc) -> Loc {
        let (file, line, column) = (self.path(), self.line(), self.line());
        self.add_location(LocData::Source { scope: Some(scope), file, line, column })
    }

    /// A place in another function, inlined into a place of this one.
    fn call_site(&mut self) -> Loc {
        let callee = match self.source.below(3) {
            0 => {
                let other = self.name(usize::MAX);
                let other = self.subprogram(other);
                Some(self.source_place(other))
            }
            1 => self.place(),
            _ => None,
        };
        let caller = self.place();
        self.add_location(LocData::CallSite { callee, caller })
    }
}
