//! The extended assembly: names that some descriptions of Tile IR have and its encoding has not.
//!
//! [`rows`] is the table of them. Where such a name stands in a text, operations of the dialect are made in its place, so that
//! nothing behind the parser knows of the names. The dialect orders accesses to memory by tokens only; those of this table follow
//! each other as in the text, which [`order`] sees to when the module is complete. Blocks that branch to each other become loops and
//! branches of the dialect before that ([`structure`]).

mod atomics;
mod calls;
mod control;
mod emit;
mod graph;
mod live;
mod memory;
mod misc;
mod order;
mod rebuild;
mod rows;
mod structure;
mod tiles;

pub use rows::ExtendedOp;

use super::cursor::{Parsed, Parser, brief};
use super::lexer::{Kind, Token};
use super::ops::OpState;
use super::scope::Binding;
use super::types::DIALECT;
use emit::Emit;
use foldhash::{HashMap, HashSet};
use rows::{Form, Operands, Param, ParamKind, Types};
use std::sync::LazyLock;
use tilewright_ir::{Block, Op, Opcode, Type, Value};

/// Makes the operations that take the place of one; gives the values of its results.
type Expansion = fn(&mut Emit<'_, '_>, &Request) -> Parsed<Vec<Value>>;

/// All operations of the extended assembly, in the order of the documentation.
pub fn extended_ops() -> &'static [ExtendedOp] {
    rows::ROWS
}

/// The operation with this name, with or without the prefix of the dialect. `alloca`, also a name of the dialect, is among them.
pub fn extended_op(name: &str) -> Option<&'static ExtendedOp> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static ExtendedOp>> =
        LazyLock::new(|| rows::ROWS.iter().map(|row| (row.name, row)).collect());
    BY_NAME.get(name.strip_prefix(DIALECT).unwrap_or(name)).copied()
}

/// Other names of operations of the dialect.
pub(super) fn other_names() -> impl Iterator<Item = (&'static str, Opcode)> {
    rows::ROWS.iter().filter_map(|row| match row.form {
        Form::Name(opcode) => Some((row.name, opcode)),
        _ => None,
    })
}

/// What operations of a function mean besides what they say.
pub(super) type Marks = HashMap<Op, Mark>;

/// What is to be done when the function at hand is complete.
#[derive(Debug, Default)]
pub(super) struct Pending {
    marks: Marks,
    /// Nested blocks that end where execution never comes.
    unreachable: Vec<(Block, Token)>,
    /// Blocks that need no terminator of their own.
    ended: HashSet<Block>,
    /// How blocks end that branch to others.
    branches: HashMap<Block, control::Branch>,
    /// The labels of the blocks of the function.
    pub(super) labels: Vec<(Token, Block)>,
    /// How many errors there were before the function.
    errors_before: usize,
    /// Labels behind a block without a terminator.
    pub(super) unended: Vec<Token>,
}

/// What is known of an operation until the module is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// It follows the last operation with this mark in the order of execution.
    Ordered,
    /// It stands for a barrier: a token that those behind it follow.
    Barrier,
    /// It is executed when the function begins.
    Hoisted,
}

impl Pending {
    /// Of the next function, before which there were so many errors.
    pub(super) fn behind(errors_before: usize) -> Pending {
        Pending { errors_before, ..Pending::default() }
    }

    /// Whether a block needs no terminator of its own.
    pub(super) fn ends(&self, block: Block) -> bool {
        !self.ended.is_empty() && self.ended.contains(&block)
    }
}

/// An operation as it is written.
struct Request {
    operands: Vec<Value>,
    /// Where each of them begins.
    places: Vec<u32>,
    /// A value for each parameter of the row that has one.
    params: Vec<Option<Given>>,
    row: &'static [Param],
    result: Option<Type>,
}

/// The value of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Given {
    Int(i64),
    Bool(bool),
    List(Vec<i64>),
    Word(&'static str),
}

impl Request {
    fn given(&self, name: &str) -> Option<&Given> {
        let index = self.row.iter().position(|param| param.name == name)?;
        self.params[index].as_ref()
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.given(name) {
            Some(Given::Int(value)) => Some(*value),
            _ => None,
        }
    }

    fn flag(&self, name: &str) -> bool {
        self.given(name) == Some(&Given::Bool(true))
    }

    fn list(&self, name: &str) -> Option<&[i64]> {
        match self.given(name) {
            Some(Given::List(items)) => Some(items),
            _ => None,
        }
    }

    fn word(&self, name: &str) -> Option<&'static str> {
        match self.given(name) {
            Some(Given::Word(word)) => Some(word),
            _ => None,
        }
    }
}

