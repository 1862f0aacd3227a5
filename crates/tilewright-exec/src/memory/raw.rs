//! Raw memory: the only place that reads and writes buffers while threads share them.
//!
//! Weak accesses are plain copies. A program whose blocks race on them has undefined behaviour by the rules of Tile IR
//! (SEMANTICS d.4); here it gets bytes of either value, never memory outside of its buffers: lengths, addresses and control
//! flow of the machine come from checked registers only. Strong accesses are atomic, element by element.
#![allow(unsafe_code, reason = "buffers are shared by threads that the program synchronises, beyond what borrows can express")]

use crate::interrupt::{PART, in_parts};
use std::{
    alloc::{Layout, alloc_zeroed},
    ptr::NonNull,
    sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering},
};

/// Words that the system gives as zeros, which takes no time before they are used; `None` if it has not enough memory.
fn zeroed_words(count: usize) -> Option<Vec<u64>> {
    let layout = Layout::array::<u64>(count).ok()?;
    if count == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout is not empty.
    let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
    // SAFETY: allocated by the allocator of vectors with the layout of so many words, which are initialised.
    Some(unsafe { Vec::from_raw_parts(start.as_ptr().cast(), count, count) })
}

/// Bytes on the host that blocks may share. Owns its bytes, or borrows them for the lifetime of the memory it is in.
#[derive(Debug)]
pub(super) struct HostSlice {
    start: NonNull<u8>,
    len: usize,
    /// Keeps owned bytes alive, 8-byte aligned so that atomics on device-aligned addresses are aligned on the host.
    #[expect(dead_code, reason = "keeps the bytes alive")]
    owned: Option<Vec<u64>>,
}

// SAFETY: a HostSlice is a slice that its owner has exclusively, or only reads; threads reach its bytes only through SharedMemory,
// whose accesses go through the functions below.
unsafe impl Send for HostSlice {}
// SAFETY: as above; `bytes` needs `&self` and `bytes_mut` needs `&mut self`, and SharedMemory borrows exclusively.
unsafe impl Sync for HostSlice {}

impl HostSlice {
    pub(super) fn owned(bytes: Vec<u8>) -> HostSlice {
        let len = bytes.len();
        let mut words = vec![0u64; len.div_ceil(8)];
        let start = NonNull::new(words.as_mut_ptr().cast::<u8>()).unwrap_or(NonNull::dangling());
        // SAFETY: `words` has room for `len` bytes and is distinct from `bytes`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.as_ptr(), len) };
        HostSlice { start, len, owned: Some(words) }
    }

    /// `len` zero bytes; `None` if the host has not enough memory.
    pub(super) fn zeroed(len: usize) -> Option<HostSlice> {
        let mut words = zeroed_words(len.div_ceil(8))?;
        let start = NonNull::new(words.as_mut_ptr().cast::<u8>()).unwrap_or(NonNull::dangling());
        Some(HostSlice { start, len, owned: Some(words) })
    }

    /// Makes all bytes zero.
    pub(super) fn clear(&mut self) {
        // SAFETY: it has that many bytes. Blocks that still access freed memory race with this, which is undefined behaviour
        // of the program; they stay inside the bytes.
        in_parts(self.len, 8 * PART, |part| unsafe { std::ptr::write_bytes(self.start.as_ptr().add(part.start), 0, part.len()) });
    }

    pub(super) fn borrowed(bytes: &mut [u8]) -> HostSlice {
        HostSlice { start: NonNull::from(&mut *bytes).cast(), len: bytes.len(), owned: None }
    }

    /// Bytes that must only be read.
    pub(super) fn shared(bytes: &[u8]) -> HostSlice {
        HostSlice { start: NonNull::from(bytes).cast(), len: bytes.len(), owned: None }
    }

