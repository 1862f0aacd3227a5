//! Random programs: what is found in a run is what the model says of that execution.

use super::{Access, Kind, Race, Races, Run, Token};
use crate::{
    Relation,
    access::Strength,
    execution::{Behaviour, Candidate, Causality, Operation},
};
use std::collections::BTreeSet;
use tilewright_ir::{MemoryOrderingSemantics as Ordering, MemoryScope as Scope};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// An operation of a random program.
#[derive(Clone, Debug)]
struct Op {
    /// Operations that a loop repeats have one site.
    site: usize,
    kind: Kind,
    strength: Strength,
    locations: Vec<usize>,
    /// The operations of the block whose tokens it waits for.
    waits_for: Vec<usize>,
    result_used: bool,
}

fn random_op(random: &mut Random, before: usize, locations: usize) -> Op {
    let kind = random.of(&[Kind::Read, Kind::Write, Kind::Update]);
    let scope = random.of(&[Scope::TlBlk, Scope::Device, Scope::Device, Scope::Sys]);
    let strong = match kind {
        Kind::Read => random.of(&[Ordering::Relaxed, Ordering::Acquire, Ordering::Acquire]),
        Kind::Write => random.of(&[Ordering::Relaxed, Ordering::Release, Ordering::Release]),
        Kind::Update => random.of(&[Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel]),
    };
    let strength = if kind != Kind::Update && random.one_in(3) { Strength::WEAK } else { Strength::new(strong, scope) };
    let first = random.below(locations);
    let several: Vec<usize> = (0..locations).filter(|location| *location == first || random.one_in(2)).collect();
    let waits_for = match random.below(4) {
        0 => Vec::new(),
        1 | 2 => before.checked_sub(1).into_iter().collect(),
        _ => (0..before).filter(|_| random.one_in(2)).collect(),
    };
    Op { site: before, kind, strength, locations: if random.one_in(3) { several } else { vec![first] }, waits_for, result_used: true }
}

/// A program, and how many locations it has; with loops, some operations are instances of one.
fn random_program(random: &mut Random, loops: bool) -> (Vec<Vec<Op>>, usize) {
    let (blocks, locations) = (1 + random.below(4), 1 + random.below(3));
    let longest = if random.one_in(3) { 6 } else { 4 };
    let mut program: Vec<Vec<Op>> = Vec::new();
    for _ in 0..blocks {
        let length = 1 + random.below(longest);
        let mut ops: Vec<Op> = (0..length).map(|before| random_op(random, before, locations)).collect();
        for index in 1..length {
            if loops && random.one_in(3) {
                let Op { site, kind, strength, .. } = ops[random.below(index)];
                ops[index] = Op { site, kind, strength, ..ops[index].clone() };
            }
        }
        for index in 0..length {
            ops[index].result_used = ops.iter().any(|op| op.waits_for.contains(&index)) || random.one_in(4);
        }
        program.push(ops);
    }
    (program, locations)
}

/// A run: which block goes on, one operation after the other.
fn random_schedule(random: &mut Random, program: &[Vec<Op>]) -> Vec<usize> {
    let mut left: Vec<usize> = program.iter().map(Vec::len).collect();
    let mut schedule = Vec::new();
    while left.iter().any(|left| *left > 0) {
        let block = random.below(left.len());
        if left[block] > 0 {
            left[block] -= 1;
            schedule.push(block);
        }
    }
    schedule
}

type Pairs = BTreeSet<(usize, usize, usize, usize)>;

fn pair(a: (usize, usize), b: (usize, usize)) -> (usize, usize, usize, usize) {
    let (first, second) = (a.min(b), a.max(b));
    (first.0, first.1, second.0, second.1)
}

/// The races that are found in a run. Blocks have sites of their own.
fn run(program: &[Vec<Op>], schedule: &[usize]) -> Vec<Race> {
    let mut races = Races::new();
    let mut tokens: Vec<Vec<Token>> = vec![Vec::new(); program.len()];
    for block in schedule {
        let index = tokens[*block].len();
        let op = &program[*block][index];
        let waited: Vec<&Token> = op.waits_for.iter().map(|index| &tokens[*block][*index]).collect();
        let token = match waited.as_slice() {
            [] => Token::default(),
            [one] => (*one).clone(),
            several => races.join(*block as u32, several),
        };
        // Locations that lie side by side are one run; the last one lies apart.
        let mut runs: Vec<Run> = Vec::new();
        for location in &op.locations {
            let address = 0x1000 + 4 * *location as u64 + 64 * (location / 2) as u64;
            match runs.last_mut().filter(|run| run.address + run.bytes == address) {
                Some(run) => run.bytes += 4,
                None => runs.push(Run { address, bytes: 4, kind: op.kind }),
            }
        }
        let access = Access {
            block: *block as u32,
            site: (*block * 100 + op.site) as u32,
            strength: op.strength,
            element: 4,
            runs: &runs,
            token: &token,
            result_used: op.result_used,
            detail: &(),
        };
        tokens[*block].push(races.access(&access));
    }
    races.findings()
}

