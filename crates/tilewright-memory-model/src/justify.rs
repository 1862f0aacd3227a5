//! No values out of thin air.
//!
//! A write is *certain*, given what some reads see, if its block makes the same write (location, value, ordering and scope) whatever its
//! other reads see. Executions whose writes become certain one after the other, where a read counts as seen once the write that it reads
//! from is certain, are free of values out of thin air. Dependencies that only look like some, such as a value that is multiplied by 0 or
//! a write in both branches, leave a write certain, because compilers may remove them.

use crate::{
    Relation,
    access::Strength,
    enumerate::Program,
    execution::{Behaviour, Candidate, Operation},
};
use std::collections::BTreeSet;

/// A write, as it is compared: where, what, how, and whether it is half of an atomic.
type Written = (usize, u64, Strength, bool);

/// A read whose value is settled: its site, which instance of it this is in its block, its location, and the value.
type Seen = (usize, usize, usize, u64);

/// Whether every write of an execution becomes certain.
pub(crate) fn comes_from_somewhere(
    program: &dyn Program,
    domain: &[BTreeSet<u64>],
    behaviour: &Behaviour,
    candidate: &Candidate,
    reads_from: &Relation,
) -> bool {
    // If no read comes before a write of its block that it depends on over others, nothing goes round in circles.
    if is_plain(candidate, reads_from) {
        return true;
    }
    let events = &candidate.events;
    let mut certain: Vec<bool> = events.iter().map(|event| event.operation.is_none()).collect();
    let is_seen = |certain: &[bool], read: usize| (0..events.len()).any(|write| reads_from.has(write, read) && certain[write]);
    loop {
        let mut progress = false;
        for event in (0..events.len()).filter(|event| events[*event].writes) {
            let Some((block, index)) = events[event].operation.filter(|_| !certain[event]) else { continue };
            let operations = &behaviour.blocks[block];
            let read_of = |index: usize| (0..events.len()).find(|at| events[*at].operation == Some((block, index)) && !events[*at].writes);
            let seen: Vec<Seen> = (0..operations.len())
                .filter(|index| read_of(*index).is_some_and(|read| is_seen(&certain, read)))
                .filter_map(|index| seen_at(operations, index))
                .collect();
            if is_certain(program, domain, block, &seen, written_up_to(operations, index)) {
                certain[event] = true;
                progress = true;
            }
        }
        let left = (0..events.len()).any(|event| events[event].writes && !certain[event]);
        if !left || !progress {
            return !left;
        }
    }
}

/// Whether reads-from and program order, from reads to later writes, go round in no circle.
fn is_plain(candidate: &Candidate, reads_from: &Relation) -> bool {
    let events = &candidate.events;
    let later = |a: usize, b: usize| match (events[a].operation, events[b].operation) {
        (Some((x, first)), Some((y, second))) => x == y && first <= second && !events[a].writes && events[b].writes,
        _ => false,
    };
    reads_from.or(&Relation::of(events.len(), later)).is_acyclic()
}

fn seen_at(operations: &[Operation], index: usize) -> Option<Seen> {
    let operation = &operations[index];
    let before = operations[..index].iter().filter(|other| other.site == operation.site && other.read.is_some()).count();
    Some((operation.site, before, operation.location, operation.read?))
}

fn written(operation: &Operation) -> Option<Written> {
    Some((operation.location, operation.write?, operation.strength, operation.read.is_some()))
}

/// The write of an operation, and how many like it the block has made by then, itself included.
fn written_up_to(operations: &[Operation], index: usize) -> (Option<Written>, usize) {
    let this = written(&operations[index]);
    (this, operations[..=index].iter().filter(|other| written(other) == this).count())
}

/// Whether the block makes a write so many times, whatever the reads that are not seen see.
fn is_certain(
    program: &dyn Program,
    domain: &[BTreeSet<u64>],
    block: usize,
    seen: &[Seen],
    (this, times): (Option<Written>, usize),
) -> bool {
    let mut open = vec![Vec::new()];
    while let Some(prefix) = open.pop() {
        let Ok(replay) = program.replay(block, &prefix) else { return false };
        let Some((site, location)) = replay.next_read else {
            if replay.operations.iter().filter(|other| written(other) == this).count() < times {
                return false;
            }
            continue;
        };
        let before = replay.operations.iter().filter(|other| other.site == site && other.read.is_some()).count();
        let settled = seen.iter().find(|(at, instance, of, _)| (*at, *instance, *of) == (site, before, location));
        let with = |value: u64| [prefix.as_slice(), &[value]].concat();
        match settled {
            Some((.., value)) => open.push(with(*value)),
            None => open.extend(domain[location].iter().map(|value| with(*value))),
        }
    }
    true
}
