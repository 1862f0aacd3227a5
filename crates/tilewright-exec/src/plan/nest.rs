//! Nests of loops: how the elements of several buffers are walked together, each with its own strides.

use super::tile::Loops;
use smallvec::SmallVec;

/// A loop, and for each buffer how many elements further its next iteration is: 0 where it stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    pub(crate) extent: usize,
    pub(crate) strides: SmallVec<[usize; 6]>,
}

/// Loops in each other, the outermost first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Nest {
    pub(crate) loops: SmallVec<[Loop; 4]>,
    /// Loops inside of the innermost, the outermost first, which are no loops of code: an iteration of the innermost has an element of each of their
    /// iterations, which are its parts. Mostly none, which is one part.
    pub(crate) parts: SmallVec<[Loop; 1]>,
}

impl Nest {
    /// The fewest loops in which `n` elements of all buffers can be walked, of which the loops of each are handed in: extents and strides, the
    /// innermost last. `None` if the loops of one buffer do not divide those of another.
    pub(crate) fn common(n: usize, buffers: impl Iterator<Item = Loops>) -> Option<Nest> {
        let mut left: SmallVec<[Loops; 8]> = buffers.collect();
        let (mut loops, mut walked) = (SmallVec::<[Loop; 4]>::new(), 1);
        while walked < n {
            let extent = left.iter().filter_map(|loops| Some(loops.last()?.0)).min().unwrap_or(n / walked);
            let mut strides = SmallVec::new();
            for loops in &mut left {
                let Some((inner, stride)) = loops.last_mut() else {
                    // A single element.
                    strides.push(0);
                    continue;
                };
                if !inner.is_multiple_of(extent) {
                    return None;
                }
                strides.push(*stride);
                *inner /= extent;
                *stride *= extent;
                if *inner == 1 {
                    loops.pop();
                }
            }
            loops.push(Loop { extent, strides });
            walked *= extent;
        }
        loops.reverse();
        (walked == n && !loops.is_empty()).then_some(Nest { loops, parts: SmallVec::new() })
    }

    /// Makes the loops around the innermost so many iterations the parts of these, so that parts lie as far apart as they have elements; `None`
    /// if loops do not begin and end there.
    pub(crate) fn divided(mut self, iterations: usize, parts: usize) -> Option<Nest> {
        let mut taken = |wanted: usize| {
            let (mut found, mut product) = (SmallVec::new(), 1);
            while product < wanted {
                let each = self.loops.pop()?;
                product *= each.extent;
                found.insert(0, each);
            }
            (product == wanted).then_some(found)
        };
        let inner: SmallVec<[Loop; 4]> = taken(iterations)?;
        let parts = taken(parts)?.into_iter().collect();
        self.loops.extend(inner);
        Some(Nest { loops: self.loops, parts })
    }

    /// How many parts an iteration of the innermost loop has.
    pub(crate) fn part_count(&self) -> usize {
        self.parts.iter().map(|each| each.extent).product()
    }

    /// How many elements of a buffer lie between the first part and another.
    pub(crate) fn part_offset(&self, buffer: usize, part: usize) -> usize {
        let (mut left, mut offset) = (part, 0);
        for each in self.parts.iter().rev() {
            offset += left % each.extent * each.strides[buffer];
            left /= each.extent;
        }
        offset
    }

    /// How many iterations of the innermost loop there are.
    pub(crate) fn elements(&self) -> usize {
        self.loops.iter().map(|each| each.extent).product()
    }

    /// How many elements of a buffer lie from the first to the last.
    #[cfg(test)]
    pub(crate) fn span(&self, buffer: usize) -> usize {
        self.span_of(buffer, self.loops.first().map_or(1, |outer| outer.extent))
    }

    /// The same for so many rounds of the outermost loop, of a single part.
    pub(crate) fn span_of(&self, buffer: usize, rounds: usize) -> usize {
        let reach = |(level, each): (usize, &Loop)| (if level == 0 { rounds } else { each.extent } - 1) * each.strides[buffer];
        1 + self.loops.iter().enumerate().map(reach).sum::<usize>()
    }

    /// Puts the loops with the largest strides of a buffer outermost.
    pub(crate) fn order_by(&mut self, buffer: usize) {
        self.loops.sort_by_key(|each| std::cmp::Reverse(each.strides[buffer]));
    }

