//! Operations with irregular syntax, and regions.

use super::MAX_REGION_DEPTH;
use super::cursor::{Failed, Parsed, Parser, brief};
use super::lexer::{Kind, Token};
use super::ops::OpState;
use super::scope::Binding;
use tilewright_ir::ops::Traits;
use tilewright_ir::{AttrName, AttrValue, Block, DYNAMIC, NewOp, Opcode, Region, Type, TypeData};

/// Arguments of a block: their names in the text, and their types.
#[derive(Default)]
pub(super) struct Arguments {
    pub(super) names: Vec<Token>,
    pub(super) types: Vec<Type>,
}

/// A list with numbers and, where a number is only known at run time, values.
struct MixedList {
    numbers: Vec<i64>,
    span: Token,
}

impl<'s> Parser<'s> {
    /// ` [unsigned] %i in (%lb to %ub, step %s) : type [iter_values(%a = %init) -> (types)] { ... }`
    pub(super) fn for_op(&mut self, block: Block, token: Token, state: &mut OpState) -> Parsed<()> {
        if self.eat_word("unsigned") {
            self.set_attr(Opcode::For, state, AttrName::UnsignedCmp, AttrValue::Unit);
        }
        let mut arguments = Arguments::default();
        arguments.names.push(self.expect(Kind::Value)?);
        self.expect_word("in")?;
        self.expect(Kind::LeftParen)?;
        self.one_value(state)?;
        self.expect_word("to")?;
        self.one_value(state)?;
        self.expect(Kind::Comma)?;
        self.expect_word("step")?;
        self.one_value(state)?;
        self.expect(Kind::RightParen)?;
        self.expect(Kind::Colon)?;
        arguments.types.push(self.ty()?);
        for index in 0..3 {
            self.check_operand(Opcode::For, state, index, index, arguments.types[0])?;
        }
        if self.at_word("iter_values") {
            self.iter_values(state, &mut arguments)?;
            self.expect(Kind::Arrow)?;
            let types = self.types_in_parentheses()?;
            self.check_values(Opcode::For, state, 3, &types)?;
            state.results.extend(types.iter().copied().map(Some));
            arguments.types.extend(types);
        }
        let carried = state.operands.len() - 3;
        state.set_groups([1, 1, 1, carried].into_iter());
        self.with_region(block, Opcode::For, token, state, &arguments)
    }

    /// ` [iter_values(%a = %init)] [: types [-> types]] { ... }`
    pub(super) fn loop_op(&mut self, block: Block, token: Token, state: &mut OpState) -> Parsed<()> {
        let mut arguments = Arguments::default();
        let carries = self.at_word("iter_values");
        if carries {
            self.iter_values(state, &mut arguments)?;
        }
        if self.eat(Kind::Colon) {
            let types = self.comma_types()?;
            if carries {
                self.check_values(Opcode::Loop, state, 0, &types)?;
                arguments.types = types;
                if self.eat(Kind::Arrow) {
                    state.results.extend(self.comma_types()?.into_iter().map(Some));
                }
            } else {
                state.results.extend(types.into_iter().map(Some));
            }
        } else if carries {
            return Err(self.unexpected("':' and the types of the carried values"));
        }
        state.set_groups([state.operands.len()].into_iter());
        self.with_region(block, Opcode::Loop, token, state, &arguments)
    }

    /// `iter_values(%inner = %outer, ...)`
    fn iter_values(&mut self, state: &mut OpState, arguments: &mut Arguments) -> Parsed<()> {
        self.expect_word("iter_values")?;
        self.expect(Kind::LeftParen)?;
        self.closed(Kind::RightParen, |p| {
            arguments.names.push(p.expect(Kind::Value)?);
            p.expect(Kind::Equal)?;
            p.one_value(state)
        })
    }

    /// Types with commas between them.
    fn comma_types(&mut self) -> Parsed<Vec<Type>> {
        let mut types = Vec::new();
        self.separated(|p| {
            types.push(p.ty()?);
            Ok(())
        })?;
        Ok(types)
    }

