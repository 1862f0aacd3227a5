//! The numbers of distinct attributes, which say which are the same within a text.

use super::Printer;
use crate::tables::AttrId;

impl Printer<'_, '_> {
    pub(super) fn distinct_number(&self, id: AttrId) -> u64 {
        let mut numbers = self.distinct.borrow_mut();
        let next = numbers.len() as u64;
        *numbers.entry(id).or_insert(next)
    }
}
