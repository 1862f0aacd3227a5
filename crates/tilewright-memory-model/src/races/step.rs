//! One operation on its way through memory: what it acquires and releases, what it races with, what is remembered of it.

use super::{
    Access, ChainKind, Chains, Event, Kind, MAX_STRONG, Race, Reason, Side,
    knowledge::{Foreign, Knowledge, Local, Position},
    shadow::{Also, ChainPlace, Entry, EventId, LastWrite, Record, Shape, State},
};
use crate::access::{Distance, Strength, scopes_include_each_other};
use std::sync::Arc;

/// One operation on its way through memory.
pub(super) struct Step<'a, D> {
    pub(super) event: EventId,
    pub(super) access: &'a Access<'a, D>,
    /// What the operation knows by its token.
    pub(super) known: Knowledge,
    /// What it acquired, over all elements.
    pub(super) acquired: Foreign,
    /// Its positions in chains of releases.
    pub(super) releases: Local,
    pub(super) races: Vec<Race<D>>,
}

/// What an operation knows at one place, where it has acquired what was released there.
struct Here<'a> {
    events: &'a [Event],
    block: u32,
    known: &'a Knowledge,
    acquired: Option<Foreign>,
}

impl Here<'_> {
    /// Whether an earlier operation is before this one by tokens.
    fn waits_for(&self, event: EventId, block: u32) -> bool {
        block == self.block && self.events[event as usize].known_by.iter().any(|position| self.known.own.has(*position))
    }

    /// Whether an earlier operation is before this one by base causality; its element also has a position of its own.
    fn is_behind_event(&self, event: EventId, block: u32, element: Option<Position>) -> bool {
        let mut known_by = self.events[event as usize].known_by.iter().chain(&element);
        let foreign = self.acquired.as_ref().unwrap_or(&self.known.foreign);
        self.waits_for(event, block) || foreign.of(block).is_some_and(|local| known_by.any(|position| local.has(*position)))
    }

    /// Whether all accesses that an entry stands for are before this one.
    fn is_behind<D>(&self, entry: &Entry<D>) -> bool {
        let mut also = entry.also.as_deref();
        while let Some(next) = also {
            if !self.is_behind_event(next.event, entry.block, None) {
                return false;
            }
            also = next.also.as_deref();
        }
        self.is_behind_event(entry.event, entry.block, entry.position)
    }
}

