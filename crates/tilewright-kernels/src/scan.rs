//! Scanning a row: each element is combined with all before it.
//!
//! Blocks of 16 elements are scanned in doubling distances; so are then their last elements, and what comes out for a block is combined
//! with each element of the next one. An element is combined as often one after the other as in doubling distances over the whole row,
//! so errors grow alike, but most of it in one pass. The order is the same on every machine.
#![allow(unsafe_code, reason = "blocks may be scanned with instructions of CPU features")]

#[cfg(target_arch = "x86_64")]
pub(super) mod registers;

use super::{
    ahead::Ahead,
    fast::loops::{Fn2, Lane},
    usual::{combine, combine_all},
};
use crate::interrupt::Looks;
use std::{hint::black_box, marker::PhantomData};

const BLOCK: usize = 16;
/// Rounds of doubling distances in a block.
const ROUNDS: usize = 4;
/// Elements that are scanned in blocks before the next ones are: they stay in the nearest cache from round to round.
const PIECE: usize = 1024;

/// The steps of scanning a row, for what is fetched meanwhile.
pub fn steps(extent: usize) -> usize {
    extent / PIECE * ROUNDS
}

/// Scans a row of a power of two of elements, or from the last element to the first, with room for another one.
///
/// # Safety
/// As [`Blocks::scan`].
#[inline(always)]
pub(super) unsafe fn scan<T: Lane, F: Fn2<T::Wide>, B: Blocks<T>, const BACK: bool>(
    row: &[T],
    to: &mut [T],
    spare: &mut [T],
    ahead: &mut Ahead,
) {
    if row.len() <= BLOCK {
        return in_doubling_distances::<T, F, BACK>(row, to, spare);
    }
    let mut looks = Looks::new();
    for (row, to) in row.chunks(PIECE).zip(to.chunks_mut(PIECE)) {
        if looks.end_after(row.len()) {
            return;
        }
        let fetch = || {
            if row.len() == PIECE {
                ahead.fetch_share();
            }
        };
        // SAFETY: by the contract.
        unsafe { B::scan::<BACK>(row, to, &mut spare[..row.len()], fetch) };
    }
    // SAFETY: by the contract.
    unsafe { add_blocks_before::<T, F, B, BACK>(to, spare) };
}

/// How blocks are scanned.
pub(super) trait Blocks<T> {
    /// Scans each block of a piece, with room for another piece. Calls `fetch` once a round.
    ///
    /// # Safety
    /// The CPU has the features that the blocks are scanned with.
    unsafe fn scan<const BACK: bool>(piece: &[T], to: &mut [T], spare: &mut [T], fetch: impl FnMut());

    /// Combines what all blocks before a block combine to with each of its elements.
    ///
    /// # Safety
    /// As for `scan`.
    unsafe fn add(sum: T, block: &mut [T; BLOCK]);
}

/// Round by round, for all blocks of a piece together.
pub(super) struct InRounds<F>(PhantomData<F>);

impl<T: Lane, F: Fn2<T::Wide>> Blocks<T> for InRounds<F> {
    #[inline(always)]
    unsafe fn scan<const BACK: bool>(piece: &[T], to: &mut [T], spare: &mut [T], mut fetch: impl FnMut()) {
        fetch();
        round::<T, F, BACK, 1>(piece, spare);
        fetch();
        round::<T, F, BACK, 2>(spare, to);
        fetch();
        round::<T, F, BACK, 4>(to, spare);
        fetch();
        round::<T, F, BACK, 8>(spare, to);
    }

    #[inline(always)]
    unsafe fn add(sum: T, block: &mut [T; BLOCK]) {
        one_by_one();
        let mut combined = *block;
        combined.iter_mut().for_each(|x| *x = combine::<T, F>(sum, *x));
        *block = combined;
    }
}

