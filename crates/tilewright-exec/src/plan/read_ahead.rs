//! Who fetches what a block will read next.

use super::{Inst, Sweep};

/// Elementwise operations of a block that mostly loads and stores.
const LITTLE_TO_COMPUTE: usize = 2;

/// Lets only those sweeps fetch that have time for it: not the first pass over what a block reads, which waits for memory itself, as folds
/// do, and not those that store, because what they write gets to memory the slower the more is read from there; unless there are no others.
fn choose_sweeps_to_fetch(code: &mut [Inst]) {
    let first = code.iter().position(Inst::is_pass);
    let time = |at: usize, inst: &Inst| match inst {
        Inst::Sweep(_) | Inst::SweepStore { .. } if inst.is_pass() && Some(at) == first => 1,
        Inst::SweepStore { .. } if inst.is_pass() => 2,
        Inst::Sweep(_) if inst.is_pass() => 3,
        _ => 0,
    };
    let most = code.iter().enumerate().map(|(at, inst)| time(at, inst)).max();
    for (at, inst) in code.iter_mut().enumerate() {
        if Some(time(at, inst)) != most {
            inst.leave_memory_alone();
        }
    }
}

/// Says who fetches what a block will read next: sweeps, or, where these have little to do, folds; or nobody, if chains are all there is,
/// which read one element behind the other, so that the CPU sees what comes next. Gives whether loads shall tell what there is to fetch.
pub(super) fn share_out(code: &mut [Inst]) -> bool {
    let sweeps = || code.iter().filter_map(Inst::sweep).filter(|sweep| sweep.n >= Sweep::PIECE);
    let folds = |inst: &Inst| matches!(inst, Inst::Fold(_) | Inst::FoldRows(_) | Inst::FoldColumns(_) | Inst::Matmul(_));
    let only_chains = sweeps().all(Sweep::is_chained) && !code.iter().any(folds);
    let in_folds = sweeps().map(|sweep| sweep.steps.len()).sum::<usize>() <= LITTLE_TO_COMPUTE;
    if only_chains {
        return false;
    }
    if !in_folds {
        choose_sweeps_to_fetch(code);
    }
    !in_folds || code.iter().any(|inst| matches!(inst, Inst::FoldRows(fold) if fold.steps > 0))
}
