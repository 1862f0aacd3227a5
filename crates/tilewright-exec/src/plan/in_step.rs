//! Which plans let neighbouring blocks run in step (`vm/in_step.rs`): those that reduce columns of tiles with short rows where they lie in
//! memory, and those with a loop that only multiplies, whose blocks have factors in common.
//!
//! Nobody must be able to tell in which order blocks run, as nobody can tell where accesses order nothing and blocks do not wait; what
//! blocks print and assert stays in order as well.

use super::{Inst, ProductLoop, Readers, block_order};

/// The most blocks that run in step.
const MOST: usize = 16;
/// Bytes of the rows of all tiles together that are long enough: what a CPU fetches ahead ends with a page.
const LONG: usize = 4096;
/// The most bytes that the frames of blocks in step may take: the second cache should hold them.
const FRAMES: usize = 1 << 20;

/// The most blocks that multiply together, but for small ones.
const MOST_PRODUCTS: usize = 8;
/// Bytes of the frames of blocks of which more do: up to about two tiles of 32 x 32 numbers of `f32` and their sums.
const SMALL: usize = 16 << 10;
/// The most bytes that their frames may take, more than those of four blocks with sums of 128 x 128 numbers of `f32`: the second cache has their factors, too.
const FRAMES_OF_PRODUCTS: usize = 6 << 16;
/// The same where each multiplies batches, whose sums are read and written in each round.
const FRAMES_OF_BATCHES: usize = 5 << 16;

/// How many blocks may run in step.
pub(crate) fn blocks(code: &[Inst], frame_bytes: usize) -> usize {
    if block_order::shows_order(code) {
        return 1;
    }
    let mut loops = ProductLoop::all(code).peekable();
    if loops.peek().is_some() {
        let has_batches = loops.any(|product_loop| product_loop.products.iter().any(|product| product.matmul.batch > 1));
        let frames = if has_batches { FRAMES_OF_BATCHES } else { FRAMES_OF_PRODUCTS };
        return (frames / frame_bytes.max(1)).clamp(1, if frame_bytes <= SMALL { MOST } else { MOST_PRODUCTS });
    }
    let rows = code.iter().filter_map(|inst| {
        let Inst::FoldColumns(fold) = inst else { return None };
        let loads =
            |inst: &Inst| matches!(inst, Inst::Load { dst, readers: Readers::Strided, .. } if fold.src.base == super::Base::Reg(*dst));
        code.iter().any(loads).then(|| fold.src.shape[1] * fold.src.elem.size())
    });
    rows.max().map_or(1, |bytes| (LONG / bytes).min(FRAMES / frame_bytes.max(1)).clamp(1, MOST))
}
