//! Litmus tests as modules: what the engine makes of them is allowed, in whatever order it performs the accesses, and what is enumerated is
//! what is enumerated of the test.
//!
//! On the engine, each block has a worker, and a [`Gate`] before every access lets one block at a time go on, so that a seed decides the order of all
//! accesses of a launch.

use std::{
    collections::BTreeSet,
    fs,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};
use tilewright::{
    check::{CheckOptions, Checker},
    exec::{self, Access, AccessObserver, Arg, LaunchOptions, Memory, launch},
    ir,
    memory_model::{
        DEFAULT_LIMIT, Observe, Outcome, Program, enumerate,
        kernel::{Argument, Kernel},
        litmus::{LOCATION_STRIDE, Litmus, VALUES_STRIDE},
    },
    text,
};

/// How many orders each test is run in.
const SEEDS: u64 = 12;

/// A worker that never comes is an error, not a test that never ends.
const PATIENCE: Duration = Duration::from_secs(60);

struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    random: u64,
    /// Blocks that have not ended.
    running: usize,
    /// Blocks before an access.
    waiting: BTreeSet<u32>,
    /// The block that may go on.
    next: Option<u32>,
}

impl State {
    /// Once all blocks wait, one of them may go on.
    fn choose(&mut self) {
        if self.next.is_none() && !self.waiting.is_empty() && self.waiting.len() == self.running {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (self.random >> 33) as usize % self.waiting.len();
            self.next = self.waiting.iter().nth(at).copied();
        }
    }
}

impl Gate {
    fn new(seed: u64, blocks: usize) -> Gate {
        let state = State { random: seed, running: blocks, waiting: BTreeSet::new(), next: None };
        Gate { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn ended(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running -= 1;
        state.choose();
        self.changed.notify_all();
    }
}

impl AccessObserver for Gate {
    fn access(&self, access: &Access) {
        let block = access.block[0];
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.insert(block);
        state.choose();
        self.changed.notify_all();
        while state.next != Some(block) {
            let (held, late) = self.changed.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = held;
            assert!(!late.timed_out() || state.next == Some(block), "block {block} waits, but not all workers have begun");
        }
        state.waiting.remove(&block);
        state.next = None;
    }
}

/// Runs the test once; the seed decides the order.
fn run(litmus: &Litmus, program: &exec::Program, seed: u64) -> Outcome {
    let blocks = litmus.blocks.len();
    let gate = Arc::new(Gate::new(seed, blocks));
    let mut elements = vec![0i32; litmus.locations.len() * LOCATION_STRIDE];
    litmus.initial.iter().enumerate().for_each(|(at, value)| elements[at * LOCATION_STRIDE] = *value);
    let mut memory = Memory::new();
    let locations = memory.add(elements.iter().flat_map(|element| element.to_le_bytes()).collect());
    let values = memory.add(vec![0; blocks * VALUES_STRIDE * 4]);
    let args = [locations, values].map(|buffer| Arg::Pointer(memory.address(buffer)));
    let plan = program.plan("litmus").expect("a plan");
    let at_end = Arc::clone(&gate);
    let options = LaunchOptions::new().threads(blocks).observer(&*gate).progress(Arc::new(move |_| at_end.ended()));
    launch(&plan, &mut memory, [blocks as u32, 1, 1], &args, &options).expect("a launch");
    let element = |bytes: &[u8], at: usize| {
        let bytes = bytes[4 * at..][..4].try_into().expect("4 bytes");
        u64::from(u32::from_le_bytes(bytes))
    };
    let observed = |block: usize| {
        let count = litmus.blocks[block].observed.len();
        (0..count).map(|at| element(memory.bytes(values), block * VALUES_STRIDE + at)).collect()
    };
    Outcome {
        values: (0..blocks).map(observed).collect(),
        memory: litmus.observed.iter().map(|location| element(memory.bytes(locations), location * LOCATION_STRIDE)).collect(),
    }
}

#[test]
fn what_the_engine_does_is_allowed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/litmus");
    let (mut tests, mut several) = (0, 0);
    for entry in fs::read_dir(folder).expect("tests/litmus") {
        let litmus = Litmus::parse(&fs::read_to_string(entry.expect("an entry").path()).expect("a litmus test")).expect("a valid test");
        let source = litmus.to_tile_ir();
        let module =
            text::parse(&source, &text::ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source, &litmus.name)));
        let module = ir::verify(module).unwrap_or_else(|findings| panic!("{}: {}\n{source}", litmus.name, findings[0]));
        let program = exec::Program::new(module);
        let allowed = litmus.executions(DEFAULT_LIMIT).expect("few executions").outcomes;
        let shown: BTreeSet<Outcome> = (0..SEEDS).map(|seed| run(&litmus, &program, seed)).collect();
        for outcome in &shown {
            assert!(allowed.contains_key(outcome), "{}: {outcome:?} is not allowed\n{source}", litmus.name);
        }
        assert_eq!(run(&litmus, &program, 3), run(&litmus, &program, 3), "{}: a seed decides the order", litmus.name);
        tests += 1;
        several += usize::from(shown.len() > 1);
    }
    assert!(tests >= 150 && several > tests / 2, "{several} of {tests} tests came out in several ways");
}

