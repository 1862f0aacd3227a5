//! Atomic updates of many elements: a loop for each type and operation, with no more in it than the update.
#![allow(unsafe_code, reason = "reads registers and updates buffers through raw pointers")]

use super::{pointers::Places, tiling::Axis};
use crate::{
    elem::float_format,
    interrupt::{PART, in_parts},
    kernels::scattered::{Window, for_each_active},
    memory::raw::Word,
};
use tilewright_ir::{AtomicRMWMode as Mode, Scalar};
use tilewright_numeric::{FloatFormat, Rounding, arith, bulk};

/// The elements of memory that an operation updates.
pub(super) trait Cells {
    /// Visits each, in order: its position in the registers, and its place.
    fn for_each(self, visit: impl FnMut(usize, *mut u8));
}

/// Elements that pointers or indices name, in one buffer.
pub(super) struct Scattered<'a> {
    pub(super) window: Window,
    pub(super) places: Places<'a>,
    /// Bytes of an element.
    pub(super) size: usize,
}

impl<'a> Scattered<'a> {
    /// Which of them count, if not all do.
    pub(super) fn mask(&self) -> Option<&'a [u8]> {
        match self.places {
            Places::Pointers(at) => at.mask,
            Places::Indices(at) => at.mask,
        }
    }
}

impl Cells for Scattered<'_> {
    #[inline(always)]
    fn for_each(self, mut visit: impl FnMut(usize, *mut u8)) {
        match self.places {
            Places::Pointers(at) => for_each_active(at.addresses, at.mask, |i, address| visit(i, self.window.place(address))),
            Places::Indices(at) => {
                let (host, size) = (self.window.place(at.base), self.size as isize);
                for_each_active(at.indices, at.mask, |i, index| visit(i, host.wrapping_offset(index as isize * size)));
            }
        }
    }
}

/// Elements of one dimension of a tile.
pub(super) struct StridedCells {
    pub(super) host: *mut u8,
    /// Bytes of an element.
    pub(super) size: usize,
    /// Position of the first in the register.
    pub(super) position: usize,
    pub(super) axis: Axis,
}

impl Cells for StridedCells {
    #[inline(always)]
    fn for_each(self, mut visit: impl FnMut(usize, *mut u8)) {
        let Axis { count, stride, pitch } = self.axis;
        let mut one = |i: usize| visit(self.position + i * pitch, self.host.wrapping_add(i * stride as usize * self.size));
        in_parts(count, PART / 8, |part| part.for_each(&mut one));
    }
}

/// What is done to the elements.
#[derive(Clone, Copy)]
pub(super) enum Change {
    /// Combines them with arguments.
    Combine(Mode, Arguments),
    /// Those that are what is expected become something new.
    Exchange { expected: *const u8, new: *const u8 },
}

/// What elements are combined with.
#[derive(Clone, Copy)]
pub(super) struct Arguments {
    /// The first of a register.
    pub(super) first: *const u8,
    /// Whether it is the only one, and counts for all elements, as the 1 of a histogram does.
    pub(super) for_all: bool,
}

impl Arguments {
    /// The argument for the element at position `i` in the registers.
    ///
    /// # Safety
    /// The register holds arguments of this type, aligned, for this element.
    #[inline(always)]
    unsafe fn of<T: Copy>(self, i: usize) -> T {
        // SAFETY: by the contract.
        unsafe { *self.first.cast::<T>().add(if self.for_all { 0 } else { i }) }
    }
}

/// The smaller or the larger of two integers. One loop for all four takes hardly longer than one for each.
#[derive(Clone, Copy)]
struct Extreme {
    /// Bits that are others in what is compared: the sign, so that negative numbers are below.
    flipped: u64,
    least: bool,
}

impl Extreme {
    /// That of integers of so many bits, if the mode is one.
    fn of(mode: Mode, bits: u32) -> Option<Extreme> {
        let sign = 1 << (bits - 1);
        let (flipped, least) = match mode {
            Mode::Max => (sign, false),
            Mode::Min => (sign, true),
            Mode::Umax => (0, false),
            Mode::Umin => (0, true),
            _ => return None,
        };
        Some(Extreme { flipped, least })
    }

    #[inline(always)]
    fn pick(self, old: u64, x: u64) -> u64 {
        let is_below = old ^ self.flipped < x ^ self.flipped;
        if is_below == self.least { old } else { x }
    }
}

