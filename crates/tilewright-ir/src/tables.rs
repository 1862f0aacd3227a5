//! What the parts of a module share.

use crate::{AttrTable, ConstantTable, LocationTable, StringTable, TypeTable};
use indexmap::IndexSet;

/// Items that are stored once, in the order in which they came. Hashes have a random key, because items come from files that are not
/// trusted.
pub(crate) type InternedSet<T> = IndexSet<T, foldhash::fast::RandomState>;

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
