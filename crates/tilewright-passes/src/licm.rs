//! Loop-invariant code motion.
//!
//! An operation moves out of the loops in whose every iteration it computes the same, at once as far as it can: before the outermost
//! loop that defines nothing that it reads. Operations move that can be computed where the program might not: those without effects
//! that are defined for all operands, reductions and scans of such operations among them. So nothing moves out of a branch.
//!
//! A weak load moves out of a loop that runs at least once, if it is reached in every iteration, nothing before it may end the program
//! or the loop, and nothing in the loop may write to its place. Its token must come from outside, too.

use crate::{
    effects::is_speculatable,
    facts::{Analyses, Analysis, Overlap, Places, TripCount},
    memory::{Effect, effect},
    registry::Options,
    statistics::Statistics,
};
use std::collections::HashMap;
use tilewright_ir::{Block, Body, Op, OpRef, Opcode, Rewriter, Tables, Value};

/// What moved operations leave alone: they jump nowhere, and write nothing.
pub(crate) const PRESERVES: &[Analysis] = &[Analysis::Tokens, Analysis::Written];

/// What the statistics call the changes.
const MOVED: &str = "moved out of loops";
/// How many loops a load moves out of.
const MAX_LOOPS: usize = 8;
/// The most operations of a reduction or scan that moves.
const MAX_OPERATIONS: usize = 256;

pub(crate) fn run(rewriter: &mut Rewriter<'_>, analyses: &mut Analyses, options: Options<'_>, changes: &mut Statistics) {
    if !rewriter.body().preorder().any(is_loop) {
        return;
    }
    let (moved, loads) = hoist(rewriter, &HashMap::new());
    changes.add(MOVED, moved);
    if options.get("loads") == 0 || loads.is_empty() {
        return;
    }
    if moved > 0 {
        analyses.keep(PRESERVES);
    }
    let (tables, body) = rewriter.parts();
    let movable = movable_loads(tables, body, analyses, &loads);
    if !movable.is_empty() {
        changes.add(MOVED, hoist(rewriter, &movable).0);
    }
}

/// Moves what can move. `movable` are loads, and out of how many loops they may move. Gives how many operations moved, and weak loads in
/// loops that define nothing that these read.
fn hoist(rewriter: &mut Rewriter<'_>, movable: &HashMap<Op, usize>) -> (u64, Vec<Op>) {
    let mut levels = vec![0; rewriter.body().num_values()];
    let Some(entry) = rewriter.body().entry_block() else { return (0, Vec::new()) };
    let mut stack = vec![Level::new(rewriter, None, vec![entry], 0)];
    let (mut moved, mut loads) = (0, Vec::new());
    while let Some(level) = stack.last_mut() {
        let Some(op) = level.next else {
            match level.blocks.pop() {
                Some(block) => level.next = rewriter.body().ops(block).next().map(OpRef::id),
                None => _ = stack.pop(),
            }
            continue;
        };
        let here = rewriter.op(op);
        level.next = here.next().map(OpRef::id);
        let (outermost, depth) = (level.outermost, stack.len() - 1);
        let mut target = depth;
        if outermost < depth {
            let needed = operands(here).map(|operand| levels[operand.index()]).max().unwrap_or(0);
            target = outermost.max(needed);
        }
        let (tables, _) = rewriter.parts();
        let mut moves = target < depth && can_be_computed_anywhere(here, tables);
        if target < depth && effect(here) == Effect::Load {
            loads.push(op);
            target = target.max(depth - movable.get(&op).copied().unwrap_or(0).min(depth));
            moves = target < depth;
        }
        let own = if moves { target } else { depth };
        here.results().for_each(|result| levels[result.index()] = own);
        if moves {
            let before = stack[target + 1].owner.expect("only the outermost level has no owner");
            rewriter.move_before(op, before).expect("the loop is there, and around the operation");
            moved += 1;
        } else if here.def().regions > 0 {
            let blocks: Vec<Block> = here.regions().flat_map(|region| here.body().blocks(region)).collect();
            let outermost = if is_loop(here) { outermost } else { depth + 1 };
            let args: Vec<Value> = blocks.iter().flat_map(|block| here.body().args(*block)).collect();
            args.into_iter().for_each(|arg| levels[arg.index()] = depth + 1);
            stack.push(Level::new(rewriter, Some(op), blocks, outermost));
        }
    }
    (moved, loads)
}

