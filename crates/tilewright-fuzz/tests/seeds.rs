//! Every target on fixed seeds.

use std::panic;
use tilewright_fuzz::{Random, TARGETS, Target, failure, shrink};

/// How many inputs each target gets.
const SEEDS: u64 = 300;
/// The longest input in bytes: some hundreds of operations.
const MAX_LEN: usize = 2000;

/// The input of a seed: mostly short, so that many are tried.
fn input(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let len = random.below(random.clone().below(MAX_LEN) + 1);
    random.bytes(len)
}

/// Runs a target, and on a failure tells the seed and the smallest input that fails.
fn run(target: Target) {
    for seed in 0..SEEDS {
        let input = input(seed);
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
                run(target.expect("the target is in the list"));
            }
        )*

        #[test]
        fn every_target_has_a_test() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($name)),*]);
        }
    };
}

targets!(reader text_parser round_trip_bytecode round_trip_text verifier printer_is_total);
