//! Litmus tests as modules on the engine: whatever the order of the accesses, what comes out is allowed.
//!
//! Each block has a worker, and a [`Gate`] before every access lets one block at a time go on, so that a seed decides the order of all
//! accesses of a launch.

use std::{
    collections::BTreeSet,
    fs,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};
use tilewright::{
    exec::{Access, AccessObserver, Arg, LaunchOptions, Memory, Program, launch},
    ir,
    memory_model::{
        DEFAULT_LIMIT, Outcome,
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
fn run(litmus: &Litmus, program: &Program, seed: u64) -> Outcome {
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
        let program = Program::new(module);
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
