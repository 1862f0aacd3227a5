//! Control flow: what is known of values goes with them into regions, out of them, and into functions.

use crate::{
    rules,
    state::{At, State, Violation},
    undefined::Shadow,
};
use tilewright_exec::Step;
use tilewright_ir::{AttrName, AttrValue, Op, OpRef, Opcode, Value};
use tilewright_memory_model::races::Token;

/// A call that a block is in: the function and the operation that called.
pub(crate) type Call = (usize, Op);

/// What is known of a value.
struct Known {
    shadow: Shadow,
    /// If it is a token.
    token: Option<Token>,
}

/// The loop that `break` or `continue` leaves or goes on with.
fn loop_around(op: OpRef<'_>) -> Option<OpRef<'_>> {
    let mut outer = op.parent();
    while let Some(op) = outer.filter(|op| !matches!(op.opcode(), Opcode::For | Opcode::Loop)) {
        outer = op.parent();
    }
    outer
}

impl<'m> State<'m> {
    /// Gives values what is known of others, in this or in another function.
    fn hand_over(&mut self, at: At, from: &[Value], (to_at, to): (At, impl Iterator<Item = Value>)) {
        let known: Vec<Known> = from.iter().map(|value| self.known(at, *value)).collect();
        to.zip(known).for_each(|(value, known)| self.set_known(to_at, value, known));
    }

    fn known(&mut self, at: At, value: Value) -> Known {
        let token = self.is_token(at, value).then(|| self.token(at, value));
        Known { shadow: self.shadow(at, value), token }
    }

    fn set_known(&mut self, at: At, value: Value, known: Known) {
        self.set_shadow(at, value, known.shadow);
        if let Some(token) = known.token {
            self.set_token(at, value, token);
        }
    }

    pub(crate) fn control(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let body = op.body();
        let args = |op: OpRef<'m>| op.region_block(0).map(|block| body.args(block)).into_iter().flatten();
        match op.opcode() {
            Opcode::For => {
                self.sink(at, &op.operands()[..3], &rules::UNDEFINED_BRANCH, "a bound of the loop depends on an undefined value");
                self.check_step(at, step, op);
                let inits = &op.operands()[3..];
                self.hand_over(at, inits, (at, args(op).skip(1)));
                self.hand_over(at, inits, (at, op.results()));
            }
            Opcode::Loop => self.hand_over(at, op.operands(), (at, args(op))),
            Opcode::If => self.sink(at, op.operands(), &rules::UNDEFINED_BRANCH, "the condition depends on an undefined value"),
            Opcode::Continue => match loop_around(op) {
                Some(outer) if outer.opcode() == Opcode::For => {
                    // The results first: an operand may be an argument.
                    self.hand_over(at, op.operands(), (at, outer.results()));
                    self.hand_over(at, op.operands(), (at, args(outer).skip(1)));
                }
                Some(outer) => self.hand_over(at, op.operands(), (at, args(outer))),
                None => {}
            },
            Opcode::Break => {
                if let Some(outer) = loop_around(op) {
                    self.hand_over(at, op.operands(), (at, outer.results()));
                }
            }
            Opcode::Yield => {
                if let Some(outer) = op.parent().filter(|outer| outer.opcode() == Opcode::If) {
                    self.hand_over(at, op.operands(), (at, outer.results()));
                }
            }
            Opcode::PreviewCall => self.call(at, op),
            Opcode::Return => self.return_from(at, op),
            _ => {}
        }
    }

    fn check_step(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let [Some(lower), Some(upper), Some(by)] = [0, 1, 2].map(|i| step.operand(i)) else { return };
        let width = lower.scalar().map_or(64, |scalar| scalar.bits());
        let is_unsigned = op.flag(AttrName::UnsignedCmp);
        let number = |bits: u64| {
            let unused = 64 - width;
            if is_unsigned { i128::from(bits << unused >> unused) } else { i128::from((bits << unused).cast_signed() >> unused) }
        };
        let [lower, upper, by] = [lower, upper, by].map(|tile| number(tile.first()));
        if lower >= upper {
            return;
        }
        if by <= 0 {
            self.violation(at, Violation::new(&rules::LOOP_STEP, format!("the loop goes from {lower} to {upper} in steps of {by}")));
            return;
        }
        let last = lower + (upper - 1 - lower) / by * by;
        let greatest = if is_unsigned { (1i128 << width) - 1 } else { (1i128 << (width - 1)) - 1 };
        if last + by > greatest {
            let message = format!("the last value of the loop's variable is {last}, and {} does not fit {width} bits", last + by);
            self.violation(at, Violation::new(&rules::LOOP_OVERFLOW, message));
        }
    }

    fn call(&mut self, at: At, op: OpRef<'m>) {
        let AttrValue::Str(name) = op.attr(AttrName::Callee) else { return };
        let Some(function) = self.module.functions.iter().position(|function| function.name == name) else { return };
        let body = self.body(function);
        if let Some(block) = body.entry_block() {
            let inside = At { function, ..at };
            self.hand_over(at, op.operands(), (inside, body.args(block)));
        }
        self.block(at.index).calls.push((at.function, at.op));
    }

    fn return_from(&mut self, at: At, op: OpRef<'m>) {
        let Some((function, call)) = self.block(at.index).calls.pop() else { return };
        let outside = At { function, op: call, ..at };
        let results = self.op(outside).results();
        self.hand_over(at, op.operands(), (outside, results));
    }
}
