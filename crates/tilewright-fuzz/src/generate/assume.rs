//! The predicates of `assume`.

use super::{Generator, plan::Plan};
use tilewright_ir::{AttrData, AttrName, AttrValue, Opcode, Scalar, Type, ops::TypeSet};

/// The largest divisor is 2 to the power of this.
const MAX_DIVISOR: usize = 62;

impl Generator<'_, '_> {
    pub(super) fn assume(&mut self) -> Plan {
        let (predicate, ty) = match self.source.below(3) {
            0 => self.bounded(),
            1 => self.same_elements(),
            _ => self.div_by(),
        };
        let predicate = self.module.tables.attrs.intern(predicate);
        Plan::new(Opcode::Assume).operand("value", ty).attr(AttrName::Predicate, AttrValue::Attr(predicate)).result(ty)
    }

    fn bounded(&mut self) -> (AttrData, Type) {
        let ty = self.any_tile(TypeSet::INT_OR_I4);
        let (element, _) = self.tile_parts(ty);
        let bits = self.module.tables.types.scalar(element).map_or(64, Scalar::bits);
        let mut bound = || {
            let number = self.source.number(8).cast_signed();
            // As many bits as the elements have, with their sign.
            self.source.flag().then_some(number << (64 - bits) >> (64 - bits))
        };
        let (a, b) = (bound(), bound());
        let (lower, upper) = match (a, b) {
            (Some(a), Some(b)) => (Some(a.min(b)), Some(a.max(b))),
            bounds => bounds,
        };
        (AttrData::Bounded { lower, upper }, ty)
    }

    /// A tile that predicates about equal and divisible elements are about.
    fn integers_or_pointers(&mut self) -> Type {
        let set = if self.source.one_in(3) { TypeSet::POINTER } else { TypeSet::INT_OR_I4 };
        self.any_tile(set)
    }

    fn same_elements(&mut self) -> (AttrData, Type) {
        let ty = self.integers_or_pointers();
        let (_, shape) = self.tile_parts(ty);
        let groups = shape.iter().map(|extent| self.up_to(*extent)).collect();
        (AttrData::SameElements(groups), ty)
    }

    fn div_by(&mut self) -> (AttrData, Type) {
        let divisor = 1 << self.source.below(MAX_DIVISOR + 1);
        if self.source.one_in(4) {
            return (AttrData::DivBy { divisor, every: None, along: None }, self.any_tensor_view());
        }
        let ty = self.integers_or_pointers();
        let (_, shape) = self.tile_parts(ty);
        if shape.is_empty() || !self.source.flag() {
            return (AttrData::DivBy { divisor, every: None, along: None }, ty);
        }
        let along = self.source.below(shape.len());
        let every = self.up_to(shape[along]);
        (AttrData::DivBy { divisor, every: Some(every), along: Some(along as i64) }, ty)
    }

    /// A number from 0 to this.
    fn up_to(&mut self, most: i64) -> i64 {
        self.source.below(most as usize + 1) as i64
    }
}
