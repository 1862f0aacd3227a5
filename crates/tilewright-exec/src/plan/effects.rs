//! What instructions do beyond reading and writing registers.
//!
//! There is one list, [`Inst::effects`], without a wildcard: who adds an instruction says there what it does, and every pass knows. Which
//! registers an instruction reads and writes say [`Inst::for_each_read`] and [`Inst::for_each_write`].

use super::{Inst, Order};
use tilewright_ir::MemoryOrderingSemantics;

/// What an instruction does to memory that others can see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryEffect {
    /// Nothing.
    None,
    Load(Ordering),
    Store(Ordering),
    /// Reads and writes in one step.
    Atomic,
}

/// How an access orders others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ordering {
    Weak,
    /// Others may wait for it, or it is ordered in another way.
    Strong,
}

/// Where a block goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Control {
    /// At the next instruction.
    Next,
    /// At the next instruction, as do others that go there.
    Label,
    /// There or elsewhere.
    Branch,
    /// Back in a loop, at which the block may wait for others if it `waits`.
    Back { waits: bool },
    /// Nowhere: it has finished.
    Return,
}

/// What an instruction does beyond reading and writing registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effects {
    pub(crate) memory: MemoryEffect,
    pub(crate) control: Control,
    /// It takes or gives back memory of the block.
    pub(crate) allocates: bool,
    /// It prints, or stops the launch with a message of the program: the order in which blocks do so can be seen.
    pub(crate) reports: bool,
}

impl Effects {
    /// It only computes.
    const NONE: Effects = Effects { memory: MemoryEffect::None, control: Control::Next, allocates: false, reports: false };

    fn memory(memory: MemoryEffect) -> Effects {
        Effects { memory, ..Effects::NONE }
    }

    fn control(control: Control) -> Effects {
        Effects { control, ..Effects::NONE }
    }

    /// Whether all it does is to write registers, and what follows it runs after it.
    pub(crate) fn are_none(self) -> bool {
        self == Effects::NONE
    }

    /// Whether all it does is to write registers, of memory perhaps, which it neither changes nor orders.
    pub(crate) fn leave_memory(self) -> bool {
        matches!(self.memory, MemoryEffect::None | MemoryEffect::Load(Ordering::Weak))
            && Effects { memory: MemoryEffect::None, ..self }.are_none()
    }

    /// Whether it is a store that orders nothing.
    pub(crate) fn is_weak_store(self) -> bool {
        self.memory == MemoryEffect::Store(Ordering::Weak)
    }

    /// Whether a block may see by it when others do something, or others may see when the block does.
    pub(crate) fn order_blocks(self) -> bool {
        let ordered = match self.memory {
            MemoryEffect::None | MemoryEffect::Load(Ordering::Weak) | MemoryEffect::Store(Ordering::Weak) => false,
            MemoryEffect::Load(Ordering::Strong) | MemoryEffect::Store(Ordering::Strong) | MemoryEffect::Atomic => true,
        };
        // Memory of a block is given to the next one.
        ordered || self.waits() || self.allocates
    }

    /// Whether the block may wait for others.
    pub(crate) fn waits(self) -> bool {
        self.control == Control::Back { waits: true }
    }

    /// Whether straight code ends with it: what stands before it and what follows need not run one after the other.
    pub(crate) fn end_straight_code(self) -> bool {
        self.control != Control::Next
    }
}

impl Order {
    fn strength(self) -> Ordering {
        if self.semantics == MemoryOrderingSemantics::Weak { Ordering::Weak } else { Ordering::Strong }
    }
}

impl Inst {
    /// What it does beyond reading and writing registers.
    pub(crate) fn effects(&self) -> Effects {
        match self {
            Inst::Sweep(sweep) if sweep.has_gathers => Effects::memory(MemoryEffect::Load(Ordering::Weak)),
            Inst::Elementwise(_)
            | Inst::Sweep(_)
            | Inst::Rows(_)
            | Inst::Move { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. }
            | Inst::Reverse { .. }
            | Inst::Repack { .. }
            | Inst::Iota { .. }
            | Inst::BlockId(_)
            | Inst::GridSize(_)
            | Inst::ViewExtent { .. }
            | Inst::Matmul(_)
            | Inst::FinishProducts { .. }
            | Inst::Fold(_)
            | Inst::FoldRows(_)
            | Inst::FoldColumns(_) => Effects::NONE,
            Inst::Load { view, .. } => Effects::memory(MemoryEffect::Load(view.order.strength())),
            Inst::LoadWindows(load) => Effects::memory(MemoryEffect::Load(load.view.order.strength())),
            Inst::LoadPointers { access, .. } => Effects::memory(MemoryEffect::Load(access.order.strength())),
            Inst::IndexedLoad(_) => Effects::memory(MemoryEffect::Load(Ordering::Weak)),
            Inst::Store { view, .. } | Inst::SweepStore { view, .. } | Inst::RowsStore { view, .. } => {
                Effects::memory(MemoryEffect::Store(view.order.strength()))
            }
            Inst::StorePointers { access, .. } => Effects::memory(MemoryEffect::Store(access.order.strength())),
            Inst::Atomic(_) | Inst::AtomicView { .. } => Effects::memory(MemoryEffect::Atomic),
            Inst::Alloca { .. } | Inst::Release(_) => Effects { allocates: true, ..Effects::NONE },
            Inst::Print(_) | Inst::Assert { .. } | Inst::Watch(_) => Effects { reports: true, ..Effects::NONE },
            Inst::Label(_) => Effects::control(Control::Label),
            Inst::Jump(_) | Inst::BranchUnless { .. } | Inst::ForHead { .. } => Effects::control(Control::Branch),
            Inst::JumpBack { waits, .. } | Inst::ForNext { waits, .. } => Effects::control(Control::Back { waits: *waits }),
            Inst::Return => Effects::control(Control::Return),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elem::Elem;
    use crate::plan::{Base, Tile, VReg, ViewAccess};
    use tilewright_ir::Scalar;

    fn store(semantics: MemoryOrderingSemantics) -> Effects {
        let tile = |reg| Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(reg)), &[4]);
        let view = ViewAccess { order: Order { semantics, scope: None }, ..ViewAccess::of_f32(tile(0)) };
        Inst::Store { view: Box::new(view), src: tile(1) }.effects()
    }

    #[test]
    fn questions_follow_from_effects() {
        let iota = Inst::Iota { dst: VReg(0), n: 4, size: 4 }.effects();
        assert!(iota.are_none() && iota.leave_memory() && !iota.order_blocks() && !iota.end_straight_code());
        let weak = store(MemoryOrderingSemantics::Weak);
        assert!(weak.is_weak_store() && !weak.leave_memory() && !weak.order_blocks());
        let strong = store(MemoryOrderingSemantics::Relaxed);
        assert!(!strong.is_weak_store() && strong.order_blocks());
        assert!(Inst::Alloca { slot: 0, dst: VReg(0) }.effects().order_blocks());
        let back = |waits| Inst::JumpBack { target: 0, waits }.effects();
        assert!(back(true).waits() && back(true).order_blocks() && !back(false).order_blocks() && back(false).end_straight_code());
    }
}
