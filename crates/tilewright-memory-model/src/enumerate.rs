//! All executions of a program that the model allows.
//!
//! The values that reads may see are found first: what is written when reads see these values, until nothing new is written, or as many
//! rounds have passed as there are writes, since no value comes out of more steps than that. Then every choice of what each read sees
//! gives a behaviour, every choice of the writes that these values come from gives a candidate, and the axioms decide.

use crate::{
    Relation,
    execution::{Behaviour, Candidate, Causality, Operation, count_events},
    justify,
    relation::MAX_EVENTS,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fmt,
};

/// A program whose blocks can be run again and again with chosen values for what they read.
pub trait Program {
    /// The initial values of the locations.
    fn initial(&self) -> Vec<u64>;

    /// The device of each block.
    fn devices(&self) -> Vec<u32>;

    /// Runs a block; its reads see these values, in the order of the program.
    ///
    /// # Errors
    /// When the block does what is not modelled.
    fn replay(&self, block: usize, values: &[u64]) -> Result<Replay, String>;
}

/// What a block did as far as values for its reads sufficed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// Its operations, in program order.
    pub operations: Vec<Operation>,
    /// The site and the location of the read that has no value any more; none if the block ended.
    pub next_read: Option<(usize, usize)>,
    /// The values that are observed, at its end.
    pub observed: Vec<u64>,
    /// Whether a loop went round more often than is followed: executions with this block going on are left out.
    pub cut: bool,
}

/// Which final values are part of outcomes.
#[derive(Clone, Copy, Debug)]
pub enum Observe<'a> {
    /// Those of these locations.
    Locations(&'a [usize]),
    /// Those of all locations that a block may write.
    Written,
}

/// What can be seen of an execution.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Outcome {
    /// For each block, the values that are observed at its end.
    pub values: Vec<Vec<u64>>,
    /// The final values of the observed locations.
    pub memory: Vec<u64>,
}

/// An access in a data race: its block and what it is an instance of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RaceSide {
    /// The block.
    pub block: usize,
    /// See [`Operation::site`].
    pub site: usize,
}

/// All that the model allows.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Executions {
    /// What can be seen, and in how many executions.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// The data races of some execution: a program with one is undefined.
    pub races: BTreeSet<(RaceSide, RaceSide)>,
    /// How many executions there are.
    pub count: u64,
    /// How many candidates were looked at.
    pub candidates: u64,
    /// The locations whose final values outcomes have, in order.
    pub observed: Vec<usize>,
    /// Whether executions were left out in which a loop goes round more often than is followed.
    pub cut: bool,
}

/// Why a program cannot be enumerated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnumerateError {
    /// More events in one execution than a relation has.
    TooManyEvents(usize),
    /// More candidates than the limit.
    TooManyCandidates(u64),
    /// A block read more often than the limit says: it loops.
    TooManyReads {
        /// The block.
        block: usize,
        /// The limit.
        limit: usize,
    },
    /// A block did what is not modelled.
    Unsupported(String),
}

impl fmt::Display for EnumerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnumerateError::TooManyEvents(n) => {
                write!(f, "an execution has {n} events, and at most {MAX_EVENTS} are enumerated; use fewer blocks or accesses")
            }
            EnumerateError::TooManyCandidates(limit) => {
                write!(f, "more than {limit} candidate executions; use fewer blocks or accesses, or raise --limit")
            }
            EnumerateError::TooManyReads { block, limit } => {
                write!(f, "block {block} reads more than {limit} times; loops that wait for others are enumerated only if they end")
            }
            EnumerateError::Unsupported(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for EnumerateError {}

/// How many candidates are looked at before the search gives up, if nothing else is said.
pub const DEFAULT_LIMIT: u64 = 20_000_000;

/// How often one block may read.
const MAX_READS: usize = 16;

/// How many ways one block can go.
const MAX_TRACES: usize = 1 << 18;

/// One way in which a block can go.
struct Trace {
    operations: Vec<Operation>,
    observed: Vec<u64>,
}

/// Finds all executions of a program.
///
/// # Errors
/// When there are more than can be enumerated, or a block does what is not modelled.
pub fn enumerate(program: &dyn Program, observe: Observe<'_>, limit: u64) -> Result<Executions, EnumerateError> {
    let mut search = Search { program, initial: program.initial(), limit, found: Executions::default(), domain: Vec::new() };
    let (traces, cut) = search.all_traces()?;
    search.found.cut = cut;
    search.found.observed = match observe {
        Observe::Locations(locations) => locations.to_vec(),
        Observe::Written => locations(&traces, |operation| operation.write.is_some()).into_iter().collect(),
    };
    search.choose_traces(&traces, &writable(&traces), &mut Vec::new())?;
    Ok(search.found)
}

/// The locations of the operations of some trace that are of a kind.
fn locations(traces: &[Vec<Trace>], is: impl Fn(&Operation) -> bool) -> BTreeSet<usize> {
    let operations = traces.iter().flatten().flat_map(|trace| &trace.operations);
    operations.filter(|operation| is(operation)).map(|operation| operation.location).collect()
}

/// For each block, the values that it can write, with their locations.
fn writable(traces: &[Vec<Trace>]) -> Vec<HashSet<(usize, u64)>> {
    let of_trace = |trace: &Trace| trace.operations.iter().filter_map(|operation| Some((operation.location, operation.write?))).collect();
    traces.iter().map(|of_block| of_block.iter().flat_map(|trace| -> Vec<_> { of_trace(trace) }).collect()).collect()
}

struct Search<'a> {
    program: &'a dyn Program,
    initial: Vec<u64>,
    limit: u64,
    found: Executions,
    /// The values that each location may hold.
    domain: Vec<BTreeSet<u64>>,
}

