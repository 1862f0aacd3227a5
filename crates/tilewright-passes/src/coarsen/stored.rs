//! What is computed only to be stored in tiles that lie side by side: it is computed in the order of the wider tile, which is stored as it is then.
//!
//! ```text
//! %p: tile<8x64x128xf32>, of 8 members              %p: tile<8x64x128xf32>
//! %y = ftof %p                                      %x = permute %p : tile<64x8x128xf32>
//! %z = permute %y : tile<64x8x128xbf16>    ─►       %y = ftof %x : tile<64x8x128xbf16>
//! store reshape %z : tile<64x1024xbf16>             store reshape %y : tile<64x1024xbf16>
//! ```

use super::{
    access::{Lie, lie},
    classes::{Class, Classes},
    lift::Lifter,
};
use crate::{facts::IntegerFacts, structure::preorder};
use std::collections::HashMap;
use tilewright_ir::{Body, OpRef, Opcode, Tables, Value, ops::Traits};

/// Along which dimension members lie in what is computed only to be stored. Of anything else, they lie along the first.
pub(super) struct Stored(HashMap<Value, usize>);

impl Stored {
    pub(super) fn new(tables: &Tables, body: &Body, facts: &IntegerFacts, classes: &Classes) -> Stored {
        let mut stored = Stored(HashMap::new());
        // Where all that has been seen so far wants the members of a value; none where its readers differ.
        let mut wanted: HashMap<Value, Option<usize>> = HashMap::new();
        // Whoever reads a value comes before it.
        for op in preorder(body).into_iter().rev().map(|op| body.op(op)) {
            let dim = if op.opcode() == Opcode::StoreViewTko {
                match lie(tables, body, facts, classes, op) {
                    Ok(Lie::Beside(beside)) => Some(beside.dim()).filter(|dim| *dim > 0),
                    _ => None,
                }
            } else {
                let own = op.result(0).and_then(|result| Some((result, wanted.get(&result).copied().flatten()?)));
                own.and_then(|(result, dim)| {
                    let of_operands = operand_dim(tables, body, classes, op, dim)?;
                    stored.0.insert(result, dim);
                    Some(of_operands)
                })
            };
            for operand in op.operands() {
                wanted.entry(*operand).and_modify(|other| *other = other.filter(|other| Some(*other) == dim)).or_insert(dim);
            }
        }
        stored
    }

    /// Before which dimension of its tile the members of a value lie; none if that is the first.
    pub(super) fn dim(&self, value: Value) -> Option<usize> {
        self.0.get(&value).copied()
    }
}

/// Before which dimension of its operands the members lie, if they lie before this one of its result: of an operation that computes element by element on
/// tiles of one shape, or gives a tile more or fewer dimensions of extent 1.
fn operand_dim(tables: &Tables, body: &Body, classes: &Classes, op: OpRef<'_>, dim: usize) -> Option<usize> {
    let result = op.result(0)?;
    if classes.is_in_fold(op.id()) || classes.of(result) != Class::Varying {
        return None;
    }
    let shape = |value: Value| tables.types.as_tile(body.ty(value)).map(|(_, shape)| shape);
    if op.opcode() == Opcode::Reshape {
        let (to, from) = (shape(result)?, shape(op.operand(0)?)?);
        let long = |shape: &[i64]| shape.iter().copied().filter(|extent| *extent > 1).collect::<Vec<_>>();
        let before = long(&to[..dim]).len();
        return if long(to) == long(from) { (0..=from.len()).find(|at| long(&from[..*at]).len() == before) } else { None };
    }
    let is_alike = op.operands().iter().all(|operand| shape(*operand).is_some() && shape(*operand) == shape(result));
    (op.def().traits.contains(Traits::ELEMENTWISE) && op.results().len() == 1 && is_alike).then_some(dim)
}

impl Lifter<'_> {
    /// What is computed for a store, with the members along a dimension of the wider tile.
    pub(super) fn lift_stored(&mut self, op: OpRef<'_>, result: Value, dim: usize) -> Result<(), String> {
        let of_operands = operand_dim(self.tables, self.from, self.classes, op, dim).ok_or("it computes no tile for a store")?;
        let operands: Vec<Value> =
            op.operands().iter().map(|operand| self.members_along(*operand, of_operands)).collect::<Result<_, _>>()?;
        let (element, mut shape) = self.tile_of(self.from.ty(result))?;
        shape.insert(dim, self.lanes);
        let ty = self.tile_type(element, &shape)?;
        let made = self.make(op, &operands, op.attrs(), &[ty])?;
        self.define_results(op, made)
    }

    /// What all members have of a tile, with these before one of its dimensions.
    pub(super) fn members_along(&mut self, value: Value, dim: usize) -> Result<Value, String> {
        let (element, shape) = self.tile_of(self.from.ty(value))?;
        let all = self.all(value)?;
        if self.stored.dim(value) == Some(dim) {
            return Ok(all);
        }
        let mut lanes_first = vec![self.lanes];
        lanes_first.extend(shape);
        self.move_dim(all, element, &lanes_first, 0, dim)
    }
}
