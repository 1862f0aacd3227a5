//! The memory of a launch: buffers, their device addresses, and checked access to them.

mod globals;
pub(crate) mod locals;
mod observer;
pub(crate) mod raw;
mod undo;

pub(crate) use globals::Globals;
pub use observer::{Access, AccessKind, AccessObserver};
pub(crate) use undo::Undo;

use crate::{AccessFault, MemoryRange, kernels::scattered::Window};
use raw::HostSlice;
use std::{hash::Hasher, marker::PhantomData, ptr::NonNull};

/// Device addresses are multiples of this many bytes, as the CUDA allocator's are.
const ALIGNMENT: u64 = 256;
/// Where the first buffer lies. Nothing lies near 0, so that null and small integers never name a buffer.
const FIRST_ADDRESS: u64 = 0x7000_0000_0000;
/// Bytes between two buffers that belong to neither, so that running over an end is noticed.
const GUARD: u64 = 4096;

/// Host addresses of external buffers and their device addresses have equal remainders modulo this: the largest alignment that
/// compilers of kernels derive from an array's address.
const EXTERNAL_ALIGNMENT: u64 = 16;

/// What kernels may do with a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Protection {
    /// Read and write it.
    ReadWrite,
    /// Only read it; a write stops the launch.
    ReadOnly,
}

/// A buffer of a [`Memory`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Buffer(usize);

/// The buffers that a launch may touch.
///
/// Each has a 64-bit device address, a multiple of 256 bytes unless it is external; kernels see these and not the host's
/// addresses. They depend only on the order and the sizes of the buffers, and on the alignment of external ones.
#[derive(Debug, Default)]
pub struct Memory<'a> {
    buffers: Vec<Allocation>,
    borrowed: PhantomData<&'a mut [u8]>,
}

#[derive(Debug)]
struct Allocation {
    address: u64,
    host: HostSlice,
    protection: Protection,
    /// Whether something outside of Rust owns it, which may access it atomically during a launch.
    external: bool,
}

