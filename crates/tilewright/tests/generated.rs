//! Modules that are generated from the op table: tools for whole modules take all of them.

use tilewright::{
    bytecode::{Style, WriteOptions, read, write},
    diff::{DiffOptions, diff},
    stats::{FileStats, Stats},
};
use tilewright_fuzz::seeded;

const MODULES: u64 = 200;
/// How many bytes the larger ones are made of: some hundreds of operations.
const MAX_LEN: usize = 2000;

#[test]
fn a_module_is_equal_to_what_is_written_and_read_again() {
    for seed in 0..MODULES {
        let module = seeded(seed, MAX_LEN);
        let bytes = write(&module, &WriteOptions::new(module.version).style(Style::Cpp)).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let again = read(&bytes).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let difference = diff(&module, &again, &DiffOptions::new().locations(true));
        assert!(difference.equal, "seed {seed}: {difference}");
    }
}

#[test]
fn different_modules_differ_both_ways() {
    for seed in 0..MODULES {
        let (old, new) = (seeded(seed, MAX_LEN), seeded(seed + MODULES, MAX_LEN));
        let there = diff(&old, &new, &DiffOptions::new());
        let back = diff(&new, &old, &DiffOptions::new());
        assert!(!there.to_string().is_empty(), "seed {seed}");
        // How much they share depends on the way: the smallest difference is not always found.
        assert_eq!(there.equal, back.equal, "seed {seed}");
    }
}

#[test]
fn everything_is_counted() {
    for seed in 0..MODULES {
        let module = seeded(seed, MAX_LEN);
        let stats = Stats::of_module(&module);
        let ops: usize = module.functions.iter().map(|function| function.body.num_ops()).sum();
        assert_eq!(stats.totals.operations, ops, "seed {seed}");
        let bytes = write(&module, &WriteOptions::new(module.version)).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let file = FileStats::of_file(&bytes);
        assert_eq!((file.bytes, file.unused), (bytes.len(), 0), "seed {seed}");
    }
}
