//! Matching two sequences: which entries of one belong to which entries of the other, without crossing.
//!
//! Entries that both sides have exactly once are anchors, of which the longest run without crossings counts; what lies
//! between two anchors is matched in the same way (a patience diff). What has no anchors is matched for the longest common
//! subsequence if it is short; else equal entries are paired in order of appearance, and the longest run of those counts. So time
//! is at most `n log n` for each of [`MAX_LEVELS`], and memory linear.

use std::{collections::HashMap, ops::Range};

/// How often what lies between anchors is searched for anchors.
const MAX_LEVELS: usize = 24;
/// Most cells of a table for the longest common subsequence.
const MAX_CELLS: usize = 1 << 18;

/// Positions that belong together, ascending on both sides.
pub(super) type Pairs = Vec<(usize, usize)>;

/// A part of each side.
#[derive(Clone)]
struct Gap {
    old: Range<usize>,
    new: Range<usize>,
    level: usize,
}

/// Matches in turn by each of the keys of the entries, the most specific one first: each key matches what lies between
/// the pairs of those before.
pub(super) fn align_by_levels<const N: usize>(old: &[[u64; N]], new: &[[u64; N]]) -> Pairs {
    let mut pairs = Pairs::new();
    for level in 0..N {
        let keys = |side: &[[u64; N]]| side.iter().map(|keys| keys[level]).collect::<Vec<u64>>();
        let (old_keys, new_keys) = (keys(old), keys(new));
        let mut all = Pairs::new();
        for gap in gaps(&pairs, old.len(), new.len()) {
            align_gap(&old_keys, &new_keys, gap, &mut all);
        }
        all.append(&mut pairs);
        all.sort_unstable();
        pairs = all;
    }
    pairs
}

/// What lies before, between and after pairs.
fn gaps(pairs: &[(usize, usize)], old_len: usize, new_len: usize) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let (mut old, mut new) = (0, 0);
    for &(next_old, next_new) in pairs.iter().chain([&(old_len, new_len)]) {
        if old < next_old && new < next_new {
            gaps.push(Gap { old: old..next_old, new: new..next_new, level: 0 });
        }
        (old, new) = (next_old + 1, next_new + 1);
    }
    gaps
}

/// Matches a part of each side.
fn align_gap(old: &[u64], new: &[u64], gap: Gap, pairs: &mut Pairs) {
    let mut stack = vec![gap];
    while let Some(gap) = stack.pop() {
        let gap = trim(old, new, gap, pairs);
        if gap.old.is_empty() || gap.new.is_empty() {
            continue;
        }
        if gap.old.len() <= MAX_CELLS / gap.new.len() {
            common_subsequence(old, new, &gap, pairs);
            continue;
        }
        let anchors = longest_run(anchors(old, new, &gap));
        if anchors.is_empty() || gap.level == MAX_LEVELS {
            pairs.extend(longest_run(by_appearance(old, new, &gap)));
            continue;
        }
        let (mut from_old, mut from_new) = (gap.old.start, gap.new.start);
        for &(to_old, to_new) in anchors.iter().chain([&(gap.old.end, gap.new.end)]) {
            stack.push(Gap { old: from_old..to_old, new: from_new..to_new, level: gap.level + 1 });
            (from_old, from_new) = (to_old + 1, to_new + 1);
        }
        pairs.extend(anchors);
    }
}

/// Pairs what both sides begin and end with.
fn trim(old: &[u64], new: &[u64], mut gap: Gap, pairs: &mut Pairs) -> Gap {
    while !gap.old.is_empty() && !gap.new.is_empty() && old[gap.old.start] == new[gap.new.start] {
        pairs.push((gap.old.start, gap.new.start));
        gap.old.start += 1;
        gap.new.start += 1;
    }
    while !gap.old.is_empty() && !gap.new.is_empty() && old[gap.old.end - 1] == new[gap.new.end - 1] {
        gap.old.end -= 1;
        gap.new.end -= 1;
        pairs.push((gap.old.end, gap.new.end));
    }
    gap
}

/// What both sides have exactly once, in the order of the new side.
fn anchors(old: &[u64], new: &[u64], gap: &Gap) -> Pairs {
    let mut counts: HashMap<u64, (u32, u32, usize)> = HashMap::new();
    for position in gap.old.clone() {
        let entry = counts.entry(old[position]).or_default();
        entry.0 += 1;
        entry.2 = position;
    }
    for position in gap.new.clone() {
        if let Some(entry) = counts.get_mut(&new[position]) {
            entry.1 += 1;
        }
    }
    let anchor = |position: usize| match counts.get(&new[position]) {
        Some(&(1, 1, old)) => Some((old, position)),
        _ => None,
    };
    gap.new.clone().filter_map(anchor).collect()
}