/// What is done bit by bit, and exchanges: old bits that a mask made of the argument leaves, with bits of the argument exchanged. One loop for all of
/// them, too.
#[derive(Clone, Copy)]
struct Bitwise {
    /// The mask is the argument where `by` is set, with the bits exchanged that `except` has.
    by: u64,
    except: u64,
    exchanged: u64,
}

impl Bitwise {
    fn of(mode: Mode) -> Bitwise {
        let [by, except, exchanged] = match mode {
            Mode::And => [u64::MAX, 0, 0],
            // What the argument has not, and the argument.
            Mode::Or => [u64::MAX, u64::MAX, u64::MAX],
            Mode::Xor => [0, u64::MAX, u64::MAX],
            Mode::Xchg => [0, 0, u64::MAX],
            other => unreachable!("{other:?} is more than bits"),
        };
        Bitwise { by, except, exchanged }
    }

    #[inline(always)]
    fn combine(self, old: u64, x: u64) -> u64 {
        old & (x & self.by ^ self.except) ^ x & self.exchanged
    }
}

/// An operation that updates elements.
pub(super) struct Updates {
    pub(super) element: Scalar,
    pub(super) change: Change,
    /// The register of the old values, if anybody reads them.
    pub(super) old: Option<*mut u8>,
    /// Whether no other thread can access the elements.
    pub(super) alone: bool,
}

impl Updates {
    /// Updates elements, one after the other.
    ///
    /// # Safety
    /// The cells are aligned elements of live buffers that may be written; the registers hold an element at each of their positions.
    pub(super) unsafe fn run(&self, cells: impl Cells) {
        // SAFETY: by the contract.
        unsafe {
            match (self.change, self.element.bits()) {
                (Change::Combine(Mode::Addf, x), _) => self.add_floats(x, cells),
                (_, 32) => self.run_as::<u32>(cells),
                (_, 64) => self.run_as::<u64>(cells),
                _ => unreachable!("no atomic updates of {} but sums of floats", self.element),
            }
        }
    }

    unsafe fn add_floats(&self, x: Arguments, cells: impl Cells) {
        // SAFETY: by the contract of `run`.
        unsafe {
            match float_format(self.element) {
                Some(FloatFormat::F32) => self.each(x, cells, |old: u32, x| u32::of(add_f32(old.into(), x.into()))),
                Some(FloatFormat::F64) => self.each(x, cells, |old: u64, x| add_f64(old, x)),
                Some(FloatFormat::F16) => self.each(x, cells, |old: u16, x| u16::of(add_f16(old.into(), x.into()))),
                Some(FloatFormat::Bf16) => self.each(x, cells, |old: u16, x| u16::of(add_bf16(old.into(), x.into()))),
                other => unreachable!("no atomic additions of {other:?}"),
            }
        }
    }

    /// Updates of integers, and those that know only bits.
    unsafe fn run_as<T: Word>(&self, cells: impl Cells) {
        // SAFETY: by the contract of `run`.
        unsafe {
            match self.change {
                Change::Exchange { expected, new } => self.exchange::<T>(expected.cast(), new.cast(), cells),
                Change::Combine(Mode::Add, x) => self.add::<T>(x, cells),
                Change::Combine(mode, x) => match Extreme::of(mode, self.element.bits()) {
                    Some(extreme) => self.each(x, cells, |old: T, x| T::of(extreme.pick(old.into(), x.into()))),
                    None => {
                        let bitwise = Bitwise::of(mode);
                        self.each(x, cells, |old: T, x| T::of(bitwise.combine(old.into(), x.into())));
                    }
                },
            }
        }
    }

    /// Replaces each element by what `combine` makes of it and its argument.
    #[inline(always)]
    unsafe fn each<T: Word>(&self, arguments: Arguments, cells: impl Cells, combine: impl Fn(T, T) -> T) {
        let alone = self.alone;
        // SAFETY: by the contract of `run`.
        unsafe {
            self.visit(cells, move |i, cell| {
                let argument = arguments.of(i);
                T::update(cell, alone, |old| combine(old, argument))
            });
        }
    }

    #[inline(always)]
    unsafe fn add<T: Word>(&self, arguments: Arguments, cells: impl Cells) {
        let alone = self.alone;
        // SAFETY: by the contract of `run`.
        unsafe { self.visit(cells, move |i, cell| T::add(cell, alone, arguments.of(i))) };
    }

    #[inline(always)]
    unsafe fn exchange<T: Word>(&self, expected: *const T, new: *const T, cells: impl Cells) {
        let alone = self.alone;
        // SAFETY: by the contract of `run`.
        unsafe {
            self.visit(cells, move |i, cell| {
                let (expected, new) = (*expected.add(i), *new.add(i));
                T::update(cell, alone, |old| if old == expected { new } else { old })
            });
        }
    }