impl<D: Clone> Step<'_, D> {
    fn distance(&self, block: u32) -> Distance {
        if block == self.access.block { Distance::SameBlock } else { Distance::SameDevice }
    }

    /// Whether the scopes of this and an earlier access include each other's block.
    fn scopes_meet(&self, strength: Strength, block: u32) -> bool {
        scopes_include_each_other(strength, self.access.strength, self.distance(block))
    }

    /// Compares the access with a history, and adds it.
    pub(super) fn visit(
        &mut self,
        events: &[Event],
        chains: &mut Chains,
        state: &mut State<D>,
        (kind, shape): (Kind, Shape),
        range: (u64, u64),
    ) {
        let Access { block, site, strength, .. } = *self.access;
        let known = std::mem::take(&mut self.known);
        let mut here = Here { events, block, known: &known, acquired: None };
        let observed = self.observed(&here, state, kind, shape);
        if kind.reads() && strength.acquires() {
            let acquired = self.acquire(&here, state, shape, observed.as_ref());
            self.acquired.merge(&acquired);
            let mut all = known.foreign.clone();
            all.merge(&acquired);
            here.acquired = Some(all);
        }
        self.compare(&here, state, kind, shape, range);
        let place = kind.writes().then(|| match &observed {
            Some((place, _)) if kind == Kind::Update => ChainPlace { updates: place.updates + 1, ..*place },
            _ => ChainPlace { first: self.event, updates: 0 },
        });
        let releases = kind.writes() && strength.releases();
        let position = releases.then(|| {
            let before = here.acquired.as_ref().unwrap_or(&known.foreign).of(block);
            chains.next(block, ChainKind::Releases, before.unwrap_or(&Local::default()))
        });
        self.releases.add_all(position);
        let released = position.map(|position| released(&here, position));
        if let Some(place) = place {
            let earlier = observed.as_ref().filter(|_| kind == Kind::Update).and_then(|(_, record)| record.clone());
            let record = self.release(&here, state, shape, (earlier, released.as_ref()));
            state.last = Some(LastWrite { event: self.event, block, strength, shape, place, record });
        }
        let observed = observed.filter(|_| strength.is_strong());
        let (reads, writes, unused) = (kind.reads(), kind.writes(), !self.access.result_used);
        let entry = Entry {
            event: self.event,
            block,
            site,
            strength,
            shape,
            reads,
            writes,
            unused,
            place,
            observed,
            position,
            released,
            also: None,
            detail: self.access.detail.clone(),
        };
        add(Arc::make_mut(if writes { &mut state.writes } else { &mut state.reads }), entry, &here);
        self.known = known;
    }

    /// What a read observes: the chain of the write that it reads from, if the two are morally strong.
    fn observed(&self, here: &Here<'_>, state: &State<D>, kind: Kind, shape: Shape) -> Option<(ChainPlace, Option<Arc<Record>>)> {
        let last = state.last.as_ref().filter(|_| kind.reads())?;
        let strong = here.waits_for(last.event, last.block) || self.scopes_meet(last.strength, last.block);
        (last.shape == shape && strong).then(|| (last.place, last.record.clone()))
    }

    /// What an acquire learns from the releases that it observes, itself or by a strong read that it waits for.
    fn acquire(&self, here: &Here<'_>, state: &State<D>, shape: Shape, observed: Option<&(ChainPlace, Option<Arc<Record>>)>) -> Foreign {
        let mut acquired = Foreign::default();
        let own = observed.and_then(|(_, record)| record.as_deref());
        let earlier = state.reads.iter().chain(state.writes.iter());
        let earlier = earlier.filter(|read| read.block == here.block && read.shape == shape && here.waits_for(read.event, read.block));
        let earlier = earlier.filter_map(|read| read.observed.as_ref()?.1.as_deref());
        for record in own.into_iter().chain(earlier) {
            self.acquire_record(record, &mut acquired);
        }
        acquired
    }

    fn acquire_record(&self, record: &Record, acquired: &mut Foreign) {
        let wide = self.access.strength.includes(Distance::SameDevice);
        if wide {
            acquired.merge(&record.wide);
        }
        // Releases of narrow scope count in their own block only, as all releases do for an acquire of narrow scope.
        let mut next = Some(record).filter(|record| !wide || record.has_narrow);
        while let Some(record) = next {
            let counted = wide && record.strength.includes(Distance::SameDevice);
            if record.block == self.access.block && !counted {
                acquired.merge(&record.released);
            }
            next = record.earlier.as_deref();
        }
    }

    /// The releases that who reads this write synchronises with.
    fn release(
        &self,
        here: &Here<'_>,
        state: &State<D>,
        shape: Shape,
        (earlier, own): (Option<Arc<Record>>, Option<&Foreign>),
    ) -> Option<Arc<Record>> {
        let mut record = earlier;
        let mut add = |block: u32, strength: Strength, released: Foreign| {
            let mut wide = record.as_ref().map(|earlier| earlier.wide.clone()).unwrap_or_default();
            let is_wide = strength.includes(Distance::SameDevice);
            if is_wide {
                wide.merge(&released);
            }
            let has_narrow = !is_wide || record.as_ref().is_some_and(|earlier| earlier.has_narrow);
            record = Some(Arc::new(Record { block, strength, released, wide, has_narrow, earlier: record.take() }));
        };
        if self.access.strength.is_strong() {
            // A release of the same location that this write waits for: a release pattern.
            let patterns = state.writes.iter().filter(|release| release.strength.releases() && release.shape == shape);
            for release in patterns.filter(|release| here.waits_for(release.event, release.block)) {
                release.released.iter().for_each(|released| add(release.block, release.strength, released.clone()));
            }
        }
        if let Some(own) = own {
            add(here.block, self.access.strength, own.clone());
        }
        record
    }

    fn compare(&mut self, here: &Here<'_>, state: &State<D>, kind: Kind, shape: Shape, (begin, end): (u64, u64)) {
        let reads = state.reads.iter().filter(|_| kind.writes());
        for earlier in state.writes.iter().chain(reads) {
            let Some(reason) = self.races_with(here, state, earlier, shape) else { continue };
            let kind_of = |entry: &Entry<D>| match (entry.reads, entry.writes) {
                (true, true) => Kind::Update,
                (true, false) => Kind::Read,
                _ => Kind::Write,
            };
            let Access { block, site, strength, .. } = *self.access;
            let (kind_of_first, detail) = (kind_of(earlier), earlier.detail.clone());
            let first = Side { block: earlier.block, site: earlier.site, kind: kind_of_first, strength: earlier.strength, detail };
            let second = Side { block, site, kind, strength, detail: self.access.detail.clone() };
            self.races.push(Race { first, second, address: begin, bytes: end - begin, reason });
        }
    }

    /// Whether the access races with an earlier one of the same bytes, with which it conflicts.
    fn races_with(&self, here: &Here<'_>, state: &State<D>, earlier: &Entry<D>, shape: Shape) -> Option<Reason> {
        let both_strong = earlier.strength.is_strong() && self.access.strength.is_strong();
        let scopes_meet = self.scopes_meet(earlier.strength, earlier.block);
        if scopes_meet && earlier.shape == shape {
            return None;
        }
        if earlier.event == self.event {
            return Some(Reason::SameOperation);
        }
        if is_before(here, state, earlier) {
            return None;
        }
        Some(match () {
            () if !both_strong => Reason::Unordered,
            () if scopes_meet => Reason::Overlap,
            () => Reason::Scope,
        })
    }
}

