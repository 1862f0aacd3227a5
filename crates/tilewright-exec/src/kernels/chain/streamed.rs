//! Results of chains that go past the caches.
#![allow(unsafe_code, reason = "writes registers of the plan through raw pointers, with instructions of CPU features")]

use crate::kernels::lanes::VectorLanes;

/// A place whose numbers go past the caches, vector by vector, wherever it begins: each vector of the place has lanes of two results.
///
/// What it has before the first whole vector and behind the last one goes number by number: a line that two neighbours share, one right
/// after the other, is still written as one. Two floats of 16 bits go as one number of 32.
pub(super) struct Stream<V> {
    pub(super) place: usize,
    to: *mut f32,
    /// How many numbers there are.
    count: usize,
    /// How many of them lie before the first whole vector.
    head: usize,
    /// The last result, whose lanes from the `head`-th on are still to be stored.
    last: V,
}

impl<V: VectorLanes> Stream<V> {
    /// # Safety
    /// The CPU has the features of `V`.
    #[inline(always)]
    pub(super) unsafe fn new(place: usize, to: *mut f32, count: usize) -> Self {
        // SAFETY: by the contract.
        Stream { place, to, count, head: head::<V>(to), last: unsafe { V::same(0.0) } }
    }

    /// Stores all but the last lanes of the results of the elements from the `first` one on, which belong to `to`.
    ///
    /// # Safety
    /// The place has room for them, and those before were stored. The CPU has the features of `V`.
    #[inline(always)]
    pub(super) unsafe fn store<const N: usize>(&mut self, first: usize, x: [V; N], to: *mut f32) {
        let head = self.head;
        // SAFETY: by the contract; all but the head are vectors of the place.
        unsafe {
            if head == 0 {
                // Closures of iterators may be code of their own, which calls each instruction.
                for (i, x) in x.into_iter().enumerate() {
                    x.stream(to.add(i * V::LANES));
                }
                return;
            }
            if first == 0 {
                x[0].stream_lanes(0..head, to);
            } else {
                x[0].behind(self.last, head).stream(to.wrapping_add(head).wrapping_sub(V::LANES));
            }
            let to = to.wrapping_add(head).wrapping_sub(V::LANES);
            for i in 1..N {
                x[i].behind(x[i - 1], head).stream(to.wrapping_add(i * V::LANES));
            }
        }
        self.last = x[N - 1];
    }

    /// Stores the last lanes of the last result.
    ///
    /// # Safety
    /// The place has room for them. The CPU has the features of `V`.
    #[inline(always)]
    pub(super) unsafe fn finish(self) {
        if self.head > 0 {
            // SAFETY: by the contract.
            unsafe { self.last.stream_lanes(self.head..V::LANES, self.to.add(self.count - V::LANES)) };
        }
    }
}

/// How many numbers lie before the first whole vector from a place on.
#[inline(always)]
pub(super) fn head<V: VectorLanes>(to: *const f32) -> usize {
    (to.addr() / size_of::<f32>()).wrapping_neg() % V::LANES
}
