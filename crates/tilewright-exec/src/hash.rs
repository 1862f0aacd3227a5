//! Hash maps for planning: their keys are small numbers, of which a fast hash with a random key makes good use.

use foldhash::fast::RandomState;

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;
