//! Which plans let neighbouring blocks run as one (`vm/coarse.rs`): those of which a block does one sweep or one copy, on tiles that it
//! reads and writes where they lie.
//!
//! Most elementwise kernels are such, and transpositions. Where the tiles lie must follow from the block's position alone, so that
//! nothing is left to be computed for a block on its own.

use super::{Base, Coordinate, Inst, Placement, Readers, Src, Sweep, SweepInput, Tile, VReg, ViewAccess, in_place::goes_along};

/// The instruction that stores, of such a plan.
pub(super) fn only_store(code: &[Inst]) -> Option<usize> {
    let [before @ .., last, Inst::Return] = code else { return None };
    let mut loaded: Vec<(VReg, &ViewAccess)> = Vec::new();
    for inst in before {
        match inst {
            // Blocks that run as one load windows each from where it lies.
            Inst::BlockId(_) | Inst::LoadWindows(_) => {}
            Inst::Load { view, dst, readers, .. } if *readers != Readers::Any && follows(code, view) => loaded.push((*dst, view)),
            _ => return None,
        }
    }
    let fits = match last {
        Inst::SweepStore { sweep, view, src } => {
            follows(code, view) && sweep.folds.is_empty() && reads_only(sweep, &loaded) && writes_only(sweep, src.base)
        }
        Inst::Store { view, src } => follows(code, view) && loaded.iter().any(|(reg, _)| src.base == Base::Reg(*reg)),
        _ => false,
    };
    fits.then_some(before.len())
}

/// Along which axis of the grid a register has the coordinate of the block, if it does.
pub(super) fn axis(code: &[Inst], reg: VReg) -> Option<usize> {
    code.iter().find_map(|inst| if let Inst::BlockId(ids) = inst { ids.iter().position(|id| *id == reg) } else { None })
}

/// Whether where a view's tile lies follows from constants of the launch and the position of the block.
fn follows(code: &[Inst], view: &ViewAccess) -> bool {
    let is_known = |tile: &Tile| match tile.base {
        Base::Const(_) => true,
        Base::Reg(reg) => axis(code, reg).is_some(),
    };
    let follows = |coordinate: &Coordinate| matches!(coordinate, Coordinate::Origin { index, .. } if is_known(index));
    let follows = match &view.places {
        Placement::Tensor(dims) => dims.iter().all(|dim| follows(&dim.coordinate)),
        Placement::Computed(function) => function.leaves.iter().all(|leaf| is_known(&leaf.tile)),
    };
    view.fixed.is_some() && follows
}

/// Whether a sweep reads nothing but tiles that are `loaded` and constants, each in order or the same number for all elements, or through any
/// strides, if it is vector code.
fn reads_only(sweep: &Sweep, loaded: &[(VReg, &ViewAccess)]) -> bool {
    let is_loaded = |tile: &Tile, reg: VReg| loaded.iter().any(|(dst, view)| *dst == reg && goes_along(tile, view));
    sweep.inputs.iter().all(|input| match (input, input.tile().base) {
        // Whether these lie apart from what is stored, a block finds out.
        (SweepInput::Gathered(_), _) => false,
        (_, Base::Const(_)) if sweep.is_region() => true,
        (_, Base::Reg(reg)) if sweep.is_region() => is_loaded(input.tile(), reg),
        (SweepInput::Direct { .. }, Base::Reg(reg)) => is_loaded(input.tile(), reg),
        (SweepInput::Direct { .. } | SweepInput::Splat { .. }, Base::Const(_)) => true,
        _ => false,
    })
}

/// Whether a sweep writes no register but the one that is stored.
fn writes_only(sweep: &Sweep, stored: Base) -> bool {
    sweep.steps.iter().all(|step| match step.dst {
        Src::Reg(reg, _) => stored == Base::Reg(reg),
        Src::Slot(_) => true,
        Src::Input(_) => false,
    })
}
