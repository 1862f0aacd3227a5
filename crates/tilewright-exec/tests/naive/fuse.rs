//! Sums with products, rounded once: what `docs/passes.md` says that `fuse-fma` makes of a program.

use super::{
    Naive,
    elementwise::{flushed, round},
    number::{self, Number},
    value::{Tile, Trust},
};
use std::collections::HashMap;
use tilewright_ir::{AttrName, Body, Op, OpRef, Opcode, RoundingMode, Value};

/// The sums of a function that products are computed in: which operand of each is that product, and what it multiplies.
pub(crate) struct Fused {
    sums: HashMap<Op, (usize, [Value; 2])>,
}

impl Fused {
    pub(crate) fn of(body: &Body) -> Fused {
        let uses = |value: Value| body.preorder().flat_map(|op| op.operands().to_vec()).filter(|used| *used == value).count();
        let mut sums = HashMap::new();
        for sum in body.preorder().filter(|op| matches!(op.opcode(), Opcode::AddF | Opcode::SubF)) {
            for (side, value) in sum.operands().iter().enumerate() {
                let Some(product) = body.defining_op(*value).filter(|op| op.opcode() == Opcode::MulF) else { continue };
                let alike = product.rounding() == sum.rounding()
                    && product.flag(AttrName::FlushToZero) == sum.flag(AttrName::FlushToZero)
                    && product.block() == sum.block();
                if alike && uses(*value) == 1 {
                    sums.insert(sum.id(), (side, [product.operands()[0], product.operands()[1]]));
                    break;
                }
            }
        }
        Fused { sums }
    }

    pub(crate) fn len(&self) -> usize {
        self.sums.len()
    }

    pub(super) fn at(&self, sum: OpRef<'_>) -> Option<(usize, [Value; 2])> {
        self.sums.get(&sum.id()).copied()
    }
}

impl Naive<'_> {
    /// The exact product plus or minus the other number, rounded once.
    pub(super) fn fused_sum(&self, sum: OpRef<'_>, (side, factors): (usize, [Value; 2])) -> Tile {
        let tiles = [factors[0], factors[1], sum.operands()[1 - side]].map(|value| self.tile(value));
        let flushes = sum.flag(AttrName::FlushToZero);
        let mode = sum.rounding().unwrap_or(RoundingMode::NearestEven);
        let subtracts = sum.opcode() == Opcode::SubF;
        let element = tiles[0].element;
        Tile::from_fn(element, &tiles[0].shape, |position| {
            let items = tiles.map(|tile| tile.at(position));
            if items.iter().any(|item| !matches!(item.trust, Trust::Exact | Trust::Nan)) {
                return super::Item::UNKNOWN;
            }
            let [x, y, z]: [Number; 3] =
                items.map(|item| number::decode(element.scalar(), if flushes { flushed(item.bits) } else { item.bits }));
            let product = number::multiply(&x, &y);
            let (a, b) = if side == 0 { (product, z) } else { (z, product) };
            let exact = number::add(&a, &if subtracts { number::negate(&b) } else { b }, mode);
            let rounded = round(element.scalar(), &exact, mode);
            if flushes && rounded.trust == Trust::Exact { super::Item { bits: flushed(rounded.bits), ..rounded } } else { rounded }
        })
    }
}