    /// Updates each element by a function that gives what it was, and keeps that if anybody reads it. Each loop is a function of its own,
    /// which has registers for all that it needs.
    ///
    /// # Safety
    /// As for `run`.
    #[inline(never)]
    unsafe fn visit<T: Word>(&self, cells: impl Cells, update: impl Fn(usize, *mut u8) -> T) {
        match self.old.map(|old| old.cast::<T>()) {
            None => cells.for_each(|i, cell| _ = update(i, cell)),
            // SAFETY: by the contract of `run`.
            Some(old) => cells.for_each(|i, cell| unsafe { *old.add(i) = update(i, cell) }),
        }
    }
}

/// Adds floats to others that lie side by side.
///
/// # Safety
/// Both hold `n` elements, aligned, and nobody else accesses them.
#[inline(always)]
unsafe fn add_row<T: Copy>(to: *mut T, from: *const T, n: usize, add: impl Fn(T, T) -> T) {
    in_parts(n, PART, |part| {
        for i in part {
            // SAFETY: by the contract.
            unsafe { to.add(i).write(add(to.add(i).read(), from.add(i).read())) };
        }
    });
}

impl Updates {
    /// Adds a row of floats whose old values nobody reads; `false`, and nothing was done, if it is none, or if others may access it.
    ///
    /// # Safety
    /// As for `run`.
    #[inline(never)]
    pub(super) unsafe fn add_row(&self, cells: &StridedCells) -> bool {
        let (Change::Combine(Mode::Addf, Arguments { first: from, for_all: false }), None, true) = (self.change, self.old, self.alone)
        else {
            return false;
        };
        let (StridedCells { host, size, position, axis: Axis { count, stride: 1, pitch: 1 } }, true) = (cells, cells.axis.count > 1) else {
            return false;
        };
        let from = from.wrapping_add(position * size);
        // SAFETY: by the contract.
        unsafe {
            match float_format(self.element) {
                Some(FloatFormat::F32) => {
                    add_row::<f32>(host.cast(), from.cast(), *count, |a, b| arith::add_f32(a, b, Rounding::NearestEven))
                }
                Some(FloatFormat::F64) => {
                    add_row::<f64>(host.cast(), from.cast(), *count, |a, b| arith::add_f64(a, b, Rounding::NearestEven))
                }
                _ => return false,
            }
        }
        true
    }
}

/// The sum of two floats, to nearest_even.
#[inline(always)]
fn add_f32(a: u64, b: u64) -> u64 {
    arith::add_f32(f32::from_bits(a as u32), f32::from_bits(b as u32), Rounding::NearestEven).to_bits().into()
}

#[inline(always)]
fn add_f64(a: u64, b: u64) -> u64 {
    arith::add_f64(f64::from_bits(a), f64::from_bits(b), Rounding::NearestEven).to_bits()
}

/// An f32 has more than twice the digits, so that rounding to it first changes nothing.
#[inline(always)]
fn add_f16(a: u64, b: u64) -> u64 {
    bulk::f32_to_f16(bulk::f16_to_f32(a as u16) + bulk::f16_to_f32(b as u16)).into()
}

