//! Operations in their own syntax.

use super::cursor::{Failed, Parsed, Parser, brief};
use super::extended::{extended_op, extended_ops};
use super::format::{BY_MNEMONIC, DEFAULTS, PLANS, Step};
use super::lexer::{Kind, Token};
use super::map::OperationName;
use super::scope::Binding;
use super::types::DIALECT;
use tilewright_ir::ops::{Arity, AttrDef, AttrKind, Condition, CustomFormat, Format, Results, Subject, TypeList, TypeSet};
use tilewright_ir::{AttrData, AttrValue, Block, Op, Opcode, Type, TypeData, Value};

/// No row has more operands.
const MAX_OPERANDS: usize = 8;

/// A name before the `=` of an operation: `%0`, or `%0:2` for two results.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResultName {
    pub(super) token: Token,
    pub(super) count: u32,
}

/// An operation as far as it is read.
#[derive(Debug, Default)]
pub(super) struct OpState {
    pub(super) names: Vec<ResultName>,
    /// Operands in the order of the text.
    pub(super) operands: Vec<Value>,
    /// Where each of them begins.
    pub(super) places: Vec<u32>,
    /// For each operand of the row: the range of its values.
    groups: [(u32, u32); MAX_OPERANDS],
    /// Bit i: it is known whether operand i is there.
    decided: u8,
    pub(super) attrs: Vec<AttrValue>,
    pub(super) results: Vec<Option<Type>>,
    /// The place of the value of a constant, whose type comes later.
    literal: Option<usize>,
    pub(super) types: Vec<Type>,
}

impl OpState {
    fn reset(&mut self) {
        self.names.clear();
        self.operands.clear();
        self.places.clear();
        self.groups = Default::default();
        self.decided = 0;
        self.attrs.clear();
        self.results.clear();
        self.literal = None;
    }

    pub(super) fn group(&self, index: usize) -> std::ops::Range<usize> {
        let (start, len) = self.groups[index];
        start as usize..start as usize + len as usize
    }

    /// Says that the operand takes the values read since `start`.
    pub(super) fn set_group(&mut self, index: usize, start: usize) {
        self.groups[index] = (start as u32, (self.operands.len() - start) as u32);
        self.decided |= 1 << index;
    }

    /// Says how many values each operand takes, in the order of the row.
    pub(super) fn set_groups(&mut self, sizes: impl Iterator<Item = usize>) {
        let mut start = 0;
        for (group, size) in self.groups.iter_mut().zip(sizes) {
            *group = (start, size as u32);
            start += size as u32;
        }
    }
}

impl<'s> Parser<'s> {
    /// One operation with its source location, at the end of `block`. An error is reported, and reading goes on behind it.
    /// What it is made of goes through `state`.
    pub(super) fn operation(&mut self, block: Block, state: &mut OpState) {
        let start = self.token.start();
        if self.whole_operation(block, state).is_err() {
            for name in &state.names {
                // A second error about the name would follow from the first.
                self.scope.define(name.token, Binding::BROKEN);
            }
            self.recover(start);
            for name in &state.names {
                self.record_broken(name.token, name.count);
            }
            self.record_skipped(start);
        }
        self.record_operation_end(start);
    }

    fn whole_operation(&mut self, block: Block, state: &mut OpState) -> Parsed<()> {
        if let Some(op) = self.recall_next(block, state) {
            return self.end_recalled(op, state);
        }
        state.reset();
        let first = self.token;
        if self.at(Kind::Value) {
            self.result_names(state)?;
        }
        let token = self.token;
        match token.kind() {
            Kind::Word => {
                self.advance();
                let name = self.text(token);
                let opcode = match self.known_opcode(name) {
                    // A name of both: the parameter tells them apart.
                    Some(Opcode::Alloca) if self.at_word("size") => None,
                    known => known,
                };
                let Some(opcode) = opcode else {
                    return match extended_op(name) {
                        Some(op) => {
                            self.record_operation(first.start(), token, OperationName::Extended(op));
                            self.extended_operation(block, op, token, state)
                        }
                        None => Err(self.unknown_operation(token, name)),
                    };
                };
                if let Some(op) = self.recall(opcode, first, block, state) {
                    return self.end_recalled(op, state);
                }
                self.record_operation(first.start(), token, OperationName::Dialect(opcode));
                state.attrs.extend_from_slice(&DEFAULTS[opcode as usize]);
                self.short_operation(block, opcode, first, token, state)
                    .inspect_err(|_| self.note_syntax(token.start(), || opcode.def().syntax()))
            }
            Kind::Text => {
                self.advance();
                self.generic_operation(block, first, token, state)
            }
            _ => Err(self.unexpected("an operation")),
        }
    }

