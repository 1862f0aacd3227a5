//! Random programs: the engine, on one thread and on two, against a naive evaluator.
//!
//! A failing program is shrunk and printed with the seed that made it. `SEED=n` runs the program of one seed only, `PROGRAMS=n` as
//! many as that, from the seed on if both are said.

mod coarser;
mod compiled;
mod features;
mod generate;
mod machine;
mod naive;
mod nvidia;
mod passes;
mod regular;

use generate::{
    Choices, Program, beside_program, combinations, edge_program, elementwise_program, exhaustive_program, integer_program,
    normalised_program, over_k_program, program, rounds_program, stopped_program, stored_program, sum_program,
};
use naive::facts::FactsCheck;
use naive::value::{Element, Item, Trust};
use regular::Combination;
use std::{
    collections::BTreeSet,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
};
use tilewright_exec::{Arg, GroupBlocks, LaunchOptions, Level, Memory, OutputSink, PlanPass, TargetMachine, launch};
use tilewright_ir::{Opcode, Type, TypeData};
use tilewright_text::{PrintOptions, print};

/// How many programs a run tries.
const PROGRAMS: u64 = 3000;

/// How many programs are made, and not run, to see what they show.
const PROGRAMS_SHOWN: u64 = 24_000;

/// Modules of which programs must show what they do, and the bytes that each is made of.
const MODULES: u64 = 1500;
const MODULE_BYTES: usize = 3000;
/// How many programs a run tries of neighbouring blocks that run in step, or as one, and of products of matrices.
const PROGRAMS_BESIDE: u64 = 1000;

/// Bytes of a line of the caches.
const LINE: usize = 64;

/// What was looked at.
#[derive(Default)]
struct Looked {
    /// Bytes that were compared to the bit.
    exact: usize,
    /// Elements that were compared with a tolerance.
    near: usize,
    /// Elements that could be anything.
    unknown: usize,
    /// Texts that were printed.
    printed: usize,
    /// Facts about operands and loops that held.
    facts: usize,
    /// Programs that an assertion stopped.
    stopped: usize,
    /// Bytes that are others where products are not rounded by themselves.
    rounded_once: usize,
}

/// What a launch prints, one text for each operation.
#[derive(Default)]
struct Texts(Vec<Vec<u8>>);

impl io::Write for Texts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How many bytes behind the beginning of a line the output of a program begins, aligned to every element.
fn shift(program: &Program) -> usize {
    program.input.iter().map(|byte| usize::from(*byte)).sum::<usize>() % 8 * 8
}

/// What a launch of a program left behind: its output, and what it printed; and where its input and output were.
struct Left {
    output: Vec<u8>,
    texts: Vec<Vec<u8>>,
    addresses: [u64; 2],
}

/// Launches a program that is planned by `engine`.
fn launched(program: &Program, engine: &tilewright_exec::Program, threads: usize) -> Result<Left, String> {
    let plan = engine.plan("k").map_err(|error| error.to_string())?;
    let mut output = vec![0; program.output + 2 * LINE];
    let mut memory = Memory::new();
    let input = memory.add(program.input.clone());
    // Somewhere in a line, as allocators place it.
    let start = output.as_ptr().align_offset(LINE) + shift(program);
    let output = memory.add_borrowed(&mut output[start..][..program.output]);
    let addresses = [memory.address(input), memory.address(output)];
    let scalars = program.scalars.iter().map(|(scalar, bits)| Arg::Scalar(*scalar, *bits));
    let args: Vec<Arg> = addresses.iter().map(|address| Arg::Pointer(*address)).chain(scalars).collect();
    let printed = Arc::new(Mutex::new(Texts::default()));
    let options = LaunchOptions::new().threads(threads).output(OutputSink::new(printed.clone()));
    // Two threads write past the caches wherever a launch may, and run blocks in groups wherever these can.
    let options = if threads == 2 { options.last_cache(0).group_blocks(GroupBlocks::Always) } else { options };
    launch(&plan, &mut memory, program.grid, &args, &options).map_err(|error| error.to_string())?;
    if memory.bytes(input) != program.input {
        return Err("the input changed".to_owned());
    }
    let texts = std::mem::take(&mut printed.lock().expect("nobody panicked").0);
    Ok(Left { output: memory.bytes(output).to_vec(), texts, addresses })
}

