//! Linear layouts: which register of which lane of which warp holds an element of a tile.
//!
//! All extents of tiles are powers of two, so a place in the hardware and a place in a tile are both words of bits. A layout is a
//! linear map between them over the field of two elements (arXiv 2505.23819): each bit of a place in the hardware says which bits of
//! the element's row-major index it flips. Reshaping a tile changes nothing; permutations, broadcasts and slices are maps too.

use std::fmt;

/// A linear map over bits: bit `i` of the input flips the bits `columns[i]` of the output.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct BitMap {
    columns: Vec<u32>,
    /// Bits of the output.
    rows: u32,
}

impl BitMap {
    /// The map with these columns, whose outputs have so many bits.
    ///
    /// # Panics
    /// If a column has more bits.
    pub fn new(columns: Vec<u32>, rows: u32) -> BitMap {
        assert!(columns.iter().all(|column| u64::from(*column) < 1 << rows), "columns of {rows} bits: {columns:x?}");
        BitMap { columns, rows }
    }

    /// The map of `bits` bits that changes nothing.
    pub fn identity(bits: u32) -> BitMap {
        BitMap::new((0..bits).map(|bit| 1 << bit).collect(), bits)
    }

    /// The map that gives zero.
    pub fn zero(inputs: u32, rows: u32) -> BitMap {
        BitMap::new(vec![0; inputs as usize], rows)
    }

    /// What each input bit flips.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Bits of the input.
    pub fn inputs(&self) -> u32 {
        self.columns.len() as u32
    }

    /// Bits of the output.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// What the map makes of `input`.
    pub fn apply(&self, input: u32) -> u32 {
        self.columns.iter().enumerate().filter(|(bit, _)| input >> bit & 1 == 1).fold(0, |sum, (_, column)| sum ^ column)
    }

    /// First this map, then `next`.
    ///
    /// # Panics
    /// If `next` has not as many inputs as this has rows.
    #[must_use]
    pub fn then(&self, next: &BitMap) -> BitMap {
        assert_eq!(self.rows, next.inputs(), "the maps fit");
        BitMap { columns: self.columns.iter().map(|column| next.apply(*column)).collect(), rows: next.rows }
    }

    /// Both side by side: this on the lower bits of input and output, `upper` on the upper ones.
    #[must_use]
    pub fn product(&self, upper: &BitMap) -> BitMap {
        let shifted = upper.columns.iter().map(|column| column << self.rows);
        BitMap { columns: self.columns.iter().copied().chain(shifted).collect(), rows: self.rows + upper.rows }
    }

    /// The map whose [`product`](BitMap::product) with `lower` this is, if there is one.
    pub fn left_divided(&self, lower: &BitMap) -> Option<BitMap> {
        let (low, high) = self.columns.split_at_checked(lower.columns.len())?;
        let rows = self.rows.checked_sub(lower.rows)?;
        let mask = (1 << lower.rows) - 1;
        (low == lower.columns && high.iter().all(|column| column & mask == 0))
            .then(|| BitMap { columns: high.iter().map(|column| column >> lower.rows).collect(), rows })
    }

    /// An input that the map makes `output` of, if there is one: that with the fewest high bits.
    pub fn solve(&self, output: u32) -> Option<u32> {
        // Reduced columns with distinct highest bits, and the inputs that give them.
        let mut basis: Vec<(u32, u32)> = Vec::new();
        let reduce = |basis: &[(u32, u32)], mut value: u32, mut input: u32| {
            for (column, from) in basis {
                if value >> column.ilog2() & 1 == 1 {
                    value ^= column;
                    input ^= from;
                }
            }
            (value, input)
        };
        for (bit, column) in self.columns.iter().enumerate() {
            let (rest, input) = reduce(&basis, *column, 1 << bit);
            if rest != 0 {
                basis.push((rest, input));
                basis.sort_by_key(|(column, _)| std::cmp::Reverse(*column));
            }
        }
        let (rest, input) = reduce(&basis, output, 0);
        (rest == 0).then_some(input)
    }

    /// A map from outputs back to inputs: `inverse.then(self)` changes nothing. `None` if some outputs are never given.
    pub fn inverse(&self) -> Option<BitMap> {
        let columns: Option<Vec<u32>> = (0..self.rows).map(|row| self.solve(1 << row)).collect();
        Some(BitMap { columns: columns?, rows: self.inputs() })
    }

