//! Byte strings of a module, interned.

use crate::{
    Str,
    printable::{Printable, printable},
    tables::InternedSet,
};

/// The interned strings of a module.
///
/// Names are bytes: bytecode does not promise UTF-8, and a name must survive reading and writing unchanged.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    strings: InternedSet<Box<[u8]>>,
}

impl StringTable {
    /// The handle of `bytes`, which are stored once.
    pub fn intern(&mut self, bytes: impl AsRef<[u8]>) -> Str {
        let bytes = bytes.as_ref();
        let position = self.strings.position(bytes);
        Str::new(position.unwrap_or_else(|| self.strings.add(bytes.into())))
    }

    /// The handle of `bytes` if they are in the table.
    pub fn find(&self, bytes: impl AsRef<[u8]>) -> Option<Str> {
        self.strings.position(bytes.as_ref()).map(Str::new)
    }

    /// The bytes of a string.
    pub fn bytes(&self, string: Str) -> &[u8] {
        self.strings.item(string.index())
    }

    /// The string for messages: see [`printable`].
    pub fn shown(&self, string: Str) -> Printable<'_> {
        printable(self.bytes(string))
    }

    /// The string for names and paths, with bytes that are not UTF-8 replaced. Messages take [`StringTable::shown`].
    pub fn text(&self, string: Str) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(string))
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_a_handle() {
        let mut table = StringTable::default();
        let a = table.intern("kernel");
        assert_eq!(a, table.intern(b"kernel"));
        assert_ne!(a, table.intern([0xff]));
        assert_eq!(table.text(a), "kernel");
        assert_eq!(table.len(), 2);
    }
}