/// Combines each element with the one at a distance before it in its block, where there is one.
#[inline(always)]
fn round<T: Lane, F: Fn2<T::Wide>, const BACK: bool, const DISTANCE: usize>(from: &[T], to: &mut [T]) {
    let (blocks, results) = (from.as_chunks::<BLOCK>().0, to.as_chunks_mut::<BLOCK>().0);
    let is_first = |i: usize| if BACK { i >= BLOCK - DISTANCE } else { i < DISTANCE };
    // Nothing lies before one of the blocks; of the others, elements that are the first ones are combined for nothing.
    let (lone, others, before) =
        if BACK { (blocks.len() - 1, 0..blocks.len() - 1, &from[DISTANCE..]) } else { (0, 1..blocks.len(), &from[BLOCK - DISTANCE..]) };
    for i in 0..BLOCK {
        let block = &blocks[lone];
        results[lone][i] = match is_first(i) {
            true => block[i],
            false => combine::<T, F>(block[if BACK { i + DISTANCE } else { i - DISTANCE }], block[i]),
        };
    }
    for ((result, block), before) in results[others.clone()].iter_mut().zip(&blocks[others]).zip(before.as_chunks::<BLOCK>().0) {
        one_by_one();
        // All is read before anything is written: the compiler cannot know that the places are different ones.
        let (block, before) = (*block, *before);
        let mut combined = block;
        for i in 0..BLOCK {
            let both = combine::<T, F>(before[i], block[i]);
            combined[i] = if is_first(i) { block[i] } else { both };
        }
        *result = combined;
    }
}

/// Keeps the compiler from making vectors of one element of each of several blocks, which takes ten times as long as blocks that are
/// vectors.
#[inline(always)]
fn one_by_one() {
    black_box(());
}

/// Combines the elements of each block with what those of all blocks before it combine to.
///
/// # Safety
/// As for [`Blocks::scan`].
#[inline(always)]
unsafe fn add_blocks_before<T: Lane, F: Fn2<T::Wide>, B: Blocks<T>, const BACK: bool>(row: &mut [T], spare: &mut [T]) {
    let blocks = row.as_chunks_mut::<BLOCK>().0;
    let (ends, rest) = spare.split_at_mut(blocks.len());
    let (sums, rest) = rest.split_at_mut(blocks.len());
    for (end, block) in ends.iter_mut().zip(&*blocks) {
        *end = block[if BACK { 0 } else { BLOCK - 1 }];
    }
    in_doubling_distances::<T, F, BACK>(ends, sums, rest);
    let last = blocks.len() - 1;
    let (later, sums) = if BACK { (&mut blocks[..last], &sums[1..]) } else { (&mut blocks[1..], &sums[..last]) };
    for (block, sum) in later.iter_mut().zip(sums) {
        // SAFETY: by the contract.
        unsafe { B::add(*sum, block) };
    }
}

/// Scans a row in doubling distances.
#[inline(always)]
fn in_doubling_distances<T: Lane, F: Fn2<T::Wide>, const BACK: bool>(row: &[T], to: &mut [T], spare: &mut [T]) {
    let spare = &mut spare[..row.len()];
    let rounds = row.len().trailing_zeros();
    // Rounds alternate between the two places, and the last one writes the result.
    if rounds.is_multiple_of(2) {
        to.copy_from_slice(row);
    } else {
        spare.copy_from_slice(row);
    }
    for round in 0..rounds {
        let distance = 1 << round;
        if (rounds - round).is_multiple_of(2) {
            step::<T, F, BACK>(to, spare, distance);
        } else {
            step::<T, F, BACK>(spare, to, distance);
        }
    }
}

/// Combines each element with the one at a distance before it, or behind it.
#[inline(always)]
fn step<T: Lane, F: Fn2<T::Wide>, const BACK: bool>(from: &[T], to: &mut [T], distance: usize) {
    let rest = from.len() - distance;
    if BACK {
        to[rest..].copy_from_slice(&from[rest..]);
        combine_all::<T, F>(&mut to[..rest], &from[distance..], &from[..rest]);
    } else {
        to[..distance].copy_from_slice(&from[..distance]);
        combine_all::<T, F>(&mut to[distance..], &from[..rest], &from[distance..]);
    }
}
