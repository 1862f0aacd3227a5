//! A cursor that tells a visitor about what it passes.

use super::{Group, GroupKind, Leaf, LeafKind, Visitor};
use crate::{ReadError, context::Context, cursor::Cursor};
use std::fmt;
use tilewright_ir::{EnumKind, Type, printable};

/// Longest part of a string that is shown, in bytes.
const MAX_TEXT: usize = 80;
/// Longest part of the name of a function that counts, in characters.
pub(super) const MAX_NAME: usize = 256;

/// Walks over a range of a file. Whatever lies between what was told last and the cursor is the next leaf, so that no byte
/// is told twice or never.
pub(super) struct Tracer<'a, 'v> {
    pub(super) context: Context<'a>,
    pub(super) cursor: Cursor<'a>,
    bytes: &'a [u8],
    visitor: &'v mut dyn Visitor,
    /// The first byte that was not told.
    told: usize,
    /// How many groups are open.
    depth: usize,
}

impl<'a, 'v> Tracer<'a, 'v> {
    /// Walks over all of `bytes`.
    pub(super) fn new(bytes: &'a [u8], cursor: Cursor<'a>, context: Context<'a>, visitor: &'v mut dyn Visitor) -> Self {
        Tracer { context, cursor, bytes, visitor, told: 0, depth: 0 }
    }

    /// The first byte that was not told.
    pub(super) fn told(&self) -> usize {
        self.told
    }

    /// Begins a group at the next byte.
    pub(super) fn enter(&mut self, kind: GroupKind<'_>, title: fmt::Arguments<'_>) {
        self.depth += 1;
        self.visitor.enter(&Group { kind, offset: self.told, title });
    }