/// The racing pairs of operations of a run, as they are found.
fn found(program: &[Vec<Op>], schedule: &[usize]) -> Pairs {
    let place = |site: u32| (site as usize / 100, site as usize % 100);
    run(program, schedule).iter().map(|race| pair(place(race.first.site), place(race.second.site))).collect()
}

/// What happens in a run, as the model has it.
fn behaviour(program: &[Vec<Op>], locations: usize, schedule: &[usize]) -> Behaviour {
    let mut memory = vec![0; locations];
    let mut blocks: Vec<Vec<Operation>> = vec![Vec::new(); program.len()];
    // The events of each operation, which are operations of the model.
    let mut parts: Vec<Vec<Vec<usize>>> = vec![Vec::new(); program.len()];
    for block in schedule {
        let index = parts[*block].len();
        let op = &program[*block][index];
        let mut waits_for = 0u64;
        for earlier in &op.waits_for {
            for part in &parts[*block][*earlier] {
                waits_for |= 1 << part | blocks[*block][*part].waits_for;
            }
        }
        let mut own = Vec::new();
        for location in &op.locations {
            let read = op.kind.reads().then_some(memory[*location]);
            let write = op.kind.writes().then_some(1 + (block * 100 + index * 10 + location) as u64);
            memory[*location] = write.unwrap_or(memory[*location]);
            own.push(blocks[*block].len());
            blocks[*block].push(Operation { site: op.site, location: *location, strength: op.strength, read, write, waits_for });
        }
        parts[*block].push(own);
    }
    Behaviour { devices: vec![0; blocks.len()], blocks, initial: vec![0; locations] }
}

/// The racing pairs of operations of a run by the model.
fn modelled(behaviour: &Behaviour) -> Pairs {
    let candidate = Candidate::new(behaviour);
    let events = &candidate.events;
    let from = |write: usize, read: usize| {
        let (write, read) = (&events[write], &events[read]);
        write.writes && !read.writes && write.location == read.location && write.value == read.value
    };
    let causality = Causality::new(&candidate, Relation::of(events.len(), from));
    assert!(causality.allows_reads(), "what ran is allowed");
    let races = causality.races(&candidate).into_iter();
    let side = |event: usize| {
        let (block, index) = events[event].operation.expect("initial writes race with nothing");
        (block, behaviour.blocks[block][index].site)
    };
    races.map(|(a, b)| pair(side(a), side(b))).collect()
}

#[test]
fn a_run_has_the_races_that_the_model_says() {
    let programs = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let (mut clean, mut racy) = (0, 0);
    for seed in 0..programs {
        let mut random = Random(seed);
        let loops = seed % 2 == 0;
        let (program, locations) = random_program(&mut random, loops);
        for _ in 0..3 {
            let schedule = random_schedule(&mut random, &program);
            let expected = modelled(&behaviour(&program, locations, &schedule));
            let found = found(&program, &schedule);
            if expected.is_empty() {
                clean += 1
            } else {
                racy += 1
            }
            // Of the instances of an operation in a loop, the last one is compared for all of them. Where it does not race and an earlier
            // one does, there is another race, too.
            let right = if loops { found.is_subset(&expected) && found.is_empty() == expected.is_empty() } else { found == expected };
            assert!(right, "seed {seed}\n{program:#?}\n{schedule:?}\nexpected {expected:?}\nfound {found:?}");
        }
    }
    assert!(clean > programs / 10 && racy > programs / 10, "{clean} clean and {racy} racy runs");
}

#[test]
fn the_order_of_blocks_makes_no_difference_where_reads_see_the_same() {
    let mut compared = 0;
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let (program, locations) = random_program(&mut random, seed % 2 == 0);
        let first = random_schedule(&mut random, &program);
        for _ in 0..4 {
            let second = random_schedule(&mut random, &program);
            if behaviour(&program, locations, &first).blocks == behaviour(&program, locations, &second).blocks {
                compared += usize::from(first != second);
                let (first, second) = (run(&program, &first), run(&program, &second));
                assert!(first == second, "seed {seed}\n{program:#?}\n{first:#?}\n{second:#?}");
            }
        }
    }
    assert!(compared > 5_000, "{compared} pairs of schedules compared");
}
