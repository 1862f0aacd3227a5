//! The globals of a module: memory that lives from launch to launch.

use super::{ALIGNMENT, Allocation, GUARD, Protection, raw::HostSlice};
use std::collections::HashMap;
use tilewright_ir::{Module, Str};
use tilewright_passes::constant::global_bytes;

/// Where the first global lies: below all buffers.
const FIRST_ADDRESS: u64 = 0x6000_0000_0000;

/// The globals of a module, initialised once and shared by its launches.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    pub(super) allocations: Vec<Allocation>,
    /// Which of them the module says are never written.
    pub(super) constant: Vec<bool>,
    /// The address of each global, or why it has none.
    addresses: HashMap<Str, Result<u64, String>>,
}

impl Globals {
    /// Lays out the globals of a module, with their initial values.
    pub(crate) fn new(module: &Module) -> Globals {
        let mut globals = Globals::default();
        for global in &module.globals {
            let address = global_bytes(&module.tables, global).map(|bytes| globals.place(bytes, global.alignment));
            if address.is_ok() {
                globals.constant.push(global.constant);
            }
            globals.addresses.entry(global.name).or_insert(address);
        }
        globals
    }

    fn place(&mut self, bytes: Vec<u8>, alignment: u64) -> u64 {
        let end = self.allocations.last().map_or(FIRST_ADDRESS, Allocation::end);
        let address = end.next_multiple_of(alignment.max(ALIGNMENT)) + GUARD.next_multiple_of(alignment.max(ALIGNMENT));
        self.allocations.push(Allocation { address, host: HostSlice::owned(bytes), protection: Protection::ReadWrite, external: false });
        address
    }

    /// The device address of the first element of a global.
    pub(crate) fn address(&self, name: Str) -> Result<u64, String> {
        self.addresses.get(&name).cloned().unwrap_or_else(|| Err("the module has no such global".to_owned()))
    }
}