    /// Whether every output is given.
    pub fn is_surjective(&self) -> bool {
        (0..self.rows).all(|row| self.solve(1 << row).is_some())
    }
}

/// The words that some words of bits give by flipping.
#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    /// With distinct highest bits, from the highest.
    reduced: Vec<u64>,
}

impl Span {
    fn rest(&self, word: u64) -> u64 {
        self.reduced.iter().fold(word, |word, own| word.min(word ^ own))
    }

    fn insert(&mut self, word: u64) -> bool {
        let rest = self.rest(word);
        if rest != 0 {
            let at = self.reduced.partition_point(|own| *own > rest);
            self.reduced.insert(at, rest);
        }
        rest != 0
    }

    /// Whether the word was not given before, and is now.
    pub(crate) fn add(&mut self, word: u32) -> bool {
        self.insert(word.into())
    }

    /// Whether the word is given.
    pub(crate) fn has(&self, word: u32) -> bool {
        self.rest(word.into()) == 0
    }

    /// Of how many words all are made.
    pub(crate) fn len(&self) -> u32 {
        self.reduced.len() as u32
    }

    /// Words of which all are made that both give.
    pub(crate) fn common(&self, other: &Span) -> Vec<u32> {
        // By Zassenhaus: what is zero above is given by both.
        let own = self.reduced.iter().map(|word| word << 32 | word);
        let mut both = Span::default();
        own.chain(other.reduced.iter().map(|word| word << 32)).for_each(|word| {
            both.insert(word);
        });
        both.reduced.iter().filter(|word| **word >> 32 == 0).map(|word| *word as u32).collect()
    }
}

/// Lanes of a warp, as bits.
pub(crate) const LANE_BITS: u32 = 5;

/// Where the elements of a tile are: from register, lane and warp, in this order from the lowest bit, to the element's row-major index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    map: BitMap,
    register_bits: u32,
}

impl Layout {
    /// The layout with this map, whose lowest inputs are registers.
    ///
    /// # Panics
    /// If the map has not at least as many inputs as there are bits of registers and lanes, or leaves elements out.
    pub fn new(map: BitMap, register_bits: u32) -> Layout {
        assert!(map.inputs() >= register_bits + LANE_BITS, "registers, lanes and warps");
        assert!(map.is_surjective(), "every element is somewhere");
        Layout { map, register_bits }
    }

    /// Places of some elements of a tile only.
    pub(crate) fn partial(map: BitMap, register_bits: u32) -> Layout {
        Layout { map, register_bits }
    }

    /// The layout of a tile of `bits` bits that accesses to contiguous memory like: lanes side by side, each with up to `1 << vector` neighbours,
    /// then warps, then more registers. Threads that are left over hold copies.
    pub fn blocked(bits: u32, warp_bits: u32, vector: u32) -> Layout {
        Layout::blocked_by(bits, warp_bits, bits.saturating_sub(LANE_BITS + warp_bits).min(vector))
    }

    /// The same with exactly `1 << vector` neighbours, even if threads are left over.
    pub(crate) fn blocked_by(bits: u32, warp_bits: u32, vector: u32) -> Layout {
        let threads = LANE_BITS + warp_bits;
        let spread = (bits - vector).min(threads);
        let outer = bits - vector - spread;
        let unit = |bit: u32| 1u32 << bit;
        let registers = (0..vector).chain(vector + spread..vector + spread + outer).map(unit);
        let across = (vector..vector + spread).map(unit).chain((spread..threads).map(|_| 0));
        Layout::new(BitMap::new(registers.chain(across).collect(), bits), vector + outer)
    }

    /// The layout of a tile that each thread holds by itself, all of it in registers in the order of indices.
    pub fn alone(bits: u32, warp_bits: u32) -> Layout {
        let columns = (0..bits).map(|bit| 1 << bit).chain((0..LANE_BITS + warp_bits).map(|_| 0));
        Layout::new(BitMap::new(columns.collect(), bits), bits)
    }

    /// The map from the hardware to indices.
    pub fn map(&self) -> &BitMap {
        &self.map
    }

