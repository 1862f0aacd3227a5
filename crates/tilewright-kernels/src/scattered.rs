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

/// How many addresses are visited by instructions of their own each. A CPU predicts by its address whether an instruction that loads has to wait for
/// a store before it: one instruction for all updates waits too often, and a histogram takes 1.7 times as long.
const TOGETHER: usize = 8;
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

/// Calls `visit` with the number of each address or index that the mask leaves, and with itself; not with those left when the launch is to end.
#[inline(always)]
pub fn for_each_active<A: Copy>(addresses: &[A], mask: Option<&[u8]>, mut visit: impl FnMut(usize, A)) {
    let mut list = [0; GROUP];
    in_parts(addresses.len(), PART / 8, |part| match mask {
        None => {
            let (groups, rest) = addresses[part.clone()].as_chunks::<TOGETHER>();
            for (group, first) in groups.iter().zip(part.clone().step_by(TOGETHER)) {
                group.iter().enumerate().for_each(|(i, address)| visit(first + i, *address));
            }
            let first = part.end - rest.len();
            rest.iter().enumerate().for_each(|(i, address)| visit(first + i, *address));
        }
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

/// Where elements of `size` bytes lie that the mask leaves; `None` if addresses wrap or are not aligned, or there are none.
pub fn reach_of_indices(level: Level, indices: Indices<'_>, size: u64) -> Option<Reach> {
    let (first, last) = match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is one of this CPU's.
        Level::Avx512 => unsafe { least_and_greatest_avx512(indices) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::Avx2 => unsafe { least_and_greatest_avx2(indices) },
        _ => least_and_greatest(indices),
    };
    let address = |index: i32| indices.base.checked_add_signed(i64::from(index) * size as i64);
    (first <= last && indices.base & (size - 1) == 0).then_some(Reach { first: address(first)?, last: address(last)? })
}

/// The least and the greatest of indices that a mask leaves.
#[inline(always)]
fn least_and_greatest(Indices { indices, mask, .. }: Indices<'_>) -> (i32, i32) {
    let none = (i32::MAX, i32::MIN);
    match mask {
        None => indices.iter().fold(none, |(least, greatest), x| (least.min(*x), greatest.max(*x))),
        Some(mask) => indices.iter().zip(mask).fold(none, |(least, greatest), (x, bit)| {
            let (low, high) = if bit & 1 == 1 { (*x, *x) } else { none };
            (least.min(low), greatest.max(high))
        }),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn least_and_greatest_avx2(indices: Indices<'_>) -> (i32, i32) {
    least_and_greatest(indices)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn least_and_greatest_avx512(indices: Indices<'_>) -> (i32, i32) {
    least_and_greatest(indices)
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

/// Elements behind one address, and which of them count.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    /// The address of the element with index 0.
    pub base: u64,
    /// How many elements each lies behind that.
    pub indices: &'a [i32],
    /// As that of [`Pointers`].
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

/// Adds numbers up, wrapping: what stands `place(x)` behind `sums` gets `number(i)` for place `i`, which is `x`, unless the mask leaves it out.
///
/// A function of its own for each way of finding places and numbers, with registers for all that it needs.
///
/// # Safety
/// There is a sum for each place that the mask leaves, which nobody else uses.
#[inline(never)]
pub unsafe fn add_up<T: Word, A: Copy>(
    sums: *mut T,
    (places, mask): (&[A], Option<&[u8]>),
    place: impl Fn(A) -> isize,
    number: impl Fn(usize) -> T,
) {
    for_each_active(places, mask, |i, x| {
        // SAFETY: by the contract.
        unsafe {
            let sum = sums.wrapping_offset(place(x));
            *sum = T::of((*sum).into().wrapping_add(number(i).into()));
        }
    });
}
