//! Control flow.

use super::super::cursor::{Parsed, Parser};
use super::super::lexer::Token;
use super::emit::Emit;
use tilewright_ir::{AttrName, AttrValue, Block, Opcode, Scalar, Type, TypeData};

/// Reads an operation behind its name.
pub(super) type Read = fn(&mut Parser<'_>, Block, Token) -> Parsed<()>;

/// `unreachable`: the launch stops there.
pub(super) fn unreachable(parser: &mut Parser<'_>, block: Block, token: Token) -> Parsed<()> {
    let loc = parser.location_of(token)?;
    let mut emit = Emit { p: parser, block, loc, token };
    let never = emit.splat(Scalar::I1, &[], 0)?;
    let message = AttrValue::Str(emit.p.intern_string(b"unreachable code is reached"));
    emit.op(Opcode::Assert, (&[("condition", &[never])], &[(AttrName::Message, message)], &[]))?;
    parser.pending.ended.insert(block);
    parser.pending.unreachable.push((block, token));
    Ok(())
}

impl Parser<'_> {
    /// Ends the blocks that end where execution never comes, with values that stand for any.
    pub(super) fn end_unreachable(&mut self, signature: Type) -> Parsed<()> {
        for (block, token) in std::mem::take(&mut self.pending.unreachable) {
            let owner = self.body.owner(self.body.region_of(block)).map(|op| self.body.op(op));
            let (opcode, types): (Opcode, Vec<Type>) = match owner {
                None => match self.module.tables.types.get(signature) {
                    TypeData::Function { results, .. } => (Opcode::Return, results.to_vec()),
                    _ => (Opcode::Return, Vec::new()),
                },
                Some(op) if op.opcode() == Opcode::Loop => (Opcode::Continue, op.operands().iter().map(|&v| self.body.ty(v)).collect()),
                Some(op) if op.opcode() == Opcode::For => (Opcode::Continue, op.results().map(|v| self.body.ty(v)).collect()),
                Some(op) => (Opcode::Yield, op.results().map(|v| self.body.ty(v)).collect()),
            };
            let mut emit = Emit { p: self, block, loc: None, token };
            let values = types.into_iter().map(|ty| emit.filler(ty)).collect::<Parsed<Vec<_>>>()?;
            emit.op(opcode, (&[("operands", &values)], &[], &[]))?;
        }
        Ok(())
    }
}
