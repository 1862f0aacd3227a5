//! The records of globals and functions (FORMAT sections 3.4 and 3.6).

use super::{GroupKind, LeafKind, flags::names_of_bits, tracer::Tracer};
use crate::{ReadError, functions::flag};
use tilewright_ir::{EnumKind, Type, Version, printable};

impl<'a> Tracer<'a, '_> {
    /// The payload of the global section.
    pub(super) fn globals(&mut self) -> Result<(), ReadError> {
        let count = self.count("globals", 4)?;
        for index in 0..count {
            let name = self.peek_name();
            self.group(GroupKind::Item, format_args!("global {index}: @{}", printable(&name)), Self::global)?;
        }
        Ok(())
    }

    fn global(&mut self) -> Result<(), ReadError> {
        self.string("name")?;
        self.ty(format_args!("type"), format_args!(""))?;
        self.constant("value")?;
        self.varint("alignment")?;
        if self.context.version >= Version::V13_3 {
            self.enumeration("visibility", EnumKind::SymbolVisibility)?;
            self.varint("constant")?;
        }
        Ok(())
    }

    /// A constant index.
    pub(super) fn constant(&mut self, name: &str) -> Result<(), ReadError> {
        let at = self.cursor.place();
        let index = self.cursor.varint()?;
        let count = self.context.constants.len() as u64;
        let problem = (index >= count && count > 0).then(|| at.no_entry("constant", index, count as usize, "constants in the file"));
        self.tell(LeafKind::Field, format_args!("{name}"), format_args!("constant {index}"), problem.as_ref());
        Ok(())
    }

    /// The payload of the function section.
    pub(super) fn functions(&mut self) -> Result<(), ReadError> {
        let count = self.count("functions", 5)?;
        for index in 0..count {
            let name = self.peek_name();
            let title = format_args!("function {index}: @{}", printable(&name));
            self.group(GroupKind::Function(&name), title, Self::function)?;
        }
        Ok(())
    }

    fn function(&mut self) -> Result<(), ReadError> {
        self.string("name")?;
        let signature = self.ty(format_args!("signature"), format_args!(""))?;
        let flags = self.function_flags()?;
        self.debug_row()?;
        if self.context.version >= Version::V13_5 || flags & flag::HINTS != 0 {
            self.attribute("optimization hints", 0)?;
        }
        if self.context.version >= Version::V13_5 {
            self.attribute("parameter attributes", 0)?;
        }
        self.function_body(signature)
    }

    fn function_flags(&mut self) -> Result<u8, ReadError> {
        let at = self.cursor.place();
        let flags = self.cursor.byte()?;
        let checked = self.context.check_flags(at, flags);
        let third = if self.context.version >= Version::V13_5 { "external" } else { "has hints" };
        let names = names_of_bits(u64::from(flags), &["private", "entry", third]);
        self.tell(LeafKind::Field, format_args!("flags"), format_args!("{flags:#04x}{names}"), checked.as_ref().err());
        // What records of other forms hold is not known.
        checked.map(|()| flags)
    }

    fn debug_row(&mut self) -> Result<(), ReadError> {
        let at = self.cursor.place();
        let number = self.cursor.varint()?;
        // Where the rows are cut off, all of them would be missing.
        let problem = self.context.debug.row(at, number).err().filter(|_| self.context.debug.has_rows());
        let name = format_args!("location");
        match number.checked_sub(1) {
            None => self.tell(LeafKind::Field, name, format_args!("unknown"), problem.as_ref()),
            Some(row) => self.tell(LeafKind::Field, name, format_args!("debug row {row}"), problem.as_ref()),
        }
        Ok(())
    }

    fn function_body(&mut self, signature: Option<Type>) -> Result<(), ReadError> {
        let at = self.cursor.place();
        let length = self.cursor.varint()?;
        let found = self.cursor.remaining();
        let problem = (length > found as u64)
            .then(|| at.truncated(format_args!("the body needs {length} bytes, found {found} to the end of the section")));
        self.tell(LeafKind::Field, format_args!("body length"), format_args!("{length} bytes"), problem.as_ref());
        let body = self.cursor.split(usize::try_from(length).unwrap_or(usize::MAX).min(found))?;
        self.enter(GroupKind::Body, format_args!("body"));
        self.within(body, |tracer| tracer.body(signature));
        self.leave();
        Ok(())
    }
}