/// What the evaluator makes of a program whose input and output are at these addresses: its memory, and what it prints.
fn evaluated(program: &Program, addresses: [u64; 2], facts: &FactsCheck) -> (naive::Memory, Vec<Vec<u8>>) {
    let mut memory = naive::Memory::default();
    memory.add(addresses[0], program.input.clone());
    memory.add(addresses[1], vec![0; program.output]);
    let args: Vec<u64> = addresses.into_iter().chain(program.scalars.iter().map(|(_, bits)| *bits)).collect();
    let printed = naive::run(&program.module, &mut memory, program.grid, &args, facts);
    (memory, printed)
}

/// The machines that this one can plan for, besides itself: without native code, with less of its instructions, and any machine.
fn other_machines() -> Vec<TargetMachine> {
    let host = TargetMachine::host();
    let levels = [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter_map(TargetMachine::at);
    let others = [host.without_native_code(), host.without_half_arithmetic(), TargetMachine::portable()];
    others.into_iter().chain(levels).filter(|machine| *machine != host).collect()
}

/// Launches a program as it is planned for each machine, and compares the results with those of this one: equal bits, but for NaNs, as
/// docs/numerics.md promises.
fn compare_machines(program: &Program, looked: &mut Looked) -> Result<(), String> {
    let here = tilewright_exec::Program::new(program.module.clone());
    let expected = launched(program, &here, 1)?;
    let facts = FactsCheck::new(&program.module);
    let (memory, _) = evaluated(program, expected.addresses, &facts);
    let multiplies =
        program.module.functions.iter().any(|f| f.body.preorder().any(|op| matches!(op.opcode(), Opcode::MmaF | Opcode::MmaFScaled)));
    // Products are rounded twice where nothing fuses them with the sum.
    let is_comparable = |machine: &TargetMachine| !multiplies || machine.level() != Level::Baseline || cfg!(not(target_arch = "x86_64"));
    for machine in other_machines().into_iter().filter(is_comparable) {
        let found = launched(program, &here.copy_for(machine), 1)?;
        if found.texts != expected.texts {
            return Err(format!("{machine:?} prints other texts"));
        }
        let [found, expected] = [&found, &expected].map(|left| without_nans(program, &memory, expected.addresses[1], &left.output));
        if let Some(at) = (0..found.len()).find(|at| found[*at] != expected[*at]) {
            return Err(format!("{machine:?}: byte {at} of the output is {:#04x}, here {:#04x}", found[at], expected[at]));
        }
        looked.exact += found.len();
    }
    Ok(())
}

/// Runs a program with the engine, as passes make it on one thread and on two and as it stands, and with the evaluator, and compares what
/// they store.
fn compare(program: &Program, looked: &mut Looked) -> Result<(), String> {
    let text = || print(&program.module, &PrintOptions::new());
    let improved = tilewright_exec::Program::new(program.module.clone());
    let as_it_is = tilewright_exec::Program::without_passes(program.module.clone());
    let mut left = Vec::new();
    for (engine, threads) in [(&improved, 1), (&improved, 2), (&as_it_is, 1)] {
        left.push(launched(program, engine, threads)?);
    }
    let addresses = left[0].addresses;
    let facts = FactsCheck::new(&program.module);
    let (memory, expected) = evaluated(program, addresses, &facts);
    looked.facts += facts.held.get();
    if let Some(what) = facts.failed.take() {
        return Err(format!("a fact does not hold: {what}"));
    }
    looked.printed += expected.len();
    for found in &mut left {
        same_texts(expected.clone(), std::mem::take(&mut found.texts), program.grid == [1; 3])?;
    }
    difference(&memory, addresses[1], &left[0].output, looked)?;
    if without_nans(program, &memory, addresses[1], &left[0].output) != without_nans(program, &memory, addresses[1], &left[1].output) {
        return Err(format!("one thread and two give different results\n{}", text()));
    }
    let told = |what| format!("without passes: {what}");
    difference(&memory, addresses[1], &left[2].output, &mut Looked::default()).map_err(told)
}

/// Whether the engine printed what the evaluator did: in its order, if there is one block, else in any.
fn same_texts(mut expected: Vec<Vec<u8>>, mut found: Vec<Vec<u8>>, in_order: bool) -> Result<(), String> {
    if !in_order {
        expected.sort_unstable();
        found.sort_unstable();
    }
    match expected.iter().zip(&found).find(|(expected, found)| expected != found) {
        Some((expected, found)) => Err(format!("it printed \"{}\", expected \"{}\"", found.escape_ascii(), expected.escape_ascii())),
        None if expected.len() != found.len() => Err(format!("it printed {} texts, expected {}", found.len(), expected.len())),
        None => Ok(()),
    }
}

/// The engine's output, with zeros for the NaNs that arithmetic gave, whose bits nobody promises: of two NaNs an operation gives one, and
/// which one depends on how many elements are computed at once. The evaluator does not know of all floats whether they are NaN; where a program
/// reads bits of floats as integers, all that it does not know may have come of one.
fn without_nans(program: &Program, memory: &naive::Memory, start: u64, found: &[u8]) -> Vec<u8> {
    let mut bytes = found.to_vec();
    let types = &program.module.tables.types;
    let is_float = |ty: Type| match types.get(ty) {
        TypeData::Tile { element, .. } => matches!(types.get(*element), TypeData::Scalar(scalar) if scalar.is_float()),
        _ => false,
    };
    let reads_bits = program.module.functions.iter().any(|f| {
        let mut bitcasts = f.body.preorder().filter(|op| op.opcode() == Opcode::Bitcast);
        bitcasts.any(|op| is_float(f.body.ty(op.operands()[0])))
    });
    for (address, element, item) in memory.doubts() {
        let Some(at) = address.checked_sub(start).map(|at| at as usize).filter(|at| *at < bytes.len()) else { continue };
        let place = at..at + element.bits().div_ceil(8) as usize;
        let is_nan = match item.trust {
            Trust::Nan => true,
            Trust::Unknown if reads_bits => true,
            Trust::Unknown if element.is_float() => {
                let bits = bytes[place.clone()].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                matches!(naive::number::decode(element.scalar(), bits), naive::number::Number::Nan)
            }
            _ => false,
        };
        if is_nan {
            bytes[place].fill(0);
        }
    }
    bytes
}

/// The first place where the engine's output is not what the evaluator allows.
fn difference(memory: &naive::Memory, start: u64, found: &[u8], looked: &mut Looked) -> Result<(), String> {
    let expected = memory.bytes(start);
    let mut doubtful = vec![false; found.len()];
    for (address, element, item) in memory.doubts() {
        let Some(at) = address.checked_sub(start).map(|at| at as usize).filter(|at| *at < found.len()) else { continue };
        let size = element.bits().div_ceil(8) as usize;
        let bits = found[at..at + size].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        doubtful[at..at + size].fill(true);
        match item.trust {
            Trust::Unknown => looked.unknown += 1,
            _ => looked.near += 1,
        }
        if !item.allows(element, bits) {
            return Err(told(at, element, item, bits));
        }
    }
    for at in (0..found.len()).filter(|at| !doubtful[*at]) {
        looked.exact += 1;
        if expected[at] != found[at] {
            return Err(format!("byte {at} of the output is {:#04x}, expected {:#04x}", found[at], expected[at]));
        }
    }
    Ok(())
}

fn told(at: usize, element: Element, item: Item, bits: u64) -> String {
    let value = |bits| if element.is_float() { format!("{:?}", naive::number::decode(element.scalar(), bits)) } else { String::new() };
    let (expected, found) = (value(item.bits), value(bits));
    format!("{element:?} at {at} of the output is {bits:#x} {found}, expected {:#x} {expected} ({:?})", item.bits, item.trust)
}

/// Makes programs of decisions.
#[derive(Clone, Copy)]
struct Maker<'a> {
    make: fn(&mut Choices, &[Vec<Combination>]) -> Program,
    all: &'a [Vec<Combination>],
    /// What is wrong with a program, if anything.
    judge: fn(&Program, &mut Looked) -> Result<(), String>,
}