    /// Checks that the operands from `first` on have these types.
    pub(super) fn check_values(&mut self, opcode: Opcode, state: &OpState, first: usize, types: &[Type]) -> Parsed<()> {
        let found = state.operands.len() - first;
        if found != types.len() {
            let message = format!("{opcode} has {found} values here, but {} types", types.len());
            return Err(self.report("wrong-count", self.token.span(), message));
        }
        for (at, &ty) in (first..).zip(types) {
            let actual = self.body.ty(state.operands[at]);
            if actual != ty {
                let place = self.token_at(state.places[at] as usize);
                let (actual, ty) = (self.type_name(actual), self.type_name(ty));
                let message = format!("{} has type {actual}, but the text says {ty}", brief(self.text(place)));
                return Err(self.report("type-mismatch", place.span(), message));
            }
        }
        Ok(())
    }

    /// ` %cond [-> (types)] { ... } [else { ... }]`
    pub(super) fn if_op(&mut self, block: Block, token: Token, state: &mut OpState) -> Parsed<()> {
        self.one_value(state)?;
        state.set_groups([1].into_iter());
        if self.eat(Kind::Arrow) {
            let types = if self.at(Kind::LeftParen) { self.types_in_parentheses()? } else { vec![self.ty()?] };
            state.results.extend(types.into_iter().map(Some));
        }
        let op = self.create(block, Opcode::If, state);
        let mut regions = self.body.op(op).regions();
        let (then, other) = (regions.next().ok_or(Failed)?, regions.next().ok_or(Failed)?);
        self.region(then, &Arguments::default(), Some(Opcode::Yield))?;
        if self.eat_word("else") {
            self.region(other, &Arguments::default(), Some(Opcode::Yield))?;
        }
        let loc = self.location_of(token)?;
        self.body.set_loc(op, loc);
        self.define_results(op, token, state)
    }

    /// ` %x, %y dim=1 identities=[...] : types -> types (%a: type, %b: type) { ... }`
    pub(super) fn fold_op(&mut self, block: Block, opcode: Opcode, token: Token, state: &mut OpState) -> Parsed<()> {
        self.value_list(state)?;
        for (index, def) in opcode.def().attrs.iter().enumerate() {
            self.expect_word(def.name.name())?;
            self.expect(Kind::Equal)?;
            state.attrs[index] = self.attr_value(def, state)?;
        }
        self.expect(Kind::Colon)?;
        let types = self.comma_types()?;
        self.check_values(opcode, state, 0, &types)?;
        self.expect(Kind::Arrow)?;
        state.results.extend(self.comma_types()?.into_iter().map(Some));
        state.set_groups([state.operands.len()].into_iter());
        let arguments = self.argument_list()?;
        self.with_region(block, opcode, token, state, &arguments)
    }

    /// `(%a: type, %b: type)`
    fn argument_list(&mut self) -> Parsed<Arguments> {
        let mut arguments = Arguments::default();
        self.expect(Kind::LeftParen)?;
        self.closed(Kind::RightParen, |p| p.argument(&mut arguments))?;
        Ok(arguments)
    }

    /// `%a: type [loc(...)]`
    pub(super) fn argument(&mut self, arguments: &mut Arguments) -> Parsed<()> {
        arguments.names.push(self.expect(Kind::Value)?);
        self.expect(Kind::Colon)?;
        arguments.types.push(self.ty()?);
        // Bytecode keeps no locations of arguments.
        self.optional_location().map(|_| ())
    }

