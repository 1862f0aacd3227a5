//! Dimensions of an access along which what blocks have computed lies in one row, made one: as where several neighbouring blocks that gather rows
//! run as one, whose rows have two dimensions, that of the blocks and that of the rows of each.

use super::{AccessFunction, Along, Index, MAX_DIMS, Value, follows};
use smallvec::SmallVec;

/// The function with one dimension where leaves go on from one to the next; `None` if something else does not.
pub(super) fn merged(function: AccessFunction<(Value, Option<Along>)>) -> Option<AccessFunction<(Value, Option<usize>)>> {
    let AccessFunction { extents, mut nodes, leaves, offset, conditions } = function;
    let along = || leaves.iter().filter_map(|(_, along)| *along);
    // By dimension: whether it goes on where the one before it ends.
    let goes_on: SmallVec<[bool; MAX_DIMS]> =
        (0..extents.len()).map(|dim| along().any(|Along { first, last }| first < dim && dim <= last)).collect();
    // The dimension that each becomes a part of.
    let becomes: SmallVec<[usize; MAX_DIMS]> = goes_on
        .iter()
        .scan(0, |next, goes_on| {
            *next += usize::from(!goes_on);
            Some(*next - 1)
        })
        .collect();
    // A leaf that goes along a part of one differs from lane to lane in another order.
    let is_whole = |Along { first, last }: Along| !goes_on[first] && goes_on.get(last + 1) != Some(&true);
    if !along().all(is_whole) {
        return None;
    }
    for node in &mut nodes {
        let Index::Lane(indices) = &mut node.index else { continue };
        let mut steps = [0; MAX_DIMS];
        indices.iter().for_each(|(dim, times)| steps[*dim] += times);
        if !(1..extents.len()).all(|dim| !goes_on[dim] || follows(&steps, &extents, dim)) {
            return None;
        }
        indices.retain(|(dim, _)| goes_on.get(*dim + 1) != Some(&true));
        indices.iter_mut().for_each(|(dim, _)| *dim = becomes[*dim]);
    }
    let mut merged: SmallVec<[usize; MAX_DIMS]> = SmallVec::new();
    for (extent, goes_on) in extents.iter().zip(&goes_on) {
        match merged.last_mut() {
            Some(last) if *goes_on => *last *= extent,
            _ => merged.push(*extent),
        }
    }
    let leaves = leaves.iter().map(|(value, along)| (*value, along.map(|along| becomes[along.first]))).collect();
    Some(AccessFunction { extents: merged, nodes, leaves, offset, conditions })
}

/// The extents of a tile of as many dimensions whose proper ones are the merged ones: of dimensions that became one, the last one has all lanes.
pub(super) fn tile(tile: &[usize], extents: &[usize], merged: &[usize]) -> Vec<usize> {
    if extents.len() == merged.len() {
        return tile.to_vec();
    }
    let mut left = merged.iter().rev();
    let (mut lanes, mut covered) = (left.next().copied().unwrap_or(1), 1);
    let mut reversed: Vec<usize> = Vec::with_capacity(tile.len());
    for &extent in tile.iter().rev() {
        let is_first = covered == 1 && extent > 1;
        reversed.push(if is_first { lanes } else { 1 });
        covered *= extent;
        if covered == lanes {
            (lanes, covered) = (left.next().copied().unwrap_or(1), 1);
        }
    }
    reversed.reverse();
    reversed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_merged_dimensions_has_all_lanes() {
        assert_eq!(tile(&[2, 16, 128], &[2, 16, 128], &[32, 128]), [1, 32, 128]);
        assert_eq!(tile(&[2, 1, 16, 1, 128], &[2, 16, 128], &[32, 128]), [1, 1, 32, 1, 128]);
        assert_eq!(tile(&[2, 1, 16], &[2, 16], &[2, 16]), [2, 1, 16]);
        assert_eq!(tile(&[2, 4, 8, 16], &[2, 4, 8, 16], &[8, 128]), [1, 8, 1, 128]);
    }
}