/// What is wrong with the program of these decisions, and its text.
fn failure(choices: Choices, maker: Maker<'_>, looked: &mut Looked) -> (Vec<u32>, Option<(String, String)>) {
    let mut choices = choices;
    let made = (maker.make)(&mut choices, maker.all);
    let result = catch_unwind(AssertUnwindSafe(|| (maker.judge)(&made, looked)));
    let what = match result {
        Ok(Ok(())) => None,
        Ok(Err(what)) => Some(what),
        Err(panic) => Some(panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned())),
    };
    (choices.into_taken(), what.map(|what| (what, print(&made.module, &PrintOptions::new()))))
}

/// The most programs that shrinking tries.
const ATTEMPTS: usize = 10_000;

/// Makes a failing program smaller, as long as it fails: leaves decisions out and makes them simpler, many at a time, then few, until
/// nothing helps any more.
fn shrink(mut taken: Vec<u32>, mut failed: (String, String), maker: Maker<'_>, most: usize) -> (String, String) {
    let weight = |taken: &[u32]| (taken.len(), taken.iter().map(|n| u64::from(*n)).sum::<u64>());
    let mut attempts = 0;
    loop {
        let before = weight(&taken);
        for length in (0..10).rev().map(|power| 1 << power) {
            let mut start = 0;
            while start < taken.len() {
                let end = (start + length).min(taken.len());
                let with = |middle: Vec<u32>| [&taken[..start], &middle[..], &taken[end..]].concat();
                let simpler = [Vec::new(), vec![0; end - start], taken[start..end].iter().map(|n| n / 2).collect()].map(with);
                let helped = simpler.into_iter().find_map(|candidate| {
                    attempts += 1;
                    let (used, what) = failure(Choices::recorded(candidate), maker, &mut Looked::default());
                    what.filter(|_| weight(&used) < weight(&taken)).map(|what| (used, what))
                });
                match helped {
                    Some((used, what)) => (taken, failed) = (used, what),
                    None => start += length,
                }
                if attempts > most {
                    return failed;
                }
            }
        }
        if weight(&taken) == before {
            return failed;
        }
    }
}