    /// Ends the innermost group.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
        self.visitor.leave(self.told);
    }

    /// A group with what `inside` tells; after an error the group stays open, for [`Tracer::within`] to close.
    pub(super) fn group(
        &mut self,
        kind: GroupKind<'_>,
        title: fmt::Arguments<'_>,
        inside: impl FnOnce(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.enter(kind, title);
        inside(self)?;
        self.leave();
        Ok(())
    }

    /// Tells the bytes up to the cursor.
    pub(super) fn tell(&mut self, kind: LeafKind, name: fmt::Arguments<'_>, meaning: fmt::Arguments<'_>, problem: Option<&ReadError>) {
        let end = self.cursor.offset();
        if end > self.told {
            self.visitor.leaf(&Leaf { kind, offset: self.told, bytes: &self.bytes[self.told..end], name, meaning, problem });
            self.told = end;
        }
    }

    /// Tells the bytes up to the cursor, as a field without problems.
    pub(super) fn field(&mut self, name: fmt::Arguments<'_>, meaning: fmt::Arguments<'_>) {
        self.tell(LeafKind::Field, name, meaning, None);
    }

    /// Walks over `range` with `inside` and accounts for all of it: what `inside` leaves is unused, what an error leaves is
    /// undecoded. Afterwards the cursor is where it was.
    pub(super) fn within(&mut self, range: Cursor<'a>, inside: impl FnOnce(&mut Self) -> Result<(), ReadError>) {
        let outer = std::mem::replace(&mut self.cursor, range);
        let depth = self.depth;
        let result = inside(self);
        while self.depth > depth {
            self.leave();
        }
        self.cursor.take_rest();
        match result {
            Ok(()) => self.tell(LeafKind::Unused, format_args!("unused"), format_args!(""), None),
            Err(error) => self.tell(LeafKind::Undecoded, format_args!("undecoded"), format_args!(""), Some(&error)),
        }
        self.cursor = outer;
    }

    /// Padding up to a multiple of `alignment`, counted from `origin`.
    pub(super) fn padding(&mut self, origin: usize, alignment: usize) -> Result<(), ReadError> {
        self.cursor.align(origin, alignment)?;
        self.tell(LeafKind::Padding, format_args!("padding"), format_args!("to a multiple of {alignment}"), None);
        Ok(())
    }

    pub(super) fn byte(&mut self, name: &str) -> Result<u8, ReadError> {
        let byte = self.cursor.byte()?;
        self.field(format_args!("{name}"), format_args!("{byte}"));
        Ok(byte)
    }

    pub(super) fn bool(&mut self, name: &str) -> Result<bool, ReadError> {
        let value = self.cursor.bool()?;
        self.field(format_args!("{name}"), format_args!("{value}"));
        Ok(value)
    }

    pub(super) fn varint(&mut self, name: &str) -> Result<u64, ReadError> {
        let value = self.cursor.varint()?;
        self.field(format_args!("{name}"), format_args!("{value}"));
        Ok(value)
    }

    pub(super) fn svarint(&mut self, name: &str) -> Result<i64, ReadError> {
        let value = self.cursor.svarint()?;
        self.field(format_args!("{name}"), format_args!("{value}"));
        Ok(value)
    }

    /// A number of things of at least `each` bytes.
    pub(super) fn count(&mut self, what: &str, each: usize) -> Result<usize, ReadError> {
        let count = self.cursor.count(what, each)?;
        self.field(format_args!("number of {what}"), format_args!("{count}"));
        Ok(count)
    }

    /// A counted list of numbers of `N` bytes.
    pub(super) fn list<const N: usize>(&mut self, what: &str, number: fn([u8; N]) -> i64) -> Result<(), ReadError> {
        let count = self.count(what, N)?;
        for index in 0..count {
            let bytes = self.cursor.take(N)?.try_into().expect("as many bytes were taken");
            match number(bytes) {
                tilewright_ir::DYNAMIC => self.field(format_args!("[{index}]"), format_args!("dynamic")),
                value => self.field(format_args!("[{index}]"), format_args!("{value}")),
            }
        }
        Ok(())
    }

    /// The word for a value of an enumeration, or what is wrong with it.
    pub(super) fn enumeration(&mut self, name: &str, kind: EnumKind) -> Result<(), ReadError> {
        let mut probe = self.cursor;
        let checked = self.context.enum_value(kind, &mut probe);
        let wire = self.cursor.varint()?;
        let keyword = kind.value(wire as u8).filter(|_| wire < 256).map_or("unknown", |value| value.keyword);
        self.tell(LeafKind::Field, format_args!("{name}"), format_args!("{wire} = {keyword}"), checked.err().as_ref());
        Ok(())
    }

    /// A type index. Gives the type, where the file has it.
    pub(super) fn ty(&mut self, name: fmt::Arguments<'_>, rest: fmt::Arguments<'_>) -> Result<Option<Type>, ReadError> {
        let mut probe = self.cursor;
        let ty = self.context.ty(&mut probe);
        let index = self.cursor.varint()?;
        match ty {
            Ok(ty) => {
                let text = self.context.tables.types.brief(ty);
                self.field(name, format_args!("type {index} = {text}{rest}"));
                Ok(Some(ty))
            }
            Err(error) => {
                // Where the whole table is cut off, each of its items would be missing.
                let problem = Some(&error).filter(|_| !self.context.types.is_empty());
                self.tell(LeafKind::Field, name, format_args!("type {index}{rest}"), problem);
                Ok(None)
            }
        }
    }

    /// A string index.
    pub(super) fn string(&mut self, name: &str) -> Result<(), ReadError> {
        let mut probe = self.cursor;
        let string = self.context.string(&mut probe);
        let index = self.cursor.varint()?;
        match string {
            Ok(string) => {
                let text = excerpt(self.context.tables.strings.bytes(string));
                self.field(format_args!("{name}"), format_args!("string {index} = {text}"));
            }
            Err(error) => {
                let problem = Some(&error).filter(|_| !self.context.strings.is_empty());
                self.tell(LeafKind::Field, format_args!("{name}"), format_args!("string {index}"), problem);
            }
        }
        Ok(())
    }

    /// The name whose string index comes next, without telling it; nothing where it is broken. It may be cut.
    pub(super) fn peek_name(&mut self) -> String {
        let name = self.context.string(&mut { self.cursor });
        name.map_or_else(|_| String::new(), |name| prefix(self.context.tables.strings.bytes(name)))
    }
}

/// As much of a name as counts.
pub(super) fn prefix(name: &[u8]) -> String {
    let longest = name.len().min(4 * MAX_NAME);
    String::from_utf8_lossy(&name[..longest]).chars().take(MAX_NAME).collect()
}

/// The beginning of a string, for people, in quotes.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    let is_cut = |end: &usize| bytes.get(*end).is_some_and(|byte| byte & 0xc0 == 0x80);
    // Not within a character, as far as these are characters.
    let end = (0..4).map(|back| MAX_TEXT - back).find(|end| !is_cut(end)).unwrap_or(MAX_TEXT);
    let cut = &bytes[..bytes.len().min(end)];
    let dots = if cut.len() < bytes.len() { "..." } else { "" };
    format!("{:?}{dots}", printable(cut))
}