    /// Registers of a thread.
    pub fn registers(&self) -> u32 {
        1 << self.register_bits
    }

    /// The part of an index that a register decides.
    pub fn of_register(&self, register: u32) -> u32 {
        self.map.apply(register)
    }

    /// What each bit of a register's number flips.
    pub(crate) fn register_columns(&self) -> &[u32] {
        &self.map.columns[..self.register_bits as usize]
    }

    /// What each bit of the thread's number flips: lanes, then warps.
    pub fn thread_columns(&self) -> &[u32] {
        &self.map.columns[self.register_bits as usize..]
    }

    /// The thread bits that decide nothing: threads that differ in them only hold the same.
    pub fn free_thread_bits(&self) -> u32 {
        self.thread_columns().iter().enumerate().filter(|(_, column)| **column == 0).fold(0, |bits, (bit, _)| bits | 1 << bit)
    }

    /// How many neighbours, as bits of their number, a thread holds in registers in their order, all beginning at a multiple of as many.
    pub fn neighbours(&self) -> u32 {
        let registers = &self.map.columns[..self.register_bits as usize];
        let run = registers.iter().enumerate().take_while(|(bit, column)| **column == 1 << bit).count();
        let others = self.map.columns[run..].iter().fold(0, |all, column| all | column);
        others.trailing_zeros().min(run as u32)
    }

    /// The same places, for what `next` makes of indices; every index must be the image of one.
    #[must_use]
    pub fn then(&self, next: &BitMap) -> Layout {
        Layout::new(self.map.then(next), self.register_bits)
    }

    /// The same places, for tiles without a dimension: that of some bits of indices, from the lowest on.
    #[must_use]
    pub(crate) fn dropped(&self, (low, bits): (u32, u32)) -> Layout {
        let without = |index: u32| index & ((1 << low) - 1) | index >> (low + bits) << low;
        let column = |bit: u32| if (low..low + bits).contains(&bit) { 0 } else { without(1 << bit) };
        self.then(&BitMap::new((0..self.map.rows).map(column).collect(), self.map.rows - bits))
    }

    /// The same, with one register for each element that a thread has then.
    #[must_use]
    pub(crate) fn without(&self, dim: (u32, u32)) -> Layout {
        let Layout { map, register_bits } = self.dropped(dim);
        let (registers, threads) = map.columns.split_at(register_bits as usize);
        let registers: Vec<u32> = registers.iter().copied().filter(|column| *column != 0).collect();
        Layout::new(BitMap::new(registers.iter().chain(threads).copied().collect(), map.rows), registers.len() as u32)
    }

    /// With half as many registers: which half an element was in, a bit of the thread's number that decided nothing says; and what that bit flips.
    #[must_use]
    pub(crate) fn with_highest_register_in_thread(&self, bit: u32) -> (Layout, u32) {
        let mut columns = self.map.columns.clone();
        let column = columns.remove(self.register_bits as usize - 1);
        let place = (self.register_bits - 1 + bit) as usize;
        assert_eq!(columns[place], 0, "the bit decided nothing");
        columns[place] = column;
        (Layout::new(BitMap::new(columns, self.map.rows), self.register_bits - 1), column)
    }

    /// The opposite of [`with_highest_register_in_thread`](Self::with_highest_register_in_thread).
    #[must_use]
    pub(crate) fn with_thread_in_highest_register(&self, bit: u32, column: u32) -> Layout {
        let mut columns = self.map.columns.clone();
        columns[(self.register_bits + bit) as usize] = 0;
        columns.insert(self.register_bits as usize, column);
        Layout::new(BitMap::new(columns, self.map.rows), self.register_bits + 1)
    }

    /// Where partial results are of elements that this layout has: in threads that differ in some bits of their number, which decide nothing here, or in the
    /// lowest registers of each of these. Threads that differ in `others`, too, have parts of their own. The part's number stands above the element's index.
    pub(crate) fn with_parts(&self, bits: &[u32], others: &[u32]) -> (Layout, Layout) {
        let rows = self.map.rows;
        let mut together = self.map.columns.clone();
        let divide = |columns: &mut [u32], bit: &u32, part: usize| {
            let column = &mut columns[(self.register_bits + bit) as usize];
            assert_eq!(*column, 0, "the bit decided nothing");
            *column = 1 << (rows + part as u32);
        };
        others.iter().enumerate().for_each(|(part, bit)| divide(&mut together, bit, bits.len() + part));
        let mut apart = together.clone();
        bits.iter().enumerate().for_each(|(part, bit)| divide(&mut apart, bit, part));
        let count = bits.len() as u32;
        let parts = (0..count).map(|part| 1 << (rows + part));
        let together = parts.chain(together).collect();
        let layout = |columns, registers| Layout::new(BitMap::new(columns, rows + count + others.len() as u32), registers);
        (layout(apart, self.register_bits), layout(together, self.register_bits + count))
    }