/// Compares the programs of these seeds.
fn compare_seeds(seeds: std::ops::Range<u64>, maker: Maker<'_>) -> Looked {
    let mut looked = Looked::default();
    for seed in seeds {
        let (taken, failed) = failure(Choices::random(seed), maker, &mut looked);
        let Some(failed) = failed else { continue };
        // The evaluator's panics are failures like others; one is enough to be told of.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let (what, text) = shrink(taken, failed, maker, ATTEMPTS);
        std::panic::set_hook(hook);
        panic!("seed {seed}: {what}\n{text}");
    }
    looked
}

/// The seeds that are asked for, or else so many.
fn seeds(programs: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match (number("SEED"), number("PROGRAMS")) {
        (Some(seed), count) => seed..seed + count.unwrap_or(1),
        (None, count) => 0..count.unwrap_or(programs),
    }
}

#[test]
fn the_engine_does_what_the_naive_evaluator_does() {
    let seeds = seeds(PROGRAMS);
    // A person who asks for fewer programs asks for no totals.
    let few = seeds.end - seeds.start < PROGRAMS;
    let looked = compare_seeds(seeds, Maker { make: program, all: &combinations(), judge: compare });
    // Programs whose results are all unknown would prove nothing.
    assert!(few || looked.exact > 20 * looked.unknown, "{} exact, {} near, {} unknown", looked.exact, looked.near, looked.unknown);
    assert!(few || looked.near > 1000, "only {} results with a tolerance", looked.near);
    assert!(few || looked.printed > 1000, "only {} texts were printed", looked.printed);
    assert!(few || looked.facts > 10_000, "only {} facts were checked", looked.facts);
}

/// Neighbouring blocks that run in step.
#[test]
fn blocks_whose_tiles_lie_beside_each_other_do_what_the_naive_evaluator_does() {
    let seeds = seeds(PROGRAMS_BESIDE);
    let single = seeds.end - seeds.start == 1;
    let looked = compare_seeds(seeds, Maker { make: beside_program, all: &[], judge: compare });
    assert!(single || looked.exact > looked.unknown, "{} exact, {} near, {} unknown", looked.exact, looked.near, looked.unknown);
}

/// Neighbouring blocks that run as one.
#[test]
fn blocks_of_elementwise_programs_do_what_the_naive_evaluator_does() {
    let seeds = seeds(PROGRAMS_BESIDE);
    let single = seeds.end - seeds.start == 1;
    let looked = compare_seeds(seeds, Maker { make: elementwise_program, all: &combinations(), judge: compare });
    assert!(single || looked.exact > looked.unknown, "{} exact, {} near, {} unknown", looked.exact, looked.near, looked.unknown);
}

/// How many programs of rows a run tries: these are long, so each takes a while.
const PROGRAMS_OF_ROWS: u64 = 1000;

