//! What is remembered of the accesses of memory: a map of intervals.
//!
//! Bytes that were accessed by the same operations in the same order have one [`State`], which is shared; an access changes it once for all
//! runs of its bytes that have it. So a tile costs a step of the map for each contiguous run, and a comparison for each history.

use super::knowledge::{Foreign, Position};
use crate::access::Strength;
use std::{
    collections::BTreeMap,
    ops::Bound::{Excluded, Included},
    sync::Arc,
};

/// An operation of a launch, by number.
pub(super) type EventId = u32;

/// Where an operation stands in a chain of updates: the first write of the chain, and how many updates came behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ChainPlace {
    pub(super) first: EventId,
    pub(super) updates: u32,
}

/// How an element lies: its bytes, and where it begins modulo that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) bytes: u32,
    pub(super) phase: u32,
}

/// An access that later ones are compared with.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) event: EventId,
    pub(super) block: u32,
    pub(super) site: u32,
    pub(super) strength: Strength,
    pub(super) shape: Shape,
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// Whether nothing waits for its token: it is before nothing by tokens.
    pub(super) unused: bool,
    /// The place that it has in a chain by its write.
    pub(super) place: Option<ChainPlace>,
    /// What it observed by its read.
    pub(super) observed: Option<(ChainPlace, Option<Arc<Record>>)>,
    /// Its position in a chain of releases, which those know who acquired from this element: it does not release the others of its tile.
    pub(super) position: Option<Position>,
    /// What was known to it, itself included, if it releases.
    pub(super) released: Option<Foreign>,
    /// Earlier accesses that this one stands for, too: only who knows all of them is behind this one.
    pub(super) also: Option<Arc<Also>>,
}

/// Accesses of one site and block that no tokens order, as one entry.
#[derive(Debug)]
pub(super) struct Also {
    pub(super) event: EventId,
    pub(super) also: Option<Arc<Also>>,
}

/// The releases that an acquire of a location synchronises with, the latest first.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) block: u32,
    pub(super) strength: Strength,
    /// What was known to this release, itself included.
    pub(super) released: Foreign,
    /// What was known to this and all earlier releases whose scope is the device at least.
    pub(super) wide: Foreign,
    /// Whether this or an earlier release has a narrower scope.
    pub(super) has_narrow: bool,
    pub(super) earlier: Option<Arc<Record>>,
}

/// Drops a list without a call for each part: it may be long.
fn drop_list<T>(mut next: Option<Arc<T>>, rest: impl Fn(&mut T) -> Option<Arc<T>>) {
    while let Some(mut part) = next.and_then(|part| Arc::try_unwrap(part).ok()) {
        next = rest(&mut part);
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        drop_list(self.earlier.take(), |record| record.earlier.take());
    }
}

impl Drop for Also {
    fn drop(&mut self) {
        drop_list(self.also.take(), |also| also.also.take());
    }
}

/// The write that a location holds, as far as reads of it are concerned.
#[derive(Clone, Debug)]
pub(super) struct LastWrite {
    pub(super) event: EventId,
    pub(super) block: u32,
    pub(super) strength: Strength,
    pub(super) shape: Shape,
    pub(super) place: ChainPlace,
    pub(super) record: Option<Arc<Record>>,
}

/// The history of some bytes.
#[derive(Clone, Default, Debug)]
pub(super) struct State {
    pub(super) reads: Arc<Vec<Entry>>,
    pub(super) writes: Arc<Vec<Entry>>,
    pub(super) last: Option<LastWrite>,
}

struct Segment {
    end: u64,
    state: Arc<State>,
}

/// Histories by address.
#[derive(Default)]
pub(super) struct Shadow {
    segments: BTreeMap<u64, Segment>,
    /// The history of bytes that nobody has accessed, which all of them share.
    untouched: Arc<State>,
}

impl Shadow {
    /// Replaces the history of each part of `begin..end` by what `change` makes of it.
    pub(super) fn update(&mut self, begin: u64, end: u64, mut change: impl FnMut(u64, u64, Arc<State>) -> Arc<State>) {
        self.split(begin);
        self.split(end);
        let mut at = begin;
        while at < end {
            let next = self.segments.range_mut(at..end).next();
            match next {
                Some((start, segment)) if *start == at => {
                    let state = std::mem::take(&mut segment.state);
                    segment.state = change(at, segment.end, state);
                    at = segment.end;
                }
                other => {
                    let until = other.map_or(end, |(start, _)| *start);
                    let state = change(at, until, Arc::clone(&self.untouched));
                    self.segments.insert(at, Segment { end: until, state });
                    at = until;
                }
            }
        }
    }

    /// Forgets what happened at some addresses.
    pub(super) fn forget(&mut self, begin: u64, end: u64) {
        self.split(begin);
        self.split(end);
        let inside: Vec<u64> = self.segments.range((Included(begin), Excluded(end))).map(|(start, _)| *start).collect();
        inside.iter().for_each(|start| {
            self.segments.remove(start);
        });
    }

    /// Makes `at` a border, if it lies inside a segment.
    fn split(&mut self, at: u64) {
        let Some((_, segment)) = self.segments.range_mut(..at).next_back() else { return };
        if segment.end > at {
            let behind = Segment { end: segment.end, state: Arc::clone(&segment.state) };
            segment.end = at;
            self.segments.insert(at, behind);
        }
    }
}
