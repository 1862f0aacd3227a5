//! Operations that are read, on their way into the body.

use super::cursor::{Failed, Parsed, Parser, brief};
use super::format::Plan;
use super::lexer::Token;
use super::ops::OpState;
use super::scope::Binding;
use tilewright_ir::ops::{Arity, AttrDefault, Subject, TypeSource};
use tilewright_ir::{Attr, AttrData, AttrValue, Block, Op, Opcode, PushedOp, Scalar, Type, TypeData, TypeTable};

impl<'s> Parser<'s> {
    /// The types that the text shows nowhere, and a check of the operands that have them.
    pub(super) fn imply_types(&mut self, opcode: Opcode, state: &mut OpState, plan: &Plan) -> Parsed<()> {
        for &(subject, source) in &plan.implied {
            let ty = self.implied_type(state, source);
            match subject {
                Subject::Result(index) => state.results[index] = ty,
                Subject::Operand(index) => {
                    let Some(ty) = ty else { continue };
                    for at in state.group(index) {
                        self.check_operand(opcode, state, index, at, ty)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn implied_type(&mut self, state: &OpState, source: TypeSource) -> Option<Type> {
        let of = |subject| match subject {
            Subject::Result(index) => state.results.get(index).copied().flatten(),
            Subject::Operand(index) => state.operands.get(state.group(index).start).map(|&value| self.body.ty(value)),
        };
        match source {
            TypeSource::Token => Some(TypeTable::token()),
            TypeSource::Index => self.module.tables.types.tile(Scalar::I32.ty(), &[]).ok(),
            TypeSource::Like(subject) => of(subject),
            TypeSource::TensorViewOf(subject) => match self.module.tables.types.get(of(subject)?) {
                TypeData::PartitionView { tensor_view, .. }
                | TypeData::StridedView { tensor_view, .. }
                | TypeData::GatherScatterView { tensor_view, .. } => Some(*tensor_view),
                _ => None,
            },
        }
    }

    /// Adds the operation, without results and location.
    pub(super) fn create(&mut self, block: Block, opcode: Opcode, state: &mut OpState) -> Op {
        let def = opcode.def();
        for index in 0..def.attrs.len() {
            match state.attrs[index] {
                AttrValue::Absent => {
                    let value = self.attr_or_default(opcode, state, index);
                    self.body.push_attr(value);
                }
                value => self.body.push_attr(value),
            }
        }
        let (mut present, mut split, mut next, mut in_order) = (0u8, None, 0, true);
        for (index, operand) in def.operands.iter().enumerate() {
            let group = state.group(index);
            match operand.arity {
                Arity::Optional if !group.is_empty() => present |= 1 << index,
                Arity::Variadic if split.is_none() => split = Some(group.len() as u32),
                _ => {}
            }
            if !group.is_empty() {
                in_order &= group.start == next;
                next = group.end;
            }
        }
        if in_order {
            state.operands.iter().for_each(|&operand| self.body.push_operand(operand));
        } else {
            for index in 0..def.operands.len() {
                state.operands[state.group(index)].iter().for_each(|&operand| self.body.push_operand(operand));
            }
        }
        self.body.add_op_of_pushed(block, PushedOp { opcode, present, split: split.unwrap_or(0), loc: None })
    }

    /// An attribute of an operation, or its default where the text leaves it out.
    #[inline]
    pub(super) fn attr_or_default(&mut self, opcode: Opcode, state: &OpState, index: usize) -> AttrValue {
        let value = state.attrs[index];
        if value != AttrValue::Absent {
            return value;
        }
        match opcode.def().attrs[index].default {
            Some(AttrDefault::Enum(value)) => AttrValue::Enum(value),
            Some(AttrDefault::Int(value)) => AttrValue::Int(value),
            Some(AttrDefault::AllFalse) => {
                let rank = opcode.def().operand_index("index").map_or(0, |index| state.group(index).len());
                AttrValue::Attr(self.all_false(rank))
            }
            None => value,
        }
    }

    fn all_false(&mut self, len: usize) -> Attr {
        if let Some(&Some(attr)) = self.all_false.get(len) {
            return attr;
        }
        let attr = self.add_attr(AttrData::BoolArray(vec![false; len].into()));
        self.all_false.resize(self.all_false.len().max(len + 1), None);
        self.all_false[len] = Some(attr);
        attr
    }

    /// Adds the results and binds their names.
    pub(super) fn define_results(&mut self, op: Op, token: Token, state: &mut OpState) -> Parsed<()> {
        state.types.clear();
        for result in &state.results {
            let Some(ty) = *result else {
                return Err(self.report("type-mismatch", token.span(), "the types in the text do not tell that of the result".to_owned()));
            };
            state.types.push(ty);
        }
        self.body.define_results(op, &state.types);
        let named: u64 = state.names.iter().map(|name| u64::from(name.count)).sum();
        if state.names.is_empty() || named == state.types.len() as u64 {
            return self.bind_results(op, state);
        }
        let results = match state.types.len() {
            0 => "no results".to_owned(),
            1 => "1 result".to_owned(),
            count => format!("{count} results"),
        };
        let names = if named == 1 { "1 name stands".to_owned() } else { format!("{named} names stand") };
        let message = format!("the operation has {results}, but {names} before it");
        let span = state.names.first().map_or(token.span(), |name| name.token.span());
        Err(self.report("wrong-count", span, message))
    }

    pub(super) fn bind_results(&mut self, op: Op, state: &OpState) -> Parsed<()> {
        let mut next = 0;
        for name in &state.names {
            let Some(first) = self.body.op(op).result(next) else { return Ok(()) };
            self.define(name.token, Binding::new(first, name.count))?;
            next += name.count as usize;
        }
        Ok(())
    }

    /// Defines a name.
    pub(super) fn define(&mut self, name: Token, binding: Binding) -> Parsed<()> {
        if self.scope.define(name, binding) {
            self.record_value(name, binding.value(0), binding.count());
            return Ok(());
        }
        if self.scope.get(name).is_some_and(Binding::is_broken) {
            return Err(Failed);
        }
        Err(self.report("redefinition", name.span(), format!("{} is defined already", brief(self.text(name)))))
    }
}
