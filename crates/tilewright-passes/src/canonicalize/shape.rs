//! Operations that move elements, the extents of views, and tokens.

use super::{Change, Driver};
use crate::constant::{Elements, number_tile};
use tilewright_ir::{AttrData, AttrName, AttrValue, DYNAMIC, NewOp, Op, Opcode, Place, Signedness, Type, TypeData, Value};

impl Driver<'_, '_> {
    /// A permutation that changes no order gives its source; one of another is one of both.
    pub(super) fn permutation(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let source = here.operands()[0];
        let outer = self.order(op)?;
        if outer.iter().enumerate().all(|(i, dim)| *dim as usize == i) {
            return Some(Change::Value(source));
        }
        let inner = self.defined_by(source, Opcode::Permute)?;
        let (innermost, order) = (inner.operands()[0], self.order(inner.id())?);
        let both: Box<[i32]> = outer.iter().map(|dim| order[*dim as usize]).collect();
        let both = self.rewriter.tables().attrs.intern(AttrData::I32Array(both));
        self.set_attr(op, AttrName::Permutation, AttrValue::Attr(both));
        self.set_operand(op, 0, innermost);
        Some(Change::InPlace)
    }

    fn order(&self, op: Op) -> Option<Box<[i32]>> {
        match self.tables().attrs.get(self.rewriter.op(op).compound(AttrName::Permutation)?) {
            AttrData::I32Array(order) => Some(order.clone()),
            _ => None,
        }
    }

    /// The numbers up to 1 are 0.
    pub(super) fn single_number(&mut self, op: Op) -> Option<Change> {
        let (_, len) = number_tile(self.tables(), self.ty(self.rewriter.op(op).result(0)?))?;
        (len == 1).then_some(Change::Constant(Elements::Splat(0)))
    }

    /// Extents that are known, or that a view was made of.
    pub(super) fn extents(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let view = here.operand(0)?;
        let known = self.known_extents(view, here.opcode())?;
        let results: Vec<Value> = here.results().collect();
        let mut changed = false;
        for (i, (result, extent)) in results.into_iter().zip(known).enumerate() {
            if self.rewriter.is_unused(result) {
                continue;
            }
            let ty = self.ty(result);
            let value = match extent {
                Extent::Known(extent) if fits(extent, self.tables(), ty) => self.constant(op, ty, &Elements::Splat(extent)),
                Extent::Value(value) => self.converted(op, value, ty),
                _ => None,
            };
            if let Some(value) = value {
                changed |= self.replace_result(op, i, value);
            }
        }
        if changed {
            self.enqueue(op);
        }
        changed.then_some(Change::Done)
    }

    /// The extents of a tensor, or of the index space of a view.
    fn known_extents(&self, view: Value, asks: Opcode) -> Option<Vec<Extent>> {
        let types = &self.tables().types;
        if asks == Opcode::GetTensorShape {
            let TypeData::TensorView { shape, .. } = types.get(self.ty(view)) else { return None };
            let made = self.defined_by(view, Opcode::MakeTensorView);
            let mut dynamic = made.map_or(&[][..], |made| made.operand_named("dynamicShape")).iter();
            let extent = |extent: &i64| match *extent {
                DYNAMIC => dynamic.next().map_or(Extent::Unknown, |value| Extent::Value(*value)),
                extent => Extent::Known(extent as u64),
            };
            return Some(shape.iter().map(extent).collect());
        }
        let (steps, tensor, dim_map): (Vec<i32>, Type, _) = match types.get(self.ty(view)) {
            TypeData::PartitionView { tile, tensor_view, dim_map, .. } => (tile.to_vec(), *tensor_view, dim_map),
            TypeData::StridedView { traversal_strides, tensor_view, dim_map, .. } => (traversal_strides.to_vec(), *tensor_view, dim_map),
            _ => return None,
        };
        let TypeData::TensorView { shape, .. } = types.get(tensor) else { return None };
        let tiles = |(step, dim): (&i32, &i32)| match (shape[*dim as usize], *step) {
            (extent, step @ 1..) if extent != DYNAMIC => Extent::Known((extent as u64).div_ceil(step as u64)),
            _ => Extent::Unknown,
        };
        Some(steps.iter().zip(dim_map).map(tiles).collect())
    }

    /// An unsigned number as one of another width.
    fn converted(&mut self, near: Op, value: Value, ty: Type) -> Option<Value> {
        let bits = |ty| number_tile(self.tables(), ty).map(|(scalar, _)| scalar.bits());
        Some(match bits(self.ty(value))?.cmp(&bits(ty)?) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.create(near, Opcode::ExtI, &[value], &[AttrValue::Enum(Signedness::Unsigned as u8)], ty),
            std::cmp::Ordering::Greater => self.create(near, Opcode::TruncI, &[value], &[AttrValue::Enum(0)], ty),
        })
    }

    /// A token behind several is one behind each of them once; tokens that order nothing do not matter.
    pub(super) fn tokens(&mut self, op: Op) -> Option<Change> {
        let here = self.rewriter.op(op);
        let mut tokens: Vec<Value> = here.operands().to_vec();
        tokens.sort();
        tokens.dedup();
        let some = tokens[0];
        tokens.retain(|token| self.defined_by(*token, Opcode::MakeToken).is_none());
        match tokens[..] {
            [] => Some(Change::Value(some)),
            [token] => Some(Change::Value(token)),
            _ if tokens.len() == here.operands().len() => None,
            _ => {
                let (ty, loc) = (self.ty(here.result(0)?), here.loc());
                let new = NewOp {
                    opcode: Opcode::JoinTokens,
                    operands: &tokens,
                    present: 0,
                    split: tokens.len() as u32,
                    attrs: &[],
                    results: &[ty],
                    loc,
                };
                let new = self.rewriter.create(Place::Before(op), new);
                self.rewriter.op(new).result(0).map(Change::Value)
            }
        }
    }
}

/// What is known of an extent.
enum Extent {
    Known(u64),
    /// It is this value.
    Value(Value),
    Unknown,
}

fn fits(extent: u64, tables: &tilewright_ir::Tables, ty: Type) -> bool {
    number_tile(tables, ty).is_some_and(|(scalar, _)| extent <= tilewright_numeric::int::mask(scalar.bits()))
}
