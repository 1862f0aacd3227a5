//! Tables under construction: items that are stored once, in the order in which they were first asked for.

use super::put::Put;
use crate::file_layout::Seed;
use foldhash::HashMap;

/// An indexed table under construction (FORMAT section 3.1).
///
/// An item has a key, by which it is found again, and bytes, which stand in the file. They are the same but for items of
/// constants, which begin with their size, and for items that came from a file in an unusual form.
#[derive(Default)]
pub(super) struct Pool {
    /// The position of each key. Only looked up, never walked: its order is random.
    positions: HashMap<Box<[u8]>, u32>,
    blob: Vec<u8>,
    /// Where each item begins in the blob.
    starts: Vec<u64>,
    seeded: usize,
}

impl Pool {
    /// A pool that begins with the items of a file.
    pub(super) fn seeded(seed: &Seed, file: &[u8]) -> Pool {
        let mut pool = Pool::default();
        for range in &seed.items {
            pool.add(&file[range.clone()]);
        }
        let keys = seed.keys.iter().map(|(key, position)| (&file[key.clone()], *position));
        let aliases = seed.aliases.iter().map(|(key, position)| (&key[..], *position));
        for (key, position) in aliases.chain(keys) {
            pool.positions.entry(key.into()).or_insert(position);
        }
        pool.seeded = pool.len();
        pool
    }

    fn add(&mut self, item: &[u8]) -> u32 {
        let position = self.starts.len() as u32;
        self.starts.push(self.blob.len() as u64);
        self.blob.extend_from_slice(item);
        position
    }

    /// The position of the item with this key; it is added where it is not known.
    pub(super) fn position(&mut self, key: &[u8], item: &[u8]) -> u32 {
        if let Some(position) = self.positions.get(key) {
            return *position;
        }
        let position = self.add(item);
        self.positions.insert(key.into(), position);
        position
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether it has no more items than it began with.
    pub(super) fn is_as_seeded(&self) -> bool {
        self.len() == self.seeded
    }

    /// Appends the table, with offsets of `width` bytes; `out` begins where its section does.
    pub(super) fn write(&self, width: usize, out: &mut Vec<u8>) {
        out.count(self.len());
        out.pad(width);
        for start in &self.starts {
            out.extend_from_slice(&start.to_le_bytes()[..width]);
        }
        out.extend_from_slice(&self.blob);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_share_an_item() {
        let mut pool = Pool::default();
        assert_eq!(pool.position(b"ab", b"ab"), 0);
        assert_eq!(pool.position(b"c", b"c"), 1);
        assert_eq!(pool.position(b"ab", b"ab"), 0);
        let mut out = Vec::new();
        pool.write(4, &mut out);
        assert_eq!(out, b"\x02\xcb\xcb\xcb\0\0\0\0\x02\0\0\0abc");
    }

    #[test]
    fn seeds_come_first_with_all_their_items() {
        let seed = Seed { items: vec![0..1, 1..2, 0..1], keys: vec![(0..1, 0), (1..2, 1), (0..1, 2)], aliases: vec![(b"B"[..].into(), 1)] };
        let mut pool = Pool::seeded(&seed, b"ab");
        assert_eq!((pool.len(), pool.is_as_seeded()), (3, true));
        assert_eq!(pool.position(b"B", b"B"), 1);
        assert!(pool.is_as_seeded());
        assert_eq!(pool.position(b"c", b"c"), 3);
        assert!(!pool.is_as_seeded());
    }
}
