//! What is remembered of the accesses of memory: a map of intervals.
//!
//! Bytes that were accessed by the same operations in the same order have one [`State`], which is shared; an access changes it once for all
//! runs of its bytes that have it. So a tile costs a step of the map for each contiguous run, and a comparison for each history; and one
//! look at all if its bytes are those of an earlier tile.

use super::knowledge::{Foreign, Position};
use crate::access::Strength;
use std::{
    collections::{BTreeMap, HashMap},
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
pub(super) struct Entry<D> {
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
    /// What the caller said of it.
    pub(super) detail: D,
}

/// Accesses of one site and block that no tokens order, as one entry.
#[derive(Debug)]
pub(super) struct Also {
    pub(super) event: EventId,
    pub(super) place: Option<ChainPlace>,
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
#[derive(Clone, Debug)]
pub(super) struct State<D> {
    pub(super) reads: Arc<Vec<Entry<D>>>,
    pub(super) writes: Arc<Vec<Entry<D>>>,
    pub(super) last: Option<LastWrite>,
}

impl<D> Default for State<D> {
    fn default() -> State<D> {
        State { reads: Arc::default(), writes: Arc::default(), last: None }
    }
}

struct Segment {
    end: u64,
    group: GroupId,
}

type GroupId = u32;

/// Segments with one history.
struct Group<D> {
    state: Arc<State<D>>,
    segments: u32,
    /// The runs of an access, if the segments are exactly their bytes.
    runs: Option<Box<[Bytes]>>,
}

/// Addresses from the first to before the second.
pub(super) type Bytes = (u64, u64);

/// Histories by address.
///
/// Accesses come again and again to the same bytes: a tile that was accessed as a whole is a group, and is found again by its runs at once.
pub(super) struct Shadow<D> {
    segments: BTreeMap<u64, Segment>,
    groups: Vec<Group<D>>,
    free: Vec<GroupId>,
    /// Groups that are the runs of an access, by a hash of these.
    whole: HashMap<u64, GroupId>,
    /// The history of bytes that nobody has accessed, which all of them share.
    untouched: Arc<State<D>>,
}

impl<D> Default for Shadow<D> {
    fn default() -> Shadow<D> {
        Shadow { segments: BTreeMap::new(), groups: Vec::new(), free: Vec::new(), whole: HashMap::new(), untouched: Arc::default() }
    }
}

fn hash(runs: &[Bytes]) -> u64 {
    let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    runs.iter().fold(0, |hash, (begin, end)| mix(mix(hash, *begin), *end))
}

impl<D> Shadow<D> {
    /// The history of runs that are all of a group.
    pub(super) fn of_whole(&mut self, runs: &[Bytes]) -> Option<&mut Arc<State<D>>> {
        let group = self.whole.get(&hash(runs))?;
        let group = &mut self.groups[*group as usize];
        (group.runs.as_deref() == Some(runs)).then_some(&mut group.state)
    }

    /// Replaces the history of each part of these runs by what `change` makes of it, given the run's position.
    pub(super) fn update(&mut self, runs: &[Bytes], mut change: impl FnMut(usize, Bytes, Arc<State<D>>) -> Arc<State<D>>) {
        // The group of the first part, as long as all parts are in it.
        let mut common = None;
        let mut parts = 0;
        for (index, (begin, end)) in runs.iter().enumerate() {
            self.split(*begin);
            self.split(*end);
            let mut at = *begin;
            while at < *end {
                let next = self.segments.range(at..*end).next().map(|(start, segment)| (*start, segment.end, segment.group));
                let (until, state) = match next {
                    Some((start, until, group)) if start == at => (until, self.leave(group)),
                    other => (other.map_or(*end, |(start, ..)| start), Arc::clone(&self.untouched)),
                };
                let state = change(index, (at, until), state);
                let group = self.enter(state, common);
                common = if parts == 0 || common == Some(group) { Some(group) } else { None };
                self.segments.insert(at, Segment { end: until, group });
                parts += 1;
                at = until;
            }
        }
        let apart = runs.windows(2).all(|pair| pair[0].1 <= pair[1].0);
        if let Some(group) = common.filter(|_| parts == runs.len() && apart) {
            self.whole.insert(hash(runs), group);
            self.groups[group as usize].runs = Some(runs.into());
        }
    }

    /// Takes a segment out of a group; gives its history.
    fn leave(&mut self, id: GroupId) -> Arc<State<D>> {
        let group = &mut self.groups[id as usize];
        group.segments -= 1;
        if let Some(runs) = group.runs.take() {
            let key = hash(&runs);
            if self.whole.get(&key) == Some(&id) {
                self.whole.remove(&key);
            }
        }
        if group.segments > 0 {
            return Arc::clone(&group.state);
        }
        self.free.push(id);
        std::mem::take(&mut group.state)
    }

    /// Puts a segment with a history into a group: the one that is given if it has the same, else a new one.
    fn enter(&mut self, state: Arc<State<D>>, group: Option<GroupId>) -> GroupId {
        if let Some(id) = group
            && Arc::ptr_eq(&self.groups[id as usize].state, &state)
        {
            self.groups[id as usize].segments += 1;
            return id;
        }
        let group = Group { state, segments: 1, runs: None };
        match self.free.pop() {
            Some(id) => {
                self.groups[id as usize] = group;
                id
            }
            None => {
                self.groups.push(group);
                (self.groups.len() - 1) as GroupId
            }
        }
    }

    /// Forgets what happened at some addresses.
    pub(super) fn forget(&mut self, begin: u64, end: u64) {
        self.split(begin);
        self.split(end);
        let inside: Vec<(u64, GroupId)> = self.segments.range(begin..end).map(|(start, segment)| (*start, segment.group)).collect();
        for (start, group) in inside {
            self.segments.remove(&start);
            self.leave(group);
        }
    }

    /// Makes `at` a border, if it lies inside a segment.
    fn split(&mut self, at: u64) {
        let Some((_, segment)) = self.segments.range_mut(..at).next_back() else { return };
        if segment.end > at {
            let behind = Segment { end: segment.end, group: segment.group };
            segment.end = at;
            // The group has the same bytes as before.
            self.groups[behind.group as usize].segments += 1;
            self.segments.insert(at, behind);
        }
    }
}
