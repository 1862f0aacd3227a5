//! What the parts of a module share.

use crate::{AttrTable, ConstantTable, LocationTable, StringTable, TypeTable};
use foldhash::fast::RandomState;
use indexmap::{Equivalent, IndexSet};
use std::{hash::Hash, sync::Arc};

/// Items that are stored once, in the order in which they came. Hashes have a random key, because items come from files that are not
/// trusted.
///
/// Copies share the items until one of them gets another item: copies of a module for passes to change mostly never do.
#[derive(Clone, Debug)]
pub(crate) struct InternedSet<T>(Arc<IndexSet<T, RandomState>>);

impl<T> Default for InternedSet<T> {
    fn default() -> Self {
        InternedSet(Arc::default())
    }
}

impl<T: Eq + Hash> FromIterator<T> for InternedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        InternedSet(Arc::new(items.into_iter().collect()))
    }
}

impl<T: Clone + Eq + Hash> InternedSet<T> {
    /// The position of an item, which is added if it is not there.
    pub(crate) fn add(&mut self, item: T) -> usize {
        if let Some(items) = Arc::get_mut(&mut self.0) {
            return items.insert_full(item).0;
        }
        self.position(&item).unwrap_or_else(|| Arc::make_mut(&mut self.0).insert_full(item).0)
    }

    /// The position of an item that is there.
    pub(crate) fn position<Q: ?Sized + Hash + Equivalent<T>>(&self, item: &Q) -> Option<usize> {
        self.0.get_index_of(item)
    }

    /// The item at a position.
    pub(crate) fn item(&self, position: usize) -> &T {
        &self.0[position]
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The interned data of a module, which bodies refer to by handle.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Names, messages, file names.
    pub strings: StringTable,
    /// Types.
    pub types: TypeTable,
    /// Compound attributes.
    pub attrs: AttrTable,
    /// Data of dense constants.
    pub constants: ConstantTable,
    /// Source locations.
    pub locations: LocationTable,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_items_until_one_gets_another() {
        let mut first: InternedSet<u32> = [7, 8].into_iter().collect();
        let mut second = first.clone();
        assert_eq!((second.add(8), second.len()), (1, 2));
        assert!(Arc::ptr_eq(&first.0, &second.0));
        assert_eq!((first.add(9), second.add(10)), (2, 2));
        assert_eq!((*first.item(2), *second.item(2), first.position(&10)), (9, 10, None));
    }
}
