//! Candidate executions, the relations derived from them, and the axioms. `docs/memory-model.md` states both; the names are the same.

use crate::{
    Relation,
    access::{Distance, Strength, scopes_include_each_other},
};
use std::ops::Range;

/// What one block did at one location: a load, a store, or an atomic update.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// Which operation of the program this is an instance of, for messages.
    pub site: usize,
    /// The location.
    pub location: usize,
    /// How it orders others.
    pub strength: Strength,
    /// The value that it read.
    pub read: Option<u64>,
    /// The value that it wrote.
    pub write: Option<u64>,
    /// The earlier operations of the block that it waits for: bit `i` for operation `i`, directly or over others.
    pub waits_for: u64,
}

/// What the blocks did, each in program order, and where they are.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The operations of each block.
    pub blocks: Vec<Vec<Operation>>,
    /// The device of each block.
    pub devices: Vec<u32>,
    /// The value of each location at first.
    pub initial: Vec<u64>,
}

/// An event: the reading or the writing half of an operation, or the initial write of a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The block and the position of the operation in it; none for initial writes.
    pub operation: Option<(usize, usize)>,
    /// Whether it writes.
    pub writes: bool,
    /// The location.
    pub location: usize,
    /// The value that is read or written.
    pub value: u64,
    /// How it orders others; initial writes are weak.
    pub strength: Strength,
}

/// The events of a behaviour, and the relations that do not depend on what reads from what.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The events: initial writes first, one for each location; then the blocks in order.
    pub events: Vec<Event>,
    /// Restricted program order: program order between operations that tokens order, and each atomic's read before its write.
    pub rpo: Relation,
    /// The read and the write of one atomic.
    pub rmw: Relation,
    /// Pairs at one location.
    pub same_location: Relation,
    /// Morally strong pairs.
    pub morally_strong: Relation,
    locations: usize,
}

impl Candidate {
    /// The events of a behaviour. It has at most [`crate::relation::MAX_EVENTS`] of them (see [`count_events`]).
    pub fn new(behaviour: &Behaviour) -> Candidate {
        let locations = behaviour.initial.len();
        let initial =
            |(location, value): (usize, &u64)| Event { operation: None, writes: true, location, value: *value, strength: Strength::WEAK };
        let mut events: Vec<Event> = behaviour.initial.iter().enumerate().map(initial).collect();
        for (block, operations) in behaviour.blocks.iter().enumerate() {
            for (index, operation) in operations.iter().enumerate() {
                let halves = [(false, operation.read), (true, operation.write)];
                let events_of = halves.into_iter().filter_map(|(writes, value)| {
                    let (location, strength) = (operation.location, operation.strength);
                    Some(Event { operation: Some((block, index)), writes, location, value: value?, strength })
                });
                events.extend(events_of);
            }
        }
        let n = events.len();
        let of_one = |a: usize, b: usize| events[a].operation.zip(events[b].operation);
        let rmw = Relation::of(n, |a, b| of_one(a, b).is_some_and(|(a, b)| a == b) && !events[a].writes && events[b].writes);
        let waits = |a: (usize, usize), b: (usize, usize)| a.0 == b.0 && behaviour.blocks[b.0][b.1].waits_for >> a.1 & 1 == 1;
        let rpo = Relation::of(n, |a, b| of_one(a, b).is_some_and(|(a, b)| waits(a, b))).or(&rmw);
        let same_location = Relation::of(n, |a, b| events[a].location == events[b].location);
        let distance = |a: usize, b: usize| match (behaviour.devices[a], behaviour.devices[b]) {
            _ if a == b => Distance::SameBlock,
            (a, b) if a == b => Distance::SameDevice,
            _ => Distance::Apart,
        };
        let by_scope = |a: usize, b: usize| {
            of_one(a, b).is_some_and(|(x, y)| scopes_include_each_other(events[a].strength, events[b].strength, distance(x.0, y.0)))
        };
        let ordered = rpo.or(&rpo.inverse());
        let morally_strong = Relation::of(n, |a, b| a != b && same_location.has(a, b) && (ordered.has(a, b) || by_scope(a, b)));
        Candidate { events, rpo, rmw, same_location, morally_strong, locations }
    }

