//! Forwarded loads and overwritten stores taken out of a function.

use super::{Edits, Forward, value_of};
use crate::{statistics::Statistics, structure::bypass};
use tilewright_ir::{NewOp, Opcode, Place, Rewriter};

pub(super) fn apply(rewriter: &mut Rewriter<'_>, edits: Edits, changes: &mut Statistics) {
    changes.add("loads forwarded to", edits.forwards.len() as u64);
    changes.add("overwritten stores removed", edits.overwritten.len() as u64);
    // Loads first: they read the operands of stores.
    for forward in edits.forwards {
        let value = known_value(rewriter, &forward);
        let result = rewriter.op(forward.load).result(0).expect("a load gives a tile");
        rewriter.replace_uses(result, value);
        bypass(rewriter, forward.load);
        rewriter.erase(forward.load).expect("its results are replaced");
    }
    for store in edits.overwritten {
        bypass(rewriter, store);
        rewriter.erase(store).expect("its token is replaced");
    }
}

/// What a load gives.
fn known_value(rewriter: &mut Rewriter<'_>, forward: &Forward) -> tilewright_ir::Value {
    let value = value_of(rewriter.op(forward.from)).expect("it has a value");
    if !forward.pads {
        return value;
    }
    let load = rewriter.op(forward.load);
    let operands = [load.operand_named("mask")[0], value, load.operand_named("paddingValue")[0]];
    let (ty, loc) = (rewriter.body().ty(value), load.loc());
    let new = NewOp { opcode: Opcode::Select, operands: &operands, present: 0, split: 0, attrs: &[], results: &[ty], loc };
    let new = rewriter.create(Place::Before(forward.load), new);
    rewriter.op(new).result(0).expect("it has a result")
}