impl<'a> Memory<'a> {
    /// No buffers.
    pub fn new() -> Memory<'a> {
        Memory { buffers: Vec::new(), borrowed: PhantomData }
    }

    /// Adds a buffer that the memory owns.
    pub fn add(&mut self, bytes: Vec<u8>) -> Buffer {
        self.place(HostSlice::owned(bytes), Protection::ReadWrite, 0)
    }

    /// Adds a buffer that the caller owns: kernels read and write it in place.
    pub fn add_borrowed(&mut self, bytes: &'a mut [u8]) -> Buffer {
        self.place(HostSlice::borrowed(bytes), Protection::ReadWrite, 0)
    }

    /// Adds a buffer that the caller owns and that kernels may only read, in place.
    pub fn add_read_only(&mut self, bytes: &'a [u8]) -> Buffer {
        self.place(HostSlice::shared(bytes), Protection::ReadOnly, 0)
    }

    /// Adds `len` bytes at `start` that something outside of Rust owns, such as an array of another language.
    ///
    /// The device address has the remainder modulo 16 of the host address, so what a compiler derived from the alignment of one
    /// holds for the other.
    ///
    /// # Safety
    /// For the lifetime `'a`, the bytes must be valid for reads and, unless `protection` is read-only, for writes; no Rust
    /// reference to them may exist, but those that this memory gives out; and no other thread may access them during a
    /// launch or while such a reference lives, other than atomically. Each byte must be in one buffer only.
    #[allow(unsafe_code, reason = "the borrow checker cannot see memory that another language owns")]
    pub unsafe fn add_external(&mut self, start: NonNull<u8>, len: usize, protection: Protection) -> Buffer {
        let remainder = start.addr().get() as u64 % EXTERNAL_ALIGNMENT;
        // SAFETY: what this function asks for.
        let host = unsafe { HostSlice::external(start, len) };
        let buffer = self.place(host, protection, remainder);
        self.buffers[buffer.0].external = true;
        buffer
    }

    fn place(&mut self, host: HostSlice, protection: Protection, remainder: u64) -> Buffer {
        let start = self.buffers.last().map_or(FIRST_ADDRESS, |last| last.end() + GUARD).next_multiple_of(ALIGNMENT);
        self.buffers.push(Allocation { address: start + remainder, host, protection, external: false });
        Buffer(self.buffers.len() - 1)
    }

    /// The device address of a buffer.
    pub fn address(&self, buffer: Buffer) -> u64 {
        self.buffers[buffer.0].address
    }

    /// What a watcher is told of the buffers, and of the globals of the module.
    pub(crate) fn ranges(&self, globals: &Globals) -> Vec<MemoryRange> {
        let range = |allocation: &Allocation, buffer| {
            let writable = allocation.protection == Protection::ReadWrite;
            MemoryRange { address: allocation.address, bytes: allocation.host.len() as u64, writable, buffer }
        };
        let globals = globals
            .allocations
            .iter()
            .zip(&globals.constant)
            .map(|(allocation, constant)| MemoryRange { writable: !constant, ..range(allocation, None) });
        globals.chain(self.buffers.iter().enumerate().map(|(i, allocation)| range(allocation, Some(i)))).collect()
    }

    /// The content of a buffer.
    pub fn bytes(&self, buffer: Buffer) -> &[u8] {
        self.buffers[buffer.0].host.bytes()
    }

    /// The content of a buffer, to be changed.
    ///
    /// # Panics
    /// When the buffer is read-only.
    pub fn bytes_mut(&mut self, buffer: Buffer) -> &mut [u8] {
        let allocation = &mut self.buffers[buffer.0];
        assert!(allocation.protection == Protection::ReadWrite, "the buffer is read-only");
        allocation.host.bytes_mut()
    }

    /// The buffers that kernels may write, in the order in which they were added.
    pub fn writable(&self) -> impl Iterator<Item = Buffer> + '_ {
        let is_writable = |i: &usize| self.buffers[*i].protection == Protection::ReadWrite;
        (0..self.buffers.len()).filter(is_writable).map(Buffer)
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
    /// Whether only the blocks of this launch can access anything in it: other launches share globals, and what owns an external buffer
    /// may access that atomically.
    pub(crate) fn is_private(&self) -> bool {
        self.globals.is_empty() && self.buffers.iter().all(|buffer| !buffer.external)
    }

    /// Hashes what blocks can have written.
    pub(crate) fn hash_bytes(&self, hasher: &mut impl Hasher) {
        let written = self.buffers.iter().chain(self.globals).filter(|buffer| buffer.protection == Protection::ReadWrite);
        written.for_each(|buffer| hasher.write(buffer.host.bytes()));
    }

    /// The host address of `size` bytes of elements of `align` bytes at `address`, to be accessed in the way of `kind`.
    ///
    /// `hint` is the position of the buffer that was last found, to try first.
    ///
    /// # Errors
    /// When the bytes do not lie inside one buffer, are not aligned, or may not be written and would be.
    #[inline]
    pub(crate) fn resolve(&self, address: u64, size: u64, align: u64, kind: AccessKind, hint: &mut usize) -> Result<*mut u8, AccessFault> {
        if !address.is_multiple_of(align) {
            return Err(AccessFault::Misaligned { address, size: align });
        }
        if let Some(pointer) = self.buffers.get(*hint).and_then(|a| a.locate(address, size, kind)) {
            return Ok(pointer);
        }
        let found = match before(self.buffers, address) {
            Some(position) => {
                *hint = position;
                self.buffers[position].locate(address, size, kind)
            }
            None => before(self.globals, address).and_then(|position| self.globals[position].locate(address, size, kind)),
        };
        found.ok_or_else(|| self.fault(address, size))
    }

    /// The buffer that holds an element of `size` bytes at `address`, if it can be accessed in the way of `kind`.
    pub(crate) fn window(&self, address: u64, size: u64, kind: AccessKind, hint: &mut usize) -> Option<Window> {
        self.resolve(address, size, 1, kind, hint).ok()?;
        let buffer = self.buffers.get(*hint)?;
        let bytes = buffer.host.len() as u64;
        let host = buffer.locate(buffer.address, bytes, kind)?;
        Some(Window { address: buffer.address, host, last: buffer.address + bytes.checked_sub(size)? })
    }

    /// Why an access that no buffer allows is not allowed.
    #[cold]
    fn fault(&self, address: u64, size: u64) -> AccessFault {
        let holder = before(self.buffers, address).map(|position| &self.buffers[position]);
        if holder.is_some_and(|a| a.locate(address, size, AccessKind::Read).is_some()) {
            return AccessFault::ReadOnly { address, size };
        }
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
    fn locate(&self, address: u64, size: u64, kind: AccessKind) -> Option<*mut u8> {
        let allowed = kind == AccessKind::Read || self.protection == Protection::ReadWrite;
        self.host.locate(address.checked_sub(self.address)?, size).filter(|_| allowed)
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
        assert!(shared.resolve(a + 96, 4, 4, AccessKind::Write, &mut hint).is_ok());
        assert!(shared.resolve(b, 8, 8, AccessKind::Write, &mut hint).is_ok());
        assert!(shared.resolve(a, 100, 1, AccessKind::Write, &mut hint).is_ok());
        assert_eq!(shared.resolve(a + 2, 4, 4, AccessKind::Write, &mut hint), Err(AccessFault::Misaligned { address: a + 2, size: 4 }));
        let past = shared.resolve(a + 100, 4, 4, AccessKind::Write, &mut hint);
        assert_eq!(past, Err(AccessFault::OutOfBounds { address: a + 100, size: 4, nearest: Some((a, 100)) }));
        for address in [0, 8, b + 8, u64::MAX - 7] {
            assert!(shared.resolve(address, 8, 1, AccessKind::Write, &mut hint).is_err(), "{address:#x}");
        }
        assert!(shared.resolve(a, b - a + 8, 4, AccessKind::Write, &mut hint).is_err(), "a range over two buffers");
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

    #[test]
    fn read_only_buffers_are_read_and_not_written() {
        let bytes = [1, 2, 3, 4];
        let mut memory = Memory::new();
        let buffer = memory.add_read_only(&bytes);
        assert_eq!(memory.bytes(buffer), bytes);
        let address = memory.address(buffer);
        let globals = Globals::default();
        let shared = memory.share(&globals);
        assert!(shared.resolve(address, 4, 4, AccessKind::Read, &mut 0).is_ok());
        for kind in [AccessKind::Write, AccessKind::ReadModifyWrite] {
            assert_eq!(shared.resolve(address, 4, 4, kind, &mut 0), Err(AccessFault::ReadOnly { address, size: 4 }));
        }
        let outside = shared.resolve(address + 4, 4, 4, AccessKind::Write, &mut 0);
        assert!(matches!(outside, Err(AccessFault::OutOfBounds { .. })), "{outside:?}");
    }

    #[test]
    #[allow(unsafe_code, reason = "the test owns the external bytes")]
    fn external_buffers_keep_their_alignment() {
        let mut words = [0u64; 8];
        let start = NonNull::from(&mut words).cast::<u8>();
        let mut memory = Memory::new();
        // SAFETY: the bytes lie in `words`, which nothing else uses until the memory is dropped.
        let (first, second) = unsafe {
            let first = memory.add_external(start, 8, Protection::ReadWrite);
            (first, memory.add_external(start.add(24), 40, Protection::ReadOnly))
        };
        let host = start.addr().get() as u64;
        assert_eq!(memory.address(first) % 16, host % 16);
        assert_eq!(memory.address(second) % 16, (host + 24) % 16);
        assert!(memory.address(second) >= memory.address(first) + 8 + GUARD);
        memory.bytes_mut(first)[0] = 7;
        drop(memory);
        assert_eq!(words[0].to_ne_bytes()[0], 7);
    }
}
