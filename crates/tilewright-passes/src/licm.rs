//! Loop-invariant code motion.
//!
//! An operation moves out of the loops in whose every iteration it computes the same, at once as far as it can: before the outermost
//! loop that defines nothing that it reads. Operations move that can be computed where the program might not: those without effects
//! that are defined for all operands. So nothing moves out of a branch, and what accesses memory or takes a token stays.

use crate::{effects::is_speculatable, registry::Options, statistics::Statistics};
use tilewright_ir::{Block, Op, OpRef, Opcode, Rewriter, Value};

pub(crate) fn run(rewriter: &mut Rewriter<'_>, _: Options<'_>, changes: &mut Statistics) {
    let mut levels = vec![0; rewriter.body().num_values()];
    let Some(entry) = rewriter.body().entry_block() else { return };
    let mut stack = vec![Level::new(rewriter, None, vec![entry], 0)];
    let mut moved = 0;
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
        let needed = here.operands().iter().map(|operand| levels[operand.index()]).max().unwrap_or(0);
        let target = outermost.max(needed);
        let (tables, _) = rewriter.parts();
        let moves = target < depth && is_speculatable(here, tables);
        let own = if moves { target } else { depth };
        here.results().for_each(|result| levels[result.index()] = own);
        if moves {
            let before = stack[target + 1].owner.expect("only the outermost level has no owner");
            rewriter.move_before(op, before).expect("the loop is there, and around the operation");
            moved += 1;
        } else if here.def().regions > 0 {
            let blocks: Vec<Block> = here.regions().flat_map(|region| here.body().blocks(region)).collect();
            let is_loop = matches!(here.opcode(), Opcode::For | Opcode::Loop);
            let args: Vec<Value> = blocks.iter().flat_map(|block| here.body().args(*block)).collect();
            args.into_iter().for_each(|arg| levels[arg.index()] = depth + 1);
            stack.push(Level::new(rewriter, Some(op), blocks, if is_loop { outermost } else { depth + 1 }));
        }
    }
    changes.add("moved out of loops", moved);
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
