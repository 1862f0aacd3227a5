//! Where elements lie in shared memory while a tile changes its layout.
//!
//! The layout that stores and the layout that loads are linear maps over bits, and so is the map from an element's index to its place. It
//! is found from a basis of the indices: the vectors that wide accesses take, then those that the lanes of one use of the banks
//! differ in, then what lies a multiple of 128 bytes apart. No two lanes want different words of a bank if what they differ in, and what lies
//! in one word, meets the last of these in nothing; a common complement of two spaces (arXiv 2505.23819) does that for both sides at once.

use crate::layout::{BitMap, LANE_BITS, Layout, Span};

/// Bits of the bytes that all banks hold at once.
const ROW: u32 = 7;
/// Bits of the bytes of a word of a bank, and of the widest access.
const WORD: u32 = 2;
const WIDEST: u32 = 4;

/// How a warp reads the words of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// Each lane so many neighbouring elements, as bits.
    Neighbours(u32),
    /// By matrices of 8 rows of 16 bytes, of which lanes get words; transposed, if neighbouring elements of a lane are in neighbouring rows.
    Matrices { transposed: bool },
}

/// Places of the elements of a tile in shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Places {
    /// From the index of an element to its place, both in elements.
    pub(crate) map: BitMap,
    /// Neighbours that an access stores, as bits.
    pub(crate) stored: u32,
    pub(crate) reading: Reading,
}

/// What places are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Bits of the bytes of an element.
    pub(crate) size: u32,
    /// The most neighbours that an access stores, as bits.
    pub(crate) stored: u32,
    /// Bits of the places that are in shared memory at once.
    pub(crate) piece: u32,
    /// Whether they may be read as matrices.
    pub(crate) matrices: bool,
}

impl Places {
    /// The elements in their order, with wide stores only: for reading at an index that is not known.
    pub(crate) fn in_order(from: &Layout, wanted: Wanted) -> Places {
        let stored = from.neighbours().min(wanted.stored);
        Places { map: BitMap::identity(from.map().rows()), stored, reading: Reading::Neighbours(0) }
    }

    /// The places for copies of `1 << wanted.stored` neighbours each, which keep the order of these: without conflicts, and with the fewest
    /// instructions to read them. None if there are none that all threads can copy to at multiples of what a copy takes.
    pub(crate) fn copied(from: &Layout, to: &Layout, wanted: Wanted) -> Option<Places> {
        let search = Search { from, to, wanted };
        let first = &from.register_columns()[..wanted.stored as usize];
        let of_loads = span(to.register_columns().iter().copied());
        let read = first.iter().take_while(|vector| of_loads.has(**vector)).count() as u32;
        let matrices = search.matrices().into_iter().filter(|(low, _)| low.starts_with(first));
        let orders = std::iter::once((first.to_vec(), Reading::Neighbours(read))).chain(matrices);
        let found = orders.filter_map(|(low, reading)| search.places(&low, reading));
        found.filter(|places| keeps_order(&from.then(&places.map), wanted.stored)).min_by_key(|places| search.cost(places))
    }

    /// The places with the fewest instructions among those that have no bank conflicts; the elements in their order, one by one, if accesses
    /// are aligned in none of these.
    pub(crate) fn between(from: &Layout, to: &Layout, wanted: Wanted) -> Places {
        let search = Search { from, to, wanted };
        let found = search.orders().into_iter().filter_map(|(low, reading)| search.places(&low, reading));
        let cheapest = found.min_by_key(|places| search.cost(places));
        cheapest.unwrap_or_else(|| Places::in_order(from, Wanted { stored: 0, ..wanted }))
    }
}

/// Whether registers have their places in their order, `1 << count` neighbours each from a multiple of as many.
fn keeps_order(places: &Layout, count: u32) -> bool {
    let (first, others) = places.register_columns().split_at(count as usize);
    first.iter().enumerate().all(|(bit, place)| *place == 1 << bit)
        && others.iter().chain(places.thread_columns()).all(|place| place.trailing_zeros() >= count)
}

/// The space that some vectors span.
fn span(vectors: impl IntoIterator<Item = u32>) -> Span {
    let mut span = Span::default();
    vectors.into_iter().for_each(|vector| {
        span.add(vector);
    });
    span
}

/// The vectors that lanes of one use of the banks differ in, if each accesses `1 << bytes` bytes.
fn together(layout: &Layout, bytes: u32) -> &[u32] {
    let lanes = (ROW - bytes.max(WORD)).min(LANE_BITS);
    &layout.thread_columns()[..lanes as usize]
}

struct Search<'a> {
    from: &'a Layout,
    to: &'a Layout,
    wanted: Wanted,
}

