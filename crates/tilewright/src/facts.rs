//! Facts about programs, as notes beside their text.
//!
//! [`FactNotes`] shows what [`passes::facts`](crate::passes::facts) knows of each value: `tilewright print --facts`.
//!
//! ```
//! use tilewright::{facts::FactNotes, ir, text};
//!
//! let source = "entry @k() { %i = iota : tile<8xi32> }";
//! let module = text::parse(source, &text::ParseOptions::new()).map_err(|errors| errors[0].to_string())?;
//! let module = ir::verify(module).map_err(|findings| findings[0].to_string())?;
//! let mut out = String::new();
//! text::write_with_notes(&module, &text::PrintOptions::new(), &FactNotes::new(&module), &mut out)?;
//! assert!(out.contains("// range 0..=7, dim 0 contiguous 8 from 0"), "{out}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{
    ir::{Body, OpRef, Opcode, Value, VerifiedModule},
    passes::facts::{Analyses, IntegerFacts, TripCount},
    text::Notes,
};
use std::collections::HashMap;

/// The facts about all functions of a module.
pub struct FactNotes<'m> {
    module: &'m VerifiedModule,
    /// By the address of a function's body.
    analyses: HashMap<usize, Analyses>,
}

impl<'m> FactNotes<'m> {
    /// Of a module, whose functions are analysed when they are first asked about.
    pub fn new(module: &'m VerifiedModule) -> FactNotes<'m> {
        FactNotes { module, analyses: module.functions.iter().map(|function| (address(&function.body), Analyses::default())).collect() }
    }

    fn of(&self, body: &Body) -> Option<&IntegerFacts> {
        Some(self.analyses.get(&address(body))?.integers(&self.module.tables, body))
    }
}

fn address(body: &Body) -> usize {
    (&raw const *body).addr()
}

impl Notes for FactNotes<'_> {
    fn value(&self, body: &Body, value: Value) -> String {
        // A constant says of itself what it is.
        let is_constant = body.defining_op(value).is_some_and(|op| op.opcode() == Opcode::Constant);
        let fact = self.of(body).filter(|_| !is_constant).and_then(|facts| facts.of(value));
        fact.map_or_else(String::new, ToString::to_string)
    }

    fn op(&self, op: OpRef<'_>) -> String {
        self.of(op.body()).and_then(|facts| TripCount::of(op, facts)).map_or_else(String::new, |trips| trips.to_string())
    }
}
