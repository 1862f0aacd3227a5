//! The engine's random programs under the checker: those that are correct are silent, and mistakes that are planted in them are reported if they break
//! the program, by what the engine's naive evaluator saw of it.
//!
//! `PROGRAMS=n` tries as many programs of each generator, `SEED=n` only those with this number.

#[allow(unused, reason = "the engine's tests use the rest")]
#[path = "../../../tilewright-exec/tests/generate/mod.rs"]
mod generate;
#[allow(unused, reason = "the engine's tests use the rest")]
#[path = "../../../tilewright-exec/tests/naive/mod.rs"]
mod naive;
#[allow(unused, reason = "the engine's tests use the rest")]
#[path = "../../../tilewright-exec/tests/regular/mod.rs"]
mod regular;

mod copy;
mod mistakes;
mod ordered;

use copy::changed;
use generate::{Choices, Program, combinations};
use mistakes::{Kind, Mistake, Subject};
use naive::{facts::FactsCheck, trace::Trace};
use regular::Combination;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, io,
    io::Write as _,
    sync::{Arc, Mutex},
};
use tilewright_check::{CheckOptions, Checker, Finding};
use tilewright_exec::{Arg, LaunchOptions, Memory, OutputSink};
use tilewright_ir::{Module, VerifiedModule};
use tilewright_text::{PrintOptions, print};

/// How many programs of each generator a run tries.
const PROGRAMS: u64 = 60;
/// What programs do at random: they divide by zero, and overflow; blocks beside each other are more than there are tiles; identities of folds are
/// not neutral; scales of products are negative.
const RANDOM: [&str; 8] =
    ["division", "shift", "conversion", "false-overflow", "offset-overflow", "view-index", "fold-identity", "negative-scale"];

type Make = fn(&mut Choices, &[Vec<Combination>]) -> Program;
const GENERATORS: [(&str, Make); 7] = [
    ("operations", generate::program),
    ("rows beside each other", generate::beside_program),
    ("elementwise", generate::elementwise_program),
    ("products", generate::over_k_program),
    ("stores and loads", generate::stored_program),
    ("sums", generate::sum_program),
    ("integers", generate::integer_program),
];

/// Memory with the input and the output of a program, and where these lie.
fn memory(program: &Program) -> (Memory<'static>, [u64; 2]) {
    let mut memory = Memory::new();
    let buffers = [memory.add(program.input.clone()), memory.add(vec![0; program.output])];
    let addresses = buffers.map(|buffer| memory.address(buffer));
    (memory, addresses)
}

/// What the naive evaluator makes of a module: its memory, and what it prints.
fn evaluate(program: &Program, module: &Module, traced: bool) -> (naive::Memory, Vec<Vec<u8>>) {
    let (_, addresses) = memory(program);
    let mut memory = naive::Memory::default();
    memory.add(addresses[0], program.input.clone());
    memory.add(addresses[1], vec![0; program.output]);
    memory.trace = traced.then(Trace::default);
    let args: Vec<u64> = addresses.into_iter().chain(program.scalars.iter().map(|(_, bits)| *bits)).collect();
    let printed = naive::run(module, &mut memory, program.grid, &args, &FactsCheck::new(module));
    (memory, printed)
}

fn rules(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.rule.id).collect()
}

/// What was tried, by kind of mistake.
#[derive(Default, Debug)]
struct Tried {
    /// Mistakes that break the program, and how many of them were reported.
    broken: u64,
    reported: u64,
    /// Mistakes that break nothing, and of which nothing was reported.
    harmless: u64,
}

/// A number that the environment gives.
fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().expect("a number"))
}

fn seeds() -> std::ops::Range<u64> {
    number("SEED").map_or(0..number("PROGRAMS").unwrap_or(PROGRAMS), |seed| seed..seed + 1)
}

/// A program that is correct.
struct Correct {
    program: Program,
    module: VerifiedModule,
    trace: Trace,
    /// Whether it reads no byte of the output before it writes it.
    fresh: bool,
}

