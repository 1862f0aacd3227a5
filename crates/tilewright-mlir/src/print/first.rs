//! Which attributes and properties operations had before.

use crate::{ir::OpData, module::Module};
use std::cell::RefCell;

/// A bit for each attribute, and one for each of the properties behind them.
///
/// What an operation has in common with no other is not worth looking for in what was printed before.
pub(super) struct FirstSight {
    seen: RefCell<Vec<u64>>,
    num_attrs: u32,
}

impl FirstSight {
    pub(super) fn new(module: &Module<'_>) -> FirstSight {
        let num_attrs = module.tables.attrs.len();
        let len = (num_attrs + module.properties.len()).div_ceil(64);
        FirstSight { seen: RefCell::new(vec![0; len]), num_attrs: num_attrs as u32 }
    }

    /// Whether an operation has no attributes or properties that none was seen with.
    #[inline]
    pub(super) fn has_seen(&self, data: &OpData) -> bool {
        let seen = &mut **self.seen.borrow_mut();
        let mut see = |number: u32| {
            let word = &mut seen[number as usize / 64];
            let was_seen = *word >> (number % 64) & 1 == 1;
            *word |= 1 << (number % 64);
            was_seen
        };
        data.attrs().is_none_or(|attrs| see(attrs.0)) & data.properties().is_none_or(|properties| see(self.num_attrs + properties))
    }
}
