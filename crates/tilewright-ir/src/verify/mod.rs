//! The verifier: whether a module keeps the rules of the dialect.
//!
//! A module that passes has:
//!
//! - symbols with unique names; globals of one dimension whose data fits; entries that are public, give nothing and take tiles
//!   of rank 0;
//! - for every operation: the operand, result, attribute and region counts of its row; attributes of the right kind with
//!   values that the operation takes; nothing newer than the module's version; operands and results of the types that the row
//!   names, with what the row says they have in common, and what else its family asks for;
//! - only values that are defined before they are used, in the same or an enclosing block;
//! - for every block: operations that end in exactly one terminator, of a kind its place allows, which hands on values of
//!   the types that its target takes;
//! - debug scopes that belong to their function.
//!
//! What is checked for all operations alike stands in the op table and is walked by [`table`]; what is irregular is a function
//! for each family: [`arith`], [`shape`], [`matrix`], [`control`], [`fold`], [`memory`], [`views`], [`assume`]. Every rule is an
//! entry of [`rules`]. Verdicts are those of NVIDIA's 13.5 tools, which an oracle test compares; what differs is written at the
//! rule.
//!
//! Findings come in the order of the module. An operation with a wrong structure or with wrong types is not looked at
//! further: its other findings would only be echoes. Time and memory are proportional to the module; nothing recurses.

mod arith;
mod assume;
mod beside;
mod control;
mod debug;
mod facts;
mod fold;
mod matrix;
mod memory;
mod module;
mod quick;
mod region;
pub(crate) mod rules;
mod shape;
mod structure;
mod table;
mod views;
mod walk;

pub use beside::verify_beside;
pub use control::terminator_target;

use crate::{
    Attr, AttrData, Diagnostic, Module, OpRef, Opcode, Severity, Type, Value, Version,
    ops::{Arity, Placement, TypeSet},
    printable,
};
use debug::Scopes;
use facts::{Answers, TypeFacts, type_facts};
use rules::Rule;
use std::{collections::HashMap, ops::Deref};

/// A module that passed verification; it cannot be changed.
#[derive(Clone, Debug)]
pub struct VerifiedModule(Module);

impl VerifiedModule {
    /// The module, to be changed again.
    pub fn into_inner(self) -> Module {
        self.0
    }
}

impl Deref for VerifiedModule {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.0
    }
}

/// Checks that a module keeps the rules of the dialect.
///
/// # Errors
/// What is wrong, in the order of the module: the first [`MAX_FINDINGS`].
pub fn verify(module: Module) -> Result<VerifiedModule, Vec<Diagnostic>> {
    try_verify(module).map_err(|rejected| rejected.findings)
}

/// Checks a module like [`verify`], and gives it back where it does not pass.
///
/// # Errors
/// The module, and what is wrong with it.
pub fn try_verify(module: Module) -> Result<VerifiedModule, Box<RejectedModule>> {
    let (findings, total) = findings(&module);
    if total == 0 { Ok(VerifiedModule(module)) } else { Err(Box::new(RejectedModule { module, findings, total })) }
}

/// What is wrong with a module: the first findings, and how many there are.
fn findings(module: &Module) -> (Vec<Diagnostic>, usize) {
    let mut verifier = Verifier::new(module);
    verifier.run();
    (verifier.findings, verifier.reported)
}

/// A module that did not pass verification.
#[derive(Clone, Debug)]
pub struct RejectedModule {
    /// The module.
    pub module: Module,
    /// What is wrong with it, in its order: the first [`MAX_FINDINGS`].
    pub findings: Vec<Diagnostic>,
    /// How many findings there are, with those that are not listed.
    pub total: usize,
}

/// How many findings a verifier lists: a broken module may have more than anyone reads.
pub const MAX_FINDINGS: usize = 1000;

/// Longest name that a finding keeps, in characters.
const MAX_NAME: usize = 200;

/// An operation and its position in the function.
#[derive(Clone, Copy)]
struct At<'m> {
    index: usize,
    op: OpRef<'m>,
}

impl<'m> At<'m> {
    /// The type of an operand, by position among all of them.
    fn operand_type(self, index: usize) -> Option<Type> {
        self.op.operand(index).map(|value| self.op.body().ty(value))
    }

    /// The type of a result.
    fn result_type(self, index: usize) -> Option<Type> {
        self.op.result(index).map(|value| self.op.body().ty(value))
    }

    fn types_of(self, values: &'m [Value]) -> impl ExactSizeIterator<Item = Type> + Clone {
        values.iter().map(move |value| self.op.body().ty(*value))
    }

    /// The types of the operand at this position of the row.
    fn group_types(self, index: usize) -> impl ExactSizeIterator<Item = Type> + Clone {
        self.types_of(self.op.operand_group(index))
    }

    /// The type of the operand at this position of the row, if it has one value.
    fn group_type(self, index: usize) -> Option<Type> {
        self.group_types(index).next()
    }

    fn operand_types(self) -> impl ExactSizeIterator<Item = Type> + Clone {
        self.types_of(self.op.operands())
    }

    fn result_types(self) -> impl ExactSizeIterator<Item = Type> + Clone {
        let body = self.op.body();
        self.op.results().map(move |value| body.ty(value))
    }
}

/// A tile type, taken apart.
#[derive(Clone, Copy)]
struct Tile<'m> {
    ty: Type,
    element: Type,
    shape: &'m [i64],
}

struct Verifier<'m> {
    module: &'m Module,
    types: Vec<TypeFacts>,
    /// By opcode: nothing about its version, place and operand counts needs a look.
    plain: Vec<bool>,
    /// The globals by name.
    globals: HashMap<crate::Str, Type>,
    scopes: Scopes,
    answers: Answers,
    findings: Vec<Diagnostic>,
    /// How many findings there were, also those that were not kept.
    reported: usize,
    /// The function at hand: its position in the module, and its name.
    function: Option<(usize, String)>,
}