impl Parser<'_> {
    /// An operation of the extended assembly, behind its name.
    pub(super) fn extended_operation(&mut self, block: Block, op: &'static ExtendedOp, token: Token, state: &mut OpState) -> Parsed<()> {
        match &op.form {
            Form::Irregular { read, .. } => {
                self.check_names(state, token, 0)?;
                read(self, block, token).inspect_err(|_| self.note_syntax(token.start(), || op.syntax()))
            }
            Form::Regular { .. } => self.regular(block, op, token, state).inspect_err(|_| self.note_syntax(token.start(), || op.syntax())),
            // Other names are found among those of the dialect.
            Form::Name(opcode) => self.short_operation(block, *opcode, token, token, state),
        }
    }

    fn regular(&mut self, block: Block, op: &'static ExtendedOp, token: Token, state: &mut OpState) -> Parsed<()> {
        let Form::Regular { operands, params, types, expand } = &op.form else { return Ok(()) };
        match operands {
            Operands::Any(_) => self.value_list(state)?,
            Operands::Named(names) => {
                for index in 0..names.len() {
                    if index > 0 {
                        self.expect(Kind::Comma)?;
                    }
                    self.one_value(state)?;
                }
            }
        }
        let given = self.parameters(token, params)?;
        let result = self.extended_types(state, *types)?;
        let loc = self.location_of(token)?;
        let request = Request { operands: state.operands.clone(), places: state.places.clone(), params: given, row: params, result };
        let values = expand(&mut Emit { p: self, block, loc, token }, &request)?;
        self.bind_values(&values, token, state)
    }

    /// ` name = value, ...`
    fn parameters(&mut self, token: Token, params: &'static [Param]) -> Parsed<Vec<Option<Given>>> {
        let mut given: Vec<Option<Given>> = params.iter().map(|_| None).collect();
        while self.at(Kind::Word) && !self.at_word("loc") && !params.is_empty() {
            let word = self.advance();
            let name = self.text(word);
            let Some(index) = params.iter().position(|param| param.name == name) else {
                return Err(self.unknown_word("unknown-attribute", "attribute", word, name, params.iter().map(|param| param.name)));
            };
            if given[index].is_some() {
                return Err(self.report("redefinition", word.span(), format!("'{name}' stands twice in the operation")));
            }
            self.expect(Kind::Equal)?;
            given[index] = Some(self.parameter(params[index].kind)?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        match params.iter().zip(&given).find(|(param, given)| param.required && given.is_none()) {
            None => Ok(given),
            Some((param, _)) => {
                let message = format!("{} needs '{} = {}'", brief(self.text(token)), param.name, param.kind.words());
                Err(self.report("missing-attribute", token.span(), message))
            }
        }
    }

    fn parameter(&mut self, kind: ParamKind) -> Parsed<Given> {
        Ok(match kind {
            ParamKind::Int => Given::Int(self.signed(64)?),
            ParamKind::Bool => Given::Bool(self.truth()?),
            ParamKind::List => Given::List(self.integer_list(|p| p.signed(64))?),
            ParamKind::Word(words) => {
                let token = self.expect(Kind::Word)?;
                let word = self.text(token);
                match words.iter().find(|known| **known == word) {
                    Some(known) => Given::Word(known),
                    None => return Err(self.unknown_word("unknown-keyword", "keyword", token, word, words.iter().copied())),
                }
            }
        })
    }

    /// ` : types -> type`; gives the type of the result, where one is written.
    fn extended_types(&mut self, state: &OpState, types: Types) -> Parsed<Option<Type>> {
        if types == Types::None {
            return Ok(None);
        }
        self.expect(Kind::Colon)?;
        if types == Types::Result {
            return self.ty().map(Some);
        }
        for at in 0..state.operands.len() {
            if at > 0 {
                self.expect(Kind::Comma)?;
            }
            let ty = self.ty()?;
            self.check_value(state, at, ty)?;
        }
        if types != Types::OperandsToResult {
            return Ok(None);
        }
        self.expect(Kind::Arrow)?;
        self.ty().map(Some)
    }

    /// Checks that a value has the type that the text gives it.
    fn check_value(&mut self, state: &OpState, at: usize, ty: Type) -> Parsed<()> {
        let actual = self.body.ty(state.operands[at]);
        if actual == ty {
            return Ok(());
        }
        let place = self.token_at(state.places[at] as usize);
        let (actual, ty) = (self.type_name(actual), self.type_name(ty));
        let message = format!("{} has type {actual}, but the text says {ty}", brief(self.text(place)));
        Err(self.report("type-mismatch", place.span(), message))
    }

    /// Checks how many names stand before the operation; none is fine where it has no results that are of use.
    fn check_names(&mut self, state: &OpState, token: Token, results: usize) -> Parsed<()> {
        let named: u64 = state.names.iter().map(|name| u64::from(name.count)).sum();
        if state.names.is_empty() || named == results as u64 {
            return Ok(());
        }
        let message = format!("the operation has {results} results, but {named} names stand before it");
        let span = state.names.first().map_or(token.span(), |name| name.token.span());
        Err(self.report("wrong-count", span, message))
    }

    fn bind_values(&mut self, values: &[Value], token: Token, state: &OpState) -> Parsed<()> {
        self.check_names(state, token, values.len())?;
        let mut rest = values;
        for name in &state.names {
            let (group, behind) = rest.split_at(name.count as usize);
            rest = behind;
            let is_run = group.windows(2).all(|pair| pair[0].index() + 1 == pair[1].index());
            if !is_run {
                let message = "the results of this operation are of several operations: give each a name of its own".to_owned();
                return Err(self.report("wrong-count", name.token.span(), message));
            }
            self.define(name.token, Binding::new(group[0], name.count))?;
        }
        Ok(())
    }
}
