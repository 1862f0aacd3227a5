//! What lowering did with each operation, for people: layouts, accesses, changes of layout, barriers.

use super::{Lowered, Lowerer};
use crate::{Layout, TileLayout, layout::LANE_BITS, thread::Strong};
use tilewright_ir::OpRef;

/// What an operation became.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// Its mnemonic.
    pub operation: String,
    /// File, line and column of the source.
    pub place: Option<(String, u32, u32)>,
    /// Its results that are tiles of more than one element.
    pub tiles: Vec<TileLayout>,
    /// Accesses, changes of layout and barriers, in the order of the code.
    pub notes: Vec<String>,
}

/// So many of something.
fn times(count: usize, one: &str) -> String {
    if count == 1 { format!("one {one}") } else { format!("{count} {one}s") }
}

impl Lowerer<'_> {
    /// What follows belongs to an operation; gives what is handed to [`end_op`](Self::end_op).
    pub(super) fn begin_op(&mut self, op: OpRef<'_>) -> usize {
        let place = self.source_of(op);
        if let Some((file, line, column)) = &place {
            self.b.line(file, *line, *column);
        }
        let operation = op.opcode().mnemonic().to_owned();
        self.explained.push(Explained { operation, place, tiles: Vec::new(), notes: Vec::new() });
        std::mem::replace(&mut self.current, self.explained.len() - 1)
    }

    /// The operation is done, and its results are defined.
    pub(super) fn end_op(&mut self, op: OpRef<'_>, outer: usize) {
        let count = op.results().count();
        let mut tiles = Vec::new();
        for (n, result) in op.results().enumerate() {
            let Some(Lowered::Tile(tile)) = self.frame.values.get(&result) else { continue };
            if !tile.shape.is_empty() {
                let operation = if count > 1 { format!("{}#{n}", op.opcode().mnemonic()) } else { op.opcode().mnemonic().to_owned() };
                let ty = self.module.tables.types.display(self.frame.body.ty(result)).to_string();
                tiles.push(TileLayout { operation, ty, shape: tile.shape.clone(), layout: tile.layout.clone() });
            }
        }
        self.explained[self.current].tiles = tiles;
        self.current = outer;
    }

    /// Says something about the current operation, once.
    pub(super) fn note(&mut self, text: String) {
        // Entries have parameters in front of their first operation.
        let Some(current) = self.explained.get_mut(self.current) else { return };
        if current.notes.last() != Some(&text) {
            current.notes.push(text);
        }
    }

    /// Says how memory of the device is accessed.
    pub(super) fn note_accesses(&mut self, what: &str, count: usize, bytes: usize, masked: bool, strong: Option<Strong>) {
        let masked = if masked { ", masked" } else { "" };
        let strong = strong.map_or_else(String::new, |strong| format!(", {strong}"));
        self.note(format!("{} of {bytes} bytes by each thread{masked}{strong}", times(count, what)));
    }

    /// Says along what a row is combined or scanned.
    pub(super) fn note_row(&mut self, what: &str, layout: &Layout, along: u32) {
        let bits = |columns: &[u32]| columns.iter().filter(|column| *column & along != 0).count();
        let (lanes, warps) = layout.thread_columns().split_at(LANE_BITS as usize);
        let parts = [(bits(layout.register_columns()), "registers"), (bits(lanes), "lanes"), (bits(warps), "warps")];
        let parts: Vec<String> = parts.iter().filter(|(bits, _)| *bits > 0).map(|(bits, of)| format!("{} {of}", 1 << bits)).collect();
        let through = if bits(warps) > 0 { ", through shared memory" } else { "" };
        let across = if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") };
        self.note(format!("{what} across {across}{through}"));
    }
}
