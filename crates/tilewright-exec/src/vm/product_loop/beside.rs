//! Products of blocks that are beside each other in a row of the result, as one product.
//!
//! The kernels keep a panel of columns in registers, of which narrow tiles have a part: each number of the left factor would be read for few columns. So
//! the sums of neighbours are kept side by side, as those of one product, while their loop goes round. Each sum is added up in the order in which
//! it is in a product of its own.
#![allow(unsafe_code, reason = "copies sums between registers")]

use super::Lane;
use crate::{budget::Budget, kernels::mma, vm::AlignedBytes};
use smallvec::SmallVec;
use std::sync::Arc;

/// Where sums begin: on lines of the caches.
const LINE: usize = 64;

impl Lane<'_> {
    /// Whether another product may be computed to the right of this one.
    fn goes_on_in(&self, other: &Lane<'_>) -> bool {
        let beside = self.others.len() + 1;
        std::ptr::eq(self.matmul, other.matmul)
            && self.matmul.batch == 1
            && self.lhs.matrices.first.start == other.lhs.matrices.first.start
            && self.rhs.along_row(beside * self.matmul.shape.n) == other.rhs.along_row(0)
            && beside < mma::beside(self.products.level(), self.matmul.kind, &self.matmul.shape)
    }

    /// Bytes of a row of the sums of one block.
    fn row_bytes(&self) -> usize {
        self.matmul.shape.n * self.matmul.acc.elem.size()
    }

    /// Bytes of the sums of all its blocks.
    fn bytes(&self) -> usize {
        (self.matmul.shape.m * self.row_bytes() * (self.others.len() + 1)).next_multiple_of(LINE)
    }

    /// Calls with each row of each block's sums in its register, and beside those of others.
    fn for_each_row(&self, mut with: impl FnMut(*mut u8, *mut u8)) {
        let (bytes, blocks) = (self.row_bytes(), self.others.len() + 1);
        for (at, regs) in self.blocks().enumerate() {
            let own = regs.write(self.matmul.dst);
            for row in 0..self.matmul.shape.m {
                with(own.wrapping_add(row * bytes), self.products.sums().wrapping_add((row * blocks + at) * bytes));
            }
        }
    }
}

/// Those of blocks beside each other joined, as far as a panel has columns. Lanes of a row come from left to right.
pub(super) fn joined<'l>(lanes: SmallVec<[Lane<'l>; 1]>) -> SmallVec<[Lane<'l>; 1]> {
    let mut joined = SmallVec::<[Lane<'l>; 1]>::new();
    for lane in lanes {
        match joined.iter_mut().find(|first| first.goes_on_in(&lane)) {
            Some(first) => first.others.push(lane.regs),
            None => joined.push(lane),
        }
    }
    joined
}

/// Brings sums of blocks side by side, in room that is kept from loop to loop; `false` if there is no memory for them.
pub(super) fn begin(lanes: &mut [Lane<'_>], room: &mut Option<AlignedBytes>, budget: &Arc<Budget>) -> bool {
    let joined = || lanes.iter().filter(|lane| !lane.others.is_empty());
    let needed = joined().map(Lane::bytes).sum();
    if needed == 0 {
        return true;
    }
    if room.as_ref().is_none_or(|room| room.len() < needed) {
        *room = AlignedBytes::zeroed(needed, budget).ok();
    }
    let Some(room) = room else { return false };
    let mut sums = room.start();
    for lane in lanes.iter_mut().filter(|lane| !lane.others.is_empty()) {
        let (bytes, row) = (lane.bytes(), lane.row_bytes());
        lane.products.add_beside(lane.others.len() + 1, sums);
        sums = sums.wrapping_add(bytes);
        // SAFETY: registers hold whole results, the room has as much for each, and they do not overlap.
        lane.for_each_row(|own, beside| unsafe { std::ptr::copy_nonoverlapping(own.cast_const(), beside, row) });
    }
    true
}

/// Brings the sums of a lane's blocks back to their registers.
pub(super) fn end(lane: &Lane<'_>) {
    if !lane.others.is_empty() {
        // SAFETY: as for `begin`.
        lane.for_each_row(|own, beside| unsafe { std::ptr::copy_nonoverlapping(beside.cast_const(), own, lane.row_bytes()) });
    }
}
