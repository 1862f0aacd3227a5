//! The structure of control flow: which terminators hand values to which operation, and control operations made anew with some of
//! their values.

use std::{cell::OnceCell, collections::HashMap};
use tilewright_ir::{Body, NewOp, Op, OpRef, Opcode, Place, Rewriter, Scalar, Tables, Type, TypeTable, Value};

/// How many operands of `for` come before its first values.
pub(crate) const FOR_BOUNDS: usize = 3;

/// The terminators that hand values to each `if`, `for`, `loop`, `reduce` and `scan`: in the order of the text.
#[derive(Debug)]
pub(crate) struct Terminators {
    /// Target and terminator, ordered by target.
    pairs: Vec<(Op, Op)>,
    /// The target of each terminator, once somebody has asked for one.
    targets: OnceCell<HashMap<Op, Op>>,
}

impl Terminators {
    /// Those of a body. The operations come in the order of [`Body::preorder`].
    pub(crate) fn new(body: &Body, preorder: &[Op]) -> Terminators {
        // By operation with regions: the loop that `continue` and `break` in them mean.
        let mut innermost: Vec<Option<Op>> = vec![None; body.num_ops()];
        let mut pairs = Vec::new();
        for op in preorder.iter().map(|op| body.op(*op)) {
            let around = |innermost: &[Option<Op>]| op.parent().and_then(|parent| innermost[parent.id().index()]);
            match op.opcode() {
                Opcode::For | Opcode::Loop => innermost[op.id().index()] = Some(op.id()),
                Opcode::If => innermost[op.id().index()] = around(&innermost),
                Opcode::Yield => pairs.extend(op.parent().map(|parent| (parent.id(), op.id()))),
                Opcode::Continue | Opcode::Break => pairs.extend(around(&innermost).map(|target| (target, op.id()))),
                _ => {}
            }
        }
        pairs.sort();
        Terminators { pairs, targets: OnceCell::new() }
    }

    /// The operation that a terminator hands values to.
    pub(crate) fn target(&self, terminator: Op) -> Option<Op> {
        let targets = self.targets.get_or_init(|| self.pairs.iter().map(|(target, terminator)| (*terminator, *target)).collect());
        targets.get(&terminator).copied()
    }

    /// The terminators that hand values to an operation.
    pub(crate) fn of(&self, target: Op) -> impl Iterator<Item = Op> + '_ {
        let start = self.pairs.partition_point(|(known, _)| *known < target);
        self.pairs[start..].iter().take_while(move |(known, _)| *known == target).map(|(_, terminator)| *terminator)
    }
}

/// The values of a loop, or the results of an `if`, that are kept.
#[derive(Debug)]
pub(crate) struct Kept {
    /// By carried value of a loop.
    pub(crate) carried: Vec<bool>,
    /// By result.
    pub(crate) results: Vec<bool>,
}

impl Kept {
    /// Whether everything is.
    pub(crate) fn all(&self) -> bool {
        self.carried.iter().chain(&self.results).all(|kept| *kept)
    }
}

