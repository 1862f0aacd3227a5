//! Elements at scattered addresses that all lie in one buffer: they are checked first, and accessed without checks then, or copied at
//! once if they lie side by side.
#![allow(unsafe_code, reason = "reads and writes through raw pointers, and calls versions for CPU features")]

use super::ahead::prefetch;
use crate::{
    atomic::Word,
    cpu::Level,
    interrupt::{Looks, PART, in_parts},
};

/// Buffers of fewer bytes lie in a near cache, from where nothing need be fetched ahead.
const NEAR: u64 = 1 << 19;
/// How many addresses are fetched ahead: more than the CPU finds on its own, no more than it can wait for.
const AHEAD: usize = 128;

/// A buffer: its first address, its place on the host, and the highest address where an element begins.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The first address.
    pub address: u64,
    /// Where that lies on the host.
    pub host: *mut u8,
    /// The highest address where an element begins.
    pub last: u64,
}

/// The lowest and the highest of some addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// The lowest.
    pub first: u64,
    /// The highest.
    pub last: u64,
}

/// Where addresses of elements of `size` bytes lie that the mask leaves; `None` if one is not aligned, or there are none.
pub fn reach(level: Level, pointers: Pointers<'_>, size: u64) -> Option<Reach> {
    let Pointers { addresses, mask } = pointers;
    let (first, last, low_bits) = match (level, mask) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is one of this CPU's.
        (Level::Avx512, Some(mask)) => unsafe { masked_extremes_avx512(addresses, mask) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        (Level::Avx2, Some(mask)) => unsafe { masked_extremes_avx2(addresses, mask) },
        (_, Some(mask)) => masked_extremes(addresses, mask),
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
pub fn is_run(level: Level, addresses: &[u64], reach: Reach, size: u64) -> bool {
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

/// How many elements of a mask are looked at together.
const GROUP: usize = 64;

/// The numbers of the elements that a mask of up to a group leaves. No branch, which nobody could predict: all are written, each over
/// the one before if that is left out.
#[inline(always)]
fn active<'l>(mask: &[u8], list: &'l mut [u8; GROUP]) -> &'l [u8] {
    let mut n = 0;
    for (i, bit) in mask.iter().enumerate() {
        list[n % GROUP] = i as u8;
        n += usize::from(bit & 1);
    }
    &list[..n]
}

/// Calls `visit` with the number of each address that the mask leaves, and the address; not with those left when the launch is to end.
#[inline(always)]
pub fn for_each_active(addresses: &[u64], mask: Option<&[u8]>, mut visit: impl FnMut(usize, u64)) {
    let mut list = [0; GROUP];
    in_parts(addresses.len(), PART / 8, |part| match mask {
        None => part.for_each(|i| visit(i, addresses[i])),
        Some(mask) => {
            for first in part.clone().step_by(GROUP) {
                let group = first..part.end.min(first + GROUP);
                for &i in active(&mask[group], &mut list) {
                    visit(first + usize::from(i), addresses[first + usize::from(i)]);
                }
            }
        }
    });
}

/// The least, the greatest and all bits of numbers.
#[inline(always)]
fn extremes(numbers: impl Iterator<Item = u64>) -> (u64, u64, u64) {
    numbers.fold((u64::MAX, 0, 0), |(least, greatest, bits), x| (least.min(x), greatest.max(x), bits | x))
}

/// The same of those that a mask leaves, without a branch.
#[inline(always)]
fn masked_extremes(numbers: &[u64], mask: &[u8]) -> (u64, u64, u64) {
    numbers.iter().zip(mask).fold((u64::MAX, 0, 0), |(least, greatest, bits), (x, bit)| {
        let off = (u64::from(*bit) & 1).wrapping_sub(1);
        (least.min(x | off), greatest.max(x & !off), bits | x & !off)
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn masked_extremes_avx2(numbers: &[u64], mask: &[u8]) -> (u64, u64, u64) {
    masked_extremes(numbers, mask)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn masked_extremes_avx512(numbers: &[u64], mask: &[u8]) -> (u64, u64, u64) {
    masked_extremes(numbers, mask)
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
#[inline]
pub fn all_set(bits: &[u8]) -> bool {
    bits.iter().fold(1, |all, bit| all & bit) & 1 == 1
}

impl Reach {
    /// How many elements of `size` bytes lie from the first to the last.
    #[inline]
    pub fn elements(&self, size: usize) -> usize {
        ((self.last - self.first) / size as u64 + 1) as usize
    }
}

impl Window {
    /// Whether all elements that begin within a reach lie in the buffer.
    #[inline]
    pub fn holds(&self, reach: Reach) -> bool {
        self.address <= reach.first && reach.last <= self.last
    }

    /// The place of an element.
    #[inline]
    pub fn place(&self, address: u64) -> *mut u8 {
        // What loops need not compute again: it takes one register where two numbers would take two.
        self.host.wrapping_sub(self.address as usize).wrapping_add(address as usize)
    }

    /// Loads the elements at addresses, or those of `padding` where the mask leaves one out; zeros if there are none. `STRONG`: each
    /// is loaded atomically.
    ///
    /// # Safety
    /// The window holds elements of type `T` at the addresses that the mask leaves, aligned on the host if they are loaded atomically;
    /// `to` has room for one for each address, and `padding` holds as many, aligned.
    pub unsafe fn load<T: Word, const STRONG: bool>(&self, pointers: Pointers<'_>, padding: Option<*const T>, to: *mut T) {
        let far = self.last - self.address >= NEAR;
        let mut list = [0; GROUP];
        pointers.for_each_piece(|piece| {
            if far {
                piece.coming.iter().for_each(|address| prefetch(self.place(*address)));
            }
            let (n, to) = (piece.addresses.len(), to.wrapping_add(piece.first));
            // SAFETY: by the contract: the target has room for all, and the padding holds as many.
            unsafe {
                let load = |i: usize| {
                    let place = self.place(piece.addresses[i]);
                    *to.add(i) = if STRONG { T::load(place) } else { place.cast::<T>().read_unaligned() };
                };
                match (piece.mask, padding) {
                    (None, _) if !STRONG && piece.is_run::<T>() => return copy::<T>(self.place(piece.addresses[0]).cast(), to, n),
                    (None, _) => return (0..n).for_each(load),
                    (_, Some(padding)) => copy::<T>(padding.add(piece.first), to, n),
                    (_, None) => std::ptr::write_bytes(to, 0, n),
                }
                active(piece.mask.unwrap_or_default(), &mut list).iter().for_each(|i| load((*i).into()));
            }
        });
    }

    /// Stores elements at the addresses that the mask leaves, in order. `STRONG`: each is stored atomically.
    ///
    /// # Safety
    /// The window holds elements of type `T` at these addresses, which may be written, aligned on the host if they are stored
    /// atomically; `from` holds one for each address, aligned.
    pub unsafe fn store<T: Word, const STRONG: bool>(&self, pointers: Pointers<'_>, from: *const T) {
        let mut list = [0; GROUP];
        pointers.for_each_piece(|piece| {
            let (n, from) = (piece.addresses.len(), from.wrapping_add(piece.first));
            // SAFETY: by the contract.
            unsafe {
                let store = |i: usize| {
                    let (place, number) = (self.place(piece.addresses[i]), *from.add(i));
                    if STRONG { T::store(place, number) } else { place.cast::<T>().write_unaligned(number) }
                };
                match piece.mask {
                    None if !STRONG && piece.is_run::<T>() => copy::<T>(from, self.place(piece.addresses[0]).cast(), n),
                    None => (0..n).for_each(store),
                    Some(mask) => active(mask, &mut list).iter().for_each(|i| store((*i).into())),
                }
            }
        });
    }
}

/// Copies up to [`PIECE`] elements; places need not be aligned.
#[inline]
unsafe fn copy<T: Copy>(from: *const T, to: *mut T, n: usize) {
    // SAFETY: by the caller.
    unsafe {
        if n == PIECE {
            to.cast::<[T; PIECE]>().write_unaligned(from.cast::<[T; PIECE]>().read_unaligned());
        } else {
            std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), n * size_of::<T>());
        }
    }
}

/// How many addresses are looked at together: elements at them are copied at once where they lie side by side, such as parts of rows.
const PIECE: usize = 16;

/// Addresses, and which of them count.
#[derive(Clone, Copy, Debug)]
pub struct Pointers<'a> {
    /// The addresses.
    pub addresses: &'a [u64],
    /// A byte for each, whose lowest bit says whether it counts; without a mask, all do.
    pub mask: Option<&'a [u8]>,
}

/// Some addresses that stand together.
struct Piece<'a> {
    /// The number of the first.
    first: usize,
    addresses: &'a [u64],
    /// Which of them count, if not all do.
    mask: Option<&'a [u8]>,
    /// Addresses that will be needed soon.
    coming: &'a [u64],
}

impl Piece<'_> {
    /// Whether the elements lie side by side, in order.
    #[inline]
    fn is_run<T>(&self) -> bool {
        goes_on(self.addresses, self.addresses[0], size_of::<T>() as u64)
    }
}

impl<'a> Pointers<'a> {
    /// Visits the addresses in order, some at a time.
    #[inline(always)]
    fn for_each_piece(self, mut visit: impl FnMut(Piece<'a>)) {
        let mut looks = Looks::new();
        for (i, addresses) in self.addresses.chunks(PIECE).enumerate() {
            if looks.end_after(addresses.len()) {
                return;
            }
            let first = i * PIECE;
            let mask = self.mask.map(|mask| &mask[first..first + addresses.len()]).filter(|mask| !all_set(mask));
            let behind = |i: usize| i.min(self.addresses.len());
            let coming = behind(if i == 0 { 0 } else { first + AHEAD })..behind(first + AHEAD + PIECE);
            visit(Piece { first, addresses, mask, coming: &self.addresses[coming] });
        }
    }
}

/// Adds numbers up by their addresses, wrapping: `sums[(address - first) / size_of::<T>()]` gets those at `address`, unless the mask
/// leaves them out.
///
/// # Safety
/// `numbers` holds one for each address, aligned.
pub unsafe fn add_up<T: Copy + Into<u64>>(sums: &mut [u64], pointers: Pointers<'_>, first: u64, numbers: *const T) {
    let one = |i: usize, address: u64| {
        let sum = &mut sums[(address - first) as usize / size_of::<T>()];
        // SAFETY: by the contract.
        *sum = sum.wrapping_add(unsafe { *numbers.add(i) }.into());
    };
    for_each_active(pointers.addresses, pointers.mask, one);
}
