//! The analyses of one function, each kept until what it speaks of changes.

use super::{IntegerFacts, TokenOrder};
use crate::memory::Written;
use std::{fmt, sync::OnceLock};
use tilewright_ir::{Body, Tables};

/// The name of an analysis that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Analysis {
    /// [`IntegerFacts`].
    Integers,
    /// [`TokenOrder`].
    Tokens,
    /// What may be written inside of loops and branches.
    Written,
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Analysis::Integers => "integers",
            Analysis::Tokens => "tokens",
            Analysis::Written => "written",
        })
    }
}

/// What is known of one function. Each analysis is computed when it is first asked for; who changes the function drops those that may
/// say something else then.
///
/// All that is asked takes the tables and the body of this function. Answers name its operations and values, so nothing can be kept
/// where these are numbered anew.
#[derive(Debug, Default)]
pub struct Analyses {
    integers: OnceLock<IntegerFacts>,
    tokens: OnceLock<TokenOrder>,
    written: OnceLock<Written>,
}

impl Analyses {
    /// The facts about integers.
    pub fn integers(&self, tables: &Tables, body: &Body) -> &IntegerFacts {
        self.integers.get_or_init(|| IntegerFacts::new(tables, body))
    }

    /// The order that tokens give.
    pub fn tokens(&self, body: &Body) -> &TokenOrder {
        self.tokens.get_or_init(|| TokenOrder::new(body))
    }

    /// What may be written inside of loops and branches.
    pub(crate) fn written(&self, body: &Body) -> &Written {
        self.written.get_or_init(|| Written::new(body))
    }

    /// Drops all analyses but these, after a change that leaves what these say alone.
    pub fn keep(&mut self, preserved: &[Analysis]) {
        let Analyses { integers, tokens, written } = self;
        let is_dropped = |analysis| !preserved.contains(&analysis);
        drop(is_dropped(Analysis::Integers).then(|| integers.take()));
        drop(is_dropped(Analysis::Tokens).then(|| tokens.take()));
        drop(is_dropped(Analysis::Written).then(|| written.take()));
    }

    /// Computes all analyses that are not there yet.
    pub(crate) fn compute_all(&self, tables: &Tables, body: &Body) {
        self.integers(tables, body);
        self.tokens(body);
        self.written(body);
    }

    /// An analysis that is kept and does not say of the function what it would say if it were computed now.
    pub(crate) fn stale(&self, tables: &Tables, body: &Body) -> Option<Analysis> {
        let Analyses { integers, tokens, written } = self;
        let integers = integers.get().is_some_and(|kept| *kept != IntegerFacts::new(tables, body));
        let tokens = tokens.get().is_some_and(|kept| *kept != TokenOrder::new(body));
        let written = written.get().is_some_and(|kept| *kept != Written::new(body));
        let stale = [(integers, Analysis::Integers), (tokens, Analysis::Tokens), (written, Analysis::Written)];
        stale.into_iter().find_map(|(is_stale, analysis)| is_stale.then_some(analysis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_ir::{Module, Opcode, Version};

    fn module() -> Module {
        let mut module = Module::new("m", Version::LATEST);
        module.add_entry("k", &[], |b, _| b.op(Opcode::Return).finish().map(drop)).expect("it is built");
        module
    }

    #[test]
    fn an_analysis_is_computed_once_and_dropped_by_name() {
        let module = module();
        let (tables, body) = (&module.tables, &module.functions[0].body);
        let mut analyses = Analyses::default();
        assert!(analyses.integers.get().is_none());
        let first: *const IntegerFacts = analyses.integers(tables, body);
        assert!(std::ptr::eq(first, analyses.integers(tables, body)), "it was computed again");
        analyses.compute_all(tables, body);
        assert_eq!(analyses.stale(tables, body), None);
        analyses.keep(&[Analysis::Tokens]);
        assert!(analyses.integers.get().is_none() && analyses.written.get().is_none() && analyses.tokens.get().is_some());
    }

    #[test]
    fn an_analysis_of_another_function_is_stale() {
        let module = module();
        let mut other = module.clone();
        let ty = other.tables.types.tile(tilewright_ir::Scalar::I32.ty(), &[8]).expect("a type");
        let mut rewriter = other.rewrite(0);
        let end = rewriter.ops_of(Opcode::Return)[0];
        rewriter.insert_before(end, |b| b.op(Opcode::Iota).result(ty).finish().map(drop)).expect("it is built");
        drop(rewriter);
        let analyses = Analyses::default();
        analyses.compute_all(&module.tables, &module.functions[0].body);
        assert_eq!(analyses.stale(&other.tables, &other.functions[0].body), Some(Analysis::Integers));
    }
}