impl Correct {
    /// The program of a seed; none if it calls functions that cannot be inlined.
    fn new(make: Make, seed: u64, all: &[Vec<Combination>]) -> Option<Correct> {
        let program = make(&mut Choices::random(seed), all);
        let module = ordered::ordered(&program.module)?;
        let (memory, _) = evaluate(&program, &module, true);
        let trace = memory.trace.expect("it was asked for");
        let mut written = BTreeSet::new();
        let (_, [_, start]) = self::memory(&program);
        let output = start..start + program.output as u64;
        let mut fresh = true;
        for (byte, write) in trace.events.iter().flat_map(mistakes::bytes).filter(|(byte, _)| output.contains(byte)) {
            if write {
                written.insert(byte);
            } else {
                fresh &= written.contains(&byte);
            }
        }
        Some(Correct { program, module, trace, fresh })
    }

    /// What the checker finds in a module that is launched as the program is.
    fn check(&self, module: VerifiedModule) -> Vec<Finding> {
        let program = &self.program;
        let (mut memory, addresses) = memory(program);
        let scalars = program.scalars.iter().map(|(scalar, bits)| Arg::Scalar(*scalar, *bits));
        let args: Vec<Arg> = addresses.into_iter().map(Arg::Pointer).chain(scalars).collect();
        let options = CheckOptions::new().uninitialised(self.fresh.then_some(1));
        let launch = LaunchOptions::new().output(OutputSink::new(Arc::new(Mutex::new(io::sink()))));
        let report = Checker::new(module).check("k", &mut memory, program.grid, &args, &options, &launch).unwrap();
        report.findings.into_iter().filter(|finding| !RANDOM.contains(&finding.rule.id)).collect()
    }

    /// One mistake of each kind, where the program has a place for it, and the module with the attributes that these have.
    fn planted(&self, seed: u64) -> (Module, Vec<Mistake>) {
        let (_, [_, output]) = memory(&self.program);
        let run = |module: &VerifiedModule| {
            let (memory, printed) = evaluate(&self.program, module, false);
            (memory.bytes(output).to_vec(), printed)
        };
        let mut module = Module::clone(&self.module);
        let mut subject = Subject { module: &mut module, trace: &self.trace, run: &run, output, fresh: self.fresh };
        let mut choices = Choices::random(!seed);
        let mut chosen = Vec::new();
        for kind in Kind::ALL {
            let mut mistakes = subject.mistakes(kind);
            // Most of the time one that breaks something, if there is any.
            if choices.below(4) > 0 && mistakes.iter().any(|mistake| mistake.breaks) {
                mistakes.retain(|mistake| mistake.breaks);
            }
            if mistakes.is_empty() {
                continue;
            }
            let mistake = choices.pick(&mistakes).clone();
            // Of a store that is left out nobody knows that it breaks nothing.
            if kind != Kind::StoreDropped || subject.matters(mistake.op) {
                chosen.push(mistake);
            }
        }
        (module, chosen)
    }
}

fn text(module: &Module) -> String {
    print(module, &PrintOptions::new())
}

#[test]
fn correct_programs_are_silent_and_planted_mistakes_are_found() {
    let all = combinations();
    let mut tried: BTreeMap<Kind, Tried> = BTreeMap::new();
    let (mut programs, mut missed) = (0, Vec::new());
    for ((name, make), seed) in GENERATORS.into_iter().flat_map(|generator| seeds().map(move |seed| (generator, seed))) {
        let Some(correct) = Correct::new(make, seed, &all) else { continue };
        let findings = correct.check(correct.module.clone());
        let told: Vec<_> = findings.iter().map(|finding| (finding.rule.id, &finding.message, &finding.place)).collect();
        assert!(findings.is_empty(), "{name}, seed {seed}: {told:#?}\n{}", text(&correct.module));
        programs += 1;
        let (module, mistakes) = correct.planted(seed);
        for mistake in mistakes {
            let Some(broken) = changed(&module, mistake.op, &mistake.change) else { continue };
            let found = rules(&correct.check(broken.clone()));
            let is_found = found.iter().any(|rule| mistake.kind.rules().contains(rule));
            let counts = tried.entry(mistake.kind).or_default();
            counts.broken += u64::from(mistake.breaks);
            counts.reported += u64::from(mistake.breaks && is_found);
            counts.harmless += u64::from(!mistake.breaks && !is_found);
            if mistake.breaks != is_found {
                missed.push(format!("{name}, seed {seed}: {mistake:?}, found {found:?}\n{}", text(&broken)));
            }
        }
    }
    writeln!(io::stdout(), "{programs} programs, {tried:#?}").expect("the output can be written");
    assert!(missed.is_empty(), "{} judged otherwise:\n{}", missed.len(), missed[..missed.len().min(3)].join("\n"));
}