    /// The reads.
    pub fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.events.len()).filter(|event| !self.events[*event].writes)
    }

    /// The writes of a location, without the initial one.
    pub fn writes_of(&self, location: usize) -> Vec<usize> {
        let is = |event: &usize| self.events[*event].writes && self.events[*event].location == location;
        (self.locations..self.events.len()).filter(is).collect()
    }

    /// How many locations there are.
    pub fn locations(&self) -> Range<usize> {
        0..self.locations
    }

    fn pairs(&self, holds: impl Fn(&Event, &Event) -> bool) -> Relation {
        Relation::of(self.events.len(), |a, b| holds(&self.events[a], &self.events[b]))
    }
}

/// How many events a behaviour has.
pub fn count_events(behaviour: &Behaviour) -> usize {
    let halves = |operation: &Operation| usize::from(operation.read.is_some()) + usize::from(operation.write.is_some());
    behaviour.initial.len() + behaviour.blocks.iter().flatten().map(halves).sum::<usize>()
}

/// What follows from a choice of what reads from what.
#[derive(Clone, Debug)]
pub struct Causality {
    /// Each write and the reads that read from it.
    pub reads_from: Relation,
    /// Observation order.
    pub observation: Relation,
    /// Synchronises-with.
    pub synchronises: Relation,
    /// Base causality order.
    pub base: Relation,
    /// Causality order.
    pub causality: Relation,
    /// Happens-before: causality, the beginning of the launch, and the reads of atomics whose writes are observed.
    pub happens_before: Relation,
}

impl Causality {
    /// The relations of a candidate in which `reads_from` holds.
    pub fn new(candidate: &Candidate, reads_from: Relation) -> Causality {
        let Candidate { rpo, rmw, same_location, morally_strong, .. } = candidate;
        // observation = ms & rf  |  observation ; rmw ; observation
        let link = morally_strong.and(&reads_from);
        let observation = link.then(&rmw.then(&link).closure()).or(&link);
        let rpo_here = rpo.and(same_location).or_same();
        // From the release to the strong write that is observed, and from the strong read that observes to the acquire.
        let strong_write =
            candidate.pairs(|release, write| release.writes && release.strength.releases() && write.writes && write.strength.is_strong());
        let strong_read =
            candidate.pairs(|read, acquire| !read.writes && read.strength.is_strong() && !acquire.writes && acquire.strength.acquires());
        let release_pattern = rpo_here.and(&strong_write);
        let acquire_pattern = rpo_here.and(&strong_read);
        let synchronises = release_pattern.then(&observation).then(&acquire_pattern).and(morally_strong);
        let base = rpo.or(&synchronises).closure();
        let causality = base.or(&observation.then(&base));
        // A launch begins behind all that was written before it.
        let from_start = candidate.pairs(|a, b| a.operation.is_none() && b.operation.is_some());
        let observed_atomics = rmw.then(&observation).then(&base);
        let happens_before = causality.or(&from_start).or(&observed_atomics);
        Causality { reads_from, observation, synchronises, base, causality, happens_before }
    }

    /// The pairs of different events in a data race, each once.
    pub fn races(&self, candidate: &Candidate) -> Vec<(usize, usize)> {
        let conflict = |a: usize, b: usize| {
            let (x, y) = (&candidate.events[a], &candidate.events[b]);
            // An operation does not race with itself; different elements of one operation are different operations here.
            x.operation != y.operation && x.location == y.location && (x.writes || y.writes)
        };
        let ordered = |a: usize, b: usize| self.happens_before.has(a, b) || self.happens_before.has(b, a);
        let n = candidate.events.len();
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        pairs.filter(|(a, b)| conflict(*a, *b) && !ordered(*a, *b) && !candidate.morally_strong.has(*a, *b)).collect()
    }

