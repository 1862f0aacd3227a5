//! Litmus tests, run one access after the other in random orders: what happens is allowed, and the races that are found in a run are those
//! that the model says of this execution.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};
use tilewright_memory_model::{
    DEFAULT_LIMIT, Outcome, Program, Relation,
    execution::{Behaviour, Candidate, Causality, Operation},
    litmus::{Expectation, Litmus},
    races::{Access, Kind, Races, Run, Token},
};

/// How many orders each test is run in.
const RUNS: u64 = 200;

/// Tests whose races need an execution that is not one access after the other: both blocks enter, or an acquire reads from an earlier write
/// than the relaxed load before it.
const NEVER_IN_RUNS: [&str; 2] = ["AcqPattern+cut", "Dekker"];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

/// What happened in a run.
struct Happened {
    behaviour: Behaviour,
    /// For each read, by block and operation, the operation that it read from; none for what memory held at first.
    sources: BTreeMap<(usize, usize), Option<(usize, usize)>>,
    /// The blocks in the order in which they made their operations.
    order: Vec<usize>,
    outcome: Outcome,
}

fn run(litmus: &Litmus, seed: u64) -> Happened {
    let mut random = Random(seed);
    let blocks = litmus.devices().len();
    let mut memory = litmus.initial();
    let mut writer = vec![None; memory.len()];
    let mut values: Vec<Vec<u64>> = vec![Vec::new(); blocks];
    let mut behaviour = Behaviour { blocks: vec![Vec::new(); blocks], devices: litmus.devices(), initial: litmus.initial() };
    let (mut sources, mut order) = (BTreeMap::new(), Vec::new());
    let mut open: Vec<usize> = (0..blocks).collect();
    while !open.is_empty() {
        let at = random.below(open.len());
        let block = open[at];
        let index = behaviour.blocks[block].len();
        let mut replay = litmus.replay(block, &values[block]).expect("a litmus test runs");
        if let Some((_, location)) = replay.next_read.filter(|_| replay.operations.len() == index) {
            values[block].push(memory[location]);
            sources.insert((block, index), writer[location]);
            replay = litmus.replay(block, &values[block]).expect("a litmus test runs");
        }
        let Some(operation) = replay.operations.get(index) else {
            open.remove(at);
            continue;
        };
        if let Some(value) = operation.write {
            (memory[operation.location], writer[operation.location]) = (value, Some((block, index)));
        }
        behaviour.blocks[block].push(*operation);
        order.push(block);
    }
    let observed = |block: usize| litmus.replay(block, &values[block]).expect("a litmus test runs").observed;
    let outcome =
        Outcome { values: (0..blocks).map(observed).collect(), memory: litmus.observed.iter().map(|location| memory[*location]).collect() };
    Happened { behaviour, sources, order, outcome }
}

type Pairs = BTreeSet<[(usize, usize); 2]>;

fn pair(mut sides: [(usize, usize); 2]) -> [(usize, usize); 2] {
    sides.sort_unstable();
    sides
}

/// The races by the model: blocks and lines.
fn modelled(happened: &Happened) -> Pairs {
    let candidate = Candidate::new(&happened.behaviour);
    let events = &candidate.events;
    let reads_from = Relation::of(events.len(), |write, read| {
        let (write, read) = (&events[write], &events[read]);
        let source = read.operation.and_then(|read| happened.sources.get(&read));
        write.writes && !read.writes && write.location == read.location && source == Some(&write.operation)
    });
    let races = Causality::new(&candidate, reads_from).races(&candidate);
    let side = |event: usize| {
        let (block, index) = events[event].operation.expect("initial writes race with nothing");
        (block, happened.behaviour.blocks[block][index].site)
    };
    races.into_iter().map(|(a, b)| pair([side(a), side(b)])).collect()
}

/// The races as they are found on the way.
fn found(happened: &Happened) -> Pairs {
    let mut races = Races::new();
    let mut tokens: Vec<Vec<Token>> = vec![Vec::new(); happened.behaviour.blocks.len()];
    for block in &happened.order {
        let Operation { site, location, strength, read, write, waits_for } = happened.behaviour.blocks[*block][tokens[*block].len()];
        let waited: Vec<&Token> = tokens[*block].iter().enumerate().filter(|(at, _)| waits_for >> at & 1 == 1).map(|(_, t)| t).collect();
        let token = races.join(*block as u32, &waited);
        let kind = match (read, write) {
            (Some(_), Some(_)) => Kind::Update,
            (Some(_), None) => Kind::Read,
            _ => Kind::Write,
        };
        let runs = [Run { address: 64 * location as u64, bytes: 4, kind }];
        // Blocks have lines of their own, so a line says the block.
        let access = Access {
            block: *block as u32,
            site: site as u32,
            strength,
            element: 4,
            runs: &runs,
            token: &token,
            result_used: true,
            detail: &(),
        };
        tokens[*block].push(races.access(&access));
    }
    let side = |side: &tilewright_memory_model::races::Side| (side.block as usize, side.site as usize);
    races.findings().iter().map(|race| pair([side(&race.first), side(&race.second)])).collect()
}

#[test]
fn what_is_found_in_runs_is_what_the_model_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/litmus");
    let (mut tests, mut never_found) = (0, Vec::new());
    for entry in fs::read_dir(folder).expect("tests/litmus") {
        let litmus = Litmus::parse(&fs::read_to_string(entry.expect("an entry").path()).expect("a litmus test")).expect("a valid test");
        let allowed = litmus.executions(DEFAULT_LIMIT).expect("few executions").outcomes;
        let mut racy = false;
        for seed in 0..RUNS {
            let happened = run(&litmus, seed);
            assert!(allowed.contains_key(&happened.outcome), "{}, run {seed}: {:?} is not allowed", litmus.name, happened.outcome);
            // A run that is watched is of one device.
            if litmus.devices().iter().any(|device| *device != 0) {
                continue;
            }
            let expected = modelled(&happened);
            assert_eq!(found(&happened), expected, "{}, run {seed}, order {:?}", litmus.name, happened.order);
            racy |= !expected.is_empty();
            tests += 1;
        }
        let is_racy = litmus.expectations.contains(&Expectation::Race(true));
        assert!(is_racy || !racy, "{} has no races", litmus.name);
        if is_racy && !racy && litmus.devices().iter().all(|device| *device == 0) {
            never_found.push(litmus.name.clone());
        }
    }
    assert!(tests > 150 * RUNS as usize);
    never_found.sort();
    assert_eq!(never_found, NEVER_IN_RUNS, "tests with races in no run");
}
