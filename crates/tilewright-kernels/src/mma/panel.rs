//! Panels of a right factor: as many of its columns as a block has.
#![allow(unsafe_code, reason = "reads and writes factors through raw pointers")]

use crate::vector::{Floats, Vector};
use std::marker::PhantomData;

/// Where a block finds the rows of a panel.
pub(super) trait Panel<V: Vector>: Copy {
    /// The `v`-th vector of row `p`.
    ///
    /// # Safety
    /// The panel has such a row and vector, and the CPU has the features of `V`.
    unsafe fn vector(self, p: usize, v: usize) -> V;
}

/// A panel in the type of the sums.
#[derive(Clone, Copy)]
pub(super) struct Ready<T> {
    pub(super) start: *const T,
    /// Distance between rows, in elements.
    pub(super) pitch: usize,
}

impl<V: Vector> Panel<V> for Ready<V::Lane> {
    #[inline(always)]
    unsafe fn vector(self, p: usize, v: usize) -> V {
        // SAFETY: by the contract.
        unsafe { V::load(self.start.add(p * self.pitch + v * V::LANES)) }
    }
}

/// A panel that is read from the factor, and written on the way to where later blocks find it ready.
pub(super) struct Filling<T, F> {
    from: *const u8,
    /// Distance between the factor's rows, in bytes.
    pitch: usize,
    to: *mut T,
    /// Distance between the panel's rows, in elements.
    width: usize,
    format: PhantomData<F>,
}

impl<T, F> Filling<T, F> {
    pub(super) fn new(from: *const u8, pitch: usize, to: *mut T, width: usize) -> Self {
        Filling { from, pitch, to, width, format: PhantomData }
    }
}

impl<T, F> Clone for Filling<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, F> Copy for Filling<T, F> {}

impl<V: Vector, F: Format<V>> Panel<V> for Filling<V::Lane, F> {
    #[inline(always)]
    unsafe fn vector(self, p: usize, v: usize) -> V {
        // SAFETY: by the contract; the panel has room for all rows.
        unsafe {
            let vector = F::load(self.from.add(p * self.pitch + v * V::LANES * F::SIZE));
            vector.store(self.to.add(p * self.width + v * V::LANES));
            vector
        }
    }
}

/// How a factor's elements become those of vectors.
pub(super) trait Format<V: Vector> {
    /// Bytes of an element.
    const SIZE: usize;

    /// # Safety
    /// `from` holds as many elements as a vector, and the CPU has its features.
    unsafe fn load(from: *const u8) -> V;
}

/// Elements that need no change.
pub(super) struct Same;
pub(super) struct F16;
pub(super) struct Bf16;

impl<V: Vector> Format<V> for Same {
    const SIZE: usize = size_of::<V::Lane>();

    #[inline(always)]
    unsafe fn load(from: *const u8) -> V {
        // SAFETY: by the contract.
        unsafe { V::load(from.cast()) }
    }
}

impl<V: Floats> Format<V> for F16 {
    const SIZE: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> V {
        // SAFETY: by the contract.
        unsafe { V::load_f16(from.cast()) }
    }
}

impl<V: Floats> Format<V> for Bf16 {
    const SIZE: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> V {
        // SAFETY: by the contract.
        unsafe { V::load_bf16(from.cast()) }
    }
}