    /// `%0, %1:2 =`
    fn result_names(&mut self, state: &mut OpState) -> Parsed<()> {
        self.separated(|p| {
            let token = p.token;
            p.require(Kind::Value)?;
            let count = if p.eat(Kind::Colon) { p.result_count()? } else { 1 };
            state.names.push(ResultName { token, count });
            Ok(())
        })?;
        self.require(Kind::Equal)
    }

    fn result_count(&mut self) -> Parsed<u32> {
        let token = self.token;
        match self.unsigned(32)? {
            0 => Err(self.report("wrong-count", token.span(), "a group of results has at least one".to_owned())),
            count => Ok(count as u32),
        }
    }

    /// The operation with this name, with or without the prefix of the dialect.
    pub(super) fn opcode(&mut self, token: Token, name: &str) -> Parsed<Opcode> {
        self.known_opcode(name).ok_or_else(|| self.unknown_operation(token, name))
    }

    /// The operation with this name, if there is one that stands in functions.
    #[inline]
    fn known_opcode(&mut self, name: &str) -> Option<Opcode> {
        let mnemonic = name.strip_prefix(DIALECT).unwrap_or(name);
        let (last, opcode) = self.last_opcode;
        if mnemonic == last {
            return Some(opcode);
        }
        let (&mnemonic, &opcode) = BY_MNEMONIC.get_key_value(mnemonic)?;
        self.last_opcode = (mnemonic, opcode);
        Some(opcode)
    }

    #[cold]
    fn unknown_operation(&mut self, token: Token, name: &str) -> Failed {
        let mnemonic = name.strip_prefix(DIALECT).unwrap_or(name);
        if Opcode::from_mnemonic(mnemonic).is_some() {
            let message = format!("'{mnemonic}' cannot stand inside a function");
            return self.report("misplaced-operation", token.span(), message);
        }
        if let Some(op) = extended_op(mnemonic) {
            let message = format!("'{mnemonic}' is no operation of the dialect, so it has no generic form");
            let failed = self.report("unknown-operation", token.span(), message);
            self.note(format!("in the extended assembly, it is written: {}", op.syntax()));
            return failed;
        }
        if let Some((dialect, last)) = mnemonic.rsplit_once('.') {
            let message = format!("unknown operation '{}': the dialect '{}' is not Tile IR", brief(mnemonic), brief(dialect));
            let failed = self.report("unknown-operation", token.span(), message);
            if BY_MNEMONIC.contains_key(last) {
                self.note(format!("did you mean '{last}'?"));
            }
            return failed;
        }
        let known = Opcode::ALL.iter().map(|opcode| opcode.mnemonic()).filter(|mnemonic| BY_MNEMONIC.contains_key(mnemonic));
        let known = known.chain(extended_ops().iter().map(|op| op.name));
        self.unknown_word("unknown-operation", "operation", token, mnemonic, known)
    }

    fn end_recalled(&mut self, op: Op, state: &OpState) -> Parsed<()> {
        let start = self.token.start();
        let opcode = self.body.op(op).opcode();
        let loc = self.optional_location().inspect_err(|_| self.note_syntax(start, || opcode.def().syntax()))?;
        if loc.is_some() {
            self.body.set_loc(op, loc);
        }
        self.bind_results(op, state)
    }

    pub(super) fn short_operation(&mut self, block: Block, opcode: Opcode, first: Token, token: Token, state: &mut OpState) -> Parsed<()> {
        if let Some(plan) = &PLANS[opcode as usize] {
            if let Results::Fixed(results) = opcode.def().results {
                state.results.resize(results.len(), None);
            }
            self.steps(opcode, state, &plan.steps)?;
            self.imply_types(opcode, state, plan)?;
            self.read_constant(opcode, state)?;
        } else {
            match opcode.def().format {
                Format::Custom(CustomFormat::For) => return self.for_op(block, token, state),
                Format::Custom(CustomFormat::Loop) => return self.loop_op(block, token, state),
                Format::Custom(CustomFormat::If) => return self.if_op(block, token, state),
                Format::Custom(CustomFormat::Fold) => return self.fold_op(block, opcode, token, state),
                Format::Custom(CustomFormat::MakeTensorView) => self.make_tensor_view(token, state)?,
                Format::Custom(CustomFormat::Call) => self.call(state)?,
                _ => return Err(Failed),
            }
        }
        let behind = self.token;
        let op = self.plain(block, opcode, token, state)?;
        self.remember(op, first, behind, state);
        Ok(())
    }

    /// An operation without regions: its location, then it is complete.
    pub(super) fn plain(&mut self, block: Block, opcode: Opcode, token: Token, state: &mut OpState) -> Parsed<Op> {
        let loc = self.location_of(token)?;
        let op = self.create(block, opcode, state);
        self.body.set_loc(op, loc);
        self.define_results(op, token, state).map(|()| op)
    }

