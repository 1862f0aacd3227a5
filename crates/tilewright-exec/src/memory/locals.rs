//! The memory of `alloca`: each block has a window of addresses of its own.
//!
//! A plan lays out the allocations of one block once ([`Allocas`]); block `i` has them in the `i`-th window. Addresses are never
//! shared by two allocations of a block, so an access to memory that was freed is noticed. Memory that other blocks may
//! touch (`global`) belongs to the launch and lives until it ends, so a late access finds bytes, if not the right ones.

use super::{ALIGNMENT, GUARD, raw::HostSlice};
use crate::{
    LaunchErrorKind, LocalFault, Site,
    budget::{Budget, Reservation},
};
use std::{
    collections::BTreeMap,
    hash::Hasher,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// Where the window of the first block lies: above globals and buffers.
pub(crate) const FIRST_WINDOW: u64 = 1 << 62;

/// One `alloca` of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Alloca {
    /// Where it lies in the window.
    offset: u64,
    bytes: u64,
    /// Other blocks may access it.
    global: bool,
    site: Site,
}

/// The allocations of a block, laid out in a window.
#[derive(Clone, Default, Debug)]
pub(crate) struct Allocas {
    list: Vec<Alloca>,
    /// Bytes from one block's window to the next; `None` if a block needs more than there are addresses.
    window: Option<u64>,
}

impl Allocas {
    /// Adds an allocation and gives its number.
    pub(crate) fn add(&mut self, bytes: u128, alignment: u64, global: bool, site: Site) -> usize {
        let alignment = alignment.max(ALIGNMENT);
        let end = self.list.last().map_or(Some(0), |last| last.offset.checked_add(last.bytes)?.checked_add(GUARD));
        let offset = end.and_then(|end| end.checked_next_multiple_of(alignment));
        let bytes = u64::try_from(bytes).ok();
        let window = offset.zip(bytes).and_then(|(offset, bytes)| {
            let end = offset.checked_add(bytes)?.checked_add(GUARD)?;
            Some(end.checked_next_multiple_of(alignment)?.max(self.window.unwrap_or(0)))
        });
        self.window = if self.list.is_empty() || self.window.is_some() { window } else { None };
        self.list.push(Alloca { offset: offset.unwrap_or(0), bytes: bytes.unwrap_or(u64::MAX), global, site });
        self.list.len() - 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The first address of the window of a block.
    fn base(&self, block: u64) -> Option<u64> {
        let window = self.window?;
        let base = block.checked_mul(window)?.checked_add(FIRST_WINDOW)?;
        base.checked_add(window)?;
        Some(base)
    }

    /// The block in whose window an address lies, and the allocation at or before it.
    fn find(&self, address: u64) -> Option<(u64, usize)> {
        let window = self.window?;
        let offset = address.checked_sub(FIRST_WINDOW)?;
        let slot = self.list.partition_point(|a| a.offset <= offset % window).checked_sub(1)?;
        Some((offset / window, slot))
    }
}

/// An allocation that a block has made.
#[derive(Debug)]
struct Local {
    /// Its bytes; those of a `global` allocation belong to the launch.
    host: Option<(HostSlice, Reservation)>,
    /// Whether the region it was made in still runs.
    live: bool,
}

/// What a block has allocated. Its slots are those of the plan.
#[derive(Default, Debug)]
pub(crate) struct Locals(Vec<Local>);

/// The `global` allocations of all blocks of a launch.
#[derive(Default, Debug)]
pub(crate) struct SharedLocals {
    /// Those that live, by address: positions in `slices`.
    live: RwLock<BTreeMap<u64, usize>>,
    /// Their bytes and those of dead ones, which later allocations of the same `alloca` take over.
    slices: Mutex<Slices>,
    /// What all allocations of the launch are taken from.
    budget: Arc<Budget>,
}

#[derive(Default, Debug)]
struct Slices {
    all: Vec<(HostSlice, Reservation)>,
    /// By slot: positions in `all`.
    free: BTreeMap<usize, Vec<usize>>,
}

impl SharedLocals {
    /// None yet.
    pub(crate) fn new(budget: Arc<Budget>) -> SharedLocals {
        SharedLocals { budget, ..SharedLocals::default() }
    }

