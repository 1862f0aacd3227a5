//! How much a block has to do, and how much of that its neighbours do as well: what a group of blocks does only once (`launch/groups.rs`).
//!
//! A kernel that computes a factor of a product, as it normalises rows or converts small weights, does so in each block of a row or a column of the result.

use super::{Inst, Readers, Way, dependences};

/// Products of a CPU that take as long as a step for one element: those with numbers of 32 bits and with small ones lie on both sides of that.
const PRODUCTS: u64 = 32;
/// How much longer a step takes that makes a pass over memory of its own.
const PASS: u64 = 4;

/// The work of a block, in steps for one element.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct BlockWork {
    /// All of it.
    pub(crate) all: u64,
    /// What neighbours along each axis of the grid do as well.
    common: [u64; 3],
}

impl BlockWork {
    /// That of finished code.
    pub(super) fn of(code: &[Inst]) -> BlockWork {
        let dependences = dependences::Dependences::of(code);
        let mut work = BlockWork::default();
        let mut used = 0;
        for (inst, rounds) in code.iter().zip(dependences::rounds(code)) {
            let (steps, axes) = (steps(inst).saturating_mul(rounds as u64), dependences.of_reads(|visit| inst.for_each_read(visit)));
            used |= axes;
            work.all = work.all.saturating_add(steps);
            (0..3).filter(|axis| axes & 1 << axis == 0).for_each(|axis| work.common[axis] = work.common[axis].saturating_add(steps));
        }
        // Along an axis that nothing depends on, grids mostly have one block.
        (0..3).filter(|axis| used & 1 << axis == 0).for_each(|axis| work.common[axis] = 0);
        work
    }

    /// The work of so many neighbours along an axis that do once what they have in common.
    pub(crate) fn of_group(&self, axis: usize, blocks: u32) -> u64 {
        let common = self.common[axis];
        (self.all - common).saturating_mul(blocks.into()).saturating_add(common)
    }

    /// How much of a hundred parts of its work neighbours along each axis do as well.
    pub(super) fn percent(&self) -> [u64; 3] {
        self.common.map(|common| common.saturating_mul(100) / self.all.max(1))
    }
}

/// The steps of an instruction, each for one element.
fn steps(inst: &Inst) -> u64 {
    let steps = match inst {
        Inst::Matmul(matmul) => {
            let products = matmul.batch * matmul.shape.m * matmul.shape.n * matmul.shape.k;
            return products as u64 / PRODUCTS;
        }
        Inst::Load { view, readers: Readers::Any, .. } => view.tile.iter().product(),
        Inst::Load { .. } => 0,
        inst => match (inst.sweep(), inst.rows()) {
            (Some(sweep), _) => {
                let passes = if matches!(sweep.way(), Way::Pieces) { PASS } else { 1 };
                return passes * (sweep.n * (sweep.steps.len() + sweep.folds.len())) as u64;
            }
            (None, Some(rows)) => rows.rows * rows.row * rows.values.len(),
            (None, None) => {
                let mut elements = 0;
                inst.for_each_read(|tile| elements += tile.numel());
                elements
            }
        },
    };
    steps as u64
}
