//! Loops and branches that all members of a group take alike.

use super::{classes::Class, lift::Lifter};
use crate::structure::FOR_BOUNDS;
use tilewright_ir::{OpRef, Opcode, Type, Value};

impl Lifter<'_> {
    /// `for`, `loop` and `if`.
    pub(super) fn structured(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let from = self.from;
        let carried: Vec<Value> = op.region_block(0).into_iter().flat_map(|block| from.args(block)).collect();
        // The variable of a counted loop stands in front of what it carries.
        let (before, skipped) = match op.opcode() {
            Opcode::For => (FOR_BOUNDS, 1),
            Opcode::If => (1, 0),
            _ => (0, 0),
        };
        let mut operands = Vec::with_capacity(op.operands().len());
        for (i, operand) in op.operands().iter().enumerate() {
            operands.push(match i.checked_sub(before) {
                None => self.first(*operand)?,
                Some(i) => self.as_class_of(*operand, carried[i + skipped])?,
            });
        }
        let types: Vec<Type> = op.results().map(|result| self.class_type(result)).collect::<Result<_, _>>()?;
        let made = self.make(op, &operands, op.attrs(), &types)?;
        self.define_results(op, made)
    }

    /// What hands values to a loop or a branch.
    pub(super) fn terminator(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let from = self.from;
        let target = self.classes.terminators.target(op.id()).map(|target| from.op(target)).ok_or("it ends no loop or branch")?;
        let receivers: Vec<Value> = match op.opcode() {
            Opcode::Continue => {
                let skipped = usize::from(target.opcode() == Opcode::For);
                target.region_block(0).into_iter().flat_map(|block| from.args(block)).skip(skipped).collect()
            }
            _ => target.results().collect(),
        };
        let pairs = op.operands().iter().zip(receivers);
        let operands: Vec<Value> = pairs.map(|(operand, receiver)| self.as_class_of(*operand, receiver)).collect::<Result<_, _>>()?;
        self.make(op, &operands, op.attrs(), &[]).map(drop)
    }

    /// What stands for a value where it becomes another one.
    fn as_class_of(&mut self, value: Value, receiver: Value) -> Result<Value, String> {
        if self.classes.of(receiver) == Class::Varying { self.all(value) } else { self.first(value) }
    }
}