/// Makes `for`, `loop` or `if` anew with some of its values, before it. Nothing that stays uses what is dropped.
pub(crate) fn shrink(rewriter: &mut Rewriter<'_>, op: Op, kept: &Kept, terminators: &Terminators) -> Op {
    let old = rewriter.op(op);
    // Operands and arguments of the block that come before the carried values.
    let (bounds, counters) = match old.opcode() {
        Opcode::For => (FOR_BOUNDS, 1),
        Opcode::If => (1, 0),
        _ => (0, 0),
    };
    let is_kept = |first: usize| move |i: usize| i < first || kept.carried[i - first];
    let operands = filtered(old.operands(), is_kept(bounds));
    let old_results: Vec<Value> = old.results().collect();
    let results = filtered(&old_results, |i| kept.results[i]);
    let types: Vec<Type> = results.iter().map(|value| rewriter.body().ty(*value)).collect();
    let (attrs, split) = (old.attrs().to_vec(), kept.carried.iter().filter(|kept| **kept).count() as u32);
    let (opcode, present, loc) = (old.opcode(), old.present_operands(), old.loc());
    let new = NewOp { opcode, operands: &operands, present, split, attrs: &attrs, results: &types, loc };
    let new = rewriter.create(Place::Before(op), new);
    move_regions(rewriter, op, new, is_kept(counters));
    for terminator in terminators.of(op) {
        let list = if rewriter.op(terminator).opcode() == Opcode::Continue { &kept.carried } else { &kept.results };
        let operands = filtered(rewriter.op(terminator).operands(), |i| list[i]);
        replace_terminator(rewriter, terminator, rewriter.op(terminator).opcode(), &operands);
    }
    let new_results: Vec<Value> = rewriter.op(new).results().collect();
    for (old, new) in results.into_iter().zip(new_results) {
        rewriter.replace_uses(old, new);
    }
    new
}

/// Moves what is in the regions of an operation to those of a new one, with some of the arguments.
fn move_regions(rewriter: &mut Rewriter<'_>, from: Op, to: Op, is_kept: impl Fn(usize) -> bool) {
    let regions: Vec<_> = rewriter.op(from).regions().zip(rewriter.op(to).regions()).collect();
    for (from, to) in regions {
        let blocks: Vec<_> = rewriter.body().blocks(from).collect();
        for block in blocks {
            let args: Vec<Value> = rewriter.body().args(block).collect();
            let args = filtered(&args, &is_kept);
            let types: Vec<Type> = args.iter().map(|arg| rewriter.body().ty(*arg)).collect();
            let new = rewriter.add_block(to, &types);
            let new_args: Vec<Value> = rewriter.body().args(new).collect();
            for (old, new) in args.into_iter().zip(new_args) {
                rewriter.replace_uses(old, new);
            }
            rewriter.move_contents(block, Place::End(new));
        }
    }
}

/// Puts another terminator with these operands in the place of one.
pub(crate) fn replace_terminator(rewriter: &mut Rewriter<'_>, op: Op, opcode: Opcode, operands: &[Value]) -> Op {
    let loc = rewriter.op(op).loc();
    let new = NewOp { opcode, operands, present: 0, split: operands.len() as u32, attrs: &[], results: &[], loc };
    let new = rewriter.create(Place::Before(op), new);
    rewriter.erase(op).expect("a terminator has no results");
    new
}

fn filtered(values: &[Value], is_kept: impl Fn(usize) -> bool) -> Vec<Value> {
    values.iter().enumerate().filter(|(i, _)| is_kept(*i)).map(|(_, value)| *value).collect()
}

/// All operations, each before those of its regions.
pub(crate) fn preorder(body: &Body) -> Vec<Op> {
    let mut ops = Vec::with_capacity(body.num_ops());
    ops.extend(body.preorder().map(OpRef::id));
    ops
}

/// Lets what waits for an access to memory wait for what this one waits for.
pub(crate) fn bypass(rewriter: &mut Rewriter<'_>, access: Op) {
    let here = rewriter.op(access);
    let Some(token) = here.results().last().filter(|token| !rewriter.is_unused(*token)) else { return };
    let (before, loc) = (here.operand_named("token").first().copied(), here.loc());
    let before = before.unwrap_or_else(|| {
        let types = [TypeTable::token()];
        let new = NewOp { opcode: Opcode::MakeToken, operands: &[], present: 0, split: 0, attrs: &[], results: &types, loc };
        let new = rewriter.create(Place::Before(access), new);
        rewriter.op(new).result(0).expect("a token")
    });
    rewriter.replace_uses(token, before);
}

/// Whether `select` takes tiles of this type.
pub(crate) fn can_be_selected(tables: &Tables, ty: Type) -> bool {
    tables.types.as_tile(ty).is_some_and(|(element, _)| tables.types.scalar(element) != Some(Scalar::F4E2M1FN))
}