/// Rows that are reduced and computed with again, where there is native code: most of them are regions that take row after row.
#[test]
fn normalised_rows_do_what_the_naive_evaluator_does() {
    let (seeds, all) = (seeds(PROGRAMS_OF_ROWS), combinations());
    let single = seeds.end - seeds.start == 1;
    let looked = compare_seeds(seeds, Maker { make: normalised_program, all: &all, judge: compare });
    assert!(single || looked.exact > looked.unknown, "{} exact, {} near, {} unknown", looked.exact, looked.near, looked.unknown);
    let pass = PlanPass::find_or_suggest("fuse-rows").unwrap();
    let plan = |seed| {
        let module = normalised_program(&mut Choices::random(seed), &all).module;
        tilewright_exec::Program::new(module).plan_after("k", pass).unwrap()
    };
    let plans: Vec<String> = (0..100).map(plan).collect();
    let is_region = |line: &str| line.contains("rows ") && line.ends_with('{');
    let fused = plans.iter().filter(|plan| plan.lines().any(is_region)).count();
    assert!(!plans.iter().any(|plan| plan.contains("sweep region")) || 2 * fused > plans.len(), "{fused} of {}", plans.len());
}

/// How many programs of each kind are tried on all machines; `PROGRAMS` is another number.
const PROGRAMS_ON_MACHINES: u64 = 150;

/// The bits are the same with and without native code, at each level of this CPU, and on any machine.
#[test]
fn machines_give_equal_bits() {
    for make in [program, elementwise_program, normalised_program, over_k_program, rounds_program, stored_program] {
        let looked = compare_seeds(seeds(PROGRAMS_ON_MACHINES), Maker { make, all: &combinations(), judge: compare_machines });
        assert!(looked.exact > 0, "nothing was compared");
    }
}

/// What is known of integers that run regularly.
#[test]
fn facts_about_integers_hold() {
    let seeds = seeds(PROGRAMS_BESIDE);
    let few = seeds.end - seeds.start < PROGRAMS_BESIDE;
    let looked = compare_seeds(seeds, Maker { make: integer_program, all: &[], judge: compare });
    assert!(few || looked.facts > 20_000, "only {} facts were checked", looked.facts);
}

/// Loops that only multiply.
#[test]
fn products_of_matrices_do_what_the_naive_evaluator_does() {
    let seeds = seeds(PROGRAMS_BESIDE);
    let single = seeds.end - seeds.start == 1;
    let looked = compare_seeds(seeds, Maker { make: over_k_program, all: &combinations(), judge: compare });
    assert!(single || looked.exact > looked.unknown, "{} exact, {} near, {} unknown", looked.exact, looked.near, looked.unknown);
}

/// Loops whose rounds keep tiles in registers of the CPU, where there is vector code: most of them are such.
#[test]
fn rounds_of_loops_do_what_the_naive_evaluator_does() {
    let (seeds, all) = (seeds(PROGRAMS_BESIDE), combinations());
    let single = seeds.end - seeds.start == 1;
    let looked = compare_seeds(seeds, Maker { make: rounds_program, all: &all, judge: compare });
    assert!(single || looked.exact > looked.unknown, "{} exact, {} near, {} unknown", looked.exact, looked.near, looked.unknown);
    let pass = PlanPass::find_or_suggest("fuse-loops").unwrap();
    let plan = |seed| {
        let module = rounds_program(&mut Choices::random(seed), &all).module;
        tilewright_exec::Program::new(module).plan_after("k", pass).unwrap()
    };
    let plans: Vec<String> = (0..100).map(plan).filter(|plan| plan.contains("for %") && plan.contains("sweep region")).collect();
    let fused = plans.iter().filter(|plan| plan.contains("only_sweeps")).count();
    assert!(3 * fused >= 2 * plans.len(), "{fused} of {}", plans.len());
}

/// How many programs a run tries on passes; `PASS_PROGRAMS` is another number.
const PASS_PROGRAMS: u64 = 300;
/// The pipelines that these are tried on: each pass by itself, and the usual pipeline.
const PIPELINES: [&str; 12] = [
    "assert-facts",
    "canonicalize",
    "cse",
    "dce",
    "forward-stores",
    "inline",
    "licm",
    "loop-peel",
    "loop-split",
    "range-propagation",
    "synthesize-debug-scopes",
    tilewright_passes::Pipeline::DEFAULT,
];