impl Search<'_> {
    /// The ways that each block can go, with any values that can come out of a program at all.
    fn all_traces(&mut self) -> Result<(Vec<Vec<Trace>>, bool), EnumerateError> {
        self.domain = self.initial.iter().map(|value| BTreeSet::from([*value])).collect();
        let mut round = 0;
        loop {
            let blocks = 0..self.program.devices().len();
            let mut cut = false;
            let traces = blocks.map(|block| self.traces_of(block, &mut cut)).collect::<Result<Vec<_>, _>>()?;
            let read: BTreeSet<usize> = locations(&traces, |operation| operation.read.is_some());
            let is_link = |operation: &&Operation| operation.write.is_some() && read.contains(&operation.location);
            let writes = |trace: &Trace| trace.operations.iter().filter(is_link).count();
            let most: usize = traces.iter().map(|of_block| of_block.iter().map(writes).max().unwrap_or(0)).sum();
            let before: usize = self.domain.iter().map(BTreeSet::len).sum();
            for operation in traces.iter().flatten().flat_map(|trace| &trace.operations) {
                if let Some(value) = operation.write {
                    self.domain[operation.location].insert(value);
                }
            }
            let after: usize = self.domain.iter().map(BTreeSet::len).sum();
            if before == after || round >= most {
                return Ok((traces, cut));
            }
            round += 1;
        }
    }

    fn traces_of(&self, block: usize, cut: &mut bool) -> Result<Vec<Trace>, EnumerateError> {
        let mut traces = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(values) = open.pop() {
            let replay = self.program.replay(block, &values).map_err(EnumerateError::Unsupported)?;
            match replay.next_read {
                None if replay.cut => *cut = true,
                None => traces.push(Trace { operations: replay.operations, observed: replay.observed }),
                Some(_) if values.len() == MAX_READS => return Err(EnumerateError::TooManyReads { block, limit: MAX_READS }),
                Some((_, location)) => open.extend(self.domain[location].iter().map(|value| {
                    let mut longer = values.clone();
                    longer.push(*value);
                    longer
                })),
            }
            if traces.len() + open.len() > MAX_TRACES || traces.len() as u64 > self.limit {
                return Err(EnumerateError::TooManyCandidates(self.limit));
            }
        }
        Ok(traces)
    }

    fn count(&mut self) -> Result<(), EnumerateError> {
        self.found.candidates += 1;
        if self.found.candidates > self.limit { Err(EnumerateError::TooManyCandidates(self.limit)) } else { Ok(()) }
    }

    /// Goes through all combinations of ways that the blocks can go, as far as what is read can have been written at all.
    fn choose_traces<'t>(
        &mut self,
        traces: &'t [Vec<Trace>],
        writable: &[HashSet<(usize, u64)>],
        chosen: &mut Vec<&'t Trace>,
    ) -> Result<(), EnumerateError> {
        let Some(of_block) = traces.get(chosen.len()) else { return self.choose_sources(chosen) };
        for trace in of_block {
            self.count()?;
            chosen.push(trace);
            if self.can_have_sources(chosen, &writable[chosen.len()..]) {
                self.choose_traces(traces, writable, chosen)?;
            }
            chosen.pop();
        }
        Ok(())
    }

    /// Whether each value that is read is an initial one, or written by these blocks, or may be by the others.
    fn can_have_sources(&self, chosen: &[&Trace], others: &[HashSet<(usize, u64)>]) -> bool {
        let operations = || chosen.iter().flat_map(|trace| &trace.operations);
        let is_written = |at: (usize, u64)| {
            let here = operations().any(|operation| operation.write.is_some_and(|value| (operation.location, value) == at));
            here || others.iter().any(|writable| writable.contains(&at))
        };
        let mut reads = operations().filter_map(|operation| Some((operation.location, operation.read?)));
        reads.all(|(location, value)| self.initial[location] == value || is_written((location, value)))
    }

    /// Goes through all writes that the values of one behaviour can come from.
    fn choose_sources(&mut self, chosen: &[&Trace]) -> Result<(), EnumerateError> {
        self.count()?;
        let behaviour = Behaviour {
            blocks: chosen.iter().map(|trace| trace.operations.clone()).collect(),
            devices: self.program.devices(),
            initial: self.initial.clone(),
        };
        // Locations that nothing touches have no part in it.
        let here = touched(&behaviour);
        let smaller = restrict(&behaviour, &here);
        let events = count_events(&smaller);
        if events > MAX_EVENTS {
            return Err(EnumerateError::TooManyEvents(events));
        }
        let candidate = Candidate::new(&smaller);
        let reads: Vec<usize> = candidate.reads().collect();
        let sources: Vec<Vec<usize>> = reads.iter().map(|read| sources_of(&candidate, *read)).collect();
        let mut choice = vec![0; reads.len()];
        if sources.iter().any(Vec::is_empty) {
            return Ok(());
        }
        loop {
            self.count()?;
            let mut reads_from = Relation::empty(candidate.events.len());
            reads.iter().zip(&sources).zip(&choice).for_each(|((read, from), at)| reads_from.insert(from[*at], *read));
            self.judge(chosen, (&behaviour, &here), &candidate, Causality::new(&candidate, reads_from))?;
            // The next choice, counting in a number system with a digit for each read.
            let Some(at) = (0..choice.len()).find(|at| choice[*at] + 1 < sources[*at].len()) else { return Ok(()) };
            choice[..at].fill(0);
            choice[at] += 1;
        }
    }

    /// Asks the axioms about one candidate.
    fn judge(
        &mut self,
        chosen: &[&Trace],
        (behaviour, here): (&Behaviour, &[usize]),
        candidate: &Candidate,
        causality: Causality,
    ) -> Result<(), EnumerateError> {
        if !causality.allows_reads() {
            return Ok(());
        }
        let mut orders = Vec::new();
        for location in candidate.locations() {
            let mut budget = self.limit.saturating_sub(self.found.candidates);
            let of_location = causality.coherence_orders(candidate, location, &mut budget);
            let of_location = of_location.ok_or(EnumerateError::TooManyCandidates(self.limit))?;
            self.found.candidates = self.limit - budget;
            if of_location.is_empty() {
                return Ok(());
            }
            orders.push(of_location);
        }
        if !justify::comes_from_somewhere(self.program, &self.domain, behaviour, candidate, &causality.reads_from) {
            return Ok(());
        }
        let all = orders.iter().map(|of_location| of_location.len() as u64).product::<u64>();
        self.found.count += all;
        let side = |event: usize| {
            let operation = candidate.events[event].operation;
            operation.map(|(block, index)| RaceSide { block, site: chosen[block].operations[index].site })
        };
        let races = causality.races(candidate).into_iter().filter_map(|(a, b)| side(a).zip(side(b)));
        self.found.races.extend(races.map(|(a, b)| (a.min(b), a.max(b))));
        // The final values of the observed locations, and in how many executions they are.
        let mut finals: Vec<(Vec<u64>, u64)> = vec![(Vec::new(), all)];
        for location in &self.found.observed {
            let Ok(at) = here.binary_search(location) else {
                finals.iter_mut().for_each(|(known, _)| known.push(behaviour.initial[*location]));
                continue;
            };
            let mut last: BTreeMap<u64, u64> = BTreeMap::new();
            for (_, write) in &orders[at] {
                *last.entry(candidate.events[*write].value).or_default() += 1;
            }
            let share = |count: u64, times: u64| count / orders[at].len() as u64 * times;
            let longer = |(known, count): &(Vec<u64>, u64)| -> Vec<(Vec<u64>, u64)> {
                last.iter().map(|(value, times)| ([known.as_slice(), &[*value]].concat(), share(*count, *times))).collect()
            };
            finals = finals.iter().flat_map(longer).collect();
        }
        for (memory, count) in finals {
            let outcome = Outcome { values: chosen.iter().map(|trace| trace.observed.clone()).collect(), memory };
            *self.found.outcomes.entry(outcome).or_default() += count;
        }
        Ok(())
    }
}

