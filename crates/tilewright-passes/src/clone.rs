//! Copies of operations, with everything in their regions.

use std::collections::HashMap;
use tilewright_ir::{NewOp, Op, Place, Rewriter, Type, Value};

/// Copies operations of a body within it.
#[derive(Debug, Default)]
pub(crate) struct Cloner {
    /// By value: what stands for it in the copy. Values without one stand for themselves.
    values: HashMap<Value, Value>,
}

impl Cloner {
    /// Lets a value stand for another one in copies that are made from now on.
    pub(crate) fn map(&mut self, from: Value, to: Value) {
        self.values.insert(from, to);
    }

    /// What stands for a value.
    pub(crate) fn mapped(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// Copies an operation to a place. Nothing recurses, however deep regions nest.
    pub(crate) fn clone_op(&mut self, rewriter: &mut Rewriter<'_>, op: Op, place: Place) -> Op {
        let copy = self.clone_row(rewriter, op, place);
        let mut regions = vec![(op, copy)];
        while let Some((from, to)) = regions.pop() {
            let pairs: Vec<_> = rewriter.op(from).regions().zip(rewriter.op(to).regions()).collect();
            for (from, to) in pairs {
                let blocks: Vec<_> = rewriter.body().blocks(from).collect();
                for block in blocks {
                    let args: Vec<Value> = rewriter.body().args(block).collect();
                    let types: Vec<Type> = args.iter().map(|arg| rewriter.body().ty(*arg)).collect();
                    let new = rewriter.add_block(to, &types);
                    let new_args: Vec<Value> = rewriter.body().args(new).collect();
                    args.into_iter().zip(new_args).for_each(|(from, to)| self.map(from, to));
                    let ops: Vec<Op> = rewriter.body().ops(block).map(|op| op.id()).collect();
                    for op in ops {
                        let copy = self.clone_row(rewriter, op, Place::End(new));
                        if rewriter.op(op).def().regions > 0 {
                            regions.push((op, copy));
                        }
                    }
                }
            }
        }
        copy
    }

    /// Copies an operation without what is in its regions.
    fn clone_row(&mut self, rewriter: &mut Rewriter<'_>, op: Op, place: Place) -> Op {
        let here = rewriter.op(op);
        let operands: Vec<Value> = here.operands().iter().map(|operand| self.mapped(*operand)).collect();
        let results: Vec<Value> = here.results().collect();
        let types: Vec<Type> = results.iter().map(|result| rewriter.body().ty(*result)).collect();
        let (attrs, present, split) = (here.attrs().to_vec(), here.present_operands(), here.split());
        let (opcode, loc) = (here.opcode(), here.loc());
        let new = NewOp { opcode, operands: &operands, present, split, attrs: &attrs, results: &types, loc };
        let copy = rewriter.create(place, new);
        let copies: Vec<Value> = rewriter.op(copy).results().collect();
        results.into_iter().zip(copies).for_each(|(from, to)| self.map(from, to));
        copy
    }
}