    /// ` %base, shape = [%n, 64], strides = [64, 1] : [types ->] tensor_view<...>`
    pub(super) fn make_tensor_view(&mut self, token: Token, state: &mut OpState) -> Parsed<()> {
        self.one_value(state)?;
        self.expect(Kind::Comma)?;
        self.expect_word("shape")?;
        let shape = self.mixed_list(state)?;
        let in_shape = state.operands.len() - 1;
        self.expect(Kind::Comma)?;
        self.expect_word("strides")?;
        let strides = self.mixed_list(state)?;
        let in_strides = state.operands.len() - 1 - in_shape;
        state.set_groups([1, in_shape, in_strides].into_iter());
        self.expect(Kind::Colon)?;
        let mut types = self.comma_types()?;
        if self.eat(Kind::Arrow) {
            self.view_operand_types(state, &types)?;
            types = vec![self.ty()?];
        }
        let (&[ty], TypeData::TensorView { shape: extents, strides: steps, .. }) = (&types[..], self.module.tables.types.get(types[0]))
        else {
            return Err(self.report("invalid-type", token.span(), "make_tensor_view makes a tensor_view".to_owned()));
        };
        let (extents, steps) = (extents.clone(), steps.clone());
        self.check_mixed(&shape, &extents, "shape")?;
        self.check_mixed(&strides, &steps, "strides")?;
        state.results.push(Some(ty));
        Ok(())
    }

    /// ` = [%n, 64]`
    fn mixed_list(&mut self, state: &mut OpState) -> Parsed<MixedList> {
        self.expect(Kind::Equal)?;
        let span = self.token;
        let numbers = self.integer_list(|p| {
            if p.at(Kind::Value) {
                p.one_value(state)?;
                return Ok(DYNAMIC);
            }
            p.signed(64)
        })?;
        Ok(MixedList { numbers, span })
    }

    fn check_mixed(&mut self, list: &MixedList, expected: &[i64], what: &str) -> Parsed<()> {
        if list.numbers == expected {
            return Ok(());
        }
        let message = format!("the {what} in the list is not that of the type: a value stands for each '?', all else is equal");
        Err(self.report("type-mismatch", list.span.span(), message))
    }

    /// The types before the arrow: that of the base, if it is written, then that of the values in the lists.
    fn view_operand_types(&mut self, state: &OpState, types: &[Type]) -> Parsed<()> {
        let is_dynamic = state.operands.len() > 1;
        if types.len() > 2 || types.len() == 2 && !is_dynamic {
            let message = format!("make_tensor_view has too many types before the arrow: {}", types.len());
            return Err(self.report("wrong-count", self.token.span(), message));
        }
        if types.len() == 2 || !is_dynamic {
            self.check_operand(Opcode::MakeTensorView, state, 0, 0, types[0])?;
        }
        for at in 1..state.operands.len() {
            let index = if at <= state.group(1).len() { 1 } else { 2 };
            self.check_operand(Opcode::MakeTensorView, state, index, at, types[types.len() - 1])?;
        }
        Ok(())
    }

    /// ` @callee(%a, %b) : (types) -> (types)`
    pub(super) fn call(&mut self, state: &mut OpState) -> Parsed<()> {
        let callee = AttrValue::Str(self.symbol()?);
        self.set_attr(Opcode::PreviewCall, state, AttrName::Callee, callee);
        let none = AttrValue::Attr(self.add_attr(tilewright_ir::AttrData::Array([].into())));
        self.set_attr(Opcode::PreviewCall, state, AttrName::ConstArgs, none);
        self.expect(Kind::LeftParen)?;
        self.closed(Kind::RightParen, |p| p.one_value(state))?;
        state.set_groups([state.operands.len()].into_iter());
        self.expect(Kind::Colon)?;
        let types = self.types_in_parentheses()?;
        self.check_values(Opcode::PreviewCall, state, 0, &types)?;
        self.expect(Kind::Arrow)?;
        state.results.extend(self.types_in_parentheses()?.into_iter().map(Some));
        Ok(())
    }

    fn set_attr(&mut self, opcode: Opcode, state: &mut OpState, name: AttrName, value: AttrValue) {
        if let Some(index) = opcode.def().attr_index(name) {
            state.attrs[index] = value;
        }
    }

