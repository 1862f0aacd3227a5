//! The function section: records without their bodies (FORMAT section 3.6).

use crate::{
    context::{Budget, Context},
    cursor::Cursor,
    debug::Row,
    error::{Place, ReadError},
    limits::PARAMETER_SLACK,
};
use std::ops::Range;
use tilewright_ir::{Attr, Loc, Str, SymbolVisibility, Type, TypeData, Version};

/// What a file says about a function, besides its body.
#[derive(Clone, Debug)]
pub struct FunctionHeader {
    /// Symbol name.
    pub name: Str,
    /// Its function type.
    pub signature: Type,
    /// Whether the host can launch it.
    pub is_entry: bool,
    /// Who can look it up.
    pub visibility: SymbolVisibility,
    /// Optimization hints; `None` where there are none or they are empty.
    pub hints: Option<Attr>,
    /// Attributes of the parameters (13.5); `None` where they are empty.
    pub arg_attrs: Option<Attr>,
    /// Source location.
    pub loc: Option<Loc>,
    /// Where its operations stand in the file.
    pub body: Range<usize>,
    /// The debug ids of its operations.
    pub(crate) row: Option<Row>,
    pub(crate) marks: RecordMarks,
}

/// Where the parts of a record begin in the file.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RecordMarks {
    /// Its name, then signature and flag byte.
    pub(crate) start: usize,
    /// The number of its debug row.
    pub(crate) row: usize,
    /// Hints, then attributes of parameters.
    pub(crate) attrs: usize,
    /// The length of the body, then the body.
    pub(crate) body: usize,
}

/// Bits of the flag byte.
pub(crate) mod flag {
    pub(crate) const PRIVATE: u8 = 1;
    pub(crate) const ENTRY: u8 = 1 << 1;
    /// Before 13.5: hints follow.
    pub(crate) const HINTS: u8 = 1 << 2;
    /// Since 13.5: what form the record has, 0 for the usual one.
    pub(crate) const FORM: u8 = 3 << 2;
    /// A form: the function is implemented elsewhere.
    pub(crate) const EXTERNAL: u8 = 1 << 2;
}

/// Fewest bytes of a record.
const MIN_RECORD: usize = 5;

impl Context<'_> {
    /// The records of the section. What follows the last one is ignored.
    pub(crate) fn functions(&mut self, mut cursor: Cursor<'_>) -> Result<Vec<FunctionHeader>, ReadError> {
        let count = cursor.count("functions", MIN_RECORD)?;
        let mut parameters = Budget::new(cursor.remaining(), PARAMETER_SLACK);
        let mut functions = Vec::new();
        for index in 0..count {
            let at = cursor.place();
            let function = self.function(index, &mut cursor)?;
            if !parameters.take(self.parameters(function.signature)) {
                return Err(at.limit(format_args!("the functions of the file have too many parameters")));
            }
            functions.push(function);
        }
        Ok(functions)
    }

    /// How many parameters a function type has.
    pub(crate) fn parameters(&self, signature: Type) -> usize {
        match self.tables.types.get(signature) {
            TypeData::Function { inputs, .. } => inputs.len(),
            _ => 0,
        }
    }

    fn function(&mut self, index: usize, cursor: &mut Cursor<'_>) -> Result<FunctionHeader, ReadError> {
        let start = cursor.offset();
        let name = self.name(cursor, "the name of a function").map_err(|error| error.in_function(index, ""))?;
        self.named_function(cursor, start, name).map_err(|error| error.in_function(index, &self.tables.strings.text(name)))
    }

    fn named_function(&mut self, cursor: &mut Cursor<'_>, start: usize, name: Str) -> Result<FunctionHeader, ReadError> {
        let at = cursor.place();
        let signature = self.ty(cursor)?;
        if !matches!(self.tables.types.get(signature), TypeData::Function { .. }) {
            return Err(at.malformed(format_args!("the signature of a function must be a function type")));
        }
        let at = cursor.place();
        let flags = cursor.byte()?;
        self.check_flags(at, flags)?;
        let at = cursor.place();
        let number = cursor.varint()?;
        let mut marks = RecordMarks { start, row: at.offset, attrs: cursor.offset(), body: 0 };
        let mut row = self.debug.row(at, number)?;
        let loc = row.as_mut().map(|row| self.next_location(row)).transpose()?.flatten();
        let has_hints = self.version >= Version::V13_5 || flags & flag::HINTS != 0;
        let hints = if has_hints { self.tagged_hints(cursor)? } else { None };
        let arg_attrs = if self.version >= Version::V13_5 { self.parameter_attributes(cursor, signature)? } else { None };
        marks.body = cursor.offset();
        let length = cursor.count("bytes of the body", 1)?;
        let body = cursor.split(length)?.range();
        let visibility = if flags & flag::PRIVATE != 0 { SymbolVisibility::Private } else { SymbolVisibility::Public };
        Ok(FunctionHeader { name, signature, is_entry: true, visibility, hints, arg_attrs, loc, body, row, marks })
    }

    /// Checks that the flags of a function are those of a form of record that is known.
    pub(crate) fn check_flags(&self, at: Place, flags: u8) -> Result<(), ReadError> {
        let known = match self.version {
            Version::V13_1 | Version::V13_2 | Version::V13_3 => u8::MAX,
            Version::V13_4 => flag::PRIVATE | flag::ENTRY | flag::HINTS,
            Version::V13_5 => flag::PRIVATE | flag::ENTRY | flag::FORM,
        };
        if flags & !known != 0 {
            return Err(at.malformed(format_args!("the flags of a function are {flags:#04x}: {:#04x} mean nothing", flags & !known)));
        }
        if self.version >= Version::V13_5 && flags & flag::FORM > flag::EXTERNAL {
            return Err(at.malformed(format_args!("the form of a function is {}: only 0 is accepted", (flags & flag::FORM) >> 2)));
        }
        if flags & flag::ENTRY == 0 {
            return Err(at.preview(format_args!("a function that is no entry")));
        }
        if self.version >= Version::V13_5 && flags & flag::FORM == flag::EXTERNAL {
            return Err(at.preview(format_args!("a function that is implemented elsewhere")));
        }
        Ok(())
    }
}
