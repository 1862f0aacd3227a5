//! Deferred products: the machine keeps copies of the factors of several rounds of a loop, and multiplies once (`plan/deferred_products.rs` says which
//! products are so).
//!
//! What waits is of the block that runs: none is left in such a loop for another to run meanwhile. A block that ends in the middle of one leaves products
//! behind that nobody wants.
#![allow(unsafe_code, reason = "calls kernels on registers and memory")]

use super::{Launch, Machine, frame::Frame, product};
use crate::{
    kernels::mma::Deferred,
    plan::{Inst, Matmul, Plan, Tile},
};

/// The most bytes that deferred products of a plan copy factors to.
pub(super) fn most_bytes(plan: &Plan) -> usize {
    let of_product = |inst: &Inst| match inst {
        Inst::Matmul(matmul) if matmul.deferred.is_some() => {
            Deferred::most(plan.machine().level(), matmul.kind, &matmul.shape, matmul.in_batch())
        }
        _ => 0,
    };
    plan.code.iter().map(of_product).sum()
}

/// Room for the products that wait, by their slots; none if each is computed at once, because blocks take turns.
pub(super) fn slots(launch: &Launch<'_>) -> Vec<Deferred> {
    let take_turns = launch.in_step > 1 || launch.observer.is_some() || launch.watcher.is_some();
    let slot = |inst: &Inst| if let Inst::Matmul(matmul) = inst { matmul.deferred } else { None };
    let count = if take_turns { 0 } else { launch.plan.code.iter().filter_map(slot).count() };
    std::iter::repeat_with(Deferred::default).take(count).collect()
}

impl Machine<'_> {
    /// The matrix products of an instruction, or, where several rounds are computed together, copies of their factors.
    #[inline(never)]
    pub(super) fn multiply(&mut self, matmul: &Matmul, regs: &Frame) {
        let level = self.launch.plan.machine().level();
        if let Some(deferred) = matmul.deferred.and_then(|slot| self.deferred.get_mut(slot)) {
            let factors = [&matmul.lhs, &matmul.rhs].map(|tile| self.in_place.matrices(tile, regs));
            // SAFETY: the plan checked that the factors are whole matrices of this shape, and found out that such products can be deferred. No more of them
            // wait than are computed together.
            let waits = unsafe { deferred.take(level, matmul.kind, &matmul.shape, matmul.in_batch(), factors.each_ref(), &mut self.ahead) };
            if !waits || deferred.is_full() {
                // SAFETY: the register has the sums of these products.
                unsafe { deferred.add_to(regs.write(matmul.dst), &mut self.ahead) };
            }
            if waits {
                return;
            }
        }
        product::run(matmul, regs, level, &self.in_place, &mut self.packs, &mut self.ahead);
    }

    /// Adds the products of a slot that still wait to their sums.
    #[inline(never)]
    pub(super) fn finish_products(&mut self, slot: usize, sums: &Tile, regs: &Frame) {
        if let Some(deferred) = self.deferred.get_mut(slot) {
            // SAFETY: the tile is the register that has the sums of these products.
            unsafe { deferred.add_to(regs.read(sums).cast_mut(), &mut self.ahead) };
        }
    }

    /// Drops what a block before left behind.
    pub(super) fn drop_deferred(&mut self) {
        self.deferred.iter_mut().for_each(Deferred::clear);
    }
}
