//! The globals of a module: memory that lives from launch to launch.

use super::{ALIGNMENT, Allocation, GUARD, Protection, raw::HostSlice};
use crate::{elem::memory_bits, plan::Constants};
use std::collections::HashMap;
use tilewright_ir::{Global, Module, Str};

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
            let address = initial_bytes(module, global).map(|bytes| globals.place(bytes, global.alignment));
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

/// The bytes of a global's initial value, as memory holds them.
fn initial_bytes(module: &Module, global: &Global) -> Result<Vec<u8>, String> {
    let tables = &module.tables;
    let parts = tables.types.as_tile(global.ty).and_then(|(element, shape)| match *shape {
        [n] => Some((tables.types.scalar(element)?, usize::try_from(n).ok()?)),
        _ => None,
    });
    let Some((scalar, n)) = parts else { return Err("a global must be a tile of numbers with one dimension".to_owned()) };
    let Some(bits) = memory_bits(scalar) else { return Err(format!("{scalar} elements cannot lie in memory")) };
    if global.alignment > 1 << 32 || !(global.alignment == 0 || global.alignment.is_power_of_two()) {
        return Err(format!("the alignment {} is not a power of two up to 2^32", global.alignment));
    }
    let elements = Constants::expand(tables.constants.bytes(global.value), scalar, n)?;
    let pair = |pair: &[u8]| pair[0] & 15 | pair.get(1).map_or(0, |high| high << 4);
    Ok(if bits < 8 { elements.chunks(2).map(pair).collect() } else { elements })
}
