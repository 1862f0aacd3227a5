//! Regions: how many blocks they have, what their arguments are, how they end.

use super::{At, Verifier, rules};
use crate::{Block, Body, OpRef, Opcode, Region, Type, ops::Traits};

impl<'m> Verifier<'m> {
    /// The regions of an operation.
    pub(super) fn regions(&mut self, at: At<'m>) {
        for (i, region) in at.op.regions().enumerate() {
            self.region_shape(at.op.body(), region, Some(at), i > 0 && at.op.opcode() == Opcode::If);
        }
    }

    pub(super) fn region_shape(&mut self, body: &'m Body, region: Region, owner: Option<At<'m>>, may_be_empty: bool) {
        let mut blocks = body.blocks(region);
        match (blocks.next(), blocks.next()) {
            (None, _) if may_be_empty => {}
            (Some(block), None) => {
                if let Some(at) = owner {
                    self.region_arguments(at, block);
                }
                self.ending(body, block, owner);
            }
            _ => self.report(&rules::REGION_BLOCKS, owner, format!("a region holds one block, found {}", body.blocks(region).count())),
        }
    }

    fn region_arguments(&mut self, at: At<'m>, block: Block) {
        let body = at.op.body();
        let operands = at.op.operands().len();
        let expected = match at.op.opcode() {
            Opcode::For => 1 + operands.saturating_sub(3),
            Opcode::Loop => operands,
            Opcode::Reduce | Opcode::Scan => 2 * operands,
            _ => 0,
        };
        let found = body.args(block).len();
        if found != expected {
            return self.report(&rules::REGION_ARGUMENTS, Some(at), format!("the region takes {expected} arguments, found {found}"));
        }
        let before = self.reported;
        for argument in body.args(block) {
            self.type_version(body.ty(argument), Some(at));
        }
        if self.reported > before || !at.operand_types().all(|ty| ty.index() < self.types.len()) {
            return;
        }
        let arguments: Vec<Type> = body.args(block).map(|argument| body.ty(argument)).collect();
        match at.op.opcode() {
            Opcode::For => {
                let bound = at.operand_type(0);
                self.require(Some(arguments[0]) == bound, &rules::LOOP_ARGUMENT, at, |v| {
                    let bound = bound.map_or_else(String::new, |ty| v.text(ty));
                    format!("the loop counter must have the type of the bounds, {bound}, found {}", v.text(arguments[0]))
                });
                self.carried(at, 3, &arguments[1..]);
            }
            Opcode::Loop => self.carried(at, 0, &arguments),
            Opcode::Reduce | Opcode::Scan => self.fold_arguments(at, &arguments),
            _ => {}
        }
    }

    /// The arguments that carry values from one iteration to the next; their first values are operands from `first` on.
    fn carried(&mut self, at: At<'m>, first: usize, arguments: &[Type]) {
        for (i, &ty) in arguments.iter().enumerate() {
            self.not_a_view(at, &format!("carried value {i}"), ty);
            let Some(initial) = at.operand_type(first + i) else { return };
            self.require(initial == ty, &rules::LOOP_ARGUMENT, at, |v| {
                format!("carried value {i} must have the type of its first value, {}, found {}", v.text(initial), v.text(ty))
            });
        }
    }

    /// How a block ends: in a terminator that fits.
    fn ending(&mut self, body: &'m Body, block: Block, owner: Option<At<'m>>) {
        let Some(last) = body.last_op(block) else {
            return self.report(&rules::BLOCK_EMPTY, owner, "a block needs a terminator".to_owned());
        };
        let is_terminator = |op: OpRef<'_>| op.def().traits.contains(Traits::TERMINATOR);
        if !is_terminator(last) {
            let message = format!("a block must end in a terminator, found {}", last.def().mnemonic);
            self.report(&rules::TERMINATOR_MISSING, owner, message);
        } else if !terminator_fits(last.opcode(), owner.map(|at| at.op.opcode())) {
            let parent = owner.map_or("a function", |at| at.op.def().mnemonic);
            self.report(&rules::TERMINATOR_PARENT, owner, format!("{} cannot end a block of {parent}", last.def().mnemonic));
        }
    }
}

/// Whether a terminator may end a block of this operation (SEMANTICS c.9).
fn terminator_fits(terminator: Opcode, parent: Option<Opcode>) -> bool {
    match parent {
        None => terminator == Opcode::Return,
        Some(Opcode::For) => terminator == Opcode::Continue,
        Some(Opcode::Loop) => matches!(terminator, Opcode::Continue | Opcode::Break | Opcode::Return),
        Some(Opcode::If) => true,
        Some(Opcode::Reduce | Opcode::Scan) => terminator == Opcode::Yield,
        Some(_) => false,
    }
}
