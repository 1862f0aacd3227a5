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
            let dim = match op.opcode() {
                Opcode::StoreViewTko => match lie(tables, body, facts, classes, op) {
                    Ok(Lie::Beside(beside)) => Some(beside.dim()).filter(|dim| *dim > 0),
                    _ => None,
                },
                _ => op
                    .result(0)
                    .and_then(|result| wanted.get(&result).copied().flatten())
                    .filter(|_| is_computed(tables, body, classes, op)),
            };
            if let (Some(dim), Some(result)) = (dim, op.result(0).filter(|_| op.opcode() != Opcode::StoreViewTko)) {
                stored.0.insert(result, dim);
            }
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

/// Whether an operation computes a tile that differs between members, element by element, of tiles of its shape.
fn is_computed(tables: &Tables, body: &Body, classes: &Classes, op: OpRef<'_>) -> bool {
    let Some(result) = op.result(0) else { return false };
    let shape = |value: Value| tables.types.as_tile(body.ty(value)).map(|(_, shape)| shape);
    let is_alike = op.operands().iter().all(|operand| shape(*operand).is_some() && shape(*operand) == shape(result));
    let is_elementwise = op.def().traits.contains(Traits::ELEMENTWISE) && op.results().len() == 1;
    is_elementwise && is_alike && !classes.is_in_fold(op.id()) && classes.of(result) == Class::Varying
}

impl Lifter<'_> {
    /// What is computed for a store, with the members along a dimension of the wider tile.
    pub(super) fn lift_stored(&mut self, op: OpRef<'_>, result: Value, dim: usize) -> Result<(), String> {
        let operands: Vec<Value> = op.operands().iter().map(|operand| self.members_along(*operand, dim)).collect::<Result<_, _>>()?;
        let (element, mut shape) = self.tile_of(self.from.ty(result))?;
        shape.insert(dim, self.lanes);
        let ty = self.tile_type(element, &shape)?;
        let made = self.make(op, &operands, op.attrs(), &[ty])?;
        let made = self.result_of(made, 0);
        self.define_all(result, made);
        Ok(())
    }

    /// What all members have of a tile, with these before one of its dimensions.
    pub(super) fn members_along(&mut self, value: Value, dim: usize) -> Result<Value, String> {
        let (element, shape) = self.tile_of(self.from.ty(value))?;
        if self.stored.dim(value) == Some(dim) {
            return self.all(value);
        }
        let all = self.all(value)?;
        let mut lanes_first = vec![self.lanes];
        lanes_first.extend(shape);
        self.move_dim(all, element, &lanes_first, 0, dim)
    }
}