/// As for f16.
#[inline(always)]
fn add_bf16(a: u64, b: u64) -> u64 {
    bulk::f32_to_bf16(bulk::bf16_to_f32(a as u16) + bulk::bf16_to_f32(b as u16)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::scattered::{Indices, Pointers};

    /// Numbers of all kinds, and some others.
    fn samples(bits: u32) -> Vec<u64> {
        let mut state = 1u64;
        let mut some: Vec<u64> = (0..200).map(|_| next(&mut state)).collect();
        let mantissas = [(16, 10), (16, 7), (32, 23), (64, 52)];
        for (_, mantissa) in mantissas.iter().filter(|(of, _)| *of == bits) {
            let infinity = (1u64 << (bits - 1)) - (1 << mantissa);
            some.extend([infinity, infinity - 1, infinity + 1, infinity | 1 << (mantissa - 1), 1 << mantissa, (1 << mantissa) - 1]);
        }
        some.extend([0, 1, 2, 3]);
        let sign = 1u64 << (bits - 1);
        some.iter().flat_map(|x| [*x, x ^ sign]).map(|x| x & (u64::MAX >> (64 - bits))).collect()
    }

    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state ^ *state >> 29
    }

    #[test]
    fn sums_are_those_of_the_definition() {
        type Sum = fn(u64, u64) -> u64;
        let sums: [(FloatFormat, u32, Sum); 4] = [
            (FloatFormat::F16, 16, add_f16),
            (FloatFormat::Bf16, 16, add_bf16),
            (FloatFormat::F32, 32, add_f32),
            (FloatFormat::F64, 64, add_f64),
        ];
        for (format, bits, sum) in sums {
            let samples = samples(bits);
            for (a, b) in samples.iter().flat_map(|a| samples.iter().map(move |b| (*a, *b))) {
                assert_eq!(sum(a, b), arith::add(format, a, b, Rounding::NearestEven), "{a:#x} + {b:#x} as {format:?}");
            }
        }
    }

    #[test]
    fn integers_are_combined_as_the_mode_says() {
        for bits in [32, 64] {
            let signed = |x: u64| (x as i64) << (64 - bits) >> (64 - bits);
            let mask = u64::MAX >> (64 - bits);
            let samples = samples(bits);
            for (a, b) in samples.iter().flat_map(|a| samples.iter().map(move |b| (*a, *b))) {
                let picks =
                    [(Mode::Max, signed(a) < signed(b)), (Mode::Min, signed(b) < signed(a)), (Mode::Umax, a < b), (Mode::Umin, b < a)];
                for (mode, is_second) in picks {
                    assert_eq!(Extreme::of(mode, bits).unwrap().pick(a, b), if is_second { b } else { a }, "{mode:?} {a:#x} {b:#x}");
                }
                for (mode, expected) in [(Mode::And, a & b), (Mode::Or, a | b), (Mode::Xor, a ^ b), (Mode::Xchg, b)] {
                    assert!(Extreme::of(mode, bits).is_none());
                    assert_eq!(Bitwise::of(mode).combine(a, b) & mask, expected, "{mode:?} {a:#x} {b:#x}");
                }
            }
        }
    }

    /// One place several times, alone and not.
    #[test]
    fn elements_are_updated_one_after_the_other() {
        for alone in [true, false] {
            for (mode, expected, old) in [
                (Mode::Add, [9u32, 20], [1u32, 3, 20, 6]),
                (Mode::Max, [3, 20], [1, 2, 20, 3]),
                (Mode::Umin, [1, 4], [1, 1, 20, 1]),
                (Mode::Xchg, [3, 4], [1, 2, 20, 3]),
            ] {
                let (mut memory, arguments, mut found) = ([1u32, 20], [2u32, 3, if mode == Mode::Add { 0 } else { 4 }, 3], [0u32; 4]);
                let window = Window { address: 64, host: memory.as_mut_ptr().cast(), last: 68 };
                let change = Change::Combine(mode, Arguments { first: arguments.as_ptr().cast(), for_all: false });
                let updates = Updates { element: Scalar::I32, change, old: Some(found.as_mut_ptr().cast()), alone };
                let by_pointers = Places::Pointers(Pointers { addresses: &[64, 64, 68, 64], mask: None });
                // SAFETY: the window holds the elements, and the arrays one for each.
                unsafe { updates.run(Scattered { window, places: by_pointers, size: 4 }) };
                assert_eq!((memory, found), (expected, old), "{mode:?}");
                (memory, found) = ([1, 20], [0; 4]);
                let window = Window { address: 64, host: memory.as_mut_ptr().cast(), last: 68 };
                let updates = Updates { old: Some(found.as_mut_ptr().cast()), ..updates };
                let by_indices = Places::Indices(Indices { base: 72, indices: &[-2, -2, -1, -2], mask: None });
                // SAFETY: as above.
                unsafe { updates.run(Scattered { window, places: by_indices, size: 4 }) };
                assert_eq!((memory, found), (expected, old), "{mode:?} by index");
            }
        }
    }

    /// One argument for all, which is all that its register holds.
    #[test]
    fn an_argument_may_count_for_all_elements() {
        for alone in [true, false] {
            let (mut memory, argument, mut found) = ([1u32, 20], 3u32, [0u32; 3]);
            let window = Window { address: 64, host: memory.as_mut_ptr().cast(), last: 68 };
            let change = Change::Combine(Mode::Add, Arguments { first: (&raw const argument).cast(), for_all: true });
            let updates = Updates { element: Scalar::I32, change, old: Some(found.as_mut_ptr().cast()), alone };
            let places = Places::Pointers(Pointers { addresses: &[64, 68, 64], mask: None });
            // SAFETY: the window holds the elements, the array one for each.
            unsafe { updates.run(Scattered { window, places, size: 4 }) };
            assert_eq!((memory, found), ([7, 23], [1, 20, 4]));
        }
    }
}
