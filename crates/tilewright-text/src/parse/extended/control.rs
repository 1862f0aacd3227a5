//! Branches between blocks, as they are read, and `unreachable`.

use super::super::cursor::{Parsed, Parser, brief};
use super::super::lexer::{Kind, Token};
use super::super::ops::OpState;
use super::emit::Emit;
use tilewright_ir::{AttrName, AttrValue, Block, Loc, Op, Opcode, Scalar, Type, TypeData, Value};

/// How a block ends that branches to others.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    /// The name of the operation.
    pub(super) token: Token,
    pub(super) loc: Option<Loc>,
    /// The last operation before it.
    pub(super) last: Option<Op>,
    pub(super) condition: Option<Value>,
    /// Where it goes: two targets if there is a condition, the first where that holds.
    pub(super) targets: Vec<Target>,
}

/// A block to go to, and its arguments.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) label: Token,
    pub(super) args: Vec<Value>,
}

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

/// `br ^target(%a : type)`
pub(super) fn br(parser: &mut Parser<'_>, block: Block, token: Token) -> Parsed<()> {
    let target = parser.target()?;
    parser.branch(block, token, None, vec![target])
}

/// `cond_br %condition, ^then(%a : type), ^else`
pub(super) fn cond_br(parser: &mut Parser<'_>, block: Block, token: Token) -> Parsed<()> {
    let place = parser.token;
    let condition = parser.value()?;
    if parser.module.tables.types.as_tile(parser.body.ty(condition)) != Some((Scalar::I1.ty(), &[])) {
        let found = parser.type_name(parser.body.ty(condition));
        return Err(parser.report("type-mismatch", place.span(), format!("a condition is a tile<i1>, found {found}")));
    }
    parser.expect(Kind::Comma)?;
    let then = parser.target()?;
    parser.expect(Kind::Comma)?;
    let other = parser.target()?;
    parser.branch(block, token, Some(condition), vec![then, other])
}

impl Parser<'_> {
    /// `^label(%a, %b : type, type)`
    fn target(&mut self) -> Parsed<Target> {
        let label = self.expect(Kind::Block)?;
        self.record_label_use(label);
        let mut state = OpState::default();
        if self.eat(Kind::LeftParen) {
            self.value_list(&mut state)?;
            self.expect(Kind::Colon)?;
            for at in 0..state.operands.len() {
                if at > 0 {
                    self.expect(Kind::Comma)?;
                }
                let ty = self.ty()?;
                self.check_value(&state, at, ty)?;
            }
            self.expect(Kind::RightParen)?;
        }
        Ok(Target { label, args: state.operands })
    }

    fn branch(&mut self, block: Block, token: Token, condition: Option<Value>, targets: Vec<Target>) -> Parsed<()> {
        let loc = self.location_of(token)?;
        let region = self.body.region_of(block);
        if let Some(owner) = self.body.owner(region) {
            let owner = self.body.op(owner).opcode();
            let message = format!("{} cannot stand inside of {owner}, whose regions have one block", brief(self.text(token)));
            let failed = self.report("cannot-expand", token.span(), message);
            self.note(
                "blocks that branch to each other are those of a function: write the loop or choice itself as blocks, too".to_owned(),
            );
            return Err(failed);
        }
        let last = self.body.last_op(block).map(|op| op.id());
        self.pending.ended.insert(block);
        if self.pending.branches.insert(block, Branch { token, loc, last, condition, targets }).is_some() {
            return Err(self.report("misplaced-operation", token.span(), "the block has ended with a branch before this one".to_owned()));
        }
        Ok(())
    }

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
