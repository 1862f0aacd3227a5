//! A quick look at an operation, which finds most of them in order.

use super::{At, Verifier, walk::Visible};
use crate::{
    AttrValue, Type,
    ops::{AttrDef, AttrKind, Relation, Results, Same},
};

impl<'m> Verifier<'m> {
    /// Whether structure, types, values and relations of an operation are surely in order. Where this says no, the full checks
    /// find what is wrong, if anything is.
    #[inline]
    pub(super) fn is_in_order(&self, at: At<'m>, visible: &Visible) -> bool {
        let def = at.op.def();
        let operands = at.op.operands();
        if !self.plain[at.op.opcode() as usize] || operands.len() != def.operands.len() {
            return false;
        }
        let body = at.op.body();
        let operand_fits = |(i, value): (usize, &crate::Value)| visible.contains(*value) && self.is(def.operands[i].types, body.ty(*value));
        let Results::Fixed(results) = def.results else { return false };
        results.len() == at.op.results().len()
            && operands.iter().enumerate().all(operand_fits)
            && results.iter().zip(at.result_types()).all(|(result, ty)| {
                let facts = self.types.get(ty.index());
                facts.is_some_and(|facts| facts.since <= self.module.version && result.types.accepts(facts.set))
            })
            && def.attrs.iter().zip(at.op.attrs()).all(|(attr, value)| self.attribute_is_in_order(attr, *value))
            && def.relations.iter().all(|relation| self.relation_holds(at, relation))
    }

    #[inline]
    fn attribute_is_in_order(&self, attr: &AttrDef, value: AttrValue) -> bool {
        match (attr.kind, value) {
            (AttrKind::Enum(kind), AttrValue::Enum(wire)) => {
                attr.since.is_none()
                    && attr.allowed.contains(wire)
                    && !attr.f32_only.contains(wire)
                    && kind.value(wire).is_some_and(|entry| entry.since <= self.module.version)
            }
            (AttrKind::Unit, AttrValue::Absent) => true,
            _ => false,
        }
    }

    /// Whether a relation holds between values that each are there once.
    #[inline]
    fn relation_holds(&self, at: At<'m>, relation: Relation) -> bool {
        let slot_type = |slot: usize| match slot.checked_sub(8) {
            Some(result) => at.result_type(result),
            None => at.operand_type(slot),
        };
        let mut rest = relation.slots;
        let mut first: Option<Type> = None;
        while rest != 0 {
            let ty = slot_type(rest.trailing_zeros() as usize);
            rest &= rest - 1;
            match (first, ty) {
                (_, None) => return false,
                (None, ty) => first = ty,
                (Some(a), Some(b)) if a == b => {}
                (Some(a), Some(b)) => {
                    if !self.are_same(relation.same, a, b) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether two types, which are not the same, have something in common.
    pub(super) fn are_same(&self, same: Same, a: Type, b: Type) -> bool {
        let (a, b) = (self.tile(a), self.tile(b));
        match same {
            Same::Type => false,
            Same::Shape => self.same_shape(a, b),
            Same::Rank => a.shape.len() == b.shape.len(),
            Same::Element => a.element == b.element,
        }
    }
}