/// The locations that a behaviour touches, in order.
fn touched(behaviour: &Behaviour) -> Vec<usize> {
    let locations: BTreeSet<usize> = behaviour.blocks.iter().flatten().map(|operation| operation.location).collect();
    locations.into_iter().collect()
}

/// A behaviour on the locations that it touches only, which are numbered anew.
fn restrict(behaviour: &Behaviour, here: &[usize]) -> Behaviour {
    let place = |location: usize| here.binary_search(&location).unwrap_or_default();
    let renumber = |operation: &Operation| Operation { location: place(operation.location), ..*operation };
    Behaviour {
        blocks: behaviour.blocks.iter().map(|operations| operations.iter().map(renumber).collect()).collect(),
        devices: behaviour.devices.clone(),
        initial: here.iter().map(|location| behaviour.initial[*location]).collect(),
    }
}

/// The writes that a read may read from: those of the value at the location, but not that of the same atomic.
fn sources_of(candidate: &Candidate, read: usize) -> Vec<usize> {
    let event = &candidate.events[read];
    let is = |write: &usize| {
        let other = &candidate.events[*write];
        let fits = other.writes && other.location == event.location && other.value == event.value;
        fits && !candidate.rpo.has(read, *write)
    };
    (0..candidate.events.len()).filter(is).collect()
}
