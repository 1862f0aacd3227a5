//! Every target on fixed seeds. `FUZZ_SEEDS` says on how many.

use std::{env, fs, panic, path::Path};
use tilewright_fuzz::{Random, Source, TARGETS, Target, failure, generate, shrink};

/// How many inputs each target gets.
const SEEDS: u64 = 300;
/// The longest input in bytes: some hundreds of operations.
const MAX_LEN: usize = 2000;

/// The length of the longest inputs.
const LONG: usize = 80_000;

/// The input of a seed: mostly short, so that many are tried.
fn input(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let len = random.below(random.clone().below(MAX_LEN) + 1);
    random.bytes(len)
}

fn seeds() -> u64 {
    env::var("FUZZ_SEEDS").map_or(SEEDS, |seeds| seeds.parse().unwrap_or_else(|_| panic!("FUZZ_SEEDS must be a number, found '{seeds}'")))
}

/// Runs a target on some inputs, and on a failure tells the seed and the smallest input that fails.
fn run(target: Target, inputs: impl Iterator<Item = (u64, Vec<u8>)>) {
    for (seed, input) in inputs {
        if let Some(why) = failure(target, &input) {
            panic::set_hook(Box::new(|_| {}));
            let small = shrink(&input, |bytes| failure(target, bytes).is_some());
            let small_why = failure(target, &small).unwrap_or_default();
            drop(panic::take_hook());
            panic!("{} fails on seed {seed}: {why}\nshrunk to {small:?}: {small_why}", target.name);
        }
    }
}

/// A test for each target.
macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let target = TARGETS.into_iter().find(|target| target.name == stringify!($name));
                run(target.expect("the target is in the list"), (0..seeds()).map(|seed| (seed, input(seed))));
            }
        )*

        #[test]
        fn every_target_has_a_test() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($name)),*]);
        }
    };
}

targets!(reader text_parser round_trip_bytecode round_trip_text verifier printer_is_total mlir);

/// `fuzz/` is no part of the workspace, so nothing else would notice a program that is missing or calls another target.
#[test]
fn every_target_has_a_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("the manifest of the programs");
    for Target { name, .. } in TARGETS {
        let program = fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).unwrap_or_default();
        assert!(program.contains(&format!("tilewright_fuzz::targets::{name}(bytes)")), "{name} has no program");
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"")), "{name} is not in the manifest");
    }
}

/// Long functions: what is long may be read and printed in another way.
#[test]
fn long_functions() {
    let input = Random::new(0).bytes(LONG);
    let module = generate(&mut Source::new(&input));
    let blocks = module.functions.iter().filter_map(|function| Some(function.body.ops(function.body.entry_block()?).count()));
    let longest = blocks.max().unwrap_or(0);
    assert!(longest > 3000, "the longest block has {longest} operations");
    for target in [TARGETS[2], TARGETS[3], TARGETS[5]] {
        run(target, [(0, input.clone())].into_iter());
    }
}
