//! Which stores may go past the caches where a launch writes more than these hold.
//!
//! Such stores become visible to other threads in any order, until a fence at the end of the launch. So none may be in a plan with an
//! access that orders others or a block that may wait: nobody else may look earlier. A store in a loop may write the same place again
//! and again, which is what caches are for.

use super::Inst;

/// For each instruction of finished code, whether what it stores may go past the caches.
pub(crate) fn allowed(code: &[Inst]) -> Vec<bool> {
    let mut allowed = vec![!orders(code); code.len()];
    for (at, inst) in code.iter().enumerate() {
        if let Some(target) = inst.target().filter(|target| *target <= at) {
            allowed[target..=at].fill(false);
        }
        // Other kernels have no such stores.
        if let Inst::SweepStore { sweep, .. } = inst {
            allowed[at] &= sweep.is_region();
        }
    }
    allowed
}

/// Whether a block may see when others do something, or others may see when it does.
pub(super) fn orders(code: &[Inst]) -> bool {
    code.iter().any(|inst| inst.effects().order_blocks())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        plan::{Base, Order, Tile, VReg, ViewAccess},
    };
    use tilewright_ir::{MemoryOrderingSemantics, Scalar};

    fn store(semantics: MemoryOrderingSemantics) -> Inst {
        let tile = |reg| Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(reg)), &[4]);
        let order = Order { semantics, scope: None };
        let view = ViewAccess { order, ..ViewAccess::of_f32(tile(0)) };
        Inst::Store { view: Box::new(view), src: tile(1) }
    }

    #[test]
    fn what_runs_once_in_a_plan_without_order_may_be_streamed() {
        let weak = || store(MemoryOrderingSemantics::Weak);
        assert_eq!(allowed(&[weak(), Inst::Return]), [true, true]);
        assert_eq!(allowed(&[weak(), weak(), Inst::JumpBack { target: 1, waits: false }, weak()]), [true, false, false, true]);
        assert_eq!(allowed(&[weak(), Inst::JumpBack { target: 1, waits: true }]), [false; 2]);
        assert_eq!(allowed(&[weak(), store(MemoryOrderingSemantics::Release)]), [false; 2]);
        assert_eq!(allowed(&[weak(), Inst::Alloca { slot: 0, dst: VReg(0) }]), [false; 2]);
        assert_eq!(allowed(&[weak(), Inst::Jump(2), weak()]), [true; 3]);
    }
}
