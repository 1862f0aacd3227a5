//! Reducing one long row.
#![allow(unsafe_code, reason = "with checks of bounds, a loop over eight parts of a row is no vector code")]

use super::{
    ahead::Ahead,
    fast::loops::{Fn2, Lane},
    rows::{SHORT, short},
    usual::{combine, combine_all},
};
use crate::interrupt::{Looks, PART};

/// Halves that are made at once of what is at least this long.
const LONG: usize = 8 * SHORT;

/// Elements of a row that are one step of computing, for what is fetched meanwhile.
const STEP: usize = 512;

/// The steps of reducing a row: those on the row, and those on an eighth of it.
pub fn steps(extent: usize) -> usize {
    extent / STEP + extent / 8 / STEP
}

/// Elements between two shares of what is fetched: many, if nothing is, because sums would leave the registers of the CPU each time.
fn pause(row: usize, ahead: &Ahead) -> usize {
    if ahead.lines() == 0 { row.min(PART) } else { STEP }
}

/// Reduces a row of more than [`SHORT`] elements, with room for another one.
#[inline(always)]
pub(super) fn reduce<T: Lane, F: Fn2<T::Wide>>(row: &[T], spare: &mut [T], ahead: &mut Ahead) -> T {
    if row.len() >= LONG
        && let Some(start) = F::start()
    {
        let result = in_any_order::<T, F>(row, start, ahead);
        if F::is_certain(result) {
            return T::narrow(result);
        }
    }
    in_order::<T, F>(row, spare, ahead)
}

/// The tree of halves.
#[inline(always)]
fn in_order<T: Lane, F: Fn2<T::Wide>>(row: &[T], spare: &mut [T], ahead: &mut Ahead) -> T {
    let (mut left, mut room) = (row, spare);
    while left.len() > SHORT {
        let thrice = left.len() >= LONG;
        let (to, rest) = room.split_at_mut(left.len() / if thrice { 8 } else { 2 });
        if thrice {
            halve_thrice::<T, F>(to, left, ahead);
        } else {
            let (lower, upper) = left.split_at(to.len());
            combine_all::<T, F>(to, lower, upper);
        }
        (left, room) = (to, rest);
    }
    short::<T, F>(left)
}

/// Halves a row three times: what lies in between needs no place in memory.
#[inline(always)]
fn halve_thrice<T: Lane, F: Fn2<T::Wide>>(to: &mut [T], row: &[T], ahead: &mut Ahead) {
    let n = to.len();
    assert_eq!(row.len(), 8 * n);
    let length = pause(row.len(), ahead) / 8;
    let mut looks = Looks::new();
    for (step, to) in to.chunks_mut(length).enumerate() {
        if looks.end_after(8 * to.len()) {
            return;
        }
        if to.len() == STEP / 8 {
            ahead.fetch_share();
        }
        for (i, to) in to.iter_mut().enumerate() {
            // SAFETY: the place is one in `to`, and below an eighth of the row's length.
            let part = |part: usize| unsafe { *row.get_unchecked(part * n + step * length + i) };
            let pair = |first: usize| combine::<T, F>(part(first), part(first + 4));
            *to = combine::<T, F>(combine::<T, F>(pair(0), pair(2)), combine::<T, F>(pair(1), pair(3)));
        }
    }
}

/// Reduces a row whose elements may be combined in any order.
#[inline(always)]
fn in_any_order<T: Lane, F: Fn2<T::Wide>>(row: &[T], start: T::Wide, ahead: &mut Ahead) -> T::Wide {
    let mut results = [start; LONG];
    let mut looks = Looks::new();
    for step in row.chunks(pause(row.len(), ahead)) {
        if looks.end_after(step.len()) {
            break;
        }
        if step.len() == STEP {
            ahead.fetch_share();
        }
        for chunk in step.as_chunks::<LONG>().0 {
            for (result, x) in results.iter_mut().zip(chunk) {
                *result = F::add(*result, x.widen());
            }
        }
    }
    let mut half = LONG / 2;
    while half > 0 {
        let (lower, upper) = results.split_at_mut(half);
        lower.iter_mut().zip(upper).for_each(|(lower, upper)| *lower = F::add(*lower, *upper));
        half /= 2;
    }
    results[0]
}