    fn add(&self, address: u64, slot: usize, bytes: usize) -> Result<(), LaunchErrorKind> {
        let mut slices = self.slices.lock().unwrap_or_else(PoisonError::into_inner);
        let position = match slices.free.get_mut(&slot).and_then(Vec::pop) {
            Some(position) => position,
            None => {
                let slice = self.zeroed(bytes)?;
                slices.all.push(slice);
                slices.all.len() - 1
            }
        };
        slices.all[position].0.clear();
        drop(slices);
        self.live.write().unwrap_or_else(PoisonError::into_inner).insert(address, position);
        Ok(())
    }

    fn remove(&self, address: u64, slot: usize) {
        let removed = self.live.write().unwrap_or_else(PoisonError::into_inner).remove(&address);
        if let Some(position) = removed {
            self.slices.lock().unwrap_or_else(PoisonError::into_inner).free.entry(slot).or_default().push(position);
        }
    }

    fn zeroed(&self, bytes: usize) -> Result<(HostSlice, Reservation), LaunchErrorKind> {
        let reservation = self.budget.reserve(bytes)?;
        let slice = HostSlice::zeroed(bytes).ok_or_else(|| LaunchErrorKind::Resource(format!("no memory for {bytes} bytes")))?;
        Ok((slice, reservation))
    }

    /// Hashes what blocks can have written.
    pub(crate) fn hash_bytes(&self, hasher: &mut impl Hasher) {
        let slices = self.slices.lock().unwrap_or_else(PoisonError::into_inner);
        slices.all.iter().for_each(|(slice, _)| hasher.write(slice.bytes()));
    }

    /// The host address of bytes that start `offset` bytes into the allocation at `address`.
    fn locate(&self, address: u64, offset: u64, size: u64) -> Option<*mut u8> {
        let position = *self.live.read().unwrap_or_else(PoisonError::into_inner).get(&address)?;
        self.slices.lock().unwrap_or_else(PoisonError::into_inner).all[position].0.locate(offset, size)
    }
}

/// An access to the memory of an `alloca`.
#[derive(Clone, Copy)]
pub(crate) struct LocalAccess {
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Position of the block that makes it.
    pub(crate) block: u64,
}

impl Locals {
    /// Allocates, or allocates anew, and gives the address. The memory holds zeros.
    pub(crate) fn allocate(&mut self, plan: &Allocas, slot: usize, block: u64, shared: &SharedLocals) -> Result<u64, LaunchErrorKind> {
        let alloca = &plan.list[slot];
        let none = || LaunchErrorKind::Resource(format!("no memory for {} bytes", alloca.bytes));
        let address = plan.base(block).ok_or_else(none)? + alloca.offset;
        let bytes = usize::try_from(alloca.bytes).map_err(|_| none())?;
        if self.0.is_empty() {
            self.0.extend(plan.list.iter().map(|_| Local { host: None, live: false }));
        }
        let local = &mut self.0[slot];
        match &mut local.host {
            _ if alloca.global => shared.add(address, slot, bytes)?,
            Some((host, _)) => host.clear(),
            host => *host = Some(shared.zeroed(bytes)?),
        }
        local.live = true;
        Ok(address)
    }

    /// Hashes what the block has in them.
    pub(crate) fn hash_bytes(&self, hasher: &mut impl Hasher) {
        for local in &self.0 {
            hasher.write_u8(local.live.into());
            if let Some((host, _)) = &local.host {
                hasher.write(host.bytes());
            }
        }
    }

    /// The address of an allocation, if the block has it.
    pub(crate) fn address(&self, plan: &Allocas, slot: usize, block: u64) -> Option<u64> {
        self.0.get(slot).filter(|local| local.live)?;
        Some(plan.base(block)? + plan.list[slot].offset)
    }

    /// Frees an allocation.
    pub(crate) fn release(&mut self, plan: &Allocas, slot: usize, block: u64, shared: &SharedLocals) {
        let Some(local) = self.0.get_mut(slot).filter(|local| local.live) else { return };
        local.live = false;
        if plan.list[slot].global
            && let Some(base) = plan.base(block)
        {
            shared.remove(base + plan.list[slot].offset, slot);
        }
    }