    /// The axiom of causality, as far as it is about reads-from: nothing reads what it causes.
    pub fn allows_reads(&self) -> bool {
        self.reads_from.then(&self.causality).is_irreflexive()
    }

    /// The coherence orders of a location that all axioms allow, each with the write that is last; none if more than `budget` steps would be
    /// needed, which are taken from it.
    ///
    /// All axioms but causality of reads and no-thin-air are about single locations, once causality is known.
    pub fn coherence_orders(&self, candidate: &Candidate, location: usize, budget: &mut u64) -> Option<Vec<(Relation, usize)>> {
        let writes = candidate.writes_of(location);
        let mut found: Vec<(Relation, usize)> = Vec::new();
        self.extend(candidate, &writes, &mut vec![location], budget, &mut |order| {
            let mut before = Relation::empty(candidate.events.len());
            for (at, a) in order.iter().enumerate() {
                for b in &order[at + 1..] {
                    if self.is_coherent(candidate, *a, *b) {
                        before.insert(*a, *b);
                    }
                }
            }
            let coherence = before.closure();
            let last = order.last().copied().unwrap_or(location);
            if !found.contains(&(coherence.clone(), last)) && self.allows_coherence(candidate, location, &coherence) {
                found.push((coherence, last));
            }
        })?;
        Some(found)
    }

    /// Whether coherence relates two writes of a location, of which the first comes first.
    fn is_coherent(&self, candidate: &Candidate, first: usize, second: usize) -> bool {
        let initial = candidate.events[first].operation.is_none();
        initial || self.causality.has(first, second) || candidate.morally_strong.has(first, second)
    }

    /// Calls `visit` with each order of the writes, behind those that are placed, that causality and atomicity do not exclude.
    fn extend(
        &self,
        candidate: &Candidate,
        writes: &[usize],
        placed: &mut Vec<usize>,
        budget: &mut u64,
        visit: &mut dyn FnMut(&[usize]),
    ) -> Option<()> {
        *budget = budget.checked_sub(1)?;
        if placed.len() > writes.len() {
            visit(placed);
            return Some(());
        }
        for write in writes.iter().filter(|write| !placed.contains(write)).copied().collect::<Vec<_>>() {
            let too_early = writes.iter().any(|other| self.causality.has(*other, write) && !placed.contains(other));
            if !too_early && !self.is_interrupted(candidate, write, placed) {
                placed.push(write);
                self.extend(candidate, writes, placed, budget, visit)?;
                placed.pop();
            }
        }
        Some(())
    }

    /// Whether a write is that of an atomic, and another one came between it and what the atomic read.
    fn is_interrupted(&self, candidate: &Candidate, write: usize, placed: &[usize]) -> bool {
        let read = (0..candidate.events.len()).find(|read| candidate.rmw.has(*read, write));
        let source = read.and_then(|read| Some((read, placed.iter().position(|source| self.reads_from.has(*source, read))?)));
        let ms = &candidate.morally_strong;
        source.is_some_and(|(read, at)| {
            placed[at + 1..].iter().any(|w| self.is_coherent(candidate, placed[at], *w) && ms.has(read, *w) && ms.has(*w, write))
        })
    }

    fn allows_coherence(&self, candidate: &Candidate, location: usize, coherence: &Relation) -> bool {
        let ms = &candidate.morally_strong;
        let here = candidate.pairs(|a, b| a.location == location && b.location == location);
        let reads_from = self.reads_from.and(&here);
        let from_read = reads_from.inverse().then(coherence);
        // Atomicity: no morally strong write comes between the halves of an atomic.
        let between = ms.and(&from_read).then(&ms.and(coherence));
        let atomicity = between.and(&candidate.rmw).is_empty();
        // Coherence of what is morally strong, and of what tokens order.
        let communication = reads_from.or(coherence).or(&from_read);
        let per_location = ms.and(&communication).or(&candidate.rpo.and(&here)).is_acyclic();
        // Causality, as far as it is about what was overwritten.
        let causality = from_read.then(&self.causality).is_irreflexive();
        atomicity && per_location && causality
    }
}
