//! The dump for people.

use super::{Group, Leaf, LeafKind, Visitor};
use std::fmt;

/// Bytes in a line.
const WIDTH: usize = 8;
/// Lines of a leaf that are shown unless all are asked for.
const MAX_LINES: usize = 8;

/// How to write a dump. The default cuts long runs of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextOptions {
    full: bool,
}

impl TextOptions {
    /// Cuts runs of bytes after 64 of them.
    pub fn new() -> TextOptions {
        TextOptions::default()
    }

    /// Shows every byte. Default: no.
    pub fn full(mut self, on: bool) -> Self {
        self.full = on;
        self
    }
}

/// A visitor that writes a line for each group and leaf: offset, bytes, meaning. When `out` takes no more, it stops.
pub fn write_text<'o>(options: TextOptions, out: &'o mut dyn fmt::Write) -> impl Visitor + 'o {
    TextWriter { options, out, depth: 0, failed: false }
}

struct TextWriter<'o> {
    options: TextOptions,
    out: &'o mut dyn fmt::Write,
    depth: usize,
    failed: bool,
}

impl TextWriter<'_> {
    fn group(&mut self, group: &Group<'_>) -> fmt::Result {
        writeln!(self.out, "{:#06x} {:pad$}{:indent$}{}", group.offset, "", "", group.title, pad = 2 + 3 * WIDTH, indent = 2 * self.depth)
    }

    fn bytes(&mut self, offset: usize, bytes: &[u8]) -> fmt::Result {
        write!(self.out, "{offset:#06x} ")?;
        bytes.iter().try_for_each(|byte| write!(self.out, " {byte:02x}"))
    }

    fn meaning(&mut self, leaf: &Leaf<'_>) -> fmt::Result {
        let first = leaf.bytes.len().min(WIDTH);
        let depth = self.depth - usize::from(leaf.kind == LeafKind::Head).min(self.depth);
        write!(self.out, "{:pad$}", "", pad = 2 + 3 * (WIDTH - first) + 2 * depth)?;
        let meaning = leaf.meaning.to_string();
        match (leaf.kind, meaning.is_empty()) {
            (LeafKind::Head, _) => write!(self.out, "{meaning}")?,
            (_, true) => write!(self.out, "{}", leaf.name)?,
            (_, false) => write!(self.out, "{}: {meaning}", leaf.name)?,
        }
        if leaf.bytes.len() > WIDTH {
            write!(self.out, ", {} bytes", leaf.bytes.len())?;
        }
        match leaf.problem {
            Some(problem) => writeln!(self.out, "  <-- error: {}", problem.message()),
            None => writeln!(self.out),
        }
    }

    fn write_leaf(&mut self, leaf: &Leaf<'_>) -> fmt::Result {
        for (line, bytes) in leaf.bytes.chunks(WIDTH).enumerate() {
            let offset = leaf.offset + line * WIDTH;
            if line == MAX_LINES && !self.options.full {
                return writeln!(self.out, "{offset:#06x}  ... {} more bytes", leaf.bytes.len() - line * WIDTH);
            }
            self.bytes(offset, bytes)?;
            if line == 0 { self.meaning(leaf)? } else { writeln!(self.out)? }
        }
        Ok(())
    }
}

impl Visitor for TextWriter<'_> {
    fn enter(&mut self, group: &Group<'_>) {
        // The opcode stands for the operation.
        if group.kind != super::GroupKind::Operation && !self.failed {
            self.failed = self.group(group).is_err();
        }
        self.depth += 1;
    }

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        if !self.failed {
            self.failed = self.write_leaf(leaf).is_err();
        }
    }

    fn leave(&mut self, _: usize) {
        self.depth = self.depth.saturating_sub(1);
    }
}
