//! Fused multiply-adds: a product that only a sum reads is computed in it, and rounded once where the program rounds twice.
//!
//! This changes results, within the rounding that is left out; all other passes leave every bit alone. `x*y + z` and `z + x*y` become
//! `fma x, y, z`; `x*y - z` becomes `fma x, y, -z`; `z - x*y` becomes `fma -x, y, z`. Both operations round the same way, and both flush
//! subnormal numbers or neither does. A product that something else reads too stays, for it would be computed twice.

use crate::{facts::Analyses, registry::Options, statistics::Statistics};
use tilewright_ir::{AttrName, NewOp, Op, OpRef, Opcode, Place, Rewriter, Value};

pub(crate) fn run(rewriter: &mut Rewriter<'_>, _: &mut Analyses, _: Options<'_>, changes: &mut Statistics) {
    let sums: Vec<Op> = rewriter.body().preorder().filter(|op| matches!(op.opcode(), Opcode::AddF | Opcode::SubF)).map(OpRef::id).collect();
    for sum in sums {
        // A sum of two products is read from the left.
        if let Some(side) = [0, 1].into_iter().find(|side| fits(rewriter, sum, *side)) {
            fuse(rewriter, sum, side);
            changes.add("fused", 1);
        }
    }
}

/// Whether the operand of a sum on this side is a product that can be computed in it.
fn fits(rewriter: &Rewriter<'_>, sum: Op, side: usize) -> bool {
    let sum = rewriter.op(sum);
    let product = rewriter.body().defining_op(sum.operands()[side]).filter(|op| op.opcode() == Opcode::MulF);
    product.is_some_and(|product| {
        let flushes = |op: OpRef<'_>| op.flag(AttrName::FlushToZero);
        rewriter.uses(sum.operands()[side]).count() == 1
            && product.rounding() == sum.rounding()
            && flushes(product) == flushes(sum)
            && product.block() == sum.block()
    })
}

fn fuse(rewriter: &mut Rewriter<'_>, sum: Op, side: usize) {
    let here = rewriter.op(sum);
    let (product, other) = (here.operands()[side], here.operands()[1 - side]);
    let subtracts = here.opcode() == Opcode::SubF;
    let (attrs, loc) = (here.attrs().to_vec(), here.loc());
    let ty = rewriter.body().ty(here.result(0).expect("a sum"));
    let product = rewriter.body().defining_op(product).expect("a product");
    let (mut x, y, product) = (product.operands()[0], product.operands()[1], product.id());
    let mut z = other;
    let mut negate = |value: Value| {
        let new = NewOp { opcode: Opcode::NegF, operands: &[value], present: 0, split: 0, attrs: &[], results: &[ty], loc };
        let new = rewriter.create(Place::Before(sum), new);
        rewriter.op(new).result(0).expect("a number")
    };
    match (subtracts, side) {
        (true, 0) => z = negate(z),
        (true, _) => x = negate(x),
        (false, _) => {}
    }
    // The attributes of sums, products and fused ones are the same, in the same order.
    let new = NewOp { opcode: Opcode::Fma, operands: &[x, y, z], present: 0, split: 0, attrs: &attrs, results: &[ty], loc };
    let new = rewriter.create(Place::Before(sum), new);
    let result = rewriter.op(new).result(0).expect("a number");
    rewriter.replace(sum, &[result]).expect("one result for one");
    rewriter.erase(product).expect("only the sum read it");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_products_and_fused_ones_have_the_same_attributes() {
        let attrs = |opcode: Opcode| opcode.def().attrs.iter().map(|attr| (attr.name, attr.kind)).collect::<Vec<_>>();
        for opcode in [Opcode::AddF, Opcode::SubF, Opcode::MulF] {
            assert_eq!(attrs(opcode), attrs(Opcode::Fma), "{opcode}");
        }
    }
}
