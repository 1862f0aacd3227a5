//! Atomic additions that may happen later than they stand: at the end of the launch.
//!
//! If the last access of every block adds integers, nothing reads the old values, and no other access of the plan orders anything,
//! then no block can tell when another one's additions happen: it would have to read the sums, which without an order is a race, or to
//! get an old value. Its own ones it cannot see either, because it accesses nothing behind them. Whoever looks at the memory from
//! outside of the launch may see the sums late, but cannot expect them before the launch ends. So a worker adds up what many blocks
//! add, and adds that to memory once.

use super::{
    Atomic, Inst, Update,
    effects::{Control, Effects},
};
use tilewright_ir::{AtomicRMWMode, Scalar};

/// Marks the additions of finished code that may be late.
pub(crate) fn mark(code: &mut [Inst]) {
    let Some(at) = code.iter().rposition(|inst| !is_local(inst.effects())) else { return };
    // Where a block ends earlier, it adds nothing.
    if code[..at].iter().any(|inst| inst.effects().order_blocks()) {
        return;
    }
    if let Inst::Atomic(atomic) = &mut code[at] {
        atomic.may_be_late = adds_integers(atomic);
    }
}

fn adds_integers(atomic: &Atomic) -> bool {
    let adds = matches!(atomic.update, Update::Rmw { mode: AtomicRMWMode::Add, .. });
    adds && atomic.dst.is_none() && matches!(atomic.access.element, Scalar::I32 | Scalar::I64)
}

/// Whether an instruction only computes, or ends the block: it accesses no memory and leads nowhere else.
fn is_local(effects: Effects) -> bool {
    effects.are_none() || effects.control == Control::Return
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        plan::{Base, Order, PointerAccess, Tile, VReg},
    };
    use tilewright_ir::MemoryOrderingSemantics;

    fn pointers(semantics: MemoryOrderingSemantics) -> PointerAccess {
        let pointers = Tile::contiguous(Elem::Ptr, Base::Reg(VReg(0)), &[4]);
        PointerAccess { pointers, base: None, mask: None, element: Scalar::I32, size: 4, order: Order { semantics, scope: None } }
    }

    fn numbers() -> Tile {
        Tile::contiguous(Elem::Num(Scalar::I32), Base::Reg(VReg(1)), &[4])
    }

    fn add(dst: Option<VReg>) -> Inst {
        let update = Update::Rmw { mode: AtomicRMWMode::Add, argument: numbers() };
        let access = pointers(MemoryOrderingSemantics::AcqRel);
        Inst::Atomic(Box::new(Atomic { access, update, dst, may_be_late: false }))
    }

    fn store(semantics: MemoryOrderingSemantics) -> Inst {
        Inst::StorePointers { access: Box::new(pointers(semantics)), src: numbers() }
    }

    fn marked<const N: usize>(mut code: [Inst; N]) -> bool {
        mark(&mut code);
        code.iter().any(|inst| matches!(inst, Inst::Atomic(atomic) if atomic.may_be_late))
    }

    #[test]
    fn only_what_nobody_can_see_may_be_late() {
        let weak = || store(MemoryOrderingSemantics::Weak);
        assert!(marked([add(None), Inst::Return]));
        assert!(marked([weak(), add(None), Inst::BlockId([VReg(0); 3]), Inst::Return]));
        assert!(!marked([add(Some(VReg(2))), Inst::Return]));
        assert!(!marked([add(None), weak(), Inst::Return]));
        assert!(!marked([add(None), add(None), Inst::Return]));
        assert!(!marked([store(MemoryOrderingSemantics::Relaxed), add(None), Inst::Return]));
        assert!(!marked([add(None), Inst::JumpBack { target: 0, waits: false }]));
        assert!(!marked([Inst::JumpBack { target: 0, waits: true }, add(None), Inst::Return]));
    }
}
