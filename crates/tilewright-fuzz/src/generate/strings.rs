//! Names and texts.

use super::Generator;
use tilewright_ir::Str;

/// Parts of texts: what is common, what printers must escape, and what is no text.
const PARTS: [&[u8]; 13] = [b"x", b"value ", b"_1", b"0", b"\n", b"\"", b"\\", b"\t", "ä€".as_bytes(), b"%", b"//", b"\x7f", b"\xff\0"];
/// Beginnings of names.
const NAMES: [&str; 8] = ["k", "kernel_", "K.a$", "-", "1", "a b", "\"", "é"];
/// Names of files and folders.
const PATHS: [&str; 4] = ["kernels.py", "/src", "a \"b\"\\c.py", ""];

impl Generator<'_, '_> {
    pub(super) fn intern_string(&mut self, text: impl AsRef<[u8]>) -> Str {
        self.module.tables.strings.intern(text)
    }

    /// A text of a few parts.
    pub(super) fn string(&mut self) -> Str {
        let parts = self.source.below(5);
        let text: Vec<u8> = (0..parts).flat_map(|_| self.source.pick(&PARTS)).copied().collect();
        self.intern_string(text)
    }

    /// A name that no other number gives.
    pub(super) fn name(&mut self, number: usize) -> Str {
        let mut choice = self.source.below(3 * NAMES.len());
        if choice >= NAMES.len() {
            choice = 0;
        }
        self.intern_string(format!("{}{number}", NAMES[choice]))
    }

    pub(super) fn path(&mut self) -> Str {
        let path = self.source.pick(&PATHS);
        self.intern_string(path)
    }
}
