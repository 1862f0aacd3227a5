//! The memory of a launch: buffers, their device addresses, and checked access to them.

mod globals;
pub(crate) mod locals;
mod observer;
pub(crate) mod raw;

pub(crate) use globals::Globals;
pub use observer::{Access, AccessKind, AccessObserver};

use crate::AccessFault;
use raw::HostSlice;
use std::marker::PhantomData;

/// Device addresses are multiples of this many bytes, as the CUDA allocator's are.
const ALIGNMENT: u64 = 256;
/// Where the first buffer lies. Nothing lies near 0, so that null and small integers never name a buffer.
const FIRST_ADDRESS: u64 = 0x7000_0000_0000;
/// Bytes between two buffers that belong to neither, so that running over an end is noticed.
const GUARD: u64 = 4096;

/// A buffer of a [`Memory`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Buffer(usize);

/// The buffers that a launch may touch.
///
/// Each has a 64-bit device address, a multiple of 256 bytes; kernels see these and not the host's addresses. They
/// depend only on the order and the sizes of the buffers.
#[derive(Debug, Default)]
pub struct Memory<'a> {
    buffers: Vec<Allocation>,
    borrowed: PhantomData<&'a mut [u8]>,
}

#[derive(Debug)]
struct Allocation {
    address: u64,
    host: HostSlice,
}

impl<'a> Memory<'a> {
    /// No buffers.
    pub fn new() -> Memory<'a> {
        Memory { buffers: Vec::new(), borrowed: PhantomData }
    }

    /// Adds a buffer that the memory owns.
    pub fn add(&mut self, bytes: Vec<u8>) -> Buffer {
        self.place(HostSlice::owned(bytes))
    }

    /// Adds a buffer that the caller owns: kernels read and write it in place.
    pub fn add_borrowed(&mut self, bytes: &'a mut [u8]) -> Buffer {
        self.place(HostSlice::borrowed(bytes))
    }

    fn place(&mut self, host: HostSlice) -> Buffer {
        let address = self.buffers.last().map_or(FIRST_ADDRESS, |last| last.end() + GUARD).next_multiple_of(ALIGNMENT);
        self.buffers.push(Allocation { address, host });
        Buffer(self.buffers.len() - 1)
    }

    /// The device address of a buffer.
    pub fn address(&self, buffer: Buffer) -> u64 {
        self.buffers[buffer.0].address
    }

    /// The content of a buffer.
    pub fn bytes(&self, buffer: Buffer) -> &[u8] {
        self.buffers[buffer.0].host.bytes()
    }

    /// The content of a buffer, to be changed.
    pub fn bytes_mut(&mut self, buffer: Buffer) -> &mut [u8] {
        self.buffers[buffer.0].host.bytes_mut()
    }

    /// Lends the buffers, and the globals of the module, to the blocks of a launch.
    pub(crate) fn share<'m>(&'m mut self, globals: &'m Globals) -> SharedMemory<'m> {
        SharedMemory { buffers: &self.buffers, globals: &globals.allocations }
    }
}

/// The buffers of a memory, while blocks on several threads access them.
///
/// It is made from an exclusive borrow of the [`Memory`], so nothing else reads or writes the buffers meanwhile. Globals are
/// shared with other launches of the module, as the program's own rules allow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedMemory<'m> {
    buffers: &'m [Allocation],
    globals: &'m [Allocation],
}

impl SharedMemory<'_> {
    /// The host address of `size` bytes of elements of `align` bytes at `address`.
    ///
    /// `hint` is the position of the buffer that was last found, to try first.
    ///
    /// # Errors
    /// When the bytes do not lie inside one buffer, or are not aligned.
    #[inline]
    pub(crate) fn resolve(&self, address: u64, size: u64, align: u64, hint: &mut usize) -> Result<*mut u8, AccessFault> {
        if !address.is_multiple_of(align) {
            return Err(AccessFault::Misaligned { address, size: align });
        }
        if let Some(pointer) = self.buffers.get(*hint).and_then(|a| a.locate(address, size)) {
            return Ok(pointer);
        }
        let found = match before(self.buffers, address) {
            Some(position) => {
                *hint = position;
                self.buffers[position].locate(address, size)
            }
            None => before(self.globals, address).and_then(|position| self.globals[position].locate(address, size)),
        };
        found.ok_or_else(|| self.out_of_bounds(address, size))
    }

    #[cold]
    fn out_of_bounds(&self, address: u64, size: u64) -> AccessFault {
        let below = |all: &[Allocation]| before(all, address).map(|position| (all[position].address, all[position].host.len() as u64));
        let first = self.buffers.first().map(|a| (a.address, a.host.len() as u64));
        let nearest = below(self.buffers).or_else(|| below(self.globals)).or(first);
        AccessFault::OutOfBounds { address, size, nearest }
    }
}

/// The last of the allocations, which are in order, that begins at or before an address.
fn before(allocations: &[Allocation], address: u64) -> Option<usize> {
    allocations.partition_point(|a| a.address <= address).checked_sub(1)
}

impl Allocation {
    /// The address behind its last byte.
    fn end(&self) -> u64 {
        self.address + self.host.len() as u64
    }

    #[inline]
    fn locate(&self, address: u64, size: u64) -> Option<*mut u8> {
        self.host.locate(address.checked_sub(self.address)?, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_buffers_can_be_reached() {
        let mut memory = Memory::new();
        let first = memory.add(vec![0; 100]);
        let second = memory.add(vec![0; 8]);
        let (a, b) = (memory.address(first), memory.address(second));
        assert_eq!(a % ALIGNMENT, 0);
        let globals = Globals::default();
        let shared = memory.share(&globals);
        let mut hint = 0;
        assert!(shared.resolve(a + 96, 4, 4, &mut hint).is_ok());
        assert!(shared.resolve(b, 8, 8, &mut hint).is_ok());
        assert!(shared.resolve(a, 100, 1, &mut hint).is_ok());
        assert_eq!(shared.resolve(a + 2, 4, 4, &mut hint), Err(AccessFault::Misaligned { address: a + 2, size: 4 }));
        let past = shared.resolve(a + 100, 4, 4, &mut hint);
        assert_eq!(past, Err(AccessFault::OutOfBounds { address: a + 100, size: 4, nearest: Some((a, 100)) }));
        for address in [0, 8, b + 8, u64::MAX - 7] {
            assert!(shared.resolve(address, 8, 1, &mut hint).is_err(), "{address:#x}");
        }
        assert!(shared.resolve(a, b - a + 8, 4, &mut hint).is_err(), "a range over two buffers");
    }

    #[test]
    fn borrowed_buffers_are_used_in_place() {
        let mut bytes = vec![1, 2, 3, 4];
        let mut memory = Memory::new();
        let buffer = memory.add_borrowed(&mut bytes);
        memory.bytes_mut(buffer)[0] = 9;
        drop(memory);
        assert_eq!(bytes, [9, 2, 3, 4]);
    }
}
