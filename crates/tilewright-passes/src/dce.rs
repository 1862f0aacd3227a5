//! Dead code: what nothing needs is removed.
//!
//! Needed is what has an effect, and what something needed reads. A carried value is needed if something but its own next value
//! reads it, so values that a loop only hands to itself go as well; loops and branches are made anew without what is not
//! needed. A weak load whose tile nobody reads is removed too, unless the option `loads` says no: its token then is the one that it
//! waited for.

use crate::{
    effects::{only_computes, only_loads},
    facts::Analyses,
    registry::Options,
    statistics::Statistics,
    structure::{FOR_BOUNDS, Kept, Terminators, bypass, preorder, shrink},
};
use tilewright_ir::{Body, Op, OpRef, Opcode, Rewriter, Value, ValueDef, ops::Traits};

pub(crate) fn run(rewriter: &mut Rewriter<'_>, _: &mut Analyses, options: Options<'_>, changes: &mut Statistics) {
    let ops = preorder(rewriter.body());
    let terminators = Terminators::new(rewriter.body(), &ops);
    let drops_loads = options.get("loads") != 0;
    let live = Liveness::new(rewriter.body(), &ops, &terminators, drops_loads);
    if drops_loads {
        bypass_loads(rewriter, &ops, &live, changes);
    }
    let mut replaced = vec![false; live.ops.len()];
    for op in ops.iter().filter(|op| live.op(**op)) {
        let Some(kept) = live.kept(rewriter.op(*op)).filter(|kept| !kept.all()) else { continue };
        changes.add("carried values and results dropped", dropped(&kept.carried) + dropped(&kept.results));
        shrink(rewriter, *op, &kept, &terminators);
        replaced[op.index()] = true;
    }
    // Backwards, so that what uses something goes before it.
    let mut erased = 0;
    for op in ops.into_iter().rev() {
        let is_replaced = replaced[op.index()];
        if !rewriter.is_erased(op) && (is_replaced || !live.stays(rewriter.op(op))) {
            erased += u64::from(!is_replaced);
            rewriter.erase(op).expect("only dead operations use the results of dead ones");
        }
    }
    changes.add("removed", erased);
}

fn dropped(kept: &[bool]) -> u64 {
    kept.iter().filter(|kept| !**kept).count() as u64
}

/// Loads that nobody needs hand the token that they wait for to those that wait for them.
fn bypass_loads(rewriter: &mut Rewriter<'_>, ops: &[Op], live: &Liveness<'_>, changes: &mut Statistics) {
    for &op in ops {
        let load = rewriter.op(op);
        let Some(token) = load.results().last() else { continue };
        if live.op(op) || !only_loads(load) || rewriter.is_unused(token) {
            continue;
        }
        bypass(rewriter, op);
        changes.add("loads that only handed on a token", 1);
    }
}

/// Which operations and values are needed.
struct Liveness<'a> {
    terminators: &'a Terminators,
    /// Whether loads may be dead.
    drops_loads: bool,
    ops: Vec<bool>,
    values: Vec<bool>,
    work: Vec<Work>,
}

enum Work {
    Op(Op),
    Value(Value),
}

