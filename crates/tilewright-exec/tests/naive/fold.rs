//! `reduce` and `scan`, from the first element to the last (SEMANTICS c.7).

use super::{
    End, Naive, Val, matrix,
    number::{self, Number},
    value::{Element, Item, Tile, Trust},
};
use tilewright_ir::{AttrName, AttrValue, Block, OpRef, Opcode};

/// A result of a fold: nobody promises that it was not combined with the identity, which leaves of a NaN that it is one.
fn perhaps_combined(element: Element, item: Item) -> Item {
    let is_nan = element.is_float() && matches!(number::decode(element.scalar(), item.bits), Number::Nan);
    if is_nan && item.trust == Trust::Exact { Item { trust: Trust::Nan, ..item } } else { item }
}

impl<'m> Naive<'m> {
    pub(super) fn fold(&mut self, op: OpRef<'m>) -> Vec<Tile> {
        let operands: Vec<Tile> = op.operands().iter().map(|v| self.tile(*v).clone()).collect();
        let dim = op.int(AttrName::Dim).expect("a dimension") as usize;
        let block = op.region_block(0).expect("a region");
        let scans = op.opcode() == Opcode::Scan;
        let reverse = op.attr(AttrName::Reverse) == AttrValue::Bool(true);
        let extent = operands[0].shape[dim];
        let mut shape = operands[0].shape.clone();
        shape.remove(dim);
        let mut results: Vec<Tile> =
            op.results().map(|result| self.ty(result)).map(|(e, shape)| Tile::from_fn(e, &shape, |_| Item::UNKNOWN)).collect();
        super::value::for_each_position(&shape, |line| {
            let place = |i: usize| {
                let mut place = line.to_vec();
                place.insert(dim, if reverse { extent - 1 - i } else { i });
                place
            };
            let columns: Vec<Vec<Item>> = operands.iter().map(|tile| (0..extent).map(|i| tile.at(&place(i))).collect()).collect();
            for (i, prefix) in self.prefixes(block, &operands, &columns).into_iter().enumerate() {
                for (result, item) in results.iter_mut().zip(prefix) {
                    let position = if scans { place(i) } else { line.to_vec() };
                    let item = perhaps_combined(result.element, item);
                    let index = position.iter().zip(&result.shape).fold(0, |index, (i, extent)| index * extent + i);
                    result.items[index] = item;
                }
            }
        });
        results
    }

    /// What the first 1, 2, ... elements are combined to, for each operand.
    fn prefixes(&mut self, block: Block, operands: &[Tile], columns: &[Vec<Item>]) -> Vec<Vec<Item>> {
        let extent = columns[0].len();
        if self.adds_floats(block) {
            return (1..=extent).map(|n| vec![matrix::sum(operands[0].element, &columns[0][..n])]).collect();
        }
        let mut prefixes: Vec<Vec<Item>> = vec![columns.iter().map(|column| column[0]).collect()];
        for i in 1..extent {
            let scalar = |element: Element, item: Item| Val::Tile(Tile { element, shape: Vec::new(), items: vec![item] });
            let mut args = Vec::new();
            for (k, operand) in operands.iter().enumerate() {
                args.extend([scalar(operand.element, prefixes[i - 1][k]), scalar(operand.element, columns[k][i])]);
            }
            let End::Yield(vals) = self.block(block, args) else { panic!("the region of a fold yields") };
            let item = |val: &Val| if let Val::Tile(tile) = val { tile.items[0] } else { Item::UNKNOWN };
            prefixes.push(vals.iter().map(item).collect());
        }
        prefixes
    }

    /// Whether the region is one addition of floats, whose result depends on the order.
    fn adds_floats(&self, block: Block) -> bool {
        self.body.ops(block).next().is_some_and(|op| op.opcode() == Opcode::AddF)
    }
}