fn is_loop(op: OpRef<'_>) -> bool {
    matches!(op.opcode(), Opcode::For | Opcode::Loop)
}

/// What an operation reads, in its regions, too. Regions of loops and branches do not move.
fn operands(op: OpRef<'_>) -> impl Iterator<Item = Value> {
    op.operands().iter().chain(inside(op).flat_map(|op| op.operands())).copied()
}

/// The operations of a reduction or scan.
fn inside(op: OpRef<'_>) -> impl Iterator<Item = OpRef<'_>> {
    let regions = matches!(op.opcode(), Opcode::Reduce | Opcode::Scan).then(|| op.regions()).into_iter().flatten();
    regions.flat_map(move |region| op.body().blocks(region)).flat_map(move |block| op.body().ops(block))
}

fn can_be_computed_anywhere(op: OpRef<'_>, tables: &Tables) -> bool {
    match op.opcode() {
        Opcode::Reduce | Opcode::Scan => {
            inside(op).nth(MAX_OPERATIONS).is_none() && inside(op).all(|op| op.opcode() == Opcode::Yield || is_speculatable(op, tables))
        }
        _ => is_speculatable(op, tables),
    }
}

/// Out of how many loops loads may move.
fn movable_loads(tables: &Tables, body: &Body, analyses: &Analyses, loads: &[Op]) -> HashMap<Op, usize> {
    let facts = analyses.integers(tables, body);
    let places = Places::new(tables, body, facts);
    let written = analyses.written(body);
    let reached = first_reached(body.preorder());
    let leaves = |load: Op, around: OpRef<'_>| {
        let runs = match around.opcode() {
            Opcode::Loop => true,
            Opcode::For => TripCount::of(around, facts).is_some_and(|trips| trips.min > 0),
            _ => false,
        };
        let stores = written.by(around.id());
        let overlap = |store: &Op| places.overlap(body.op(load), body.op(*store));
        runs && stores.is_some_and(|stores| stores.iter().all(|store| overlap(store) == Overlap::Never))
    };
    let out_of = |load: Op| {
        let around = std::iter::successors(Some(body.op(load)), |op| op.parent());
        let loops = around.take_while(|op| reached[op.id().index()]).filter_map(OpRef::parent).take(MAX_LOOPS);
        loops.take_while(|around| leaves(load, *around)).count()
    };
    loads.iter().map(|load| (*load, out_of(*load))).filter(|(_, loops)| *loops > 0).collect()
}

/// By operation: whether it is reached whenever its block is, as nothing before it there may end the program or leave the block.
fn first_reached<'m>(ops: impl Iterator<Item = OpRef<'m>>) -> Vec<bool> {
    let mut reached: Vec<bool> = Vec::new();
    for op in ops {
        let is_reached = op.prev().is_none_or(|before| {
            let may_stop = matches!(effect(before), Effect::Regions | Effect::Stop | Effect::Barrier);
            reached[before.id().index()] && !may_stop
        });
        if reached.len() <= op.id().index() {
            reached.resize(op.id().index() + 1, false);
        }
        reached[op.id().index()] = is_reached;
    }
    reached
}

/// The regions of an operation that is walked over.
struct Level {
    owner: Option<Op>,
    /// The blocks that are still to be walked over, the next one last.
    blocks: Vec<Block>,
    next: Option<Op>,
    /// How far out an operation may move from here: from loop to loop, out of no branch.
    outermost: usize,
}

impl Level {
    fn new(rewriter: &Rewriter<'_>, owner: Option<Op>, mut blocks: Vec<Block>, outermost: usize) -> Level {
        blocks.reverse();
        let next = blocks.pop().and_then(|block| rewriter.body().ops(block).next()).map(OpRef::id);
        Level { owner, blocks, next, outermost }
    }
}
