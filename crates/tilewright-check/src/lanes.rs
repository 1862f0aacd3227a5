//! Sets of elements of a tile.

/// Some of the elements of a tile, by their positions in row-major order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lanes {
    words: Vec<u64>,
}

impl Lanes {
    /// None of `len` elements.
    pub(crate) fn none(len: usize) -> Lanes {
        Lanes { words: vec![0; len.div_ceil(64)] }
    }

    /// All of `len` elements.
    pub(crate) fn all(len: usize) -> Lanes {
        let mut lanes = Lanes { words: vec![!0; len.div_ceil(64)] };
        if let (Some(last), true) = (lanes.words.last_mut(), !len.is_multiple_of(64)) {
            *last >>= 64 - len % 64;
        }
        lanes
    }

    /// Those of `len` elements for which something holds.
    pub(crate) fn of(len: usize, mut holds: impl FnMut(usize) -> bool) -> Lanes {
        let mut lanes = Lanes::none(len);
        (0..len).filter(|i| holds(*i)).for_each(|i| lanes.insert(i));
        lanes
    }

    pub(crate) fn insert(&mut self, i: usize) {
        self.words[i / 64] |= 1 << (i % 64);
    }

    pub(crate) fn contains(&self, i: usize) -> bool {
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    pub(crate) fn is_none(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(64 * at + bit)
            })
        })
    }

    /// Adds those of another set; both are of tiles with as many elements.
    pub(crate) fn unite(&mut self, other: &Lanes) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Removes those that are not in another set.
    pub(crate) fn intersect(&mut self, other: &Lanes) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }
}

/// The strides of a tile in row-major order.
pub(crate) fn row_major(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim];
    }
    strides
}

/// The coordinates of an element.
pub(crate) fn coordinates(mut position: usize, shape: &[usize]) -> Vec<usize> {
    let mut coordinates = vec![0; shape.len()];
    for (coordinate, extent) in coordinates.iter_mut().zip(shape).rev() {
        *coordinate = position % extent;
        position /= extent;
    }
    coordinates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_inserted() {
        let mut lanes = Lanes::none(130);
        [0, 63, 64, 129].into_iter().for_each(|i| lanes.insert(i));
        assert_eq!(lanes.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!((lanes.count(), lanes.contains(65)), (4, false));
        assert_eq!(Lanes::all(130).count(), 130);
        lanes.intersect(&Lanes::of(130, |i| i > 63));
        assert_eq!(lanes.count(), 2);
    }

    #[test]
    fn positions_and_coordinates_agree() {
        let shape = [3, 4, 5];
        for position in 0..60 {
            let at: usize = coordinates(position, &shape).iter().zip(row_major(&shape)).map(|(i, stride)| i * stride).sum();
            assert_eq!(at, position);
        }
    }
}