    /// The operation with its one region, its location and its results.
    fn with_region(&mut self, block: Block, opcode: Opcode, token: Token, state: &mut OpState, arguments: &Arguments) -> Parsed<()> {
        let op = self.create(block, opcode, state);
        let region = self.body.op(op).regions().next().ok_or(Failed)?;
        let implicit = opcode.def().traits.contains(Traits::IMPLICIT_TERMINATOR).then_some(Opcode::Continue);
        self.region(region, arguments, implicit)?;
        let loc = self.location_of(token)?;
        self.body.set_loc(op, loc);
        self.define_results(op, token, state)
    }

    /// `{ ... }` with the arguments of its first block given. `implicit`: what ends a block that no terminator ends.
    pub(super) fn region(&mut self, region: Region, arguments: &Arguments, implicit: Option<Opcode>) -> Parsed<()> {
        let open = self.expect(Kind::LeftBrace)?;
        if self.depth >= MAX_REGION_DEPTH {
            return Err(self.report("limit", open.span(), format!("regions nest deeper than {MAX_REGION_DEPTH}")));
        }
        self.depth += 1;
        self.record_region(open);
        let mark = self.scope.enter();
        let block = self.block(region, arguments);
        let closed = block.and_then(|block| self.operations(region, block, implicit, open));
        self.scope.leave(mark);
        self.record_leave();
        self.depth -= 1;
        closed
    }

    /// Adds a block and names its arguments.
    pub(super) fn block(&mut self, region: Region, arguments: &Arguments) -> Parsed<Block> {
        let block = self.body.add_block(region, &arguments.types);
        for (&name, value) in arguments.names.iter().zip(self.body.args(block)) {
            self.define(name, Binding::new(value, 1))?;
        }
        Ok(block)
    }

    /// The operations of a region, from its first block to its closing brace.
    pub(super) fn operations(&mut self, region: Region, block: Block, implicit: Option<Opcode>, open: Token) -> Parsed<()> {
        let mut block = block;
        let mut state = self.spare.pop().unwrap_or_default();
        loop {
            match self.token.kind() {
                Kind::RightBrace => break,
                Kind::End => return Err(self.unclosed(open)),
                Kind::Block => {
                    let label = self.token;
                    if region == self.body.root() && !self.is_ended(block) {
                        self.pending.unended.push(label);
                    }
                    self.end_block(block, implicit);
                    let arguments = self.block_header()?;
                    block = self.block(region, &arguments)?;
                    if region == self.body.root() {
                        self.pending.labels.push((label, block));
                    }
                }
                _ => self.operation(block, &mut state),
            }
        }
        self.spare.push(state);
        self.end_block(block, implicit);
        self.record_region_end();
        self.advance();
        Ok(())
    }

    pub(super) fn unclosed(&mut self, open: Token) -> Failed {
        let line = self.source[..open.start()].matches('\n').count() + 1;
        let errors = self.num_errors();
        let failed = self.unexpected(&format!("'}}' for the '{{' in line {line}"));
        if self.num_errors() > errors {
            self.label(open.span(), "opened here".to_owned());
        }
        failed
    }

    /// `^bb0(%arg0: type, ...):`
    pub(super) fn block_header(&mut self) -> Parsed<Arguments> {
        let label = self.expect(Kind::Block)?;
        self.record_label(label);
        let arguments = if self.at(Kind::LeftParen) { self.argument_list()? } else { Arguments::default() };
        self.expect(Kind::Colon)?;
        Ok(arguments)
    }

    /// Whether a block has a terminator, or needs none.
    fn is_ended(&self, block: Block) -> bool {
        self.body.last_op(block).is_some_and(|op| op.def().traits.contains(Traits::TERMINATOR)) || self.pending.ends(block)
    }

    /// Adds the terminator that goes without saying.
    fn end_block(&mut self, block: Block, implicit: Option<Opcode>) {
        if let Some(opcode) = implicit.filter(|_| !self.is_ended(block)) {
            self.body.add_op(block, NewOp { opcode, operands: &[], present: 0, split: 0, attrs: &[], results: &[], loc: None });
        }
    }
}
