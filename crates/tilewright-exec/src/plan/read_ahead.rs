//! Who fetches what a block will read next.

use super::{Base, Inst, Sweep, Tile, VReg};
use std::fmt;

/// Which tiles of the next block a block prefetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefetches {
    None,
    /// Those that do not begin where this block's end: the CPU sees what comes next where one is read behind the other.
    Apart,
    All,
}

impl Prefetches {
    /// Whether the tile at `next` is prefetched, if this block's has so many bytes at `this`.
    #[inline]
    pub(crate) fn wants(self, this: *const u8, next: *const u8, bytes: usize) -> bool {
        match self {
            Prefetches::None => false,
            Prefetches::Apart => next != this.wrapping_add(bytes),
            Prefetches::All => true,
        }
    }
}

impl fmt::Display for Prefetches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Prefetches::None => "none",
            Prefetches::Apart => "apart",
            Prefetches::All => "all",
        })
    }
}

/// Elementwise operations of a block that mostly loads and stores.
const LITTLE_TO_COMPUTE: usize = 3;

/// Lets only those sweeps fetch that have time for it: not the first pass over what a block reads, which waits for memory itself, as folds do, unless
/// there are no others.
fn choose_sweeps_to_fetch(code: &mut [Inst]) {
    let first = code.iter().position(Inst::is_pass);
    let is_sweep = |inst: &Inst| inst.is_pass() && inst.sweep().is_some();
    let has_others = code.iter().enumerate().any(|(at, inst)| is_sweep(inst) && Some(at) != first);
    for (at, inst) in code.iter_mut().enumerate() {
        if !is_sweep(inst) || has_others && Some(at) == first {
            inst.leave_memory_alone();
        }
    }
}

/// Lets row regions fetch the rows that they will read next, of tiles that are loaded from one place after the other.
fn tell_row_regions(code: &mut [Inst]) {
    let moves = |inst: &Inst| {
        let Inst::Load { view, dst, .. } = inst else { return None };
        let mut is_moved = false;
        view.for_each_read(&mut |tile: &Tile| is_moved |= matches!(tile.base, Base::Reg(_)));
        is_moved.then_some(*dst)
    };
    let moved: Vec<VReg> = code.iter().filter_map(moves).collect();
    code.iter_mut().filter_map(Inst::rows_mut).for_each(|rows| rows.fetch(&moved));
}

/// Says who fetches what a block will read next: sweeps, or, where these have little to do, folds. Gives what loads shall tell them to fetch.
pub(super) fn share_out(code: &mut [Inst]) -> Prefetches {
    tell_row_regions(code);
    let sweeps = || code.iter().filter_map(Inst::sweep).filter(|sweep| sweep.n >= Sweep::PIECE);
    let folds = |inst: &Inst| matches!(inst, Inst::Fold(_) | Inst::FoldRows(_) | Inst::FoldColumns(_) | Inst::Matmul(_));
    let has_folds = code.iter().any(folds);
    if !has_folds && code.iter().all(|inst| inst.sweep().is_none()) {
        return Prefetches::None;
    }
    // Row regions fetch the next row themselves, and leave little to others.
    if code.iter().any(|inst| inst.rows().is_some()) && !code.iter().any(|inst| matches!(inst, Inst::Matmul(_))) {
        code.iter_mut().for_each(Inst::leave_memory_alone);
        return Prefetches::None;
    }
    let in_folds = sweeps().map(|sweep| sweep.steps.len()).sum::<usize>() <= LITTLE_TO_COMPUTE;
    let has_loops = code.iter().enumerate().any(|(at, inst)| inst.target().is_some_and(|target| target <= at));
    // These read one element behind the other.
    if !has_folds && sweeps().all(Sweep::is_region) {
        return if has_loops { Prefetches::None } else { Prefetches::Apart };
    }
    if !in_folds {
        choose_sweeps_to_fetch(code);
    }
    // Products fetch while they multiply.
    let has_time = |inst: &Inst| matches!(inst, Inst::Matmul(_)) || matches!(inst, Inst::FoldRows(fold) if fold.steps > 0);
    if !in_folds || code.iter().any(has_time) { Prefetches::All } else { Prefetches::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_that_begins_where_another_ends_is_no_further_away_than_that() {
        let bytes = [0u8; 64];
        let (this, next) = (bytes.as_ptr(), bytes[32..].as_ptr());
        assert!(
            !Prefetches::Apart.wants(this, next, 32) && Prefetches::Apart.wants(this, next, 16) && Prefetches::Apart.wants(next, this, 32)
        );
        assert!(Prefetches::All.wants(this, next, 32) && !Prefetches::None.wants(this, next, 16));
    }
}
