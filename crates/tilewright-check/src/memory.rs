//! What a check knows of memory: allocations, and which of their bytes nobody wrote.

use crate::finding::{BufferPlace, MemoryPlace};
use std::collections::BTreeMap;
use tilewright_exec::MemoryRange;
use tilewright_ir::Op;

/// One bit for each byte.
#[derive(Debug)]
struct Bytes(Vec<u64>);

impl Bytes {
    fn all(bytes: u64) -> Option<Bytes> {
        let words = usize::try_from(bytes.div_ceil(64)).ok()?;
        Some(Bytes(vec![!0; words]))
    }

    /// For each word that holds some of the bytes, its number and which of its bits these are.
    fn words(from: u64, bytes: u64) -> impl Iterator<Item = (usize, u64)> {
        let end = from + bytes;
        (from / 64..end.div_ceil(64)).map(move |word| {
            let low = if word == from / 64 { !0 << (from % 64) } else { !0 };
            let high = if word == end / 64 { (1u64 << (end % 64)) - 1 } else { !0 };
            (word as usize, low & high)
        })
    }

    fn any(&self, from: u64, bytes: u64) -> bool {
        Self::words(from, bytes).any(|(word, mask)| self.0[word] & mask != 0)
    }

    fn set(&mut self, from: u64, bytes: u64, value: bool) {
        for (word, mask) in Self::words(from, bytes) {
            if value { self.0[word] |= mask } else { self.0[word] &= !mask }
        }
    }
}

/// An allocation.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) writable: bool,
    pub(crate) kind: Kind,
    /// The bytes that nobody wrote; `None` where all were.
    unwritten: Option<Bytes>,
}

/// What an allocation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A buffer of the launch, by its position.
    Buffer(usize),
    Global,
    Local(Local),
}

/// Memory of an alloca.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Local {
    /// The block that allocated it.
    pub(crate) block: u64,
    /// Other blocks may access it, too.
    pub(crate) shared: bool,
    /// Whether the region of the alloca still runs.
    pub(crate) live: bool,
    pub(crate) function: usize,
    pub(crate) op: Op,
}

/// Why bytes cannot be accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    Outside,
    ReadOnly,
    Freed(Local),
    Foreign(Local),
}

/// The memory of a launch.
#[derive(Default, Debug)]
pub(crate) struct Memory {
    /// Globals and buffers, by address.
    fixed: Vec<Allocation>,
    locals: BTreeMap<u64, Allocation>,
    /// What buffers are called.
    names: Vec<String>,
}

/// Where an allocation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    Fixed(usize),
    Local(u64),
}

impl Memory {
    pub(crate) fn new(ranges: &[MemoryRange], names: &[String], uninitialised: &[usize]) -> Memory {
        let mut fixed: Vec<Allocation> = ranges
            .iter()
            .map(|range| Allocation {
                address: range.address,
                bytes: range.bytes,
                writable: range.writable,
                kind: range.buffer.map_or(Kind::Global, Kind::Buffer),
                unwritten: range.buffer.filter(|buffer| uninitialised.contains(buffer)).and_then(|_| Bytes::all(range.bytes)),
            })
            .collect();
        fixed.sort_by_key(|allocation| allocation.address);
        Memory { fixed, locals: BTreeMap::new(), names: names.to_vec() }
    }

    pub(crate) fn allocate(&mut self, address: u64, bytes: u64, local: Local) {
        let allocation = Allocation { address, bytes, writable: true, kind: Kind::Local(local), unwritten: Bytes::all(bytes) };
        self.locals.insert(address, allocation);
    }

    /// The bytes of an alloca of a block, which are not valid any longer.
    pub(crate) fn free(&mut self, address: u64) -> u64 {
        let Some(allocation) = self.locals.get_mut(&address) else { return 0 };
        if let Kind::Local(local) = &mut allocation.kind {
            local.live = false;
        }
        allocation.unwritten = None;
        allocation.bytes
    }

    /// The allocation that an address lies in, or that begins before it.
    pub(crate) fn find(&self, address: u64) -> Option<Found> {
        if let Some((start, _)) = self.locals.range(..=address).next_back() {
            return Some(Found::Local(*start));
        }
        self.fixed.partition_point(|allocation| allocation.address <= address).checked_sub(1).map(Found::Fixed)
    }

    pub(crate) fn get(&self, found: Found) -> Option<&Allocation> {
        match found {
            Found::Fixed(i) => self.fixed.get(i),
            Found::Local(address) => self.locals.get(&address),
        }
    }

    fn get_mut(&mut self, found: Found) -> Option<&mut Allocation> {
        match found {
            Found::Fixed(i) => self.fixed.get_mut(i),
            Found::Local(address) => self.locals.get_mut(&address),
        }
    }

