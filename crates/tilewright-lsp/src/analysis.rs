//! What is known of one state of a text.

use crate::{Lines, Problem, hints, hover, problems};
use std::{ops::Range, sync::OnceLock};
use tilewright_ir::{self as ir, Body, Module, Opcode, Value, VerifiedModule};
use tilewright_passes::facts::{Analyses, TripCount};
use tilewright_text::parse::{DefinedValues, MappedText, Operation, TextMap, parse_mapped};
use tilewright_text::{ParseOptions, parse};

/// A text, what stands where in it, and what is wrong with it.
#[derive(Debug)]
pub struct Analysis {
    text: String,
    lines: Lines,
    map: TextMap,
    module: Known,
    problems: Vec<Problem>,
    /// Of each function.
    facts: Vec<OnceLock<Analyses>>,
}

/// The module of a text.
#[derive(Debug)]
enum Known {
    Valid(VerifiedModule),
    /// A module that breaks rules, or lacks what has errors.
    Partly(Module),
}

impl Analysis {
    /// Reads and checks a text, by the rules of the latest version.
    pub fn of(text: &str) -> Analysis {
        let lines = Lines::new(text);
        let options = ParseOptions::new().locate("text");
        let MappedText { module, errors, map, has_locations } = parse_mapped(text, &options);
        let mut problems: Vec<Problem> = errors.iter().map(Problem::of_parser).collect();
        let module = if errors.is_empty() {
            match ir::try_verify(module) {
                Ok(module) => Known::Valid(module),
                Err(rejected) => {
                    problems = problems::of_verifier(&rejected, &rejected.module, &map, text, &lines);
                    Known::Partly(rejected.module)
                }
            }
        } else {
            Known::Partly(module)
        };
        let facts = (0..module.get().functions.len()).map(|_| OnceLock::new()).collect();
        let mut analysis = Analysis { text: text.to_owned(), lines, map, module, problems, facts };
        if has_locations && analysis.problems.is_empty() {
            analysis.check_locations();
        }
        analysis
    }

    /// The rules about source locations, in place of which the module has the places in the text.
    fn check_locations(&mut self) {
        let Ok(module) = parse(&self.text, &ParseOptions::new()) else { return };
        if let Err(rejected) = ir::try_verify(module) {
            self.problems = problems::of_verifier(&rejected, self.module.get(), &self.map, &self.text, &self.lines);
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its lines.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// What is wrong with it, in its order.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What stands where in the text.
    pub fn map(&self) -> &TextMap {
        &self.map
    }

    /// What was understood of the module. Operations are located in the text.
    pub fn module(&self) -> &Module {
        self.module.get()
    }

    /// The module, if it is valid.
    pub fn verified(&self) -> Option<&VerifiedModule> {
        if let Known::Valid(module) = &self.module { Some(module) } else { None }
    }

    /// The operations of a function of the module, in pre-order, and where they stand in the text; terminators that go without saying do not.
    pub fn operations(&self, function: usize) -> Vec<(ir::Op, Option<&Operation>)> {
        let module = self.module.get();
        let function = module.functions.get(function);
        let placed = function.map(|function| problems::placed_operations(module, function, &self.map, &self.text, &self.lines));
        placed.into_iter().flatten().collect()
    }

    /// What is known of the name or operation at a place, as Markdown, and the bytes of that.
    pub fn hover(&self, at: usize) -> Option<(String, Range<usize>)> {
        hover::markdown(self, at)
    }

    /// What is known of the values that each line defines, by the byte behind the line.
    pub fn line_facts(&self) -> impl Iterator<Item = (usize, String)> {
        hints::facts_of_lines(self, hints::values(self, 0..self.text.len())).into_iter()
    }

    /// The function that has values.
    fn body_of(&self, values: DefinedValues) -> Option<&Body> {
        Some(&self.module.get().functions.get(values.function)?.body)
    }

    fn analyses(&self, function: usize) -> Option<&Analyses> {
        Some(self.facts.get(function)?.get_or_init(Analyses::default))
    }

    /// What is known of a value wherever it is used. A constant says of itself what it is.
    pub(crate) fn fact(&self, values: DefinedValues, position: u32) -> Option<String> {
        let Known::Valid(module) = &self.module else { return None };
        let body = self.body_of(values)?;
        let value = Value::new(values.first.index() + position as usize);
        if position >= values.count || body.defining_op(value).is_some_and(|op| op.opcode() == Opcode::Constant) {
            return None;
        }
        let facts = self.analyses(values.function)?.integers(&module.tables, body);
        facts.of(value).map(ToString::to_string).filter(|fact| !fact.is_empty())
    }

    /// How often a `for` runs whose counter this is.
    pub(crate) fn trips(&self, counter: DefinedValues) -> Option<String> {
        let Known::Valid(module) = &self.module else { return None };
        let body = self.body_of(counter)?;
        let ir::ValueDef::Argument(block, 0) = body.value_def(counter.first) else { return None };
        let op = body.op(body.owner(body.region_of(block))?);
        let facts = self.analyses(counter.function)?.integers(&module.tables, body);
        TripCount::of(op, facts).map(|trips| trips.to_string())
    }
}

impl Known {
    fn get(&self) -> &Module {
        match self {
            Known::Valid(module) => module,
            Known::Partly(module) => module,
        }
    }
}