#[test]
fn passes_leave_what_programs_do_alone() {
    let asked = std::env::var("PASS_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let judge = |program: &Program, looked: &mut Looked| PIPELINES.iter().try_for_each(|p| passes::compare(program, p, looked));
    let looked = compare_seeds(seeds(asked.unwrap_or(PASS_PROGRAMS)), Maker { make: program, all: &combinations(), judge });
    assert!(looked.exact > 0);
}

/// Stores and loads of few places, branches and loops: what passes on memory and control flow change.
#[test]
fn passes_leave_what_stores_and_loads_do_alone() {
    let judge = |program: &Program, looked: &mut Looked| {
        compare(program, looked)?;
        // Products in these programs are exact, so that fusing them rounds nothing away.
        PIPELINES.iter().chain(&["fuse-fma"]).try_for_each(|p| passes::compare(program, p, looked))
    };
    let looked = compare_seeds(seeds(PASS_PROGRAMS), Maker { make: stored_program, all: &[], judge });
    assert!(looked.exact > 0);
}

/// Assertions that do not hold stop a program before passes and after.
#[test]
fn passes_leave_what_stops_programs_alone() {
    let judge = |program: &Program, looked: &mut Looked| PIPELINES.iter().try_for_each(|p| passes::stop(program, p, looked));
    let looked = compare_seeds(seeds(PASS_PROGRAMS), Maker { make: stopped_program, all: &[], judge });
    assert!(looked.stopped > 0);
}

/// Products that are computed in sums, by the rounding that is documented.
#[test]
fn fused_sums_are_rounded_once() {
    let seeds = seeds(PASS_PROGRAMS);
    let few = seeds.end - seeds.start < PASS_PROGRAMS;
    let looked = compare_seeds(seeds, Maker { make: sum_program, all: &combinations(), judge: passes::fuse });
    // Programs that give the same either way would prove nothing.
    assert!(few || looked.rounded_once > 2500, "only {} bytes show how often products are rounded", looked.rounded_once);
}

/// A pass that has run is left out until something has changed.
#[test]
fn passes_that_are_said_to_settle_do() {
    let general = compare_seeds(seeds(PASS_PROGRAMS), Maker { make: program, all: &combinations(), judge: passes::settle });
    let stored = compare_seeds(seeds(PASS_PROGRAMS), Maker { make: stored_program, all: &[], judge: passes::settle });
    assert!(general.exact > 0 && stored.exact > 0);
}

/// What programs need not show: what comes to the same as something that they do show.
const SAME_ANYWAY: [&str; 12] = [
    // Registers are carried, selected and taken for something else whatever they hold.
    "assume",
    "break",
    "continue",
    "for of",
    "for, initValues",
    "if of",
    "int_to_ptr of",
    "loop",
    "ptr_to_int of",
    "ptr_to_ptr of",
    "select of",
    "yield",
];

/// The generator reaches every operation that runs on the device, with every element type that it takes, every value of its attributes,
/// every kind of view, with and without its optional parts: all that valid modules show.
#[test]
fn programs_show_all_that_modules_can() {
    let all = combinations();
    let (mut seen, mut possible) = (BTreeSet::new(), BTreeSet::new());
    (0..PROGRAMS_SHOWN).for_each(|seed| features::of_module(&program(&mut Choices::random(seed), &all).module, &mut seen));
    (0..MODULES).for_each(|seed| features::of_module(&tilewright_fuzz::seeded(seed, MODULE_BYTES), &mut possible));
    let missing: Vec<&String> = possible.difference(&seen).filter(|f| !SAME_ANYWAY.iter().any(|same| f.starts_with(same))).collect();
    assert!(missing.is_empty(), "no program has {missing:#?}");
}

/// Compares every elementwise operation, with every type and attribute, that `make` has a program for; gives their number.
fn compare_all(make: impl Fn(&Combination) -> Option<Program>) -> usize {
    let mut looked = Looked::default();
    let mut tried = 0;
    for combination in combinations().iter().flatten() {
        let Some(made) = make(combination) else { continue };
        tried += 1;
        if let Err(what) = compare(&made, &mut looked) {
            panic!("{} {:?} {:?}: {what}", combination.opcode, combination.types, combination.attrs);
        }
    }
    tried
}

/// On the edges of the types: each number with each other.
#[test]
fn operations_are_right_at_the_edges() {
    let tried = compare_all(edge_program);
    assert!(tried > 1000, "only {tried} combinations");
}

/// On all values of one operand of at most 16 bits, and on all pairs of two of 8.
#[test]
fn operations_on_small_types_are_right_everywhere() {
    let tried = compare_all(exhaustive_program);
    assert!(tried > 300, "only {tried} combinations");
}