    /// For each register of this layout the register of `other`, of the same thread, that holds the same element; `None` if some elements are in
    /// other threads.
    pub fn registers_of(&self, other: &Layout) -> Option<Vec<u32>> {
        if self.thread_columns() != other.thread_columns() {
            return None;
        }
        let registers = BitMap { columns: other.map.columns[..other.register_bits as usize].to_vec(), rows: other.map.rows };
        (0..self.registers()).map(|register| registers.solve(self.of_register(register))).collect()
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = self.register_bits as usize;
        let warps = lanes + LANE_BITS as usize;
        let parts = [("register", 0..lanes), ("lane", lanes..warps), ("warp", warps..self.map.columns.len())];
        for (i, (name, range)) in parts.into_iter().enumerate() {
            write!(f, "{}{name} {:?}", if i > 0 { ", " } else { "" }, &self.map.columns[range])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maps() -> Vec<BitMap> {
        vec![
            BitMap::identity(3),
            BitMap::zero(2, 0),
            BitMap::new(vec![1, 3, 7, 4], 3),
            BitMap::new(vec![2, 1, 8, 4], 4),
            BitMap::new(vec![0b101, 0b110, 0b111], 3),
        ]
    }

    #[test]
    fn maps_are_linear() {
        for map in maps() {
            for (a, b) in (0..1 << map.inputs()).flat_map(|a| (0..1 << map.inputs()).map(move |b| (a, b))) {
                assert_eq!(map.apply(a ^ b), map.apply(a) ^ map.apply(b), "{map:?}");
            }
        }
    }

    #[test]
    fn products_are_divided_again() {
        for (a, b) in maps().into_iter().flat_map(|a| maps().into_iter().map(move |b| (a.clone(), b))) {
            let product = a.product(&b);
            assert_eq!(product.left_divided(&a), Some(b.clone()));
            for (x, y) in (0..1 << a.inputs()).flat_map(|x| (0..1 << b.inputs()).map(move |y| (x, y))) {
                assert_eq!(product.apply(x | y << a.inputs()), a.apply(x) | b.apply(y) << a.rows());
            }
        }
        assert_eq!(BitMap::new(vec![2, 1], 2).left_divided(&BitMap::identity(1)), None);
        assert_eq!(BitMap::new(vec![1, 3], 2).left_divided(&BitMap::identity(1)), None);
    }

    #[test]
    fn inverses_undo() {
        for map in maps() {
            let inverse = map.inverse().unwrap();
            assert_eq!(inverse.then(&map), BitMap::identity(map.rows()), "{map:?}");
        }
        assert_eq!(BitMap::new(vec![1, 1], 2).inverse(), None);
        assert_eq!(BitMap::new(vec![1, 1], 2).solve(2), None);
    }

    #[test]
    fn spans_have_what_their_words_give() {
        let sets: [&[u32]; 5] = [&[], &[0b1], &[0b11, 0b110, 0b101], &[0b1000, 0b11], &[0b1011, 0b100, 0b10]];
        let given = |words: &[u32]| -> Vec<u32> {
            let map = BitMap::new(words.to_vec(), 4);
            (0..16).filter(|word| map.solve(*word).is_some()).collect()
        };
        for (a, b) in sets.iter().flat_map(|a| sets.iter().map(move |b| (*a, *b))) {
            let [first, second] = [a, b].map(|words| {
                let mut span = Span::default();
                words.iter().for_each(|word| {
                    span.add(*word);
                });
                span
            });
            assert_eq!((0..16).filter(|word| first.has(*word)).collect::<Vec<u32>>(), given(a));
            assert_eq!(1 << first.len(), given(a).len());
            let both: Vec<u32> = given(a).into_iter().filter(|word| given(b).contains(word)).collect();
            assert_eq!(given(&first.common(&second)), both, "{a:?} and {b:?}");
        }
    }

    #[test]
    fn blocked_layouts_hold_every_element() {
        for bits in 0..=16 {
            let layout = Layout::blocked(bits, 2, 2);
            assert_eq!(layout.map().inputs(), layout.registers().ilog2() + 7);
            let copies = 1 << layout.free_thread_bits().count_ones();
            assert_eq!(u64::from(layout.registers()) * 128, copies * (1u64 << bits), "{bits}: {layout}");
        }
        assert_eq!(Layout::blocked(10, 2, 2).to_string(), "register [1, 2, 512], lane [4, 8, 16, 32, 64], warp [128, 256]");
        assert_eq!(Layout::blocked(1, 2, 2).to_string(), "register [], lane [1, 0, 0, 0, 0], warp [0, 0]");
    }

    #[test]
    fn neighbours_begin_at_multiples() {
        let layout = Layout::blocked(10, 2, 2);
        assert_eq!(layout.neighbours(), 2);
        // A lane that begins in the middle of a pair of pairs.
        let askew = BitMap::new(vec![1, 2, 4 | 2, 8, 16, 32, 64, 128, 256, 512], 10);
        let bits: Vec<u32> = layout.then(&askew).map().columns().to_vec();
        assert_eq!(bits[2], 512);
        assert_eq!(layout.then(&askew).neighbours(), 1);
        assert_eq!(Layout::blocked(7, 2, 0).neighbours(), 0);
    }

    #[test]
    fn a_dimension_less_leaves_its_threads_with_copies() {
        // 16 rows of 64 columns: neighbours and lanes are columns, then come rows.
        let layout = Layout::blocked(10, 2, 2);
        assert_eq!(layout.without((0, 6)).to_string(), "register [8], lane [0, 0, 0, 0, 1], warp [2, 4]");
        assert_eq!(layout.dropped((0, 6)).to_string(), "register [0, 0, 8], lane [0, 0, 0, 0, 1], warp [2, 4]");
        assert_eq!(layout.without((6, 4)).to_string(), "register [1, 2], lane [4, 8, 16, 32, 0], warp [0, 0]");
    }

    #[test]
    fn registers_move_to_threads_and_back() {
        let layout = Layout::blocked(10, 2, 2).without((0, 6));
        let (moved, column) = layout.with_highest_register_in_thread(2);
        assert_eq!((moved.to_string().as_str(), column), ("register [], lane [0, 0, 8, 0, 1], warp [2, 4]", 8));
        assert_eq!(moved.with_thread_in_highest_register(2, column), layout);
    }

    #[test]
    fn parts_are_in_threads_or_in_registers() {
        let layout = Layout::blocked(10, 2, 2).without((0, 9));
        assert_eq!(layout.to_string(), "register [1], lane [0, 0, 0, 0, 0], warp [0, 0]");
        let (apart, together) = layout.with_parts(&[5, 6], &[]);
        assert_eq!(apart.to_string(), "register [1], lane [0, 0, 0, 0, 0], warp [2, 4]");
        assert_eq!(together.to_string(), "register [2, 4, 1], lane [0, 0, 0, 0, 0], warp [0, 0]");
        let (apart, together) = layout.with_parts(&[5], &[6]);
        assert_eq!(apart.to_string(), "register [1], lane [0, 0, 0, 0, 0], warp [2, 4]");
        assert_eq!(together.to_string(), "register [2, 1], lane [0, 0, 0, 0, 0], warp [0, 4]");
    }

    #[test]
    fn registers_are_found_in_other_layouts() {
        let layout = Layout::blocked(10, 2, 2);
        let swapped = BitMap::new(vec![2, 1, 4, 8, 16, 32, 64, 128, 256, 512], 10);
        assert_eq!(layout.then(&swapped).registers_of(&layout), Some(vec![0, 2, 1, 3, 4, 6, 5, 7]));
        let moved = BitMap::new(vec![4, 2, 1, 8, 16, 32, 64, 128, 256, 512], 10);
        assert_eq!(layout.then(&moved).registers_of(&layout), None);
    }
}
