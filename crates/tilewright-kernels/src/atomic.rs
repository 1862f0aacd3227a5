//! Elements that threads share and access atomically.
#![allow(unsafe_code, reason = "reads and writes memory through raw pointers")]

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// An element of 1, 2, 4 or 8 bytes that can be accessed atomically.
macro_rules! atomic_element {
    ($atomic:ty, $plain:ty, $pointer:expr) => {{
        // SAFETY: the caller passes a host address of that many bytes inside a live buffer, aligned to them (see `Strong`),
        // and every concurrent strong access is atomic too; weak ones are undefined by the program's own rules.
        unsafe { <$atomic>::from_ptr($pointer.cast::<$plain>()) }
    }};
}

/// The host address of one element, checked for atomic access.
#[derive(Clone, Copy, Debug)]
pub struct Strong {
    pointer: *mut u8,
    size: usize,
}

impl Strong {
    /// An element of `size` bytes at `pointer`; `None` if the host address is not aligned or the size is not atomic.
    ///
    /// # Safety
    /// `pointer` addresses `size` bytes inside a buffer that outlives the value.
    #[inline]
    pub unsafe fn new(pointer: *mut u8, size: usize) -> Option<Strong> {
        let fits = matches!(size, 1 | 2 | 4 | 8) && pointer.addr().is_multiple_of(size);
        fits.then_some(Strong { pointer, size })
    }

    /// The bits, zero-extended.
    #[inline]
    pub fn load(self, order: Ordering) -> u64 {
        match self.size {
            1 => atomic_element!(AtomicU8, u8, self.pointer).load(order).into(),
            2 => atomic_element!(AtomicU16, u16, self.pointer).load(order).into(),
            4 => atomic_element!(AtomicU32, u32, self.pointer).load(order).into(),
            _ => atomic_element!(AtomicU64, u64, self.pointer).load(order),
        }
    }

    /// Writes the low bits of `value`.
    #[inline]
    pub fn store(self, value: u64, order: Ordering) {
        match self.size {
            1 => atomic_element!(AtomicU8, u8, self.pointer).store(value as u8, order),
            2 => atomic_element!(AtomicU16, u16, self.pointer).store(value as u16, order),
            4 => atomic_element!(AtomicU32, u32, self.pointer).store(value as u32, order),
            _ => atomic_element!(AtomicU64, u64, self.pointer).store(value, order),
        }
    }

    /// Adds to an element of 32 or 64 bits, wrapping; gives what it held.
    #[inline]
    pub fn fetch_add(self, value: u64, order: Ordering) -> u64 {
        match self.size {
            4 => atomic_element!(AtomicU32, u32, self.pointer).fetch_add(value as u32, order).into(),
            _ => atomic_element!(AtomicU64, u64, self.pointer).fetch_add(value, order),
        }
    }

    /// Replaces `current` by `new` if the element still holds it; gives what it held.
    #[inline]
    pub fn compare_exchange(self, current: u64, new: u64, order: Ordering) -> Result<u64, u64> {
        let failure = if order == Ordering::Relaxed || order == Ordering::Release { Ordering::Relaxed } else { Ordering::Acquire };
        macro_rules! exchange {
            ($atomic:ty, $plain:ty) => {{
                let cell = atomic_element!($atomic, $plain, self.pointer);
                let done = cell.compare_exchange(current as $plain, new as $plain, order, failure);
                done.map(u64::from).map_err(u64::from)
            }};
        }
        match self.size {
            1 => exchange!(AtomicU8, u8),
            2 => exchange!(AtomicU16, u16),
            4 => exchange!(AtomicU32, u32),
            _ => exchange!(AtomicU64, u64),
        }
    }
}

/// The bits of an element that is accessed atomically: 1, 2, 4 or 8 bytes.
pub trait Word: Copy + Eq + Into<u64> {
    /// The low bits of a number.
    fn of(bits: u64) -> Self;

    /// What the element holds.
    ///
    /// # Safety
    /// As for `update`.
    unsafe fn load(element: *mut u8) -> Self;

    /// Makes the element hold a number.
    ///
    /// # Safety
    /// As for `update`.
    unsafe fn store(element: *mut u8, number: Self);

    /// Replaces the element by what `change` makes of it, and gives what it was. `alone`: no other thread can access it, so that reading
    /// and writing are as good as one step.
    ///
    /// # Safety
    /// `element` is the aligned address of an element in a live buffer.
    unsafe fn update(element: *mut u8, alone: bool, change: impl Fn(Self) -> Self) -> Self;

    /// Adds to the element, wrapping, and gives what it was.
    ///
    /// # Safety
    /// As for `update`.
    unsafe fn add(element: *mut u8, alone: bool, number: Self) -> Self;
}

macro_rules! word {
    ($plain:ty, $atomic:ty) => {
        impl Word for $plain {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $plain
            }

            #[inline(always)]
            unsafe fn load(element: *mut u8) -> Self {
                atomic_element!($atomic, $plain, element).load(Ordering::Relaxed)
            }

            #[inline(always)]
            unsafe fn store(element: *mut u8, number: Self) {
                atomic_element!($atomic, $plain, element).store(number, Ordering::Relaxed)
            }

            #[inline(always)]
            unsafe fn update(element: *mut u8, alone: bool, change: impl Fn(Self) -> Self) -> Self {
                let cell = atomic_element!($atomic, $plain, element);
                let mut old = cell.load(Ordering::Relaxed);
                if alone {
                    cell.store(change(old), Ordering::Relaxed);
                    return old;
                }
                while let Err(found) = cell.compare_exchange_weak(old, change(old), Ordering::Relaxed, Ordering::Relaxed) {
                    old = found;
                }
                old
            }

            #[inline(always)]
            unsafe fn add(element: *mut u8, alone: bool, number: Self) -> Self {
                if alone {
                    // SAFETY: by the contract.
                    return unsafe { Self::update(element, true, |old| old.wrapping_add(number)) };
                }
                atomic_element!($atomic, $plain, element).fetch_add(number, Ordering::Relaxed)
            }
        }
    };
}

word!(u8, AtomicU8);
word!(u16, AtomicU16);
word!(u32, AtomicU32);
word!(u64, AtomicU64);