    /// Makes one loop of neighbours that are one for all buffers, and leaves out those that go round once.
    pub(crate) fn coalesce(&mut self) {
        let mut kept: SmallVec<[Loop; 4]> = SmallVec::new();
        for inner in self.loops.drain(..).filter(|each| each.extent != 1) {
            match kept.last_mut() {
                Some(outer) if outer.strides.iter().zip(&inner.strides).all(|(outer, own)| *outer == own * inner.extent) => {
                    *outer = Loop { extent: outer.extent * inner.extent, strides: inner.strides };
                }
                _ => kept.push(inner),
            }
        }
        self.loops = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(loops: &[(usize, &[usize])]) -> Nest {
        let of = |(extent, strides): &(usize, &[usize])| Loop { extent: *extent, strides: SmallVec::from_slice(strides) };
        Nest { loops: loops.iter().map(of).collect(), parts: SmallVec::new() }
    }

    #[test]
    fn parts_are_loops_around_the_innermost_iterations() {
        // A matrix of 16 rows that lie 100 apart, in 4 parts of 4 rows; what is left has 4 rows side by side.
        let rows = || nest(&[(4, &[400, 0]), (4, &[100, 8]), (8, &[1, 1])]);
        let divided = rows().divided(32, 4).unwrap();
        assert_eq!(divided.loops, nest(&[(4, &[100, 8]), (8, &[1, 1])]).loops);
        assert_eq!(
            (divided.part_count(), [0, 1, 3].map(|part| divided.part_offset(0, part)), divided.part_offset(1, 3)),
            (4, [0, 400, 1200], 0)
        );
        // Two loops of parts.
        let divided = nest(&[(3, &[1000]), (2, &[100]), (2, &[8]), (8, &[1])]).divided(8, 4).unwrap();
        assert_eq!(
            ((divided.loops.len(), divided.part_count()), [1, 2, 3].map(|part| divided.part_offset(0, part))),
            ((2, 4), [8, 100, 108])
        );
        assert_eq!(rows().divided(16, 4), None);
        assert_eq!(rows().part_count(), 1);
    }

    #[test]
    fn common_nests_are_as_few_loops_as_all_buffers_take() {
        let common = |n, buffers: &[&[(usize, usize)]]| Nest::common(n, buffers.iter().map(|loops| Loops::from_slice(loops)));
        assert_eq!(common(64, &[&[(64, 1)], &[(64, 1)]]), Some(nest(&[(64, &[1, 1])])));
        // A matrix, a column and a row of it, and a single number.
        let found = common(64, &[&[(64, 1)], &[(4, 1), (16, 0)], &[(4, 0), (16, 1)], &[(64, 0)]]);
        assert_eq!(found, Some(nest(&[(4, &[16, 1, 0, 0]), (16, &[1, 0, 1, 0])])));
        // A transposed one.
        assert_eq!(common(32, &[&[(32, 1)], &[(8, 1), (4, 8)]]), Some(nest(&[(8, &[4, 1]), (4, &[1, 8])])));
        assert_eq!(common(16, &[]), Some(nest(&[(16, &[])])));
        assert_eq!(common(12, &[&[(4, 1), (3, 0)], &[(6, 1), (2, 0)]]), None);
    }

    #[test]
    fn neighbours_that_are_one_loop_become_one() {
        let coalesced = |loops: &[(usize, &[usize])]| {
            let mut nest = nest(loops);
            nest.coalesce();
            nest
        };
        // Rows of a matrix that lie one behind the other, of a column that each row repeats.
        assert_eq!(coalesced(&[(4, &[16, 1]), (1, &[16, 16]), (16, &[1, 0])]), nest(&[(4, &[16, 1]), (16, &[1, 0])]));
        assert_eq!(coalesced(&[(4, &[16, 0]), (16, &[1, 0])]), nest(&[(64, &[1, 0])]));
        assert_eq!(coalesced(&[(2, &[64]), (4, &[16]), (8, &[1])]), nest(&[(8, &[16]), (8, &[1])]));
        assert_eq!(coalesced(&[(1, &[5])]), nest(&[]));
    }

    #[test]
    fn loops_are_ordered_by_what_is_written() {
        // Rows of tiles that lie side by side: rows, tiles, columns.
        let mut tiles = nest(&[(3, &[8]), (4, &[24]), (8, &[1])]);
        tiles.order_by(0);
        assert_eq!(tiles, nest(&[(4, &[24]), (3, &[8]), (8, &[1])]));
        tiles.coalesce();
        assert_eq!((tiles.elements(), tiles.span(0), &tiles), (96, 96, &nest(&[(96, &[1])])));
    }
}
