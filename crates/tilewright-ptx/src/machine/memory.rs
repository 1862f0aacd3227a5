//! Global memory: buffers at addresses of their own, with room between them.

use std::cell::Cell;

/// Buffers that a launch may access; the machine never touches memory of its host.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// By address.
    buffers: Vec<Region>,
    /// Where `Buffer`s lie among them.
    order: Vec<u64>,
    next: u64,
    /// Bytes that kernels have asked for.
    heap: u64,
    last: Cell<usize>,
}

/// A buffer of a [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer(usize);

#[derive(Clone, Debug)]
struct Region {
    base: u64,
    bytes: Vec<u8>,
    /// Which bytes were written; `None` if all were.
    written: Option<Vec<bool>>,
    writable: bool,
    /// Whether a kernel asked for it, and has not given it back.
    on_heap: bool,
}

/// The lowest address that a buffer gets.
const FIRST: u64 = 0x10_0000_0000;
/// Unused addresses behind each buffer, so that what leaves one hits none.
const GAP: u64 = 1 << 20;
/// The most bytes that a kernel may ask for, as GPUs have by default.
const HEAP: u64 = 8 << 20;
/// Addresses from here on are not global.
pub(crate) const WINDOWS: u64 = 1 << 56;
/// Where generic addresses of shared memory begin.
pub(crate) const SHARED: u64 = WINDOWS;
/// Where generic addresses of local memory begin.
pub(crate) const LOCAL: u64 = WINDOWS + (1 << 40);

/// Why an access to global memory failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Outside,
    ReadOnly,
}

impl Memory {
    /// No buffers.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Adds a buffer with this content, aligned to 256 bytes.
    pub fn add(&mut self, bytes: Vec<u8>) -> Buffer {
        self.place(bytes, None, true, 256)
    }

    /// Adds a buffer of zeros that nobody has written: reading it is a finding.
    pub fn add_unwritten(&mut self, len: usize) -> Buffer {
        self.place(vec![0; len], Some(vec![false; len]), true, 256)
    }

    /// Adds a buffer that kernels must not write.
    pub fn add_read_only(&mut self, bytes: Vec<u8>) -> Buffer {
        self.place(bytes, None, false, 256)
    }

    pub(crate) fn place(&mut self, bytes: Vec<u8>, written: Option<Vec<bool>>, writable: bool, align: u64) -> Buffer {
        let base = self.next.max(FIRST).next_multiple_of(align);
        self.next = base + bytes.len() as u64 + GAP;
        self.buffers.push(Region { base, bytes, written, writable, on_heap: false });
        self.order.push(base);
        Buffer(self.order.len() - 1)
    }

    /// Removes a buffer: nothing lies at its addresses any more, and no later buffer gets them.
    pub fn remove(&mut self, buffer: Buffer) {
        let region = &mut self.buffers[buffer.0];
        (region.bytes, region.written) = (Vec::new(), None);
    }

    /// Memory that a kernel asks for, which nobody has written; `None` if that is too much.
    pub(crate) fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        let fits = self.heap.checked_add(size).is_some_and(|all| all <= HEAP);
        if !fits || !align.is_power_of_two() || align > 1 << 20 {
            return None;
        }
        self.heap += size;
        let buffer = self.place(vec![0; size as usize], Some(vec![false; size as usize]), true, align.max(16));
        self.buffers[buffer.0].on_heap = true;
        Some(self.address(buffer))
    }

    /// Takes back what [`Memory::allocate`] gave; says whether it did.
    pub(crate) fn free(&mut self, address: u64) -> bool {
        let found = self.buffers.binary_search_by_key(&address, |region| region.base);
        let Some(region) = found.ok().map(|index| &mut self.buffers[index]).filter(|region| region.on_heap) else { return false };
        self.heap -= region.bytes.len() as u64;
        (region.on_heap, region.bytes, region.written) = (false, Vec::new(), None);
        true
    }

    /// Removes the newest buffers, down to this many.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.buffers.truncate(len);
        self.order.truncate(len);
        self.last.set(0);
        self.heap = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.buffers.len()
    }

    /// The address of a buffer.
    pub fn address(&self, buffer: Buffer) -> u64 {
        self.order[buffer.0]
    }

    /// The content of a buffer.
    pub fn bytes(&self, buffer: Buffer) -> &[u8] {
        &self.buffers[buffer.0].bytes
    }

    /// The content of a buffer, to be changed between launches.
    pub fn bytes_mut(&mut self, buffer: Buffer) -> &mut [u8] {
        &mut self.buffers[buffer.0].bytes
    }

    /// The buffer that has all of these bytes.
    #[inline]
    fn find(&self, address: u64, size: u64) -> Option<(usize, usize)> {
        let inside = |index: usize| {
            let region = self.buffers.get(index)?;
            let at = address.checked_sub(region.base)?;
            (at.checked_add(size)? <= region.bytes.len() as u64).then_some((index, at as usize))
        };
        if let Some(found) = inside(self.last.get()) {
            return Some(found);
        }
        let index = self.buffers.partition_point(|region| region.base <= address).checked_sub(1)?;
        let found = inside(index)?;
        self.last.set(index);
        Some(found)
    }

    /// Reads bytes; says whether all of them were written before.
    #[inline]
    pub(crate) fn read(&self, address: u64, target: &mut [u8]) -> Result<bool, Refused> {
        let (index, at) = self.find(address, target.len() as u64).ok_or(Refused::Outside)?;
        let region = &self.buffers[index];
        target.copy_from_slice(&region.bytes[at..at + target.len()]);
        Ok(region.written.as_ref().is_none_or(|written| written[at..at + target.len()].iter().all(|written| *written)))
    }

    #[inline]
    pub(crate) fn write(&mut self, address: u64, source: &[u8]) -> Result<(), Refused> {
        let (index, at) = self.find(address, source.len() as u64).ok_or(Refused::Outside)?;
        let region = &mut self.buffers[index];
        if !region.writable {
            return Err(Refused::ReadOnly);
        }
        region.bytes[at..at + source.len()].copy_from_slice(source);
        if let Some(written) = &mut region.written {
            written[at..at + source.len()].fill(true);
        }
        Ok(())
    }

    /// What lies next to an address that no buffer has, for messages.
    pub(crate) fn describe(&self, address: u64) -> String {
        let index = self.buffers.partition_point(|region| region.base <= address);
        match index.checked_sub(1).map(|index| (index, &self.buffers[index])) {
            Some((index, region)) => {
                let behind = address - region.base;
                format!("byte {behind} of buffer {index}, which has {} bytes", region.bytes.len())
            }
            None => "below all buffers".to_owned(),
        }
    }
}