/// What is known to a release that has a position, itself included.
fn released(here: &Here<'_>, position: Position) -> Foreign {
    let mut own = here.known.own.clone();
    own.add(position);
    let mut released = here.acquired.clone().unwrap_or_else(|| here.known.foreign.clone());
    released.add(here.block, &own);
    released
}

/// Whether all accesses that an entry stands for are before this one, by base causality or by what observed them.
fn is_before<D>(here: &Here<'_>, state: &State<D>, earlier: &Entry<D>) -> bool {
    let mut also = earlier.also.as_deref();
    while let Some(next) = also {
        if !here.is_behind_event(next.event, earlier.block, None) && !is_observed(here, state, next.event, next.place) {
            return false;
        }
        also = next.also.as_deref();
    }
    here.is_behind_event(earlier.event, earlier.block, earlier.position) || is_observed(here, state, earlier.event, earlier.place)
}

/// Whether a write, by its place in a chain of updates, was observed by something that is before this access.
fn is_observed<D>(here: &Here<'_>, state: &State<D>, event: EventId, place: Option<ChainPlace>) -> bool {
    let Some(place) = place else { return false };
    let observes = |read: &&Entry<D>| {
        let seen = read.observed.as_ref().map(|(seen, _)| *seen);
        seen.is_some_and(|seen| seen.first == place.first && seen.updates >= place.updates) && read.event != event
    };
    state.reads.iter().chain(state.writes.iter()).filter(observes).any(|read| here.is_behind(read))
}

/// Adds an access to a history, and drops those that it stands for from now on: of the same operation of the program in the same block.
fn add<D>(entries: &mut Vec<Entry<D>>, mut entry: Entry<D>, here: &Here<'_>) {
    let alike = |other: &Entry<D>| {
        (other.block, other.site, other.strength, other.shape, other.reads, other.unused)
            == (entry.block, entry.site, entry.strength, entry.shape, entry.reads, entry.unused)
    };
    if let Some(same) = entries.iter().position(|other| other.event == entry.event) {
        // Another element of the same operation: one is enough, unless it is something else that was written.
        if alike(&entries[same]) && entries[same].writes == entry.writes {
            entries[same] = entry;
            return;
        }
    }
    if !entry.strength.is_strong() {
        // Weak: what is before it is before all that it is before; what is not, and that it is not before, is remembered with it.
        if let Some(at) = entries.iter().position(alike) {
            let other = entries.remove(at);
            if !entry.unused && !here.is_behind(&other) {
                entry.also = Some(Arc::new(Also { event: other.event, place: other.place, also: other.also }));
            }
        }
    } else if entry.unused {
        // Nothing is before others by its token; by observation, what is earlier in a chain is before more.
        let chain = entry.place.map(|place| place.first);
        let is_same = |other: &Entry<D>| alike(other) && other.place.map(|place| place.first) == chain;
        entries.retain(|other| !is_same(other));
        drop_oldest(entries, alike);
    } else {
        drop_oldest(entries, |other| alike(other) && here.is_behind(other));
    }
    entries.push(entry);
}

/// Drops the oldest of the entries, if there are as many as are kept.
fn drop_oldest<D>(entries: &mut Vec<Entry<D>>, is: impl Fn(&Entry<D>) -> bool) {
    if entries.iter().filter(|entry| is(entry)).count() >= MAX_STRONG
        && let Some(oldest) = entries.iter().position(is)
    {
        entries.remove(oldest);
    }
}
