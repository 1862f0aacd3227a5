//! What `compile --explain` says.

use std::fmt::Write as _;
use tilewright::{
    gpu::{Kernel, thread::Inst},
    ir::printable,
};

/// The kernel in numbers, then its operations in their order, below the lines of the source that they stem from.
pub(super) fn text(kernel: &Kernel) -> String {
    let code = kernel.code();
    let insts = || code.blocks.iter().flat_map(|block| &block.insts).filter(|inst| !matches!(inst, Inst::Line(_) | Inst::Const { .. }));
    let barriers = insts().filter(|inst| matches!(inst, Inst::Barrier)).count();
    let mut text = format!(
        "{} for {}: {} threads, {} bytes of {}shared memory, {} instructions of thread code, {barriers} of them barriers\n",
        printable(&code.name),
        kernel.target(),
        code.threads,
        code.shared,
        if code.dynamic_shared() > 0 { "dynamic " } else { "" },
        insts().count(),
    );
    let mut place = None;
    // Operations that became nothing, or arithmetic of a thread only, are left out.
    for op in kernel.explained().iter().filter(|op| !op.tiles.is_empty() || !op.notes.is_empty()) {
        if op.place.is_some() && place != op.place.as_ref() {
            place = op.place.as_ref();
            if let Some((file, line, column)) = place {
                let _ = writeln!(text, "\n{}:{line}:{column}", printable(file));
            }
        }
        let _ = writeln!(text, "  {}", op.operation);
        for tile in &op.tiles {
            let _ = writeln!(text, "      {}  {}", printable(&tile.ty), tile.layout);
        }
        for note in &op.notes {
            let _ = writeln!(text, "      - {note}");
        }
    }
    text
}
