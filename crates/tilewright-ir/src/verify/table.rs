//! What the op table says about values and types, checked for all operations alike.

use super::{At, Verifier, rules};
use crate::{
    AttrValue, EnumKind, Scalar, Type, Value,
    ops::{Arity, AttrDef, AttrKind, OperandDef, Relation, Results, Same, TypeSet},
};

impl<'m> Verifier<'m> {
    /// The columns for single operands, results and attributes.
    pub(super) fn values_and_types(&mut self, at: At<'m>) {
        let def = at.op.def();
        if self.plain[at.op.opcode() as usize] {
            for (operand, &value) in def.operands.iter().zip(at.op.operands()) {
                self.operand_type(at, operand, value);
            }
        } else {
            for (i, operand) in def.operands.iter().enumerate() {
                for &value in at.op.operand_group(i) {
                    self.operand_type(at, operand, value);
                }
            }
        }
        match def.results {
            Results::Fixed(results) => {
                for (result, ty) in results.iter().zip(at.result_types()) {
                    self.result_type(at, result.name, result.types, ty);
                }
            }
            Results::Variadic(name) => {
                for ty in at.result_types() {
                    self.result_type(at, name, def.variadic_types, ty);
                }
            }
        }
        for (attr, value) in def.attrs.iter().zip(at.op.attrs()) {
            match (attr.kind, *value) {
                (AttrKind::Enum(kind), AttrValue::Enum(wire)) => self.attribute_value(at, attr, kind, wire),
                (AttrKind::Unit, AttrValue::Unit) if attr.f32_only.contains(0) => self.modifier(at, attr.name.name()),
                (AttrKind::Hints, AttrValue::Attr(hints)) => self.hints(hints, Some(at)),
                _ => {}
            }
        }
    }

    #[inline]
    fn operand_type(&mut self, at: At<'m>, operand: &OperandDef, value: Value) {
        let found = at.op.body().ty(value);
        if !self.is(operand.types, found) {
            self.report_about(&rules::OPERAND_TYPE, at, &[value], |v| {
                format!("operand '{}' must be {}, found {}", operand.name, operand.types.describe(), v.text(found))
            });
        }
    }

    #[inline]
    fn result_type(&mut self, at: At<'m>, name: &str, expected: TypeSet, found: Type) {
        self.require(self.is(expected, found), &rules::RESULT_TYPE, at, |v| {
            format!("result '{name}' must be {}, found {}", expected.describe(), v.text(found))
        });
    }

    #[inline]
    fn attribute_value(&mut self, at: At<'m>, attr: &AttrDef, kind: EnumKind, wire: u8) {
        let allowed = attr.allowed.contains(wire);
        let needs_f32 = attr.f32_only.contains(wire);
        if allowed && !needs_f32 {
            return;
        }
        let keyword = kind.value(wire).map_or("?", |value| value.keyword);
        if allowed {
            return self.modifier(at, keyword);
        }
        let known: Vec<&str> = kind.values().iter().filter(|v| attr.allowed.contains(v.value)).map(|v| v.keyword).collect();
        let message = format!("attribute '{}' must be {}, found {keyword}", attr.name.name(), known.join(", "));
        let rule = match kind {
            EnumKind::RoundingMode => &rules::ROUNDING_MODE,
            EnumKind::MemoryOrderingSemantics => &rules::MEMORY_ORDERING,
            EnumKind::MemoryScope => &rules::MEMORY_SCOPE,
            EnumKind::IntegerOverflow => &rules::OVERFLOW_FLAG,
            _ => &rules::ATTRIBUTE_VALUE,
        };
        self.report(rule, Some(at), message);
    }

    /// A modifier that only `f32` has.
    fn modifier(&mut self, at: At<'m>, name: &str) {
        let Some(ty) = at.result_type(0) else { return };
        let is_f32 = self.scalar(self.tile(ty)) == Some(Scalar::F32);
        self.require(is_f32, &rules::F32_ONLY, at, |v| format!("{name} needs elements of f32, found {}", v.text(ty)));
    }

    /// The columns about several operands and results.
    #[inline]
    pub(super) fn relations(&mut self, at: At<'m>) {
        for relation in at.op.def().relations.iter() {
            self.relation(at, relation);
        }
    }

    #[inline]
    fn relation(&mut self, at: At<'m>, relation: Relation) {
        let mut first: Option<(usize, Type)> = None;
        let mut rest = relation.slots;
        while rest != 0 {
            let slot = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let Some(ty) = self.slot_type(at, slot) else { continue };
            match first {
                None => first = Some((slot, ty)),
                Some((_, expected)) if expected == ty => {}
                Some((one, expected)) => self.compare(at, relation.same, (one, expected), (slot, ty)),
            }
        }
    }

    fn slot_type(&self, at: At<'m>, slot: usize) -> Option<Type> {
        match slot.checked_sub(8) {
            Some(result) => at.result_type(result),
            None if self.plain[at.op.opcode() as usize] => at.operand_type(slot),
            None => at.group_type(slot),
        }
    }

    fn compare(&mut self, at: At<'m>, same: Same, one: (usize, Type), other: (usize, Type)) {
        let (rule, what) = match same {
            Same::Type => (&rules::SAME_TYPE, "type"),
            Same::Shape => (&rules::SAME_SHAPE, "shape"),
            Same::Rank => (&rules::SAME_RANK, "rank"),
            Same::Element => (&rules::SAME_ELEMENT, "element type"),
        };
        if self.are_same(same, one.1, other.1) {
            return;
        }
        let operands: Vec<Value> = [one.0, other.0].into_iter().filter_map(|slot| slot_operand(at, slot)).collect();
        self.report_about(rule, at, &operands, |v| {
            let (a, b) = (slot_name(at, one.0), slot_name(at, other.0));
            format!("{a} and {b} must have the same {what}, found {} and {}", v.text(one.1), v.text(other.1))
        });
    }
}

/// The operand at a position of the row, if it is one and is there.
fn slot_operand(at: At<'_>, slot: usize) -> Option<Value> {
    if slot < at.op.def().operands.len() { at.op.operand_group(slot).first().copied() } else { None }
}

/// A value of the row by its name, for messages.
fn slot_name(at: At<'_>, slot: usize) -> String {
    let def = at.op.def();
    match (slot.checked_sub(8), def.results) {
        (None, _) => {
            debug_assert!(def.operands[slot].arity != Arity::Variadic, "relations are about single values");
            format!("operand '{}'", def.operands[slot].name)
        }
        (Some(result), Results::Fixed(results)) => format!("result '{}'", results[result].name),
        (Some(_), Results::Variadic(name)) => format!("result '{name}'"),
    }
}