impl<'a> Liveness<'a> {
    fn new(body: &Body, preorder: &[Op], terminators: &'a Terminators, drops_loads: bool) -> Liveness<'a> {
        let (ops, values) = (vec![false; body.num_ops()], vec![false; body.num_values()]);
        let mut live = Liveness { terminators, drops_loads, ops, values, work: Vec::with_capacity(preorder.len()) };
        for op in preorder.iter().map(|op| body.op(*op)).filter(|op| has_effects(*op) || !drops_loads && only_loads(*op)) {
            live.need_op(op);
        }
        while let Some(work) = live.work.pop() {
            match work {
                Work::Op(op) => live.follow_op(body.op(op)),
                Work::Value(value) => live.follow_value(body, value),
            }
        }
        live
    }

    fn op(&self, op: Op) -> bool {
        self.ops[op.index()]
    }

    /// Whether an operation stays: a terminator does if what it ends a region of does.
    fn stays(&self, op: OpRef<'_>) -> bool {
        if op.def().traits.contains(Traits::TERMINATOR) {
            // An operation that is new was made of one that is needed.
            return op.parent().is_none_or(|parent| self.ops.get(parent.id().index()).is_none_or(|live| *live));
        }
        self.op(op.id())
    }

    fn need_op(&mut self, op: OpRef<'_>) {
        if !std::mem::replace(&mut self.ops[op.id().index()], true) {
            self.work.push(Work::Op(op.id()));
        }
    }

    fn need(&mut self, value: Value) {
        if !std::mem::replace(&mut self.values[value.index()], true) {
            self.work.push(Work::Value(value));
        }
    }

    fn need_all(&mut self, values: &[Value]) {
        values.iter().for_each(|value| self.need(*value));
    }

    /// What an operation needs that is needed itself, but for the values that control flow carries.
    fn follow_op(&mut self, op: OpRef<'_>) {
        if let Some(parent) = op.parent() {
            self.need_op(parent);
        }
        match op.opcode() {
            Opcode::For => self.need_all(&op.operands()[..FOR_BOUNDS]),
            Opcode::If => self.need_all(op.operands()),
            Opcode::Loop => {}
            // What they hand on is needed as far as their target is.
            Opcode::Yield | Opcode::Continue | Opcode::Break => return,
            _ => self.need_all(op.operands()),
        }
        if op.def().regions == 0 {
            return;
        }
        // Ways out of the regions, which may lie in branches.
        let terminators = self.terminators;
        for terminator in terminators.of(op.id()) {
            self.need_op(op.body().op(terminator));
            if matches!(op.opcode(), Opcode::Reduce | Opcode::Scan) {
                self.need_all(op.body().op(terminator).operands());
            }
        }
    }

    fn follow_value(&mut self, body: &Body, value: Value) {
        match body.value_def(value) {
            ValueDef::Result(op, i) => {
                let op = body.op(op);
                if self.drops_loads && only_loads(op) && op.results().last() == Some(value) {
                    return self.need_all(op.operand_named("token"));
                }
                self.need_op(op);
                self.carried(op, i as usize, op.opcode() == Opcode::Loop);
            }
            ValueDef::Argument(block, i) => {
                let Some(owner) = body.owner(body.region_of(block)).map(|owner| body.op(owner)) else { return };
                self.need_op(owner);
                let induction_variables = usize::from(owner.opcode() == Opcode::For);
                if let Some(i) = (i as usize).checked_sub(induction_variables) {
                    self.carried(owner, i, false);
                }
            }
        }
    }

    /// Needs what becomes the carried value, or the result, at this position of `for`, `loop` or `if`.
    fn carried(&mut self, op: OpRef<'_>, i: usize, is_loop_result: bool) {
        let body = op.body();
        let bounds = match op.opcode() {
            Opcode::For => FOR_BOUNDS,
            Opcode::Loop | Opcode::If => 0,
            _ => return,
        };
        if op.opcode() != Opcode::If && !is_loop_result {
            self.need(op.operands()[bounds + i]);
        }
        if op.opcode() == Opcode::For {
            // The result and the value that is carried are one.
            self.need(op.result(i).expect("a for gives what it carries"));
            let carried = op.region_block(0).and_then(|block| body.args(block).nth(i + 1));
            self.need(carried.expect("a for carries what it gives"));
        }
        let from = match op.opcode() {
            Opcode::If => Opcode::Yield,
            Opcode::Loop if is_loop_result => Opcode::Break,
            _ => Opcode::Continue,
        };
        let terminators = self.terminators;
        for terminator in terminators.of(op.id()).map(|terminator| body.op(terminator)).filter(|op| op.opcode() == from) {
            self.need(terminator.operands()[i]);
        }
    }

    /// Which values of a control operation are needed; `None` for other operations.
    fn kept(&self, op: OpRef<'_>) -> Option<Kept> {
        let is_live = |value: Value| self.values[value.index()];
        let results = || op.results().map(is_live).collect::<Vec<_>>();
        let carried = |bounds: usize| {
            let block = op.region_block(0).expect("a loop has a block");
            op.body().args(block).skip(bounds).map(is_live).collect::<Vec<_>>()
        };
        match op.opcode() {
            Opcode::If => Some(Kept { carried: Vec::new(), results: results() }),
            Opcode::For => Some(Kept { carried: carried(1), results: results() }),
            Opcode::Loop => Some(Kept { carried: carried(0), results: results() }),
            _ => None,
        }
    }
}

/// Whether an operation must stay even if nothing reads what it gives.
fn has_effects(op: OpRef<'_>) -> bool {
    match op.opcode() {
        // Nobody knows whether it ends.
        Opcode::Loop => true,
        // What is in their regions tells.
        Opcode::For | Opcode::If | Opcode::Yield | Opcode::Continue | Opcode::Break => false,
        // Memory that nobody points to.
        Opcode::Alloca => false,
        _ => !only_computes(op) && !only_loads(op),
    }
}
