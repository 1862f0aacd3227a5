//! The operations that instructions come from, as the program had them before any pass.

use crate::hash::HashMap;
use crate::{Site, profile::Origin};
use tilewright_ir::{LocData, Module, Op, OpRef, Str};

/// The functions that are lowered, and where their operations come from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'m> {
    /// The program's own.
    Original(&'m Module),
    /// Copies that passes have changed, with locations by [`mark_origins`].
    Changed { module: &'m Module, original: &'m Module },
}

impl<'m> Source<'m> {
    pub(crate) fn module(self) -> &'m Module {
        match self {
            Source::Original(module) | Source::Changed { module, .. } => module,
        }
    }

    fn original(self) -> &'m Module {
        match self {
            Source::Original(module) => module,
            Source::Changed { original, .. } => original,
        }
    }

    /// The operation of the program that one was made of, an operation of the `function`-th function, with the function that it stands in; none if
    /// a pass made it of nothing in particular.
    fn origin(self, function: u32, op: OpRef<'m>) -> Option<(u32, OpRef<'m>)> {
        let Source::Changed { module, original } = self else { return Some((function, op)) };
        let (_, position, function) = module.tables.locations.source(op.loc())?;
        let function = function.checked_sub(1)?;
        let body = &original.functions.get(function as usize)?.body;
        Some((function, body.op(Op::new(position.checked_sub(1)? as usize))))
    }
}

/// Gives the operations of a function locations that say nothing but where they stand in the program: the function's position as column,
/// the operation's as line. Passes give new operations the locations of those that they are made of.
pub(crate) fn mark_origins(module: &mut Module, function: usize, position: usize) {
    let tables = &mut module.tables;
    let file = module.name;
    let body = &mut module.functions[function].body;
    let column = position as u32 + 1;
    tables.locations.reserve(body.num_ops());
    for index in 0..body.num_ops() {
        let place = LocData::Source { scope: None, file, line: index as u32 + 1, column };
        body.set_loc(Op::new(index), Some(tables.locations.add(place)));
    }
}

/// Where instructions come from.
#[derive(Debug)]
pub(crate) struct SiteTable {
    entries: Vec<Entry>,
    files: Vec<String>,
    /// The position of a file's name.
    known: HashMap<Str, u32>,
    /// The file of the operation before, which is mostly that of the next one.
    last: Option<(Str, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Position of its function in the module.
    function: u32,
    /// Position of the operation in its function; none if a pass made it.
    op: Option<u32>,
    mnemonic: &'static str,
    /// File, line and column.
    place: Option<(u32, u32, u32)>,
}

impl SiteTable {
    /// A table of the entry itself, with room for so many operations.
    pub(crate) fn with_capacity(ops: usize) -> SiteTable {
        let mut entries = Vec::with_capacity(ops + 1);
        entries.push(Entry { function: 0, op: None, mnemonic: "entry", place: None });
        SiteTable { entries, files: Vec::new(), known: HashMap::default(), last: None }
    }

    /// Adds an operation of the `function`-th function; gives its number.
    pub(crate) fn add<'m>(&mut self, source: Source<'m>, function: u32, op: OpRef<'m>) -> u32 {
        let tables = &source.original().tables;
        let entry = match source.origin(function, op) {
            Some((function, origin)) => {
                let place = tables.locations.source(origin.loc());
                let place = place.map(|(file, line, column)| (self.file(file, || tables.strings.text(file).into_owned()), line, column));
                Entry { function, op: Some(origin.id().index() as u32), mnemonic: origin.def().mnemonic, place }
            }
            None => Entry { function, op: None, mnemonic: op.def().mnemonic, place: None },
        };
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }

    fn file(&mut self, name: Str, text: impl FnOnce() -> String) -> u32 {
        if let Some((_, file)) = self.last.filter(|(last, _)| *last == name) {
            return file;
        }
        let files = &mut self.files;
        let file = *self.known.entry(name).or_insert_with(|| {
            files.push(text());
            files.len() as u32 - 1
        });
        self.last = Some((name, file));
        file
    }

    /// What messages say of an operation.
    pub(crate) fn site(&self, number: u32) -> Site {
        let Entry { mnemonic, place, .. } = self.entries[number as usize];
        let location = place.map(|(file, line, column)| format!("{}:{line}:{column}", self.files[file as usize]));
        Site { mnemonic, location }
    }

    /// The position of an operation in its function; 0 if a pass made it.
    pub(crate) fn op(&self, number: u32) -> u32 {
        self.entries[number as usize].op.unwrap_or(0)
    }

    /// What profiles say of an operation.
    pub(crate) fn origin(&self, number: u32) -> Origin {
        let Entry { function, op, mnemonic, place } = self.entries[number as usize];
        let place = place.map(|(file, line, column)| (self.files[file as usize].clone(), line, column));
        Origin { function, op, mnemonic, place }
    }
}