/// Enumerating the module of a test is enumerating the test: the same outcomes, and a data race in both or none.
#[test]
fn kernels_are_enumerated_as_their_tests_are() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/litmus");
    let mut tests = 0;
    for entry in fs::read_dir(folder).expect("tests/litmus") {
        let litmus = Litmus::parse(&fs::read_to_string(entry.expect("an entry").path()).expect("a litmus test")).expect("a valid test");
        if litmus.blocks.iter().any(|block| block.device != 0) {
            continue;
        }
        let expected = litmus.executions(DEFAULT_LIMIT).expect("few executions");
        let module = text::parse(&litmus.to_tile_ir(), &text::ParseOptions::new()).expect("text that was just made");
        let module = ir::verify(module).expect("a valid module");
        let mut locations = vec![0; litmus.locations.len() * LOCATION_STRIDE];
        litmus.initial.iter().enumerate().for_each(|(at, value)| locations[at * LOCATION_STRIDE] = u64::from(*value as u32));
        let (first, blocks) = (locations.len(), litmus.blocks.len());
        let buffers = [locations, vec![0; blocks * VALUES_STRIDE]].map(|values| Argument::Buffer(ir::Scalar::I32, values));
        let kernel = Kernel::new(&module, "litmus", [blocks as u32, 1, 1], buffers.to_vec(), 1).expect("a small kernel");
        let initial = Program::initial(&kernel);
        let found = enumerate(&kernel, Observe::Written, DEFAULT_LIMIT).unwrap_or_else(|error| panic!("{}: {error}", litmus.name));
        let outcomes: BTreeSet<Outcome> = found
            .outcomes
            .keys()
            .map(|outcome| {
                let at = |location: usize| match found.observed.binary_search(&location) {
                    Ok(at) => outcome.memory[at],
                    Err(_) => initial[location],
                };
                let value = |block: usize, value: usize| at(first + block * VALUES_STRIDE + value);
                let of_block = |block: usize| (0..litmus.blocks[block].observed.len()).map(|v| value(block, v)).collect();
                let memory = litmus.observed.iter().map(|location| at(location * LOCATION_STRIDE)).collect();
                Outcome { values: (0..blocks).map(of_block).collect(), memory }
            })
            .collect();
        assert_eq!(outcomes, expected.outcomes.into_keys().collect(), "{}", litmus.name);
        assert_eq!(found.races.is_empty(), expected.races.is_empty(), "{}", litmus.name);
        tests += 1;
    }
    assert!(tests >= 150, "{tests} tests");
}

/// How many other orders of blocks the checker tries.
const SCHEDULES: u64 = 48;

/// Tests whose data race is in executions only that no order of blocks shows, and what these executions need.
const BEYOND_ORDERS: [(&str, &str); 2] =
    [("AcqPattern+cut", "an acquire that comes before an earlier load"), ("Dekker", "loads that come before earlier stores")];

/// The rules that accesses break which nothing orders.
const RACES: [&str; 5] = ["data-race", "narrow-scope", "mixed-size", "token-order", "same-element"];

/// The checker finds a race in the module of a test if the model has one in some execution of the test, and none if it has none.
#[test]
fn the_checker_finds_the_races_of_the_model() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/litmus");
    let (mut racy, mut clean) = (0, 0);
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).expect("tests/litmus") {
        let litmus = Litmus::parse(&fs::read_to_string(entry.expect("an entry").path()).expect("a litmus test")).expect("a valid test");
        if litmus.blocks.iter().any(|block| block.device != 0) {
            continue;
        }
        let races = !litmus.executions(DEFAULT_LIMIT).expect("few executions").races.is_empty();
        let module = text::parse(&litmus.to_tile_ir(), &text::ParseOptions::new()).expect("text that was just made");
        let checker = Checker::new(ir::verify(module).expect("a valid module"));
        let mut elements = vec![0i32; litmus.locations.len() * LOCATION_STRIDE];
        litmus.initial.iter().enumerate().for_each(|(at, value)| elements[at * LOCATION_STRIDE] = *value);
        let mut memory = Memory::new();
        let locations = memory.add(elements.iter().flat_map(|element| element.to_le_bytes()).collect());
        let values = memory.add(vec![0; litmus.blocks.len() * VALUES_STRIDE * 4]);
        let args = [locations, values].map(|buffer| Arg::Pointer(memory.address(buffer)));
        let (grid, options) = ([litmus.blocks.len() as u32, 1, 1], CheckOptions::new().schedules(SCHEDULES, 1));
        let report = checker.check("litmus", &mut memory, grid, &args, &options, &LaunchOptions::new());
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", litmus.name));
        let found = report.findings.iter().any(|finding| RACES.contains(&finding.rule.id));
        let expected = races && !BEYOND_ORDERS.iter().any(|(name, _)| *name == litmus.name);
        if found != expected {
            wrong.push(format!("{}: a race is {}", litmus.name, if found { "reported, and there is none" } else { "missed" }));
        }
        *(if races { &mut racy } else { &mut clean }) += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(racy >= 50 && clean >= 100, "{racy} tests with a race, {clean} without");
}