impl<'m> Verifier<'m> {
    fn new(module: &'m Module) -> Self {
        let plain = |opcode: &Opcode| {
            let def = opcode.def();
            let fixed = def.operands.iter().all(|operand| operand.arity == Arity::One);
            fixed && def.placement == Placement::Body && def.since <= module.version && !def.preview
        };
        Verifier {
            module,
            types: type_facts(&module.tables.types),
            plain: Opcode::ALL.iter().map(plain).collect(),
            globals: module.globals.iter().rev().map(|global| (global.name, global.ty)).collect(),
            scopes: Scopes::new(&module.tables.locations),
            answers: Answers::default(),
            findings: Vec::new(),
            reported: 0,
            function: None,
        }
    }

    fn run(&mut self) {
        self.symbols();
        self.global_definitions();
        for (index, function) in self.module.functions.iter().enumerate() {
            self.function = Some((index, self.string(function.name).chars().take(MAX_NAME).collect()));
            self.signature(function);
            self.body(function);
            self.function = None;
        }
    }

    #[cold]
    fn report(&mut self, rule: &'static Rule, at: Option<At<'_>>, message: String) {
        self.reported += 1;
        if self.findings.len() >= MAX_FINDINGS {
            return;
        }
        self.findings.push(Diagnostic {
            rule: rule.id,
            severity: Severity::Error,
            function: self.function.as_ref().map(|(_, name)| name.clone()),
            function_index: self.function.as_ref().map(|(index, _)| *index),
            op: at.map(|at| (at.index, at.op.def().mnemonic)),
            loc: at.and_then(|at| at.op.loc()),
            values: Vec::new(),
            message,
        });
    }

    /// Reports an operation because of its operands `values`.
    #[cold]
    fn report_about(&mut self, rule: &'static Rule, at: At<'_>, values: &[Value], message: impl FnOnce(&Self) -> String) {
        let position = self.findings.len();
        self.require(false, rule, at, message);
        if let Some(finding) = self.findings.get_mut(position) {
            finding.values = values.to_vec();
        }
    }

    /// Reports unless a rule holds; the message is only made then.
    #[inline]
    fn require(&mut self, holds: bool, rule: &'static Rule, at: At<'_>, message: impl FnOnce(&Self) -> String) {
        if !holds {
            // Nobody reads what comes after so many.
            let message = if self.findings.len() < MAX_FINDINGS { message(self) } else { String::new() };
            self.report(rule, Some(at), message);
        }
    }

    fn version(&self) -> Version {
        self.module.version
    }

    fn string(&self, string: crate::Str) -> String {
        if string.index() < self.module.tables.strings.len() {
            self.module.tables.strings.text(string).into_owned()
        } else {
            format!("#{}", string.index())
        }
    }

    /// A name, for messages: the beginning of a long one.
    fn name(&self, string: crate::Str) -> String {
        let text = self.string(string);
        match text.char_indices().nth(MAX_NAME) {
            Some((end, _)) => format!("{}...", printable(&text[..end])),
            None => printable(&text).to_string(),
        }
    }

    /// The text of a type, for messages.
    fn text(&self, ty: Type) -> String {
        if ty.index() < self.types.len() { self.module.tables.types.brief(ty) } else { format!("#{}", ty.index()) }
    }

    /// The texts of types, for messages: the first few.
    fn texts(&self, types: impl ExactSizeIterator<Item = Type>) -> String {
        const SHOWN: usize = 8;
        let more = if types.len() > SHOWN { ", ..." } else { "" };
        let texts: Vec<String> = types.take(SHOWN).map(|ty| self.text(ty)).collect();
        format!("({}{more})", texts.join(", "))
    }

    /// What kind of type it is; no kind for a handle of no type.
    #[inline]
    fn set(&self, ty: Type) -> Option<TypeSet> {
        self.types.get(ty.index()).map(|facts| facts.set)
    }

    fn is(&self, set: TypeSet, ty: Type) -> bool {
        self.set(ty).is_some_and(|kind| set.accepts(kind))
    }

    /// The parts of a tile; where it is none, of a tile of rank 0 of itself.
    fn tile(&self, ty: Type) -> Tile<'m> {
        let parts = if ty.index() < self.types.len() { self.module.tables.types.as_tile(ty) } else { None };
        let (element, shape) = parts.unwrap_or((ty, &[]));
        Tile { ty, element, shape }
    }

    /// How many elements a tile, or a tile of a view, has.
    fn elements(&self, ty: Type) -> u64 {
        self.types.get(ty.index()).map_or(1, |facts| facts.elements)
    }

    /// Whether two tiles have one shape.
    fn same_shape(&self, a: Tile<'_>, b: Tile<'_>) -> bool {
        let shape = |tile: Tile<'_>| self.types.get(tile.ty.index()).map(|facts| facts.shape);
        shape(a) == shape(b)
    }

    /// The scalar that a tile holds.
    fn scalar(&self, tile: Tile<'_>) -> Option<crate::Scalar> {
        self.module.tables.types.scalar(tile.element)
    }

    /// What the pointers in a tile point to.
    fn pointee(&self, tile: Tile<'_>) -> Option<Type> {
        match self.module.tables.types.get(tile.element) {
            crate::TypeData::Pointer { pointee, .. } => Some(*pointee),
            _ => None,
        }
    }

    /// A compound attribute; `None` for a handle of none.
    fn attr(&self, attr: Attr) -> Option<&'m AttrData> {
        let attrs = &self.module.tables.attrs;
        (attr.index() < attrs.len()).then(|| attrs.get(attr))
    }
}