    /// # Safety
    /// As for [`super::Memory::add_external`].
    pub(super) unsafe fn external(start: NonNull<u8>, len: usize) -> HostSlice {
        HostSlice { start, len, owned: None }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: start and len describe bytes that are owned or borrowed for longer than `self`; a launch, which writes them
        // through raw pointers, borrows the memory exclusively.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// The host address of `size` bytes at `offset`, if they lie inside.
    #[inline]
    pub(super) fn locate(&self, offset: u64, size: u64) -> Option<*mut u8> {
        let end = offset.checked_add(size)?;
        // The offset is inside the slice, so it fits usize.
        (end <= self.len as u64).then(|| self.pointer(offset as usize))
    }

    /// The host address of the byte at `offset`, which is at most `len`.
    #[inline]
    pub(super) fn pointer(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.len);
        // SAFETY: the offset is within the slice or one past its end.
        unsafe { self.start.as_ptr().add(offset) }
    }
}

/// An element of 1, 2, 4 or 8 bytes that can be accessed atomically.
macro_rules! atomic_element {
    ($atomic:ty, $plain:ty, $pointer:expr) => {{
        // SAFETY: the caller passes a host address of that many bytes inside a live buffer, aligned to them (see `Strong`),
        // and every concurrent strong access is atomic too; weak ones are undefined by the program's own rules.
        unsafe { <$atomic>::from_ptr($pointer.cast::<$plain>()) }
    }};
}

/// The host address of one element, checked for atomic access.
#[derive(Clone, Copy)]
pub(crate) struct Strong {
    pointer: *mut u8,
    size: usize,
}

impl Strong {
    /// An element of `size` bytes at `pointer`; `None` if the host address is not aligned or the size is not atomic.
    ///
    /// # Safety
    /// `pointer` addresses `size` bytes inside a buffer that outlives the value.
    pub(crate) unsafe fn new(pointer: *mut u8, size: usize) -> Option<Strong> {
        let fits = matches!(size, 1 | 2 | 4 | 8) && pointer.addr().is_multiple_of(size);
        fits.then_some(Strong { pointer, size })
    }

    /// The bits, zero-extended.
    pub(crate) fn load(self, order: Ordering) -> u64 {
        match self.size {
            1 => atomic_element!(AtomicU8, u8, self.pointer).load(order).into(),
            2 => atomic_element!(AtomicU16, u16, self.pointer).load(order).into(),
            4 => atomic_element!(AtomicU32, u32, self.pointer).load(order).into(),
            _ => atomic_element!(AtomicU64, u64, self.pointer).load(order),
        }
    }

    /// Writes the low bits of `value`.
    pub(crate) fn store(self, value: u64, order: Ordering) {
        match self.size {
            1 => atomic_element!(AtomicU8, u8, self.pointer).store(value as u8, order),
            2 => atomic_element!(AtomicU16, u16, self.pointer).store(value as u16, order),
            4 => atomic_element!(AtomicU32, u32, self.pointer).store(value as u32, order),
            _ => atomic_element!(AtomicU64, u64, self.pointer).store(value, order),
        }
    }

    /// Adds to an element of 32 or 64 bits, wrapping; gives what it held.
    pub(crate) fn fetch_add(self, value: u64, order: Ordering) -> u64 {
        match self.size {
            4 => atomic_element!(AtomicU32, u32, self.pointer).fetch_add(value as u32, order).into(),
            _ => atomic_element!(AtomicU64, u64, self.pointer).fetch_add(value, order),
        }
    }

    /// Replaces `current` by `new` if the element still holds it; gives what it held.
    pub(crate) fn compare_exchange(self, current: u64, new: u64, order: Ordering) -> Result<u64, u64> {
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
pub(crate) trait Word: Copy + Eq + Into<u64> {
    /// The low bits of a number.
    fn of(bits: u64) -> Self;

    /// Whether it is the smaller one as a number with a sign, or without.
    fn is_less(self, other: Self, signed: bool) -> bool;

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
    ($plain:ty, $signed:ty, $atomic:ty) => {
        impl Word for $plain {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $plain
            }

            #[inline(always)]
            fn is_less(self, other: Self, signed: bool) -> bool {
                if signed { (self as $signed) < other as $signed } else { self < other }
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

word!(u8, i8, AtomicU8);
word!(u16, i16, AtomicU16);
word!(u32, i32, AtomicU32);
word!(u64, i64, AtomicU64);