    /// Checks that an operand has the type that the text gives it.
    #[inline]
    pub(super) fn check_operand(&mut self, opcode: Opcode, state: &OpState, index: usize, at: usize, ty: Type) -> Parsed<()> {
        if self.body.ty(state.operands[at]) == ty { Ok(()) } else { Err(self.wrong_operand(opcode, state, index, at, ty)) }
    }

    #[cold]
    fn wrong_operand(&mut self, opcode: Opcode, state: &OpState, index: usize, at: usize, ty: Type) -> Failed {
        let found = self.body.ty(state.operands[at]);
        let place = self.token_at(state.places[at] as usize);
        let (found, expected) = (self.type_name(found), self.type_name(ty));
        let name = opcode.def().operands[index].name;
        let message = format!("{} has type {found}, but operand '{name}' of {opcode} has type {expected}", brief(self.text(place)));
        self.report("type-mismatch", place.span(), message)
    }

    fn steps(&mut self, opcode: Opcode, state: &mut OpState, steps: &[Step]) -> Parsed<()> {
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Token(kind) => self.require(*kind)?,
                Step::Word(text) => self.expect_text(text)?,
                Step::Operand(index) => self.operand(opcode, state, *index)?,
                Step::Attr(index) => state.attrs[*index] = self.attr_value(&opcode.def().attrs[*index], state)?,
                Step::Types(subject, list) => self.type_step(opcode, state, *subject, *list)?,
                Step::If(condition, inner) => {
                    if self.clause_follows(opcode, state, *condition, inner, steps.get(at + 1)) {
                        if let Condition::Attr(index) = *condition
                            && opcode.def().attrs[index].kind == AttrKind::Unit
                        {
                            state.attrs[index] = AttrValue::Unit;
                        }
                        self.steps(opcode, state, inner)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A word or `#name` of a format string.
    fn expect_text(&mut self, text: &str) -> Parsed<()> {
        if matches!(self.token.kind(), Kind::Word | Kind::Hash) && self.text(self.token) == text {
            self.advance();
            return Ok(());
        }
        Err(self.unexpected(&format!("'{text}'")))
    }

    /// Whether an optional clause is in the text: known from an earlier clause about its operand, else from its first token.
    /// Where the clause behind it begins with the same token, the type of the value tells them apart.
    fn clause_follows(&mut self, opcode: Opcode, state: &mut OpState, condition: Condition, steps: &[Step], next: Option<&Step>) -> bool {
        if let Condition::Operand(index) = condition
            && state.decided & 1 << index != 0
        {
            return !state.group(index).is_empty();
        }
        let follows = match steps.first() {
            Some(Step::Token(kind)) => self.at(*kind) && !self.is_next_clause(opcode, condition, *kind, next),
            Some(Step::Word(text)) => self.at_word(text),
            Some(Step::Operand(_)) => self.at(Kind::Value),
            Some(Step::Attr(index)) => match opcode.def().attrs[*index].kind {
                AttrKind::Enum(kind) => self.at_keyword(kind),
                _ => false,
            },
            _ => false,
        };
        if let Condition::Operand(index) = condition {
            state.decided |= 1 << index;
        }
        follows
    }

    /// Whether a value that follows the token at hand cannot be the operand, but the next clause begins with this token too.
    fn is_next_clause(&mut self, opcode: Opcode, condition: Condition, kind: Kind, next: Option<&Step>) -> bool {
        let (Condition::Operand(index), Some(Step::If(Condition::Operand(_), steps))) = (condition, next) else { return false };
        if !matches!(steps.first(), Some(Step::Token(other)) if *other == kind) {
            return false;
        }
        let mark = self.mark();
        self.advance();
        let value = self.peek_value();
        self.go_back(mark);
        value.is_some_and(|value| {
            let kind = TypeSet::of(&self.module.tables.types, self.body.ty(value));
            !opcode.def().operands[index].types.accepts(kind)
        })
    }

    fn operand(&mut self, opcode: Opcode, state: &mut OpState, index: usize) -> Parsed<()> {
        let start = state.operands.len();
        match opcode.def().operands[index].arity {
            Arity::Variadic => {
                if self.at(Kind::Value) {
                    self.value_list(state)?;
                }
            }
            _ => self.one_value(state)?,
        }
        state.set_group(index, start);
        Ok(())
    }

    pub(super) fn one_value(&mut self, state: &mut OpState) -> Parsed<()> {
        state.places.push(self.token.start() as u32);
        let value = self.value()?;
        state.operands.push(value);
        Ok(())
    }

    /// `%a, %b`
    pub(super) fn value_list(&mut self, state: &mut OpState) -> Parsed<()> {
        self.separated(|p| p.one_value(state))
    }

    fn type_step(&mut self, opcode: Opcode, state: &mut OpState, subject: Subject, list: TypeList) -> Parsed<()> {
        match subject {
            Subject::Operand(index) => self.operand_types(opcode, state, index, list),
            Subject::Result(index) => match opcode.def().results {
                Results::Fixed(_) => {
                    state.results[index] = Some(self.ty()?);
                    Ok(())
                }
                Results::Variadic(_) => {
                    let ty = self.ty()?;
                    let count = self.result_group(state);
                    state.results.resize(count, Some(ty));
                    Ok(())
                }
            },
        }
    }

    /// How many results there are of an operation that shows one type for all: one for each dimension of its operand.
    fn result_group(&self, state: &OpState) -> usize {
        let rank = state.operands.first().and_then(|&value| match self.module.tables.types.get(self.body.ty(value)) {
            TypeData::TensorView { shape, .. } => Some(shape.len()),
            TypeData::PartitionView { tile, .. } | TypeData::StridedView { tile, .. } | TypeData::GatherScatterView { tile, .. } => {
                Some(tile.len())
            }
            _ => None,
        });
        rank.unwrap_or(state.names.len())
    }

    fn operand_types(&mut self, opcode: Opcode, state: &mut OpState, index: usize, list: TypeList) -> Parsed<()> {
        let group = state.group(index);
        let first = state.operands.get(group.start).map(|&value| self.body.ty(value));
        let once = list == TypeList::Index && state.operands[group.clone()].iter().all(|&value| Some(self.body.ty(value)) == first);
        let shown = if once || list == TypeList::First { group.start..group.end.min(group.start + 1) } else { group };
        for at in shown.clone() {
            if at > shown.start {
                self.expect(Kind::Comma)?;
            }
            let ty = self.ty()?;
            self.check_operand(opcode, state, index, at, ty)?;
        }
        Ok(())
    }

    /// The value of an attribute where the operation says what it is.
    pub(super) fn attr_value(&mut self, def: &AttrDef, state: &mut OpState) -> Parsed<AttrValue> {
        Ok(match def.kind {
            AttrKind::Enum(kind) => AttrValue::Enum(self.keyword(kind)?),
            AttrKind::UInt(bits) => AttrValue::Int(self.unsigned(u32::from(bits))?),
            AttrKind::Bool => AttrValue::Bool(self.truth()?),
            AttrKind::String => AttrValue::Str(self.string()?),
            AttrKind::Symbol => AttrValue::Str(self.symbol()?),
            AttrKind::Type => AttrValue::Type(self.ty()?),
            AttrKind::Constant => self.element_type_and_literal(state)?,
            AttrKind::Array => {
                let items = self.list(0)?;
                AttrValue::Attr(self.add_attr(AttrData::Array(items)))
            }
            AttrKind::Hints if self.at(Kind::Hash) => AttrValue::Attr(self.attribute()?),
            AttrKind::Hints => {
                let entries = self.hints(0)?;
                AttrValue::Attr(self.add_attr(AttrData::OptimizationHints(entries)))
            }
            AttrKind::Predicate => AttrValue::Attr(self.predicate()?),
            AttrKind::I32Array => {
                let items = self.integer_list(Self::small_integer)?;
                AttrValue::Attr(self.add_attr(AttrData::I32Array(items.into())))
            }
            AttrKind::BoolArray => {
                let items = self.integer_list(Self::truth)?;
                AttrValue::Attr(self.add_attr(AttrData::BoolArray(items.into())))
            }
            AttrKind::Unit => AttrValue::Unit,
        })
    }

    /// `i32: [1, 2]`: the literal is read when the type of the result is known.
    fn element_type_and_literal(&mut self, state: &mut OpState) -> Parsed<AttrValue> {
        state.types.clear();
        state.types.push(self.ty()?);
        self.expect(Kind::Colon)?;
        state.literal = Some(self.skip_literal()?);
        Ok(AttrValue::Absent)
    }

    fn read_constant(&mut self, opcode: Opcode, state: &mut OpState) -> Parsed<()> {
        let (Some(start), Some(Some(ty))) = (state.literal, state.results.first().copied()) else { return Ok(()) };
        let constant = self.typed_constant(start, state.types[0], ty)?;
        if let Some(index) = opcode.def().attrs.iter().position(|attr| attr.kind == AttrKind::Constant) {
            state.attrs[index] = AttrValue::Const(constant);
        }
        Ok(())
    }

    /// The constant at `start` whose elements are said to have type `element`.
    pub(super) fn typed_constant(&mut self, start: usize, element: Type, ty: Type) -> Parsed<tilewright_ir::Const> {
        if let Some((expected, _)) = self.module.tables.types.as_tile(ty)
            && expected != element
        {
            let message = format!("the value is of {}, but the type is {}", self.type_name(element), self.type_name(ty));
            return Err(self.report("type-mismatch", start..start, message));
        }
        self.constant_at(start, ty)
    }
}
