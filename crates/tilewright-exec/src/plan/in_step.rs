//! Which plans let neighbouring blocks run in step (`vm/in_step.rs`): those that reduce columns of tiles with short rows where they lie in
//! memory.
//!
//! Nobody must be able to tell in which order blocks run, as nobody can tell where accesses order nothing and blocks do not wait; what
//! blocks print and assert stays in order as well.

use super::{Inst, Readers, streaming};

/// The most blocks that run in step.
const MOST: usize = 16;
/// Bytes of the rows of all tiles together that are long enough: what a CPU fetches ahead ends with a page.
const LONG: usize = 4096;
/// The most bytes that the frames of blocks in step may take: the second cache should hold them.
const FRAMES: usize = 1 << 20;

/// How many blocks may run in step.
pub(crate) fn blocks(code: &[Inst], frame_bytes: usize) -> usize {
    let in_order = code.iter().any(|inst| inst.effects().reports);
    if in_order || streaming::orders(code) {
        return 1;
    }
    let rows = code.iter().filter_map(|inst| {
        let Inst::FoldColumns(fold) = inst else { return None };
        let loads =
            |inst: &Inst| matches!(inst, Inst::Load { dst, readers: Readers::Strided, .. } if fold.src.base == super::Base::Reg(*dst));
        code.iter().any(loads).then(|| fold.src.shape[1] * fold.src.elem.size())
    });
    rows.max().map_or(1, |bytes| (LONG / bytes).min(FRAMES / frame_bytes.max(1)).clamp(1, MOST))
}