    /// The allocation that holds bytes which a block accesses.
    pub(crate) fn resolve(&self, address: u64, bytes: u64, writes: bool, block: u64) -> Result<Found, Fault> {
        let found = self.find(address).ok_or(Fault::Outside)?;
        let allocation = self.get(found).ok_or(Fault::Outside)?;
        let inside = address.checked_add(bytes).is_some_and(|end| end <= allocation.address + allocation.bytes);
        match allocation.kind {
            _ if !inside => Err(Fault::Outside),
            Kind::Local(local) if !local.live => Err(Fault::Freed(local)),
            Kind::Local(local) if local.block != block && !local.shared => Err(Fault::Foreign(local)),
            _ if writes && !allocation.writable => Err(Fault::ReadOnly),
            _ => Ok(found),
        }
    }

    /// Whether nobody wrote some of these bytes, which lie in the allocation.
    pub(crate) fn is_unwritten(&self, found: Found, address: u64, bytes: u64) -> bool {
        self.get(found).is_some_and(|a| a.unwritten.as_ref().is_some_and(|unwritten| unwritten.any(address - a.address, bytes)))
    }

    /// Whether some bytes of an allocation may never have been written.
    pub(crate) fn tracks(&self, found: Found) -> bool {
        self.get(found).is_some_and(|allocation| allocation.unwritten.is_some())
    }

    /// Notes that these bytes, which lie in the allocation, were written, or hold what is undefined again.
    pub(crate) fn write(&mut self, found: Found, address: u64, bytes: u64, undefined: bool) {
        if let Some(allocation) = self.get_mut(found)
            && let Some(unwritten) = &mut allocation.unwritten
        {
            unwritten.set(address - allocation.address, bytes, undefined);
        }
    }

    /// What reports say of bytes.
    pub(crate) fn place(&self, address: u64, bytes: u64) -> MemoryPlace {
        // An address in front of the first allocation is told from there.
        let found = self.find(address).or(if self.fixed.is_empty() { None } else { Some(Found::Fixed(0)) });
        let buffer = found.and_then(|found| self.get(found)).map(|allocation| BufferPlace {
            name: self.name(allocation),
            number: if let Kind::Buffer(number) = allocation.kind { Some(number) } else { None },
            offset: i128::from(address) - i128::from(allocation.address),
            size: allocation.bytes,
            allocation: None,
        });
        // Far away from all allocations, none of them has to do with it.
        let near = |buffer: &BufferPlace| buffer.offset.unsigned_abs() <= 1 << 40;
        MemoryPlace { address, bytes, buffer: buffer.filter(near) }
    }

    /// The alloca that made the memory around an address, or in front of it.
    pub(crate) fn local(&self, address: u64) -> Option<Local> {
        match self.get(self.find(address)?)?.kind {
            Kind::Local(local) => Some(local),
            Kind::Buffer(_) | Kind::Global => None,
        }
    }

    fn name(&self, allocation: &Allocation) -> String {
        match allocation.kind {
            Kind::Buffer(i) => self.names.get(i).cloned().unwrap_or_else(|| format!("buffer {i}")),
            Kind::Global => "a global".to_owned(),
            Kind::Local(_) => "an alloca".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_one_by_one() {
        let mut bytes = Bytes::all(200).unwrap();
        bytes.set(60, 10, false);
        assert!(!bytes.any(60, 10) && bytes.any(59, 2) && bytes.any(69, 2) && !bytes.any(64, 6));
        bytes.set(64, 64, false);
        assert!(!bytes.any(60, 68) && bytes.any(127, 2));
        bytes.set(64, 1, true);
        assert!(bytes.any(60, 10));
    }

    #[test]
    fn only_allocations_are_found() {
        let range = |address, bytes, writable, buffer| MemoryRange { address, bytes, writable, buffer };
        let memory = Memory::new(&[range(1000, 100, true, Some(0)), range(2000, 8, false, Some(1))], &[], &[0]);
        assert_eq!(memory.resolve(1000, 100, true, 0), Ok(Found::Fixed(0)));
        assert_eq!(memory.resolve(1096, 8, false, 0), Err(Fault::Outside));
        assert_eq!(memory.resolve(2000, 8, true, 0), Err(Fault::ReadOnly));
        assert_eq!(memory.resolve(0, 4, false, 0), Err(Fault::Outside));
        assert_eq!(memory.resolve(u64::MAX - 1, 4, false, 0), Err(Fault::Outside));
        assert!(memory.is_unwritten(Found::Fixed(0), 1000, 4) && !memory.is_unwritten(Found::Fixed(1), 2000, 4));
    }
}
