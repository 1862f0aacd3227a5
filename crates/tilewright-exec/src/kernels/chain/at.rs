//! Where a chain is, and what it finds there: the vectors that go through it together.
#![allow(unsafe_code, reason = "reads and writes registers of the plan through raw pointers, with instructions of CPU features")]

use super::{Half, program::From, streamed::Stream};
use crate::kernels::{halves::Halves, lanes::VectorLanes};
use tilewright_numeric::bulk;

/// Vectors that go through a chain together: enough to make up for going from step to step, and as many as functions are given in the
/// CPU's registers.
pub(super) type Vectors<V> = [V; 8];

/// What a closure gives for each of the vectors. It becomes part of the caller, whose features its instructions need.
macro_rules! vectors {
    (|$i:ident| $x:expr) => {
        $crate::kernels::chain::at::each(
            #[inline(always)]
            |$i| $x,
        )
    };
}
pub(super) use vectors;

#[inline(always)]
pub(super) fn each<V>(f: impl Fn(usize) -> V) -> Vectors<V> {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

/// Where a chain is.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) places: *const *mut f32,
    /// The first of the elements that are worked on.
    pub(super) first: usize,
}

impl At {
    /// Elements from the first vector to another one.
    #[inline(always)]
    fn offset<V: VectorLanes>(self, vector: usize) -> usize {
        vector * V::LANES
    }

    /// The first number at a place.
    ///
    /// # Safety
    /// The place exists; so for all below.
    #[inline(always)]
    unsafe fn place(self, place: usize) -> *mut f32 {
        // SAFETY: by the contract.
        unsafe { *self.places.add(place) }
    }

    /// The first of the elements at a place.
    ///
    /// # Safety
    /// As for [`place`](Self::place).
    #[inline(always)]
    unsafe fn array(self, place: usize) -> *mut f32 {
        // SAFETY: by the contract.
        unsafe { self.place(place) }.wrapping_add(self.first)
    }

    /// The first of the elements at a place of floats of 16 bits.
    ///
    /// # Safety
    /// As for [`place`](Self::place).
    #[inline(always)]
    unsafe fn halves(self, place: usize) -> *mut u16 {
        // SAFETY: by the contract.
        unsafe { self.place(place) }.cast::<u16>().wrapping_add(self.first)
    }

    /// The number at a place that belongs to the row of the vector that so many elements lie before. Rows begin where groups of vectors do,
    /// or are longer than these.
    ///
    /// # Safety
    /// The place holds a number for the row. The CPU has the features of `V`.
    #[inline(always)]
    unsafe fn per_row<V: VectorLanes>(self, place: usize, shift: u32, before: usize) -> V {
        // SAFETY: by the contract.
        unsafe { V::same(*self.place(place).add(self.first >> shift).add(before >> shift)) }
    }

    /// The numbers at a place, side by side.
    ///
    /// # Safety
    /// The place holds all vectors. The CPU has the features of `V`.
    #[inline(always)]
    pub(super) unsafe fn load<V: VectorLanes>(self, place: usize) -> Vectors<V> {
        // SAFETY: by the contract.
        unsafe {
            let from = self.array(place);
            vectors!(|i| V::load(from.add(self.offset::<V>(i))))
        }
    }

    /// The one number for all vectors at a place of numbers for rows.
    ///
    /// # Safety
    /// As for [`per_row`](Self::per_row); the vectors lie in one row.
    #[inline(always)]
    pub(super) unsafe fn same<V: VectorLanes>(self, place: usize, shift: u32) -> Vectors<V> {
        // SAFETY: by the contract.
        [unsafe { self.per_row(place, shift, 0) }; 8]
    }

    /// Reads an operand from wherever it is.
    ///
    /// # Safety
    /// As [`Code`](super::Code) demands of the places, which hold all vectors; the CPU has the features of `V`.
    #[inline(always)]
    pub(super) unsafe fn read<V: Halves>(self, from: From, accumulator: Vectors<V>) -> Vectors<V> {
        // SAFETY: by the contract.
        unsafe {
            match from {
                From::Accumulator => accumulator,
                From::Array(place) => self.load(place),
                From::Group(place, shift) => self.same(place, shift),
                From::Vector(place, shift) => vectors!(|i| self.per_row(place, shift, self.offset::<V>(i))),
                From::Halves(half, place) => {
                    let from = self.halves(place);
                    match half {
                        Half::F16 => vectors!(|i| V::load_half(Half::F16, from.add(self.offset::<V>(i)))),
                        Half::Bf16 => vectors!(|i| V::load_half(Half::Bf16, from.add(self.offset::<V>(i)))),
                    }
                }
                From::HalfPerRow(half, place, shift) => {
                    let numbers = self.place(place).cast::<u16>().wrapping_add(self.first >> shift);
                    match half {
                        Half::F16 => vectors!(|i| V::same(bulk::f16_to_f32(*numbers.add(self.offset::<V>(i) >> shift)))),
                        Half::Bf16 => vectors!(|i| V::same(bulk::bf16_to_f32(*numbers.add(self.offset::<V>(i) >> shift)))),
                    }
                }
            }
        }
    }

    /// Stores vectors; past the caches, if that is where the place goes.
    ///
    /// # Safety
    /// As for [`read`](Self::read); what goes past the caches lies side by side, and those before were stored.
    #[inline(always)]
    pub(super) unsafe fn store<V: VectorLanes>(self, place: usize, x: Vectors<V>, stream: &mut Option<Stream<V>>) {
        // SAFETY: by the contract.
        unsafe {
            let to = self.array(place);
            match stream {
                Some(stream) if stream.place == place => stream.store(self.first, x, to),
                _ => {
                    vectors!(|i| x[i].store(to.add(self.offset::<V>(i))));
                }
            }
        }
    }

    /// Stores floats of 16 bits in the same way.
    ///
    /// # Safety
    /// As for [`store`](Self::store).
    #[inline(always)]
    pub(super) unsafe fn store_halves<V: Halves>(self, half: Half, place: usize, x: Vectors<V>, stream: &mut Option<Stream<V>>) {
        // SAFETY: by the contract.
        unsafe {
            let to = self.halves(place);
            match stream {
                Some(stream) if stream.place == place => {
                    let packed: Vectors<V::Packed> = vectors!(|i| x[i].narrow(half));
                    let [a, b, c, d, e, f, g, h] = packed;
                    let joined = [V::join(a, b), V::join(c, d), V::join(e, f), V::join(g, h)];
                    stream.store(self.first, joined, to.cast());
                }
                _ => {
                    vectors!(|i| V::store_packed(x[i].narrow(half), to.add(self.offset::<V>(i))));
                }
            }
        }
    }
}
