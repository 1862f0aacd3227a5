//! Values that are undefined: which elements of a tile, and where that comes from.

use crate::lanes::{Lanes, coordinates, row_major};
use std::sync::Arc;
use tilewright_ir::Op;

/// Where an undefined value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    pub(crate) function: usize,
    pub(crate) op: Op,
    pub(crate) block: [u32; 3],
    pub(crate) cause: Cause,
}

/// Why a value is undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// Nobody wrote the memory at this address.
    NeverWritten(u64),
    /// The element was masked off, and the load has no padding.
    MaskedOff,
    /// The element lies outside of the tensor, and the view has no padding value.
    OutsideOfTensor,
}

/// The elements of a tile that are undefined: some, at least.
#[derive(Clone, Debug)]
pub(crate) struct Undefined {
    pub(crate) lanes: Lanes,
    pub(crate) origin: Arc<Origin>,
}

/// What is undefined of a value; mostly nothing.
pub(crate) type Shadow = Option<Arc<Undefined>>;

/// The shadow of a tile in which these elements are undefined.
pub(crate) fn shadow(lanes: Lanes, origin: &Arc<Origin>) -> Shadow {
    if lanes.is_none() { None } else { Some(Arc::new(Undefined { lanes, origin: Arc::clone(origin) })) }
}

/// The elements of a result of `len` elements that are undefined if each comes from one element of another tile.
pub(crate) fn gathered(from: &Undefined, len: usize, source: impl Fn(usize) -> usize) -> Shadow {
    shadow(Lanes::of(len, |i| from.lanes.contains(source(i))), &from.origin)
}

/// What is undefined of any of some values with as many elements.
pub(crate) fn united<'s>(shadows: impl IntoIterator<Item = &'s Shadow>) -> Shadow {
    let mut all = shadows.into_iter().flatten();
    let first = all.next()?;
    let mut rest = all.peekable();
    if rest.peek().is_none() {
        return Some(Arc::clone(first));
    }
    let mut lanes = first.lanes.clone();
    rest.for_each(|other| lanes.unite(&other.lanes));
    shadow(lanes, &first.origin)
}

/// All of a result, if any element of the values is undefined.
pub(crate) fn wholly<'s>(shadows: impl IntoIterator<Item = &'s Shadow>, len: usize) -> Shadow {
    let first = shadows.into_iter().flatten().next()?;
    shadow(Lanes::all(len), &first.origin)
}

pub(crate) fn broadcast(from: &Undefined, source: &[usize], result: &[usize]) -> Shadow {
    let strides = row_major(source);
    gathered(from, result.iter().product(), |i| {
        let at = coordinates(i, result);
        at.iter().zip(source).zip(&strides).map(|((i, extent), stride)| if *extent == 1 { 0 } else { i * stride }).sum()
    })
}

pub(crate) fn permute(from: &Undefined, source: &[usize], result: &[usize], permutation: &[usize]) -> Shadow {
    let strides = row_major(source);
    gathered(from, result.iter().product(), |i| {
        coordinates(i, result).iter().zip(permutation).map(|(i, dim)| i * strides.get(*dim).copied().unwrap_or(0)).sum()
    })
}

/// The slice that begins at these coordinates.
pub(crate) fn extract(from: &Undefined, source: &[usize], result: &[usize], first: &[usize]) -> Shadow {
    let strides = row_major(source);
    gathered(from, result.iter().product(), |i| {
        coordinates(i, result).iter().zip(first).zip(&strides).map(|((i, first), stride)| (i + first) * stride).sum()
    })
}

/// A tile in which the slice that begins at these coordinates is another one.
pub(crate) fn insert(part: (&Shadow, &[usize]), whole: (&Shadow, &[usize]), first: &[usize]) -> Shadow {
    let ((part, part_shape), (whole, whole_shape)) = (part, whole);
    let origin = &part.as_ref().or(whole.as_ref())?.origin;
    let strides = row_major(part_shape);
    let lanes = Lanes::of(whole_shape.iter().product(), |i| {
        let at = coordinates(i, whole_shape);
        let inside = at.iter().zip(first).zip(part_shape).all(|((i, first), extent)| (*first..first + extent).contains(i));
        if inside {
            let position: usize = at.iter().zip(first).zip(&strides).map(|((i, first), stride)| (i - first) * stride).sum();
            part.as_ref().is_some_and(|part| part.lanes.contains(position))
        } else {
            whole.as_ref().is_some_and(|whole| whole.lanes.contains(i))
        }
    });
    shadow(lanes, origin)
}

/// A fold along a dimension: what a result is made of are all elements along it, or, of a scan, those before it.
pub(crate) fn fold(from: &Undefined, shape: &[usize], dim: usize, scan: Option<bool>) -> Shadow {
    let outer: usize = shape[..dim].iter().product();
    let (extent, inner) = (shape[dim], shape[dim + 1..].iter().product::<usize>());
    let at = |o: usize, k: usize, i: usize| (o * extent + k) * inner + i;
    match scan {
        None => shadow(Lanes::of(outer * inner, |r| (0..extent).any(|k| from.lanes.contains(at(r / inner, k, r % inner)))), &from.origin),
        Some(reverse) => {
            let mut lanes = Lanes::none(shape.iter().product());
            for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
                let mut undefined = false;
                for k in 0..extent {
                    let position = at(o, if reverse { extent - 1 - k } else { k }, i);
                    undefined |= from.lanes.contains(position);
                    if undefined {
                        lanes.insert(position);
                    }
                }
            }
            shadow(lanes, &from.origin)
        }
    }
}

/// A product of matrices: a result needs a row of the left factor, a column of the right one, and its element of the sum.
pub(crate) fn product(factors: [(&Shadow, &[usize]); 2], sum: &Shadow, result: &[usize]) -> Shadow {
    let [(lhs, lhs_shape), (rhs, rhs_shape)] = factors;
    let origin = &lhs.as_ref().or(rhs.as_ref()).or(sum.as_ref())?.origin;
    let mut lanes = sum.as_ref().map_or_else(|| Lanes::none(result.iter().product()), |sum| sum.lanes.clone());
    let rank = result.len();
    let (m, n) = (result[rank - 2], result[rank - 1]);
    let batches: usize = result[..rank - 2].iter().product();
    let (k, rhs_k) = (lhs_shape[lhs_shape.len() - 1], rhs_shape[rhs_shape.len() - 2]);
    for b in 0..batches {
        for row in 0..m {
            if lhs.as_ref().is_some_and(|lhs| (0..k).any(|k_i| lhs.lanes.contains((b * m + row) * k + k_i))) {
                (0..n).for_each(|column| lanes.insert((b * m + row) * n + column));
            }
        }
        for column in 0..n {
            if rhs.as_ref().is_some_and(|rhs| (0..rhs_k).any(|k_i| rhs.lanes.contains((b * rhs_k + k_i) * n + column))) {
                (0..m).for_each(|row| lanes.insert((b * m + row) * n + column));
            }
        }
    }
    shadow(lanes, origin)
}