/// The first of each kind with the first, the second with the second, in the order of the new side.
fn by_appearance(old: &[u64], new: &[u64], gap: &Gap) -> Pairs {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for position in gap.old.clone().rev() {
        places.entry(old[position]).or_default().push(position);
    }
    let pair = |position: usize| Some((places.get_mut(&new[position])?.pop()?, position));
    gap.new.clone().filter_map(pair).collect()
}

/// The longest subsequence of pairs, which ascend on the new side, that ascends on the old side too.
fn longest_run(pairs: Pairs) -> Pairs {
    // For each length of a run: the pair that ends the run whose end is smallest.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].0 < pair.0);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut run: Pairs = std::iter::successors(ends.last().copied(), |&index| before[index]).map(|index| pairs[index]).collect();
    run.reverse();
    run
}

/// The longest common subsequence, by a table.
fn common_subsequence(old: &[u64], new: &[u64], gap: &Gap, pairs: &mut Pairs) {
    let (rows, columns) = (gap.old.len(), gap.new.len());
    let width = columns + 1;
    // lengths[i * width + j]: of what follows row i and column j.
    let mut lengths = vec![0u32; (rows + 1) * width];
    let equal = |i: usize, j: usize| old[gap.old.start + i] == new[gap.new.start + j];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            lengths[i * width + j] = if equal(i, j) {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < rows && j < columns {
        if equal(i, j) {
            pairs.push((gap.old.start + i, gap.new.start + j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn align(old: &[u64], new: &[u64]) -> Pairs {
        let keys = |side: &[u64]| side.iter().map(|&key| [key]).collect::<Vec<_>>();
        let pairs = align_by_levels(&keys(old), &keys(new));
        assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1), "pairs cross: {pairs:?}");
        assert!(pairs.iter().all(|&(i, j)| old[i] == new[j]), "a pair is not equal: {pairs:?}");
        pairs
    }

    /// Numbers that look random.
    fn noise(len: usize, kinds: u64, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % kinds
        };
        (0..len).map(|_| next()).collect()
    }

    #[test]
    fn short_sequences_match_best() {
        assert_eq!(align(&[1, 2, 3], &[1, 2, 3]), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(align(&[1, 2, 3], &[1, 3]), [(0, 0), (2, 1)]);
        assert_eq!(align(&[1, 2], &[0, 1, 1, 2, 5]), [(0, 1), (1, 3)]);
        assert_eq!(align(&[1, 2, 3, 4], &[3, 4, 1, 2]).len(), 2);
        assert_eq!(align(&[], &[1]), []);
        assert_eq!(align(&[1], &[2]), []);
    }

    #[test]
    fn weaker_keys_match_between_stronger_ones() {
        let old = [[1, 0], [2, 7], [3, 0]];
        let new = [[1, 0], [9, 7], [8, 7], [3, 0]];
        assert_eq!(align_by_levels(&old, &new), [(0, 0), (1, 1), (2, 3)]);
    }

    #[test]
    fn a_few_changes_in_a_long_sequence_are_found() {
        let old: Vec<u64> = (0..200_000).collect();
        let mut new = old.clone();
        new.remove(150_000);
        new.insert(70_000, u64::MAX);
        new.splice(10..20, [5_000_000, 5_000_001]);
        assert_eq!(align(&old, &new).len(), 200_000 - 11);
    }

    /// In quadratic time they would take minutes; `align` checks the pairs.
    #[test]
    fn hard_sequences_are_aligned() {
        for kinds in [1, 2, 30, 5_000, 1 << 30] {
            let (old, new) = (noise(200_000, kinds, 1), noise(180_000, kinds, 2));
            align(&old, &new);
        }
        let reversed: Vec<u64> = (0..200_000).rev().collect();
        assert_eq!(align(&(0..200_000).collect::<Vec<_>>(), &reversed).len(), 1);
    }

    #[test]
    fn repeated_entries_match_in_order() {
        let old: Vec<u64> = (0..3000).map(|i| i % 3).collect();
        let new: Vec<u64> = [vec![7; 10], old.clone()].concat();
        assert!(align(&old, &new).len() >= 2990);
    }
}
