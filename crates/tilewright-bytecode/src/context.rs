//! What the parts of a file share while it is read: the undecoded tables, and the module's tables that they fill.
//!
//! Tables are decoded item by item, when something names the item, and each item at most once.

use crate::{constants::Constants, cursor::Cursor, debug::Debug, error::ReadError, strings::Strings, types::Types};
use tilewright_ir::{EnumKind, Tables, Version};

/// The state of reading a file.
pub(crate) struct Context<'a> {
    pub(crate) version: Version,
    pub(crate) preview: bool,
    pub(crate) tables: Tables,
    pub(crate) strings: Strings<'a>,
    pub(crate) types: Types<'a>,
    pub(crate) constants: Constants<'a>,
    pub(crate) debug: Debug<'a>,
}

/// Whether an item that may refer to others has been decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot<T> {
    Todo,
    /// Being decoded: whoever meets it here found a cycle.
    Busy,
    Done(T),
}

/// What may still be taken: bytes of items that may overlap, parameters of functions that may share a signature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(usize);

impl Budget {
    /// As much as `len` bytes can honestly ask for, and some more.
    pub(crate) fn new(len: usize, slack: usize) -> Budget {
        Budget(len.saturating_add(slack))
    }

    /// Takes some away; `false` when there is too little.
    #[must_use]
    pub(crate) fn take(&mut self, amount: usize) -> bool {
        let rest = self.0.checked_sub(amount);
        self.0 = rest.unwrap_or(0);
        rest.is_some()
    }
}

impl Context<'_> {
    /// A value of an enumeration: cut to 32 bits, one that the file's version has.
    pub(crate) fn enum_value(&self, kind: EnumKind, cursor: &mut Cursor<'_>) -> Result<u8, ReadError> {
        let at = cursor.place();
        let wire = cursor.varint()? as u32;
        match u8::try_from(wire).ok().and_then(|wire| kind.value(wire)) {
            None => Err(at.malformed(format_args!("{wire} is no value of {}", kind.name()))),
            Some(value) if value.since > self.version => Err(at.newer(format_args!(
                "value '{}' of {} needs version {}, the file has {}",
                value.keyword,
                kind.name(),
                value.since,
                self.version
            ))),
            Some(value) => Ok(value.value),
        }
    }
}