impl Search<'_> {
    /// What the lowest bits of places may be, from the lowest, and how they are read then.
    fn orders(&self) -> Vec<(Vec<u32>, Reading)> {
        let size = self.wanted.size;
        let most = WIDEST.saturating_sub(size) as usize;
        let (stores, loads) = (self.from.register_columns(), self.to.register_columns());
        let (of_stores, of_loads) = (span(stores.iter().copied()), span(loads.iter().copied()));
        let common = stores.iter().copied().filter(|vector| of_loads.has(*vector));
        let common: Vec<u32> = common.chain(of_stores.common(&of_loads)).collect();
        let mut orders = Vec::new();
        // The last ones have the words that lanes read in the order of their registers.
        let none = Vec::new();
        for (common, others, first) in
            [(&common, stores, self.from), (&common, loads, self.to), (&common, stores, self.to), (&none, loads, self.to)]
        {
            let mut low = Vec::new();
            let mut seen = Span::default();
            for vector in common.iter().chain(others).copied().filter(|vector| *vector != 0) {
                if seen.add(vector) && low.len() < most {
                    low.push(vector);
                }
            }
            for count in 0..=low.len() {
                let mut low = low[..count].to_vec();
                let read = low.iter().take_while(|vector| of_loads.has(**vector)).count();
                // Elements that share a word with others.
                let mut seen = span(low.iter().copied());
                let lanes = &first.thread_columns()[..LANE_BITS as usize];
                let shared = lanes.iter().copied().filter(|vector| seen.add(*vector)).collect::<Vec<_>>();
                low.extend(shared.into_iter().take((WORD.saturating_sub(size) as usize).saturating_sub(count)));
                orders.push((low, Reading::Neighbours(read as u32)));
            }
        }
        if self.wanted.matrices {
            orders.extend(self.matrices());
        }
        orders
    }

    /// The orders that matrices are read from, if the layout is that of matrices.
    fn matrices(&self) -> Vec<(Vec<u32>, Reading)> {
        let (registers, lanes) = (self.to.register_columns(), &self.to.thread_columns()[..LANE_BITS as usize]);
        let Some(word) = WORD.checked_sub(self.wanted.size).and_then(|bits| registers.get(..bits as usize)) else { return Vec::new() };
        let mut all = Span::default();
        if !word.iter().chain(lanes).all(|vector| all.add(*vector)) {
            return Vec::new();
        }
        let mut orders = vec![([word, &lanes[..2]].concat(), Reading::Matrices { transposed: false })];
        if word.len() == 1 {
            orders.push((lanes[2..].to_vec(), Reading::Matrices { transposed: true }));
        }
        orders
    }

    /// The vectors in which the rows of a matrix differ, or lanes that read neighbours at once.
    fn read_together(&self, reading: Reading) -> Vec<u32> {
        let (registers, lanes) = (self.to.register_columns(), self.to.thread_columns());
        match reading {
            Reading::Neighbours(bits) => together(self.to, bits + self.wanted.size).to_vec(),
            Reading::Matrices { transposed: false } => lanes[2..5].to_vec(),
            Reading::Matrices { transposed: true } => vec![registers[0], lanes[0], lanes[1]],
        }
    }

    /// Bits of the elements that one lane or one row of a matrix has side by side.
    fn read_bits(&self, reading: Reading) -> u32 {
        match reading {
            Reading::Neighbours(bits) => bits,
            Reading::Matrices { .. } => WIDEST - self.wanted.size,
        }
    }

    /// Places whose lowest bits are these, without conflicts; none if accesses would not be aligned.
    fn places(&self, low: &[u32], reading: Reading) -> Option<Places> {
        let size = self.wanted.size;
        let of_stores = span(self.from.register_columns().iter().copied());
        let stored = low.iter().take(self.wanted.stored as usize).take_while(|vector| of_stores.has(**vector)).count() as u32;
        // What has a word, or an access, in common, and what else is accessed at once.
        let one_use = |bits: u32, together: &[u32]| -> Vec<u32> {
            let within = bits.max(WORD.saturating_sub(size)) as usize;
            low.iter().take(within).chain(together).copied().collect()
        };
        let stores = one_use(stored, together(self.from, stored + size));
        let loads = one_use(self.read_bits(reading), &self.read_together(reading));
        let basis = self.basis(low, &stores, &loads);
        let bits = self.from.map().rows();
        let map = BitMap::new(basis, bits).inverse().filter(|map| map.rows() == bits)?;
        let places = Places { map, stored, reading };
        self.is_aligned(&places).then_some(places)
    }

    /// A basis of the indices, in the order of the bits of places, for two spaces whose elements are to have banks of their own.
    fn basis(&self, low: &[u32], stores: &[u32], loads: &[u32]) -> Vec<u32> {
        let bits = self.from.map().rows();
        let row = (ROW - self.wanted.size).min(bits) as usize;
        let units = (0..bits).map(|bit| 1 << bit);
        let threads = self.from.thread_columns().iter().chain(self.to.thread_columns());
        let registers = self.from.register_columns().iter().chain(self.to.register_columns());
        let preferred: Vec<u32> = threads.chain(registers).copied().chain(units).collect();
        // Both are a common part and one of their own.
        let mut common = span(stores.iter().copied()).common(&span(loads.iter().copied()));
        let own = |vectors: &[u32]| -> Vec<u32> {
            let mut seen = span(common.iter().copied());
            vectors.iter().copied().filter(|vector| seen.add(*vector)).collect()
        };
        let (mut of_stores, mut of_loads) = (own(stores), own(loads));
        while common.len() + of_stores.len() < row && !of_loads.is_empty() {
            common.push(of_loads.remove(0));
        }
        while common.len() + of_loads.len() < row && !of_stores.is_empty() {
            common.push(of_stores.remove(0));
        }
        let mut seen = span(common.iter().chain(&of_stores).chain(&of_loads).copied());
        let mut rest: Vec<u32> = preferred.into_iter().filter(|vector| seen.add(*vector)).collect();
        let missing = row.saturating_sub(common.len() + of_stores.len()).min(rest.len());
        common.extend(rest.drain(..missing));
        // What meets neither of the two.
        let apart = of_stores.iter().zip(&of_loads).map(|(a, b)| a ^ b).chain(rest);
        let first = span(common.iter().chain(&of_stores).copied());
        let side = if low.iter().all(|vector| first.has(*vector)) { (stores, &of_stores) } else { (loads, &of_loads) };
        let mut seen = span(low.iter().copied());
        // The side's own vectors first, in their order, so that lanes access neighbours where they can.
        let of_side: Vec<u32> = side.0.iter().chain(&common).chain(side.1).copied().filter(|vector| seen.add(*vector)).collect();
        low.iter().copied().chain(of_side).chain(apart).collect()
    }

    /// Whether all threads begin their accesses at multiples of what these take.
    fn is_aligned(&self, places: &Places) -> bool {
        let (from, to) = (self.from.then(&places.map), self.to.then(&places.map));
        let stays_above = |vectors: &[u32], bits: u32| vectors.iter().all(|vector| vector.trailing_zeros() >= bits);
        let read = self.read_bits(places.reading);
        let is_read = match places.reading {
            Reading::Neighbours(_) => stays_above(to.thread_columns(), read),
            Reading::Matrices { transposed } => {
                let words = (WORD - self.wanted.size) as usize;
                let (word, registers) = to.register_columns().split_at(words);
                // The elements of a word of a lane are neighbours, or in neighbouring rows.
                let others = if transposed { to.register_columns() } else { registers };
                let warps = &to.thread_columns()[LANE_BITS as usize..];
                let rows: Vec<u32> = self.read_together(places.reading).iter().map(|vector| places.map.apply(*vector)).collect();
                // All threads read a piece at once.
                let in_piece = word.iter().chain(to.thread_columns()).all(|vector| vector >> self.wanted.piece == 0);
                in_piece && [others, warps, &rows].into_iter().all(|vectors| stays_above(vectors, read))
            }
        };
        is_read && stays_above(from.thread_columns(), places.stored)
    }

    /// About how many instructions a thread needs.
    fn cost(&self, places: &Places) -> u64 {
        let (from, to) = (self.from.then(&places.map), self.to.then(&places.map));
        let (stores, loads) = (span(from.register_columns().iter().copied()).len(), span(to.register_columns().iter().copied()).len());
        let read = match places.reading {
            Reading::Neighbours(bits) => bits,
            // Four words of a thread at once, if it has as many.
            Reading::Matrices { .. } => (WORD - self.wanted.size + 2).min(loads),
        };
        let accesses = (1u64 << (stores - places.stored)) + (1 << (loads - read));
        let flipped = |layout: &Layout| {
            let reach = layout.thread_columns().iter().fold(0, |all, vector| all | vector);
            (1u64 << span(layout.register_columns().iter().map(|vector| vector & reach)).len()) - 1
        };
        let masked = |layout: &Layout| layout.thread_columns().iter().any(|vector| vector >> self.wanted.piece != 0);
        // Words whose elements are in other registers are taken apart and put together again.
        let in_word = WORD.saturating_sub(self.wanted.size) as usize;
        let repacked = |layout: &Layout, neighbours: u32, count: u32| {
            let columns = layout.register_columns().iter().take(in_word.min(neighbours as usize));
            let in_order = columns.enumerate().all(|(bit, column)| *column == 1 << bit);
            if in_order { 0 } else { 1u64 << count }
        };
        let packing = match places.reading {
            Reading::Neighbours(read) => repacked(&from, places.stored, stores) + repacked(&to, read, loads),
            Reading::Matrices { .. } => repacked(&from, places.stored, stores),
        };
        let in_pieces = if masked(&from) || masked(&to) { 4 } else { 1 };
        4 * accesses * in_pieces + packing + flipped(&from) + flipped(&to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few layouts of tiles of 12 bits: blocked ones whose bits stand in other orders.
    fn layouts() -> Vec<Layout> {
        let bits = 12;
        let orders: [fn(u32) -> u32; 5] = [|bit| bit, |bit| 11 - bit, |bit| (bit + 5) % 12, |bit| bit * 5 % 12, |bit| bit ^ 1];
        let permuted = |order: fn(u32) -> u32| BitMap::new((0..bits).map(|bit| 1 << order(bit)).collect(), bits);
        let askew = BitMap::new((0..bits).map(|bit| 1 << bit | if bit > 2 { 2 << (bit % 2) } else { 0 }).collect(), bits);
        let blocked = [0, 2, 3].map(|vector| Layout::blocked(bits, 2, vector));
        let all = blocked.iter().flat_map(|layout| orders.map(|order| layout.then(&permuted(order))));
        all.chain(blocked.iter().map(|layout| layout.then(&askew))).collect()
    }

    /// The most words that a bank has to give for lanes that are served at once: the definition, place by place.
    fn words_of_a_bank(layout: &Layout, lanes: &[u32], neighbours: u32, size: u32) -> usize {
        let address = |lane: u32| -> u32 {
            let place = lanes.iter().enumerate().filter(|(bit, _)| lane >> bit & 1 == 1).fold(0, |at, (_, column)| at ^ column);
            assert_eq!(place.trailing_zeros().min(neighbours), neighbours, "an access is aligned: {layout}");
            place << size
        };
        let mut words: Vec<u32> = (0..1 << lanes.len())
            .flat_map(|lane| {
                let begin = address(lane);
                (begin..begin + (1 << (neighbours + size))).map(|byte| byte / 4)
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        (0..32).map(|bank| words.iter().filter(|word| *word % 32 == bank).count()).max().unwrap_or(0)
    }

    #[test]
    fn no_bank_has_two_words_to_give() {
        let mut wide = 0;
        for (from, to) in layouts().iter().flat_map(|from| layouts().into_iter().map(move |to| (from.clone(), to))) {
            for size in 0..=3 {
                let wanted = Wanted { size, stored: WIDEST - size, piece: 12, matrices: true };
                let places = Places::between(&from, &to, wanted);
                let search = Search { from: &from, to: &to, wanted };
                assert!(places.map.is_surjective() && places.map.inputs() == places.map.rows());
                let stores = from.then(&places.map);
                assert_eq!(words_of_a_bank(&stores, together(&stores, places.stored + size), places.stored, size), 1, "{from} to {to}");
                let rows = search.read_together(places.reading).iter().map(|vector| places.map.apply(*vector)).collect::<Vec<_>>();
                let read = search.read_bits(places.reading);
                assert_eq!(words_of_a_bank(&to.then(&places.map), &rows, read, size), 1, "{from} to {to}, {places:?}");
                wide += u32::from(places.stored + size == WIDEST);
            }
        }
        assert!(wide > 100, "{wide} changes of layout store 16 bytes at once");
    }

    #[test]
    fn words_hold_neighbouring_registers() {
        // Bytes of which each thread holds some of different rows, as a factor whose words are terms in neighbouring rows.
        let from = Layout::blocked(10, 2, 0);
        let columns = [5, 6, 9, 7, 8, 0, 1, 2, 3, 4].map(|bit| 1 << bit).into_iter().chain([0, 0]);
        let to = Layout::new(BitMap::new(columns.collect(), 10), 5);
        for stored in [0, 4] {
            let places = Places::between(&from, &to, Wanted { size: 0, stored, piece: 10, matrices: true });
            assert_eq!(to.then(&places.map).register_columns()[..2], [1, 2], "{places:?}");
        }
    }

    #[test]
    fn fragments_are_read_as_matrices() {
        // Lanes with pairs of columns and then rows, from rows of which a thread holds 8 neighbours.
        let from = Layout::blocked(12, 2, 3);
        let fragment = |bits: [u32; 12]| Layout::new(BitMap::new(bits.map(|bit| 1 << bit).to_vec(), 12), 5);
        let wanted = Wanted { size: 1, stored: 3, piece: 12, matrices: true };
        let rows = fragment([0, 3, 9, 4, 5, 1, 2, 6, 7, 8, 10, 11]);
        let places = Places::between(&from, &rows, wanted);
        assert_eq!((places.stored, places.reading), (3, Reading::Matrices { transposed: false }));
        let columns = fragment([6, 9, 3, 4, 5, 7, 8, 0, 1, 2, 10, 11]);
        let places = Places::between(&from, &columns, wanted);
        assert_eq!((places.stored, places.reading), (3, Reading::Matrices { transposed: true }));
    }
}
