//! Stores that need not copy: the sweep that computes a tile writes it where it belongs in memory.
//!
//! A sweep whose result is only stored moves behind whatever lies between the two, and becomes part of the store. Whether the tile
//! belongs in order, whole and aligned, and away from what the sweep reads in place, is known when the store runs; if it does
//! not, the sweep writes its register, and the store copies that.

use super::{
    Inst, Sweep, Tile, VReg, ViewAccess,
    counts::{count_uses, count_writes},
    in_place::copies_bytes,
    tile::Base,
};

/// Makes sweeps part of the stores of their results.
pub(crate) fn join(code: &mut Vec<(Inst, u32)>) {
    if !code.iter().any(|(inst, _)| matches!(inst, Inst::Store { .. })) {
        return;
    }
    let (uses, writes) = (count_uses(code), count_writes(code));
    let mut joined: Vec<(Inst, u32)> = Vec::with_capacity(code.len());
    for (inst, site) in code.drain(..) {
        let Inst::Store { view, src } = inst else {
            joined.push((inst, site));
            continue;
        };
        let result = stored_once(&view, &src).filter(|reg| uses.of(*reg) == 1 && writes.of(*reg) == 1);
        let mut sweep = result.and_then(|reg| take_sweep(&mut joined, reg, &view));
        sweep.iter_mut().for_each(|sweep| {
            // Vector code can store past the caches.
            sweep.prefer_region();
            sweep.store_as(&view.tile);
        });
        joined.push((
            match sweep {
                Some(sweep) => Inst::SweepStore { sweep, view, src },
                None => Inst::Store { view, src },
            },
            site,
        ));
    }
    *code = joined;
}

/// The register that a store copies in order and does nothing else with.
pub(super) fn stored_once(view: &ViewAccess, src: &Tile) -> Option<VReg> {
    match src.base {
        Base::Reg(reg) if copies_bytes(view) && src.is_contiguous() => Some(reg),
        _ => None,
    }
}

/// Takes the sweep that writes a register out of the code, if it may as well run at the end of it, and if the place that a view names
/// is known before it runs.
fn take_sweep(code: &mut Vec<(Inst, u32)>, reg: VReg, view: &ViewAccess) -> Option<Box<Sweep>> {
    let stays = |inst: &Inst| !(inst.effects().are_none() || matches!(inst, Inst::Sweep(_)));
    let at = code.iter().rposition(|(inst, _)| stays(inst) || writes_to(inst, reg))?;
    let (Inst::Sweep(sweep), _) = &code[at] else { return None };
    let mut place_is_known = true;
    view.for_each_read(&mut |tile: &Tile| place_is_known &= !is_result(sweep, tile));
    if !place_is_known
        // Vector code has what its steps gave, wherever that is written.
        || sweep.reads_result(reg) && (sweep.has_gathers || !sweep.is_region())
        || !writes_to(&code[at].0, reg)
        || !code[at + 1..].iter().all(|(inst, _)| independent(sweep, inst))
    {
        return None;
    }
    match code.remove(at) {
        (Inst::Sweep(sweep), _) => Some(sweep),
        _ => None,
    }
}

fn writes_to(inst: &Inst, reg: VReg) -> bool {
    let mut found = false;
    inst.for_each_write(|written| found |= written == reg);
    found
}

/// Whether a sweep and an instruction behind it can change places.
fn independent(sweep: &Sweep, inst: &Inst) -> bool {
    let mut free = true;
    inst.for_each_read(|tile| free &= !is_result(sweep, tile));
    inst.for_each_write(|reg| free &= sweep.result(reg).is_none() && sweep.inputs.iter().all(|input| input.tile().base != Base::Reg(reg)));
    free
}

fn is_result(sweep: &Sweep, tile: &Tile) -> bool {
    matches!(tile.base, Base::Reg(reg) if sweep.result(reg).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::{ElemOp, select},
        plan::{Order, Src, Step, SweepInput},
    };
    use tilewright_ir::{MemoryOrderingSemantics, Scalar};

    fn tile(reg: u32) -> Tile {
        Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(reg)), &[4])
    }

    fn store(src: Tile, semantics: MemoryOrderingSemantics) -> (Inst, u32) {
        let order = Order { semantics, scope: None };
        let view = Box::new(ViewAccess { order, ..ViewAccess::of_f32(tile(100)) });
        (Inst::Store { view, src }, 0)
    }

    fn sweep(src: u32, dst: u32) -> (Inst, u32) {
        let f32 = Elem::Num(Scalar::F32);
        let kernel = select(ElemOp::NegF, &[f32], f32).unwrap();
        let steps = vec![Step { kernel, srcs: vec![Src::Input(0)], dst: Src::Reg(VReg(dst), 4) }];
        (Inst::Sweep(Box::new(Sweep::new(4, vec![SweepInput::Direct { tile: tile(src) }], steps, crate::TargetMachine::host()))), 0)
    }

    /// What is left: the registers that sweeps write, and "store" or "sweep store".
    fn joined<const N: usize>(code: [(Inst, u32); N]) -> Vec<String> {
        let mut code = Vec::from(code);
        join(&mut code);
        let name = |inst: &Inst| match inst {
            Inst::Store { .. } => "store".to_owned(),
            Inst::SweepStore { .. } => "sweep store".to_owned(),
            other => {
                let mut written = String::new();
                other.for_each_write(|reg| written += &reg.0.to_string());
                written
            }
        };
        code.iter().map(|(inst, _)| name(inst)).collect()
    }

    const WEAK: MemoryOrderingSemantics = MemoryOrderingSemantics::Weak;

    #[test]
    fn a_result_that_is_only_stored_is_written_by_the_store() {
        assert_eq!(joined([sweep(0, 1), store(tile(1), WEAK)]), ["sweep store"]);
        assert_eq!(joined([sweep(0, 1), sweep(0, 2), store(tile(1), WEAK)]), ["2", "sweep store"]);
    }

    #[test]
    fn what_others_need_stays() {
        assert_eq!(joined([sweep(0, 1), sweep(1, 2), store(tile(1), WEAK)]), ["1", "2", "store"]);
        assert_eq!(joined([sweep(0, 1), sweep(5, 0), store(tile(1), WEAK)]), ["1", "0", "store"]);
        assert_eq!(joined([sweep(0, 1), (Inst::Label(3), 0), store(tile(1), WEAK)]), ["1", "", "store"]);
        assert_eq!(joined([sweep(0, 1), store(tile(7), WEAK), store(tile(1), WEAK)]), ["1", "store", "store"]);
        assert_eq!(joined([sweep(0, 1), store(tile(1), MemoryOrderingSemantics::Release)]), ["1", "store"]);
        assert_eq!(joined([sweep(0, 100), sweep(0, 1), store(tile(1), WEAK)]), ["100", "sweep store"]);
        assert_eq!(joined([sweep(0, 1), sweep(0, 100), store(tile(100), WEAK)]), ["1", "100", "store"]);
        let mut both = sweep(0, 1);
        if let Inst::Sweep(sweep) = &mut both.0 {
            let next = Step { kernel: sweep.steps[0].kernel, srcs: vec![Src::Reg(VReg(1), 4)], dst: Src::Reg(VReg(2), 4) };
            sweep.steps.push(next);
        }
        assert_eq!(joined([both, store(tile(1), WEAK)]), ["12", "store"]);
        let splat = Tile::splat(Elem::Num(Scalar::F32), Base::Reg(VReg(1)), &[4]);
        assert_eq!(joined([sweep(0, 1), store(splat, WEAK)]), ["1", "store"]);
    }
}
