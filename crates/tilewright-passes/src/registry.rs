//! The passes: one row for each, from which the parser of pipelines, `--help` and the documentation come.

use crate::{
    assert_facts, canonicalize, cse, dce,
    facts::{Analyses, Analysis},
    forward_stores, fuse_fma, inline, licm, loop_peel, loop_split, range_propagation,
    statistics::Statistics,
    synthesize_debug_scopes,
};
use tilewright_ir::{Module, Rewriter, nearest};

/// What passes preserve that change neither accesses nor control flow.
const MEMORY: &[Analysis] = &[Analysis::Tokens, Analysis::Written];

/// What is known of a pass.
#[derive(Debug)]
pub struct PassInfo {
    /// Its name in a pipeline.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The numbers that it can be given.
    pub options: &'static [OptionInfo],
    pub(crate) run: Run,
    /// Whether it has nothing to do on what it left: then it does not run again before another pass changed something. A test of random
    /// programs looks.
    pub is_idempotent: bool,
}

/// A number that a pass can be given.
#[derive(Debug)]
pub struct OptionInfo {
    /// Its name in a pipeline.
    pub name: &'static str,
    /// What it decides, in one line.
    pub summary: &'static str,
    /// What it is if it is not given.
    pub default: u64,
    /// The largest number that it can be.
    pub most: u64,
}

/// The code of a pass. What it changed it adds to the statistics.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// Changes one function, and leaves what these analyses say of it alone; where it changes nothing, what all of them say.
    Function { run: RunOnFunction, preserves: &'static [Analysis] },
    /// Changes the module, or needs all of it to know what to change.
    Module(fn(&mut Module, Options<'_>, &mut Statistics)),
}

/// A pass on a function, which may ask for analyses of it.
pub(crate) type RunOnFunction = fn(&mut Rewriter<'_>, &mut Analyses, Options<'_>, &mut Statistics);

/// The numbers that a pass was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    pub(crate) info: &'static PassInfo,
    pub(crate) values: &'a [u64],
}

impl Options<'_> {
    /// The number of an option that the pass has.
    pub(crate) fn get(self, name: &str) -> u64 {
        let index = self.info.options.iter().position(|option| option.name == name);
        self.values[index.expect("a pass asks for its own options")]
    }
}

/// Every pass, in the order of their names.
pub static PASSES: &[PassInfo] = &[
    PassInfo {
        name: "assert-facts",
        summary: "Adds assertions of known ranges and divisors, so that a run checks them",
        options: &[],
        run: Run::Function { run: assert_facts::run, preserves: MEMORY },
        is_idempotent: false,
    },
    PassInfo {
        name: "canonicalize",
        summary: "Folds constants, removes what changes nothing, writes the rest in one way",
        options: &[],
        run: Run::Function { run: canonicalize::run, preserves: &[] },
        is_idempotent: true,
    },
    PassInfo {
        name: "cse",
        summary: "Computes once what is computed again: equal operations become one",
        options: &[],
        run: Run::Function { run: cse::run, preserves: MEMORY },
        is_idempotent: true,
    },
    PassInfo {
        name: "dce",
        summary: "Removes operations, carried values and results that nothing needs",
        options: &[OptionInfo {
            name: "loads",
            summary: "1 where weak loads that nothing reads go, 0 where they stay",
            default: 1,
            most: 1,
        }],
        run: Run::Function { run: dce::run, preserves: &[] },
        is_idempotent: true,
    },
    PassInfo {
        name: "forward-stores",
        summary: "Takes loads from the stores before them; removes overwritten stores",
        options: &[],
        run: Run::Function { run: forward_stores::run, preserves: &[Analysis::Tokens] },
        is_idempotent: false,
    },
    PassInfo {
        name: "fuse-fma",
        summary: "Computes products in the sums that read them: this changes rounding",
        options: &[],
        run: Run::Function { run: fuse_fma::run, preserves: MEMORY },
        is_idempotent: true,
    },
    PassInfo {
        name: "inline",
        summary: "Replaces calls by what the functions do (preview of 13.5 only)",
        options: &[],
        run: Run::Module(inline::run),
        is_idempotent: false,
    },
    PassInfo {
        name: "licm",
        summary: "Moves operations out of loops that compute the same in every iteration",
        options: &[OptionInfo { name: "loads", summary: "1 where weak loads move, too, 0 where they stay", default: 1, most: 1 }],
        run: Run::Function { run: licm::run, preserves: licm::PRESERVES },
        is_idempotent: true,
    },
    PassInfo {
        name: "loop-peel",
        summary: "Peels off first iterations where a condition asks for them",
        options: &[OptionInfo { name: "threshold", summary: "fewest operations of a branch that is worth it", default: 1, most: u64::MAX }],
        run: Run::Function { run: loop_peel::run, preserves: &[] },
        is_idempotent: false,
    },
    PassInfo {
        name: "loop-split",
        summary: "Splits loops where a condition on the induction variable changes",
        options: &[OptionInfo { name: "threshold", summary: "fewest operations of a branch that is worth it", default: 1, most: u64::MAX }],
        run: Run::Function { run: loop_split::run, preserves: &[] },
        is_idempotent: false,
    },
    PassInfo {
        name: "range-propagation",
        summary: "Leaves out what ranges decide: comparisons, masks, assertions, divisions",
        options: &[],
        run: Run::Function { run: range_propagation::run, preserves: &[Analysis::Tokens] },
        is_idempotent: false,
    },
    PassInfo {
        name: "synthesize-debug-scopes",
        summary: "Gives functions with plain locations the scopes that debuggers ask for",
        options: &[],
        run: Run::Module(synthesize_debug_scopes::run),
        is_idempotent: false,
    },
];

/// The pass with this name.
pub fn find(name: &str) -> Option<&'static PassInfo> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// The pass with this name.
///
/// # Errors
/// That there is none, and which one may have been meant.
pub fn find_or_suggest(name: &str) -> Result<&'static PassInfo, String> {
    find(name).ok_or_else(|| unknown("pass", name, PASSES.iter().map(|pass| pass.name)))
}

/// That there is no such name, and which ones there are.
pub(crate) fn unknown(what: &str, name: &str, known: impl Iterator<Item = &'static str> + Clone) -> String {
    if let Some(near) = nearest(name, known.clone()) {
        return format!("there is no {what} '{name}'; did you mean '{near}'?");
    }
    let known: Vec<&str> = known.collect();
    match known[..] {
        [] => format!("there is no {what} '{name}': it has none"),
        _ => format!("there is no {what} '{name}'; there are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_in_order_and_have_one_line_each() {
        assert!(PASSES.is_sorted_by(|a, b| a.name < b.name));
        for pass in PASSES {
            assert!(!pass.summary.contains('\n') && !pass.summary.ends_with('.'), "{}", pass.name);
            assert!(pass.options.iter().all(|option| !option.summary.is_empty()), "{}", pass.name);
        }
    }
}