    /// Frees everything, when the block ends.
    pub(crate) fn release_all(&mut self, plan: &Allocas, block: u64, shared: &SharedLocals) {
        for slot in 0..self.0.len() {
            self.release(plan, slot, block, shared);
        }
        self.0.clear();
    }

    /// The host address of bytes in the memory of an `alloca`; `None` if the address is in no window.
    pub(crate) fn resolve(&self, plan: &Allocas, access: LocalAccess, shared: &SharedLocals) -> Option<Result<*mut u8, LaunchErrorKind>> {
        let LocalAccess { address, size, block } = access;
        let (owner, slot) = plan.find(address)?;
        let alloca = &plan.list[slot];
        let start = plan.base(owner)? + alloca.offset;
        let own = if owner == block { self.0.get(slot) } else { None };
        let found = match own {
            Some(local) if !alloca.global => {
                local.host.as_ref().filter(|_| local.live).and_then(|(host, _)| host.locate(address - start, size))
            }
            _ if alloca.global => shared.locate(start, address - start, size),
            _ => None,
        };
        let fault = || match own {
            None if owner != block && !alloca.global => LocalFault::Foreign { address, size },
            Some(local) if !local.live => LocalFault::Freed { address, size },
            _ => LocalFault::OutOfBounds { address, size, start, len: alloca.bytes },
        };
        Some(found.ok_or_else(|| LaunchErrorKind::Alloca { fault: fault(), alloca: Box::new(alloca.site.clone()) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site { mnemonic: "alloca", location: None }
    }

    fn fault(result: Option<Result<*mut u8, LaunchErrorKind>>) -> LocalFault {
        match result {
            Some(Err(LaunchErrorKind::Alloca { fault, .. })) => fault,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blocks_have_windows_of_their_own() {
        let mut plan = Allocas::default();
        let (a, b) = (plan.add(12, 4, false, site()), plan.add(8, 1 << 20, false, site()));
        let shared = SharedLocals::default();
        let mut locals = Locals::default();
        let at = locals.allocate(&plan, a, 1, &shared).unwrap();
        let other = locals.allocate(&plan, b, 1, &shared).unwrap();
        assert_eq!(other % (1 << 20), 0);
        let access = |address, size, block| LocalAccess { address, size, block };
        assert!(locals.resolve(&plan, access(at + 8, 4, 1), &shared).unwrap().is_ok());
        assert_eq!(
            fault(locals.resolve(&plan, access(at + 12, 4, 1), &shared)),
            LocalFault::OutOfBounds { address: at + 12, size: 4, start: at, len: 12 }
        );
        let stranger = Locals::default();
        assert_eq!(fault(stranger.resolve(&plan, access(at, 4, 0), &shared)), LocalFault::Foreign { address: at, size: 4 });
        locals.release(&plan, a, 1, &shared);
        assert_eq!(fault(locals.resolve(&plan, access(at, 4, 1), &shared)), LocalFault::Freed { address: at, size: 4 });
        assert!(locals.resolve(&plan, access(64, 4, 1), &shared).is_none());
    }

    #[test]
    fn global_memory_is_seen_by_all_blocks_until_it_is_freed() {
        let mut plan = Allocas::default();
        let slot = plan.add(4, 4, true, site());
        let shared = SharedLocals::default();
        let (mut owner, other) = (Locals::default(), Locals::default());
        let address = owner.allocate(&plan, slot, 5, &shared).unwrap();
        let access = LocalAccess { address, size: 4, block: 0 };
        assert!(other.resolve(&plan, access, &shared).unwrap().is_ok());
        owner.release_all(&plan, 5, &shared);
        assert!(other.resolve(&plan, access, &shared).unwrap().is_err());
    }

    #[test]
    fn too_much_is_refused() {
        let mut plan = Allocas::default();
        let huge = plan.add(1 << 66, 8, false, site());
        let shared = SharedLocals::default();
        assert!(matches!(Locals::default().allocate(&plan, huge, 0, &shared), Err(LaunchErrorKind::Resource(_))));
        let mut plan = Allocas::default();
        let aligned = plan.add(8, 1 << 62, false, site());
        assert!(Locals::default().allocate(&plan, aligned, 1, &shared).is_ok());
        assert!(Locals::default().allocate(&plan, aligned, 9, &shared).is_err());
    }
}
