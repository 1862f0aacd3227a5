//! Sums of integers that are to be added to memory atomically: one addition for each place instead of one for each number.
#![allow(unsafe_code, reason = "reads registers and adds to buffers through raw pointers")]

use crate::{
    budget::{Budget, Reservation},
    kernels::scattered::{Reach, Window},
    memory::raw::Word,
};
use std::sync::{
    Arc,
    atomic::{Ordering, fence},
};

/// As many sums fit the first cache with ease.
const NEAR_SUMS: usize = 2048;
/// As many are kept for all that a worker adds to a buffer, if that may be late: megabytes, of which only those are there that are used.
const MAX_SUMS: usize = 1 << 21;

/// Sums for the places of a part of a buffer.
pub(super) struct Sums {
    /// Zeros, but for the places between `first` and `last`: sums of the size of an element, side by side.
    sums: Vec<u64>,
    /// The address of the first place, and where it is on the host.
    origin: u64,
    host: *mut u8,
    /// Bytes of an element; 0 where there is nothing to add.
    size: usize,
    /// The addresses of the first and the last place that something was added for.
    reach: Reach,
    /// Whether no other thread can access the elements.
    alone: bool,
    /// The part of the launch's memory that they take.
    reservation: Option<Reservation>,
}

impl Default for Sums {
    fn default() -> Self {
        Sums {
            sums: Vec::new(),
            origin: 0,
            host: std::ptr::null_mut(),
            size: 0,
            reach: Reach { first: u64::MAX, last: 0 },
            alone: false,
            reservation: None,
        }
    }
}

impl Sums {
    /// Where sums begin that have a place for each element of a reach: at one of the borders of equal parts of the buffer, so that
    /// those of the next block do as well. `None` if they do not lie in one part.
    ///
    /// Where they may be late, a buffer has only one part, so that sums are added to memory once, unless it is too large for that.
    pub(super) fn origin(window: &Window, reach: Reach, size: usize, may_be_late: bool) -> Option<u64> {
        // Elements are aligned, which the buffer's first byte need not be.
        let start = window.address.next_multiple_of(size as u64);
        let elements = ((window.last - window.address) / size as u64 + 1) as usize;
        let part = if may_be_late && elements <= MAX_SUMS { elements.max(NEAR_SUMS) } else { NEAR_SUMS };
        let part = (part * size) as u64;
        let part_of = |address: u64| address.checked_sub(start).map(|distance| distance / part);
        let first = part_of(reach.first)?;
        (part_of(reach.last)? == first).then(|| start + first * part)
    }

    /// Makes room for a sum for each place from the origin to the end of a reach; `false` if the launch has no memory left for it.
    pub(super) fn make_room(&mut self, origin: u64, reach: Reach, size: usize, budget: &Arc<Budget>) -> bool {
        let places = ((reach.last - origin) as usize / size + 1).max(NEAR_SUMS);
        let words = (places * size).div_ceil(size_of::<u64>());
        if words > self.sums.len() {
            // Room for twice as many, so that it does not grow often.
            let words = words.next_power_of_two();
            let more = (words - self.sums.len()) * size_of::<u64>();
            let reserved = match &mut self.reservation {
                Some(reservation) => reservation.grow(more as u64),
                none => budget.reserve(more).map(|reservation| *none = Some(reservation)),
            };
            if reserved.is_err() {
                return false;
            }
            self.sums.resize(words, 0);
        }
        true
    }

    /// Whether sums for this part are kept.
    pub(super) fn are_at(&self, origin: u64, size: usize) -> bool {
        (self.origin, self.size) == (origin, size)
    }

    /// Begins sums for a part; none are kept. `alone`: no other thread can access its elements.
    pub(super) fn begin(&mut self, origin: u64, host: *mut u8, size: usize, alone: bool) {
        (self.origin, self.host, self.size, self.alone) = (origin, host, size, alone);
    }

    /// The sums, to which something will be added for addresses that lie in the reach; there is room for it.
    pub(super) fn of<T: Word>(&mut self, reach: Reach) -> &mut [T] {
        self.reach = Reach { first: self.reach.first.min(reach.first), last: self.reach.last.max(reach.last) };
        self.places()
    }

    /// A sum for each place of the part.
    fn places<T: Word>(&mut self) -> &mut [T] {
        let n = self.sums.len() * size_of::<u64>() / size_of::<T>();
        // SAFETY: words have no more than 64 bits, and any bits are one.
        unsafe { std::slice::from_raw_parts_mut(self.sums.as_mut_ptr().cast(), n) }
    }

    /// Adds the sums to memory.
    pub(super) fn flush(&mut self) {
        if self.reach.first > self.reach.last {
            return;
        }
        // Additions that are late come behind all that their blocks have stored.
        fence(Ordering::Release);
        match self.size {
            4 => self.flush_as::<u32>(),
            _ => self.flush_as::<u64>(),
        }
        (self.size, self.reach) = (0, Reach { first: u64::MAX, last: 0 });
    }

    fn flush_as<T: Word>(&mut self) {
        let (host, alone, zero) = (self.host, self.alone, T::of(0));
        let [first, last] = [self.reach.first, self.reach.last].map(|address| (address - self.origin) as usize / size_of::<T>());
        for (place, sum) in self.places::<T>().iter_mut().enumerate().take(last + 1).skip(first) {
            let sum = std::mem::replace(sum, zero);
            if sum != zero {
                // SAFETY: the place lies in the reach, which the window that the sums began with holds, aligned.
                unsafe { T::add(host.add(place * size_of::<T>()), alone, sum) };
            }
        }
    }
}

impl Drop for Sums {
    fn drop(&mut self) {
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_take_memory_of_the_launch() {
        let bytes = NEAR_SUMS * size_of::<u64>();
        let budget = Arc::new(Budget::new(Some(bytes as u64)));
        let mut sums = Sums::default();
        let reach = |places: usize| Reach { first: 64, last: 64 + 8 * (places as u64 - 1) };
        assert!(sums.make_room(64, reach(1), 8, &budget) && sums.make_room(64, reach(NEAR_SUMS), 8, &budget));
        assert_eq!(budget.holds(1), 0);
        assert_eq!((sums.places::<u32>().len(), sums.places::<u64>().len()), (2 * NEAR_SUMS, NEAR_SUMS));
        assert!(!sums.make_room(64, reach(NEAR_SUMS + 1), 8, &budget));
        drop(sums);
        assert_eq!(budget.holds(1), bytes as u64);
    }
}
