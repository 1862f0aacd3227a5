//! Elements at scattered addresses that all lie in one buffer: they are checked first, and accessed without checks then, or copied at
//! once if they lie side by side.
#![allow(unsafe_code, reason = "reads and writes through raw pointers, and calls versions for CPU features")]

use super::ahead::prefetch;
use crate::cpu::Level;

/// Buffers of fewer bytes lie in a near cache, from where nothing need be fetched ahead.
const NEAR: u64 = 1 << 19;
/// How many addresses are fetched ahead: more than the CPU finds on its own, no more than it can wait for.
const AHEAD: usize = 128;

/// A buffer: its first address, its place on the host, and the highest address where an element begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) address: u64,
    pub(crate) host: *mut u8,
    pub(crate) last: u64,
}

/// The lowest and the highest of some addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reach {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// Where addresses of elements of `size` bytes lie that the mask leaves; `None` if one is not aligned, or there are none.
pub(crate) fn reach(level: Level, addresses: &[u64], mask: Option<&[u8]>, size: u64) -> Option<Reach> {
    let (first, last, low_bits) = match (level, mask) {
        (_, Some(mask)) => extremes(active(addresses, mask).map(|(_, address)| address)),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is one of this CPU's.
        (Level::Avx512, _) => unsafe { extremes_avx512(addresses) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        (Level::Avx2, _) => unsafe { extremes_avx2(addresses) },
        _ => extremes(addresses.iter().copied()),
    };
    (first <= last && low_bits & (size - 1) == 0).then_some(Reach { first, last })
}

/// Whether elements of `size` bytes lie side by side from the first address of a reach on.
pub(crate) fn is_run(level: Level, addresses: &[u64], reach: Reach, size: u64) -> bool {
    // Most that do not are told by their ends.
    if reach.last - reach.first != (addresses.len() as u64 - 1) * size {
        return false;
    }
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is one of this CPU's.
        Level::Avx512 => unsafe { goes_on_avx512(addresses, reach.first, size) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::Avx2 => unsafe { goes_on_avx2(addresses, reach.first, size) },
        _ => goes_on(addresses, reach.first, size),
    }
}

/// Whether numbers go on from the first in equal steps. No short cut: it becomes vector code.
#[inline(always)]
fn goes_on(numbers: &[u64], first: u64, step: u64) -> bool {
    let differences = numbers.iter().zip(0u64..).map(|(number, i)| number ^ first.wrapping_add(i.wrapping_mul(step)));
    differences.fold(0, |all, difference| all | difference) == 0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn goes_on_avx2(numbers: &[u64], first: u64, step: u64) -> bool {
    goes_on(numbers, first, step)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn goes_on_avx512(numbers: &[u64], first: u64, step: u64) -> bool {
    goes_on(numbers, first, step)
}

/// Calls `visit` with the number of each address that the mask leaves, and the address.
#[inline]
pub(crate) fn for_each_active(addresses: &[u64], mask: Option<&[u8]>, mut visit: impl FnMut(usize, u64)) {
    match mask {
        None => addresses.iter().enumerate().for_each(|(i, address)| visit(i, *address)),
        Some(mask) => active(addresses, mask).for_each(|(i, address)| visit(i, address)),
    }
}

/// The addresses that a mask leaves, with their numbers.
fn active<'a>(addresses: &'a [u64], mask: &'a [u8]) -> impl Iterator<Item = (usize, u64)> + 'a {
    addresses.iter().copied().enumerate().zip(mask).filter(|(_, bit)| **bit & 1 == 1).map(|(address, _)| address)
}

/// The least, the greatest and all bits of numbers.
#[inline(always)]
fn extremes(numbers: impl Iterator<Item = u64>) -> (u64, u64, u64) {
    numbers.fold((u64::MAX, 0, 0), |(least, greatest, bits), x| (least.min(x), greatest.max(x), bits | x))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn extremes_avx2(numbers: &[u64]) -> (u64, u64, u64) {
    extremes(numbers.iter().copied())
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn extremes_avx512(numbers: &[u64]) -> (u64, u64, u64) {
    extremes(numbers.iter().copied())
}

/// Whether all bytes have their lowest bit set.
pub(crate) fn all_set(bits: &[u8]) -> bool {
    bits.iter().fold(1, |all, bit| all & bit) & 1 == 1
}

impl Reach {
    /// How many elements of `size` bytes lie from the first to the last.
    pub(crate) fn elements(&self, size: usize) -> usize {
        ((self.last - self.first) / size as u64 + 1) as usize
    }
}

impl Window {
    /// Whether all elements that begin within a reach lie in the buffer.
    pub(crate) fn holds(&self, reach: Reach) -> bool {
        self.address <= reach.first && reach.last <= self.last
    }

    /// The place of an element.
    pub(crate) fn place(&self, address: u64) -> *mut u8 {
        self.host.wrapping_add((address - self.address) as usize)
    }

    /// Loads the elements at the addresses that the mask leaves.
    ///
    /// # Safety
    /// The window holds elements of type `T` at these addresses; `to` has room for one for each address, aligned.
    pub(crate) unsafe fn load<T: Copy>(&self, addresses: &[u64], mask: Option<&[u8]>, to: *mut T) {
        // SAFETY: by the contract.
        let one = |i: usize, address: u64| unsafe { *to.add(i) = self.place(address).cast::<T>().read_unaligned() };
        if mask.is_some() || self.last - self.address < NEAR {
            return for_each_active(addresses, mask, one);
        }
        let fetch = |address: &u64| prefetch(self.place(*address));
        let ahead = addresses.len().min(AHEAD);
        addresses[..ahead].iter().for_each(fetch);
        for (i, address) in addresses.iter().enumerate() {
            addresses.get(i + ahead).into_iter().for_each(fetch);
            one(i, *address);
        }
    }

    /// Stores elements at the addresses that the mask leaves, in order.
    ///
    /// # Safety
    /// The window holds elements of type `T` at these addresses, which may be written; `from` holds one for each address, aligned.
    pub(crate) unsafe fn store<T: Copy>(&self, addresses: &[u64], mask: Option<&[u8]>, from: *const T) {
        // SAFETY: by the contract.
        let one = |i: usize, address: u64| unsafe { self.place(address).cast::<T>().write_unaligned(*from.add(i)) };
        for_each_active(addresses, mask, one);
    }
}

/// Adds numbers up by their addresses, wrapping: `sums[(address - first) / size_of::<T>()]` gets those at `address`, unless the mask
/// leaves them out.
///
/// # Safety
/// `numbers` holds one for each address, aligned.
pub(crate) unsafe fn add_up<T: Copy + Into<u64>>(sums: &mut [u64], addresses: &[u64], mask: Option<&[u8]>, first: u64, numbers: *const T) {
    let one = |i: usize, address: u64| {
        let sum = &mut sums[(address - first) as usize / size_of::<T>()];
        // SAFETY: by the contract.
        *sum = sum.wrapping_add(unsafe { *numbers.add(i) }.into());
    };
    for_each_active(addresses, mask, one);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reach_of_aligned_addresses() {
        let addresses: Vec<u64> = (0..100).map(|i| 1000 + i * 37 % 100 * 8).collect();
        for level in Level::available() {
            assert_eq!(reach(level, &addresses, None, 8), Some(Reach { first: 1000, last: 1792 }));
            assert_eq!(reach(level, &addresses, None, 16), None);
            assert_eq!(reach(level, &[], None, 8), None);
            assert_eq!(reach(level, &[5, 24, 16, 3], Some(&[0, 1, 1, 0]), 8), Some(Reach { first: 16, last: 24 }));
            assert_eq!(reach(level, &[8], Some(&[0]), 8), None);
        }
        for level in Level::available() {
            let is_run = |addresses: &[u64]| is_run(level, addresses, reach(level, addresses, None, 8).unwrap(), 8);
            let run: Vec<u64> = (0..100).map(|i| 1000 + i * 8).collect();
            assert!(is_run(&run) && is_run(&run[..1]) && !is_run(&addresses));
            let mut exchanged = run.clone();
            exchanged.swap(50, 51);
            assert!(!is_run(&exchanged) && !is_run(&[8, 16, 16, 32]));
        }
        assert!(all_set(&[1, 3, 1]) && all_set(&[]) && !all_set(&[1, 2, 1]));
    }

    #[test]
    fn elements_are_loaded_stored_and_added_up() {
        let mut bytes = [0u8, 1, 2, 3, 4, 5, 6, 7];
        let window = Window { address: 64, host: bytes.as_mut_ptr(), last: 70 };
        assert!(window.holds(Reach { first: 64, last: 70 }));
        assert!(!window.holds(Reach { first: 64, last: 71 }) && !window.holds(Reach { first: 62, last: 70 }));
        let mut loaded = [9u16; 3];
        // SAFETY: the window holds the elements.
        unsafe { window.load(&[0, 64, 66], Some(&[0, 1, 1]), loaded.as_mut_ptr()) };
        assert_eq!(loaded, [9, 0x0100, 0x0302]);
        // SAFETY: as above.
        unsafe { window.load(&[70, 64, 66], None, loaded.as_mut_ptr()) };
        assert_eq!(loaded, [0x0706, 0x0100, 0x0302]);
        // SAFETY: as above; the second of two stores to one place stays.
        unsafe { window.store(&[64, 70, 64], None, [1u16, 2, 3].as_ptr()) };
        assert_eq!(bytes, [3, 0, 2, 3, 4, 5, 2, 0]);
        // SAFETY: as above.
        unsafe { window.store(&[64, 0], Some(&[1, 0]), [4u16, 5].as_ptr()) };
        assert_eq!(bytes, [4, 0, 2, 3, 4, 5, 2, 0]);
        let mut sums = [0; 3];
        // SAFETY: there is a number for each address.
        unsafe { add_up(&mut sums, &[8, 16, 8, 12], None, 8, [1u32, 2, u32::MAX, 4].as_ptr()) };
        assert_eq!(sums, [1 << 32, 4, 2]);
        // SAFETY: as above.
        unsafe { add_up(&mut sums, &[8, 0], Some(&[1, 0]), 8, [1u32, 2].as_ptr()) };
        assert_eq!(sums, [(1 << 32) + 1, 4, 2]);
    }
}
